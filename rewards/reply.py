"""How a judge's reply is read: fields that bear the token of the request, or those of a user's prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from webenv.models import Schema, after_thinking

_MARKUP = " \t\r\n*_`\"'.“”‘’"


def read_fields(reply: str, token: str, required: Sequence[str], optional: Sequence[str] = ()) -> dict[str, str] | None:
    """The fields of a reply, by name; ``None``: it is no verdict.

    Each field is a tag with the token, ``<verdict id="TOKEN">correct</verdict>``, that stands in the reply
    once, or several times and says the same each time; or all are texts or whole numbers of one JSON object
    that is the whole reply and holds the token as ``id``. A tag or an object without the token, or with
    another, is none. Text up to a closing think tag is dropped first.

    Args:
        reply: the reply.
        token: the token of the request.
        required: the fields without which it is no verdict.
        optional: fields that may be missing; one that says two things is no verdict either.

    >>> read_fields('I weigh it. <verdict id="1f">no</verdict>', "1f", ["verdict"])
    {'verdict': 'no'}
    >>> read_fields('{"id": "1f", "verdict": "no"}', "1f", ["verdict"])
    {'verdict': 'no'}
    >>> read_fields('{"verdict": "no"}', "1f", ["verdict"]) is None
    True
    """
    text = after_thinking(reply)
    found = read_object(reply) or read_object(text)  # a reason in the object may quote a think tag
    if found is not None:
        return _of_object(found, required, optional) if found.get("id") == token else None
    fields: dict[str, str] = {}
    for name in (*required, *optional):
        opened = list(
            re.finditer(rf"""<\s*(?i:{re.escape(name)})\s+(?i:id)\s*=\s*["']?{re.escape(token)}["']?\s*>""", text)
        )
        if not opened and name in optional:
            continue
        ends = [one.start() for one in opened[1:]] + [len(text)]
        said = [_until_closed(text[one.end() : end], name) for one, end in zip(opened, ends, strict=False)]
        if not said or said[0] is None or len({_plainly(one) for one in said}) > 1:
            return None
        fields[name] = said[0]
    return fields


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object that a text is, alone or in one code fence; ``None``: it is none.

    An object that has a name twice is none: whoever reads it would have to choose.

    >>> read_object('```json\\n{"a": 1}\\n```'), read_object('see {"a": 1}'), read_object('{"a": 1, "a": 2}')
    ({'a': 1}, None, None)
    """
    body = text.strip()
    fenced = re.fullmatch(r"```(?:json)?[ \t]*\r?\n(.*?)\r?\n?```", body, re.DOTALL | re.IGNORECASE)
    body = fenced[1].strip() if fenced else body
    if not body.startswith("{"):
        return None
    try:
        found = json.loads(body, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def read_choice(text: str, choices: Iterable[str]) -> str | None:
    """The one of the choices that a text is, whatever its case and the markup around it; ``None``: none.

    >>> read_choice("**Not attempted.**", ["correct", "not_attempted"]), read_choice("correct?", ["correct"])
    ('not_attempted', None)
    """
    word = re.sub(r"[\s_-]+", "_", text.strip(_MARKUP)).lower()
    return word if word in tuple(choices) else None


def echoes(reply: str, *data: str) -> bool:
    """Whether a reply only repeats one of the texts that it was to judge, but for spaces.

    What a token tells apart by itself, a user's prompt without one leaves open: there a favourable
    verdict that is the judged text is none.
    """
    said = after_thinking(reply).split()
    return any(said == after_thinking(text).split() for text in data)


def schema_of(fields: Mapping[str, Schema]) -> Schema:
    """The JSON schema of an object with these fields and the token as ``id``, all required and no others.

    The token itself is no part of it: it is the model that has to copy it, which an echo does not.
    """
    properties = {"id": {"type": "string"}, **fields}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _of_object(found: Mapping[str, Any], required: Sequence[str], optional: Sequence[str]) -> dict[str, str] | None:
    fields = {}
    for name in (*required, *optional):
        value = found.get(name)
        if value is None and name in optional:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        fields[name] = str(value).strip()
    return fields


def _until_closed(text: str, name: str) -> str | None:
    closed = re.search(rf"<\s*/\s*{re.escape(name)}\b", text, re.IGNORECASE)
    return None if closed is None else text[: closed.start()].strip()


def _plainly(said: str | None) -> str | None:
    """What a field says, whatever its case, spaces and the markup around it; ``None``: it was not closed."""
    return None if said is None else " ".join(said.strip(_MARKUP).split()).casefold()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name twice")
    return found
