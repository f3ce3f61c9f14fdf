"""Search providers: services that search the live web."""

from __future__ import annotations

import datetime
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from webenv.corpora.live.dates import latest_day
from webenv.corpora.live.terms import Terms
from webenv.corpora.query import utf8
from webenv.corpora.url import canonical_url, host_of, page_key
from webenv.observations import Result
from webenv.web import SearchRequest, SearchResponse

_MOST_READ = 1_000  # hits of one answer
_LONGEST_TITLE = 300  # characters
_LONGEST_SNIPPET = 2_000
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]+")


@runtime_checkable
class SearchProvider(Protocol):
    """A service that searches the live web."""

    @property
    def identity(self) -> Mapping[str, str]:
        """What it is, for the record of a run: at least ``provider``; never a key."""
        ...

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """For each request, in order, at most ``limit`` results that its query and scope let through.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date.
        """
        ...

    def close(self) -> None:
        """Ends its connections; a later search begins new ones."""
        ...


class Hit(NamedTuple):
    """One result as a provider gives it; ``date`` in any form, empty where it gives none."""

    title: str
    url: str
    snippet: str
    date: str = ""


def results_of(hits: Iterable[Hit], terms: Terms, today: datetime.date) -> Iterable[Result]:
    """The results that terms let through, each page once; hits that lead to no web address are left out.

    Args:
        hits: of one search, best first.
        terms: what was searched for.
        today: the day of the search, from which "3 days ago" counts.
    """
    seen: set[int] = set()
    for number, hit in enumerate(hits):
        if number >= _MOST_READ:
            return
        url = canonical_url(hit.url)
        site = host_of(url) if url else ""
        if url is None or not site:
            continue
        key = page_key(url)
        if key in seen or not terms.lets_through(site, latest_day(hit.date, today) if terms.last_day else ""):
            continue
        seen.add(key)
        title = plain(hit.title)[:_LONGEST_TITLE] or url
        yield Result(title, url, plain(hit.snippet)[:_LONGEST_SNIPPET], site, f"{key:016x}")


def plain(text: str) -> str:
    """A text of a provider on one line: without tags, entities, control characters and lone surrogates.

    >>> plain("The <strong>Neap</strong> &amp; the spring\\ntide")
    'The Neap & the spring tide'
    """
    return " ".join(_CONTROLS.sub(" ", utf8(html.unescape(_TAG.sub("", text[:20_000])))).split())
