"""HTML documents: pages as plain markup, lists of pages and sites, and the style that all have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from webenv.corpora.markdown import markdown_html, text_html
from webenv.observations import Page, Result
from webenv.serving.hosts import browser_url


def page_html(page: Page, site: str, related: Sequence[Result] = ()) -> str:
    """A whole document."""
    title, url, date = text_html(" ".join(page.title.split())), text_html(page.url), text_html(page.date)
    published = f'<meta property="article:published_time" content="{date}">\n' if date else ""
    stamp = f'<p><time datetime="{date}">{date}</time></p>' if date else ""
    links = "".join(f'<li><a href="{text_html(hit.url)}">{text_html(hit.title or hit.url)}</a></li>' for hit in related)
    more = f"<aside><h2>Related</h2><ul>{links}</ul></aside>\n" if links else ""
    return (
        f'<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta property="og:title" content="{title}">\n<link rel="canonical" href="{url}">\n'
        f"{published}</head>\n<body>\n"
        f'<header><a href="/">{text_html(site)}</a></header>\n<h1>{title}</h1>{stamp}\n'
        f"<article>\n{markdown_html(page.text)}</article>\n{more}"
        f'<footer><a href="/">{text_html(site)}</a></footer>\n</body>\n</html>\n'
    )


_BASE = """
:root{color-scheme:light dark;--ink:#1c2024;--dim:#5f6b76;--line:#dfe3e8;--soft:#f5f7f9;--back:#fff;--link:#0b57b7}
@media (prefers-color-scheme:dark){:root{--ink:#e4e7ea;--dim:#98a3ad;--line:#343a41;--soft:#21262b;--back:#16191c;
--link:#8ab8ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1.25rem 3rem;max-width:46rem;background:var(--back);color:var(--ink);
font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;overflow-wrap:anywhere}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
h1{font-size:1.8rem;line-height:1.25;margin:1.6rem 0 .5rem}h2{font-size:1.2rem;margin:1.6rem 0 .4rem}
h3{font-size:1rem;margin:1rem 0 .3rem}time{color:var(--dim);font-size:.9rem}
"""

PAGE = f"""{_BASE}
p{{margin:.7rem 0;white-space:pre-wrap}}article li,main li{{margin:.2rem 0}}
table{{border-collapse:collapse;display:block;overflow-x:auto;margin:1rem 0;font-size:.93rem}}
td{{border:1px solid var(--line);padding:.3rem .6rem;vertical-align:top;overflow-wrap:normal}}
tr:first-child td{{background:var(--soft)}}
header{{display:flex;flex-wrap:wrap;gap:.3rem 1.5rem;align-items:baseline;padding:1rem 0 .7rem;
border-bottom:1px solid var(--line)}}
header>a{{font-weight:600;color:var(--ink)}}
header nav ul{{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:0;padding:0;font-size:.93rem}}
.cookie-banner,.ad{{background:var(--soft);border:1px solid var(--line);border-radius:.4rem;color:var(--dim);
font-size:.85rem;padding:.5rem .8rem;margin:.9rem 0}}
aside{{margin:1.8rem 0 0;padding:.2rem 1rem .6rem;background:var(--soft);border-radius:.5rem;font-size:.95rem}}
aside ul{{margin:.3rem 0;padding-left:1.2rem}}
.pagination{{margin:1.2rem 0;display:flex;gap:.8rem}}
.comment{{border-left:3px solid var(--line);padding:.1rem .8rem;margin:.6rem 0;color:var(--dim)}}
footer{{margin-top:2rem;padding-top:.6rem;border-top:1px solid var(--line);color:var(--dim);font-size:.88rem}}
"""
"""The style of the pages of sites."""

BAR = f"""{_BASE}
form{{display:flex;gap:.5rem;margin:1rem 0}}
input{{flex:1;min-width:0;font:inherit;color:inherit;background:var(--back);border:1px solid var(--line);
border-radius:.5rem;padding:.5rem .8rem}}
button{{font:inherit;border:1px solid var(--line);border-radius:.5rem;padding:.5rem 1rem;background:var(--soft);
color:inherit;cursor:pointer}}
.dim{{color:var(--dim);font-size:.9rem}}.rows{{list-style:none;margin:1rem 0;padding:0}}
.sites{{columns:2;column-gap:2.5rem}}@media (max-width:34rem){{.sites{{columns:1}}}}
.sites li{{display:flex;justify-content:space-between;gap:1rem;break-inside:avoid;padding:.25rem 0;
border-bottom:1px solid var(--line)}}
.sites span{{color:var(--dim);font-variant-numeric:tabular-nums}}
.hits li{{margin:0 0 1.3rem}}.hits .title{{font-size:1.1rem}}.hits p{{margin:.15rem 0}}
.turn{{display:flex;justify-content:space-between;margin:1.5rem 0}}
"""
"""The style of the server's own pages."""

_VIEWPORT = '<meta name="viewport" content="width=device-width, initial-scale=1">'
_STRIP = (
    "body>.webenv{margin:0 calc(50% - 50vw);padding:.35rem max(1.25rem,calc(50vw - 21.75rem));"
    "background:var(--soft,#f5f7f9);"
    "color:var(--dim,#5f6b76);font-size:.82rem;border-bottom:1px solid var(--line,#dfe3e8)}"
)


def dressed(html: str, strip: str = "") -> str:
    """A site's document with a style, where it has none of its own, and for people's browsers a strip at its top.

    Args:
        html: the document.
        strip: what stands in the strip, HTML; empty: there is none.
    """
    style = ("" if "<style>" in html else PAGE) + (_STRIP if strip else "")
    html = html.replace("</head>", f"{_VIEWPORT}<style>{style}</style></head>", 1)
    return html.replace("<body>", f'<body><div class="webenv">{strip}</div>', 1) if strip else html


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
    """What a search found."""
    none = "" if results else '<p class="dim">Nothing was found.</p>'
    return _document(
        f"{query} – {name}",
        f'<p><a href="/">{text_html(name)}</a></p>\n{_search_box(query)}\n{none}{_hits(results, port)}\n'
        f"{listing.turn('/search', 'pageno')}",
    )


def site_page(name: str, host: str, count: int, hits: Sequence[Result], listing: Listing, home: str, port: str) -> str:
    """The pages of a site that has no front page of its own; for people only."""
    shown = [(hit._replace(snippet=""), "") for hit in hits]
    return _document(
        host,
        f'<p><a href="{text_html(home)}">{text_html(name)}</a></p>\n<h1>{text_html(host)}</h1>\n'
        f'<p class="dim">{count:,} pages</p>\n{_hits(shown, port)}\n{listing.turn("/", "page")}',
    )


def error_page(status: int, text: str, home: str = "") -> str:
    """A page that says why there is none."""
    link = f'\n<p><a href="{text_html(home)}">All sites</a></p>' if home else ""
    return _document(f"{status}", f"<h1>{status}</h1>\n<p>{text_html(text)}</p>{link}")
