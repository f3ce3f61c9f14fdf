"""SearchVectorEnv: the same as single environments, in batches and in groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

from tests.hostile import any_action, good_action
from tests.webs import BrokenWeb, CountingWeb, GoldJudge, benchmark, pages_of, small_web
from webenv.actions import answer, ask, note, search, visit
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, UnknownTask
from webenv.vector import SearchVectorEnv

LAMP = "https://harbour.example/lamp"
MODES = ["next_step", "same_step", "disabled"]


def assert_same(ours: Any, theirs: Any) -> None:
    same = data_equivalence(_without_nan(ours), _without_nan(theirs), exact=True)
    assert same, f"{ours}\n  differs from\n{theirs}"


def _without_nan(data: Any) -> Any:
    """The same data with -9 for NaN, which equals nothing: what gymnasium makes of a missing value beside numbers."""
    if isinstance(data, dict):
        return {name: _without_nan(item) for name, item in data.items()}
    if isinstance(data, tuple):
        return tuple(_without_nan(item) for item in data)
    if isinstance(data, np.ndarray) and data.dtype == np.float64:
        return np.where(np.isnan(data), -9.0, data)
    return data


def both(made_of: Benchmark, count: int, mode: str) -> tuple[SearchVectorEnv, SyncVectorEnv[Any, Any]]:
    theirs = SyncVectorEnv([lambda: SearchEnv(made_of)] * count, autoreset_mode=_mode(mode))
    return SearchVectorEnv(made_of, count, autoreset_mode=mode), theirs


def _mode(mode: str) -> AutoresetMode:
    return {
        "next_step": AutoresetMode.NEXT_STEP,
        "same_step": AutoresetMode.SAME_STEP,
        "disabled": AutoresetMode.DISABLED,
    }[mode]


def refusal(call: Callable[[], Any], kind: type[Exception] = InvalidArgument) -> str:
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


# ── against gymnasium's own ───────────────────────────────────────────────────


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("draw", [good_action, any_action])
def test_same_as_single_environments(mode: str, draw: Callable[[np.random.Generator], Any]) -> None:
    """Over 250 steps of random actions everything equals gymnasium's SyncVectorEnv of single environments."""
    ours, theirs = both(benchmark(), 5, mode)
    rng = np.random.default_rng(0)
    assert_same(ours.reset(seed=3), theirs.reset(seed=3))
    ends = 0
    for _ in range(250):
        actions = tuple(draw(rng) for _ in range(5))
        got = ours.step(actions)
        assert_same(got, theirs.step(actions))
        done = np.logical_or(got[2], got[3])
        ends += int(done.sum())
        if mode == "disabled" and done.any():
            assert_same(ours.reset(options={"reset_mask": done}), theirs.reset(options={"reset_mask": done}))
    assert ends > 50


@pytest.mark.parametrize("mode", MODES)
def test_same_with_failures(mode: str) -> None:
    """Failures of the web and doubts of the judge truncate the same slots in the same way."""
    ours, theirs = both(benchmark(BrokenWeb(pages_of())), 4, mode)
    choices = [search("broken"), answer("broken"), answer("doubt"), answer(LAMP), answer("no"), visit(LAMP), note("x")]
    rng = np.random.default_rng(1)
    assert_same(ours.reset(seed=5), theirs.reset(seed=5))
    for _ in range(60):
        actions = tuple(choices[int(rng.integers(len(choices)))] for _ in range(4))
        got = ours.step(actions)
        assert_same(got, theirs.step(actions))
        done = np.logical_or(got[2], got[3])
        if mode == "disabled" and done.any():
            assert_same(ours.reset(options={"reset_mask": done}), theirs.reset(options={"reset_mask": done}))


@pytest.mark.parametrize("seed", [0, [4, 4, 7], [1, None, 2]])
def test_same_reset(seed: Any) -> None:
    """Seeds are read as gymnasium reads them; a later reset without a seed goes on drawing."""
    ours, theirs = both(benchmark(), 3, "next_step")
    first, theirs_first = ours.reset(seed=seed), theirs.reset(seed=seed)
    if None not in np.atleast_1d(np.array(seed, dtype=object)):
        assert_same(first, theirs_first)
        for _ in range(3):
            assert_same(ours.reset(), theirs.reset())
    else:
        assert first[1]["task"][[0, 2]].tolist() == theirs_first[1]["task"][[0, 2]].tolist()


def test_same_reset_with_a_task() -> None:
    """A chosen task draws nothing: what is drawn afterwards is the same."""
    ours, theirs = both(benchmark(), 3, "next_step")
    assert_same(ours.reset(seed=2, options={"task": "t/bell"}), theirs.reset(seed=2, options={"task": "t/bell"}))
    for _ in range(3):
        actions = (answer("x"), note("y"), answer("z"))
        assert_same(ours.step(actions), theirs.step(actions))


def test_same_masked_reset() -> None:
    """A mask resets its slots alone, with their own seeds; the others show their last observation."""
    ours, theirs = both(benchmark(), 3, "disabled")
    mask = np.array([False, True, True])
    assert_same(ours.reset(seed=2), theirs.reset(seed=2))
    actions = (search("lamp"), answer("x"), visit(LAMP))
    assert_same(ours.step(actions), theirs.step(actions))
    options = {"reset_mask": mask}
    assert_same(ours.reset(seed=9, options=dict(options)), theirs.reset(seed=9, options=dict(options)))
    actions = (visit(LAMP), search("lamp"), search("mill"))
    assert_same(ours.step(actions), theirs.step(actions))


def test_spaces_are_the_same() -> None:
    """The spaces are those that gymnasium makes of single environments, and hold the observations."""
    ours, theirs = both(benchmark(), 3, "next_step")
    assert ours.single_action_space == theirs.single_action_space
    assert ours.action_space == theirs.action_space
    assert ours.observation_space == theirs.observation_space
    observation, _ = ours.reset(seed=0)
    assert observation in ours.observation_space
    ours.action_space.seed(0)
    observation, *_ = ours.step(ours.action_space.sample())
    assert observation in ours.observation_space


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_processes() -> None:
    """gymnasium's AsyncVectorEnv, without shared memory, runs the same episodes in processes."""
    ours = SearchVectorEnv(benchmark(), 2)
    theirs = AsyncVectorEnv([lambda: SearchEnv(benchmark())] * 2, shared_memory=False)
    try:
        assert_same(ours.reset(seed=3), theirs.reset(seed=3))
        for actions in [(search("lamp"), visit(LAMP)), (answer("x"), search("mill")), (note("x"), answer(LAMP))]:
            assert_same(ours.step(actions), theirs.step(actions))
    finally:
        theirs.close()


# ── batches ───────────────────────────────────────────────────────────────────


def test_one_batch_of_each_kind_a_step() -> None:
    """64 episodes of any mix send at most one batch of each kind in a step, with all that was asked in it."""
    web, judge = CountingWeb(small_web()), GoldJudge()
    envs = SearchVectorEnv(benchmark(web, judge=judge), 64)
    envs.reset(seed=0)
    rng = np.random.default_rng(2)
    for _ in range(30):
        before = {kind: len(sizes) for kind, sizes in web.batches.items()}
        judged = len(judge.batches)
        envs.step(tuple(good_action(rng) for _ in range(64)))
        assert all(len(sizes) - before[kind] <= 1 for kind, sizes in web.batches.items())
        assert len(judge.batches) - judged <= 1
    assert max(web.batches["search"]) > 10


def test_the_batch_holds_everything() -> None:
    """One step of a known mix: 3 searches, 2 visits and, of two answers, 4 visits; 2 asks; 2 judgements."""
    web, judge = CountingWeb(small_web()), GoldJudge()
    envs = SearchVectorEnv(benchmark(web, judge=judge), 6)
    envs.reset(seed=0)
    envs.step(
        (search("a", "b"), search("c"), visit(LAMP, LAMP), answer("x"), answer("y"), ask("a", "b.example", "c.example"))
    )
    assert web.batches == {"search": [3], "visit": [6], "ask": [2]}
    assert judge.batches == [2]


# ── groups ────────────────────────────────────────────────────────────────────


def tasks_by_round(infos: list[dict[str, Any]]) -> dict[tuple[int, int], set[str]]:
    """(group, round) → the tasks that were put under that name."""
    found: dict[tuple[int, int], set[str]] = defaultdict(set)
    for info in infos:
        for slot in np.flatnonzero(info["_group"]):
            found[int(info["group"][slot]), int(info["round"][slot])].add(info["task"][slot])
    return dict(found)


def test_a_group_shares_its_task() -> None:
    """Slots in a row are given the same task, groups different chance."""
    envs = SearchVectorEnv(benchmark(), 12, group_size=4)
    _, info = envs.reset(seed=0)
    assert info["group"].tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert info["round"].tolist() == [0] * 12
    tasks = info["task"].reshape(3, 4)
    assert all(len(set(row)) == 1 for row in tasks.tolist())


def test_groups_draw_what_their_first_slots_would() -> None:
    """The seed of a group's first slot decides its tasks: those of a single environment with that seed."""
    _, info = SearchVectorEnv(benchmark(), 6, group_size=3).reset(seed=[5, 0, 0, 8, 0, 0])
    alone = [SearchEnv(benchmark()).reset(seed=seed)[1]["task"] for seed in (5, 8)]
    assert info["task"].tolist() == [alone[0]] * 3 + [alone[1]] * 3


@pytest.mark.parametrize("mode", MODES)
def test_rounds_stay_together(mode: str) -> None:
    """Members of a group that end at different times still work on the same tasks, round for round."""
    envs = SearchVectorEnv(benchmark(), 8, group_size=4, autoreset_mode=mode)
    rng = np.random.default_rng(3)
    infos = [envs.reset(seed=1)[1]]
    for _ in range(150):
        actions = tuple(answer("x") if rng.random() < 0.1 + 0.1 * slot else note("n") for slot in range(8))
        _, _, terminated, truncated, info = envs.step(actions)
        infos.append(info)
        done = np.logical_or(terminated, truncated)
        if mode == "disabled" and done.any():
            infos.append(envs.reset(options={"reset_mask": done})[1])
        if mode == "same_step" and "final_info" in info:
            infos.append(info["final_info"])
    found = tasks_by_round(infos)
    rounds = [round_ for group, round_ in found if group == 0]
    assert max(rounds) > 30
    assert all(len(tasks) == 1 for tasks in found.values())
    assert len(set.union(*found.values())) == 9


def test_groups_do_not_keep_what_is_over() -> None:
    """The tasks of rounds that all members have left are forgotten."""
    envs = SearchVectorEnv(benchmark(), 2, group_size=2, autoreset_mode="same_step")
    envs.reset(seed=0)
    for _ in range(50):
        envs.step((answer("x"), answer("y")))
    assert len(envs.snapshot_state()["groups"][0]["drawn"]) <= 1


def test_a_reset_brings_a_group_together() -> None:
    """After a reset of all, members that were rounds apart begin the same new round."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2, autoreset_mode="same_step")
    infos = [envs.reset(seed=0)[1]]
    for _ in range(3):
        infos.append(envs.step((answer("x"), note("n"), note("n"), note("n")))[4])
    _, info = envs.reset()
    infos.append(info)
    assert info["round"].tolist() == [4, 4, 1, 1]
    assert info["task"][0] == info["task"][1]
    assert all(len(tasks) == 1 for tasks in tasks_by_round(infos).values())


def test_a_masked_reset_of_a_whole_group_brings_it_together() -> None:
    """A mask over a whole group, with a seed, begins what that seed begins, whatever round its members were in."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2, autoreset_mode="same_step")
    envs.reset(seed=0)
    envs.step((answer("x"), note("n"), note("n"), note("n")))
    mask = np.array([True, True, False, False])
    _, info = envs.reset(seed=[5, 5, 5, 5], options={"reset_mask": mask})
    expected = SearchEnv(benchmark()).reset(seed=5)[1]["task"]
    assert info["task"].tolist()[:2] == [expected, expected]
    assert info["round"].tolist()[:2] == [2, 2]


def test_chosen_tasks_are_rounds_of_their_own() -> None:
    """Tasks chosen by options begin new rounds, so that group and round still name one task."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2)
    infos = [envs.reset(seed=0, options={"tasks": ["t/lamp", "t/bell"]})[1]]
    infos.append(envs.reset(options={"tasks": ["t/wheel", "t/comet"]})[1])
    infos.append(envs.reset()[1])
    infos.append(envs.reset(options={"task": "t/lens"})[1])
    assert [info["round"].tolist() for info in infos] == [[0] * 4, [1] * 4, [2] * 4, [3] * 4]
    assert all(len(tasks) == 1 for tasks in tasks_by_round(infos).values())


def test_chosen_tasks_draw_nothing() -> None:
    """What a group draws after a chosen task is what it would have drawn first."""
    envs = SearchVectorEnv(benchmark(), 2, group_size=2)
    envs.reset(seed=7, options={"task": "t/lamp"})
    _, info = envs.reset()
    assert info["task"].tolist() == [SearchEnv(benchmark()).reset(seed=7)[1]["task"]] * 2


# ── options ───────────────────────────────────────────────────────────────────


def test_tasks_for_each_slot() -> None:
    """One id for each slot puts that task to that slot."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2)
    _, info = envs.reset(options={"tasks": ["t/lamp", "t/bell", "t/wheel", "t/comet"]})
    assert info["task"].tolist() == ["t/lamp", "t/bell", "t/wheel", "t/comet"]


def test_tasks_for_each_group() -> None:
    """One id for each group puts that task to each of its slots."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2)
    _, info = envs.reset(options={"tasks": ("t/lamp", "t/bell")})
    assert info["task"].tolist() == ["t/lamp", "t/lamp", "t/bell", "t/bell"]


def test_one_task_for_all() -> None:
    """The option of single environments puts its task to every slot."""
    assert SearchVectorEnv(benchmark(), 3).reset(options={"task": "t/lamp"})[1]["task"].tolist() == ["t/lamp"] * 3


def test_masked_tasks() -> None:
    """With a mask the other slots go on with what they have."""
    envs = SearchVectorEnv(benchmark(), 3)
    envs.reset(options={"tasks": ["t/lamp", "t/bell", "t/wheel"]})
    mask = np.array([False, True, False])
    _, info = envs.reset(options={"tasks": ["no", "t/lens", "such"], "reset_mask": mask})
    assert info["_task"].tolist() == [False, True, False]
    assert [envs.snapshot_state()["episodes"][slot]["task"] for slot in range(3)] == ["t/lamp", "t/lens", "t/wheel"]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"task": "t/lmap"}, UnknownTask, "small has no task 't/lmap'. Did you mean 't/lamp'?"),
        ({"tasks": ["t/lamp"] * 3 + ["t/x"]}, UnknownTask, "small has no task 't/x'."),
        (
            {"tasks": ["t/lamp"] * 3},
            InvalidArgument,
            "options['tasks'] holds 3 ids: expected 4 ids, one for each slot, or 2",
        ),
        ({"tasks": "t/lamp"}, InvalidArgument, "options['tasks'] is 't/lamp': expected 4 ids, one for each slot"),
        ({"tasks": 4}, InvalidArgument, "options['tasks'] is 4: expected 4 ids, one for each slot"),
        ({"tsk": "t/lamp"}, InvalidArgument, "reset has no option 'tsk'. Did you mean 'task'?"),
        ({"task": "t/lamp", "tasks": []}, InvalidArgument, "reset takes the option 'task' or 'tasks', not both."),
        ({"reset_mask": np.zeros(4, dtype=bool)}, InvalidArgument, "at least one of them true"),
        ({"reset_mask": np.ones(3, dtype=bool)}, InvalidArgument, "options['reset_mask'] has shape (3,) and type bool"),
        ({"reset_mask": np.ones(4)}, InvalidArgument, "has shape (4,) and type float64: expected bools of shape (4,)"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    """Wrong options are refused in one line, and change nothing."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2)
    envs.reset(seed=0)
    before = envs.snapshot_state()
    assert message in refusal(lambda: envs.reset(seed=5, options=options), kind)
    assert envs.snapshot_state() == before


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ([1, 2], "seed holds 2 numbers: expected 4, one for each slot."),
    ],
)
def test_seeds_that_are_refused(seed: Any, message: str) -> None:
    """A list of seeds has one for each slot."""
    assert refusal(lambda: SearchVectorEnv(benchmark(), 4).reset(seed=seed)) == message


def test_a_seed_needs_its_whole_group() -> None:
    """A mask that would seed part of a group is refused, as its members would not share their tasks."""
    envs = SearchVectorEnv(benchmark(), 4, group_size=2)
    envs.reset(seed=0)
    mask = np.array([True, False, True, True])
    message = refusal(lambda: envs.reset(seed=5, options={"reset_mask": mask}))
    assert message == "reset_mask takes only some slots of group 0: a seed needs all of them."


def test_the_first_reset_takes_all_slots() -> None:
    """A mask before every slot has begun is refused: there would be slots without an observation."""
    envs = SearchVectorEnv(benchmark(), 3)
    message = refusal(lambda: envs.reset(options={"reset_mask": np.array([True, False, True])}))
    assert message == "options['reset_mask'] leaves out slots [1], which have not begun: reset all slots first."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs=0: expected a whole number from 1."),
        ({"num_envs": True}, "num_envs=True: expected a whole number from 1."),
        ({"num_envs": "4"}, "num_envs='4': expected a whole number from 1."),
        ({"num_envs": 4, "group_size": None}, "group_size=None: expected a divisor of num_envs=4."),
        ({"num_envs": 4, "group_size": 3}, "group_size=3: expected a divisor of num_envs=4."),
        ({"num_envs": 4, "group_size": 0}, "group_size=0: expected a divisor of num_envs=4."),
        ({"num_envs": 4, "autoreset_mode": "next"}, "autoreset_mode='next'. Did you mean 'next_step'?"),
        (
            {"num_envs": 4, "autoreset_mode": None},
            "autoreset_mode=None. Expected one of: disabled, next_step, same_step.",
        ),
        ({"num_envs": 4, "render_mode": "human"}, "render_mode='human': expected 'ansi' or None."),
        ({"num_envs": 4, "max_episode_steps": 0}, "max_episode_steps=0: expected a whole number from 1."),
    ],
)
def test_arguments_that_are_refused(arguments: dict[str, Any], message: str) -> None:
    """Wrong arguments are refused in one line."""
    assert refusal(lambda: SearchVectorEnv(benchmark(), **arguments)) == message


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, "SameStep", "same_step"])
def test_modes(mode: Any) -> None:
    """The mode is a name, gymnasium's name, or gymnasium's member; metadata say which it is."""
    envs = SearchVectorEnv(benchmark(), 2, autoreset_mode=mode)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert SearchVectorEnv.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


# ── errors of the program ─────────────────────────────────────────────────────


def test_step_before_reset() -> None:
    """A step before the first reset is a programming error, also of gymnasium's kind."""
    envs = SearchVectorEnv(benchmark(), 2)
    with pytest.raises(gym.error.ResetNeeded):
        envs.step((note("x"), note("y")))
    assert refusal(lambda: envs.step((note("x"), note("y"))), ResetNeeded).startswith("step was called before reset")


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_slots_are_finished_from_outside(mode: str) -> None:
    """Chosen slots end as a single environment does, in one judgement; then they begin anew, and the others go on."""
    judge = GoldJudge()
    envs = SearchVectorEnv(benchmark(judge=judge), 3, autoreset_mode=mode)
    single = SearchEnv(benchmark())
    envs.reset(options={"task": "t/lamp"})
    single.reset(options={"task": "t/lamp"})
    envs.step((search("lamp"),) * 3)
    single.step(search("lamp"))
    first, last = envs.finish([0, 2])
    assert_same((first.observation.to_dict(), *first[1:]), single.finish())
    assert (last.info["ending"], judge.batches) == ("cut_off", [2])
    if mode != "next_step":
        with pytest.raises(ResetNeeded, match=r"slots \[0, 2\] have ended"):
            envs.step((note("x"),) * 3)
        envs.reset(options={"reset_mask": np.array([True, False, True])})
    observation, *_ = envs.step((note("x"),) * 3)
    turns = [8, 6, 8] if mode == "next_step" else [7, 6, 7]
    assert observation["budget"][:, 3].tolist() == turns
    assert len(envs.finish()) == 3
    assert envs.finish() == []


def test_a_finish_that_is_refused() -> None:
    """Slots that there are not, that are named twice or in which no episode runs are refused."""
    envs = SearchVectorEnv(benchmark(), 2)
    with pytest.raises(ResetNeeded, match="finish was called before reset"):
        envs.finish()
    envs.reset()
    for slots in ([2], [0, 0], [True], ["x"]):
        with pytest.raises(InvalidArgument, match="expected different numbers from 0 to 1"):
            envs.finish(slots)  # type: ignore[arg-type]
    envs.finish([1])
    with pytest.raises(ResetNeeded, match="has ended"):
        envs.finish([1])


def test_step_after_the_end_in_mode_disabled() -> None:
    """Without autoreset a step where a slot has ended names the slots, and nothing is played."""
    envs = SearchVectorEnv(benchmark(), 3, autoreset_mode="disabled")
    envs.reset(seed=0)
    envs.step((answer("x"), note("y"), answer("z")))
    before = envs.snapshot_state()
    message = refusal(lambda: envs.step((note("x"),) * 3), ResetNeeded)
    assert message.startswith("slots [0, 2] have ended: call envs.reset() first")
    assert envs.snapshot_state() == before


@pytest.mark.parametrize("actions", [(), (note("x"),), (note("x"),) * 3])
def test_one_action_for_each_slot(actions: tuple[Any, ...]) -> None:
    """Another number of actions than slots is a programming error."""
    envs = SearchVectorEnv(benchmark(), 2)
    envs.reset(seed=0)
    message = f"step was given {len(actions)} actions: expected 2, one for each slot."
    assert refusal(lambda: envs.step(actions)) == message


def test_render() -> None:
    """In mode "ansi" each slot is rendered as text; without a mode there is nothing."""
    envs = SearchVectorEnv(benchmark(), 2, render_mode="ansi")
    assert envs.render() == ("", "")
    envs.reset(options={"task": "t/lamp"})
    envs.step((search("lamp"), note("x")))
    rendered = envs.render()
    assert rendered is not None
    assert " 1. The lamp\n    https://harbour.example/lamp\n    The lamp of the old" in rendered[0]
    assert rendered[1] == "Find the page of number 0.\n\nLeft: 4 searches, 4 visits, 2 asks, 7 turns"
    assert SearchVectorEnv(benchmark(), 2).render() is None


def test_call() -> None:
    """An attribute is had for each slot."""
    envs = SearchVectorEnv(benchmark(), 3, group_size=3)
    assert envs.call("group_size") == (3, 3, 3)


def test_close_twice() -> None:
    """Closing again does nothing."""
    envs = SearchVectorEnv(benchmark(), 2)
    envs.close()
    envs.close()


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_max_episode_steps(mode: str) -> None:
    """Episodes are truncated after so many steps, step by step as gymnasium's TimeLimit does it in its own vectors."""
    settings = {"web": "sample", "max_episode_steps": 2}
    envs = gym.make_vec("NeedleInWeb-v0", num_envs=3, autoreset_mode=mode, **settings)
    modes = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": AutoresetMode(envs.autoreset_mode)}}
    twins = gym.make_vec("NeedleInWeb-v0", num_envs=3, **settings, **modes)
    envs.reset(seed=1)
    twins.reset(seed=1)
    ends = 0
    for turn in range(7):
        actions = (search("lamp"), answer("x") if turn % 2 else note("x"), visit("https://nowhere.example/"))
        _, rewards, terminated, truncated, _ = envs.step(actions)
        _, twin_rewards, twin_terminated, twin_truncated, _ = twins.step(actions)
        assert (rewards.tolist(), terminated.tolist(), truncated.tolist()) == (
            twin_rewards.tolist(),
            twin_terminated.tolist(),
            twin_truncated.tolist(),
        )
        ends += int(truncated.sum())
    assert ends >= 5
