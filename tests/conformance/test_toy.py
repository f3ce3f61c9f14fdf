"""What the toy environment has beside what every environment promises: asks and rankings."""

from __future__ import annotations

import gymnasium as gym

from tests.conformance.toy import ID, url
from webenv import answer, ask


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
