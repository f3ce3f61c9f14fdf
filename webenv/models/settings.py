"""ModelSettings: what a request to an endpoint says beside the conversation, and what a run's record tells of it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from webenv.errors import InvalidArgument
from webenv.models.messages import Extra
from webenv.runtime.spec import Reader, number, one_of, shown, whole, words

APIS = ("chat", "responses")
"""The protocols: OpenAI's chat completions, and its Responses API."""

_OURS = ("model", "messages", "input", "stream", "n")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What an endpoint is sent with each request; what is ``None`` is not sent, and the endpoint decides.

    Attributes:
        temperature: 0 or more.
        max_tokens: the longest reply, in tokens, thinking included.
        top_p: 0 to 1.
        effort: how long a reasoning model thinks, in the endpoint's word, as ``low``: ``reasoning_effort``, in the
            Responses API ``reasoning.effort``.
        thinking: switches the thinking of open models on or off, as the servers that run them take it:
            ``chat_template_kwargs.enable_thinking``. Other endpoints have words of their own for it: ``extra``.
        extra: further fields of each request, as JSON-ready data; what a request has itself takes their place.
        api: one of :data:`APIS`.

    Raises:
        InvalidArgument: for a value out of range, or an extra field that is webenv's own to fill.
    """

    temperature: float | None = None
    max_tokens: int | None = 4_096
    top_p: float | None = None
    effort: str | None = None
    thinking: bool | None = None
    extra: Extra | None = None
    api: str = "chat"

    def __post_init__(self) -> None:
        check_number("temperature", self.temperature, 0.0, missing=True)
        check_number("top_p", self.top_p, 0.0, 1.0, missing=True)
        check_count("max_tokens", self.max_tokens, 1, missing=True)
        if self.effort is not None and (not isinstance(self.effort, str) or not self.effort.strip()):
            raise InvalidArgument(f"chat model effort={self.effort!r:.60}: expected the endpoint's word, as in 'low'.")
        if self.thinking not in (None, True, False):
            raise InvalidArgument(f"chat model thinking={self.thinking!r:.60}: expected True, False or None.")
        if self.api not in APIS:
            raise InvalidArgument(f"chat model api={self.api!r:.60}: expected {' or '.join(APIS)}.")
        if self.thinking is not None and self.api == "responses":
            raise InvalidArgument("chat model thinking= goes with chat completions; the Responses API takes effort=.")
        _check_extra(self.extra)

    def identity(self) -> dict[str, str]:
        """As texts, for the record of a run: temperature and longest reply always, all else where it is sent."""
        told = {"temperature": shown(self.temperature), "max_tokens": shown(self.max_tokens)}
        others = (
            ("top_p", None if self.top_p is None else shown(self.top_p)),
            ("effort", self.effort),
            ("thinking", None if self.thinking is None else str(self.thinking).lower()),
            ("extra", json.dumps(self.extra, sort_keys=True, ensure_ascii=False) if self.extra else None),
            ("api", None if self.api == "chat" else self.api),
        )
        return told | {name: text for name, text in others if text is not None}


NAMES = tuple(field.name for field in fields(ModelSettings))


def identity_of(settings: Mapping[str, Any]) -> dict[str, str]:
    """The settings that are named, as :meth:`ModelSettings.identity` tells them."""
    given = {name: value for name, value in settings.items() if name in NAMES}
    every = ModelSettings(**given).identity()
    return {name: every[name] for name in given if name in every}


def json_object(text: str) -> Extra:
    """Reads an object of JSON."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError('a JSON object, as in {"top_k":20}')
    _check_extra(found)
    return found


def or_default(read: Reader) -> Reader:
    """Reads a value, or ``default``, which is ``None``."""
    return lambda text: None if text == "default" else read(text)


READERS: Mapping[str, Reader] = {
    "temperature": or_default(number(0)),
    "max_tokens": or_default(whole(1)),
    "top_p": or_default(number(0, 1)),
    "effort": or_default(words),
    "thinking": lambda text: {"true": True, "false": False, "default": None}[one_of("true", "false", "default")(text)],
    "extra": json_object,
    "api": one_of(*APIS),
}
"""What reads each setting where it follows a model's name."""


def check_number(name: str, number: object, least: float, most: float = math.inf, *, missing: bool = False) -> None:
    """Refuses what is no number of this range, for a setting of a chat model."""
    if number is None and missing:
        return
    good = isinstance(number, int | float) and not isinstance(number, bool)
    if not good or not math.isfinite(number) or not least <= number <= most:  # type: ignore[arg-type, operator]
        upto = "" if math.isinf(most) else f" to {most:g}"
        raise InvalidArgument(f"chat model {name}={number!r}: expected a number from {least:g}{upto}.")


def check_count(name: str, count: object, least: int, most: int | None = None, *, missing: bool = False) -> None:
    """Refuses what is no whole number of this range, for a setting of a chat model."""
    if count is None and missing:
        return
    if isinstance(count, bool) or not isinstance(count, int) or count < least or (most is not None and count > most):
        upto = "" if most is None else f" to {most:,}"
        raise InvalidArgument(f"chat model {name}={count!r}: expected a whole number from {least}{upto}.")


def _check_extra(extra: object) -> None:
    if extra is None:
        return
    if not isinstance(extra, Mapping) or not all(isinstance(name, str) for name in extra):
        raise InvalidArgument(f"chat model extra={extra!r:.60}: expected fields of a request, as in {{'top_k': 20}}.")
    own = next((name for name in extra if name in _OURS), None)
    if own is not None:
        raise InvalidArgument(f"chat model extra: {own!r} is not for the user to set; expected other fields.")
