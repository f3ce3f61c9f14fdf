"""The APIs of search providers, as servers on loopback speak them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.corpora.live.hostile_web import Call, Reply, Site, serve, to_json
from webenv.corpora.live import Brave, SearXNG, Serper, Tavily
from webenv.corpora.live.http_provider import HttpProvider
from webenv.web import SearchRequest

__all__ = ["ALL", "EACH", "FORMS", "KEY", "ROWS", "ask", "brave", "query_of", "searxng", "serper", "tavily"]

KEY = "tvly-SECRET-0123456789"
Row = tuple[str, str, str, str]
ROWS: list[Row] = [
    (
        "Neap <strong>tides</strong>",
        "https://www.Harbour.example/neap/?utm_source=x",
        "At the &quot;quarters&quot;.",
        "2024-03-01",
    ),
    ("Mills", "http://mills.example/a#top", "Grain.\n", "2025-06-30T10:00:00"),
    ("Undated", "https://sub.harbour.example/b", "Some day.", ""),
]


def tavily(rows: list[Any]) -> Any:
    names = ("title", "url", "content", "published_date")
    return {
        "query": "x",
        "answer": None,
        "results": [dict(zip(names, row, strict=True)) for row in rows],
        "response_time": 1.2,
    }


def serper(rows: list[Any]) -> Any:
    names = ("title", "link", "snippet", "date")
    organic = [dict(zip(names, row, strict=True)) | {"position": n} for n, row in enumerate(rows, 1)]
    return {"searchParameters": {"q": "x", "type": "search"}, "organic": organic, "credits": 1}


def brave(rows: list[Any]) -> Any:
    names = ("title", "url", "description", "page_age")
    return {
        "type": "search",
        "query": {},
        "web": {"type": "search", "results": [dict(zip(names, row, strict=True)) for row in rows]},
    }


def searxng(rows: list[Any]) -> Any:
    names = ("title", "url", "content", "publishedDate")
    found = [dict(zip(names, row, strict=True)) | {"engine": "x", "score": 1.0} for row in rows]
    return {
        "query": "x",
        "number_of_results": 0,
        "results": found,
        "answers": [],
        "suggestions": [],
        "unresponsive_engines": [],
    }


FORMS: dict[type[HttpProvider], tuple[str, Callable[[list[Any]], Any]]] = {
    Tavily: ("/search", tavily),
    Serper: ("/search", serper),
    Brave: ("/res/v1/web/search", brave),
    SearXNG: ("/search", searxng),
}
ALL = pytest.mark.parametrize("kind", list(FORMS))
EACH = pytest.mark.parametrize("kind", [Tavily, Serper, Brave])


def ask(
    kind: type[HttpProvider], reply: Reply | list[Any], *requests: SearchRequest, **given: Any
) -> tuple[list[Any], Site]:
    path, form = FORMS[kind]
    with serve({path: to_json(form(reply)) if isinstance(reply, list) else reply}) as site:
        provider = kind(None if kind is SearXNG else KEY, url=site.url, **{"retries": 0, **given})
        try:
            return provider.search(requests or [SearchRequest("neap tide")]), site
        finally:
            provider.close()


def query_of(call: Call) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(call.path).query).items()}
