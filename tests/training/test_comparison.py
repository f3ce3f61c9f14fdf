"""Whom what was learned is held against."""

from __future__ import annotations

from pathlib import Path

import pytest

from webenv.training.comparison import HeldOut, compare


@pytest.mark.parametrize(
    ("env", "settings", "names"),
    [
        ("NeedleInWeb-v0", {"web": "sample"}, ["random", "keyword", "investigator"]),
        (
            "AgentWebSearch-v0",
            {"web": "procedural:pages=600,sites=20", "tasks": "generated:count=2"},
            ["random", "scripted"],
        ),
    ],
)
def test_hand_written_policies(tmp_path: Path, env: str, settings: dict[str, str], names: list[str]) -> None:
    """Each environment has its own; of one that searches for itself nobody is played where there is no search."""
    summaries = compare(HeldOut(env, settings, ""), {}, tmp_path, episodes=2)
    assert [one.policy for one in summaries] == names
