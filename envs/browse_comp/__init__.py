"""BrowseComp: its tasks, its rules, and the environment ``BrowseComp-v0``."""

from webenv.envs.browse_comp.env import BrowseCompEnv, BrowseCompVectorEnv, browse_comp
from webenv.envs.browse_comp.tasks import load_tasks

__all__ = ["BrowseCompEnv", "BrowseCompVectorEnv", "browse_comp", "load_tasks"]
