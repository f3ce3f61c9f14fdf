"""Criteria in other words: common phrases by others, and WordNet's synonyms where the corpus itself uses them so.

A word is replaced only by one whose commonest meaning is its own, put into the same form; and only where the corpus has
the new word near neighbours of the old one in the sentence, on either side (within ``WINDOW`` words). That attestation
is what keeps "a broad assortment of depository" out: a thesaurus alone takes no notice of which meaning is meant.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from typing import NamedTuple
from zlib import crc32

import numpy as np

from webenv.corpora.procedural import Form, Lexicon, PartOfSpeech
from webenv.corpora.query import stem
from webenv.envs.hardening.statements import TextPage, put_for

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
