"""Chat models by name: how one is opened, recorded and counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from webenv.models.costs import CostTracker
from webenv.models.llm import MOST_AT_ONCE, ChatModel
from webenv.models.messages import Model
from webenv.runtime.spec import Reader, number, read_spec, whole

Maker = Callable[[str, Mapping[str, Any], Callable[[], Model]], Model]
"""Makes the model of a name and its settings; the third argument opens the live one, and is called only where it is
wanted."""

_AT_ONCE = 16
_FIRST = re.compile(r",(?=\s*\w+\s*=)")


def _or_default(read: Reader) -> Reader:
    return lambda text: None if text == "default" else read(text)


_SETTINGS: Mapping[str, Reader] = {
    "temperature": _or_default(number(0)),
    "max_tokens": _or_default(whole(1)),
    "timeout": number(0.001),
    "retries": whole(0),
}

_maker: ContextVar[Maker | None] = ContextVar("webenv_model_maker", default=None)
_counted: ContextVar[tuple[CostTracker | None, int]] = ContextVar("webenv_model_costs", default=(None, _AT_ONCE))


def make_model(name: str, *, base_url: str | None = None, concurrency: int | None = None) -> Model:
    """The model of this name: a :class:`webenv.models.ChatModel`, or what :func:`models_made_by` puts in its place.

    Whoever makes a model from a name that a user gave makes it here, so that it can be recorded, and what it
    costs be counted (:func:`models_counted_by`).

    Args:
        name: the model's name, as the endpoint knows it, with settings if wanted, as :func:`read_model` reads it.
        base_url: the endpoint; ``None``: OPENAI_BASE_URL, else OpenAI's own.
        concurrency: how many conversations run at the same time; 16 by default, or as :func:`models_counted_by` says.

    Raises:
        InvalidArgument: for settings that cannot be read, or if the prices that it is counted by lack it.
        ModelError: if there is neither a key nor a base URL.
        MissingExtra: if openai is not installed.
    """
    costs, at_once = _counted.get()
    model, settings = read_model(name)

    def live() -> Model:
        return ChatModel(model, base_url=base_url, concurrency=concurrency or at_once, costs=costs, **settings)

    maker = _maker.get()
    return live() if maker is None else maker(model, settings, live)


def read_model(text: str) -> tuple[str, dict[str, Any]]:
    """A model's name, and its settings: ``temperature`` and ``max_tokens`` (``default``: the endpoint's own),
    ``timeout`` in seconds, and ``retries``.

    Raises:
        InvalidArgument: for another setting, or a value that cannot be read.

    >>> read_model("some-lab/model-7b,temperature=0.7,max_tokens=default")
    ('some-lab/model-7b', {'temperature': 0.7, 'max_tokens': None})
    """
    name, *rest = _FIRST.split(text, maxsplit=1)
    return name.strip(), read_spec(rest[0] if rest else "", _SETTINGS, text, "a model")


@contextmanager
def models_made_by(maker: Maker) -> Iterator[None]:
    """While the block runs, :func:`make_model` gives what ``maker`` makes."""
    token = _maker.set(maker)
    try:
        yield
    finally:
        _maker.reset(token)


@contextmanager
def models_counted_by(costs: CostTracker, concurrency: int = _AT_ONCE) -> Iterator[None]:
    """While the block runs, the models that :func:`make_model` makes share one count of costs, and its limit.

    Args:
        costs: what they are counted by.
        concurrency: how many conversations each runs at the same time, where the caller of :func:`make_model`
            does not say; more than 1,000 is 1,000.
    """
    token = _counted.set((costs, min(concurrency, MOST_AT_ONCE)))
    try:
        yield
    finally:
        _counted.reset(token)
