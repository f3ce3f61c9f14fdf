"""From what was fetched to the text of a page, in processes that may be ended."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from webenv.corpora.live.readers import Fetched, Onward, Readers, Unreadable, read
from webenv.observations import Page
from webenv.web import Failure

PROSE = "The neap tide comes at the quarters of the moon, when the sun pulls across it. " * 4
HTML = f"<html><head><title>Tides</title></head><body><article><p>{PROSE}</p></article></body></html>"
URL = "https://www.Harbour.example/tides/?b=2&a=1"


def pdf(*lines: str, title: str = "") -> bytes:
    """A PDF of one page."""
    drawn = "BT /F1 12 Tf 72 720 Td " + " ".join(f"({line}) Tj 0 -20 Td" for line in lines) + " ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        "/Resources << /Font << /F1 5 0 R >> >> >>",
        f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({title}) /CreationDate (D:20240305120000Z) >>",
    ]
    data, places = "%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{text}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}"
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return (data + end + trailer).encode("latin-1")


def test_a_page_has_the_address_and_key_that_a_corpus_gives_it() -> None:
    page = read(Fetched(URL, "html", HTML.encode()))
    assert isinstance(page, Page)
    assert page.url == "https://www.harbour.example/tides/?a=1&b=2"
    assert page.title == "Tides"
    assert page.text == PROSE.strip()
    assert page.key == "1c75e560fa59a0d3"


GERMAN = f"<html><body><article><p>{'Grüße aus Köln an der Ebbe, und bis bald. ' * 8}</p></article></body></html>"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (GERMAN.encode(), ""),
        (GERMAN.encode("latin-1"), "iso-8859-1"),
        (GERMAN.encode(), "iso-8859-1"),
        (GERMAN.encode("cp1252"), "no-such-charset"),
        (GERMAN.encode("mac-roman"), "macintosh"),
        (("\ufeff" + GERMAN).encode("utf-16-le"), "utf-8"),
        (b'<meta charset="mac-roman">' + GERMAN.encode("mac-roman"), ""),
    ],
)
def test_a_page_is_decoded_whatever_its_server_says(body: bytes, charset: str) -> None:
    page = read(Fetched(URL, "html", body, charset))
    assert isinstance(page, Page)
    assert page.text == ("Grüße aus Köln an der Ebbe, und bis bald. " * 8).strip()


def test_japanese_in_seven_bits_is_decoded() -> None:
    page = read(Fetched(URL, "text", "潮の満ち引きは月による。".encode("iso2022_jp"), "iso-2022-jp"))
    assert isinstance(page, Page)
    assert page.text == "潮の満ち引きは月による。"


def test_plain_text_is_kept_as_it_is() -> None:
    page = read(Fetched(URL, "text", b"1 < 2\r\n<b>tide</b>\x00\x07"))
    assert isinstance(page, Page)
    assert page.text == "1 < 2\n<b>tide</b>"
    assert page.title == page.url


def test_the_date_is_the_one_that_the_page_states() -> None:
    dated = HTML.replace("<head>", '<head><meta property="article:published_time" content="2024-03-05T08:00">')
    page = read(Fetched(URL, "html", dated.encode()))
    assert isinstance(page, Page)
    assert page.date == "2024-03-05"


def test_a_document_that_only_leads_on_says_where() -> None:
    body = b'<meta http-equiv="refresh" content="0; url=../next?x=1"><p>Moved.</p>'
    assert read(Fetched("http://a.example/b/", "html", body)) == Onward("http://a.example/next?x=1")


@pytest.mark.parametrize("body", [b"", b"<html></html>", b"<script>1</script>", b"<div>" * 100_000])
def test_a_page_without_text_is_unreadable(body: bytes) -> None:
    assert read(Fetched(URL, "html", body)) == Unreadable("the page has no text")


def test_a_pdf_gives_its_text_title_and_date() -> None:
    page = read(Fetched(URL, "pdf", pdf("The neap tide", "is the lowest.", title="Tide tables")))
    assert isinstance(page, Page)
    assert (page.title, page.date) == ("Tide tables", "2024-03-05")
    assert page.text.split() == ["The", "neap", "tide", "is", "the", "lowest."]


@pytest.mark.parametrize("body", [b"%PDF-1.7", b"%PDF-1.7 " + bytes(5_000), pdf("x")[:120]])
def test_a_broken_pdf_is_unreadable(body: bytes) -> None:
    assert isinstance(read(Fetched(URL, "pdf", body)), Unreadable)


class Trap(tuple[Any, ...]):
    """A document that does something to the process it is sent to."""

    deed: tuple[Callable[..., Any], tuple[Any, ...]]

    def __reduce__(self) -> Any:
        return self.deed


def trap(deed: Callable[..., Any], *arguments: Any) -> Fetched:
    document: Any = Trap()
    document.deed = (deed, arguments)
    found: Fetched = document
    return found


async def _read_all(readers: Readers, documents: list[Fetched]) -> list[Page | Onward | Unreadable | Failure]:
    try:
        return list(await asyncio.gather(*map(readers.read, documents)))
    finally:
        await readers.aclose()


def test_a_document_that_kills_or_stops_its_reader_harms_no_other() -> None:
    good = Fetched(URL, "html", HTML.encode())
    documents = [trap(os._exit, 9), trap(time.sleep, 60), good, good]
    found = asyncio.run(_read_all(Readers(2, 3.0), documents))
    assert found[0] == Unreadable("it cannot be read (TerminatedWorkerError)")
    assert found[1] == Unreadable("reading it takes longer than 3 seconds")
    assert [type(page) for page in found[2:]] == [Page, Page]


def test_threads_read_as_processes_do() -> None:
    [page] = asyncio.run(_read_all(Readers(0, 30.0), [Fetched(URL, "html", HTML.encode())]))
    assert isinstance(page, Page)


@pytest.mark.slow
def test_threads_that_are_all_stuck_are_a_failure_until_one_is_done() -> None:
    async def run() -> list[object]:
        readers = Readers(0, 0.6)
        good = Fetched(URL, "text", b"The tide.")
        slow: list[Any] = [Slow(), Slow()]
        found: list[object] = list(await asyncio.gather(*map(readers.read, [*slow, good, good])))
        await asyncio.sleep(5.0)
        found.append(await readers.read(good))
        return found

    found = asyncio.run(run())
    assert found[:2] == [Unreadable("reading it takes longer than 0.6 seconds")] * 2
    stuck = Failure("the threads that read pages are all stuck; processes can be ended: readers=1 or more")
    assert found[2:4] == [stuck, stuck]
    assert isinstance(found[4], Page)


class Slow:
    """A document of which nothing is known for some time."""

    url, body, charset = URL, b"The ebb.", ""

    @property
    def kind(self) -> str:
        time.sleep(1.2)
        return "text"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of memory are of POSIX systems")
def test_a_reader_gets_no_more_memory_than_it_needs() -> None:
    [found] = asyncio.run(_read_all(Readers(1, 30.0), [trap(bytes, 3_000_000_000)]))
    assert found == Unreadable("it cannot be read (BrokenProcessPool)")
