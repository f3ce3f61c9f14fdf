"""Where our table metric differs from WideSearch's released one: ours and theirs, case by case.

The released figures are those of its code at commit 0e664c3 with pandas 2.3.1 and no model. On 2,000 random tables
every disagreement came from these.
"""

from __future__ import annotations

from typing import Any

import pytest

from webenv.rewards.tables.cells import TableSpec
from webenv.rewards.tables.grader import TableAnswer, TableJudge, TableNumbers
from webenv.rewards.tables.markdown import read_csv

ALL = (1.0,) * 7
NONE = (0.0,) * 7
HALF_ROWS = (0.0, 0.5, 0.5, 0.5, 0.75, 0.75, 0.75)
NO_CELL = (0.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.5)
KEYS_LOST = (0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5)


def fenced(*rows: str) -> str:
    return "\n".join(["```markdown", "| City | X |", "|---|---|", *rows, "```"])


def column(*metrics: str, pre: str = "", criterion: object = "") -> dict[str, Any]:
    return {"metric": list(metrics), "preprocess": [pre] if pre else [], "criterion": criterion}


TEXT = column("exact_match", pre="norm_str")
NEAR = column("number_near", criterion=0.0)
PLAIN = fenced("| Rome | old |", "| Oslo | new |")
GOLD = "City,X\nRome,old\nOslo,new\n"


@pytest.mark.parametrize(
    ("gold", "answer", "compared", "ours", "theirs"),
    [
        pytest.param(
            "City,X\nRome,unknown\nOslo,May 1990\n",
            fenced("| Rome | soon |", "| Oslo | May 1990 |"),
            column("date_near"),
            HALF_ROWS,
            ALL,
            id="two cells without a date are right there",
        ),
        pytest.param(
            "City,X\nRome,not given\nOslo,https://a.example/x\n",
            fenced("| Rome | private |", "| Oslo | https://a.example/y |"),
            column("url_match"),
            HALF_ROWS,
            ALL,
            id="two cells without a URL are right there",
        ),
        pytest.param(
            "City,X\nRome,https://a.example/x\nOslo,https://b.example/x\n",
            fenced("| Rome | https://a.example/y |", "| Oslo | https://[b.example/x |"),
            column("url_match"),
            HALF_ROWS,
            NONE,
            id="a URL that cannot be parsed ends the whole table there",
        ),
        pytest.param(
            "City,X\nRome,tall\nOslo,21\n",
            fenced("| Rome | small |", "| Oslo | 21 m |"),
            column("number_near", pre="extract_number", criterion=0.0),
            HALF_ROWS,
            ALL,
            id="two cells without a number are right there",
        ),
        pytest.param(
            'City,X\nRome,"1,200"\nOslo,21\n',
            fenced("| Rome | 1200 |", "| Oslo | 21 |"),
            NEAR,
            ALL,
            HALF_ROWS,
            id="a number with thousands separators is none there",
        ),
        pytest.param(
            "City,X\nRome,banana\nOslo,new iron\n",
            fenced("| Rome | N/A |", "| Oslo | iron |"),
            column("in_match", pre="norm_str"),
            HALF_ROWS,
            ALL,
            id="a missing cell is the word nan there, a part of banana",
        ),
        pytest.param(
            "City,X\nRome,\nOslo,21\n",
            fenced("| Rome | N/A |", "| Oslo | 21 |"),
            NEAR,
            ALL,
            HALF_ROWS,
            id="a missing number is not a missing number there",
        ),
        pytest.param(
            "City,X\nRome,\nOslo,21 m\n",
            fenced("| Rome | - |", "| Oslo | 21 m |"),
            column("exact_match"),
            ALL,
            HALF_ROWS,
            id="a dash is a text there",
        ),
        pytest.param(
            "City,X\nRome,old stone\nOslo,new\n",
            fenced("| Rome | old\u00a0stone |", "| Oslo | new |"),
            TEXT,
            ALL,
            HALF_ROWS,
            id="only the plain space is one there",
        ),
        pytest.param(
            "City,X\nRome,5\nOslo,7.5\n",
            fenced("| Rome | 5 |", "| Oslo | 7.5 m |"),
            TEXT,
            HALF_ROWS,
            NO_CELL,
            id="5 beside 7.5 is read as 5.0 there",
        ),
        pytest.param(
            "City,X\nRome,5\nOslo,7\n",
            fenced("| Rome | 5 |", "| Oslo | |"),
            TEXT,
            HALF_ROWS,
            NO_CELL,
            id="5 above a missing cell is read as 5.0 there",
        ),
        pytest.param(
            "City,X\nRome,5\nOslo,7\n",
            fenced("| Rome | 5.0 |", "| Oslo | 7.0 |"),
            TEXT,
            ALL,
            NO_CELL,
            id="5.0 is not 5 as a text there",
        ),
        pytest.param(
            GOLD, PLAIN, column("exact_match", "in_match"), ALL, (0.0, 1.0, 1.0, 1.0, 1.5, 1.5, 1.5), id="two metrics"
        ),
        pytest.param(
            GOLD,
            fenced("| Rome | old |", "| ROME | old |", "| rome | old |"),
            TEXT,
            (0.0, 1.0, 0.5, 2 / 3, 1.0, 0.5, 2 / 3),
            (0.0, 1.0, 1.5, 1.2, 1.0, 1.5, 1.2),
            id="one key in three spellings is three rows there",
        ),
        pytest.param(
            GOLD, "Pages | found\n\n" + PLAIN[12:-4], TEXT, ALL, NONE, id="a bar in the prose above hides the table"
        ),
        pytest.param(
            GOLD, "City | X\n--- | ---\nRome | old\nOslo | new\n", TEXT, ALL, NONE, id="no table without outer bars"
        ),
        pytest.param(
            GOLD, "a | b\n" + PLAIN.replace("markdown", "md"), TEXT, ALL, NONE, id="a fence called md is none there"
        ),
        pytest.param(
            GOLD,
            fenced('| "Rome | old |', "| Oslo | new |"),
            TEXT,
            KEYS_LOST,
            NONE,
            id="a quotation mark never closed ends the whole table there",
        ),
        pytest.param(
            GOLD,
            fenced("| Rome | old |", "| Oslo | new | and | more |"),
            TEXT,
            ALL,
            NONE,
            id="a cell too many ends the whole table there",
        ),
        pytest.param(
            "City,X\nRome,old|stone\nOslo,new\n",
            fenced("| Rome | old\\|stone |", "| Oslo | new |"),
            TEXT,
            ALL,
            NONE,
            id="a bar cannot be escaped there",
        ),
    ],
)
def test_traps(gold: str, answer: str, compared: dict[str, Any], ours: Any, theirs: Any) -> None:
    """Each trap of the release, by the smallest table that shows it: our numbers, which are not the released ones."""
    evaluation = {"required": ["city", "x"], "unique_columns": ["city"], "eval_pipeline": {"city": TEXT, "x": compared}}
    found = TableJudge().grade([TableAnswer(answer, read_csv(gold), TableSpec.of(evaluation))])[0].numbers
    assert found == pytest.approx(TableNumbers(*ours))
    assert ours != theirs


def test_case_of_keys() -> None:
    """A key that is prepared by nothing is joined whatever its case (released: to the letter, half of the rows)."""
    column_ = column("exact_match")
    evaluation = {"required": ["city", "x"], "unique_columns": ["city"], "eval_pipeline": {"city": column_, "x": TEXT}}
    answer = TableAnswer(PLAIN.replace("Rome", "ROME"), read_csv(GOLD), TableSpec.of(evaluation))
    assert TableJudge().grade([answer])[0].numbers == TableNumbers(*ALL)
