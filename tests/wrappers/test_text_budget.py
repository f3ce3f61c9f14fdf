"""A conversation within a token budget."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.webs import PLACES, DictWeb, benchmark, url_of
from tests.wrappers.replies import any_reply
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument
from webenv.observations import Page
from webenv.rules import Rules
from webenv.wrappers import TextWrapper

LONG = DictWeb(
    [Page(url_of(place), place.name, f"{place.text} " + "many words " * 400, "", place.name) for place in PLACES]
)
TURNS = Budget(searches=20, visits=20, asks=2, turns=40)
LAMP, WHEEL, COMET = (url_of(PLACES[number]) for number in (0, 3, 6))


def made(budget: int | None, rules: Rules | None = None, **settings: Any) -> TextWrapper:
    env = TextWrapper(SearchEnv(benchmark(LONG, rules=rules, budget=TURNS)), token_budget=budget, **settings)
    env.reset(options={"task": "t/lamp"})
    return env


def tokens(messages: list[dict[str, Any]]) -> int:
    """As the wrapper counts by default: a fourth of the characters, and eight for each message."""
    return sum(8 - (-len(message["content"]) // 4) for message in messages)


def test_old_pages_give_way_first() -> None:
    """The oldest page is left out, and a line says so; rules, question, replies and statuses stay."""
    free, tight = made(None), made(3_500)
    for env in (free, tight):
        for url in (LAMP, WHEEL, COMET):
            env.step(f"I look. <visit>{url}</visit>")
    assert tokens(free.messages) > 3_500 >= tokens(tight.messages)
    changed = [n for n, (a, b) in enumerate(zip(free.messages, tight.messages, strict=True)) if a != b]
    assert changed == [3]
    assert tight.messages[3]["content"] == (
        "[1 page, left out to save room]\n\nLeft: 20 searches, 19 visits, 2 asks, 39 turns."
    )


def test_the_newest_page_loses_its_middle() -> None:
    """Where old pages are not enough, the newest keeps beginning and end, within its fence."""
    env = made(1_400)
    env.step(f"<visit>{LAMP}</visit>")
    text, *_ = env.step(f"<visit>{WHEEL}</visit>")
    assert tokens(env.messages) <= 1_400
    assert env.messages[-1]["content"] == text
    token = text.split('"')[1]
    assert text.startswith(f'<data id="{token}">\nPage: wheel\n{WHEEL}\nThe wheel of the mill')
    assert "characters left out …]" in text
    assert text.endswith(f'words \n</data id="{token}">\n\nLeft: 20 searches, 18 visits, 2 asks, 38 turns.')
    assert tokens(env.messages) > 1_350


def test_whole_turns_give_way_then() -> None:
    """When the talk itself is too long, turns from the second on are left out, and the question says how many."""
    env = made(1_200)
    for number in range(30):
        env.step(f"<note>{number} {'a thought ' * 20}</note>")
    messages = env.messages
    assert tokens(messages) <= 1_200
    assert messages[1]["content"].startswith("Find the page of number 0.\n\n[")
    assert "turns, left out to save room]\n\nLeft: 20 searches" in messages[1]["content"]
    assert [message["role"] for message in messages[1:4]] == ["user", "assistant", "user"]
    assert messages[-2]["content"].startswith("<note>29 ")
    assert messages[-1]["content"].startswith("Left: 20 searches, 20 visits, 2 asks, 10 turns.")
    assert len(env.transcript.split()) == 30


def test_the_newest_page_has_its_share() -> None:
    """However much was said before, a page that comes has a fourth of the budget: old turns give way to it."""
    env = made(2_000)
    for number in range(30):
        env.step(f"<note>{number} {'a thought ' * 20}</note>")
    text, *_ = env.step(f"<visit>{LAMP}</visit>")
    assert 1_900 < tokens(env.messages) <= 2_000
    assert 500 < len(text) // 4 < 600
    env = made(2_000)
    env.step(f"<note>{'x' * 50_000}</note>")
    text, *_ = env.step(f"<visit>{LAMP}</visit>")
    assert len(text) // 4 > 500
    assert tokens(env.messages) <= 2_000


def test_a_huge_reply_is_cut_and_not_marked() -> None:
    """A reply longer than the budget loses its middle in what is sent, which is no longer what the agent wrote."""
    env = made(1_000)
    env.step(f"<note>{'x' * 50_000}</note>")
    assert tokens(env.messages) <= 1_000
    assert "characters left out" in env.messages[2]["content"]
    assert [one.is_agent for one in env.transcript.segments] == [False, False, False, False]
    assert env.transcript.split()[0].segments[-1].text == f"<note>{'x' * 50_000}</note>"


def test_replies_stay_marked() -> None:
    """After old pages were left out, all replies stand in the transcript and are marked."""
    env = made(1_400)
    replies = [f"<visit>{url}</visit>" for url in (LAMP, WHEEL, COMET)] + ["<answer>x</answer>"]
    for reply in replies:
        info = env.step(reply)[-1]
    ids, mask = info["transcript"].tokenize(lambda text: list(text.encode()))
    marked = bytes(number for number, mine in zip(ids, mask, strict=True) if mine).decode()
    assert marked == "".join(f"{reply}<|end|>" for reply in replies)


def test_split_is_what_was_sent() -> None:
    """Each turn of split holds the messages as they were sent at that turn, cut as they were then."""
    env = made(1_400, references=True)
    rng = np.random.default_rng(5)
    sent, replies = [], []
    for _ in range(25):
        sent.append(env.messages)
        replies.append(any_reply(rng).replace("<answer>", "<note>").replace("</answer>", "</note>"))
        *_, terminated, truncated, _ = env.step(replies[-1])
        assert not terminated
        assert not truncated
    turns = env.transcript.split()
    assert [turn.messages[:-1] for turn in turns] == sent
    assert [turn.segments[-1].text for turn in turns] == replies
    assert all(turn.segments[-1].is_agent for turn in turns)


@pytest.mark.parametrize("format", ["tags", "blocks", "source", "tools"])
@pytest.mark.parametrize("budget", [1_100, 2_000])
def test_the_budget_holds(format: str, budget: int) -> None:
    """Whatever is played, no conversation has more tokens, by a counter of the user's; roles alternate."""
    env = made(budget, format=format, count_tokens=lambda text: len(text.split()) + text.count("\n"))
    rng = np.random.default_rng(budget)
    extra = len(json.dumps(env.tools).split()) if env.tools else 0
    for _ in range(25):
        reply = any_reply(rng, env._session.config.format)
        *_, terminated, truncated, _ = env.step(reply)
        if terminated or truncated:
            env.reset()
        messages = env.messages
        assert extra + sum(8 + len(m["content"].split()) + m["content"].count("\n") for m in messages) <= budget
        roles = [message["role"] for message in messages]
        assert roles[0] == "system"
        assert all(role == "assistant" for role in roles[2::2])
        assert messages[1]["content"].startswith("Find the page")


def test_a_budget_below_the_rules() -> None:
    """Where rules and question do not fit, reset says which budget would do."""
    with pytest.raises(InvalidArgument, match=r"token_budget=300: .* expected a budget of at least (\d+)\.") as error:
        made(300)
    made(int(str(error.value).split()[-1].rstrip(".")))
