"""The lexical index of a corpus folder: written by several processes, and laid out by sites.

In a corpus of 50,000 pages or more, the pages of a large site make segments of their own, so
that a search of that site alone reads nothing else. Merged, the segments of all sites are the
index of the whole corpus: a site's pages stand together in it too.

::

    index/meta.json       tantivy's list of the segments of the whole
    index/sites.json      the segments of each site that has its own, by host
    index/<id>.*          the files of a segment
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.document import IndexedPage, Progress
from webenv.corpora.lexical import META, MOST_THREADS, SITES, LexicalIndex, merge_segments, remove_busy
from webenv.corpora.store import DiskStore
from webenv.runtime.files import replace_file
from webenv.runtime.processes import process_pool
from webenv.urls import parents

Told = Callable[[int], None]
"""Told of how many pages more have been indexed."""

_LEAST_PAGES = 50_000  # a smaller corpus is searched fast as a whole
_LEAST_SITE = 2_000
_MOST_SITES = 128
_MOST_SEGMENTS = 8  # of the whole; each costs a search some 30 µs at least
_LARGEST_TASK = 100_000
_SMALL = 20_000  # pages that are indexed faster than processes start
_HEAP = 1_500_000_000  # bytes, of all threads or processes together
_LEAST_HEAP = 50_000_000
_TOGETHER = 128  # pages that are read at once

Keys = npt.NDArray[np.int64]


class _IndexTask(NamedTuple):
    """Some pages whose segments belong together; ``site`` is empty where they are of several sites."""

    site: str
    keys: Keys


def own_sites(sites: Mapping[str, int]) -> tuple[str, ...]:
    """The sites whose pages, so many each, make segments of their own, in alphabetical order."""
    if sum(sites.values()) < _LEAST_PAGES:
        return ()
    above = {parent for site in sites for parent in parents(site)[1:]}  # "site:" finds what stands below them too
    large = sorted((-count, site) for site, count in sites.items() if count >= _LEAST_SITE and site not in above)
    return tuple(sorted(site for _, site in large[:_MOST_SITES]))


def index_pages(
    pages: Path,
    index: Path,
    sites: Mapping[str, int],
    workers: int,
    progress: Progress,
    first: int = 0,
    held: Mapping[int, IndexedPage] = MappingProxyType({}),
) -> None:
    """Writes the lexical index of pages into a folder, which may hold that of some of them.

    Args:
        pages: the file of the pages.
        index: the folder.
        sites: how many pages each site has.
        workers: processes; 1: this one alone.
        progress: told how far it is.
        first: how many pages, of those written first, are in the index already.
        held: all pages by key, where they are in memory; else they are read.

    Raises:
        OSError: if it cannot be written.
    """
    store = DiskStore(str(pages))
    keys = store.places(first)
    store.close()
    total, done = sum(map(len, keys.values())), 0

    def told(more: int) -> None:
        nonlocal done
        done += more
        progress("indexing", done, total)

    index.mkdir(exist_ok=True)
    for left in index.glob("parts-*"):  # by a process that was killed
        if not remove_busy(left, 0.1):  # whose workers end within a second or two
            raise OSError(f"{left} cannot be removed")
    parts = index / f"parts-{secrets.token_hex(8)}"
    parts.mkdir()
    tasks = list(_tasks(keys, frozenset(own_sites(sites)), workers))
    if workers == 1 or total < _SMALL:
        threads = min(workers, MOST_THREADS)
        for number, task in enumerate(tasks):
            _index(str(pages), parts / str(number), task.keys, _HEAP // threads, threads, told, held)
    else:
        _share(pages, parts, tasks, workers, told)
    _join(index, [(parts / str(number), task.site) for number, task in enumerate(tasks)])
    parts.rmdir()


def _tasks(sites: Mapping[str, Keys], own: frozenset[str], workers: int) -> Iterator[_IndexTask]:
    """The work, largest pieces first; the pages of a site stand together."""
    tasks = [_IndexTask(site, keys) for site, keys in sites.items() if site in own]
    shared = [keys for site, keys in sites.items() if site not in own]
    if shared:
        together = np.concatenate(shared)
        pieces = 1 if len(together) < _SMALL else max(workers, -(-len(together) // _LARGEST_TASK))
        tasks += [_IndexTask("", piece) for piece in np.array_split(together, pieces)]
    return iter(sorted(tasks, key=lambda task: (-len(task.keys), task.site)))


def _share(pages: Path, parts: Path, tasks: list[_IndexTask], workers: int, told: Told) -> None:
    from concurrent.futures import as_completed

    heap = max(_LEAST_HEAP, _HEAP // workers)
    executor = process_pool(workers)
    try:
        futures = {
            executor.submit(_index, str(pages), parts / str(number), task.keys, heap, 1): task
            for number, task in enumerate(tasks)
        }
        for future in as_completed(futures):
            future.result()
            told(len(futures[future].keys))
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def _index(
    pages: str,
    folder: Path,
    keys: Keys,
    heap: int,
    threads: int,
    told: Told | None = None,
    held: Mapping[int, IndexedPage] = MappingProxyType({}),
) -> None:
    folder.mkdir()
    store = DiskStore(pages)

    def read() -> Iterator[IndexedPage]:
        for page in map(held.__getitem__, keys.tolist()) if held else read_pages(store, keys):
            if told is not None:
                told(1)
            yield page

    LexicalIndex.build(read(), str(folder), heap, threads)
    store.close()


def read_pages(store: DiskStore, keys: Keys | None = None) -> Iterator[IndexedPage]:
    """What an index takes of the pages of these keys, which are the store's own; of all, sorted by site, then key."""
    wanted = [keys] if keys is not None else store.places().values()
    for some in wanted:
        for start in range(0, len(some), _TOGETHER):
            together = some[start : start + _TOGETHER].tolist()
            for key, page in zip(together, store.pages(together), strict=True):
                assert page is not None
                yield IndexedPage(key, page.title, page.text, page.site, page.date)


def _join(index: Path, parts: list[tuple[Path, str]]) -> None:
    """Makes one index of the parts: a segment is a set of files, and an index a list of segments."""
    meta, listed = index / META, index / SITES
    whole: dict[str, Any] = _read(meta) if meta.exists() else {}
    own: dict[str, list[Any]] = _read(listed) if listed.exists() else {}
    for part, site in parts:
        found = _read(part / META)
        if site:
            own.setdefault(site, []).extend(found["segments"])
        if not whole:
            whole = found
        else:
            whole["segments"] += found["segments"]
            whole["opstamp"] = max(whole["opstamp"], found["opstamp"])
        for path in sorted(part.iterdir()):
            if path.name != META and not path.name.startswith("."):
                os.replace(path, index / path.name)
        shutil.rmtree(part)
    _write(meta, whole)
    if own:
        _write(listed, dict(sorted(own.items())))
    if len(whole["segments"]) > _MOST_SEGMENTS:
        _merge(index, {segment["segment_id"] for segments in own.values() for segment in segments})


def _merge(index: Path, own: set[str]) -> None:
    """Merges segments of the whole index as tantivy thinks best; those of sites of their own stay beside it."""
    links = index / f"parts-{secrets.token_hex(8)}"
    links.mkdir()
    before = {path.name for path in index.iterdir() if path.is_file() and path.name not in (META, SITES)}
    for name in sorted(before):
        link_file(str(index / name), str(links / name))
    shutil.copyfile(index / META, links / META)
    merge_segments(str(links))
    for path in sorted(links.iterdir()):
        if path.is_file() and path.name not in before and path.name != META and not path.name.startswith("."):
            os.replace(path, index / path.name)
    os.replace(links / META, index / META)
    shutil.rmtree(links)
    wanted = own | {segment["segment_id"] for segment in _read(index / META)["segments"]}
    names = {segment.replace("-", "") for segment in wanted}
    for name in before:
        if name.partition(".")[0] not in names:
            (index / name).unlink()


def link_file(old: str, new: str) -> None:
    """Gives a file a second name, or copies it where there are no links."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copy2(old, new)


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _write(path: Path, what: object) -> None:
    replace_file(path, json.dumps(what))
