"""Tables: sets of things around a place with the same attributes, whose cells lie scattered over pages."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import lru_cache

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import NAMED, ROWS, Fact, Value
from webenv.corpora.procedural.world.sites import Website, topic_of
from webenv.corpora.procedural.world.templates import NOTHING, Attribute, Template, templates
from webenv.corpora.procedural.world.world import World

BLOCK = 16
"""Pages of one table: one for each row, the others show some of its columns and rows."""

_HOLE = 0.3  # cells that a sheet leaves out, of those that the row's own page has
_CHANGED = (datetime.date(2010, 1, 1).toordinal(), datetime.date(2016, 12, 31).toordinal())
_SEEN = (datetime.date(2017, 6, 1).toordinal(), datetime.date(2025, 12, 1).toordinal())


@dataclass(frozen=True, slots=True)
class TableRow:
    """A thing of the set: its number as a subject of facts, and its name."""

    subject: int
    name: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one page shows of a table.

    Attributes:
        site: where it stands.
        day: when it was written, as an ordinal.
        rows: which rows; a single one on the page about a thing.
        columns: which columns.
        holes: cells (row, column) within these that it leaves out.
    """

    site: Website
    day: int
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    holes: frozenset[tuple[int, int]] = frozenset()

    @property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """The cells that it states: (row, column)."""
        every = ((row, column) for row in self.rows for column in self.columns)
        return tuple(cell for cell in every if cell not in self.holes)


@dataclass(frozen=True, slots=True)
class FactTable:
    """Things of one kind around a place, in rows and columns.

    Attributes:
        number: which table of the world.
        template: the kind of its things.
        place: around which they are.
        columns: four to seven attributes, beside the name, which is the key.
        rows: ten to thirteen.
        cells: for each row, the values of its columns, as they are today.
        changes: (day, row, value before) of the column that changes, the earliest first.
        sheets: its pages: a page for each row, in order, then those that show several rows.
    """

    number: int
    template: Template
    place: Value
    columns: tuple[Attribute, ...]
    rows: tuple[TableRow, ...]
    cells: tuple[tuple[Value, ...], ...]
    changes: tuple[tuple[int, int, Value], ...]
    sheets: tuple[Sheet, ...]

    @property
    def moving(self) -> int:
        """The column whose values change over time; −1 where there is none."""
        return next((place for place, column in enumerate(self.columns) if column.change == "changes"), -1)

    def value(self, row: int, column: int, day: int) -> Value:
        """The value of a cell on a day."""
        if column == self.moving:
            for time, changed, before in self.changes:
                if changed == row and day < time:
                    return before
        return self.cells[row][column]

    def fact(self, row: int, column: int, day: int) -> Fact:
        """A cell as a fact."""
        value = self.value(row, column, day)
        return Fact(self.rows[row].subject, self.template.kind, self.columns[column].name, value, NOTHING)

    def current(self, row: int, column: int) -> Fact:
        """A cell as a fact, as it is today."""
        return self.fact(row, column, max(_SEEN))

    def place_fact(self, row: int) -> Fact:
        """Where a thing is: what makes it a row of this table."""
        kind = self.template.kind
        return Fact(self.rows[row].subject, kind, f"{kind}.place", self.place, NOTHING)

    def stated(self, sheet: Sheet, day: int) -> tuple[Fact, ...]:
        """The facts of a page of the table, if it had been written on a day."""
        places = tuple(self.place_fact(row) for row in sheet.rows)
        return (*places, *(self.fact(row, column, day) for row, column in sheet.cells))


class Register:
    """The tables of a world; each can be made alone, in any order.

    Args:
        world: whose tables.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.table = lru_cache(maxsize=256)(self._table)

    def template(self, number: int) -> Template:
        """The kind of a table's things: kinds take turns."""
        known = templates("tables", self._world.language)
        return known[number % len(known)]

    def _table(self, number: int) -> FactTable:
        rng = Rng(*self._world.seed, "table", number)
        template = self.template(number)
        place = self._place(number)
        columns = tuple(rng.sample(template.attributes, rng.between(4, 7)))
        count = rng.between(10, 13)
        names: dict[str, None] = {}
        while len(names) < count:
            names[template.names[0].replace("{w}", self._world.names.word(rng))] = None
        rows = tuple(TableRow(ROWS + number * BLOCK + row, name) for row, name in enumerate(names))
        cells = tuple(tuple(self._value(column, place, rng) for column in columns) for _ in rows)
        changes = self._changes(columns, cells, rng)
        sheets = self._sheets(template, count, len(columns), rng)
        return FactTable(number, template, place, columns, rows, cells, changes, sheets)

    def _place(self, number: int) -> Value:
        """The place of a table: of one kind no two tables have the same."""
        kinds = len(templates("tables", self._world.language))
        known = self._world.entities["place"]
        first = Rng(*self._world.seed, "table places", number % kinds).below(len(known))
        return known[(first + number // kinds) % len(known)].value

    def _value(self, column: Attribute, place: Value, rng: Rng) -> Value:
        if column.type not in NAMED:
            return column.draw(rng)
        value = self._world.entity(column.type, rng).value
        while value.text == place.text:
            value = self._world.entity(column.type, rng).value
        return value

    @staticmethod
    def _changes(
        columns: tuple[Attribute, ...], cells: tuple[tuple[Value, ...], ...], rng: Rng
    ) -> tuple[tuple[int, int, Value], ...]:
        moving = next((place for place, column in enumerate(columns) if column.change == "changes"), None)
        if moving is None:
            return ()
        days = sorted(rng.between(*_CHANGED) for _ in cells)
        return tuple(
            (day, row, columns[moving].number(max(1, cells[row][moving].number * rng.between(40, 90) // 100)))
            for day, row in zip(days, rng.shuffle(range(len(cells))), strict=True)
        )

    def _sheets(self, template: Template, rows: int, columns: int, rng: Rng) -> tuple[Sheet, ...]:
        types = tuple(template.names[1].split())
        directory, topic = self._world.directory, topic_of(template.kind, template.language)

        def sheet(over: tuple[int, ...], across: tuple[int, ...], holes: frozenset[tuple[int, int]]) -> Sheet:
            site = directory.pick(types, topic, rng)
            return Sheet(site, rng.between(*_SEEN), over, across, holes)

        found = []
        own: set[tuple[int, int]] = set()
        for row in range(rows):
            shown = tuple(sorted(rng.sample(range(columns), rng.between(2, max(2, columns // 2)))))
            own |= {(row, column) for column in shown}
            found.append(sheet((row,), shown, frozenset()))
        for over, across in _cut(BLOCK - rows, rows, columns, rng):
            holes = frozenset((r, c) for r in over for c in across if (r, c) in own and rng.chance(_HOLE))
            found.append(sheet(over, across, holes))
        return tuple(found)


def _cut(parts: int, rows: int, columns: int, rng: Rng) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Cuts a table of rows and columns into three to six parts; where one is left over, it shows every row."""
    bands = 1 if parts == 3 else 2
    groups = parts // bands
    order = rng.shuffle(range(columns))
    halves = [tuple(range(band * rows // bands, (band + 1) * rows // bands)) for band in range(bands)]
    found = [(half, tuple(sorted(order[group::groups]))) for group in range(groups) for half in halves]
    if len(found) < parts:
        found.append((tuple(range(rows)), tuple(sorted(rng.sample(range(columns), 2)))))
    return found
