"""PageData: what a page holds, as JSON-ready data: an overview, and blocks that are read when they are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from webenv.evaluation.summary import Summary, summarize
from webenv.evaluation.trust import recorded_module
from webenv.judge import VerdictDict
from webenv.viewing.facts import facts_of
from webenv.viewing.gold import STAGES, GoldNames, follow
from webenv.viewing.pool import TextPool
from webenv.viewing.runs import ViewedEpisode, ViewedRun, natural

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
    """What the page of these runs holds.

    Args:
        runs: the runs.
        pool: their texts.
        pair: numbers of the two runs that are shown side by side at first.
    """
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
