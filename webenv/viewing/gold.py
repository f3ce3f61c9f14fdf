"""Trail: how near an episode came to the gold pages, turn by turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from typing import NamedTuple

from webenv.rewards.ranking import address
from webenv.task import GoldDict
from webenv.viewing.trajectory import Trajectory

STAGES = ("no gold", "never seen", "seen, not read", "read, not answered", "answered")
"""How far an episode came: its task has no gold page; none came up; one came up and none was read; one was read, and
the answer was found wrong, or was none; one was answered, or the answer was found right."""


class Place(NamedTuple):
    """Where a gold page first came up: the turn, from 0 for the first observation, and its rank, 0 outside results."""

    turn: int
    rank: int


class GoldNames:
    """The gold pages of a task, under every address and content key that its episodes show.

    A key comes with an address, so a copy of a gold page is known as one where any episode of the task was shown
    the gold page itself.

    Args:
        urls: the gold URLs.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self.count = len({address(url) for url in urls})
        self._names: dict[str, str] = {address(url): address(url) for url in urls}
        self._keys: dict[str, str] = {}

    def learn(self, seen: Sequence[tuple[str, str]]) -> None:
        """Takes the keys of gold pages from the pages that an episode was shown."""
        for url, key in seen:
            own = self._names.get(address(url))
            if own is not None and key:
                self._keys.setdefault(key, own)

    def find(self, url: str, keys: Mapping[str, str]) -> str | None:
        """Which gold page a URL leads to, by its name; ``None`` if to none.

        Args:
            url: the URL.
            keys: content keys by address, of the episode.
        """
        place = address(url)
        return self._names.get(place) or self._keys.get(keys.get(place, ""))


class Trail(NamedTuple):
    """How near an episode came.

    Attributes:
        stage: one of :data:`STAGES`.
        total: how many gold pages the task has.
        seen: where each gold page that came up did so first, in the order of turns.
        read: where each gold page that was read was read first, its rank 0.
        urls: numbers of the URLs of gold pages, as far as the episode names them, copies' among them.
        copies: of these, the ones that the task does not name.
        answered: whether a gold page was the answer.
    """

    stage: str
    total: int
    seen: tuple[Place, ...]
    read: tuple[Place, ...]
    urls: tuple[int, ...]
    copies: tuple[int, ...]
    answered: bool


def follow(
    trajectory: Trajectory, texts: Sequence[str], gold: GoldDict, names: GoldNames, value: float | None
) -> Trail:
    """Follows an episode through its turns.

    Args:
        trajectory: the episode.
        texts: the texts of its pool.
        gold: the gold of its task.
        names: its gold pages.
        value: of the verdict.
    """
    keys = {address(url): key for url, key in trajectory.seen if key}
    known: dict[int, str | None] = {}

    def find(url: int) -> str | None:
        if url not in known:
            known[url] = names.find(texts[url], keys)
        return known[url]

    seen: dict[str, Place] = {}
    read: dict[str, Place] = {}
    for number, turn in enumerate(trajectory.turns):
        for rank, result in enumerate(turn.results, start=1):
            page = find(result.url)
            if page is not None:
                seen.setdefault(page, Place(number, rank))
        for shown in turn.read():
            page = find(shown.url)
            if page is not None:
                seen.setdefault(page, Place(number, 0))
                read.setdefault(page, Place(number, 0))
    answered = _answered(trajectory, find)
    stage = _stage(gold, set(seen), set(read), answered, value)
    urls = tuple(url for url, page in known.items() if page is not None)
    named = {address(url) for url in gold["urls"]}
    copies = tuple(url for url in urls if address(texts[url]) not in named)
    return Trail(stage, names.count, tuple(seen.values()), tuple(read.values()), urls, copies, answered)


def _answered(trajectory: Trajectory, find: Callable[[int], str | None]) -> bool:
    last = trajectory.turns[-1]
    return last.kind == "answer" and any(find(text) is not None for text in last.texts)


def _stage(gold: GoldDict, seen: Set[str], read: Set[str], answered: bool, value: float | None) -> str:
    if answered or (value is not None and value >= 1.0):
        return "answered"
    if not gold["urls"]:
        return "no gold"
    if read:
        return "read, not answered"
    return "seen, not read" if seen else "never seen"
