"""Folders of engines: what fails costs nothing, the latest counts, and nobody's is removed under him."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webenv.corpora import Corpus, SourcePage, add, build, engines
from webenv.corpora.dense import encoder as encoders
from webenv.corpora.dense.approximate import GlobalIndex
from webenv.corpora.engines import add_dense
from webenv.corpora.manifest import Manifest
from webenv.envs.webs import open_web
from webenv.errors import CorpusError, InvalidArgument
from webenv.web import SearchRequest

URLS = [f"https://a.example/{number}" for number in range(4)]


def page(url: str) -> SourcePage:
    return SourcePage(url, "", f"text of {url}")


@pytest.fixture
def web(tmp_path: Path) -> Path:
    build(tmp_path / "web", [[page(url) for url in URLS]], workers=1)
    return tmp_path / "web"


def give(web: Path, vectors: Any, names: Sequence[str] = URLS, **options: Any) -> None:
    """Adds these vectors."""
    np.save(web.parent / "v.npy", np.asarray(vectors, dtype=np.float32))
    (web.parent / "names.txt").write_text("\n".join(names))
    add_dense(web, vectors=web.parent / "v.npy", names=web.parent / "names.txt", **options)


def ask(web: Path, vector: Sequence[float]) -> list[str]:
    """The addresses that a query with this vector finds, best first."""
    np.save(web.parent / "q.npy", np.array([vector], dtype=np.float32))
    (web.parent / "q.txt").write_text("what\n")
    with open_web(f"{web}#dense:queries={web.parent / 'q.npy'},texts={web.parent / 'q.txt'}") as corpus:  # type: ignore[attr-defined]
        return [hit.url for hit in corpus.search([SearchRequest("what")])[0]]


def entries(web: Path) -> list[str]:
    return sorted(path.name.rpartition("-")[0] for path in web.iterdir() if path.is_dir())


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text of a page that a sentence encoder encodes from now on."""
    texts: list[str] = []
    encode = encoders.SentenceEncoder.encode_pages

    def told(self: encoders.SentenceEncoder, these: Sequence[str]) -> Any:
        texts.extend(these)
        return encode(self, these)

    monkeypatch.setattr(encoders.SentenceEncoder, "encode_pages", told)
    return texts


def test_query_vectors_come_from_a_file_by_name(web: Path) -> None:
    """An index of vectors made elsewhere is searched by name, with query vectors from a file."""
    give(web, np.eye(4))
    assert ask(web, [0.1, 0.2, 1, 0.3])[:2] == [URLS[2], URLS[3]]


def test_what_encodes_queries_is_asked_for_at_opening(web: Path) -> None:
    """An index without a model says when it is opened that queries need vectors."""
    give(web, np.eye(4))
    with pytest.raises(InvalidArgument, match=r"nothing encodes queries: .*#dense:queries=FILE, or .* --model"):
        Corpus.open(web, engine="dense")
    with pytest.raises(InvalidArgument, match="nothing encodes queries"):
        Corpus.open(web, engine="hybrid")
    with pytest.raises(InvalidArgument, match="expected queries=FILE beside it"):
        Corpus.open(web, engine="dense:texts=q.txt")


@pytest.mark.parametrize("turn", range(3))
def test_the_latest_of_two_folders_is_opened(web: Path, turn: int) -> None:
    """After a kill between putting the new folder in place and removing the old one, the new one is opened."""
    give(web, np.eye(4))
    (old,) = web.glob("engine-dense-*")
    shutil.copytree(old, web.parent / "kept")
    give(web, np.eye(4)[::-1])
    os.rename(web.parent / "kept", old)
    assert ask(web, [1, 0, 0, 0])[0] == URLS[3]


def test_a_damaged_leftover_hides_nothing(web: Path) -> None:
    """A former folder whose files are damaged is no hindrance."""
    give(web, np.eye(4))
    for number, text in ((0, "{"), (15, '{"format": 1}')):
        (web / f"engine-dense-{number:016x}").mkdir()
        (web / f"engine-dense-{number:016x}" / "engine.json").write_text(text)
    assert ask(web, [0, 1, 0, 0])[0] == URLS[1]
    give(web, np.eye(4))
    assert entries(web) == ["data", "engine-dense"]


def test_the_folder_of_an_open_engine_stays(web: Path) -> None:
    """A folder of an engine is not removed while a corpus reads it, and is afterwards."""
    give(web, np.eye(4))
    (old,) = web.glob("engine-dense-*")
    (web.parent / "q.jsonl").write_text(json.dumps({"text": "what", "vector": [1, 0, 0, 0]}))
    corpus = Corpus.open(web, engine=f"dense:queries={web.parent / 'q.jsonl'}")
    give(web, np.eye(4)[::-1])
    assert old.exists()
    assert corpus.search([SearchRequest("what")])[0][0].url == URLS[0]
    corpus.close()
    give(web, np.eye(4)[::-1])
    assert not old.exists()
    assert entries(web) == ["data", "engine-dense"]


def test_an_engine_that_does_not_open_holds_nothing(web: Path) -> None:
    """What could not be opened does not keep a folder from being replaced."""
    give(web, np.eye(4))
    with pytest.raises(InvalidArgument, match="nothing encodes queries") as kept:
        Corpus.open(web, engine="tantivy+dense")
    give(web, np.eye(4))
    assert entries(web) == ["data", "engine-dense"]
    assert kept.value.__traceback__ is not None


@pytest.mark.parametrize("vectors", [np.full((4, 4), np.nan), np.eye(3)])
def test_a_failed_index_leaves_nothing(web: Path, vectors: Any) -> None:
    """A file of vectors that cannot be taken leaves no work folder behind."""
    with pytest.raises(CorpusError):
        give(web, vectors)
    assert entries(web) == ["data"]


def test_an_unknown_approximate_index_is_refused_before_encoding(web: Path, model: Path, counted: list[str]) -> None:
    """A wrong kind of approximate index costs no encoding."""
    with pytest.raises(InvalidArgument, match="approximate='ivff': expected ivf, hnsw or flat"):
        add_dense(web, model=str(model), approximate="ivff")
    assert counted == []
    assert entries(web) == ["data"]


def test_a_failure_after_encoding_costs_no_encoding(
    web: Path, model: Path, counted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the disk is full when checksums or the approximate index are made, nothing is encoded again."""

    def full(*_: object) -> GlobalIndex:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("webenv.corpora.dense.build_global", full)
        with pytest.raises(CorpusError, match="No space left on device"):
            add_dense(web, model=str(model), approximate="flat")
    assert len(counted) == 4
    assert entries(web) == ["data", "indexing-dense"]
    add_dense(web, model=str(model), approximate="flat")
    assert len(counted) == 4
    assert entries(web) == ["data", "engine-dense"]
    (index,) = web.glob("engine-dense-*/index")
    assert "encoded.txt" not in [path.name for path in index.iterdir()]
    assert (index / "global.faiss").exists()


def test_pages_that_are_there_are_not_encoded_again(web: Path, model: Path, counted: list[str]) -> None:
    """After pages were added, those alone are encoded; the others keep their vectors."""
    add_dense(web, model=str(model))
    (index,) = web.glob("engine-dense-*/index")
    before = dict(zip(np.load(index / "keys.npy").tolist(), np.load(index / "vectors.npy").tolist(), strict=True))
    add(web, [[SourcePage("https://new.example/", "New", "text of https://new.example/")]], workers=1)
    counted.clear()
    add_dense(web, model=str(model))
    assert counted == ["New\ntext of https://new.example/"]
    (index,) = web.glob("engine-dense-*/index")
    after = dict(zip(np.load(index / "keys.npy").tolist(), np.load(index / "vectors.npy").tolist(), strict=True))
    assert len(after) == 5
    assert {key: after[key] for key in before} == before


def test_vectors_are_taken_by_the_ids_of_the_source(tmp_path: Path) -> None:
    """Vectors that a data set names by id come to the pages that were read under these ids."""
    records: list[dict[str, Any]] = [
        {"docid": 17, "url": "https://b.example/x", "text": "one"},
        {"docid": "d.4711", "text": "two"},
    ]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    build(tmp_path / "web", [f"jsonl:{tmp_path / 'docs.jsonl'}"], workers=1)
    vectors = [{"docid": "d.4711", "embedding": [0, 1]}, {"docid": 17, "embedding": [1, 0]}]
    (tmp_path / "v.jsonl").write_text("".join(json.dumps(record) + "\n" for record in vectors))
    add_dense(tmp_path / "web", vectors=tmp_path / "v.jsonl")
    assert ask(tmp_path / "web", [1, 0]) == ["https://b.example/x", "https://docs.example/d.4711"]
    (tmp_path / "v.jsonl").write_text(json.dumps({"docid": 18, "embedding": [0, 1]}))
    with pytest.raises(CorpusError, match="of no page of the corpus, such as 18"):
        add_dense(tmp_path / "web", vectors=tmp_path / "v.jsonl")


def test_every_engine_is_closed_with_the_corpus(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus that another engine ranks lets go of its lexical index too."""
    give(web, np.eye(4))
    (web.parent / "q.jsonl").write_text(json.dumps({"text": "what", "vector": [1, 0, 0, 0]}))
    corpus = Corpus.open(web, engine=f"dense:queries={web.parent / 'q.jsonl'}")
    closed: list[object] = []
    monkeypatch.setattr("webenv.corpora.lexical.LexicalIndex.close", lambda index: closed.append(index))
    corpus.close()
    assert closed == [corpus._index]
    assert corpus.closed


def test_an_engine_of_a_corpus_that_was_just_built_again_is_refused(web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index is not made of pages that another process replaces before it has the folder to itself."""
    read = Manifest.read
    stale = read(web)
    add(web, [[page("https://new.example/")]], workers=1)
    answers = [stale, stale]
    monkeypatch.setattr(Manifest, "read", lambda folder: answers.pop() if answers else read(folder))
    with pytest.raises(CorpusError, match="has been built again just now: start again"):
        give(web, np.eye(4))
    assert entries(web) == ["data"]


def test_engines_of_settings_are_split_at_engines_alone() -> None:
    """A plus sign in the name of a file does not end an engine's settings."""
    assert engines._JOINED.split("tantivy+dense:queries=a+b.jsonl+lucene:k1=1") == [
        "tantivy",
        "dense:queries=a+b.jsonl",
        "lucene:k1=1",
    ]
