"""Sites as first-class things: what each is about, which are nearest to a query, and a search in one alone."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from webenv.corpora.dense.vectors import Vectors, unit_rows
from webenv.corpora.query import plain_text
from webenv.corpora.sites.describe import Sample, characteristic_terms, describe, sample_site
from webenv.corpora.sites.view import SiteView
from webenv.corpora.url import host_of, parents
from webenv.errors import CorpusError, InvalidArgument, WebError, did_you_mean
from webenv.web import Failure, Scope, SearchRequest, SearchResponse, Web

if TYPE_CHECKING:
    from webenv.corpora.dense.index import DenseIndex
    from webenv.corpora.procedural import ProceduralWeb

_SAMPLED = 100
_EVIDENCE = 100  # best pages of a query that speak for their sites
_K = 60
_DIGITS = 6
_COMPARED = 200  # sites whose words say what is usual


class SitedWeb(Web, Protocol):
    """A web that knows its sites."""

    @property
    def sites(self) -> Mapping[str, int]:
        """How many pages each host has."""
        ...


class NearSite(NamedTuple):
    """A site and how near it is; scores compare within one answer alone."""

    site: str
    score: float


class Sites:
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
        """The web of one site alone.

        Raises:
            InvalidArgument: if there is no such site.
        """
        return SiteView(self._web, self._check(host_of(site)))

    def search(
        self, site: str, queries: Sequence[str], limit: int = 10, scope: Scope = Scope()
    ) -> list[SearchResponse]:
        """Searches one site.

        Raises:
            InvalidArgument: if there is no such site.
        """
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
        open_ = [place for place, host in enumerate(self.hosts) if not _blocked(host, scope)]
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
        """What a site is about: as given, or drawn from its pages alone, the same each time.

        Raises:
            InvalidArgument: if there is no such site.
        """
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


def _blocked(host: str, scope: Scope) -> bool:
    return bool({host_of(blocked) for blocked in scope.blocked}.intersection(parents(host)))


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


def procedural_descriptions(web: ProceduralWeb) -> dict[str, str]:
    """What each site of a procedural web says of itself, by host."""
    return {host_of(site.host): web.description(site) for site in web.world.sites}
