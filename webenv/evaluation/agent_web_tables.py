"""AgentWebBench's tables and findings, from runs of its four tasks: what ``webenv report --paper agentweb`` prints."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument
from webenv.evaluation.coordination import CONTENT, USER, VISIBILITY
from webenv.evaluation.report import ReportCell, by_task, cell_of, interval
from webenv.evaluation.report_runs import ReportEpisode, ReportRun, check_alike

ENVS: Mapping[str, str] = {
    "AgentWebSearch-v0": "Search",
    "AgentWebRecommendation-v0": "Rec.",
    "AgentWebQA-v0": "QA",
    "AgentWebResearch-v0": "Research",
}
"""The four tasks, by environment, as headings call them: web search, web recommendation, question answering, and deep
research."""

STRATEGIES: Mapping[str, str] = {
    "classic_ir": "Classic IR",
    "query_gen": "QueryGen",
    "classical": "Classical",
    "tool_e": "Tool_E",
    "tool_p": "Tool_P",
    "multi_agent": "Multi-Agent",
}
"""The strategies in the order of the paper's tables."""

SHOWN_SITES = 20
"""The most cited sites that the traffic table shows."""

_SEARCH, _RECOMMENDATION, _QA, _RESEARCH = ENVS


class Metric(NamedTuple):
    """A column: of which task, its heading, the measure, what a mean is multiplied by, and its decimals."""

    env: str
    heading: str
    measure: str
    scale: float = 100.0
    digits: int = 2


TABLE_2 = (
    *(Metric(env, f"{name}@{k}", f"{measure}@{k}")
      for env in (_SEARCH, _RECOMMENDATION) for name, measure in (("N", "ndcg"), ("R", "recall")) for k in (3, 5)),
    Metric(_QA, "Acc.", "success"),
    Metric(_QA, "F1", "f1"),
    Metric(_RESEARCH, "KPR", "kpr"),
    Metric(_RESEARCH, "KPC ↓", "kpc"),
    Metric(_RESEARCH, "Clarity", "clarity", 10.0),
    Metric(_RESEARCH, "Insight", "insight", 10.0),
)  # fmt: skip
"""The columns of the paper's table 2; clarity and insight are rated 0 to 10, and printed times ten."""

_EFFICIENCY = (
    ("Turn", "turns", 1.0), ("#Agent", "agents", 1.0), ("#Req.", "requests", 1.0), ("Valid %", "valid", 100.0),
    ("content Turn", "content_turns", 1.0), ("content #Req.", "content_requests", 1.0),
    ("content Valid %", "content_valid", 100.0),
)  # fmt: skip
_EFFORT = (
    ("user tokens", "user_tokens", 1.0), ("user s", "user_seconds", 1.0), ("user $", "user_dollars", 1.0),
    ("content tokens", "content_tokens", 1.0), ("content s", "content_seconds", 1.0), ("web s", "web_seconds", 1.0),
)  # fmt: skip
MARGIN = 5.0
"""Points that one side may be below another that it is "at least equal" to (non-inferiority): the whole 95% interval of
the difference must lie above minus this."""

_NEAREST = 3  # sites that a request of Tool_E goes to

_MAIN = {_SEARCH: "ndcg@3", _RECOMMENDATION: "ndcg@3", _QA: "success", _RESEARCH: "kpr"}


class ShownCell(NamedTuple):
    """A number as a table shows it: scaled, with its interval and its spread over runs; ``None``: not applicable."""

    mean: float | None
    low: float | None = None
    high: float | None = None
    std: float | None = None
    digits: int = 2


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Attributes:
        name: what it is called in JSON.
        title: what stands above it.
        columns: the headings.
        rows: each row's names, and its cells.
        note: what stands below it.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, ...], tuple[ShownCell, ...]], ...]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON-ready data."""
        rows = [{"row": list(names), "cells": [cell._asdict() for cell in cells]} for names, cells in self.rows]
        return {"name": self.name, "title": self.title, "columns": list(self.columns), "rows": rows, "note": self.note}


class PaperFinding(NamedTuple):
    """One of the paper's five findings: what it says, how much the difference is here (its 95% interval over the tasks
    that both sides have, in points), whether it holds (``None``: the interval, or the runs, leave it open), and why."""

    text: str
    mean: float | None
    low: float | None
    high: float | None
    tasks: int
    holds: bool | None
    why: str


@dataclass(frozen=True)
class PaperReport:
    """All tables of the paper that the runs have something for, table 2 first, and the findings."""

    tables: tuple[PaperTable, ...]
    findings: tuple[PaperFinding, ...]
    episodes: tuple[ReportEpisode, ...] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        tables = [table.to_dict() for table in self.tables]
        return {"tables": tables, "findings": [one._asdict() for one in self.findings]}


def paper_report(runs: Sequence[ReportRun]) -> PaperReport:
    """The paper's tables over runs of its four tasks.

    Args:
        runs: what it is of; runs of other environments are left out.

    Raises:
        InvalidArgument: where no run is of the benchmark, or a cell would mix runs that differ in more than seeds.
    """
    chosen = [one for run in runs for one in run.episodes if one.labels["env"] in ENVS]
    if not chosen:
        raise InvalidArgument(f"no run is of AgentWebBench; expected runs of {', '.join(ENVS)}.")
    grouped = _Grouped(chosen, {run.path: run for run in runs})
    tables = (
        grouped.table("table_2", "Table 2: performance, %", TABLE_2, grouped.uncapped),
        *(_efficiency(grouped, env) for env in ENVS),
        _spread(grouped),
        _attribution(grouped),
        _cases(grouped),
        *_traffic(grouped),
        _visibility(grouped),
        _caps(grouped),
        _effort(grouped),
    )
    return PaperReport(tuple(table for table in tables if table.rows), _findings(grouped), tuple(chosen))


# ── rows ──────────────────────────────────────────────────────────────────────


class PaperRow(NamedTuple):
    """A row: the model (or what plays without one), and the strategy."""

    model: str
    strategy: str

    def shown(self) -> tuple[str, str]:
        return self.model, STRATEGIES.get(self.strategy, self.strategy)


def strategy_of(labels: Mapping[str, str]) -> str:
    """The strategy of an episode, by its environment's settings."""
    by_access = {"agents": "multi_agent", "tools": "tool_p", "central": "classical"}
    return labels.get("strategy") or by_access.get(labels.get("access", ""), "multi_agent")


def _row(labels: Mapping[str, str]) -> PaperRow:
    strategy = strategy_of(labels)
    # a policy that is named after its strategy has no model: it is one row of each table for each strategy
    model = labels["model"] or ("no model" if labels["policy"] in (strategy, "scripted") else labels["policy"])
    thinks = labels.get("policy thinking", "")
    return PaperRow(f"{model} ({thinks})" if thinks else model, strategy)


class _Grouped:
    def __init__(self, episodes: Sequence[ReportEpisode], runs: Mapping[str, ReportRun]) -> None:
        self.runs = runs
        self._most_turns: dict[str, int] = {}
        self.cells: dict[tuple[str, PaperRow, int], list[ReportEpisode]] = {}
        for one in episodes:
            env, cap = one.labels["env"], int(one.labels.get("turns allowed") or 0)
            self._most_turns[env] = max(cap, self._most_turns.get(env, 0))
            self.cells.setdefault((env, _row(one.labels), cap), []).append(one)
        rows = dict.fromkeys(row for _, row, _ in self.cells)
        models = {model: place for place, model in enumerate(dict.fromkeys(row.model for row in rows))}
        order = {name: place for place, name in enumerate(STRATEGIES)}
        self.rows = sorted(rows, key=lambda row: (models[row.model], order.get(row.strategy, len(order))))
        self.caps = sorted({cap for _, _, cap in self.cells})

    def uncapped(self, env: str, row: PaperRow) -> list[ReportEpisode]:
        """The episodes of a row with as many turns as any run of the task has."""
        envs = [env] if env else list(ENVS)
        return [one for name in envs for one in self.cells.get((name, row, self._most_turns.get(name, 0)), ())]

    def cell(self, group: Sequence[ReportEpisode], metric: Metric) -> ShownCell:
        if not group or not any(metric.measure in one.numbers for one in group):
            return ShownCell(None)
        check_alike(group, self.runs, advice="name the runs of one of them.") if metric.env else None
        return shown(cell_of(group, metric.measure, self.runs), metric.scale, metric.digits)

    def table(
        self, name: str, title: str, metrics: Sequence[Metric], group: Callable[[str, PaperRow], list[ReportEpisode]]
    ) -> PaperTable:
        rows = []
        for row in self.rows:
            cells = tuple(self.cell(group(metric.env, row), metric) for metric in metrics)
            if any(cell.mean is not None for cell in cells):
                rows.append((row.shown(), cells))
        headings = tuple(f"{ENVS[one.env]}\n{one.heading}" if one.env else one.heading for one in metrics)
        return PaperTable(name, title, headings, tuple(rows), _NOTE)


_NOTE = "mean with its 95% interval, or ± the standard deviation over runs; –: not applicable"


def shown(cell: ReportCell, scale: float, digits: int = 2) -> ShownCell:
    """A cell as it is shown."""
    mean, low, high, std = (None if one is None else one * scale for one in (cell.mean, cell.low, cell.high, cell.std))
    if scale == 100.0 and low is not None and high is not None:  # shares: what lies beyond 0 and 1 is the formula's own
        low, high = max(0.0, low), min(100.0, high)
    return ShownCell(mean, low, high, std, digits)


def cell_text(cell: ShownCell) -> str:
    """A cell as text: its mean, and below it the interval, or the spread over runs."""
    if cell.mean is None:
        return "–"
    text = f"{cell.mean:,.{cell.digits}f}"
    if cell.std is not None:
        return f"{text}\n±{cell.std:,.{cell.digits}f}"
    if cell.low is None or cell.high is None:
        return text
    digits = 0 if cell.digits <= 2 and abs(cell.mean) >= 10 else max(0, cell.digits - 1)
    return f"{text}\n{cell.low:,.{digits}f}–{cell.high:,.{digits}f}"


# ── the other tables ──────────────────────────────────────────────────────────


def _efficiency(grouped: _Grouped, env: str) -> PaperTable:
    metrics = [Metric(env, name, measure, scale) for name, measure, scale in _EFFICIENCY]
    made = grouped.table(f"efficiency_{env}", f"Table 6: efficiency, {ENVS[env]}", metrics, grouped.uncapped)
    headings = tuple(one.heading for one in metrics)
    return PaperTable(made.name, made.title, headings, made.rows, "content: of the agents of sites; " + _NOTE)


def _spread(grouped: _Grouped) -> PaperTable:
    """How efficiency is distributed over episodes: quartiles."""
    rows = []
    for env, task in ENVS.items():
        for row in grouped.rows:
            cells: list[ShownCell] = []
            for _, measure, scale in _EFFICIENCY[:4]:
                found = (one.numbers.get(measure) for one in grouped.uncapped(env, row))
                values = [number * scale for number in found if number is not None]
                parts = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [None] * 3
                cells += [ShownCell(part, digits=0) for part in parts]
            if any(cell.mean is not None for cell in cells):
                rows.append(((task, *row.shown()), tuple(cells)))
    columns = tuple(f"{name}\n{part}" for name, *_ in _EFFICIENCY[:4] for part in ("25%", "50%", "75%"))
    return PaperTable("spread", "Efficiency: quartiles of the episodes", columns, tuple(rows), "–: fewer than two")


def _cases(grouped: _Grouped) -> PaperTable:
    """The main score of each task by the failure case that its tasks are tagged with, a column for each strategy."""
    models = dict.fromkeys(row.model for row in grouped.rows)
    strategies = [name for name in STRATEGIES if any(row.strategy == name for row in grouped.rows)]
    rows = []
    for env, task in ENVS.items():
        for model in models:
            groups = [grouped.uncapped(env, PaperRow(model, strategy)) for strategy in strategies]
            for case in sorted({one.labels.get("case", "") for group in groups for one in group}):
                chosen = [[one for one in group if one.labels.get("case", "") == case] for group in groups]
                cells = tuple(grouped.cell(group, Metric(env, "", _MAIN[env])) for group in chosen)
                rows.append(((task, model, case or "none"), cells))
    told = {names[-1] for names, _ in rows} - {"none"}
    columns = tuple(STRATEGIES[name] for name in strategies)
    note = "the cases of appendix F that tasks are made to provoke; " + _NOTE
    return PaperTable("cases", "Appendix F: scores by failure case, %", columns, tuple(rows) if told else (), note)


def _attribution(grouped: _Grouped) -> PaperTable:
    envs = (_SEARCH, _RECOMMENDATION, _QA)
    rows = []
    for row in grouped.rows:
        cells: list[ShownCell] = []
        for env in envs:
            blamed = Counter(one.labels.get("culprit", "") for one in grouped.uncapped(env, row))
            count = blamed[USER] + blamed[CONTENT]
            cells += [ShownCell(100 * blamed[who] / count if count else None) for who in (USER, CONTENT)]
        if any(cell.mean is not None for cell in cells):
            rows.append((row.shown(), tuple(cells)))
    columns = tuple(f"{ENVS[env]}\n{who}" for env in envs for who in ("User", "Content"))
    note = "rankings by rule (no relevant page among the first 5); answers by the verdicts of --judge evidence:MODEL"
    return PaperTable("attribution", "Table 3: failures, %", columns, tuple(rows), note)


def _traffic(grouped: _Grouped) -> Iterable[PaperTable]:
    """Of each model the sites that its reports cite, against those of its Classical runs."""
    for model in dict.fromkeys(row.model for row in grouped.rows):
        cited = {
            row.strategy: Counter(site for one in grouped.uncapped(_RESEARCH, row) for site in one.cited)
            for row in grouped.rows
            if row.model == model
        }
        base = cited.pop("classical", Counter())
        for strategy, counter in cited.items():
            if not base or not counter:
                continue
            shares = [{site: 100 * count / one.total() for site, count in one.items()} for one in (base, counter)]
            most = [site for site, _ in (base + counter).most_common(SHOWN_SITES)]
            change = {site: shares[1].get(site, 0.0) - shares[0].get(site, 0.0) for site in most}
            rows = tuple(
                ((site,), tuple(map(ShownCell, (shares[0].get(site, 0.0), shares[1].get(site, 0.0), change[site]))))
                for site in sorted(most, key=lambda site: (-change[site], site))
            )
            name = STRATEGIES.get(strategy, strategy)
            title = f"Figure 2: traffic, {model}: % of citations of the {len(most)} most cited sites"
            note = "a site counts once a report; concentration (Gini of all cited sites): " + ", ".join(
                f"{told} {gini(one.values()):.2f} over {len(one)} sites"
                for told, one in (("Classical", base), (name, counter))
            )
            yield PaperTable(f"traffic_{strategy}", title, ("Classical", name, "difference"), rows, note)


def gini(counts: Iterable[int]) -> float:
    """The Gini coefficient of counts: 0 where all are equal, near 1 where one has all.

    >>> gini([1, 1, 1, 1]), gini([0, 0, 0, 4])
    (0.0, 0.75)
    """
    ordered = sorted(counts)
    total = sum(ordered)
    weighted = sum((2 * place - len(ordered) - 1) * count for place, count in enumerate(ordered, start=1))
    return weighted / (len(ordered) * total) if total else 0.0


def _visibility(grouped: _Grouped) -> PaperTable:
    spread = zip(("Word ↓", "Pos. ↓", "Overall ↓"), VISIBILITY, strict=True)
    metrics = (
        Metric(_RESEARCH, "#Cite", "cited_sites", 1.0),
        Metric(_RESEARCH, "No-Ref. %", "uncited"),
        *(Metric(_RESEARCH, name, measure, 1.0, 4) for name, measure in spread),
    )
    made = grouped.table("visibility", "Table 4: visibility of cited sites", metrics, grouped.uncapped)
    note = "population standard deviation over the sites that a report cites, mean over the reports that cite any"
    return PaperTable(made.name, made.title, tuple(one.heading for one in metrics), made.rows, note)


def _effort(grouped: _Grouped) -> PaperTable:
    metrics = [(name, measure, scale, 4 if "$" in name else 1) for name, measure, scale in _EFFORT]
    rows = []
    for env, task in ENVS.items():
        for row in grouped.rows:
            group = grouped.uncapped(env, row)
            cells = tuple(grouped.cell(group, Metric(env, *metric)) for metric in metrics)
            if any(cell.mean for cell in cells):
                rows.append(((task, *row.shown()), cells))
    columns = tuple(name for name, *_ in metrics)
    return PaperTable("effort", "Tokens, seconds and dollars an episode, by role", columns, tuple(rows), _NOTE)


def _caps(grouped: _Grouped) -> PaperTable:
    rows = []
    for row in grouped.rows:
        for cap in grouped.caps:
            cells = tuple(
                grouped.cell(grouped.cells.get((env, row, cap), []), Metric(env, "", measure))
                for env, measure in _MAIN.items()
            )
            if len({c for _, other, c in grouped.cells if other == row}) > 1 and any(
                cell.mean is not None for cell in cells
            ):
                rows.append(((*row.shown(), f"{cap} turns"), cells))
    columns = tuple(f"{ENVS[env]}\n{measure}" for env, measure in _MAIN.items())
    return PaperTable("caps", "Score against the cap on turns, %", columns, tuple(rows), _NOTE)


# ── the findings ──────────────────────────────────────────────────────────────


def _findings(grouped: _Grouped) -> tuple[PaperFinding, ...]:
    compared = (
        ("central beats decentralised on search", _SEARCH, "classical", "multi_agent", True),
        ("Tool_P is above Tool_E on search", _SEARCH, "tool_p", "tool_e", True),
        ("Tool_E is at least equal to Tool_P on deep research", _RESEARCH, "tool_e", "tool_p", False),
        ("Multi-Agent is at least equal to Classical on QA", _QA, "multi_agent", "classical", False),
    )
    return (*(_compared(grouped, *one) for one in compared), _gap(grouped))


def _by_strategy(grouped: _Grouped, env: str, strategy: str) -> list[ReportEpisode]:
    return [one for row in grouped.rows if row.strategy == strategy for one in grouped.uncapped(env, row)]


def _compared(grouped: _Grouped, text: str, env: str, first: str, second: str, strictly: bool) -> PaperFinding:
    measure = _MAIN[env]
    groups = [_by_strategy(grouped, env, one) for one in (first, second)]
    high, low = (by_task(group, measure) for group in groups)
    each = [100 * (high[task] - low[task]) for task in high if task in low]
    names = " less ".join(STRATEGIES[one] for one in (first, second))
    if not each:
        return PaperFinding(text, None, None, None, 0, None, f"no tasks that both have: {names}")
    mean, bounds = statistics.fmean(each), interval(each)
    told = f"{names}, {measure}"
    holds, why = _told(mean, bounds, strictly)
    blamed = _blame(groups[1] if strictly else groups[0])
    sides = {STRATEGIES[one]: group for one, group in zip((first, second), groups, strict=True)}
    why += blamed + _reached(sides, env) + _breadth(sides)
    return PaperFinding(text, mean, *bounds, len(each), holds, f"{told}; {why}")


def _told(mean: float, bounds: tuple[float | None, float | None], strictly: bool) -> tuple[bool | None, str]:
    """Whether a difference is above 0 (or, not strictly, not below 0 by the margin), and why it is taken to be."""
    low, high = (mean if bound is None else bound for bound in bounds)
    if high < 0 or (strictly and low == high == 0.0):
        return False, "it is the other way round" if high < 0 else "there is no difference at all"
    if low > 0:
        return True, "the whole interval is above 0"
    if strictly:
        return None, "the interval holds 0: more episodes would tell"
    if low > -MARGIN:
        return True, f"the whole interval is above -{MARGIN:g} points, the margin of being at least equal"
    return (
        None,
        f"the interval reaches -{MARGIN:g} points, the margin of being at least equal: more episodes would tell",
    )


def _blame(group: Sequence[ReportEpisode]) -> str:
    """Who failed in the episodes of a side, where that is known."""
    blamed = Counter(one.labels.get("culprit", "") for one in group)
    count = blamed[USER] + blamed[CONTENT]
    return f"; of {count} failures {100 * blamed[USER] / count:.0f}% chose no site with a gold page" if count else ""


def _numbers(groups: Mapping[str, Sequence[ReportEpisode]], figure: str) -> dict[str, list[float]]:
    """A figure of each group's episodes, of those that have it."""
    return {
        name: [number for one in group if (number := one.numbers.get(figure)) is not None]
        for name, group in groups.items()
    }


def _reached(groups: Mapping[str, Sequence[ReportEpisode]], env: str) -> str:
    """How many of the gold pages each side came to: whether access made the difference, or what was made of pages."""
    shares = _numbers(groups, "recall")
    if not all(shares.values()):
        return ""
    told = ", ".join(f"{name} {100 * statistics.fmean(found):.0f}%" for name, found in shares.items())
    return f"; gold pages {'ranked' if env in (_SEARCH, _RECOMMENDATION) else 'that came'}: {told}"


def _breadth(groups: Mapping[str, Sequence[ReportEpisode]]) -> str:
    """How many requests each side sends: who may name sites asks as many as it likes, a search of Tool_E three;
    and who searches many more sites, which is most of a difference in what came."""
    sent = _numbers(groups, "requests")
    if not all(sent.values()):
        return ""
    told = ", ".join(f"{name} {statistics.fmean(found):.1f}" for name, found in sent.items())
    three = STRATEGIES["tool_e"]
    sites = {name: statistics.fmean(found) * (_NEAREST if name == three else 1) for name, found in sent.items()}
    if three not in sites:
        return f"; requests an episode: {told}"
    widest = max(sites, key=lambda name: sites[name])
    times = sites[widest] / max(sites[three], 1e-9)
    unlike = f"; {widest} searches {times:.1f} times the sites" if times >= 1.5 else ""
    return f"; requests an episode: {told} ({three}'s each to {_NEAREST} sites){unlike}"


def _gap(grouped: _Grouped) -> PaperFinding:
    """How much the gap between Classical and Multi-Agent on search differs between the least and the most able agent.

    Agents are models, by their Classical success on QA; where there is one alone, its caps on turns.
    """
    text, measure = "the gap on search shrinks as agents get abler", _MAIN[_SEARCH]
    agents: list[tuple[float, str, list[ReportEpisode], list[ReportEpisode]]] = []
    for model in dict.fromkeys(row.model for row in grouped.rows):
        central = grouped.uncapped(_SEARCH, PaperRow(model, "classical"))
        capped = {cap for env, row, cap in grouped.cells if env == _SEARCH and row == PaperRow(model, "multi_agent")}
        answers = by_task(grouped.uncapped(_QA, PaperRow(model, "classical")), "success")
        ability = statistics.fmean(answers.values()) if answers else 0.0
        for cap in capped:
            asked = grouped.cells[_SEARCH, PaperRow(model, "multi_agent"), cap]
            agents.append((ability + cap * 1e-6, f"{model}, {cap} turns", central, asked))
    agents.sort(key=lambda one: one[0])
    if len(agents) < 2:
        return PaperFinding(text, None, None, None, 0, None, "it takes two models, or two caps on turns")
    gaps = [_gaps(central, asked, measure) for _, _, central, asked in (agents[0], agents[-1])]
    each = [100 * (gaps[0][task] - gaps[1][task]) for task in gaps[0] if task in gaps[1]]
    if not each:
        return PaperFinding(text, None, None, None, 0, None, "no tasks that all have")
    mean, bounds = statistics.fmean(each), interval(each)
    holds, why = _told(mean, bounds, strictly=True)
    told = f"how much smaller it is for {agents[-1][1]} than for {agents[0][1]}, {measure}"
    return PaperFinding(text, mean, *bounds, len(each), holds, f"{told}; {why}")


def _gaps(
    central: Iterable[ReportEpisode], asked: Iterable[ReportEpisode], measure: str
) -> dict[tuple[str, str], float]:
    high, low = by_task(central, measure), by_task(asked, measure)
    return {task: high[task] - low[task] for task in high if task in low}


def finding_text(number: int, one: PaperFinding) -> str:
    """A finding as a line."""
    verdict = {True: "holds", False: "does not hold", None: "open"}[one.holds]
    if one.mean is None:
        return f"({number}) {one.text}: {verdict}; {one.why}"
    span = "" if one.low is None or one.high is None else f" [{one.low:+.1f}, {one.high:+.1f}]"
    return f"({number}) {one.text}: {verdict}; {one.mean:+.1f}{span} points over {one.tasks} tasks; {one.why}"
