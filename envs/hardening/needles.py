"""New needles from any corpus, by rule: statements of a page as claims, one element of each masked, graded.

The steps are those of Needle in the Web (section 3.1): claims, their nearness to the whole page, the three nearest as
easy, the three in the middle as medium, the three farthest as hard, one element of each masked. What a model does there
is done by rules here: a claim is a sentence of the page that stands for itself; nearness is the cosine of weighted
words; a mask follows the element's sort. Approximate: that no other page says the same is checked by words alone.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from webenv.corpora.procedural import Lexicon
from webenv.envs.hardening.statements import SiteStatistics, Statement, TextPage, is_plural, parts_of, stems_of
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, render_question
from webenv.errors import InvalidArgument
from webenv.task import Gold, Task

PER_TASK = 3
"""Criteria of a task."""

_FEWEST_WORDS, _MOST_WORDS = 7, 32
_LEAST_STEMS = 3  # that a masked claim keeps
_SAME = 0.8  # share of a criterion's weight at which another page may say it too
_FEWEST_CLAIMS = 9  # with fewer the levels would overlap
_DANGLING = re.compile(
    r"^(?:It|This|These|Those|That|He|She|They|We|I|You|Its|His|Her|Their|Our|There|Here|However|Also|But|And|Or|So|"
    r"Then|Thus|Therefore|If|When|As|While|Although|Such|Both|Another|Other|Note|See|For example|In addition|Instead)\b"
    r"|\b(?:this|these|those|above|below|following|previous|it|they|them|he|she|him|we|us|you|your|our|former|latter)\b"
    r"|[\[\]{}<>|^=+\\]|https?:|\?|^[(\"'“‘]"
)
_PERSONS = (
    "author|professor|president|minister|actor|actress|singer|writer|founder|player|poet|artist|king|queen|critic|historian|"
    "scholar|senator|judge|architect|composer|painter|novelist|engineer|explorer|journalist|director|philosopher|scientist"
)
_PERSON_BEFORE = re.compile(
    rf"(?:\b(?:Mr|Mrs|Ms|Dr|Sir|President|King|Queen|Professor)\.? |\b(?:{_PERSONS}) "
    r"|\b(?:written|founded|led|directed|composed|painted|described|discovered|invented|designed) by )$"
)
_PERSON_AFTER = re.compile(
    rf"^ (?:said|says|wrote|writes|argued|argues|was born|won|joined|claims|is an? (?:\w+ )?(?:{_PERSONS})\b)"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|may|might|must|should|does|did|became|began|made|took|gave|"
    r"came|went|wrote|won|led|held|kept|[a-z]{3,}ed|[a-z]{3,}s)\b"
)
_ENGLISH_TEXT = "the of and to in a is that for it as with on be are or by not from an was were at which has had"
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_PLACE_BEFORE = re.compile(r"\b(?:in|near|at|from|to|of) $")
_YEAR = re.compile(
    r"\b([Ii]n|[Ss]ince|[Uu]ntil|[Bb]y|[Aa]fter|[Bb]efore) (?:(?:early|late|[A-Z][a-z]+|\d{1,2} [A-Z][a-z]+),? )?"
    r"((?:1[0-9]|20)\d\d)\b"
)
_COUNT = re.compile(
    r"(?<![\w,.])(?:\d[\d,.]*+|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|hundreds of|dozens of) "
    r"(?=[a-z]+s\b)"
)
_MANNER = re.compile(r"\bby [a-z]+ing [^,.;]+(?=[,.;]|$)")
_REASON = re.compile(r"\b(?:because of|due to|owing to|because) [^,.;]+(?=[,.;]|$)")
_DESCRIBED = re.compile(r"\b([Aa]n?) ((?:[a-z]+(?:-[a-z]+)? ){1,3})(?=[a-z]{4,}\b)")


class MaskedStatement(NamedTuple):
    """A sentence of a page, and the same with one element masked."""

    text: str
    criterion: str
    masked: str
    nearness: float


@dataclass
class DraftReport:
    """What came of the pages.

    Attributes:
        pages: that were read.
        tasks: that were made, three of a page.
        left_out: pages of which none was made, by reason.
    """

    pages: int = 0
    tasks: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


def draft_needles(
    pages: Sequence[TextPage],
    per_site: int = 35,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Task], DraftReport]:
    """Tasks of all three levels for pages of a corpus.

    Args:
        pages: the corpus, whole: other pages are looked through for the same statements.
        per_site: the most pages of a site that get tasks, drawn evenly.
        seed: of what is drawn.
        progress: told how many pages of how many are done.

    Returns:
        Tasks called ``<host>_<difficulty>/<number>``, three of a page; and what was left out.

    Raises:
        InvalidArgument: for a corpus without prose.
    """
    if not any(page.sentences for page in pages):
        raise InvalidArgument("needles: the corpus has no prose; claims are sentences of its pages.")
    statistics = SiteStatistics(pages)
    by_site: dict[str, list[TextPage]] = {}
    for page in pages:
        by_site.setdefault(urlsplit(page.url).netloc.lower(), []).append(page)
    tasks: list[Task] = []
    report = DraftReport()
    total = sum(min(per_site, len(of_site)) for of_site in by_site.values())
    for host, of_site in sorted(by_site.items()):
        order = list(of_site)
        random.Random(f"{seed} {host}").shuffle(order)
        made = 0
        for page in order:
            if made == per_site:
                break
            claims = _claims(page, statistics, random.Random(f"{seed} {page.url}"))
            report.pages += 1
            chosen = _levels(claims)
            if not chosen:
                report.left_out[f"fewer than {_FEWEST_CLAIMS} sentences that stand alone"] += 1
                continue
            made += 1
            for difficulty, of_level in zip(DIFFICULTIES, chosen, strict=True):
                tasks.append(_task(host, difficulty, made - 1, page, of_level))
            if progress is not None:
                progress(min(total, len(tasks) // len(DIFFICULTIES)), total)
    report.tasks = len(tasks)
    return tasks, report


def _task(host: str, difficulty: str, number: int, page: TextPage, claims: Sequence[MaskedStatement]) -> Task:
    criteria = tuple(claim.criterion for claim in claims)
    return Task(
        id=f"{host}_{difficulty}/{number}",
        question=render_question(criteria),
        criteria=criteria,
        gold=Gold(urls=(page.url,), claims=tuple(claim.text for claim in claims)),
        tags={"site": host, "difficulty": difficulty},
    )


def _levels(claims: Sequence[MaskedStatement]) -> list[list[MaskedStatement]]:
    """The three nearest claims, the three in the middle, the three farthest; empty where they would overlap.

    No masked element stands in another criterion of its task.
    """
    if len(claims) < _FEWEST_CLAIMS:
        return []
    ordered = sorted(claims, key=lambda claim: (-claim.nearness, claim.text))
    middle = len(ordered) // 2
    from_middle = sorted(range(len(ordered)), key=lambda place: (abs(place - middle), place))
    taken: set[str] = set()
    levels: list[list[MaskedStatement]] = []
    for order in (range(len(ordered)), reversed(range(len(ordered))), from_middle):
        level: list[MaskedStatement] = []
        for place in order:
            claim = ordered[place]
            if claim.text in taken or any(_tells(claim, other) or _tells(other, claim) for other in level):
                continue
            level.append(claim)
            if len(level) == PER_TASK:
                break
        if len(level) < PER_TASK:
            return []
        taken.update(claim.text for claim in level)
        levels.append(level)
    easy, hard, medium = levels
    return [easy, medium, hard]


def _tells(claim: MaskedStatement, other: MaskedStatement) -> bool:
    return claim.masked.lower() in other.criterion.lower()


def _claims(page: TextPage, statistics: SiteStatistics, rng: random.Random) -> list[MaskedStatement]:
    whole = Counter(stem for sentence in page.sentences for stem in sentence.stems)
    norm = math.sqrt(sum((count * statistics.weight(stem)) ** 2 for stem, count in whole.items()))
    found: list[MaskedStatement] = []
    for sentence in page.sentences:
        if not _stands_alone(sentence):
            continue
        masks = list(_masks(sentence.text))
        rng.shuffle(masks)
        for criterion, masked in masks:
            stems = stems_of(criterion) & sentence.stems  # of the page, without the mask's own
            if len(stems) >= _LEAST_STEMS and not _said_elsewhere(stems, page, statistics):
                dot = sum(whole[stem] * statistics.weight(stem) ** 2 for stem in sentence.stems)
                own = math.sqrt(sum(statistics.weight(stem) ** 2 for stem in sentence.stems))
                found.append(
                    MaskedStatement(sentence.text, criterion, masked, dot / (norm * own) if norm * own else 0.0)
                )
                break
    return found


def _stands_alone(sentence: Statement) -> bool:
    """Whether a sentence says what it is about: no pronoun or pointer, nothing of code or notes."""
    words = sentence.text.split()
    return (
        sentence.prose
        and _FEWEST_WORDS <= len(words) <= _MOST_WORDS
        and sum(word in _ENGLISH for word in words) >= max(2, len(words) // 6)
        and bool(_FINITE.search(sentence.text))
        and not _DANGLING.search(sentence.text)
    )


def _said_elsewhere(stems: frozenset[str], page: TextPage, statistics: SiteStatistics) -> bool:
    weights = statistics.weights(stems)
    rarest = sorted(weights, key=lambda stem: (-weights[stem], stem))[:2]
    for stem in rarest:
        for number, place in statistics.holders.get(stem, ()):
            other = statistics.pages[number]
            if other.url != page.url and statistics.share(stems, other.sentences[place].stems) >= _SAME:
                return True
    return False


def _masks(text: str) -> Iterator[tuple[str, str]]:
    """A sentence with one element masked, in each way that a rule knows, and the element."""
    for match in _YEAR.finditer(text):
        word, only_year = match[1].lower(), match[0].count(" ") == 1
        when = f"{word} a certain year" if only_year else f"{'at' if word == 'in' else word} a certain time"
        yield _put(text, match.start(), match.end(), when), match[2]
    for match in _COUNT.finditer(text):
        counted = re.match(r"[a-z]+", text[match.end() :])
        if counted and is_plural(counted[0]):
            yield _put(text, match.start(), match.end(), "a certain number of "), match[0].strip()
    for pattern, words in ((_MANNER, "in a certain way"), (_REASON, "for a certain reason")):
        for match in pattern.finditer(text):
            yield _put(text, match.start(), match.end(), words), match[0]
    for part in parts_of(text):
        if part.sort[0] == "name":
            before, after = text[: part.start], text[part.end :]
            if _PERSON_BEFORE.search(before) or _PERSON_AFTER.search(after):
                yield _put(text, part.start, part.end, "someone"), part.text
            elif _PLACE_BEFORE.search(before) and after[:1] in ".,;" and part.sort[1] == "one":
                yield _put(text, part.start, part.end, "something"), part.text
    lexicon = Lexicon.load()
    for match in _DESCRIBED.finditer(text):
        described = match[2].split()
        if all(lexicon.frequency(word, "adjective") > 2 * lexicon.frequency(word, "noun") for word in described):
            yield _put(text, match.start(), match.end(), "a certain kind of "), match[2].strip()


def _put(text: str, start: int, end: int, mask: str) -> str:
    written = text[:start] + mask + text[end:]
    return written[:1].upper() + written[1:]
