"""Records: questions on news as they stand in task files, in the official release's form.

A folder of tasks holds ``train.jsonl``, ``val.jsonl``, ``test.jsonl``, ``human_verified_test.jsonl`` and
``longitudinal_test.jsonl``, one record a line:

================  ==================================================================================
link              the article that the question was drafted from; its host is hidden from agents
event_date        the day of the event, an ISO date
question, answer  what is asked, and a short answer
id                16 hex digits of SHA-256 over link and question
site              the host of ``link`` without ``www.``
category          a kind of event; empty where it is not known
stability         ``unlikely`` to change, or within a few ``years``, or within a ``year``
event             ``id`` and ``summary`` of the event
article           ``title`` and ``date`` of the article
explanation       the drafter's, of why the answer holds
split             ``train``, ``validation`` or ``test``; in those three files alone
================  ==================================================================================

The first four are those of the official release (LiveNewsBench, README of the data); the others are ours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from webenv.corpora.url import host_of
from webenv.errors import TaskFileError
from webenv.runtime.files import read_json_records

FILES = {"train": "train.jsonl", "validation": "val.jsonl", "test": "test.jsonl"}
"""The file of each split."""

VERIFIED, LONGITUDINAL = "human_verified_test.jsonl", "longitudinal_test.jsonl"

LATER = "later.jsonl"
"""What is newer than the test set, kept for a later one."""


class NewsRecord(NamedTuple):
    """One question, as it stands in a task file."""

    link: str
    event_date: str
    question: str
    answer: str
    id: str
    site: str
    category: str
    stability: str
    event: dict[str, str]
    article: dict[str, str]
    explanation: str

    @classmethod
    def of(cls, link: str, question: str, **others: Any) -> NewsRecord:
        """A record, with its id and site."""
        return cls(link=link, question=question, id=record_id(link, question), site=host_of(link), **others)


def record_id(link: str, question: str) -> str:
    """The id of a question on an article: 16 hex digits."""
    return hashlib.sha256(f"{link}\n{question}".encode(errors="replace")).hexdigest()[:16]


def placed(record: Mapping[str, Any], split: str) -> dict[str, Any]:
    """A record with the split that it is in; without one where its split is none of :data:`FILES`."""
    others = {name: value for name, value in record.items() if name != "split"}
    return {**others, "split": split} if split in FILES else others


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file, as plain data, whatever fields they have; none where there is no such file.

    Raises:
        TaskFileError: if it cannot be read, or a record is no object with an ``event_date`` and a ``question``.
    """
    if not path.exists():
        return []
    records = []
    for place, _, _, record in read_json_records(path, "tasks", TaskFileError):
        if not isinstance(record, dict) or not isinstance(record.get("question"), str):
            raise TaskFileError(f"{place}: expected an object with a question.")
        if not isinstance(record.get("event_date"), str):
            raise TaskFileError(f"{place}: event_date is {record.get('event_date')!r:.40}; expected a day.")
        records.append(record)
    return records


def to_lines(records: Iterable[dict[str, Any]]) -> str:
    """Records as the text of a file."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
