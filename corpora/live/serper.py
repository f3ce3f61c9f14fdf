"""Serper, which asks Google (https://serper.dev)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import httpx

from webenv.corpora.live.answer import read_hits
from webenv.corpora.live.provider import Hit
from webenv.corpora.live.service import HttpProvider
from webenv.corpora.live.terms import Terms


class Serper(HttpProvider):
    """Searches with Serper, in pages of 10 results.

    Sites and excluded hosts go out as ``site:`` and ``-site:`` operators (of either the first ten; the
    rest is filtered here), the last day as Google's date range.
    """

    name = "serper"
    title = "Serper"
    variable = "SERPER_API_KEY"
    address = "https://google.serper.dev"
    page_size = 10

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        body: dict[str, Any] = {"q": terms.with_operators(1_500, 64), "num": self.page_size, "page": page + 1}
        if terms.last_day:
            day = date.fromisoformat(terms.last_day)
            body["tbs"] = f"cdr:1,cd_max:{day.month}/{day.day}/{day.year}"
        return httpx.Request("POST", f"{self._url}/search", json=body, headers={"X-API-KEY": self._key})

    def _hits(self, answer: Mapping[str, Any]) -> list[Hit]:
        return read_hits(answer, "organic", url="link", snippet="snippet", dates=("date",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return came == 0  # Google's pages are often short of ten
