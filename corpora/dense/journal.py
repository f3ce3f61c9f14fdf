"""What has been encoded of a corpus, so that a build that stopped can be taken up."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from webenv.corpora.dense.encoder import Encoder
from webenv.corpora.dense.matrix import FORMAT, HEADER, VECTORS

JOURNAL = "encoded.txt"
BYTES = 2
"""Of each number of a vector."""


class Encoded:
    """The file of vectors while it grows, and a journal of what is safe in it.

    The journal's first line is about the encoder, each other one about a chunk: its rows, and a digest of its
    texts. It stays when all is encoded, for what comes after that may fail too: who puts the folder in place
    removes it.

    Args:
        work: the folder.
        encoder: what encodes; of another one than before, nothing is safe.
        chunk: the most pages that are written at once.
    """

    def __init__(self, work: Path, encoder: Encoder, chunk: int) -> None:
        self._journal_path = work / JOURNAL
        self._vectors_path = work / VECTORS
        self._row = encoder.dimension * BYTES
        about = {"format": FORMAT, "chunk": chunk, "dimension": encoder.dimension, "encoder": dict(encoder.identity)}
        self._head = json.dumps(about, sort_keys=True)
        self._safe: list[str] = []  # lines of chunks, from the first one on
        self._next = 0
        self._rows = 0

    def __enter__(self) -> Encoded:
        self._safe = self._read()
        self._vectors: BinaryIO = open(self._vectors_path, "r+b" if self._safe else "wb")
        self._start_over(self._safe)
        self._journal = self._append()
        return self

    def __exit__(self, *_: object) -> None:
        self._vectors.close()
        self._journal.close()

    def _append(self) -> BinaryIO:
        return open(self._journal_path, "ab")

    def _read(self) -> list[str]:
        try:
            text = self._journal_path.read_text(encoding="utf-8")
            size = self._vectors_path.stat().st_size
        except (FileNotFoundError, UnicodeDecodeError):
            return []
        head, *lines = text.split("\n")[:-1] or [""]  # what has no end was being written
        if head != self._head:
            return []
        safe = []
        end = HEADER
        for line in lines:
            rows = line.partition(" ")[0]
            end += int(rows) * self._row if rows.isdigit() else size
            if end > size:
                break
            safe.append(line)
        return safe

    def has(self, texts: Sequence[bytes]) -> bool:
        """Whether the next chunk, of texts with these digests, is in place; if it is not, none after it is."""
        line = _line(texts)
        if self._next < len(self._safe) and self._safe[self._next] == line:
            self._next += 1
            self._rows += len(texts)
            return True
        if self._next < len(self._safe):
            self._journal.close()
            self._start_over(self._safe[: self._next])
            self._journal = self._append()
        return False

    def _start_over(self, lines: list[str]) -> None:
        self._safe = lines
        new = self._journal_path.with_suffix(".new")
        with open(new, "w", encoding="utf-8") as file:
            file.write("".join(f"{line}\n" for line in (self._head, *lines)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self._journal_path)

    def write(self, texts: Sequence[bytes], vectors: bytes) -> None:
        """Writes the next chunk; when this returns, it is safe."""
        self._vectors.seek(HEADER + self._rows * self._row)
        self._vectors.write(vectors)
        self._vectors.flush()
        os.fsync(self._vectors.fileno())
        self._journal.write(f"{_line(texts)}\n".encode())
        self._journal.flush()
        os.fsync(self._journal.fileno())
        self._rows += len(texts)

    def finish(self) -> None:
        """Cuts off what an earlier build had beyond the last page."""
        self._vectors.truncate(HEADER + self._rows * self._row)


def _line(texts: Sequence[bytes]) -> str:
    return f"{len(texts)} {hashlib.sha256(b''.join(texts)).hexdigest()}"
