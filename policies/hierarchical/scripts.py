"""Host, manager and worker without a model: for tables, on pages that state them in lists and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webenv.policies.hierarchical.chain_scripts import chosen as chosen_links
from webenv.policies.hierarchical.chain_scripts import next_step, read_links
from webenv.policies.hierarchical.chain_scripts import orders as chain_orders
from webenv.policies.hierarchical.clauses import read_chain
from webenv.policies.hierarchical.kinds import says
from webenv.policies.hierarchical.messages import (
    CitedSource,
    Directive,
    Finding,
    HostView,
    ManagerView,
    Order,
    ReadPage,
    ResultLine,
    Said,
    Subtask,
    in_words,
    tokens,
)
from webenv.policies.hierarchical.names import FIRM, bare, endings, mentions, names_in, of_kind
from webenv.policies.hierarchical.pages import allowed, links_of, version_of
from webenv.policies.hierarchical.reading import read_table
from webenv.policies.hierarchical.tables import Wanted, read_question

COLLECT = "Collect the lists"
READ = "Read what was found"
FILL = "Fill what is missing"

_READS = 2  # hits that a worker names of one search, for people to read
_LEAST = 2  # how much of a hit must fit for it to be read
_BATCH = 5  # queries that a manager sends at least, if there is something to ask
_SHARE = 4  # cells that are worth a manager of their own
_DECIDING = 30  # tokens that naming a choice takes


class ScriptHost:
    """Plans by the number of gaps: lists first, what they name next, then what is missing; then it answers.

    Args:
        fills: how often at most it asks for what is missing; it stops where a step brought nothing new.
        managers: among how many at most it divides the places, and what is missing; they work at the same time.
    """

    def __init__(self, fills: int = 3, managers: int = 8) -> None:
        self._fills, self._managers = fills, managers

    def plan(self, view: HostView) -> Said[tuple[Directive, ...] | str]:
        wanted, chain = read_question(view.question), read_chain(view.question)
        read = tokens(view.question) + sum(tokens(one.text) + _sources(one.sources) for one in view.steps)
        move: tuple[Directive, ...] | str = ""
        if wanted is not None and view.steps_left > 0:
            move = self._next(view, wanted)
        elif chain is not None and view.steps_left > 0:
            move = next_step(view, chain)
        goals = "; ".join(one.goal for one in move) if isinstance(move, tuple) else "answer"
        if isinstance(move, tuple) and len(move) > 1 and move[0].share[1] == len(move):  # one goal, told once
            goals = f"{move[0].goal.partition(', part ')[0]}, in {len(move)} parts"
        return Said(move, read, _DECIDING + tokens(goals), text=goals)

    def _next(self, view: HostView, wanted: Wanted) -> tuple[Directive, ...] | str:
        if not view.steps:  # a manager for each place
            parts = max(1, min(self._managers, len(wanted.places)))
            goal = f"{COLLECT}: {wanted.subject}"
            return tuple(_part(goal, part, parts) for part in range(1, parts + 1))
        last = [one for one in view.steps if one.step == view.steps[-1].step]
        gaps, sources = last[-1].gaps, tuple(url for one in last for url in one.sources)
        if view.steps[-1].step == 1 and sources:
            return (Directive("browser", f"{READ}: {wanted.subject}", tuple(one.url for one in sources)),)
        fills = len({one.step for one in view.steps if one.directive.startswith(FILL)})
        before = [one.gaps for one in view.steps if one.step < last[0].step]
        no_better = bool(before) and gaps >= before[-1]
        stuck = last[0].directive.startswith(FILL) and (no_better or not any(one.new for one in last))
        if not gaps or fills >= self._fills or stuck:
            return ""
        parts = max(1, min(self._managers, gaps // _SHARE))
        goal = f"{FILL}: {gaps} cells of {wanted.subject}"
        return tuple(_part(goal, part, parts) for part in range(1, parts + 1))


def _part(goal: str, part: int, parts: int) -> Directive:
    """A manager's share of a goal."""
    return Directive("search", f"{goal}, part {part} of {parts}" if parts > 1 else goal, share=(part, parts))


class ScriptManager:
    """Splits by what the ledger lacks: lists by their subject, then an order for each entity with a gap.

    Args:
        reflects: whether it looks at what came back, and asks again in other words; else every directive is split once.
        rounds: how often at most a directive is split.
    """

    def __init__(self, *, reflects: bool = True, rounds: int = 4) -> None:
        self._reflects, self._rounds = reflects, rounds

    def split(self, view: ManagerView) -> Said[tuple[Order, ...]]:
        wanted, goal = read_question(view.question), view.directive.goal
        orders: tuple[Order, ...] = ()
        chain = read_chain(view.question)
        if view.round == 0 or (self._reflects and view.round < self._rounds):
            if wanted is None:
                orders = () if chain is None else tuple(chain_orders(view, chain))
            elif view.directive.manager == "browser":
                orders = tuple(Order(url=url) for url in view.directive.urls) if view.round == 0 else ()
            elif goal.startswith(COLLECT):
                orders = tuple(_lists(view, wanted))
            else:
                orders = tuple(_entities(view, wanted, in_all_words=self._reflects))
        read = tokens(goal) + _gaps(view) + sum(tokens(in_words(one)) for one in view.findings)
        named = "; ".join(one.query or one.url for one in orders)
        return Said(orders, read, _DECIDING + tokens(named), text=named)

    def sum_up(self, view: ManagerView) -> Said[str]:
        failed = sum(bool(one.failure) for one in view.findings)
        missing = sum(len(gap.columns) for gap in view.gaps)
        stated = sum(len(one.statements) for one in view.findings)
        named = ", ".join(f"{gap.entity} ({len(gap.columns)})" for gap in view.gaps[:10])
        text = (
            f"{view.entities} entities are known; {missing} cells are missing{': ' + named if named else ''}. "
            f"{len(view.findings)} subtasks brought {stated} statements; {failed} failed."
        )
        read = tokens(view.directive.goal) + _gaps(view) + sum(tokens(in_words(one)) for one in view.findings)
        return Said(text, read, tokens(text), text=text)


def _lists(view: ManagerView, wanted: Wanted) -> Iterator[Order]:
    """Lists by kind and place, of the manager's share of the places; then by the smaller ones found to lie there."""
    others = wanted.columns[wanted.keys :]
    part, parts = view.directive.share
    for place in wanted.places[part - 1 :: parts] if view.round == 0 else ():
        yield Order(f"{wanted.plural} of {place}")
        for start in range(0, len(others), 3) if wanted.keys == 1 else ():
            yield Order(f"{place} {wanted.plural} {' '.join(others[start : start + 3])}")
        if wanted.region:
            yield Order(f"towns of {place}")
            yield Order(f"{wanted.kind} {place}")
    if view.round:  # what was found names lists that nobody read yet
        for url in dict.fromkeys(lead.url for one in view.findings for lead in one.leads):
            yield Order(url=url)
    if view.round > 1 and wanted.region:
        for place in tuple(dict.fromkeys(view.places))[part - 1 :: parts]:
            yield Order(f"{wanted.kind} {place}")


def _entities(view: ManagerView, wanted: Wanted, *, in_all_words: bool) -> Iterator[Order]:
    """An order for each entity with a gap, in other words each time, or where they are few in all words at once; of
    what a page has links to, these first."""
    forms = ("{entity}", '"{name}" {columns}', "{entity} {plural}", "{entity} {kind} history")
    if wanted.keys == 2:
        forms = ("{entity}", '"{name}" {columns}', '"{name}" {kind} history', '"{name}" elected appointed died aged')
    few = in_all_words and len(view.gaps) * len(forms) <= _BATCH
    at_once = forms if few else (forms[view.round % len(forms)],)
    leads = {lead.url: lead.corroborates for one in view.findings for lead in one.leads}
    columns = {gap.entity: gap.columns for gap in view.gaps}
    for query, name in view.doubts:
        yield Order(query, entities=(name,))
    for url, name in leads.items():
        if name in columns:
            yield Order(url=url, entities=(name,), columns=columns[name])
    for form in at_once:
        for gap in view.gaps:
            named = {
                "entity": gap.entity,
                "name": bare(gap.entity),
                "columns": " ".join(gap.columns),
                "plural": wanted.plural,
                "kind": wanted.kind,
            }
            yield Order(form.format(**named), entities=(gap.entity,), columns=gap.columns)


class ScriptWorker:
    """Reads the hits that name what is asked, and of a page its tables and its sentences about the entities asked.

    Args:
        limit: tokens of its context; a longer page loses its end.
    """

    rereads = True  # it costs no call of a model

    def __init__(self, limit: int = 8_000) -> None:
        self._limit = limit

    def choose(self, task: Subtask, hits: Sequence[ResultLine]) -> Said[tuple[str, ...]]:
        wanted = read_question(task.goal)
        chain = read_chain(task.goal)
        ranked = sorted(hits, key=lambda hit: -_fit(hit, task, wanted))
        chosen = tuple(hit.url for hit in ranked if _fit(hit, task, wanted) >= _LEAST and allowed(hit.url))
        if wanted is None and chain is not None:
            chosen = chosen_links(task, chain, hits)
        read = tokens(task.goal) + sum(tokens(f"{hit.title} {hit.url} {hit.snippet}") for hit in hits)
        return Said(chosen, read, _DECIDING, text=" ".join(chosen[:_READS]))

    def read(self, task: Subtask, page: ReadPage) -> Said[Finding]:
        wanted, chain = read_question(task.goal), read_chain(task.goal)
        text = page.text[: 4 * self._limit]
        if wanted is None and chain is not None:
            links = read_links(task, chain, page._replace(text=text))
            return Said(links, tokens(task.goal) + tokens(text), _DECIDING + tokens(in_words(links)), text=page.title)
        statements = [] if wanted is None else read_table(task, wanted, page._replace(text=text))
        sources = (CitedSource(page.url, f"{len(statements)} cells: {page.title}"),) if statements else ()
        leads = () if wanted is None else tuple(_leads(task, wanted, text))
        failure = "" if statements or leads else f"{page.url} says nothing of it"
        finding = Finding(task.id, tuple(statements), sources, leads, failure)
        return Said(finding, tokens(task.goal) + tokens(text), _DECIDING + tokens(in_words(finding)), text=page.title)


def _leads(task: Subtask, wanted: Wanted, text: str) -> Iterator[CitedSource]:
    """The links of a page that lead to a list of what is asked, or to a page that names an entity asked about."""
    lists = task._replace(entities=(), query=f"towns {task.query}" if wanted.region else task.query)
    for words, url in links_of(text):
        if allowed(url):
            entity = next((one for one in task.entities if mentions(words, one)), "")
            if entity or _fit(ResultLine(words, url, ""), lists, wanted) > _LEAST:
                yield CitedSource(url, entity or words)


def _fit(hit: ResultLine, task: Subtask, wanted: Wanted | None) -> int:
    """How well a hit fits: an entity or the subject in its title counts most, an old version less."""
    title, snippet = hit.title.casefold(), hit.snippet.casefold()
    score = 0
    for entity in task.entities:
        name = bare(entity).casefold()
        score += 4 * (name in title) + 2 * (name in snippet)
    if wanted is not None and not task.entities:
        named = [one.casefold() for one in (*wanted.places, *(town for town, _ in task.places))]
        placed = any(place in title for place in named)
        kind = wanted.plural.casefold() in title or wanted.kind in title
        score += 3 * (placed and kind) + ("|" in hit.snippet and placed)
        near = placed or any(place in snippet for place in named)
        if wanted.keys == 2:  # who held the post, by a page about somebody
            score += 2 * (near and f"{wanted.columns[1].casefold()} of" in snippet)
        if wanted.region and task.query.startswith("towns"):
            score += 3 * (placed and "town" in title) + 2 * (near and "town" in snippet)
        score += 2 * (near and (kind or wanted.kind in snippet))
    if wanted is not None and wanted.region and score < _LEAST:
        score += _LEAST * _names_one(hit, task, wanted)
    return score - 2 * bool(version_of(hit.title))


def _names_one(hit: ResultLine, task: Subtask, wanted: Wanted) -> bool:
    """Whether a hit is titled by something which may be of the kind and is not known yet: it is called like others of
    them, or the snippet says that it is one."""
    kin = endings(task.others)
    firms = [found[0] for found in FIRM.finditer(hit.title)]
    named = [one for one in (*firms, *names_in(f"x {hit.title}")) if one not in task.others]
    fresh = [one for one in named if not any(mentions(one, other) for other in task.others)]
    return any(of_kind(one, kin, wanted.kind) or says(one, wanted.kind, hit.snippet) for one in fresh)


def _gaps(view: ManagerView) -> int:
    return sum(tokens(f"{gap.entity} {' '.join(gap.columns)}") for gap in view.gaps)


def _sources(sources: Sequence[CitedSource]) -> int:
    return sum(tokens(f"{one.url} {one.corroborates}") for one in sources)
