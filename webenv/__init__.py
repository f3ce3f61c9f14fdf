"""Environments in which agents that search the web are trained and evaluated.

>>> import gymnasium as gym
>>> from webenv import search
>>> env = gym.make("NeedleInWeb-v0")
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(search("lighthouse"))
"""

from webenv.actions import Action, Kind, answer, ask, note, search, visit
from webenv.benchmark import AnswerReward, Benchmark
from webenv.budget import Budget, Spending
from webenv.env import SearchEnv
from webenv.episode import Episode
from webenv.judge import Judge, Reward, Seen, Submission, Verdict
from webenv.observations import Document, Observation, Page, Reply, Result
from webenv.policy import Decision, History, Policy
from webenv.registration import register_all
from webenv.rules import Rules
from webenv.snapshots import fork, restore, snapshot
from webenv.spaces import Unicode
from webenv.task import Excluded, Gold, Task, TaskSet
from webenv.vector import SearchVectorEnv
from webenv.web import Asking, AskRequest, Failure, Missing, Scope, SearchRequest, VisitRequest, Web

__version__ = "0.1.0"

__all__ = [
    "Action",
    "AnswerReward",
    "AskRequest",
    "Asking",
    "Benchmark",
    "Budget",
    "Decision",
    "Document",
    "Episode",
    "Excluded",
    "Failure",
    "Gold",
    "History",
    "Judge",
    "Kind",
    "Missing",
    "Observation",
    "Page",
    "Policy",
    "Reply",
    "Result",
    "Reward",
    "Rules",
    "Scope",
    "SearchEnv",
    "SearchRequest",
    "SearchVectorEnv",
    "Seen",
    "Spending",
    "Submission",
    "Task",
    "TaskSet",
    "Unicode",
    "Verdict",
    "VisitRequest",
    "Web",
    "answer",
    "ask",
    "fork",
    "note",
    "restore",
    "search",
    "snapshot",
    "visit",
]

register_all()
