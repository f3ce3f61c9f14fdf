"""Evidence: which names, days and figures the sentences of pages offer as an answer, and how well they fit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.news.mentions import Mention, mentions
from webenv.policies.news.senses import NOUNS, senses
from webenv.policies.news.sources import Source
from webenv.policies.reading import stem, stems, tokens

_SORT = 0.1  # how much it counts that a mention is of the sort that is asked
_SAME = 0.5  # what a word counts beside its senses
_UNIT = 0.4  # that a number counts what is asked
_UNSURE = 0.4  # what a name is worth that may be none, or none of its sort
_STALE = 0.3  # what the word of an old version is worth
_LATE = 1.5  # what that of a later report is
_FORMER = re.compile(r"^(?:at first|initially|originally|earlier reports|it had been)\b", re.IGNORECASE)
_PLAIN = frozenset(
    map(
        stem,
        re.findall(
            r"[\w-]+",
            "also answer came come day did do done first get go got had happen have held how made make many much "
            "name new news number one organisation organization body company person people place said say set sum "
            "take taken took what when where which who whom year years",
        ),
    )
)


class Cue(NamedTuple):
    """What a sentence should speak of.

    Attributes:
        sort: of what is sought, as in :class:`Mention`; empty: any.
        stems: of the words that say it.
        unit: what a number counts, as a stem; empty where it is not said.
        year: the year that the sentence should name; empty where none is asked.
    """

    sort: str
    stems: frozenset[str]
    unit: str = ""
    year: str = ""


class Candidate(NamedTuple):
    """A possible answer: its text, how well it fits, and how many pages have it."""

    text: str
    score: float
    pages: int


def cue_of(sort: str, text: str, unit: str = "", year: str = "", keep: bool = False) -> Cue:
    """The cue of some words of a question; names and, unless kept, the nouns of events are left out."""
    plain = text
    for mention in sorted(mentions(text), key=lambda m: -m.start):
        if mention.sort in ("person", "body", "place", "day", "year"):
            plain = plain[: mention.start] + " " + plain[mention.end :]
    found = stems(plain) - _PLAIN
    if not keep:
        found -= NOUNS
    return Cue(sort, frozenset(found), unit, year)


def fit(cue: Cue, mention: Mention, sentence: str) -> float:
    """How well a mention in a sentence fits a cue; 0 where it cannot be meant."""
    if cue.sort and mention.sort != cue.sort:
        return 0.0
    if cue.year and not any(m.sort == "year" and m.text == cue.year for m in mentions(sentence)):
        return 0.0
    if _FORMER.match(sentence):
        return 0.0
    score = _SORT + said(cue, sentence)
    if mention.sort in ("number", "money") and cue.unit and mention.unit:
        form = stem(mention.unit)
        if form == cue.unit:
            score += _UNIT
        elif senses(form) & senses(cue.unit):
            score += _UNIT / 2
    if mention.first or (mention.sort == "body" and not mention.unit):
        score *= _UNSURE
    return score


def said(cue: Cue, sentence: str) -> float:
    """How far a sentence speaks of what a cue does, 0 to 1: the cosine of their words and senses."""
    one, other = _profile(cue.stems), _profile(frozenset(map(stem, tokens(sentence))) - _PLAIN)
    shared = sum(weight * other.get(name, 0.0) for name, weight in one.items())
    return shared / math.sqrt(_square(one) * _square(other)) if shared else 0.0


@lru_cache(maxsize=65_536)
def _profile(forms: frozenset[str]) -> dict[str, float]:
    """The stems of known sense and their senses, each with its weight."""
    found: dict[str, float] = {}
    for form in sorted(forms):
        meant = senses(form)
        for sense in sorted(meant):
            found[sense] = found.get(sense, 0.0) + 1 / len(meant)
        if meant:
            found[f"={form}"] = _SAME
    return found


def _square(profile: dict[str, float]) -> float:
    return sum(weight * weight for weight in profile.values())


def weigh(
    cue: Cue, sources: Iterable[tuple[Source, float]], without: Sequence[str] = (), holding: str = ""
) -> list[Candidate]:
    """The candidates that sources offer, best first.

    Args:
        cue: what is sought.
        sources: pages, each with how surely it is about the right thing, 0 to 1.
        without: names, days and figures that cannot be meant, as the question names them.
        holding: a name that a sentence must hold, unless it is the title of the page.
    """
    known = {_key(text) for text in without}
    found: dict[str, dict[str, float]] = {}
    texts: dict[str, str] = {}
    for source, sure in sources:
        trust = _STALE if source.stale else _LATE if source.later else 1.0
        own = bool(holding) and _key(source.title) == _key(holding)
        for sentence in source.sentences:
            if holding and not own and holding.lower() not in sentence.lower():
                continue
            for mention in mentions(sentence):
                key = _key(mention.text)
                if key in known:
                    continue
                value = fit(cue, mention, sentence) * sure * trust
                if value > 0:
                    pages = found.setdefault(key, {})
                    texts.setdefault(key, mention.text)
                    pages[source.url] = max(pages.get(source.url, 0.0), value)
    ranked = [Candidate(texts[key], sum(pages.values()), len(pages)) for key, pages in found.items()]
    return sorted(ranked, key=lambda one: -one.score)


def _key(text: str) -> str:
    return " ".join(text.lower().removeprefix("the ").split())
