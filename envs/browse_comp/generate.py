"""BrowseComp from a generated web: chains of obscure facts that lead to one name, made without a model."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from webenv.corpora.procedural import Rng, Worlds
from webenv.corpora.world import WorldWeb
from webenv.envs.fact_graph import FactGraph, GraphEntity, GraphStatement
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.world_graph import WorldGraph
from webenv.errors import InvalidArgument
from webenv.task import Gold, Task
from webenv.web import Scope

GROUPS = ("2", "3", "4", "5", "6")
"""How many pages a chain leads over, at the least."""

_DRAWS = 6_000  # a chain of six pages takes some hundreds, now and then thousands
_ENOUGH = 2_000
_MOST_OWN = 4  # statements that describe entities on the way
_LETTERS = {"en": "ABCDEFGH", "zh": "甲乙丙丁戊己庚辛"}
_KINDS = {
    "en": {"person": "person", "place": "place", "org": "organisation"},
    "zh": {"person": "人物", "place": "地方", "org": "机构"},
}
_WORDING = {
    "en": ("{clues} What is the name of {last}?", " "),
    "zh": ("{clues}{last}叫什么名字？", ""),
}
_FORM = {
    "en": (
        "Letters stand for names. Reply in three lines, and nothing else:\n"
        "Explanation: how you found it\nExact Answer: the name alone\nConfidence: 0% to 100%"
    ),
    "zh": (
        "字母代号代表名字。只用三行回答：\nExplanation: 你是怎样找到的\nExact Answer: 只写名字\nConfidence: 0% 到 100%"
    ),
}


class ChainHop(NamedTuple):
    """A step of a chain: a statement, taken from its subject to its object, or the other way."""

    statement: GraphStatement
    forward: bool

    @property
    def end(self) -> GraphEntity:
        """Where it leads."""
        assert self.statement.object is not None
        return self.statement.object if self.forward else self.statement.subject


class Chain(NamedTuple):
    """A path through the facts of a world that leads to one entity alone.

    Attributes:
        visited: the entities on the way, the answer last.
        hops: the steps.
        clues: statements that describe entities on the way, each with the place of its entity; none the answer.
        pages: for each statement (clues, then hops) the addresses of the pages that state it.
        least: the fewest pages that state everything together.
    """

    visited: tuple[GraphEntity, ...]
    hops: tuple[ChainHop, ...]
    clues: tuple[tuple[int, GraphStatement], ...]
    pages: tuple[tuple[str, ...], ...]
    least: int


class Chains:
    """Draws chains from the statements of a world.

    Args:
        graph: the world.
    """

    def __init__(self, graph: FactGraph) -> None:
        self._graph = graph
        self._pages = lru_cache(maxsize=65_536)(graph.pages)

    def drawn(self, pages: int, rng: Rng) -> Chain | None:
        """A chain over so many pages that has exactly one answer in the world; ``None``: none was found."""
        starts = self._starts
        for _ in range(_DRAWS if starts else 0):
            hops = min(max(1, rng.between(pages - 1, pages + 1)), len(_LETTERS["en"]) - 1)
            chain = self._tried(rng.pick(starts), hops, rng)
            if chain is not None and chain.least == pages:
                return chain
        return None

    def solutions(self, hops: Sequence[ChainHop], clues: Iterable[tuple[int, GraphStatement]]) -> frozenset[int]:
        """The numbers of all entities of the world that a chain leads to, where names are left out."""
        told: dict[int, list[GraphStatement]] = {}
        for place, clue in clues:
            told.setdefault(place, []).append(clue)
        found = self._fitting(told.get(0, []), None)
        for place, hop in enumerate(hops, start=1):
            edges = self._edges[hop.forward]
            reached = {end for start in found for end in edges.get((hop.statement.relation.name, start), ())}
            found = self._fitting(told.get(place, []), reached)
        return frozenset(found)

    def _fitting(self, clues: Sequence[GraphStatement], among: Collection[int] | None) -> set[int]:
        """The entities, of some or of all, that statements without their subjects describe."""
        found = None if among is None else set(among)
        for clue in clues:
            holders = self._holders[clue.relation.name, clue.text]
            found = set(holders) if found is None else found & holders
        return set() if found is None else found

    def _tried(self, start: GraphEntity, length: int, rng: Rng) -> Chain | None:
        visited, hops = [start], list[ChainHop]()
        for _ in range(length):
            ways = [way for way in self._ways.get(visited[-1].number, ()) if way.end not in visited]
            if not ways:
                return None
            hops.append(rng.pick(ways))
            visited.append(hops[-1].end)
        known = [
            (place, clue)
            for place, entity in enumerate(visited[:-1])
            for clue in rng.shuffle(self._described.get(entity.number, ()))
        ]
        known = [(place, clue) for place, clue in known if visited[-1].name not in clue.text]  # nor is it the answer
        clues = known[:1]
        while self.solutions(hops, clues) != {visited[-1].number}:
            if len(clues) == min(len(known), _MOST_OWN):
                return None
            clues.append(known[len(clues)])
        statements = [*(clue for _, clue in clues), *(hop.statement for hop in hops)]
        pages = tuple(map(self._pages, statements))
        return Chain(tuple(visited), tuple(hops), tuple(clues), pages, fewest(pages)) if all(pages) else None

    # ── the graph ─────────────────────────────────────────────────────────────

    @cached_property
    def _told(self) -> list[GraphStatement]:
        """What questions can tell; all else counts for whether an answer is the only one."""
        return [one for one in self._graph.statements() if one.relation.forms]

    @cached_property
    def _starts(self) -> list[GraphEntity]:
        """Entities that something describes, each once."""
        return list(dict.fromkeys(one.subject for one in self._told if one.object is None))

    @cached_property
    def _ways(self) -> Mapping[int, Sequence[ChainHop]]:
        found: dict[int, list[ChainHop]] = {}
        for one in self._told:
            if one.object is not None:
                found.setdefault(one.subject.number, []).append(ChainHop(one, True))
                found.setdefault(one.object.number, []).append(ChainHop(one, False))
        return found

    @cached_property
    def _edges(self) -> Mapping[bool, Mapping[tuple[str, int], Sequence[int]]]:
        forward: dict[tuple[str, int], list[int]] = {}
        backward: dict[tuple[str, int], list[int]] = {}
        for one in self._graph.statements():
            if one.object is not None:
                forward.setdefault((one.relation.name, one.subject.number), []).append(one.object.number)
                backward.setdefault((one.relation.name, one.object.number), []).append(one.subject.number)
        return {True: forward, False: backward}

    @cached_property
    def _described(self) -> Mapping[int, Sequence[GraphStatement]]:
        found: dict[int, list[GraphStatement]] = {}
        for one in self._told:
            if one.object is None:
                found.setdefault(one.subject.number, []).append(one)
        return found

    @cached_property
    def _holders(self) -> Mapping[tuple[str, str], set[int]]:
        found: dict[tuple[str, str], set[int]] = {}
        for one in self._graph.statements():
            if one.object is None:
                found.setdefault((one.relation.name, one.text), set()).add(one.subject.number)
        return found


def fewest(pages: Sequence[Collection[str]]) -> int:
    """The fewest pages that together state every fact, where each fact comes with the pages that state it.

    >>> fewest([("a", "b"), ("b",), ("c", "a")]), fewest([("a",), ("a", "b")])
    (2, 1)
    """
    every = (1 << len(pages)) - 1
    masks = {
        sum(1 << fact for fact, stating in enumerate(pages) if page in stating)
        for page in dict.fromkeys(page for stating in pages for page in stating)
    }
    reached, count = {0}, 0
    while every not in reached:
        reached, count = {one | mask for one in reached for mask in masks}, count + 1
    return count


class ChainTask(NamedTuple):
    """A task, and the chain behind it."""

    task: Task
    chain: Chain


class ChainGenerator:
    """Draws the chains of a generated web as tasks; the same number gives the same task.

    Args:
        web: the web.
        world: what its tasks call it, where they are put on one of several worlds.

    Attributes:
        chains: what draws its chains.
    """

    def __init__(self, web: WorldWeb, world: str = "") -> None:
        self.web = web
        self._world = world
        self._graph = WorldGraph(web)
        self.chains = Chains(self._graph)

    def draw(self, group: str, number: int) -> ChainTask:
        """Task ``number`` of those over ``group`` pages.

        Raises:
            InvalidArgument: for an unknown group, or a web without such chains.
        """
        if group not in GROUPS:
            raise InvalidArgument(f"pages={group!r}: expected one of {', '.join(GROUPS)}.")
        config, language = self.web.config, self._graph.language
        rng = Rng("browse", config.split, config.seed, group, number)
        chain = self.chains.drawn(int(group), rng)
        if chain is None:
            raise InvalidArgument(f"{config}: has no chains over {group} pages; raise pages.")
        answer = chain.visited[-1].name
        task = Task(
            id=task_id(self.web.config, group, number),
            question=f"{worded(chain, language, rng)}\n\n{_FORM[language]}",
            gold=Gold(urls=_evidence(chain), answers=_written(answer)),
            tags={
                "pages": group,
                "hops": str(len(chain.hops)),
                "split": self.web.config.split,
                "language": language,
                "answer": chain.visited[-1].kind,
            },
            scope=Scope(world=self._world),
        )
        return ChainTask(task, chain)


def worded(chain: Chain, language: str, rng: Rng) -> str:
    """A chain as a question: a letter for each entity, a sentence for each fact, the last entity asked for."""
    kinds, letters = _KINDS[language], _LETTERS[language]
    told = [f"{kinds.get(one.kind, one.kind)} {letter}" for one, letter in zip(chain.visited, letters, strict=False)]
    if language == "zh":
        told = [one.replace(" ", "") for one in told]
    sentences: list[str] = []
    for place in range(len(chain.visited)):
        for where, clue in chain.clues:
            if where == place:
                sentences.append(_sentence(clue, told[place], clue.text, language, rng))
        if place < len(chain.hops):
            hop = chain.hops[place]
            ends = (told[place], told[place + 1]) if hop.forward else (told[place + 1], told[place])
            sentences.append(_sentence(hop.statement, *ends, language, rng))
    wording, space = _WORDING[language]
    return wording.format(clues=space.join(sentences), last=told[-1])


def _sentence(statement: GraphStatement, subject: str, value: str, language: str, rng: Rng) -> str:
    text = rng.pick(statement.relation.forms).format(s=subject, o=value)
    return f"{text}。" if language == "zh" else f"{text[0].upper()}{text[1:]}."


def _evidence(chain: Chain) -> tuple[str, ...]:
    """For each fact the first page that states it."""
    return tuple(dict.fromkeys(stating[0] for stating in chain.pages))


def _written(name: str) -> tuple[str, ...]:
    """A name as pages write it, and without its article."""
    return (name, name[4:]) if name.startswith("the ") else (name,)


class GeneratedChains(GeneratedTasks[ChainTask]):
    """Generated chains; each is made when it is asked for.

    Tags: ``pages`` (2 to 6), ``hops``, ``split``, ``language`` and ``answer`` (person, place or org).
    """

    tag = "pages"


def has_enough(web: WorldWeb) -> bool:
    """Whether a web has so many pages (2,000) that it surely gives chains of each length."""
    return len(web) >= _ENOUGH


@lru_cache(maxsize=4)
def chain_source(worlds: Worlds) -> TaskSource[ChainTask]:
    """What draws the chains of worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, GROUPS, ChainGenerator, has_enough, ChainTask)
