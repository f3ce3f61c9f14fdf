"""Which runs a page shows, in which order, and under which names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.viewing.episodes import GOLD, episode, turn
from tests.viewing.hostile_run import write_run
from tests.viewing.parts import Parts
from webenv.errors import InvalidArgument, RunError, WebenvError
from webenv.evaluation import evaluate, rescore
from webenv.policies.registry import make_policy
from webenv.rewards import make_judge
from webenv.viewing import write_view

ANSWER = turn("answer", GOLD)


def run_of(folder: Path, policy: str, *numbers: int, **about: Any) -> Path:
    records = [episode(ANSWER, task=f"t/{number}") for number in numbers]
    return write_run(folder, records, policy={"name": policy}, **about)


def overview(page: Path) -> Any:
    return Parts(page).data("overview")


def test_one_run(tmp_path: Path) -> None:
    """A run is shown in the order of its tasks' ids, numbers by their size, under its policy's name."""
    view = write_view(run_of(tmp_path / "run", "keyword", 10, 9, 2))
    data = overview(view.path)
    assert view.path == tmp_path / "run" / "view.html"
    assert [row["task"] for row in data["episodes"]] == ["t/2", "t/9", "t/10"]
    assert [run["label"] for run in data["runs"]] == ["keyword"]
    assert (view.episodes, view.size) == (3, view.path.stat().st_size)


def test_several_policies(tmp_path: Path) -> None:
    """A folder of runs is shown with all of them, also one of a sweep, two levels down; one without episodes is not."""
    run_of(tmp_path / "runs" / "searches-1" / "keyword", "keyword", 1)
    run_of(tmp_path / "runs" / "searches-10" / "keyword", "keyword", 1)
    run_of(tmp_path / "runs" / "searches-10" / "oracle", "oracle")
    view = write_view(tmp_path / "runs")
    data = overview(view.path)
    assert view.path == tmp_path / "runs" / "view.html"
    assert [Path(run["folder"]).parent.name for run in data["runs"]] == ["searches-1", "searches-10"]
    assert len({run["label"] for run in data["runs"]}) == 2
    assert data["pair"] is None


def test_two_runs(tmp_path: Path) -> None:
    """With another run, two of one policy are laid side by side at first, under the names that set them apart."""
    first, second = run_of(tmp_path / "a", "keyword", 1), run_of(tmp_path / "b", "keyword", 1)
    data = overview(write_view(first, second, tmp_path / "pair.html").path)
    assert data["pair"] == [0, 1]
    assert [run["label"] for run in data["runs"]] == ["a", "b"]


def test_policies_of_one_name(tmp_path: Path) -> None:
    """Runs of policies of one name are told apart by as much of their folders' paths as it takes."""
    for name in ("grpo-40", "untrained"):
        run_of(tmp_path / "runs" / "test" / name, "learned", 1)
    run_of(tmp_path / "runs" / "test" / "keyword", "keyword", 1)
    labels = [run["label"] for run in overview(write_view(tmp_path / "runs").path)["runs"]]
    assert labels == ["grpo-40", "keyword", "untrained"]
    run_of(tmp_path / "runs" / "all" / "keyword", "keyword", 1)
    labels = [run["label"] for run in overview(write_view(tmp_path / "runs").path)["runs"]]
    assert labels == ["all/keyword", "test/grpo-40", "test/keyword", "test/untrained"]


def test_runs_without_a_task_in_common(tmp_path: Path) -> None:
    """Two runs that share no episode are shown, and it is said that nothing can be laid side by side."""
    first, second = run_of(tmp_path / "a", "keyword", 1), run_of(tmp_path / "b", "oracle", 2)
    view = write_view(first, second)
    assert view.notes == (f"{first} and {second} share no task and attempt: there is nothing to lay side by side.",)


def test_a_killed_run(tmp_path: Path) -> None:
    """A last line that is cut is passed over, and the page says how many episodes are there of how many."""
    run = run_of(tmp_path / "run", "keyword", 1, 2, episodes=5, attempts=1)
    with open(run / "episodes.jsonl", "ab") as file:
        file.write(b'{"task":"t/3","att')
    view = write_view(run)
    assert view.episodes == 2
    assert view.notes == (f"2 of 5 episodes have ended: the run in {run} is not finished.",)


def test_an_episode_that_was_played_again(tmp_path: Path) -> None:
    """Of two records of one episode the later one counts."""
    records = [episode(ANSWER, value=None), episode(ANSWER, value=1.0)]
    view = write_view(write_run(tmp_path / "run", records))
    (row,) = overview(view.path)["episodes"]
    assert (row["value"], view.summaries[0].total.unscored) == (1.0, 0)


def test_a_file_of_episodes(tmp_path: Path) -> None:
    """A file of episodes is shown without a run.json; it cannot be forked then, and that is said."""
    file = tmp_path / "kept.jsonl"
    file.write_bytes(episode(ANSWER).to_line())
    view = write_view(file)
    (run,) = overview(view.path)["runs"]
    assert (view.path, run["folder"]) == (tmp_path / "view.html", None)
    assert view.notes == ("There is no run.json beside these episodes: what was run is not known.",)


def test_rescored(tmp_path: Path) -> None:
    """A rescored run has what the other judge found; its folder is shown with that judge's verdicts, beside the run."""
    run = tmp_path / "run"
    evaluate("NeedleInWeb-v0", make_policy("keyword"), settings={"web": "sample"}, out=run)
    rescored = Path(rescore(run, make_judge("page")).folder)
    lines = [json.loads(line) for line in (rescored / "verdicts.jsonl").read_text().splitlines()]
    right = next(line for line in lines if line["verdict"]["value"] == 1.0)
    right["verdict"] |= {"outcome": "wrong_page", "value": 0.0, "explanation": "not so"}
    right["reward"] = 0.0
    (rescored / "verdicts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    changed = (right["task"], right["attempt"])

    page = Parts(write_view(run).path)
    rows = {(row["task"], row["attempt"]): row for row in page.data("overview")["episodes"]}
    assert [key for key, row in rows.items() if row["turned"]] == [changed]
    (other,) = page.episode(rows[changed])["others"]
    assert (other["name"], other["verdict"]["explanation"], other["stale"]) == (rescored.name, "not so", False)

    view = write_view(run, rescored, tmp_path / "judges.html")
    assert [summary.total.successes for summary in view.summaries] == [1, 0]
    page = Parts(view.path)
    data = page.data("overview")
    assert [run["label"] for run in data["runs"]] == ["page", rescored.name]
    assert {run["folder"] for run in data["runs"]} == {str(run)}
    (row,) = [row for row in data["episodes"] if row["run"] == 1 and (row["task"], row["attempt"]) == changed]
    assert (row["outcome"], row["reward"]) == ("wrong_page", 0.0)
    assert [one["name"] for one in page.episode(row)["others"]] == ["run"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "{0}: there is no such folder; name the folder of a run."),
        ("empty", "{0} holds no run.json and no episodes.jsonl: name the folder of a run, or of several."),
        ("begun", "{0} holds no finished episode yet; there is nothing to show until one has ended."),
        ("page.txt", "{0} holds no episodes of a run (Expecting value: line 1 column 1 (char 0)): name the folder"),
        ("damaged", "{0}/episodes.jsonl, line 2 is damaged (not a record of an episode: KeyError('task')); delete"),
        ("bent", "{0}/episodes.jsonl, line 1 is damaged (not a record of an episode: KeyError('pages')); delete"),
        ("foreign", "{0}/run.json is not of the format webenv.run 1, which this webenv reads."),
    ],
)
def test_what_cannot_be_shown(tmp_path: Path, name: str, message: str) -> None:
    """What is no run, holds no episode or is damaged is refused in one line, and no page is written."""
    run_of(tmp_path / "begun", "keyword")
    (tmp_path / "empty").mkdir()
    (tmp_path / "page.txt").write_text("no episodes\n")
    with open(run_of(tmp_path / "damaged", "keyword", 1) / "episodes.jsonl", "ab") as file:
        file.write(b"{}\n")
    bent = json.loads(episode(ANSWER).to_line())
    del bent["turns"][0]["observation"]["pages"]
    run_of(tmp_path / "bent", "keyword")
    (tmp_path / "bent" / "episodes.jsonl").write_text(json.dumps(bent) + "\n")
    run_of(tmp_path / "foreign", "keyword", 1)
    (tmp_path / "foreign" / "run.json").write_text("{}")
    with pytest.raises(RunError) as refused:
        write_view(tmp_path / name)
    assert str(refused.value).startswith(message.format(tmp_path / name))
    assert list(tmp_path.rglob("*.html")) == []


def test_a_run_beside_itself(tmp_path: Path) -> None:
    """A run cannot be compared with itself, under whatever path."""
    run = run_of(tmp_path / "run", "keyword", 1)
    with pytest.raises(InvalidArgument, match=r"given twice; name another run"):
        write_view(run, tmp_path / "run" / ".." / "run")


def test_a_training_run(tmp_path: Path) -> None:
    """Of a training run it is said where its episodes are."""
    (tmp_path / "evaluation").mkdir()
    (tmp_path / "run.json").write_text('{"format": "webenv.training", "version": 1}')
    with pytest.raises(RunError, match=r"folder of a training run; .* are in .*/evaluation: name that"):
        write_view(tmp_path)


def test_what_is_read_stays(tmp_path: Path) -> None:
    """A page replaces no file that a run is kept in, and none that it is made of."""
    run = run_of(tmp_path / "run", "keyword", 1)
    kept = tmp_path / "kept.jsonl"
    kept.write_bytes(episode(ANSWER).to_line())
    for read, out in ((run, run / "run.json"), (run, run / "episodes.jsonl"), (kept, kept)):
        before = out.read_bytes()
        with pytest.raises(InvalidArgument, match="would be lost; name another"):
            write_view(read, out=out)
        assert out.read_bytes() == before


@pytest.mark.parametrize("out", ["taken", "nowhere/view.html"])
def test_where_no_page_can_be_written(tmp_path: Path, out: str) -> None:
    """A page that cannot be written leaves nothing behind."""
    run = run_of(tmp_path / "run", "keyword", 1)
    (tmp_path / "taken").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(WebenvError):
        write_view(run, out=tmp_path / out)
    assert sorted(tmp_path.rglob("*")) == before
