"""Seed events: the dated news events that questions are built from, from JSON lines or Wikipedia's current events."""

from __future__ import annotations

import hashlib
import html
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import TaskFileError
from webenv.runtime.files import JsonRecord, files_in, read_json_records, read_text

_DEPTH = 40  # templates within one another, as MediaWiki allows
_FEWEST = 4  # words of a summary; what is shorter is a headline without an event

_DAY_TEMPLATE = re.compile(r"\{\{\s*Current events\b", re.IGNORECASE)
_PARAMETER = re.compile(r"\|\s*(year|month|day)\s*=\s*(\d{1,4})\b", re.IGNORECASE)
# A comment that nothing closes ends with the text, as MediaWiki has it; a reference within another is none.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"<ref\b[^<>]*/>|<ref\b(?:(?!<ref\b).)*?</ref\s*>", re.DOTALL | re.IGNORECASE)
_TEMPLATE = re.compile(r"\{\{[^{}]*\}\}")
_INLINE = re.compile(
    r"\{\{\s*nowrap\s*\|([^{}]*+)\}\}|\{\{\s*(?:convert|cvt)\s*\|([^{}|]*+)\|([^{}|]*+)[^{}]*+\}\}", re.IGNORECASE
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_EXTERNAL = re.compile(r"\[(https?://[^\s\[\]]++)([^\[\]]*+)\]")
_BARE_URL = re.compile(r"(?<!\[)\bhttps?://[^\s\[\]<>|]+")
_QUOTES = re.compile(r"'{2,}")
_CATEGORY = re.compile(r"^(?:;\s*(.+)|'''(.+?)''')\s*:?\s*$")
_ITEM = re.compile(r"^(\*+)\s*(.*)$")


class FoundEvent(NamedTuple):
    """An event as a page tells it; the fields are those of a seed event."""

    date: str
    summary: str
    headline: str
    category: str
    urls: tuple[str, ...]


def events_of_wikitext(text: str, where: str) -> Iterator[FoundEvent]:
    """The events of wikitext that holds one day or several.

    Args:
        text: the wikitext.
        where: what messages call it.

    Raises:
        TaskFileError: if it tells no day, or one that is none.
    """
    starts = [found.start() for found in _DAY_TEMPLATE.finditer(text)]
    if not starts:
        raise TaskFileError(
            f"events {where!r}: no day of current events; expected wikitext with "
            "{{Current events|year=2025|month=8|day=31|content=…}}."
        )
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        chunk = text[start:end]
        parts = {name.lower(): int(number) for name, number in _PARAMETER.findall(chunk)}
        try:
            day = date(parts["year"], parts["month"], parts["day"]).isoformat()
        except (KeyError, ValueError) as error:
            raise TaskFileError(f"events {where!r}: {chunk[:60]!r} tells no day (year, month and day).") from error
        yield from _of_day(_REFERENCE.sub("", _COMMENT.sub("", chunk)), day)


def _of_day(chunk: str, day: str) -> Iterator[FoundEvent]:
    category = ""
    above: list[str] = []
    lines = chunk.split("\n")
    items = [_ITEM.match(line.strip()) for line in lines]
    depths = [len(item[1]) if item else 0 for item in items]
    for number, (line, item) in enumerate(zip(lines, items, strict=True)):
        heading = _CATEGORY.match(line.strip())
        if heading:
            category, above = _plain(heading[1] or heading[2]), []
        if item is None:
            continue
        depth = depths[number]
        summary, urls = _summary(item[2])
        below = next((deeper for deeper in depths[number + 1 :]), 0)
        if below > depth:
            above = [*above[: depth - 1], *[""] * (depth - 1 - len(above)), summary]
        elif len(summary.split()) >= _FEWEST:
            headline = next((text for text in reversed(above[: depth - 1]) if text), "")
            yield FoundEvent(day, summary, headline, category, urls)


def _summary(text: str) -> tuple[str, tuple[str, ...]]:
    """What an item says, and the pages it cites; citations in brackets go, other links leave their words."""
    urls: dict[str, None] = {}

    def take(link: re.Match[str]) -> str:
        urls[html.unescape(link[1])] = None
        words = _QUOTES.sub("", link[2]).strip()
        return "" if words.startswith("(") or not words else words

    text = _EXTERNAL.sub(take, text)
    for bare in _BARE_URL.findall(text):
        urls[html.unescape(bare)] = None
    return _plain(_BARE_URL.sub("", text)), tuple(urls)


def _plain(text: str) -> str:
    """Wikitext of one line as plain text."""
    for _ in range(_DEPTH):
        before, text = text, _TEMPLATE.sub("", _INLINE.sub(lambda found: found[1] or f"{found[2]} {found[3]}", text))
        if text == before:
            break
    text = _QUOTES.sub("", _TAG.sub("", _LINK.sub(r"\1", text)))
    return " ".join(html.unescape(text).replace("}}", " ").split())


def events_of_html(text: str, where: str) -> Iterator[FoundEvent]:
    """The events of a saved page that holds one day or several.

    Args:
        text: its HTML.
        where: what messages call it.

    Raises:
        TaskFileError: if it tells no day.
    """
    import lxml.etree  # type: ignore[import-untyped]
    import lxml.html  # type: ignore[import-untyped]

    try:
        root = lxml.html.fromstring(text)
    except (ValueError, lxml.etree.ParserError) as error:
        raise TaskFileError(f"events {where!r} cannot be read as HTML: {error!s:.100}.") from error
    days = root.xpath("//*[contains(concat(' ', normalize-space(@class), ' '), ' vevent ')]")
    if not days:
        raise TaskFileError(f"events {where!r}: no day of current events; expected a page of Wikipedia's, as saved.")
    for element in days:
        told = element.xpath(".//*[contains(concat(' ', normalize-space(@class), ' '), ' bday ')]")
        try:
            day = date.fromisoformat(told[0].text_content().strip()[:10]).isoformat()
        except (IndexError, ValueError) as error:
            raise TaskFileError(f"events {where!r}: a day without its date (class bday).") from error
        yield from _of_element(element, day)


def _of_element(element: Any, day: str) -> Iterator[FoundEvent]:
    category = ""
    content = element.xpath(".//*[contains(concat(' ', normalize-space(@class), ' '), ' description ')]") or [element]
    for part in content[0]:
        if part.tag == "ul":
            yield from _of_list(part, day, category, "")
        elif part.tag in ("p", "h3", "h4", "div", "dl") and "bday" not in (part.get("class") or ""):
            words = " ".join(part.text_content().split())
            if words and len(words) < 100 and not part.xpath(".//ul"):
                category = words


def _of_list(items: Any, day: str, category: str, headline: str) -> Iterator[FoundEvent]:
    for item in items.iterchildren("li"):
        lists = item.findall("ul")
        words, urls = [item.text or ""], {}
        for part in item:
            if part.tag == "ul":
                words.append(part.tail or "")
                continue
            links = [part] if part.tag == "a" else part.findall(".//a")
            outside = [link for link in links if "external" in (link.get("class") or "").split()]
            urls.update(dict.fromkeys(link.get("href", "") for link in outside))
            inside = "".join(part.itertext()) if isinstance(part.tag, str) else ""
            words += ["" if outside and inside.strip().startswith("(") else inside, part.tail or ""]
        summary = " ".join("".join(words).split())
        if lists:
            for inner in lists:
                yield from _of_list(inner, day, category, summary or headline)
        elif len(summary.split()) >= _FEWEST:
            yield FoundEvent(day, summary, headline, category, tuple(url for url in urls if url))


class SeedEvent(NamedTuple):
    """A news event.

    Attributes:
        id: 16 hex digits of SHA-256 over date and summary.
        date: the day of the event, an ISO date.
        summary: what happened, in one or a few sentences.
        headline: what it belongs to, such as "War in Sudan"; empty where it is not known.
        category: a kind of event, such as "Politics and elections"; empty where it is not known.
        urls: the pages that it cites.
    """

    id: str
    date: str
    summary: str
    headline: str = ""
    category: str = ""
    urls: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, day: str, summary: str, headline: str = "", category: str = "", urls: tuple[str, ...] = ()
    ) -> SeedEvent:
        """An event, with its id."""
        summary = " ".join(summary.split())
        digest = hashlib.sha256(f"{day}\n{summary}".encode(errors="replace")).hexdigest()[:16]
        return cls(digest, day, summary, headline, category, urls)


def read_events(path: str | Path) -> list[SeedEvent]:
    """Reads events, in order of their dates, each once.

    Args:
        path: a file, or a folder of such files: ``.jsonl`` with one object a line (``date`` as in 2025-08-31 and
            ``summary``; if wanted ``headline``, ``category`` and ``urls``, the pages that the event cites); ``.html``
            or ``.htm``, pages of Wikipedia's current events as a browser saves them; ``.wiki``, ``.wikitext`` or
            ``.txt``, their wikitext.

    Raises:
        TaskFileError: for a path without events, or a record that is none.
    """
    top = Path(path)
    if not top.exists():
        raise TaskFileError(f"events {str(top)!r}: there is no such file or folder.")
    files = files_in(top, tuple(_READERS), TaskFileError) if top.is_dir() else [top]
    events: dict[str, SeedEvent] = {}
    for file in files:
        for event in _read(file):
            events.setdefault(event.id, event)
    if not events:
        raise TaskFileError(f"events {str(top)!r} holds no event; expected {', '.join(sorted(_READERS))} with some.")
    return sorted(events.values(), key=lambda event: event.date)


def _read(file: Path) -> Iterator[SeedEvent]:
    kind = _READERS.get(file.suffix.lower())
    if kind is None:
        raise TaskFileError(f"events {str(file)!r}: expected a file ending in {', '.join(sorted(_READERS))}.")
    if kind == "jsonl":
        yield from map(_read_record, read_json_records(file, "events", TaskFileError))
        return

    text = read_text(file, "events", TaskFileError)
    for found in (events_of_html if kind == "html" else events_of_wikitext)(text, str(file)):
        yield SeedEvent.of(found.date, found.summary, found.headline, found.category, found.urls)


def _read_record(given: JsonRecord) -> SeedEvent:
    record, where = given.value, given.place
    if not isinstance(record, dict):
        raise TaskFileError(f'{where}: expected an object, as in {{"date": "2025-08-31", "summary": "…"}}.')
    day, summary, urls = record.get("date"), record.get("summary"), record.get("urls") or []
    try:
        whole = isinstance(day, str) and date.fromisoformat(day).isoformat() == day
    except ValueError:
        whole = False
    if not isinstance(day, str) or not whole:
        raise TaskFileError(f"{where}: date is {day!r:.40}; expected a day, as in 2025-08-31.")
    if not isinstance(summary, str) or not summary.strip():
        raise TaskFileError(f"{where}: summary is {summary!r:.60}; expected what happened, as a text.")
    if not isinstance(urls, list) or not all(isinstance(url, str) for url in urls):
        raise TaskFileError(f"{where}: urls is {urls!r:.60}; expected a list of URLs.")
    return SeedEvent.of(
        day, summary, _text(record.get("headline")), _text(record.get("category")), tuple(dict.fromkeys(urls))
    )


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


_READERS = {
    ".jsonl": "jsonl",
    ".html": "html",
    ".htm": "html",
    ".wiki": "wikitext",
    ".wikitext": "wikitext",
    ".txt": "wikitext",
}
