"""The cassette: what was asked of webs, judges and models, and what they answered, in one file."""

from webenv.cassette.tape import MODES, Answer, Cassette, Contents, Taken

__all__ = ["MODES", "Answer", "Cassette", "Contents", "Taken"]
