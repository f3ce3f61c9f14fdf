"""Phrases of the sort that a question asks for, in the lines of pages: names, places, days, numbers, noun phrases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from webenv.query_terms import STOP_WORDS
from webenv.wrappers.menu.lines import DAY, Line, dated, stem_of

_PER_LINE = 12  # phrases of a line that are kept
_NEAR = 40  # characters away from a word of the question, at which a phrase counts half
_BEFORE = 15  # how many characters farther a phrase is that stands before the word: what is told comes after the verb
_DEFINITE = 0.8  # what a phrase counts that does not begin with "a", a quotation mark or a capital
_PART = 0.6  # what a phrase counts that goes on, or is a part of another
_AT = 0.6  # what a name counts behind "in", "from" or "of", where no place is asked for
_TOLD = 2.0  # what a phrase counts behind the word that the question has before "what"
_SUBJECT = 0.75  # what a phrase counts with which the line begins that answers a question
_BRIEF = 6  # words of an answer that is a whole sentence
_INSTEAD = 0.4  # what a word counts that begins a sentence
_SECOND = 0.85  # what each further part of a cell counts
_ALONE = 0.3  # what a name of one word counts for a person
_OTHER_SORT = 0.3  # what a name counts that looks like another sort of thing
YEAR = re.compile(r"(?<![\d,.])[12]\d{3}(?![\d,.]*\d)")
_NUMBER = re.compile(r"[$£€]?(?<![\d,.])\d++(?:,\d{3})*+(?:\.\d++)?+(?![\d,.]*\d)(?: (?:million|billion))?(?: [a-z]+)?")
_MONEY = re.compile(r"[$£€]|\b(?:dollar|pound|euro|franc|crown|florin|mark|yen|cent|shilling|guilder|krona|peso)s?\b")
_PLACED = re.compile(r"\b(?:in|at|near|from|to|of|into)\s+(?:the )?$")
_WHERE = re.compile(r"(?<= in | at )an? [a-z-]+(?: [a-z-]+)?(?=[.,;]| (?:in|at|by|for|with|until|from|since)\b)")
_RUN = re.compile(r"[^\W_][\w'’-]*")
_JOINED = re.compile(
    r" (?:of|with|and|for|on|in|into|by|from|at|to|under|over|without|against|among)"
    r"(?: (?:a|an|the|its|his|her|their|all|every))? "
)
_QUOTED = re.compile(r"[“\"]([^“”\"]{2,60})[”\"]")
_GOES_ON = re.compile(r" (?:of|with|on|in|into|by|from|for|at|to)\b")
_LAST = re.compile(r"\b(\w+)(?: (?:a|an|the|its|his|her|their))? ?$")
_OF_PARTICIPLES = frozenset(("by", "in", "with", "from", "into", "for", "of"))  # "a curtain painted by sailors"
_OPENS = re.compile(r"(?:\b(?:[Aa]n?|[Oo]ne)|[“\"])\s*$")
_VERB = re.compile(
    r"[a-z]+(?:ed|ing)|went|came|took|made|gave|began|kept|stood|fell|grew|held|ran|told|said|says|ask|asks|come|"
    r"comes|go|goes|get|got|give|gives|take|takes|make|makes|became|brought|"
    r"stands?|serves?|met|wrote|drew|hung|earns?|belongs?|because"
)
_ADVERB = re.compile(
    r"[a-z]+ly|already|away|out|up|down|back|off|mostly|mainly|only|first|then|again|still|there|here|now|never|ever|always|often|later"
)
_BODY = re.compile(
    r"(?:Theatre|Theater|Playhouse|Market|Works|Junction|Station|Hall|Dam|Bridge|Park|Festival|Systems|Software|Seeds"
    r"|Farm|House|Kitchen|Room|Shield|Cup|Exchange|Library|Choir|Yard|Hospital|Foundry|United|Athletic|Rovers|Wanderers|Road|Street|Lane|Close|Bank|Company|Construction|Engineering|School|Museum"
    r"|Brothers|Sons|Hotel|Club|Society|University|Press|Ltd|Inc|Corporation|Association|Institute|Council|Church"
    r"|Prize|Award|Medal|County|shire)$|^(?:The|Saint|St) |&"
)
NAMED = (
    "body", "organi[sz]ation", "company", "institution", "firm", "club", "team", "side", "prize", "award", "medal",
    "river", "school", "university", "ship", "boat", "band", "party", "bank", "newspaper", "paper", "museum", "society",
    "studio", "bridge", "church", "hospital", "hotel", "player", "performer", "singer", "play", "film", "book", "song",
    "opera", "brand", "agency", "court", "league", "cup", "station", "theatre", "theater",
)  # fmt: skip
"""What a question may ask for with "which" or "what" that has a name as a rule."""


class Phrase(NamedTuple):
    """A phrase, and how well it fits what is asked by its form and its place in the line, 0 to 1."""

    text: str
    fit: float


def phrases_of(
    line: Line, sort: str, asked: frozenset[str], units: frozenset[str], money: bool, behind: str = ""
) -> list[Phrase]:
    """The phrases of a sort in a line, the likeliest first.

    Args:
        line: the line.
        behind: the word that the answer stands behind, as the question has it: "in" of "in what wood".
        sort: ``day``, ``year``, ``number``, ``place``, ``person``, ``name``, ``thing`` (a name or a phrase) or
            ``phrase``.
        asked: the stems of what is asked.
        units: the stems of what a number is counted in; empty where the question does not say.
        money: whether a sum is asked for.
    """
    text = line.text
    if sort == "day":
        found = [match[0] for match in DAY.finditer(text)] or [match[0] for match in YEAR.finditer(text)]
        return _in_order(found)
    if sort == "year":
        return _in_order(match[0] for match in YEAR.finditer(text))
    if sort == "number":
        return _numbers(line, asked, units, money)
    if line.cell:
        parts = [part.strip() for part in re.split(r"[,;](?! \d)", text)]
        return _in_order(dict.fromkeys((text, *parts)), _SECOND)
    if text.endswith(("?", "？")):
        return []
    hits = [match.start() for match in _RUN.finditer(text) if stem_of(match[0].lower()) in asked]
    found_: list[Phrase] = []
    if sort != "phrase":
        found_ += _named(line, sort, hits)
    if line.before and text.count(" ") < _BRIEF and sort != "person":
        found_.append(Phrase(text.rstrip("."), 1.0))
    if sort == "place":
        found_ += [Phrase(match[0], 0.7) for match in _WHERE.finditer(text)]
    if sort in ("phrase", "thing"):
        found_ += _runs(text, asked, hits, bool(line.before), behind)
    return sorted(found_, key=lambda one: -one.fit)[:_PER_LINE]


def _in_order(texts: Iterable[str], less: float = 0.8) -> list[Phrase]:
    return [Phrase(text, less**place) for place, text in enumerate(texts)]


def _away(start: int, end: int, hits: Sequence[int]) -> float:
    """What a phrase counts by how near it is to a word of the question."""
    near = min((start - hit if start >= hit else hit - end + _BEFORE for hit in hits), default=start + _BEFORE)
    return _NEAR / (_NEAR + max(near, 0))


def _named(line: Line, sort: str, hits: Sequence[int]) -> Iterator[Phrase]:
    for name in line.names:
        start = line.text.find(name)
        if start < 0:
            continue
        if sort == "person" and " and " in name:
            name = name.partition(" and ")[0]
        fit = _NEAR / (_NEAR + min((abs(start - hit) for hit in hits), default=start))
        placed = _PLACED.search(line.text[:start]) is not None
        if sort == "person":
            fit *= (1.0 if " " in name else _ALONE) * (_OTHER_SORT if _BODY.search(name) else 1.0)
            fit *= _OTHER_SORT if placed and " " not in name else 1.0
        elif sort == "place":
            fit *= 1.0 if placed else _OTHER_SORT
        elif placed:
            fit *= _AT
        yield Phrase(name, fit)


def _numbers(line: Line, asked: frozenset[str], units: frozenset[str], money: bool) -> list[Phrase]:
    text = dated(line.text)
    hits = [match.start() for match in _RUN.finditer(text) if stem_of(match[0].lower()) in asked]
    found: list[Phrase] = []
    for match in _NUMBER.finditer(YEAR.sub(lambda year: " " * len(year[0]), text)):
        number, _, unit = match[0].rpartition(" ")
        counted = bool(number) and stem_of(unit) in units
        paid = _MONEY.search(match[0]) is not None
        fit = 1.0 if counted or (money and paid) else 0.25 if units or money or paid else 0.7
        shown = match[0] if not number or unit not in STOP_WORDS else number
        found.append(Phrase(shown, fit * (1.0 if line.cell else _away(match.start(), match.end(), hits))))
    return sorted(found, key=lambda one: -one.fit)


def looks_like_a_body(name: str) -> bool:
    """Whether a name looks like that of an organisation, a prize or a place, and not of a person."""
    return _BODY.search(name) is not None


def counted_in(text: str, units: frozenset[str]) -> bool:
    """Whether a text has a number of some unit."""
    return any(stem_of(match[0].rpartition(" ")[2]) in units for match in _NUMBER.finditer(text) if units)


def _runs(text: str, asked: frozenset[str], hits: Sequence[int], answers: bool, behind: str) -> Iterator[Phrase]:
    """Runs of content words, alone and up to three joined by prepositions; those nearest to a word of the question
    first, and those that a clause ends with rather than a part of them.

    Args:
        text: of the line.
        asked: the stems of what is asked.
        hits: where these stand.
        answers: whether the line follows a question.
        behind: the word that the answer stands behind; empty where the question does not say.
    """
    plain = dated(text)
    runs: list[tuple[int, int]] = []
    start = end = -1
    for match in _RUN.finditer(plain):
        word = match[0].lower()
        apart = word in STOP_WORDS or stem_of(word) in asked or YEAR.fullmatch(word) is not None
        if start >= 0 and (apart or plain[end : match.start()] != " "):
            runs.append((start, end))
            start = -1
        if not apart and not (start < 0 and _ADVERB.fullmatch(word)):
            start = match.start() if start < 0 else start
            end = match.end()
    if start >= 0:
        runs.append((start, end))
    for match in _QUOTED.finditer(plain):
        yield Phrase(match[1], 0.9 * _away(match.start(), match.end(), hits))
    joined = False  # whether a run goes on what stands before it
    for number, (first, last) in enumerate(runs):
        before = _LAST.search(plain[:first])
        told = bool(behind) and before is not None and before[1].lower() == behind
        part = _TOLD if told else _PART if joined else 1.0
        for further in range(4):
            joined = number + further + 1 < len(runs) and bool(
                _JOINED.fullmatch(plain[runs[number + further][1] : runs[number + further + 1][0]])
            )
            last = runs[number + further][1]
            for phrase in _cut(plain, first, last, 0.0 if answers and first < 4 else 1.0, hits):
                yield phrase._replace(fit=min(phrase.fit * part, 1.0))
            if not joined:
                break
        joined = number + 1 < len(runs) and bool(_JOINED.fullmatch(plain[runs[number][1] : runs[number + 1][0]]))


def _cut(text: str, first: int, last: int, beyond: float, hits: Sequence[int]) -> Iterator[Phrase]:
    """A run, and what is left of it before a verb in it: "live goat" of "live goat filled"."""
    opens = _OPENS.search(text[:first]) is not None
    fit = (_away(first, last, hits) if beyond else 1.0 if opens else _SUBJECT) * (
        1.0 if opens or text[first].isupper() else _DEFINITE
    )
    ends = last >= len(text) or text[last] in ".,;:!)”" or _GOES_ON.match(text, last) is None
    words = text[first:last].split(" ")
    if first == 0 and len(words) == 1:
        fit *= _INSTEAD
    for place, word in enumerate(words[1:], 1):
        participle = place + 1 < len(words) and words[place + 1] in _OF_PARTICIPLES and word.endswith("ed")
        if not participle and _VERB.fullmatch(word) and words[place - 1].lower() not in STOP_WORDS:
            yield Phrase(" ".join(words[:place]), fit * (1.0 if place == len(words) - 1 else _PART))
            if place < len(words) - 1:
                yield Phrase(" ".join(words[place + 1 :]), fit * (1.0 if ends else _PART))
            fit *= _PART
            break
    yield Phrase(text[first:last], fit * (1.0 if ends else _PART) * (_PART if _VERB.fullmatch(words[0]) else 1.0))
