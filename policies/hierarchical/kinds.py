"""What pages say things are: which of them are of the kind that a table is about, for a reader without a model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from webenv.policies.hierarchical.messages import LINES, Subtask, cell
from webenv.policies.hierarchical.names import (
    FIRM,
    HELD_SIGNS,
    bare,
    endings,
    is_body,
    is_person,
    mentions,
    names_in,
    of_kind,
    somebody,
    told_of,
)
from webenv.policies.hierarchical.pages import LEAD, pattern, sentences, subjects_of
from webenv.policies.hierarchical.tables import Wanted

WITHIN = "place"
"""The column of statements that say in which of the places asked for a smaller one lies."""

SEEN = "named on"
"""The column of statements that a page names something which may be a row: :data:`OWN`, :data:`KIND`, :data:`TOLD`,
:data:`POST` or :data:`OTHER`; the quote is the page's beginning, or the sentence that says where it is."""

OWN, KIND, TOLD, POST, OTHER = "its page", "its page, of the kind", "of the kind", "has the post", "named"

PAIR = " | "
"""What joins the names of a key of two columns: what a post is held at, and by whom."""

_HELD = re.compile(
    r"\b(?:charge of|head of|headed|led|ran|directed|took over|the first team of|commanded|governed|came to|joined|"
    r"(?:[Aa]s|was|became|made|named|chosen|been) (?:its |the )?[a-z]+(?: [a-z]+)? (?:of|at)) (?:the |The )?"
    r"(?=[^\W\d_a-z])"
)
_ONLY_LINK = re.compile(r"^- [^.:]+$")


TOWNS = ("town", "village", "city", "municipality")


def lists(wanted: Wanted, title: str) -> bool:
    """Whether a title has the kind in the plural, which is not the end of a name."""
    plural = wanted.plural
    return re.search(rf"\b{re.escape(plural)}\b|^{re.escape(plural.capitalize())}\b", title) is not None


def members_of(wanted: Wanted, title: str, text: str, rows: Sequence[str]) -> list[str]:
    """The names of a list, if it is one of the kind in one of the places; without a region, also what a page is about
    that says that it is one of the kind there."""
    intro = f"{title}\n{re.sub(r'^#.*', '', text.partition('|')[0], flags=re.MULTILINE)[:LEAD]}"
    low, other = intro.casefold(), re.search(r"\b(?:is|was) an? ([a-z -]{3,40}?) (?:in|on|from|of|near)\b", intro)
    one = wanted.kind in low and not (other and wanted.kind not in other[1])  # of another kind, beside its likes
    of_the_kind = wanted.plural.casefold() in low or one
    there = any(mentions(intro, place) for place in wanted.places)
    names = (row for row in rows if not re.search(r"\(\d+\)$", row))
    return list(dict.fromkeys(names)) if rows and of_the_kind and there else []


def seen_on(task: Subtask, wanted: Wanted, title: str, text: str, towns: Collection[str]) -> list[tuple[str, str, str]]:
    """What may be rows, with what the page says of where it is: whom the page is about, what a sentence says is of the
    kind or has the post, and others there whose names end as those of the kind do."""
    if not wanted.region:
        return []
    lines = [
        one for one in text.splitlines() if one.strip() and not one.startswith(("|", "#", "- ", "By ", "Words by"))
    ]
    lead = cell(" ".join((title, *lines[:2])))
    listing = lists(wanted, title)
    own = [one for one in subjects_of(title, text) if mentions(title, one) or mentions(lead, one)]
    own = [] if listing else own
    own = [one for one in own if one.casefold() not in (wanted.kind, wanted.plural.casefold())]
    own = [told_of(one, task.others, towns) or one for one in own]
    kin = endings(task.others)
    own = [one for one in own if one not in towns or says(one, wanted.kind, lead)]
    own = [one for one in own if _is_thing(one, wanted, kin, text, lead)][:1]
    found = {name: (KIND if _of_the_kind(name, wanted, title, text, lead) else OWN, lead) for name in own}
    for name in own:
        placed = next((one for line in lines for one in sentences(line) if is_placed(name, one)), "")
        found[name] = (found[name][0], cell(f"{placed} {lead}"))
    for how, name, told in (one for line in lines for one in told_of_kind(wanted, line)):
        if name not in found and name.casefold() != wanted.kind and not somebody(name, text):
            found[name] = (how, cell(told))
    prose = [line for line in text.splitlines() if not _ONLY_LINK.match(line)]
    every = dict.fromkeys(name for line in prose for name in names_in(line))
    held = {name for line in prose for name in _held(line, wanted.kind)} if wanted.keys == 2 else set()
    others = [one for one in every if not is_person(one) and of_kind(one, kin, wanted.kind) and one not in found]
    others += [one for one in held if one not in found and one not in others and one not in towns]
    others = [one for one in others if not any(mentions(one, two) for two in (*own, *task.others) if two != one)]
    return [
        *((name, how, told) for name, (how, told) in found.items()),
        *((one, OTHER, lead) for one in others[:LINES]),
    ]


def _held(line: str, kind: str) -> Iterator[str]:
    """The names of what somebody had, led or took over, of whatever kind; none that goes on with the word of another
    kind, as in "Mill Road station".

    >>> list(_held("She took over Mill Road station.", "ferry")), list(_held("She took over Mill Light.", "lamp"))
    ([], ['Mill Light'])
    """
    for found in _HELD.finditer(line):
        name = next(iter(names_in(f"x {line[found.end() : found.end() + 80]}")), "")
        following = line[found.end() + len(name) :].lstrip().partition(" ")[0].rstrip(".,;:")
        other = following != kind and is_body(following)
        if " " in name and line.startswith(name, found.end()) and not is_person(name) and not other:
            yield name


def _is_thing(name: str, wanted: Wanted, kin: Mapping[str, int], text: str, lead: str) -> bool:
    """Whether a name that may be somebody's is not: others of the kind end so, or the page says what it is or "us"."""
    if not is_person(name) or of_kind(name, kin, wanted.kind) or says(name, wanted.kind, lead):
        return True
    stands = (
        rf"\b{re.escape(name)} (?:is|was) an? [a-z -]{{3,40}}? (?:in|on|near|outside|just) |"
        rf"\bThe {re.escape(name)}\b(?! [A-Z])"
    )
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
    return (
        wanted.keys == 2
        and wanted.kind not in TOWNS
        and titled
        and called > 0
        and called + len(re.findall(rf"\b{post}\b", text, re.I)) > 2
    )


def noun_of(name: str, text: str) -> str:
    """What a text says that something is: the noun with the words before it; empty where it does not.

    >>> noun_of("Corvo", "The Corvo was a steam ferry from Harwell. Corvo is old.")
    'steam ferry'
    >>> noun_of("Corvo", "Hotel Corvo was a hotel in Corvo.")
    ''
    """
    if bare(name) not in text:
        return ""
    is_one = pattern(
        rf"(?:\b([^\W\d_a-z][\w’'-]*,?|in|of|from|at|near) )?\b{re.escape(bare(name))}(?:, [A-Z]\w+)?(?: \([^()]*\))?"
        rf"(?: (?:is|was|remains)|: we are|,) an? ((?:[a-z-]+ ){{0,3}}?[a-z-]+)"
        r"(?=[,.]| (?:in|of|on|at|near|just|close|outside|from|for|by|which|that|with)\b)"
    )
    # behind another capital it is the end of a longer name, as of a hotel in a town; a title is that of the page; and
    # "from Hay, a cook" says nothing of Hay
    own = (
        one[2]
        for one in is_one.finditer(text)
        if not one[1] or one[1] in ("The", *name.split()) or text[: one.start(1)].endswith("page ")
    )
    return next(own, "")


def is_placed(name: str, sentence: str) -> bool:
    """Whether a sentence says what and where something is.

    >>> is_placed("Corvo", "The Corvo is a ferry from Harwell in Ayshire.")
    True
    """
    if bare(name) not in sentence:
        return False
    placed = rf"{re.escape(bare(name))} (?:is|was) an? [^.]{{0,80}}? (?:in|of|from|at|near) [A-Z]"
    return pattern(placed).search(sentence) is not None


def told_of_kind(wanted: Wanted, line: str) -> Iterator[tuple[str, str, str]]:
    """The names of which a line says that they have the post (:data:`POST`), or are of the kind (:data:`TOLD`); with
    the sentence."""
    if wanted.keys == 2 and re.search(rf"\b{re.escape(wanted.columns[1])} of ", line, re.IGNORECASE):
        post = re.compile(rf"\b{re.escape(wanted.columns[1])} of (?:the )?", re.IGNORECASE)
        for sentence in sentences(line):
            for found in post.finditer(sentence):
                name = next(iter(names_in(f"x {sentence[found.end() :]}")), "")
                if name and sentence.startswith(name, found.end()):
                    yield POST, name, sentence
    is_one = rf"\b(?:The )?({FIRM.pattern}|[A-Z][^.,;:!?]{{1,60}}?) (?:is|was) an? {re.escape(wanted.kind)}\b"
    for found in pattern(is_one).finditer(line):
        if names_in(f"x {found[1]}") == (found[1],) or FIRM.fullmatch(found[1]):
            yield TOLD, found[1], line[found.start() : line.find(".", found.end()) + 1 or None]


_NO_NOUN = (
    r"(?-i:(?! (?!(?:in|of|on|at|near|from|for|by|with|and|but|or|that|which|who|whose|where|when|just|close|outside|"
    r"to|as|is|was|between|above|below|under|since)\b|[a-z]+(?:ed|ing|ly|wn)\b)[a-z]))"
)
"""What ends a name of a kind: "a town hall" is no town."""


def says(name: str, kind: str, lead: str) -> bool:
    """Whether the beginning of a page says that something is of a kind; "a hotel in Redmarch" says nothing of Redmarch,
    nor "the club of Hay is a curling club" of Hay, nor "Ann Lee plans a hotel" of Ann Lee."""
    article = "an?" if kind in TOWNS else "(?:an?|the)"
    named, of_kind_ = re.escape(name), rf"\b{article} (?:[\w-]+ )?{re.escape(kind)}\b{_NO_NOUN}"
    is_one = r"(?<! of )(?<! in )(?<! at )(?<! near )"
    is_one += rf"(?<!{HELD_SIGNS[0]} )"
    is_one += (
        rf"{named}(?! (?-i:[A-Z]))(?:[^.\n]{{0,60}}\b(?:is|was|became|remains|we are)|,| –| \([^()\n]*\),?) {of_kind_}"
    )
    called = rf"{of_kind_},? (?:called |named )?[“\"]?{named}"
    return name in lead and pattern(f"{is_one}|{called}", re.IGNORECASE).search(lead) is not None
