"""Texts for people: on one line, not too long, and without a key."""

from __future__ import annotations

from urllib.parse import quote

_SECRET = 6  # characters; a shorter key, such as "none" for a local server, is no secret


def one_line(text: str, most: int = 500) -> str:
    """A text on one line, blanks between words, cut after so many characters.

    >>> one_line(" a\\n b "), one_line("abc", 2)
    ('a b', 'ab…')
    """
    line = " ".join(text.split())
    return line if len(line) <= most else line[:most] + "…"


def masked(text: str, key: str) -> str:
    """A text without a key, however that is escaped in it; a key of fewer than 6 characters is no secret.

    >>> masked("got sk-a/bcd and sk-a%2Fbcd", "sk-a/bcd"), masked("none", "none")
    ('got *** and ***', 'none')
    """
    if len(key) >= _SECRET:
        for form in dict.fromkeys((key, quote(key, safe=""), key.replace("/", "\\/"))):
            text = text.replace(form, "***")
    return text
