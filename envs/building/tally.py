"""Tally: how many items came to a stage, and what became of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webenv.envs.building.outcome import Kept, Outcome, Rejected
from webenv.envs.building.report import StageReport


class Rejection(NamedTuple):
    """An item that fell: at which stage, why, and what it was, as plain data."""

    stage: str
    reason: str
    detail: str
    item: dict[str, object]

    def to_dict(self) -> dict[str, object]:
        """One line of ``rejected.jsonl``."""
        detail = {"detail": self.detail} if self.detail else {}
        return {"stage": self.stage, "reason": self.reason, **detail, **self.item}


class StageStanding(NamedTuple):
    """How far a stage is: ``done`` of ``total`` items, and how many of them were kept, fell, or are open."""

    stage: str
    total: int
    done: int
    kept: int
    rejected: int
    open: int


@dataclass
class Tally:
    """What became of the items of one stage.

    Attributes:
        stage: its name.
        unit: what its items are, in the plural.
        kept: how many go on.
        rejected: how many fell, by reason.
        open: how many are to be asked again, by reason.
    """

    stage: str
    unit: str
    kept: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)

    @property
    def came(self) -> int:
        """How many items came."""
        return self.kept + self.rejected.total() + self.open.total()

    def add(self, outcome: Outcome[Any]) -> None:
        """Counts an item."""
        if isinstance(outcome, Kept):
            self.kept += 1
        elif isinstance(outcome, Rejected):
            self.rejected[outcome.reason] += 1
        else:
            self.open[outcome.reason] += 1

    def standing(self, total: int) -> StageStanding:
        """How far the stage is."""
        return StageStanding(self.stage, total, self.came, self.kept, self.rejected.total(), self.open.total())

    def report(self) -> StageReport:
        """The tally as it is reported, reasons by how often they came."""
        return StageReport(self.stage, self.unit, self.came, self.kept, _ordered(self.rejected), _ordered(self.open))


def _ordered(reasons: Counter[str]) -> dict[str, int]:
    return dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))
