"""Release: which months of events are the test set, which the validation set, and how they slide."""

from __future__ import annotations

import calendar
import json
import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

from webenv.envs.building.folder import MACHINERY
from webenv.envs.live_news_bench.windows import split_of
from webenv.errors import InvalidArgument, RunError
from webenv.runtime.files import write_atomic

_FILE = f"{MACHINERY}/release.json"
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
        file = folder / _FILE
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return Released(cls(data["newest"]), bool(data["refreshed"]), str(data.get("day", "")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise RunError(f"{file} cannot be read: {error!s:.200}.") from error

    def write(self, folder: Path, *, refreshed: bool, day: str = "") -> None:
        """Writes it into a folder of tasks, with whether it was slid or added to, and the day of the last refresh."""
        known = {"newest": self.newest, "refreshed": refreshed, **({"day": day} if day else {})}
        write_atomic(folder / _FILE, json.dumps(known) + "\n")


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
