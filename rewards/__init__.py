"""Judges, and the metrics that rewards are built from."""

if __name__ != "webenv.rewards":
    raise ImportError(f"this folder is a part of webenv: import webenv.rewards, not {__name__}")

from webenv.rewards.needle import EntailmentJudge, PageJudge
from webenv.rewards.ranking import ndcg, recall
from webenv.rewards.registry import make_judge
from webenv.rewards.terms import StandardReward

__all__ = ["EntailmentJudge", "PageJudge", "StandardReward", "make_judge", "ndcg", "recall"]
