"""A recorded episode as the page holds it: turns whose texts stand once in a pool."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from webenv.observations import Trace
from webenv.policies.hierarchical.tree import nodes_of
from webenv.rollout.record import PlayedTurn, Record

_BLOCK = 200_000  # characters of a block, about: what a browser unpacks at a time


class TextPool:
    """Texts by number, in the order of their first use, in blocks that can be read one by one.

    What belongs together is mostly first used together, so that few blocks hold the texts of one episode.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._starts: list[int] = [0]
        self._size = 0

    def __len__(self) -> int:
        return len(self._numbers)

    def add(self, text: str) -> int:
        """The number of a text, from 0; a new one's is the next."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = len(self._numbers)
            if self._size >= _BLOCK:
                self._starts.append(number)
                self._size = 0
            self._size += len(text)
        return number

    @property
    def starts(self) -> list[int]:
        """The number of each block's first text."""
        return list(self._starts)

    def blocks(self) -> list[list[str]]:
        """The texts, block by block."""
        texts = list(self._numbers)
        ends = [*self._starts[1:], len(texts)]
        return [texts[start:end] for start, end in zip(self._starts, ends, strict=True)]

    def blocks_of(self, numbers: Iterable[int]) -> list[int]:
        """The numbers of the blocks that hold these texts, in order."""
        return sorted({bisect_right(self._starts, number) - 1 for number in numbers})


class ShownResult(NamedTuple):
    """A search hit: numbers of its texts."""

    title: int
    url: int
    snippet: int


class ShownPage(NamedTuple):
    """A page that was read, or a document of a reply: numbers of its texts."""

    title: int
    url: int
    text: int


class ShownTraceTurn(NamedTuple):
    """One turn of a content agent: its kind, and numbers of its texts; ``results`` are titles and URLs."""

    kind: str
    texts: tuple[int, ...]
    thought: int
    notice: int
    results: tuple[tuple[int, int], ...]


class ShownTrace(NamedTuple):
    """How a content agent came to its reply: what it was, how it ended, its counts, and its turns."""

    policy: int
    ending: int
    requests: int
    valid: int
    tokens: int
    seconds: float
    turns: tuple[ShownTraceTurn, ...]

    def numbers(self) -> Iterator[int]:
        yield from (self.policy, self.ending)
        for turn in self.turns:
            yield from (*turn.texts, turn.thought, turn.notice)
            for result in turn.results:
                yield from result


class ShownReply(NamedTuple):
    """What a content agent replied: numbers of its texts, its documents, and its own episode, if it was one."""

    site: int
    text: int
    documents: tuple[ShownPage, ...]
    trace: ShownTrace | None = None


class ShownCall(NamedTuple):
    """A call of a layer (:class:`webenv.policies.hierarchical.Node`): numbers of its texts, its tokens and seconds."""

    place: str
    layer: str
    asked: int
    said: int
    failed: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Played:
    """One turn, or, of the kind ``start``, what the agent saw before its first; numbers stand for texts.

    Attributes:
        kind: of the action (:class:`~webenv.evaluation.PlayedTurn`), or ``start``.
        texts: its arguments.
        thought: what the policy kept of how it came to it.
        notice: what the environment said of it.
        results: the hits that came of it; ``pages`` and ``replies`` likewise.
        budget: searches, visits, asks and turns left.
        reward: the turn's reward.
        terms: its terms, before they are weighed.
        calls: the calls of a hierarchical policy's layers, its part of the episode's tree.
        seconds: what it took to decide, and what went out, where they are data.
    """

    kind: str
    texts: tuple[int, ...]
    thought: int
    notice: int
    results: tuple[ShownResult, ...]
    pages: tuple[ShownPage, ...]
    replies: tuple[ShownReply, ...]
    budget: tuple[int, ...]
    reward: float
    terms: Mapping[str, float]
    calls: tuple[ShownCall, ...] = ()
    seconds: tuple[float, float] = (0.0, 0.0)

    def read(self) -> Iterator[ShownPage]:
        """The pages that came whole or in part: visited ones, and documents of replies."""
        yield from self.pages
        for reply in self.replies:
            yield from reply.documents

    def urls(self) -> Iterator[int]:
        """The numbers of the URLs that came up, results first."""
        yield from (result.url for result in self.results)
        yield from (page.url for page in self.read())

    def numbers(self) -> Iterator[int]:
        yield from (*self.texts, self.thought, self.notice)
        for result in self.results:
            yield from result
        for page in self.read():
            yield from page
        for reply in self.replies:
            yield from (reply.site, reply.text)
            if reply.trace is not None:
                yield from reply.trace.numbers()
        for call in self.calls:
            yield from (call.asked, call.said, call.failed)

    def to_data(self) -> dict[str, Any]:
        """The turn as JSON-ready data; what is empty is left out."""
        every = {
            "results": self.results,
            "pages": self.pages,
            "replies": self.replies,
            "reward": self.reward,
            "terms": dict(self.terms),
            "calls": self.calls,
            "seconds": self.seconds if any(self.seconds) else (),
        }
        rest = {name: value for name, value in every.items() if value}
        own = {"kind": self.kind, "texts": self.texts, "budget": self.budget}
        return {**own, "thought": self.thought, "notice": self.notice, **rest}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """The turns of an episode, its first observation before them, and what they are compared with."""

    turns: tuple[Played, ...]
    seen: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, record: Record, pool: TextPool) -> Trajectory:
        """The trajectory of a record, its texts put into the pool.

        Raises:
            ValueError: if an observation of the record is not of the form that runs have.
        """
        try:
            start = PlayedTurn("start", (), "", record.first, 0.0, {})
            turns = [_played(turn, pool) for turn in (start, *record.turns)]
            return cls(tuple(turns), record.seen)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"not a record of an episode: {error!r:.200}") from error

    def numbers(self) -> Iterator[int]:
        for turn in self.turns:
            yield from turn.numbers()


def _played(turn: PlayedTurn, pool: TextPool) -> Played:
    shown, traces = turn.observation, (*turn.traces, *(None for _ in turn.observation["replies"]))

    def add(value: object) -> int:
        if not isinstance(value, str):
            raise TypeError(f"{value!r:.60} is no text")
        return pool.add(value)

    def page(one: Mapping[str, Any]) -> ShownPage:
        return ShownPage(add(one["title"]), add(one["url"]), add(one["text"]))

    def trace(one: Trace | None) -> ShownTrace | None:
        if one is None:
            return None
        turns = tuple(
            ShownTraceTurn(
                str(each["action"][0]),
                tuple(map(add, each["action"][1])),
                add(each["thought"]),
                add(each["notice"]),
                tuple((add(title), add(url)) for title, url in each["results"]),
            )
            for each in one["turns"]
        )
        counts = (int(one["requests"]), int(one["valid"]), int(one["tokens"]), float(one["seconds"]))
        return ShownTrace(add(one["policy"]), add(one["ending"]), *counts, turns)

    return Played(
        kind=str(turn.kind),
        texts=tuple(map(add, turn.texts)),
        thought=add(turn.thought),
        notice=add(shown["notice"]),
        results=tuple(ShownResult(add(r["title"]), add(r["url"]), add(r["snippet"])) for r in shown["results"]),
        pages=tuple(map(page, shown["pages"])),
        replies=tuple(
            ShownReply(add(reply["site"]), add(reply["text"]), tuple(map(page, reply["documents"])), trace(made))
            for reply, made in zip(shown["replies"], traces, strict=False)
        ),
        budget=tuple(int(left) for left in shown["budget"]),
        reward=float(turn.reward),
        terms={str(name): float(value) for name, value in turn.reward_terms.items()},
        calls=tuple(
            ShownCall(
                node.id, node.layer, add(node.asked), add(node.said), add(node.failed), *node[4:6], float(node.seconds)
            )
            for node in nodes_of(turn.memory)
        ),
        seconds=(float(turn.effort.seconds), float(turn.seconds)),
    )
