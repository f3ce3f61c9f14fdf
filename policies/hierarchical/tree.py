"""The tree of an episode: which layer was asked what, by whom, what it said, and what that took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

_SHOWN = 300  # characters of what was asked and said


class Node(NamedTuple):
    """One call of a layer.

    Attributes:
        id: its place, as ``2.1.1b.3``: step, manager, round and batch, worker.
        layer: ``host``, ``manager``, ``worker``, or ``agent`` where there is one layer alone.
        asked: what it was asked.
        said: what it said.
        prompt_tokens: tokens of its context.
        completion_tokens: tokens that it wrote.
        seconds: how long it took, without the queue of the endpoint.
        failed: why it brought nothing; empty as a rule.
    """

    id: str
    layer: str
    asked: str
    said: str
    prompt_tokens: int
    completion_tokens: int
    seconds: float = 0.0
    failed: str = ""

    def shortened(self) -> Node:
        """The node as it is kept."""
        return self._replace(asked=self.asked[:_SHOWN], said=self.said[:_SHOWN], failed=self.failed[:_SHOWN])


def nodes_of(memory: str) -> tuple[Node, ...]:
    """The nodes that a turn added, from its memory; none where another policy kept it.

    >>> nodes_of('{"nodes": [["1", "host", "q", "a", 5, 2, 0.5, ""]]}')[0].layer, nodes_of("a plan")
    ('host', ())
    """
    try:
        data: Any = json.loads(memory or "{}")
        kept = data["nodes"] if isinstance(data, Mapping) and isinstance(data.get("nodes"), list) else []
        return tuple(node for one in kept if (node := Node(*one)) and _sound(node))
    except (ValueError, TypeError, RecursionError):
        return ()


def statements_of(memory: str) -> tuple[tuple[str, str, str], ...]:
    """What pages stated to a turn, from its memory: entity, column and value; nothing where another policy kept it.

    >>> statements_of('{"statements": [["Hay Mill", "Owner", "Ann Lee", "u", "", ""]]}'), statements_of("a plan")
    ((('Hay Mill', 'Owner', 'Ann Lee'),), ())
    """
    try:
        data: Any = json.loads(memory or "{}")
        kept = data.get("statements", ()) if isinstance(data, Mapping) else ()
        return tuple((str(one[0]), str(one[1]), str(one[2])) for one in kept)
    except (ValueError, TypeError, LookupError, RecursionError):
        return ()


def _sound(node: Node) -> bool:
    texts, numbers = (*node[:4], node.failed), node[4:7]
    return all(isinstance(one, str) for one in texts) and all(type(one) in (int, float) for one in numbers)


class LayerUse(NamedTuple):
    """What a layer took: calls, tokens, the longest context of one call."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    longest: int


def use_by_layer(nodes: Iterable[Node]) -> dict[str, LayerUse]:
    """What each layer took, host first."""
    found: dict[str, LayerUse] = {}
    for node in sorted(nodes, key=lambda one: ("host", "agent", "manager", "worker").index(one.layer)):
        calls, read, wrote, longest = found.get(node.layer, LayerUse(0, 0, 0, 0))
        found[node.layer] = LayerUse(
            calls + 1, read + node.prompt_tokens, wrote + node.completion_tokens, max(longest, node.prompt_tokens)
        )
    return found
