"""Where a person verifies tasks: each is shown, and accepted or rejected as it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from webenv.cli.terminal import SafeConsole
from webenv.envs.building.folder import MACHINERY
from webenv.envs.building.verification import ReviewTask, Verification
from webenv.errors import RunError
from webenv.runtime.files import read_lines


class VerifyingScreen:
    """Shows tasks to a person, and takes the decisions.

    Args:
        verification: the tasks.
    """

    def __init__(self, verification: Verification) -> None:
        self._verification = verification
        self._console = SafeConsole()

    def sit(self) -> None:
        """Asks until enough are verified, or the person has had enough."""
        self._say("a accept, r REASON reject, u undo, t text of the page, q quit; nothing can be edited.")
        try:
            while (candidate := self._verification.next()) is not None:
                self._show(candidate)
                if not self._decide(candidate):
                    break
        except KeyboardInterrupt:
            self._say("")
        finally:
            self._end()

    def _decide(self, candidate: ReviewTask) -> bool:
        """One decision; ``False``: the person quits."""
        while True:
            line = _read(self._console)
            word, _, rest = (line if line is not None else "q").strip().partition(" ")
            if word == "q":
                return False
            if word == "a" and not rest:
                self._verification.accept(candidate)
            elif word == "r":
                self._verification.reject(candidate, rest.strip())
            elif word == "u":
                undone = self._verification.undo()
                self._say("There is nothing to undo." if undone is None else "The last decision is undone.")
                if undone is None:
                    continue
            elif word == "t":
                self._say(_page_text(candidate, self._verification.path) or "The folder has no text of this page.")
                continue
            else:
                self._say("Type a, r (with a reason if you like), u, t or q.")
                continue
            return True

    def _show(self, candidate: ReviewTask) -> None:
        one = self._verification
        self._say(f"\n── {one.accepted} of {one.count} verified, {one.rejected} rejected, {one.left} left ──")
        for name, value in _told(candidate.record):
            self._say(f"{name:>12}: {value}")

    def _end(self) -> None:
        one = self._verification
        written = one.write()
        self._say(f"\n{one.accepted} of {one.count} verified, {one.rejected} rejected, {one.left} left.")
        self._say(f"{one.out} holds {written}.")
        if one.next() is not None:
            self._say(f"To go on: webenv tasks verify {one.path}")

    def _say(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)


def _told(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What a person is shown of a task: of news, then of needles."""
    event, article, page = (record.get(name) for name in ("event", "article", "context"))
    fields = [
        ("question", record.get("question")),
        ("answer", record.get("answer")),
        ("event", f"{record.get('event_date', '')} {event.get('summary', '')}" if isinstance(event, dict) else None),
        ("article", f"{article.get('title', '')} ({article.get('date', '')})" if isinstance(article, dict) else None),
        ("link", record.get("link")),
        ("stability", record.get("stability")),
        ("explanation", record.get("explanation")),
        ("page", f"{page.get('title', '')} {page.get('url', '')}" if isinstance(page, dict) else None),
    ]
    yield from ((name, str(value).strip()) for name, value in fields if value)
    for name in ("raw_questions", "ground_truth"):
        for number, text in enumerate(record.get(name) or (), start=1):
            yield f"{'criterion' if name == 'raw_questions' else 'claim'} {number}", str(text)


def _page_text(candidate: ReviewTask, file: Path) -> str:
    """The text of a task's page, from its record or from the build beside the file."""
    page = candidate.record.get("context")
    if isinstance(page, dict):
        return str(page.get("content", ""))
    link = candidate.record.get("link")
    with suppress(RunError, ValueError, KeyError, TypeError):
        for line in read_lines(file.parent / MACHINERY / "journal" / "visit.jsonl"):
            record = json.loads(line)
            if record.get("kept", {}).get("url") == link:
                return str(record["kept"]["text"])
    return ""


def _read(console: Console) -> str | None:
    """The next line; ``None`` at the end of input. Piped lines are shown, as typed ones are."""
    if sys.stdin.isatty():
        try:
            return input("> ")
        except EOFError:
            return None
    line = sys.stdin.readline()
    if not line:
        return None
    console.print(f"> {line.strip()}", soft_wrap=True)
    return line
