"""WideSearch from a generated web: tables of its facts, complete over several sites, made without a model."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from webenv.corpora.procedural import Rng, Worlds, generated_web
from webenv.corpora.world import WorldWeb
from webenv.envs.fact_graph import SIZES, GraphTable
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.world_graph import WorldGraph
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Json, Task
from webenv.web import Scope

GROUPS = tuple(SIZES)
_ENOUGH = 2_400  # pages of a web that surely has tables
NOT_STATED = "N/A"
"""What a cell says that no page states."""

_WORDING = {
    "en": (
        "List all {asked} in one table, a row for each, with exactly these columns: {columns}.\n"
        "Each name, and each value, as the pages write it. What no page states is N/A; no row comes twice. "
        "Answer with the table in markdown, in a fence marked ```markdown."
    ),
    "zh": (
        "把{asked}全部列成一张表，每个一行，列名恰好是：{columns}。\n"
        "名称和数值照网页上的写法。没有网页写明的填 N/A；不要重复的行。"
        "用 markdown 表格回答，放在标有 ```markdown 的代码块里。"
    ),
}

_DRAWS = 8  # until a table is told by more sites than one


class WideTask(NamedTuple):
    """A task, and for each row of its table the addresses of the pages that state each cell (none: not stated)."""

    task: Task
    pages: tuple[tuple[tuple[str, ...], ...], ...]


class TableGenerator:
    """Draws tables of a generated web; the same number gives the same task.

    Args:
        web: the web.
        world: what its tasks call it, where they are put on one of several worlds.
    """

    def __init__(self, web: WorldWeb, world: str = "") -> None:
        self.web = web
        self._world = world
        self._graph = WorldGraph(web)
        self._seed = (web.config.split, web.config.seed)

    def draw(self, group: str, number: int) -> WideTask:
        """Task ``number`` of a size.

        Raises:
            InvalidArgument: for an unknown size, or a web without tables of it.
        """
        if group not in GROUPS:
            raise InvalidArgument(f"size={group!r}. {did_you_mean(str(group), GROUPS)}")
        rng = Rng("wide", *(str(part) for part in self._seed), group, number)
        table, firsts, sites = self._table(group, rng)
        header = [column.label for column in table.columns]
        rows = [[cell.text or NOT_STATED for cell in row] for row in table.rows]
        pages = tuple(tuple(cell.pages for cell in row) for row in table.rows)
        task = Task(
            id=task_id(self.web.config, group, number),
            question=_WORDING[self._graph.language].format(asked=table.asked, columns=" | ".join(header)),
            gold=Gold(urls=firsts, data={"table": as_csv(header, rows), "evaluation": evaluation_of(table)}),
            tags={
                "size": group,
                "sites": str(sites),
                "split": self.web.config.split,
                "language": self._graph.language,
            },
            scope=Scope(world=self._world),
        )
        return WideTask(task, pages)

    def _table(self, group: str, rng: Rng) -> tuple[GraphTable, tuple[str, ...], int]:
        """A table, the first page of each of its cells, and how many sites those are of: one alone only where the web
        has hardly others."""
        draws = 0
        while True:
            draws += 1
            table = self._graph.table(group, rng)
            if table is None:
                raise InvalidArgument(f"{self.web.config}: has no {group} tables; raise pages.")
            firsts = tuple(dict.fromkeys(cell.pages[0] for row in table.rows for cell in row if cell.pages))
            sites = len({urlsplit(url).netloc for url in firsts})
            if sites > 1 or draws == _DRAWS:
                return table, firsts, sites


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table as CSV.

    >>> as_csv(["a", "b"], [["1", "2, 3"]])
    'a,b\\n1,"2, 3"\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue()


def evaluation_of(table: GraphTable) -> dict[str, Json]:
    """How a generated table is compared, in the form of the official records: names and texts as texts; numbers as
    numbers, within 2%, as some sites write feet for metres."""
    names = [column.label.lower().replace(" ", "") for column in table.columns]
    text: Json = {"preprocess": ["norm_str"], "metric": ["exact_match"]}
    near: Json = {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.02}
    pipeline = {name: near if column.number else text for name, column in zip(names, table.columns, strict=True)}
    return {"required": names, "unique_columns": names[: table.keys], "eval_pipeline": pipeline}


class GeneratedTables(GeneratedTasks[WideTask]):
    """Generated tables; each is made when it is asked for.

    Tags: ``size`` (:data:`webenv.envs.fact_graph.SIZES`), ``sites`` (how many state the first page of each cell),
    ``split`` and ``language``.
    """

    tag = "size"


def sizes_of(worlds: Worlds) -> tuple[str, ...]:
    """The sizes of the tables of worlds: all of simulated ones of 2,400 pages, else those that the first one has."""
    if worlds.first.pages >= _ENOUGH:
        return GROUPS
    graph = WorldGraph(generated_web(worlds.first))
    return tuple(size for size in GROUPS if graph.table(size, Rng("sizes", size)) is not None) or GROUPS[:1]


@lru_cache(maxsize=4)
def table_source(worlds: Worlds) -> TaskSource[WideTask]:
    """What draws the tables of worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, GROUPS, TableGenerator, lambda web: len(web) >= _ENOUGH, WideTask)
