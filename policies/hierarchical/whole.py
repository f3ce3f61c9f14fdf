"""Names with a comma in them, or an apostrophe at their end, held together while a page is read.

A reader without a model ends a name at a comma, and takes "Harper's" for what Harper has. Where a page, or what is
known by then, shows such a name as a whole, letters of no script stand for these signs until the page is read.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from webenv.policies.hierarchical.messages import CitedStatement, ReadPage, Subtask
from webenv.policies.hierarchical.names import FIRM, HELD_SIGNS, bare, is_person, is_trade, names_in
from webenv.policies.hierarchical.pages import links_of, pattern, without_links

_SIGNS = ",'’"
_HELD, _FREE = str.maketrans(_SIGNS, HELD_SIGNS), str.maketrans(HELD_SIGNS, _SIGNS)
_ONLY_LINK = re.compile(r"^- \[[^\]]*\]\([^()]*\)(?:$|,? [a-z])")
_NAME = r"[^\W\d_a-z][\w’'.-]*(?: (?:[^\W\d_a-z][\w’'.-]*|&|of|on|the|and|\d+))*?"
_IS_ONE = re.compile(rf"(?:^|[.!?] )({_NAME}, {_NAME}|{_NAME}['’]s),? (?:is|was|an?) (?:an? )?[a-z]", re.MULTILINE)
_CELL = re.compile(
    rf"^(?:- (?:\*\*)?|\| |#+ )({_NAME}(?:, {_NAME}|['’]s))(?:\*\*)?(?: \(|:|\.? | \|\||$)", re.MULTILINE
)
_TRADE = re.compile(rf"{FIRM.pattern}, [^\W\d_a-z][\w’'-]*(?: [^\W\d_a-z][\w’'-]*)?")


def held(name: str) -> str:
    """A name with letters for its comma and for the apostrophe at its end; a firm's of several persons keeps its own.

    >>> free(held("Harper's, Hay")), held("Ash, Beck & Co.")
    ("Harper's, Hay", 'Ash, Beck & Co.')
    """
    firm, rest = _after_firm(name)
    return firm + re.sub(r",(?= )|['’](?=s(?:$|,))", lambda found: found[0].translate(_HELD), rest)


def _after_firm(name: str) -> tuple[str, str]:
    """The firm of several persons that a name begins with, or nothing, and the rest of it."""
    firm = FIRM.match(name)
    return (firm[0], name[firm.end() :]) if firm else ("", name)


def free(text: str) -> str:
    """A text whose names are written as the page writes them."""
    return text.translate(_FREE)


def hold(task: Subtask, page: ReadPage, places: Collection[str]) -> tuple[Subtask, ReadPage]:
    """A task and a page whose names of this sort are held together: those that are known, and those that the page
    shows as a whole, in links, headings and tables, or as what is said to be something."""
    known = [*task.entities, *task.others]
    names = dict.fromkeys(one for one in known if held(one) != one)
    names.update(dict.fromkeys(_shown(page, {*places, *(town for town, _ in task.places), *known})))
    title, text = page.title, page.text
    for name in sorted(names, key=len, reverse=True):
        if bare(name) in text or bare(name) in title:
            whole = pattern(rf"(?<!\w){re.escape(bare(name))}(?!\w)")
            title, text = whole.sub(held(bare(name)), title), whole.sub(held(bare(name)), text)
    entities, others = (tuple(map(held, some)) for some in (task.entities, task.others))
    return task._replace(entities=entities, others=others), page._replace(title=title, text=text)


def freed(statements: Iterable[CitedStatement]) -> list[CitedStatement]:
    """Statements whose names are written as the page writes them."""
    return [
        one._replace(entity=free(one.entity), value=free(one.value), quote=free(one.quote), place=free(one.place))
        for one in statements
    ]


def _shown(page: ReadPage, known: Collection[str]) -> Iterator[str]:
    """The names that a page shows as a whole."""
    if "," not in page.text and "’s" not in page.text and "'s" not in page.text:
        return
    lines = [line for line in page.text.splitlines() if not _ONLY_LINK.match(line)]
    plain = without_links("\n".join(lines))
    linked = [words for line in lines for words, _ in links_of(line)]
    said = [found[1] for form in (_IS_ONE, _CELL) for found in form.finditer(plain)]
    trades = [found[0] for found in _TRADE.finditer(plain) if is_trade(found[0].rpartition(", ")[2])]
    for name in dict.fromkeys((*linked, *said, page.title, *trades)):
        if name in plain and held(name) != name and _is_whole(name, plain, known):
            yield name


def _is_whole(name: str, text: str, known: Collection[str]) -> bool:
    """Whether a name is one, and not a thing with the place where it is: no text calls it by its first half alone."""
    firm, rest = _after_firm(name)
    head, comma, _ = rest.partition(", ")
    first, second = firm + head, name.rpartition(", ")[2]
    if name.endswith(("'s", "’s")) and not comma:
        stem = name[:-2]
        return stem not in known and not is_person(stem) and names_in(f"x {stem}") == (stem,)
    parts = [one[:-2] if one.endswith(("'s", "’s")) else one for one in (first, second)]
    if first in known or (second in known and not firm) or any(names_in(f"x {one}") != (one,) for one in parts):
        return bool(firm) and is_trade(second)
    alone = pattern(rf"(?<!\w){re.escape(first)}(?!, {re.escape(second)})(?![\w’'])")
    return " " in first and alone.search(text) is None
