"""The Judge: scores answers; and the Reward: turns a scored episode into terms.

Both take batches and depend on nothing but what a :class:`Submission` holds.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import ClassVar, NamedTuple, Protocol, TypedDict, runtime_checkable

from webenv.budget import Budget, Spending
from webenv.errors import InvalidArgument
from webenv.observations import Page, Reply
from webenv.task import Task
from webenv.web import Failure, VisitResponse


class Seen(NamedTuple):
    """A page that came before the agent, as a result, a page or a document; ``key`` as in ``Result``."""

    url: str
    key: str


@dataclass(frozen=True, slots=True)
class Submission:
    """A finished episode, as a judge gets it.

    Attributes:
        task: the task, with its gold.
        ending: why the episode ended: ``answered``, or the reason of the rules that ended it.
        answer: what the agent answered, read by the rules (for Needle in the Web: one URL); of a ranking every text,
            best first and repeats included; empty where it gave no answer.
        pages: what came of fetching each text of ``answer``, in its order, where the rules fetch them; else empty.
        gold: what came of fetching each of ``task.gold.urls``, in their order.
        seen: the pages that came before the agent, each URL once, in the order of first sight.
        budget: the limits of the episode.
        spending: what was spent of them.
        replies: what the content agents replied that the agent asked, in order.
        ranked: whether the answer is a ranking: the rules take more than one text, however many were given.
        shown: the pages that came before the agent with their texts, where the rules keep them.
    """

    task: Task
    ending: str
    answer: tuple[str, ...]
    pages: tuple[VisitResponse, ...]
    gold: tuple[VisitResponse, ...]
    seen: tuple[Seen, ...]
    budget: Budget
    spending: Spending
    replies: tuple[Reply, ...] = ()
    ranked: bool = False
    shown: tuple[Page, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.answer, str):
            raise InvalidArgument(f"Submission(answer={self.answer!r:.80}): expected a tuple of texts, not a text.")

    @property
    def first(self) -> str:
        """The first text of the answer; empty where there is none."""
        return self.answer[0] if self.answer else ""

    @property
    def text(self) -> str:
        """The whole answer as one text: of several texts a line each."""
        return "\n".join(self.answer)

    @property
    def page(self) -> VisitResponse | None:
        """What came of fetching the first text of the answer; ``None`` where it was not fetched."""
        return self.pages[0] if self.pages else None


class VerdictDict(TypedDict):
    """A verdict as it stands in ``info["verdict"]`` and in the record of a run.

    ``identity`` is the :func:`identity_digest` of the judge that found it, whose whole identity stands in
    ``run.json``; empty where no judge did: the rules, or a web or a policy that failed. ``scores`` may be empty.
    """

    outcome: str
    value: float | None
    explanation: str
    judge: str
    identity: str
    scores: dict[str, float]


def identity_digest(identity: Mapping[str, object]) -> str:
    """A judge's identity in short: 12 hex digits of the SHA-256 of its names and values, in the names' order.

    >>> identity_digest({"version": "1", "name": "page"})
    '5c684241afea'
    """
    named = {str(name): str(value) for name, value in identity.items()}
    return hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found.

    Attributes:
        outcome: a word of the benchmark's own, such as ``wrong_page``; ``unscored`` without a value.
        value: the score, from 0 (wrong) to 1 (right); ``None``: the judge came to no verdict.
        explanation: why, for a person to read.
        judge: who found it: the name of a judge, or ``rules``; ``reward`` where terms could not be told.
        scores: other numbers by name, of any range, such as ``row_f1`` or ``confidence``.
    """

    outcome: str
    value: float | None
    explanation: str
    judge: str
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name, number in self.scores.items():
            if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
                raise InvalidArgument(f"a verdict's score {name!r} is {number!r:.80}: expected a finite number.")
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise InvalidArgument(f"a verdict's value is {self.value!r}: expected 0 to 1, or None where there is none.")
        if (self.value is None) != (self.outcome == "unscored"):
            raise InvalidArgument(
                f"a verdict of outcome {self.outcome!r} has the value {self.value!r}: "
                "'unscored' is the outcome without a value, and the only one."
            )

    @classmethod
    def unscored(cls, reason: str, judge: str) -> Verdict:
        """No verdict: the judge, or what it needed, failed."""
        return cls("unscored", None, reason, judge)

    @property
    def scored(self) -> bool:
        """Whether there is a value."""
        return self.value is not None

    def to_dict(self, identity: str = "") -> VerdictDict:
        """The verdict as plain data.

        Args:
            identity: the :func:`identity_digest` of the judge that found it; empty: no judge did.
        """
        return {
            "outcome": self.outcome,
            "value": self.value,
            "explanation": self.explanation,
            "judge": self.judge,
            "identity": identity,
            "scores": dict(self.scores),
        }


@runtime_checkable
class Judge(Protocol):
    """Scores answers, a batch at a time.

    Two attributes may say more of it, and are inherited as any others: :class:`ConcurrentJudge` and
    :class:`OfflineJudge`.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """Who judges, for the record of a run: ``name``, ``version``, and whatever else a verdict
        depends on (model, hash of the prompt, version of the parser). ``holds``: ``key`` stands in that
        of a judge whose verdicts are true as they are, so that others are audited by it."""
        ...

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order. What cannot be judged is unscored, never 0.

        May raise :class:`webenv.errors.JudgeError`: each submission is then judged alone, and one that fails so is
        unscored. A judge that is ``concurrent`` is not asked again, so that no model is paid twice: it gives
        ``Verdict.unscored`` for what failed, and where it raises, its whole batch is unscored. So it is where any
        judge raises another :class:`webenv.errors.ServiceError`, or an ``OSError``: whom it asks is down.
        """
        ...


@runtime_checkable
class ConcurrentJudge(Protocol):
    """A judge that waits for others, such as a model, and whose ``score`` may run in any thread, also twice at once.

    Where ``concurrent`` is true it is asked while the web is searched, and never again for the same batch.
    """

    concurrent: bool


@runtime_checkable
class OfflineJudge(Protocol):
    """A judge that says whether it asks anybody; one that does not say so does.

    Where ``asks`` is false a cassette does not record its verdicts, as it can judge anew. A subclass that asks after
    all has to say ``asks = True``.
    """

    asks: bool


class RuleJudge(ABC):
    """A judge by rule, one submission after another; asks no model.

    Attributes:
        name: its name.
        version: of its rules.
        holds: ``key`` where its verdicts are true as they are, so that others are audited by it; else empty.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    holds: ClassVar[str] = "key"
    asks = False

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, and whether it holds the key."""
        return {"name": self.name, "version": self.version} | ({"holds": self.holds} if self.holds else {})

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return [self._score(submission) for submission in submissions]

    @abstractmethod
    def _score(self, submission: Submission) -> Verdict: ...


def is_concurrent(judge: Judge) -> bool:
    """Whether a judge may be asked in another thread, and only once."""
    return isinstance(judge, ConcurrentJudge) and judge.concurrent


def asks_others(judge: Judge) -> bool:
    """Whether a judge's verdicts depend on anybody else."""
    return not isinstance(judge, OfflineJudge) or judge.asks


@runtime_checkable
class Reward(Protocol):
    """Turns finished episodes into reward terms and their weighted sum."""

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each term; the reward is the weighted sum of the terms."""
        ...

    def terms(
        self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]
    ) -> Sequence[Mapping[str, float] | Failure]:
        """The terms of each finished episode; called only with verdicts that are scored.

        A ``Failure`` where a term that has a weight needs what could not be had: the episode is unscored.
        """
        ...
