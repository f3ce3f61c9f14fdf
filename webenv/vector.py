"""SearchVectorEnv: hundreds of episodes in one process, their requests sent in batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NoReturn, cast

import numpy as np
import numpy.typing as npt
from gymnasium import Space
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from webenv.actions import Action
from webenv.benchmark import Benchmark
from webenv.curriculum import CurriculumState
from webenv.env import (
    check_benchmark,
    draw_task,
    follow,
    load_episode,
    load_observation,
    observation_text,
    read_options,
    told_difficulty,
)
from webenv.episode import Episode
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError, UnsupportedRenderMode, did_you_mean
from webenv.observations import Observation
from webenv.spaces import action_space, observation_space
from webenv.task import Task
from webenv.turn import Step, finish_episodes, play_turn

_MODES = {
    "next_step": AutoresetMode.NEXT_STEP,
    "same_step": AutoresetMode.SAME_STEP,
    "disabled": AutoresetMode.DISABLED,
}


class _SlotGroup:
    """Slots that work on the same tasks: the tasks drawn for them so far, and the chance that draws."""

    def __init__(self) -> None:
        self.seed: int = -1
        self.rng: np.random.Generator | None = None
        self.drawn: list[tuple[str, str]] = []  # the difficulty that a curriculum drew it from, and the task's id
        self.first = 0  # the round that drawn[0] belongs to

    def reseed(self, seed: int | None) -> None:
        if seed is not None or self.rng is None:
            self.rng, self.seed = seeding.np_random(seed)

    def task(
        self, round_: int, benchmark: Benchmark, curriculum: CurriculumState | None, chosen: Task | None
    ) -> tuple[str, Task]:
        """The task of a round, and its difficulty: chosen or drawn when the first slot comes to it, then the same."""
        task = chosen
        while self.first + len(self.drawn) <= round_:
            assert self.rng is not None  # reset seeds before anything is drawn
            difficulty, task = draw_task(benchmark, curriculum, self.rng, chosen)
            self.drawn.append((difficulty, task.id))
        difficulty, name = self.drawn[round_ - self.first]
        if chosen:
            return "", chosen
        return difficulty, task if task is not None and task.id == name else benchmark.tasks.find(name)

    def forget(self, before: int) -> None:
        """Drops the tasks of rounds that every slot has left behind."""
        drop = min(max(before - self.first, 0), len(self.drawn))
        del self.drawn[:drop]
        self.first += drop


class SearchVectorEnv(VectorEnv[dict[str, Any], Sequence[Action], npt.NDArray[Any]]):
    """Many episodes at once, in one process.

    Each step sends at most one batch of each kind (searches, visits, asks, judgements) for all
    slots together, and gives the same observations, rewards, ends and infos as single
    environments stepped one by one.

    Args:
        benchmark: as for :class:`webenv.SearchEnv`.
        num_envs: the number of slots, at least 1.
        group_size: how many slots in a row are given the same tasks, for group-relative
            advantages; divides ``num_envs``. Slot i is in group i // group_size. Where it is over
            1, ``info["group"]`` and ``info["round"]`` say which attempts belong together: those of
            one group and round share their task, unless ``options`` chose one slot by slot.
        autoreset_mode: ``"next_step"`` (the step after an end begins the next episode and ignores
            its action), ``"same_step"``, ``"disabled"`` (reset finished slots yourself, by
            ``options={"reset_mask": …}``), or a member of gymnasium's ``AutoresetMode``.
        render_mode: ``"ansi"`` or ``None``.
        max_episode_steps: after so many steps an episode is truncated, as by gymnasium's ``TimeLimit``, which gives no
            verdict; ``None``: never, for the budget's turns end episodes.

    Raises:
        InvalidArgument: for a number of slots or a group size that is out of range, or an unknown mode.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}  # type: ignore[misc]

    def __init__(
        self,
        benchmark: Benchmark,
        num_envs: int = 1,
        *,
        group_size: int = 1,
        autoreset_mode: str | AutoresetMode = "next_step",
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        if max_episode_steps is not None and (not _is_whole(max_episode_steps) or max_episode_steps < 1):
            raise InvalidArgument(f"max_episode_steps={max_episode_steps!r:.80}: expected a whole number from 1.")
        if not _is_whole(num_envs) or num_envs < 1:
            raise InvalidArgument(f"num_envs={num_envs!r:.80}: expected a whole number from 1.")
        if not _is_whole(group_size) or group_size < 1 or num_envs % group_size:
            raise InvalidArgument(f"group_size={group_size!r:.80}: expected a divisor of num_envs={num_envs}.")
        if render_mode not in (None, "ansi"):
            raise UnsupportedRenderMode(f"render_mode={render_mode!r}: expected 'ansi' or None.")
        self.benchmark = benchmark
        self.num_envs = num_envs
        self.group_size = group_size
        self.autoreset_mode = _read_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}  # type: ignore[misc]
        self.render_mode = render_mode
        self.max_episode_steps = max_episode_steps
        self.single_action_space = cast("Space[Any]", action_space())
        self.single_observation_space = cast("Space[Any]", observation_space())
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._groups = [_SlotGroup() for _ in range(num_envs // group_size)]
        self._rounds = [-1] * num_envs
        self._episodes: list[Episode | None] = [None] * num_envs
        self._observations: list[Observation | None] = [None] * num_envs
        self._ended = np.zeros(num_envs, dtype=np.bool_)
        curriculum = benchmark.curriculum
        self._curriculum = None if curriculum is None else CurriculumState(curriculum, num_envs)
        self._difficulties = [""] * num_envs

    @property
    def difficulty(self) -> float | None:
        """Where all slots stand on their curriculum, as :attr:`webenv.SearchEnv.difficulty`."""
        return None if self._curriculum is None else self._curriculum.position

    # ── reset ─────────────────────────────────────────────────────────────────

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins episodes.

        Args:
            seed: of slot 0, the others counting up from it; or one for each slot. The seed of a
                group's first slot decides the group's tasks.
            options: ``"tasks"``: one task id for each slot, or one for each group; ``"task"``: one
                id for all; ``"reset_mask"``: bool array of shape (num_envs,): the slots to reset,
                all by default (entries of ``"tasks"`` for other slots are not looked at).

        Raises:
            UnknownTask: for a task id that is not among the tasks.
            InvalidArgument: for options of another shape, or a mask that would seed part of a group.
        """
        read_options(options, ("task", "tasks", "reset_mask"))
        options = dict(options or {})
        mask = self._read_mask(options.get("reset_mask"))
        chosen = self._read_tasks(options)
        slots = [int(slot) for slot in np.flatnonzero(mask)]
        found = {slot: self.benchmark.tasks.find(name) for slot in slots if (name := chosen[slot]) is not None}
        self._reseed(mask, self._read_seeds(seed))
        infos = [(slot, self._begin(slot, found.get(slot))) for slot in slots]
        self._ended[mask] = False
        return self._batch(), batch_infos(infos, self.num_envs)

    def _begin(self, slot: int, task: Task | None = None) -> dict[str, Any]:
        group = self._groups[slot // self.group_size]
        self._rounds[slot] += 1
        self._difficulties[slot], task = group.task(self._rounds[slot], self.benchmark, self._curriculum, task)
        first = slot - slot % self.group_size
        group.forget(min(self._rounds[first : first + self.group_size]))
        episode = Episode(task, self.benchmark.rules, self.benchmark.budget)
        self._episodes[slot] = episode
        self._observations[slot] = episode.begin(self.benchmark.listed(task))
        return self._with_group(told_difficulty({"task": task.id}, self._difficulties[slot]), slot)

    def _with_group(self, info: dict[str, Any], slot: int) -> dict[str, Any]:
        if self.group_size > 1:
            info |= {"group": slot // self.group_size, "round": self._rounds[slot]}
        return info

    def _reseed(self, mask: npt.NDArray[np.bool_], seeds: Sequence[int | None]) -> None:
        """Before a reset: groups that are reset whole take their seed and come to a new round together."""
        parts = mask.reshape(-1, self.group_size)
        firsts = seeds[:: self.group_size]
        for number, (part, seed) in enumerate(zip(parts, firsts, strict=True)):
            if seed is not None and part[0] and not part.all():
                raise InvalidArgument(f"reset_mask takes only some slots of group {number}: a seed needs all of them.")
        for number, (part, seed) in enumerate(zip(parts, firsts, strict=True)):
            if part.all():
                self._groups[number].reseed(seed)
                self._align(number)

    def _align(self, number: int) -> None:
        """All slots of a group come to the same round, the last; what was drawn beyond it is dropped."""
        first, group = number * self.group_size, self._groups[number]
        last = max(self._rounds[first : first + self.group_size])
        self._rounds[first : first + self.group_size] = [last] * self.group_size
        group.drawn.clear()
        group.first = last + 1

    def _read_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        given: npt.NDArray[np.bool_] = np.asarray(mask)
        if given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            raise InvalidArgument(
                f"options['reset_mask'] has shape {given.shape} and type {given.dtype}: expected bools of shape "
                f"({self.num_envs},), at least one of them true."
            )
        idle = [slot for slot, episode in enumerate(self._episodes) if episode is None and not given[slot]]
        if idle:
            raise InvalidArgument(
                f"options['reset_mask'] leaves out slots {idle}, which have not begun: reset all slots first."
            )
        return given

    def _read_tasks(self, options: Mapping[str, Any]) -> list[str | None]:
        if "tasks" in options and "task" in options:
            raise InvalidArgument("reset takes the option 'task' or 'tasks', not both.")
        if "task" in options:
            return [options["task"]] * self.num_envs
        tasks = options.get("tasks")
        if tasks is None:
            return [None] * self.num_envs
        listed = hasattr(tasks, "__len__") and not isinstance(tasks, str | Mapping)
        if not listed or len(tasks) not in (self.num_envs, len(self._groups)):
            came = f"holds {len(tasks)} ids" if listed else f"is {tasks!r:.80}"
            raise InvalidArgument(
                f"options['tasks'] {came}: expected {self.num_envs} ids, one for each slot"
                + (f", or {len(self._groups)}, one for each group." if self.group_size > 1 else ".")
            )
        repeat = self.num_envs // len(tasks)
        return [task for task in tasks for _ in range(repeat)]

    def _read_seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + slot for slot in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidArgument(f"seed holds {len(seed)} numbers: expected {self.num_envs}, one for each slot.")
        return seed

    # ── step ──────────────────────────────────────────────────────────────────

    def step(
        self, actions: Sequence[Action]
    ) -> tuple[
        dict[str, Any],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Plays one turn in every slot.

        Args:
            actions: one for each slot.

        Raises:
            ResetNeeded: before the first reset, or in mode ``"disabled"`` where a slot has ended.
            InvalidArgument: for another number of actions than slots.
        """
        if len(actions) != self.num_envs:
            raise InvalidArgument(
                f"step was given {len(actions)} actions: expected {self.num_envs}, one for each slot."
            )
        resetting = self.autoreset_mode is AutoresetMode.NEXT_STEP
        if self._ended.any() and not resetting:
            self._reset_needed(f"slots {np.flatnonzero(self._ended).tolist()} have ended")
        ended = self._ended.tolist()
        playing = [slot for slot in range(self.num_envs) if not ended[slot]]
        turns = play_turn(self.benchmark, self._running(playing, "step"), [actions[slot] for slot in playing])
        steps = dict(zip(playing, turns, strict=True))
        if self._curriculum is not None:
            for slot, turn in zip(playing, turns, strict=True):  # before any begins anew: none is ahead of the others
                follow(self._curriculum, self._difficulties[slot], turn)
        rewards = [0.0] * self.num_envs
        terminated, truncated = [False] * self.num_envs, [False] * self.num_envs
        infos: list[tuple[int, dict[str, Any]]] = []
        same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        for slot in range(self.num_envs):
            step = steps.get(slot)
            if step is None:
                infos.append((slot, self._begin(slot)))
                continue
            observation, rewards[slot], over, cut, info = step
            cut = cut or self._too_long(step)
            self._observations[slot], terminated[slot], truncated[slot] = observation, over, cut
            info = self._with_group(info, slot)
            if same_step and (over or cut):
                infos.append((slot, {"final_obs": observation.to_dict(), "final_info": info}))
                info = self._begin(slot)
            infos.append((slot, info))
        told = np.array(terminated, dtype=np.bool_), np.array(truncated, dtype=np.bool_)
        if not same_step:
            self._ended = np.logical_or(*told)
        return self._batch(), np.array(rewards, dtype=np.float64), *told, batch_infos(infos, self.num_envs)

    def finish(self, slots: Sequence[int] | None = None) -> list[Step]:
        """Ends running episodes from outside, as :meth:`webenv.SearchEnv.finish` does; they are judged in one batch.

        Those slots have then ended: the next step begins their next episodes in mode ``"next_step"``; in the other
        modes they are to be reset.

        Args:
            slots: which; ``None``: all in which an episode is running.

        Returns:
            What a step of each came to, in the order of the slots.

        Raises:
            ResetNeeded: before the first reset, or where an episode has ended already.
            InvalidArgument: for what is no slot, or one that is named twice.
        """
        chosen = np.flatnonzero(~self._ended).tolist() if slots is None else list(slots)
        if not all(_is_whole(slot) and 0 <= slot < self.num_envs for slot in chosen) or len({*chosen}) < len(chosen):
            raise InvalidArgument(f"slots={chosen!r:.80}: expected different numbers from 0 to {self.num_envs - 1}.")
        steps = finish_episodes(self.benchmark, self._running(chosen, "finish"))
        for slot, step in zip(chosen, steps, strict=True):
            self._observations[slot] = step.observation
            self._with_group(told_difficulty(step.info, self._difficulties[slot]), slot)
        self._ended[chosen] = True
        return steps

    def _too_long(self, step: Step) -> bool:
        if self.max_episode_steps is None:
            return False
        return self.benchmark.budget.turns - step.observation.budget[3] >= self.max_episode_steps

    def _running(self, slots: Sequence[int], what: str) -> list[Episode]:
        episodes = [episode for slot in slots if (episode := self._episodes[slot]) is not None]
        if len(episodes) < len(slots):
            self._reset_needed(f"{what} was called before reset")
        return episodes

    def _reset_needed(self, why: str) -> NoReturn:
        raise ResetNeeded(f"{why}: call envs.reset() first (options={{'reset_mask': …}} resets some slots).")

    def _batch(self) -> dict[str, Any]:
        """The observations of all slots: tuples of length num_envs; ``budget`` int32 (num_envs, 4)."""
        shown = [observation for observation in self._observations if observation is not None]
        return {
            "notice": tuple([one.notice for one in shown]),
            "pages": tuple([one.pages_shown() for one in shown]),
            "question": tuple([one.question for one in shown]),
            "replies": tuple([one.replies_shown() for one in shown]),
            "results": tuple([one.results_shown() for one in shown]),
            "budget": np.array([one.budget for one in shown], dtype=np.int32),
        }

    # ── the rest ──────────────────────────────────────────────────────────────

    def render(self) -> tuple[str, ...] | None:
        """The last observation of each slot as text, in render mode ``"ansi"``."""
        if self.render_mode is None:
            return None
        return tuple(observation_text(o) if o is not None else "" for o in self._observations)

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The value of an attribute for each slot (there are no single environments to call)."""
        value = getattr(self, name)
        value = value(*args, **kwargs) if callable(value) else value
        return (value,) * self.num_envs

    def snapshot_state(self) -> dict[str, Any]:
        """The state of all slots, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {
            "benchmark": self.benchmark.identity,
            "num_envs": self.num_envs,
            "group_size": self.group_size,
            "autoreset_mode": self.autoreset_mode.value,
            "groups": [
                {
                    "seed": group.seed,
                    "rng": None if group.rng is None else group.rng.bit_generator.state,
                    "drawn": [name for _, name in group.drawn],
                    "first": group.first,
                }
                for group in self._groups
            ],
            "rounds": list(self._rounds),
            "episodes": [None if episode is None else episode.save() for episode in self._episodes],
            "shown": list(self._observations),
            "ended": self._ended.tolist(),
        } | self._saved_curriculum()

    def _saved_curriculum(self) -> dict[str, Any]:
        if self._curriculum is None:
            return {}
        drawn = [[difficulty for difficulty, _ in group.drawn] for group in self._groups]
        return {"curriculum": {**self._curriculum.save(self._difficulties), "drawn": drawn}}

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        """Takes up a state that :meth:`snapshot_state` gave."""
        check_benchmark(self.benchmark, saved.get("benchmark"))
        shape = {"num_envs": self.num_envs, "group_size": self.group_size, "autoreset_mode": self.autoreset_mode.value}
        for name, value in shape.items():
            if saved.get(name) != value:
                raise SnapshotError(f"the state has {name}={saved.get(name)!r}; this environment {value!r}.")
        groups = []
        for record in saved["groups"]:
            group = _SlotGroup()
            group.seed, group.first = record["seed"], record["first"]
            group.drawn = [("", name) for name in record["drawn"]]
            if record["rng"] is not None:
                group.rng, _ = seeding.np_random(0)
                group.rng.bit_generator.state = record["rng"]
            groups.append(group)
        episodes = [None if one is None else load_episode(self.benchmark, one) for one in saved["episodes"]]
        shown = [None if one is None else load_observation(one) for one in saved["shown"]]
        slots = (episodes, shown, saved["rounds"], saved["ended"])
        whole = all(map(_is_whole, saved["rounds"])) and all(_is_whole(group.first) for group in groups)
        if not whole or len(groups) != len(self._groups) or any(len(part) != self.num_envs for part in slots):
            raise SnapshotError(
                "the state does not have one episode for each slot; expected what webenv.snapshot gave."
            )
        for slot, round_ in enumerate(saved["rounds"]):
            group = groups[slot // self.group_size]
            # else the next reset would draw tasks until it comes to that round
            if not -1 <= group.first - 1 <= round_ < group.first + len(group.drawn):
                raise SnapshotError(f"slot {slot} is in round {round_}, of which its group has no task.")
        if not all(isinstance(name, str) for group in groups for _, name in group.drawn):
            raise SnapshotError("the tasks that were drawn are no texts; expected what webenv.snapshot gave.")
        if self.benchmark.curriculum is not None:
            given: Any = saved.get("curriculum")
            curriculum, running = CurriculumState.load(self.benchmark.curriculum, self.num_envs, given)
            for group, names in zip(groups, given["drawn"], strict=True):
                group.drawn = [(str(level), id) for level, (_, id) in zip(names, group.drawn, strict=True)]
            self._curriculum, self._difficulties = curriculum, running
        self._groups, self._episodes, self._rounds = groups, episodes, list(saved["rounds"])
        self._observations = shown
        self._ended = np.array(saved["ended"], dtype=np.bool_)


def _is_whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _read_mode(mode: str | AutoresetMode) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    known = _MODES | {value.value: value for value in AutoresetMode}
    if mode not in known:
        raise InvalidArgument(f"autoreset_mode={mode!r}. {did_you_mean(str(mode), _MODES)}")
    return known[mode]


def batch_infos(infos: Iterable[tuple[int, dict[str, Any]]], num_envs: int) -> dict[str, Any]:
    """Makes what ``VectorEnv._add_info`` makes of the same infos one after the other, key by key instead.

    Args:
        infos: slots and their infos; a slot may come twice with different keys.
        num_envs: how many slots there are.

    Returns:
        For each key an array of shape (num_envs,), or a dict of such arrays where the values are
        dicts; and under ``_key`` a bool array that says which slots have the key.

    >>> batch_infos([(1, {"task": "a/1"})], 2)
    {'task': array([None, 'a/1'], dtype=object), '_task': array([False,  True])}
    """
    columns: dict[str, tuple[list[int], list[Any]]] = {}
    for slot, info in infos:
        for key, value in info.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = ([], [])
            column[0].append(slot)
            column[1].append(value)
    batch: dict[str, Any] = {}
    for key, (slots, values) in columns.items():
        if isinstance(values[0], dict) and key != "final_obs":
            batch[key] = batch_infos(zip(slots, values, strict=True), num_envs)
        else:
            batch[key] = _array(slots, values, num_envs)
        mask = np.zeros(num_envs, dtype=np.bool_)
        mask[slots] = True
        batch[f"_{key}"] = mask
    return batch


def _array(slots: list[int], values: list[Any], num_envs: int) -> npt.NDArray[Any]:
    kind = type(values[0])
    if kind in (int, float, bool) or issubclass(kind, np.number):
        array: npt.NDArray[Any] = np.zeros(num_envs, dtype=kind)
        array[slots] = values
        return array
    array = np.full(num_envs, None, dtype=object)
    for slot, value in zip(slots, values, strict=True):
        array[slot] = value
    return array
