"""What needles can be made harder by, beside their wording.

A *honeypot* is a page at a chosen rank of the first search that is false in one criterion. In a *conflict* an older
page says all that is asked of another thing, and a newer page about that thing corrects it: the task says which counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self

from webenv.corpora.world import Conflict, Criterion, FactPattern, WorldFact, WorldWeb, met
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Json
from webenv.web import Failure, SearchRequest, Web

RANKS = 10
"""Hits of a search, and so ranks that a honeypot can have."""


CONFLICTS = ("newest", "official")
"""What may count where pages disagree: the newest page, or a named site."""

CONFLICT_SHARE = 0.5
"""The dial ``conflicts`` of a generated web whose tasks are to have conflicts, where it does not say itself."""

_OFFICIAL = ("council", "heritage", "journal", "encyclopedia", "almanac")  # types of sites that a task may trust
_RULES = {
    "en": {
        "newest": "Where pages tell the same thing differently, the newest one counts. ",
        "official": "Where pages tell the same thing differently, what {site} says counts. ",
    },
    "zh": {"newest": "各网页说法不一时，以最新的网页为准。", "official": "各网页说法不一时，以{site}为准。"},
}


class NeedleGroup(NamedTuple):
    """What tasks of a group have in common, as ids name it.

    Attributes:
        difficulty: of the wording.
        honeypot: rank, from 1, of a page in the first search that is false in one criterion; 0: none is sought.
        conflict: which of two pages counts that tell a fact differently, of :data:`CONFLICTS`; empty: no such two.

    >>> str(NeedleGroup("hard", 1)), NeedleGroup.read("easy-newest")
    ('hard-honeypot-1', NeedleGroup(difficulty='easy', honeypot=0, conflict='newest'))
    """

    difficulty: str
    honeypot: int = 0
    conflict: str = ""

    def __str__(self) -> str:
        if self.honeypot:
            return f"{self.difficulty}-honeypot-{self.honeypot}"
        return f"{self.difficulty}-{self.conflict}" if self.conflict else self.difficulty

    @classmethod
    def read(cls, text: str) -> Self:
        """The group of a text that :data:`GROUPS` has."""
        difficulty, _, rest = text.partition("-")
        name, _, rank = rest.partition("-")
        return cls(difficulty, int(rank or 0), "" if rank else name)


GROUPS = tuple(
    str(group)
    for level in DIFFICULTIES
    for group in (
        NeedleGroup(level),
        *(NeedleGroup(level, rank) for rank in range(1, RANKS + 1)),
        *(NeedleGroup(level, 0, rule) for rule in CONFLICTS),
    )
)
"""All groups that tasks are drawn from."""


def read_traps(honeypot: object, conflict: object) -> NeedleGroup:
    """What is asked for beside a difficulty, as a group without one.

    Raises:
        InvalidArgument: for a rank outside 1 to :data:`RANKS` or not a whole number, a rule outside
            :data:`CONFLICTS`, or both.
    """
    if honeypot is not None and (
        isinstance(honeypot, bool) or not isinstance(honeypot, int) or not 1 <= honeypot <= RANKS
    ):
        raise InvalidArgument(
            f"honeypot={honeypot!r:.60}: expected the rank that it has in the first search, a whole number from 1 to "
            f"{RANKS}; leave it out for none."
        )
    if conflict is not None and conflict not in CONFLICTS:
        raise InvalidArgument(f"conflict={conflict!r:.60}. {did_you_mean(str(conflict), CONFLICTS)}")
    if honeypot and conflict:
        raise InvalidArgument(
            f"honeypot={honeypot} and conflict={conflict!r}: each brings a false page of its own; give one of them."
        )
    return NeedleGroup("", honeypot or 0, conflict or "")


class Trap(NamedTuple):
    """What a task has beside its criteria.

    Attributes:
        name: "honeypot" or "conflict": the tag, and its place in ``gold.data``.
        value: of the tag.
        data: what is told of it after the end.
        rule: what the question says of it; empty: nothing.
    """

    name: str
    value: str
    data: Mapping[str, Json]
    rule: str = ""


def find_honeypot(
    web: WorldWeb, engine: Web, criteria: Sequence[Criterion], gold: int, subject: int, rank: int
) -> Trap | None:
    """The page at a rank of the first search, if it meets all criteria but one of something else; else ``None``.

    Args:
        web: the web.
        engine: what searches it.
        criteria: of the task; no other thing of the world meets them all.
        gold: number of the page sought, which is no honeypot, whatever it says of others.
        subject: number of what is sought.
        rank: from 1.
    """
    query = " ".join(one.text for one in criteria)
    (hits,) = engine.search([SearchRequest(query, limit=RANKS)])
    url = "" if isinstance(hits, Failure) or len(hits) < rank else hits[rank - 1].url
    number = web.find(url)
    if number is None or number == gold:
        return None
    patterns = tuple(one.pattern for one in criteria)
    facts = web.facts(number)
    for other in dict.fromkeys(fact.subject for fact in facts if fact.subject != subject):
        own = [fact for fact in facts if fact.subject == other]
        if met(patterns, own)[0] == len(patterns) - 1:
            false = next(one.text for one in criteria if not any(one.pattern.fits(fact) for fact in own))
            return Trap("honeypot", str(rank), {"url": url, "rank": rank, "false": false})
    return None


class Contested(NamedTuple):
    """A conflict that a task can be made of.

    Attributes:
        conflict: the two pages.
        gold: the pages that may be sought: those that tell of the twin some of what the older page tells wrongly.
        told: what the older page's text tells of its subject: facts, with what is said of each.
        corrected: what the newer page's text says of each fact that the older one mistakes; empty: nothing.
    """

    conflict: Conflict
    gold: tuple[int, ...]
    told: tuple[tuple[WorldFact, frozenset[str]], ...]
    corrected: tuple[frozenset[str], ...]

    def misleads(self, patterns: Sequence[FactPattern]) -> bool:
        """Whether the older page says all that is asked, and the newer one otherwise in some of it."""
        if not all(any(one.fits(fact) and one.asks() <= said for fact, said in self.told) for one in patterns):
            return False
        mistakes = tuple(zip(self.conflict.true, self.conflict.stale, self.corrected, strict=True))
        return any(
            one.fits(stale) and not one.fits(true) and one.asks() <= said
            for one in patterns
            for true, stale, said in mistakes
        )


def contested(web: WorldWeb, region: int, rule: str) -> tuple[Contested, ...]:
    """The conflicts of a region that tasks can be made of.

    Args:
        web: the web.
        region: the region.
        rule: what counts, of :data:`CONFLICTS`.
    """
    found = []
    for conflict in dict.fromkeys(web.planner.conflicts(region).values()):
        older, newer = web.planner.head(conflict.older), web.planner.head(conflict.newer)
        if rule == "official" and (newer.site.type not in _OFFICIAL or older.site == newer.site):
            continue
        said = web.text(web.plan(conflict.older)).told
        text = web.text(web.plan(conflict.newer)).told
        corrected = tuple(frozenset(text.get(fact.key, ())) for fact in conflict.true)
        twin = web.entity(conflict.twin)
        mistaken = {fact.relation for fact in conflict.true}
        facts = [] if twin is None else [one for one in twin.facts if one.relation in mistaken]
        gold = sorted({page for fact in facts for page in web.telling(region).get(fact.key, ())})
        own = (fact for fact in web.facts(conflict.older) if fact.subject == conflict.subject)
        told = tuple((fact, frozenset(said.get(fact.key, ()))) for fact in dict.fromkeys(own))
        if gold:
            found.append(Contested(conflict, tuple(gold), told, corrected))
    return tuple(found)


def conflict_trap(web: WorldWeb, rule: str, conflict: Conflict, criteria: Sequence[Criterion]) -> Trap:
    """A conflict as a task has it.

    Args:
        web: the web.
        rule: what counts, of :data:`CONFLICTS`.
        conflict: the two pages.
        criteria: of the task.
    """
    older, newer = web.planner.head(conflict.older), web.planner.head(conflict.newer)
    false = [one.text for one in criteria if any(one.pattern.fits(fact) for fact in conflict.stale)]
    data: dict[str, Json] = {"older": older.url, "newer": newer.url, "false": false}
    return Trap("conflict", rule, data, _RULES[web.config.language][rule].format(site=newer.site.name))
