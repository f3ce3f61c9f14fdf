"""The server's own HTML pages: the list of sites, the results of a search, a site's pages, and errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from webenv.observations import Result
from webenv.serving.hosts import browser_url
from webenv.serving.look import BAR
from webenv.serving.markup import text_html


class Listing(NamedTuple):
    """A part of a long list.

    Attributes:
        number: which part, from 1.
        more: whether there is another one after it.
        query: the other parameters of its address.
    """

    number: int
    more: bool
    query: dict[str, str]

    def turn(self, path: str, parameter: str) -> str:
        """Links to the part before and the one after."""

        def link(number: int, text: str) -> str:
            address = f"{path}?{urlencode({**self.query, parameter: str(number)})}"
            return f'<a href="{text_html(address)}">{text}</a>'

        before = link(self.number - 1, "← Previous") if self.number > 1 else "<span></span>"
        after = link(self.number + 1, "Next →") if self.more else "<span></span>"
        return f'<nav class="turn">{before}{after}</nav>' if self.number > 1 or self.more else ""


def _document(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{text_html(title)}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{BAR}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _search_box(query: str = "", action: str = "/search") -> str:
    return (
        f'<form action="{text_html(action)}"><input name="q" value="{text_html(query)}" placeholder="Search this web" '
        'aria-label="Search this web"><button>Search</button></form>'
    )


def index_page(
    name: str,
    pages: int,
    sites: Sequence[tuple[str, int]],
    total: int,
    wanted: str,
    listing: Listing,
    port: str,
) -> str:
    """The front page: what is served, a search box, and one part of the list of sites.

    Args:
        name: what the web is called.
        pages: how many pages it has.
        sites: host and number of pages, for this part of the list.
        total: how many sites there are.
        wanted: what a site's host must contain to be listed; may be empty.
        listing: which part this is.
        port: the port at which the browser reached this server.
    """
    rows = "".join(
        f'<li><a href="{text_html(browser_url(f"https://{host}/", port))}">{text_html(host)}</a>'
        f"<span>{count:,}</span></li>"
        for host, count in sites
    )
    choose = (
        f'<form action="/"><input name="sites" value="{text_html(wanted)}" placeholder="Part of a site\'s name" '
        'aria-label="Part of a site\'s name"><button>Find site</button></form>'
        if total > len(sites) or wanted
        else ""
    )
    none = "" if rows else '<p class="dim">No site has such a name.</p>'
    return _document(
        name,
        f'<h1>{text_html(name)}</h1>\n<p class="dim">{pages:,} pages on {total:,} sites</p>\n{_search_box()}\n'
        f'<h2>Sites</h2>\n{choose}{none}<ul class="rows sites">{rows}</ul>\n{listing.turn("/", "page")}\n'
        '<p class="dim">Programs name the site in the Host header, or use this server as their HTTP proxy; '
        "<code>/search?q=…&amp;format=json</code> answers as SearXNG does.</p>",
    )


def _hits(results: Sequence[tuple[Result, str]], port: str) -> str:
    rows = []
    for hit, date in results:
        day = f" · {text_html(date)}" if date else ""
        rows.append(
            f'<li><a class="title" href="{text_html(browser_url(hit.url, port))}">{text_html(hit.title or hit.url)}</a>'
            f'<p class="dim">{text_html(hit.url)}{day}</p><p>{text_html(hit.snippet)}</p></li>'
        )
    return f'<ul class="rows hits">{"".join(rows)}</ul>'


def results_page(name: str, query: str, results: Sequence[tuple[Result, str]], listing: Listing, port: str) -> str:
    """What a search found.

    Args:
        name: what the web is called.
        query: what was sought.
        results: hits of this part, each with its date, which may be empty.
        listing: which part this is.
        port: as in :func:`index_page`.
    """
    none = "" if results else '<p class="dim">Nothing was found.</p>'
    return _document(
        f"{query} – {name}",
        f'<p><a href="/">{text_html(name)}</a></p>\n{_search_box(query)}\n{none}{_hits(results, port)}\n'
        f"{listing.turn('/search', 'pageno')}",
    )


def site_page(name: str, host: str, count: int, hits: Sequence[Result], listing: Listing, home: str, port: str) -> str:
    """The pages of a site that has no front page of its own; for people only.

    Args:
        name: what the web is called.
        host: the site.
        count: how many pages it has.
        hits: the pages of this part.
        listing: which part this is.
        home: the address of this server's front page.
        port: as in :func:`index_page`.
    """
    shown = [(hit._replace(snippet=""), "") for hit in hits]
    return _document(
        host,
        f'<p><a href="{text_html(home)}">{text_html(name)}</a></p>\n<h1>{text_html(host)}</h1>\n'
        f'<p class="dim">{count:,} pages</p>\n{_hits(shown, port)}\n{listing.turn("/", "page")}',
    )


def error_page(status: int, text: str, home: str = "") -> str:
    """A page that says why there is none.

    Args:
        status: the HTTP status.
        text: what is wrong, in a sentence.
        home: the address of this server's front page, for people; may be empty.
    """
    link = f'\n<p><a href="{text_html(home)}">All sites</a></p>' if home else ""
    return _document(f"{status}", f"<h1>{status}</h1>\n<p>{text_html(text)}</p>{link}")
