"""The generated worlds of an environment, made before anything is played in them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator

from webenv.benchmark import Benchmark
from webenv.corpora.document import Progress, silent
from webenv.corpora.procedural import Worlds, prepare_worlds
from webenv.errors import InvalidArgument

MANY = "procedural:worlds=8"
"""The web that is trained on where none is named: several worlds, so that nothing is learned by heart."""


def with_worlds(env: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an environment, with several generated worlds where no web is named.

    Args:
        env: its id; of a module that is not imported yet, nothing is changed.
        settings: its keyword arguments; where they name a web or tasks, nothing is changed, nor where the
            environment's own web is not a generated one.
    """
    given, spec = dict(settings), gymnasium.registry.get(env)
    if "web" in given or "tasks" in given or spec is None:
        return given
    made: Any = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    named = inspect.signature(getattr(made, "benchmark_of", made)).parameters.get("web")
    return {**given, "web": MANY} if named is not None and named.default == "procedural" else given


def make_worlds(benchmark: Benchmark, progress: Progress = silent) -> int:
    """Makes the worlds that a benchmark's web consists of, those that are not there yet; gives how many there are.

    Args:
        benchmark: of several generated worlds; nothing is made for others.
        progress: told how many are there.
    """
    name = benchmark.web.identity.get("web", "") if benchmark.web.identity.get("name") == "worlds" else ""
    try:
        worlds = Worlds.parse(name) if name else None
    except InvalidArgument:  # a web of somebody else's that is called so too
        worlds = None
    if worlds is None:
        return 0
    prepare_worlds(worlds, progress)
    return worlds.count
