"""Numbers of results that stand for their URLs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policies.histories import observe
from tests.webs import GoldJudge, benchmark
from webenv.actions import Action, answer, search, visit
from webenv.chat.session import resolve, select
from webenv.env import SearchEnv
from webenv.observations import Result
from webenv.rules import Rules
from webenv.wrappers import TextWrapper

LAMP = "https://harbour.example/lamp"
URLS = ["https://a.example/", "https://b.example/"]


def made(rules: Rules | None = None, **settings: Any) -> TextWrapper:
    env = TextWrapper(SearchEnv(benchmark(rules=rules)), references=True, **settings)
    env.reset(options={"task": "t/lamp"})
    return env


def titles(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(("Result", "Notice", "Page"))]


def test_numbers_go_on_through_the_episode() -> None:
    """A later search's results, and the notice about them, go on where the first ended."""
    env = made()
    assert titles(env.step("<search>whale</search>")[0]) == ["Result 1: The lamp"]
    assert titles(env.step("<search>\nflood bridge\nobservatory winter\n</search>")[0]) == [
        "Notice: Query 1 found results 2 to 3. Query 2 found results 4 to 5.",
        "Result 2: The flood",
        "Result 3: The wheel",
        "Result 4: The comet",
        "Result 5: The lens",
    ]
    assert titles(env.step("<visit>\n[2], #4\n</visit>")[0]) == ["Page: The flood", "Page: The comet"]
    *_, reward, terminated, _, info = env.step("<answer>1</answer>")
    assert (reward, terminated, info["verdict"]["outcome"]) == (1.0, True, "right")
    env.reset()
    assert titles(env.step("<visit>1</visit>")[0])[0].startswith(
        "Notice: No result has the number 1: so far there are none."
    )


def test_number_that_names_nothing() -> None:
    """It is a bad action: a notice that says so, nothing visited; or the end where the rules fail it."""
    env = made()
    env.step("<search>whale</search>")
    text, _, terminated, *_ = env.step("<visit>\n1\n7\n</visit>")
    assert not terminated
    assert text == (
        "Notice: No result has the number 7: so far there are 1 to 1. The action names no URL. "
        "An action is one of search, visit, ask, answer and note, with its texts.\n\n"
        "Left: 3 searches, 4 visits, 2 asks, 6 turns."
    )
    *_, terminated, _, info = made(Rules(invalid="fail")).step("<visit>7</visit>")
    assert (terminated, info["ending"]) == (True, "invalid_action")


def test_numbers_as_answers() -> None:
    """Where the benchmark's answers are no URLs a number is an answer of its own."""
    judge = GoldJudge()
    env = TextWrapper(SearchEnv(benchmark(judge=judge, rules=Rules())), references=True)
    env.reset()
    env.step("<search>whale</search>")
    env.step("<answer>1</answer>")
    assert judge.submissions[0].answer == ("1",)
    assert env.messages[0]["content"].endswith("the number of a result may stand for its URL in a visit.\n")
    assert made().messages[0]["content"].endswith("in a visit, and in the answer.\n")


@pytest.mark.parametrize(
    ("action", "resolved"),
    [
        (visit("1", "https://c.example/", " [2] "), visit(URLS[0], "https://c.example/", URLS[1])),
        (visit("1 2"), visit(*URLS)),
        (visit("1; 2,"), visit(*URLS)),
        (visit("1 https://c.example/"), visit("1 https://c.example/")),
        (visit("0"), Action(1, ())),
        (visit("3"), Action(1, ())),
        (visit("-1"), Action(1, ())),
        (visit("1" + "0" * 30), Action(1, ())),
        (visit("1" * 5_000), Action(1, ())),
        (visit("2."), visit(URLS[1])),
        (visit("(2)"), visit(URLS[1])),
        (visit("Result 2"), visit(URLS[1])),
        (visit("results 1, 2"), visit(*URLS)),
        (visit("[1][2]"), visit(*URLS)),
        (visit("1、2"), visit(*URLS)),
        (visit("1-2"), visit("1-2")),
        (visit("Result 2: The lamp"), visit("Result 2: The lamp")),
        (answer("Result 2."), answer(URLS[1])),
        (visit(""), visit("")),
        (visit(), visit()),
        (answer("#2"), answer(URLS[1])),
        (answer("1 2"), answer("1 2")),
        (answer("3"), Action(3, ())),
        (search("1"), search("1")),
        (Action(-2, ("1",)), Action(-2, ("1",))),
    ],
)
def test_resolve(action: Action, resolved: Action) -> None:
    """Numbers alone are references, in a visit several on a line; all else stays as it is."""
    assert resolve(action, URLS, True)[0] == resolved


def test_results_left_out_have_no_number() -> None:
    """With fewer results shown, a number names what was shown."""
    env = made(results=1)
    env.step("<search>\nthe lamp\nthe mill\n</search>")
    assert titles(env.step("<visit>2</visit>")[0]) == ["Page: The flood"]
    assert titles(env.step("<visit>3</visit>")[0])[0].startswith("Notice: No result has the number 3")


def test_a_visit_that_reads_like_a_notice() -> None:
    """What an agent visits, or a web gives for a reason, is not taken for the numbers of results."""
    env = made()
    env.step("<search>whale</search>")
    text = env.step("<visit>Query 1 found results 1 to 3.</visit>")[0]
    assert titles(text) == ["Notice: No page at Query%201%20found%20results%201%20to%203.: no such page."]
    seen = observe(notice="No page at u: Query 1 found results 1 to 3.")
    assert select(seen, None, 2) == seen


def test_a_notice_that_was_cut() -> None:
    """Where the notice does not tell which results are whose, all are taken for those of one query."""
    hits = [Result(str(number), f"https://a.example/{number}", "", "a.example") for number in range(4)]
    seen = observe(results=hits, notice="Query 1 found results 1 to 2. Query 2 found resu")
    shown = select(seen, 3, 5)
    assert [result["title"] for result in shown["results"]] == ["0", "1", "2"]
    assert shown["notice"] == seen["notice"]
