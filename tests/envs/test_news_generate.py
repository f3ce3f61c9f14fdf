"""Generated questions about the news: their wording, their numbers, and the set whose answers change."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import gymnasium as gym
import pytest

from tests.rewards.submissions import answered
from webenv.corpora.procedural import Fact, ProceduralWeb, Value, WebConfig, Worlds
from webenv.corpora.procedural.world.templates import templates
from webenv.envs.live_news_bench.generate import GeneratedNews, News, NewsGenerator, aliases, news_source
from webenv.envs.live_news_bench.wording import TASK_LINE, _kinds, nouns
from webenv.errors import InvalidArgument, UnknownTask
from webenv.rewards import AnswerJudge

WEB = "procedural:pages=600,news=0.5,split=test,seed=2"
MANY = "procedural:worlds=3,pages=300,news=0.6"
ARTICLE = re.compile(r"\ba [aeio]|\ban [bcdfgjklmnpqrstvwz]|  |\{|\}| ,|\?\?")


def generated(web: str = WEB, count: int = 60, group: str = "news") -> GeneratedNews:
    return GeneratedNews(news_source(Worlds.parse(web)), count, (group,))


@pytest.fixture(scope="module")
def tasks() -> GeneratedNews:
    return generated()


@pytest.fixture(scope="module")
def drawn(tasks: GeneratedNews) -> list[News]:
    return [tasks.source.find(task.id) for task in tasks]


# ── wording ───────────────────────────────────────────────────────────────────


def test_first_tasks(tasks: GeneratedNews) -> None:
    """The same web has the same questions and answers for ever."""
    assert [(task.question.splitlines()[1], task.gold.answers[0]) for task in tasks[:2]] == [
        (
            "What was the fine in the 2024 trial brought by the organisation that was taken over in the merger signed "
            "in Dwialybstead on 1 September 2025?",
            "2,648 crowns",
        ),
        ("There was an excavation paid for by the Yerutek Line. Who was in charge of that dig?", "Kliavirnen Jeikist"),
    ]


def test_two_lines(tasks: GeneratedNews) -> None:
    """A question is the line that says what to do, and one line more, that ends in a question mark."""
    for task in tasks:
        first, second = task.question.split("\n")
        assert first == TASK_LINE == "Answer this question about the news with a short phrase:"
        assert re.fullmatch(r"(?:[A-Z][^.?]*\. )?[A-Z][^?]*\?", second)


def test_well_formed(tasks: GeneratedNews) -> None:
    """No form is left unfilled, and articles fit."""
    faults = [task.question for task in tasks if ARTICLE.search(task.question)]
    assert faults == []


def test_no_question_holds_its_answer(drawn: list[News]) -> None:
    """Neither the answer nor another way to write it, nor whom both facts share, stands in the question."""
    for task, join in drawn:
        words = f" {re.sub(r'[^0-9A-Za-zÀ-ÿ, ]', ' ', task.question).lower()} "
        assert all(f" {gold.lower()} " not in words for gold in task.gold.answers)
        assert join.entity is None or join.entity.value.text.lower() not in words


def test_every_detail_of_every_event_has_words() -> None:
    """Whatever is known of an event can be asked for or told, and lists are told alone."""
    for template in templates("news"):
        kind = _kinds()[template.kind]
        assert len(kind.dated) == 2
        assert all((kind.of_year, kind.plain, kind.one, kind.that))
        for attribute in template.attributes:
            form = kind.relations[attribute.name.partition(".")[2]]
            assert bool(form.did) == (attribute.type in ("person", "org"))
            assert bool(form.asks) == (attribute.type in ("count", "money", "number", "day"))
            assert bool(form.told) == (attribute.type in ("person", "org", "list"))
            assert all(told.endswith("{o}") for told in form.told)
            assert bool(form.nouns) == (attribute.type in ("count", "number"))


@pytest.mark.parametrize(
    ("value", "nouns", "texts"),
    [
        (
            Value("day", "5 October 2025", "", 739_529),
            (),
            ("5 October 2025", "October 5, 2025", "5 Oct 2025", "2025-10-05"),
        ),
        (
            Value("level", "1,480 centimetres", "", 1480),
            ("cm",),
            ("1,480 centimetres", "1,480", "1480 centimetres", "1480", "1,480 cm"),
        ),
        (Value("count", "213", "", 213), ("people", "injured"), ("213", "213 people", "213 injured")),
        (Value("org", "the Yerutek Line"), (), ("the Yerutek Line", "Yerutek Line")),
        (Value("person", "Jawit Bidouv"), (), ("Jawit Bidouv",)),
    ],
)
def test_aliases(value: Value, nouns: tuple[str, ...], texts: tuple[str, ...]) -> None:
    """Other ways to write an answer: a day in three, a number with and without commas, unit and noun."""
    assert aliases(value, nouns) == texts


_BESIDE = {
    "fire.hurt": "14 people",
    "election.votes": "6,075 votes",
    "election.margin": "3 votes",
    "flood.level": "340 cm",
    "verdict.witnesses": "15 witnesses",
    "excavation.age": "2440 years old",
    "record.mark": "12 hrs",
    "expedition.reached": "797 kilometers",
    "expedition.members": "12 people",
}


def test_a_natural_unit_costs_nothing() -> None:
    """The noun of a relation beside its number is right by rule, and another noun is not."""
    for relation, answer in _BESIDE.items():
        number = int(answer.split()[0].replace(",", ""))
        fact = Fact(1, relation.partition(".")[0], relation, Value("count", f"{number:,}", "", number), Value("", ""))
        golds = aliases(fact.object, nouns(fact))
        submissions = [answered(said, *golds) for said in (answer, f"{number} cats", f"{number + 1} people")]
        assert [verdict.value for verdict in AnswerJudge().score(submissions)] == [1.0, 0.0, 0.0], relation
    day = aliases(Value("day", "5 October 2025", "", 739_529))
    said = ("on 5 October 2025", "By October 5, 2025", "It was on 5 October 2025.", "before 5 October 2025")
    assert [v.value for v in AnswerJudge().score([answered(one, *day) for one in said])] == [1.0, 1.0, 1.0, 0.0]


def test_english_alone() -> None:
    """Webs in another language are refused."""
    with pytest.raises(InvalidArgument, match="worded in English alone"):
        NewsGenerator(ProceduralWeb(WebConfig(pages=300, language="zh")))


@pytest.mark.parametrize(
    ("web", "group", "message"),
    [
        (
            "procedural:pages=60,news=0.4",
            "news",
            "procedural:pages=60,news=0.4: its news give no news task; raise pages or ",
        ),
        (
            "procedural:pages=150,news=0.1,worlds=4",
            "longitudinal",
            "procedural:pages=150,seed=1,news=0.1: its news give no longitudinal task; raise pages or news",
        ),
        (
            "procedural:pages=150,news=0.1,worlds=1000",
            "news",
            "procedural:worlds=1000,pages=150,news=0.1: worlds this small may have no news task; raise pages or ",
        ),
    ],
)
def test_worlds_without_news(web: str, group: str, message: str) -> None:
    """Where a world has no task, or one of very many may have none, the tasks are refused before one is drawn."""
    with pytest.raises(InvalidArgument, match=f"^{re.escape(message)}"):
        generated(web, group=group)
    with pytest.raises(InvalidArgument, match=f"^{re.escape(message)}"):
        gym.make("LiveNewsBench-v0", web=web, tasks="longitudinal" if group == "longitudinal" else "generated")


def test_small_worlds() -> None:
    """Small worlds that have tasks are taken; so are any number of worlds with twelve events and more."""
    assert len(generated("procedural:pages=150,news=0.1,worlds=4", 7)) == 7
    assert len(generated("procedural:pages=300,news=0.4,worlds=100000", 7)) == 7


# ── numbers ───────────────────────────────────────────────────────────────────


def test_the_same_in_another_process(tasks: GeneratedNews) -> None:
    """Another process, with other hashes, makes the same tasks to the byte."""
    program = (
        "from webenv.corpora.procedural import Worlds\n"
        "from webenv.envs.live_news_bench.generate import GeneratedNews, news_source\n"
        f"print(GeneratedNews(news_source(Worlds.parse({WEB!r})), 60, ('news',)).digest)\n"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == tasks.digest


def test_ids(tasks: GeneratedNews) -> None:
    """Ids name the world, the group and the number, and lead to their task without the others."""
    assert list(tasks.ids())[:2] == [f"pages=600,seed=2,split=test,news=0.5/news/{n}" for n in range(2)]
    assert [tasks.find(id) for id in tasks.ids()] == list(tasks)
    assert generated().find(tasks.ids()[47]) == tasks[47]
    for wrong in ("news/0", "default/news/0", f"{tasks.ids()[0][:-1]}60", f"{tasks.ids()[0][:-1]}x", ""):
        with pytest.raises(UnknownTask):
            tasks.find(wrong)


def test_worlds_take_turns() -> None:
    """Tasks come from the worlds in turn, and name theirs where there are several."""
    many = generated(MANY, 7)
    assert [task.scope.world for task in many] == [
        f"procedural:pages=300{seed},news=0.6" for seed in ("", ",seed=1", ",seed=2", "", ",seed=1", ",seed=2", "")
    ]
    alone = generated("procedural:pages=300,news=0.6,seed=1", 2)
    assert [task.question for task in many[1::3]] == [task.question for task in alone]
    assert {task.scope.world for task in alone} == {""}


def test_questions_differ(tasks: GeneratedNews) -> None:
    """No question comes twice while there are others; past the last, they come again in other words."""
    assert len({task.question for task in tasks}) == 60
    few = generated("procedural:pages=300,news=0.3,split=validation,seed=4", 12)
    assert [task.gold for task in few[:4]] == [task.gold for task in few[4:8]] == [task.gold for task in few[8:]]
    assert len({task.gold for task in few}) == 4
    assert len({task.question for task in few}) > 6


def test_filters(tasks: GeneratedNews) -> None:
    """Tasks are chosen by month, kind and split; what none has is refused."""
    august = tasks.filter(month="2025-08", kind=["detail", "profile"])
    assert {task.tags["month"] for task in august} == {"2025-08"}
    assert {task.tags["kind"] for task in august} <= {"detail", "profile"}
    assert len(tasks.filter(split="test")) == 60
    with pytest.raises(InvalidArgument, match="no task has split='train'"):
        tasks.filter(split="train")
    with pytest.raises(InvalidArgument, match="no task has kind='quiz'"):
        tasks.filter(kind="quiz")


# ── the longitudinal set ──────────────────────────────────────────────────────


def test_longitudinal() -> None:
    """The same question comes as of several days, later and later, each time with another answer."""
    found = list(generated(group="longitudinal"))
    assert all(task.scope.as_of and ". By the latest reports, " in f". {task.question}".replace("\n", ". ")
               for task in found)  # fmt: skip
    series: dict[tuple[object, ...], list[tuple[str, str]]] = {}
    for task in found[:40]:
        key = task.question, task.scope.blocked
        series.setdefault(key, []).append((task.scope.as_of, task.gold.answers[0]))
    for key, days in list(series.items())[:-1]:
        assert len(days) > 1, key
        assert days == sorted(days)
        assert len({answer for _, answer in days}) == len(days)
    assert len(series) > 10
