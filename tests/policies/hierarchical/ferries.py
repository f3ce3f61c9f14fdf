"""A web of ferries: lists of some columns on several sites, a page for each ferry, one old version, one dead link."""

from __future__ import annotations

from tests.webs import DictWeb, GoldJudge
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.latency import LatencyModel
from webenv.observations import Page
from webenv.task import Gold, Task, TaskSet

NAMES = ("Ansel", "Brine", "Corvo", "Drift", "Ember", "Fjord", "Gannet", "Heron")
FARES = {name: f"{10 + 3 * number} pence" for number, name in enumerate(NAMES)}
YEARS = {name: str(1950 + 4 * number) for number, name in enumerate(NAMES)}
HULLS = dict(zip(NAMES, ("cream", "slate grey", "cream", "bare steel") * 2, strict=True))
QUESTION = (
    "List all ferries of Yiskos in one table, a row for each, with exactly these columns: Name | Fare | Launched | Hull"
)


def pages(rows: tuple[str, ...] = NAMES) -> list[Page]:
    """Lists of fares (complete), years (of half) and hulls (of half); the rest stands on the ferries' own pages."""
    half = rows[: len(rows) // 2]
    lists = [
        _list("https://a.example/fares", "Ferries of Yiskos: fare", "Fare", {name: FARES[name] for name in rows}),
        _list("https://b.example/years", "Ferries of Yiskos: launched", "Launched", {one: YEARS[one] for one in half}),
        _list("https://c.example/hulls", "Ferries of Yiskos: hull", "Hull", {one: HULLS[one] for one in half}),
        _list("https://c.example/old", "Ferries of Yiskos: fare (version of 3 May 2001)", "Fare", {rows[0]: "1 pence"}),
    ]
    own = [
        Page(
            f"https://d.example/{name.lower()}",
            f"The {name}",
            f"The {name} is a ferry of Yiskos. “The {name} is pink,” said a man. The {name} dates from {YEARS[name]}. "
            f"The {name} has kept its paint: {HULLS[name]}, as ever.",
            key=name,
        )
        for name in rows
    ]
    return [*lists, *own]


def _list(url: str, title: str, column: str, cells: dict[str, str]) -> Page:
    lines = [f"Name | {column}", *(f"the {name} | {value}" for name, value in cells.items())]
    return Page(url, title, "A list of ferries of Yiskos.\n\n" + "\n".join(lines) + "\n\nThat is all.", key=url)


def gold() -> list[tuple[str, ...]]:
    return [(f"the {name}", FARES[name], YEARS[name], HULLS[name]) for name in NAMES]


def ferries(question: str = QUESTION, web: DictWeb | None = None, budget: Budget | None = None) -> Benchmark:
    """The benchmark of one task; each request takes a second."""
    return Benchmark(
        tasks=TaskSet([Task("ferries", question, gold=Gold(answers=("-",)))]),
        web=web or DictWeb(pages()),
        judge=GoldJudge(),
        budget=budget or Budget(searches=100, visits=100, turns=100),
        latency=LatencyModel(search=1.0, visit=1.0, spread=0.0, sites=0.0),
    )
