"""A corpus is searched, visited and asked; it is fixed, shared, and the same everywhere."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webenv.corpora import ContentAgents, Corpus, SourcePage, build
from webenv.errors import CorpusError, InvalidArgument
from webenv.observations import Page, Result
from webenv.web import AskRequest, Missing, Scope, SearchRequest, VisitRequest, Web

FACTS = [
    SourcePage(
        "https://www.sea.example/neap", "Neap tides", "Neap tides come at half moon. They are weak.", date="2024-05-01"
    ),
    SourcePage("https://www.sea.example/spring", "Spring tides", "Spring tides come at full moon. They are strong."),
    SourcePage("https://birds.example/tern", "Terns", "The tern follows the tides along the coast.", date="2025-02-03"),
    SourcePage(
        "https://old.birds.example/gull",
        "Gulls",
        "A gull eats what the moon tides leave.",
        aliases=("https://gulls.example",),
    ),
]


@pytest.fixture(scope="module")
def facts() -> Corpus:
    return Corpus.of(FACTS)


def urls(corpus: Corpus, query: str, **keywords: object) -> list[str]:
    (hits,) = corpus.search([SearchRequest(query, **keywords)])
    assert isinstance(hits, tuple)
    return [hit.url for hit in hits]


def test_it_is_a_web(facts: Corpus) -> None:
    """A corpus satisfies the Web protocol and says what it is."""
    assert isinstance(facts, Web)
    assert facts.identity["name"] == "corpus"
    assert len(facts.identity["digest"]) == 64
    assert facts.info() == {"pages": 4, "aliases": 1, "copies": 0, "sites": 3, "digest": facts.digest}
    assert (len(facts), dict(facts.sites)) == (4, {"birds.example": 1, "old.birds.example": 1, "sea.example": 2})


def test_results_are_whole(facts: Corpus) -> None:
    """A result has title, URL, snippet, site without www, and the page's key."""
    ((hit,),) = facts.search([SearchRequest("neap")])
    assert hit == Result(
        "Neap tides",
        "https://www.sea.example/neap",
        "Neap tides come at half moon. They are weak.",
        "sea.example",
        hit.key,
    )
    (page,) = facts.visit([VisitRequest(hit.url)])
    assert page == Page(hit.url, "Neap tides", "Neap tides come at half moon. They are weak.", "2024-05-01", hit.key)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"half moon"', ["neap"]),
        ('"moon half"', []),
        ("tides site:birds.example", ["gull", "tern"]),
        ("tides site:WWW.SEA.EXAMPLE", ["neap", "spring"]),
        ("tides -site:birds.example", ["neap", "spring"]),
        ("tides site:old.birds.example", ["gull"]),
        ("tides site:birds.example site:sea.example -site:old.birds.example", ["neap", "spring", "tern"]),
        ("site:sea.example", ["neap", "spring"]),
        ("-site:sea.example", []),
        ("site:elsewhere.example tides", []),
        ("zebra", []),
        ("", []),
    ],
)
def test_operators(facts: Corpus, query: str, found: list[str]) -> None:
    """Phrases must occur, sites filter with their subdomains, and a query that says nothing finds nothing."""
    assert sorted(url.rsplit("/", 1)[1] for url in urls(facts, query)) == found


def test_filters_do_not_change_scores(facts: Corpus) -> None:
    """What a site filter leaves stays in the order that it had."""
    ranked = urls(facts, "moon tides coast")
    assert [url for url in ranked if "birds" in url] == urls(facts, "moon tides coast site:birds.example")


def test_scope_hides_hosts_and_later_pages(facts: Corpus) -> None:
    """Blocked hosts are hidden with their subdomains; under a date, later and undated pages do not exist."""
    blocked = Scope(blocked=("WWW.birds.example",))
    assert all("sea.example" in url for url in urls(facts, "tides", scope=blocked))
    assert facts.visit([VisitRequest("https://old.birds.example/gull", blocked)]) == [Missing("there is no such page")]
    then = Scope(as_of="2024-12-31")
    assert urls(facts, "tides", scope=then) == ["https://www.sea.example/neap"]
    visits = [VisitRequest(page.url, then) for page in FACTS]
    assert [isinstance(page, Page) for page in facts.visit(visits)] == [True, False, False, False]
    assert urls(facts, "tides", scope=Scope(as_of="2024-05-01")) == ["https://www.sea.example/neap"]


def test_a_date_that_is_none_is_refused(facts: Corpus) -> None:
    """A scope's date must be an ISO date."""
    with pytest.raises(InvalidArgument, match="as_of='soon': expected an ISO date"):
        facts.search([SearchRequest("tides", scope=Scope(as_of="soon"))])


def test_pages_are_found_by_any_form_of_their_url(facts: Corpus) -> None:
    """Scheme, www, slash, fragment and tracking do not matter, aliases lead to their page, the rest is missing."""
    forms = ["http://sea.example/neap/#x", "sea.example/neap?utm_source=y", "HTTPS://WWW.SEA.EXAMPLE:443/./neap"]
    assert {page.url for page in facts.visit([VisitRequest(url) for url in forms])} == {"https://www.sea.example/neap"}
    (gull,) = facts.visit([VisitRequest("http://www.gulls.example/")])
    assert isinstance(gull, Page)
    assert gull.url == "https://old.birds.example/gull"
    assert (
        facts.visit([VisitRequest("https://sea.example/NEAP"), VisitRequest("")])
        == [Missing("there is no such page")] * 2
    )


def test_sites_can_be_asked(facts: Corpus) -> None:
    """A reply has the best sentences of the site's pages; an unknown site is missing."""
    reply, unknown = ContentAgents(facts).ask(
        [AskRequest('When do "neap" tides come?', "www.sea.example"), AskRequest("?", "no.example")]
    )
    assert reply.site == "sea.example"
    assert "Neap tides come at half moon." in reply.text
    assert reply.documents[0].url == "https://www.sea.example/neap"
    assert unknown == Missing("no such site")


def test_equal_requests_are_answered_once_and_in_order(facts: Corpus) -> None:
    """A batch comes back in its own order, whatever is repeated in it."""
    alone = [facts.search([SearchRequest(query)])[0] for query in ("moon", "tern", "moon")]
    assert facts.search([SearchRequest("moon"), SearchRequest("tern"), SearchRequest("moon")]) == alone


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(), max_size=60), st.integers(0, 50))
def test_any_text_can_be_searched_visited_and_asked(text: str, limit: int) -> None:
    """No query, URL, question or site makes a corpus fail."""
    corpus = _SHARED
    for query in (text, f'"{text}" tides', f"site:{text} tides", f"{text} site:sea.example"):
        (hits,) = corpus.search([SearchRequest(query, limit)])
        assert len(hits) <= limit
    assert corpus.visit([VisitRequest(text)])
    assert ContentAgents(corpus).ask([AskRequest(text, text), AskRequest(text, "sea.example")])


_SHARED = Corpus.of(FACTS)


@pytest.mark.parametrize(
    "query", ["x" * 1_000_000, '"tides ' * 150_000, "tides " * 200_000, "site:a" * 150_000, "\0" * 10**6]
)
def test_huge_queries_are_answered(facts: Corpus, query: str) -> None:
    """A query of a megabyte is answered within two seconds of processor time."""
    started = time.process_time()
    facts.search([SearchRequest(query)])
    facts.visit([VisitRequest(query)])
    ContentAgents(facts).ask([AskRequest(query, "sea.example")])
    assert time.process_time() - started < 2.0


def test_a_corpus_in_memory_takes_what_pages_come_as() -> None:
    """Source pages, pages and mappings make the same corpus."""
    text = "Terns follow the tides."
    given = [
        SourcePage("https://a.example/x", "X", text),
        Page("https://a.example/x", "X", text),
        {"url": "https://a.example/x", "title": "X", "text": text},
        {"url": "https://a.example/x", "html": f"<html><title>X</title><body><p>{text}</p></body></html>"},
    ]
    assert len({Corpus.of([page]).digest for page in given}) == 1
    assert len(Corpus.of(given)) == 1


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ({"url": "nowhere", "text": "x"}, r"page 0 \(nowhere\): bad URL"),
        ({"url": "https://a.example/", "text": " \0"}, "empty text"),
        ({"text": "x"}, "page 0 is {'text': 'x'}: expected a mapping with url"),
        ({"url": "https://a.example/", "text": "x", "body": "y"}, "expected a mapping with url"),
    ],
)
def test_a_page_that_cannot_be_used_is_named(page: dict[str, str], message: str) -> None:
    """In memory a page that cannot be used is an error that says which one and why."""
    with pytest.raises(CorpusError, match=message):
        Corpus.of([page])


def test_two_texts_for_one_url_are_an_error() -> None:
    """In memory two different pages cannot have one URL."""
    with pytest.raises(CorpusError, match="URL already taken by a page with another text"):
        Corpus.of([{"url": "https://a.example/x", "text": "one"}, {"url": "http://a.example/x/", "text": "two"}])


def test_an_empty_corpus_answers() -> None:
    """A corpus without pages finds nothing."""
    empty = Corpus.of([])
    assert empty.search([SearchRequest("x")]) == [()]
    assert isinstance(empty.visit([VisitRequest("https://a.example")])[0], Missing)


def test_order_of_pages_does_not_matter(pages: list[SourcePage]) -> None:
    """The same pages in another order are the same corpus with the same rankings."""
    one, other = Corpus.of(pages), Corpus.of(reversed(pages))
    requests = [
        SearchRequest(query, 20)
        for query in ("harbour", "tide lantern", "violin glacier meadow copper", "example page")
    ]
    assert one.digest == other.digest
    assert list(one.urls()) == list(other.urls())
    assert one.search(requests) == other.search(requests)


def test_copies_survive_pickling_and_deepcopy(pages: list[SourcePage], folder: Path) -> None:
    """A pickled corpus answers as before; a deep copy is the corpus itself."""
    for corpus in (Corpus.of(pages), Corpus.open(folder)):
        assert copy.deepcopy(corpus) is corpus
        twin = pickle.loads(pickle.dumps(corpus))
        request = [SearchRequest("harbour tide")]
        assert twin.search(request) == corpus.search(request)
        assert twin.identity == corpus.identity


def _ask_everything(corpus: Corpus, queue: multiprocessing.SimpleQueue[object]) -> None:
    hits = corpus.search([SearchRequest("harbour tide", 3)])
    queue.put((hits, corpus.visit([VisitRequest(hit.url) for hit in hits[0]])))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_a_forked_process_can_go_on(kind: str, pages: list[SourcePage], folder: Path) -> None:
    """A corpus that was used before a fork works in the child and in the parent."""
    corpus = Corpus.of(pages) if kind == "memory" else Corpus.open(folder)
    context = multiprocessing.get_context("fork")
    here: multiprocessing.SimpleQueue[object] = context.SimpleQueue()
    _ask_everything(corpus, here)
    child = context.Process(target=_ask_everything, args=(corpus, here), daemon=True)
    child.start()
    ours, theirs = here.get(), here.get()
    child.join()
    assert ours == theirs


def test_threads_share_a_corpus(folder: Path) -> None:
    """Eight threads that search and visit at once get what one gets."""
    with Corpus.open(folder) as corpus:
        requests = [SearchRequest(query) for query in ("harbour", "tide lantern", "violin")]
        expected = corpus.search(requests)
        visits = [VisitRequest(url) for url in corpus.urls()]
        pages = corpus.visit(visits)
        wrong: list[str] = []

        def work() -> None:
            for _ in range(20):
                if corpus.search(requests) != expected or corpus.visit(visits) != pages:
                    wrong.append("differs")

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_sixty_pages_take_a_moment(pages: list[SourcePage]) -> None:
    """A corpus of sixty pages is made within a second of processor time."""
    started = time.process_time()
    Corpus.of(pages)
    assert time.process_time() - started < 1.0


def test_workers_give_the_answers_of_one_process(prose: Callable[..., str], tmp_path: Path) -> None:
    """Two processes answer a large batch as one does, also after the workers were closed."""

    build(
        tmp_path / "c",
        [[SourcePage(f"https://a.example/{n}", f"Page {n}", prose(n, 24)) for n in range(1_000)]],
        workers=1,
    )
    requests = [SearchRequest(f"harbour {word} tide", 5) for word in prose(3).split()[:64]]
    with Corpus.open(tmp_path / "c", workers=1) as one, Corpus.open(tmp_path / "c", workers=2) as two:
        assert two.search(requests) == one.search(requests)
        two.close()
        assert two.search(requests) == one.search(requests)
        with pytest.raises(InvalidArgument, match="as_of"):
            two.search([SearchRequest(f"tide {n}", scope=Scope(as_of="x")) for n in range(40)])
