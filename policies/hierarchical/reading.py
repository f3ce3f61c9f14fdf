"""What a page states of a table, for a reader without a model: rows, cells, and the values that sentences have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.facts import (
    TAKING,
    clean,
    full_names,
    post_cues,
    read_values,
    stems_of,
    term_in,
    terms,
    words_of,
)
from webenv.policies.hierarchical.ledger import KIND, OTHER, OWN, PAIR, SEEN, TOLD, WITHIN
from webenv.policies.hierarchical.messages import (
    LINES,
    CitedStatement,
    ReadPage,
    Subtask,
    cell,
)
from webenv.policies.hierarchical.pages import (
    LEAD,
    AboutSentence,
    bare,
    cells_of,
    endings,
    is_person,
    items_of,
    mentions,
    names_in,
    of_kind,
    passages,
    pattern,
    sentences,
    somebody,
    subjects_of,
    towns_in_list,
    version_of,
    without_links,
)
from webenv.policies.hierarchical.places import address_of, place_of, town_in
from webenv.policies.hierarchical.tables import Wanted

BIRTH = frozenset(("birth", "born"))
_PRONOUN = re.compile(r"\b(?:he|she|his|her|they|their|him)\b", re.IGNORECASE)
_HELD = re.compile(
    r"\b(?:charge of|head of|headed|led|ran|directed|took over|the first team of|commanded|governed|came to|joined|"
    r"(?:as|was|became|made|named|chosen|been) (?:its |the )?[a-z]+(?: [a-z]+)? (?:of|at)) (?:the |The )?"
    r"(?=[^\W\d_a-z])"
)
PLURAL_IN = r"%s (?:of|in) "
_ONLY_LINK = re.compile(r"^- [^.:]+$")
_EMPTY = frozenset({"", "-", "–", "—", "?", "n/a", "…"})


def read_table(task: Subtask, wanted: Wanted, page: ReadPage) -> list[CitedStatement]:
    """All that a page states of a table: its rows, the cells of its tables, the values that its sentences have."""
    title, text, url, date = page.title, page.text, page.url, version_of(page.title)
    if wanted.keys == 2:  # "Keeper of Rye Light" is no name, though it begins a sentence
        post = wanted.columns[1]
        text = re.sub(rf"\b{re.escape(post)} of (?=\[?[A-Zt])", f"{post.casefold()} of ", text)
    plain = without_links(text)
    found = list(_places(wanted, page))
    places = (*wanted.places, *(town for town, _ in task.places))
    rows = list(cells_of(text, wanted.columns[0], next(iter(subjects_of(title, plain)), "")))
    titles = {word.capitalize() for word in wanted.columns[1].split()} if wanted.keys == 2 else set()
    persons = full_names(title, text, titles)
    columns = {one.casefold() for one in (*wanted.columns, *wanted.asked)}
    listed = (one for one in items_of(text) if one.casefold() not in columns) if _is_list(wanted, title) else ()
    members = _members(wanted, title, plain, [*(row.name for row in rows if not row.label), *listed])
    found += [CitedStatement(name, wanted.columns[0], _as_titled(name, title, text), url, date) for name in members]
    named = [] if members else _seen(task, wanted, title, plain)
    homes = _homes(wanted, title, text, [one[0] for one in named if one[1] in (OWN, KIND)], places)
    holder = next((one for one in persons if mentions(title, one) and somebody(one, plain)), "")
    around = _around(wanted, holder, plain, homes, places)
    for name, how, lead in named:
        found.append(
            CitedStatement(name, SEEN, how, url, date, lead, homes.get(name) or (around if how == TOLD else ""))
        )
    # births of persons are read by what sentences say of them alone, below
    births_alone = bool(task.columns) and all(BIRTH & stems_of(column) for column in task.columns)
    asked = () if births_alone and {one for _, one in wanted.joins}.issuperset(task.columns) else task.entities
    names = tuple(dict.fromkeys((*members, *asked, *task.others, *(one[0] for one in named))))
    names = tuple(one for one in names if one not in places and (mentions(plain, one) or mentions(title, one)))
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
        subject = "" if members else _subject(title, text, names, [one[0] for one in named])
        told = list(passages(title, text, names, persons, titles, subject))
        around = around or _around(wanted, subject, plain, homes, places)
        if subject and subject not in homes and wanted.region:
            homes[subject] = place_of(subject, wanted.kind, text, places) if not holder else ""
            lead = cell(" ".join(plain.split())[:LEAD])
            found.append(CitedStatement(subject, SEEN, TOLD, url, date, lead, homes[subject] or around))
        posts = _posts(wanted, told, persons, (*names, *places), titles, holder, subject, url, date)
        boxes = [one for one in found if PAIR in one.entity]
        found = [one for one in found if PAIR not in one.entity]
        for one in (*boxes, *posts):
            at = one.entity.partition(PAIR)[0]
            found.append(one._replace(place=homes.get(at) or homes.get("", "") or address_of(at, text) or around))
        further = tuple(one for base, one in wanted.joins if base == wanted.columns[1])
        people = tuple(dict.fromkeys((holder, *task.entities))) if holder and further else task.entities
        every = task._replace(entities=people, columns=tuple(dict.fromkeys((*task.columns, *further))))
    else:
        every = task._replace(entities=names, columns=tuple(dict.fromkeys((*task.columns, *wanted.asked))))
    about = [one for one in passages(title, text, every.entities) if one.about]
    known = [one for one in persons if somebody(one, plain)]
    born = {column for column in (*wanted.asked, *(one for _, one in wanted.joins)) if BIRTH & stems_of(column)}
    values = [one._replace(date=date) for one in read_values(every, url, about, known) if one.column not in born]
    for column in sorted(born):
        for person, place, quote in births(title, text, persons, (*names, *places), titles):
            values.append(CitedStatement(person, column, place, url, date, quote))
    return found + values


def _homes(wanted: Wanted, title: str, text: str, own: Sequence[str], places: Collection[str]) -> dict[str, str]:
    """Where a page says that what it is about is, by name; of a list under no name, where all of it is."""
    if not wanted.region:
        return {}
    found = {name: place_of(name, wanted.kind, text, places) for name in own}
    if not own and _lists(wanted, title):
        lead = f"{re.split(PLURAL_IN % re.escape(wanted.plural), text[:LEAD], flags=re.IGNORECASE)[-1]}"
        there = [one.rstrip("’'") for part in (title, lead) for one in names_in(f"x {part}")]
        listed = next((one for one in there if one in wanted.places), "")
        if not listed:
            kinds = re.search(rf"{re.escape(wanted.plural)} (?:of|in) (?=[^\W\d_a-z])", title, re.IGNORECASE)
            after = names_in(f"x {title[kinds.end() :]}") if kinds else names_in(f"x {title}")
            listed = next((one.rstrip("’'") for one in after if not title.startswith(one) or "’s" in title), "")
        found[""] = listed
        found.update((name, f"{town}, {listed}" if listed else town) for name, town in towns_in_list(text).items())
    return found


def _around(wanted: Wanted, subject: str, text: str, homes: Mapping[str, str], places: Collection[str]) -> str:
    """Where what a page is about is, behind a tilde: what it names besides is not far."""
    found = next((one for one in homes.values() if one), "")
    found = found or (place_of(subject, wanted.kind, text, places) if subject else "")
    return f"~{found}" if found and wanted.region else ""


def _subject(title: str, text: str, names: Sequence[str], told: Sequence[str]) -> str:
    """The one of some names that a page is about whose title has none: what it tells of by itself (``told``), if that
    is one, or what its first sentences name first."""
    if any(mentions(title, one) for one in names) or re.search(rf"^[^.]{{0,80}} {_IS_TOWN}", text[:LEAD], re.MULTILINE):
        return ""
    for run in names_in(f"x {title}"):  # about something else
        if " " in run and pattern(rf"\b{re.escape(run)} (?:is|was) an? ").search(text) and not is_person(run):
            return ""
    lines = [one for one in without_links(text).splitlines() if one.strip() and not one.startswith(("|", "#", "- "))]
    for line in lines[:4]:
        at = {one: line.find(bare(one)) for one in names if mentions(line, one)}
        if at:
            return min(at, key=lambda one: (at[one], -len(one)))
    return told[0] if len(told) == 1 else ""


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
    holder: str,
    subject: str,
    url: str,
    date: str,
) -> list[CitedStatement]:
    """Who held a post and when, by sentences; on a page about somebody (``holder``) whoever is not named is meant, and
    that only where the sentence says at what. What a page may be about (``subject``) needs a word of the post."""
    found: list[CitedStatement] = []
    cues, last = post_cues(wanted.columns[1]), holder.rsplit(" ", 1)[-1]
    noun = wanted.kind.rsplit(" ", 1)[-1]
    sure = sum(noun in one.text for one in told) > 1  # "the club", which a page about something else has hardly
    for one in told:
        if not one.about or (holder and not one.named and (_PRONOUN.search(one.text) or mentions(one.text, last))):
            continue
        cued = cues & words_of(one.text) or TAKING.search(one.text)
        if one.about == subject and not (one.named or one.person or cued or sure):
            continue  # the page may be about something else
        meant = one._replace(person=holder) if holder and one.person and _PRONOUN.search(one.text) else one
        for person, since, until in terms(meant, persons, bodies, titles, cues):
            quote = f"{one.asked} {one.text}" if cues & words_of(one.asked) else one.text
            found += _term(wanted, f"{one.about}{PAIR}{person}", person, since, until, url, date, quote)
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
    plain = without_links(page.text)
    for found in dict.fromkeys(towns.findall(plain)):
        yield CitedStatement(found[0], WITHIN, found[1], page.url)
    for name in names_in(f"x {page.title}"):
        told = pattern(rf"\b{re.escape(name)}\b(?: \([^()]*\))? {_IS_TOWN}[^.]*\.").search(plain[: 3 * LEAD])
        where = next((one for one in wanted.places if told and mentions(told[0], one)), "")
        where = where or (town_in(told[0].replace(name, "·")).partition(", ")[0] if told else "")
        if where:
            yield CitedStatement(name, WITHIN, where, page.url)


_IS_TOWN = (
    r"(?:(?:is|was) (?:an?|one of the) (?:town|municipalit|settlement|communit|village|cit)|(?:belongs|lies|is part))"
)
_TOWN = r"[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){0,2}"


def _is_list(wanted: Wanted, title: str) -> bool:
    """Whether a page is titled as a list of the kind in one of the places."""
    return any(mentions(title, place) for place in wanted.places) and _lists(wanted, title)


def _lists(wanted: Wanted, title: str) -> bool:
    """Whether a title has the kind in the plural, which is not the end of a name."""
    plural = wanted.plural
    return re.search(rf"\b{re.escape(plural)}\b|^{re.escape(plural.capitalize())}\b", title) is not None


def _members(wanted: Wanted, title: str, text: str, rows: Sequence[str]) -> list[str]:
    """The names of a list, if it is one of the kind in one of the places; without a region, also what a page is about
    that says that it is one of the kind there."""
    intro = f"{title}\n{text.partition('|')[0][:LEAD]}"
    low, other = intro.casefold(), re.search(r"\b(?:is|was) an? ([a-z -]{3,40}?) (?:in|on|from|of|near)\b", intro)
    one = wanted.kind in low and not (other and wanted.kind not in other[1])  # of another kind, beside its likes
    of_the_kind = wanted.plural.casefold() in low or one
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
    listing = _lists(wanted, title)
    own = [one for one in subjects_of(title, text) if mentions(title, one) or mentions(lead, one)]
    own = [] if listing else own
    own = [one for one in own if one.casefold() not in (wanted.kind, wanted.plural.casefold())]
    towns = {*wanted.places, *(town for town, _ in task.places)}
    kin = endings(task.others)
    own = [one for one in own if one not in towns and _is_thing(one, wanted, kin, text, lead)][:1]
    found = {name: (KIND if _of_the_kind(name, wanted, title, text, lead) else OWN, lead) for name in own}
    for name in own:
        placed = next((one for line in lines for one in sentences(line) if is_placed(name, one)), "")
        found[name] = (found[name][0], cell(f"{placed} {lead}"))
    for name, told in (one for line in lines for one in told_of_kind(wanted, line)):
        if name not in found and name.casefold() != wanted.kind and not somebody(name, text):
            found[name] = (TOLD, cell(told))
    prose = [line for line in text.splitlines() if not _ONLY_LINK.match(line)]
    every = dict.fromkeys(name for line in prose for name in names_in(line))
    held = {name for line in prose for name in _held(line)} if wanted.keys == 2 else set()
    others = [one for one in every if not is_person(one) and of_kind(one, kin, wanted.kind) and one not in found]
    others += [one for one in held if one not in found and one not in others and one not in towns]
    others = [one for one in others if not any(mentions(one, two) for two in (*own, *task.others) if two != one)]
    return [
        *((name, how, told) for name, (how, told) in found.items()),
        *((one, OTHER, lead) for one in others[:LINES]),
    ]


def _held(line: str) -> Iterator[str]:
    """The names of what somebody had, led or took over, of whatever kind."""
    for found in _HELD.finditer(line):
        name = next(iter(names_in(f"x {line[found.end() : found.end() + 80]}")), "")
        if " " in name and line.startswith(name, found.end()) and not is_person(name):
            yield name


def _is_thing(name: str, wanted: Wanted, kin: Mapping[str, int], text: str, lead: str) -> bool:
    """Whether a name that may be somebody's is not: others of the kind end so, or the page says what it is or "us"."""
    if not is_person(name) or of_kind(name, kin, wanted.kind) or says(name, wanted.kind, lead):
        return True
    stands = rf"\b{re.escape(name)} (?:is|was) an? [a-z -]{{3,40}}? (?:in|on|near|outside|just) "
    if wanted.keys == 2 and pattern(stands).search(text[: 3 * LEAD]):
        return True
    return not somebody(name, text) and (wanted.keys == 1 or re.search(r"\b(?:us|our)\b", lead) is not None)


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
    if bare(name) not in sentence:
        return False
    placed = rf"{re.escape(bare(name))} (?:is|was) an? [^.]{{0,80}}? (?:in|of|from|at|near) [A-Z]"
    return pattern(placed).search(sentence) is not None


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
    return name in lead and pattern(f"{is_one}|{called}", re.IGNORECASE).search(lead) is not None


def _as_titled(name: str, title: str, text: str) -> str:
    """A name as titles, headings and boxes write it: without the article that running text puts before it."""
    short = bare(name)
    if short == name:
        return name
    at = title.find(short)
    if at >= 0 and title[max(0, at - 4) : at].lower() != "the ":
        return short
    return short if re.search(rf"^(?:#+ |\| ){re.escape(short)}\b", text, re.MULTILINE) else name
