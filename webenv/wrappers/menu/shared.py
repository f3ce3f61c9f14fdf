"""SharedMenus: the menus of all slots, shared out among processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from webenv.actions import Action, Kind, note
from webenv.observations import ObservationDict
from webenv.runtime.processes import WorkerDied, WorkerProcess
from webenv.wrappers.menu.menu import Answers, Features, Menu, MenuHistory, feature_shapes, plain, write_features
from webenv.wrappers.menu.size import MenuSize


class SlotEvent(NamedTuple):
    """What happened in a slot: a turn; the beginning of an episode; both, where one ended and the next began; nothing.

    Attributes:
        turn: what was done, and what was seen then.
        first: the first observation of the episode that began.
    """

    turn: tuple[Action, ObservationDict] | None = None
    first: ObservationDict | None = None


class VectorObservation(NamedTuple):
    """What n slots show in which e episodes have ended and others begun.

    Attributes:
        features: float32 (n + e, …) by name: of the slots, and below them of the menus that ended.
        masks: bool (n + e, A): likewise what may be done now.
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

    def tell(self, events: Sequence[SlotEvent]) -> VectorObservation:
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
        return VectorObservation(features, np.stack([menu.mask() for menu in menus]))

    def save(self) -> list[dict[str, Any]]:
        return [menu.save() for menu in self._menus]

    def load(self, saved: Sequence[Mapping[str, Any]]) -> None:
        """Takes up what :meth:`save` gave."""
        for menu, state in zip(self._menus, saved, strict=True):
            menu.load(state)

    def load_begun(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]:
        """As :meth:`load`, of episodes that were all begun; gives what may be done then, bool (n, A)."""
        self.load(saved)
        return np.stack([menu.mask() for menu in self._menus])


WireAnswer = list[Sequence[tuple[Any, ...]]]
"""What comes back: tuples of texts, numbers and bytes."""


class MenuServer:
    """The other end: has menus, and answers requests about them.

    Args:
        new: makes the menus.
    """

    def __init__(self, new: Callable[[], SlotMenus]) -> None:
        self._menus = new()

    def __call__(self, kind: str, batch: Sequence[Any]) -> WireAnswer:
        """Answers ``actions`` of numbers, ``tell`` of events as :func:`sent` gives them, or ``load`` of states."""
        if kind == "actions":
            return [[(int(action), texts) for action, texts in self._menus.actions(batch)]]
        if kind == "load":
            return [[(self._menus.load_begun(batch).tobytes(),)]]
        features, masks = self._menus.tell([_received(one) for one in batch])
        return [[(masks.tobytes(),)], [(name, rows.tobytes()) for name, rows in features.items()]]


def read_actions(answer: WireAnswer) -> list[Action]:
    """The actions that were asked for."""
    return [Action(Kind(kind), texts) for kind, texts in answer[0]]


def read_masks(answer: WireAnswer, count: int) -> npt.NDArray[np.bool_]:
    """bool (n, A): the masks of n menus."""
    return np.frombuffer(answer[0][0][0], dtype=np.bool_).reshape(count, -1)


def read_shown(answer: WireAnswer, shapes: Mapping[str, tuple[int, ...]]) -> VectorObservation:
    """What slots show, and menus that ended, with features of given shapes."""
    rows = {name: np.frombuffer(data, dtype=np.float32).reshape(-1, *shapes[name]) for name, data in answer[1]}
    return VectorObservation(rows, read_masks(answer, len(next(iter(rows.values())))))


def sent(event: SlotEvent) -> tuple[Any, ...]:
    """An event as plain data."""
    turn, first = event
    done = None if turn is None else (int(turn[0][0]), tuple(turn[0][1]), plain(turn[1]))
    return done, None if first is None else plain(first)


def _received(data: tuple[Any, ...]) -> SlotEvent:
    done, first = data
    return SlotEvent(None if done is None else (Action(Kind(done[0]), done[1]), done[2]), first)


S = TypeVar("S")
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
        self._parts = [_Share(size, answers, share, apart=place > 0) for place, share in enumerate(shares)]
        self._slices = [slice(*ends) for ends in pairwise(accumulate(shares, initial=0))]

    def actions(self, numbers: Sequence[int | None]) -> list[Action]:
        """The actions of numbers on the menus, one for each slot; an empty note for ``None``."""
        with self._closed_if_cut_short():
            begun = [part.actions(numbers[one]) for part, one in self._shared()]
            return [action for take in begun for action in take()]

    def tell(self, events: Sequence[SlotEvent]) -> VectorObservation:
        """Takes what happened in each slot, and gives what they show then."""
        with self._closed_if_cut_short():
            begun = [part.tell(events[one]) for part, one in self._shared()]
            shown = [take() for take in begun]
        if len(shown) == 1:
            return shown[0]
        counts = [one.stop - one.start for one in self._slices]

        def joined(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
            """All slots, and below them the menus that ended."""
            pairs = list(zip(parts, counts, strict=True))
            return np.concatenate([rows[:n] for rows, n in pairs] + [rows[n:] for rows, n in pairs])

        features = {name: joined([one.features[name] for one in shown]) for name in shown[0].features}
        return VectorObservation(features, joined([one.masks for one in shown]))

    def save(self) -> list[dict[str, Any]]:
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

    def _shared(self) -> Iterator[tuple[_Share, slice]]:
        return zip(self._parts, self._slices, strict=True)


class _Share:
    """The menus of some slots, in this process or ``apart``; in this one from when the other is lost.

    Requests are begun, and what is given takes their answers.
    """

    def __init__(self, size: MenuSize, answers: Answers, count: int, apart: bool) -> None:
        self._new = partial(SlotMenus, size, answers, count)
        self._shapes = feature_shapes(size)
        self._histories = [MenuHistory() for _ in range(count)]
        self._owner = os.getpid()
        self._here = None if apart else self._new()
        self._partner: WorkerProcess | None = None
        if apart:
            with suppress(WorkerDied):
                self._partner = WorkerProcess(partial(MenuServer, self._new))

    def actions(self, numbers: Sequence[int | None]) -> Callable[[], list[Action]]:
        return self._ask("actions", numbers, SlotMenus.actions, read_actions)

    def tell(self, events: Sequence[SlotEvent]) -> Callable[[], VectorObservation]:
        def read(answer: WireAnswer) -> VectorObservation:
            for history, (turn, first) in zip(self._histories, events, strict=True):
                if first is not None:
                    history.begin(first)
                elif turn is not None:
                    history.add(*turn)
            return read_shown(answer, self._shapes)

        return self._ask("tell", events, SlotMenus.tell, read, sent)

    def save(self) -> list[dict[str, Any]]:
        return [history.save() for history in self._histories] if self._here is None else self._here.save()

    def load(self, saved: Sequence[Mapping[str, Any]]) -> npt.NDArray[np.bool_]:
        def read(answer: WireAnswer) -> npt.NDArray[np.bool_]:
            self._histories = [MenuHistory.load(state) for state in saved]
            return read_masks(answer, len(saved))

        return self._ask("load", saved, SlotMenus.load_begun, read)()

    def close(self) -> None:
        if self._partner is not None:
            self._partner.stop()
            self._partner = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"_partner": None}  # a copy goes on alone

    def _ask(
        self,
        kind: str,
        batch: Sequence[S],
        here: Callable[[SlotMenus, Sequence[S]], T],
        read: Callable[[WireAnswer], T],
        encode: Callable[[S], Any] = lambda one: one,
    ) -> Callable[[], T]:
        """Sends a request; what is given takes its answer, or answers here where there is none."""
        partner = self._partner if os.getpid() == self._owner else None  # a fork has no part in the pipes
        if partner is not None:
            with suppress(WorkerDied):
                partner.send((kind, [encode(one) for one in batch]))

        def take() -> T:
            answer: WireAnswer | None = None
            if partner is not None:
                with suppress(WorkerDied):
                    answer = partner.receive()
            return here(self._come_here(), batch) if answer is None else read(answer)

        return take

    def _come_here(self) -> SlotMenus:
        """The menus in this process, as they were told."""
        if self._here is None:
            self.close()
            menus = self._new()
            menus.load([history.save() for history in self._histories])
            self._here = menus
        return self._here
