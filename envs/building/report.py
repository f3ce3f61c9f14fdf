"""BuildReport: what a build came to, stage by stage."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from webenv.errors import RunError

SUMMARY = "summary.json"
"""The file of a report, in ``build/``."""


@dataclass(frozen=True, slots=True)
class StageReport:
    """What became of the items of a stage.

    Attributes:
        stage: its name.
        unit: what its items are, in the plural.
        came: how many came.
        kept: how many went on.
        rejected: how many fell, by reason, the most frequent first.
        open: how many are to be asked again, by reason.
    """

    stage: str
    unit: str
    came: int
    kept: int
    rejected: Mapping[str, int]
    open: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build came to so far.

    Attributes:
        folder: where it lies.
        stages: in their order.
        files: how many tasks each file holds.
    """

    folder: Path
    stages: tuple[StageReport, ...]
    files: Mapping[str, int]

    @property
    def open(self) -> int:
        """How many items are to be asked again."""
        return sum(count for stage in self.stages for count in stage.open.values())

    def to_dict(self) -> dict[str, Any]:
        """As plain data, as it stands in ``summary.json``."""
        stages = [{name: getattr(stage, name) for name in StageReport.__slots__} for stage in self.stages]
        return {"stages": stages, "files": dict(self.files), "open": self.open}

    @classmethod
    def read(cls, folder: str | Path) -> BuildReport:
        """The report of a build's folder.

        Raises:
            RunError: if there is none.
        """
        file = Path(folder) / "build" / SUMMARY
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            return cls(Path(folder), tuple(StageReport(**stage) for stage in data["stages"]), data["files"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise RunError(f"{file} cannot be read: {error!s:.200}.") from error
