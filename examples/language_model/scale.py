"""Scales: how large the model is, what it plays, and how long it learns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Scale:
    """How large everything is.

    Attributes:
        width, layers, heads, context: of the model; the last in ids of one conversation.
        words: that have an id of their own.
        web: of the tasks, without how many worlds.
        worlds, held: how many to train on, and to evaluate on.
        difficulty: of the tasks.
        budget: of an episode.
        results: of one query.
        episodes: of the teacher; ``passes``: over them; ``rate``: the learning rate of imitation.
        groups, attempts: tasks of an update, and episodes of each; ``reward_rate``: the learning rate of GRPO.
        tasks: to evaluate on, the same at the start and at the end.
        slots: episodes at a time in evaluation.
        reply: the most ids of one reply.
    """

    width: int = 128
    layers: int = 3
    heads: int = 4
    context: int = 640
    words: int = 1_000
    web: str = "procedural:pages=1000"
    worlds: int = 16
    held: int = 4
    difficulty: tuple[str, ...] = ("easy", "medium")
    budget: Mapping[str, int] = field(default_factory=lambda: {"searches": 1, "visits": 2, "turns": 4})
    results: int = 4
    episodes: int = 1_500
    passes: int = 2
    rate: float = 3e-3
    groups: int = 12
    attempts: int = 8
    reward_rate: float = 4e-4
    tasks: int = 600
    slots: int = 100
    reply: int = 80


SCALES: Mapping[str, Scale] = {
    "small": Scale(),
    "large": Scale(
        width=512,
        layers=8,
        heads=8,
        context=2_048,
        words=2_000,
        web="procedural",
        worlds=64,
        held=8,
        difficulty=("easy", "medium", "hard"),
        budget={"searches": 4, "visits": 4, "turns": 6},
        results=5,
        episodes=20_000,
        rate=6e-4,
        groups=32,
        reward_rate=1e-4,
        tasks=1_600,
        slots=200,
    ),
    "tiny": Scale(
        web="procedural:pages=200",
        width=32,
        layers=2,
        heads=2,
        worlds=1,
        held=1,
        episodes=8,
        passes=1,
        groups=2,
        attempts=2,
        tasks=4,
        slots=4,
        reply=12,
    ),
}
