"""``--cassette`` of ``webenv eval``, and ``webenv cassette``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.evaluation.test_recording import moody
from tests.openai_server import serve
from webenv.cassette import Cassette
from webenv.cli.app import run
from webenv.corpora import Corpus
from webenv.corpora.sample.web import sample_web

SAMPLE = ("eval", "NeedleInWeb-v0", "--web", "sample", "--difficulty", "easy")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with no endpoint set."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def record(tape: str = "tape.db", policy: str = "keyword") -> None:
    words = (*SAMPLE, "--policy", policy, "--cassette", tape, "--cassette-mode", "record", "--out", f"{tape}-{policy}")
    assert run(words) == 0


def test_recorded_then_replayed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run with an agent and a judge at an endpoint is replayed when the endpoint and its key are gone."""
    words = (*SAMPLE, "--judge", "llm:judge", "--policy", "react:agent", "--attempts", "2", "--cassette", "tape.db")
    with serve(moody()) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-very-secret-key")
        assert run((*words, "--cassette-mode", "record", "--out", "live", "--json")) == 0
        assert run((*words, "--cassette-mode", "strict", "--out", "strict", "--json")) == 0
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert run((*words, "--out", "again", "--json")) == 0
    assert run((*words, "--out", "again", "--resume", "--json")) == 0
    summaries = [json.loads(line) | {"folder": "", "usage": {}} for line in capsys.readouterr().out.splitlines()]
    assert summaries == [summaries[0]] * 4
    episodes = {name: (folder / name / "episodes.jsonl").read_bytes() for name in ("live", "strict", "again")}
    assert episodes == dict.fromkeys(episodes, episodes["live"])
    assert b"very-secret" not in (folder / "tape.db").read_bytes()
    runs = [json.loads((folder / name / "run.json").read_text()) for name in ("live", "again")]
    assert runs[0]["cassettes"][0]["digest"] == runs[1]["cassettes"][0]["digest"] == Cassette("tape.db").digest
    assert [run.pop("cassettes")[0]["mode"] for run in runs] == ["record", "replay"]
    assert sorted(runs[0].pop("usage")) == ["agent", "judge"]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cassette", "none.db"), "there is no cassette at 'none.db'; record one (--cassette-mode record)."),
        (("--cassette-mode", "record"), "--cassette-mode record needs --cassette FILE."),
        (("--cassette", "x.db", "--cassette-mode", "reply"), "--cassette-mode 'reply'. Did you mean 'replay'?"),
    ],
)
def test_never_live_by_mistake(
    words: tuple[str, ...], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a mode nothing is asked: a file that is not there is an error, and stays away."""
    assert run((*SAMPLE, "--policy", "keyword", *words)) == 1
    assert capsys.readouterr().err == f"webenv: error: {message}\n"
    assert list(folder.iterdir()) == []


def test_miss(capsys: pytest.CaptureFixture[str]) -> None:
    """A policy that asks what is not recorded ends with one line, which shows the nearest; recorded, it goes on."""
    record()
    words = (*SAMPLE, "--policy", "investigator", "--cassette", "tape.db", "--out", "other")
    assert run(words) == 1
    error = capsys.readouterr().err
    assert error.startswith("webenv: error: cassette 'tape.db' holds no answer to visit {")
    assert "The nearest visit it holds is {" in error
    assert error.endswith("use mode 'record' (--cassette-mode record).\n")
    assert error.count("\n") == 1
    assert run((*words, "--resume", "--cassette-mode", "record")) == 0
    assert run((*words, "--resume")) == 0


def test_info(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A cassette is described: what it holds, of whom, and its digest, which is whole on a narrow screen too."""
    monkeypatch.setenv("COLUMNS", "40")
    record()
    capsys.readouterr()
    assert run(("cassette", "info", "tape.db", "--json")) == 0
    info = json.loads(capsys.readouterr().out)
    assert set(info["answers"]) == {"search", "visit"}
    assert [one["identity"]["name"] for one in info["answerers"]] == ["corpus"]
    assert (info["format"], info["digest"]) == (2, Cassette("tape.db").digest)
    assert run(("cassette", "info", "tape.db")) == 0
    shown = capsys.readouterr().out
    assert f"answers to search  {info['answers']['search']}" in shown
    assert info["digest"] in shown


def test_export_and_import(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An export is one answer a line, for people to read; imported, it is the same cassette."""
    record()
    with Cassette("tape.db", "record") as tape:
        tape.register("judge", {"name": "never asked"})
        tape.add([], {})
    capsys.readouterr()
    assert run(("cassette", "export", "tape.db", "--out", "tape.jsonl")) == 0
    lines = [json.loads(line) for line in (folder / "tape.jsonl").read_text().splitlines()]
    assert [one["role"] for one in lines[0]["answerers"]] == ["web", "judge"]
    assert list(lines[1]) == ["kind", "request", "sample", "response", "by", "recorded", "key", "failed"]
    assert (lines[1]["kind"], list(lines[1]["request"])) == ("search", ["limit", "query"])
    assert run(("cassette", "import", "new.db", "tape.jsonl", "--json")) == 0
    done = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert done["digest"] == Cassette("tape.db").digest == Cassette("new.db").digest
    assert (done["added"], done["same"], done["other"]) == (len(lines) - 1, 0, 0)
    words = (*SAMPLE, "--policy", "keyword", "--cassette", "new.db", "--out", "again")
    assert run(words) == 0
    assert (folder / "again/episodes.jsonl").read_bytes() == (folder / "tape.db-keyword/episodes.jsonl").read_bytes()


def test_merge(capsys: pytest.CaptureFixture[str]) -> None:
    """Two cassettes are merged by importing one into the other."""
    record("one.db")
    record("two.db", "investigator")
    capsys.readouterr()
    assert run(("cassette", "import", "both.db", "one.db", "two.db", "--json")) == 0
    merged = json.loads(capsys.readouterr().out)
    assert merged["same"] > 0
    for policy in ("keyword", "investigator"):
        assert run((*SAMPLE, "--policy", policy, "--cassette", "both.db", "--out", f"both-{policy}")) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "bad.jsonl, line 2 is no line of an export"),
        ("[]", "line 2 is no line of an export"),
        ('{"kind":"search"}', "line 2 is no line of an export"),
        ('{"cassette":3}', "it is an export of format 3, not 2"),
        (
            '{"kind":"search","request":{},"sample":0,"response":[],"by":{"name":"a"},"recorded":"","key":"0a"}',
            "the key '0a' is not that of the request",
        ),
        (
            '{"kind":"search","request":{},"sample":0,"response":[],"by":{"name":"a"},"recorded":"","failed":true}',
            "a failure of a web that this webenv cannot read",
        ),
        ('{"kind":"x","request":{},"sample":0,"response":[],"by":{"name":"a"},"recorded":""}', "kind 'x', sample 0"),
        (
            '{"kind":"visit","request":{},"sample":0,"response":[],"by":{"name":"a"},"recorded":""}',
            "an answer to visit",
        ),
        ('{"kind":"search","request":{},"sample":-1,"response":[],"by":{"name":"a"},"recorded":""}', "sample -1"),
        ('{"kind":"search","request":{},"sample":0,"response":[],"by":{},"recorded":""}', "who answered is {}"),
    ],
)
def test_bad_exports(line: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line that is none of an export is named by its number and what is wrong with it."""
    (folder / "bad.jsonl").write_text(f'{{"cassette":1,"answerers":[]}}\n{line}\n')
    assert run(("cassette", "import", "new.db", "bad.jsonl")) == 1
    error = capsys.readouterr().err
    assert error.startswith("webenv: error: bad.jsonl, line 2 ")
    assert message in error
    assert error.count("\n") == 1


def test_what_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Sources, files and kinds that are none are one line each."""
    record()
    for words, message in (
        (("import", "new.db", "none.jsonl"), "'none.jsonl' cannot be read: No such file or directory."),
        (("info", "none.db"), "there is no cassette at 'none.db'"),
        (("export", "tape.db", "--kind", "seek"), "--kind 'seek'"),
        (("export", "tape.db", "--out", "no/where.jsonl"), "--out 'no/where.jsonl' cannot be written"),
    ):
        capsys.readouterr()
        assert run(("cassette", *words)) == 1
        assert message in capsys.readouterr().err


def test_two_policies_on_one_tape(folder: Path) -> None:
    """Runs that recorded on one tape in turn name the same digest, that of the tape at the end, as their replays do."""
    words = (*SAMPLE, "--policy", "keyword", "--policy", "investigator", "--cassette", "tape.db")
    assert run((*words, "--cassette-mode", "record", "--out", "live")) == 0
    assert run((*words, "--out", "again")) == 0
    files = [folder / top / name / "run.json" for top in ("live", "again") for name in ("keyword", "investigator")]
    digests = [json.loads(file.read_text())["cassettes"][0]["digest"] for file in files]
    assert digests == [Cassette("tape.db").digest] * 4


def test_a_clock_and_a_tape_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A budget of seconds together with a cassette is one line, before anything is recorded or replayed."""
    record()
    capsys.readouterr()
    for mode in ("record", "replay", "strict"):
        words = ("--budget", "seconds=2", "--cassette", "tape.db", "--cassette-mode", mode, "--out", mode)
        assert run((*SAMPLE, "--policy", "keyword", *words)) == 1
        assert capsys.readouterr().err == (
            "webenv: error: budget seconds=2 with cassette 'tape.db': a run that depends on a clock "
            "cannot be replayed; leave out the seconds, or the cassette, or make seconds data: latency=default "
            "draws those that the tape does not hold.\n"
        )
        assert not (folder / mode).exists()
    words = ("--budget", "seconds=60", "--cassette", "tape.db", "--cassette-mode", "live")
    assert run((*SAMPLE, "--policy", "keyword", *words, "--out", "live")) == 0


def test_no_key_in_the_name_of_a_web(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A live web whose name holds a key is refused in a replay too, where it is not opened; run.json never has it."""
    record()
    capsys.readouterr()
    words = ("eval", "NeedleInWeb-v0", "--web", "live:tavily,key=tvly-SECRET123", "--tasks", "x", "--policy", "keyword")
    assert run((*words, "--cassette", "tape.db", "--out", "again")) == 1
    error = capsys.readouterr().err
    assert "a key in a name would be recorded; set TAVILY_API_KEY instead" in error
    assert "SECRET123" not in error
    assert not (folder / "again").exists()


def test_the_web_is_closed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of an evaluation its web is closed, behind a tape or not."""
    closed: list[Corpus] = []
    monkeypatch.setattr(Corpus, "close", lambda corpus: closed.append(corpus))
    assert run((*SAMPLE, "--policy", "keyword", "--out", "plain")) == 0
    record()
    assert closed == [sample_web()] * 2
