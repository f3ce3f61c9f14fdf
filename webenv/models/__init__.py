"""Chat models: what goes to one and comes back, endpoints, and what they cost."""

from webenv.models.completion import is_too_long
from webenv.models.costs import CostTracker, Price, Prices, Usage, dollars, plain_amount
from webenv.models.llm import MOST_AT_ONCE, ChatModel
from webenv.models.messages import (
    Extra,
    Message,
    Model,
    ModelFailure,
    ModelReply,
    Request,
    Schema,
    ToolCall,
    after_thinking,
    check_requests,
    data_token,
    fence,
    prefixed,
    sendable,
)
from webenv.models.registry import make_model, models_counted_by, models_made_by, read_model
from webenv.models.settings import ListedModel, ModelSettings, read_models

__all__ = [
    "MOST_AT_ONCE",
    "ChatModel",
    "CostTracker",
    "Extra",
    "ListedModel",
    "Message",
    "Model",
    "ModelFailure",
    "ModelReply",
    "ModelSettings",
    "Price",
    "Prices",
    "Request",
    "Schema",
    "ToolCall",
    "Usage",
    "after_thinking",
    "check_requests",
    "data_token",
    "dollars",
    "fence",
    "is_too_long",
    "make_model",
    "models_counted_by",
    "models_made_by",
    "plain_amount",
    "prefixed",
    "read_model",
    "read_models",
    "sendable",
]
