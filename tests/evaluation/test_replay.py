"""at_step: environments that stand where recorded episodes stood."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import webenv
from webenv import Action, Benchmark, Decision, History, answer, note, search, visit
from webenv.cassette import Cassette
from webenv.corpora import build
from webenv.corpora.ingest.jsonl import JsonLines
from webenv.envs.needle_in_web import needle_in_web
from webenv.errors import CassetteMiss, InvalidArgument, RunError, WebenvError
from webenv.evaluation import PlayedTurn, at_step, evaluate, read_records
from webenv.evaluation.recording import recorded_env
from webenv.policies import KeywordPolicy, RandomPolicy
from webenv.recorded import RecordedWeb
from webenv.rollout.record import played_action
from webenv.web import Failure

SAMPLE = Path(__file__).parents[2] / "envs/needle_in_web/sample"


class Clumsy:
    """Sends in turn what is no action, an empty query, more visits than there are, a note, a search, and answers."""

    identity: Mapping[str, str] = {"name": "clumsy", "version": "1"}
    sends: Sequence[Any] = (
        Action(-2, ("Think", "so")),
        None,
        search(" "),
        visit(*["https://nowhere.example"] * 50),
        note("a\nb "),
        search("harbour", "lighthouse"),
        answer("https://north.example/harbour"),
    )

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self.sends[len(history.decisions)]) for history in histories]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of random on the sample web, every task once."""
    path = tmp_path_factory.mktemp("sample") / "run"
    evaluate("NeedleInWeb-v0", RandomPolicy(), out=path, settings={"web": "sample"})
    return path


def test_every_step_of_a_run(sample: Path) -> None:
    """Every step of every episode has the recorded observation, and the episode goes on from there as it went."""
    steps = 0
    for record in read_records(sample):
        for step, turn in enumerate(record.turns):
            env, observation = at_step(sample, record.task, step=step)
            then = record.turns[step - 1].observation if step else record.first
            assert observation["notice"] == then["notice"]
            assert observation["budget"].tolist() == then["budget"]
            assert list(observation["results"]) == then["results"]
            _, reward, *_ = env.step(played_action(turn))
            assert reward == turn.reward
            steps += 1
    assert steps > 50


def test_forks_and_snapshots(sample: Path) -> None:
    """From a step one forks, and takes another way; what stood there can be saved and taken up again."""
    record = next(read_records(sample))
    env, observation = at_step(sample, record.task, step=1)
    saved, twin = webenv.snapshot(env), webenv.fork(env)
    twin.step(answer(record.gold["urls"][0]))
    right = webenv.fork(env).step(answer(record.gold["urls"][0]))
    wrong = env.step(answer("No source found."))
    assert (right[1], wrong[1]) == (1.0, 0.0)
    webenv.restore(env, saved)
    after = env.step(note("here"))[0]["budget"].tolist()
    assert after[3] == observation["budget"].tolist()[3] - 1


def test_bad_actions_are_played_again(benchmark: Benchmark, tmp_path: Path) -> None:
    """What was no action, what was empty, and what was over budget bring the same notices; a Benchmark can be given."""
    evaluate(benchmark, Clumsy(), out=tmp_path / "run", episodes=1)
    (record,) = read_records(tmp_path / "run")
    assert [turn.kind for turn in record.turns[:3]] == ["invalid", "invalid", "search"]
    env, observation = at_step(tmp_path / "run", record.task, step=6, env=benchmark)
    assert observation["notice"] == "Query 1 found results 1 to 6. Query 2 found results 7 to 12."
    assert env.step(answer("https://north.example/harbour"))[1] == record.reward
    with pytest.raises(RunError, match=r"played in 'Places-v0', which is none of webenv's environments"):
        at_step(tmp_path / "run", record.task)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ("Action(kind=-1, arguments=('a \\'quoted\\' word',))", -1),
        ("Action(kind=-2, arguments=('Think', 'so'))", -2),
        ("Action(kind=7, arguments=('x',))", 7),
        ("(0, (1, 2))", -2),
        ("(True, ('x',))", -1),
        ("Action(kind=-2, arguments=('it was cut after 1,000 chara", -2),
        ("<object at 0x7f>", -1),
        ("None", -1),
    ],
)
def test_what_was_no_action(raw: str, kind: int) -> None:
    """What was no action is sent again as one of the kind that it had; what cannot be read, as none at all."""
    action = played_action(PlayedTurn("invalid", (raw,), "", {}, 0.0, {}))  # type: ignore[arg-type]
    assert action.kind == kind
    assert all(isinstance(text, str) for text in action.arguments)


def test_generated_web(tmp_path: Path) -> None:
    """A run on a generated web is taken up in the folder that holds several policies', by the policy's name."""
    settings = {"web": "procedural:pages=600,seed=5"}
    evaluate("NeedleInWeb-v0", KeywordPolicy(), episodes=2, out=tmp_path / "runs" / "keyword", settings=settings)
    record = next(read_records(tmp_path / "runs" / "keyword"))
    _, observation = at_step(tmp_path / "runs", record.task, step=len(record.turns) - 1, policy="keyword")
    assert [page["url"] for page in observation["pages"]] == list(record.turns[-2].texts)
    with pytest.raises(RunError, match=r"holds no run of the policy 'keywrd'. Did you mean 'keyword'\?"):
        at_step(tmp_path / "runs", record.task, policy="keywrd")
    with pytest.raises(RunError, match="is no run, but holds some; name the folder of one: keyword"):
        at_step(tmp_path / "runs", record.task)
    with pytest.raises(RunError, match="holds a run of 'keyword', none of 'oracle'"):
        at_step(tmp_path / "runs" / "keyword", record.task, policy="oracle")


def test_a_corpus_that_has_changed(tmp_path: Path) -> None:
    """Where the web is another one now, the first step that differs is named, and what differs."""
    pages = [json.loads(line) for line in _sample_pages()]
    _corpus(tmp_path / "web", pages)
    settings = {"web": str(tmp_path / "web"), "tasks": str(SAMPLE)}
    evaluate("NeedleInWeb-v0", KeywordPolicy(), out=tmp_path / "run", settings=settings)
    record = next(read_records(tmp_path / "run"))
    assert at_step(tmp_path / "run", record.task, step=1, settings=settings)[1]["results"]
    for page in pages:
        page["title"] = page["title"].upper()
    _corpus(tmp_path / "other", pages)
    with pytest.raises(RunError) as refused:
        at_step(tmp_path / "run", record.task, step=2, settings={**settings, "web": str(tmp_path / "other")})
    title = record.turns[0].observation["results"][0]["title"]
    message = str(refused.value)
    assert f"step 1 (search {record.turns[0].texts[0][:40]}" in message
    assert f'results[0].title was "{title}" when the run was played, and is "{title.upper()}" now; web.' in message
    assert "\n" not in message


def test_cassette(tmp_path: Path) -> None:
    """A run on a live web is taken up from its cassette, where other actions find nothing; without one refused."""
    settings = {"web": "live:tavily", "tasks": str(SAMPLE), "difficulty": "hard"}
    tape = tmp_path / "tape.db"
    with Cassette(tape, "record") as recording:
        web = RecordedWeb(recording, needle_in_web(web="sample").web)
        recorded = replace(needle_in_web(web="sample", difficulty="hard"), web=web)
        evaluate(recorded, KeywordPolicy(), out=tmp_path / "first")
    with Cassette(tape) as replayed:
        evaluate(recorded_env("NeedleInWeb-v0", settings, replayed), KeywordPolicy(), out=tmp_path / "run")
    record = next(read_records(tmp_path / "run"))
    named = {"tasks": str(SAMPLE)}  # files are opened only if they are named again; the live web is not opened
    env, observation = at_step(tmp_path / "run", record.task, step=1, cassette=tape, settings=named)
    assert list(observation["results"]) == record.turns[0].observation["results"]
    with pytest.raises(CassetteMiss):
        env.step(search("another query"))
    with pytest.raises(RunError, match=r"played on a live web, .* give cassette=FILE, the one called 'tape.db'"):
        at_step(tmp_path / "run", record.task, step=1)


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"task": "nope"}, RunError, "holds no episode of task 'nope'. Expected one of: "),
        ({"attempt": 3}, RunError, "holds no attempt 3 at task"),
        ({"step": 99}, InvalidArgument, "step=99: task"),
        ({"step": -1}, InvalidArgument, "expected a whole number from 0 to"),
        ({"step": True}, InvalidArgument, "step=True"),
        ({"settings": {"colour": 1}}, InvalidArgument, "colour"),
        ({"settings": {"budget": {"searches": 3}}}, RunError, r"budget[0] was 10 when the run was played, and is 3"),
    ],
)
def test_refused(sample: Path, how: dict[str, Any], error: type[WebenvError], said: str) -> None:
    """What is not there, or out of range, is refused in one line that says what there is."""
    with pytest.raises(error) as refused:
        at_step(sample, **{"task": next(read_records(sample)).task, **how})
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_python_objects_are_to_be_given(tmp_path: Path) -> None:
    """A setting that run.json cannot hold is asked for by its name."""
    corpus = needle_in_web(web="sample").web
    settings = {"web": corpus, "tasks": str(SAMPLE), "judge": "page"}
    evaluate("NeedleInWeb-v0", KeywordPolicy(), out=tmp_path / "run", episodes=1, settings=settings)
    (record,) = read_records(tmp_path / "run")
    with pytest.raises(RunError, match=r"played with web = a Corpus of Python's, .* in Python settings=\{'web': …\}"):
        at_step(tmp_path / "run", record.task, step=1)
    assert at_step(tmp_path / "run", record.task, step=1, settings={"web": corpus, "tasks": str(SAMPLE)})[1]["results"]


class Silent:
    """Searches once, and then cannot decide."""

    identity: Mapping[str, str] = {"name": "silent", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Failure("no reply") if one.decisions else Decision(search("harbour")) for one in histories]


def test_after_a_policy_that_failed(benchmark: Benchmark, tmp_path: Path) -> None:
    """An episode whose policy failed is taken up after all its turns, where the next decision was due."""
    evaluate(benchmark, Silent(), out=tmp_path / "run", episodes=1)
    (record,) = read_records(tmp_path / "run")
    env, _ = at_step(tmp_path / "run", record.task, step=1, env=benchmark)
    assert env.step(answer(record.gold["urls"][0]))[1] == 1.0


def _sample_pages() -> list[str]:
    return (Path(__file__).parents[2] / "corpora/sample/pages.jsonl").read_text(encoding="utf-8").splitlines()


def _corpus(folder: Path, pages: list[dict[str, str]]) -> None:
    source = folder.with_suffix(".jsonl")
    source.write_text("".join(json.dumps(page) + "\n" for page in pages), encoding="utf-8")
    build(folder, [JsonLines(source)], workers=1)
