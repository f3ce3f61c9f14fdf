"""The folder of an engine in a corpus folder: written all or nothing, found again, and held while it is read.

::

    DIR/engine-dense-…/engine.json    which corpus it is of, and the size and SHA-256 of each file
    DIR/engine-dense-…/index/         what the engine wrote
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from webenv.corpora.folder import CorpusFolder, hold, reason, release
from webenv.corpora.manifest import ENGINE, PAGES, Manifest, checksums, listed_files, read_json, trust, verify
from webenv.corpora.store import DiskStore
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound

_ABOUT = "engine.json"
FURTHER = ("dense", "lucene", "maxscore")
"""The indexes that a corpus may have beside its own."""

_INDEX = "index"
_FORMAT = 1

Write = Callable[[DiskStore, Manifest, Path], Mapping[str, Any]]
"""Writes an index of these pages into a folder, which it makes; gives the settings that open it."""


@dataclass(frozen=True, slots=True)
class EngineManifest:
    """What an engine's folder holds.

    Attributes:
        engine: its name.
        corpus: the digest of the corpus that it is of.
        settings: what opens it, beside its files.
        files: size in bytes and SHA-256 of each file, by its path in the folder.
        format: of the folder.
        edition: higher than that of every folder of this engine that was there before.
    """

    engine: str
    corpus: str
    settings: dict[str, Any]
    files: dict[str, tuple[int, str]] = field(default_factory=dict)
    format: int = _FORMAT
    edition: int = 0


class HeldEngine(NamedTuple):
    """An engine's folder that no build removes.

    Attributes:
        path: the folder that the engine wrote.
        about: what is in it.
        held: what :func:`webenv.corpora.folder.release` takes.
    """

    path: Path
    about: EngineManifest
    held: int


def hold_engine(folder: Path, manifest: Manifest, kind: str) -> HeldEngine:
    """The latest index of a kind of the pages that a corpus has now, with files that are what was written.

    Raises:
        CorpusNotFound: if there is none.
        CorpusError: if it is of other pages, or of another version.
        CorpusDamaged: if a file of it is missing or not what was written.
    """
    while True:
        found, about = _latest(folder, manifest, kind)
        try:
            held = hold(found)
        except FileNotFoundError:
            continue  # another was put in its place just now
        try:
            verify(found, about.files, remedy=_again(folder, kind))
        except BaseException as error:
            release(held)
            if isinstance(error, CorpusError) and not found.exists():
                continue
            raise
        return HeldEngine(found / _INDEX, about, held)


def _latest(folder: Path, manifest: Manifest, kind: str) -> tuple[Path, EngineManifest]:
    read, errors = _read_all(folder, kind)
    for found, about in read:
        if about.corpus == manifest.digest:
            return found, about
    if read:
        again = _again(folder, kind)
        raise CorpusError(f"the {kind} index of {folder} is of other pages than the corpus has now: {again}.")
    if errors:
        raise errors[0]
    raise CorpusNotFound(f"{folder} has no {kind} index. One is made by: webenv corpus index {folder} {kind}")


def known_engines(folder: Path, digest: str) -> dict[str, bool]:
    """The further engines of a corpus, each with whether it is of the pages, by their digest, that it has now."""
    found = {}
    for kind in FURTHER:
        read, _ = _read_all(folder, kind)
        if read:
            found[kind] = any(about.corpus == digest for _, about in read)
    return found


def former_settings(folder: Path, kind: str) -> Mapping[str, Any]:
    """The settings of the latest index of a kind, whatever pages it is of; empty where there is none."""
    read, _ = _read_all(folder, kind)
    return read[0][1].settings if read else {}


def _read_all(folder: Path, kind: str) -> tuple[list[tuple[Path, EngineManifest]], list[CorpusError]]:
    """The folders of a kind, the latest first, and what is wrong with those that cannot be read."""
    read = []
    errors = []
    for found in sorted(folder.glob(f"{ENGINE}{kind}-*")):
        if found.is_symlink():
            continue  # no build makes one
        try:
            read.append((found, _read(found, _again(folder, kind))))
        except FileNotFoundError:
            continue  # a build has removed it just now
        except CorpusError as error:
            errors.append(error)
    return sorted(read, key=lambda entry: -entry[1].edition), errors


def _read(found: Path, again: str) -> EngineManifest:
    try:
        record = read_json(found / _ABOUT)
        if record["format"] != _FORMAT:
            raise CorpusError(f"{found} has the format {record['format']!r}, expected {_FORMAT}: {again}.")
        record["files"] = listed_files(record["files"])
        about = EngineManifest(**record)
        if not isinstance(about.edition, int) or not isinstance(about.settings, dict):
            raise ValueError("its edition is no number, or its settings are none")
        return about
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if not found.exists():
            raise FileNotFoundError(found) from None
        raise CorpusDamaged(f"{found / _ABOUT} is not what was written ({error}): {again}.") from error


def _again(folder: Path, kind: str) -> str:
    return f"make it again, with webenv corpus index {folder} {kind}"


def former_index(folder: Path, kind: str) -> Path | None:
    """The latest index of a kind, of whichever pages, if all its files are what was written."""
    read, _ = _read_all(folder, kind)
    if not read:
        return None
    found, about = read[0]
    try:
        verify(found, about.files)
    except CorpusError:
        return None
    return found / _INDEX


def write_engine(folder: Path, kind: str, plan: str, write: Write, journal: str = "") -> EngineManifest:
    """Writes an index of a corpus and puts it in place of those of its kind.

    Args:
        folder: the corpus.
        kind: the engine.
        plan: what is made: where a build of the same was stopped, its folder is taken up.
        write: what writes it.
        journal: the name of a file in the index's folder that says what can be taken up; it is not part of the
            index, and removed when that is in place. A build that fails or is interrupted keeps nothing else.

    Raises:
        CorpusNotFound: if there is no corpus.
        CorpusError: if the folder cannot be written to, or the corpus has just been built again.
    """
    manifest = Manifest.read(folder)
    name = blake2b(f"{manifest.digest} {plan}".encode(), digest_size=8).hexdigest()
    with CorpusFolder(folder, name, kind) as made:
        try:
            if Manifest.read(folder).data != manifest.data:
                raise CorpusError(f"{folder} has been built again just now: start again.")
            former = sorted(folder.glob(f"{ENGINE}{kind}-*"))
            about = _written(folder, kind, manifest, made, write, journal)
        except BaseException:
            if not _resumable(made.work / _INDEX, journal):
                made.discard()
            raise
        if journal:
            (folder / made.data / _INDEX / journal).unlink(missing_ok=True)
        trust(folder / made.data, about.files)
        made.replaces(former)
    return about


def _written(
    folder: Path, kind: str, manifest: Manifest, made: CorpusFolder, write: Write, journal: str
) -> EngineManifest:
    data = folder / manifest.data
    verify(data, manifest.files)
    if not _resumable(made.work / _INDEX, journal):
        shutil.rmtree(made.work / _INDEX, ignore_errors=True)  # of a build that was killed
    read, _ = _read_all(folder, kind)
    edition = 1 + max((about.edition for _, about in read), default=0)
    store = DiskStore(str(data / PAGES))
    try:
        settings = dict(write(store, manifest, made.work / _INDEX))
        (made.work / _ABOUT).unlink(missing_ok=True)
        files = checksums(made.work)
        files.pop(f"{_INDEX}/{journal}", None)
        about = EngineManifest(kind, manifest.digest, settings, files, edition=edition)
        (made.work / _ABOUT).write_text(json.dumps(asdict(about), indent=1), encoding="utf-8")
        made.settle((data / PAGES).stat().st_mode)
    except OSError as error:
        raise CorpusError(f"the {kind} index of {folder} cannot be written ({reason(error)}).") from error
    finally:
        store.close()
    return about


def _resumable(index: Path, journal: str) -> bool:
    """Whether a journal has an entry behind its first line."""
    try:
        return bool(journal) and (index / journal).read_bytes().count(b"\n") > 1
    except OSError:
        return False
