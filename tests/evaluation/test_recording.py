"""Runs on a cassette: recorded with a real model server and a real corpus, replayed with neither."""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Fault, Messages, Reply, serve
from webenv import AskRequest, Benchmark, Failure, SearchRequest, Submission, Verdict, VisitRequest, Web
from webenv.cassette import Cassette
from webenv.corpora import Corpus
from webenv.envs.needle_in_web import needle_in_web
from webenv.errors import InvalidArgument, RunError, WebError
from webenv.evaluation import evaluate, read_records
from webenv.evaluation.recording import recorded_env
from webenv.models import ChatModel, make_model
from webenv.policies import KeywordPolicy, ReactPolicy
from webenv.recorded import RecordedJudge, RecordedModel, RecordedWeb, recorded_models
from webenv.rewards import EntailmentJudge, PageJudge

_TOKEN = re.compile(r'<accept id="(\w+)"/>')
_URL = re.compile(r"^https://\S+$", re.MULTILINE)


def moody() -> Callable[[Messages], Reply]:
    """A model that never says the same twice: an agent that searches, visits and answers, and a fickle judge."""
    number = itertools.count()

    def script(messages: Messages) -> Reply:
        n, last = next(number), messages[-1]["content"]
        asked = _TOKEN.search(last)
        if asked:
            token = asked[1]
            return f'<reject id="{token}">mood {n}</reject>' if n % 5 == 0 else f'Mood {n}. <accept id="{token}"/>'
        urls = _URL.findall(last)
        if len(messages) == 2:
            words = re.findall(r"[a-z]{5,}", messages[1]["content"])
            return f"Try {n}. <search>\n{words[n % len(words)]} {words[7 * n % len(words)]}\n{words[-1]} {n}\n</search>"
        if len(messages) == 4 and urls:
            return f"<think>{n}</think><visit>\n{urls[n % len(urls)]}\n</visit>"
        return f"<source>{urls[0] if urls else 'No source found.'}</source> {n}"

    return script


@pytest.fixture(scope="module")
def sample() -> Benchmark:
    return needle_in_web(web="sample", difficulty="easy")


def on(
    tape: Cassette, sample: Benchmark, web: bool = False, models: tuple[ChatModel, ChatModel] | None = None
) -> tuple[Benchmark, ReactPolicy]:
    """The benchmark and the policy on a tape; without a web and without models unless they are given."""
    first, second = models or (None, None)
    judge = EntailmentJudge(RecordedModel(tape, first, name="judge"))
    setting = replace(sample, web=RecordedWeb(tape, sample.web if web else None), judge=judge)
    return setting, ReactPolicy(RecordedModel(tape, second, name="agent"))


def test_replay_is_the_recorded_run_to_the_byte(sample: Benchmark, tmp_path: Path) -> None:
    """Three attempts a task with a model that never says the same twice: the replay has neither web nor server, and
    its episodes.jsonl is the recorded one byte for byte; run.json differs in the cassette's mode alone."""
    with serve(moody()) as server, Cassette(tmp_path / "tape.db", "record") as tape:
        models = tuple(ChatModel(name, base_url=server.base_url, api_key="k") for name in ("judge", "agent"))
        setting, policy = on(tape, sample, web=True, models=models)  # type: ignore[arg-type]
        live = evaluate(setting, policy, attempts=3, out=tmp_path / "live", cassettes=[tape])
        requests = len(server.requests)
    assert requests > 12 * 3
    with Cassette(tmp_path / "tape.db") as tape:
        setting, policy = on(tape, sample)
        again = evaluate(setting, policy, attempts=3, out=tmp_path / "again", cassettes=[tape])
        alone = evaluate(*on(tape, sample), attempts=3, out=tmp_path / "alone", parallel=1)
    assert replace(again, folder="") == replace(alone, folder="") == replace(live, folder="")
    recorded, replayed, single = (
        (tmp_path / name / "episodes.jsonl").read_bytes() for name in ("live", "again", "alone")
    )
    assert replayed == recorded
    assert sorted(single.splitlines()) == sorted(recorded.splitlines())  # in the order in which episodes end
    records = list(read_records(tmp_path / "again"))
    assert len(records) == 12
    by_task: dict[str, set[str]] = {}
    for record in records:
        by_task.setdefault(record.task, set()).add(record.turns[0].thought)
    assert {len(thoughts) for thoughts in by_task.values()} == {3}
    runs = [json.loads((tmp_path / name / "run.json").read_text()) for name in ("live", "again")]
    tapes = [run.pop("cassettes") for run in runs]
    assert runs[0] == runs[1]
    digest = Cassette(tmp_path / "tape.db").digest
    assert tapes == [[{"file": "tape.db", "mode": mode, "digest": digest}] for mode in ("record", "replay")]


class Flaky:
    """A web that is down now and then, whatever it is asked: one request in five, and one batch in six."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._requests, self._batches = itertools.count(1), itertools.count(1)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "flaky"}

    def search(self, requests: Sequence[SearchRequest]) -> list[Any]:
        return self._fail(self._web.search(requests))

    def visit(self, requests: Sequence[VisitRequest]) -> list[Any]:
        return self._fail(self._web.visit(requests))

    def ask(self, requests: Sequence[AskRequest]) -> list[Any]:
        return self._fail(self._web.ask(requests))

    def _fail(self, answers: Sequence[Any]) -> list[Any]:
        number = next(self._batches)
        if number % 6 == 0:
            raise WebError(f"the line is cut ({number})")
        return [Failure(f"rate limit ({n})") if (n := next(self._requests)) % 5 == 0 else one for one in answers]


@pytest.mark.parametrize("parallel", [2, 64])
def test_a_run_with_failures_is_replayed_to_the_byte(sample: Benchmark, tmp_path: Path, parallel: int) -> None:
    """Web, agent and judge fail now and then: what was unscored in the recorded run is so in the replay, for the
    same reasons, though several episodes ask the same."""
    path, mood = tmp_path / "tape.db", moody()
    numbers: defaultdict[tuple[str, int], Iterator[int]] = defaultdict(itertools.count)  # by who asks, and the turn

    def script(messages: Messages) -> Reply:
        asked = numbers[messages[0]["content"][:40], len(messages)]
        return Fault(400, "too long") if next(asked) % 7 == 3 else mood(messages)

    with serve(script) as server, Cassette(path, "record") as tape:
        judge, agent = (ChatModel(n, base_url=server.base_url, api_key="k", retries=0) for n in ("judge", "agent"))
        for policy, out in ((ReactPolicy(RecordedModel(tape, agent)), "agent"), (KeywordPolicy(), "keyword")):
            web = RecordedWeb(tape, Flaky(sample.web))
            setting = replace(sample, web=web, judge=EntailmentJudge(RecordedModel(tape, judge)))
            live = evaluate(setting, policy, attempts=4, parallel=parallel, out=tmp_path / out)
            assert live.total.unscored > 0
            with Cassette(path) as again:
                setting = on(again, sample)[0]
                if out == "agent":
                    policy = ReactPolicy(RecordedModel(again, name="agent"))
                evaluate(setting, policy, attempts=4, parallel=parallel, out=tmp_path / f"{out}-again")
            recorded, replayed = (tmp_path / name / "episodes.jsonl" for name in (out, f"{out}-again"))
            assert replayed.read_bytes() == recorded.read_bytes()
    endings = {record.ending for record in read_records(tmp_path / "agent")}
    assert endings >= {"web_failed", "policy_failed"}


def test_a_run_whose_model_failed_is_mended(sample: Benchmark, tmp_path: Path) -> None:
    """What failed is asked again where a recording is resumed for it, and replayed from then on as it was mended."""
    path, mood, down = tmp_path / "tape.db", moody(), [True]

    def script(messages: Messages) -> Reply:
        return Fault(400, "no luck") if down[0] and len(messages) == 4 else mood(messages)

    with serve(script) as server, Cassette(path, "record") as tape:
        models = tuple(ChatModel(name, base_url=server.base_url, api_key="k", retries=0) for name in ("judge", "agent"))
        setting, policy = on(tape, sample, web=True, models=models)  # type: ignore[arg-type]
        failed = evaluate(setting, policy, episodes=4, out=tmp_path / "live", cassettes=[tape])
        assert failed.total.unscored > 0
        early = evaluate(*on(Cassette(path), sample), episodes=4, out=tmp_path / "early")
        assert replace(early, folder="") == replace(failed, folder="")
        down[0] = False
        mended = evaluate(setting, policy, out=tmp_path / "live", resume=True, retry_unscored=True, cassettes=[tape])
    assert mended.total.unscored == 0
    replayed = evaluate(*on(Cassette(path), sample), episodes=4, out=tmp_path / "replay")
    assert replace(replayed, folder="") == replace(mended, folder="")


def test_only_our_own_judges_are_live_in_a_replay(sample: Benchmark, tmp_path: Path) -> None:
    """A judge made of ours that says that it asks is behind the tape; in a replay nobody is asked."""
    asked: list[int] = []

    class AskingJudge(PageJudge):
        asks = True

        def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
            asked.append(len(submissions))
            return super().score(submissions)

    settings = {"web": "sample", "difficulty": "easy", "judge": AskingJudge()}
    with Cassette(tmp_path / "tape.db", "record") as tape:
        evaluate(recorded_env("NeedleInWeb-v0", settings, tape), KeywordPolicy(), out=tmp_path / "live")
        before = list(asked)
    assert before
    with Cassette(tmp_path / "tape.db") as tape:
        evaluate(recorded_env("NeedleInWeb-v0", settings, tape), KeywordPolicy(), out=tmp_path / "again")
    assert asked == before


def test_recorded_env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment made by its name stands behind the tape; a replay opens no model, and needs no key."""
    settings = {"web": "sample", "judge": "llm:judge", "difficulty": "easy"}
    with serve(moody()) as server, Cassette(tmp_path / "tape.db", "record") as tape:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        env = recorded_env("NeedleInWeb-v0", settings, tape)
        with recorded_models(tape):
            policy = ReactPolicy(make_model("agent"))
        evaluate(env, policy, out=tmp_path / "live", cassettes=[tape])
    monkeypatch.delenv("OPENAI_BASE_URL")
    with Cassette(tmp_path / "tape.db") as tape:
        env = recorded_env("NeedleInWeb-v0", settings, tape)
        with recorded_models(tape):
            policy = ReactPolicy(make_model("agent"))
        evaluate(env, policy, out=tmp_path / "again", cassettes=[tape])
        assert tape.contents().answers.keys() == {"search", "visit", "model"}
        assert isinstance(env.benchmark.web, RecordedWeb)
    runs = [tmp_path / name for name in ("live", "again")]
    assert runs[0].joinpath("episodes.jsonl").read_bytes() == runs[1].joinpath("episodes.jsonl").read_bytes()
    assert json.loads((runs[1] / "run.json").read_text())["env"]["settings"] == settings


def test_live_web_is_not_opened_to_be_replayed(tmp_path: Path) -> None:
    """A web called live:… is not opened in a replay; run.json names it all the same."""
    path = Path(__file__).parents[2] / "envs/needle_in_web/sample"
    settings = {"web": "live:tavily", "tasks": str(path), "difficulty": "hard"}
    corpus = needle_in_web(web="sample").web
    with Cassette(tmp_path / "tape.db", "record") as tape:
        recorded = replace(needle_in_web(web="sample", difficulty="hard"), web=RecordedWeb(tape, corpus))
        evaluate(recorded, KeywordPolicy(), out=tmp_path / "live")
    with Cassette(tmp_path / "tape.db") as tape:
        evaluate(recorded_env("NeedleInWeb-v0", settings, tape), KeywordPolicy(), out=tmp_path / "again")
    runs = [tmp_path / name for name in ("live", "again")]
    assert runs[0].joinpath("episodes.jsonl").read_bytes() == runs[1].joinpath("episodes.jsonl").read_bytes()
    assert json.loads((runs[1] / "run.json").read_text())["env"]["settings"] == settings


def test_any_other_judge_is_recorded_whole(benchmark: Benchmark, tmp_path: Path) -> None:
    """A judge that is neither ours nor a named model's is recorded verdict by verdict."""
    with Cassette(tmp_path / "tape.db", "record") as tape:
        setting = replace(benchmark, web=RecordedWeb(tape, benchmark.web), judge=RecordedJudge(tape, benchmark.judge))
        live = evaluate(setting, KeywordPolicy(), out=tmp_path / "live")
    tape = Cassette(tmp_path / "tape.db")
    setting = replace(benchmark, web=RecordedWeb(tape), judge=RecordedJudge(tape))
    assert replace(evaluate(setting, KeywordPolicy(), out=tmp_path / "again"), folder="") == replace(live, folder="")
    assert tape.contents().answers["judge"] == 9


def test_a_run_on_a_cassette_is_not_resumed_live(benchmark: Benchmark, tmp_path: Path) -> None:
    """A run on a cassette that is resumed without one would go live: it is refused unless that is said."""
    with Cassette(tmp_path / "tape.db", "record") as tape:
        setting = replace(benchmark, web=RecordedWeb(tape, benchmark.web))
        evaluate(setting, KeywordPolicy(), episodes=3, out=tmp_path / "run")
    with pytest.raises(RunError, match=r"holds a run on the cassette 'tape.db', this one has none and would go live"):
        evaluate(benchmark, KeywordPolicy(), episodes=9, out=tmp_path / "run", resume=True)
    live = Cassette(tmp_path / "tape.db", "live")
    evaluate(benchmark, KeywordPolicy(), episodes=9, out=tmp_path / "run", resume=True, cassettes=[live])
    assert len(list(read_records(tmp_path / "run"))) == 9


def test_another_tape_is_noted(benchmark: Benchmark, tmp_path: Path) -> None:
    """A replay that is resumed with a tape of other content says so."""
    for name, count in (("a.db", 3), ("b.db", 9)):
        with Cassette(tmp_path / name, "record") as tape:
            setting = replace(benchmark, web=RecordedWeb(tape, benchmark.web))
            evaluate(setting, KeywordPolicy(), episodes=count, out=tmp_path / f"{name}-run")
    first = replace(benchmark, web=RecordedWeb(Cassette(tmp_path / "a.db")))
    assert evaluate(first, KeywordPolicy(), episodes=3, out=tmp_path / "run").notes == ()
    other = replace(benchmark, web=RecordedWeb(Cassette(tmp_path / "b.db")))
    summary = evaluate(other, KeywordPolicy(), episodes=9, out=tmp_path / "run", resume=True)
    assert summary.notes == ("The cassette is not what it was when the run began: its digest differs.",)


def test_another_web_is_refused(benchmark: Benchmark, tmp_path: Path) -> None:
    """Strict refuses up front a web of other content than the recorded one."""
    with Cassette(tmp_path / "tape.db", "record") as tape:
        RecordedWeb(tape, benchmark.web)
    pages = [{"url": "https://other.example/", "title": "Other", "text": "Another page."}]
    with pytest.raises(InvalidArgument, match="was recorded with a web of digest = "):
        RecordedWeb(Cassette(tmp_path / "tape.db", "strict"), Corpus.of(pages))
