"""Cells compared by rule."""

from __future__ import annotations

from datetime import date

import pytest

from webenv.rewards.tables.cells import METRICS, PREPROCESSING, read_date


@pytest.mark.parametrize(
    ("metric", "predicted", "gold", "tolerance", "right"),
    [
        ("exact_match", "Rome", "ROME", 0, True),
        ("exact_match", "Rome ", "Rome", 0, False),
        ("exact_match", "", "", 0, True),
        ("exact_match", "", "Rome", 0, False),
        ("in_match", "Rome", "Rome, Italy", 0, True),
        ("in_match", "Rome, Italy", "Rome", 0, False),
        ("in_match", "", "Rome", 0, False),
        ("in_match", "", "", 0, True),
        ("number_near", "105", "100", 0.05, True),
        ("number_near", "105.1", "100", 0.05, False),
        ("number_near", "-100", "100", 0.05, False),
        ("number_near", "1,050", "1000", 0.05, True),
        ("number_near", "5%", "0.05", 0, True),
        ("number_near", "5%", "5", 0, False),
        ("number_near", "0", "0", 0.5, True),
        ("number_near", "0.1", "0", 0.5, False),
        ("number_near", "unknown", "TBD", 0.5, False),
        ("number_near", "Unknown", "unknown", 0, True),
        ("number_near", "100", "unknown", 0.5, False),
        ("number_near", "inf", "inf", 0, True),
        ("number_near", "inf", "100", 0.5, False),
        ("number_near", "nan", "100", 0.5, False),
        ("number_near", "9" * 400, "1", 0.5, False),
        ("number_near", "1 or 2", "1", 0, False),
        ("date_near", "2024-03-05", "March 5, 2024", 0, True),
        ("date_near", "2024-04-05", "2024-03-05", 0, True),
        ("date_near", "2024-04-06", "2024-03-05", 0, False),
        ("date_near", "March 2024", "2024-03-31", 0, True),
        ("date_near", "unknown", "TBD", 0, False),
        ("date_near", "TBD", "tbd", 0, True),
        ("date_near", "2024", "2024", 0, True),
        ("date_near", "2024", "2023", 0, False),
        ("date_near", "yesterday", "today", 0, False),
        ("date_near", "2024-03-05", "unknown", 0, False),
        ("date_near", "2024年3月5日", "2024-03-05", 0, True),
        ("url_match", "https://example.org/a", "http://example.org/b?c", 0, True),
        ("url_match", "https://www.example.org/a", "https://example.org/a", 0, False),
        ("url_match", "https://Example.org/a", "https://example.org/a", 0, False),
        (
            "url_match",
            "see https://b.example/x and https://a.example",
            "https://a.example/y https://b.example",
            0,
            True,
        ),
        ("url_match", "[site](https://example.org/)", "https://example.org", 0, True),
        ("url_match", "https://example.org:8080/", "https://example.org/", 0, False),
        ("url_match", "https://evil.example/?u=https://example.org/", "https://example.org/", 0, False),
        ("url_match", "https://example.org@evil.example/", "https://example.org/", 0, False),
        ("url_match", "https://a.example https://b.example", "https://a.example", 0, False),
        ("url_match", "a site", "another site", 0, False),
        ("url_match", "a site", "A  site", 0, True),
        ("url_match", "", "https://example.org/", 0, False),
        ("url_match", "http://[::1", "https://example.org/", 0, False),
    ],
)
def test_metrics(metric: str, predicted: str, gold: str, tolerance: float, right: bool) -> None:
    """Each metric by its rule; cells that hold no number, date or URL are compared as text, never right as such."""
    assert METRICS[metric](predicted, gold, tolerance) is right


@pytest.mark.parametrize(
    ("name", "cell", "expected"),
    [
        ("norm_str", " **New York** ", "newyork"),
        ("norm_str", "A\u00a0B", "ab"),
        ("extract_number", "about 1,234.5 km", "1234.5"),
        ("extract_number", "-7% of 3", "-7%"),
        ("extract_number", ".5", ".5"),
        ("extract_number", "No idea", "noidea"),
        ("norm_date", "5 March 2024", "2024-03-05"),
        ("norm_date", "soon", "soon"),
    ],
)
def test_preprocessing(name: str, cell: str, expected: str) -> None:
    """Text loses case, spaces and emphasis; the first number, or the date, of a cell stands for it, if it has one."""
    assert PREPROCESSING[name](cell) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-05", date(2024, 3, 5)),
        ("3/5/2024", date(2024, 3, 5)),
        ("15/5/2024", date(2024, 5, 15)),
        ("Mar 2024", date(2024, 3, 1)),
        ("2024年3月", date(2024, 3, 1)),
        ("2024-03-05T23:30:00Z", date(2024, 3, 5)),
        ("2024", None),
        ("May", None),
        ("yesterday", None),
        ("2 days ago", None),
        ("", None),
        ("1" * 1_000, None),
        ("31 February 2024", None),
    ],
)
def test_dates(text: str, expected: date | None) -> None:
    """A date has a month and a year at least, exists, and does not depend on today."""
    assert read_date(text) == expected
