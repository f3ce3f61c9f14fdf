"""Why a table is not complete: one class for each episode of WideSearch, from its record alone.

The classes are those that InfoSeeker's case studies tell of (answer of the wrong type, a table that was cut because the
context was full, an error that pages which contradict each other brought in and that further cells inherit), and what
is left. *Differs from* the paper: it tells of cases, and gives no rule; ours are rules over the record.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from webenv.policies.hierarchical.tree import nodes_of, statements_of
from webenv.rollout import Record

CASCADE = "error cascade under contradicting pages"

TABLE_FAILURES = (
    "complete",
    "cells wrong",
    "rows missing",
    CASCADE,
    "rows of something else",
    "table cut: context full",
    "no table",
)
"""The classes: ``complete`` is none. The first that holds is an episode's, from the last one on: ``no table`` first."""

_FULL = 0.85  # of a context, when it counts as full
_CUT = 0.95  # of the cells, below which a table counts as cut


def table_failure(record: Record, context: int = 32_000) -> str:
    """The failure class of an episode whose answer is to be a table.

    Args:
        record: the episode, with its gold table.
        context: tokens of the context of a single agent, which is full from 85% of it on.
    """
    if record.verdict["value"] == 1.0:
        return "complete"
    answered = _rows(record.turns[-1].texts[0] if record.turns and record.turns[-1].texts else "")
    if not answered:
        return "no table"
    gold = list(csv.reader(io.StringIO(record.gold["data"]["table"])))
    nodes = [node for turn in record.turns for node in nodes_of(turn.memory) if node.layer == "agent"]
    full = max((node.prompt_tokens for node in nodes), default=0) >= _FULL * context
    if full and record.verdict["scores"].get("item_recall", 0.0) < _CUT:
        return "table cut: context full"
    keys = {_folded(row[0]) for row in gold[1:]}
    if sum(_folded(row[0]) in keys for row in answered[1:]) < len(answered[1:]) / 2:
        return "rows of something else"
    if cascades(record, answered, gold):
        return CASCADE
    return "rows missing" if len(answered) < len(gold) else "cells wrong"


def cascades(record: Record, answered: Sequence[Sequence[str]], gold: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    """The cells that inherit an error from another one, by row and column.

    Of a row whose column ``Owner`` is wrong, though a page that was read states the right owner and another one the
    answered one, the wrong cells in columns that ask further about the owner: ``Owner: spouse``.
    """
    stated: dict[str, set[str]] = {}
    for turn in record.turns:
        for entity, _, value in statements_of(turn.memory):
            stated.setdefault(_folded(entity), set()).add(_folded(value))
    right = {_folded(row[0]): _cells(gold[0], row) for row in gold[1:]}
    found: list[tuple[str, str]] = []
    for row in answered[1:]:
        mine, theirs = _cells(answered[0], row), right.get(_folded(row[0]), {})
        told = stated.get(_folded(row[0]), set())
        for column, value in mine.items():
            base = column.partition(": ")[0]
            inherits = base != column and base in mine and theirs.get(base, "") and value != theirs.get(column, "")
            contradicted = inherits and mine[base] != theirs[base] and {mine[base], theirs[base]} <= told
            if contradicted and value != "n/a":
                found.append((row[0], column))
    return found


def _cells(columns: Sequence[str], row: Sequence[str]) -> Mapping[str, str]:
    return {_folded(column): _folded(cell) for column, cell in zip(columns, row, strict=False)}


def _rows(text: str) -> list[list[str]]:
    """The rows of a pipe table, the names of its columns first; without its line of dashes."""
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("|")]
    rows: list[list[str]] = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if any(set(cell) - set("-: ") for cell in row)]


def _folded(text: Any) -> str:
    return " ".join(str(text).split()).casefold().removeprefix("the ")
