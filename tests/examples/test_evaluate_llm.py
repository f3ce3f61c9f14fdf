"""``examples/evaluate_llm.py``, against a server on loopback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.openai_server import Messages, Text, serve
from webenv.evaluation import read_records

EXAMPLE = Path(__file__).parents[2] / "examples" / "evaluate_llm.py"
WEB = ("--web", "procedural:pages=600")
_CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}


def play(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLE), *words],
        cwd=folder,
        env={**_CLEAN, **variables},
        capture_output=True,
        text=True,
        timeout=300,
    )


def first_hit(messages: Messages) -> Text:
    """A model that searches the question, and answers the first URL that comes."""
    found = re.findall(r"^https?://\S+$", messages[-1]["content"], re.MULTILINE)
    said = f"<answer>{found[0]}</answer>" if found else f"<search>{messages[1]['content'].splitlines()[1]}</search>"
    return Text(f"I look. {said}", usage=(1000, 10))


@pytest.mark.slow
def test_plays_and_goes_on(tmp_path: Path) -> None:
    """It plays every episode, prints success and cost, says where the record is; given again, nothing is asked."""
    with serve(first_hit) as server:
        known = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        done = play(tmp_path, "lab/tiny", "--episodes", "4", *WEB, **known)
        assert (done.returncode, done.stderr) == (0, "")
        asked = len(server.requests)
        again = play(tmp_path, "lab/tiny", "--episodes", "4", *WEB, **known)
        assert len(server.requests) == asked == 8
    assert again.stdout == done.stdout
    records = list(read_records(tmp_path / "runs" / "lab-tiny" / "run"))
    assert [[turn.kind for turn in record.turns] for record in records] == [["search", "answer"]] * 4
    assert "Record: runs/lab-tiny/run  Replies: runs/lab-tiny/replies.cassette\n" in done.stdout
    usage = next(line.split() for line in done.stdout.splitlines() if "lab/tiny" in line and "$" in line)
    assert usage == ["lab/tiny", "8", "0", "8,000", "0", "80", "$0.0033"]


@pytest.mark.slow
def test_stops_at_its_limit(tmp_path: Path) -> None:
    """At the limit it ends with what happened, and where what was played is kept."""
    with serve(first_hit) as server:
        known = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"}
        done = play(tmp_path, "tiny", "--episodes", "4", "--dollars", "0.0005", *WEB, **known)
    assert done.returncode == 1
    assert "0.0005" in done.stderr
    assert done.stderr.endswith("What was played is kept in runs/tiny.\n")


def test_without_an_endpoint(tmp_path: Path) -> None:
    """Without an endpoint it says in one line what to set."""
    for words in ((), ("tiny",)):
        done = play(tmp_path, *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "Set OPENAI_BASE_URL to an OpenAI-compatible endpoint, OPENAI_API_KEY to its key (or none), and name the "
            "model: python examples/evaluate_llm.py MODEL\n"
        )
