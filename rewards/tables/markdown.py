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
_BARRED = re.compile(r"[ \t]*\|[^\n]*(?<!\\)\|[ \t]*")
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

    Within such a fence all lines with bars are the table's, as in the release. Outside one a table is known by the
    rule under its head; where there is no such rule, by two lines in a row that begin and end with a bar. Cells that a
    row lacks are empty, those it has too many are dropped; ``\\|`` is a bar within a cell. A fence that is never closed
    ends with the text.

    *Differs from* the release, which takes the run of lines from the text's first bar on (so a bar in the prose above
    hides the table, and a table whose lines begin without one is none), knows no fence ``md`` or ``Markdown``, reads a
    quotation mark as the beginning of a CSV text that may never end, and scores 0 where a row has a cell too many.

    >>> parse_table("| City | Height |\\n|---|---|\\n| Rome | 21 m |\\n| Oslo |")
    AnswerTable(columns=('city', 'height'), rows=(('Rome', '21 m'), ('Oslo', '')))
    """
    for fenced in _FENCE.finditer(text):
        lines = [line for block in _blocks(fenced[1]) for line in block]
        if any(not _is_rule(line) for line in lines):
            return _table(lines)
    blocks = _blocks(text)
    for block in blocks:
        for number, line in enumerate(block):
            if number and _is_rule(line) and not _is_rule(block[number - 1]):
                return _table(block[number - 1 :])
    for block in blocks:
        barred = [line for line in block if _BARRED.fullmatch(line)]
        if len(barred) > 1 and len(barred) == len(block):
            return _table(block)
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
