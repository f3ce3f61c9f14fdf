"""DocIds: what others call the pages of a corpus, as the ids of a data set or addresses in any form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from webenv.corpora.store import DiskStore
from webenv.errors import CorpusError
from webenv.urls import key_of


class DocIds:
    """Finds the page of a label: its address in any form, another address of it, or its id where it came from.

    Args:
        store: the pages.
        sources: what the corpus was built from, as its manifest says; those that give pages by an id make
            an address of it.
    """

    def __init__(self, store: DiskStore, sources: Iterable[str]) -> None:
        self._store = store
        self._keys = np.sort(np.fromiter((key for key, _, _ in store.outline()), dtype=np.int64))
        self._bases = tuple(dict.fromkeys(base for source in sources if (base := _base(source))))

    def key(self, label: str) -> int | None:
        """The key of the page that a label means; ``None`` where there is none."""
        for key in self._candidates(label.strip()):
            if self._has(key):
                return key
            other = self._store.alias(key)
            if other is not None:
                return other
        return None

    def _candidates(self, label: str) -> Iterator[int]:
        from webenv.corpora.ingest import id_address

        own = key_of(label)
        if own is not None:
            yield own
        for base in self._bases if label else ():
            made = key_of(id_address(base, label))
            if made is not None:
                yield made

    def _has(self, key: int) -> bool:
        place = int(np.searchsorted(self._keys, key))
        return place < len(self._keys) and int(self._keys[place]) == key

    def url(self, key: int) -> str:
        """The address of a page; empty where there is none of this key."""
        page = self._store.get(key)
        return "" if page is None else page.url


def _base(source: str) -> str:
    """Where the pages of a source stand by their ids; empty where they have none."""
    from webenv.corpora.ingest.jsonl import CLUEWEB_SITE
    from webenv.corpora.ingest.record import made_site, parse_place

    kind = source.partition(":")[0]
    if kind not in ("jsonl", "parquet", "clueweb"):
        return ""
    try:
        place = parse_place(source)
        return made_site(source, Path(place.path), place.site or (CLUEWEB_SITE if kind == "clueweb" else ""))
    except CorpusError:
        return ""
