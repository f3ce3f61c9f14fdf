"""Plays a policy, many episodes at a time: which episodes a run is made of, and how they go on side by side."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from webenv.benchmark import Benchmark
from webenv.budget import SpendingDict, spending_dict
from webenv.episode import Episode
from webenv.errors import InvalidArgument, ServiceError, WebenvError, check_whole
from webenv.judge import Verdict, VerdictDict
from webenv.latency import LatencyModel, ModelCall
from webenv.policy import Decision, History, Policy
from webenv.rollout.record import PlayedTurn, Record, plain_observation
from webenv.task import TaskSet
from webenv.turn import Step, play_turn
from webenv.web import Failure

_MOST = 10_000_000


class EpisodeSpec(NamedTuple):
    """One episode to be played.

    Attributes:
        task: the task's id.
        attempt: which time the run plays this task, from 0.
        seed: what the policy's chance depends on, 0 to 2⁴⁸ − 1.
    """

    task: str
    attempt: int
    seed: int

    @property
    def key(self) -> tuple[str, int]:
        return self.task, self.attempt


def plan_episodes(
    tasks: TaskSet, *, episodes: int | None = None, attempts: int = 1, seed: int = 0
) -> list[EpisodeSpec]:
    """The episodes of a run, in the order in which they begin.

    Without ``episodes``: every task, in the order of the task set, ``attempts`` times each. With
    it: the tasks in an order that the seed decides, ``attempts`` episodes of each, round and round
    until there are ``episodes`` of them; so a smaller number plays a part of a greater one.

    Args:
        tasks: the tasks.
        episodes: how many episodes in all, at least 1.
        attempts: how many episodes of a task in a row, at least 1.
        seed: decides the order of the tasks and the seed of every episode.

    Raises:
        InvalidArgument: for a number below 1.
    """
    for name, number in (("episodes", episodes), ("attempts", attempts)):
        check_whole(name, number, missing=True)
    if (episodes or len(tasks) * attempts) > _MOST:
        raise InvalidArgument(f"{episodes or len(tasks) * attempts} episodes: a run has at most {_MOST}.")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise InvalidArgument(f"seed={seed!r}: expected a whole number.")
    order = list(tasks.ids())
    if episodes is None:
        episodes = len(order) * attempts
    else:
        order.sort(key=lambda task: (_hash(["order", seed, task]), task))
    specs = []
    for number in range(episodes):
        block, within = divmod(number, attempts)
        cycle, place = divmod(block, len(order))
        attempt = cycle * attempts + within
        specs.append(EpisodeSpec(order[place], attempt, episode_seed(seed, order[place], attempt)))
    return specs


def episode_seed(seed: int, task: str, attempt: int) -> int:
    """The seed of one episode: the same on every machine, whatever else is played.

    >>> episode_seed(0, "a task", 0)
    3984730510475
    """
    return int.from_bytes(_hash(["episode", seed, task, attempt]), "big")


def _hash(parts: list[str | int]) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=6).digest()


def play_episodes(
    benchmark: Benchmark, policy: Policy, episodes: Iterable[EpisodeSpec], parallel: int = 64
) -> Iterator[list[Record]]:
    """Plays episodes, as many as ``parallel`` at a time, and yields them as they end.

    In each step the policy is asked once for all of them, and at most one batch of searches, of
    visits, of asks and of judgements goes out; a place that becomes free is given to the next
    one. An episode is the same whatever plays beside it, to the letter.

    A policy that cannot decide (a :class:`~webenv.web.Failure`, or a ``ServiceError`` or
    ``OSError`` that it raises for all) ends the episode unscored, with the ending
    ``policy_failed`` in the words of the rules.

    Args:
        benchmark: what the episodes' tasks belong to.
        policy: what decides.
        episodes: what is to be played, taken one by one.
        parallel: the most episodes at a time, at least 1.

    Yields:
        The episodes that ended in a step, at least one, in the order in which they began.

    Raises:
        UnknownTask: for an episode whose task is not the benchmark's.
        InvalidArgument: for ``parallel`` below 1.
    """
    if parallel < 1:
        raise InvalidArgument(f"parallel={parallel}: expected at least 1.")
    waiting = iter(episodes)
    playing: list[PlayedEpisode] = []
    while True:
        playing += [PlayedEpisode(benchmark, spec) for spec in islice(waiting, parallel - len(playing))]
        if not playing:
            return
        decided: list[tuple[PlayedEpisode, Decision]] = []
        for episode, decision in zip(playing, _decide(policy, playing), strict=True):
            if isinstance(decision, Failure):
                episode.fail(decision, policy)
            else:
                decided.append((episode, decision))
        if benchmark.latency is not None:
            decided = [(one, _timed(decision, one, benchmark.latency)) for one, decision in decided]
        for one, decision in decided:
            if any(decision.effort):
                one.episode.charge(decision.effort.seconds, decision.effort.dollars)
        steps = play_turn(benchmark, [one.episode for one, _ in decided], [decision.action for _, decision in decided])
        for (episode, decision), step in zip(decided, steps, strict=True):
            episode.add(decision, step)
        ended = [record for episode in playing if (record := episode.record) is not None]
        playing = [episode for episode in playing if episode.record is None]
        if ended:
            yield ended


def _timed(decision: Decision, played: PlayedEpisode, latency: LatencyModel) -> Decision:
    """A decision with seconds and dollars for the tokens that it says it took, where it does not say these too."""
    effort = decision.effort
    if not effort.calls or (effort.seconds and effort.dollars):
        return decision
    key = f"{played.spec.task}/{played.spec.attempt}/{len(played.turns)}"
    drawn = latency.effort([ModelCall(key, effort.prompt_tokens, effort.completion_tokens, effort.seconds)])
    return decision._replace(effort=effort._replace(seconds=drawn.seconds, dollars=effort.dollars or drawn.dollars))


def _decide(policy: Policy, playing: list[PlayedEpisode]) -> list[Decision | Failure]:
    try:
        decisions = policy.act([episode.history for episode in playing])
    except (ServiceError, OSError) as error:
        return [Failure(str(error) or type(error).__name__)] * len(playing)
    if not isinstance(decisions, list) or not all(isinstance(one, Decision | Failure) for one in decisions):
        raise WebenvError(
            f"Policy.act returned {decisions!r:.100}; it must return a list of Decision(action) or Failure(reason), "
            "one for each history."
        )
    if len(decisions) != len(playing):
        raise WebenvError(
            f"Policy.act was given {len(playing)} histories and returned {len(decisions)} decisions; "
            "it must return one for each."
        )
    return decisions


class PlayedEpisode:
    """One episode that is being played."""

    def __init__(self, benchmark: Benchmark, spec: EpisodeSpec) -> None:
        self.spec = spec
        task = benchmark.tasks.find(spec.task)
        self.episode = Episode(task, benchmark.rules, benchmark.budget)
        first = self.episode.begin(benchmark.listed(task)).to_dict()
        self.history = History(spec.task, spec.seed, [first], attempt=spec.attempt)
        self.turns: list[PlayedTurn] = []
        self.record: Record | None = None

    def add(self, decision: Decision, step: Step) -> None:
        observation = step.observation.to_dict()
        self.history.decisions.append(decision)
        self.history.observations.append(observation)
        terms = step.info["reward_terms"]
        traces = tuple(reply.trace for reply in step.observation.replies)
        seconds = step.info.get("seconds", 0.0)
        self.turns.append(PlayedTurn.of(decision, observation, step.reward, terms, traces, seconds))
        if step.terminated or step.truncated:
            self._end(self.episode.ending, step.info["verdict"], step.info["spent"])

    def fail(self, failure: Failure, policy: Policy) -> None:
        self._end(
            "policy_failed",
            Verdict.unscored(failure.reason, policy.identity["name"]).to_dict(),
            spending_dict(self.episode.spent, clocked=self.episode.clocked),
        )

    def _end(self, ending: str, verdict: VerdictDict, spent: SpendingDict) -> None:
        task = self.episode.task
        self.record = Record(
            task=task.id,
            attempt=self.spec.attempt,
            seed=self.spec.seed,
            tags=dict(task.tags),
            question=self.history.observations[0]["question"],
            first=plain_observation(self.history.observations[0]),
            turns=tuple(self.turns),
            ending=ending,
            scored=verdict["value"] is not None,
            verdict=verdict,
            spent=spent,
            reward=sum((turn.reward for turn in self.turns), 0.0),
            seen=tuple((url, key) for url, key in self.episode.save()["seen"]),
            gold=task.gold.to_dict(),
        )
