"""Environments by name, with settings as a command line gives them; and sweeps over one entry of the budget."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium

from webenv.env import SearchEnv
from webenv.envs.benchmark_env import REGISTERED
from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.summary import Summary
from webenv.registration import IDS
from webenv.runtime.spec import Setting, split_settings
from webenv.task import TaskSet

_NUMBER = re.compile(r"-?\d+")
_WORD = re.compile(r"[^\s\"'{}\[\]]+( [^\s\"'{}\[\]]+)*")
_NOT_JSON = {"true": "true", "false": "false", "none": "null", "null": "null"}


def make_env(env: str, settings: Mapping[str, Any]) -> gymnasium.Env[Any, Any]:
    """Makes an environment, whose ``unwrapped`` is a :class:`webenv.SearchEnv`.

    Args:
        env: its id, with the version: ``NeedleInWeb-v0``; ``module:Id-v0`` imports the module first.
        settings: its keyword arguments.

    Raises:
        InvalidArgument: for an unknown id, an environment of another kind, or an argument that it
            does not take.
    """
    module, _, name = env.rpartition(":")
    if module:
        _import(module)
    if name not in gymnasium.registry:
        raise InvalidArgument(f"no environment {env!r}. {did_you_mean(name, _known(name))}")
    try:
        made: gymnasium.Env[Any, Any] = gymnasium.make(name, disable_env_checker=True, **settings)
    except TypeError as error:
        if "unexpected keyword argument" not in str(error):
            raise
        raise InvalidArgument(f"{env} does not take these settings: {error}.") from error
    if not isinstance(made.unwrapped, SearchEnv):
        made.close()
        raise InvalidArgument(f"{env} is no environment of webenv. {did_you_mean(name, _search_envs())}")
    return made


def training_tasks(env: str, settings: Mapping[str, Any]) -> TaskSet:
    """The tasks of the split ``train`` of an environment, on the same web.

    Args:
        env: its id.
        settings: its keyword arguments, of which the web and the tasks count.

    Raises:
        InvalidArgument: for an environment that has none.
    """
    kept = {name: settings[name] for name in ("web", "tasks") if name in settings}
    made = make_env(env, {**kept, "split": "train"})
    try:
        tasks = made.unwrapped.benchmark.tasks  # type: ignore[attr-defined]
        assert isinstance(tasks, TaskSet)
        return tasks
    finally:
        made.close()


def _import(module: str) -> None:
    """Imports a module that is installed; else the one of that name in the current folder, and no other from there.

    The folder never goes on ``sys.path``: a ``torch.py`` that lies in it would stand in for every import of a package
    that is not installed.
    """
    top = module.partition(".")[0]
    if "" in module.split("."):
        raise InvalidArgument(f"{module!r:.80} names no module; expected as in package.module:Id-v0.")
    try:
        if top not in sys.modules and top.isidentifier() and importlib.util.find_spec(top) is None:
            _load_from_folder(top)
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            if importlib.machinery.PathFinder.find_spec(str(error.name), [os.getcwd()]) is None:
                raise  # it is there, and lacks something itself
            raise InvalidArgument(
                f"module {module!r} imports {error.name!r}, which is not installed; of this folder the module that is "
                "named is found alone: make it a package, or set PYTHONPATH=."
            ) from error
        raise InvalidArgument(
            f"there is no module {module!r} to import; is it in this folder, or installed?"
        ) from error


def _load_from_folder(name: str) -> None:
    """Loads the module or package of a name in the current folder, where there is one, as an import would."""
    spec = importlib.machinery.PathFinder.find_spec(name, [os.getcwd()])
    if spec is None or spec.loader is None or spec.origin is None:  # a plain folder is none
        return
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise


def _known(name: str) -> list[str]:
    """The ids to suggest: all that are not gymnasium's if one is near, and else webenv's own."""
    others = [one for one, spec in gymnasium.registry.items() if not _is_gymnasiums(spec.entry_point)]
    return others if "Did you mean" in did_you_mean(name, others) else _search_envs()


def _is_gymnasiums(entry: object) -> bool:
    return str(entry if isinstance(entry, str) else getattr(entry, "__module__", "")).startswith("gymnasium.")


def _search_envs() -> list[str]:
    """webenv's own ids, and those registered with its classes."""
    own = [name for name, spec in gymnasium.registry.items() if _makes_search_env(spec.entry_point)]
    return list(dict.fromkeys((*IDS, *REGISTERED, *own)))


def _makes_search_env(entry: object) -> bool:
    return isinstance(entry, type) and issubclass(entry, SearchEnv)


def read_arguments(
    named: Mapping[str, object], *, budget: str | None = None, others: Sequence[str] = ()
) -> dict[str, Any]:
    """An environment's keyword arguments, from options.

    Args:
        named: arguments that have an option of their own; what is ``None`` or empty is left out,
            and a list of one is given as its one item.
        budget: as :func:`read_budget` reads it.
        others: texts ``name=value``, as :func:`read_setting` reads them.

    Raises:
        InvalidArgument: for a text that cannot be read, or an argument that is given twice.
    """
    settings: dict[str, Any] = {}
    for name, value in named.items():
        if isinstance(value, list | tuple):
            value = value[0] if len(value) == 1 else list(value) or None
        if value is not None:
            settings[name] = value
    if budget is not None:
        settings["budget"] = read_budget(budget)
    for text in others:
        name, value = read_setting(text)
        if name in settings:
            raise InvalidArgument(f"--set {text!r}: {name} is given twice; give it once.")
        settings[name] = value
    return settings


def read_budget(text: str) -> dict[str, int | float | None]:
    """Limits of an episode, from text; which limits there are, the environment checks.

    >>> read_budget("searches=5,visits=5")
    {'searches': 5, 'visits': 5}

    Raises:
        InvalidArgument: if it is not of that form.
    """
    limits: dict[str, int | float | None] = {}
    for name, value, part in split_settings(text, f"--budget {text!r}") or [Setting("", "", text)]:
        if not name or "=" not in part:
            raise InvalidArgument(f"--budget {text!r}: {part!r} is no limit; expected as in searches=5,visits=5.")
        try:
            limits[name] = int(value) if _NUMBER.fullmatch(value) else float(value)
        except ValueError as error:
            raise InvalidArgument(f"--budget {text!r}: {name} is {value!r}; expected a number.") from error
    return limits


def read_setting(text: str) -> tuple[str, Any]:
    """A keyword argument, from ``name=value``: the value is JSON, or a plain text.

    >>> read_setting('reward={"answer": 1, "cost": 0.1}')
    ('reward', {'answer': 1, 'cost': 0.1})
    >>> read_setting("split=train")
    ('split', 'train')

    Raises:
        InvalidArgument: if it is not of that form.
    """
    name, equals, value = (piece.strip() for piece in text.partition("="))
    if not equals or not name.isidentifier():
        raise InvalidArgument(f"--set {text!r}: expected name=value, where the value is JSON or a plain text.")
    try:
        return name, json.loads(value)
    except ValueError as error:
        meant = _NOT_JSON.get(value.lower())
        if meant:
            raise InvalidArgument(f"--set {text!r}: in JSON that is {name}={meant}.") from error
        if not _WORD.fullmatch(value):
            raise InvalidArgument(f"--set {text!r}: the value is neither JSON nor a plain text ({error}).") from error
        return name, value


ENTRIES = ("searches", "visits", "asks", "turns")
"""The entries of a budget that can be swept."""


class Sweep(NamedTuple):
    """An entry of the budget, and the values that it takes, as they were given."""

    entry: str
    values: tuple[int, ...]


class PlannedRun(NamedTuple):
    """A run that is to be played.

    Attributes:
        value: what the entry that is swept takes; ``None`` where nothing is swept.
        settings: the environment's keyword arguments.
        folder: where it is kept.
    """

    value: int | None
    settings: Mapping[str, Any]
    folder: Path


class PlayedRun(NamedTuple):
    """What came of a run.

    Attributes:
        value: as in :class:`PlannedRun`.
        summary: its summary.
    """

    value: int | None
    summary: Summary


def read_sweep(text: str) -> Sweep:
    """A sweep, from text.

    >>> read_sweep("searches=1,3,5,7")
    Sweep(entry='searches', values=(1, 3, 5, 7))

    Raises:
        InvalidArgument: if it is not of that form.
    """
    entry, equals, values = (part.strip() for part in text.partition("="))
    if not equals:
        raise InvalidArgument(
            f"--sweep {text!r}: expected an entry of the budget and its values, as in searches=1,3,5,7."
        )
    if entry not in ENTRIES:
        raise InvalidArgument(f"--sweep {text!r}: {did_you_mean(entry, ENTRIES)}")
    numbers: list[int] = []
    least = int(entry == "turns")
    for part in values.split(","):
        if not re.fullmatch("[0-9]{1,9}", part.strip()) or int(part) < least:
            raise InvalidArgument(
                f"--sweep {text!r}: {part.strip()!r}; expected whole numbers from {least}, as in searches=1,3,5,7."
            )
        numbers.append(int(part))
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"--sweep {text!r}: {twice} is given twice; give each value once.")
    return Sweep(entry, tuple(numbers))


def plan_runs(sweep: Sweep | None, settings: Mapping[str, Any], top: Path) -> list[PlannedRun]:
    """The runs of a sweep, one for each value; a single one where nothing is swept.

    Args:
        sweep: what is swept.
        settings: the environment's keyword arguments; its other limits stay.
        top: where it is kept, each value in a folder of its own, as ``searches-3``.

    Raises:
        InvalidArgument: if the settings give the entry already.
    """
    if sweep is None:
        return [PlannedRun(None, settings, top)]
    budget = settings.get("budget") or {}
    if not isinstance(budget, Mapping) or sweep.entry in budget:
        raise InvalidArgument(f"--sweep {sweep.entry}: the budget gives {sweep.entry} already; give it once.")
    return [
        PlannedRun(value, {**settings, "budget": {**budget, sweep.entry: value}}, top / f"{sweep.entry}-{value}")
        for value in sweep.values
    ]
