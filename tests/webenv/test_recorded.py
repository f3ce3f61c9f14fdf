"""Webs, judges and models behind a cassette."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.openai_server import Fault, serve
from tests.webs import BrokenWeb, CountingWeb, DictWeb, GoldJudge, benchmark, pages_of, small_tasks, small_web
from webenv import Budget, Failure, Gold, SearchEnv, Spending, Task, answer, search, visit
from webenv.cassette import Cassette
from webenv.cassette.keys import keyed
from webenv.episode import Episode
from webenv.errors import CassetteMiss, DataError, InvalidArgument, WebenvError
from webenv.evaluation import EpisodeSpec
from webenv.judge import Judge, Seen, Submission, Verdict
from webenv.models import ChatModel, Message, Model, ModelFailure, ModelReply, Request, ToolCall
from webenv.observations import Document, Page, Reply, Result
from webenv.policies import ReactPolicy
from webenv.recorded import RecordedAsker, RecordedJudge, RecordedModel, RecordedWeb, open_cassette, recorded_models
from webenv.recorded.model import read_reply
from webenv.recorded.transcript import plain, plain_record, read_answer
from webenv.rewards import make_judge
from webenv.rollout.play import play_episodes
from webenv.turn import play_turn
from webenv.web import AskRequest, Missing, Scope, SearchRequest, VisitRequest, Web

MILL = "https://mills.example/wheel"
KEY = "sk-a-very-secret-key"


class CountingModel:
    """A model that never says the same twice, and notes what it was asked."""

    def __init__(self, name: str = "tiny", **settings: str) -> None:
        self.identity: Mapping[str, str] = {"name": "counting", "model": name, **settings}
        self.batches: list[int] = []
        self.samples: list[list[int]] = []
        self.said = 0

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        self.batches.append(len(requests))
        self.samples.append([request.sample for request in requests])
        return [self._reply(request.messages[-1].content) for request in requests]

    def _reply(self, text: str) -> ModelReply | ModelFailure:
        self.said += 1
        return (
            ModelFailure("no line", True) if "fail" in text else ModelReply(f"{text} {self.said}", "stop", 5, self.said)
        )


def said(*texts: str) -> list[Request]:
    return [Request.of(text) for text in texts]


def votes(*samples: int) -> list[Request]:
    return [Request.of("vote")._replace(sample=sample) for sample in samples]


def submission(answer: str = MILL, **changes: Any) -> Submission:
    task = Task("t/wheel", "Find it.", ("old",), Gold((MILL,), ("wheel",)), {"site": "mills.example"})
    page = Page(MILL, "The wheel", "Old.", "2020-01-04", "key-wheel")
    made = Submission(
        task, "answered", (answer,), (page,), (page,), (Seen(MILL, "key-wheel"),), Budget(), Spending(1, 2, 0, 3)
    )
    return replace(made, **changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tape.db"


# ── keys ──────────────────────────────────────────────────────────────────────

PINNED = {
    "search": (SearchRequest("old mill"), "f6cb690773677f380c5e92b99c6190306b772fb64fe55b8dd1296627d0493c35"),
    "search in scope": (
        SearchRequest("ñandú \ud800", 5, Scope(("b.example", "a.example"), "2025-01-31", "w")),
        "5e33a143aa4596712613f29366913446a5813af44616e82067218de39d9984f3",
    ),
    "visit": (VisitRequest(MILL), "e57c78aa8b3a9ff422189293140db1db3405d50772c3359c31f7df6acd2cf332"),
    "ask": (
        AskRequest("How old?", "mills.example"),
        "cb13c3c5006334369d30847ab8d6a2ca2ef71f55947fd324f29959fc53e67a19",
    ),
    "judge": (submission(), "dbb95534c3cf3728f6c4acd5e441dad188af4b2dc3633a619cc240b6dba3db24"),
}


@pytest.mark.parametrize("name", PINNED)
def test_pinned_keys(name: str) -> None:
    """The key of a request is what it always was: cassettes that were recorded stay valid."""
    request, key = PINNED[name]
    assert keyed(name.split()[0], plain(request)).key.hex() == key


def test_pinned_keys_of_models(path: Path) -> None:
    """So is the key of a request to a model, with the settings that the endpoint is sent, and its sample."""
    model = CountingModel("tiny", host="localhost:1", temperature="0", max_tokens="4096")
    plainest = CountingModel("tiny", host="localhost:2", temperature="default")
    with Cassette(path, "record") as cassette:
        RecordedModel(cassette, model).complete([Request.of("hi")._replace(sample=2)])
        RecordedModel(cassette, plainest).complete(said("hi"))
        schema = {"type": "object", "properties": {"é": {"type": "string"}}}
        RecordedModel(cassette, model).complete([Request((Message("user", "hi"),), 1, schema, {"a": 1})])
        rows = list(cassette.rows())
    assert [row.request for row in rows] == [
        {"max_tokens": "4096", "messages": [{"content": "hi", "role": "user"}], "model": "tiny", "temperature": "0"},
        {"messages": [{"content": "hi", "role": "user"}], "model": "tiny"},
        {
            "max_tokens": "4096",
            "messages": [{"content": "hi", "role": "user"}],
            "model": "tiny",
            "temperature": "0",
            "schema": {"type": "object", "properties": {"é": {"type": "string"}}},
            "extra": {"a": 1},
        },
    ]
    keys = [keyed("model", row.request, row.sample).key.hex() for row in rows]
    assert keys == [
        "5a12efba9095b0cc67b1a2d309cd478a55b6eec3483dd63e1fbe78ab06b6f7f4",
        "5237dc061bdefabf2a21559fd61b090b3ec076162de973564eecf38b1cc8761e",
        "245559841f34590c19ff8c79217e32ff7d8adf9f6171b946bebae7eb202ac613",
    ]


def test_a_later_field_at_its_default_changes_no_key() -> None:
    """A request type that gains a field is still found by what was recorded before, unless the field is used."""

    class Later(NamedTuple):
        query: str
        limit: int = 10
        scope: Scope = Scope()
        freshness: str = "any"

    always = ("query", "limit")
    assert plain_record(Later("mill"), always) == plain(SearchRequest("mill"))
    assert plain_record(Later("mill", freshness="day"), always) == {"query": "mill", "limit": 10, "freshness": "day"}


def test_the_clock_is_no_part_of_a_submission() -> None:
    """The seconds that an episode took change no key of its judgement; all else does."""
    first = plain(submission())
    assert plain(submission(spending=Spending(1, 2, 0, 3, 7.5))) == first
    others = [
        submission("x"),
        submission(pages=()),
        submission(pages=(Missing("gone"),)),
        submission(pages=(Failure("gone"),)),
    ]
    others += [submission(spending=Spending(2, 2, 0, 3)), submission(seen=()), submission(budget=Budget(searches=3))]
    texts = {str(plain(other)) for other in others}
    assert len(texts) == len(others)
    assert str(first) not in texts


# ── a web ─────────────────────────────────────────────────────────────────────


def test_web_is_recorded_and_replayed(path: Path) -> None:
    """What a web answered is given again, to the letter, without the web, under its identity."""
    searches = [SearchRequest("mill"), SearchRequest("mill", 1), SearchRequest("mill", scope=Scope(as_of="2020-01-04"))]
    visits = [VisitRequest(MILL), VisitRequest("https://mirror.example/bell"), VisitRequest("https://none.example/")]
    asks = [AskRequest("mill wheel", "mills.example"), AskRequest("mill", "none.example")]
    web = small_web()
    with Cassette(path, "record") as cassette:
        recorded, asker = RecordedWeb(cassette, web), RecordedAsker(cassette, web)
        live = (recorded.search(searches), recorded.visit(visits), asker.ask(asks))
    assert live == (web.search(searches), web.visit(visits), web.ask(asks))
    replayed, again = RecordedWeb(Cassette(path)), RecordedAsker(Cassette(path))
    assert isinstance(replayed, Web)
    assert (replayed.search(searches), replayed.visit(visits), again.ask(asks)) == live
    assert again.identity == replayed.identity
    assert replayed.identity == {"name": "dict", "digest": "9"}
    assert list(replayed.identity) == list(web.identity)
    assert (replayed.search([]), replayed.visit([])) == ([], [])


def test_misses_go_out_as_one_batch(path: Path) -> None:
    """What is not on the tape goes out as one batch, each request once; what is on it, not at all."""
    web = CountingWeb(small_web())
    with Cassette(path, "record") as cassette:
        recorded = RecordedWeb(cassette, web)
        first = recorded.search([SearchRequest(text) for text in ("mill", "comet", "mill")])
        again = recorded.search([SearchRequest(text) for text in ("lens", "mill", "lens", "comet", "bell")])
        recorded.search([SearchRequest("bell")])
    assert web.batches["search"] == [2, 2]
    assert first[0] == first[2] == again[1]
    assert again[0] == again[2]
    assert again == small_web().search([SearchRequest(text) for text in ("lens", "mill", "lens", "comet", "bell")])


def test_keys_do_not_depend_on_the_batch(path: Path) -> None:
    """What was recorded in one batch is replayed one by one, in another order, by another session."""
    texts = ["mill", "comet", "lens", "bell"]
    with Cassette(path, "record") as cassette:
        live = RecordedWeb(cassette, small_web()).search([SearchRequest(text) for text in texts])
    for number in (2, 0, 3, 1):
        assert RecordedWeb(Cassette(path)).search([SearchRequest(texts[number])]) == [live[number]]


def test_failures_are_recorded_as_such(path: Path) -> None:
    """What failed, alone or with its whole batch, is given back by a replay, and asked again by a recording."""
    asked = [SearchRequest("broken"), SearchRequest("mill")]
    collapsing = [SearchRequest("mill"), SearchRequest("collapse"), SearchRequest("bell")]
    broken = CountingWeb(BrokenWeb(pages_of()))
    with Cassette(path, "record") as cassette:
        recorded = RecordedWeb(cassette, broken)
        live = recorded.search(asked), recorded.search(collapsing)
        assert recorded.search(asked) == live[0]
    assert broken.batches["search"] == [2, 2, 1]
    assert live[0][0] == Failure("the server is down")
    assert live[1] == [live[0][1], Failure("the line is cut"), Failure("the line is cut")]
    for mode in ("replay", "strict"):
        replayed = RecordedWeb(Cassette(path, mode), broken)
        assert (replayed.search(asked), replayed.search(collapsing)) == live
        assert replayed.search(collapsing[:1]) == live[0][1:]
    with Cassette(path, "record") as cassette:
        mended = RecordedWeb(cassette, BrokenWeb(pages_of())).search([SearchRequest("bell")])
    assert RecordedWeb(Cassette(path)).search([SearchRequest("bell")]) == mended


def test_one_run_has_one_outcome(path: Path) -> None:
    """Within a run what failed is not asked again, as a replay could not tell the times apart; the next run asks."""
    web = CountingWeb(BrokenWeb(pages_of()))
    with Cassette(path, "record") as cassette:
        recorded = RecordedWeb(cassette, web)
        with cassette.one_run():
            assert recorded.visit([VisitRequest("broken")] * 2) == recorded.visit([VisitRequest("broken")] * 2)
        assert web.batches["visit"] == [1]
        recorded.visit([VisitRequest("broken")])
        assert web.batches["visit"] == [1, 1]


def test_live_passes_on(path: Path) -> None:
    """In mode live every request goes to the web, and no file is made."""
    web = CountingWeb(small_web())
    live = RecordedWeb(Cassette(path, "live"), web)
    assert live.search([SearchRequest("mill")] * 2) == small_web().search([SearchRequest("mill")] * 2)
    assert (web.batches["search"], live.identity, path.exists()) == ([2], web.identity, False)


def test_a_miss_is_no_failure_of_the_web(path: Path) -> None:
    """In a replay, a request that is not recorded ends step and evaluation: it becomes no outcome of an episode."""
    with Cassette(path, "record") as cassette:
        RecordedWeb(cassette, small_web()).search([SearchRequest("mill", 3)])
    env = SearchEnv(benchmark(RecordedWeb(Cassette(path))))
    env.reset(options={"task": "t/wheel"})
    assert env.step(search("mill"))[0]["results"]
    with pytest.raises(CassetteMiss, match=r'holds no answer to search \{"limit":3,"query":"mills"\}'):
        env.step(search("mills"))
    with pytest.raises(CassetteMiss, match="holds no visit at all"):
        env.step(visit(MILL))


@given(st.data())
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_answer_survives(path: Path, data: st.DataObject) -> None:
    """Results, pages and replies of any texts are replayed as they were recorded."""
    texts = st.text(st.characters(), max_size=20)
    hits = data.draw(st.lists(st.builds(Result, texts, texts, texts, texts, texts), max_size=3))
    page = data.draw(st.one_of(st.builds(Page, texts, texts, texts, texts, texts), st.builds(Missing, texts)))
    documents = st.lists(st.builds(Document, texts, texts, texts, texts), max_size=2).map(tuple)
    counts = st.integers(0, 2**53 - 1)
    trace = st.fixed_dictionaries(
        {
            "policy": texts,
            "ending": texts,
            "turns": st.just([]),
            "requests": counts,
            "valid": counts,
            "tokens": counts,
            "seconds": st.floats(0, 1e9),
        }
    )
    asked_agent = st.builds(Reply, texts, texts, documents, trace=st.none() | trace)
    reply = data.draw(st.one_of(asked_agent, st.builds(Missing, texts)))
    text = data.draw(texts)

    class One:
        identity: Mapping[str, str] = {"name": "one"}
        search = staticmethod(lambda requests: [tuple(hits)])
        visit = staticmethod(lambda requests: [page])
        ask = staticmethod(lambda requests: [reply])

    path.unlink(missing_ok=True)
    asked: tuple[Any, ...] = ([SearchRequest(text)], [VisitRequest(text)], [AskRequest(text, text)])
    with Cassette(path, "record") as cassette:
        web, asker = RecordedWeb(cassette, One()), RecordedAsker(cassette, One())
        assert (web.search(asked[0]), web.visit(asked[1]), asker.ask(asked[2])) == ([tuple(hits)], [page], [reply])
    with Cassette(path) as cassette:
        web, asker = RecordedWeb(cassette), RecordedAsker(cassette)
        assert (web.search(asked[0]), web.visit(asked[1]), asker.ask(asked[2])) == ([tuple(hits)], [page], [reply])


def test_a_web_of_the_wrong_length(path: Path) -> None:
    """A web that answers fewer requests than it was given is refused; nothing is recorded."""

    class Short(DictWeb):
        def search(self, requests: Sequence[SearchRequest]) -> list[Any]:
            return super().search(requests)[1:]

    with Cassette(path, "record") as cassette:
        with pytest.raises(WebenvError, match="search was given 2 requests and returned 1"):
            RecordedWeb(cassette, Short(pages_of())).search([SearchRequest("a"), SearchRequest("b")])
        assert cassette.contents().answers == {}


def test_an_answer_of_another_kind_is_named() -> None:
    """An answer that this version cannot read is one clear line."""
    with pytest.raises(DataError, match=r"an answer to search that this webenv cannot read .*newer webenv"):
        read_answer("search", [{"title": "x", "thumbnail": "y"}])
    with pytest.raises(DataError, match="cannot be recorded"):
        plain(object())


# ── identity ──────────────────────────────────────────────────────────────────


def test_identity_is_that_of_the_recorded(path: Path) -> None:
    """In a replay the identity is that of who was recorded, even where another stands ready."""
    with Cassette(path, "record") as cassette:
        RecordedWeb(cassette, small_web("first"))
    assert RecordedWeb(Cassette(path)).identity["name"] == "first"
    assert RecordedWeb(Cassette(path), small_web("second")).identity["name"] == "first"


def test_another_web_is_not_recorded_on_the_same_tape(path: Path) -> None:
    """Answers of two webs never mix: recording and strict refuse another web than the recorded one."""
    with Cassette(path, "record") as cassette:
        RecordedWeb(cassette, small_web("first")).search([SearchRequest("mill")])
        with pytest.raises(InvalidArgument, match="recorded with a web of name = 'first', this one has 'second'"):
            RecordedWeb(cassette, small_web("second"))
    with pytest.raises(InvalidArgument, match="mode 'strict' was recorded with a web of name = 'first'"):
        RecordedWeb(Cassette(path, "strict"), small_web("second"))
    strict = RecordedWeb(Cassette(path, "strict"), CountingWeb(small_web("first")))
    assert strict.search([SearchRequest("mill")]) == small_web().search([SearchRequest("mill")])
    with pytest.raises(CassetteMiss):
        strict.search([SearchRequest("mills")])


def test_two_webs_that_come_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two webs that are put on a new tape at the same time one is refused: nobody comes between check and note."""
    together, refused = threading.Barrier(2), []
    real = Cassette.register

    def register(self: Cassette, *given: Any) -> None:
        together.wait(10)
        real(self, *given)

    def put(name: str) -> None:
        try:
            RecordedWeb(Cassette(path, "record"), small_web(name))
        except InvalidArgument:
            refused.append(name)

    Cassette(path, "record").close()
    monkeypatch.setattr(Cassette, "register", register)
    threads = [threading.Thread(target=put, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert len(Cassette(path).answerers("web")) == 1


def test_versions_are_no_other_web(path: Path) -> None:
    """A new version of webenv or of an extractor extends a tape, and is replayed strictly; a new gateway is refused."""

    class LiveWeb(DictWeb):
        identity: Mapping[str, str] = {}  # type: ignore[assignment]

    def web(**identity: str) -> LiveWeb:
        made = LiveWeb(pages_of())
        made.identity = {"name": "live", **identity}
        return made

    old = {"user_agent": "webenv/0.1.0", "extractor": "trafilatura 2.0.0"}
    new = {"user_agent": "webenv/0.2.0", "extractor": "trafilatura 2.1.0"}
    for mode in ("record", "strict"):
        for identity in (old, new):
            with Cassette(path, mode) as cassette:
                assert RecordedWeb(cassette, web(**identity)).search([SearchRequest("mill")])
        with pytest.raises(InvalidArgument, match="of gateway = 'default', this one has 'http://a:1'"):
            RecordedWeb(Cassette(path, mode), web(**new, gateway="http://a:1"))


def test_who_is_missing_is_named(path: Path) -> None:
    """A mode that asks needs someone to ask; a replay needs to know who was recorded."""
    with pytest.raises(InvalidArgument, match="mode 'record' needs the web that is to be asked"):
        RecordedWeb(Cassette(path, "record"))
    with pytest.raises(DataError, match="was not recorded with this judge: it holds no judge"):
        RecordedJudge(Cassette(path))
    with Cassette(path, "record") as cassette:
        RecordedModel(cassette, CountingModel("large"))
    with pytest.raises(DataError, match="was not recorded with this model: its models are large"):
        RecordedModel(Cassette(path), name="tiny")
    with pytest.raises(InvalidArgument, match=r"expected a webenv\.cassette\.Cassette"):
        RecordedWeb(str(path), small_web())  # type: ignore[arg-type]


def test_models_on_one_tape(path: Path) -> None:
    """A tape holds several models, each with its own replies; a replay is told which one by its name."""
    with Cassette(path, "record") as cassette:
        for name in ("tiny", "large"):
            RecordedModel(cassette, CountingModel(name)).complete(said(name))
            RecordedModel(cassette, CountingModel(name)).complete(said("hi"))
    with Cassette(path) as cassette:
        assert RecordedModel(cassette, name="large").complete(said("large")) == [ModelReply("large 1", "stop", 5, 1)]
        with pytest.raises(CassetteMiss):
            RecordedModel(cassette, name="tiny").complete(said("large"))
        with pytest.raises(InvalidArgument, match=r"several models: large,temp.*Write one of them, as in 'large,"):
            RecordedModel(cassette)


def test_a_model_may_move(path: Path) -> None:
    """A model at another host goes on recording; strict wants the same host, and other settings are another model."""
    with Cassette(path, "record") as cassette:
        RecordedModel(cassette, CountingModel(host="a:1", temperature="0")).complete(said("hi"))
        moved = RecordedModel(cassette, CountingModel(host="b:2", temperature="0"))
        assert moved.complete(said("hi")) == [ModelReply("hi 1", "stop", 5, 1)]
        warm = RecordedModel(cassette, CountingModel(host="b:2", temperature="1"))
        assert warm.complete(said("warm", "hi"))[1] == ModelReply("hi 2", "stop", 5, 2)
        RecordedModel(cassette, CountingModel("other", quality="high"))
        with pytest.raises(InvalidArgument, match=r"a model of quality = 'high', this one has 'default'"):
            RecordedModel(cassette, CountingModel("other"))
    with pytest.raises(InvalidArgument, match="of host = 'a:1', this one has 'b:2'"):
        RecordedModel(Cassette(path, "strict"), CountingModel(host="b:2", temperature="0"))


def test_open_cassette(path: Path) -> None:
    """A recorded web is opened by its name; a mode, in which it could compare nothing, is refused."""
    with Cassette(path, "record") as cassette:
        RecordedWeb(cassette, small_web()).search([SearchRequest("mill")])
    assert open_cassette(f"cassette:{path}").search([SearchRequest("mill")]) == small_web().search(
        [SearchRequest("mill")]
    )
    for spec in ("cassette:", "corpus:x", "cassette"):
        with pytest.raises(InvalidArgument, match="expected cassette:FILE"):
            open_cassette(spec)
    for mode in ("strict", "record", "replay"):
        with pytest.raises(InvalidArgument, match="has no mode; to compare with the web that was recorded, name that"):
            open_cassette(f"cassette:{path},mode={mode}")


# ── a model ───────────────────────────────────────────────────────────────────


def test_samples_stay_several_replies(path: Path) -> None:
    """Five votes on one conversation are five replies, in the recording and in every replay."""
    model = CountingModel()
    with Cassette(path, "record") as cassette:
        recorded = RecordedModel(cassette, model)
        assert isinstance(recorded, Model)
        live = recorded.complete(votes(*range(5)))
        assert recorded.complete(votes(*range(5))) == live
    assert (model.batches, model.samples) == ([5], [[0, 1, 2, 3, 4]])
    assert [reply.text for reply in live if isinstance(reply, ModelReply)] == [f"vote {n}" for n in range(1, 6)]
    replayed = RecordedModel(Cassette(path))
    assert replayed.complete(votes(*range(5))) == live
    assert replayed.complete(votes(3, 1)) == [live[3], live[1]]
    assert replayed.complete(said("vote")) == live[:1]
    with pytest.raises(CassetteMiss, match="has sample 0, 1, 2, 3, 4 of it"):
        replayed.complete(votes(5))


def test_tool_calls_survive(path: Path) -> None:
    """A request with tools and calls, and a reply that calls, are replayed as they were."""
    calls = (ToolCall("c1", "search", '{"queries": ["ñ"]}'), ToolCall("", "x", ""))
    messages = (Message("user", "hi"), Message("assistant", "", calls), Message("tool", "found", (), "c1"))
    request = Request(messages, tools=({"type": "function", "function": {"name": "search"}},))
    reply = ModelReply("I look.", "tool_calls", 5, 1, tool_calls=calls)

    class Calling(CountingModel):
        def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
            return [reply for _ in requests]

    with Cassette(path, "record") as cassette:
        RecordedModel(cassette, Calling()).complete([request])
    assert RecordedModel(Cassette(path)).complete([request]) == [reply]
    with pytest.raises(CassetteMiss):
        RecordedModel(Cassette(path)).complete([request._replace(tools=())])


def test_what_is_no_request(path: Path) -> None:
    """A conversation in place of a request is refused before anything is looked for."""
    with Cassette(path, "record") as cassette, pytest.raises(InvalidArgument, match="for a request; expected a list"):
        RecordedModel(cassette, CountingModel()).complete([request.messages for request in said("hi")])  # type: ignore[misc]


def test_model_failures_are_recorded_as_such(path: Path) -> None:
    """A failure of a model is asked again by the next recording, and given back, word for word, by a replay."""
    with Cassette(path, "record") as cassette:
        recorded = RecordedModel(cassette, CountingModel())
        live = recorded.complete(said("fail", "hi"))
        assert live == [ModelFailure("no line", True), ModelReply("hi 2", "stop", 5, 2)]
        assert recorded.complete(said("fail")) == live[:1]
        assert (cassette.contents().answers, cassette.contents().failures) == ({"model": 1}, {"model": 1})
    assert RecordedModel(Cassette(path)).complete(said("fail", "hi")) == live


def test_a_miss_is_no_failure_of_the_policy(path: Path) -> None:
    """A policy whose model has no recorded reply ends the evaluation, not the episode."""
    with Cassette(path, "record") as cassette:
        RecordedModel(cassette, CountingModel())
    policy = ReactPolicy(RecordedModel(Cassette(path)))
    with pytest.raises(CassetteMiss, match="It holds no model at all"):
        list(play_episodes(benchmark(), policy, [EpisodeSpec("t/bell", 0, 0)]))


def test_attempts_are_samples(path: Path) -> None:
    """The attempts at a task are samples of one conversation: each keeps a reply of its own."""
    jobs = [EpisodeSpec("t/bell", attempt, 7) for attempt in range(4)]
    with Cassette(path, "record") as cassette:
        live = list(play_episodes(benchmark(), ReactPolicy(RecordedModel(cassette, CountingModel())), jobs))
    replayed = list(play_episodes(benchmark(), ReactPolicy(RecordedModel(Cassette(path))), jobs, parallel=1))
    records = sorted((record for step in live for record in step), key=lambda record: record.attempt)
    assert [record for step in replayed for record in step] == records
    assert len({record.turns[0].thought for record in records}) == 4


def test_no_key_reaches_the_tape(path: Path) -> None:
    """Neither the key nor its header stands on the tape, not even where the endpoint echoes it in a failure."""
    replies: list[Any] = ["a reply", Fault(400, f"bad key {KEY}")]
    with (
        serve(lambda _: replies.pop(0)) as server,
        ChatModel("tiny", base_url=server.base_url, api_key=KEY, retries=0) as model,
        Cassette(path, "record") as cassette,
    ):
        recorded = RecordedModel(cassette, model)
        recorded.complete(said("first"))
        recorded.complete(said("second"))
        assert server.keys == [f"Bearer {KEY}"] * 2
        assert [row.request["messages"][0]["content"] for row in cassette.rows()] == ["first", "second"]
    assert KEY.encode() not in path.read_bytes()
    assert b"Bearer" not in path.read_bytes()


def test_models_by_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that are made from a name are recorded; in a replay they need neither key nor endpoint."""
    with serve(lambda _: "<accept/>") as server, Cassette(path, "record") as cassette:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        with recorded_models(cassette) as made:
            judge = make_judge("llm:my-judge")
        identity = dict(judge.identity)
        assert (made, identity["model"]) == (["my-judge"], "my-judge")
    monkeypatch.delenv("OPENAI_BASE_URL")
    with recorded_models(Cassette(path)):
        assert make_judge("llm:my-judge").identity == identity


# ── a judge ───────────────────────────────────────────────────────────────────


def test_judge_is_recorded_and_replayed(path: Path) -> None:
    """Verdicts are given again without the judge; the same submission is judged once."""
    judge = GoldJudge()
    with Cassette(path, "record") as cassette:
        recorded = RecordedJudge(cassette, judge)
        assert isinstance(recorded, Judge)
        live = recorded.score([submission(), submission("x", pages=()), submission()])
        assert recorded.score([submission()]) == live[:1]
    assert judge.batches == [2]
    assert [verdict.value for verdict in live] == [1.0, 0.0, 1.0]
    replayed = RecordedJudge(Cassette(path))
    assert replayed.score([submission("x", pages=()), submission()]) == live[1:]
    assert replayed.identity == {"name": "gold", "version": "1"}
    with pytest.raises(CassetteMiss, match="holds no answer to judge"):
        replayed.score([submission("y", pages=())])


def test_unscored_is_a_failure(path: Path) -> None:
    """A judge that came to no verdict, or raised, is asked again by a recording; a replay gives that back."""
    doubt, strike = Verdict.unscored("cannot tell", "gold"), Verdict.unscored("the judge is on strike", "gold")
    judge = GoldJudge()
    with Cassette(path, "record") as cassette:
        recorded = RecordedJudge(cassette, judge)
        assert recorded.score([submission("doubt")]) == recorded.score([submission("doubt")]) == [doubt]
        assert recorded.score([submission("strike")]) == [strike]
        assert cassette.contents().answers == {}
    assert judge.batches == [1, 1, 1]
    assert RecordedJudge(Cassette(path)).score([submission("strike"), submission("doubt")]) == [strike, doubt]


def test_a_miss_is_no_failure_of_the_judge(path: Path) -> None:
    """An answer that was never judged ends the step; the episode is not unscored by it."""
    with Cassette(path, "record") as cassette:
        RecordedJudge(cassette, GoldJudge())
    task = small_tasks().find("t/bell")
    setting = benchmark(judge=RecordedJudge(Cassette(path)))  # type: ignore[arg-type]
    episode = Episode(task, setting.rules, setting.budget)
    with pytest.raises(CassetteMiss, match="holds no judge at all"):
        play_turn(setting, [episode], [answer("https://harbour.example/bell")])


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("search", [{"title": 1, "url": "u", "snippet": "s", "site": "t"}]),
        ("search", {"title": "t"}),
        ("visit", {"page": {"url": "u", "title": [], "text": "t"}}),
        ("visit", {"missing": {"reason": None}}),
        ("ask", {"reply": {"site": "s", "text": "t", "documents": [{"url": 1, "title": "t", "text": "t"}]}}),
        ("ask", {"reply": {"site": "s", "text": {}}}),
        ("judge", {"outcome": [], "value": 1.0, "explanation": "", "judge": "j"}),
        ("judge", {"outcome": "right", "value": "1", "explanation": "", "judge": "j"}),
    ],
)
def test_an_answer_that_holds_no_texts_is_refused(kind: str, data: Any) -> None:
    """A tape from elsewhere cannot put anything but texts where an agent and its judge expect them."""
    with pytest.raises(DataError, match=f"an answer to {kind} that this webenv cannot read"):
        read_answer(kind, data)


@pytest.mark.parametrize(
    "data", [{"text": 1}, {"text": "t", "finish": None}, {"text": "t", "prompt_tokens": "many"}, []]
)
def test_a_reply_that_is_none_is_refused(data: Any) -> None:
    """So it is with what stands in the place of a model's reply."""
    with pytest.raises(DataError, match="a model's reply that this webenv cannot read"):
        read_reply(data)
