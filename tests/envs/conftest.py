"""What the tests of generated tasks share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from webenv.corpora.procedural.cache import _cached


@pytest.fixture(scope="module", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache folder of the module's own."""
    home = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEBENV_CACHE", str(home))
        yield home
    _cached.cache_clear()
