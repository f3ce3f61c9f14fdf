"""The chronicle: what is true of each event of a web as of any day, and which pages state it."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.day import day_of
from webenv.corpora.procedural.knowledge.support import Support
from webenv.corpora.procedural.world.events import Detail, Event, State
from webenv.corpora.procedural.world.facts import Value
from webenv.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Told:
    """A value of a detail, from which day it holds (its ordinal), and the pages that state it."""

    state: State
    pages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Account:
    """A detail of an event.

    Attributes:
        detail: what it is.
        told: its values over time, each with the pages that state it as true.
        mistaken: pages that state a value that was never true.
    """

    detail: Detail
    told: tuple[Told, ...]
    mistaken: tuple[int, ...]


class Chronicle:
    """The events of a web, numbered from 0.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Support) -> None:
        self._support = support
        self._web = support.web

    def __len__(self) -> int:
        return self._web.planner.counts["overview"]

    def event(self, number: int) -> Event:
        """An event.

        Raises:
            InvalidArgument: where there is none of that number.
        """
        if not 0 <= number < len(self):
            raise InvalidArgument(f"event {number!r}: expected a number from 0 to {len(self) - 1}.")
        return self._web.planner.pages.newsroom.event(number)

    def pages(self, number: int) -> tuple[int, ...]:
        """The pages about an event: its reports in the order of their days, its overview, older versions of that."""
        event = self.event(number)
        planner = self._web.planner
        start = planner.number("report", planner.pages.newsroom.start(number))
        overview = planner.number("overview", number)
        return (*range(start, start + len(event.reports)), overview, *planner.versions(overview))

    def accounts(self, number: int) -> tuple[Account, ...]:
        """The details of an event with the pages behind each value."""
        event = self.event(number)
        return tuple(self._account(event, detail) for detail in event.details)

    def _account(self, event: Event, detail: Detail) -> Account:
        relation = detail.attribute.name
        facts = [event.fact(relation, state.value) for state in detail.states]
        told = tuple(Told(state, self._support.stating(fact)) for state, fact in zip(detail.states, facts, strict=True))
        return Account(detail, told, self._support.mistaken(facts[-1]))

    def known(self, number: int, relation: str, as_of: str = "") -> tuple[Value | None, tuple[int, ...]]:
        """What a reader can know of a detail on a day.

        Args:
            number: which event.
            relation: the detail, as in "fire.cause".
            as_of: ISO date; empty: today.

        Returns:
            Its value on that day (``None`` where it was not known), and the pages published by then
            that state it.

        Raises:
            InvalidArgument: for a relation that the event has not, or a date that is none.
        """
        event = self.event(number)
        found = {detail.attribute.name: detail for detail in event.details}
        if relation not in found:
            raise InvalidArgument(f"event {number}: no detail {relation!r:.80}; expected one of {', '.join(found)}.")
        last = day_of(as_of, "as_of") if as_of else event.reports[-1].day
        value = found[relation].at(last)
        if value is None:
            return None, ()
        pages = self._support.stating(event.fact(relation, value))
        dates = {page: self._web.plan(page).date for page in pages}
        return value, tuple(page for page in pages if not as_of or day_of(dates[page]) <= last)
