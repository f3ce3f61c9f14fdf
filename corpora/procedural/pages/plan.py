"""Plans of pages: what stands where and what it states, before a word of it is written."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.language.phrasing import of_mode, side_phrasings
from webenv.corpora.procedural.pages.pages import HOSTS, PAGES, Pages
from webenv.corpora.procedural.pages.shares import page_counts
from webenv.corpora.procedural.spark import Spark
from webenv.corpora.procedural.world.facts import Fact, Value
from webenv.corpora.procedural.world.family import LEVELS, Family
from webenv.corpora.procedural.world.sites import Site
from webenv.corpora.procedural.world.templates import iso
from webenv.corpora.procedural.world.topics import BRIEFS, LISTS, PROFILES, topic_of
from webenv.corpora.procedural.world.values import NAMED
from webenv.corpora.procedural.world.world import Entity, World

_DECOYS = (0.02, 0.32, 0.7)
_MOVED = 0.08
_SECTIONS = {"brief": "notes", "rumour": "facts"}


@dataclass(frozen=True, slots=True)
class Plan:
    """A page before it is written.

    Attributes:
        number: which page of the web.
        role: one of ``ROLES``.
        site: where it stands.
        url: its address.
        title: its title.
        date: ISO date, empty where the page bears none.
        aliases: other addresses that lead to it.
        family: number of the family that it is about, −1 where there is none.
        member: which sibling, −1 where there is none.
        facts: what it states of its subject (of several, in a list).
        sides: what it states of other things.
        copy_of: number of the page that it is a copy of, −1 where it is none.
        entity: whom a profile is about.
        version_of: number of the page that it is an older version of, −1 where it is none.
        topic: what it is about, in a word (:func:`webenv.corpora.procedural.world.topics.topics`); may be empty.
    """

    number: int
    role: str
    site: Site
    url: str
    title: str
    date: str
    aliases: tuple[str, ...]
    family: int
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
    family), briefs, lists, profiles; reports and overviews of events, pages of tables, portraits,
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
        self._things = things, {kind: of_mode(ways, world.dials.phrasings) for kind, ways in by_type.items()}
        self._starts: list[tuple[int, str]] = []
        start = 0
        for role, count in self.counts.items():
            self._starts.append((start, role))
            start += count

    def __len__(self) -> int:
        return self.world.dials.pages

    def role(self, number: int) -> tuple[str, int]:
        """The role of a page, and its number among those of its role."""
        start, role = max(pair for pair in self._starts if pair[0] <= number and self.counts[pair[1]])
        return role, number - start

    def number(self, role: str, place: int) -> int:
        """The number of a page by role and its place among those of its role."""
        return next(start for start, name in self._starts if name == role) + place

    def article(self, family: int, member: int) -> int:
        """The number of the article about a member of a family."""
        return family * self.world.dials.family + member

    def _family_of(self, role: str, place: int) -> int:
        """The family that a brief, a list or a rumour is about: families share them evenly, in their order."""
        return place * self.world.families // self.counts[role]

    def satellites(self, family: int) -> list[int]:
        """The numbers of the briefs, lists and rumours about a family."""
        found: list[int] = []
        for role in ("brief", "list", "rumour"):
            count = self.counts[role]
            first, last = (-(-edge * count // self.world.families) for edge in (family, family + 1))
            start = self.number(role, 0)
            found += range(start + first, start + last)
        return found

    def kin(self, number: int) -> list[int]:
        """The numbers of the other pages on the same event or table, or out of the same circle."""
        role, place = self.role(number)
        if role == "version":
            role, place, _ = self.pages.host(place)
        found = [self.number(other, each) for other, each in self.pages.kin(role, place)]
        return [other for other in found if other != number]

    def neighbours(self, number: int) -> list[int]:
        """The other pages about the same family, event, table or circle; empty where there are none."""
        plan = self.plan(number)
        if plan.family < 0:
            return self.kin(number)
        members = range(self.world.dials.family)
        found = [*(self.article(plan.family, member) for member in members), *self.satellites(plan.family)]
        return [other for other in found if other != number]

    def families(self, kind: str) -> range:
        """The numbers of the families of a kind."""
        names = [known.name for known in self.world.kinds]
        return range(names.index(kind), self.world.families, len(names)) if kind in names else range(0)

    def about(self, kind: str) -> list[int]:
        """The numbers of all pages that may state facts about things of a kind, articles and copies left out."""
        found = [number for family in self.families(kind) for number in self.satellites(family)]
        if kind in NAMED:
            found += [self.number("profile", place) for place in range(self.counts["profile"])]
        for role, place in self.pages.about(kind):
            number = self.number(role, place)
            found += [number, *self.versions(number)]
        return found

    def plan(self, number: int) -> Plan:
        """The plan of a page."""
        role, place = self.role(number)
        if role in PAGES:
            return self._leaf(number, role, place)
        dice = Dice(*self.world.seed, "plan", number)
        if role == "article":
            family, member = divmod(place, self.world.dials.family)
            return self._article(number, family, member, dice)
        if role in ("brief", "rumour"):
            return self._brief(number, role, self._family_of(role, place), dice)
        if role == "list":
            return self._list(number, self._family_of(role, place), dice)
        if role == "profile":
            return self._profile(number, place, dice)
        if role == "entry":
            site = self.world.directory.by_type["reference"][0]
            title = self._title("leaf", str(place + 1))
            url = site.url("words", "leaf", place + 1)
            return Plan(number, role, site, url, title, "", (), -1, -1, (), ())
        return self._copy(number, dice)

    def _title(self, use: str, place: str = "", kinds: str = "", home: str = "") -> str:
        """A title that names no member."""
        form = self.world.language.texts[use][0]
        return form.replace("{}", place).replace("{kinds}", kinds).replace("{home}", home)

    def versions(self, number: int) -> tuple[int, ...]:
        """The numbers of the older versions of a page, the newest first; empty where it has none."""
        role, place = self.role(number)
        return tuple(self.number("version", version) for version in self.pages.versions(role, place))

    def _leaf(self, number: int, role: str, place: int) -> Plan:
        leaf = self.pages.leaf(role, place)
        url = leaf.site.url(leaf.section, leaf.name, number)
        date = iso(leaf.day) if leaf.day else ""
        aliases = self._aliases(leaf.site, number) if role in HOSTS else ()
        version_of = -1
        if role == "version":
            host, host_place, _ = self.pages.host(place)
            version_of = self.number(host, host_place)
        return Plan(
            number, role, leaf.site, url, leaf.title, date, aliases, -1, -1, leaf.facts, (), version_of=version_of,
            topic=leaf.topic,
        )  # fmt: skip

    def _aliases(self, site: Site, number: int) -> tuple[str, ...]:
        """Old addresses of a page: some pages have moved."""
        moved = Spark(*self.world.seed, "moved", number).chance(_MOVED)
        return (f"https://{site.host}/p/{number}",) if moved else ()

    def _article(self, number: int, family_number: int, member: int, dice: Dice) -> Plan:
        family = self.world.family(family_number)
        topic = topic_of(family.kind.name, self.world.language)
        site = self.world.directory.pick(family.kind.sites, topic, dice)
        name = family.names[member]
        facts = tuple(family.fact(member, slot) for slot in range(len(family.slots)))
        sides = self._sides(number, family, member, dice)
        url = site.url(family.kind.plural.replace(" ", "-").replace("'", ""), name, number)
        aliases = self._aliases(site, number)
        return Plan(
            number,
            "article",
            site,
            url,
            self.world.language.title(name),
            self._date(dice),
            aliases,
            family_number,
            member,
            facts,
            sides,
            topic=topic,
        )

    def _sides(self, number: int, family: Family, member: int, dice: Dice) -> tuple[Fact, ...]:
        """The values that a member does not hold, within facts about other things."""
        objects: list[Value] = []
        qualifiers: list[Value] = []
        for slot, level in enumerate(family.rows[member]):
            share = self.world.dials.decoys * _DECOYS[family.slots[slot].relation.tier]
            for other in range(LEVELS):
                if other != level:
                    value, qualifier = family.slots[slot].levels[other]
                    if dice.chance(share):
                        objects.append(value)
                    if dice.chance(share):
                        qualifiers.append(qualifier)
        return self._side_facts(number, dice.shuffle(objects), dice.shuffle(qualifiers), dice)

    def _side_facts(self, number: int, objects: list[Value], qualifiers: list[Value], dice: Dice) -> tuple[Fact, ...]:
        things, by_type = self._things
        chosen = dice.sample(things, len(objects))
        found = []
        for place, value in enumerate(objects):
            if place >= len(qualifiers):
                break
            phrasing = dice.pick(by_type[value.type])
            subject = -(number * 100 + place) - 1
            found.append(Fact(subject, chosen[place], phrasing.id, value, qualifiers[place]))
        return tuple(found)

    def _brief(self, number: int, role: str, family_number: int, dice: Dice) -> Plan:
        family = self.world.family(family_number)
        member = dice.below(len(family.names))
        topic = topic_of(family.kind.name, self.world.language)
        site = self.world.directory.pick(("farm",) if role == "rumour" else BRIEFS, topic, dice)
        facts = []
        for tier in range(3):
            for slot in dice.sample(family.tier(tier), dice.between(1, 2) if tier == 0 else dice.between(0, 1)):
                level = family.rows[member][slot]
                if role == "rumour" and dice.chance(0.7):
                    wrong = (level + dice.between(1, LEVELS - 1)) % LEVELS
                    facts.append(family.fact(member, slot, wrong, confidence=0.3))
                else:
                    facts.append(family.fact(member, slot))
        sides = dice.sample(self._sides(number, family, member, dice), dice.between(2, 7))
        name = family.names[member]
        language = self.world.language
        title = language.title(name) + dice.pick(language.texts["briefs"])
        url = site.url(_SECTIONS[role], name, number)
        return Plan(
            number, role, site, url, title, self._date(dice), (), family_number, member, tuple(facts), tuple(sides),
            topic=topic,
        )  # fmt: skip

    def _list(self, number: int, family_number: int, dice: Dice) -> Plan:
        family = self.world.family(family_number)
        topic = topic_of(family.kind.name, self.world.language)
        site = self.world.directory.pick(LISTS, topic, dice)
        slots = [dice.pick(family.tier(tier)) for tier in dice.sample(range(3), dice.between(1, 2))]
        facts = tuple(family.fact(member, slot) for member in range(len(family.names)) for slot in slots)
        title = self._title("list title", kinds=family.kind.plural, home=family.home.text)
        url = site.url("lists", f"{family.kind.plural} {family.home.text}", number)
        return Plan(number, "list", site, url, title, self._date(dice), (), family_number, -1, facts, (), topic=topic)

    def _profile(self, number: int, place: int, dice: Dice) -> Plan:
        kind = NAMED[place % 3]
        known = self.world.entities[kind]
        entity = known[place // 3 % len(known)]
        site = self.world.directory.pick(PROFILES[kind], topic_of(kind, self.world.language), dice)
        url = site.url("names", entity.value.text, number)
        facts = self.world.profile(entity)
        title = self.world.language.title(entity.value.text)
        return Plan(
            number, "profile", site, url, title, self._date(dice), (), -1, -1, facts, (), entity=entity,
            topic=topic_of(kind, self.world.language),
        )  # fmt: skip

    def _original(self, dice: Dice) -> int:
        return dice.below(self.counts["article"] + self.counts["brief"])

    def copied(self, number: int) -> int:
        """The number of the page that a copy is a copy of."""
        return self._original(Dice(*self.world.seed, "plan", number))

    def _copy(self, number: int, dice: Dice) -> Plan:
        original = self.plan(self._original(dice))
        others = [site for site in self.world.sites if site.type not in ("reference", original.site.type)]
        site = dice.pick(others)
        url = site.url("syndicated", original.title, number)
        return Plan(
            number, "copy", site, url, original.title, self._date(dice), (), original.family, original.member,
            original.facts, original.sides, copy_of=original.number, topic=original.topic,
        )  # fmt: skip

    @staticmethod
    def _date(dice: Dice) -> str:
        if dice.chance(0.15):
            return ""
        return f"{dice.between(2008, 2025)}-{dice.between(1, 12):02}-{dice.between(1, 28):02}"
