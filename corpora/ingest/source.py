"""The Source: where pages of a corpus come from; and how one is named on a command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from webenv.corpora.document import Skipped, SourcePage
from webenv.errors import CorpusError, did_you_mean

__all__ = ["Source", "parse_source"]

_HTML = re.compile(r"(?P<path>.+?)(?:@(?P<site>https?://.*))?", re.DOTALL)
_FORMS = {
    "html": "html:PATH@https://site",
    "jsonl": "jsonl:FILE",
    "needle": "needle:DIR",
    "procedural": "procedural:pages=3000,seed=0",
}


@runtime_checkable
class Source(Protocol):
    """Gives documents one after the other, in the same order each time."""

    @property
    def spec(self) -> str:
        """What it is called on a command line and in a manifest."""
        ...

    def count(self) -> int | None:
        """How many documents there are, where that is cheap to tell."""
        ...

    def __iter__(self) -> Iterator[SourcePage | Skipped]:
        """The documents; a record that is none is :class:`Skipped`."""
        ...


def parse_source(spec: str) -> Source:
    """The source that a command line names.

    ========================  =====================================================================
    html:PATH@https://site    a folder of .html files; PATH/a/b.html becomes https://site/a/b.html.
                              Without ``@https://site`` the site is https://<name of the folder>.example
    jsonl:FILE                one JSON object a line: url, text or html, and if wanted title, date, aliases
    needle:DIR                official files of Needle in the Web: the page of each record
    procedural:DIALS          a web made from a seed (:class:`webenv.corpora.procedural.Dials`), as in
                              procedural:pages=100000,seed=3; DIALS may be left out
    ========================  =====================================================================

    Raises:
        CorpusError: for an unknown kind, or a path that is not there or holds nothing of the kind.
        InvalidArgument: for a dial that there is not, or whose value is out of range.
    """
    from webenv.corpora.ingest.html import HtmlTree
    from webenv.corpora.ingest.jsonl import JsonLines
    from webenv.corpora.ingest.needle import NeedleFiles

    kind, colon, rest = spec.partition(":")
    if kind == "procedural":
        from webenv.corpora.procedural.source import ProceduralPages

        return ProceduralPages(spec)
    if not colon or kind not in _FORMS:
        hint = did_you_mean(kind, _FORMS) if colon else ""
        raise CorpusError(f"unknown source {spec!r}. Expected {', '.join(_FORMS.values())}. {hint}".rstrip())
    if not rest:
        raise CorpusError(f"source {spec!r} names no path: expected {_FORMS[kind]}.")
    if kind == "jsonl":
        return JsonLines(rest)
    if kind == "needle":
        return NeedleFiles(rest)
    match = _HTML.fullmatch(rest)
    if match is None:
        raise CorpusError(f"source {spec!r} cannot be read: expected {_FORMS['html']}.")
    return HtmlTree(match["path"], match["site"] or "")
