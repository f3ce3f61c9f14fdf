"""Scores over the same tasks, and how far one side is above another."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean

from webenv.evaluation.report import interval


def difference(first: Mapping[str, float], second: Mapping[str, float]) -> str:
    """The mean of the first less the second over the tasks that both have, with its 95% interval, as text."""
    each = [first[task] - second[task] for task in first if task in second]
    low, high = interval(each)
    span = "" if low is None or high is None else f" [{low:+.1f}, {high:+.1f}]"
    return f"{fmean(each):+.1f}{span}"
