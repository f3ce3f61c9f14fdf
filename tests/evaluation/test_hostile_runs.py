"""A run folder that somebody downloads is data: nothing in it runs code, leaves the folder, sends or grows."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from webenv.errors import RunError
from webenv.evaluation import at_step, evaluate, export_chats, read_records, rescore
from webenv.policies import KeywordPolicy

SETTINGS = {"web": "sample", "difficulty": "easy"}


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A whole run on the sample web."""
    evaluate("NeedleInWeb-v0", KeywordPolicy(), out=tmp_path / "run", settings=SETTINGS, episodes=2)
    return tmp_path / "run"


def change(run: Path, **parts: Any) -> None:
    about = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**about, **parts}))


def named(run: Path, **settings: Any) -> None:
    change(run, env={"id": "NeedleInWeb-v0", "settings": {**SETTINGS, **settings}})


def task_of(run: Path) -> str:
    return next(read_records(run)).task


OPENERS: list[Callable[[Path], object]] = [
    lambda run: rescore(run, "page"),
    lambda run: at_step(run, task_of(run), step=1),
]


@pytest.mark.parametrize("open_it", OPENERS, ids=["rescore", "at_step"])
@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"web": "/home/me/corpus#dense"}, "--web '/home/me/corpus#dense'"),
        ({"web": "cassette:/home/me/tape.db"}, "--web cassette:/home/me/tape.db"),
        ({"web": "lucene:/home/me/index"}, "--web lucene:/home/me/index"),
        ({"web": "procedural:pages=10000000"}, "--web procedural:pages=10000000"),
        ({"web": "procedural:worlds=1000000"}, "--web procedural:worlds=1000000"),
        ({"web": "procedural:worlds=1,worlds"}, "--web procedural:worlds=1,worlds"),
        ({"tasks": "/home/me/tasks"}, "--tasks /home/me/tasks"),
        ({"tasks": ["/a", "/b c"]}, "--tasks /a --tasks '/b c'"),
        ({"tasks": "generated:count=10000000"}, "--tasks generated:count=10000000"),
        ({"colour": {"a": 1}}, """--set 'colour={"a": 1}'"""),
        ({"reward": {"answer": "x"}}, """--set 'reward={"answer": "x"}'"""),
        ({"site": [[]] * 9}, "--set 'site=[[], "),
        ({"latency": {"calls": "x"}}, """--set 'latency={"calls": "x"}'"""),
    ],
)
def test_what_could_do_harm_is_to_be_named_again(
    run: Path, open_it: Callable[[Path], object], settings: dict[str, Any], option: str
) -> None:
    """A web, tasks or a setting of a run that could do harm is refused in one line with the option that names it."""
    named(run, **settings)
    with pytest.raises(RunError) as refused:
        open_it(run)
    assert f"is opened only if you name it too; if you trust it: {option}" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_no_live_web_is_opened(run: Path) -> None:
    """A live web of a run sends no request, such as to private addresses."""
    named(run, web="live:searxng=http://169.254.169.254,allow_private=true")
    with pytest.raises(RunError, match=r"if you trust it: --web live:searxng="):
        rescore(run, "page")
    with pytest.raises(RunError, match="was played on a live web, which cannot be played again"):
        at_step(run, task_of(run))


@pytest.mark.parametrize(
    "settings",
    [{"judge": "llm:some-model"}, {"judge_prompt": "/etc/passwd"}, {"judge": "page", "judge_prompt": "/etc/passwd"}],
)
def test_a_recorded_judge_asks_nobody(run: Path, settings: dict[str, Any]) -> None:
    """A judge with a model, and a prompt file, are the caller's; one that he names drops the recorded one."""
    named(run, **settings)
    for opened in (lambda: at_step(run, task_of(run)), lambda: rescore(run)):
        with pytest.raises(RunError, match="if you trust it: --judge"):
            opened()
    assert rescore(run, "page").judge == "page"


def test_no_module_is_imported(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment's module is imported only if the caller names it; nor is an id of another package made."""
    (tmp_path / "planted.py").write_text("raise SystemExit('ran')")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("planted:NeedleInWeb-v0", "planted:Own-v0", "CartPole-v1"):
        change(run, env={"id": name, "settings": {}})
        for open_it in OPENERS:
            with pytest.raises(RunError, match=r"none of webenv's environments; if you trust it, name its module too"):
                open_it(run)
    assert "planted" not in sys.modules


def test_what_does_no_harm_is_opened(run: Path) -> None:
    """Filters, budgets, weights and a generated web of some size are taken as they are recorded."""
    named(run, budget={"searches": 10}, reward={"answer": 1, "cost": 0.1}, split=None, flagged=False, judge_votes=1)
    assert rescore(run, "page").after.total.episodes == 2
    named(run, latency="calls=4")
    assert rescore(run, "page").after.total.episodes == 2


@pytest.mark.parametrize("name", ["run.json", "episodes.jsonl", ".lock", ".run.json.new", "rescored"])
def test_planted_links_are_not_followed(run: Path, tmp_path: Path, name: str) -> None:
    """A link in a run leads nowhere: what it names is neither read nor written, by resume, rescore, fork or export."""
    outside = tmp_path / "outside"
    if name == "rescored":
        outside.mkdir()
    else:
        outside.write_bytes((run / name).read_bytes() if (run / name).exists() else b"secret")
    before = outside.read_bytes() if outside.is_file() else b""
    task = task_of(run)
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(outside)
    with pytest.raises(RunError, match="is a symbolic link, "):
        evaluate("NeedleInWeb-v0", KeywordPolicy(), out=run, settings=SETTINGS, episodes=2, resume=True)
    if name in ("run.json", "episodes.jsonl", "rescored"):
        with pytest.raises(RunError, match="is a symbolic link, "):
            rescore(run, "page")
    if name in ("run.json", "episodes.jsonl"):
        for read in (lambda: at_step(run, task), lambda: export_chats(run, tmp_path / "chats.jsonl")):
            with pytest.raises(RunError, match="is a symbolic link, "):
                read()
    assert (outside.read_bytes() if outside.is_file() else b"") == before
    assert not outside.is_dir() or not list(outside.iterdir())


def test_planted_links_of_a_rescoring_are_not_followed(run: Path, tmp_path: Path) -> None:
    """The folder of a rescoring, and the files in it, are plain ones."""
    folder = Path(rescore(run, "page").folder)
    kept = folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(kept)
    with pytest.raises(RunError, match="is a symbolic link"):
        rescore(run, "page", retry_unscored=True)
    folder.unlink()
    folder.mkdir()
    (folder / "run.json").write_bytes((kept / "run.json").read_bytes())
    (folder / "verdicts.jsonl").symlink_to(kept / "verdicts.jsonl")
    with pytest.raises(RunError, match="is a symbolic link"):
        rescore(run, "page")


def test_pipes_are_no_runs(run: Path) -> None:
    """A pipe in place of a file is refused, where reading it would never end."""
    (run / "episodes.jsonl").unlink()
    os.mkfifo(run / "episodes.jsonl")
    with pytest.raises(RunError, match="it is no regular file"):
        list(read_records(run))


DEEP = b'{"a":' * 900 + b"1" + b"}" * 900


@pytest.mark.parametrize(
    "content",
    [DEEP, b" " * (5 << 20), b'{"format":"webenv.run","version":1,"env":' + DEEP + b"}", b"\xff", b"[" * 100_000],
    ids=["deep", "large", "deep within", "no text", "open"],
)
def test_run_json_is_bounded(run: Path, content: bytes) -> None:
    """A run.json that is nested deep, or large, is refused in a line."""
    (run / "run.json").write_bytes(content)
    for open_it in (*OPENERS[:1], lambda run: export_chats(run, run / "chats.jsonl")):
        with pytest.raises(RunError, match=r"run\.json"):
            open_it(run)


def changed_line(run: Path, change: Callable[[dict[str, Any]], None]) -> bytes:
    record = json.loads((run / "episodes.jsonl").read_bytes().splitlines()[0])
    change(record)
    return json.dumps(record).encode() + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one["verdict"].update(value=1e999),
        lambda one: one.update(reward=10**400),
        lambda one: one["spent"].update(turns=2**31),
        lambda one: one["turns"][0]["reward_terms"].update(cost="x"),
        lambda one: one["turns"][0]["observation"]["results"].append(json.loads(DEEP)),
        lambda one: one.update(more=1),
    ],
    ids=["infinite", "huge", "spent", "terms", "deep", "unknown"],
)
def test_records_are_checked(run: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """A record with numbers that are none, nested deep, or with parts that it has not, is refused in a line."""
    (run / "episodes.jsonl").write_bytes(changed_line(run, change))
    with pytest.raises(RunError, match=r"line 1 is damaged"):
        rescore(run, "page")


@pytest.mark.parametrize("line", [b"[[]" + b",[]" * 2_000_000 + b"]\n", b'"' + b"x" * (65 << 20)], ids=["many", "long"])
def test_lines_are_bounded(run: Path, line: bytes) -> None:
    """A line that would become gigabytes is refused before it is parsed, with or without an end."""
    (run / "episodes.jsonl").write_bytes(line)
    with pytest.raises(RunError, match="line 1 is too long to be read"):
        rescore(run, "page")


def test_a_recorded_plan_is_bounded(run: Path) -> None:
    """A run that asks for millions of episodes is taken up only where the caller says how many."""
    change(run, episodes=9_999_999)
    with pytest.raises(RunError, match=r"names 9,999,999 episodes; if they are meant, say so: --episodes 9999999"):
        evaluate("NeedleInWeb-v0", KeywordPolicy(), out=run, settings=SETTINGS, resume=True)
