"""The procedural web: pages from a seed, and what each of them states, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b

from webenv.corpora.document import SourcePage
from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.facts import Fact, Pattern, Value
from webenv.corpora.procedural.plan import Plan, Planner
from webenv.corpora.procedural.prose import Text, Writer
from webenv.corpora.procedural.world import World
from webenv.corpora.url import key_of
from webenv.errors import InvalidArgument

__all__ = ["ProceduralWeb"]

_Facts = dict[str, dict[tuple[Value, Value], list[int]]]  # relation → (object, qualifier) → pages that state it
_SIDES = 5  # siblings that an article links to


class ProceduralWeb:
    """A web that knows its facts.

    Nothing is kept but plans of recent pages: any page can be made alone, and a million of them
    one after the other.

    Args:
        dials: the settings; equal dials give equal webs.
    """

    def __init__(self, dials: Dials | None = None) -> None:
        self.dials = dials or Dials()
        self.world = World(self.dials)
        self.planner = Planner(self.world)
        self._writer = Writer(self.planner)
        self._known: dict[str, _Facts] = {}

    def __len__(self) -> int:
        return self.dials.pages

    def plan(self, number: int) -> Plan:
        """What a page is and states; InvalidArgument where there is no page of that number."""
        if not 0 <= number < len(self):
            raise InvalidArgument(f"page {number!r}: expected a number from 0 to {len(self) - 1}.")
        return self.planner.plan(number)

    def text(self, plan: Plan) -> Text:
        """A page's main text, with the sentence of each fact that it states."""
        return self._writer.write(plan)

    def pages(self) -> Iterator[SourcePage]:
        """All pages, ready for a corpus, one at a time."""
        for number in range(len(self)):
            plan = self.planner.plan(number)
            yield SourcePage(plan.url, plan.title, self._writer.write(plan).text, date=plan.date, aliases=plan.aliases)

    def links(self, plan: Plan) -> tuple[str, ...]:
        """The addresses that a page links to: siblings, lists, copies' originals, now and then a dead one."""
        dice = Dice(*self.world.seed, "links", plan.number)
        found: list[int] = []
        if plan.copy_of >= 0:
            found.append(plan.copy_of)
        if plan.family >= 0:
            members = dice.sample(range(self.dials.family), _SIDES)
            found += [self.planner.article(plan.family, member) for member in members]
            found.append(self.planner.number("entry", dice.below(self.planner.counts["entry"])))
        else:
            found += [dice.below(len(self)) for _ in range(_SIDES)]
        urls = [self.planner.plan(number).url for number in found if number != plan.number]
        if dice.chance(0.05):
            urls.append(plan.site.url("gone", "moved", plan.number))
        return tuple(dict.fromkeys(urls))

    def find(self, url: str) -> int | None:
        """The number of the page that an address leads to; ``None`` where it leads nowhere."""
        tail = url.rstrip("/").rpartition("/")[2].rpartition("-")[2]
        if not tail.isascii() or not tail.isdigit() or not int(tail) < len(self):
            number = self._leaves.get(key_of(url))
            return number
        plan = self.planner.plan(int(tail))
        key = key_of(url)
        if key is not None and key in {key_of(address) for address in (plan.url, *plan.aliases)}:
            return plan.number
        return self._leaves.get(key)

    @cached_property
    def _leaves(self) -> Mapping[int | None, int]:
        """Pages whose address does not end in their number: the leaves of the reference site."""
        start = self.planner.number("entry", 0)
        return {key_of(self.planner.plan(n).url): n for n in range(start, start + self.planner.counts["entry"])}

    # ── facts ─────────────────────────────────────────────────────────────────

    def original(self, number: int) -> int:
        """The page itself, or the page that it is a copy of."""
        plan = self.planner.plan(number)
        return plan.copy_of if plan.copy_of >= 0 else number

    def facts(self, number: int) -> tuple[Fact, ...]:
        """Everything that a page states, of its subject and of other things."""
        plan = self.planner.plan(number)
        return (*plan.facts, *plan.sides)

    def holders(self, pattern: Pattern) -> frozenset[int]:
        """The pages that entail a criterion about a kind that families are of; a page stands for its copies."""
        found: set[int] = set()
        relations = self._facts_of(pattern.kind)
        chosen: Sequence[str] = (pattern.relation,) if pattern.relation else tuple(relations)
        for relation in chosen:
            for (value, qualifier), pages in relations.get(relation, {}).items():
                if pattern.object.admits(value) and pattern.qualifier.admits(qualifier):
                    found.update(pages)
        return frozenset(found)

    def _facts_of(self, kind: str) -> _Facts:
        """All facts about things of a kind, made at the first question about it; copies left out."""
        if kind in self._known:
            return self._known[kind]
        found: _Facts = {}
        planner, world = self.planner, self.world
        names = [known.name for known in world.kinds]

        def take(fact: Fact, number: int) -> None:
            found.setdefault(fact.relation, {}).setdefault((fact.object, fact.qualifier), []).append(number)

        families = range(names.index(kind), world.families, len(names)) if kind in names else ()
        for family_number in families:
            family = world.family(family_number)
            for member in range(self.dials.family):
                number = planner.article(family_number, member)
                for slot in range(len(family.slots)):
                    take(family.fact(member, slot), number)
            for number in planner.satellites(family_number):
                for fact in planner.plan(number).facts:
                    take(fact, number)
        self._known[kind] = found
        return found

    def digest(self, pages: int | None = None) -> str:
        """A digest over addresses, titles, dates and texts of the first ``pages`` pages, or of all."""
        digest = blake2b(digest_size=16)
        for number in range(len(self) if pages is None else min(pages, len(self))):
            plan = self.planner.plan(number)
            for part in (plan.url, plan.title, plan.date, self._writer.write(plan).text):
                digest.update(part.encode() + b"\0")
        return digest.hexdigest()
