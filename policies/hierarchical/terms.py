"""Who held a post, one after the other: what pages say of it, made one succession."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import lru_cache
from typing import NamedTuple

from webenv.policies.hierarchical.facts import TAKING, PostCues, post_cues
from webenv.policies.hierarchical.messages import CitedStatement
from webenv.policies.hierarchical.names import FUNCTION_WORDS
from webenv.policies.hierarchical.places import ELSEWHERE
from webenv.policies.hierarchical.tables import Wanted
from webenv.policies.hierarchical.values import stem, stems_of
from webenv.urls import host_of

_CUED = 2.0  # what a sentence that has a word of the post weighs beside one that has none
_NEXT = 1.5  # what it weighs that one began as another left
_OWN = 0.6  # that a page about the thing states it
_LEAST = 1.5  # of a term, to be believed
_OFTEN, _MORE = 3, 2.0  # sentences that have a word that is learned, and how much oftener than others


_PLAIN = frozenset(map(stem, (*FUNCTION_WORDS, "year", "years", "last", "first", "been", "took")))
"""Stems that sentences about anything have."""


_ROLE = re.compile(
    r"(?:\b(?:[Aa]s|became|become|made|named|chosen|elected|been|was|new|present|current)(?: its| the)?|,) ([a-z]+)"
    r"(?=(?: [a-z]+)? (?:of|at|since|from|until|between|is|was|in|to)\b|[,.])|"
    r"\b[Tt]he (?:new |present |current )?([a-z]+)(?=(?: [a-z]+)? (?:of|since|from|until|between|is|was)\b|,)|"
    r"\b[Tt]he new ([a-z]+)"
)
"""A word that somebody is called by, as of a post: behind "as" or "became", or before "of", "since" or "is"."""


class PostTerm(NamedTuple):
    """Somebody's time in a post: since when, until when (empty: not stated), and the address that states it.

    ``former``: whether it is over, by its end or by a successor; ``cued``: whether a word of the post is beside it.
    """

    person: str
    since: str
    until: str
    url: str
    weight: float = 0.0
    former: bool = True
    cued: bool = False


def succession(
    statements: Iterable[CitedStatement],
    wanted: Wanted,
    learned: Set[str] = frozenset(),
    own: Collection[str] = (),
    *,
    weighed: bool = True,
) -> list[PostTerm]:
    """The terms of a post, in their order, out of what pages say of those who were at something in some years.

    A post has one holder at a time, so that of terms that overlap the better supported stay: by sites, by tables, by
    sentences that have a word of the post or one of ``learned``, by pages about the thing (``own``), and by terms that
    begin as others end. What stands alone, and has none of these, is left out: somebody else's years at the same thing.
    """
    found = spans_of(statements, wanted, learned, own)
    whole = [max(terms, key=lambda one: one.weight) for terms in found.values() if any(_is_whole(one) for one in terms)]
    partial = [one for terms in found.values() if not any(_is_whole(two) for two in terms) for one in terms]
    if not weighed:
        dated = (one for one in (*whole, *partial) if one.since or one.until)
        return sorted(dated, key=lambda one: one.since or one.until)
    sure = [one for one in (*whole, *partial) if one.weight >= _CUED]
    ends, starts = {one.until for one in sure}, {one.since for one in sure}
    linked = [one._replace(weight=one.weight + _NEXT * ((one.since in ends) + (one.until in starts))) for one in whole]
    chosen = _without_overlap([one for one in linked if one.weight > _LEAST])
    begun = {one.since for one in sure if one.cued} - {""}
    before = [
        one._replace(cued=True, weight=one.weight + _NEXT) for one in partial if one.until in begun and one.url in own
    ]
    for term in sorted({one.person: one for one in (*partial, *before)}.values(), key=lambda one: -one.weight):
        if (
            term.cued
            and term.weight > _CUED
            and (term.since or term.until)
            and not any(_clash(term, other) for other in chosen)
        ):
            chosen.append(term)
    chosen.sort(key=lambda one: (int(one.since or one.until), bool(one.since)))
    last = max((int(one.since or one.until) for one in chosen), default=0)
    return [one._replace(former=bool(one.until) or int(one.since) < last) for one in chosen]


def by_home(
    statements: Sequence[CitedStatement], homes: Mapping[str, str], around: Mapping[str, str | None], wanted: Wanted
) -> list[Sequence[CitedStatement]]:
    """What is said of the things of one name in the places asked, apart from each other and from those elsewhere.

    A statement belongs to the place that its page, or the page that it links the name to, says (``homes``: by address,
    empty for elsewhere); one that neither says, to the thing where the same person held the post, or whose known years
    its own go on or lead up to; else to the one whose years it does not overlap, and which is where the page's people
    are (``around``: by address).
    """
    towns = {home for home in homes.values() if not home.endswith("/")}
    placed: dict[str, str] = {}
    for url, home in homes.items():
        inside = [one for one in towns if home.endswith("/") and one.startswith(home)]
        if len(inside) < 2:  # else the county says not which
            placed[url] = inside[0] if inside else home
    homes = placed
    known: dict[str, list[CitedStatement]] = {home: [] for home in homes.values()} or {NOWHERE: []}
    unplaced: dict[str, list[CitedStatement]] = {}
    for one in statements:
        place = homes.get(one.url, homes.get(one.place))
        (known[place] if place is not None else unplaced.setdefault(one.entity, [])).append(one)
    spans = {home: spans_of(told, wanted) for home, told in known.items()}
    for entity, told in unplaced.items():
        mine = next(iter(spans_of(told, wanted).values()), [])
        person = " ".join(entity.partition(" | ")[2].split()).casefold()
        near = {there for one in told if (there := around.get(one.url)) is not None}
        fit = {home: _fit(person, mine, spans[home]) + _near(home, near) for home in spans}
        home = max(spans, key=lambda home: (fit[home], bool(spans[home]), not home.startswith(ELSEWHERE)))
        known[home] += told
    return [told for home, told in known.items() if told and not home.startswith(ELSEWHERE)]


NOWHERE = "?"
"""The place of what no page places."""


def _near(home: str, near: Collection[str]) -> float:
    """How well a place goes with those of the pages that name what is there: with that of the people and things that
    they are about."""
    county = home.partition("/")[0]
    return 1.5 * any(one.partition("/")[0] == county for one in near)


def _fit(person: str, mine: Sequence[PostTerm], others: Mapping[str, Sequence[PostTerm]]) -> int:
    """How well somebody's years go with those of others in the post at one thing."""
    if person in others:
        return 4
    terms = [one for found in others.values() for one in found]
    pairs = [(one, two) for one in mine for two in terms]
    if any((one.since and one.since == two.until) or (one.until and one.until == two.since) for one, two in pairs):
        return 3
    whole = [one for one in terms if _is_whole(one)]
    return 0 if any(_inside(one, two) for one in mine for two in whole if one.since or one.until) else 1


def learned_cues(told: Iterable[Sequence[CitedStatement]], wanted: Wanted) -> frozenset[str]:
    """The stems of words that sentences have, again and again, which state the years of those who are known to have
    held the post by tables, or by sentences with a word of it, or which go on from such years; and not as often those
    that state other years."""
    own = post_cues(wanted.columns[1], wanted.kind)
    known, other = Counter[str](), Counter[str]()
    for statements in told:
        terms: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
        for one in statements:
            when = wanted.year(one.column)
            if when:
                person = " ".join(one.entity.partition(" | ")[2].split()).casefold()
                terms.setdefault((person, one.url), {}).setdefault(one.quote, {})[when] = one.value
        sure: dict[str, set[str]] = {}
        whole = set[tuple[str, str]]()
        for (person, _), quotes in terms.items():
            for quote, years in quotes.items():
                if not quote or own.spoken_in(quote):
                    sure.setdefault(person, set()).update(years.values())
                    if len(years) == 2:
                        whole.add((years["since"], years["until"]))
        spans = [(int(low), int(high)) for low, high in whole]
        starts, ends = {low for low, _ in spans}, {high for _, high in spans}
        for (person, _), quotes in terms.items():
            for quote, years in quotes.items():
                stems = common_stems(quote) - _PLAIN if quote else frozenset[str]()
                if not stems or own.spoken_in(quote):
                    continue
                since, until = (int(years.get(name, "0")) for name in ("since", "until"))
                if set(years.values()) <= sure.get(person, set()) or since in ends or until in starts:
                    known.update(stems)
                elif person in sure or any(low < year < high for low, high in spans for year in (since, until)):
                    other.update(stems)
    kind = stems_of(f"{wanted.kind} {wanted.plural}")
    often = (one for one, count in known.items() if count >= _OFTEN and count > _MORE * other[one])
    return frozenset(one for one in often if one not in kind)


@lru_cache(maxsize=8_192)
def common_stems(sentence: str) -> frozenset[str]:
    """The stems of a sentence's words that no name in it has."""
    return frozenset(stems_of(sentence) - {stem(word) for word in sentence.split() if word[0].isupper()})


def spans_of(
    statements: Iterable[CitedStatement], wanted: Wanted, learned: Set[str] = frozenset(), own: Collection[str] = ()
) -> dict[str, list[PostTerm]]:
    """Of each person the years that pages state, each pair once; where none has both, a beginning and an end are
    one."""
    told: dict[tuple[str, str, str], dict[str, str]] = {}
    names: dict[str, str] = {}
    for one in statements:
        person = one.entity.partition(" | ")[2]
        key = " ".join(person.split()).casefold()
        names.setdefault(key, person)
        years = told.setdefault((key, one.url, one.quote), {})
        when = wanted.year(one.column)
        if when:
            years[when] = one.value
    found: dict[str, dict[tuple[str, str], list[tuple[str, str]]]] = {}
    for (key, url, quote), years in told.items():
        span = years.get("since", ""), years.get("until", "")
        if not (all(span) and int(span[0]) >= int(span[1])):
            found.setdefault(key, {}).setdefault(span, []).append((url, quote))
    label = post_cues(wanted.columns[1], wanted.kind)
    return {
        key: [_term_of(names[key], span, spans, label, learned, own) for span in _joined(spans)]
        for key, spans in found.items()
    }


def _joined(spans: Mapping[tuple[str, str], Sequence[tuple[str, str]]]) -> list[tuple[str, str]]:
    """The whole spans; else the best beginning and the best end as one, or what there is."""
    whole = [one for one in spans if all(one)]
    if whole:
        return whole
    most = sorted(spans, key=lambda one: -len(spans[one]))
    since = next((one[0] for one in most if one[0]), "")
    until = next((one[1] for one in most if one[1] and (not since or int(one[1]) > int(since))), "")
    return [(since, until)]


def _term_of(
    name: str,
    span: tuple[str, str],
    spans: Mapping[tuple[str, str], Sequence[tuple[str, str]]],
    label: PostCues,
    learned: Set[str],
    own: Collection[str],
) -> PostTerm:
    """A term with what supports it: what states it, or its beginning or its end alone."""
    since, until = span
    parts = [span, (since, ""), ("", until)] if any(span) else [span]
    support = [one for part in dict.fromkeys(parts) if part == span or any(part) for one in spans.get(part, ())]
    sites = {host_of(url) for url, _ in support}
    cued = any(not quote or _speaks(quote, label, learned, whole=all(span)) for _, quote in support)
    listed = any(not quote for _, quote in support)
    weight = len(sites) + _CUED * cued + listed + _OWN * any(url in own for url, _ in support)
    return PostTerm(name, since, until, support[0][0] if support else "", weight, cued=cued)


def _speaks(quote: str, label: PostCues, learned: Set[str], *, whole: bool) -> bool:
    """Whether a sentence has words of a post, known or learned; of a beginning or an end alone two that are learned."""
    if label.spoken_in(quote) or TAKING.search(quote) or _called(quote, learned):
        return True
    return len(learned & stems_of(quote)) >= (1 if whole else 2)


def _called(quote: str, learned: Set[str]) -> bool:
    """Whether a sentence calls somebody by a word that is learned: "as captain", "the captain is"."""
    return any(stem(found[1] or found[2] or found[3]) in learned for found in _ROLE.finditer(quote))


def _is_whole(term: PostTerm) -> bool:
    return bool(term.since and term.until)


def _inside(one: PostTerm, other: PostTerm) -> bool:
    """Whether a year falls within another's term."""
    year = int(one.since or one.until)
    low, high = int(other.since or 0), int(other.until or 9_999)
    return (low <= year < high) if one.since else (low < year <= high)


def _clash(one: PostTerm, other: PostTerm) -> bool:
    """Whether a year of a term of which that is all that is known leaves no room for it beside another one."""
    if _is_whole(other):
        return _inside(one, other)
    return bool(one.since and one.since == other.since) or bool(one.until and one.until == other.until)


def _without_overlap(terms: Sequence[PostTerm]) -> list[PostTerm]:
    """The terms that weigh most together, no two of which overlap: weighted interval scheduling."""
    ordered = sorted(terms, key=lambda one: int(one.until))
    ends = [int(one.until) for one in ordered]
    best: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for place, one in enumerate(ordered):
        before = best[bisect_right(ends, int(one.since), 0, place)]
        taken = (before[0] + one.weight, (*before[1], place))
        best.append(max(best[-1], taken, key=lambda found: found[0]))
    return [ordered[place] for place in best[-1][1]]
