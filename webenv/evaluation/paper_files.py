"""A paper's tables in other forms: LaTeX, and one HTML page with its figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from webenv.evaluation.agent_web_tables import (
    ENVS,
    STRATEGIES,
    PaperReport,
    PaperTable,
    ShownCell,
    finding_text,
    strategy_of,
)
from webenv.evaluation.report_files import page_of, plot_label, svg, tex
from webenv.evaluation.report_runs import ReportEpisode
from webenv.runtime.plots import COLOURS, new_plot

_MOST_GROUPS = 12
_DISTRIBUTIONS = (("turns", "turns"), ("agents", "distinct sites"), ("requests", "requests"))


def paper_latex(report: PaperReport) -> str:
    """Each table as a ``tabular`` for booktabs, the findings as comments."""
    parts = [_latex_table(table) for table in report.tables]
    return "\n".join([*parts, *(f"% {finding_text(*one)}" for one in enumerate(report.findings, start=1)), ""])


def _latex_table(table: PaperTable) -> str:
    names = len(table.rows[0][0])
    heads = [tex(heading.replace("\n", " ")) for heading in table.columns]
    lines = [
        f"% {table.title}",
        rf"\begin{{tabular}}{{{'l' * names}{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join([*[""] * names, *heads]) + r" \\",
        r"\midrule",
        *(" & ".join([*map(tex, row), *map(_latex_cell, cells)]) + r" \\" for row, cells in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _latex_cell(cell: ShownCell) -> str:
    if cell.mean is None:
        return "--"
    spread = "" if cell.std is None else rf" $\pm$ {cell.std:.{cell.digits}f}"
    return f"{cell.mean:.{cell.digits}f}{spread}"


def paper_html(report: PaperReport) -> str:
    """One page with all tables, the findings, and figures of efficiency, traffic and the caps on turns.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    parts = ["<h1>AgentWebBench</h1><h2>Findings</h2><ol>"]
    parts += [f"<li>{escape(finding_text(*one).partition(' ')[2])}</li>" for one in enumerate(report.findings, start=1)]
    parts.append("</ol>")
    for table in report.tables:
        parts += [f"<h2>{escape(table.title)}</h2>", _html_table(table)]
        if table.name.startswith("traffic_"):
            parts.append(svg(_traffic(table)))
        elif table.name == "caps":
            parts.append(svg(_caps(table)))
    parts += ["<h2>Figure 4: efficiency, distributions</h2>", svg(_distributions(report.episodes))]
    return page_of("AgentWebBench", "".join(parts))


def _html_table(table: PaperTable) -> str:
    names = len(table.rows[0][0])
    head = "<th></th>" * names + "".join(f"<th>{escape(one).replace(chr(10), '<br>')}</th>" for one in table.columns)
    body = "".join(
        "<tr>"
        + "".join(f'<td class="name">{escape(name)}</td>' for name in row)
        + "".join(f"<td>{_html_cell(cell)}</td>" for cell in cells)
        + "</tr>"
        for row, cells in table.rows
    )
    return f"<table><caption>{escape(table.note)}</caption><tr>{head}</tr>{body}</table>"


def _html_cell(cell: ShownCell) -> str:
    if cell.mean is None:
        return "–"
    text = f"{cell.mean:,.{cell.digits}f}"
    if cell.std is not None:
        return f"{text}<br><small>± {cell.std:,.{cell.digits}f}</small>"
    if cell.low is None or cell.high is None:
        return text
    return f"{text}<br><small>{cell.low:,.{cell.digits}f} to {cell.high:,.{cell.digits}f}</small>"


def _traffic(table: PaperTable) -> Any:
    """Two bars a site, Classical and the other, sorted by their difference as the table is."""
    figure, panel = new_plot(7.5, 1.2 + 0.3 * len(table.rows))
    sites = [plot_label(names[0]) for names, _ in table.rows]
    for number in range(2):
        places = [place + (number - 0.5) * 0.4 for place in range(len(sites))]
        values = [cells[number].mean or 0.0 for _, cells in table.rows]
        panel.barh(places, values, 0.38, color=COLOURS[number], label=plot_label(table.columns[number]))
    panel.set_yticks(range(len(sites)), sites)
    panel.invert_yaxis()
    panel.set_xlabel("% of citations")
    panel.legend(frameon=False)
    return figure


def _caps(table: PaperTable) -> Any:
    figure, panel = new_plot(7.0, 3.4)
    lines: dict[str, dict[int, float]] = {}
    for names, cells in table.rows:
        for heading, cell in zip(table.columns, cells, strict=True):
            if cell.mean is not None:
                name = f"{' '.join(names[:-1])}, {heading.partition(chr(10))[0]}"
                lines.setdefault(name, {})[int(names[-1].split()[0])] = cell.mean
    for number, (name, points) in enumerate(list(lines.items())[:_MOST_GROUPS]):
        caps = sorted(points)
        panel.plot(
            caps, [points[cap] for cap in caps], "o-", color=COLOURS[number % len(COLOURS)], label=plot_label(name)
        )
    panel.set_xlabel("turns allowed")
    panel.set_ylabel("score (%)")
    panel.legend(frameon=False, fontsize=8)
    return figure


def _distributions(episodes: Sequence[ReportEpisode]) -> Any:
    """Violins of what episodes took, by task and strategy."""
    groups: dict[tuple[str, str], list[ReportEpisode]] = {}
    for one in episodes:
        groups.setdefault((ENVS[one.labels["env"]], strategy_of(one.labels)), []).append(one)
    figure, _ = new_plot(9.0, 0.4 * len(groups) + 1.6)
    figure.clear()
    panels = figure.subplots(1, len(_DISTRIBUTIONS), sharey=True)
    for panel, (measure, name) in zip(panels, _DISTRIBUTIONS, strict=True):
        for place, group in enumerate(groups.values()):
            values = [number for one in group if (number := one.numbers.get(measure)) is not None]
            if len(set(values)) > 1:
                panel.violinplot(values, [place], orientation="horizontal", showmedians=True)
            elif values:
                panel.plot(values[0], place, "|", color=COLOURS[0], markersize=10)
        panel.set_xlabel(name)
        panel.spines[["top", "right"]].set_visible(False)
    labels = [plot_label(f"{task}, {STRATEGIES.get(strategy, strategy)}") for task, strategy in groups]
    panels[0].set_yticks(range(len(groups)), labels)
    panels[0].invert_yaxis()
    return figure
