"""The six strategies of AgentWebBench: what of the web an agent reaches, by which tool, and what it is told of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from webenv.corpora import Corpus
from webenv.corpora.content_agents import ContentAgents
from webenv.corpora.engine import HybridEngine
from webenv.corpora.site_vectors import SiteVectors
from webenv.corpora.sites import SiteDirectory, SiteViews, inside
from webenv.corpora.whole_texts import WholeTexts
from webenv.envs.agent_web_bench.listing import DescribedSites
from webenv.envs.webs import WebArgument
from webenv.errors import InvalidArgument, WebError, did_you_mean
from webenv.observations import Document, Reply
from webenv.policy import Policy
from webenv.urls import host_of
from webenv.web import (
    Asking,
    AskRequest,
    AskResponse,
    Failure,
    ListedSites,
    Missing,
    Scope,
    SearchRequest,
    SearchResponse,
    SiteListing,
    VisitRequest,
    VisitResponse,
    Web,
)

DOCUMENTS = 3
"""The pages of a site that one request brings, and of the whole web where a model reads them."""

BACKENDS = ("bm25", "dense", "hybrid")

NEAREST = 3
"""The sites that Tool_E searches."""


class Strategy(NamedTuple):
    """A way to reach the web.

    Attributes:
        access: ``central``: searches of the whole web; ``tools``: searches of some sites; ``agents``: questions to
            content agents.
        documents: pages that a request brings, of the web or of each site.
        named: whether the agent names the sites, and is told at the start which there are.
        about: in words.
    """

    access: str
    documents: int
    named: bool
    about: str


STRATEGIES: Mapping[str, Strategy] = {
    "multi_agent": Strategy("agents", DOCUMENTS, True, "asks the content agents of sites that it chooses"),
    "tool_p": Strategy("tools", DOCUMENTS, True, "searches sites that it chooses by their descriptions"),
    "tool_e": Strategy("tools", DOCUMENTS, False, "searches; the three sites nearest to a query are searched for it"),
    "classical": Strategy("central", DOCUMENTS, False, "searches one index of the whole web"),
    "classic_ir": Strategy("central", 10, False, "one search of the whole web, whose results are the answer"),
    "query_gen": Strategy("central", 10, False, "makes a query of a browsing history, and searches the whole web"),
}
"""The strategies of AgentWebBench, section 3.2 and 4; the first of an access is its default."""

ACCESS = tuple(dict.fromkeys(strategy.access for strategy in STRATEGIES.values()))


def chosen(access: str | None, strategy: str | None) -> str:
    """The name of the strategy that is asked for, by its own name or by its access.

    Raises:
        InvalidArgument: for an unknown name, or two that do not fit.
    """
    if access is not None and access not in ACCESS:
        raise InvalidArgument(f"access={access!r:.80}. {did_you_mean(str(access), ACCESS)}")
    if strategy is None:
        return next(name for name, one in STRATEGIES.items() if access in (None, one.access))
    if strategy not in STRATEGIES:
        raise InvalidArgument(f"strategy={strategy!r:.80}. {did_you_mean(str(strategy), STRATEGIES)}")
    if access not in (None, STRATEGIES[strategy].access):
        raise InvalidArgument(
            f"access={access!r} and strategy={strategy!r}: the strategy has access={STRATEGIES[strategy].access!r}; "
            "leave one of the two out."
        )
    return strategy


# ── named sites ───────────────────────────────────────────────────────────────


class SiteTools:
    """A retrieval tool over named sites: each question to a site is a search there, whose whole pages are the reply.

    It is :class:`webenv.web.Asking`, so that an agent names sites as it does where they have agents; there is
    nobody who reads the question.

    Args:
        web: what has the sites.
        documents: the most pages of a reply.
    """

    def __init__(self, web: Web, documents: int = DOCUMENTS) -> None:
        self._known = web
        self._web = WholeTexts(SiteViews(web))
        self._documents = documents

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "site tools", "documents": str(self._documents)}

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """One reply for each request, without a summary; a site that has no page is :class:`webenv.web.Missing`."""
        hosts = [host_of(request.site) for request in requests]
        bare = [SearchRequest(f"site:{host or '-'}", 1, one.scope) for one, host in zip(requests, hosts, strict=True)]
        known = self._known.search(bare)
        searches = [
            SearchRequest(one.question, self._documents, inside(host, one.scope))
            for one, host, there in zip(requests, hosts, known, strict=True)
            if there and not isinstance(there, Failure)
        ]
        found = iter(self._web.search(searches) if searches else [])
        return [
            there if isinstance(there, Failure) else _reply(host, next(found)) if there else Missing("no such site")
            for host, there in zip(hosts, known, strict=True)
        ]


def _reply(site: str, found: SearchResponse) -> AskResponse:
    if isinstance(found, Failure):
        return found
    return Reply(site, "", tuple(Document(hit.url, hit.title, hit.snippet, hit.key) for hit in found))


# ── nearest sites ─────────────────────────────────────────────────────────────


class SiteSelector(Protocol):
    """Chooses sites by what a query says, without a model."""

    @property
    def identity(self) -> Mapping[str, str]:
        """How it chooses, for the record of a run."""
        ...

    def nearest_sites(self, queries: Sequence[tuple[str, Scope]], k: int) -> list[list[str]]:
        """The ``k`` hosts nearest to each query, best first.

        Raises:
            WebError: if the web could not be asked.
        """
        ...


class NearestByVectors:
    """Sites by the means of the vectors of 100 of their pages, as a dense index of the pages has them.

    Args:
        directory: the sites, with vectors.
    """

    def __init__(self, directory: SiteDirectory) -> None:
        self._directory = directory

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "mean of vectors"}

    def nearest_sites(self, queries: Sequence[tuple[str, Scope]], k: int) -> list[list[str]]:
        """As :class:`SiteSelector` says; queries of one scope are encoded together."""
        found: dict[int, list[str]] = {}
        for scope in dict.fromkeys(scope for _, scope in queries):
            places = [place for place, (_, own) in enumerate(queries) if own == scope]
            near = self._directory.nearest([queries[place][0] for place in places], k, scope)
            found.update((place, [one.site for one in sites]) for place, sites in zip(places, near, strict=True))
        return [found[place] for place in range(len(queries))]


def selector_of(web: Web, listing: DescribedSites) -> SiteSelector:
    """Who chooses sites on a web: its vectors, where it has some; else the words of its pages."""
    engine = web.engine if isinstance(web, Corpus) else None
    engines = engine.engines if isinstance(engine, HybridEngine) else (engine,)
    dense = next((one for one in engines if one is not None and one.identity.get("name") == "dense"), None)
    if isinstance(web, Corpus) and dense is not None:
        return NearestByVectors(SiteDirectory(web, dense))  # type: ignore[arg-type]
    return SiteVectors(web, None if isinstance(web, ListedSites) else listing.hosts)


def with_backend(web: WebArgument, backend: str | None) -> WebArgument:
    """A web, ranked by another engine of its corpus folder.

    Raises:
        InvalidArgument: for an unknown backend, or a web that has no engines to choose from.
    """
    if backend is None or backend == "bm25":
        return web
    if backend not in BACKENDS:
        raise InvalidArgument(f"backend={backend!r:.80}. {did_you_mean(str(backend), BACKENDS)}")
    if not isinstance(web, str | Path) or not Path(web).is_dir():
        raise InvalidArgument(
            f"backend={backend!r} needs the folder of a corpus with vectors, got web={str(web)!r:.100}: for a "
            "generated web, webenv corpus build DIR --from procedural, then webenv corpus index DIR dense --model NAME."
        )
    return f"{web}#{backend}"


class NearestSites:
    """A web in which a search goes to the sites that are nearest to its query, and to no other (Tool_E).

    Args:
        web: what has the sites.
        selector: chooses them.
        sites: how many are searched; a search brings so many times ``documents`` results, site after site.
        documents: the most pages of each.
    """

    def __init__(self, web: Web, selector: SiteSelector, sites: int = NEAREST, documents: int = DOCUMENTS) -> None:
        self._web = web
        self._views = SiteViews(web)
        self._selector = selector
        self._sites, self._documents = sites, documents

    @property
    def identity(self) -> Mapping[str, str]:
        selected = {f"selector_{name}": value for name, value in self._selector.identity.items()}
        return {**self._web.identity, **selected, "sites": str(self._sites), "documents": str(self._documents)}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        try:
            chosen_sites = self._selector.nearest_sites([(one.query, one.scope) for one in requests], self._sites)
        except WebError as error:
            return [Failure(str(error))] * len(requests)
        inner = [
            SearchRequest(one.query, self._documents, inside(site, one.scope))
            for one, sites in zip(requests, chosen_sites, strict=True)
            for site in sites
        ]
        found = iter(self._views.search(inner) if inner else [])
        return [
            _joined([next(found) for _ in sites], one.limit) for one, sites in zip(requests, chosen_sites, strict=True)
        ]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return self._web.visit(requests)


def _joined(parts: Sequence[SearchResponse], limit: int) -> SearchResponse:
    failure = next((part for part in parts if isinstance(part, Failure)), None)
    if failure is not None:
        return failure
    return tuple(hit for part in parts if not isinstance(part, Failure) for hit in part)[:limit]


# ── what an agent is given ────────────────────────────────────────────────────


class Reached(NamedTuple):
    """The web and the agents of sites, as a strategy reaches them.

    Attributes:
        web: what searches go to, with whole pages.
        asker: who answers for sites; ``None``: nobody.
        results: the most results of one search.
    """

    web: Web
    asker: Asking | None
    results: int


def reach(
    name: str,
    web: Web,
    selector: SiteSelector,
    listing: SiteListing,
    agents: Policy | None,
    documents: int | None = None,
) -> Reached:
    """What a strategy makes of a web.

    Args:
        name: of the strategy.
        web: the web.
        selector: chooses sites, where the agent does not.
        listing: tells content agents what their sites are said to be.
        agents: who plays the content agents; ``None``: no model.
        documents: pages that a request brings, of the web or of each site; ``None``: the strategy's own.
    """
    strategy = STRATEGIES[name]
    if documents is not None:
        strategy = strategy._replace(documents=documents)
    if strategy.access == "agents":
        return Reached(
            WholeTexts(web), ContentAgents(web, agents, listing, documents=strategy.documents), strategy.documents
        )
    if strategy.named:
        return Reached(WholeTexts(web), SiteTools(web, strategy.documents), strategy.documents)
    if strategy.access == "tools":
        near = NearestSites(web, selector, NEAREST, strategy.documents)
        return Reached(WholeTexts(near), None, NEAREST * strategy.documents)
    return Reached(WholeTexts(web), None, strategy.documents)
