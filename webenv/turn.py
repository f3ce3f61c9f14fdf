"""One turn of many episodes: all the I/O there is, one batch for each kind of request."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from webenv.benchmark import Benchmark
from webenv.episode import Episode, Requests, Responses, Turn
from webenv.errors import ServiceError, WebenvError, WebError
from webenv.judge import Judge, Submission, Verdict
from webenv.observations import Observation
from webenv.web import Failure

__all__ = ["Step", "play_turn"]

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class Step(NamedTuple):
    """What ``step`` returns of one episode.

    ``info`` holds ``task`` (the id) and ``reward_terms``; at the end also ``ending``, ``scored``,
    ``verdict`` and ``spent``.
    """

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def play_turn(benchmark: Benchmark, episodes: Sequence[Episode], actions: Sequence[object]) -> list[Step]:
    """Plays one turn of each episode.

    At most one call of each kind goes out: one search, one visit, one ask, one judgement.

    Args:
        benchmark: what the episodes belong to.
        episodes: the episodes, all running.
        actions: what each agent sent, whatever it is.
    """
    requests = [episode.request(action) for episode, action in zip(episodes, actions, strict=True)]
    started = time.monotonic() if benchmark.budget.seconds is not None else 0.0
    responses = _answer(benchmark, requests)
    seconds = time.monotonic() - started if benchmark.budget.seconds is not None else 0.0
    turns = [episode.receive(got, seconds) for episode, got in zip(episodes, responses, strict=True)]
    verdicts = _judge(benchmark.judge, turns)
    scored = [n for n, verdict in enumerate(verdicts) if verdict is not None and verdict.scored]
    terms = dict(zip(scored, _terms(benchmark, turns, verdicts, scored), strict=True))
    weights = benchmark.reward.weights
    return [
        _step(episode, turn, verdict, terms.get(n), weights)
        for n, (episode, turn, verdict) in enumerate(zip(episodes, turns, verdicts, strict=True))
    ]


def _answer(benchmark: Benchmark, requests: Sequence[Requests]) -> list[Responses]:
    web = benchmark.web
    searches = _batch("Web.search", web.search, [one for each in requests for one in each.searches])
    visits = _batch("Web.visit", web.visit, [one for each in requests for one in each.visits])
    asks = _batch("Web.ask", web.ask, [one for each in requests for one in each.asks])
    responses, s, v, a = [], 0, 0, 0
    for each in requests:
        ends = s + len(each.searches), v + len(each.visits), a + len(each.asks)
        responses.append(Responses(searches[s : ends[0]], visits[v : ends[1]], asks[a : ends[2]]))
        s, v, a = ends
    return responses


def _batch(
    name: str, call: Callable[[Sequence[RequestT]], list[ResponseT]], requests: list[RequestT]
) -> list[ResponseT | Failure]:
    """One call for a batch; where it fails as a whole, each request failed."""
    if not requests:
        return []
    try:
        responses = call(requests)
    except (WebError, OSError) as error:
        return [Failure(str(error) or type(error).__name__)] * len(requests)
    _same_length(name, len(requests), len(responses))
    return list(responses)


def _judge(judge: Judge, turns: Sequence[Turn]) -> list[Verdict | None]:
    """The verdicts of the episodes that ended, ``None`` for the others.

    The judge sees those without an answer too: one that it cannot score (a task that the web
    cannot answer) is unscored whatever the agent did; else the rules' verdict stands.
    """
    verdicts = [turn.verdict for turn in turns]
    open_ = [n for n, turn in enumerate(turns) if turn.submission is not None]
    if open_:
        submissions = [turns[n].submission for n in open_]
        batch = [submission for submission in submissions if submission is not None]
        try:
            given = judge.score(batch)
        except (ServiceError, OSError) as error:
            given = [Verdict.unscored(str(error) or type(error).__name__, judge.identity["name"])] * len(batch)
        _same_length("Judge.score", len(batch), len(given))
        if not all(isinstance(verdict, Verdict) for verdict in given):
            raise WebenvError(f"Judge.score returned {given!r:.100}; it must return a list of Verdict.")
        for n, verdict in zip(open_, given, strict=True):
            if verdicts[n] is None or not verdict.scored:
                verdicts[n] = verdict
    return verdicts


def _terms(
    benchmark: Benchmark, turns: Sequence[Turn], verdicts: Sequence[Verdict | None], scored: Sequence[int]
) -> list[dict[str, float]]:
    if not scored:
        return []
    submissions: list[Submission] = []
    given: list[Verdict] = []
    for n in scored:
        submission, verdict = turns[n].submission, verdicts[n]
        if submission is not None and verdict is not None:
            submissions.append(submission)
            given.append(verdict)
    terms = benchmark.reward.terms(submissions, given)
    _same_length("Reward.terms", len(scored), len(terms))
    return terms


def _same_length(name: str, sent: int, received: int) -> None:
    if sent != received:
        raise WebenvError(f"{name} was given {sent} items and returned {received}; it must return one for each.")


def _step(
    episode: Episode,
    turn: Turn,
    verdict: Verdict | None,
    terms: dict[str, float] | None,
    weights: Mapping[str, float],
) -> Step:
    every = {**(terms or {}), "cost": turn.cost}
    info: dict[str, Any] = {"task": episode.task.id, "reward_terms": every}
    if verdict is None:
        cost = 0.0 + weights.get("cost", 0.0) * turn.cost  # adding turns −0.0 into 0.0
        return Step(turn.observation, cost, False, False, info)
    spent = episode.spent
    info |= {
        "ending": turn.ending,
        "scored": verdict.scored,
        "verdict": dict(verdict.to_dict()),
        "spent": {"searches": spent.searches, "visits": spent.visits, "asks": spent.asks, "turns": spent.turns},
    }
    if not verdict.scored:
        return Step(turn.observation, 0.0, False, True, info)
    reward = sum(weight * every.get(name, 0.0) for name, weight in weights.items())
    return Step(turn.observation, float(reward), True, False, info)
