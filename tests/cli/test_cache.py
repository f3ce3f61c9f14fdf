"""webenv corpus cache."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webenv.corpora.procedural import Dials
from webenv.corpora.procedural.cache import _cached, cached_corpus

from .conftest import Run


def test_the_cache_is_told_of_and_cleared(webenv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command says how many webs are kept and how large they are; --clear removes them."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    for seed in range(2):
        cached_corpus(Dials(pages=60, kinds=1, family=3, seed=seed))
    _cached.cache_clear()
    told = json.loads(webenv("corpus", "cache", "--json").stdout)
    assert (told["folder"], told["webs"], told["removed"]) == (str(tmp_path / "cache" / "procedural"), 2, 0)
    assert told["bytes"] > 100_000
    size = f"{told['bytes'] / 1e6:,.1f} MB"
    assert webenv("corpus", "cache", "--clear").stdout == f"{told['folder']}: 0 webs, 0.0 MB; {size} removed\n"
    assert webenv("corpus", "cache").stdout == f"{told['folder']}: 0 webs, 0.0 MB\n"
