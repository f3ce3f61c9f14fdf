"""The folder of an engine that somebody downloaded runs no code, and takes no more memory than it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from webenv.corpora import Corpus, SourcePage, build
from webenv.corpora.engines import add_dense
from webenv.corpora.manifest import checksums
from webenv.envs.webs import open_web
from webenv.errors import CorpusDamaged, CorpusError, InvalidArgument
from webenv.web import SearchRequest

EVIL = "import pathlib\npathlib.Path({trace!r}).write_text('ran')\n\nclass Evil:\n    pass\n"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with vectors, and no model."""
    path = tmp_path_factory.mktemp("hostile")
    pages = [SourcePage(f"https://a.example/{n}", f"Page {n}", f"text {n}") for n in range(64)]
    build(path / "web", [pages], workers=1)
    np.save(path / "v.npy", np.random.default_rng(0).normal(size=(64, 8)).astype(np.float32))
    (path / "n.txt").write_text("".join(f"{page.url}\n" for page in pages))
    add_dense(path / "web", vectors=path / "v.npy", names=path / "n.txt", approximate="flat")
    return path / "web"


@pytest.fixture
def own(indexed: Path, tmp_path: Path) -> Path:
    shutil.copytree(indexed, tmp_path / "own")
    return tmp_path / "own"


def forge(own: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Changes what an engine's folder says of itself, with checksums that are right."""
    (folder,) = own.glob("engine-dense-*")
    about = json.loads((folder / "engine.json").read_text())
    change(about)
    (folder / "engine.json").unlink()
    about["files"] = checksums(folder)
    (folder / "engine.json").write_text(json.dumps(about))
    return folder


def plant_model(folder: Path, trace: Path, **files: str) -> Path:
    """The folder of a model whose code says that it ran."""
    folder.mkdir(parents=True)
    modules = [{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "config_sentence_transformers.json").write_text("{}")
    (folder / "evil.py").write_text(EVIL.format(trace=str(trace)))
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_a_model_in_the_corpus_is_not_loaded(own: Path, tmp_path: Path) -> None:
    """A model that is packed with the corpus is refused, however its folder is named."""
    model = plant_model(own / "data-0123456789abcdef", tmp_path / "trace")
    for name in (str(model), str(own / "x" / ".." / model.name)):
        forge(own, lambda about, name=name: about.update(settings={"model": name, "encoder": {}}))
        with pytest.raises(CorpusError, match="names a model that lies in it"):
            open_web(f"{own}#dense")
    assert not (tmp_path / "trace").exists()


def test_a_model_beside_the_corpus_runs_no_code(own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of a model elsewhere may consist of known modules alone, with weights that are not pickled."""
    monkeypatch.chdir(tmp_path)
    model = plant_model(tmp_path / "model", tmp_path / "trace")
    forge(own, lambda about: about.update(settings={"model": str(model), "encoder": {}}))
    with pytest.raises(InvalidArgument, match=r"is made of 'evil\.Evil', which may run any code"):
        open_web(f"{own}#dense")
    known = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    (model / "modules.json").write_text(json.dumps(known))
    (model / "pytorch_model.bin").write_bytes(b"x")
    with pytest.raises(InvalidArgument, match=r"keeps weights in pytorch_model\.bin, which may run any code"):
        open_web(f"{own}#dense")
    forge(own, lambda about: about.update(settings={"model": "model", "encoder": {}}))
    with pytest.raises(InvalidArgument, match="is a folder that is named from the current one"):
        open_web(f"{own}#dense")
    forge(own, lambda about: about.update(settings={"model": "http://a.example/m", "encoder": {}}))
    with pytest.raises(InvalidArgument, match="expected owner/name as on the hub, or a folder"):
        open_web(f"{own}#dense")
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize(
    "encoder",
    [
        {"trust_remote_code": True},
        {"model_kwargs": {"trust_remote_code": True}},
        {"batch_size": 10**9},
        {"batch_size": True},
        {"tokens": "many"},
        {"query_prompt": "x" * 2_000},
        {"query_prompt": 7},
        ["trust_remote_code"],
    ],
)
def test_settings_are_those_that_there_are(encoder: object, own: Path, model: Path) -> None:
    """An index whose settings are of another name, kind or range is refused, and so is one with code of its own."""
    forge(own, lambda about: about.update(settings={"model": str(model), "encoder": encoder}))
    with pytest.raises(CorpusError, match=r"the dense index of .* (has the setting|has no settings|that runs code)"):
        open_web(f"{own}#dense:trust_index=yes")


def test_an_approximate_index_of_elsewhere_is_not_read(indexed: Path, own: Path, tmp_path: Path) -> None:
    """faiss reads a file where it was built; a copy of the folder needs the caller's word."""
    queries = _queries(tmp_path)
    here = open_web(f"{indexed}#dense:{queries}").search([SearchRequest("first")])
    with pytest.raises(CorpusError, match=r"global\.faiss was not built here.*trust_index=yes"):
        open_web(f"{own}#dense:{queries}")
    assert open_web(f"{own}#dense:{queries},trust_index=yes").search([SearchRequest("first")]) == here
    (folder,) = indexed.glob("engine-dense-*")
    (folder / "index" / "global.faiss").touch()
    with pytest.raises(CorpusError, match="was not built here"):
        open_web(f"{indexed}#dense:{queries}")


@pytest.mark.parametrize("name", ["keys.npy", "days.npy", "vectors.npy"])
def test_arrays_are_as_long_as_their_files(name: str, own: Path, tmp_path: Path) -> None:
    """A file of a few bytes that says it holds 10¹² rows is refused before memory is taken for them."""
    (folder,) = own.glob("engine-dense-*")
    kind, shape = {"keys.npy": ("<i8", (10**12,)), "days.npy": ("<i4", (10**12,)), "vectors.npy": ("<f2", (10**12, 8))}[
        name
    ]
    with open(folder / "index" / name, "wb") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": kind, "fortran_order": False, "shape": shape})
        file.write(b"0" * 100)
    about = json.loads((folder / "index" / "dense.json").read_text())
    (folder / "index" / "dense.json").write_text(json.dumps({**about, "pages": 10**12}))
    forge(own, lambda about: None)
    with pytest.raises(CorpusDamaged, match=r"\.npy is not what was written"):
        open_web(f"{own}#dense:{_queries(tmp_path)}")


def _queries(tmp_path: Path) -> str:
    np.save(tmp_path / "q.npy", np.ones((1, 8), dtype=np.float32))
    (tmp_path / "q.txt").write_text("first\n")
    return f"queries={tmp_path / 'q.npy'},texts={tmp_path / 'q.txt'}"


@pytest.mark.parametrize("sites", [{"hosts": ["b", "a"], "starts": [0, 1]}, {"hosts": ["a"], "starts": ["0"]}, [], {}])
def test_sites_are_those_of_the_matrix(sites: object, own: Path, tmp_path: Path) -> None:
    """A list of sites that is none is damage."""
    (folder,) = own.glob("engine-dense-*")
    (folder / "index" / "sites.json").write_text(json.dumps(sites))
    forge(own, lambda about: None)
    with pytest.raises(CorpusDamaged, match="is not what was written"):
        open_web(f"{own}#dense:{_queries(tmp_path)}")


def test_a_linked_engine_is_none(own: Path, tmp_path: Path) -> None:
    """An engine's folder that is a link is not one of the corpus's."""
    (folder,) = own.glob("engine-dense-*")
    folder.rename(tmp_path / "away")
    folder.symlink_to(tmp_path / "away")
    with pytest.raises(CorpusError, match="has no dense index"):
        Corpus.open(own, engine="dense")
