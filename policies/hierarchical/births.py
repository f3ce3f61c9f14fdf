"""Where pages say that somebody was born, for a reader without a model."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from webenv.policies.hierarchical.names import bare, is_month, is_person, name_at, names_in, persons_in
from webenv.policies.hierarchical.pages import cells_of, passages, without_links
from webenv.policies.hierarchical.values import NEITHER, clean, stems_of

_AT = r"(?P<at>(?=[^\W\d_a-z]))"
_LOOSE = r"(?:(?:upper|lower|central|outer|inner|old) )?"
_BORN = tuple(
    re.compile(one, re.IGNORECASE if one.startswith("^") else 0)
    for one in (
        rf"\b[Bb]orn (?:and (?:raised|bred|grew up|brought up) )?(?:(?:with|)in(?:side)?) {_LOOSE}{_AT}",
        rf"\bborn (?:and (?:raised|bred) )?into a family from {_AT}",
        rf"\bborn and (?:grew up|brought up|raised) in {_AT}",
        rf"\b(?:came|comes|come) into the world in {_AT}",
        rf"\b(?:entered|enters) the world in {_AT}",
        rf"\bfirst (?:saw the light(?: of day)?|drew breath) in {_LOOSE}{_AT}",
        rf"\bdelivered (?:with)?in(?:side)? {_LOOSE}{_AT}",
        rf"\b(?:[Aa] native|[Nn]ative|is a child|was a child|a son|a daughter) of (?:a family from )?{_AT}",
        rf"\b(?:came|comes|was a child) (?:from|of) a family from {_AT}",
        rf"\bfamily(?:, [^,.]{{1,40}},)? (?:lived|was at home|had (?:a|its|their) home) in {_AT}[^.]{{0,80}} born\b",
        rf"\bIt was in {_AT}[^.]{{0,60}} (?:was born|came into the world|entered the world)\b",
        rf"\b(?:birthplace|place of birth|native town|home ?town|town of birth) (?:was|is) {_AT}",
        rf"^In {_AT}[^.]{{0,200}}, (?:born there|a native)\b",
    )
)
_HOME = re.compile(
    r" (?:is|was) (?:the (?:place|town|village|city) )?(?:where|in which) (?:[\w.]{1,30} ){0,4}?"
    r"(?:was born|grew up|came from|came into the world|began (?:\w+ )?life)\b|"
    r" (?:is|was|served as) (?:[\w.]{1,40}['’]s?|his|her|their|the) "
    r"(?:birthplace|place of birth|native town|town of birth)\b"
)
_CLAUSE = re.compile(r"[,;:] | and (?=(?:he|she|they|[a-z]+ed|went|left|came|grew)\b)")
_CUE = re.compile(r"\b(?:born|birth|birthplace|native|first saw|(?:came|come) into the world|began (?:\w+ )?life)\b")
_NEAR = re.compile(r"\b(?:in|at|near|of|from|outside) (?=[^\W\d_a-z])")
_OTHER_LIFE = re.compile(
    r"\b(?:lived|moved|settled|worked|died|studied|went|buried|married|taught|before|after|since)\b"
)
_FROM = re.compile(rf"\b(?:came|comes|hails|hailed|originates|originated) from {_AT}")
_ABOUT = re.compile(r"^- (?:\*\*)?([^:()|*“”,]{3,60}?)(?:\*\*)?(?: \([^()]*\))?, [^:,.–]{3,40}(?:[:.]| –) (.*)$")
_THERE = re.compile(r"\bborn (there|here|in (?:the|this) (?:town|village|city|municipality|community))\b")
_OF_TOWN = re.compile(r"\b(?:town|village|city|district|parish|county|family|suburb|outskirts) of $")
_DOUBT = re.compile(r"\b(?:namesake|another person|christened|baptised|baptized|once (?:taken|thought|mistaken))\b")


def births(
    title: str, text: str, persons: Sequence[str], others: Sequence[str] = (), titles: Collection[str] = ()
) -> Iterator[tuple[str, str, str]]:
    """Who was born where: persons, places, and the sentences that say so; empty ones for a box or a list of facts.

    >>> list(births("Ann Lee", "A native of Hay, she never left. Lee moved to Rye.", ["Ann Lee"]))
    [('Ann Lee', 'Hay', 'A native of Hay, she never left.')]
    """
    holder = next(iter(persons_in(title, persons, others, titles)), "")
    for row in cells_of(text, "", holder):
        if row.label and is_person(row.name) and {"birth", "born"} & stems_of(row.label):
            yield row.name, clean(row.value), ""
    items = [_ABOUT.match(without_links(line)) for line in text.splitlines() if line.startswith("- ")]
    for item in items:
        place = _place_in(item[2]) if item and is_person(item[1]) and not _DOUBT.search(item[2]) else ""
        if item and place and not NEITHER.search(item[2]):
            yield item[1], place, f"{item[1]}: {item[2]}"
    for one in passages(title, text, others, persons, titles):
        one = one._replace(text=_with_town(one.text, title, text))
        if NEITHER.search(one.text.replace(" never ", " ")) or _DOUBT.search(one.text):
            continue
        place = _place_in(one.text)
        people = [who for who in persons_in(one.text, persons, others, titles) if bare(who) != place]
        before = persons_in(one.text[: max(0, one.text.find(place))], persons, others, titles) if people[1:] else []
        people = before if len(before) == 1 and one.text.startswith((before[0], before[0].split()[-1])) else people
        person = people[0] if len(people) == 1 else "" if people else holder or one.person
        if place and person:
            yield person, place, one.text


def _with_town(sentence: str, title: str, text: str) -> str:
    """A sentence with the town's name for "there", which was named before, and for "the town", as its own page has it.

    >>> _with_town("A bench in Hay honours Ann Lee, who was born there in 1950.", "Rye", "")
    'A bench in Hay honours Ann Lee, who was born in Hay in 1950.'
    """
    found = _THERE.search(sentence)
    if not found:
        return sentence
    before = [town for one in _NEAR.finditer(sentence, 0, found.start()) if (town := _town_at(sentence[one.end() :]))]
    town = before[-1] if found[1] == "there" and before else ""
    if not town and names_in(f"x {title}") == (title,) and re.search(r"\b[Tt]he (?:town|village|city)\b", text):
        town = title
    return f"{sentence[: found.start(1)]}in {town}{sentence[found.end() :]}" if town else sentence


def _place_in(sentence: str) -> str:
    """The place where a sentence says somebody was born; empty where it does not."""
    for form in _BORN:
        found = form.search(sentence)
        place = _town_at(sentence[found.start("at") :]) if found else ""
        if place:
            return place
    home = _HOME.search(sentence)
    if home:
        runs = [one for one in names_in(f"x {sentence[: home.start()]}") if sentence[: home.start()].endswith(one)]
        return runs[-1] if runs else ""
    for clause in _CLAUSE.split(re.sub(r"\([^()]*\)", "", sentence)):
        cue = _CUE.search(clause)
        at = [_town_at(clause[one.end() :]) for one in _NEAR.finditer(clause, cue.start()) if _at(one)] if cue else []
        if len({one for one in at if one}) == 1 and not _OTHER_LIFE.search(clause):
            return next(one for one in at if one)
    found = _FROM.search(sentence)
    if found and not re.search(r"\d", sentence[: found.end()]):
        place = _town_at(sentence[found.start("at") :])
        rest = sentence[found.start("at") + len(place) :]
        return place if rest in (".", "") or re.match(r",? and (?:his|her|their|first|started|began)\b", rest) else ""
    return ""


def _at(found: re.Match[str]) -> bool:
    """Whether what stands behind a word of place may be one; somebody behind "of" is none, as whose work it is."""
    of = found[0] == "of " and not _OF_TOWN.search(found.string[: found.end()])
    return not (of and is_person(_town_at(found.string[found.end() :])))


def _town_at(text: str) -> str:
    found = name_at(text)
    return "" if is_month(found) else found
