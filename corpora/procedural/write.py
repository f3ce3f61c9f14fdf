"""A procedural web as a corpus folder, without extraction and without a search for copies: both are known."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import zstandard

from webenv.corpora.crew import cores
from webenv.corpora.folder import CorpusFolder
from webenv.corpora.lexical import MOST_THREADS, IndexedPage, LexicalIndex
from webenv.corpora.manifest import (
    DATA,
    FORMAT,
    INDEX,
    PAGES,
    Manifest,
    add_aliases,
    add_page,
    checksums,
    verify,
)
from webenv.corpora.procedural.web import ProceduralWeb
from webenv.corpora.query import ANALYZER
from webenv.corpora.store import SCHEMA, StoredPage
from webenv.corpora.url import canonical_url, host_of, key_of, page_key
from webenv.errors import CorpusError

__all__ = ["Progress", "generator_version", "made_by", "write_corpus"]

Progress = Callable[[str, int, int | None], None]
"""As in :mod:`webenv.corpora.build`."""

_HEAP = 1_500_000_000
_LEVEL = 3
_APART = ("cache.py", "html.py", "knowledge", "shelf.py", "source.py", "worlds.py")  # what no stored page depends on


@cache
def generator_version() -> str:
    """A digest of the generator and its data: webs of equal dials are equal where it is equal."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(here.rglob("*"), key=lambda path: path.relative_to(here).as_posix()):
        place = path.relative_to(here)
        if path.suffix in (".py", ".txt", ".bin") and place.parts[0] not in _APART:
            digest.update(place.as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def made_by() -> str:
    """What the manifest of a procedural web names as its extractor."""
    return f"procedural {generator_version()}"


def write_corpus(web: ProceduralWeb, path: str | os.PathLike[str], progress: Progress | None = None) -> Manifest:
    """Writes the corpus folder ``path``: the same pages, aliases and copies as :func:`webenv.corpora.build` makes.

    Several times faster, in one process: main texts are known, and so is which page copies which.

    Args:
        web: the web.
        path: a new or empty folder, or a corpus, which is replaced at the very end, in one step.
        progress: told how far it is, as by :func:`webenv.corpora.build`.

    Raises:
        CorpusError: for a folder that cannot be used.
    """
    with CorpusFolder(path) as folder:
        try:
            manifest = _write(web, folder.work, DATA + folder.name, progress or _silent)
            folder.commit(manifest)
            verify(folder.path / manifest.data, manifest)
        except (OSError, sqlite3.Error) as error:
            raise CorpusError(f"{folder.path} cannot be written ({error}); what was there is as it was.") from error
    return manifest


def _silent(stage: str, done: int, total: int | None) -> None:
    return None


def _write(web: ProceduralWeb, work: Path, name: str, progress: Progress) -> Manifest:
    urls: list[str] = []
    keys: list[int] = []
    aliases: dict[int, int] = {}
    copies: list[tuple[int, int]] = []  # number of the copy, number of the original
    for number in range(len(web)):
        progress("reading", number + 1, len(web))
        plan = web.plan(number)
        url = canonical_url(plan.url)
        if url is None:
            raise CorpusError(f"{web.dials}: page {number} has the address {plan.url!r}, which is none.")
        urls.append(url)
        keys.append(page_key(url))
        aliases |= {key: keys[-1] for key in map(key_of, plan.aliases) if key is not None}
        if plan.copy_of >= 0:
            copies.append((number, plan.copy_of))
    first: dict[int, int] = {}  # number of an original with copies → the least key of them all
    for number, original in copies:
        first[original] = min(first.get(original, keys[original]), keys[number])
    leaders = first | {number: first[original] for number, original in copies}
    aliases = dict(sorted(aliases.items()))
    digest = hashlib.sha256()
    sites: Counter[str] = Counter()
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    database = sqlite3.connect(work / PAGES, isolation_level=None)
    database.execute("PRAGMA journal_mode = OFF")  # nothing of it counts until all is written
    database.execute("PRAGMA synchronous = OFF")
    database.execute("BEGIN")
    for statement in SCHEMA.split(";")[:-1]:
        database.execute(statement)

    def stored() -> Iterator[IndexedPage]:
        for done, number in enumerate(sorted(range(len(keys)), key=keys.__getitem__), start=1):
            progress("indexing", done, len(keys))
            plan, key, url = web.plan(number), keys[number], urls[number]
            page = StoredPage(url, plan.title, web.text(plan).text, plan.date, leaders.get(number, key), host_of(url))
            blob = compressor.compress(page.text.encode())
            row = (key, url, page.title, page.site, page.date, page.leader, blob)
            database.execute("INSERT INTO pages VALUES (?,?,?,?,?,?,?)", row)
            add_page(digest, page)
            sites[page.site] += 1
            yield IndexedPage(key, page.title, page.text, page.site, page.date)

    (work / INDEX).mkdir()
    threads = min(cores(None), MOST_THREADS)
    LexicalIndex.build(stored(), str(work / INDEX), _HEAP // threads, threads)
    database.executemany("INSERT INTO aliases VALUES (?,?)", aliases.items())
    add_aliases(digest, aliases.items())
    database.execute("COMMIT")
    database.close()
    return Manifest(
        format=FORMAT,
        data=name,
        digest=digest.hexdigest(),
        pages=len(keys),
        aliases=len(aliases),
        copies=len(copies),  # a group of n pages has n − 1 copies, whichever of them leads it
        sites=dict(sorted(sites.items())),
        skipped={},
        examples={},
        sources=[str(web.dials)],
        extractor=made_by(),
        engine=f"tantivy {version('tantivy')}, {ANALYZER}",
        files=checksums(work),
    )
