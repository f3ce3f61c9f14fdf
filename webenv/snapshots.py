"""Save, restore and fork a whole stack of environment and wrappers."""

from __future__ import annotations

import copy
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import cached_property, partial
from inspect import getattr_static
from itertools import chain
from pathlib import PurePath
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from gymnasium import Env, Space, Wrapper
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorEnv, VectorWrapper

from webenv.actions import Action, Kind
from webenv.benchmark import Benchmark
from webenv.budget import Spending
from webenv.errors import SnapshotError
from webenv.observations import Document, Observation, Page, Reply, Result

_FORMAT, _VERSION = "webenv.snapshot", 1

_OWN = {kind.__name__: kind for kind in (Action, Document, Observation, Page, Reply, Result, Spending)}
_MOST = 1 << 28  # characters of a snapshot; its objects take some ten times as much
_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_LONGEST_DTYPE = 20  # characters of a data type's name
_SHORT, _SMALL = 64, 65_536  # bytes of a text, and of an array of texts, that may be longer than its texts
_CONSTANTS = (Space, EnvSpec, ModuleType, type, Env, VectorEnv, Benchmark, np.ufunc, PurePath)
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, partial)
# How gymnasium made a wrapper, no state of it: whoever makes another environment from `env.spec` runs what it names.
_MADE = (
    *("env", "_saved_kwargs", "_cached_spec", "_metadata", "_action_space", "_observation_space"),
    *("_single_action_space", "_single_observation_space"),
)
_SEPARATORS = tuple({"/", os.sep, os.altsep or os.sep})
_LONGEST_PATH = 4096

EnvT = TypeVar("EnvT", bound="Env[Any, Any] | VectorEnv[Any, Any, Any]")


def snapshot(env: Env[Any, Any] | VectorEnv[Any, Any, Any]) -> str:
    """The state of an environment and of every wrapper around it, as JSON.

    Taken between two steps. Holds the episode, the chance that draws tasks, and the plain
    attributes of wrappers (numbers, texts, arrays, random generators, enum members, containers
    and objects of these); not the web, the tasks or any gold, nor what a wrapper was constructed
    with (functions, spaces, paths). A wrapper with state of another kind can have ``snapshot_state()``
    and ``restore_state(saved)``, which are called instead.

    Args:
        env: a :class:`webenv.SearchEnv` or :class:`webenv.SearchVectorEnv`, wrapped or not.

    Returns:
        JSON, to be given to :func:`restore`.

    Raises:
        SnapshotError: if an attribute of a wrapper has no JSON form; it is named.
    """
    layers = list(_layers(env))
    shared = {id(part) for part in _parts(layers[-1])}
    stack = [{"class": type(layer).__name__, "state": _save(layer, shared)} for layer in layers]
    return json.dumps({"format": _FORMAT, "version": _VERSION, "stack": stack}, separators=(",", ":"))


def restore(env: Env[Any, Any] | VectorEnv[Any, Any, Any], saved: str | Mapping[str, Any]) -> None:
    """Brings an environment to a saved state.

    Args:
        env: an environment made as the saved one was, with the same wrappers.
        saved: what :func:`snapshot` gave. From a stranger it is data: it makes no object of a class of its choice,
            changes nothing that a wrapper was made with (functions, classes, modules, spaces, specs), and takes
            memory in proportion to its length. No text that could be a path appears, changes or vanishes: one that
            has a separator and no space, or is absolute or has `..`; ids of tasks and http addresses are none.

    Raises:
        SnapshotError: if it is not a snapshot, of another version, or of another stack, web, judge, …; the
            environment is then as it was.
    """
    try:
        if isinstance(saved, str) and len(saved) > _MOST:
            raise SnapshotError(f"a snapshot of {len(saved):,} characters; at most {_MOST:,} are read.")
        data = json.loads(saved) if isinstance(saved, str) else saved
        if data["format"] != _FORMAT:
            raise SnapshotError(f"not a snapshot: its format is {data['format']!r}, expected {_FORMAT!r}.")
        if data["version"] != _VERSION:
            raise SnapshotError(f"a snapshot of version {data['version']!r}: this webenv reads version {_VERSION}.")
        stack = data["stack"]
        names = [str(record["class"]) for record in stack]
    except (ValueError, KeyError, TypeError, RecursionError, MemoryError) as error:
        raise SnapshotError(f"not a snapshot ({error!r:.200}): expected what webenv.snapshot gave.") from error
    layers = list(_layers(env))
    expected = [type(layer).__name__ for layer in layers]
    if names != expected:
        raise SnapshotError(f"the snapshot is of {' > '.join(names)}; this environment is {' > '.join(expected)}.")
    states: list[Any] = [record.get("state") if isinstance(record, dict) else None for record in stack]
    taking = _Taking(layers[-1])
    for layer, state in zip(reversed(layers), reversed(states), strict=True):
        try:
            _load(layer, state, taking)
        except BaseException as error:  # all or nothing, also when memory, the stack or the patience of a user ends
            taking.give_back()
            if isinstance(error, SnapshotError) or not isinstance(error, Exception):
                raise
            raise SnapshotError(f"the state of {type(layer).__name__} cannot be read: {error!r:.200}.") from error


def fork(env: EnvT) -> EnvT:
    """A twin of an environment in its present state, wrappers included.

    The twin and the original do not disturb each other; given the same actions they stay
    identical. They share what never changes: the web, the tasks, the judge.

    Raises:
        SnapshotError: if a wrapper holds something that cannot be copied; it is named.
    """
    layers = list(_layers(env))
    memo: dict[int, Any] = {id(part): part for part in _parts(layers[-1])}
    for layer in layers:
        for spec in (vars(layer).get("spec"), vars(layer).get("_cached_spec")):
            if isinstance(spec, EnvSpec):
                memo[id(spec)] = spec
    try:
        return copy.deepcopy(env, dict(memo))
    except Exception as error:  # whatever the __deepcopy__ of a wrapper's attribute raises
        raise SnapshotError(f"{_uncopied(layers, memo)} cannot be copied: {error!r:.200}.") from error


def _layers(env: Any) -> Iterator[Any]:
    while isinstance(env, Wrapper | VectorWrapper):
        yield env
        env = env.env
    if not hasattr(env, "snapshot_state"):
        raise SnapshotError(f"a {type(env).__name__} cannot be saved: expected a SearchEnv or a SearchVectorEnv.")
    yield env


def _parts(base: Any) -> list[Any]:
    """What an environment and its twins share."""
    made_of = getattr(base, "benchmark", None)
    if not isinstance(made_of, Benchmark):
        return []
    return [made_of, made_of.tasks, made_of.web, made_of.judge, made_of.rules, made_of.budget, made_of.reward]


def _uncopied(layers: list[Any], memo: dict[int, Any]) -> str:
    """Names the attribute that keeps a stack from being copied."""
    for layer in reversed(layers):
        for name, value in vars(layer).items():
            if name != "env":
                try:
                    copy.deepcopy(value, dict(memo))
                except Exception:  # any of them is what is sought
                    return f"{type(layer).__name__}.{name}, a {type(value).__name__},"
    return type(layers[0]).__name__


class _Taking:
    """A state being taken up: what of the environment stays, and how to give back what was changed."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.shared = {id(part) for part in _parts(base)}
        self.undo: list[Callable[[], Any]] = []

    @cached_property
    def task_ids(self) -> frozenset[str]:
        made_of = getattr(self.base, "benchmark", None)
        return frozenset(made_of.tasks.ids()) if isinstance(made_of, Benchmark) else frozenset()

    def give_back(self) -> None:
        while self.undo:
            with suppress(Exception):
                self.undo.pop()()

    def replace(self, held: dict[Any, Any], by: Mapping[Any, Any]) -> None:
        dict.clear(held)
        dict.update(held, by)

    def remember(self, held: dict[Any, Any]) -> None:
        self.undo.append(partial(self.replace, held, dict(held)))


def _save(layer: Any, shared: set[int]) -> Any:
    name = type(layer).__name__
    if not hasattr(type(layer), "snapshot_state"):
        attributes = {key: value for key, value in vars(layer).items() if key not in _MADE}
        return _fields(attributes, name, shared)
    state = {"own": layer.snapshot_state()}
    if isinstance(layer, Env) and not isinstance(layer, Wrapper):
        state["rng"] = _encode(layer._np_random, f"{name}.np_random", shared)
        state["seed"] = layer._np_random_seed
    return state


def _load(layer: Any, state: Mapping[str, Any], taking: _Taking) -> None:
    if not hasattr(type(layer), "snapshot_state"):
        if "env" in state:
            raise SnapshotError(f"{type(layer).__name__} has no state 'env': a snapshot changes no environment.")
        fields = {name: value for name, value in state.items() if name not in _MADE}
        _fill(layer, fields, type(layer).__name__, taking, kept=_MADE)
        return
    # A state that was taken up earlier may keep this one from being saved; it may still be replaced.
    with suppress(Exception):
        taking.undo.append(partial(_load_own, layer, _save(layer, taking.shared), taking))
    _load_own(layer, state, taking)


def _load_own(layer: Any, state: Mapping[str, Any], taking: _Taking) -> None:
    layer.restore_state(state["own"])
    if isinstance(layer, Env) and not isinstance(layer, Wrapper):
        rng, seed = _decode(state["rng"], None, "np_random", taking), state["seed"]
        if not isinstance(rng, np.random.Generator | None) or not isinstance(seed, int | None):
            raise SnapshotError(f"np_random was {rng!r:.80} of seed {seed!r:.80}; expected a random generator.")
        layer._np_random, layer._np_random_seed = rng, seed


def _constant(value: Any, shared: set[int]) -> bool:
    """What was there when a wrapper was made, and does not change."""
    return isinstance(value, _CONSTANTS + _FUNCTIONS) or id(value) in shared


def _fields(attributes: Mapping[str, Any], where: str, shared: set[int]) -> dict[str, Any]:
    return {name: _encode(value, f"{where}.{name}", shared) for name, value in attributes.items()}


def _fill(holder: Any, fields: Mapping[str, Any], where: str, taking: _Taking, kept: tuple[str, ...] = ()) -> None:
    """Gives an object its saved attributes, and takes those that it did not have."""
    for name in fields:
        own = getattr_static(type(holder), name, None)
        if name.startswith("__") or (name not in vars(holder) and (callable(own) or hasattr(own, "__set__"))):
            raise SnapshotError(
                f"{where:.200} has no state {name!r:.80}: a snapshot changes no method and no property."
            )
    present = {name: value for name, value in vars(holder).items() if name not in kept}
    fixed = _fixed(present, taking)
    values = {name: _decode(value, present.get(name), f"{where}.{name}", taking) for name, value in fields.items()}
    _same(fixed, _fixed(values, taking), where)
    taking.remember(vars(holder))
    for name in present.keys() - fields.keys():
        delattr(holder, name)
    for name, value in values.items():
        setattr(holder, name, value)


def _fixed(values: Mapping[Any, Any], taking: _Taking) -> dict[Any, Any]:
    """What stays as it is in values, by its place: what a wrapper was made with, paths, what has no JSON form."""
    seen: set[int] = set()
    return dict(chain.from_iterable(_walk(value, (name,), taking, seen) for name, value in values.items()))


def _walk(value: Any, place: tuple[Any, ...], taking: _Taking, seen: set[int]) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, str):
        if _names_path(value) and value not in taking.task_ids:
            yield place, value
        return
    inner: Iterator[tuple[Any, Any]] = iter(())
    kind = type(value)
    if value is None or kind in (bool, int, float, Kind, np.random.Generator) or kind in _OWN.values():
        return
    if isinstance(value, np.ndarray | np.generic) and _is_plain(value.dtype):
        inner = enumerate(value.flat) if value.dtype.kind == "U" else inner
    elif kind in (list, tuple, deque):
        inner = enumerate(value)
    elif kind in (set, frozenset):
        inner = ((item, item) for item in value)
    elif isinstance(value, dict):
        inner = chain(value.items(), (((key, "key"), key) for key in value))
    else:
        form = _form(value, taking.shared)
        if form not in ("enum", "object") or (form == "object" and callable(value)):
            yield place, value
        if form != "object" or id(value) in seen:
            return
        seen.add(id(value))
        inner = iter(vars(value).items())
    for key, item in inner:
        yield from _walk(item, (place, key), taking, seen)


def _names_path(text: str) -> bool:
    if len(text) > _LONGEST_PATH or not any(separator in text for separator in _SEPARATORS):
        return False
    if os.path.isabs(text) or text.startswith("~") or ".." in text.split("/"):
        return "\n" not in text
    return not text.startswith(("http://", "https://")) and len(text.split()) == 1


def _same(fixed: dict[Any, Any], after: dict[Any, Any], where: str) -> None:
    nothing = object()
    for place in chain(fixed, after):
        old, new = fixed.get(place, nothing), after.get(place, nothing)
        if old is not new and not (isinstance(old, str) and isinstance(new, str) and old == new):
            had, has = ("none such" if one is nothing else f"{one!r:.200}" for one in (old, new))
            name = place
            while isinstance(name, tuple) and len(name) == 2 and isinstance(name[0], tuple):
                name = name[0]
            raise SnapshotError(
                f"{where:.200}.{name[0]!s:.80} is {had} here; the snapshot has {has}: no path is changed, and nothing "
                "that a wrapper was made with. Give the class snapshot_state and restore_state if that is its state."
            )


def _encode(value: Any, where: str, shared: set[int], placed: bool = True) -> Any:
    """JSON for a value: itself where JSON has it, else ``{"<type>": …}``.

    Args:
        value: the value.
        where: its place, for messages.
        shared: ids of what twins share.
        placed: whether the value will be found at the same place of the environment that it is
            restored to: objects, enum members and constants are restored into what is there.
    """
    if value is None or type(value) in (bool, int, float, str):
        return value
    kind = type(value)
    if isinstance(value, np.ndarray | np.generic) and _is_plain(value.dtype):
        form = "array" if isinstance(value, np.ndarray) else "scalar"
        return {form: value.tolist(), "dtype": str(value.dtype), "shape": list(value.shape)}
    if kind is np.random.Generator and type(value.bit_generator).__name__ in _GENERATORS:
        return {"rng": _encode(value.bit_generator.state, where, shared)}
    if kind is Kind:
        return {"kind": int(value)}
    if kind in _OWN.values():
        items = [_encode(item, f"{where}[{n}]", shared, placed) for n, item in enumerate(value)]
        return {"own": kind.__name__, "items": items}
    if kind in (list, tuple):
        return {kind.__name__: [_encode(item, f"{where}[{n}]", shared, placed) for n, item in enumerate(value)]}
    if kind in (set, frozenset):
        return {kind.__name__: sorted((_encode(item, where, shared, False) for item in value), key=json.dumps)}
    if kind is deque:
        return {"deque": [_encode(item, where, shared, False) for item in value], "maxlen": value.maxlen}
    if kind is dict or (placed and isinstance(value, dict)):
        items = [
            [_encode(key, where, shared, False), _encode(item, f"{where}[{key!r:.80}]", shared, placed)]
            for key, item in value.items()
        ]
        return {"dict": items} if kind is dict else {"dict": items, "like": kind.__name__}
    form = _form(value, shared) if placed else ""
    if form == "constant":
        return {"constant": kind.__name__}
    if form == "enum":
        return {"enum": value.name, "like": kind.__name__}
    if form == "object":
        try:
            return {"object": kind.__name__, "fields": _fields(vars(value), where, shared)}
        except RecursionError as error:
            raise SnapshotError(f"{where} holds a {kind.__name__} that refers to itself.") from error
    what = f"{kind.__name__} of {value.dtype}" if isinstance(value, np.ndarray | np.generic) else kind.__name__
    raise SnapshotError(
        f"{where:.200} is a {what}, which has no JSON form; give its class snapshot_state and restore_state."
    )


def _form(value: Any, shared: set[int]) -> str:
    """How a value of no plain kind is saved, and hence the one form in which it is met; empty if it cannot be."""
    if isinstance(value, dict):
        return "dict"
    if _constant(value, shared):
        return "constant"
    if isinstance(value, Enum):
        return "enum"
    slots = any(vars(base).get("__slots__") for base in type(value).__mro__)
    return "object" if hasattr(value, "__dict__") and not slots and not isinstance(value, Exception) else ""


def _is_plain(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biufU" and not (dtype.kind == "f" and dtype.itemsize > 8)


def _decode(value: Any, present: Any, where: str, taking: _Taking) -> Any:
    """The value of a JSON form; objects are filled into the one that is ``present``."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return _array(value["array"], _dtype(value["dtype"], where), present).reshape(value["shape"])
    if "scalar" in value:
        return _dtype(value["dtype"], where).type(value["scalar"])
    if "rng" in value:
        state = _decode(value["rng"], None, where, taking)
        if state["bit_generator"] not in _GENERATORS:
            raise SnapshotError(f"{where}: no random generator is called {state['bit_generator']!r:.80}.")
        bits = getattr(np.random, state["bit_generator"])()
        bits.state = state
        # NumPy takes places that lie outside of the generator's own memory, and then draws from there.
        inner = state["state"]
        place, most = (inner["pos"], 624) if "pos" in inner else (state.get("buffer_pos", 0), 4)
        if not 0 <= place <= most:
            raise SnapshotError(f"{where:.200}: a random generator at {place!r:.40}; expected 0 to {most}.")
        return np.random.Generator(bits)
    if "kind" in value:
        return Kind(value["kind"])
    if "own" in value:
        return _OWN[value["own"]](*_items(value["items"], None, where, taking))
    if "deque" in value:
        return deque(_items(value["deque"], None, where, taking), maxlen=value["maxlen"])
    for plain in (list, tuple, set, frozenset):
        if plain.__name__ in value:
            return plain(_items(value[plain.__name__], present, where, taking))
    if "dict" in value and "like" not in value:
        return _pairs(value["dict"], present, where, taking)
    like = value.get("like") or value.get("object") or value.get("constant")
    form = next((one for one in ("enum", "dict", "object", "constant") if one in value), "")
    if type(present).__name__ != like or _form(present, taking.shared) != form:
        raise SnapshotError(f"{where:.200} was a {like}; it cannot be restored where there is {present!r:.80}.")
    if form == "enum":
        return type(present)[value["enum"]]
    if form == "dict":
        fixed = _fixed(present, taking)
        pairs = _pairs(value["dict"], present, where, taking)
        _same(fixed, _fixed(pairs, taking), where)
        taking.remember(present)
        present.clear()
        present.update(pairs)
    if form == "object":
        _fill(present, value["fields"], where, taking)
    return present


def _dtype(name: str, where: str) -> np.dtype[Any]:
    dtype = np.dtype(name) if isinstance(name, str) and len(name) <= _LONGEST_DTYPE else np.dtype(object)
    if not _is_plain(dtype):
        raise SnapshotError(f"{where:.200} is an array of {name!r:.80}; expected numbers, booleans or texts.")
    return dtype


def _array(values: Any, dtype: np.dtype[Any], present: Any) -> npt.NDArray[Any]:
    """An array of numbers, or of texts of the length that they have, or that the array has that is there."""
    array: npt.NDArray[Any] = np.array(values, dtype=None if dtype.kind == "U" else dtype)
    if dtype.kind != "U" or not array.size:
        return array.astype(dtype)
    there = isinstance(present, np.ndarray) and present.dtype == dtype
    if not there and dtype.itemsize > max(array.itemsize, _SHORT) and dtype.itemsize * array.size > _SMALL:
        raise ValueError(f"{array.size} texts of {dtype.itemsize // 4} characters each, which none of them has")
    return array.astype(dtype)


def _items(items: list[Any], present: Any, where: str, taking: _Taking) -> list[Any]:
    held = list(present) if isinstance(present, list | tuple) else []
    held += [None] * (len(items) - len(held))
    pairs = zip(items, held, strict=False)
    return [_decode(item, there, f"{where}[{n}]", taking) for n, (item, there) in enumerate(pairs)]


def _pairs(items: list[Any], present: Any, where: str, taking: _Taking) -> dict[Any, Any]:
    held = present if isinstance(present, dict) else {}
    pairs = [(_decode(key, None, where, taking), item) for key, item in items]
    return {key: _decode(item, held.get(key), f"{where}[{key!r:.80}]", taking) for key, item in pairs}
