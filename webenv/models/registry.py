"""Chat models by name: how one is opened, recorded and counted."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from webenv.errors import ModelError
from webenv.models.costs import CostTracker
from webenv.models.llm import MOST_AT_ONCE, ChatModel
from webenv.models.messages import Model
from webenv.models.settings import READERS, ListedModel
from webenv.runtime.spec import Reader, number, read_spec, whole

Maker = Callable[[str, Mapping[str, Any], Callable[[], Model]], Model]
"""Makes the model of a name and its settings; the third argument opens the live one, and is called only where it is
wanted."""

_AT_ONCE = 16
_FIRST = re.compile(r",(?=\s*\w+\s*=)")


_SETTINGS: Mapping[str, Reader] = {**READERS, "timeout": number(0.001), "retries": whole(0)}

_maker: ContextVar[Maker | None] = ContextVar("webenv_model_maker", default=None)
_counted: ContextVar[tuple[CostTracker | None, int]] = ContextVar("webenv_model_costs", default=(None, _AT_ONCE))


def make_model(name: str, *, base_url: str | None = None, concurrency: int | None = None) -> Model:
    """The model of this name: a :class:`webenv.models.ChatModel`, or what :func:`models_made_by` puts in its place.

    Whoever makes a model from a name that a user gave makes it here, so that it can be recorded, and what it
    costs be counted (:func:`models_counted_by`).

    Args:
        name: the model's name, as the endpoint knows it or a file of models has it (:func:`webenv.models.read_models`,
            given to :class:`webenv.models.CostTracker`), with settings if wanted, as :func:`read_model` reads it.
        base_url: the endpoint; ``None``: that of the file of models, OPENAI_BASE_URL, or OpenAI's own.
        concurrency: how many conversations run at the same time; 16 by default, or as :func:`models_counted_by` says.

    Raises:
        InvalidArgument: for settings that cannot be read, or if the prices that it is counted by lack it.
        ModelError: if there is neither a key nor a base URL.
        MissingExtra: if openai is not installed.
    """
    costs, at_once = _counted.get()
    model, settings = read_model(name)
    listed = None if costs is None else costs.models.get(model)
    if listed is not None:
        settings = {**listed.settings, **settings}

    def live() -> Model:
        key, where = None, base_url
        if listed is not None:
            key, where = _key(model, listed), base_url or listed.base_url or None
        served = None if listed is None else listed.served
        return ChatModel(
            model,
            base_url=where,
            api_key=key,
            served=served,
            concurrency=concurrency or at_once,
            costs=costs,
            **settings,
        )

    maker = _maker.get()
    return live() if maker is None else maker(model, settings, live)


def _key(model: str, listed: ListedModel) -> str | None:
    """The key that a file of models names; ``None`` where it names none."""
    if not listed.key:
        return None
    key = os.environ.get(listed.key)
    if not key:
        raise ModelError(f"model {model!r}: set its key in the environment variable {listed.key}.")
    return key


def read_model(text: str) -> tuple[str, dict[str, Any]]:
    """A model's name, and its settings: those of :class:`webenv.models.ModelSettings` (``default``: the endpoint's),
    ``timeout`` in seconds, and ``retries``.

    Raises:
        InvalidArgument: for another setting, or a value that cannot be read.

    >>> read_model("some-lab/model-7b,temperature=0.7,max_tokens=default")
    ('some-lab/model-7b', {'temperature': 0.7, 'max_tokens': None})
    >>> read_model('model-7b,effort=low,extra={"top_k":20,"seed":1},top_p=0.9')[1]
    {'effort': 'low', 'extra': {'top_k': 20, 'seed': 1}, 'top_p': 0.9}
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
