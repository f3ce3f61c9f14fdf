"""Brave Search (https://api-dashboard.search.brave.com)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx

from webenv.corpora.live.answer import Malformed, read_hits
from webenv.corpora.live.provider import Hit
from webenv.corpora.live.service import LONGEST_IN_URL, HttpProvider
from webenv.corpora.live.terms import Terms

_FIRST_DAY = "1970-01-01"


class Brave(HttpProvider):
    """Searches with Brave, in pages of at most 20 results.

    Sites and excluded hosts go out as ``site:`` and ``-site:`` operators (of either the first ten; the
    rest is filtered here), the last day as the end of its ``freshness`` range. It takes 400 characters
    and 50 words of a query, and 3,500 bytes of them in the URL.
    """

    name = "brave"
    title = "Brave"
    variable = "BRAVE_API_KEY"
    address = "https://api.search.brave.com"
    page_size = 20

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query: dict[str, str] = {
            "q": terms.with_operators(400, 50, encoded=LONGEST_IN_URL),
            "count": str(count),
            "offset": str(page),
        }
        query |= {"text_decorations": "false", "result_filter": "web"}
        if terms.last_day:
            query["freshness"] = f"{_FIRST_DAY}to{terms.last_day}"
        headers = {"X-Subscription-Token": self._key}
        return httpx.Request("GET", f"{self._url}/res/v1/web/search", params=query, headers=headers)

    def _hits(self, answer: Mapping[str, Any]) -> list[Hit]:
        web = answer.get("web")
        if web is None and answer.get("type") == "search":
            return []  # nothing was found
        if not isinstance(web, dict):
            raise Malformed(f"'web' is {'missing' if web is None else f'a {type(web).__name__}'}, no object")
        return read_hits(web, "results", snippet="description", dates=("page_age", "age"))
