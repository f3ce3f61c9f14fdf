"""Every cell of a table with the pages that state it: for WideSearch."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.world import tables
from webenv.corpora.procedural.world.tables import FactTable
from webenv.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class TableKey:
    """A table as it is today.

    Attributes:
        table: its facts.
        header: the name of the key column, then those of the others.
        rows: the texts of the cells, row by row, the key first.
        pages: for each row, the pages that state each of its cells; for the key, those that place it in the table.
        outdated: pages that state a former value, for each row and cell likewise.
    """

    table: FactTable
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    pages: tuple[tuple[tuple[int, ...], ...], ...]
    outdated: tuple[tuple[tuple[int, ...], ...], ...]


class TableKeys:
    """The tables of a web, numbered from 0.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self._support = support

    def __len__(self) -> int:
        return self._support.web.planner.counts["table"] // tables.BLOCK

    def key(self, number: int) -> TableKey:
        """A table and the pages behind its cells.

        Raises:
            InvalidArgument: where there is none of that number.
        """
        if not 0 <= number < len(self):
            raise InvalidArgument(f"table {number!r}: expected a number from 0 to {len(self) - 1}.")
        table = self._support.web.planner.pages.register.table(number)
        header = (self._support.web.world.language.texts["name"][0], *(column.label for column in table.columns))
        rows = tuple(
            (row.name, *(value.text for value in values)) for row, values in zip(table.rows, table.cells, strict=True)
        )
        facts = [
            (table.place_fact(row), *(table.current(row, column) for column in range(len(table.columns))))
            for row in range(len(table.rows))
        ]
        pages = tuple(tuple(map(self._support.stating, row)) for row in facts)
        outdated = tuple(tuple(map(self._support.contradicting, row)) for row in facts)
        return TableKey(table, header, rows, pages, outdated)
