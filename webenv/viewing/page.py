"""write_view: one HTML file that shows runs, whole in itself."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from webenv.errors import InvalidArgument
from webenv.evaluation.run_dir import check_output
from webenv.evaluation.summary import Summary
from webenv.runtime.files import write_atomic
from webenv.viewing.data import PageData, page_data
from webenv.viewing.pool import TextPool
from webenv.viewing.runs import ViewedRun, labelled, read_runs

PAGE = "view.html"
"""The name of the page in its run's folder."""

_SCRIPTS = ("store", "text", "state", "list", "turns", "episode", "summary", "app")
_NAMED = 2  # the most runs that a title names
_LARGE = 200_000_000  # characters; browsers grow slow, and some refuse a script of twice as many


@dataclass(frozen=True, slots=True)
class View:
    """A page that was written.

    Attributes:
        path: the file.
        size: its bytes.
        episodes: how many it shows.
        summaries: of each run, in the page's order.
        notes: what its owner may want to know.
    """

    path: Path
    size: int
    episodes: int
    summaries: tuple[Summary, ...]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The view as JSON-ready data."""
        runs = [summary.to_dict() for summary in self.summaries]
        whole = {"page": str(self.path), "bytes": self.size, "episodes": self.episodes}
        return {**whole, "runs": runs, "notes": list(self.notes)}


def write_view(run: str | Path, other: str | Path | None = None, out: str | Path | None = None) -> View:
    """Writes the page of a run, or of several.

    The page is one file of HTML that fetches nothing, and runs no script but its own: what came from the web or from
    models is held as data, and shown as text.

    Args:
        run: what :func:`~webenv.viewing.runs.read_runs` reads.
        other: another, to be read beside it: episodes of one task and attempt side by side.
        out: the file; ``view.html`` in the folder of ``run`` by default.

    Raises:
        RunError: if a run cannot be read, or the page not be written: then nothing of it is left.
        InvalidArgument: if both are one run, or a run is kept in the file.
    """
    path = _target(Path(run)) if out is None else Path(out)
    if path.is_dir():
        raise InvalidArgument(f"out={str(path)!r} is a folder; name a file, as in {path / PAGE}.")
    check_output(path, run, *() if other is None else (other,))
    pool = TextPool()
    groups = [read_runs(run, pool)] + ([] if other is None else [read_runs(other, pool)])
    runs = labelled(groups)
    pair = None if other is None else _first_pair(runs, len(groups[0]))
    data = page_data(runs, pool, pair)
    text = render(data, _title(runs))
    write_atomic(path, text)
    notes = [note for one in runs for note in one.notes]
    if pair is not None and not _share(runs[pair[0]], runs[pair[1]]):
        notes.append(f"{run} and {other} share no task and attempt: there is nothing to lay side by side.")
    if len(text) > _LARGE:
        notes.append(f"The page has {len(text) / 1e6:,.0f} MB: a browser may take long to open it.")
    return View(
        path, len(text.encode(errors="replace")), len(data.overview["episodes"]), tuple(data.summaries), tuple(notes)
    )


def render(data: PageData, title: str) -> str:
    """The page's HTML.

    Data stand in it as Base64 of zlib, in which no character means anything to HTML. Style and script are allowed by
    their digests, so that no other can run, whatever a text should hold.
    """
    static = resources.files(__package__) / "static"
    style = (static / "style.css").read_text(encoding="utf-8")
    parts = [(static / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS]
    script = "(() => {\n'use strict';\n" + "\n".join(parts) + "})();\n"
    page = (static / "page.html").read_text(encoding="utf-8")
    blocks = [_element(f"episodes-{n}", block) for n, block in enumerate(data.episodes)]
    blocks += [_element(f"texts-{n}", block) for n, block in enumerate(data.texts)]
    for name, value in {
        "title": html.escape(title),
        "style-digest": _digest(style),
        "script-digest": _digest(script),
        "style": style,
        "script": script,
        "overview": _element("overview", data.overview),
        "blocks": "\n".join(blocks),
    }.items():
        page = page.replace(f"<!--{name}-->", value)
    return page


def _element(name: str, value: object) -> str:
    packed = base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 6)).decode()
    return f'<script type="application/x-webenv" id="{name}">{packed}</script>'


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _target(run: Path) -> Path:
    return (run.parent if run.is_file() else run) / PAGE


def _title(runs: Sequence[ViewedRun]) -> str:
    envs = dict.fromkeys(str(run.part("env").get("id", "")) for run in runs)
    labels = ", ".join(run.label for run in runs) if len(runs) <= _NAMED else f"{len(runs)} runs"
    return f"{' and '.join(filter(None, envs))}: {labels}".removeprefix(": ")


def _first_pair(runs: Sequence[ViewedRun], first: int) -> tuple[int, int]:
    """Two runs of the two folders, of one policy if there are such."""
    pairs = [(a, b) for a in range(first) for b in range(first, len(runs))]
    return next((pair for pair in pairs if runs[pair[0]].policy == runs[pair[1]].policy), pairs[0])


def _share(first: ViewedRun, second: ViewedRun) -> bool:
    return not {one.record.key for one in first.episodes}.isdisjoint(one.record.key for one in second.episodes)
