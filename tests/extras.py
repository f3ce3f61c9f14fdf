"""Which extras of ``pyproject.toml`` are installed: the one place that skips the tests of one that is missing."""

from __future__ import annotations

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest

_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_OWN = f"{_PROJECT['name']}["  # an extra may name others of ours


def missing(extra: str) -> str:
    """The first distribution of the extra that is not installed, or nothing.

    Distributions are asked for, not modules: importing torch takes seconds, and importing jnius starts Java.
    """
    for requirement in _PROJECT["optional-dependencies"][extra]:
        distribution = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        try:
            if not requirement.startswith(_OWN):
                importlib.metadata.distribution(distribution)
        except importlib.metadata.PackageNotFoundError:
            return distribution
    return ""


def needs_extra(extra: str) -> None:
    """Skips the test, fixture or module that calls this unless all of the extra is installed."""
    if distribution := missing(extra):
        pytest.skip(f"needs {distribution}: pip install '.[{extra}]'", allow_module_level=True)
