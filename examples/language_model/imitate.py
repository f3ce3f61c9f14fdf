"""Imitation: what the investigator did, as conversations, and a model that learns to write its part."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from model import LanguageModel
from tokenizer import Conversation, Tokenizer
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 the name that torch's own code has for it

from webenv.actions import Action, Kind
from webenv.benchmark import Benchmark
from webenv.chat import TagFormat
from webenv.policies import InvestigatorPolicy
from webenv.rollout.play import plan_episodes, play_episodes
from webenv.rollout.record import Record
from webenv.wrappers import Transcript, VectorTextWrapper


class Shown(NamedTuple):
    """An episode of the teacher: the conversation that the text wrapper makes of it, and its verdict."""

    task: str
    transcript: Transcript
    value: float


class Example(NamedTuple):
    """A conversation as ids, with what is learned from it: where the mask is true, the agent wrote."""

    ids: Sequence[int]
    mask: Sequence[bool]


def show(benchmark: Benchmark, envs: VectorTextWrapper, episodes: int, seed: int) -> Iterator[Shown]:
    """Plays the investigator, and tells its episodes through the text wrapper, results named by number.

    Args:
        benchmark: what ``envs`` plays.
        envs: with references, one slot a group, in gymnasium's mode ``"next_step"``.
        episodes: how many.
        seed: decides which tasks.
    """
    waiting: list[Record] = []
    for ended in play_episodes(
        benchmark, InvestigatorPolicy(), plan_episodes(benchmark.tasks, episodes=episodes, seed=seed)
    ):
        waiting += [record for record in ended if record.scored]
        while len(waiting) >= envs.num_envs:
            yield from _told(waiting[: envs.num_envs], envs)
            del waiting[: envs.num_envs]
    yield from _told(waiting, envs)


def _told(records: Sequence[Record], envs: VectorTextWrapper) -> list[Shown]:
    """Plays what was recorded once more, as text."""
    if not records:
        return []
    filled = [*records, *[records[0]] * (envs.num_envs - len(records))]
    envs.reset(options={"tasks": [record.task for record in filled]})
    replies = [list(_replies(record)) for record in filled]
    found: list[Shown | None] = [None] * envs.num_envs
    for turn in range(max(map(len, replies))):
        _, _, terminated, _, infos = envs.step([said[turn] if turn < len(said) else "" for said in replies])
        for slot in np.flatnonzero(terminated):
            if found[slot] is None:
                record = filled[slot]
                found[slot] = Shown(record.task, infos["transcript"][slot], float(record.verdict["value"] or 0.0))
    return [one for one in found[: len(records)] if one is not None]


def _replies(record: Record) -> Iterator[str]:
    """The teacher's actions in the format "tags", with the numbers of results for their URLs."""
    format, urls = TagFormat(), [result["url"] for result in record.first["results"]]
    for turn in record.turns:
        kind, texts = Kind[turn.kind.upper()], turn.texts
        if kind in (Kind.VISIT, Kind.ANSWER):
            texts = tuple(str(urls.index(text) + 1) if text in urls else text for text in texts)
        yield format.write(Action(kind, texts))
        urls += [result["url"] for result in turn.observation["results"]]


def write_chats(path: Path, shown: Sequence[Shown]) -> None:
    """Writes conversations as JSON lines: ``messages`` as chat trainers take them; ``agent``, which of them the
    agent wrote; the task, and the verdict's value."""
    with path.open("w", encoding="utf-8") as file:
        for one in shown:
            agent = [segment.is_agent for segment in one.transcript.segments]
            line = {"messages": one.transcript.messages, "agent": agent, "task": one.task, "value": one.value}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def encode(transcript: Transcript, tokenizer: Tokenizer, rng: np.random.Generator) -> Example:
    """A conversation as ids, its slots drawn anew, with the transcript's loss mask."""
    ids, mask = transcript.tokenize(Conversation(tokenizer, rng).encode)
    while mask and not mask[-1]:  # the line end behind the last reply
        ids, mask = ids[:-1], mask[:-1]
    return Example(ids, [bool(one) for one in mask])


def batches(lengths: Sequence[int], most: int, rng: np.random.Generator) -> Iterator[list[int]]:
    """The places of all conversations in batches of at most ``most`` ids, padding counted; those of a batch are
    of about one length, and chance decides the order of batches."""
    order = sorted(rng.permutation(len(lengths)).tolist(), key=lambda place: lengths[place])
    found: list[list[int]] = [[]]
    for place in order:
        if found[-1] and (len(found[-1]) + 1) * lengths[place] > most:
            found.append([])
        found[-1].append(place)
    for number in rng.permutation(len(found)):
        if found[number]:
            yield found[number]


def stack(rows: Sequence[Sequence[Any]], dtype: torch.dtype, device: torch.device) -> Tensor:
    """Rows of different lengths as one tensor, padded with 0 behind."""
    tensor = torch.zeros(len(rows), max(map(len, rows)), dtype=dtype)
    for place, row in enumerate(rows):
        tensor[place, : len(row)] = torch.tensor(row, dtype=dtype)
    return tensor.to(device)


def imitate(
    model: LanguageModel,
    transcripts: Sequence[Transcript],
    tokenizer: Tokenizer,
    optimizer: torch.optim.Optimizer,
    rng: np.random.Generator,
    device: torch.device,
    *,
    batch: int = 4_096,
    schedule: tuple[int, int] = (0, 1),
) -> Iterator[tuple[float, float, int]]:
    """One pass over conversations, each in slots of its own: the agent's ids are made likelier, by the loss mask.

    Args:
        model: is changed.
        transcripts: the teacher's.
        tokenizer: the model's.
        optimizer: of the model's parameters; its learning rate falls from its ``initial_lr`` by a half cosine.
        rng: decides slots and order.
        device: the model's.
        batch: the most ids of one step.
        schedule: which pass this is, and of how many.

    Yields:
        After each step the loss and the accuracy on ids that the agent wrote, and how many ids were read.
    """
    examples = [encode(transcript, tokenizer, rng) for transcript in transcripts]
    order = list(batches([len(example.ids) for example in examples], batch, rng))
    for step, places in enumerate(order):
        done = (schedule[0] + step / len(order)) / schedule[1]
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"] * min(1.0, (schedule[0] * len(order) + step + 1) / 20)
            group["lr"] *= 0.1 + 0.45 * (1 + math.cos(math.pi * done))
        ids = stack([examples[place].ids for place in places], torch.int64, device)
        wrote = stack([examples[place].mask for place in places], torch.bool, device)[:, 1:]
        scores = model.logits(model(ids)[:, :-1][wrote])
        sought = ids[:, 1:][wrote]
        loss = F.cross_entropy(scores.float(), sought)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        right = (scores.argmax(-1) == sought).float().mean()
        yield float(loss.detach()), float(right), ids.numel()
