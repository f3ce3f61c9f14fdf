"""Webs that several tests read."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig


@pytest.fixture(scope="session")
def small() -> ProceduralWeb:
    return ProceduralWeb(WebConfig(pages=400, kinds=4, seed=7))


@pytest.fixture(scope="session")
def default() -> ProceduralWeb:
    return ProceduralWeb()
