"""Web archives: their records as pages, transfer and content encodings taken off."""

from __future__ import annotations

import io
import os
import re
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urljoin

import zstandard

from webenv.corpora.document import Skipped, SourcePage
from webenv.corpora.ingest.files import FILE_NAMES, FileSource, find_files
from webenv.corpora.ingest.jsonl import first_line
from webenv.corpora.ingest.record import id_address
from webenv.corpora.prepare import MOST_BYTES
from webenv.errors import MissingExtra

_PIECE = 65_536


class Undecodable(Exception):
    """A body that is not what its headers say, and no HTML either."""


def decode_body(body: bytes, transfer: str, content: str, most: int) -> bytes:
    """A body without its encodings.

    Recorded headers often tell of encodings that whoever recorded them has taken off: a body that
    does not begin as they say is taken as it is, where it looks like HTML. Of one that breaks off
    what came before counts.

    Args:
        body: as recorded.
        transfer: the header ``Transfer-Encoding``, or nothing.
        content: the header ``Content-Encoding``, or nothing: gzip, deflate, br, zstd; others are ignored.
        most: the longest result, in bytes; a longer one has ``most + 1``.

    Raises:
        Undecodable: if neither holds.
    """
    codings = [*content.split(","), *transfer.split(",")]
    for coding in reversed([coding.strip().lower() for coding in codings]):
        decoded = _decode(body, coding, most)
        if decoded is None:
            continue
        if body and not decoded:
            if b"<" not in body[:1_000] or b"\0" in body[:1_000]:
                raise Undecodable
            continue
        body = decoded
    return body


def _decode(body: bytes, coding: str, most: int) -> bytes | None:
    """What there is behind one coding, empty where it is not that; ``None`` for a coding that changes nothing."""
    from fastwarc.stream_io import BrotliReader, ChunkedReader, ZstdReader

    if coding in ("gzip", "x-gzip", "deflate"):
        return _inflate(body, 47, most) or (_inflate(body, -15, most) if coding == "deflate" else b"")
    if coding == "chunked":
        return _read(ChunkedReader(io.BytesIO(body)), most, 1_024)  # a piece that breaks off is lost
    if coding == "br":
        return _read(BrotliReader(io.BytesIO(body)), most)
    if coding == "zstd":
        return _read(ZstdReader(io.BytesIO(body)), most)
    return None


def _inflate(body: bytes, bits: int, most: int) -> bytes:
    try:
        return zlib.decompressobj(bits).decompress(body, most + 1)
    except zlib.error:
        pass
    # It breaks: the same again in pieces, to have what stands before that.
    inflate, output = zlib.decompressobj(bits), b""
    try:
        for place in range(0, len(body), _PIECE):
            output += inflate.decompress(body[place : place + _PIECE], most + 1 - len(output))
            if len(output) > most:
                break
    except zlib.error:
        pass
    return output


def _read(reader: Any, most: int, length: int = _PIECE) -> bytes:
    pieces, size = [], 0
    try:
        while size <= most:
            piece = reader.read(min(length, most + 1 - size))
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
    except (OSError, ValueError):
        pass
    return b"".join(pieces)


# ── WARC files ────────────────────────────────────────────────────────────────


_HTML = ("text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_LOOKS = re.compile(  # possessive: a comment that could end in several places makes time exponential in the comments
    rb"\s*+(?:\xef\xbb\xbf)?\s*+(?:<!--.*?-->\s*+|<\?xml.*?>\s*+)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_RECORD = re.compile(rb"(?P<place>WARC/[01]\.\d{1,2}\r?\n)(?:WARC-|Content-)[A-Za-z-]{2,30}:")
_CHARSET = re.compile(r"charset\s*=\s*+[\"']?\s*+([^\s\"';,]+)", re.IGNORECASE)
_CLUEWEB = re.compile(r"\s*(clueweb\d\d)-", re.IGNORECASE)
_GZIP = b"\x1f\x8b\x08"
_ZSTD = b"\x28\xb5\x2f\xfd"
_BLOCK = 1_000_000
_MOST_TRIES = 1_000  # places in a row where a record seems to begin and does not
_IDS = ("clueweb22-id", "warc-trec-id")
_RESPONSE, _RESOURCE, _REVISIT, _CONVERSION = _KINDS = (4, 8, 64, 128)  # as in fastwarc.WarcRecordType
_CORRUPT = "corrupt record"
_NO_WARC = "not a WARC file"


class WebArchives(FileSource):
    """HTML pages of .warc files, plain, .gz (a member a record) or .zst.

    Pages are ``response`` records of status 2xx and ``resource`` records whose content type is HTML, and the
    texts of ``conversion`` records (WET files). Answers of status 3xx become redirects. Requests,
    metadata and the like are passed over; anything else is skipped and counted. A page's date is what its
    HTML states, never the day of the crawl. An id in the headers (ClueWeb's) makes an alias, as in
    ``https://clueweb22.example/clueweb22-en0000-00-00004``.

    After damage the file is read on from the next record that can be found: in a .gz the next member.

    Args:
        path: a file, or a folder of .warc, .warc.gz and .warc.zst files.

    Raises:
        CorpusError: if it is not there or cannot be read.
        MissingExtra: without fastwarc.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.spec = f"warc:{path}"
        _fastwarc()
        super().__init__(find_files(self.spec, self.path, FILE_NAMES["warc"], ".warc or .warc.gz"))

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        for file in self._read():
            try:
                with self.meter.open(file) as stream:
                    yield from _Archive(stream, f"warc:{file}").read()
            except OSError:
                yield Skipped("unreadable file", f"warc:{file}")


class _Damage(Exception):
    """The file is damaged after the last record, or in it: then the argument says how."""


class _Archive:
    """One file, read in stretches: from the beginning of a record to the end of the file, or to where it is damaged."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._find = _finder(stream, name)
        self._last = 0  # where the record begins that was read last
        self._found = 0  # records of this stretch

    def read(self) -> Iterator[SourcePage | Skipped]:
        start: int | None = 0
        tries = 0
        gap = ""  # where something was that is no record, not yet told
        while start is not None:
            self._last, self._found = start, 0
            try:
                for document in self._stretch(start):
                    if gap:
                        yield Skipped(_CORRUPT, gap)
                        gap = ""
                    if document is not None:
                        yield document
                if not self._found:
                    yield Skipped(_NO_WARC if start == 0 else _CORRUPT, self._origin(start))
                return
            except _Damage as damage:
                reason = str(damage)
            tries = 0 if self._found else tries + 1
            following = self._find(self._stream, max(start, self._last) + 1) if tries < _MOST_TRIES else None
            if start == 0 and not self._found and following is None:
                reason = _NO_WARC
            if reason or not self._found or following is None:
                yield Skipped(reason or _CORRUPT, self._origin(self._last))
                gap = ""
            else:
                gap = self._origin(self._last)
            start = following

    def _origin(self, position: int) -> str:
        return f"{self._name}@{position}"

    def _stretch(self, start: int) -> Iterator[SourcePage | Skipped | None]:
        """The records from a place on, ``None`` where passed over; _Damage where the next record cannot be read."""
        self._stream.seek(start)
        records = iter(_fastwarc().ArchiveIterator(self._stream, parse_http=False))
        held: _Taken | None = None
        while True:
            try:
                record = next(records, None)
            except Exception as error:  # whatever a parser makes of what is no record
                if held is not None and _RECORD.search(held.body):  # it swallowed what comes after it
                    raise _Damage(_CORRUPT) from error
                if held is not None:
                    yield held.document
                raise _Damage from error
            if held is not None:
                yield held.document
            if record is None:
                return
            self._last = record.stream_pos
            try:
                taken = _take(record, self._origin(self._last))
                record.consume()
            except Exception as error:
                raise _Damage(_CORRUPT) from error
            self._found += 1
            if record.reader.tell() < record.content_length:
                raise _Damage("truncated record")
            held = taken


class _Taken(NamedTuple):
    """What was made of a record.

    Attributes:
        document: ``None`` where it is passed over.
        body: as recorded, where it was read.
    """

    document: SourcePage | Skipped | None
    body: bytes = b""


def _take(record: Any, origin: str) -> _Taken:
    """What a record holds; an OSError if it cannot be read."""
    kind = int(record.record_type)
    if kind not in _KINDS:
        return _PASSED
    headers = _headers(record.headers)
    url = headers.get("warc-target-uri", "").strip().strip("<>")
    if ":" in url and not url[:6].lower().startswith(("http:", "https:")):
        return _PASSED  # dns: and the like
    aliases = tuple(filter(None, (_identified(headers[name]) for name in _IDS if name in headers)))
    if record.is_http and kind in (_RESPONSE, _REVISIT):
        record.parse_http(quirks_mode=True)
        status = record.http_headers.status_code or 0
        headers = _headers(record.http_headers)
        location = headers.get("location", "").strip()
        if 300 <= status < 400 and location:
            return _Taken(SourcePage(url, redirect=_join(url, location), origin=origin))
        if kind == _RESPONSE and not 200 <= status < 300:
            return _Taken(Skipped("HTTP status that is no success" if status else "bad HTTP headers", origin))
    if kind == _REVISIT:
        return _Taken(Skipped("revisit record", origin))
    media, _, parameters = headers.get("content-type", "").partition(";")
    media = media.strip().lower()
    plain = kind == _CONVERSION and media == "text/plain"
    if media and media not in _HTML and not plain:
        return _Taken(Skipped("not HTML", origin))
    body = record.reader.read(MOST_BYTES + 1)
    html = body if len(body) <= MOST_BYTES else None
    if html and kind == _RESPONSE and ("content-encoding" in headers or "transfer-encoding" in headers):
        codings = headers.get("transfer-encoding", ""), headers.get("content-encoding", "")
        try:
            html = decode_body(body, *codings, MOST_BYTES)
        except Undecodable:
            return _Taken(Skipped("undecodable body", origin), body)
    if html is None or len(html) > MOST_BYTES:
        return _Taken(Skipped("too large", origin), body)
    if plain:
        text = html.decode("utf-8", "replace")
        return _Taken(SourcePage(url, first_line(text), text, aliases=aliases, origin=origin), body)
    if not media and not _LOOKS.match(html[:2_000]):
        return _Taken(Skipped("not HTML", origin), body)
    charset = _CHARSET.search(parameters)
    named = charset[1] if charset else ""
    return _Taken(SourcePage(url, html=html, aliases=aliases, origin=origin, charset=named), body)


def _headers(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.to_dict().items()}


def _join(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:
        return location


def _identified(identifier: str) -> str:
    """The address of an id of ClueWeb; empty for another."""
    name = _CLUEWEB.match(identifier)
    return id_address(f"https://{name[1].lower()}.example/", identifier.strip()) if name else ""


_PASSED = _Taken(None)


def _finder(stream: BinaryIO, name: str) -> Callable[[BinaryIO, int], int | None]:
    """What finds the next place from which records can be read, in a file of this form."""
    stream.seek(0)
    start = stream.read(5)
    stream.seek(0)
    if start == b"WARC/":
        return _find_record
    if start.startswith(_GZIP) or name.lower().endswith(".gz"):
        return partial(_find_member, _GZIP, 512, lambda: zlib.decompressobj(31))
    if start.startswith(_ZSTD) or name.lower().endswith(".zst"):
        return partial(_find_member, _ZSTD, 200_000, lambda: zstandard.ZstdDecompressor().decompressobj())
    return _find_record


def _find_member(
    magic: bytes, head: int, decompressor: Callable[[], Any], stream: BinaryIO, position: int
) -> int | None:
    """The next member whose first ``head`` bytes hold the beginning of a record."""
    for place in _find(re.compile(b"(?P<place>" + re.escape(magic) + b")"), stream, position):
        stream.seek(place)
        try:
            if decompressor().decompress(stream.read(head)).startswith(b"WARC/"):
                return place
        except (zlib.error, zstandard.ZstdError):
            continue
    return None


def _find_record(stream: BinaryIO, position: int) -> int | None:
    return next(_find(_RECORD, stream, position), None)


def _find(pattern: re.Pattern[bytes], stream: BinaryIO, position: int) -> Iterator[int]:
    """The places that a pattern finds, from a place on; it matches at most 64 bytes."""
    overlap = 64
    while True:
        stream.seek(position)
        block = stream.read(_BLOCK)
        for match in pattern.finditer(block):
            if match.start() < len(block) - overlap or len(block) < _BLOCK:
                yield position + match.start("place")
        if len(block) < _BLOCK:
            return
        position += len(block) - overlap


def _fastwarc() -> Any:
    try:
        import fastwarc
    except ImportError:
        raise MissingExtra("fastwarc", "ingest", "a warc: source") from None
    return fastwarc
