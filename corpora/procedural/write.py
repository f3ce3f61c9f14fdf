"""A generated web as a corpus folder, without extraction and near-duplicate search: main texts and copies are known."""

from __future__ import annotations

import gc
import os
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager
from functools import cache, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from webenv.corpora.deduplication import GIVEN, AddressClaim
from webenv.corpora.document import Progress, Skipped, SourcePage, silent
from webenv.corpora.folder import CorpusFolder, reason
from webenv.corpora.manifest import INDEX, PAGES, Manifest
from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.site_indexes import index_pages
from webenv.corpora.store import StoredPage
from webenv.corpora.writer import PageWriter
from webenv.errors import CorpusError, InvalidArgument
from webenv.runtime.processes import process_pool, worker_count
from webenv.urls import canonical_url, host_of, key_of, page_key

if TYPE_CHECKING:
    from webenv.corpora.world import WorldWeb

_LARGE = 20_000  # pages: so many gain more by a dictionary than learning it costs
_TOGETHER = 240  # pages that a process makes at a time: a region of the world
_AHEAD = 4  # such pieces a process
_BY = "; written by "
_EXAMPLES = 3
NOT_WRITTEN = "page not written"
"""Why a page is left out of a web that somebody wrote anew."""


@lru_cache(maxsize=8)
def generated_web(config: WebConfig) -> WorldWeb:
    """The web of these settings, as facts and pages; the same object for the same settings."""
    from webenv.corpora.world import WorldWeb

    return WorldWeb(config)


def generator_version(config: WebConfig | None = None) -> str:
    """What changes when pages of the same settings change: with code and data of the world's language."""
    from webenv.corpora.world import language_of, world_version

    return world_version(language_of(config.language if config else "en").folder)


def made_by(config: WebConfig | None = None) -> str:
    """What the manifest of a procedural web names as its extractor."""
    return f"procedural {generator_version(config)}"


def write_corpus(
    web: WorldWeb,
    path: str | os.PathLike[str],
    progress: Progress | None = None,
    workers: int | None = None,
    rewritten: Rewritten | None = None,
) -> Manifest:
    """Writes the corpus folder ``path``: the same pages, aliases and copies as :func:`webenv.corpora.build` makes.

    Several times faster: main texts are known, and so is which page copies which.

    Args:
        web: the web.
        path: a new or empty folder, or a corpus, which is replaced at the very end, in one step.
        progress: told how far it is, as by :func:`webenv.corpora.build`.
        workers: processes that make and index pages of a large web; ``None``: as many as there are cores.
        rewritten: other texts for its pages that tell the same facts.

    Raises:
        CorpusError: for a folder that cannot be used.
    """
    with CorpusFolder(path) as folder:
        try:
            manifest = _write(web, folder, worker_count(workers), progress or silent, rewritten)
            folder.commit(manifest)
        except (OSError, sqlite3.Error, BrokenExecutor) as error:
            raise CorpusError(
                f"{folder.path} cannot be written ({reason(error)}); what was there is as it was."
            ) from error
    return manifest


class Rewritten(NamedTuple):
    """Texts that somebody wrote of a web's pages, in place of the generated ones.

    Attributes:
        text: from the number of a page and its generated text to its text; ``None``: the page is left out.
        by: who wrote them and how much of them, for the manifest.
    """

    text: Callable[[int, str], str | None]
    by: str


class _Made(NamedTuple):
    """A page, made."""

    key: int
    page: StoredPage
    aliases: tuple[int, ...]
    copy_of: int


def _make(web: WorldWeb, number: int) -> _Made:
    plan = web.plan(number)
    url = canonical_url(plan.url)
    if url is None:
        raise CorpusError(f"{web.config}: page {number} has the address {plan.url!r}, which is none.")
    key = page_key(url)
    aliases = tuple(alias for alias in map(key_of, plan.aliases) if alias is not None)
    return _Made(
        key, StoredPage(url, plan.title, web.text(plan).text, plan.date, key, host_of(url)), aliases, plan.copy_of
    )


def _made(web: WorldWeb, workers: int) -> Iterator[_Made]:
    """All pages, in the order of their numbers; those of large webs are made by several processes."""
    if workers == 1 or len(web) < _LARGE:
        yield from (_make(web, number) for number in range(len(web)))
        return
    starts = iter(range(0, len(web), _TOGETHER))
    executor = process_pool(workers)
    try:
        waiting = deque(executor.submit(_make_some, web.config, start) for start in islice(starts, _AHEAD * workers))
        while waiting:
            yield from waiting.popleft().result()
            waiting.extend(executor.submit(_make_some, web.config, start) for start in islice(starts, 1))
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def _make_some(config: WebConfig, start: int) -> list[_Made]:
    web = generated_web(config)
    made = [_make(web, number) for number in range(start, min(start + _TOGETHER, len(web)))]
    _settle()
    return made


@cache
def _settle() -> None:
    """Spares a process that makes pages the search for garbage in what it has loaded, a tenth of its time."""
    gc.freeze()


@contextmanager
def _collection_paused() -> Iterator[None]:
    """Spares making pages the search for garbage, a fifth of its time: what a page leaves behind forms no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write(
    web: WorldWeb, folder: CorpusFolder, workers: int, progress: Progress, rewritten: Rewritten | None
) -> Manifest:
    with (
        _collection_paused(),
        closing(PageWriter(folder.work / PAGES, lasting=False, learn=len(web) >= _LARGE)) as writer,
    ):
        return _written(web, folder, writer, workers, progress, rewritten)


def _written(
    web: WorldWeb,
    folder: CorpusFolder,
    writer: PageWriter,
    workers: int,
    progress: Progress,
    rewritten: Rewritten | None,
) -> Manifest:
    keys: list[int] = []
    left_out: list[str] = []
    aliases: dict[int, int] = {}
    copies: list[tuple[int, int]] = []  # number of the copy, number of the original
    for number, made in enumerate(_made(web, workers)):
        progress("reading", number + 1, len(web))
        keys.append(made.key)
        aliases |= dict.fromkeys(made.aliases, made.key)
        if made.copy_of >= 0:
            copies.append((number, made.copy_of))
        text = made.page.text if rewritten is None else rewritten.text(number, made.page.text)
        if text is None:
            left_out.append(made.page.url)
        else:
            writer.add(made.key, made.page._replace(text=text))
    first: dict[int, int] = {}  # number of an original with copies → the least key of them all
    for number, original in copies:
        first[original] = min(first.get(original, keys[original]), keys[number])
    canonical_keys = {keys[number]: canonical for number, canonical in first.items()}
    canonical_keys |= {keys[number]: first[original] for number, original in copies}
    writer.claim(AddressClaim(GIVEN, alias, key) for alias, key in aliases.items())
    digest, sites = writer.finish(canonical_keys, aliases)
    index_pages(folder.work / PAGES, folder.work / INDEX, sites, workers, progress)
    return Manifest.of(
        folder.work,
        folder.data,
        digest=digest,
        pages=len(keys) - len(left_out),
        aliases=len(aliases),
        copies=len(copies),  # a group of n pages has n − 1 copies, whichever of them leads it
        sites=sites,
        skipped={NOT_WRITTEN: len(left_out)} if left_out else {},
        examples={NOT_WRITTEN: left_out[:_EXAMPLES]} if left_out else {},
        sources=[str(web.config)],
        extractor=made_by(web.config) + ("" if rewritten is None else f"{_BY}{rewritten.by}"),
    )


class ProceduralPages:
    """The pages of a procedural web, made one at a time.

    Args:
        spec: as in ``procedural:pages=100000,seed=3`` (:meth:`WebConfig.parse`).

    Raises:
        InvalidArgument: for an unknown dial, or a value out of range.
    """

    def __init__(self, spec: str) -> None:
        self._dials = WebConfig.parse(spec)
        self.spec = str(self._dials)

    def count(self) -> int | None:
        """How many pages there are."""
        return self._dials.pages

    def stamp(self) -> str | None:
        """Changes with the settings, and with the version of the generator."""
        return f"{self.spec} {made_by(self._dials)}"

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        return generated_web(self._dials).pages()


def write_source(
    spec: str, path: str | os.PathLike[str], progress: Progress | None = None, workers: int | None = None
) -> Manifest:
    """Writes the corpus of one procedural web: :func:`webenv.corpora.procedural.write.write_corpus`, by its text."""
    return write_corpus(generated_web(WebConfig.parse(spec)), path, progress, workers)


def is_rewritten(manifest: Manifest) -> bool:
    """Whether the texts of a corpus are not those that the generator gives its pages."""
    return _BY in manifest.extractor


def config_of(manifest: Manifest) -> WebConfig | None:
    """The settings of the procedural web that a corpus holds; ``None`` where it was built from something else too.

    Raises:
        InvalidArgument: where it is the web of another version of the generator, whose facts this one does not know;
            or pages were left out, so that what was asked for may stand nowhere.
    """
    if len(manifest.sources) != 1 or manifest.sources[0].partition(":")[0] != "procedural":
        return None
    source = manifest.sources[0]
    current = made_by(WebConfig.parse(source))
    made, _, _ = manifest.extractor.partition(_BY)
    if left_out := manifest.skipped.get(NOT_WRITTEN):
        raise InvalidArgument(
            f"the corpus of {source} lacks {left_out:,} pages that were not written, and with them facts that "
            "generated tasks may ask for: write it with --on-fail keep, or name task files."
        )
    if made != current:
        raise InvalidArgument(
            f"the corpus of {source} was made with {made}, and this is {current}, which does not know "
            f"its facts: build it again, with webenv corpus build DIR --from {source}."
        )
    return WebConfig.parse(source)
