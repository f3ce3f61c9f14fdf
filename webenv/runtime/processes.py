"""Worker processes: how many, both ends of one, that none outlives its parent, and their garbage collection."""

from __future__ import annotations

import gc
import marshal
import multiprocessing
import os
import pickle
import select
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, TypeVar

RequestT = TypeVar("RequestT")

Answer = Callable[[str, Sequence[RequestT]], list[Sequence[tuple[Any, ...]]]]
"""Answers a batch of requests of one kind, each by some tuples of texts and numbers."""

_MOST_PER_CORE = 4  # more processes than that only cost memory
_RARELY = (50_000, 20, 50)  # thresholds of the garbage collector
_SIZE = 8  # bytes that say how long an answer is
_START = """
import pickle, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's
try:
    sys.path[:] = pickle.load(sys.stdin.buffer)
except EOFError:
    sys.exit()
from webenv.runtime.processes import serve
serve(sys.stdin.buffer, sys.stdout.buffer)
"""


class WorkerDied(Exception):
    """A worker could not be started, or has ended."""


class WorkerProcess:
    """A worker process: takes a batch at a time over its standard input, and answers on its output.

    A plain new interpreter: it never runs the user's main script, so that needs no main guard.

    Raises:
        WorkerDied: if it cannot be started; so do its methods where it has ended.
    """

    def __init__(self, opener: Callable[[], Answer[Any]]) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _START], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        except (OSError, ValueError, TypeError) as error:  # TypeError: an embedded Python has no executable
            raise WorkerDied from error
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
            raise WorkerDied from error

    def ready(self) -> bool:
        """Whether there is an answer to be received; False where that cannot be told."""
        if os.name != "posix":
            return False
        poll = select.poll()
        try:
            poll.register(self._from, select.POLLIN)
            return bool(poll.poll(0))
        except (OSError, ValueError) as error:
            raise WorkerDied from error

    def receive(self) -> list[Sequence[tuple[Any, ...]]] | None:
        """The answers to what was sent; ``None`` where that raised an error."""
        try:
            size = int.from_bytes(self._from.read(_SIZE), "little")
            found: list[Sequence[tuple[Any, ...]]] | None = marshal.loads(self._from.read(size))
        except (OSError, EOFError, ValueError, TypeError) as error:
            raise WorkerDied from error
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
    exit_with_parent(os.getppid())  # a fork of the parent may keep its end of the pipe open
    with suppress(EOFError, BrokenPipeError), infrequent_gc():
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


def worker_count(workers: int | None) -> int:
    """How many processes to use: as asked; ``None``: as there are cores; 1 where none can be started."""
    if multiprocessing.current_process().daemon or workers == 1:
        return 1
    from loky import cpu_count

    most = _MOST_PER_CORE * int(cpu_count())
    return int(cpu_count()) if workers is None else max(1, min(workers, most))


def exit_with_parent(parent: int) -> None:
    """Called in a worker: ends it soon after its parent has gone, even if the parent was killed.

    Args:
        parent: the parent's process id.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collects garbage rarely, in this whole process.

    Steps leave nearly none that counting references does not free, and each search for it goes through all that
    caches hold: a tenth of the time in training.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
