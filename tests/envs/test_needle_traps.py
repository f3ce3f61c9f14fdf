"""Needles with a false page: at a chosen rank of the first search, or older than one that corrects it."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import Any

import gymnasium as gym
import pytest

from webenv.actions import answer, search
from webenv.budget import Budget, Spending
from webenv.corpora.procedural import WebConfig, Worlds, cached_corpus
from webenv.corpora.world import WorldWeb, met
from webenv.envs.generated_tasks import TaskSource
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, SimulatedNeedle, simulated_source
from webenv.errors import InvalidArgument
from webenv.judge import Submission
from webenv.observations import Page
from webenv.web import Failure, SearchRequest

_CONFIG = WebConfig(pages=240, seed=1, split="test")
_GROUP = "hard-honeypot-2"
_DISAGREEING = WebConfig(pages=720, seed=1, split="test", conflicts=1.0)


@cache
def _source() -> TaskSource[SimulatedNeedle]:
    return simulated_source(Worlds(_CONFIG))


def _met(needle: SimulatedNeedle, url: str) -> dict[int, set[int]]:
    """Of all that a page tells of, by number, the criteria that it meets there."""
    web = _source().generator(0).web
    number = web.find(url)
    assert number is not None
    found: dict[int, set[int]] = defaultdict(set)
    for fact in web.facts(number):
        for place, pattern in enumerate(needle.patterns):
            if pattern.fits(fact):
                found[fact.subject].add(place)
    return found


@pytest.mark.parametrize("number", [2, 3])
def test_a_honeypot_is_false_in_one_criterion_at_its_rank(number: int) -> None:
    """The second hit of the criteria as one query meets two of three, of something else, and nothing more."""
    needle = _source().draw(_GROUP, number)
    told: Any = needle.task.gold.data["honeypot"]
    (hits,) = cached_corpus(_CONFIG).search([SearchRequest(" ".join(needle.task.criteria))])
    assert not isinstance(hits, Failure)
    assert told["url"] == hits[1].url
    met = _met(needle, hits[1].url)
    assert max(len(places) for other, places in met.items() if other != needle.subject) == 2
    assert not any(len(places) == 3 for places in met.values())
    assert told["false"] in needle.task.criteria
    assert needle.task.tags["difficulty"] == "hard"
    assert needle.task.tags["honeypot"] == "2"


def test_a_honeypot_is_told_after_the_end_alone() -> None:
    """The verdict says that the answered page was the honeypot; before, neither observation nor info say a word."""
    env = gym.make("NeedleInWeb-v0", web=str(_CONFIG), difficulty="hard", honeypot=2)
    observation, info = env.reset(options={"task": f"{str(_CONFIG).partition(':')[2]}/{_GROUP}/2"})
    assert set(info) == {"task"}
    assert "honeypot" not in observation["question"]
    criteria = [line[2:] for line in observation["question"].splitlines()[1:]]
    observation, _, _, _, info = env.step(search(" ".join(criteria)))
    assert set(info) == {"task", "reward_terms"}
    *_, reward, _, _, info = env.step(answer(observation["results"][1]["url"]))
    assert reward == 0.0
    assert info["verdict"]["explanation"].startswith(
        "the page, the honeypot at rank 2 of the first search, does not say: "
    )


def test_tasks_without_one_are_what_they_were() -> None:
    """By default no group has a honeypot, and difficulties are chosen by their names with one, too."""
    assert GeneratedSimulatedNeedles(_source(), 1).groups == ("easy", "medium", "hard")
    assert _source().draw("hard", 0).task.gold.data == {}
    chosen = GeneratedSimulatedNeedles(_source(), 2, ("easy-honeypot-1", _GROUP)).filter(difficulty="hard")
    assert list(chosen.ids()) == [f"pages=240,seed=1,split=test/{_GROUP}/{number}" for number in range(2)]


@pytest.mark.parametrize("rank", [0, 11, True, "1", 1.0])
def test_ranks_that_no_hit_has(rank: object) -> None:
    """A rank is a whole number from 1 to 10."""
    with pytest.raises(
        InvalidArgument, match=r"expected the rank .* a whole number from 1 to 10; leave it out for none"
    ):
        gym.make("NeedleInWeb-v0", web="procedural:pages=60", honeypot=rank)


def test_a_honeypot_needs_generated_tasks() -> None:
    """Tasks that others wrote have none."""
    with pytest.raises(InvalidArgument, match=r"honeypot=1 needs tasks .*generated web, as in web='procedural'"):
        gym.make("NeedleInWeb-v0", web="sample", honeypot=1)


# ── conflicts ─────────────────────────────────────────────────────────────────


@cache
def _disagreeing() -> TaskSource[SimulatedNeedle]:
    return simulated_source(Worlds(_DISAGREEING))


@pytest.mark.parametrize(("rule", "number"), [("newest", 0), ("newest", 1), ("official", 0)])
def test_an_older_page_alone_says_as_much_as_the_one_that_is_sought(rule: str, number: int) -> None:
    """Of all pages of the web, looked through one by one, the gold page and the older one assert all that is asked."""
    needle = _disagreeing().draw(f"medium-{rule}", number)
    web = _disagreeing().generator(0).web
    told: Any = needle.task.gold.data["conflict"]
    meeting = [page for page in range(len(web)) if met(needle.patterns, web.facts(page))[0] == 3]
    assert set(meeting) == {needle.gold, web.find(told["older"])}
    assert needle.task.tags["conflict"] == rule


def test_a_newer_page_says_otherwise() -> None:
    """It bears a later year, is about the same thing, and its text tells another object of the same relation."""
    needle = _disagreeing().draw("medium-newest", 0)
    web = _disagreeing().generator(0).web
    told: Any = needle.task.gold.data["conflict"]
    older, newer = (web.find(told[name]) for name in ("older", "newer"))
    assert older is not None
    assert newer is not None
    assert web.planner.head(older).about == web.planner.head(newer).about
    assert web.planner.head(older).year < web.planner.head(newer).year
    for page in (older, newer):
        assert str(web.planner.head(page).year) in web.text(web.plan(page)).text.splitlines()[-1]
    asked = [pattern for pattern in needle.patterns if not any(pattern.fits(fact) for fact in web.facts(newer))]
    assert asked
    assert all(any(one.relation == fact.relation for fact in web.facts(newer)) for one in asked[:1])


def test_the_question_says_which_page_counts() -> None:
    """The newest, or a site by its name, which has the newer page."""
    newest, official = (_disagreeing().draw(f"medium-{rule}", 0).task for rule in ("newest", "official"))
    assert newest.question.startswith("Where pages tell the same thing differently, the newest one counts. Find ")
    site = re.match(r"Where pages tell the same thing differently, what (.+?) says counts\. Find ", official.question)
    assert site is not None
    told: Any = official.gold.data["conflict"]
    web = _disagreeing().generator(0).web
    newer = web.find(told["newer"])
    assert newer is not None
    assert web.planner.head(newer).site.name == site[1]


def test_what_a_newer_page_corrects_is_wrong() -> None:
    """The exact judge knows the older page's word from the truth, and says who corrects it."""
    source = _disagreeing()
    needle = source.draw("medium-newest", 0)
    told: Any = needle.task.gold.data["conflict"]
    given = [
        Submission(needle.task, "answered", (url,), (Page(url, "", "", ""),), (), (), Budget(), Spending())
        for url in (needle.task.gold.urls[0], told["older"])
    ]
    right, wrong = ExactJudge(source).score(given)
    assert (right.outcome, wrong.outcome) == ("ground_truth_match", "wrong_page")
    assert wrong.explanation.startswith(f"{told['newer']} is newer and says otherwise: ")
    assert wrong.explanation.rpartition(": ")[2] in told["false"]


@pytest.mark.parametrize("difficulty", ["easy", "hard"])
def test_other_tasks_of_such_a_web_have_one_page(difficulty: str) -> None:
    """Where no rule is said, no older page says all that is asked."""
    web = _disagreeing().generator(0).web
    for number in range(4):
        needle = _disagreeing().draw(difficulty, number)
        meeting = [page for page in range(len(web)) if met(needle.patterns, web.facts(page))[0] == 3]
        assert meeting == [needle.gold]


def test_a_web_without_conflicts_is_what_it_was() -> None:
    """The dial at 0 changes no page, and at 1 only older and newer pages about things that they disagree on."""
    plain, other = (WorldWeb(replace(_CONFIG, conflicts=share)) for share in (0.0, 1.0))
    pages = sorted(other.planner.conflicts(0))
    assert pages
    changed = {page for page in range(60) if plain.text(plain.plan(page)).text != other.text(other.plan(page)).text}
    assert changed == {page for page in pages if page < 60}
    assert not plain.planner.conflicts(0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"conflict": "oldest"}, r"conflict='oldest'\. "),
        ({"conflict": "newest", "honeypot": 1}, "each brings a false page of its own; give one of them"),
        (
            {"conflict": "newest", "web": "procedural:pages=60,conflicts=0"},
            r"disagree; expected a web such as 'procedural:pages=60,conflicts=0\.5'",
        ),
        ({"conflict": "newest", "web": "sample"}, "conflict='newest' needs tasks that are generated with it"),
    ],
)
def test_conflicts_that_cannot_be(arguments: dict[str, Any], message: str) -> None:
    """Each is refused in a line, before a task is drawn."""
    with pytest.raises(InvalidArgument, match=message):
        gym.make("NeedleInWeb-v0", **{"web": "procedural:pages=60", **arguments})


def test_a_difficulty_that_follows_the_agent_ends_with_false_pages() -> None:
    """Hard tasks with a conflict come after those without, on a web whose pages disagree though it does not say so."""
    env: Any = gym.make("NeedleInWeb-v0", web="procedural:pages=240", conflict="newest", difficulty="auto").unwrapped
    levels = env.benchmark.curriculum.levels
    assert list(levels) == ["easy", "medium", "hard", "hard-newest"]
    assert levels["hard-newest"].ids()[0] == "pages=240,conflicts=0.5/hard-newest/0"
    assert env.benchmark.tasks.find("pages=240,conflicts=0.5/hard/0").tags.get("conflict") is None
