"""Webs by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from webenv.corpora import build
from webenv.errors import CorpusNotFound, InvalidArgument
from webenv.serving.sites import CorpusSites, SimulatedSites, open_served, open_sites

SPEC = "procedural:pages=120,sites=16,seed=5"


def test_names(tmp_path: Path) -> None:
    """A folder of one generated web has that web's sites, others plain ones; a name opens what it names."""
    build(tmp_path / "made", [SPEC], workers=1)
    build(tmp_path / "plain", [[{"url": "https://a.example/", "text": "A page.", "title": "A"}]], workers=1)
    assert isinstance(open_sites("sample"), CorpusSites)
    assert isinstance(open_sites(str(tmp_path / "plain")), CorpusSites)
    for name in (SPEC, str(tmp_path / "made")):
        sites = open_sites(name)
        assert isinstance(sites, SimulatedSites)
        assert len(sites.corpus) == 120
        for url in list(sites.corpus.urls())[::11]:
            assert sites.find(url).status == 200
        sites.corpus.close()


def test_what_cannot_be_opened_is_one_line(tmp_path: Path) -> None:
    """Several worlds, no corpus, an unknown dial."""
    with pytest.raises(InvalidArgument, match="has 3 worlds: serve one of them"):
        open_served("procedural:worlds=3")
    with pytest.raises(CorpusNotFound):
        open_sites(str(tmp_path / "none"))
    with pytest.raises(InvalidArgument, match="no dial 'page'"):
        open_served("procedural:page=3")
