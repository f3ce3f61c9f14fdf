"""The conversation with a language model: how actions are written, what is shown, and what is left out."""

from webenv.chat.config import FORMATS, ChatConfig, ChatSettings, read_prompt
from webenv.chat.formats import NO_ACTION, UNKNOWN_TYPE, BlockFormat, Format, SourceFormat, TagFormat, ToolFormat
from webenv.chat.session import ChatSession, ParsedReply, RawReply, no_action
from webenv.chat.transcript import Segment, Tokens, Transcript

__all__ = [
    "FORMATS",
    "NO_ACTION",
    "UNKNOWN_TYPE",
    "BlockFormat",
    "ChatConfig",
    "ChatSession",
    "ChatSettings",
    "Format",
    "ParsedReply",
    "RawReply",
    "Segment",
    "SourceFormat",
    "TagFormat",
    "Tokens",
    "ToolFormat",
    "Transcript",
    "no_action",
    "read_prompt",
]
