"""Cells compared by rule: WideSearch's preprocessing and metrics.

*Differs from* the release in what it gives for cells that do not hold what their column is about: there two
cells without a date, without a URL, or without a number where one is to be extracted, are right whatever they
say, and an empty cell is contained in any; here they are held against each other as text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from webenv.errors import DataError, did_you_mean
from webenv.rewards.tables.markdown import column_name

DAYS = 31
"""How far apart two dates may be that count as the same."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)%?")
_URL = re.compile(r"https?://[^\s<>\"'\])|]+", re.IGNORECASE)
_SPACE = re.compile(r"\s+")


def _plain(text: str) -> str:
    """A cell without case, spaces and emphasis."""
    return _SPACE.sub("", text).replace("*", "").lower()


def _number_in(text: str) -> str:
    """The first number of a cell, without thousands separators; without one, the plain text."""
    found = _NUMBER.search(text.replace(",", ""))
    return found[0] if found else _plain(text)


def _iso_date(text: str) -> str:
    read = read_date(text)
    return text if read is None else read.isoformat()


PREPROCESSING: Mapping[str, Callable[[str], str]] = {
    "norm_str": _plain,
    "extract_number": _number_in,
    "norm_date": _iso_date,
}
"""What may be done to both cells before they are compared, by the names of the official files."""


@lru_cache(maxsize=65_536)
def read_date(text: str) -> date | None:
    """The date of a cell, in English or Chinese; a month with its year is its first day; else ``None``.

    Read by dateparser, where 3/5/2024 is the fifth of March. Words that depend on today are no dates, nor is a
    year alone.
    """
    if not re.search(r"\d", text) or len(text) > 60:
        return None
    import dateparser

    settings = {
        "PREFER_DAY_OF_MONTH": "first",
        "REQUIRE_PARTS": ["month", "year"],
        "PARSERS": ["absolute-time"],
        "RETURN_AS_TIMEZONE_AWARE": False,
    }
    try:
        found = dateparser.parse(text, languages=["en", "zh"], settings=settings)
    except (ValueError, OverflowError, RecursionError):
        return None
    return None if found is None else found.date()


def _number(text: str) -> float | None:
    """A cell that is a number; percent as a hundredth."""
    if not _NUMBER.fullmatch(cell := text.replace(",", "").strip()):
        return None
    number = float(cell.rstrip("%")) / (100 if cell.endswith("%") else 1)
    return number if math.isfinite(number) else None


def _exact(predicted: str, gold: str, tolerance: float) -> bool:
    return predicted.lower() == gold.lower()


def _contained(predicted: str, gold: str, tolerance: float) -> bool:
    return predicted in gold if predicted.strip() else not gold.strip()


def _near_number(predicted: str, gold: str, tolerance: float) -> bool:
    said, meant = _number(predicted), _number(gold)
    if said is None or meant is None:
        return said is meant and _plain(predicted) == _plain(gold)
    return abs(said - meant) <= abs(meant) * tolerance


def _near_date(predicted: str, gold: str, tolerance: float) -> bool:
    said, meant = read_date(predicted), read_date(gold)
    if said is None or meant is None:
        return said is meant and _plain(predicted) == _plain(gold)
    return abs((said - meant).days) <= DAYS


def _same_host(predicted: str, gold: str, tolerance: float) -> bool:
    said, meant = _hosts(predicted), _hosts(gold)
    if not said or not meant:
        return said == meant and _plain(predicted) == _plain(gold)
    return said == meant


def _hosts(text: str) -> frozenset[str]:
    hosts = set()
    for url in _URL.findall(text):
        try:
            host = urlsplit(url).hostname
        except ValueError:
            continue
        if host:
            hosts.add(host.removeprefix("www."))
    return frozenset(hosts)


METRICS: Mapping[str, Callable[[str, str, float], bool]] = {
    "exact_match": _exact,
    "in_match": _contained,
    "number_near": _near_number,
    "date_near": _near_date,
    "url_match": _same_host,
}
"""Whether a predicted cell meets the gold one, by the names of the official files: the same text but for case; a
part of the gold; a number within a relative tolerance; a date within :data:`DAYS` days; URLs on the same hosts.
The third argument is the tolerance, of effect for numbers alone. ``llm_judge`` is a model's
(:class:`webenv.rewards.tables.rubrics.CellRubric`)."""


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
