"""What a web, a judge and a model behind a cassette share.

Who answers is named by the identity of the one that was recorded, and the cassette not at all: a
run that is replayed has the identity of the run that was recorded. The cassette's digest stands in
``run.json`` beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.question import Question
from webenv.errors import DataError, InvalidArgument, WebenvError
from webenv.recorded.transcript import plain, read_answer

__all__ = ["Recorded", "named"]

Identity = Mapping[str, str]

_DEFAULT = "default"  # how an identity says that a setting is left to the endpoint


class Recorded:
    """What a web, a judge and a model share: the tape, who stands behind it, and how a batch is answered.

    Args:
        cassette: the tape.
        inner: who is asked; may be absent where nothing is.
        role: ``web``, ``judge`` or ``model``.
        same: whether an identity on the tape is of the one that is wanted here.
    """

    def __init__(
        self, cassette: Cassette, inner: Any, role: str, same: Callable[[Identity], bool] = lambda _: True
    ) -> None:
        if not isinstance(cassette, Cassette):
            raise InvalidArgument(f"cassette={cassette!r:.80}: expected a webenv.cassette.Cassette.")
        if inner is None and not cassette.replays:
            raise InvalidArgument(f"a cassette in mode {cassette.mode!r} needs the {role} that is to be asked.")
        self.cassette = cassette
        self._inner = inner
        self._fixed = _identity(cassette, inner, role, same)

    @property
    def identity(self) -> Identity:
        """The identity of who answers; where nothing is asked, of who was recorded."""
        identity: Identity = self._inner.identity if self._fixed is None else self._fixed
        return identity

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self

    def _play(
        self,
        kind: str,
        questions: Sequence[Question],
        ask: Callable[[list[int]], Sequence[Any]],
        failed: Callable[[Any], bool],
    ) -> list[Any]:
        """The answers to a batch: those on the tape, and of the others what one more batch brought.

        Args:
            kind: what is asked.
            questions: one for each request.
            ask: asks for the requests at these places; each question once.
            failed: whether what came of a request is no answer.
        """
        found = self.cassette.find(questions)
        known = {key: self._read(kind, data) for key, data in found.items()}
        places: dict[bytes, int] = {}
        for place, one in enumerate(questions):
            if one.key not in known:
                places.setdefault(one.key, place)
        if places:
            if self.cassette.replays:
                raise self.cassette.miss([questions[place] for place in places.values()])
            came = ask(list(places.values()))
            if len(came) != len(places):
                raise WebenvError(
                    f"{kind} was given {len(places)} requests and returned {len(came)}; expected one each."
                )
            answers = dict(zip(places, came, strict=True))
            known |= {key: one for key, one in answers.items() if failed(one)}
            good = [(questions[places[key]], self._write(one)) for key, one in answers.items() if not failed(one)]
            kept = self.cassette.add(good, self._inner.identity)
            known |= {key: self._read(kind, data) for key, data in kept.items()}
        return [known[one.key] for one in questions]

    def _write(self, answer: Any) -> Any:
        """An answer as plain data."""
        return plain(answer)

    def _read(self, kind: str, data: Any) -> Any:
        """An answer from plain data."""
        return read_answer(kind, data)


def _identity(cassette: Cassette, inner: Any, role: str, same: Callable[[Identity], bool]) -> Identity | None:
    """The identity of who was recorded, where nothing is asked; ``None``: whoever is asked tells.

    Raises:
        InvalidArgument: if the tape is of another one than is in use.
        DataError: if the tape does not know anyone of that role.
    """
    if cassette.mode == "live":
        return None
    known: list[dict[str, str]] = [one for one in cassette.answerers(role) if same(one)]
    if inner is not None and cassette.mode != "replay":
        ignored = ("host",) if cassette.mode == "record" else ()
        for one in known:
            _check_same(cassette, role, one, inner.identity, ignored)
    if cassette.mode == "record":
        cassette.register(role, inner.identity)
        return None
    if known:
        return known[-1]
    if inner is not None and cassette.mode == "replay":
        return None
    others = cassette.answerers(role)
    holds = f"its {role}s are {', '.join(sorted({named(one) for one in others}))}" if others else f"it holds no {role}"
    raise DataError(f"cassette {str(cassette.path)!r} was not recorded with this {role}: {holds}.")


def _check_same(cassette: Cassette, role: str, recorded: Identity, used: Identity, ignored: Sequence[str]) -> None:
    for name in sorted({*recorded, *used}):
        had, has = recorded.get(name, _DEFAULT), used.get(name, _DEFAULT)
        if had != has and name not in ignored:
            raise InvalidArgument(
                f"cassette {str(cassette.path)!r} in mode {cassette.mode!r} was recorded with a {role} of {name} = "
                f"{had!r:.100}, this one has {has!r:.100}; use the {role} that was recorded, mode 'replay', "
                "or a cassette of its own."
            )


def named(identity: Identity) -> str:
    """What a request calls who is asked: the model, or the name."""
    return identity.get("model", identity.get("name", "?"))
