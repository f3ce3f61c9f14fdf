"""WorldGraph: a simulated world as a graph of facts, and tables of what its pages state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from webenv.corpora.procedural import Rng
from webenv.corpora.world import Asker, WorldWeb
from webenv.corpora.world import WorldEntity as WorldEntity
from webenv.corpora.world import WorldFact as WorldFact
from webenv.corpora.world.model import WorldValue
from webenv.corpora.world.schema import FactSpec
from webenv.corpora.world.wording import synonyms
from webenv.envs.fact_graph import (
    SIZES,
    GraphCell,
    GraphColumn,
    GraphEntity,
    GraphRelation,
    GraphStatement,
    GraphTable,
    written,
)
from webenv.envs.table_words import TABLE_WORDS, CellSource

_COUNTIES = {"small": (1, 4), "medium": (2, 9), "large": (8, 20)}
_TRIES = 40
_WIDEST = 5  # columns beside the key
_STATED = 0.4  # of the cells of a column, at the least
_JOINED = 0.2  # likewise, of a column that a join gives
_BORN = 0.1  # likewise, of a column of a table of posts: pages tell where some in seven of their holders were born
_ROLES = 0.35  # of tables that are wanted small or medium; large ones are of roles, as nothing else is so many
_NAMES = ("person", "org", "thing", "place")
_NUMBERS = ("number", "money")
_TOLD = (*_NAMES, *_NUMBERS, "year", "name")
"""Types of which every page that tells a value has it in the same words."""


class WorldGraph:
    """The facts of a simulated world, and which of its pages assert them.

    A cell of a table is stated by a page that asserts the fact, tells this value of it, and names its subject; one that
    no page states is empty. A cell that a join gives needs pages for both of its facts. Somebody who held a post has a
    row where a page tells until when, or since when, and since when a later one did.

    Args:
        web: the web.
        pages: the numbers of the pages that count; ``None``: all.
    """

    def __init__(self, web: WorldWeb, pages: Container[int] | None = None) -> None:
        self._web = web
        self._counted = pages
        self.language = web.config.language
        self._asker = Asker(web.world.setting)
        self._speech = web.language
        self._words = TABLE_WORDS[self.language](web.language)
        self._facts: dict[tuple[int, str, str], list[WorldFact]] = {}
        self._text = lru_cache(maxsize=4_096)(self._written)
        self.part = lru_cache(maxsize=64)(self._of_region)
        self._stating = lru_cache(maxsize=65_536)(self._pages_with)

    # ── chains ────────────────────────────────────────────────────────────────

    def statements(self) -> Sequence[GraphStatement]:
        """All facts of the world; those that pages assert, and questions can ask for, have forms."""
        return self._statements

    @cached_property
    def _statements(self) -> list[GraphStatement]:
        return [one for number in range(self.parts()) for one in self.part(number)]

    def parts(self) -> int:
        """How many regions the world has."""
        return self._web.world.setting.regions

    def _of_region(self, number: int) -> tuple[GraphStatement, ...]:
        found: list[GraphStatement] = []
        kinds = self._web.world.setting.kinds
        for one in self._web.world.region(number).entities:
            subject = GraphEntity(one.number, kinds[one.kind].noun, one.name)
            for fact in one.facts:
                target = self._web.entity(fact.object.entity) if fact.object.entity >= 0 else None
                named = None if target is None else GraphEntity(target.number, kinds[target.kind].noun, target.name)
                found.append(self._statement(subject, fact, named))
        return tuple(found)

    def _statement(self, subject: GraphEntity, fact: WorldFact, target: GraphEntity | None) -> GraphStatement:
        spec = self._asker.spec(fact)
        told = bool(self._told_on(fact.key))
        value = fact.object._replace(type="name", text="{o}") if target else fact.object
        form = self._asker.claim(fact._replace(object=value), "{s}") if told else ""
        form = self._speech.bare(form)
        label = spec.labels[0] if spec.labels else ""
        relation = GraphRelation(f"{fact.kind}.{fact.relation}", label, spec.object.kind, (form,) if form else ())
        statement = GraphStatement(subject, relation, self._shown(fact.object), target)
        if told:
            self._facts.setdefault(_key(statement), []).append(fact)
        return statement

    def pages(self, statement: GraphStatement) -> tuple[str, ...]:
        """The addresses of the pages that assert a fact, by the full names of whom it is about."""
        names = (statement.subject.name, *((statement.object.name,) if statement.object else ()))
        told = (self._stating(fact.key, "O", *names) for fact in self._facts.get(_key(statement), ()))
        return tuple(dict.fromkeys(url for urls in told for url in urls))

    # ── tables ────────────────────────────────────────────────────────────────

    def table(self, size: str, rng: Rng) -> GraphTable | None:
        """A table of so many rows (:data:`SIZES`), drawn; ``None``: this world has none."""
        low, high = SIZES[size]
        regions = self._web.world.setting.regions
        for _ in range(_TRIES):
            least, most = (min(one, regions) for one in _COUNTIES[size])
            first, count = rng.below(regions), rng.between(least, most)
            scope = self._named([(first + step) % regions for step in range(count)])
            roles = size == "large" or rng.chance(_ROLES)
            rows = range(low, high + 1)
            table = self._roles(scope, rows, rng) if roles else self._things(scope, rows, rng)
            if table is not None:
                return table
        return None

    def _named(self, scope: Sequence[int]) -> list[int]:
        """The regions with the names of some: two counties of a world may have one name, and a question means both."""
        counties = {self._web.world.region(region).cast.county for region in scope}
        every = range(self._web.world.setting.regions)
        others = (one for one in every if self._web.world.region(one).cast.county in counties)
        return list(dict.fromkeys((*scope, *others)))

    def _things(self, scope: Sequence[int], rows: range, rng: Rng) -> GraphTable | None:
        """Things of a kind in some counties, a row for each, of a kind with so many."""
        count = Counter(one.kind for one in self._of(scope) if one.kind not in ("person", "town"))
        for kind in rng.shuffle(sorted(kind for kind in count if count[kind] >= rows.start)):
            members = self._members(kind, scope)
            if len(members) not in rows or len({one.title for one in members}) < len(members):
                continue
            sources = self._sources(kind, members, rng)
            if len(sources) >= 2:
                return self.things(kind, scope, sources)
        return None

    def _members(self, kind: str, scope: Sequence[int]) -> list[WorldEntity]:
        return [one for one in self._of(scope) if one.kind == kind and self._placing(one)]

    def things(self, kind: str, scope: Sequence[int], sources: Sequence[CellSource]) -> GraphTable:
        """The table of all things of a kind in some regions."""
        rows = tuple(
            (GraphCell(one.title, self._placing(one)), *(self._cell(one, source) for source in sources))
            for one in self._members(kind, scope)
        )
        spec = self._web.world.setting.kinds[kind]
        columns = (GraphColumn(_capital(spec.noun)), *(source.column for source in sources))
        return GraphTable(self._words.things(spec, self._counties(scope)), columns, 1, rows)

    def sources(self, kind: str) -> Iterator[CellSource]:
        """All columns that a table of things of a kind may have."""
        specs = self._web.world.setting.kinds[kind].facts
        for spec in filter(_single, specs.values()):
            yield CellSource(self._words.column(spec), spec.name)
            leads_to = {"thing": spec.object.of, "place": "town", "person": "person"}.get(spec.object.kind, "")
            others = self._web.world.setting.kinds
            for kind_ in others if spec.object.kind == "org" else (leads_to,):
                for further in filter(_single, others[kind_].facts.values() if kind_ in others else ()):
                    yield self._words.joined(spec, further)

    def _roles(self, scope: Sequence[int], rows: range, rng: Rng) -> GraphTable | None:
        """Those who held a post, one after the other, at things of a kind in some counties: a row for each of them; a
        post that so many held."""
        kinds = self._web.world.setting.kinds
        posts = [
            (kind, name)
            for kind in sorted({one.kind for one in self._of(scope)})
            for name, spec in sorted(kinds[kind].facts.items())
            if kind != "person" and spec.tenure and spec.object.kind == "person" and spec.labels
        ]
        for post in rng.shuffle(posts):
            table = None if self._is_shared(*post) else self.posts(*post, scope)
            if table is not None and len(table.rows) in rows and (told := self._told_columns(table)) is not None:
                return told
        return None

    def _is_shared(self, kind: str, post: str) -> bool:
        """Whether things of another kind that are named by this one have a post of the same name: whoever reads that
        somebody is a town hall's mayor takes it for the town's, which may have had another one then."""
        kinds = self._web.world.setting.kinds
        noun, labels = kinds[kind].noun, {*kinds[kind].facts[post].labels}
        return any(
            (other.noun.startswith(f"{noun} ") or noun.startswith(f"{other.noun} "))
            and any(spec.tenure and labels.intersection(spec.labels) for spec in other.facts.values())
            for other in kinds.values()
        )

    @staticmethod
    def _told_columns(table: GraphTable) -> GraphTable | None:
        """A table of posts without the columns that pages hardly tell; ``None``: of nothing but its key."""
        least = _BORN * len(table.rows)
        kept = [
            place
            for place in range(len(table.columns))
            if place < 2 or sum(bool(row[place].text) for row in table.rows) >= least
        ]
        cells = tuple(tuple(row[place] for place in kept) for row in table.rows)
        columns = tuple(table.columns[place] for place in kept)
        return table._replace(columns=columns, rows=cells) if len(kept) > 2 else None

    def posts(self, kind: str, post: str, scope: Sequence[int]) -> GraphTable | None:
        """The table of all who held a post at things of a kind in some regions and left it, as pages tell: when, or who
        came after; ``None``: one did twice, or two things have names that differ in their article alone."""
        spec = self._web.world.setting.kinds[kind]
        label = spec.facts[post].labels[0]
        rows: dict[tuple[str, str], tuple[GraphCell, ...]] = {}
        members = self._members(kind, scope)
        titles = {one.title for one in members}
        if len({title.casefold().removeprefix("the ") for title in titles}) < len(titles):
            return None
        for one in members:
            held = [fact for fact in one.facts if fact.relation == post]
            told = [tuple(self._year(fact, one.name, which) for which in ("Y", "Z")) for fact in held]
            latest = max((fact.year for fact, years in zip(held, told, strict=True) if years[0].pages), default=0)
            for fact, years in zip(held, told, strict=True):
                pages = tuple(dict.fromkeys(url for year in years for url in year.pages))
                if not fact.until or not pages or not (years[1].pages or fact.year < latest):
                    continue
                if (one.name, fact.object.text) in rows:
                    return None
                joined = self._web.entity(fact.object.entity)
                birth = self._fact(joined, "birthplace") if joined else None
                born = self._value_cell(joined, birth) if joined and birth else GraphCell("", ())
                rows[one.name, fact.object.text] = (
                    GraphCell(one.title, self._placing(one)), GraphCell(fact.object.text, pages), *years, born,
                )  # fmt: skip
        columns = (
            GraphColumn(_capital(spec.noun)),
            GraphColumn(label),
            *(GraphColumn(year, True) for year in self._words.years),
            GraphColumn(self._words.birthplace(label)),
        )
        asked = self._words.former(label, spec, self._counties(scope))
        return GraphTable(asked, columns, 2, tuple(rows.values()))

    def _sources(self, kind: str, members: Sequence[WorldEntity], rng: Rng) -> list[CellSource]:
        """Columns for things of a kind: relations that hold once at the most, and joins over those that lead on."""
        specs = self._web.world.setting.kinds[kind].facts
        single = [spec for spec in specs.values() if _single(spec) and self._in_one_wording(spec, members)]
        able: list[CellSource] = []
        joins: list[CellSource] = []
        for spec in single:
            source = CellSource(self._words.column(spec), spec.name)
            if self._share(source, members) >= _STATED:
                able.append(source)
                joins += self._joins(spec, members)
        chosen = rng.sample(able, min(len(able), rng.between(2, _WIDEST)))
        joins = [one for one in joins if self._share(one, members) >= _JOINED]
        if joins:
            chosen = [*chosen[: _WIDEST - 1], rng.pick(joins)]
        return chosen

    def _joins(self, spec: FactSpec, members: Sequence[WorldEntity]) -> Iterator[CellSource]:
        targets = [
            target
            for one in members
            if (fact := self._fact(one, spec.name)) and (target := self._web.entity(fact.object.entity))
        ]
        kinds = {target.kind for target in targets}
        if len(kinds) != 1:
            return
        for further in self._web.world.setting.kinds[next(iter(kinds))].facts.values():
            if _single(further) and self._in_one_wording(further, targets):
                yield self._words.joined(spec, further)

    def _share(self, source: CellSource, members: Sequence[WorldEntity]) -> float:
        return sum(bool(self._cell(one, source).text) for one in members) / len(members) if members else 0.0

    def _cell(self, one: WorldEntity, source: CellSource) -> GraphCell:
        fact = self._fact(one, source.relation)
        found = GraphCell("", ()) if fact is None else self._value_cell(one, fact)
        if not source.further or fact is None or not found.text:
            return found
        target = self._web.entity(fact.object.entity)
        further = None if target is None else self._fact(target, source.further)
        return GraphCell("", ()) if target is None or further is None else self._value_cell(target, further)

    def _value_cell(self, one: WorldEntity, fact: WorldFact) -> GraphCell:
        text = self._shown(fact.object)
        pages = self._stating(fact.key, "O", one.name, text)
        number = fact.object.number if fact.object.type in _NUMBERS else None
        if not pages:
            return _NOTHING
        return GraphCell(
            text if number is None else f"{number:.0f}" if number == int(number) else f"{number:.1f}", pages
        )

    def _year(self, fact: WorldFact, name: str, which: str) -> GraphCell:
        year = fact.year if which == "Y" else fact.until
        shown = (str(year), str(year - 1))  # or it is "the following year"
        pages = (page for one in shown for page in self._stating(fact.key, f"O{which}", name, fact.object.text, one))
        found = tuple(dict.fromkeys(pages))
        return GraphCell(str(year), found) if found else _NOTHING

    @staticmethod
    def _fact(one: WorldEntity, relation: str) -> WorldFact | None:
        return next((fact for fact in one.facts if fact.relation == relation), None)

    def _in_one_wording(self, spec: FactSpec, members: Sequence[WorldEntity]) -> bool:
        if spec.object.kind in _TOLD:
            return True
        if spec.object.kind != "pool":
            return False
        values = [fact.object for one in members if (fact := self._fact(one, spec.name))]
        return all(len(synonyms(self._web.world.setting, value)) == 1 for value in values)

    # ── pages ─────────────────────────────────────────────────────────────────

    def title(self, url: str) -> str:
        """The title of a page of the web."""
        number = self._web.find(url)
        return "" if number is None else self._web.planner.head(number).title

    def written(self, statement: GraphStatement) -> tuple[str, ...]:
        """The value of a fact in all its wordings; of a number with its unit too."""
        facts = self._facts.get(_key(statement), [])
        same = [word for fact in facts for word in synonyms(self._web.world.setting, fact.object)]
        return tuple(dict.fromkeys(way for text in (statement.text, *same) for way in written(text)))

    def disputing(self, statement: GraphStatement) -> tuple[str, ...]:
        """The pages that bring up something else in a fact's place, and deny it: none asserts what is not true."""
        facts = self._facts.get(_key(statement), ())
        numbers = set().union(*(self._on(self._web.denying, fact.key) for fact in facts))
        return tuple(self._web.plan(number).url for number in sorted(numbers))

    def _of(self, scope: Sequence[int]) -> Iterator[WorldEntity]:
        for region in scope:
            yield from self._web.world.region(region).entities

    def _told_on(self, key: tuple[int, int]) -> set[int]:
        """The pages that assert a fact."""
        return self._on(self._web.telling, key)

    def _on(self, told: Callable[[int], Mapping[tuple[int, int], frozenset[int]]], key: tuple[int, int]) -> set[int]:
        """The pages that a fact stands on, by region: its subject's and the next ones, as no others name it."""
        regions = self.parts()
        first = self._web.world.region_of(key[0])
        near = {(first + step) % regions for step in (-1, 0, 1)}
        found = set().union(*(told(region).get(key, frozenset()) for region in near))
        return found if self._counted is None else {page for page in found if page in self._counted}

    def _written(self, number: int) -> tuple[str, Mapping[tuple[int, int], Collection[str]]]:
        page = self._web.plan(number)
        written = self._web.text(page)
        return f"{page.title}\n{written.text}".lower(), written.told

    def _pages_with(self, key: tuple[int, int], values: str, *texts: str) -> tuple[str, ...]:
        """The pages that assert a fact, tell some values of it, and show some texts."""
        wanted = [text.removeprefix("the ").lower() for text in texts]
        numbers = sorted(self._told_on(key))
        found: list[str] = []
        for number in numbers:
            shown, told = self._text(number)
            if set(values) <= set(told.get(key, ())) and all(text in shown for text in wanted):
                found.append(self._web.planner.head(number).url)
        return tuple(found)

    def _placing(self, one: WorldEntity) -> tuple[str, ...]:
        """The pages that tell of something by its name, and name its town or county."""
        town, county, _ = self._web.world.place(one)
        told = (self._stating(fact.key, "", one.name, place) for fact in one.facts for place in (county, town))
        return tuple(dict.fromkeys(url for urls in told for url in urls))

    def _counties(self, scope: Sequence[int]) -> list[str]:
        return list(dict.fromkeys(self._web.world.region(region).cast.county for region in scope))

    def _shown(self, value: WorldValue) -> str:
        """A value as pages show it."""
        if value.type in _NUMBERS:
            return self._speech.digits(value.number)
        return value.text.removeprefix("the ") if value.entity >= 0 else value.text


_NOTHING = GraphCell("", ())


def _key(statement: GraphStatement) -> tuple[int, str, str]:
    return statement.subject.number, statement.relation.name, statement.text


def _single(spec: FactSpec) -> bool:
    return spec.times == (1, 1) and spec.tenure is None and bool(spec.labels)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
