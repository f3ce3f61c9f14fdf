"""InvestigatorPolicy: searches every criterion, reads sentence by sentence, and follows whoever fits best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from operator import mul
from typing import NamedTuple

from webenv.actions import Kind, answer, search, visit
from webenv.policy import Decision, History
from webenv.query_terms import SENTENCE_END, STOP_WORDS, TENS, UNITS, criteria_of, names_of, query_of, words_of
from webenv.web import Failure

_STEM = 6  # letters by which words are compared
_NEAR = 0.1  # of a number that is said to be about so much
_YEARS = 5  # likewise of a year
_ASKED = 2  # weakest criteria that a later search names
_TITLED = 0.15  # how much it counts that a page is titled by whom it tells of
_LOOSE = 0.6  # what a sentence counts for whom the page is titled by, where it names others
_RANK = 0.3  # how much it counts how well searches rank a page that was not read
_TARGET = re.compile(r"\]\([^()\s]*\)")
_PRONOUN = re.compile(r"(?:he|she|it|they|his|her|its|their|that|this|the)\b", re.IGNORECASE)
_ABOUT = re.compile(r"\b(?:about|around|nearly|almost|over|some|more than|less than) (\S+)")
_NUMBERS = {word: number for number, word in enumerate(UNITS)}
_NUMBERS |= {word: 10 * ten for ten, word in enumerate(TENS, start=2)}


class SoughtTerm(NamedTuple):
    """A word of a criterion, or the numbers that one may stand for."""

    word: str
    low: float = 0.0
    high: float = -1.0

    def stands(self, stems: frozenset[str], numbers: tuple[float, ...]) -> bool:
        """Whether a sentence with these stems and numbers has it."""
        if self.high >= self.low:
            return any(self.low <= number <= self.high for number in numbers)
        return self.word in stems


class PageSentence(NamedTuple):
    """A sentence of a page: its stems, its numbers, and the names that it tells of."""

    stems: frozenset[str]
    numbers: tuple[float, ...]
    names: tuple[str, ...]


class PageEvidence:
    """All that an episode has shown.

    Args:
        history: the episode so far.
    """

    def __init__(self, history: History) -> None:
        self.criteria = criteria_of(history.observations[0]["question"])
        self._sought = [terms_of(text) for text in self.criteria]
        self.seen: dict[str, float] = {}
        self.read: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._snippets: dict[str, list[str]] = {}
        self._queries: set[str] = set()
        for decision, observation in zip(history.decisions, history.observations[1:], strict=True):
            if decision.action.kind == Kind.SEARCH:
                self._queries.update(decision.action.arguments)
            for place, result in enumerate(observation["results"]):
                url = result["url"]
                self._titles[url] = result["title"]
                self.seen[url] = self.seen.get(url, 0.0) + 1 / (4 + place % 10)
                self._snippets.setdefault(url, []).append(result["snippet"])
            for page in observation["pages"]:
                self._titles[page["url"]] = page["title"]
                self.read[page["url"]] = page["text"]

    @cached_property
    def _pages(self) -> Mapping[str, tuple[PageSentence, ...]]:
        """What is known of each page: its text, or what searches showed."""
        shown = {url: "\n".join(snippets) for url, snippets in self._snippets.items()} | self.read
        return {url: read_page(self._titles.get(url, ""), text) for url, text in shown.items()}

    @cached_property
    def _weights(self) -> Mapping[SoughtTerm, float]:
        """How rare each word of the criteria is among the sentences seen."""
        every = [sentence for page in self._pages.values() for sentence in page]
        found = {}
        for term in {term for terms in self._sought for term in terms}:
            count = sum(term.stands(sentence.stems, sentence.numbers) for sentence in every)
            found[term] = math.log((len(every) + 2) / (count + 1))
        return found

    @cached_property
    def _fits(self) -> Mapping[str, tuple[str, tuple[float, ...]]]:
        """Of each page the name of whom it tells most of what is sought, and how much of each criterion, 0 to 1."""
        return {url: self._fit(url, page) for url, page in self._pages.items()}

    def _fit(self, url: str, page: tuple[PageSentence, ...]) -> tuple[str, tuple[float, ...]]:
        counts = Counter(name for sentence in page for name in set(sentence.names))
        title = self._titles.get(url, "")
        best, fit, most = "", tuple(0.0 for _ in self._sought), -1.0
        covered = [[self._cover(terms, sentence) for sentence in page] for terms in self._sought]
        for name, _ in counts.most_common(40):
            loose = _LOOSE if name and name in title else 0.0
            bound = [1.0 if name in sentence.names else loose for sentence in page]
            shares = tuple(max(map(mul, bound, row)) for row in covered)
            score = sum(shares) + _TITLED * bool(loose)
            if score > most:
                best, fit, most = name, shares, score
        return best, fit

    def _cover(self, terms: tuple[SoughtTerm, ...], sentence: PageSentence) -> float:
        """How much of a criterion a sentence has, by the weight of its words, 0 to 1."""
        total = sum(self._weights[term] for term in terms)
        has = sum(self._weights[term] for term in terms if term.stands(sentence.stems, sentence.numbers))
        return has / total if total else 0.0

    def _score(self, url: str) -> float:
        name, shares = self._fits[url]
        titled = _TITLED * bool(name and name in self._titles.get(url, ""))
        return sum(shares) + titled

    def promising(self) -> list[str]:
        """The pages that were not read, best first: by what their snippets tell, and how searches rank them."""
        best = self.follow_name()
        unread = [url for url in self.seen if url not in self.read]

        def promise(url: str) -> float:
            named = bool(best) and best in f"{self._titles[url]} {' '.join(self._snippets[url])}"
            return self.seen[url] + _RANK * self._score(url) + named

        return sorted(unread, key=lambda url: -promise(url))

    def follow_name(self) -> str:
        """The name of whom the pages that were read tell most of what is sought, over all of them; empty: of none."""
        return max(self._people, key=lambda name: sum(self._people[name]), default="")

    @cached_property
    def _people(self) -> Mapping[str, tuple[float, ...]]:
        """Of each name that a page was found to tell of: how much of each criterion, over all pages that were read."""
        found: dict[str, tuple[float, ...]] = {}
        for url in self.read:
            name, shares = self._fits[url]
            if name:
                known = found.get(name, tuple(0.0 for _ in shares))
                found[name] = tuple(map(max, known, shares))
        return found

    def follow_up(self, least: float) -> str:
        """A search for whoever fits best, with what is not known of them yet; empty where it was made, or none fits."""
        for name in sorted(self._people, key=lambda name: -sum(self._people[name])):
            shares = self._people[name]
            if sum(shares) < least:
                return ""
            weakest = sorted(range(len(shares)), key=lambda place: shares[place])[:_ASKED]
            query = query_of(" ".join((name, *(self.criteria[place] for place in weakest))))
            if not any(asked.startswith(f"{name} ") for asked in self._queries):
                return query
        return ""

    def best(self) -> str:
        """The page that tells most of what is sought of one name; of those unread only where none was read."""
        among = self.read or self.seen
        return max(among, key=self._score, default="No source found.")


@lru_cache(maxsize=4_096)
def terms_of(criterion: str) -> tuple[SoughtTerm, ...]:
    """The words of a criterion that say something, and its numbers.

    >>> terms_of("It was built in the 1920s of granite, about forty metres tall.")[:3]
    (SoughtTerm(word='built', low=0.0, high=-1.0), SoughtTerm(word='granit', low=0.0, high=-1.0), \
SoughtTerm(word='metres', low=0.0, high=-1.0))
    """
    vague = {match[1].strip(".,") for match in _ABOUT.finditer(criterion.lower())}
    words: dict[SoughtTerm, None] = {}
    figures: dict[SoughtTerm, None] = {}
    for word in words_of(criterion.replace(",", "")):
        if word[:3].isdecimal() and word.endswith("0s"):
            figures[SoughtTerm(word, float(word[:-1]), float(word[:-1]) + 9)] = None
        elif word.isdecimal() or word in _NUMBERS:
            number = float(word[:15]) if word.isdecimal() else float(_NUMBERS[word])
            year = 1_000 <= number <= 2_100
            slack = 0.0 if word not in vague else _YEARS if year else _NEAR * number
            if number > 1:
                figures[SoughtTerm(word, number - slack, number + slack)] = None
        elif word not in STOP_WORDS:
            words[SoughtTerm(word[:_STEM])] = None
    return (*words, *figures)


@lru_cache(maxsize=256)
def read_page(title: str, text: str) -> tuple[PageSentence, ...]:
    """The sentences of a page; one that begins with a pronoun goes on about whoever the one before tells of."""
    text = _TARGET.sub("]", text)
    subject = tuple(names_of(title))
    full = {name.rpartition(" ")[2]: name for name in (*names_of(text), *subject) if " " in name}
    found = []
    named = subject
    for part in SENTENCE_END.split(text):
        part = part.strip(" |#*-[]")
        own = tuple(full.get(name, name) for name in names_of(part))
        goes_on = not own or bool(_PRONOUN.match(part))
        if own and not goes_on:
            named = own
        words = words_of(part.replace(",", ""))
        numbers = tuple(
            float(word[:15]) if word.isdecimal() else float(_NUMBERS[word])
            for word in words
            if word.isdecimal() or word in _NUMBERS
        )
        names = tuple(dict.fromkeys((*own, *named, *subject) if goes_on else own)) or ("",)
        found.append(PageSentence(frozenset(word[:_STEM] for word in words), numbers, names))
    return tuple(found)


_FIRST = 4  # pages read after the first searches
_ROUND = 2  # pages read after each later one
_PROMISE = 0.5  # how much of the criteria somebody's sentences must cover to be searched for by name


class InvestigatorPolicy:
    """A patient reader of plain-English criteria, on any web, without a language model.

    It searches all criteria together and one by one; reads the pages whose snippets promise most; counts of each
    sentence only what it says of one name (the sentence has it, or goes on about it with a pronoun), weighing words by
    how rare they are on what was seen; searches for the name that fits best with the words it lacks, reads on, and
    answers the page on which one name meets most of all criteria. Of words it knows what any reader does: stop words,
    endings, number words, decades and round figures.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "investigator", "version": "5"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision:
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        evidence = PageEvidence(history)
        last = history.decisions[-1].action.kind if history.decisions else None
        if turns > 1 and (visits or not evidence.seen):
            if last is None and searches:
                queries = [query_of(text) for text in (" ".join(evidence.criteria), *evidence.criteria)]
                keep = 2 if visits else 0  # for names that come up
                return Decision(search(*dict.fromkeys(queries[: max(1, searches - keep)])), thought="search")
            if last == Kind.VISIT and searches and turns > 2:
                query = evidence.follow_up(_PROMISE)
                if query:
                    return Decision(search(query), thought="search whoever fits best")
            pages = evidence.promising()[: min(visits, _FIRST if last == Kind.SEARCH and not evidence.read else _ROUND)]
            if pages:
                return Decision(visit(*pages), thought="read")
        return Decision(answer(evidence.best()), thought="answer")
