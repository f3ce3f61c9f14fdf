"""What passes between the layers: directives down, findings and summaries up. No type above the worker holds a page."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from typing import Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from webenv.models import ModelFailure, ModelReply, Request

ValueT = TypeVar("ValueT")

CELL = 300
"""Characters of any text in a finding: a value, a name, an address' purpose. Longer ones are cut, so that whatever a
worker returns, no page can pass through it."""

LINES = 40
"""Statements, sources and leads of one finding, of each at most so many."""

SUMMARY = 1_500
"""Characters of a manager's summary: what the host sees of a step."""


class Subtask(NamedTuple):
    """What a manager asks of one worker (q_t^k): self-contained, as a worker begins with an empty context.

    Attributes:
        id: its place in the tree, as ``2.1.3``.
        goal: what is wanted, in words.
        query: what to search for; empty: the address is given.
        url: what to read; empty: a search.
        entities: what is asked about, if that is known.
        columns: what is asked of each.
        examples: of each column some values of other entities, so that a worker knows what they look like.
        known: of the entities that are asked about, what is known already: entity, column, value.
        others: names of others of the kind, so that a worker tells them apart, and takes what a page says of them too.
        cues: of each column, words that stood in sentences that stated its values elsewhere.
        places: where all of it is: the places that the question names, and smaller ones that are known to lie in them.
        tries: how often it failed before.
    """

    id: str
    goal: str
    query: str = ""
    url: str = ""
    entities: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    examples: tuple[tuple[str, tuple[str, ...]], ...] = ()
    known: tuple[tuple[str, str, str], ...] = ()
    others: tuple[str, ...] = ()
    cues: tuple[tuple[str, tuple[str, ...]], ...] = ()
    places: tuple[tuple[str, str], ...] = ()
    tries: int = 0


class CitedStatement(NamedTuple):
    """One cell that a page states.

    Attributes:
        entity: of whom or what.
        column: the column, or the label that a page's own table has.
        value: what is stated.
        url: of the page.
        date: of a version that may be outdated; empty for today's.
        quote: the sentence that states it; empty for a table.
        place: where the page says that the entity is, as ``Oldtown, Ayshire``, or the address that it links its name
            to: what tells namesakes apart. Where it says neither, where the page's own subject is, behind a tilde.
    """

    entity: str
    column: str
    value: str
    url: str
    date: str = ""
    quote: str = ""
    place: str = ""


class CitedSource(NamedTuple):
    """An address, and what it corroborates: the hand-off to whoever reads on."""

    url: str
    corroborates: str


class Finding(NamedTuple):
    """What a worker returns (Ā): statements with their sources, addresses worth reading, or why there is nothing."""

    subtask: str
    statements: tuple[CitedStatement, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    leads: tuple[CitedSource, ...] = ()
    failure: str = ""

    def bounded(self) -> Finding:
        """The finding with every text cut to ``CELL`` characters on one line, and every list to its bound."""
        rows = 100 * LINES  # statements are cells: a list page may state hundreds
        return Finding(
            self.subtask,
            tuple(CitedStatement(*map(cell, one)) for one in self.statements[:rows]),
            tuple(CitedSource(*map(cell, one)) for one in self.sources[:LINES]),
            tuple(CitedSource(*map(cell, one)) for one in self.leads[:LINES]),
            cell(self.failure),
        )


class Directive(NamedTuple):
    """What the host asks of a manager (q_t).

    Attributes:
        manager: ``search``, ``browser``, ``filesystem`` or ``code``.
        goal: what is wanted, in words.
        urls: addresses to try first: hints, no constraint.
        share: of what is missing, which part of how many parts this manager has: ``(1, 4)`` is the first of four, that
            other managers fill at the same time.
    """

    manager: str
    goal: str
    urls: tuple[str, ...] = ()
    share: tuple[int, int] = (1, 1)


class ManagerSummary(NamedTuple):
    """What a manager returns of a directive (y_t), all that the host sees of it.

    Attributes:
        directive: the directive's goal.
        text: what was found, at most ``SUMMARY`` characters.
        sources: addresses for each key entity.
        gaps: how many cells are still missing.
        new: how many statements are new since the step before.
        step: in which step the host planned it, from 1.
    """

    directive: str
    text: str
    sources: tuple[CitedSource, ...] = ()
    gaps: int = 0
    new: int = 0
    step: int = 1

    def bounded(self) -> ManagerSummary:
        """The summary cut to its bounds."""
        sources = tuple(CitedSource(*map(cell, one)) for one in self.sources[:LINES])
        return self._replace(text=self.text[:SUMMARY], sources=sources, directive=cell(self.directive))


class HostView(NamedTuple):
    """All that a host decides by: the question, and of each step the directive and the summary."""

    question: str
    steps: tuple[ManagerSummary, ...]
    steps_left: int


class Gap(NamedTuple):
    """An entity, and the columns that nothing has stated of it yet."""

    entity: str
    columns: tuple[str, ...]


class Order(NamedTuple):
    """What a manager wants of a worker: a query or an address, and what is asked of which entities; or a program."""

    query: str = ""
    url: str = ""
    entities: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    code: str = ""


class ManagerView(NamedTuple):
    """All that a manager decides by.

    Attributes:
        question: the whole question.
        directive: what the host asks.
        round: how often it was split before, from 0.
        entities: how many entities the ledger has.
        gaps: what the ledger lacks, of the manager's share.
        asked: queries that were sent and addresses that were read, never to be sent again.
        findings: of this directive so far, newest last.
        places: smaller places that are known to lie in those that the question names.
        doubts: what else is to be searched, and for whose sake: where places lie, and whether there are namesakes.
    """

    question: str
    directive: Directive
    round: int
    entities: int
    gaps: tuple[Gap, ...]
    asked: tuple[str, ...]
    findings: tuple[Finding, ...]
    places: tuple[str, ...] = ()
    doubts: tuple[tuple[str, str], ...] = ()

    def in_words(self) -> str:
        """The view as a model reads it."""
        gaps = "\n".join(f"- {gap.entity}: {', '.join(gap.columns)}" for gap in self.gaps)
        findings = "\n".join(in_words(one) for one in self.findings)
        asked = "\n".join(f"- {one}" for one in self.asked)
        return (
            f"{self.question}\n\nDirective: {self.directive.goal}\n{'; '.join(self.directive.urls)}\n\n"
            f"Known entities: {self.entities}. Missing:\n{gaps}\n\nAsked before:\n{asked}\n\nFindings:\n{findings}"
        )


class ResultLine(NamedTuple):
    """A search hit, as a worker sees it."""

    title: str
    url: str
    snippet: str


class ReadPage(NamedTuple):
    """A page, as a worker sees it, and nobody else."""

    url: str
    title: str
    text: str


class Said(NamedTuple, Generic[ValueT]):
    """What a layer decided, and the call that it took.

    Attributes:
        value: the decision.
        prompt_tokens: tokens of its context.
        completion_tokens: tokens that it wrote.
        seconds: how long that took, where a model's endpoint was measured.
        text: what it said, for people to read.
    """

    value: ValueT
    prompt_tokens: int
    completion_tokens: int
    seconds: float = 0.0
    text: str = ""


Outcome: TypeAlias = ModelReply | ModelFailure

Thinking: TypeAlias = "Said[ValueT] | Generator[Request, Outcome, Said[ValueT]]"
"""A decision at once, as scripts come to one; or one that takes calls of a model, made for many episodes together."""


class Worker(Protocol):
    """The lowest layer (Ā): calls tools, each time in a fresh context.

    Attributes:
        rereads: whether it reads pages again, once it is known of which rows they may tell.
    """

    @property
    def rereads(self) -> bool: ...

    def choose(self, task: Subtask, hits: Sequence[ResultLine]) -> Thinking[tuple[str, ...]]:
        """Which hits to read, by their addresses, best first."""
        ...

    def read(self, task: Subtask, page: ReadPage) -> Thinking[Finding]:
        """What a page says to the subtask."""
        ...


class Manager(Protocol):
    """The middle layer (Ã): splits a directive into subtasks, checks what comes back, and sums it up."""

    def split(self, view: ManagerView) -> Thinking[tuple[Order, ...]]:
        """Orders for what is missing; none: it is done. The policy drops those that were asked before."""
        ...

    def sum_up(self, view: ManagerView) -> Thinking[str]:
        """What was found, in words."""
        ...


class Host(Protocol):
    """The top layer (Â): plans step by step by what managers say, and answers."""

    def plan(self, view: HostView) -> Thinking[tuple[Directive, ...] | str]:
        """The next directives, or the answer; an empty answer is the table of the ledger."""
        ...


def in_words(finding: Finding) -> str:
    """A finding as a manager reads it: by address and entity the cells, addresses worth reading, what failed.

    >>> print(in_words(Finding("1", (CitedStatement("Corvo", "Fare", "3 pence", "https://a.example/"),))))
    https://a.example/
    - Corvo: Fare = 3 pence
    """
    cells: dict[str, dict[str, list[str]]] = {}
    for one in finding.statements:
        cells.setdefault(one.url, {}).setdefault(one.entity, []).append(f"{one.column} = {one.value}")
    stated = [
        line
        for url, entities in cells.items()
        for line in (url, *(f"- {entity}: {'; '.join(dict.fromkeys(told))}" for entity, told in entities.items()))
    ]
    leads = [f"- {one.url} - {one.corroborates}" for one in (*finding.sources, *finding.leads)]
    return "\n".join([*stated, *leads, *([f"failed: {finding.failure}"] if finding.failure else [])])


def cell(text: str) -> str:
    """A text on one line, at most ``CELL`` characters of it."""
    return " ".join(text.split())[:CELL]


_WIDE = re.compile(r"[^\u0000-\u2E7F]")


def tokens(text: str) -> int:
    """About how many tokens a text has: a quarter of its characters, and one for each that is not of the Latin script.

    >>> tokens("four words of text"), tokens("你好")
    (5, 2)
    """
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 4)
