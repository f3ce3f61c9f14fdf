"""The file that runs are written into in another form: never one that a run is kept in."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path

from webenv.errors import InvalidArgument
from webenv.evaluation.ledger import RUN

_KEPT = (
    *(".lock", "episodes.jsonl", "verdicts.jsonl"),
    *("progress.jsonl", "checkpoint.pt", "policy.pt", "policy-*.pt", "evaluation.json"),
)  # beside the run.json of a run, a rescoring or a training run; pages and pictures can be made anew
_ALWAYS = (RUN, "events.out.tfevents.*")


def check_target(out: str | Path, *read: str | Path) -> Path:
    """The file that is to be written, links followed.

    Args:
        out: the file.
        read: what is read meanwhile.

    Raises:
        InvalidArgument: if it is one of these, one that a run is kept in, or no file.
    """
    path = Path(os.path.realpath(out))
    if os.path.exists(path) and not os.path.isfile(path):  # a device would be replaced, for every process
        raise InvalidArgument(f"out={str(out)!r} is no file; name one, which is made or replaced.")
    check_kept(out, *read)
    return path


def check_kept(out: str | Path, *read: str | Path) -> None:
    """Refuses a file that is to be written, or a device, where a run is kept in it.

    Args:
        out: the file.
        read: what is read meanwhile.

    Raises:
        InvalidArgument: if it is one of these, or one that a run is kept in.
    """
    path = Path(os.path.realpath(out))
    kept = (*_ALWAYS, *_KEPT) if os.path.exists(path.parent / RUN) else _ALWAYS
    if any(os.path.realpath(one) == str(path) for one in read):
        raise InvalidArgument(f"out={str(out)!r} is read for this, and would be lost; name another.")
    if any(fnmatchcase(path.name.lower(), name) for name in kept):  # some disks know no case
        raise InvalidArgument(f"out={str(out)!r}: a run is kept in this file, which would be lost; name another.")
