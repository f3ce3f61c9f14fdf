"""The dialects of ``/retrieve``: how Search-R1, SkyRL and GEM ask for passages, and what each of them reads.

=========  ==========================================  ====================================================
Search-R1  JSON ``{"queries": [q, …], "topk": k}``     ``{"result": [[hit, …], …]}``, a list for each query
SkyRL      JSON ``{"query": q, "topk": k}``            ``{"result": [[hit, …]]}``, a list of one list
GEM        msgpack ``{"query": q, "topk": k}``         msgpack ``{"result": [hit, …]}``
rllm       JSON ``{"query": q, "top_k": k}``           ``{"results": [hit, …]}``
=========  ==========================================  ====================================================

A hit is ``{"document": {"id", "contents"}, "score"}``. Without ``"return_scores": true`` a hit of
the first two is the document alone, and one of GEM has the score ``None``; rllm's always has one. A ``topk`` that is
missing, null or 0 is the server's; a whole number may come as a text or with a fraction of 0. No queries have no
answers: Search-R1's client asks so in a turn in which nobody searches. Clients send these bodies with any or no
content type, so it is the first byte that tells JSON from msgpack.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import repeat
from typing import Any, NamedTuple

import msgpack
from starlette.exceptions import HTTPException

from webenv.serving.bodies import json_bytes, json_text

MOST_BYTES = 20_000_000
"""The largest body of a request."""
MOST_QUERIES = 10_000
"""The most queries in one request."""
MOST_TOPK = 1_000
"""The most passages for one query."""

MOST_PASSAGES = 100_000
"""The most passages for all queries of one request together."""

MOST_ANSWER = 100_000_000
"""The most characters in one answer."""

_FORMS = '{"queries": [texts], "topk": 3, "return_scores": true} or {"query": text, …}, as JSON or msgpack'


class Passage(NamedTuple):
    """A page that was found, with its score; scores compare within one query alone."""

    url: str
    title: str
    text: str
    score: float


class Retrieval(NamedTuple):
    """One request: what is sought, and the form in which the client reads the answer.

    Attributes:
        queries: the queries; a list may be empty.
        limit: passages for each, 1 to 1,000.
        scores: whether scores are wanted.
        single: whether the client sent one query and not a list.
        packed: whether the answer is msgpack, not JSON.
        named: whether the answer is called ``results``, as rllm reads it.
    """

    queries: tuple[str, ...]
    limit: int
    scores: bool
    single: bool
    packed: bool
    named: bool = False

    @property
    def media_type(self) -> str:
        return "application/msgpack" if self.packed else "application/json"


def read_object(body: bytes, expected: str) -> tuple[dict[str, Any], bool]:
    """The object that a body holds, and whether it came as msgpack.

    Args:
        body: JSON or msgpack.
        expected: what should have come, for the message.

    Raises:
        HTTPException: 400, if it is neither, or no object.
    """
    packed = bool(body) and (0x80 <= body[0] <= 0x8F or body[0] in (0xDE, 0xDF))  # how a map of msgpack begins
    try:
        record = msgpack.unpackb(body) if packed else json.loads(body)
    except (ValueError, RecursionError, msgpack.exceptions.UnpackException) as error:
        kind = "msgpack" if packed else "JSON"
        raise HTTPException(400, f"the body is no {kind} ({error!s:.100}): expected {expected}.") from error
    if not isinstance(record, dict):
        raise HTTPException(400, f"the body is a {type(record).__name__}: expected {expected}.")
    return record, packed


def read_retrieval(body: bytes, topk: int) -> Retrieval:
    """Reads the body of a request.

    Args:
        body: in any dialect.
        topk: passages for each query, where the client does not say.

    Raises:
        HTTPException: 400, for a body of another form, or a value of another type or out of range; 413, if all
            queries together ask for more than 100,000 passages.
    """
    record, packed = read_object(body, _FORMS)
    if ("queries" in record) == ("query" in record):
        found = ", ".join(map(repr, list(record)[:8])) or "nothing"
        raise HTTPException(400, f"the body has {found:.200}: expected {_FORMS}.")
    single = "query" in record
    queries = [record["query"]] if single else record["queries"]
    if not isinstance(queries, list):
        raise HTTPException(400, f'"queries" is {queries!r:.60}: expected "queries": a list of texts.')
    wrong = [query for query in queries if not isinstance(query, str)]
    if wrong:
        found, expected = (
            ('"query" is', '"query": a text') if single else ('"queries" holds', '"queries": a list of texts')
        )
        raise HTTPException(400, f"{found} {wrong[0]!r:.60}: expected {expected}.")
    if len(queries) > MOST_QUERIES:
        raise HTTPException(
            400, f'"queries" has {len(queries):,} texts: expected at most {MOST_QUERIES:,} in one request.'
        )
    named = "top_k" in record and "topk" not in record
    limit = _limit(record.get("top_k" if named else "topk"), topk)
    if len(queries) * limit > MOST_PASSAGES:
        raise HTTPException(
            413,
            f"{len(queries):,} queries ask for {limit:,} passages each: expected at most {MOST_PASSAGES:,} in all in "
            "one request.",
        )
    scores = record.get("return_scores", False)
    if not isinstance(scores, bool):
        raise HTTPException(400, f'"return_scores" is {scores!r:.40}: expected true or false.')
    return Retrieval(tuple(queries), limit, scores or named, single, packed, named)


def _limit(given: object, default: int) -> int:
    """How many passages are wanted: a whole number, also as a text or a float, as clients send it."""
    limit = given
    if isinstance(given, str) and given.isascii() and given.strip().isdigit() and len(given) <= 9:
        limit = int(given)
    elif isinstance(given, float):
        limit = int(given) if given.is_integer() else given
    if limit is None or (limit == 0 and not isinstance(limit, bool)):
        return default
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST_TOPK:
        raise HTTPException(400, f'"topk" is {given!r:.40}: expected a whole number from 1 to {MOST_TOPK:,}.')
    return limit


def encode(retrieval: Retrieval, found: Sequence[Sequence[Passage]], characters: int | None = None) -> bytes:
    """The answer to a request, in its dialect.

    Args:
        retrieval: the request.
        found: the passages of each query, best first.
        characters: the most of each passage's contents; ``None``: all.

    Raises:
        HTTPException: 413, if all contents together have more than 100,000,000 characters.
    """
    sizes = (len(passage.title) + 1 + len(passage.text) for passages in found for passage in passages)
    if sum(size if characters is None else min(size, characters) for size in sizes) > MOST_ANSWER:
        raise HTTPException(413, f"the answer has over {MOST_ANSWER:,} characters: ask for less in one request.")
    plain = retrieval.single and (retrieval.packed or retrieval.named)
    name = "results" if retrieval.named else "result"
    texts = [[_contents(passage)[:characters] for passage in passages] for passages in found]
    if not retrieval.packed:
        written = [
            b"[%b]" % b",".join(map(_json_hit, passages, contents, repeat(retrieval.scores)))
            for passages, contents in zip(found, texts, strict=True)
        ]
        return b'{"%b":%b}' % (name.encode(), written[0] if plain else b"[%b]" % b",".join(written))
    result = []
    for passages, contents in zip(found, texts, strict=True):
        hits: list[Any] = []
        for passage, text in zip(passages, contents, strict=True):
            document = {"id": passage.url, "contents": text}
            if retrieval.scores:
                hits.append({"document": document, "score": passage.score})
            else:
                hits.append({"document": document, "score": None} if _is_gem(retrieval) else document)
        result.append(hits)
    packed: bytes = msgpack.packb({name: result[0] if plain else result}, unicode_errors="replace")
    return packed


def _json_hit(passage: Passage, contents: str, scores: bool) -> bytes:
    document = b'{"id":%b,"contents":%b}' % (json_text(passage.url), json_text(contents))
    return b'{"document":%b,"score":%b}' % (document, json_bytes(passage.score)) if scores else document


def _contents(passage: Passage) -> str:
    """Title and text; the title once, where the text begins with it, as pages of Wikipedia dumps do."""
    first, _, rest = passage.text.partition("\n")
    own = first.strip().lstrip("#").strip().strip('"').strip()
    return f"{passage.title}\n{rest if own == passage.title else passage.text}"


def _is_gem(retrieval: Retrieval) -> bool:
    return retrieval.packed and retrieval.single
