"""MenuWrapper: one environment with Discrete actions and Box features, for classic reinforcement learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from webenv.actions import Action
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError
from webenv.observations import ObservationDict
from webenv.wrappers.menu.menu import Answers, Features, Menu, feature_shapes
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
        """Takes up a state that :meth:`snapshot_state` gave."""
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
    """What a benchmark wants for an answer: a URL, or a phrase."""
    return "url" if benchmark.rules.fetch_answer else "phrase"


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
