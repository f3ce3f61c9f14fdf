"""How an answer to Needle in the Web is read: as the URL of one page, or as none."""

from __future__ import annotations

import re

_OPEN = re.compile(r"<source>", re.IGNORECASE)
_CLOSE = re.compile(r"</source>", re.IGNORECASE)
# The target of a markdown link. Possessive throughout: an answer may have 200,000 characters,
# and whatever they are, they are read in linear time.
_LINK = re.compile(r"\]\(\s*+(?P<url><[^<>]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)")
_NO_SOURCE = re.compile(r"\W*no source (?:was |were )?found\W*", re.IGNORECASE)


def read_answer(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Reads the URL that an answer names.

    Takes a bare URL, a markdown link (its target), or either within ``<source>…</source>`` (the
    first open to the first close tag). ``No source found.``, as the whole answer, names none.

    Differs from the release, which drops a URL's last character where no parenthesis follows,
    and finds "no source found" anywhere in an answer.

    Args:
        texts: the texts of the answer action; the first is read.

    Returns:
        The URL, or nothing where the answer names none.

    >>> read_answer(("<source>https://a.example/b</source>",))
    ('https://a.example/b',)
    >>> read_answer(("[A page (2nd)](https://a.example/b_(c))",))
    ('https://a.example/b_(c)',)
    >>> read_answer(("No source found.",))
    ()
    """
    text = texts[0] if texts else ""
    opened = _OPEN.search(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    text = (text[opened.end() : closed.start()] if opened and closed else text).strip()
    if _NO_SOURCE.fullmatch(text):
        return ()
    link = _LINK.search(text) if "[" in text else None
    if link:
        text = link["url"]
    url = text.strip().strip("<>").strip()
    return (url,) if url else ()
