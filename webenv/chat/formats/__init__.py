"""How a language model writes an action as text, and how it is told the rules and what is left."""

from webenv.chat.formats.format import NO_ACTION, UNKNOWN_TYPE, Format
from webenv.chat.formats.tags import BlockFormat, SourceFormat, TagFormat
from webenv.chat.formats.tools import ToolFormat, check_message, sendable_call, written_call

__all__ = [
    "NO_ACTION",
    "UNKNOWN_TYPE",
    "BlockFormat",
    "Format",
    "SourceFormat",
    "TagFormat",
    "ToolFormat",
    "check_message",
    "sendable_call",
    "written_call",
]
