"""Policies for short questions about the news, on any web, without a language model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from webenv.actions import Action, Kind, answer, search, visit
from webenv.policies.baselines import ClosedBookPolicy, KeywordPolicy
from webenv.policy import Decision, History
from webenv.query_terms import names_of, query_of
from webenv.web import Failure
from webenv.wrappers.menu.reading import PhraseReader, inquiry_of, words_beside

_UNKNOWN = "I don't know."
_FIRST = 2  # pages read before whoever is described is searched for by name


class NewsKeywordPolicy(KeywordPolicy):
    """A search engine's user with a question about the news.

    It searches the question, reads the first results, and answers the phrase of the asked sort that stands among the
    words of the question oftenest.
    """

    def _decide(self, history: History) -> Action:
        return _decide(history, self._visits, joins=False)


class NewsInvestigatorPolicy:
    """Joins two pages: who is described, and what is asked of them.

    It searches what is told and the whole question, reads the best pages, takes the name that they give to whoever is
    described, searches for that name with what is asked, reads on, and answers the phrase of the asked sort that the
    pages give for that name.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "investigator", "version": "7"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(_decide(history, 5, joins=True)) for history in histories]


class NewsClosedBookPolicy(ClosedBookPolicy):
    """What can be answered on the news without the web: training questions count that ask in the same words, else those
    that ask for the same sort of thing (a name, a place, a day, a number of the same things), else all."""

    version = "4"

    @staticmethod
    def keys(question: str) -> Iterator[tuple[str, ...]]:
        inquiry = inquiry_of(question)
        named = {word for name in names_of(inquiry.queries[2]) for word in inquiry_of(name).asked}
        words = sorted(word for word in inquiry.asked - named if not any(map(str.isdecimal, word)))
        yield ("words", inquiry.sort, *words)
        yield ("sort", inquiry.sort, *sorted(inquiry.units))
        yield ("sort", inquiry.sort)
        yield ()


def _decide(history: History, most: int, joins: bool) -> Action:
    inquiry = inquiry_of(history.observations[0]["question"])
    searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
    pages, ranks, read = _shown(history)
    reading = PhraseReader(history.observations[0]["question"], pages)
    searched = [decision.action for decision in history.decisions if decision.action.kind == Kind.SEARCH]
    done = [text for action in searched for text in action.arguments]
    bridge = reading.bridge() if joins and inquiry.told else ""
    may = min(visits, most - len(read))
    last = history.decisions[-1].action.kind if history.decisions else None
    if turns > 1 and searches and not done:
        queries = [query_of(text) for text in inquiry.queries[: 2 if joins and inquiry.told and searches > 1 else 1]]
        return search(*dict.fromkeys(query or "?" for query in queries))
    if turns > 1 and last == Kind.SEARCH and may > 0:
        hop = joins and inquiry.told and not read and searches and turns > 3
        unread = [url for url in sorted(ranks, key=lambda url: -ranks[url]) if url not in read]
        if unread:
            return visit(*unread[: min(may, _FIRST) if hop else may])
    if turns > 1 and bridge and searches and last == Kind.VISIT:
        query = query_of(words_beside(bridge, inquiry))
        if not any(text.startswith(f"{bridge} ") for text in done):
            return search(query)
    found = [one for of_page in reading.answers(bridge).values() for one in of_page[:1]]
    return answer(max(found, key=lambda one: one.score).text if found else _UNKNOWN)


def _shown(history: History) -> tuple[dict[str, tuple[str, list[str]]], dict[str, float], set[str]]:
    """Of each page its title and texts; how well searches rank it, the last above all; and which were read."""
    pages: dict[str, tuple[str, list[str]]] = {}
    ranks: dict[str, float] = {}
    read: set[str] = set()
    for turn, observation in enumerate(history.observations):
        for place, result in enumerate(observation["results"]):
            if result["url"] not in read:
                pages.setdefault(result["url"], (result["title"], []))[1].append(result["snippet"])
            ranks[result["url"]] = ranks.get(result["url"], 0.0) + 10**turn / (10 + place % 10)
        for page in observation["pages"]:
            pages[page["url"]] = (page["title"], [page["text"]])
            read.add(page["url"])
    return pages, ranks, read
