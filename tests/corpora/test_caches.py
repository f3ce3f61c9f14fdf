"""What was used lately stays, within so many bytes; a corpus answers equal searches once."""

from __future__ import annotations

from collections.abc import Sequence

from webenv.corpora import Corpus
from webenv.corpora.caches import _RESULTS, RESULTS, LRUCache
from webenv.corpora.engine import Hit
from webenv.corpora.lexical import LexicalIndex
from webenv.web import Failure, Scope, SearchRequest

PAGES = [
    {"url": f"https://{host}.example/{n}", "title": f"{host} {n}", "text": f"Tide table {n}.", "date": f"202{n}-01-01"}
    for host in "ab"
    for n in range(3)
]


def counted(corpus: Corpus, asked: list[int]) -> Corpus:
    """The corpus, with note taken of how many requests its index gets."""
    rank = corpus.engine.rank

    def noted(requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        asked.append(len(requests))
        return rank(requests)

    assert isinstance(corpus.engine, LexicalIndex)
    corpus.engine.rank = noted  # type: ignore[method-assign]
    return corpus


def test_equal_requests_are_answered_once() -> None:
    """In one batch and over several; what is new in a batch is asked alone."""
    asked: list[int] = []
    corpus = counted(Corpus.of(PAGES), asked)
    first = corpus.search([SearchRequest("tide"), SearchRequest("table"), SearchRequest("tide")])
    again = corpus.search([SearchRequest("table"), SearchRequest("two"), SearchRequest("tide")])
    assert asked == [2, 1]
    assert again[0] == first[1]
    assert again[2] == first[0] == first[2]
    corpus.forget()
    assert corpus.search([SearchRequest("tide")]) == [first[0]]
    assert asked == [2, 1, 1]


def test_scope_and_limit_tell_requests_apart() -> None:
    """A kept answer is not given to who may see less of the web, or wants fewer results."""
    corpus = Corpus.of(PAGES)
    everything = SearchRequest("tide")
    narrower = [
        everything._replace(limit=2),
        everything._replace(scope=Scope(blocked=("b.example",))),
        everything._replace(scope=Scope(as_of="2020-06-01")),
    ]
    assert len(corpus.search([everything])[0]) == 6
    assert [len(found) for found in corpus.search(narrower)] == [2, 3, 2]
    assert [len(found) for found in corpus.search([everything, *narrower])] == [6, 2, 3, 2]


def test_all_webs_of_a_process_keep_so_many_answers_together() -> None:
    """Many worlds, each asked much, take no more room than one; none is given another's answers."""
    webs = [Corpus.of([{**page, "text": f"Tide {number}. {'word ' * 40}"} for page in PAGES]) for number in range(4)]
    for n in range(400):
        for web in webs:
            web.search([SearchRequest(f"tide {n} {'x ' * 10_000}")])
    assert 0 <= _RESULTS._entries.free < RESULTS
    held = sum(len(request.query) for _, request in _RESULTS._entries.values)
    assert RESULTS // 2 < held <= RESULTS
    for number, web in enumerate(webs):
        (found,) = web.search([SearchRequest("tide")])
        assert not isinstance(found, Failure)
        assert found[0].snippet.startswith(f"Tide {number}.")


def test_those_used_longest_ago_go() -> None:
    """A value that was looked at stays before one that was not."""
    recent: LRUCache[str, int] = LRUCache(10)
    for name, size in (("a", 4), ("b", 4)):
        recent.put(name, 1, size)
    assert recent.get("a") == 1
    recent.put("c", 3, 4)
    assert [recent.get(name) for name in "abc"] == [1, None, 3]


def test_what_is_put_again_takes_its_new_size() -> None:
    """Room that a value gives back is used by others."""
    recent: LRUCache[str, int] = LRUCache(10)
    recent.put("a", 1, 9)
    recent.put("a", 2, 2)
    recent.put("b", 3, 8)
    assert [recent.get(name) for name in "ab"] == [2, 3]
    recent.put("c", 4, 11)
    assert [recent.get(name) for name in "abc"] == [2, 3, None]


def test_nobody_waits_for_another() -> None:
    """While another thread is at it, which a fork may have lost, nothing is found or kept; clearing makes it anew."""
    recent: LRUCache[str, int] = LRUCache(10)
    recent.put("a", 1, 4)
    recent._entries.lock.acquire()
    recent.put("b", 2, 4)
    assert recent.get("a") is None
    recent.clear()
    recent.put("b", 2, 4)
    assert [recent.get(name) for name in "ab"] == [None, 2]
