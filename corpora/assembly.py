"""Which documents become pages: duplicates, redirects, aliases and copies, sorted out in source order."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.copies import FINGERPRINT, Subject, group_copies, is_copy
from webenv.corpora.document import PreparedPage, Redirect, Skipped
from webenv.corpora.manifest import text_hash

DUPLICATE = "URL already taken by a page with another text"
GIVEN, REDIRECT, HINT = range(3)
"""Who claims an address: a source, a redirect, or a page's own HTML; the lower number is believed first."""

_LOST = "redirect to a page that is not here"
_EXAMPLES = 5
_HOPS = 10


class Claim(NamedTuple):
    """That an address leads to another: both by their keys; ``origin`` names the document of a redirect."""

    kind: int
    key: int
    target: int
    origin: str = ""


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
        self._texts: dict[int, bytes] = {}
        self._fingerprints = bytearray()
        self._given: dict[int, int] = {}
        self._redirects: dict[int, tuple[int, str]] = {}
        self._hints: dict[int, int | None] = {}
        self._new: list[Claim] = []

    @classmethod
    def restored(
        cls,
        pages: Iterable[tuple[int, bytes, bytes]],
        claims: Iterable[Claim],
        skipped: Mapping[str, int],
        examples: Mapping[str, list[str]],
    ) -> Assembly:
        """An assembly that has taken documents before.

        Args:
            pages: key, hash of the text, and fingerprint of each page, in the order in which they were taken.
            claims: what :meth:`claims` gave.
            skipped: what it had left out.
            examples: a few of them.
        """
        assembly = cls()
        assembly.skipped = dict(skipped)
        assembly.examples = {reason: list(origins) for reason, origins in examples.items()}
        for key, text, fingerprint in pages:
            assembly._texts[key] = text
            assembly._fingerprints += fingerprint
        for claim in claims:
            assembly._claim(claim)
        assembly.claims()
        return assembly

    def take(self, document: PreparedPage | Redirect | Skipped) -> PreparedPage | None:
        """The page to be stored, where the document is one."""
        if isinstance(document, Skipped):
            self._skip(document.reason, document.origin)
            return None
        if isinstance(document, Redirect):
            if document.target == document.key:
                return None  # from http to https, and the like
            self._claim(Claim(REDIRECT, document.key, document.target, document.origin))
            return None
        text = text_hash(document.text)
        for alias in document.aliases:
            self._claim(Claim(GIVEN, alias, document.key))
        known = self._texts.get(document.key)
        if known is not None:
            if known != text:
                self._skip(DUPLICATE, document.url)
            return None
        self._texts[document.key] = text
        self._fingerprints += document.fingerprint
        for hint in document.hints:
            self._claim(Claim(HINT, hint, document.key))
        return document

    def claims(self) -> list[Claim]:
        """What was claimed since this was last asked."""
        new, self._new = self._new, []
        return new

    def _claim(self, claim: Claim) -> None:
        kind, key, target, origin = claim
        if kind == GIVEN:
            self._given.setdefault(key, target)
        elif kind == REDIRECT:
            self._redirects.setdefault(key, (target, origin))
        elif self._hints.setdefault(key, target) != target:
            self._hints[key] = None  # claimed by several pages: good for none
        self._new.append(claim)

    def _skip(self, reason: str, origin: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        examples = self.examples.setdefault(reason, [])
        if len(examples) < _EXAMPLES:
            examples.append(origin)

    def __len__(self) -> int:
        return len(self._texts)

    def leaders(
        self, read: Callable[[int], Subject], near: bool = True
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The pages in the order of their keys.

        Args:
            read: gives site, title and text of the page that was taken as number n, from 0.
            near: whether pages that are almost the same are copies too, or only those of one text.

        Returns:
            Each of shape (pages,): the pages' places in the order in which they were taken, their
            keys, and the key of the page that each is a copy of (or its own).
        """
        keys = np.array(array("q", self._texts), dtype=np.int64)
        order = np.argsort(keys)
        prints = np.frombuffer(self._fingerprints, dtype="<u2").reshape(-1, FINGERPRINT)[order]
        keys = keys[order]

        def copies(row: int, leader: int) -> bool:
            one, other = read(int(order[row])), read(int(order[leader]))
            return is_copy(one, other) if near else one.text == other.text

        return order, keys, keys[group_copies(prints, copies)]

    def aliases(self) -> tuple[dict[int, int], list[Skipped]]:
        """The page's key for each other address, and the redirects that lead nowhere.

        A page of its own is no alias; else an address given by a source comes before a redirect,
        and that before what a page says of itself.
        """
        found = {alias: page for alias, page in self._given.items() if alias not in self._texts}
        hinted = {key: page for key, page in self._hints.items() if page is not None and key not in self._texts}
        lost = []
        for key, (target, origin) in self._redirects.items():
            if key in self._texts:
                continue
            for _ in range(_HOPS):
                if target in self._texts or target in found or target not in self._redirects:
                    break
                target = self._redirects[target][0]
            page = target if target in self._texts else found.get(target, hinted.get(target))
            if page is None:
                lost.append(Skipped(_LOST, origin))
            else:
                found.setdefault(key, page)
        for hint, claimed in hinted.items():
            found.setdefault(hint, claimed)
        return dict(sorted(found.items())), lost

    def left_out(self, lost: Iterable[Skipped]) -> tuple[dict[str, int], dict[str, list[str]]]:
        """What was left out, lost redirects included: counts and examples by reason, in alphabetical order."""
        whole = Assembly()
        whole.skipped, whole.examples = dict(self.skipped), {why: list(some) for why, some in self.examples.items()}
        for redirect in lost:
            whole._skip(redirect.reason, redirect.origin)
        return dict(sorted(whole.skipped.items())), dict(sorted(whole.examples.items()))
