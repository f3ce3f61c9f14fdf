"""Actions: the makers, and reading whatever an agent sent."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from webenv.actions import Action, Kind, answer, ask, note, read_action, search, visit
from webenv.errors import InvalidArgument
from webenv.spaces import action_space


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (search("a", "b"), (0, ("a", "b"))),
        (visit("https://a.example/"), (1, ("https://a.example/",))),
        (ask("why", "a.example", "b.example"), (2, ("why", "a.example", "b.example"))),
        (answer("yes"), (3, ("yes",))),
        (note("plan"), (4, ("plan",))),
    ],
)
def test_makers(action: Action, expected: tuple[int, tuple[str, ...]]) -> None:
    """A maker gives a plain tuple of kind and texts, which is a member of the action space."""
    assert action == expected
    assert action_space().contains(action)


def test_makers_take_texts_alone() -> None:
    """A list in place of texts is refused, with the right way to write it."""
    with pytest.raises(InvalidArgument, match=r"search\(\) takes texts, got list: .*search\('a', 'b'\)\."):
        search(["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "raw",
    [
        (0, ("a",)),
        [0, ["a"]],
        (Kind.SEARCH, ["a"]),
        (np.int64(0), ("a",)),
        (np.uint8(0), ("a",)),
        json.loads(json.dumps(search("a"))),
        (0, (np.str_("a"),)),
    ],
)
def test_read_action(raw: object) -> None:
    """Tuples, lists, NumPy numbers, members of Kind and JSON are read as the same action."""
    read = read_action(raw)
    assert read == Action(Kind.SEARCH, ("a",))
    assert isinstance(read, Action)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "search",
        b"search",
        7,
        math.nan,
        (),
        (0,),
        (0, ("a",), 1),
        (5, ("a",)),
        (-1, ("a",)),
        (True, ("a",)),
        (0.0, ("a",)),
        ("0", ("a",)),
        (np.float64(0), ("a",)),
        (np.array(0), ("a",)),
        (None, ("a",)),
        (0, "a"),
        (0, None),
        (0, {"a"}),
        (0, (b"a",)),
        (0, ("a", None)),
        (0, (("a",),)),
        {"kind": 0, "arguments": ["a"]},
        {0: "a", 1: "b"},
        np.array([0, 1]),
        10**400,
        (10**400, ("a",)),
    ],
)
def test_what_is_no_action(raw: Any) -> None:
    """Everything else is no action; reading it does not raise."""
    assert read_action(raw) is None
