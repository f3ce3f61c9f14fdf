"""Tasks of all four kinds from the facts of a generated web, with exact gold: made without a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from webenv.corpora.procedural import Rng, WebConfig, Worlds, generated_web
from webenv.corpora.world import WorldWeb
from webenv.envs.agent_web_bench.answers import POINT_SITES, draw_question, draw_topic
from webenv.envs.agent_web_bench.facts import Facts, StatementSource
from webenv.envs.agent_web_bench.rankings import draw_history, draw_query
from webenv.envs.agent_web_bench.tasks import worded
from webenv.envs.fact_graph import FactGraph
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, generated_count, task_id
from webenv.envs.world_graph import WorldGraph
from webenv.errors import InvalidArgument
from webenv.task import Task, TaskSet
from webenv.web import Scope

CONFIG: dict[str, object] = {"sites": 100, "pages": 6_000}
"""The settings of the default web; the four kinds share one."""

COUNT = 200
"""Tasks of each group, where no other number is asked for."""

GROUPS: Mapping[str, tuple[str, ...]] = {
    "search": ("named", "about", "described"),
    "recommendation": ("interest",),
    "qa": ("bridge",),
    "research": ("report",),
}
"""The groups of tasks of each kind."""

CASES = ("routing", "retrieval", "entity", "granularity", "conflict")
"""AgentWebBench's failure cases (appendix F) that a task lays itself open to: the gold pages stand on sites that are
not those for their kind of thing; on a site that has many pages like them; the entity that leads on is not named; the
answer has a finer and a coarser form; pages disagree on it, or deny another answer."""

_RARE = ("conflict", "routing", "granularity")  # a task is told by the rarest that it has, or by any of the others

_DRAWS = 600
_TOGETHER = 25  # tasks in a row that are of one part of a world


class WebTask(NamedTuple):
    """A task, and what it was made of.

    Attributes:
        task: the task.
        sources: the facts that it rests on, each with its pages.
        intent: of a history, the query that the next visit answers; else empty.
    """

    task: Task
    sources: tuple[StatementSource, ...]
    intent: str = ""


_DRAW = {"search": draw_query, "recommendation": draw_history, "qa": draw_question, "research": draw_topic}


class WebTaskGenerator:
    """Draws the tasks of one kind from a generated web; the same number gives the same task.

    Args:
        web: the web.
        kind: the kind of tasks.
        world: what its tasks call it, where they are put on one of several worlds.
    """

    def __init__(self, web: WorldWeb, kind: str, world: str = "") -> None:
        self.web = web
        self._kind, self._world = kind, world

    def draw(self, group: str, number: int) -> WebTask:
        """Task ``number`` of a group.

        Raises:
            InvalidArgument: for an unknown group, or a web without such tasks.
        """
        if group not in GROUPS[self._kind]:
            raise InvalidArgument(f"group={group!r}: expected one of {', '.join(GROUPS[self._kind])}.")
        config, draw = self.web.config, _DRAW[self._kind]
        rng = Rng("agent web", config.split, config.seed, self._kind, group, number)
        facts = facts_of(config, number // _TOGETHER)
        draws = (draw(facts, group, rng) for _ in range(_DRAWS if facts.sources else 0))
        drawn = next(filter(None, draws), None)
        if drawn is None:
            raise InvalidArgument(
                f"{self.web.config}: has no {self._kind} task of group {group}; raise pages, or sites."
            )
        case = next((one for one in _RARE if one in drawn.cases), "") or (rng.pick(drawn.cases) if drawn.cases else "")
        tags = {
            "split": self.web.config.split,
            "group": group,
            "sites": "5+" if drawn.sites >= POINT_SITES else str(drawn.sites),
            **({"case": case} if case else {}),
        }
        task = Task(
            id=task_id(self.web.config, group, number),
            question=worded(self._kind, drawn.text),
            gold=drawn.gold,
            tags=tags,
            scope=Scope(world=self._world),
        )
        return WebTask(task, drawn.sources, drawn.intent)


@lru_cache(maxsize=4)
def _graph(config: WebConfig) -> FactGraph:
    return WorldGraph(generated_web(config))


@lru_cache(maxsize=64)
def _part(config: WebConfig, number: int) -> Facts:
    return Facts(_graph(config), number)


def facts_of(config: WebConfig, number: int) -> Facts:
    """The facts of a part of a web, whatever the number; the four kinds of tasks share them."""
    return _part(config, number % _graph(config).parts())


class GeneratedWebTasks(GeneratedTasks[WebTask]):
    """Generated tasks of one kind; each is made when it is asked for.

    Tags: ``split``, ``group`` (:data:`GROUPS`), ``sites`` (how many host gold pages: 1 to 4, or "5+"), and ``case``,
    one of :data:`CASES` that the task lays itself open to.
    """

    tag = "group"


@lru_cache(maxsize=16)
def task_source(kind: str, worlds: Worlds) -> TaskSource[WebTask]:
    """What draws the tasks of worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, GROUPS[kind], partial(_generator, kind), type=WebTask)


def _generator(kind: str, web: WorldWeb, world: str) -> WebTaskGenerator:
    return WebTaskGenerator(web, kind, world)


def generated(kind: str, worlds: Worlds, spec: str) -> TaskSet:
    """The generated tasks of a kind on worlds, from ``generated`` or ``generated:count=1000`` (of each group)."""
    count = generated_count(spec, worlds.count, each="of each group") if ":" in spec else max(COUNT, worlds.count)
    return GeneratedWebTasks(task_source(kind, worlds), count)
