"""Time as data: drawn from a seeded model or told by a web, charged to the episode, limited and scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.webs import DictWeb, benchmark, pages_of
from webenv.actions import answer as answer_with
from webenv.actions import ask, note, search, visit
from webenv.benchmark import Benchmark
from webenv.budget import Budget, Effort, Spending
from webenv.cassette import Cassette
from webenv.corpora.content_agents import ContentAgents
from webenv.corpora.sample.web import sample_web
from webenv.env import SearchEnv
from webenv.episode import Episode
from webenv.errors import InvalidArgument
from webenv.latency import LatencyModel, ModelCall, makespan
from webenv.policy import Decision, History
from webenv.recorded import RecordedWeb
from webenv.rewards import StandardReward
from webenv.rollout.play import EpisodeSpec, play_episodes
from webenv.rollout.record import Record
from webenv.snapshots import restore, snapshot
from webenv.turn import Step, play_turn
from webenv.vector import SearchVectorEnv
from webenv.web import Failure, SearchRequest, SearchResponse, TimedBatch, VisitRequest, VisitResponse

LAMP, BELL = "https://harbour.example/lamp", "https://harbour.example/bell"
FLAT = LatencyModel(search=1.0, visit=2.0, ask=4.0, spread=0.0, sites=0.0, searches=2, visits=2, search_price=0.5)
"""Every request takes its median; two are served at once."""


def flat(**settings: object) -> Benchmark:
    return replace(benchmark(), latency=FLAT, **settings)  # type: ignore[arg-type]


def play(made_of: Benchmark, *actions: object) -> tuple[Episode, list[Step]]:
    episode = Episode(made_of.tasks.find("t/lamp"), made_of.rules, made_of.budget)
    return episode, [play_turn(made_of, [episode], [action])[0] for action in actions]


# ── the model ─────────────────────────────────────────────────────────────────


def test_the_same_request_takes_the_same_seconds_everywhere() -> None:
    """A draw depends on the seed and the request alone, and is pinned to the digit."""
    request = VisitRequest("https://a.example/page")
    assert round(LatencyModel().visit_seconds(request), 6) == 2.343769
    assert round(LatencyModel(seed=1).visit_seconds(request), 6) == 1.523057
    assert LatencyModel().visit_seconds(request) == LatencyModel().visit_seconds(request)


def test_draws_have_the_median_and_the_spread() -> None:
    """Over many requests the median is the one that was set, and the middle two thirds lie within a factor e^spread."""
    drawn = sorted(LatencyModel(search=2.0, spread=0.5).search_seconds(SearchRequest(f"q{n}")) for n in range(4_001))
    assert drawn[2_000] == pytest.approx(2.0, rel=0.05)
    assert drawn[3_366] / drawn[2_000] == pytest.approx(2.718281828**0.5, rel=0.06)


def test_a_queue_serves_so_many_at_once() -> None:
    """Sixteen equal requests take four times as long where four are served at once, and no longer with sixteen."""
    assert [makespan([1.0] * 16, at_once) for at_once in (1, 4, 16, 64)] == [16.0, 4.0, 1.0, 1.0]


def test_a_call_takes_time_for_what_it_reads_and_writes() -> None:
    """Seconds, dollars and tokens of calls that go out together; one that was measured takes what was measured."""
    model = LatencyModel(first=1.0, read=1_000, write=10, calls=1, spread=0.0, input_price=1.0, output_price=2.0)
    calls = [ModelCall("a", 2_000, 20), ModelCall("b", 0, 0, seconds=0.25)]
    assert model.effort(calls) == Effort(5.25, 0.00204, 2_000, 20, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("visits=0", "'latency visits=0': visits is '0'; expected a whole number from 1."),
        ("speed=2", "'latency speed=2': 'speed=2' is no setting; latency takes seed, search, visit, ask, first,"),
        (3, "latency=3: expected 'default', or as in 'calls=4,visit=2.5'."),
    ],
)
def test_latency_refuses(given: object, message: str) -> None:
    """What is no setting, or out of range, is refused in one line."""
    with pytest.raises(InvalidArgument) as error:
        LatencyModel.of(given)  # type: ignore[arg-type]
    assert str(error.value).startswith(message)


# ── an episode ────────────────────────────────────────────────────────────────


def test_what_goes_out_together_takes_its_maximum() -> None:
    """Two searches take as long as one, three wait for a place; an answer and a note take no time."""
    episode, steps = play(flat(budget=Budget()), search("a", "b"), search("a", "b", "c"), visit(LAMP), note("x"))
    assert [step.info["seconds"] for step in steps] == [1.0, 2.0, 2.0, 0.0]
    assert episode.spent == Spending(5, 1, 0, 4, 5.0, 2.5)


def test_the_judge_is_no_part_of_the_agents_time() -> None:
    """The answered and the gold page are fetched for the judge, and take the agent no second."""
    _, (step,) = play(flat(), answer_with(LAMP))
    assert step.info["spent"] == {"searches": 0, "visits": 0, "asks": 0, "turns": 1, "seconds": 0.0, "dollars": 0.0}


def test_without_latency_nothing_is_said_of_time() -> None:
    """By default neither steps nor what was spent name seconds."""
    _, steps = play(benchmark(), search("a"), answer_with(LAMP))
    assert all("seconds" not in step.info for step in steps)
    assert steps[-1].info["spent"] == {"searches": 1, "visits": 0, "asks": 0, "turns": 2}


@pytest.mark.parametrize(
    ("limits", "actions", "ending", "notice"),
    [
        ({"seconds": 2.5}, (visit(LAMP), visit(BELL)), "out_of_seconds", "0.0 of 2.5 seconds left."),
        ({"dollars": 0.75}, (search("a"), search("b")), "out_of_dollars", "$0.0000 of $0.75 left."),
    ],
)
def test_running_out_is_part_of_the_task(
    limits: dict[str, float], actions: tuple[object, ...], ending: str, notice: str
) -> None:
    """Over the budget's seconds or dollars the episode ends, terminated and scored, as with the last turn."""
    _, steps = play(flat(budget=Budget(asks=5, **limits)), *actions)  # type: ignore[arg-type]
    assert (steps[0].terminated, steps[1].terminated, steps[1].truncated) == (False, True, False)
    assert (steps[1].info["ending"], steps[1].info["scored"], steps[1].info["verdict"]["value"]) == (ending, True, 0.0)
    assert steps[1].observation.notice.endswith(notice)


def test_the_limit_is_told_from_the_first_observation() -> None:
    """An agent knows its seconds before it acts."""
    env = SearchEnv(flat(budget=Budget(seconds=30)))
    assert env.reset(seed=0)[0]["notice"] == "30.0 of 30 seconds left."
    assert env.step(visit(LAMP))[0]["notice"] == "28.0 of 30 seconds left."


def test_an_action_that_comes_too_late_is_not_done() -> None:
    """Seconds that the agent took to decide count; when they are over, its action is refused and the episode ends."""
    made_of = flat(budget=Budget(seconds=3))
    episode = Episode(made_of.tasks.find("t/lamp"), made_of.rules, made_of.budget)
    episode.charge(3.5)
    step = play_turn(made_of, [episode], [answer_with(LAMP)])[0]
    assert (step.info["ending"], step.info["verdict"]["value"]) == ("out_of_seconds", 0.0)
    assert step.observation.notice == "The action came too late: nothing of it was done. 0.0 of 3 seconds left."


# ── a web that knows ──────────────────────────────────────────────────────────


class MeasuredWeb(DictWeb):
    """A web that says how long each response took."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return TimedBatch(super().search(requests), [float(len(one.query)) for one in requests])

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return TimedBatch(super().visit(requests), [7.0 for _ in requests])


def test_what_a_web_measured_counts_before_what_is_drawn() -> None:
    """Measured seconds are taken as they are, asks of somebody else are drawn; without a latency model these are 0."""
    web = MeasuredWeb(pages_of())
    for latency, asked in ((FLAT, 4.0), (None, 0.0)):
        made_of = replace(benchmark(web), latency=latency)
        _, steps = play(made_of, search("four", "sixsix"), visit(LAMP), ask("why", "harbour.example"))
        assert [step.info.get("seconds", 0.0) for step in steps] == [6.0, 7.0, asked]


def test_each_slot_has_its_own_seconds() -> None:
    """In a vector env each episode is charged its own requests, as if it had played alone."""
    actions = [search("four"), visit(LAMP), search("sixsix", "a"), note("x")]
    envs = SearchVectorEnv(benchmark(MeasuredWeb(pages_of())), num_envs=4)
    envs.reset(seed=0)
    infos = envs.step(actions)[4]
    assert infos["seconds"].tolist() == [4.0, 7.0, 6.0, 0.0]


class BrokenMeasuredWeb(MeasuredWeb):
    """A web that says how long it took to fail."""

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return TimedBatch([Failure("down")] * len(requests), [9.0] * len(requests))


@pytest.mark.parametrize(("web", "seconds"), [(MeasuredWeb, 7.0), (BrokenMeasuredWeb, 9.0)])
def test_a_tape_keeps_the_seconds(tmp_path: Path, web: type[MeasuredWeb], seconds: float) -> None:
    """What was measured is recorded with the response, or the failure, and a replay gives the same seconds."""
    made_of = benchmark(web(pages_of()))
    for mode in ("record", "replay"):
        taped = replace(made_of, web=RecordedWeb(Cassette(tmp_path / "tape.db", mode), made_of.web))
        _, steps = play(taped, search("four"), visit(LAMP))
        assert [step.info["seconds"] for step in steps] == [4.0, seconds]


def test_a_web_without_seconds_is_recorded_as_before(tmp_path: Path) -> None:
    """A response without seconds has none on the tape, so that its digest is that of older webenvs."""
    RecordedWeb(Cassette(tmp_path / "tape.db", "record"), DictWeb(pages_of())).visit([VisitRequest(LAMP)])
    [row] = Cassette(tmp_path / "tape.db").rows()
    assert list(row.response) == ["page"]


# ── rewards, records, snapshots ───────────────────────────────────────────────


def test_seconds_and_dollars_are_reward_terms() -> None:
    """Both are terms where they have a weight, minus what was spent."""
    made_of = flat(reward=StandardReward({"seconds": 0.1, "dollars": 1.0}))
    _, steps = play(made_of, search("a"), answer_with(LAMP))
    assert steps[-1].info["reward_terms"]["seconds"] == -1.0
    assert steps[-1].info["reward_terms"]["dollars"] == -0.5
    assert steps[-1].reward == pytest.approx(1.0 - 0.1 - 0.5)


class Thinker:
    """A policy that knows what deciding takes."""

    identity = {"name": "thinker"}  # noqa: RUF012

    def act(self, histories: Sequence[History]) -> list[Decision]:
        effort = Effort(0.5, 0.25, 100, 10, 1)
        moves = [search("a", "b", "c"), answer_with(LAMP)]
        return [Decision(moves[len(one.decisions)], effort=effort) for one in histories]  # type: ignore[list-item]


def test_a_record_keeps_the_seconds_and_the_effort_of_each_turn() -> None:
    """A rollout charges what the policy took; turns and the whole keep it, and survive a line of JSON."""
    [record] = next(play_episodes(flat(), Thinker(), [EpisodeSpec("t/lamp", 0, 0)]))
    assert [turn.seconds for turn in record.turns] == [2.0, 0.0]
    assert record.turns[0].effort == Effort(0.5, 0.25, 100, 10, 1)
    assert (record.spent["seconds"], record.spent["dollars"]) == (3.0, 2.0)
    assert Record.from_line(record.to_line()) == record


def test_tokens_without_seconds_take_what_is_drawn() -> None:
    """Of a policy that says its tokens alone, seconds and dollars are drawn by the latency model of the benchmark."""

    class Counter(Thinker):
        def act(self, histories: Sequence[History]) -> list[Decision]:
            return [one._replace(effort=Effort(0.0, 0.0, 1_000, 60, 1)) for one in super().act(histories)]

    latency = replace(FLAT, first=1.0, read=1_000, write=60, input_price=1.0)
    [record] = next(play_episodes(replace(flat(), latency=latency), Counter(), [EpisodeSpec("t/lamp", 0, 0)]))
    assert [turn.effort for turn in record.turns] == [Effort(3.0, 0.001, 1_000, 60, 1)] * 2
    assert record.spent["seconds"] == 8.0


def test_a_content_agent_takes_the_time_of_its_own_episode() -> None:
    """An ask takes what its agent's searches took, not what an ask is drawn to take."""
    web = sample_web()
    for asker, seconds in ((ContentAgents(web), 4.0), (ContentAgents(web).timed(FLAT), 1.0)):
        _, (step,) = play(flat(asker=asker), ask("old mill", "halewickcourier.example"))
        assert step.info["seconds"] == seconds


def test_a_snapshot_keeps_seconds_and_dollars() -> None:
    """An episode that is saved goes on with what it had spent."""
    env, twin = SearchEnv(flat()), SearchEnv(flat())
    env.reset(options={"task": "t/lamp"})
    env.step(search("a"))
    restore(twin, snapshot(env))
    *_, info = twin.step(answer_with(LAMP))
    assert (info["spent"]["seconds"], info["spent"]["dollars"]) == (1.0, 0.5)
