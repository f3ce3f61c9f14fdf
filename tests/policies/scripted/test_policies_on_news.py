"""The scripted policies and models play questions about the news."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.openai_server import Messages, serve
from tests.policies.histories import history, observe
from tests.policies.scripted.papers import LINE, environment
from webenv.actions import Kind
from webenv.corpora import Corpus
from webenv.envs.live_news_bench.env import LiveNewsBenchEnv
from webenv.models import ChatModel
from webenv.policies import NewsClosedBookPolicy, NewsInvestigatorPolicy, NewsKeywordPolicy, ReactPolicy
from webenv.policy import Decision, History, Policy
from webenv.task import Gold, Task, TaskSet

SEARCH = "<action>\ntype: Search\nfire Arlemouth\n</action>"


def play(env: Any, policy: Policy, task: str) -> tuple[str, dict[str, Any], History]:
    """An episode to its end: the answer, the last info, and the history."""
    observation, info = env.reset(options={"task": task})
    played = History(info["task"], 0, [observation])
    over = False
    while not over:
        (decision,) = policy.act([played])
        assert isinstance(decision, Decision)
        observation, _, terminated, truncated, info = env.step(decision.action)
        played.decisions.append(decision)
        played.observations.append(observation)
        over = terminated or truncated
    return " ".join(played.decisions[-1].action.arguments), info, played


QUESTION = "In April 2003: Ada Moss was the keeper of a certain lighthouse. How tall is that lighthouse?"
PORTRAIT = "Since 2003 Ada Moss has been the keeper of Reef Lighthouse. She came from Arle."
OTHERS = [
    {"url": "https://a.example/moss", "title": "Ada Moss", "text": PORTRAIT},
    {"url": "https://b.example/reef", "title": "Reef Lighthouse", "text": "Reef Lighthouse is 53 metres tall."},
    {"url": "https://c.example/hill", "title": "Hill Lighthouse", "text": "Hill Lighthouse is 31 metres tall."},
]


def test_the_investigator_joins_pages() -> None:
    """It finds who is described, searches for that name with what is asked, and answers what pages say of it."""
    task = Task("tall", f"{LINE}\n{QUESTION}", gold=Gold(answers=("53 metres",)))
    env = LiveNewsBenchEnv(web=Corpus.of(OTHERS), tasks=TaskSet([task]))
    said, info, played = play(env, NewsInvestigatorPolicy(), "tall")
    assert (said, info["verdict"]["outcome"]) == ("53 metres", "correct")
    searched = [decision.action.arguments[-1] for decision in played.decisions if decision.action.kind == Kind.SEARCH]
    assert searched[1:] == ["Reef Lighthouse tall lighthouse"]


@pytest.mark.parametrize("policy", [NewsKeywordPolicy(), NewsInvestigatorPolicy()], ids=["keyword", "investigator"])
def test_no_overrun(policy: Policy) -> None:
    """Under every small budget the policies end by an answer of their own: an overrun would fail at once."""
    for searches in range(4):
        for visits in range(4):
            for turns in (1, 2, 3, 9):
                env = environment(searches, visits, turns)
                for task in ("event", "profile", "detail"):
                    _, info, played = play(env, policy, task)
                    assert info["ending"] == "proper_finish"
                    assert len(played.decisions) <= turns


@pytest.mark.parametrize("policy", [NewsKeywordPolicy(), NewsInvestigatorPolicy()], ids=["keyword", "investigator"])
@pytest.mark.parametrize("question", ["Why?", "", "Who won the final of 3 May 2024?", "whoever the person who"])
def test_any_question(policy: Policy, question: str) -> None:
    """A question that is told in no known way leads to an action, and with nothing found to a plain answer."""
    asked = observe(question=f"{LINE}\n{question}", budget=(5, 5, 0, 11))
    (decision,) = policy.act([history(asked)])
    assert isinstance(decision, Decision)
    assert decision.action.kind in (Kind.SEARCH, Kind.ANSWER)
    (decision,) = policy.act([history(observe(question=f"{LINE}\n{question}", budget=(0, 0, 0, 1)))])
    assert decision == Decision(decision.action, decision.thought)  # type: ignore[union-attr]
    assert decision.action.arguments == ("I don't know.",)  # type: ignore[union-attr]


def test_keyword_reads_within_its_own_limit() -> None:
    """The keyword policy reads no more pages than it is told to."""
    _, _, played = play(environment(), NewsKeywordPolicy(visits=1), "event")
    assert sum(len(d.action.arguments) for d in played.decisions if d.action.kind == Kind.VISIT) == 1


def test_closed_book_knows_no_page() -> None:
    """What was learnt from other tasks is answered at once, without a search."""
    env = environment()
    said, info, _ = play(env, NewsClosedBookPolicy(env.benchmark.tasks), "profile")
    assert said == "Frayholm"
    assert info["spent"]["searches"] == info["spent"]["visits"] == 0


@pytest.mark.parametrize(
    ("replies", "ending"),
    [
        ([SEARCH, "<action>\ntype: Finish\nx\n</action>"], "proper_finish"),
        (["I would rather not."], "no_action_block"),
        (["<action>\ntype: Browse\nhttps://a.example/\n</action>"], "unknown_action_type"),
        (["<action>\ntype: Search\na\nb\nc\nd\ne\nf\n</action>"], "exceeded_search_budget"),
        (
            [
                SEARCH,
                "<action>\ntype: Click\n" + "https://a.example/fires/1\n" * 6 + "</action>",
            ],
            "exceeded_click_budget",
        ),
    ],
)  # fmt: skip
def test_blocks_end_as_in_the_release(replies: list[str], ending: str) -> None:
    """A model in the block format, over HTTP, ends its episode by each of the released reasons that it can cause."""

    def script(messages: Messages) -> str:
        return replies[sum(message["role"] == "assistant" for message in messages)]

    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        _, info, played = play(environment(), ReactPolicy(model, format="blocks"), "event")
    assert info["ending"] == ending
    shown = server.conversations()[-1][-1]["content"]
    assert re.search(r"Used: \d of 5 searches, \d of 5 clicks\.", shown)
    assert len(played.decisions) == len(replies)
