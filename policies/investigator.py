"""InvestigatorPolicy: splits criteria, reads clauses, learns words from the web, and checks coverage."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.actions import answer, search, visit
from webenv.policies.keyword import criteria_of
from webenv.policy import Decision, History
from webenv.web import Failure

__all__ = ["InvestigatorPolicy"]

_TOKEN = re.compile(r"\d[\d,]*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_SENTENCE = re.compile(r"(?<=[.!?])[”\"]?\s+|\n+")
_CLAUSE = re.compile(r";\s|,\s(?:and|while|but)\s")
_SPEECH = re.compile(r"“[^”]{25,}”")
_RANGE = re.compile(r"between (\d[\d,]*) and (\d[\d,]*)")
# What is not told: "a certain number of people", "some month", "plants of some sort".
_OPEN = re.compile(r"\b(?:certain|some) (\w+)(?: of \w+)?|\b(\w+) of some (?:sort|kind)")
_DECADE = re.compile(r"\b(\d{3}0)s\b")
_WORD = re.compile(r"\w+")
_EMPTY = frozenset(
    _WORD.findall(
        "a about after all also an and another any are as at be been before being between both but by can "
        "certain could did do does during each every few for from had has have he her his how if in into is "
        "it its kind more most much no not of on one only or other over own she since so some somebody "
        "someone something sort than that the their them then there these they this those through to under "
        "until up was way were what when where which while who whom will with within would you"
    )
)
_PRONOUNS = frozenset(["it", "its", "he", "his", "she", "her", "they", "their", "this"])
_PLAN = ("search", "read", "look up", "search again", "read on")
_FIRST = 4  # pages read before words are looked up
_FIGURE = 1.5  # how much a number is worth
_CAP = 1.2  # the most that a learned word is worth
_LEARNED = 1.2  # how much a learned word is worth beside the word itself


class _Wish(NamedTuple):
    """A criterion: its words in order, runs of them, and the ranges of numbers that it gives.

    What follows "some" or "a certain" is left out: it says what is not told.
    """

    words: tuple[str, ...]
    ranges: tuple[tuple[int, int], ...]

    @property
    def stems(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_stem(word) for word in self.words))


class _Clause(NamedTuple):
    """A clause of a page: its stems, its numbers, and whether it is about the page's subject."""

    stems: frozenset[str]
    numbers: tuple[int, ...]
    own: bool


class InvestigatorPolicy:
    """A patient reader without a language model.

    It searches all criteria together and one by one; reads the best pages clause by clause, and
    counts a clause only for what it says of the page's own subject (its title, its kind, a
    pronoun), not of its neighbours; looks up the words that no page had by searching the web for
    them, and takes what stands beside them for near in meaning; searches again in the words that
    it learned; and answers the page whose clauses cover the criteria best. Of words it knows
    what any reader does: stop words, plurals and other endings, decades and ranges of numbers.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` and ``version``."""
        return {"name": "investigator", "version": "1"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order."""
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision:
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        case = _Case(history)
        done = [decision.thought for decision in history.decisions]
        for step in _PLAN[_PLAN.index(done[-1]) + 1 if done else 0 :] if turns > 1 else ():
            texts: list[str] = []
            if step == "search":
                texts = case.queries()[:searches]
            elif step == "look up":
                texts = case.unknown()[: max(0, searches - len(case.wishes) - 1)]
            elif step == "search again":
                texts = [query for query in case.reworded() if query][:searches]
            else:
                texts = case.promising()[: min(visits, _FIRST if step == "read" else visits)]
            if texts:
                act = visit if step in ("read", "read on") else search
                return Decision(act(*dict.fromkeys(texts)), step)
        return Decision(answer(case.best()), "answer")


class _Case:
    """All that a history shows, read."""

    def __init__(self, history: History) -> None:
        self.texts = criteria_of(history.observations[0]["question"])
        shared = set.intersection(*(set(_stems(text)) for text in self.texts)) if len(self.texts) > 1 else set()
        self.kind = frozenset(shared)
        self.wishes = [_read_wish(text, self.kind) for text in self.texts]
        self.seen: dict[str, list[str]] = {}
        self.titles: dict[str, str] = {}
        self.read: dict[str, str] = {}
        self.rank: dict[str, float] = {}
        self.lookups: dict[str, list[str]] = {}
        for decision, observation in zip(history.decisions, history.observations[1:], strict=True):
            looked_up = decision.thought == "look up"
            for place, result in enumerate(observation["results"]):
                url = result["url"]
                self.titles[url] = result["title"]
                self.seen.setdefault(url, []).append(result["snippet"])
                if looked_up:
                    for query in decision.action.arguments:
                        self.lookups.setdefault(query, []).append(result["snippet"])
                else:
                    self.rank[url] = self.rank.get(url, 0.0) + 1 / (8 + place % 10)
            for page in observation["pages"]:
                self.read[page["url"]] = page["text"]
                self.titles[page["url"]] = page["title"]
        self._beside = Counter(
            stem
            for snippets in self.lookups.values()
            for snippet in snippets
            for sentence in _SENTENCE.split(snippet)
            for stem in _stems(sentence)
        )
        self.learned = {run: self._near(run, snippets) for run, snippets in self.lookups.items()}
        self._clauses: dict[str, list[_Clause]] = {}
        self._said: dict[str, Counter[str]] = {}
        self._weights = self._weigh()

    # ── words ─────────────────────────────────────────────────────────────────

    def _near(self, run: str, snippets: Sequence[str]) -> dict[str, float]:
        """The words that stand in short sentences with a looked-up run of words, and how near they are.

        Near is what stands there oftener than beside other words: 0 to ``_LEARNED``.
        """
        wanted = _stems(run) - self.kind
        counts: Counter[str] = Counter()
        most = 0
        for snippet in snippets:
            for sentence in _SENTENCE.split(snippet):
                stems = _stems(sentence)
                shared = len(wanted & stems)
                if shared >= max(most, 1) and len(stems) <= 16:
                    if shared > most:
                        counts.clear()
                        most = shared
                    counts.update(stems - wanted - self.kind)
        return {stem: _LEARNED * count / (self._beside[stem] + 1) for stem, count in counts.items()}

    def queries(self) -> list[str]:
        """The criteria in their own words, without what they leave open: together, and one by one."""
        each = [" ".join(wish.words) + " " + _figures(wish) for wish in self.wishes]
        return [" ".join(self.texts), *each]

    def unknown(self) -> list[str]:
        """Runs of words of the criteria that no clause about a subject has."""
        known: set[str] = set(self.kind)
        for url in self.read:
            known.update(self.said(url))
        runs: list[str] = []
        for wish in self.wishes:
            run: list[str] = []
            for word in [*wish.words, ""]:
                if word and _stem(word) not in known:
                    run.append(word)
                elif run:
                    runs.append(" ".join(run))
                    run = []
        return list(dict.fromkeys(runs))

    def reworded(self) -> list[str]:
        """The criteria once more, by the words that tell pages apart and the learned ones: together, and one by one."""
        each = []
        for wish in self.wishes:
            stems = [word for word in wish.words if self._weights.get(_stem(word), 0) > 0.3]
            near = {
                stem
                for run in self._runs(wish)
                for stem, share in self.learned[run].items()
                if share > 0.3 and self._weights.get(stem, 0) > 0.2
            }
            each.append(" ".join([*stems, *sorted(near), _figures(wish)]).strip())
        kind = " ".join(sorted(self.kind))
        return [f"{kind} {' '.join(each)}", *(f"{kind} {query}" for query in each if query)]

    def _runs(self, wish: _Wish) -> list[str]:
        return [run for run in self.learned if set(run.split()) <= set(wish.words)]

    def _weigh(self) -> dict[str, float]:
        """What a word is worth: how much pages that say it of their subject repeat it, and how few of them do.

        Words that tell pages apart come in bursts; the words of a turn of phrase come once.
        """
        pages: Counter[str] = Counter()
        times: Counter[str] = Counter()
        for url in self.read:
            own = self.said(url)
            pages.update(own.keys())
            times.update(own)
        total = len(self.read)
        self._pages = pages
        return {
            stem: (0.15 + min(times[stem] / count - 1, 1.5)) * math.log((total + 1) / count)
            for stem, count in pages.items()
        }

    # ── pages ─────────────────────────────────────────────────────────────────

    def clauses(self, url: str) -> list[_Clause]:
        """The clauses of a page that was read, or of the snippets of one that was not."""
        if url not in self._clauses:
            texts = [self.read[url]] if url in self.read else self.seen[url]
            named = " ".join(word for word in self.titles[url].split() if word[:1].isupper())
            about = _stems(named) | self.kind
            found = []
            for text in texts:
                for sentence in _SENTENCE.split(_SPEECH.sub(" ", text)):
                    for part in _CLAUSE.split(sentence):
                        tokens = _TOKEN.findall(part.lower())
                        if tokens:
                            stems = frozenset(_stem(token) for token in tokens)
                            own = bool(stems & about) or tokens[0] in _PRONOUNS or sentence.startswith("- ")
                            numbers = tuple(_number(token) for token in tokens if token[0].isdigit())
                            found.append(_Clause(stems, numbers, own))
            self._clauses[url] = found
        return self._clauses[url]

    def said(self, url: str) -> Counter[str]:
        """How often each stem stands in a clause about the page's subject; numbers as they are."""
        if url not in self._said:
            counts: Counter[str] = Counter()
            for clause in self.clauses(url):
                if clause.own:
                    counts.update(clause.stems)
            self._said[url] = counts
        return self._said[url]

    def score(self, url: str) -> float:
        """How well what a page says of its subject covers the criteria: the mean, and half the least."""
        each = [self._covers(wish, url) for wish in self.wishes]
        return sum(each) / len(each) + 0.5 * min(each)

    def _covers(self, wish: _Wish, url: str) -> float:
        said = self.said(url)
        got = total = 0.0
        runs = self._runs(wish)
        looked_up = {_stem(word) for run in runs for word in run.split()}
        for word in wish.stems:
            if word not in self.kind and word not in looked_up:
                weight = self._weights.get(word, 0.0)
                total += weight
                got += weight * _said_often(said[word])
        for run in runs:
            near = self.learned[run]
            worth = {
                stem: min(self._weights.get(stem, 0.0), _CAP) * share
                for stem, share in near.items()
                if self._pages[stem] > 1
            }
            total += max(worth.values(), default=0.0)
            got += max((value * _said_often(said[stem]) for stem, value in worth.items()), default=0.0)
        for low, high in wish.ranges:
            numbers = [n for clause in self.clauses(url) if clause.own for n in clause.numbers if low <= n <= high]
            total += _FIGURE
            got += _FIGURE * _said_often(len(numbers))
        return got / total if total else 0.0

    def promising(self) -> list[str]:
        """Pages that were found and not read, best first."""
        left = [url for url in self.rank if url not in self.read]
        return sorted(left, key=lambda url: (not self._fits(url), -self.rank[url] - 0.25 * self.score(url)))

    def _fits(self, url: str) -> bool:
        """Whether title or snippets name the kind that is sought."""
        return bool(self.kind & _stems(" ".join([self.titles[url], *self.seen[url]])))

    def best(self) -> str:
        """The page that covers the criteria best; of pages not read, by their snippets."""
        scores = {url: self.score(url) for url in self.read} or {url: self.score(url) for url in self.rank}
        return max(scores, key=lambda url: (scores[url], self.rank.get(url, 0.0)), default="No source found.")


def _read_wish(text: str, kind: frozenset[str]) -> _Wish:
    lowered = text.lower()
    ranges = [(_number(low), _number(high)) for low, high in _RANGE.findall(lowered)]
    lowered = _RANGE.sub(" ", lowered)
    ranges += [(int(decade), int(decade) + 9) for decade in _DECADE.findall(lowered)]
    lowered = _DECADE.sub(" ", lowered)
    lowered = _OPEN.sub(lambda match: match[0] if match[1] and _stem(match[1]) in kind else "", lowered)
    words: list[str] = []
    for token in _TOKEN.findall(lowered):
        if token[0].isdigit():
            ranges.append((_number(token), _number(token)))
        elif token not in _EMPTY:
            words.append(token)
    return _Wish(tuple(dict.fromkeys(words)), tuple(ranges))


def _said_often(times: int) -> float:
    return (0.0, 0.75)[times] if times < 2 else 1.0


def _figures(wish: _Wish) -> str:
    return " ".join(str(low) if low < 2100 else f"{low:,}" for low, high in wish.ranges if low == high)


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _TOKEN.findall(text.lower()) if word not in _EMPTY)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """A word without its common endings."""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word
