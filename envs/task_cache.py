"""Generated tasks in the user's cache folder: each is drawn once on a machine, and read from then on.

A task is a function of its world, group and number, so what was drawn may be kept for as long as nothing changes that
draws it: a file is named after a digest of the world's settings and of the code and data of the generator.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache, partial
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

import webenv.corpora
from webenv.corpora.procedural import WebConfig, cache_bytes, generator_version
from webenv.runtime.files import cache_folder, open_guarded, open_regular

T = TypeVar("T")

_FOLDER = "tasks"
_SHARE = 10  # of what webs may take in the cache, tasks may take a tenth beside it
_MOST_BYTES = 64 << 20  # of one file: some 20,000 tasks
_SUM = 16  # characters of a line's checksum


class TaskCache(Generic[T]):
    """The drawn tasks of one world, in a file that processes share.

    Each line is a checksum, the group, the number and the task. A line is written by one call, and begins with a line
    feed of its own, so that what a killed process left of one spoils no other; one that is damaged is drawn again.
    The file is opened for each access: nothing is held, across a fork or at the end.

    Args:
        path: the file; it need not be there.
        type: of what is kept: a ``NamedTuple`` of plain data.
        room: the most bytes of all files of its folder.
    """

    def __init__(self, path: Path, type: type[T], room: int) -> None:
        self._path, self._room = path, room
        self._read: Callable[[Any], T] = reader(cast(Any, type))
        self._places: dict[bytes, tuple[int, int]] = {}
        self._known = 0  # bytes of the file that were looked through

    def get(self, group: str, number: int) -> T | None:
        """The task of a number; ``None`` where it was not drawn yet."""
        key = _key(group, number)
        with suppress(OSError, ValueError, TypeError, LookupError):
            if key not in self._places:
                self._look()
            begin, size = self._places.get(key, (0, 0))
            if size:
                return self._read(json.loads(_checked(self._bytes(begin, size), key)))
        return None

    def put(self, group: str, number: int, task: T) -> None:
        """Keeps a task, where it can be kept."""
        line = _key(group, number) + json.dumps(plain(task), ensure_ascii=False, separators=(",", ":")).encode()
        with suppress(OSError):
            if not self._path.exists():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                _shrink(self._path.parent, self._room)
            file = open_guarded(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                if os.fstat(file).st_size < min(_MOST_BYTES, self._room):
                    os.write(file, b"\n" + _sum(line) + line + b"\n")
            finally:
                os.close(file)

    def _look(self) -> None:
        """Finds the lines that were added since the last look."""
        if not self._known:
            os.utime(self._path)  # used: others give way first
        data = self._bytes(self._known, _MOST_BYTES)
        place = self._known
        for line in data[: data.rfind(b"\n") + 1].splitlines(keepends=True):
            parts = line[_SUM:].split(b" ", 2)
            if len(parts) == 3:
                self._places[b"%b %b " % (parts[0], parts[1])] = (place, len(line) - 1)
            place += len(line)
        self._known = place

    def _bytes(self, begin: int, size: int) -> bytes:
        with open(open_regular(self._path), "rb", buffering=0) as file:
            file.seek(begin)
            return file.read(size)


def task_cache(config: WebConfig, world: str, groups: Sequence[str], type: type[T]) -> TaskCache[T] | None:
    """Where the tasks of one kind of a world are kept; ``None`` where nothing is.

    Args:
        config: the world.
        world: what its tasks call it.
        groups: those that its tasks fall into.
        type: of the tasks.
    """
    room, code = cache_bytes() // _SHARE, _code()
    if not room or not code:
        return None
    made_by = f"{config!r} {world} {' '.join(groups)} {generator_version(config)} {code}"
    name = f"{type.__name__}-{config.split}-{config.seed}-{blake2b(made_by.encode(), digest_size=8).hexdigest()}"
    return TaskCache(cache_folder() / _FOLDER / name, type, room)


@cache
def _code() -> str:
    """A digest of the code that draws; empty where there is none to be read."""
    digest = blake2b(version("tantivy").encode(), digest_size=16)  # a task may depend on what a search finds
    files = [
        file
        for folder in (webenv.corpora.__path__[0], os.path.dirname(__file__))
        for file in sorted(Path(folder).resolve().rglob("*.py"))
    ]
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest() if files else ""


def _key(group: str, number: int) -> bytes:
    return f"{group} {number} ".encode()


def _sum(line: bytes) -> bytes:
    return blake2b(line, digest_size=_SUM // 2).hexdigest().encode()


def _checked(line: bytes, key: bytes) -> bytes:
    """What a line keeps under a key; ``ValueError`` where it is damaged, or another's since the file was replaced."""
    kept = line[_SUM:]
    if line[:_SUM] != _sum(kept) or not kept.startswith(key):
        raise ValueError("damaged")
    return kept[len(key) :]


def _shrink(folder: Path, room: int) -> None:
    """Removes the files used longest ago, until the rest take half the room."""
    known = []
    for file in folder.iterdir():
        with suppress(OSError):  # another process may have removed it
            about = file.lstat()
            known.append((about.st_mtime, about.st_size, file))
    left = sum(size for _, size, _ in known)
    if left <= room:
        return
    for _, size, file in sorted(known):
        if left <= room // 2:
            break
        with suppress(OSError):
            file.unlink()
            left -= size


# ── values as JSON ────────────────────────────────────────────────────────────


def plain(value: Any) -> Any:
    """Values as JSON: fields in their order, sets sorted.

    >>> plain((1, frozenset({"b", "a"}), {"c": None}))
    [1, ['a', 'b'], {'c': None}]
    """
    if isinstance(value, str | int | float | None):
        return value
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if is_dataclass(value):
        return [plain(getattr(value, field.name)) for field in fields(value)]
    return [plain(one) for one in (sorted(value) if isinstance(value, frozenset) else value)]


@cache
def reader(type: Any) -> Callable[[Any], Any]:
    """What makes a value of a type of what :func:`plain` made of one.

    >>> reader(tuple[int, frozenset[str]])([1, ["a"]])
    (1, frozenset({'a'}))

    Raises:
        TypeError: for a type that is no plain data.
    """
    origin, of = get_origin(type), get_args(type)
    if type in (str, int, float, bool) or origin is Mapping:
        return _same
    if origin is UnionType and len(of) == 2 and NoneType in of:
        known = reader(next(one for one in of if one is not NoneType))
        return lambda value: None if value is None else known(value)
    if origin in (tuple, frozenset) and (origin is frozenset or of[1:] == (...,)):
        each = reader(of[0])
        return lambda values: origin(values if each is _same else map(each, values))
    if origin is tuple:
        return partial(_made, lambda *values: values, tuple(map(reader, of)))
    if is_dataclass(type) or hasattr(type, "_fields"):
        hints = get_type_hints(type)
        names = [field.name for field in fields(type)] if is_dataclass(type) else type._fields
        return partial(_made, type, tuple(reader(hints[name]) for name in names))
    raise TypeError(f"{type} is no plain data")


def _same(value: Any) -> Any:
    return value


def _made(type: Callable[..., Any], readers: tuple[Callable[[Any], Any], ...], values: list[Any]) -> Any:
    return type(*[read(value) for read, value in zip(readers, values, strict=True)])
