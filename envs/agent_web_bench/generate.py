"""Tasks of all four kinds from the facts of a generated web, with exact gold: made without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, TypeVar

from webenv.corpora.procedural import Rng, WebConfig, Worlds, generated_web
from webenv.corpora.world import WorldWeb
from webenv.envs.agent_web_bench.tasks import worded
from webenv.envs.fact_graph import FactGraph, GraphEntity, GraphRelation, GraphStatement, written
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, generated_count, task_id
from webenv.envs.world_graph import WorldGraph
from webenv.errors import InvalidArgument
from webenv.rewards.research import denies, stated_labels
from webenv.task import Gold, Json, Task, TaskSet
from webenv.urls import host_of
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
_SITES = (1, 3)  # of the relevant pages of a query
_MOST_PAGES = 5
_POINTS = (6, 14)
_NAMED = 6  # others that a topic names
_POINT_SITES = 5  # the fewest sites that key points are spread over
_CLUES = (2, 3)  # visits of a history that tell of the intent
_NOISE = (3, 6)
_TOGETHER = 25  # tasks in a row that are of one part of a world
_CROWD = 12  # pages of one kind on a site, from which finding the right one is the task
_WRONG = 40
_START = 29_000_000  # minutes, as in the released histories
_NO_CUE = frozenset(("the", "and", "for", "with", "was", "were", "has", "had", "have", "his", "her", "its", "from",
                     "into", "that", "this", "who", "whom", "been"))  # fmt: skip
_NUMERIC = ("number", "money", "count", "year")
_LEAST_DIGITS = 3  # of an answer: smaller numbers are guessed
_WORD = re.compile(r"[^\W\d_]{3,}")


class StatementSource(NamedTuple):
    """A statement, and the pages and sites that state it."""

    statement: GraphStatement
    urls: tuple[str, ...]
    sites: frozenset[str]


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


class Drawn(NamedTuple):
    """A task before it has an id."""

    text: str
    gold: Gold
    sources: tuple[StatementSource, ...]
    cases: tuple[str, ...]
    intent: str = ""

    @property
    def sites(self) -> int:
        """How many sites host what is sought."""
        told = self.gold.data["sites"]
        return len(told) if isinstance(told, tuple) else 0


class Facts:
    """The facts of a part of a world by entity and by site: all that its tasks are drawn from.

    Args:
        graph: the world.
        part: which part; a task needs no other, so that a large world is not gone through for the first one.
    """

    def __init__(self, graph: FactGraph, part: int = 0) -> None:
        self._graph = graph
        self._own = graph.part(part)
        self.title = lru_cache(maxsize=65_536)(graph.title)

    @cached_property
    def sources(self) -> tuple[StatementSource, ...]:
        """Every statement that some page makes."""
        found = ((one, self._graph.pages(one)) for one in self._own if one.relation.forms)
        return tuple(StatementSource(one, urls, frozenset(map(host_of, urls))) for one, urls in found if urls)

    @cached_property
    def of(self) -> Mapping[int, Sequence[StatementSource]]:
        """What is stated of each entity."""
        return _grouped((one.statement.subject.number, one) for one in self.sources)

    @cached_property
    def leading_to(self) -> Mapping[int, Sequence[StatementSource]]:
        """What is stated of others that names an entity."""
        return _grouped((one.statement.object.number, one) for one in self.sources if one.statement.object is not None)

    @cached_property
    def entities(self) -> tuple[GraphEntity, ...]:
        """The entities that something is stated of, each once."""
        return tuple(dict.fromkeys(one.statement.subject for one in self.sources))

    @cached_property
    def known(self) -> Mapping[int, GraphEntity]:
        """The entities by number."""
        return {one.number: one for one in self.entities}

    @cached_property
    def values(self) -> Mapping[str, Sequence[str]]:
        """All values of each relation, each once."""
        by_relation = _grouped((one.statement.relation.name, one.statement.text) for one in self.sources)
        return {name: tuple(dict.fromkeys(values)) for name, values in by_relation.items()}

    @cached_property
    def cue_counts(self) -> Counter[str]:
        """By how many relations each word tells."""
        relations = {one.statement.relation.name: one.statement.relation for one in self.sources}
        return Counter(word for relation in relations.values() for word in _words(relation))

    @cached_property
    def stated(self) -> Mapping[str, Sequence[StatementSource]]:
        """What each page states."""
        return _grouped((url, one) for one in self.sources for url in one.urls)

    @cached_property
    def _kinds_on(self) -> Mapping[str, Counter[str]]:
        """How many pages of each site are about each kind of entity."""
        counted: dict[str, Counter[str]] = {}
        for url, sources in self.stated.items():
            kinds = {one.statement.subject.kind for one in sources}
            counted.setdefault(host_of(url), Counter()).update(kinds)
        return counted

    @cached_property
    def _usual(self) -> Mapping[str, frozenset[str]]:
        """The five sites that have most pages about each kind."""
        kinds = {kind for counter in self._kinds_on.values() for kind in counter}
        return {
            kind: frozenset(sorted(self._kinds_on, key=lambda site: (-self._kinds_on[site][kind], site))[:5])
            for kind in kinds
        }

    def disputed(self, source: StatementSource) -> bool:
        """Whether some page brings up something else in a fact's place."""
        return bool(self._graph.disputing(source.statement))

    def cases(self, sources: Sequence[StatementSource]) -> list[str]:
        """Which failure cases finding some facts lays itself open to."""
        kinds = {one.statement.subject.kind for one in sources}
        sites = frozenset().union(*(one.sites for one in sources))
        found = []
        if any(self._usual[kind].isdisjoint(sites) for kind in kinds):
            found.append("routing")
        if any(self._kinds_on[site][kind] >= _CROWD for site in sites for kind in kinds):
            found.append("retrieval")
        if any(self.disputed(one) for one in sources):
            found.append("conflict")
        return found

    @cached_property
    def _values_of(self) -> Mapping[tuple[int, str], Sequence[str]]:
        """All that is true of each entity by a relation, whether pages state it or not."""
        return _grouped(((one.subject.number, one.relation.name), one.text) for one in self._own)

    def values_of(self, statement: GraphStatement) -> Sequence[str]:
        """All values of a statement's relation for its subject."""
        return self._values_of[statement.subject.number, statement.relation.name]

    def single(self, source: StatementSource) -> bool:
        """Whether a relation has one value for its subject."""
        return len(self.values_of(source.statement)) == 1

    def written(self, statement: GraphStatement) -> tuple[str, ...]:
        """The ways in which pages write the value of a fact."""
        return tuple(filter(None, self._graph.written(statement)))


# ── queries ───────────────────────────────────────────────────────────────────


def draw_query(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A query whose relevant pages stand on 1 to 3 sites.

    ``named``: an entity by its name, and what of it is sought; relevant is every page that states it. ``about``: an
    entity by its name alone; relevant is every page that states something of it. ``described``: an entity by its kind
    and two things that hold of it alone; relevant is every page that states both.
    """
    entity = rng.pick(facts.entities)
    own = facts.of[entity.number]
    chosen = [rng.pick(own)]
    urls, text = chosen[0].urls, f"{entity.name} {_label(chosen[0])}"
    if group == "about":
        chosen = list(own)
        urls, text = tuple(dict.fromkeys(url for one in own for url in one.urls)), entity.name
        if len(set(map(host_of, urls))) == 1 and rng.chance(0.8):
            return None  # most things are told on one site; those told on several are what is to be ranked
    if group == "described":
        if len(own) < 2:
            return None
        chosen = rng.sample(list(own), 2)
        if all(one.statement.object is None for one in chosen):
            return None  # what holds of nobody else of this part may hold of somebody elsewhere; a name ties it down
        urls = tuple(url for url in chosen[0].urls if url in chosen[1].urls)
        if _holders(facts, chosen) != {entity.number}:
            return None
        text = f"{entity.kind} " + ", ".join(f"{_label(one)} {one.statement.text}" for one in chosen)
    sites = sorted(set(map(host_of, urls)))
    if not _SITES[0] <= len(sites) <= _SITES[1] or len(urls) > _MOST_PAGES:
        return None
    cases = facts.cases(chosen) + (["entity"] if group == "described" else [])
    return Drawn(text, Gold(urls=urls, data={"sites": sites}), tuple(chosen), tuple(cases))


def _holders(facts: Facts, sources: Iterable[StatementSource]) -> set[int]:
    """The entities of which all of some statements hold."""
    found: set[int] | None = None
    for one in sources:
        same = (one.statement.relation.name, one.statement.text)
        holders = {
            other.statement.subject.number
            for other in facts.sources
            if (other.statement.relation.name, other.statement.text) == same
        }
        found = holders if found is None else found & holders
    return found or set()


# ── histories ─────────────────────────────────────────────────────────────────


def draw_history(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A browsing history with a latent intent: pages that name one entity, among pages that have nothing to do with it.

    The next visit is a page about that entity, which the history never shows: that the entity is sought follows from
    what the pages have in common.
    """
    entity = rng.pick(facts.entities)
    telling = facts.leading_to.get(entity.number, ())
    about = {url for one in facts.of[entity.number] for url in one.urls}
    by_entity = {one.statement.subject.number: url for one in telling for url in one.urls if url not in about}
    if len(by_entity) < _CLUES[0]:
        return None
    target = _best_page(facts, entity, about)
    if target is None:
        return None
    clues = rng.sample(sorted(by_entity.values()), min(len(by_entity), rng.between(*_CLUES)))
    tied = {*by_entity, entity.number}
    noise: list[str] = []
    for _ in range(rng.between(*_NOISE)):
        other = rng.pick(facts.sources)
        url = rng.pick(other.urls)
        free = {one.statement.subject.number for one in facts.stated[url]}.isdisjoint(tied)
        named = {one.statement.object.number for one in facts.stated[url] if one.statement.object is not None}
        if free and entity.number not in named and url not in (*clues, *noise):
            noise.append(url)
    time, lines = _START + rng.below(100_000), []
    for url in rng.shuffle([*clues, *noise]):
        lines.append(f"- {facts.title(url)} ({time:.1f}) {url}")
        time += 1 + rng.below(90)
    chosen = tuple(one for one in facts.of[entity.number] if target in one.urls)
    sites = [host_of(target)]
    gold = Gold(urls=(target,), data={"sites": sites})
    lost = ["entity"] if len(noise) >= 2 * len(clues) else []  # what is sought is easily lost among other things
    return Drawn("\n".join(lines), gold, chosen, (*facts.cases(chosen), *lost), entity.name)


def _best_page(facts: Facts, entity: GraphEntity, about: Iterable[str]) -> str | None:
    """The page that states most of an entity, and of nobody else as much; ``None`` where there is none."""
    told = {url: Counter(one.statement.subject.number for one in facts.stated[url]) for url in sorted(about)}
    own = {
        url: counter[entity.number] for url, counter in told.items() if counter.most_common(1)[0][0] == entity.number
    }
    return max(own, key=lambda url: own[url]) if own else None


# ── questions ─────────────────────────────────────────────────────────────────


def draw_question(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A question over two facts that no site has both of: one leads to somebody who is not named, the other answers."""
    first = rng.pick(facts.sources)
    middle = first.statement.object
    if middle is None or middle.number not in facts.of or not facts.single(first):
        return None
    seconds = [
        one
        for one in facts.of[middle.number]
        if one.sites.isdisjoint(first.sites)
        and facts.single(one)
        and not (one.statement.relation.type in _NUMERIC and len(one.statement.text) < _LEAST_DIGITS)
        and (one.statement.object is None or one.statement.object.number != first.statement.subject.number)
    ]
    if not seconds:
        return None
    second = rng.pick(seconds)
    kind = f"a certain {middle.kind}"
    clue = _filled(first.statement, rng, first.statement.subject.name, kind)
    asked = _filled(second.statement, rng, f"that same {middle.kind}", "___")
    if clue is None or asked is None or second.statement.text in f"{clue} {asked}":
        return None
    text = f"{clue} And {asked[0].lower()}{asked[1:]} What stands in the gap?"
    cases = ["entity", *facts.cases([first, second])]
    if second.statement.relation.type in ("place", "day", "number", "count", "money"):
        cases.append("granularity")
    urls = tuple(dict.fromkeys((first.urls[0], second.urls[0])))
    gold = Gold(urls=urls, answers=facts.written(second.statement), data={"sites": sorted(first.sites | second.sites)})
    return Drawn(text, gold, (first, second), tuple(cases))


# ── topics ────────────────────────────────────────────────────────────────────


def draw_topic(facts: Facts, group: str, rng: Rng) -> Drawn | None:
    """A topic for a report: an entity and those tied to it; its key points are spread over 5 sites at least."""
    entity = rng.pick(facts.entities)
    sources = [one for one in facts.of[entity.number] if _reportable(facts, one)]
    tied = [one.statement.subject for one in facts.leading_to.get(entity.number, ())]
    tied += [one.statement.object for one in sources if one.statement.object is not None]
    others: list[GraphEntity] = []
    for other in dict.fromkeys(rng.shuffle(tied)):
        if len(sources) >= _POINTS[1]:
            break
        if other.number in facts.of and other.number != entity.number:
            others.append(other)
            sources += [one for one in facts.of[other.number] if _reportable(facts, one)]
    sources = sources[: _POINTS[1]]
    others = [one for one in others if any(source.statement.subject == one for source in sources)]
    sites = frozenset().union(*(one.sites for one in sources))
    if len(sources) < _POINTS[0] or len(sites) < _POINT_SITES or not others:
        return None
    names = [one.name for one in others[:_NAMED]]
    told = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
    text = f"What is known about {entity.name}, and about those tied to it: {told}?"
    told_of = {one.statement.subject.name for one in sources} | {one.statement.text for one in sources}
    points = [_point(facts, one, told_of) for one in sources]
    urls = tuple(dict.fromkeys(one.urls[0] for one in sources))
    data: dict[str, Json] = {"key_points": points, "sites": sorted(sites)}
    report = _report(entity, sources)
    if any(label != "supported" for label in stated_labels(report, data)):
        return None  # two values that hold one another, or a name that is a word: the rule could not tell
    gold = Gold(urls=urls, answers=(report,), data=data)
    return Drawn(text, gold, tuple(sources), tuple(facts.cases(sources)))


def _reportable(facts: Facts, source: StatementSource) -> bool:
    """Whether a report can state a fact so that the rule sees it: subject and value, in words that deny nothing."""
    statement, told = source.statement, _plain(source.statement)
    value = next((way for way in facts.written(statement) if way in told), "")
    named = next((way for way in written(statement.subject.name) if way in told), "")
    return bool(value and named) and not denies(told.replace(value, " ").replace(named, " "))


def _point(facts: Facts, source: StatementSource, told: set[str]) -> dict[str, Json]:
    """A key point as :class:`webenv.rewards.StatedPointsJudge` reads it.

    What another key point tells is no wrong value: a sentence that ties two of a topic's subjects tells of both.
    """
    statement, relation = source.statement, source.statement.relation
    known = {*told, *facts.values_of(statement)}
    # a number says little: what else is told of a subject may hold the same one
    exact = relation.type not in _NUMERIC and (statement.object is not None or " " in statement.text)
    others = [] if relation.type in _NUMERIC else [value for value in facts.values[relation.name] if value not in known]
    cues = [word for word in _words(relation) if facts.cue_counts[word] == 1]
    if not all(set(cues).intersection(_WORD.findall(_bare(form).lower())) for form in relation.forms):
        cues = _words(relation)  # some way to tell it has no word of its own
    return {
        "point_content": _plain(statement),
        "subjects": list(written(statement.subject.name)),
        "values": list(facts.written(statement)),
        "wrong": [form for value in others[:_WRONG] for form in written(value)],
        "cues": [] if exact else cues,
        "wrong_cues": _words(relation),
        "sites": sorted(source.sites),
    }


def _report(entity: GraphEntity, sources: Sequence[StatementSource]) -> str:
    """A report that states every key point and cites a site for each."""
    numbers: dict[str, int] = {}
    lines = [f"# {entity.name}", ""]
    for one in sources:
        site = min(one.sites)
        lines.append(f"- {_plain(one.statement)[:-1]} [{numbers.setdefault(site, len(numbers) + 1)}].")
    return "\n".join([*lines, "", "## References", *(f"[{number}] {site}" for site, number in numbers.items())])


# ── wording ───────────────────────────────────────────────────────────────────


def _plain(statement: GraphStatement) -> str:
    return _sentence(_replaced(statement.relation.forms[0], statement.subject.name, statement.text))


def _filled(statement: GraphStatement, rng: Rng, subject: str, value: str) -> str | None:
    """A statement with other words for its subject and its value; ``None`` where its value cannot be told apart."""
    form = rng.pick(statement.relation.forms)
    if "{o}" not in form:  # a value that is no entity stands in the form as it is
        if statement.text not in form:
            return None
        form = form.replace(statement.text, "{o}", 1)
    return _sentence(_replaced(form, subject, value)) if "{s}" in form else None


def _replaced(form: str, subject: str, value: str) -> str:
    return form.replace("{s}", subject).replace("{o}", value)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:].rstrip('.')}."


def _words(relation: GraphRelation) -> list[str]:
    """The words by which a relation is told, each once."""
    words = (word.lower() for form in (relation.label, *relation.forms) for word in _WORD.findall(_bare(form)))
    return [word for word in dict.fromkeys(words) if word not in _NO_CUE]


def _label(source: StatementSource) -> str:
    return source.statement.relation.label.lower()


def _bare(form: str) -> str:
    return re.sub(r"\{[^{}]*\}", " ", form)


KeyT = TypeVar("KeyT")
ValueT = TypeVar("ValueT")


def _grouped(pairs: Iterable[tuple[KeyT, ValueT]]) -> dict[KeyT, list[ValueT]]:
    found: dict[KeyT, list[ValueT]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


# ── as tasks ──────────────────────────────────────────────────────────────────

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
            "sites": "5+" if drawn.sites >= _POINT_SITES else str(drawn.sites),
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
    return TaskSource(worlds, GROUPS[kind], partial(_generator, kind))


def _generator(kind: str, web: WorldWeb, world: str) -> WebTaskGenerator:
    return WebTaskGenerator(web, kind, world)


def generated(kind: str, worlds: Worlds, spec: str) -> TaskSet:
    """The generated tasks of a kind on worlds, from ``generated`` or ``generated:count=1000`` (of each group)."""
    count = generated_count(spec, worlds.count, each="of each group") if ":" in spec else max(COUNT, worlds.count)
    return GeneratedWebTasks(task_source(kind, worlds), count)
