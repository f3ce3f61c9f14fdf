"""What a page says to the clauses of a question: which names it puts together, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical.clauses import ChainQuestion, LinkClause, agreement
from webenv.policies.hierarchical.facts import NEITHER, full_names
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage
from webenv.policies.hierarchical.pages import (
    FUNCTION_WORDS,
    bare,
    cells_of,
    is_month,
    is_person,
    mentions,
    names_in,
    sentences,
    subjects_of,
    without_links,
)

DESCRIBES = "describes"
"""The value of statements to a clause that only describes."""

KIND = "kind"
"""The column of statements that say what something is."""

_SAYS = 0.3  # of a clause, at the least, that a sentence has to say to be taken for it
_ITEM = re.compile(r"^(?:[-*] |> )?\*\*([^*]+)\*\*\s*[–:.-]?\s*(.*)$")
_LISTED = re.compile(r"^[-*] ([^:–]{3,60})(?: –|:) (.*)$")
_LABELLED = re.compile(r"\*\*([^*]{2,40})\*\*: ([^·]+)")
_WITHIN = re.compile(r"(?<=[a-z,;] )[^\W\d_a-z][\w’'-]*\w")
_SURE = 0.8  # of the fit of a name to a kind, for a sentence to be about it and not about its page's subject
_TITLE = 16  # words of a title that are looked at
_LEAD = 300  # characters at the beginning of a page that say what it is about
_JOINING = re.compile(r" (and|of|on|the|&|at|in) ")
_IN_REGION = re.compile(r"(\b(?:in|at|of|from|near|outside) [^\W\d_a-z][\w’'-]+), [^\W\d_a-z]\w+\b(?! [^\W\d_a-z])")
_STREETS = frozenset(["street", "road", "lane", "avenue", "square", "county"])
_OTHERS = frozenset(
    re.findall(
        r"[a-z]+",
        """
        school university college museum gallery library theatre playhouse hotel church bridge dam park
        choir festival prize hospital station farm lighthouse brewery bank newspaper novel election
        garden expedition court harbour
        """,
    )
)


class PageLine(NamedTuple):
    """A sentence, or a cell with its label, of a page: its text, whom it is about, the names that it has, and whom its
    page is about."""

    text: str
    about: str
    names: tuple[str, ...]
    subject: str = ""


def links_on(chain: ChainQuestion, page: ReadPage, entities: Sequence[str], date: str = "") -> list[CitedStatement]:
    """The links that a page states: of each clause the pairs of names that a sentence puts together with its words.

    Statements are (a name, the clause's number, the name that it leads to); of a clause that only describes, (a name,
    its number, :data:`DESCRIBES`). A name that is asked about is taken with all that stand beside it.

    Args:
        entities: names that are asked about.
    """
    plain = without_links(page.text)
    lead = f"{page.title}. {plain[:_LEAD]}\n"
    found: dict[tuple[str, int, str], CitedStatement] = {}
    best: dict[tuple[str, int, str], float] = {}
    for line in lines_of(page.title, plain, entities):
        if NEITHER.search(line.text):
            continue
        every = tuple(dict.fromkeys((*((line.about,) if line.about else ()), *line.names)))
        asked = {one for one in every if any(_same(one, entity) for entity in entities)}
        for clause in chain.clauses:
            said = agreement(clause.text, line.text)
            if said < _SAYS and not (asked and clause.links):
                continue
            for source, target in _pairs(chain, clause, every, line, lead):
                if said < _SAYS and not {source, target} & asked:
                    continue
                key = (source, clause.number, target)
                if best.get(key, -1.0) < said:
                    best[key] = said
                    quote = line.text if len(line.text) < 280 else line.text[:280]
                    found[key] = CitedStatement(source, str(clause.number), target, page.url, date, quote)
    return [*kinds_on(chain, page.title, plain, page.url), *found.values()]


def kinds_on(chain: ChainQuestion, title: str, text: str, url: str) -> Iterator[CitedStatement]:
    """What a page says its subject is, and the rows of its lists are."""
    for name in subjects_of(title, text)[:2]:
        said = _is_one(name).search(text[: 2 * _LEAD])
        if said and not is_person(name):
            yield CitedStatement(name, KIND, said[1], url)
    for kind in set(chain.kinds):
        last = kind.rpartition(" ")[2]
        if last and re.search(rf"\b{re.escape(last)}e?s\b", title, re.IGNORECASE):
            for row in cells_of(text, kind):
                if not row.label:
                    yield CitedStatement(row.name, KIND, last, url)


def _pairs(
    chain: ChainQuestion, clause: LinkClause, names: Sequence[str], line: PageLine, lead: str
) -> Iterator[tuple[str, str]]:
    first = _fitting(chain.kinds[clause.source], names, line, lead)
    if not clause.links:
        for one in first:
            yield one, DESCRIBES
        return
    second = _fitting(chain.kinds[clause.target], names, line, lead)
    for one in first:
        for two in second:
            if one != two and not mentions(one, two) and not mentions(two, one):
                yield one, two


def _fitting(kind: str, names: Sequence[str], line: PageLine, lead: str) -> list[str]:
    """The names that may be of a kind; whom the page is about is one where its sentence has none that surely is."""
    fits = {one: kindness(one, kind, lead + line.text) for one in (*names, *((line.subject,) if line.subject else ()))}
    found = [one for one in names if fits[one] > 0]
    if line.subject and line.subject not in found and all(fits[one] < _SURE for one in line.names):
        found += [line.subject] * (fits[line.subject] > 0)
    return found


@lru_cache(maxsize=32_768)
def kindness(name: str, kind: str, said: str = "") -> float:
    """How well a name fits a kind, from 0 to 1: by its form, its last word, or what a text says of it.

    Args:
        said: the beginning of a page, or a sentence.

    >>> kindness("Ann Lee", "person"), kindness("Ann Lee", "theatre"), kindness("Hind Theatre", "theatre")
    (1.0, 0.2, 1.0)
    """
    last = kind.split()[-1] if kind else ""
    words = bare(name).split()
    end = words[-1].casefold()
    person = is_person(name)
    if not last:
        return 0.5
    if last == "person":
        return 1.0 if person else 0.0
    if last in (one.casefold() for one in words) or end.rstrip("s") == last.rstrip("s"):
        return 1.0
    known = False
    if said and mentions(said, name):
        called = rf"\b{re.escape(last)},? (?:the |“)?{re.escape(bare(name))}"
        is_one = _is_one(name).search(said)
        if re.search(called, said, re.IGNORECASE) or (is_one and last in is_one[1].casefold().split()):
            return 1.0
        known = is_one is not None
    if end in _STREETS or _OTHERS & {one.casefold() for one in words}:
        return 0.0 if last in _OTHERS or end in _STREETS else 0.1
    if last in ("town", "village", "city", "place"):
        if end.endswith("shire"):
            return 0.1
        return 0.8 if len(words) == 1 else 0.4 if len(words) <= 3 and is_person(f"Ann {words[-1]}") else 0.0
    return 0.2 if person or known else 0.5 if len(words) > 1 else 0.2


@lru_cache(maxsize=4_096)
def _is_one(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"{re.escape(bare(name))}(?: \([^()]*\))?,? (?:is |was )?(?:known as )?(?:an?|the) ((?:[\w-]+ ){{0,3}}[\w-]+)",
        re.IGNORECASE,
    )


def subject_of(title: str, text: str) -> str:
    """The name in a title that the sentences of the page have most often, the longest of several; lower-case words may
    stand within it.

    >>> subject_of("Notes on A Night in Brill", "I found A Night in Brill again. A Night in Brill was filmed there.")
    'A Night in Brill'
    """
    words = title.rstrip("?.!").split(" ")[:_TITLE]
    body = " ".join(line for line in text.splitlines() if line.endswith((".", "!")) and not line.startswith("#"))
    heads = [place for place, word in enumerate(words) if word[:1].isupper() or word[:1].isdigit()]
    found: list[tuple[int, int, str]] = []
    for first in heads:
        for last in reversed(heads):
            name = re.sub(r"['’]s$", "", " ".join(words[first : last + 1]).strip("“”:,()"))
            if (
                last < first
                or (first == 0 < last and title.endswith("?"))
                or any(name in longer for *_, longer in found)
            ):
                break
            if (first == last and name.casefold() in FUNCTION_WORDS) or not mentions(body, name):
                continue
            short = name.split()[-1] if is_person(name) else bare(name)
            found.append((body.count(short), len(name), name))
            break
    return max(found, default=(0, 0, ""))[2]


def lines_of(title: str, text: str, known: Sequence[str] = ()) -> Iterator[PageLine]:
    """The sentences, items, labels and cells of a page, each with whom it is about.

    Args:
        known: names that are one, whatever words stand within them.

    >>> [one.about for one in lines_of("Corvo", "Corvo is a ferry.\\n- **Ann Lee**: She ran it.")]
    ['Corvo', 'Ann Lee']
    """
    persons = full_names(title, text)
    full = {one.rsplit(" ", 1)[-1]: one for one in reversed(persons)}
    subject = subject_of(title, text) or next(iter(subjects_of(title, text)), "")
    subject = full.get(subject, subject)
    single = set(_WITHIN.findall(text))
    wholes = [one for one in dict.fromkeys((subject, *known)) if " " in one and not is_person(one)]

    def names(words: str, begins: bool = False) -> tuple[str, ...]:
        """The names in a text; its first word is one alone if ``begins``, or if it stands within a sentence too."""
        whole = [one for one in wholes if mentions(words, one)]
        for one in whole:
            words = words.replace(bare(one), "it")
        words = _IN_REGION.sub(r"\1", words)  # of a town and where it lies the town
        first = words.split(" ", 1)[0].rstrip(".,:;'’s")
        runs = names_in(f"x {words}" if begins or first in single or first in full else words)
        found = tuple(part for run in runs for part in _apart(run, full))
        found = tuple(full.get(one, one) for one in found if not one.isupper())
        kept = (one for one in found if not is_month(one) and (" " in one or one in single))
        return tuple(dict.fromkeys((*whole, *kept)))

    for cell in cells_of(text, "", subject):
        if cell.label and cell.value.strip(" –—-"):
            yield PageLine(f"{cell.label}: {cell.value}", full.get(cell.name, cell.name), names(cell.value, True))
    section = about = subject
    for paragraph in re.split(r"\n+", text):
        plain = paragraph.strip()
        if plain.startswith("#"):
            head = plain.lstrip("# ")
            named = names(head, True)
            section = named[0] if named else subject
            about = section
            continue
        if not plain or plain.startswith("|"):
            continue
        labels = _LABELLED.findall(plain)
        if len(labels) > 1:
            for label, value in labels:
                yield PageLine(f"{label}: {value}", section, names(value, True))
            continue
        item = _ITEM.match(plain) or _LISTED.match(plain)
        about = section
        if item:
            named = names(item[1], True)
            if named and bare(named[0]) == bare(item[1].strip()):
                about, plain = named[0], item[2]
            elif item[1][:1].isdigit():
                about, plain = "", item[2]
        for sentence in sentences(plain):
            line = PageLine(sentence, about, names(sentence), subject)
            yield line
            here = [one for one in line.names if one not in persons or sentence.startswith((one, one.split()[-1]))]
            if here and about and not item:
                about = here[0] if sentence.startswith((here[0], bare(here[0]))) else about
            elif not about and line.names:
                about = line.names[0]


def _apart(run: str, persons: Mapping[str, str]) -> Iterator[str]:
    """The names that a run of words with capitals is made of: persons stand alone, and months are none.

    >>> list(_apart("Ann Lee and Ivo Kerr", {})), list(_apart("Brill on May", {})), list(_apart("Bank of Brill", {}))
    (['Ann Lee', 'Ivo Kerr'], ['Brill'], ['Bank of Brill'])
    """
    for join in _JOINING.finditer(run):
        one, other = run[: join.start()], run[join.end() :]
        if (
            is_month(other)
            or other == "May"
            or is_person(one)
            or one in persons
            or (join[1] == "and" and is_person(other))
        ):
            yield one
            if not (is_month(other) or other == "May"):
                yield from _apart(other, persons)
            return
    yield run


def _same(one: str, other: str) -> bool:
    return bare(one).casefold() == bare(other).casefold()
