"""Policies for AgentWebBench: user agents without a model, and agents that a model plays in the paper's protocol."""

from webenv.policies.agent_web.model import KINDS, ContentAgentModel, UserAgentModel
from webenv.policies.agent_web.scripted import ScriptedUser

__all__ = ["KINDS", "ContentAgentModel", "ScriptedUser", "UserAgentModel"]
