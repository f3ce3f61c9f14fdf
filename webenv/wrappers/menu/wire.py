"""The wire between menus in two processes: what is asked, what is answered, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from webenv.actions import Action, Kind
from webenv.wrappers.menu.course import plain
from webenv.wrappers.menu.slots import Event, Shown, SlotMenus

Answer = list[Sequence[tuple[Any, ...]]]
"""What comes back: tuples of texts, numbers and bytes."""


class Servant:
    """The other end: has menus, and answers requests about them.

    Args:
        new: makes the menus.
    """

    def __init__(self, new: Callable[[], SlotMenus]) -> None:
        self._menus = new()

    def __call__(self, kind: str, batch: Sequence[Any]) -> Answer:
        """Answers ``actions`` of numbers, ``tell`` of events as :func:`sent` gives them, or ``load`` of states."""
        if kind == "actions":
            return [[(int(action), texts) for action, texts in self._menus.actions(batch)]]
        if kind == "load":
            self._menus.load(batch)
            return [[(self._menus.masks().tobytes(),)]]
        features, masks = self._menus.tell([_received(one) for one in batch])
        return [[(masks.tobytes(),)], [(name, rows.tobytes()) for name, rows in features.items()]]


def read_actions(answer: Answer) -> list[Action]:
    """The actions that were asked for."""
    return [Action(Kind(kind), texts) for kind, texts in answer[0]]


def read_masks(answer: Answer, count: int) -> npt.NDArray[np.bool_]:
    """bool (n, A): the masks of n slots."""
    return np.frombuffer(answer[0][0][0], dtype=np.bool_).reshape(count, -1)


def read_shown(answer: Answer, count: int, shapes: Mapping[str, tuple[int, ...]]) -> Shown:
    """What n slots show, with features of given shapes."""
    rows = {name: np.frombuffer(data, dtype=np.float32).reshape(-1, *shapes[name]) for name, data in answer[1]}
    return Shown(rows, read_masks(answer, count))


def sent(event: Event) -> tuple[Any, ...]:
    """An event as plain data."""
    turn, first = event
    done = None if turn is None else (int(turn[0][0]), tuple(turn[0][1]), plain(turn[1]))
    return done, None if first is None else plain(first)


def _received(data: tuple[Any, ...]) -> Event:
    done, first = data
    return Event(None if done is None else (Action(Kind(done[0]), done[1]), done[2]), first)
