"""The content agent without a model answers with sentences of its own site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.corpora import ContentAgents, Corpus
from webenv.observations import Reply
from webenv.web import AskRequest, Failure, Missing, Scope, SearchRequest, SearchResponse, VisitRequest, VisitResponse

PAGES = [
    {
        "url": f"https://sea.example/{number}",
        "title": f"Chapter {number}",
        "text": f"Foreword.\nChapter {number} is about tides. Neap tides in harbour {number} are low. The end.",
        "date": "2024-01-01",
    }
    for number in range(5)
]


def test_it_hands_over_three_pages_and_their_best_sentences() -> None:
    """At most three documents, whole; the summary has the sentences that share words with the question, in order."""
    (reply,) = ContentAgents(Corpus.of(PAGES)).ask([AskRequest("How low are neap tides?", "sea.example")])
    assert isinstance(reply, Reply)
    assert len(reply.documents) == 3
    number = reply.documents[0].url[-1]
    assert reply.documents[0].text == PAGES[int(number)]["text"]
    assert reply.text.startswith(f"Chapter {number} is about tides. Neap tides in harbour {number} are low.")


def test_chinese_sentences_are_told_apart() -> None:
    """Sentences that no space divides are handed over one by one."""
    pages = [{"url": "https://zh.example/1", "title": "灯塔", "text": "这里风很大。灯塔由沈若川设计。门口有狗。"}]
    (reply,) = ContentAgents(Corpus.of(pages)).ask([AskRequest("谁设计灯塔", "zh.example")])
    assert isinstance(reply, Reply)
    assert reply.text == "灯塔由沈若川设计。"


def test_a_question_is_no_query() -> None:
    """Operators in a question are plain words to the agent."""
    agent = ContentAgents(Corpus.of(PAGES))
    plain, odd = agent.ask(
        [AskRequest(text, "sea.example") for text in ("neap tides", 'site:other.example "neap" tides')]
    )
    assert isinstance(plain, Reply)
    assert isinstance(odd, Reply)
    assert odd.documents


def test_what_a_site_does_not_say() -> None:
    """A known site without an answer says so; an unknown or hidden one is missing."""
    agent = ContentAgents(Corpus.of(PAGES))
    replies = agent.ask(
        [
            AskRequest("zebras?", "sea.example"),
            AskRequest("tides?", "land.example"),
            AskRequest("tides?", "not a host"),
            AskRequest("tides?", "sea.example", Scope(blocked=("sea.example",))),
            AskRequest("tides?", "sea.example", Scope(as_of="2023-01-01")),
        ]
    )
    assert replies[0][:3] == ("sea.example", "This site says nothing about that.", ())
    assert replies[1:] == [Missing("no such site")] * 4


class _Broken:
    """A web of which one site cannot be searched."""

    identity: Mapping[str, str] = {"name": "broken"}

    def __init__(self) -> None:
        self.corpus = Corpus.of(PAGES)
        self.calls: list[str] = []

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.calls.append("search")
        answers = self.corpus.search(requests)
        return [
            Failure("quota") if "bad.example" in r.query else answer
            for r, answer in zip(requests, answers, strict=True)
        ]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        self.calls.append("visit")
        return self.corpus.visit(requests)


def test_failures_stay_failures_and_batches_stay_batches() -> None:
    """A failed search fails its own question alone; all questions take one search call a turn, and one visit call."""
    web = _Broken()
    requests = [
        AskRequest("neap tides", "sea.example"),
        AskRequest("tides", "bad.example"),
        AskRequest("low", "sea.example"),
    ]
    replies = ContentAgents(web).ask(requests)
    assert [type(reply) for reply in replies] == [Reply, Failure, Reply]
    assert web.calls == ["search", "search", "visit"]
