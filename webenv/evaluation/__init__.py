"""Plays policies, keeps a record of every episode, and sums up what came of it."""

from webenv.evaluation.folder import RunFolder, read_records
from webenv.evaluation.jobs import Job, episode_seed, plan_jobs
from webenv.evaluation.record import PlayedTurn, Record
from webenv.evaluation.run import Standing, evaluate
from webenv.evaluation.summary import Group, Summary, wilson

__all__ = [
    "Group",
    "Job",
    "PlayedTurn",
    "Record",
    "RunFolder",
    "Standing",
    "Summary",
    "episode_seed",
    "evaluate",
    "plan_jobs",
    "read_records",
    "wilson",
]
