"""``webenv rescore``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import WEBENV, Run
from tests.openai_server import Messages, Reply, Slow, serve
from webenv.cli.app import run


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run on the sample web, in the folder ``run`` of the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert run(("eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "oracle", "--out", "run")) == 0
    capsys.readouterr()
    return tmp_path / "run"


def script(messages: Messages) -> Reply:
    """A judge that takes its time, and rejects one criterion in three by its first word."""
    token = messages[-1]["content"].partition('<accept id="')[2].partition('"')[0]
    rejects = len(messages[-1]["content"]) % 3 == 0
    return Slow(0.03, f'<reject id="{token}">not said</reject>' if rejects else f'<accept id="{token}"/>')


def test_table(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A rescoring ends with success before and after, how many verdicts changed, and where they are."""
    before = (played / "episodes.jsonl").read_bytes()
    with serve(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-a-test")
        assert run(("rescore", "run", "--judge", "llm:strict", "--judge-prompt", "mentioned")) == 0
    out = capsys.readouterr().out
    folder = next((played / "rescored").iterdir())
    shown = [line.split() for line in out.splitlines()]
    assert ["n", "run:", "page", "llm:strict"] in shown
    wrong = int(out.partition("Changed: ")[2].split()[0])
    assert f"Changed: {wrong} of 12 verdicts ({wrong} right → wrong)\n" in out
    assert 0 < wrong < 12
    assert out.endswith(f"Verdicts: run/rescored/{folder.name}\n")
    assert folder.name.startswith("llm-strict-")
    about = json.loads((folder / "run.json").read_text())
    assert (about["judge"]["variant"], about["judge"]["model"]) == ("mentioned", "strict")
    assert (played / "episodes.jsonl").read_bytes() == before
    text = b"".join(file.read_bytes() for file in folder.iterdir() if file.is_file())
    assert b"secret" not in text


def test_json(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` prints one object; given again, nothing is judged."""
    for judged in (12, 0):
        assert run(("rescore", "run", "--judge", "page", "--json")) == 0
        data = json.loads(capsys.readouterr().out)
        assert (data["judge"], data["digest"], data["judged"]) == ("page", "8245db438767", judged)
        names = [(data[when]["policy"], data[when]["label"]) for when in ("before", "after")]
        assert names == [("oracle", "run: page"), ("oracle", "page")]
        assert (data["before"]["total"], data["changed"], data["outside"]) == (data["after"]["total"], {}, 0)


def test_an_environment_of_a_module(webenv: Run, town: Path) -> None:
    """A run in an environment of the user's own is rescored with the module named."""
    assert webenv("eval", "town:Town-v0", "--policy", "oracle", "--out", "run").returncode == 0
    done = webenv("rescore", "run", "--judge", "page")
    assert done.stderr == (
        "webenv: error: run was played in 'Town-v0', which is none of webenv's environments; "
        "if you trust it, name its module too: --env module:Town-v0, or in Python the benchmark.\n"
    )
    done = webenv("rescore", "run", "--judge", "page", "--env", "town:Town-v0", "--json")
    assert json.loads(done.stdout)["after"]["total"]["successes"] == 8


@pytest.mark.slow
def test_killed(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A rescoring that is killed keeps what it found; taken up, the judge is not asked about it again."""
    words = ["rescore", "run", "--judge", "llm:slow", "--parallel", "1"]
    with serve(script) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "k"}
        with subprocess.Popen([*WEBENV, *words], cwd=played.parent, env=environment, stderr=subprocess.PIPE) as process:
            until, kept = time.monotonic() + 120, b""
            while time.monotonic() < until and process.poll() is None and kept.count(b"\n") < 3:
                kept = b"".join(file.read_bytes() for file in (played / "rescored").glob("*/verdicts.jsonl"))
                time.sleep(0.002)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        (file,) = (played / "rescored").glob("*/verdicts.jsonl")
        kept = file.read_bytes()
        assert 3 <= kept.count(b"\n") < 12
        asked = len(server.requests)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        assert run((*words[:4], "--json")) == 0
        again = len(server.requests) - asked
        assert run((*words[:3], "llm:other", "--json")) == 0
        needed = len(server.requests) - asked - again
    assert file.read_bytes().startswith(kept)
    data, other = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert data["judged"] == 12 - kept.count(b"\n")
    assert data["after"]["total"] == other["after"]["total"]
    assert asked + again <= needed + 6  # six: what the one episode that was being judged had asked


def test_cost_limit(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """At the cost limit a rescoring ends with one line, keeps its verdicts, and goes on under a higher one."""
    prices = played.parent / "prices.json"
    prices.write_text('{"judge": {"input": 1.0, "output": 1.0}}')
    words = ["rescore", "run", "--judge", "llm:judge", "--parallel", "1", "--prices", "prices.json", "--cost-limit"]
    with serve(script) as server:  # each reply counts 7 + 3 tokens
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        assert run((*words, "0.0001")) == 1
        error = capsys.readouterr().err
        (file,) = (played / "rescored").glob("*/verdicts.jsonl")
        kept = file.read_bytes()
        assert 0 < kept.count(b"\n") < 12
        assert f"finished verdicts are kept in run/rescored; go on with: webenv {' '.join(words)}" in error
        assert error.count("\n") == 1
        assert run((*words, "1", "--json")) == 0
        usage = json.loads(capsys.readouterr().out)["usage"]["judge"]
        requests = len(server.requests)
    assert file.read_bytes().startswith(kept)
    assert (usage["requests"], usage["prompt_tokens"], usage["completion_tokens"]) == (
        requests,
        7 * requests,
        3 * requests,
    )
    assert float(usage["cost"]) == pytest.approx(requests * 10 / 1e6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--judge", "llm:x"), "neither a key nor an endpoint is set"),
        (("--judge", "pgae"), "no judge is called 'pgae'. Did you mean 'page'?"),
        (("--judge", "page", "--judge-prompt", "mentioned"), "asks no model"),
        (("--judge", "page", "--cassette-mode", "record"), "--cassette-mode record needs --cassette FILE."),
        (("--judge", "page", "--set", "difficulty=easy"), "was played on 12 tasks"),
    ],
)
def test_refused(
    played: Path,
    words: tuple[str, ...],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Bad options are one line, and nothing is written."""
    assert run(("rescore", "run", *words)) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert not (played / "rescored").exists()
