"""Search by vectors finds what brute force finds, whatever the filters and the batch."""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.extras import needs_extra
from webenv.corpora.dense.build import build_dense
from webenv.corpora.dense.encoder import GivenEncoder
from webenv.corpora.dense.index import DenseIndex
from webenv.corpora.document import IndexedPage
from webenv.corpora.engine import Engine
from webenv.corpora.sample.web import sample_web
from webenv.errors import CorpusDamaged, CorpusError, InvalidArgument
from webenv.urls import key_of
from webenv.web import Scope, SearchRequest

needs_extra("dense")

DATES = ("", "2024-01-10", "2024-02-10", "2024-03-10")


def random_vectors(count: int, dimension: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal((count, dimension))


def coarse_vectors(count: int, dimension: int, seed: int = 0) -> Any:
    """Vectors of few different numbers: many of them are equal, and many products tie."""
    vectors = np.random.default_rng(seed).integers(-1, 2, (count, dimension)).astype(float)
    vectors[:, 0] = 1
    return vectors


def brute_force(index: DenseIndex, vector: Any, limit: int, allowed: Any) -> list[int]:
    """The keys that numpy finds: all products in float64, to six digits, ties by key."""
    unit = (vector / np.sqrt((vector * vector).sum())).astype(np.float32).astype(np.float64)
    scores = np.round((index.matrix.vectors.astype(np.float64) * unit).sum(axis=1), 6)
    ranked = sorted((-score, key) for score, key, ok in zip(scores, index.matrix.keys, allowed, strict=True) if ok)
    return [int(key) for _, key in ranked[:limit]]


def found_keys(keys: Any) -> list[int]:
    return [int(key) for key in keys if key >= 0]


@pytest.fixture(scope="module")
def coarse(written: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    """3,000 coarse vectors on seven hosts, three of four pages dated."""
    return DenseIndex.open(written(tmp_path_factory.mktemp("coarse"), coarse_vectors(3_000, 12), dates=DATES))


@pytest.fixture(scope="module")
def sample(encoder: Any, tmp_path_factory: pytest.TempPathFactory) -> DenseIndex:
    """The sample web's pages by a real encoder."""
    folder = tmp_path_factory.mktemp("sample")
    web = sample_web()
    pages = sorted(
        (IndexedPage(key_of(r.url) or 0, r.title, "", r.site, "") for s in web.sites for r in _pages_of(web, s)),
        key=lambda page: (page.site, page.key),
    )
    build_dense(pages, len(pages), folder, encoder)
    return DenseIndex.open(folder, encoder)


def _pages_of(web: Any, site: str) -> Any:
    return web.search([SearchRequest(f"site:{site}", 100)])[0]


def within(host: str, site: str) -> bool:
    return host == site or host.endswith(f".{site}")


@pytest.mark.parametrize("seed", range(30))
def test_filters_find_what_brute_force_finds(coarse: DenseIndex, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    names = ("a.example", "docs.a.example", "c.example", "z.example", "nowhere.example", "example")
    vectors = coarse_vectors(40, 12, seed=100 + seed)
    (tmp_path / "texts.txt").write_text("".join(f"query {n}\n" for n in range(40)))
    np.save(tmp_path / "queries.npy", vectors)
    index = DenseIndex(coarse.matrix, GivenEncoder(tmp_path / "queries.npy", tmp_path / "texts.txt"))
    rows = [(host, int(day)) for host, day in zip(_hosts_by_row(index), index.matrix.days, strict=True)]
    requests, expected = [], []
    for number in range(40):
        sites = rng.sample(names, rng.choice((0, 0, 1, 1, 2)))
        excluded = rng.sample(names[:4], rng.choice((0, 0, 1)))
        blocked = rng.sample(names[:4], rng.choice((0, 1, 2)))
        as_of = rng.choice(("", "", "2024-02-10", "2024-02-09", "2023-01-01"))
        last = datetime.date.fromisoformat(as_of).toordinal() if as_of else 0
        limit = rng.choice((1, 5, 10, 700))
        filters = [f"site:{s}" for s in sites] + [f"-site:{s}" for s in excluded]
        requests.append(SearchRequest(f"{' '.join(filters)} query {number}", limit, Scope(tuple(blocked), as_of)))
        allowed = [
            (not sites or any(within(host, site) for site in sites))
            and not any(within(host, site) for site in (*excluded, *blocked))
            and (not last or 0 < day <= last)
            for host, day in rows
        ]
        expected.append(brute_force(index, vectors[number], limit, allowed))
    assert [[hit.key for hit in hits] for hits in index.rank(requests)] == expected


def _hosts_by_row(index: DenseIndex) -> list[str]:
    matrix = index.matrix
    hosts = [""] * len(matrix)
    for host in matrix.hosts:
        start, end = matrix.rows_of(host)
        hosts[start:end] = [host] * (end - start)
    return hosts


def test_a_matrix_of_several_blocks_is_searched_as_one(written: Callable[..., Path], tmp_path: Path) -> None:
    index = DenseIndex.open(written(tmp_path, random_vectors(2_500, 4_096)), memory=0)
    queries = random_vectors(4, 4_096, seed=1)
    found = index.search_vectors(queries, limit=7)
    everything = np.ones(len(index), dtype=bool)
    assert [found_keys(row) for row in found.keys] == [brute_force(index, q, 7, everything) for q in queries]


def test_pages_that_are_equally_near_are_ranked_by_key(written: Callable[..., Path], tmp_path: Path) -> None:
    vectors = random_vectors(2_000, 32)
    vectors[100:1_900] = vectors[100]
    index = DenseIndex.open(written(tmp_path, vectors))
    found = index.search_vectors(vectors[100:101], limit=5)
    assert found.keys.tolist() == [[100, 101, 102, 103, 104]]
    assert found.scores.tolist() == [[pytest.approx(1.0, abs=1e-3)] * 5]


def test_results_do_not_depend_on_the_batch(coarse: DenseIndex) -> None:
    queries = random_vectors(64, 12, seed=3)
    together = coarse.search_vectors(queries)
    for number, query in enumerate(queries):
        alone = coarse.search_vectors(query[None])
        assert alone.keys.tolist() == [together.keys[number].tolist()]
        assert alone.scores.tolist() == [together.scores[number].tolist()]


def test_a_ranking_of_texts_does_not_depend_on_the_batch(sample: DenseIndex) -> None:
    words = ["tide", "harbour", "apple", "stars", "wind", "lamp", "bread", "stone", "river", "glass"]
    requests = [SearchRequest(" ".join(words[: 1 + n % 10]) + f" number {n % 30}", 1 + n % 20) for n in range(64)]
    together = sample.rank(requests)
    assert [sample.rank([request])[0] for request in requests[:30]] == together[:30]


def test_results_do_not_depend_on_the_memory_it_may_keep(coarse: DenseIndex) -> None:
    queries = random_vectors(20, 12, seed=4)
    frugal = DenseIndex(coarse.matrix, memory=0)
    for site in ("", "a.example"):
        assert frugal.search_vectors(queries, site).keys.tolist() == coarse.search_vectors(queries, site).keys.tolist()


def test_results_hold_where_a_program_lets_torch_multiply_less_precisely(coarse: DenseIndex) -> None:
    import torch

    queries = random_vectors(20, 12, seed=5)
    precise = coarse.search_vectors(queries)
    torch.set_float32_matmul_precision("medium")
    try:
        assert coarse.search_vectors(queries).keys.tolist() == precise.keys.tolist()
    finally:
        torch.set_float32_matmul_precision("highest")


def test_float16_finds_what_float32_finds(written: Callable[..., Path], tmp_path: Path) -> None:
    """At least 0.99 of the ten nearest, over vectors that lie in clusters as those of texts do."""
    rng = np.random.default_rng(0)
    centres = rng.standard_normal((40, 384))
    vectors = centres[rng.integers(0, 40, 2_000)] + 0.7 * rng.standard_normal((2_000, 384))
    queries = vectors[:100] + 0.5 * rng.standard_normal((100, 384))
    index = DenseIndex.open(written(tmp_path, vectors))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    exact = np.argsort(-(queries @ unit.T), axis=1)[:, :10]
    found = index.search_vectors(queries).keys
    shared = [len(set(a.tolist()) & set(b.tolist())) / 10 for a, b in zip(found, exact, strict=True)]
    assert np.mean(shared) >= 0.99


def test_it_is_an_engine(sample: DenseIndex) -> None:
    assert isinstance(sample, Engine)


def test_a_title_finds_its_page(sample: DenseIndex) -> None:
    web = sample_web()
    results = [result for site in web.sites for result in _pages_of(web, site)]
    ranked = sample.rank([SearchRequest(result.title, 1) for result in results])
    first = sum(hits[0].key == key_of(result.url) for hits, result in zip(ranked, results, strict=True))
    assert first >= 60  # of 65


def test_quotation_marks_mean_nothing(sample: DenseIndex) -> None:
    plain, quoted = sample.rank([SearchRequest("a tide mill"), SearchRequest('"a tide" mill')])
    assert plain == quoted


def test_a_query_of_a_site_alone_gives_its_pages_by_key(coarse: DenseIndex) -> None:
    hits = coarse.rank([SearchRequest("site:docs.a.example", 4)])[0]
    assert [hit.key for hit in hits] == [3, 5, 10, 12]  # of docs.a.example 3, 10, …, of old.docs.a.example 5, 12, …


def test_a_query_that_says_nothing_finds_nothing(coarse: DenseIndex) -> None:
    requests = [SearchRequest(query) for query in ("", " ", "?!", "-site:a.example", '""', "site:nowhere.example tide")]
    assert coarse.rank([*requests, SearchRequest("site:a.example", 0)]) == [[]] * 7


def test_a_date_that_is_none_is_refused(coarse: DenseIndex) -> None:
    with pytest.raises(InvalidArgument, match="expected an ISO date"):
        coarse.rank([SearchRequest("site:a.example", scope=Scope(as_of="soon"))])


def test_texts_need_an_encoder(coarse: DenseIndex) -> None:
    with pytest.raises(InvalidArgument, match="without an encoder"):
        coarse.rank([SearchRequest("tide")])


def test_fewer_pages_than_asked_for_leave_the_rest_empty(coarse: DenseIndex) -> None:
    found = coarse.search_vectors(random_vectors(1, 12), "old.docs.a.example", limit=500)
    assert found.keys.shape == (1, 500)
    assert len(found_keys(found.keys[0])) == 428
    assert coarse.search_vectors(random_vectors(2, 12), "nowhere.example", 3).keys.tolist() == [[-1] * 3] * 2


@pytest.mark.parametrize(
    ("vectors", "limit", "message"),
    [
        (np.ones((2, 5)), 10, "vectors of 5 numbers: expected 12"),
        (np.ones(12), 10, r"vectors of shape \[12\]: expected \[n, dimension\]"),
        (np.array([[1.0] * 12, [0.0] * 12]), 10, "vector 1 is zero"),
        (np.full((1, 12), np.nan), 10, "vector 0 holds NaN"),
        (np.ones((1, 12)), 0, "limit=0: expected at least 1"),
    ],
)
def test_vectors_that_cannot_be_searched_are_refused(
    coarse: DenseIndex, vectors: Any, limit: int, message: str
) -> None:
    with pytest.raises(InvalidArgument, match=message):
        coarse.search_vectors(vectors, limit=limit)


def test_an_unknown_device_is_refused(coarse: DenseIndex) -> None:
    with pytest.raises(InvalidArgument, match="expected cpu or cuda"):
        DenseIndex(coarse.matrix, device="abacus")


def test_vectors_of_another_model_are_refused(written: Callable[..., Path], encoder: Any, tmp_path: Path) -> None:
    other = written(tmp_path / "other", random_vectors(10, 384), model="owner/another")
    with pytest.raises(
        CorpusError, match="the vectors of the pages are of model owner/another, the encoder's of model"
    ):
        DenseIndex.open(other, encoder)
    same = written(tmp_path / "same", random_vectors(10, 384), model="owner/model")
    assert len(DenseIndex.open(same, encoder)) == 10


def test_vectors_of_another_dimension_are_refused(written: Callable[..., Path], encoder: Any, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="the vectors of the pages have 12 numbers, the encoder's 384"):
        DenseIndex.open(written(tmp_path, random_vectors(10, 12)), encoder)


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("dense.json", None, "dense.json is missing"),
        ("dense.json", b"{}", "has the format None, this webenv reads 1"),
        ("dense.json", b"[1", "dense.json is not what was written"),
        ("vectors.npy", None, "vectors.npy is missing"),
        ("vectors.npy", b"\x93NUMPY", "vectors.npy is not what was written"),
        ("keys.npy", None, "keys.npy is missing"),
        ("sites.json", b'{"hosts": ["a"], "starts": [99]}', "sites.json is not what was written"),
    ],
)
def test_a_damaged_folder_is_named(
    written: Callable[..., Path], tmp_path: Path, name: str, content: bytes | None, error: str
) -> None:
    folder = written(tmp_path, random_vectors(10, 12))
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises((CorpusDamaged, CorpusError), match=error):
        DenseIndex.open(folder)


def test_a_closed_index_can_be_used_again(coarse: DenseIndex) -> None:
    before = coarse.search_vectors(random_vectors(1, 12)).keys.tolist()
    coarse.close()
    assert coarse.search_vectors(random_vectors(1, 12)).keys.tolist() == before


def test_the_identity_names_vectors_and_encoder(sample: DenseIndex, coarse: DenseIndex) -> None:
    assert coarse.identity == {"name": "dense", "vectors": coarse.matrix.digest}
    assert sample.identity["encoder_model"] == "model"
    assert len(sample.identity["encoder_weights"]) == 16
