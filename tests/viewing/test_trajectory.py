"""Texts by number."""

from __future__ import annotations

import json
from dataclasses import replace

from tests.viewing.episodes import episode, turn
from webenv.viewing.trajectory import TextPool, Trajectory


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


def test_the_calls_of_layers_are_a_part_of_their_turn() -> None:
    """What a hierarchical policy kept of its layers stands in the turn's data; other memories are left aside."""
    node = ["1", "host", "step 1", "collect", 50, 9, 1.5, ""]
    record = episode(replace(turn("search", "mill"), memory=json.dumps({"nodes": [node]})), turn("answer", "x"))
    pool = TextPool()
    trajectory = Trajectory.of(record, pool)
    [call] = trajectory.turns[1].calls
    texts = [text for block in pool.blocks() for text in block]
    assert (call.place, call.layer, texts[call.asked], texts[call.said]) == ("1", "host", "step 1", "collect")
    assert (call.prompt_tokens, call.completion_tokens, call.seconds) == (50, 9, 1.5)
    assert "calls" not in trajectory.turns[2].to_data()
