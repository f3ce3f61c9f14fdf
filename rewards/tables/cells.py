"""Cells compared by rule: WideSearch's preprocessing and metrics.

*Differs from* the release, beside what :class:`webenv.rewards.tables.grader.TableJudge` says:

- two cells without a date, or without a URL, are right there whatever they say, and so are two without a number where
  one is to be extracted; here they are held against each other as text;
- an empty cell is contained in any there, here in an empty one alone;
- ``norm_str`` drops spaces of all kinds here, there the plain space alone (and all kinds at the ends);
- dates are read in English and Chinese, by month and year at least, and without words that depend on today; there by
  dateparser's defaults, where a bare number may be a date of this month;
- ``number_near`` reads numbers with separators of thousands here; there they are no numbers;
- a missing cell equals a missing one whatever word says so (``-`` too), also as a number; there it is the word ``nan``;
- a URL that cannot be parsed is none here; there it makes the whole table 0;
- columns of plain numbers on both sides are compared as numbers, all others as they are written; there as pandas reads
  each of the two, where 5 beside 7.5 or above a missing cell is the text 5.0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from webenv.errors import DataError, did_you_mean
from webenv.rewards.tables.markdown import column_name

DAYS = 31
"""How far apart two dates may be that count as the same."""

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)%?")
_PLAIN_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_URL = re.compile(r"https?://[$-_a-z!]+")  # the characters that the release takes for those of a URL
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


def column_of_numbers(cells: Sequence[str]) -> bool:
    """Whether all cells of a column that are not empty are plain numbers, and one is: they compare as numbers.

    The release reads tables with pandas, which makes such a column one of numbers, so that "5" is "5.0".

    >>> column_of_numbers(["5", "", "7.0"]), column_of_numbers(["5", "7 km"]), column_of_numbers([""])
    (True, False, False)
    """
    full = [cell for cell in cells if cell]
    return bool(full) and all(_PLAIN_NUMBER.fullmatch(cell) for cell in full)


def as_number(cell: str) -> str:
    """A plain number in the one form that all its ways to be written share; other cells as they are.

    >>> as_number("5.0"), as_number("05"), as_number("1e3"), as_number("5 km")
    ('5', '5', '1000', '5 km')
    """
    if not _PLAIN_NUMBER.fullmatch(cell):
        return cell
    number = float(cell)
    return cell if not math.isfinite(number) else str(int(number)) if number.is_integer() else repr(number)


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
    """The hosts of a cell's URLs as they are written: with ``www.`` and a port, in the case they have."""
    hosts = set()
    for url in _URL.findall(text):
        try:
            hosts.add(urlsplit(url).netloc)
        except ValueError:  # brackets that hold no address
            continue
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
