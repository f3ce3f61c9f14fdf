"""What a query says: words, "phrases", site: and -site: filters. Any text is a query."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from webenv.corpora.analysis import REMOVED, analyzer, indexed_text, utf8
from webenv.urls import host_of
from webenv.web import Scope

_MOST_CHARACTERS = 20_000
_MOST_WORDS = 256
_MOST_FILTERS = 32
# An operator stands at the start or after a space or a bracket; a phrase needs both its quotes.
_FILTER = re.compile(r"""(?:(?<=^)|(?<=[\s(,"“”]))(-?)site:([^\s"“”,;()<>]*)""", re.IGNORECASE)
_PHRASE = re.compile(r'["“”„]([^"“”„]*)["“”„]')
_QUOTES = re.compile(r'["“”„]')


# ── what is asked ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query, read.

    Attributes:
        words: stems of the plain words, each once, in order; a page need not have them all.
        phrases: quoted phrases as (place, stem) pairs; a page must have every one.
        sites: hosts; a page must be of one of them, or of a subdomain.
        excluded: hosts; a page must be of none of them.
        plain: the plain words as they were written, for engines that analyse texts themselves.
        quoted: the phrases as they were written.
    """

    words: tuple[str, ...] = ()
    phrases: tuple[tuple[tuple[int, str], ...], ...] = ()
    sites: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    plain: str = field(default="", repr=False, compare=False)
    quoted: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def stems(self) -> tuple[str, ...]:
        """The stems of words and phrases, each once."""
        if not self.phrases:
            return self.words
        return tuple(dict.fromkeys((*self.words, *(form for phrase in self.phrases for _, form in phrase))))


@lru_cache(maxsize=256)  # a query is read for its ranking, and again for its snippets
def parse_query(query: str) -> ParsedQuery:
    """Reads a query; of very long ones the first 20,000 characters and 256 words.

    ``site:`` takes a host in any case, with or without ``www.``, scheme, port or path; one that
    names no host matches no site, and one with nothing after it is ignored.

    >>> parse_query('tide "neap tides" site:www.Example.org/x -site:b.example')
    ParsedQuery(words=('tide',), phrases=(((0, 'neap'), (1, 'tide')),), sites=('example.org',), excluded=('b.example',))
    """
    query = utf8(query[:_MOST_CHARACTERS])
    sites: dict[str, None] = {}
    excluded: dict[str, None] = {}
    lowered = query.lower()
    if "site:" in lowered:

        def take(match: re.Match[str]) -> str:
            host = host_of(match[2].removeprefix("*.").lstrip("."))
            if match[2] and len(sites) + len(excluded) < _MOST_FILTERS:
                if match[1] and host:
                    excluded[host] = None
                elif not match[1]:
                    sites[host or "-"] = None  # no page is of the site "-"
            return " "

        query = _FILTER.sub(take, query)
    phrases: list[tuple[tuple[int, str], ...]] = []
    written: list[str] = []
    left = _MOST_WORDS
    if _PHRASE.search(query):
        for quoted in _PHRASE.findall(query):
            tokens = [(token.position, token.text) for token in analyzer().pre_tokenize(quoted).tokens][:left]
            if tokens:
                first = tokens[0][0]
                phrases.append(tuple((place - first, form) for place, form in tokens))
                written.append(quoted)
                left -= len(tokens)
        query = _PHRASE.sub(" ", query)
    forms = dict.fromkeys(indexed_text(query).split())  # as the analyzer gives them, in half the time
    forms.pop(REMOVED, None)
    words = tuple(forms)[:left]
    return ParsedQuery(
        words, tuple(dict.fromkeys(phrases)), tuple(sites), tuple(excluded), query, tuple(dict.fromkeys(written))
    )


def hidden_hosts(query: ParsedQuery, scope: Scope) -> tuple[str, ...]:
    """The hosts that a query leaves out or its scope blocks, each once; none of their pages may be found.

    >>> hidden_hosts(parse_query("tide -site:b.example"), Scope(blocked=("https://www.c.example/", "no host")))
    ('b.example', 'c.example')
    """
    blocked = (host_of(host) for host in scope.blocked)
    return tuple(dict.fromkeys((*query.excluded, *(host for host in blocked if host))))


def without_filters(query: str) -> str:
    """A query's words and phrases as they stand, without its ``site:`` and ``-site:`` filters.

    >>> without_filters('tide "neap tides" site:www.Example.org/x')
    'tide "neap tides"  '
    """
    return _FILTER.sub(" ", utf8(query[:_MOST_CHARACTERS]))


def plain_text(query: str) -> str:
    """What a query says in words: without filters and quotation marks, on one line.

    >>> plain_text(' tide "neap tides"  site:example.org ')
    'tide neap tides'
    """
    return " ".join(_QUOTES.sub(" ", without_filters(query)).split())
