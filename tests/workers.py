"""Which worker processes a process has."""

from __future__ import annotations

import subprocess
from pathlib import Path

__all__ = ["workers_of"]


def workers_of(pid: int) -> set[int]:
    """The workers of :mod:`webenv.runtime.processes` that a process has started, and that have not ended."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    found = set()
    for worker in map(int, listed.split()):
        try:
            command = Path(f"/proc/{worker}/cmdline").read_bytes()
        except OSError:
            continue
        if b"webenv.runtime.processes" in command:
            found.add(worker)
    return found
