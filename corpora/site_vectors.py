"""SiteVectors: what sites are about as vectors of words, and which are nearest to a query; no model is needed."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from webenv.corpora.analysis import WORD, stem
from webenv.corpora.document import blocks
from webenv.corpora.query import plain_text
from webenv.errors import CorpusError, WebError
from webenv.observations import Page
from webenv.web import Failure, ListedSites, Scope, SearchRequest, VisitRequest, Web

_SAMPLED = 100
_SHARE = 0.1  # of a site's pages, at most: what has all of them is an index of the site, which Tool_E does without
_DRAWN_FROM = 1_000  # pages of a site that its sample is drawn from: its first by key, which is a random order
_CHARACTERS = 2_000  # of each page
_WORLDS = 8
_DIGITS = 6
_WORD = re.compile(WORD)

Terms = Mapping[str, float]


class SiteVectors:
    """The sites of a web, each by the mean of the vectors of 100 of its pages, drawn by a seed; of a site of fewer than
    1,000 pages a tenth, for the paper's 100 are less than a hundredth of each of its sites.

    A page's vector has a number for each stem in its title and beginning, (1 + ln tf) · ln((1 + n) / (1 + df)) over
    the n pages of all samples, and length 1. A site's score for a query is the cosine between the mean and the query's
    vector, made likewise. Of a web of several worlds each world has vectors of its own, made when it is first asked.

    Source: AgentWebBench, section 3.2.1 and appendix L (Tool_E), where an encoder makes the vectors. *Differs from* it
    in small sites: 100 pages of 60 would be all of them, and the choice of sites a search of the whole web.

    Args:
        web: the web; it must list its sites, or ``sites_of`` does.
        sites_of: gives the hosts of a world, by its name in scopes; ``None``: the sites of the web.
        sampled: how many pages make a site's vector at most.
        seed: of the sample.
    """

    def __init__(
        self,
        web: Web,
        sites_of: Callable[[str], Sequence[str]] | None = None,
        sampled: int = _SAMPLED,
        seed: int = 0,
    ) -> None:
        self._web = web
        self._sites_of = sites_of
        self._sampled, self._seed = sampled, seed
        self._world = lru_cache(maxsize=_WORLDS)(self._made)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "mean of words", "sampled": str(self._sampled), "seed": str(self._seed)}

    def nearest_sites(self, queries: Sequence[tuple[str, Scope]], k: int) -> list[list[str]]:
        """The ``k`` hosts nearest to each query, best first, ties by host; none for a query of unknown words alone.

        Args:
            queries: texts, each with the part of the web that is open to it.
            k: how many.

        Raises:
            WebError: if the web could not be asked.
        """
        return [self._world(scope.world).nearest(query, scope, k) for query, scope in queries]

    def _made(self, world: str) -> _World:
        counts: dict[str, list[Counter[str]]] = {}
        for host in self._hosts(world):
            counts[host] = [_counts(f"{page.title}\n{page.text[:_CHARACTERS]}") for page in self._sample(host, world)]
        return _World(counts)

    def _hosts(self, world: str) -> Sequence[str]:
        if self._sites_of is not None:
            return self._sites_of(world)
        if not isinstance(self._web, ListedSites):
            raise CorpusError(f"{self._web!r:.100} does not list its sites, so none is the nearest to a query.")
        return sorted(self._web.sites)

    def _sample(self, host: str, world: str) -> list[Page]:
        scope = Scope(world=world)
        found = self._web.search([SearchRequest(f"site:{host}", _DRAWN_FROM, scope)])[0]
        if isinstance(found, Failure):
            raise WebError(found.reason)
        count = min(self._sampled, max(1, round(len(found) * _SHARE)))
        drawn = random.Random(f"{self._seed}/{host}").sample(found, count)
        pages = []
        for page in self._web.visit([VisitRequest(result.url, scope) for result in drawn]):
            if isinstance(page, Failure):
                raise WebError(page.reason)
            if isinstance(page, Page):
                pages.append(page)
        return pages


class _World:
    """The vectors of the sites of one world, by stem."""

    def __init__(self, counts: Mapping[str, Sequence[Counter[str]]]) -> None:
        having: Counter[str] = Counter()
        for pages in counts.values():
            for page in pages:
                having.update(page.keys())
        total = sum(map(len, counts.values()))
        self._worth = {form: math.log((1 + total) / (1 + count)) for form, count in having.items()}
        self._having: dict[str, list[tuple[str, float]]] = {}  # stem → sites and their share of length 1
        for host, pages in counts.items():
            mean: dict[str, float] = {}
            for page in pages:
                for form, weight in self._vector(page).items():
                    mean[form] = mean.get(form, 0.0) + weight
            length = math.sqrt(sum(weight * weight for weight in mean.values())) or 1.0
            for form, weight in mean.items():
                self._having.setdefault(form, []).append((host, weight / length))

    def _vector(self, counts: Counter[str]) -> dict[str, float]:
        weights = {form: (1 + math.log(count)) * self._worth.get(form, 0.0) for form, count in counts.items()}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {form: weight / length for form, weight in weights.items()}

    def nearest(self, query: str, scope: Scope, k: int) -> list[str]:
        scores: dict[str, float] = {}
        for form, weight in self._vector(_counts(plain_text(query))).items():
            for host, own in self._having.get(form, ()):
                scores[host] = scores.get(host, 0.0) + weight * own
        ranked = sorted(scores, key=lambda host: (-round(scores[host], _DIGITS), host))
        return [host for host in ranked if not (scope.blocked and blocks(scope, host))][:k]


def _counts(text: str) -> Counter[str]:
    counts = Counter(stem(word) for word in _WORD.findall(text.lower()))
    del counts[""]
    return counts
