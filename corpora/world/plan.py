"""Which pages a region has: their forms, what each is about, where it stands, and its title."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.conflicts import conflicts_of
from webenv.corpora.world.lives import death_of
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.sentences import Telling
from webenv.corpora.world.sites import HOMES, HOMES_OF_KINDS, SITE_OF, WorldSite, make_sites, token
from webenv.corpora.world.templates import NAMING, Wording
from webenv.corpora.world.wording import LAST_MONTH, NOW, Style, day_of_fact
from webenv.corpora.world.world import PAGES, SimulatedWorld

FORMS = (
    "encyclopedia", "heritage", "directory", "catalogue", "forum", "blog", "council", "guide", "journal", "magazine",
    "club", "news", "list", "timeline", "faq", "comparison", "obituary", "hub",
)  # fmt: skip
"""Forms of pages: the texts that people know by sight."""

_SHARES = (
    ("first", 0.36), ("second", 0.2), ("person", 0.14), ("news", 0.14), ("list", 0.04), ("guide", 0.02),
    ("timeline", 0.015), ("comparison", 0.035), ("hub", 0.02),
)  # fmt: skip
OWN = ("directory", "club")
"""Forms of pages that those whom they are about have written."""
LEAST_FACTS = 3
"""Facts of which a page tells at least as many."""
READ_ABOUT = ("event", "work", "science", "product", "vessel", "person")
"""Groups that nobody visits: blogs on them tell what was read."""


class PageHead(NamedTuple):
    """A page as other pages know it.

    Attributes:
        number: in the web.
        form: one of :data:`FORMS`.
        site: where it stands.
        url, title: its address and title.
        date: ISO date; empty where it bears none.
        year: the year in which it was written.
        about: numbers of the entities that it is about.
        lead: of a news story, the fact that it reports; of a thread, the fact that it asks for.
    """

    number: int
    form: str
    site: WorldSite
    url: str
    title: str
    date: str
    year: int
    about: tuple[int, ...]
    lead: WorldFact | None = None


class RegionPages(NamedTuple):
    """The pages of a region, and what is looked up when they are planned and written.

    Attributes:
        heads: its pages.
        homes: of an entity, the address that a link to it leads to.
        by_kind: its entities.
        stated: those of which facts are known.
        about: of an entity, the pages about it.
        objects: of a relation, the objects that it has.
    """

    heads: tuple[PageHead, ...]
    homes: Mapping[int, str]
    by_kind: Mapping[str, tuple[WorldEntity, ...]]
    stated: Mapping[str, tuple[WorldEntity, ...]]
    about: Mapping[int, tuple[PageHead, ...]]
    objects: Mapping[tuple[str, str], tuple[WorldValue, ...]]


class WorldPlanner:
    """Plans the pages of a world, region by region.

    Args:
        world: the world.
    """

    def __init__(self, world: SimulatedWorld) -> None:
        self.world = world
        setting = world.setting
        self.language = setting.language
        self.sites = make_sites(world.config.sites, setting.names, setting.seed)
        self.key = Rng(*setting.seed, "token").below(1 << 25)
        self._by_type: dict[str, list[WorldSite]] = {}
        for site in self.sites:
            self._by_type.setdefault(site.type, []).append(site)
        self._lines: dict[str, tuple[Wording, ...]] = {}
        self._naming: dict[tuple[str, str, str, bool, bool], bool] = {}
        self.pages = lru_cache(maxsize=32)(self._pages)
        self.conflicts = lru_cache(maxsize=32)(partial(conflicts_of, self))

    def __len__(self) -> int:
        return self.world.config.pages

    def regions_of(self, site: WorldSite) -> list[int]:
        """The regions that a site tells of."""
        sites = self._by_type[site.type]
        place, near = sites.index(site), (0, 1) if len(sites) > 1 else (0,)
        return [
            region
            for region in range(self.world.setting.regions)
            if any((region + step) % len(sites) == place for step in near)
        ]

    def region_of(self, number: int) -> int:
        """The region of a page."""
        return number // PAGES

    # ── which pages there are ─────────────────────────────────────────────────

    def _pages(self, region: int) -> RegionPages:
        world, setting = self.world, self.world.setting
        rng = Rng(*setting.seed, "pages", region)
        entities = world.region(region).entities
        by_kind: dict[str, list[WorldEntity]] = {}
        for entity in entities:
            by_kind.setdefault(entity.kind, []).append(entity)
        wanted = self._wanted(region, entities, by_kind, rng)
        first = region * PAGES
        count = min(PAGES, len(self) - first)
        heads: list[PageHead] = []
        homes: dict[int, str] = {}
        numbers = [first + place for place in rng.shuffle(range(count))]
        for number, (form, about, lead) in zip(numbers, wanted, strict=False):
            head = self._head(region, number, form, about, lead, rng)
            heads.append(head)
            if len(about) == 1 and head.lead is None and head.form not in ("forum", "faq", "hub"):
                homes.setdefault(about[0], head.url)
        heads.sort()
        objects: dict[tuple[str, str], list[WorldValue]] = {}
        for entity in entities:
            for fact in entity.facts:
                objects.setdefault((fact.kind, fact.relation), []).append(fact.object)
        kinds = {kind: tuple(known) for kind, known in by_kind.items()}
        stated = {kind: tuple(one for one in known if one.facts) for kind, known in by_kind.items()}
        pages: dict[int, list[PageHead]] = {}
        for head in heads:
            for one in head.about:
                pages.setdefault(one, []).append(head)
        return RegionPages(
            tuple(heads),
            homes,
            kinds,
            stated,
            {one: tuple(known) for one, known in pages.items()},
            {key: tuple(known) for key, known in objects.items()},
        )

    def _wanted(
        self, region: int, entities: Sequence[WorldEntity], by_kind: Mapping[str, list[WorldEntity]], rng: Rng
    ) -> list[tuple[str, tuple[int, ...], WorldFact | None]]:
        """Pages to make, as form, entities and the fact that is news; the first come first."""
        kinds = self.world.setting.kinds
        things = rng.shuffle([e for e in entities if e.kind != "person" and len(e.facts) >= LEAST_FACTS])
        persons = rng.shuffle([e for e in entities if e.kind == "person" and len(e.facts) > LEAST_FACTS])
        queues: dict[str, list[tuple[str, tuple[int, ...], WorldFact | None]]] = {name: [] for name, _ in _SHARES}
        for entity in things:
            forms = _drawn(HOMES_OF_KINDS.get(entity.kind) or HOMES[kinds[entity.kind].group], 2, rng)
            if entity.town >= 0:  # guides lead to towns
                forms = ["heritage" if form == "guide" else form for form in forms]
            if entity.end:  # what is no more has no page of its own
                other = "heritage" if "encyclopedia" in forms else "encyclopedia"
                forms = [other if form in OWN else form for form in forms]
            queues["first"].append((forms[0], (entity.number,), None))
            for form in forms[1:]:
                queues["second"].append((form, (entity.number,), None))
        for person in persons:
            form = _drawn(HOMES["person"], 1, rng)[0]
            queues["person"].append((form if person.end or form != "obituary" else "magazine", (person.number,), None))
        dated = [
            fact
            for entity in entities
            for fact in entity.facts
            if fact.year > 1960 and self.has(fact, "n") and self.has(fact, "t")
        ]
        dated = rng.shuffle(dated)
        if self.world.config.news:  # a web of news has those of its last two years first
            dated.sort(key=lambda fact: fact.year < self.world.setting.now - 1)
        queues["news"] = [("news", (fact.subject,), fact) for fact in dated]
        stated = {kind: [e for e in known if e.facts] for kind, known in sorted(by_kind.items())}
        sorts = [known for kind, known in stated.items() if kind != "person" and len(known) >= 4]
        queues["list"] = [("list", tuple(e.number for e in known), None) for known in rng.shuffle(sorts)]
        towns = [e for e in entities if e.kind == "town"]
        queues["guide"] = [("guide", (town.number,), None) for town in rng.shuffle(towns)]
        queues["timeline"] = [("timeline", (town.number,), None) for town in rng.shuffle(towns)]
        compared = [known for kind, known in stated.items() if kinds[kind].group == "product"]
        pairs = [pair for known in compared for pair in pairwise(sorted(known, key=lambda one: one.begin))]
        queues["comparison"] = [("comparison", (a.number, b.number), None) for a, b in rng.shuffle(pairs)]
        queues["hub"] = [("hub", (), None) for _ in range(6)]
        found: list[tuple[str, tuple[int, ...], WorldFact | None]] = []
        for name, share in self._shares():
            found += queues[name][: max(1, round(share * PAGES))]
            del queues[name][: max(1, round(share * PAGES))]
        for name in ("news", "second", "person", "comparison"):
            found += queues[name]
        while len(found) < PAGES and things:  # a region of few kinds: more threads about what there is
            found.append(("forum", (rng.pick(things).number,), None))
        return found[:PAGES]

    def _shares(self) -> Sequence[tuple[str, float]]:
        """The share of the pages that each sort has; the dial ``news`` sets that of news, the others share the rest."""
        news = self.world.config.news
        if not news:
            return _SHARES
        rest = (1 - news) / (1 - dict(_SHARES)["news"])
        return [("news", news), *((name, share * rest) for name, share in _SHARES if name != "news")]

    def has(self, fact: WorldFact, use: str) -> bool:
        """Whether there is a wording of a use that fits a fact."""
        setting = self.world.setting
        spec = setting.kinds[fact.kind].facts[fact.relation]
        return bool(spec.fitting(use, setting.test, bool(fact.year), bool(fact.until)))

    def naming(self, fact: WorldFact) -> bool:
        """Whether a neutral sentence of a fact says of whom it is."""
        spec, test = self.world.setting.kinds[fact.kind].facts[fact.relation], self.world.setting.test
        use = "p" if spec.tenure is not None and not fact.until and spec.wordings.get("p") else "e"
        key = (fact.kind, fact.relation, use, fact.year > 0, fact.until > 0)
        known = self._naming.get(key)
        if known is None:
            ways = spec.fitting(use, test, fact.year > 0, fact.until > 0)
            known = self._naming[key] = any(not NAMING.isdisjoint(way.slots) for way in ways)
        return known

    def _head(
        self, region: int, number: int, form: str, about: tuple[int, ...], lead: WorldFact | None, rng: Rng
    ) -> PageHead:
        world = self.world
        now = world.setting.now
        type_ = form if form in self._by_type else SITE_OF.get(form, "paper")
        if form == "news" and rng.chance(0.7):
            type_ = "paper"
        if form == "hub":
            type_ = rng.pick(sorted(self._by_type))
        sites = self._by_type.get(type_) or self._by_type["paper"]
        # a region's things are told by few sites of a type, as local papers tell of their county (see regions_of)
        site = sites[(region + (rng.below(2) if len(sites) > 1 else 0)) % len(sites)]
        subject = world.known(region, about[0]) if about else None
        date, year = "", now
        if lead is not None:
            month, day = day_of_fact(lead)
            date, year = f"{lead.year}-{month:02}-{min(28, day + rng.below(3)):02}", lead.year
        elif form in ("forum", "blog", "council", "magazine", "catalogue"):
            low = max(2003, (subject.begin if subject else 0) + 2)
            year = rng.between(min(low, now), now)
            date = _some_day(year, rng)
        elif form == "obituary" and subject is not None and subject.end:
            year = subject.end
            fact = death_of(subject)
            month, day = day_of_fact(fact) if fact is not None and fact.year else (rng.between(1, LAST_MONTH), 1)
            date = _after(year, month, day, rng.between(2, 12))
        elif rng.chance(0.5):
            year = rng.between(now - 6, now)
            date = _some_day(year, rng)
        title, asked = self._title(region, form, about, lead, site, year, rng)
        url = site.url(title, token(number, self.key))
        return PageHead(number, form, site, url, title, date, year, about, lead or asked)

    def _title(
        self,
        region: int,
        form: str,
        about: tuple[int, ...],
        lead: WorldFact | None,
        site: WorldSite,
        year: int,
        rng: Rng,
    ) -> tuple[str, WorldFact | None]:
        """The title of a page, and of a thread the fact that it asks for."""
        world = self.world
        telling = self.telling(region, Style(), rng)
        subject = world.known(region, about[0]) if about else None
        if lead is not None:
            ways = telling.ways(Claim(lead), "t")
            if ways:
                return self._headline(telling.told(rng.pick(ways), Claim(lead))), None
        head, fact = "", None
        if form == "forum" and subject is not None:
            questions = {f.key: _naming(telling.ways(Claim(f), "a")) for f in subject.facts if f.year <= year}
            # who asks "who built it?" wants to know; "where was it for seven days in 1989?" is a quiz
            plain = {key: [way for way in ways if NAMING.issuperset(way.slots)] for key, ways in questions.items()}
            questions = plain if any(plain.values()) else questions
            asked = [f for f in subject.facts if questions.get(f.key)]
            if asked:
                fact = rng.pick(asked)
                head = self._headline(telling.told(rng.pick(questions[fact.key]), Claim(fact)))
        other = world.known(region, about[1]) if form == "comparison" and len(about) > 1 else None
        use = f"title_{form}"
        if form == "blog" and subject is not None and world.setting.kinds[subject.kind].group in READ_ABOUT:
            use = "title_blog_about"
        if form == "magazine" and subject is not None and subject.kind == "person":
            use = "title_magazine_person" if world.setting.schema.lines.get("title_magazine_person") else use
        if (
            form == "council"
            and subject is not None
            and subject.town < 0
            and world.setting.schema.lines.get(f"{use}_town")
        ):
            use = f"{use}_town"
        return self.line(use, rng, self.given(region, subject, site, other=other, head=head)), fact

    def _headline(self, text: str) -> str:
        return self.language.bare(self.language.polished(text, Style()))

    def given(
        self,
        region: int,
        subject: WorldEntity | None,
        site: WorldSite,
        other: WorldEntity | None = None,
        head: str = "",
    ) -> dict[str, str]:
        """What the places of lines beside facts are filled with."""
        world = self.world
        cast = world.region(region).cast
        town, county, country = world.place(subject) if subject is not None else ("", cast.county, cast.country[0])
        kind = world.setting.kinds.get(subject.kind) if subject is not None else None
        return {
            "name": subject.title if subject is not None else county,
            "kind": kind.noun if kind else self.language.say("place"),
            "kinds": self.language.plural(kind) if kind else self.language.say("places"),
            "town": town or cast.towns[0].name,
            "county": county,
            "country": country,
            "site": site.name,
            "other": other.title if other is not None else "",
            "profession": subject.profession
            if subject is not None and subject.profession
            else self.language.say("a life"),
            "head": head or (subject.title if subject is not None else site.name),
        }

    def line(self, use: str, rng: Rng, given: Mapping[str, str]) -> str:
        """A line beside facts, with its places filled; empty where no file has one of the use."""
        ways = self._lines.get(use)
        if ways is None:
            ways = self.world.setting.schema.lines.get(use, ())
            ways = tuple(way for way in ways if self.world.setting.test or not way.held) or ways
            self._lines[use] = ways
        return self.world.setting.names.fill(rng.pick(ways), given, rng) if ways else ""

    def telling(
        self,
        region: int,
        style: Style,
        rng: Rng,
        link: Callable[[WorldEntity], str] | None = None,
        turn: Callable[[WorldFact], int] | None = None,
    ) -> Telling:
        """What tells a page's facts."""
        world = self.world
        return Telling(world.setting, world.known_to(region).__getitem__, world.place, style, rng, link, turn)

    def head(self, number: int) -> PageHead:
        """A page as others know it."""
        return self.pages(self.region_of(number)).heads[number % PAGES]


def _naming(ways: Sequence[Wording]) -> list[Wording]:
    """The wordings that say of whom they are: a title alone has to."""
    return [way for way in ways if not NAMING.isdisjoint(way.slots)]


def _after(year: int, month: int, day: int, days: int) -> str:
    """An ISO date some days, fewer than 28, after another; of December the last one."""
    month, day = (month, day + days) if day + days <= 28 else (month + 1, day + days - 28)
    return f"{year}-12-28" if month > 12 else f"{year}-{month:02}-{day:02}"


def _some_day(year: int, rng: Rng) -> str:
    """An ISO date of a year, of the last one only as far as it has come."""
    return f"{year}-{rng.between(1, LAST_MONTH if year == NOW else 12):02}-{rng.between(1, 28):02}"


def _drawn(weighted: Sequence[tuple[str, int]], count: int, rng: Rng) -> list[str]:
    """Some of weighted names, none twice."""
    left = list(weighted)
    found: list[str] = []
    while left and len(found) < count:
        roll = rng.below(sum(weight for _, weight in left))
        for place, (name, weight) in enumerate(left):
            roll -= weight
            if roll < 0:
                found.append(name)
                del left[place]
                break
    return found
