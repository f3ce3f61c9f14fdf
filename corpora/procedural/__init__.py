"""A web made from a seed, that knows its facts.

What other parts of the house use of it is imported from here; the modules below are its own.
"""

from webenv.corpora.procedural.cache import (
    CachedWeb,
    CorpusCache,
    cached_corpus,
    cached_worlds,
    corpus_cache,
    generated_web,
    prepare_worlds,
)
from webenv.corpora.procedural.config import WebConfig, Worlds, read_spec
from webenv.corpora.procedural.html import render_html
from webenv.corpora.procedural.language.language import Language
from webenv.corpora.procedural.language.lexicon import Form, Lexicon, PartOfSpeech
from webenv.corpora.procedural.language.phrasing import TIERS, Phrasing, Relation, ThingKind, of_mode, relations
from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.procedural.world.events import Detail, NewsEvent
from webenv.corpora.procedural.world.facts import ANY, NAMED, Constraint, Fact, Pattern, Value, masked_words, vague
from webenv.corpora.procedural.world.templates import Template, day_text
from webenv.corpora.procedural.world.world import DistractorSet, Entity
from webenv.corpora.procedural.write import (
    GENERATOR_VERSION,
    ProceduralPages,
    config_of,
    made_by,
    write_corpus,
    write_source,
)

__all__ = [
    "ANY",
    "GENERATOR_VERSION",
    "NAMED",
    "TIERS",
    "CachedWeb",
    "Constraint",
    "CorpusCache",
    "Detail",
    "DistractorSet",
    "Entity",
    "Fact",
    "Form",
    "Language",
    "Lexicon",
    "NewsEvent",
    "PartOfSpeech",
    "Pattern",
    "Phrasing",
    "ProceduralPages",
    "ProceduralWeb",
    "Provenance",
    "Relation",
    "Rng",
    "Template",
    "ThingKind",
    "Value",
    "WebConfig",
    "Worlds",
    "cached_corpus",
    "cached_worlds",
    "config_of",
    "corpus_cache",
    "day_text",
    "generated_web",
    "made_by",
    "masked_words",
    "of_mode",
    "prepare_worlds",
    "read_spec",
    "relations",
    "render_html",
    "vague",
    "write_corpus",
    "write_source",
]
