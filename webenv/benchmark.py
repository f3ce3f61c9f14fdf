"""Benchmark: everything that an environment is made of, but the state of its episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from webenv.budget import Budget
from webenv.curriculum import Curriculum
from webenv.errors import InvalidArgument
from webenv.judge import Judge, Reward, Submission, Verdict
from webenv.latency import LatencyModel
from webenv.observations import Reply
from webenv.policy import Policy
from webenv.rules import Rules
from webenv.task import Task, TaskSet
from webenv.web import Asking, BackgroundSearch, NoAgents, SiteListing, Web


class AnswerReward:
    """The plainest reward: the value of the verdict, as the term ``answer``."""

    weights: Mapping[str, float] = {"answer": 1.0}

    def terms(self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]) -> list[dict[str, float]]:
        """One term an episode: ``answer``, 0 to 1."""
        return [{"answer": verdict.value or 0.0} for verdict in verdicts]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """The tasks, the web they are put on, who judges, and by what rules.

    Nothing in it changes while episodes run, so forks of an environment share it.

    Attributes:
        tasks: at least one task.
        web: what searches, visits and asks go to.
        judge: scores the answers.
        rules: what is allowed, and what becomes of what is not.
        budget: the limits of an episode.
        reward: turns a scored episode into reward terms.
        name: what it is called in the record of a run.
        policies: scripted policies that go with its questions, by name: each a maker without arguments (of
            ``closed-book``: with the training tasks), or where to find one, as ``"package.module:Name"``, so that
            nothing is imported before it is asked for.
        latency: how long requests take where nobody measured it; ``None``: no time passes but what was measured.
        asker: who answers what sites are asked; ``None``: the web, if it is :class:`webenv.web.Asking`, else nobody.
        listing: tells agents which sites there are, in the first observation; ``None``: nobody does.
        curriculum: the difficulties that an environment draws tasks from by how its last episodes went; ``None``: it
            draws from all tasks alike.
        notice: what whoever reads its figures should know first, one line, such as that its judge is not the paper's;
            empty: nothing.
        asked: who that comes to.
        background: the web, where it can search in the background.
    """

    tasks: TaskSet
    web: Web
    judge: Judge
    rules: Rules = Rules()
    budget: Budget = Budget()
    reward: Reward = field(default_factory=AnswerReward)
    name: str = "custom"
    policies: Mapping[str, str | Callable[..., Policy]] = field(default_factory=dict)
    asker: Asking | None = None
    listing: SiteListing | None = None
    latency: LatencyModel | None = None
    notice: str = ""
    curriculum: Curriculum | None = None
    asked: Asking = field(init=False, repr=False, compare=False)
    background: BackgroundSearch | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not len(self.tasks):
            why = f": {self.left_out}" if self.left_out else "; an environment needs at least one."
            raise InvalidArgument(f"{self.tasks.name} holds no task{why}")
        for part, kind in (("web", Web), ("judge", Judge), ("reward", Reward)):
            if not isinstance(getattr(self, part), kind):
                given = getattr(self, part)
                raise InvalidArgument(f"{part}={given!r:.80}: expected what webenv.{kind.__name__} describes.")
        if self.asker is not None and not isinstance(self.asker, Asking):
            raise InvalidArgument(f"asker={self.asker!r:.80}: expected what webenv.Asking describes.")
        # isinstance with a protocol takes microseconds: once here, not in every step
        asked = self.asker or (self.web if isinstance(self.web, Asking) else NoAgents())
        object.__setattr__(self, "asked", asked)
        object.__setattr__(self, "background", self.web if isinstance(self.web, BackgroundSearch) else None)
        for named in (self.web, self.judge, asked):
            if "name" not in named.identity:
                raise InvalidArgument(f"{named!r:.80} has no identity with a 'name'; the record of a run needs one.")
            for part, value in named.identity.items():
                if not isinstance(value, str):  # run.json holds texts, and a rescoring is found again by them
                    raise InvalidArgument(f"{named!r:.80}: identity[{part!r}] is {value!r:.40}; expected a text.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Benchmark:
        return self

    def listed(self, task: Task) -> tuple[Reply, ...]:
        """What the agent of a task is told of the sites at the start."""
        return () if self.listing is None else self.listing.listed(task.scope)

    @property
    def left_out(self) -> str:
        """How many tasks were left out of the task set, and why one of them was; empty where none was."""
        excluded = self.tasks.excluded
        if not excluded:
            return ""
        count, first = len(excluded), excluded[0]
        why = first.reason.rstrip(".")
        return f"{count:,} of {len(self.tasks) + count:,} tasks were left out, for one {first.task.id}: {why}."

    @property
    def identity(self) -> dict[str, Any]:
        """What the results of this benchmark depend on, as JSON-ready data."""
        return {
            "name": self.name,
            "tasks": {"name": self.tasks.name, "digest": self.tasks.digest, "count": len(self.tasks)},
            "web": dict(self.web.identity),
            "judge": dict(self.judge.identity),
            "rules": {name: _named(getattr(self.rules, name)) for name in Rules.__dataclass_fields__},
            "budget": self.budget.to_dict(),
            "reward": {"name": type(self.reward).__qualname__, "weights": dict(self.reward.weights)},
        } | {
            name: dict(part.identity)
            for name, part in (
                ("asker", self.asked if self.budget.asks else None),
                ("listing", self.listing),
                ("latency", self.latency),
                ("curriculum", self.curriculum),
            )
            if part is not None
        }


def _named(value: Any) -> Any:
    """A setting as plain data: a function by its name."""
    return f"{value.__module__}.{value.__qualname__}" if callable(value) else value
