"""``webenv export``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from webenv.cli.app import run


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Runs of two policies on the sample web, in the folder ``runs`` of the working folder."""
    monkeypatch.chdir(tmp_path)
    policies = ("--policy", "keyword", "--policy", "oracle")
    assert run(("eval", "NeedleInWeb-v0", "--web", "sample", *policies, "--out", "runs")) == 0
    capsys.readouterr()
    return tmp_path


def test_table(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An export ends with how many were written, how many left out for which reason, and where they are."""
    assert run(("export", "runs", "--policy", "keyword", "--out", "chats.jsonl")) == 0
    out, err = capsys.readouterr()
    chats = [json.loads(line) for line in (played / "chats.jsonl").read_text(encoding="utf-8").splitlines()]
    rows = [line.split() for line in out.splitlines() if line.strip()]
    assert rows[2] == ["written", str(len(chats))]
    assert rows[3] == ["left", "out:", "value", "below", "1", str(12 - len(chats))]
    replies = sum(message["role"] == "assistant" for chat in chats for message in chat["messages"])
    assert out.endswith(f"{len(chats)} conversations with {replies} replies, as tags: chats.jsonl\n")
    assert err == ""
    assert {chat["policy"] for chat in chats} == {"keyword"}


def test_json(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--json`` prints one object; the options reach the file."""
    words = ("--format", "tools", "--arguments", "object", "--bare", "--all", "--no-thoughts", "--json")
    assert run(("export", "runs/oracle", "--out", "chats.jsonl", *words)) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {"path": "chats.jsonl", "format": "tools", "written": 12, "turns": 12, "left_out": {}}
    first = json.loads((played / "chats.jsonl").read_text(encoding="utf-8").splitlines()[0])
    assert list(first) == ["messages", "tools"]
    assert first["messages"][-1]["tool_calls"][0]["function"]["arguments"]["answer"].startswith("https://")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("runs", "--out", "c"), "runs is no run, but holds some; name the folder of one: keyword, oracle."),
        (("runs", "--policy", "react:m", "--out", "c"), "runs holds no run of the policy 'react:m'."),
        (("nowhere", "--out", "c"), "nowhere: there is no such folder; name the folder of a run."),
        (("runs/oracle", "--out", "runs"), "--out 'runs' is no file; name one, which is made or replaced."),
        (
            ("runs/oracle", "--out", "runs/oracle/episodes.jsonl"),
            "--out 'runs/oracle/episodes.jsonl': a run is kept in",
        ),
        (("runs/oracle", "--out", "no/c"), "--out 'no/c' cannot be written: No such file or directory."),
        (("runs/oracle", "--out", "c", "--format", "block"), "--format 'block'. Did you mean 'blocks'?"),
        (("runs/oracle", "--out", "c", "--minimum", "7"), "--minimum 7.0: expected a verdict's value, 0 to 1."),
        (("runs/oracle", "--out", "c", "--judge", "page"), "runs/oracle holds no rescoring 'page'."),
        (("runs/oracle",), "Missing option '--out'."),
    ],
)
def test_bad_input(played: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str) -> None:
    """What cannot be done ends with one clear line, and leaves no file."""
    assert run(("export", *words)) == 1
    out, err = capsys.readouterr()
    assert err.startswith(f"webenv: error: {said}")
    assert (out, err.count("\n")) == ("", 1)
    assert [path.name for path in played.iterdir()] == ["runs"]


def test_nothing_to_write(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where no episode is left, that is said, with the options that keep more."""
    words = ("eval", "NeedleInWeb-v0", "--web", "sample", "--policy", "random", "--episodes", "2", "--out", "random")
    assert run(words) == 0
    capsys.readouterr()
    assert run(("export", "random", "--out", "chats.jsonl")) == 0
    assert capsys.readouterr().err == "webenv: note: no conversation was written; see --minimum and --all.\n"
    assert (played / "chats.jsonl").read_bytes() == b""
