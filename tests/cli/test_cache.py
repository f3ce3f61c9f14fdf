"""webenv corpus cache."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from webenv.corpora.procedural import WebConfig, cached_corpus, corpus_cache
from webenv.corpora.procedural.cache import _cached

from .conftest import Run


def name(seed: int) -> str:
    return "procedural:pages=60," + ("seed=1," if seed else "") + "kinds=1,family=3"


def test_the_cache_is_told_of_and_cleared(webenv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command names the webs that are kept, their size and last use; --clear removes them."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    for seed in range(2):
        cached_corpus(WebConfig(pages=60, kinds=1, family=3, seed=seed))
        (web,) = [web for web in corpus_cache().webs() if web.web == name(seed)]
        os.utime(corpus_cache().lock(web.name), (1_800_000_000 + 60 * seed,) * 2)
    _cached.cache_clear()
    told = json.loads(webenv("corpus", "cache", "--json").stdout)
    assert (told["folder"], told["webs"], told["removed"]) == (str(tmp_path / "cache" / "procedural"), 2, 0)
    assert told["bytes"] > 100_000
    assert [(web["web"], web["current"]) for web in told["each"]] == [(name(1), True), (name(0), True)]
    assert sum(web["bytes"] for web in told["each"]) == told["bytes"]
    lines = webenv("corpus", "cache").stdout.splitlines()[1:]
    assert lines[0].split() == ["web", "MB", "last", "used", "(UTC)"]
    assert [line.split()[0] for line in lines[1:]] == [name(1), name(0)]
    assert lines[1].split()[2:] == told["each"][0]["used"].split()
    size = f"{told['bytes'] / 1e6:,.1f} MB"
    assert webenv("corpus", "cache", "--clear").stdout == f"{told['folder']}: 0 webs, 0.0 MB; {size} removed\n"
    assert webenv("corpus", "cache").stdout == f"{told['folder']}: 0 webs, 0.0 MB\n"
