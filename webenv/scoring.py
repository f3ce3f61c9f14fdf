"""Score: what finished episodes come to, by their judge and their reward."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeVar

from webenv.benchmark import Benchmark
from webenv.errors import JudgeError, ServiceError, WebenvError, WebError
from webenv.judge import Judge, Submission, Verdict, identity_digest, is_concurrent
from webenv.web import Failure, TimedBatch

ResponseT = TypeVar("ResponseT")


class Score(NamedTuple):
    """What a finished episode came to.

    Attributes:
        verdict: what was found.
        identity: the digest of the judge that found it; empty where no judge did.
        terms: the reward terms, all but ``cost``; none where the episode is unscored.
    """

    verdict: Verdict
    identity: str
    terms: Mapping[str, float]


def score_batch(
    benchmark: Benchmark,
    submissions: Sequence[Submission],
    ruled: Sequence[Verdict | None],
    verdicts: Sequence[Verdict] | None = None,
) -> list[Score]:
    """Scores finished episodes: one call of the judge, and one of the reward for those that are scored.

    The judge sees those without an answer too: one that it cannot score (a task that the web
    cannot answer) is unscored whatever the agent did; else the rules' verdict stands. One whose
    reward gives a failure for its terms is unscored too.

    Args:
        benchmark: whose judge and reward.
        submissions: the episodes.
        ruled: of each, the verdict of the rules where it ended without an answer.
        verdicts: what the judge found already (:func:`judge_batch`); ``None``: it is asked.

    Raises:
        WebenvError: for a judge or a reward that does not keep to its protocol.
    """
    if not submissions:
        return []
    given = judge_batch(benchmark.judge, submissions) if verdicts is None else verdicts
    digest = identity_digest(benchmark.judge.identity)
    found = [
        Score(replace(rule, scores=verdict.scores), "", {})  # so that silence raises no mean of a score
        if rule is not None and verdict.scored
        else Score(verdict, digest, {})
        for rule, verdict in zip(ruled, given, strict=True)
    ]
    scored = [n for n, score in enumerate(found) if score.verdict.scored]
    if scored:
        terms = benchmark.reward.terms([submissions[n] for n in scored], [found[n].verdict for n in scored])
        _check_length("Reward.terms", len(scored), len(terms))
        for n, of_one in zip(scored, terms, strict=True):
            if isinstance(of_one, Failure):
                found[n] = Score(Verdict.unscored(of_one.reason, "reward"), "", {})
            else:
                found[n] = found[n]._replace(terms=of_one)
    return found


def judge_batch(judge: Judge, submissions: Sequence[Submission]) -> list[Verdict]:
    """One call of a judge for a batch, none for nothing; where it fails as a whole, each is unscored.

    A :class:`webenv.errors.JudgeError` of a judge that waits for nobody is of some of the batch: its submissions are
    judged one by one, and those that fail alone are unscored.

    Raises:
        WebenvError: if it does not give one verdict for each submission.
    """
    if not submissions:
        return []
    try:
        given = judge.score(submissions)
    except (ServiceError, OSError) as error:
        alone = isinstance(error, JudgeError) and not is_concurrent(judge)
        if alone and len(submissions) > 1:
            return [verdict for one in submissions for verdict in judge_batch(judge, [one])]
        return [Verdict.unscored(str(error) or type(error).__name__, judge.identity["name"])] * len(submissions)
    _check_length("Judge.score", len(submissions), len(given))
    if not all(isinstance(verdict, Verdict) for verdict in given):
        raise WebenvError(f"Judge.score returned {given!r:.100}; it must return a list of Verdict.")
    return list(given)


def last_reward(weights: Mapping[str, float], score: Score, cost: float) -> float:
    """The reward of an episode's last step: the weighted sum of its terms; 0 where it is unscored.

    Args:
        weights: of the terms.
        score: what the episode came to.
        cost: the term ``cost`` of that step.
    """
    if not score.verdict.scored:
        return 0.0
    terms = {**score.terms, "cost": cost}
    return float(sum(weight * terms.get(name, 0.0) for name, weight in weights.items()))


def call_batch(name: str, call: Callable[[], Sequence[ResponseT]], count: int) -> list[ResponseT | Failure]:
    """One call of a web for a batch, none for nothing; where it fails as a whole, each request failed.

    Args:
        name: what is called, for the message.
        call: sends the batch.
        count: how many requests it has.

    Raises:
        WebenvError: if it does not give one response for each request.
    """
    if not count:
        return []
    try:
        responses = call()
    except (WebError, OSError) as error:
        return [Failure(str(error) or type(error).__name__)] * count
    _check_length(name, count, len(responses))
    return responses if isinstance(responses, TimedBatch) else list(responses)


def _check_length(name: str, sent: int, received: int) -> None:
    if sent != received:
        raise WebenvError(f"{name} was given {sent} items and returned {received}; it must return one for each.")
