"""``/retrieve`` in three dialects, with the bodies that the real clients send."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import msgpack
import pytest

from tests.serving.conftest import PAGES
from tests.webs import BrokenWeb, CountingWeb, pages_of
from webenv.cassette import Cassette
from webenv.corpora import Corpus
from webenv.errors import CassetteMiss, InvalidArgument
from webenv.recorded import RecordedWeb
from webenv.serving import retrieval_app, serving
from webenv.serving.retrieval import retrieve
from webenv.web import Failure, SearchRequest, SearchResponse, VisitRequest

HARBOUR = f"The harbour\n{str(PAGES[0]['text']).strip()}"
JSON = {"Content-Type": "application/json", "Accept": "application/json"}


def search_r1(client: httpx.Client, queries: list[str], topk: int) -> list[str]:
    """As Search-R1 asks and reads: a passage's first line is its title."""
    body = json.dumps({"queries": queries, "topk": topk, "return_scores": True}).encode()
    result = client.post("/retrieve", content=body, headers=JSON).json()["result"]
    texts = []
    for hits in result:
        lines = [hit["document"]["contents"].split("\n") for hit in hits]
        texts.append("".join(f"Doc {n}(Title: {t[0]}) {chr(10).join(t[1:])}\n" for n, t in enumerate(lines, 1)))
    return texts


def skyrl(client: httpx.Client, query: str, topk: int) -> list[str]:
    """As SkyRL asks and reads: one query, and a list of lists of passages."""
    body = json.dumps({"query": query, "topk": topk, "return_scores": True}).encode()
    raw = client.post("/retrieve", content=body, headers=JSON).json().get("result", [])
    return ["".join(f"Doc {n}: {hit['document']['contents'].strip()}\n" for n, hit in enumerate(r, 1)) for r in raw]


def gem(client: httpx.Client, query: str, topk: int) -> str:
    """As GEM asks and reads: msgpack without a content type, and a list of passages."""
    body = msgpack.packb({"query": query, "topk": topk, "return_scores": True})
    hits = msgpack.unpackb(client.post("/retrieve", content=body).raise_for_status().content)["result"]
    return "".join(f"Doc {n}: {hit['document']['contents'].splitlines()[0]}\n" for n, hit in enumerate(hits, 1))


def test_search_r1_reads_its_answer(retrieval_client: httpx.Client) -> None:
    """A list of passages for each query, in order; a query that finds nothing has none."""
    texts = search_r1(retrieval_client, ["granite", "zebra", "mill rye", ""], 1)
    assert texts == [
        f"Doc 1(Title: The harbour) {HARBOUR.partition(chr(10))[2]}\n",
        "",
        "Doc 1(Title: The mill) The mill of the harbour town grinds rye.\n",
        "",
    ]


def test_skyrl_reads_its_answer(retrieval_client: httpx.Client) -> None:
    """One list within a list."""
    assert skyrl(retrieval_client, "granite", 3) == [f"Doc 1: {HARBOUR}\n"]
    assert skyrl(retrieval_client, "zebra", 3) == [""]


def test_gem_reads_its_answer(retrieval_client: httpx.Client) -> None:
    """A plain list, in msgpack."""
    assert gem(retrieval_client, "granite mill", 2) == "Doc 1: The mill\nDoc 2: The harbour\n"


def post(client: httpx.Client, record: Any, packed: bool = False) -> Any:
    body = msgpack.packb(record) if packed else json.dumps(record).encode()
    response = client.post("/retrieve", content=body)
    assert response.headers["content-type"] == ("application/msgpack" if packed else "application/json")
    return msgpack.unpackb(response.content) if packed else response.json()


def test_the_shapes_of_answers(retrieval_client: httpx.Client) -> None:
    """With and without scores, in each dialect; ids are URLs, and scores fall."""
    document = {"id": "https://a.example/harbour", "contents": HARBOUR}
    (((one,),),) = (post(retrieval_client, {"query": "granite", "return_scores": True})["result"],)
    scored = [{"document": document, "score": one["score"]}]
    assert isinstance(scored[0]["score"], float)
    for record, packed, expected in [
        ({"queries": ["granite"], "return_scores": True}, False, [scored]),
        ({"queries": ["granite"]}, False, [[document]]),
        ({"query": "granite", "return_scores": True}, False, [scored]),
        ({"query": "granite", "return_scores": False}, False, [[document]]),
        ({"query": "granite", "return_scores": True}, True, scored),
        ({"query": "granite"}, True, [{"document": document, "score": None}]),
        ({"queries": ["granite", "zebra"], "return_scores": True}, True, [scored, []]),
    ]:
        assert post(retrieval_client, record, packed) == {"result": expected}
    scores = [hit["score"] for hit in post(retrieval_client, {"query": "harbour", "return_scores": True})["result"][0]]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)


def test_topk_is_the_servers_where_it_is_missing(corpus: Corpus) -> None:
    """Missing, null or 0; contents are cut where the server says so."""
    with serving(retrieval_app(corpus, topk=2, characters=14)) as base, httpx.Client(base_url=base) as client:
        for record in ({}, {"topk": None}, {"topk": 0}, {"topk": 1}, {"extra": 1, "topk": 3}):
            (hits,) = post(client, {"query": "harbour", **record})["result"]
            assert len(hits) == (record.get("topk") or 2)
            assert max(len(hit["contents"]) for hit in hits) == 14
        assert "at most 14 characters each" in client.get("/").text


def test_topk_comes_as_a_text_or_a_float(retrieval_client: httpx.Client) -> None:
    """Clients that read it from a configuration send it so."""
    for topk in ("1", " 1 ", 1.0):
        assert len(post(retrieval_client, {"query": "harbour", "topk": topk})["result"][0]) == 1


def test_no_queries_have_no_answers(retrieval_client: httpx.Client) -> None:
    """Search-R1's client asks so in a turn in which nobody searches."""
    assert post(retrieval_client, {"queries": [], "topk": 3, "return_scores": True}) == {"result": []}


def test_rllm_reads_its_answer(retrieval_client: httpx.Client) -> None:
    """A plain list called results, each with its document and a score, whatever is said of scores."""
    (hit,) = post(retrieval_client, {"query": "granite", "top_k": 1})["results"]
    assert hit["document"] == {"id": "https://a.example/harbour", "contents": HARBOUR}
    assert f"{hit['score']:.3f}" > "0.000"
    assert post(retrieval_client, {"query": "zebra", "top_k": 3}) == {"results": []}


def test_a_title_that_the_text_begins_with_stands_once() -> None:
    """In quotes, as a heading, or plain, as dumps of Wikipedia have it."""
    texts = ('"The mill"\nIt grinds rye.', "# The mill\nIt grinds rye.", "The mill\nIt grinds rye.", "It grinds rye.")
    pages = [{"url": f"https://a.example/{n}", "title": "The mill", "text": text} for n, text in enumerate(texts)]
    with serving(retrieval_app(Corpus.of(pages))) as base, httpx.Client(base_url=base) as client:
        (hits,) = post(client, {"query": "rye", "topk": 4})["result"]
    assert {hit["contents"] for hit in hits} == {"The mill\nIt grinds rye."}
    assert len(hits) == 4


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "the body is no JSON"),
        (b"{", 400, "the body is no JSON"),
        (b"[" * 100_000, 400, "the body is no JSON"),
        (b"\xff\xfe\xfd", 400, "the body is no JSON"),
        (b'{"query": 1' + b"0" * 5_000 + b"}", 400, "the body is no JSON"),
        (b"\x81", 400, "the body is no msgpack"),
        (b"\x81\xa5query\xd9\xff", 400, "the body is no msgpack"),
        (b"\x81" * 5_000, 400, "the body is no msgpack"),
        (b"\xdf\xff\xff\xff\xff", 400, "the body is no msgpack"),
        (b"\x81\xa5query\xa1\xff", 400, "the body is no msgpack"),
        (b"[]", 400, "the body is a list: expected {"),
        (b"null", 400, "the body is a NoneType: expected {"),
        (b"{}", 400, "the body has nothing: expected {"),
        (b'{"q": "x"}', 400, "the body has 'q': expected {"),
        (b'{"query": "x", "queries": []}', 400, "the body has 'query', 'queries': expected {"),
        (b'{"query": null}', 400, '"query" is None: expected "query": a text.'),
        (b'{"query": ["x"]}', 400, '"query" is [\'x\']: expected "query": a text.'),
        (b'{"queries": "x"}', 400, '"queries" is \'x\': expected "queries": a list of texts.'),
        (b'{"queries": ["x", 1]}', 400, '"queries" holds 1: expected "queries": a list of texts.'),
        (b'{"queries": ' + b"[]" * 2 + b"}", 400, "the body is no JSON"),
        (b'{"query": "x", "topk": -1}', 400, '"topk" is -1: expected a whole number from 1 to 1,000.'),
        (b'{"query": "x", "topk": 1000000000}', 400, '"topk" is 1000000000: expected'),
        (b'{"query": "x", "topk": 1e400}', 400, '"topk" is inf: expected'),
        (b'{"query": "x", "topk": NaN}', 400, '"topk" is nan: expected'),
        (b'{"query": "x", "topk": "three"}', 400, "\"topk\" is 'three': expected"),
        (b'{"query": "x", "topk": 2.5}', 400, '"topk" is 2.5: expected'),
        (b'{"query": "x", "top_k": -1}', 400, '"topk" is -1: expected'),
        (b'{"query": "x", "topk": true}', 400, '"topk" is True: expected'),
        (b'{"query": "x", "return_scores": "yes"}', 400, "\"return_scores\" is 'yes': expected true or false."),
        (b'{"queries": [' + b'"x",' * 999_999 + b'"x"]}', 400, '"queries" has 1,000,000 texts: expected'),
        (b"{" + b" " * 20_000_000, 413, "the body is longer than 20,000,000 bytes"),
        (b" " * 100_000_000, 413, "the body is longer than 20,000,000 bytes"),
    ],
    ids=range(32),
)
def test_a_bad_body_is_refused_in_one_line(retrieval_client: httpx.Client, body: bytes, status: int, said: str) -> None:
    """It gets 400 or 413 with one line, and the server goes on."""
    response = retrieval_client.post("/retrieve", content=body)
    assert response.status_code == status
    line = response.json()["error"]
    assert said in line
    assert "\n" not in line
    assert len(line) < 500
    assert retrieval_client.get("/health").status_code == 200


def test_a_body_without_a_length_is_bounded_too(retrieval_client: httpx.Client) -> None:
    """What is sent in chunks is counted as it comes."""
    chunks: Iterator[bytes] = (b" " * 1_000_000 for _ in range(30))
    assert retrieval_client.post("/retrieve", content=chunks).status_code == 413


def test_other_paths_and_methods(retrieval_client: httpx.Client) -> None:
    """They are refused as JSON."""
    for method, path, status in [("GET", "/retrieve", 405), ("POST", "/search", 404), ("GET", "/visit", 405)]:
        response = retrieval_client.request(method, path)
        assert response.status_code == status
        assert list(response.json()) == ["error"]


def test_any_text_is_a_query(retrieval_client: httpx.Client) -> None:
    """Odd texts find what they find; one that is too long counts with its beginning."""
    queries = ["\x00", "\ud800 granite", "x" * 100_000, "granite " + "x" * 1_000_000, '"""', "日本"]
    texts = search_r1(retrieval_client, queries, 1)
    assert [text[:24] for text in texts] == ["", "Doc 1(Title: The harbour", "", "Doc 1(Title: The harbour", "", ""]


def test_an_answer_that_is_too_long_is_refused() -> None:
    """Many long pages for many queries: 413, for the request that asks for them alone."""
    pages = [{"url": f"https://a.example/{n}", "text": f"word{n} " + "granite " * 100_000} for n in range(5)]
    with (
        serving(retrieval_app(Corpus.of(pages))) as base,
        httpx.Client(base_url=base, timeout=60) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        large = pool.submit(client.post, "/retrieve", json={"queries": ["granite"] * 80, "topk": 5})
        small = pool.submit(client.post, "/retrieve", json={"query": "word1"})
        assert large.result().status_code == 413
        assert "ask for less in one request" in large.result().json()["error"]
        assert len(small.result().json()["result"][0]) == 1


def test_answers_that_nobody_reads_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """While clients leave large answers unread others get 503; once they have left there is room again."""
    monkeypatch.setattr("webenv.serving.retrieval._MOST_UNREAD", 10_000_000)
    corpus = Corpus.of([{"url": "https://a.example/", "text": "granite " * 100_000}])
    body = json.dumps({"queries": ["granite"] * 30}).encode()
    head = b"POST /retrieve HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % len(body)
    with serving(retrieval_app(corpus)) as base, httpx.Client(base_url=base, timeout=60) as client:
        port = int(base.rpartition(":")[2])
        with closing(socket.create_connection(("127.0.0.1", port))) as idle:
            idle.sendall(head + body)
            assert idle.recv(15) == b"HTTP/1.1 200 OK"
            refused = client.post("/retrieve", json={"query": "granite"})
            assert (refused.status_code, refused.json()) == (
                503, {"error": "too many answers wait to be read: ask again later."}
            )  # fmt: skip
        while client.post("/retrieve", json={"query": "granite"}).status_code == 503:
            pass
        assert len(client.post("/visit", json={"url": "a.example"}).json()["result"]["text"]) > 700_000


def test_visit(retrieval_client: httpx.Client) -> None:
    """One page, or several with a reason for each that is not there; in JSON and msgpack."""
    mill = {"url": "https://a.example/mill?a=1&b=2", "title": "The mill",
            "text": "The mill of the harbour town grinds rye.", "date": ""}  # fmt: skip
    none = {"url": "https://a.example/none", "error": "there is no such page"}
    one = retrieval_client.post("/visit", json={"url": "a.example/mill?b=2&a=1"})
    assert one.json() == {"result": mill}
    several = {"urls": [mill["url"], none["url"]]}
    assert retrieval_client.post("/visit", json=several).json() == {"result": [mill, none]}
    packed = retrieval_client.post("/visit", content=msgpack.packb(several)).content
    assert msgpack.unpackb(packed) == {"result": [mill, none]}
    missing = retrieval_client.post("/visit", json={"url": none["url"]})
    assert (missing.status_code, missing.json()) == (404, {"error": "https://a.example/none: there is no such page"})
    for record in ({}, {"url": 1}, {"urls": "x"}, {"url": "x", "urls": []}, {"urls": []}, {"urls": ["x"] * 1_001}):
        assert retrieval_client.post("/visit", json=record).status_code == 400


def test_health_says_what_is_served(retrieval_client: httpx.Client, corpus: Corpus) -> None:
    """The web's identity and digest, and how much there is; the front page says what is spoken."""
    assert retrieval_client.get("/health").json() == {
        "status": "ok", "web": dict(corpus.identity), "digest": corpus.digest, "pages": 4, "sites": 3,
    }  # fmt: skip
    front = retrieval_client.get("/").text
    for word in ("Search-R1", "SkyRL", "GEM", "4 pages on 3 sites"):
        assert word in front


@contextmanager
def _served(web: Any) -> Iterator[httpx.Client]:
    with serving(retrieval_app(web)) as base, httpx.Client(base_url=base, timeout=30) as client:
        yield client


def test_a_web_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """It is the fault of neither client nor server: 502 with the reason; later requests are answered."""
    with _served(BrokenWeb(pages_of())) as client:
        for query, said in (("broken", "the server is down"), ("collapse", "the line is cut")):
            response = client.post("/retrieve", json={"query": query})
            assert (response.status_code, response.json()) == (502, {"error": said})
        (hits,) = client.post("/retrieve", json={"query": "oak mill"}).json()["result"]
        assert hits[0]["id"] == "https://mills.example/wheel"
        assert client.post("/visit", json={"url": "https://broken.example/"}).status_code == 502
    assert "the line is cut" in caplog.text


class _SlowWeb(CountingWeb):
    """Waits for a sign before its first search."""

    def __init__(self, web: Any) -> None:
        super().__init__(web)
        self.started, self.go_on = threading.Event(), threading.Event()

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.started.set()
        self.go_on.wait(30)
        return super().search(requests)


def test_clients_share_a_batch(corpus: Corpus) -> None:
    """What sixteen clients ask while one is answered takes few searches of the web, and each gets its own answer."""
    web = _SlowWeb(corpus)
    words = ["granite", "rye", "tides", "harbour"] * 4
    with _served(web) as client, ThreadPoolExecutor(17) as pool:
        first = pool.submit(client.post, "/retrieve", json={"query": "moon"})
        assert web.started.wait(10)
        arrived = [pool.submit(client.post, "/retrieve", json={"query": word, "topk": 1}) for word in words]
        threading.Event().wait(0.5)
        web.go_on.set()
        first.result()
        ids = [answer.result().json()["result"][0][0]["id"] for answer in arrived]
    assert len(web.batches["search"]) <= 8  # two, where all sixteen have arrived by then
    expected: Mapping[str, str] = {
        "granite": "https://a.example/harbour",
        "rye": "https://a.example/mill?a=1&b=2",
        "tides": "https://www.c.example/",
    }
    assert [one for one, word in zip(ids, words, strict=True) if word != "harbour"] == [
        expected[word] for word in words if word != "harbour"
    ]


def test_bad_settings_are_refused(corpus: Corpus) -> None:
    """Numbers out of range."""
    for settings in ({"topk": 0}, {"topk": 1_001}, {"characters": 0}):
        with pytest.raises(InvalidArgument, match="expected a whole number from 1"):
            retrieval_app(corpus, **settings)


class Quota(CountingWeb):
    """A web that has no answer left for queries with ``quota`` in them."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        found = super().search(requests)
        return [
            Failure("none left") if "quota" in one.query else hits for one, hits in zip(requests, found, strict=True)
        ]


def test_one_query_that_fails_is_refused_alone(corpus: Corpus) -> None:
    """Of many clients whose queries make up one batch, those that ask what fails are told, and no others."""
    with (
        serving(retrieval_app(Quota(corpus))) as base,
        httpx.Client(base_url=base) as client,
        ThreadPoolExecutor(16) as threads,
    ):
        queries = ["granite", "quota"] * 16
        replies = list(threads.map(lambda query: client.post("/retrieve", json={"query": query}), queries))
        both = client.post("/retrieve", json={"queries": ["granite", "quota"]})
    assert [reply.status_code for reply in replies] == [200, 502] * 16
    assert (both.status_code, both.json()) == (502, {"error": "none left"})


def test_one_query_that_is_not_recorded_is_refused_alone(corpus: Corpus, tmp_path: Path) -> None:
    """A replay of a cassette answers what it holds, whatever else is asked in the same batch."""
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        recorded = RecordedWeb(cassette, corpus)
        ((hit, *_),) = recorded.search([SearchRequest("granite", 3)])
        recorded.visit([VisitRequest(hit.url)])
    web = RecordedWeb(Cassette(tmp_path / "tape.db"))
    asked = [SearchRequest("granite", 3), SearchRequest("zebra", 3)]
    found, missed = retrieve(web, asked)
    assert [passage.url for passage in found] == ["https://a.example/harbour"]
    assert isinstance(missed, CassetteMiss)
    with serving(retrieval_app(web)) as base, httpx.Client(base_url=base) as client, ThreadPoolExecutor(8) as threads:
        queries = ["granite", "zebra"] * 8
        replies = threads.map(lambda query: client.post("/retrieve", json={"query": query}), queries)
        assert [reply.status_code for reply in replies] == [200, 500] * 8
        assert client.post("/visit", json={"url": "https://b.example/x"}).status_code == 500


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:8000"}, 421),
        ({"Host": "a.example.localhost"}, 421),
        ({"Host": "localhost"}, 200),
        ({"Host": "LOCALHOST:8000"}, 200),
        ({"Host": "[::1]:8000"}, 200),
        ({"Host": "127.0.0.2:8000"}, 200),
        ({"Host": "10.0.0.3:8000"}, 421),
        ({"Origin": "http://203.0.113.5"}, 403),
        ({"Origin": "http://2130706433"}, 403),
        ({"Host": "my-machine:8000"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
def test_it_answers_to_its_own_names(named_client: httpx.Client, headers: Mapping[str, str], status: int) -> None:
    """What only this machine reaches is for localhost, loopback addresses and the names given; not for what a page
    of another site asks in a browser, under its own name or under one that leads here."""
    reply = named_client.post("/retrieve", content=b'{"query": "granite"}', headers=headers)
    assert reply.status_code == status
    if status == 421:
        expected = "expected localhost, a loopback address, or the name given with --host."
        assert reply.json() == {"error": f"this server is not {headers['Host']}: {expected}"}


@pytest.fixture(scope="module")
def named_client(corpus: Corpus) -> Iterator[httpx.Client]:
    """Speaks to a server that was told to listen at a name of this machine's."""
    with serving(retrieval_app(corpus, own=("My-Machine",))) as base, httpx.Client(base_url=base) as client:
        yield client


def test_a_server_for_other_machines_answers_to_any_name(corpus: Corpus) -> None:
    """Where it listens at all addresses it cannot know what it is called."""
    with serving(retrieval_app(corpus, own=("0.0.0.0",)), "0.0.0.0") as base:
        reply = httpx.post(f"{base}/retrieve", json={"query": "granite"}, headers={"Host": "gpu-7.cluster"})
    assert reply.status_code == 200


def test_too_much_is_refused_before_it_is_sought(corpus: Corpus) -> None:
    """Queries times passages are bounded: nothing of 10,000 queries for 1,000 passages each is looked up."""
    web = CountingWeb(corpus)
    with serving(retrieval_app(web)) as base:
        body = {"queries": ["granite"] * 10_000, "topk": 1_000}
        reply = httpx.post(f"{base}/retrieve", json=body, timeout=30)
        assert httpx.post(f"{base}/retrieve", json=body | {"topk": 10}, timeout=30).status_code == 200
    assert reply.status_code == 413
    assert reply.json()["error"].startswith(
        "10,000 queries ask for 1,000 passages each: expected at most 100,000 in all"
    )
    assert web.batches["search"] == [1]
