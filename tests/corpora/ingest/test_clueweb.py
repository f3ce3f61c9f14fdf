"""Texts of ClueWeb22 are pages at their URLs, and are found by their ids too."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from webenv.corpora import Corpus, build, parse_source
from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest import id_address
from webenv.errors import CorpusError
from webenv.observations import Page
from webenv.web import VisitRequest

FIRST = "clueweb22-en0000-00-00000"


def write_tree(root: Path) -> Path:
    records = [
        {
            "URL": "https://a.example/x\n",
            "URL-hash": "0A1B",
            "Language": "en",
            "ClueWeb22-ID": FIRST,
            "Clean-Text": "\nA lighthouse\nIt stands at the sea.",
        },
        {"URL": "", "ClueWeb22-ID": "clueweb22-en0000-00-00001", "Clean-Text": "x" * 300},
        {"URL": "https://a.example/y", "Clean-Text": "x"},
        {"URL": "https://a.example/y", "ClueWeb22-ID": "clueweb22-en0000-00-00003", "Clean-Text": None},
    ]
    lines = "\n".join(map(json.dumps, records)) + "\n{\n"
    for kind, name in (("txt", "en0000-00.json.gz"), ("inlink", "en0000-00.json.gz"), ("txt", "en0000-00.offset")):
        folder = root / kind / "en" / "en00" / "en0000"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(gzip.compress(lines.encode()))
    return root / "txt" / "en" / "en00" / "en0000" / "en0000-00.json.gz"


def test_the_tree_of_the_data_set(tmp_path: Path) -> None:
    """Named by its root, its texts or one file, the same pages come; a page without URL stands at its id."""
    path = write_tree(tmp_path)
    origin = f"clueweb:{path}"
    expected = [
        SourcePage(
            "https://a.example/x",
            "A lighthouse",
            "\nA lighthouse\nIt stands at the sea.",
            aliases=(f"https://clueweb22.example/{FIRST}",),
            origin=f"{origin}:1",
        ),
        SourcePage("https://clueweb22.example/clueweb22-en0000-00-00001", "", "x" * 300, origin=f"{origin}:2"),
        Skipped("record without ClueWeb22-ID", f"{origin}:3"),
        Skipped("record without Clean-Text", f"{origin}:4"),
        Skipped("bad JSON line", f"{origin}:5"),
    ]
    for named in (tmp_path, tmp_path / "txt", path):
        assert list(parse_source(f"clueweb:{named}")) == expected


def test_ids_lead_to_pages(tmp_path: Path) -> None:
    """A corpus is visited by id: what relevance judgements name."""
    path = write_tree(tmp_path / "cw")
    build(tmp_path / "corpus", [f"clueweb:{path}"], workers=1)
    with Corpus.open(tmp_path / "corpus") as corpus:
        (page,) = corpus.visit([VisitRequest(id_address("https://clueweb22.example/", FIRST))])
    assert isinstance(page, Page)
    assert (page.url, page.title) == ("https://a.example/x", "A lighthouse")


def test_no_texts_there(tmp_path: Path) -> None:
    """A folder without such files is refused."""
    with pytest.raises(CorpusError, match=r"holds no \.json\.gz file"):
        parse_source(f"clueweb:{tmp_path}")
