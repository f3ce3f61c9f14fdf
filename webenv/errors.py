"""Every exception that webenv raises on purpose.

::

    WebenvError
    ├── InvalidArgument (ValueError)    a value given to webenv is not one that it takes
    │   ├── UnknownTask                 no task of that id
    │   └── UnsupportedRenderMode       (also TypeError) nothing is drawn in that mode
    ├── MissingExtra (ImportError)      an optional package is not installed
    ├── ResetNeeded                     step before reset, or after the end (also gymnasium's ResetNeeded)
    ├── DataError                       a file given to webenv cannot be used
    │   ├── TaskFileError               a file of tasks
    │   ├── CassetteMiss                a request whose answer is not recorded
    │   └── CorpusError                 a corpus folder, or what one is to be built from
    │       ├── CorpusNotFound          there is no corpus there
    │       └── CorpusDamaged           a file of it is missing or not what was written
    ├── ServiceError                    something that answers for us did not
    │   ├── WebError                    the web could not be asked
    │   ├── ModelError                  a chat model could not be asked
    │   └── JudgeError                  a judge came to no verdict
    ├── CostLimitReached                no more may be spent on models; ends a run, scores nothing
    ├── SnapshotError                   a state cannot be saved, or not restored here
    └── RunError                        a run folder cannot be written or resumed

A message says what came, what was expected, and what to do next, in one line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from difflib import get_close_matches

import gymnasium


class WebenvError(Exception):
    """The base of every exception that webenv raises on purpose."""


class InvalidArgument(WebenvError, ValueError):
    """A value given to webenv is not one that it takes."""


class UnknownTask(InvalidArgument):
    """A task set holds no task of the id that was asked for."""


class UnsupportedRenderMode(InvalidArgument, TypeError):
    """An environment draws nothing in the mode that was asked for.

    Also a TypeError: stable-baselines3's ``make_vec_env`` asks for ``"rgb_array"`` and, on that error alone, makes the
    environment without.
    """


class MissingExtra(WebenvError, ImportError):
    """An optional package is needed and not installed.

    Args:
        package: the package that could not be imported.
        extra: the extra of webenv that installs it.
        purpose: what it was needed for, as the end of "… needs".
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed: pip install '.[{extra}]'")


class ResetNeeded(WebenvError, gymnasium.error.ResetNeeded):
    """``step`` was called where no episode is running."""


class DataError(WebenvError):
    """A file given to webenv cannot be used."""


class TaskFileError(DataError):
    """A file of tasks cannot be read, or a record in it is malformed."""


class CassetteMiss(DataError):
    """A cassette that is replayed holds no answer to a request: the replay ends, no episode takes it for a failure."""


class CorpusError(DataError):
    """A corpus cannot be built, opened or read."""


class CorpusNotFound(CorpusError):
    """There is no corpus at the given folder."""


class CorpusDamaged(CorpusError):
    """A file of a corpus is missing, or is not what was written."""


class ServiceError(WebenvError):
    """Something outside that answers for an episode did not answer."""


class WebError(ServiceError):
    """The web could not be asked; raised by a ``Web``, it truncates the episodes that asked."""


class ModelError(ServiceError):
    """A chat model could not be asked, or its settings are wrong."""


class JudgeError(ServiceError):
    """A judge came to no verdict; raised by a ``Judge``, it leaves the episodes unscored."""


class CostLimitReached(WebenvError):
    """A limit on what models may cost is reached: nothing more is sent, and no episode takes it for a failure."""


class SnapshotError(WebenvError):
    """A state cannot be saved as JSON, or does not belong to the environment it is restored to."""


class RunError(WebenvError):
    """The folder of an evaluation run cannot be written or resumed."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Ends an error message about an unknown name: the nearest known ones, or all of them.

    >>> did_you_mean("esay", ["easy", "medium", "hard"])
    "Did you mean 'easy'?"
    >>> did_you_mean("x", ["easy", "medium"])
    'Expected one of: easy, medium.'
    """
    choices = sorted(known)
    near = get_close_matches(name, choices, n=1, cutoff=0.6)
    if near:
        return f"Did you mean '{near[0]}'?"
    shown = ", ".join(choices[:12]) + (f", … ({len(choices)} in all)" if len(choices) > 12 else "")
    return f"Expected one of: {shown}."


def check_whole(told: str, value: object, least: int = 1, most: int | None = None, *, missing: bool = False) -> None:
    """Refuses what is no whole number of a range; ``told`` says whose value it is.

    Args:
        missing: whether ``None`` is taken too.

    Raises:
        InvalidArgument: if it is none.

    >>> check_whole("Rules results", 0)
    Traceback (most recent call last):
    webenv.errors.InvalidArgument: Rules results=0: expected a whole number from 1.
    """
    if value is None and missing:
        return
    if isinstance(value, bool) or not isinstance(value, int) or value < least or (most is not None and value > most):
        upto = "" if most is None else f" to {most}"
        raise InvalidArgument(f"{told}={value!r:.80}: expected a whole number from {least}{upto}.")


def check_number(
    told: str, value: object, least: float, most: float = math.inf, *, over: bool = False, missing: bool = False
) -> None:
    """Refuses what is no finite number of a range; ``told`` says whose value it is.

    Args:
        over: whether it is to be above ``least``.
        missing: whether ``None`` is taken too.

    Raises:
        InvalidArgument: if it is none.
    """
    if value is None and missing:
        return
    good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not good or not least <= value <= most or (over and value == least):  # type: ignore[operator]
        finite, upto = ("finite ", "") if math.isinf(most) else ("", f" to {most:g}")
        side = "over" if over else "from"
        raise InvalidArgument(
            f"{told}={value!r:.80}: expected a {finite}number {side} {least:g}{upto}{', or None' if missing else ''}."
        )
