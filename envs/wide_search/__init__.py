"""WideSearch: its tasks, its rules, and the environment ``WideSearch-v0``."""

from webenv.envs.wide_search.env import WideSearchEnv, WideSearchVectorEnv, wide_search
from webenv.envs.wide_search.tasks import load_tasks

__all__ = ["WideSearchEnv", "WideSearchVectorEnv", "load_tasks", "wide_search"]
