"""Plain pages from texts that may hold anything."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from webenv.corpora import Corpus
from webenv.corpora.extract import extract
from webenv.corpora.markdown import markdown_html
from webenv.corpora.sample.web import sample_web
from webenv.observations import Page, Result
from webenv.serving.pages import page_html


def test_lines_are_paragraphs_lists_and_tables() -> None:
    """Each sort of line has its element, and nothing is lost."""
    assert markdown_html("One.\n- a\n- b\n\nTwo <3.\n| x | y |\n| 1 | 2 |\n|") == (
        "<p>One.</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<p>Two &lt;3.</p>\n"
        "<table>\n<tr><td>x</td><td>y</td></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>\n<p>|</p>\n"
    )


def test_markdown_is_marked_up() -> None:
    """Headings, bold, tables with a head, boxes and links have their elements; links lead to http and https alone."""
    text = (
        "## [Ann](https://a.example/ann)\n**Ann & Bo** 2**3 [x](javascript:alert)\n"
        "| Ann | |\n| --- | --- |\n| Born | [Wick](https://a.example/?a=1&b=2) |\n| | a |\n| --- | --- |\n| b | 1 |"
    )
    assert markdown_html(text.replace("|\n| | a", "|\n\n| | a"), "box") == (
        '<h2><a href="https://a.example/ann">Ann</a></h2>\n'
        "<p><strong>Ann &amp; Bo</strong> 2**3 [x](javascript:alert)</p>\n"
        '<table class="box">\n<thead><tr><th colspan="2">Ann</th></tr></thead>\n<tbody>\n'
        '<tr><td>Born</td><td><a href="https://a.example/?a=1&amp;b=2">Wick</a></td></tr>\n</tbody>\n</table>\n'
        "<table>\n<thead><tr><th></th><th>a</th></tr></thead>\n<tbody>\n<tr><td>b</td><td>1</td></tr>\n</tbody>\n"
        "</table>\n"
    )


def test_hostile_texts_come_out_escaped() -> None:
    """Tags, quotes and control characters of a text are text in its page, in title, body and links."""
    evil = "</title><script>alert(1)</script>\x00\x07\x9b\ud800 \"'&"
    page = Page('https://a.example/?q="><script>', evil, evil + "\n- " + evil + "\n| " + evil + " |", '"><script>')
    document = page_html(page, 'a.example"><script>', [Result(evil, 'https://a.example/"><script>', "", "")])
    assert "<script" not in document
    assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff]", document)
    tree = html.document_fromstring(document)
    assert tree.findtext(".//title") == "</title><script>alert(1)</script> \"'&"
    assert [element.tag for element in tree.body] == ["header", "h1", "p", "article", "aside", "footer"]


@given(st.text(), st.text())
def test_any_text_makes_a_well_formed_page(title: str, text: str) -> None:
    """No text breaks the document: it parses strictly as XML but for what has no end tag in HTML."""
    document = page_html(Page("https://a.example/x", title, text), "a.example")
    strict = re.sub(r"<(meta|link)([^>]*)>", r"<\1\2/>", document.removeprefix("<!DOCTYPE html>"))
    words = "".join(etree.fromstring(strict).find("body/article").itertext())
    kept = re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]", "", text)
    assert Counter(re.findall(r"\w", words)) == Counter(re.findall(r"\w", kept))


def test_extraction_gives_the_texts_back() -> None:
    """Of all pages of the sample web it finds every word of the main text and no other, title, date and address."""
    corpus: Corpus = sample_web()
    for page in corpus.pages():
        found = extract(page_html(page, "site", [Result("Related", "https://a.example/", "", "")]), page.url)
        assert re.findall(r"\w+", found.text) == re.findall(r"\w+", page.text)
        assert (found.title, found.date, found.canonical) == (page.title, page.date, page.url)
