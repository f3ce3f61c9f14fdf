"""Refreshing a folder of questions: the windows slide, and older questions join the training set.

Source: LiveNewsBench, section 2.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from webenv.envs.building.folder import MACHINERY, hold
from webenv.envs.live_news_bench.records import (
    FILES,
    LATER,
    LONGITUDINAL,
    VERIFIED,
    placed,
    read_records,
    record_id,
    to_lines,
)
from webenv.envs.live_news_bench.release import Release
from webenv.errors import InvalidArgument, TaskFileError
from webenv.runtime.files import write_atomic

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
    with hold(top):
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
    earlier = folder / MACHINERY / "earlier" / f"{Path(VERIFIED).stem}_{release.newest}.jsonl"
    earlier.parent.mkdir(exist_ok=True)
    kept = {_id(record): record for record in (*read_records(earlier), *gone)}
    write_atomic(earlier, to_lines(kept.values()))
    left = [record for record in verified if _id(record) in tested]
    if left:
        write_atomic(folder / VERIFIED, to_lines(left))
    else:
        (folder / VERIFIED).unlink()
    return len(gone), str(earlier)
