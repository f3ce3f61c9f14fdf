"""Which kind of source a path holds, by the names of its files and by how a file begins."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

_NAMES = {
    "html": re.compile(r"\.x?html?$", re.IGNORECASE),
    "jsonl": re.compile(r"\.(jsonl|ndjson)(\.gz|\.zst)?$", re.IGNORECASE),
    "parquet": re.compile(r"\.parquet$", re.IGNORECASE),
    "warc": re.compile(r"\.warc(\.gz|\.zst)?$", re.IGNORECASE),
}
_CERTAIN = {b"PAR1": "parquet", b"WARC": "warc"}  # how a file begins, whatever its name
_LIKELY = {b"{": "jsonl", b"<": "html"}  # where its name does not tell


def kind_of(path: Path) -> str:
    """``html``, ``jsonl``, ``parquet`` or ``warc``: the most frequent kind; empty where that cannot be told."""
    if path.is_dir():
        kinds = Counter(kind for kind in map(_named, _files(path)) if kind)
        return min(kinds, key=lambda kind: (-kinds[kind], kind), default="")
    try:
        with open(path, "rb") as file:
            start = file.read(64)
    except OSError:
        return ""
    return _CERTAIN.get(start[:4]) or _named(path.name) or _LIKELY.get(start.lstrip()[:1], "")


def mistaken(kind: str, path: Path) -> str:
    """The kind that was meant, where a path holds files of another than ``kind`` and none of that; else empty."""
    if kind not in _NAMES or (path.is_dir() and any(_named(name) == kind for name in _files(path))):
        return ""
    found = kind_of(path)
    return found if found != kind else ""


def _files(folder: Path) -> Iterator[str]:
    return (name for _, _, names in os.walk(folder) for name in names)


def _named(name: str) -> str:
    return next((kind for kind, pattern in _NAMES.items() if pattern.search(name)), "")
