"""NeedleInWeb-v0 on a generated web: its tasks, its judge, and what is refused."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import webenv
from tests.webs import benchmark_of, cache_without_tasks, check_snapshots
from webenv.corpora.procedural import WebConfig, Worlds
from webenv.corpora.world import WorldWeb
from webenv.envs.generated_tasks import generated_count
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, SimulatedNeedles, simulated_source
from webenv.errors import InvalidArgument, UnknownTask
from webenv.policies import KeywordPolicy, OraclePolicy, RandomPolicy
from webenv.policy import Decision, History, Policy
from webenv.task import Gold, Task, TaskSet

WEB = "procedural:pages=200,seed=4"
MAKE = {"web": WEB, "tasks": "generated:count=12"}


def make(**settings: Any) -> gym.Env[Any, Any]:
    return gym.make("NeedleInWeb-v0", **{**MAKE, **settings})


def mean(env: gym.Env[Any, Any], policy: Policy, count: int = 36) -> float:
    """The mean reward over the first tasks; every episode is scored."""
    rewards = []
    for task in benchmark_of(env).tasks[:count]:
        observation, info = env.reset(options={"task": task.id})
        history = History(info["task"], 0, [observation])
        done = False
        while not done:
            decision = policy.act([history])[0]
            assert isinstance(decision, Decision)
            observation, reward, terminated, truncated, info = env.step(decision.action)
            history.decisions.append(decision)
            history.observations.append(observation)
            done = terminated or truncated
        assert info["scored"]
        rewards.append(float(reward))
    return sum(rewards) / len(rewards)


# ── the environment ───────────────────────────────────────────────────────────


def test_check_env() -> None:
    """gymnasium's own checker finds nothing, not even something to warn of."""
    check_env(make().unwrapped)


def test_what_it_is_made_of() -> None:
    """A procedural web brings generated tasks and the exact judge; its parts are told."""
    identity = benchmark_of(gym.make("NeedleInWeb-v0", web=WEB)).identity
    tasks = identity["tasks"]
    assert (tasks["name"], tasks["count"]) == ("procedural:pages=200,seed=4", 1800)
    assert identity["judge"] == {"name": "exact", "version": "1", "web": tasks["name"], "holds": "key"}
    assert identity["web"]["name"] == "corpus"
    assert identity["budget"]["turns"] == 20


def test_the_oracle_is_always_right() -> None:
    """The gold page gets 1 from the exact judge and from the page judge; a blind policy next to nothing."""
    for judge in ("exact", "page"):
        env = make(judge=judge)
        assert mean(env, OraclePolicy(benchmark_of(env).tasks)) == 1.0
    assert mean(make(), RandomPolicy()) < 0.2
    assert mean(make(difficulty="easy"), KeywordPolicy(), 12) > 0.2


def test_the_procedural_web_is_the_default() -> None:
    """Without a keyword the first training world is used, with generated tasks and the exact judge."""
    assert (
        benchmark_of(gym.make("NeedleInWeb-v0")).identity
        == benchmark_of(gym.make("NeedleInWeb-v0", web="procedural:seed=0", split="train", judge="exact")).identity
    )


def test_the_sample_has_tasks_of_its_own() -> None:
    """On the sample web its twelve tasks are used, and the page judge."""
    identity = benchmark_of(gym.make("NeedleInWeb-v0", web="sample")).identity
    assert (identity["tasks"]["count"], identity["judge"]["name"]) == (12, "page")


def test_determinism_over_processes(tmp_path: Path) -> None:
    """Another process, with other hashes, draws the same tasks and finds the same."""
    program = (
        "import gymnasium as gym, json, webenv\n"
        f"env = gym.make('NeedleInWeb-v0', **{MAKE!r})\n"
        "first = [env.reset(seed=9)[0]['question'], env.reset()[1]['task']]\n"
        "step = env.step(webenv.search('with some stone'))\n"
        "print(json.dumps([first, step[0]['results'], env.unwrapped.benchmark.identity]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "WEBENV_CACHE": cache_without_tasks(tmp_path), "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(program, {})
    assert done.stdout == out.getvalue()
    assert len(json.loads(done.stdout)[1]) == 10


def test_nothing_shown_depends_on_the_gold() -> None:
    """With every task's gold and id replaced, observations, rewards but for the end, and infos stay the same."""
    env = make()
    before = benchmark_of(env)
    other = before.web.visit([webenv.VisitRequest(before.tasks[3].gold.urls[0])])[0]
    assert isinstance(other, webenv.Page)
    changed = [
        replace(task, id=f"t{n}", gold=Gold(urls=(other.url,), claims=("x",))) for n, task in enumerate(before.tasks)
    ]
    twin = webenv.SearchEnv(replace(before, tasks=TaskSet(changed)))
    words = ["animal", "some stone", "in the story of"]
    for number, task in enumerate(before.tasks[:9]):
        seen = [env.reset(options={"task": task.id}), twin.reset(options={"task": f"t{number}"})]
        assert not any(url in str(seen[0]) for url in task.gold.urls)
        seen[0][1].pop("task"), seen[1][1].pop("task")
        assert data_equivalence(seen[0], seen[1], exact=True)
        for word in words:
            steps = [env.step(webenv.search(word)), twin.step(webenv.search(word))]
            assert steps[0][4].pop("task") == task.id
            steps[1][4].pop("task")
            assert data_equivalence(steps[0], steps[1], exact=True)


def test_ids_tell_nothing() -> None:
    """A task's id is the web, the difficulty and a number; neither gold address nor all claims stand in a question."""
    for task in benchmark_of(make()).tasks:
        name, difficulty, number = task.id.split("/")
        assert (name, difficulty) == ("pages=200,seed=4", task.tags["difficulty"])
        assert number.isdigit()
        assert not any(url in task.question or url in task.id for url in task.gold.urls)
        assert not all(claim in task.question for claim in task.gold.claims)


def test_snapshots_and_forks() -> None:
    """A snapshot goes through JSON into another environment of the same settings; a fork goes its own way."""
    check_snapshots(make)


def test_vector_environments() -> None:
    """Sixteen slots in groups of four play generated tasks, judged in one batch."""
    envs = gym.make_vec("NeedleInWeb-v0", num_envs=16, group_size=4, **MAKE)
    observations, infos = envs.reset(seed=0)
    assert all(len(set(group)) == 1 for group in infos["task"].reshape(4, 4).tolist())
    tasks = envs.unwrapped.benchmark.tasks  # type: ignore[attr-defined]
    golds = [tasks.find(name).gold.urls[0] for name in infos["task"].tolist()]
    _, rewards, terminated, _, _ = envs.step([webenv.answer(url) for url in golds])
    assert terminated.all()
    assert rewards.tolist() == [1.0] * 16
    assert observations["budget"].shape == (16, 4)
    envs.close()


# ── splits ────────────────────────────────────────────────────────────────────


def test_splits_are_worlds() -> None:
    """Each split has a world of its own: no page, and no task, of one is in another."""
    made = {split: benchmark_of(make(split=split)) for split in ("train", "validation", "test")}
    assert made["train"].identity == benchmark_of(make()).identity
    golds = {split: {task.gold.urls[0] for task in found.tasks} for split, found in made.items()}
    assert {task.tags["split"] for task in made["test"].tasks} == {"test"}
    assert not golds["train"] & golds["test"]
    assert not golds["validation"] & golds["test"]
    same = benchmark_of(make(web=f"{WEB},split=test", split="test"))
    assert same.identity == made["test"].identity == benchmark_of(make(web=f"{WEB},split=test")).identity


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": ["train", "test"]}, "procedural web: split="),
        ({"web": "procedural:pages=0"}, "procedural web: pages=0; expected a whole number from 60"),
        ({"web": "procedural:page=100"}, "no dial 'page'. Did you mean 'pages'"),
        ({"web": "procedural:seed=x"}, "seed='x'"),
        ({"difficulty": "esay"}, "no task has difficulty='esay'. Did you mean 'easy'"),
        ({"difficulty": "Auto"}, "no task has difficulty='Auto'. Did you mean 'auto'"),
        ({"site": "newspaper"}, "no task has site='newspaper'"),
        ({"tasks": "generated:count=0"}, "expected a count from 1 to"),
        ({"tasks": "generated:count=1e3"}, "expected a count from 1 to"),
        ({"judge": "exact", "web": "sample", "tasks": None}, "judges generated tasks alone"),
        ({"judge": "exact", "tasks": TaskSet([Task("t", "Which?")])}, "judges generated tasks alone"),
        ({"judge": "exact", "judge_prompt": "entailed"}, "takes no model name and no prompt"),
        ({"judge_prompt": "entailed"}, "takes no model name and no prompt"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    """Settings that are unknown, out of range or at odds are refused with what to do."""
    with pytest.raises(InvalidArgument) as refused:
        make(**settings)
    assert message in str(refused.value)


def test_tasks_of_another_web_are_refused() -> None:
    """Generated tasks given as a task set must be of the web that they are put on."""
    tasks = GeneratedSimulatedNeedles(simulated_source(Worlds(WebConfig(pages=200, seed=8))), 2)
    with pytest.raises(InvalidArgument, match="expected tasks of the same web"):
        make(tasks=tasks)
    assert benchmark_of(make(web="procedural:pages=200,seed=8", tasks=tasks)).judge.identity["name"] == "exact"


# ── the task set ──────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def tasks() -> GeneratedSimulatedNeedles:
    return GeneratedSimulatedNeedles(simulated_source(Worlds.parse(WEB)), 7)


def test_it_is_a_task_set(tasks: GeneratedSimulatedNeedles) -> None:
    """Length, order, items, slices and look-ups agree with the list of all its tasks."""
    every = list(tasks)
    assert len(tasks) == 21 == len({task.id for task in every})
    assert [tasks[n] for n in range(21)] == every
    assert tasks[-1] == every[-1]
    assert tasks[5:9] == tuple(every[5:9])
    assert [tasks.find(task.id) for task in every] == every
    assert [task.tags["difficulty"] for task in every[::7]] == ["easy", "medium", "hard"]
    assert every[:7] == [
        SimulatedNeedles(WorldWeb(WebConfig.parse(WEB))).draw("easy", number).task for number in range(7)
    ]
    with pytest.raises(IndexError):
        tasks[21]
    assert repr(tasks) == "TaskSet('procedural:pages=200,seed=4', 21 tasks, 0 excluded)"


def test_draws_are_uniform_and_seeded(tasks: GeneratedSimulatedNeedles) -> None:
    """Drawing takes every task in the end, and the same ones from the same seed."""
    one, two = (np.random.default_rng(3) for _ in range(2))
    drawn = [tasks.draw(one).id for _ in range(300)]
    assert drawn == [tasks.draw(two).id for _ in range(300)]
    assert len(set(drawn)) == 21


def test_filters(tasks: GeneratedSimulatedNeedles) -> None:
    """Difficulty and split are filtered without making a task; other tags as in any task set."""
    hard = tasks.filter(difficulty="hard")
    assert isinstance(hard, GeneratedSimulatedNeedles)
    assert [task.id for task in hard] == [task.id for task in tasks[14:]]
    assert len(tasks.filter(difficulty=["hard", "easy"], split="train", site=None)) == 14
    site = tasks[0].tags["site"]
    assert [task.id for task in tasks.filter(site=site)] == [t.id for t in tasks if t.tags["site"] == site]
    with pytest.raises(UnknownTask, match="it has numbers 0 to 6 of hard"):
        hard.find(tasks[0].id)
    with pytest.raises(InvalidArgument, match="no task has split='test'"):
        tasks.filter(split="test")


@pytest.mark.parametrize("tail", ["easy/7", "easy/07", "easy/", "esay/1", "easy/" + "9" * 5000, "easy/-1", "easy/٣"])
def test_unknown_ids(tasks: GeneratedSimulatedNeedles, tail: str) -> None:
    """An id out of range, of another form, or of another web is no task."""
    with pytest.raises(UnknownTask):
        tasks.find(f"pages=200,seed=4/{tail}")
    with pytest.raises(UnknownTask):
        tasks.find(f"default/{tail}")


def test_digests(tasks: GeneratedSimulatedNeedles) -> None:
    """Equal sets have equal digests; another number, difficulty or web has another."""
    again = GeneratedSimulatedNeedles(simulated_source(Worlds.parse(WEB)), 7)
    others = [
        GeneratedSimulatedNeedles(tasks.source, 8),
        tasks.filter(difficulty="easy"),
        GeneratedSimulatedNeedles(simulated_source(Worlds.parse(WEB, sites=21)), 7),
    ]
    assert again.digest == tasks.digest
    assert len({tasks.digest, *(other.digest for other in others)}) == 4


def test_counts() -> None:
    """A text names a number, or the default."""
    assert tuple(generated_count(text, each="in all") for text in ("generated", "generated:count=100000")) == (
        600,
        100_000,
    )


def test_a_great_number_costs_nothing() -> None:
    """An environment with ten million tasks of each difficulty is made, and puts one."""
    env = make(tasks="generated:count=10000000")
    assert len(benchmark_of(env).tasks) == 30_000_000
    assert env.reset(seed=1)[1]["task"].startswith("pages=200,seed=4/")
