"""The long commands, how each is taken up again, and what its outcome is: what must be the same after a kill."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from common import command

SENTENCES = "".join(f"In {year} a lamp stood at the mouth of the harbour, and it was told. " for year in range(60))


class Long(NamedTuple):
    """A command in a folder, the options by which it goes on, and the files that are its outcome."""

    name: str
    line: str
    onward: str
    files: str
    digest: Callable[[bytes], object] = lambda data: data

    def words(self, folder: Path) -> list[str]:
        """The command as it is first given."""
        return self.line.replace("{}", str(folder)).split()

    def again(self, folder: Path) -> list[str]:
        """The command that takes it up."""
        begun = self.onward != "--resume" or (folder / "run" / "run.json").exists()
        return [*self.words(folder), *(self.onward.split() if begun else [])]


def _pages(data: bytes) -> object:
    return json.loads(data)["digest"]


EVAL = "eval NeedleInWeb-v0 --web sample --json --out {}/run"
COMMANDS = (
    Long(
        "corpus build",
        "corpus build {}/web --from html:{}/html@https://a.example --json",
        "",
        "web/manifest.json",
        _pages,
    ),
    Long("eval", f"{EVAL} --policy keyword --seed 3", "--resume", "run/episodes.jsonl"),
    Long("rescore", "rescore {}/played --judge page --json", "", "played/rescored/*/verdicts.jsonl"),
    Long(
        "train",
        "train NeedleInWeb-v0 --web sample --algo grpo --steps 400 --num-envs 8 --group-size 4 --no-eval --json "
        "--checkpoint-every 1 --out {}/run",
        "--resume",
        "run/policy.pt",
    ),
)


def prepare(folder: Path) -> None:
    """Pages to build a corpus from, and a run to judge again."""
    (folder / "html").mkdir(parents=True)
    for number in range(300):
        body = f"<html><title>Lamp {number}</title><body><p>{SENTENCES} It is number {number}.</p></body></html>"
        (folder / "html" / f"{number}.html").write_text(body)
    done = command(
        "eval", "NeedleInWeb-v0", "--policy", "keyword", "--web", "sample", "--json", "--out", f"{folder}/played"
    )
    assert done.code == 0, done


def outcome(long: Long, folder: Path) -> str:
    """The digest of what a command made."""
    found = sha256()
    for path in sorted(folder.glob(long.files)):
        found.update(repr(long.digest(path.read_bytes())).encode())
    return found.hexdigest()
