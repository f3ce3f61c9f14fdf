"""Hosts, managers and workers: wide evidence gathered in parallel, by layers that see no more than they need."""

from webenv.policies.hierarchical.layers import Layers
from webenv.policies.hierarchical.models import ModelHost, ModelManager, ModelWorker
from webenv.policies.hierarchical.policy import HierarchicalPolicy
from webenv.policies.hierarchical.sandbox import Sandbox
from webenv.policies.hierarchical.scripts import ScriptHost, ScriptManager, ScriptWorker
from webenv.policies.hierarchical.tree import LayerUse, Node, nodes_of, use_by_layer

__all__ = [
    "HierarchicalPolicy",
    "LayerUse",
    "Layers",
    "ModelHost",
    "ModelManager",
    "ModelWorker",
    "Node",
    "Sandbox",
    "ScriptHost",
    "ScriptManager",
    "ScriptWorker",
    "nodes_of",
    "use_by_layer",
]
