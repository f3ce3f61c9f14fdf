"""Pages as their sites serve them."""

from __future__ import annotations

import re
from collections import Counter

from webenv.corpora.extract import extract
from webenv.corpora.procedural import ProceduralWeb
from webenv.corpora.procedural.html import render_html


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.lower()))


def test_trafilatura_recovers_the_main_text(small: ProceduralWeb) -> None:
    """Of the words of the main texts it finds at least 95%, and on no page less than 80%."""
    found = total = 0
    for number in range(0, len(small), 9):
        plan = small.plan(number)
        wanted = _words(small.text(plan).text)
        extracted = _words(extract(render_html(small, plan), plan.url).text)
        got = sum(min(count, extracted[word]) for word, count in wanted.items())
        assert got / wanted.total() > 0.8, plan.url
        found += got
        total += wanted.total()
    assert found / total >= 0.95


def test_a_document_has_its_surroundings(small: ProceduralWeb) -> None:
    """Menu, links and footer stand around the text, everything escaped, and a site looks the same on all its pages."""
    menus: dict[str, set[str]] = {}
    for number in range(0, len(small), 7):
        plan = small.plan(number)
        document = render_html(small, plan)
        assert document.startswith("<!DOCTYPE html>")
        assert all(url in document for url in small.links(plan))
        assert not re.search(r"&(?!amp;|lt;|gt;|quot;|#x27;)", document)
        menus.setdefault(plan.site.host, set()).add(document.partition("<nav>")[2].partition("</nav>")[0])
    assert all(len(known) == 1 for known in menus.values())
