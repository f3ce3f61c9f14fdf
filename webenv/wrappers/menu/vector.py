"""VectorMenuWrapper: hundreds of menus over one vector environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorWrapper
from gymnasium.vector.utils import batch_space

from webenv.actions import note
from webenv.errors import InvalidArgument, ResetNeeded
from webenv.vector import SearchVectorEnv
from webenv.wrappers.menu.menu import Menu, feature_shapes, write_features
from webenv.wrappers.menu.size import MenuSize
from webenv.wrappers.menu.wrapper import Features, answers_of, check_size, menu_space

__all__ = ["VectorMenuWrapper"]


class VectorMenuWrapper(VectorWrapper):
    """As :class:`MenuWrapper`, for the slots of a :class:`webenv.SearchVectorEnv`, step for step the same.

    Args:
        env: a vector of search environments, as ``gymnasium.make_vec("NeedleInWeb-v0", num_envs=64)`` gives,
            in any autoreset mode.
        size: how many criteria, candidates and sites a menu has.

    Raises:
        InvalidArgument: where ``env`` is none, or the size is out of range.
    """

    def __init__(self, env: Any, size: MenuSize = MenuSize()) -> None:  # noqa: B008
        base = getattr(env, "unwrapped", None)
        if not isinstance(base, SearchVectorEnv):
            raise InvalidArgument(
                f"VectorMenuWrapper({type(env).__name__}): expected a vector of search environments, as "
                "gymnasium.make_vec('NeedleInWeb-v0', num_envs=64) gives."
            )
        super().__init__(env)
        self.mode = base.autoreset_mode
        answers = answers_of(base.benchmark)
        self.menus = [Menu(size, answers) for _ in range(env.num_envs)]
        self.size = self.menus[0].size
        self._shapes = feature_shapes(self.size)
        self.single_action_space = spaces.Discrete(self.size.actions)
        self.single_observation_space = menu_space(self.size)
        self.action_space = batch_space(self.single_action_space, env.num_envs)
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)
        self._masks = np.zeros((env.num_envs, self.size.actions), dtype=np.bool_)
        self._ended = np.zeros(env.num_envs, dtype=np.bool_)
        self._begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Features, dict[str, Any]]:
        """Begins episodes; see :meth:`webenv.SearchVectorEnv.reset`."""
        observations, infos = self.env.reset(seed=seed, options=options)  # type: ignore[arg-type]
        mask = (options or {}).get("reset_mask")
        slots = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        for slot in slots:
            self.menus[slot].begin(_of(observations, slot))
        self._ended[list(slots)] = False
        self._begun = True
        return self._batch(), infos | self._mask_info()

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
        if len(actions) != self.num_envs:
            raise InvalidArgument(
                f"step was given {len(actions)} actions: expected {self.num_envs}, one for each slot."
            )
        done = [
            note("") if ended else menu.action(number)
            for menu, number, ended in zip(self.menus, _whole(actions), self._ended, strict=True)
        ]
        observations, rewards, terminated, truncated, infos = self.env.step(done)
        over = np.logical_or(terminated, truncated)
        last: list[int] = []  # slots whose episode ended, and another began
        ended: list[Menu] = []
        for slot, menu in enumerate(self.menus):
            if self._ended[slot]:
                menu.begin(_of(observations, slot))
            elif over[slot] and self.mode is AutoresetMode.SAME_STEP:
                menu.update(done[slot], infos["final_obs"][slot])
                last.append(slot)
                ended.append(menu)
                self.menus[slot] = Menu(self.size, menu.answers).begin(_of(observations, slot))
            else:
                menu.update(done[slot], _of(observations, slot))
        if self.mode is AutoresetMode.NEXT_STEP:
            self._ended = over
        features = self._batch(ended)
        for place, slot in enumerate(last, self.num_envs):
            infos["final_obs"][slot] = {name: rows[place].copy() for name, rows in features.items()}
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

    def _batch(self, ended: Sequence[Menu] = ()) -> Features:
        """The features of all slots, below them of menus that ended, in fresh arrays; brings the masks up to date."""
        menus = [*self.menus, *ended]
        out = {name: np.empty((len(menus), *shape), dtype=np.float32) for name, shape in self._shapes.items()}
        write_features(menus, out)
        for slot, menu in enumerate(self.menus):
            self._masks[slot] = menu.mask()
        return out

    def _mask_info(self) -> dict[str, Any]:
        return {"action_mask": self._masks.copy(), "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}

    def snapshot_state(self) -> dict[str, Any]:
        """The state of all menus, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {
            "size": list(self.size),
            "ended": self._ended.tolist(),
            "menus": [menu.save() for menu in self.menus] if self._begun else None,
        }

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        """Takes up a state that :meth:`snapshot_state` gave."""
        check_size(self.size, saved["size"])
        self._begun = saved["menus"] is not None
        self._ended = np.array(saved["ended"], dtype=np.bool_)
        if self._begun:
            for slot, (menu, state) in enumerate(zip(self.menus, saved["menus"], strict=True)):
                menu.load(state)
                self._masks[slot] = menu.mask()


def _of(observations: Mapping[str, Any], slot: int) -> Any:
    return {name: values[slot] for name, values in observations.items()}


def _whole(actions: Any) -> list[Any]:
    """The actions as Python numbers where they are an array."""
    return actions.tolist() if isinstance(actions, np.ndarray) else list(actions)
