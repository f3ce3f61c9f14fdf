"""``webenv tasks``: builds over HTTP against scripted models, killed, resumed and replayed; verify; refresh."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import WEBENV
from tests.envs.building.newsroom import Asked, replies, write_newsroom
from tests.openai_server import Body, Cut, Fault, Messages, OpenAIServer, Reply, Script, Slow, serve
from webenv.cli.app import run
from webenv.corpora import build as build_corpus
from webenv.envs.building.asking import prompt_files
from webenv.envs.building.needle_in_web.prompts import ClaimsQuestion
from webenv.envs.live_news_bench.tasks import load_tasks

NEWS = ("tasks", "build", "livenews", "--events", "events.jsonl", "--web", "web", "--outlets", "outlets.txt",
        "--drafter", "drafter", "--checker", "checker", "--parallel", "4")  # fmt: skip
FILES = ("train.jsonl", "val.jsonl", "test.jsonl", "longitudinal_test.jsonl", "build/rejected.jsonl")
ASKING = ("query", "relevance", "draft", "answer", "agreement", "guideline")
REQUESTS = 65


@pytest.fixture(scope="module")
def newsroom(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Corpus, events and outlets, and what an undisturbed build of them gives, in ``clean``."""
    folder = tmp_path_factory.mktemp("newsroom")
    write_newsroom(folder)
    with pytest.MonkeyPatch.context() as patch, serve(replies()) as server:
        patch.chdir(folder)
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        assert run((*NEWS, "--out", "clean")) == 0
        assert len(server.requests) == REQUESTS
    return folder


@pytest.fixture
def folder(newsroom: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(newsroom, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def build(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, OpenAIServer]]:
    def build(script: Script, *words: str) -> tuple[int, OpenAIServer]:
        with serve(script) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
            return run((*NEWS, "--out", "out", *words)), server

    return build


Build = Callable[..., tuple[int, OpenAIServer]]


def records(path: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def written(folder: str) -> dict[str, bytes]:
    return {name: (Path(folder) / name).read_bytes() for name in FILES}


def test_every_stage(folder: Path) -> None:
    """How many came to each stage, were kept and fell, is what the pages and the models' replies amount to."""
    stages = json.loads(Path("clean/build/summary.json").read_text())["stages"]
    counts = [(one["stage"], one["came"], one["kept"], sum(one["rejected"].values())) for one in stages]
    assert counts == [
        ("query", 10, 10, 0),
        ("search", 10, 9, 1),
        ("outlet", 19, 18, 1),
        ("visit", 18, 16, 2),
        ("window", 16, 15, 1),
        ("relevance", 15, 14, 1),
        ("copies", 14, 13, 1),
        ("draft", 13, 12, 1),
        ("form", 12, 10, 2),
        ("answer", 10, 9, 1),
        ("agreement", 9, 8, 1),
        ("guideline", 8, 7, 1),
    ]


def test_questions(folder: Path) -> None:
    """What passed goes where its event's date and its stability say; a cited page needs no outlet and no window."""
    found = {name: [(one["link"], one["answer"]) for one in records(f"clean/{name}")] for name in FILES[:4]}
    assert found == {
        "train.jsonl": [("https://daily.example/dunmore-bridge", "Dail Dunmoreson")],
        "val.jsonl": [("https://daily.example/corin-bridge", "Dail Corinson")],
        "test.jsonl": [
            ("https://blog.example/brook-bridge", "Blog Brookson"),
            ("https://herald.example/news/ardel-bridge", "Hera Ardelson"),
            ("https://mirror.example/ardel-bridge", "Dail Ardelson"),
        ],
        "longitudinal_test.jsonl": [
            ("https://daily.example/elmet-bridge", "Dail Elmetson"),
            ("https://herald.example/news/elmet-bridge", "Hera Elmetson"),
        ],
    }
    first = records("clean/test.jsonl")[0]
    assert {name: first[name] for name in ("event_date", "site", "split", "category", "stability", "article")} == {
        "event_date": "2025-07-05",
        "site": "blog.example",
        "split": "test",
        "category": "Transport",
        "stability": "unlikely",
        "article": {"title": "Brook bridge opened", "date": "2025-08-04"},
    }


def test_why_they_fell(folder: Path) -> None:
    """Every rejection stands in a file, with its stage, its reason and what it was."""
    fell = records("clean/build/rejected.jsonl")
    assert [(one["stage"], one["reason"], one.get("link", one.get("summary"))) for one in fell] == [
        ("search", "nothing found", "A bridge is opened in Jarrow."),
        ("outlet", "not one of the 3 outlets (--outlets any)", "https://herald.example/sport/dunmore-bridge"),
        ("visit", "cannot be had", "https://gone.example/x"),
        ("visit", "shorter than 300 characters", "https://daily.example/short"),
        (
            "window",
            "dated outside the window, 3 days before the event to 11 after it",
            "https://mirror.example/corin-bridge",
        ),
        ("relevance", "irrelevant", "https://daily.example/hallow-bridge"),
        ("copies", "drafted from already", "https://daily.example/ardel-bridge"),
        ("draft", "skipped by the drafter", "https://daily.example/farrow-bridge"),
        ("form", "the answer stands in the question", "https://daily.example/ivel-bridge"),
        ("form", "answer of more than 20 words", "https://herald.example/news/ivel-bridge"),
        ("answer", "not told by the article", "https://herald.example/news/garth-bridge"),
        ("agreement", "the answers differ", "https://herald.example/news/farrow-bridge"),
        ("guideline", "self_contained", "https://daily.example/garth-bridge"),
    ]
    assert fell[11]["answered"] == "nobody"
    assert fell[12]["detail"] == "which bridge?"


def test_loads(folder: Path) -> None:
    """LiveNewsBench loads the files, and hides the site that a question was drafted from."""
    tasks = load_tasks("clean/test.jsonl")
    assert [task.gold.answers for task in tasks] == [("Blog Brookson",), ("Hera Ardelson",), ("Dail Ardelson",)]
    assert tasks[0].scope.blocked[0] == "blog.example"
    assert [task.tags["split"] for task in load_tasks("clean")] == ["train", "validation", "test", "test", "test"]


def test_checker_is_not_told(build: Build) -> None:
    """The second model is not shown the drafter's answer, nor who drafted it."""
    _, server = build(replies())
    talks = [talk[-1]["content"] for talk in server.conversations()]
    answering = [text for text in talks if text.startswith("Answer a question from a news article")]
    assert len(answering) == 10
    assert not any("<answer id=" in text.partition("If the article tells")[0] for text in answering)


def test_models_of_one_family(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """A checker of the drafter's family is warned of in a line."""
    build(replies(), "--drafter", "gpt-5", "--checker", "openai/o3-mini", "--limit", "1")
    assert "webenv: warning: drafter and checker are both gpt models" in capsys.readouterr().err


def test_faults(build: Build) -> None:
    """An endpoint that fails, stalls, breaks off or talks nonsense in a fifth of its answers changes nothing."""
    faults: tuple[Reply, ...] = (Fault(429), Fault(500), Body(b"<html>"), Cut(), "no tags at all", Slow(0.05, "late"))
    seen: Counter[str] = Counter()

    def sometimes(one: Asked) -> Reply | None:
        seen["all"] += 1
        return faults[seen["all"] // 5 % len(faults)] if seen["all"] % 5 == 0 else None

    code, _ = build(replies(sometimes))
    assert (code, written("out")) == (0, written("clean"))


def test_a_failure_is_no_rejection(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """What a model could not tell is open, and asked again, alone, by the same command."""

    def broken(one: Asked) -> Reply | None:
        return (
            {"guideline": "I cannot say.", "answer": Fault(400)}.get(one.kind) if "Elmet" in str(one.fields) else None
        )

    code, _ = build(replies(broken))
    told = capsys.readouterr()
    assert code == 0
    assert "webenv: note: 2 items are open, as a model or the web failed; to ask again: webenv tasks build" in told.err
    assert records("out/longitudinal_test.jsonl") == []
    assert written("out")["build/rejected.jsonl"] == written("clean")["build/rejected.jsonl"]
    code, server = build(replies())
    assert (code, written("out")) == (0, written("clean"))
    assert len(server.requests) == 6  # answer, agreement and guideline of two questions


def test_what_is_open(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """The table groups what is open by what the replies lack; what they said stands in a file."""
    said = {"query": "What a question.", "draft": "Let me see."}
    code, _ = build(replies(lambda one: said.get(one.kind) if re.search("Ardel|Brook|Elmet", one.text) else None))
    assert code == 0
    stages = {one["stage"]: one for one in json.loads(Path("out/build/summary.json").read_text())["stages"]}
    assert stages["query"]["open"] == {"the reply holds no query": 3}
    table = capsys.readouterr().out
    assert "open: the reply holds no query 3" in " ".join(table.split())
    first = records("out/build/open.jsonl")[0]
    assert first["reason"] == "attempt 3: the reply holds no query: …What a question."
    assert first["event_date"] == "2025-07-05"


def test_dead_endpoint(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """After 20 questions in a row without a reply the build ends in one line; what came before is kept."""
    build(replies())
    lines = [f'{{"date": "2025-08-2{n % 9}", "summary": "A bridge is opened in Town{n}."}}\n' for n in range(60)]
    with open("events.jsonl", "a") as file:
        file.writelines(lines)
    capsys.readouterr()
    code, server = build(lambda _: Fault(401))
    assert code == 1
    assert 20 <= len(server.requests) <= 23  # four at a time
    error = capsys.readouterr().err
    assert error.startswith(
        "webenv: error: query: no reply for 20 events in a row, the last time as model 'drafter' at "
    )
    assert "the key was refused (401); check OPENAI_API_KEY" in error
    assert "; what came is kept in out; go on with: webenv tasks build livenews" in error
    assert error.count("\n") == 1
    assert written("out")["test.jsonl"] == written("clean")["test.jsonl"]


def test_cited_later(build: Build) -> None:
    """Pages that an event's record cites since the build began are visited when it goes on."""
    build(replies())
    text = Path("events.jsonl").read_text()
    cited = '"summary": "A bridge is opened in Ardel.", "urls": ["https://gossip.example/brook-bridge"]'
    Path("events.jsonl").write_text(text.replace('"summary": "A bridge is opened in Ardel."', cited))
    code, _ = build(replies())
    assert code == 0
    stages = {one["stage"]: one for one in json.loads(Path("out/build/summary.json").read_text())["stages"]}
    assert (stages["outlet"]["came"], stages["visit"]["came"]) == (20, 19)


def test_characters_without_a_form(build: Build) -> None:
    """A reply with half a character in it is written with a question mark in its place."""
    half = Body(b'{"choices": [{"message": {"content": "<draft>"}, "finish_reason": "stop"}]}')

    def odd(one: Asked) -> Reply | None:
        if one.kind != "draft":
            return None
        text = json.dumps(
            one.tag("question", "Who\ud800?") + one.tag("answer", "Ada") + one.tag("stability", "unlikely")
        )
        return Body(half.body.replace(b'"<draft>"', text.encode()))

    code, _ = build(replies(odd))
    assert code == 0
    assert json.loads(Path("out/build/rejected.jsonl").read_text().splitlines()[-1])["question"] == "Who??"


def test_resumed_for_nothing(build: Build) -> None:
    """The same command on a finished build asks nobody, and writes the same files."""
    build(replies())
    code, server = build(replies())
    assert (code, server.requests, written("out")) == (0, [], written("clean"))


@pytest.mark.slow
def test_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that is killed, again and again, asks nothing again whose answer was in, and ends as one that was not."""
    with serve(replies(lambda one: Slow(0.02, script_of(one)))) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.base_url}
        for least in (8, 40):
            process = subprocess.Popen([*WEBENV, *NEWS, "--out", "out"], env=environment, stdout=subprocess.DEVNULL)
            until = time.monotonic() + 120
            while answered() < least and process.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            process.kill()
            process.wait()
            assert process.returncode == -signal.SIGKILL
        left = REQUESTS - answered()
        before = len(server.requests)
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        with open("out/build/journal/draft.jsonl", "ab") as file:
            file.write(b'{"key": "as a kill in the midst of a line')
        assert run((*NEWS, "--out", "out")) == 0
        assert len(server.requests) - before == left
        assert len(server.requests) <= REQUESTS + 2 * 4  # four were under way at each kill
    assert written("out") == written("clean")


def script_of(one: Asked) -> str:
    messages: Messages = [{"role": "user", "content": one.text}]
    reply = replies()(messages)
    assert isinstance(reply, str)
    return reply


def answered() -> int:
    """How many outcomes of models are in the journals."""
    files = (Path(f"out/build/journal/{stage}.jsonl") for stage in ASKING)
    return sum(file.read_bytes().count(b"\n") for file in files if file.exists())


def test_interrupted(folder: Path) -> None:
    """Ctrl-C ends with code 130, the table of what came, and the line that goes on; files are written."""
    with serve(replies(lambda one: Slow(0.05, script_of(one)))) as server:
        environment = {**os.environ, "OPENAI_BASE_URL": server.base_url}
        words = [*WEBENV, *NEWS, "--out", "out"]
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while answered() < 20:
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
    assert process.returncode == 130
    assert error.startswith("webenv: interrupted: what came is kept in out; go on with: webenv tasks build livenews ")
    assert "not asked yet" in out
    assert Path("out/train.jsonl").exists()


def test_cassette(build: Build, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded build is replayed without web, endpoint and key, to the same bytes."""
    code, _ = build(replies(), "--cassette", "tape.db", "--cassette-mode", "record")
    assert (code, written("out")) == (0, written("clean"))
    monkeypatch.delenv("OPENAI_BASE_URL")
    shutil.rmtree("web")
    assert run((*NEWS, "--out", "again", "--cassette", "tape.db")) == 0
    assert written("again") == written("clean")


def test_cost_limit(build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """At the cost limit nobody is asked any more; all that came is kept, and counts when the build goes on."""
    Path("prices.json").write_text(json.dumps({name: {"input": 1000, "output": 0} for name in ("drafter", "checker")}))
    code, first = build(replies(), "--prices", "prices.json", "--cost-limit", "0.21")
    told = capsys.readouterr()
    assert code == 1
    assert told.err.startswith("webenv: error: the cost limit of $0.21 is reached: $0.2")
    assert "not asked yet" in told.out
    assert 30 <= len(first.requests) <= 33  # 0.007 dollars each, four at a time
    code, second = build(replies(), "--prices", "prices.json", "--cost-limit", "1")
    assert (code, written("out")) == (0, written("clean"))
    assert len(first.requests) + len(second.requests) == REQUESTS
    (used,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.startswith(" drafter"))
    assert used == ["drafter", "38", "0", "266", "0", "114", "$0.266"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--drafter", "other"), "out holds a build with draft.model = "),
        (("--outlets", "any"), "out holds a build with outlets = "),
        (("--events", "none.jsonl"), "events 'none.jsonl': there is no such file or folder."),
        (("--outlets", "none.txt"), "outlets 'none.txt' cannot be read: No such file or directory."),
        (("--out", "web"), "web is not empty, and holds no build of tasks; name another --out."),
        (("--today", "soon"), "day 'soon': expected one as in 2025-08-31."),
        (("--cost-limit", "1"), "--cost-limit 1 needs --prices FILE"),
        (("--judge", "page"), "judge 'page' needs gold.urls, and task 'draft' of a build's drafts has none."),
        (("--prompts", "none"), "prompts 'none': there is no such folder."),
        (("--prompts", "bad"), "build prompt 'bad/query.txt' has no {event}; put it where the event is to stand."),
        (("--parallel", "1001"), "--parallel 1001: a build puts 1,000 questions at a time at most."),
    ],
)
def test_bad_input(words: tuple[str, ...], message: str, build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be done is said in one line, before anybody is asked."""
    shutil.copytree("clean", "out")
    Path("bad").mkdir()
    Path("bad/query.txt").write_text("Write one query.")
    code, server = build(replies(), *words)
    assert (code, server.requests) == (1, [])
    error = capsys.readouterr().err
    assert error.startswith(f"webenv: error: {message}")
    assert error.count("\n") == 1


def test_prompts_of_a_user(build: Build) -> None:
    """A prompt file takes the place of ours; another one is another build."""
    Path("prompts").mkdir()
    Path("prompts/query.txt").write_text("Write one query, plainly: {event}")
    code, server = build(
        replies(lambda one: "<query>Ardelson</query>" if one.kind == "query" else None), "--prompts", "prompts"
    )
    assert code == 0
    assert server.conversations()[0][0]["content"].startswith("Write one query, plainly: 2025-")
    assert build(replies())[0] == 1


# ── verify ────────────────────────────────────────────────────────────────────


def verify(monkeypatch: pytest.MonkeyPatch, typed: str, *words: str, file: str = "clean/test.jsonl") -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    return run(("tasks", "verify", file, *words))


def test_verify(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A person accepts and rejects, stops and goes on; the accepted records are copied to the letter."""
    assert verify(monkeypatch, "r names its paper\na\nq\n") == 0
    out = capsys.readouterr().out
    assert "── 1 of 200 verified, 1 rejected, 1 left ──" in out
    assert "clean/human_verified_test.jsonl holds 1." in out
    assert verify(monkeypatch, "edit\na\n") == 0
    out = capsys.readouterr().out
    assert "Type a, r (with a reason if you like), u, t or q." in out
    assert "2 of 200 verified, 1 rejected, 0 left." in out
    lines = Path("clean/test.jsonl").read_text().splitlines()
    accepted = Path("clean/human_verified_test.jsonl").read_text().splitlines()
    assert len(accepted) == 2
    assert accepted == [line for line in lines if line in accepted]
    decisions = records("clean/test.jsonl.decisions")
    assert [one["decision"] for one in decisions] == ["reject", "accept", "accept"]
    assert decisions[0]["reason"] == "names its paper"


def test_two_annotators(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has decisions of their own on the same tasks; together they are compared, and what both accepted is kept."""
    assert verify(monkeypatch, "a\na\nr\nq\n", "--annotator", "anna") == 0
    assert verify(monkeypatch, "a\nr\nr\nq\n", "--annotator", "ben") == 0
    capsys.readouterr()
    assert verify(monkeypatch, "", "--annotator", "anna", "--annotator", "ben") == 0
    told = capsys.readouterr().out
    assert "Agreement: 66.7%, 2 of 3; Cohen's kappa 0.400" in told
    assert "clean/human_verified_test.jsonl holds the 1 that both accepted." in told
    assert len((folder / "clean" / "human_verified_test.jsonl").read_text().splitlines()) == 1
    assert verify(monkeypatch, "", "--annotator", "anna", "--annotator", "carl") == 1
    assert "anna and carl decided on no task alike" in capsys.readouterr().err
    assert verify(monkeypatch, "", "--annotator", "../x") == 1


def test_verify_until_enough(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """It ends when enough are verified, and takes the last decisions back when asked to."""
    assert verify(monkeypatch, "a\nu\nr\nu\nu\nt\na\na\n", "--count", "2", "--out", "some.jsonl") == 0
    out = capsys.readouterr().out
    assert "There is nothing to undo." in out
    assert " cut the ribbon, wrote the desk of " in out  # the article, from the build's journal
    assert out.endswith("2 of 2 verified, 0 rejected, 1 left.\nsome.jsonl holds 2.\n")


def test_verify_needles(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Files in the form of Needle in the Web are verified too, into a folder of the same names."""
    record = {"id": 0, "context": {"url": "https://a.example/x", "title": "X", "content": "Long."}}
    record |= {"raw_questions": ["Someone rang."], "ground_truth": ["Ada rang."]}
    Path("a.example_easy.json").write_text(json.dumps([record, record | {"id": 1}]))
    assert verify(monkeypatch, "a\nr\n", file="a.example_easy.json") == 0
    assert "criterion 1: Someone rang." in capsys.readouterr().out
    (kept,) = json.loads(Path("verified/a.example_easy.json").read_text())
    assert kept in (record, record | {"id": 1})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tasks.jsonl holds no tasks; expected a file of 'webenv tasks build', or an official one."),
        ("{", "tasks 'tasks.jsonl', line 1 is no JSON: "),
    ],
)
def test_verify_bad_input(
    text: str, message: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file without tasks is refused in one line."""
    Path("tasks.jsonl").write_text(text)
    assert verify(monkeypatch, "a\n", file="tasks.jsonl") == 1
    assert capsys.readouterr().err.startswith(f"webenv: error: {message}")


# ── refresh ───────────────────────────────────────────────────────────────────


def refresh(capsys: pytest.CaptureFixture[str], today: str, *words: str) -> dict[str, Any]:
    assert run(("tasks", "refresh", "clean", "--today", today, "--json", *words)) == 0
    done: dict[str, Any] = json.loads(capsys.readouterr().out)
    return done


def test_refresh(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """When a quarter is over, validation and test join training; again on that day, nothing changes."""
    verify(monkeypatch, "a\na\na\n")
    capsys.readouterr()
    kept = {"train.jsonl": 1, "val.jsonl": 1, "test.jsonl": 3, "longitudinal_test.jsonl": 2}
    nothing = {"added": {}, "retired": 0, "earlier": ""}
    still = {"before": "2025-08", "newest": "2025-08", "joined": 0, "files": kept, **nothing}
    assert refresh(capsys, "2025-11-30") == still
    assert written("clean")["test.jsonl"].count(b"\n") == 3
    moved = {"train.jsonl": 5, "val.jsonl": 0, "test.jsonl": 0, "longitudinal_test.jsonl": 2}
    earlier = "clean/build/earlier/human_verified_test_2025-08.jsonl"
    slid = {"before": "2025-08", "newest": "2025-11", "joined": 4, "files": moved}
    assert refresh(capsys, "2025-12-01") == {**slid, "added": {}, "retired": 3, "earlier": earlier}
    assert {one["split"] for one in records("clean/train.jsonl")} == {"train"}
    assert not Path("clean/human_verified_test.jsonl").exists()
    assert len(records(earlier)) == 3
    state = written("clean")
    slid = {"before": "2025-11", "newest": "2025-11", "joined": 0, "files": moved}
    assert refresh(capsys, "2025-12-01") == {**slid, **nothing}
    assert written("clean") == state


def test_refresh_with_a_newer_build(folder: Path, build: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """The questions of a newer build join, each once, and go where their dates say."""
    for name, count in (("events.jsonl", 1), ("pages.jsonl", 2)):
        lines = Path(name).read_text().splitlines(keepends=True)[:count]
        newer = "".join(lines).replace("-08-", "-11-").replace("Ardel", "Kelso").replace("ardel", "kelso")
        Path(name).write_text(newer)
    build_corpus("newer", ["jsonl:pages.jsonl"], workers=1)
    assert build(replies(), "--web", "newer")[0] == 0
    capsys.readouterr()
    brought = []
    for _ in range(2):
        done = refresh(capsys, "2025-12-05", "--add", "out")
        brought.append(done["added"])
        assert done["files"] == {"train.jsonl": 5, "val.jsonl": 0, "test.jsonl": 2, "longitudinal_test.jsonl": 2}
    assert brought == [{"out": {"test": 2}}, {"out": {}}]


def test_refresh_tells(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A refresh says what joined from where, and where verified questions went; a day before its own is refused."""
    verify(monkeypatch, "a\na\na\n")
    shutil.copytree("clean", "newer")
    for name, days in (("test.jsonl", ("2025-11-02", "2025-11-03", "2025-12-04")), ("val.jsonl", ("2025-10-01",))):
        lines = Path("clean", name).read_text().splitlines()
        some = [
            json.loads(line) | {"question": f"New {day}?", "event_date": day}
            for line, day in zip(lines[: len(days)], days, strict=True)
        ]
        Path("newer", name).write_text("".join(json.dumps(one) + "\n" for one in some))
    Path("newer/train.jsonl").unlink()
    capsys.readouterr()
    assert run(("tasks", "refresh", "clean", "--today", "2025-12-01", "--add", "newer", "--add", "newer")) == 0
    assert capsys.readouterr().out.splitlines() == [
        "The test set ended with 2025-08, and ends with 2025-11 now.",
        "4 questions joined the training set.",
        "4 from newer: 3 test, 1 later.",
        "3 verified questions left the test set; they are kept in "
        "clean/build/earlier/human_verified_test_2025-08.jsonl.",
        "train.jsonl                        5",
        "val.jsonl                          0",
        "test.jsonl                         3",
        "later.jsonl                        1",
        "longitudinal_test.jsonl            2",
    ]
    before = written("clean")
    assert run(("tasks", "refresh", "clean", "--today", "2025-11-30")) == 1
    assert capsys.readouterr().err == (
        "webenv: error: day '2025-11-30': clean was refreshed as of 2025-12-01; the windows do not slide back, name "
        "that or a later one.\n"
    )
    assert written("clean") == before


def test_refresh_bad_input(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder that no build wrote is refused; so is building into one that was refreshed."""
    assert run(("tasks", "refresh", "web", "--today", "2025-12-01")) == 1
    assert capsys.readouterr().err == "webenv: error: web holds no questions of 'webenv tasks build livenews'.\n"
    assert run(("tasks", "refresh", "clean", "--today", "2025-12-01")) == 0
    with serve(replies()) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        assert run((*NEWS, "--out", "clean")) == 1
    assert "clean was refreshed: build into another folder" in capsys.readouterr().err


def test_prompts_are_files_to_begin_with(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The prompts of a build are printed, the judge's last, and written as files that the build takes."""
    assert run(["tasks", "prompts", "needle", "--out", str(tmp_path / "prompts")]) == 0
    shown = capsys.readouterr().out
    assert shown.index("── claims") < shown.index("── masking") < shown.index("── entailment")
    files = prompt_files(tmp_path / "prompts", ("claims", "masking"))
    assert ClaimsQuestion(files["claims"]).prompt.from_file
    assert run(["tasks", "prompts", "neddle"]) == 1
    assert "Did you mean 'needle'?" in capsys.readouterr().err
