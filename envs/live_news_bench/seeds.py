"""Seed events: the dated news events that questions are built from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

from webenv.errors import TaskFileError
from webenv.runtime.files import JsonRecord, read_json_records, read_text


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
    files = sorted(file for file in top.iterdir() if file.suffix.lower() in _READERS) if top.is_dir() else [top]
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
    from webenv.envs.live_news_bench.current_events import events_of_html, events_of_wikitext

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
