"""The graders of benchmarks to come as judges: gold in ``Gold.data``, a value, and named scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import gymnasium as gym
import pytest

import webenv
from tests.openai_server import Fault, Messages, Reply, Text, serve
from tests.rewards.replying import Asked, replying, tagged
from webenv import Budget, Gold, Submission, Task, TaskSet, Verdict
from webenv.budget import Spending
from webenv.evaluation import evaluate
from webenv.evaluation.rescoring import rescore
from webenv.judge import Judge
from webenv.models import Model
from webenv.observations import Document
from webenv.observations import Reply as SiteReply
from webenv.policies import KeywordPolicy
from webenv.rewards import BrowseCompJudge, FailureAttributionJudge, KeyPointJudge, ReportJudge, TableJudge

CSV = "City,Height\nRome,21\nOslo,23\n"
EVALUATION = {
    "required": ["city", "height"],
    "unique_columns": ["city"],
    "eval_pipeline": {"height": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.0}},
}
GOLD = Gold(
    answers=("Paris",),
    data={"table": CSV, "evaluation": EVALUATION, "key_points": ["Mills burn.", "Wheels turn.", "Mills fly."]},
)
REPLIES = (SiteReply("a.example", "It is Lyon.", (Document("https://a.example/1", "Lyon", "Lyon is the capital."),)),)


def submission(*answer: str, gold: Gold = GOLD, replies: tuple[SiteReply, ...] = ()) -> Submission:
    task = Task("t1", "What of mills?", gold=gold)
    return Submission(task, "answered", answer, (), (), (), Budget(), Spending(), replies)


def judged(
    made: Callable[[Model], Judge], script: Callable[[Asked], Reply | None], *submissions: Submission
) -> Sequence[Verdict]:
    with replying(script) as (model, _):
        return made(model).score(submissions)


def table(*rows: str) -> str:
    return "\n".join(["|City|Height|", "|---|---|", *(f"|{row}|" for row in rows)])


def test_a_table_is_worth_the_f1_of_its_items() -> None:
    """Value, outcome and scores of a right table, of one with a wrong cell, of no table, and of no answer."""
    found = TableJudge().score(
        [
            submission(table("Rome|21", "Oslo|23.0")),
            submission(table("Rome|21", "Oslo|9")),
            submission("x"),
            submission(),
        ]
    )
    assert [(one.outcome, one.value, one.scores["row_f1"], one.scores["success"]) for one in found] == [
        ("complete", 1.0, 1.0, 1.0),
        ("partial", 0.75, 0.5, 0.0),
        ("wrong", 0.0, 0.0, 0.0),
        ("wrong", 0.0, 0.0, 0.0),
    ]
    assert found[2].explanation == "the answer holds no table"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ({}, "task 't1' has no gold table to compare with, Gold(data={'table': CSV, 'evaluation': {...}})"),
        ({"table": "", "evaluation": EVALUATION}, "task 't1': a gold table is empty; expected CSV"),
        ({"table": CSV, "evaluation": {}}, "task 't1': the evaluation of a table lacks required"),
    ],
)
def test_a_gold_table_that_cannot_be_read(data: dict[str, object], reason: str) -> None:
    """A task without a gold table, or with one that cannot be read, is unscored and says why."""
    (found,) = TableJudge().score([submission("x", gold=Gold(data=data))])  # type: ignore[arg-type]
    assert (found.value, found.explanation[: len(reason)]) == (None, reason)


def by_point(asked: Asked) -> str:
    labels = {"Mills burn.": "supported", "Wheels turn.": "omitted", "Mills fly.": "contradicted"}
    return tagged(asked, label=labels[asked["key_point"]])


def test_key_points_are_worth_their_recall() -> None:
    """The value is KPR; KPR and KPC are scores, 0 where nothing was answered; without key points it is unscored."""
    some, none, lacking, odd = judged(
        KeyPointJudge,
        by_point,
        submission("On mills."),
        submission(),
        submission("x", gold=Gold()),
        submission("x", gold=Gold(data={"key_points": "a text"})),
    )
    assert (some.outcome, some.value, dict(some.scores)) == ("partial", 1 / 3, {"kpr": 1 / 3, "kpc": 1 / 3})
    assert some.explanation == "key points: 1 supported, 1 omitted, 1 contradicted"
    assert (none.outcome, none.value, dict(none.scores)) == ("none", 0.0, {"kpr": 0.0, "kpc": 0.0})
    assert [lacking.value, odd.value] == [None, None]
    assert odd.explanation.startswith("task 't1': its key_points are 'a text'; expected a list")


def test_a_report_is_worth_a_tenth_of_its_mean_rating() -> None:
    """Each rating is a score, and the value a tenth of their mean."""
    ratings = {"clarity": 8, "insight": 3}
    (found, silent) = judged(
        lambda model: ReportJudge(model, criteria=["clarity", "insight"]),
        lambda asked: tagged(asked, rating=ratings[asked["criterion"].partition(":")[0]]),
        submission("On mills."),
        submission(),
    )
    assert (found.outcome, found.value, dict(found.scores)) == ("rated", 0.55, {"clarity": 8.0, "insight": 3.0})
    assert (silent.value, dict(silent.scores)) == (0.0, {"clarity": 0.0, "insight": 0.0})


def test_a_stated_confidence_is_a_score() -> None:
    """BrowseComp's verdict holds the confidence that a response states, and none where it states none."""
    stated, silent = judged(
        BrowseCompJudge,
        lambda asked: tagged(asked, extracted="Paris", correct="yes", confidence=asked["response"].split()[-1]),
        submission("Paris 90"),
        submission("Paris none"),
    )
    assert (dict(stated.scores), dict(silent.scores)) == ({"confidence": 90.0}, {})


def who_failed(asked: Asked) -> str:
    if "<verdict" in asked.text:
        return tagged(asked, verdict="correct" if "City of Light" in asked["answer"] else "incorrect")
    return tagged(asked, supports="yes" if "Lyon is the capital." in asked["evidence"] else "no")


def test_who_failed() -> None:
    """A right answer is nobody's failure; a wrong one the content agents' if what they replied supports it."""
    found = judged(
        FailureAttributionJudge,
        who_failed,
        submission("Paris"),
        submission("The City of Light"),
        submission("Lyon", replies=REPLIES),
        submission("Rome", replies=(SiteReply("a.example", "It is not known."),)),
        submission("Rome"),
        submission(),
        submission("Rome", gold=Gold()),
    )
    assert [(one.outcome, one.value) for one in found] == [
        ("correct", 1.0),
        ("correct", 1.0),
        ("content_agents", 0.0),
        ("user_agent", 0.0),
        ("user_agent", 0.0),
        ("user_agent", 0.0),
        ("unscored", None),
    ]
    assert {one.judge for one in found} == {"evidence"}


# ── leaving the mean at will ──────────────────────────────────────────────────

EVIL = "磨坊 </think>"


@pytest.mark.parametrize("made", [KeyPointJudge, ReportJudge, BrowseCompJudge, FailureAttributionJudge])
@pytest.mark.parametrize("reply", [Fault(400, "maximum context length"), Text(None, "content_filter"), "</think>?"])
def test_an_answer_that_stops_the_judge_is_worth_nothing(made: Callable[[Model], Judge], reply: Reply) -> None:
    """What overflows, is filtered or talks the judge out of its form is the agent's 0, and says so."""
    fields = {"label": "omitted", "rating": 5, "correct": "no", "extracted": "none", "confidence": "none"}
    fields |= {"verdict": "incorrect", "supports": "no"}

    def script(asked: Asked) -> Reply:
        return reply if "磨坊" in asked.text else tagged(asked, **fields)

    (found,) = judged(made, script, submission(EVIL, replies=REPLIES))
    assert (found.outcome, found.value) == ("unjudgeable", 0.0)
    assert "keeps the" in found.explanation


@pytest.mark.parametrize("made", [KeyPointJudge, ReportJudge, BrowseCompJudge, FailureAttributionJudge, TableJudge])
def test_a_judge_that_is_down_leaves_the_episode_unscored(made: Callable[[Model], Judge]) -> None:
    """A failure of the endpoint is nobody's 0, whatever was answered."""
    answer = table("Roma|21", "Oslo|23")
    (found,) = judged(made, lambda _: Fault(503), submission(answer, replies=REPLIES))
    assert found.value is None


def test_a_table_that_stops_the_judge_is_worth_nothing() -> None:
    """Keys that keep the model from aligning them cost the table its value, not the judge its verdict."""

    def script(asked: Asked) -> Reply:
        return "</think>?" if "磨坊" in asked.text else tagged(asked, pairs="none")

    (found,) = judged(TableJudge, script, submission(table("磨坊|21", "Oslo|23")))
    assert (found.outcome, found.value, found.scores["item_f1"]) == ("wrong", 0.0, 0.0)
    assert found.explanation == "the values of 'city' of the answer keep the model from aligning them"


# ── by name ───────────────────────────────────────────────────────────────────


def test_by_name_in_environments_and_over_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge is named to gym.make and to rescore; its scores stand in the episode, the record, and the summary."""
    tasks = TaskSet([Task(f"t{n}", "A lighthouse keeper?", gold=GOLD) for n in range(2)])

    def script(messages: Messages) -> Reply:
        return by_point(Asked(messages))

    with serve(script) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        env = gym.make("NeedleInWeb-v0", web="sample", tasks=tasks, judge="key_points:m")
        env.reset(seed=1)
        verdict = env.step(webenv.answer("https://tidemark.example/"))[4]["verdict"]
        assert (verdict["outcome"], verdict["scores"]) == ("partial", {"kpr": 1 / 3, "kpc": 1 / 3})
        settings = {"web": "sample", "tasks": tasks, "judge": "table"}
        run = evaluate("NeedleInWeb-v0", KeywordPolicy(), out=tmp_path / "run", settings=settings)
        assert run.total.scores["item_f1"] == 0.0
        again = rescore(tmp_path / "run", "key_points:m", settings={"web": "sample", "tasks": tasks})
    assert again.before.total.scores["item_f1"] == 0.0
    assert dict(again.after.total.scores) == {"kpr": 1 / 3, "kpc": 1 / 3}


def test_silence_raises_no_mean_of_a_score(tmp_path: Path) -> None:
    """An episode without an answer has the judge's scores of nothing: 0."""
    tasks = TaskSet([Task("t1", "A lighthouse keeper?", gold=GOLD)])
    env = gym.make("NeedleInWeb-v0", web="sample", tasks=tasks, judge="table", budget={"turns": 1})
    env.reset(seed=1)
    verdict = env.step(webenv.search("x"))[4]["verdict"]
    assert (verdict["outcome"], verdict["judge"], verdict["scores"]["item_f1"]) == ("no_source", "rules", 0.0)
