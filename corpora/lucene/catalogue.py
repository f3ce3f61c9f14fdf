"""The catalogue of a user's Lucene index: the address, host and date of each document, which it cannot search by."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from webenv.corpora.day import day_of
from webenv.corpora.lucene.records import Record
from webenv.corpora.progress import Progress, silent
from webenv.corpora.url import parents

_VERSION = 1
_EVERY = 1_000


class Catalogue:
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
    def of(cls, records: Iterator[Record | None], count: int, progress: Progress | None = None) -> Catalogue:
        """Makes one.

        Args:
            records: each document in order, ``None`` for one that was deleted.
            count: how many there are.
            progress: told how many have been read (``reading``).
        """
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
    def read(cls, path: Path, count: int) -> Catalogue | None:
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
