"""``webenv corpus``: builds a corpus folder, adds to it, describes, searches and visits it."""

from __future__ import annotations

import dataclasses
import datetime
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from webenv.cli.building import Written
from webenv.cli.hardening import siblings_command
from webenv.cli.options import AsJson, Costs, grouped
from webenv.cli.terminal import facts_table, full_console, print_json, stage_bars
from webenv.corpora import Corpus, Manifest, add, build
from webenv.corpora.engine_folder import FURTHER, known_engines
from webenv.corpora.engines import add_dense, add_lucene, add_maxscore
from webenv.corpora.extract import EXTRACTOR
from webenv.corpora.ingest.source import FORMS
from webenv.corpora.manifest import skipped_line, verify
from webenv.corpora.realism import ROWS, WORDS, draw_cards, realism_cards
from webenv.envs.webs import open_web
from webenv.errors import InvalidArgument, did_you_mean
from webenv.observations import Page, Result
from webenv.runtime.plots import check_plot_file
from webenv.web import Scope, SearchRequest, VisitRequest

if TYPE_CHECKING:
    from webenv.corpora.procedural import CachedWeb

app = typer.Typer(help="Build a corpus folder, add to it, describe, search and visit it.", no_args_is_help=True)

_Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The corpus folder.")]
_AsOf = Annotated[str, typer.Option("--as-of", metavar="DATE", help="Only pages dated on that day or earlier exist.")]
_SITES_SHOWN = 20
_WEBS_SHOWN = 20
_INDENT = "    "
_ENDS = (".", "!", "?", "。", "！", "？", "”", '"', ")")  # of a sentence


_Sources = Annotated[
    list[str],
    typer.Option("--from", metavar="SPEC", help=f"{', '.join(FORMS.values())}; repeatable, read in this order."),
]
_Extractor = Annotated[
    str,
    typer.Option(
        "--extractor",
        metavar="NAME",
        help="What takes main texts from HTML: trafilatura, or resiliparse, which is faster.",
    ),
]
_Workers = Annotated[
    int | None, typer.Option("--workers", min=1, help="Processes that extract and index; by default one for each core.")
]


@app.command("build")
@grouped
def build_command(
    context: typer.Context,
    folder: _Folder,
    sources: _Sources,
    written: Written,
    costs: Costs,
    extractor: _Extractor = EXTRACTOR,
    workers: _Workers = None,
    as_json: AsJson = False,
) -> None:
    """Build a corpus folder; a corpus that is there is replaced at the very end.

    A build that was stopped goes on where it was when the same command is given again.
    """
    if written is not None:
        written.build(folder, sources, costs, context.obj, as_json=as_json)
        return
    _make(folder, partial(build, folder, sources, extractor=extractor, workers=workers), 0, as_json)


@app.command("add")
def add_command(
    folder: _Folder,
    sources: _Sources,
    extractor: _Extractor = EXTRACTOR,
    workers: _Workers = None,
    as_json: AsJson = False,
) -> None:
    """Add pages to a corpus; what it holds is not extracted again."""
    before = Manifest.read(folder).pages
    _make(folder, partial(add, folder, sources, extractor=extractor, workers=workers), before, as_json)


def _make(folder: Path, build: Callable[..., Manifest], before: int, as_json: bool) -> None:
    """Builds, and says what was built."""
    started = time.perf_counter()
    with stage_bars() as told:
        manifest = build(progress=told)
    seconds = time.perf_counter() - started
    if as_json:
        print_json(_described(folder, manifest) | {"seconds": round(seconds, 3)})
        return
    _print_manifest(folder, manifest)
    new = manifest.pages - before
    print(f"{'added' if before else 'built'} {new} pages in {seconds:.1f} s ({new / max(seconds, 1e-9):.0f} pages/s)")


@app.command("index")
def index_command(
    folder: _Folder,
    engine: Annotated[
        str, typer.Argument(metavar="ENGINE", help="lucene, dense, or maxscore, which makes tantivy faster.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="dense: a model of sentence-transformers, by name or folder.")
    ] = "",
    query_prompt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="dense: what the model wants before a query.")
    ] = None,
    page_prompt: Annotated[
        str | None, typer.Option(metavar="TEXT", help="dense: what the model wants before a page.")
    ] = None,
    tokens: Annotated[int | None, typer.Option(min=1, help="dense: the most tokens of a page.")] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="dense: vectors made elsewhere (.npy, .parquet, .jsonl)."),
    ] = None,
    names: Annotated[
        Path | None, typer.Option(metavar="FILE", help="With a .npy: the URL or id of each row, one a line.")
    ] = None,
    approximate: Annotated[
        str,
        typer.Option(metavar="KIND", help="dense: ivf, hnsw or flat, for global search of millions."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Add another engine to a corpus: search it as DIR#ENGINE, or fused as DIR#tantivy+dense."""
    settings = {"query_prompt": query_prompt, "page_prompt": page_prompt, "tokens": tokens}
    given = {name: value for name, value in settings.items() if value is not None}
    dense_alone = [model, vectors, names, approximate, *given]
    started = time.perf_counter()
    with stage_bars() as told:
        if engine == "dense":
            made = add_dense(
                folder,
                model=model,
                encoder=given,
                vectors=vectors,
                names=names,
                approximate=approximate,
                progress=told,
            )
        elif engine not in FURTHER:
            raise InvalidArgument(f"there is no engine {engine!r:.60} to add. {_meant(engine)}")
        elif any(dense_alone):
            raise InvalidArgument(f"{engine} takes none of the options of dense.")
        else:
            made = (add_lucene if engine == "lucene" else add_maxscore)(folder, progress=told)
    seconds = time.perf_counter() - started
    size = sum(size for size, _ in made.files.values())
    if as_json:
        print_json(dataclasses.asdict(made) | {"seconds": round(seconds, 3)})
        return
    how = f"search with --engine {engine}, play on {folder}#{engine}"
    if engine == "maxscore":
        how = f"every search of {folder} uses it where the extra 'fast' is installed, and finds the same"
    print(f"{engine}: {size / 1e6:,.1f} MB in {seconds:.1f} s; {how}")


def _meant(engine: str) -> str:
    """What whoever asked for an engine that cannot be added may have meant."""
    if engine == "tantivy":
        return "Every corpus has tantivy; lucene, dense and maxscore are added."
    if engine == "hybrid" or "+" in engine:
        return f"Add what it fuses (lucene, dense), then search --engine {engine}."
    return did_you_mean(engine, FURTHER)


app.command("siblings")(siblings_command)


@app.command("info")
def info_command(
    webs: Annotated[list[str], typer.Argument(metavar="DIR…", help="The corpus folder; several with --realism.")],
    full: Annotated[bool, typer.Option("--verify", help="Compute the checksum of every file.")] = False,
    realism: Annotated[
        bool, typer.Option("--realism", help="Measure the text; of several webs (also procedural:…), side by side.")
    ] = False,
    words: Annotated[int, typer.Option(min=2_000, help="--realism: words read of each web.")] = WORDS,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE", help="--realism: draw the figures too (.png, .svg).")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what a corpus folder holds, or how its text compares with that of others."""
    if realism:
        _realism(webs, words, picture, as_json)
        return
    if len(webs) > 1 or picture is not None:
        raise InvalidArgument("several corpora, or a picture, go with --realism.")
    folder = Path(webs[0])
    manifest = Manifest.read(folder)
    verify(folder / manifest.data, manifest.files, full)
    if as_json:
        print_json(_described(folder, manifest) | ({"verified": True} if full else {}))
        return
    _print_manifest(folder, manifest)
    if full:
        print(f"all {len(manifest.files)} files are what was written")


def _realism(webs: Sequence[str], words: int, picture: Path | None, as_json: bool) -> None:
    if picture is not None:
        check_plot_file(picture)
    texts: dict[str, list[str]] = {}
    for name in webs:
        opened = open_web(name)
        if not isinstance(opened, Corpus):
            raise InvalidArgument(f"{name!r:.100} has no pages to read here; expected a corpus folder or procedural:….")
        texts[name] = [page.text for page in opened.pages()]
    cards = realism_cards(texts, words)
    if picture is not None:
        draw_cards(cards, picture)
    if as_json:
        print_json({name: card._asdict() for name, card in cards.items()})
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("text", style="dim", no_wrap=True)
    for name in cards:
        table.add_column(name, justify="right", overflow="fold")
    for name, label, form in ROWS:
        table.add_row(label, *(format(getattr(card, name), form) for card in cards.values()))
    full_console().print(table)


@app.command("search")
def search_command(
    folder: _Folder,
    query: Annotated[str, typer.Argument(help='Words, "phrases", site:host, -site:host.')],
    limit: Annotated[int, typer.Option("-k", "--limit", min=1, help="The most results.")] = 10,
    site: Annotated[str, typer.Option(metavar="HOST", help="Only pages of this host.")] = "",
    as_of: _AsOf = "",
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="tantivy, lucene, dense, or several as in tantivy+dense.")
    ] = "tantivy",
    as_json: AsJson = False,
) -> None:
    """Search a corpus, DIR or DIR#ENGINE."""
    if "#" in folder.name and not folder.is_dir():
        name, _, engine = str(folder).rpartition("#")
        folder = Path(name)
    with Corpus.open(folder, workers=1, engine=engine) as corpus:
        text = f"{query} site:{site}" if site else query
        (found,) = corpus.search([SearchRequest(text, limit, Scope(as_of=as_of))])
    hits = [hit for hit in found if isinstance(hit, Result)]
    if as_json:
        print_json({"query": query, "results": [hit._asdict() for hit in hits]})
        return
    if not hits:
        print("nothing was found")
        return
    console = full_console()
    for number, hit in enumerate(hits, start=1):
        _print_hit(console, number, hit)


def _print_hit(console: Console, number: int, hit: Result) -> None:
    """A result: title and snippet on two lines each at most, and the address whole on one."""
    title, snippet = _lines(console, hit.title), _lines(console, hit.snippet)
    if snippet and not snippet[-1].endswith((*_ENDS, "…")):
        snippet[-1] += " …"  # it ends within a sentence
    console.print(Text.assemble(f"{number:2}. ", (f"\n{_INDENT}".join(title), "bold")), soft_wrap=True)
    console.print(Text(f"{_INDENT}{hit.url}", style="cyan"), soft_wrap=True)
    if snippet:
        console.print(Text(_INDENT + f"\n{_INDENT}".join(snippet)), soft_wrap=True)


def _lines(console: Console, text: str) -> list[str]:
    """A text on lines that leave room for an indent and `` …``: two at most, the second cut where there are more."""
    lines = [line.plain.rstrip() for line in Text(text).wrap(console, max(20, console.width - len(_INDENT) - 2))]
    return lines if len(lines) <= 2 else [lines[0], f"{lines[1]} …"]


@app.command("visit")
def visit_command(
    folder: _Folder,
    url: Annotated[str, typer.Argument(metavar="URL")],
    as_of: _AsOf = "",
    as_json: AsJson = False,
) -> None:
    """Print the main text of a page."""
    with Corpus.open(folder, workers=1) as corpus:
        (page,) = corpus.visit([VisitRequest(url, Scope(as_of=as_of))])
    if not isinstance(page, Page):
        raise InvalidArgument(f"{folder} has no page at {url!r:.300}. Pages are found by: webenv corpus search.")
    if as_json:
        print_json(page._asdict())
        return
    print(page.title)
    print(f"{page.url}  {page.date}".rstrip())
    print()
    print(page.text)


@app.command("cache")
def cache_command(
    clear: Annotated[bool, typer.Option("--clear", help="Remove those that nothing reads at the moment.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say which generated webs are kept for later, the last used first, or remove them."""
    from webenv.corpora.procedural import corpus_cache

    kept = corpus_cache()
    removed = kept.shrink(0) if clear else 0
    webs = kept.webs()[::-1]
    size = sum(web.size for web in webs)
    if as_json:
        each = [{"web": web.web, "bytes": web.size, "used": _when(web.used), "current": web.current} for web in webs]
        print_json({"folder": str(kept.path), "webs": len(webs), "bytes": size, "removed": removed, "each": each})
        return
    print(f"{kept.path}: {len(webs)} webs, {size / 1e6:,.1f} MB" + (f"; {removed / 1e6:,.1f} MB removed" * clear))
    if webs:
        full_console().print(_cache_table(webs))


def _cache_table(webs: Sequence[CachedWeb]) -> Table:
    """The webs that this version can open, each; the others together."""
    table = Table(box=None, pad_edge=False)
    table.add_column("web", overflow="fold")
    table.add_column("MB", justify="right", no_wrap=True)
    table.add_column("last used (UTC)", no_wrap=True)
    current, others = [web for web in webs if web.current], [web for web in webs if not web.current]
    rows = [(web.web, [web]) for web in current[:_WEBS_SHOWN]]
    rows += [(f"and {len(current) - _WEBS_SHOWN:,} more", current[_WEBS_SHOWN:])]
    rows += [(f"{len(others):,} of other versions (made again when needed)", others)]
    for name, some in rows:
        if some:
            size = sum(web.size for web in some)
            table.add_row(name, f"{size / 1e6:,.1f}", _when(max(web.used for web in some)))
    return table


def _when(seconds: float) -> str:
    """A time in UTC, to the minute."""
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%d %H:%M")


def _described(folder: Path, manifest: Manifest) -> dict[str, Any]:
    return {"corpus": str(folder)} | dataclasses.asdict(manifest)


def _print_manifest(folder: Path, manifest: Manifest) -> None:
    console = full_console()
    console.print(Text(str(folder), style="bold"))
    megabytes = sum(size for size, _ in manifest.files.values()) / 1e6
    rows = [
        ("pages", f"{manifest.pages:,}"),
        ("of them copies of others", f"{manifest.copies:,}"),
        ("other addresses", f"{manifest.aliases:,}"),
        ("size", f"{megabytes:,.1f} MB in {len(manifest.files)} files"),
        ("sources", "\n".join(manifest.sources)),
        ("made with", f"{manifest.extractor}; {manifest.engine}"),
        ("engines", _engines(folder, manifest)),
        ("left out", skipped_line(manifest.skipped, manifest.examples) or "nothing"),
    ]
    console.print(facts_table(rows))
    console.print(Text.assemble(("digest", "dim"), f"  {manifest.digest}"), soft_wrap=True)
    largest = sorted(manifest.sites.items(), key=lambda site: (-site[1], site[0]))
    sites = Table(box=None, pad_edge=False)
    sites.add_column("site", overflow="fold")
    sites.add_column("pages", justify="right", no_wrap=True)
    for host, count in largest[:_SITES_SHOWN]:
        sites.add_row(host, f"{count:,}")
    if len(largest) > _SITES_SHOWN:
        rest = sum(count for _, count in largest[_SITES_SHOWN:])
        sites.add_row(f"and {len(largest) - _SITES_SHOWN} more sites", f"{rest:,}")
    console.print(sites)


def _engines(folder: Path, manifest: Manifest) -> str:
    """What can search a corpus, and what must be made again first."""
    lines = ["tantivy"]
    for kind, current in known_engines(folder, manifest.digest).items():
        again = f" (of the pages before: make it again, with webenv corpus index {folder} {kind})"
        lines.append(kind + ("" if current else again))
    return "\n".join(lines)
