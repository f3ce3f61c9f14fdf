"""The Retriever: queries in, whole pages with scores out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from webenv.corpora import Corpus
from webenv.errors import WebError
from webenv.observations import Page, Result
from webenv.web import Failure, SearchRequest, SearchResponse, VisitRequest, Web

__all__ = ["Passage", "Retriever"]


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

    def retrieve(self, requests: Sequence[SearchRequest]) -> list[list[Passage]]:
        """For each request at most ``limit`` pages, best first; equal requests are answered once.

        Raises:
            WebError: if the web could not be asked.
        """
        distinct = list(dict.fromkeys(requests))
        found = self._from_corpus(self.web, distinct) if isinstance(self.web, Corpus) else self._from_web(distinct)
        by_request = dict(zip(distinct, found, strict=True))
        return [by_request[request] for request in requests]

    def _from_corpus(self, corpus: Corpus, requests: Sequence[SearchRequest]) -> list[list[Passage]]:
        ranked = corpus.rank(requests)
        keys = dict.fromkeys(hit.key for hits in ranked for hit in hits)
        pages = dict(zip(keys, corpus.fetch(keys), strict=True))
        return [[_passage(pages[hit.key], hit.score) for hit in hits] for hits in ranked]

    def _from_web(self, requests: Sequence[SearchRequest]) -> list[list[Passage]]:
        responses = [_found(response) for response in self.web.search(requests)]
        urls = dict.fromkeys(result.url for response in responses for result in response)
        pages = dict(zip(urls, self.web.visit([VisitRequest(url) for url in urls]), strict=True))
        return [
            [
                _passage(page, 1 / rank)
                for rank, result in enumerate(response, start=1)
                if isinstance(page := pages[result.url], Page)
            ]
            for response in responses
        ]


def _passage(page: Page, score: float) -> Passage:
    return Passage(page.url, " ".join(page.title.split()), page.text, score)


def _found(response: SearchResponse) -> tuple[Result, ...]:
    if isinstance(response, Failure):
        raise WebError(response.reason)
    return response
