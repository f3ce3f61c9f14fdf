"""What is asked of a web that is measured."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

from webenv.corpora.manifest import PAGES, Manifest
from webenv.corpora.store import DiskStore

_SHORTEST = 4  # letters


class Question(NamedTuple):
    """Words of a page, without operators, with the page's site and address."""

    words: str
    site: str
    url: str


def open_store(folder: Path) -> DiskStore:
    """The pages of a corpus."""
    return DiskStore(str(folder / Manifest.read(folder).data / PAGES))


def choose(folder: Path, count: int, seed: int = 0) -> list[Question]:
    """Questions of 3 to 8 words, each drawn from one page.

    Args:
        folder: a corpus.
        count: how many.
        seed: decides them.
    """
    store = open_store(folder)
    keys = [key for found in store.places().values() for key in found.tolist()]
    dice = random.Random(seed)
    chosen: list[Question] = []
    while len(chosen) < count:
        page = store.get(dice.choice(keys))
        assert page is not None  # the keys are the store's own
        words = list(dict.fromkeys(word for word in page.text.split() if word.isalpha() and len(word) >= _SHORTEST))
        if len(words) >= 8:
            chosen.append(Question(" ".join(dice.sample(words, dice.randint(3, 8))), page.site, page.url))
    store.close()
    return chosen
