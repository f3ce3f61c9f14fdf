"""What a page is made of, for a reader without a model: sentences and whom they are about, tables, names, questions."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical.names import (
    _JOINS,
    _MONTH,
    FIRM,
    bare,
    ending,
    endings,
    mentions,
    name_at,
    names_in,
    persons_in,
    places_of,
)

PLACED = re.compile(r" (?:(?:in|at|of|from|near|outside|find in|belongs to|connected with|know) |\()[A-Z]")
"""Words by which a page says where what it is about is."""
LEAD = 400
"""Characters at the beginning of a page that say what it is about."""
_DATED = re.compile(r"\((?:version|text|as) (?:of|from) ([^)]{4,40})\)|（(.{4,20})版）", re.IGNORECASE)
_ARCHIVES = ("archive.org/", "archive.today/", "archive.ph/", "archive.is/", "webcache.googleusercontent.com/")
_LINK = re.compile(r"\[([^\[\]]*)\]\((https?://[^()\s]+)\)")
_END = re.compile(
    r"(?<=[.!?。！？])(?<!\b[A-Z]\.)(?<!\bSt\.)(?<!\bDr\.)(?<!\bCo\.)(?:\s+|(?<=[。！？]))|(?<=\bCo\.)\s+(?=[A-Z“])"
)
_DATELINE = re.compile(r"^[A-Z][A-Z' .-]+, [^–—]{4,24} [–—] ")
_LISTED = re.compile(rf"^- \*\*(?=[^*]*(?:1\d\d\d|20\d\d|\d (?:{_MONTH})|(?:{_MONTH}) \d))[^*]{{4,24}}\*\*: ")
YEAR = re.compile(r"(?<![\w,.])(?:1\d\d\d|20\d\d)(?!\w|[.,]\d)")
_LATER = re.compile(
    r"(?:In )?(?:[A-Z][a-z]+ of )?(?:[Tt]he (?:very )?(same|following|next)|[Tt]hat (?:very |same )?) ?year\b|"
    r"((?:A|One)) year (?:later|after)\b"
)
_INVITES = re.compile("^(?:Meet|About|Visit|Visiting|Discover|Introducing|Inside|Around) ")
_GOES_ON = re.compile(r"(?:It|Its|He|His|She|Her|They|Their|This|That)\b")
_ONLY_LINK = re.compile(r"^- \[[^\]]*\]\([^()]*\)$")
ITEM = re.compile(r"^(?:- )?\*\*([^*]+)\*\*(?: \([^()]*\)(?=:))?[.:]? ?(.*)$")
FACT = re.compile(r"^- \*\*([^*]{2,40})\*\*: (.{1,120})$")
_YEARS = r"(?:1\d\d\d|20\d\d)\s*[–-]\s*(?:1\d\d\d|20\d\d|today|now|present)?"
_FACTS = re.compile(r"\*\*([^*]{2,40})\*\*: ([^·]{1,120}?)(?: ·|$)")
_HELD = re.compile(rf"^- (?:({_YEARS}): (.{{3,80}})|(.{{3,80}}) \(({_YEARS})\))$")
_SPEAKER = re.compile(r"^\*\*[^*]+\*\*(?: · [\d./ \w-]+)?$")
_QUESTION = re.compile(r"^(?:- )?\*\*(?:Q: ?)?([^*]+\?)\*\*$")
_ASIDE = re.compile(
    r"(?:Among (?:the )?other|Also (?:in|of|from) |Elsewhere |In the same |Not far |[^.,]{3,40} has (?:more|other) )"
)
"""What begins a paragraph beside the page's subject."""
_PREFIX = re.compile(r"^([^:.!?“”]{3,60}): (?=\S)")
_QUOTED = re.compile(r"“[^“”]*”|「[^「」]*」")
_SAID = re.compile(r": “[^“”]*[.!?]”(?=\s|$)")  # what somebody says, as the end of a sentence
NAMED_ITEM = re.compile(r"^- ([^:.()|*“”]{3,60}?)(?: \(([^()]{2,60})\))?: (?=\S)(.*)$")


class AboutSentence(NamedTuple):
    """A sentence of a page.

    Attributes:
        text: the sentence, without links and what is quoted.
        about: the name of whom it is about, as far as known: the last one named in its paragraph, section or title.
        named: whether that name stands in the sentence itself.
        asked: the question that stands above it; empty as a rule.
        person: whom a sentence that names nobody goes on about: the last one named in its paragraph, or the page's own.
        year: what its item in a list is dated, or "the same year" and "the following year" are; empty as a rule.
    """

    text: str
    about: str
    named: bool
    asked: str = ""
    person: str = ""
    year: str = ""


class TableCell(NamedTuple):
    """A cell of a table, or of a box about one thing: of a row's name, under a label, a value."""

    name: str
    label: str
    value: str


@lru_cache(maxsize=16_384)
def pattern(expression: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern with a name in it: more of them than :mod:`re` keeps are looked for again and again."""
    return re.compile(expression, flags)


def without_links(text: str) -> str:
    """A text whose links are their words.

    >>> without_links("by [Ann](https://a.example/x).")
    'by Ann.'
    """
    return _LINK.sub(r"\1", text)


def links_of(text: str) -> Iterator[tuple[str, str]]:
    """The links of a text: words and address."""
    for found in _LINK.finditer(text):
        yield found[1], found[2]


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph.

    >>> sentences("It was built by Ann F. Lee. It stands.")
    ['It was built by Ann F. Lee.', 'It stands.']
    """
    return [one for one in _END.split(text) if one]


def passages(
    title: str,
    text: str,
    names: Sequence[str],
    persons: Sequence[str] = (),
    titles: Collection[str] = (),
    subject: str = "",
) -> Iterator[AboutSentence]:
    """The sentences of a page, each with the one of some names that it is about, if it is about one.

    A sentence is about the one that it names; else about whom its section or the page is about; where it begins with a
    pronoun, or neither is about anyone, about the last one named in its paragraph. A heading that names none of them,
    but somebody else, takes the section away from the page's subject. Likewise with persons, of given full names.
    What the title does not name, the page may be about nevertheless (``subject``).
    """
    kin = endings(names)
    thing = thing_of(title, text)
    of_page = section = (thing if thing in names else "" if thing else _named(title, names, persons)) or subject
    if of_page and of_page != subject and not _is_meant(of_page, title, names, persons):
        of_page = ""
    section = of_page = _winner(of_page, title, text, names) or of_page
    own = next(iter(persons_in(title, persons, names, titles) if persons else ()), "")
    asked = title if title.endswith("?") or title.split(" ")[0] in _ASKING else ""
    for paragraph in re.split(r"\n+", text):
        if paragraph.startswith("#"):
            head = without_links(paragraph.lstrip("# "))
            section = _named(head, names, persons) or ("" if _is_name(head) else of_page)
            asked = head if head.endswith("?") else ""
            continue
        question = _QUESTION.match(paragraph)
        if question:
            section, asked = _named(question[1], names, persons) or of_page, question[1]
            continue
        if paragraph.startswith("|") or " | " in paragraph or " · **" in paragraph or _SPEAKER.match(paragraph):
            continue
        if _ONLY_LINK.match(paragraph):
            continue
        plain = without_links(_DATELINE.sub("", _LISTED.sub("", paragraph)))
        plain = _QUOTED.sub(" ", _SAID.sub(".", plain))
        about, person, aside, beside = section, own, "", False
        dated = _LISTED.match(paragraph)
        year = next(iter(YEAR.findall(dated[0])), "") if dated else ""
        item, listed = ITEM.match(plain), NAMED_ITEM.match(plain)
        if item:
            about = _named(item[1], names, persons) or ("" if _is_name(item[1]) else section)
            plain = item[2]
        elif listed and (_is_name(listed[1]) or listed[1] in names):
            item, about, plain = listed, _named(listed[1], names, persons), listed[3]
        plain = plain.removeprefix("- ")
        of_item = about if item else ""
        for sentence in sentences(plain):
            if len(sentence) > 1_000:
                continue
            prefix = _PREFIX.match(sentence)
            here = _named(_without_namesakes(sentence, names, persons), names, persons, titles)
            about = (aside or section) if section and not item and not _GOES_ON.match(sentence) else about
            about = of_item or about
            beside = beside or _ASIDE.match(sentence) is not None
            if here:
                about = here
                aside = here if beside and here != section else ""
            elif (prefix and _is_name(re.sub(r" \([^()]*\)$", "", prefix[1]))) or _only_within(sentence, names):
                about = ""
            elif any(ending(name) in kin for name in names_in(sentence)):
                about = ""  # another one of their kind
            people = persons_in(sentence, persons, names, titles) if persons else []
            later = _LATER.match(sentence)
            then = year if dated else ""
            if later and year:
                then = str(int(year) + (later[2] is not None or later[1] not in (None, "same")))
            yield AboutSentence(sentence, about, bool(here), asked, "" if people else person, then)
            person = people[-1] if people else person
            year = _latest(sentence) or year


def _winner(of_page: str, title: str, text: str, names: Sequence[str]) -> str:
    """Whom a page is about whose title has but whoever lost to it: what its first sentence begins with."""
    if not of_page or not pattern(rf"\b(?:of|over|by|to|against) {re.escape(bare(of_page))}").search(title):
        return ""
    lines = (
        one for one in without_links(text).splitlines() if one.strip() and not one.startswith(("|", "#", "- ", "By "))
    )
    first = _DATELINE.sub("", next(lines, ""))
    begins = [one for one in names if one != of_page and re.match(rf"(?:The )?{re.escape(bare(one))}\b", first)]
    return max(begins, key=len, default="") if mentions(first, of_page) else ""


def thing_of(title: str, text: str) -> str:
    """The title of a page which is what the page is about as a whole, though it ends in small letters; else empty.

    >>> thing_of("Hay station", "Hay station is a station in Hay."), thing_of("Hay in the rain", "Hay is a town.")
    ('Hay station', '')
    """
    small = title[:1].isupper() and title.rpartition(" ")[2].islower()
    return title if small and pattern(rf"\b{re.escape(title)} (?:is|was) an? ").search(text) else ""


def _latest(sentence: str) -> str:
    """The year that a sentence has come to: its last one, unless that is told as what went before."""
    years = YEAR.findall(sentence)
    before = bool(years) and re.search(rf"\b(?:since|from|after [a-z]+ing\b[^.,;]*? in) {years[-1]}", sentence)
    return max(years) if before else years[-1] if years else ""


_ASKING = ("Who", "What", "When", "Where", "Which", "How", "Why", "Whom", "Whose", "In", "To", "From", "At", "For")


def _is_meant(name: str, title: str, names: Sequence[str], persons: Sequence[str]) -> bool:
    """Whether a title that has a name tells of it: "Ann Corvo is new mayor" does not of Corvo, nor "All boats, Corvo".

    >>> _is_meant("Corvo", "Corvo is sold", [], []), _is_meant("Corvo", "All boats, Corvo", [], [])
    (True, False)
    """
    placed = " " not in name and pattern(rf"[a-z]s(?:,| in| of) {re.escape(name)}$").search(title)
    return not placed and mentions(_without_namesakes(title, names, persons), name)


def _without_namesakes(sentence: str, names: Sequence[str], persons: Sequence[str]) -> str:
    """A sentence without the persons whose surname is one of some names: Ann Corvo is no ferry."""
    for name in names:
        if " " not in name and name in sentence:
            known = [one for one in persons if one.endswith(f" {name}") and one not in names]
            for one in known:
                sentence = sentence.replace(one, "·")
            if known:
                sentence = pattern(rf"(?<![Tt]he )\b{re.escape(name)}\b").sub("·", sentence)
    return sentence


def _named(text: str, names: Sequence[str], persons: Sequence[str] = (), post: Collection[str] = ()) -> str:
    """The one of some names that a text has and is about: what a post (its words) is said to be of, else the one
    that is named first; a name within a longer one is not meant.

    >>> _named("Hay, where Ann Lee lived, mayor of Rye", ("Hay", "Rye"), ("Ann Lee",), ("Mayor",))
    'Rye'
    >>> _named("Hay Choir came to Rye.", ("Hay", "Rye"))
    'Rye'
    """
    found = [name for name in names if mentions(text, name)]
    if not found:
        return ""
    at = {one: place for one in found if (place := _place_of(one, text, found, persons)) >= 0}
    held = "|".join(sorted(map(re.escape, {word.casefold() for word in post})))
    of = {}
    for one in at if held else ():
        told = pattern(rf"(?i:\b(?:{held})) (?:of|at) (?:[Tt]he )?{re.escape(bare(one))}\b").search(text)
        if told:
            of[one] = told.start()
    return min(of or at, key=lambda one: ((of or at)[one], -len(one)), default="")


def _only_within(sentence: str, names: Sequence[str]) -> bool:
    """Whether a sentence has one of some names only as a part of a longer one, which it begins or is the subject of."""
    start = next(iter(names_in(f"x {_WHEN.sub('', sentence)}")), "")
    within = [one for one in names if start.startswith(f"{bare(one)} ") and start != bare(one)]
    return bool(within) and _WHEN.sub("", sentence).removeprefix("The ").startswith(start)


_WHEN = re.compile(r"^In (?:[A-Z][a-z]+ )?(?:1\d\d\d|20\d\d),? ")


def _place_of(name: str, text: str, names: Sequence[str], persons: Sequence[str]) -> int:
    """Where a name stands first in a text by itself, and not as a part of a longer one; -1: nowhere."""
    longer = [bare(one) for one in names if bare(name) in bare(one) and len(bare(one)) > len(bare(name))]
    for at in places_of(bare(name), text):
        rest = text[at + len(bare(name)) :]
        if any(one in text[max(0, at - len(one)) : at + len(one)] for one in longer):
            continue
        following = name_at(rest[1:]) if rest[:1] == " " else ""
        if not following or any(mentions(following, one) or mentions(one, following) for one in persons):
            return at
    return -1


def _is_name(text: str) -> bool:
    """Whether a text is a name as a whole: each word but those that join begins with a capital or a digit."""
    words = text.split()
    return len(words) > 1 and all(word[0].isupper() or word[0].isdigit() or word in _JOINS for word in words)


def cells_of(text: str, key: str, subject: str = "") -> Iterator[TableCell]:
    """The cells of a page's tables, boxes and lists.

    A table's first row are its labels, its first column the names of its rows, under no label or under ``key``; a box
    has one column beside its labels, and its name at the top. Lists are about the page's subject: of labels with their
    values, and under a heading of who was it in which years; tables of years likewise.

    >>> list(cells_of("| Corvo | |\\n| --- | --- |\\n| Fare | 3 pence |", "Name"))
    [TableCell(name='Corvo', label='Fare', value='3 pence')]
    >>> list(cells_of("## Keeper\\n- 1901–1912: Ann Lee", "Name", "Corvo"))
    [TableCell(name='Corvo', label='Keeper', value='Ann Lee (1901–1912)')]
    """
    header: list[str] = []
    heading = ""
    for line in text.splitlines():
        plain = without_links(line).strip()
        if plain.startswith("#"):
            heading = plain.lstrip("# ")
        if "|" not in plain:
            header = []
            if subject and plain.startswith("- "):
                yield from _item(plain, heading, subject)
            elif subject and plain.startswith("**") and " · **" in plain:
                yield from (TableCell(subject, found[1], found[2]) for found in _FACTS.finditer(plain))
            continue
        inner = plain[1:] if plain.startswith("|") else plain
        inner = inner[:-1] if plain.startswith("|") and inner.endswith("|") else inner
        row = [one.strip() for one in inner.split("|")]
        if all(set(one) <= {"-", ":", " "} and one for one in row):
            continue
        if not header:
            header = row
        elif len(header) == 2 and not header[1] and len(row) == 2:
            if header[0] or subject:  # a box without a name is about the page's subject
                yield TableCell(header[0] or subject, row[0], row[1])
        elif subject and len(row) == len(header) == 2 and re.fullmatch(_YEARS, row[0]):
            yield TableCell(subject, header[1], f"{row[1]} ({row[0]})")
        elif len(row) == len(header) and (not header[0] or header[0].casefold() == key.casefold()):
            yield TableCell(row[0], "", row[0])
            for label, value in zip(header[1:], row[1:], strict=True):
                yield TableCell(row[0], label, value)


def _item(line: str, heading: str, subject: str) -> Iterator[TableCell]:
    fact, held = FACT.match(line), _HELD.match(line)
    if fact and not _is_name(fact[1]) and not fact[2].endswith((".", "!", "?")) and not re.search(r"\d{4}", fact[1]):
        yield TableCell(subject, fact[1], fact[2])
    elif held and heading:
        yield TableCell(subject, heading, f"{held[2] or held[3]} ({held[1] or held[4]})")


def subjects_of(title: str, text: str) -> list[str]:
    """The names that a page may be about: those of its title that its beginning has too."""
    title = _INVITES.sub("", title)
    found = [one.name for one in cells_of(text, "")][:1]
    lead = text[: 3 * LEAD]
    firm = FIRM.match(title)
    if firm and ", " in firm[0]:
        return list(dict.fromkeys((*found, firm[0])))
    named = re.split(r": | – |, | \(|\?", title)[0]
    if " " in bare(named) and names_in(f"x {named}") in ((named,), (bare(named),)):
        about = re.sub(r"^[A-Z][a-z]+ (?:on|of|from|at) (?=[A-Z])", "", named)
        found.append(bare(about if about != named and named not in text and about in text else named))
    for run in names_in(title if title[:1].islower() else f"x {title}"):
        if (
            " " not in run
            and title.startswith(run)
            and not pattern(
                rf"\s[a-z][\w’'-]*,? {re.escape(run)}\b(?! [A-Z])|\bThe {re.escape(run)} (?:is|was) an?\b"
            ).search(text)
        ):
            continue  # a word of the language, which begins the title
        found += [one for one in (run, run.partition(" on ")[2]) if one and mentions(lead, one)][:1]
    return list(dict.fromkeys(found))


def version_of(title: str) -> str:
    """The date of a page that is an old version by its title; empty for the page of today."""
    found = _DATED.search(title)
    return (found[1] or found[2] or "") if found else ""


def allowed(url: str) -> bool:
    """Whether an address is no copy of a page that the task may block."""
    return not any(archive in url for archive in _ARCHIVES)
