"""The Retriever: queries in, whole pages with scores out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from webenv.corpora import Corpus
from webenv.errors import CassetteMiss, WebenvError, WebError
from webenv.observations import Page
from webenv.web import Failure, SearchRequest, SearchResponse, VisitRequest, VisitResponse, Web

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class Passage(NamedTuple):
    """A page that was found, with its score; scores compare within one query alone."""

    url: str
    title: str
    text: str
    score: float


class Retriever:
    """Finds pages in a web.

    Args:
        web: the web; a corpus gives its engine's scores, another web the inverse of the rank, and of the
            pages that it finds those that can be fetched.
    """

    def __init__(self, web: Web) -> None:
        self.web = web

    def retrieve(self, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
        """For each request at most ``limit`` pages, best first, or why it has no answer; equal requests are
        answered once."""
        distinct = list(dict.fromkeys(requests))
        found = self._from_corpus(self.web, distinct) if isinstance(self.web, Corpus) else self._from_web(distinct)
        by_request = dict(zip(distinct, found, strict=True))
        return [by_request[request] for request in requests]

    def _from_corpus(self, corpus: Corpus, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
        ranked = corpus.rank(requests)
        keys = dict.fromkeys(hit.key for hits in ranked for hit in hits)
        pages = dict(zip(keys, corpus.fetch(keys), strict=True))
        return [[_passage(pages[hit.key], hit.score) for hit in hits] for hits in ranked]

    def _from_web(self, requests: Sequence[SearchRequest]) -> list[list[Passage] | WebenvError]:
        responses = ask_each(self.web.search, requests)
        hits = [response for response in responses if not isinstance(response, Failure | CassetteMiss)]
        urls = dict.fromkeys(result.url for results in hits for result in results)
        pages = dict(zip(urls, ask_each(self.web.visit, [VisitRequest(url) for url in urls]), strict=True))
        return [_passages(response, pages) for response in responses]


def ask_each(
    call: Callable[[Sequence[RequestT]], Sequence[ResponseT]], requests: Sequence[RequestT]
) -> list[ResponseT | Failure | CassetteMiss]:
    """What came of each request of one batch; a request that a cassette does not know fails alone.

    Raises:
        WebenvError: if the web does not give one answer for each.
    """
    if not requests:
        return []
    try:
        responses = call(requests)
    except CassetteMiss as miss:
        if len(requests) == 1:
            return [miss]
        return [response for request in requests for response in ask_each(call, [request])]
    except (WebError, OSError) as error:
        return [Failure(str(error) or type(error).__name__)] * len(requests)
    if len(responses) != len(requests):
        raise WebenvError(f"the web was given {len(requests)} requests and returned {len(responses)}.")
    return [*responses]


def _passages(
    response: SearchResponse | CassetteMiss, pages: Mapping[str, VisitResponse | CassetteMiss]
) -> list[Passage] | WebenvError:
    if isinstance(response, CassetteMiss):
        return response
    if isinstance(response, Failure):
        return WebError(response.reason)
    found = [(rank, pages[result.url]) for rank, result in enumerate(response, start=1)]
    miss = next((page for _, page in found if isinstance(page, CassetteMiss)), None)
    if miss is not None:
        return miss
    return [_passage(page, 1 / rank) for rank, page in found if isinstance(page, Page)]


def _passage(page: Page, score: float) -> Passage:
    return Passage(page.url, " ".join(page.title.split()), page.text, score)
