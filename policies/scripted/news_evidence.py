"""What pages and snippets say of the news, which events they report, and how well it answers a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

from webenv.actions import Kind
from webenv.policies.scripted.news_questions import Told
from webenv.policies.scripted.news_text import NOUNS, Mention, event_kinds, mentions, senses
from webenv.policies.scripted.reading import sentences, stem, stems, tokens
from webenv.policy import History

Event = tuple[str, str]
"""Place and day, as in ("Glailad", "12 April 2023")."""

_OPENING = 4  # sentences that may say where and when
_QUOTED = re.compile(r"“[^”]*+(?:”|\Z)")  # up to the last closing mark: many opening ones would all look for it
_OLD_VERSION = re.compile(
    r"\b(?:superseded|version of|has been changed since|out of date|old version)\b", re.IGNORECASE
)
_PHRASE = re.compile(r'"([^"]+)"')
_LATER = re.compile(
    r"\b(?:again|sequel|update|updated|addition|follow-?up|followed|went on|become of|not forgotten|some time since|"
    r"(?:days|weeks|months) (?:later|after|ago|on)|corrected|revised)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"^https?://[^/]+/([^/?#]+)")


@dataclass(slots=True)
class NewsSource:
    """A page, as far as it was shown.

    Attributes:
        url: its address.
        title: its title.
        snippets: what searches showed of it.
        text: the whole of it, where it was visited; else empty.
        read: whether it was visited.
        score: how well it did in searches: the sum over them of 1 / (10 + rank).
        latest: the number of the last search that found it, from 1.
        holds: the phrases in quotation marks of the queries that found it, in lower case: it has them somewhere.
    """

    url: str
    title: str = ""
    snippets: list[str] = field(default_factory=list)
    text: str = ""
    read: bool = False
    score: float = 0.0
    latest: int = 0
    holds: set[str] = field(default_factory=set)
    _sentences: list[str] | None = None
    _event: Event | Literal[False] | None = False

    @property
    def sentences(self) -> list[str]:
        """The sentences that are known of it, without what they quote."""
        if self._sentences is None:
            shown = [self.text] if self.read else self.snippets
            found = (one for text in shown for one in sentences(_without_quotations(text)))
            self._sentences = list(dict.fromkeys(one.strip() for one in found if one.strip()))
        return self._sentences

    @property
    def stale(self) -> bool:
        """Whether it says that it is no longer the current page."""
        return bool(_OLD_VERSION.search(self.title) or _OLD_VERSION.search(" ".join(self.sentences[:2])))

    @property
    def later(self) -> bool:
        """Whether it opens as a report that follows up on earlier ones."""
        return bool(_LATER.search(" ".join(self.sentences[:2])))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of event that its title, address and opening name."""
        path = _PATH.match(self.url)
        opening = " ".join(self.sentences[:2]) if self.read else ""
        return event_kinds(f"{self.title} {path[1].replace('-', ' ') if path else ''} {opening}")

    def event(self) -> Event | None:
        """Place and day of the event that it is about; ``None`` where it does not say, as far as it is known."""
        if self._event is not False:
            return self._event
        self._event = None
        titled = [m for m in mentions(self.title) if m.sort == "place"]
        for text in (self.title, *(self.sentences[:_OPENING] if self.read else self.sentences)):
            found = mentions(text)
            day = next((m.text for m in found if m.sort == "day"), "")
            if day:
                places = Counter({m.text: 2 - m.first for m in titled if stem(m.text.lower()) not in NOUNS})
                if text is not self.title:
                    places.update({m.text: 2 - m.first for m in found if m.sort == "place"})
                self._event = (max(places, key=lambda name: places[name], default=""), day)
                break
        return self._event

    def about(self, event: Event) -> float:
        """How surely it is about an event, 0 to 1: by its place and its day, in the title or where it opens."""
        place, day = event
        shown = " ".join(self.sentences[:_OPENING] if self.read else self.sentences)
        known = f"{self.title} {shown}"
        dated = any(m.sort == "day" and m.text == day for m in mentions(known))
        placed = _has_name(place, known)
        if dated and placed:
            return 1.0
        if self.read:
            return 0.0
        return 0.5 if placed and _has_name(place, self.title) and not self.event() else 0.0

    def tells(self, told: Told) -> bool:
        """Whether it may be about an event of these kinds, of this year where it has a day."""
        event = self.event()
        if told.year and event and not event[1].endswith(told.year):
            return False
        return not told.kinds or bool(told.kinds & self.kinds)

    def has(self, name: str) -> bool:
        """Whether it names somebody, as far as is known."""
        return name.lower() in self.holds or bool(self.naming(name))

    def naming(self, name: str) -> list[str]:
        return [one for one in self.sentences if _has_name(name, one)]


class NewsSources:
    """All that an episode has shown, page by page, in the order of first sight."""

    def __init__(self, history: History) -> None:
        self.by_url: dict[str, NewsSource] = {}
        self.queries: list[str] = []
        for decision, observation in zip(history.decisions, history.observations[1:], strict=True):
            queries = decision.action.arguments if decision.action.kind == Kind.SEARCH else ()
            self.queries += queries
            for place, result in enumerate(observation["results"]):
                source = self._source(result["url"])
                source.title = result["title"]
                source.snippets.append(result["snippet"])
                source.latest = len(self.queries)
                source.score += 1 / (11 + place % 10)
                if len(queries) == 1:
                    source.holds.update(phrase.lower() for phrase in _PHRASE.findall(queries[0]))
            for page in observation["pages"]:
                source = self._source(page["url"])
                source.title, source.text, source.read = page["title"], page["text"], True

    def __iter__(self) -> Iterator[NewsSource]:
        return iter(self.by_url.values())

    def _source(self, url: str) -> NewsSource:
        return self.by_url.setdefault(url, NewsSource(url))

    @property
    def years(self) -> list[str]:
        """The years of the days that titles and openings name."""
        return sorted({event[1].rpartition(" ")[2] for one in self if (event := one.event())})

    @property
    def unread(self) -> list[NewsSource]:
        """The pages that were not visited, those first that did best in searches."""
        return sorted((one for one in self.by_url.values() if not one.read), key=lambda one: -one.score)


def _has_name(name: str, text: str) -> bool:
    return bool(name) and name.lower() in text.lower()


def _without_quotations(text: str) -> str:
    end = text.rfind("”") + 1
    return _QUOTED.sub("“”", text[:end]) + text[end:]


_SORT = 0.1  # how much it counts that a mention is of the sort that is asked
_SAME = 0.5  # what a word counts beside its senses
_UNIT = 0.4  # that a number counts what is asked
_UNSURE = 0.4  # what a name is worth that may be none, or none of its sort
_STALE = 0.3  # what the word of an old version is worth
_LATE = 1.5  # what that of a later report is
_FORMER = re.compile(r"^(?:at first|initially|originally|earlier reports|it had been)\b", re.IGNORECASE)
_PLAIN = frozenset(
    stem(word)
    for word in tokens(
        "also answer came come day did do done first get go got had happen have held how made make many much "
        "name new news number one organisation organization body company person people place said say set sum "
        "take taken took what when where which who whom year years"
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


class AnswerCandidate(NamedTuple):
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
    cue: Cue, sources: Iterable[tuple[NewsSource, float]], without: Sequence[str] = (), holding: str = ""
) -> list[AnswerCandidate]:
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
    ranked = [AnswerCandidate(texts[key], sum(pages.values()), len(pages)) for key, pages in found.items()]
    return sorted(ranked, key=lambda one: -one.score)


def _key(text: str) -> str:
    return " ".join(text.lower().removeprefix("the ").split())
