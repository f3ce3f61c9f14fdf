from __future__ import annotations

import io

from rich.console import Console

from webenv.cli.tables import print_rivals, print_throughput
from webenv.evaluation.summary import Row, Summary, summarize
from webenv.training import HeldOut
from webenv.training.throughput import Throughput

TEST = HeldOut("X-v0", {}, "test")


def summary(name: str, right: int, tag: str = "difficulty", unscored: int = 0) -> Summary:
    """Ten tasks, five easy and five hard, of which the first ones are right and the last ones unscored."""
    values = [None if number >= 10 - unscored else float(number < right) for number in range(10)]
    tags = [{"site": f"s{n}", tag: ("easy", "hard")[n // 5]} for n in range(10)]
    rows = [
        Row(str(n), 0, tags[n], value, "x", "" if value is not None else "no judge", 0.0, 2, 1, 0, 4)
        for n, value in enumerate(values)
    ]
    return summarize(rows, env="X-v0", policy=name, seed=0, folder="f")


def printed(*summaries: Summary, test: HeldOut = TEST, width: int = 100) -> list[list[str]]:
    console = Console(width=width, file=io.StringIO(), record=True)
    print_rivals(summaries, test, console)
    return [line.split() for line in console.export_text().splitlines()]


def test_table() -> None:
    """A row for each policy, with success and its interval by difficulty, and means."""
    shown = printed(summary("grpo", 7), summary("keyword", 2))
    title = "X-v0, split test, 10 tasks: success % (95% interval), and means an episode"
    assert " ".join(shown[0]) == title
    assert ["all", "easy", "hard", "searches", "visits", "turns"] in shown
    grpo = ["grpo", "70.0", "(40–89)", "100.0", "(57–100)", "40.0", "(12–77)", "2.00", "1.00", "4.00"]
    assert grpo in shown
    assert ["keyword", "20.0", "(6–51)", "40.0", "(12–77)", "0.0", "(0–43)", "2.00", "1.00", "4.00"] in shown


def test_a_narrow_terminal() -> None:
    """At 80 columns names stand whole, and parts have no interval."""
    shown = printed(summary("investigator", 7), summary("keyword", 2), width=80)
    assert ["investigator", "70.0", "(40–89)", "100.0", "40.0", "2.00", "1.00", "4.00"] in shown


def test_other_tags() -> None:
    """Without difficulties another tag of few values tells columns apart; unscored ones are counted and explained."""
    shown = printed(summary("ppo", 7, "kind", unscored=2), test=HeldOut("X-v0", {}, ""))
    assert "(they have no splits)" in " ".join(shown[0])
    assert ["all", "easy", "hard", "searches", "visits", "turns", "unscored"] in shown
    assert ["ppo", "87.5", "(53–98)", "100.0", "(57–100)", "66.7", "(21–94)", "2.00", "1.00", "4.00", "2"] in shown
    assert ["2", "×", "no", "judge"] in [line[:4] for line in shown]


def test_asks() -> None:
    """Where sites are asked, that is a column too."""
    row = Row("0", 0, {"case": "routing"}, 1.0, "x", "", 0.0, 0, 0, 40, 3)
    shown = printed(summarize([row], env="X-v0", policy="grpo", seed=0, folder="f"))
    assert any(line[-4:] == ["searches", "visits", "asks", "turns"] for line in shown)
    assert any(line[-4:] == ["0.00", "0.00", "40.00", "3.00"] for line in shown)


def test_reasons_once() -> None:
    """Why episodes are unscored stands once for all policies."""
    shown = printed(summary("grpo", 7, unscored=2), summary("keyword", 2), summary("random", 0, unscored=3))
    assert shown[-2:] == [["grpo,", "random:", "5", "unscored,", "in", "no", "mean:"], ["5", "×", "no", "judge"]]


def test_throughput() -> None:
    """Each speed has a line that says what it is of; what training had of it follows."""
    console = Console(width=100, file=io.StringIO(), record=True)
    print_throughput(Throughput(measured=10.0, env=25.0, stepped=20.0, learner=50.0), console)
    assert console.export_text().splitlines() == [
        "Throughput, in steps a second:",
        "  training as it was, with all that it does        10",
        "  environment alone                                25",
        "  environment with its menus                       20  menus took 10% of all time",
        "  learner alone: choosing actions, learning        50",
        "  environment, then learner                        17  training had 60% of it",
        "  environment, menus, then learner                 14  training had 70% of it",
    ]
