"""A web made from a seed, that knows its facts."""

from webenv.corpora.procedural.dials import Dials
from webenv.corpora.procedural.web import ProceduralWeb

__all__ = ["Dials", "ProceduralWeb"]
