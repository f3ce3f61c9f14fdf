"""RandomPolicy: any valid action, at random."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from webenv.actions import Action, Kind, answer, ask, note, search, visit
from webenv.observations import ObservationDict
from webenv.policy import Decision, History
from webenv.web import Failure

_WORD = re.compile(r"\w+")
_COMMON = (
    "water house road book city music school river winter paper market garden story letter bridge train family "
    "number summer picture stone window village island history machine forest kitchen weather colour language field"
)
_WINDOW = 1_000  # characters of a text that words are drawn from


class RandomPolicy:
    """Draws a kind of action uniformly among those that are possible, then its arguments.

    It searches one to four words that stand together in something that the web has shown it (at
    first, in a few common words), visits a URL that it has seen, asks a site that it has seen,
    answers a page that it has seen, or writes a note; nothing that the budget shows to be spent.
    It does not read the question. Chance comes from ``history.seed`` and the number of the turn.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` and ``version``."""
        return {"name": "random", "version": "2"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order."""
        return [Decision(_decide(history)) for history in histories]


def _decide(history: History) -> Action:
    rng = np.random.default_rng((history.seed % 2**64, len(history.decisions)))
    urls, sites = _seen(history.observations)
    searches, visits, asks, _ = (int(left) for left in history.observations[-1]["budget"])
    possible = [Kind.NOTE]
    if searches > 0:
        possible.append(Kind.SEARCH)
    if visits > 0 and urls:
        possible.append(Kind.VISIT)
    if asks > 0 and sites:
        possible.append(Kind.ASK)
    if urls:
        possible.append(Kind.ANSWER)
    kind = possible[int(rng.integers(len(possible)))]
    if kind is Kind.VISIT:
        return visit(_choose(rng, urls))
    if kind is Kind.ANSWER:
        return answer(_choose(rng, urls))
    words = _words(rng, list(_texts(history.observations)))
    if kind is Kind.SEARCH:
        return search(words)
    if kind is Kind.ASK:
        return ask(words, _choose(rng, sites))
    return note(words)


def _choose(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _words(rng: np.random.Generator, texts: Sequence[str]) -> str:
    """One to four words that stand together in one of the texts, or common ones."""
    text = _choose(rng, texts)
    start = int(rng.integers(max(1, len(text) - _WINDOW)))
    found = _WORD.findall(text[start : start + _WINDOW]) or _WORD.findall(_COMMON)
    first, count = int(rng.integers(len(found))), int(rng.integers(1, 5))
    return " ".join(word[:40] for word in found[first : first + count])


def _texts(observations: Sequence[ObservationDict]) -> Iterator[str]:
    yield _COMMON
    for observation in observations:
        for result in observation["results"]:
            yield result["snippet"]
        for page in observation["pages"]:
            yield page["text"]
        for reply in observation["replies"]:
            yield reply["text"]


def _seen(observations: Sequence[ObservationDict]) -> tuple[list[str], list[str]]:
    """The URLs and the sites that were shown, each once, in the order of first sight."""
    urls: dict[str, None] = {}
    sites: dict[str, None] = {}
    for observation in observations:
        for result in observation["results"]:
            urls[result["url"]] = sites[result["site"]] = None
        for page in observation["pages"]:
            urls[page["url"]] = None
        for reply in observation["replies"]:
            sites[reply["site"]] = None
            urls.update((document["url"], None) for document in reply["documents"])
    return list(urls), [site for site in sites if site]
