"""WideSearch: a table scored against the gold table, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from webenv.errors import DataError
from webenv.judge import Submission, Verdict
from webenv.models import Model
from webenv.rewards.llm_grader import LLMGrader
from webenv.rewards.tables.cells import JUDGED, METRICS, Column, TableSpec, as_number, column_of_numbers
from webenv.rewards.tables.markdown import AnswerTable, parse_table, read_csv
from webenv.rewards.tables.rubrics import AlignmentRubric, Cell, CellRubric, Vocabularies
from webenv.runtime.text import one_line

LONGEST_ANSWER = 2_000_000
"""Characters; a longer answer is wrong: ten times what an environment takes, and read in a second."""

LONGEST_VALUE = 1_000
"""Characters, beside five times those of the gold cell; a longer one is wrong, and put to no model."""

_NAMED = 3  # rows or cells of a sort that a verdict names

_ALIGNED = (JUDGED, "exact_match")
"""The metrics of a key column whose values a model aligns."""


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
    """What came of one table: its numbers (``None``: unscored), and why where it is unscored or not complete."""

    numbers: TableNumbers | None
    reason: str = ""

    @classmethod
    def nothing(cls, reason: str) -> TableScore:
        """0 throughout."""
        return cls(_NOTHING, reason)


def _shares(right: int, predicted: int, gold: int) -> tuple[float, float, float]:
    return right / predicted if predicted else 0.0, right / gold, 2 * right / (predicted + gold)


class TableAnswer(NamedTuple):
    """An answer that should hold a table, and what it is held against."""

    answer: str
    gold: AnswerTable
    spec: TableSpec


class _KeyedRows(NamedTuple):
    """Tables with their rows by key, in comparable form, after alignment; the cells themselves as they came."""

    gold: Mapping[tuple[str, ...], Mapping[str, str]]
    predicted: Mapping[tuple[str, ...], Mapping[str, str]]


class TableJudge:
    """Scores tables as WideSearch does; a model aligns names and judges the cells that need one.

    Gold: ``data={"table": "<CSV>", "evaluation": {...}}``, the gold table of an official record and its
    ``evaluation`` (:meth:`webenv.rewards.tables.cells.TableSpec.of`). The value of a verdict is the F1 of items, which
    is 1 where all is right and nothing more is there; the outcome is ``complete`` (1), ``partial``, or ``wrong``
    (0); the scores are :class:`TableNumbers`. An answer that keeps the model from a verdict is wrong where it does.

    1. The table of the answer is parsed (:func:`webenv.rewards.tables.markdown.parse_table`).
    2. Column names that are not those asked for are aligned by the model; if the columns are then not the same,
       the table scores 0, without the model where it has more or fewer than those asked for.
    3. In each key column that is compared as text, values that are none of the gold's are aligned likewise: the
       first, five for each gold row and 100 more, of those up to :data:`LONGEST_VALUE`. The rest meet no row, so
       no length of an answer can leave it unscored.
    4. Rows of the same key are one: the first.
    5. Rows are joined on the key. A key cell of a joined row is right, another cell if it meets every metric
       of its column. A row scores the least of its cells.
    6. Precision, recall and F1 of rows, and of items (rows times columns); success if all is right.

    What the model leaves open leaves the table unscored.

    Source: WideSearch (Wong et al., 2025), evaluation.

    *Differs from* the release: repeated rows are dropped after alignment, not before, so recall cannot pass 1; a key is
    joined whatever its case, there to the letter where nothing prepares it; a column of two metrics counts once;
    missing cells are empty, not the word ``nan``; a judge that fails is not a column of zeros; an error in one cell is
    not a table of zeros; for tables see :func:`webenv.rewards.tables.markdown.parse_table`, for cells
    :mod:`webenv.rewards.tables.cells`, for the judge :mod:`webenv.rewards.tables.rubrics`. A test has ours and theirs
    for each.

    Args:
        model: who aligns and judges; ``None``: nobody, then names and cells are right as the same text alone.
        prompt: a file in place of our prompt for cells (:class:`webenv.rewards.tables.rubrics.CellRubric`).
        votes: how many replies are asked for to each question; more than half decide, else the lowest counts.
        attempts: how often one vote is asked for at most.
        alignment_prompt: a file in place of our prompt (:class:`webenv.rewards.tables.rubrics.AlignmentRubric`).

    Raises:
        InvalidArgument: for votes or attempts below 1.
        DataError: for a prompt file that cannot be used.
    """

    name = "table"

    def __init__(
        self,
        model: Model | None = None,
        prompt: str | Path | None = None,
        votes: int = 1,
        attempts: int = 3,
        alignment_prompt: str | Path | None = None,
    ) -> None:
        self.asks = self.concurrent = model is not None
        self._align = None if model is None else LLMGrader(model, AlignmentRubric(alignment_prompt), votes, attempts)
        self._judge = None if model is None else LLMGrader(model, CellRubric(prompt), votes, attempts)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, both prompts and parsers, and the model's."""
        if self._align is None or self._judge is None:
            return {"name": "table", "version": "2"}
        align, cell = self._align.identity, self._judge.identity
        parts = {f"{part}_{name}": of[name] for part, of in (("alignment", align), ("cell", cell)) for name in _OWN}
        rest = {name: value for name, value in cell.items() if name not in _OWN}
        return {**rest, **parts, "name": "table", "version": "2"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        read = [self._read(one) for one in submissions]
        found = iter(self.grade([one for one in read if isinstance(one, TableAnswer)]))
        return [self._verdict(next(found)) if isinstance(one, TableAnswer) else one for one in read]

    def _read(self, submission: Submission) -> TableAnswer | Verdict:
        data, where = submission.task.gold.data, f"task {submission.task.id!r}"
        gold, evaluation = data.get("table"), data.get("evaluation")
        if not isinstance(gold, str) or not isinstance(evaluation, Mapping):
            needed = "Gold(data={'table': CSV, 'evaluation': {...}})"
            return Verdict.unscored(f"{where} has no gold table to compare with, {needed}", self.name)
        try:
            return TableAnswer(submission.text, read_csv(gold), TableSpec.of(evaluation))
        except DataError as error:
            return Verdict.unscored(f"{where}: {error}", self.name)

    def _verdict(self, found: TableScore) -> Verdict:
        if found.numbers is None:
            return Verdict.unscored(found.reason, self.name)
        scores = found.numbers._asdict()
        value = found.numbers.item_f1
        outcome = "complete" if found.numbers.success else "partial" if value else "wrong"
        told = ", ".join(f"{name.replace('_', ' ')} {number:.3f}" for name, number in scores.items())
        why = f"{told}; {found.reason}" if value and found.reason else found.reason or told
        return Verdict(outcome, value, why, self.name, scores)

    def grade(self, answers: Sequence[TableAnswer]) -> list[TableScore]:
        """What came of each answer, in order; each step's questions of all answers go out together."""
        work = [_Work(answer) for answer in answers]
        self._align_all([(one, None) for one in work if one.columns_differ()])
        for one in work:
            one.check_columns()
        keys = [(one, name) for one in work if one.table is not None for name in one.aligned_keys()]
        self._align_all([(one, name) for one, name in keys if one.unknown(name)])
        rows = [one.rows() for one in work]
        asked = [one.judged(each) if each is not None else [] for one, each in zip(work, rows, strict=True)]
        cells = list(dict.fromkeys(cell for each in asked for cell in each))
        ruled: dict[Cell, bool | str] = dict.fromkeys(cells, False)
        if self._judge is not None:
            for cell, graded in zip(cells, self._judge.grade(cells), strict=True):
                lost = graded.grade is None and not graded.blamed
                ruled[cell] = graded.reason if lost else graded.grade is not None and graded.grade.right
        return [one.score(each, ruled) for one, each in zip(work, rows, strict=True)]

    def _align_all(self, wanted: Sequence[tuple[_Work, str | None]]) -> None:
        items = [one.vocabularies(name) for one, name in wanted]
        if self._align is None or not items:
            return
        for (one, name), graded in zip(wanted, self._align.grade(items), strict=True):
            what = "columns" if name is None else f"values of {name!r}"
            if graded.blamed:
                one.end(TableScore.nothing(f"the {what} of the answer keep the model from aligning them"))
            elif graded.grade is None:
                one.end(TableScore(None, f"the {what} were not aligned: {graded.reason}"))
            else:
                one.rename(name, dict(graded.grade))


_OWN = ("name", "version", "prompt", "parser")


class _Work:
    """One answer on its way to a score."""

    def __init__(self, answer: TableAnswer) -> None:
        self.spec, self.gold = answer.spec, answer.gold
        self.result: TableScore | None = None
        length = len(answer.answer)
        self.table = parse_table(answer.answer) if length <= LONGEST_ANSWER else None
        self._values: dict[str, Mapping[str, str]] = {}
        names = {column.name for column in self.spec.columns}
        if not names <= set(self.gold.columns) or not self.gold.rows:
            self.end(TableScore(None, "the gold table has no rows, or lacks a column of its own specification"))
        elif length > LONGEST_ANSWER:
            self.result = TableScore.nothing(
                f"the answer has {length:,} characters; expected {LONGEST_ANSWER:,} at most"
            )
        elif self.table is None:
            self.result = TableScore.nothing("the answer holds no table")

    def end(self, result: TableScore) -> None:
        self.table, self.result = None, result

    def columns_differ(self) -> bool:
        if self.table is None or len(self.table.columns) != len(self.spec.columns):
            return False
        sides = self.vocabularies(None)
        return bool(sides.predicted and sides.gold)

    def vocabularies(self, name: str | None) -> Vocabularies:
        """What is to be aligned: the columns that differ, or the values of a key column that are unknown."""
        assert self.table is not None
        if name is not None:
            return Vocabularies(self.unknown(name), _distinct(self.gold, name), False)
        names = [column.name for column in self.spec.columns]
        lacking = tuple(one for one in names if one not in self.table.columns)
        return Vocabularies(tuple(dict.fromkeys(one for one in self.table.columns if one not in names)), lacking, True)

    def rename(self, name: str | None, mapping: Mapping[str, str]) -> None:
        if name is not None:
            self._values[name] = mapping
        elif self.table is not None:
            self.table = self.table._replace(columns=tuple(mapping.get(one, one) for one in self.table.columns))

    def check_columns(self) -> None:
        names = sorted(column.name for column in self.spec.columns)
        if self.table is not None and sorted(self.table.columns) != names:
            shown = ", ".join(self.table.columns)[:200]
            self.table, self.result = None, TableScore.nothing(f"its columns are {shown}; not those asked for")
        for column in self.spec.columns if self.table is not None else ():
            self._compare_as_numbers(column.name)

    def _compare_as_numbers(self, name: str) -> None:
        """Writes a column that holds plain numbers on both sides in one form, so that "5" is "5.0"."""
        assert self.table is not None
        both = [(table, table.columns.index(name)) for table in (self.gold, self.table)]
        if all(column_of_numbers([row[place] for row in table.rows]) for table, place in both):
            self.gold, self.table = (
                table._replace(
                    rows=tuple((*row[:place], as_number(row[place]), *row[place + 1 :]) for row in table.rows)
                )
                for table, place in both
            )

    def aligned_keys(self) -> list[str]:
        return [one.name for one in self.spec.columns if one.name in self.spec.key and set(one.metrics) & set(_ALIGNED)]

    def unknown(self, name: str) -> tuple[str, ...]:
        """The values of a key column that are none of the gold's after preprocessing."""
        assert self.table is not None
        column = next(one for one in self.spec.columns if one.name == name)
        known = {column.prepared(value).lower() for value in _distinct(self.gold, name)}
        found = (one for one in _distinct(self.table, name) if column.prepared(one).lower() not in known)
        return tuple(islice((one for one in found if len(one) <= LONGEST_VALUE), 5 * len(self.gold.rows) + 100))

    def rows(self) -> _KeyedRows | None:
        if self.table is None:
            return None
        return _KeyedRows(self._by_key(self.gold, {}), self._by_key(self.table, self._values))

    def _by_key(
        self, table: AnswerTable, values: Mapping[str, Mapping[str, str]]
    ) -> dict[tuple[str, ...], Mapping[str, str]]:
        found: dict[tuple[str, ...], Mapping[str, str]] = {}
        for row in table.rows:
            cells = dict(zip(table.columns, row, strict=True))
            keyed = {name: values.get(name, {}).get(cell, cell) for name, cell in cells.items()}
            key = tuple(one.prepared(keyed[one.name]).lower() for one in self.spec.columns if one.name in self.spec.key)
            found.setdefault(key, cells)
        return found

    def judged(self, rows: _KeyedRows) -> list[Cell]:
        """The cells that a model has to judge."""
        return [
            cell
            for key, gold in rows.gold.items()
            if key in rows.predicted
            for column in self._judged_columns()
            if (cell := _cell(column, rows.predicted[key][column.name], gold[column.name])) is not None
        ]

    def _judged_columns(self) -> list[Column]:
        return [one for one in self.spec.columns if one.name not in self.spec.key and JUDGED in one.metrics]

    def score(self, rows: _KeyedRows | None, ruled: Mapping[Cell, bool | str]) -> TableScore:
        if rows is None:
            return self.result or TableScore.nothing("")
        failed = next((found for cell in self.judged(rows) if isinstance(found := ruled[cell], str)), None)
        if failed is not None:
            return TableScore(None, f"a cell was not judged: {failed}")
        right = [
            [
                column.name in self.spec.key
                or _right(column, rows.predicted[key][column.name], gold[column.name], ruled)
                for column in self.spec.columns
            ]
            for key, gold in rows.gold.items()
            if key in rows.predicted
        ]
        numbers = TableNumbers.of(
            sum(map(all, right)), sum(map(sum, right)), len(rows.predicted), len(rows.gold), len(self.spec.columns)
        )
        return TableScore(numbers, "" if numbers.success else self._lacking(rows, right))

    def _lacking(self, rows: _KeyedRows, right: Sequence[Sequence[bool]]) -> str:
        """Which rows are missing or too many, and which cells are wrong: how many, and the first of each."""
        shared = [key for key in rows.gold if key in rows.predicted]
        missing = [rows.gold[key] for key in rows.gold if key not in rows.predicted]
        more = [rows.predicted[key] for key in rows.predicted if key not in rows.gold]
        wrong = [
            f"{column.name} of {self._named(rows.gold[key])} is {_shown(rows.predicted[key][column.name])}, expected "
            f"{_shown(rows.gold[key][column.name])}"
            for key, cells in zip(shared, right, strict=True)
            for column, met in zip(self.spec.columns, cells, strict=True)
            if not met
        ]
        parts = [
            f"rows {what}: {len(found)} ({_first(map(self._named, found), len(found))})"
            for what, found in (("missing", missing), ("too many", more))
            if found
        ]
        if wrong:
            parts.append(f"cells wrong: {len(wrong)} ({_first(wrong, len(wrong))})")
        return ", ".join(parts)

    def _named(self, row: Mapping[str, str]) -> str:
        """A row by its key."""
        return " | ".join(_shown(row[one.name]) for one in self.spec.columns if one.name in self.spec.key)


def _first(named: Iterable[str], of: int) -> str:
    return "; ".join(islice(named, _NAMED)) + "; …" * (of > _NAMED)


def _shown(value: str) -> str:
    return f'"{one_line(value, 60)}"'


def _right(column: Column, predicted: str, gold: str, ruled: Mapping[Cell, bool | str]) -> bool:
    said, meant = column.prepared(predicted), column.prepared(gold)
    for metric in column.metrics:
        if metric != JUDGED:
            met = METRICS[metric](said, meant, column.tolerance)
        else:
            cell = _cell(column, predicted, gold)
            met = said.lower() == meant.lower() if cell is None else ruled[cell] is True
        if not met:
            return False
    return True


def _cell(column: Column, predicted: str, gold: str) -> Cell | None:
    """What a model is asked of a cell.

    ``None``: nothing, as the same text is right, and an empty cell against a full one, or one too long, wrong.
    """
    same = column.prepared(predicted).lower() == column.prepared(gold).lower()
    wrong = not predicted or not gold or len(predicted) > LONGEST_VALUE + 5 * len(gold)
    return None if same or wrong else Cell(column.criterion, gold, predicted)


def _distinct(table: AnswerTable, name: str) -> tuple[str, ...]:
    place = table.columns.index(name)
    return tuple(dict.fromkeys(row[place] for row in table.rows if row[place]))
