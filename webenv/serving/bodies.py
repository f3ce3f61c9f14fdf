"""What clients send and are told: bodies of a bounded size, documents with a tag, and errors in one line."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response

from webenv.errors import ServiceError, WebenvError
from webenv.serving.pages import error_page

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""What goes with every document: nothing in it runs, and nothing is loaded from elsewhere."""

_LOG = logging.getLogger("webenv.serving")
_MOST_FORM = 100_000  # bytes
_MOST_FIELDS = 100
_PARAMETERS = "webenv.parameters"


# ── what is sent ──────────────────────────────────────────────────────────────


async def read_body(request: Request, most: int) -> bytes:
    """The body of a request.

    Raises:
        HTTPException: 413, if there are more.
    """
    refusal = HTTPException(413, f"the body is longer than {most:,} bytes: send less in one request.")
    said = request.headers.get("content-length", "")
    if said.isascii() and said.isdigit() and (len(said) > 12 or int(said) > most):
        raise refusal
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise refusal
        parts.append(part)
    return b"".join(parts)


async def read_parameters(request: Request) -> dict[str, str]:
    """The parameters of a request, from its address and its form; of several of one name the last.

    Raises:
        HTTPException: 400 or 413, if there are more than a form has.
    """
    if _PARAMETERS not in request.scope:
        given = request.query_params.multi_items()
        if request.method == "POST":
            body = (await read_body(request, _MOST_FORM)).decode("utf-8", "replace")
            try:
                given += parse_qsl(body, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
            except ValueError as error:
                raise HTTPException(400, f"the form cannot be read ({error}).") from error
        request.scope[_PARAMETERS] = dict(given)
    parameters: dict[str, str] = request.scope[_PARAMETERS]
    return parameters


def read_number(text: str, name: str, most: int, default: int = 1) -> int:
    """A parameter that counts from 1; the default where it is empty.

    Raises:
        HTTPException: 400, if it is anything else, or more than ``most``.
    """
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or len(text) > 9 or not 1 <= int(text) <= most:
        raise HTTPException(400, f"{name}={text:.40}: expected a whole number from 1 to {most:,}.")
    return int(text)


# ── what is told ──────────────────────────────────────────────────────────────


_ESCAPED = bytes(set(range(32)) - set(b"\n\t\r"))  # what JSON tells by numbers, and few texts have


def json_bytes(record: Any) -> bytes:
    """A record as UTF-8 JSON; what has no UTF-8 form becomes a question mark."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def json_text(text: str) -> bytes:
    """A text as :func:`json_bytes` gives it, a long one in a third of the time."""
    coded = text.encode("utf-8", "replace")
    if len(coded.translate(None, _ESCAPED)) != len(coded):
        return json_bytes(text)
    for plain, escaped in ((b"\\", b"\\\\"), (b'"', b'\\"'), (b"\n", b"\\n"), (b"\t", b"\\t"), (b"\r", b"\\r")):
        coded = coded.replace(plain, escaped)
    return b'"%b"' % coded


def json_response(record: Any, status: int = 200) -> Response:
    """An answer that is a JSON object."""
    return Response(json_bytes(record), status, media_type="application/json")


def html_response(request: Request, html: str) -> Response:
    """A document, or 304 where the client has it."""
    body = html.encode("utf-8", "replace")
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {**HEADERS, "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return HTMLResponse(body, headers=headers)


def _status(request: Request, error: Exception) -> tuple[int, str, Mapping[str, str]]:
    """The status, the line and the headers by which a client learns of an error."""
    if isinstance(error, HTTPException):
        return error.status_code, " ".join(error.detail.split()), error.headers or {}
    expected = isinstance(error, WebenvError)
    _LOG.error("%s %s: %s", request.method, request.url.path, error, exc_info=None if expected else error)
    if expected:
        return 502 if isinstance(error, ServiceError) else 500, " ".join(str(error).split()), {}
    return 500, "this server failed; what it met stands in its log.", {}


async def _as_json(request: Request, error: Exception) -> Response:
    status, line, headers = _status(request, error)
    return Response(json_bytes({"error": line}), status, headers, media_type="application/json")


async def _as_page(request: Request, error: Exception) -> Response:
    wanted = request.scope.get(_PARAMETERS, request.query_params).get("format")
    if wanted == "json":
        return await _as_json(request, error)
    status, line, headers = _status(request, error)
    return HTMLResponse(error_page(status, line), status, {**HEADERS, **headers})


async def _to_nobody(request: Request, error: Exception) -> Response:
    return Response(status_code=400)  # whoever asked has left


JSON_ERRORS: Any = {
    HTTPException: _as_json, WebenvError: _as_json, ClientDisconnect: _to_nobody, Exception: _as_json
}  # fmt: skip
"""Starlette's exception handlers for programs: each error is ``{"error": "one line"}``."""

PAGE_ERRORS: Any = {
    HTTPException: _as_page, WebenvError: _as_page, ClientDisconnect: _to_nobody, Exception: _as_page
}  # fmt: skip
"""Starlette's exception handlers for people: pages; JSON for those who ask with ``format=json``."""
