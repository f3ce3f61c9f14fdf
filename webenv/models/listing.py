"""Models in a small file: under which name, at which endpoint, with which key, settings and price."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import DataError, InvalidArgument, did_you_mean
from webenv.models.settings import NAMES, ModelSettings
from webenv.runtime.files import read_text

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
