"""The conversation with a language model: how actions are written, what is shown, and what is left out."""

from webenv.chat.formats import NO_ACTION, UNKNOWN_TYPE, BlockFormat, Format, SourceFormat, TagFormat, ToolFormat
from webenv.chat.tokens import Tokens
from webenv.chat.transcript import Segment, Transcript

__all__ = [
    "NO_ACTION",
    "UNKNOWN_TYPE",
    "BlockFormat",
    "Format",
    "Segment",
    "SourceFormat",
    "TagFormat",
    "Tokens",
    "ToolFormat",
    "Transcript",
]
