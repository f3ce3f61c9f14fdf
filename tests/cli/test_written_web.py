"""``webenv corpus build --writer``: a web written anew by a scripted model that errs, stopped, resumed and played."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.envs.building.scripted_writer import UNPARSED, ScriptedWriter
from tests.openai_server import Fault, OpenAIServer, Script, serve
from webenv.cli.app import run
from webenv.corpora import Corpus, Manifest
from webenv.corpora.markdown import LINK
from webenv.corpora.procedural import WebConfig, generated_web
from webenv.envs.building.writing.check import SentenceCheck
from webenv.serving.sites import open_sites

WEB = "procedural:pages=60,seed=1,split=test"


def built(script: Script, *words: str, source: str = WEB, folder: str = "web") -> tuple[int, OpenAIServer]:
    with serve(script) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key")
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        return run(("corpus", "build", folder, "--from", source, "--writer", "scribe", *words)), server


def text_of(folder: str | Path) -> str:
    with Corpus.open(folder, 1) as corpus:
        return LINK.sub(r"\1", "\n".join(page.text for page in corpus.pages()))


class Written(NamedTuple):
    """A web written by a model that errs on a fifth of the pages; the build stopped at its cost limit and went on."""

    folder: Path
    writer: ScriptedWriter
    stopped: int
    requests: int


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("written")
    (folder / "prices.json").write_text('{"scribe": {"input": 1000, "output": 0}}')
    limit = ("--prices", str(folder / "prices.json"), "--cost-limit", "0.15", "--parallel", "2")
    writer = ScriptedWriter()
    stopped, first = built(writer.script(), *limit, folder=str(folder / "web"))
    assert not (folder / "web").exists()
    code, second = built(writer.script(), folder=str(folder / "web"))
    assert code == 0
    return Written(folder / "web", writer, stopped, len(first.requests) + len(second.requests))


def test_what_can_be_parsed_is_found(written: Written) -> None:
    """No error that can be parsed comes through; an invented fact without a name, number or value does."""
    every = text_of(written.folder)
    through = {error: [text in every for text in some if text] for error, some in written.writer.wrong.items()}
    assert sum(len(some) for error, some in through.items() if error not in UNPARSED) >= 5
    assert not any(any(some) for error, some in through.items() if error not in UNPARSED)
    assert all(all(some) for error, some in through.items() if error in UNPARSED)


def test_the_manifest_says_who_wrote(written: Written) -> None:
    """The manifest has the model, and how many sentences on how many pages are its own."""
    made = Manifest.read(written.folder).extractor
    assert re.search(r"; written by scribe, \d+ of \d+ sentences on \d+ of 60 pages$", made)
    assert "By all accounts, " in text_of(written.folder)


@pytest.mark.slow
def test_tasks_keep_their_keys(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    """Tasks of the web are asked on the folder, and who knows their keys answers right."""
    played = ["eval", "NeedleInWeb-v0", "--web", str(written.folder), "--split", "test", "--policy", "oracle"]
    assert run([*played, "--episodes", "3", "--out", str(written.folder.parent / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["total"]["success_rate"] == 1.0


def test_served_as_it_was_written(written: Written) -> None:
    """Served as websites, its pages have the text that was written."""
    with Corpus.open(written.folder, 1) as corpus:
        page = next(page for page in corpus.pages() if "By all accounts, " in page.text)
    assert "By all accounts, " in open_sites(str(written.folder)).find(page.url).html


def test_nothing_is_paid_twice(written: Written) -> None:
    """A build that stopped at its cost limit asks for what it has not: for each page once, and for what was wrong."""
    asked = written.writer.asked
    assert written.stopped == 1
    assert sum(asked.values()) == written.requests
    web = generated_web(WebConfig.parse(WEB))
    check = SentenceCheck(web)  # a page with a slip of the pen in what it tells cannot be checked, and stays as it is
    able = [number for number in range(60) if check.page(number).sentences]
    assert set(asked) == {web.plan(number).title for number in able}
    assert len(able) > 57
    wrong = sum(map(len, written.writer.wrong.values()))
    assert written.requests <= 60 + wrong


def test_what_cannot_be_written_stays_or_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a judge finds wrong each time stays as it was generated; with --on-fail drop its page is left out, and tasks
    that could ask for it are refused."""
    monkeypatch.chdir(tmp_path)
    writer = ScriptedWriter(share=0.1, errors=["a plain fact is invented"], always=True)
    assert built(writer.script(), "--judge", "critic", "--attempts", "2")[0] == 0
    every = text_of("web")
    assert not any(text in every for text in writer.wrong["a plain fact is invented"])
    web = generated_web(WebConfig.parse(WEB))
    spoilt = [number for number in range(60) if writer.asked[web.plan(number).title] > 1]
    assert Manifest.read(Path("web")).pages == 60
    assert built(writer.script(), "--judge", "critic", "--attempts", "2", "--on-fail", "drop")[0] == 0
    manifest = Manifest.read(Path("web"))
    assert spoilt
    assert (manifest.pages, manifest.skipped) == (60 - len(spoilt), {"page not written": len(spoilt)})
    capsys.readouterr()
    assert run(["eval", "NeedleInWeb-v0", "--web", "web", "--split", "test", "--episodes", "1"]) == 1
    assert f"lacks {len(spoilt)} pages that were not written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "words", "source", "message"),
    [
        (lambda _: "I would rather not.", (), WEB, "no sentence passes of 20 pages in a row, the last time as no "
         "sentence came; name another --writer"),
        (lambda _: Fault(401), (), WEB, "no reply for 20 pages in a row, the last time as model 'scribe' at "),
        (lambda _: "", (), "html:pages@https://a.example", "has no facts that its text could be checked against"),
        (lambda _: "", (), "procedural:pages=60,language=zh", "in English so far; expected language=en"),
        (lambda _: "", ("--on-fail", "sing"), WEB, "'sing': expected keep or drop"),
    ],
)  # fmt: skip
def test_bad_input(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    script: Script,
    words: tuple[str, ...],
    source: str,
    message: str,
) -> None:
    """What cannot be written is said in one line, and there is no corpus."""
    monkeypatch.chdir(tmp_path)
    assert built(script, *words, source=source)[0] == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
    assert not Path("web").exists()


def test_options_of_a_writer_need_one(capsys: pytest.CaptureFixture[str]) -> None:
    """--judge without --writer is refused."""
    assert run(["corpus", "build", "web", "--from", WEB, "--judge", "critic"]) == 1
    assert "--on-fail go with --writer MODEL" in capsys.readouterr().err
