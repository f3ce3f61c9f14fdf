"""What host, manager and worker without a model do about a chain of clauses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webenv.policies.hierarchical.chinese import is_chinese
from webenv.policies.hierarchical.clauses import ChainQuestion, agreement, weights_of
from webenv.policies.hierarchical.links import links_on
from webenv.policies.hierarchical.messages import (
    CitedSource,
    Directive,
    Finding,
    Gap,
    HostView,
    ManagerView,
    Order,
    ReadPage,
    ResultLine,
    Subtask,
)
from webenv.policies.hierarchical.names import bare, mentions, names_in
from webenv.policies.hierarchical.pages import allowed, version_of

SEARCH = "Search each clause"
FOLLOW = "Follow the links"

_TELLING = 2.0  # what a word of a clause weighs, at the least, that is searched before a name is known
_SAID = 0.6  # of a clause, for a page to have said it
_BATCH = 4  # searches for missing links at a time
_LATER = 2  # gaps that come before one is searched again by its name alone
_PATIENCE = 2  # steps that may bring nothing new, one after the other
_MORE = 5  # of a search by a name alone, likewise: all that is told of it
_HITS = 2  # of a search, how many pages are read
_NAMED = 0.6  # what it counts that a hit has the name asked about, beside saying the whole clause


def next_step(view: HostView, chain: ChainQuestion) -> tuple[Directive, ...] | str:
    """Each clause is searched by its own words first; then what is missing is followed by name, while that brings
    something new."""
    if not view.steps:
        return (Directive("search", f"{SEARCH}: {len(chain.clauses)} clauses"),)
    last = view.steps[-1]
    if last.gaps and any(one.new for one in view.steps[-_PATIENCE:]):
        return (Directive("search", f"{FOLLOW}: {last.gaps} are missing"),)
    return ""


def orders(view: ManagerView, chain: ChainQuestion) -> Iterator[Order]:
    """At first a search for each clause; then one for each link that is missing, by the name that is known."""
    if view.directive.goal.startswith(SEARCH):
        telling = [one for one in chain.clauses if max(weights_of(one.text).values(), default=0.0) >= _TELLING]
        telling = telling or list(chain.clauses)
        if view.round == 0:
            first = [one for one in chain.clauses if one.source == 0][:3]
            if len(first) > 1:  # what one page says of the first name tells it from others of whom half is true
                yield Order(" ".join(map(chain.query, first)), columns=tuple(str(one.number) for one in first))
            for clause in telling:
                yield Order(chain.query(clause), columns=(str(clause.number),))
        elif view.round == 1:  # what no page says well is searched by its own words alone
            said = [(one.column, one.quote) for finding in view.findings for one in finding.statements]
            for clause in telling:
                number = str(clause.number)
                if not any(one == number and agreement(clause.text, quote) >= _SAID for one, quote in said):
                    yield Order(chain.own(clause), columns=(number,))
        return
    asked = set(view.asked)
    wanted: dict[str, tuple[int, Gap]] = {}
    for rank, gap in enumerate(view.gaps):
        clause = chain.clauses[int(gap.columns[0])]
        for again, query in enumerate((chain.query(clause, gap.entity), gap.entity)):
            if query not in asked:
                wanted.setdefault(query, (rank + _LATER * again, gap))
    for query, (_, gap) in sorted(wanted.items(), key=lambda one: one[1][0])[:_BATCH]:
        yield Order(query, entities=(gap.entity,), columns=gap.columns)


def chosen(task: Subtask, chain: ChainQuestion, hits: Sequence[ResultLine]) -> tuple[str, ...]:
    """The hits whose titles and snippets say most of the clause and name who is asked about."""
    clauses = [chain.clauses[int(one)].text for one in task.columns]

    def fit(hit: ResultLine) -> float:
        text = f"{hit.title}. {hit.snippet}"
        named = max((mentions(text, one) + 0.5 * mentions(hit.title, one) for one in task.entities), default=0.0)
        if task.entities and not named:
            return 0.0
        said = sum(agreement(one, text) for one in clauses)
        return said + _NAMED * named - bool(version_of(hit.title))

    ranked = sorted((hit for hit in hits if allowed(hit.url)), key=lambda hit: -fit(hit))
    most = _MORE if task.query in task.entities else _HITS if task.entities else _HITS + len(clauses)
    ranked = [hit for hit in ranked if fit(hit) > 0]
    if not task.entities:  # further pages about one thing later: another may be what is looked for
        named = [(hit, names_of(hit.title)) for hit in ranked]
        first = [hit for place, (hit, names) in enumerate(named) if not any(names & one for _, one in named[:place])]
        ranked = [*first, *(hit for hit in ranked if hit not in first)]
    return tuple(hit.url for hit in ranked[:most])


def names_of(title: str) -> frozenset[str]:
    """What titles of pages about one thing have in common: names of several words, in Chinese runs of five characters.

    >>> names_of("The story of Hay Mill") & names_of("Hay Mill: questions")
    frozenset({'Hay Mill'})
    >>> names_of("秋浦博物馆简介") & names_of("秋浦博物馆")
    frozenset({'秋浦博物馆'})
    """
    if is_chinese(title):
        return frozenset(title[place : place + 5] for place in range(len(title) - 4)) | {title}
    return frozenset(bare(one) for one in names_in(f"x {title}") if " " in one)


def read_links(task: Subtask, chain: ChainQuestion, page: ReadPage) -> Finding:
    """The links that a page states, of all clauses."""
    statements = links_on(chain, page, task.entities, version_of(page.title))
    sources = (CitedSource(page.url, f"{len(statements)} links: {page.title}"),) if statements else ()
    return Finding(task.id, tuple(statements), sources, (), "" if statements else f"{page.url} says nothing of it")
