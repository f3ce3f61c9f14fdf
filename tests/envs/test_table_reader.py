"""Tables solved from the web without a model, by a reader that understands what it visits."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest

from webenv.envs.wide_search.reader import TableReaderPolicy
from webenv.policy import Decision, History
from webenv.rewards.tables.markdown import read_csv
from webenv.web import Failure

WORLD = "procedural:pages=4500"
BUDGET = {"searches": 20_000, "visits": 5_000, "turns": 400}


@pytest.mark.slow
def test_a_table_of_three_hundred_rows() -> None:
    """It comes out complete but for a cell: each that is filled has its source, and what no page states is N/A."""
    env = gym.make("WideSearch-v0", web=WORLD, size="large", budget=BUDGET)
    benchmark = env.unwrapped.benchmark  # type: ignore[attr-defined]
    source = benchmark.tasks.source
    number = next(number for number in range(100) if len(source.draw("large", number).pages) >= 300)
    observation, info = env.reset(options={"task": benchmark.tasks.source.draw("large", number).task.id})
    history = History(info["task"], 0, [observation])
    done = False
    while not done:
        decision = TableReaderPolicy().act([history])[0]
        assert isinstance(decision, Decision)
        observation, _, terminated, truncated, info = env.step(decision.action)
        history.decisions.append(decision)
        history.observations.append(observation)
        done = terminated or truncated
    assert info["verdict"]["value"] > 0.998  # a page of another version of the world may hide behind ten hits
    cells = json.loads(history.decisions[-1].memory)["cells"]
    gold = read_csv(str(benchmark.tasks.find(info["task"]).gold.data["table"]))
    assert len(cells) == len(gold.rows) * len(gold.columns) >= 1_200
    visited = {page["url"] for one in history.observations for page in one["pages"]}
    assert all(set(cell["sources"]) <= visited for cell in cells)
    assert [bool(cell["sources"]) for cell in cells] == [cell["value"] != "N/A" for cell in cells]
    assert sum(cell["value"] == "N/A" for cell in cells) > 20


def test_other_tasks_are_refused() -> None:
    """On tasks of other webs it fails and says so: an episode that is unscored, not lost."""
    observation, _ = gym.make("WideSearch-v0").reset(seed=0)
    found = TableReaderPolicy().act([History("another web/small/0", 0, [observation])])[0]
    assert isinstance(found, Failure)
    assert "is of no simulated world" in found.reason
