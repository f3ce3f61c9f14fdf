"""What learners have in common: one update, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from webenv.policies.learned.policy import LearnedPolicy


class Update(NamedTuple):
    """One update: what was played, what it cost, and what was learned.

    Attributes:
        steps: how many steps were played: turns of agents, without resets.
        episodes: how many episodes ended and were scored.
        unscored: how many ended without a score; nothing is learned from them.
        success: the share of scored episodes whose verdict is worth 0.5 or more; nan where there is none.
        reward: the mean over scored episodes of the sum of their rewards; nan where there is none.
        terms: the mean of each reward term over scored episodes; ``cost`` is summed over an episode's steps.
        play_seconds: wall time in which steps were played, decisions included.
        learn_seconds: wall time in which gradients were taken.
        figures: of the learner: ``loss``, ``entropy`` (nats), ``kl`` (nats, from the policy that played),
            ``clipped`` (share of steps whose ratio was cut), ``gradient`` (norm before it is cut), and others.
    """

    steps: int
    episodes: int
    unscored: int
    success: float
    reward: float
    terms: Mapping[str, float]
    play_seconds: float
    learn_seconds: float
    figures: Mapping[str, float]


class Learner(Protocol):
    """Plays in its vector environment and learns from it, an update at a time."""

    @property
    def steps(self) -> int:
        """How many steps were played in all updates so far."""
        ...

    def update(self) -> Update:
        """Plays one batch, and learns from it."""
        ...

    def policy(self) -> LearnedPolicy:
        """The present policy, frozen: later updates do not change it."""
        ...

    def save(self, path: Path) -> None:
        """Writes everything that the next update depends on; what was at ``path`` stays if that fails.

        Raises:
            RunError: if it cannot be written.
        """
        ...

    def load(self, path: Path) -> None:
        """Takes up what :meth:`save` wrote, in a learner made with the same settings and environments.

        Raises:
            DataError: if it is no such file, or of other settings.
            SnapshotError: if it was written with other environments.
        """
        ...
