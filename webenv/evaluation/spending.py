"""Spending: what the models of a run or a build used, over all the times that it was taken up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from webenv.errors import DataError, RunError
from webenv.models import CostTracker, Usage


@contextmanager
def kept_usage(
    earlier: Mapping[str, Usage], costs: CostTracker | None, keep: Callable[[Mapping[str, Usage]], None]
) -> Iterator[dict[str, Usage]]:
    """While the block runs, what each model has used is kept, earlier parts of the run included.

    It is kept about once a second in which replies come, and at the end, whatever ends the block: a
    process that is killed loses a second of it. Attempts that were in flight then count as of unknown cost.

    Args:
        earlier: what the run used before it was taken up; it counts towards the limit.
        costs: what the run's models are counted by.
        keep: writes it, model by model; never called by two threads at a time.

    Yields:
        What is kept; complete when the block has ended.

    Raises:
        RunError: if it cannot be written.
    """
    used = dict(earlier)
    if costs is None:
        yield used
        return
    costs.carry(earlier)
    began = costs.usage
    lock = threading.Lock()

    def write() -> None:
        with lock:
            now = {name: one.since(began.get(name, Usage())) for name, one in costs.usage.items()}
            fresh = {name: one for name, one in now.items() if one.requests}
            if fresh:
                used.update(sum_usage([earlier, fresh]))
                keep(used)

    with costs.reporting(write):
        try:
            yield used
        finally:
            write()


def read_usage(given: object, where: str = "run.json") -> dict[str, Usage]:
    """What a file says of each model's usage.

    Args:
        given: the part of it that says so.
        where: what messages call the file.

    Raises:
        RunError: if it says something else.
    """
    try:
        if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
            raise DataError(f"usage is {given!r:.60}")
        return {name: Usage.of(one) for name, one in given.items()}
    except DataError as error:
        raise RunError(f"{where} is damaged: {error}") from error


def sum_usage(parts: Sequence[Mapping[str, Usage]]) -> dict[str, Usage]:
    """Usage of several runs together, models in the order of the alphabet."""
    names = sorted({name for part in parts for name in part})
    return {name: sum((part[name] for part in parts if name in part), Usage()) for name in names}
