"""PPO over a menu: sb3-contrib's MaskablePPO, with the shared scorer as its policy.

Schulman et al. 2017, Proximal Policy Optimization, with masks as in Huang and Ontañón 2022, A Closer
Look at Invalid Action Masking. *Differs from* sb3-contrib's own: the network is a
:class:`MenuScorer`, which scores every action by its row, where its ``MultiInputPolicy`` flattens the menu and has to
learn each row anew; and steps of episodes that are not scored are in no minibatch.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor

from webenv.errors import MissingExtra, check_number, check_whole
from webenv.policies.learned.checkpoint import read_tensors, write_tensors
from webenv.policies.learned.learner import EpisodeStats, Update
from webenv.policies.learned.policy import LearnedPolicy, frozen_policy
from webenv.policies.learned.scorer import MenuScorer, Scores, as_tensors
from webenv.snapshots import restore, snapshot

try:
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.buffers import MaskableDictRolloutBuffer
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger
except ImportError as error:
    raise MissingExtra("sb3-contrib", "train", "PPO") from error

if TYPE_CHECKING:
    from webenv.wrappers.sb3 import SearchVecEnv

_FORMAT, _VERSION = "webenv.ppo", 2


@dataclass(frozen=True, slots=True)
class PpoSettings:
    """How :class:`PpoLearner` learns; the names are sb3-contrib's where it has one.

    Attributes:
        n_steps: steps of each slot that an update plays.
        batch_size: steps of one gradient, at least 2; the last batches of an epoch may differ by one.
        n_epochs: how often each update goes over its steps.
        learning_rate: of Adam, at first.
        learning_rate_end: after ``decay_steps`` steps and from then on; falls linearly until there.
        ent_coef: the weight of the entropy, at first.
        ent_coef_end: its weight after ``decay_steps`` steps.
        decay_steps: steps played, at least 1.
        gamma: the discount, over 0 and at most 1.
        gae_lambda: of generalised advantages, 0 to 1.
        clip_range: how far a ratio may be from 1, over 0.
        vf_coef: the weight of the value's loss.
        max_grad_norm: the norm that a gradient is cut to.
        width: units of each layer of the scorer.

    Raises:
        InvalidArgument: for a number that is out of range.
    """

    n_steps: int = 16
    batch_size: int = 256
    n_epochs: int = 4
    learning_rate: float = 3e-3
    learning_rate_end: float = 5e-4
    ent_coef: float = 0.002
    ent_coef_end: float = 0.0
    decay_steps: int = 500_000
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_range: float = 0.2
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    width: int = 64

    def __post_init__(self) -> None:
        for name, least in (("n_steps", 1), ("batch_size", 2), ("n_epochs", 1), ("decay_steps", 1), ("width", 1)):
            check_whole(name, getattr(self, name), least)
        for name in ("learning_rate", "clip_range", "max_grad_norm"):
            check_number(name, getattr(self, name), 0, over=True)
        for name in ("learning_rate_end", "ent_coef", "ent_coef_end", "vf_coef"):
            check_number(name, getattr(self, name), 0)
        check_number("gamma", self.gamma, 0, 1, over=True)
        check_number("gae_lambda", self.gae_lambda, 0, 1)


class ScorerPolicy(MaskableActorCriticPolicy):
    """A :class:`MenuScorer` as sb3-contrib's policy: actions, values and entropies all come from it.

    Args:
        scorer: the network.
        chance: draws the actions.
        given: what sb3 gives every policy: the spaces and the schedule of the learning rate.

    Attributes:
        decide_seconds: wall time spent in choosing actions.
    """

    decide_seconds = 0.0

    def __init__(self, *given: Any, scorer: MenuScorer, chance: torch.Generator, **settings: Any) -> None:
        self._given, self._chance = (scorer,), chance  # a module itself may be set only after the next line
        super().__init__(*given, **settings)

    def _build(self, lr_schedule: Any) -> None:
        (self.scorer,) = self._given
        self.optimizer = torch.optim.Adam(self.parameters(), lr_schedule(1), eps=1e-5)

    def _scores(self, obs: Mapping[str, Tensor], action_masks: Any) -> Scores:
        if action_masks is None:
            count = len(obs["context"])
            mask = torch.ones((count, self.scorer.size.actions), dtype=torch.bool)
        else:
            mask = torch.as_tensor(action_masks).bool().reshape(-1, self.scorer.size.actions)
        scores: Scores = self.scorer(obs, mask)
        return scores

    def forward(self, obs: Any, deterministic: bool = False, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        """Actions (B,), values (B, 1) and log-probabilities (B,)."""
        started = time.perf_counter()
        scores = self._scores(obs, action_masks)
        actions = scores.best() if deterministic else scores.draw(self._chance)
        found = actions, scores.value.unsqueeze(1), scores.of(actions)
        self.decide_seconds += time.perf_counter() - started
        return found

    def evaluate_actions(self, obs: Any, actions: Tensor, action_masks: Any = None) -> tuple[Tensor, Tensor, Tensor]:
        """Values (B, 1), log-probabilities (B,) and entropies (B,) of actions that were done."""
        scores = self._scores(obs, action_masks)
        return scores.value.unsqueeze(1), scores.of(actions.long()), scores.entropy()

    def predict_values(self, obs: Any) -> Tensor:
        """Values (B, 1)."""
        return self.scorer.values(obs).unsqueeze(1)

    def _predict(self, observation: Any, deterministic: bool = False, action_masks: Any = None) -> Tensor:
        return self.forward(observation, deterministic, action_masks)[0]


class ScoredRolloutBuffer(MaskableDictRolloutBuffer):
    """A rollout whose minibatches leave out the steps of episodes that were not scored.

    Args:
        given: what sb3 gives every buffer.
        chance: draws the minibatches.

    Attributes:
        kept: bool (steps, slots): which steps may be learned from. Those of an unscored episode that an
            earlier rollout holds were learned from before that was known, from the values alone.
    """

    def __init__(self, *given: Any, chance: np.random.Generator, **settings: Any) -> None:
        self._chance = chance
        super().__init__(*given, **settings)

    def reset(self) -> None:
        self.kept = np.ones((self.buffer_size, self.n_envs), dtype=np.bool_)
        super().reset()

    def leave_out(self, slot: int, first: int, last: int) -> None:
        """Takes the steps from ``first`` to ``last``, both included, out of every minibatch."""
        self.kept[first : last + 1, slot] = False

    def get(self, batch_size: int | None = None) -> Iterator[Any]:  # type: ignore[override]
        """Minibatches of about one size over the steps that are kept, each once, in an order that is drawn."""
        if not self.generator_ready:
            self.observations = {name: self.swap_and_flatten(rows) for name, rows in self.observations.items()}
            for name in ("actions", "values", "log_probs", "advantages", "returns", "action_masks"):
                setattr(self, name, self.swap_and_flatten(getattr(self, name)))
            self.generator_ready = True
        numbers = self._chance.permutation(np.flatnonzero(self.kept.T))
        count = 1 if batch_size is None else max(1, round(len(numbers) / batch_size))
        for part in np.array_split(numbers, count):
            yield self._get_samples(part)


class _Watch(BaseCallback):
    """Counts episodes as they end, and takes those that are unscored out of the rollout."""

    def __init__(self, slots: int) -> None:
        super().__init__()
        self.tally = EpisodeStats()
        self.reward = np.zeros(slots)
        self.cost = np.zeros(slots)
        self._first = np.zeros(slots, dtype=np.int64)

    def _on_rollout_start(self) -> None:
        self.tally = EpisodeStats()
        self._first[:] = 0

    def _on_step(self) -> bool:
        buffer: ScoredRolloutBuffer = self.locals["rollout_buffer"]
        infos, dones = self.locals["infos"], self.locals["dones"]
        self.tally.steps += len(dones)
        self.reward += self.locals["rewards"]
        for slot, info in enumerate(infos):
            self.cost[slot] += info["reward_terms"].get("cost", 0.0)
        for slot in np.flatnonzero(dones).tolist():
            info = infos[slot]
            terms = {**info["reward_terms"], "cost": float(self.cost[slot])}
            self.tally.add(bool(info["scored"]), info["verdict"]["value"], float(self.reward[slot]), terms)
            if not info["scored"]:
                buffer.leave_out(slot, int(self._first[slot]), buffer.pos)
            self._first[slot] = buffer.pos + 1
            self.reward[slot] = self.cost[slot] = 0.0
        return True


class PpoLearner:
    """Learns by sb3-contrib's MaskablePPO; a :class:`webenv.policies.learned.Learner`.

    Args:
        vec_env: menus as stable-baselines3 takes them.
        settings: how to learn.
        seed: decides all chance: first weights, tasks, actions and minibatches.

    Attributes:
        scorer: what is trained.
        model: the MaskablePPO that trains it.
        steps: the steps played so far.
    """

    def __init__(self, vec_env: SearchVecEnv, settings: PpoSettings | None = None, seed: int = 0) -> None:
        self.settings = given = PpoSettings() if settings is None else settings
        self.vec_env = vec_env
        self.steps = 0
        self._chance = torch.Generator().manual_seed(seed)
        self._order = np.random.default_rng(seed)
        self.scorer = MenuScorer(vec_env.envs.size, given.width, self._chance)
        self._watch = _Watch(vec_env.num_envs)
        vec_env.seed(seed)
        self.model = MaskablePPO(
            ScorerPolicy,
            vec_env,
            learning_rate=lambda left: given.learning_rate_end + left * (given.learning_rate - given.learning_rate_end),
            n_steps=given.n_steps,
            batch_size=given.batch_size,
            n_epochs=given.n_epochs,
            gamma=given.gamma,
            gae_lambda=given.gae_lambda,
            clip_range=given.clip_range,
            vf_coef=given.vf_coef,
            max_grad_norm=given.max_grad_norm,
            rollout_buffer_class=ScoredRolloutBuffer,
            rollout_buffer_kwargs={"chance": self._order},
            policy_kwargs={"scorer": self.scorer, "chance": self._chance},
            device="cpu",
        )
        self._plays = cast("ScorerPolicy", self.model.policy)
        self._rollout = cast("ScoredRolloutBuffer", self.model.rollout_buffer)
        self.model.set_logger(Logger(None, []))
        self.model._setup_learn(given.decay_steps, self._watch)  # begins episodes in all slots

    def update(self) -> Update:
        """Plays ``n_steps`` steps of each slot, and learns from them."""
        model, given, started = self.model, self.settings, time.perf_counter()
        decide = self._plays.decide_seconds
        model.collect_rollouts(self.vec_env, self._watch, self._rollout, given.n_steps)
        played = time.perf_counter()
        left = 1 - min(1.0, self.steps / given.decay_steps)
        model._current_progress_remaining = left
        model.ent_coef = given.ent_coef_end + left * (given.ent_coef - given.ent_coef_end)
        figures: dict[str, float] = {"beta": model.ent_coef, "decide_seconds": self._plays.decide_seconds - decide}
        if np.count_nonzero(self._rollout.kept) > 1:  # the spread of advantages needs two
            model.train()
            noted = model.logger.name_to_value
            figures |= {name: float(noted[key]) for name, key in _FIGURES.items()}
            figures["entropy"] = -figures["entropy"]
        tally = self._watch.tally
        tally.play_seconds, tally.learn_seconds = played - started, time.perf_counter() - played
        self.steps += tally.steps
        return tally.update(figures)

    def policy(self) -> LearnedPolicy:
        return frozen_policy(self.scorer, self.vec_env.envs, self.steps)

    def save(self, path: str | Path) -> None:
        model = self.model
        state = {
            "settings": asdict(self.settings),
            "size": list(self.scorer.size),
            "steps": self.steps,
            "weights": self.scorer.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "chance": self._chance.get_state(),
            "order": json.dumps(self._order.bit_generator.state),
            "seen": as_tensors(cast("dict[str, Any]", model._last_obs)),
            "starts": torch.from_numpy(np.array(model._last_episode_starts, dtype=np.bool_)),
            "running": [self._watch.reward.tolist(), self._watch.cost.tolist()],
            "envs": snapshot(self.vec_env.envs),
        }
        write_tensors(Path(path), _FORMAT, _VERSION, state)

    def load(self, path: str | Path) -> None:
        mine = {"settings": asdict(self.settings), "size": list(self.scorer.size)}
        state = read_tensors(Path(path), _FORMAT, _VERSION, "PPO learner", mine)
        restore(self.vec_env.envs, state["envs"])
        self.scorer.load_state_dict(state["weights"])
        self.model.policy.optimizer.load_state_dict(state["optimizer"])
        self._chance.set_state(state["chance"])
        self._order.bit_generator.state = json.loads(state["order"])
        self.model._last_obs = {name: rows.numpy() for name, rows in state["seen"].items()}
        self.model._last_episode_starts = state["starts"].numpy()
        self._watch.reward, self._watch.cost = (np.array(numbers) for numbers in state["running"])
        self.steps = self.model.num_timesteps = state["steps"]


_FIGURES = {
    "loss": "train/loss",
    "entropy": "train/entropy_loss",
    "kl": "train/approx_kl",
    "clipped": "train/clip_fraction",
    "value_loss": "train/value_loss",
    "explained": "train/explained_variance",
    "learning_rate": "train/learning_rate",
}
