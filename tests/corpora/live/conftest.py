"""Fetching as the tests of the live web do it: on loopback, without pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from webenv.corpora.live import FetchSettings
from webenv.corpora.live.fetch import Fetcher, RedirectTrail
from webenv.corpora.live.readers import Fetched
from webenv.web import Failure, Missing

Outcome = Fetched | Missing | Failure


@pytest.fixture
def fetch() -> Callable[..., Outcome]:
    """Fetches one address, with settings for loopback unless others are given."""

    def one(url: str, **given: Any) -> Outcome:
        return asyncio.run(_fetch([url], given))[0]

    return one


@pytest.fixture
def fetch_all() -> Callable[..., list[Outcome]]:
    """Fetches addresses at the same time."""
    return lambda urls, **given: asyncio.run(_fetch(urls, given))


async def _fetch(urls: list[str], given: dict[str, Any]) -> list[Outcome]:
    settings = FetchSettings(**{"allow_private": True, "delay": 0.0, "robots": False, "retries": 0, **given})
    fetcher = Fetcher(settings)
    try:
        trails = [RedirectTrail(url, lambda _: False, settings.max_redirects, settings.timeout) for url in urls]
        return list(await asyncio.gather(*map(fetcher.fetch, trails)))
    finally:
        await fetcher.aclose()
