"""Answers that were made elsewhere: by people, by another harness, by a system that only shows its answers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from webenv.actions import answer
from webenv.errors import DataError
from webenv.policy import Decision, History
from webenv.runtime.files import MOST_VALUES, count_values, read_text
from webenv.task import TaskSet
from webenv.web import Failure

REPORTED = ("searches", "visits", "seconds", "cost")
"""What a system may tell of an answer beside it: searches and pages visited, seconds, US dollars."""

_WHOLE = ("searches", "visits")
_MOST = {"searches": 2**31 - 1, "visits": 2**31 - 1, "seconds": 1e12, "cost": 1e12}  # records hold no more


class GivenAnswer(NamedTuple):
    """One answer: its texts (none: the system gave no answer), and what was reported of it."""

    texts: tuple[str, ...]
    reported: Mapping[str, float]


def read_answers(path: str | Path, tasks: TaskSet) -> dict[str, GivenAnswer]:
    """Answers by task, from a file: one JSON object ``{task: answer}``, or JSON lines with ``task`` and ``answer``.

    An answer is a text, a list of texts (a ranking), or null where there was none. A line may tell ``searches``,
    ``visits``, ``seconds`` and ``cost``.

    Args:
        path: the file.
        tasks: what is answered.

    Raises:
        DataError: for a file that cannot be read, another form, or a task that is unknown or answered twice.
    """
    text = read_text(path, "answers")
    if count_values(text) > MOST_VALUES:
        raise DataError(f"{path} has more than {MOST_VALUES:,} braces, brackets, commas and lines; split it.")
    try:
        whole: Any = json.loads(text, object_pairs_hook=_once)
    except _Twice as error:
        raise DataError(f"{path}: {error.args[0]!r:.80} is there twice in one object; keep one of the two.") from error
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and "task" not in whole:
        lines = [(f"{path}", {"task": task, "answer": given}) for task, given in whole.items()]
    else:
        split = enumerate(text.split("\n"), 1)  # other separators may stand in an answer
        lines = [(f"{path}, line {n}", _line(path, n, line)) for n, line in split if line.strip()]
    known = set(tasks.ids())
    found: dict[str, GivenAnswer] = {}
    for where, record in lines:
        task = record.get("task")
        if isinstance(task, str) and tasks.filtered(task):
            raise DataError(
                f"{where}: task {task!r:.80} is of {tasks.name}, but left out by a filter (difficulty, site, …); "
                "drop the filter, or the line."
            )
        if not isinstance(task, str) or task not in known:
            raise DataError(
                f"{where}: task is {task!r:.80}; expected an id of {tasks.name}, as {next(iter(tasks.ids()))!r}."
            )
        if task in found:
            raise DataError(f"{where}: task {task!r:.80} is answered twice; keep one of the two.")
        if "answer" not in record:
            raise DataError(
                f"{where}: there is no answer, but {', '.join(record):.100}; expected answer, null for none."
            )
        found[task] = GivenAnswer(_texts(record.get("answer"), where), _reported(record, where))
    if not found:
        raise DataError(f"{path} holds no answer; expected JSON lines with task and answer.")
    return found


class _Twice(Exception):
    """A key that an object has twice, of which JSON would keep the last."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Twice(key)
        found[key] = value
    return found


def _line(path: str | Path, number: int, line: str) -> dict[str, Any]:
    try:
        record = json.loads(line, object_pairs_hook=_once)
    except _Twice as error:
        raise DataError(f"{path}, line {number}: {error.args[0]!r:.80} is there twice; keep one of the two.") from error
    except (ValueError, RecursionError) as error:
        raise DataError(
            f"{path}, line {number}: no JSON ({error!s:.80}); expected an object with task and answer."
        ) from error
    if not isinstance(record, dict):
        raise DataError(f"{path}, line {number}: {line!r:.60}; expected an object with task and answer.")
    return record


def _texts(given: object, where: str) -> tuple[str, ...]:
    texts = [] if given is None else [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise DataError(f"{where}: answer is {given!r:.60}; expected a text, a list of texts, or null.")
    return tuple(texts)


def _reported(record: Mapping[str, Any], where: str) -> dict[str, float]:
    found = {}
    for name in REPORTED:
        number = record.get(name)
        if number is None:
            continue
        right = isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= _MOST[name]
        if not right or not math.isfinite(number) or (name in _WHOLE and number != int(number)):
            raise DataError(f"{where}: {name} is {number!r:.40}; expected a number from 0 to {_MOST[name]:.0f}.")
        found[name] = float(number)
    return found


class GivenAnswersPolicy:
    """Gives each task the answer that was made for it, at once.

    Args:
        answers: by task; a task without one is answered with an empty text, which every benchmark takes for none.
        system: what made them, as tables are to call it.
    """

    def __init__(self, answers: Mapping[str, GivenAnswer], system: str) -> None:
        self.answers = answers
        self._system = system

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` is the system's; SHA-256 of its ``answers``, and which numbers it ``reported`` of all of them."""
        plain = {task: [list(given.texts), dict(given.reported)] for task, given in sorted(self.answers.items())}
        told = [name for name in REPORTED if all(name in given.reported for given in self.answers.values())]
        digest = sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
        return {"name": self._system, "version": "1", "answers": digest, "reported": ",".join(told)}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        found = (self.answers.get(history.task_id) for history in histories)
        return [Decision(answer(*(given.texts if given is not None and given.texts else ("",)))) for given in found]
