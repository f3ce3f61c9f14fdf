"""Policies that play the environments."""

if __name__ != "webenv.policies":
    raise ImportError(f"this folder is a part of webenv: import webenv.policies, not {__name__}")

from webenv.policies.baselines import ClosedBookPolicy, KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.policies.integrated import IntegratedPolicy
from webenv.policies.react import ReactPolicy
from webenv.policies.registry import POLICIES, make_policy
from webenv.policies.scripted import (
    InvestigatorPolicy,
    NewsClosedBookPolicy,
    NewsInvestigatorPolicy,
    NewsKeywordPolicy,
)

__all__ = [
    "POLICIES",
    "ClosedBookPolicy",
    "IntegratedPolicy",
    "InvestigatorPolicy",
    "KeywordPolicy",
    "NewsClosedBookPolicy",
    "NewsInvestigatorPolicy",
    "NewsKeywordPolicy",
    "OraclePolicy",
    "RandomPolicy",
    "ReactPolicy",
    "make_policy",
]
