"""The answer to a search in SearXNG's JSON form, which many search clients read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from webenv.observations import Result

ENGINE = "webenv"


def searxng_record(query: str, results: Sequence[tuple[Result, str]], before: int) -> dict[str, Any]:
    """The object that ``format=json`` gives.

    ``number_of_results`` counts what was found so far, this part and those before it; ``score`` is
    the inverse of the rank.

    Args:
        query: what was sought.
        results: hits of this part, each with its ISO date, which may be empty.
        before: how many hits stand in the parts before.
    """
    rows = []
    for rank, (hit, date) in enumerate(results, start=before + 1):
        parts = urlsplit(hit.url)
        rows.append(
            {
                "url": hit.url,
                "title": hit.title,
                "content": hit.snippet,
                "publishedDate": f"{date}T00:00:00" if date else None,
                "engine": ENGINE,
                "engines": [ENGINE],
                "positions": [rank],
                "score": 1 / rank,
                "category": "general",
                "template": "default.html",
                "parsed_url": [parts.scheme, parts.netloc, parts.path, "", parts.query, parts.fragment],
                "img_src": "",
                "thumbnail": "",
                "priority": "",
            }
        )
    empty: dict[str, list[str]] = {
        name: [] for name in ("answers", "corrections", "infoboxes", "suggestions", "unresponsive_engines")
    }
    return {"query": query, "number_of_results": before + len(rows), "results": rows, **empty}
