"""Tables over runs."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest

from tests.extras import needs_extra
from webenv import Verdict
from webenv.errors import InvalidArgument
from webenv.evaluation.report import make_table
from webenv.evaluation.report_files import cell_text, check_width, difference_text, to_csv, to_html, to_latex
from webenv.evaluation.report_runs import ReportEpisode, ReportRun, failure_stage
from webenv.rollout.record import ObservationRecord, PlayedTurn, Record
from webenv.task import GoldDict

LABELS = {
    "difficulty": "easy",
    "site": "a",
    "ending": "answered",
    "outcome": "",
    "stage": "",
    "reason": "",
    "policy": "",
}


def run(name: str, values: dict[str, float | None], *, searches: float | None = 2.0, **parts: object) -> ReportRun:
    """A run with one episode a task; the task's name begins with its difficulty."""
    episodes = tuple(
        ReportEpisode(
            name,
            (task, 0),
            {**LABELS, "policy": name, "difficulty": task.split("/")[0], "reason": "" if value is not None else "down"},
            {"success": value, "searches": searches if value is not None else None},
            value is not None,
        )
        for task, value in values.items()
    )
    whole = ReportRun(name, name, tasks="t", judge="page 1", cost=None, tokens=None, episodes=episodes)
    return replace(whole, **parts)  # type: ignore[arg-type]


FIRST = run("keyword", {"easy/0": 1.0, "easy/1": 0.0, "hard/0": 0.0, "hard/1": 0.0})
SECOND = run("react", {"easy/0": 1.0, "easy/1": 1.0, "hard/0": 1.0, "hard/1": None})


def test_cells_have_means_and_intervals() -> None:
    """Success of a cell with its Wilson interval; an episode without a value is in no mean, and counted."""
    table = make_table([FIRST, SECOND], rows=["difficulty"])
    cell = table.cells[("hard",), ("react",)]
    assert (cell.episodes, cell.unscored, cell.mean) == (2, 1, 1.0)
    easy = table.cells[("easy",), ("keyword",)]
    assert (easy.mean, round(easy.low or 0, 4), round(easy.high or 0, 4)) == (0.5, 0.0945, 0.9055)
    assert table.unscored == {("react",): {"down": 1}}


def test_spread_over_tasks() -> None:
    """Two attempts are one task, so 1, 2 and 6 searches are spread by 2.65; success, a share, has no such spread."""
    whole = replace(FIRST, episodes=tuple(
        ReportEpisode("keyword", (task, attempt), LABELS, {"success": 1.0, "searches": searches}, True)
        for task, attempt, searches in (("a", 0, 1.0), ("b", 0, 1.0), ("b", 1, 3.0), ("c", 0, 6.0))
    ))  # fmt: skip
    cell = make_table([whole], measure="searches").cells[(), ("",)]
    assert cell_text(cell, "searches", spread="tasks") == "2.75 ± 2.65"
    share = make_table([whole]).cells[(), ("",)]
    assert cell_text(share, "success", spread="tasks") == "100.0"
    assert cell_text(share, "success", spread="interval") == "100.0 (51–100)"


def test_no_interval_goes_beyond_what_can_be() -> None:
    """Shares lie between 0 and 1, and so do the intervals of their means; differences of them between -1 and 1."""
    values = {f"easy/{number}": 1.0 if number else 0.9 for number in range(3)}
    high, low = (
        replace(
            FIRST,
            name=name,
            path=name,
            episodes=tuple(
                ReportEpisode(name, (task, 0), {**LABELS, "policy": name}, {"value": value * most}, True)
                for task, value in values.items()
            ),
        )
        for name, most in (("keyword", 1.0), ("react", 0.02))
    )
    table = make_table([low, high], measure="value", differences=True)
    first, second = table.cells[(), ("keyword",)], table.cells[(), ("react",)]
    assert (first.high, first.low is not None and first.low > 0.85) == (1.0, True)
    assert second.low is not None
    assert 0 <= second.low < 0.02
    (difference,) = table.differences.values()
    assert difference.low is not None
    assert difference.high is not None
    assert -1 <= difference.low < difference.high <= 1


def test_levels_stand_in_their_order() -> None:
    """Rows are easy, medium, hard, whichever was played first; numbers go up."""
    table = make_table([run("a", {"hard/0": 1.0, "easy/0": 1.0, "medium/0": 0.0})], rows=["difficulty"])
    assert table.row_names == (("easy",), ("medium",), ("hard",))
    assert make_table([run("a", {"10/0": 1.0, "9/0": 1.0})], rows=["difficulty"]).row_names == (("9",), ("10",))


def test_rows_of_two_labels_stay_together() -> None:
    """Rows by site and difficulty are one site's levels after the other's, as in Needle in the Web's Table 3."""
    names = (("pitchfork", "hard"), ("arxiv", "easy"), ("pitchfork", "easy"), ("arxiv", "hard"))
    whole = replace(FIRST, episodes=tuple(
        ReportEpisode("keyword", (f"{site}/{level}", 0), {**LABELS, "site": site, "difficulty": level},
                      {"success": 1.0}, True) for site, level in names
    ))  # fmt: skip
    assert make_table([whole], rows=["site", "difficulty"]).row_names == (
        ("pitchfork", "easy"), ("pitchfork", "hard"), ("arxiv", "easy"), ("arxiv", "hard"),
    )  # fmt: skip


def test_differences_are_between_the_same_tasks() -> None:
    """Each column less the first, over the tasks that both scored: here +1/3 over three tasks."""
    table = make_table([FIRST, SECOND], differences=True)
    found = table.differences[(), ("react",)]
    assert (found.tasks, round(found.mean or 0, 4)) == (3, 0.6667)
    assert difference_text(found, "success") == "+66.7 [+1.3, +100.0]"


def test_one_value_has_no_interval() -> None:
    """Of one episode nothing is known of the spread: no interval, instead of one without width."""
    one, two = (run(name, {"easy/0": 1.0}, searches=number) for name, number in (("a", 2.0), ("b", 3.0)))
    table = make_table([one, two], measure="searches", differences=True)
    assert table.cells[(), ("a",)][2:5] == (2.0, None, None)
    assert difference_text(table.differences[(), ("b",)], "searches") == "+1.0"


def test_tasks_of_one_id_and_other_questions_are_not_compared() -> None:
    """Two task sets may number their tasks alike; a difference is of the same questions."""
    asked = [one._replace(question="Which mill?") for one in SECOND.episodes]
    table = make_table([FIRST, replace(SECOND, tasks="u", episodes=tuple(asked))], differences=True)
    assert difference_text(table.differences[(), ("react",)], "success") == "N/A"


def test_ranks_share_places() -> None:
    """Equal means share the mean of their ranks, and all the highest are marked."""
    table = make_table([run("a", {"easy/0": 1.0}), run("b", {"easy/0": 1.0}), run("c", {"easy/0": 0.0})])
    assert [table.ranks[(), (name,)] for name in "abc"] == [1.5, 1.5, 3.0]
    assert to_latex(table).count(r"\textbf") == 2


@pytest.mark.parametrize(
    ("pages", "notice", "stage"),
    [
        ([], "", "never shown"),
        (["gold"], "", "read, not answered"),
        (["gold"], "Only the first 9 of 99 characters of https://moved.example/x are shown.", "read in part"),
        (["gold", "b"], "Only the first 9 of 99 characters of https://a.example/b are shown.", "read, not answered"),
        (["gold", "b"], "Only the first 9 of 99 characters of https://a.example/gold are shown.", "read in part"),
    ],
)
def test_stage_of_a_failure(pages: list[str], notice: str, stage: str) -> None:
    """How far a wrong episode came: only a gold page that was itself cut was read in part."""
    shown: ObservationRecord = {
        "results": [],
        "pages": [{"url": f"https://a.example/{name}", "title": "", "text": "x"} for name in pages],
        "replies": [],
        "notice": notice,
        "budget": [0, 0, 0, 0],
    }
    gold: GoldDict = {"urls": ["https://a.example/gold"], "answers": [], "claims": []}
    verdict = Verdict("wrong", 0.0, "", "page").to_dict()
    record = Record("t", 0, 0, {}, "?", shown, (), "answered", True, verdict, {}, 0.0, (), gold)
    assert failure_stage(record) == stage
    handed: Any = [{"site": "a.example", "text": "", "documents": shown["pages"]}]
    replied = replace(record, first={**shown, "pages": [], "replies": handed})
    assert failure_stage(replied) == ("read, not answered" if pages else "never shown")  # agents hand over whole pages
    for texts in (
        ("https://a.example/b", "https://a.example/gold"),
        ('["https://a.example/b", "https://a.example/gold"]',),
        ("https://a.example/b\nhttps://a.example/gold",),
    ):
        low = replace(record, turns=(PlayedTurn("answer", texts, "", shown, 0.4, {}),))
        assert failure_stage(low) == "answered, not judged right"


def test_runs_of_one_policy_have_a_standard_deviation() -> None:
    """Three seeds of one policy in one cell: the mean, ± the standard deviation of the runs' means."""
    seeds = [run(name, {"easy/0": value}) for name, value in (("s0", 1.0), ("s1", 0.0), ("s2", 1.0))]
    same = [
        replace(one, episodes=tuple(e._replace(labels={**e.labels, "policy": "p"}) for e in one.episodes))
        for one in seeds
    ]
    cell = make_table(same).cells[(), ("p",)]
    assert (cell.runs, round(cell.std or 0, 4)) == (3, 0.5774)
    assert cell_text(cell, "success") == "66.7 ± 57.7"


def test_hidden_searches_are_not_zero() -> None:
    """A system that does not tell its searches has none to show: N/A."""
    table = make_table([run("integrated", {"easy/0": 1.0}, searches=None)], measure="searches")
    assert cell_text(table.cells[(), ("integrated",)], "searches") == "N/A"


def test_what_cannot_be_compared_is_never_averaged() -> None:
    """Runs of other tasks or another judge may stand side by side, not in one cell."""
    other = replace(FIRST, path="x", judge="llm 1", episodes=tuple(e._replace(run="x") for e in FIRST.episodes))
    with pytest.raises(InvalidArgument, match="would be averaged in one cell: judge is page 1 in keyword, llm 1 in x"):
        make_table([FIRST, other])
    with pytest.raises(InvalidArgument, match="different tasks: 4 in keyword, 4 in x"):
        make_table([FIRST, replace(other, judge="page 1", tasks="u")])


def alike(name: str, number: str, values: dict[str, float | None], **parts: object) -> ReportRun:
    """A run of the policy p that was allowed so many searches."""
    whole = run(name, values, settings={"budget.searches": number}, **parts)
    labels = {"policy": "p", "searches allowed": number, "run": name}
    return replace(
        whole, episodes=tuple(one._replace(labels={**one.labels, **labels}) for one in whole.episodes)
    )  # fmt: skip


def test_runs_of_other_settings_are_not_averaged() -> None:
    """Budgets that differ are named with their runs and the label that tells them apart; --pool says that it pools."""
    runs = [alike("a", "1", {"easy/0": 1.0}), alike("b", "7", {"easy/0": 0.0})]
    told = r'budget\.searches is 1 in a, 7 in b; --columns "searches allowed" \(or --rows\) tells them apart, or --pool'
    with pytest.raises(InvalidArgument, match=told):
        make_table(runs)
    assert len(make_table(runs, columns=["searches allowed"]).column_names) == 2
    table = make_table(runs, pool=True)
    assert table.cells[(), ("p",)].mean == 0.5
    assert table.notes == ("averaged over runs that differ: budget.searches is 1 in a, 7 in b.",)


def test_runs_of_other_tasks_are_not_averaged() -> None:
    """Half of the tasks and all of them are no two runs of one thing; rows by outcome compare what was to be played."""
    whole, half = {"easy/0": 1.0, "easy/1": 0.0}, {"easy/0": 1.0}
    with pytest.raises(InvalidArgument, match="different tasks: 2 in a, 1 in b"):
        make_table([alike("a", "1", whole), alike("b", "1", half)])
    other = {"easy/0": 0.0, "easy/1": 1.0}
    assert make_table([alike("a", "1", whole), alike("b", "1", other)], rows=["outcome"]).cells


def test_a_run_and_its_copy_do_not_count_twice() -> None:
    """The same episodes under two names are refused, pooled or not."""
    runs = [alike(name, "1", {"easy/0": 1.0}, content="c") for name in "ab"]
    with pytest.raises(InvalidArgument, match="a and b hold the same episodes, and would count twice in one cell"):
        make_table(runs, pool=True)


def test_columns_of_other_tasks_are_not_ranked() -> None:
    """Of different tasks no column is the best; a line below the table says so."""
    table = make_table([run("a", {"easy/0": 1.0, "easy/1": 0.0}), run("b", {"easy/0": 1.0})])
    assert table.ranks == {}
    assert table.notes[0].startswith("in all the columns have different tasks (a 2, b 1; 1 are of all): none is ranked")


def test_unfinished_runs_are_told() -> None:
    """As the viewer says it."""
    table = make_table([run("a", {"easy/0": 1.0}, planned=40, ended=7)])
    assert table.notes == ("a: 7 of 40 episodes have ended.",)


def test_cost_is_of_whole_runs() -> None:
    """Dollars are known of runs alone: an episode's share of a whole run, and nothing of a part of one."""
    priced = replace(FIRST, cost=2.0)
    assert make_table([priced], measure="cost").cells[(), ("keyword",)].mean == 0.5
    parts = make_table([priced], rows=["difficulty"], measure="cost")
    assert cell_text(parts.cells[("easy",), ("keyword",)], "cost") == "N/A"


def test_unknown_labels_and_measures_are_refused() -> None:
    """One line that suggests what was meant."""
    with pytest.raises(InvalidArgument, match=r"no episode has a label 'dificulty'\. Did you mean 'difficulty'"):
        make_table([FIRST], rows=["dificulty"])
    with pytest.raises(InvalidArgument, match=r"no episode has the measure 'sucess'\. Did you mean 'success'"):
        make_table([FIRST], measure="sucess")
    with pytest.raises(InvalidArgument, match="no episode has difficulty=odd"):
        make_table([FIRST], where={"difficulty": "odd"})


def test_csv_has_a_line_a_cell() -> None:
    """Numbers stand unrounded, and no label begins a formula."""
    table = make_table([run("=1+1", {"easy/0": 1.0})])
    (line,) = csv.DictReader(io.StringIO(to_csv(table)))
    assert (line["column policy"], line["mean"], line["episodes"]) == ("'=1+1", "1.0", "1")


def test_latex_marks_the_best() -> None:
    """The highest of a row is bold; what LaTeX reads as its own is escaped."""
    text = to_latex(make_table([run("a_b", {"easy/0": 1.0}), run("c", {"easy/0": 0.0})]))
    assert r" & a\_b & c \\" in text
    assert r"all & \textbf{100.0 (21--100)} & 0.0 (0--79) \\" in text


def test_the_page_holds_no_markup_of_names() -> None:
    """What a run or tag is called is text, also in plots; the page loads and runs nothing."""
    needs_extra("plot")
    hostile = run("<script>x</script>$y", {"easy/0": 1.0, "easy/1": 0.0})
    page = to_html(make_table([hostile], differences=True), hostile.episodes, "<b>t")
    assert "<script" not in page
    assert "<b>t" not in page
    assert "default-src 'none'" in page
    assert "<svg" in page


def test_a_table_that_nobody_could_read_is_refused() -> None:
    """More than 50 columns are for CSV alone: one line says so."""
    many = [run(f"p{n}", {"easy/0": 1.0}) for n in range(60)]
    table = make_table(many)
    with pytest.raises(InvalidArgument, match="the table has 60 columns, at most 50 are shown"):
        check_width(table)
    assert to_csv(table).count("\n") == 61


def attempts(name: str, of: dict[str, list[dict[str, float]]]) -> ReportRun:
    """A run with several attempts at each task, each with its numbers."""
    episodes = tuple(
        ReportEpisode(name, (task, number), {**LABELS, "policy": name}, numbers, True)
        for task, each in of.items()
        for number, numbers in enumerate(each)
    )
    return replace(FIRST, path=name, name=name, episodes=episodes)


def test_highest_and_lowest_of_attempts() -> None:
    """WideSearch's avg@n, max@n and min@n: of each task over its attempts, then the mean over tasks; a row each."""
    tries = attempts("wide", {"a": [{"item_f1": 0.2}, {"item_f1": 0.6}], "b": [{"item_f1": 1.0}, {"item_f1": 0.4}]})
    table = make_table([tries], measure=["item_f1", "item_f1@max", "item_f1@min"])
    means = {row: table.cells[row, ("wide",)].mean for row in table.row_names}
    assert means == pytest.approx({("item_f1",): 0.55, ("item_f1@max",): 0.8, ("item_f1@min",): 0.3})
    assert (table.rows, [table.measure_of(row) for row in table.row_names][1]) == (("measure",), "item_f1@max")
    assert "item_f1@max,wide,item_f1@max,4," in to_csv(table)
    with pytest.raises(InvalidArgument, match=r"no episode has the measure 'item_f1@mox'\. Did you mean 'item_f1@m"):
        make_table([tries], measure="item_f1@mox")


def test_calibration_of_a_cell() -> None:
    """Two at 90% of which one is right, one at 10% that is wrong: (2 · 0.4 + 1 · 0.1) / 3; none stated is left out."""
    stated = [{"success": 1.0, "confidence": 90.0}, {"success": 0.0, "confidence": 90.0}]
    tries = attempts("browse", {"a": [*stated, {"success": 0.0, "confidence": 10.0}, {"success": 1.0}]})
    table = make_table([tries, FIRST], measure="calibration")
    assert table.cells[(), ("browse",)].mean == pytest.approx(0.3)
    assert table.cells[(), ("keyword",)].mean is None
