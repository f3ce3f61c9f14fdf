"""A reader of tables without a model: it searches and visits as any agent, and understands what it has visited.

It tells searching from reading: a page that it has visited it understands as it was meant, by the facts of its world
whose names stand in the page; of all other pages it knows nothing. What it cannot fill, no page that it found states.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from webenv.actions import Kind, answer, search, visit
from webenv.corpora.procedural import Worlds, generated_web
from webenv.corpora.world import WorldEntity as WorldEntity
from webenv.corpora.world import WorldFact as WorldFact
from webenv.corpora.world import WorldWeb
from webenv.corpora.world.wording import plural
from webenv.envs.fact_graph import GraphTable
from webenv.envs.generated_tasks import read_id
from webenv.envs.world_graph import WorldGraph
from webenv.errors import InvalidArgument
from webenv.policy import Decision, History
from webenv.web import Failure

_AT_ONCE = 100  # queries or addresses in one action
_SIZES = ("small", "medium", "large")


class _Wanted(NamedTuple):
    """What a question asks: whether for posts, of which kind, in which regions, with which columns."""

    posts: bool
    kind: str
    scope: tuple[int, ...]
    columns: tuple[str, ...]


class TableReaderPolicy:
    """Collects the things of a kind in the counties that are asked for, asks for each of them until nothing new comes,
    reads all that was found, and answers with the table; the sources of every cell are its last memory.

    For generated tables of simulated worlds alone, whose ids name their world.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "table-reader", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision | Failure:
        named = read_id(history.task_id, _SIZES)
        try:
            web = None if named is None else generated_web(Worlds.parse(named.world).first)
        except InvalidArgument:  # the task is of another web
            web = None
        if web is None:
            return Failure(f"task {history.task_id!r:.100} is of no simulated world, which this reader reads alone")
        wanted = _read(history.observations[0]["question"], web)
        if wanted is None:
            return Failure(f"task {history.task_id!r:.100} does not ask for a generated table")
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        seen = {hit["url"]: None for one in history.observations for hit in one["results"]}
        read = {page["url"] for one in history.observations for page in one["pages"]}
        tried = {text for one in history.decisions if one.action.kind == Kind.VISIT for text in one.action.arguments}
        new = [url for url in seen if url not in tried][: min(visits, _AT_ONCE)]
        if new and turns > 1:
            return Decision(visit(*new))
        pages = frozenset(number for url in read if (number := web.find(url)) is not None)
        done = {text for one in history.decisions if one.action.kind == Kind.SEARCH for text in one.action.arguments}
        queries = [one for one in dict.fromkeys(_queries(wanted, web, pages)) if one not in done]
        if queries and searches > 0 and turns > 2:
            return Decision(search(*queries[: min(searches, _AT_ONCE)]))
        return _answered(wanted, _table(wanted, web, pages))


def _read(question: str, web: WorldWeb) -> _Wanted | None:
    first = question.partition("\n")[0].replace(" in the county of ", " in the counties of ")
    asked, _, rest = first.partition(" in the counties of ")
    place, in_one_table, rest = rest.partition(" in one table, ")
    columns = tuple(rest.partition(" columns: ")[2].rstrip(".").split(" | "))
    if not asked.startswith("List all ") or not in_one_table:
        return None
    kind = columns[0].lower()
    counties = {one for part in place.split(" and ") for one in part.split(", ")}
    regions = range(web.world.setting.regions)
    scope = tuple(region for region in regions if web.world.region(region).cast.county in counties)
    return (
        _Wanted(asked.startswith("List all former "), kind, scope, columns) if kind in web.world.setting.kinds else None
    )


def _queries(wanted: _Wanted, web: WorldWeb, pages: frozenset[int]) -> Iterator[str]:
    """What to search, from what was read so far: counties, then their towns, then each thing, then each person."""
    many = plural(wanted.kind)
    post = wanted.columns[1].lower() if wanted.posts else ""
    for region in wanted.scope:
        county = web.world.region(region).cast.county
        yield from (county, f"{many} of {county}", f"{wanted.kind} {county}", f"{post} {county}".strip())
        yield from (
            f"{county} {page}" for page in ("chronicle", "chronology", "timeline", "history", "people", "guide")
        )
    things, persons, gaps = _known(wanted, web, pages)
    for name, since, until in gaps:
        yield from (f"{name} {post} {since} {until}", f"{post} from {since} until {until} {name}", f"{name} {since}")
    for one in things:
        yield from (one.title, f"{one.title} {wanted.kind}", f"{one.title} {post}".strip())
        if wanted.posts:
            yield from (f"{one.title} {post} from until", f"former {plural(post)} of {one.title}")
            yield from (f"{one.title} {post} {decade}s" for decade in range(1880, 2030, 10))
        else:
            named = (column.partition(":")[0].partition("(")[0].strip() for column in wanted.columns)
            yield from (f"{one.title} {name}" for name in named)
    for site in web.sites:  # ten hits hide pages; ten of each site hide few
        for one in things:
            yield f"site:{site.host} {one.title} {post}".strip()
    for name in persons:
        asked = wanted.columns[-1].rpartition(":")[2].partition("(")[0].strip()
        yield from (name, f"{name} born", f"{name} {asked}", f'"{name}"', f'"{name}" born', f'"{name}" town')


def _known(
    wanted: _Wanted, web: WorldWeb, pages: frozenset[int]
) -> tuple[list[WorldEntity], list[str], list[tuple[str, int, int]]]:
    """The towns and things of the counties that the pages tell of, the names of whom they lead to, and the years in
    which nobody is known to have held the post: of what, since when, until when."""
    things: dict[int, WorldEntity] = {}
    terms: dict[str, set[tuple[int, int]]] = {}
    persons: dict[str, None] = {}
    regions = {web.world.region(region).cast.county for region in wanted.scope}
    for number in sorted(pages):
        for fact in _facts(web, number):
            one = _entity(web, fact.subject)
            if one is None or one.kind not in (wanted.kind, "town") or web.world.place(one)[1] not in regions:
                continue
            things[one.number] = one
            if one.kind == wanted.kind and fact.object.entity >= 0:
                persons[fact.object.text.removeprefix("the ")] = None
                if wanted.posts and fact.until:
                    terms.setdefault(one.title, set()).add((fact.year, fact.until))
    gaps = [
        (name, before[1], after[0])
        for name, known in terms.items()
        for before, after in pairwise(sorted(known))
        if before[1] < after[0]
    ]
    return list(things.values()), list(persons), gaps


@lru_cache(maxsize=8_192)
def _facts(web: WorldWeb, number: int) -> tuple[WorldFact, ...]:
    return web.facts(number)


@lru_cache(maxsize=65_536)
def _entity(web: WorldWeb, number: int) -> WorldEntity | None:
    return web.entity(number)


def _table(wanted: _Wanted, web: WorldWeb, pages: frozenset[int]) -> GraphTable | None:
    """The table, as the pages that were read state it."""
    graph = WorldGraph(web, pages)
    if not wanted.posts:
        known = {source.column.label: source for source in graph.sources(wanted.kind)}
        sources = [known[name] for name in wanted.columns[1:] if name in known]
        return graph.things(wanted.kind, wanted.scope, sources) if len(sources) == len(wanted.columns) - 1 else None
    specs = web.world.setting.kinds[wanted.kind].facts.values()
    post = next((one.name for one in specs if one.tenure and one.labels[:1] == wanted.columns[1:2]), "")
    table = graph.posts(wanted.kind, post, wanted.scope) if post else None
    if table is None:
        return None
    kept = [place for place, column in enumerate(table.columns) if column.label in wanted.columns]
    rows = tuple(tuple(row[place] for place in kept) for row in table.rows)
    return table._replace(columns=tuple(table.columns[place] for place in kept), rows=rows)


def _answered(wanted: _Wanted, table: GraphTable | None) -> Decision:
    rows = () if table is None else table.rows
    keys = 2 if wanted.posts else 1
    cells = [
        {
            "row": [cell.text for cell in row[:keys]],
            "column": name,
            "value": cell.text or "N/A",
            "sources": list(cell.pages[:3]),
        }
        for row in rows
        for name, cell in zip(wanted.columns, row, strict=True)
    ]
    head = [list(wanted.columns), ["---"] * len(wanted.columns)]
    lines = [*head, *([cell.text or "N/A" for cell in row] for row in rows)]
    text = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return Decision(answer(f"```markdown\n{text}\n```"), memory=json.dumps({"cells": cells}))
