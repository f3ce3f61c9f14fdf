"""What the attacks share: a finding, and the command line in a process of its own, measured."""

from __future__ import annotations

import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

WEBENV = [sys.executable, "-P", "-c", "from webenv_command import main\nmain()"]


class Finding(NamedTuple):
    """One line of the report: what was tried how often, how often it got through, and figures beside."""

    attack: str
    tried: int
    through: int
    note: str = ""


class Done(NamedTuple):
    """How a command ended; its peak memory in MB (of it alone, not of its children)."""

    code: int
    out: str
    err: str
    megabytes: float
    seconds: float

    @property
    def clear(self) -> bool:
        """Whether it succeeded, or said in one short line why not."""
        refusal = self.err.strip().splitlines()
        return "Traceback" not in self.err and (self.code == 0 or (len(refusal) >= 1 and len(refusal[-1]) < 1_000))


class Running:
    """A command in a session of its own. With ``file_bytes`` no file can grow beyond so many, as on a full disk."""

    def __init__(self, *words: str, cwd: Path | None = None, file_bytes: int = 0, files: int = 0, **env: str) -> None:
        def limits() -> None:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has what runs in the background ignore it
            if file_bytes:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
            if files:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        self._began = time.monotonic()
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [*WEBENV, *words],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            start_new_session=True,
            preexec_fn=limits,
            env={**os.environ, "COLUMNS": "500", **env},
        )

    def printed(self) -> str:
        """What it has written to stdout so far."""
        return os.pread(self.out.fileno(), 1_000_000, 0).decode(errors="replace")

    @property
    def alive(self) -> bool:
        """Whether it has not ended; ``poll`` would take its exit status, and what it used of memory, away."""
        return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Sends a signal to the whole session, as Ctrl-C or the kernel's memory killer would."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def end(self, limit: float = 300.0) -> Done:
        """Waits for it; what takes longer than ``limit`` seconds is killed, and has the code -9."""
        timer = threading.Timer(limit, self.kill)
        timer.start()
        _, status, used = os.wait4(self.process.pid, 0)
        timer.cancel()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        error = os.pread(self.err.fileno(), 1_000_000, 0).decode(errors="replace")
        took = time.monotonic() - self._began
        return Done(self.process.returncode, self.printed(), error, used.ru_maxrss / 1e3, took)


def command(*words: str, limit: float = 300.0, **how: Any) -> Done:
    """Runs a command to its end."""
    return Running(*words, **how).end(limit)


def digest(folder: Path) -> str:
    """Of every regular file below a folder: names and bytes; links by what they name."""
    found = sha256()
    for path in sorted(folder.rglob("*")):
        found.update(str(path.relative_to(folder)).encode() + b"\0")
        found.update(os.readlink(path).encode() if path.is_symlink() else path.read_bytes() if path.is_file() else b"")
    return found.hexdigest()


@contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine that nobody should connect to, and what came there."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        over = threading.Event()

        def accept() -> None:
            while not over.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                came.append(b"")
                connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], came
        finally:
            over.set()
            thread.join()
