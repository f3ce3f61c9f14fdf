"""Lucene ranks as Lucene does, under the filters that every engine heeds."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from tests.extras import needs_extra
from webenv.corpora import SourcePage
from webenv.corpora.document import IndexedPage, source_page
from webenv.corpora.engine import Engine, Hit
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.lucene import index as lucene
from webenv.corpora.lucene import jvm
from webenv.corpora.lucene.index import LuceneIndex, build_lucene
from webenv.corpora.procedural import WebConfig
from webenv.corpora.sample.web import sample_web
from webenv.corpora.world import WorldWeb
from webenv.errors import CorpusDamaged, CorpusError, InvalidArgument
from webenv.urls import host_of, page_key
from webenv.web import Scope, SearchRequest

needs_extra("lucene")

Build = Callable[[Sequence[IndexedPage]], Path]


def indexed(pages: Sequence[SourcePage]) -> list[IndexedPage]:
    """Pages as a corpus hands them to its engines."""
    made = [IndexedPage(page_key(p.url), p.title, p.text, host_of(p.url), p.date) for p in pages]
    return sorted(made, key=lambda page: (page.site, page.key))


def keys(engine: Engine, *requests: SearchRequest) -> list[list[int]]:
    return [[hit.key for hit in hits] for hits in engine.rank(requests)]


def found(engine: Engine, query: str, limit: int = 10) -> list[int]:
    return keys(engine, SearchRequest(query, limit))[0]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    def build(pages: Sequence[IndexedPage]) -> Path:
        folder = tmp_path_factory.mktemp("lucene") / "index"
        assert build_lucene(pages, folder) == len(pages)
        return folder

    return build


@pytest.fixture(scope="module")
def real(build: Build) -> tuple[list[IndexedPage], Path]:
    """The sample web and a generated one of 500 pages, and their index."""
    generated = WorldWeb(WebConfig.parse("procedural:pages=500")).pages()
    made = [SourcePage(page.url, page.title, page.text, date=page.date) for page in generated]
    pages = indexed([*(source_page(page, "") for page in sample_web().pages()), *made])
    return pages, build(pages)


@pytest.fixture(scope="module")
def sixty(build: Build, pages: list[SourcePage]) -> Iterator[tuple[LuceneIndex, LexicalIndex]]:
    """Both engines over sixty pages of three sites, half of them with a date."""
    made = indexed(pages)
    index = LuceneIndex.open(build(made), threads=2)
    yield index, LexicalIndex.build(made)
    index.close()


def draw(pages: Sequence[IndexedPage], count: int) -> list[str]:
    """Queries of 3 to 8 words that stand in a row in some page, the addresses of its links left out."""
    rng = random.Random(3)
    texts = [words for page in pages if len(words := re.sub(r'\]\([^)\s]*\)|["“”„]', " ", page.text).split()) > 16]
    queries = []
    for _ in range(count):
        words = rng.choice(texts)
        start = rng.randrange(len(words) - 8)
        queries.append(" ".join(words[start : start + rng.randint(3, 8)]))
    return queries


# ── rankings ──────────────────────────────────────────────────────────────────


def test_agrees_with_tantivy(real: tuple[list[IndexedPage], Path]) -> None:
    """At tantivy's k1 and b, most hits are tantivy's, or as good as its tenth: the stemmers differ in some words."""
    pages, folder = real
    queries = draw(pages, 150)
    theirs = LexicalIndex.build(pages).rank([SearchRequest(query, 60) for query in queries])
    index = LuceneIndex.open(folder, k1=1.2, b=0.75)
    ours = index.rank([SearchRequest(query, 10) for query in queries])
    index.close()
    shares = []
    for mine, yours in zip(ours, theirs, strict=True):
        if not yours:  # stop words alone
            assert not mine
            continue
        last = yours[:10][-1].score - 1e-5
        good = {hit.key for hit in yours if hit.score >= last}
        shares.append(len(good & {hit.key for hit in mine}) / max(len(mine), len(yours[:10])))
    assert sum(shares) / len(shares) >= 0.85  # .91 is usual


def test_scores_are_anserinis(real: tuple[list[IndexedPage], Path], tmp_path: Path) -> None:
    """At the default k1 and b, scores are those of Anserini's own searcher on an index of its own."""
    pages, folder = real
    index = LuceneIndex.open(folder)
    queries = [*draw(pages, 50), "tide tide lighthouse"]
    ours = index.rank([SearchRequest(query) for query in queries])
    index.close()
    indexer = jvm.java("io.anserini.index.SimpleIndexer")(str(tmp_path / "theirs"))
    indexer.addRawDocuments([json.dumps({"id": str(p.key), "contents": f"{p.title}\n{p.text}"}) for p in pages])
    indexer.close()
    searcher = jvm.java("io.anserini.search.SimpleSearcher")(str(tmp_path / "theirs"))
    for query, hits in zip(queries, ours, strict=True):
        theirs = searcher.search(query, 10)
        assert [hit.score for hit in hits] == pytest.approx([hit.score for hit in theirs], rel=1e-4)
        clear = {int(hit.docid) for hit in theirs if hit.score > theirs[-1].score * 1.0001}  # what no tie can displace
        assert clear <= {hit.key for hit in hits}
    searcher.close()


def test_ties_are_broken_by_key(build: Build) -> None:
    """Among pages that score alike the lower key comes first, wherever the cut is."""
    pages = [IndexedPage(key, "", "the same words", f"{key % 7}.example", "") for key in range(500, 0, -1)]
    index = LuceneIndex.open(build(pages))
    for limit in (1, 7, 300, 900):
        assert found(index, "words", limit) == list(range(1, min(limit, 500) + 1))
    assert found(index, "site:example", 4) == [1, 2, 3, 4]
    assert found(index, "words site:3.example", 3) == [3, 10, 17]


def test_parts_of_an_index_do_not_show(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """An index of several segments ranks as one of a single segment does."""
    rng = random.Random(7)
    words = [f"word{n}" for n in range(40)]
    pages = [
        IndexedPage(n, "", " ".join(rng.choice(words) for _ in range(rng.choice((5, 9, 30)))), f"s{n % 5}.example", "")
        for n in range(3_000)
    ]
    one = LuceneIndex.open(build(pages))
    monkeypatch.setattr(lucene, "_BUFFER_MB", 0.1)
    many = LuceneIndex.open(build(pages))
    segments = [index._opened().java.leaves().size() for index in (one, many)]
    assert segments[0] == 1
    assert segments[1] > 3
    requests = []
    for _ in range(100):
        query = " ".join(rng.choice(words) for _ in range(rng.choice((1, 1, 2, 4))))
        requests.append(SearchRequest(query + rng.choice(("", " site:s1.example")), rng.choice((1, 3, 10, 50))))
    assert one.rank(requests) == many.rank(requests)


def test_a_batch_is_its_requests(real: tuple[list[IndexedPage], Path]) -> None:
    """Several threads find what one thread finds, request by request; a closed index opens again."""
    pages, folder = real
    requests = [SearchRequest(query) for query in draw(pages, 60)]
    single, several = LuceneIndex.open(folder, threads=1), LuceneIndex.open(folder, threads=3)
    expected = [single.rank([request])[0] for request in requests]
    for _ in range(2):
        assert several.rank(requests) == expected
        several.close()
    single.close()


def test_threads_share_an_index(real: tuple[list[IndexedPage], Path]) -> None:
    """Python threads that search at once, two indexes and all kinds of filters, find what one thread finds."""
    pages, folder = real
    sites = sorted({page.site for page in pages})[:8]
    requests = [
        SearchRequest(f"{query} {'-' * (n % 2)}site:{sites[n % 8]}", 10, Scope(blocked=(sites[n % 7],)))
        for n, query in enumerate(draw(pages, 40))
    ]
    indexes = [LuceneIndex.open(folder, threads=2), LuceneIndex.open(folder, k1=1.2, b=0.75, threads=1)]
    expected = [index.rank(requests) for index in indexes]
    with ThreadPoolExecutor(8) as crew:
        tasks = [crew.submit(indexes[n % 2].rank, requests[n % 5 :]) for n in range(40)]
        for n, task in enumerate(tasks):
            assert task.result() == expected[n % 2][n % 5 :]
    for index in indexes:
        index.close()


# ── what a query means ────────────────────────────────────────────────────────

LIBRARY = [
    IndexedPage(1, "The Lamp", "The keeper's lamp was lit at dusk in the tower.", "a.example", "2024-01-15"),
    IndexedPage(2, "Lamps", "Lit lamps, a keeper, towers of glass.", "b.a.example", "2024-03-01"),
    IndexedPage(3, "灯台", "白い灯台は港の近くにあります。トマトジュースを飲みました。", "c.example", ""),
    IndexedPage(4, "港", "港の台に灯がある。", "c.example", "2023-12-31"),
    IndexedPage(5, "Ünïcode 😀", "Naïve café, emoji 😀 party", "d.example", "2024-02-29"),
]


@pytest.fixture(scope="module")
def library(build: Build) -> Iterator[LuceneIndex]:
    index = LuceneIndex.open(build(LIBRARY))
    yield index
    index.close()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("lighting", set()),
        ("LAMP", {1, 2}),
        ("keeper", {1, 2}),
        ('"lamp keeper"', set()),
        ('"keeper lamp"', {1}),
        ('"lit at dusk"', {1}),
        ('"lit dusk"', set()),
        ('"lamp" keeper', {1, 2}),
        ('"the" glass', {2}),
        ("the of", set()),
        ("灯台", {3, 4}),
        ('"灯台"', {3}),
        ('"トマト"', {3}),
        ("site:a.example", {1, 2}),
        ("site:www.B.A.example/x", {2}),
        ("lamp -site:b.a.example", {1}),
        ("-site:b.a.example", set()),
        ("site:a.example site:c.example", {1, 2, 3, 4}),
        ("site:nowhere.example", set()),
        ("😀", {5}),
        ("café", {5}),
    ],
)
def test_words_phrases_and_sites(library: LuceneIndex, query: str, expected: set[int]) -> None:
    """Any word may match, every phrase must, stop words leave gaps, and each Han and Kana is a word."""
    assert set(found(library, query)) == expected


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {1, 2, 3, 4, 5}),
        (Scope(as_of="2024-01-15"), {1, 4}),
        (Scope(as_of="2024-02-29T10:00:00"), {1, 4, 5}),
        (Scope(blocked=("a.example",)), {3, 4, 5}),
        (Scope(blocked=("https://www.c.example/x", "d.example", "")), {1, 2}),
        (Scope(blocked=("b.a.example",), as_of="2024-12-31"), {1, 4, 5}),
    ],
)
def test_scopes(library: LuceneIndex, scope: Scope, expected: set[int]) -> None:
    """Blocked hosts go with their subdomains, and pages without a date are of no day."""
    assert set(keys(library, SearchRequest("lamp 港 emoji", 10, scope))[0]) == expected


def test_filters_are_those_of_tantivy(sixty: tuple[LuceneIndex, LexicalIndex]) -> None:
    """Whatever filters are combined, both engines allow the same pages, and no filter shows in a score."""
    index, tantivy = sixty
    plain = dict(index.rank([SearchRequest("harbour tide violin", 60)])[0])
    rng = random.Random(5)
    hosts = ["a.example", "b.example", "c.example", "example", "x.example"]
    for _ in range(60):
        query = rng.choice(("", "harbour tide violin", '"harbour"'))
        query += "".join(f" {rng.choice(('', '-'))}site:{rng.choice(hosts)}" for _ in range(rng.randrange(3)))
        blocked = tuple(rng.sample(hosts, rng.choice((0, 0, 1, 2))))
        as_of = rng.choice(("", "", "2024-06-15", "2024-01-01", "2025-01-01"))
        request = SearchRequest(query, 60, Scope(blocked, as_of))
        ours, theirs = index.rank([request])[0], tantivy.rank([request])[0]
        assert {hit.key for hit in ours} == {hit.key for hit in theirs}, request
        if query.startswith("harbour"):
            assert all(score == plain[key] for key, score in ours)


def test_a_wrong_date_raises(library: LuceneIndex) -> None:
    """A scope whose date is none is refused."""
    with pytest.raises(InvalidArgument, match=r"^as_of='soon': expected an ISO date, as in 2025-01-31\.$"):
        library.rank([SearchRequest("lamp", 1, Scope(as_of="soon"))])


# ── hostile queries ───────────────────────────────────────────────────────────

SYNTAX = 'lamp AND (keeper OR text:x) +must -not !bang {a TO b} [1 TO 2] ^3 ~2 * ? : \\ / && || "open'


@pytest.mark.parametrize(
    "query",
    [
        *hostile.TEXTS,
        SYNTAX,
        " ".join(f"lamp{n}" for n in range(10_000)),
        "lamp " * 10_000,
        "😀" * 5_000,
        '"a b" ' * 3_000,
        '"' + "b c " * 5_000 + '"',
        "site:a.example " * 5_000,
        "灯" * 20_000,
        "lamp\x00keeper",
    ],
)
def test_any_text_is_a_query(library: LuceneIndex, query: str) -> None:
    """Lucene's syntax, thousands of words, NUL and lone surrogates are words or nothing."""
    for scope in (Scope(), Scope(blocked=(query[:300],))):
        hits = library.rank([SearchRequest(query, 5, scope)])[0]
        assert len(hits) <= 5


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_text_raises(library: LuceneIndex, query: str) -> None:
    """No text at all makes a search fail."""
    assert all(hit.key in range(1, 6) for hit in library.rank([SearchRequest(query)])[0])


def test_syntax_is_words(library: LuceneIndex) -> None:
    """What Lucene's own query language would read as operators finds what its words find."""
    assert set(found(library, SYNTAX)) == {1, 2}
    assert found(library, "lamp*") == found(library, "lamp")


def test_limits(library: LuceneIndex) -> None:
    """No hits are asked for, more than there are, and none at all in an empty batch."""
    assert [len(hits) for hits in library.rank([SearchRequest("lamp", n) for n in (0, 1, 1_000_000)])] == [0, 1, 2]
    assert library.rank([]) == []


# ── the index ─────────────────────────────────────────────────────────────────


def test_what_it_is(library: LuceneIndex) -> None:
    """An engine, that says all its rankings depend on."""
    assert isinstance(library, Engine)
    assert len(library) == 5
    assert isinstance(library.rank([SearchRequest("lamp")])[0][0], Hit)
    identity = dict(library.identity)
    assert identity.pop("library").startswith("pyserini 1.")
    assert identity == {"name": "lucene", "analysis": "lucene-english-1", "k1": "0.9", "b": "0.4"}


def test_no_pages(build: Build) -> None:
    """An index of no pages finds nothing."""
    index = LuceneIndex.open(build([]))
    assert index.rank([SearchRequest("lamp"), SearchRequest("site:a.example")]) == [[], []]


@pytest.mark.parametrize(("k1", "b"), [(-0.1, 0.4), (0.9, 1.1), (float("nan"), 0.4), (float("inf"), 0.4)])
def test_bm25_out_of_range(build: Build, k1: float, b: float) -> None:
    """k1 and b are checked before anything else."""
    with pytest.raises(InvalidArgument, match="expected k1 from 0 on and b from 0 to 1"):
        LuceneIndex.open("nowhere", k1=k1, b=b)


def test_progress(tmp_path: Path) -> None:
    """A build tells how many pages it has indexed."""
    told: list[tuple[str, int, int | None]] = []
    pages = [IndexedPage(n, "", "lamp", "a.example", "") for n in range(2_500)]
    build_lucene(pages, tmp_path / "index", lambda *step: told.append(step), 2_500)
    assert told == [("indexing", 1_000, 2_500), ("indexing", 2_000, 2_500), ("indexing", 2_500, 2_500)]


def test_a_failing_source_is_not_hidden(tmp_path: Path) -> None:
    """An exception of whoever gives the pages is raised as it is, and leaves no index that opens."""

    def pages() -> Iterator[IndexedPage]:
        yield LIBRARY[0]
        raise KeyError("no more")

    with pytest.raises(KeyError):
        build_lucene(pages(), tmp_path / "index")
    with pytest.raises(CorpusDamaged):
        LuceneIndex.open(tmp_path / "index")


def test_a_damaged_index(build: Build) -> None:
    """A missing or cut file is named, an index of another analysis as well."""
    folder = build(LIBRARY)
    with pytest.raises(CorpusDamaged, match=r"nowhere is no Lucene index of webenv's \(.*\): build it again\.$"):
        LuceneIndex.open(folder / "nowhere")
    (commit,) = (folder / "index").glob("segments_*")
    whole = commit.read_bytes()
    commit.write_bytes(whole[:40])
    with pytest.raises(CorpusDamaged, match=r"^.* cannot be read as a Lucene index: .* Build it again\.$") as error:
        LuceneIndex.open(folder).rank([SearchRequest("lamp")])
    assert "\n" not in str(error.value)
    commit.write_bytes(whole)
    assert found(LuceneIndex.open(folder), "glass") == [2]
    about = folder / "lucene.json"
    about.write_text(about.read_text().replace("lucene-english-1", "lucene-english-0"))
    with pytest.raises(CorpusError, match="was built for 'lucene-english-0', not lucene-english-1: build it again"):
        LuceneIndex.open(folder)
    (folder / "keys.npy").write_bytes(b"")
    with pytest.raises(CorpusDamaged, match="build it again"):
        LuceneIndex.open(folder)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_before_the_first_request(build: Build) -> None:
    """An index that was opened and not used yet works on both sides of a fork."""
    script = (
        "import os, sys, warnings\nwarnings.simplefilter('ignore')\n"
        "from webenv.corpora.lucene.index import LuceneIndex\nfrom webenv.web import SearchRequest\n"
        "index = LuceneIndex.open(sys.argv[1])\nchild = os.fork()\n"
        "print([hit.key for hit in index.rank([SearchRequest('glass')])[0]], flush=True)\n"
        "if child:\n    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, build(LIBRARY)], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("[2]\n[2]\n0\n", "")
