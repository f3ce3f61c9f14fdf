from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "reproduce_studies.py"
SHOWN = {
    "Needle in the Web": ["Table 1", "Table 2", "Table 3", "Table 4", "Figure 1", "Figure 2", "Figure 3", "Figure 4",
                          "Figure 5"],
    "LiveNewsBench": ["Table 1", "Table 2", "Table 3", "Table 4", *(f"Figure {n}" for n in range(1, 9))],
}  # fmt: skip


@pytest.mark.slow
def test_every_table_and_figure_is_printed(tmp_path: Path) -> None:
    """The example builds, plays and judges both studies from nothing, and lists each table and figure with its command;
    none is missing, and the pictures are there."""
    words = [sys.executable, str(EXAMPLE), "--out", str(tmp_path / "studies"), "--needles", "7", "--news", "16"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    listed = done.stdout.partition("Every table and figure, and what prints it:")[2]
    for paper, names in SHOWN.items():
        found = " ".join(re.findall(rf"^{paper}, (.*)", listed, re.MULTILINE))
        numbers = {f"{kind} {n}" for kind, many in re.findall(r"(Table|Figure)s? ([\d, and]+)", found)
                   for n in re.findall(r"\d+", many)}  # fmt: skip
        assert numbers >= set(names)
    table = done.stdout.partition("=== LiveNewsBench, Table 4")[2]
    assert all(name in table for name in ("large", "medium", "small"))
    for file in ("needle_figure_1.svg", "needle_figure_1.html", "needle_figure_5.html", "queries/build/usage.json"):
        assert (tmp_path / "studies" / file).stat().st_size > 100
    assert "--where 'searches allowed=5'" in listed
    lines = listed.splitlines()
    again = next(line for line in lines if "webenv report" in line and "searches allowed=5" in line)
    webenv = Path(sys.executable).with_name("webenv")
    told = subprocess.run([str(webenv), *shlex.split(again)[1:]], capture_output=True, text=True, timeout=100)
    assert told.returncode == 0, told.stderr
    gone = [number for number, line in enumerate(lines) if "gateway=" in line]
    assert gone
    assert all("which have ended" in lines[number + 1] for number in gone)
