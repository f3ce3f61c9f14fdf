"""The sandbox of the code manager: what a program can do in it; and what is said where there is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from webenv.errors import InvalidArgument
from webenv.policies.hierarchical.sandbox import Ran, Sandbox

HERE = shutil.which("bwrap") is not None


def ran(code: str, **limits: int) -> Ran:
    """What becomes of a program; where there is no bubblewrap, what a sandbox would have made of it is not known."""
    return Sandbox(**limits).run(code, {"table.csv": "a,1\nb,2\n"})


def test_without_bubblewrap_it_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the tool is not there, one line says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InvalidArgument, match="need bubblewrap, which is not here: install it"):
        Sandbox()


PROGRAMS = {
    "reads its files": ("print(sum(int(line.split(',')[1]) for line in open('table.csv')))", "3\n"),
    "has no network": (
        "import socket\ntry: socket.create_connection(('127.0.0.1', 80), 1)\nexcept OSError: print('refused')",
        "refused\n",
    ),
    "sees nothing of the user": (
        f"import os\nprint(os.path.exists({str(Path(__file__))!r}), os.path.exists('/home'), len(os.environ) < 5)",
        "False False True\n",
    ),
    "cannot write to the system": (
        "try: open('/usr/x', 'w')\nexcept OSError: print('read-only')",
        "read-only\n",
    ),
    "sees its own processes alone": ("import os\nprint(sum(n.isdigit() for n in os.listdir('/proc')) < 5)", "True\n"),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_what_a_program_can_do(what: str) -> None:
    """It computes on the files it is given, and reaches nothing else."""
    code, output = PROGRAMS[what]
    if HERE:
        assert ran(code) == Ran(output, 0)


@pytest.mark.parametrize(
    ("code", "limits", "told"),
    [
        ("while True: pass", {"seconds": 1}, "it took more than 1 seconds"),
        ("import time\ntime.sleep(60)", {"seconds": 1}, "it took more than 1 seconds"),
        ("x = bytearray(10**9)", {"megabytes": 64}, "MemoryError"),
        ("open('big', 'wb').write(bytes(10**8))", {"megabytes": 50}, ""),
        ("import os\nos.kill(os.getpid(), 9)", {}, ""),
        ("raise SystemExit(3)", {}, ""),
    ],
)
def test_a_program_that_goes_too_far_is_stopped(code: str, limits: dict[str, int], told: str) -> None:
    """Time, memory and files are limited; the caller goes on."""
    if HERE:
        found = ran(code, **limits)
        assert found.status != 0
        assert told in f"{found.stopped} {found.output}"
