"""What can be asked of a web beyond single pages, with exact answers."""

from webenv.corpora.procedural.knowledge.knowledge import Knowledge

__all__ = ["Knowledge"]
