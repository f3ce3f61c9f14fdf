"""The lexical index of a corpus folder: written by several processes, and laid out by sites.

In a corpus of 50,000 pages or more, the pages of a large site make segments of their own, so
that a search of that site alone reads nothing else, and takes no disk of its own. The segments
of all sites together are the index of the whole corpus.

::

    index/meta.json       tantivy's list of segments
    index/sites.json      the segments of each site that has its own, by host
    index/<id>.*          the files of a segment
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from webenv.corpora.crew import leave_with_parent
from webenv.corpora.lexical import META, MOST_THREADS, SITES, IndexedPage, LexicalIndex
from webenv.corpora.progress import Progress
from webenv.corpora.store import DiskStore

__all__ = ["index_pages", "own_sites"]

Told = Callable[[int], None]
"""Told of how many pages more have been indexed."""

_LEAST_PAGES = 50_000  # a smaller corpus is searched fast as a whole
_LEAST_SITE = 2_000
_MOST_SITES = 128  # each segment costs a search of the whole corpus some 30 µs
_LARGEST_TASK = 100_000
_SMALL = 20_000  # pages that are indexed faster than processes start
_HEAP = 1_500_000_000  # bytes, of all threads or processes together

Keys = npt.NDArray[np.int64]


class _Task(NamedTuple):
    """Some pages whose segments belong together; ``site`` is empty where they are of several sites."""

    site: str
    keys: Keys


def own_sites(sites: Mapping[str, int]) -> tuple[str, ...]:
    """The sites whose pages make segments of their own, in alphabetical order.

    Args:
        sites: how many pages each has.
    """
    if sum(sites.values()) < _LEAST_PAGES:
        return ()
    large = sorted((-count, site) for site, count in sites.items() if count >= _LEAST_SITE)
    return tuple(sorted(site for _, site in large[:_MOST_SITES]))


def index_pages(
    pages: Path, index: Path, sites: Mapping[str, int], workers: int, progress: Progress, first: int = 0
) -> None:
    """Writes the lexical index of pages into a folder, which may hold that of some of them.

    Args:
        pages: the file of the pages.
        index: the folder.
        sites: how many pages each site has.
        workers: processes; 1: this one alone.
        progress: told how far it is.
        first: how many pages, of those written first, are in the index already.

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
    for part in index.glob("part-*"):  # left by a process that was killed
        shutil.rmtree(part)
    tasks = list(_tasks(keys, frozenset(own_sites(sites)), workers))
    if workers == 1 or total < _SMALL:
        threads = min(workers, MOST_THREADS)
        for number, task in enumerate(tasks):
            _index(str(pages), index / f"part-{number}", task.keys, _HEAP // threads, threads, told)
    else:
        _share(pages, index, tasks, workers, told)
    _join(index, [task.site for task in tasks])


def _tasks(sites: Mapping[str, Keys], own: frozenset[str], workers: int) -> Iterator[_Task]:
    """The work, largest pieces first; the pages of a site stand together."""
    tasks = [_Task(site, keys) for site, keys in sites.items() if site in own]
    shared = [keys for site, keys in sites.items() if site not in own]
    if shared:
        together = np.concatenate(shared)
        pieces = 1 if len(together) < _SMALL else max(workers, -(-len(together) // _LARGEST_TASK))
        tasks += [_Task("", piece) for piece in np.array_split(together, pieces)]
    return iter(sorted(tasks, key=lambda task: (-len(task.keys), task.site)))


def _share(pages: Path, index: Path, tasks: list[_Task], workers: int, told: Told) -> None:
    from concurrent.futures import as_completed

    from loky import ProcessPoolExecutor

    executor = ProcessPoolExecutor(workers, timeout=None, initializer=leave_with_parent, initargs=(os.getpid(),))
    try:
        futures = {
            executor.submit(_index, str(pages), index / f"part-{number}", task.keys, _HEAP // workers, 1): task
            for number, task in enumerate(tasks)
        }
        for future in as_completed(futures):
            future.result()
            told(len(futures[future].keys))
    finally:
        executor.shutdown(wait=True, kill_workers=True)


def _index(pages: str, folder: Path, keys: Keys, heap: int, threads: int, told: Told | None = None) -> None:
    folder.mkdir()
    store = DiskStore(pages)

    def read() -> Iterator[IndexedPage]:
        for key in keys.tolist():
            page = store.get(key)
            assert page is not None  # the keys are those of the file
            if told is not None:
                told(1)
            yield IndexedPage(key, page.title, page.text, page.site, page.date)

    LexicalIndex.build(read(), str(folder), heap, threads)
    store.close()


def _join(index: Path, sites: list[str]) -> None:
    """Makes one index of the parts: a segment is a set of files, and an index a list of segments."""
    meta = index / META
    whole = json.loads(meta.read_text(encoding="utf-8")) if meta.exists() else None
    listed = index / SITES
    own: dict[str, list[str]] = json.loads(listed.read_text(encoding="utf-8")) if listed.exists() else {}
    for number, site in enumerate(sites):
        part = index / f"part-{number}"
        found = json.loads((part / META).read_text(encoding="utf-8"))
        if site:
            own.setdefault(site, []).extend(segment["segment_id"] for segment in found["segments"])
        if whole is None:
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


def _write(path: Path, what: object) -> None:
    new = path.with_suffix(".new")
    new.write_text(json.dumps(what), encoding="utf-8")
    os.replace(new, path)
