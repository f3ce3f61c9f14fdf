"""Settings of every test: property tests draw the same examples on every machine, and keep none on disk; generated
webs are kept in a folder of the run's own, which all its processes share."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("webenv", derandomize=True, database=None, deadline=None)
settings.load_profile("webenv")

if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["WEBENV_CACHE"] = tempfile.mkdtemp(prefix="webenv-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder, when the last of the processes has ended."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["WEBENV_CACHE"], ignore_errors=True)
