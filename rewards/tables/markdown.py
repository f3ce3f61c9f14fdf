"""Tables as answers give them: markdown, and CSV of the gold."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import NamedTuple

from webenv.errors import DataError

_FENCE = re.compile(
    r"^[ \t]*```[ \t]*(?:markdown|md)[ \t]*\r?\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE | re.I
)
_PIPE = re.compile(r"(?<!\\)\|")
_MISSING = ("", "-", "–", "—", "n/a", "na", "#n/a", "<na>", "nan", "null", "none")


class AnswerTable(NamedTuple):
    """A table: names of its columns, as compared (:func:`column_name`), and rows of as many cells.

    A cell that is missing, or says so (``N/A``, ``nan``, ``-``), is empty.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def column_name(text: str) -> str:
    """The name of a column as it is compared: lower-case, without spaces and emphasis.

    >>> column_name(" **Release Date** ")
    'releasedate'
    """
    return re.sub(r"[\s*`]+", "", text).lower()


def parse_table(text: str) -> AnswerTable | None:
    """The table of an answer: the first one in a code fence marked ``markdown`` (or ``md``), else the first pipe
    table anywhere; ``None``: there is none.

    A pipe table outside such a fence is known by the rule under its head. Cells that a row lacks are empty,
    those it has too many are dropped; ``\\|`` is a bar within a cell. A fence that is never closed ends with
    the text.

    >>> parse_table("| City | Height |\\n|---|---|\\n| Rome | 21 m |\\n| Oslo |")
    AnswerTable(columns=('city', 'height'), rows=(('Rome', '21 m'), ('Oslo', '')))
    """
    for fenced in _FENCE.finditer(text):
        for block in _blocks(fenced[1]):
            if not _is_rule(block[0]):
                return _table(block)
    for block in _blocks(text):
        for number, line in enumerate(block):
            if number and _is_rule(line) and not _is_rule(block[number - 1]):
                return _table(block[number - 1 :])
    return None


def read_csv(text: str) -> AnswerTable:
    """The table of a CSV text, as gold tables are kept.

    Raises:
        DataError: if it has no head, a column twice, or a row that is longer than the head.
    """
    lines = [line for line in csv.reader(io.StringIO(text.removeprefix("\ufeff"))) if line]
    if not lines:
        raise DataError("a gold table is empty; expected CSV with a line of column names.")
    columns = tuple(map(column_name, lines[0]))
    if len(set(columns)) < len(columns):
        raise DataError(f"a gold table has a column twice: {', '.join(columns)[:200]}.")
    for number, line in enumerate(lines[1:], start=1):
        if len(line) > len(columns):
            raise DataError(f"row {number} of a gold table has {len(line)} cells; its head has {len(columns)}.")
    return AnswerTable(columns, tuple(_padded(line, len(columns)) for line in lines[1:]))


def _blocks(text: str) -> list[list[str]]:
    """Runs of lines that hold a bar."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        if _PIPE.search(line):
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def _table(lines: Sequence[str]) -> AnswerTable:
    head, *body = (_cells(line) for line in lines if not _is_rule(line))
    return AnswerTable(tuple(map(column_name, head)), tuple(_padded(cells, len(head)) for cells in body if any(cells)))


def _is_rule(line: str) -> bool:
    """Whether a line is the rule under a head, as in ``|---|:-:|``."""
    return "-" in line and set(line) <= set("|-: \t")


def _cells(line: str) -> list[str]:
    inner = line.strip()
    inner = inner[1:] if inner.startswith("|") else inner
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [cell.replace("\\|", "|").strip() for cell in _PIPE.split(inner)]


def _padded(cells: Sequence[str], width: int) -> tuple[str, ...]:
    kept = ["" if cell.strip().lower() in _MISSING else cell.strip() for cell in cells[:width]]
    return tuple(kept + [""] * (width - len(kept)))
