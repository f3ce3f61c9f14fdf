"""Every environment id, as strings: nothing of an environment is imported before it is made."""

from __future__ import annotations

import gymnasium

IDS = {
    "NeedleInWeb-v0": "webenv.envs.needle_in_web.env:NeedleInWeb",
    "LiveNewsBench-v0": "webenv.envs.live_news_bench.env:LiveNewsBench",
    "WideSearch-v0": "webenv.envs.wide_search.env:WideSearch",
    "BrowseComp-v0": "webenv.envs.browse_comp.env:BrowseComp",
    "AgentWebSearch-v0": "webenv.envs.agent_web_bench.env:AgentWebSearch",
    "AgentWebRecommendation-v0": "webenv.envs.agent_web_bench.env:AgentWebRecommendation",
    "AgentWebQA-v0": "webenv.envs.agent_web_bench.env:AgentWebQA",
    "AgentWebResearch-v0": "webenv.envs.agent_web_bench.env:AgentWebResearch",
}
"""Id → entry point; the vector entry point is the same name followed by ``Vector``, the class by ``Env``."""


def register_all() -> None:
    """Registers every id with gymnasium; doing it again changes nothing."""
    for name, entry in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(id=name, entry_point=f"{entry}Env", vector_entry_point=f"{entry}VectorEnv")
