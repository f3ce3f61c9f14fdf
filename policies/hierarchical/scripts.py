"""Host, manager and worker without a model: for tables, on pages that state them in lists and sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from webenv.policies.hierarchical.chain_scripts import chosen as chosen_links
from webenv.policies.hierarchical.chain_scripts import next_step, read_links
from webenv.policies.hierarchical.chain_scripts import orders as chain_orders
from webenv.policies.hierarchical.clauses import read_chain
from webenv.policies.hierarchical.facts import clean, cues_of, full_names, read_values, stems_of, term_in, terms
from webenv.policies.hierarchical.ledger import KIND, OTHER, OWN, PAIR, SEEN, TOLD, WITHIN
from webenv.policies.hierarchical.messages import (
    LINES,
    CitedSource,
    CitedStatement,
    Directive,
    Finding,
    HostView,
    ManagerView,
    Order,
    ReadPage,
    ResultLine,
    Said,
    Subtask,
    cell,
    in_words,
    tokens,
)
from webenv.policies.hierarchical.pages import (
    LEAD,
    AboutSentence,
    allowed,
    bare,
    cells_of,
    ending,
    endings,
    is_person,
    items_of,
    links_of,
    mentions,
    names_in,
    of_kind,
    passages,
    persons_in,
    sentences,
    somebody,
    subjects_of,
    version_of,
    without_links,
)
from webenv.policies.hierarchical.tables import Wanted, read_question

COLLECT = "Collect the lists"
READ = "Read what was found"
FILL = "Fill what is missing"

_READS = 2  # hits that a worker names of one search, for people to read
_LEAST = 2  # how much of a hit must fit for it to be read
_EMPTY = frozenset({"", "-", "–", "—", "?", "n/a", "…"})
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
    """An order for each entity with a gap, in other words each time, or where they are few in all words at once; of what
    a page has links to, these first."""
    forms = ("{entity}", "{entity} {columns}", "{entity} {plural}", "{entity} {kind} history")
    few = in_all_words and len(view.gaps) * len(forms) <= _BATCH
    at_once = forms if few else (forms[view.round % len(forms)],)
    leads = {lead.url: lead.corroborates for one in view.findings for lead in one.leads}
    columns = {gap.entity: gap.columns for gap in view.gaps}
    for url, name in leads.items():
        if name in columns:
            yield Order(url=url, entities=(name,), columns=columns[name])
    for form in at_once:
        for gap in view.gaps:
            named = {
                "entity": gap.entity,
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
        statements = [] if wanted is None else _read(task, wanted, page._replace(text=text))
        sources = (CitedSource(page.url, f"{len(statements)} cells: {page.title}"),) if statements else ()
        leads = () if wanted is None else tuple(_leads(task, wanted, text))
        failure = "" if statements or leads else f"{page.url} says nothing of it"
        finding = Finding(task.id, tuple(statements), sources, leads, failure)
        return Said(finding, tokens(task.goal) + tokens(text), _DECIDING + tokens(in_words(finding)), text=page.title)


def _read(task: Subtask, wanted: Wanted, page: ReadPage) -> list[CitedStatement]:
    """All that a page states of a table: its rows, the cells of its tables, the values that its sentences have."""
    title, text, url, date = page.title, page.text, page.url, version_of(page.title)
    plain = without_links(text)
    found = list(_places(wanted, page))
    places = (*wanted.places, *(town for town, _ in task.places))
    rows = list(cells_of(text, wanted.columns[0], next(iter(subjects_of(title, plain)), "")))
    titles = {word.capitalize() for word in wanted.columns[1].split()} if wanted.keys == 2 else set()
    persons = full_names(title, text, titles)
    listed = items_of(text) if _is_list(wanted, title) else ()
    members = _members(wanted, title, plain, [*(row.name for row in rows if not row.label), *listed])
    found += [CitedStatement(name, wanted.columns[0], _as_titled(name, title, text), url, date) for name in members]
    named = [] if members else _seen(task, wanted, title, plain)
    found += [CitedStatement(name, SEEN, how, url, date, lead) for name, how, lead in named]
    names = tuple(dict.fromkeys((*members, *task.entities, *task.others, *(one[0] for one in named))))
    names = tuple(name for name in names if mentions(plain, name) or mentions(title, name))
    boxed = {bare(name).casefold(): name for name in names}
    labels = {one.casefold(): one for one in (*wanted.asked, *task.columns)}
    for row in rows:
        name = boxed.get(bare(row.name).casefold(), "")
        if name and row.label and row.value.casefold() not in _EMPTY:
            label = labels.get(row.label.casefold(), row.label)
            value = _in_full(row.value, persons) if wanted.keys == 2 or label in wanted.asked else row.value
            stated = _of_cell(wanted, name, label, value, url, date)
            found += stated if wanted.keys == 1 or len(stated) > 1 or name in task.entities else []
    if wanted.keys == 2:
        told = list(passages(title, text, names, persons, titles))
        alone = "" if any(mentions(title, one) for one in names) else _alone(plain, names, [one[0] for one in named])
        found += _posts(wanted, told, persons, (*names, *places), titles, alone, url, date)
        holder = next((one for one in persons_in(title, persons, names, titles) if somebody(one, plain)), "")
        further = tuple(one for base, one in wanted.joins if base == wanted.columns[1])
        people = tuple(dict.fromkeys((holder, *task.entities))) if holder and further else task.entities
        every = task._replace(entities=people, columns=tuple(dict.fromkeys((*task.columns, *further))))
    else:
        every = task._replace(entities=names, columns=tuple(dict.fromkeys((*task.columns, *wanted.asked))))
    about = [one for one in passages(title, text, every.entities) if one.about]
    known = [one for one in persons if somebody(one, plain)]
    return found + [one._replace(date=date) for one in read_values(every, url, about, known)]


def _alone(text: str, names: Sequence[str], told: Sequence[str]) -> str:
    """The one of some names that a page is about whose title has none: what it tells of by itself (``told``), if that is
    one, or what it begins with, if that is one alone."""
    if len(told) == 1:
        return told[0]
    lead = text[: 2 * LEAD]
    found = [one for one in names if mentions(lead, one)]
    longest, kin = max(found, key=len, default=""), endings(names)
    others = [one for one in names_in(lead) if ending(one) in kin and not is_person(one)]
    return longest if all(mentions(longest, one) for one in (*found, *others)) else ""


def _leads(task: Subtask, wanted: Wanted, text: str) -> Iterator[CitedSource]:
    """The links of a page that lead to a list of what is asked, or to a page that names an entity asked about."""
    lists = task._replace(entities=(), query=f"towns {task.query}" if wanted.region else task.query)
    for words, url in links_of(text):
        if allowed(url):
            entity = next((one for one in task.entities if mentions(words, one)), "")
            if entity or _fit(ResultLine(words, url, ""), lists, wanted) > _LEAST:
                yield CitedSource(url, entity or words)


def _of_cell(wanted: Wanted, name: str, label: str, value: str, url: str, date: str) -> list[CitedStatement]:
    """What a labelled cell states; of a post who held it, and when."""
    person, (since, until) = clean(value), term_in(value)
    if wanted.keys == 2 and since and is_person(person):
        return _term(wanted, f"{name}{PAIR}{person}", person, since, until, url, date, "")
    return [CitedStatement(name, label, value, url, date)]


def _in_full(value: str, persons: Sequence[str]) -> str:
    """A value that is a surname alone, in full as the page has it elsewhere."""
    name = clean(value)
    full = next((one for one in persons if " " not in name and one.endswith(f" {name}")), "")
    return f"{full}{value[len(name) :]}" if full and value.startswith(name) else value


def _posts(
    wanted: Wanted,
    told: Sequence[AboutSentence],
    persons: Sequence[str],
    bodies: Sequence[str],
    titles: Collection[str],
    alone: str,
    url: str,
    date: str,
) -> list[CitedStatement]:
    """Who held a post and when, by sentences; one that has a word of the post and names nothing that it was held at is
    about what the page begins with (``alone``)."""
    found: list[CitedStatement] = []
    cues, kin = cues_of(wanted.columns[1]), endings(bodies)
    for one in told:
        at = one.about
        if (
            not at
            and alone
            and cues & stems_of(one.text)
            and not any(ending(name) in kin for name in names_in(one.text))
        ):
            at = alone
        for person, since, until in terms(one, persons, bodies, titles, cues) if at else ():
            quote = f"{one.asked} {one.text}" if cues & stems_of(one.asked) else one.text
            found += _term(wanted, f"{at}{PAIR}{person}", person, since, until, url, date, quote)
    return found


def _term(
    wanted: Wanted, pair: str, person: str, since: str, until: str, url: str, date: str, quote: str
) -> list[CitedStatement]:
    stated = [CitedStatement(pair, wanted.columns[1], person, url, date, quote)]
    for column in wanted.columns[2:]:
        year = {"since": since, "until": until}.get(wanted.year(column), "")
        if year:
            stated.append(CitedStatement(pair, column, year, url, date, quote))
    return stated


def _places(wanted: Wanted, page: ReadPage) -> Iterator[CitedStatement]:
    """The towns that a page says lie in one of the places: by a list of them, or by "Town, County"."""
    if not wanted.region:
        return
    place = next((one for one in wanted.places if mentions(page.title, one) or mentions(page.text[:LEAD], one)), "")
    if place and re.search(r"\btowns?\b", page.title, re.IGNORECASE):
        for row in cells_of(page.text, "Town"):
            if not row.label:
                yield CitedStatement(row.name, WITHIN, place, page.url)
    listed = "|".join(map(re.escape, wanted.places))
    towns = re.compile(rf"\b(?:in|at|of|from|near|outside|with|know) ({_TOWN})(?:, a \w+ in |, | in )({listed})\b")
    for found in dict.fromkeys(towns.findall(without_links(page.text))):
        yield CitedStatement(found[0], WITHIN, found[1], page.url)


_TOWN = r"[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){0,2}"


def _is_list(wanted: Wanted, title: str) -> bool:
    """Whether a page is titled as a list of the kind in one of the places."""
    plural = re.escape(wanted.plural)
    placed = any(mentions(title, place) for place in wanted.places)
    return placed and re.search(rf"\b{plural}\b", title, re.IGNORECASE) is not None


def _members(wanted: Wanted, title: str, text: str, rows: Sequence[str]) -> list[str]:
    """The names of a list, if it is one of the kind in one of the places; without a region, also what a page is about
    that says that it is one of the kind there."""
    intro = f"{title}\n{text.partition('|')[0][:LEAD]}"
    of_the_kind = any(kind in intro.casefold() for kind in (wanted.plural.casefold(), wanted.kind))
    there = any(mentions(intro, place) for place in wanted.places)
    names = (row for row in rows if not re.search(r"\(\d+\)$", row))
    return list(dict.fromkeys(names)) if rows and of_the_kind and there else []


def _seen(task: Subtask, wanted: Wanted, title: str, text: str) -> list[tuple[str, str, str]]:
    """What may be rows, with what the page says of where it is: whom the page is about, what a sentence says is of the
    kind or has the post, and others there whose names end as those of the kind do."""
    if not wanted.region:
        return []
    lines = [
        one for one in text.splitlines() if one.strip() and not one.startswith(("|", "#", "- ", "By ", "Words by"))
    ]
    lead = cell(" ".join((title, *lines[:2])))
    own = [one for one in subjects_of(title, text) if mentions(title, one) or mentions(lead, one)]
    own = [one for one in own if one.casefold() not in (wanted.kind, wanted.plural.casefold())]
    own = [one for one in own if not somebody(one, text) or says(one, wanted.kind, lead)][:1]
    found = {name: (KIND if _of_the_kind(name, wanted, title, text, lead) else OWN, lead) for name in own}
    for name in own:
        placed = next((one for line in lines for one in sentences(line) if is_placed(name, one)), "")
        found[name] = (found[name][0], cell(f"{placed} {lead}"))
    for name, told in (one for line in lines for one in told_of_kind(wanted, line)):
        if name not in found and name.casefold() != wanted.kind and not somebody(name, text):
            found[name] = (TOLD, cell(told))
    kin = endings(task.others)
    every = dict.fromkeys(name for line in text.splitlines() for name in names_in(line))
    others = [one for one in every if not is_person(one) and of_kind(one, kin, wanted.kind) and one not in found]
    others = [one for one in others if not any(mentions(one, two) for two in (*own, *task.others) if two != one)]
    return [
        *((name, how, told) for name, (how, told) in found.items()),
        *((one, OTHER, lead) for one in others[:LINES]),
    ]


def _of_the_kind(name: str, wanted: Wanted, title: str, text: str, lead: str) -> bool:
    """Whether a page about something says that it is of the kind; of a table of posts also one titled by it which calls
    it so further on, and speaks of the post."""
    if says(name, wanted.kind, lead):
        return True
    kind, post = (re.escape(one.casefold()) for one in (wanted.kind, wanted.columns[1]))
    called = len(re.findall(rf"\b(?:the|an?|its) (?:[\w-]+ )?{kind}\b", text, re.IGNORECASE))
    titled = title.startswith(bare(name)) or any(is_placed(name, one) for one in text.splitlines() if name in one)
    return wanted.keys == 2 and titled and called > 0 and called + len(re.findall(rf"\b{post}\b", text, re.I)) > 2


def is_placed(name: str, sentence: str) -> bool:
    """Whether a sentence says what and where something is.

    >>> is_placed("Corvo", "The Corvo is a ferry from Harwell in Ayshire.")
    True
    """
    return (
        re.search(rf"{re.escape(bare(name))} (?:is|was) an? [^.]*? (?:in|of|from|at|near) [A-Z]", sentence) is not None
    )


def told_of_kind(wanted: Wanted, line: str) -> Iterator[tuple[str, str]]:
    """The names of which a line says that they are of the kind, or have the post; with the sentence."""
    if wanted.keys == 2 and re.search(rf"\b{re.escape(wanted.columns[1])} of ", line, re.IGNORECASE):
        post = re.compile(rf"\b{re.escape(wanted.columns[1])} of (?:the )?", re.IGNORECASE)
        for sentence in sentences(line):
            for found in post.finditer(sentence):
                name = next(iter(names_in(f"x {sentence[found.end() :]}")), "")
                if name and sentence.startswith(name, found.end()):
                    yield name, f"{wanted.kind} {name}"
    for found in re.finditer(rf"\b(?:The )?([A-Z][^.,;:!?]{{1,60}}?) (?:is|was) an? {re.escape(wanted.kind)}\b", line):
        if names_in(f"x {found[1]}") == (found[1],):
            yield found[1], line[found.start() : line.find(".", found.end()) + 1 or None]


def says(name: str, kind: str, lead: str) -> bool:
    """Whether the beginning of a page says that something is of a kind; "a hotel in Redmarch" says nothing of Redmarch,
    nor "Ann Lee plans a hotel" of Ann Lee."""
    named, of_kind_ = re.escape(name), rf"\b(?:an?|the) (?:[\w-]+ )?{re.escape(kind)}\b"
    is_one = rf"{named}(?:[^.\n]{{0,60}}\b(?:is|was|became|remains)|,| –| \([^()\n]*\),?)? {of_kind_}"
    called = rf"{of_kind_},? (?:called |named )?[“\"]?{named}"
    return re.search(f"{is_one}|{called}", lead, re.IGNORECASE) is not None


def _as_titled(name: str, title: str, text: str) -> str:
    """A name as titles, headings and boxes write it: without the article that running text puts before it."""
    short = bare(name)
    if short == name:
        return name
    at = title.find(short)
    if at >= 0 and title[max(0, at - 4) : at].lower() != "the ":
        return short
    return short if re.search(rf"^(?:#+ |\| ){re.escape(short)}\b", text, re.MULTILINE) else name


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
        if wanted.region and task.query.startswith("towns"):
            score += 3 * (placed and "town" in title) + 2 * (near and "town" in snippet)
        score += 2 * (near and (kind or wanted.kind in snippet))
    return score - 2 * bool(version_of(hit.title))


def _gaps(view: ManagerView) -> int:
    return sum(tokens(f"{gap.entity} {' '.join(gap.columns)}") for gap in view.gaps)


def _sources(sources: Sequence[CitedSource]) -> int:
    return sum(tokens(f"{one.url} {one.corroborates}") for one in sources)
