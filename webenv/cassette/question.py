"""Question: a request as a cassette looks for it, and the JSON that its key is made of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

ROLES: Mapping[str, str] = {"search": "web", "visit": "web", "ask": "asker", "model": "model", "judge": "judge"}
"""Kind of request → who answers it."""

_SECRETS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD")  # how names of variables end that hold one
_SHORTEST = 8  # characters; what is shorter is no secret
_SURROGATE = re.compile("[\ud800-\udfff]")

_ascii = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_readable = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode
_as_it_is = json.JSONEncoder(separators=(",", ":"), allow_nan=False, ensure_ascii=False).encode


class Question(NamedTuple):
    """A request as it is looked for.

    Attributes:
        kind: one of ``ROLES``.
        request: its JSON, in ASCII, names sorted.
        sample: which of several answers is meant, from 0.
        key: SHA-256 of all three, 32 bytes.
    """

    kind: str
    request: str
    sample: int
    key: bytes


def question(kind: str, request: Mapping[str, Any], sample: int = 0) -> Question:
    """A request as it is looked for.

    Args:
        kind: one of ``ROLES``.
        request: plain data.
        sample: which of several answers is meant, from 0.

    >>> question("visit", {"url": "https://a.example/"}).key.hex()[:16]
    '388c4b1ee18ffff8'
    """
    text = _ascii(request)
    return Question(kind, text, sample, sha256(f'["{kind}",{text},{sample}]'.encode()).digest())


def plain_text(data: Any, secrets: tuple[str, ...] = (), *, in_order: bool = True) -> str:
    """Plain data as JSON that a person can read; in ASCII where it has no UTF-8 form.

    Args:
        data: what JSON has a form for.
        secrets: texts that are replaced by ``***``.
        in_order: whether the names of objects are sorted.
    """
    encode = _readable if in_order else _as_it_is
    text = encode(data)
    if any(secret in text for secret in _as_written(secrets)):
        text = encode(_masked(data, secrets))
    return text if text.isascii() or not _SURROGATE.search(text) else _ascii(json.loads(text))


def secrets() -> tuple[str, ...]:
    """The values of environment variables that are named like secrets, also as they stand in JSON and in URLs.

    Those of 8 characters and more; the longest first.
    """
    values = {value.strip() for name, value in os.environ.items() if f"_{name.upper()}".endswith(_SECRETS)}
    forms = {form for value in values if len(value) >= _SHORTEST for form in _forms(value)}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _forms(secret: str) -> tuple[str, ...]:
    urls = [write(secret, safe=safe, errors="replace") for write in (quote, quote_plus) for safe in ("", "/")]
    return secret, _ascii(secret)[1:-1], _readable(secret)[1:-1], *urls


@lru_cache
def _as_written(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Texts as they stand inside a text of readable JSON."""
    return tuple(_readable(secret)[1:-1] for secret in secrets)


def _masked(data: Any, secrets: tuple[str, ...]) -> Any:
    """Plain data with ``***`` for secrets in its texts; names of objects stay."""
    if isinstance(data, str):
        for secret in secrets:
            data = data.replace(secret, "***")
    elif isinstance(data, Mapping):
        return {name: _masked(value, secrets) for name, value in data.items()}
    elif isinstance(data, list | tuple):
        return [_masked(value, secrets) for value in data]
    return data
