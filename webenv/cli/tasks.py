"""``webenv tasks``: builds tasks with models, has a person verify them, and slides their windows."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from webenv.cli import hardening
from webenv.cli.building import (
    BuildCommand,
    Out,
    Prompts,
    VerifyingScreen,
    open_taped,
    print_annotators,
    print_sources,
)
from webenv.cli.options import BENCHMARKS, AsJson, Costs, Parallel, Tape, grouped
from webenv.cli.terminal import print_json
from webenv.envs.building.asking import FieldQuestion
from webenv.envs.building.verification import Verification
from webenv.errors import DataError, InvalidArgument, did_you_mean
from webenv.evaluation.run_dir import check_output
from webenv.runtime.files import read_text, write_atomic
from webenv.urls import host_of
from webenv.web import Closable, ListedPages

app = typer.Typer(no_args_is_help=True, add_completion=False)
_build = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Builds tasks from real pages, with models. "
    + "".join(f"{name}: {', '.join(one.builder)}. " for name, one in BENCHMARKS.items() if one.builder[0]),
)
app.add_typer(_build, name="build")
app.command("draft")(hardening.draft_command)
app.command("harden")(hardening.harden_command)

_PAGES = "Pages"


_NEWS, _NEEDLES, _RESEARCH = (
    BENCHMARKS[name].builder for name in ("LiveNewsBench-v0", "NeedleInWeb-v0", "AgentWebResearch-v0")
)


@_build.command(_NEWS[0])
@grouped
def build_livenews(
    context: typer.Context,
    tape: Tape,
    costs: Costs,
    events: Annotated[
        Path,
        typer.Option(
            metavar="PATH",
            help="Events: .jsonl with date, summary and urls; Wikipedia's current events (.html, .wiki); or a folder.",
        ),
    ],
    web: Annotated[str, typer.Option(metavar="WEB", help="Where articles are searched, as for eval.")],
    out: Out,
    drafter: Annotated[str, typer.Option(metavar="MODEL", help="Drafts questions and answers.")],
    checker: Annotated[
        str,
        typer.Option(metavar="MODEL", help="Answers them, checks the guideline."),
    ],
    screener: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Writes queries, says what is relevant; else the drafter."),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Compares the answers: short:MODEL (the checker's), or answer."),
    ] = None,
    outlets: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Hosts that articles may come from, one a line; the paper's 95 by default; 'any' for all.",
            rich_help_panel=_PAGES,
        ),
    ] = None,
    results: Annotated[int, typer.Option(min=1, max=100, help="Results of a search.", rich_help_panel=_PAGES)] = 20,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the newest so many events.")] = None,
    today: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="The test set ends with the last month before; by default with the events."),
    ] = None,
    prompts: Prompts = None,
    parallel: Parallel = 16,
    as_json: AsJson = False,
) -> None:
    """Builds questions on news, as LiveNewsBench does: each drafted from one article, checked by another model.

    Endpoint and key: OPENAI_BASE_URL, OPENAI_API_KEY. What fell, and why, stands in DIR/build/rejected.jsonl, what is
    open in open.jsonl. Questions on events after the months of the test set wait in later.jsonl.
    """
    from webenv.envs.building.live_news_bench.build import DRAFTS, LiveNewsBuilder, shared_family
    from webenv.envs.building.live_news_bench.events import read_events
    from webenv.envs.building.live_news_bench.filters import Outlets
    from webenv.envs.building.live_news_bench.release import Release
    from webenv.envs.live_news_bench.env import JUDGES
    from webenv.models import make_model
    from webenv.rewards.registry import make_judge

    chosen = read_events(events)
    family = shared_family(drafter, checker)
    if family:
        print(
            f"webenv: warning: drafter and checker are both {family} models: a model tends to agree with its own "
            "family, so take the checker of another, as the paper does.",
            file=sys.stderr,
        )
    release = None if today is None else Release.before(today)
    allowed = Outlets.read(outlets)
    with BuildCommand(out, costs, parallel, tape).open() as command:
        builder = LiveNewsBuilder(
            command.web(web),
            make_model(drafter),
            make_model(checker),
            screener=None if screener is None else make_model(screener),
            judge=None if judge is None else make_judge(judge, JUDGES, tasks=DRAFTS),
            outlets=allowed,
            results=results,
            prompts=prompts,
            workers=parallel,
        )
        some = chosen[-limit:] if limit else chosen
        command.report(lambda: builder.build(some, out, release, command.watch), context.obj, as_json=as_json)


@_build.command(_NEEDLES[0])
@grouped
def build_needle(
    context: typer.Context,
    tape: Tape,
    costs: Costs,
    pages: Annotated[
        str, typer.Option(metavar="WEB", help="Where pages are from: the folder of a corpus, or any web.")
    ],
    out: Out,
    model: Annotated[str, typer.Option(metavar="MODEL", help="Writes claims, and masks them.")],
    embedder: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Ranks claims: a model of sentence-transformers, by name or folder, or "
            "endpoint:MODEL, an endpoint's embeddings.",
        ),
    ],
    judge: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Says whether a page meets criteria: llm:MODEL (the model's)."),
    ] = None,
    urls: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Pages, one URL a line, as a live web needs.", rich_help_panel=_PAGES),
    ] = None,
    site: Annotated[
        list[str] | None, typer.Option(help="Only pages of this site; repeatable.", rich_help_panel=_PAGES)
    ] = None,
    per_site: Annotated[int, typer.Option(min=1, help="The most pages of a site.", rich_help_panel=_PAGES)] = 35,
    limit: Annotated[int | None, typer.Option(min=1, help="The most pages of all.", rich_help_panel=_PAGES)] = None,
    device: Annotated[
        str | None, typer.Option(help="Where the embedder runs: cpu or cuda.", rich_help_panel=_PAGES)
    ] = None,
    prompts: Prompts = None,
    parallel: Parallel = 16,
    as_json: AsJson = False,
) -> None:
    """Builds queries for single pages, as Needle in the Web does: easy, medium and hard ones for each page.

    Files are named <site>_<difficulty>.json, in the official format. What fell stands in DIR/build/rejected.jsonl.
    """
    from webenv.corpora.dense import SentenceEncoder
    from webenv.envs.building.needle_in_web.build import DRAFTS, NeedleBuilder, sampled
    from webenv.envs.building.needle_in_web.embedding import EndpointEncoder, TextEncoder
    from webenv.models import make_model
    from webenv.rewards.registry import ENTAILMENT, make_judge

    with BuildCommand(out, costs, parallel, tape).open() as command:
        writer = make_model(model)
        judging = None if judge is None else make_judge(judge, {"llm": ENTAILMENT}, tasks=DRAFTS)
        kind, _, name = embedder.partition(":")
        encoder: TextEncoder  # before the web, whose pages may take long to list
        encoder = EndpointEncoder(name) if kind == "endpoint" else SentenceEncoder(embedder, device=device)
        web = command.web(pages)
        chosen = sampled(_page_urls(web, urls, pages), per_site, site or (), limit)
        builder = NeedleBuilder(
            web,
            writer,
            encoder,
            judge=judging,
            prompts=prompts,
            workers=parallel,
        )
        command.report(lambda: builder.build(chosen, out, command.watch), context.obj, as_json=as_json)


@_build.command(_RESEARCH[0])
@grouped
def build_research(
    context: typer.Context,
    tape: Tape,
    costs: Costs,
    questions: Annotated[
        Path, typer.Option(metavar="FILE", help='Questions: JSON records such as {"id": 1, "question": "…"}.')
    ],
    web: Annotated[str, typer.Option(metavar="WEB", help="Where documents are searched.")],
    out: Out,
    model: Annotated[str, typer.Option(metavar="MODEL", help="Draws key points, and puts them together.")],
    documents: Annotated[int, typer.Option(min=1, max=100, help="The most documents of a question.")] = 10,
    prompts: Prompts = None,
    parallel: Parallel = 16,
    as_json: AsJson = False,
) -> None:
    """Builds key points for research questions, as DeepResearchGym does: drawn from documents, then put together.

    DIR/research.jsonl is what AgentWebResearch-v0 takes as --tasks. What fell stands in DIR/build/rejected.jsonl.
    """
    from webenv.envs.building.key_points import KeyPointBuilder, read_questions
    from webenv.models import make_model

    chosen = read_questions(questions)
    with BuildCommand(out, costs, parallel, tape).open() as command:
        builder = KeyPointBuilder(command.web(web), make_model(model), documents, prompts, parallel)
        command.report(lambda: builder.build(chosen, out, command.watch), context.obj, as_json=as_json)


@app.command("collect")
@grouped
def collect_command(
    tape: Tape,
    sources: Annotated[
        list[str],
        typer.Option(
            "--from",
            metavar="KIND:URL",
            help="feed:URL, sitemap:URL (also an index) or random:URL (an address that leads to a random page); "
            "repeatable: the sources of a site are drawn from in turn.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The addresses, one a line.")],
    web: Annotated[str, typer.Option(metavar="WEB", help="What they are fetched on, at its pace.")] = "live:pages",
    per_site: Annotated[int, typer.Option(min=1, help="The most pages of a site.")] = 35,
    since: Annotated[str, typer.Option(metavar="DATE", help="Only pages dated on that day or later, or undated.")] = "",
    match: Annotated[str, typer.Option(metavar="PATTERN", help="Only addresses such as '*/reviews/*'.")] = "",
    replace: Annotated[
        str, typer.Option(metavar="OLD=NEW", help="Put one part of addresses in place of another: /abs/=/html/.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Collect addresses of pages that needles may be built from: the newest of feeds and sitemaps, and random ones.

    robots.txt and the pauses of the live web hold. 'webenv tasks build needle --pages live:pages --urls FILE' goes on.
    """
    from webenv.envs.building.needle_in_web.collect import PageCollector, PageSource

    chosen = [PageSource.parse(source) for source in sources]
    old, equals, new = replace.partition("=")
    if replace and (not old or not equals):
        raise InvalidArgument(f"--replace {replace!r:.80}: expected OLD=NEW, as in /abs/=/html/.")
    check_day("--since", since)
    file = check_output(out)
    opened = open_taped(web, tape)
    try:
        urls, told = PageCollector(opened, per_site, since, match, (old, new)).collect(chosen)
    finally:
        if isinstance(opened, Closable):
            opened.close()
    if as_json:
        print_json({"urls": urls, "sources": [vars(one) for one in told]})
    else:
        print_sources(told)
    if not urls:
        raise DataError(f"nothing was collected: {told[0].reason or 'no page counts; see why above'}.")
    write_atomic(file, "".join(f"{url}\n" for url in urls))
    if not as_json:
        print(f"{out}: {len(urls):,} pages of {len({host_of(url) for url in urls}):,} sites")


@app.command("prompts")
def prompts_command(
    build: Annotated[str, typer.Argument(metavar="BUILD", help="livenews or needle.")],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Write them there too, as files for --prompts DIR.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Also over files that say something else.")] = False,
) -> None:
    """Print the prompts of a build, its judge's last: {fields} are filled in, replies bear the {token}.

    Those of the agent stand in each episode: webenv export RUN --out FILE writes them.
    """
    from webenv.envs.building.live_news_bench import prompts as news
    from webenv.envs.building.needle_in_web import prompts as needle
    from webenv.rewards.needle import CriterionRubric
    from webenv.rewards.short_answer import ShortAnswerRubric

    builds: dict[str, tuple[list[FieldQuestion[Any, Any]], CriterionRubric | ShortAnswerRubric]] = {
        _NEWS[0]: (
            [kind() for kind in (news.QueryQuestion, news.RelevanceQuestion, news.DraftQuestion, news.ReadQuestion,
                                 news.GuidelineQuestion)],
            ShortAnswerRubric(),
        ),
        _NEEDLES[0]: ([needle.ClaimsQuestion(), needle.MaskingQuestion()], CriterionRubric()),
    }  # fmt: skip
    if build not in builds:
        raise InvalidArgument(f"no build {build!r:.40} has prompts. {did_you_mean(build, builds)}")
    questions, judge = builds[build]
    files = {} if out is None else {out / f"{one.name}.txt": one.prompt.own for one in questions}
    changed = [file for file, text in files.items() if file.exists() and read_text(file, "the prompt") != text]
    if changed and not overwrite:
        raise DataError(f"{changed[0]} is there and says something else; name another --out, or add --overwrite.")
    for one in (*questions, judge):
        print(f"── {one.name} {'(of the judge: --judge-prompt)' if one is judge else ''}\n{one.prompt.own}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for file, text in files.items():
            write_atomic(file, text)
        print(f"{out}: {', '.join(f'{one.name}.txt' for one in questions)}")


@app.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tasks: JSON lines, or one JSON list.")],
    count: Annotated[int, typer.Option(min=1, help="How many are to be verified.")] = 200,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The verified file; human_verified_test.jsonl for test.jsonl.")
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Who decides, where several do. Twice: their agreement, and what both accepted becomes the file.",
        ),
    ] = None,
) -> None:
    """Shows the tasks of a file one by one, to be accepted or rejected as they are, until enough are verified.

    Decisions are kept beside the file, in FILE.decisions: you may stop and go on.
    """
    names = annotator or [""]
    if len(names) == 2 and names[0] != names[1]:
        with Verification(file, count, out, names[0]) as one, Verification(file, count, out, names[1]) as two:
            print_annotators(one, two, out)
        return
    if len(names) > 1:
        raise InvalidArgument(f"--annotator {', '.join(names)}: expected one name, or two that differ.")
    with Verification(file, count, out, names[0]) as verification:
        VerifyingScreen(verification).sit()


@app.command("refresh")
def refresh_command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of 'webenv tasks build livenews'.")],
    today: Annotated[str, typer.Option(metavar="DATE", help="The day, as in 2025-12-01.")],
    add: Annotated[
        list[Path] | None, typer.Option(metavar="DIR", help="A newer build whose tasks join; repeatable.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Slides the windows by the quarters that are over: old validation and test questions join the training set.

    Questions on events after the months of the test set wait in later.jsonl. Verified questions that leave the test
    set are kept in DIR/build/earlier.
    """
    from webenv.envs.building.live_news_bench.release import refresh

    done = refresh(folder, today, add or ())
    if as_json:
        print_json(done._asdict())
        return
    if done.newest == done.before:
        print(f"The test set still ends with {done.newest}: no quarter after it is over on {today}.")
    else:
        print(f"The test set ended with {done.before}, and ends with {done.newest} now.")
        print(f"{done.joined:,} questions joined the training set.")
    for source, came in done.added.items():
        where = ", ".join(f"{number:,} {name}" for name, number in came.items())
        print(f"{sum(came.values()):,} from {source}: {where or 'all were known'}.")
    if done.retired:
        print(f"{done.retired:,} verified questions left the test set; they are kept in {done.earlier}.")
    for name, number in done.files.items():
        print(f"{name:<28} {number:>7,}")


def check_day(option: str, day: str) -> None:
    """Refuses what is no day."""
    try:
        if day and date.fromisoformat(day).isoformat() == day:
            return
    except ValueError:
        pass
    if day:
        raise InvalidArgument(f"{option} {day!r:.40}: expected a day, as in 2025-08-31.")


def _page_urls(web: Any, urls: Path | None, name: str) -> list[str]:
    """The pages of a file of URLs, or all pages of a web.

    Raises:
        DataError: for a file that cannot be read, or holds none.
        InvalidArgument: for a web that cannot list its pages, without such a file.
    """
    if urls is not None:
        found = [line.strip() for line in read_text(urls, "--urls").split("\n") if line.strip()]
        if not found:
            raise DataError(f"--urls {str(urls)!r} holds no URL; expected one a line.")
        return found
    if not isinstance(web, ListedPages):
        raise InvalidArgument(f"--pages {name}: this web cannot list its pages; name them with --urls FILE.")
    return list(web.urls())
