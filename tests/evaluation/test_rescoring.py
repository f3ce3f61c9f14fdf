"""Rescoring: a run that was played is judged again, without playing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.openai_server import Fault, Messages, Reply, serve
from tests.webs import CountingWeb
from webenv import Action, Benchmark, Decision, History, Submission, Verdict, answer, note, search
from webenv.cassette import Cassette
from webenv.envs import needle_in_web
from webenv.errors import InvalidArgument, JudgeError, RunError
from webenv.evaluation import evaluate, read_records
from webenv.evaluation.agreement import judged_by
from webenv.evaluation.recording import recorded_env
from webenv.evaluation.rescoring import rescore
from webenv.judge import identity_digest
from webenv.policies import KeywordPolicy
from webenv.rewards import PageJudge
from webenv.web import Failure

SAMPLE_TASKS = Path(needle_in_web.__file__).parent / "sample"
SMALL = "procedural:pages=200"


class Harsh:
    """Finds wrong what lies at one site, has no verdict on another's, and notes what it is asked."""

    def __init__(self) -> None:
        self.submissions: list[Submission] = []

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "harsh", "version": "1"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        self.submissions += submissions
        return [self._score(one) for one in submissions]

    def _score(self, submission: Submission) -> Verdict:
        if submission.task.id.startswith("south"):
            return Verdict.unscored("the south is not known here", "harsh")
        right = submission.task.id.startswith("west") and bool(submission.first)
        return Verdict("fine" if right else "poor", float(right), "as it is", "harsh")


class Mixed:
    """Plays a third of the tasks rightly, gives no answer in a third, and fails in a third."""

    identity: Mapping[str, str] = {"name": "mixed", "version": "1"}

    def __init__(self, fails: bool = True) -> None:
        self._fails = fails

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._act(history) for history in histories]

    def _act(self, history: History) -> Decision | Failure:
        site, place = history.task_id.split("/")
        if place == "quarry":
            return Decision(note("hm"))
        if place == "orchard" and history.decisions and self._fails:
            return Failure("no model")
        return Decision(answer(f"https://{site}.example/{place}") if history.decisions else search(place))


@pytest.fixture
def run(benchmark: Benchmark, tmp_path: Path) -> Path:
    evaluate(benchmark, Mixed(), out=tmp_path / "run")
    return tmp_path / "run"


def lines(path: str | Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (Path(path) / "verdicts.jsonl").read_text().splitlines()]


def test_the_same_judge_finds_the_same(run: Path, benchmark: Benchmark) -> None:
    """By the judge that the run had, verdicts, terms and rewards are to the bit what they were, whatever the end."""
    before = (run / "episodes.jsonl").read_bytes()
    rescoring = rescore(run, env=benchmark)
    found = {(one["task"], one["attempt"]): one for one in lines(rescoring.folder)}
    records = list(read_records(run))
    assert (
        sorted(record.ending for record in records) == ["answered"] * 3 + ["out_of_turns"] * 3 + ["policy_failed"] * 3
    )
    digest = identity_digest(PageJudge().identity)
    assert {record.verdict["identity"] for record in records} == {digest, ""}
    assert digest == identity_digest(json.loads((run / "run.json").read_text())["benchmark"]["judge"])
    for record in records:
        one = found[record.key]
        assert one["verdict"] == record.verdict
        assert (one["reward"], one["reward_terms"]) == (record.reward, record.turns[-1].reward_terms)
    assert (rescoring.changed, rescoring.judged, rescoring.outside) == ({}, 9, 3)
    assert rescoring.before.total == rescoring.after.total
    assert (run / "episodes.jsonl").read_bytes() == before


def test_another_judge(run: Path, benchmark: Benchmark) -> None:
    """Another judge's verdicts are counted apart, and what failed outside the task is not put to it."""
    judge = Harsh()
    rescoring = rescore(run, judge, env=benchmark)
    assert (rescoring.before.total.successes, rescoring.before.total.unscored) == (3, 3)
    assert (rescoring.after.total.successes, rescoring.after.total.unscored) == (1, 5)
    assert rescoring.changed == {"right → unscored": 1, "right → wrong": 1, "wrong → unscored": 1}
    assert sorted({one.task.id.split("/")[1] for one in judge.submissions}) == ["harbour", "quarry"]
    assert Path(rescoring.folder).name == f"harsh-{identity_digest(judge.identity)}"
    about = json.loads((Path(rescoring.folder) / "run.json").read_text())
    assert about["judge"] == {"name": "harsh", "version": "1"}
    identities = {one["verdict"]["judge"]: one["verdict"]["identity"] for one in lines(rescoring.folder)}  # type: ignore[index]
    assert identities == {"harsh": rescoring.digest, "rules": "", "mixed": ""}


def test_what_the_judge_is_given(run: Path, benchmark: Benchmark) -> None:
    """A judge is given what it was given when the episode was played, but for the seconds; pages come in one batch."""
    first, again, web = Harsh(), Harsh(), CountingWeb(benchmark.web)
    evaluate(replace(benchmark, judge=first), Mixed(), out=run.parent / "played")
    rescore(run, again, env=replace(benchmark, web=web))
    given = {one.task.id: replace(one, spending=one.spending._replace(seconds=0.0)) for one in first.submissions}
    assert {one.task.id: one for one in again.submissions} == given
    assert web.batches == {"search": [], "visit": [9], "ask": []}  # six gold pages, three answered ones


def test_nothing_is_judged_twice(run: Path, benchmark: Benchmark) -> None:
    """A rescoring that is done asks nobody; a line that was cut short is found anew, and no other."""
    done = rescore(run, Harsh(), env=benchmark, parallel=2)
    again = Harsh()
    assert replace(rescore(run, again, env=benchmark), judged=9) == done
    assert again.submissions == []
    file = Path(done.folder) / "verdicts.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    assert rescore(run, again, env=benchmark).judged == 1
    assert file.read_bytes() == whole


def test_played_again(run: Path, benchmark: Benchmark) -> None:
    """An episode that was played again since it was judged is judged again; its later verdict alone counts."""
    first = rescore(run, Harsh(), env=benchmark)
    evaluate(benchmark, Mixed(fails=False), out=run, resume=True, retry_unscored=True)
    assert len(judged_by(run, Path(first.folder).name, lambda _: first).verdicts) == 6
    judge = Harsh()
    again = rescore(run, judge, env=benchmark)
    assert sorted(one.task.id for one in judge.submissions) == ["north/orchard", "south/orchard", "west/orchard"]
    assert (first.outside, first.after.total.successes) == (3, 1)
    assert (again.outside, again.after.total.successes, again.after.total.episodes) == (0, 2, 9)


def test_a_judge_that_fails(run: Path, benchmark: Benchmark) -> None:
    """A judge that fails leaves its batch unscored, with the reason, and the rescoring goes on."""

    class Down(Harsh):
        def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
            raise JudgeError("the judge is down")

    rescoring = rescore(run, Down(), env=benchmark)
    assert rescoring.after.total.unscored == 9
    assert rescoring.after.unscored["answered: the judge is down"] == 3


def test_retried(run: Path, benchmark: Benchmark) -> None:
    """What a judge left unscored is judged again when that is asked for, and not before; its later verdict counts."""

    class Recovers(Harsh):
        def _score(self, submission: Submission) -> Verdict:
            return Verdict("fine", 1.0, "known by now", "harsh")

    assert rescore(run, Harsh(), env=benchmark).after.total.unscored == 5
    assert rescore(run, Recovers(), env=benchmark).judged == 0
    rescoring = rescore(run, Recovers(), env=benchmark, retry_unscored=True)
    assert (rescoring.judged, rescoring.after.total.unscored, rescoring.after.total.successes) == (2, 3, 2)
    assert rescore(run, Harsh(), env=benchmark).after == rescoring.after


def test_refused(run: Path, benchmark: Benchmark, tmp_path: Path) -> None:
    """Other tasks, parts that run.json cannot hold, what is no run, a name for a benchmark: each a line."""
    tasks = benchmark.tasks.filter(difficulty="easy")
    with pytest.raises(RunError, match=r"was played on 9 tasks of places \(digest \w{12}\), the environment now has 3"):
        rescore(run, PageJudge(), env=replace(benchmark, tasks=tasks))
    with pytest.raises(
        RunError, match=r"was played in 'Places-v0', which is none of webenv's .* --env module:Places-v0"
    ):
        rescore(run, "page")
    with pytest.raises(RunError, match="is no run, but holds some; name the folder of one: run"):
        rescore(tmp_path, "page")
    with pytest.raises(InvalidArgument, match="takes a Judge alone"):
        rescore(run, "page", env=benchmark)
    with pytest.raises(InvalidArgument, match="parallel=0"):
        rescore(run, env=benchmark, parallel=0)
    whole = (run / "run.json").read_text()
    (run / "run.json").write_text(json.dumps(json.loads(whole) | {"env": {"id": "NeedleInWeb-v0"}}))
    with pytest.raises(RunError, match=r"is damaged: env\.settings in run\.json is None"):
        rescore(run, "page")
    (run / "run.json").write_text(whole)
    about = json.loads((run / "run.json").read_text())
    about["env"] = {"id": "NeedleInWeb-v0", "settings": {"web": {"type": "Corpus"}}}
    (run / "run.json").write_text(json.dumps(about))
    with pytest.raises(RunError, match=r"with web = a Corpus of Python's, which run.json cannot hold; give web, in"):
        rescore(run, "page")


def test_generated_tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on a generated web is rescored from its run.json: the exact judge finds what it found, page no less."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path / "cache"))
    settings = {"web": SMALL, "split": "test", "difficulty": "easy", "reward": {"recall": 0.2, "cost": 0.1}}
    evaluate("NeedleInWeb-v0", KeywordPolicy(), settings=settings, episodes=30, out=tmp_path / "run")
    records = {record.key: record for record in read_records(tmp_path / "run")}
    exact = rescore(tmp_path / "run", "exact")
    for one in lines(exact.folder):
        record = records[str(one["task"]), 0]
        assert (one["verdict"], one["reward"]) == (record.verdict, record.reward)
    page = rescore(tmp_path / "run", "page")
    assert exact.after.total.successes == page.after.total.successes == exact.before.total.successes > 0
    assert exact.changed == page.changed == {}
    assert sorted(path.name.split("-")[0] for path in (tmp_path / "run" / "rescored").iterdir()) == ["exact", "page"]


def test_a_model_judge_on_a_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model's verdicts are recorded as a run is rescored, and found again when the endpoint is gone."""
    evaluate("NeedleInWeb-v0", KeywordPolicy(), settings={"web": "sample"}, out=tmp_path / "run")
    answered = sum(record.ending == "answered" for record in read_records(tmp_path / "run"))

    def accepts(messages: Messages) -> Reply:
        text = messages[-1]["content"]
        token = text.partition('<accept id="')[2].partition('"')[0]
        return f'<accept id="{token}"/>' if "lighthouse" in text else Fault(400, "no lighthouse")

    with serve(accepts) as server, Cassette(tmp_path / "tape.db", "record") as tape:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-a-test")
        first = rescore(tmp_path / "run", "llm:judge", cassette=tape)
        asked = len(server.requests)
        assert asked > answered
    monkeypatch.delenv("OPENAI_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert first.after.total.unscored > 0
    verdicts = Path(first.folder) / "verdicts.jsonl"
    before = verdicts.read_bytes()
    verdicts.unlink()
    with Cassette(tmp_path / "tape.db") as tape:
        again = rescore(tmp_path / "run", "llm:judge", cassette=tape)
    assert again == first
    assert verdicts.read_bytes() == before
    about = json.loads((Path(first.folder) / "run.json").read_text())
    assert about["cassettes"][0]["mode"] == "replay"
    assert about["judge"]["model"] == "judge"
    assert b"secret" not in before + (Path(first.folder) / "run.json").read_bytes()


def test_a_run_on_a_cassette(tmp_path: Path) -> None:
    """A run that was played on a cassette is not fetched anew by mistake; on it, it is rescored."""
    words = {"web": "sample", "difficulty": "easy"}
    with Cassette(tmp_path / "tape.db", "record") as tape:
        evaluate(recorded_env("NeedleInWeb-v0", words, tape), KeywordPolicy(), out=tmp_path / "run")
    with pytest.raises(
        RunError, match=r"on the cassette 'tape.db', and its pages would be fetched anew; add --cassette"
    ):
        rescore(tmp_path / "run", "page")
    with Cassette(tmp_path / "tape.db") as tape:
        on_tape = rescore(tmp_path / "run", "page", cassette=tape)
    moved = {"web": f"cassette:{tmp_path / 'tape.db'}", "tasks": SAMPLE_TASKS}
    named = rescore(tmp_path / "run", "page", settings=moved)
    assert on_tape.after == named.after
    assert on_tape.changed == {}


class Silent:
    """Sends what is no action."""

    identity: Mapping[str, str] = {"name": "silent", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(Action(-1, ("hm",))) for _ in histories]


def test_endings_keep_their_names(benchmark: Benchmark, tmp_path: Path) -> None:
    """A run whose rules have words of a paper is recorded, and rescored under any rules, in the house's words."""
    fails = replace(benchmark.rules, invalid="fail")
    papers = replace(benchmark, rules=replace(fails, endings={"no_action": "no_action_block"}))
    evaluate(papers, Silent(), out=tmp_path / "run", episodes=2)
    assert [record.ending for record in read_records(tmp_path / "run")] == ["no_action"] * 2
    for rules in (papers.rules, fails, replace(fails, endings={"invalid_action": "bad_block"})):
        rescoring = rescore(tmp_path / "run", PageJudge(), env=replace(benchmark, rules=rules))
        assert rescoring.changed == {}
        assert {line["ending"] for line in lines(rescoring.folder)} == {"no_action"}
        assert next(read_records(tmp_path / "run")).verdict["outcome"] == "no_action"
