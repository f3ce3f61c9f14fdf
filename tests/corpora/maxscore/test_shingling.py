"""Texts have one fingerprint, whoever computes it."""

from __future__ import annotations

import random

import pytest

from tests.extras import needs_extra
from webenv.corpora import deduplication
from webenv.corpora.deduplication import fingerprint
from webenv.corpora.maxscore import machine_code

needs_extra("fast")

LETTERS = "abc DEF  12._-'é“—ß中文字\n\t\u00a0\x00İ\ud800𝒳"


def test_machine_code_and_numpy_give_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """For texts of any letters, under 20 words, of 20, and of more than are hashed at once."""
    rng = random.Random(3)
    texts = ["".join(rng.choice(LETTERS) for _ in range(rng.randrange(300))) for _ in range(3_000)]
    texts += [" ".join(f"w{rng.randrange(99)}" for _ in range(count)) for count in (19, 20, 21, 24, 25, 261, 9_000)]
    code = machine_code()
    assert code is not None
    asked = []
    monkeypatch.setattr(deduplication, "_machine_code", lambda: code._replace(shingle=_noted(code.shingle, asked)))
    compiled = [fingerprint(text) for text in texts]
    monkeypatch.setattr(deduplication, "_machine_code", lambda: None)
    assert compiled == [fingerprint(text) for text in texts]
    assert len(asked) > 1_000


def test_no_texts_have_no_fingerprints(monkeypatch: pytest.MonkeyPatch) -> None:
    """By machine code, too: new workers are asked for an empty batch, to see that they are ready."""
    code = machine_code()
    assert code is not None
    monkeypatch.setattr(deduplication, "_machine_code", lambda: code)
    assert deduplication.fingerprints([]) == []


def _noted(call: object, asked: list[int]) -> object:
    def work(address: int) -> None:
        asked.append(address)
        call(address)  # type: ignore[operator]

    return work
