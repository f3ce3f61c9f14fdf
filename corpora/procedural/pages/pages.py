"""Pages beside families: reports and overviews of events, tables, portraits, older versions, and about sites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from webenv.corpora.procedural.pages.editions import Editions
from webenv.corpora.procedural.pages.profiles import Profiles
from webenv.corpora.procedural.spark import Spark
from webenv.corpora.procedural.world import circles, tables
from webenv.corpora.procedural.world.circles import Circle, Circles
from webenv.corpora.procedural.world.events import Event, Newsroom
from webenv.corpora.procedural.world.facts import Fact
from webenv.corpora.procedural.world.sites import Site
from webenv.corpora.procedural.world.tables import Register, Table
from webenv.corpora.procedural.world.templates import day_text, say
from webenv.corpora.procedural.world.topics import OVERVIEWS, topic_of
from webenv.corpora.procedural.world.values import NAMED
from webenv.corpora.procedural.world.world import World

HOSTS = ("overview", "table", "portrait")
"""Roles of pages that may have older versions."""

PAGES = ("report", *HOSTS, "version", "about")
"""Roles of the pages that are planned here."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """What is planned of a page, beside its number and address.

    Attributes:
        site: where it stands.
        section: the part of the site.
        name: how its address ends.
        title: its title.
        day: its date, as an ordinal; 0 where it bears none.
        facts: what it states.
        topic: what it is about, in a word.
    """

    site: Site
    section: str
    name: str
    title: str
    day: int
    facts: tuple[Fact, ...]
    topic: str


class Pages:
    """Plans these pages, each alone and in any order.

    Args:
        world: whose pages.
        counts: how many pages each role has.
    """

    def __init__(self, world: World, counts: Mapping[str, int]) -> None:
        self._world = world
        self._counts = counts
        self.newsroom = Newsroom(world)
        self.register = Register(world)
        self.circles = Circles(world, counts["portrait"] // circles.BLOCK)
        self.editions = Editions(sum(counts[role] for role in HOSTS), counts["version"])
        self.profiles = Profiles(world, counts)
        self._host_leaf = lru_cache(maxsize=64)(self._leaf_of)

    # ── what a page belongs to ────────────────────────────────────────────────

    def event(self, role: str, place: int) -> Event:
        """The event of a report or an overview."""
        return self.newsroom.at(place)[0] if role == "report" else self.newsroom.event(place)

    def table(self, place: int) -> tuple[Table, int]:
        """The table of a page of one, and which of its sheets that is."""
        number, sheet = divmod(place, tables.BLOCK)
        return self.register.table(number), sheet

    def circle(self, place: int) -> tuple[Circle, int]:
        """The circle of a portrait, and which member it is of."""
        number, member = divmod(place, circles.BLOCK)
        return self.circles.circle(number), member

    def host(self, version: int) -> tuple[str, int, int]:
        """Of what an older version is one: role and place of the page, and the version's age."""
        place, age = self.editions.of(version)
        for role in HOSTS:
            if place < self._counts[role]:
                return role, place, age
            place -= self._counts[role]
        raise IndexError(version)

    def versions(self, role: str, place: int) -> tuple[int, ...]:
        """The places of a page's older versions among all versions, the newest first."""
        if role not in HOSTS:
            return ()
        before = sum(self._counts[other] for other in HOSTS[: HOSTS.index(role)])
        return self.editions.versions(before + place)

    def kin(self, role: str, place: int) -> list[tuple[str, int]]:
        """The pages on the same event or table, or out of the same circle, by role and place; this one among them."""
        if role in ("report", "overview"):
            event = self.event(role, place)
            start = self.newsroom.start(event.number)
            reports = [("report", start + number) for number in range(len(event.reports))]
            return [*reports, ("overview", event.number)]
        size = {"table": tables.BLOCK, "portrait": circles.BLOCK}.get(role, 1)
        return [(role, place // size * size + number) for number in range(size)]

    def about(self, kind: str) -> list[tuple[str, int]]:
        """The pages that may state facts about things of a kind, by role and place, versions left out."""
        found: list[tuple[str, int]] = []
        for number in range(self._counts["overview"]):
            if self.newsroom.template(number).kind == kind:
                start = self.newsroom.start(number)
                found += [("report", start + place) for place in range(self.newsroom.reports(number))]
                found.append(("overview", number))
        for number in range(self._counts["table"] // tables.BLOCK):
            if self.register.template(number).kind == kind:
                found += [("table", number * tables.BLOCK + place) for place in range(tables.BLOCK)]
        if kind in NAMED:
            found += [("portrait", place) for place in range(self._counts["portrait"])]
        return found

    # ── plans ─────────────────────────────────────────────────────────────────

    def leaf(self, role: str, place: int) -> Leaf:
        """The plan of a page by its role and its place among those of its role."""
        if role == "report":
            return self._report(place)
        if role == "version":
            return self._version(place)
        if role == "about":
            return self._about(place)
        return self._host_leaf(role, place)

    def _leaf_of(self, role: str, place: int) -> Leaf:
        if role == "overview":
            return self._overview(place)
        return self._sheet(place) if role == "table" else self._portrait(place)

    def _report(self, place: int) -> Leaf:
        event, number = self.newsroom.at(place)
        report = event.reports[number]
        dice = Spark(*self._world.seed, "headline", place)
        title = say(dice.pick(event.template.titles), dice, place=event.place.text)
        topic = topic_of(event.template.kind, event.template.language)
        return Leaf(report.site, event.template.plural, title, title, report.day, event.stated(report), topic)

    def _told(self, event: Event) -> tuple[int, ...]:
        """The details that the overview of an event states: none of the rare ones."""
        dice = Spark(*self._world.seed, "overview", event.number)
        wide = [place for place, detail in enumerate(event.details) if detail.attribute.spread != "rare"]
        return tuple(dice.sample(wide, dice.between(3, len(wide) - 1)))

    def _overview(self, place: int) -> Leaf:
        event = self.newsroom.event(place)
        dice = Spark(*self._world.seed, "overview page", place)
        topic = topic_of(event.template.kind, event.template.language)
        site = self._world.directory.pick(OVERVIEWS, topic, dice)
        day = event.reports[-1].day + dice.between(3, 20)
        language = self._world.language
        title = say(
            language.texts["event title"][0], dice, event=language.title(event.names[0]), place=event.place.text,
            day=day_text(event.day, language),
        )  # fmt: skip
        return Leaf(site, "events", title, title, day, event.known(day, self._told(event)), topic)

    def _sheet(self, place: int) -> Leaf:
        table, number = self.table(place)
        sheet = table.sheets[number]
        facts = table.stated(sheet, sheet.day)
        section = table.template.plural.replace(" ", "-")
        topic = topic_of(table.template.kind, table.template.language)
        if len(sheet.rows) == 1:
            name = table.rows[sheet.rows[0]].name
            return Leaf(sheet.site, section, name, self._world.language.title(name), sheet.day, facts, topic)
        labels = [table.columns[column].label.lower() for column in sheet.columns]
        dice = Spark(*self._world.seed, "sheet", place)
        language = self._world.language
        kinds, comma = language.title(table.template.plural), language.comma
        forms = language.texts["table titles"]
        title = say(dice.pick(forms), dice, kinds=kinds, place=table.place.text, labels=comma.join(labels))
        return Leaf(sheet.site, section, f"{table.place.text} list", title, sheet.day, facts, topic)

    def _portrait(self, place: int) -> Leaf:
        circle, member = self.circle(place)
        portrait, name = circle.portraits[member], circle.members[member].value.text
        title = self._world.language.title(name)
        return Leaf(portrait.site, "lives", name, title, portrait.day, circle.stated(member, portrait.day), "lives")

    def _about(self, place: int) -> Leaf:
        site = self._world.sites[place]
        return Leaf(
            site, "about", "us", self._world.language.texts["about title"][0].replace("{s}", site.name), 0, (), ""
        )

    # ── older versions ────────────────────────────────────────────────────────

    def _version(self, place: int) -> Leaf:
        role, host, age = self.host(place)
        leaf = self._host_leaf(role, host)
        marks, floor = self._marks(role, host, leaf)
        dice = Spark(*self._world.seed, "version", role, host)
        day, dropped = leaf.day, 0
        for step in range(age):
            before = [mark for mark in marks if mark <= day]
            if before:  # so much before the last change that only this one is undone
                least = before[-2] if len(before) > 1 else max(floor + 1, before[-1] - 40)
                day = dice.between(least, before[-1] - 1)
            else:
                day, dropped = max(floor + 1 - step, day - dice.between(2, 90)), dropped + 1
        facts = self._facts(role, host, leaf, day)
        kept = facts[: len(facts) - dropped]
        language = self._world.language
        title = language.texts["version title"][0].replace("{title}", leaf.title)
        title = title.replace("{day}", day_text(day, language))
        return replace(leaf, section="versions", title=title, day=day, facts=kept)

    def _marks(self, role: str, place: int, leaf: Leaf) -> tuple[list[int], int]:
        """The days on which something that a page states changed, and the day before which it cannot be."""
        if role == "overview":
            event = self.newsroom.event(place)
            known = (event.details[number] for number in self._told(event))
            days = {state.since for detail in known for state in detail.states if state.since > event.day}
            floor = event.day
        elif role == "table":
            table, number = self.table(place)
            shown = set(table.sheets[number].cells)
            days = {day for day, row, _ in table.changes if (row, table.moving) in shown}
            floor = 0
        else:
            circle, member = self.circle(place)
            days = {day for tie in circle.ties if member in tie.pages for day in tie.since[1:]}
            floor = 0
        return sorted(day for day in days if day <= leaf.day), floor

    def _facts(self, role: str, place: int, leaf: Leaf, day: int) -> tuple[Fact, ...]:
        """What a page stated on a day."""
        if role == "overview":
            event = self.newsroom.event(place)
            return event.known(day, self._told(event))
        if role == "table":
            table, number = self.table(place)
            return table.stated(table.sheets[number], day)
        circle, member = self.circle(place)
        return circle.stated(member, day)
