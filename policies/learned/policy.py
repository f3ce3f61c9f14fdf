"""LearnedPolicy: plays what a learner came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import gymnasium
import numpy as np
import torch

from webenv.benchmark import Benchmark
from webenv.errors import InvalidArgument
from webenv.policies.learned.checkpoint import ANSWERS, SavedPolicy, clone_scorer, load_policy, save_policy
from webenv.policies.learned.scorer import MenuScorer, as_tensors
from webenv.policy import Decision, History
from webenv.web import Failure
from webenv.wrappers.menu import Answers, Menu, answers_of, feature_shapes

_REMEMBERED = 1_024  # menus


class LearnedPolicy:
    """Chooses from a menu as a scorer was trained to.

    Each decision folds its whole history through a :class:`webenv.wrappers.menu.Menu`, so that an
    episode can be taken up at any step. Menus of the latest histories are remembered, and go on where
    a history holds the very observations that they were told; what is chosen does not depend on it.

    Args:
        saved: the scorer, and what its menus must be like.
        greedy: takes the likeliest action; otherwise one is drawn, by ``history.seed`` and the turn.
        answers: the kind of answers to give, ``"url"``, ``"ranking"``, ``"phrase"`` or ``"report"``; ``None``: the kind
            that it gave in training. The scores do not depend on it.
    """

    def __init__(self, saved: SavedPolicy, *, greedy: bool = True, answers: str | None = None) -> None:
        if answers is not None and answers not in ANSWERS:
            raise InvalidArgument(
                f"answers={answers!r}: expected 'url', 'ranking', 'phrase' or 'report', or None for that of training."
            )
        self.saved = saved
        self.greedy = greedy
        self.answers: Answers = saved.answers if answers is None else ANSWERS[answers]
        self._digest = saved.digest
        self._menus: dict[int, Menu] = {}  # by first observation, the latest last

    @classmethod
    def load(cls, path: str | Path, *, greedy: bool = True, answers: str | None = None) -> Self:
        """A policy from a file that :meth:`save` wrote.

        Raises:
            DataError: if it cannot be read, is no policy file, or one of another version or of other features.
        """
        return cls(load_policy(path), greedy=greedy, answers=answers)

    def save(self, path: str | Path) -> None:
        """Writes it; what was at ``path`` stays if that fails.

        Raises:
            RunError: if it cannot be written, as on a full disk.
        """
        save_policy(path, self.saved)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, the ``digest`` of the weights, where it was trained, and how it chooses."""
        return {
            "name": "learned",
            "version": "1",
            "digest": self._digest,
            "trained_on": self.saved.env,
            "steps": str(self.saved.steps),
            "answers": self.answers,
            "chooses": "greedy" if self.greedy else "sampled",
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        if not histories:
            return []
        menus = [self._fold(history) for history in histories]  # takes those that it goes on with out of the memory
        self._remember(histories, menus)
        shapes = feature_shapes(self.saved.scorer.size)
        observation = {name: np.zeros((len(menus), *shape), dtype=np.float32) for name, shape in shapes.items()}
        for number, menu in enumerate(menus):
            menu.features({name: rows[number] for name, rows in observation.items()})
        mask = torch.from_numpy(np.stack([menu.mask() for menu in menus]))
        with torch.no_grad():
            scores = self.saved.scorer(as_tensors(observation), mask)
        if self.greedy:
            actions = scores.best().tolist()
        else:
            shares = scores.log_probabilities.exp().double().numpy()
            actions = [_draw(history, share) for history, share in zip(histories, shares, strict=True)]
        return [Decision(menu.action(action), menu.names[action]) for menu, action in zip(menus, actions, strict=True)]

    def _fold(self, history: History) -> Menu:
        """The menu of a history; where it goes on from one that was folded before, only what came since is."""
        turns = [
            (decision.action, observation)
            for decision, observation in zip(history.decisions, history.observations[1:], strict=True)
        ]
        first = history.observations[0]
        menu = self._menus.pop(id(first), None)
        told = -1 if menu is None else menu.history.told(first, turns)
        if menu is None or told < 0:
            menu, told = Menu(self.saved.scorer.size, answers=self.answers).begin(first), 0
        for action, observation in turns[told:]:
            menu.update(action, observation)
        return menu

    def _remember(self, histories: Sequence[History], menus: Sequence[Menu]) -> None:
        """Keeps menus; each holds on to its first observation, so that no other has its id."""
        for history, menu in zip(histories, menus, strict=True):
            self._menus[id(history.observations[0])] = menu
        while len(self._menus) > _REMEMBERED:
            del self._menus[next(iter(self._menus))]


def frozen_policy(scorer: MenuScorer, envs: gymnasium.vector.VectorEnv[Any, Any, Any], steps: int) -> LearnedPolicy:
    """The policy of a scorer as it is now, trained for so many steps in these environments."""
    benchmark: Benchmark = envs.unwrapped.benchmark  # type: ignore[attr-defined]
    return LearnedPolicy(SavedPolicy(clone_scorer(scorer), answers_of(benchmark), benchmark.name, steps))


def _draw(history: History, shares: np.ndarray) -> int:
    chance = np.random.default_rng((history.seed % 2**64, len(history.decisions)))
    return int(chance.choice(len(shares), p=shares / shares.sum()))
