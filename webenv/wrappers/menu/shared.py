"""SharedMenus: the menus of all slots, shared out among processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from webenv.actions import Action
from webenv.runtime.processes import WorkerDied, WorkerProcess
from webenv.wrappers.menu.course import Course
from webenv.wrappers.menu.menu import Answers, feature_shapes
from webenv.wrappers.menu.size import MenuSize
from webenv.wrappers.menu.slots import Event, Shown, SlotMenus
from webenv.wrappers.menu.wire import Answer, Servant, read_actions, read_masks, read_shown, sent

T = TypeVar("T")


class SharedMenus:
    """The menus of n slots: the first share in this process, each other in one of its own.

    Processes start at once, and end with this one. A process that cannot be started, or is lost, costs
    nothing but time: this one goes on with its menus, from what they were told. Where a call raises or is
    interrupted, all processes end, for their answers might be taken for those of the next call.

    Args:
        size: of each menu.
        answers: what an answer is.
        shares: how many slots each process has, in order; n in all.
    """

    def __init__(self, size: MenuSize, answers: Answers, shares: Sequence[int]) -> None:
        self._parts: list[_Part] = [_Here(SlotMenus(size, answers, shares[0]))]
        self._parts += [_There(size, answers, share) for share in shares[1:]]
        self._slices = [slice(*ends) for ends in pairwise(accumulate(shares, initial=0))]

    def actions(self, numbers: Sequence[int | None]) -> list[Action]:
        """The actions of numbers on the menus, one for each slot; an empty note for ``None``."""
        with self._closed_if_cut_short():
            begun = [part.actions(numbers[one]) for part, one in self._shared()]
            return [action for take in begun for action in take()]

    def tell(self, events: Sequence[Event]) -> Shown:
        """Takes what happened in each slot, and gives what they show then."""
        with self._closed_if_cut_short():
            begun = [part.tell(events[one]) for part, one in self._shared()]
            shown = [take() for take in begun]
        if len(shown) == 1:
            return shown[0]
        counts = [len(one.masks) for one in shown]
        features = {
            name: np.concatenate(
                [one.features[name][:n] for one, n in zip(shown, counts, strict=True)]
                + [one.features[name][n:] for one, n in zip(shown, counts, strict=True)]
            )
            for name in shown[0].features
        }
        return Shown(features, np.concatenate([one.masks for one in shown]))

    def save(self) -> list[dict[str, Any]]:
        """What each menu was told, as JSON-ready data."""
        return [state for part in self._parts for state in part.save()]

    def load(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]:
        """Takes up what :meth:`save` gave; gives what may be done then, bool (n, A)."""
        with self._closed_if_cut_short():
            return np.concatenate([part.load(saved[one]) for part, one in self._shared()])

    def close(self) -> None:
        """Ends the other processes; the menus go on in this one."""
        for part in self._parts:
            part.close()

    @contextmanager
    def _closed_if_cut_short(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _shared(self) -> Iterator[tuple[_Part, slice]]:
        return zip(self._parts, self._slices, strict=True)


class _Part(Protocol):
    """The menus of some slots. Requests are begun, and what is given takes their answers."""

    def actions(self, numbers: Sequence[int | None]) -> Callable[[], list[Action]]: ...

    def tell(self, events: Sequence[Event]) -> Callable[[], Shown]: ...

    def save(self) -> list[dict[str, Any]]: ...

    def load(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]: ...

    def close(self) -> None: ...


class _Here:
    """Menus in this process: answers when they are taken."""

    def __init__(self, menus: SlotMenus) -> None:
        self._menus = menus
        self.save = menus.save

    def actions(self, numbers: Sequence[int | None]) -> Callable[[], list[Action]]:
        return partial(self._menus.actions, numbers)

    def tell(self, events: Sequence[Event]) -> Callable[[], Shown]:
        return partial(self._menus.tell, events)

    def load(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]:
        self._menus.load(saved)
        return self._menus.masks()

    def close(self) -> None:
        pass


class _There:
    """Menus in another process; in this one from when that is lost."""

    def __init__(self, size: MenuSize, answers: Answers, count: int) -> None:
        self._new = partial(SlotMenus, size, answers, count)
        self._shapes = feature_shapes(size)
        self._courses = [Course() for _ in range(count)]
        self._owner = os.getpid()
        self._here: _Here | None = None
        self._partner: WorkerProcess | None = None
        with suppress(WorkerDied):
            self._partner = WorkerProcess(partial(Servant, self._new))

    def actions(self, numbers: Sequence[int | None]) -> Callable[[], list[Action]]:
        return self._ask("actions", numbers, lambda here: here.actions(numbers)(), read_actions)

    def tell(self, events: Sequence[Event]) -> Callable[[], Shown]:
        def read(answer: Answer) -> Shown:
            for course, (turn, first) in zip(self._courses, events, strict=True):
                if first is not None:
                    course.begin(first)
                elif turn is not None:
                    course.add(*turn)
            return read_shown(answer, len(events), self._shapes)

        return self._ask("tell", [sent(event) for event in events], lambda here: here.tell(events)(), read)

    def save(self) -> list[dict[str, Any]]:
        return [course.save() for course in self._courses] if self._here is None else self._here.save()

    def load(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]:
        def read(answer: Answer) -> npt.NDArray[np.bool_]:
            self._courses = [Course.load(state) for state in saved]
            return read_masks(answer, len(saved))

        return self._ask("load", saved, lambda here: here.load(saved), read)()

    def close(self) -> None:
        if self._partner is not None:
            self._partner.stop()
            self._partner = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_partner": None}  # a copy goes on alone

    def _ask(
        self, kind: str, batch: Sequence[Any], here: Callable[[_Here], T], read: Callable[[Answer], T]
    ) -> Callable[[], T]:
        """Sends a request; what is given takes its answer, or answers here where there is none."""
        partner = self._partner if os.getpid() == self._owner else None  # a fork has no part in the pipes
        if partner is not None:
            with suppress(WorkerDied):
                partner.send((kind, batch))

        def take() -> T:
            answer: Answer | None = None
            if partner is not None:
                with suppress(WorkerDied):
                    answer = partner.receive()
            return here(self._come_here()) if answer is None else read(answer)

        return take

    def _come_here(self) -> _Here:
        """The menus in this process, as they were told."""
        if self._here is None:
            self.close()
            menus = self._new()
            menus.load([course.save() for course in self._courses])
            self._here = _Here(menus)
        return self._here
