"""One turn of many episodes: all the I/O there is, one batch for each kind of request."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any, NamedTuple

from webenv.benchmark import Benchmark
from webenv.episode import Episode, Requests, Responses, Turn
from webenv.errors import WebError
from webenv.judge import Verdict, is_concurrent
from webenv.observations import Observation
from webenv.scoring import Score, call_batch, judge_batch, last_reward, score_batch
from webenv.web import Failure, PendingSearches, SearchRequest, SearchResponse


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
    marks = [episode.mark() for episode in episodes]
    try:
        turns, scores = _exchange(benchmark, episodes, requests)
    except BaseException:
        for episode, mark in zip(episodes, marks, strict=True):
            episode.back_to(mark)
        raise
    weights = benchmark.reward.weights
    return [_step(episode, turns[n], scores.get(n), weights) for n, episode in enumerate(episodes)]


def _exchange(
    benchmark: Benchmark, episodes: Sequence[Episode], requests: Sequence[Requests]
) -> tuple[dict[int, Turn], dict[int, Score]]:
    """The turns, and what those that ended came to, by the places of their episodes."""
    web, timed = benchmark.web, benchmark.budget.seconds is not None
    places = _places(requests)
    waiting = [n for n, each in enumerate(requests) if each.searches or timed]
    judging: _Judging | None = None
    started = time.monotonic()
    searching = _Searches(benchmark, [one for each in requests for one in each.searches])
    try:
        visits = call_batch("Web.visit", web.visit, [one for each in requests for one in each.visits])
        asks = call_batch("Asking.ask", benchmark.asked.ask, [one for each in requests for one in each.asks])
        turns = {
            n: episode.receive(Responses((), visits[places[n][1]], asks[places[n][2]]))
            for n, episode in enumerate(episodes)
            if not (requests[n].searches or timed)
        }
        early = {} if any(episodes[n].on_last_turn for n in waiting) else dict(turns)
        judging = _Judging(benchmark, early, aside=bool(waiting))
        searches = searching.take()
    except BaseException as error:
        searching.drop()
        if judging is not None and isinstance(error, Exception):
            judging.wait()
        raise
    seconds = time.monotonic() - started if timed else 0.0
    late = {}
    for n in waiting:
        s, v, a = places[n]
        late[n] = episodes[n].receive(Responses(searches[s], visits[v], asks[a]), seconds)
    turns |= late
    rest = late if early else dict(sorted(turns.items()))
    return turns, judging.take() | _Judging(benchmark, rest, aside=False).take()


class _Searches:
    """The searches of a turn: begun at once where the web can do that, else sent when they are taken."""

    def __init__(self, benchmark: Benchmark, requests: Sequence[SearchRequest]) -> None:
        self._web, self._requests = benchmark.web, requests
        self._begun: PendingSearches | None = None
        self._error: WebError | OSError | None = None
        if benchmark.background is not None and requests:
            try:
                self._begun = benchmark.background.begin_search(requests)
            except (WebError, OSError) as error:
                self._error = error

    def take(self) -> list[SearchResponse | Failure]:
        """What came of them."""
        return call_batch("Web.search", self._came, self._requests)

    def _came(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        if self._error is not None:
            raise self._error
        return self._web.search(requests) if self._begun is None else list(self._begun.take())

    def drop(self) -> None:
        """Lets go of what has begun and was not taken."""
        if self._begun is not None:
            self._begun.drop()


class _Judging:
    """What episodes that ended come to: judged at once, or by another thread in this one's context.

    Args:
        benchmark: who judges.
        turns: of the episodes.
        aside: whether there is anything to do meanwhile.
    """

    def __init__(self, benchmark: Benchmark, turns: Mapping[int, Turn], *, aside: bool) -> None:
        self._benchmark, self._turns = benchmark, turns
        self._ended = [(n, turn.submission, turn.verdict) for n, turn in turns.items() if turn.submission is not None]
        self._verdicts: Future[list[Verdict]] = Future()
        self._thread: threading.Thread | None = None
        if aside and self._ended and is_concurrent(benchmark.judge):
            run = copy_context().run
            self._thread = threading.Thread(target=lambda: run(self._judge_aside), name="judge", daemon=True)
            self._thread.start()
        else:
            self._verdicts.set_result(self._judge())

    def _judge(self) -> list[Verdict]:
        return judge_batch(self._benchmark.judge, [submission for _, submission, _ in self._ended])

    def _judge_aside(self) -> None:
        try:
            self._verdicts.set_result(self._judge())
        except BaseException as error:
            self._verdicts.set_exception(error)

    def take(self) -> dict[int, Score]:
        """What they came to, by their places; or what the judge raised."""
        verdicts = self._verdicts.result()
        scores = {n: Score(turn.verdict, "", {}) for n, turn in self._turns.items() if turn.verdict is not None}
        submissions, ruled = [one for _, one, _ in self._ended], [rule for _, _, rule in self._ended]
        found = score_batch(self._benchmark, submissions, ruled, verdicts)
        return scores | dict(zip([n for n, _, _ in self._ended], found, strict=True))

    def wait(self) -> None:
        """Lets the judge end; what it finds is lost."""
        if self._thread is not None:
            self._thread.join()


def _places(requests: Sequence[Requests]) -> list[tuple[slice, slice, slice]]:
    """Where the answers to each episode's searches, visits and asks stand."""
    places, s, v, a = [], 0, 0, 0
    for each in requests:
        ends = s + len(each.searches), v + len(each.visits), a + len(each.asks)
        places.append((slice(s, ends[0]), slice(v, ends[1]), slice(a, ends[2])))
        s, v, a = ends
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
        "ending": turn.ending,
        "scored": scored,
        "verdict": dict(score.verdict.to_dict(score.identity)),
        "spent": {"searches": spent.searches, "visits": spent.visits, "asks": spent.asks, "turns": spent.turns},
    }
    return Step(turn.observation, last_reward(weights, score, turn.cost), scored, not scored, info)
