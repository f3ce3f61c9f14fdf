"""Menus for stable-baselines3."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from tests.extras import needs_extra
from tests.webs import BrokenWeb, benchmark, pages_of
from webenv.errors import InvalidArgument, UnknownTask
from webenv.vector import SearchVectorEnv
from webenv.wrappers import MenuSize, MenuWrapper, TextWrapper, VectorMenuWrapper

needs_extra("train")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor

from webenv.wrappers.sb3 import SearchVecEnv, make_sb3


def small(count: int = 3, mode: str = "same_step", **settings: Any) -> SearchVecEnv:
    return SearchVecEnv(VectorMenuWrapper(SearchVectorEnv(benchmark(**settings), count, autoreset_mode=mode)))


def chosen(envs: SearchVecEnv, rng: np.random.Generator) -> Any:
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in get_action_masks(envs)])


def test_stable_baselines_takes_a_menu() -> None:
    """Its checker finds nothing but that features have two dimensions."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*unconventional shape.*")
        check_env(MenuWrapper(gym.make("NeedleInWeb-v0", web="sample")))


@pytest.mark.filterwarnings("ignore:.*render_mode=.rgb_array. that is not")
def test_make_vec_env_takes_a_menu() -> None:
    """stable-baselines3's own vectors: it asks for pictures, and makes the environment without."""
    envs = make_vec_env("NeedleInWeb-v0", 2, wrapper_class=MenuWrapper, env_kwargs={"web": "sample"})
    envs.reset()
    assert [mask.shape for mask in envs.env_method("action_masks")] == [(69,), (69,)]
    envs.close()


@pytest.mark.parametrize("wrap", [lambda env: env, TextWrapper])
def test_texts_are_refused_with_what_to_do(wrap: Any) -> None:
    """An environment of texts under stable-baselines3 says in one line how it is given numbers."""
    with pytest.raises(InvalidArgument, match=r"takes no texts: .*MenuWrapper\(env\).*make_sb3\(id\)\."):
        PPO("MultiInputPolicy", wrap(gym.make("NeedleInWeb-v0", web="sample")))


def test_maskable_ppo_learns_on_it() -> None:
    """A few hundred steps of sb3-contrib's MaskablePPO, in which nothing masked is done."""
    torch.set_num_threads(1)
    envs = make_sb3("NeedleInWeb-v0", 8, size=MenuSize(3, 8, 2), web="sample", budget={"turns": 6})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        model = MaskablePPO("MultiInputPolicy", envs, n_steps=16, batch_size=64, n_epochs=2, seed=0)
        model.learn(256)
    assert model.num_timesteps == 256
    assert 1 <= np.mean([episode["l"] for episode in model.ep_info_buffer or []]) <= 6


def test_infos() -> None:
    """At the end what Monitor, stable-baselines3 and the environment say of it stands in the info of the slot."""
    envs = small()
    rng = np.random.default_rng(0)
    envs.seed(5)
    envs.reset()
    totals, lengths, ends = np.zeros(3), np.zeros(3, dtype=int), 0
    for _ in range(60):
        observations, rewards, dones, infos = envs.step(chosen(envs, rng))
        totals, lengths = totals + rewards, lengths + 1
        for slot, info in enumerate(infos):
            assert set(info["reward_terms"]) >= {"cost"}
            assert info["action_mask"].tolist() == envs.env_method("action_masks")[slot].tolist()
            assert ("episode" in info) == ("scored" in info) == ("terminal_observation" in info) == dones[slot]
            if dones[slot]:
                ends += 1
                assert (info["episode"]["r"], info["episode"]["l"]) == (pytest.approx(totals[slot]), lengths[slot])
                assert info["episode"]["t"] > 0
                assert info["verdict"]["outcome"] in ("right", "wrong", "no_answer", "unscored")
                assert not info["TimeLimit.truncated"]
                assert envs.observation_space.contains(info["terminal_observation"])
                assert observations["context"][slot, 0] == 1  # the next episode has begun
                totals[slot] = lengths[slot] = 0
    assert ends > 5


def test_an_unscored_episode_is_truncated() -> None:
    """A web that failed is no reward: the episode is not scored, and its end is said to be cut off."""
    envs = small(
        1,
        web=BrokenWeb(
            [page._replace(url=f"https://{name}/broken") for name, page in zip("ab", pages_of(), strict=False)]
        ),
    )
    envs.reset()
    envs.step(np.array([0]))
    _, rewards, dones, infos = envs.step(np.array([envs.envs.size.names().index("visit candidate 1")]))
    assert (dones[0], infos[0]["TimeLimit.truncated"], infos[0]["scored"], rewards[0]) == (True, True, False, 0.0)
    assert infos[0]["verdict"]["outcome"] == "unscored"


def test_seeds_and_options() -> None:
    """A seed gives the same episodes again; tasks are chosen for all slots."""
    envs = small()
    tasks = []
    for _ in range(2):
        envs.seed(9)
        envs.reset()
        tasks.append([info["task"] for info in envs.reset_infos])
    assert tasks[0] == tasks[1]
    envs.set_options([{"task": "t/bell"}, {"task": "t/lens"}, {"task": "t/comet"}])
    envs.reset()
    assert [info["task"] for info in envs.reset_infos] == ["t/bell", "t/lens", "t/comet"]
    envs.set_options({"colour": 1})
    with pytest.raises(InvalidArgument, match=r"set_options: expected \{'task': id\}"):
        envs.reset()


def test_what_slots_are_asked() -> None:
    """Attributes and methods for each slot, and whether a wrapper is there."""
    envs = small()
    envs.reset()
    assert is_masking_supported(envs)
    assert [mask.shape for mask in envs.env_method("action_masks", indices=[0, 2])] == [(69,), (69,)]
    assert envs.get_attr("group_size", indices=1) == [1]
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(gym.wrappers.TimeLimit) == [False] * 3
    assert not envs.has_attr("colour")
    envs.set_attr("colour", "red")
    assert envs.get_attr("colour") == ["red"] * 3
    with pytest.raises(InvalidArgument, match="all of them share one environment"):
        envs.set_attr("colour", "red", indices=[1])
    envs.close()


def test_a_reset_that_is_refused_keeps_no_options() -> None:
    """Seeds and options are of one reset: after one that is refused the next begins as ever."""
    envs = small()
    envs.seed(3)
    envs.set_options({"task": "nope"})
    with pytest.raises(UnknownTask):
        envs.reset()
    envs.reset()
    assert len(envs.reset_infos) == 3


@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_other_modes_are_refused(mode: str) -> None:
    """stable-baselines3 wants the next episode to begin in the step that ends one."""
    with pytest.raises(InvalidArgument, match=f"autoreset_mode='{mode}': expected 'same_step'"):
        small(mode=mode)


@pytest.mark.parametrize(
    ("env_id", "settings", "message"),
    [
        ("Nope-v0", {}, "'Nope-v0' is no registered id. Expected one of: AgentWebQA-v0, "),
        (None, {}, "env_id=None: expected a registered id"),
        ("NeedleInWeb-v0", {"num_envs": None}, "num_envs=None: expected a whole number from 1."),
        ("NeedleInWeb-v0", {"size": 5}, "size=5: expected a MenuSize"),
        ("CartPole-v1", {}, "'CartPole-v1' is no search environment"),
        ("NeedleInWeb-v0", {"colour": 1}, "takes no keyword 'colour'"),
        ("NeedleInWeb-v0", {"autoreset_mode": "disabled"}, "takes no autoreset_mode"),
        ("NeedleInWeb-v0", {"size": MenuSize(criteria=0)}, "MenuSize criteria=0: expected a whole number"),
    ],
)
def test_what_cannot_be_made(env_id: Any, settings: dict[str, Any], message: str) -> None:
    """Each is refused in one line."""
    with pytest.raises(InvalidArgument, match=message) as refused:
        make_sb3(env_id, **{"num_envs": 2, **({"web": "sample"} if env_id == "NeedleInWeb-v0" else {}), **settings})
    assert "\n" not in str(refused.value)


def test_the_core_stays_light() -> None:
    """Neither webenv nor its menus import torch or stable-baselines3."""
    code = "import sys, webenv, webenv.wrappers.menu; print({'torch', 'stable_baselines3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_missing_extra_is_named() -> None:
    """Without stable-baselines3 the message says what to install."""
    code = "import sys; sys.modules['stable_baselines3'] = None; import webenv.wrappers.sb3"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "webenv.wrappers.sb3 needs stable-baselines3, which is not installed: pip install '.[train]'" in done.stderr
