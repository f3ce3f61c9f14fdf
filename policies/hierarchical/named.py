"""Hierarchical and flat policies by name: ``hierarchical:workers=4``, ``flat``, ``hierarchical:host=MODEL``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from webenv.errors import InvalidArgument
from webenv.latency import LatencyModel
from webenv.models import Model
from webenv.policies.hierarchical.layers import Layers
from webenv.policies.hierarchical.models import ModelHost, ModelManager, ModelWorker
from webenv.policies.hierarchical.policy import HierarchicalPolicy
from webenv.policies.hierarchical.sandbox import Sandbox
from webenv.policies.hierarchical.scripts import ScriptHost, ScriptManager, ScriptWorker
from webenv.runtime.spec import Reader, one_of, read_spec, whole, words

LAYERS = ("host", "manager", "worker")
_ON = one_of("on", "off")
_SETTINGS: Mapping[str, Reader] = {
    **dict.fromkeys(("workers", "batch", "rounds", "steps", "context"), whole(1)),
    **dict.fromkeys(("host_context", "manager_context", "worker_context"), whole(100)),
    **dict.fromkeys(("aggregation", "reflection", "shared", "code"), _ON),
    **dict.fromkeys(LAYERS, words),
    "model": words,
}
_SCRIPT = "script"


def make_hierarchical(
    name: str, latency: LatencyModel | None, open_model: Callable[[str], Model], model: Model | None = None
) -> HierarchicalPolicy:
    """The policy of a name.

    Args:
        name: ``hierarchical`` or ``flat``, and settings behind a colon: ``workers`` (8; of ``flat`` 1), ``batch``,
            ``rounds``, ``steps``, ``context`` (tokens of a flat agent's or a shared context), ``host_context``,
            ``manager_context`` and ``worker_context`` (tokens), ``aggregation``, ``reflection``, ``shared`` and
            ``code`` (``on`` or ``off``; ``code`` is a sandbox, off by default), ``host``, ``manager`` and ``worker`` (a
            model, or ``script``), ``model`` (of all three).
        latency: how long calls take.
        open_model: opens a model by its name.
        model: of all three layers, where none is named.

    Raises:
        InvalidArgument: for an unknown setting, or one that the policy does not take.
    """
    kind, _, text = name.partition(":")
    given = read_spec(text if "=" in text or not text else f"model={text}", _SETTINGS, name, kind)
    flat = kind == "flat"
    if flat and (model is not None or {*LAYERS, "model", "aggregation", "shared", "batch", "code"} & set(given)):
        raise InvalidArgument(
            f"policy {name!r}: flat is a script, with workers, rounds, steps, context and reflection."
        )
    models: dict[str, Model] = {}
    opened: dict[str, Model] = {}
    for layer in LAYERS:
        wanted = given.get(layer, given.get("model", ""))
        if wanted and wanted != _SCRIPT:
            models[layer] = opened.setdefault(wanted, opened.get(wanted) or open_model(wanted))
        elif not wanted and model is not None:
            models[layer] = model
    limit = {layer: int(given.get(f"{layer}_context", 16_000)) for layer in LAYERS}
    reflects = given.get("reflection", "on") == "on"
    numbers = {one: given[one] for one in ("batch", "rounds", "steps", "context") if one in given}
    code = given.get("code", "off") == "on"
    managers = ("search", "browser", "code") if code else ("search", "browser")
    layers = Layers(
        sandbox=Sandbox() if code else None,
        host=ModelHost(limit["host"], managers) if "host" in models else ScriptHost(3 if reflects else 1),
        manager=ModelManager(limit["manager"]) if "manager" in models else ScriptManager(reflects=reflects),
        worker=ModelWorker(limit["worker"]) if "worker" in models else ScriptWorker(limit["worker"]),
        models=models,
        workers=given.get("workers", 1 if flat else 8),
        aggregation=given.get("aggregation", "on") == "on",
        shared=given.get("shared", "off") == "on",
        retries=int(reflects),
        manager_context=limit["manager"],
        flat=flat,
        **numbers,
    )
    return HierarchicalPolicy(layers, latency, kind)
