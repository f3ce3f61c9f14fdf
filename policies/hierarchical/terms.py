"""Who held a post, one after the other: what pages say of it, made one succession."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webenv.policies.hierarchical.facts import cues_of, stems_of
from webenv.policies.hierarchical.messages import CitedStatement
from webenv.policies.hierarchical.tables import Wanted
from webenv.urls import host_of

_CUED = 2.0  # what a sentence that has a word of the post weighs beside one that has none
_NEXT = 1.5  # what it weighs that one began as another left
_LEAST = 1.5  # of a term, to be believed


class PostTerm(NamedTuple):
    """Somebody's time in a post: since when, until when (empty: not stated), and the address that states it.

    ``former``: whether it is over, by its end or by a successor.
    """

    person: str
    since: str
    until: str
    url: str
    weight: float = 0.0
    former: bool = True


def succession(statements: Iterable[CitedStatement], wanted: Wanted, *, weighed: bool = True) -> list[PostTerm]:
    """The terms of a post, in their order, out of what pages say of those who were at something in some years.

    A post has one holder at a time, so that of terms that overlap the better supported stay: by sites, by sentences
    that have a word of the post, and by terms that begin as others end. What stands alone, and has no such word, is
    left out: somebody else's years at the same thing.
    """
    label = wanted.columns[1]
    cues = cues_of(label)
    years: dict[str, dict[str, Counter[str]]] = {}
    sites: dict[str, set[str]] = {}
    cued: Counter[str] = Counter()
    names: dict[str, str] = {}
    urls: dict[str, str] = {}
    for one in statements:
        person = one.entity.partition(" | ")[2]
        key = " ".join(person.split()).casefold()
        names.setdefault(key, person)
        urls.setdefault(key, one.url)
        sites.setdefault(key, set()).add(host_of(one.url))
        when = wanted.year(one.column)
        if when:
            years.setdefault(key, {}).setdefault(when, Counter())[one.value] += 1
        cued[key] += bool(not one.quote or cues & stems_of(one.quote))
    whole: list[PostTerm] = []
    partial: list[PostTerm] = []
    for key, name in names.items():
        since, until = (_first(years.get(key, {}).get(when)) for when in ("since", "until"))
        if since and until and int(since) >= int(until):
            continue
        weight = len(sites[key]) + _CUED * bool(cued[key])
        term = PostTerm(name, since, until, urls[key], weight)
        (whole if since and until else partial).append(term)
    if not weighed:
        return sorted((*whole, *partial), key=lambda one: one.since or one.until)
    ends = Counter(one.until for one in whole) + Counter(
        one.until for one in partial if one.until and cued[one.person.casefold()]
    )
    starts = Counter(one.since for one in whole) + Counter(
        one.since for one in partial if one.since and cued[one.person.casefold()]
    )
    linked = [
        one._replace(weight=one.weight + _NEXT * (bool(ends[one.since]) + bool(starts[one.until]))) for one in whole
    ]
    chosen = _without_overlap([one for one in linked if one.weight > _LEAST])
    for term in partial:
        if term.weight > _CUED and (term.since or term.until) and not any(_inside(term, other) for other in chosen):
            chosen.append(term)
    chosen.sort(key=lambda one: int(one.since or one.until))
    last = max((int(one.since or one.until) for one in chosen), default=0)
    return [one._replace(former=bool(one.until) or int(one.since) < last) for one in chosen]


def _first(counted: Counter[str] | None) -> str:
    return counted.most_common(1)[0][0] if counted else ""


def _inside(one: PostTerm, other: PostTerm) -> bool:
    """Whether a year falls within another's term."""
    year = int(one.since or one.until)
    low, high = int(other.since or 0), int(other.until or 9_999)
    return (low <= year < high) if one.since else (low < year <= high)


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
