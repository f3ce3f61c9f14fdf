"""What host, manager and worker without a model do about a chain of clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webenv.policies.hierarchical.clauses import ChainQuestion, agreement
from webenv.policies.hierarchical.links import links_on
from webenv.policies.hierarchical.messages import (
    CitedSource,
    Directive,
    Finding,
    HostView,
    ManagerView,
    Order,
    ReadPage,
    ResultLine,
    Subtask,
)
from webenv.policies.hierarchical.pages import allowed, mentions, version_of

SEARCH = "Search each clause"
FOLLOW = "Follow the links"

_BATCH = 4  # searches for missing links at a time
_HITS = 2  # of a search, how many pages are read
_NAMED = 0.6  # what it counts that a hit has the name asked about, beside saying the whole clause


def next_step(view: HostView, chain: ChainQuestion) -> tuple[Directive, ...] | str:
    """Each clause is searched by its own words first; then what is missing is followed by name, while that brings
    something new."""
    if not view.steps:
        return (Directive("search", f"{SEARCH}: {len(chain.clauses)} clauses"),)
    last = view.steps[-1]
    if last.gaps and last.new:
        return (Directive("search", f"{FOLLOW}: {last.gaps} are missing"),)
    return ""


def orders(view: ManagerView, chain: ChainQuestion) -> Iterator[Order]:
    """At first a search for each clause; then one for each link that is missing, by the name that is known."""
    if view.directive.goal.startswith(SEARCH):
        for clause in chain.clauses if view.round == 0 else ():
            yield Order(chain.query(clause), columns=(str(clause.number),))
        return
    asked = set(view.asked)
    found = 0
    for gap in view.gaps:
        clause = chain.clauses[int(gap.columns[0])]
        for query in (chain.query(clause, gap.entity), gap.entity):
            if query not in asked and found < _BATCH:
                found += 1
                asked.add(query)
                yield Order(query, entities=(gap.entity,), columns=gap.columns)
                break


def chosen(task: Subtask, chain: ChainQuestion, hits: Sequence[ResultLine]) -> tuple[str, ...]:
    """The hits whose titles and snippets say most of the clause and name who is asked about."""
    clauses = [chain.clauses[int(one)].text for one in task.columns]

    def fit(hit: ResultLine) -> float:
        text = f"{hit.title}. {hit.snippet}"
        named = max((mentions(text, one) + 0.5 * mentions(hit.title, one) for one in task.entities), default=0.0)
        said = max((agreement(one, text) for one in clauses), default=0.0)
        return said + _NAMED * named - bool(version_of(hit.title))

    ranked = sorted((hit for hit in hits if allowed(hit.url)), key=lambda hit: -fit(hit))
    return tuple(hit.url for hit in ranked[:_HITS] if fit(hit) > 0)


def read_links(task: Subtask, chain: ChainQuestion, page: ReadPage) -> Finding:
    """The links that a page states, of all clauses."""
    statements = links_on(chain, page, task.entities, version_of(page.title))
    sources = (CitedSource(page.url, f"{len(statements)} links: {page.title}"),) if statements else ()
    return Finding(task.id, tuple(statements), sources, (), "" if statements else f"{page.url} says nothing of it")
