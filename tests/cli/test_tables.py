from __future__ import annotations

import io

import pytest
from rich.console import Console

from webenv.cli.tables import print_comparison, print_summary
from webenv.evaluation import Summary
from webenv.evaluation.summary import Row, summarize


def summary(
    policy: str,
    rows: int = 8,
    asks: int = 0,
    unscored: int = 0,
    values: tuple[float, ...] = (1.0, 0.5, 0.0, 1.0),
) -> Summary:
    made = []
    for number in range(rows):
        tags = {"difficulty": ("easy", "hard")[number % 2], "site": f"a-site-with-a-long-name-{number % 3}.example"}
        value = None if number < unscored else values[number % len(values)]
        reason = "policy_failed: no [key]\nat all" if value is None else ""
        made.append(Row("t", number, tags, value, "wrong_page", reason, value or 0.0, 100, 100, asks, 200))
    return summarize(made, env="NeedleInWeb-v0", policy=policy, seed=0, folder="runs/x")


def show(*summaries: Summary, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width)
    if len(summaries) == 1:
        print_summary(summaries[0], console)
    else:
        print_comparison(summaries, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_one_run() -> None:
    """The table gives success in percent with its interval, and means; the value too if answers are partly right."""
    lines = [line.split() for line in show(summary("keyword")).splitlines()]
    assert ["episodes", "success", "%", "(95%)", "value", "reward", "searches", "visits", "turns"] in lines
    assert ["all", "8", "50.0", "(21.5–78.5)", "0.62", "0.62", "100.00", "100.00", "200.00"] in lines
    assert ["easy", "4", "50.0", "(15.0–85.0)", "0.50", "0.50", "100.00", "100.00", "200.00"] in lines
    assert ["wrong_page", "8", "100.0"] in lines


@pytest.mark.parametrize(("width", "asks", "values"), [(100, 4, (1.0, 0.5, 0.0, 1.0)), (80, 0, (1.0, 0.0))])
def test_width(width: int, asks: int, values: tuple[float, ...]) -> None:
    """No line is wider than the terminal and no number is cut: every column fits 100, the usual ones 80."""
    text = show(summary("keyword", 30, asks, 10, values), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "unscored" in text


def test_unscored() -> None:
    """Reasons of unscored episodes stand below the table, one line each, brackets and all."""
    text = show(summary("keyword", 8, unscored=3))
    assert "keyword: 3 unscored, in no mean:" in text
    assert "  3 × policy_failed: no [key] at all" in text


def test_side_by_side() -> None:
    """Several runs stand in one table, a column each; more than four in further tables."""
    text = show(summary("keyword"), summary("oracle", 4), summary("react:some-laboratory/a-model-with-a-long-name"))
    lines = [line.split() for line in text.splitlines()]
    assert ["all", "8", "50.0", "(22–78)", "50.0", "(15–85)", "50.0", "(22–78)"] in lines
    assert ["turns", "200.00", "200.00", "200.00"] in lines
    assert max(map(len, text.splitlines())) <= 100
    many = show(*(summary(f"investigator{number}") for number in range(6)))
    assert sum(line.split()[:1] == ["n"] for line in many.splitlines()) == 2
    assert max(len(line.rstrip()) for line in many.splitlines()) <= 90


def test_rows_of_few_episodes_are_left_out() -> None:
    """Sixty episodes on twenty sites make no list of twenty rates: how many were left out is said."""
    rows = [
        Row("t", number, {"level": "ab"[number % 2], "site": f"s{min(number, 19)}.example"}, 1.0, "right", "", 1.0,
            1, 1, 0, 2)
        for number in range(60)
    ]  # fmt: skip
    made = summarize(rows, env="NeedleInWeb-v0", policy="keyword", seed=0, folder="runs/x")
    for text in (show(made), show(made, made)):
        shown = " ".join(text.split())
        assert "site (19 with n < 5 left out)" in shown
        assert "s19.example 41" in shown
        assert "s3.example" not in shown
        assert " b 30" in shown
