"""What the toy environment has beside what every environment promises: asks and rankings."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import pytest

from tests.conformance.toy import ID, url
from webenv import answer, ask
from webenv.envs import register
from webenv.errors import InvalidArgument


def test_short() -> None:
    """An environment with agents to ask, rankings and its own judge takes at most 80 lines."""
    with open(_toy_file(), encoding="utf-8") as file:
        assert len(file.readlines()) <= 80


def _toy_file() -> str:
    from tests.conformance import toy

    assert toy.__file__ is not None
    return toy.__file__


def test_asks_and_rankings() -> None:
    """A site's agent replies with a document, and a ranking is worth 1 / the rank of what was sought."""
    env = gym.make(ID)
    env.reset(options={"task": "mine/1"})
    replies = env.step(ask("what is found?", "iron.example"))[0]["replies"]
    assert [(one["text"], one["documents"][0]["url"]) for one in replies] == [("We dig for iron.", url("iron"))]
    _, reward, terminated, _, info = env.step(answer(url("tin"), url("iron")))
    assert (reward, terminated, info["verdict"]["outcome"]) == (0.5, True, "ranked")
    assert info["verdict"]["scores"] == {"rank": 2.0}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NeedleInWeb-v0", "webenv.envs.needle_in_web.env:NeedleInWebEnv has registered this id"),
        ("CartPole-v1", "gymnasium.envs.classic_control.cartpole:CartPoleEnv has registered this id"),
        (ID, "toy.py has registered this id; choose another one"),
        ("../x-v0", "expected the id to register it as"),
    ],
)
def test_an_id_that_is_taken_is_refused(name: str, message: str) -> None:
    """Nobody's id is replaced, and what is no id is refused."""
    benchmark = gym.make(ID).unwrapped.benchmark  # type: ignore[attr-defined]
    with pytest.raises(InvalidArgument, match=message):
        register(replace(benchmark, name=name))


def test_a_module_replaces_its_own() -> None:
    """What a module has registered it may register again."""
    benchmark = gym.make(ID).unwrapped.benchmark  # type: ignore[attr-defined]
    try:
        for name in ("Again-v0", "Again-v0", "mine/Again-v0"):
            register(replace(benchmark, name=name))
            assert gym.make(name).unwrapped.benchmark.name == name  # type: ignore[attr-defined]
    finally:
        for name in ("Again-v0", "mine/Again-v0"):
            gym.registry.pop(name, None)
