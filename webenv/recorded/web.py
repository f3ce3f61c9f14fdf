"""A web behind a cassette, and who is asked on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.question import question
from webenv.errors import InvalidArgument
from webenv.recorded.recorded import Recorded
from webenv.recorded.transcript import plain
from webenv.web import (
    Asking,
    AskRequest,
    AskResponse,
    Failure,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)


class _Requests(Recorded):
    """What sends batches of requests of one kind, and gives what came of each."""

    def _request(self, kind: str, requests: Sequence[Any]) -> list[Any]:
        if not requests:
            return []
        if self.cassette.mode == "live":
            return list(getattr(self._inner, kind)(requests))
        return self._play(
            kind,
            [question(kind, plain(request)) for request in requests],
            lambda places: getattr(self._inner, kind)([requests[place] for place in places]),
        )

    def _failed(self, answer: Any) -> bool:
        return isinstance(answer, Failure)

    def _failure(self, reason: str) -> Failure:
        return Failure(reason)


class RecordedWeb(_Requests):
    """A web behind a cassette.

    A batch costs one look into the tape; what is not on it goes to the web as one batch, each request
    once. What failed is recorded as a failure: a replay gives it back, a recording asks again.

    Args:
        cassette: the tape.
        web: what is asked; may be absent where nothing is asked.

    Raises:
        InvalidArgument: if the tape is of another web (modes record, strict).
        DataError: if there is neither a web nor one on the tape.
    """

    def __init__(self, cassette: Cassette, web: Web | None = None) -> None:
        super().__init__(cassette, web, "web")

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        """Searches, as the web did when it was recorded.

        Raises:
            CassetteMiss: in a replay, for what is not recorded.
        """
        return self._request("search", requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches, as the web did when it was recorded; raises as :meth:`search` does."""
        return self._request("visit", requests)


class RecordedAsker(_Requests):
    """Whoever is asked on a web, behind a cassette, as :class:`RecordedWeb`.

    A tape that knows no asker was recorded when webs themselves were asked: there the web is taken for it.

    Args:
        cassette: the tape.
        asker: who is asked; may be absent where nobody is.

    Raises:
        InvalidArgument: if the tape is of another asker (modes record, strict).
        DataError: if there is neither an asker nor a web on the tape.
    """

    def __init__(self, cassette: Cassette, asker: Asking | None = None) -> None:
        told = cassette.mode == "live" or asker is not None or cassette.answerers("asker")
        super().__init__(cassette, asker, "asker" if told else "web")

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """Asks, as was answered when it was recorded.

        Raises:
            CassetteMiss: in a replay, for what is not recorded.
        """
        return self._request("ask", requests)


def open_cassette(spec: str) -> RecordedWeb:
    """The web of a recorded file, replayed, from its name: ``cassette:FILE``.

    Raises:
        InvalidArgument: for a text of another form.
        DataError: if the file is not there, is no cassette, or holds no web.
    """
    kind, _, path = spec.partition(":")
    if kind != "cassette" or not path:
        raise InvalidArgument(f"web={spec!r:.200}: expected cassette:FILE.")
    if ",mode=" in path:
        raise InvalidArgument(
            f"web={spec!r:.200}: a cassette by its name is replayed, and has no mode; to compare with the web that was "
            "recorded, name that web, and the file with --cassette FILE --cassette-mode strict."
        )
    return RecordedWeb(Cassette(path))
