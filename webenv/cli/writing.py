"""``webenv corpus build --writer``: a generated web whose pages a chat model writes anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.building import BuildCommand
from webenv.cli.options import OptionGroup, Parallel
from webenv.envs.building.writing.build import ON_FAIL, WebWriter, machinery_of
from webenv.errors import InvalidArgument
from webenv.models import CostTracker, make_model

_PANEL = "Written by a model"
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
            rich_help_panel=_PANEL,
        ),
    ] = "",
    judge: Annotated[
        str,
        typer.Option(
            metavar="MODEL",
            help="Says too whether each new sentence means the same: what has no name, number or value of the world "
            "cannot be found otherwise.",
            rich_help_panel=_PANEL,
        ),
    ] = "",
    attempts: Annotated[
        int, typer.Option(min=1, help="How often a sentence is asked for.", rich_help_panel=_PANEL)
    ] = _ATTEMPTS,
    on_fail: Annotated[
        str,
        typer.Option(
            metavar="keep|drop",
            help="Whether sentences that failed each time stay as generated, or their page is left out.",
            rich_help_panel=_PANEL,
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
