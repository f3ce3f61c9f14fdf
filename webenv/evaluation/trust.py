"""What a run folder from elsewhere may open: its settings are data, checked against an allow-list.

``rescore``, ``agreement`` and ``at_step`` make a run's environment again. A web may run code on opening (an
encoder's folder), send requests (``live:…,allow_private=true``) or read files (a prompt, a folder), so what
``run.json`` names is opened by itself only where it can do none of that; all else the caller names again.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import gymnasium

from webenv.cassette import Cassette
from webenv.corpora.procedural import Worlds
from webenv.env import SearchEnv
from webenv.envs.benchmark_env import REGISTERED
from webenv.errors import InvalidArgument, RunError
from webenv.registration import IDS
from webenv.runtime.text import one_line, printable

_PAGES = 1_000_000  # of a generated web, all its worlds together: some minutes and a gigabyte of cache
_ITEMS = 1_000  # of a filter
_OPTIONS = ("web", "tasks", "judge", "judge_prompt", "judge_votes")  # with an option of their own
_COUNTED = re.compile(r"(generated|longitudinal)(:count=\d{1,6})?")
LIVE = "live:"
"""How the names of webs begin that cannot be opened without a key."""

_MODULE = re.compile(r"[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99}){0,9}")
_WORD = re.compile(r"[a-z][a-z0-9_-]{0,40}")


def recorded_id(about: Mapping[str, Any], path: Path) -> str:
    """The id of a run's environment, where it may be made without being named again.

    Raises:
        RunError: if it is neither webenv's own nor registered by the caller, with a class of ours.
    """
    name = str(about["env"]["id"])
    spec = gymnasium.registry.get(name)
    entry = None if spec is None else spec.entry_point
    if name in IDS or name in REGISTERED or (isinstance(entry, type) and issubclass(entry, SearchEnv)):
        return name
    shown, module = _shown(name), recorded_module(about) or "module"
    raise RunError(
        f"{path} was played in {shown!r}, which is none of webenv's environments; if you trust it, name its module "
        f"too: --env {module}:{shown}, or in Python the benchmark."
    )


def recorded_module(about: Mapping[str, Any]) -> str:
    """The module that registered a run's environment; empty for webenv's own, and where it is not known."""
    module = about.get("module")
    return module if isinstance(module, str) and _MODULE.fullmatch(module) else ""


def recorded_settings(
    about: Mapping[str, Any],
    path: Path,
    given: Mapping[str, Any],
    *,
    without: tuple[str, ...] = (),
    cassette: Cassette | None = None,
) -> dict[str, Any]:
    """The settings of a run's environment, those that the caller gives in place of the recorded ones.

    Args:
        about: what ``run.json`` says.
        path: the run folder, for messages.
        given: settings of the caller, which are taken as they are.
        without: recorded settings that do not count.
        cassette: the caller's tape; in mode ``replay`` it stands in the place of a live web, which is not opened.

    Raises:
        RunError: for a recorded setting that could do harm; it says what is named, and how to name it again.
    """
    recorded = {
        name: value for name, value in about["env"]["settings"].items() if name not in given and name not in without
    }
    for name, value in recorded.items():
        if isinstance(value, dict) and set(value) == {"type"}:
            raise RunError(
                f"{path} was played with {name} = a {_shown(value['type'])} of Python's, which run.json cannot hold; "
                f"give {_shown(name)}, in Python settings={{{_shown(name)!r}: …}}, or the benchmark: env=benchmark."
            )
    taped = cassette is not None and cassette.mode == "replay" and str(recorded.get("web")).startswith(LIVE)
    refused = {
        name: value for name, value in recorded.items() if not _harmless(name, value) and not (name == "web" and taped)
    }
    if refused:
        options = " ".join(_option(name, value) for name, value in refused.items())
        raise RunError(
            f"{path} names what may run code, read files, send requests or cost money, and is opened only if you "
            f"name it too; if you trust it: {options} (in Python as settings)."
        )
    return {**recorded, **given}


def _harmless(name: str, value: Any) -> bool:
    check = _CHECKS.get(name)
    return check is not None and (value is None or check(value))


def _shown(value: object) -> str:
    return one_line(printable(str(value)), 200)


def _option(name: str, value: Any) -> str:
    """The option that names a setting again; of a long value only where to look it up."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True, default=str)
    text = one_line(printable(text), 200)
    if name == "tasks" and isinstance(value, list):
        return " ".join(f"--tasks {shlex.quote(_shown(one))}" for one in value[:10])
    option = f"--{name.replace('_', '-')}" if name in _OPTIONS else "--set"
    return f"{option} {shlex.quote(text if name in _OPTIONS else f'{_shown(name)}={text}')}"


def _web(value: Any) -> bool:
    return value == "sample" or _generated(value)


def _generated(value: Any) -> bool:
    """Whether a text names generated worlds, of a size that takes minutes at most."""
    if not isinstance(value, str) or value.partition(":")[0] != "procedural" or len(value) > 1_000:
        return False
    try:
        worlds = Worlds.parse(value)
    except InvalidArgument:
        return False
    return worlds.first.pages * len(worlds) <= _PAGES


def _tasks(value: Any) -> bool:
    return isinstance(value, str) and (_COUNTED.fullmatch(value) is not None or _generated(value))


def _words(value: Any) -> bool:
    words = value if isinstance(value, list) else [value]
    return len(words) <= _ITEMS and all(isinstance(word, str) for word in words)


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and math.isfinite(value) and abs(value) < 1e15)


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and len(value) <= _ITEMS and all(map(_number, value.values()))


def _asks_nobody(value: Any) -> bool:
    return isinstance(value, str) and _WORD.fullmatch(value) is not None  # one with a model has a colon


_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    "web": _web,
    "tasks": _tasks,
    "judge": _asks_nobody,
    "judge_prompt": lambda value: False,
    "judge_votes": _number,
    "budget": _numbers,
    "latency": lambda value: (isinstance(value, str) and len(value) <= _ITEMS) or _numbers(value),
    "reward": _numbers,
    "flagged": lambda value: isinstance(value, bool),
    "render_mode": lambda value: value == "ansi",
    **dict.fromkeys(("difficulty", "site", "split", "month", "kind", "language", "size", "pages", "topic"), _words),
}
