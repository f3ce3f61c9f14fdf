"""What an agent can do in one turn: search, visit, ask, answer, note.

An :class:`Action` is a plain tuple ``(kind, arguments)`` and a member of the
environments' action space. The makers below are the pleasant way to write one::

    search("a query", "another query")      visit("https://…", …)
    ask("a question", "site.example", …)    answer("the answer")    note("my plan")
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from webenv.errors import InvalidArgument


class Kind(IntEnum):
    """The kinds of action, in the order of the action space."""

    SEARCH = 0
    VISIT = 1
    ASK = 2
    ANSWER = 3
    NOTE = 4


class Action(NamedTuple):
    """One action: a kind and its text arguments.

    Attributes:
        kind: one of :class:`Kind`.
        arguments: SEARCH: one or more queries. VISIT: one or more URLs. ASK: a question, then
            one or more sites. ANSWER: the answer (one text; several where a benchmark ranks).
            NOTE: texts that the agent writes to itself.
    """

    kind: int
    arguments: tuple[str, ...]


def search(*queries: str) -> Action:
    """Searches the web, once for each query; each is charged one search.

    ``site:host``, ``-site:host`` and ``"quoted phrases"`` work as on any search engine.
    """
    return _make(Kind.SEARCH, queries)


def visit(*urls: str) -> Action:
    """Fetches pages; each URL is charged one visit."""
    return _make(Kind.VISIT, urls)


def ask(question: str, *sites: str) -> Action:
    """Asks the content agents of sites a question; each site is charged one ask."""
    return _make(Kind.ASK, (question, *sites))


def answer(*texts: str) -> Action:
    """Ends the episode with an answer."""
    return _make(Kind.ANSWER, texts)


def note(*texts: str) -> Action:
    """Writes to oneself: a plan, a draft, a summary. Costs a turn and touches nothing."""
    return _make(Kind.NOTE, texts)


def _make(kind: Kind, arguments: tuple[str, ...]) -> Action:
    for argument in arguments:
        if not isinstance(argument, str):
            raise InvalidArgument(
                f"{kind.name.lower()}() takes texts, got {type(argument).__name__}: {argument!r:.80}. "
                "Several are given one by one, as in search('a', 'b')."
            )
    return Action(kind, arguments)


def read_action(raw: object) -> Action | None:
    """Reads whatever an agent sent as an action; ``None`` where it is none.

    Takes tuples and lists, NumPy integers and members of :class:`Kind` (what
    ``action_space.sample()``, JSON and the makers give).
    """
    if not isinstance(raw, _SEQUENCES) or len(raw) != 2:
        return None
    kind, arguments = raw
    if isinstance(kind, bool) or not isinstance(kind, _NUMBERS) or not 0 <= kind < len(_KINDS):
        return None
    if not isinstance(arguments, _SEQUENCES):
        return None
    for text in arguments:
        if not isinstance(text, str):
            return None
    return Action(_KINDS[int(kind)], tuple(map(str.__str__, arguments)))  # plain texts, whatever their subclass


_KINDS, _SEQUENCES, _NUMBERS = tuple(Kind), (tuple, list), (int, np.integer)
