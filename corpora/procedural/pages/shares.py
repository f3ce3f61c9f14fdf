"""How many pages of a web have which role."""

from __future__ import annotations

from webenv.corpora.procedural.pages import editions
from webenv.corpora.procedural.world import circles, events, tables
from webenv.corpora.procedural.world.circles import Circles
from webenv.corpora.procedural.world.world import World

ROLES = (
    "article", "brief", "list", "profile", "report", "overview", "table", "portrait", "version", "about", "entry",
    "rumour", "copy",
)  # fmt: skip
"""The roles of pages, in the order in which pages are numbered."""

_NEWS, _TABLES, _PORTRAITS, _VERSIONS = 0.24, 0.085, 0.15, 0.125  # of what families and copies leave
_ENTRIES, _PROFILES, _LISTS = 0.3, 0.2, 0.2  # of what is left then


def page_counts(world: World) -> dict[str, int]:
    """The number of pages of each role, in the order of ``ROLES``; their sum is the web's pages.

    Families have their share first, then copies and rumours, then a page about each site, as far
    as there is room; news, tables, portraits and older versions come in whole blocks.
    """
    dials = world.dials
    counts = dict.fromkeys(ROLES, 0)
    counts["article"] = world.families * dials.family
    left = dials.pages - counts["article"]
    counts["copy"] = min(int(dials.pages * dials.copies), left)
    left -= counts["copy"]
    counts["rumour"] = min(int(dials.pages * dials.contradictions), left)
    left -= counts["rumour"]
    counts["about"] = min(dials.sites, max(0, left - 1))
    room = min(left, (left - counts["about"]) * 4 // 3)  # a hundred sites take their pages from the other roles
    news = min(dials.pages * dials.news, left - counts["about"]) if dials.news else room * _NEWS
    pairs = int(news) // (events.BLOCK + 2)
    counts["report"], counts["overview"] = pairs * events.BLOCK, pairs * 2
    if dials.news:  # the other roles share the rest as they always do
        room = int((left - counts["about"] - pairs * (events.BLOCK + 2)) / (1 - _NEWS))
    counts["table"] = int(room * _TABLES) // tables.BLOCK * tables.BLOCK
    rings = min(int(room * _PORTRAITS) // circles.BLOCK, Circles.most(world))
    counts["portrait"] = rings * circles.BLOCK
    hosts = counts["overview"] + counts["table"] + counts["portrait"]
    blocks = min(int(room * _VERSIONS) // editions.BLOCK, hosts // 2)
    counts["version"] = blocks * editions.BLOCK
    left -= sum(counts[role] for role in ("about", "report", "overview", "table", "portrait", "version"))
    counts["entry"] = max(1, round(left * _ENTRIES)) if left else 0
    counts["profile"] = round(left * _PROFILES)
    counts["list"] = min(world.families, round(left * _LISTS))
    counts["brief"] = left - counts["entry"] - counts["profile"] - counts["list"]
    return counts
