"""RecordedWeb: a web behind a cassette."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.question import question
from webenv.errors import InvalidArgument
from webenv.recorded.recorded import Recorded
from webenv.recorded.transcript import plain
from webenv.web import (
    AskRequest,
    AskResponse,
    Failure,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)


class RecordedWeb(Recorded):
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
        return self._web("search", requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        """Fetches, as the web did when it was recorded; raises as :meth:`search` does."""
        return self._web("visit", requests)

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """Asks, as the web did when it was recorded; raises as :meth:`search` does."""
        return self._web("ask", requests)

    def _web(self, kind: str, requests: Sequence[Any]) -> list[Any]:
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
