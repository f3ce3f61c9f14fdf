"""MenuWrapper and VectorMenuWrapper: Discrete actions and Box features, for classic reinforcement learning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorWrapper
from gymnasium.vector.utils import batch_space

from webenv.actions import Action
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError
from webenv.observations import ObservationDict
from webenv.runtime.processes import worker_count
from webenv.vector import SearchVectorEnv
from webenv.wrappers.menu.menu import Answers, Features, Menu, feature_shapes
from webenv.wrappers.menu.shared import SharedMenus, SlotEvent, VectorObservation
from webenv.wrappers.menu.size import MenuSize


class MenuWrapper(gymnasium.Wrapper[Features, np.int64, ObservationDict, Action], RecordConstructorArgs):
    """A search environment as a menu: numbered actions, and features of what may be done.

    Action Space: ``Discrete(A)``, numbered as :class:`MenuSize` says. ``action_masks()`` tells which may
    be done now; any other is a wasted turn.
    Observation Space: ``Dict`` of float32 ``Box`` from 0 to 1: ``queries`` (Q, Fq), ``candidates`` (K, Fc),
    ``sites`` (S, Fs), ``context`` (G,), whose columns ``QUERY_FEATURES``, ``CANDIDATE_FEATURES``,
    ``SITE_FEATURES`` and ``CONTEXT_FEATURES`` name.
    Information: as the environment's, and ``action_mask``: int8 (A,), as ``action_space.sample(mask=…)`` wants it.

    Args:
        env: a search environment, as ``gymnasium.make("NeedleInWeb-v0")`` gives.
        size: how many criteria, candidates and sites the menu has.

    Raises:
        InvalidArgument: where ``env`` is no search environment, or the size is out of range.
    """

    def __init__(self, env: gymnasium.Env[ObservationDict, Action], size: MenuSize = MenuSize()) -> None:  # noqa: B008
        if not isinstance(getattr(env, "unwrapped", None), SearchEnv):
            raise InvalidArgument(
                f"MenuWrapper({_named(env)}): expected a search environment, as gymnasium.make('NeedleInWeb-v0') gives."
            )
        RecordConstructorArgs.__init__(self, size=size)
        gymnasium.Wrapper.__init__(self, cast("gymnasium.Env[Any, Any]", env))
        self.menu = Menu(size, answers_of(env.unwrapped.benchmark))  # type: ignore[attr-defined]
        self.action_space = spaces.Discrete(self.menu.size.actions)
        self.observation_space = cast("spaces.Space[Features]", menu_space(self.menu.size))
        self._begun = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begins an episode; see :meth:`webenv.SearchEnv.reset`."""
        observation, info = self._search.reset(seed=seed, options=options)
        self.menu.begin(observation)
        self._begun = True
        return self._features(), info | {"action_mask": self.menu.mask().astype(np.int8)}

    def step(self, action: np.int64 | int) -> tuple[Features, float, bool, bool, dict[str, Any]]:
        """Does what stands at a number of the menu.

        Raises:
            ResetNeeded: where no episode is running.
            InvalidArgument: for a number that is not on the menu.
        """
        if not self._begun:
            raise ResetNeeded("step was called before reset: call env.reset() first.")
        done = self.menu.action(
            action.item() if isinstance(action, np.generic | np.ndarray) and action.size == 1 else action
        )
        observation, reward, terminated, truncated, info = self._search.step(done)
        self.menu.update(done, observation)
        return (
            self._features(),
            float(reward),
            terminated,
            truncated,
            info | {"action_mask": self.menu.mask().astype(np.int8)},
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool (A,): the actions that may be done now.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not self._begun:
            raise ResetNeeded("action_masks was called before reset: call env.reset() first.")
        return self.menu.mask()

    @property
    def _search(self) -> gymnasium.Env[ObservationDict, Action]:
        """What is wrapped; gymnasium takes its observations for those of the wrapper."""
        return cast("gymnasium.Env[ObservationDict, Action]", self.env)

    def _features(self) -> Features:
        out = {name: np.zeros(shape, dtype=np.float32) for name, shape in feature_shapes(self.menu.size).items()}
        self.menu.features(out)
        return out

    def snapshot_state(self) -> dict[str, Any]:
        """The state of the menu, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {"size": list(self.menu.size), "menu": self.menu.save() if self._begun else None}

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        check_size(self.menu.size, saved["size"])
        self._begun = saved["menu"] is not None
        if self._begun:
            self.menu.load(saved["menu"])


def menu_space(size: MenuSize) -> spaces.Dict[Any]:
    """The space of a menu's features."""
    return spaces.Dict(
        {name: spaces.Box(0.0, 1.0, shape=shape, dtype=np.float32) for name, shape in feature_shapes(size).items()}
    )


def answers_of(benchmark: Benchmark) -> Answers:
    """What a benchmark wants for an answer: a ranking of URLs, a URL, a report, or a phrase."""
    if benchmark.rules.answers > 1:
        return "ranking"
    if benchmark.rules.fetch_answer:
        return "url"
    return "report" if benchmark.rules.keep_pages else "phrase"  # what is judged by its citations


def check_size(size: MenuSize, saved: Any) -> None:
    """Refuses a state that was saved with a menu of another size.

    Raises:
        SnapshotError: naming both.
    """
    if saved != list(size):
        raise SnapshotError(f"the state was saved with a menu of size {saved}; this one has {list(size)}.")


def _named(env: object) -> str:
    spec = getattr(env, "spec", None)
    return str(spec.id) if spec is not None else type(env).__name__


_LEAST = 16  # slots that are worth a process


class VectorMenuWrapper(VectorWrapper):
    """As :class:`MenuWrapper`, for the slots of a :class:`webenv.SearchVectorEnv`, step for step the same.

    Args:
        env: a vector of search environments, as ``gymnasium.make_vec("NeedleInWeb-v0", num_envs=64)`` gives,
            in any autoreset mode.
        size: how many criteria, candidates and sites a menu has.
        workers: processes that share the menus, this one included; ``None``: as many as there are cores, with 16
            slots or more each. Slots of a group stay together. What is given does not depend on it.
        final: in mode ``"same_step"``, whether infos have ``final_obs``, the features of episodes that ended; a learner
            that does not read them saves their time with ``False``.

    Raises:
        InvalidArgument: where ``env`` is none, or a number is out of range.
    """

    def __init__(
        self,
        env: Any,
        size: MenuSize = MenuSize(),  # noqa: B008
        *,
        workers: int | None = None,
        final: bool = True,
    ) -> None:
        base = getattr(env, "unwrapped", None)
        if not isinstance(base, SearchVectorEnv):
            raise InvalidArgument(
                f"VectorMenuWrapper({type(env).__name__}): expected a vector of search environments, as "
                "gymnasium.make_vec('NeedleInWeb-v0', num_envs=64) gives."
            )
        if isinstance(workers, bool) or not isinstance(workers, int | None) or (workers is not None and workers < 1):
            raise InvalidArgument(f"workers={workers!r}: expected a whole number from 1, or None.")
        super().__init__(env)
        self.mode = base.autoreset_mode
        self.size = MenuSize.of(size)
        self._menus = SharedMenus(
            self.size, answers_of(base.benchmark), _shares(env.num_envs, base.group_size, workers)
        )
        self.single_action_space = spaces.Discrete(self.size.actions)
        self.single_observation_space = menu_space(self.size)
        self.action_space = batch_space(self.single_action_space, env.num_envs)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self._masks = np.zeros((env.num_envs, self.size.actions), dtype=np.bool_)
        self._ended = np.zeros(env.num_envs, dtype=np.bool_)
        self._final = final
        self._begun = self._torn = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begins episodes; see :meth:`webenv.SearchVectorEnv.reset`."""
        mask = (options or {}).get("reset_mask")
        if self._torn and mask is not None and not np.all(mask):
            self._reset_needed()
        observations, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        begun = np.ones(self.num_envs, dtype=np.bool_) if mask is None else np.asarray(mask)
        self._ended[begun] = False
        self._begun = True
        features, _ = self._tell([_begins(observations, slot) if begun[slot] else SlotEvent() for slot in self._slots])
        return features, infos | self._mask_info()

    def step(
        self, actions: npt.NDArray[np.integer[Any]]
    ) -> tuple[Features, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Does in every slot what stands at a number of its menu.

        Args:
            actions: int (N,).

        Raises:
            ResetNeeded: before the first reset, or in mode ``"disabled"`` where a slot has ended.
            InvalidArgument: for another number of actions than slots, or one that is not on the menu.
        """
        if not self._begun:
            raise ResetNeeded("step was called before reset: call envs.reset() first.")
        if self._torn:
            self._reset_needed()
        numbers = self._numbers(actions)
        done = self._menus.actions([None if self._ended[slot] else numbers[slot] for slot in self._slots])
        observations, rewards, terminated, truncated, infos = self.env.step(done)
        over = np.logical_or(terminated, truncated)
        events: list[SlotEvent] = []
        last: list[int] = []  # slots whose episode ended, and another began
        for slot in self._slots:
            if self._ended[slot]:
                events.append(_begins(observations, slot))
            elif over[slot] and self.mode is AutoresetMode.SAME_STEP:
                if self._final:
                    events.append(SlotEvent((done[slot], infos["final_obs"][slot]), _of(observations, slot)))
                    last.append(slot)
                else:
                    events.append(_begins(observations, slot))
            else:
                events.append(SlotEvent((done[slot], _of(observations, slot))))
        if self.mode is AutoresetMode.NEXT_STEP:
            self._ended = over
        features, masks = self._tell(events)
        if not self._final:
            infos = {name: values for name, values in infos.items() if name not in ("final_obs", "_final_obs")}
        for place, slot in enumerate(last, self.num_envs):
            infos["final_obs"][slot] = {name: rows[place].copy() for name, rows in features.items()}
        if last:
            final = np.zeros((self.num_envs, self.size.actions), dtype=np.int8)
            final[last] = masks[self.num_envs :]
            named = {"action_mask": final, "_action_mask": np.isin(self._slots, last)}
            infos["final_info"] = {**infos["final_info"], **named}
        seen = {name: rows[: self.num_envs] for name, rows in features.items()} if last else features
        return seen, rewards, terminated, truncated, infos | self._mask_info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool (N, A): the actions that may be done now, slot by slot.

        Raises:
            ResetNeeded: before the first reset.
        """
        if not self._begun:
            raise ResetNeeded("action_masks was called before reset: call envs.reset() first.")
        return self._masks.copy()

    def close(self, **kwargs: Any) -> None:
        """Ends the processes, and closes the environment."""
        self._menus.close()
        super().close(**kwargs)

    def _reset_needed(self) -> NoReturn:
        raise ResetNeeded("the last step was cut short: call envs.reset() for all slots, or restore a snapshot, first.")

    def _numbers(self, actions: Any) -> list[Any]:
        """The actions, of an array or a tensor too, as Python numbers."""
        given = actions.tolist() if hasattr(actions, "tolist") else actions
        if not isinstance(given, list | tuple) or len(given) != self.num_envs:
            came = f"{len(given)} actions" if isinstance(given, list | tuple) else f"{actions!r:.80}"
            raise InvalidArgument(f"step was given {came}: expected {self.num_envs} numbers, one for each slot.")
        for number in given:
            self.size.check_action(number)
        return list(given)

    @property
    def _slots(self) -> range:
        return range(self.num_envs)

    def _tell(self, events: list[SlotEvent]) -> VectorObservation:
        """What all slots show, and below them menus that ended, in fresh arrays; brings the masks up to date."""
        self._torn = True  # until all menus were told: an interrupt leaves some behind the environment
        shown = self._menus.tell(events)
        self._masks = shown.masks[: self.num_envs]
        self._torn = False
        return shown

    def _mask_info(self) -> dict[str, Any]:
        return {"action_mask": self._masks.astype(np.int8), "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}

    def snapshot_state(self) -> dict[str, Any]:
        """The state of all menus, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {
            "size": list(self.size),
            "ended": self._ended.tolist(),
            "menus": self._menus.save() if self._begun else None,
        }

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        check_size(self.size, saved["size"])
        menus, ended = saved["menus"], np.array(saved["ended"], dtype=np.bool_)
        if ended.shape != (self.num_envs,) or (menus is not None and len(menus) != self.num_envs):
            raise SnapshotError(f"the state is not one of {self.num_envs} menus; expected what webenv.snapshot gave.")
        if menus is not None:
            self._masks = self._menus.load(menus)
        self._torn = False
        self._begun, self._ended = menus is not None, ended


def _shares(slots: int, group_size: int, workers: int | None) -> list[int]:
    """How many slots each process has: whole groups, whose menus see the same pages."""
    groups = slots // group_size
    most = groups if workers is not None else min(groups, max(1, slots // _LEAST))
    return [group_size * len(part) for part in np.array_split(range(groups), min(worker_count(workers), most))]


def _begins(observations: Mapping[str, Any], slot: int) -> SlotEvent:
    return SlotEvent(first=_of(observations, slot))


def _of(observations: Mapping[str, Any], slot: int) -> Any:
    return {name: values[slot] for name, values in observations.items()}
