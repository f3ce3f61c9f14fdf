"""The state of a hierarchical episode, folded from what its turns kept: nothing else remembers it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from webenv.observations import ObservationDict
from webenv.policies.hierarchical.again import replaced
from webenv.policies.hierarchical.chain_ledger import ChainLedger
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import (
    CitedSource,
    CitedStatement,
    Directive,
    Finding,
    ManagerSummary,
    Order,
    ReadPage,
    ResultLine,
)
from webenv.policy import Decision

_SECONDS = re.compile(r"(?<!\d)(\d{1,9}\.\d) of [\d.e+]{1,24} seconds left\.")
_QUERY = re.compile(r"Query (\d+) found (?:results (\d+) to (\d+)|nothing)\.")


@dataclass(slots=True)
class Job:
    """An order on its way: to be searched, or to be read."""

    id: str
    order: Order
    tries: int = 0

    def plain(self) -> list[Any]:
        return [self.id, *self.order, self.tries]

    @classmethod
    def of(cls, data: Sequence[Any]) -> Job:
        id_, query, url, entities, columns, _, tries = data  # programs are run at once, and never wait
        return cls(id_, Order(query, url, tuple(entities), tuple(columns)), tries)

    @property
    def is_search(self) -> bool:
        return not self.order.url

    @property
    def what(self) -> str:
        """The query or the address."""
        return self.order.url or self.order.query


@dataclass(slots=True)
class OpenDirective:
    """A directive that a manager is at."""

    id: str
    directive: Directive
    round: int = 0
    new: int = 0
    findings: list[Finding] = field(default_factory=list)

    def plain(self) -> list[Any]:
        return [self.id, list(self.directive), self.round, self.new]


@dataclass(slots=True)
class HierarchyState:
    """Where an episode stands.

    Attributes:
        ledger: what is known.
        told: what workers are told: what was known when managers last gave orders, or some pages later, so that what
            they return is the same however many of them there are; ``None``: they are told what is known by now.
        asked: queries that were sent, and addresses that were read, in order; never sent again.
        waiting: what no worker is at yet.
        wave: what went out with the last action.
        open: the directives of this step.
        steps: the steps before, with their summaries.
        evidence: of each part of a shared context, its tokens and how many statements it brought.
        statements: all of them, in order.
        known: how many of them workers are told.
        pages: how many were read since they were told.
        read: how many were read since managers gave orders.
    """

    ledger: Ledger | ChainLedger
    told: Ledger | None = None
    asked: dict[str, None] = field(default_factory=dict)
    waiting: list[Job] = field(default_factory=list)
    wave: list[Job] = field(default_factory=list)
    open: list[OpenDirective] = field(default_factory=list)
    steps: list[ManagerSummary] = field(default_factory=list)
    evidence: list[tuple[int, int]] = field(default_factory=list)
    statements: list[CitedStatement] = field(default_factory=list)
    known: int = 0
    pages: int = 0
    read: int = 0

    def fold(self, decisions: Sequence[Decision]) -> None:
        """Takes up what the turns so far kept."""
        for decision in decisions:
            kept = _kept(decision.memory)
            if not kept:
                continue
            self.asked.update(dict.fromkeys(kept.get("asked", ())))
            self.evidence += [(int(size), int(count)) for size, count in kept.get("evidence", ())]
            stated = [CitedStatement(*one) for one in kept.get("statements", ())]
            urls, count = kept.get("again", ((), 0))
            self.take(stated[: len(stated) - count])
            if urls:
                self.read_again(urls, stated[len(stated) - count :])
            known, pages, read = kept.get("told", (0, 0, 0))
            self.tell(known)
            self.pages, self.read = pages, read
            self.steps += [_summary(one) for one in kept.get("steps", ())]
            self.waiting = [Job.of(one) for one in kept.get("waiting", ())]
            self.wave = [Job.of(one) for one in kept.get("wave", ())]
            before = {one.id: one.findings for one in self.open}
            self.open = []
            for id_, directive, round_, new in kept.get("open", ()):
                manager, goal, urls, share = directive
                kept_findings = before.get(id_, [])
                plan = Directive(manager, goal, tuple(urls), (share[0], share[1]))
                self.open.append(OpenDirective(id_, plan, round_, new, kept_findings))
            for id_, finding in kept.get("findings", ()):
                for one in self.open:
                    if one.id == id_:
                        one.findings.append(_finding(finding))

    def take(self, statements: Sequence[CitedStatement]) -> int:
        self.statements += statements
        return self.ledger.add(statements)

    def read_again(self, urls: Iterable[str], statements: Sequence[CitedStatement]) -> None:
        """Takes what pages stated when they were read again, instead of what they had stated."""
        self.statements = replaced(self.statements, statements, urls)
        if isinstance(self.ledger, Ledger):
            self.ledger = Ledger(self.ledger.wanted, reconciles=self.ledger.reconciles)
            self.ledger.add(self.statements)

    def tell(self, known: int) -> None:
        """Lets workers know the first so many statements."""
        self.pages = 0
        if self.told is not None and known > self.known:
            self.told.add(self.statements[self.known : known])
            self.known = known


class TurnState(NamedTuple):
    """Where an episode stands after its decisions with these memories: what folding them gives."""

    memories: list[str]
    state: HierarchyState


def _kept(memory: str) -> Mapping[str, Any]:
    try:
        data = json.loads(memory or "{}")
    except ValueError:  # another policy played this turn, before a fork
        return {}
    return data if isinstance(data, dict) else {}


def _summary(data: Sequence[Any]) -> ManagerSummary:
    directive, text, sources, gaps, new, step = data
    return ManagerSummary(directive, text, tuple(CitedSource(*one) for one in sources), gaps, new, step)


def _finding(data: Sequence[Any]) -> Finding:
    subtask, statements, sources, leads, failure = data
    return Finding(
        subtask,
        tuple(CitedStatement(*one) for one in statements),
        tuple(CitedSource(*one) for one in sources),
        tuple(CitedSource(*one) for one in leads),
        failure,
    )


def seconds_left(observation: ObservationDict) -> float | None:
    """How many seconds the episode has left, as the notice says; ``None`` where they are not limited."""
    found = _SECONDS.search(observation["notice"])
    return float(found[1]) if found else None


def hits_of(observation: ObservationDict, queries: int) -> list[list[ResultLine]]:
    """The hits of each of so many queries: the notice says which results are whose."""
    hits = [ResultLine(one["title"], one["url"], one["snippet"]) for one in observation["results"]]
    if queries == 1:
        return [hits]
    found: list[list[ResultLine]] = [[] for _ in range(queries)]
    for number, first, last in _QUERY.findall(observation["notice"]):
        if first and 1 <= int(number) <= queries:
            found[int(number) - 1] = hits[int(first) - 1 : int(last)]
    return found


def pages_of(observation: ObservationDict, urls: Sequence[str]) -> list[ReadPage | None]:
    """The page of each address, in order; ``None`` where there is none, which the notice says."""
    pages = [ReadPage(one["url"], one["title"], one["text"]) for one in observation["pages"]]
    if len(pages) == len(urls):
        return list(pages)
    by_url = {page.url: page for page in pages}
    return [by_url.get(url) for url in urls]
