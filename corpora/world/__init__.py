"""A simulated world, told by many pages: typed facts with possible times, and pages that state them.

What other parts of the house use of it is imported from here; the modules below are its own.
"""

from webenv.corpora.world.asker import Asker
from webenv.corpora.world.conflicts import Conflict
from webenv.corpora.world.criteria import Criterion, Room, Subject, Wish
from webenv.corpora.world.language import WorldLanguage, language_of
from webenv.corpora.world.model import Claim, WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.patterns import ANY, FactPattern, ValueConstraint, met
from webenv.corpora.world.reading import read_schema, schema, world_version
from webenv.corpora.world.schema import FIGURES, KindSpec, Schema
from webenv.corpora.world.sites import WorldSite
from webenv.corpora.world.web import WorldPage, WorldWeb
from webenv.corpora.world.wording import american, synonyms
from webenv.corpora.world.world import PAGES

__all__ = [
    "ANY",
    "FIGURES",
    "PAGES",
    "Asker",
    "Claim",
    "Conflict",
    "Criterion",
    "FactPattern",
    "KindSpec",
    "Room",
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
    "american",
    "language_of",
    "met",
    "read_schema",
    "schema",
    "synonyms",
    "world_version",
]
