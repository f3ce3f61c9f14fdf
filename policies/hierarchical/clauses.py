"""Questions that describe a name by a chain of clauses, in which letters stand for names: taken apart, and compared
with what pages say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical import chinese
from webenv.policies.hierarchical.names import word_families

_LETTERED = re.compile(r"(?<![A-Za-z])([A-Za-z]+) ([A-H])\b")
_ASKED = re.compile(
    r"\b(?:name|called) (?:is |of ){0,3}(?:the )?([a-z ]{1,60}) ([A-H])\?|What is ([a-z ]{1,60}) ([A-H]) called\?"
)
_SPLIT = re.compile(r"(?<=[.!?]) (?=[\"“‘\d]|[^\W\d_a-z])")
_CHINESE_ASKED = re.compile(
    f"([^，。；：、？]{{1,12}})([{chinese.LETTERS}])(?:叫什么|的名字是|名叫什么|是谁)[^，。]{{0,6}}？"
)
_INITIAL = re.compile(r"[A-Z][\w’'-]{0,60} [A-Z]\.$|\b(?:St|Dr|Mr|Mrs|Co)\.$")
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_](?:[\w’'-]*\w)?")
_STEM = 5
_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        re.findall(
            r"[a-z]+",
            """
            one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
            eighteen nineteen twenty
            """,
        ),
        start=1,
    )
}
_LACKING = 0.3  # what it costs that a clause's own words are not there
_OWN = 2.0  # what a word weighs that no family has: "pewter", "limericks"
_FUNCTION = frozenset(
    re.findall(
        r"[a-z]+",
        """
        a an and are as at be been being but by for from had has have he her his how i in into is it its
        of on once one or she so than that the their them then there they this to was we were what when
        where which while who whom whose why with after before during until till since up as also both
        """,
    )
)
_FAMILIES = """
    taught teach teacher pupil pupils student studied trained apprentice mentor lessons instructed tutor under
    quarrelled quarrel broke fell feud dispute row rift enemy speaking hostile
    married marry wife husband spouse wedding wed marriage bride groom
    born birth birthplace native cradle came raised grew baptised
    died death dead buried burial deathbed end passed
    moved move settled transferred went relocated
    retired retirement retire retiring pension last
    worked work job employed employer employee joined staff kept hired career served colleague
    colleague colleagues together beside side partner collaborated shared jointly worked pair
    founded founder founders established started begun began set created opened begot father launched formed
    designed design designer architect drew drawn plans drawings engineer planned devised
    built builder contractor erected constructed building made construction
    owned owner bought belonged belongs acquired purchased property sold sale
    wrote author written writer book published novel pen
    edited editor editorship chief
    led leader head headed directed director run ran managed manager charge chaired helmed principal
    conducted conductor baton conducting
    mayor council councillor elected election stood candidate sat ran
    lived home house resided address dwelt living old
    won award prize medal winner honour
    recorded record recording artist album sang performed
    produced producer production studio
    discovered found finder detected first seen spotted
    described description describer species
    wore hat wearing dressed appeared received
    tested test tests testing tried
    manufactured made maker make makes produced built works
    gave patron donated gift supported grant money sponsor given
    bequest left legacy will bequeathed inherited owner heir
    lent loan loans financed money bank credit
    used uses user bought running use
    largest employer workers jobs employed took
    defended defendant accused charged sued against court account
    judged judge presided bench court ruled
    fined fine penalty paid court
    member trustee club chairman treasurer secretary belonged friends society
    adapted adaptation stage put
    setting set scene takes place
    manuscript papers
    stayed visit visited guest weeks stay
    transferred transfer signed signing joined left
    chef cook kitchen
    keeper kept guardian care
    captain skipper commanded command
    performed played premiere stage
    owner owners ran
    mother father parents son daughter
    caught arrested
    cost came price paid spent bill
    height tall high lies above
    famed known famous noted renowned celebrated
    twinned partnership partner twin
    debt debts owed
    printed print found copy
    taught teach teacher trained learned profession lessons assistant influence took apprentice
    quarrelled quarrel broke dispute words argued
    together joined forces partnership jointly
    retired retirement stopped left room last years
    worked work moved found post job employed hired staff
    recorded record album brought released release singer disc songs
    produced producer owes sound
    performed performance sang played audience stage
    director directed led run ran charge hands took over appointed job
    stationmaster run ran looked appointed cap charge station took over
    mayor governed council chain office charge elected sworn
    manager managed run ran charge took over appointed
    keeper looked charge light appointed
    editor edited charge paper chair
    president chairman head headed led run bank charge chair
    gardener head charge beds
    founded founder bought started begged put opened came first
    laid planned turned drew gardener landscape ground
    owns own owner hangs hang belongs keeps kept gift bought
    painted painter painting brush finished picture canvas work
    review reviewed critic called found stars printed wrote
    counsel lawyer appeared plaintiff defended prosecuted barrister spoke
    money gave paid marks crowns pounds dollars went sum campaign supported
    lost broke loss bankrupt money failed
    sponsored sponsor paid money paying brought
    refers alludes answer nods quotes reply
    born came native raised
    modelled model copy copied after pattern
    wrote author writer book pamphlet published title
    lived house flat lodgings room stayed went months
    discovered found seen spotted
    headed head chief led run director
    adapted stage version adaptation
    visited visit stayed toured
    built builders contractor built laid put
"""


class LinkClause(NamedTuple):
    """A clause of a question.

    Attributes:
        number: its place, from 0; what statements about it call it.
        text: as the question has it.
        source: the place of the entity that it is about.
        target: the place of the one that it leads to, the next; ``source`` itself where it only describes.
    """

    number: int
    text: str
    source: int
    target: int

    @property
    def links(self) -> bool:
        """Whether it leads from one entity to another."""
        return self.source != self.target


class ChainQuestion(NamedTuple):
    """A question whose clauses lead from entity to entity.

    Attributes:
        kinds: of each entity what it is: ``person``, ``curling club``.
        clauses: in order.
        asked: the place of the entity whose name is the answer.
    """

    kinds: tuple[str, ...]
    clauses: tuple[LinkClause, ...]
    asked: int

    def query(self, clause: LinkClause, name: str = "") -> str:
        """What to search for: a name that is known, and the words of a clause; the kinds of those without a name."""
        if chinese.is_chinese(clause.text):
            named = [self.kinds[place] for place in (clause.source, clause.target)]
            words = (*([name] if name else []), *chinese.words_in(clause.text))
            return " ".join(dict.fromkeys((*words, *(one for one in named if one != "person"))))
        text = _LETTERED.sub(lambda found: "" if found[1].lower() == "person" or name else found[1], clause.text)
        kept = [one for one in _WORD.findall(text) if one.casefold() not in _FUNCTION and len(one) > 1]
        named = [self.kinds[place].rpartition(" ")[2] for place in (clause.source, clause.target)] if name else []
        return " ".join(
            dict.fromkeys((*([name] if name else []), *kept, *(one for one in named if one not in ("", "person"))))
        )

    def own(self, clause: LinkClause) -> str:
        """The words of a clause that are its own, without those that say what sort of link it is."""
        weights = weights_of(clause.text)
        if chinese.is_chinese(clause.text):
            words = chinese.words_in(clause.text)
            return " ".join(one for one in words if max(map(weights.__getitem__, weights_of(one)), default=0) >= _OWN)
        return " ".join(word for word in self.query(clause).split() if weights.get(stem(word), 0.0) >= _OWN)


@lru_cache(maxsize=256)
def read_chain(question: str) -> ChainQuestion | None:
    """A question taken apart into clauses; ``None`` where no letters stand for names.

    A clause that names a letter for the first time leads to it, from the one before; one that names none is about the
    last one. Where a letter was never told, the clause before it led there.

    >>> read = read_chain("Club A fell silent in 1990. Person B ran club A. Person B moved to town C. What is the name "
    ...                   "of town C?")
    >>> read.kinds, [(one.source, one.target) for one in read.clauses], read.asked
    (('club', 'person', 'town'), [(0, 0), (0, 1), (1, 2)], 2)
    """
    first = question.strip().splitlines()[0] if question.strip() else ""
    if found := _CHINESE_ASKED.search(first):
        return _read_chinese(first, found)
    asked = _ASKED.search(first)
    letters = sorted({found[2] for found in _LETTERED.finditer(first)})
    if asked is None or not letters or not set(letters) <= set("ABCDEFGH"):
        return None
    last = ord(asked[2] or asked[4]) - ord("A")
    told = [
        (text, {ord(found[2]) - ord("A") for found in _LETTERED.finditer(text)})
        for text in _sentences(first[: asked.start()].rpartition(". ")[0] + ".")
    ]
    clauses = _led(told, last, begins="A" in letters)
    if {one.target for one in clauses if one.links} != set(range(1, last + 1)):
        return None
    kinds = [_kind(chr(ord("A") + place), first) for place in range(last + 1)]
    kinds[last] = (asked[1] or asked[3]).strip()
    return ChainQuestion(tuple(kinds), tuple(clauses), last)


def _led(told: Sequence[tuple[str, set[int]]], last: int, *, begins: bool = True) -> list[LinkClause]:
    """The clauses of texts, each with the places of the letters that it names."""
    clauses: list[LinkClause] = []
    now = -1
    for text, places in told:
        named = places or {max(now, 0)}
        highest = min(max(named), last)
        if highest <= max(now, 0):
            clauses.append(LinkClause(len(clauses), text, max(now, 0), max(now, 0)))
            now = max(now, highest) if named != {0} or now >= 0 or begins else now
            continue
        missing = highest - 1 - max(now, 0)
        for back in range(len(clauses) - 1, -1, -1):  # what seemed to describe led to one that is never named there
            if missing > 0 and clauses[back].source == clauses[back].target == max(now, 0) and now >= 0:
                clauses[back] = clauses[back]._replace(target=max(now, 0) + 1)
                missing -= 1
                now += 1
        clauses.append(LinkClause(len(clauses), text, highest - 1, highest))
        now = highest
    _lead_on(clauses, last)
    return clauses


def _read_chinese(text: str, asked: re.Match[str]) -> ChainQuestion | None:
    """As :func:`read_chain`; what a letter stands for are the characters that are before it most often."""
    last = chinese.LETTERS.index(asked[2])
    kinds: list[str] = []
    for letter in chinese.LETTERS[: last + 1]:
        before = [
            re.split(f"[，。；：、？{chinese.LETTERS}]", text[: found.start()])[-1]
            for found in re.finditer(letter, text)
        ]
        ends = Counter(one[-size:] for one in before for size in range(1, min(len(one), 8) + 1))
        kinds.append(max(ends, key=lambda one: (ends[one], len(one)), default=""))
    if not all(kinds):
        return None
    lettered = re.compile("|".join(f"{kind}{letter}" for kind, letter in zip(kinds, chinese.LETTERS, strict=False)))
    told = [
        (lettered.sub(" ", one), {chinese.LETTERS.index(found[0][-1]) for found in lettered.finditer(one)})
        for one in re.split("(?<=[。！])", text[: asked.start()])
        if one
    ]
    clauses = _led(told, last)
    if {one.target for one in clauses if one.links} != set(range(1, last + 1)):
        return None
    return ChainQuestion(tuple("person" if one == "人物" else one for one in kinds), tuple(clauses), last)


def _lead_on(clauses: list[LinkClause], last: int) -> None:
    """Where no clause names the letter that is asked for, the last one leads there."""
    reached = max((one.target for one in clauses), default=last)
    if not clauses or reached != last - 1:
        return
    end = clauses[-1]
    if end.links:  # then what seemed to describe the one before led to where the last one begins
        for place in range(len(clauses) - 2, -1, -1):
            if clauses[place].source == clauses[place].target == end.source:
                clauses[place] = clauses[place]._replace(target=end.target)
                break
        else:
            return
    clauses[-1] = end._replace(source=reached, target=last)


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    start = 0
    for gap in _SPLIT.finditer(text):
        if not _INITIAL.search(text[start : gap.start()]) or _LETTERED.search(
            text[: gap.start()][-12:].rstrip(".").lower()
        ):
            found.append(text[start : gap.start()])
            start = gap.end()
    return [one for one in (*found, text[start:]) if _WORD.search(one)]


def _kind(letter: str, text: str) -> str:
    """What a letter stands for: the words before it, as far as all its places have them; one as a rule, two where a
    sentence begins with them."""
    before = [text[: found.start(2) - 1].split()[-2:] for found in _LETTERED.finditer(text) if found[2] == letter]
    first = {some[-1].strip("“”\"'").lower() for some in before}
    if len(first) != 1:
        return min(first, default="")
    whole = {some[0].lower() if len(some) > 1 and len(some[0]) > 1 and some[0][-1].isalpha() else "" for some in before}
    capital = any(some[0][0].isupper() and len(some[0]) > 1 and len(some) > 1 for some in before)
    two = len(whole) == 1 and capital and "" not in whole and not whole & _FUNCTION
    return " ".join((*(whole if two else ()), *first))


# ── how well a sentence says what a clause says ───────────────────────────────


def stem(word: str) -> str:
    """The beginning of a word, by which words of one family are known; a number is its digits.

    >>> stem("Founded"), stem("1,200"), stem("seven")
    ('found', '1200', '7')
    """
    folded = word.casefold()
    return word.replace(",", "") if word[0].isdigit() else _NUMBERS.get(folded, folded[:_STEM])


_KIN = {**word_families(_FAMILIES.split("\n"), stem), **chinese.KIN}
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=1_024)
def weights_of(clause: str) -> Mapping[str, float]:
    """How much each stem of a clause counts: numbers, names and words that are its own more than those of a family,
    which say what sort of link it is."""
    if chinese.is_chinese(clause):
        return chinese.weights_of(clause, _OWN)
    plain = _LETTERED.sub(" ", clause)
    found: dict[str, float] = {}
    for place, word in enumerate(_WORD.findall(plain)):
        if word.casefold() in _FUNCTION or (len(word) == 1 and not word.isdigit()):
            continue
        weight = 1.0
        if stem(word)[0].isdigit():
            weight = (1.5, 2.5, 4.0)[min(2, len(stem(word)) - 1)]
        elif (word[0].isupper() and place) or stem(word) not in _KIN:
            weight = _OWN
        found[stem(word)] = weight
    return found


@lru_cache(maxsize=65_536)
def stems_in(text: str) -> frozenset[str]:
    """The stems of a text's words."""
    if chinese.is_chinese(text):
        return frozenset(chinese.stems_in(text))
    return frozenset(stem(word) for word in _WORD.findall(text))


@lru_cache(maxsize=32_768)
def agreement(clause: str, text: str) -> float:
    """How much of a clause a text says, from 0 to 1; words of one family count for three quarters.

    >>> agreement("Person C taught person B.", "Ann studied under Lee."), agreement("It cost $5,300.", "for $5,300")
    (0.75, 0.8)
    """
    wanted, there = weights_of(clause), stems_in(text)
    total = sum(wanted.values())
    said = sum(
        weight if one in there else 0.75 * weight * bool(_KIN.get(one, _NONE) & there) for one, weight in wanted.items()
    )
    own = [one for one, weight in wanted.items() if weight >= _OWN]  # numbers and names are not said in other words
    lacking = sum(one not in there for one in own) / len(own) if own else 0.0
    return said / total * (1 - _LACKING * lacking) if total else 0.0
