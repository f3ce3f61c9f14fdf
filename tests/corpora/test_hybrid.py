"""Rankings are fused by reciprocal ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from webenv.corpora.document import IndexedPage
from webenv.corpora.engine import Engine, Hit, HybridEngine, reciprocal_rank_fusion
from webenv.corpora.lexical import LexicalIndex
from webenv.errors import InvalidArgument
from webenv.web import Scope, SearchRequest


class ListEngine:
    """Gives the same ranking to every request."""

    def __init__(self, *keys: int) -> None:
        self.keys = keys
        self.limits: list[int] = []
        self.closed = False

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "list"}

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        self.limits += [request.limit for request in requests]
        return [[Hit(key, 1.0) for key in self.keys[: request.limit]] for request in requests]

    def close(self) -> None:
        self.closed = True


@pytest.fixture(scope="module")
def lexical() -> LexicalIndex:
    texts = ["the tide mill", "a mill", "a tide and a tide table", "bread"]
    return LexicalIndex.build(
        IndexedPage(n, "", text, f"{'ab'[n % 2]}.example", f"2024-0{n + 1}-01") for n, text in enumerate(texts)
    )


def test_ties_are_broken_by_key() -> None:
    assert [hit.key for hit in reciprocal_rank_fusion([[9, 4], [4, 9], [7], [2]])] == [4, 9, 2, 7]


def test_nothing_fused_is_nothing() -> None:
    assert reciprocal_rank_fusion([[], []]) == []


def test_a_page_that_both_find_beats_the_first_of_either() -> None:
    engine = HybridEngine([ListEngine(1, 2, 3), ListEngine(4, 5, 3)])
    hits = engine.rank([SearchRequest("x", 3)])[0]
    assert [hit.key for hit in hits] == [3, 1, 4]
    assert hits[0].score == pytest.approx(2 / 63)


def test_engines_are_asked_for_more_than_is_wanted() -> None:
    one = ListEngine(1)
    HybridEngine([one], depth=50).rank([SearchRequest("x", 10), SearchRequest("x", 80), SearchRequest("x", 0)])
    assert one.limits == [50, 80, 0]


def test_filters_reach_every_engine(lexical: LexicalIndex) -> None:
    engine = HybridEngine([lexical, lexical])
    requests = [
        SearchRequest("tide mill site:a.example"),
        SearchRequest("tide mill", scope=Scope(blocked=("a.example",))),
        SearchRequest("tide mill", scope=Scope(as_of="2024-01-31")),
        SearchRequest("tide mill", 1),
    ]
    assert [[hit.key for hit in hits] for hits in engine.rank(requests)] == [[0, 2], [1], [0], [0]]


def test_a_query_that_says_nothing_finds_nothing(lexical: LexicalIndex) -> None:
    assert HybridEngine([lexical]).rank([SearchRequest(""), SearchRequest("mill", 0)]) == [[], []]


def test_the_identity_names_the_parts() -> None:
    engine = HybridEngine([ListEngine(1), ListEngine(2)], depth=20, k=10)
    expected = {"name": "hybrid", "depth": "20", "k": "10", "1_name": "list", "2_name": "list"}
    assert engine.identity == expected
    assert isinstance(engine, Engine)


def test_closing_closes_every_engine() -> None:
    engines = [ListEngine(1), ListEngine(2)]
    HybridEngine(engines).close()
    assert [engine.closed for engine in engines] == [True, True]


@pytest.mark.parametrize(("count", "depth", "k"), [(0, 10, 60), (1, 0, 60), (1, 10, -1)])
def test_settings_that_mean_nothing_are_refused(count: int, depth: int, k: int) -> None:
    with pytest.raises(InvalidArgument, match="expected an engine, a depth from 1 and k from 0"):
        HybridEngine([ListEngine(1)] * count, depth, k)
