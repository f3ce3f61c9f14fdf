"""Further engines of a corpus folder, from the command line to a search."""

from __future__ import annotations

import copy
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from webenv.cli.app import run
from webenv.corpora import Corpus, SourcePage, add, build
from webenv.corpora.dense import DenseIndex, GivenEncoder
from webenv.envs.webs import open_web
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound, InvalidArgument
from webenv.web import SearchRequest

TEXTS = {
    "https://pets.example/kitten": "A kitten sleeps on the sofa and purrs when it is stroked.",
    "https://pets.example/puppy": "The puppy chews a shoe and wags its tail at the door.",
    "https://sea.example/ship": "The vessel left the harbour at dawn with a cargo of grain.",
    "https://sea.example/storm": "Wind and rain beat upon the coast for three days.",
    "https://money.example/bank": "The lender raised its interest rate by a quarter of a point.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    path = tmp_path_factory.mktemp("engines") / "web"
    build(path, [[SourcePage(url, url.rpartition("/")[2], text) for url, text in TEXTS.items()]], workers=1)
    assert run(["corpus", "index", str(path), "dense", "--model", str(model)]) == 0
    return path


def _first(corpus: Corpus, query: str) -> str:
    return corpus.search([SearchRequest(query)])[0][0].url


def test_meaning_finds_what_words_do_not(folder: Path) -> None:
    """The dense engine finds a page that shares no word with the query, with snippets as everywhere."""
    with Corpus.open(folder) as words, Corpus.open(folder, engine="dense") as meaning:
        assert words.search([SearchRequest("boat cat")]) == [()]
        assert _first(meaning, "boat") == "https://sea.example/ship"
        assert _first(meaning, "cat") == "https://pets.example/kitten"
        (found,) = meaning.search([SearchRequest("a young dog site:pets.example")])
        assert [hit.url for hit in found] == ["https://pets.example/puppy", "https://pets.example/kitten"]
        assert found[0].snippet == TEXTS["https://pets.example/puppy"]


def test_engines_are_named_and_fused(folder: Path) -> None:
    """A name of a web may end with an engine, or with several that are fused; the identity tells which ranks."""
    hybrid = open_web(f"{folder}#hybrid")
    fused = open_web(f"{folder}#tantivy+dense")
    assert hybrid.search([SearchRequest("vessel boat")]) == fused.search([SearchRequest("vessel boat")])
    assert "engine" in hybrid.identity
    assert "engine" not in open_web(str(folder)).identity
    assert copy.deepcopy(hybrid) is hybrid
    assert _first(pickle.loads(pickle.dumps(hybrid)), "boat") == "https://sea.example/ship"
    with pytest.raises(InvalidArgument, match=r"there is no engine 'dens'. Did you mean 'dense'\?"):
        open_web(f"{folder}#dens")
    with pytest.raises(InvalidArgument, match=r"device 'cudda' cannot be used|no encoder"):
        open_web(f"{folder}#dense:device=cudda")
    with pytest.raises(InvalidArgument, match=r"'k1=3' is no setting; dense takes device, memory"):
        open_web(f"{folder}#dense:k1=3")


def test_an_engine_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A corpus without the engine says how it is made."""
    build(tmp_path / "c", [[SourcePage("https://a.example", "", "text")]], workers=1)
    with pytest.raises(CorpusNotFound, match=r"has no dense index. One is made by: webenv corpus index .*/c dense"):
        Corpus.open(tmp_path / "c", engine="dense")


def test_an_engine_of_former_pages_is_refused(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """When pages were added an index of the former ones is not used; made again, it has them all."""
    path = tmp_path / "web"
    shutil.copytree(folder, path)
    add(path, [[SourcePage("https://new.example/", "", "A poodle barks.")]], workers=1)
    with pytest.raises(CorpusError, match=r"the dense index of .* is of other pages than the corpus has now"):
        Corpus.open(path, engine="dense")
    assert run(["corpus", "info", str(path)]) == 0
    assert "of the pages before: make it again" in " ".join(capsys.readouterr().out.split())
    assert run(["corpus", "index", str(path), "dense"]) == 0, "the model is known"
    assert len(list(path.glob("engine-dense-*"))) == 1
    with Corpus.open(path, engine="dense") as corpus:
        assert _first(corpus, "a barking poodle") == "https://new.example/"


def test_damage_is_named(folder: Path, tmp_path: Path) -> None:
    """A file of an engine that is not what was written is named, with what mends it."""
    path = tmp_path / "web"
    shutil.copytree(folder, path)
    (vectors,) = path.glob("engine-dense-*/index/vectors.npy")
    data = bytearray(vectors.read_bytes())
    data[-1] ^= 1
    vectors.write_bytes(data)
    with pytest.raises(CorpusDamaged, match=r"vectors.npy is not what was written .*webenv corpus index .* dense"):
        Corpus.open(path, engine="dense")
    with Corpus.open(path) as corpus:
        assert len(corpus) == 5


def test_vectors_made_elsewhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Vectors are taken from a file, by URL in any form, and searched with query vectors from a file."""
    path, urls = tmp_path / "web", list(TEXTS)
    pages = [SourcePage(url, "", text, aliases=(url + "/old",)) for url, text in TEXTS.items()]
    build(path, [pages], workers=1)
    np.save(tmp_path / "v.npy", np.eye(5, dtype=np.float32))
    (tmp_path / "names.txt").write_text("\n".join([urls[0] + "/old", urls[1].replace("https", "HTTP"), *urls[2:]]))
    options = ["--vectors", str(tmp_path / "v.npy"), "--names", str(tmp_path / "names.txt")]
    assert run(["corpus", "index", str(path), "dense", *options]) == 0
    np.save(tmp_path / "q.npy", np.array([[0, 0, 0, 1, 0.5]], dtype=np.float32))
    (tmp_path / "q.txt").write_text("what came\n")
    (index,) = path.glob("engine-dense-*/index")
    engine = DenseIndex.open(index, GivenEncoder(tmp_path / "q.npy", tmp_path / "q.txt"))
    with Corpus.open(path, engine=engine) as corpus:
        found = corpus.search([SearchRequest("what came", 2)])[0]
        assert [hit.url for hit in found] == [urls[3], urls[4]]
        with pytest.raises(CorpusError, match="cannot be pickled: its engine was given as an object"):
            pickle.dumps(corpus)
    np.save(tmp_path / "v.npy", np.eye(4, dtype=np.float32))
    capsys.readouterr()
    assert run(["corpus", "index", str(path), "dense", *options]) == 1
    assert "5" in capsys.readouterr().err


def test_a_batch_is_ranked_as_its_requests_alone(folder: Path) -> None:
    """Several requests in one batch are ranked as each alone."""
    queries = ["boat", "cat", "money", "weather site:sea.example", "-site:pets.example dog"]
    with Corpus.open(folder, engine="dense") as corpus:
        together = corpus.rank([SearchRequest(query) for query in queries])
        assert together == [corpus.rank([SearchRequest(query)])[0] for query in queries]
