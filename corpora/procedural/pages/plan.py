"""Plans of pages: how many of each role, what stands where and what it states, before a word of it is written."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.language.phrasing import of_mode, side_phrasings
from webenv.corpora.procedural.pages.pages import HOSTS, PAGES, VERSION_BLOCK, Pages
from webenv.corpora.procedural.rng import FastRng, Rng
from webenv.corpora.procedural.world import clusters, events, tables
from webenv.corpora.procedural.world.clusters import EntityClusters
from webenv.corpora.procedural.world.facts import NAMED, Fact, Value
from webenv.corpora.procedural.world.sites import BRIEFS, LISTS, PROFILES, Website, topic_of
from webenv.corpora.procedural.world.templates import iso
from webenv.corpora.procedural.world.world import LEVELS, DistractorSet, Entity, World

ROLES = (
    "article", "brief", "list", "profile", "report", "overview", "table", "portrait", "version", "about", "entry",
    "rumour", "copy",
)  # fmt: skip
"""The roles of pages, in the order in which pages are numbered."""

_NEWS, _TABLES, _PORTRAITS, _VERSIONS = 0.24, 0.085, 0.15, 0.125  # of what distractor sets and copies leave
_ENTRIES, _PROFILES, _LISTS = 0.3, 0.2, 0.2  # of what is left then


def page_counts(world: World) -> dict[str, int]:
    """The number of pages of each role, in the order of ``ROLES``; their sum is the web's pages.

    Families have their share first, then copies and rumours, then a page about each site, as far
    as there is room; news, tables, portraits and older versions come in whole blocks.
    """
    config = world.config
    counts = dict.fromkeys(ROLES, 0)
    counts["article"] = world.distractor_sets * config.family
    left = config.pages - counts["article"]
    counts["copy"] = min(int(config.pages * config.copies), left)
    left -= counts["copy"]
    counts["rumour"] = min(int(config.pages * config.contradictions), left)
    left -= counts["rumour"]
    counts["about"] = min(config.sites, max(0, left - 1))
    room = min(left, (left - counts["about"]) * 4 // 3)  # a hundred sites take their pages from the other roles
    news = min(config.pages * config.news, left - counts["about"]) if config.news else room * _NEWS
    pairs = int(news) // (events.BLOCK + 2)
    counts["report"], counts["overview"] = pairs * events.BLOCK, pairs * 2
    if config.news:  # the other roles share the rest as they always do
        room = int((left - counts["about"] - pairs * (events.BLOCK + 2)) / (1 - _NEWS))
    counts["table"] = int(room * _TABLES) // tables.BLOCK * tables.BLOCK
    rings = min(int(room * _PORTRAITS) // clusters.BLOCK, EntityClusters.most(world))
    counts["portrait"] = rings * clusters.BLOCK
    hosts = counts["overview"] + counts["table"] + counts["portrait"]
    blocks = min(int(room * _VERSIONS) // VERSION_BLOCK, hosts // 2)
    counts["version"] = blocks * VERSION_BLOCK
    left -= sum(counts[role] for role in ("about", "report", "overview", "table", "portrait", "version"))
    counts["entry"] = max(1, round(left * _ENTRIES)) if left else 0
    counts["profile"] = round(left * _PROFILES)
    counts["list"] = min(world.distractor_sets, round(left * _LISTS))
    counts["brief"] = left - counts["entry"] - counts["profile"] - counts["list"]
    return counts


_DISTRACTORS = (0.02, 0.32, 0.7)
_MOVED = 0.08
_SECTIONS = {"brief": "notes", "rumour": "facts"}


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A page before it is written.

    Attributes:
        number: which page of the web.
        role: one of ``ROLES``.
        site: where it stands.
        url: its address.
        title: its title.
        date: ISO date, empty where the page bears none.
        aliases: other addresses that lead to it.
        distractor_set: number of the distractor set that it is about, −1 where there is none.
        member: which member, −1 where there is none.
        facts: what it states of its subject (of several, in a list).
        sides: what it states of other things.
        copy_of: number of the page that it is a copy of, −1 where it is none.
        entity: whom a profile is about.
        version_of: number of the page that it is an older version of, −1 where it is none.
        topic: what it is about, in a word (:func:`webenv.corpora.procedural.world.sites.topics`); may be empty.
    """

    number: int
    role: str
    site: Website
    url: str
    title: str
    date: str
    aliases: tuple[str, ...]
    distractor_set: int
    member: int
    facts: tuple[Fact, ...]
    sides: tuple[Fact, ...]
    copy_of: int = -1
    entity: Entity | None = None
    version_of: int = -1
    topic: str = ""


class Planner:
    """Plans every page of a web, each alone and in any order.

    Pages are numbered by role, in the order of :data:`ROLES`: articles (each about a member of a
    distractor set), briefs, lists, profiles; reports and overviews of events, pages of tables, portraits,
    older versions, a page about each site (:mod:`webenv.corpora.procedural.pages.pages`); entries of the
    reference site, rumours, and copies.

    Args:
        world: whose pages.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.counts = page_counts(world)
        self.pages = Pages(world, self.counts)
        things, by_type = side_phrasings(world.language)
        self._things = things, {kind: of_mode(ways, world.config.phrasings) for kind, ways in by_type.items()}
        self._starts: list[tuple[int, str]] = []
        start = 0
        for role, count in self.counts.items():
            self._starts.append((start, role))
            start += count

    def __len__(self) -> int:
        return self.world.config.pages

    def role(self, number: int) -> tuple[str, int]:
        """The role of a page, and its number among those of its role."""
        start, role = max(pair for pair in self._starts if pair[0] <= number and self.counts[pair[1]])
        return role, number - start

    def number(self, role: str, place: int) -> int:
        """The number of a page by role and its place among those of its role."""
        return next(start for start, name in self._starts if name == role) + place

    def article(self, set_number: int, member: int) -> int:
        """The number of the article about a member of a distractor set."""
        return set_number * self.world.config.family + member

    def _set_of(self, role: str, place: int) -> int:
        """The distractor set that a brief, a list or a rumour is about: sets share them evenly, in order."""
        return place * self.world.distractor_sets // self.counts[role]

    def satellites(self, set_number: int) -> list[int]:
        """The numbers of the briefs, lists and rumours about a distractor set."""
        found: list[int] = []
        for role in ("brief", "list", "rumour"):
            count = self.counts[role]
            first, last = (-(-edge * count // self.world.distractor_sets) for edge in (set_number, set_number + 1))
            start = self.number(role, 0)
            found += range(start + first, start + last)
        return found

    def kin(self, number: int) -> list[int]:
        """The numbers of the other pages on the same event or table, or out of the same entity cluster."""
        role, place = self.role(number)
        if role == "version":
            role, place, _ = self.pages.host(place)
        found = [self.number(other, each) for other, each in self.pages.kin(role, place)]
        return [other for other in found if other != number]

    def neighbours(self, number: int) -> list[int]:
        """The other pages about the same distractor set, event, table or entity cluster; empty where there are none."""
        plan = self.plan(number)
        if plan.distractor_set < 0:
            return self.kin(number)
        members = range(self.world.config.family)
        found = [
            *(self.article(plan.distractor_set, member) for member in members),
            *self.satellites(plan.distractor_set),
        ]
        return [other for other in found if other != number]

    def distractor_sets(self, kind: str) -> range:
        """The numbers of the distractor sets of a kind."""
        names = [known.name for known in self.world.kinds]
        return range(names.index(kind), self.world.distractor_sets, len(names)) if kind in names else range(0)

    def about(self, kind: str) -> list[int]:
        """The numbers of all pages that may state facts about things of a kind, articles and copies left out."""
        found = [number for set_number in self.distractor_sets(kind) for number in self.satellites(set_number)]
        if kind in NAMED:
            found += [self.number("profile", place) for place in range(self.counts["profile"])]
        for role, place in self.pages.about(kind):
            number = self.number(role, place)
            found += [number, *self.versions(number)]
        return found

    def plan(self, number: int) -> PagePlan:
        """The plan of a page."""
        role, place = self.role(number)
        if role in PAGES:
            return self._leaf(number, role, place)
        rng = Rng(*self.world.seed, "plan", number)
        if role == "article":
            set_number, member = divmod(place, self.world.config.family)
            return self._article(number, set_number, member, rng)
        if role in ("brief", "rumour"):
            return self._brief(number, role, self._set_of(role, place), rng)
        if role == "list":
            return self._list(number, self._set_of(role, place), rng)
        if role == "profile":
            return self._profile(number, place, rng)
        if role == "entry":
            site = self.world.directory.by_type["reference"][0]
            title = self._title("leaf", str(place + 1))
            url = site.url("words", "leaf", place + 1)
            return PagePlan(number, role, site, url, title, "", (), -1, -1, (), ())
        return self._copy(number, rng)

    def _title(self, use: str, place: str = "", kinds: str = "", home: str = "") -> str:
        """A title that names no member."""
        form = self.world.language.texts[use][0]
        return form.replace("{}", place).replace("{kinds}", kinds).replace("{home}", home)

    def versions(self, number: int) -> tuple[int, ...]:
        """The numbers of the older versions of a page, the newest first; empty where it has none."""
        role, place = self.role(number)
        return tuple(self.number("version", version) for version in self.pages.versions(role, place))

    def _leaf(self, number: int, role: str, place: int) -> PagePlan:
        leaf = self.pages.leaf(role, place)
        url = leaf.site.url(leaf.section, leaf.name, number)
        date = iso(leaf.day) if leaf.day else ""
        aliases = self._aliases(leaf.site, number) if role in HOSTS else ()
        version_of = -1
        if role == "version":
            host, host_place, _ = self.pages.host(place)
            version_of = self.number(host, host_place)
        return PagePlan(
            number, role, leaf.site, url, leaf.title, date, aliases, -1, -1, leaf.facts, (), version_of=version_of,
            topic=leaf.topic,
        )  # fmt: skip

    def _aliases(self, site: Website, number: int) -> tuple[str, ...]:
        """Old addresses of a page: some pages have moved."""
        moved = FastRng(*self.world.seed, "moved", number).chance(_MOVED)
        return (f"https://{site.host}/p/{number}",) if moved else ()

    def _article(self, number: int, set_number: int, member: int, rng: Rng) -> PagePlan:
        distractors = self.world.distractor_set(set_number)
        name = distractors.names[member]
        site, url = self._article_place(number, distractors, name, rng)
        facts = tuple(distractors.fact(member, slot) for slot in range(len(distractors.slots)))
        sides = self._sides(number, distractors, member, rng)
        aliases = self._aliases(site, number)
        return PagePlan(
            number,
            "article",
            site,
            url,
            self.world.language.title(name),
            self._date(rng),
            aliases,
            set_number,
            member,
            facts,
            sides,
            topic=topic_of(distractors.kind.name, self.world.language),
        )

    def _article_place(self, number: int, distractors: DistractorSet, name: str, rng: Rng) -> tuple[Website, str]:
        kind = distractors.kind
        site = self.world.directory.pick(kind.sites, topic_of(kind.name, self.world.language), rng)
        return site, site.url(kind.plural.replace(" ", "-").replace("'", ""), name, number)

    def article_place(self, distractors: DistractorSet, member: int) -> tuple[Website, str]:
        """Site and address of the article about a member: a quarter of the work of its plan."""
        number = self.article(distractors.number, member)
        rng = Rng(*self.world.seed, "plan", number)
        return self._article_place(number, distractors, distractors.names[member], rng)

    def _sides(self, number: int, distractors: DistractorSet, member: int, rng: Rng) -> tuple[Fact, ...]:
        """The values that a member does not hold, within facts about other things."""
        objects: list[Value] = []
        qualifiers: list[Value] = []
        for slot, level in enumerate(distractors.rows[member]):
            share = self.world.config.decoys * _DISTRACTORS[distractors.slots[slot].relation.tier]
            for other in range(LEVELS):
                if other != level:
                    value, qualifier = distractors.slots[slot].levels[other]
                    if rng.chance(share):
                        objects.append(value)
                    if rng.chance(share):
                        qualifiers.append(qualifier)
        return self._side_facts(number, rng.shuffle(objects), rng.shuffle(qualifiers), rng)

    def _side_facts(self, number: int, objects: list[Value], qualifiers: list[Value], rng: Rng) -> tuple[Fact, ...]:
        things, by_type = self._things
        chosen = rng.sample(things, len(objects))
        found = []
        for place, value in enumerate(objects):
            if place >= len(qualifiers):
                break
            phrasing = rng.pick(by_type[value.type])
            subject = -(number * 100 + place) - 1
            found.append(Fact(subject, chosen[place], phrasing.id, value, qualifiers[place]))
        return tuple(found)

    def _brief(self, number: int, role: str, set_number: int, rng: Rng) -> PagePlan:
        distractors = self.world.distractor_set(set_number)
        member = rng.below(len(distractors.names))
        topic = topic_of(distractors.kind.name, self.world.language)
        site = self.world.directory.pick(("farm",) if role == "rumour" else BRIEFS, topic, rng)
        facts = []
        for tier in range(3):
            for slot in rng.sample(distractors.tier(tier), rng.between(1, 2) if tier == 0 else rng.between(0, 1)):
                level = distractors.rows[member][slot]
                if role == "rumour" and rng.chance(0.7):
                    wrong = (level + rng.between(1, LEVELS - 1)) % LEVELS
                    facts.append(distractors.fact(member, slot, wrong, confidence=0.3))
                else:
                    facts.append(distractors.fact(member, slot))
        sides = rng.sample(self._sides(number, distractors, member, rng), rng.between(2, 7))
        name = distractors.names[member]
        language = self.world.language
        title = language.title(name) + rng.pick(language.texts["briefs"])
        url = site.url(_SECTIONS[role], name, number)
        return PagePlan(
            number, role, site, url, title, self._date(rng), (), set_number, member, tuple(facts), tuple(sides),
            topic=topic,
        )  # fmt: skip

    def _list(self, number: int, set_number: int, rng: Rng) -> PagePlan:
        distractors = self.world.distractor_set(set_number)
        topic = topic_of(distractors.kind.name, self.world.language)
        site = self.world.directory.pick(LISTS, topic, rng)
        slots = [rng.pick(distractors.tier(tier)) for tier in rng.sample(range(3), rng.between(1, 2))]
        facts = tuple(distractors.fact(member, slot) for member in range(len(distractors.names)) for slot in slots)
        title = self._title("list title", kinds=distractors.kind.plural, home=distractors.home.text)
        url = site.url("lists", f"{distractors.kind.plural} {distractors.home.text}", number)
        return PagePlan(number, "list", site, url, title, self._date(rng), (), set_number, -1, facts, (), topic=topic)

    def _profile(self, number: int, place: int, rng: Rng) -> PagePlan:
        kind = NAMED[place % 3]
        known = self.world.entities[kind]
        entity = known[place // 3 % len(known)]
        site = self.world.directory.pick(PROFILES[kind], topic_of(kind, self.world.language), rng)
        url = site.url("names", entity.value.text, number)
        facts = self.world.profile(entity)
        title = self.world.language.title(entity.value.text)
        return PagePlan(
            number, "profile", site, url, title, self._date(rng), (), -1, -1, facts, (), entity=entity,
            topic=topic_of(kind, self.world.language),
        )  # fmt: skip

    def _original(self, rng: Rng) -> int:
        return rng.below(self.counts["article"] + self.counts["brief"])

    def copied(self, number: int) -> int:
        """The number of the page that a copy is a copy of."""
        return self._original(Rng(*self.world.seed, "plan", number))

    def _copy(self, number: int, rng: Rng) -> PagePlan:
        original = self.plan(self._original(rng))
        others = [site for site in self.world.sites if site.type not in ("reference", original.site.type)]
        site = rng.pick(others)
        url = site.url("syndicated", original.title, number)
        return PagePlan(
            number, "copy", site, url, original.title, self._date(rng), (), original.distractor_set, original.member,
            original.facts, original.sides, copy_of=original.number, topic=original.topic,
        )  # fmt: skip

    @staticmethod
    def _date(rng: Rng) -> str:
        if rng.chance(0.15):
            return ""
        return f"{rng.between(2008, 2025)}-{rng.between(1, 12):02}-{rng.between(1, 28):02}"
