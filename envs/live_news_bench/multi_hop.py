"""Multi-hop questions about a generated web's news: two facts of two pages, neither of them the source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache

from webenv.corpora.procedural import NAMED, Detail, Entity, Fact, NewsEvent, Provenance, Rng, Template, Value

KINDS = ("detail", "event", "profile")
"""Kinds of join: two details of one event; an event and another that shares somebody; an event and a profile."""

_CLUES = ("person", "org", "list")
_WEIGHTS = {"detail": 5, "event": 4, "profile": 2}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two facts that a join takes.

    Attributes:
        fact: the fact.
        pages: the pages that can be reached and state it, in the order of their numbers.
        wrong: those that can be reached and state something else in its place.
    """

    fact: Fact
    pages: tuple[int, ...]
    wrong: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MultiHopQuestion:
    """Two facts that answer a question together; no page that can be reached states both.

    Attributes:
        kind: one of ``KINDS``.
        event: the event that the question begins with.
        clue: the detail that it is told by; ``None``: by its place and day.
        entity: whom both facts share, and the question does not name; ``None`` for two details of one event.
        other: the second event; ``None`` where there is none.
        role: what the entity is in the second event; ``None`` where there is none.
        first: the fact that the question starts from.
        second: the fact whose object answers it.
        source: the page that the question is made from, whose site is blocked.
        day: of the latest event that the question is about, as an ordinal.
        as_of: the day on which it is asked, as an ordinal; 0: today, when all pages stand.
    """

    kind: str
    event: NewsEvent
    clue: Fact | None
    entity: Entity | None
    other: NewsEvent | None
    role: Fact | None
    first: Side
    second: Side
    source: int
    day: int
    as_of: int = 0

    @property
    def answer(self) -> Value:
        """The object of the second fact."""
        return self.second.fact.object

    @property
    def about(self) -> NewsEvent:
        """The event that the second fact is about, or the only one."""
        return self.other or self.event


class MultiHopQuestions:
    """The news joins of a web, event by event.

    A detail counts where it never changed, and where of the pages that can be reached more state it
    than state something else. What an event or an entity's part in one is told by singles it out: in the
    world, or among the events of its year.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self._support = support
        self._web = support.web
        self.seed = self._web.world.seed
        self._newsroom = self._web.planner.pages.newsroom
        self.of = lru_cache(maxsize=512)(self._of)

    def __len__(self) -> int:
        """How many events there are."""
        return self._web.planner.counts["overview"]

    @cached_property
    def events(self) -> tuple[NewsEvent, ...]:
        """The events of the web, by number."""
        return tuple(map(self._newsroom.event, range(len(self))))

    @cached_property
    def first_day(self) -> int:
        """The day of the earliest event, as an ordinal."""
        return min((event.day for event in self.events), default=0)

    def singled_out(self, fact: Fact, event: NewsEvent) -> str:
        """Whether an event is the only one with such a detail: "always", within its "year", or not (empty)."""
        if self._told[fact.relation, fact.object] == 1:
            return "always"
        return "year" if self._told_in[fact.relation, fact.object, _year(event)] == 1 else ""

    def _of(self, number: int) -> tuple[MultiHopQuestion, ...]:
        """The joins of which an event is the latest, kinds mixed, in random order."""
        event = self.events[number]
        rng = Rng(*self.seed, "news joins", number)
        kinds = {"detail": self._details, "event": self._events, "profile": self._profiles}
        left = {kind: rng.shuffle([one for one in of(event, rng) if self._fair(one)]) for kind, of in kinds.items()}
        found: list[MultiHopQuestion] = []
        while any(left.values()):
            able = [kind for kind, joins in left.items() if joins for _ in range(_WEIGHTS[kind])]
            found.append(left[rng.pick(able)].pop())
        return tuple(found)

    def _fair(self, join: MultiHopQuestion) -> bool:
        """Whether the event that a question begins with is the only one as told, and the question lacks the answer."""
        event = join.event
        if join.clue is None and self._dated[event.template, event.place, event.day] > 1:
            return False
        day = date.fromordinal(event.day)
        told = {event.place, join.clue.object if join.clue is not None else None}
        numbers = {day.day, day.year, _year(join.about)}
        return join.answer not in told and join.answer.number not in numbers | {event.day}

    # ── the kinds ─────────────────────────────────────────────────────────────

    def _details(self, event: NewsEvent, rng: Rng) -> Iterator[MultiHopQuestion]:
        """Two details of an event, of which its source states both."""
        for clue in event.details:
            if clue.attribute.type not in _CLUES or len(clue.states) > 1:
                continue
            first = today(event, clue)
            if not self.singled_out(first, event):
                continue
            for asked in filter(askable, event.details):
                second = today(event, asked)
                if asked is clue:
                    continue
                both = set(self.pages(first)) & set(self.pages(second)) & set(self.reports(event))
                found = []
                for source in sorted(both):
                    sides = self.sides((first, second), source)
                    if sides and not set(sides[0].pages) & set(sides[1].pages):
                        found.append((source, sides))
                if found:
                    source, (one, two) = rng.pick(found)
                    yield MultiHopQuestion("detail", event, first, None, None, None, one, two, source, event.day)

    def _events(self, event: NewsEvent, rng: Rng) -> Iterator[MultiHopQuestion]:
        """A part in one event, and a detail of another in which the same entity has a part; the latest is given."""
        for part in filter(leading, event.details):
            mine = today(event, part)
            for other, role in self.parts[mine.object]:
                if other.day > event.day or other.template is event.template:
                    continue
                theirs = today(other, role)
                yield from self._across(event, mine, other, theirs, event.day, rng)
                yield from self._across(other, theirs, event, mine, event.day, rng)

    def _across(
        self, event: NewsEvent, bridge: Fact, other: NewsEvent, role: Fact, day: int, rng: Rng
    ) -> Iterator[MultiHopQuestion]:
        if not self.singled_out(role, other):
            return
        entity = self.entity(bridge.object)
        for asked in filter(askable, other.details):
            second = today(other, asked)
            if second.relation == role.relation or second.object == bridge.object:
                continue
            source = self._source(event, bridge, (second, role), rng)
            if source >= 0:
                sides = self.sides((bridge, second, role), source)
                assert sides is not None
                yield MultiHopQuestion("event", event, None, entity, other, role, sides[0], sides[1], source, day)

    def _profiles(self, event: NewsEvent, rng: Rng) -> Iterator[MultiHopQuestion]:
        """A part in an event, and what is known of whoever had it."""
        for part in filter(leading, event.details):
            bridge = today(event, part)
            entity = self.entity(bridge.object)
            for second in self._known(entity):
                source = self._source(event, bridge, (second,), rng)
                if source >= 0:
                    sides = self.sides((bridge, second), source)
                    assert sides is not None
                    yield MultiHopQuestion(
                        "profile", event, None, entity, None, None, sides[0], sides[1], source, event.day
                    )

    # ── pages ─────────────────────────────────────────────────────────────────

    def _source(self, event: NewsEvent, bridge: Fact, others: tuple[Fact, ...], rng: Rng) -> int:
        """A report of the event that states a fact, and without whose site it and the others can be found; else −1."""
        stating = set(self.pages(bridge))
        for report in rng.shuffle(list(self.reports(event))):
            if report in stating and self.sides((bridge, *others), report):
                return report
        return -1

    def sides(self, facts: tuple[Fact, ...], source: int, as_of: int = 0) -> tuple[Side, ...] | None:
        """Facts with the pages that a day has beside the source's site; ``None`` where one cannot be told.

        Args:
            facts: the facts.
            source: a page.
            as_of: the day; 0: today.
        """
        sides = []
        for fact in facts:
            pages = self.reachable(self.pages(fact), source, as_of)
            wrong = self.reachable(self.against(fact), source, as_of)
            if len(pages) <= len(wrong):
                return None
            sides.append(Side(fact, pages, wrong))
        return tuple(sides)

    def reachable(self, pages: Iterable[int], source: int, as_of: int = 0) -> tuple[int, ...]:
        """Those of some pages that a day has beside the site of another."""
        place = self._place
        host = place(source)[0]
        if not as_of:
            return tuple(page for page in pages if place(page)[0] != host)
        return tuple(page for page in pages if place(page)[0] != host and 0 < place(page)[1] <= as_of)

    def day(self, page: int) -> int:
        """The date of a page as an ordinal; 0 where it bears none."""
        return self._place(page)[1]

    @cached_property
    def _place(self) -> Callable[[int], tuple[str, int]]:
        """The host and the date of each page."""

        def place(page: int) -> tuple[str, int]:
            plan = self._web.plan(page)
            return plan.site.host, date.fromisoformat(plan.date).toordinal() if plan.date else 0

        return lru_cache(maxsize=65_536)(place)

    @cached_property
    def pages(self) -> Callable[[Fact], tuple[int, ...]]:
        """The pages that state a fact."""
        return lru_cache(maxsize=65_536)(self._support.stating)

    @cached_property
    def against(self) -> Callable[[Fact], tuple[int, ...]]:
        """The pages that state something else in a fact's place."""
        return lru_cache(maxsize=65_536)(self._support.contradicting)

    def reports(self, event: NewsEvent) -> range:
        """The reports of an event."""
        start = self._web.planner.number("report", self._newsroom.start(event.number))
        return range(start, start + len(event.reports))

    # ── who and what ──────────────────────────────────────────────────────────

    def entity(self, value: Value) -> Entity:
        """The person or body of a name."""
        return self._entities[value]

    @cached_property
    def _entities(self) -> dict[Value, Entity]:
        return {entity.value: entity for kind in NAMED for entity in self._web.world.entities[kind]}

    @cached_property
    def parts(self) -> dict[Value, list[tuple[NewsEvent, Detail]]]:
        """Who has which parts in which events."""
        found: dict[Value, list[tuple[NewsEvent, Detail]]] = {}
        for event in self.events:
            for detail in filter(leading, event.details):
                found.setdefault(detail.states[0].value, []).append((event, detail))
        return found

    @cached_property
    def _dated(self) -> Counter[tuple[Template, Value, int]]:
        """How many events of a kind were at a place on a day."""
        return Counter((event.template, event.place, event.day) for event in self.events)

    @cached_property
    def _told(self) -> Counter[tuple[str, Value]]:
        """How many events have ever been told to have a value of a detail."""
        return Counter((d.attribute.name, value) for event in self.events for d, value in _ever(event))

    @cached_property
    def _told_in(self) -> Counter[tuple[str, Value, int]]:
        """The same, year by year."""
        return Counter((d.attribute.name, value, _year(event)) for event in self.events for d, value in _ever(event))

    def _known(self, entity: Entity) -> list[Fact]:
        """What pages about an entity state of it: each fact whose relation has one value, or one for its time."""
        stated = {
            fact
            for page in self._support.candidates(entity.number)
            for fact in self._support.facts(page)
            if fact.subject == entity.number and fact.relation in PROFILE
        }
        times = Counter((fact.relation, fact.qualifier) for fact in stated)
        return sorted(fact for fact in stated if times[fact.relation, fact.qualifier] == 1)


PROFILE = (
    "base_person.born", "base_person.lodged", "base_person.member", "base_org.opened", "base_org.funds",
    "base_org.members", "base_org.chair",
)  # fmt: skip
"""Relations of profiles that are asked for."""

_LEAST = 50  # a number is asked for where none is likelier than 1 in 50


def today(event: NewsEvent, detail: Detail) -> Fact:
    """A detail as it is today."""
    return event.fact(detail.attribute.name, detail.states[-1].value)


def leading(detail: Detail) -> bool:
    """Whether a detail leads to a person or a body, and always did to the same."""
    return detail.attribute.type in ("person", "org") and len(detail.states) == 1


def askable(detail: Detail, changed: bool = False) -> bool:
    """Whether a detail can be an answer: it never changed (or did, where that is asked for), and cannot be guessed."""
    attribute = detail.attribute
    if (len(detail.states) > 1) != changed or attribute.type == "list":
        return False
    if attribute.type in ("count", "money", "number"):
        return attribute.low * (attribute.high // attribute.low).bit_length() >= _LEAST
    return True


def _ever(event: NewsEvent) -> Iterator[tuple[Detail, Value]]:
    for detail in event.details:
        for value in dict.fromkeys(state.value for state in detail.states):
            yield detail, value


def _year(event: NewsEvent) -> int:
    return date.fromordinal(event.day).year


_LATER = 40  # days after the last report on which the last answer is asked for


class ChangingQuestions:
    """The changing news of a web, event by event.

    Args:
        joins: the joins of the web.
    """

    def __init__(self, joins: MultiHopQuestions) -> None:
        self._joins = joins
        self.of = lru_cache(maxsize=512)(self._of)

    def _of(self, number: int) -> tuple[tuple[MultiHopQuestion, ...], ...]:
        """The changing questions of which an event is the latest: each at least twice, as of different days, with
        different answers, the oldest first.

        On each day the newest of the pages that can be reached and state the detail at all states the answer.
        """
        event = self._joins.events[number]
        rng = Rng(*self._joins.seed, "news changes", number)
        clues = tuple(self._clues(event))
        found = []
        for asked in event.details:
            if askable(asked, changed=True):
                for start in clues:
                    series = tuple(self._series(event, asked, start, rng))
                    if len(series) > 1:
                        found.append(series)
        return tuple(rng.shuffle(found))

    def _clues(self, event: NewsEvent) -> Iterator[tuple[NewsEvent, Fact, Fact | None]]:
        """How an event can be told: by a clue of its own; or by a part in an older event, and the part in this."""
        for detail in event.details:
            if len(detail.states) > 1 or not self._joins.singled_out(today(event, detail), event):
                continue
            if detail.attribute.type in ("person", "org", "list"):
                yield event, today(event, detail), None
            if leading(detail):
                for other, part in self._joins.parts[detail.states[0].value]:
                    if other.day <= event.day and other.template is not event.template:
                        yield other, today(other, part), today(event, detail)

    def _series(
        self, event: NewsEvent, asked: Detail, start: tuple[NewsEvent, Fact, Fact | None], rng: Rng
    ) -> Iterator[MultiHopQuestion]:
        """A question on the last day of each value, as far as it can be answered then; one source for all."""
        begin, first, role = start
        if first.relation == asked.attribute.name:
            return
        sources = [page for page in self._joins.reports(begin) if page in self._joins.pages(first)]
        source = rng.pick(sources)
        ends = [state.since - 1 for state in asked.states[1:]] + [event.reports[-1].day + _LATER]
        for state, as_of in zip(asked.states, ends, strict=True):
            second = event.fact(asked.attribute.name, state.value)
            known = self._joins.sides((first,) if role is None else (first, role), source, as_of)
            newest = self._newest(event, asked, second, source, as_of)
            if known is None or newest is None or set(known[0].pages) & set(newest.pages):
                continue
            entity = None if role is None else self._joins.entity(first.object)
            other = None if role is None else event
            clue = first if role is None else None
            kind = "detail" if role is None else "event"
            day = max(event.day, begin.day)
            yield MultiHopQuestion(kind, begin, clue, entity, other, role, known[0], newest, source, day, as_of)

    def _newest(self, event: NewsEvent, asked: Detail, fact: Fact, source: int, as_of: int) -> Side | None:
        """The pages that state what holds, if nothing newer or as new states something else; else ``None``."""
        pages = self._joins.reachable(self._joins.pages(fact), source, as_of)
        others = {
            page
            for state in asked.states
            if state.value != fact.object
            for page in self._joins.pages(event.fact(fact.relation, state.value))
        }
        wrong = self._joins.reachable(sorted(others | set(self._joins.against(fact))), source, as_of)
        wrong = tuple(page for page in wrong if page not in pages)
        if not pages or max(map(self._joins.day, pages)) <= max(map(self._joins.day, wrong), default=0):
            return None
        return Side(fact, pages, wrong)
