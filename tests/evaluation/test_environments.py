from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from webenv import SearchEnv
from webenv.errors import InvalidArgument
from webenv.evaluation.environments import (
    PlannedRun,
    Sweep,
    make_env,
    plan_runs,
    read_arguments,
    read_budget,
    read_setting,
    read_sweep,
)


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ("NeedleInWeb", "no environment 'NeedleInWeb'. Did you mean 'NeedleInWeb-v0'?"),
        ("needleinweb-v0", "Did you mean 'NeedleInWeb-v0'?"),
        ("NeedleInWeb-v9", "Did you mean 'NeedleInWeb-v0'?"),
        ("CartPol-v1", "NeedleInWeb-v0"),
        ("zzz", "NeedleInWeb-v0"),
        ("", "NeedleInWeb-v0"),
        ("a b/c:d", "there is no module 'a b/c' to import"),
        (".mine:A-v0", "'.mine' names no module; expected as in package.module:Id-v0"),
        ("../mine:A-v0", "'../mine' names no module"),
        ("nosuchmodule:A-v0", "there is no module 'nosuchmodule' to import"),
        ("webenv:NeedleInWeb-v1", "Did you mean 'NeedleInWeb-v0'?"),
        ("CartPole-v1", "CartPole-v1 is no environment of webenv"),
    ],
)
def test_unknown(env: str, message: str) -> None:
    """An unknown environment is refused in one line that names the nearest."""
    with pytest.raises(InvalidArgument) as caught:
        make_env(env, {})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_known() -> None:
    """An id is made with its settings, with the module to import before it or without."""
    for env in ("NeedleInWeb-v0", "webenv:NeedleInWeb-v0"):
        made = make_env(env, {"difficulty": "easy", "budget": {"searches": 3}}).unwrapped
        assert isinstance(made, SearchEnv)
        assert made.benchmark.budget.searches == 3
        tasks = made.benchmark.tasks
        assert {tasks[place].tags["difficulty"] for place in range(0, len(tasks), 40)} == {"easy"}


def test_unknown_setting() -> None:
    """A setting that the environment does not take is refused by name."""
    with pytest.raises(InvalidArgument, match=r"'dificulty'\. Did you mean 'difficulty'"):
        make_env("NeedleInWeb-v0", {"dificulty": "easy"})
    with pytest.raises(InvalidArgument, match="does not take these settings"):
        make_env("CartPole-v1", {"difficulty": "easy"})


def test_broken_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a user's own module fails to import is not hidden behind our words."""
    (tmp_path / "brokenbench.py").write_text("import nosuchmodule")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ModuleNotFoundError, match="nosuchmodule"):
        make_env("brokenbench:A-v0", {})


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("searches=5,visits=5", {"searches": 5, "visits": 5}),
        (" turns = 7 ", {"turns": 7}),
        ("seconds=1.5", {"seconds": 1.5}),
        ("asks=-1", {"asks": -1}),
    ],
)
def test_budget(text: str, limits: dict[str, float]) -> None:
    """A budget is name=number, with commas between."""
    assert read_budget(text) == limits


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no limit"),
        ("5", "'5' is no limit; expected as in searches=5,visits=5"),
        ("searches=5,", "searches is '5,'; expected a number"),
        ("searches=many", "searches is 'many'; expected a number"),
        ("searches=", "searches is ''; expected a number"),
        ("searches=5,searches=6", "searches is given twice"),
        ("=5", "'=5' is no limit"),
    ],
)
def test_bad_budget(text: str, message: str) -> None:
    """A budget that cannot be read is refused, naming the part."""
    with pytest.raises(InvalidArgument) as caught:
        read_budget(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("split=train", ("split", "train")),
        ("flagged=true", ("flagged", True)),
        ("site=null", ("site", None)),
        ('reward={"answer": 1, "cost": 0.1}', ("reward", {"answer": 1, "cost": 0.1})),
        ('difficulty=["easy","hard"]', ("difficulty", ["easy", "hard"])),
        ("web=/data/my web", ("web", "/data/my web")),
        ("web=live:a=b", ("web", "live:a=b")),
        ('split="5"', ("split", "5")),
    ],
)
def test_setting(text: str, setting: tuple[str, Any]) -> None:
    """A setting's value is JSON, or a plain text."""
    assert read_setting(text) == setting


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("split", "expected name=value"),
        ("=5", "expected name=value"),
        ("my split=5", "expected name=value"),
        ("flagged=True", "in JSON that is flagged=true"),
        ("flagged=None", "in JSON that is flagged=null"),
        ("reward={answer: 1}", "neither JSON nor a plain text"),
        ("split=", "neither JSON nor a plain text"),
    ],
)
def test_bad_setting(text: str, message: str) -> None:
    """A setting that cannot be read is refused; what Python would mean is never taken for text."""
    with pytest.raises(InvalidArgument) as caught:
        read_setting(text)
    assert message in str(caught.value)


def test_settings() -> None:
    """Options that are not given are left to the environment; a list of one is its item."""
    named = {"web": None, "difficulty": ["easy"], "site": [], "tasks": ["a", "b"]}
    assert read_arguments(named, budget="asks=1", others=["split=dev"]) == {
        "difficulty": "easy",
        "tasks": ["a", "b"],
        "budget": {"asks": 1},
        "split": "dev",
    }
    with pytest.raises(InvalidArgument, match="difficulty is given twice"):
        read_arguments(named, others=["difficulty=hard"])


SWEEP = Sweep("searches", (1, 3))


def test_read_sweep() -> None:
    """A sweep is read in the order that was given."""
    assert read_sweep(" turns = 9, 3 ") == Sweep("turns", (9, 3))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("searches", "expected an entry of the budget and its values, as in searches=1,3,5,7"),
        ("serches=1", "Did you mean 'searches'?"),
        ("seconds=1", "Expected one of: asks, searches, turns, visits"),
        ("searches=1,,3", "'';  expected"),
        ("searches=-1", "'-1'; expected whole numbers from 0"),
        ("searches=1.5", "'1.5'; expected"),
        ("searches=²", "'²'; expected"),
        ("turns=0", "'0'; expected whole numbers from 1"),
        ("searches=3,1,3", "3 is given twice"),
    ],
)
def test_refused_sweep(text: str, message: str) -> None:
    """What is no sweep is refused in one line."""
    with pytest.raises(InvalidArgument) as caught:
        read_sweep(text)
    assert message.replace("  ", " ") in str(caught.value)


def test_plan() -> None:
    """Each value has a folder of its own, and the other limits stay; nothing swept is one run."""
    settings = {"split": "test", "budget": {"visits": 2}}
    assert plan_runs(SWEEP, settings, Path("out")) == [
        PlannedRun(1, {"split": "test", "budget": {"visits": 2, "searches": 1}}, Path("out/searches-1")),
        PlannedRun(3, {"split": "test", "budget": {"visits": 2, "searches": 3}}, Path("out/searches-3")),
    ]
    assert plan_runs(None, settings, Path("out")) == [PlannedRun(None, settings, Path("out"))]
    with pytest.raises(InvalidArgument, match="the budget gives searches already"):
        plan_runs(SWEEP, {"budget": {"searches": 5}}, Path("out"))
