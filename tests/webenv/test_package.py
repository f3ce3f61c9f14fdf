"""The package: what it gives by name, and what importing it costs."""

from __future__ import annotations

import importlib
import subprocess
import sys
from glob import glob
from inspect import isclass, isfunction
from pathlib import Path

import gymnasium as gym
import pytest

import webenv
from tests.extras import needs_extra
from webenv.registration import IDS

ROOT = Path(webenv.__file__).parents[1]
PACKAGES = sorted(
    ".".join(Path(file).relative_to(ROOT).parts[:-1])
    for file in glob(f"{ROOT}/webenv/**/__init__.py", recursive=True)  # glob follows symlinks, rglob does not
    if "__all__" in Path(file).read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", PACKAGES)
def test_all_is_true(name: str) -> None:
    """Every name in ``__all__`` is there, once, and has a docstring."""
    if name == "webenv.wrappers":
        needs_extra("train")
    module = importlib.import_module(name)
    assert [one for one in module.__all__ if not hasattr(module, one)] == []
    assert len(module.__all__) == len(set(module.__all__))
    named = [getattr(module, one) for one in module.__all__]
    assert [one for one in named if (isclass(one) or isfunction(one)) and not one.__doc__] == []


def test_every_id_is_registered() -> None:
    """Each id has a single and a vector entry point, both as strings."""
    for name, entry in IDS.items():
        spec = gym.spec(name)
        assert (spec.entry_point, spec.vector_entry_point) == (f"{entry}Env", f"{entry}VectorEnv")


def test_import_is_light() -> None:
    """Importing webenv imports no environment, no index, no extraction, no model."""
    program = (
        "import sys, webenv\n"
        "heavy = ('tantivy', 'trafilatura', 'lxml', 'torch', 'openai', 'typer', 'rich', 'courlan', 'zstandard')\n"
        "print([name for name in sys.modules if name.split('.')[0] in heavy or name.startswith('webenv.envs')])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_face() -> None:
    """What the first lines of a user's program need stands in the package itself."""
    wanted = {"search", "visit", "ask", "answer", "note", "snapshot", "restore", "fork", "SearchEnv", "SearchVectorEnv"}
    assert wanted <= set(webenv.__all__)


@pytest.mark.parametrize("folder", ["corpora", "envs", "policies", "rewards"])
def test_a_folder_is_not_imported_by_its_bare_name(folder: str) -> None:
    """Beside the checkout's root, a bare import is refused in one line that names the right one."""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", f"import {folder}"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: this folder is a part of webenv: import webenv.{folder}, not {folder}"
    )
