"""The procedural web: pages from a seed, and what each of them states, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b

from webenv.corpora.document import SourcePage
from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.procedural.pages.plan import PagePlan, Planner
from webenv.corpora.procedural.pages.prose import Text, Writer
from webenv.corpora.procedural.rng import FastRng, Rng
from webenv.corpora.procedural.world.facts import Fact, Pattern, Value
from webenv.corpora.procedural.world.sites import Website
from webenv.corpora.procedural.world.world import World
from webenv.errors import InvalidArgument
from webenv.urls import key_of

_Facts = dict[str, dict[tuple[Value, Value], list[int]]]  # relation → (object, qualifier) → pages that state it
_SIDES = 5  # members that an article links to, and pages of any kind that others link to
_KIN = 3
_DEAD = 0.05
_RECENT = 1_024  # plans that are kept
_PATTERNS = 4_096  # patterns whose pages are kept
_DIGITS = 9


class ProceduralWeb:
    """A web that knows its facts.

    Nothing is kept but plans of recent pages: any page can be made alone, and a million of them
    one after the other.

    Args:
        settings: the settings; equal settings give equal webs.
    """

    def __init__(self, config: WebConfig | None = None) -> None:
        self.config = config or WebConfig()
        self.world = World(self.config)
        self.planner = Planner(self.world)
        self._writer = Writer(self.planner)
        self._known: dict[str, _Facts] = {}
        self._plan = lru_cache(maxsize=_RECENT)(self.planner.plan)
        self.holders = lru_cache(maxsize=_PATTERNS)(self._holders)

    def __len__(self) -> int:
        return self.config.pages

    def plan(self, number: int) -> PagePlan:
        """What a page is and states; InvalidArgument where there is no page of that number."""
        if not 0 <= number < len(self):
            raise InvalidArgument(f"page {number!r}: expected a number from 0 to {len(self) - 1}.")
        return self.planner.plan(number)

    def text(self, plan: PagePlan) -> Text:
        """A page's main text, with the sentence of each fact that it states."""
        return self._writer.write(plan)

    def description(self, site: Website) -> str:
        """What a site writes about, in a paragraph."""
        return self._writer.description(site)

    def pages(self) -> Iterator[SourcePage]:
        """All pages, ready for a corpus, one at a time."""
        for number in range(len(self)):
            plan = self.planner.plan(number)
            yield SourcePage(plan.url, plan.title, self._writer.write(plan).text, date=plan.date, aliases=plan.aliases)

    def links(self, plan: PagePlan) -> tuple[str, ...]:
        """The addresses that a page links to: its kin, other pages, old addresses, now and then a dead one.

        Kin are members, other pages on the same event or table or out of the same entity cluster, the
        original of a copy, the current page of an older version, and a page's older versions. The
        old address of a page that has moved stands on the page after it, and may stand on others.
        """
        rng = Rng(*self.world.seed, "links", plan.number)
        found: list[int] = []
        if plan.copy_of >= 0:
            found.append(plan.copy_of)
        if plan.version_of >= 0:
            found.append(plan.version_of)
        found += self.planner.versions(plan.number)
        if plan.distractor_set >= 0:
            members = rng.sample(range(self.config.family), _SIDES)
            found += [self.planner.article(plan.distractor_set, member) for member in members]
            found.append(self.planner.number("entry", rng.below(self.planner.counts["entry"])))
        else:
            found += rng.sample(self.planner.kin(plan.number), _KIN)
            found += [rng.below(len(self)) for _ in range(_SIDES)]
        urls = []
        for number in found:
            if number != plan.number:
                other = self.planner.plan(number)
                urls.append(other.aliases[0] if other.aliases and rng.chance(0.5) else other.url)
        before = self.planner.plan((plan.number or len(self)) - 1)
        urls += before.aliases
        if self._links_dead(plan.number):
            urls.append(_dead(plan))
        return tuple(dict.fromkeys(urls))

    def _links_dead(self, number: int) -> bool:
        return FastRng(*self.world.seed, "dead", number).chance(_DEAD)

    def status(self, url: str) -> int:
        """What a server says at an address, as HTTP does: 200 a page, 301 it has moved (:meth:`location`), 410 a
        dead link of some page, 404 nothing that the web knows of."""
        number = self.find(url)
        if number is not None:
            return 200 if key_of(url) == key_of(self.planner.plan(number).url) else 301
        number = self._number_in(url)
        if number is None or not self._links_dead(number):
            return 404
        return 410 if key_of(url) == key_of(_dead(self.planner.plan(number))) else 404

    def location(self, url: str) -> str:
        """The address of the page that an address leads to, its own or another; empty where it leads nowhere."""
        number = self.find(url)
        return "" if number is None else self.planner.plan(number).url

    def find(self, url: str) -> int | None:
        """The number of the page that an address leads to; ``None`` where it leads nowhere."""
        number = self._number_in(url)
        plan = None if number is None else self._plan(number)
        if plan is not None and plan.url == url:
            return number
        key = key_of(url)
        if plan is not None and key is not None and key in map(key_of, (plan.url, *plan.aliases)):
            return number
        return self._leaves.get(key)

    def _number_in(self, url: str) -> int | None:
        """The number of a page at the end of an address, whether or not the address leads to it."""
        tail = url.rstrip("/").rpartition("/")[2].rpartition("-")[2]
        if not tail.isascii() or not tail.isdigit() or len(tail) > _DIGITS or not int(tail) < len(self):
            return None
        return int(tail)

    @cached_property
    def _leaves(self) -> Mapping[int | None, int]:
        """Pages whose address does not end in their number: the leaves of the reference site."""
        start = self.planner.number("entry", 0)
        return {key_of(self.planner.plan(n).url): n for n in range(start, start + self.planner.counts["entry"])}

    # ── facts ─────────────────────────────────────────────────────────────────

    def original(self, number: int) -> int:
        """The page itself, or the page that it is a copy of."""
        plan = self._plan(number)
        return plan.copy_of if plan.copy_of >= 0 else number

    def profile(self, entity: Value) -> int | None:
        """The number of the page that profiles an entity; ``None`` where none does."""
        return self._profiles.get((entity.type, entity.text))

    @cached_property
    def _profiles(self) -> dict[tuple[str, str], int]:
        start = self.planner.number("profile", 0)
        found: dict[tuple[str, str], int] = {}
        for number in range(start, start + self.planner.counts["profile"]):
            entity = self.planner.plan(number).entity
            if entity is not None:
                found.setdefault((entity.value.type, entity.value.text), number)
        return found

    def facts(self, number: int) -> tuple[Fact, ...]:
        """Everything that a page states, of its subject and of other things."""
        plan = self._plan(number)
        return (*plan.facts, *plan.sides)

    def _holders(self, pattern: Pattern) -> frozenset[int]:
        """The pages that entail a criterion about a kind of thing that pages are about; a page stands for its copies.

        Kinds are those of distractor sets, events and tables, and "person", "place" and "org".
        """
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

        def take(fact: Fact, number: int) -> None:
            found.setdefault(fact.relation, {}).setdefault((fact.object, fact.qualifier), []).append(number)

        for set_number in self.planner.distractor_sets(kind):
            distractors = self.world.distractor_set(set_number)
            for member in range(self.config.family):
                number = self.planner.article(set_number, member)
                for slot in range(len(distractors.slots)):
                    take(distractors.fact(member, slot), number)
        for number in self.planner.about(kind):
            for fact in self.planner.plan(number).facts:
                if fact.kind == kind:
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


def _dead(plan: PagePlan) -> str:
    """The address that leads nowhere of a page that has such a link."""
    return plan.site.url("gone", "moved", plan.number)
