"""Who judges the four kinds of AgentWebBench's tasks."""

from __future__ import annotations

from collections.abc import Mapping

from webenv.envs.agent_web_bench.tasks import RANKED
from webenv.rewards import AnswerJudge
from webenv.rewards.ranking import RankingJudge
from webenv.rewards.registry import JUDGES, SHORT, JudgeMaker
from webenv.task import TaskSet

JUDGES_TOLD: Mapping[str, Mapping[str, str]] = {
    **{kind: {"ranking": "NDCG and recall at 1, 3 and 5"} for kind in RANKED},
    "qa": {
        "answer": "by rule: the gold answer, or another way to write it",
        "short:MODEL": "a model gives one of three grades: correct, incorrect, not attempted",
        "llm:MODEL": "the same",
    },
    "research": {
        "stated": "by rule: the share of the key points that the report states; of generated tasks alone",
        "key_points:MODEL": "a model says of each key point whether the report supports it",
        "research:MODEL": "a model judges key points, clarity, insight and citations",
        "llm:MODEL": "the same as research:MODEL",
    },
}
"""What lists say of the judges of each kind, the default first."""

PROMPT_TOLD: Mapping[str, str] = {
    **dict.fromkeys(RANKED, ""),
    "qa": "{question}, {target} and {predicted_answer}",
    "research": "a folder of prompts; {key_point} and {answer} for key_points",
}


def judges_of(kind: str, tasks: TaskSet) -> Mapping[str, JudgeMaker]:
    """The judges of a kind of tasks, by the names that ``judge=`` takes; the first is the default."""
    if kind in RANKED:
        return {"ranking": RankingJudge}
    if kind == "qa":
        return {"answer": AnswerJudge, "short": SHORT, "llm": SHORT}
    return {**{name: JUDGES[name] for name in ("stated", "key_points", "research")}, "llm": JUDGES["research"]}


def reward_of(kind: str) -> Mapping[str, float] | None:
    """The weights of the reward terms, where none are given; ``None``: those of the standard reward."""
    return None
