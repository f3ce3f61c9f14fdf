"""What a response holds: HTML, plain text, a PDF, or nothing that can be read."""

from __future__ import annotations

import re

from w3lib.encoding import read_bom

ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.8,text/plain;q=0.8,*/*;q=0.1"
"""The value of Accept."""

_HTML = frozenset(("text/html", "application/xhtml+xml"))
_TEXT = frozenset(("text/plain", "text/markdown"))
_PDF = frozenset(("application/pdf", "application/x-pdf"))
_UNTOLD = frozenset(("", "application/octet-stream", "binary/octet-stream", "application/unknown", "*/*"))
_LOOKED_AT = 4_096
_CHARSET = re.compile(r"""charset\s*=\s*["']?([A-Za-z0-9_.:+-]{1,40})""", re.IGNORECASE)
_MARKUP = re.compile(rb"<(?:!doctype html|html|head|body|title|meta|p|div|h1)[\s>]", re.IGNORECASE)


def may_be_read(media: str) -> bool:
    """Whether a body of a media type is worth fetching: it may be one that can be read.

    >>> may_be_read("text/html"), may_be_read("image/png")
    (True, False)
    """
    return media in _HTML or media in _TEXT or media in _PDF or media in _UNTOLD


def charset_of(content_type: str) -> str:
    """The encoding that the value of Content-Type names; empty where it names none.

    >>> charset_of('text/html; charset="Shift_JIS"')
    'Shift_JIS'
    """
    named = _CHARSET.search(content_type[:1_000])
    return named[1] if named else ""


def kind_of(media: str, body: bytes) -> str:
    """``html``, ``text`` or ``pdf``; empty for anything else. What a body is counts more than what it is said to be.

    Args:
        media: the media type that it is said to be of; empty where it is not said.
        body: the body.
    """
    start = body[:_LOOKED_AT]
    if start.startswith(b"%PDF-") or (media in (_PDF | _UNTOLD) and b"%PDF-" in start[:1_024]):
        return "pdf"  # of a PDF alone, something may stand before its mark
    if media in _PDF or _is_binary(start):
        return ""
    if media in _HTML:
        return "html"
    if media in _TEXT:
        return "text"
    return "html" if _MARKUP.search(start) else "text"


def _is_binary(start: bytes) -> bool:
    zeros = start.count(0)
    if not zeros or read_bom(start)[0] is not None:
        return False
    few, many = sorted((start[::2].count(0), start[1::2].count(0)))
    return many * 4 < len(start) or few * 50 > len(start)  # otherwise UTF-16
