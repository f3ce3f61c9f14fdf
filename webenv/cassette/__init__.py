"""The cassette: what was asked of webs, judges and models, and what they answered, in one file."""

from webenv.cassette.tape import MODES, Cassette, Contents, Imported, RecordedAnswer

__all__ = ["MODES", "Cassette", "Contents", "Imported", "RecordedAnswer"]
