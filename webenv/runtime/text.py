"""Texts for people: on one line, not too long, without a key, and without what steers a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import quote

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
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


def printable(text: str) -> str:
    """A text from outside without what could steer a terminal: control characters, but for tabs and line ends,
    and those that turn the direction of what stands after them.

    >>> printable("a\x1b[2Jb")
    'a[2Jb'
    """
    return _CONTROLS.sub("", text)


_PLACEHOLDER = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)\}(?!\})")


def unknown_placeholder(text: str, known: Iterable[str]) -> str:
    """The first name in single braces that is none of these, said with what is known; empty where there is none.

    >>> unknown_placeholder('{answer}: {"a": 1} {{b}} {gold}', ["answer"])
    'nothing is known that {gold} stands for; filled in are {answer}. Braces that are meant as such: { gold }.'
    """
    names = list(known)
    unknown = next((found[1] for found in _PLACEHOLDER.finditer(text) if found[1] not in names), None)
    if unknown is None:
        return ""
    filled = ", ".join(f"{{{name}}}" for name in names) or "none"
    return (
        f"nothing is known that {{{unknown}}} stands for; filled in are {filled}. Braces that are meant as such: "
        f"{{ {unknown} }}."
    )


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """A text with each ``{name}`` of these replaced; no value is searched for placeholders.

    >>> fill_placeholders("{a} of {b}, {c}", {"a": "{b}", "b": "2"})
    '{b} of 2, {c}'
    """
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], found[0]), text)
