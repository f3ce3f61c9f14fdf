"""What every registered environment promises; a new id is tested here without another line.

One of your own too: ``WEBENV_CONFORMANCE=my_module:MyBench-v0 pytest tests/conformance``.
"""

from __future__ import annotations

import io
import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import webenv
from tests.hostile import any_action
from tests.webs import DictWeb, benchmark_of, cache_without_tasks
from webenv.actions import answer, ask, note, search
from webenv.benchmark import Benchmark
from webenv.errors import InvalidArgument, ResetNeeded, UnknownTask
from webenv.evaluation import evaluate, read_records, rescore
from webenv.policies import RandomPolicy, make_policy
from webenv.policy import Decision, History, Policy
from webenv.registration import IDS, register_all
from webenv.rewards import PageJudge
from webenv.task import Gold, Task, TaskSet
from webenv.web import Failure

OTHERS = ("tests.conformance.toy:Toy-v0", *os.environ.get("WEBENV_CONFORMANCE", "").split())
MODULES = {
    **dict.fromkeys(IDS, "webenv"),
    **{name: module for module, _, name in (one.rpartition(":") for one in OTHERS)},
}
"""Each id with the module that registers it."""

OURS = ("test_wrong_settings", "test_tasks_of_a_named_web", "test_docstring", "test_hostile_actions")  # not of others'

for _module in MODULES.values():
    import_module(_module)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs each test over every id, one id after the other: a worker that has opened its web has all its tests."""
    if "name" in metafunc.fixturenames:
        names = IDS if metafunc.function.__name__ in OURS else MODULES
        metafunc.parametrize("name", names, scope="module")


SMALL = "procedural:pages=1000,news=0.1,seed=1"
LONE = TaskSet([Task("t", "Which?")])


@pytest.fixture
def env(name: str) -> Iterator[gym.Env[Any, Any]]:
    made = gym.make(name, render_mode="ansi")
    yield made
    made.close()


def some_tasks(benchmark: Benchmark, count: int = 60) -> list[Task]:
    """Tasks from the first to the last, or all where there are no more: each that is generated has to be drawn."""
    tasks = benchmark.tasks
    return [tasks[place] for place in range(0, len(tasks), -(-len(tasks) // count))]


def actions_for(observation: Any, rng: np.random.Generator) -> Any:
    """Something to do: words of the question searched, or asked of sites that show; a visit, a note, or nonsense."""
    urls = [hit["url"] for hit in observation["results"]]
    sites = [reply["site"] for reply in observation["replies"]]
    if sites and rng.integers(2):
        return ask(" ".join(observation["question"].split()[-4:]), *rng.choice(sites, min(2, len(sites))).tolist())
    draw = int(rng.integers(6))
    if draw < 2 or (draw < 4 and not urls):
        words = observation["question"].split()
        start = int(rng.integers(len(words)))
        return search(" ".join(words[start : start + 4]))
    if draw < 4:
        return webenv.visit(urls[int(rng.integers(len(urls)))])
    return note("hm") if draw == 4 else any_action(rng)


def trajectory(env: gym.Env[Any, Any], seed: int, steps: int = 40) -> list[Any]:
    """All that comes of some steps, over as many episodes as they make."""
    rng = np.random.default_rng(seed)
    seen: list[Any] = [env.reset(seed=seed)]
    for _ in range(steps):
        seen.append(env.step(actions_for(seen[-1][0], rng)))
        if seen[-1][2] or seen[-1][3]:
            seen.append(env.reset())
    return seen


def play(env: gym.Env[Any, Any], policy: Policy, task_id: str) -> float:
    """The sum of the rewards of one episode."""
    observation, info = env.reset(options={"task": task_id})
    history = History(info["task"], 0, [observation])
    total = 0.0
    while True:
        decision = policy.act([history])[0]
        assert isinstance(decision, Decision)
        observation, reward, terminated, truncated, info = env.step(decision.action)
        history.decisions.append(decision)
        history.observations.append(observation)
        total += float(reward)
        if terminated or truncated:
            assert info["scored"]
            return total


def test_check_env(env: gym.Env[Any, Any]) -> None:
    """gymnasium's own checker finds nothing, not even something to warn of."""
    check_env(env.unwrapped)


def test_spaces_contain_every_output(env: gym.Env[Any, Any]) -> None:
    """Every observation is in the observation space, and every reward is a float."""
    for step in trajectory(env, seed=1, steps=120):
        assert step[0] in env.observation_space
        if len(step) == 5:
            assert isinstance(step[1], float)


def test_sampled_actions_are_taken(env: gym.Env[Any, Any]) -> None:
    """Whatever the action space samples can be sent."""
    env.action_space.seed(0)
    env.reset(seed=0)
    for _ in range(60):
        observation, _, terminated, truncated, _ = env.step(env.action_space.sample())
        assert observation in env.observation_space
        if terminated or truncated:
            env.reset()


def test_determinism(name: str, env: gym.Env[Any, Any]) -> None:
    """Equal seeds and actions give equal observations, rewards and infos, in one process."""
    first, second = trajectory(env, seed=5), trajectory(gym.make(name), seed=5)
    assert data_equivalence(first, second, exact=True)


@pytest.mark.slow
def test_determinism_over_processes(name: str, tmp_path: Path) -> None:
    """Another process, with other hashes, that names the id's module alone, gives the same to the byte."""
    program = (
        "import gymnasium as gym\n"
        f"env = gym.make('{MODULES[name]}:{name}')\n"
        "import webenv\n"
        "seen = [env.reset(seed=3)]\n"
        "asked, sites = seen[0][0]['question'][-60:], [reply['site'] for reply in seen[0][0]['replies']]\n"
        "first = webenv.search(asked) if seen[0][0]['budget'][0] else webenv.ask(asked, *sites[:20])\n"
        "seen += [env.step(action) for action in (first, webenv.note('x'))]\n"
        "found = [*seen[1][0]['results'], *(one for reply in seen[1][0]['replies'] for one in reply['documents'])]\n"
        "seen += [env.step(webenv.visit(found[0]['url'])), env.step(webenv.answer('x'))]\n"
        "print(ascii(seen))\n"
    )
    here = {"WEBENV_CACHE": cache_without_tasks(tmp_path)}  # the run's webs, or the process makes its own
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env={**here, "PYTHONHASHSEED": "1"}
    )
    out = io.StringIO()
    with redirect_stdout(out):
        exec(program, {})
    assert done.stdout.decode() == out.getvalue()
    assert len(done.stdout) > 1_000


def test_seeds_differ(env: gym.Env[Any, Any]) -> None:
    """Ten seeds put more than two tasks."""
    assert len({env.reset(seed=seed)[1]["task"] for seed in range(10)}) > 2


def test_step_where_no_episode_runs(name: str) -> None:
    """A step before reset and after the end raises our ResetNeeded, which is gymnasium's too."""
    bare = gym.make(name).unwrapped
    with pytest.raises(ResetNeeded):
        bare.step(note("x"))
    with pytest.raises(gym.error.ResetNeeded):
        gym.make(name).step(note("x"))
    bare.reset(seed=0)
    bare.step(answer("x"))
    with pytest.raises(ResetNeeded, match=r"\(answered\): call reset before the next step"):
        bare.step(note("x"))


def test_answered_is_not_truncated(env: gym.Env[Any, Any]) -> None:
    """An answer, right or wrong, terminates and is scored."""
    env.reset(seed=0)
    _, _, terminated, truncated, info = env.step(answer("https://nowhere.example/"))
    assert (terminated, truncated) == (True, False)
    assert (info["ending"], info["scored"]) == (benchmark_of(env).rules.ending("answered"), True)
    assert set(info) == {"task", "reward_terms", "ending", "scored", "verdict", "spent"}
    assert set(info["verdict"]) == {"outcome", "value", "explanation", "judge", "identity", "scores"}


def test_out_of_turns_is_not_truncated(env: gym.Env[Any, Any]) -> None:
    """Running out of turns is part of the task: it terminates, scored, with no reward."""
    observation, _ = env.reset(seed=0)
    turns = int(observation["budget"][3])
    for turn in range(1, turns + 1):
        observation, reward, terminated, truncated, info = env.step(note("x"))
        assert (terminated, truncated) == (turn == turns, False)
    ending = benchmark_of(env).rules.ending("out_of_turns")
    assert (info["ending"], info["scored"], reward) == (ending, True, 0.0)
    assert observation["budget"][3] == 0


def test_no_limit_but_the_budget(name: str) -> None:
    """No step limit is registered: turns are the budget's."""
    assert gym.spec(name).max_episode_steps is None


def test_close_twice(env: gym.Env[Any, Any]) -> None:
    """Closing again does nothing."""
    env.reset(seed=0)
    env.close()
    env.close()


def test_render(env: gym.Env[Any, Any]) -> None:
    """In mode "ansi" the question and what is left of the budget are to be read."""
    observation, _ = env.reset(seed=0)
    rendered = env.render()
    assert isinstance(rendered, str)
    assert rendered.startswith(observation["question"])
    assert "Left: " in rendered.splitlines()[-1]


def test_gold_does_not_show(name: str, env: gym.Env[Any, Any]) -> None:
    """With another gold, and the same actions, everything is byte for byte the same until the end."""
    made_of = benchmark_of(env)
    tasks = TaskSet(some_tasks(made_of), name=made_of.tasks.name)
    turned = list(tasks)[1:] + list(tasks)[:1]
    others = TaskSet(
        [
            replace(task, gold=Gold(other.gold.urls, ("another answer",), ("another claim",)))
            for task, other in zip(tasks, turned, strict=True)
        ],
        name=tasks.name,
    )
    assert others.digest != tasks.digest
    one, other = webenv.SearchEnv(replace(made_of, tasks=tasks)), webenv.SearchEnv(replace(made_of, tasks=others))
    for seed in range(6):
        rng, twin = np.random.default_rng(seed), np.random.default_rng(seed)
        seen: list[Any] = [one.reset(seed=seed)]
        also: list[Any] = [other.reset(seed=seed)]
        assert repr(seen) == repr(also)
        while len(seen[-1]) == 2 or not (seen[-1][2] or seen[-1][3]):
            seen.append(one.step(actions_for(seen[-1][0], rng)))
            also.append(other.step(actions_for(also[-1][0], twin)))
            ended = seen[-1][2] or seen[-1][3]
            assert repr(seen[-1][0] if ended else seen[-1]) == repr(also[-1][0] if ended else also[-1])


def texts(value: Any) -> list[str]:
    """What a value says in words; counts are none, as what is left of a budget may be a gold number."""
    if isinstance(value, Mapping):
        return [text for pair in value.items() for text in texts(pair)]
    if isinstance(value, tuple | list):
        return [text for part in value for text in texts(part)]
    return [] if isinstance(value, bool | int | float | np.ndarray | np.number) else [repr(value)]


def test_the_end_shows_no_gold(env: gym.Env[Any, Any]) -> None:
    """Even the info of a lost episode names neither the gold URL nor a gold answer."""
    for task in some_tasks(benchmark_of(env)):
        env.reset(options={"task": task.id})
        shown = "\n".join(texts(env.step(answer("https://nowhere.example/")))).replace(repr(task.id), "")
        secrets = "|".join(
            map(re.escape, (*task.gold.urls, *(set(task.gold.answers) - {"gold"})))
        )  # a colour; verdicts have it too
        assert not re.search(rf"(?<!\w)(?:{secrets})(?!\w)", shown)


def test_oracle_reaches_the_maximum(env: gym.Env[Any, Any]) -> None:
    """The gold answer is worth 1 in every task."""
    tasks = some_tasks(benchmark_of(env))
    oracle = make_policy("oracle", benchmark_of(env))
    assert {task.id: play(env, oracle, task.id) for task in tasks} == {task.id: 1.0 for task in tasks}


def test_random_does_not(env: gym.Env[Any, Any]) -> None:
    """Random play is worth less than a third on average."""
    tasks = some_tasks(benchmark_of(env))
    random = RandomPolicy()
    assert np.mean([play(env, random, task.id) for task in tasks]) < 1 / 3


def test_spec_is_plain(name: str, env: gym.Env[Any, Any]) -> None:
    """The spec goes through pickle and JSON, and makes the same environment again."""
    spec = pickle.loads(pickle.dumps(env.spec))
    assert spec == env.spec
    again = gym.make(spec)
    assert data_equivalence(again.reset(seed=2), gym.make(name).reset(seed=2), exact=True)
    assert json.loads(spec.to_json())["id"] == name


def test_unknown_keyword(name: str) -> None:
    """A keyword with a slip is refused in one line that names the right one."""
    with pytest.raises(InvalidArgument) as error:
        gym.make(name, budgt={"searches": 5})
    assert str(error.value) == f"{name} takes no keyword 'budgt'. Did you mean 'budget'?"
    with pytest.raises(InvalidArgument) as error:
        gym.make_vec(name, num_envs=2, groupsize=2)
    assert str(error.value) == f"{name} takes no keyword 'groupsize'. Did you mean 'group_size'?"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": {"serches": 1}}, "budget has no limit 'serches'. Did you mean 'searches'?"),
        ({"render_mode": "human"}, "render_mode='human': expected 'ansi' or None."),
        ({"judge": "pgae"}, "'pgae'"),
        ({"judge": 5}, "judge=5: expected "),
        ({"web": 5}, "web=5: expected "),
        ({"tasks": 5}, "tasks=5: expected "),
        ({"tasks": []}, "tasks=[]: expected "),
        ({"tasks": [None]}, "tasks=[None]: expected "),
        ({"web": "nowhere", "tasks": "nowhere"}, "nowhere"),
        ({"reward": {"anser": 1.0}}, "Did you mean 'answer'?"),
        ({"split": "tset"}, "split='tset'. Did you mean 'test'"),
        ({"web": f"{SMALL},split=test", "split": "train"}, "is of another split than split='train'"),
        ({"web": DictWeb([])}, "comes without tasks: name them"),
        ({"web": DictWeb([]), "tasks": "generated"}, "needs web='procedural'"),
        ({"tasks": "generatd"}, "generatd: no such file or folder"),
        ({"tasks": "generated:number=5"}, "expected 'generated' or 'generated:count=1000'"),
        ({"tasks": "procedural:worlds=2"}, "expected one world; leave worlds out"),
        ({"web": SMALL, "tasks": f"{SMALL},sites=21"}, "expected tasks of the same web"),
        ({"web": "procedural:worlds=2", "tasks": LONE}, "has several worlds, and task 't' is of none of them"),
        ({"judge": PageJudge(), "judge_votes": 3}, "a Judge brings its own"),
        ({"judge": PageJudge(), "judge_prompt": "prompt.txt"}, "a Judge brings its own"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*render_mode:UserWarning")  # gymnasium warns before it makes
def test_wrong_settings(name: str, settings: dict[str, Any], message: str) -> None:
    """A wrong value of a keyword is refused in one line."""
    with pytest.raises(webenv.errors.WebenvError) as error:
        gym.make(name, **settings)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_tasks_of_a_named_web(name: str) -> None:
    """Tasks of a generated web can be put on any web that shows its pages, by naming the web as their source."""
    own = benchmark_of(gym.make(name, web=SMALL)).tasks
    assert benchmark_of(gym.make(name, web=DictWeb([]), tasks=SMALL)).tasks.digest == own.digest


def test_unknown_task(env: gym.Env[Any, Any]) -> None:
    """A task id with a slip is refused, and one that would do is named."""
    known = benchmark_of(env).tasks[0].id
    with pytest.raises(UnknownTask, match=f"(Did you mean '|such as '){known}"):
        env.reset(options={"task": f"{known}x"})


def test_chosen_task(env: gym.Env[Any, Any]) -> None:
    """Options choose any task."""
    for task in some_tasks(benchmark_of(env)):
        observation, info = env.reset(options={"task": task.id})
        assert info == {"task": task.id}
        assert observation["question"] == task.question


def test_budget_is_a_setting(name: str) -> None:
    """The budget that is asked for is the budget that is shown."""
    env = gym.make(name, budget={"searches": 3, "visits": 2, "asks": 1, "turns": 4})
    assert env.reset(seed=0)[0]["budget"].tolist() == [3, 2, 1, 4]


def test_registered_again(name: str) -> None:
    """Registering again changes nothing."""
    before = gym.spec(name)
    register_all()
    assert gym.spec(name) is before


def test_docstring(name: str) -> None:
    """The class says what gymnasium's environments say of themselves."""
    text = gym.make(name).unwrapped.__doc__ or ""
    headings = ("Description:", "Action Space:", "Observation Space:", "Rewards:", "Episode End:", "Information:")
    assert [heading for heading in (*headings, "Arguments:", "Version History:") if heading not in text] == []


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_make_vec(name: str, mode: str) -> None:
    """The vector environment equals gymnasium's, step for step, in every autoreset mode."""
    gymnasium_mode = {
        "next_step": AutoresetMode.NEXT_STEP,
        "same_step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }[mode]
    ours = gym.make_vec(name, num_envs=3, autoreset_mode=mode)
    theirs: Any = SyncVectorEnv([lambda: gym.make(name)] * 3, autoreset_mode=gymnasium_mode)
    rng = np.random.default_rng(0)
    first = ours.reset(seed=1)
    assert data_equivalence(first, theirs.reset(seed=1), exact=True)
    observation = first[0]
    for _ in range(60):
        each = [{key: observation[key][slot] for key in ("question", "results", "replies")} for slot in range(3)]
        actions = tuple(actions_for(one, rng) for one in each)
        got = ours.step(actions)
        assert data_equivalence(got, theirs.step(actions), exact=True)
        observation, done = got[0], np.logical_or(got[2], got[3])
        if mode == "disabled" and done.any():
            observation, _ = ours.reset(options={"reset_mask": done})
            theirs.reset(options={"reset_mask": done})
    ours.close()
    theirs.close()


def test_make_vec_in_groups(name: str) -> None:
    """The public face: 256 slots in groups of 8 work on 32 tasks, 8 attempts each."""
    envs = gym.make_vec(name, num_envs=256, group_size=8, autoreset_mode="next_step")
    observation, info = envs.reset(seed=0)
    assert len(observation["question"]) == 256
    assert all(len(set(group)) == 1 for group in info["task"].reshape(32, 8).tolist())
    tasks = sorted({str(task) for task in info["task"]})
    _, info = envs.reset(options={"tasks": [tasks[number % len(tasks)] for number in range(32)]})
    assert info["task"][8:16].tolist() == [tasks[1 % len(tasks)]] * 8
    assert envs.spec is not None
    assert envs.spec.id == name


def test_hostile_actions(name: str) -> None:
    """Eight slots, with the real web and judge, take 600 random and hostile actions."""
    envs: Any = gym.make_vec(name, num_envs=8, budget={"asks": 2}, autoreset_mode="same_step")
    rng = np.random.default_rng(2)
    envs.reset(seed=0)
    for _ in range(75):
        observation, rewards, _, _, _ = envs.step([any_action(rng) for _ in range(8)])
        assert observation in envs.observation_space
        assert ((rewards == 0.0) | (rewards == 1.0)).all()


def test_make_vec_sync(name: str) -> None:
    """gymnasium's own vectorization modes make it too."""
    envs = gym.make_vec(name, num_envs=2, vectorization_mode="sync", budget={"searches": 1})
    observation, _ = envs.reset(seed=0)
    assert observation["budget"][:, 0].tolist() == [1, 1]


class Anything:
    """A policy that does anything, well-formed or not, by the chance of its seed."""

    identity: Mapping[str, str] = {"name": "anything", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._act(history) for history in histories]

    def _act(self, history: History) -> Decision:
        rng = np.random.default_rng([history.seed, len(history.decisions)])
        actions = (actions_for(history.observations[-1], rng), answer("https://nowhere.example/"), answer(""))
        return Decision(actions[int(rng.choice(3, p=(0.8, 0.15, 0.05)))])


def test_rescored_by_its_own_judge(env: gym.Env[Any, Any], tmp_path: Path) -> None:
    """Episodes of every ending, scored again from their records, come to what they came to as they were played."""
    benchmark = benchmark_of(env)
    benchmark = replace(benchmark, budget=replace(benchmark.budget, turns=min(benchmark.budget.turns, 10)))
    evaluate(benchmark, Anything(), episodes=60, out=tmp_path / "run")
    evaluate(benchmark, make_policy("oracle", benchmark), episodes=10, out=tmp_path / "right")
    for run in (tmp_path / "run", tmp_path / "right"):
        records = list(read_records(run))
        lines = (Path(rescore(run, env=benchmark).folder) / "verdicts.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        assert [one["verdict"] for one in found] == [record.verdict for record in records]
        assert [one["reward"] for one in found] == [record.reward for record in records]
        assert [one["reward_terms"] for one in found] == [record.turns[-1].reward_terms for record in records]
    endings = {record.ending for record in read_records(tmp_path / "run")}
    assert "answered" in endings  # in the word of the house, whatever the benchmark calls it
    assert len(endings) > 1
