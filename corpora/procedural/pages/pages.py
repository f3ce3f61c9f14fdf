"""Pages beside distractor sets: news, tables, cluster profiles, older versions, and about sites."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from webenv.corpora.procedural.rng import FastRng
from webenv.corpora.procedural.world import clusters, tables
from webenv.corpora.procedural.world.clusters import MEMBERS, EntityCluster, EntityClusters
from webenv.corpora.procedural.world.events import NewsEvent, Newsroom
from webenv.corpora.procedural.world.facts import NAMED, Fact
from webenv.corpora.procedural.world.sites import (
    BRIEFS,
    LISTS,
    OVERVIEWS,
    PORTRAITS,
    PROFILES,
    Website,
    topic_of,
    topics,
)
from webenv.corpora.procedural.world.tables import FactTable, Register
from webenv.corpora.procedural.world.templates import day_text, say, templates
from webenv.corpora.procedural.world.world import World

VERSION_BLOCK = 3
"""Older versions of two pages: one of the one, two of the other."""


class Editions:
    """Says which older version is of which page, and the other way round.

    Args:
        hosts: how many pages there are that may have older versions.
        count: how many older versions there are, a multiple of ``VERSION_BLOCK``.
    """

    def __init__(self, hosts: int, count: int) -> None:
        self._hosts = hosts
        self._kept = count // VERSION_BLOCK * 2  # pages that have some

    def of(self, version: int) -> tuple[int, int]:
        """The place of the page among those that may have versions, and the version's age: 1 is the newest."""
        block, part = divmod(version, VERSION_BLOCK)
        return (2 * block + (part > 0)) * self._hosts // self._kept, max(1, part)

    def versions(self, host: int) -> tuple[int, ...]:
        """The older versions of a page, the newest first; empty where it has none."""
        if not self._kept:
            return ()
        order = -(-host * self._kept // self._hosts)
        if order >= self._kept or order * self._hosts // self._kept != host:
            return ()
        block, second = divmod(order, 2)
        first = block * VERSION_BLOCK
        return (first + 1, first + 2) if second else (first,)


class SiteTopics:
    """The topical profiles of the sites of a world.

    Args:
        world: whose sites.
        counts: how many pages each role has.
    """

    def __init__(self, world: World, counts: Mapping[str, int]) -> None:
        self._world = world
        self._counts = counts

    @cached_property
    def _masses(self) -> dict[tuple[str, str], float]:
        """How many pages on a topic go to sites of a type: (topic, type) → pages."""
        found: dict[tuple[str, str], float] = {}

        def add(kind: str, types: tuple[str, ...], pages: float) -> None:
            for type in types:
                place = (topic_of(kind, self._world.language), type)
                found[place] = found.get(place, 0.0) + pages / len(types)

        counts, kinds, language = self._counts, self._world.kinds, self._world.language
        news, tables = templates("news", language), templates("tables", language)
        for kind in kinds:
            add(kind.name, kind.sites, counts["article"] / len(kinds))
            add(kind.name, BRIEFS, counts["brief"] / len(kinds))
            add(kind.name, LISTS, counts["list"] / len(kinds))
            add(kind.name, ("farm",), counts["rumour"] / len(kinds))
        for template in news:
            add(template.kind, ("news",), counts["report"] / len(news))
            add(template.kind, OVERVIEWS, counts["overview"] / len(news))
        for template in tables:
            add(template.kind, tuple(template.names[1].split()), counts["table"] / len(tables))
        for kind_of_entity in NAMED:
            part = MEMBERS.count(kind_of_entity) / len(MEMBERS)
            add(kind_of_entity, PORTRAITS[kind_of_entity], counts["portrait"] * part)
            add(kind_of_entity, PROFILES[kind_of_entity], counts["profile"] / 3)
        return found

    def shares(self, site: Website) -> dict[str, float]:
        """For each topic the share of a site's pages to be expected on it; they sum to 1, or are all 0."""
        directory = self._world.directory
        pages = {
            topic: self._masses.get((topic, site.type), 0.0) * directory.share(site, site.type, topic)
            for topic in topics(self._world.language)
        }
        total = sum(pages.values())
        return {topic: mass / total if total else 0.0 for topic, mass in pages.items()}


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

    site: Website
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
        self.clusters = EntityClusters(world, counts["portrait"] // clusters.BLOCK)
        self.editions = Editions(sum(counts[role] for role in HOSTS), counts["version"])
        self.site_topics = SiteTopics(world, counts)
        self._host_leaf = lru_cache(maxsize=64)(self._leaf_of)

    # ── what a page belongs to ────────────────────────────────────────────────

    def event(self, role: str, place: int) -> NewsEvent:
        """The event of a report or an overview."""
        return self.newsroom.at(place)[0] if role == "report" else self.newsroom.event(place)

    def table(self, place: int) -> tuple[FactTable, int]:
        """The table of a page of one, and which of its sheets that is."""
        number, sheet = divmod(place, tables.BLOCK)
        return self.register.table(number), sheet

    def cluster(self, place: int) -> tuple[EntityCluster, int]:
        """The entity cluster of a portrait, and which member it is of."""
        number, member = divmod(place, clusters.BLOCK)
        return self.clusters.cluster(number), member

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
        """The pages on the same event or table, or of the same cluster, by role and place; this one among them."""
        if role in ("report", "overview"):
            event = self.event(role, place)
            start = self.newsroom.start(event.number)
            reports = [("report", start + number) for number in range(len(event.reports))]
            return [*reports, ("overview", event.number)]
        size = {"table": tables.BLOCK, "portrait": clusters.BLOCK}.get(role, 1)
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
        rng = FastRng(*self._world.seed, "headline", place)
        title = say(rng.pick(event.template.titles), rng, place=event.place.text)
        topic = topic_of(event.template.kind, event.template.language)
        return Leaf(report.site, event.template.plural, title, title, report.day, event.stated(report), topic)

    def _told(self, event: NewsEvent) -> tuple[int, ...]:
        """The details that the overview of an event states: none of the rare ones."""
        rng = FastRng(*self._world.seed, "overview", event.number)
        wide = [place for place, detail in enumerate(event.details) if detail.attribute.spread != "rare"]
        return tuple(rng.sample(wide, rng.between(3, len(wide) - 1)))

    def _overview(self, place: int) -> Leaf:
        event = self.newsroom.event(place)
        rng = FastRng(*self._world.seed, "overview page", place)
        topic = topic_of(event.template.kind, event.template.language)
        site = self._world.directory.pick(OVERVIEWS, topic, rng)
        day = event.reports[-1].day + rng.between(3, 20)
        language = self._world.language
        title = say(
            language.texts["event title"][0], rng, event=language.title(event.names[0]), place=event.place.text,
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
        rng = FastRng(*self._world.seed, "sheet", place)
        language = self._world.language
        kinds, comma = language.title(table.template.plural), language.comma
        forms = language.texts["table titles"]
        title = say(rng.pick(forms), rng, kinds=kinds, place=table.place.text, labels=comma.join(labels))
        return Leaf(sheet.site, section, f"{table.place.text} list", title, sheet.day, facts, topic)

    def _portrait(self, place: int) -> Leaf:
        cluster, member = self.cluster(place)
        portrait, name = cluster.profiles[member], cluster.members[member].value.text
        title = self._world.language.title(name)
        return Leaf(portrait.site, "lives", name, title, portrait.day, cluster.stated(member, portrait.day), "lives")

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
        rng = FastRng(*self._world.seed, "version", role, host)
        day, dropped = leaf.day, 0
        for step in range(age):
            before = [mark for mark in marks if mark <= day]
            if before:  # so much before the last change that only this one is undone
                least = before[-2] if len(before) > 1 else max(floor + 1, before[-1] - 40)
                day = rng.between(least, before[-1] - 1)
            else:
                day, dropped = max(floor + 1 - step, day - rng.between(2, 90)), dropped + 1
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
            cluster, member = self.cluster(place)
            days = {day for relation in cluster.relations if member in relation.pages for day in relation.since[1:]}
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
        cluster, member = self.cluster(place)
        return cluster.stated(member, day)
