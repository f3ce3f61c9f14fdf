"""Tables read from answers and from CSV."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.errors import DataError
from webenv.rewards.tables.markdown import AnswerTable, parse_table, read_csv

ROME = AnswerTable(("city", "height"), (("Rome", "21"),))
PIPES = "| City | Height |\n|---|---|\n| Rome | 21 |\n"


@pytest.mark.parametrize(
    "text",
    [
        PIPES,
        f"Here it is:\n\n{PIPES}\nThat is all.",
        f"```markdown\n{PIPES}```",
        f"```Markdown\n{PIPES}",
        f"``` md\nSome words.\n{PIPES}\n```\nbye",
        "City|Height\n---|---\nRome|21",
        "| **City** | Hei ght |\n|:--|--:|\n|Rome|21|",
        "```markdown\n|City|Height|\n|Rome|21|\n```",
        "a | b\n\n" + PIPES,
        f"```markdown\nno table\n```\n\n{PIPES}",
        f"```markdown\n{PIPES}```\n```markdown\n|x|\n|-|\n|y|\n```",
        f"|x|\n|-|\n|y|\n\n```markdown\n{PIPES}```",
        "| City | Height |\r\n|---|---|\r\n| Rome | 21 |\r\n",
        "Words.\n\n|City|Height|\n|Rome|21|\n",
        "```markdown\n|City|Height|\n\n|---|---|\n\n|Rome|21|\n```",
    ],
)
def test_tables(text: str) -> None:
    """The first fenced markdown table wins, else the first pipe table with a rule under its head, else one in bars."""
    assert parse_table(text) == ROME


@pytest.mark.parametrize(
    "text", ["", "no table", "a | b", "a|b\n1|2", "|a|b|", "```json\n{}\n```", "|---|---|", "| | |\n", "|" * 1_000]
)
def test_no_tables(text: str) -> None:
    """Words, and bars without a rule outside a markdown fence, are no table."""
    assert parse_table(text) is None


def test_cells() -> None:
    """Missing cells are empty, whatever word says so; those too many and blank rows go; an escaped bar stays."""
    text = "|a|b|c|\n|-|-|-|\n|1|\n|N/A|nan|–|\n|1|2|3|4|\n||  ||\n|x \\| y|-|None|\n"
    assert parse_table(text) == AnswerTable(
        ("a", "b", "c"), (("1", "", ""), ("", "", ""), ("1", "2", "3"), ("x | y", "", ""))
    )


def test_csv() -> None:
    """Gold tables are CSV with quoted cells, line breaks in them, and short rows."""
    assert read_csv('\ufeffCity,Mean Height\n"Rome, old",21\nOslo\n"a\nb",nan\n') == AnswerTable(
        ("city", "meanheight"), (("Rome, old", "21"), ("Oslo", ""), ("a\nb", ""))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "is empty"), ("a,A\n", "a column twice"), ("a\n1,2\n", "row 1 of a gold table has 2 cells; its head has 1")],
)
def test_malformed_csv(text: str, message: str) -> None:
    """A gold table without a head, with a column twice or a row too long is refused."""
    with pytest.raises(DataError, match=message):
        read_csv(text)


@given(st.text(alphabet="|-ab `\\\n:", max_size=80))
def test_any_text(text: str) -> None:
    """Any text parses to a table of even rows, or to none."""
    table = parse_table(text)
    assert table is None or all(len(row) == len(table.columns) for row in table.rows)
