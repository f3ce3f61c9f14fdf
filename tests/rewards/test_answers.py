"""Short answers compared by rules."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.rewards.answers import alias_match, exact_match, strict_token_f1, token_f1
from webenv.rewards.normal_form import LONGEST


@pytest.mark.parametrize(
    ("answer", "golds", "same"),
    [
        ("the Beatles!", ["Beatles"], True),
        ("Fab Four", ["Beatles", "The Fab Four"], True),
        ("Beatles or Stones", ["Beatles"], False),
        ("Beatles", [], False),
        ("", [""], False),
        ("the", ["a"], False),
        ("Раris", ["Paris"], False),
        ("not Paris", ["Paris"], False),
        ("x" * (LONGEST + 1), ["x" * (LONGEST + 1)], False),
        ("5 March 2024", ["2024-03-05"], True),
        ("-5", ["5"], False),
    ],
)
def test_exact(answer: str, golds: list[str], same: bool) -> None:
    """An answer is a gold when both normalise to the same words, and to some."""
    assert exact_match(answer, golds) is same


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("the cat sat", ["cat sat"], 1.0),
        ("cat dog", ["cat sat"], 0.5),
        ("cat cat cat", ["cat"], 0.5),
        ("cat", ["dog", "cat mouse"], 2 / 3),
        ("", ["cat"], 0.0),
        ("?", ["?"], 0.0),
        ("北京", ["北京市"], 0.8),
        ("1,000 men", ["1000 men"], 1.0),
    ],
)
def test_f1(answer: str, golds: list[str], expected: float) -> None:
    """Token F1 against the nearest gold, over bags of tokens."""
    assert strict_token_f1(answer, golds) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("answer", "golds", "expected"),
    [
        ("The Cat sat on a mat.", ["cat sat on mat"], 1.0),
        ("the cat and the hat", ["cat and hat"], 1.0),
        ("rock 'n' roll", ["rock n roll"], 1.0),
        ("well-known man", ["wellknown man"], 1.0),
        ("  New\tYork\nCity ", ["new york city"], 1.0),
        ("U.S.", ["US"], 1.0),
        ("1,000", ["1000"], 1.0),
        ("a a b", ["a b b"], 0.6666666666666666),
        ("in the year 1912", ["1912"], 0.5),
        ("cat cat cat", ["cat"], 0.5),
        ("the Denver Broncos", ["Carolina Panthers", "Denver Broncos of Colorado"], 0.6666666666666666),
        ("5 March 2024", ["2024-03-05"], 0.0),
        ("“Paris”", ["Paris"], 0.0),
        ("the", ["a"], 0.0),
        ("Paris", [], 0.0),
        ("", [""], 0.0),
    ],
)
def test_squad_f1(answer: str, golds: list[str], expected: float) -> None:
    """SQuAD's own F1: ASCII punctuation goes without a space, articles go, the rest is split at spaces."""
    assert token_f1(answer, golds) == pytest.approx(expected)


@given(st.lists(st.sampled_from("abcde"), max_size=8), st.lists(st.sampled_from("bcdef"), max_size=8))
def test_f1_is_the_harmonic_mean(said: list[str], meant: list[str]) -> None:
    """F1 is the harmonic mean of precision and recall, computed apart."""
    mine = strict_token_f1(" ".join(said), [" ".join(meant)])
    said, meant = (one[1:] if len(one) > 1 and one[0] == "a" else one for one in (said, meant))
    common = sum((Counter(said) & Counter(meant)).values())
    precision, recall = common / max(len(said), 1), common / max(len(meant), 1)
    assert mine == pytest.approx(2 * precision * recall / (precision + recall) if common else 0.0)


@pytest.mark.parametrize(
    ("answer", "same"),
    [("NYC", True), ("New York City", True), ("new york", False), ("NYC, LA", False), ("8.4 million", True)],
)
def test_aliases(answer: str, same: bool) -> None:
    """Any alias will do, as text or as number; no two of them at once."""
    assert alias_match(answer, ["New York City", "NYC", "8.4 million"]) is same


@pytest.mark.parametrize(
    ("answer", "gold", "same"),
    [
        ("US", "U.S.", True),
        ("JK Rowling", "J.K. Rowling", True),
        ("Beyonce", "Beyoncé", True),
        ("3pm", "3 p.m.", True),
        ("MeToo", "#MeToo", True),
        ("5-Mar-2024", "March 5, 2024", True),
        ("vitamin", "Vitamin A", False),
        ("Group", "Group A", False),
        ("A-", "A", False),
        ("A*", "A", False),
        ("Team", "A-Team", False),
        ("B\u2212", "B", False),
        ("5'", '5"', False),
        ("9/11", "9-11", False),
        ("AB", "A, B", False),
        ("A, B", "B", False),
        ("A. Lincoln", "Lincoln", False),
        ("P̴a̴r̴i̴s̴", "Paris", False),
        ("March 5", "March 5, 2024", False),
    ],
)
def test_pairs(answer: str, gold: str, same: bool) -> None:
    """Ways to write the same are the same; what a sign, a letter or an article tells apart is not."""
    assert alias_match(answer, [gold]) is same
