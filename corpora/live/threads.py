"""Threads for work that may never end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def in_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
    """Works in a thread of its own, which keeps neither other work nor the end of the process waiting.

    The future cannot be cancelled: it is done when the thread is.

    Raises:
        RuntimeError: if there are no threads to be had.
    """
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            future.set_result(work(*arguments, **named))
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, name="webenv-live-work", daemon=True).start()
    return future
