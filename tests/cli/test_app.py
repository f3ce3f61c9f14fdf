from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import webenv as package
from tests.cli.conftest import Run
from webenv.cli import app


def test_help_is_quick() -> None:
    """``webenv --help`` lists the sub-commands without importing one, nor what a corpus needs."""
    code = (
        "import sys; from webenv.cli.app import run; code = run(['--help']);"
        "slow = [name for name in ('webenv.cli.eval', 'webenv.cli.corpus', 'webenv.corpora', 'tantivy') "
        "if name in sys.modules]; print(slow, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    for name in app.COMMANDS:
        assert name in done.stdout


@pytest.mark.parametrize("name", app.COMMANDS)
def test_summaries(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each sub-command has a module and a help of its own."""
    importlib.import_module(app.COMMANDS[name][0])
    assert app.run([name, "--help"]) == 0
    assert f"webenv {name}" in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    """``--version`` names the version."""
    assert app.run(["--version"]) == 0
    assert capsys.readouterr().out == f"webenv {package.__version__}\n"


def test_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a sub-command the help is shown."""
    assert app.run([]) == 0
    assert "Commands" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evall"], "No such command 'evall'. Did you mean 'eval'?"),
        (["--nonsense"], "No such option: --nonsense"),
        (["eval"], "Missing argument 'ENV'."),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--episodes", "0"], "'--episodes'"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--seed", "x"], "'--seed'"),
        (["eval", "NeedleInWeb", "--policy", "random"], "Did you mean 'NeedleInWeb-v0'?"),
        (["eval", "NeedleInWeb-v0", "--policy", "randm"], "Did you mean 'random'?"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--policy", "random"], "given twice"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--resume"], "--resume needs --out DIR"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--retry-unscored"], "goes with --resume"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--model", "m"], "go with --policy react"),
        (["eval", "NeedleInWeb-v0", "--policy", "react:a", "--model", "b"], "names its model already"),
        (["eval", "NeedleInWeb-v0", "--policy", "react"], "needs one model"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--budget", "5"], "is no limit"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--budget", "serches=5"], "Did you mean 'searches'?"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--set", "x"], "expected name=value"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--difficulty", "esay"], "Did you mean 'easy'?"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--tasks", "/nowhere/a_easy.json"], "no such file"),
        (["eval", "NeedleInWeb-v0", "--policy", "random", "--out", "/dev/null/x"], "cannot be written"),
        (["play", "NeedleInWeb-v0", "--task", "nowhere"], "no task 'nowhere'"),
        (
            ["play", "NeedleInWeb-v0", "--web", "sample", "--tasks", "generated"],
            "--tasks 'generated' needs --web 'procedural'",
        ),
        (["play", "NeedleInWeb-v0", "--web", "procedural:seed=x"], "procedural web: seed='x'; expected a whole number"),
        (
            ["play", "NeedleInWeb-v0", "--web", "live:brave", "--tasks", "x"],
            "set the environment variable BRAVE_API_KEY",
        ),
        (["play", "CartPole-v1"], "is no environment of webenv"),
    ],
)
def test_mistakes(
    words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistake of the user's is one line on stderr and exit code 1; arguments are named as options."""
    monkeypatch.delenv("BRAVE_API_KEY", raising=False)
    assert app.run(words) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("webenv: error: ")
    assert shown.err.count("\n") == 1
    assert message in shown.err


def test_reader_has_gone(town: Path) -> None:
    """When whoever reads the output stops reading, the command ends without a word."""
    code = "from webenv.cli.app import main; main()"
    words = ["eval", "town:Town-v0", "--policy", "oracle", "--json"]
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code, *words], cwd=town, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


def test_no_traceback(process: Run) -> None:
    """As a command of its own, too, a mistake shows no traceback."""
    done = process("eval", "town:Twon-v0", "--policy", "oracle")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "webenv: error: no environment 'town:Twon-v0'. Did you mean 'Town-v0'?\n"


def test_a_planted_module_is_not_run(town: Path, process: Run) -> None:
    """Of the current folder the module that is named is imported, and no other stands in for a package."""
    for name in ("torch", "brotli", "json", "tomllib", "openai", "matplotlib", "tensorboard"):
        (town / f"{name}.py").write_text("raise SystemExit('a planted module was run')")
    done = process("eval", "town:Town-v0", "--policy", "oracle", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    done = process("eval", "town:Town-v0", "--policy", "none.pt", "--episodes", "1")
    assert (done.returncode, "planted" in done.stderr) == (1, False)


def test_a_package_of_ones_own(town: Path, process: Run) -> None:
    """A package in the current folder is imported with its modules; a module beside the one named is not."""
    (town / "bench").mkdir()
    (town / "town.py").rename(town / "bench" / "places.py")
    (town / "bench" / "__init__.py").write_text("from . import places")
    assert process("eval", "bench:Town-v0", "--policy", "oracle", "--json").returncode == 0
    (town / "beside.py").write_text("import bench")
    done = process("eval", "beside:Town-v0", "--policy", "oracle", "--json")
    assert done.stderr == (
        "webenv: error: module 'beside' imports 'bench', which is not installed; of this folder the module that is "
        "named is found alone: make it a package, or set PYTHONPATH=.\n"
    )
