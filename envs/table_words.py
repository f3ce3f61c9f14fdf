"""How tables of a simulated world are asked for, and what their columns are called, by language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webenv.corpora.world import KindSpec, WorldLanguage
from webenv.corpora.world.schema import FactSpec
from webenv.envs.fact_graph import GraphColumn

_NUMBERS = ("number", "money")


class CellSource(NamedTuple):
    """Where the cells of a column come from: a relation of the subject, or first a relation, then one of its object."""

    column: GraphColumn
    relation: str
    further: str = ""


class TableWords:
    """English.

    Args:
        language: of the world.
    """

    years = ("From (year)", "Until (year)")
    amount = "{label} ({unit})"
    money = "amount"

    def __init__(self, language: WorldLanguage) -> None:
        self._language = language

    def things(self, kind: KindSpec, counties: Sequence[str]) -> str:
        """All things of a kind in some counties."""
        return f"{self._language.plural(kind)} in {self._counties(counties)}"

    def former(self, label: str, kind: KindSpec, counties: Sequence[str]) -> str:
        """All who held a post and left it."""
        posts = self._language.units(label[:1].lower() + label[1:])
        return f"former {posts} of {self._language.plural(kind)} in {self._counties(counties)}"

    def birthplace(self, label: str) -> str:
        """Where those who hold a post were born."""
        return f"{label}: birthplace"

    def of(self, label: str, further: str) -> str:
        """What a column is called that tells something of what another column names."""
        return f"{label}: {further[:1].lower()}{further[1:]}"

    def column(self, spec: FactSpec) -> GraphColumn:
        """The column of a relation."""
        label, units = spec.labels[0], self._language.units(spec.object.of)
        if spec.object.kind == "money":
            return GraphColumn(self.amount.format(label=label, unit=self.money), True)
        if spec.object.kind == "number" and spec.object.of and units != label.lower():
            return GraphColumn(self.amount.format(label=label, unit=units), True)
        return GraphColumn(label, spec.object.kind in (*_NUMBERS, "year"))

    def joined(self, spec: FactSpec, further: FactSpec) -> CellSource:
        """The column of a relation of what another relation leads to."""
        column = self.column(further)
        label = self.of(spec.labels[0], column.label)
        return CellSource(GraphColumn(label, column.number), spec.name, further.name)

    def _counties(self, names: Sequence[str]) -> str:
        if len(names) == 1:
            return f"the county of {names[0]}"
        return f"the counties of {', '.join(names[:-1])} and {names[-1]}"


class ChineseTableWords(TableWords):
    """Chinese."""

    years = ("起始年", "终止年")
    amount = "{label}（{unit}）"
    money = "金额"

    def things(self, kind: KindSpec, counties: Sequence[str]) -> str:
        return f"{self._counties(counties)}的所有{kind.noun}"

    def former(self, label: str, kind: KindSpec, counties: Sequence[str]) -> str:
        return f"{self._counties(counties)}各{kind.noun}的所有前任{label}"

    def column(self, spec: FactSpec) -> GraphColumn:
        """The column of a relation; its unit only where it is one, rather than a measure word with its noun."""
        found = super().column(spec)
        counted = spec.object.kind == "number" and len(spec.object.of) > 2
        return GraphColumn(spec.labels[0], True) if counted else found

    def birthplace(self, label: str) -> str:
        return self.of(label, "出生地")

    def of(self, label: str, further: str) -> str:
        return f"{label}的{further}"

    def _counties(self, names: Sequence[str]) -> str:
        return names[0] if len(names) == 1 else f"{'、'.join(names[:-1])}和{names[-1]}"


TABLE_WORDS = {"en": TableWords, "zh": ChineseTableWords}
