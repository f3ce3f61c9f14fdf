"""Search by meaning: vectors of pages, and what finds those nearest to a query's."""

from webenv.corpora.dense.approximate import build_global
from webenv.corpora.dense.build import build_dense, take_dense
from webenv.corpora.dense.encoder import Encoder, GivenEncoder, SentenceEncoder
from webenv.corpora.dense.index import DenseIndex

__all__ = ["DenseIndex", "Encoder", "GivenEncoder", "SentenceEncoder", "build_dense", "build_global", "take_dense"]
