"""A worker process that answers requests: both its ends."""

from __future__ import annotations

import marshal
import os
import pickle
import select
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any, TypeVar

from webenv.garbage import rare_collections
from webenv.workers import leave_with_parent

RequestT = TypeVar("RequestT")

Answer = Callable[[str, Sequence[RequestT]], list[Sequence[tuple[Any, ...]]]]
"""Answers a batch of requests of one kind, each by some tuples of texts and numbers."""

_SIZE = 8  # bytes that say how long an answer is
_START = """
import pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from webenv.partner import serve
serve(sys.stdin.buffer, sys.stdout.buffer)
"""


class Gone(Exception):
    """A worker could not be started, or has ended."""


class Partner:
    """A worker process: takes a batch at a time over its standard input, and answers on its output.

    A plain new interpreter: it never runs the user's main script, so that needs no main guard.

    Raises:
        Gone: if it cannot be started; so do its methods where it has ended.
    """

    def __init__(self, opener: Callable[[], Answer[Any]]) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except (OSError, ValueError, TypeError) as error:  # TypeError: an embedded Python has no executable
            raise Gone from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        self.stop = weakref.finalize(self, _end, self._process, os.getpid())
        self.send([place or os.getcwd() for place in sys.path])
        self.send(opener)

    def send(self, what: Any) -> None:
        """Sends it something, which it must be waiting for."""
        try:
            pickle.dump(what, self._to, pickle.HIGHEST_PROTOCOL)
            self._to.flush()
        except (OSError, ValueError) as error:  # ValueError: it was ended by another thread
            raise Gone from error

    def ready(self) -> bool:
        """Whether there is an answer to be received; False where that cannot be told."""
        if os.name != "posix":
            return False
        poll = select.poll()
        try:
            poll.register(self._from, select.POLLIN)
            return bool(poll.poll(0))
        except (OSError, ValueError) as error:
            raise Gone from error

    def receive(self) -> list[Sequence[tuple[Any, ...]]] | None:
        """The answers to what was sent; ``None`` where that raised an error."""
        try:
            size = int.from_bytes(self._from.read(_SIZE), "little")
            found: list[Sequence[tuple[Any, ...]]] | None = marshal.loads(self._from.read(size))
        except (OSError, EOFError, ValueError, TypeError) as error:
            raise Gone from error
        return found


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Ends a worker; in a fork of the process that started it nothing happens."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    for pipe in (process.stdout, process.stdin):
        if pipe is not None:
            with suppress(OSError):  # what it was sent last goes nowhere
                pipe.close()


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """A worker's life: takes an opener, then batches until there are no more, and answers each.

    Args:
        requests: where pickled batches come from; its end is the parent's.
        answers: where answers go to, in marshal's format.
    """
    sys.stdout = sys.stderr
    leave_with_parent(os.getppid())  # a fork of the parent may keep its end of the pipe open
    with suppress(EOFError, BrokenPipeError), rare_collections():
        answer: Answer[Any] = pickle.load(requests)()
        while True:
            kind, batch = pickle.load(requests)
            try:
                found = [tuple(map(tuple, hits)) for hits in answer(kind, batch)]
            except Exception:
                found = None  # the parent will meet the same error, and raise it
            data = marshal.dumps(found)  # plain texts: faster than pickle
            answers.write(len(data).to_bytes(_SIZE, "little") + data)
            answers.flush()
