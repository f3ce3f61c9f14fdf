"""Plays a vector of menus, and hands out groups of finished rollouts at one task."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from gymnasium.vector import AutoresetMode
from torch import Tensor

from webenv.errors import InvalidArgument
from webenv.policies.learned.learner import EpisodeStats, terms_of
from webenv.policies.learned.scorer import MenuScorer, as_tensors
from webenv.wrappers.menu import VectorMenuWrapper

_ROWS = ("queries", "candidates", "sites", "context")


class Frame(NamedTuple):
    """Steps, one below the other: what was seen, allowed and done, and how likely that was; a step of all N slots, or
    many of some. float32 but for ``mask`` (bool) and ``actions`` (int64)."""

    observation: dict[str, Tensor]
    mask: Tensor
    actions: Tensor
    log_probabilities: Tensor

    @classmethod
    def of(cls, attempts: Sequence[MenuRollout]) -> Frame:
        """The steps of attempts, in order."""
        steps = [(frame, attempt.slot) for attempt in attempts for frame in attempt.frames]
        return cls(
            {name: torch.stack([frame.observation[name][slot] for frame, slot in steps]) for name in _ROWS},
            torch.stack([frame.mask[slot] for frame, slot in steps]),
            torch.stack([frame.actions[slot] for frame, slot in steps]),
            torch.stack([frame.log_probabilities[slot] for frame, slot in steps]),
        )

    def rows(self, numbers: Tensor) -> Frame:
        """Some of the steps: int64 (M,)."""
        observation = {name: values[numbers] for name, values in self.observation.items()}
        return Frame(observation, self.mask[numbers], self.actions[numbers], self.log_probabilities[numbers])


class MenuRollout(NamedTuple):
    """A finished attempt at a task.

    Attributes:
        slot: which slot of the vector environment played it.
        frames: its steps, which it shares with the other slots.
        reward: the sum of its rewards.
        scored: whether it may be learned from.
    """

    slot: int
    frames: list[Frame]
    reward: float
    scored: bool


class RolloutCollector:
    """Plays groups of attempts, a step of all slots at a time, without a break between updates.

    The environment resets in the same step, so that every step of every slot is a turn of an agent;
    in mode ``"next_step"`` one step an episode would be a reset, and rounds that all wait for
    their slowest slot waste more. Slots of a group go on to the next task on their own, and drift
    apart as a random walk does: once a group is ``spread`` rounds apart, it begins a new task
    together, which drops the turns of its running attempts. Attempts that wait for siblings then
    make groups of those that there are.

    Args:
        envs: groups of two slots or more, in mode ``"same_step"``.
        spread: how many rounds the slots of a group may be apart.

    Attributes:
        env_seconds: wall time spent in the environment.
        decide_seconds: wall time spent in choosing actions.
        dropped: how many steps were played and dropped.

    Raises:
        InvalidArgument: for another mode, or slots without groups.
    """

    def __init__(self, envs: VectorMenuWrapper, spread: int) -> None:
        mode = envs.metadata.get("autoreset_mode")
        if mode is not AutoresetMode.SAME_STEP:
            raise InvalidArgument(f"autoreset_mode={mode}: GRPO expects gym.make_vec(…, autoreset_mode='same_step').")
        self.group_size = int(getattr(envs.unwrapped, "group_size", 1))
        if self.group_size < 2:
            raise InvalidArgument(f"group_size={self.group_size}: GRPO compares attempts at one task; give 2 or more.")
        self.envs = envs
        self.spread = spread
        self.env_seconds = self.decide_seconds = 0.0
        self.dropped = 0
        self._running: list[list[Frame]] = [[] for _ in range(envs.num_envs)]
        self._reward = np.zeros(envs.num_envs)
        self._cost = np.zeros(envs.num_envs)
        self._waiting: dict[tuple[int, int], list[MenuRollout]] = {}  # (group, round) → those that are done
        self._seen: dict[str, npt.NDArray[Any]] = {}

    def begin(self, seed: int) -> None:
        self._seen, _ = self.envs.reset(seed=seed)

    def play(self, scorer: MenuScorer, chance: torch.Generator, tally: EpisodeStats) -> Iterator[list[MenuRollout]]:
        """Plays one step in all slots, and gives the groups that it completed.

        Args:
            scorer: chooses the actions; it is asked once, for all slots.
            chance: draws them.
            tally: counts the step and the episodes that end.
        """
        started = time.perf_counter()
        frame = self._decide(scorer, chance)
        decided = time.perf_counter()
        self._seen, rewards, terminated, truncated, infos = self.envs.step(frame.actions.numpy())
        self.decide_seconds += decided - started
        self.env_seconds += time.perf_counter() - decided
        tally.steps += self.envs.num_envs
        self._reward += rewards
        for frames in self._running:
            frames.append(frame)
        going = infos.get("reward_terms", {}).get("cost")
        if going is not None:
            self._cost += going
        for slot in np.flatnonzero(terminated | truncated):
            yield from self._end(int(slot), infos["final_info"], tally)
        yield from self._realign(infos["round"])

    def _decide(self, scorer: MenuScorer, chance: torch.Generator) -> Frame:
        observation = {name: rows.clone() for name, rows in as_tensors(self._seen).items()}
        mask = torch.from_numpy(np.array(self.envs.action_masks(), dtype=np.bool_))
        with torch.no_grad():
            scores = scorer(observation, mask)
            actions = scores.draw(chance)
            return Frame(observation, mask, actions, scores.of(actions))

    def _end(self, slot: int, final: Any, tally: EpisodeStats) -> Iterator[list[MenuRollout]]:
        terms = terms_of(final["reward_terms"], slot)
        terms["cost"] = float(self._cost[slot]) + terms.get("cost", 0.0)
        attempt = MenuRollout(slot, self._running[slot], float(self._reward[slot]), bool(final["scored"][slot]))
        tally.add(attempt.scored, final["verdict"]["value"][slot], attempt.reward, terms)
        self._clear(slot)
        place = int(final["group"][slot]), int(final["round"][slot])
        group = self._waiting.setdefault(place, [])
        group.append(attempt)
        if len(group) == self.group_size:
            yield self._waiting.pop(place)

    def _clear(self, slot: int) -> None:
        self._running[slot], self._reward[slot], self._cost[slot] = [], 0.0, 0.0

    def _realign(self, rounds: npt.NDArray[np.int64]) -> Iterator[list[MenuRollout]]:
        """Groups whose slots are too far apart begin a task together; gives what they had finished."""
        apart = np.ptp(rounds.reshape(-1, self.group_size), axis=1) > self.spread
        if not apart.any():
            return
        mask = np.repeat(apart, self.group_size)
        for slot in np.flatnonzero(mask):
            self.dropped += len(self._running[slot])
            self._clear(int(slot))
        started = time.perf_counter()
        self._seen, _ = self.envs.reset(options={"reset_mask": mask})
        self.env_seconds += time.perf_counter() - started
        for place in [place for place in self._waiting if apart[place[0]]]:
            yield self._waiting.pop(place)

    # ── saved and loaded ──────────────────────────────────────────────────────

    def save(self) -> dict[str, Any]:
        """What is running and waiting, as tensors, numbers and lists; the environment apart."""
        waiting = [(place, attempt) for place, group in self._waiting.items() for attempt in group]
        every = [*self._running, *(attempt.frames for _, attempt in waiting)]
        frames = {id(frame): frame for of_one in every for frame in of_one}
        numbers = {name: number for number, name in enumerate(frames)}
        return {
            "frames": [list(_flat(frame)) for frame in frames.values()],
            "running": [[numbers[id(frame)] for frame in of_slot] for of_slot in self._running],
            "rewards": [self._reward.tolist(), self._cost.tolist()],
            "waiting": [
                [*place, one.slot, [numbers[id(frame)] for frame in one.frames], one.reward, one.scored]
                for place, one in waiting
            ],
            "seen": [torch.from_numpy(np.array(self._seen[name])) for name in _ROWS],
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Takes up what :meth:`save` gave; the environment is restored apart."""
        frames = [Frame(dict(zip(_ROWS, flat[:4], strict=True)), *flat[4:]) for flat in saved["frames"]]
        self._running = [[frames[number] for number in of_slot] for of_slot in saved["running"]]
        self._reward, self._cost = (np.array(numbers) for numbers in saved["rewards"])
        self._waiting = {}
        for group, round_, slot, numbers, reward, scored in saved["waiting"]:
            attempt = MenuRollout(slot, [frames[number] for number in numbers], reward, scored)
            self._waiting.setdefault((group, round_), []).append(attempt)
        self._seen = {name: rows.numpy() for name, rows in zip(_ROWS, saved["seen"], strict=True)}


def _flat(frame: Frame) -> tuple[Tensor, ...]:
    return *(frame.observation[name] for name in _ROWS), frame.mask, frame.actions, frame.log_probabilities
