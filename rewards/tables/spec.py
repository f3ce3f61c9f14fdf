"""How a table is compared: its columns, their metrics, and the key of a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from webenv.errors import DataError, did_you_mean
from webenv.rewards.tables.cells import METRICS, PREPROCESSING
from webenv.rewards.tables.markdown import column_name

JUDGED = "llm_judge"
"""The metric that is a model's verdict."""


class Column(NamedTuple):
    """How a column is compared.

    Attributes:
        name: its name, as :func:`webenv.rewards.tables.markdown.column_name` gives it.
        metrics: of :data:`webenv.rewards.tables.cells.METRICS` or ``llm_judge``; a cell has to meet them all.
        preprocessing: of :data:`webenv.rewards.tables.cells.PREPROCESSING`, done to both cells in this order.
        criterion: for ``number_near`` the relative tolerance, for ``llm_judge`` what is asked.
    """

    name: str
    metrics: tuple[str, ...] = ("exact_match",)
    preprocessing: tuple[str, ...] = ()
    criterion: str = ""

    def prepared(self, cell: str) -> str:
        """A cell after preprocessing."""
        for name in self.preprocessing:
            cell = PREPROCESSING[name](cell)
        return cell

    @property
    def tolerance(self) -> float:
        """The relative tolerance, 0 where the criterion is no number."""
        try:
            return max(0.0, float(self.criterion))
        except ValueError:
            return 0.0


class TableSpec(NamedTuple):
    """How a table is compared: all its columns, and which of them make the key of a row."""

    columns: tuple[Column, ...]
    key: tuple[str, ...]

    @classmethod
    def of(cls, evaluation: Mapping[str, Any]) -> TableSpec:
        """The specification of an official record: ``required``, ``unique_columns`` and ``eval_pipeline``.

        A column without an entry in the pipeline is compared as exact text.

        Raises:
            DataError: for a record of another form, or an unknown metric or preprocessing.
        """
        required, unique, pipeline = (evaluation.get(name) for name in ("required", "unique_columns", "eval_pipeline"))
        if not (_texts(required) and _texts(unique) and isinstance(pipeline, Mapping)):
            raise DataError(
                "the evaluation of a table lacks required, unique_columns (lists of column names) or eval_pipeline "
                f"(an object); it has {', '.join(map(str, evaluation)) or 'nothing'}."
            )
        names = tuple(map(column_name, required or ()))
        key = tuple(map(column_name, unique or ()))
        steps = {column_name(str(name)): step for name, step in pipeline.items()}
        if not set(key) <= set(names) or len(set(names)) < len(names):
            raise DataError(f"the columns of a table are {names}, its key {key}; expected each once, the key of them.")
        return cls(tuple(_column(name, steps.get(name, {})) for name in names), key)


def _texts(value: object) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(one, str) for one in value)


def _column(name: str, step: Any) -> Column:
    metrics, preprocessing = (step.get(part) or () for part in ("metric", "preprocess")) if step else ((), ())
    for one, known in ((m, (*METRICS, JUDGED)) for m in metrics):
        if one not in known:
            raise DataError(f"column {name!r} of a table has the metric {one!r}. {did_you_mean(str(one), known)}")
    for one in preprocessing:
        if one not in PREPROCESSING:
            raise DataError(f"column {name!r} is to be prepared by {one!r}. {did_you_mean(str(one), PREPROCESSING)}")
    criterion = "" if not step or step.get("criterion") is None else str(step["criterion"])
    return Column(name, tuple(metrics) or ("exact_match",), tuple(preprocessing), criterion)
