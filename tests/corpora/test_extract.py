"""Whatever bytes a page has, its text, title, date and addresses are read, or it is left out."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trafilatura
from hypothesis import given, settings
from hypothesis import strategies as st

from webenv.corpora.document import PreparedPage, Redirect, Skipped, SourcePage
from webenv.corpora.extract import decode_html, extract
from webenv.corpora.prepare import prepare
from webenv.corpora.url import key_of

URL = "https://a.example/dir/page.html"


def test_text_is_what_trafilatura_extracts(prose: Callable[..., str], html: Callable[..., str]) -> None:
    """The main text is trafilatura's own, without navigation."""
    page = html("A title", prose(1)).replace("<article>", "<nav><a href='/'>Home</a></nav><article>")
    text = extract(page, URL).text
    assert text == trafilatura.extract(page)
    assert "Home" not in text


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("<title> A \n title </title>", "A title"),
        ("<title>T</title><meta property='og:title' content='Open &amp; graph'>", "Open & graph"),
        ("", "The heading"),
        ("<title></title>", "The heading"),
    ],
)
def test_titles(head: str, title: str) -> None:
    """og:title comes before title, and that before the first heading; white space is collapsed."""
    body = "<svg><title>icon</title></svg><h1>The <i>heading</i></h1><p>text</p>"
    page = f"<html><head>{head}</head><body>{body}</body></html>"
    assert extract(page, URL).title == title


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("<meta property='article:published_time' content='2024-02-29T10:00:00Z'>", "2024-02-29"),
        ("<meta name='DC.Date' content='2023-01-02'>", "2023-01-02"),
        ("<meta name='date' content='last week'>", ""),
        ('<script type=\'application/ld+json\'>{"datePublished": "2022-03-04"}</script>', "2022-03-04"),
        ("</head><body><time itemprop='datePublished' datetime='2021-05-06T07:00'>then</time>", "2021-05-06"),
        ("</head><body><time datetime='2021-05-06'>no pubdate</time>", ""),
        ("<meta property='article:modified_time' content='2024-02-29'>", ""),
        ("", ""),
    ],
)
def test_dates_are_those_that_pages_state(head: str, date: str, prose: Callable[..., str]) -> None:
    """A date of publication in meta tags or JSON-LD is read; dates of other sorts are not taken for it."""
    page = f"<html><head><title>T</title>{head}</head><body><p>{prose(1)} On 2001-01-01.</p></body></html>"
    assert extract(page, URL).date == date


def test_a_date_that_is_no_day_is_dropped(prose: Callable[..., str], html: Callable[..., str]) -> None:
    """The 31st of February is no date."""
    page = prepare(SourcePage(URL, html=html("T", prose(1), "<meta name='date' content='2024-02-31'>")))
    assert isinstance(page, PreparedPage)
    assert page.date == ""


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("<p>naïve</p>".encode(), "naïve"),
        (b"\xef\xbb\xbf" + "<p>naïve</p>".encode(), "naïve"),
        ("<p>naïve</p>".encode("utf-16"), "naïve"),
        (("<p>naïve</p>" + " " * 300).encode("utf-16-le"), "naïve"),
        ('<meta charset="iso-8859-2"><p>řeka</p>'.encode("iso-8859-2"), "řeka"),
        ('<meta charset="utf-8"><p>na\xefve</p>'.encode("latin-1"), "na\ufffdve"),
        ("<p>na\xefve – x</p>".encode("cp1252"), "naïve – x"),
        ('<meta charset="no-such"><p>na\xefve</p>'.encode("cp1252"), "naïve"),
    ],
)
def test_bytes_are_decoded(raw: bytes, text: str) -> None:
    """UTF-8, byte order marks, declared charsets; wrong and unknown ones do no harm."""
    assert text in decode_html(raw)


@pytest.mark.parametrize(
    ("page", "target"),
    [
        (
            '<html><head><meta http-equiv="refresh" content="0; url=../x.html"></head><body></body></html>',
            "https://a.example/x.html",
        ),
        ("<META HTTP-EQUIV='Refresh' CONTENT=\"3;URL='https://b.example/'\">", "https://b.example/"),
    ],
)
def test_pages_that_lead_on_are_redirects(page: str, target: str) -> None:
    """A meta refresh within ten seconds on a page without a text of its own is a redirect."""
    assert prepare(SourcePage(URL, html=page)) == Redirect(key_of(URL), key_of(target), URL)


@pytest.mark.parametrize(
    "head",
    [
        '<meta http-equiv="refresh" content="300">',
        '<meta http-equiv="refresh" content="600; url=x.html">',
        f'<meta http-equiv="refresh" content="0; url={URL}">',
        '<noscript><meta http-equiv="refresh" content="0; url=noscript.html"></noscript>',
    ],
)
def test_pages_that_stay_are_pages(head: str, html: Callable[..., str]) -> None:
    """Reloading, a long wait, and what readers without scripts get are no redirects."""
    assert isinstance(prepare(SourcePage(URL, html=html("T", "A short text of a page.", head))), PreparedPage)


def test_the_address_that_a_page_claims_is_a_hint(prose: Callable[..., str], html: Callable[..., str]) -> None:
    """rel=canonical on the same site is remembered, on another site not."""
    for href, hints in (("../real", (key_of("https://a.example/real"),)), ("https://b.example/real", ())):
        page = prepare(SourcePage(URL, html=html("T", prose(1), f'<link rel="canonical" href="{href}">')))
        assert isinstance(page, PreparedPage)
        assert page.hints == hints


def test_long_texts_lose_their_end() -> None:
    """A text has at most a million characters, a title a thousand."""
    page = prepare(SourcePage(URL, title="t" * 5_000, text="x" * 3_000_000))
    assert isinstance(page, PreparedPage)
    assert (len(page.text), len(page.title)) == (1_000_000, 1_000)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.text(alphabet=st.characters(), max_size=60))
def test_no_document_raises(raw: bytes, text: str) -> None:
    """Any bytes and any text are a page, a redirect or skipped, and what is kept has a UTF-8 form."""
    pages = [SourcePage(URL, html=raw), SourcePage(URL, html=text), SourcePage(URL, title=text, text=text, date=text)]
    pages += [SourcePage(text, text="x"), SourcePage(URL, html=b"<html><body><p>" + raw * 3)]
    for page in pages:
        result = prepare(page)
        assert isinstance(result, PreparedPage | Redirect | Skipped)
        if isinstance(result, PreparedPage):
            assert "\0" not in result.text
            (result.url + result.title + result.text).encode()
