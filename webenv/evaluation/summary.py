"""Summary: what a run came to, in numbers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from types import MappingProxyType
from typing import Any, NamedTuple

from webenv.models import Usage
from webenv.rewards.browsecomp import CONFIDENCE, calibration_error
from webenv.rewards.llm_grader import QUOTED
from webenv.rollout.record import Record
from webenv.runtime.text import one_line

MOST_VALUES = 20
"""The most values that a tag may have to be reported by."""

_KNOWN_OF_SOME = ("searches", "visits", "seconds", "dollars")
_CAUSE = 120  # characters of a cause
_URL = re.compile(r"https?://[^\s'\"]+")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?<=\d)")
_Z = 1.959963984540054  # 97.5% point of the normal distribution


def wilson(successes: int, episodes: int) -> tuple[float, float]:
    """The 95% interval of a success rate, by Wilson's score method.

    ``(p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n)`` with p = successes / n and z = 1.96. It
    takes episodes for independent: several attempts at one task make it narrower than it should be.

    Source: Wilson 1927, Journal of the American Statistical Association 22 (158).

    Args:
        successes: 0 to ``episodes``.
        episodes: n, at least 1.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    share, z2 = successes / episodes, _Z * _Z
    middle = share + z2 / (2 * episodes)
    spread = _Z * math.sqrt(share * (1 - share) / episodes + z2 / (4 * episodes * episodes))
    low, high = ((middle + side) / (1 + z2 / episodes) for side in (-spread, spread))
    return (0.0 if successes == 0 else low, 1.0 if successes == episodes else high)


class Row(NamedTuple):
    """What a summary needs of one record; ``invalid`` counts the turns that held no action, and ``None`` is what a
    system elsewhere did not report."""

    task: str
    attempt: int
    tags: Mapping[str, str]
    value: float | None
    outcome: str
    reason: str
    reward: float
    searches: int | None
    visits: int | None
    asks: int
    turns: int
    invalid: int = 0
    scores: Mapping[str, float] = MappingProxyType({})
    seconds: float | None = None
    dollars: float | None = None

    @classmethod
    def of(cls, record: Record) -> Row:
        """The row of a record; ``reason`` is why it is unscored, empty if it is scored."""
        verdict, spent = record.verdict, record.spent
        unknown = spent.get("unknown", ())
        return cls(
            task=record.task,
            attempt=record.attempt,
            tags=record.tags,
            value=verdict["value"],
            outcome=verdict["outcome"],
            reason="" if record.scored else f"{record.ending}: {verdict['explanation']}",
            reward=record.reward,
            searches=None if "searches" in unknown else spent["searches"],
            visits=None if "visits" in unknown else spent["visits"],
            asks=spent["asks"],
            turns=spent["turns"],
            invalid=sum(turn.kind == "invalid" for turn in record.turns),
            scores=verdict["scores"],
            seconds=spent.get("seconds"),
            dollars=spent.get("dollars"),
        )

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.attempt

    @property
    def scored(self) -> bool:
        return self.value is not None

    @property
    def success(self) -> bool:
        """Whether the value is that of a right answer: 1."""
        return self.value is not None and self.value >= 1.0


@dataclass(frozen=True, slots=True)
class Group:
    """Episodes taken together. All means are over scored episodes; ``None`` where there are none.

    Attributes:
        episodes: how many were played.
        unscored: how many of these came to no verdict.
        successes: how many have the value 1.
        success_rate: successes / scored episodes, 0 to 1.
        interval: the 95% interval of the success rate (:func:`wilson`), 0 to 1.
        value: the mean value, 0 to 1; the success rate where no answer is partly right.
        reward: the mean sum of rewards.
        searches: the mean number of searches spent, over the episodes of which it is known; ``visits``, ``asks`` and
            ``turns`` likewise.
        scores: the mean of each of the verdicts' named scores, over the episodes that have it.
        seconds: the mean number of seconds, where they are data; ``dollars`` likewise.
    """

    episodes: int
    unscored: int
    successes: int
    success_rate: float | None
    interval: tuple[float, float] | None
    value: float | None
    reward: float | None
    searches: float | None
    visits: float | None
    asks: float | None
    turns: float | None
    scores: Mapping[str, float] = field(default_factory=dict)
    seconds: float | None = None
    dollars: float | None = None


class Trials(NamedTuple):
    """Several attempts at each task: means over the tasks of their mean, highest and lowest number (WideSearch's Avg@N,
    Max@N and Min@N). Attempts that are unscored are left out, and so are tasks without any other."""

    mean: float
    highest: float
    lowest: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run came to.

    Attributes:
        env: the environment's id.
        policy: the policy's name.
        label: what tables call the run: its policy, or what sets it apart from others.
        seed: the seed of the run.
        folder: where its records are.
        total: all episodes.
        by_tag: for each tag with at most 20 values, each value's episodes; in the order of the
            task set.
        outcomes: how often each outcome came, most frequent first, among scored episodes.
        unscored: how often each cause came (:func:`cause_of`), most frequent first, among the others.
        trials: where tasks were played several times: of the value and each score, what several attempts come to.
        calibration: how far stated confidence is from accuracy, where verdicts have the score ``confidence``
            (:func:`webenv.rewards.browsecomp.calibration_error`, 5 bins); else ``None``.
        notes: what happened to the run folder that its owner may want to know.
        warning: what seems wrong with the run; empty as a rule.
        usage: what each of the run's models was asked for, and what it cost.
    """

    env: str
    policy: str
    label: str
    seed: int
    folder: str
    total: Group
    by_tag: Mapping[str, Mapping[str, Group]]
    outcomes: Mapping[str, int]
    unscored: Mapping[str, int]
    notes: tuple[str, ...] = field(default=())
    warning: str = ""
    usage: Mapping[str, Usage] = field(default_factory=dict)
    trials: Mapping[str, Trials] = field(default_factory=dict)
    calibration: float | None = None

    def to_dict(self) -> dict[str, Any]:
        trials = {name: one._asdict() for name, one in self.trials.items()}
        return {**asdict(self), "usage": {name: one.to_dict() for name, one in self.usage.items()}, "trials": trials}


def summarize(
    rows: Sequence[Row],
    *,
    env: str,
    policy: str,
    seed: int,
    folder: str,
    label: str = "",
    notes: Sequence[str] = (),
    warning: str = "",
    usage: Mapping[str, Usage] | None = None,
) -> Summary:
    """The summary of a run, from one row for each episode; their order is the order of tags and values.

    Without a label, tables call the run by its policy.
    """
    return Summary(
        env=env,
        policy=policy,
        label=label or policy,
        seed=seed,
        folder=folder,
        total=group_rows(rows),
        by_tag=_by_tag(rows),
        outcomes=most_frequent(row.outcome for row in rows if row.scored),
        unscored=most_frequent(cause_of(row.reason) for row in rows if not row.scored),
        trials=_trials(rows),
        calibration=_calibration(rows),
        notes=tuple(notes),
        warning=warning,
        usage=dict(usage or {}),
    )


def group_rows(rows: Sequence[Row]) -> Group:
    """Takes episodes together.

    A row without a value counts as unscored, and nowhere else.
    """
    scored = [row for row in rows if row.value is not None]
    successes = sum(row.success for row in scored)

    def mean(name: str) -> float | None:
        return fmean(getattr(row, name) for row in scored) if scored else None

    return Group(
        episodes=len(rows),
        unscored=len(rows) - len(scored),
        successes=successes,
        success_rate=successes / len(scored) if scored else None,
        interval=wilson(successes, len(scored)) if scored else None,
        **{name: mean(name) for name in ("value", "reward", "asks", "turns")},
        scores=_mean_scores(scored),
        **{name: _mean_known([getattr(row, name) for row in scored]) for name in _KNOWN_OF_SOME},
    )


def _mean_known(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return fmean(known) if known else None


def _mean_scores(rows: Sequence[Row]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, number in row.scores.items():
            found.setdefault(name, []).append(number)
    return {name: fmean(numbers) for name, numbers in found.items()}


def cause_of(reason: str) -> str:
    """Why an episode is unscored, without what differs from episode to episode: quoted replies, URLs and numbers.

    >>> cause_of("answered: attempt 3: the reply holds no single verdict: …Well, 7")
    'answered: attempt N: the reply holds no single verdict'
    >>> cause_of("answered: https://a.example/1?q=2 could not be fetched: it took 31.5 s")
    'answered: URL could not be fetched: it took N s'
    """
    cause = _NUMBER.sub("N", _URL.sub("URL", reason.partition(QUOTED)[0]))
    return one_line(cause, _CAUSE)


def _trials(rows: Sequence[Row]) -> dict[str, Trials]:
    numbers: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        for name, number in ({"value": row.value, **row.scores} if row.value is not None else {}).items():
            numbers.setdefault(name, {}).setdefault(row.task, []).append(number or 0.0)
    if not any(row.attempt for row in rows):
        return {}
    return {
        name: Trials(*(fmean(map(of, by_task.values())) for of in (fmean, max, min)))
        for name, by_task in numbers.items()
    }


def _calibration(rows: Sequence[Row]) -> float | None:
    stated = [(row.scores[CONFIDENCE], row.success) for row in rows if row.scored and CONFIDENCE in row.scores]
    return calibration_error([one for one, _ in stated], [right for _, right in stated]) if stated else None


def _by_tag(rows: Sequence[Row]) -> dict[str, dict[str, Group]]:
    found: dict[str, dict[str, list[Row]]] = {}
    for row in rows:
        for tag, value in row.tags.items():
            found.setdefault(tag, {}).setdefault(value, []).append(row)
    return {
        tag: {value: group_rows(members) for value, members in values.items()}
        for tag, values in found.items()
        if len(values) <= MOST_VALUES
    }


def most_frequent(words: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """How often each word came, the most frequent first, ties by the alphabet."""
    return dict(sorted(Counter(words).items(), key=lambda item: (-item[1], item[0])))
