"""Web archives give the pages that a crawler recorded, whatever happened to the files since."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from webenv.corpora import Corpus, build, parse_source
from webenv.corpora.document import Redirect, Skipped, SourcePage
from webenv.corpora.ingest import WebArchives
from webenv.corpora.prepare import prepare
from webenv.errors import CorpusError
from webenv.observations import Page
from webenv.web import VisitRequest

PAGE = b"<html><head><title>T</title></head><body><p>A page about lighthouses.</p></body></html>"
URL = "https://a.example/x"


def read(path: Path, data: bytes) -> list[SourcePage | Skipped]:
    path.write_bytes(data)
    return list(WebArchives(path))


def told(found: Sequence[SourcePage | Skipped]) -> list[str]:
    """The last part of each page's address; of what was skipped, the reason and where."""
    return [
        f"{item.reason} @{item.origin.rpartition('@')[2]}" if isinstance(item, Skipped) else item.url[18:]
        for item in found
    ]


def test_pages_of_an_archive(tmp_path: Path, record: Callable[..., bytes]) -> None:
    """HTML of responses and resources comes with its address, charset and id; redirects too; the rest is counted."""
    russian = "<html><p>маяк</p></html>".encode("cp1251")
    data = [
        record("", b"software: x", status="", kind="warcinfo"),
        record(URL, PAGE, headers=["content-type: Text/HTML; Charset='UTF-8'"]),
        record(URL, b"GET / HTTP/1.1\r\n", status="", kind="request"),
        record("<https://a.example/wget>", russian, headers=["Content-Type: text/html;charset=windows-1251"]),
        record("https://a.example/file", PAGE, status="", kind="resource"),
        record("https://a.example/bare", b"\n<!-- x -->\n<!DOCTYPE html><p>x", headers=[]),
        record("https://a.example/old", b"", "HTTP/1.1 301 Moved", ["Location: ../new#top"]),
        record("https://a.example/again", b"", "HTTP/1.1 302 Found", ["Location: /new"], kind="revisit"),
        record("https://a.example/same", b"", kind="revisit"),
        record("https://a.example/lf", b"", "HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>x", []),
        record("https://a.example/cw", PAGE, more=["ClueWeb22-ID: clueweb22-en0000-00-00004"]),
        record("https://a.example/lost", PAGE, "HTTP/1.1 404 Not Found"),
        record("https://a.example/pic", b"\x89PNG", headers=["Content-Type: image/png"]),
        record("https://a.example/unknown", b"%PDF-1.4", headers=[]),
        record("https://a.example/junk", b"", "no HTTP at all", []),
        record("dns:a.example", b"a.example. 300 IN A 127.0.0.1", status=""),
    ]
    path = tmp_path / "a.warc"
    found = read(path, b"".join(data))
    offsets = [f"warc:{path}@{sum(map(len, data[:number]))}" for number in range(len(data))]
    assert found == [
        SourcePage(URL, html=PAGE, origin=offsets[1], charset="UTF-8"),
        SourcePage("https://a.example/wget", html=russian, origin=offsets[3], charset="windows-1251"),
        SourcePage("https://a.example/file", html=PAGE, origin=offsets[4], charset="utf-8"),
        SourcePage("https://a.example/bare", html=b"\n<!-- x -->\n<!DOCTYPE html><p>x", origin=offsets[5]),
        SourcePage("https://a.example/old", origin=offsets[6], redirect="https://a.example/new#top"),
        SourcePage("https://a.example/again", origin=offsets[7], redirect="https://a.example/new"),
        Skipped("revisit record", offsets[8]),
        SourcePage("https://a.example/lf", html=b"<p>x\r\n\r\n", origin=offsets[9]),
        SourcePage(
            "https://a.example/cw",
            html=PAGE,
            aliases=("https://clueweb22.example/clueweb22-en0000-00-00004",),
            origin=offsets[10],
        ),
        Skipped("HTTP status that is no success", offsets[11]),
        Skipped("not HTML", offsets[12]),
        Skipped("not HTML", offsets[13]),
        Skipped("bad HTTP headers", offsets[14]),
    ]


def test_extracted_texts_are_pages(tmp_path: Path, record: Callable[..., bytes]) -> None:
    """The plain text of a conversion record is a text whose first line is its title."""
    data = record(URL, "Lighthouses\nThey stand at the séa.".encode(), status="", kind="conversion")
    (page,) = read(tmp_path / "a.warc.wet", data.replace(b"text/html; charset=utf-8", b"text/plain"))
    assert isinstance(page, SourcePage)
    assert (page.title, page.text) == ("Lighthouses", "Lighthouses\nThey stand at the séa.")


def deflated(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def chunked(body: bytes) -> bytes:
    chunks = (body[place : place + 30] for place in range(0, len(body), 30))
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


BROTLI = bytes.fromhex(  # of PAGE, by the library of its authors
    "1b5600c89c07764c9894081cede9354f1015da7a812b1fba76f1616b031b70e0"
    "d08203ed834fbca72c1425a3516c0f2f7fee20c203cb12d59be052d054f94059"
)


@pytest.mark.parametrize(
    ("headers", "body", "html"),
    [
        (["Content-Encoding: gzip"], gzip.compress(PAGE), PAGE),
        (["Content-Encoding: x-gzip"], gzip.compress(PAGE), PAGE),
        (["Content-Encoding: deflate"], zlib.compress(PAGE), PAGE),
        (["Content-Encoding: deflate"], deflated(PAGE), PAGE),
        (["Content-Encoding: br"], BROTLI, PAGE),
        (["Content-Encoding: zstd"], zstandard.compress(PAGE), PAGE),
        (["Transfer-Encoding: chunked"], chunked(PAGE), PAGE),
        (["Transfer-Encoding: chunked", "Content-Encoding: gzip"], chunked(gzip.compress(PAGE)), PAGE),
        (["Content-Encoding: deflate, gzip"], gzip.compress(zlib.compress(PAGE)), PAGE),
        (["Content-Encoding: utf-8"], PAGE, PAGE),
        (["Content-Encoding: gzip"], PAGE, PAGE),
        (["Content-Encoding: br"], PAGE, PAGE),
        (["Transfer-Encoding: chunked"], PAGE, PAGE),
        (["Transfer-Encoding: chunked"], chunked(PAGE * 20)[:-80], (PAGE * 20)[:1_024]),
        (["Content-Encoding: gzip"], b"\0\1\2\3" * 50, None),
    ],
)
def test_encodings_are_taken_off(
    headers: list[str], body: bytes, html: bytes | None, tmp_path: Path, record: Callable[..., bytes]
) -> None:
    """gzip, deflate of both sorts, zstd, chunks; a body that its headers lie about is taken as it is, if it is HTML."""
    (page,) = read(tmp_path / "a.warc", record(URL, body, headers=["Content-Type: text/html", *headers]))
    if html is None:
        assert isinstance(page, Skipped)
        assert page.reason == "undecodable body"
    else:
        assert isinstance(page, SourcePage)
        assert page.html == html


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("nothing", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]),
        ("cut off", ["0", "1", "2", "3", "4", "truncated record @5"]),
        ("cut short", ["0", "1", "2", "3", "4", "corrupt record @5", "6", "7", "8", "9"]),
        ("zeros", ["0", "1", "2", "3", "4", "corrupt record @4", "6", "7", "8", "9"]),
        ("zeros first", ["corrupt record @0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]),
        ("zeros last", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "corrupt record @8"]),
        ("between", ["0", "1", "2", "3", "4", "corrupt record @4", "5", "6", "7", "8", "9"]),
    ],
)
def test_a_damaged_file_is_read_on(
    compressed: bool, damage: str, expected: list[str], tmp_path: Path, records: dict[bool, list[bytes]]
) -> None:
    """What is damaged is counted with its place, once, and costs no more than the records that it touches."""
    parts = list(records[compressed])
    starts = {str(sum(map(len, parts[:number]))): str(number) for number in range(10)}
    if damage == "cut off":
        parts = [*parts[:5], parts[5][:700]]
    elif damage == "cut short":
        parts[5] = parts[5][:700]
    elif damage.startswith("zeros"):
        place = {"zeros": 5, "zeros first": 0, "zeros last": 9}[damage]
        parts[place] = b"\0" * 100 + parts[place][100:]
    elif damage == "between":
        parts.insert(5, b"no record\r\n\r\n" * 30)
    found = told(read(tmp_path / f"a.warc{'.gz' if compressed else ''}", b"".join(parts)))
    named = [f"{item.partition('@')[0]}@{starts[item.partition('@')[2]]}" if "@" in item else item for item in found]
    assert named == expected


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize(
    "length", [b"Content-Length: 9999", b"Content-Length: 2", b"Content-Length: -", b"No-Length: "]
)
def test_a_wrong_length_swallows_nothing(
    length: bytes, compressed: bool, tmp_path: Path, records: dict[bool, list[bytes]], record: Callable[..., bytes]
) -> None:
    """A record that claims to be longer than it is, or to have no length, is counted, and all others are read."""
    for kind in ("response", "request"):
        bad = record(URL, PAGE, kind=kind).replace(b"Content-Length: ", length)
        parts = [*records[False][:5], bad, *records[False][5:]]
        found = read(tmp_path / "a.warc.gz", b"".join(map(gzip.compress, parts) if compressed else parts))
        assert [page.url[18:] for page in found if isinstance(page, SourcePage)] == list("0123456789")
        skipped = {page.reason for page in found if isinstance(page, Skipped)}
        assert skipped <= {"truncated record", "corrupt record", "bad HTTP headers"}
        assert skipped


@pytest.mark.parametrize(
    "data", [b"", b"<html>hello</html>" * 500, gzip.compress(b"<html>hello</html>" * 500), gzip.compress(b"x")[:8]]
)
def test_a_file_that_is_no_archive(data: bytes, tmp_path: Path) -> None:
    """It is counted as such."""
    path = tmp_path / "a.warc.gz"
    assert read(path, data) == [Skipped("not a WARC file", f"warc:{path}@0")]


def test_one_member_and_zstd(tmp_path: Path, records: dict[bool, list[bytes]]) -> None:
    """A file that is compressed as a whole is read as far as it goes; zstd frames as gzip members."""
    whole = gzip.compress(b"".join(records[False]))
    assert told(read(tmp_path / "a.warc.gz", whole)) == list("0123456789")
    cut = told(read(tmp_path / "a.warc.gz", whole[:6_000]))
    assert [item.partition(" @")[0] for item in cut] == ["0", "1", "2", "3", "truncated record"]
    frames = [zstandard.compress(part) for part in records[False]]
    frames[5] = frames[5][:200]
    found = told(read(tmp_path / "a.warc.zst", b"".join(frames)))
    assert [item.partition(" @")[0] for item in found] == [*"01234", "corrupt record", *"6789"]


def test_what_is_too_large_is_not_held(tmp_path: Path, record: Callable[..., bytes]) -> None:
    """A record of 200 MB, and a body that unpacks to as much, are passed over in a few megabytes of memory."""
    path = tmp_path / "a.warc.gz"
    head = record(URL, b"").removesuffix(b"\r\n\r\n")
    assert b"Content-Length: 44\r\n" in head
    head = head.replace(b"Content-Length: 44", b"Content-Length: 200000044")
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(200):
            file.write(b"a" * 1_000_000)
        file.write(b"\r\n\r\n")
    bomb = zlib.compressobj(1, zlib.DEFLATED, 31)
    packed = b"".join(bomb.compress(b"a" * 1_000_000) for _ in range(200)) + bomb.flush()
    with open(path, "ab") as file:
        file.write(gzip.compress(record(URL, packed, headers=["Content-Type: text/html", "Content-Encoding: gzip"])))
        file.write(gzip.compress(record("https://a.example/after", PAGE)))
    tracemalloc.start()
    found = told(list(WebArchives(path)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [item.partition(" @")[0] for item in found] == ["too large", "too large", "after"]
    assert peak < 70_000_000


def test_a_folder_of_archives(tmp_path: Path, records: dict[bool, list[bytes]]) -> None:
    """Files come in the order of their paths, twice the same; a change of one changes the stamp."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "0.warc").write_bytes(records[False][1])
    (tmp_path / "a.warc.gz").write_bytes(records[True][0])
    (tmp_path / "a.cdx").write_bytes(b"x")
    source = parse_source(f"warc:{tmp_path}")
    assert [page.url for page in source if isinstance(page, SourcePage)] == [
        "https://a.example/0",
        "https://a.example/1",
    ]
    assert list(source) == list(source)
    stamp = source.stamp()
    assert stamp == parse_source(f"warc:{tmp_path}").stamp()
    os.utime(tmp_path / "a.warc.gz", (1, 1))
    assert source.stamp() != stamp


def test_no_archive_there(tmp_path: Path) -> None:
    """A missing file and a folder without archives are told at once."""
    with pytest.raises(CorpusError, match="cannot be read: No such file or directory"):
        parse_source(f"warc:{tmp_path}/none.warc")
    with pytest.raises(CorpusError, match=r"holds no \.warc or \.warc\.gz file"):
        parse_source(f"warc:{tmp_path}")


def test_old_addresses_lead_to_pages(tmp_path: Path, record: Callable[..., bytes]) -> None:
    """Redirects become aliases, over several steps; one from http to https is none; ids of ClueWeb lead to pages."""
    moved = [
        ("http://a.example/x", "https://a.example/x"),
        ("https://a.example/old", "older"),
        ("https://a.example/older", "https://a.example/x"),
        ("https://a.example/gone", "https://b.example/"),
        ("https://a.example/mail", "mailto:me@a.example"),
    ]
    data = [record(url, b"", "HTTP/1.1 301 Moved", [f"Location: {target}"]) for url, target in moved]
    data.append(record(URL, PAGE, more=["WARC-TREC-ID: clueweb09-en0000-00-00001"]))
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(data))
    manifest = build(tmp_path / "corpus", [f"warc:{path}"], workers=1)
    assert (manifest.pages, manifest.aliases) == (1, 3)
    assert manifest.skipped == {"redirect to a page that is not here": 1, "redirect to no web address": 1}
    addresses = ["http://a.example/old", "http://clueweb09.example/clueweb09-en0000-00-00001", "http://a.example/gone"]
    with Corpus.open(tmp_path / "corpus") as corpus:
        visited = corpus.visit([VisitRequest(address) for address in addresses])
    assert [page.url if isinstance(page, Page) else None for page in visited] == [URL, URL, None]


def test_a_redirect_is_not_read_as_a_page() -> None:
    """A source page with a redirect is a Redirect, whatever else it holds."""
    assert isinstance(prepare(SourcePage(URL, redirect="https://b.example/", html=PAGE)), Redirect)
    assert prepare(SourcePage(URL, redirect="ftp://b.example/")) == Skipped("redirect to no web address", URL)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_no_damage_raises(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory, records: dict[bool, list[bytes]]
) -> None:
    """Whatever is changed in a file, reading it ends, and twice in the same way."""
    archive = bytearray(b"".join(records[data.draw(st.booleans())][:4]))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(archive) - 1))
        length = data.draw(st.integers(0, 400))
        archive[place : place + length] = data.draw(
            st.binary(max_size=20) | st.just(b"WARC/1.0\r\nWARC-Type: response\r\n")
        )
        if not archive:
            return
    path = tmp_path_factory.mktemp("fuzz") / "a.warc.gz"
    path.write_bytes(archive)
    first = list(WebArchives(path))
    assert first == list(WebArchives(path))
    for item in first:
        prepare(item) if isinstance(item, SourcePage) else item.reason.encode()


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    """Without fastwarc or pyarrow the error says what to install."""
    script = """
import json, sys
sys.modules["fastwarc"] = sys.modules["pyarrow"] = sys.modules["resiliparse"] = None
from webenv.corpora import parse_source
from webenv.corpora.extract import extractor_version
from webenv.errors import MissingExtra
said = []
for ask, what in ((parse_source, "warc:x"), (parse_source, "parquet:x"), (extractor_version, "resiliparse")):
    try:
        ask(what)
    except MissingExtra as error:
        said.append(str(error))
print(json.dumps(said))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert json.loads(done.stdout) == [
        "a warc: source needs fastwarc, which is not installed: pip install '.[ingest]'",
        "a parquet: source needs pyarrow, which is not installed: pip install '.[ingest]'",
        "extractor='resiliparse' needs resiliparse, which is not installed: pip install '.[ingest]'",
    ]
