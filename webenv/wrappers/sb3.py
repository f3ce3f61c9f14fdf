"""SearchVecEnv: a vector of menus as stable-baselines3 and sb3-contrib take one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.envs.registration import load_env_creator
from gymnasium.vector import AutoresetMode, VectorWrapper

from webenv.errors import InvalidArgument, MissingExtra, did_you_mean
from webenv.registration import IDS
from webenv.vector import SearchVectorEnv
from webenv.wrappers.menu import MenuSize, VectorMenuWrapper

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingExtra("stable-baselines3", "train", "webenv.wrappers.sb3") from error


class SearchVecEnv(VecEnv):
    """A :class:`VectorMenuWrapper` as a ``VecEnv`` of stable-baselines3, for ``MaskablePPO`` of sb3-contrib.

    ``env_method("action_masks")`` gives bool (A,) for each slot. ``infos[i]`` is the environment's ``info``
    of the slot with ``action_mask``; where an episode ended it is the last one of that episode, with
    ``terminal_observation``, ``TimeLimit.truncated`` and what ``Monitor`` adds: ``episode``, with the sum of
    rewards ``r``, the number of steps ``l``, and ``t``, seconds since this was made. An episode that is not
    scored (``scored`` false) has ``TimeLimit.truncated``: leave it out.

    Args:
        envs: the menus, over a vector environment in mode ``"same_step"``.

    Raises:
        InvalidArgument: for another environment, or another mode.
    """

    def __init__(self, envs: VectorMenuWrapper) -> None:
        if not isinstance(envs, VectorMenuWrapper):
            raise InvalidArgument(f"SearchVecEnv({type(envs).__name__}): expected a VectorMenuWrapper.")
        if envs.mode is not AutoresetMode.SAME_STEP:
            raise InvalidArgument(
                f"SearchVecEnv over autoreset_mode={envs.mode.name.lower()!r}: expected 'same_step', as in "
                "gymnasium.make_vec(id, num_envs=64, autoreset_mode='same_step')."
            )
        self.envs = envs
        self._actions: npt.NDArray[np.int64] | None = None
        self._returns = np.zeros(envs.num_envs, dtype=np.float64)
        self._lengths = np.zeros(envs.num_envs, dtype=np.int64)
        self._started = time.monotonic()
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)

    def reset(self) -> dict[str, npt.NDArray[np.float32]]:
        """Begins an episode in every slot, with the seeds of :meth:`seed` and the options of :meth:`set_options`."""
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        try:
            observations, infos = self.envs.reset(seed=seeds, options=self._task_options())
        finally:
            self._reset_seeds()
            self._reset_options()
        self.reset_infos = [_of_slot(infos, slot) for slot in range(self.num_envs)]
        self._returns[:] = 0
        self._lengths[:] = 0
        return observations

    def _task_options(self) -> dict[str, Any] | None:
        """The options of the slots as those of the vector environment."""
        given = [slot for slot, options in enumerate(self._options) if options]
        if not given:
            return None
        if len(given) < self.num_envs or any(set(options) != {"task"} for options in self._options):
            raise InvalidArgument("set_options: expected {'task': id}, for all slots or one for each of them.")
        return {"tasks": [options["task"] for options in self._options]}

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Takes the actions, int (N,), of the next :meth:`step_wait`."""
        self._actions = np.asarray(actions)

    def step_wait(
        self,
    ) -> tuple[
        dict[str, npt.NDArray[np.float32]], npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]
    ]:
        """Plays one turn in every slot; slots that ended have begun anew."""
        if self._actions is None:
            raise InvalidArgument("step_wait was called without step_async before it.")
        actions, self._actions = self._actions, None
        observations, rewards, terminated, truncated, batched = self.envs.step(actions)
        dones = np.logical_or(terminated, truncated)
        self._returns += rewards
        self._lengths += 1
        masks = batched["action_mask"]
        infos = []
        for slot in range(self.num_envs):
            if dones[slot]:
                infos.append(self._last_info(slot, batched, bool(truncated[slot] and not terminated[slot])))
            else:
                infos.append(_of_slot(batched, slot) | {"TimeLimit.truncated": False})
            infos[-1]["action_mask"] = masks[slot]
        self._returns[dones] = 0
        self._lengths[dones] = 0
        return observations, rewards.astype(np.float32), dones, infos

    def _last_info(self, slot: int, batched: Mapping[str, Any], truncated: bool) -> dict[str, Any]:
        info = _of_slot(batched["final_info"], slot)
        info["terminal_observation"] = batched["final_obs"][slot]
        info["TimeLimit.truncated"] = truncated
        info["episode"] = {
            "r": round(float(self._returns[slot]), 6),
            "l": int(self._lengths[slot]),
            "t": round(time.monotonic() - self._started, 6),
        }
        return info

    def close(self) -> None:
        self.envs.close()

    # ── what single environments would be asked ───────────────────────────────

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute for each slot: all share one environment, so it is the same."""
        return [_attribute(self.envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the vector environment.

        Raises:
            InvalidArgument: for some slots alone: all share one environment.
        """
        if len(set(self._get_indices(indices))) < self.num_envs:
            raise InvalidArgument(f"set_attr({attr_name!r}) for some slots alone: all of them share one environment.")
        setattr(self.envs.unwrapped, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """``"action_masks"``: the mask of each slot; any other method is called once, and its result is all slots'."""
        slots = list(self._get_indices(indices))
        result = _attribute(self.envs, method_name)(*method_args, **method_kwargs)
        if method_name == "action_masks":
            return [result[slot] for slot in slots]
        return [result for _ in slots]

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Whether a wrapper is around the environment; ``Monitor`` is, as far as ``infos`` tell."""
        found = wrapper_class is Monitor
        layer: Any = self.envs
        while isinstance(layer, VectorWrapper):
            found = found or isinstance(layer, wrapper_class)
            layer = layer.env
        return [found for _ in self._get_indices(indices)]


def make_sb3(
    env_id: str,
    num_envs: int = 64,
    *,
    size: MenuSize = MenuSize(),  # noqa: B008
    **settings: Any,
) -> SearchVecEnv:
    """A vector of menus for stable-baselines3.

    Args:
        env_id: a registered id, such as ``"NeedleInWeb-v0"``.
        num_envs: the number of slots, at least 1.
        size: how many criteria, candidates and sites a menu has.
        settings: keywords of the environment, and ``group_size``.

    Raises:
        InvalidArgument: for an id that is unknown or of no search environment, or a setting that it does not take.

    >>> from sb3_contrib import MaskablePPO
    >>> envs = make_sb3("NeedleInWeb-v0", 4)
    >>> model = MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=32).learn(64)
    """
    if "autoreset_mode" in settings:
        raise InvalidArgument("make_sb3 takes no autoreset_mode: stable-baselines3 wants 'same_step'.")
    if not isinstance(env_id, str):
        raise InvalidArgument(f"env_id={env_id!r:.100}: expected a registered id, such as 'NeedleInWeb-v0'.")
    size = MenuSize.of(size)
    module, _, name = env_id.rpartition(":")
    if module:
        import_module(module)
    if name not in gymnasium.registry:
        raise InvalidArgument(f"{env_id!r:.100} is no registered id. {did_you_mean(name, IDS)}")
    entry = gymnasium.registry[name].vector_entry_point
    creator = load_env_creator(entry) if isinstance(entry, str) else entry
    if not (isinstance(creator, type) and issubclass(creator, SearchVectorEnv)):
        raise InvalidArgument(f"{env_id!r:.100} is no search environment; webenv.registration.IDS names them.")
    envs = gymnasium.make_vec(name, num_envs=num_envs, autoreset_mode="same_step", **settings)
    return SearchVecEnv(VectorMenuWrapper(envs, size))


def _attribute(envs: Any, name: str) -> Any:
    """An attribute of the outermost wrapper that has it, or of the environment.

    Raises:
        AttributeError: where none has it.
    """
    while isinstance(envs, VectorWrapper):
        if name in vars(envs) or (hasattr(type(envs), name) and name != "unwrapped"):
            return getattr(envs, name)
        envs = envs.env
    return getattr(envs, name)


def _of_slot(infos: Mapping[str, Any], slot: int) -> dict[str, Any]:
    """The info of one slot, from those that a vector environment gives."""
    found: dict[str, Any] = {}
    for name, values in infos.items():
        if name.startswith("_") or name in ("final_obs", "final_info"):
            continue
        has = infos.get(f"_{name}")
        if has is None or has[slot]:
            found[name] = _of_slot(values, slot) if isinstance(values, dict) else _plain(values[slot])
    return found


def _plain(value: Any) -> Any:
    """A number of NumPy as Python's."""
    return value.item() if isinstance(value, np.generic) else value
