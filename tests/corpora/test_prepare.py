"""A document that a parser cannot get through costs that document, not the build."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from webenv.corpora import prepare
from webenv.corpora.document import PreparedPage, Skipped, SourcePage


@pytest.mark.slow
def test_a_document_that_hangs_is_left_out(
    monkeypatch: pytest.MonkeyPatch, prose: Callable[..., str], html: Callable[..., str]
) -> None:
    """50,000 elements in one another keep resiliparse busy for minutes in one call, which its process cannot end."""
    pages = [SourcePage(f"https://a.example/{number}", html=html("T", prose(number))) for number in range(20)]
    pages[3] = SourcePage("https://a.example/3", html=f"<html><body>{'<div>' * 50_000}A text.")
    monkeypatch.setattr(prepare, "MOST_SECONDS", 2.5)
    results = list(prepare.prepare_pages(pages, 2, "resiliparse"))
    assert results[3] == Skipped("takes too long", "https://a.example/3")
    others = [result.url for result in results if isinstance(result, PreparedPage)]
    assert others == [f"https://a.example/{number}" for number in range(20) if number != 3]
