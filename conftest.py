"""Settings of every test: property tests draw the same examples on every machine, and keep none on disk; generated
webs are kept in a folder of the run's own, which all its processes share; replies of models take no time;
``--no-skips`` lets no test be skipped."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings

from tests.extras import missing
from webenv.models import llm

settings.register_profile("webenv", derandomize=True, database=None, deadline=None)
settings.load_profile("webenv")

# Shells start what runs in the background with interrupts ignored, and processes hand that on: nobody's Ctrl-C would
# reach the commands that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

llm._clock = lambda: 0.0  # so that replies can be compared whole; tests of what is measured put the clock back

if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["WEBENV_CACHE"] = tempfile.mkdtemp(prefix="webenv-tests-")

# Modules whose examples cannot run without an extra. That an import fails is not enough to leave one out: a test file
# with a broken import would go by unseen (--doctest-ignore-import-errors did so).
collect_ignore_glob = []
if without := missing("train"):
    collect_ignore_glob += ["webenv/policies/learned/*", "webenv/wrappers/sb3.py"]
if missing("agents"):
    collect_ignore_glob += ["webenv/envs/agent_web_bench/parallel.py"]
if missing("fast"):
    collect_ignore_glob += [
        f"webenv/corpora/maxscore/{one}.py" for one in ("kernel", "cutting", "shingling", "tokenizing")
    ]

SYSTEM = "there is no Chromium"  # the one program that no package index has


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a skipped test fails the run (all extras are installed)")


def pytest_report_header() -> str:
    return f"examples of what learns are not run: needs {without}: pip install '.[train]'" if without else ""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes make no ids: gzip writes the clock's second into them, and workers that collect different ids run none."""
    return argname if isinstance(val, bytes) else None


def _skipped(config: pytest.Config) -> list[str]:
    """Why tests were skipped where none may be."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or not config.getoption("no_skips"):
        return []
    reasons = {f"{one.nodeid}: {one.longrepr[2]}" for one in reporter.stats.get("skipped", ())}
    return sorted(reason for reason in reasons if SYSTEM not in reason)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if skipped := _skipped(config):
        terminalreporter.section("skipped, and none may be", red=True)
        terminalreporter.write("".join(f"{reason}\n" for reason in skipped))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Removes the folder, when the last of the processes has ended."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(os.environ["WEBENV_CACHE"], ignore_errors=True)
