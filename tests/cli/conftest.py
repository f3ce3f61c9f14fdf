"""The command line in a process of its own, and a folder with a benchmark in a module."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import gymnasium as gym
import pytest

from webenv.cli import app

Run = Callable[..., "subprocess.CompletedProcess[str]"]

WEBENV = [sys.executable, "-P", "-c", "from webenv_command import main; main()"]

BENCH = '''
import time
import gymnasium
from webenv import Benchmark, Budget, Gold, Rules, SearchEnv, Task, TaskSet
from webenv.corpora import Corpus
from webenv.errors import WebError
from webenv.rewards import make_judge

WORDS = ("harbour", "quarry", "orchard", "lighthouse", "mill", "bridge", "chapel", "market")


class SlowCorpus:
    """A corpus that takes its time, as a live web does; or does not answer."""

    def __init__(self, corpus, seconds, fails):
        self.corpus, self.seconds, self.fails, self.identity = corpus, seconds, fails, corpus.identity

    def search(self, requests):
        time.sleep(self.seconds)
        if self.fails:
            raise WebError("the search service is down")
        return self.corpus.search(requests)

    def visit(self, requests):
        return self.corpus.visit(requests)


def make(seconds=0.0, fails=False, budget=None, difficulty=None, judge="page"):
    pages = [
        {"url": f"https://town.example/{word}", "title": word, "text": f"A {word}. " + f"The {word} is old. " * 200}
        for word in WORDS
    ]
    tasks = TaskSet(
        [
            Task(word, f"Which page is about a {word}?", gold=Gold(urls=(f"https://town.example/{word}",)),
                 tags={"difficulty": ("easy", "hard")[number % 2]})
            for number, word in enumerate(WORDS)
        ],
        name="town",
    ).filter(difficulty=difficulty)
    limits = Budget.of(budget, Budget(searches=3, visits=3, turns=8))
    web = SlowCorpus(Corpus.of(pages), seconds, fails)
    return SearchEnv(Benchmark(tasks, web, make_judge(judge), Rules(fetch_answer=True), limits, name="Town-v0"))


gymnasium.register("Town-v0", entry_point=make)
'''


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """A folder with the module ``town``, whose import registers Town-v0."""
    (tmp_path / "town.py").write_text(BENCH)
    return tmp_path


@pytest.fixture
def process(town: Path) -> Run:
    """Runs ``webenv`` in that folder as a process of its own: ``process("eval", …, input="…")``."""

    def run(*words: str, **how: object) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            [*WEBENV, *words],
            **{"cwd": town, "capture_output": True, "text": True, "timeout": 300, "env": environment, **how},
        )

    return run


@pytest.fixture
def webenv(town: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs ``webenv`` in that folder within this process, which has imported all that it needs, and has its webs."""
    monkeypatch.chdir(town)
    for name in [name for name in os.environ if name.startswith("OPENAI_")]:
        monkeypatch.delenv(name)
    modules, registered = set(sys.modules), set(gym.registry)

    def run(*words: str, input: str = "") -> subprocess.CompletedProcess[str]:
        out, error = io.StringIO(), io.StringIO()
        with monkeypatch.context() as patch, redirect_stdout(out), redirect_stderr(error):
            patch.setattr(sys, "stdin", io.StringIO(input))
            code = app.run(words)
        return subprocess.CompletedProcess(words, code, out.getvalue(), error.getvalue())

    yield run
    for module in set(sys.modules) - modules:
        if getattr(sys.modules[module], "__file__", None) == str(town / "town.py"):
            del sys.modules[module]
    for name in set(gym.registry) - registered:
        del gym.registry[name]
