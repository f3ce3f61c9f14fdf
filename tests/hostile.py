"""Actions at random: good ones, bad ones, and what no agent should send."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.webs import PLACES, url_of
from webenv.actions import answer, ask, note, search, visit

WORDS = ("lamp", "mill", "ledger", "comet", "keeper", "oak", "ñandú", "灯台", "😀", "nothing", "site:mills.example")
URLS = (
    *(url_of(place) for place in PLACES),
    "https://mirror.example/lamp",
    "https://nowhere.example/",
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html;base64,PHA+",
    "http://[::1",
    "https://harbour.example/lamp\x00",
    "",
    " ",
    "not a url",
)
SITES = ("harbour.example", "mills.example", "www.stars.example", "nowhere.example", "", "x" * 300)
HUGE = "x" * 1_000_000
TEXTS = (
    "",
    " ",
    "\x00\x01\x7f",
    "\ud800",
    "a\udfffb",
    "\u202eabc",
    "🏳️‍🌈" * 50,
    HUGE,
    "site:",
    "-site:",
    '"',
    '"""',
    "AND OR NOT",
)
GARBAGE: tuple[Any, ...] = (
    None,
    True,
    7,
    1.5,
    float("nan"),
    "search",
    b"search",
    HUGE,
    (),
    [],
    {},
    set(),
    (0,),
    (0, None),
    (0, "lamp"),
    (0, b"lamp"),
    (0, ("lamp", None)),
    (0, (("lamp",),)),
    (0, [["lamp"]]),
    (0, {"lamp": 1}),
    (True, ("lamp",)),
    (5, ("lamp",)),
    (-1, ("lamp",)),
    (10**30, ("lamp",)),
    (np.int64(9), ("lamp",)),
    (np.float32(0), ("lamp",)),
    (0.0, ("lamp",)),
    ("search", ("lamp",)),
    {"kind": 0, "arguments": ["lamp"]},
    np.zeros(3),
    np.array([0, 1]),
    object,
    (0, ("lamp",), "more"),
    ((0, ("lamp",)), (0, ("lamp",))),
    (0, tuple("x" for _ in range(101))),
    (3, ("a", "b")),
    (3, ()),
    (2, ("why",)),
)


def pick(rng: np.random.Generator, choices: tuple[Any, ...]) -> Any:
    return choices[int(rng.integers(len(choices)))]


def good_action(rng: np.random.Generator) -> Any:
    """An action that is well formed, though it may overrun the budget or find nothing."""
    kind = int(rng.integers(10))
    if kind < 3:
        return search(*(" ".join(pick(rng, WORDS) for _ in range(2)) for _ in range(int(rng.integers(1, 4)))))
    if kind < 6:
        return visit(*(pick(rng, URLS[:-3]) for _ in range(int(rng.integers(1, 4)))))
    if kind < 7:
        return ask(pick(rng, WORDS), *(pick(rng, SITES[:4]) for _ in range(int(rng.integers(1, 3)))))
    if kind < 9:
        return note(pick(rng, WORDS))
    return answer(pick(rng, URLS[:-3]))


def any_action(rng: np.random.Generator) -> Any:
    """Good, bad or hostile: whatever an agent might send."""
    draw = int(rng.integers(10))
    if draw < 5:
        return good_action(rng)
    if draw < 7:
        return pick(rng, GARBAGE)
    kind: Any = pick(rng, (0, 1, 2, 3, 4, np.int64(0), np.uint8(1), np.int32(3)))
    texts = [pick(rng, (*TEXTS, *URLS, *WORDS, *SITES)) for _ in range(int(rng.integers(1, 4)))]
    return (kind, texts if rng.integers(2) else tuple(texts))
