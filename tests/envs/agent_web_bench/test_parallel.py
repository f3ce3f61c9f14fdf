"""Both sides as players: PettingZoo's own tests pass, and players play what policies play."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pytest

import webenv
from tests.envs.agent_web_bench.small import SITES, corpus, ranked
from tests.extras import needs_extra
from webenv.actions import answer, ask, note, search

needs_extra("agents")

from webenv.corpora.content_agents import ExtractivePolicy
from webenv.envs.agent_web_bench import agent_web_bench
from webenv.envs.agent_web_bench.parallel import AgentWebParallelEnv
from webenv.errors import InvalidArgument, ResetNeeded
from webenv.policy import Decision, History


def made(**settings: Any) -> AgentWebParallelEnv:
    return AgentWebParallelEnv("search", **{"web": corpus(), "tasks": ranked(), "descriptions": SITES, **settings})


def test_the_api() -> None:
    """PettingZoo's tests of parallel environments and of their seeds find nothing."""
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="pkg_resources")
        parallel_api_test(made(), num_cycles=60)
        parallel_seed_test(made, num_cycles=20)


def test_players_play_what_policies_play() -> None:
    """With the default agents as players, the user agent sees what it sees where a policy plays them."""
    single = webenv.SearchEnv(agent_web_bench("search", web=corpus(), tasks=ranked(), descriptions=SITES))
    env, policy = made(), ExtractivePolicy()
    first, infos = env.reset(options={"task": "mill"})
    alone, _ = single.reset(options={"task": "mill"})
    assert repr(first["user"]) == repr(alone)
    assert [player for player, info in infos.items() if info["playing"]] == ["user"]
    action = ask("old mill burnt", "mills.example", "news.example", "nowhere.example")
    shown, rewards, *_, infos = env.step({"user": action})
    playing = [player for player, info in infos.items() if info["playing"]]
    assert playing == ["mills.example", "news.example"]
    assert shown["user"]["question"] == ""
    assert shown["mills.example"]["question"] == "old mill burnt"
    assert [reply["site"] for reply in shown["mills.example"]["replies"]] == ["mills.example"]
    histories = {site: History(site, 0, [shown[site]]) for site in playing}
    while not infos["user"]["playing"]:
        decisions = dict(zip(histories, policy.act(list(histories.values())), strict=True))
        actions = {site: one.action for site, one in decisions.items() if isinstance(one, Decision)}
        shown, rewards, *_, infos = env.step(actions)
        for site, one in decisions.items():
            assert isinstance(one, Decision)
            histories[site].decisions.append(one)
            histories[site].observations.append(shown[site])
    seen, *_ = single.step(action)
    assert repr(shown["user"]) == repr(seen)
    assert set(rewards.values()) == {0.0}
    last = answer("https://mills.example/old", "https://news.example/fire")
    _, rewards, terminated, truncated, infos = env.step({"user": last})
    assert (set(rewards.values()), set(terminated.values()), set(truncated.values())) == ({1.0}, {True}, {False})
    assert infos["user"]["verdict"]["value"] == 1.0
    assert env.agents == []


def test_a_player_that_names_other_sites_pages() -> None:
    """What a policy cannot hand over, a player cannot."""
    env = made(players=["mills.example"])
    env.reset(options={"task": "mill"})
    env.step({"user": ask("mill", "mills.example", "news.example")})  # the second is answered for by the default agent
    env.step({"mills.example": search("mill"), "user": answer("too early")})
    shown, *_ = env.step({"mills.example": answer("x", "https://news.example/fire", "https://mills.example/old")})
    first, second = shown["user"]["replies"]
    assert (first["text"], [one["url"] for one in first["documents"]]) == ("x", ["https://mills.example/old"])
    assert [one["url"] for one in second["documents"]] == ["https://news.example/fire"]


def test_silent_players_are_no_crash() -> None:
    """Players that send nothing lose their turns, and reply that nothing was found."""
    env = made()
    env.reset(options={"task": "mill"})
    env.step({"user": ask("mill", "mills.example")})
    infos: Mapping[str, Any] = {"user": {"playing": False}}
    steps = 0
    while not infos["user"]["playing"]:
        shown, *_, infos = env.step({})
        steps += 1
    assert steps == 15
    assert shown["user"]["replies"][0]["text"] == "This site's agent found nothing on that."


def test_wrong_players() -> None:
    """An unknown player, and a step without an episode, are refused."""
    with pytest.raises(InvalidArgument, match=r"there is no site 'mill.example'. Did you mean 'mills.example'"):
        made(players=["mill.example"])
    with pytest.raises(ResetNeeded):
        made().step({"user": note("x")})
