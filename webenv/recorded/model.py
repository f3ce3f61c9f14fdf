"""RecordedModel: a chat model behind a cassette."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.keys import keyed
from webenv.errors import DataError, InvalidArgument, ServiceError, WebenvError
from webenv.models import (
    Model,
    ModelFailure,
    ModelReply,
    ModelSettings,
    Request,
    ToolCall,
    check_requests,
    models_made_by,
)
from webenv.models.messages import StreamingModel
from webenv.models.settings import NAMES, identity_of
from webenv.recorded.recorded import DEFAULT, Coming, Identity, Recorded, named
from webenv.recorded.transcript import LONGEST, plain, plain_record

_SETTINGS = ("model", *NAMES)
_USUAL = {name: text for name, text in ModelSettings().identity().items() if name in ("temperature", "max_tokens")}
_REPLY = ("text", "finish", "prompt_tokens", "completion_tokens")


class RecordedModel(Recorded):
    """A chat model behind a cassette.

    A request is kept with the model's name, and those of its settings that its identity tells, such as
    ``temperature``; and with its sample, so that n votes stay n replies. Replies that failed are recorded as
    failures: a replay gives them back, a recording asks again. The same request with the same sample is asked
    once.

    Each reply is recorded, and flushed to the disk, as it comes: one that a killed process had recorded is not
    paid for again.

    Args:
        cassette: the tape.
        model: who is asked; may be absent where nobody is asked.
        name: where it is absent, which of the tape's models is meant; ``None`` where it has one.
        settings: where it is absent, its settings, such as its temperature, where there are several of that name; what
            is not said is what a chat model has by default, if the tape holds that.

    Raises:
        InvalidArgument: if the tape is of another model of that name (record, strict), or of several.
        DataError: if there is neither a model nor one on the tape.
    """

    paid = True

    def __init__(
        self,
        cassette: Cassette,
        model: Model | None = None,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        if model is None:
            asked = identity_of(settings or {})

            def meant(one: Mapping[str, str]) -> bool:
                return (name is None or named(one) == name) and _has(one, asked)

            super().__init__(cassette, None, "model", meant)
            self._fixed = self._one_alone(meant, {**_USUAL, **asked})
        else:
            wanted = _settings(model.identity)
            super().__init__(cassette, model, "model", lambda one: _settings(one) == wanted)

    def _one_alone(self, meant: Callable[[Identity], bool], usual: Identity) -> Identity:
        """The one that is meant; with the usual settings where there are several, and never a guess."""
        every = [one for one in self.cassette.answerers("model") if meant(one)]
        if len({named(one) for one in every}) == 1:
            every = [one for one in every if _has(one, usual)] or every
        if any(_settings(one) != _settings(every[0]) for one in every):
            known = sorted({_written(one) for one in every})
            raise InvalidArgument(
                f"cassette {str(self.cassette.path)!r} has several models: {', '.join(known)}. "
                f"Write one of them, as in {known[0]!r}, or pass name=, settings= or model=."
            )
        return every[-1]

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        """What came of each request when it was recorded.

        Raises:
            InvalidArgument: for what is no request.
            CassetteMiss: in a replay, for what is not recorded.
            CostLimitReached: if no more may be asked; what came before is recorded.
        """
        check_requests(requests)
        if not requests:
            return []
        if self.cassette.mode == "live":
            return list(self._inner.complete(requests))
        settings = _settings(self.identity)
        return self._play(
            "model",
            [keyed("model", {**settings, **plain(request)}, request.sample) for request in requests],
            lambda places: _arrivals(self._inner, [requests[place] for place in places]),
        )

    def _come(self, kind: str, ask: Callable[[list[int]], Any], places: list[int]) -> Coming:
        missing = set(range(len(places)))
        with closing(ask(places)) as coming:
            try:
                for some in coming:
                    missing.difference_update(n for n, _ in some)
                    yield some
            except (ServiceError, OSError) as error:
                failure = self._failure(str(error) or type(error).__name__)
                yield [(n, failure) for n in sorted(missing)]
                return
        if missing:
            raise WebenvError(f"{kind} was given {len(places)} requests and {len(missing)} of them got nothing.")

    def _failed(self, answer: Any) -> bool:
        if not isinstance(answer, ModelReply | ModelFailure):
            raise WebenvError(f"Model.complete returned {answer!r:.100}; expected a ModelReply or a ModelFailure.")
        return isinstance(answer, ModelFailure)

    def _failure(self, reason: str) -> ModelFailure:
        return ModelFailure(reason)

    def _write_failure(self, failure: ModelFailure) -> Any:
        return plain_record(failure, ("reason",))

    def _write(self, answer: ModelReply) -> Any:
        return plain_record(answer, _REPLY)

    def _read(self, kind: str, data: Any) -> ModelReply:
        return read_reply(data)


def read_reply(data: Any) -> ModelReply:
    """A model's reply from plain data.

    Raises:
        DataError: if it is not of that form.
    """
    try:
        calls = tuple(ToolCall(**call) for call in data.get("tool_calls", ()))
        reply = ModelReply(**{**data, "tool_calls": calls})
        texts = (reply.text, reply.finish, *(field for call in calls for field in call))
        sane = type(reply.seconds) in (int, float) and 0 <= reply.seconds <= LONGEST
        sane = sane and (reply.searches is None or (type(reply.searches) is int and reply.searches >= 0))
        if not sane or not all(isinstance(text, str) for text in texts) or not all(type(n) is int for n in reply[2:5]):
            raise TypeError(f"{data!r:.80} has fields of other types")
        return reply
    except (AttributeError, TypeError) as error:
        raise DataError(f"a cassette holds a model's reply that this webenv cannot read ({error!s:.100}).") from error


def _arrivals(model: Model, requests: Sequence[Request]) -> Coming:
    """What came of each request, as it comes where the model streams."""
    if isinstance(model, StreamingModel):
        yield from model.arrivals(requests)
    else:
        yield list(enumerate(model.complete(requests)))


def _settings(identity: Mapping[str, str]) -> dict[str, str]:
    """What a reply depends on beside the conversation, of what an endpoint is sent."""
    settings = {name: identity[name] for name in _SETTINGS if identity.get(name, DEFAULT) != DEFAULT}
    return {"model": named(identity), **settings}


def _has(identity: Identity, settings: Identity) -> bool:
    return all(identity.get(name, DEFAULT) == value for name, value in settings.items())


def _written(identity: Identity) -> str:
    """A model's name with its settings, as :func:`webenv.models.read_model` reads it."""
    names = (name for name in NAMES if name in _USUAL or name in identity)
    return ",".join((named(identity), *(f"{name}={identity.get(name, DEFAULT)}" for name in names)))


@contextmanager
def recorded_models(cassette: Cassette) -> Iterator[list[str]]:
    """While the block runs, chat models that are made from a name are recorded; gives their names as they are made.

    In mode ``replay`` the models themselves are not opened, so neither key nor endpoint is needed.
    """
    made: list[str] = []

    def maker(name: str, settings: Mapping[str, Any], live: Callable[[], Model]) -> Model:
        made.append(name)
        if cassette.mode == "replay":
            return RecordedModel(cassette, name=name, settings=settings)
        return RecordedModel(cassette, live())

    with models_made_by(maker):
        yield made
