"""Batches of searches that worker processes share."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers import workers_of
from webenv.corpora import Corpus, SourcePage, build
from webenv.errors import InvalidArgument
from webenv.web import Scope, SearchRequest

WORDS = ("tide", "lighthouse", "harbour", "ferry", "granite", "island", "keeper", "lamp")
REQUESTS = [SearchRequest(f"{WORDS[n % 8]} {WORDS[n * 3 % 8]} {n}") for n in range(64)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("corpus")
    pages = [
        SourcePage(f"https://a.example/{n}", f"Page {n}", f"{WORDS[n % 8]} {WORDS[n // 8 % 8]} {n}")
        for n in range(1_100)
    ]
    build(path, [pages], workers=1)
    return path


@pytest.fixture
def corpus(folder: Path) -> Iterator[Corpus]:
    with Corpus.open(folder, workers=2) as corpus:
        yield corpus


def test_a_small_batch_starts_no_worker(corpus: Corpus) -> None:
    before = workers_of(os.getpid())
    corpus.search(REQUESTS[:8])
    assert workers_of(os.getpid()) == before


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
def test_a_killed_worker_costs_no_answer(folder: Path, corpus: Corpus) -> None:
    before = workers_of(os.getpid())
    expected = corpus.rank(REQUESTS)
    (worker,) = workers_of(os.getpid()) - before
    os.kill(worker, signal.SIGKILL)
    assert corpus.rank(REQUESTS) == expected


def test_closing_ends_the_workers_and_searching_goes_on(corpus: Corpus) -> None:
    before = workers_of(os.getpid())
    expected = corpus.rank(REQUESTS)
    corpus.close()
    assert workers_of(os.getpid()) <= before
    assert corpus.rank(REQUESTS) == expected


SCRIPT = """
import os, sys, time
from webenv.corpora import Corpus
from webenv.web import SearchRequest

corpus = Corpus.open(sys.argv[1], workers=2)
print(len(corpus.search([SearchRequest(f"tide {n}") for n in range(64)])), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
def test_a_script_without_a_main_guard_has_workers_that_end_with_it(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, str(script), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "64\n"
        (worker,) = workers_of(process.pid)
        process.kill()
    for _ in range(50):
        if gone(worker):
            break
        time.sleep(0.1)
    assert gone(worker)


def test_a_bad_request_leaves_the_workers_to_the_next(corpus: Corpus) -> None:
    corpus.rank(REQUESTS)
    with pytest.raises(InvalidArgument, match="as_of"):
        corpus.search([request._replace(scope=Scope(as_of="x")) for request in REQUESTS])
    before = workers_of(os.getpid())
    corpus.rank(REQUESTS)
    assert len(workers_of(os.getpid()) - before) == 1


FORKED = SCRIPT.replace("time.sleep(60)", "os.fork()\ntime.sleep(60)")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers by /proc")
def test_workers_end_with_their_parent_though_a_fork_of_it_lives(folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(FORKED)
    with subprocess.Popen(
        [sys.executable, str(script), str(folder)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "64\n"
        (worker,) = workers_of(process.pid)
        time.sleep(0.2)  # for the fork
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for _ in range(100):
            if gone(worker):
                break
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)  # the fork
    assert gone(worker)


@pytest.mark.skipif(sys.platform != "linux", reason="asks for the size of pipes")
def test_workers_take_no_room_that_a_user_may_lack(corpus: Corpus) -> None:
    """Their pipes are of the usual size: larger ones are refused to users who have some 64 of a megabyte."""
    import fcntl

    corpus.rank(REQUESTS)
    (partner,) = corpus._pool.team.workers
    usual = os.pipe()
    sizes = {fcntl.fcntl(end, fcntl.F_GETPIPE_SZ) for end in (usual[0], partner._from.fileno(), partner._to.fileno())}
    for end in usual:
        os.close(end)
    assert len(sizes) == 1


def gone(pid: int) -> bool:
    """Whether a process has ended; nobody may have collected it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
