"""Sources by name, and which kind of source a path holds: by the names of its files and by how a file begins."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, runtime_checkable

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FILE_NAMES, HtmlTree
from webenv.corpora.ingest.jsonl import ClueWebTexts, JsonLines, NeedleFiles
from webenv.corpora.ingest.parquet import ParquetTables
from webenv.corpora.ingest.record import parse_place
from webenv.corpora.ingest.warc import WebArchives
from webenv.errors import CorpusError, did_you_mean

_CERTAIN = {b"PAR1": "parquet", b"WARC": "warc"}  # how a file begins, whatever its name
_LIKELY = {b"{": "jsonl", b"<": "html"}  # where its name does not tell


def kind_of(path: Path) -> str:
    """``html``, ``jsonl``, ``parquet`` or ``warc``: the most frequent kind; empty where that cannot be told."""
    if path.is_dir():
        kinds = Counter(kind for kind in map(_named, _files(path)) if kind)
        return min(kinds, key=lambda kind: (-kinds[kind], kind), default="")
    try:
        with open(path, "rb") as file:
            start = file.read(64)
    except OSError:
        return ""
    return _CERTAIN.get(start[:4]) or _named(path.name) or _LIKELY.get(start.lstrip()[:1], "")


def mistaken(kind: str, path: Path) -> str:
    """The kind that was meant, where a path holds files of another than ``kind`` and none of that; else empty."""
    if kind not in FILE_NAMES or (path.is_dir() and any(_named(name) == kind for name in _files(path))):
        return ""
    found = kind_of(path)
    return found if found != kind else ""


def _files(folder: Path) -> Iterator[str]:
    return (name for _, _, names in os.walk(folder) for name in names)


def _named(name: str) -> str:
    return next((kind for kind, pattern in FILE_NAMES.items() if pattern.search(name)), "")


# ── sources by name ───────────────────────────────────────────────────────────


_SITE = re.compile(r"(?P<path>.+?)(?:@(?P<site>https?://.*))?", re.DOTALL)
FORMS = {
    "html": "html:PATH@https://site",
    "jsonl": "jsonl:PATH",
    "parquet": "parquet:PATH",
    "warc": "warc:PATH",
    "clueweb": "clueweb:PATH",
    "needle": "needle:DIR",
    "procedural": "procedural:pages=3000,seed=0",
}
"""How each kind of source is named."""


@runtime_checkable
class Source(Protocol):
    """Gives documents one after the other, in the same order each time.

    One that cannot tell how many there are may have a ``meter``
    (:class:`webenv.corpora.ingest.files.Meter`), from which a build tells how many are still to come.
    """

    @property
    def spec(self) -> str:
        """What it is called on a command line and in a manifest."""

    def count(self) -> int | None:
        """How many documents there are, where that is cheap to tell."""

    def stamp(self) -> str | None:
        """Something that is equal while what is read is the same, as sizes and times of files; ``None``: not told."""

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        """The documents; a record that is none is :class:`Skipped`."""


def parse_source(spec: str) -> Source:
    """The source that a command line names.

    ========================  =====================================================================
    html:PATH@https://site    a folder of .html files; PATH/a/b.html becomes https://site/a/b.html.
                              Without ``@https://site`` the site is https://<name of the folder>.example
    jsonl:PATH                one JSON object a line: url or id, text or html, and if wanted title, date,
                              aliases; a file or a folder of .jsonl files, also .gz and .zst
    parquet:PATH              tables with such columns; a file or a folder of .parquet files
    warc:PATH                 HTML pages of web archives; a file or a folder of .warc and .warc.gz files
    clueweb:PATH              texts of ClueWeb22: a .json.gz file, a folder of them, or the root of the data set
    needle:DIR                official files of Needle in the Web: the page of each record
    procedural:DIALS          a web made from a seed (:class:`webenv.corpora.procedural.WebConfig`), as in
                              procedural:pages=100000,seed=3; DIALS may be left out
    ========================  =====================================================================

    ``jsonl:`` and ``parquet:`` take ``PATH@https://site``, where records stand by their id (without it
    https://<name of the file or folder>.example), and then ``?text=body&url=link``, what parts are called.

    Raises:
        CorpusError: for an unknown kind, or a path that is not there or holds nothing of the kind; says which kind
            is meant, where the files tell.
        InvalidArgument: for a dial that there is not, or whose value is out of range.
        MissingExtra: where the package that reads the kind is not installed.
    """
    kind, colon, rest = spec.partition(":")
    if kind == "procedural":
        from webenv.corpora.procedural import ProceduralPages

        return ProceduralPages(spec)
    if not colon or kind not in FORMS:
        raise CorpusError(_unknown(spec))
    if not rest:
        raise CorpusError(f"source {spec!r} names no path: expected {FORMS[kind]}.")
    if kind == "needle":
        return NeedleFiles(rest)
    if kind == "warc":
        _check(spec, kind, rest)
        return WebArchives(rest)
    if kind in ("jsonl", "parquet"):
        place = parse_place(spec)
        _check(spec, kind, place.path)
        return JsonLines(*place) if kind == "jsonl" else ParquetTables(*place)
    match = _SITE.fullmatch(rest)
    if match is None:
        raise CorpusError(f"source {spec!r} cannot be read: expected {FORMS[kind]}.")
    path, site = match["path"], match["site"] or ""
    _check(spec, kind, path)
    return ClueWebTexts(path, site) if kind == "clueweb" else HtmlTree(path, site)


def _unknown(spec: str) -> str:
    """What is wrong with a text that begins with no kind of source."""
    match = _SITE.fullmatch(spec)
    path, site = (match["path"], match["site"] or "") if match else (spec, "")
    meant = kind_of(Path(path))
    if meant:
        either = f"{meant}:{path}@{site}" if site else f"{meant}:{path}"
        more = f", or {either}@https://site" if meant == "html" and not site else ""
        return f"source {spec!r} begins with no kind: did you mean {either}{more}?"
    kind, colon, _ = spec.partition(":")
    hint = did_you_mean(kind, FORMS) if colon else ""
    there = "" if colon or Path(path).exists() else f" (and there is no {path})"
    return f"unknown source {spec!r}{there}. Expected {', '.join(FORMS.values())}. {hint}".rstrip()


def _check(spec: str, kind: str, path: str) -> None:
    """Refuses a site without its scheme, and files of another kind.

    Raises:
        CorpusError: says what is meant.
    """
    before, at, site = path.rpartition("@")
    if at and not Path(path).exists() and Path(before).exists():
        raise CorpusError(
            f"source {spec!r}: a site begins with https://; did you mean {kind}:{before}@https://{site or 'site'}?"
        )
    meant = mistaken(kind, Path(path))
    if meant:
        raise CorpusError(f"source {spec!r}: {path} holds {meant}, not {kind}; did you mean {meant}:{path}?")
