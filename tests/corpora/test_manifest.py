"""Damage to a corpus folder is found when it is opened, and named."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from webenv.corpora import Corpus, Manifest
from webenv.corpora.manifest import skipped_line, verify
from webenv.errors import CorpusDamaged, CorpusError, CorpusNotFound
from webenv.web import SearchRequest


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Path:
    """A corpus folder to be damaged."""
    shutil.copytree(folder, tmp_path / "own")
    return tmp_path / "own"


def files(folder: Path) -> list[str]:
    manifest = Manifest.read(folder)
    return ["manifest.json", *(f"{manifest.data}/{name}" for name in manifest.files)]


def put(path: Path, data: bytes) -> None:
    """Writes a file anew; the old one stays as it was for whoever has it open."""
    path.with_suffix(".new").write_bytes(data)
    path.with_suffix(".new").replace(path)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    put(path, data)


def truncate(path: Path) -> None:
    put(path, path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize("damage", [flip, truncate, Path.unlink])
def test_every_damaged_file_is_named(damage: object, own: Path) -> None:
    """A flipped bit, a lost half and a missing file are found in each file."""
    assert callable(damage)
    for name in files(own):
        whole = (own / name).read_bytes()
        damage(own / name)
        with pytest.raises(CorpusDamaged, match=os.path.basename(name)):
            Corpus.open(own)
        put(own / name, whole)
        with Corpus.open(own) as corpus:
            assert len(corpus) == 60


def test_damage_that_keeps_size_and_time_is_found_when_asked(own: Path) -> None:
    """A full check finds a flipped bit even where the file's size and time are as they were."""
    manifest = Manifest.read(own)
    path = own / manifest.data / "pages.sqlite"
    Corpus.open(own).close()
    status = path.stat()
    with open(path, "r+b") as file:
        file.seek(status.st_size // 2)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    verify(own / manifest.data, manifest.files)
    with pytest.raises(CorpusDamaged, match=r"pages\.sqlite is not what was written"):
        verify(own / manifest.data, manifest.files, full=True)


def test_there_is_no_corpus(tmp_path: Path) -> None:
    """A folder that is not there, or empty, is no corpus; the message says how one is made."""
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CorpusNotFound, match="webenv corpus build"):
            Corpus.open(path)


def test_a_later_format_is_refused(own: Path) -> None:
    """A folder of another format is told apart from a damaged one."""
    record = json.loads((own / "manifest.json").read_text())
    record["format"] = 99
    (own / "manifest.json").write_text(json.dumps(record))
    with pytest.raises(CorpusError, match="has the format 99, this webenv reads 2"):
        Corpus.open(own)


def test_an_index_of_another_analysis_is_refused(own: Path) -> None:
    """An index whose words were read in another way is not searched."""
    manifest = Manifest.read(own)
    dataclasses.replace(manifest, engine="tantivy 0.27.0, words-0").write(own)
    with pytest.raises(CorpusError, match=r"was built for tantivy 0\.27\.0, words-0, not words-2"):
        Corpus.open(own)


def test_opening_is_fast(folder: Path) -> None:
    """Once verified, a corpus opens without reading its files."""
    Corpus.open(folder, workers=1).close()
    took = []
    for _ in range(5):
        started = time.thread_time()  # not the clock's: others may run meanwhile
        Corpus.open(folder, workers=1).close()
        took.append(time.thread_time() - started)
    assert min(took) < 0.05


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that every user can read."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


def test_a_folder_that_can_only_be_read(own: Path, public: Path) -> None:
    """Another user's folder is opened and searched, and nothing is written to it."""
    own = Path(shutil.copytree(own, public / "web"))
    before = sorted(own.rglob("*"))
    script = (
        "import os, sys, tempfile, random, shutil, encodings.idna\n"
        "from webenv.corpora import Corpus\n"
        "from webenv.web import SearchRequest\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "print(len(Corpus.open(sys.argv[1], workers=1).search([SearchRequest('harbour')])[0]))\n"
    )
    run = subprocess.run([sys.executable, "-c", script, str(own)], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("10\n", "")
    assert sorted(own.rglob("*")) == before


def test_two_processes_read_one_folder(folder: Path) -> None:
    """A second process that opens the same folder gets the same answers."""
    script = (
        "import sys\n"
        "from webenv.corpora import Corpus\n"
        "from webenv.web import SearchRequest\n"
        "print([hit.url for hit in Corpus.open(sys.argv[1]).search([SearchRequest('harbour tide')])[0]])\n"
    )
    with Corpus.open(folder) as corpus:
        ours = [hit.url for hit in corpus.search([SearchRequest("harbour tide")])[0]]
        theirs = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True)
    assert theirs.stdout == f"{ours}\n"


def test_what_was_left_out_fits_a_line() -> None:
    """The most frequent reason comes first, each with its first example."""
    examples = {"bad JSON line": ["jsonl:FILE:17"], "empty text": ["a", "b"]}
    line = skipped_line({"bad JSON line": 1, "empty text": 2}, examples)
    assert line == "3 skipped: 2 empty text (a), 1 bad JSON line (jsonl:FILE:17)"
    assert skipped_line({}, {}) == ""
