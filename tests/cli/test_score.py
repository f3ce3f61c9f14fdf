"""``webenv score`` on the command line: answers that were made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import pytest

from webenv.cli.app import run
from webenv.task import TaskSet

SCORE = ["score", "NeedleInWeb-v0", "--web", "sample"]


@pytest.fixture(scope="module")
def tasks() -> TaskSet:
    """The tasks of the sample web."""
    env = gym.make("NeedleInWeb-v0", web="sample")
    found = env.unwrapped.benchmark.tasks  # type: ignore[attr-defined]
    assert isinstance(found, TaskSet)
    return found


def test_answers_become_a_run_like_any_other(
    tasks: TaskSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half right, half none: scored, with what was reported in the record, and taken by rescore and report."""
    file, out = tmp_path / "answers.jsonl", tmp_path / "run"
    lines = [
        {"task": task.id, "answer": task.gold.urls[0] if n % 2 else None, "searches": 3, "seconds": 7.5}
        for n, task in enumerate(tasks)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert run([*SCORE, "--answers", str(file), "--system", "People", "--out", str(out), "--json"]) == 0
    total = json.loads(capsys.readouterr().out)["total"]
    assert (total["success_rate"], total["searches"], total["seconds"]) == (0.5, 3.0, 7.5)
    assert run(["rescore", str(out), "--judge", "page", "--json"]) == 0
    capsys.readouterr()
    assert run(["report", str(out), "--measure", "visits", "--json"]) == 0
    (cell,) = json.loads(capsys.readouterr().out)["cells"]
    assert (cell["column"], cell["mean"]) == (["People"], None)


def test_missing_answers_are_not_guessed_at(tasks: TaskSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks without an answer are refused, scored as wrong, or left out, as the caller says."""
    file = tmp_path / "answers.json"
    first = tasks[0]
    file.write_text(json.dumps({first.id: first.gold.urls[0]}))
    assert run([*SCORE, "--answers", str(file)]) == 1
    assert "11 of 12 tasks have no answer" in capsys.readouterr().err
    for how, episodes, rate in (("wrong", 12, 1 / 12), ("leave", 1, 1.0)):
        out = ["--missing", how, "--out", str(tmp_path / how), "--json"]
        assert run([*SCORE, "--answers", str(file), *out]) == 0
        total = json.loads(capsys.readouterr().out)["total"]
        assert (total["episodes"], total["success_rate"]) == (episodes, rate)


def test_figures_that_are_not_reported_are_not_zero(
    tasks: TaskSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Half report 2 searches, one has no answer: the mean is 2, of the episodes that are named; visits stay unknown."""
    file, out = tmp_path / "answers.jsonl", str(tmp_path / "run")
    lines = [{"task": task.id, "answer": "x", **({"searches": 2} if n % 2 else {})} for n, task in enumerate(tasks)]
    file.write_text("\n".join(map(json.dumps, lines[1:])))
    assert run([*SCORE, "--answers", str(file), "--missing", "wrong", "--out", out, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["total"]["searches"], found["total"]["visits"]) == (2.0, None)
    assert "searches reported of 6 of 12 episodes: its mean is over those." in found["notes"]
    assert run(["report", out, "--measure", "searches,visits", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [cell["mean"] for cell in told["cells"]] == [2.0, None]
    assert told["notes"] == ["searches: means over the 6 of 12 episodes of which it is known."]
    assert run(["rescore", out, "--judge", "page", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["after"]["total"]["searches"] == 2.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"nobody/1": "x"}', "task is 'nobody/1'; expected an id of"),
        ('{"task": "ID", "answer": "a"}\n{"task": "ID", "answer": "b"}', "line 2: task 'ID' is answered twice"),
        ('{"ID": "a", "ID": "b"}', "'ID' is there twice in one object; keep one of the two"),
        ('{"task": "ID", "answr": "a"}', "there is no answer, but task, answr; expected answer, null for none"),
        ('{"task": "ID", "answer": 3}', "answer is 3; expected a text, a list of texts, or null"),
        ('{"task": "ID", "answer": "a", "searches": -1}', "searches is -1; expected a number from 0"),
        ('{"task": "ID", "answer": "a", "visits": 2147483648}', "visits is 2147483648; expected a number from 0 to"),
        ('{"task": "ID", "answer": "a"}\nno json', "line 2: no JSON"),
        ('{"task": "ID", "answer": "a\u2028b\x85c"}\nno json', "line 2: no JSON"),
        ('{"x": [' + "[]," * 5_000_000 + "[]]}", "more than 10,000,000 braces, brackets, commas and lines; split it"),
        ("", "holds no answer"),
    ],
)
def test_bad_files_are_one_line(
    tasks: TaskSet, tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, message: str
) -> None:
    """Unknown or doubled tasks, other answers, impossible numbers, too many values; separators end no line."""
    file = tmp_path / "answers.jsonl"
    name = tasks[0].id
    file.write_text(text.replace("ID", name))
    assert run([*SCORE, "--answers", str(file)]) == 1
    assert message.replace("ID", name) in capsys.readouterr().err


def test_official_files_say_whose_judge_they_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On official files the judge that is not the paper's says so once, and what to give; others say nothing."""
    record = {
        "id": 1,
        "context": {"url": "https://mill.example/", "title": "Mill", "content": "The mill was blue."},
        "raw_questions": ["Something was blue."],
        "ground_truth": ["The mill was blue."],
    }
    for name, said in (("wikipedia_easy", 1), ("town_easy", 0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.json").write_text(json.dumps([record]))
        web = str(folder / "web")
        assert run(["corpus", "build", web, "--from", f"needle:{folder}"]) == 0
        play = ["eval", "NeedleInWeb-v0", "--web", web, "--tasks", str(folder / f"{name}.json"), "--policy", "oracle"]
        capsys.readouterr()
        assert run([*play, "--policy", "random", "--out", str(folder / "run")]) == 0
        told = capsys.readouterr().err
        assert (
            told.count("Needle in the Web has gemini-2.5-flash with its prompts C.4 and C.5. For that: --judge") == said
        )


def test_answers_of_filtered_tasks_say_so(tasks: TaskSet, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error names the filter that left a task out; and a second run needs another folder."""
    file, out = tmp_path / "answers.json", str(tmp_path / "run")
    file.write_text(json.dumps({task.id: "x" for task in tasks if task.tags["difficulty"] == "easy"}))
    assert run([*SCORE, "--difficulty", "hard", "--answers", str(file)]) == 1
    assert "left out by a filter (difficulty, site, …); drop the filter" in capsys.readouterr().err
    words = [*SCORE, "--difficulty", "easy", "--answers", str(file), "--out", out]
    assert run(words) == 0
    capsys.readouterr()
    assert run(words) == 1
    assert capsys.readouterr().err.endswith("run holds a run already; name another --out, or move it away.\n")
