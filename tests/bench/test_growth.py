"""``webenv bench``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.extras import needs_extra
from webenv.bench import draw, read_points
from webenv.bench.reader import Latency
from webenv.cli.app import run
from webenv.corpora.manifest import Manifest
from webenv.errors import RunError

OPTIONS = ["bench", "--pages", "1000", "--sites", "20", "--queries", "12"]


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the figures of one small web."""
    path = tmp_path_factory.mktemp("bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webenv.bench.growth._SECONDS", 0.2)
        patch.setattr("webenv.bench.growth._ROUNDS", 1)
        assert run([*OPTIONS, "--out", str(path), "--json"]) == 0
    return path


def test_what_is_measured_is_of_the_web_that_was_built(out: Path) -> None:
    """Sizes are those of the files, and every search of one process finds what tantivy finds."""
    (point,) = read_points(out)
    files = Manifest.read(out / "web-1000").files
    index = sum(size for name, (size, _) in files.items() if name.startswith("index/"))
    assert (point.pages, point.sites, point.reading.same_hits) == (1_000, 20, 1.0)
    assert point.building.index_mb == round(index / 1e6, 1)
    assert 5 < point.memory < 200
    assert 0.2 < point.scaling < 5
    assert 0 < point.reading.site_rank.p50 <= point.reading.site_rank.p99


def test_searches_are_made_anew(out: Path) -> None:
    """Although every question is asked in several rounds, no answer comes from memory: ranking is part of it."""
    (point,) = read_points(out)
    assert point.reading.search.p50 > point.reading.rank.p50
    assert point.reading.site_search.p50 > point.reading.site_rank.p50 / 2


def test_webs_and_figures_are_kept(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second run builds nothing, and prints one column a size."""
    needs_extra("plot")
    monkeypatch.setattr("webenv.bench.growth._SECONDS", 0.1)
    monkeypatch.setattr("webenv.bench.growth._ROUNDS", 1)
    monkeypatch.setattr("webenv.bench.growth.build", None)
    before = (out / "built-1000.json").read_text()
    assert run([*OPTIONS, "--out", str(out), "--picture", str(out / "growth.png")]) == 0
    printed = capsys.readouterr().out
    assert "1,000" in printed.splitlines()[1]
    (built,) = (line.split()[-1] for line in printed.splitlines() if line.startswith("build, s"))
    assert built == f"{json.loads(before)['seconds']:,.0f}"
    assert (out / "growth.png").read_bytes().startswith(b"\x89PNG")


def test_figures_that_are_not_there(tmp_path: Path) -> None:
    """A folder without figures says how they are measured."""
    with pytest.raises(RunError, match=r"holds no figures .* measure them with webenv bench"):
        read_points(tmp_path)


def test_a_picture_is_drawn_of_one_size_alone(out: Path, tmp_path: Path) -> None:
    """One point is a picture too."""
    needs_extra("plot")
    draw(read_points(out), tmp_path / "one.svg")
    assert "<svg" in (tmp_path / "one.svg").read_text()[:1_000]


def test_percentiles() -> None:
    """The 99th of a hundred values in order is the p99."""
    assert Latency.of([number / 1e3 for number in range(1, 101)]) == Latency(51.0, 99.0, 19.8)


@pytest.mark.slow
def test_engines_are_measured_beside_their_own_libraries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lucene ranks as pyserini does and exact vectors as faiss does, each in rows of its own."""
    for extra in ("lucene", "dense"):
        needs_extra(extra)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("webenv.bench.growth._SECONDS", 0.1)
        patch.setattr("webenv.bench.growth._ROUNDS", 1)
        assert run([*OPTIONS, "--out", str(tmp_path), "--engine", "lucene", "--engine", "dense"]) == 0
    (point,) = read_points(tmp_path)
    assert {name: one.overlap for name, one in point.engines.items()} == {"lucene": 1.0, "dense": 1.0}
    assert capsys.readouterr().out.count("overlap@10 with it") == 2


def test_an_engine_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt engine is named before anything is built."""
    assert run(["bench", "--engine", "lucen"]) == 1
    assert "engine 'lucen' is not measured. Did you mean 'lucene'?" in capsys.readouterr().err
