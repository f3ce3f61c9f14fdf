"""The web of a simulated world: pages from a seed, and what each of them asserts, as data."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from hashlib import blake2b
from typing import NamedTuple

from webenv.corpora.document import SourcePage
from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.world.claims import WorldPagePlan, plan_page
from webenv.corpora.world.compose import WrittenPage, write_page
from webenv.corpora.world.model import WorldEntity, WorldFact
from webenv.corpora.world.part import WorldPart, parts_of
from webenv.corpora.world.patterns import FactPattern
from webenv.corpora.world.plan import PageHead, WorldPlanner
from webenv.corpora.world.sites import WorldSite, at_home, read_token
from webenv.corpora.world.wording import day_of_fact
from webenv.corpora.world.world import PAGES, SimulatedWorld
from webenv.errors import InvalidArgument
from webenv.urls import key_of

_RECENT = 8  # pages that are kept whole: whoever asks for a text asks next what it tells; more would age in memory
_STATED = 4_096  # pages of which the facts are kept
_REGIONS = 64
_PARTS = 4
_WEIGHED = 256  # pages of which the words are kept with how much each tells
_READ = 4_096  # pages of which the words are kept, and what they tell, at 5 KB each: questions are tried on many


class WorldPage(NamedTuple):
    """A page's plan in the form that corpora are written from.

    Attributes:
        number: in the web.
        url, title, date: of the page; the date is ISO, or empty.
        site: where it stands.
        plan: all that it claims.
        aliases: further addresses.
        copy_of: number of the page that it copies, −1 where it copies none.
    """

    number: int
    url: str
    title: str
    date: str
    site: WorldSite
    plan: WorldPagePlan
    aliases: tuple[str, ...] = ()
    copy_of: int = -1


class WorldWeb:
    """A web that tells of a simulated world.

    Args:
        config: the settings; equal settings give equal webs.
    """

    def __init__(self, config: WebConfig | None = None) -> None:
        self.config = config or WebConfig()
        self.world = SimulatedWorld(self.config)
        self.language = self.world.setting.language
        self.planner = WorldPlanner(self.world)
        self._plan = lru_cache(maxsize=_RECENT)(partial(plan_page, self.planner))
        self._written = lru_cache(maxsize=_RECENT)(self._write)
        self.facts = lru_cache(maxsize=_STATED)(self._facts)
        self.parts = parts_of(self.world)
        """The regions of each part of the world: questions are unique within one; a world of 64 regions has one."""
        self._part = lru_cache(maxsize=_PARTS)(self._made_part)
        self.telling = lru_cache(maxsize=_REGIONS)(partial(self._telling, True))
        self.denying = lru_cache(maxsize=_REGIONS)(partial(self._telling, False))
        self._read = lru_cache(maxsize=_READ)(self._reading)
        self.weights = lru_cache(maxsize=_WEIGHED)(self._weights)

    def __len__(self) -> int:
        return self.config.pages

    @property
    def sites(self) -> tuple[WorldSite, ...]:
        """The sites of the world."""
        return self.planner.sites

    def plan(self, number: int) -> WorldPage:
        """A page before it is written; InvalidArgument where there is no page of that number."""
        if not 0 <= number < len(self):
            raise InvalidArgument(f"page {number!r}: expected a number from 0 to {len(self) - 1}.")
        plan = self._plan(number)
        head: PageHead = plan.head
        return WorldPage(number, head.url, head.title, head.date, head.site, plan)

    def text(self, page: WorldPage) -> WrittenPage:
        """A page's main text, in Markdown, and what it tells of each fact: it may leave a year out."""
        return self._written(page.number)

    def _write(self, number: int) -> WrittenPage:
        return write_page(self.planner, self._plan(number))

    def pages(self) -> Iterator[SourcePage]:
        """All pages, ready for a corpus, one at a time."""
        for number in range(len(self)):
            page = self.plan(number)
            yield SourcePage(page.url, page.title, self.text(page).text, date=page.date, aliases=page.aliases)

    def find(self, url: str) -> int | None:
        """The number of the page that an address leads to; ``None`` where it leads nowhere."""
        number = read_token(url.rstrip("/").rpartition("-")[2], self.planner.key)
        if number is None or number >= len(self):
            return None
        own = self.planner.head(number).url
        if url == own:  # as searches give it; reading an address takes longer than all else here
            return number
        key = key_of(url)
        return number if key is not None and key == key_of(own) else None

    def _facts(self, number: int) -> tuple[WorldFact, ...]:
        """Everything that a page asserts, of its subject and of others; what it denies is left out."""
        return tuple(claim.fact for claim in self._plan(number).claims if claim.asserted)

    def _denied(self, number: int) -> Iterator[WorldFact]:
        return (claim.fact for claim in self._plan(number).claims if not claim.asserted)

    # ── the world ─────────────────────────────────────────────────────────────

    def part_of(self, region: int) -> int:
        """The part of the world, among :attr:`parts`, that a region is of."""
        return 0 if len(self.parts) == 1 else region // len(self.parts[0])

    def common(self, fact: WorldFact) -> int:
        """Of how many things of its part of the world the same is true, whatever the year."""
        return self._part(self.part_of(self.world.region_of(fact.subject))).common(fact)

    def fitting(self, patterns: Sequence[FactPattern], region: int) -> set[int]:
        """The entities, of the part of the world that a region is of, of which facts are true that fit all patterns."""
        return self._part(self.part_of(region)).fitting(patterns)

    def _made_part(self, number: int) -> WorldPart:
        return WorldPart(self.world, self.parts[number])

    def numbers(self, region: int) -> range:
        """The pages of a region."""
        return range(region * PAGES, min((region + 1) * PAGES, len(self)))

    def _telling(self, asserted: bool, region: int) -> dict[tuple[int, int], frozenset[int]]:
        """The pages of a region that assert each fact, by the fact's key; or that say something else in its place, only
        to deny it."""
        found: dict[tuple[int, int], set[int]] = {}
        for number in self.numbers(region):
            for fact in self.facts(number) if asserted else self._denied(number):
                found.setdefault(fact.key, set()).add(number)
        return {key: frozenset(pages) for key, pages in found.items()}

    def misled(self, patterns: Sequence[FactPattern], region: int) -> set[int]:
        """The entities that fit all patterns only by what an older page tells of them, in the part of a region."""
        regions = self.parts[self.part_of(region)] if self.config.conflicts else ()
        found = set()
        for conflict in {one for place in regions for one in self.planner.conflicts(place).values()}:
            entity = self.entity(conflict.subject)
            if entity is not None and any(one.fits(fact) for one in patterns for fact in conflict.stale):
                told = conflict.as_told(entity, conflict.older).facts
                if all(any(pattern.fits(fact) for fact in told) for pattern in patterns):
                    found.add(conflict.subject)
        return found

    # ── words ─────────────────────────────────────────────────────────────────

    @cached_property
    def _frequencies(self) -> tuple[int, dict[str, int]]:
        """How many of some pages have a word: those of the first region stand for all."""
        found: dict[str, int] = {}
        count = min(PAGES, len(self))
        for number in range(count):
            for word in self.language.stems(self.text(self.plan(number)).text):
                found[word] = found.get(word, 0) + 1
        return count, found

    def told(self, number: int) -> Mapping[tuple[int, int], Collection[str]]:
        """What a page tells of each fact, by the fact's key."""
        return self._read(number)[1]

    def _reading(self, number: int) -> tuple[str, Mapping[tuple[int, int], Collection[str]]]:
        """The stems of a page between blanks, as a set of them takes ten times the room; and what it tells."""
        page = self.plan(number)
        written, stems = self.text(page), self.language.stems
        return f" {' '.join(stems(page.title) | stems(written.text))} ", written.told

    def _weights(self, number: int) -> dict[str, int]:
        """The stems of a page that tell something, each with log₂ of how rare it is."""
        count, known = self._frequencies
        bits = {word: (count // (known.get(word, 0) + 1)).bit_length() - 1 for word in self._read(number)[0].split()}
        idle = self.language.idle
        return {word: weight for word, weight in bits.items() if weight > 0 and word not in idle}

    def overlap(self, question: str, number: int) -> int:
        """How much of a question's wording stands on a page, in bits: of each shared word, log₂ of how rare it is."""
        weights = self.weights(number)
        return sum(weights.get(word, 0) for word in self.language.stems(question))

    def day(self, fact: WorldFact) -> tuple[int, int]:
        """The month and day of a fact."""
        return day_of_fact(fact)

    def described_sites(self) -> Iterator[tuple[WorldSite, str]]:
        """Each site with what it says of itself."""
        return ((site, self.description(site)) for site in self.sites)

    def description(self, site: WorldSite) -> str:
        """What a site says of itself: what it has, of which counties, and the kinds of things that are its own."""
        world = self.world
        counties = list(dict.fromkeys(world.county(region) for region in self.planner.regions_of(site)))
        kinds = (kind for kind in world.setting.kinds.values() if at_home(kind.group, site.type))
        things = sorted(dict.fromkeys(map(self.language.plural, kinds)))
        return self.language.described(site.name, self.language.about[site.type], counties, things)

    def entity(self, number: int) -> WorldEntity | None:
        """The entity of a number."""
        return self.world.entity(number)

    def digest(self, pages: int | None = None) -> str:
        """A digest over addresses, titles, dates and texts of the first ``pages`` pages, or of all."""
        digest = blake2b(digest_size=16)
        for number in range(len(self) if pages is None else min(pages, len(self))):
            page = self.plan(number)
            for part in (page.url, page.title, page.date, self.text(page).text):
                digest.update(part.encode() + b"\0")
        return digest.hexdigest()
