"""Question: a request as a cassette looks for it, and the JSON that its key is made of."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

__all__ = ["ROLES", "Question", "plain_text", "question", "secrets"]

ROLES: Mapping[str, str] = {"search": "web", "visit": "web", "ask": "web", "model": "model", "judge": "judge"}
"""Kind of request → who answers it."""

_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")  # how names of variables end that hold one
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


def question(kind: str, request: Mapping[str, Any], sample: int = 0, secrets: Sequence[str] = ()) -> Question:
    """A request as it is looked for.

    Args:
        kind: one of ``ROLES``.
        request: plain data.
        sample: which of several answers is meant, from 0.
        secrets: texts that are replaced by ``***``.

    >>> question("visit", {"url": "https://a.example/"}).key.hex()[:16]
    '388c4b1ee18ffff8'
    """
    text = _ascii(request)
    if any(secret in text for secret in secrets):
        text = _ascii(_masked(request, secrets))
    return Question(kind, text, sample, sha256(f'["{kind}",{text},{sample}]'.encode()).digest())


def plain_text(data: Any, secrets: Sequence[str] = (), *, in_order: bool = True) -> str:
    """Plain data as JSON that a person can read; in ASCII where it has no UTF-8 form.

    Args:
        data: what JSON has a form for.
        secrets: texts that are replaced by ``***``.
        in_order: whether the names of objects are sorted.
    """
    encode = _readable if in_order else _as_it_is
    text = encode(data)
    if any(secret in text for secret in secrets):
        text = encode(_masked(data, secrets))
    return text if text.isascii() or not _SURROGATE.search(text) else _ascii(json.loads(text))


def secrets() -> tuple[str, ...]:
    """The values of environment variables that are named like secrets."""
    values = {value.strip() for name, value in os.environ.items() if name.upper().endswith(_SECRETS)}
    return tuple(value for value in sorted(values, reverse=True) if len(value) >= _SHORTEST and value.isprintable())


def _masked(data: Any, secrets: Sequence[str]) -> Any:
    """Plain data with ``***`` for secrets in its texts; names of objects stay."""
    if isinstance(data, str):
        for secret in secrets:
            data = data.replace(secret, "***")
    elif isinstance(data, Mapping):
        return {name: _masked(value, secrets) for name, value in data.items()}
    elif isinstance(data, list | tuple):
        return [_masked(value, secrets) for value in data]
    return data
