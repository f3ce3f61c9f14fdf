"""GRPO: episodes of one task are judged against each other, and the agent's ids made likelier or less likely."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from imitate import batches, stack
from model import LanguageModel
from play import Episode, play
from tokenizer import Tokenizer
from torch.nn import functional as F  # noqa: N812 the name that torch's own code has for it

from webenv.wrappers import VectorTextWrapper


@dataclass(frozen=True)
class Settings:
    """How GRPO learns.

    Attributes:
        passes: how often a batch of episodes is gone through.
        batch: the most ids of one step, padding counted.
        steps: steps that a pass makes; gradients of several batches of ids add up to one.
        below: how far an id's probability may fall, as a share, before its gradient is cut off.
        above: how far it may rise.
        norm: what gradients are cut to.
        longest: the most ids of one reply.
    """

    passes: int = 1
    batch: int = 8_192
    steps: int = 2
    below: float = 0.2
    above: float = 0.28
    norm: float = 1.0
    longest: int = 80


def seconds(device: torch.device) -> float:
    """A clock: of this process's computing on a CPU, which others may share; of the wall on a GPU."""
    return time.process_time() if device.type == "cpu" else time.monotonic()


class Learned(NamedTuple):
    """What was learned from a batch of episodes.

    Attributes:
        taught: episodes whose group did not all come to the same; the others teach nothing.
        loss, entropy, clipped: means over the ids that the agent wrote in them; the last the share whose gradient
            was cut off.
        norm: of gradients, before they are cut.
    """

    taught: int
    loss: float
    entropy: float
    clipped: float
    norm: float


class Update(NamedTuple):
    """One update: what was played, and what was learned.

    Attributes:
        episodes: that were played.
        unscored: of them, that left the batch.
        success: the share of scored episodes whose value is at least 0.5; nan where there is none.
        replies: the ids that the agent wrote in an episode, on average.
        ids: that were read and written.
        steps: of the environment.
        play_seconds, learn_seconds: what each took.
        taught, loss, entropy, clipped, norm: see :class:`Learned`.
    """

    episodes: int
    unscored: int
    success: float
    replies: float
    ids: int
    steps: int
    play_seconds: float
    learn_seconds: float
    taught: int
    loss: float
    entropy: float
    clipped: float
    norm: float


def advantages(episodes: Sequence[Episode]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """How much better each episode is than its group, of shape (episodes,).

    A = (value − mean of the group) / (standard deviation of the group), as in DeepSeekMath (Shao et al., 2024),
    section 4.1. 0 where all of a group came to the same.

    *Differs from* the source: an unscored episode is no part of its group, and has 0.

    >>> group = [Episode("a", 0, scored=True, value=value) for value in (1.0, 0.0, 0.0, 1.0)]
    >>> advantages([*group, Episode("a", 0)]).tolist()
    [1.0, -1.0, -1.0, 1.0, 0.0]
    """
    found = np.zeros(len(episodes))
    for group in {episode.group: None for episode in episodes}:
        own = [place for place, episode in enumerate(episodes) if episode.group == group and episode.scored]
        values = np.array([episodes[place].value for place in own])
        if len(own) > 1 and values.std() > 0:
            found[own] = (values - values.mean()) / values.std()
    return found


def update(
    model: LanguageModel,
    envs: VectorTextWrapper,
    tokenizer: Tokenizer,
    optimizer: torch.optim.Optimizer,
    rng: np.random.Generator,
    chance: torch.Generator,
    settings: Settings,
    tasks: Sequence[str] | None = None,
) -> Update:
    """Plays one episode in each slot, and learns from them. ``tasks`` are one for each group; else ``envs`` draws.

    The loss is PPO's clipped surrogate on the ids that the agent wrote, each counting the same whatever reply it
    is part of, with the clip's upper bound above its lower ("DAPO", Yu et al., 2025, sections 3.1 and 3.3).
    Probabilities before are those of the moment of writing; no id is encoded again.

    *Differs from* the source: no penalty for leaving the first policy.
    """
    started = seconds(chance.device)
    model.eval()
    episodes = play(model, envs, tokenizer, rng, chance, longest=settings.longest, tasks=tasks)
    played = seconds(chance.device)
    model.train()
    learned = learn(model, optimizer, episodes, rng, chance.device, settings)
    values = [episode.value >= 0.5 for episode in episodes if episode.scored]
    return Update(
        episodes=len(episodes),
        unscored=len(episodes) - len(values),
        success=float(np.mean(values)) if values else float("nan"),
        replies=float(np.mean([sum(episode.mask) for episode in episodes])),
        ids=sum(len(episode.ids) for episode in episodes),
        steps=sum(len(episode.replies) for episode in episodes),
        play_seconds=played - started,
        learn_seconds=seconds(chance.device) - played,
        **learned._asdict(),
    )


def learn(
    model: LanguageModel,
    optimizer: torch.optim.Optimizer,
    episodes: Sequence[Episode],
    rng: np.random.Generator,
    device: torch.device,
    settings: Settings,
) -> Learned:
    """Changes the model by what the episodes came to; ``rng`` decides which make a step together."""
    gains = advantages(episodes)
    taught = [place for place, gain in enumerate(gains) if gain != 0.0]
    figures: list[tuple[float, float, float, int]] = []
    norms: list[float] = []
    for _ in range(settings.passes if taught else 0):
        parts = list(batches([len(episodes[place].ids) for place in taught], settings.batch, rng))
        each = -(-len(parts) // settings.steps)
        for first in range(0, len(parts), each):
            step = [[taught[place] for place in part] for part in parts[first : first + each]]
            total = sum(sum(episodes[place].mask) for part in step for place in part)
            optimizer.zero_grad(set_to_none=True)
            figures += [_backward(model, episodes, gains, part, total, device, settings) for part in step]
            norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), settings.norm)))
            optimizer.step()
    weights = [figure[3] for figure in figures]
    loss, entropy, clipped = (
        float(np.average([figure[k] for figure in figures], weights=weights)) if figures else 0.0 for k in range(3)
    )
    return Learned(len(taught), loss, entropy, clipped, float(np.mean(norms)) if norms else 0.0)


def _backward(
    model: LanguageModel,
    episodes: Sequence[Episode],
    gains: np.ndarray[tuple[int], np.dtype[np.float64]],
    places: Sequence[int],
    total: int,
    device: torch.device,
    settings: Settings,
) -> tuple[float, float, float, int]:
    """The gradients of some episodes; gives loss, entropy and share of clipped ids, and of how many ids."""
    ids = stack([episodes[place].ids for place in places], torch.int64, device)
    wrote = stack([episodes[place].mask for place in places], torch.bool, device)[:, 1:]
    before = stack([episodes[place].logs for place in places], torch.float32, device)[:, 1:][wrote]
    gain = torch.tensor(gains[list(places)], dtype=torch.float32, device=device).unsqueeze(1).expand_as(wrote)[wrote]
    logs = F.log_softmax(model.logits(model(ids)[:, :-1][wrote]).float(), -1)
    ratio = (logs.gather(1, ids[:, 1:][wrote].unsqueeze(1)).squeeze(1) - before).exp()
    bounded = ratio.clamp(1 - settings.below, 1 + settings.above)
    losses = -torch.minimum(ratio * gain, bounded * gain)
    (losses.sum() / total).backward()
    with torch.no_grad():
        entropy = -(logs.exp() * logs).sum(-1).mean()
        clipped = (losses > -ratio * gain).float().mean()
    return float(losses.detach().mean()), float(entropy), float(clipped), int(wrote.sum())
