"""README and docs: what they show is what happens."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")))}
_SHOWN = re.compile(r"```python\n(.*?)```\n(?:\nprints\n)?\n```text\n(.*?)```", re.DOTALL)
EXAMPLES = [
    pytest.param(code, shown, id=f"{name}-{number}")
    for name, text in PAGES.items()
    for number, (code, shown) in enumerate(_SHOWN.findall(text))
]


def run(code: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})
    return printed.getvalue()


@pytest.mark.parametrize(("code", "shown"), EXAMPLES)
def test_an_example_prints_what_stands_below_it(code: str, shown: str) -> None:
    """Each Python block prints its output block."""
    assert run(code) == shown


def test_every_python_block_is_run() -> None:
    """No Python block stands without its output."""
    assert sum(text.count("```python") for text in PAGES.values()) == len(EXAMPLES) >= 13


def test_the_readme_is_short() -> None:
    """It fits three screens; all else stands in docs."""
    assert len(PAGES["README.md"].splitlines()) <= 130


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    """Each link and picture is a file that is there."""
    folder = ROOT if name == "README.md" else ROOT / "docs"
    links = re.findall(r"\]\((?!https?:)([^)#]+)", PAGES[name])
    assert [link for link in links if not (folder / link).exists()] == []


def test_the_tasks_are_tasks(tmp_path: Path) -> None:
    """The JSON block of the page on tasks is a file of tasks that loads whole."""
    from webenv.envs.needle_in_web.tasks import load_tasks

    (block,) = re.findall(r"```json\n(.*?)```", PAGES["tasks.md"], re.DOTALL)
    (tmp_path / "town_easy.json").write_text(block, encoding="utf-8")
    tasks = load_tasks(tmp_path)
    assert [(task.id, len(task.criteria), task.gold.urls) for task in tasks] == [
        ("town_easy/1", 2, ("https://town.example/mill",))
    ]
    assert tasks.excluded == ()


def test_every_command_exists() -> None:
    """Each webenv command of the shell blocks takes the options that it shows."""
    from webenv.cli.app import run as run_command

    blocks = re.findall(r"```bash\n(.*?)```", "\n".join(PAGES.values()), re.DOTALL)
    commands = [part.strip() for block in blocks for line in block.splitlines() for part in line.split("&&")]
    shown = [command.split() for command in commands if command.startswith("webenv ")]
    assert len(shown) >= 20
    for words in shown:
        groups = {"cassette": 2, "corpus": 2, "serve": 2, "tasks": 3 if "build" in words else 2}
        path = words[1 : 1 + groups.get(words[1], 1)]
        help_text = io.StringIO()
        with contextlib.redirect_stdout(help_text):
            assert run_command([*path, "--help"]) == 0
        for option in (word for word in words if word.startswith("--")):
            assert option in help_text.getvalue()
