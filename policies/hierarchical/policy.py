"""HierarchicalPolicy: a host, managers and workers that gather wide evidence in parallel, as one policy."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from webenv.latency import LatencyModel
from webenv.models import Model, ModelFailure, Request
from webenv.policies.hierarchical.calls import Stages
from webenv.policies.hierarchical.layers import Layers
from webenv.policies.hierarchical.messages import Outcome
from webenv.policies.hierarchical.state import TurnState
from webenv.policies.hierarchical.turn import UNREAD, HostTurn
from webenv.policy import Decision, History
from webenv.web import Failure

_LOG = logging.getLogger(__name__)


class HierarchicalPolicy:
    """A host that plans, managers that split and sum up, workers that search and read (InfoSeeker).

    In step t the host gives directives q_t by what managers have told it, and nothing else; a manager splits one into
    self-contained subtasks q_t^k, which workers do in parallel, each in a fresh context; it checks what they return,
    asks again for what is missing, and sums up y_t; the host goes on or answers. Whatever workers want in one turn goes
    out as one action with several queries, or several addresses: so parallelism is the environment's, and its time.

    The state stands in the decisions' ``memory``, turn by turn: the ledger's statements with their sources, summaries,
    and the calls of all layers (:func:`webenv.policies.hierarchical.tree.nodes_of`), so that an episode can be forked
    at any turn.

    Args:
        layers: who thinks, and how; without a model by default.
        latency: how long calls take where nobody measured it; ``None``: no time.
        name: what the policy is called.

    Source: InfoSeeker (arXiv 2604.02971), section 3 and prompts. *Differs from* the paper: image tools are left out;
    orders go out wave by wave, as all of one turn come back together; the host's table is the managers' ledger, which
    it names and does not copy.
    """

    def __init__(
        self, layers: Layers | None = None, latency: LatencyModel | None = None, name: str = "hierarchical"
    ) -> None:
        self.layers = Layers() if layers is None else layers
        self._latency, self._name = latency, name
        self._told = False
        self._states: dict[tuple[str, int, str], TurnState] = {}  # of the episodes of the last call

    @property
    def identity(self) -> Mapping[str, str]:
        layers = self.layers
        told = {part: type(getattr(layers, part)).__name__ for part in ("host", "manager", "worker")}
        numbers = ("workers", "batch", "rounds", "steps", "retries", "aggregation", "shared", "context", "flat")
        reflects = {"reflection": str(getattr(layers.manager, "_reflects", True))}
        models = {
            f"{layer}_{name}": value for layer, one in layers.models.items() for name, value in one.identity.items()
        }
        return {
            "name": self._name,
            "version": "1",
            **told,
            **{name: str(getattr(layers, name)) for name in numbers},
            **reflects,
            **({} if layers.sandbox is None else layers.sandbox.identity),
            **models,
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history; calls of models that are due at the same time go out in one batch each."""
        # folding all earlier turns in every turn would take time that grows with the square of an episode's length
        before, self._states = self._states, {}
        keys = [(one.task_id, one.attempt, one.observations[0]["question"]) for one in histories]
        turns = [
            HostTurn(self.layers, self._latency, history, before.pop(key, None))
            for key, history in zip(keys, histories, strict=True)
        ]
        if not self._told and any(turn.unread for turn in turns):
            self._told = True
            _LOG.warning("webenv: note: policy %s: %s", self._name, UNREAD)
        works = [turn.decide() for turn in turns]
        decided: list[Decision | Failure | None] = [None] * len(works)
        wanted: dict[int, list[tuple[Model, Request]]] = {}
        for place, work in enumerate(works):
            _advance(work, None, place, wanted, decided)
        while wanted:
            replies = _complete(wanted)
            asked, wanted = wanted, {}
            for place in asked:
                _advance(works[place], replies[place], place, wanted, decided)
        for key, turn, one in zip(keys, turns, decided, strict=True):
            if isinstance(one, Decision) and (left := turn.left(one)) is not None:
                self._states[key] = left
        return [one if one is not None else Failure("no decision") for one in decided]


def _advance(
    work: Stages[Decision],
    sent: list[Outcome] | None,
    place: int,
    wanted: dict[int, list[tuple[Model, Request]]],
    decided: list[Decision | Failure | None],
) -> None:
    try:
        wanted[place] = next(work) if sent is None else work.send(sent)
    except StopIteration as done:
        decided[place] = done.value


def _complete(wanted: Mapping[int, Sequence[tuple[Model, Request]]]) -> dict[int, list[Outcome]]:
    """What came of each request: one batch for each model."""
    by_model: dict[int, tuple[Model, list[tuple[int, int]], list[Request]]] = {}
    nothing = ModelFailure("not asked")
    replies: dict[int, list[Outcome]] = {place: [nothing] * len(some) for place, some in wanted.items()}
    for place, some in wanted.items():
        for number, (model, request) in enumerate(some):
            _, places, requests = by_model.setdefault(id(model), (model, [], []))
            places.append((place, number))
            requests.append(request)
    for model, places, requests in by_model.values():
        for (place, number), came in zip(places, model.complete(requests), strict=True):
            replies[place][number] = came
    return replies
