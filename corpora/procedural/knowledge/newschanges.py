"""News that change: a question with another answer on another day."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.knowledge.newsjoins import NewsJoin, NewsJoins, Side, askable, leading, today
from webenv.corpora.procedural.world.events import Detail, Event
from webenv.corpora.procedural.world.facts import Fact

_LATER = 40  # days after the last report on which the last answer is asked for


class NewsChanges:
    """The changing news of a web, event by event.

    Args:
        joins: the joins of the web.
    """

    def __init__(self, joins: NewsJoins) -> None:
        self._joins = joins
        self.of = lru_cache(maxsize=512)(self._of)

    def _of(self, number: int) -> tuple[tuple[NewsJoin, ...], ...]:
        """The changing questions of which an event is the latest: each at least twice, as of different days, with
        different answers, the oldest first.

        On each day the newest of the pages that can be reached and state the detail at all states the answer.
        """
        event = self._joins.events[number]
        dice = Dice(*self._joins.seed, "news changes", number)
        clues = tuple(self._clues(event))
        found = []
        for asked in event.details:
            if askable(asked, changed=True):
                for start in clues:
                    series = tuple(self._series(event, asked, start, dice))
                    if len(series) > 1:
                        found.append(series)
        return tuple(dice.shuffle(found))

    def _clues(self, event: Event) -> Iterator[tuple[Event, Fact, Fact | None]]:
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
        self, event: Event, asked: Detail, start: tuple[Event, Fact, Fact | None], dice: Dice
    ) -> Iterator[NewsJoin]:
        """A question on the last day of each value, as far as it can be answered then; one source for all."""
        begin, first, role = start
        if first.relation == asked.attribute.name:
            return
        sources = [page for page in self._joins.reports(begin) if page in self._joins.pages(first)]
        source = dice.pick(sources)
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
            yield NewsJoin(kind, begin, clue, entity, other, role, known[0], newest, source, day, as_of)

    def _newest(self, event: Event, asked: Detail, fact: Fact, source: int, as_of: int) -> Side | None:
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
