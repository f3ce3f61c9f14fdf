"""What comes back from the web, and what an agent sees of it."""

from __future__ import annotations

from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt


class Result(NamedTuple):
    """One search hit.

    Attributes:
        title: the page's title.
        url: its URL, as ``visit`` takes it.
        snippet: the passage that fits the query best, plain text.
        site: its host without ``www.``.
        key: identity of the page's content: equal for aliases and near-identical copies of a
            page, empty where the web does not know it. Never shown to an agent.
    """

    title: str
    url: str
    snippet: str
    site: str
    key: str = ""


class Page(NamedTuple):
    """One fetched page: its main text, and where it stands.

    Attributes:
        url: the page's own URL (a redirect or alias leads here).
        title: its title.
        text: its main text, without navigation.
        date: ISO date of publication, empty where unknown.
        key: as in :class:`Result`. Never shown to an agent.
    """

    url: str
    title: str
    text: str
    date: str = ""
    key: str = ""


class Document(NamedTuple):
    """A page that a content agent hands over: its best sentences as ``text``."""

    url: str
    title: str
    text: str
    key: str = ""


class TraceTurn(TypedDict):
    """One turn of a content agent: its action (kind, texts), its thought, titles and URLs found, the notice."""

    action: list[Any]
    thought: str
    results: list[list[str]]
    notice: str


class Trace(TypedDict):
    """How a content agent came to a reply: its own episode in short, as plain data.

    ``policy``: who played. ``ending``: as of any episode. ``requests``: the searches that it sent, of which ``valid``
    found something. ``tokens``: of its model, 0 without one. ``seconds``: that its web took, 0.0 where nobody says.
    """

    policy: str
    ending: str
    turns: list[TraceTurn]
    requests: int
    valid: int
    tokens: int
    seconds: float


def check_trace(trace: Any) -> None:
    """Refuses what is no trace of a content agent, as plain data; ``None`` is one that there is not.

    Raises:
        KeyError: if a part is missing.
        TypeError: if one is of another type.
    """
    if trace is None:
        return
    texts = [trace["policy"], trace["ending"]]
    for turn in trace["turns"]:
        kind, arguments = turn["action"]
        texts += [kind, *arguments, turn["thought"], turn["notice"]]
        for title, url in turn["results"]:
            texts += [title, url]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a trace holds what is no text")
    for name in ("requests", "valid", "tokens", "seconds"):
        number = trace[name]
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < 2**53:
            raise TypeError(f"a trace has {name}={number!r:.40}")


class Reply(NamedTuple):
    """What the content agent of a site answered: a summary, and at most three documents.

    Attributes:
        site: the host.
        text: the summary.
        documents: the pages that it hands over.
        trace: the agent's own episode, where it was one; for records and judges, never shown to who asked.
    """

    site: str
    text: str
    documents: tuple[Document, ...] = ()
    trace: Trace | None = None


class ObservationDict(TypedDict):
    """An observation as agents get it: a member of the observation space."""

    question: str
    results: tuple[dict[str, str], ...]
    pages: tuple[dict[str, str], ...]
    replies: tuple[dict[str, Any], ...]
    notice: str
    budget: npt.NDArray[np.int32]


class Observation(NamedTuple):
    """What an agent sees after one turn.

    Attributes:
        question: the question of the episode.
        results: the hits of this turn's searches, query after query.
        pages: the pages that this turn's visits brought.
        replies: what the content agents asked this turn replied.
        notice: what was wrong with the action, or is worth knowing of it; empty as a rule.
        budget: searches, visits, asks and turns left.
    """

    question: str
    results: tuple[Result, ...]
    pages: tuple[Page, ...]
    replies: tuple[Reply, ...]
    notice: str
    budget: tuple[int, int, int, int]

    def to_dict(self) -> ObservationDict:
        """A fresh member of the observation space; ``budget`` is int32 of shape (4,)."""
        return {
            "question": self.question,
            "results": self.results_shown(),
            "pages": self.pages_shown(),
            "replies": self.replies_shown(),
            "notice": self.notice,
            "budget": np.array(self.budget, dtype=np.int32),
        }

    def results_shown(self) -> tuple[dict[str, str], ...]:
        """The results as fresh members of their space."""
        if not self.results:
            return ()
        return tuple(
            [
                {"title": title, "url": url, "snippet": snippet, "site": site}
                for title, url, snippet, site, _ in self.results
            ]
        )

    def pages_shown(self) -> tuple[dict[str, str], ...]:
        """The pages as fresh members of their space."""
        if not self.pages:
            return ()
        return tuple([{"url": p.url, "title": p.title, "text": p.text} for p in self.pages])

    def replies_shown(self) -> tuple[dict[str, Any], ...]:
        """The replies as fresh members of their space."""
        if not self.replies:
            return ()
        return tuple(
            {
                "site": r.site,
                "text": r.text,
                "documents": tuple({"url": d.url, "title": d.title, "text": d.text} for d in r.documents),
            }
            for r in self.replies
        )
