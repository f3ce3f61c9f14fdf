"""``webenv agreement``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.openai_server import Messages, Reply, serve
from webenv.cli.app import run


@pytest.fixture
def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A run on a small generated web, judged by its exact keys."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    words = (
        "eval",
        "NeedleInWeb-v0",
        "--web",
        "procedural:pages=200",
        "--split",
        "test",
        "--policy",
        "keyword",
    )
    assert run((*words, "--episodes", "40", "--out", "run")) == 0
    capsys.readouterr()
    return tmp_path / "run"


def sloppy(messages: Messages) -> Reply:
    """A judge that accepts every criterion of a long page, and rejects those of a short one."""
    text = messages[-1]["content"]
    token = text.partition('<accept id="')[2].partition('"')[0]
    return f'<accept id="{token}"/>' if len(text) % 2 else f'<reject id="{token}">no, said [red]the judge[/]</reject>'


def test_audit(played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A model judge is audited by the exact keys: the run is rescored, and every flip is listed with its texts."""
    with serve(sloppy) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        words = ("agreement", "run", "--judge", "run", "--judge", "llm:sloppy", "--out", "flips.jsonl")
        assert run(words) == 0
        asked = len(server.requests)
        out = capsys.readouterr().out
        assert run((*words, "--json")) == 0
        assert len(server.requests) == asked  # the rescoring is kept
    data = json.loads(capsys.readouterr().out)
    records = {
        json.loads(line)["task"]: json.loads(line) for line in (played / "episodes.jsonl").read_text().splitlines()
    }
    (folder,) = (played / "rescored").iterdir()
    found = {
        json.loads(line)["task"]: json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()
    }
    right = {task for task, record in records.items() if record["verdict"]["value"] == 1.0}
    said = {task for task, one in found.items() if one["verdict"]["value"] == 1.0}
    assert (data["episodes"], data["scored"]) == (40, 40)
    assert data["values"]["counts"] == [
        [len(right & said), len(right - said)],
        [len(said - right), 40 - len(right | said)],
    ]
    assert data["audit"]["truth"] == "run (exact)"
    assert data["audit"]["recall"] == pytest.approx(len(right & said) / len(right))
    assert data["share"] == pytest.approx(1 - len(right ^ said) / 40)
    assert (
        f"llm:sloppy against run (exact), which holds the key: precision {100 * data['audit']['precision']:.1f}%" in out
    )
    assert (
        f"Cohen's kappa: right and wrong {data['values']['kappa']:.3f}, outcomes {data['outcomes']['kappa']:.3f}" in out
    )
    flips = [json.loads(line) for line in Path("flips.jsonl").read_text().splitlines()]
    turned = [flip for flip in flips if (flip["first"]["value"] == 1.0) != (flip["second"]["value"] == 1.0)]
    assert {flip["task"] for flip in turned} == right ^ said
    assert turned == flips[: len(turned)]
    assert data["flips"] == flips[:10]
    assert data["differing"] == len(flips)
    flip = flips[0]
    assert flip["question"] == records[flip["task"]]["question"]
    assert flip["answer"] == records[flip["task"]]["turns"][-1]["action"][1][0]
    assert flip["gold"] == records[flip["task"]]["gold"]
    assert f" 1. {flip['task']}, attempt 0\n" in out
    assert f"    run (exact): {flip['first']['outcome']}: {flip['first']['explanation']}\n" in out
    assert "[red]the judge[/]" in out
    assert f"All {len(flips)} of them: flips.jsonl\n" in out


def test_an_earlier_rescoring(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rescoring is named by its folder; two that agree have no flip."""
    assert run(("rescore", "run", "--judge", "page")) == 0
    capsys.readouterr()
    (folder,) = (played / "rescored").iterdir()
    assert run(("agreement", "run", "--judge", folder.name, "--judge", "exact")) == 0
    out = capsys.readouterr().out
    assert "Agreement: 100.0% (95%: 91.2%–100.0%), 40 of 40\n" in out
    assert f"{folder.name} against exact, which holds the key: precision 100.0%, recall 100.0%, F1 100.0%\n" in out
    assert "differ" not in out
    assert len(list((played / "rescored").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--judge", "run"), "--judge run: expected two of them, as in --judge run --judge exact."),
        (("--judge", "run", "--judge", "run"), "--judge run, run: expected two of them"),
        (("--judge", "run", "--judge", "exatc"), "no judge is called 'exatc'. Did you mean 'exact'?"),
        (("--judge", "run", "--judge", "page", "--out", "no/f"), "--out 'no/f' cannot be written: No such file"),
    ],
)
def test_refused(played: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Bad options are one line."""
    assert run(("agreement", "run", *words)) == 1
    assert capsys.readouterr().err.startswith(f"webenv: error: {message}")
