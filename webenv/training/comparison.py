"""What was learned beside other policies on held-out tasks, and the generated worlds that are played in."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import gymnasium
from gymnasium.envs.registration import load_env_creator

from webenv.benchmark import Benchmark
from webenv.corpora.document import Progress, silent
from webenv.corpora.procedural import Worlds, prepare_worlds
from webenv.envs.generated_tasks import GeneratedTasks
from webenv.errors import InvalidArgument, RunError
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import RunProgress, evaluate, folder_name
from webenv.evaluation.summary import Summary
from webenv.policies.registry import POLICIES_OF_ALL, make_policy
from webenv.policy import Policy
from webenv.runtime.files import inside, write_atomic

MANY = "procedural:worlds=8"
"""The web that is trained on where none is named: several worlds, so that nothing is learned by heart."""


def with_worlds(env: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of an environment, with several generated worlds where no web is named.

    Args:
        env: its id; of a module that is not imported yet, nothing is changed.
        settings: its keyword arguments; where they name a web or tasks, nothing is changed, nor where the
            environment's own web is not a generated one.
    """
    given, spec = dict(settings), gymnasium.registry.get(env)
    if "web" in given or "tasks" in given or spec is None:
        return given
    made: Any = load_env_creator(spec.entry_point) if isinstance(spec.entry_point, str) else spec.entry_point
    named = inspect.signature(getattr(made, "benchmark_of", made)).parameters.get("web")
    return {**given, "web": MANY} if named is not None and named.default == "procedural" else given


def make_worlds(benchmark: Benchmark, progress: Progress = silent) -> int:
    """Makes the worlds that a benchmark's web consists of, those that are not there yet; gives how many there are.

    Args:
        benchmark: of several generated worlds; nothing is made for others.
        progress: told how many are there.
    """
    name = benchmark.web.identity.get("web", "") if benchmark.web.identity.get("name") == "worlds" else ""
    try:
        worlds = Worlds.parse(name) if name else None
    except InvalidArgument:  # a web of somebody else's that is called so too
        worlds = None
    if worlds is None:
        return 0
    prepare_worlds(worlds, progress)
    return worlds.count


if TYPE_CHECKING:
    from webenv.policies.learned.policy import LearnedPolicy
    from webenv.training.run import Trained

HAND_WRITTEN = ("random", "keyword", "investigator", "scripted")
"""Policies that what was learned is compared with, by their names, where an environment has them."""

_REPORT = "evaluation.json"
_SEED = 0  # of every evaluation: runs of other seeds are compared on the same tasks

Watch = Callable[[str], AbstractContextManager[Callable[[RunProgress], None] | None]]


class HeldOut(NamedTuple):
    """The tasks that what was learned is evaluated on.

    Attributes:
        env: the environment's id.
        settings: its keyword arguments.
        split: of the tasks; empty where they have none: then they are those of training.
    """

    env: str
    settings: Mapping[str, Any]
    split: str

    @classmethod
    def of(cls, env: str, settings: Mapping[str, Any], split: str) -> Self:
        """The tasks of another split than that of training; those of training where there are no splits.

        Args:
            env: the environment's id.
            settings: those of training; in place of a difficulty that followed the agent all are evaluated.
            split: the split.

        Raises:
            InvalidArgument: for a split that the tasks do not have, though they have others.
        """
        with opened_env(env, settings) as made:
            tasks = made.benchmark.tasks
            if made.benchmark.curriculum is not None:
                settings = {name: value for name, value in settings.items() if name != "difficulty"}
            parted = isinstance(tasks, GeneratedTasks) or any(task.tags.get("split") for task in tasks)
        if not parted:
            return cls(env, dict(settings), "")
        given = {**settings, "split": split}
        with opened_env(env, given):  # what is refused is refused before training
            return cls(env, given, split)


def rivals(trained: Trained, name: str) -> dict[str, Policy]:
    """What is compared, beside the hand-written ones: what was learned, what does not learn over the same menu."""
    return {
        name: trained.policy,
        "untrained": trained.untrained,  # the same network, before the first update
        "uniform": uniform(trained.untrained),  # any action of the menu that may be done
    }


def compare(
    test: HeldOut,
    policies: Mapping[str, Policy],
    folder: Path,
    *,
    episodes: int = 500,
    watch: Watch | None = None,
    progress: Progress = silent,
) -> list[Summary]:
    """Plays policies and the hand-written ones on the same tasks, and keeps every trajectory.

    Policies that were played before are not played again.

    Args:
        test: the tasks.
        policies: what is compared, by the names that tables give them.
        folder: of the training run; the records go into ``evaluation/<split>/<policy>`` within.
        episodes: how many tasks, at least 1; all if there are fewer.
        watch: makes what watches a policy play, from its name.
        progress: told how many worlds are made.

    Raises:
        RunError: if records cannot be written.
    """
    where = inside(folder, "evaluation", test.split or "all")
    summaries = []
    with opened_env(test.env, test.settings) as made:
        make_worlds(made.benchmark, progress)
        known = {**POLICIES_OF_ALL, **made.benchmark.policies}
        if not made.benchmark.budget.searches:
            known.pop("keyword")  # it does nothing but search
        hand_written = [one for one in HAND_WRITTEN if one in known]
        for name, policy in {**policies, **{one: make_policy(one, made.benchmark) for one in hand_written}}.items():
            steps = policy.identity.get("steps")  # a policy that went on learning is another one
            place = folder_name(name if steps in (None, "0") else f"{name}-{steps}")
            with nullcontext() if watch is None else watch(name) as watching:
                summary = evaluate(
                    made,
                    policy,
                    episodes=min(episodes, len(made.benchmark.tasks)),
                    seed=_SEED,
                    out=inside(where, place),
                    resume=True,
                    watch=watching,
                )
            summaries.append(dataclasses.replace(summary, policy=name, label=name))
    report = {"split": test.split, "runs": [one.to_dict() for one in summaries]}
    write_atomic(folder / _REPORT, json.dumps(report, indent=2) + "\n")
    return summaries


Level = tuple[float, tuple[float, float]]
"""Success and its 95% interval, 0 to 1."""


def read_evaluation(folder: str | Path) -> tuple[str | None, dict[str, Level]]:
    """What the comparison of a training run came to: its split, and the level of each policy that was scored.

    The split is empty for the tasks of training, and ``None`` where nothing was compared. The learned policy has the
    name of its algorithm.
    """
    file = Path(folder) / _REPORT
    if not file.exists():
        return None, {}
    try:
        report = json.loads(file.read_text(encoding="utf-8"))
        totals = {run["policy"]: run["total"] for run in report["runs"]}
        levels: dict[str, Level] = {}
        for name, total in totals.items():
            if total["success_rate"] is not None:
                low, high = map(float, total["interval"])
                levels[name] = float(total["success_rate"]), (low, high)
        return str(report.get("split", "")), levels
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{file} cannot be read ({error!r:.100}); delete it to have the run evaluated again.") from error


def uniform(policy: LearnedPolicy) -> LearnedPolicy:
    """A policy whose scorer scores every action alike, so that each that may be done is as likely."""
    import torch

    from webenv.policies.learned.checkpoint import clone_scorer
    from webenv.policies.learned.policy import LearnedPolicy

    scorer = clone_scorer(policy.saved.scorer)
    with torch.no_grad():
        for weights in scorer.parameters():
            weights.zero_()
    return LearnedPolicy(policy.saved._replace(scorer=scorer), greedy=False, answers=policy.answers)
