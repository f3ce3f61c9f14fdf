"""Policies to compare with, for any benchmark: random, keyword, oracle, and closed book."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np

from webenv.actions import Action, Kind, answer, ask, note, search, visit
from webenv.errors import InvalidArgument, check_whole
from webenv.observations import ObservationDict
from webenv.policy import Decision, History
from webenv.query_terms import content_words, criteria_of, query_of, words_of
from webenv.task import TaskSet
from webenv.web import Failure

_WORD = re.compile(r"\w+")
_COMMON = (
    "water house road book city music school river winter paper market garden story letter bridge train family "
    "number summer picture stone window village island history machine forest kitchen weather colour language field"
)
_TRUST = 0.3  # what it is worth to be what searches rank best, beside a mean cover of 1
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
        return {"name": "random", "version": "2"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(_random_action(history)) for history in histories]


def _random_action(history: History) -> Action:
    rng = np.random.default_rng((history.seed % 2**64, len(history.decisions)))
    urls, sites = _seen_urls_and_sites(history.observations)
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
    words = _words(rng, list(_texts_of(history.observations)))
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


def _texts_of(observations: Sequence[ObservationDict]) -> Iterator[str]:
    yield _COMMON
    for observation in observations:
        for result in observation["results"]:
            yield result["snippet"]
        for page in observation["pages"]:
            yield page["text"]
        for reply in observation["replies"]:
            yield reply["text"]


def _seen_urls_and_sites(observations: Sequence[ObservationDict]) -> tuple[list[str], list[str]]:
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


class KeywordPolicy:
    """A search engine's user without a language model.

    It searches all criteria of the question together, then one by one, each in a turn of its own;
    visits in one turn the results that recur over the searches and rank best; and answers the
    page whose known text covers most of the criteria's content words, rare ones above all, and which searches rank
    best. It keeps to the budget that it is shown, leaves a turn to visit and a turn to answer, and answers by the last
    turn: "No source found." where nothing was found.

    Criteria are the lines that begin with ``- ``; in a question without any, each line, or each
    sentence of a single line.

    Args:
        visits: the most pages that it reads, at least 0.

    Raises:
        InvalidArgument: if ``visits`` is not a whole number from 0.
    """

    def __init__(self, visits: int = 5) -> None:
        check_whole(f"{type(self).__name__} visits", visits, 0)
        self._visits = visits

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "keyword", "version": "4", "visits": str(self._visits)}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self._decide(history)) for history in histories]

    def _decide(self, history: History) -> Action:
        question = history.observations[0]["question"]
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        criteria = criteria_of(question)
        read = any(decision.action.kind == Kind.VISIT for decision in history.decisions)
        if not read and turns > 1:
            query = _next_query(criteria, history) if searches > 0 else ""
            may_read = min(visits, self._visits)
            if query and (turns > 1 + bool(may_read) or not _ranked(history)):
                return search(query)
            promising = _ranked(history)[:may_read]
            if promising:
                return visit(*promising)
        return answer(_best(criteria, history))


def _next_query(criteria: Sequence[str], history: History) -> str:
    """The first query of the plan that was not searched; empty when all were."""
    plan = [query_of(text) for text in dict.fromkeys((" ".join(criteria), *criteria))]
    done = {text for decision in history.decisions for text in decision.action.arguments}
    return next((query for query in plan if query and query not in done), "")


def _fused(history: History) -> dict[str, float]:
    """The URLs that were found, by first sight, each with the sum over searches of 1 / (10 + rank)."""
    scores: dict[str, float] = {}
    for observation in history.observations:
        for rank, result in enumerate(observation["results"], start=1):
            scores[result["url"]] = scores.get(result["url"], 0.0) + 1 / (10 + rank)
    return scores


def _ranked(history: History) -> list[str]:
    """The URLs that were found, best first; ties by first sight."""
    scores = _fused(history)
    return sorted(scores, key=lambda url: -scores[url])


def _best(criteria: Sequence[str], history: History) -> str:
    """The URL whose known text covers most: the mean over criteria of the share of content words, each weighted by in
    how few of the texts it stands; and what searches gave it, beside the most that they gave one.

    Rarity alone, of some thirty texts that are mostly snippets, overrules what searches know of the whole web.
    """
    wanted = [words for words in map(content_words, criteria) if words]
    fused = _fused(history)
    texts: dict[str, list[str]] = {url: [] for url in _ranked(history)}
    for observation in history.observations:
        for result in observation["results"]:
            texts[result["url"]] += [result["title"], result["snippet"]]
        for page in observation["pages"]:
            texts.setdefault(page["url"], []).extend((page["title"], page["text"]))
    known = {url: set(words_of(" ".join(parts))) for url, parts in texts.items()}
    stand = Counter(word for words in known.values() for word in words)
    weight = {word: math.log((2 + len(known)) / (1 + stand[word])) for of in wanted for word in of}
    trust = _TRUST * len(wanted) / max(fused.values(), default=1.0)
    best, most = "No source found.", -1.0
    for url, words in known.items():
        covered = sum(sum(weight[one] for one in words & of) / sum(weight[one] for one in of) for of in wanted)
        score = covered + trust * fused.get(url, 0.0)
        if score > most:
            best, most = url, score
    return best


class OraclePolicy:
    """Answers each task's gold table, else its first gold answer, else its first gold URL; in a ranking all URLs.

    The upper bound of a benchmark, and the test of its judge: what falls short of the maximum
    here is a fault of the tasks, the web or the judge.

    Args:
        tasks: the tasks with their gold, the same that the environment puts.
        ranked: whether an answer is a ranking.
    """

    def __init__(self, tasks: TaskSet, ranked: bool = False) -> None:
        self._tasks, self._ranked = tasks, ranked

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, and the digest of the tasks."""
        return {"name": "oracle", "version": "1", "tasks": self._tasks.digest}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history; a failure for a task without gold.

        Raises:
            UnknownTask: for a task that is not among the oracle's.
        """
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision | Failure:
        gold = self._tasks.find(history.task_id).gold
        table = gold.data.get("table")
        known = (_as_markdown(table),) if isinstance(table, str) else gold.answers or gold.urls
        if not known:
            return Failure(f"task {history.task_id!r} has no gold table, gold answer or gold URL")
        return Decision(answer(*known) if self._ranked else answer(known[0]))


def _as_markdown(table: str) -> str:
    """A table of CSV as a pipe table."""
    head, *rows = ([cell.replace("|", "\\|") for cell in row] for row in csv.reader(io.StringIO(table)) if row)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


class ClosedBookPolicy:
    """What can be answered without the web: the answer that is most frequent in training for such a question.

    Training questions count that have the same words (stop words and numbers aside); where there is none, all.
    Ties go to the answer that comes first in the alphabet. It measures how far a benchmark can be guessed.

    Args:
        training: tasks with gold, of the split ``train``; each is looked at once in a process.

    Raises:
        InvalidArgument: if no task of them has a gold answer.
    """

    version = "2"

    def __init__(self, training: TaskSet) -> None:
        self._count, self._best = _learn(training, self.keys)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, the number of training tasks, and SHA-256 of what was learnt."""
        learnt = json.dumps(sorted(self._best.items()), separators=(",", ":"))
        return {
            "name": "closed-book",
            "version": self.version,
            "tasks": str(self._count),
            "answers": hashlib.sha256(learnt.encode()).hexdigest(),
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(answer(self._answer(history.observations[0]["question"]))) for history in histories]

    def _answer(self, question: str) -> str:
        return next(self._best[key] for key in self.keys(question) if key in self._best)

    @staticmethod
    def keys(question: str) -> Iterator[tuple[str, ...]]:
        """What a question asks, from its words to nothing at all."""
        yield ("words", *sorted(word for word in content_words(question) if not any(map(str.isdecimal, word))))
        yield ()


@lru_cache(maxsize=8)
def _learn(
    training: TaskSet, keys: Callable[[str], Iterator[tuple[str, ...]]]
) -> tuple[int, dict[tuple[str, ...], str]]:
    """How many tasks have gold, and the most frequent answer by what is asked."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    count = 0
    for task in training:
        gold = (task.gold.answers or task.gold.urls)[:1]
        count += len(gold)
        for key in keys(task.question) if gold else ():
            counts.setdefault(key, Counter())[gold[0]] += 1
    if not count:
        raise InvalidArgument(f"{training.name}: no task has a gold answer; policy 'closed-book' learns from some.")
    return count, {key: min(found, key=lambda text: (-found[text], text)) for key, found in counts.items()}
