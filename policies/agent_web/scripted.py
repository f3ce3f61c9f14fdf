"""A user agent of AgentWebBench without a model: it searches, or asks sites that it chooses by their descriptions."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.actions import Action, answer, ask, search
from webenv.policy import Decision, History
from webenv.query_terms import content_words, query_of, words_of
from webenv.web import Failure
from webenv.wrappers.menu.browsing import (
    about_names,
    intent_of,
    listed_sites,
    missing_row,
    shared_names,
    visited_titles,
    with_sorts,
)
from webenv.wrappers.menu.composing import answer_in, asked_of, report, topics_of, two_parts
from webenv.wrappers.menu.gap import between
from webenv.wrappers.menu.words import stem

_ROUNDS = {"search": (5, 10, 25), "recommendation": (5, 10), "qa": (5, 15, 40), "research": (5, 15)}  # sites, in turn
_ENOUGH = {"search": 3, "recommendation": 3, "qa": 3, "research": 5}  # documents with most of the query's words
_COVERED = {"search": 1.0, "recommendation": 1.0, "qa": 0.75, "research": 0.5}  # share of these words
_RANKED = 10
_READINGS = 2  # questions to the sites of a browsing history about its pages: the second for those that did not come
_SEARCH_ONCE = ("classic_ir", "query_gen")  # strategies that search once
_TEXT = 10_000  # characters of a document that are read
_LEADING = 3  # documents that tell which sites to ask next


class FoundDocument(NamedTuple):
    """A document that came: its address, title and text, and the best rank that it had, from 1."""

    url: str
    title: str
    text: str
    rank: int


class ScriptedUser:
    """What each strategy of AgentWebBench does where no model decides.

    It makes a query of the question. With searches it searches that, and answers. With sites to be named it asks the
    five whose descriptions share most words with the query, rare words counting more, all at once; then the next 10 or
    more, until documents came that hold most of the query's words. Of a question in two parts it looks for the first,
    then for the second of the two things that this most likely led to (:mod:`webenv.wrappers.menu.gap`); for a report
    it looks for each thing named. Of a browsing history it gets the pages again by their titles, and looks for each
    name that several of them have and none is about (:mod:`webenv.wrappers.menu.browsing`); a strategy of one search
    looks for the words that most titles share. It answers with the documents that came, best first by the words of the
    query that they hold (those of one index in its order), of a history those about the likeliest name first;
    with what fills the gap, or the likeliest phrase in them; or with a report of the sentences that name what is asked
    about, each with the number of its site.

    Args:
        kind: of the tasks, ``search``, ``recommendation``, ``qa`` or ``research``.
        strategy: which. What can be done is in the budget; but results of ``tool_e`` come site after site.
    """

    def __init__(self, kind: str, strategy: str = "multi_agent") -> None:
        self._kind, self._strategy = kind, strategy

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "scripted", "version": "4", "kind": self._kind, "strategy": self._strategy}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self._decide(history)) for history in histories]

    def _decide(self, history: History) -> Action:
        first, last = history.observations[0], history.observations[-1]
        text = first["question"].partition("\n")[2] or first["question"]
        searches, _, asks, turns = (int(left) for left in last["budget"])
        asked = Counter(decision.action.arguments[0] for decision in history.decisions)
        queries = self._queries(text, history)
        read = self._reading(history) if turns > 1 else None
        if read is not None:
            return read
        for query in queries if turns > 1 else ():
            if searches and not asked[query]:
                return search(query)
            rounds = _ROUNDS[self._kind]
            if asks and asked[query] < len(rounds) and not (asked[query] and self._has_enough(query, history)):
                sites = self._sites(query, history)[: rounds[asked[query]]]
                if asks >= len(sites) > 0:
                    return ask(query, *sites)
        return self._answer(text, queries[0] if queries else "", history)

    def _queries(self, text: str, history: History) -> list[str]:
        """What there is to look for: of a question in two parts the first, then the second of what the first led to;
        for a report the whole, and each thing named."""
        if self._kind == "recommendation":
            return [query for query in (self._names(history) or (intent_of(text),)) if query]
        if self._kind == "research":
            return [query for query in dict.fromkeys(map(query_of, (text, *topics_of(text)))) if query]
        parts = two_parts(text) if self._kind == "qa" else None
        if parts is None:
            return [query for query in (query_of(text),) if query]
        first, second = parts
        named = between(first, _texts(history)) if history.decisions else {}
        return [query for query in (asked_of(first), *(asked_of(second, name) for name in named)) if query]

    def _reading(self, history: History) -> Action | None:
        """How it gets the pages of a browsing history again; ``None`` where that is done, or there is no history.

        Searches bring pages title by title, as long as half of the turns are left; of asks one goes to all their sites.
        """
        first, done = history.observations[0], len(history.decisions)
        visits = self._visits(history)
        turns = int(first["budget"][3])
        searches, _, asks, _ = (int(left) for left in history.observations[-1]["budget"])
        if self._strategy in _SEARCH_ONCE:
            return None
        said = {argument for decision in history.decisions for argument in decision.action.arguments}
        query = next((one for one in map(query_of, visits.values()) if one and one not in said), "")
        if searches and query and done < turns // 2:
            return search(query)
        row = missing_row(visits, [one.url for one in _found(history)], [reply["site"] for reply in first["replies"]])
        if row is not None and row.query not in said and len(row.sites) <= asks and done < min(_READINGS, turns // 2):
            return ask(row.query, *row.sites)
        return None

    def _visits(self, history: History) -> dict[str, str]:
        """The pages of a browsing history: titles by address."""
        return visited_titles(history.observations[0]["question"]) if self._kind == "recommendation" else {}

    def _names(self, history: History) -> list[str]:
        """The names that those pages of a browsing history share that came."""
        if self._strategy in _SEARCH_ONCE:
            return []
        visits = self._visits(history)
        return shared_names([(one.title, one.text) for one in _found(history) if one.url in visits])

    def _sites(self, query: str, history: History) -> list[str]:
        """The sites that were not asked this, best first: by their descriptions, and by what has come, for pages tell
        where a thing is, and lead to others."""
        descriptions = {reply["site"]: reply["text"] for reply in history.observations[0]["replies"]}
        best = by_words(query, _found(history))[:_LEADING]
        ranked = listed_sites(with_sorts(query), descriptions).fits([(one.title, one.text) for one in best])
        said = [decision.action.arguments for decision in history.decisions]
        asked = {site for texts in said if texts[0] == query for site in texts[1:]}
        return [site for site in ranked if site not in asked]

    def _has_enough(self, query: str, history: History) -> bool:
        """Whether so many documents came that hold most of a query's words."""
        wanted = _wanted(query)
        least = _COVERED[self._kind] * len(wanted)
        held = [wanted & _counts(one.title, one.text).keys() for one in _found(history)]
        return sum(len(forms) >= least for forms in held) >= _ENOUGH[self._kind]

    def _answer(self, text: str, query: str, history: History) -> Action:
        found = _found(history)
        of_one_index = self._strategy != "tool_e" and any(seen["results"] for seen in history.observations)
        ranked = sorted(found, key=lambda one: one.rank) if of_one_index else by_words(query, found)
        if self._kind in ("search", "recommendation"):
            visits = self._visits(history)
            about = about_names(self._names(history), [(one.url, one.title, one.text) for one in ranked])
            urls = [url for url in dict.fromkeys((*about, *(one.url for one in ranked))) if url not in visits]
            return answer(*urls[:_RANKED]) if urls else answer("No source found.")
        if self._kind == "qa":
            return answer(answer_in(text, [(one.title, one.text) for one in by_words(query, found)]) or "I don't know.")
        return answer(report(text, [(one.url, one.title, one.text) for one in ranked]))


def _found(history: History) -> list[FoundDocument]:
    """The documents that came, each once."""
    found: dict[str, FoundDocument] = {}
    for observation in history.observations[1:]:
        groups = [observation["pages"], *(reply["documents"] for reply in observation["replies"])]
        for group in groups:
            for rank, page in enumerate(group, start=1):
                known = found.get(page["url"])
                if known is None or rank < known.rank:
                    found[page["url"]] = FoundDocument(page["url"], page["title"], page["text"], rank)
    return list(found.values())


_stem = lru_cache(maxsize=65_536)(stem)


@lru_cache(maxsize=4_096)  # many agents read the same documents
def _counts(title: str, text: str) -> Counter[str]:
    return Counter(map(_stem, words_of(f"{title} {text[:_TEXT]}")))


def _wanted(query: str) -> frozenset[str]:
    return frozenset(map(_stem, content_words(query)))


def by_words(query: str, found: Sequence[FoundDocument]) -> list[FoundDocument]:
    """Documents, those first that hold most of a query's words, by BM25 over the documents themselves."""
    wanted = _wanted(query)
    every = [_counts(one.title, one.text) for one in found]
    counts = [{form: count[form] for form in sorted(wanted & count.keys())} for count in every]
    lengths = [len(one.text[:_TEXT]) + 1 for one in found]
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    having = Counter(form for count in counts for form in count)
    worth = {form: math.log(1 + (len(found) - count + 0.5) / (count + 0.5)) for form, count in having.items()}

    def score(place: int) -> float:
        norm = 0.4 + 0.6 * lengths[place] / mean
        return sum(worth[form] * count * 2.2 / (count + 1.2 * norm) for form, count in counts[place].items())

    order = sorted(range(len(found)), key=lambda place: (-round(score(place), 6), found[place].rank, place))
    return [found[place] for place in order]


def _texts(history: History) -> list[tuple[str, str]]:
    return [(one.title, one.text) for one in _found(history)]
