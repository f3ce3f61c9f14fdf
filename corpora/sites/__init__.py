"""Sites as first-class things: what each is about, which are nearest to a query, and the web of one alone."""

from webenv.corpora.sites.sites import NearSite, SitedWeb, Sites, procedural_descriptions, read_descriptions
from webenv.corpora.sites.view import SiteView

__all__ = ["NearSite", "SiteView", "SitedWeb", "Sites", "procedural_descriptions", "read_descriptions"]
