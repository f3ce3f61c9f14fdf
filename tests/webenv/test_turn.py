"""One turn of many episodes: its batches, and what becomes of failures."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.webs import BrokenWeb, CountingWeb, DictWeb, GoldJudge, benchmark, pages_of, small_web
from webenv.actions import answer, ask, note, search, visit
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.episode import Episode
from webenv.errors import InvalidArgument, ResetNeeded, WebenvError
from webenv.judge import Submission, Verdict
from webenv.observations import Page, Reply
from webenv.rewards import StandardReward
from webenv.rules import Rules
from webenv.task import Gold, Task, TaskSet
from webenv.turn import Step, finish_episodes, play_turn
from webenv.web import (
    AskRequest,
    AskResponse,
    Failure,
    Scope,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
)

LAMP, BELL = "https://harbour.example/lamp", "https://harbour.example/bell"


class SilentWeb:
    """A web that cannot be asked."""

    identity: Mapping[str, str] = {"name": "silent"}

    def __init__(self, pages: Sequence[Page]) -> None:
        self.search, self.visit = DictWeb(pages).search, DictWeb(pages).visit


def episodes(made_of: Benchmark, count: int) -> list[Episode]:
    return [Episode(made_of.tasks.find("t/lamp"), made_of.rules, made_of.budget) for _ in range(count)]


def play(made_of: Benchmark, *actions: object) -> list[Step]:
    return play_turn(made_of, episodes(made_of, len(actions)), actions)


def test_one_batch_of_each_kind() -> None:
    """However many episodes do whatever, one search, one visit, one ask and one judgement go out."""
    web, judge = CountingWeb(small_web()), GoldJudge()
    play(
        benchmark(web, judge=judge),
        search("lamp", "mill"),
        answer(LAMP),
        visit(LAMP),
        None,
        ask("lamp", "harbour.example", "mills.example"),
        search("bell"),
        answer(BELL),
        note("x"),
    )
    assert web.batches == {"search": [3], "visit": [5], "ask": [2]}
    assert judge.batches == [2]


class Host(NamedTuple):
    """Answers for every site with its name, and notes what it was asked."""

    asked: list[list[AskRequest]]
    identity: Mapping[str, str] = {"name": "host"}

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        self.asked.append(list(requests))
        return [Reply(request.site, f"I am {request.site}") for request in requests]


def test_a_benchmarks_own_asker_is_asked() -> None:
    """An asker that is given takes the place of the web: all asks of a step in one batch, each in its task's scope."""
    host, web = Host([]), CountingWeb(small_web())
    task = Task("t", "?", scope=Scope(blocked=("mills.example",)))
    made_of = replace(benchmark(web, TaskSet([task])), asker=host)
    running = [Episode(task, made_of.rules, made_of.budget) for _ in range(2)]
    steps = play_turn(made_of, running, [ask("a", "x.example", "y.example"), ask("b", "z.example")])
    asked = [("a", "x.example"), ("a", "y.example"), ("b", "z.example")]
    assert host.asked == [[AskRequest(question, site, task.scope) for question, site in asked]]
    assert web.batches["ask"] == []
    assert [reply.text for step in steps for reply in step.observation.replies] == [f"I am {site}" for _, site in asked]
    assert made_of.identity["asker"] == {"name": "host"}


def test_where_nobody_can_be_asked() -> None:
    """On a web that cannot be asked, without an asker, a notice says that a site has no agent; the ask is charged."""
    (step,) = play(benchmark(SilentWeb(pages_of())), ask("a", "harbour.example"))
    assert step.observation.notice == "No content agent at harbour.example: no site here has one."
    assert step.observation.budget == (4, 4, 1, 7)


def test_an_asker_is_what_the_protocol_says() -> None:
    """What cannot be asked is refused when the benchmark is made."""
    with pytest.raises(InvalidArgument, match=r"asker='x': expected what webenv\.Asking describes"):
        replace(benchmark(), asker="x")  # type: ignore[arg-type]


def test_an_episode_is_finished_from_outside() -> None:
    """What came before its agent is judged and has its terms, without a charge; it is truncated, and scored."""
    made_of = replace(benchmark(), reward=StandardReward({"answer": 1.0, "recall": 0.5}))
    running = episodes(made_of, 2)
    play_turn(made_of, running, [search("lamp"), note("x")])
    seen, unseen = finish_episodes(made_of, running)
    assert seen.info["reward_terms"]["recall"] == 1.0
    assert (seen.reward, seen.terminated, seen.truncated) == (0.5, False, True)
    assert (unseen.reward, unseen.info["reward_terms"]["recall"]) == (0.0, 0.0)
    verdict = {"outcome": "cut_off", "value": 0.0, "explanation": "ended without an answer: cut off"}
    assert verdict.items() <= seen.info["verdict"].items()
    assert (seen.info["ending"], seen.info["scored"]) == ("cut_off", True)
    assert seen.info["spent"] == {"searches": 1, "visits": 0, "asks": 0, "turns": 1}
    assert seen.observation.notice == "The episode was cut off."
    with pytest.raises(ResetNeeded, match=r"has ended \(cut_off\)"):
        finish_episodes(made_of, running)


def test_a_finish_that_fails_changes_nothing() -> None:
    """Where the judge has a fault the episodes go on."""
    made_of = benchmark(judge=FailingJudge(threading.Event()))
    running = episodes(made_of, 2)
    with pytest.raises(WebenvError, match="the judge has a fault"):
        finish_episodes(made_of, running)
    assert [episode.ending for episode in running] == ["", ""]
    play_turn(made_of, running, [note("x"), note("y")])


def test_nothing_is_sent_for_nothing() -> None:
    """A turn of notes sends nothing."""
    web, judge = CountingWeb(small_web()), GoldJudge()
    play(benchmark(web, judge=judge), note("a"), note("b"))
    assert web.batches == {"search": [], "visit": [], "ask": []}
    assert judge.batches == []


def test_each_episode_gets_its_own() -> None:
    """Answers of a batch come back to who asked."""
    steps = play(benchmark(), search("lamp"), visit(BELL), search("wheel", "comet"), ask("oak", "mills.example"))
    assert [hit.url for hit in steps[0].observation.results] == [LAMP]
    assert [page.url for page in steps[1].observation.pages] == [BELL]
    assert [hit.title for hit in steps[2].observation.results] == ["The flood", "The wheel", "The comet", "The ledger"]
    assert [reply.site for reply in steps[3].observation.replies] == ["mills.example"]


def test_a_right_and_a_wrong_answer() -> None:
    """The reward is the weighted sum of the terms; both ends are terminated and scored."""
    right, wrong, by_alias = play(
        benchmark(), answer(LAMP), answer("https://nowhere.example/"), answer("https://mirror.example/lamp")
    )
    assert right[1:4] == (1.0, True, False)
    assert right.info == {
        "task": "t/lamp",
        "reward_terms": {"answer": 1.0, "cost": 0.0},
        "ending": "answered",
        "scored": True,
        "verdict": {
            "outcome": "right",
            "value": 1.0,
            "explanation": "a gold page or answer",
            "judge": "gold",
            "identity": "88f5d642097c",
            "scores": {},
        },
        "spent": {"searches": 0, "visits": 0, "asks": 0, "turns": 1},
    }
    assert wrong[1:4] == (0.0, True, False)
    assert wrong.info["verdict"]["outcome"] == "wrong"
    assert by_alias.reward == 1.0


def test_cost_is_paid_step_by_step() -> None:
    """A weighted cost is paid in the step that spends: 2 of 10 units at a weight of 0.1."""
    step = play(benchmark(), search("a", "b"))[0]
    assert step.reward == pytest.approx(-0.02)
    assert step.info == {"task": "t/lamp", "reward_terms": {"cost": -0.2}}


def test_a_reward_of_nothing_is_plain_zero() -> None:
    """Where the cost has no weight a step that spends gives 0.0, not −0.0."""
    small = benchmark()
    made_of = Benchmark(small.tasks, small.web, small.judge, small.rules, small.budget)
    assert str(play(made_of, search("a"))[0].reward) == "0.0"


def test_out_of_turns_is_judged_by_the_rules() -> None:
    """An episode without an answer terminates with 0, whatever a judge would give an empty answer."""
    step = play(benchmark(judge=GoldJudge(), budget=Budget(turns=1)), note("x"))[0]
    assert step[1:4] == (0.0, True, False)
    assert step.info["verdict"] == {
        "outcome": "out_of_turns",
        "value": 0.0,
        "explanation": "ended without an answer: out of turns",
        "judge": "rules",
        "identity": "",
        "scores": {},
    }


def test_out_of_turns_on_a_task_that_cannot_be_judged() -> None:
    """What the judge cannot score whatever the answer is unscored without an answer too, not 0."""

    class Unable(GoldJudge):
        def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
            return [Verdict.unscored("the web lacks the gold page", "unable") for _ in submissions]

    step = play(benchmark(judge=Unable(), budget=Budget(turns=1)), note("x"))[0]
    assert step[1:4] == (0.0, False, True)
    assert step.info["verdict"]["explanation"] == "the web lacks the gold page"


@pytest.mark.parametrize("action", [search("broken"), visit("broken"), ask("x", "broken")])
def test_a_failure_ends_its_own_episode(action: object) -> None:
    """A request that failed truncates its episode, unscored and without reward; the others go on."""
    made_of = benchmark(BrokenWeb(pages_of()))
    failed, other = play(made_of, action, search("lamp"))
    assert failed[1:4] == (0.0, False, True)
    assert (failed.info["scored"], failed.info["ending"]) == (False, "web_failed")
    assert failed.info["verdict"]["outcome"] == "unscored"
    assert failed.info["verdict"]["value"] is None
    assert failed.info["verdict"]["explanation"] == "the server is down"
    assert other.reward == pytest.approx(-0.01)
    assert other[2:4] == (False, False)


def test_a_batch_that_fails_ends_all_who_asked() -> None:
    """A web that raises fails each request of that batch, and no other kind."""
    made_of = benchmark(BrokenWeb(pages_of()))
    steps = play(made_of, search("collapse"), search("lamp"), visit(LAMP), note("x"))
    assert [step.truncated for step in steps] == [True, True, False, False]
    assert steps[1].info["verdict"]["explanation"] == "the line is cut"


def test_an_answer_whose_page_failed_is_unscored() -> None:
    """A failure of the answered page is for the judge, who came to no verdict."""
    step = play(benchmark(BrokenWeb(pages_of())), answer("broken"))[0]
    assert step[1:4] == (0.0, False, True)
    assert (step.info["ending"], step.info["scored"]) == ("answered", False)
    assert step.info["verdict"]["judge"] == "gold"


def test_gold_that_failed_is_not_gold_that_was_not_found() -> None:
    """Where recall has a weight and gold cannot be fetched the episode is unscored, by whichever end; else scored."""
    tasks = TaskSet([Task("t/lamp", "Which lamp?", gold=Gold(urls=("https://broken.example/",), answers=("oil",)))])
    made_of = replace(benchmark(BrokenWeb(pages_of()), tasks), rules=Rules(), budget=Budget(turns=1))
    for weight, expected in ((0.2, (0.0, False, True)), (0.0, (1.0, True, False))):
        weighed = replace(made_of, reward=StandardReward({"recall": weight}))
        told, silent = play(weighed, answer("oil"), note("x"))
        assert told[1:4] == expected
        assert silent[1:4] == (0.0, *expected[1:])
        reason = "recall cannot be told, a gold page was not fetched: the server is down"
        assert (told.info["verdict"]["explanation"] == reason) == (weight > 0)
        assert told.info["scored"] == silent.info["scored"] == (weight == 0)
        assert "recall" not in told.info["reward_terms"]


def test_an_unscored_verdict_truncates_its_own_episode() -> None:
    """A judge in doubt leaves one episode unscored, and the others of its batch scored."""
    doubt, right = play(benchmark(), answer("doubt"), answer(LAMP))
    assert doubt[1:4] == (0.0, False, True)
    assert doubt.info["reward_terms"] == {"cost": 0.0}
    assert right[1:4] == (1.0, True, False)


def test_a_judge_that_raises_leaves_its_own_episode_unscored() -> None:
    """Where a judge raises for a batch, each is judged alone: what it raises for is unscored, under its name."""
    steps = play(benchmark(), answer("strike"), answer(LAMP), note("x"))
    assert [step[1:4] for step in steps] == [(0.0, False, True), (1.0, True, False), (0.0, False, False)]
    assert steps[0].info["verdict"] == {
        "outcome": "unscored",
        "value": None,
        "explanation": "the judge is on strike",
        "judge": "gold",
        "identity": "88f5d642097c",
        "scores": {},
    }


class PaidJudge(GoldJudge):
    """A judge that waits for others."""

    concurrent = True


class BusyJudge(PaidJudge):
    """A judge made of one that waits for others."""


class LostJudge(GoldJudge):
    """A judge that cannot be asked."""

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        self.batches.append(len(submissions))
        raise ConnectionError("nobody there")


@pytest.mark.parametrize("judge", [PaidJudge(), BusyJudge(), LostJudge()])
def test_a_judge_that_waits_for_others_is_not_asked_again(judge: GoldJudge) -> None:
    """Where one that pays raises, or one that cannot be asked, its batch is unscored: nothing is asked twice."""
    steps = play(benchmark(judge=judge), answer("strike"), answer(LAMP))
    assert [step[1:4] for step in steps] == [(0.0, False, True)] * 2
    assert judge.batches == [2]


class ShortWeb(DictWeb):
    """A faulty web that answers one request fewer than it was given."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return super().search(requests)[1:]


class ShortJudge(GoldJudge):
    """A faulty judge that gives no verdict at all."""

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return []


def test_parts_that_lose_items_are_named() -> None:
    """A web or a judge that returns too few items is a fault of the program, told by name."""
    with pytest.raises(
        WebenvError, match=r"Web\.search was given 2 items and returned 1; it must return one for each\."
    ):
        play(benchmark(ShortWeb(pages_of())), search("a", "b"))
    with pytest.raises(WebenvError, match=r"Judge\.score was given 1 items and returned 0"):
        play(benchmark(judge=ShortJudge()), answer("a"))


def test_gold_is_fetched_only_at_the_end() -> None:
    """No gold page is asked for while an episode goes on; at its end each is, and none is shown."""
    web = CountingWeb(small_web())
    judge = GoldJudge()
    made_of = benchmark(web, judge=judge)
    episode = episodes(made_of, 1)
    for action in (search("bell"), visit(BELL), note("x")):
        play_turn(made_of, episode, [action])
    assert web.visited == [BELL]
    step = play_turn(made_of, episode, [answer(BELL)])[0]
    assert web.visited == [BELL, BELL, LAMP]
    assert step.observation.pages == ()
    assert [page.url for page in judge.submissions[0].gold if isinstance(page, Page)] == [LAMP]


class FullWeb(DictWeb):
    """A web that fails with an error of the operating system."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        raise OSError


def test_an_error_without_words_is_named() -> None:
    """A web that fails without saying why fails under the name of its error."""
    step = play(benchmark(FullWeb(pages_of())), search("a"))[0]
    assert step.info["verdict"]["explanation"] == "OSError"


class SlowWeb(DictWeb):
    """A web that takes a fiftieth of a second for a batch of searches."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        time.sleep(0.02)
        return super().search(requests)


def test_seconds_are_limited() -> None:
    """Where the budget has seconds, a web that takes longer truncates, unscored; a turn without I/O does not."""
    made_of = benchmark(SlowWeb(pages_of()), budget=Budget(turns=5, seconds=0.01))
    assert play(made_of, note("x"))[0][2:4] == (False, False)
    slow = play(made_of, search("lamp"))[0]
    assert slow[1:4] == (0.0, False, True)
    assert (slow.info["ending"], slow.info["scored"]) == ("out_of_time", False)


def test_seconds_are_the_agents_own() -> None:
    """What the judge has fetched, after the agent's answer, costs the agent none of its seconds."""

    class SlowPages(DictWeb):
        def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
            time.sleep(0.05 * bool(requests))
            return super().visit(requests)

    made_of = benchmark(SlowPages(pages_of()), budget=Budget(turns=5, seconds=0.01))
    answered = play(made_of, answer("https://a.example/lamp"))[0]
    assert (answered.info["scored"], answered.info["ending"]) == (True, "answered")
    assert play(made_of, visit("https://a.example/lamp"))[0].info["ending"] == "out_of_time"


class ModelJudge(GoldJudge):
    """A judge that asks a model, and waits until the web is searched before it goes on."""

    concurrent = True

    def __init__(self, searched: threading.Event) -> None:
        super().__init__()
        self.searched = searched
        self.met: list[bool] = []

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        self.met.append(self.searched.wait(5.0 if threading.current_thread() is not threading.main_thread() else 0.0))
        return super().score(submissions)


class ToldWeb(DictWeb):
    """A web that tells when it is searched."""

    def __init__(self, searched: threading.Event) -> None:
        super().__init__(pages_of())
        self.searched = searched

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.searched.set()
        return super().search(requests)


TURN = (search("lamp"), answer(LAMP), visit(BELL), answer(BELL), note("x"), search("bell"))


def test_a_model_judges_while_others_search() -> None:
    """The judge has begun before others search, in one batch, and the steps are those of one after the other."""
    searched = threading.Event()
    judge = ModelJudge(searched)
    steps = play(benchmark(ToldWeb(searched), judge=judge), *TURN)
    assert judge.met == [True]
    assert judge.batches == [2]
    inline = play(benchmark(ToldWeb(searched)), *TURN)
    assert [step.observation for step in steps] == [step.observation for step in inline]
    assert [step[1:4] for step in steps] == [step[1:4] for step in inline]
    assert [step.info["reward_terms"] for step in steps] == [step.info["reward_terms"] for step in inline]


class OwnJudge(ModelJudge):
    """A judge made of one that any thread may ask, which may not."""

    concurrent = False


class HeirJudge(ModelJudge):
    """A judge made of one that any thread may ask."""


def test_with_a_clock_or_another_judge_one_goes_after_the_other() -> None:
    """A budget of seconds keeps the order; a judge is asked by another thread if it, or what it is made of, says so."""
    for made, seconds, met in ((ModelJudge, 60.0, [True]), (OwnJudge, None, [False]), (HeirJudge, None, [True])):
        searched = threading.Event()
        judge = made(searched)
        play(replace(benchmark(ToldWeb(searched), judge=judge), budget=Budget(seconds=seconds)), *TURN)
        assert judge.met == met


class FailingJudge(ModelJudge):
    """A judge that has a fault."""

    concurrent = True

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        raise WebenvError("the judge has a fault")


def test_a_fault_of_a_judge_is_raised_as_ever() -> None:
    """What a judge raises in its own thread is raised by the turn; a fault of the web comes first."""
    searched = threading.Event()
    with pytest.raises(WebenvError, match="the judge has a fault"):
        play(benchmark(ToldWeb(searched), judge=FailingJudge(searched)), *TURN)
    with pytest.raises(WebenvError, match=r"Web\.search was given 2 items"):
        play(benchmark(ShortWeb(pages_of()), judge=FailingJudge(searched)), *TURN)


class Begun:
    """Searches that a web has begun with."""

    def __init__(self, web: AheadWeb, requests: Sequence[SearchRequest]) -> None:
        self.web, self.requests = web, requests

    def result(self) -> list[SearchResponse]:
        self.web.calls.append("take")
        if self.web.fault:
            raise WebenvError("the web has a fault")
        return self.web.search(self.requests)

    def cancel(self) -> None:
        self.web.calls.append("drop")


class AheadWeb(DictWeb):
    """A web that searches elsewhere."""

    def __init__(self) -> None:
        super().__init__(pages_of())
        self.calls: list[str] = []
        self.fault = False

    def begin_search(self, requests: Sequence[SearchRequest]) -> Begun:
        self.calls.append("begin")
        return Begun(self, requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        self.calls.append("visit")
        return super().visit(requests)


def test_pages_are_fetched_while_a_web_searches_elsewhere() -> None:
    """Such a web's searches begin first and are taken last; the steps are the same."""
    web = AheadWeb()
    steps = play(benchmark(web), *TURN)
    assert web.calls == ["begin", "visit", "take"]
    assert steps == play(benchmark(), *TURN)


def test_a_turn_that_a_web_broke_can_be_played_again() -> None:
    """No episode has changed where the web raised, whatever had been received by then."""
    web = AheadWeb()
    made_of = benchmark(web)
    playing = episodes(made_of, 6)
    before = [episode.save() for episode in playing]
    web.fault = True
    with pytest.raises(WebenvError, match="the web has a fault"):
        play_turn(made_of, playing, TURN)
    assert web.calls == ["begin", "visit", "take", "drop"]
    assert [episode.save() for episode in playing] == before
    web.fault = False
    assert play_turn(made_of, playing, TURN) == play(benchmark(), *TURN)


class HaltedWeb(AheadWeb):
    """Such a web that cannot even begin."""

    def begin_search(self, requests: Sequence[SearchRequest]) -> Begun:
        raise OSError("no more files")


def test_searches_that_cannot_begin_have_failed() -> None:
    """An error of the web at the beginning is a failure of each search, as it is at the end."""
    searched, noted = play(benchmark(HaltedWeb()), search("lamp"), note("x"))
    assert (searched.info["ending"], searched.info["verdict"]["explanation"]) == ("web_failed", "no more files")
    assert noted[2:4] == (False, False)


class LostWeb(AheadWeb):
    """Such a web that loses every search."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return [Failure("it was lost") for _ in requests]


def test_a_search_that_failed_ends_its_episode_also_where_another_was_judged_before() -> None:
    """The step of an episode whose search failed says so, whoever has been scored meanwhile."""
    told, lost = play(benchmark(LostWeb()), answer(LAMP), search("lamp"))
    assert told[1:4] == (1.0, True, False)
    assert lost[1:4] == (0.0, False, True)
    assert lost.info["ending"] == "web_failed"


class FaultyJudge(GoldJudge):
    """A judge with a fault."""

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        raise WebenvError("the judge has a fault")


@pytest.mark.parametrize("actions", [TURN, (*TURN[:5], answer("x")), (answer(LAMP), note("x"))])
@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("concurrent", [True, False])
def test_a_turn_that_a_judge_broke_can_be_played_again(
    actions: Sequence[object], ahead: bool, concurrent: bool
) -> None:
    """No episode has changed where the judge raised, in whichever thread, before or after the searches."""
    made_of = benchmark(AheadWeb() if ahead else None)
    playing = episodes(made_of, len(actions))
    before = [episode.save() for episode in playing]
    judge: GoldJudge = FailingJudge(threading.Event()) if concurrent else FaultyJudge()
    with pytest.raises(WebenvError, match="the judge has a fault"):
        play_turn(replace(made_of, judge=judge), playing, actions)
    assert [episode.save() for episode in playing] == before
    assert play_turn(made_of, playing, actions) == play(benchmark(), *actions)


class InterruptedWeb(DictWeb):
    """A web at which the user loses patience."""

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        raise KeyboardInterrupt


class StuckJudge(GoldJudge):
    """A judge whose model does not reply until it is told to."""

    concurrent = True

    def __init__(self) -> None:
        super().__init__()
        self.told = threading.Event()

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        self.told.wait(20.0)
        return super().score(submissions)


def test_an_interrupt_waits_for_no_judge() -> None:
    """It comes through at once, whatever the judge is at, and no episode has changed."""
    judge = StuckJudge()
    made_of = benchmark(InterruptedWeb(pages_of()), judge=judge)
    playing = episodes(made_of, 6)
    before = [episode.save() for episode in playing]
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        play_turn(made_of, playing, TURN)
    assert time.monotonic() - started < 10.0
    judge.told.set()
    assert [episode.save() for episode in playing] == before
