from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

import webenv
from webenv import Benchmark, Budget, Decision, Failure, History, SearchEnv, Submission, TaskSet, Verdict
from webenv.corpora import Corpus
from webenv.envs.needle_in_web import needle_in_web
from webenv.errors import InvalidArgument, RunError
from webenv.evaluation import RunProgress, evaluate, read_records
from webenv.evaluation.run import default_folder
from webenv.policies import KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.rewards import PageJudge, StandardReward


def lines(folder: Path) -> list[bytes]:
    return sorted((folder / "episodes.jsonl").read_bytes().splitlines())


class Flaky(RandomPolicy):
    """The random policy, which fails on some tasks until it is mended."""

    def __init__(self, fails: str) -> None:
        self.fails = fails

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        decisions = super().act(histories)
        return [
            Failure("quota") if self.fails in history.task_id else decision
            for history, decision in zip(histories, decisions, strict=True)
        ]


def test_oracle(benchmark: Benchmark, tmp_path: Path) -> None:
    """Each task is played once; the oracle is right on all, by each tag too."""
    summary = evaluate(benchmark, OraclePolicy(benchmark.tasks), out=tmp_path / "run")
    assert (summary.total.episodes, summary.total.success_rate, summary.total.turns) == (9, 1.0, 1.0)
    assert list(summary.by_tag) == ["difficulty", "site"]
    assert list(summary.by_tag["difficulty"]) == ["easy", "medium", "hard"]
    assert summary.outcomes == {"ground_truth_match": 9}
    assert (summary.notes, summary.warning) == ((), "")
    assert summary.folder == str(tmp_path / "run")


def test_run_file(benchmark: Benchmark, tmp_path: Path) -> None:
    """run.json holds all that is needed to repeat the run."""
    env = gymnasium.make(
        "NeedleInWeb-v0", web="sample", difficulty="easy", budget={"searches": 3}, disable_env_checker=True
    )
    evaluate(env, KeywordPolicy(), seed=5, episodes=2, out=tmp_path / "run")
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert run["env"] == {
        "id": "NeedleInWeb-v0",
        "settings": {"web": "sample", "difficulty": "easy", "budget": {"searches": 3}},
    }
    assert run["benchmark"]["budget"]["searches"] == 3
    assert len(run["benchmark"]["tasks"]["digest"]) == 64
    assert run["benchmark"]["judge"]["name"] == "page"
    assert "digest" in run["benchmark"]["web"]
    assert run["policy"] == {"name": "keyword", "version": "4", "visits": "5"}
    assert (run["seed"], run["episodes"], run["attempts"]) == (5, 2, 1)
    assert run["versions"]["webenv"] == webenv.__version__
    assert set(run["versions"]) == {"webenv", "python", "gymnasium", "numpy", "tantivy", "trafilatura"}


def test_same_by_id_and_by_environment(tmp_path: Path) -> None:
    """An id with settings and the environment made of them are the same run."""
    settings = {"web": "sample", "difficulty": "hard"}
    one = evaluate("NeedleInWeb-v0", KeywordPolicy(), settings=settings, out=tmp_path / "a")
    env = gymnasium.make("NeedleInWeb-v0", disable_env_checker=True, web="sample", difficulty="hard")
    two = evaluate(env, KeywordPolicy(), out=tmp_path / "b")
    assert replace(one, folder="") == replace(two, folder="")
    assert (tmp_path / "a/run.json").read_bytes() == (tmp_path / "b/run.json").read_bytes()
    assert lines(tmp_path / "a") == lines(tmp_path / "b")


def test_resume_after_the_end(benchmark: Benchmark, tmp_path: Path) -> None:
    """Resuming a finished run plays nothing and gives the same summary."""
    first = evaluate(benchmark, RandomPolicy(), episodes=12, out=tmp_path / "run")
    before = (tmp_path / "run/episodes.jsonl").read_bytes()
    assert evaluate(benchmark, RandomPolicy(), out=tmp_path / "run", resume=True) == first
    assert (tmp_path / "run/episodes.jsonl").read_bytes() == before


def test_more_episodes(benchmark: Benchmark, tmp_path: Path) -> None:
    """A run can be resumed with more episodes: together they are those of one long run."""
    evaluate(benchmark, RandomPolicy(), episodes=5, out=tmp_path / "run")
    longer = evaluate(benchmark, RandomPolicy(), episodes=20, out=tmp_path / "run", resume=True)
    whole = evaluate(benchmark, RandomPolicy(), episodes=20, out=tmp_path / "whole")
    assert replace(longer, folder="") == replace(whole, folder="")
    assert lines(tmp_path / "run") == lines(tmp_path / "whole")
    with pytest.raises(RunError, match="holds more than this run has"):
        evaluate(benchmark, RandomPolicy(), episodes=10, out=tmp_path / "run", resume=True)


def test_resume_nothing(benchmark: Benchmark, tmp_path: Path) -> None:
    """Resuming where nothing was begun begins."""
    summary = evaluate(benchmark, RandomPolicy(), episodes=3, out=tmp_path / "run", resume=True)
    assert summary.total.episodes == 3


PAGE = {"url": "https://a.example/", "title": "A", "text": "Another web."}


class OtherJudge(PageJudge):
    identity: Mapping[str, str] = {"name": "other"}


def test_other_run(benchmark: Benchmark, tmp_path: Path) -> None:
    """A run is refused whose judge, budget, tasks, reward, policy or seed differs, by the name of the part."""
    evaluate(benchmark, RandomPolicy(), out=tmp_path / "run")
    others: list[tuple[str, dict[str, Any]]] = [
        ("benchmark.judge.name", {"env": replace(benchmark, judge=OtherJudge())}),
        ("benchmark.budget.searches", {"env": replace(benchmark, budget=Budget(4, 3, 0, 8))}),
        ("benchmark.tasks.digest", {"env": replace(benchmark, tasks=TaskSet(benchmark.tasks[:8], name="places"))}),
        (
            "benchmark.reward.name",
            {"env": replace(benchmark, reward=StandardReward({"answer": 1.0, "cost": 0.1}))},
        ),
        ("benchmark.web.digest", {"env": replace(benchmark, web=Corpus.of([PAGE]))}),
        ("policy.name", {"policy": KeywordPolicy()}),
        ("seed", {"seed": 1}),
    ]
    for part, change in others:
        how: dict[str, Any] = {"env": benchmark, "policy": RandomPolicy(), **change}
        with pytest.raises(RunError) as caught:
            evaluate(**how, out=tmp_path / "run", resume=True)
        assert f"holds a run with {part} = " in str(caught.value)


def test_other_settings(tmp_path: Path) -> None:
    """A run with other keyword arguments of the environment is refused by their name."""
    evaluate(
        "NeedleInWeb-v0", KeywordPolicy(), episodes=1, out=tmp_path / "run", settings={"web": "sample", "flagged": True}
    )
    with pytest.raises(RunError, match=r"env\.settings\.flagged = true, this one has null"):
        evaluate("NeedleInWeb-v0", KeywordPolicy(), out=tmp_path / "run", resume=True, settings={"web": "sample"})


def test_other_versions(benchmark: Benchmark, tmp_path: Path) -> None:
    """Going on with other versions is allowed, is told, and is recorded."""
    evaluate(benchmark, RandomPolicy(), episodes=2, out=tmp_path / "run")
    file = tmp_path / "run/run.json"
    run = json.loads(file.read_text())
    now, run["versions"]["tantivy"] = run["versions"], "0.1"
    file.write_text(json.dumps(run))
    summary = evaluate(benchmark, RandomPolicy(), episodes=4, out=tmp_path / "run", resume=True)
    assert len(summary.notes) == 1
    assert "other versions: tantivy 0.1 → " in summary.notes[0]
    run = json.loads(file.read_text())
    assert run["versions"]["tantivy"] == "0.1"
    assert [versions["numpy"] for versions in run["resumed_with"]] == [now["numpy"]]


def test_retry_unscored(benchmark: Benchmark, tmp_path: Path) -> None:
    """Unscored episodes are played again on demand; the later record counts, and each episode once."""
    first = evaluate(benchmark, Flaky("north"), out=tmp_path / "run")
    assert (first.total.episodes, first.total.unscored) == (9, 3)
    assert first.unscored == {"policy_failed: quota": 3}
    kept = evaluate(benchmark, Flaky(" "), out=tmp_path / "run", resume=True)
    assert kept.total.unscored == 3
    again = evaluate(benchmark, Flaky(" "), out=tmp_path / "run", resume=True, retry_unscored=True)
    assert (again.total.episodes, again.total.unscored) == (9, 0)
    assert len(list(read_records(tmp_path / "run"))) == 12
    whole = evaluate(benchmark, Flaky(" "), out=tmp_path / "whole")
    assert replace(again, folder="") == replace(whole, folder="")


def test_warning(benchmark: Benchmark, tmp_path: Path) -> None:
    """If none of the first 20 episodes is scored, the run goes on, and the summary says why."""
    summary = evaluate(benchmark, Flaky(""), episodes=30, parallel=5, out=tmp_path / "run")
    assert summary.total.unscored == 30
    assert summary.warning == "none of the first 20 episodes was scored: policy_failed: quota"
    assert evaluate(benchmark, Flaky("north"), out=tmp_path / "other").warning == ""


class Fractional(PageJudge):
    """Half a point for any page."""

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return [
            verdict if verdict.value != 0 else Verdict("near", 0.5, "", "half")
            for verdict in super().score(submissions)
        ]


def test_partly_right(benchmark: Benchmark, tmp_path: Path) -> None:
    """A value below 1 counts in the mean value and not as a success."""
    total = evaluate(replace(benchmark, judge=Fractional()), RandomPolicy(), episodes=40, out=tmp_path / "run").total
    assert total.value is not None
    assert total.success_rate is not None
    assert 0 < total.success_rate < total.value < 1


def test_watch(benchmark: Benchmark, tmp_path: Path) -> None:
    """A watcher hears where the run stands, from the beginning, episodes of before included."""
    evaluate(benchmark, RandomPolicy(), episodes=3, out=tmp_path / "run")
    heard: list[RunProgress] = []
    evaluate(benchmark, Flaky("north"), episodes=9, out=tmp_path / "run", resume=True, watch=heard.append)
    assert (heard[0].done, heard[0].total) == (3, 9)
    assert heard[-1].done == 9
    assert [standing.done for standing in heard] == sorted(standing.done for standing in heard)


def test_interrupt(benchmark: Benchmark, tmp_path: Path) -> None:
    """Ctrl-C passes through; what was finished is kept, the folder is free, and the run can go on."""

    def stop(standing: RunProgress) -> None:
        if standing.done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(benchmark, RandomPolicy(), parallel=2, out=tmp_path / "run", watch=stop)
    assert 4 <= len(list(read_records(tmp_path / "run"))) < 9
    resumed = evaluate(benchmark, RandomPolicy(), out=tmp_path / "run", resume=True)
    whole = evaluate(benchmark, RandomPolicy(), out=tmp_path / "whole")
    assert replace(resumed, folder="") == replace(whole, folder="")


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"episodes": 0}, "episodes=0"),
        ({"attempts": 0}, "attempts=0"),
        ({"parallel": 0}, "parallel=0"),
        ({"resume": True}, "resume needs the folder"),
        ({"retry_unscored": True}, "retry_unscored goes with resume"),
        ({"settings": {"a": 1}}, "settings go with the id"),
    ],
)
def test_bad_arguments(benchmark: Benchmark, how: dict[str, Any], message: str) -> None:
    """Arguments out of range are refused before anything is written."""
    with pytest.raises(InvalidArgument, match=message):
        evaluate(benchmark, RandomPolicy(), **how)


def test_environment(benchmark: Benchmark, tmp_path: Path) -> None:
    """An environment that gymnasium did not make goes by its benchmark's name."""
    assert evaluate(SearchEnv(benchmark), RandomPolicy(), episodes=1, out=tmp_path / "run").env == "Places-v0"


def test_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a folder the run goes to one of its own under runs/, even twice in a second."""
    monkeypatch.chdir(tmp_path)
    names = []
    for _ in range(3):
        path = default_folder("NeedleInWeb-v0", "react:lab/model")
        path.mkdir(parents=True)
        names.append(path)
    assert len(set(names)) == 3
    assert all(str(path).startswith("runs/NeedleInWeb-v0-react-lab-model-2") for path in names)


ORACLE = OraclePolicy(needle_in_web(web="sample").tasks)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A run of one episode on the sample web."""
    evaluate("NeedleInWeb-v0", ORACLE, settings={"web": "sample"}, episodes=1, out=tmp_path / "run")
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("file", "part", "value", "message"),
    [
        *(
            ("run.json", part, value, f"is damaged: {part} in run.json")
            for part, value in (("episodes", "x"), ("attempts", None), ("versions", None), ("resumed_with", 5))
        ),
        *(
            ("episodes.jsonl", part, value, r"episodes\.jsonl, line 1 is damaged")
            for part, value in (
                ("spent", None), ("verdict", {}), ("task", ["x"]), ("scored", "x"), ("reward", "1"), ("tags", 3),
            )
        ),
    ],
)  # fmt: skip
def test_what_is_damaged_is_named(played: Path, file: str, part: str, value: object, message: str) -> None:
    """A run.json or a record whose parts are of other types is refused in one line that names the part, or the line."""
    data = json.loads((played / file).read_text())
    (played / file).write_text(json.dumps(data | {part: value}) + "\n")
    with pytest.raises(RunError, match=message):
        evaluate("NeedleInWeb-v0", ORACLE, settings={"web": "sample"}, out=played, resume=True)
