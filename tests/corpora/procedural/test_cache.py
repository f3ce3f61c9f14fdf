"""The cache of procedural webs: written once, whatever happens meanwhile."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.cache import _cached, cached_corpus, generated_web, prepare_worlds
from webenv.corpora.procedural.config import Worlds
from webenv.errors import InvalidArgument
from webenv.runtime.files import cache_folder

DIALS = WebConfig(pages=200, seed=5)
PROGRAM = """
import sys
from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.cache import cached_corpus
corpus = cached_corpus(WebConfig(pages={pages}, seed=5))
print(corpus.digest, len(corpus), repr(corpus).split("'")[1])
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    _cached.cache_clear()


def start(pages: int = 200) -> subprocess.Popen[str]:
    words = [sys.executable, "-W", "error", "-c", PROGRAM.format(pages=pages)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def folder_of(home: Path) -> Path:
    (found,) = [path for path in (home / "procedural").iterdir() if path.is_dir()]
    return found


def test_written_once(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second time the corpus is opened, not written; nothing is said either time."""
    first = cached_corpus(DIALS)
    assert len(first) == 200
    written = (folder_of(home) / "manifest.json").stat()
    _cached.cache_clear()
    again = cached_corpus(DIALS)
    assert again is not first
    assert again.digest == first.digest
    assert (folder_of(home) / "manifest.json").stat() == written
    assert cached_corpus(DIALS) is again
    assert generated_web(DIALS) is generated_web(WebConfig(pages=200, seed=5))
    assert capsys.readouterr() == ("", "")


def test_other_dials_have_folders_of_their_own(home: Path) -> None:
    """Webs that differ in any dial stand side by side."""
    digests = {cached_corpus(DIALS.with_seed(seed)).digest for seed in (1, 2)}
    digests.add(cached_corpus(WebConfig(pages=200, seed=1, news=0.5)).digest)
    assert len(digests) == 3 == sum(path.is_dir() for path in (home / "procedural").iterdir())


def test_two_processes_at_once(home: Path) -> None:
    """Three processes that begin together get the same web, of which one copy is written."""
    running = [start() for _ in range(3)]
    done = [process.communicate(timeout=120) for process in running]
    assert len({out for out, _ in done}) == 1
    assert done[0][0].split()[1:] == ["200", str(folder_of(home))]
    assert [error for _, error in done] == ["", "", ""]
    assert len(list(folder_of(home).glob("data-*"))) == 1


@pytest.mark.slow
def test_killed_half_way(home: Path) -> None:
    """What a killed process leaves does not open; the next one writes the web, and clears it away."""
    process = start(pages=1500)
    until = time.monotonic() + 120
    while not list(home.glob("procedural/*/building-*")) and time.monotonic() < until:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (folder_of(home) / "manifest.json").exists()
    out, error = start(pages=1500).communicate(timeout=120)
    assert (out.split()[1], error) == ("1500", "")
    assert not list(folder_of(home).glob("building-*"))


@pytest.mark.parametrize("victim", ["manifest.json", "data-*/pages.sqlite", "data-*/index/*.term"])
def test_damage_is_mended(home: Path, victim: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that was cut short or lost is told of in one line on stderr, and the web is made again."""
    whole = cached_corpus(DIALS).digest
    for cut in (True, False):
        _cached.cache_clear()
        file = next(folder_of(home).glob(victim))
        file.write_bytes(file.read_bytes()[:100]) if cut else file.unlink()
        mended = cached_corpus(DIALS)
        assert mended.digest == whole
        assert len(list(mended.pages())) == 200
        told = capsys.readouterr().err
        assert told.startswith("webenv: note: a web in the cache was damaged and is made again: ")
        assert told.count("\n") == 1
    _cached.cache_clear()
    assert cached_corpus(DIALS).digest == whole
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("below", ["", "deep/er"])
def test_no_place_to_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the cache folder cannot be made, the web stands in a temporary folder, and one line says so."""
    whole = cached_corpus(DIALS).digest
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "file" / below))
    assert cached_corpus(DIALS).digest == whole
    told = capsys.readouterr().err
    assert f"webenv: note: no web can be kept in {tmp_path / 'file' / below}" in told
    assert "set WEBENV_CACHE" in told
    assert told.count("\n") == 1


@pytest.mark.slow
def test_a_temporary_web_goes_with_its_process(tmp_path: Path) -> None:
    """At the end of the process its temporary folder is gone."""
    (tmp_path / "cache").write_text("no folder")
    out, error = start().communicate(timeout=120)
    assert error.count("\n") == 1
    assert out.split()[1] == "200"
    assert not Path(out.split()[2]).parent.exists()


READER = """
import os, sys, tempfile
from webenv.corpora.procedural.cache import _cached, cached_corpus
from webenv.corpora.procedural.config import WebConfig
if os.geteuid() == 0:  # who may write anywhere; first, as root, all that will be imported is
    shared = os.environ["WEBENV_CACHE"]
    with tempfile.TemporaryDirectory() as os.environ["WEBENV_CACHE"]:
        cached_corpus(WebConfig.parse(sys.argv[1]))
    _cached.cache_clear()
    os.environ["WEBENV_CACHE"] = shared
    os.setgid(65534)
    os.setuid(65534)
for spec in sys.argv[1:]:
    print(len(cached_corpus(WebConfig.parse(spec))), file=sys.stderr)
"""


@pytest.mark.slow
def test_a_folder_that_can_only_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A web that is in the cache is used even where nothing can be written; another goes to a temporary folder."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setenv("WEBENV_CACHE", folder)
        cached_corpus(DIALS)
        (Path(folder) / "procedural").chmod(0o555)
        words = [sys.executable, "-c", READER, str(DIALS), str(DIALS.with_seed(6))]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        (Path(folder) / "procedural").chmod(0o755)
    lines = done.stderr.splitlines()
    assert (lines[0], lines[-1], len(lines)) == ("200", "200", 3)
    assert "no web can be kept" in lines[1]


def test_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """WEBENV_CACHE comes first, then XDG_CACHE_HOME where it is absolute, then the home folder."""
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("WEBENV_CACHE")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "webenv"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / ".cache" / "webenv"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder() == tmp_path / "Library" / "Caches" / "webenv"


def test_a_closed_web_is_opened_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A corpus that was closed, and whose folder may be gone since, is not given out again."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path))
    config = WebConfig(pages=60)
    cached_corpus(config).close()
    shutil.rmtree(tmp_path / "procedural")
    assert len(list(cached_corpus(config).pages())) == 60


@pytest.mark.slow
def test_worlds_are_made_beforehand(home: Path) -> None:
    """Those that are lacking are made by several processes, told one by one; nothing is made twice."""
    worlds = Worlds(DIALS, 3)
    cached_corpus(worlds[1])
    told: list[tuple[str, int, int | None]] = []
    assert prepare_worlds(worlds, lambda *stage: told.append(stage), workers=2) == 2
    assert told == [("worlds", 1, 3), ("worlds", 2, 3), ("worlds", 3, 3)]
    assert len([path for path in (home / "procedural").iterdir() if path.is_dir()]) == 3
    assert prepare_worlds(worlds) == 0


def test_a_web_larger_than_the_cache_is_refused_before_it_is_made() -> None:
    """Ten million pages, as a stranger's run may name them, are refused at once, with what to do."""
    with pytest.raises(InvalidArgument) as refused:
        cached_corpus(WebConfig(pages=10_000_000))
    assert str(refused.value) == (
        "procedural:pages=10000000: takes about 50 GB, and the cache holds 5: set WEBENV_CACHE_GB, or build it as a "
        "folder, with webenv corpus build DIR --from procedural:pages=10000000."
    )
