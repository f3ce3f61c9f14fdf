"""One HTML file that shows runs, whole in itself: its data, and the page."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument
from webenv.evaluation.run_dir import check_output
from webenv.evaluation.summary import Summary, summarize
from webenv.evaluation.trust import recorded_module
from webenv.judge import VerdictDict
from webenv.runtime.files import write_atomic
from webenv.viewing.facts import STAGES, GoldNames, facts_of, follow
from webenv.viewing.runs import ViewedEpisode, ViewedRun, labelled, natural, read_runs
from webenv.viewing.trajectory import TextPool

_EPISODES = 40  # of a block
_FOUND = 2_000  # characters of an episode's actions that a search looks through


class PageData(NamedTuple):
    """What a page holds.

    Attributes:
        overview: runs, their summaries, and one row for each episode.
        episodes: the episodes' turns and verdicts, in blocks, texts by their numbers.
        texts: the texts, in blocks.
        summaries: of each run.
    """

    overview: dict[str, Any]
    episodes: list[list[dict[str, Any]]]
    texts: list[list[str]]
    summaries: list[Summary]


def page_data(runs: Sequence[ViewedRun], pool: TextPool, pair: tuple[int, int] | None) -> PageData:
    """What the page of these runs holds."""
    texts = [text for block in pool.blocks() for text in block]
    gold = _gold_names(runs)
    questions: dict[str, int] = {}
    rows: list[dict[str, Any]] = []
    blocks: list[list[dict[str, Any]]] = []
    for number, run in enumerate(runs):
        for episode in run.episodes:
            detail, stage = _detail(episode, pool, texts, gold)
            if not blocks or len(blocks[-1]) >= _EPISODES:
                blocks.append([])
            blocks[-1].append(detail)
            place = {"block": len(blocks) - 1, "at": len(blocks[-1]) - 1}
            question = questions.setdefault(episode.record.question, len(questions))
            rows.append({"run": number, **place, "question": question, **_row(episode, stage, texts)})
    summaries = [_summary(run) for run in runs]
    overview = {
        "stages": STAGES,
        "pair": pair,
        "runs": [_about(run, summary) for run, summary in zip(runs, summaries, strict=True)],
        "questions": list(questions),
        "episodes": rows,
        "starts": pool.starts,
    }
    return PageData(overview, blocks, pool.blocks(), summaries)


def _gold_names(runs: Sequence[ViewedRun]) -> dict[tuple[str, tuple[str, ...]], GoldNames]:
    """The gold pages of each task, by its id and gold, as all episodes of it show them."""
    names: dict[tuple[str, tuple[str, ...]], GoldNames] = {}
    for run in runs:
        for episode in run.episodes:
            urls = episode.record.gold["urls"]
            names.setdefault((episode.record.task, tuple(urls)), GoldNames(urls)).learn(episode.record.seen)
    return names


def _row(episode: ViewedEpisode, stage: str, texts: Sequence[str]) -> dict[str, Any]:
    """What the list shows, filters and searches; the verdicts of other judges that turn it are counted."""
    record, row = episode.record, episode.row
    found = " ".join(texts[text] for turn in episode.trajectory.turns for text in turn.texts)
    turned = [one for one in episode.others if _turned(one.found.verdict, record.verdict)]
    return {
        "task": record.task,
        "attempt": record.attempt,
        "tags": dict(record.tags),
        "outcome": row.outcome,
        "value": row.value,
        "reward": row.reward,
        "spent": [row.searches, row.visits, row.asks, row.turns],
        "stage": stage,
        "turned": len(turned),
        "found": f"{found[:_FOUND]} {record.verdict['explanation'][:300]}",
    }


def _turned(first: VerdictDict, second: VerdictDict) -> bool:
    """Whether one judge found right what the other found wrong."""
    one, two = first["value"], second["value"]
    return one is not None and two is not None and (one >= 1.0) != (two >= 1.0)


def _detail(
    episode: ViewedEpisode,
    pool: TextPool,
    texts: Sequence[str],
    gold: Mapping[tuple[str, tuple[str, ...]], GoldNames],
) -> tuple[dict[str, Any], str]:
    """What the page shows of an episode when it is opened; and how far it came."""
    record, trajectory = episode.record, episode.trajectory
    names = gold[record.task, tuple(record.gold["urls"])]
    trail = follow(trajectory, texts, record.gold, names, record.verdict["value"])
    others = [
        {"name": one.name, "verdict": one.found.verdict, "reward": one.found.reward, "stale": one.stale}
        for one in episode.others
    ]
    detail = {
        "seed": record.seed,
        "ending": record.ending,
        "verdict": record.verdict,
        "terms": dict(episode.terms),
        "gold": record.gold,
        "goldUrls": trail.urls,
        "goldCopies": trail.copies,
        "facts": facts_of(record, trajectory, texts, trail),
        "others": others,
        "turns": [turn.to_data() for turn in trajectory.turns],
        "needs": pool.blocks_of(trajectory.numbers()),
    }
    return detail, trail.stage


def _summary(run: ViewedRun) -> Summary:
    seed = run.about.get("seed")
    return summarize(
        [episode.row for episode in run.episodes],
        env=str(run.part("env").get("id", "")),
        policy=run.policy,
        label=run.label,
        seed=seed if isinstance(seed, int) else 0,
        folder=run.path,
        notes=run.notes,
    )


def _about(run: ViewedRun, summary: Summary) -> dict[str, Any]:
    tags = {
        tag: {value: groups[value] for value in sorted(groups, key=natural)}
        for tag, groups in summary.to_dict()["by_tag"].items()
    }
    return {
        "label": run.label,
        "folder": run.folder if run.about else None,
        "module": recorded_module(run.about),
        "env": summary.env,
        "policy": dict(run.part("policy")),
        "judge": run.judge,
        "judgeIdentity": dict(run.part("benchmark", "judge")),
        "weights": dict(run.part("benchmark", "reward", "weights")),
        "facts": list(_identity(run)),
        "notes": list(run.notes),
        "total": summary.to_dict()["total"],
        "byTag": tags,
        "outcomes": dict(summary.outcomes),
        "unscored": dict(summary.unscored),
    }


def _identity(run: ViewedRun) -> Iterator[tuple[str, str]]:
    """What a run is, in pairs of a name and a text."""
    tasks, web, budget = run.part("benchmark", "tasks"), run.part("benchmark", "web"), run.part("benchmark", "budget")
    versions = run.part("versions")
    yield "folder", run.path
    for name, part in (
        ("environment", run.part("env").get("id")),
        ("policy", run.policy),
        ("judge", run.judge),
        ("tasks", tasks.get("name")),
        ("web", web.get("name")),
        ("budget", ", ".join(f"{unit} {limit}" for unit, limit in budget.items() if limit is not None)),
        ("seed", run.about.get("seed")),
        ("webenv", versions.get("webenv")),
    ):
        if part not in (None, ""):
            yield name, str(part)


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
