"""The tasks of WideSearch, from the official files: questions in JSON lines, and a gold table each in CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webenv.envs.webs import task_files, task_set
from webenv.errors import DataError, TaskFileError
from webenv.rewards.tables.cells import TableSpec
from webenv.rewards.tables.markdown import read_csv
from webenv.runtime.files import inside, read_json_records, read_text
from webenv.task import Gold, Task, TaskSet

GOLD = "widesearch_gold"
"""The folder of the gold tables, beside the questions."""

_LARGEST = 2_000_000  # characters of a gold table
_LONGEST = 19_000  # characters of a question


def load_tasks(*paths: str | Path) -> TaskSet:
    """Loads official files: JSON lines of questions, and beside them the folder ``widesearch_gold`` of gold tables.

    A record has ``instance_id``, ``query``, ``language`` and ``evaluation`` (``required``, ``unique_columns``,
    ``eval_pipeline``), which may be JSON within a text, as in the parquet of the release. Its gold table is
    ``widesearch_gold/<instance_id>.csv`` (or ``gold/…``, or beside the file), or the record's own ``table``, a text
    of CSV. Tags: ``language``.

    A record without a gold table, or whose table lacks a column, has one twice, or has no row, cannot be scored: it is
    left out, and the task set's ``excluded`` says why. (The release passes over it in silence.)

    Source: the released files of WideSearch (Wong et al., 2025).

    Args:
        paths: files of JSON lines, or folders of them.

    Raises:
        TaskFileError: for a path without such files, or a record that cannot be read, named by its line.
    """
    files = task_files(paths, (".jsonl", ".json"), f"widesearch.jsonl beside {GOLD}/")
    records = ((file, one) for file in files for one in read_json_records(file, "tasks", TaskFileError))
    return task_set(((one.place, *_read(one.value, one.place, file)) for file, one in records), "WideSearch")


def _read(record: Any, place: str, file: Path) -> tuple[Task, str]:
    if not isinstance(record, dict):
        raise TaskFileError(f"{place}: a JSON {type(record).__name__}; expected an object with instance_id and query.")
    name, query = (_text(record, field, place) for field in ("instance_id", "query"))
    if len(query) > _LONGEST:
        raise TaskFileError(f"{place}: query has {len(query):,} characters; expected {_LONGEST:,} at most.")
    evaluation = record.get("evaluation")
    if isinstance(evaluation, str):
        try:
            evaluation = json.loads(evaluation)
        except (ValueError, RecursionError) as error:
            raise TaskFileError(f"{place}: evaluation is no JSON: {error!s:.100}.") from error
    if not isinstance(evaluation, Mapping):
        raise TaskFileError(f"{place}: evaluation is {evaluation!r:.60}; expected an object.")
    language = record.get("language") or ("zh" if "zh" in name.split("_") else "en")
    table, problem = _gold(record, name, file, place)
    problem = problem or _misfit(table, evaluation)
    gold = Gold() if problem else Gold(data={"table": table, "evaluation": dict(evaluation)})
    return Task(id=name, question=query.strip(), gold=gold, tags={"language": str(language)}), problem


def _text(record: Mapping[str, Any], field: str, place: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or not value.strip():
        raise TaskFileError(f"{place}: {field} is {value!r:.60}; expected a text.")
    return value


def _gold(record: Mapping[str, Any], name: str, file: Path, place: str) -> tuple[str, str]:
    """The gold table as CSV, or what is wrong."""
    own = record.get("table")
    if isinstance(own, str) and own.strip():
        return own, ""
    if Path(name).name != name:
        raise TaskFileError(f"{place}: instance_id {name!r:.60} names no file; expected one like ws_en_001.")
    for folder in (GOLD, "gold", ""):
        gold = inside(file.parent, *(part for part in (folder, f"{name}.csv") if part))
        if gold.is_file():
            return read_text(gold, "gold table", TaskFileError), ""
    return "", f"there is no gold table {GOLD}/{name}.csv"


def _misfit(table: str, evaluation: Mapping[str, Any]) -> str:
    """Why a gold table cannot be compared with; empty where it can."""
    if len(table) > _LARGEST:
        return f"the gold table has {len(table):,} characters; expected {_LARGEST:,} at most"
    try:
        spec, gold = TableSpec.of(evaluation), read_csv(table)
    except DataError as error:
        return str(error)
    lacking = [column.name for column in spec.columns if column.name not in gold.columns]
    if lacking:
        return f"the gold table lacks the column {lacking[0]!r}"
    return "" if gold.rows else "the gold table has no row"
