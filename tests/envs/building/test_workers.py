from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from webenv.envs.building.stages import finished


def test_all_come() -> None:
    """Every item comes with its result, whatever the order in which batches end."""
    some = [list(range(start, start + 3)) for start in range(0, 30, 3)]
    found = [pair for part in finished(lambda items: [one * one for one in items], some, 4) for pair in part]
    assert sorted(found) == [(n, n * n) for n in range(30)]


def test_what_is_under_way_is_kept() -> None:
    """Where one batch raises, those that others are working on still come, no more are begun, then it is raised."""
    barrier, begun = threading.Barrier(2), []

    def work(items: Sequence[int]) -> list[int]:
        begun.append(items[0])
        barrier.wait(5)
        if items[0] == 0:
            raise ValueError("the first")
        time.sleep(0.2)  # ends after the other has failed
        return [-items[0]]

    came: list[tuple[int, int]] = []

    def take() -> None:
        for part in finished(work, [[0], [1], [2], [3]], 2):
            came.extend(part)

    with pytest.raises(ValueError, match="the first"):
        take()
    assert came == [(1, -1)]
    assert sorted(begun) == [0, 1]


def test_nothing_to_do() -> None:
    """No batches, no threads."""
    assert list(finished(lambda items: items, [], 8)) == []
