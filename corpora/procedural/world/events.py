"""Events in the news: what happened, how it became known, and who reports which part of it."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache

from webenv.corpora.procedural.rng import FastRng, Rng
from webenv.corpora.procedural.world.facts import EVENTS, NAMED, Fact, Value
from webenv.corpora.procedural.world.sites import Website, topic_of
from webenv.corpora.procedural.world.templates import NOTHING, Attribute, Template, day_value, templates
from webenv.corpora.procedural.world.world import World

AT_FIRST = Value("stage", "at first")
"""The qualifier of a value that is told as what had been believed before."""

BLOCK = 11
"""Reports of two events: 4 and 7, or 5 and 6."""

_FIRST = datetime.date(2023, 1, 1).toordinal()
_DAYS = datetime.date(2025, 9, 30).toordinal() - _FIRST
_SPREAD = {"wide": 0.62, "some": 0.36}
_MOST = 6  # details in a report, of eight
_CHANGES = 3  # details of an event that change
_LEANINGS = {"news2": ("person", "count"), "news3": ("money", "org")}


@dataclass(frozen=True, slots=True)
class State:
    """A value of a detail, and the day (its ordinal) from which it holds."""

    value: Value
    since: int


@dataclass(frozen=True, slots=True)
class Detail:
    """One typed detail of an event: an attribute and its values over time, the last of which is true today."""

    attribute: Attribute
    states: tuple[State, ...]

    def at(self, day: int) -> Value | None:
        """The value on a day; ``None`` while it is not known."""
        held = [state.value for state in self.states if state.since <= day]
        return held[-1] if held else None


@dataclass(frozen=True, slots=True)
class NewsReport:
    """A report of an event.

    Attributes:
        site: the outlet.
        day: when it appeared, as an ordinal.
        later: whether it is a follow-up.
        details: which details it states, as places in the event's, in order.
        wrong: the detail that it gets wrong, −1 where there is none.
        mistake: what it states in its place.
        recalls: the details of which it also tells what had been believed at first.
    """

    site: Website
    day: int
    later: bool
    details: tuple[int, ...]
    wrong: int = -1
    mistake: Value = NOTHING
    recalls: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NewsEvent:
    """Something that happened on a day at a place.

    Attributes:
        number: which event of the world.
        template: its kind.
        place: where.
        day: when, as an ordinal.
        details: eight, beside place and day.
        reports: four to seven, in the order of their days.
    """

    number: int
    template: Template
    place: Value
    day: int
    details: tuple[Detail, ...]
    reports: tuple[NewsReport, ...]

    @property
    def subject(self) -> int:
        """Its number as the subject of facts."""
        return EVENTS + self.number

    @property
    def names(self) -> tuple[str, ...]:
        """What it is called: "fire", "blaze"."""
        return tuple(name.strip() for name in self.template.names[0].split(","))

    def fact(self, relation: str, value: Value, qualifier: Value = NOTHING, confidence: float = 1.0) -> Fact:
        """A fact about it."""
        return Fact(self.subject, self.template.kind, relation, value, qualifier, confidence)

    @property
    def frame(self) -> tuple[Fact, Fact]:
        """Where and when: what every page about it states."""
        kind = self.template.kind
        return self.fact(f"{kind}.place", self.place), self.fact(
            f"{kind}.day", day_value(self.day, self.template.language)
        )

    def stated(self, report: NewsReport) -> tuple[Fact, ...]:
        """The facts that a report states."""
        found = list(self.frame)
        for place in report.details:
            detail = self.details[place]
            relation = detail.attribute.name
            if place == report.wrong:
                found.append(self.fact(relation, report.mistake, confidence=0.3))
                continue
            value = detail.at(report.day)
            if value is not None:
                found.append(self.fact(relation, value))
            if place in report.recalls:
                found.append(self.fact(relation, detail.states[0].value, AT_FIRST))
        return tuple(found)

    def known(self, day: int, places: tuple[int, ...]) -> tuple[Fact, ...]:
        """The facts of some details as they stood on a day."""
        values = ((self.details[place].attribute.name, self.details[place].at(day)) for place in places)
        return (*self.frame, *(self.fact(name, value) for name, value in values if value is not None))


class Newsroom:
    """The events of a world; each can be made alone, in any order.

    Args:
        world: whose events.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._outlets = tuple(site for site in world.sites if site.type == "news")
        self.event = lru_cache(maxsize=256)(self._event)

    def template(self, number: int) -> Template:
        """The kind of an event: kinds take turns."""
        known = templates("news", self._world.language)
        return known[number % len(known)]

    def reports(self, number: int) -> int:
        """How many reports an event has."""
        first = FastRng(*self._world.seed, "event block", number // 2).between(4, 7)
        return first if number % 2 == 0 else BLOCK - first

    def start(self, number: int) -> int:
        """The place of an event's first report among all reports."""
        block, second = divmod(number, 2)
        return block * BLOCK + (self.reports(number - 1) if second else 0)

    def at(self, place: int) -> tuple[NewsEvent, int]:
        """The event of the report at a place among all reports, and which of its reports that is."""
        block, offset = divmod(place, BLOCK)
        first = self.reports(2 * block)
        return (self.event(2 * block), offset) if offset < first else (self.event(2 * block + 1), offset - first)

    def _event(self, number: int) -> NewsEvent:
        rng = Rng(*self._world.seed, "event", number)
        template = self.template(number)
        place = self._world.entity("place", rng).value
        day = _FIRST + rng.below(_DAYS)
        count = self.reports(number)
        later = max(1, count - min(len(self._outlets), 6), rng.between(1, count - 3))
        days = [day + rng.between(0, 2) for _ in range(count - later)]
        follow = day + 3
        for _ in range(later):
            follow += rng.between(3, 16)
            days.append(follow)
        days[: count - later] = sorted(days[: count - later])
        details = self._details(template, day, days[count - later :], place, rng)
        reports = self._reports(template, details, days, count - later, rng)
        return NewsEvent(number, template, place, day, details, reports)

    # ── what happened ─────────────────────────────────────────────────────────

    def _details(self, template: Template, day: int, later: list[int], place: Value, rng: Rng) -> tuple[Detail, ...]:
        taken = {place.text}
        changing = [a.name for a in template.attributes if a.change in ("rises", "falls", "moved", "replaced")]
        chosen = set(rng.sample(changing, rng.between(1, _CHANGES)))
        return tuple(
            self._detail(attribute, day, later, attribute.name in chosen, taken, rng)
            for attribute in template.attributes
        )

    def _detail(
        self, attribute: Attribute, day: int, later: list[int], changes: bool, taken: set[str], rng: Rng
    ) -> Detail:
        first = day if attribute.change != "late" else rng.pick(later)
        times = [first]
        if changes:
            times += sorted(rng.sample(later, rng.between(1, 2)))
        values: list[Value] = []
        for time in times:
            values.append(self._value(attribute, values, max(later) if attribute.type == "day" else time, taken, rng))
        return Detail(attribute, tuple(map(State, values, times)))

    def _value(self, attribute: Attribute, before: list[Value], day: int, taken: set[str], rng: Rng) -> Value:
        if attribute.type == "day":
            start = before[-1].number if before else day
            return day_value(start + rng.between(6, 150 if not before else 60), self._world.language)
        if attribute.type in NAMED:
            value = self._world.entity(attribute.type, rng).value
            while value.text in taken:
                value = self._world.entity(attribute.type, rng).value
            taken.add(value.text)
            return value
        if not before:
            return attribute.draw(rng)
        last = before[-1].number
        step = max(2, last * rng.between(15, 60) // 100)
        return attribute.number(last + step if attribute.change == "rises" else max(1, last - min(step, last // 2)))

    # ── who tells it ──────────────────────────────────────────────────────────

    def _reports(
        self, template: Template, details: tuple[Detail, ...], days: list[int], first: int, rng: Rng
    ) -> tuple[NewsReport, ...]:
        topic = topic_of(template.kind, template.language)
        sites = self._sites(first, topic, rng)
        sites += [rng.pick(sites) for _ in range(len(days) - first)]
        told = self._told(details, days, sites, rng)
        wrong, mistake = self._mistake(details, days, told, first, rng)
        found = []
        for place, (site, day) in enumerate(zip(sites, days, strict=True)):
            recalls = tuple(
                number
                for number in told[place]
                if place >= first and any(s.since == day for s in details[number].states[1:]) and rng.chance(0.5)
            )
            mine = wrong if wrong >= 0 and mistake[0] == place else -1
            found.append(NewsReport(site, day, place >= first, told[place], mine, mistake[1] if mine >= 0 else NOTHING,
                                recalls))  # fmt: skip
        return tuple(found)

    def _sites(self, count: int, topic: str, rng: Rng) -> list[Website]:
        """Outlets, none twice as far as there are enough, those first that write most about the topic."""
        directory = self._world.directory
        found: list[Website] = []
        while len(found) < min(count, len(self._outlets)):
            site = directory.within("news", topic, rng)
            if site in found:  # then any that is left, so that this ends
                site = rng.pick([other for other in self._outlets if other not in found])
            found.append(site)
        return found + [rng.pick(found) for _ in range(count - len(found))]

    @staticmethod
    def _told(details: tuple[Detail, ...], days: list[int], sites: list[Website], rng: Rng) -> list[tuple[int, ...]]:
        """Which details each report states: none all of them, each detail and each of its values some report."""
        told: list[set[int]] = [set() for _ in days]
        forced: list[set[int]] = [set() for _ in days]
        for number, detail in enumerate(details):
            able = [place for place, day in enumerate(days) if detail.states[0].since <= day]
            if detail.attribute.spread == "rare":
                chosen = rng.sample(able, rng.between(1, 2))
            else:
                share = _SPREAD[detail.attribute.spread]
                likes = [detail.attribute.type in _LEANINGS.get(sites[place].voice, ()) for place in able]
                chosen = [
                    place
                    for place, liked in zip(able, likes, strict=True)
                    if rng.chance(share * (1.3 if liked else 1.0))
                ]
            since = [state.since for state in detail.states]
            for time, until in zip(since, [*since[1:], max(days) + 1], strict=True):
                holding = [place for place in able if time <= days[place] < until]
                if holding and not set(holding) & set(chosen):
                    chosen.append(rng.pick(holding))
                if holding and time > since[0]:  # news: the report of that day has it
                    forced[holding[0]].add(number)
                    chosen.append(holding[0])
            for place in chosen:
                told[place].add(number)
        for place, mine in enumerate(told):
            for number in rng.shuffle(sorted(mine - forced[place])):
                value = details[number].at(days[place])
                others = [o for o, other in enumerate(told) if o != place and number in other]
                if len(mine) > _MOST and any(details[number].at(days[o]) == value for o in others):
                    mine.discard(number)
            for number in rng.shuffle(range(len(details))):
                rare = details[number].attribute.spread == "rare"
                if len(mine) < 2 and not rare and details[number].states[0].since <= days[place]:
                    mine.add(number)
        return [tuple(rng.shuffle(sorted(mine))) for mine in told]

    @staticmethod
    def _mistake(
        details: tuple[Detail, ...], days: list[int], told: list[tuple[int, ...]], first: int, rng: Rng
    ) -> tuple[int, tuple[int, Value]]:
        """A number that one of the first reports gets wrong, though another has it right; −1 where there is none."""
        if not rng.chance(0.35):
            return -1, (-1, NOTHING)
        for place in rng.shuffle(range(1, first)):
            for number in told[place]:
                detail = details[number]
                others = [o for o in range(first) if o != place and number in told[o]]
                if detail.attribute.type in ("count", "money", "number") and others:
                    right = detail.at(days[place])
                    values = {state.value.text for state in detail.states}
                    wrong = detail.attribute.draw(rng)
                    if right is not None and wrong.text not in values:
                        return number, (place, wrong)
        return -1, (-1, NOTHING)
