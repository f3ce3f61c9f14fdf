"""SlotMenus: the menus of some slots of a vector environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.actions import Action, note
from webenv.observations import ObservationDict
from webenv.wrappers.menu.menu import Answers, Features, Menu, feature_shapes, write_features
from webenv.wrappers.menu.size import MenuSize


class Event(NamedTuple):
    """What happened in a slot: a turn; the beginning of an episode; both, where one ended and the next began; nothing.

    Attributes:
        turn: what was done, and what was seen then.
        first: the first observation of the episode that began.
    """

    turn: tuple[Action, ObservationDict] | None = None
    first: ObservationDict | None = None


class Shown(NamedTuple):
    """What n slots show in which e episodes have ended and others begun.

    Attributes:
        features: float32 (n + e, …) by name: of the slots, and below them of the menus that ended.
        masks: bool (n, A): what may be done now.
    """

    features: Features
    masks: npt.NDArray[np.bool_]


class SlotMenus:
    """The menus of n slots.

    Args:
        size: of each.
        answers: what an answer is.
        count: n.
    """

    def __init__(self, size: MenuSize, answers: Answers, count: int) -> None:
        self._menus = [Menu(size, answers) for _ in range(count)]

    def actions(self, numbers: Sequence[int | None]) -> list[Action]:
        """The actions of numbers, one for each slot; an empty note for ``None``."""
        pairs = zip(self._menus, numbers, strict=True)
        return [note("") if number is None else menu.action(number) for menu, number in pairs]

    def tell(self, events: Sequence[Event]) -> Shown:
        """Takes what happened in each slot, and gives what they show then."""
        ended: list[Menu] = []
        for slot, (turn, first) in enumerate(events):
            menu = self._menus[slot]
            if turn is not None:
                menu.update(*turn)
                if first is not None:
                    ended.append(menu)
                    menu = self._menus[slot] = Menu(menu.size, menu.answers)
            if first is not None:
                menu.begin(first)
        menus = [*self._menus, *ended]
        shapes = feature_shapes(menus[0].size)
        features = {name: np.empty((len(menus), *shape), dtype=np.float32) for name, shape in shapes.items()}
        write_features(menus, features)
        return Shown(features, self.masks())

    def save(self) -> list[dict[str, Any]]:
        """What each menu was told, as JSON-ready data."""
        return [menu.save() for menu in self._menus]

    def load(self, saved: Sequence[Mapping[str, Any]]) -> None:
        """Takes up what :meth:`save` gave."""
        for menu, state in zip(self._menus, saved, strict=True):
            menu.load(state)

    def masks(self) -> npt.NDArray[np.bool_]:
        """bool (n, A): what may be done now."""
        return np.stack([menu.mask() for menu in self._menus])
