"""AgentWebBench: a web of sites, each behind its own content agent, and four tasks for a user agent."""

from webenv.envs.agent_web_bench.env import agent_web_bench

__all__ = ["agent_web_bench"]
