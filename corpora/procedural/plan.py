"""Plans of pages: what stands where and what it states, before a word of it is written."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.facts import Fact, Value
from webenv.corpora.procedural.family import LEVELS, Family
from webenv.corpora.procedural.phrasing import side_phrasings
from webenv.corpora.procedural.sites import Site
from webenv.corpora.procedural.world import Entity, World

__all__ = ["ROLES", "Plan", "Planner"]

ROLES = ("article", "brief", "list", "profile", "entry", "rumour", "copy")
_DECOYS = (0.02, 0.32, 0.7)
_SECTIONS = {
    "article": "", "brief": "notes", "list": "lists", "profile": "names", "entry": "words", "rumour": "facts",
}  # fmt: skip


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


class Planner:
    """Plans every page of a web, each alone and in any order.

    Pages are numbered by role: articles (each about a member of a family), then briefs, lists,
    profiles, entries of the reference site, rumours, and copies.

    Args:
        world: whose pages.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        dials = world.dials
        articles = world.families * dials.family
        left = dials.pages - articles
        copies = min(int(dials.pages * dials.copies), left)
        left -= copies
        rumours = min(int(dials.pages * dials.contradictions), left)
        left -= rumours
        entries = max(1, round(left * 0.3))
        profiles = round(left * 0.2)
        lists = min(world.families, round(left * 0.2))
        counts = (articles, left - entries - profiles - lists, lists, profiles, entries, rumours, copies)
        self.counts: dict[str, int] = dict(zip(ROLES, counts, strict=True))
        self._starts: list[tuple[int, str]] = []
        start = 0
        for role, count in self.counts.items():
            self._starts.append((start, role))
            start += count
        self._by_type: dict[str, list[Site]] = {}
        for site in world.sites:
            self._by_type.setdefault(site.type, []).append(site)

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

    def plan(self, number: int) -> Plan:
        """The plan of a page."""
        role, place = self.role(number)
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
            site = self._by_type["reference"][0]
            title = f"Words, leaf {place + 1}"
            url = site.url("words", "leaf", place + 1)
            return Plan(number, role, site, url, title, "", (), -1, -1, (), ())
        return self._copy(number, dice)

    def _site(self, types: tuple[str, ...], dice: Dice) -> Site:
        return dice.pick(self._by_type[dice.pick(types)])

    def _article(self, number: int, family_number: int, member: int, dice: Dice) -> Plan:
        family = self.world.family(family_number)
        site = self._site(family.kind.sites, dice)
        name = family.names[member]
        facts = tuple(family.fact(member, slot) for slot in range(len(family.slots)))
        sides = self._sides(number, family, member, dice)
        url = site.url(family.kind.plural.replace(" ", "-").replace("'", ""), name, number)
        aliases = (f"https://{site.host}/p/{number}",) if dice.chance(0.08) else ()
        return Plan(
            number, "article", site, url, _title(name), self._date(dice), aliases, family_number, member, facts, sides
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
        things, by_type = side_phrasings()
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
        types = ("farm",) if role == "rumour" else ("news", "forum", "shop", "blog", "archive")
        site = self._site(types, dice)
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
        title = _title(name) + dice.pick(
            (": what we know", ": a note", ", once more", ": questions", ": a reader asks")
        )
        url = site.url(_SECTIONS[role], name, number)
        return Plan(
            number, role, site, url, title, self._date(dice), (), family_number, member, tuple(facts), tuple(sides)
        )

    def _list(self, number: int, family_number: int, dice: Dice) -> Plan:
        family = self.world.family(family_number)
        site = self._site(("encyclopedia", "travel", "archive"), dice)
        slots = [dice.pick(family.tier(tier)) for tier in dice.sample(range(3), dice.between(1, 2))]
        facts = tuple(family.fact(member, slot) for member in range(len(family.names)) for slot in slots)
        title = f"List of {family.kind.plural} near {family.home.text}"
        url = site.url("lists", f"{family.kind.plural} {family.home.text}", number)
        return Plan(number, "list", site, url, title, self._date(dice), (), family_number, -1, facts, ())

    def _profile(self, number: int, place: int, dice: Dice) -> Plan:
        kind = ("person", "place", "org")[place % 3]
        known = self.world.entities[kind]
        entity = known[place // 3 % len(known)]
        site = self._site(("encyclopedia", "archive", "travel" if kind == "place" else "news"), dice)
        url = site.url("names", entity.value.text, number)
        facts = self.world.profile(entity)
        title = _title(entity.value.text)
        return Plan(number, "profile", site, url, title, self._date(dice), (), -1, -1, facts, (), entity=entity)

    def _copy(self, number: int, dice: Dice) -> Plan:
        original = self.plan(dice.below(self.counts["article"] + self.counts["brief"]))
        others = [site for site in self.world.sites if site.type not in ("reference", original.site.type)]
        site = dice.pick(others)
        url = site.url("syndicated", original.title, number)
        return Plan(
            number, "copy", site, url, original.title, self._date(dice), (), original.family, original.member,
            original.facts, original.sides, copy_of=original.number,
        )  # fmt: skip

    @staticmethod
    def _date(dice: Dice) -> str:
        if dice.chance(0.15):
            return ""
        return f"{dice.between(2008, 2025)}-{dice.between(1, 12):02}-{dice.between(1, 28):02}"


def _title(name: str) -> str:
    return (name[:1].upper() + name[1:]).strip("“”")
