"""What the cache folder keeps, and what goes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.cache import CorpusCache, _cached, cache_bytes, cached_corpus, corpus_cache, locked
from webenv.errors import CorpusNotFound, InvalidArgument

DIALS = WebConfig(pages=60, sites=16)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache folder of the test's own."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    yield tmp_path / "cache"
    _cached.cache_clear()


def fill(seeds: range) -> None:
    """Writes webs that nobody reads, the first used longest ago."""
    for seed in seeds:
        cached_corpus(DIALS.with_seed(seed))
        _cached.cache_clear()
        os.utime(corpus_cache().lock(name_of(seed)), (1_000_000 + seed, 1_000_000 + seed))


def name_of(seed: int) -> str:
    (name,) = [web.name for web in corpus_cache().webs() if web.name.startswith(f"train-{seed}-")]
    return name


def seeds() -> list[int]:
    return [int(web.name.split("-")[1]) for web in corpus_cache().webs()]


def test_the_webs_that_there_are() -> None:
    """Webs are listed by their last use, which opening one is, with the size of their files."""
    assert corpus_cache().webs() == []
    fill(range(3))
    assert seeds() == [0, 1, 2]
    for web in corpus_cache().webs():
        files = [file for file in (corpus_cache().path / web.name).glob("data-*/**/*") if file.is_file()]
        assert web.size == sum(file.stat().st_size for file in files if file.name != "verified.json")
        assert web.current
    cached_corpus(DIALS)
    assert seeds() == [1, 2, 0]


def test_those_used_longest_ago_go() -> None:
    """As many as it takes are removed, with their locks; what is left takes no more than asked for."""
    fill(range(4))
    sizes = [web.size for web in corpus_cache().webs()]
    assert corpus_cache().shrink(sum(sizes)) == 0
    assert corpus_cache().shrink(sum(sizes[2:])) == sizes[0] + sizes[1]
    assert seeds() == [2, 3]
    assert len(list(corpus_cache().path.iterdir())) == 4
    assert corpus_cache().shrink(sum(sizes[2:]) - 1) == sizes[2]
    assert seeds() == [3]


def test_other_versions_go_first() -> None:
    """A web of another generator, or one that is damaged, goes before those used longer ago."""
    fill(range(3))
    newer = CorpusCache(corpus_cache().path, "procedural of another version")
    assert [web.current for web in newer.webs()] == [False] * 3
    (corpus_cache().path / name_of(2) / "manifest.json").write_text("{}")
    assert seeds() == [2, 0, 1]
    assert [web.current for web in corpus_cache().webs()] == [False, True, True]
    corpus_cache().shrink(sum(web.size for web in corpus_cache().webs()) - 1)
    assert seeds() == [0, 1]


READER = """
import sys
from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.cache import cached_corpus
corpus = cached_corpus(WebConfig.parse(sys.argv[1]))
print("open", flush=True)
sys.stdin.readline()
print(len(list(corpus.pages())), flush=True)
"""


def test_what_is_read_stays() -> None:
    """A web that this process or another has open is not removed; once it is closed, it is."""
    fill(range(3))
    words = [sys.executable, "-c", READER, str(DIALS.with_seed(1))]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdin is not None
        assert reader.stdout is not None
        assert reader.stdout.readline() == "open\n"
        mine = Corpus.open(corpus_cache().path / name_of(0))
        corpus_cache().shrink(0)
        assert sorted(seeds()) == [0, 1]
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert reader.stdout.readline() == "60\n"
    assert len(list(mine.pages())) == 60
    mine.close()
    corpus_cache().shrink(0)
    assert seeds() == []


def test_what_is_built_stays() -> None:
    """A web that somebody is about to build is left alone."""
    fill(range(1))
    with locked(corpus_cache().lock(name_of(0))):
        assert corpus_cache().shrink(0) == 0
    assert corpus_cache().shrink(0) > 0


def test_only_what_webenv_made_is_removed(tmp_path: Path) -> None:
    """Other folders, files, links, and a web's folder that holds something else, stay."""
    fill(range(2))
    path = corpus_cache().path
    (path / name_of(0) / "notes.txt").write_text("mine")
    (path / "my-folder").mkdir()
    (path / "train-1-60-0123").mkdir()
    (path / "train-1-60-0123456789abcdef").symlink_to(tmp_path)
    corpus_cache().shrink(0)
    assert seeds() == [0]
    left = {entry.name for entry in path.iterdir()}
    assert {"my-folder", "train-1-60-0123", "train-1-60-0123456789abcdef"} < left
    assert (path / name_of(0) / "notes.txt").read_text() == "mine"
    assert tmp_path.is_dir()


def test_what_a_killed_process_left_is_cleared(home: Path) -> None:
    """A web that was half removed when its process was killed goes with the next one."""
    fill(range(1))
    (home / "procedural" / name_of(0)).rename(home / "procedural" / "going-0123456789abcdef")
    assert corpus_cache().shrink(10**12) == 0
    assert not list((home / "procedural").glob("going-*"))


def test_writing_a_web_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """WEBENV_CACHE_GB is kept to when a web is written; the one just written stays, however little it allows."""
    fill(range(3))
    size = max(web.size for web in corpus_cache().webs())
    monkeypatch.setenv("WEBENV_CACHE_GB", str(2.5 * size / 1e9))
    corpus = cached_corpus(DIALS.with_seed(7))
    assert seeds() == [2, 7]
    monkeypatch.setenv("WEBENV_CACHE_GB", "0")
    other = cached_corpus(DIALS.with_seed(8))
    assert seeds() == [7, 8]  # both are open
    assert (len(corpus), len(other)) == (60, 60)


def test_a_web_that_went_is_made_again(home: Path) -> None:
    """After its removal a web is not there, and is written again when it is asked for."""
    digest = cached_corpus(DIALS).digest
    folder = home / "procedural" / name_of(0)
    _cached.cache_clear()
    corpus_cache().shrink(0)
    with pytest.raises(CorpusNotFound):
        Corpus.open(folder)
    assert cached_corpus(DIALS).digest == digest


@pytest.mark.parametrize("text", ["five", "-1", "nan", "inf", "1e12"])
def test_bad_sizes_are_named(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A size that is none is refused in one line, before anything is written."""
    monkeypatch.setenv("WEBENV_CACHE_GB", text)
    with pytest.raises(InvalidArgument, match=f"WEBENV_CACHE_GB='{text}': expected a number of gigabytes from 0"):
        cached_corpus(DIALS)
    assert corpus_cache().webs() == []


def test_the_size_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five gigabytes, unless the variable says otherwise."""
    monkeypatch.delenv("WEBENV_CACHE_GB", raising=False)
    assert cache_bytes() == 5_000_000_000
    monkeypatch.setenv("WEBENV_CACHE_GB", " 0.5 ")
    assert cache_bytes() == 500_000_000
