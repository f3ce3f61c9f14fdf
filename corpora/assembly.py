"""Which documents become pages: duplicates, redirects, aliases and copies, sorted out in source order."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from webenv.corpora.copies import FINGERPRINT, Subject, group_copies, is_copy
from webenv.corpora.document import PreparedPage, Redirect, Skipped

__all__ = ["DUPLICATE", "Assembly"]

DUPLICATE = "URL already taken by a page with another text"
_LOST = "redirect to a page that is not here"
_EXAMPLES = 5
_HOPS = 10


class Assembly:
    """Takes prepared documents one after the other and says which of them are pages.

    The first document of a URL is its page; a later one with the same text is merged without a
    word, one with another text is left out. Memory: about 500 bytes a page.

    Attributes:
        skipped: how many documents were left out, by reason.
        examples: the first five of them, by reason.
    """

    def __init__(self) -> None:
        self.skipped: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}
        self._texts: dict[int, int] = {}
        self._fingerprints = bytearray()
        self._given: dict[int, int] = {}
        self._redirects: dict[int, tuple[int, str]] = {}
        self._hints: dict[int, int | None] = {}

    def take(self, document: PreparedPage | Redirect | Skipped) -> PreparedPage | None:
        """The page to be stored, where the document is one."""
        if isinstance(document, Skipped):
            self._skip(document.reason, document.origin)
            return None
        if isinstance(document, Redirect):
            self._redirects.setdefault(document.key, (document.target, document.origin))
            return None
        text = int.from_bytes(blake2b(document.text.encode(), digest_size=8).digest())
        for alias in document.aliases:
            self._given.setdefault(alias, document.key)
        known = self._texts.get(document.key)
        if known is not None:
            if known != text:
                self._skip(DUPLICATE, document.url)
            return None
        self._texts[document.key] = text
        self._fingerprints += document.fingerprint
        for hint in document.hints:
            first = self._hints.setdefault(hint, document.key)
            if first != document.key:
                self._hints[hint] = None  # claimed by several pages: good for none
        return document

    def _skip(self, reason: str, origin: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append(origin)

    def __len__(self) -> int:
        return len(self._texts)

    def leaders(
        self, read: Callable[[int], Subject]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The pages in the order of their keys.

        Args:
            read: gives site, title and text of the page that was taken as number n, from 0.

        Returns:
            Each of shape (pages,): the pages' places in the order in which they were taken, their
            keys, and the key of the page that each is a copy of (or its own).
        """
        keys = np.array(array("q", self._texts), dtype=np.int64)
        order = np.argsort(keys)
        prints = np.frombuffer(self._fingerprints, dtype="<u2").reshape(-1, FINGERPRINT)[order]
        keys = keys[order]

        def copies(row: int, leader: int) -> bool:
            return is_copy(read(int(order[row])), read(int(order[leader])))

        return order, keys, keys[group_copies(prints, copies)]

    def aliases(self) -> dict[int, int]:
        """The page's key for each other address; counts the redirects that lead nowhere.

        A page of its own is no alias; else an address given by a source comes before a redirect,
        and that before what a page says of itself.
        """
        found = {alias: page for alias, page in self._given.items() if alias not in self._texts}
        for key, (target, origin) in self._redirects.items():
            if key in self._texts:
                continue
            for _ in range(_HOPS):
                if target in self._texts or target in found or target not in self._redirects:
                    break
                target = self._redirects[target][0]
            page = target if target in self._texts else found.get(target)
            if page is None:
                self._skip(_LOST, origin)
            else:
                found.setdefault(key, page)
        for hint, claimed in self._hints.items():
            if claimed is not None and hint not in self._texts:
                found.setdefault(hint, claimed)
        return dict(sorted(found.items()))
