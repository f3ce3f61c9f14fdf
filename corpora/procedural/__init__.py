"""A generated web: its settings, its pages as a corpus, and the cache; what it tells of is :mod:`webenv.corpora.world`.

What other parts of the house use of it is imported from here; the modules below are its own.
"""

from webenv.corpora.procedural.cache import (
    CachedWeb,
    CorpusCache,
    cache_bytes,
    cached_corpus,
    cached_worlds,
    corpus_cache,
    prepare_worlds,
)
from webenv.corpora.procedural.config import WebConfig, Worlds, read_spec
from webenv.corpora.procedural.lexicon import Form, Lexicon, PartOfSpeech
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.write import (
    ProceduralPages,
    Rewritten,
    config_of,
    generated_web,
    generator_version,
    is_rewritten,
    made_by,
    write_corpus,
    write_source,
)

__all__ = [
    "CachedWeb",
    "CorpusCache",
    "Form",
    "Lexicon",
    "PartOfSpeech",
    "ProceduralPages",
    "Rewritten",
    "Rng",
    "WebConfig",
    "Worlds",
    "cache_bytes",
    "cached_corpus",
    "cached_worlds",
    "config_of",
    "corpus_cache",
    "generated_web",
    "generator_version",
    "is_rewritten",
    "made_by",
    "prepare_worlds",
    "read_spec",
    "write_corpus",
    "write_source",
]
