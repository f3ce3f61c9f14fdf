"""Judges, and the metrics that rewards are built from."""

if __name__ != "webenv.rewards":
    raise ImportError(f"this folder is a part of webenv: import webenv.rewards, not {__name__}")

from webenv.rewards.answers import AnswerJudge
from webenv.rewards.browsecomp import BrowseCompJudge
from webenv.rewards.citations import CitationJudge
from webenv.rewards.failure_attribution import FailureAttributionJudge
from webenv.rewards.key_points import KeyPointJudge
from webenv.rewards.llm_grader import LLMGrader, Rubric
from webenv.rewards.needle import EntailmentJudge, PageJudge
from webenv.rewards.ranking import RankingJudge, ndcg, recall
from webenv.rewards.registry import make_judge
from webenv.rewards.report import ReportJudge
from webenv.rewards.research import ResearchJudge, StatedPointsJudge
from webenv.rewards.short_answer import ShortAnswerJudge
from webenv.rewards.standard_reward import StandardReward
from webenv.rewards.tables.grader import TableJudge

__all__ = [
    "AnswerJudge",
    "BrowseCompJudge",
    "CitationJudge",
    "EntailmentJudge",
    "FailureAttributionJudge",
    "KeyPointJudge",
    "LLMGrader",
    "PageJudge",
    "RankingJudge",
    "ReportJudge",
    "ResearchJudge",
    "Rubric",
    "ShortAnswerJudge",
    "StandardReward",
    "StatedPointsJudge",
    "TableJudge",
    "make_judge",
    "ndcg",
    "recall",
]
