"""Sites that an agent is told of, ranked to be asked; and browsing histories, by what their pages have in common."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, zip_longest
from typing import NamedTuple

from webenv.query_terms import content_words, query_of, words_of
from webenv.urls import host_of
from webenv.wrappers.menu.gap import DAYS, names_in
from webenv.wrappers.menu.words import stem

_READ = 10_000  # characters of a text
_SOMEBODY = re.compile(r"\b[Pp]erson\b|\b[A-Z][\w'’.-]{1,60} (?:[A-Z]\. )?[A-Z][\w'’-]+\b")
_PEOPLE = ("people", "obituaries")
_GENERAL = "encyclopedia"
_AT_ONCE = 5  # sites that the first row asks at once; each further row twice as many
_LINK = re.compile(r"https?://([^/)\s\"'<>?#]+)")


class SiteFit(NamedTuple):
    """How well a site fits: by its description, from 0 to 1, the best site 1; and how good the best page is that links
    to it, 0 to 1."""

    described: float
    linked: float


class SiteFits:
    """Sites with descriptions.

    Args:
        question: what is sought.
        descriptions: texts by host.
    """

    def __init__(self, question: str, descriptions: Mapping[str, str]) -> None:
        self._wanted = frozenset(map(stem, content_words(question)))
        self._held = {site: frozenset(map(stem, content_words(text))) for site, text in descriptions.items()}
        having = Counter(form for forms in self._held.values() for form in forms)
        self._worth = {form: math.log(1 + len(self._held) / count) for form, count in having.items()}
        worths = {site: sum(self._worth[form] for form in sorted(forms)) for site, forms in self._held.items()}
        self._norms = {site: math.sqrt(worth) or 1.0 for site, worth in worths.items()}

    def __len__(self) -> int:
        return len(self._held)

    def fits(self, found: Sequence[tuple[str, str]] = ()) -> dict[str, SiteFit]:
        """The fit of each site, best first, ties as they came.

        A description is worth its words that the question has, and those that good pages have: pages that tell of what
        is sought tell where it is, and so who else may know of it. A link counts as much as the best description.

        Args:
            found: titles and texts of the best pages that came.
        """
        evidence = dict.fromkeys(self._wanted, 1.0)
        links: dict[str, float] = {}
        for title, text in found:
            forms, hosts = _read(title, text)
            share = len(self._wanted & forms) / max(len(self._wanted), 1)
            for form in self._worth.keys() & forms:
                evidence[form] = max(evidence.get(form, 0.0), share)
            for host in hosts & self._held.keys():
                links[host] = max(links.get(host, 0.0), share)
        scores = {
            site: sum(self._worth[form] * evidence[form] for form in sorted(forms & evidence.keys()))
            / self._norms[site]
            for site, forms in self._held.items()
        }
        most = max(scores.values(), default=0.0) or 1.0
        fits = {site: SiteFit(round(score / most, 6), round(links.get(site, 0.0), 6)) for site, score in scores.items()}
        return dict(sorted(fits.items(), key=lambda one: -round(sum(one[1]), 6)))


@lru_cache(maxsize=1_024)
def _listed(question: str, descriptions: tuple[tuple[str, str], ...]) -> SiteFits:
    return SiteFits(question, dict(descriptions))


def listed_sites(question: str, descriptions: Mapping[str, str]) -> SiteFits:
    """The sites with descriptions; many attempts at one task share them.

    >>> list(listed_sites("old mill", {"a.example": "Boats.", "b.example": "Mills, new and old."}).fits())
    ['b.example', 'a.example']
    """
    return _listed(question, tuple(descriptions.items()))


def with_sorts(query: str) -> str:
    """A query with the words by which sites say that they have such things: a name may be anybody's, so sites on people
    are as good for it as those on things of its kind; and what no site names an encyclopedia may have.

    >>> with_sorts("Anil Falkholt funeral"), with_sorts("old mills")
    ('Anil Falkholt funeral encyclopedia people obituaries', 'old mills encyclopedia')
    """
    somebody = _SOMEBODY.search(query) is not None
    return " ".join([query, _GENERAL, *(_PEOPLE if somebody else ())])


class AskRow(NamedTuple):
    """A question to several sites, best first, and how each fits it."""

    query: str
    sites: tuple[str, ...]
    fits: tuple[SiteFit, ...]


def ask_rows(query: str, fits: Mapping[str, SiteFit], rows: int) -> list[AskRow]:
    """Rows that put one question to ever more of some sites: the best 5, 10, 20, …

    Args:
        query: the question.
        fits: the sites that may be asked, best first.
        rows: how many at most.
    """
    left = list(fits)
    starts = [0, *(_AT_ONCE * 2**row for row in range(rows))]
    groups = [left[:end] for start, end in pairwise(starts) if start < len(left)]
    return [AskRow(query, tuple(group), tuple(fits[site] for site in group)) for group in groups]


@lru_cache(maxsize=2_048)
def _read(title: str, text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems of a page, and the hosts that it links to."""
    words = words_of(f"{title} {text[:_READ]}")
    return frozenset(map(stem, words)), frozenset(_LINK.findall(text))


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
