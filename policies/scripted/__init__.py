"""Scripted experts: they read the questions of one benchmark, without a language model.

Baselines, calibration of generated tasks, and a source of demonstrations. A benchmark names those that go with it
(:attr:`webenv.Benchmark.policies`).
"""

from webenv.policies.scripted.investigator import InvestigatorPolicy
from webenv.policies.scripted.news import NewsClosedBookPolicy, NewsInvestigatorPolicy, NewsKeywordPolicy

__all__ = ["InvestigatorPolicy", "NewsClosedBookPolicy", "NewsInvestigatorPolicy", "NewsKeywordPolicy"]
