"""Transcript: requests and answers as plain data, as they stand on a cassette, and back.

Fields that a type had when the format began are written always, or always but where they are empty.
A field that is added later is written only where it is not at its default: so what was recorded
before it existed is still found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from webenv.budget import Budget, Spending
from webenv.errors import DataError
from webenv.judge import Seen, Submission, Verdict
from webenv.models import Message, ModelFailure, Request, ToolCall
from webenv.observations import Document, Page, Reply, Result, check_trace
from webenv.task import Gold, Task
from webenv.web import AskRequest, Failure, Missing, Scope, SearchRequest, VisitRequest

RecordT = TypeVar("RecordT", bound=Sequence[Any])

LONGEST = 1e9
"""Seconds; the most that anything on a tape took."""


class Timed(NamedTuple):
    """A response with how long it took, as it stands on a tape: ``{"timed": {"response": …, "seconds": …}}``."""

    response: Any
    seconds: float


_UNITS = ("searches", "visits", "asks", "turns")
_ALWAYS: Mapping[type, tuple[str, ...]] = {
    SearchRequest: ("query", "limit"),
    VisitRequest: ("url",),
    AskRequest: ("question", "site"),
    Request: ("messages",),
    Message: ("role", "content"),
    ToolCall: ("id", "name", "arguments"),
    Scope: (),
    Result: ("title", "url", "snippet", "site"),
    Page: ("url", "title", "text"),
    Document: ("url", "title", "text"),
    Reply: ("site", "text"),
    Missing: ("reason",),
    Failure: ("reason",),
    Timed: ("response", "seconds"),
    Task: ("id", "question"),
    Gold: (),
    Seen: ("url", "key"),
    Submission: ("ending",),
    Budget: _UNITS,
    Spending: _UNITS,
    Verdict: ("outcome", "value", "explanation", "judge"),
}
"""The fields that are always written."""

_NEVER: Mapping[type, tuple[str, ...]] = {
    Spending: ("seconds", "dollars"),  # what a clock said is no part of a request
    Request: ("sample",),  # it stands beside the request
}
_TAGS: Mapping[type, str] = {Page: "page", Reply: "reply", Missing: "missing", Failure: "failure", Timed: "timed"}
_NONE = object()
_fields_of_hit = itemgetter(*Result._fields)


def plain(value: Any) -> Any:
    """Whatever a web or a judge is asked or answers, or a model is asked, ready for JSON.

    What may be of several types is an object with the type as its one name, as in
    ``{"page": {"url": …}}``; hosts that are blocked stand in the order of the alphabet.

    >>> plain(SearchRequest("old mill", scope=Scope(blocked=("b.example", "a.example"))))
    {'query': 'old mill', 'limit': 10, 'scope': {'blocked': ['a.example', 'b.example']}}
    """
    kind = type(value)
    if kind is str or value is None or isinstance(value, bool | int | float):
        return value
    if kind in _ALWAYS:
        record = plain_record(value, _ALWAYS[kind], _NEVER.get(kind, ()))
        if kind is Scope and "blocked" in record:
            record["blocked"].sort()
        if kind is Submission and len(value.answer) <= 1:
            # as it was written while an answer was one text, so that verdicts on old tapes are found
            record["answer"] = value.first
            record |= {"page": plain(value.page)} if value.page is not None else {}
            record.pop("pages", None)
        return {_TAGS[kind]: record} if kind in _TAGS else record
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    raise DataError(
        f"{kind.__qualname__} {value!r:.80} cannot be recorded: it is none of webenv's requests or answers."
    )


def plain_record(value: Any, always: Sequence[str], never: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a named tuple or dataclass, but for those at their default, or empty without one.

    Args:
        value: the record.
        always: the fields that are written whatever they hold.
        never: the fields that are not.
    """
    record = {}
    for name, default in _defaults(value.__class__):
        item = getattr(value, name)
        if name in always or (name not in never and item != default and (default is not _NONE or item)):
            record[name] = plain(item)
    return record


@lru_cache
def _defaults(kind: Any) -> tuple[tuple[str, Any], ...]:
    """The fields of a type, each with its default."""
    if is_dataclass(kind):
        found: list[tuple[str, Any]] = []
        for field in fields(kind):
            made = field.default_factory() if field.default_factory is not MISSING else field.default
            found.append((field.name, _NONE if made is MISSING else made))
        return tuple(found)
    given: Mapping[str, Any] = getattr(kind, "_field_defaults", {})
    return tuple((name, given.get(name, _NONE)) for name in getattr(kind, "_fields", ()))


def read_answer(kind: str, data: Any) -> Any:
    """An answer from what :func:`plain` made of it.

    Args:
        kind: what was asked: ``search``, ``visit``, ``ask`` or ``judge``.
        data: the answer as plain data.

    Raises:
        DataError: if it is not of that form.
    """
    try:
        return _read_timed(data, _READERS[kind])
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(
            f"a cassette holds an answer to {kind} that this webenv cannot read ({error!r:.100}); "
            "a newer webenv may have made it."
        ) from error


def read_failure(role: str, data: Any) -> Any:
    """What came of a request that failed, from plain data: a Failure, a ModelFailure, or a verdict that is unscored.

    Args:
        role: who was asked: ``web``, ``asker``, ``model`` or ``judge``.
        data: the failure as plain data.

    Raises:
        DataError: if it is not of that form.
    """
    try:
        if role in ("web", "asker"):
            return _read_timed(data, lambda one: _texts(Failure(**one["failure"])))
        if role == "model":
            failure = ModelFailure(**data)
            _texts((failure.reason,))
            return failure
        verdict = _read_verdict(data)
        if verdict.scored:
            raise ValueError("a verdict that is scored")
        return verdict
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(
            f"a cassette holds a failure of a {role} that this webenv cannot read ({error!r:.100}); "
            "a newer webenv may have made it."
        ) from error


def _read_timed(data: Any, read: Callable[[Any], Any]) -> Any:
    """A response, with its seconds where the tape has them."""
    if not isinstance(data, Mapping) or "timed" not in data:
        return read(data)
    seconds = data["timed"]["seconds"]
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds <= LONGEST:
        raise TypeError(f"a response took {seconds!r:.40} seconds")
    return Timed(read(data["timed"]["response"]), float(seconds))


def _read_hits(data: Any) -> tuple[Result, ...]:
    if all(len(hit) == len(Result._fields) for hit in data):
        hits = tuple(map(Result._make, map(_fields_of_hit, data)))
    else:
        hits = tuple(Result(**hit) for hit in data)
    for hit in hits:
        _texts(hit)
    return hits


def _texts(record: RecordT) -> RecordT:
    """A record of texts alone; a tape from elsewhere may hold anything in their place."""
    if any(type(field) is not str for field in record):
        raise TypeError(f"{record!r:.80} does not hold texts")
    return record


def _read_visit(data: Any) -> Page | Missing:
    return _texts(Page(**data["page"]) if "page" in data else Missing(**data["missing"]))


def _read_ask(data: Any) -> Reply | Missing:
    if "missing" in data:
        return _texts(Missing(**data["missing"]))
    reply = dict(data["reply"])
    documents = tuple(_texts(Document(**document)) for document in reply.pop("documents", ()))
    _texts(Reply(**reply)[:2])
    check_trace(reply.get("trace"))
    return Reply(**reply, documents=documents)


def _read_verdict(data: Any) -> Verdict:
    verdict = Verdict(**data)
    _texts((verdict.outcome, verdict.explanation, verdict.judge))
    return verdict


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "search": _read_hits,
    "visit": _read_visit,
    "ask": _read_ask,
    "judge": _read_verdict,
}
