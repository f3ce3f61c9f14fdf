"""What pages say of a table's cells, for a reader without a model: by words that go with a column, and by form."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical.kinds import TOWNS
from webenv.policies.hierarchical.names import is_person, mentions, names_in, persons_in, places_of, untitled
from webenv.policies.hierarchical.pages import AboutSentence
from webenv.policies.hierarchical.values import _INCIDENTAL, _LIFE, _YEAR, NEITHER, cues_of, stem, stems_of, words_of

_SAYS = re.compile(r"^[^\W\d_a-z][^:.]{1,40} (?:says|said|writes|wrote|adds|added): ")
_ELSEWHERE = re.compile(r"(?<!had )(?<!found )\b(?:at|in|into|near) (?:the )?$")
_GOES_ON = re.compile(r"\b(?:[Hh]e|[Ss]he|[Tt]hey)\b|^The new ")
"""Words for somebody named before."""
_TERM = re.compile(r"(1\d\d\d|20\d\d)(?:\s*[–-]\s*| (?:and|to|until|till|up to|through) )(1\d\d\d|20\d\d)")
_SINCE = re.compile(
    r"\b(?:since|from|after|elected in|chosen in|appointed in|"
    r"(?:had|who) (?:come|came|arrived|started|begun|joined) in)\s+(1\d\d\d|20\d\d)",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\bafter [a-z]+ing\b[^.,;]{0,60}? in (1\d\d\d|20\d\d)")
"""What came before what the sentence tells first: "left in 1963, after taking charge in 1956"."""
_UNTIL = re.compile(r"\b(?:until|till|up to)\s+(1\d\d\d|20\d\d)", re.IGNORECASE)
_BEGAN = re.compile(
    r"\b(?:becom(?:es?|ing)|became|succeeded|appointed|named|chosen|chose|elected|sworn|promoted|replaced|takes|took|"
    r"started|began|arrived|joined|came(?! (?:upon|across|to light))|"
    r"(?:got|has|had) a new|the new|given|went to|first year|voted|made|"
    r"put in charge|hired|engaged|picked|selected|taken on|assumed|entrusted|"
    r"will be (?:leading|heading|running)|"
    r"(?:will|is to|was to|to) (?:lead|head|run))\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:left(?! (?:foot|hand|side))|leaves|retired|resigned|stepped down|gave (?:it )?up(?! an?\b)|stood down|"
    r"handed (?:it )?over|last (?:year|season)|"
    r"ended|departed|laid down)\b",
    re.IGNORECASE,
)
_HIRED = re.compile(
    r"\b(?:work(?:ed|s|ing)(?! with (?:an? |the )?[a-z])|wages?|on the books|"
    r"employed (?:him|her|them|[A-Z])(?!.{0,80}\bas (?!an? ))|"
    r"(?:was|were) employed|(?<!the )jobs?|position|in the (?:role|capacity) of|listed as|"
    r"where (?:he|she|they) (?:was|were)|"
    r"(?:as|was|been) an? (?!matter)[a-z-]{1,20}(?: [a-z-]{1,20}){0,2}(?: (?:of|at|from|in|with|until|and)|"
    r"(?:(?<=er)|(?<=or)|(?<=ist)|(?<=man)|(?<=cook)|(?<=clerk)|(?<=nurse))(?=[,.]))|"
    r"at the (?:controls|wheel|tiller|oars)|had work for|put in(?! (?:command|charge|office|the chair))|"
    r"(?:spent|passed) (?:[a-z]+ ){0,3}(?:years?|months?|seasons?|decades?|time)|"
    r"with [^.]{0,60} as an?|(?:as|was) mayor|mayor (?:of|from|since)|"
    r"led the council|of the town)\b"
)
"""Words of somebody's work at something, which is the post only where a word of that is beside them."""
TAKING = re.compile(
    r"\b(?:(?:took|takes|taking|taken|given|in) (?:the )?"
    r"(?:over(?! (?:an?|the) (?:[a-z]+ )?(?:building|house|rooms|premises)\b)|"
    r"command|charge|control|office|chair|helm|post)|in the care of|looked after|the head(?=,| from| since| until)|"
    r"led|headed|ran|governed|(?:leading|heading|running) (?=[^\W\d_a-z]|the )|run by|"
    r"(?:left|held|holds|resigned|vacated|gave up) (?:the|his|her|their|that) "
    r"(?:post|office|chair)(?! (?:of|for|in) [a-z])|"
    r"ruled|directed|managed|commanded|chaired|entrusted to|in the hands of|had charge|responsible for|at the head|"
    r"head of|new (?:chief|head|leader|boss)|changed hands|direction of|leadership of|the work of|lay with|"
    r"to (?:take (?:on|over|charge)|lead|run|head|direct|make (?=[^\W\d_a-z]|him|her)))"
)
"""Words of whoever takes up a post or has it, whatever it is."""
_IN_CHARGE = re.compile(
    r"\b(?:in charge|(?:took|taken|given) (?:over|charge|command)|changed hands|new (?:head|chief|leader|boss))\b"
)
"""Words of a post that leave no doubt, whatever work is told beside them."""
_FOUNDED = re.compile(
    r"\b(?:[Ff]ound(?:ed|ing|er)|[Ee]stablished|set (?:it |us |them )?up|created|launch(?:ed)?|was started|opened|"
    r"start(?:ed)? (?:the|our|an?|it|us|them)\b|(?:took on|won|got) (?:the|our|its) first|"
    r"started (?=[A-Z])|gave [^.]{0,60} (?:land|mill)|licen[cs]e|to thank|planted|"
    r"(?:started|took up|began) (?:to )?[a-z]{1,20}ing|began to|began with|came into being|there have been|"
    r"started (?:with|in)|first owner|[Ff]irst [a-z]{1,20} (?:under|was))\b"
)
"""Words of a beginning that is none of a post."""
_INDEFINITE = re.compile(r"\b[Aa]n? ((?:[a-z]+ )?[a-z]+)\b")
"""Somebody who is not said: "a new keeper"."""
_CALLED = re.compile(r"(?<![\w’'-])([^\W\d_a-z][\w’'-]+), its [a-z]+(?: [a-z]+)?,")
"""Somebody with what they are to something: "Ann Lee, its engineer, took charge"."""
_DESIGNS = re.compile(
    r"\b(?:designs?|designed|architect|blueprints?|(?:the|whose|his|her|their|its) plans?|drawn|"
    r"drawing[ -]boards?|slide rule|drawings (?:bear|are|is))\b"
)
"""Words of whoever drew the plans of something, and has no post there."""
_ITS_OWN = re.compile(
    r", which (?:started|began|opened|closed|lasted|ran|ended|was|were|had)\b(?!.{0,200}\b(?:he|she|they)\b)[^,.;]*"
)
"""What is said of a thing that somebody was at: its years are not those of a post."""
_TALLY = re.compile(r"\b\d+ [a-z]+ (?:up to|until|by) (?:1\d\d\d|20\d\d)\b")
"""How much there was of something by a year: "67 goals up to 1985"."""
_LESSER = re.compile(
    r"\b(?:youth|assistant|deputy|vice|acting|honorary|junior|departmental)[ -](?=[a-z])|"
    r"\b[a-z]+ of (?:an? |the )?(?:department|section|unit)\b"
)
"""Words before a post that is another one."""


_GOVERNING = re.compile(
    r"\b(?:elect(?:s|ed|ion)|voters|govern(?:s|ed)|(?:in|left|held|took|takes) office|sworn in|"
    r"council was|(?:head of|headed|led|ran|chaired) the (?:town|city|council)\b|"
    r"(?:into|over|wins?|won|takes?|runs?|led) (?:the )?town hall|"
    r"town hall\b[^.,;]{0,30}\b(?:led|headed|run|held) by)\b"
)
"""Words of whoever governs a town; elections that have a name are of other posts too."""


_UNDER_HEAD = re.compile(r"\bhead (?:[a-z]+(?:er|or|ist|man|smith)|cook|clerk)\b", re.IGNORECASE)
"""Somebody who is head of a trade: no head of what they work for."""


_GAP = re.compile(r"(?<=[a-z])[ -](?=[a-z])")
_LONG = 10  # letters of a post, and more, that may be written in two words: "station master"


class PostCues(NamedTuple):
    """What speaks of a post: words that go with it (of :func:`words_of`), and of a town's all words of government."""

    words: frozenset[str]
    governs: bool = False

    def spoken_in(self, text: str) -> bool:
        """Whether a text has one of them.

        >>> post_cues("Mayor", "town").spoken_in("The voters chose Ann Lee in 1950.")
        True
        """
        plain = _UNDER_HEAD.sub(" ", text) if "=head" in self.words else text
        compound = _GAP.sub("", plain.casefold())  # "station master"
        return (
            not self.words.isdisjoint(words_of(plain))
            or any(one[0] == "=" and len(one) > _LONG and one[1:] in compound for one in self.words)
            or (self.governs and _GOVERNING.search(text) is not None)
        )


@lru_cache(maxsize=256)
def post_cues(label: str, kind: str = "") -> PostCues:
    """What speaks of a post: of a name of several words those before its noun, which trades have; a family of words
    that has the kind too, as librarians and libraries are of one, tells nothing.

    >>> sorted(post_cues("Head brewer").words), sorted(post_cues("Librarian", "library").words)
    (['head'], ['=librarian', '=librarians'])
    """
    *first, noun = label.casefold().partition(" of ")[0].split()
    whole = frozenset((f"={noun}", f"={noun}s"))
    if first:
        return PostCues(frozenset(map(stem, first)) - stems_of(kind) or whole, kind in TOWNS)
    return PostCues((cues_of(label) - stems_of(kind)) | whole, kind in TOWNS)


NO_CUES = PostCues(frozenset())


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
    cues: PostCues = NO_CUES,
) -> list[TermOfOffice]:
    """What a sentence about something says of those who were at it, and in which years.

    Args:
        passage: the sentence; one that names nobody is about the one before, or about whom the page is about.
        persons: full names that the page has, for surnames that stand alone.
        bodies: names that are none of a person.
        titles: words that may stand before a name, such as that of the post.
        cues: words of the post; a sentence that has none says where else somebody was, if it names a place.
    """
    parts = re.split(r"(?<=[:;]) ", _INCIDENTAL.sub(" ", _SAYS.sub("", _LIFE.sub("", passage.text))))
    text = _ITS_OWN.sub("", " ".join(one for one in parts if _YEAR.search(one) or not NEITHER.search(one)))
    hired = _HIRED.search(text) and not (cues.spoken_in(text) or _IN_CHARGE.search(text))
    if NEITHER.search(text) or _LESSER.search(text) or hired or _of_a_thing(text, cues):
        return []
    if (_DESIGNS.search(text) or _TALLY.search(text)) and not (cues.spoken_in(text) or TAKING.search(text)):
        return []
    if not _TERM.search(text) and not _UNTIL.search(text) and len(set(_YEAR.findall(text))) > 1:
        clauses = [one for one in re.split(r", and |; ", text) if mentions(one, passage.about)]
        told = len(clauses) == 1 and _YEAR.search(clauses[0]) and persons_in(clauses[0], persons, bodies, titles)
        text = clauses[0] if told else text
    people = persons_in(text, persons, bodies, titles)
    elsewhere = [one for one in people if any(_ELSEWHERE.search(text[:at]) for at in places_of(one, text))]
    if elsewhere and not cues.spoken_in(text):
        return []
    people = [one for one in people if one not in elsewhere]
    people = [one for one in people if f" from {one}" not in text] or people
    called = _CALLED.search(text)
    if called and not cues.spoken_in(text) and any(called[1].endswith(one.split()[-1]) for one in people):
        return []
    someone = any(cues.spoken_in(found[1]) for found in _INDEFINITE.finditer(text))
    if not people and passage.person and (_GOES_ON.search(text) or cues.spoken_in(text)) and not someone:
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
    if _FOUNDED.search(text) and not until and not cues.spoken_in(text) and not TAKING.search(text):
        return []
    began, ended = _nearest(_BEGAN, text, years[0]), _nearest(_ENDED, text, years[0])
    if until or (ended > began and not since):
        return [TermOfOffice(people[0], "", years[0])]
    if since or began > ended:
        return [TermOfOffice(people[0], years[0], "")]
    return []


def _of_a_thing(text: str, cues: PostCues) -> bool:
    """Whether the one year of a sentence is in a clause apart that tells of a thing, and of nobody there: "A field gave
    up a pot of coins in 2005; Ann Lee was in charge"."""
    dated = [one for one in text.split("; ") if _YEAR.search(one)]
    if len(dated) != 1 or "; " not in text or dated[0].startswith(("that ", "this ", "it ")):
        return False
    someone = persons_in(dated[0]) or _GOES_ON.search(dated[0]) or cues.spoken_in(dated[0])
    return not (someone or TAKING.search(dated[0]))


def new_holder(
    passage: AboutSentence, persons: Sequence[str], bodies: Sequence[str], titles: Collection[str], cues: PostCues
) -> str:
    """Whom a sentence without a year says to take up the post; empty: nobody, or several."""
    text = passage.text
    if _YEAR.search(text) or NEITHER.search(text) or _LESSER.search(text) or not cues.spoken_in(text):
        return ""
    people = persons_in(text, persons, bodies, titles) if _BEGAN.search(text) or TAKING.search(text) else []
    return people[0] if len(people) == 1 else ""


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
