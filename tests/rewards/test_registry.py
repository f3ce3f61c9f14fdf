"""Judges by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from webenv import Gold, Task, TaskSet
from webenv.errors import DataError, InvalidArgument, ModelError
from webenv.judge import asks_others
from webenv.rewards import PageJudge, make_judge
from webenv.rewards.registry import ENTAILMENT, JUDGES, SHORT, make_reward


def test_page() -> None:
    """The page judge needs nothing."""
    assert make_judge("page").identity["name"] == "page"


def test_model_judge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """llm:<model> takes endpoint from the environment and prompt from a file, and fails without an endpoint."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    identity = make_judge("llm:org/some-model:7b").identity
    assert (identity["model"], identity["model_host"], identity["variant"]) == (
        "org/some-model:7b",
        "localhost:8000",
        "entailed",
    )
    path = tmp_path / "prompt.txt"
    path.write_text("{page} {criterion}")
    assert make_judge("llm:some-model", prompt=path).identity["variant"] == "file"
    with pytest.raises(DataError, match="cannot be read"):
        make_judge("llm:some-model", prompt=tmp_path / "none.txt")
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="Set OPENAI_API_KEY"):
        make_judge("llm:some-model")


def test_rules() -> None:
    """The judge of answers needs nothing, and holds the key."""
    assert make_judge("answer").identity == {"name": "answer", "version": "2", "holds": "key"}


def test_judges_of_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """short and browsecomp take model, prompt file and votes; llm is what the table has under it."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    path = tmp_path / "prompt.txt"
    path.write_text("{question} {gold} {answer}")
    identity = make_judge("short:org/some-model:7b", prompt=path, votes=3).identity
    assert (identity["name"], identity["model"], identity["votes"]) == ("short_answer", "org/some-model:7b", "3")
    assert identity["prompt"] != make_judge("short:org/some-model:7b").identity["prompt"]
    assert make_judge("browsecomp:m").identity["name"] == "browsecomp"
    assert [
        make_judge("llm:m", {"llm": own}).identity["name"] for own in (ENTAILMENT, SHORT, JUDGES["browsecomp"])
    ] == [
        "entailment",
        "short_answer",
        "browsecomp",
    ]
    assert make_judge("llm:m", votes=3).identity["votes"] == "3"


TABLE = {"table": "City,Height\nRome,21\n", "evaluation": {"required": ["city"], "unique_columns": ["city"]}}


@pytest.mark.parametrize(
    ("judge", "gold", "lacking"),
    [
        ("answer", Gold(urls=("u",)), "gold.answers"),
        ("short:m", Gold(urls=("u",)), "gold.answers"),
        ("browsecomp:m", Gold(), "gold.answers"),
        ("evidence:m", Gold(), "gold.answers"),
        ("page", Gold(answers=("a",)), "gold.urls"),
        ("table", Gold(data={"table": "a,b"}), r"gold.data\['evaluation'\]"),
        ("key_points:m", Gold(data={"key_points": []}), r"gold.data\['key_points'\]"),
    ],
)
def test_judges_that_do_not_fit(judge: str, gold: Gold, lacking: str) -> None:
    """A judge that is none of the benchmark's own is refused where the tasks lack the gold that it needs."""
    tasks = TaskSet([Task("t1", "Which?", gold=gold)], name="mine")
    with pytest.raises(InvalidArgument, match="Expected one of: exact"):
        make_judge(judge, {"exact": PageJudge})
    with pytest.raises(InvalidArgument, match=f"needs {lacking}, and task 't1' of mine has none"):
        make_judge(judge, {"exact": PageJudge}, tasks=tasks)


def test_every_judge_has_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each judge of the house is made by its name, with a model where it asks one; the table judge does without too."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    gold = Gold(("u",), ("a",), data={**TABLE, "key_points": ["Mills burn."]})
    tasks = TaskSet([Task("t1", "Which?", gold=gold)])
    named = {
        "page": "page",
        "answer": "answer",
        "ranking": "ranking",
        "final_answer": "final_answer",
        "table": "table",
        "table:m": "table",
        "llm:m": "entailment",
        "entailment:m": "entailment",
        "short:m": "short_answer",
        "browsecomp:m": "browsecomp",
        "key_points:m": "key_points",
        "report:m": "report",
        "citation:m": "citation",
        "research:m": "research",
        "stated": "stated",
        "evidence:m": "evidence",
    }
    assert {name: make_judge(name, {}, tasks=tasks).identity["name"] for name in named} == named
    assert set(JUDGES) == {name.partition(":")[0] for name in named}
    assert make_judge("evidence:m").identity["votes"] == "3"
    assert [asks_others(make_judge(name)) for name in ("page", "answer", "table", "table:m")] == [False] * 3 + [True]
    with pytest.raises(InvalidArgument, match="judge 'table' without a model takes no prompt, and one vote"):
        make_judge("table", votes=3)
    with pytest.raises(InvalidArgument, match="Did you mean 'answer'"):
        make_judge("anwser")


def test_a_judge_is_given_back() -> None:
    """A Judge stands for itself, and brings its prompt and votes; what is neither a name nor a Judge is refused."""
    judge = PageJudge()
    assert make_judge(judge) is judge
    with pytest.raises(InvalidArgument, match="go with judge='short:<model>'; a Judge brings its own"):
        make_judge(judge, {"page": PageJudge, "short": SHORT}, votes=3)
    with pytest.raises(InvalidArgument, match="judge=3: expected 'page', 'llm:<model>', or a Judge"):
        make_judge(3, {"page": PageJudge, "llm": ENTAILMENT})  # type: ignore[arg-type]


def test_rewards() -> None:
    """Weights make the standard reward; a Reward stands for itself."""
    reward = make_reward({"recall": 0.5})
    assert reward.weights == {"answer": 1.0, "recall": 0.5}
    assert make_reward(reward) is reward
    assert make_reward(None).weights == {"answer": 1.0}


@pytest.mark.parametrize(
    ("name", "prompt", "message"),
    [
        ("pgae", None, "no judge is called 'pgae'. Did you mean 'page'"),
        (
            "",
            None,
            r"evidence, final_answer, key_points, llm, page, ranking, report, research, … \(15 in all\)",
        ),
        ("page:x", None, "takes no model name and no prompt"),
        ("page", "prompt.txt", "takes no model name and no prompt"),
        ("llm", None, "needs a model"),
        ("llm:", None, "needs a model"),
        ("short", None, "write short:<model>"),
        ("browsecomp:", None, "write browsecomp:<model>"),
        ("answer:x", None, "takes no model name and no prompt"),
        ("answer", "prompt.txt", "takes no model name and no prompt"),
    ],
)
def test_what_is_refused(name: str, prompt: str | None, message: str) -> None:
    """Unknown names, a missing model and a prompt without a model are refused with what to do."""
    with pytest.raises(InvalidArgument, match=message):
        make_judge(name, prompt=prompt)
