"""Lines of JSON are pages; lines that are none are counted by their number."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora import Corpus, build, parse_source
from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest import JsonLines, id_address
from webenv.errors import CorpusError
from webenv.observations import Page
from webenv.urls import key_of
from webenv.web import VisitRequest


def line(number: int) -> bytes:
    return json.dumps({"url": f"https://a.example/{number}", "text": "t"}).encode() + b"\n"


def told(path: Path) -> list[str]:
    return [
        page.url[18:] if isinstance(page, SourcePage) else f"{page.reason} {page.origin.rpartition(':')[2]}"
        for page in JsonLines(path)
    ]


def test_lines_of_json(tmp_path: Path) -> None:
    """Text comes before HTML, a byte order mark is dropped, and broken lines are told by number."""
    path = tmp_path / "pages.jsonl"
    lines = [
        {
            "url": "https://a.example",
            "text": "t",
            "html": "h",
            "title": "T",
            "date": "2024-01-02",
            "aliases": ["https://b.example"],
        },
        {"url": "https://a.example/2", "text": "", "html": "<p>h</p>", "more": 1},
    ]
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(map(json.dumps, lines)).encode() + b"\n\n{\n\xff\n" + b"[" * 10**5)
    origin = f"jsonl:{path}"
    assert list(JsonLines(path)) == [
        SourcePage(
            "https://a.example", "T", "t", date="2024-01-02", aliases=("https://b.example",), origin=f"{origin}:1"
        ),
        SourcePage("https://a.example/2", html="<p>h</p>", origin=f"{origin}:2"),
        Skipped("bad JSON line", f"{origin}:4"),
        Skipped("bad JSON line", f"{origin}:5"),
        Skipped("bad JSON line", f"{origin}:6"),
    ]


def test_bad_lines(tmp_path: Path) -> None:
    """NUL bytes, invalid UTF-8, huge numbers, other values and missing parts each cost their line alone."""
    path = tmp_path / "a.jsonl"
    bad = [
        b'{"url": "https://a.example/\0", "text": "t"}',
        b'{"url": "https://a.example/\xff", "text": "t"}',
        b"\0\0\0",
        b'{"url": ' + b"1" * 6_000 + b"}",
        b"null",
        b'["url"]',
        b'{"text": "t"}',
        b'{"url": 5, "text": "t"}',
        b'{"url": "https://a.example", "text": 5}',
        b'{"url": "https://a.example"',
    ]
    path.write_bytes(line(1) + b"\n".join(bad) + b"\n" + line(2))
    assert told(path) == [
        "1",
        "bad JSON line 2",
        "bad JSON line 3",
        "bad JSON line 4",
        "bad JSON line 5",
        "record is no JSON object 6",
        "record is no JSON object 7",
        "record without url or id 8",
        "record without url or id 9",
        "record without text or html 10",
        "bad JSON line 11",
        "2",
    ]


def test_ids_and_other_names(tmp_path: Path) -> None:
    """An id is the address of a record that has no other, and leads to those that have; parts can be named."""
    path = tmp_path / "pages.jsonl.gz"
    records = [{"id": 7, "contents": "a"}, {"docid": "x/y", "contents": "b", "url": "https://b.example/"}]
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, records)).encode()))
    assert [(page.url, page.text, page.aliases) for page in JsonLines(path) if isinstance(page, SourcePage)] == [
        ("https://pages.example/7", "a", ()),
        ("https://b.example/", "b", ("https://pages.example/x%2Fy",)),
    ]
    named = parse_source(f"jsonl:{path}@https://c.example?id=docid&text=contents")
    assert named.spec == f"jsonl:{path}@https://c.example?text=contents&id=docid"
    assert [page.url if isinstance(page, SourcePage) else page.reason for page in named] == [
        "record without url or id",
        "https://b.example/",
    ]
    build(tmp_path / "corpus", [f"jsonl:{path}@https://c.example"], workers=1)
    with Corpus.open(tmp_path / "corpus") as corpus:
        (page,) = corpus.visit([VisitRequest(id_address("https://c.example/", "x/y"))])
    assert isinstance(page, Page)
    assert page.url == "https://b.example/"


@given(st.lists(st.text(min_size=1, max_size=12).map(str.strip).filter(bool), min_size=2, max_size=2, unique=True))
def test_ids_have_addresses_of_their_own(identifiers: list[str]) -> None:
    """Any two ids have two addresses, with two keys."""
    first, second = (key_of(id_address("https://a.example/", identifier)) for identifier in identifiers)
    assert first is not None
    assert first != second


@pytest.mark.parametrize(
    ("pack", "kind"), [(gzip.compress, "gzip"), (zstandard.ZstdCompressor(write_checksum=True).compress, "zstd")]
)
def test_compressed_files(pack: object, kind: str, tmp_path: Path) -> None:
    """gzip and zstd of one or several parts are read; of one that is cut off or corrupt, what stands before that."""
    assert callable(pack)
    path = tmp_path / "a.jsonl.gz"
    lines = [line(number) for number in range(3)]
    path.write_bytes(b"".join(map(pack, lines)))
    assert told(path) == ["0", "1", "2"]
    many = [line(number) for number in range(60_000)]
    whole = pack(b"".join(many))
    path.write_bytes(whole[: len(whole) // 2])
    *read, last = told(path)
    assert 1_000 < len(read) < 60_000
    assert read == [str(number) for number in range(len(read))]
    assert last == f"truncated {kind} file {len(read) + 1}"
    path.write_bytes(pack(lines[0]) + whole[: len(whole) // 2] + b"\xff" * 100 + whole[len(whole) // 2 + 100 :])
    *read, last = told(path)
    assert len(read) > 1_000
    assert last == f"corrupt {kind} file {len(read) + 1}"


def test_a_line_that_is_too_long_is_not_held(tmp_path: Path) -> None:
    """A line of 120 MB, even in 12 kB of zstd, is passed over in bounded memory."""
    path = tmp_path / "a.jsonl.zst"
    long = b'{"url": "https://a.example/x", "text": "' + b"a" * 120_000_000 + b'"}\n'
    path.write_bytes(zstandard.compress(line(1) + long + line(3)))
    del long
    tracemalloc.start()
    found = told(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found == ["1", "line too long 2", "3"]
    assert peak < 250_000_000


def test_a_folder_of_lines(tmp_path: Path) -> None:
    """Files come in the order of their paths; others are left aside; a change of any changes the stamp."""
    (tmp_path / "b.jsonl").write_bytes(line(2))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line(1)))
    (tmp_path / "notes.txt").write_bytes(b"x")
    assert told(tmp_path) == ["1", "2"]
    stamp = JsonLines(tmp_path).stamp()
    assert stamp == JsonLines(tmp_path).stamp()
    (tmp_path / "c.jsonl").write_bytes(line(3))
    assert stamp != JsonLines(tmp_path).stamp()


def test_what_is_not_there(tmp_path: Path) -> None:
    """A missing file, and a folder without such files, are told at once."""
    with pytest.raises(CorpusError, match="cannot be read: No such file or directory"):
        JsonLines(tmp_path / "none.jsonl")
    with pytest.raises(CorpusError, match=r"holds no \.jsonl file"):
        JsonLines(tmp_path)
