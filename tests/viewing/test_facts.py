"""Why the reward is what it is: what a page says of an episode, and where it marks gold pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.viewing.episodes import COPY, GOLD, OTHER, episode, hits, pages, turn
from tests.viewing.hostile_run import shown, write_run
from tests.viewing.parts import Parts
from webenv.rollout.record import Record
from webenv.viewing import write_view


def page_of(folder: Path, *records: Record) -> Parts:
    return Parts(write_view(write_run(folder, list(records))).path)


def told(folder: Path, record: Record) -> tuple[str, list[list[Any]]]:
    """The stage and the facts of an episode."""
    page = page_of(folder, record)
    (row,) = page.data("overview")["episodes"]
    return row["stage"], page.episode(row)["facts"]


SEARCHED = turn("search", "mill", results=hits(OTHER, GOLD))
READ = turn("visit", GOLD, pages=pages(GOLD))


@pytest.mark.parametrize(
    ("turns", "value", "stage", "facts"),
    [
        (
            (turn("search", "oak", results=hits(OTHER)), turn("answer", OTHER)),
            0.0,
            "never seen",
            [["The gold page never came up, in 1 search.", None]],
        ),
        (
            (SEARCHED, turn("answer", OTHER)),
            0.0,
            "seen, not read",
            [["The gold page came up at turn 1, as result 2, and was never read.", 1]],
        ),
        (
            (SEARCHED, READ, turn("answer", OTHER)),
            0.0,
            "read, not answered",
            [["The gold page was read at turn 2; something else was answered.", 2]],
        ),
        (
            (SEARCHED, READ),
            0.0,
            "read, not answered",
            [["It ended without an answer: out of turns.", 2], ["The gold page was read at turn 2.", 2]],
        ),
        (
            (SEARCHED, READ, turn("answer", GOLD)),
            1.0,
            "answered",
            [["The gold page came up at turn 1, as result 2.", 1], ["It was read at turn 2.", 2]],
        ),
        (
            (SEARCHED, turn("answer", GOLD)),
            0.0,
            "answered",
            [["The gold page was answered, and the judge found it wrong.", 2]],
        ),
        (
            (SEARCHED, turn("answer", f'["{OTHER}", "{GOLD}"]')),
            0.6,
            "answered",
            [["The gold page was answered, and the judge gave it 0.60.", 2]],
        ),
        (
            (SEARCHED,),
            None,
            "seen, not read",
            [
                ["Unscored, and in no mean: it ended as out of turns.", 1],
                ["The gold page came up at turn 1, as result 2, and was never read.", 1],
            ],
        ),
    ],
)
def test_gold(tmp_path: Path, turns: Any, value: float | None, stage: str, facts: list[Any]) -> None:
    """How far an episode came is said in a word, and in a sentence with the turn where it can be seen."""
    assert told(tmp_path / "run", episode(*turns, value=value)) == (stage, facts)


@pytest.mark.parametrize(
    ("site", "told_of_it"),
    [
        ("sea.example", ": no site that has it was asked"),
        ("https://town.example/", ", though a site that has it was asked"),
    ],
)
def test_whether_the_right_site_was_asked(tmp_path: Path, site: str, told_of_it: str) -> None:
    """Where a gold page never came from sites that were asked, it is said whether one of them has it."""
    spent = {"searches": 0, "visits": 0, "asks": 1, "turns": 2}
    record = episode(turn("ask", "mill", site), turn("answer", OTHER), spent=spent)
    assert told(tmp_path / "run", record)[1] == [[f"The gold page never came up, in 1 ask{told_of_it}.", None]]


def test_lost_turns_and_limits(tmp_path: Path) -> None:
    """Turns that held no action, and a budget that ran out before the end, are said."""
    lost = turn("invalid", "None", budget=[0, 3, 1, 8])
    _, facts = told(tmp_path / "run", episode(turn("search", "oak", budget=[0, 3, 1, 9]), lost, turn("answer", OTHER)))
    assert facts[1:] == [["1 turn held no action that could be read.", 2], ["All 3 searches were spent by turn 1.", 1]]


def test_a_short_answer_that_came_up(tmp_path: Path) -> None:
    """Where the task has gold answers and the verdict is wrong, the turn is named at which their words came up."""
    read = turn("visit", OTHER, pages=pages(OTHER, text="It cost 26,837 Crowns in all."))
    gold = {"urls": [], "answers": ["26,837 crowns"], "claims": []}
    stage, facts = told(tmp_path / "run", episode(read, turn("answer", "12"), gold=gold))
    assert (stage, facts) == ("no gold", [["The words of a gold answer stand in what came at turn 1.", 1]])


def test_copies(tmp_path: Path) -> None:
    """A copy is known for one wherever an episode of the task was shown both; it is marked as a copy."""
    both = episode(turn("search", "mill", results=hits(GOLD, COPY)), turn("answer", OTHER))
    alone = episode(turn("search", "mill", results=hits(OTHER, COPY)), turn("answer", COPY), attempt=1)
    page = page_of(tmp_path / "run", both, alone)
    first, second = page.data("overview")["episodes"]
    found = [
        [page.text(url) for url in page.episode(row)[kind]]
        for row in (first, second)
        for kind in ("goldUrls", "goldCopies")
    ]
    assert found == [[GOLD, COPY], [COPY], [COPY], [COPY]]
    assert [row["stage"] for row in (first, second)] == ["seen, not read", "answered"]


def test_a_copy_that_is_not_known(tmp_path: Path) -> None:
    """Where recall says that the gold page came up and no URL does, it is said to have come as a copy."""
    last = turn("answer", OTHER, terms={"answer": 0.0, "recall": 1.0, "cost": 0.0})
    _, facts = told(tmp_path / "run", episode(turn("search", "mill", results=hits(COPY)), last))
    assert facts == [
        ["The gold page came up as a copy: recall is 1.00, under a URL that the record does not name.", None]
    ]


def test_several_gold_pages(tmp_path: Path) -> None:
    """Of several gold pages it is said how many came up, and how many were read."""
    gold = {"urls": [GOLD, OTHER], "answers": ["a wheel"], "claims": []}
    record = episode(SEARCHED, READ, turn("answer", "no idea"), gold=gold)
    _, facts = told(tmp_path / "run", record)
    assert facts[0] == [
        "A gold page was read at turn 2; the answer was found wrong (of 2, 2 came up, and 1 of these read).",
        2,
    ]


def test_a_document_of_a_reply_counts_as_read(tmp_path: Path) -> None:
    """A document that a content agent hands over has been read."""
    reply = {"site": "town.example", "text": "A mill.", "documents": pages(GOLD)}
    asked = turn("ask", "what?", "town.example", replies=[reply])
    stage, facts = told(tmp_path / "run", episode(asked, turn("answer", OTHER)))
    assert (stage, facts[0][1]) == ("read, not answered", 1)


def test_an_episode_without_turns(tmp_path: Path) -> None:
    """An episode whose policy failed at once has its question, and says that it is unscored."""
    record = episode(value=None, ending="policy_failed", first=shown())
    stage, facts = told(tmp_path / "run", record)
    assert (stage, facts[0]) == ("never seen", ["Unscored, and in no mean: it ended as policy failed.", 0])
