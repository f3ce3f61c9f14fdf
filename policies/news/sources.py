"""Sources: what an episode has shown of each page, and which event it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from webenv.actions import Kind
from webenv.policies.news.mentions import mentions
from webenv.policies.news.question import Told
from webenv.policies.news.senses import NOUNS, event_kinds
from webenv.policies.reading import sentences, stem
from webenv.policy import History

Event = tuple[str, str]
"""Place and day, as in ("Glailad", "12 April 2023")."""

_OPENING = 4  # sentences that may say where and when
_QUOTED = re.compile(r"“[^”]*+(?:”|\Z)")  # up to the last closing mark: many opening ones would all look for it
_STALE = re.compile(r"\b(?:superseded|version of|has been changed since|out of date|old version)\b", re.IGNORECASE)
_PHRASE = re.compile(r'"([^"]+)"')
_LATER = re.compile(
    r"\b(?:again|sequel|update|updated|addition|follow-?up|followed|went on|become of|not forgotten|some time since|"
    r"(?:days|weeks|months) (?:later|after|ago|on)|corrected|revised)\b",
    re.IGNORECASE,
)
_PATH = re.compile(r"^https?://[^/]+/([^/?#]+)")


@dataclass(slots=True)
class Source:
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
        return bool(_STALE.search(self.title) or _STALE.search(" ".join(self.sentences[:2])))

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
        placed = _names(place, known)
        if dated and placed:
            return 1.0
        if self.read:
            return 0.0
        return 0.5 if placed and _names(place, self.title) and not self.event() else 0.0

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
        """The sentences that hold a name."""
        return [one for one in self.sentences if _names(name, one)]


class Sources:
    """All that an episode has shown, page by page, in the order of first sight."""

    def __init__(self, history: History) -> None:
        self.by_url: dict[str, Source] = {}
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

    def __iter__(self) -> Iterator[Source]:
        return iter(self.by_url.values())

    def _source(self, url: str) -> Source:
        return self.by_url.setdefault(url, Source(url))

    @property
    def years(self) -> list[str]:
        """The years of the days that titles and openings name."""
        return sorted({event[1].rpartition(" ")[2] for one in self if (event := one.event())})

    @property
    def unread(self) -> list[Source]:
        """The pages that were not visited, those first that did best in searches."""
        return sorted((one for one in self.by_url.values() if not one.read), key=lambda one: -one.score)


def _names(name: str, text: str) -> bool:
    return bool(name) and name.lower() in text.lower()


def _without_quotations(text: str) -> str:
    end = text.rfind("”") + 1
    return _QUOTED.sub("“”", text[:end]) + text[end:]
