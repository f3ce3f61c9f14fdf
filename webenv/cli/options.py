"""The options that make an environment, shared by the commands that play one."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["Difficulty", "EnvId", "JudgeName", "Limits", "PromptFile", "Settings", "Site", "Split", "Tasks", "WebName"]

_PANEL = "Environment"

EnvId = Annotated[
    str, typer.Argument(metavar="ENV", help="The environment: NeedleInWeb-v0, or module:Id-v0 for one of your own.")
]
WebName = Annotated[
    str | None,
    typer.Option(
        "--web",
        metavar="WEB",
        help="The web: the folder of a corpus (DIR, DIR#dense), or a name: procedural:pages=10000,seed=3, sample, "
        "live:tavily, cassette:FILE, lucene:DIR.",
        rich_help_panel=_PANEL,
    ),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        "--tasks",
        metavar="PATH",
        help="Files or folders of tasks, repeatable; or generated:count=1000; or procedural:…, a generated web's.",
        rich_help_panel=_PANEL,
    ),
]
Difficulty = Annotated[
    list[str] | None,
    typer.Option("--difficulty", help="Only tasks of this difficulty; repeatable.", rich_help_panel=_PANEL),
]
Site = Annotated[
    list[str] | None, typer.Option("--site", help="Only tasks of this site; repeatable.", rich_help_panel=_PANEL)
]
Split = Annotated[
    list[str] | None,
    typer.Option(
        "--split", help="Only tasks of this split: train, validation or test; repeatable.", rich_help_panel=_PANEL
    ),
]
JudgeName = Annotated[
    str | None,
    typer.Option(
        "--judge",
        help="Who judges: page (the gold page or a copy of it), exact (generated tasks), "
        "or llm:MODEL (endpoint: OPENAI_BASE_URL).",
        rich_help_panel=_PANEL,
    ),
]
PromptFile = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The prompt of the model that judges.", rich_help_panel=_PANEL),
]
Limits = Annotated[
    str | None,
    typer.Option("--budget", metavar="LIMITS", help="As in searches=5,visits=5,turns=11.", rich_help_panel=_PANEL),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other argument of the environment; the value is JSON or a plain text; repeatable.",
        rich_help_panel=_PANEL,
    ),
]
