"""The writing of pages beside distractor sets: news, tables, portraits, versions, about; and the reference site."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache

from webenv.corpora.procedural.language.phrasing import synonyms
from webenv.corpora.procedural.pages.pages import Pages
from webenv.corpora.procedural.rng import FastRng, Rng
from webenv.corpora.procedural.world.events import AT_FIRST
from webenv.corpora.procedural.world.facts import Fact, listed
from webenv.corpora.procedural.world.sites import Voice, Website
from webenv.corpora.procedural.world.templates import attributes, day_text, frames, say
from webenv.corpora.procedural.world.world import World

_TERMS = 36


class Reference:
    """Leaves of a dictionary of near words, wider names, and meanings.

    Every word that criteria use and pages do not stands on some leaf beside the pages' words.

    Args:
        world: whose words.
        leaves: how many pages.
    """

    def __init__(self, world: World, leaves: int) -> None:
        self._world = world
        self._leaves = leaves
        self._language = world.language

    @cached_property
    def _terms(self) -> list[tuple[bool, str, tuple[str, ...]]]:
        """(whether a wider name, the term, what it stands beside) in an order of the world's own."""
        found: list[tuple[bool, str, tuple[str, ...]]] = [
            (False, word, near) for word, near in synonyms(self._language).items()
        ]
        for groups in listed(self._language).values():
            for group, values in groups.items():
                for value in values:
                    found.append((True, value.text, (group,)))
                    if value.far:
                        found.append((False, value.far, (value.text,)))
        return Rng(*self._world.seed, "reference").shuffle(found)

    @cached_property
    def _meanings(self) -> tuple[tuple[str, str], ...]:
        return self._language.meanings()

    def leaf(self, number: int, rng: Rng) -> str:
        """The text of one leaf: some terms of this world, among words of the lexicon."""
        each = -(-len(self._terms) // self._leaves)
        mine = self._terms[number * each : (number + 1) * each]
        if not mine:
            mine = rng.sample(self._terms, 6)
        texts = self._language.texts
        lines = []
        for below, term, beside in mine:
            form = rng.pick(texts["wider" if below else "near"])
            other = self._language.either(beside)
            lines.append(form.replace("{a}", f"“{term}”").replace("{b}", other))
        for _ in range(max(20, _TERMS - len(lines))):
            word, meaning = rng.pick(self._meanings)
            lines.append(rng.pick(texts["means"]).replace("{w}", f"“{word}”").replace("{x}", meaning))
        ready = [self._language.entry(line) for line in rng.shuffle(lines)]
        half = len(ready) // 2
        return "\n".join(ready[:half]) + "\n\n" + "\n".join(ready[half:])


Composed = tuple[str, tuple[tuple[Fact, str], ...]]
"""A page's main text, and each fact with the sentence that states it."""

Filler = Callable[[Voice, Rng], str]
"""Gives a digression in a voice."""

_DASH = "–"
_PLAIN = 0.42  # sentences that nothing introduces


class Composer:
    """Writes these pages; equal facts are worded alike on a page and its older versions.

    Args:
        world: whose pages.
        pages: what they belong to.
        voices: how each type of site writes.
        filler: makes digressions.
    """

    def __init__(self, world: World, pages: Pages, voices: Mapping[str, Voice], filler: Filler) -> None:
        self._world = world
        self._language = world.language
        self._frames = frames(world.language)
        self._pages = pages
        self._voices = voices
        self._filler = filler
        self._ways = lru_cache(maxsize=2048)(self._ways_of)

    def write(self, role: str, place: int, site: Website, day: int, facts: Sequence[Fact], rng: Rng) -> Composed:
        """The text of a page by its role and its place among those of its role.

        Args:
            role: the role.
            place: the place.
            site: where the page stands.
            day: its date, as an ordinal; 0 where it bears none.
            facts: what it states.
            rng: chance of the page's own.
        """
        voice = self._voices[site.voice]
        if role == "about":
            return self._about(place, voice, rng), ()
        if role == "version":
            role, place, _ = self._pages.host(place)
            text, stated = self._page(role, place, voice, facts, rng)
            note = say(rng.pick(self._frames["older"]), rng, day=day_text(day, self._language))
            return f"{note}\n\n{text}", stated
        return self._page(role, place, voice, facts, rng)

    def _page(self, role: str, place: int, voice: Voice, facts: Sequence[Fact], rng: Rng) -> Composed:
        if role in ("report", "overview"):
            return self._news(role, place, voice, facts, rng)
        if role == "portrait":
            return self._portrait(place, voice, facts, rng)
        table, number = self._pages.table(place)
        if len(table.sheets[number].rows) == 1:
            return self._thing(place, voice, facts, rng)
        return self._sheet(place, voice, facts, rng)

    # ── facts ─────────────────────────────────────────────────────────────────

    def _ways_of(self, relation: str) -> tuple[str, ...]:
        """The ways to state a relation that the dial leaves: a third can be held out."""
        mode = self._world.config.phrasings
        every = attributes(self._language)[relation].phrasings
        return tuple(way for n, way in enumerate(every) if mode == "all" or (n % 3 == 2) == (mode == "held"))

    def _said(self, fact: Fact, name: str, frame: str, voice: Voice, rng: Rng) -> str:
        """A sentence that states a fact."""
        bare = name.removeprefix("the ")
        clause = say(rng.pick(self._ways(fact.relation)), rng, s=name, b=bare, o=fact.object.text)
        if frame and not rng.chance(_PLAIN):
            form = rng.pick(self._frames[frame])
            clause = say(form, rng, who=rng.pick(voice["who"]), x=clause)
        return self._language.sentence(clause)

    def _statements(
        self, facts: Sequence[Fact], names: Mapping[int, str], frame: str, voice: Voice, *key: int | str
    ) -> list[tuple[str, list[tuple[Fact, str]]]]:
        """Runs of one or two sentences that state facts; what had been believed at first follows what is known now."""
        found: list[tuple[str, list[tuple[Fact, str]]]] = []
        for fact in facts:
            rng = FastRng(*self._world.seed, "wording", *key, fact.subject, fact.relation, fact.qualifier.text)
            if fact.qualifier == AT_FIRST and found:
                text = self._language.sentence(say(rng.pick(self._frames["first"]), rng, o=fact.object.text))
                found[-1] = (self._language.space.join((found[-1][0], text)), [*found[-1][1], (fact, text)])
                continue
            text = self._said(fact, names[fact.subject], frame, voice, rng)
            found.append((text, [(fact, text)]))
        return found

    def _body(
        self, runs: list[tuple[str, list[tuple[Fact, str]]]], fillers: int, voice: Voice, rng: Rng
    ) -> tuple[list[str], list[tuple[Fact, str]]]:
        """Paragraphs of statements, in their order, among digressions; headings where there are many."""
        random = rng.random
        spots = sorted(random() for _ in runs)
        units = [(spot, text) for spot, (text, _) in zip(spots, runs, strict=True)]
        units += [(random() * 1.1, self._filler(voice, rng)) for _ in range(fillers)]
        units.sort(key=lambda unit: unit[0])
        heads = rng.sample(voice["heads"], len(units) // 13)
        paragraphs: list[str] = []
        body: list[str] = []
        room = rng.between(1, 5)
        for number, (_, text) in enumerate(units):
            body.append(text)
            if len(body) >= room:
                paragraphs.append(self._language.space.join(body))
                body, room = [], rng.between(2, 5)
                if heads and number % 13 > 8 and number + 2 < len(units):
                    paragraphs.append(heads.pop())
        if body:
            paragraphs.append(self._language.space.join(body))
        return paragraphs, [pair for _, pairs in runs for pair in pairs]

    # ── pages ─────────────────────────────────────────────────────────────────

    def _news(self, role: str, place: int, voice: Voice, facts: Sequence[Fact], rng: Rng) -> Composed:
        event = self._pages.event(role, place)
        wording = FastRng(*self._world.seed, "wording", role, place)
        if role == "overview":
            known = self._frames["overview"]
        else:
            later = event.reports[self._pages.newsroom.at(place)[1]].later
            known = self._frames["later"] if later else event.template.openings
        name = self._language.definite(wording.pick(event.names), event.template.measure)
        opening = say(
            wording.pick(known), wording, s=name, place=event.place.text, day=day_text(event.day, self._language)
        )
        lead = self._language.sentence(opening)
        stated = [(fact, lead) for fact in facts[:2]]
        again = self._language.definite(wording.pick(event.names), event.template.measure)
        names = {event.subject: again}
        runs = self._statements(facts[2:], names, "said", voice, role, place)
        first, runs = runs[:1], runs[1:]
        stated += [pair for _, pairs in first for pair in pairs]
        fillers = rng.skewed(7, 34)
        paragraphs, more = self._body(runs, fillers, voice, rng)
        head = self._language.space.join([lead, *(text for text, _ in first), self._filler(voice, rng)])
        return "\n\n".join([head, *paragraphs]), tuple(stated + more)

    def _thing(self, place: int, voice: Voice, facts: Sequence[Fact], rng: Rng) -> Composed:
        table, number = self._pages.table(place)
        row = table.rows[table.sheets[number].rows[0]]
        wording = FastRng(*self._world.seed, "wording", "thing", place)
        kind = self._language.with_article(table.template.kind, table.template.measure)
        form = wording.pick(table.template.openings)
        opening = say(form, wording, s=row.name, kind=kind, place=table.place.text)
        lead = self._language.sentence(opening)
        runs = self._statements(facts[1:], {row.subject: row.name}, "told", voice, "thing", place)
        paragraphs, stated = self._body(runs, rng.skewed(7, 30), voice, rng)
        head = self._language.space.join([lead, self._filler(voice, rng), self._filler(voice, rng)])
        return "\n\n".join([head, *paragraphs]), ((facts[0], lead), *stated)

    def _sheet(self, place: int, voice: Voice, facts: Sequence[Fact], rng: Rng) -> Composed:
        table, number = self._pages.table(place)
        sheet = table.sheets[number]
        wording = FastRng(*self._world.seed, "wording", "sheet", place)
        form = wording.pick(self._frames["table"])
        intro = self._language.sentence(say(form, wording, kinds=table.template.plural, place=table.place.text))
        columns = [table.columns[column] for column in sheet.columns]
        cells = {(fact.subject, fact.relation): fact for fact in facts}
        lines = [" | ".join([self._language.texts["name"][0], *(column.label for column in columns)])]
        stated: list[tuple[Fact, str]] = []
        gaps = False
        for row in sheet.rows:
            subject, name = table.rows[row].subject, table.rows[row].name
            found = [cells.get((subject, column.name)) for column in columns]
            lines.append(" | ".join([name, *(fact.object.text if fact else _DASH for fact in found)]))
            stated += [(fact, lines[-1]) for fact in found if fact]
            gaps |= None in found
        stated += [(fact, intro) for fact in facts if fact.object == table.place]
        notes = [self._language.sentence(wording.pick(self._frames["holes"]))] if gaps else []
        before = self._language.space.join([intro, *(self._filler(voice, rng) for _ in range(rng.between(1, 4)))])
        after = [self._filler(voice, rng) for _ in range(rng.between(4, 14))]
        half = len(after) // 2
        parts = [
            before,
            "\n".join(lines),
            self._language.space.join([*notes, *after[:half]]),
            self._language.space.join(after[half:]),
        ]
        return "\n\n".join(parts), tuple(stated)

    def _portrait(self, place: int, voice: Voice, facts: Sequence[Fact], rng: Rng) -> Composed:
        cluster, member = self._pages.cluster(place)
        entity = cluster.members[member]
        wording = FastRng(*self._world.seed, "wording", "portrait", place)
        openings = self._pages.clusters.template(entity.value.type).openings
        lead = self._language.sentence(say(wording.pick(openings), wording, s=entity.value.text))
        runs = self._statements(facts, cluster.names(), "told", voice, "portrait", place)
        paragraphs, stated = self._body(wording.shuffle(runs), rng.skewed(6, 34), voice, rng)
        head = self._language.space.join([lead, self._filler(voice, rng)])
        return "\n\n".join([head, *paragraphs]), tuple(stated)

    def _about(self, place: int, voice: Voice, rng: Rng) -> str:
        site = self._world.sites[place]
        fillers = [self._filler(voice, rng) for _ in range(rng.between(6, 16))]
        half = len(fillers) // 2
        description = self.description(site)
        return "\n\n".join(
            [description, self._language.space.join(fillers[:half]), self._language.space.join(fillers[half:])]
        )

    def description(self, site: Website) -> str:
        """What a site writes about, in a paragraph: the kinds of thing of its three main topics."""
        rng = FastRng(*self._world.seed, "description", site.number)
        shares = self._pages.site_topics.shares(site)
        first = [topic for topic, _ in sorted(shares.items(), key=lambda pair: (-pair[1], pair[0]))]
        kind = self._frames[f"type.{site.type}"][0]
        about = say(rng.pick(self._frames["about"]), rng, s=site.name)
        parts = [about.replace("a {type}", self._language.with_article(kind)).replace("{type}", kind)]
        main = [topic for topic in first if shares[topic] > 0][:3]
        if len(main) == 3:
            parts.append(say(rng.pick(self._frames["writes"]), rng, **dict(zip("abc", main, strict=True))))
        elif main:
            parts.append(say(rng.pick(self._frames["narrow"]), rng, a=self._language.last.join(main)))
        if main:
            parts.append(say(rng.pick(self._frames["rarely"]), rng, d=first[-1]))
        return self._language.space.join(self._language.sentence(part) for part in parts)
