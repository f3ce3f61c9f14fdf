"""Tavily (https://docs.tavily.com)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from webenv.corpora.live.answer import read_hits
from webenv.corpora.live.provider import Hit
from webenv.corpora.live.service import HttpProvider
from webenv.corpora.live.terms import Terms

_MOST_INCLUDED = 300
_MOST_EXCLUDED = 150


class Tavily(HttpProvider):
    """Searches with Tavily, one request a search, of at most 20 results.

    Sites and excluded hosts go out as its domain lists, the last day as its ``end_date``. It gives dates
    in its topic ``news`` alone, so a search with ``as_of`` is one of news.
    """

    name = "tavily"
    title = "Tavily"
    variable = "TAVILY_API_KEY"
    address = "https://api.tavily.com"
    page_size = 20
    spare_pages = 0

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query = terms.cut(400, 400) or " ".join(terms.sites)
        body: dict[str, Any] = {"query": query, "max_results": count, "search_depth": "basic"}
        if terms.sites:
            body["include_domains"] = [site for site in terms.sites if site != "-"][:_MOST_INCLUDED]
        if terms.excluded:
            body["exclude_domains"] = list(terms.excluded[:_MOST_EXCLUDED])
        if terms.last_day:
            body |= {"topic": "news", "end_date": terms.last_day}
        headers = {"Authorization": f"Bearer {self._key}"}
        return httpx.Request("POST", f"{self._url}/search", json=body, headers=headers)

    def _hits(self, answer: Mapping[str, Any]) -> list[Hit]:
        return read_hits(answer, "results", dates=("published_date",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return True

    def _refusal(self, status: int, body: bytes) -> str:
        if status in (432, 433):
            return f"the plan's limit is reached ({status}): see your account"
        return super()._refusal(status, body)
