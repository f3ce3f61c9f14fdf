"""A corpus folder that somebody downloaded is data: it runs nothing, leads nowhere, and takes no more than it is."""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import zstandard

from webenv.corpora import Corpus, Manifest, SourcePage, build
from webenv.corpora.manifest import _checksum, checksums
from webenv.corpora.store import DiskStore
from webenv.errors import CorpusDamaged, CorpusError
from webenv.web import Missing, SearchRequest, VisitRequest


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Path:
    """A corpus folder to be made hostile."""
    shutil.copytree(folder, tmp_path / "own")
    return tmp_path / "own"


def data_of(folder: Path) -> Path:
    return folder / Manifest.read(folder).data


def sign(folder: Path) -> None:
    """Makes the checksums of a folder those of its files, as whoever packs it can."""
    manifest = Manifest.read(folder)
    replace(manifest, files=checksums(folder / manifest.data)).write(folder)


def forge(folder: Path, **parts: object) -> None:
    """Writes other values into a manifest, with the checksum that goes with them."""
    record = {**asdict(Manifest.read(folder)), **parts}
    (folder / "manifest.json").write_text(json.dumps({**record, "checksum": _checksum(record)}))


def tree(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.stat().st_ino, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_opening_writes_nothing(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus that is opened, searched and read for the first time has the same files afterwards."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    before, names = tree(own), sorted(own.rglob("*"))
    for _ in range(2):
        with Corpus.open(own, workers=1) as corpus:
            found = corpus.search([SearchRequest("harbour")])[0]
            corpus.visit([VisitRequest(found[0].url)])
    assert (tree(own), sorted(own.rglob("*"))) == (before, names)
    assert len(list((tmp_path / "cache" / "verified").iterdir())) == 1


@pytest.mark.parametrize("data", ["../other", "/etc", "data-0123456789abcdef/..", "", "data-0123456789abcdeg", 7])
def test_data_lie_in_the_folder(data: object, own: Path) -> None:
    """A manifest that names another folder is refused."""
    forge(own, data=data)
    with pytest.raises(CorpusDamaged, match=r"manifest\.json is not what was written"):
        Corpus.open(own)


@pytest.mark.parametrize("name", ["../../secret", "/etc/passwd", "index/../../x", "a//b", "./pages.sqlite", "a\\b", ""])
def test_files_lie_in_the_folder(name: str, own: Path) -> None:
    """A manifest that lists a file elsewhere is refused, before that file is read."""
    forge(own, files={**Manifest.read(own).files, name: (3, "0" * 64)})
    with pytest.raises(CorpusDamaged, match="is no file of the folder"):
        Corpus.open(own)


@pytest.mark.parametrize(
    "parts",
    [
        {"pages": "many"},
        {"sites": {"a.example": -1}},
        {"files": {"a": [True, "0" * 64]}},
        {"sources": [1]},
        {"sites": 3},
    ],
)
def test_values_are_of_their_kind(parts: dict[str, object], own: Path) -> None:
    """A manifest with a value of another kind is refused in one line."""
    forge(own, **parts)
    with pytest.raises(CorpusDamaged, match=r"manifest\.json is not what was written"):
        Corpus.open(own)


def test_a_record_is_bounded(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A manifest that is nested without end, of too many values, or larger than any, is refused."""
    (own / "manifest.json").write_text("[" * 200_000)
    with pytest.raises(CorpusDamaged, match="nested too deeply"):
        Corpus.open(own)
    (own / "manifest.json").write_text('{"x":[' + "[]," * 5_000_000 + "[]]}")
    with pytest.raises(CorpusDamaged, match="more than 10,000,000 braces, brackets, commas and lines"):
        Corpus.open(own)
    with open(own / "manifest.json", "wb") as file:
        file.truncate(256_000_001)
    with pytest.raises(CorpusDamaged, match="larger than 256,000,000 bytes"):
        Corpus.open(own)


def _link_data(own: Path, away: Path) -> None:
    data_of(own).rename(away / "data")
    (own / Manifest.read(own).data).symlink_to(away / "data")


def _link_file(own: Path, away: Path) -> None:
    pages = data_of(own) / "pages.sqlite"
    pages.rename(away / "pages")
    pages.symlink_to(away / "pages")


def _link_index(own: Path, away: Path) -> None:
    index = data_of(own) / "index"
    index.rename(away / "index")
    index.symlink_to(away / "index")


def _link_manifest(own: Path, away: Path) -> None:
    (own / "manifest.json").rename(away / "manifest")
    (own / "manifest.json").symlink_to(away / "manifest")


def _pipe(own: Path, away: Path) -> None:
    pages = data_of(own) / "pages.sqlite"
    pages.unlink()
    os.mkfifo(pages)


@pytest.mark.parametrize("plant", [_link_data, _link_file, _link_index, _link_manifest, _pipe])
def test_no_link_is_followed(plant: Callable[[Path, Path], None], own: Path, tmp_path: Path) -> None:
    """A link or a pipe in the place of a folder or a file is refused, and not waited for."""
    (tmp_path / "away").mkdir()
    plant(own, tmp_path / "away")
    with pytest.raises(CorpusDamaged):
        Corpus.open(own)


def test_planted_links_are_not_written_through(own: Path, tmp_path: Path) -> None:
    """A build into a folder with planted links leaves alone what they lead to."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "letter").write_text("mine too")
    (own / "manifest.json.new").symlink_to(victim)
    (own / "data-0123456789abcdef").symlink_to(tmp_path / "house")
    (own / "building-0123456789abcdef").symlink_to(tmp_path / "house")
    build(own, [[SourcePage("https://a.example/", "A", "text")]], workers=1)
    assert victim.read_text() == "mine"
    assert (tmp_path / "house" / "letter").read_text() == "mine too"
    assert not list(own.glob("*0123456789abcdef"))
    (own / ".lock").unlink()
    (own / ".lock").symlink_to(victim)
    with pytest.raises(CorpusError, match="cannot be written to"):
        build(own, [[SourcePage("https://a.example/", "A", "other")]], workers=1)


def _rewrite(own: Path, *statements: tuple[str, tuple[object, ...]]) -> None:
    database = sqlite3.connect(data_of(own) / "pages.sqlite")
    for statement, values in statements:
        database.execute(statement, values)
    database.commit()
    database.close()
    sign(own)


def _bomb(size: int, known: bool) -> bytes:
    """A frame of very few bytes that is very long."""
    if known:
        return zstandard.ZstdCompressor(level=1).compress(bytes(size))
    maker = zstandard.ZstdCompressor(level=1).compressobj()
    return maker.compress(bytes(size)) + maker.flush()


@pytest.mark.parametrize("known", [True, False])
def test_a_page_is_no_longer_than_a_page(known: bool, own: Path) -> None:
    """A text that would be decompressed into gigabytes is refused, whether or not it says how long it is."""
    _rewrite(own, ("UPDATE pages SET text = ?", (_bomb(300_000_000, known),)))
    assert (data_of(own) / "pages.sqlite").stat().st_size < 3_000_000
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with (
        Corpus.open(own, workers=1) as corpus,
        pytest.raises(CorpusDamaged, match=r"pages\.sqlite cannot be read"),
    ):
        corpus.visit([VisitRequest("https://site.example/part0/page0.html")])
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # kB


def test_long_values_are_refused(own: Path) -> None:
    """A title of a hundred million characters is not read."""
    _rewrite(own, ("UPDATE pages SET title = printf('%.*c', 100000000, 'x') WHERE place = 1", ()))
    with Corpus.open(own, workers=1) as corpus, pytest.raises(CorpusDamaged, match="cannot be read"):
        list(corpus.pages())


@pytest.mark.parametrize(
    "statements",
    [
        ["ALTER TABLE pages RENAME TO p", "CREATE VIEW pages AS SELECT *, 1 AS key FROM p"],
        ["ALTER TABLE aliases ADD COLUMN more AS (zeroblob(1000000000))"],
        ["CREATE TRIGGER t AFTER INSERT ON pages BEGIN SELECT 1; END"],
        ["CREATE VIRTUAL TABLE v USING fts5(x)"],
        ["DROP TABLE dictionary"],
    ],
)
def test_tables_are_tables(statements: list[str], own: Path) -> None:
    """A file of pages that computes what it holds is refused."""
    _rewrite(own, *((statement, ()) for statement in statements))
    with Corpus.open(own, workers=1) as corpus, pytest.raises(CorpusDamaged, match=r"pages\.sqlite cannot be read"):
        corpus.visit([VisitRequest("https://site.example/part0/page0.html")])


@pytest.mark.parametrize("column", ["url", "title", "date", "site", "leader", "text"])
def test_columns_are_of_their_kind(column: str, own: Path) -> None:
    """A column of another type is damage, not a crash."""
    _rewrite(own, (f"UPDATE pages SET {column} = ?", ("x" if column in ("leader", "text") else b"\xff",)))
    with Corpus.open(own, workers=1) as corpus, pytest.raises(CorpusDamaged, match="cannot be read"):
        corpus.visit([VisitRequest("https://site.example/part0/page0.html")])


@pytest.mark.parametrize("value", ["'abc'", "NULL", "1e999", "2.5", "x'ff'"])
def test_aliases_are_keys(value: str, own: Path) -> None:
    """An alias that leads to what is no key is damage, not a crash."""
    loose = "CREATE TABLE a AS SELECT key, {} AS page FROM pages"
    statements = [loose.format(value), "DROP TABLE aliases", "ALTER TABLE a RENAME TO aliases", "DELETE FROM pages"]
    _rewrite(own, *((statement, ()) for statement in statements))
    with Corpus.open(own, workers=1) as corpus:
        with pytest.raises(CorpusDamaged, match="columns of other types"):
            corpus.visit([VisitRequest("https://site.example/part0/page0.html")])
        with pytest.raises(CorpusDamaged, match="columns of other types"):
            list(DiskStore(str(data_of(own) / "pages.sqlite")).aliases())


@pytest.mark.parametrize("column", ["key", "site", "date"])
def test_lists_of_pages_are_of_their_kind(column: str, own: Path) -> None:
    """Pages with a key, a site or a date of another type cannot be listed."""
    loose = "CREATE TABLE p AS SELECT * FROM pages"
    wrong = f"UPDATE pages SET {column} = NULL WHERE place = 1"
    _rewrite(own, *((one, ()) for one in (loose, "DROP TABLE pages", "ALTER TABLE p RENAME TO pages", wrong)))
    store = DiskStore(str(data_of(own) / "pages.sqlite"))
    with pytest.raises(CorpusDamaged, match="columns of other types"):
        list(store.outline())
    with pytest.raises(CorpusDamaged, match="columns of other types"):
        list(store.rows())
    if column != "date":
        with pytest.raises(CorpusDamaged, match="columns of other types"):
            store.places()


@pytest.mark.parametrize("suffix", [".term", ".idx", ".pos", ".fast", ".fieldnorm", ".store"])
def test_an_index_that_tantivy_did_not_write(suffix: str, own: Path) -> None:
    """Whatever stands in the files of the lexical index, a search answers, or says that it is damaged."""
    for part in range(8):
        for path in (data_of(own) / "index").glob(f"*{suffix}"):
            data = bytearray(path.read_bytes())
            body = max(1, len(data) - 150)  # before the checksums of its own
            data[body * part // 8 : body * (part + 1) // 8] = b"\xff" * (body * (part + 1) // 8 - body * part // 8)
            path.write_bytes(data)
        sign(own)
        try:
            with Corpus.open(own, workers=1) as corpus:
                for query in ("harbour tide", '"lantern orchard"', "site:site.example"):
                    corpus.search([SearchRequest(query)])
        except CorpusDamaged:
            continue


@pytest.mark.parametrize(
    "meta", ["{}", "[]", '{"segments": [{}]}', '{"segments": 3}', '{"segments": [{"segment_id": 1}]}']
)
def test_a_list_of_segments_that_is_none(meta: str, own: Path) -> None:
    """A list of segments of another form is damage."""
    (data_of(own) / "index" / "meta.json").write_text(meta)
    sign(own)
    with pytest.raises(CorpusDamaged, match="index"):
        Corpus.open(own)


def test_an_honest_folder_opens(own: Path) -> None:
    """What these tests sign themselves is no damage as such."""
    sign(own)
    with Corpus.open(own, workers=1) as corpus:
        assert corpus.visit([VisitRequest("https://nowhere.example/")]) == [Missing("there is no such page")]
        assert len(corpus.search([SearchRequest("harbour")])[0]) == 10
