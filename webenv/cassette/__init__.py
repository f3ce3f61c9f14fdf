"""The cassette: what was asked of webs, judges and models, and what they answered, in one file."""

from webenv.cassette.records import Answer, Contents, Taken
from webenv.cassette.tape import MODES, Cassette

__all__ = ["MODES", "Answer", "Cassette", "Contents", "Taken"]
