"""The random policy."""

from __future__ import annotations

import re
from collections import Counter

from tests.policies.histories import history, hit, observe
from webenv.actions import Action, Kind, search
from webenv.observations import Document, Page, Reply
from webenv.policies import RandomPolicy
from webenv.policies.random import _COMMON
from webenv.policy import Decision, History, Policy
from webenv.spaces import action_space

HITS = [hit("https://a.example/1", "the river Teifi"), hit("https://b.example/2", "a mill", site="b.example")]


def actions_of(*histories: History) -> list[Action]:
    decisions = RandomPolicy().act(histories)
    assert all(isinstance(decision, Decision) for decision in decisions)
    return [decision.action for decision in decisions if isinstance(decision, Decision)]


def with_hits(seed: int, budget: tuple[int, int, int, int]) -> History:
    return history(observe(), (search("mill"), observe(budget, HITS)), seed=seed)


def test_every_possible_kind_is_drawn() -> None:
    """Over 2,000 seeds each of the five kinds comes up about equally often, all of them valid actions."""
    drawn = actions_of(*(with_hits(seed, (5, 5, 5, 5)) for seed in range(2_000)))
    counts = Counter(action.kind for action in drawn)
    assert set(counts) == set(Kind)
    assert min(counts.values()) > 320
    assert all(action in action_space() for action in drawn)


def test_keeps_to_what_is_possible() -> None:
    """With nothing seen it searches or notes; with nothing left to spend it answers or notes."""
    fresh = actions_of(*(history(observe(), seed=seed) for seed in range(100)))
    spent = actions_of(*(with_hits(seed, (0, 0, 0, 1)) for seed in range(100)))
    assert {action.kind for action in fresh} == {Kind.SEARCH, Kind.NOTE}
    assert {action.kind for action in spent} == {Kind.ANSWER, Kind.NOTE}


def test_arguments_come_from_what_was_read() -> None:
    """Queries are words that results showed or common ones, visits and answers URLs seen, asks go to sites seen."""
    read = re.findall(r"\w+", f"{_COMMON} {HITS[0].snippet} {HITS[1].snippet}".lower())
    for action in actions_of(*(with_hits(seed, (5, 5, 5, 5)) for seed in range(300))):
        if action.kind in (Kind.VISIT, Kind.ANSWER):
            assert action.arguments[0] in ("https://a.example/1", "https://b.example/2")
        else:
            words = action.arguments[0].lower().split()
            assert 1 <= len(words) <= 4
            assert set(words) <= set(read)
        if action.kind == Kind.ASK:
            assert action.arguments[1] in ("a.example", "b.example")


def test_replies_and_pages_are_seen_too() -> None:
    """A document of a content agent and a visited page can be answered, and the agent's site asked."""
    reply = Reply("c.example", "nothing", (Document("https://c.example/3", "", ""),))
    seen = observe((0, 0, 1, 9), pages=[Page("https://d.example/4", "", "x")], replies=[reply])
    drawn = actions_of(*(history(seen, seed=seed) for seed in range(200)))
    answered = {action.arguments[0] for action in drawn if action.kind == Kind.ANSWER}
    assert answered == {"https://c.example/3", "https://d.example/4"}
    assert {action.arguments[1] for action in drawn if action.kind == Kind.ASK} == {"c.example"}


def test_chance_is_of_seed_and_turn_alone() -> None:
    """The same history gives the same action, alone or in a batch; another turn or seed another."""
    batch = [with_hits(seed, (5, 5, 5, 5)) for seed in range(50)]
    assert actions_of(*batch) == [actions_of(one)[0] for one in batch]
    assert len(set(actions_of(*batch))) > 10
    later = history(observe(), *[(search("mill"), observe((5, 5, 5, 5), HITS))] * 2)
    assert {actions_of(with_hits(0, (5, 5, 5, 5)))[0], actions_of(later)[0]} != {actions_of(later)[0]}


def test_the_question_is_not_read() -> None:
    """Another question changes nothing: a random policy is the lower bound, not a searcher."""
    first = actions_of(*(history(observe(question="Which mill?"), seed=seed) for seed in range(50)))
    assert first == actions_of(*(history(observe(question="?!"), seed=seed) for seed in range(50)))


def test_negative_seeds() -> None:
    """A negative seed gives an action too."""
    assert len(actions_of(*(history(observe(), seed=-seed) for seed in range(1, 20)))) == 19


def test_contract() -> None:
    """It is a Policy, and takes an empty batch."""
    assert isinstance(RandomPolicy(), Policy)
    assert RandomPolicy().act([]) == []
    assert RandomPolicy().identity == {"name": "random", "version": "2"}
