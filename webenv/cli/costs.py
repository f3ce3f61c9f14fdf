"""What models cost, on the command line: the options, the table, and what is said at the limit."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.errors import CostLimitReached, InvalidArgument
from webenv.models import CostTracker, Prices, Usage, dollars, plain_amount

_PANEL = "Model"
_KEEP = (
    "to keep each reply, add --cassette FILE --cassette-mode record; to finish episodes sooner, a smaller --parallel"
)

PriceFile = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        metavar="FILE",
        help='What models cost, in US dollars a million tokens: {"<model>": {"input": 0.4, "output": 1.6, '
        '"cached_input": 0.1}}.',
        rich_help_panel=_PANEL,
    ),
]
CostLimit = Annotated[
    str | None,
    typer.Option(
        "--cost-limit",
        metavar="DOLLARS",
        help="Ends the run when its models, the judge's too, have cost that much, by --prices. What is finished is "
        "kept; the replies in unfinished episodes with --cassette alone.",
        rich_help_panel=_PANEL,
    ),
]


def read_costs(prices: Path | None, limit: str | None) -> CostTracker:
    """What counts the costs of a command's models.

    Raises:
        InvalidArgument: for a limit that is no amount above 0, or one without prices.
        DataError: for a file that is no price table.
    """
    if limit is not None and prices is None:
        raise InvalidArgument(f"--cost-limit {limit} needs --prices FILE: what the models cost.")
    try:
        return CostTracker(None if prices is None else Prices.read(prices), limit)
    except InvalidArgument as error:
        raise InvalidArgument(f"--cost-limit {limit}: expected US dollars, more than 0, as in 2.50.") from error


def limit_reached(error: CostLimitReached, kept: str, resume: str, costs: CostTracker) -> CostLimitReached:
    """The error that ends a command at its limit: what is kept, and the command that goes on.

    Args:
        error: the limit.
        kept: what is kept, and where; where that begins with 0 and there is no cassette, how to keep more is added.
        resume: the command that takes the run up again.
        costs: with the limit and what was spent.
    """
    higher = plain_amount(max(costs.limit or Decimal(0), costs.charged) * 2)
    words: list[str] = []
    given = shlex.split(resume)
    lost = kept.startswith("0 ") and not any(word.partition("=")[0] == "--cassette" for word in given)
    if lost:
        kept += f"; {_KEEP}"
    for word in given:
        after = bool(words) and words[-1] == "--cost-limit"
        words.append(higher if after else f"--cost-limit={higher}" if word.startswith("--cost-limit=") else word)
    return CostLimitReached(f"{str(error).partition(';')[0]}; {kept}; go on with: {shlex.join(words)}")


def print_usage(usage: Mapping[str, Usage], console: Console) -> None:
    """Prints what each model was asked for and what it cost; nothing where none was asked."""
    if not usage:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("model", overflow="fold", max_width=30)
    for name in ("requests", "retries", "tokens read", "cached", "written", "cost"):
        table.add_column(name, justify="right")
    rows = list(usage.items())
    if len(rows) > 1:
        rows.append(("all", sum(usage.values(), Usage())))
    for name, one in rows:
        tokens = (one.prompt_tokens, one.cached_tokens, one.completion_tokens)
        counts = [f"{count:,}" for count in (one.requests, one.retries, *tokens)]
        table.add_row(Text(name), *counts, dollars(one.cost))
    console.print(table)
    unknown = sum(one.unknown for one in usage.values())
    if unknown:
        attempts = "1 attempt" if unknown == 1 else f"{unknown:,} attempts"
        estimate = sum((one.estimate for one in usage.values()), Decimal(0))
        about = f"; by an estimate {dollars(estimate)}, which counts towards a limit" if estimate else ""
        line = (
            f"{attempts} cut, timed out, interrupted or answered without usage: of unknown cost, and in no sum{about}."
        )
        console.print(Text(line), soft_wrap=True)
