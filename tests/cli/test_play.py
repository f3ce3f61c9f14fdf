from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from webenv.cli import by_hand
from webenv.cli.play import parts_of
from webenv.cli.terminal import SafeConsole
from webenv.envs.needle_in_web.env import needle_in_web
from webenv.rollout.play import EpisodeSpec, play_episodes


def test_to_the_end(process: Run) -> None:
    """A whole episode from piped lines: search, visit, more, undo, answer, and the verdict with the gold."""
    typed = "s old chapel\nv 1\nmore\nu\nv 99\na who @ town.example\nh\nfly\nn my plan\n\nanswer 1\n"
    done = process("play", "town:Town-v0", "--task", "chapel", input=typed)
    assert (done.returncode, done.stderr) == (0, "")
    shown = done.stdout
    for expected in (
        "Which page is about a chapel?",
        "3 of 3 left",
        "1. chapel",
        "https://town.example/chapel",
        "1. chapel (1/2)",
        "type more for the next of 1",
        "1. chapel (2/2)",
        "The last turn is undone.",
        "nothing has the number 99",
        "There is no ask here: the budget has no asks.",
        "answer NUMBER|URL|TEXT",
        "there is no command 'fly'; type h for help.",
        "There is no more to show.",
        "ground_truth_match, value 1, by page",
        "1 (weight 1)",
        "gold",
    ):
        assert expected in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_quit(webenv: Run) -> None:
    """The end of the input and q both quit without a verdict, and show no gold."""
    for typed in ("s mill\n", "s mill\nq\nanswer 1\n", ""):
        done = webenv("play", "town:Town-v0", "--seed", "1", input=typed)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith("You quit; the episode was not judged.\n")
        assert "gold" not in done.stdout


def test_seed(webenv: Run) -> None:
    """The seed decides the task."""
    shown = [webenv("play", "town:Town-v0", "--seed", seed, input="").stdout for seed in ("1", "1", "2", "3", "4")]
    assert shown[0] == shown[1]
    assert len(set(shown)) > 1


def test_unscored(webenv: Run) -> None:
    """A web that is down ends the episode unscored, which is said."""
    done = webenv("play", "town:Town-v0", "--task", "mill", "--set", "fails=true", input="s mill\n")
    assert done.returncode == 0
    assert "unscored, unscored, by rules" in done.stdout
    assert "the search service is down" in done.stdout


def test_hostile_text(process: Run) -> None:
    """What is typed may be any bytes; nothing that steers the terminal comes back."""
    done = process("play", "town:Town-v0", "--seed", "1", input=b"s \xff\xfe [bold] \x1b[31m\nq\n", text=False)
    assert done.returncode == 0
    assert b"\x1b[31m" not in done.stdout


def test_a_policy_plays_while_one_looks_on(webenv: Run) -> None:
    """With --policy the policy's actions and what they bring are shown, to the verdict."""
    done = webenv("play", "town:Town-v0", "--task", "chapel", "--policy", "oracle")
    assert (done.returncode, done.stderr) == (0, "")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith(" 1 answer")]
    assert line == " 1 answer https://town.example/chapel → answered"
    assert "ground_truth_match, value 1, by page" in done.stdout


def test_seconds_that_are_data_are_shown(webenv: Run) -> None:
    """With a latency model the end says how long it took; without one no time passes."""
    words = ("play", "NeedleInWeb-v0", "--web", "sample", "--task", "music_easy/0", "--policy", "keyword")
    assert re.search(r"│  seconds +\d", webenv(*words, "--latency", "default").stdout)
    assert "seconds" not in webenv(*words).stdout


def test_a_policys_turns_are_lines(webenv: Run) -> None:
    """Each turn is one line, pages and snippets cut; --full shows them whole."""
    words = ("play", "town:Town-v0", "--task", "chapel", "--policy", "keyword")
    short, full = webenv(*words).stdout, webenv(*words, "--full").stdout
    turns = [line for line in short.splitlines() if line[:3].strip().isdigit()]
    assert [line.split()[:2] for line in turns][:2] == [["1", "search"], ["2", "visit"]]
    assert max(map(len, short.splitlines())) <= 80
    assert "> search " in full
    assert full.count("The chapel is old.") > 10 > short.count("The chapel is old.")


def test_what_was_shown_is_kept_as_a_picture(webenv: Run, town: Path) -> None:
    """With --svg the screen is kept as an SVG file."""
    done = webenv("play", "town:Town-v0", "--policy", "oracle", "--svg", "screen.svg")
    assert done.returncode == 0
    assert (town / "screen.svg").read_text(encoding="utf-8").startswith("<svg")


def test_a_picture_that_cannot_be_written(webenv: Run) -> None:
    """A picture in a folder that is not there is one clear line."""
    done = webenv("play", "town:Town-v0", "--policy", "oracle", "--svg", "nowhere/screen.svg")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
    assert "nowhere/screen.svg" in done.stderr


def test_parts() -> None:
    """A long page is cut at line ends, else at spaces, else where it must be; nothing but space is lost."""
    text = "\n".join(f"line {number} has a few words" for number in range(200)) + " " + "x" * 900
    parts = parts_of("T", "https://a.example/", text, 300)
    assert all(0 < len(part.text) <= 300 for part in parts)
    assert "".join("".join(part.text.split()) for part in parts) == "".join(text.split())
    assert [part.place for part in parts] == list(range(1, len(parts) + 1))
    assert [len(part.text) for part in parts_of("T", "u", "", 300)] == [0]


RECORD = ("play", "NeedleInWeb-v0", "--web", "sample", "--record", "run", "--name", "Ann")


def test_a_person_plays_into_a_run(webenv: Run, town: Path) -> None:
    """Tasks come one after another, without undo and gold; what was played is kept, and the same command goes on."""
    first = webenv(*RECORD, input="s mill\nu\nanswer No source found.\nq\n")
    assert (first.returncode, first.stderr) == (0, "")
    assert "Nothing can be taken back where it is recorded." in first.stdout
    assert "1 tasks are kept in run, 11 are left" in first.stdout
    assert "gold" not in first.stdout
    second = webenv(*RECORD, input="answer No source found.\n" * 11)
    assert second.returncode == 0, second.stderr
    assert "Run folder: run" in second.stdout
    policy = json.loads((town / "run" / "run.json").read_text())["policy"]
    assert policy == {"name": "Ann", "version": "1", "person": "true", "time_limit": "default"}
    report = webenv("report", "run", "--rows", "difficulty", "--measure", "success,seconds", "--json")
    cells = json.loads(report.stdout)["cells"]
    assert {cell["column"][0] for cell in cells} == {"Ann"}
    assert all(cell["mean"] >= 0 for cell in cells)  # seconds of a person are measured


def test_who_quits_in_the_middle_gave_no_answer(webenv: Run) -> None:
    """A task whose pages were searched is not begun anew; one of which the question alone was read is."""
    first = webenv(*RECORD, input="answer No source found.\ns mill\nq\n")
    assert "You quit in the middle of a task: it counts as not answered." in first.stdout
    assert "2 tasks are kept in run, 10 are left" in first.stdout
    assert "2 tasks are kept in run, 10 are left" in webenv(*RECORD, input="q\n").stdout


def test_a_policy_that_is_not_there(webenv: Run) -> None:
    """A slip in the policy's name is told before anything is shown."""
    done = webenv("play", "town:Town-v0", "--policy", "oracel")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Did you mean 'oracle'" in done.stderr


def test_who_is_late_gave_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the time limit whatever is typed counts as no answer, and took the time of the limit."""
    benchmark = needle_in_web(web="sample")
    policy = by_hand.PersonPolicy(benchmark, "Ann", 900.0, SafeConsole())
    times = iter([0.0, 600.0, 1000.0, 1400.0])
    typed = iter(["s mill", "answer 1"])
    monkeypatch.setattr(by_hand, "_clock", lambda: next(times))
    monkeypatch.setattr(by_hand, "read_line", lambda _: next(typed))
    (record,) = next(iter(play_episodes(benchmark, policy, [EpisodeSpec(benchmark.tasks[0].id, 0, 0)])))
    assert [(turn.kind, turn.effort.seconds) for turn in record.turns] == [("search", 600.0), ("answer", 300.0)]
    assert (record.verdict["outcome"], record.spent["seconds"]) == ("no_source", 900.0)


def test_what_goes_with_record_alone(webenv: Run) -> None:
    """A name, a limit and a choice of tasks are of a recording; a policy is not."""
    for words, message in (
        (("--name", "Ann"), "--name, --time-limit and --each go with --record RUN."),
        (("--record", "run", "--policy", "random"), "--record is for a person and all tasks"),
    ):
        done = webenv("play", "NeedleInWeb-v0", "--web", "sample", *words)
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1)
        assert message in done.stderr
