"""Copies are found, and pages that only look alike are not."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from webenv.corpora import Corpus, SourcePage, similarity
from webenv.corpora.deduplication import FINGERPRINT, fingerprint, near_duplicates
from webenv.observations import Page
from webenv.web import VisitRequest


def agreement(one: str, other: str) -> float:
    codes = [np.frombuffer(fingerprint(text), dtype="<u2") for text in (one, other)]
    return float((codes[0] == codes[1]).mean())


def test_similarity_is_the_share_of_shingles() -> None:
    """40 words have 36 shingles of five; 38 of them have 34, all shared: 34 / 36."""
    words = [f"word{n}" for n in range(40)]
    assert similarity(" ".join(words), " ".join(words[:38])) == pytest.approx(34 / 36)
    assert similarity(" ".join(words), " ".join(words)) == 1
    assert similarity(" ".join(words), " ".join(words[::-1])) == 0


def test_case_signs_and_spaces_do_not_matter() -> None:
    """Copies may differ in what is not words."""
    text = " ".join(f"word{n}" for n in range(40))
    assert similarity(text, text.upper().replace(" ", ",\n")) == 1
    assert fingerprint(text) == fingerprint(text.upper().replace(" ", ",\n"))


def test_short_texts_are_alike_only_as_a_whole() -> None:
    """Under 20 words one word makes another text."""
    assert similarity("one two three", "One, two; three!") == 1
    assert similarity("one two three", "one two four") == 0
    assert similarity("", "") == 1


def test_fingerprints_estimate_similarity() -> None:
    """Over many pairs, fingerprints agree in about the share of shingles that texts have in common."""
    rng = random.Random(3)
    errors = []
    for _ in range(100):
        words = [f"w{rng.randrange(10**6)}" for _ in range(300)]
        changed = [word if rng.random() > 0.03 else "other" for word in words]
        one, other = " ".join(words), " ".join(changed)
        errors.append(agreement(one, other) - similarity(one, other))
    assert abs(float(np.mean(errors))) < 0.02
    assert float(np.std(errors)) < 0.05


def test_a_fingerprint_is_literal() -> None:
    """A fingerprint is the same on every machine: its first numbers are fixed here."""
    codes = np.frombuffer(fingerprint(" ".join(f"word{n}" for n in range(40))), dtype="<u2")
    assert len(codes) == FINGERPRINT
    assert codes[:4].tolist() == [3731, 39369, 12356, 10858]


def test_no_chain_joins_pages_that_differ() -> None:
    """A page is compared with leaders alone: C is near B and B near A, but C is not A's copy."""
    a = np.arange(FINGERPRINT, dtype=np.uint16)
    b, c = a.copy(), a.copy()
    b[:14] = 9_999
    c[:28] = 9_999
    assert near_duplicates(np.stack([a, b, c]), lambda row, canonical: True).tolist() == [0, 0, 2]


def of(*pages: tuple[str, str, str]) -> list[str]:
    """The keys of pages given as (URL, title, text)."""
    corpus = Corpus.of([SourcePage(*page) for page in pages])
    found = corpus.visit([VisitRequest(url) for url, _, _ in pages])
    return [page.key for page in found if isinstance(page, Page)]


def test_syndicated_pages_share_a_key(prose: Callable[..., str]) -> None:
    """An article on another site, with that site's name in its title and a line more, is a copy."""
    text = prose(1, 240)
    one, two, other = of(
        ("https://a.example/1", "High tide | Morning Post", text),
        ("https://b.example/x", "High tide - Evening News", f"Reprinted here. {text}"),
        ("https://b.example/y", "High tide - Evening News", prose(2, 240)),
    )
    assert one == two != other


def test_pages_of_one_template_are_not_copies(prose: Callable[..., str]) -> None:
    """Manual pages that share nearly all their words but are about different things stay apart."""
    text = prose(1, 240)
    keys = of(
        ("https://a.example/add", "DataFrame.add - Manual", f"DataFrame.add adds. {text}"),
        ("https://a.example/sub", "DataFrame.sub - Manual", f"DataFrame.sub subtracts. {text}"),
        ("https://b.example/mul", "DataFrame.mul - Manual", f"DataFrame.mul multiplies. {text}"),
    )
    assert len(set(keys)) == 3


def test_the_same_text_is_a_copy_whatever_its_title() -> None:
    """Two pages with the very same text share a key, on one site too."""
    one, two = of(("https://a.example/1", "One", "short text"), ("https://a.example/2", "Two", "short text"))
    assert one == two


def test_a_chinese_copy_with_a_line_more_is_a_copy() -> None:
    """Texts without spaces are compared by their characters."""
    characters = [chr(0x4E00 + number) for number in range(2_000)]
    text = "".join(random.Random(1).choices(characters, k=600))
    other = "".join(random.Random(2).choices(characters, k=600))
    assert similarity(text, f"本文最初刊于青岚日报。{text}") > 0.9
    assert similarity(text, other) < 0.01
