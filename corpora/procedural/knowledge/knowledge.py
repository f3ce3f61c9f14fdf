"""What can be asked of a procedural web beyond single pages, with exact answers."""

from __future__ import annotations

from webenv.corpora.procedural.knowledge.chains import Chains
from webenv.corpora.procedural.knowledge.chronicle import Chronicle
from webenv.corpora.procedural.knowledge.joins import Joins
from webenv.corpora.procedural.knowledge.keypoints import KeyPoints
from webenv.corpora.procedural.knowledge.newschanges import NewsChanges
from webenv.corpora.procedural.knowledge.newsjoins import NewsJoins
from webenv.corpora.procedural.knowledge.queries import Histories, Queries
from webenv.corpora.procedural.knowledge.support import Support
from webenv.corpora.procedural.knowledge.tablekeys import TableKeys
from webenv.corpora.procedural.web import ProceduralWeb


class Knowledge:
    """Everything that a web knows of itself.

    Args:
        web: the web.

    Attributes:
        support: which pages state a fact, and which contradict it.
        chronicle: events, as of any day.
        tables: tables, cell by cell.
        chains: paths of obscure facts that lead to one entity.
        queries: topics with all pages on them.
        histories: browsing histories and what comes next.
        joins: two facts from two sites.
        news: two facts about events, of two pages, without the site of a third.
        news_changes: the same, where the answer changes.
        key_points: what a report on a topic has to say.
    """

    def __init__(self, web: ProceduralWeb) -> None:
        self.web = web
        self.support = Support(web)
        self.chronicle = Chronicle(self.support)
        self.tables = TableKeys(self.support)
        self.chains = Chains(self.support)
        self.queries = Queries(self.support)
        self.histories = Histories(self.queries)
        self.joins = Joins(self.support)
        self.news = NewsJoins(self.support)
        self.news_changes = NewsChanges(self.news)
        self.key_points = KeyPoints(self.support)
