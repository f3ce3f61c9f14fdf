"""Save, restore and fork a whole stack of environment and wrappers."""

from __future__ import annotations

import copy
import json
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from types import ModuleType
from typing import Any, TypeVar

import numpy as np
from gymnasium import Env, Space, Wrapper
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv, VectorWrapper

from webenv.errors import SnapshotError

__all__ = ["fork", "restore", "snapshot"]

_FORMAT, _VERSION = "webenv.snapshot", 1

EnvT = TypeVar("EnvT", bound="Env[Any, Any] | VectorEnv[Any, Any, Any]")


def snapshot(env: Env[Any, Any] | VectorEnv[Any, Any, Any]) -> str:
    """The state of an environment and of every wrapper around it, as JSON.

    Taken between two steps. Holds the episode, the chance that draws tasks, and the plain
    attributes of wrappers (numbers, texts, arrays, random generators, containers and objects of
    these); not the web, the tasks or any gold, nor what a wrapper was constructed with
    (functions, spaces). A wrapper with state of another kind can have ``snapshot_state()`` and
    ``restore_state(saved)``, which are called instead.

    Args:
        env: a :class:`webenv.SearchEnv` or :class:`webenv.SearchVectorEnv`, wrapped or not.

    Returns:
        JSON, to be given to :func:`restore`.

    Raises:
        SnapshotError: if an attribute of a wrapper has no JSON form; it is named.
    """
    stack = [{"class": type(layer).__name__, "state": _save(layer)} for layer in _layers(env)]
    return json.dumps({"format": _FORMAT, "version": _VERSION, "stack": stack}, separators=(",", ":"))


def restore(env: Env[Any, Any] | VectorEnv[Any, Any, Any], saved: str | Mapping[str, Any]) -> None:
    """Brings an environment to a saved state.

    Args:
        env: an environment made as the saved one was, with the same wrappers.
        saved: what :func:`snapshot` gave.

    Raises:
        SnapshotError: if it is not a snapshot, of another version, or of another stack, web, judge, …
    """
    try:
        data = json.loads(saved) if isinstance(saved, str) else saved
        if data["format"] != _FORMAT:
            raise SnapshotError(f"not a snapshot: its format is {data['format']!r}, expected {_FORMAT!r}.")
        if data["version"] != _VERSION:
            raise SnapshotError(f"a snapshot of version {data['version']!r}: this webenv reads version {_VERSION}.")
        stack = data["stack"]
        names = [record["class"] for record in stack]
    except (ValueError, KeyError, TypeError) as error:
        raise SnapshotError(f"not a snapshot ({error!r:.200}): expected what webenv.snapshot gave.") from error
    layers = list(_layers(env))
    expected = [type(layer).__name__ for layer in layers]
    if names != expected:
        raise SnapshotError(f"the snapshot is of {' > '.join(names)}; this environment is {' > '.join(expected)}.")
    for layer, record in zip(reversed(layers), reversed(stack), strict=True):
        try:
            _load(layer, record["state"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SnapshotError(f"the state of {type(layer).__name__} cannot be read: {error!r:.200}.") from error


def fork(env: EnvT) -> EnvT:
    """A twin of an environment in its present state, wrappers included.

    The twin and the original do not disturb each other; given the same actions they stay
    identical. They share what never changes: the web, the tasks, the judge.

    Raises:
        SnapshotError: if a wrapper holds something that cannot be copied; it is named.
    """
    memo: dict[int, Any] = {}
    for layer in _layers(env):
        spec = vars(layer).get("spec")
        for shared in (spec, vars(layer).get("_cached_spec")):
            if isinstance(shared, EnvSpec):
                memo[id(shared)] = shared
    try:
        return copy.deepcopy(env, memo)
    except TypeError as error:
        raise SnapshotError(f"{env} cannot be forked: {error}.") from error


def _layers(env: Any) -> Iterator[Any]:
    while isinstance(env, Wrapper | VectorWrapper):
        yield env
        env = env.env
    if not hasattr(env, "snapshot_state"):
        raise SnapshotError(f"a {type(env).__name__} cannot be saved: expected a SearchEnv or a SearchVectorEnv.")
    yield env


def _save(layer: Any) -> Any:
    state: dict[str, Any] = {}
    if hasattr(type(layer), "snapshot_state"):
        state["own"] = layer.snapshot_state()
        if isinstance(layer, Env):
            rng = layer._np_random
            state["rng"] = None if rng is None else rng.bit_generator.state
            state["seed"] = layer._np_random_seed
        return state
    for name, value in vars(layer).items():
        if name != "env" and not _constant(value):
            state[name] = _encode(value, f"{type(layer).__name__}.{name}")
    return state


def _load(layer: Any, state: Mapping[str, Any]) -> None:
    if hasattr(type(layer), "snapshot_state"):
        layer.restore_state(state["own"])
        if isinstance(layer, Env):
            if state["rng"] is not None:
                layer.np_random.bit_generator.state = state["rng"]
            layer._np_random_seed = state["seed"]
        return
    for name, value in state.items():
        setattr(layer, name, _decode(value, vars(layer).get(name)))


def _constant(value: Any) -> bool:
    """What a wrapper was made with and does not change."""
    return isinstance(value, Space | EnvSpec | ModuleType | type | Enum | Env | VectorEnv) or callable(value)


def _encode(value: Any, where: str) -> Any:
    """JSON for a value: itself where JSON has it, else ``{"<type>": …}``."""
    if value is None or (isinstance(value, bool | int | float | str) and type(value) in (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        kind = "array" if isinstance(value, np.ndarray) else "scalar"
        return {kind: value.tolist(), "dtype": str(value.dtype), "shape": list(value.shape)}
    if isinstance(value, np.random.Generator):
        return {"rng": value.bit_generator.state}
    if isinstance(value, dict):
        return {"dict": [[_encode(key, where), _encode(item, f"{where}[{key!r}]")] for key, item in value.items()]}
    for kind, plain in (("list", list), ("tuple", tuple), ("set", set), ("deque", deque)):
        if type(value) is plain:
            items = [_encode(item, where) for item in (sorted(value) if plain is set else value)]
            return {kind: items} | ({"maxlen": value.maxlen} if isinstance(value, deque) else {})
    if hasattr(value, "__dict__") and not isinstance(value, Exception):
        fields = {name: _encode(item, f"{where}.{name}") for name, item in vars(value).items() if not _constant(item)}
        return {"object": type(value).__name__, "fields": fields}
    raise SnapshotError(
        f"{where} is a {type(value).__name__}, which has no JSON form; give its class snapshot_state and restore_state."
    )


def _decode(value: Any, present: Any) -> Any:
    """The value of a JSON form; objects are filled into the one that is ``present``."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return np.array(value["array"], dtype=value["dtype"]).reshape(value["shape"])
    if "scalar" in value:
        return np.dtype(value["dtype"]).type(value["scalar"])
    if "rng" in value:
        generator = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = value["rng"]
        return generator
    if "dict" in value:
        held = present if isinstance(present, dict) else {}
        return {(k := _decode(key, None)): _decode(item, held.get(k)) for key, item in value["dict"]}
    if "deque" in value:
        return deque((_decode(item, None) for item in value["deque"]), maxlen=value["maxlen"])
    for kind, plain in (("list", list), ("tuple", tuple), ("set", set)):
        if kind in value:
            return plain(_decode(item, None) for item in value[kind])
    if present is None or type(present).__name__ != value["object"]:
        raise SnapshotError(f"an object of {value['object']} cannot be restored where there is {present!r:.80}.")
    for name, item in value["fields"].items():
        setattr(present, name, _decode(item, getattr(present, name, None)))
    return present
