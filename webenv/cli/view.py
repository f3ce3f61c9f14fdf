"""``webenv view``, ``export`` and ``curve``: a run as a page, as chats, and training as a picture."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from webenv.cli.options import AsJson
from webenv.cli.tables import counts_table, wide_console
from webenv.cli.terminal import print_json, stage_bars
from webenv.evaluation.chats import Exported, export_chats
from webenv.evaluation.replay import run_of_policy
from webenv.evaluation.run_dir import count_records
from webenv.training.curve import draw_curves, read_curve
from webenv.viewing import write_view


def view_command(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="The folder of a run that webenv eval has played, or of several; a folder in RUN/rescored; or an "
            "episodes.jsonl.",
        ),
    ],
    other: Annotated[
        Path | None, typer.Argument(metavar="[OTHER]", help="Another, to be read side by side with it.")
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="The page; RUN/view.html by default.")] = None,
    open_: Annotated[bool, typer.Option("--open", help="Opens it in the browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Writes one HTML page to read a run's episodes in, step by step; or two runs side by side.

    The page is whole in itself: it needs no server and no network. It holds the gold.
    """
    view = write_view(run, other, out)
    if as_json:
        print_json(view.to_dict())
    else:
        for summary in view.summaries:
            total = summary.total
            rate = "–" if total.success_rate is None else f"{100 * total.success_rate:.1f}%"
            unscored = f", {total.unscored:,} unscored" if total.unscored else ""
            print(f"{summary.label}: {total.episodes:,} episodes, {rate} right{unscored}")
        print(f"Page: {view.path} ({view.size / 1e6:.1f} MB)")
        for note in view.notes:
            print(f"webenv: note: {note}", file=sys.stderr)
    if open_:
        webbrowser.open(view.path.resolve().as_uri())


def export_command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run that webenv eval has played.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write, one conversation a line.")],
    format: Annotated[
        str,
        typer.Option(help="How actions are written: tags, blocks, source, or tools (OpenAI tool calls)."),
    ] = "tags",
    minimum: Annotated[float, typer.Option(help="The least value of the verdict, 0 to 1.")] = 1.0,
    all_: Annotated[
        bool,
        typer.Option("--all", help="Every episode: unscored, of any value, with turns that held no action."),
    ] = False,
    policy: Annotated[str | None, typer.Option(metavar="NAME", help="Whose run, where RUN holds several.")] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Whose verdicts: the name of a folder in RUN/rescored."),
    ] = None,
    thoughts: Annotated[
        bool, typer.Option("--thoughts/--no-thoughts", help="Keeps what a model wrote before its action.")
    ] = True,
    thinking: Annotated[bool, typer.Option("--thinking", help="Keeps what it wrote between think tags too.")] = False,
    page_characters: Annotated[
        int | None, typer.Option(metavar="N", help="The most of one page's text; the middle goes.")
    ] = None,
    prompt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The system message; the format's rules by default.")
    ] = None,
    arguments: Annotated[
        str, typer.Option(help="Of tool calls: text (OpenAI) or object (TRL, chat templates).")
    ] = "text",
    bare: Annotated[
        bool, typer.Option("--bare", help="Writes messages and tools alone, nothing of the episode.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Writes a run's episodes as conversations, one JSON object a line, for fine-tuning chat models elsewhere.

    By default those that were right. A file that was there is replaced, when the new one is whole.
    """
    total = count_records(run_of_policy(run, policy))
    with stage_bars() as show:
        exported = export_chats(
            run,
            out,
            format,
            minimum,
            bare=bare,
            watch=lambda written, left_out: show("export", written + left_out, total),
            policy=policy,
            judge=judge,
            every=all_,
            thoughts=thoughts,
            thinking=thinking,
            page_characters=page_characters,
            prompt=prompt,
            arguments=arguments,
        )
    if as_json:
        print_json(exported.to_dict())
        return
    _report(exported)


def _report(exported: Exported) -> None:
    table = counts_table("episodes", "")
    table.add_row("written", f"{exported.written:,}")
    for reason, count in exported.left_out.items():
        table.add_row(Text(f"left out: {reason}"), f"{count:,}")
    wide_console().print(table)
    line = f"{exported.written:,} conversations with {exported.turns:,} replies, as {exported.format}: {exported.path}"
    print(line)
    if not exported.written:
        print("webenv: note: no conversation was written; see --minimum and --all.", file=sys.stderr)


def curve_command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN …", help="Folders that webenv train has written, such as several seeds."),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The picture: .png, .svg or .pdf.")] = Path("curve.png"),
) -> None:
    """Draws the learning curves of training runs into one picture: success in training over the steps played.

    Marks at the end are success on the tasks of the evaluation, with 95% intervals; the dashed line is keyword.
    """
    draw_curves([read_curve(run) for run in runs], out)
    print(f"Learning curve: {out}")
