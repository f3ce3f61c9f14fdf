"""SearXNG, an engine of engines that anyone can run (https://docs.searxng.org)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import httpx

from webenv.corpora.live.answer import read_hits
from webenv.corpora.live.provider import Hit
from webenv.corpora.live.service import LONGEST_IN_URL, HttpProvider
from webenv.corpora.live.terms import Terms
from webenv.errors import InvalidArgument


class SearXNG(HttpProvider):
    """Searches with an instance of SearXNG, which needs no key; also with ``webenv serve web``.

    Sites and excluded hosts go out as operators, which not every engine behind it heeds, and the last
    day not at all: both are filtered here. The instance must have the format ``json`` switched on.
    ``url`` is its address; ``None``: SEARXNG_URL. It takes 1,500 characters and 256 words of a query, and
    3,500 bytes of them in the URL.
    """

    name = "searxng"
    title = "SearXNG"
    variable = "SEARXNG_URL"
    address = ""
    page_size = 10
    spare_pages = 4

    def _address(self, url: str | None) -> str:
        found = url or os.environ.get(self.variable) or ""
        if not found:
            raise InvalidArgument(
                f"SearXNG has no address: set the environment variable {self.variable}, or name it, "
                "as in live:searxng,url=http://127.0.0.1:8080."
            )
        return super()._address(found)

    def _find_key(self, key: str | None) -> str:
        return ""

    def _request(self, terms: Terms, count: int, page: int) -> httpx.Request:
        query = {
            "q": terms.with_operators(1_500, 256, encoded=LONGEST_IN_URL),
            "format": "json",
            "pageno": str(page + 1),
        }
        return httpx.Request("GET", f"{self._url}/search", params=query)

    def _hits(self, answer: Mapping[str, Any]) -> list[Hit]:
        return read_hits(answer, "results", dates=("publishedDate",))

    def _is_last(self, page: int, asked: int, came: int) -> bool:
        return came == 0  # how many results a page has is the instance's own business

    def _forbidden(self, status: int) -> str:
        return f"access is refused ({status}): is 'json' among search.formats in the instance's settings?"
