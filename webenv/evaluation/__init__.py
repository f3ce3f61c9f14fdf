"""Plays policies, keeps a record of every episode, sums up what came of it, and compares judges on it."""

from webenv.evaluation.agreement import Agreement, Judged, cohen_kappa, compare
from webenv.evaluation.chats import Chat, Exported, chats, export_chats
from webenv.evaluation.replay import at_step
from webenv.evaluation.rescoring import Rescoring, rescore
from webenv.evaluation.run import RunProgress, evaluate
from webenv.evaluation.run_dir import RunFolder, read_records
from webenv.evaluation.summary import Group, Summary, wilson
from webenv.rollout.play import EpisodeSpec, episode_seed, plan_episodes
from webenv.rollout.record import PlayedTurn, Record

__all__ = [
    "Agreement",
    "Chat",
    "EpisodeSpec",
    "Exported",
    "Group",
    "Judged",
    "PlayedTurn",
    "Record",
    "Rescoring",
    "RunFolder",
    "RunProgress",
    "Summary",
    "at_step",
    "chats",
    "cohen_kappa",
    "compare",
    "episode_seed",
    "evaluate",
    "export_chats",
    "plan_episodes",
    "read_records",
    "rescore",
    "wilson",
]
