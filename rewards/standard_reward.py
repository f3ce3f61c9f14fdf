"""The standard reward: measures of a finished episode, terms with their parameters, and their weighted sum."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.ranking import Ranked, ndcg, recall
from webenv.urls import address
from webenv.web import Failure, Missing

_MOST = 1e100
_TERM = re.compile(r"^([^@:]*)([@:]?)(.*)$", re.DOTALL)
_CUTOFF = re.compile(r"[1-9][0-9]{0,8}")
_ALWAYS = ("answer", "recall", "ndcg", "citation")
_COST = "cost"  # the environment's, step by step


class ScoredEpisode(Ranked):
    """A finished episode with its verdict, as measures see it; what several of them need is found once.

    Args:
        submission: the episode.
        verdict: its verdict, which has a value.
    """

    def __init__(self, submission: Submission, verdict: Verdict) -> None:
        super().__init__(submission)
        self.verdict = verdict


class Term(NamedTuple):
    """A measure with its parameter: ``ndcg``, ``ndcg@3``, ``score:item_f1``.

    Attributes:
        measure: the measure's name.
        cutoff: how many ranks count, from 1; ``None``: all.
        of: the name that stands behind a colon; empty: none.
    """

    measure: str
    cutoff: int | None = None
    of: str = ""

    def __str__(self) -> str:
        return self.measure + (f"@{self.cutoff}" if self.cutoff else "") + (f":{self.of}" if self.of else "")

    @classmethod
    def parse(cls, text: object, measures: Mapping[str, Measure]) -> Term:
        """The term of a text.

        Raises:
            InvalidArgument: for an unknown measure, or a parameter that it does not take.

        >>> Term.parse("ndcg@3", MEASURES), Term.parse("score:item_f1", MEASURES)
        (Term(measure='ndcg', cutoff=3, of=''), Term(measure='score', cutoff=None, of='item_f1'))
        """
        name, mark, given = _TERM.findall(text if isinstance(text, str) else repr(text))[0]
        if name not in measures and name != _COST:
            raise InvalidArgument(f"the reward has no term {text!r:.80}. {did_you_mean(name, (*measures, _COST))}")
        parameter = measures[name].parameter if name in measures else "none"
        right = {
            "none": not mark,
            "cutoff": not mark or (mark == "@" and _CUTOFF.fullmatch(given)),
            "name": mark == ":" and given,
        }
        if not right[parameter]:
            raise InvalidArgument(f"reward term {text!r:.80}: expected {_FORMS[parameter].format(name)}.")
        return cls(name, int(given) if mark == "@" else None, given if mark == ":" else "")


class Measure(NamedTuple):
    """What a term measures.

    Attributes:
        value: of an episode, by the term's parameter: a number; a ``Failure`` where what it needs could not be had;
            ``None`` where the task has no such thing, and the term is left out.
        parameter: what a term may name: nothing, a ``cutoff`` (``@3``, or all ranks without one), or a ``name``
            (``:item_f1``), which it then has to name.
    """

    value: Callable[[ScoredEpisode, Term], float | Failure | None]
    parameter: Literal["none", "cutoff", "name"] = "none"


_FORMS = {
    "none": "'{0}' alone, as it takes no parameter",
    "cutoff": "'{0}', or '{0}@3' for the first 3 ranks",
    "name": "'{0}:NAME'",
}


def _answer(episode: ScoredEpisode, term: Term) -> float:
    return episode.verdict.value or 0.0


def _score(episode: ScoredEpisode, term: Term) -> float | None:
    return episode.verdict.scores.get(term.of)


def _recall(episode: ScoredEpisode, term: Term) -> float | Failure | None:
    return _told(episode, recall(episode.ranking, episode.gold_ids, term.cutoff))


def _ndcg(episode: ScoredEpisode, term: Term) -> float | Failure | None:
    return _told(episode, ndcg(episode.ranking, episode.gold_ids, term.cutoff))


def _told(episode: ScoredEpisode, value: float) -> float | Failure | None:
    """A number of the ranking, unless there is no gold, or another name of a page might change it."""
    if not episode.gold_ids:
        return None
    return Failure(episode.unknown) if value < 1.0 and episode.unknown else value


def _citation(episode: ScoredEpisode, term: Term) -> float | Failure:
    """The share of the answered pages that had come before the agent."""
    one = episode.submission
    if not one.answer:
        return 0.0
    urls, keys = set(episode.addresses), {seen.key for seen in one.seen if seen.key}
    cited, answered = 0, dict(zip(one.answer, one.pages or [None] * len(one.answer), strict=True))
    for text, page in answered.items():
        known = address(text) in urls or (isinstance(page, Page) and (address(page.url) in urls or page.key in keys))
        if not known and isinstance(page, Failure):
            return Failure(f"the answered page was not fetched: {page.reason}")
        cited += known and not isinstance(page, Missing)
    return cited / len(answered)


def _seconds(episode: ScoredEpisode, term: Term) -> float:
    return 0.0 - episode.submission.spending.seconds


def _dollars(episode: ScoredEpisode, term: Term) -> float:
    return 0.0 - episode.submission.spending.dollars


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "answer": Measure(_answer),
        "recall": Measure(_recall, "cutoff"),
        "ndcg": Measure(_ndcg, "cutoff"),
        "citation": Measure(_citation),
        "score": Measure(_score, "name"),
        "seconds": Measure(_seconds),
        "dollars": Measure(_dollars),
    }
)
"""The measures of the standard reward, by name; a benchmark may have more."""


class StandardReward:
    """A weighted sum of what an episode achieved.

    =============  ======  =================================================================
    answer         0 to 1  the value of the verdict
    recall         0 to 1  share of the gold pages among those ranked
    recall@k       0 to 1  share of the gold pages among the first k ranked
    ndcg, ndcg@k   0 to 1  NDCG of the pages ranked, or of the first k
    citation       0 to 1  share of the answered pages that had come before the agent, as a
                           result, a page or a document (of a single answer: 0 or 1)
    score:NAME     any     a score that the verdict names, such as ``score:item_f1``
    seconds        ≤ 0     minus the seconds that the episode took, where they are data
    dollars        ≤ 0     minus the US dollars that it spent, where they are data
    cost           −1 to 0 minus the share of searches, visits and asks that a step spent;
                           the environment computes it, step by step
    =============  ======  =================================================================

    Pages are *ranked* by the answer where the rules take a ranking, so that an episode without an answer has 0;
    elsewhere by the order in which they came before the agent. Repeats are dropped, and an id that is no page of the
    web takes its rank.

    A page is the same page under each of its URLs, and so are its copies (pages of one content
    key). A page that the web turned out to lack is never cited. Tasks without gold pages have no
    ``recall`` and no ``ndcg``: nothing was to be found, which is not the same as finding nothing.

    A page whose fetching failed is known by its URL alone, so a term that another URL of it might change is
    left out: ``recall``, ``ndcg`` and ``citation``, unless they are 1 by the URLs that are known. Where such
    a term has a weight that is not 0 the episode is unscored: rescored when the web is back it gets its due.

    Args:
        weights: the weight of each term, any finite number. ``answer`` keeps 1 where it is not named; ``recall``,
            ``ndcg`` and ``citation`` are computed without a weight too.
        measures: what terms there are; a benchmark's own are added to :data:`MEASURES`.

    Raises:
        InvalidArgument: for an unknown term, a parameter that it does not take, or a weight that is no finite number.

    >>> StandardReward({"ndcg@3": 1, "recall@5": 0.2, "cost": 0.1}).weights
    mappingproxy({'answer': 1.0, 'ndcg@3': 1.0, 'recall@5': 0.2, 'cost': 0.1})
    """

    def __init__(self, weights: Mapping[str, float] | None = None, measures: Mapping[str, Measure] = MEASURES) -> None:
        if weights is not None and not isinstance(weights, Mapping):
            raise InvalidArgument(f"weights={weights!r:.80}: expected a mapping, as in {{'recall': 0.2, 'cost': 0.1}}.")
        given = {"answer": 1.0, **(weights or {})}
        terms = [Term.parse(text, measures) for text in given]
        for term, weight in given.items():
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not -_MOST < weight < _MOST:
                raise InvalidArgument(f"weight of {term!r} is {weight!r}: expected a finite number.")
        self._weights = {term: float(weight) for term, weight in given.items()}
        every = dict.fromkeys([*(Term(name) for name in _ALWAYS if name in measures), *terms])
        self._measures = {str(term): (measures[term.measure], term) for term in every if term.measure != _COST}

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each term that has one."""
        return MappingProxyType(self._weights)

    def terms(self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]) -> list[dict[str, float] | Failure]:
        """The terms of each finished episode, all but ``cost``.

        Args:
            submissions: the finished episodes.
            verdicts: their verdicts, all scored.

        Returns:
            For each its terms, or why one that has a weight cannot be told.

        Raises:
            InvalidArgument: for a verdict without a value.
        """
        return [self._terms(one, verdict) for one, verdict in zip(submissions, verdicts, strict=True)]

    def _terms(self, submission: Submission, verdict: Verdict) -> dict[str, float] | Failure:
        if verdict.value is None:
            raise InvalidArgument(
                f"task {submission.task.id!r} is unscored ({verdict.explanation}); "
                "reward terms are of scored episodes alone."
            )
        episode = ScoredEpisode(submission, verdict)
        found = {name: measure.value(episode, term) for name, (measure, term) in self._measures.items()}
        for failure in (one for name, one in found.items() if isinstance(one, Failure) and self._weights.get(name)):
            names = [name for name, one in found.items() if one == failure and self._weights.get(name)]
            return Failure(f"{' and '.join(names)} cannot be told, {failure.reason}")
        return {name: float(value) for name, value in found.items() if isinstance(value, int | float)}
