"""The tasks of BrowseComp, BrowseComp-ZH and BrowseComp-Plus, from official files, encrypted or not."""

from __future__ import annotations

import base64
import binascii
import csv
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from webenv.corpora.ingest.record import id_address
from webenv.envs.webs import task_files, task_set
from webenv.errors import TaskFileError
from webenv.runtime.files import read_json_records, read_text
from webenv.task import Gold, Task, TaskSet

SITE = "https://browsecomp-plus.example/"
"""Under what ids of BrowseComp-Plus' documents are found: ``webenv corpus build DIR --from parquet:CORPUS@<SITE>``."""

QRELS = "qrel_evidence.txt"
"""The evidence of BrowseComp-Plus, in TREC's form: query, 0, document, relevance."""

ENDINGS = (".jsonl", ".json", ".csv", ".xlsx")

FORM = (
    "Reply in three lines:\nExplanation: how you found it\nExact Answer: the answer alone, as short as it can be\n"
    "Confidence: 0% to 100%"
)
"""What is asked for below every question; the labels are those of the release, in every language."""

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "question": ("problem", "Question", "question", "query"),
    "answer": ("answer", "Answer"),
    "topic": ("problem_topic", "Topic", "topic"),
    "canary": ("canary",),
    "id": ("query_id", "id", "instance_id"),
}
_LONGEST = 19_000  # characters of a question
_CHINESE = re.compile("[\u4e00-\u9fff]")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")


class _Row(NamedTuple):
    """A record, and where it stands."""

    place: str
    number: int
    fields: Mapping[str, Any]


def decrypt(text: str, password: str) -> str:
    """A text of the encrypted files: base64, XOR with the SHA-256 of the password, repeated.

    Raises:
        ValueError: for a text that is no base64, or another password's.

    >>> decrypt("5jdqSAs=", "BrowseComp")
    'Paris'
    """
    data = base64.b64decode(text, validate=True)
    key = hashlib.sha256(password.encode()).digest()
    plain = bytes(one ^ other for one, other in zip(data, cycle(key), strict=False)).decode()
    if not plain.isprintable() and any(ord(one) < 32 and one not in "\t\r\n" for one in plain):
        raise ValueError("it decrypts to control characters")
    return plain


def load_tasks(*paths: str | Path, password: str | None = None) -> TaskSet:
    """Loads official files: BrowseComp's CSV, BrowseComp-ZH's Excel table or JSON, BrowseComp-Plus' JSON lines.

    A record has a question (``problem``, ``Question``, ``query``), an ``answer``, where known a topic and an id, and
    where it is encrypted its ``canary``, which is the password; BrowseComp-Plus has one canary for all, which stands in
    its own script and is given as ``password``. The documents of BrowseComp-Plus (``evidence_docs``, ``gold_docs``)
    become gold pages, so that the reward term ``recall`` is its evidence recall; where a record lists none, those of
    ``qrel_evidence.txt`` beside the file do, under the addresses that ids have in a corpus built with :data:`SITE`.
    Tags: ``language`` (by the script of the question), ``topic``.

    Source: BrowseComp (Wei et al., 2025); BrowseComp-ZH (Zhou et al., 2025); BrowseComp-Plus (Chen et al., 2025).

    Args:
        paths: files, or folders of them.
        password: what encrypted records without a canary of their own are decrypted with.

    Raises:
        TaskFileError: for a path without such files, a record that cannot be read, or a wrong password.
    """
    expected = "browse_comp_test_set.csv, browsecomp-zh-encrypted.xlsx, or JSON lines"
    read = (
        (row.place, *_read(row, file, password, judged))
        for file in task_files(paths, ENDINGS, expected)
        for judged in [_qrels(file.parent / QRELS)]
        for row in _rows(file)
    )
    return task_set(read, "BrowseComp")


def _rows(file: Path) -> Iterator[_Row]:
    if file.suffix.lower() == ".xlsx":
        for number, cells in enumerate(read_sheet(file), start=1):
            yield _Row(f"tasks {str(file)!r}, record {number}", number, cells)
        return
    if file.suffix.lower() != ".csv":
        for place, number, _, value in read_json_records(file, "tasks", TaskFileError):
            if not isinstance(value, dict):
                raise TaskFileError(f"{place}: a JSON {type(value).__name__}; expected an object with a question.")
            yield _Row(place, number, value)
        return
    csv.field_size_limit(10_000_000)
    lines = csv.DictReader(io.StringIO(read_text(file, "tasks", TaskFileError)))
    try:
        for number, record in enumerate(lines, start=1):
            yield _Row(f"tasks {str(file)!r}, record {number}", number, record)
    except csv.Error as error:
        raise TaskFileError(f"tasks {str(file)!r} is no CSV: {error}.") from error


def _read(row: _Row, file: Path, password: str | None, judged: Mapping[str, Sequence[str]]) -> tuple[Task, str]:
    given = {part: _first(row.fields, names) for part, names in _FIELDS.items()}
    # decrypted files may keep their canaries: a record is encrypted if its question is
    encrypted = _BASE64.fullmatch(given["question"]) is not None and len(given["question"]) % 4 == 0
    canary = (given["canary"] or password or "") if encrypted else ""
    if encrypted and not canary:
        raise TaskFileError(
            f"{row.place}: its question is encrypted, and the record has no canary: give the password "
            "(load_tasks(…, password=…), --set password=…)."
        )
    question, answer, topic = (_plain(given[part], canary, row.place, part) for part in ("question", "answer", "topic"))
    if not question or len(question) > _LONGEST:
        raise TaskFileError(
            f"{row.place}: the question is {question!r:.60}; expected a text of at most {_LONGEST:,} characters."
        )
    tags = {"language": "zh" if _CHINESE.search(question) else "en"} | ({"topic": topic} if topic else {})
    task = Task(
        id=f"{file.stem}/{given['id'] or row.number}",
        question=f"{question}\n\n{FORM}",
        gold=Gold(
            urls=_evidence(row, canary) or tuple(judged.get(given["id"], ())), answers=(answer,) if answer else ()
        ),
        tags=tags,
    )
    return task, "" if answer else "no gold answer"


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    value = next((fields[name] for name in names if fields.get(name) not in (None, "")), "")
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _plain(text: str, password: str, place: str, what: str) -> str:
    """A text as it is meant: decrypted where it is encrypted."""
    if not password or not text:
        return text
    try:
        return decrypt(text, password).strip()
    except (ValueError, binascii.Error) as error:
        raise TaskFileError(
            f"{place}: its {what} cannot be decrypted with {password!r:.60}: wrong password."
        ) from error


def _evidence(row: _Row, password: str) -> tuple[str, ...]:
    for name in ("evidence_docs", "gold_docs"):
        listed = row.fields.get(name)
        if isinstance(listed, list) and listed:
            urls = [one.get("url") for one in listed if isinstance(one, dict)]
            return tuple(dict.fromkeys(_plain(url, password, row.place, "url") for url in urls if isinstance(url, str)))
    return ()


def _qrels(file: Path) -> dict[str, list[str]]:
    """The addresses of the evidence of each query; nothing where there is no such file."""
    found: dict[str, list[str]] = {}
    if not file.is_file():
        return found
    for number, line in enumerate(read_text(file, "qrels", TaskFileError).splitlines(), start=1):
        parts = line.split()
        if len(parts) not in (0, 4):
            raise TaskFileError(f"{file}, line {number}: {line!r:.60}; expected query, Q0, document and relevance.")
        if parts and parts[3] != "0":
            found.setdefault(parts[0], []).append(id_address(SITE, parts[2]))
    return found


_NAMES = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/sheet\d+\.xml")
_LETTERS = re.compile(r"[A-Z]{1,3}")
_MOST = 32 << 20  # bytes of a part: its tree takes ten times as many


def read_sheet(path: Path) -> list[dict[str, str]]:
    """The rows below the first, each as texts by the names in the first; empty cells are left out.

    Read by hand, as a stranger's file: nothing is extracted, no formula computed, no entity expanded.

    Raises:
        TaskFileError: if it is no such file, or too large.
    """
    try:
        with zipfile.ZipFile(path) as file:
            sheets = sorted(filter(_SHEET.fullmatch, file.namelist()), key=lambda name: (len(name), name))
            if not sheets:
                raise TaskFileError(f"tasks {str(path)!r} holds no sheet; expected an Excel table (.xlsx).")
            shared = "xl/sharedStrings.xml"
            texts = _strings(_part(file, shared, path)) if shared in file.namelist() else []
            rows = [_cells(row, texts) for row in _part(file, sheets[0], path).iter(f"{_NAMES}row")]
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, ElementTree.ParseError) as error:
        raise TaskFileError(f"tasks {str(path)!r} is no Excel table that can be read: {error!s:.100}.") from error
    except (IndexError, ValueError) as error:
        raise TaskFileError(f"tasks {str(path)!r} is a damaged Excel table.") from error
    head, body = (rows[0], rows[1:]) if rows else ({}, [])
    return [{head[place]: text for place, text in row.items() if head.get(place)} for row in body if row]


def _part(file: zipfile.ZipFile, name: str, path: Path) -> ElementTree.Element:
    if file.getinfo(name).file_size > _MOST:  # zipfile reads no more of a part than its size says
        raise TaskFileError(f"tasks {str(path)!r}: {name} has more than {_MOST >> 20} MiB; split it.")
    data = file.read(name)
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise TaskFileError(f"tasks {str(path)!r}: {name} declares entities, as no spreadsheet does; it is not read.")
    return ElementTree.fromstring(data)


def _strings(part: ElementTree.Element) -> list[str]:
    return [_text(item) for item in part.iter(f"{_NAMES}si")]


def _text(item: ElementTree.Element) -> str:
    return "".join(one.text or "" for one in item.iter(f"{_NAMES}t"))


def _cells(row: ElementTree.Element, shared: list[str]) -> dict[str, str]:
    """The cells of a row by the letters of their columns."""
    found: dict[str, str] = {}
    for cell in row.iter(f"{_NAMES}c"):
        letters = _LETTERS.match(cell.get("r", ""))
        if cell.get("t") == "inlineStr":
            text = _text(cell)
        else:
            text = cell.findtext(f"{_NAMES}v", "")
            text = shared[int(text)] if cell.get("t") == "s" and text else text
        if letters and text:
            found[letters[0]] = text
    return found
