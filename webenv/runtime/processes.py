"""Worker processes: both ends of one, a pool of them, that none outlives its parent, and their garbage collection."""

from __future__ import annotations

import gc
import marshal
import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import IO, Any, Generic, TypeVar

from webenv.runtime.rows import named

RequestT = TypeVar("RequestT")
T = TypeVar("T", bound=tuple[Any, ...])

Answer = Callable[[str, Sequence[RequestT]], list[Sequence[Any]]]
"""Answers a batch of requests of one kind, each by some tuples of texts and numbers."""

_LEAST = 16  # requests; fewer are answered faster than they travel
_OWN = 2  # requests that this process answers between two looks at the workers
_FIRST = 0.9  # of their share is given to workers at the beginning
_LIVES = 3  # losses of workers before none is started any more
_MOST_PER_CORE = 4  # more processes than that only cost memory
_RARELY = (50_000, 20, 50)  # thresholds of the garbage collector
_SIZE = 8  # bytes that say how long an answer is
_START = """
import pickle, sys
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
            with deaf_to_interrupts():
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


class WorkerPool(Generic[RequestT]):
    """Splits batches between this process and workers, each of which has opened the same.

    Workers start with the first large batch and are used again; they end with this process, even
    if it is killed. Where none can be started, or one dies or cannot answer, this process does all
    the work of the batch: the answers are the same either way. After three such losses no more are
    started. A batch of another thread, or of the same before its last one was taken, is answered
    by this process alone.

    Why not an executor of the standard library: its CPU a search is the same (measured within 2% on one corpus and on
    twelve worlds), but a spawned worker runs the user's main script again, which would need a main guard. loky's,
    which does not, took 5 to 12% more.

    Args:
        opener: makes what answers requests in a worker; must be picklable.
        workers: processes, this one included; 1: every batch is answered here.

    Attributes:
        lives: how many more losses there may be.
        share: the share of a batch that workers begin with, 0 to 1.
    """

    def __init__(self, opener: Callable[[], Answer[RequestT]], workers: int) -> None:
        self.opener = opener
        self.workers = workers
        self.lives = _LIVES
        self.share = _FIRST * (1 - 1 / max(1, workers))
        self._teams: dict[int, _Team] = {}

    @property
    def team(self) -> _Team:
        """The workers of this process; a fork has some of its own."""
        return self._teams.setdefault(os.getpid(), _Team())

    def begin(
        self, kind: str, requests: Sequence[RequestT], answer: Answer[RequestT], of: type[T]
    ) -> SharedBatch[RequestT, T]:
        """Gives workers their part of a batch, and comes back at once.

        Args:
            kind: what is asked.
            requests: the requests.
            answer: answers them in this process.
            of: the named tuples that an answer consists of; from workers plain ones come over.
        """
        batch = SharedBatch(self, self.team, kind, requests, answer, of)
        large = len(requests) >= _LEAST and self.workers > 1
        if large and self.lives > 0 and not multiprocessing.current_process().daemon:
            batch.begin()
        return batch

    def close(self) -> None:
        """Ends the workers; they start again when needed. A batch that is under way goes on in its own process."""
        self.team.end()


class _Team:
    """The workers of one process, and whether a batch is at them."""

    def __init__(self) -> None:
        self.busy = threading.Lock()
        self.workers: list[WorkerProcess] = []

    def end(self) -> None:
        workers, self.workers = self.workers, []
        for worker in workers:
            worker.stop()

    def stop(self) -> None:
        """Ends them, and what whoever is at them wanted."""
        try:
            self.end()
        finally:
            self.busy.release()


class SharedBatch(Generic[RequestT, T]):
    """Requests that are being answered.

    Workers take from their end, this process, when it comes to wait for the result, from their front; a worker that
    is done early gets a part of what is left.
    """

    def __init__(
        self,
        pool: WorkerPool[RequestT],
        team: _Team,
        kind: str,
        requests: Sequence[RequestT],
        answer: Answer[RequestT],
        of: type[T],
    ) -> None:
        self._pool, self._team = pool, team
        self._kind, self._requests, self._answer, self._of = kind, requests, answer, of
        self._answers: list[Sequence[T]] = [()] * len(requests)
        self._front, self._back = 0, len(requests)
        self._given = 0
        self._at: dict[WorkerProcess, slice] = {}
        self._shared = False

    def begin(self) -> None:
        """Gives workers their part, if no other batch is at them and they can be had."""
        team, pool = self._team, self._pool
        if not team.busy.acquire(blocking=False):
            return
        self._shared = True
        try:
            while len(team.workers) < pool.workers - 1:
                team.workers.append(WorkerProcess(pool.opener))
            first = int(pool.share * len(self._requests)) // len(team.workers)
            for worker in team.workers:
                self._give(worker, max(_OWN, first))
        except WorkerDied:
            pool.lives -= 1
            self.cancel()
        except BaseException:
            self.cancel()
            raise

    def result(self) -> list[Sequence[T]]:
        """The answers, in the order of the requests; the error of the first that has one is raised."""
        if not self._shared:
            return list(self._answer(self._kind, self._requests))
        self._shared = False
        team, pool = self._team, self._pool
        try:
            while self._front < self._back:
                place = slice(self._front, min(self._back, self._front + _OWN))
                self._front = place.stop
                self._answers[place] = self._answer(self._kind, self._requests[place])
                for worker in [worker for worker in self._at if worker.ready()]:
                    self._take(worker)
                    self._give(worker, -(-(self._back - self._front) // (2 * pool.workers)))
            for worker in list(self._at):
                self._take(worker)
        except Exception:  # a worker died, or a request has an error, which is met again where it is at fault
            closed = not team.workers
            team.stop()
            answers = self._answer(self._kind, self._requests)
            pool.lives -= not closed
            return list(answers)
        except BaseException:
            team.stop()  # an answer may be under way that nobody will take
            raise
        # What they took in the end, as this process had other work or had not; a part is kept back at first, so that
        # what is left evens out who is done early.
        pool.share = _FIRST * self._given / len(self._requests)
        team.busy.release()
        return self._answers

    def cancel(self) -> None:
        """Lets go of answers that nobody will take; nothing happens where they were taken."""
        if self._shared:
            self._shared = False
            self._team.stop()

    __del__ = cancel  # whoever lost it to an interrupt will not take it

    def _give(self, worker: WorkerProcess, size: int) -> None:
        place = slice(max(self._front, self._back - size), self._back)
        if place.start < place.stop:
            self._back = place.start
            self._given += place.stop - place.start
            self._at[worker] = place
            worker.send((self._kind, self._requests[place]))

    def _take(self, worker: WorkerProcess) -> None:
        given = worker.receive()
        if given is None:
            raise WorkerDied
        place = self._at.pop(worker)
        self._answers[place] = [named(self._of, one) for one in given]


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
def deaf_to_interrupts() -> Iterator[None]:
    """What is started meanwhile, processes and threads, gets no SIGINT: Ctrl-C goes to all processes of a terminal, and
    is this one's to answer."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def process_pool(workers: int, initializer: Callable[..., None] | None = None, arguments: tuple[Any, ...] = ()) -> Any:
    """loky's executor, whose processes hear no Ctrl-C, and end soon after this one has.

    Args:
        workers: how many processes.
        initializer: called in each with these arguments, after it has been told whose it is.
        arguments: of the initializer.
    """
    from loky import ProcessPoolExecutor

    class Pool(ProcessPoolExecutor):  # type: ignore[misc]
        def submit(self, *task: Any, **named: Any) -> Any:
            with deaf_to_interrupts():  # the processes start with the first task, and anew where one was lost
                return super().submit(*task, **named)

    if os.name == "posix":
        resource_tracker.ensure_running()  # which lets SIGINT through again, for what is started after it
    return Pool(
        workers,
        timeout=None,
        initializer=_begin_worker,
        initargs=(os.getpid(), initializer, arguments),
        env={"PYTHONSAFEPATH": "1"},  # they start with ``-m``: else modules of the current folder come first
    )


def _begin_worker(parent: int, initializer: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    exit_with_parent(parent)
    if initializer is not None:
        initializer(*arguments)


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collects garbage rarely, in this whole process.

    Steps and builds leave nearly none that counting references does not free, and each search for it goes through all
    that caches hold: a tenth of the time in training, a thirtieth in a build of a corpus.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
