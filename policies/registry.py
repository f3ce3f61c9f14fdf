"""Policies by name, as the command line takes them."""

from __future__ import annotations

from pathlib import Path

from webenv.errors import InvalidArgument, did_you_mean
from webenv.llm import Model
from webenv.models import make_model
from webenv.policies.investigator import InvestigatorPolicy
from webenv.policies.keyword import KeywordPolicy
from webenv.policies.oracle import OraclePolicy
from webenv.policies.random import RandomPolicy
from webenv.policies.react import ReactPolicy
from webenv.policy import Policy
from webenv.task import TaskSet

__all__ = ["POLICIES", "make_policy"]

POLICIES = ("random", "oracle", "keyword", "investigator", "react")
"""The names that :func:`make_policy` knows."""


def make_policy(
    name: str,
    *,
    tasks: TaskSet | None = None,
    model: Model | None = None,
    prompt: str | Path | None = None,
) -> Policy:
    """A policy by its name.

    Args:
        name: one of ``POLICIES``; ``react:<model>`` is ``react`` with a chat model of that name,
            at the endpoint that OPENAI_BASE_URL and OPENAI_API_KEY set.
        tasks: the environment's tasks, which ``oracle`` needs.
        model: the model of ``react``.
        prompt: a file with the system message of ``react``.

    Raises:
        InvalidArgument: for an unknown name, or where something that the policy needs is missing.
        DataError: for a prompt file that cannot be used.
        ModelError: where ``react:<model>`` has no endpoint.
        MissingExtra: where ``react:<model>`` lacks its library.
    """
    kind, separator, model_name = name.partition(":")
    if kind not in POLICIES:
        raise InvalidArgument(f"no policy is called {name!r}. {did_you_mean(kind, POLICIES)}")
    if kind != "react" and (separator or prompt is not None):
        what = "a prompt" if prompt is not None else f"settings, as in {name!r}"
        raise InvalidArgument(f"policy {kind!r} takes no {what.removeprefix('a ')}; only react does.")
    if kind == "random":
        return RandomPolicy()
    if kind == "keyword":
        return KeywordPolicy()
    if kind == "investigator":
        return InvestigatorPolicy()
    if kind == "oracle":
        if tasks is None:
            raise InvalidArgument("policy 'oracle' needs the environment's tasks: make_policy('oracle', tasks=…).")
        return OraclePolicy(tasks)
    if bool(model_name) == (model is not None):
        raise InvalidArgument(f"policy {name!r} needs one model: write react:<model>, or pass model=.")
    return ReactPolicy(make_model(model_name) if model is None else model, prompt)
