"""The documents of a user's Lucene index, as pages: what Anserini stored of each, and an address for each."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from sys import getsizeof
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from webenv.corpora.analysis import utf8
from webenv.corpora.caches import LRUCache
from webenv.corpora.document import Progress, day_of, silent
from webenv.corpora.lucene.jvm import java
from webenv.corpora.lucene.reader import Asked, LuceneReader
from webenv.errors import InvalidArgument
from webenv.urls import MAX_URL, canonical_url, host_of, page_key, parents

_ID = "id"
_STORED = ("raw", "contents")
_TEXTS = ("contents", "text", "body", "segment", "passage")
_LONGEST_TEXT = 1_000_000
_LONGEST_TITLE = 1_000
_FIRST_LINE = 200
_RECENT = 64_000_000  # bytes of texts that are kept of documents read of late


class LuceneDocument(NamedTuple):
    """A document as a page.

    Attributes:
        url: its address, canonical if it is its own.
        title: its title, or its first line.
        text: its text.
        date: ISO date, or empty.
        site: its host without ``www.``.
        key: the key of its address.
    """

    url: str
    title: str
    text: str
    date: str
    site: str
    key: int


class LuceneDocuments:
    """Reads documents by number or id, inside :func:`webenv.corpora.lucene.jvm.using_java`.

    Args:
        reader: the open index.
        name: of its folder, from which addresses are made for documents that have none.
    """

    def __init__(self, reader: LuceneReader, name: str) -> None:
        self._reader = reader
        label = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:63].strip("-") or "index"
        self.host = f"{label}.example"
        self._fields = java("java.util.Set").of(_ID, *_STORED)
        self._recent: LRUCache[int, LuceneDocument] = LRUCache(_RECENT)
        self.numbered = lru_cache(100_000)(self._numbered)

    def get(self, doc: int) -> LuceneDocument:
        record = self._recent.get(doc)
        if record is None:
            record = self.read(doc)
            self._recent.put(doc, record, getsizeof(record.text))
        return record

    def read(self, doc: int) -> LuceneDocument:
        stored = self._reader.java.storedFields().document(doc, self._fields)
        id_ = utf8(stored.get(_ID) or "")
        raw = next((text for name in _STORED if (text := stored.get(name))), "")
        return self._record(id_, raw)

    def stores_texts(self) -> bool:
        """Whether the first document has a text."""
        return bool(self.read(0).text)

    def _record(self, id_: str, raw: str) -> LuceneDocument:
        given = _object(raw)
        text = next((value for name in _TEXTS if isinstance(value := given.get(name), str)), "" if given else raw)
        text = _sound(text[:_LONGEST_TEXT]).strip()
        title = given.get("title")
        title = " ".join(utf8(title[:_LONGEST_TITLE]).split()) if isinstance(title, str) else ""
        if not title:
            first = text[:_LONGEST_TITLE].splitlines()[:1] or [id_]
            title = " ".join(first[0].split())[:_FIRST_LINE]
        url = given.get("url")
        address = (canonical_url(url) if isinstance(url, str) else None) or self._own(id_)
        date = given.get("date")
        return LuceneDocument(address, title, text, _iso(date), host_of(address), page_key(address))

    def _own(self, id_: str) -> str:
        """The id itself where it is an address, else one made of it."""
        address = canonical_url(id_) if id_.startswith(("http://", "https://")) else None
        return address or f"https://{self.host}/{quote(id_, safe='')}"

    def id_in(self, url: str) -> str | None:
        """The id in an address that was made here; ``None`` in any other."""
        url = url.strip()
        if len(url) > MAX_URL * 3 or host_of(url) != self.host:
            return None
        try:
            path = urlsplit(url if "://" in url else f"https://{url}").path
            return unquote(path[1:], errors="strict") or None
        except ValueError:
            return None

    def _numbered(self, id_: str) -> int | None:
        hits = self._reader.ranked([Asked(self._reader.term(_ID, id_), 1)])[0]
        return hits[0].doc if hits else None


def _sound(text: str) -> str:
    """A text without lone surrogates; takes less time than :func:`webenv.corpora.query.utf8` where there are none."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return utf8(text)


def _object(raw: str) -> dict[str, Any]:
    if not raw.startswith("{"):
        return {}
    try:
        given = json.loads(raw, strict=False)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _iso(date: object) -> str:
    """The ISO date that a record has; empty where it is none."""
    if not isinstance(date, str) or not date:
        return ""
    try:
        day_of(date)
    except InvalidArgument:
        return ""
    return date[:10]


# ── the catalogue ─────────────────────────────────────────────────────────────


_VERSION = 1
_EVERY = 1_000


class DocumentCatalogue:
    """What is known of each document.

    Args:
        keys: of the address of each document, by its number; -1: deleted.
        site: the place of each document's host in ``hosts``.
        days: the number of each document's day; 0: unknown.
        hosts: in alphabetical order.
    """

    def __init__(
        self, keys: NDArray[np.int64], site: NDArray[np.int32], days: NDArray[np.int32], hosts: NDArray[np.str_]
    ) -> None:
        self.keys = keys
        self._site = site
        self._days = days
        self._hosts: list[str] = hosts.tolist()
        self._order = np.argsort(keys, kind="stable")
        counts = np.bincount(site[keys >= 0], minlength=len(self._hosts)).tolist()
        self.sites = {host: count for host, count in zip(self._hosts, counts, strict=True) if count}

    @classmethod
    def of(
        cls, records: Iterator[LuceneDocument | None], count: int, progress: Progress | None = None
    ) -> DocumentCatalogue:
        """Makes one of each document in order, ``None`` where one was deleted; tells how many (``reading``)."""
        told = progress or silent
        keys = np.full(count, -1, dtype=np.int64)
        site = np.zeros(count, dtype=np.int32)
        days = np.zeros(count, dtype=np.int32)
        places: dict[str, int] = {}
        for doc, record in enumerate(records):
            if record is not None:
                keys[doc] = record.key
                site[doc] = places.setdefault(record.site, len(places))
                days[doc] = day_of(record.date) if record.date else 0
            if (doc + 1) % _EVERY == 0:
                told("reading", doc + 1, count)
        hosts = np.array(sorted(places), dtype=np.str_)
        moved = np.zeros(max(1, len(places)), dtype=np.int32)
        for place, host in enumerate(hosts.tolist()):
            moved[places[host]] = place
        return cls(keys, moved[site], days, hosts)

    @classmethod
    def read(cls, path: Path, count: int) -> DocumentCatalogue | None:
        """One that was kept in a file; ``None`` where there is none that can be read."""
        try:
            with np.load(path, allow_pickle=False) as kept:
                if int(kept["version"]) != _VERSION or kept["keys"].shape != (count,):
                    return None
                return cls(kept["keys"], kept["site"], kept["days"], kept["hosts"])
        except (OSError, ValueError, KeyError, EOFError):
            return None

    def keep(self, path: Path) -> None:
        """Keeps it in a file, in one step; a folder that cannot be written to is left alone."""
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, new = tempfile.mkstemp(dir=path.parent, suffix=".npz")
            with os.fdopen(descriptor, "wb") as file:
                hosts = np.array(self._hosts, dtype=np.str_)
                np.savez(
                    file, version=np.int64(_VERSION), keys=self.keys, site=self._site, days=self._days, hosts=hosts
                )
            os.replace(new, path)

    def find(self, key: int) -> int | None:
        """The first document of an address, by its key."""
        place = int(np.searchsorted(self.keys, key, sorter=self._order))
        if place == len(self._order) or self.keys[self._order[place]] != key:
            return None
        return int(self._order[place])

    def allowed(self, sites: tuple[str, ...], hidden: tuple[str, ...], last: int) -> NDArray[np.bool_]:
        """Which documents may be found, as a boolean for each.

        Args:
            sites: hosts; those of one of them, or of a subdomain. Empty: all.
            hidden: hosts; none of them or of a subdomain.
            last: the number of the last day; 0: no limit.
        """
        above = [set(parents(host)) for host in self._hosts]
        good = [(not sites or not upper.isdisjoint(sites)) and upper.isdisjoint(hidden) for upper in above]
        allowed = np.array(good, dtype=np.bool_)[self._site] if good else np.zeros(len(self.keys), dtype=np.bool_)
        allowed &= self.keys >= 0
        if last:
            allowed &= (self._days > 0) & (self._days <= last)
        return allowed
