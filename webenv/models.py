"""Chat models by name, and how a batch with sample ordinals is put to any model."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from webenv.llm import ChatModel, Message, Model, ModelFailure, ModelReply

__all__ = ["Maker", "complete", "make_model", "models_made_by"]

Maker = Callable[[str, Callable[[], Model]], Model]
"""Makes the model of a name; the second argument opens the live one, and is called only where it is wanted."""

_maker: ContextVar[Maker | None] = ContextVar("webenv_model_maker", default=None)


def make_model(name: str, *, base_url: str | None = None, concurrency: int = 16) -> Model:
    """The chat model of this name: a :class:`webenv.llm.ChatModel`, or what :func:`models_made_by` puts in its place.

    Whoever makes a model from a name that a user gave makes it here, so that it can be recorded.

    Args:
        name: the model's name, as the endpoint knows it.
        base_url: the endpoint; ``None``: OPENAI_BASE_URL, else OpenAI's own.
        concurrency: how many conversations run at the same time.

    Raises:
        ModelError: if there is neither a key nor a base URL.
        MissingExtra: if openai is not installed.
    """

    def live() -> Model:
        return ChatModel(name, base_url=base_url, concurrency=concurrency)

    maker = _maker.get()
    return live() if maker is None else maker(name, live)


@contextmanager
def models_made_by(maker: Maker) -> Iterator[None]:
    """While the block runs, :func:`make_model` gives what ``maker`` makes."""
    token = _maker.set(maker)
    try:
        yield
    finally:
        _maker.reset(token)


def complete(
    model: Model, conversations: Sequence[Sequence[Message]], samples: Sequence[int]
) -> list[ModelReply | ModelFailure]:
    """What came of each conversation; a model whose ``complete`` takes conversations alone is not told the samples.

    Args:
        model: who replies.
        conversations: what is put to it.
        samples: of each, which of several replies to it is meant, from 0.
    """
    if any(samples) and _takes_samples(model):
        return model.complete(conversations, samples)
    return model.complete(conversations)


def _takes_samples(model: Model) -> bool:
    parameters = inspect.signature(model.complete).parameters.values()
    return len(parameters) > 1 or any(one.kind is one.VAR_POSITIONAL for one in parameters)
