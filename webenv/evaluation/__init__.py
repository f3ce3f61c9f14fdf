"""Plays policies, keeps a record of every episode, sums up what came of it, and compares judges on it."""

from webenv.evaluation.agreement import Agreement, Judged, compare
from webenv.evaluation.chats import Chat, Exported, chats, export_chats
from webenv.evaluation.folder import RunFolder, read_records
from webenv.evaluation.forking import at_step
from webenv.evaluation.jobs import Job, episode_seed, plan_jobs
from webenv.evaluation.kappa import cohen_kappa
from webenv.evaluation.record import PlayedTurn, Record
from webenv.evaluation.rescoring import Rescoring, rescore
from webenv.evaluation.run import Standing, evaluate
from webenv.evaluation.summary import Group, Summary, wilson

__all__ = [
    "Agreement",
    "Chat",
    "Exported",
    "Group",
    "Job",
    "Judged",
    "PlayedTurn",
    "Record",
    "Rescoring",
    "RunFolder",
    "Standing",
    "Summary",
    "at_step",
    "chats",
    "cohen_kappa",
    "compare",
    "episode_seed",
    "evaluate",
    "export_chats",
    "plan_jobs",
    "read_records",
    "rescore",
    "wilson",
]
