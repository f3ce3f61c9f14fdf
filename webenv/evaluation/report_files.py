"""A report's table in other forms: CSV, LaTeX, and one HTML page with plots."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape
from typing import Any

from webenv.errors import InvalidArgument
from webenv.evaluation.coordination import CONTENT, USER, VISIBILITY
from webenv.evaluation.report import PERCENT, SPREADS, Difference, Names, ReportCell, ReportTable
from webenv.evaluation.report_runs import STAGES, ReportEpisode
from webenv.runtime.plots import COLOURS, new_plot
from webenv.runtime.text import printable

NOT_KNOWN = "N/A"
"""What stands where a measure does not exist: a system that hides its searches has none, and not 0."""

_MOST_COLUMNS, _MOST_ROWS, _MOST_BARS = 50, 2_000, 60
_ROUNDED = 1e15
_DIGITS = {"cost": 4, "dollars": 4, "user_dollars": 4, **dict.fromkeys(VISIBILITY, 4)}
_NOTHING: Mapping[str, int] = {}
_SPREAD_WORDS = {
    "runs": " with its 95% interval, or ± the standard deviation over runs",
    "tasks": " ± the standard deviation over tasks",
    "interval": " with its 95% interval",
    "none": "",
}
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; color: #1c1c1a; }
table { border-collapse: collapse; margin: 1rem 0 2rem; } caption { text-align: left; color: #555; padding: .3rem 0; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #ddd; white-space: nowrap; }
th:first-child, td.name { text-align: left; } small { color: #777; } svg { max-width: 100%; height: auto; }
"""


def cell_text(cell: ReportCell | None, measure: str, *, spread: str = SPREADS[0], decimals: int | None = None) -> str:
    """A cell as text: the mean, and what is known of its spread.

    Args:
        cell: the cell; ``None``: there is none.
        measure: what it shows.
        spread: one of :data:`webenv.evaluation.report.SPREADS`; of success, a share, tasks have none worth telling.
        decimals: of the mean; ``None``: as many as the measure has by default.
    """
    if cell is None:
        return ""
    if cell.mean is None:
        return NOT_KNOWN
    scale, digits = (100.0, 1) if measure.partition("@")[0] in PERCENT else (1.0, _DIGITS.get(measure, 2))
    digits = digits if decimals is None else decimals
    text = fixed(cell.mean * scale, digits)
    std = {"runs": cell.std, "tasks": None if measure == "success" else cell.std_tasks}.get(spread)
    if std is not None:
        return f"{text} ± {std * scale:,.{digits}f}"
    if spread in ("tasks", "none") or cell.low is None or cell.high is None:
        return text
    return f"{text} ({cell.low * scale:,.{max(0, digits - 1)}f}–{cell.high * scale:,.{max(0, digits - 1)}f})"


def fixed(number: float, digits: int) -> str:
    """A number with so many decimals, a half rounded away from zero, as the papers' tables round theirs.

    >>> fixed(40.625, 2), f"{40.625:.2f}"
    ('40.63', '40.62')
    """
    if abs(number) >= _ROUNDED:  # no decimal of it is known
        return f"{number:,.{digits}f}"
    return f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,}"


def shown_cell(table: ReportTable, row: Names, column: Names) -> str:
    """A cell of a table as text, in the table's digits and spread."""
    cell = table.cells.get((row, column))
    return cell_text(cell, table.measure_of(row), spread=table.spread, decimals=table.digits)


def difference_text(found: Difference | None, measure: str) -> str:
    """A difference with its sign and interval."""
    if found is None or found.mean is None:
        return "" if found is None else NOT_KNOWN
    scale = 100.0 if measure.partition("@")[0] in PERCENT else 1.0
    text = f"{found.mean * scale:+.1f}"
    if found.low is None or found.high is None:
        return text
    return f"{text} [{found.low * scale:+.1f}, {found.high * scale:+.1f}]"


def name_text(names: Sequence[str]) -> str:
    """A row's or column's name, printable; "all" where it is made by no label."""
    return printable(" · ".join(name or "–" for name in names)) if names else "all"


def check_width(table: ReportTable) -> None:
    """Refuses a table that nobody could read.

    Raises:
        InvalidArgument: for more than 50 columns, or 2,000 rows.
    """
    for what, names, most in (("columns", table.column_names, _MOST_COLUMNS), ("rows", table.row_names, _MOST_ROWS)):
        if len(names) > most:
            raise InvalidArgument(
                f"the table has {len(names):,} {what}, at most {most:,} are shown: choose other labels, or "
                "narrow them with --where; --csv writes any number."
            )


def to_csv(table: ReportTable) -> str:
    """One line a cell, numbers unrounded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    cell_fields = ReportCell._fields
    writer.writerow([*(f"row {n}" for n in table.rows), *(f"column {n}" for n in table.columns), "measure",
                     *cell_fields, "rank", *(f"difference {n}" for n in Difference._fields)])  # fmt: skip
    for (row, column), cell in table.cells.items():
        difference = table.differences.get((row, column)) or [None] * len(Difference._fields)
        # the writer writes None as nothing
        writer.writerow([*map(_inert, row), *map(_inert, column), table.measure_of(row), *cell,
                         table.ranks.get((row, column)), *difference])  # fmt: skip
    return out.getvalue()


def _inert(text: str) -> str:
    """A label that no spreadsheet takes for a formula, and no terminal for an order."""
    text = printable(text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def _is_best(table: ReportTable, row: Names, column: Names) -> bool:
    """Whether a cell is the highest of its row, or one of several; a table of one column has none."""
    ranks = [table.ranks[row, other] for other in table.column_names if (row, other) in table.ranks]
    return (row, column) in table.ranks and table.ranks[row, column] == min(ranks)


def to_latex(table: ReportTable) -> str:
    """A ``tabular`` for booktabs: the highest of each row in bold."""
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.column_names)}}}",
        r"\toprule",
        " & ".join(["", *(tex(name_text(column)) for column in table.column_names)]) + r" \\",
        r"\midrule",
    ]
    for row in table.row_names:
        texts = [tex(name_text(row))]
        for column in table.column_names:
            text = shown_cell(table, row, column).replace("–", "--").replace("±", r"$\pm$")
            texts.append(rf"\textbf{{{text}}}" if _is_best(table, row, column) else text)
        lines.append(" & ".join(texts) + r" \\")
    notes = [f"% {printable(note)}" for note in table.notes]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *notes, ""])


_TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "·": r"$\cdot$", "–": "--"}


def tex(text: str) -> str:
    """A text in which LaTeX sees no command."""
    return "".join(_TEX.get(one, f"\\{one}" if one in "&%$#_{}" else one) for one in text)


# ── one page ──────────────────────────────────────────────────────────────────


def to_html(table: ReportTable, episodes: Sequence[ReportEpisode], title: str) -> str:
    """One page that holds everything: the tables, and plots as SVG; it asks nothing of the network and runs no script.

    Args:
        table: the table.
        episodes: those that it is of.
        title: of the page.

    Raises:
        MissingExtra: if matplotlib is not installed.
    """
    check_width(table)
    parts = [f"<h1>{escape(title)}</h1>", _html_table(table)]
    if len(table.row_names) <= _MOST_BARS and "," not in table.measure:
        parts.append(svg(bars(table)))
    searches = _accuracy_by_searches(table, episodes)
    if searches is not None:
        parts += ["<h2>Success by searches spent</h2>", svg(searches)]
    for heading, counts, order in (
        ("How episodes ended", table.endings, ()),
        ("How far wrong episodes came", table.stages, STAGES),
        ("Who failed", table.culprits, (USER, CONTENT)),
        ("Why episodes have no value", table.unscored, ()),
    ):
        if counts:
            parts += [f"<h2>{heading}</h2>", _counts_table(table, counts, order)]
            if counts is table.stages:
                parts.append(svg(_stacked(table, counts, order)))
    return page_of(title, "".join(parts))


def page_of(title: str, body: str) -> str:
    """A page that stands alone: its style is in it, and it may ask nothing of the network."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{_STYLE}</style></head>\n'
        f"<body>{body}</body></html>\n"
    )


def _html_table(table: ReportTable) -> str:
    head = "".join(f"<th>{escape(name_text(column))}</th>" for column in table.column_names)
    body = []
    for row in table.row_names:
        cells = []
        for column in table.column_names:
            cell = table.cells.get((row, column))
            text = escape(shown_cell(table, row, column))
            difference = difference_text(table.differences.get((row, column)), table.measure_of(row))
            more = f"<br><small>{escape(difference)}</small>" if difference else ""
            count = f"<br><small>n = {cell.episodes:,}</small>" if cell is not None else ""
            strong = f"<strong>{text}</strong>" if _is_best(table, row, column) else text
            cells.append(f"<td>{strong}{more}{count}</td>")
        body.append(f'<tr><td class="name">{escape(name_text(row))}</td>{"".join(cells)}</tr>')
    unit = ", percent" if table.measure in PERCENT else ""
    caption = f"{escape(table.measure)}{unit}: mean{_SPREAD_WORDS[table.spread]}"
    notes = "".join(f"<p>{escape(printable(note))}</p>" for note in table.notes)
    return f"<table><caption>{caption}</caption><tr><th></th>{head}</tr>{''.join(body)}</table>{notes}"


def _counts_table(table: ReportTable, counts: Mapping[Names, Mapping[str, int]], order: Sequence[str]) -> str:
    words = list(order) or list(dict.fromkeys(word for found in counts.values() for word in found))
    words = [word for word in words if any(word in found for found in counts.values())]
    head = "".join(f"<th>{escape(name_text(column))}</th>" for column in table.column_names)
    body = "".join(
        f'<tr><td class="name">{escape(word[:200])}</td>'
        + "".join(f"<td>{counts.get(column, _NOTHING).get(word, 0):,}</td>" for column in table.column_names)
        + "</tr>"
        for word in words
    )
    return f"<table><tr><th></th>{head}</tr>{body}</table>"


def bars(table: ReportTable) -> Any:
    """A figure of the table as bars, with their intervals.

    Raises:
        InvalidArgument: for a table of several measures, or of more than 60 rows.
        MissingExtra: if matplotlib is not installed.
    """
    if "," in table.measure or len(table.row_names) > _MOST_BARS:
        raise InvalidArgument(
            f"a picture shows one measure and at most {_MOST_BARS} rows: {table.measure} over "
            f"{len(table.row_names):,} rows came; choose with --measure, --rows and --where."
        )
    rows, columns = table.row_names, table.column_names
    figure, panel = new_plot(max(6.0, 1.2 + 0.35 * len(rows) * len(columns)), 3.6)
    scale = 100.0 if table.measure in PERCENT else 1.0
    width = 0.8 / len(columns)
    for number, column in enumerate(columns):
        places, means, below, above = [], [], [], []
        for place, row in enumerate(rows):
            cell = table.cells.get((row, column))
            if cell is None or cell.mean is None:
                continue
            low, high = (cell.mean if side is None else side for side in (cell.low, cell.high))
            places.append(place + (number - (len(columns) - 1) / 2) * width)
            means.append(cell.mean * scale)
            below.append((cell.mean - min(low, cell.mean)) * scale)
            above.append((max(high, cell.mean) - cell.mean) * scale)
        colour = COLOURS[number % len(COLOURS)]
        panel.bar(places, means, width * 0.92, yerr=[below, above], color=colour, ecolor="#555", capsize=2)
        panel.plot([], [], "s", color=colour, label=plot_label(name_text(column)))
    panel.set_xticks(
        range(len(rows)), [plot_label(name_text(row)) for row in rows], rotation=30 if len(rows) > 4 else 0
    )
    panel.set_ylabel(f"{table.measure}{' (%)' if table.measure in PERCENT else ''}")
    figure.legend(loc="outside upper center", ncols=min(5, len(columns)), frameon=False)
    return figure


def _accuracy_by_searches(table: ReportTable, episodes: Sequence[ReportEpisode]) -> Any:
    """Success of the episodes that spent so many searches, a line a column; ``None`` where nothing is known of any."""
    found: dict[Names, dict[int, list[float]]] = {}
    for one in episodes:
        searches, success = one.numbers.get("searches"), one.numbers.get("success")
        if searches is not None and success is not None:
            column = tuple(one.labels.get(name, "") for name in table.columns)
            found.setdefault(column, {}).setdefault(int(searches), []).append(success)
    if not any(len(by_count) > 1 for by_count in found.values()):
        return None
    figure, panel = new_plot(7.0, 3.4)
    for number, (column, by_count) in enumerate(found.items()):
        counts = sorted(by_count)
        shares = [100 * sum(by_count[count]) / len(by_count[count]) for count in counts]
        sizes = [12 + 4 * len(by_count[count]) ** 0.5 for count in counts]
        colour = COLOURS[number % len(COLOURS)]
        panel.plot(counts, shares, color=colour, linewidth=1, label=plot_label(name_text(column)))
        panel.scatter(counts, shares, s=sizes, color=colour)
    panel.set_xlabel("searches spent (dots grow with episodes)")
    panel.set_ylabel("success (%)")
    panel.set_ylim(-3, 103)
    panel.legend(frameon=False)
    return figure


def _stacked(table: ReportTable, counts: Mapping[Names, Mapping[str, int]], order: Sequence[str]) -> Any:
    figure, panel = new_plot(7.0, 0.9 + 0.45 * len(table.column_names))
    names = [plot_label(name_text(column)) for column in table.column_names]
    left = [0.0] * len(names)
    for number, word in enumerate(order):
        widths = []
        for column in table.column_names:
            of_column = counts.get(column, _NOTHING)
            widths.append(100 * of_column.get(word, 0) / max(1, sum(of_column.values())))
        if any(widths):
            panel.barh(names, widths, left=left, label=word, color=COLOURS[number % len(COLOURS)])
        left = [one + width for one, width in zip(left, widths, strict=True)]
    panel.invert_yaxis()
    panel.set_xlabel("% of wrong episodes")
    figure.legend(loc="outside upper center", ncols=5, frameon=False, fontsize=8)
    return figure


def plot_label(text: str) -> str:
    """A label in a plot: dollars begin formulas there."""
    return text.replace("$", r"\$")[:60]


def svg(figure: Any) -> str:
    """A figure as a part of a page."""
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    return text[text.index("<svg") :]
