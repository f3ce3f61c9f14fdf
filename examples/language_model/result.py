"""Results: what was reached on held-out tasks, and the curve of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from webenv.errors import InvalidArgument


def rise(start: Sequence[float | None], end: Sequence[float | None]) -> dict[str, float]:
    """How much more success there is at the end than at the start, over the tasks that were scored both times.

    Args:
        start: the value of each task, ``None`` where unscored.
        end: the same tasks.

    Returns:
        ``start``, ``end`` and ``rise`` as shares, ``low`` and ``high`` of its 95% interval (bootstrap over tasks,
        paired, 10,000 draws), and how many ``tasks`` were compared and were ``unscored``.
    """
    pairs = np.array([(a >= 0.5, b >= 0.5) for a, b in zip(start, end, strict=True) if a is not None and b is not None])
    if not len(pairs):
        raise InvalidArgument("no task was scored both times: there is nothing to compare.")
    each = pairs[:, 1].astype(float) - pairs[:, 0]
    rng = np.random.default_rng(0)
    means = [rng.choice(each, len(each)).mean() for _ in range(10_000)]
    low, high = np.quantile(means, (0.025, 0.975))
    return {
        "start": float(pairs[:, 0].mean()),
        "end": float(pairs[:, 1].mean()),
        "rise": float(each.mean()),
        "low": float(low),
        "high": float(high),
        "tasks": len(pairs),
        "unscored": len(start) - len(pairs),
    }


def mean(values: Sequence[float | None]) -> float:
    """The share of the scored tasks that were solved; nan where none was scored."""
    scored = [value >= 0.5 for value in values if value is not None]
    return float(np.mean(scored)) if scored else float("nan")


def draw(out: Path, result: Mapping[str, Any]) -> None:
    """The success of each update's batch, and on held-out tasks before and after."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        print("no curve.png: that needs matplotlib, pip install '.[plot]'")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    path = out / "progress.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    if not lines:
        return
    minutes = np.array([line["minutes"] for line in lines])
    success = 100 * np.array([line["success"] for line in lines])
    span = min(8, len(lines))
    smooth = np.convolve(success, np.ones(span) / span, "valid")
    figure, axes = pyplot.subplots(figsize=(7, 4))
    axes.plot(minutes, success, ".", color="#9cc3ee", markersize=4, label="batch, training worlds")
    axes.plot(minutes[span - 1 :], smooth, color="#2a78d6", label=f"mean of {span} batches")
    held = result["sampled"]
    axes.plot(
        [minutes[0], minutes[-1]],
        [100 * held["start"], 100 * held["end"]],
        "o--",
        color="#d6452a",
        label=f"{result['split']} worlds, sampled",
    )
    axes.set(xlabel="minutes", ylabel="success, %", ylim=(0, None))
    axes.set_title(f"GRPO after imitation, seed {result['seed']}")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(out / "curve.png", dpi=120)
    pyplot.close(figure)
