"""Worker processes: how many there may be, and that none outlives its parent."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time

_MOST_PER_CORE = 4  # more processes than that only cost memory


def cores(workers: int | None) -> int:
    """How many processes to use: as asked; ``None``: as there are cores; 1 where none can be started."""
    if multiprocessing.current_process().daemon or workers == 1:
        return 1
    from loky import cpu_count

    most = _MOST_PER_CORE * int(cpu_count())
    return int(cpu_count()) if workers is None else max(1, min(workers, most))


def leave_with_parent(parent: int) -> None:
    """Called in a worker: ends it soon after its parent has gone, even if the parent was killed.

    Args:
        parent: the parent's process id.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
