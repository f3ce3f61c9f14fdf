"""Needle in the Web: its tasks, its rules, and the environment ``NeedleInWeb-v0``."""

from webenv.envs.needle_in_web.env import NeedleInWebEnv, NeedleInWebVectorEnv, needle_in_web
from webenv.envs.needle_in_web.tasks import load_tasks

__all__ = ["NeedleInWebEnv", "NeedleInWebVectorEnv", "load_tasks", "needle_in_web"]
