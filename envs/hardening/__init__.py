"""Real pages made hard without a model: siblings of gold pages, criteria in other words, new needles by rule.

Approximate, all of it: what is told apart is told by words. What is exact is the generated web.
"""

from webenv.envs.hardening.harden import HardenReport, harden, write_official
from webenv.envs.hardening.needles import DraftReport, draft_needles
from webenv.envs.hardening.siblings import SiblingReport, Siblings, make_siblings
from webenv.envs.hardening.statements import TextPage

__all__ = [
    "DraftReport",
    "HardenReport",
    "SiblingReport",
    "Siblings",
    "TextPage",
    "draft_needles",
    "harden",
    "make_siblings",
    "write_official",
]
