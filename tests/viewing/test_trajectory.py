"""Texts by number."""

from __future__ import annotations

from webenv.viewing.trajectory import TextPool


def test_a_text_is_held_once() -> None:
    """A text that comes again gets its number again, and stands in one block alone."""
    pool = TextPool()
    assert [pool.add(text) for text in ("a", "b", "a", "")] == [0, 1, 0, 2]
    assert pool.blocks() == [["a", "b", ""]]


def test_blocks() -> None:
    """A block that holds 200,000 characters is closed; numbers lead to the blocks that hold their texts."""
    pool = TextPool()
    for letter in "abcdef":
        pool.add(letter * 100_000)
    assert pool.starts == [0, 2, 4]
    assert [len(block) for block in pool.blocks()] == [2, 2, 2]
    assert pool.blocks_of([5, 0, 1]) == [0, 2]


def test_without_texts() -> None:
    """An empty pool has one empty block."""
    assert TextPool().blocks() == [[]]
