from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.policies.histories import history, hit, observe
from webenv.actions import Action, Kind, answer, search, visit
from webenv.errors import InvalidArgument, UnknownTask
from webenv.observations import Document, Page, Reply
from webenv.policies import ClosedBookPolicy, KeywordPolicy, NewsClosedBookPolicy, OraclePolicy, RandomPolicy
from webenv.policies.baselines import _COMMON
from webenv.policy import Decision, History, Policy
from webenv.query_terms import criteria_of
from webenv.spaces import action_space
from webenv.task import Gold, Task, TaskSet
from webenv.web import Failure

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


def test_random_contract() -> None:
    """It is a Policy, and takes an empty batch."""
    assert isinstance(RandomPolicy(), Policy)
    assert RandomPolicy().act([]) == []
    assert RandomPolicy().identity == {"name": "random", "version": "2"}


BOTH = "It names a river in Wales. Somebody rebuilt the mill."
ONE, TWO = "It names a river in Wales.", "Somebody rebuilt the mill."
A, B, C = "https://a.example/a", "https://a.example/b", "https://a.example/c"


def keyword_action(played: History, visits: int = 5) -> Action:
    decision = KeywordPolicy(visits).act([played])[0]
    assert isinstance(decision, Decision)
    return decision.action


def test_a_whole_episode() -> None:
    """It searches all criteria, then each; visits what recurs, best first; answers the best cover."""
    start = observe()
    assert keyword_action(history(start)) == search(BOTH)
    first = (search(BOTH), observe((9, 10, 0, 19), [hit(A), hit(B)]))
    assert keyword_action(history(start, first)) == search(ONE)
    second = (search(ONE), observe((8, 10, 0, 18), [hit(C), hit(B)]))
    assert keyword_action(history(start, first, second)) == search(TWO)
    third = (search(TWO), observe((7, 10, 0, 17), [hit(B), hit(C)]))
    assert keyword_action(history(start, first, second, third)) == visit(B, C, A)
    pages = [Page(B, "", "The mill burned."), Page(C, "Mill", "He rebuilt it by a river of Wales."), Page(A, "", "x")]
    fourth = (visit(B, C, A), observe((7, 7, 0, 16), pages=pages))
    assert keyword_action(history(start, first, second, third, fourth)) == answer(C)


def test_searches_are_trusted_where_words_differ_little() -> None:
    """Of pages that cover about the same, it answers the one that searches rank best; one that covers far more wins."""
    urls = [f"https://a.example/{number}" for number in range(9)]
    found = observe((0, 9, 0, 9), [hit(url, "The mill." if number else "") for number, url in enumerate(urls)])
    for last, chosen in (("A river in Wales.", urls[0]), (BOTH, urls[-1])):
        pages = [Page(urls[0], "", "A river in Wales."), Page(urls[-1], "", last)]
        read = (visit(urls[0], urls[-1]), observe((0, 7, 0, 8), pages=pages))
        assert keyword_action(history(observe(), (search(BOTH), found), read)) == answer(chosen)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ((0, 10, 0, 20), answer("No source found.")),
        ((10, 10, 0, 1), answer("No source found.")),
        ((10, 0, 0, 2), search(BOTH)),
        ((1, 10, 0, 2), search(BOTH)),
    ],
)
def test_small_budgets_at_the_start(budget: tuple[int, int, int, int], expected: Action) -> None:
    """Without searches, or in the only turn, it answers that there is no source; else it searches."""
    assert keyword_action(history(observe(budget))) == expected


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        ((9, 10, 0, 1), answer(B)),
        ((9, 10, 0, 2), visit(A, B)),
        ((9, 1, 0, 2), visit(A)),
        ((9, 0, 0, 2), search(ONE)),
        ((0, 0, 0, 2), answer(B)),
        ((0, 10, 0, 9), visit(A, B)),
        ((9, 10, 0, 3), search(ONE)),
    ],
)
def test_small_budgets_after_a_search(budget: tuple[int, int, int, int], expected: Action) -> None:
    """It leaves a turn to visit and one to answer, keeps to what is left, and goes by snippets at need."""
    played = history(observe(), (search(BOTH), observe(budget, [hit(A, "a lake"), hit(B, "the mill by the river")])))
    assert keyword_action(played) == expected


def test_answers_within_every_budget() -> None:
    """Played to the end under each small budget, it never overspends and answers by the last turn."""
    hits = [hit(A, "river"), hit(B, "mill")]
    for searches in range(4):
        for visits in range(3):
            for turns in range(1, 7):
                left = [searches, visits, 0, turns]
                played = history(observe((searches, visits, 0, turns)))
                while (action := keyword_action(played)).kind != 3:
                    left[action.kind] -= len(action.arguments)
                    left[3] -= 1
                    assert min(left) >= 0
                    assert left[3] > 0
                    played.decisions.append(Decision(action))
                    shown = hits if action.kind == 0 else []
                    played.observations.append(observe((left[0], left[1], left[2], left[3]), shown))


def test_own_limit_of_visits() -> None:
    """It reads no more pages than it is told to, and none with 0."""
    played = history(observe(), (search(BOTH), observe((0, 10, 0, 9), [hit(A, "river"), hit(B), hit(C)])))
    assert keyword_action(played, visits=2) == visit(A, B)
    assert keyword_action(played, visits=0) == answer(A)
    with pytest.raises(InvalidArgument, match="expected a whole number from 0"):
        KeywordPolicy(-1)


def test_queries_are_plain() -> None:
    """What a search engine reads as a command is taken out of queries, and long ones are cut."""
    first = observe(question='Find it.\n- He said "stop" on site:x.example -now.\n- ' + "word " * 400)
    query = keyword_action(history(first)).arguments[0]
    assert query.startswith("He said stop on site x.example now. word")
    assert len(query) <= 1_000
    assert query.endswith("word")


@pytest.mark.parametrize("question", ["x", "Who won?", "\n\n", "- \n- ", "?"])
def test_any_question(question: str) -> None:
    """Any question leads to an action."""
    assert keyword_action(history(observe(question=question))).kind in (0, 3)


def test_keyword_contract() -> None:
    """It is a Policy that decides on each history by itself."""
    assert isinstance(KeywordPolicy(), Policy)
    batch = [history(observe()), history(observe((0, 0, 0, 1)))]
    assert KeywordPolicy().act(batch) == [Decision(search(BOTH)), Decision(answer("No source found."))]
    assert KeywordPolicy(3).identity == {"name": "keyword", "version": "4", "visits": "3"}


def test_chinese_criteria_are_covered_by_pairs_of_characters() -> None:
    """Of two pages the one with more of the criteria's words wins, though neither has spaces; so do its queries."""
    asked = "Find a page.\n- 某座灯塔由某人规划。\n- 它是用花岗岩造的。"
    start = observe(question=asked)
    assert keyword_action(history(start)) == search("某座灯塔由某人规划。 它是用花岗岩造的。")
    other = Page(A, "甲", "河上的桥由石匠看管，不是用木头做的。", "a")
    sought = Page(B, "乙", "灯塔用花岗岩造成，十年才规划好。", "b")
    read = (visit(A, B), observe((9, 8, 0, 18), pages=[other, sought]))
    assert keyword_action(history(start, read)) == answer(B)
    assert criteria_of("谁造的？用什么造？") == ["谁造的？", "用什么造？"]


TASKS = TaskSet(
    [
        Task("page", "Which page?", gold=Gold(urls=("https://a.example/1", "https://a.example/2"))),
        Task("fact", "Who won?", gold=Gold(urls=("https://a.example/1",), answers=("Ann Lee", "A. Lee"))),
        Task("none", "Why?"),
    ]
)


def test_answers_gold() -> None:
    """It answers the first gold answer, else the first gold URL; a task without gold is a failure."""
    decisions = OraclePolicy(TASKS).act([history(observe(), task_id=id) for id in ("page", "fact", "none")])
    assert decisions[:2] == [Decision(answer("https://a.example/1")), Decision(answer("Ann Lee"))]
    assert isinstance(decisions[2], Failure)


def test_unknown_task() -> None:
    """A task of another set is an error, with what is known."""
    with pytest.raises(UnknownTask, match="has no task 'other'"):
        OraclePolicy(TASKS).act([history(observe(), task_id="other")])


def test_identity_tells_the_tasks() -> None:
    """It is a Policy whose identity changes with its tasks."""
    assert isinstance(OraclePolicy(TASKS), Policy)
    assert OraclePolicy(TASKS).identity["tasks"] == TASKS.digest


ASKED = [
    ("Who won the election of 3 May 2024 in Arle?", "Ada Byrne"),
    ("Who won the election of 9 June 2024 in Borth?", "Cai Dunn"),
    ("Who won the election of 1 July 2024 in Cray?", "Cai Dunn"),
    ("Who lost the trial in 2023?", "Eve Fry"),
    ("How many people were hurt in the fire?", "12"),
    ("Where was the person who led the dig born?", "Arle"),
    ("How much did that hall cost?", "900 crowns"),
    ("How much did the prize come to?", "40 crowns"),
]
TRAINING = TaskSet(
    [Task(f"t{n}", question, gold=Gold(answers=(gold, "other"))) for n, (question, gold) in enumerate(ASKED)]
)


def closed_book_action(question: str, policy: type[ClosedBookPolicy] = ClosedBookPolicy) -> Action:
    (decision,) = policy(TRAINING).act([history(observe(question=question))])
    assert isinstance(decision, Decision)
    return decision.action


@pytest.mark.parametrize(
    ("question", "expected"),
    [("Who lost a trial in 2025?", "Eve Fry"), ("How many people came?", "Cai Dunn"), ("?", "Cai Dunn")],
)
def test_most_frequent(question: str, expected: str) -> None:
    """The oftenest answer to the same words wins, else of all, whatever sort of thing is asked."""
    assert closed_book_action(question) == answer(expected)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who won the election of 5 May 2025 in Dunmore?", "Cai Dunn"),
        ("Who lost the trial in 2025?", "Eve Fry"),
        ("Who built the hall?", "Cai Dunn"),
        ("How many people were hurt in the storm?", "12"),
        ("How many people came?", "12"),
        ("Where did it happen?", "Arle"),
        ("How much did the hall in Dunmore cost?", "900 crowns"),
        ("How much was stolen?", "40 crowns"),
        ("On what day was it?", "Cai Dunn"),
        ("?", "Cai Dunn"),
    ],
)
def test_most_frequent_on_the_news(question: str, expected: str) -> None:
    """The oftenest answer to the same words wins, else of the same sort, else of all; ties go by the alphabet."""
    assert closed_book_action(question, NewsClosedBookPolicy) == answer(expected)


def test_closed_book_identity() -> None:
    """Its identity tells from how many tasks it learnt, and changes with what it learnt."""
    policy = ClosedBookPolicy(TRAINING)
    assert isinstance(policy, Policy)
    assert (policy.identity["name"], policy.identity["tasks"]) == ("closed-book", "8")
    assert policy.identity["answers"] != ClosedBookPolicy(TaskSet(TRAINING[:3])).identity["answers"]
    assert policy.identity == ClosedBookPolicy(TaskSet(TRAINING[:])).identity


def test_nothing_to_learn_from() -> None:
    """Training tasks without gold are refused."""
    with pytest.raises(InvalidArgument, match="no task has a gold answer"):
        ClosedBookPolicy(TaskSet([Task("t1", "Who?")]))
