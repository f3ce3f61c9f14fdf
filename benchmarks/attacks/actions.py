"""10,000 hostile actions over every registered id and every wrapper: nothing raises, nothing leaves its space."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium as gym
import numpy as np
from common import Finding

from tests.hostile import TEXTS, WORDS, any_action, pick
from webenv.registration import IDS
from webenv.wrappers import MenuWrapper, TextWrapper, VectorMenuWrapper, VectorTextWrapper

PIECES = (
    *("<search>", "</search>", "<visit>", "</visit>", "<answer>", "</answer>", "<think>", "</think>", "<ask site=\""),
    *("<tool_call>", '{"name": "search", "arguments": {"queries": [', "<|im_start|>assistant", "<|end|>", "[["),
    *("Action: search[", "<source>", "%s%s%n", "\x1b[2J", "\u202e", "<" * 5_000, "[" * 5_000, "." * 40 + ":"),
    *WORDS,
)  # fmt: skip
SLOWEST = 10.0  # seconds of processor time that one action may take
FORMATS = ("tags", "blocks", "source", "tools")


def reply(rng: np.random.Generator, calls: bool) -> Any:
    """What a language model gone wrong may write; with ``calls`` also as a message with tool calls."""
    draw = int(rng.integers(20))
    if draw == 0:
        return pick(rng, TEXTS)
    text = "".join(pick(rng, PIECES) for _ in range(int(rng.integers(1, 8))))
    if calls and draw < 10:
        arguments = pick(rng, ('{"queries": ["lamp"]}', '{"urls": 7}', "{", "[" * 10_000, '{"queries": null}', text))
        name = pick(rng, ("search", "visit", "answer", "ask", "note", "rm -rf /", ""))
        call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
        return {
            "role": "assistant",
            "content": pick(rng, (text, None, "")),
            "tool_calls": [call] * int(rng.integers(3)),
        }
    return text


def menu_action(rng: np.random.Generator, count: int) -> Any:
    return pick(rng, (int(rng.integers(count)), np.int64(rng.integers(count)), np.int32(rng.integers(count))))


def surfaces(name: str) -> Iterator[tuple[str, Callable[[], Any], int, Callable[[np.random.Generator], Any]]]:
    """Each way to play an id: its name, what makes it, its slots (0: a single one), and what draws an action."""
    settings: dict[str, Any] = {"budget": {"asks": 2}}
    many: dict[str, Any] = {**settings, "num_envs": 4, "autoreset_mode": "same_step"}
    yield "gym.make", lambda: gym.make(name, **settings), 0, any_action
    yield "gym.make_vec", lambda: gym.make_vec(name, **many), 4, any_action
    for one in FORMATS:
        draw = lambda rng, calls=one == "tools": reply(rng, calls)  # noqa: E731
        yield f"TextWrapper {one}", lambda one=one: TextWrapper(gym.make(name, **settings), format=one), 0, draw
    yield "VectorTextWrapper", lambda: VectorTextWrapper(gym.make_vec(name, **many)), 4, lambda rng: reply(rng, False)
    yield "MenuWrapper", lambda: MenuWrapper(gym.make(name, **settings)), 0, lambda rng: menu_action(rng, 60)
    yield (
        "VectorMenuWrapper",
        lambda: VectorMenuWrapper(gym.make_vec(name, **many)),
        4,
        lambda rng: menu_action(rng, 60),
    )


def play(make: Callable[[], Any], slots: int, draw: Callable[[np.random.Generator], Any], steps: int) -> list[str]:
    """What went wrong in so many actions."""
    rng, wrong, env = np.random.default_rng(7), [], make()
    env.reset(seed=0)
    for _ in range(math.ceil(steps / max(slots, 1))):
        action = [draw(rng) for _ in range(slots)] if slots else draw(rng)
        began = time.process_time()
        try:
            observation, reward, terminated, truncated, _ = env.step(action)
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {error} of {action!r:.80}")
            env.reset()
            continue
        if time.process_time() - began > SLOWEST:
            wrong.append(f"{time.process_time() - began:.1f} s for {action!r:.80}")
        if observation not in env.observation_space:
            wrong.append(f"outside its space after {action!r:.80}")
        if not np.all((np.asarray(reward) >= 0.0) & (np.asarray(reward) <= 1.0)):
            wrong.append(f"reward {reward} after {action!r:.80}")
        if np.any(truncated):
            wrong.append(f"truncated by {action!r:.80}")
        if not slots and terminated:
            env.reset()
    env.close()
    return wrong


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    ways = [(name, *surface) for name in IDS for surface in surfaces(name)]
    steps = max(8, math.ceil(10_000 * scale / len(ways)))
    for name in IDS:
        wrong, tried = [], 0
        for way, make, slots, draw in surfaces(name):
            wrong += [f"{way}: {one}" for one in play(make, slots, draw, steps)]
            tried += steps
        yield Finding(
            f"hostile actions, {name}",
            tried,
            len(wrong),
            f"{len(ways) // len(IDS)} wrappers; {wrong[0]:.200}" if wrong else f"{len(ways) // len(IDS)} wrappers",
        )
