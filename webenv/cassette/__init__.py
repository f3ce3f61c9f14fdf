"""The cassette: what was asked of webs, judges and models, and what they answered, in one file."""

from webenv.cassette.rows import Contents, Imported, RecordedAnswer
from webenv.cassette.tape import MODES, Cassette

__all__ = ["MODES", "Cassette", "Contents", "Imported", "RecordedAnswer"]
