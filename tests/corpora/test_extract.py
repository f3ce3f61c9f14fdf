"""Whatever bytes a page has, its text, title, date and addresses are read, or it is left out."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.metadata import version

import pytest
import trafilatura
from hypothesis import given, settings
from hypothesis import strategies as st

from webenv.corpora.document import PreparedPage, Redirect, Skipped, SourcePage
from webenv.corpora.extract import EXTRACTORS, decode_html, extract, extractor_version
from webenv.corpora.prepare import prepare
from webenv.errors import InvalidArgument
from webenv.urls import key_of

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
    ("raw", "charset", "text"),
    [
        ("<p>маяк</p>".encode("cp1251"), "windows-1251", "маяк"),
        ('<meta charset="iso-8859-2"><p>řeka</p>'.encode("iso-8859-2"), "no-such", "řeka"),
        ('<meta charset="iso-8859-1"><p>маяк</p>'.encode("koi8-r"), "KOI8-R", "маяк"),
        ("<p>naïve – 漢</p>".encode(), "iso-8859-1", "naïve – 漢"),
        ("<p>naïve</p>".encode("utf-16"), "iso-8859-1", "naïve"),
        ('<meta charset="iso-8859-1"><p>na\xefve</p>'.encode("latin-1"), "utf-8", "naïve"),
        ("<p>漢字</p>".encode("iso2022_jp"), "", "漢字"),
        ("<p>漢字漢字</p>".encode("gb18030"), "gb2312", "漢字漢字"),
    ],
)
def test_the_charset_that_a_server_names(raw: bytes, charset: str, text: str) -> None:
    """It comes after byte order marks and UTF-8 and before what the file says, if all bytes fit it."""
    assert text in decode_html(raw, charset)


def test_a_charset_comes_from_the_source() -> None:
    """What a source says of the server's charset is used."""
    page = prepare(SourcePage(URL, html="<html><body><p>маяк</p></body></html>".encode("cp1251"), charset="cp1251"))
    assert isinstance(page, PreparedPage)
    assert page.text == "маяк"


def test_resiliparse_extracts(prose: Callable[..., str], html: Callable[..., str]) -> None:
    """The main text without navigation, with the same title, date and address as by trafilatura."""
    head = "<meta name='date' content='2023-01-02'><link rel=canonical href='/real'>"
    page = html("A title", prose(1), head).replace("<article>", "<nav><a href='/'>Home</a></nav><article>")
    found = extract(page, URL, "resiliparse")
    assert prose(1) in found.text
    assert "Home" not in found.text
    assert found._replace(text="") == extract(page, URL)._replace(text="")
    made = prepare(SourcePage(URL, html=page), "resiliparse")
    assert isinstance(made, PreparedPage)
    assert (made.title, made.date) == ("A title", "2023-01-02")


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_a_huge_index_is_read_in_seconds(extractor: str) -> None:
    """A page of 60,000 links, on which trafilatura spends minutes, is a page with all its text."""
    links = "".join(f"<a href='/{number}'>entry {number}</a> " for number in range(60_000))
    page = prepare(SourcePage(URL, html=f"<html><body><p>{links}</p></body></html>"), extractor)
    assert isinstance(page, PreparedPage)
    assert page.text.startswith("entry 0 entry 1")
    assert "entry 50000" in page.text


def test_resiliparse_takes_the_whole_page_where_it_finds_no_main_text() -> None:
    """A page that looks like a menu all over is not lost."""
    links = "".join(f"<li><a href='/{n}'>Lighthouse number {n}</a></li>" for n in range(40))
    page = f"<html><body><div class='toc'><ul>{links}</ul></div></body></html>"
    assert "Lighthouse number 39" in extract(page, URL, "resiliparse").text


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_a_page_without_a_text(extractor: str) -> None:
    """Where an extractor finds nothing, the page is left out."""
    page = SourcePage(URL, html="<html><head><title>T</title></head><body><script>x</script></body></html>")
    assert prepare(page, extractor) == Skipped("empty text", URL)


def test_extractors_have_versions() -> None:
    """The name of an extractor and its version go into the manifest; an unknown one is refused."""
    assert extractor_version() == trafilatura.__version__
    assert extractor_version("resiliparse") == version("resiliparse")
    with pytest.raises(InvalidArgument, match=r"unknown extractor 'resilliparse'.* Did you mean 'resiliparse'"):
        extractor_version("resilliparse")
    with pytest.raises(InvalidArgument, match="unknown extractor"):
        prepare(SourcePage(URL, html="<p>x</p>"), "readability")


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
    pages += [SourcePage(URL, html=raw, charset=text), SourcePage(URL, redirect=text)]
    for result in [prepare(page, extractor) for page in pages for extractor in EXTRACTORS]:
        assert isinstance(result, PreparedPage | Redirect | Skipped)
        if isinstance(result, PreparedPage):
            assert "\0" not in result.text
            (result.url + result.title + result.text).encode()


@pytest.mark.parametrize("extractor", EXTRACTORS)
def test_a_tag_of_very_many_attributes_takes_no_time(extractor: str, prose: Callable[..., str]) -> None:
    """Attributes on which a parser would spend minutes are left out; the text stays."""
    many = " ".join(f"a{n}='>'" for n in range(24_000))
    page = f"<html><body><article><p {many}>{prose(1)}</p><p {many[:900]}>{prose(2)}</p></article></body></html>"
    started = time.process_time()
    text = extract(page, URL, extractor).text
    assert time.process_time() - started < 5.0
    assert text.split() == f"{prose(1)} {prose(2)}".split()


def test_scripts_and_quotation_marks_do_not_make_tags_longer() -> None:
    """What stands between tags is not taken for one, however long; long attributes are."""
    script, text = "x=1;" * 9_000, "It's here. " * 3_000
    page = f"<body><script>if (a<b) {{{script}}}</script><p title=don't>{text}<img src='data:{script}'>end</p></body>"
    assert extract(page, URL).text.split() == f"{text} end".split()
