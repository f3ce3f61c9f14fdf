"""10,000 random and hostile actions: nothing raises, nothing leaves its space, nothing is miscounted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.hostile import any_action
from tests.webs import benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.rules import Rules
from webenv.vector import SearchVectorEnv

BUDGET = Budget(searches=4, visits=4, asks=2, turns=8)
RULES = {
    "notice": Rules(results=3, fetch_answer=True),
    "fail": Rules(results=3, invalid="fail", overrun="fail", unseen="notice"),
}
LONGEST = (2_000, 4_096, 20_000, 200_000, 200_000)


class Model:
    """What a budget must be, worked out from the documented rules alone.

    Each turn costs a turn. Searches, visits and asks cost one a query, URL or site, all of an
    action or none. An action that is malformed, empty, over-long or over budget costs nothing
    else, and by the rule "fail" it ends the episode.
    """

    def __init__(self, rule: str) -> None:
        self.rule = rule
        self.left = [4, 4, 2, 8]
        self.ended = False

    def step(self, raw: Any) -> None:
        units = self.units(raw)
        self.left[3] -= 1
        if units is None:
            self.ended = self.rule == "fail"
        else:
            kind, count = units
            if kind < 3:
                self.left[kind] -= count
            self.ended = kind == 3
        self.ended = self.ended or self.left[3] == 0

    def units(self, raw: Any) -> tuple[int, int] | None:
        if type(raw).__name__ not in ("tuple", "list", "Action") or len(raw) != 2:
            return None
        kind, texts = raw
        if isinstance(kind, bool | np.bool_) or not isinstance(kind, int | np.integer) or kind not in range(5):
            return None
        if not isinstance(texts, tuple | list) or any(not isinstance(text, str) for text in texts):
            return None
        kind = int(kind)
        least = 2 if kind == 2 else 1
        most = 1 if kind == 3 else 100
        if not least <= len(texts) <= most:
            return None
        for number, text in enumerate(texts):
            longest = 255 if kind == 2 and number > 0 else LONGEST[kind]
            if len(text) > longest or (kind < 3 and not text.strip()):
                return None
        count = len(texts) - (kind == 2)
        if kind < 3 and count > self.left[kind]:
            return None
        return kind, count


@pytest.mark.parametrize("rule", ["notice", "fail"])
def test_single(rule: str) -> None:
    """2,000 actions on one environment, by each rule for bad actions."""
    env = SearchEnv(benchmark(rules=RULES[rule], budget=BUDGET))
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    model = Model(rule)
    for _ in range(2_000):
        action = any_action(rng)
        observation, reward, terminated, truncated, info = env.step(action)
        model.step(action)
        assert observation in env.observation_space
        assert observation["budget"].tolist() == model.left, repr(action)[:200]
        assert (terminated, truncated) == (model.ended, False), repr(action)[:200]
        assert -0.1 <= reward <= 1.0
        if terminated:
            spent = [4, 4, 2, 8]
            assert list(info["spent"].values()) == [most - left for most, left in zip(spent, model.left, strict=True)]
            env.reset()
            model = Model(rule)


@pytest.mark.parametrize("rule", ["notice", "fail"])
@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_vector(mode: str, rule: str) -> None:
    """1,000 actions on a vector environment, in each mode and by each rule: 10,000 with those above."""
    count = 10
    envs = SearchVectorEnv(benchmark(rules=RULES[rule], budget=BUDGET), count, autoreset_mode=mode)
    rng = np.random.default_rng(1)
    envs.reset(seed=0)
    models = [Model(rule) for _ in range(count)]
    for _ in range(100):
        actions = [any_action(rng) for _ in range(count)]
        observation, rewards, terminated, truncated, infos = envs.step(actions)
        assert observation in envs.observation_space
        assert rewards.shape == (count,)
        assert not truncated.any()
        for slot, model in enumerate(models):
            if mode == "next_step" and model.ended:
                models[slot] = model = Model(rule)
                assert not terminated[slot]
                assert rewards[slot] == 0.0
            else:
                model.step(actions[slot])
                assert terminated[slot] == model.ended, repr(actions[slot])[:200]
            if mode == "same_step" and model.ended:
                assert infos["final_obs"][slot]["budget"].tolist() == model.left
                models[slot] = model = Model(rule)
            assert observation["budget"][slot].tolist() == model.left
        if mode == "disabled" and terminated.any():
            observation, _ = envs.reset(options={"reset_mask": terminated})
            models = [Model(rule) if ended else model for model, ended in zip(models, terminated, strict=True)]
            assert observation["budget"].tolist() == [model.left for model in models]


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 8)
    | st.floats()
    | st.text(st.characters(categories=None), max_size=8)
    | st.binary(max_size=4)
    | st.builds(np.int64, st.integers(-1, 6)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=2), inner, max_size=2)
        | st.tuples(st.integers(0, 4), st.lists(st.text(st.characters(categories=None), max_size=6), max_size=4))
    ),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(st.lists(anything, min_size=1, max_size=8))
def test_anything(actions: list[Any]) -> None:
    """Whatever hypothesis thinks of is played or refused, and counted as the rules say."""
    env = SearchEnv(benchmark(rules=RULES["notice"], budget=BUDGET))
    env.reset(seed=0)
    model = Model("notice")
    for action in actions:
        observation, _, terminated, _, _ = env.step(action)
        model.step(action)
        assert observation in env.observation_space
        assert observation["budget"].tolist() == model.left
        assert terminated == model.ended
        if terminated:
            return
