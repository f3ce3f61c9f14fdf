"""How pages of each form are built: their parts in order, of which a page has one row.

A part is a method of the planner in :mod:`webenv.corpora.world.claims`; "note:USE" is a line of ``texts.txt``.
"""

from __future__ import annotations

from collections.abc import Mapping

BUILDS: Mapping[str, tuple[str, ...]] = {
    "encyclopedia": (
        "box lead sections roles see",
        "lead sections roles series near note:note_sources",
        "lead story chron note:note_edited",
        "box lead sections mentions note:note_sources note:note_edited",
        "lead keys sections people see",
        "box lead story roles near see",
        "lead sections compare note:note_edited",
        "lead series sections mentions see note:note_edited",
        "lead story roles people note:note_sources",
    ),
    "heritage": (
        "keys lead sections note:note_survey",
        "lead story roles note:note_edited",
        "box lead sections near",
        "note:note_survey keys lead sections chron",
        "lead chron story note:note_sources",
        "lead sections mentions keys note:note_survey",
    ),
    "directory": (
        "lead keys sections voices note:note_contact",
        "lead sections chron note:note_contact",
        "box lead story roles see",
        "lead story people note:note_contact",
        "lead sections qa note:note_contact",
        "keys lead sections mentions series",
    ),
    "catalogue": (
        "specs lead sections reviews note:note_update",
        "lead sections specs compare reviews",
        "lead keys sections verdict near",
        "specs lead story reviews see",
        "note:note_byline lead sections compare note:note_update",
        "lead story specs qa reviews",
    ),
    "blog": (
        "lead story quote tail comments",
        "lead sections note:note_tags comments",
        "note:note_byline lead story near note:note_author",
        "lead story chron note:note_author comments",
        "lead quote sections people comments",
        "lead story contrast note:note_tags",
    ),
    "council": (
        "lead story note:note_office",
        "lead keys story note:note_office",
        "note:note_agenda lead story mentions note:note_office",
        "lead sections series note:note_update",
        "lead sections note:note_office",
    ),
    "magazine": (
        "note:note_byline lead sections quote mentions note:note_author",
        "lead story quote contrast note:note_author",
        "quote lead sections people see",
        "lead story mentions note:note_byline",
        "note:note_byline lead story near comments",
    ),
    "club": (
        "lead sections roles voices note:note_members",
        "lead story roles series see",
        "lead keys sections people note:note_members",
        "box lead chron voices",
        "lead sections qa note:note_members",
    ),
    "journal": (
        "lead note:note_received sections contrast note:note_sources",
        "note:note_byline lead sections mentions note:note_sources",
        "note:note_byline note:note_received lead sections compare note:note_sources",
        "lead story contrast note:note_received note:note_sources",
    ),
    "obituary": (
        "lead story mentions quote",
        "lead sections mentions note:note_byline",
        "note:note_byline lead story people",
        "lead mentions story voices note:note_funeral",
        "lead chron mentions",
    ),
    "news": (
        "report voices story note:note_desk",
        "note:note_byline report story voices contrast",
        "report story denials",
        "note:note_byline report voices story mentions note:note_desk",
        "report story quote see",
        "report story quote contrast",
    ),
    "faq": (
        "lead qa contrast",
        "qa near note:note_update",
        "lead keys qa see",
        "qa mentions note:note_update",
    ),
    "guide": (
        "lead sights see",
        "lead story walk note:note_practical",
        "note:note_practical lead sights near",
        "lead spots note:note_practical",
        "lead walk keys see",
    ),
    "list": (
        "lead table remarks",
        "lead entries",
        "table remarks note:note_update",
        "lead table entries note:note_sources",
        "lead table see",
    ),
    "timeline": (
        "lead days",
        "lead decades",
        "days note:note_sources",
        "lead decades see",
    ),
    "comparison": (
        "lead table each verdict",
        "lead each table",
        "table each note:note_update",
        "lead table each reviews",
    ),
    "forum": ("lead thread", "lead thread note:note_thread"),
    "hub": ("links",),
}  # fmt: skip
"""Rows of parts, by form."""
