"""``webenv tasks draft``, ``tasks harden`` and ``corpus siblings`` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.envs.hardening.lighthouse import pages
from webenv.cli.app import run


def test_from_a_corpus_to_hard_tasks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Needles are drafted, put on siblings of their pages, reworded, and played: the oracle finds each page."""
    source, web, tasks = tmp_path / "pages.jsonl", tmp_path / "web", tmp_path / "tasks"
    source.write_text("\n".join(json.dumps({"url": p.url, "title": p.title, "text": p.text}) for p in pages()))
    assert run(["corpus", "build", str(web), "--from", f"jsonl:{source}", "--workers", "1"]) == 0
    assert run(["tasks", "draft", "--web", str(web), "--tasks-out", str(tasks)]) == 0
    capsys.readouterr()
    hard_web, hard_tasks, reworded = tmp_path / "siblings", tmp_path / "hard", tmp_path / "reworded"
    siblings = ["corpus", "siblings", str(hard_web), "--from", str(web), "--tasks", str(tasks), "--versions", "5"]
    assert run([*siblings, "--tasks-out", str(hard_tasks), "--workers", "1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["tasks"], record["gold pages"], record["versions"]) == (2, 1, 5)
    harden = ["tasks", "harden", "--web", str(hard_web), "--tasks", str(hard_tasks), "--tasks-out", str(reworded)]
    assert run([*harden, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["criteria"] == 6
    played = ["eval", "NeedleInWeb-v0", "--web", str(hard_web), "--tasks", str(reworded), "--policy", "oracle"]
    assert run([*played, "--out", str(tmp_path / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["total"]["success_rate"] == 1.0


def test_a_folder_in_use_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks are written into a folder that is new or empty alone."""
    (tmp_path / "mine.json").write_text("[]")
    assert run(["tasks", "draft", "--web", str(tmp_path), "--tasks-out", str(tmp_path)]) == 1
    assert "expected a folder that is new or empty" in capsys.readouterr().err
