"""AgentWebBench's released files: queries, histories, questions and topics, key points by id."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from webenv.corpora.ingest.jsonl import CLUEWEB_SITE
from webenv.corpora.ingest.record import id_address
from webenv.errors import DataError, TaskFileError
from webenv.rewards.key_points import read_key_points
from webenv.runtime.files import files_in, read_json_records, read_text
from webenv.task import Gold, Task, TaskSet
from webenv.urls import host_of

HISTORY = ".user_history.jsonl"
"""What the file of titles is called that stands beside the histories: ``test_281.user_history.jsonl``."""

_AGGREGATED = "_aggregated"


def load_official(kind: str, paths: Iterable[str | Path], worded: Callable[[str, str], str]) -> TaskSet:
    """Loads released files of one kind of tasks.

    ================  =================================================================================================
    search            records with ``id``, ``question``, ``source`` (hosting sites) and ``doc_ids``
    recommendation    records with ``id``, ``history_doc_ids``, ``history_timestamps``, ``source`` and ``doc_ids``;
                      titles from ``NAME.user_history.jsonl`` beside ``NAME.json``, where it is there
    qa                records with ``id``, ``question`` and ``answer``; ``source``, ``type`` and ``difficulty`` are tags
    research          records with ``id`` and ``question``; key points from any path that holds them: a folder of
                      ``ID_aggregated.json``, or records with ``id`` and ``key_points``, which alone make tasks, too
    ================  =================================================================================================

    A file is a JSON list of records, or has one a line. Tasks are called ``NAME/ID``. Gold pages stand at their
    ClueWeb22 ids, as ``https://clueweb22.example/ID``: a corpus built with ``clueweb:`` knows them there. A question
    without key points, or with an empty file of them, is loaded, and unscored by its judge.

    Args:
        kind: one of those above.
        paths: files, or folders of them.
        worded: gives the question that an agent reads, from the kind and the user's own text.

    Raises:
        TaskFileError: for a path without such files, a record that lacks a part, or an id that comes twice in a file.
    """
    given = list(paths)
    tasks: list[Task] = []
    points: dict[str, Mapping[str, Any]] = {}
    alone: list[tuple[str, Mapping[str, Any]]] = []  # records with key points in place of a list of questions
    for file in _files(given):
        if file.name.endswith(HISTORY):
            continue
        if file.stem.endswith(_AGGREGATED):
            points[file.stem.removesuffix(_AGGREGATED)] = _object(file)
            continue
        records = list(_records(file))
        if kind == "research" and all("key_points" in record for _, record in records):
            points |= {str(record["id"]): record for _, record in records}
            alone += [(f"{file.stem}/{record['id']}", record) for _, record in records]
            continue
        titles = _titles(file) if kind == "recommendation" else {}
        tasks += [_TASKS[kind](f"{file.stem}/{record['id']}", record, where, titles) for where, record in records]
    if kind == "research":
        tasks = [_with_points(task, points) for task in tasks] or [
            _with_points(_research(name, record, name, {}), points) for name, record in alone
        ]
    if not tasks:
        raise TaskFileError(f"{', '.join(map(str, given))}: holds no {kind} task; expected files of the release.")
    asked = (replace(task, question=worded(kind, task.question)) for task in tasks)
    return TaskSet(asked, name=f"AgentWebBench {kind}")


# ── one record ────────────────────────────────────────────────────────────────


def _search(name: str, record: Mapping[str, Any], where: str, titles: object) -> Task:
    return _ranked("search", name, record, where, _text(record, "question", where))


def _recommendation(name: str, record: Mapping[str, Any], where: str, titles: Mapping[str, Mapping[str, Any]]) -> Task:
    given = record.get("user_history", titles.get(str(record["id"]), {}).get("user_history"))
    if given is None:  # without the file of titles ids are all that is known
        ids = _list(record, "history_doc_ids", where)
        times = record.get("history_timestamps") or [""] * len(ids)
        if not isinstance(times, list) or len(times) != len(ids):
            raise TaskFileError(
                f"{where}: {len(ids)} history_doc_ids and history_timestamps {times!r:.60}; expected one each."
            )
        given = [{"doc_id": page, "timestamp": time} for page, time in zip(ids, times, strict=True)]
    if not isinstance(given, list) or not given or not all(isinstance(visit, dict) for visit in given):
        raise TaskFileError(f"{where}: its history is {given!r:.60}; expected at least one visit.")
    lines = [_visit(visit, where) for visit in given]
    return _ranked("recommendation", name, record, where, "\n".join(lines))


def _visit(visit: Mapping[str, Any], where: str) -> str:
    page = _text(visit, "doc_id", where)
    title, time = (" ".join(str(visit.get(part) or "").split()) for part in ("title", "timestamp"))
    return " ".join(part for part in ("-", title, f"({time})" if time else "", id_address(CLUEWEB_SITE, page)) if part)


def _ranked(kind: str, name: str, record: Mapping[str, Any], where: str, text: str) -> Task:
    ids = list(dict.fromkeys(_list(record, "doc_ids", where)))
    if not ids:
        raise TaskFileError(f"{where}: its doc_ids are empty; expected the relevant documents.")
    sites = [host_of(site) or site for site in _list(record, "source", where)]
    gold = Gold(urls=tuple(id_address(CLUEWEB_SITE, one) for one in ids), data={"sites": sites})
    tags = {"group": kind, "sites": str(len(set(sites)))}
    return Task(name, text, gold=gold, tags=tags)


def _qa(name: str, record: Mapping[str, Any], where: str, titles: object) -> Task:
    answers = record.get("answer")
    golds = tuple(_list(record, "answer", where)) if isinstance(answers, list) else (_text(record, "answer", where),)
    if not golds:
        raise TaskFileError(f"{where}: answer is []; expected at least one text.")
    told = {tag: str(record[tag]) for tag in ("source", "type", "difficulty") if record.get(tag) not in (None, "")}
    seen = _list(record, "seen_doc_ids", where) if record.get("seen_doc_ids") else []
    gold = Gold(answers=golds, data={"seen_doc_ids": list(dict.fromkeys(seen))} if seen else {})
    return Task(name, _text(record, "question", where), gold=gold, tags={"group": "qa", **told})


def _research(name: str, record: Mapping[str, Any], where: str, titles: object) -> Task:
    return Task(name, _text(record, "question", where), tags={"group": "research"})


def _with_points(task: Task, points: Mapping[str, Mapping[str, Any]]) -> Task:
    found = points.get(task.id.rpartition("/")[2], {"key_points": []})
    try:
        texts = read_key_points(found)
    except DataError as error:
        raise TaskFileError(f"task {task.id}: {error}") from error
    return replace(task, gold=Gold(data={"key_points": texts}))


_TASKS = {"search": _search, "recommendation": _recommendation, "qa": _qa, "research": _research}


# ── files ─────────────────────────────────────────────────────────────────────


def _files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.exists():
            raise TaskFileError(f"{path}: no such file or folder; expected files such as test_354.json.")
        found = files_in(path, (".json", ".jsonl"), TaskFileError) if path.is_dir() else [path]
        if not found:
            raise TaskFileError(f"{path} holds no .json and no .jsonl file.")
        yield from sorted(found)


def _records(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    seen: set[str] = set()
    for given in read_json_records(file, "tasks", TaskFileError):
        record = given.value
        if not isinstance(record, dict) or not isinstance(record.get("id"), int | str) or str(record["id"]) in seen:
            held = record.get("id") if isinstance(record, dict) else record
            raise TaskFileError(f"{given.place}: id {held!r:.60}; expected an object with an id of its own.")
        seen.add(str(record["id"]))
        yield given.place, record


def _titles(file: Path) -> dict[str, Mapping[str, Any]]:
    beside = file.with_name(file.stem + HISTORY)
    return {str(record["id"]): record for _, record in _records(beside)} if beside.is_file() else {}


def _object(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(read_text(file, "key points", TaskFileError) or "{}")
    except (ValueError, RecursionError) as error:
        raise TaskFileError(f"key points {str(file)!r} are no JSON: {error!s:.100}.") from error
    if not isinstance(found, dict):
        raise TaskFileError(f"key points {str(file)!r}: a JSON {type(found).__name__}; expected an object.")
    return {"key_points": [], **found}


def _text(record: Mapping[str, Any], name: str, where: str) -> str:
    found = record.get(name)
    if isinstance(found, bool) or not isinstance(found, str | int | float) or not str(found).strip():
        raise TaskFileError(f"{where}: {name} is {found!r:.60}; expected a text.")
    return str(found).strip()


def _list(record: Mapping[str, Any], name: str, where: str) -> list[str]:
    found = record.get(name)
    if not isinstance(found, list) or not all(isinstance(one, str) and one.strip() for one in found):
        raise TaskFileError(f"{where}: {name} is {found!r:.60}; expected a list of texts, none of them blank.")
    return found
