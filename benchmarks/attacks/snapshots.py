"""Snapshots from strangers: every value of a good one in turn replaced by what should not stand there. Each is refused
in one line or taken; whatever becomes of the step after it, the good one is taken up again."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import gymnasium as gym
from common import Finding

import webenv
from webenv.errors import WebenvError
from webenv.wrappers import MenuWrapper, TextWrapper

HOSTILE: tuple[Any, ...] = (
    *(None, True, -1, 2**70, 1e308, "x", "\ud800", "x" * 1_000_000, [], {}, [[[[]]]] * 3, {"a": {}}),
    {"array": ["x"] * 3, "dtype": "S500000000", "shape": [3]},
    {"array": [0], "dtype": "O", "shape": [10**9]},
    {"scalar": 0, "dtype": "V500000000"},
    {"rng": {"bit_generator": "MT19937", "state": {"key": [0], "pos": 2**40}}},
    {"deque": [], "maxlen": 2**62},
)
DEEP = '{"stack":' + "[" * 100_000
MEMORY = 300_000_000  # bytes


def changed(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value in plain data."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from changed(inner, (*path, key))


def replaced(data: Any, path: tuple[Any, ...], by: Any) -> Any:
    """The same data with one value in place of another."""
    if not path:
        return by
    made = json.loads(json.dumps(data))
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return made


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    for name, wrap in (("plain", lambda env: env), ("text", TextWrapper), ("menu", MenuWrapper)):
        env: Any = wrap(gym.make("NeedleInWeb-v0", web="sample"))
        env.reset(seed=0)
        good = webenv.snapshot(env)
        data, wrong, refused = json.loads(good), [], 0
        mutants = [(path, by) for path in changed(data) for by in HOSTILE]
        mutants = mutants[:: max(1, int(len(mutants) / (1_000 * scale)))]
        tracemalloc.start()
        for path, by in mutants:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            try:
                webenv.restore(env, json.dumps(replaced(data, path, by)))
            except WebenvError:
                refused += 1
            except Exception as error:
                wrong.append(f"{path} = {by!r:.40}: {type(error).__name__}: {error!s:.80}")
            if tracemalloc.get_traced_memory()[1] - before > MEMORY:
                wrong.append(f"{path} = {by!r:.40}: memory")
            else:
                with suppress(Exception):  # an episode of a stranger's may be of no use
                    env.step(env.action_space.sample())
            webenv.restore(env, good)
            if webenv.snapshot(env) != good:
                wrong.append(f"{path} = {by!r:.40}: it is not as it was")
        tracemalloc.stop()
        try:
            webenv.restore(env, DEEP)
            wrong.append("deep nesting was taken")
        except WebenvError:
            refused += 1
        except Exception as error:
            wrong.append(f"deep nesting: {type(error).__name__}")
        note = f"{refused} refused; {wrong[0]}" if wrong else f"{refused} refused, the others are let go of"
        yield Finding(f"snapshots, {name}", len(mutants) + 1, len(wrong), note)
