"""Sweep: one entry of the budget at several values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.summary import Summary

ENTRIES = ("searches", "visits", "asks", "turns")
"""The entries of a budget that can be swept."""


class Sweep(NamedTuple):
    """An entry of the budget, and the values that it takes, as they were given."""

    entry: str
    values: tuple[int, ...]


class PlannedRun(NamedTuple):
    """A run that is to be played.

    Attributes:
        value: what the entry that is swept takes; ``None`` where nothing is swept.
        settings: the environment's keyword arguments.
        folder: where it is kept.
    """

    value: int | None
    settings: Mapping[str, Any]
    folder: Path


class PlayedRun(NamedTuple):
    """What came of a run.

    Attributes:
        value: as in :class:`PlannedRun`.
        summary: its summary.
    """

    value: int | None
    summary: Summary


def read_sweep(text: str) -> Sweep:
    """A sweep, from text.

    >>> read_sweep("searches=1,3,5,7")
    Sweep(entry='searches', values=(1, 3, 5, 7))

    Raises:
        InvalidArgument: if it is not of that form.
    """
    entry, equals, values = (part.strip() for part in text.partition("="))
    if not equals:
        raise InvalidArgument(
            f"--sweep {text!r}: expected an entry of the budget and its values, as in searches=1,3,5,7."
        )
    if entry not in ENTRIES:
        raise InvalidArgument(f"--sweep {text!r}: {did_you_mean(entry, ENTRIES)}")
    numbers: list[int] = []
    least = int(entry == "turns")
    for part in values.split(","):
        if not re.fullmatch("[0-9]{1,9}", part.strip()) or int(part) < least:
            raise InvalidArgument(
                f"--sweep {text!r}: {part.strip()!r}; expected whole numbers from {least}, as in searches=1,3,5,7."
            )
        numbers.append(int(part))
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"--sweep {text!r}: {twice} is given twice; give each value once.")
    return Sweep(entry, tuple(numbers))


def plan_runs(sweep: Sweep | None, settings: Mapping[str, Any], top: Path) -> list[PlannedRun]:
    """The runs of a sweep, one for each value; a single one where nothing is swept.

    Args:
        sweep: what is swept.
        settings: the environment's keyword arguments; its other limits stay.
        top: where it is kept, each value in a folder of its own, as ``searches-3``.

    Raises:
        InvalidArgument: if the settings give the entry already.
    """
    if sweep is None:
        return [PlannedRun(None, settings, top)]
    budget = settings.get("budget") or {}
    if not isinstance(budget, Mapping) or sweep.entry in budget:
        raise InvalidArgument(f"--sweep {sweep.entry}: the budget gives {sweep.entry} already; give it once.")
    return [
        PlannedRun(value, {**settings, "budget": {**budget, sweep.entry: value}}, top / f"{sweep.entry}-{value}")
        for value in sweep.values
    ]
