"""GRPO: a policy gradient whose baseline is what other attempts at the same task were worth.

For each task a group of G attempts o_1 … o_G is played by the policy π_old. With R_i the sum of the
rewards of attempt i, every step of it has the advantage

    A_i = (R_i − mean(R_1 … R_G)) / max(std(R_1 … R_G), √(G − 1) / G)                               (1)

and the policy π_θ is moved up the gradient of

    J(θ) = mean over all steps (s, a) of the batch of
           min(ρ A, clip(ρ, 1 − ε, 1 + ε) A) + β H[π_θ(·|s)],   ρ = π_θ(a|s) / π_old(a|s)           (2)

(1) is the outcome-supervised advantage of Shao et al. 2024, DeepSeekMath, §4.1.2; (2) their objective,
§4.1.1, eq. 3, with the clipped ratio of Schulman et al. 2017, Proximal Policy Optimization, §3, eq. 7.

*Differs from* DeepSeekMath: actions of a menu stand where tokens did; there is no KL term to a reference
policy, as nothing was learned before that could be lost, and an entropy bonus β H instead; the mean is over
steps, not first within each attempt, and the division by the standard deviation can be left out (``scaled``):
Liu et al. 2025, Understanding R1-Zero-Like Training, §3, argue against both; the divisor has a floor, the
standard deviation where one attempt of G is worth 1 and the others 0, which is the least that rewards of 0
and 1 can have; groups whose rewards are all equal have no advantage and are left out (as in Yu et al. 2025,
DAPO, §3.2), and so are attempts that no judge could score.

The floor keeps small differences small. Where a reward has a small term besides the answer, such as 0.1 for
``cost``, attempts that all fail differ by hundredths; divided by their own standard deviation alone these
would count as much as right and wrong do, and the policy would unlearn to search before it had learned why.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from statistics import fmean, pstdev

import torch
from torch import Tensor, nn

from webenv.errors import check_number, check_whole
from webenv.policies.learned.checkpoint import read_tensors, write_tensors
from webenv.policies.learned.learner import EpisodeStats, Update
from webenv.policies.learned.policy import LearnedPolicy, frozen_policy
from webenv.policies.learned.rollouts import Frame, MenuRollout, RolloutCollector
from webenv.policies.learned.scorer import MenuScorer
from webenv.snapshots import restore, snapshot
from webenv.wrappers.menu import VectorMenuWrapper

_FORMAT, _VERSION = "webenv.grpo", 2


@dataclass(frozen=True, slots=True)
class GrpoSettings:
    """How :class:`GrpoLearner` learns.

    Attributes:
        groups: how many groups an update learns from, those without an advantage counted.
        epochs: how often each update goes over its steps.
        minibatch: steps of one gradient.
        learning_rate: of Adam, at first.
        learning_rate_end: after ``decay_steps`` steps and from then on; falls linearly until there.
        entropy: β in (2), at first.
        entropy_end: β after ``decay_steps`` steps.
        decay_steps: steps played, at least 1.
        clip: ε in (2), over 0.
        scaled: whether (1) divides: by the standard deviation of the group's rewards, or by its floor.
        most_gradient: the norm that a gradient is cut to.
        spread: see :class:`webenv.policies.learned.rollouts.RolloutCollector`.
        width: units of each layer of the scorer.

    Raises:
        InvalidArgument: for a number that is out of range.
    """

    groups: int = 32
    epochs: int = 4
    minibatch: int = 256
    learning_rate: float = 3e-3
    learning_rate_end: float = 5e-4
    entropy: float = 0.002
    entropy_end: float = 0.0
    decay_steps: int = 500_000
    clip: float = 0.2
    scaled: bool = True
    most_gradient: float = 0.5
    spread: int = 4
    width: int = 64

    def __post_init__(self) -> None:
        for name in ("groups", "epochs", "minibatch", "decay_steps", "spread", "width"):
            check_whole(name, getattr(self, name))
        for name in ("learning_rate", "clip", "most_gradient"):
            check_number(name, getattr(self, name), 0, over=True)
        for name in ("learning_rate_end", "entropy", "entropy_end"):
            check_number(name, getattr(self, name), 0)


class GrpoLearner:
    """Learns by comparing attempts at one task; a :class:`webenv.policies.learned.Learner`.

    Unscored attempts are in no batch and no mean; ``Update.unscored`` counts them.

    Args:
        envs: menus over ``gym.make_vec(…, group_size=G, autoreset_mode="same_step")``, G at least 2.
        settings: how to learn.
        seed: decides all chance: first weights, tasks, actions and minibatches.

    Attributes:
        scorer: what is trained.
        attempts: what plays.
        steps: the steps played so far.

    Raises:
        InvalidArgument: for slots without groups, or another autoreset mode.
    """

    def __init__(self, envs: VectorMenuWrapper, settings: GrpoSettings | None = None, seed: int = 0) -> None:
        self.settings = GrpoSettings() if settings is None else settings
        self.envs = envs
        self.steps = 0
        self._chance = torch.Generator().manual_seed(seed)
        self.scorer = MenuScorer(envs.size, self.settings.width, self._chance)
        self._optimizer = torch.optim.Adam(self.scorer.parameters(), self.settings.learning_rate, eps=1e-5)
        self.attempts = RolloutCollector(envs, self.settings.spread)
        self.attempts.begin(seed)

    def update(self) -> Update:
        """Plays until enough groups are done, and learns from them."""
        tally, started = EpisodeStats(), time.perf_counter()
        groups: list[list[MenuRollout]] = []
        env, decide = self.attempts.env_seconds, self.attempts.decide_seconds
        while len(groups) < self.settings.groups:
            groups += self.attempts.play(self.scorer, self._chance, tally)
        played = time.perf_counter()
        figures = self._learn(groups)
        tally.play_seconds, tally.learn_seconds = played - started, time.perf_counter() - played
        self.steps += tally.steps
        figures["env_seconds"] = self.attempts.env_seconds - env
        figures["decide_seconds"] = self.attempts.decide_seconds - decide
        return tally.update(figures)

    # ── learning ──────────────────────────────────────────────────────────────

    def _learn(self, groups: Sequence[Sequence[MenuRollout]]) -> dict[str, float]:
        settings = self.settings
        weighed = [pair for group in groups for pair in advantages_of(group, settings.scaled)]
        useful = len(weighed) / max(1, sum(map(len, groups)))
        figures = {"useful": useful, "learning_rate": self._now("learning_rate"), "beta": self._now("entropy")}
        if not weighed:
            return figures
        batch = Frame.of([attempt for attempt, _ in weighed])
        advantages = torch.tensor([worth for attempt, worth in weighed for _ in attempt.frames])
        for part in self._optimizer.param_groups:
            part["lr"] = figures["learning_rate"]
        noted: dict[str, list[float]] = {}
        for _ in range(settings.epochs):
            order = torch.randperm(len(advantages), generator=self._chance)
            for first in range(0, len(order), settings.minibatch):
                numbers = order[first : first + settings.minibatch]
                for name, value in self._descend(batch.rows(numbers), advantages[numbers], figures["beta"]).items():
                    noted.setdefault(name, []).append(value)
        return figures | {name: fmean(values) for name, values in noted.items()}

    def _descend(self, batch: Frame, advantages: Tensor, beta: float) -> dict[str, float]:
        """One gradient step up (2), that is, down its negative."""
        clip = self.settings.clip
        scores = self.scorer(batch.observation, batch.mask)
        log_ratio = scores.of(batch.actions) - batch.log_probabilities
        ratio = log_ratio.exp()
        gain = torch.min(ratio * advantages, ratio.clamp(1 - clip, 1 + clip) * advantages).mean()
        entropy = scores.entropy().mean()
        loss = -(gain + beta * entropy)
        self._optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.scorer.parameters(), self.settings.most_gradient)
        self._optimizer.step()
        with torch.no_grad():  # the estimate k3 of Schulman 2020, Approximating KL Divergence
            kl = (ratio - 1 - log_ratio).mean()
            clipped = ((ratio - 1).abs() > clip).float().mean()
        found = {"loss": loss, "entropy": entropy, "kl": kl, "clipped": clipped, "gradient": norm}
        return {name: float(value.detach()) for name, value in found.items()}

    def _now(self, name: str) -> float:
        """A setting that falls linearly, at the present step."""
        first, last = float(getattr(self.settings, name)), float(getattr(self.settings, f"{name}_end"))
        return first + (last - first) * min(1.0, self.steps / self.settings.decay_steps)

    # ── kept ──────────────────────────────────────────────────────────────────

    def policy(self) -> LearnedPolicy:
        return frozen_policy(self.scorer, self.envs, self.steps)

    def save(self, path: str | Path) -> None:
        state = {
            "settings": asdict(self.settings),
            "size": list(self.scorer.size),
            "steps": self.steps,
            "weights": self.scorer.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "chance": self._chance.get_state(),
            "attempts": self.attempts.save(),
            "envs": snapshot(self.envs),
        }
        write_tensors(Path(path), _FORMAT, _VERSION, state)

    def load(self, path: str | Path) -> None:
        mine = {"settings": asdict(self.settings), "size": list(self.scorer.size)}
        state = read_tensors(Path(path), _FORMAT, _VERSION, "GRPO learner", mine)
        restore(self.envs, state["envs"])
        self.attempts.load(state["attempts"])
        self.scorer.load_state_dict(state["weights"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._chance.set_state(state["chance"])
        self.steps = state["steps"]


def advantages_of(group: Sequence[MenuRollout], scaled: bool) -> list[tuple[MenuRollout, float]]:
    """The scored attempts of a group with (1); none where all are worth the same."""
    scored = [attempt for attempt in group if attempt.scored]
    rewards = [attempt.reward for attempt in scored]
    if len(scored) < 2 or max(rewards) - min(rewards) < 1e-9:
        return []
    mean, unit = fmean(rewards), max(pstdev(rewards), _floor(len(rewards))) if scaled else 1.0
    return [(attempt, (reward - mean) / unit) for attempt, reward in zip(scored, rewards, strict=True)]


@cache
def _floor(count: int) -> float:
    """The standard deviation of one 1 among zeros; by :func:`pstdev`, whose value for such a group it must not exceed.

    >>> _floor(2), round(_floor(8), 4)
    (0.5, 0.3307)
    """
    return pstdev([1.0] + [0.0] * (count - 1))
