"""What the command ``webenv`` starts with.

It stands outside the package, whose import takes a second: Ctrl-C meanwhile ends in one line, too.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """The console entry point."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where it is ignored, as under nohup
    if ours:
        signal.signal(signal.SIGINT, _end)
    from webenv.cli.app import main as run

    if ours:  # no exception before: one in the middle of an import may be swallowed, or leave half a module
        signal.signal(signal.SIGINT, signal.default_int_handler)
    run()


def _end(number: int, frame: object) -> None:
    os.write(2, b"webenv: interrupted.\n")
    os._exit(130)
