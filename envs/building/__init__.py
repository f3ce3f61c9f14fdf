"""What builds of tasks share: stages that can be taken up again, and what a person verifies."""

from webenv.envs.building.folder import BuildFolder, Kept, Open, Outcome, Rejected
from webenv.envs.building.stages import Build, BuildReport, Rejection, StageStanding, StageTally, Watch, kept, unwatched

__all__ = [
    "Build",
    "BuildFolder",
    "BuildReport",
    "Kept",
    "Open",
    "Outcome",
    "Rejected",
    "Rejection",
    "StageStanding",
    "StageTally",
    "Watch",
    "kept",
    "unwatched",
]
