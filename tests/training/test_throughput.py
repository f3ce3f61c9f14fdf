from __future__ import annotations

import time

import numpy as np

import webenv
from tests.training.conftest import row
from webenv.envs.needle_in_web.env import needle_in_web
from webenv.training.throughput import Throughput, TimedMenus, TimedVectorEnv, measure_throughput
from webenv.wrappers.menu import VectorMenuWrapper


def test_prediction() -> None:
    """What environment and learner allow one after the other, with menus and without; choosing is the learner's."""
    speed = measure_throughput(
        [row(1), row(2)]
    )  # 200 steps in 20 s: 8 in the environment, 2 in menus, 4 of the learner
    assert speed == Throughput(measured=10.0, env=25.0, stepped=20.0, learner=50.0)
    assert speed is not None
    speeds = {"measured": 10.0, "env": 25.0, "stepped": 20.0, "learner": 50.0}
    assert speed.to_dict() == {
        **speeds,
        "predicted": 16.7,
        "predicted_with_menus": 14.3,
        "ratio": 0.6,
        "ratio_with_menus": 0.7,
        "menus": 0.1,
    }
    assert measure_throughput([]) is None


def test_not_measured() -> None:
    """In a record that does not tell the menus' time, it is what lies between environment and learner."""
    speed = measure_throughput([row(1, menu_seconds=None), row(2)])  # 3 s of the first, 1 s of the second
    assert speed == Throughput(measured=10.0, env=25.0, stepped=200 / 12, learner=50.0)


def test_timed() -> None:
    """An environment that takes its time plays as any other, and counts what it spends and nothing else."""
    benchmark = needle_in_web(web="sample")
    timed, other = TimedVectorEnv(benchmark, 2), webenv.SearchVectorEnv(benchmark, 2)
    began = time.perf_counter()
    assert timed.reset(seed=1)[1]["task"].tolist() == other.reset(seed=1)[1]["task"].tolist()
    found = [envs.step([webenv.search("harbour")] * 2)[0]["results"] for envs in (timed, other)]
    assert found[0] == found[1]
    spent = timed.seconds
    assert 0 < spent < time.perf_counter() - began
    time.sleep(0.01)
    assert timed.seconds == spent


def test_timed_menus() -> None:
    """Menus count what they spend themselves apart from what the environment below them does."""
    benchmark = needle_in_web(web="sample")
    timed, other = TimedMenus(TimedVectorEnv(benchmark, 2)), VectorMenuWrapper(webenv.SearchVectorEnv(benchmark, 2))
    began = time.perf_counter()
    for menus in (timed, other):
        menus.reset(seed=1)
    seen, again = (menus.step(np.zeros(2, dtype=np.int64))[0] for menus in (timed, other))
    assert all(np.array_equal(seen[name], again[name]) for name in again)
    whole = time.perf_counter() - began
    assert 0 < timed.menu_seconds < timed.seconds == timed.menu_seconds + timed.env_seconds < whole
