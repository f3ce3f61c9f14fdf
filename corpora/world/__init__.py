"""A simulated world, told by many pages: typed facts with possible times, and pages that state them.

What other parts of the house use of it is imported from here; the modules below are its own.
"""

from webenv.corpora.world.criteria import (
    ANY,
    Asker,
    Criterion,
    FactPattern,
    Subject,
    ValueConstraint,
    Wish,
    met,
)
from webenv.corpora.world.language import WorldLanguage, language_of
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.schema import KindSpec, Schema, read_schema, schema, world_version
from webenv.corpora.world.sites import WorldSite
from webenv.corpora.world.web import WorldPage, WorldWeb
from webenv.corpora.world.wording import synonyms
from webenv.corpora.world.world import PAGES

__all__ = [
    "ANY",
    "PAGES",
    "Asker",
    "Claim",
    "Criterion",
    "FactPattern",
    "KindSpec",
    "Schema",
    "Subject",
    "ValueConstraint",
    "Wish",
    "WorldEntity",
    "WorldFact",
    "WorldLanguage",
    "WorldPage",
    "WorldSite",
    "WorldValue",
    "WorldWeb",
    "language_of",
    "met",
    "read_schema",
    "schema",
    "synonyms",
    "world_version",
]
