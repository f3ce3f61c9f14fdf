"""The approximate index finds nearly what the exact search finds, and says how nearly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.extras import needs_extra
from webenv.corpora.dense import approximate
from webenv.corpora.dense.approximate import GlobalIndex, build_global, recall
from webenv.corpora.dense.index import DenseIndex
from webenv.corpora.dense.matrix import Matrix
from webenv.errors import CorpusDamaged, InvalidArgument
from webenv.web import Scope

needs_extra("dense")

import faiss


def clustered(count: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((30, 32))
    return centres[rng.integers(0, 30, count)] + 0.5 * rng.standard_normal((count, 32))


@pytest.fixture(scope="module")
def folder(written: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("global"), clustered(5_000), dates=("2024-01-01", ""))


def forget(folder: Path) -> None:
    (folder / "global.json").unlink(missing_ok=True)


def test_the_exact_search_finds_the_ids_of_faiss_flat(folder: Path) -> None:
    forget(folder)
    index = DenseIndex.open(folder)
    flat = faiss.IndexFlatIP(32)
    flat.add(index.matrix.vectors.astype(np.float32))
    queries = clustered(200, seed=1).astype(np.float32)
    queries /= np.linalg.norm(queries, axis=1, keepdims=True)
    products, rows = flat.search(queries, 10)
    found = index.search_vectors(queries)
    assert np.sort(found.keys, axis=1).tolist() == np.sort(index.matrix.keys[rows], axis=1).tolist()
    assert np.allclose(found.scores, products, atol=2e-6)  # nearer than that, faiss has no order


@pytest.mark.parametrize("kind", ["flat", "ivf", "hnsw"])
def test_an_index_reaches_the_recall_that_is_asked_for(folder: Path, kind: Any) -> None:
    forget(folder)
    queries = clustered(100, seed=2)
    exact = DenseIndex.open(folder).search_vectors(queries)
    built = build_global(folder, kind, target=0.95)
    index = DenseIndex.open(folder)
    assert built.recall >= 0.95
    assert recall(index.search_vectors(queries), exact) >= 0.9
    assert index.identity["approximate"] == built.name


def test_a_search_with_any_filter_stays_exact(folder: Path) -> None:
    forget(folder)
    queries = clustered(100, seed=3)
    asked: list[dict[str, Any]] = [
        {"site": "a.example"},
        {"scope": Scope(blocked=("b.example",))},
        {"scope": Scope(as_of="2024-06-01")},
    ]
    exact = [DenseIndex.open(folder).search_vectors(queries, **what).keys.tolist() for what in asked]
    build_global(folder, "ivf", target=0.01)  # of little use by itself
    index = DenseIndex.open(folder)
    assert index.search_vectors(queries).keys.tolist() != exact[0]
    assert [index.search_vectors(queries, **what).keys.tolist() for what in asked] == exact


@pytest.mark.parametrize("kind", ["ivf", "hnsw"])
def test_what_is_found_does_not_depend_on_the_batch(folder: Path, kind: Any) -> None:
    build_global(folder, kind, target=0.8)
    index = DenseIndex.open(folder)
    queries = clustered(64, seed=4)
    together = index.search_vectors(queries).keys.tolist()
    assert [index.search_vectors(query[None]).keys[0].tolist() for query in queries] == together


def test_scores_are_those_of_the_exact_search(folder: Path) -> None:
    forget(folder)
    query = clustered(1, seed=5)
    exact = DenseIndex.open(folder).search_vectors(query)
    build_global(folder, "ivf", target=1.0)
    assert DenseIndex.open(folder).search_vectors(query).scores.tolist() == exact.scores.tolist()


def test_an_index_of_other_vectors_is_refused(folder: Path) -> None:
    build_global(folder, "flat")
    path = folder / "global.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"vectors": "another"}))
    with pytest.raises(CorpusDamaged, match=r"cannot be used .it is of other vectors.: build it again"):
        DenseIndex.open(folder)


def test_an_index_that_cannot_be_read_is_named(folder: Path) -> None:
    build_global(folder, "flat")
    (folder / "global.faiss").write_bytes(b"IxFI")
    with pytest.raises(CorpusDamaged, match=r"global.faiss cannot be used"):
        GlobalIndex.open(folder, Matrix.open(folder))
    forget(folder)


@pytest.mark.parametrize(("kind", "target"), [("tree", 0.9), ("ivf", 0.0), ("ivf", 1.5)])
def test_what_cannot_be_built_is_refused(folder: Path, kind: Any, target: float) -> None:
    with pytest.raises(InvalidArgument, match=r"expected (ivf, hnsw or flat|above 0 up to 1)"):
        build_global(folder, kind, target)


def test_the_identity_tells_one_training_from_another(
    written: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two indexes of one kind over the same vectors, trained on other samples of them, are two identities."""
    monkeypatch.setattr(approximate, "_PER_LIST", 8)
    folder = written(tmp_path, clustered(11_000))
    identities = []
    for seed in (0, 1):
        build_global(folder, "ivf", target=0.01, seed=seed)
        identities.append(dict(DenseIndex.open(folder).identity))
    digests = [identity.pop("approximate_index") for identity in identities]
    assert digests[0] != digests[1]
    assert [len(digest) for digest in digests] == [64, 64]
    assert identities[0] == identities[1]
