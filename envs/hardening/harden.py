"""Needles in other words: criteria reworded as the corpus itself puts it, so that few words of the page are left."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from webenv.corpora.analysis import stem
from webenv.corpora.procedural import Form, Lexicon, PartOfSpeech
from webenv.envs.hardening.statements import SiteStatistics, TextPage, put_for, stems_of
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, render_question
from webenv.errors import InvalidArgument
from webenv.runtime.files import write_atomic
from webenv.task import Task

WINDOW = 3
"""How near two words stand, of those that mean something, to count as neighbours."""

_BITS = 1 << 27  # of the table of pairs: 16 MiB; 10 million pairs make one in 14 look attested that is not
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d[\d.,]*|[^\w\s]")
_FORMS: dict[PartOfSpeech, tuple[Form, ...]] = {
    "noun": ("plural",),
    "verb": ("third", "past", "participle", "gerund"),
    "adjective": (),
}
_DETERMINERS_TEXT = "a an the this that these those its his her their our my some any each every no"
_DETERMINERS = frozenset(_DETERMINERS_TEXT.split())
_MODALS_TEXT = "to will would can could may might must shall should did does do not"
_MODALS = frozenset(_MODALS_TEXT.split())
_KEPT_TEXT = (
    "someone something somewhere certain way time place person kind type number amount event entity "
    "period state thing things be is are was were been being have has had having do does did done make "
    "made one"
)
_KEPT = frozenset(_KEPT_TEXT.split())
_DOMINANT = 3  # times that one part of speech is commoner than another, to be taken for it


class Attested:
    """Which pairs of words stand near each other in a corpus: a Bloom filter with one hash.

    Args:
        pages: the corpus, or a fair share of it.
    """

    def __init__(self, pages: Iterable[TextPage]) -> None:
        self._bits = np.zeros(_BITS // 8, dtype=np.uint8)
        for page in pages:
            for sentence in page.sentences:
                if sentence.prose:
                    self._add([one for token in _WORD.findall(sentence.text) if (one := stem(token.lower()))])

    def _add(self, stems: Sequence[str]) -> None:
        for place, left in enumerate(stems):
            for right in stems[place + 1 : place + 1 + WINDOW]:
                number = _pair(left, right)
                self._bits[number >> 3] |= 1 << (number & 7)

    def near(self, left: str, right: str) -> bool:
        """Whether the two stems stand near each other, in this order; now and then True of a pair that does not."""
        number = _pair(left, right)
        return bool(self._bits[number >> 3] >> (number & 7) & 1)


def _pair(left: str, right: str) -> int:
    return crc32(f"{left} {right}".encode()) % _BITS


class _Reading(NamedTuple):
    """A word as it was read: its base form, its part of speech, and the form that it stands in ("" for the base)."""

    lemma: str
    part: PartOfSpeech
    form: Form | None


class Rewording(NamedTuple):
    """A criterion in other words, and which words were replaced by which."""

    text: str
    changes: tuple[tuple[str, str], ...]


def reword(criterion: str, attested: Attested, lexicon: Lexicon, rng: random.Random, most: int = 4) -> Rewording:
    """A criterion with up to ``most`` of its words or phrases replaced; the criterion itself where none can be.

    Phrases come first: common predicates and connectives, each with others that mean the same (a table of ours).

    Args:
        criterion: a sentence.
        attested: of the corpus that its page stands in.
        lexicon: of English.
        rng: draws which, and by what.
        most: how many may be replaced.
    """
    text, changes = criterion, list[tuple[str, str]]()
    known = [phrase for phrase in _phrases() if f" {phrase} " in f" {text} "]
    rng.shuffle(known)
    for phrase in sorted(known, key=lambda one: -one.count(" ")):
        if len(changes) == most:
            break
        new = rng.choice(_phrases()[phrase])
        changed = put_for(text, phrase, new)
        if changed != text and not any(phrase in other for _, other in changes):
            text, changes = changed, [*changes, (phrase, new)]
    said = {word for _, new in changes for word in new.split()}
    tokens = [match.group() for match in _WORD.finditer(text)]
    spans = [match.span() for match in _WORD.finditer(text)]
    stems = [stem(token.lower()) for token in tokens]
    meaning = [place for place, one in enumerate(stems) if one]
    order = list(range(len(meaning)))
    rng.shuffle(order)
    placed: dict[int, str] = {}
    for at in order:
        place = meaning[at]
        token = tokens[place]
        if len(changes) + len(placed) >= most:
            break
        if token in said or token in _KEPT or not token.islower() or len(token) < 4:
            continue
        reading = _read(token, tokens[place - 1].lower() if place else "", lexicon)
        if reading is None:
            continue
        before = [stems[other] for other in meaning[max(0, at - WINDOW) : at]]
        after = [stems[other] for other in meaning[at + 1 : at + 1 + WINDOW]]
        for new in _others(reading, lexicon):
            now = stem(new)
            if not now or now == stems[place]:
                continue
            on_the_left = not before or any(attested.near(left, now) for left in before)
            if on_the_left and (not after or any(attested.near(now, right) for right in after)):
                placed[place] = new if reading.form is None else lexicon.inflect(new, reading.part, reading.form)
                break
    for place in sorted(placed, reverse=True):
        start, end = spans[place]
        text = text[:start] + placed[place] + text[end:]
    changes += [(tokens[place], new) for place, new in sorted(placed.items())]
    return Rewording(_articles(text, [new for _, new in changes]), tuple(changes))


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    """Phrases, and what may stand in their place."""
    lines = resources.files(__package__).joinpath("phrases.txt").read_text(encoding="utf-8").splitlines()
    rows = ([part.strip() for part in line.split("|")] for line in lines if line and not line.startswith("#"))
    return {first: tuple(others) for first, *others in rows}


def _others(reading: _Reading, lexicon: Lexicon) -> list[str]:
    """Other words for it, the nearest in meaning first, none that nobody uses."""
    found = [
        word
        for word in lexicon.synonyms(reading.lemma, reading.part)
        if reading.lemma in lexicon.synonyms(word, reading.part)  # both first mean each other
    ]
    return [word for word in found if " " not in word and lexicon.frequency(word, reading.part) >= 2]


def _read(token: str, before: str, lexicon: Lexicon) -> _Reading | None:
    """What a word is, where its place and its frequency as each part of speech leave no doubt."""
    readings = _readings(lexicon).get(token, ())
    if before in _DETERMINERS:
        readings = tuple(one for one in readings if one.part != "verb")
    elif before in _MODALS:
        readings = tuple(one for one in readings if one.part == "verb")
    counted = sorted(((lexicon.frequency(one.lemma, one.part), one) for one in readings), reverse=True)
    if not counted or (len(counted) > 1 and counted[0][0] < _DOMINANT * max(1, counted[1][0])):
        return None
    return counted[0][1]


@cache
def _readings(lexicon: Lexicon) -> dict[str, tuple[_Reading, ...]]:
    """Every form of every common word, with what it can be."""
    found: dict[str, dict[_Reading, None]] = {}
    for part, forms in _FORMS.items():
        for word in lexicon.words(part):
            if lexicon.frequency(word, part) < 1:
                continue
            found.setdefault(word, {})[_Reading(word, part, None)] = None
            for form in forms:
                found.setdefault(lexicon.inflect(word, part, form), {}).setdefault(_Reading(word, part, form))
    # "published" is past and participle of one verb: one reading is enough, both are written alike as a rule
    return {
        token: tuple({(one.lemma, one.part): one for one in reversed(list(of_token))}.values())
        for token, of_token in found.items()
    }


def _articles(text: str, new: Sequence[str]) -> str:
    """ "a" or "an" before the new words, as they are spoken."""
    for word in new:
        article = Lexicon.article(word)
        for old in ("a", "an", "A", "An"):
            spoken = article.capitalize() if old[0] == "A" else article
            text = put_for(text, f"{old} {word}", f"{spoken} {word}")
    return text


_SUBJECT = "the subject of the page"
_TELLING = 4  # stems at least this rare that must be left over in a task for a name or number to be dropped
_RARE = 0.5  # of the greatest weight that a stem can have
_PARENTHESES = re.compile(r"\([^()]*\)")
_DIVIDER = re.compile(r"\s[-–—|]\s|: ")
_YEAR = re.compile(r"\b(?:in|In) (?:1[5-9]|20)\d\d\b(?!-|–)")


@dataclass(frozen=True)
class HardenReport:
    """What was changed.

    Attributes:
        tasks: how many tasks.
        criteria: how many criteria they have.
        changed: criteria that say anything otherwise than before.
        words: words and phrases replaced.
        names: tasks in which the name of the page was dropped; ``years``: criteria in which a year was.
    """

    tasks: int
    criteria: int
    changed: int
    words: int
    names: int
    years: int


def harden(
    tasks: Sequence[Task],
    pages: Sequence[TextPage],
    *,
    names: bool = True,
    most: int = 4,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Task], HardenReport]:
    """Rewords the criteria of tasks; their gold stays as it is.

    The name of a gold page becomes "the subject of the page", and "in 1911" "in a certain year", where the task's
    criteria keep at least four rare words: what is left must still tell the page apart.

    Args:
        tasks: tasks with criteria.
        pages: the corpus that they are put on, or a fair share of it: what words stand together there.
        names: whether names and years are dropped.
        most: the most words and phrases of a criterion that are replaced.
        seed: of what is drawn.
        progress: told how many tasks of how many are done.

    Raises:
        InvalidArgument: for tasks without criteria, or a corpus without prose.
    """
    if not any(page.sentences for page in pages):
        raise InvalidArgument("harden: the corpus has no prose; its sentences say which words stand together.")
    lexicon, attested, site = Lexicon.load(), Attested(pages), SiteStatistics(pages)
    titles = {page.url: page.title for page in pages}
    made: list[Task] = []
    words = changed = dropped = years = 0
    for number, task in enumerate(tasks):
        if not task.criteria:
            raise InvalidArgument(f"harden: task {task.id!r} has no criteria; expected tasks of Needle in the Web.")
        rng = random.Random(f"{seed} {task.id}")
        criteria = []
        for criterion in task.criteria:
            done = reword(criterion, attested, lexicon, rng, most)
            words += len(done.changes)
            criteria.append(done.text)
        if names:
            title = titles.get(task.gold.urls[0], "") if task.gold.urls else ""
            without = [_without_name(one, title) for one in criteria]
            if without != criteria and _is_telling(without, site):
                criteria, dropped = without, dropped + 1
            for place, one in enumerate(criteria):
                vague = _YEAR.sub(lambda match: f"{match[0][:2]} a certain year", one)
                if vague != one and _is_telling([*criteria[:place], vague, *criteria[place + 1 :]], site):
                    criteria[place], years = vague, years + 1
        changed += sum(new != old for new, old in zip(criteria, task.criteria, strict=True))
        made.append(replace(task, criteria=tuple(criteria), question=render_question(criteria)))
        if progress is not None:
            progress(number + 1, len(tasks))
    return made, HardenReport(len(made), sum(len(task.criteria) for task in made), changed, words, dropped, years)


def _without_name(criterion: str, title: str) -> str:
    """A criterion that does not name its page: the whole title, or what stands before a bracket, dash or colon."""
    whole = _PARENTHESES.sub("", title).strip()
    for name in dict.fromkeys((whole, _DIVIDER.split(whole)[0].strip())):
        if len(name) < 4:
            continue
        text = criterion
        for marked in (f"**{name}**", f"*{name}*", f"_{name}_", f'"{name}"', f"“{name}”", f"‘{name}’", name):
            for written in (f"The {marked}", f"the {marked}", marked):
                text = put_for(text, written, _SUBJECT)
        if text != criterion:
            return text[:1].upper() + text[1:]
    return criterion


def _is_telling(criteria: Sequence[str], site: SiteStatistics) -> bool:
    """Whether criteria keep enough rare words to tell a page apart."""
    greatest = site.weight("")  # of a stem that no page has
    stems = frozenset[str]().union(*map(stems_of, criteria))
    return sum(_RARE * greatest <= site.weight(stem) < greatest for stem in stems) >= _TELLING


def write_official(tasks: Sequence[Task], titles: dict[str, str], folder: Path) -> dict[str, int]:
    """Writes tasks as files ``<site>_<difficulty>.json`` in the official format, without page texts.

    Args:
        tasks: the tasks, each with the tags ``site`` and ``difficulty``.
        titles: of the gold pages, by URL.
        folder: where; made if it is not there.

    Returns:
        How many records each file has.

    Raises:
        InvalidArgument: for a task that lacks a tag.
        DataError: where the folder cannot be written.
    """
    files: dict[str, list[dict[str, object]]] = {}
    for task in tasks:
        site, difficulty = task.tags.get("site", ""), task.tags.get("difficulty", "")
        if not site or difficulty not in DIFFICULTIES:
            raise InvalidArgument(f"task {task.id!r} has no site or difficulty among its tags {dict(task.tags)}.")
        url = task.gold.urls[0]
        record: dict[str, object] = {
            "context": {"title": titles.get(url, ""), "url": url, "content": ""},
            "raw_questions": list(task.criteria),
            "ground_truth": list(task.gold.claims),
            "question": None,
            "id": task.id.rpartition("/")[2],
        }
        files.setdefault(f"{site}_{difficulty}.json", []).append(record)
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in files.items():
        write_atomic(folder / name, json.dumps(records, ensure_ascii=False, indent=1) + "\n")
    return {name: len(records) for name, records in sorted(files.items())}
