"""The Engine: ranks the pages of a corpus for queries. All engines take the same requests and give hits alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from webenv.web import SearchRequest


class Hit(NamedTuple):
    """A page that was found: its key (63 bits) and its score, which compares within one ranking alone."""

    key: int
    score: float


@runtime_checkable
class Engine(Protocol):
    """Ranks the pages of one corpus, a batch of requests at a time.

    Each engine reads a request's query with :func:`webenv.corpora.query.parse_query` and heeds the
    same filters: ``site:`` and ``-site:`` of the query, and blocked hosts and ``as_of`` of the
    scope. What words and phrases mean is its own matter. A ranking depends on its own request
    alone, and ties are broken by key.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """What ranks, for the record of a run: ``name``, and all that rankings depend on but the pages."""
        ...

    def rank(self, requests: Sequence[SearchRequest]) -> list[list[Hit]]:
        """For each request at most ``limit`` hits, best first.

        Raises:
            InvalidArgument: if a scope's ``as_of`` is no ISO date.
        """
        ...

    def close(self) -> None:
        """Lets go of files, threads and devices; it may be used again."""
        ...
