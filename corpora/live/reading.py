"""Reading: from what was fetched to the text of a page."""

from __future__ import annotations

import io
import logging
from typing import NamedTuple

from webenv.corpora.document import PreparedPage, SourcePage
from webenv.corpora.extract import decode_html, extract
from webenv.corpora.prepare import prepare
from webenv.corpora.url import key_of
from webenv.observations import Page

_STUB = 500  # characters; a document that leads on with less text than this is no page of its own
_MOST_SHEETS = 300  # of a PDF are read
_MOST_TEXT = 1_000_000  # characters
_REASONS = {
    "empty text": "the page has no text",
    "extractor error": "the page cannot be read",
    "bad URL": "this is no web address",
}


class Fetched(NamedTuple):
    """A document as it came.

    Attributes:
        url: where it was found, after all redirects.
        kind: ``html``, ``text`` or ``pdf``.
        body: its bytes.
        charset: what its server says of it; empty where it says nothing.
    """

    url: str
    kind: str
    body: bytes
    charset: str = ""


class Onward(NamedTuple):
    """A document that only leads on to another address."""

    url: str


class Unreadable(NamedTuple):
    """A document without a text; ``reason`` says why, in a few words."""

    reason: str


def read(document: Fetched) -> Page | Onward | Unreadable:
    """The page that a document is. Its URL is canonical, its key that of the URL.

    Never raises for what a document holds.
    """
    source: SourcePage | Onward | Unreadable
    if document.kind == "pdf":
        source = _read_pdf(document)
    elif document.kind == "text":
        source = SourcePage(document.url, text=decode_html(document.body, document.charset))
    else:
        source = _read_html(document)
    if not isinstance(source, SourcePage):
        return source
    prepared = prepare(source)
    if not isinstance(prepared, PreparedPage):
        reason = getattr(prepared, "reason", "")
        return Unreadable(_REASONS.get(reason, reason or "the page cannot be read"))
    return Page(prepared.url, prepared.title, prepared.text, prepared.date, f"{prepared.key:016x}")


def _read_html(document: Fetched) -> SourcePage | Onward | Unreadable:
    try:
        found = extract(document.body, document.url, charset=document.charset)
    except Exception:  # whatever a parser makes of a document, the batch goes on
        return Unreadable("the page cannot be read")
    if found.refresh and len(found.text) < _STUB and key_of(found.refresh) not in (None, key_of(document.url)):
        return Onward(found.refresh)
    return SourcePage(document.url, found.title, found.text, date=found.date)


def _read_pdf(document: Fetched) -> SourcePage | Unreadable:
    try:
        import pypdf
    except ImportError:
        return Unreadable("it is a PDF, and reading those needs pypdf: pip install '.[live]'")
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every fault of a file
    texts: list[str] = []
    size = 0
    try:
        reader = pypdf.PdfReader(io.BytesIO(document.body))
        if reader.is_encrypted and not reader.decrypt(""):
            return Unreadable("it is a PDF that needs a password")
        for number, sheet in enumerate(reader.pages):
            if number >= _MOST_SHEETS or size >= _MOST_TEXT:
                break
            text = sheet.extract_text()
            texts.append(text)
            size += len(text)
        told = reader.metadata
        title = str((told.title if told is not None else "") or "")
        date = told.creation_date.date().isoformat() if told is not None and told.creation_date is not None else ""
    except Exception:  # as above
        if not any(text.strip() for text in texts):
            return Unreadable("it is a PDF that cannot be read")
        title = date = ""
    text = "\n\n".join(text for text in texts if text.strip())
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return SourcePage(document.url, title.strip() or first[:200], text, date=date)
