"""Sentences of real pages, and their parts."""

from __future__ import annotations

from webenv.envs.hardening.statements import SiteStatistics, TextPage, parts_of, sentences_of, stems_of, supporting


def test_sentences_of_prose_lists_and_tables() -> None:
    """Headings, code, questions without a capital and short lines are no statements; rows and items are."""
    text = (
        "# A heading that is passed over.\n"
        "Dr. Smith came to St. Ives in May 1911 by the early train. He left.\n"
        "- an item of three words\n"
        "| height | 48 m | tower |\n"
        "|---|---|---|\n"
        "    code = that(is.passed.over) and so on and on\n"
    )
    assert [(one.text, one.prose) for one in sentences_of(text)] == [
        ("Dr. Smith came to St. Ives in May 1911 by the early train.", True),
        ("- an item of three words", False),
        ("| height | 48 m | tower |", False),
    ]
    assert [text[one.start : one.end] for one in sentences_of(text)] == [one.text for one in sentences_of(text)]


def test_parts_have_sorts() -> None:
    """Names by their length, years, other numbers, and nouns by their class in WordNet and their number."""
    found = parts_of("The council in Port Ellery bought the tower for 240 pounds in 1911.")
    assert [(one.text, one.sort) for one in found] == [
        ("Port Ellery", ("name", "several")),
        ("240", ("number", "")),
        ("1911", ("year", "")),
        ("council", ("noun", "noun.group one")),
        ("tower", ("noun", "noun.artifact one")),
        ("pounds", ("noun", "noun.quantity many")),
    ]


def test_an_article_follows_what_is_put_after_it() -> None:
    """ "a tower" becomes "an island"."""
    text = "It was a tower."
    (part,) = [one for one in parts_of(text) if one.text == "tower"]
    assert part.replaced(text, "island") == "It was an island."


def test_the_statement_that_says_a_claim_is_found() -> None:
    """The sentence that holds most of a claim's rare words comes first; one that shares common words alone does not."""
    page = TextPage(
        "https://a.example/", "Arden", "The tower was finished in May by Thomas Brand. The tower has a lamp and a door."
    )
    other = TextPage("https://a.example/b", "Other", "The tower has a lamp and the lamp has a door at last.")
    site = SiteStatistics([page, other])
    assert supporting(stems_of("Thomas Brand finished the tower."), page, site, 0.5) == [0]
