"""One turn of many episodes: all the I/O there is, one batch for each kind of request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from contextvars import copy_context
from functools import partial
from itertools import accumulate, islice
from typing import Any, NamedTuple

from webenv.benchmark import Benchmark
from webenv.budget import spending_dict
from webenv.episode import CUT_OFF, Episode, Requests, Responses, Turn
from webenv.errors import WebError
from webenv.judge import Judge, Submission, Verdict, is_concurrent
from webenv.latency import LatencyModel
from webenv.observations import Observation
from webenv.scoring import Score, call_batch, judge_batch, last_reward, score_batch
from webenv.web import PendingSearches, SearchRequest, SearchResponse, TimedBatch, VisitRequest


class Step(NamedTuple):
    """What ``step`` returns of one episode.

    ``info`` holds ``task`` (the id) and ``reward_terms``, and where they are data ``seconds``: how long what went out
    in the step took; at the end also ``ending``, ``scored``, ``verdict`` and ``spent``.
    """

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def play_turn(benchmark: Benchmark, episodes: Sequence[Episode], actions: Sequence[object]) -> list[Step]:
    """Plays one turn of each episode; where it raises, none of them has changed.

    At most one call of each kind goes out: one search, one visit, one ask, one judgement. Searches
    begin first where the web can do that in the background, and are waited for last: pages are fetched, and
    the episodes that end are judged, meanwhile. A judge that says that it is ``concurrent`` is asked
    by another thread while this one searches. Both not where the budget has seconds, nor is an
    episode judged early where one that ends has searched.

    Args:
        benchmark: what the episodes belong to.
        episodes: the episodes, all running.
        actions: what each agent sent, whatever it is.
    """
    requests = [episode.request(action) for episode, action in zip(episodes, actions, strict=True)]
    return _play(benchmark, episodes, requests)


def finish_episodes(benchmark: Benchmark, episodes: Sequence[Episode]) -> list[Step]:
    """Ends episodes from outside, as a trainer does that cuts its agents off; where it raises, none has changed.

    Nothing is charged, and no turn is spent. They end ``cut_off``, without an answer: each is judged, and has the
    reward terms of what came before its agent; ``truncated``, as the cause lies outside the task, yet scored.
    """
    return _play(benchmark, episodes, [episode.finish() for episode in episodes])


def _play(benchmark: Benchmark, episodes: Sequence[Episode], requests: Sequence[Requests]) -> list[Step]:
    """All that goes out of this process goes out here."""
    web, budget = benchmark.web, benchmark.budget
    timed = budget.seconds is not None or budget.dollars is not None
    marks = [episode.mark() for episode in episodes]
    places = _places(requests)
    searches = [one for each in requests for one in each.searches]
    # Where seconds are limited, what the judge reads is fetched when the clock has stopped: it is none of the agent's.
    own = [episode.own_visits if timed else len(each.visits) for episode, each in zip(episodes, requests, strict=True)]
    visits = [one for each, count in zip(requests, own, strict=True) for one in each.visits[:count]]
    judged = [list(each.visits[count:]) for each, count in zip(requests, own, strict=True)]
    asks = [one for each in requests for one in each.asks]
    waiting = [n for n, each in enumerate(requests) if each.searches or timed]
    verdicts: Future[list[Verdict]] | None = None
    searching: PendingSearches | None = None
    seconds: dict[int, float] = {}
    try:
        started = time.monotonic()
        searching = _begin_searches(benchmark, searches)
        visited = call_batch("Web.visit", partial(web.visit, visits), len(visits))
        replies = call_batch("Asking.ask", partial(benchmark.asked.ask, asks), len(asks))
        shown = iter(visited)
        pages = {n: list(islice(shown, own[n])) for n in range(len(episodes))}
        clock = _TurnClock(benchmark.latency, visited, replies, own)
        turns = {}
        for n, episode in enumerate(episodes):
            if not (requests[n].searches or timed):
                if clock.runs:
                    seconds[n] = clock.charge(n, episode, requests[n], places[n], ())[0]
                turns[n] = episode.receive(Responses((), pages[n], replies[places[n][1]]))
        early = {} if any(episodes[n].on_last_turn for n in waiting) else dict(turns)
        verdicts = _begin_judging(benchmark.judge, _submissions(early), aside=bool(waiting))
        hits = call_batch("Web.search", searching.result, len(searches))
        waited = time.monotonic() - started if timed else 0.0
        clock.runs |= isinstance(hits, TimedBatch)
        if clock.runs:
            for n in waiting:
                seconds[n], late = clock.charge(n, episodes[n], requests[n], places[n], hits)
                judged[n] += late
        last = [one for part in judged for one in part]
        read = iter(call_batch("Web.visit", partial(web.visit, last), len(last)) if last else ())
        for n in waiting:
            (s, a), each = places[n], requests[n]
            pages[n] += islice(read, len(judged[n]))
            by_clock = waited if not clock.runs and (each.searches or own[n] or each.asks) else 0.0
            turns[n] = episodes[n].receive(Responses(hits[s], pages[n], replies[a]), by_clock)
        scores = _scores(benchmark, early, verdicts.result())
        scores |= _scores(benchmark, {n: turns[n] for n in sorted(turns) if n not in early}, None)
    except BaseException as error:
        if searching is not None:
            searching.cancel()
        if verdicts is not None and isinstance(error, Exception):
            wait([verdicts])  # what it finds is lost; but a judge is not asked twice at once
        for episode, mark in zip(episodes, marks, strict=True):
            episode.back_to(mark)
        raise
    weights = benchmark.reward.weights
    steps = [_step(episode, turns[n], scores.get(n), weights) for n, episode in enumerate(episodes)]
    for n, took in seconds.items():
        steps[n].info["seconds"] = took
    return steps


class _TurnClock:
    """How long the requests of each episode of a turn took, where that is data: measured, or drawn.

    Requests for pages that only the judge reads are left out: the agent does not wait for them.
    """

    def __init__(
        self,
        latency: LatencyModel | None,
        visited: Sequence[object],
        replies: Sequence[object],
        own: Sequence[int],
    ) -> None:
        self.runs = latency is not None or isinstance(visited, TimedBatch) or isinstance(replies, TimedBatch)
        self._latency, self._visited, self._replies, self._own = latency, visited, replies, own
        self._firsts = [0, *accumulate(own)] if self.runs else []

    def charge(
        self, n: int, episode: Episode, each: Requests, place: tuple[slice, slice], hits: Sequence[object]
    ) -> tuple[float, tuple[VisitRequest, ...]]:
        """Charges the requests of one episode: how long they took, and what its judge needs if that is its end."""
        visits = each.visits[: episode.own_visits]
        first = self._firsts[n] if self._firsts else 0
        measured = (
            _measured(hits, place[0]),
            _measured(self._visited, slice(first, first + len(visits))),
            _measured(self._replies, place[1]),
        )
        if self._latency is None:
            took, dollars = max((one for part in measured for one in part or ()), default=0.0), 0.0
        else:
            took = self._latency.turn_seconds(each.searches, visits, each.asks, measured)
            dollars = self._latency.turn_dollars(len(each.searches), len(visits), len(each.asks))
        return took, episode.charge(took, dollars)


def _measured(batch: Sequence[object], place: slice) -> Sequence[float] | None:
    return batch.seconds[place] if isinstance(batch, TimedBatch) else None


def _begin_searches(benchmark: Benchmark, requests: Sequence[SearchRequest]) -> PendingSearches:
    """The searches of a turn: begun at once where the web can do that, else sent when their result is taken."""
    if benchmark.background is None or not requests:
        return _Deferred(partial(benchmark.web.search, requests))
    try:
        return benchmark.background.begin_search(requests)
    except (WebError, OSError) as error:
        failed: Future[list[SearchResponse]] = Future()
        failed.set_exception(error)
        return failed


class _Deferred(NamedTuple):
    """What is done when its result is taken."""

    result: Callable[[], list[SearchResponse]]

    def cancel(self) -> None:
        """Nothing has begun."""


def _begin_judging(judge: Judge, submissions: Sequence[Submission], *, aside: bool) -> Future[list[Verdict]]:
    """The verdicts of a judge: found at once, or by another thread in this one's context while there is more to do."""
    found: Future[list[Verdict]] = Future()
    if not (aside and submissions and is_concurrent(judge)):
        found.set_result(judge_batch(judge, submissions))
        return found
    context = copy_context()

    def work() -> None:
        try:
            found.set_result(context.run(judge_batch, judge, submissions))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=work, name="judge", daemon=True).start()
    return found


def _submissions(turns: Mapping[int, Turn]) -> list[Submission]:
    return [turn.submission for turn in turns.values() if turn.submission is not None]


def _scores(benchmark: Benchmark, turns: Mapping[int, Turn], verdicts: Sequence[Verdict] | None) -> dict[int, Score]:
    """What episodes that ended came to, by their places; where there are no verdicts yet, they are found."""
    scores = {n: Score(turn.verdict, "", {}) for n, turn in turns.items() if turn.verdict is not None}
    ended = {n: turn.verdict for n, turn in turns.items() if turn.submission is not None}
    found = score_batch(benchmark, _submissions(turns), list(ended.values()), verdicts)
    return scores | dict(zip(ended, found, strict=True))


def _places(requests: Sequence[Requests]) -> list[tuple[slice, slice]]:
    """Where the answers to each episode's searches and asks stand."""
    places, s, a = [], 0, 0
    for each in requests:
        ends = s + len(each.searches), a + len(each.asks)
        places.append((slice(s, ends[0]), slice(a, ends[1])))
        s, a = ends
    return places


# ── the step ──────────────────────────────────────────────────────────────────


def _step(episode: Episode, turn: Turn, score: Score | None, weights: Mapping[str, float]) -> Step:
    every = {**(score.terms if score is not None else {}), "cost": turn.cost}
    info: dict[str, Any] = {"task": episode.task.id, "reward_terms": every}
    if score is None:
        cost = 0.0 + weights.get("cost", 0.0) * turn.cost  # adding turns −0.0 into 0.0
        return Step(turn.observation, cost, False, False, info)
    spent, scored = episode.spent, score.verdict.scored
    info |= {
        "ending": episode.rules.ending(turn.ending),
        "scored": scored,
        "verdict": dict(score.verdict.to_dict(score.identity)),
        "spent": spending_dict(spent, clocked=episode.clocked),
    }
    over = scored and episode.ending != CUT_OFF
    return Step(turn.observation, last_reward(weights, score, turn.cost), over, not over, info)
