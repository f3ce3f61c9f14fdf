"""What the commands that build tasks share, a web that a model writes anew, and where a person verifies tasks."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from webenv.cassette import Cassette
from webenv.cli.app import Interrupted
from webenv.cli.options import limit_reached
from webenv.cli.tables import confusion_table, print_usage, wide_console
from webenv.cli.terminal import SafeConsole, ShowStage, print_json, read_line, stage_bars
from webenv.envs.building.folder import MACHINERY
from webenv.envs.building.stages import BuildReport, StageReport, StageStanding
from webenv.envs.building.verification import ReviewTask, Verification
from webenv.envs.webs import open_web
from webenv.errors import CostLimitReached, InvalidArgument, ModelError, RunError
from webenv.evaluation.agreement import confusion
from webenv.evaluation.run import kept_usage, read_usage, sum_usage
from webenv.models import CostTracker, Usage, models_counted_by
from webenv.recorded import RecordedWeb, recorded_models
from webenv.runtime.files import read_lines, write_atomic
from webenv.runtime.text import one_line
from webenv.web import Web

if TYPE_CHECKING:
    from webenv.envs.building.needle_in_web.collect import CollectedSource


from dataclasses import dataclass

from webenv.cli.options import OptionGroup, Parallel
from webenv.envs.building.writing.build import ON_FAIL, WebWriter, machinery_of
from webenv.models import make_model

_PANEL = "Asking"
_USAGE = "usage.json"
_MOST = 1_000  # questions at a time, each in a thread
_REASONS, _LONGEST = 3, 120  # the most reasons of a stage that are shown, and their characters

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder; a build that stopped goes on in it.")]
Prompts = Annotated[
    Path | None, typer.Option("--prompts", metavar="DIR", help="Prompt files in place of ours.", rich_help_panel=_PANEL)
]


class BuildCommand:
    """One run of a command that builds.

    Models and webs that are made while it is open are counted and, with a tape, recorded. What was used stands in
    the folder's ``build/usage.json``, that of earlier runs included, and counts towards the limit.

    Raises:
        InvalidArgument: for too many questions at a time.
    """

    def __init__(self, out: Path, costs: CostTracker, parallel: int, tape: Cassette | None) -> None:
        if parallel > _MOST:
            raise InvalidArgument(f"--parallel {parallel}: a build puts {_MOST:,} questions at a time at most.")
        self.out, self.parallel = out, parallel
        self._usage_file = out / MACHINERY / _USAGE
        self._earlier = _read_usage(self._usage_file)
        self._costs, self._tape = costs, tape
        self._show: ShowStage | None = None

    @contextmanager
    def open(self) -> Iterator[BuildCommand]:
        """While the block runs, models are counted and recorded, and progress is shown."""
        with ExitStack() as stack:
            if self._tape is not None:
                stack.enter_context(recorded_models(self._tape))
            stack.enter_context(models_counted_by(self._costs, self.parallel))
            stack.enter_context(kept_usage(self._earlier, self._costs, self._keep))
            self._show = stack.enter_context(stage_bars())
            yield self

    def web(self, name: str) -> Web:
        """The web of a name, on the tape if there is one; in a replay the web itself is not opened."""
        return open_taped(name, self._tape)

    def watch(self, standing: StageStanding) -> None:
        stage, total, done, kept, rejected, open_ = standing
        text = f"kept {kept:,}, fell {rejected:,}" + (f", open {open_:,}" if open_ else "")
        if self._show is not None:
            self._show(stage, done, total, text)

    def report(self, build: Callable[[], BuildReport], words: Sequence[str], *, as_json: bool) -> None:
        """Builds, and prints what it came to; what was kept, too, where it ended before its end."""
        again = shlex.join(["webenv", *words])
        try:
            report = build()
        except (CostLimitReached, ModelError, KeyboardInterrupt) as failure:
            with suppress(RunError):  # it may have ended before there was anything
                self._print(BuildReport.read(self.out), as_json)
            kept = f"what came is kept in {self.out}"
            if isinstance(failure, KeyboardInterrupt):
                raise Interrupted(f"{kept}; go on with: {again}") from failure
            if isinstance(failure, ModelError):
                raise ModelError(f"{failure}; {kept}; go on with: {again}") from failure
            raise limit_reached(failure, kept, again, self._costs) from failure
        self._print(report, as_json)
        if report.open:
            line = f"{report.open:,} items are open, as a model or the web failed; to ask again: {again}"
            print(f"webenv: note: {line}", file=sys.stderr)

    def _keep(self, usage: Mapping[str, Usage]) -> None:
        if self._usage_file.parent.is_dir():
            write_atomic(self._usage_file, json.dumps({model: one.to_dict() for model, one in usage.items()}) + "\n")

    def _print(self, report: BuildReport, as_json: bool) -> None:
        used = sum_usage([self._earlier, self._costs.usage])
        if as_json:
            usage = {model: one.to_dict() for model, one in used.items()}
            print_json({**report.to_dict(), "usage": usage})
            return
        console = wide_console()
        console.print(_table(report))
        for name, count in report.files.items():
            print(f"{name:<40} {count:>7,}")
        print_usage(used, console)
        print(f"Folder: {report.folder}")


def open_taped(name: str, tape: Cassette | None) -> Web:
    """The web of a name, on a tape if there is one; in a replay the web itself is not opened."""
    if tape is None:
        return open_web(name)
    return RecordedWeb(tape, None if tape.mode == "replay" else open_web(name))


def print_sources(told: Sequence[CollectedSource]) -> None:
    """Prints what each source of pages gave, and why others of its pages were left out."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("source", overflow="fold")
    for name in ("came", "kept"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("why the others were left, or nothing came", overflow="fold")
    for one in told:
        left = [f"{one_line(why, _LONGEST)} {count:,}" for why, count in one.left.most_common(_REASONS)]
        why = "; ".join(([] if one.came else [one_line(one.reason, 2 * _LONGEST)]) + left)
        table.add_row(Text(one.source), f"{one.came:,}", f"{one.kept:,}", Text(why))
    wide_console().print(table)


def _table(report: BuildReport) -> Table:
    """How many fell at each stage, and why."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("stage", "of"):
        table.add_column(name, no_wrap=True)
    for name in ("came", "kept", "fell", "open"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("why they fell, or are open", overflow="fold")
    for stage in report.stages:
        counts = (stage.came, stage.kept, sum(stage.rejected.values()), sum(stage.open.values()))
        table.add_row(stage.stage, stage.unit, *(f"{count:,}" for count in counts), Text(_reasons(stage)))
    return table


def _reasons(stage: StageReport) -> str:
    every: Mapping[str, int] = {**stage.rejected, **{f"open: {reason}": n for reason, n in stage.open.items()}}
    shown = sorted(every.items(), key=lambda one: (-one[1], one[0]))
    text = "; ".join(f"{one_line(reason, _LONGEST)} {count:,}" for reason, count in shown[:_REASONS])
    return f"{text}; …" if len(shown) > _REASONS else text


def _read_usage(file: Path) -> dict[str, Usage]:
    """What earlier runs used.

    Raises:
        RunError: if it cannot be read.
    """
    try:
        return read_usage(json.loads(file.read_text(encoding="utf-8")), str(file))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise RunError(f"{file} cannot be read: {error!s:.200}.") from error


class VerifyingScreen:
    """Shows tasks to a person, and takes the decisions."""

    def __init__(self, verification: Verification) -> None:
        self._verification = verification
        self._console = SafeConsole()

    def sit(self) -> None:
        """Asks until enough are verified, or the person has had enough."""
        self._say("a accept, r REASON reject, u undo, t text of the page, q quit; nothing can be edited.")
        try:
            while (candidate := self._verification.next()) is not None:
                self._show(candidate)
                if not self._decide(candidate):
                    break
        except KeyboardInterrupt:
            self._say("")
        finally:
            self._end()

    def _decide(self, candidate: ReviewTask) -> bool:
        """One decision; ``False``: the person quits."""
        while True:
            line = read_line(self._console)
            word, _, rest = (line if line is not None else "q").strip().partition(" ")
            if word == "q":
                return False
            if word == "a" and not rest:
                self._verification.accept(candidate)
            elif word == "r":
                self._verification.reject(candidate, rest.strip())
            elif word == "u":
                undone = self._verification.undo()
                self._say("There is nothing to undo." if undone is None else "The last decision is undone.")
                if undone is None:
                    continue
            elif word == "t":
                self._say(_page_text(candidate, self._verification.path) or "The folder has no text of this page.")
                continue
            else:
                self._say("Type a, r (with a reason if you like), u, t or q.")
                continue
            return True

    def _show(self, candidate: ReviewTask) -> None:
        one = self._verification
        self._say(f"\n── {one.accepted} of {one.count} verified, {one.rejected} rejected, {one.left} left ──")
        for name, value in _told(candidate.record):
            self._say(f"{name:>12}: {value}")

    def _end(self) -> None:
        one = self._verification
        written = one.write()
        self._say(f"\n{one.accepted} of {one.count} verified, {one.rejected} rejected, {one.left} left.")
        self._say(f"{one.out} holds {written}.")
        if one.next() is not None:
            who = f" --annotator {one.annotator}" if one.annotator else ""
            self._say(f"To go on: webenv tasks verify {one.path}{who}")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def print_annotators(one: Verification, two: Verification, out: Path | None) -> None:
    """Prints how far two annotators agree, and writes what both accepted.

    Raises:
        RunError: if there is no task that both decided on.
    """
    first, second = one.decisions, two.decisions
    both = [key for key in first if key in second]
    if not both:
        raise RunError(
            f"{one.path}: {one.annotator} and {two.annotator} decided on no task alike; each verifies first."
        )
    words = {True: "accept", False: "reject"}
    table = confusion([(words[first[key]], words[second[key]]) for key in both], tuple(words.values()))
    print(f"{one.annotator} down, {two.annotator} across")
    wide_console().print(confusion_table(table))
    agreed = sum(first[key] == second[key] for key in both)
    told = "–, as both always chose the same" if table.kappa is None else f"{table.kappa:.3f}"
    print(f"Agreement: {100 * agreed / len(both):.1f}%, {agreed:,} of {len(both):,}; Cohen's kappa {told}")
    alone = len(first) + len(second) - 2 * len(both)
    if alone:
        print(f"Decided on by one of the two alone, and left out: {alone:,}")
    with Verification(one.path, out=out) as merged:
        one.out = merged.out
    print(f"{one.out} holds the {one.write(two):,} that both accepted.")


def _told(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a person is shown of a task: of news, then of needles."""
    event, article, page = (record.get(name) for name in ("event", "article", "context"))
    fields = [
        ("question", record.get("question")),
        ("answer", record.get("answer")),
        ("event", f"{record.get('event_date', '')} {event.get('summary', '')}" if isinstance(event, dict) else None),
        ("article", f"{article.get('title', '')} ({article.get('date', '')})" if isinstance(article, dict) else None),
        ("link", record.get("link")),
        ("stability", record.get("stability")),
        ("explanation", record.get("explanation")),
        ("page", f"{page.get('title', '')} {page.get('url', '')}" if isinstance(page, dict) else None),
    ]
    yield from ((name, str(value).strip()) for name, value in fields if value)
    for name in ("raw_questions", "ground_truth"):
        for number, text in enumerate(record.get(name) or (), start=1):
            yield f"{'criterion' if name == 'raw_questions' else 'claim'} {number}", str(text)


def _page_text(candidate: ReviewTask, file: Path) -> str:
    """The text of a task's page, from its record or from the build beside the file."""
    page = candidate.record.get("context")
    if isinstance(page, dict):
        return str(page.get("content", ""))
    link = candidate.record.get("link")
    with suppress(RunError, ValueError, KeyError, TypeError):
        for line in read_lines(file.parent / MACHINERY / "journal" / "visit.jsonl"):
            record = json.loads(line)
            if record.get("kept", {}).get("url") == link:
                return str(record["kept"]["text"])
    return ""


_WRITER_PANEL = "Written by a model"
_ATTEMPTS = 3


@dataclass(frozen=True)
class WrittenBuild:
    """What ``--writer`` and the options beside it ask for."""

    writer: str
    judge: str
    attempts: int
    on_fail: str
    parallel: int

    def build(
        self, folder: Path, sources: Sequence[str], costs: CostTracker, words: Sequence[str], *, as_json: bool
    ) -> None:
        """Runs the build and prints its summary.

        Args:
            folder: of the corpus.
            sources: what it is made from.
            costs: what models are counted by.
            words: of the command line.
            as_json: whether one JSON object is printed.

        Raises:
            InvalidArgument: for what is no generated web.
        """
        if len(sources) != 1 or sources[0].partition(":")[0] != "procedural":
            raise InvalidArgument(
                f"--writer {self.writer!r:.60}: {', '.join(sources):.100} has no facts that its text could be checked "
                "against; expected one --from procedural:…, as in --from procedural:pages=3000."
            )
        command = BuildCommand(machinery_of(folder), costs, self.parallel, None)
        with command.open():
            writer = WebWriter(
                make_model(self.writer),
                judge=make_model(self.judge) if self.judge else None,
                attempts=self.attempts,
                on_fail=self.on_fail,
                workers=self.parallel,
            )
            command.report(lambda: writer.write(sources[0], folder, command.watch), words, as_json=as_json)


def _written(
    writer: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Has this chat model write the pages of a generated web anew; each sentence is checked against the "
            "facts that it tells, and what is found wrong asked for again.",
            rich_help_panel=_WRITER_PANEL,
        ),
    ] = "",
    judge: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Says too whether each new sentence means the same: what has no name, number or value of the world "
            "cannot be found otherwise.",
            rich_help_panel=_WRITER_PANEL,
        ),
    ] = "",
    attempts: Annotated[
        int, typer.Option(min=1, help="How often a sentence is asked for.", rich_help_panel=_WRITER_PANEL)
    ] = _ATTEMPTS,
    on_fail: Annotated[
        str,
        typer.Option(
            metavar="keep|drop",
            help="Whether sentences that failed each time stay as generated, or their page is left out.",
            rich_help_panel=_WRITER_PANEL,
        ),
    ] = ON_FAIL[0],
    parallel: Parallel = 16,
) -> WrittenBuild | None:
    """How pages are written, if they are."""
    if not writer:
        if judge or attempts != _ATTEMPTS or on_fail != ON_FAIL[0]:
            raise InvalidArgument(
                "--judge, --attempts and --on-fail go with --writer MODEL; name one, or leave them out."
            )
        return None
    return WrittenBuild(writer, judge, attempts, on_fail, parallel)


Written = Annotated[WrittenBuild | None, OptionGroup(_written)]
