"""The sites that an agent is told of at the start, by how well they fit a question and what has come of it."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from webenv.query_terms import content_words, words_of
from webenv.wrappers.menu.words import stem

_READ = 10_000  # characters of a text
_SOMEBODY = re.compile(r"\b[Pp]erson\b|\b[A-Z][\w'’.-]{1,60} (?:[A-Z]\. )?[A-Z][\w'’-]+\b")
_PEOPLE = ("people", "obituaries")
_GENERAL = "encyclopedia"
_AT_ONCE = 5  # sites that the first row asks at once; each further row twice as many
_LINK = re.compile(r"https?://([^/)\s\"'<>?#]+)")


class SiteFit(NamedTuple):
    """How well a site fits: by its description, from 0 to 1, the best site 1; and how good the best page is that links
    to it, 0 to 1."""

    described: float
    linked: float


class SiteFits:
    """Sites with descriptions.

    Args:
        question: what is sought.
        descriptions: texts by host.
    """

    def __init__(self, question: str, descriptions: Mapping[str, str]) -> None:
        self._wanted = frozenset(map(stem, content_words(question)))
        self._held = {site: frozenset(map(stem, content_words(text))) for site, text in descriptions.items()}
        having = Counter(form for forms in self._held.values() for form in forms)
        self._worth = {form: math.log(1 + len(self._held) / count) for form, count in having.items()}
        worths = {site: sum(self._worth[form] for form in sorted(forms)) for site, forms in self._held.items()}
        self._norms = {site: math.sqrt(worth) or 1.0 for site, worth in worths.items()}

    def __len__(self) -> int:
        return len(self._held)

    def fits(self, found: Sequence[tuple[str, str]] = ()) -> dict[str, SiteFit]:
        """The fit of each site, best first, ties as they came.

        A description is worth its words that the question has, and those that good pages have: pages that tell of what
        is sought tell where it is, and so who else may know of it. A link counts as much as the best description.

        Args:
            found: titles and texts of the best pages that came.
        """
        evidence = dict.fromkeys(self._wanted, 1.0)
        links: dict[str, float] = {}
        for title, text in found:
            forms, hosts = _read(title, text)
            share = len(self._wanted & forms) / max(len(self._wanted), 1)
            for form in self._worth.keys() & forms:
                evidence[form] = max(evidence.get(form, 0.0), share)
            for host in hosts & self._held.keys():
                links[host] = max(links.get(host, 0.0), share)
        scores = {
            site: sum(self._worth[form] * evidence[form] for form in sorted(forms & evidence.keys()))
            / self._norms[site]
            for site, forms in self._held.items()
        }
        most = max(scores.values(), default=0.0) or 1.0
        fits = {site: SiteFit(round(score / most, 6), round(links.get(site, 0.0), 6)) for site, score in scores.items()}
        return dict(sorted(fits.items(), key=lambda one: -round(sum(one[1]), 6)))


@lru_cache(maxsize=1_024)
def _listed(question: str, descriptions: tuple[tuple[str, str], ...]) -> SiteFits:
    return SiteFits(question, dict(descriptions))


def listed_sites(question: str, descriptions: Mapping[str, str]) -> SiteFits:
    """The sites with descriptions; many attempts at one task share them.

    >>> list(listed_sites("old mill", {"a.example": "Boats.", "b.example": "Mills, new and old."}).fits())
    ['b.example', 'a.example']
    """
    return _listed(question, tuple(descriptions.items()))


def with_sorts(query: str) -> str:
    """A query with the words by which sites say that they have such things: a name may be anybody's, so sites on people
    are as good for it as those on things of its kind; and what no site names an encyclopedia may have.

    >>> with_sorts("Anil Falkholt funeral"), with_sorts("old mills")
    ('Anil Falkholt funeral encyclopedia people obituaries', 'old mills encyclopedia')
    """
    somebody = _SOMEBODY.search(query) is not None
    return " ".join([query, _GENERAL, *(_PEOPLE if somebody else ())])


class AskRow(NamedTuple):
    """A question to several sites, best first, and how each fits it."""

    query: str
    sites: tuple[str, ...]
    fits: tuple[SiteFit, ...]


def ask_rows(query: str, fits: Mapping[str, SiteFit], rows: int) -> list[AskRow]:
    """Rows that put one question to ever more of some sites: the best 5, 10, 20, …

    Args:
        query: the question.
        fits: the sites that may be asked, best first.
        rows: how many at most.
    """
    left = list(fits)
    starts = [0, *(_AT_ONCE * 2**row for row in range(rows))]
    groups = [left[:end] for start, end in pairwise(starts) if start < len(left)]
    return [AskRow(query, tuple(group), tuple(fits[site] for site in group)) for group in groups]


@lru_cache(maxsize=2_048)
def _read(title: str, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a page, and the hosts that it links to."""
    words = words_of(f"{title} {text[:_READ]}")
    return frozenset(map(stem, words)), frozenset(_LINK.findall(text))
