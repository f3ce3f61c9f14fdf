"""The live web: searched through a provider, and fetched page by page under guard.

What a site does, and what an agent asks, is never a failure: a page that cannot be had is missing, a query
that is refused finds nothing. What is, and leaves an episode unscored, is told in
:mod:`webenv.corpora.live.fetch` for visits and in :class:`webenv.corpora.live.http_provider.HttpProvider` for searches.

Needs the extra ``live``: ``pip install '.[live]'``.
"""

from webenv.errors import MissingExtra

try:
    import httpx  # noqa: F401
    import protego  # noqa: F401
except ImportError as error:
    raise MissingExtra(error.name or "httpx", "live", "the live web") from error

from webenv.corpora.live.provider import SearchProvider
from webenv.corpora.live.services import AgentWeb, AgentWebSearch, Brave, SearXNG, Serper, Tavily
from webenv.corpora.live.settings import FetchSettings
from webenv.corpora.live.spec import PROVIDERS, LiveSpec, open_live, parse_live
from webenv.corpora.live.web import LiveWeb

__all__ = [
    "PROVIDERS",
    "AgentWeb",
    "AgentWebSearch",
    "Brave",
    "FetchSettings",
    "LiveSpec",
    "LiveWeb",
    "SearXNG",
    "SearchProvider",
    "Serper",
    "Tavily",
    "open_live",
    "parse_live",
]
