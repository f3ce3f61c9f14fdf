"""Parquet tables give one page a row; what cannot be read is told at opening or counted."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.extras import needs_extra

needs_extra("ingest")

import pyarrow
import pyarrow.parquet

from webenv.corpora import Corpus, build, parse_source
from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest import ParquetTables
from webenv.errors import CorpusError
from webenv.observations import Page
from webenv.web import VisitRequest


def write(path: Path, columns: dict[str, Any], rows: int = 1_000_000) -> Path:
    pyarrow.parquet.write_table(pyarrow.table(columns), path, row_group_size=rows)
    return path


def test_tables_of_browsecomp_plus(tmp_path: Path) -> None:
    """docid, text and url are read as they are; title and date stand at the head of the text; docids lead to pages."""
    (tmp_path / "browsecomp-plus-corpus" / "data").mkdir(parents=True)
    folder = tmp_path / "browsecomp-plus-corpus"
    text = "---\ntitle: A tower\nauthor: Nobody\ndate: 2021-03-04\n---\nThe tower stands."
    write(
        folder / "data" / "train-00000-of-00001.parquet",
        {"docid": ["17", "18"], "text": [text, "No head."], "url": ["https://a.example/x", "https://a.example/y"]},
    )
    source = parse_source(f"parquet:{folder}")
    origin = f"parquet:{folder}/data/train-00000-of-00001.parquet"
    assert source.count() == 2
    assert list(source) == [
        SourcePage(
            "https://a.example/x",
            "A tower",
            text,
            date="2021-03-04",
            aliases=("https://browsecomp-plus-corpus.example/17",),
            origin=f"{origin}:1",
        ),
        SourcePage(
            "https://a.example/y",
            text="No head.",
            aliases=("https://browsecomp-plus-corpus.example/18",),
            origin=f"{origin}:2",
        ),
    ]
    build(tmp_path / "corpus", [f"parquet:{folder}"], workers=1)
    with Corpus.open(tmp_path / "corpus") as corpus:
        (page,) = corpus.visit([VisitRequest("https://browsecomp-plus-corpus.example/17")])
    assert isinstance(page, Page)
    assert (page.url, page.title, page.date) == ("https://a.example/x", "A tower", "2021-03-04")


def test_columns_by_other_names(tmp_path: Path) -> None:
    """Columns can be named, and the site of ids; rows without URL stand at their id, or else at their number."""
    path = write(
        tmp_path / "My Pages.v2.parquet",
        {"main": ["a", "b", "c"], "link": ["https://a.example/", None, ""], "_id": [1, 2, None], "url": [7, 8, 9]},
    )
    spec = f"parquet:{path}@https://b.example/docs?text=main&url=link"
    source = parse_source(spec)
    assert source.spec == f"parquet:{path}@https://b.example/docs?url=link&text=main"
    assert [(page.url, page.text, page.aliases) for page in source if isinstance(page, SourcePage)] == [
        ("https://a.example/", "a", ("https://b.example/docs/1",)),
        ("https://b.example/docs/2", "b", ()),
        ("https://b.example/docs/3", "c", ()),
    ]
    first = next(iter(parse_source(f"parquet:{path}?text=main&url=link")))
    assert isinstance(first, SourcePage)
    assert first.aliases == ("https://my-pages.example/1",)


def test_types_of_columns(tmp_path: Path) -> None:
    """HTML in bytes, days, lists of aliases, dictionaries and large text are taken; other columns are not read."""
    day = datetime.date(2020, 5, 6)
    path = write(
        tmp_path / "a.parquet",
        {
            "url": pyarrow.array(["https://a.example/x"]).dictionary_encode(),
            "html": pyarrow.array([b"<p>\xff</p>"]),
            "title": pyarrow.array(["T"], pyarrow.large_string()),
            "date": pyarrow.array([day]),
            "aliases": [["https://b.example/", None]],
            "id": pyarrow.array([2.5]),
            "vector": [[1.0, 2.0]],
        },
    )
    with pytest.raises(CorpusError, match=r"column 'id' of .* is double, expected text: name another by"):
        parse_source(f"parquet:{path}")
    path = write(
        path, {name: pyarrow.parquet.read_table(path)[name] for name in ("url", "html", "title", "date", "aliases")}
    )
    assert list(parse_source(f"parquet:{path}")) == [
        SourcePage(
            "https://a.example/x",
            "T",
            html=b"<p>\xff</p>",
            date="2020-05-06",
            aliases=("https://b.example/",),
            origin=f"parquet:{path}:1",
        )
    ]


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"url": ["x"]}, "", "lacks a column text or html, it has url: name them, as in"),
        ({"url": ["x"], "text": [1]}, "", "column 'text' of .* is int64, expected text"),
        ({"url": [1.5], "text": ["x"]}, "", "column 'url' of .* is double, expected text"),
        ({"url": ["x"], "text": ["x"]}, "?text=body", "lacks the column 'body', it has url, text"),
        ({"url": ["x"], "text": ["x"]}, "?txt=body", "a page has no 'txt'. Did you mean 'text'"),
        ({"url": ["x"], "text": ["x"]}, "@https://?text=body", "is no site"),
    ],
)
def test_a_table_of_other_columns_is_refused(
    columns: dict[str, Any], options: str, message: str, tmp_path: Path
) -> None:
    """What is missing or of a wrong type is told when the table is opened."""
    write(tmp_path / "a.parquet", columns)
    with pytest.raises(CorpusError, match=message):
        parse_source(f"parquet:{tmp_path}/a.parquet{options}")


@pytest.mark.parametrize("kept", [0, 3, 500, 10_000])
def test_a_file_that_is_cut_off_is_refused(kept: int, tmp_path: Path) -> None:
    """A file without its end is told when it is opened, in a folder too."""
    path = write(
        tmp_path / "b.parquet", {"url": [f"https://a.example/{n}" for n in range(5_000)], "text": ["x"] * 5_000}
    )
    path.write_bytes(path.read_bytes()[:kept])
    write(tmp_path / "a.parquet", {"url": ["https://a.example"], "text": ["x"]})
    for named in (path, tmp_path):
        with pytest.raises(CorpusError, match=r"b\.parquet is no whole Parquet file \(.*\)\."):
            ParquetTables(named)


def test_damaged_rows_are_counted(tmp_path: Path) -> None:
    """A row group that does not decode is left out, with its place; the others are read. Bad UTF-8 costs its row."""
    texts = [f"text {number} " + "x" * 50 for number in range(400)]
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"id": list(map(str, range(400))), "text": texts})
    pyarrow.parquet.write_table(table, path, row_group_size=100, compression="zstd", use_dictionary=False)
    group = pyarrow.parquet.ParquetFile(path).metadata.row_group(1).column(1)
    data = bytearray(path.read_bytes())
    start, size = group.data_page_offset, group.total_compressed_size
    data[start : start + size] = b"\xff" * size
    path.write_bytes(data)
    found = list(ParquetTables(path))
    assert [page.url for page in found if isinstance(page, SourcePage)] == [
        f"https://a.example/{number}" for number in (*range(100), *range(200, 400))
    ]
    assert [page for page in found if isinstance(page, Skipped)] == [
        Skipped("corrupt row group", f"parquet:{path}:101")
    ]

    text = pyarrow.array([b"good", b"\xff\xfe", b"good"]).view(pyarrow.utf8())
    write(path, {"id": ["1", "2", "3"], "text": text})
    assert [page.origin if isinstance(page, SourcePage) else page for page in ParquetTables(path)] == [
        f"parquet:{path}:1",
        Skipped("invalid UTF-8", f"parquet:{path}:2"),
        f"parquet:{path}:3",
    ]


def test_rows_without_a_page_are_counted(tmp_path: Path) -> None:
    """A row without a text is skipped; one without anything else has the number of its row for an address."""
    (tmp_path / "d").mkdir()
    write(tmp_path / "d" / "part-1.parquet", {"text": ["a", None, "b"]}, rows=2)
    write(tmp_path / "d" / "part-2.parquet", {"text": ["c"]})
    assert [page.url if isinstance(page, SourcePage) else page.reason for page in ParquetTables(tmp_path / "d")] == [
        "https://d.example/part-1%2F1",
        "record without text or html",
        "https://d.example/part-1%2F3",
        "https://d.example/part-2%2F1",
    ]
