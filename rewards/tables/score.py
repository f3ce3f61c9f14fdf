"""What a table scores, and several trials together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class TableNumbers(NamedTuple):
    """WideSearch's numbers for one table, each from 0 to 1.

    Attributes:
        success: 1 where every row and every cell is right, and nothing more is there; else 0.
        row_precision: right rows of the predicted ones.
        row_recall: right rows of the gold ones.
        row_f1: their harmonic mean.
        item_precision: right cells of the predicted ones.
        item_recall: right cells of the gold ones.
        item_f1: their harmonic mean.
    """

    success: float
    row_precision: float
    row_recall: float
    row_f1: float
    item_precision: float
    item_recall: float
    item_f1: float

    @classmethod
    def of(cls, rows: int, items: int, predicted: int, gold: int, columns: int) -> TableNumbers:
        """The numbers of so many right rows and right cells, of tables of so many rows.

        Args:
            rows: right rows.
            items: right cells.
            predicted: rows of the prediction.
            gold: rows of the gold table, at least one.
            columns: of both.

        >>> TableNumbers.of(rows=1, items=3, predicted=1, gold=2, columns=3)
        TableNumbers(success=0.0, row_precision=1.0, row_recall=0.5, row_f1=0.6666666666666666, item_precision=1.0, \
item_recall=0.5, item_f1=0.6666666666666666)
        """
        by_row = _shares(rows, predicted, gold)
        by_item = _shares(items, predicted * columns, gold * columns)
        return cls(float(by_row[:2] == by_item[:2] == (1.0, 1.0)), *by_row, *by_item)


_NOTHING = TableNumbers(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class TableScore(NamedTuple):
    """What came of one table: its numbers (``None``: unscored), and why where it is unscored or 0 throughout."""

    numbers: TableNumbers | None
    reason: str = ""

    @classmethod
    def nothing(cls, reason: str) -> TableScore:
        """0 throughout."""
        return cls(_NOTHING, reason)


class Trials(NamedTuple):
    """Several trials of one question: the mean and the best of each number (``None`` without a scored trial)."""

    mean: TableNumbers | None
    best: TableNumbers | None
    scored: int
    unscored: int


def over_trials(scores: Sequence[TableScore]) -> Trials:
    """Mean and best of each number over the trials that were scored (WideSearch's Avg@N and Max@N).

    >>> over_trials([TableScore.nothing("no table"), TableScore(None, "the judge failed")])[2:]
    (1, 1)
    """
    scored = [score.numbers for score in scores if score.numbers is not None]
    if not scored:
        return Trials(None, None, 0, len(scores))
    columns = list(zip(*scored, strict=True))
    mean = TableNumbers(*(sum(numbers) / len(numbers) for numbers in columns))
    return Trials(mean, TableNumbers(*map(max, columns)), len(scored), len(scores) - len(scored))


def _shares(right: int, predicted: int, gold: int) -> tuple[float, float, float]:
    return right / predicted if predicted else 0.0, right / gold, 2 * right / (predicted + gold)
