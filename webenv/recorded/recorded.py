"""Webs, askers and judges behind a cassette, and what they share with models.

Who answers is named by the identity of the one that was recorded, and the cassette not at all: a
run that is replayed has the identity of the run that was recorded. The cassette's digest stands in
``run.json`` beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.keys import KeyedRequest, keyed
from webenv.errors import DataError, InvalidArgument, ServiceError, WebenvError
from webenv.judge import Judge, Submission, Verdict
from webenv.recorded.transcript import Timed, plain, read_answer, read_failure
from webenv.web import (
    Asking,
    AskRequest,
    AskResponse,
    Closable,
    Failure,
    SearchRequest,
    SearchResponse,
    TimedBatch,
    VisitRequest,
    VisitResponse,
    Web,
)

Identity = Mapping[str, str]

Coming = Generator[list[tuple[int, Any]], None, None]
"""What comes of the requests of a batch, in parts: the number of a request, and what came of it."""

DEFAULT = "default"
"""How an identity says that a setting is left to the endpoint."""

_PASSING = ("extractor", "user_agent")  # what a new version of webenv or of a package changes


class Recorded:
    """What a web, a judge and a model share: the tape, who stands behind it, and how a batch is answered.

    Args:
        cassette: the tape.
        inner: who is asked; may be absent where nothing is.
        role: ``web``, ``asker``, ``judge`` or ``model``.
        same: whether an identity on the tape is of the one that is wanted here.

    Attributes:
        paid: whether answers cost money, so that each is flushed to the disk.
    """

    paid = False

    def __init__(
        self, cassette: Cassette, inner: Any, role: str, same: Callable[[Identity], bool] = lambda _: True
    ) -> None:
        if not isinstance(cassette, Cassette):
            raise InvalidArgument(f"cassette={cassette!r:.80}: expected a webenv.cassette.Cassette.")
        if inner is None and not cassette.replays:
            raise InvalidArgument(f"a cassette in mode {cassette.mode!r} needs the {role} that is to be asked.")
        self.cassette = cassette
        self.role = role
        self._inner = inner
        self._fixed = _identity(cassette, inner, role, same)

    @property
    def identity(self) -> Identity:
        """The identity of who answers; where nothing is asked, of who was recorded."""
        identity: Identity = self._inner.identity if self._fixed is None else self._fixed
        return identity

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def close(self) -> None:
        """Closes who is asked, where that can be closed; the tape stays open."""
        if isinstance(self._inner, Closable):
            self._inner.close()

    def _play(
        self,
        kind: str,
        questions: Sequence[KeyedRequest],
        ask: Callable[[list[int]], Any],
    ) -> list[Any]:
        """What came of a batch: what is on the tape, and of the others what one more batch brought.

        Args:
            kind: what is asked.
            questions: one for each request.
            ask: asks for the requests at these places, each question once; gives what :meth:`_come` takes.
        """
        known = {key: self._read(kind, data) for key, data in self.cassette.find(questions).items()}
        open_ = [one for one in questions if one.key not in known]
        if open_:
            known |= {key: self._read_failure(data) for key, data in self.cassette.failures(open_).items()}
        places: dict[bytes, int] = {}
        for place, one in enumerate(questions):
            if one.key not in known:
                places.setdefault(one.key, place)
        if places:
            if self.cassette.replays:
                raise self.cassette.miss([questions[place] for place in places.values()])
            asked = list(places.values())
            with closing(self._come(kind, ask, asked)) as coming:
                for some in coming:
                    known |= self._record(kind, [(questions[asked[n]], one) for n, one in some])
        return [known[one.key] for one in questions]

    def _come(self, kind: str, ask: Callable[[list[int]], Any], places: list[int]) -> Coming:
        """What came of each of these requests, by its number among them, in the parts in which it is recorded."""
        yield list(enumerate(self._ask(kind, ask, places)))

    def _ask(self, kind: str, ask: Callable[[list[int]], Sequence[Any]], places: list[int]) -> Sequence[Any]:
        """One batch; where it fails as a whole, each request failed."""
        try:
            came = ask(places)
        except (ServiceError, OSError) as error:
            return [self._failure(str(error) or type(error).__name__)] * len(places)
        if len(came) != len(places):
            raise WebenvError(f"{kind} was given {len(places)} requests and returned {len(came)}; expected one each.")
        return came

    def _record(self, kind: str, came: Sequence[tuple[KeyedRequest, Any]]) -> dict[bytes, Any]:
        """Records a batch, and gives what counts now."""
        by = self._inner.identity
        good = [(one, self._write(answer)) for one, answer in came if not self._failed(answer)]
        bad = [(one, self._write_failure(answer)) for one, answer in came if self._failed(answer)]
        kept = self.cassette.add(good, by, durable=self.paid)
        answered, failed = self.cassette.add_failures(bad, by)
        counting = {key: self._read(kind, data) for key, data in (kept | answered).items()}
        return counting | {key: self._read_failure(data) for key, data in failed.items()}

    def _failed(self, answer: Any) -> bool:
        """Whether what came of a request is no answer."""
        raise NotImplementedError

    def _failure(self, reason: str) -> Any:
        """What came of a request where a whole batch failed."""
        raise NotImplementedError

    def _write(self, answer: Any) -> Any:
        """An answer as plain data."""
        return plain(answer)

    def _read(self, kind: str, data: Any) -> Any:
        """An answer from plain data."""
        return read_answer(kind, data)

    def _write_failure(self, failure: Any) -> Any:
        """A failure as plain data."""
        return plain(failure)

    def _read_failure(self, data: Any) -> Any:
        """A failure from plain data."""
        return read_failure(self.role, data)


def _identity(cassette: Cassette, inner: Any, role: str, same: Callable[[Identity], bool]) -> Identity | None:
    """The identity of who was recorded, where nothing is asked; ``None``: whoever is asked tells.

    Raises:
        InvalidArgument: if the tape is of another one than is in use.
        DataError: if the tape does not know anyone of that role.
    """
    if cassette.mode == "live":
        return None

    def check(known: Sequence[Identity]) -> None:
        ignored = (*_PASSING, "host") if cassette.mode == "record" else _PASSING
        used = cassette.masked(inner.identity)
        for one in known:
            if same(one):
                _check_same(cassette, role, one, used, ignored)

    if cassette.mode == "record":
        cassette.register(role, inner.identity, check)
        return None
    others = cassette.answerers(role)
    if inner is not None and cassette.mode == "strict":
        check(others)
    known = [one for one in others if same(one)]
    if known:
        return known[-1]
    if inner is not None and cassette.mode == "replay":
        return None
    told = sorted({_told(one) for one in others})
    holds = f"its {role}s are {'; '.join(told)}" if others else f"it holds no {role}"
    raise DataError(f"cassette {str(cassette.path)!r} was not recorded with this {role}: {holds}.")


def _check_same(cassette: Cassette, role: str, recorded: Identity, used: Identity, ignored: Sequence[str]) -> None:
    for name in sorted({*recorded, *used}):
        had, has = recorded.get(name, DEFAULT), used.get(name, DEFAULT)
        if had != has and name not in ignored:
            raise InvalidArgument(
                f"cassette {str(cassette.path)!r} in mode {cassette.mode!r} was recorded with a {role} of {name} = "
                f"{had!r:.100}, this one has {has!r:.100}; use the {role} that was recorded, mode 'replay', "
                "or a cassette of its own."
            )


def _told(identity: Identity) -> str:
    """Who it is, with the settings that tell its requests from others'."""
    settings = (f"{name}={identity[name]}" for name in ("temperature", "max_tokens") if name in identity)
    return ",".join((named(identity), *settings))


def named(identity: Identity) -> str:
    """What a request calls who is asked: the model, or the name."""
    return identity.get("model", identity.get("name", "?"))


# ── webs, askers, judges ──────────────────────────────────────────────────────


class _RecordedRequests(Recorded):
    """What sends batches of requests of one kind, and gives what came of each."""

    def _request(self, kind: str, requests: Sequence[Any]) -> list[Any]:
        if not requests:
            return []
        if self.cassette.mode == "live":
            live: list[Any] = getattr(self._inner, kind)(requests)
            return live

        def ask(places: list[int]) -> list[Any]:
            came: list[Any] = getattr(self._inner, kind)([requests[place] for place in places])
            return list(map(Timed, came, came.seconds)) if isinstance(came, TimedBatch) else came

        came = self._play(kind, [keyed(kind, plain(request)) for request in requests], ask)
        if not any(isinstance(one, Timed) for one in came):
            return came
        return TimedBatch.of([one if isinstance(one, Timed) else (one, 0.0) for one in came])

    def _failed(self, answer: Any) -> bool:
        return isinstance(answer.response if isinstance(answer, Timed) else answer, Failure)

    def _failure(self, reason: str) -> Failure:
        return Failure(reason)


class RecordedWeb(_RecordedRequests):
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


class RecordedAsker(_RecordedRequests):
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


class RecordedJudge(Recorded):
    """A judge behind a cassette, its verdicts recorded whole.

    A request is the submission, but for the seconds that it took. Verdicts without a value are recorded
    as failures: a replay gives them back, a recording asks again. Submissions that are the same have one
    verdict. A judge that asks a chat model is better recorded by that model
    (:class:`webenv.recorded.RecordedModel`): then what the model said can be read anew.

    Args:
        cassette: the tape.
        judge: who is asked; may be absent where nobody is asked.

    Raises:
        InvalidArgument: if the tape is of another judge (modes record, strict).
        DataError: if there is neither a judge nor one on the tape.
    """

    paid = True

    def __init__(self, cassette: Cassette, judge: Judge | None = None) -> None:
        super().__init__(cassette, judge, "judge")

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """The verdicts that were recorded.

        Raises:
            CassetteMiss: in a replay, for what is not recorded.
        """
        if not submissions:
            return []
        if self.cassette.mode == "live":
            return list(self._inner.score(submissions))
        return self._play(
            "judge",
            [keyed("judge", plain(submission)) for submission in submissions],
            lambda places: self._inner.score([submissions[place] for place in places]),
        )

    def _failed(self, answer: Any) -> bool:
        if not isinstance(answer, Verdict):
            raise WebenvError(f"Judge.score returned {answer!r:.100} for a submission; expected a Verdict.")
        return not answer.scored

    def _failure(self, reason: str) -> Verdict:
        return Verdict.unscored(reason, self._inner.identity["name"])
