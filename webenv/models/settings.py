"""ModelSettings: what a request says beside the conversation; and models in a file, with endpoint, key and price."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import DataError, InvalidArgument, check_number, check_whole, did_you_mean
from webenv.models.messages import Extra
from webenv.runtime.files import read_text
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
        check_number("chat model temperature", self.temperature, 0.0, missing=True)
        check_number("chat model top_p", self.top_p, 0.0, 1.0, missing=True)
        check_whole("chat model max_tokens", self.max_tokens, 1, missing=True)
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


def _check_extra(extra: object) -> None:
    if extra is None:
        return
    if not isinstance(extra, Mapping) or not all(isinstance(name, str) for name in extra):
        raise InvalidArgument(f"chat model extra={extra!r:.60}: expected fields of a request, as in {{'top_k': 20}}.")
    own = next((name for name in extra if name in _OURS), None)
    if own is not None:
        raise InvalidArgument(f"chat model extra: {own!r} is not for the user to set; expected other fields.")


_FIELDS = ("model", "base_url", "key", "price", "timeout", "retries", *NAMES)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_FORM = '{"<name>": {"model": "<name at the endpoint>", "base_url": "https://…/v1", "key": "<environment variable>"}}'


class ListedModel(NamedTuple):
    """One model of a file.

    Attributes:
        served: its name at the endpoint.
        base_url: the endpoint; empty: OPENAI_BASE_URL.
        key: the environment variable that holds the key; empty: OPENAI_API_KEY.
        settings: its settings (:class:`webenv.models.ModelSettings`), ``timeout`` and ``retries``, as far as they are
            given.
        price: US dollars a million tokens, as a price table has them; ``None``: not known.
    """

    served: str
    base_url: str
    key: str
    settings: Mapping[str, Any]
    price: Mapping[str, Any] | None


def read_models(path: str | Path) -> dict[str, ListedModel]:
    """The models of a JSON file, by the names that policies and judges are given with.

    Each is an object whose fields may all be missing: ``model``, ``base_url``, ``key`` (the name of an environment
    variable, never the key), ``price`` (``input``, ``output``, ``cached_input``), ``timeout``, ``retries``, and the
    settings of :class:`webenv.models.ModelSettings`.

    Raises:
        DataError: if the file cannot be read, or holds something else.
    """
    name = f"models {str(path)!r}"
    text = read_text(path, "models")
    try:
        table = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{name} is no JSON: {error!s:.100}.") from error
    if not isinstance(table, dict) or not table or not all(isinstance(one, dict) for one in table.values()):
        raise DataError(f"{name}: expected {_FORM}.")
    return {model: _listed(f"{name}, {model!r:.60}", model, given) for model, given in table.items()}


def _listed(where: str, name: str, given: Mapping[str, Any]) -> ListedModel:
    for field in given:
        if field not in _FIELDS:
            raise DataError(f"{where} has a field {field!r:.60}. {did_you_mean(field, _FIELDS)}")
    texts = {field: given.get(field, "") for field in ("model", "base_url", "key")}
    for field, text in texts.items():
        if not isinstance(text, str):
            raise DataError(f"{where}: {field} is {text!r:.60}; expected a text.")
    if texts["key"] and not _VARIABLE.fullmatch(texts["key"]):
        raise DataError(f"{where}: key is to be the name of an environment variable, never the key itself.")
    settings = {field: given[field] for field in (*NAMES, "timeout", "retries") if field in given}
    try:
        ModelSettings(**{field: value for field, value in settings.items() if field in NAMES})
    except InvalidArgument as error:
        raise DataError(f"{where}: {error}") from error
    return ListedModel(texts["model"] or name, texts["base_url"], texts["key"], settings, given.get("price"))
