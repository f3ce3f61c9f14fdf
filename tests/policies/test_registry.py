"""Policies by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from webenv import Benchmark, Policy
from webenv.corpora import Corpus
from webenv.errors import DataError, InvalidArgument, ModelError
from webenv.models import ChatModel
from webenv.policies import POLICIES, KeywordPolicy, NewsKeywordPolicy, make_policy
from webenv.policies.registry import OF_MODELS
from webenv.rewards import AnswerJudge
from webenv.task import Gold, Task, TaskSet

TASKS = TaskSet([Task("t1", "Where?", gold=Gold(answers=("Here",)))])
WEB = Corpus.of([{"url": "https://a.example/", "title": "A", "text": "Here."}])
SCRIPTED: Mapping[str, str | Callable[[], Policy]] = {
    "investigator": "webenv.policies.scripted:InvestigatorPolicy",
    "patient": lambda: KeywordPolicy(visits=9),
}
BENCHMARK = Benchmark(TASKS, WEB, AnswerJudge(), name="Own-v0", policies=SCRIPTED)
PLAIN = replace(BENCHMARK, policies={})
MODEL = ChatModel("tiny", base_url="http://127.0.0.1:1/v1")


def test_every_name() -> None:
    """Each name makes the policy of that name."""
    for name in POLICIES:
        given = MODEL if name in OF_MODELS else None
        own = replace(BENCHMARK, name="AgentWebQA-v0") if name == "user-agent" else BENCHMARK
        assert make_policy(name, own, model=given, training=TASKS).identity["name"] == name


def test_a_benchmark_names_its_own() -> None:
    """A benchmark's scripted policies come before the general ones, by a maker or by where to find one."""
    assert make_policy("patient", BENCHMARK).identity["visits"] == "9"
    news = {"keyword": "webenv.policies.scripted:NewsKeywordPolicy"}
    assert isinstance(make_policy("keyword", replace(PLAIN, policies=news)), NewsKeywordPolicy)
    assert isinstance(make_policy("keyword", PLAIN), KeywordPolicy)


def test_react_by_model_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """react:<model> takes the endpoint from the environment, the name to the letter, and fails without one."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    identity = make_policy("react:org/some-model:7b").identity
    assert (identity["model"], identity["model_host"]) == ("org/some-model:7b", "localhost:8000")
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelError, match="Set OPENAI_API_KEY"):
        make_policy("react:some-model")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("oracel", {}, "no policy is called 'oracel'. Did you mean 'oracle'"),
        (
            "",
            {},
            "Expected one of: closed-book, flat, hierarchical, integrated, investigator, keyword, oracle, random, "
            "react, react-blocks, user-agent",
        ),
        ("oracle", {}, "needs the benchmark's tasks"),
        ("investigator", {}, "is written for a benchmark's questions"),
        (
            "investigator",
            {"benchmark": PLAIN},
            r"Own-v0 has no scripted policy 'investigator': Benchmark.policies names none. Expected one of: random, ",
        ),
        ("patent", {"benchmark": BENCHMARK}, r"Did you mean 'patient'\? .* as it is set has patient"),
        ("bad", {"benchmark": replace(BENCHMARK, policies={"bad": "builtins:dict"})}, "expected a Policy"),
        ("react", {}, "needs one model"),
        ("react:", {}, "needs one model"),
        ("react:tiny", {"model": MODEL}, "needs one model"),
        ("react-blocks", {}, "write react-blocks:<model>"),
        ("integrated:tiny", {}, "needs the benchmark's tasks"),
        ("closed-book", {}, "needs training tasks"),
        ("closed-book:x", {"training": TASKS}, "takes no settings"),
        ("react", {"model": MODEL, "blocklist": "x"}, "takes no blocklist"),
        ("random:7", {}, "policy 'random' takes no settings"),
        ("keyword", {"prompt": "rules.txt"}, "policy 'keyword' takes no prompt"),
    ],
)
def test_what_is_refused(name: str, arguments: dict[str, object], message: str) -> None:
    """Unknown names, missing needs and settings without effect are refused with what to do."""
    with pytest.raises(InvalidArgument, match=message):
        make_policy(name, **arguments)  # type: ignore[arg-type]


def test_training_tasks_are_made_when_wanted() -> None:
    """What makes the training tasks is called for closed-book alone."""
    made: list[str] = []

    def make() -> TaskSet:
        made.append("made")
        return TASKS

    make_policy("keyword", training=make)
    assert made == []
    assert make_policy("closed-book", training=make).identity["tasks"] == "1"
    assert made == ["made"]


def test_models_by_name_at_an_endpoint() -> None:
    """A base URL is where the named model is reached, for each policy that has one."""
    for name in ("react:m", "react-blocks:m", "integrated:m"):
        identity = make_policy(name, BENCHMARK, base_url="http://127.0.0.1:1/v1").identity
        assert (identity["model"], identity["model_host"]) == ("m", "127.0.0.1:1")


def test_prompt_file(tmp_path: Path) -> None:
    """The prompt file reaches react."""
    with pytest.raises(DataError, match="cannot be read"):
        make_policy("react", model=MODEL, prompt=tmp_path / "none.txt")
