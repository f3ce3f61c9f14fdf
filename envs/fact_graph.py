"""FactGraph: what generators of tables and of chains ask of a generated web; and the generated web as one.

Nothing else of a world reaches these generators, so another world needs another adapter alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from webenv.corpora.procedural import Rng


class GraphRelation(NamedTuple):
    """What can be said of entities of a kind.

    Attributes:
        name: unique in its world.
        label: what a column of a table calls it.
        type: of its values: ``person``, ``place``, ``org``, ``count``, ``money``, ``number``, ``day`` or ``list``.
        forms: ways to state it, with ``{s}`` and ``{o}``.
    """

    name: str
    label: str
    type: str
    forms: tuple[str, ...]


class GraphEntity(NamedTuple):
    """Something that facts are about: its number in the world, its kind (one word of the language), its name."""

    number: int
    kind: str
    name: str


class GraphStatement(NamedTuple):
    """A fact that holds today: of an entity, by a relation, a value; ``object`` is the entity that the value names."""

    subject: GraphEntity
    relation: GraphRelation
    text: str
    object: GraphEntity | None = None


class GraphColumn(NamedTuple):
    """A column of a table, and whether its values are compared as numbers."""

    label: str
    number: bool = False


class GraphCell(NamedTuple):
    """What a table says somewhere, and the addresses of the pages that state it; no text: no page does."""

    text: str
    pages: tuple[str, ...]


class GraphTable(NamedTuple):
    """A table that pages of a web state together.

    Attributes:
        asked: what its rows are, as a question says it: "lighthouses in the county of Beldershire".
        columns: those of the key first.
        keys: how many columns make the key of a row.
        rows: the cells.
    """

    asked: str
    columns: tuple[GraphColumn, ...]
    keys: int
    rows: tuple[tuple[GraphCell, ...], ...]


SIZES = {"small": (5, 20), "medium": (21, 100), "large": (101, 500)}
"""The fewest and the most rows of tables, by size."""


class FactGraph(Protocol):
    """The entities of a world, what holds of them, and the pages that state it."""

    language: str

    def statements(self) -> Sequence[GraphStatement]:
        """What holds of the entities that chains lead over; each entity and each fact once."""
        ...

    def parts(self) -> int:
        """How many parts a world is made of, each of which is known without the others."""
        ...

    def part(self, number: int, /) -> Sequence[GraphStatement]:
        """What holds of the entities of a part, by number from 0; parts together are all statements."""
        ...

    def pages(self, statement: GraphStatement) -> tuple[str, ...]:
        """The addresses of the pages that state a fact; copies left out."""
        ...

    def written(self, statement: GraphStatement) -> tuple[str, ...]:
        """The ways in which pages write the value of a fact, that of the statement first."""
        ...

    def disputing(self, statement: GraphStatement) -> tuple[str, ...]:
        """The addresses of the pages that bring up something else in its place: wrong, out of date, or denied."""
        ...

    def title(self, url: str) -> str:
        """The title of a page of the web."""
        ...

    def table(self, size: str, rng: Rng) -> GraphTable | None:
        """A table of a size (:data:`SIZES`), drawn; ``None``: this world has none."""
        ...


def written(name: str) -> tuple[str, ...]:
    """A name as pages write it, and without its article.

    >>> written("the Old Mill"), written("Ada Grey")
    (('the Old Mill', 'Old Mill'), ('Ada Grey',))
    """
    return (name, name[4:]) if name.startswith("the ") else (name,)
