"""What was used of late stays, within so many bytes."""

from __future__ import annotations

from webenv.corpora.recent import Recent


def test_those_used_longest_ago_go() -> None:
    """A value that was looked at stays before one that was not."""
    recent: Recent[str, int] = Recent(10)
    for name, size in (("a", 4), ("b", 4)):
        recent.put(name, 1, size)
    assert recent.get("a") == 1
    recent.put("c", 3, 4)
    assert [recent.get(name) for name in "abc"] == [1, None, 3]


def test_what_is_put_again_takes_its_new_size() -> None:
    """Room that a value gives back is used by others."""
    recent: Recent[str, int] = Recent(10)
    recent.put("a", 1, 9)
    recent.put("a", 2, 2)
    recent.put("b", 3, 8)
    assert [recent.get(name) for name in "ab"] == [2, 3]
    recent.put("c", 4, 11)
    assert [recent.get(name) for name in "abc"] == [2, 3, None]


def test_nobody_waits_for_another() -> None:
    """While another thread is at it, which a fork may have lost, nothing is found or kept; clearing makes it anew."""
    recent: Recent[str, int] = Recent(10)
    recent.put("a", 1, 4)
    recent._kept.lock.acquire()
    recent.put("b", 2, 4)
    assert recent.get("a") is None
    recent.clear()
    recent.put("b", 2, 4)
    assert [recent.get(name) for name in "ab"] == [None, 2]
