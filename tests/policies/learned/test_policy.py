"""Policies that learned, as any other plays them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.extras import needs_extra

needs_extra("train")

import gymnasium as gym
import torch

import webenv
from webenv.cli.app import run
from webenv.envs.needle_in_web import needle_in_web
from webenv.errors import DataError, InvalidArgument, MissingExtra
from webenv.policies import make_policy
from webenv.policies.learned.checkpoint import SavedPolicy
from webenv.policies.learned.policy import LearnedPolicy
from webenv.policies.learned.scorer import MenuScorer
from webenv.policy import History, Policy
from webenv.rollout.play import EpisodeSpec, play_episodes
from webenv.rules import Rules
from webenv.wrappers.menu import MenuSize, MenuWrapper

SIZE = MenuSize(3, 6, 2)
URLS = needle_in_web(web="sample")
PHRASES = replace(URLS, rules=Rules())


def policy(seed: int = 0, *, greedy: bool = True) -> LearnedPolicy:
    """A policy that learned nothing, but does not choose uniformly."""
    scorer = MenuScorer(SIZE, width=16, chance=torch.Generator().manual_seed(seed))
    with torch.no_grad():
        for rows in (scorer.queries, scorer.candidates, scorer.sites):
            rows.logits.weight *= 300
    return LearnedPolicy(SavedPolicy(scorer, "url", "NeedleInWeb-v0", 7), greedy=greedy)


def played(chosen: LearnedPolicy, task: str) -> History:
    """An episode of the sample web, as a policy plays it."""
    ((record,),) = play_episodes(URLS, chosen, [EpisodeSpec(task, 0, 0)])
    return record.history(len(record.turns))


def tasks() -> list[str]:
    return list(URLS.tasks.ids())[:4]


def test_it_decides_as_its_scorer_does_over_the_wrapper() -> None:
    """Folded from a history, the menu is that of the wrapper: the same actions in the same order."""
    env = MenuWrapper(gym.make("NeedleInWeb-v0", web="sample"), SIZE)
    chosen = policy()
    for task in tasks():
        history = played(chosen, task)
        rows, info = env.reset(options={"task": task})
        for decision in history.decisions:
            batch = {name: torch.from_numpy(values).unsqueeze(0) for name, values in rows.items()}
            scores = chosen.saved.scorer(batch, torch.from_numpy(info["action_mask"]).bool().unsqueeze(0))
            number = int(scores.best()[0])
            assert env.menu.action(number) == decision.action
            assert env.menu.names[number] == decision.thought
            rows, _, terminated, _, info = env.step(number)
        assert terminated


def test_a_decision_depends_on_its_history_alone() -> None:
    """Alone or in a batch, a history gets the same decision."""
    whole = [played(policy(), task) for task in tasks()]
    cut = [History(one.task_id, 0, one.observations[:2], one.decisions[:1]) for one in whole]
    assert policy().act(cut) == [policy().act([one])[0] for one in cut] == [one.decisions[1] for one in whole]
    assert policy().act([]) == []


def test_menus_that_it_remembers_change_no_decision() -> None:
    """Parts of one episode in any order, two in a batch, and with another turn: as a policy decides that saw none."""
    one, other = (played(policy(seed), tasks()[0]) for seed in (0, 1))
    forked = [one.observations[0], *other.observations[1:3]]
    cuts = [History(one.task_id, 0, one.observations[: n + 1], one.decisions[:n]) for n in (1, 3, 2, 2)]
    cuts.append(History(one.task_id, 0, forked, other.decisions[:2]))
    chosen = policy()
    for batch in (cuts[:2], cuts[1:], cuts[::-1], cuts):
        assert chosen.act(batch) == [policy().act([cut])[0] for cut in batch]


def test_sampled_decisions_depend_on_the_seed() -> None:
    """Drawn instead of greedy: the same for the same seed, others for other seeds."""
    first = played(policy(), tasks()[0]).observations[:1]
    chosen = policy(1, greedy=False)
    of_seed = [chosen.act([History("t", seed, list(first))])[0] for seed in (*range(8), *range(8))]
    assert of_seed[:8] == of_seed[8:]
    assert len({decision.action for decision in of_seed}) > 1


def test_identity() -> None:
    """The record of a run names the weights, where they were trained, and how they choose."""
    chosen = policy()
    assert isinstance(chosen, Policy)
    said = {"name": "learned", "version": "1", "trained_on": "NeedleInWeb-v0", "steps": "7", "answers": "url"}
    assert chosen.identity == {**said, "chooses": "greedy", "digest": chosen.saved.digest}
    assert policy(1).identity["digest"] != chosen.identity["digest"]


def test_by_file(tmp_path: Path) -> None:
    """A path that ends with .pt is the policy in it; it may be made to answer in another kind."""
    path = str(tmp_path / "first: try.pt")
    policy().save(path)
    assert make_policy(path).identity == make_policy(path, URLS).identity == policy().identity
    assert make_policy(f"{path}:phrase", PHRASES).identity["answers"] == "phrase"


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Another kind of answers, a missing file, a prompt, another word for answers."""
    path = str(tmp_path / "p.pt")
    policy().save(path)
    with pytest.raises(
        DataError, match=r"answers with a url \(trained on NeedleInWeb-v0\); this environment wants a phrase"
    ):
        make_policy(path, PHRASES)
    with pytest.raises(DataError, match=r"none\.pt' cannot be read: No such file"):
        make_policy(str(tmp_path / "none.pt"))
    with pytest.raises(InvalidArgument, match="takes no prompt"):
        make_policy(path, prompt="rules.txt")
    with pytest.raises(InvalidArgument, match="answers='song': expected 'url', 'ranking', 'phrase' or 'report'"):
        LearnedPolicy.load(path, answers="song")


def test_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where torch is not installed, a file says what to install."""
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "webenv.policies.learned.policy")
    with pytest.raises(MissingExtra, match=r"a policy that learned needs torch, which is not installed: pip install"):
        make_policy("policy.pt")


def test_webenv_play_refuses_other_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``webenv play`` refuses a file that learned to give answers of another kind, as ``webenv eval`` does."""
    path = str(tmp_path / "p.pt")
    policy().save(path)
    call = ["play", "LiveNewsBench-v0", "--web", "procedural:pages=300,news=0.4", "--policy"]
    assert run([*call, path]) == 1
    assert f"this environment wants a phrase. To play it all the same: {path}:phrase" in capsys.readouterr().err
    assert run([*call, f"{path}:phrase"]) == 0


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Two files are told apart in a table; one file twice, two of one folder name, and a run's folder are refused."""
    monkeypatch.chdir(tmp_path)
    for place in ("a/policy.pt", "b/policy.pt", "a-policy.pt"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        policy().save(place)

    def play(*files: str) -> str:
        named = [word for file in files for word in ("--policy", file)]
        code = run(["eval", "NeedleInWeb-v0", "--web", "sample", "--episodes", "1", *named])
        out, err = capsys.readouterr()
        return err if code else out

    assert "n  a/policy.pt  b/policy.pt" in play("a/policy.pt", "b/policy.pt")
    assert "--policy 'a/policy.pt' is given twice" in play("a/policy.pt", "./a/policy.pt")
    assert "'a/policy.pt' and 'a-policy.pt' would share a folder" in play("a/policy.pt", "a-policy.pt")
    assert "policy 'a' is a folder; name the file: a/policy.pt" in play("a")


def test_webenv_eval_plays_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``webenv eval --policy FILE`` plays it, and its record names the weights."""
    path = str(tmp_path / "p.pt")
    policy().save(path)
    out = str(tmp_path / "run")
    call = ["eval", "NeedleInWeb-v0", "--web", "sample", "--policy", path, "--episodes", "4", "--out", out, "--json"]
    assert run(call) == 0
    assert json.loads(capsys.readouterr().out)["total"]["episodes"] == 4
    said = json.loads((tmp_path / "run" / "run.json").read_text())
    assert said["policy"]["digest"] == policy().saved.digest
    assert webenv.policies.__name__ == "webenv.policies"
