"""AgentWebBench's tables over runs made by hand, and a small study that is played."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.extras import needs_extra
from webenv.cli.app import run as main
from webenv.errors import InvalidArgument
from webenv.evaluation.agent_web_tables import ENVS, PaperReport, cell_text, finding_text, gini, paper_report
from webenv.evaluation.paper_files import paper_html, paper_latex
from webenv.evaluation.report_runs import ReportEpisode, ReportRun
from webenv.evaluation.studies import agent_web_runs

SEARCH, REC, QA, RESEARCH = ENVS


def run(
    env: str, strategy: str, values: list[dict[str, float]], *, turns: str = "15", culprit: str = "",
    cited: tuple[str, ...] = (), model: str = "",
) -> ReportRun:  # fmt: skip
    """A run with one episode for each row of numbers."""
    name = f"{env}/{strategy}/{turns}/{model}"
    labels = {
        "env": env,
        "strategy": strategy,
        "policy": strategy,
        "model": model,
        "turns allowed": turns,
        "culprit": culprit,
    }
    episodes = tuple(
        ReportEpisode(name, (f"t{number}", 0), labels, numbers, True, cited=cited)
        for number, numbers in enumerate(values)
    )
    return ReportRun(name, name, "t", "j", None, None, episodes)


def numbers(measure: str, *values: float) -> list[dict[str, float]]:
    return [{measure: value} for value in values]


RATED = {"kpr": 0.5, "clarity": 7.0, "visibility_word": 0.12345}
RUNS = [
    run(SEARCH, "classical", numbers("ndcg@3", 1.0, 0.9, 0.8, 0.9)),
    run(SEARCH, "tool_e", [{"ndcg@3": value, "recall": 0.25} for value in (0.1, 0.2, 0.1, 0.2)]),
    run(SEARCH, "tool_p", [{"ndcg@3": value, "recall": 0.75} for value in (0.5, 0.6, 0.5, 0.6)]),
    run(SEARCH, "multi_agent", numbers("ndcg@3", 0.4, 0.5, 0.4, 0.4), culprit="user agent"),
    run(SEARCH, "multi_agent", numbers("ndcg@3", 0.0, 0.1, 0.0, 0.1), turns="3", culprit="content agents"),
    run(QA, "classical", numbers("success", 1.0, 0.0, 0.0, 0.0)),
    run(QA, "multi_agent", numbers("success", 0.0, 1.0, 0.0, 0.0)),
    run(RESEARCH, "classical", [RATED] * 2, cited=("a.example", "b.example")),
    run(RESEARCH, "tool_e", [{"kpr": 0.5, "kpc": 0.25}] * 2, cited=("a.example",)),
]  # fmt: skip


@pytest.fixture(name="report", scope="module")
def _report() -> PaperReport:
    return paper_report(RUNS)


def table(report: PaperReport, name: str) -> dict[tuple[str, ...], list[float | None]]:
    found = next(one for one in report.tables if one.name == name)
    return {names: [cell.mean for cell in cells] for names, cells in found.rows}


def test_table_2(report: PaperReport) -> None:
    """Rows by model and strategy in the paper's order, all in percent, ratings times ten; what is not there is None."""
    rows = table(report, "table_2")
    assert [strategy for _, strategy in rows] == ["Classical", "Tool_E", "Tool_P", "Multi-Agent"]
    classical = rows["no model", "Classical"]
    assert classical[0] == pytest.approx(90.0)
    assert (classical[8], classical[10], classical[12], classical[13]) == (25.0, 50.0, 70.0, None)
    assert rows["no model", "Multi-Agent"][0] == pytest.approx(42.5)
    first = next(one for one in report.tables if one.name == "table_2").rows[0][1][0]
    assert cell_text(first) == "90.00\n82–98"


def test_the_other_tables(report: PaperReport) -> None:
    """Failures in percent of the failures; traffic as shares and their difference; spreads at four decimals; caps."""
    assert table(report, "attribution")["no model", "Multi-Agent"][:2] == [100.0, 0.0]
    assert table(report, "traffic_tool_e") == {("a.example",): [50.0, 100.0, 50.0], ("b.example",): [50.0, 0.0, -50.0]}
    visible = next(one for one in report.tables if one.name == "visibility")
    assert cell_text(visible.rows[0][1][2]).startswith("0.1235")  # 0.12345 at four decimals
    assert table(report, "caps")["no model", "Multi-Agent", "3 turns"][0] == pytest.approx(5.0)
    assert (gini([2, 2]), gini([0, 0, 3])) == (0.0, pytest.approx(2 / 3))


def test_failure_cases_and_quartiles() -> None:
    """Scores by the case that a task is tagged with; the quartiles of what episodes took."""
    turned = run(SEARCH, "tool_p", [{"ndcg@3": value, "turns": 10 * value} for value in (0.0, 0.2, 0.4, 0.6, 0.8)])
    cases = ("conflict", "conflict", "routing", "routing", "")
    told = [one._replace(labels={**one.labels, "case": case}) for one, case in zip(turned.episodes, cases, strict=True)]
    report = paper_report([replace(turned, episodes=tuple(told))])
    assert table(report, "cases") == {
        ("Search", "no model", "conflict"): [pytest.approx(10.0)],
        ("Search", "no model", "none"): [pytest.approx(80.0)],
        ("Search", "no model", "routing"): [pytest.approx(50.0)],
    }
    assert table(report, "spread")["Search", "no model", "Tool_P"][:3] == [2.0, 4.0, 6.0]


def test_findings(report: PaperReport) -> None:
    """Each of the five as a line with its interval: three are told by the runs, two are open."""
    assert [one.holds for one in report.findings] == [True, True, None, None, True]
    assert finding_text(2, report.findings[1]).startswith(
        "(2) Tool_P is above Tool_E on search: holds; +40.0 [+40.0, +40.0] points"
    )
    assert report.findings[1].why.endswith("; gold pages ranked: Tool_P 75%, Tool_E 25%")
    assert report.findings[0].mean == pytest.approx(47.5)
    assert "of 4 failures 100% chose no site with a gold page" in report.findings[0].why
    assert report.findings[4].mean == pytest.approx(37.5)
    lone = paper_report(RUNS[:4])
    assert [one.holds for one in lone.findings] == [True, True, None, None, None]


@pytest.mark.parametrize(
    ("differences", "holds"),
    [
        ((-0.03, 0.0, 0.01, -0.02), True),  # [-2.8, 0.8]
        ((-0.2, 0.2, 0.1, 0.1), None),  # on average +5, but [-12, 22]
        ((-0.03, -0.02, -0.03, -0.02), False),  # little, but the whole interval is below 0
    ],
)
def test_at_least_equal_is_not_below_by_the_margin(differences: tuple[float, ...], holds: bool | None) -> None:
    """It holds where the whole interval is above -5 points, whatever the mean; wholly below 0 it does not."""
    sides = [numbers("success", *(0.5 + one for one in differences)), numbers("success", *[0.5] * len(differences))]
    found = paper_report([run(QA, "multi_agent", sides[0]), run(QA, "classical", sides[1])]).findings[3]
    assert found.holds is holds
    assert (holds is None) == ("reaches -5 points" in found.why)


def test_other_forms(report: PaperReport) -> None:
    """JSON and LaTeX hold every table; runs of other benchmarks alone, and mixed judges in a cell, are refused."""
    assert json.loads(json.dumps(report.to_dict()))["tables"][0]["name"] == "table_2"
    assert r"no model & Classical & 90.00" in paper_latex(report)
    with pytest.raises(InvalidArgument, match="no run is of AgentWebBench"):
        paper_report([run("NeedleInWeb-v0", "x", numbers("value", 1.0))])
    other = run(SEARCH, "classical", numbers("ndcg@3", 0.0))
    mixed = ReportRun("b", "b", "t", "other judge", None, None, tuple(one._replace(run="b") for one in other.episodes))
    with pytest.raises(InvalidArgument, match="judge is"):
        paper_report([RUNS[0], mixed])


def test_a_page(report: PaperReport) -> None:
    """One page with all tables and three figures, which asks nothing of the network."""
    needs_extra("plot")
    page = paper_html(report)
    assert page.count("<svg") == 3
    assert "default-src 'none'" in page
    assert "Figure 2: traffic" in page


def test_the_runs_of_a_study() -> None:
    """Every strategy on the tasks it is for, Multi-Agent under each cap too; unknown ones are refused."""
    runs = list(agent_web_runs(["scripted"], {"split": "test"}, caps=[3]))
    assert len(runs) == 4 * 4 + 2 + 4
    assert {one.settings["strategy"] for one in runs if one.env == QA} == {
        "classical",
        "tool_e",
        "tool_p",
        "multi_agent",
    }
    assert next(one.folder for one in runs if "budget" in one.settings) == "AgentWebSearch-v0/multi_agent-3-turns"
    with pytest.raises(InvalidArgument, match="Did you mean 'classical'"):
        list(agent_web_runs(["scripted"], {}, ["classicl"]))
    chosen = agent_web_runs(["scripted"], {}, envs=[REC])
    assert [one.settings["strategy"] for one in chosen] == ["query_gen", "classical", "tool_e", "tool_p", "multi_agent"]
    with pytest.raises(InvalidArgument, match="Did you mean 'AgentWebQA-v0'"):
        list(agent_web_runs(["scripted"], {}, envs=["AgentWebQA"]))
    with pytest.raises(InvalidArgument, match="query_gen: not of AgentWebQA-v0"):
        list(agent_web_runs(["scripted"], {}, ["query_gen"], envs=[QA]))
    with pytest.raises(InvalidArgument, match="expected 1 to 14"):
        list(agent_web_runs(["scripted"], {}, caps=[15]))


@pytest.mark.slow
def test_a_study_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One command plays, prints and goes on; its folder is a report's."""
    line = ["study", "agentweb", "--out", str(tmp_path), "--episodes", "2", "--split", "train"]
    line += ["--web", "procedural:sites=40,pages=3000"]
    assert webenv(*line, "--strategy", "classical", "--strategy", "tool_p") == 0
    out = capsys.readouterr().out
    assert "Table 2" in out
    assert "(2) Tool_P is above Tool_E on search: open; no tasks that both have" in out
    assert webenv("report", str(tmp_path), "--paper", "agentweb", "--json") == 0
    assert json.loads(capsys.readouterr().out)["tables"][0]["rows"][0]["row"] == ["no model", "Classical"]
    assert webenv("report", str(tmp_path), "--paper", "widesearch") == 1
    assert webenv("study", "widesearch", "--out", str(tmp_path)) == 1


def webenv(*words: str) -> int:
    return main(list(words))
