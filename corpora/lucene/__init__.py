"""Lucene, through the classes that pyserini brings: as an engine of a corpus, and over indexes that users have."""

from webenv.corpora.lucene.index import LuceneIndex, build_lucene
from webenv.corpora.lucene.web import LuceneWeb, open_lucene, open_lucene_spec

__all__ = ["LuceneIndex", "LuceneWeb", "build_lucene", "open_lucene", "open_lucene_spec"]
