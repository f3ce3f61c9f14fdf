"""A web as the sites that it holds: what stands at each address, as HTML; and webs by name, as they are served."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds, config_of, generated_web, is_rewritten
from webenv.corpora.world import WorldSite, WorldWeb
from webenv.corpora.world.directory import ListedPage, SiteLists
from webenv.corpora.world.html import STATEMENTS, SearchHit, SiteHTML
from webenv.corpora.world.html_parts import Pager
from webenv.envs.webs import open_web
from webenv.errors import InvalidArgument
from webenv.observations import Page, Result
from webenv.serving.pages import page_html
from webenv.urls import host_of, key_of
from webenv.web import Failure, SearchRequest, VisitRequest, Web

_RELATED = 6
_ROWS = 15  # of one part of a list
_RESULTS = 10
_PARTS = 10  # of what a site's search found
_WORDS = re.compile(r"\w+")


class Found(NamedTuple):
    """What stands at an address.

    Attributes:
        status: 200 a page, 301 it stands elsewhere, 410 it is gone, 404 there is nothing.
        url: the page's own URL; empty for 404 and 410.
        html: its document; empty without one. A site may have a document for 404 too.
    """

    status: int
    url: str = ""
    html: str = ""


class Sites(Protocol):
    """A web as the sites that it holds; used from one thread."""

    @property
    def corpus(self) -> Corpus: ...

    def find(self, url: str) -> Found:
        """What stands at an address; any text is one."""
        ...


class CorpusSites:
    """The sites of any corpus: plain pages, made of title, date and main text.

    Each links to up to six other pages of its site, those that fit its title best.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus

    def find(self, url: str) -> Found:
        """What stands at an address: other addresses of a page lead to its own."""
        (page,) = self.corpus.visit([VisitRequest(url)])
        if not isinstance(page, Page):
            return Found(404)
        if key_of(url) != key_of(page.url):
            return Found(301, page.url)
        return Found(200, page.url, page_html(page, host_of(page.url), self._related(page)))

    def _related(self, page: Page) -> list[Result]:
        host = host_of(page.url)
        words = " ".join(_WORDS.findall(page.title)[:8])
        (hits,) = self.corpus.search([SearchRequest(f"{words} site:{host}", _RELATED + 1)])
        return [] if isinstance(hits, Failure) else [hit for hit in hits if hit.url != page.url][:_RELATED]


class SimulatedSites:
    """The sites of a generated web; every link of every document that they have leads somewhere.

    Beside the pages of the corpus each has a front page (``/``), a list of all pages (``/<section>``), lists by subject
    (``/tag``, ``/tag/bridges``), year (``/archive``, ``/archive/2019``) and author (``/author``), a search
    (``/search?q=…``), and what sites say of themselves (``/about-us``, ``/contact``, ``/imprint``, ``/privacy``).

    Args:
        corpus: the pages, which the searches go over.
        web: what knows where they stand and how they look.
    """

    def __init__(self, corpus: Corpus, web: WorldWeb) -> None:
        self.corpus = corpus
        self._web = web
        self._directory = SiteLists(web)
        self._html = SiteHTML(web, self._directory)
        self._by_host = {site.host: site for site in web.sites}

    def find(self, url: str) -> Found:
        """What stands at an address."""
        number = self._web.find(url)
        if number is not None:
            page = self._web.plan(number)
            return Found(200, page.url, self._html.page(page))
        site = self._by_host.get(host_of(url))
        if site is None:
            return Found(404)
        try:
            parts = urlsplit(url)
            query = dict(parse_qsl(parts.query, max_num_fields=20))
        except ValueError:
            return Found(404, "", self._html.lost(site))
        html = self._other(site, [part for part in parts.path.split("/") if part], query)
        return Found(200, url, html) if html else Found(404, "", self._html.lost(site))

    def _other(self, site: WorldSite, path: list[str], query: dict[str, str]) -> str:
        """A document that is no page of the corpus; empty where there is none."""
        part = _part(query.get("page", ""))
        match path:
            case []:
                return self._html.home(site)
            case ["search"]:
                return self._search(site, query.get("q", "").strip(), part)
            case [name] if name in STATEMENTS:
                return self._html.statement(site, name)
            case [name] if name == site.section:
                return self._list(site, f"All pages of {site.name}", self._directory.of(site).pages, f"/{name}", part)
            case ["tag" | "archive" | "author" as name]:
                return self._index(site, name)
            case ["tag", tag]:
                title = self._directory.of(site).names.get(tag, "")
                pages = self._directory.of(site).tags.get(tag, ())
                return self._list(site, title[:1].upper() + title[1:], pages, f"/tag/{tag}", part)
            case ["archive", year]:
                pages = self._directory.of(site).years.get(year, ())
                return self._list(site, f"Pages of {year}", pages, f"/archive/{year}", part)
            case ["author", name]:
                pages = self._directory.of(site).authors.get(name, ())
                author = pages[0].author if pages else ""
                note = self._html.biography(site, author) if author else ""
                return self._list(site, author, pages, f"/author/{name}", part, note)
        return ""

    def _list(
        self, site: WorldSite, title: str, pages: Sequence[ListedPage], path: str, part: int, note: str = ""
    ) -> str:
        last = max(1, -(-len(pages) // _ROWS))
        if not 1 <= part <= last or (not pages and path != f"/{site.section}"):
            return ""
        shown = pages[(part - 1) * _ROWS : part * _ROWS]
        return self._html.listing(site, title, shown, Pager(path, part, last), note)

    def _index(self, site: WorldSite, name: str) -> str:
        pages = self._directory.of(site)
        if name == "tag":
            rows = [(pages.names[tag], f"/tag/{tag}", len(of)) for tag, of in pages.tags.items()]
            return self._html.index(site, "Subjects", "/tag", [(n[:1].upper() + n[1:], way, c) for n, way, c in rows])
        if name == "archive":
            years = [(year, f"/archive/{year}", len(of)) for year, of in pages.years.items()]
            return self._html.index(site, "Archive", "/archive", years) if years else ""
        people = [(of[0].author, f"/author/{key}", len(of)) for key, of in pages.authors.items()]
        return self._html.index(site, "Who writes here", "/author", people) if people else ""

    def _search(self, site: WorldSite, query: str, part: int) -> str:
        words = " ".join(word for word in query.split() if "site:" not in word)  # over this site, whatever is asked
        if not words:
            return self._html.search(site, query, (), Pager("/search"))
        if not 1 <= part <= _PARTS:
            return ""
        (hits,) = self.corpus.search([SearchRequest(f"{words} site:{site.host}", _RESULTS * _PARTS)])
        found = () if isinstance(hits, Failure) else hits
        last = max(1, -(-len(found) // _RESULTS))
        shown = [SearchHit(hit.url, hit.title, hit.snippet) for hit in found[(part - 1) * _RESULTS : part * _RESULTS]]
        path = f"/search?{urlencode({'q': query})}"
        return self._html.search(site, query, shown, Pager(path, part, last)) if part <= last else ""


def open_served(name: str) -> Web:
    """The web of a name, as :func:`webenv.envs.webs.open_web` opens it; of a procedural one, one world.

    Raises:
        InvalidArgument: if it names no web, or several worlds.
        CorpusError: if there is no such corpus, or it is damaged.
        MissingExtra: if a package that it needs is missing.
    """
    _dials(name)
    return open_web(name, workers=1)


def open_sites(name: str) -> Sites:
    """The sites of a corpus by its name: those of a generated web with all that stands around its texts, others plain.

    Raises:
        InvalidArgument: if it names no corpus, or several worlds.
        CorpusError, MissingExtra: as :func:`open_served`.
    """
    corpus = open_served(name)
    if not isinstance(corpus, Corpus):
        raise InvalidArgument(
            f"{name!r:.100} is no corpus, so its pages are not known: serve 'sample', 'procedural', or a corpus folder."
        )
    dials = _dials(name)
    if dials is None and corpus.manifest is not None and not is_rewritten(corpus.manifest):
        try:
            dials = config_of(corpus.manifest)
        except InvalidArgument:  # of another version of the generator: its pages are still there
            dials = None
    return CorpusSites(corpus) if dials is None else SimulatedSites(corpus, generated_web(dials))


def _part(text: str) -> int:
    """The number of a part of a list; 0 for a text that is none."""
    if not text:
        return 1
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0


def _dials(name: str) -> WebConfig | None:
    """The dials of a procedural web's name; ``None`` for another name."""
    if name.partition(":")[0] != "procedural":
        return None
    worlds = Worlds.parse(name)
    if worlds.count > 1:
        raise InvalidArgument(f"{name!r:.100} has {worlds.count:,} worlds: serve one of them; leave worlds out.")
    return worlds.first
