"""The calls of a turn: who was asked what, how many tokens and seconds that took, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeVar

from webenv.budget import NO_EFFORT, Effort
from webenv.errors import InvalidArgument
from webenv.latency import LatencyModel, ModelCall
from webenv.models import Model, Request
from webenv.policies.hierarchical.messages import Outcome, Said, Thinking
from webenv.policies.hierarchical.tree import Node
from webenv.policy import History

ValueT = TypeVar("ValueT")

Stages = Generator[list[tuple[Model, Request]], list[Outcome], ValueT]
"""Work that asks models: yields what goes out together, and is sent the responses."""


_CHOICE = 30  # tokens that naming a choice takes


class Calls:
    """Lets layers think, and counts what that takes.

    Args:
        models: of each layer, the model that its calls go to.
        latency: how long calls take where nobody measured it; ``None``: no time.
        history: of the episode: calls depend on its task, attempt and turn.
        flat: whether there is one agent, which thinks once a turn (:meth:`of_one_agent`).
        shared: tokens of a context that all layers share, at the time of a call; 0 where they do not.

    Attributes:
        effort: all that was taken so far.
        nodes: the calls, as the tree keeps them.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        latency: LatencyModel | None,
        history: History,
        *,
        flat: bool,
        shared: Callable[[], int],
    ) -> None:
        self._models, self._latency, self._history = models, latency, history
        self._flat, self._shared = flat, shared
        self._written = 0
        self.effort = NO_EFFORT
        self.nodes: list[list[Any]] = []

    def think(
        self, layer: str, whom: Sequence[tuple[str, str]], thoughts: Sequence[Thinking[ValueT]]
    ) -> Stages[list[Said[ValueT]]]:
        """Calls of one layer that run at the same time: they take as long as the last one waits in the queue."""
        model = self._models.get(layer)
        said: dict[int, Said[ValueT]] = {}
        running: dict[int, Generator[Request, Outcome, Said[ValueT]]] = {}
        for n, thought in enumerate(thoughts):
            if isinstance(thought, Said):
                said[n] = thought
            else:
                running[n] = thought
        sent: dict[int, Outcome] = {}
        while running:
            requests: dict[int, Request] = {}
            for n, work in list(running.items()):
                try:
                    requests[n] = work.send(sent[n]) if n in sent else next(work)
                except StopIteration as done:
                    said[n] = done.value
                    del running[n]
            if requests:
                if model is None:
                    raise InvalidArgument(f"layer {layer!r} asks a model, and has none: give models={{{layer!r}: …}}.")
                attempt = self._history.attempt  # replies to several attempts are kept apart
                came = yield [(model, request._replace(sample=attempt)) for request in requests.values()]
                sent = dict(zip(requests, came, strict=True))
        every = [said[n] for n in sorted(said)]
        if self._flat:
            self._written += sum(one.completion_tokens for one in every if layer != "worker")
        else:
            self._count(layer, whom, every)
        return every

    def _count(self, layer: str, whom: Sequence[tuple[str, str]], every: Sequence[Said[Any]]) -> None:
        calls = []
        for (id_, asked), one in zip(whom, every, strict=True):
            read = max(one.prompt_tokens, self._shared())
            calls.append(ModelCall(self._key(id_), read, one.completion_tokens, one.seconds))
            self._keep(Node(id_, layer, asked, one.text, read, one.completion_tokens, one.seconds))
        self._take(calls)

    def of_one_agent(self, read: int, asked: str) -> None:
        """A flat agent's one call of a turn, with all of its context.

        Args:
            read: tokens of the context.
            asked: what it asks for.
        """
        turn = str(len(self._history.decisions) + 1)
        self._node(Node(turn, "agent", "", asked, read, _CHOICE + self._written))

    def writing(self, id_: str, wrote: int) -> None:
        """An answer takes its tokens, whoever writes it down."""
        if self._flat:
            self._written += wrote
        else:
            self._node(Node(id_, "host", "answer", "", 0, wrote))

    def _node(self, node: Node) -> None:
        self._keep(node)
        self._take([ModelCall(self._key(node.id), node.prompt_tokens, node.completion_tokens)])

    def _keep(self, node: Node) -> None:
        seconds = node.seconds
        if self._latency is not None:
            call = ModelCall(self._key(node.id), node.prompt_tokens, node.completion_tokens, node.seconds)
            seconds = self._latency.call_seconds(call)
        self.nodes.append(list(node._replace(seconds=round(seconds, 3)).shortened()))

    def _take(self, calls: Sequence[ModelCall]) -> None:
        if not calls:
            return
        if self._latency is not None:
            effort = self._latency.effort(calls)
        else:
            read, wrote = sum(one.prompt_tokens for one in calls), sum(one.completion_tokens for one in calls)
            effort = Effort(max(one.seconds for one in calls), 0.0, read, wrote, len(calls))
        self.effort = self.effort.plus(effort)

    def _key(self, id_: str) -> str:
        history = self._history
        return f"{history.task_id}/{history.attempt}/{len(history.decisions)}/{id_}"
