"""Sites: what each is about, which are nearest to a query, and a web of one alone."""

from __future__ import annotations

import csv
import json
import math
import os
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from webenv.corpora.analysis import SINGLE, WORD, stem
from webenv.corpora.dense.vectors import Vectors, unit_rows
from webenv.corpora.document import blocks
from webenv.corpora.query import parse_query, plain_text, without_filters
from webenv.errors import CorpusError, InvalidArgument, WebError, did_you_mean
from webenv.observations import Page
from webenv.urls import host_of, parents
from webenv.web import (
    Failure,
    ListedSites,
    Missing,
    Scope,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)

_PAGES = 40
_CHARACTERS = 2_000  # of each page
_TERMS = 12
_TITLES = 3
_LONGEST_TITLE = 80
_LEAST_LETTERS = 3
_LEAST_PAGES = 2
_PRIOR = 100.0  # how many pages the usual use of words counts as
_SINGLE = re.compile(f"[{SINGLE}]")
_WORD = re.compile(WORD)


class Sample(NamedTuple):
    """Some pages of a site.

    Attributes:
        pages: how many.
        counts: how many of them have a term, by its stem.
        forms: the form of each stem that occurs most.
        titles: their titles, each once.
    """

    pages: int
    counts: dict[str, int]
    forms: dict[str, str]
    titles: tuple[str, ...]


def sample_site(web: Web, site: str) -> Sample:
    """Reads the first pages of a site by key, which is a random order that never changes.

    Raises:
        WebError: if the web could not be asked.
    """
    found = web.search([SearchRequest(f"site:{site}", _PAGES)])[0]
    if isinstance(found, Failure):
        raise WebError(found.reason)
    pages = []
    for page in web.visit([VisitRequest(result.url) for result in found if result.site == site]):
        if isinstance(page, Failure):
            raise WebError(page.reason)
        if isinstance(page, Page):
            pages.append(page)
    counts: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for page in pages:
        forms = _terms(f"{page.title}\n{page.text[:_CHARACTERS]}")
        counts.update(forms.keys())
        for term, form in forms.items():
            written.setdefault(term, Counter())[form] += 1
    best = {term: min(forms, key=lambda form: (-forms[form], form)) for term, forms in written.items()}
    titles = tuple(dict.fromkeys(page.title for page in pages if page.title and page.title != page.url))
    return Sample(len(pages), dict(counts), best, titles)


def _terms(text: str) -> dict[str, str]:
    """The terms of a text: stem and first form; of Chinese and Japanese two characters that follow one another."""
    terms: dict[str, str] = {}
    words = [(match[0], match.start()) for match in _WORD.finditer(text.lower())]
    for (word, start), (after, place) in pairwise(words):
        if place == start + 1 and _SINGLE.match(word) and _SINGLE.match(after):
            terms.setdefault(word + after, word + after)
    for word, _ in words:
        if len(word) >= _LEAST_LETTERS and not any(letter.isdigit() for letter in word):
            form = stem(word)
            if form:
                terms.setdefault(form, word)
    return terms


def characteristic_terms(own: Sample, others: Sequence[Sample]) -> list[str]:
    """The terms that set a sample apart, best first, at most 12.

    By the log-odds ratio of their share of pages here and elsewhere, with the usual use as a
    prior, in units of its standard deviation: Monroe, Colaresi and Quinn, "Fightin' words",
    Political Analysis 16(4), 2008, section 3.4. Where nothing sets it apart, the most frequent.
    """
    elsewhere: Counter[str] = Counter()
    for other in others:
        elsewhere.update(other.counts)
    rest = sum(other.pages for other in others)
    scored = []
    for term, here in own.counts.items():
        if here < min(_LEAST_PAGES, own.pages):
            continue
        there = elsewhere[term]
        prior = _PRIOR * (here + there + 0.5) / (own.pages + rest + 1)
        ours = math.log((here + prior) / (own.pages - here + _PRIOR - prior + 0.5))
        theirs = math.log((there + prior) / (rest - there + _PRIOR - prior + 0.5))
        score = (ours - theirs) / math.sqrt(1 / (here + prior) + 1 / (there + prior))
        scored.append((-round(score, 6), -here, term))
    apart = [entry for entry in scored if entry[0] < 0]
    return [own.forms[term] for _, _, term in sorted(apart or scored)[:_TERMS]]


def describe(site: str, pages: int, terms: Sequence[str], titles: Sequence[str]) -> str:
    """A description in three sentences.

    >>> describe("a.example", 2, ["tide", "harbour"], ["The tide"])
    'a.example has 2 pages. Words that set it apart: tide, harbour. Some of its pages: “The tide”.'
    """
    parts = [f"{site} has {pages:,} {'page' if pages == 1 else 'pages'}."]
    if terms:
        parts.append(f"Words that set it apart: {', '.join(terms)}.")
    if titles:
        shown = [title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…" for title in titles]
        parts.append(f"Some of its pages: {', '.join(f'“{title}”' for title in shown[:_TITLES])}.")
    return " ".join(parts)


# ── where a question goes ─────────────────────────────────────────────────────


if TYPE_CHECKING:
    from webenv.corpora.dense.index import DenseIndex
    from webenv.corpora.world import WorldWeb

_SAMPLED = 100
_EVIDENCE = 100  # best pages of a query that speak for their sites
_K = 60
_DIGITS = 6
_COMPARED = 200  # sites whose words say what is usual


class SitedWeb(Web, ListedSites, Protocol):
    """A web that knows its sites."""


class NearSite(NamedTuple):
    """A site and how near it is; scores compare within one answer alone."""

    site: str
    score: float


class SiteDirectory:
    """The sites of a corpus.

    Args:
        web: the corpus.
        dense: vectors of its pages; ``None``: sites are found by words.
        descriptions: texts by host, given beforehand; a site that has none is described from its pages.
        sampled: how many pages make a site's embedding.
        seed: of that sample.

    Raises:
        InvalidArgument: if a description is of a site that there is not.
        CorpusError: if the vectors are not of these sites.
    """

    def __init__(
        self,
        web: SitedWeb,
        dense: DenseIndex | None = None,
        descriptions: Mapping[str, str] | None = None,
        sampled: int = _SAMPLED,
        seed: int = 0,
    ) -> None:
        if sampled < 1:
            raise InvalidArgument(f"sampled={sampled}: expected at least 1 page.")
        self._web = web
        self._dense = dense
        self._sampled = sampled
        self._seed = seed
        self.hosts: tuple[str, ...] = tuple(sorted(web.sites))
        self._given = {host_of(site): text for site, text in (descriptions or {}).items()}
        self._samples: dict[str, Sample] = {}
        for site in self._given:
            self._check(site)
        if dense is not None and dense.sites != dict(web.sites):
            raise CorpusError("the vectors are not of this corpus: their sites, or the numbers of their pages, differ.")

    def __len__(self) -> int:
        return len(self.hosts)

    def view(self, site: str) -> SiteView:
        """The web of one site alone; InvalidArgument if there is no such site."""
        return SiteView(self._web, self._check(host_of(site)))

    def search(
        self, site: str, queries: Sequence[str], limit: int = 10, scope: Scope = Scope()
    ) -> list[SearchResponse]:
        """Searches one site; InvalidArgument if there is no such site."""
        return self.view(site).search([SearchRequest(query, limit, scope) for query in queries])

    def _check(self, site: str) -> str:
        if site not in self._web.sites:
            raise InvalidArgument(f"there is no site {site!r:.200}. {did_you_mean(site, self.hosts)}")
        return site

    # ── nearest sites ─────────────────────────────────────────────────────────

    @cached_property
    def embeddings(self) -> Vectors:
        """For each host the mean of the vectors of sampled pages, brought to length 1: float32 [sites, dimension].

        Raises:
            InvalidArgument: without vectors.
        """
        if self._dense is None:
            raise InvalidArgument("sites have embeddings only where pages have vectors: give dense=.")
        matrix = self._dense.matrix
        means = np.empty((len(self.hosts), matrix.dimension))
        for place, host in enumerate(self.hosts):
            start, end = matrix.rows_of(host)
            dice = random.Random(f"{self._seed}/{host}")
            rows = np.array(sorted(dice.sample(range(start, end), min(self._sampled, end - start))))
            means[place] = np.mean(matrix.vectors[rows], axis=0, dtype=np.float64)
        return unit_rows(means)

    def nearest(self, queries: Sequence[str], k: int = 3, scope: Scope = Scope()) -> list[list[NearSite]]:
        """The sites that are nearest to each query, best first, at most ``k``; ties by host.

        By embeddings where there are vectors and an encoder; a site's score is a cosine. Otherwise by
        the sites of the query's best 100 pages, of which each counts 1 / (60 + rank); a site without
        any is not among them. A query that says nothing has no sites.

        Raises:
            WebError: if the web could not be searched.
        """
        if self._dense is None or self._dense.encoder is None:
            return self._by_words(queries, k, scope)
        texts = {text: place for place, text in enumerate(dict.fromkeys(map(plain_text, queries)))}
        near = self.nearest_vectors(self._dense.encoder.encode_queries(list(texts)), k, scope) if texts else []
        return [near[texts[text]] if (text := plain_text(query)) else [] for query in queries]

    def nearest_vectors(self, vectors: Vectors, k: int = 3, scope: Scope = Scope()) -> list[list[NearSite]]:
        """The sites whose embeddings are nearest to given vectors [n, dimension]."""
        open_ = [place for place, host in enumerate(self.hosts) if not blocks(scope, host)]
        embeddings = self.embeddings[open_].astype(np.float64)
        hosts = [self.hosts[place] for place in open_]
        near = []
        for vector in unit_rows(vectors).astype(np.float64):
            scores: list[float] = np.round(np.sum(embeddings * vector, axis=1), _DIGITS).tolist()
            best = sorted(zip(scores, hosts, strict=True), key=lambda pair: (-pair[0], pair[1]))[: max(0, k)]
            near.append([NearSite(host, score + 0.0) for score, host in best])
        return near

    def _by_words(self, queries: Sequence[str], k: int, scope: Scope) -> list[list[NearSite]]:
        near = []
        for found in self._web.search([SearchRequest(query, _EVIDENCE, scope) for query in queries]):
            if isinstance(found, Failure):
                raise WebError(found.reason)
            scores: dict[str, float] = {}
            for rank, result in enumerate(found, 1):
                scores[result.site] = scores.get(result.site, 0.0) + 1.0 / (_K + rank)
            ranked = sorted(scores.items(), key=lambda pair: (-round(pair[1], _DIGITS), pair[0]))
            near.append([NearSite(site, round(score, _DIGITS)) for site, score in ranked[: max(0, k)]])
        return near

    # ── descriptions ──────────────────────────────────────────────────────────

    def description(self, site: str) -> str:
        """What a site is about, as given, or drawn from its pages alone; InvalidArgument if there is no such site."""
        site = self._check(host_of(site))
        if site in self._given:
            return self._given[site]
        own = self._sample(site)
        others = [self._sample(host) for host in self._compared if host != site]
        return describe(site, self._web.sites[site], characteristic_terms(own, others), own.titles)

    @cached_property
    def _compared(self) -> list[str]:
        hosts = list(self.hosts)
        return hosts if len(hosts) <= _COMPARED else sorted(random.Random("compared").sample(hosts, _COMPARED))

    def _sample(self, site: str) -> Sample:
        if site not in self._samples:
            self._samples[site] = sample_site(self._web, site)
        return self._samples[site]


def read_descriptions(path: str | os.PathLike[str]) -> dict[str, str]:
    """Descriptions from a JSON file: an object of texts by host.

    Raises:
        CorpusError: if it is anything else.
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CorpusError(f"{path} cannot be read as JSON ({error}).") from error
    if not isinstance(record, dict) or not all(isinstance(text, str) for text in record.values()):
        raise CorpusError(f"{path}: expected an object with a text for each host.")
    return record


class OfficialSite(NamedTuple):
    """A site of AgentWebBench: its name in the files, its pages in ClueWeb22-B, and what is to be found there."""

    name: str
    documents: int
    description: str


@cache
def official_sites() -> tuple[OfficialSite, ...]:
    """The 100 sites, 18,427,770 pages in all: names and counts from the paper's table 11, descriptions of ours."""
    text = resources.files(__package__).joinpath("agent_web_sites.tsv").read_text(encoding="utf-8")
    return tuple(
        OfficialSite(row["site"], int(row["documents"]), row["description"])
        for row in csv.DictReader(text.splitlines(), delimiter="\t")
    )


def procedural_descriptions(web: WorldWeb) -> dict[str, str]:
    """What each site of a generated web says of itself, by host."""
    return {host_of(site.host): told for site, told in web.described_sites()}


# ── one site alone ────────────────────────────────────────────────────────────


_NO_PAGE = Missing("there is no such page on this site")
_NO_SITE = Failure("a request to one site alone names none")


def inside(site: str, scope: Scope = Scope()) -> Scope:
    """The part of a :class:`SiteViews` that is one site of the part that a scope leaves.

    Raises:
        InvalidArgument: if that is no host.
    """
    host = host_of(site)
    if not host:
        raise InvalidArgument(f"site {site!r:.200}: expected a host, as in docs.example.org.")
    return Scope(scope.blocked, scope.as_of, f"{host} {scope.world}")


class SiteViews:
    """The sites of a web, each with its subdomains as a world of its own, which :func:`inside` names.

    A search finds pages of its site alone, whatever the query says; ``site:`` and ``-site:`` may
    narrow it further. A visit to any other host, or that would lead to one, is Missing. What names no
    site is a Failure: nothing is ever asked of the whole web.

    Args:
        web: the web that the sites are part of.
    """

    def __init__(self, web: Web) -> None:
        self.web = web

    @property
    def identity(self) -> Mapping[str, str]:
        return self.web.identity

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        passed: list[SearchRequest] = []
        sites: list[str | None] = []  # of each request: the site that it goes to; none where it finds nothing
        for request in requests:
            site, scope = site_and_scope(request.scope)
            query = _narrowed(request.query, site) if site else None
            sites.append(site if query is not None or not site else None)
            if query is not None:
                passed.append(SearchRequest(query, request.limit, scope))
        found = iter(self.web.search(passed) if passed else [])
        return [() if site is None else _own(next(found), site) if site else _NO_SITE for site in sites]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        parts = [site_and_scope(request.scope) for request in requests]
        mine = [bool(site) and _has(site, host_of(r.url)) for r, (site, _) in zip(requests, parts, strict=True)]
        passed = [
            VisitRequest(request.url, scope)
            for request, (_, scope), own in zip(requests, parts, mine, strict=True)
            if own
        ]
        fetched = iter(self.web.visit(passed) if passed else [])
        return [
            _kept(next(fetched), site) if own else _NO_PAGE if site else _NO_SITE
            for (site, _), own in zip(parts, mine, strict=True)
        ]


class SiteView:
    """A web that has nothing but one site, with its subdomains: one of :class:`SiteViews`.

    Args:
        web: the web that the site is part of.
        site: its host.

    Raises:
        InvalidArgument: if that is no host.
    """

    def __init__(self, web: Web, site: str) -> None:
        self.web = web
        self.site = site_and_scope(inside(site))[0]
        self._views = SiteViews(web)

    @property
    def identity(self) -> Mapping[str, str]:
        return {**self.web.identity, "site": self.site}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return self._views.search([one._replace(scope=inside(self.site, one.scope)) for one in requests])

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self._views.visit([one._replace(scope=inside(self.site, one.scope)) for one in requests])


def site_and_scope(scope: Scope) -> tuple[str, Scope]:
    """What :func:`inside` put together; an empty site where it did not."""
    site, space, world = scope.world.partition(" ")
    return (site, Scope(scope.blocked, scope.as_of, world)) if space else ("", scope)


def _narrowed(query: str, site: str) -> str | None:
    """The query with filters that keep it within a site; ``None`` where they leave nothing."""
    parsed = parse_query(query)
    if not (parsed.words or parsed.phrases or parsed.sites):
        return None  # it says nothing; with a filter alone it would list the site
    above = parents(site)
    if any(host in above for host in parsed.excluded):
        return None
    sites = [site] if not parsed.sites or any(host in above for host in parsed.sites) else []
    sites = sites or [host for host in parsed.sites if _has(site, host)]
    if not sites:
        return None
    filters = [f"site:{host}" for host in sites]
    filters += [f"-site:{host}" for host in parsed.excluded if _has(site, host)]
    return " ".join((*filters, without_filters(query)))


def _own(response: SearchResponse, site: str) -> SearchResponse:
    if isinstance(response, Failure):
        return response
    return tuple(result for result in response if _has(site, host_of(result.url)))


def _kept(response: VisitResponse, site: str) -> VisitResponse:
    return _NO_PAGE if isinstance(response, Page) and not _has(site, host_of(response.url)) else response


def _has(site: str, host: str) -> bool:
    return bool(host) and site in parents(host)
