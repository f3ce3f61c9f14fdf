"""Players: a language model's episodes, many at a time, through the text wrapper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from imitate import stack
from model import Cache, LanguageModel
from tokenizer import Conversation, Tokenizer
from torch import Tensor

from webenv.wrappers import VectorTextWrapper


@dataclass
class Episode:
    """One episode as ids.

    Attributes:
        task: the task's id.
        group: which episodes of the batch had the same task.
        ids: of the whole conversation, up to the agent's last.
        mask: for each, whether the agent wrote it.
        logs: for each, the logarithm of its probability when the agent wrote it; 0 where it did not.
        replies: what the agent wrote, as text.
        scored: whether a judge, or the rules, found what it was worth.
        value: that worth, 0 to 1.
    """

    task: str
    group: int
    ids: list[int] = field(default_factory=list)
    mask: list[bool] = field(default_factory=list)
    logs: list[float] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)
    scored: bool = False
    value: float = 0.0

    def read(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.mask += [False] * len(ids)
        self.logs += [0.0] * len(ids)

    def write(self, number: int, log: float) -> None:
        self.ids.append(number)
        self.mask.append(True)
        self.logs.append(log)


@torch.no_grad()
def play(
    model: LanguageModel,
    envs: VectorTextWrapper,
    tokenizer: Tokenizer,
    rng: np.random.Generator,
    chance: torch.Generator,
    *,
    greedy: bool = False,
    longest: int = 80,
    tasks: Sequence[str] | None = None,
) -> list[Episode]:
    """Plays one episode in each slot, from reset to end.

    The model writes id by id what the wrapper then parses: any id may follow any other.

    Args:
        model: what writes.
        envs: in gymnasium's mode ``"next_step"``.
        tokenizer: the model's.
        rng: decides the slots of words.
        chance: samples ids, on the model's device.
        greedy: takes the likeliest id instead.
        longest: the most ids of one reply; one that comes so far without an end is sent as it is.
        tasks: one for each slot, or for each group; ``None``: the environment draws them.
    """
    size = model.size
    _, infos = envs.reset(options=None if tasks is None else {"tasks": list(tasks)})
    groups = infos.get("group", np.arange(envs.num_envs))
    episodes = [Episode(str(task), int(group)) for task, group in zip(infos["task"], groups, strict=True)]
    conversations = [Conversation(tokenizer, rng) for _ in episodes]
    cache = Cache(size, len(episodes), chance.device)
    texts = [transcript.text(generate=True) for transcript in envs.transcripts]
    pending: list[list[int]] = [[] for _ in episodes]  # ids that the cache does not hold yet
    playing = np.ones(len(episodes), dtype=np.bool_)
    while playing.any():
        for slot in np.flatnonzero(playing):
            ids = conversations[slot].encode(texts[slot])
            room = size.context - longest - len(episodes[slot].ids)
            ids = ids[-room:] if room > 0 else []
            episodes[slot].read(ids)
            pending[slot] += ids
        writes = np.array([going and bool(ids) for going, ids in zip(playing, pending, strict=True)])
        writes &= np.array([len(episode.ids) + longest <= size.context for episode in episodes])
        written = _write(model, cache, pending, writes, episodes, tokenizer.end, chance, greedy, longest)
        replies = [conversation.decode(ids) for conversation, ids in zip(conversations, written, strict=True)]
        said, _, terminated, truncated, infos = envs.step(replies)
        for slot in np.flatnonzero(playing):
            episodes[slot].replies.append(replies[slot])
            if terminated[slot] or truncated[slot]:
                _finish(episodes[slot], infos, int(slot))
        playing &= ~(terminated | truncated)
        texts = [f"\n<|user|>\n{text}<|end|>\n<|assistant|>\n" for text in said]
    return episodes


def _write(
    model: LanguageModel,
    cache: Cache,
    pending: list[list[int]],
    writes: np.ndarray[Any, np.dtype[np.bool_]],
    episodes: Sequence[Episode],
    end: int,
    chance: torch.Generator,
    greedy: bool,
    longest: int,
) -> list[list[int]]:
    """Lets the model read what is pending, and write a reply in each slot that writes.

    It writes into a copy of the cache, which shrinks as replies end; the replies are pending then.
    """
    device = chance.device
    written: list[list[int]] = [[] for _ in episodes]
    slots = np.flatnonzero(writes)
    if not len(slots):
        return written
    read = [one if going else [] for one, going in zip(pending, writes, strict=True)]
    lengths = torch.tensor([len(ids) for ids in read], device=device)
    scores = model.extend(cache, stack(read, torch.int64, device), lengths)
    rows = torch.from_numpy(slots).to(device)
    scores, own = scores[rows], cache.take(rows, longest)
    for place in range(longest):
        logs = scores.float().log_softmax(-1)
        chosen = logs.argmax(-1) if greedy else _sampled(logs, chance)
        found = logs.gather(1, chosen.unsqueeze(1)).squeeze(1).tolist()
        for slot, number, log in zip(slots.tolist(), chosen.tolist(), found, strict=True):
            if not written[slot] or written[slot][-1] != end:
                written[slot].append(number)
                episodes[slot].write(number, log)
        going = np.array([written[slot][-1] != end for slot in slots])
        if place + 1 == longest or not going.any():
            break
        if going.sum() <= len(slots) // 2:  # rows that have ended cost as much as others
            left = torch.from_numpy(np.flatnonzero(going)).to(device)
            slots, chosen, own = slots[going], chosen[left], own.take(left, longest - place)
        scores = model.extend(own, chosen.unsqueeze(1), torch.ones_like(chosen))
    for slot in np.flatnonzero(writes).tolist():
        pending[slot] = list(written[slot])
    return written


def _sampled(logs: Tensor, chance: torch.Generator) -> Tensor:
    """One id of each row, with its probability."""
    sums = logs.exp().cumsum(-1)
    drawn = torch.rand(len(logs), 1, generator=chance, device=logs.device) * sums[:, -1:]
    return (sums <= drawn).sum(-1).clamp(max=logs.shape[1] - 1)


def _finish(episode: Episode, infos: dict[str, Any], slot: int) -> None:
    episode.scored = bool(infos["scored"][slot])
    value = infos["verdict"]["value"][slot]
    episode.value = float(value) if episode.scored and value is not None else 0.0
