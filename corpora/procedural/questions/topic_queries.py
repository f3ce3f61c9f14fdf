"""Queries by topic with all pages that answer them, and browsing histories: for AgentWebSearch and -Recommendation."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world import tables
from webenv.corpora.procedural.world.facts import ANY, Constraint, Pattern, Value
from webenv.corpora.procedural.world.sites import topic_of
from webenv.errors import InvalidArgument

_TRIES = 200
_LEAST, _MOST = 2, 40  # pages that answer a query
_VISITS = (4, 8)
_STRAY = 0.3  # visits that do not follow the intent


@dataclass(frozen=True, slots=True)
class TopicQuery:
    """What somebody looks for.

    Attributes:
        number: which query.
        topic: what it is about (:func:`webenv.corpora.procedural.world.sites.topics`).
        text: keywords, as somebody would type them.
        pattern: the criterion as data.
        pages: all pages of the web that state such a fact, copies among them.
        sites: the hosts that they stand on.
    """

    number: int
    topic: str
    text: str
    pattern: Pattern
    pages: frozenset[int]
    sites: frozenset[str]


class TopicQueries:
    """The topic queries of a web: as many as asked for, each made alone.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self.support = support
        self._web = support.web

    def query(self, number: int, least: int = _LEAST, most: int = _MOST) -> TopicQuery:
        """A query that ``least`` to ``most`` pages answer.

        Raises:
            InvalidArgument: for a web that has none.
        """
        rng = Rng(*self._web.world.seed, "query", number)
        for _ in range(_TRIES):
            text, pattern = self._drawn(rng)
            pages = self.support.with_copies(self._web.holders(pattern))
            if least <= len(pages) <= most:
                sites = self.support.sites(sorted(pages))
                return TopicQuery(number, topic_of(pattern.kind, self._web.world.language), text, pattern, pages, sites)
        raise InvalidArgument(
            f"{self._web.config}: no query with {least} to {most} pages in {_TRIES} draws; raise pages or most."
        )

    def _drawn(self, rng: Rng) -> tuple[str, Pattern]:
        planner = self._web.planner
        roll = rng.random()
        events, sets = planner.counts["overview"], planner.counts["table"] // tables.BLOCK
        if events and roll < 0.25:
            event = planner.pages.newsroom.event(rng.below(events))
            kind = event.template.kind
            return f"{event.names[0]} {event.place.text}", _pattern(kind, f"{kind}.place", event.place)
        if sets and roll < 0.4:
            table = planner.pages.register.table(rng.below(sets))
            kind = table.template.kind
            return f"{table.template.plural} {table.place.text}", _pattern(kind, f"{kind}.place", table.place)
        distractors = self._web.world.distractor_set(rng.below(self._web.world.distractor_sets))
        slot = rng.pick(distractors.slots)
        value = rng.pick(slot.levels)[0]
        text = f"{distractors.kind.plural} {slot.relation.label.lower()} {value.text}"
        return text, _pattern(distractors.kind.name, slot.relation.name, value)


def _pattern(kind: str, relation: str, value: Value) -> Pattern:
    return Pattern(kind, relation, Constraint(value.type, value.text), ANY)


@dataclass(frozen=True, slots=True)
class BrowsingHistory:
    """What somebody has read, and what they would read next.

    Attributes:
        number: which history.
        intent: what they are after; not shown to anybody.
        visits: the pages read, in order.
        follows: whether each of them fulfils the intent; the others are strays.
        targets: the pages that fulfil the intent and have not been read, no copies of what has been.
    """

    number: int
    intent: TopicQuery
    visits: tuple[int, ...]
    follows: tuple[bool, ...]
    targets: frozenset[int]


class BrowsingHistories:
    """Browsing histories of a web: as many as asked for, each made alone.

    Args:
        queries: gives the intents.
    """

    def __init__(self, queries: TopicQueries) -> None:
        self._queries = queries
        self._web = queries.support.web

    def history(self, number: int) -> BrowsingHistory:
        """A history of four to eight visits, most of which fulfil an intent; one page or more is left to find.

        Raises:
            InvalidArgument: for a web that is too small.
        """
        rng = Rng(*self._web.world.seed, "history", number)
        intent, originals = self._intent(rng)
        most = min(rng.between(*_VISITS), len(originals) - 1)
        read: list[int] = []
        follows: list[bool] = []
        left = rng.shuffle(originals)
        while len(read) < most:
            may_stray = len(read) + 1 < most and follows.count(False) < (most - 1) // 2
            stray = rng.chance(_STRAY) and may_stray
            page = self._stray(intent, rng) if stray else left.pop()
            if page not in read:
                read.append(page)
                follows.append(page in intent.pages)
        seen = self._queries.support.with_copies(read)
        return BrowsingHistory(number, intent, tuple(read), tuple(follows), intent.pages - seen)

    def _intent(self, rng: Rng) -> tuple[TopicQuery, list[int]]:
        """A query, and the pages that answer it without their copies: one more than the fewest visits, or more."""
        for _ in range(_TRIES):
            intent = self._queries.query(rng.below(1 << 40), least=_VISITS[0] + 1)
            originals = sorted({self._web.original(page) for page in intent.pages})
            if len(originals) > _VISITS[0]:
                return intent, originals
        raise InvalidArgument(f"{self._web.config}: no intent with {_VISITS[0] + 1} pages; raise pages.")

    def _stray(self, intent: TopicQuery, rng: Rng) -> int:
        """A page that does not fulfil the intent: next to one that does, or any."""
        near = rng.pick(sorted(intent.pages))
        kin = self._web.planner.neighbours(near)
        for _ in range(_TRIES):
            page = rng.pick(kin) if kin and rng.chance(0.7) else rng.below(len(self._web))
            if page not in intent.pages:
                return page
        raise InvalidArgument(f"{self._web.config}: nearly every page answers {intent.text!r}; raise pages.")
