"""What a site is about, drawn from its pages: the words that set it apart, and some titles."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from webenv.corpora.query import SINGLE, WORD, stem
from webenv.errors import WebError
from webenv.observations import Page
from webenv.web import Failure, SearchRequest, VisitRequest, Web

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
