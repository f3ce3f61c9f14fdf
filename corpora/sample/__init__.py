"""The sample web: 65 short pages of an invented coast, on six sites, written for this package.

A web to try things on: small enough to read in an evening, and the fixture of tests and docs. The
sites are an encyclopedia, a local newspaper, a travel guide, a music review, a camera review and a
journal of the humanities, all under the reserved ``.example`` names. The same towns, people, records
and cameras recur over sites, so that vague criteria have near misses; four pages are copies of others
under another URL and headline, some have aliases, some have no date. Nothing in it is real.

Attributes:
    PAGES: the pages, UTF-8, one JSON object a line: ``url``, ``title``, ``text`` (paragraphs, separated
        by blank lines; some markdown), and where known ``date`` (ISO) and ``aliases`` (more URLs of the
        same page).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

__all__ = ["PAGES"]

PAGES: Final[Path] = Path(__file__).with_name("pages.jsonl")
