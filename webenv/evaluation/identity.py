"""What a run is: all that its results depend on, as plain data."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import webenv
from webenv.benchmark import Benchmark
from webenv.policy import Policy

PARTS = ("env", "benchmark", "policy", "seed")
"""The parts of ``run.json`` that may not change while a run is resumed."""

_PACKAGES = ("gymnasium", "numpy", "tantivy", "trafilatura")


def run_identity(
    env: str, settings: Mapping[str, object], benchmark: Benchmark, policy: Policy, seed: int
) -> dict[str, Any]:
    """The parts of a run that its results depend on, ready for JSON.

    Args:
        env: the environment's id.
        settings: the environment's keyword arguments, as they were given; what JSON has no form
            for is named by its type (``benchmark`` tells what it holds).
        benchmark: the environment's benchmark.
        policy: what decides.
        seed: the seed of the run.
    """
    return {
        "env": {"id": env, "settings": plain(settings)},
        "benchmark": plain(benchmark.identity),
        "policy": plain(policy.identity),
        "seed": seed,
    }


def versions() -> dict[str, str]:
    """The versions of webenv, Python, and the packages that results depend on."""
    found = {"webenv": webenv.__version__, "python": platform.python_version()}
    return found | {package: importlib.metadata.version(package) for package in _PACKAGES}


def first_difference(old: object, new: object, where: str = "") -> tuple[str, object, object] | None:
    """Where two pieces of plain data first differ: its name, and both values; ``None`` if nowhere.

    >>> first_difference({"a": {"b": 1}}, {"a": {"b": 2}})
    ('a.b', 1, 2)
    """
    if isinstance(old, dict) and isinstance(new, dict):
        for name in (*old, *(name for name in new if name not in old)):
            found = first_difference(old.get(name), new.get(name), f"{where}.{name}" if where else str(name))
            if found is not None:
                return found
        return None
    return None if old == new else (where, old, new)


def plain(value: object) -> Any:
    """A value as ``run.json`` holds it; what JSON has no form for is named by its type."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Iterable) and isinstance(value, list | tuple | set | frozenset):
        items = [plain(item) for item in value]
        return sorted(items, key=repr) if isinstance(value, set | frozenset) else items
    return {"type": type(value).__qualname__}
