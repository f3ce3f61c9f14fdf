"""Where pages say that what they tell of is: what tells things of one name apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from webenv.policies.hierarchical.names import bare, is_month, name_at
from webenv.policies.hierarchical.pages import links_of, pattern, sentences, without_links

_IN = re.compile(
    r"\b(?:in|from|of|at|near|outside|around|to|is) (?:the (?:[a-z]+ ){1,3}(?:of|area of) )?(?=[^\W\d_a-z])"
)
_NEXT = re.compile(r",? (?:an? [a-z]+ (?:in|of) |in (?:the [a-z]+ of )?|\()?(?=[^\W\d_a-z])")
_DATELINE = re.compile(r"^([^\W\d_a-z][^a-z–—]+), [^–—]{4,24} [–—] ")
_OURS = re.compile(r"\b(?:we|us|our|home|[Ww]elcome)\b")
_HOME = re.compile(r"\b(?:home|us|place) (?:is )?(?:in )?(?=[^\W\d_a-z])|(?<=·) in (?=[^\W\d_a-z])|\bhome (?:in|is) ")
_LINES = 10  # of a page, that may say where its subject is


def place_of(name: str, kind: str, text: str, towns: Collection[str] = ()) -> str:
    """Where a page says that something is: where it says what it is, else by the town before a report, else in another
    sentence about it that names one of the places that are known (``towns``).

    >>> place_of("Rye Mill", "mill", "Rain. Rye Mill is a mill in the town of Hay, Ayshire.")
    'Hay, Ayshire'
    >>> place_of("Rye Mill", "mill", "You will find us in Hay, a town in Ayshire.", ("Hay",))
    'Hay, Ayshire'
    >>> place_of("Rye Mill", "mill", "OLD HAY, 4 May 1950 – Rye Mill is sold.")
    'Old Hay'
    """
    lines = [one for one in text.splitlines() if one.strip() and not one.startswith(("|", "#", "- ", ">"))]
    told = [one.replace(bare(name), "·") for line in lines for one in sentences(without_links(line))]
    is_one = pattern(
        rf"·(?: \([^()]*\))?[,:]?(?: (?:is|was|remains|we are|–))? an? (?:[\w-]+,? ){{1,5}}?"
        rf"(?:in|from|of|at|near|outside|on) |\b{re.escape(kind)} (?:in|of|near) "
    )
    for sentence in told:
        found = is_one.search(sentence)
        place = next(_places(sentence[found.start() :]), "") if found and "·" in sentence else ""
        place = "" if "·" in place else place
        if place:
            return place
    town = dateline(lines)
    if town:
        return town
    for sentence in told[: 2 * _LINES]:
        ours = _HOME.search(sentence)
        place = next(_places(sentence[ours.start() :]), "") if ours else ""
        if place and "·" not in place:
            return place
        if "·" in sentence or kind in sentence.casefold() or _OURS.search(sentence):
            known = (one for one in _places(sentence) if one.partition(", ")[0] in towns)
            placed = next(known, "") or next((one for one in towns if f"·, {one}" in sentence), "")
            if placed:
                return placed
    return ""


def _places(sentence: str) -> Iterator[str]:
    """The places of a sentence about something: "Hay, Ayshire", of "a mill in Hay, a town in Ayshire"."""
    for found in _IN.finditer(sentence):
        rest = sentence[found.end() :]
        first = name_at(rest).partition(" on ")[0]
        if not first or is_month(first):
            continue
        following = _NEXT.match(rest, len(first))
        second = name_at(rest[following.end() :]) if following and following[0].strip() else ""
        yield f"{first}, {second}" if second and not is_month(second) else first


def town_in(sentence: str) -> str:
    """The place in which a sentence says a town to lie."""
    return next(_places(sentence), "")


def dateline(lines: Iterable[str]) -> str:
    """The town before a report, as its name is written elsewhere."""
    for line in lines:
        found = _DATELINE.match(line)
        if found:
            return " ".join(word.capitalize() for word in found[1].split())
    return ""


def address_of(name: str, text: str) -> str:
    """The address that a page links a name to; empty where it links it to none."""
    return next((url for words, url in links_of(text) if bare(words) == bare(name)), "")


ELSEWHERE = "!"
"""What the home of something begins with that is in none of the places asked."""


class Atlas:
    """Which of the places that pages name lie where the question asks, and which elsewhere.

    Args:
        asked: the places that the question names.
        within: smaller ones that are known to lie in these: of each, in which.
    """

    def __init__(self, asked: Collection[str], within: dict[str, str]) -> None:
        self._asked, self._within = asked, within
        self._parts: dict[str, set[str]] = {}  # of each larger place, those that pages say to lie in it
        self._larger: dict[str, set[str]] = {}

    def learn(self, place: str) -> None:
        """Takes note of a place that a page says to lie in another one."""
        first, _, second = place.removeprefix("~").partition(", ")
        if first and ":" not in first:
            self._larger.setdefault(first, set())
        if second:
            self._parts.setdefault(second, set()).add(first)
            self._larger.setdefault(first, set()).add(second)

    def home(self, place: str) -> str | None:
        """Where something is: of the places asked as ``Ayshire/Hay`` or ``Ayshire/``, elsewhere as ``!Beeland/Rye``;
        ``None``: that is not said."""
        parts = place.removeprefix("~").split(", ") if place else []
        county = next((one for one in parts if one in self._asked), "")
        town = next((one for one in parts if one in self._within), "")
        if town and not county and self.is_shared(town):
            elsewhere = next((one for one in parts[1:] if one in self._larger[town] and not self._holds_asked(one)), "")
            return f"{ELSEWHERE}{elsewhere}/{town}" if elsewhere else None
        if county or town:
            return f"{county or self._within[town]}/{town or (parts[0] if parts[0] != county else '')}"
        around = [*parts[1:], *sorted(self._larger.get(parts[0], ()) if parts else ())]
        around += [one for one in parts[:1] if one in self._parts]
        other = next((one for one in around if not self._holds_asked(one)), "")
        return f"{ELSEWHERE}{other}/{parts[0] if parts[0] != other else ''}" if other else None

    def is_shared(self, town: str) -> bool:
        """Whether pages say towns of one name to lie in several places, so that the name alone places nothing."""
        larger = {one for one in self._larger.get(town, ()) if one in self._asked or not self._holds_asked(one)}
        return len(larger | {self._within[town]} if town in self._within else larger) > 1

    def unplaced(self) -> tuple[str, ...]:
        """The smaller places of which pages say no more than that they lie in a country of places asked."""
        small = (one for one in self._larger if one not in self._asked and one not in self._parts)
        return tuple(one for one in small if self.home(one) is None)

    def _holds_asked(self, larger: str) -> bool:
        """Whether a place is as large as to have places asked in it: that something lies there says little. A
        namesake of a smaller one makes it none."""
        parts = self._parts.get(larger, set())
        return any(one in self._asked for one in parts) or 2 * sum(one in self._within for one in parts) >= max(
            1, len(parts)
        )
