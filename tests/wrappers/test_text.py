"""The text wrapper over single environments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.wrappers import FrameStackObservation, TimeLimit

import webenv
from tests.hostile import TEXTS
from tests.webs import BrokenWeb, benchmark, pages_of
from tests.wrappers.replies import any_reply
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import DataError, InvalidArgument, ResetNeeded
from webenv.rules import Rules
from webenv.wrappers import MenuSize, MenuWrapper, TextWrapper

LAMP = "https://harbour.example/lamp"


def made(rules: Rules | None = None, budget: Budget | None = None, **settings: Any) -> TextWrapper:
    env = TextWrapper(SearchEnv(benchmark(rules=rules, budget=budget)), **settings)
    env.reset(options={"task": "t/lamp"})
    return env


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("settings", [{}, {"format": "tools"}, {"format": "blocks", "token_budget": 5_000}])
def test_check_env(settings: dict[str, Any]) -> None:
    """gymnasium's own checker finds nothing but that it is a wrapper."""
    check_env(TextWrapper(SearchEnv(benchmark()), **settings), skip_render_check=True)


def test_an_episode() -> None:
    """Messages come out, replies go in, and the answer is scored."""
    env = TextWrapper(SearchEnv(benchmark()))
    text, info = env.reset(options={"task": "t/lamp"})
    assert text == "Find the page of number 0.\n\nLeft: 4 searches, 4 visits, 2 asks, 8 turns."
    text, reward, terminated, truncated, info = env.step("I look. <search>whale</search>")
    token = text.split('"')[1]
    assert text == (
        f'<data id="{token}">\nResult 1: The lamp\n{LAMP}\n'
        f'The lamp of the old lighthouse was lit by whale oil until 1862.\n</data id="{token}">'
        "\n\nLeft: 3 searches, 4 visits, 2 asks, 7 turns."
    )
    assert (reward < 0, terminated, truncated) == (True, False, False)
    text, reward, terminated, truncated, info = env.step(f"<answer>{LAMP}</answer>")
    assert (text, reward, terminated) == ("Left: 3 searches, 4 visits, 2 asks, 6 turns.", 1.0, True)
    assert info["verdict"]["outcome"] == "right"
    assert [message["role"] for message in env.messages] == ["system", "user", "assistant", "user", "assistant"]
    assert env.messages == info["transcript"].messages


@pytest.mark.parametrize(
    "reply", ["I give up.", "", None, "<think><search>a</search>", {"role": "assistant", "content": None}]
)
def test_reply_without_an_action(reply: Any) -> None:
    """It costs a turn and is told what it lacked where the rules give notice; where they fail it, it ends all."""
    text, _, terminated, *_ = made().step(reply)
    assert not terminated
    assert text.startswith("Your last reply held no action. Each reply needs one of these tags: <search>")
    assert text.endswith("Left: 4 searches, 4 visits, 2 asks, 7 turns.")
    strict = made(Rules(invalid="fail", endings={"no_action": "no_action_block"}))
    *_, terminated, truncated, info = strict.step(reply)
    assert (terminated, truncated, info["ending"]) == (True, False, "no_action_block")


def test_block_of_an_unknown_type() -> None:
    """It ends as the rules say of an unknown kind."""
    env = made(Rules(invalid="fail", endings={"unknown_action": "unknown_action_type"}), format="blocks")
    *_, info = env.step("<action>\ntype: Browse\n</action>")
    assert info["ending"] == "unknown_action_type"


def test_a_message_is_a_reply_too() -> None:
    """In formats without tools a message as an endpoint returns it is read by its content."""
    text, *_ = made().step({"role": "assistant", "content": "<search>whale</search>"})
    assert "Result 1: The lamp" in text


@pytest.mark.parametrize("reply", [7, ["<search>a</search>"], b"x"])
def test_what_is_no_reply(reply: Any) -> None:
    """What is neither text nor message is refused, and changes nothing."""
    env = made()
    before = webenv.snapshot(env)
    with pytest.raises(InvalidArgument, match="expected a model's text, or the message"):
        env.step(reply)
    assert webenv.snapshot(env) == before


def test_prompts(tmp_path: Path) -> None:
    """A prompt replaces the rules to the letter, as a text or from a file."""
    path = tmp_path / "rules.txt"
    path.write_text("Rules: { x }\n", encoding="utf-8")
    for prompt in ("Rules: { x }\n", path):
        assert made(prompt=prompt).messages[0] == {"role": "system", "content": "Rules: { x }\n"}
    with pytest.raises(DataError, match="cannot be read"):
        made(prompt=tmp_path / "none.txt")
    with pytest.raises(InvalidArgument, match="expected the text of the system message"):
        made(prompt=" ")
    with pytest.raises(InvalidArgument, match="is the name of a file: pass Path"):
        made(prompt=str(path))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"format": "tag"}, "format='tag'. Did you mean 'tags'?"),
        ({"page_characters": 99}, "page_characters=99: expected a whole number from 100."),
        ({"token_budget": 0}, "token_budget=0: expected a whole number from 1."),
        ({"results": True}, "results=True: expected a whole number from 1."),
        ({"count_tokens": 3}, "count_tokens=3: expected a function of a text to a number."),
    ],
)
def test_settings_out_of_range(settings: dict[str, Any], message: str) -> None:
    """Each is refused in a line that says what was expected."""
    with pytest.raises(InvalidArgument) as error:
        TextWrapper(SearchEnv(benchmark()), **settings)
    assert str(error.value) == message


def test_other_environments() -> None:
    """An environment of another kind, or one whose observations another wrapper has changed, is refused."""
    for env in (gym.make("CartPole-v1"), FrameStackObservation(SearchEnv(benchmark()), 2)):
        with pytest.raises(InvalidArgument, match="expected an environment of webenv"):
            TextWrapper(env)


def test_step_without_an_episode() -> None:
    """Before reset, and after the end, a step is refused, and there is no conversation before reset."""
    env = TextWrapper(SearchEnv(benchmark()))
    with pytest.raises(ResetNeeded):
        env.step("x")
    with pytest.raises(ResetNeeded):
        _ = env.messages
    env.reset()
    env.step("<answer>x</answer>")
    before = env.messages
    with pytest.raises(ResetNeeded):
        env.step("x")
    assert env.messages == before


def test_truncated_episodes_have_a_transcript() -> None:
    """A web that fails, or a limit around the environment, ends the conversation too."""
    env = TextWrapper(SearchEnv(benchmark(BrokenWeb(pages_of()))))
    env.reset()
    *_, terminated, truncated, info = env.step("<search>broken</search>")
    assert (terminated, truncated, info["transcript"].messages[-1]["content"]) == (
        False,
        True,
        "<search>broken</search>",
    )
    limited = TextWrapper(TimeLimit(SearchEnv(benchmark()), 1))
    limited.reset()
    *_, truncated, info = limited.step("<note>x</note>")
    assert truncated
    assert "transcript" in info


def test_fewer_results() -> None:
    """Of each query so many results are shown as were asked for, and the notice numbers those that are."""
    env = made(results=2)
    text, *_ = env.step("<search>\nthe lamp\nthe mill\n</search>")
    assert [line for line in text.splitlines() if line.startswith(("Result", "Notice"))] == [
        "Notice: Query 1 found results 1 to 2. Query 2 found results 3 to 4.",
        "Result 1: The lamp",
        "Result 2: The bell",
        "Result 3: The flood",
        "Result 4: The miller",
    ]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"references": True, "results": 2, "token_budget": 900},
        {"keep_thinking": True, "format": "source"},
    ],
)
def test_snapshot_restore_fork(settings: dict[str, Any]) -> None:
    """After a snapshot through JSON, and in a fork, everything goes on as in the original."""

    def play(env: TextWrapper, rng: np.random.Generator) -> list[Any]:
        seen: list[Any] = []
        for _ in range(12):
            seen.append(env.step(any_reply(rng)))
            seen.append(env.messages)
            if seen[-2][2] or seen[-2][3]:
                seen.append(env.reset())
        return [repr(one) for one in seen]

    for steps in (0, 3):
        env = TextWrapper(SearchEnv(benchmark()), **settings)
        env.reset(seed=4)
        rng = np.random.default_rng(4)
        for _ in range(steps):
            env.step(f"<think>hm</think><note>{rng.integers(9)}</note>" if steps % 2 else "<search>lamp</search>")
        saved = json.loads(json.dumps(webenv.snapshot(env)))
        twin = webenv.fork(env)
        other = TextWrapper(SearchEnv(benchmark()), **settings)
        webenv.restore(other, saved)
        assert webenv.snapshot(other) == saved
        first = play(env, np.random.default_rng(9))
        assert play(twin, np.random.default_rng(9)) == first
        assert play(other, np.random.default_rng(9)) == first
    fresh = TextWrapper(SearchEnv(benchmark()), **settings)
    webenv.restore(other, webenv.snapshot(fresh))
    with pytest.raises(ResetNeeded):
        _ = other.transcript


def test_observations_are_members_of_their_space() -> None:
    """Whatever is replied, observations are texts of the space, and the same replies bring the same ones."""
    env, twin = (TextWrapper(SearchEnv(benchmark()), references=True) for _ in range(2))
    assert data_equivalence(env.reset(seed=1), twin.reset(seed=1))
    rng = np.random.default_rng(1)
    for _ in range(60):
        reply = any_reply(rng)
        step = env.step(reply)
        assert step[0] in env.observation_space
        assert data_equivalence(step, twin.step(reply), exact=True)
        if step[2] or step[3]:
            assert env.reset()[0] == twin.reset()[0]


@pytest.mark.parametrize("format", ["tags", "blocks", "source", "tools"])
def test_hostile_replies(format: str) -> None:
    """No text raises, however malformed, and the conversation stays one that can be sent and tokenized."""
    env = made(format=format, references=True, token_budget=3_000)
    for text in TEXTS:
        for reply in (
            text,
            f"<think>{text}</think>",
            f"<search>{text}</search>",
            f"<visit>{text}</visit>",
            f"<answer>{text}</answer>",
            f"<action>\ntype: Search\n{text}</action>",
            {"content": text, "tool_calls": [{"id": text, "function": {"name": text, "arguments": text}}]},
            {"content": [text], "tool_calls": [{"function": {"name": "visit", "arguments": {"urls": [text, 7]}}}]},
        ):
            *_, terminated, truncated, _ = env.step(reply)
            json.dumps(env.messages, ensure_ascii=False).encode()
            ids, mask = env.transcript.tokenize(lambda part: part.encode())
            assert len(ids) == len(mask)
            if terminated or truncated:
                env.reset()


def test_specs_make_the_same_stack(tmp_path: Path) -> None:
    """The spec of a wrapped environment goes to JSON and back, and makes the same wrappers, prompts included."""
    path = tmp_path / "rules.txt"
    path.write_text("My rules.", encoding="utf-8")
    made = gym.make("NeedleInWeb-v0", web="sample")
    env = TextWrapper(made, "tools", prompt=path, token_budget=9_000, references=True)
    assert env.spec is not None
    twin = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert (env.reset(seed=1)[0], env.messages) == (twin.reset(seed=1)[0], twin.messages)  # type: ignore[attr-defined]
    menu = MenuWrapper(gym.make("NeedleInWeb-v0", web="sample"), MenuSize(3, 8, 2))
    assert menu.spec is not None
    again = gym.make(EnvSpec.from_json(menu.spec.to_json()))
    assert again.observation_space == menu.observation_space
