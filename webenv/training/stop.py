"""Stop: Ctrl-C, and the signal that ends a job, taken between two updates."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self


class Stop:
    """While it is entered, the first SIGINT or SIGTERM asks to stop, and the second interrupts as always.

    An update that is broken off leaves a learner that must not be saved; so whoever trains looks
    at :attr:`asked` between two. In another thread than the main one nothing is changed.

    Args:
        told: takes a line for whoever runs the training.

    Attributes:
        asked: whether it was asked to stop.
    """

    def __init__(self, told: Callable[[str], None]) -> None:
        self.asked = False
        self._told = told
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._told("stopping after this update; once more to stop at once, with what was saved before.")
