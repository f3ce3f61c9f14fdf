"""``webenv corpus`` on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from webenv.cli.app import run
from webenv.corpora import Manifest
from webenv.corpora.procedural import WebConfig, cached_corpus, corpus_cache
from webenv.corpora.procedural.cache import _cached

TEXT = "Neap tides come at half moon, when sun and moon pull at right angles to each other."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus folder that the command line built."""
    folder = tmp_path_factory.mktemp("cli")
    lines = [
        {"url": "https://sea.example/neap", "title": "Neap tides", "text": TEXT, "date": "2024-05-01"},
        {"url": "https://land.example/hill", "title": "Hills", "text": "A hill has no tides."},
    ]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n{broken\n")
    assert (
        run(["corpus", "build", str(folder / "c"), "--from", f"jsonl:{folder / 'pages.jsonl'}", "--workers", "1"]) == 0
    )
    return folder / "c"


def test_build_tells_what_it_built(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A build ends with a table of what there is and what was left out; --json is one object."""
    source = f"jsonl:{corpus.parent / 'pages.jsonl'}"
    target = str(corpus.parent / "again")
    assert run(["corpus", "build", target, "--from", source, "--workers", "1"]) == 0
    shown = capsys.readouterr()
    assert "1 skipped: 1 bad JSON line" in shown.out
    assert "built 2 pages" in shown.out
    assert run(["corpus", "build", target, "--from", source, "--workers", "1", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["pages"], record["skipped"], record["sources"]) == (2, {"bad JSON line": 1}, [source])


def test_info(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """info shows counts and sites, --verify checks every file."""
    assert run(["corpus", "info", str(corpus), "--verify"]) == 0
    shown = capsys.readouterr().out
    assert "files are what was written" in shown
    assert "sea.example" in shown
    assert run(["corpus", "info", str(corpus), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sites"] == {"land.example": 1, "sea.example": 1}


def test_realism(corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--realism shows the figures of several corpora side by side; a corpus of a few words is refused in one line."""
    pages = tmp_path / "pages.jsonl"
    lines = [
        {"url": f"https://a.example/{n}", "title": f"{n}", "text": f"In {n} came {'word ' * 900}"} for n in range(3)
    ]
    pages.write_text("\n".join(map(json.dumps, lines)))
    folder = str(tmp_path / "c")
    assert run(["corpus", "build", folder, "--from", f"jsonl:{pages}", "--workers", "1"]) == 0
    capsys.readouterr()
    assert run(["corpus", "info", folder, folder, "--realism"]) == 0
    assert "bits a character" in capsys.readouterr().out
    assert run(["corpus", "info", folder, "--realism", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[folder]["pages"] == 3
    assert run(["corpus", "info", folder, str(corpus), "--realism"]) == 1
    assert "words of prose; expected at least 2,000" in capsys.readouterr().err
    assert run(["corpus", "info", folder, folder]) == 1
    assert "go with --realism" in capsys.readouterr().err


def test_search(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """search prints title, URL and snippet; site, date and number of results can be limited."""
    assert run(["corpus", "search", str(corpus), "neap moon"]) == 0
    shown = capsys.readouterr().out
    assert "1. Neap tides" in shown
    assert "https://sea.example/neap" in shown
    for options, urls in [
        ([], ["https://land.example/hill", "https://sea.example/neap"]),
        (["-k", "1"], ["https://land.example/hill"]),
        (["--site", "sea.example"], ["https://sea.example/neap"]),
        (["--as-of", "2024-12-31"], ["https://sea.example/neap"]),
        (["--as-of", "2023-12-31"], []),
    ]:
        assert run(["corpus", "search", str(corpus), "tides", "--json", *options]) == 0
        assert [hit["url"] for hit in json.loads(capsys.readouterr().out)["results"]] == urls
    assert run(["corpus", "search", str(corpus), "zebra"]) == 0
    assert capsys.readouterr().out == "nothing was found\n"


def test_results_fit_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result is a title, an address that is whole, and a snippet on two lines at most; what is cut ends in …."""
    address = "https://sea.example/" + "a" * 90
    record = {"url": address, "title": "Neap", "text": "潮" * 300}
    (tmp_path / "pages.jsonl").write_text(json.dumps(record) + "\n")
    assert (
        run(["corpus", "build", str(tmp_path / "c"), "--from", f"jsonl:{tmp_path / 'pages.jsonl'}", "--workers", "1"])
        == 0
    )
    monkeypatch.setenv("COLUMNS", "80")
    capsys.readouterr()
    assert run(["corpus", "search", str(tmp_path / "c"), "neap"]) == 0
    wide = "潮" * 37  # of two columns each
    assert capsys.readouterr().out.splitlines() == [" 1. Neap", f"    {address}", f"    {wide}", f"    {wide} …"]


def test_the_digest_is_whole(corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On a narrow screen too, a digest is one word."""
    monkeypatch.setenv("COLUMNS", "40")
    assert run(["corpus", "info", str(corpus)]) == 0
    assert f"digest  {Manifest.read(corpus).digest}\n" in capsys.readouterr().out


def test_visit(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """visit prints a page, under any form of its URL."""
    assert run(["corpus", "visit", str(corpus), "http://www.sea.example/neap/"]) == 0
    assert capsys.readouterr().out == f"Neap tides\nhttps://sea.example/neap  2024-05-01\n\n{TEXT}\n"
    assert run(["corpus", "visit", str(corpus), "sea.example/neap", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["text"] == TEXT


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["info", "{nowhere}"], "there is no corpus at"),
        (["search", "{nowhere}", "x"], "there is no corpus at"),
        (["visit", "{corpus}", "https://sea.example/none"], "has no page at 'https://sea.example/none'"),
        (["search", "{corpus}", "x", "--as-of", "soon"], "--as-of 'soon': expected an ISO date"),
        (["search", "{corpus}", "x", "--engine", "lucene:k1=abc"], "k1 is 'abc'; expected a number from 0."),
        (["search", "{corpus}", "x", "--engine", "lucene:b=2"], "b is '2'; expected a number from 0 to 1."),
        (
            ["search", "{corpus}", "x", "--engine", "dense:memory=1.5"],
            "memory is '1.5'; expected a whole number from 0.",
        ),
        (["search", "{corpus}", "x", "--engine", "dense:queries="], "queries is ''; expected a text."),
        (["index", "{corpus}", "dens"], "there is no engine 'dens' to add. Did you mean 'dense'?"),
        (["index", "{corpus}", "hybrid"], "Add what it fuses (lucene, dense), then search --engine hybrid."),
        (["index", "{corpus}", "tantivy"], "Every corpus has tantivy; lucene, dense and maxscore are added."),
        (["build", "{nowhere}", "--from", "htlm:x"], "unknown source 'htlm:x'"),
        (["build", "{nowhere}"], "--from"),
        (["search", "{corpus}", "x", "-k", "0"], "-k"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be done is said in one line on stderr, with exit code 1."""
    filled = [argument.format(nowhere=tmp_path / "nowhere", corpus=corpus) for argument in arguments]
    assert run(["corpus", *filled]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert message in shown.err


def name(seed: int) -> str:
    return "procedural:pages=60" + (",seed=1" if seed else "")


def test_the_cache_is_told_of_and_cleared(webenv: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command names the webs that are kept, their size and last use; --clear removes them."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    for seed in range(2):
        cached_corpus(WebConfig(pages=60, seed=seed))
        (web,) = [web for web in corpus_cache().webs() if web.web == name(seed)]
        os.utime(corpus_cache().lock(web.name), (1_800_000_000 + 60 * seed,) * 2)
    _cached.cache_clear()
    told = json.loads(webenv("corpus", "cache", "--json").stdout)
    assert (told["folder"], told["webs"], told["removed"]) == (str(tmp_path / "cache" / "procedural"), 2, 0)
    assert told["bytes"] > 100_000
    assert [(web["web"], web["current"]) for web in told["each"]] == [(name(1), True), (name(0), True)]
    assert sum(web["bytes"] for web in told["each"]) == told["bytes"]
    lines = webenv("corpus", "cache").stdout.splitlines()[1:]
    assert lines[0].split() == ["web", "MB", "last", "used", "(UTC)"]
    assert [line.split()[0] for line in lines[1:]] == [name(1), name(0)]
    assert lines[1].split()[2:] == told["each"][0]["used"].split()
    size = f"{told['bytes'] / 1e6:,.1f} MB"
    assert webenv("corpus", "cache", "--clear").stdout == f"{told['folder']}: 0 webs, 0.0 MB; {size} removed\n"
    assert webenv("corpus", "cache").stdout == f"{told['folder']}: 0 webs, 0.0 MB\n"
