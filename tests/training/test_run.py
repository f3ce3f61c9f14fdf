from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import pytest

from tests.training.conftest import SMALL, limits, lines, row
from tests.training.test_folder import file_size
from webenv.errors import DataError, InvalidArgument, RunError
from webenv.evaluation.run_dir import check_output
from webenv.judge import Verdict
from webenv.policies.learned.policy import LearnedPolicy
from webenv.training import Limits, Plan, Trained, TrainStanding, read_rows, train


def digest(trained: Trained) -> str:
    return trained.policy.identity["digest"]


def of(plan: Plan, algorithm: str) -> Plan:
    """The same plan for an algorithm."""
    if algorithm == "grpo":
        return plan
    return replace(plan, algorithm="ppo", learner={"n_steps": 8, "n_epochs": 1, "width": 8}, group_size=1)


@pytest.mark.parametrize("algorithm", ["grpo", "ppo"])
def test_resumed(plan: Plan, algorithm: str, tmp_path: Path) -> None:
    """A run that was stopped and taken up comes to the same weights, and to the same rows, as one that was not."""
    plan = of(plan, algorithm)
    whole = train(plan, limits(120), out=tmp_path / "whole")
    train(plan, limits(60), out=tmp_path / "parts", resume=True)
    parts = train(plan, limits(120), out=tmp_path / "parts", resume=True)
    assert digest(parts) == digest(whole) != parts.untrained.identity["digest"]
    assert parts.untrained.identity["digest"] == whole.untrained.identity["digest"]
    first, second = (
        [
            one._replace(
                seconds=0, play_seconds=0, env_seconds=0, learn_seconds=0, menu_seconds=0, cpu_seconds=0, figures={}
            )
            for one in read_rows(tmp_path / name)
        ]
        for name in ("whole", "parts")
    )
    assert first == second
    assert read_rows(tmp_path / "parts")[-1].steps == whole.rows[-1].steps >= 120
    assert LearnedPolicy.load(tmp_path / "parts" / "policy.pt").identity["digest"] == digest(whole)


@pytest.mark.parametrize("steps", [10, 10_000])
def test_an_interrupt_is_told_however_late(plan: Plan, steps: int, tmp_path: Path) -> None:
    """Who asks to stop is heard, in the last update too: nothing else is begun then."""

    def watch(standing: TrainStanding) -> None:
        if standing.rows:
            os.kill(os.getpid(), signal.SIGINT)

    trained = train(plan, limits(steps), out=tmp_path / "run", watch=watch)
    assert (len(trained.rows), trained.stopped) == (1, True)


def test_run_json(plan: Plan, tmp_path: Path) -> None:
    """``run.json`` holds what is trained, on what, with which settings and versions, and how fast that was."""
    trained = train(plan, limits(10), out=tmp_path / "run")
    run = json.loads((tmp_path / "run" / "run.json").read_text())
    assert (run["format"], run["env"]) == ("webenv.training", {"id": "NeedleInWeb-v0", "settings": {"web": "sample"}})
    assert run["benchmark"]["tasks"]["count"] == 12
    assert {"web", "judge", "budget", "rules", "reward"} < set(run["benchmark"])
    assert (run["algorithm"]["name"], run["algorithm"]["settings"]["groups"]) == ("grpo", 2)
    assert run["algorithm"]["settings"]["clip"] == 0.2
    assert (run["num_envs"], run["group_size"], run["seed"]) == (4, 2, 3)
    assert {"webenv", "torch", "gymnasium", "numpy"} <= set(run["versions"])
    assert trained.throughput is not None
    assert run["throughput"] == trained.throughput.to_dict()


def test_lost_updates(plan: Plan, tmp_path: Path) -> None:
    """What came after the last checkpoint of a process that was killed is played again, and comes out the same."""
    whole = train(plan, limits(100), out=tmp_path / "whole")
    train(plan, limits(50), out=tmp_path / "run")
    kept = (tmp_path / "run" / "checkpoint.pt").read_bytes()
    train(plan, limits(100), out=tmp_path / "run", resume=True)
    (tmp_path / "run" / "checkpoint.pt").write_bytes(kept)  # as if the process had been killed before the last one
    assert digest(train(plan, limits(100), out=tmp_path / "run", resume=True)) == digest(whole)
    assert [row.update for row in read_rows(tmp_path / "run")] == [row.update for row in whole.rows]


def test_full_disk(plan: Plan, tmp_path: Path) -> None:
    """On a full disk training goes on, the last whole checkpoint stays, and only the last save of all is an error."""
    folder, told, seen = tmp_path / "run", [], []
    train(plan, limits(20), out=folder)
    kept = {name: (folder / name).read_bytes() for name in ("checkpoint.pt", "policy.pt")}
    size = len((folder / "progress.jsonl").read_bytes())

    def watch(standing: TrainStanding) -> None:
        seen.append(standing.rows[-1].steps)

    with file_size(size + 10), pytest.raises(RunError, match="make room, and take the run up again"):
        train(plan, limits(80, checkpoint=1e-6), out=folder, resume=True, watch=watch, told=told.append)
    assert seen[-1] >= 80
    again = [line for line in told if not line.startswith("TensorBoard's")]
    end = "cannot be written: File too large; what was written before is kept. Training goes on, and tries again."
    assert again == [f"{folder / 'progress.jsonl'} {end}"] * 2  # an update's line, and before a checkpoint
    assert {name: (folder / name).read_bytes() for name in kept} == kept
    whole = train(plan, limits(80), out=tmp_path / "whole")
    assert digest(train(plan, limits(80), out=folder, resume=True)) == digest(whole)
    assert len(lines(folder)) == len(whole.rows)


def test_full_disk_from_the_first(plan: Plan, tmp_path: Path) -> None:
    """Where no checkpoint was ever written the policy alone is kept, and set aside when training begins anew."""
    folder, told = tmp_path / "run", []
    with file_size(30_000), pytest.raises(RunError) as error:
        train(plan, limits(20), out=folder)
    assert "which begins anew, as there is none before" in str(error.value)
    (learned,) = [one.name for one in folder.glob("*.pt")]
    saved = (folder / learned).read_bytes()
    steps = LearnedPolicy.load(folder / learned).saved.steps
    assert str(error.value).endswith(f"{folder / 'policy.pt'} is of {steps} steps.")
    train(plan, limits(1), out=folder, resume=True, told=told.append)
    assert (folder / f"policy-{steps}.pt").read_bytes() == saved
    assert any(f"it is kept as {folder / f'policy-{steps}.pt'}" in line for line in told)


def test_lost_lines(plan: Plan, tmp_path: Path) -> None:
    """Where lines of updates before a checkpoint are lost, that is said, and the next ones are counted on."""
    folder, told = tmp_path / "run", []
    whole = train(plan, limits(60), out=folder).rows
    (folder / "progress.jsonl").write_bytes(whole[0].to_line())
    rows = train(plan, limits(whole[-1].steps + 1), out=folder, resume=True, told=told.append).rows
    assert told == [
        f"progress.jsonl ends at {whole[0].steps} steps, the checkpoint is of {whole[-1].steps}: updates and seconds "
        "are counted on from that line, without what is lost between, and throughput is not measured."
    ]
    assert [row.update for row in rows] == [1, 2]
    assert rows[1].seconds > rows[0].seconds


def test_kept_files(plan: Plan, tmp_path: Path) -> None:
    """No file of a training run may be written anew by another command, under its own name or by a link."""
    train(plan, limits(1), out=tmp_path / "run")
    (tmp_path / "link").symlink_to(tmp_path / "run" / "policy.pt")
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert len(files) >= 5
    for path in (*files, tmp_path / "link"):
        with pytest.raises(InvalidArgument, match="a run is kept in this file"):
            check_output(path)
    check_output(tmp_path / "run" / "view.html")
    check_output(tmp_path / "episodes.jsonl")


def test_refused(plan: Plan, tmp_path: Path) -> None:
    """Another seed, algorithm setting, environment or number of slots is refused in a line that says what differs."""
    folder = tmp_path / "run"
    train(plan, limits(10), out=folder)
    others = {
        "seed = 3, this one has 4": replace(plan, seed=4),
        "algorithm.settings.groups = 2, this one has 3": replace(plan, learner={**plan.learner, "groups": 3}),
        "num_envs = 4, this one has 8": replace(plan, num_envs=8),
        'env.settings.difficulty = null, this one has "easy"': replace(
            plan, settings={"web": "sample", "difficulty": "easy"}
        ),
        'env.id = "NeedleInWeb-v0", this one has "LiveNewsBench-v0"': replace(
            plan, env="LiveNewsBench-v0", settings={"web": "procedural:pages=300"}
        ),
    }
    for what, other in others.items():
        with pytest.raises(RunError) as error:
            train(other, limits(20), out=folder, resume=True)
        assert what in str(error.value)
        assert "name another --out" in str(error.value)
    with pytest.raises(RunError, match="add --resume"):
        train(plan, limits(20), out=folder)


def test_damaged(plan: Plan, tmp_path: Path) -> None:
    """A damaged checkpoint is an error, and nothing of the run is changed by it."""
    train(plan, limits(10), out=tmp_path / "run")
    before = lines(tmp_path / "run")
    (tmp_path / "run" / "checkpoint.pt").write_bytes(b"PK\x03\x04 cut")
    with pytest.raises(DataError, match="Put a whole copy in its place, or delete it"):
        train(plan, limits(20), out=tmp_path / "run", resume=True)
    assert lines(tmp_path / "run") == before


def test_numbers(plan: Plan) -> None:
    """Numbers that do not fit each other are refused before anything is opened or written."""
    cases: list[tuple[str, Plan, Limits]] = [
        ("no algorithm is called 'gppo'", replace(plan, algorithm="gppo"), limits(1)),
        (
            "grpo has no setting 'entrpy'; it has clip, decay_steps, entropy,",
            replace(plan, learner={"entrpy": 1}),
            limits(1),
        ),
        ("epochs='x'; expected a whole number", replace(plan, learner={"epochs": "x"}), limits(1)),
        ("group_size=3: expected 2 or more, and a divisor of num_envs=4", replace(plan, group_size=3), limits(1)),
        ("group_size=1: expected 2 or more", replace(plan, group_size=1), limits(1)),
        ("width=5000: expected at most 4,096", replace(plan, learner={"width": 5000}), limits(1)),
        ("num_envs=80000: expected 1 to 16,384", replace(plan, num_envs=80_000), limits(1)),
        ("would have 4,000,000 steps", replace(of(plan, "ppo"), learner={"n_steps": 10**6}), limits(1)),
        ("num_envs=0", replace(plan, num_envs=0), limits(1)),
        ("steps=0", plan, limits(0)),
        ("seed=-1: expected a whole number from 0", replace(plan, seed=-1), limits(1)),
        ("seed=9223372036854775808: expected", replace(plan, seed=2**63), limits(1)),
        ("learning_rate=inf: expected a finite", replace(plan, learner={"learning_rate": float("inf")}), limits(1)),
        ("give minutes, steps, or both", plan, Limits(None, None)),
        ("minutes=nan", plan, Limits(float("nan"))),
    ]
    for what, other, how_long in cases:
        with pytest.raises(InvalidArgument) as error:
            train(other, how_long, out="/nowhere")
        assert what in str(error.value)


class _Silent:
    """A judge that comes to no verdict."""

    identity: ClassVar = {"name": "silent", "version": "1"}

    def score(self, submissions: list[Any]) -> list[Verdict]:
        return [Verdict.unscored("it said nothing", "silent") for _ in submissions]


def test_nothing_scored(plan: Plan, tmp_path: Path) -> None:
    """Where no episode is scored, nothing can be learned: the run ends and says what to do."""
    unscored = replace(plan, settings={"web": "sample", "judge": _Silent()})
    with pytest.raises(RunError, match=r"none of the first \d+ episodes was scored, so nothing can be learned"):
        train(unscored, limits(1000), out=tmp_path / "run")


def test_nothing_ended_yet(plan: Plan, tmp_path: Path) -> None:
    """Updates in which no episode has ended say nothing about scores."""
    short = replace(of(plan, "ppo"), learner={"n_steps": 1, "n_epochs": 1, "width": 8}, num_envs=1, seed=0)
    rows = train(short, limits(12), out=tmp_path / "run").rows
    found = {row.success for row in rows if not row.episodes}
    assert found == {None}  # a policy that knows nothing does not answer at every one of twelve steps


class _Doubting:
    """A judge that comes to no verdict on every third submission; of the others every second is right."""

    identity: ClassVar = {"name": "doubting", "version": "1"}

    def __init__(self) -> None:
        self.said: list[Verdict] = []

    def score(self, submissions: list[Any]) -> list[Verdict]:
        first = len(self.said)
        self.said += [self._verdict(first + number) for number, _ in enumerate(submissions)]
        return self.said[first:]

    def _verdict(self, number: int) -> Verdict:
        if number % 3 == 2:
            return Verdict.unscored("it said nothing", "doubting")
        return Verdict("said", float(number % 3), "", "doubting")


@pytest.mark.parametrize("algorithm", ["grpo", "ppo"])
def test_unscored(plan: Plan, algorithm: str, tmp_path: Path) -> None:
    """Episodes that a judge leaves unscored are counted, and are in no success."""
    judge = _Doubting()
    settings = {"web": "sample", "judge": judge, "budget": {"turns": 3}}
    rows = train(replace(of(plan, algorithm), settings=settings), limits(150), out=tmp_path / "run").rows
    unscored = [verdict for verdict in judge.said if verdict.value is None]
    assert sum(row.unscored for row in rows) == len(unscored) >= 10
    assert sum(row.episodes for row in rows) == len(judge.said) - len(unscored)
    right = sum(verdict.value or 0 for verdict in judge.said)
    assert sum(row.episodes * (row.success or 0) for row in rows) == pytest.approx(right)


def test_diverged(plan: Plan, tmp_path: Path) -> None:
    """Where a weight leaves all bounds the run ends before it is kept; the policy that was kept before stays."""
    rates = {"learning_rate": 1e-6, "learning_rate_end": 1e15, "decay_steps": 100}  # the first update is harmless
    settings = {"web": "sample", "judge": _Doubting()}  # some right and some wrong, or there is nothing to learn
    wild = replace(plan, learner={**SMALL, **rates}, settings=settings)
    with pytest.raises(RunError, match=r"a weight is .*, so training has diverged and ends; the checkpoint of"):
        train(wild, limits(400, checkpoint=1e-6), out=tmp_path / "run")
    assert LearnedPolicy.load(tmp_path / "run" / "policy.pt").saved.largest < 10


def test_share() -> None:
    """A run has come as far as the nearer of its limits."""
    third = row(3)
    assert Limits(10, None).share(None) == 0.0
    assert Limits(10, None).share(third) == 0.05
    assert Limits(10, 600).share(third) == 0.5
    assert Limits(None, 100).share(third) == 1.0


def test_unregistered(plan: Plan, tmp_path: Path) -> None:
    """An unknown environment is refused with the nearest known one."""
    assert "NeedleWeb-v0" not in gymnasium.registry
    with pytest.raises(InvalidArgument, match="Did you mean 'NeedleInWeb-v0'"):
        train(replace(plan, env="NeedleWeb-v0"), limits(10), out=tmp_path / "run")
