"""Browsing histories, whose reader looks for what their pages have in common."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest

from webenv.query_terms import content_words, query_of, words_of
from webenv.urls import host_of
from webenv.wrappers.menu.gap import DAYS, names_in
from webenv.wrappers.menu.listed import AskRow, listed_sites, with_sorts
from webenv.wrappers.menu.words import stem

_TEXT = 10_000  # characters of a page that are read
_WORDS = 6  # of a query made from titles
_SHARED = 4  # names that pages share, each looked for by itself
_VISIT = re.compile(r"^-(?: (?P<title>.*?))??(?: \([^()]*\))?(?: (?P<url>https?://\S+))?$")
_LINKED = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


def visited_titles(question: str) -> dict[str, str]:
    """The titles of the pages of a browsing history by address, where each line of a question but the first names a
    visit; else none.

    >>> visited_titles("What next?\\n- Old mills (9.0) https://a.example/1\\n- The sea https://b.example/2")
    {'https://a.example/1': 'Old mills', 'https://b.example/2': 'The sea'}
    """
    _, *lines = question.strip().splitlines() or [""]
    found = [visit for line in lines if (visit := _VISIT.match(line.strip())) and visit["url"]]
    return {visit["url"]: visit["title"] or "" for visit in found} if len(found) == len(lines) else {}


def intent_of(history: str) -> str:
    """A query for what somebody looks for who has read these pages: the words that most of their titles share.

    >>> intent_of("- Old mills of Lund (Monday) https://a.example/1\\n- Mills by the sea https://b.example/2")
    'mills old lund sea'
    """
    titles = [found["title"] or "" for line in history.splitlines() if (found := _VISIT.match(line.strip()))]
    counts: Counter[str] = Counter()
    forms: dict[str, str] = {}
    for title in titles:
        words = dict.fromkeys(word for word in words_of(title) if word in content_words(title))
        for word in words:
            counts[stem(word)] += 1
            forms.setdefault(stem(word), word)
    best = sorted(counts, key=lambda form: -counts[form])[:_WORDS]
    return query_of(" ".join(forms[form] for form in best))


def shared_names(documents: Sequence[tuple[str, str]], most: int = _SHARED) -> list[str]:
    """What pages have in common that none of them is about: names that two at least have and no title has, best first.

    A name of several words counts before one word, which mostly is a place that any page may name; then what pages
    link to; then what most pages name.

    Args:
        documents: titles and texts of pages that somebody has read.
        most: how many.

    >>> shared_names([("Old mills", "Ann Lee built this one in Lund."), ("The sea", "Lund. It drowned Ann Lee.")])
    ['Ann Lee', 'Lund']
    """
    counts, links = Counter[str](), Counter[str]()
    for _, text in documents:
        names, linked = _names(text[:_TEXT])
        counts.update(names)
        links.update(linked)
    titles = " | ".join(title for title, _ in documents)
    shared = [name for name, count in counts.items() if count > 1 and name not in titles]
    return sorted(shared, key=lambda name: (" " not in name, -links[name], -counts[name], name))[:most]


@lru_cache(maxsize=2_048)
def _names(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names in a text, and those of them that are links."""
    found = {name for line in _LINKED.sub(r"\1", text).splitlines() for name in names_in(line)}
    return frozenset(found) - DAYS, frozenset(_LINKED.findall(text))


def about_names(names: Sequence[str], documents: Sequence[tuple[str, str, str]]) -> list[str]:
    """The addresses of pages that names stand in, best first: of each name in turn the best page, then the next best.

    Best of a name are pages whose title has it, and of these the longest: it tells most.

    Args:
        names: likeliest first.
        documents: addresses, titles and texts.

    >>> pages = [("a", "The sea", "Ann Lee saw Lund."), ("b", "Lund", "Lund is old."), ("c", "Ann Lee", "")]
    >>> about_names(["Ann Lee", "Lund"], pages)
    ['c', 'b', 'a']
    """
    columns: list[list[str]] = []
    for name in names:
        having = [one for one in documents if name in one[1] or name in one[2][:_TEXT]]
        columns.append([url for url, *_ in sorted(having, key=lambda one: (name not in one[1], -len(one[2])))])
    return list(dict.fromkeys(url for row in zip_longest(*columns) for url in row if url is not None))


def missing_row(titles: Mapping[str, str], came: Collection[str], sites: Collection[str]) -> AskRow | None:
    """A question for those pages of a history that have not come, to their sites; ``None`` where none can be asked for.

    Args:
        titles: of the history's pages by address.
        came: addresses of pages that came.
        sites: those that can be asked.
    """
    missing = {url: title for url, title in titles.items() if url not in came and host_of(url) in sites}
    query = query_of(" ".join(missing.values()))
    return AskRow(query, tuple(dict.fromkeys(map(host_of, missing))), ()) if query else None


def name_rows(
    names: Sequence[str],
    descriptions: Mapping[str, str],
    best: Sequence[tuple[str, str]],
    most: int,
    asked: Mapping[str, Collection[str]],
) -> list[AskRow]:
    """Rows that ask about a name the sites which fit it best and were not asked, one for each name.

    Args:
        names: the names.
        descriptions: of the sites, by host.
        best: titles and texts of the best pages that came.
        most: how many sites a row asks.
        asked: the sites that were asked about each name.

    >>> sites = {"a.example": "Lives of people.", "b.example": "Boats."}
    >>> [name_rows(["Ann Lee"], sites, [], 1, asked)[0].sites for asked in ({}, {"Ann Lee": {"a.example"}})]
    [('a.example',), ('b.example',)]
    """
    rows: list[AskRow] = []
    for name in names if most > 0 else ():
        fits = listed_sites(with_sorts(name), descriptions).fits(best)
        left = [site for site in fits if site not in asked.get(name, ())][:most]
        if left:
            rows.append(AskRow(name, tuple(left), tuple(fits[site] for site in left)))
    return rows
