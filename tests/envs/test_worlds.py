"""NeedleInWeb-v0 on several generated worlds, and on a folder that holds one."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

import webenv
from tests.webs import benchmark_of, check_snapshots
from webenv.corpora import Corpus, build
from webenv.corpora.procedural import WebConfig, Worlds, write_corpus
from webenv.corpora.routed import RoutedWeb
from webenv.corpora.world import WorldWeb
from webenv.envs.needle_in_web.simulated import GeneratedSimulatedNeedles, simulated_source
from webenv.errors import InvalidArgument, UnknownTask
from webenv.evaluation import evaluate, read_records
from webenv.policies import KeywordPolicy, OraclePolicy
from webenv.task import Gold, Task, TaskSet
from webenv.web import Failure, Scope, SearchRequest

WEB = "procedural:worlds=3,pages=200,seed=4"
ONE = "procedural:pages=200,seed=5"
MAKE = {"web": WEB, "tasks": "generated:count=7"}


def make(**settings: Any) -> gym.Env[Any, Any]:
    return gym.make("NeedleInWeb-v0", **{**MAKE, **settings})


@pytest.fixture(scope="module")
def tasks() -> GeneratedSimulatedNeedles:
    return GeneratedSimulatedNeedles(simulated_source(Worlds.parse(WEB)), 7)


# ── the tasks ─────────────────────────────────────────────────────────────────


def test_worlds_take_turns(tasks: GeneratedSimulatedNeedles) -> None:
    """Of each difficulty the tasks come from the worlds in turn, under ids that say which, and differ."""
    easy = [task.id for task in tasks[:7]]
    assert easy == [f"pages=200,seed={4 + n % 3}/easy/{n // 3}" for n in range(7)]
    assert [task.id for task in tasks] == list(tasks.ids())
    assert len(set(tasks.ids())) == 21 == len(tasks)
    assert [tasks.position(id) for id in tasks.ids()] == list(range(21))
    assert [tasks.find(id) for id in tasks.ids()] == list(tasks)
    assert {task.scope for task in tasks[::3]} == {Scope(world="procedural:pages=200,seed=4")} | {
        task.scope for task in tasks[::3] if "seed=4" not in task.id
    }


def test_a_task_is_the_same_alone_and_among_others(tasks: GeneratedSimulatedNeedles) -> None:
    """A world's tasks are those that it has where it is the only one, but for the world that they name."""
    alone = GeneratedSimulatedNeedles(simulated_source(Worlds.parse(ONE)), 3)
    for task in alone:
        among = tasks.find(task.id) if int(task.id[-1]) < 2 else None
        if among is not None:
            assert (among.question, among.gold, among.tags) == (task.question, task.gold, task.tags)
            assert (task.scope.world, among.scope.world) == ("", ONE)


def test_unknown_ids(tasks: GeneratedSimulatedNeedles) -> None:
    """The last number depends on the world: seven tasks are three of the first and two of the others."""
    assert tasks.find("pages=200,seed=4/hard/2").tags["difficulty"] == "hard"
    with pytest.raises(UnknownTask, match="it has numbers 0 to 1 of easy"):
        tasks.find("pages=200,seed=5/hard/2")
    with pytest.raises(UnknownTask, match="here; it is one of web='procedural:pages=200,seed=7'"):
        tasks.find("pages=200,seed=7/easy/0")
    for wrong in ("seed=4,pages=200/easy/0", "no/easy/0", ""):
        with pytest.raises(UnknownTask, match="expected an id such as 'pages=200,seed=4/easy/0'"):
            tasks.find(wrong)


def test_draws_are_even(tasks: GeneratedSimulatedNeedles) -> None:
    """Each world has its share of what is drawn."""
    rng = np.random.default_rng(0)
    drawn = Counter(tasks.draw(rng).id.split("/")[0] for _ in range(700))
    assert {name: 150 < count < 350 for name, count in drawn.items()} == {
        f"pages=200,seed={seed}": True for seed in (4, 5, 6)
    }


def test_digests(tasks: GeneratedSimulatedNeedles) -> None:
    """Another number of worlds, or another first one, is another set of tasks."""
    again = GeneratedSimulatedNeedles(simulated_source(Worlds.parse(WEB)), 7)
    others = [WEB.replace("worlds=3", "worlds=4"), WEB.replace("seed=4", "seed=3"), WEB.replace("worlds=3,", "")]
    digests = {GeneratedSimulatedNeedles(simulated_source(Worlds.parse(web)), 7).digest for web in others}
    assert again.digest == tasks.digest
    assert len(digests | {tasks.digest}) == 4


# ── the environment ───────────────────────────────────────────────────────────


def test_worlds_are_made_when_they_come_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand worlds make an environment, its identity and a plan for nothing; a reset makes none yet."""
    monkeypatch.setenv("WEBENV_CACHE", str(tmp_path))  # that no other test's worlds are counted
    env = gym.make("NeedleInWeb-v0", web="procedural:worlds=100000,pages=150", split="train")
    told = benchmark_of(env).identity["web"]
    assert len(benchmark_of(env).tasks) == 3 * 100 * 100_000
    assert (told["name"], told["web"]) == ("worlds", "procedural:worlds=100000,pages=150")
    assert benchmark_of(gym.make("NeedleInWeb-v0", web=told["web"])).identity["web"] == told
    seen = {env.reset(seed=seed)[1]["task"].split("/")[0] for seed in range(3)}
    assert len(seen) == 3
    assert not list(tmp_path.glob("procedural/*/manifest.json"))
    env.step(webenv.search("anything"))
    assert len(list(tmp_path.glob("procedural/*/manifest.json"))) == 1


def test_check_env() -> None:
    """gymnasium's own checker finds nothing, not even something to warn of."""
    check_env(make().unwrapped)


def test_the_oracle_is_always_right() -> None:
    """Slots of one batch play in different worlds; each gold page gets 1 from the exact and the page judge."""
    for judge in ("exact", "page"):
        envs = gym.make_vec("NeedleInWeb-v0", num_envs=21, **MAKE, judge=judge)
        tasks = benchmark_of(envs).tasks
        _, infos = envs.reset(seed=0, options={"tasks": list(tasks.ids())})
        assert infos["task"].tolist() == list(tasks.ids())
        answers = [webenv.answer(task.gold.urls[0]) for task in tasks]
        _, rewards, terminated, _, infos = envs.step(answers)
        assert (rewards.tolist(), terminated.all()) == ([1.0] * 21, True)
        envs.reset(options={"tasks": list(tasks.ids())})
        others = answers[1:] + answers[:1]  # right pages of other tasks, most of them of other worlds
        same = [float(one == other) for one, other in zip(answers, others, strict=True)]
        _, rewards, *_, infos = envs.step(others)
        assert (rewards.tolist(), sum(same) < 3) == (same, True)
        assert {"unreachable", "wrong_page"} <= set(infos["verdict"]["outcome"].tolist())
        envs.close()


def test_what_is_found_is_the_world_s_own() -> None:
    """Searches, visits and asks of an episode find what the lone world finds."""
    env, alone = make(), make(web=ONE)
    task = "pages=200,seed=5/medium/1"
    steps = []
    for one in (env, alone):
        observation, _ = one.reset(options={"task": task})
        found = one.step(webenv.search(*observation["question"].split("\n- ")[1:]))
        steps.append((observation, found, one.step(webenv.visit(found[0]["results"][0]["url"]))))
    assert data_equivalence(steps[0], steps[1], exact=True)


def test_snapshots_and_forks() -> None:
    """A snapshot goes through JSON into another environment of the same worlds, and into none of other worlds."""
    saved = check_snapshots(make)
    with pytest.raises(webenv.errors.SnapshotError):
        webenv.restore(make(web=WEB.replace("worlds=3", "worlds=2")), saved)


def test_evaluation_is_resumed(tmp_path: Path) -> None:
    """A run over worlds that is taken up again has the records of one that was played at once."""
    settings = {"difficulty": "easy", **MAKE}
    for folder, counts in (("once", [9]), ("twice", [4, 9])):
        for count in counts:
            summary = evaluate(
                "NeedleInWeb-v0", KeywordPolicy(), episodes=count, settings=settings, out=tmp_path / folder, resume=True
            )
    assert (summary.total.episodes, summary.unscored) == (9, {})
    once, twice = (
        sorted(read_records(tmp_path / folder), key=lambda record: record.key) for folder in ("once", "twice")
    )
    assert once == twice
    assert len({record.task.split("/")[0] for record in once}) == 3


def test_splits_share_no_task() -> None:
    """No question, and no gold page, of one split is in another."""
    made = {split: benchmark_of(make(split=split)).tasks for split in ("train", "validation", "test")}
    golds = [task.gold.urls[0] for tasks in made.values() for task in tasks]
    assert len(golds) == 63
    owners = {url: {split for split, tasks in made.items() for t in tasks if url in t.gold.urls} for url in golds}
    assert {len(splits) for splits in owners.values()} == {1}
    questions = [{task.question for task in tasks} for tasks in made.values()]
    assert len(set().union(*questions)) == sum(map(len, questions)) >= 60


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tasks": "generated:count=2"}, "expected a count from 3 to 10,000,000, of each difficulty, one of each"),
        ({"tasks": None, "web": "procedural:worlds=0"}, "worlds=0; expected a whole number from 1"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], message: str) -> None:
    """Settings that do not fit several worlds are refused with what to do."""
    with pytest.raises(InvalidArgument) as refused:
        make(**settings)
    assert message in str(refused.value)


def test_tasks_of_other_worlds_are_refused(tasks: GeneratedSimulatedNeedles) -> None:
    """Generated tasks given as a task set must be of the worlds that they are put on; a part of them will do."""
    with pytest.raises(InvalidArgument, match="expected tasks of the same web"):
        make(tasks=tasks, web=WEB.replace("worlds=3", "worlds=4"))
    site = tasks[0].tags["site"]
    part = tasks.filter(site=site)
    env = make(tasks=part, judge="page")
    assert OraclePolicy(part).act([]) == []
    env.reset(seed=0)
    found = benchmark_of(env).web.search([SearchRequest("a", 1, part[0].scope), SearchRequest("a")])
    assert [isinstance(one, Failure) for one in found] == [False, True]
    assert isinstance(benchmark_of(env).web, RoutedWeb)


# ── a folder that holds a procedural web ──────────────────────────────────────


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that was built from one procedural web."""
    path = tmp_path_factory.mktemp("built") / "web"
    build(path, [ONE])
    return path


def test_a_built_folder_is_its_web(folder: Path, tmp_path: Path) -> None:
    """A folder built from a procedural web has the tasks, the judge and the digest of that web."""
    made = benchmark_of(make(web=ONE)).identity
    write_corpus(WorldWeb(WebConfig.parse(ONE)), tmp_path / "written")
    for web in (folder, tmp_path / "written", str(folder), Corpus.open(folder)):
        assert benchmark_of(make(web=web, judge="exact")).identity == made
    assert benchmark_of(make(web=folder, tasks=None)).identity == benchmark_of(make(web=ONE, tasks=None)).identity
    assert benchmark_of(make(web=folder, split="train")).identity == made


def test_another_generator_s_folder_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of another version of the generator are not known; the line says what to do."""
    monkeypatch.setattr("webenv.corpora.procedural.write.made_by", lambda config: "procedural 0123456789abcdef")
    with pytest.raises(InvalidArgument) as refused:
        make(web=folder)
    line = str(refused.value)
    assert line.endswith("build it again, with webenv corpus build DIR --from procedural:pages=200,seed=5.")
    assert "this is procedural 0123456789abcdef" in line
    page = Task("t", "Which?", gold=Gold(urls=(next(Corpus.open(folder).urls()),)))
    assert len(benchmark_of(make(web=folder, tasks=TaskSet([page]))).tasks) == 1  # other tasks may be put on it


def test_folders_of_other_making_are_refused(tmp_path: Path) -> None:
    """A folder with other pages too, or with others alone, has no generated tasks, and says what it was built from."""
    page = {"url": "https://a.example/1", "title": "One", "text": "A page."}
    (tmp_path / "pages.jsonl").write_text(json.dumps(page) + "\n")
    jsonl = f"jsonl:{tmp_path / 'pages.jsonl'}"
    for name, sources in (("mixed", [ONE, jsonl]), ("other", [jsonl])):
        build(tmp_path / name, sources, workers=1)
        with pytest.raises(InvalidArgument, match="needs web='procedural', or a corpus built from one") as refused:
            make(web=tmp_path / name)
        assert str(refused.value).endswith(f"{jsonl}.")
        with pytest.raises(InvalidArgument, match="comes without tasks"):
            make(web=tmp_path / name, tasks=None)


def test_tasks_of_another_web_are_refused(folder: Path) -> None:
    """Generated tasks must be of the web in the folder."""
    other = GeneratedSimulatedNeedles(simulated_source(Worlds.parse(ONE.replace("seed=5", "seed=6"))), 2)
    with pytest.raises(InvalidArgument, match="expected tasks of the same web"):
        make(web=folder, tasks=other)
    with pytest.raises(InvalidArgument, match="no task has split='test'"):
        make(web=folder, split="test")


# ── webs that lack the gold pages ─────────────────────────────────────────────


def test_a_web_without_the_gold_pages_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no gold page of the tasks looked at is there, the web and the tasks do not fit."""
    tasks = TaskSet([Task(f"t{n}", "Which?", gold=Gold(urls=(f"https://x.example/{n}",))) for n in range(50)], name="T")
    with pytest.raises(InvalidArgument) as refused:
        make(web="sample", tasks=tasks)
    assert str(refused.value) == (
        "web='sample' has the gold page of none of 20 tasks of 'T' looked at, such as https://x.example/0 of task "
        "'t0': give the web that the tasks are about, or a corpus with its pages."
    )
    sample = benchmark_of(gym.make("NeedleInWeb-v0", web="sample")).tasks
    make(web="sample", tasks=TaskSet([*sample, *tasks[:4]], name="U"))
    assert capsys.readouterr().err == (
        "webenv: note: web='sample' lacks the gold pages of 4 of 16 tasks of 'U' looked at, such as "
        "https://x.example/0 of task 't0'; such tasks stay unscored.\n"
    )
    make(web="sample", tasks=sample)
    make(web="sample", tasks=TaskSet([Task("t", "Which?")]))
    assert capsys.readouterr().err == ""


def test_an_unknown_judge_is_told_of_exact() -> None:
    """The judge that knows facts is offered where there are facts, and not elsewhere."""
    with pytest.raises(InvalidArgument, match="Did you mean 'exact'"):
        make(judge="exakt")
    with pytest.raises(InvalidArgument, match=r"Expected one of: .*, exact, .*, page, "):
        make(judge="nobody")
    with pytest.raises(InvalidArgument, match="Expected one of: ") as refused:
        make(judge="nobody", web="sample", tasks=None)
    assert "exact" not in str(refused.value)
