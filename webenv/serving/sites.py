"""A web as the sites that it holds: what stands at each address, as HTML; and webs by name, as they are served."""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from webenv.corpora import Corpus
from webenv.corpora.procedural import ProceduralWeb, WebConfig, Worlds, config_of, generated_web, render_html
from webenv.envs.webs import open_web
from webenv.errors import InvalidArgument
from webenv.observations import Page, Result
from webenv.serving.pages import page_html
from webenv.urls import host_of, key_of
from webenv.web import Failure, SearchRequest, VisitRequest, Web

_RELATED = 6
_WORDS = re.compile(r"\w+")


class Found(NamedTuple):
    """What stands at an address.

    Attributes:
        status: 200 a page, 301 it stands elsewhere, 410 it is gone, 404 there is nothing.
        url: the page's own URL; empty for 404 and 410.
        html: its document; empty without one.
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


class ProceduralSites:
    """The sites of a procedural web, with all that stands around the main text, moved pages and dead links."""

    def __init__(self, corpus: Corpus, web: ProceduralWeb) -> None:
        self.corpus = corpus
        self._web = web
        web.find("")  # makes the index of odd addresses now, which takes seconds for a million pages

    def find(self, url: str) -> Found:
        status = self._web.status(url)
        number = self._web.find(url)
        if number is None:
            return Found(status)
        plan = self._web.plan(number)
        return Found(status, plan.url, render_html(self._web, plan) if status == 200 else "")


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
    """The sites of a corpus by its name: procedural ones with all that stands around their texts, others plain.

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
    if dials is None and corpus.manifest is not None:
        try:
            dials = config_of(corpus.manifest)
        except InvalidArgument:  # of another version of the generator: its pages are still there
            dials = None
    return CorpusSites(corpus) if dials is None else ProceduralSites(corpus, generated_web(dials))


def _dials(name: str) -> WebConfig | None:
    """The dials of a procedural web's name; ``None`` for another name."""
    if name.partition(":")[0] != "procedural":
        return None
    worlds = Worlds.parse(name)
    if worlds.count > 1:
        raise InvalidArgument(f"{name!r:.100} has {worlds.count:,} worlds: serve one of them; leave worlds out.")
    return worlds.first
