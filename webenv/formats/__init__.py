"""How a language model writes an action as text, and how it is told the rules and what is left."""

from webenv.formats.blocks import BlockFormat
from webenv.formats.format import NO_ACTION, UNKNOWN_TYPE, Format
from webenv.formats.source import SourceFormat
from webenv.formats.tags import TagFormat
from webenv.formats.tools import ToolFormat

__all__ = ["NO_ACTION", "UNKNOWN_TYPE", "BlockFormat", "Format", "SourceFormat", "TagFormat", "ToolFormat"]
