"""Code of a model, run where it can do no harm: bubblewrap, with limits on time, memory and files, and no network."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from webenv.errors import InvalidArgument

_TOOL = "bwrap"
_ABSENT = (
    "code and filesystem managers need bubblewrap, which is not here: install it (apt install bubblewrap), or leave "
    "them out."
)
_OUTPUT = 10_000  # bytes that are kept of what a program prints
_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache")


class Ran(NamedTuple):
    """What became of a program: what it printed, its exit status, and why it was stopped; empty as a rule."""

    output: str
    status: int
    stopped: str = ""


class Sandbox:
    """Runs Python programs under bubblewrap: namespaces of their own, a file system of their own, no network.

    A program sees the interpreter and the system's libraries, read-only; its files, read-only; and a folder in memory,
    empty at the start, that goes with it. Nothing of the user's home, environment or processes is there.

    Args:
        seconds: of the clock and of the processor.
        megabytes: of memory, and again of files.
        processes: how many there may be at a time.

    Raises:
        InvalidArgument: if bubblewrap is not there, or cannot make namespaces here.
    """

    def __init__(self, seconds: int = 10, megabytes: int = 256, processes: int = 16) -> None:
        for name, number in (("seconds", seconds), ("megabytes", megabytes), ("processes", processes)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise InvalidArgument(f"sandbox {name}={number!r:.40}: expected a whole number from 1.")
        self.seconds, self.megabytes, self.processes = seconds, megabytes, processes
        self._tool = shutil.which(_TOOL)
        if self._tool is None:
            raise InvalidArgument(_ABSENT)
        tried = self.run("print(6 * 7)")
        if tried.output.strip() != "42":
            why = tried.stopped or tried.output.strip().splitlines()[-1:] or f"status {tried.status}"
            raise InvalidArgument(f"bubblewrap cannot make a sandbox here ({why!s:.200}); leave code managers out.")

    @property
    def identity(self) -> Mapping[str, str]:
        return {"sandbox": _TOOL, "seconds": str(self.seconds), "megabytes": str(self.megabytes)}

    def run(self, code: str, files: Mapping[str, str] | None = None) -> Ran:
        """Runs a program; whatever it does, this returns.

        Args:
            code: in Python.
            files: name → text, which stand in its folder; names without folders.
        """
        with tempfile.TemporaryDirectory(prefix="webenv-sandbox-") as folder:
            given = Path(folder)
            for name, text in {**(files or {}), "main.py": code}.items():
                if not name or "/" in name or name.startswith("."):
                    return Ran("", 1, f"the file name {name!r:.60} leads out of the folder")
                (given / name).write_text(text, encoding="utf-8", errors="replace")
            return self._run(given)

    def _run(self, folder: Path) -> Ran:
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                self._command(folder),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=self._limit,
                env={},
                start_new_session=True,
            )
            stopped = ""
            try:
                status = process.wait(self.seconds)
            except subprocess.TimeoutExpired:
                process.kill()  # and with it all that is in its namespace (--die-with-parent)
                status, stopped = process.wait(), f"it took more than {self.seconds} seconds"
            output.seek(0)
            return Ran(output.read(_OUTPUT).decode(errors="replace"), status, stopped)

    def _command(self, folder: Path) -> list[str]:
        python = Path(sys.base_prefix)
        shown = [*_SYSTEM] if python.is_relative_to("/usr") else [*_SYSTEM, str(python)]
        binds = [part for path in shown if os.path.lexists(path) for part in ("--ro-bind", path, path)]
        size = str(self.megabytes * 1_000_000)
        return [
            str(self._tool),
            *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
            *binds,
            *("--proc", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/tmp"),
            *("--ro-bind", str(folder), "/given", "--chdir", "/tmp", "--setenv", "PATH", "/usr/bin:/bin"),
            str(python / "bin" / f"python{sysconfig.get_python_version()}"),
            *("-I", "-B", "-c", "import os, shutil\nfor n in os.listdir('/given'): shutil.copy('/given/' + n, n)\n"
              "exec(compile(open('main.py').read(), 'main.py', 'exec'))"),
        ]  # fmt: skip

    def _limit(self) -> None:
        memory = self.megabytes * 1_000_000
        for what, most in (
            (resource.RLIMIT_AS, memory * 4),  # addresses, of which an interpreter reserves more than it uses
            (resource.RLIMIT_DATA, memory),
            (resource.RLIMIT_CPU, self.seconds),
            (resource.RLIMIT_FSIZE, memory),
            (resource.RLIMIT_NOFILE, 64),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.setrlimit(what, (most, most))
