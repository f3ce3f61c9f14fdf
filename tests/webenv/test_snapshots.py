"""Saving, restoring and forking whole stacks of environment and wrappers."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import threading
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import SyncVectorEnv, VectorEnv
from gymnasium.wrappers import vector as vector_wrappers

import webenv
from tests.hostile import good_action
from tests.webs import PLACES, GoldJudge, benchmark, small_tasks, small_web
from webenv.actions import answer, note, search, visit
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import SnapshotError
from webenv.rules import Rules
from webenv.task import Task, TaskSet
from webenv.vector import SearchVectorEnv
from webenv.wrappers import MenuWrapper, TextWrapper, VectorTextWrapper

LAMP = "https://harbour.example/lamp"


class LastObservations(gym.Wrapper[Any, Any, Any, Any]):
    """Keeps the last observations, as a stack of frames does, and the actions so far."""

    def __init__(self, env: gym.Env[Any, Any], length: int = 3) -> None:
        super().__init__(env)
        self.frames: deque[Any] = deque(maxlen=length)
        self.actions: list[Any] = []

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(**kwargs)
        self.frames.clear()
        self.actions = []
        self.frames.append(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.frames.append(observation)
        self.actions.append(action)
        questions = [frame["budget"].tolist() for frame in self.frames]
        return observation, reward, terminated, truncated, info | {"frames": questions, "actions": len(self.actions)}


class Phase(Enum):
    FIRST = 1
    LATER = 2


class Moody(gym.Wrapper[Any, Any, Any, Any]):
    """Has state of many kinds, drawn by its own chance."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.rng = np.random.default_rng(5)
        self.phase = Phase.FIRST
        self.totals: dict[Any, Any] = {1: np.zeros(2, np.float32), ("a", 2): {"x"}}
        self.best = np.float64("-inf")

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.totals[1] += np.float32(self.rng.random())
        self.phase = Phase.LATER
        self.best = max(self.best, np.float64(reward))
        mood = (self.phase.name, self.totals[1].tolist(), float(self.best), float(self.rng.random()))
        return observation, reward, terminated, truncated, info | {"mood": mood}


STACKS: dict[str, Callable[[], gym.Env[Any, Any]]] = {
    "bare": lambda: SearchEnv(benchmark()),
    "make": lambda: gym.make("NeedleInWeb-v0"),
    "TimeLimit": lambda: wrappers.TimeLimit(SearchEnv(benchmark()), 3),
    "OrderEnforcing": lambda: wrappers.OrderEnforcing(SearchEnv(benchmark())),
    "RecordEpisodeStatistics": lambda: wrappers.RecordEpisodeStatistics(SearchEnv(benchmark())),
    "TransformReward": lambda: wrappers.TransformReward(SearchEnv(benchmark()), lambda reward: 10 * float(reward) + 1),
    "NormalizeReward": lambda: wrappers.NormalizeReward(SearchEnv(benchmark())),
    "FrameStackObservation": lambda: wrappers.FrameStackObservation(SearchEnv(benchmark()), 3),
    "LastObservations": lambda: LastObservations(SearchEnv(benchmark())),
    "Moody": lambda: Moody(SearchEnv(benchmark())),
    "all": lambda: wrappers.NormalizeReward(
        LastObservations(
            Moody(wrappers.RecordEpisodeStatistics(wrappers.TimeLimit(gym.make("NeedleInWeb-v0"), max_episode_steps=6)))
        )
    ),
}

VECTORS: dict[str, Callable[[], VectorEnv[Any, Any, Any]]] = {
    "bare": lambda: SearchVectorEnv(benchmark(), 4),
    "same_step": lambda: SearchVectorEnv(benchmark(), 4, autoreset_mode="same_step"),
    "groups": lambda: SearchVectorEnv(benchmark(), 6, group_size=3),
    "make_vec": lambda: gym.make_vec("NeedleInWeb-v0", num_envs=4, group_size=2),
    "RecordEpisodeStatistics": lambda: vector_wrappers.RecordEpisodeStatistics(SearchVectorEnv(benchmark(), 4)),
    "NormalizeReward": lambda: vector_wrappers.NormalizeReward(SearchVectorEnv(benchmark(), 4)),
    "both": lambda: vector_wrappers.NormalizeReward(
        vector_wrappers.RecordEpisodeStatistics(gym.make_vec("NeedleInWeb-v0", num_envs=2))
    ),
}


def play(env: Any, seed: int, steps: int) -> list[Any]:
    """What random actions bring, with a reset at each end; clock readings are left out."""
    rng = np.random.default_rng(seed)
    seen: list[Any] = []
    for _ in range(steps):
        if isinstance(env, VectorEnv):
            seen.append(env.step(tuple(good_action(rng) for _ in range(env.num_envs))))
        else:
            seen.append(env.step(good_action(rng)))
            if seen[-1][2] or seen[-1][3]:
                seen.append(env.reset())
    for step in seen:
        step[-1].get("episode", {}).pop("t", None)
    return seen


def assert_same(one: Any, other: Any) -> None:
    assert data_equivalence(one, other, exact=True), f"{one}\n  differs from\n{other}"


def begin(make: Callable[[], Any], steps: int = 7) -> Any:
    env = make()
    env.reset(seed=4)
    play(env, 1, steps)
    return env


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(SnapshotError) as error:
        call()
    message = str(error.value)
    assert "\n" not in message
    return message


ALL = [(f"env {name}", make) for name, make in STACKS.items()] + [
    (f"envs {name}", make) for name, make in VECTORS.items()
]
EVERY = pytest.mark.parametrize("make", [make for _, make in ALL], ids=[name for name, _ in ALL])


# ── the same again ────────────────────────────────────────────────────────────


@EVERY
def test_restored_goes_on_as_the_original(make: Callable[[], Any]) -> None:
    """A state goes through JSON into a fresh environment, which then plays exactly as the original."""
    env = begin(make)
    saved = json.dumps(json.loads(webenv.snapshot(env)))
    twin = make()
    webenv.restore(twin, saved)
    assert_same(play(twin, 2, 25), play(env, 2, 25))


@EVERY
def test_going_back(make: Callable[[], Any]) -> None:
    """An environment that is brought back plays the same again, whatever came between."""
    env = begin(make)
    saved = webenv.snapshot(env)
    first = play(env, 2, 15)
    play(env, 3, 10)
    env.reset(seed=99)
    webenv.restore(env, saved)
    assert webenv.snapshot(env) == saved
    assert_same(play(env, 2, 15), first)


@EVERY
def test_fork_goes_on_as_the_original(make: Callable[[], Any]) -> None:
    """A fork plays as the original under the same actions."""
    env = begin(make)
    twin = webenv.fork(env)
    assert_same(play(twin, 2, 20), play(env, 2, 20))


@EVERY
def test_forks_do_not_disturb(make: Callable[[], Any]) -> None:
    """What a fork does, its original does not feel; and the other way about."""
    env, undisturbed = begin(make), begin(make)
    twin = webenv.fork(env)
    play(twin, 7, 15)
    expected = play(undisturbed, 2, 15)
    assert_same(play(env, 2, 15), expected)


@EVERY
def test_a_snapshot_changes_nothing(make: Callable[[], Any]) -> None:
    """Taking a snapshot, also before the first reset, leaves the environment as it was."""
    fresh = make()
    webenv.snapshot(fresh)
    fresh.reset(seed=4)
    play(fresh, 1, 7)
    webenv.snapshot(fresh)
    assert_same(play(fresh, 2, 10), play(begin(make), 2, 10))


@EVERY
def test_before_the_first_reset(make: Callable[[], Any]) -> None:
    """A state without an episode is restored as such: the next step needs a reset."""
    saved = webenv.snapshot(make())
    env = begin(make)
    webenv.restore(env, saved)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(tuple(note("x") for _ in range(env.num_envs)) if isinstance(env, VectorEnv) else note("x"))


def test_another_process(tmp_path: Path) -> None:
    """A state written to a file goes on in another process, byte for byte."""
    env = gym.make("NeedleInWeb-v0", web="sample")
    env.reset(seed=8)
    env.step(search("lighthouse"))
    (tmp_path / "state.json").write_text(webenv.snapshot(env), encoding="utf-8")
    actions = [
        search("music river", "bread"),
        note("plan"),
        visit("https://nowhere.example/"),
        answer("No source found."),
    ]
    expected = [repr(env.step(action)) for action in actions] + [repr(env.reset()), webenv.snapshot(env)]
    program = f"""
import json, pathlib, sys
import gymnasium as gym, webenv
env = gym.make("NeedleInWeb-v0", web="sample")
webenv.restore(env, pathlib.Path({str(tmp_path / "state.json")!r}).read_text(encoding="utf-8"))
out = [repr(env.step(action)) for action in {[(int(action.kind), action.arguments) for action in actions]!r}]
print(json.dumps(out + [repr(env.reset()), webenv.snapshot(env)]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected


def test_masked_reset_after_restore() -> None:
    """The slots that a masked reset leaves alone show what they showed before the state was saved."""

    def make() -> SearchVectorEnv:
        return SearchVectorEnv(benchmark(), 3, autoreset_mode="disabled")

    env = make()
    env.reset(seed=1)
    env.step((answer("x"), search("lamp"), visit(LAMP)))
    twin = make()
    webenv.restore(twin, webenv.snapshot(env))
    mask = np.array([True, False, False])
    assert_same(twin.reset(options={"reset_mask": mask}), env.reset(options={"reset_mask": mask}))


@pytest.mark.parametrize("make", [lambda: SearchEnv(benchmark(), render_mode="ansi")], ids=["env"])
def test_render_after_restore(make: Callable[[], Any]) -> None:
    """A restored environment renders what the saved one showed."""
    env = begin(make, 0)
    env.step(search("lamp"))
    twin = make()
    webenv.restore(twin, webenv.snapshot(env))
    assert twin.render() == env.render()


def test_a_snapshot_has_no_gold() -> None:
    """A snapshot holds nothing of the gold: it is the same whatever the gold is."""

    def saved(gold: webenv.Gold) -> str:
        tasks = TaskSet([Task("t", "Which?", gold=gold)])
        env = SearchEnv(benchmark(tasks=tasks))
        env.reset(seed=0)
        env.step(search("lamp"))
        return webenv.snapshot(env).replace(tasks.digest, "")

    assert saved(webenv.Gold(urls=("https://secret.example/",))) == saved(webenv.Gold(answers=("secret",)))


def test_forks_share_what_never_changes() -> None:
    """A fork shares the web, the tasks and the judge: it costs an episode, not a corpus."""
    env = begin(STACKS["bare"])
    assert webenv.fork(env).unwrapped.benchmark is env.unwrapped.benchmark


def test_tasks_with_any_mapping_of_tags_can_be_forked() -> None:
    """Tags of a kind that cannot be copied do not keep an environment from being forked."""
    tasks = TaskSet([Task("t", "Which?", tags=MappingProxyType({"a": "b"}))])
    for env in (SearchEnv(benchmark(tasks=tasks)), SearchVectorEnv(benchmark(tasks=tasks), 2)):
        env.reset(seed=0)
        assert type(webenv.fork(env)) is type(env)


# ── refusals ──────────────────────────────────────────────────────────────────

OTHERS: dict[str, Callable[[], Benchmark]] = {
    "tasks": lambda: benchmark(tasks=small_tasks(5)),
    "web": lambda: benchmark(web=small_web("another")),
    "judge": lambda: benchmark(judge=GoldJudge("stern")),
    "budget": lambda: benchmark(budget=Budget(searches=5)),
    "reward": lambda: Benchmark(
        small_tasks(), small_web(), GoldJudge(), Rules(results=3, fetch_answer=True), benchmark().budget
    ),
    "rules": lambda: benchmark(rules=Rules(results=4, fetch_answer=True)),
}


@pytest.mark.parametrize("part", OTHERS)
def test_other_parts_are_refused_by_name(part: str) -> None:
    """A state is not restored where the tasks, the web, the judge, the budget, the reward or the rules differ."""
    saved = webenv.snapshot(begin(STACKS["bare"]))
    message = refusal(lambda: webenv.restore(SearchEnv(OTHERS[part]()), saved))
    assert message.startswith(f"the state was saved with other {part}: ")
    vector = webenv.snapshot(begin(VECTORS["bare"]))
    message = refusal(lambda: webenv.restore(SearchVectorEnv(OTHERS[part](), 4), vector))
    assert message.startswith(f"the state was saved with other {part}: ")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (STACKS["TimeLimit"], "the snapshot is of SearchEnv; this environment is TimeLimit > SearchEnv."),
        (VECTORS["bare"], "the snapshot is of SearchEnv; this environment is SearchVectorEnv."),
    ],
)
def test_other_stacks_are_refused(make: Callable[[], Any], message: str) -> None:
    """A state of another stack of wrappers is refused, and both are named."""
    saved = webenv.snapshot(begin(STACKS["bare"]))
    assert refusal(lambda: webenv.restore(make(), saved)) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 6}, "the state has num_envs=4; this environment 6."),
        ({"num_envs": 4, "group_size": 2}, "the state has group_size=1; this environment 2."),
        (
            {"num_envs": 4, "autoreset_mode": "same_step"},
            "the state has autoreset_mode='NextStep'; this environment 'SameStep'.",
        ),
    ],
)
def test_other_shapes_are_refused(arguments: dict[str, Any], message: str) -> None:
    """A state of other slots, groups or autoreset is refused."""
    saved = webenv.snapshot(begin(VECTORS["bare"]))
    assert refusal(lambda: webenv.restore(SearchVectorEnv(benchmark(), **arguments), saved)) == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(version=2), "a snapshot of version 2: this webenv reads version 1."),
        (lambda data: data.update(format="x"), "not a snapshot: its format is 'x', expected 'webenv.snapshot'."),
        (lambda data: data.pop("stack"), "not a snapshot (KeyError('stack')): expected what webenv.snapshot gave."),
        (lambda data: data.clear(), "not a snapshot (KeyError('format')): expected what webenv.snapshot gave."),
        (lambda data: data["stack"][0].pop("state"), "the state of SearchEnv cannot be read: "),
        (lambda data: data["stack"][0].update(state={}), "the state of SearchEnv cannot be read: KeyError('own')."),
        (
            lambda data: data["stack"][0]["state"]["own"].pop("benchmark"),
            "the state names no benchmark; expected what webenv.snapshot gave.",
        ),
        (lambda data: data["stack"][0]["state"]["own"].update(episode=5), "not a saved episode: 5; expected what"),
        (
            lambda data: data["stack"][0]["state"]["own"]["episode"].update(spent=[1]),
            "not a saved episode: ValueError(",
        ),
    ],
)
def test_broken_snapshots(change: Callable[[dict[str, Any]], Any], message: str) -> None:
    """Another version or a damaged state is refused in one line."""
    data = json.loads(webenv.snapshot(begin(STACKS["bare"])))
    change(data)
    assert refusal(lambda: webenv.restore(STACKS["bare"](), data)).startswith(message)


@pytest.mark.parametrize("saved", ["", "nonsense", "[]", "5", "null", "[" * 100_000, 5, None, {}, b"{}"])
def test_what_is_no_snapshot(saved: Any) -> None:
    """Whatever else is given is refused in one line."""
    assert refusal(lambda: webenv.restore(STACKS["bare"](), saved)).startswith("not a snapshot")


@pytest.mark.parametrize("change", [lambda own: own.pop("groups"), lambda own: own.update(episodes=[None] * 4)])
def test_a_refused_state_leaves_the_environment(change: Callable[[dict[str, Any]], Any]) -> None:
    """A damaged state of a vector environment is refused or restored, never half of it."""
    data = json.loads(webenv.snapshot(begin(VECTORS["bare"])))
    change(data["stack"][0]["state"]["own"])
    env = begin(VECTORS["bare"], 3)
    before = webenv.snapshot(env)
    try:
        webenv.restore(env, data)
    except SnapshotError:
        assert webenv.snapshot(env) == before


def places(data: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values stand in JSON data; of lists, in the first two items."""
    items = data.items() if isinstance(data, dict) else enumerate(data[:2]) if isinstance(data, list) else ()
    for key, value in items:
        yield (*where, key)
        yield from places(value, (*where, key))


def damaged(data: Any, where: tuple[Any, ...], value: Any) -> Any:
    if not where:
        return value
    changed = copy.copy(data)
    changed[where[0]] = damaged(data[where[0]], where[1:], value)
    return changed


@pytest.mark.parametrize("kind", ["env", "vector", "text", "texts", "menu"])
def test_a_damaged_field(kind: str) -> None:
    """A state with a damaged field is refused as such, or taken; the whole one is taken after it."""
    one, many = SearchEnv(benchmark()), SearchVectorEnv(benchmark(), 2)
    env: Any = {
        "env": one,
        "vector": many,
        "text": TextWrapper(one, references=True),
        "texts": VectorTextWrapper(many, "tools"),
        "menu": MenuWrapper(one),
    }[kind]
    action: Any = {"env": search("lamp"), "vector": [search("lamp")] * 2, "texts": ["<search>lamp</search>"] * 2}.get(
        kind, "<search>lamp</search>" if kind == "text" else 0
    )
    env.reset(seed=0)
    env.step(action)
    whole = json.loads(webenv.snapshot(env))
    refused = 0
    for where, value in zip(places(whole["stack"]), cycle((None, "x", -1, [], 10**30)), strict=False):
        try:
            webenv.restore(env, {**whole, "stack": damaged(whole["stack"], where, value)})
        except SnapshotError:
            refused += 1
        webenv.restore(env, whole)
        assert json.loads(webenv.snapshot(env)) == whole
    assert refused > 5


@pytest.mark.parametrize(
    ("name", "value"), [("budget", None), ("budget", -1), ("budget", []), ("entries", [[1, "", "", [], True]])]
)
def test_a_damaged_conversation(name: str, value: Any) -> None:
    """A conversation that could not go on is refused."""
    env = TextWrapper(SearchEnv(benchmark()))
    env.reset(seed=0)
    data = json.loads(webenv.snapshot(env))
    data["stack"][0]["state"]["own"][name] = value
    with pytest.raises(SnapshotError, match="the state of TextWrapper cannot be read"):
        webenv.restore(env, data)


class Diary(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper that writes to a folder, with an array and two random generators."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.folder = "/data/diary"
        self.names = np.array(["a", "bc"])
        self.twister = np.random.Generator(np.random.MT19937(1))
        self.philox = np.random.Generator(np.random.Philox(1))


STRANGE: dict[str, tuple[dict[str, Any], str]] = {
    "folder": ({"folder": "/etc"}, "Diary.folder is '/data/diary' here; the snapshot has '/etc'"),
    "method": ({"step": "x"}, "has no state 'step'"),
    "property": ({"unwrapped": 1}, "has no state 'unwrapped'"),
    "class": ({"__class__": {"constant": "type"}}, "has no state '__class__'"),
    "texts that it does not hold": (
        {"names": {"array": ["a"] * 10_000, "dtype": "<U999999", "shape": [10_000]}},
        "10000 texts of 999999 characters each, which none of them has",
    ),
    "bytes": ({"names": {"scalar": 10**12, "dtype": "V", "shape": []}}, "is an array of 'V'; expected numbers"),
    "objects": ({"names": {"array": [1], "dtype": "O", "shape": [1]}}, "is an array of 'O'; expected numbers"),
    "fields": ({"names": {"array": [1], "dtype": "i4," * 999, "shape": [1]}}, "expected numbers, booleans or texts"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strangers_snapshot_is_data(name: str) -> None:
    """It changes no path, no method and no class, and takes no memory that its own length does not account for."""
    fields, message = STRANGE[name]
    env = Diary(SearchEnv(benchmark()))
    env.reset(seed=0)
    before = webenv.snapshot(env)
    data = json.loads(before)
    data["stack"][0]["state"] |= fields
    with pytest.raises(SnapshotError, match=re.escape(message)):
        webenv.restore(env, data)
    assert webenv.snapshot(env) == before


class Helper:
    limit = 5

    def __init__(self) -> None:
        self.count = 0
        self.log = "logs/helper"


class Made(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper made with functions, classes, modules and paths, that keeps a count."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        self.count = 0
        self.call: Callable[[Any], Any] = len
        self.module, self.kind, self.helper = json, Helper, Helper()
        self.web = env.unwrapped.benchmark.web
        self.path, self.relative, self.file = "/data/log", "logs/x.txt", Path("/data/file")
        self.paths, self.by = ["/data/log", 1], OrderedDict(log="/data/log", call=len)
        self.unset: Any = None
        self.task = "easy/0"


LOG: dict[str, Any] = {"dict": [["log", "/etc/x"], ["call", {"constant": "builtin_function_or_method"}]]}
CHANGED: dict[str, dict[str, Any]] = {
    "module filled": {"module": {"object": "module", "fields": {"loads": 7}}},
    "class filled": {"kind": {"object": "type", "fields": {"limit": 99}}},
    "part of the benchmark filled": {"web": {"object": "DictWeb", "fields": {}}},
    "function": {"call": 5},
    "function filled": {"call": {"object": "builtin_function_or_method", "fields": {}}},
    "constant where state is": {"count": {"constant": "int"}},
    "env": {"env": 5},
    "env filled": {"env": {"object": "SearchEnv", "fields": {}}},
    "path": {"path": "/etc/passwd"},
    "no path": {"path": None},
    "relative path": {"relative": "logs/y.txt"},
    "path in a list": {"paths": {"list": ["/etc/x", 1]}},
    "shorter list": {"paths": {"list": []}},
    "path in a dict": {"by": LOG | {"like": "OrderedDict"}},
    "emptied dict": {"by": {"dict": [], "like": "OrderedDict"}},
    "path of an object": {"helper": {"object": "Helper", "fields": {"count": 0, "log": "/etc/x"}}},
    "object with a path": {"helper": None},
    "new path": {"unset": "/etc/x"},
    "new path in an array": {"unset": {"array": ["/etc/x"], "dtype": "<U6", "shape": [1]}},
    "new path upwards": {"unset": "a b/../../c"},
    "new key": {"unset": {"dict": [["~/x", 1]]}},
    "pathlib": {"file": "/data/file"},
}


def made() -> Made:
    env = Made(SearchEnv(benchmark(tasks=TaskSet([Task("easy/0", "Which?"), Task("easy/1", "Where?")]))))
    env.reset(seed=0)
    return env


def held(env: Made) -> list[Any]:
    return [*vars(env).items(), *vars(env.helper).items(), list(env.by.items()), dict(vars(Helper)), json.loads]


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_wrapper_was_made_with_stays(name: str) -> None:
    """A snapshot neither changes nor fills nor drops a function, class, module, path or inner environment."""
    env = made()
    data, before = json.loads(webenv.snapshot(env)), held(env)
    data["stack"][0]["state"] |= {"count": 3} | CHANGED[name]
    if name == "constant where state is":
        env.count = {}  # type: ignore[assignment]
        data["stack"][0]["state"]["count"], before = {"constant": "dict"}, held(env)
    refusal(lambda: webenv.restore(env, data))
    assert held(env) == before


@pytest.mark.parametrize("name", ["call", "module", "kind", "helper", "path", "relative", "paths", "by", "file"])
def test_what_a_wrapper_was_made_with_does_not_vanish(name: str) -> None:
    """A snapshot that leaves out a path or function is refused, and nothing is deleted."""
    env = made()
    data, before = json.loads(webenv.snapshot(env)), held(env)
    del data["stack"][0]["state"][name]
    assert "the snapshot has none such" in refusal(lambda: webenv.restore(env, data))
    assert held(env) == before


def test_state_beside_paths_is_taken_up() -> None:
    """Counts, ids of tasks that look like paths, addresses and sentences come back."""
    env = made()
    data = json.loads(webenv.snapshot(env))
    env.count, env.helper.count, env.task, env.paths[1], env.unset = 7, 8, "easy/1", 9, "https://a.example/b"
    webenv.restore(env, data)
    assert (env.count, env.helper.count, env.task, env.paths[1], env.unset) == (0, 0, "easy/0", 1, None)
    data["stack"][0]["state"]["unset"] = {"list": ["https://a.example/b", "Lamps and/or boats?"]}
    webenv.restore(env, data)
    assert env.unset == ["https://a.example/b", "Lamps and/or boats?"]


@pytest.mark.parametrize("name", ["_cached_spec", "spec", "env", "_saved_kwargs"])
def test_a_snapshot_names_no_code(name: str, tmp_path: Path) -> None:
    """The spec that a second environment is made from stays as it is, also once it was looked at."""
    env = gym.make("NeedleInWeb-v0", web="sample")
    env.reset(seed=1)
    before = env.spec
    assert before is not None
    fields = {
        **{key: value for key, value in vars(before).items() if value is None or type(value) in (bool, int, str)},
        "entry_point": "os:system",
        "kwargs": {"dict": [["command", f"touch {tmp_path / 'ran'}"]]},
        "additional_wrappers": {"tuple": []},
    }
    data = json.loads(webenv.snapshot(env))
    data["stack"][0]["state"][name] = {"object": "EnvSpec", "fields": fields}
    with suppress(SnapshotError):
        webenv.restore(env, data)
    again = gym.make(env.spec)  # type: ignore[arg-type]
    assert (env.spec, type(again.unwrapped)) == (before, type(env.unwrapped))
    assert before.entry_point != "os:system"
    assert not (tmp_path / "ran").exists()


def test_a_spec_that_was_looked_at_is_no_state() -> None:
    """An environment whose spec was read is taken up by one whose spec was not."""
    env, twin = gym.make("NeedleInWeb-v0"), gym.make("NeedleInWeb-v0")
    env.reset(seed=1)
    assert env.spec is not None
    webenv.restore(twin, webenv.snapshot(env))
    assert_same(twin.step(search("lamp")), env.step(search("lamp")))


class Failing(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper whose state cannot be taken up."""

    error: type[BaseException] = MemoryError

    def snapshot_state(self) -> int:
        return 0

    def restore_state(self, saved: int) -> None:
        if saved:
            raise self.error


@pytest.mark.parametrize(
    ("error", "raised"),
    [(MemoryError, SnapshotError), (OSError, SnapshotError), (KeyboardInterrupt, KeyboardInterrupt)],
)
def test_all_or_nothing(error: type[BaseException], raised: type[BaseException]) -> None:
    """Whatever ends the restoring of a wrapper, those below it, and their objects, are given back."""
    env = Failing(Holder(SearchEnv(benchmark()), {"a": Plain(1), "b": OrderedDict(c=Plain(2))}))
    env.error = error
    env.reset(seed=1)
    before = webenv.snapshot(env)
    env.step(search("lamp"))
    data = json.loads(webenv.snapshot(env))
    data["stack"][0]["state"]["own"] = 1
    data["stack"][1]["state"]["held"] = 5
    webenv.restore(env, before)
    with pytest.raises(raised):
        webenv.restore(env, data)
    assert webenv.snapshot(env) == before


def test_deep_nesting_gives_back_what_lies_below() -> None:
    """A state too deep to be read is refused in one line, and the episode is as it was."""
    env = Holder(SearchEnv(benchmark()))
    env.reset(seed=1)
    before = webenv.snapshot(env)
    env.step(search("lamp"))
    data = json.loads(webenv.snapshot(env))
    deep: Any = 1
    for _ in range(400):
        deep = {"list": [deep]}
    data["stack"][0]["state"]["held"] = deep
    webenv.restore(env, before)
    assert "RecursionError" in refusal(lambda: webenv.restore(env, data))
    assert webenv.snapshot(env) == before


@pytest.mark.parametrize(("name", "place"), [("twister", 625), ("twister", -1), ("philox", 5), ("philox", -1)])
def test_a_generator_draws_from_its_own_memory(name: str, place: int) -> None:
    """A place that lies outside of a random generator's state, which NumPy would read, is refused."""
    env = Diary(SearchEnv(benchmark()))
    env.reset(seed=0)
    data = json.loads(webenv.snapshot(env))
    state = json.dumps(data["stack"][0]["state"][name])
    changed = re.sub(r'"(pos|buffer_pos)", \d+', rf'"\1", {place}', state)
    data["stack"][0]["state"][name] = json.loads(changed)
    with pytest.raises(SnapshotError, match=f"a random generator at {place}; expected 0 to"):
        webenv.restore(env, data)


def test_a_round_that_a_group_has_not_come_to_is_refused() -> None:
    """Else the next step would draw tasks for ever."""
    env = begin(VECTORS["bare"])
    for change in ({"rounds": [10**12] * env.num_envs}, {"rounds": [-5] * env.num_envs}):
        data = json.loads(webenv.snapshot(env))
        own = data["stack"][0]["state"]["own"]
        own |= change
        with pytest.raises(SnapshotError, match="of which its group has no task"):
            webenv.restore(env, data)


def test_other_environments_cannot_be_saved() -> None:
    """An environment that is none of ours is refused by name."""
    assert refusal(lambda: webenv.snapshot(gym.make("CartPole-v1"))) == (
        "a CartPoleEnv cannot be saved: expected a SearchEnv or a SearchVectorEnv."
    )
    envs: Any = SyncVectorEnv([STACKS["bare"]] * 2)
    assert refusal(lambda: webenv.snapshot(envs)).startswith("a SyncVectorEnv cannot be saved: expected")


# ── state that has no JSON form ───────────────────────────────────────────────


class Holder(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper that holds whatever it was given."""

    def __init__(self, env: gym.Env[Any, Any], held: Any = None) -> None:
        super().__init__(env)
        self.held = held


@dataclass(slots=True)
class Slotted:
    number: int = 1


class Plain:
    def __init__(self, number: int = 1) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"Plain({self.number})"


@pytest.mark.parametrize(
    ("held", "what"),
    [
        (b"bytes", "Holder.held is a bytes"),
        (1j, "Holder.held is a complex"),
        (threading.Lock(), "Holder.held is a lock"),
        (Slotted(), "Holder.held is a Slotted"),
        ({"deep": [b"x"]}, "Holder.held['deep'][0] is a bytes"),
        (deque([Plain()]), "Holder.held is a Plain"),
        ({"a": Plain(), "b": {"c": (Plain(), [{Phase.LATER}])}}, "Holder.held['b']['c'][1][0] is a Phase"),
        (np.array([1j]), "Holder.held is a ndarray of complex128"),
        (np.array([b"x"]), "Holder.held is a ndarray of |S1"),
        (np.array([None]), "Holder.held is a ndarray of object"),
        (np.zeros(2, dtype=[("a", int)]), "Holder.held is a ndarray of [('a', '<i8')]"),
        (np.datetime64("2020-01-01"), "Holder.held is a datetime64 of datetime64[D]"),
        (iter([1]), "Holder.held is a list_iterator"),
    ],
)
def test_state_that_cannot_be_saved_is_named(held: Any, what: str) -> None:
    """State of a wrapper without a JSON form is refused when it is saved, by its place and kind."""
    message = refusal(lambda: webenv.snapshot(Holder(SearchEnv(benchmark()), held)))
    assert message.startswith(f"{what}, which has no JSON form")
    assert message.endswith("give its class snapshot_state and restore_state.")


@pytest.mark.parametrize(
    "held",
    [
        None,
        True,
        2**80,
        1.5,
        float("inf"),
        "text \ud800",
        (1, [2, {3}]),
        {"array": 1, "dict": {(1, 2): None}},
        {None: 1, 1.5: 2, True: 3},
        deque([1, 2], maxlen=2),
        deque([1]),
        frozenset({3, 1, 2}),
        np.float32(0.1),
        np.arange(6, dtype=np.int16).reshape(2, 3),
        np.zeros((0, 3)),
        np.array(5),
        np.array(["ab", "c"]),
        np.array([np.nan, np.inf]),
        np.bool_(True),
        Phase.LATER,
        search("lamp"),
        webenv.Spending(1, 2, 3, 4, 5.0),
        Plain(7),
        {1, "a", (2, None)},
        {"list": [Plain(7)]},
        OrderedDict(a=1),
        defaultdict(list, {"a": [1]}),
        Counter("abca"),
        {"fn": len, "phases": [Phase.FIRST]},
        np.random.Generator(np.random.MT19937(3)),
        np.random.Generator(np.random.Philox(3)),
    ],
    ids=lambda held: type(held).__name__,
)
def test_state_that_is_saved(held: Any) -> None:
    """Numbers, texts, containers, arrays, enum members, named tuples, generators and plain objects come back."""
    present: Any = {Plain: Plain(0), Phase: Phase.FIRST, defaultdict: defaultdict(list)}.get(type(held))
    present = copy.deepcopy(held) if present is None else present
    env, twin = Holder(SearchEnv(benchmark()), held), Holder(SearchEnv(benchmark()), present)
    webenv.restore(twin, json.loads(webenv.snapshot(env)))
    back = twin.held
    assert type(back) is type(held)
    if isinstance(held, np.random.Generator):
        assert back.integers(1 << 30, size=5).tolist() == held.integers(1 << 30, size=5).tolist()
    elif isinstance(held, np.ndarray):
        np.testing.assert_array_equal(back, held)
        assert (back.dtype, back.shape) == (held.dtype, held.shape)
    elif isinstance(held, set | frozenset):
        assert back == held
    else:
        assert repr(back) == repr(held)


def test_objects_need_their_place() -> None:
    """An object cannot be restored where none of its kind is, and its place is named."""
    saved = webenv.snapshot(Holder(SearchEnv(benchmark()), [Plain(1), Plain(2)]))
    message = refusal(lambda: webenv.restore(Holder(SearchEnv(benchmark()), [Plain(0)]), saved))
    assert message == "Holder.held[1] was a Plain; it cannot be restored where there is None."


def test_an_object_that_holds_itself_is_refused() -> None:
    """A circle of objects is refused by its place."""
    circle = Plain()
    circle.number = circle  # type: ignore[assignment]
    message = refusal(lambda: webenv.snapshot(Holder(SearchEnv(benchmark()), circle)))
    assert message.startswith("Holder.held")
    assert message.endswith("holds a Plain that refers to itself.")


class OwnState(gym.Wrapper[Any, Any, Any, Any]):
    """A wrapper that says itself what is to be saved of it."""

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self.lock = threading.Lock()
        self.steps = 0

    def step(self, action: Any) -> Any:
        self.steps += 1
        return self.env.step(action)

    def snapshot_state(self) -> dict[str, Any]:
        return {"steps": self.steps}

    def restore_state(self, saved: dict[str, Any]) -> None:
        self.steps = saved["steps"]


def test_a_wrapper_can_save_itself() -> None:
    """A wrapper's own snapshot_state and restore_state are called instead."""
    env = OwnState(SearchEnv(benchmark()))
    env.reset(seed=0)
    env.step(note("x"))
    twin = OwnState(SearchEnv(benchmark()))
    webenv.restore(twin, webenv.snapshot(env))
    assert twin.steps == 1
    assert_same(twin.step(search("lamp")), env.step(search("lamp")))


def test_what_cannot_be_forked_is_named() -> None:
    """A fork of something that cannot be copied names the attribute that holds it."""
    env = Holder(SearchEnv(benchmark()), threading.Lock())
    assert refusal(lambda: webenv.fork(env)).startswith("Holder.held, a lock, cannot be copied: TypeError(")


def test_a_wrapper_may_hold_a_part_of_the_benchmark() -> None:
    """A wrapper that keeps the web for itself shares it with its fork."""
    made_of = benchmark()
    env = Holder(SearchEnv(made_of), made_of.web)
    assert webenv.fork(env).held is made_of.web


def test_lazy_attributes_come_back() -> None:
    """An attribute that a wrapper makes only in its first step is restored in one that has not stepped."""

    class Lazy(gym.Wrapper[Any, Any, Any, Any]):
        def step(self, action: Any) -> Any:
            self.count = getattr(self, "count", 0) + 1
            observation, reward, terminated, truncated, info = self.env.step(action)
            return observation, reward, terminated, truncated, info | {"count": self.count}

    env, twin = Lazy(SearchEnv(benchmark())), Lazy(SearchEnv(benchmark()))
    env.reset(seed=0)
    saved = webenv.snapshot(env)
    env.step(note("x"))
    webenv.restore(twin, webenv.snapshot(env))
    assert twin.step(note("x"))[4]["count"] == 2
    webenv.restore(twin, saved)
    assert twin.step(note("x"))[4]["count"] == 1


def test_the_small_web_has_nine_pages() -> None:
    """The figures of these tests are those of nine pages."""
    assert len(PLACES) == 9
