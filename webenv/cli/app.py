"""The command ``webenv``: its sub-commands, and what becomes of errors."""

from __future__ import annotations

import _thread
import atexit
import importlib
import os
import re
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

import webenv
from webenv.cli.terminal import guard_streams
from webenv.errors import WebenvError

COMMANDS = {
    "eval": ("webenv.cli.eval", "Plays policies in an environment, keeps a record, and sums it up."),
    "train": ("webenv.cli.train", "Trains a policy in an environment, and compares it with others."),
    "curve": ("webenv.cli.view", "Draws the learning curves of training runs."),
    "rescore": ("webenv.cli.rescore", "Has another judge score a run that was played."),
    "score": ("webenv.cli.score", "Scores answers that were made elsewhere, and keeps them as a run."),
    "report": ("webenv.cli.report", "Puts any number of runs into one table, with plots."),
    "study": ("webenv.cli.report", "Plays all that a paper's tables are made of, and prints them."),
    "agreement": ("webenv.cli.rescore", "Compares two judges on one run."),
    "export": ("webenv.cli.view", "Writes a run's episodes as chats, for fine-tuning models elsewhere."),
    "view": ("webenv.cli.view", "Writes a page to read a run's episodes in, step by step."),
    "play": ("webenv.cli.play", "Plays an episode yourself."),
    "bench": ("webenv.cli.bench", "Measures webs of growing size on this machine."),
    "corpus": ("webenv.cli.corpus", "Builds, checks, searches and reads corpora."),
    "cassette": ("webenv.cli.cassette", "Describes, exports and imports recorded answers."),
    "tasks": ("webenv.cli.tasks", "Builds tasks with models, verifies them, slides their windows."),
    "serve": ("webenv.cli.serve", "Serves a web over HTTP: as websites, or to trainers' retrieval clients."),
}
"""Name → module and summary. A module has a typer ``app``, a ``<name>_command``, or a ``command`` where it has one."""

CTRL_C = 130  # the exit code of what Ctrl-C ends
_UsageError: Any = typer.BadParameter.__mro__[2]  # click's base of what users mistype, wherever typer keeps click


class Interrupted(Exception):
    """Ctrl-C, from a command that can say what is kept."""


class Interrupts:
    """Answers Ctrl-C: the first time a command ends as it should, the second time at once, and never with a traceback.

    What is written is whole whenever a process ends, so that ending at once loses no more than being killed. A command
    that has not ended half a minute after the first Ctrl-C is ended too: a pool that lost a worker may wait for ever.
    """

    PATIENCE = 30.0  # seconds

    def __init__(self) -> None:
        self._said = self._asked = False

    def install(self) -> None:
        """Takes SIGINT over, in the main thread."""
        os.environ["PYTHONSAFEPATH"] = (
            "1"  # processes that ``-m`` and ``-c`` start import nothing from the current folder
        )
        # Whoever cleans up after this process must not warn that there was something to clean up.
        os.environ["PYTHONWARNINGS"] = ",".join(
            filter(None, [os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning"])
        )
        sys.unraisablehook = self._unraisable
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored, as under nohup
            signal.signal(signal.SIGINT, self._interrupt)

    def begin(self) -> None:
        self._said = False

    def say(self, message: str = "") -> None:
        """Says that the command was interrupted, once."""
        if not self._said:
            self._said = True
            print(f"webenv: interrupted{f': {message}' if message else '.'}", file=sys.stderr, flush=True)

    def _interrupt(self, number: int, frame: object) -> None:
        if self._asked:
            self._end()
        self._asked = True
        timer = threading.Timer(self.PATIENCE, self._end)
        timer.daemon = True
        timer.start()
        raise KeyboardInterrupt

    def _end(self) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h")  # a progress bar may have hidden the cursor
        with suppress(Exception):  # the stream may be in the middle of a write
            self.say()
        os._exit(CTRL_C)

    def _unraisable(self, found: Any) -> None:
        if isinstance(found.exc_value, KeyboardInterrupt):  # it came within a destructor, which drops it
            _thread.interrupt_main()
        else:
            sys.__unraisablehook__(found)


interrupts = Interrupts()


def main() -> None:
    """The console entry point."""
    interrupts.install()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a character that a terminal lacks becomes another
            reconfigure(errors="replace")
    guard_streams(sys.argv[1:])
    code = run(sys.argv[1:])
    if code == CTRL_C:  # while Python takes itself down, Ctrl-C would kill it with another code
        atexit._run_exitfuncs()
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Runs a command line.

    Returns:
        The exit code: 0; 1 after an error, which stands on stderr in one line; 130 after Ctrl-C.
    """
    interrupts.begin()
    command: Any = None
    try:
        command = _build(arguments)
        code = command(list(arguments), standalone_mode=False, prog_name="webenv", obj=list(arguments))
        sys.stdout.flush()
        return _interrupted("") if code == CTRL_C else code if isinstance(code, int) else 0
    except (WebenvError, OSError) as error:
        if isinstance(error, BrokenPipeError):
            return _reader_has_gone()
        return _fail(as_options(str(error), options_of(command, arguments)) if is_own(error) else str(error))
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # a group without a command: its help is the message
            print(error.format_message())
            return 0
        return _fail(error.format_message())
    except (KeyboardInterrupt, typer.Abort, Interrupted) as error:
        return _interrupted(str(error))


_KEYWORD = re.compile(r"takes no keyword '(\w+)'")
# What stands in quotation marks is somebody's text, or a value: never an argument. An apostrophe opens none.
_ARGUMENT = re.compile(r"""(?<!\w)'[^'\n]*'(?!\w)|"[^"\n]*"|(?<![^\s(])(?<!: )([a-z_]+)=(?=(\S?))""")


def options_of(command: Any, words: Sequence[str]) -> dict[str, str]:
    """The options of the sub-command that is called, by the names of the arguments that they give."""
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    return {
        parameter.name: option
        for parameter in getattr(command, "params", ())  # none where a package that it needs is missing
        for option in parameter.opts
        if option.startswith("--") and parameter.name
    }


def is_own(error: BaseException) -> bool:
    """Whether an error was raised by webenv itself, whose arguments are options, and not by a module of the user's."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is None or str(trace.tb_frame.f_globals.get("__name__", "")).partition(".")[0] == "webenv"


def as_options(message: str, options: Mapping[str, str]) -> str:
    """A message with the arguments that it names as whoever typed a command knows them.

    Behind a colon stands what belongs to another name, such as a dial of a web: that stays.

    >>> as_options("tasks='x' needs web='procedural'; or pass model=.", {"tasks": "--tasks", "web": "--web"})
    "--tasks 'x' needs --web 'procedural'; or pass model=."
    >>> as_options("or pass model=.", {"model": "--model"})
    'or pass --model.'
    >>> as_options("X-v0 takes no keyword 'site'. Expected one of: kind, web.", {"site": "--site"})
    'X-v0 takes no --site. It takes (with --set NAME=VALUE): kind, web.'
    >>> as_options("procedural web: seed='x'; expected a whole number", {"seed": "--seed"})
    "procedural web: seed='x'; expected a whole number"
    >>> print(as_options("web='a web=b': it's none of web=c", {"web": "--web"}))
    --web 'a web=b': it's none of --web c
    """

    def spoken(match: re.Match[str]) -> str:
        option = options.get(match[1] or "")
        if option is None:
            return match[0]
        return option if match[2] in ("", ".", ",", ";", ")") else f"{option} "

    found = _KEYWORD.search(message)
    if found and options.get(found[1]):
        rest = message[found.end() :].replace("Expected one of:", "It takes (with --set NAME=VALUE):")
        message = f"{message[: found.start()]}takes no {options[found[1]]}{rest}"
    return _ARGUMENT.sub(spoken, message)


def _fail(message: str) -> int:
    print(f"webenv: error: {' '.join(message.split())}", file=sys.stderr)
    return 1


def _interrupted(message: str) -> int:
    interrupts.say(message)
    return CTRL_C


def _reader_has_gone() -> int:
    """Ends quietly when whoever read our output has stopped reading (``webenv … | head``)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1


def _build(arguments: Sequence[str]) -> Any:
    """The command line with the one sub-command that is called imported; the others only have their summary."""
    app = typer.Typer(
        help="Environments in which agents that search the web are trained and evaluated.",
        add_completion=False,
        invoke_without_command=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,
    )
    app.callback()(_top)
    called = next((word for word in arguments if not word.startswith("-")), "")
    for name, (module, summary) in COMMANDS.items():
        if name != called:
            app.command(name, help=summary)(_not_called)
            continue
        found = importlib.import_module(module)
        if hasattr(found, "app"):
            app.add_typer(found.app, name=name, help=summary)
        else:
            app.command(name)(getattr(found, f"{name}_command", None) or found.command)
    return typer.main.get_command(app)


def _not_called() -> None:
    """Stands for a sub-command that is not imported."""


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Shows the version.")] = False,
) -> None:
    if version:
        print(f"webenv {webenv.__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())
