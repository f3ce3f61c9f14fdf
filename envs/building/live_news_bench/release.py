"""Folders of questions on news: their records, the windows of months of a release, and how they slide.

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

import calendar
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from webenv.envs.building.folder import IN_USE, MACHINERY
from webenv.envs.live_news_bench.tasks import FILES, LONGITUDINAL, VERIFIED, split_of
from webenv.errors import DataError, InvalidArgument, RunError, TaskFileError
from webenv.runtime.files import inside, read_json_records, read_text, write_atomic
from webenv.runtime.folders import FolderLock
from webenv.urls import host_of

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
    if not inside(path.parent, path.name).exists():
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


_FILE = "release.json"
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_QUARTER = 3  # months


@dataclass(frozen=True, slots=True)
class Release:
    """A state of a folder of tasks: two months are the test set, the one before the validation set, all older training.

    Source: LiveNewsBench, section 2.3.

    Args:
        newest: the last month of the test set, as in ``2025-08``.

    Raises:
        InvalidArgument: if it is no month.
    """

    newest: str

    def __post_init__(self) -> None:
        if not _MONTH.fullmatch(self.newest):
            raise InvalidArgument(f"newest month {self.newest!r:.40}: expected one as in 2025-08.")

    @classmethod
    def before(cls, day: str) -> Release:
        """The release whose newest month is the last one that is over on a day.

        Raises:
            InvalidArgument: if the day is none.
        """
        return cls(_named(_month_of(day) - 1))

    def split(self, day: str) -> str:
        """The split of an event of that day: ``train``, ``validation``, ``test``, or ``later``.

        >>> release = Release("2025-08")
        >>> [release.split(f"2025-0{month}-15") for month in (5, 6, 7, 8, 9)]
        ['train', 'validation', 'test', 'test', 'later']
        """
        if _month_of(day) > _number(self.newest):
            return "later"
        year, month = int(self.newest[:4]), int(self.newest[5:])
        return split_of(date.fromisoformat(day), date(year, month, calendar.monthrange(year, month)[1]))

    def slid(self, today: str) -> Release:
        """The release on a day: slid by whole quarters, as many as are over by then.

        >>> Release("2025-08").slid("2025-11-30"), Release("2025-08").slid("2025-12-01")
        (Release(newest='2025-08'), Release(newest='2025-11'))
        """
        over = _month_of(today) - 1 - _number(self.newest)
        return Release(_named(_number(self.newest) + max(0, over // _QUARTER) * _QUARTER))

    @classmethod
    def read(cls, folder: Path) -> Released | None:
        """The release of a folder of tasks; ``None`` where there is none.

        Raises:
            RunError: if its file cannot be read.
        """
        file = inside(folder, MACHINERY, _FILE)
        if not file.exists():
            return None
        try:
            data = json.loads(read_text(file, "the release"))
            return Released(cls(data["newest"]), bool(data["refreshed"]), str(data.get("day", "")))
        except (DataError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise RunError(f"{file} cannot be read: {error!s:.200}.") from error

    def write(self, folder: Path, *, refreshed: bool, day: str = "") -> None:
        """Writes it into a folder of tasks, with whether it was slid or added to, and the day of the last refresh."""
        known = {"newest": self.newest, "refreshed": refreshed, **({"day": day} if day else {})}
        write_atomic(inside(folder, MACHINERY) / _FILE, json.dumps(known) + "\n")


class Released(NamedTuple):
    """The release of a folder of tasks.

    Attributes:
        release: the release.
        refreshed: whether it was slid, or a newer build was added.
        day: of the last refresh, an ISO date; empty: there was none.
    """

    release: Release
    refreshed: bool
    day: str


def _month_of(day: str) -> int:
    try:
        return _number(date.fromisoformat(day).isoformat()[:7])
    except (ValueError, TypeError) as error:
        raise InvalidArgument(f"day {day!r:.40}: expected one as in 2025-08-31.") from error


def _number(month: str) -> int:
    return int(month[:4]) * 12 + int(month[5:]) - 1


def _named(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


Records = dict[str, dict[str, Any]]
"""Records by id."""


class Refreshed(NamedTuple):
    """What a refresh did.

    Attributes:
        before: the newest month of the test set before.
        newest: the one after; the same if no quarter was over.
        files: how many questions each file holds now.
        joined: how many validation and test questions joined the training set.
        added: how many questions each folder brought that were not there yet, by where they went: a split, ``later``
            or ``longitudinal``.
        retired: how many human-verified questions left the test set.
        earlier: the file that holds these now; empty where there are none.
    """

    before: str
    newest: str
    files: Mapping[str, int]
    joined: int
    added: Mapping[str, Mapping[str, int]]
    retired: int
    earlier: str


def refresh(folder: str | Path, today: str, added: Sequence[str | Path] = ()) -> Refreshed:
    """Slides the windows of a folder of questions by the quarters that are over on a day.

    The questions of the validation and test sets that are older than the new windows join the training set; what
    was kept for later, and the questions of the folders that are added, go where their dates say. Human-verified
    questions that are no longer in the test set move to ``build/earlier``. Doing it again on the same day changes
    nothing, and so does a day within the same quarter.

    Args:
        folder: where a build wrote questions.
        today: an ISO date.
        added: folders of newer builds.

    Raises:
        TaskFileError: if the folder holds no questions of a build, or an added one none at all.
        InvalidArgument: if the day is none, or before that of the last refresh.
        RunError: if the folder is in use, or cannot be written.
    """
    top = Path(folder)
    if not (top / MACHINERY).is_dir():
        raise TaskFileError(f"{top} holds no questions of 'webenv tasks build livenews'.")
    with FolderLock(top / MACHINERY, top, IN_USE):
        known = Release.read(top)
        if known is None:
            raise TaskFileError(f"{top} holds no questions of 'webenv tasks build livenews'.")
        old, release = known.release, known.release.slid(today)
        day = date.fromisoformat(today).isoformat()
        if day < known.day:
            raise InvalidArgument(
                f"day {today!r:.40}: {top} was refreshed as of {known.day}; the windows do not slide back, name "
                "that or a later one."
            )
        before = _records([top], (*FILES.values(), LATER))
        changed = _records([top], (LONGITUDINAL,))
        brought = {str(one): _records([Path(one)], (*FILES.values(), LATER)) for one in added}
        newer = {str(one): _records([Path(one)], (LONGITUDINAL,)) for one in added}
        more, changing = _joined(*brought.values()), _joined(changed, *newer.values())
        if added and not more and not any(newer.values()):
            raise TaskFileError(f"{', '.join(map(str, added))}: no questions there; expected folders that were built.")
        files: dict[str, list[dict[str, Any]]] = {name: [] for name in (*FILES.values(), LATER)}
        for record in sorted({**more, **before}.values(), key=lambda one: str(one["event_date"])):
            split = release.split(str(record["event_date"]))
            files[FILES.get(split, LATER)].append(placed(record, split))
        trained = {_id(one) for one in read_records(top / FILES["train"])}
        joined = sum(_id(one) not in trained and _id(one) in before for one in files[FILES["train"]])
        for name, records in files.items():  # a question is in its new file before it leaves the old one
            if records or (top / name).exists():
                write_atomic(top / name, to_lines(records))
        write_atomic(top / LONGITUDINAL, to_lines(changing.values()))
        retired = _retire(top, old, {_id(one) for one in files[FILES["test"]]})
        release.write(top, refreshed=known.refreshed or release != old or bool(added), day=day)
        counts = {name: len(records) for name, records in files.items() if records or name != LATER}
        came = _came(release, before, brought, changed, newer)
        return Refreshed(
            old.newest, release.newest, {**counts, LONGITUDINAL: len(changing)}, joined, came, *(retired or (0, ""))
        )


def _joined(*some: Records) -> Records:
    """Records of several folders, each once."""
    found: Records = {}
    for records in some:
        for name, record in records.items():
            found.setdefault(name, record)
    return found


def _came(
    release: Release, known: Records, brought: Mapping[str, Records], changed: Records, newer: Mapping[str, Records]
) -> dict[str, dict[str, int]]:
    """How many new questions each folder brought, by where they went."""
    came: dict[str, dict[str, int]] = {}
    for folder, records in brought.items():
        fresh = [record for name, record in records.items() if name not in known]
        count = Counter(release.split(str(record["event_date"])) for record in fresh)
        count["longitudinal"] = len(newer[folder].keys() - changed.keys())
        came[folder] = {name: count[name] for name in (*FILES, "later", "longitudinal") if count[name]}
        known, changed = {**known, **records}, {**changed, **newer[folder]}
    return came


def _records(folders: Sequence[Path], names: Sequence[str]) -> Records:
    """The records of these files, each once."""
    found: Records = {}
    for folder in folders:
        if not folder.is_dir():
            raise TaskFileError(f"{folder}: there is no such folder.")
        for name in names:
            for record in read_records(folder / name):
                found.setdefault(_id(record), record)
    return found


def _id(record: Mapping[str, Any]) -> str:
    return record_id(str(record.get("link", "")), str(record["question"]))


def _retire(folder: Path, release: Release, tested: set[str]) -> tuple[int, str] | None:
    """Moves verified questions that are no longer in the test set to where they are in nobody's way.

    Returns:
        How many, and the file that holds them now; ``None`` where there are none.
    """
    verified = read_records(folder / VERIFIED)
    gone = [record for record in verified if _id(record) not in tested]
    if not gone:
        return None
    earlier = inside(folder, MACHINERY, "earlier") / f"{Path(VERIFIED).stem}_{release.newest}.jsonl"
    earlier.parent.mkdir(exist_ok=True)
    kept = {_id(record): record for record in (*read_records(earlier), *gone)}
    write_atomic(earlier, to_lines(kept.values()))
    left = [record for record in verified if _id(record) in tested]
    if left:
        write_atomic(folder / VERIFIED, to_lines(left))
    else:
        (folder / VERIFIED).unlink()
    return len(gone), str(earlier)
