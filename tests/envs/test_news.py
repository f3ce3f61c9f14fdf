"""LiveNewsBench-v0: its rules, its endings, its judges, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import webenv
from tests import openai_server
from tests.webs import BrokenWeb, DictWeb, benchmark_of
from webenv import answer, ask, note, search, visit
from webenv.actions import Action
from webenv.benchmark import Benchmark
from webenv.corpora import Corpus, SourcePage, build
from webenv.corpora.document import blocks
from webenv.corpora.procedural import Worlds, config_of, generated_web, write_corpus
from webenv.envs.live_news_bench.simulated import GeneratedSimulatedNews, simulated_news_source
from webenv.envs.live_news_bench.tasks import ARCHIVES, blocked_by, windows
from webenv.envs.webs import named_worlds
from webenv.errors import InvalidArgument
from webenv.evaluation import evaluate, read_records
from webenv.observations import Page
from webenv.policies import OraclePolicy
from webenv.policy import Decision
from webenv.task import Gold, Task, TaskSet
from webenv.urls import host_of
from webenv.web import Failure, Missing, Scope, SearchRequest, VisitRequest

SMALL = "procedural:pages=300,news=0.6,seed=1"
QUESTION = "Answer this question about the news with a short phrase:\nHow many people were hurt?"
PAGES = [
    Page("https://a.example/fire", "Fire", "A fire left 14 people hurt. " * 2_000, "2025-08-02", "1"),
    Page("https://b.example/fire", "Fire", "Fourteen people were hurt in the fire.", "2025-08-02", "2"),
    Page("https://source.example/fire", "Fire", "14 people were hurt in the fire.", "2025-08-02", "3"),
]


def tasks(**scope: Any) -> TaskSet:
    one = Task(
        "fire",
        QUESTION,
        gold=Gold(urls=("https://a.example/fire",), answers=("14", "fourteen")),
        scope=Scope(blocked=blocked_by(["https://source.example/fire"]), **scope),
    )
    return TaskSet([one], name="one")


def make(web: Any = None, **settings: Any) -> gym.Env[Any, Any]:
    given = {"web": web or DictWeb(PAGES), "tasks": tasks(), **settings}
    return gym.make("LiveNewsBench-v0", **given)


def play(*actions: object, **settings: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    """The last step of an episode of these actions."""
    env = make(**settings)
    env.reset()
    for action in actions[:-1]:
        _, _, terminated, truncated, _ = env.step(action)
        assert not terminated
        assert not truncated
    observation, reward, terminated, truncated, info = env.step(actions[-1])
    return observation, float(reward), terminated, truncated, info


# ── rules and endings ─────────────────────────────────────────────────────────


def test_a_right_answer() -> None:
    """Searching, visiting and answering right earns 1, and ends properly."""
    _, reward, terminated, _, info = play(search("fire"), visit("https://a.example/fire"), answer("14\nas I read"))
    assert (reward, terminated, info["ending"]) == (1.0, True, "proper_finish")
    assert (info["verdict"]["outcome"], info["verdict"]["judge"]) == ("correct", "answer")
    assert info["spent"] == {"searches": 1, "visits": 1, "asks": 0, "turns": 3}


FIVE = ["fire one", "fire two", "fire three", "fire four", "fire five"]


@pytest.mark.parametrize(
    ("actions", "ending"),
    [
        ([answer("14")], "proper_finish"),
        ([search(*FIVE), search("fire")], "exceeded_search_budget"),
        ([search(*FIVE, "fire six")], "exceeded_search_budget"),
        ([visit("https://a.example/fire", *FIVE)], "exceeded_click_budget"),
        (["no action at all"], "no_action_block"),
        ([search("")], "no_action_block"),
        ([search()], "no_action_block"),
        ([Action(9, ("Dance", ""))], "unknown_action_type"),
        ([ask("why?", "a.example")], "unknown_action_type"),
        ([note("hm")] * 11, "max_turns_reached"),
    ],
)
def test_endings(actions: list[object], ending: str) -> None:
    """Every end has its released name; all but an answer are scored as not attempted."""
    _, reward, terminated, truncated, info = play(*actions)
    assert (info["ending"], terminated, truncated) == (ending, True, False)
    if ending != "proper_finish":
        assert (reward, info["verdict"]["outcome"], info["verdict"]["judge"]) == (0.0, "not_attempted", "rules")


def test_asks_that_there_are_not() -> None:
    """Notice and ending give one reason: without asks in the budget it is no action, with some it wants too many."""
    observation, *_, info = play(ask("why?", "a.example"))
    assert observation["notice"] == "There is no ask here: the budget has no asks. Nothing of it was done."
    assert info["ending"] == "unknown_action_type"
    env = make(budget={"asks": 1})
    env.reset()
    observation, *_, info = env.step(ask("why?", "a.example", "b.example"))
    assert observation["notice"] == "Over budget: 1 asks left, the action wants 2. Nothing of it was done."
    assert info["ending"] == "ask_overrun"


def test_an_overrun_is_refused_whole() -> None:
    """An action that wants more than is left ends the episode, and nothing of it is done or charged."""
    observation, _, _, _, info = play(search("fire", "a"), search("fire", "b", "c", "d"))
    assert observation["results"] == ()
    assert info["spent"] == {"searches": 2, "visits": 0, "asks": 0, "turns": 2}


def test_each_query_and_each_address_is_charged() -> None:
    """A batch of queries or addresses costs one unit each, and what was used is shown."""
    env = make()
    env.reset()
    observation, *_ = env.step(search("fire", "hurt", "people"))
    assert observation["budget"].tolist() == [2, 5, 0, 10]
    observation, *_ = env.step(visit("https://a.example/fire", "https://b.example/fire"))
    assert observation["budget"].tolist() == [2, 3, 0, 9]


def test_an_address_that_was_never_shown() -> None:
    """It costs its visit, is not available, and the episode goes on; spaces around it do not matter."""
    env = make()
    env.reset()
    observation, _, terminated, _, _ = env.step(visit("https://a.example/fire"))
    assert not terminated
    assert observation["pages"] == ()
    assert observation["notice"] == "Not available, never shown: https://a.example/fire."
    assert observation["budget"].tolist() == [5, 4, 0, 10]
    env.step(search("fire"))
    observation, *_ = env.step(visit(" https://a.example/fire "))
    assert len(observation["pages"]) == 1


def test_a_long_page_is_cut() -> None:
    """A page shows its first 32,768 characters."""
    env = make()
    env.reset()
    env.step(search("fire"))
    observation, *_ = env.step(visit("https://a.example/fire"))
    assert len(observation["pages"][0]["text"]) == 32_768


def test_failures_are_unscored() -> None:
    """A web that fails truncates under its released name, with no verdict."""
    _, reward, terminated, truncated, info = play(search("broken"), web=BrokenWeb(PAGES))
    assert (info["ending"], info["scored"], reward) == ("search_failure", False, 0.0)
    assert (terminated, truncated) == (False, True)
    _, _, _, truncated, info = play(search("fire"), web=BrokenWeb(PAGES), budget={"seconds": 1e-9})
    assert (info["ending"], truncated) == ("search_failure", True)


class _Failing:
    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "failing"}

    def act(self, histories: Any) -> list[Decision | Failure]:
        return [Failure("no model")] * len(histories)


def test_a_policy_that_fails(tmp_path: Path) -> None:
    """A run records a policy's failure in the house's word; the released name stands in info alone."""
    evaluate(benchmark_of(make()), _Failing(), out=tmp_path / "run")
    records = read_records(tmp_path / "run")
    assert [(record.ending, record.scored) for record in records] == [("policy_failed", False)]


def test_closed_book() -> None:
    """Without searches and visits one turn is left: an answer is judged, a search ends it."""
    closed = {"searches": 0, "visits": 0}
    env = make(budget=closed)
    observation, _ = env.reset()
    assert observation["budget"].tolist() == [0, 0, 0, 1]
    assert env.step(answer("fourteen"))[1] == 1.0
    assert play(search("fire"), budget=closed)[4]["ending"] == "exceeded_search_budget"


@pytest.mark.parametrize(
    ("budget", "left"),
    [
        (None, [5, 5, 0, 11]),
        ({"searches": 7}, [7, 5, 0, 13]),
        ({"searches": 1, "visits": 5}, [1, 5, 0, 7]),
        ({"turns": 4}, [5, 5, 0, 4]),
        (webenv.Budget(2, 2, 0, 3), [2, 2, 0, 3]),
    ],
)
def test_turns_follow_from_the_budget(budget: Any, left: list[int]) -> None:
    """Turns are searches + visits + asks + 1 where they are not named."""
    observation, _ = make(budget=budget).reset()
    assert observation["budget"].tolist() == left


# ── what is blocked ───────────────────────────────────────────────────────────

HIDDEN = (
    "https://source.example/fire",
    "http://www.source.example/fire",
    "https://news.source.example/fire",
    "https://source.example:8443/fire",
    "https://SOURCE.example/fire?utm_source=x",
    "https://web.archive.org/web/20250802/http://source.example/fire",
    "http://web.archive.org:80/web/2025/https://www.source.example:443/fire",
    "https://archive.today/20250802/https://source.example/fire",
    "https://archive.is/abcde",
    "https://www.archive.ph/https://source.example/fire",
)
OPEN = (
    "https://resource.example/fire",
    "https://source.example.org/fire",
    "https://other.example/?about=source.example",
    "https://archive.example/fire",
)


def test_the_source_and_archives_do_not_exist(tmp_path: Path) -> None:
    """In a corpus, neither a search nor a visit comes by the source's site or an archive, whatever the address."""
    lines = [f"Report number {n} of the fire that left {n} people hurt." for n in range(len(HIDDEN + OPEN))]
    pages = [
        SourcePage(url, f"Fire {n}", line * 3)
        for n, (url, line) in enumerate(zip(HIDDEN + OPEN, lines, strict=True))
    ]  # fmt: skip
    build(tmp_path / "corpus", [_Pages(pages)], workers=1)
    corpus = Corpus.open(tmp_path / "corpus")
    scope = tasks()[0].scope
    hits = corpus.search([SearchRequest("fire people hurt report", 50, scope)])[0]
    assert not isinstance(hits, Failure)
    assert {hit.url for hit in hits} == set(OPEN)
    answers = corpus.visit([VisitRequest(url, scope) for url in HIDDEN])
    assert answers == [Missing("there is no such page")] * len(HIDDEN)
    assert all(isinstance(page, Page) for page in corpus.visit([VisitRequest(url, scope) for url in OPEN]))


def test_the_live_web_hides_them_too() -> None:
    """The live web takes the same addresses for blocked, and the others not."""
    scope = tasks()[0].scope
    assert [url for url in HIDDEN + OPEN if blocks(scope, host_of(url))] == list(HIDDEN)


class _Pages:
    spec = "pages"

    def __init__(self, pages: list[SourcePage]) -> None:
        self._pages = pages

    def count(self) -> int:
        return len(self._pages)

    def stamp(self) -> str | None:
        return None

    def __iter__(self) -> Any:
        return iter(self._pages)


def test_archives() -> None:
    """archive.today with its mirrors, and the Wayback Machine."""
    assert {"archive.today", "archive.is", "archive.ph", "web.archive.org"} <= set(ARCHIVES)
    assert blocked_by(["", "https://a.example:1/x", "www.a.example"]) == ("a.example", *ARCHIVES)


# ── judges ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["llm", "short"])
def test_a_model_judges(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """llm:<model> and short:<model> are the benchmark's own judge; one that cannot be reached leaves it unscored."""
    with openai_server.serve(lambda messages: openai_server.Fault(400, "no such model")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        env = make(judge=f"{name}:some-model", judge_votes=3)
        identity = benchmark_of(env).judge.identity
        assert (identity["name"], identity["model"], identity["votes"]) == ("short_answer", "some-model", "3")
        env.reset()
        _, reward, terminated, truncated, info = env.step(answer("14"))
    assert (reward, terminated, truncated, info["ending"]) == (0.0, False, True, "proper_finish")
    assert info["verdict"]["outcome"] == "unscored"


# ── webs and tasks ────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def small() -> Benchmark:
    return benchmark_of(gym.make("LiveNewsBench-v0", web=SMALL, tasks="generated:count=40"))


def test_the_oracle_is_right(small: Benchmark, tmp_path: Path) -> None:
    """The oracle answers every generated task right, over all kinds."""
    evaluate(small, OraclePolicy(small.tasks), out=tmp_path / "run")
    records = read_records(tmp_path / "run")
    assert [record.verdict["outcome"] for record in records] == ["correct"] * 40


def test_a_reader_can_get_there(small: Benchmark) -> None:
    """Gold pages can be visited within the task's scope, and are two as a rule."""
    for task in small.tasks:
        found = small.web.visit([VisitRequest(url, task.scope) for url in task.gold.urls])
        assert all(isinstance(page, Page) for page in found)
    assert 60 < sum(len(task.gold.urls) for task in small.tasks) <= 80


@pytest.mark.parametrize(
    ("web", "split", "worlds"),
    [
        ("procedural:pages=300", None, "procedural:pages=300,news=0.4"),
        ("procedural:pages=300", "train", "procedural:pages=300,news=0.4"),
        ("procedural", "test", "procedural:worlds=6,split=test,news=0.4"),
        ("procedural:worlds=2", "validation", "procedural:worlds=2,split=validation,news=0.4"),
        ("procedural:news=0.2,split=test,seed=9", None, "procedural:worlds=6,seed=9,split=test,news=0.2"),
    ],
)
def test_default_webs(web: str, split: str | None, worlds: str) -> None:
    """A generated web is 40% news; validation and test have six of them unless a number is named."""
    assert benchmark_of(gym.make("LiveNewsBench-v0", web=web, split=split)).tasks.name == worlds


def test_splits_by_worlds_and_dates() -> None:
    """Each split has its own worlds and its own months."""
    months: dict[str, set[str]] = {}
    for split in windows():
        worlds = named_worlds("procedural:pages=1200,news=0.6", split)
        assert worlds is not None
        # the first few: once all news of its days have been asked about, older ones are
        found = GeneratedSimulatedNews(simulated_news_source(Worlds(worlds.first)), 6)
        assert {task.tags["split"] for task in found} == {split}
        months[split] = {task.tags["month"] for task in found}
    assert months["validation"] == {"2025-07"}
    assert months["test"] <= {"2025-08", "2025-09"}
    assert max(months["train"]) < "2025-07"


def test_older_news_come_last() -> None:
    """No question comes twice; where the news of the split's days are all asked about, what was before comes, too."""
    worlds = named_worlds("procedural:pages=300,news=0.4,seed=1,worlds=1", "validation")
    assert worlds is not None
    found = list(GeneratedSimulatedNews(simulated_news_source(worlds), 60))
    assert len({task.question for task in found}) == 60
    within = [task.tags["month"] == "2025-07" for task in found]
    assert within == sorted(within, reverse=True)
    assert not within[-1]


def test_a_folder_of_one_world(tmp_path: Path) -> None:
    """A corpus that was built from a generated web brings its tasks."""
    worlds = named_worlds(SMALL, None)
    assert worlds is not None
    write_corpus(generated_web(worlds.first), tmp_path / "web")
    manifest = Corpus.open(tmp_path / "web").manifest
    assert manifest is not None
    assert config_of(manifest) == worlds.first
    env = gym.make("LiveNewsBench-v0", web=str(tmp_path / "web"), tasks="generated:count=10")
    assert [task.question for task in benchmark_of(env).tasks] == [
        task.question
        for task in benchmark_of(gym.make("LiveNewsBench-v0", web=SMALL, tasks="generated:count=10")).tasks
    ]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"judge": "pages"}, "no judge is called 'pages'"),
        ({"judge": "answer", "judge_prompt": "p.txt"}, "asks no model, so it takes no model name and no prompt"),
        ({"judge": 3}, r"judge=3: expected .*'answer'"),
        ({"tasks": "generated:3", "web": SMALL}, "expected 'generated' or 'generated:count=1000'"),
        ({"tasks": "generated", "web": SMALL, "month": "2019-01"}, "no task has month='2019-01'"),
        ({"tasks": "generated", "web": "procedural:pages=60,sites=16,news=0"}, "raise news or pages"),
    ],
)
def test_bad_settings(settings: dict[str, Any], message: str) -> None:
    """Whatever cannot be meant is refused in one line that says what can."""
    with pytest.raises(Exception, match=message) as caught:
        list(benchmark_of(make(**settings)).tasks)
    assert isinstance(caught.value, webenv.errors.WebenvError | InvalidArgument)
    assert "\n" not in str(caught.value)
