"""A content agent without a model: it answers with the sentences of a site that share most words with the question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from webenv.corpora.query import WORD, parse_query, stem
from webenv.observations import Document, Page, Reply
from webenv.urls import host_of
from webenv.web import AskRequest, AskResponse, Failure, Missing, SearchRequest, VisitRequest, Web

_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_WORD = re.compile(WORD)
_SCANNED = 100_000


class ExtractiveAgent:
    """Answers questions to sites from what the sites' own pages say.

    For each question it searches the site, reads the three best pages, and takes from each the
    sentences with most of the question's words. The reply's text is the best sentence of each.

    It is :class:`webenv.web.Asking` on any web; give it as the ``asker`` of a benchmark.

    Args:
        web: what it searches and visits.
        documents: the most pages in a reply.
        sentences: the most sentences of one page.
    """

    def __init__(self, web: Web, documents: int = 3, sentences: int = 3) -> None:
        self._web = web
        self._documents = documents
        self._sentences = sentences

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, and how much it hands over; what it reads is the web's to tell."""
        return {"name": "extractive", "documents": str(self._documents), "sentences": str(self._sentences)}

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """One reply for each request, in order; a site that has no page is :class:`Missing`."""
        sites = [host_of(request.site) or "-" for request in requests]
        searches = [
            SearchRequest(f"site:{site} {_plain(request.question)}", self._documents, request.scope)
            for request, site in zip(requests, sites, strict=True)
        ]
        # A site is known by its pages: a search for the site alone tells one without an answer from none.
        bare = [SearchRequest(f"site:{site}", 1, request.scope) for request, site in zip(requests, sites, strict=True)]
        found = self._web.search([*searches, *bare])
        hits, known = found[: len(searches)], found[len(searches) :]
        visits = [
            VisitRequest(hit.url, request.scope)
            for request, results in zip(requests, hits, strict=True)
            for hit in (() if isinstance(results, Failure) else results)
        ]
        pages = iter(self._web.visit(visits) if visits else [])
        replies: list[AskResponse] = []
        for request, site, results, any_page in zip(requests, sites, hits, known, strict=True):
            if isinstance(results, Failure):
                replies.append(results)
                continue
            read = [next(pages) for _ in results]
            failure = next((page for page in (any_page, *read) if isinstance(page, Failure)), None)
            if failure is not None:
                replies.append(failure)
            elif not any_page:
                replies.append(Missing("no such site"))
            else:
                replies.append(self._reply(site, request.question, [p for p in read if isinstance(p, Page)]))
        return replies

    def _reply(self, site: str, question: str, pages: list[Page]) -> Reply:
        wanted = frozenset(parse_query(_plain(question)).stems)
        documents, summary = [], []
        for page in pages:
            best = self._best(page.text, wanted)
            if best:
                summary.append(max(best, key=lambda sentence: sentence[0])[2])
                text = " ".join(sentence for _, _, sentence in sorted(best, key=lambda sentence: sentence[1]))
                documents.append(Document(page.url, page.title, text, page.key))
        if not documents:
            return Reply(site, "This site says nothing about that.")
        return Reply(site, " ".join(dict.fromkeys(summary)), tuple(documents))

    def _best(self, text: str, wanted: frozenset[str]) -> list[tuple[int, int, str]]:
        """The sentences with most of the wanted words: (words, place, sentence), best first."""
        ranked = []
        for place, part in enumerate(_BREAK.split(text[:_SCANNED])):
            sentence = " ".join(part.split())
            shared = len({stem(word) for word in _WORD.findall(sentence.lower())} & wanted)
            if shared:
                ranked.append((shared, place, sentence[:1_000]))
        ranked.sort(key=lambda sentence: (-sentence[0], sentence[1]))
        return ranked[: self._sentences]


def _plain(question: str) -> str:
    """A question as plain words: none of it is an operator."""
    return re.sub(r'["“”„]|\bsite:', " ", question, flags=re.IGNORECASE)
