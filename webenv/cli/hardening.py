"""``webenv tasks draft``, ``tasks harden`` and ``corpus siblings``: real pages made hard, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from webenv.cli.options import AsJson
from webenv.cli.tables import wide_console
from webenv.cli.terminal import facts_table, print_json, stage_bars
from webenv.corpora import Corpus, build
from webenv.envs.hardening import TextPage, draft_needles, harden, make_siblings, write_official
from webenv.envs.needle_in_web.tasks import load_tasks
from webenv.errors import InvalidArgument
from webenv.observations import Page
from webenv.task import Task
from webenv.web import VisitRequest

_CorpusFolder = Annotated[Path, typer.Option("--web", metavar="DIR", help="The folder of the corpus they are put on.")]
_Tasks = Annotated[
    list[Path], typer.Option("--tasks", metavar="PATH", help="Official files, or a folder of them; repeatable.")
]
_TasksOut = Annotated[
    Path,
    typer.Option("--tasks-out", metavar="DIR", help="Where the tasks are written, in the official format."),
]
_Seed = Annotated[int, typer.Option(min=0, help="Of what is drawn: the same seed gives the same, to the byte.")]


def draft_command(
    web: _CorpusFolder,
    out: _TasksOut,
    per_site: Annotated[int, typer.Option(min=1, help="The most pages of a site.")] = 35,
    seed: _Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Make needles of a corpus by rule: sentences that stand alone, one element masked, in three levels.

    No model is asked. That no other page says the same is checked by words alone.
    """
    _check_new(out)
    pages = _pages(web)
    with stage_bars() as show:
        tasks, report = draft_needles(pages, per_site, seed, partial(show, "pages with tasks"))
    if not tasks:
        raise InvalidArgument(
            f'{web}: no page has nine sentences that stand alone, without "it", "this" or "above", and can be masked.'
        )
    files = write_official(tasks, {page.url: page.title for page in pages}, out)
    _print(as_json, {"tasks": report.tasks, "pages": report.pages}, report.left_out, files, out)


def harden_command(
    web: _CorpusFolder,
    tasks: _Tasks,
    out: _TasksOut,
    names: Annotated[
        bool, typer.Option("--names/--keep-names", help="Drop the page's name and years where enough is left.")
    ] = True,
    most: Annotated[int, typer.Option(min=1, help="The most words and phrases of a criterion that change.")] = 4,
    seed: _Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Say the criteria of tasks in other words, as the corpus itself uses them; their gold stays."""
    _check_new(out)
    loaded = load_tasks(*tasks)
    pages = _pages(web)
    with stage_bars() as show:
        shown = partial(show, "tasks")
        made, report = harden(list(loaded), pages, names=names, most=most, seed=seed, progress=shown)
    files = write_official(made, {page.url: page.title for page in pages}, out)
    _print(as_json, asdict(report), Counter(), files, out)


def siblings_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The corpus folder that is made.")],
    web: Annotated[Path, typer.Option("--from", metavar="DIR", help="The folder of the corpus that it is made of.")],
    tasks: _Tasks,
    out: _TasksOut,
    versions: Annotated[int, typer.Option(min=3, help="Versions of each gold page, of which one is right.")] = 10,
    seed: _Seed = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes that index.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make near copies of gold pages in which single claims no longer hold: the words stay, what they say changes.

    Approximate: which sentence says what is told by its words. Judge by page, as is the default of such tasks.
    """
    _check_new(out)
    with Corpus.open(web, workers=1) as corpus:
        loaded = [_at_its_address(task, corpus) for task in load_tasks(*tasks)]
        pages = list(map(_text_page, corpus.pages()))
    made = make_siblings(pages, loaded, versions, seed)
    records = [{"url": page.url, "title": page.title, "text": page.text, "date": page.date} for page in made.pages]
    with stage_bars() as show:
        build(folder, [records], near_copies=False, workers=workers, progress=show)
    files = write_official(made.tasks, {page.url: page.title for page in made.pages}, out)
    counts = {"tasks": made.report.tasks, "gold pages": made.report.pages, "versions": made.report.versions}
    _print(as_json, counts, made.report.left_out, files, out)


def _pages(folder: Path) -> list[TextPage]:
    with Corpus.open(folder, workers=1) as corpus:
        return list(map(_text_page, corpus.pages()))


def _text_page(page: Page) -> TextPage:
    return TextPage(page.url, page.title, page.text, page.date)


def _at_its_address(task: Task, corpus: Corpus) -> Task:
    """A task whose gold pages are named as the corpus names them: it knows a page by other addresses too."""
    found = corpus.visit([VisitRequest(url) for url in task.gold.urls])
    urls = tuple(page.url if isinstance(page, Page) else url for page, url in zip(found, task.gold.urls, strict=True))
    return replace(task, gold=replace(task.gold, urls=urls))


def _check_new(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidArgument(f"--tasks-out {str(folder)!r}: expected a folder that is new or empty.")


def _print(
    as_json: bool, counts: Mapping[str, int], left_out: Mapping[str, int], files: Mapping[str, int], out: Path
) -> None:
    if as_json:
        print_json({**counts, "left_out": dict(left_out), "files": dict(files)})
        return
    rows = [(name.replace("_", " "), f"{count:,}") for name, count in counts.items()]
    rows += [(f"left out: {reason}", f"{n:,}") for reason, n in sorted(left_out.items(), key=lambda one: -one[1])]
    wide_console().print(facts_table(rows))
    print(f"written: {len(files)} files in {out}")
