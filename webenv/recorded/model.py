"""RecordedModel: a chat model behind a cassette."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from webenv.cassette import Cassette
from webenv.cassette.question import question
from webenv.errors import DataError, InvalidArgument, WebenvError
from webenv.llm import Message, Model, ModelFailure, ModelReply
from webenv.models import complete, models_made_by
from webenv.recorded.recorded import DEFAULT, Recorded, named
from webenv.recorded.transcript import plain_record

__all__ = ["RecordedModel", "read_reply", "recorded_models"]

_SETTINGS = ("model", "temperature", "max_tokens")
_MESSAGE, _REPLY = ("role", "content"), ("text", "finish", "prompt_tokens", "completion_tokens")


class RecordedModel(Recorded):
    """A chat model behind a cassette.

    A request is the conversation, the model's name, and its ``temperature`` and ``max_tokens`` where its
    identity tells them; with its sample, so that n votes stay n replies. Replies that failed are recorded
    as failures: a replay gives them back, a recording asks again. The same request with the same sample is asked once.

    Args:
        cassette: the tape.
        model: who is asked; may be absent where nobody is asked.
        name: where it is absent, which of the tape's models is meant; ``None`` where it has one.

    Raises:
        InvalidArgument: if the tape is of another model of that name (record, strict), or of several.
        DataError: if there is neither a model nor one on the tape.
    """

    def __init__(self, cassette: Cassette, model: Model | None = None, name: str | None = None) -> None:
        if model is None:
            super().__init__(cassette, None, "model", lambda one: name is None or named(one) == name)
            self._one_alone(name)
        else:
            wanted = _settings(model.identity)
            super().__init__(cassette, model, "model", lambda one: _settings(one) == wanted)

    def _one_alone(self, name: str | None) -> None:
        """Refuses to guess which of several models, or of several settings of one, is meant."""
        every = [one for one in self.cassette.answerers("model") if name is None or named(one) == name]
        if any(_settings(one) != _settings(every[0]) for one in every):
            known = "; ".join(sorted({" ".join(f"{k}={v}" for k, v in _settings(one).items()) for one in every}))
            raise InvalidArgument(
                f"cassette {str(self.cassette.path)!r} has several models ({known}): pass name= or model=."
            )

    def complete(
        self, conversations: Sequence[Sequence[Message]], samples: Sequence[int] | None = None
    ) -> list[ModelReply | ModelFailure]:
        """What came of each conversation when it was recorded.

        Args:
            conversations: each a sequence of messages.
            samples: of each, which of several replies is meant, from 0; all 0 by default.

        Raises:
            CassetteMiss: in a replay, for what is not recorded.
        """
        if not conversations:
            return []
        ordinals = [0] * len(conversations) if samples is None else list(samples)
        if self.cassette.mode == "live":
            return complete(self._inner, conversations, ordinals)
        settings = _settings(self.identity)
        talks = [[plain_record(message, _MESSAGE) for message in conversation] for conversation in conversations]
        return self._play(
            "model",
            [
                question("model", {**settings, "messages": talk}, sample)
                for talk, sample in zip(talks, ordinals, strict=True)
            ],
            lambda places: complete(self._inner, [conversations[n] for n in places], [ordinals[n] for n in places]),
        )

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
        return ModelReply(**data)
    except TypeError as error:
        raise DataError(f"a cassette holds a model's reply that this webenv cannot read ({error!s:.100}).") from error


def _settings(identity: Mapping[str, str]) -> dict[str, str]:
    """What a reply depends on beside the conversation, of what an endpoint is sent."""
    settings = {name: identity[name] for name in _SETTINGS if identity.get(name, DEFAULT) != DEFAULT}
    return {"model": named(identity), **settings}


@contextmanager
def recorded_models(cassette: Cassette) -> Iterator[list[str]]:
    """While the block runs, chat models that are made from a name are recorded; gives their names as they are made.

    In mode ``replay`` the models themselves are not opened, so neither key nor endpoint is needed.
    """
    made: list[str] = []

    def maker(name: str, live: Callable[[], Model]) -> Model:
        made.append(name)
        return RecordedModel(cassette, None if cassette.mode == "replay" else live(), name=name)

    with models_made_by(maker):
        yield made
