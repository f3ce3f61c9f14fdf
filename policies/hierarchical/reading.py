"""What a page states of a table, for a reader without a model: rows, cells, and the values that sentences have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.facts import TAKING, full_names, new_holder, post_cues, terms
from webenv.policies.hierarchical.kinds import (
    KIND,
    OTHER,
    OWN,
    PAIR,
    POST,
    SEEN,
    TOLD,
    TOWNS,
    WITHIN,
    lists,
    members_of,
    says,
    seen_on,
    told_of_kind,
)
from webenv.policies.hierarchical.lists import items_of, towns_in_list
from webenv.policies.hierarchical.messages import (
    CitedStatement,
    ReadPage,
    Subtask,
    cell,
)
from webenv.policies.hierarchical.names import bare, endings, is_person, mentions, name_at, names_in, of_kind, somebody
from webenv.policies.hierarchical.pages import (
    LEAD,
    AboutSentence,
    cells_of,
    passages,
    pattern,
    subjects_of,
    thing_of,
    version_of,
    without_links,
)
from webenv.policies.hierarchical.places import address_of, dateline, place_of, town_in
from webenv.policies.hierarchical.tables import Wanted
from webenv.policies.hierarchical.values import clean, read_values, stems_of, term_in
from webenv.policies.hierarchical.whole import freed, hold

BIRTH = frozenset(("birth", "born"))
_PRONOUN = re.compile(r"\b(?:he|she|his|her|they|their|him)\b", re.IGNORECASE)
_POLITICS = re.compile(r"\b(?:elected|governed|mayor|chain of office|ran the town|head of the council)\b")
_RAN_IT = re.compile(
    r"\b(?:led|headed|ran|run|managed|directed|took over|(?:charge|head) of) "
    r"(?:it\b|the (?!town|city|council|county|party)[a-z])"
)
_ROLE_OF = re.compile(r"\b(?:as|was) (?:[a-z]+ ){1,3}of (?=(?:the |The )?[^\W\d_a-z])")
PLURAL_IN = r"%s (?:of|in) "
_EMPTY = frozenset({"", "-", "–", "—", "?", "n/a", "…"})


def read_table(task: Subtask, wanted: Wanted, page: ReadPage) -> list[CitedStatement]:
    """All that a page states of a table: its rows, the cells of its tables, the values that its sentences have."""
    return freed(_read(wanted, *hold(task, page, wanted.places)))


def _read(wanted: Wanted, task: Subtask, page: ReadPage) -> list[CitedStatement]:
    title, text, url, date = page.title, page.text, page.url, version_of(page.title)
    if wanted.keys == 2:  # "Keeper of Rye Light" is no name, though it begins a sentence
        post = wanted.columns[1]
        text = re.sub(rf"\b{re.escape(post)} of (?=\[?[A-Zt])", f"{post.casefold()} of ", text)
    plain = without_links(text)
    found = list(_places(wanted, page))
    towns = {one.entity for one in found} | {dateline(plain.splitlines())} - {""}
    lines = plain.splitlines() if wanted.region else []
    things = {name for line in lines for _, name, _ in told_of_kind(wanted, line)}
    towns |= {place_of(one, wanted.kind, plain).partition(", ")[0] for one in things} - {""}
    towns = towns.difference(task.others, task.entities)
    towns = {one for one in towns if not says(one, wanted.kind, plain) and not of_kind(one, {}, wanted.kind)}
    smaller = () if wanted.kind in TOWNS else (*(town for town, _ in task.places), *sorted(towns))
    places = tuple(dict.fromkeys((*wanted.places, *smaller)))
    every_name = (*task.entities, *task.others)
    titled = [
        one
        for one in every_name
        if re.match(rf"{re.escape(bare(one))}(?! &?[ -]?[A-Z])\b|{re.escape(bare(one))}$", title)
    ]
    subject = thing_of(title, plain) or max(titled, key=len, default="") or next(iter(subjects_of(title, plain)), "")
    rows = list(cells_of(text, wanted.columns[0], subject))
    titles = {word.capitalize() for word in wanted.columns[1].split()} if wanted.keys == 2 else set()
    persons = full_names(title, text, titles)
    columns = {one.casefold() for one in (*wanted.columns, *wanted.asked)}
    listed = (
        (one for one in items_of(text, wanted.kind) if one.casefold() not in columns) if lists(wanted, title) else ()
    )
    members = members_of(wanted, title, plain, [*(row.name for row in rows if not row.label), *listed])
    found += [CitedStatement(name, wanted.columns[0], _as_titled(name, title, text), url, date) for name in members]
    seen = [] if members else seen_on(task, wanted, title, plain, places)
    named = [(_with_kind(name, wanted.kind, plain, title), how, lead) for name, how, lead in seen]
    homes = _homes(wanted, title, text, [one[0] for one in named if one[1] in (OWN, KIND)], places, task.places)
    holder = next((one for one in persons if mentions(title, one) and somebody(one, plain)), "")
    around = _around(wanted, holder, plain, homes, places)
    for name, how, lead in named:
        there = homes.get(name) or (around if how in (TOLD, POST) else "")
        found.append(CitedStatement(_with_article(name, title, plain), SEEN, how, url, date, lead, there))
    # births of persons are read by what sentences say of them alone, below
    births_alone = bool(task.columns) and all(BIRTH & stems_of(column) for column in task.columns)
    asked = () if births_alone and {one for _, one in wanted.joins}.issuperset(task.columns) else task.entities
    names = tuple(dict.fromkeys((*members, *asked, *task.others, *(one[0] for one in named))))
    own = {one[0] for one in named if one[1] in (KIND, POST)}  # an airship may be called like a county
    names = tuple(
        one for one in names if (one in own or one not in places) and (mentions(plain, one) or mentions(title, one))
    )
    alike = of_kind(holder, endings(every_name), wanted.kind)
    names = tuple(one for one in names if one != holder or alike or one in own or says(one, wanted.kind, plain))
    boxed = {bare(name).casefold(): name for name in names}
    labels = {one.casefold(): one for one in (*wanted.asked, *task.columns)}
    for row in rows:
        name = boxed.get(bare(row.name).casefold(), "")
        if name and row.label and row.value.casefold() not in _EMPTY:
            label = labels.get(row.label.casefold(), row.label)
            value = _in_full(row.value, persons) if wanted.keys == 2 or label in wanted.asked else row.value
            stated = _of_cell(wanted, name, label, value, url, date)
            found += stated if wanted.keys == 1 or len(stated) > 1 or name in task.entities else []
    known = [one for one in persons if somebody(one, plain)]
    bodies = (*names, *(one for one in places if one not in known))
    if wanted.keys == 2:
        subject = "" if members else _subject(wanted, title, text, names, [one[0] for one in named])
        of_kind_ = [name for name, how, _ in named if how in (KIND, TOLD)]
        told = [
            _of_the(of_kind_, every_name, wanted, one) for one in passages(title, text, names, persons, titles, subject)
        ]
        around = around or _around(wanted, subject, plain, homes, places)
        if subject and subject not in homes and wanted.region:
            homes[subject] = place_of(subject, wanted.kind, text, places) if not holder else ""
            lead = cell(" ".join(plain.split())[:LEAD])
            name = _with_article(subject, title, plain)
            likely = subject in every_name or of_kind(subject, endings(every_name), wanted.kind)
            how = TOLD if likely else OTHER
            found.append(CitedStatement(name, SEEN, how, url, date, lead, homes[subject] or around))
        posts = _posts(wanted, title, told, persons, bodies, titles, holder, subject, url, date)
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
    born = {column for column in (*wanted.asked, *(one for _, one in wanted.joins)) if BIRTH & stems_of(column)}
    values = [one._replace(date=date) for one in read_values(every, url, about, known) if one.column not in born]
    for column in sorted(born):
        for person, place, quote in births(title, text, persons, bodies, titles):
            values.append(CitedStatement(person, column, place, url, date, quote))
    return found + values


def _homes(
    wanted: Wanted,
    title: str,
    text: str,
    own: Sequence[str],
    places: Collection[str],
    within: Sequence[tuple[str, str]],
) -> dict[str, str]:
    """Where a page says that what it is about is, by name; of a list under no name, where all of it is."""
    if not wanted.region:
        return {}
    found = {
        name: place_of(name, wanted.kind, text, places)
        or next((town for town, _ in within if title.startswith(f"{town} ") and not name.startswith(town)), "")
        or _one_of(wanted, within, text, name)
        for name in own
    }
    if not own and lists(wanted, title):
        lead = re.split(PLURAL_IN % re.escape(wanted.plural), text[:LEAD], flags=re.IGNORECASE)[-1]
        there = [one.rstrip("’'") for part in (title, lead) for one in names_in(f"x {part}")]
        listed = next((one for one in there if one in wanted.places), "")
        if not listed:
            kinds = re.search(rf"{re.escape(wanted.plural)} (?:of|in) (?=[^\W\d_a-z])", title, re.IGNORECASE)
            after = names_in(f"x {title[kinds.end() :]}") if kinds else names_in(f"x {title}")
            listed = next((one.rstrip("’'") for one in after if not title.startswith(one) or "’s" in title), "")
            listed = listed or (name_at(lead) if lead != text[:LEAD] else "")
        found[""] = listed
        found.update((name, f"{town}, {listed}" if listed else town) for name, town in towns_in_list(text).items())
    return found


def _one_of(wanted: Wanted, within: Sequence[tuple[str, str]], text: str, name: str) -> str:
    """The one of the places asked that a page names, or of which it names towns, if it names no other."""
    plain = without_links(text).replace(bare(name), "·")
    named = [(one, one) for one in wanted.places if mentions(plain, one)]
    named += [(town, county) for town, county in within if mentions(plain, town)]
    return named[0][1] if len({county for _, county in named}) == 1 else ""


def _around(wanted: Wanted, subject: str, text: str, homes: Mapping[str, str], places: Collection[str]) -> str:
    """Where what a page is about is, behind a tilde: what it names besides is not far."""
    found = next((one for one in homes.values() if one), "")
    found = found or (place_of(subject, wanted.kind, text, places) if subject else "")
    return f"~{found}" if found and wanted.region else ""


def _subject(wanted: Wanted, title: str, text: str, names: Sequence[str], told: Sequence[str]) -> str:
    """The one of some names that a page is about whose title has none: what it tells of by itself (``told``), if that
    is one, or what its first sentences name first."""
    a_town = wanted.kind not in TOWNS and re.search(rf"^[^.]{{0,80}} {_IS_TOWN}", text[:LEAD], re.MULTILINE)
    if a_town or any(mentions(title, one) for one in names):
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
    cues = post_cues(wanted.columns[1], wanted.kind)
    of_post = wanted.kind not in TOWNS or cues.spoken_in(label)  # what else is in a town has its own posts
    if wanted.keys == 2 and since and is_person(person) and of_post:
        return _term(wanted, f"{name}{PAIR}{person}", person, since, until, url, date, "")
    return [CitedStatement(name, label, value, url, date)]


def _in_full(value: str, persons: Sequence[str]) -> str:
    """A value that is a surname alone, in full as the page has it elsewhere."""
    name = clean(value)
    full = next((one for one in persons if " " not in name and one.endswith(f" {name}")), "")
    return f"{full}{value[len(name) :]}" if full and value.startswith(name) else value


def _posts(
    wanted: Wanted,
    title: str,
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
    that only where the sentence says at what, or the title tells news of the post. What a page may be about
    (``subject``) needs a word of the post."""
    found: list[CitedStatement] = []
    cues, last = post_cues(wanted.columns[1], wanted.kind), holder.rsplit(" ", 1)[-1]
    noun = wanted.kind.rsplit(" ", 1)[-1]
    sure = sum(noun in one.text for one in told) > 1  # "the club", which a page about something else has hardly
    before = ""  # of what the last sentence told who held the post
    for one in map(_answered, told):
        of_holder = holder and (_PRONOUN.search(one.text) or mentions(one.text, last))
        role = _ROLE_OF.search(one.text)
        if role and bare(one.about) not in one.text[role.end() :] and " " not in bare(one.about):
            continue  # "a sailor from Corvo, known as commander of the Net"
        told_by_title = cues.spoken_in(title) or TAKING.search(title) or mentions(title, one.about)
        news = cues.spoken_in(one.text) and told_by_title
        if not one.about or (of_holder and not one.named and not news):
            continue
        cued = cues.spoken_in(one.text) or TAKING.search(one.text)
        if one.about == subject and not (one.named or one.person or cued or sure):
            continue  # the page may be about something else
        of_it = re.search(rf"\b(?:[Ii]t|[Tt]he {re.escape(noun)}) (?:was|has been) governed", one.text)
        of_it = of_it or _RAN_IT.search(one.text)
        goes_on, before = before == one.about, one.about if cues.spoken_in(one.text) else ""
        if not (one.named or of_it or goes_on or cues.spoken_in(one.text)) and _POLITICS.search(one.text):
            continue  # the mayor of the town where it is
        if wanted.kind in TOWNS and not cues.spoken_in(f"{one.asked} {one.text}"):
            continue  # of something else in the town
        meant = one._replace(person=holder) if holder and one.person and _PRONOUN.search(one.text) else one
        held = terms(meant, persons, bodies, titles, cues)
        new = new_holder(meant, persons, bodies, titles, cues) if one.named and not held else ""
        if new:
            found += _term(wanted, f"{one.about}{PAIR}{new}", new, "", "", url, date, one.text)
        for person, since, until in held:
            quote = f"{one.asked} {one.text}" if cues.spoken_in(one.asked) else one.text
            found += _term(wanted, f"{one.about}{PAIR}{person}", person, since, until, url, date, quote)
    return found


def _of_the(things: Sequence[str], known: Collection[str], wanted: Wanted, one: AboutSentence) -> AboutSentence:
    """A sentence of "the lighthouse" on a page titled by something else, which tells of one lighthouse: of that one;
    others that are known to be of the kind keep theirs."""
    if len(things) != 1 or one.named or one.about in ("", *things, *known):
        return one
    nouns = {wanted.kind.rpartition(" ")[2], things[0].rpartition(" ")[2].casefold()}
    meant = any(re.search(rf"\b[Tt]he {re.escape(noun)}\b", one.text) for noun in nouns)
    return one._replace(about=things[0]) if meant else one


def _answered(one: AboutSentence) -> AboutSentence:
    """A sentence; a name alone that answers who did something when, in the words of the question.

    >>> _answered(AboutSentence("Ann Lee.", "Hay", False, "Who took over in 2001?")).text
    'Ann Lee took over in 2001.'
    """
    who, name = _WHO.match(one.asked), one.text.rstrip(".!")
    if not who or names_in(f"x {name}") != (name,):
        return one
    return one._replace(text=f"{name} {one.asked[who.end() :].rstrip('?')}.", asked="")


_WHO = re.compile(r"(?:And )?[Ww]ho (?=[a-z])(?=.*\b(?:1\d|20)\d\d\b)")


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
    if place and re.search(r"\btowns?\b(?! [a-z])", page.title, re.IGNORECASE):
        for row in cells_of(page.text, "Town"):
            if not row.label:
                yield CitedStatement(row.name, WITHIN, place, page.url)
    listed = "|".join(map(re.escape, wanted.places))
    towns = re.compile(
        rf"\b(?:in|at|of|from|near|outside|with|know) ({_TOWN})(?:, a \w+ in | in )({listed})\b|"
        rf"(?:^|\b[a-z]+ )({_TOWN}), ({listed})\b",
        re.MULTILINE,
    )
    plain = without_links(page.text)
    for found in dict.fromkeys(towns.findall(plain)):
        yield CitedStatement(found[0] or found[2], WITHIN, found[1] or found[3], page.url)
    for name in names_in(f"x {page.title}"):
        told = pattern(rf"\b{re.escape(name)}\b(?: \([^()]*\))? {_IS_TOWN}[^.]*\.").search(plain[: 3 * LEAD])
        where = next((one for one in wanted.places if told and mentions(told[0], one)), "")
        where = where or (town_in(told[0].replace(name, "·")).partition(", ")[0] if told else "")
        if where:
            yield CitedStatement(name, WITHIN, where, page.url)


_IS_TOWN = (
    r"(?:(?:is|was) (?:an?|one of the) (?:town|municipalit|settlement|communit|village|cit)(?:ies|ys|y|s)?\b"
    r"(?! (?!in|of|on|at|near|and|with|that|which|where|by|from|to|between|outside|called|known)[a-z])|"
    r"(?:belongs|lies|is part))"
)
"""Words by which a page says that something is a town; "a town hall" is none."""
_TOWN = r"[^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*){0,2}"


def _with_kind(name: str, kind: str, text: str, title: str = "") -> str:
    """A name with the kind's word that a page writes behind it, in small letters and without an article before it.

    >>> _with_kind("Mill Road", "station", "Mill Road station is old."), _with_kind("Corvo", "ferry", "The Corvo ferry")
    ('Mill Road station', 'Corvo')
    """
    whole = f"{name} {kind}"
    if name.casefold().endswith(kind) or whole not in text:
        return name
    if title.startswith(whole) and not title[len(whole) :][:1].isalnum():
        return whole
    written = len(pattern(rf"(?<![Tt]he ){re.escape(whole)}\b").findall(text))
    return whole if 2 * written > text.count(name) else name


def _with_article(name: str, title: str, text: str) -> str:
    """A name with the article that is a part of it: with a capital in the title, or within a sentence, where no small
    one stands; one that begins a sentence is none.

    >>> _with_article("Free Season", "A look", "I read The Free Season."), _with_article("The Owl", "", "The Owl won.")
    ('The Free Season', 'Owl')
    """
    short = bare(name) if name.startswith("The ") else name
    whole, inside = re.escape(short), r"(?<=[a-z,] )"
    if not pattern(rf"{inside}The {whole}\b").search(text) and not title.startswith(f"The {short}"):
        return short
    return short if pattern(rf"{inside}the {whole}\b").search(text) else f"The {short}"


def _as_titled(name: str, title: str, text: str) -> str:
    """A name as titles, headings and boxes write it: without the article that running text puts before it."""
    short = bare(name)
    if short == name:
        return name
    at = title.find(short)
    if at >= 0 and title[max(0, at - 4) : at].lower() != "the ":
        return short
    return short if re.search(rf"^(?:#+ |\| ){re.escape(short)}\b", text, re.MULTILINE) else name
