"""Where pages come from: corpora on disk and in memory."""

if __name__ != "webenv.corpora":
    raise ImportError(f"this folder is a part of webenv: import webenv.corpora, not {__name__}")

from webenv.corpora.build import add, build
from webenv.corpora.content_agents import ContentAgents
from webenv.corpora.corpus import Corpus
from webenv.corpora.deduplication import similarity
from webenv.corpora.document import SourcePage
from webenv.corpora.ingest import parse_source
from webenv.corpora.manifest import Manifest

__all__ = ["ContentAgents", "Corpus", "Manifest", "SourcePage", "add", "build", "parse_source", "similarity"]
