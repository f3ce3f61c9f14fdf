"""What pages say of a table's cells, for a reader without a model: by words that go with a column, and by form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical.names import is_person, mentions, names_in, persons_in, places_of, untitled
from webenv.policies.hierarchical.pages import AboutSentence
from webenv.policies.hierarchical.values import _INCIDENTAL, _LIFE, _YEAR, NEITHER, cues_of, stem, words_of

_SAYS = re.compile(r"^[^\W\d_a-z][^:.]{1,40} (?:says|said|writes|wrote|adds|added): ")
_ELSEWHERE = re.compile(r"(?<!had )(?<!found )\b(?:at|in|into|near) (?:the )?$")
_GOES_ON = re.compile(r"\b(?:[Hh]e|[Ss]he|[Tt]hey)\b|^The new ")
"""Words for somebody named before."""
_TERM = re.compile(r"(1\d\d\d|20\d\d)(?:\s*[–-]\s*| (?:and|to|until|till|up to|through) )(1\d\d\d|20\d\d)")
_SINCE = re.compile(
    r"\b(?:since|from|after|elected in|chosen in|appointed in|(?:had|who) (?:come|came|arrived) in)\s+(1\d\d\d|20\d\d)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\bafter [a-z]+ing\b[^.,;]{0,60}? in (1\d\d\d|20\d\d)")
"""What came before what the sentence tells first: "left in 1963, after taking charge in 1956"."""
_UNTIL = re.compile(r"\b(?:until|till|up to)\s+(1\d\d\d|20\d\d)", re.IGNORECASE)
_BEGAN = re.compile(
    r"\b(?:becomes?|became|succeeded|appointed|named|chosen|chose|elected|sworn|promoted|replaced|takes|took|started|"
    r"began|arrived|joined|came|(?:got|has|had) a new|the new|given|went to|first year|voted|made|put in charge|hired|"
    r"engaged|picked|selected|taken on|assumed|entrusted)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:left(?! (?:foot|hand|side))|leaves|retired|resigned|stepped down|gave (?:it )?up|stood down|"
    r"handed (?:it )?over|last (?:year|season)|"
    r"ended|departed|laid down)\b",
    re.IGNORECASE,
)
_HIRED = re.compile(
    r"\b(?:work(?:ed|s|ing)|wages?|on the books|employed (?:him|her|them|[A-Z])(?!.{0,80}\bas (?!an? ))|"
    r"(?:was|were) employed|jobs?|position|in the (?:role|capacity) of|listed as|where (?:he|she|they) (?:was|were)|"
    r"(?:as|was|been) an? (?!matter)[a-z-]{1,20}(?: [a-z-]{1,20}){0,2}(?: (?:of|at|from|in|with|until|and)|,|\.)|"
    r"had work for|put in(?! (?:command|charge|office|the chair))|spent|passed|"
    r"with [^.]{0,60} as an?|(?:as|was) mayor|mayor (?:of|from|since)|"
    r"led the council|of the town)\b"
)
"""Words of somebody's work at something, which is the post only where a word of that is beside them."""
TAKING = re.compile(
    r"\b(?:(?:took|takes|taking|taken|given|in) (?:the )?(?:over|command|charge|office|chair|helm|post)|"
    r"led|headed|ran|governed|"
    r"ruled|directed|managed|commanded|chaired|entrusted to|in the hands of|had charge|responsible for|at the head|"
    r"head of|new (?:chief|head|leader|boss)|changed hands|direction of|leadership of|the work of|lay with|"
    r"to (?:take (?:on|over|charge)|lead|run|head|direct|make (?=[^\W\d_a-z]|him|her)))"
)
"""Words of whoever takes up a post or has it, whatever it is."""
_FOUNDED = re.compile(
    r"\b(?:[Ff]ound(?:ed|ing|er)|[Ee]stablished|set (?:it |us |them )?up|created|launch(?:ed)?|was started|opened|"
    r"started (?:the|our|an?|it|us|them)\b|(?:took on|won|got) (?:the|our|its) first|"
    r"started (?=[A-Z])|gave [^.]{0,60} (?:land|mill)|licen[cs]e|to thank|planted|"
    r"(?:started|took up|began) (?:to )?[a-z]{1,20}ing|began to|began with|came into being|there have been|"
    r"started (?:with|in)|first owner|[Ff]irst [a-z]{1,20} (?:under|was))\b"
)
"""Words of a beginning that is none of a post."""
_LESSER = re.compile(
    r"\b(?:youth|assistant|deputy|vice|acting|honorary|junior|departmental)[ -](?=[a-z])|"
    r"\b[a-z]+ of (?:an? |the )?(?:department|section|unit)\b"
)
"""Words before a post that is another one."""


@lru_cache(maxsize=256)
def post_cues(label: str) -> frozenset[str]:
    """What of :func:`words_of` speaks of a post: of a name of several words those before its noun, which trades have.

    >>> sorted(post_cues("Head brewer")), "=abbot" in post_cues("Abbot")
    (['head'], True)
    """
    *first, noun = label.casefold().partition(" of ")[0].split()
    return frozenset(map(stem, first)) if first else cues_of(label) | {f"={noun}"}


class TermOfOffice(NamedTuple):
    """Who held a post, since when, until when; a year that is not said is empty."""

    person: str
    since: str
    until: str


def terms(
    passage: AboutSentence,
    persons: Sequence[str],
    bodies: Sequence[str],
    titles: Collection[str] = (),
    cues: Set[str] = frozenset(),
) -> list[TermOfOffice]:
    """What a sentence about something says of those who were at it, and in which years.

    Args:
        passage: the sentence; one that names nobody is about the one before, or about whom the page is about.
        persons: full names that the page has, for surnames that stand alone.
        bodies: names that are none of a person.
        titles: words that may stand before a name, such as that of the post.
        cues: stems of words of the post; a sentence that has none says where else somebody was, if it names a place.
    """
    parts = re.split(r"(?<=[:;]) ", _INCIDENTAL.sub(" ", _SAYS.sub("", _LIFE.sub("", passage.text))))
    text = " ".join(one for one in parts if _YEAR.search(one) or not NEITHER.search(one))
    if NEITHER.search(text) or _LESSER.search(text) or (_HIRED.search(text) and not cues & words_of(text)):
        return []
    if not _TERM.search(text) and not _UNTIL.search(text) and len(set(_YEAR.findall(text))) > 1:
        clauses = [one for one in re.split(r", and |; ", text) if mentions(one, passage.about)]
        told = len(clauses) == 1 and _YEAR.search(clauses[0]) and persons_in(clauses[0], persons, bodies, titles)
        text = clauses[0] if told else text
    people = persons_in(text, persons, bodies, titles)
    elsewhere = [one for one in people if any(_ELSEWHERE.search(text[:at]) for at in places_of(one, text))]
    if elsewhere and not cues & words_of(text):
        return []
    people = [one for one in people if one not in elsewhere]
    people = [one for one in people if f" from {one}" not in text] or people
    if not people and passage.person and (_GOES_ON.search(text) or cues & words_of(text)):
        people = [passage.person]
    years = list(dict.fromkeys(_YEAR.findall(text)))
    if passage.year and passage.year not in years and len(years) < 2 and (not years or passage.year < years[0]):
        years.insert(0, passage.year)
    spans = _TERM.findall(text)
    if len(people) != 1 or len(years) > 3:
        return []
    if spans and int(spans[0][0]) < int(spans[0][1]):
        return [TermOfOffice(people[0], spans[0][0], spans[0][1])]
    since, until = _SINCE.search(text), _UNTIL.search(text)
    begun = {found[1] for found in (*_SINCE.finditer(text), *_AFTER.finditer(text))}
    if len(years) == 2 and (int(years[0]) < int(years[1]) or years[1] in begun):  # "2017 … since 1994"
        return [TermOfOffice(people[0], min(years), max(years))]
    if len(years) != 1:
        return []
    if _FOUNDED.search(text) and not until and not cues & words_of(text) and not TAKING.search(text):
        return []
    began, ended = _nearest(_BEGAN, text, years[0]), _nearest(_ENDED, text, years[0])
    if until or (ended > began and not since):
        return [TermOfOffice(people[0], "", years[0])]
    if since or began > ended:
        return [TermOfOffice(people[0], years[0], "")]
    return []


def _nearest(verbs: re.Pattern[str], text: str, year: str) -> int:
    """Where the last one of some verbs before a year ends; of those behind it the first, as a negative number."""
    at = text.find(year)
    ends = [found.end() for found in verbs.finditer(text)]
    before = [end for end in ends if end <= at]
    return max(before) if before else -min(ends) if ends else -10_000


def full_names(title: str, text: str, titles: Collection[str] = ()) -> list[str]:
    """The names of persons that a page has in full, that of its title first."""
    found: dict[str, None] = {}
    for line in (title, *text.splitlines()):
        if not line.startswith("- ["):
            runs = (untitled(name, titles) for name in names_in(_BEGINS.sub("", _unlinked(line))))
            found.update(dict.fromkeys(name for name in runs if is_person(name)))
    return list(found)


_BEGINS = re.compile(r"^[A-Z][a-z]+ing (?=[A-Z][\w’'-]+ [A-Z])")
"""A verb before a name: "Remembering Ann Lee"."""


def _unlinked(line: str) -> str:
    return re.sub(r"\[([^\[\]]*)\]\([^()\s]+\)", r"\1", line)


# ── values ────────────────────────────────────────────────────────────────────
