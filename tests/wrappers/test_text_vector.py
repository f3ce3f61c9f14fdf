"""The text wrapper over many slots."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import webenv
from tests.webs import BrokenWeb, benchmark, pages_of
from tests.wrappers.replies import any_reply
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, ResetNeeded
from webenv.vector import SearchVectorEnv
from webenv.wrappers import TextWrapper, VectorTextWrapper

MODES = ["next_step", "same_step", "disabled"]
SETTINGS: dict[str, Any] = {"references": True, "results": 2, "token_budget": 1_200}


@pytest.mark.parametrize("settings", [{}, SETTINGS])
@pytest.mark.parametrize("mode", MODES)
def test_same_as_single_environments(mode: str, settings: dict[str, Any]) -> None:
    """Over 60 steps all texts, conversations, transcripts and scores are those of single wrappers, to the byte."""
    count = 4
    made_of = benchmark(BrokenWeb(pages_of()))
    envs = VectorTextWrapper(SearchVectorEnv(made_of, count, autoreset_mode=mode), **settings)
    singles = [TextWrapper(SearchEnv(made_of), **settings) for _ in range(count)]
    texts, _ = envs.reset(seed=3)
    assert texts == tuple(env.reset(seed=3 + slot)[0] for slot, env in enumerate(singles))
    rng = np.random.default_rng(0)
    over = [False] * count
    ends = 0
    for _ in range(60):
        replies = [any_reply(rng) for _ in range(count)]
        texts, rewards, terminated, truncated, infos = envs.step(replies)
        assert texts in envs.observation_space
        for slot, env in enumerate(singles):
            if over[slot]:  # mode next_step: this step began an episode
                assert texts[slot] == env.reset()[0]
                over[slot] = False
                continue
            text, reward, *ended, info = env.step(replies[slot])
            assert (rewards[slot], terminated[slot], truncated[slot]) == (reward, *ended)
            over[slot] = any(ended)
            if not over[slot]:
                assert texts[slot] == text
                continue
            ends += 1
            held = infos["final_info"] if mode == "same_step" else infos
            assert held["transcript"][slot] == info["transcript"]
            assert list(held["_transcript"]) == list(np.logical_or(terminated, truncated))
            if mode == "same_step":
                assert infos["final_obs"][slot] == text
                assert texts[slot] == env.reset()[0]
                over[slot] = False
            else:
                assert texts[slot] == text
        if mode == "disabled" and any(over):
            texts, _ = envs.reset(options={"reset_mask": np.array(over)})
            for slot, env in enumerate(singles):
                if over[slot]:
                    assert texts[slot] == env.reset()[0]
            over = [False] * count
        for slot, env in enumerate(singles):
            if not over[slot]:
                assert envs.messages[slot] == env.messages
                assert envs.transcripts[slot] == env.transcript
    assert ends > 10


@pytest.mark.parametrize("mode", MODES)
def test_snapshot_restore_fork(mode: str) -> None:
    """After a snapshot through JSON, and in a fork, everything goes on as in the original, ends included."""

    def begin() -> VectorTextWrapper:
        envs = VectorTextWrapper(SearchVectorEnv(benchmark(), 4, group_size=2, autoreset_mode=mode), **SETTINGS)
        envs.reset(seed=7)
        return envs

    def play(envs: VectorTextWrapper, seed: int, steps: int) -> list[str]:
        rng = np.random.default_rng(seed)
        seen = []
        for _ in range(steps):
            texts, rewards, terminated, truncated, infos = envs.step([any_reply(rng) for _ in range(4)])
            over = terminated | truncated
            seen.append(repr((texts, rewards, over, infos, envs.messages)))
            if mode == "disabled" and over.any():
                envs.reset(options={"reset_mask": over})
        return seen

    envs = begin()
    for steps in (0, 5, 6):
        play(envs, steps, steps)
        saved = json.loads(json.dumps(webenv.snapshot(envs)))
        twin, other = webenv.fork(envs), begin()
        webenv.restore(other, saved)
        first = play(envs, 1, 12)
        assert play(twin, 1, 12) == first
        assert play(other, 1, 12) == first


def test_made_by_id() -> None:
    """It goes around what gymnasium.make_vec makes, groups included."""
    envs = VectorTextWrapper(gym.make_vec("NeedleInWeb-v0", web="sample", num_envs=4, group_size=2))
    texts, infos = envs.reset(seed=0)
    assert texts[0] == texts[1]
    assert list(infos["group"]) == [0, 0, 1, 1]
    assert [len(messages) for messages in envs.messages] == [2, 2, 2, 2]
    assert envs.tools == ([], [], [], [])


def test_transcripts_are_objects_in_an_array() -> None:
    """A transcript is one element of the array, whatever it holds."""
    envs = VectorTextWrapper(SearchVectorEnv(benchmark(), 2))
    envs.reset()
    *_, infos = envs.step(["<answer>x</answer>", "<note>y</note>"])
    assert infos["transcript"].shape == (2,)
    assert infos["transcript"][0].segments[-1].text == "<answer>x</answer>"
    assert infos["transcript"][1] is None
    assert list(infos["_transcript"]) == [True, False]


def test_what_is_refused() -> None:
    """Another number of replies, one text for all, what is no reply, a step before reset, and other environments."""
    envs = VectorTextWrapper(SearchVectorEnv(benchmark(), 2))
    with pytest.raises(ResetNeeded):
        envs.step(["a", "b"])
    envs.reset()
    before = webenv.snapshot(envs)
    for replies, message in (
        (["a"], "step was given 1 replies: expected 2"),
        ("ab", "step was given 'ab': expected 2 replies"),
        (None, "step was given None: expected 2 replies"),
        (["a", 7], "expected a model's text, or the message"),
    ):
        with pytest.raises(InvalidArgument, match=message):
            envs.step(replies)
    assert webenv.snapshot(envs) == before
    with pytest.raises(InvalidArgument, match="expected a vector environment of webenv"):
        VectorTextWrapper(gym.make_vec("CartPole-v1", num_envs=2))
