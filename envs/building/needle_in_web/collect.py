"""Pages that queries may be built from: the newest of feeds and sitemaps, and random ones.

Source: Needle in the Web, section 3.4 and appendix A: 30 to 35 articles a site, the latest of most sites, of papers
uniformly from the feeds of all subjects, of Wikipedia at random.

*Differs from* the paper: one collector for all sites, where it has a script for each; a site's robots.txt holds for
its feeds too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import NamedTuple

from webenv.corpora.live.feeds import Link, links_of
from webenv.errors import InvalidArgument, did_you_mean
from webenv.observations import Page
from webenv.urls import canonical_url, host_of, key_of
from webenv.web import VisitRequest, Web

KINDS = ("feed", "sitemap", "random")
"""What pages may be taken from: a feed, a sitemap or an index of sitemaps, an address that leads to a random page."""

MOST_LISTS = 50
"""The most sitemaps that are read of an index."""

_TRIES = 3  # visits to a random address, for each page that is wanted
_DRAW = "draw"  # a parameter that makes each visit to a random address a request of its own, on a tape too
_DRAWN = re.compile(rf"(?<=[?&]){_DRAW}=\d+&?")


class PageSource(NamedTuple):
    """Where pages are taken from; ``kind`` is one of :data:`KINDS`."""

    kind: str
    url: str

    @classmethod
    def parse(cls, text: str) -> PageSource:
        """A source as it is written: ``feed:https://…``.

        Raises:
            InvalidArgument: for another form, kind, or what is no web address.
        """
        kind, colon, url = text.partition(":")
        if not colon or kind not in KINDS:
            raise InvalidArgument(f"--from {text!r:.100}: expected KIND:URL. {did_you_mean(kind, KINDS)}")
        if not url.startswith(("http://", "https://")) or canonical_url(url) is None:
            raise InvalidArgument(f"--from {text!r:.100}: expected a web address after {kind}:, as in {kind}:https://…")
        return cls(kind, url)

    def __str__(self) -> str:
        return f"{self.kind}:{self.url}"


@dataclass
class CollectedSource:
    """What one source gave.

    Attributes:
        source: the source, as it is written.
        came: pages that it named.
        kept: of them taken.
        left: why others were not, and how many.
        reason: why nothing came; empty where something did.
    """

    source: str
    came: int = 0
    kept: int = 0
    left: Counter[str] = field(default_factory=Counter)
    reason: str = ""


@dataclass(frozen=True)
class PageCollector:
    """Collects addresses of pages.

    Attributes:
        web: what feeds, sitemaps and random addresses are visited on; its limits and pauses hold.
        per_site: the most pages of a site.
        since: the first day, an ISO date, of pages that state one; those that state none count. Empty: any.
        match: a pattern that addresses must meet, with ``*`` for anything; empty: any.
        replace: what is put in place of what in each address, as ``/abs/`` by ``/html/``; empty: nothing.
    """

    web: Web
    per_site: int = 35
    since: str = ""
    match: str = ""
    replace: tuple[str, str] = ("", "")

    def collect(self, sources: Sequence[PageSource]) -> tuple[list[str], list[CollectedSource]]:
        """The addresses, site by site, and what each source gave.

        The sources of a site are drawn from in turn, so that each subject of it has its share.

        Args:
            sources: where pages are taken from.

        Raises:
            InvalidArgument: for no source, or fewer than one page a site.
        """
        if not sources or self.per_site < 1:
            raise InvalidArgument(f"{len(sources)} sources, {self.per_site} pages a site: expected 1 or more of each.")
        queues: list[tuple[CollectedSource, Iterator[Link]]] = []
        for source in dict.fromkeys(sources):
            one = CollectedSource(str(source))
            found = self._drawn(source.url, one) if source.kind == "random" else self._listed(source.url, one)
            queues.append((one, iter(found)))
        told = [one for one, _ in queues]
        by_site: dict[str, list[str]] = {}
        seen: set[int] = set()
        while queues:
            for queue in tuple(queues):
                one, links = queue
                url = next((kept for link in links if (kept := self._take(link, one, by_site, seen))), None)
                if url is None:
                    queues.remove(queue)
                else:
                    by_site.setdefault(host_of(url), []).append(url)
                    one.kept += 1
        return [url for urls in by_site.values() for url in urls], told

    def _take(self, link: Link, one: CollectedSource, by_site: dict[str, list[str]], seen: set[int]) -> str | None:
        """The address of a link, if it counts."""
        old, new = self.replace
        url = link.url.replace(old, new) if old else link.url
        key = key_of(url)
        if key is None:
            why = "no web address"
        elif key in seen:
            why = "named before"
        elif self.match and not fnmatchcase(url, self.match):
            why = f"does not match {self.match}"
        elif self.since and link.date and link.date < self.since:
            why = f"before {self.since}"
        elif len(by_site.get(host_of(url), ())) >= self.per_site:
            why = "more than are wanted of the site"
        else:
            seen.add(key)
            return url
        one.left[why] += 1
        return None

    def _listed(self, url: str, one: CollectedSource) -> list[Link]:
        """The links of a feed or sitemap; of an index, those of its sitemaps, newest first."""
        found: list[Link] = []
        lists = [url]
        for number, place in enumerate(lists):
            (page,) = self.web.visit([VisitRequest(place)])
            links = links_of(page) if isinstance(page, Page) else None
            if links is None:
                why = "neither a feed nor a sitemap" if isinstance(page, Page) else page.reason
                one.reason = one.reason or f"{place}: {why}"
            elif links.lists:  # an index; one within another is no longer of the protocol
                lists += [link.url for link in links.links][: MOST_LISTS - 1] if number == 0 else []
            else:
                found += links.links
                if not (self.since or self.match) and len(found) >= self.per_site:
                    break  # nothing of the older sitemaps is wanted
        found.sort(key=lambda link: link.date, reverse=True)  # a feed may list them in any order; undated ones are last
        one.came = len(found)
        one.reason = "" if found else one.reason or "it lists nothing"
        return found

    def _drawn(self, url: str, one: CollectedSource) -> list[Link]:
        """Random pages, each visit a draw of its own."""
        found: dict[str, Link] = {}
        for number in range(_TRIES * self.per_site):
            (page,) = self.web.visit([VisitRequest(f"{url}{'&' if '?' in url else '?'}{_DRAW}={number}")])
            if not isinstance(page, Page):
                one.left[page.reason] += 1
                one.reason = one.reason or page.reason
                if number == 2 and not found:
                    break  # a site that refuses is not asked a hundred times
                continue
            led = _DRAWN.sub("", page.url).rstrip("?&")
            found.setdefault(led, Link(led, page.title, page.date))
            if len(found) >= self.per_site:
                break
        one.came = len(found)
        one.reason = "" if found else one.reason
        return list(found.values())
