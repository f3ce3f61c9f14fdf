"""Who thinks in a hierarchy, and how: its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from webenv.errors import InvalidArgument
from webenv.models import Model
from webenv.policies.hierarchical.messages import Host, Manager, Worker
from webenv.policies.hierarchical.sandbox import Sandbox
from webenv.policies.hierarchical.scripts import ScriptHost, ScriptManager, ScriptWorker


@dataclass(frozen=True, slots=True)
class Layers:
    """Who thinks, and how.

    Attributes:
        host: plans and answers.
        manager: splits and sums up.
        worker: calls tools.
        models: of each layer, the model that its calls go to; none for scripts.
        workers: how many workers there are: so many queries or pages go out together at most.
        batch: the most orders of one manager at a time.
        rounds: how often a manager splits one directive at most.
        steps: how many steps the host may plan; then it answers with what there is.
        retries: how often a page that is not there is tried again.
        sandbox: where the programs of code and filesystem managers run, on the ledger as ``table.csv``; ``None``:
            nowhere, and such an order is a finding that failed.
        manager_context: tokens of findings that a manager is shown, the newest; older ones stand in the ledger.
        aggregation: whether managers sum up, weigh conflicts and hand sources off; else the host gets raw findings.
        shared: whether all layers share one context, of ``context`` tokens: what no longer fits is forgotten.
        context: tokens of a shared context.
        flat: whether there is one agent alone, which reads all by itself, in one context, and answers when it is full.
    """

    host: Host = field(default_factory=ScriptHost)
    manager: Manager = field(default_factory=ScriptManager)
    worker: Worker = field(default_factory=ScriptWorker)
    models: Mapping[str, Model] = field(default_factory=dict)
    workers: int = 8
    batch: int = 5
    rounds: int = 4
    steps: int = 8
    retries: int = 1
    sandbox: Sandbox | None = None
    manager_context: int = 16_000
    aggregation: bool = True
    shared: bool = False
    context: int = 32_000
    flat: bool = False

    def __post_init__(self) -> None:
        for name in ("workers", "batch", "rounds", "steps", "context"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidArgument(f"hierarchical {name}={value!r:.40}: expected a whole number from 1.")
