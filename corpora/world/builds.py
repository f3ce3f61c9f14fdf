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
        "lead keys sections reviews near",
        "specs lead story reviews see",
        "note:note_byline lead sections compare note:note_update",
        "lead story specs qa reviews",
    ),
    "blog": (
        "lead story quote tail note:blog_end comments",
        "lead sections note:blog_end note:note_tags comments",
        "note:note_byline lead story near",
        "lead story chron note:blog_end note:note_author comments",
        "lead quote sections note:blog_end comments",
        "lead story contrast note:blog_end note:note_tags",
    ),
    "council": (
        "lead sections note:note_office",
        "lead keys story note:note_office",
        "note:note_agenda lead story note:note_office",
        "lead sections series note:note_update",
        "lead sections note:note_office",
    ),
    "magazine": (
        "note:note_byline note:feature lead sections quote mentions note:feature_end",
        "note:feature lead story quote contrast note:note_author",
        "quote lead sections people note:note_author see",
        "note:note_byline lead story mentions",
        "note:note_byline note:feature lead story near comments",
        "note:note_byline note:feature lead story quote note:feature_end",
    ),
    "club": (
        "lead sections roles voices note:note_members",
        "lead story roles series see",
        "lead keys sections people note:note_members",
        "box lead chron voices",
        "lead sections qa note:note_members",
    ),
    "journal": (
        "note:journal_authors lead note:note_received note:journal_question note:journal_method sections compare "
        "argument note:note_references",
        "note:journal_authors lead note:journal_question note:journal_method sections argument note:note_references",
        "note:journal_authors note:note_received lead note:journal_question sections compare argument "
        "note:note_references",
        "note:journal_authors lead note:note_received note:journal_question sections argument note:note_references",
    ),
    "obituary": (
        "lead life quote note:obituary_close",
        "note:note_byline lead life note:note_funeral",
        "lead life voices note:obituary_close",
        "lead life quote note:obituary_close see",
        "note:note_byline lead quote life note:obituary_close",
    ),
    "news": (
        "report context statement story note:note_desk",
        "note:note_byline report context story contrast",
        "report context story denials",
        "note:note_byline report context statement story note:note_close note:note_desk",
        "report context story see",
        "report context statement story contrast note:note_close",
    ),
    "faq": (
        "lead qa contrast",
        "qa near note:note_update",
        "lead keys qa see",
        "lead qa see note:note_update",
    ),
    "guide": (
        "lead sights see",
        "lead story walk note:note_practical",
        "lead sights near note:note_practical",
        "lead spots note:note_practical",
        "lead walk keys see",
    ),
    "list": (
        "lead table remarks",
        "lead entries",
        "lead table remarks note:note_update",
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
        "lead each table verdict",
    ),
    "forum": ("lead thread", "lead thread note:note_thread"),
    "hub": ("links",),
}  # fmt: skip
"""Rows of parts, by form."""

PERSON_BUILDS: Mapping[str, tuple[str, ...]] = {
    "encyclopedia": (
        "box lead life see",
        "lead life note:note_sources",
        "box lead life note:note_sources note:note_edited",
        "lead keys life see",
        "lead life see note:note_edited",
        "box lead life note:note_edited",
    ),
    "magazine": (
        "note:note_byline note:feature lead life quote note:feature_end",
        "note:feature lead quote life note:feature_end",
        "lead life quote see",
        "note:note_byline note:feature lead life voices",
    ),
}
"""The same of pages about a person: a life is told once, from its beginning."""
