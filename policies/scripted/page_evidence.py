"""All that a history shows, read: what is sought, which words tell pages apart, which page fits best."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from webenv.actions import Kind
from webenv.observations import ObservationDict
from webenv.policies.scripted.reading import (
    PageClause,
    PageReading,
    SoughtCriterion,
    SoughtTerm,
    alike,
    read,
    read_criterion,
    sentences,
    statements,
    stem,
    stems,
    tokens,
)
from webenv.policy import Decision, History
from webenv.query_terms import criteria_of

_FIGURE = 1.5  # how much a number is worth
_CAP = 1.2  # the most that a learned word is worth
_LEARNED = 1.2  # how much a learned word is worth beside the word itself
_LEAST = 1.0  # what the units of a criterion are worth together, at least
_TELLING = 0.5  # from what worth on a unit tells pages apart
_ANCHORS = 3  # units of one criterion that a page is asked to have
_HAD = 3.0  # how much it counts that a page is known to have them
_APART = 0.4  # what values are worth in a clause that does not say what ties them
_SEED = 0.6  # how much of a criterion's words, beside the most, a clause has that surely says the same
_ROUNDS = 2
_RARE = 0.25  # from what share of its clauses on a stem tells
_FITS = 1.0  # how much it counts that title or snippets name the kind
_QUOTED = re.compile('"([^"]*)"')
# What may be done after a step, best first.
_NEXT = {
    "": ("search", "read", "look up", "search again", "read on"),
    "search": ("read", "look up", "search again", "read on"),
    "read": ("look up", "search again", "read on"),
    "look up": ("search again", "read on"),
    "search again": ("read on", "search again"),
    "read on": ("search again", "read on"),
}


class PageEvidence:
    """All that a history shows, read.

    Args:
        history: the episode so far.
        meanings: words and phrases in lower evidence, with what else may stand for them.
    """

    def __init__(self, history: History, meanings: Mapping[str, Sequence[str]]) -> None:
        self.texts = criteria_of(history.observations[0]["question"])
        shared = set.intersection(*(set(stems(text)) for text in self.texts)) if len(self.texts) > 1 else set()
        self.kind = frozenset(shared)
        self.sought = [read_criterion(text, self.kind, meanings) for text in self.texts]
        self._informed = bool(meanings)
        self.asked: set[str] = set()
        self._latest: list[str] = []
        self.seen: dict[str, list[str]] = {}
        self.titles: dict[str, str] = {}
        self.read: dict[str, str] = {}
        self.rank: dict[str, float] = {}
        self.has: dict[str, set[str]] = {}
        self.lookups: dict[str, list[str]] = {}
        for decision, observation in zip(history.decisions, history.observations[1:], strict=True):
            self._take(decision, observation)
        self._beside = Counter(
            form
            for snippets in self.lookups.values()
            for snippet in snippets
            for sentence in sentences(snippet)
            for form in stems(sentence)
        )
        self.learned = {run: self._near(run, snippets) for run, snippets in self.lookups.items()}
        self._ties: dict[str, dict[str, float]] = {}
        self._readings: dict[str, list[PageReading]] = {}
        self._measures: dict[str, SoughtTerm] = {}
        self._anchors: dict[str, list[tuple[float, str, str]]] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._worth: dict[str, float] = {}

    def _take(self, decision: Decision, observation: ObservationDict) -> None:
        texts = decision.action.arguments
        if decision.action.kind == Kind.SEARCH:
            self.asked.update(texts)
        self._latest = [result["url"] for result in observation["results"]]
        quoted = _QUOTED.findall(texts[0]) if decision.memory == "search again" else []
        for place, result in enumerate(observation["results"]):
            url = result["url"]
            self.titles[url] = result["title"]
            self.seen.setdefault(url, []).append(result["snippet"])
            if decision.memory == "look up":
                for query in texts:
                    self.lookups.setdefault(query, []).append(result["snippet"])
            else:
                self.rank[url] = self.rank.get(url, 0.0) + 1 / (8 + place % 10)
                self.has.setdefault(url, set()).update(quoted)
        for page in observation["pages"]:
            self.read[page["url"]] = page["text"]
            self.titles[page["url"]] = page["title"]

    def next(self, last: str) -> tuple[str, ...]:
        """What may be done after a step, best first."""
        if last == "search again" and all(url in self.read for url in self._latest):
            return ("search again", "read on")
        return _NEXT[last]

    # ── words ─────────────────────────────────────────────────────────────────

    def _near(self, run: str, snippets: Sequence[str]) -> dict[str, float]:
        """The words that stand in short sentences with a looked-up run of words, and how near they are.

        Near is what stands there oftener than beside other words: 0 to ``_LEARNED``.
        """
        wanted = stems(run) - self.kind
        text = next((text for text in self.texts if set(tokens(run)) <= set(tokens(text))), run)
        counts: Counter[str] = Counter()
        most = 0
        for snippet in snippets:
            for sentence in sentences(snippet):
                forms = stems(sentence)
                if wanted & forms and len(forms) <= 16:
                    shared = _common(sentence, text, wanted)
                    if shared > most:
                        counts.clear()
                        most = shared
                    if shared == most:
                        counts.update(forms - wanted - self.kind)
        return {form: _LEARNED * count / (self._beside[form] + 1) for form, count in counts.items()}

    def queries(self) -> list[str]:
        """The criteria in their own words, without what they leave open: together, and one by one."""
        kind = " ".join(sorted(self.kind))
        each = [" ".join([kind, *criterion.words, *_others(criterion)]) for criterion in self.sought]
        return [query for query in (" ".join(self.texts), *each) if query.strip()]

    def unknown(self) -> list[str]:
        """Runs of words of the criteria that no clause about a subject has."""
        runs: list[str] = []
        for criterion in self.sought:
            run: list[str] = []
            for unit in [*criterion.units, None]:
                if unit and len(unit.forms) == 1 and not any(self.count(unit, url) for url in self.read):
                    run.append(unit.text)
                elif run:
                    runs.append(" ".join(run))
                    run = []
        return list(dict.fromkeys(runs))

    def sharpened(self) -> list[str]:
        """Queries for pages that have the words that tell pages apart: those of all criteria, or of some."""
        anchors = [anchor for criterion in self.sought for anchor in self.anchors(criterion)]
        weightiest = [text for _, text, _ in sorted(anchors, key=lambda anchor: -anchor[0])]
        found = [_quoting(weightiest), _quoting(weightiest[:-1])]
        for criterion in self.sought:
            found.append(_quoting([text for _, text, of in anchors if of != criterion.text]))
        found.append(" ".join([*sorted(self.kind), *weightiest]))
        return [query for query in dict.fromkeys(found) if query and query not in self.asked]

    def anchors(self, criterion: SoughtCriterion) -> list[tuple[float, str, str]]:
        """What of a criterion tells pages apart: how well, as pages have it, and the criterion."""
        if criterion.text not in self._anchors:
            found = []
            best = self._clause(criterion)
            for unit in criterion.units:
                worth = self.worth(unit)
                text = self._resolved(unit, best)
                if text and (unit.value or worth > _TELLING):
                    found.append((worth + 2 * unit.value, text, criterion.text))
            self._anchors[criterion.text] = sorted(found, key=lambda anchor: -anchor[0])[:_ANCHORS]
        return self._anchors[criterion.text]

    def _clause(self, criterion: SoughtCriterion) -> PageClause | None:
        """The clause that has most of a criterion, on the page that has most of all of them."""
        found: tuple[float, PageClause] | None = None
        for url in self.read:
            score = self.score(url)
            for reading in self.readings(url):
                for clause in reading.clauses:
                    if clause.own:
                        has = sum(self.worth(unit) for unit in criterion.units if clause.has(self._measured(unit)))
                        if has and (found is None or has * score > found[0]):
                            found = (has * score, clause)
        return found[1] if found else None

    def _resolved(self, unit: SoughtTerm, best: PageClause | None) -> str:
        """A unit as the pages that were read have it; empty where they do not."""
        exact = unit.named or (unit.figure and unit.low == unit.high)
        unit = self._measured(unit)
        if best and best.has(unit):
            if unit.figure:
                return next(text for number, text in best.numbers if unit.low <= number <= unit.high)
            return next(text for form, text in unit.forms.items() if f" {form} " in best.text)
        found: Counter[str] = Counter()
        for url in self.read:
            for reading in self.readings(url):
                if unit.figure:
                    found.update(
                        text
                        for clause in reading.clauses
                        for number, text in clause.numbers
                        if unit.low <= number <= unit.high
                    )
                else:
                    found.update({text: reading.all.count(f" {form} ") for form, text in unit.forms.items()})
        found += Counter()
        if found:
            return max(found, key=lambda text: found[text])
        return unit.text if exact else next(iter(unit.forms.values())) if unit.known and len(unit.forms) <= 2 else ""

    def _runs(self, criterion: SoughtCriterion) -> list[str]:
        """The runs of words of a criterion that were looked up."""
        words = {unit.text for unit in criterion.units}
        return [run for run in self.learned if set(run.split()) <= words]

    def worth(self, unit: SoughtTerm) -> float:
        """What a unit is worth: how much pages that say it of their subject repeat it, and how few of them do.

        Words that tell pages apart come in bursts; the words of a turn of phrase come once.
        """
        if unit.text not in self._worth:
            counts = [count for url in self.read if (count := self.count(unit, url))]
            worth = 0.0
            if counts:
                worth = (0.15 + min(sum(counts) / len(counts) - 1, 1.5)) * math.log((len(self.read) + 1) / len(counts))
            self._worth[unit.text] = worth
        return _FIGURE if unit.figure else self._worth[unit.text]

    # ── pages ─────────────────────────────────────────────────────────────────

    def readings(self, url: str) -> list[PageReading]:
        """A page that was read, or the snippets of one that was not."""
        if url not in self._readings:
            texts = [self.read[url]] if url in self.read else list(dict.fromkeys(self.seen[url]))
            self._readings[url] = [read(text, self._about(url)) for text in texts]
        return self._readings[url]

    def _about(self, url: str) -> frozenset[str]:
        """Stems that name the subject of a page: its title's and its kind's."""
        return stems(" ".join(word for word in self.titles[url].split() if word[:1].isupper())) | self.kind

    def count(self, unit: SoughtTerm, url: str) -> int:
        """How often a page has a unit in clauses about its subject."""
        key = (unit.text, url)
        if key not in self._counts:
            self._counts[key] = sum(reading.count(self._measured(unit)) for reading in self.readings(url))
        return self._counts[key]

    def _measured(self, unit: SoughtTerm) -> SoughtTerm:
        """A number with what it measures, where a page that was read has it so."""
        if not unit.figure or not unit.forms:
            return unit
        if unit.text not in self._measures:
            plain = unit._replace(low=0, high=-1)
            said = any(reading.count(plain, own=False) for url in self.read for reading in self.readings(url))
            self._measures[unit.text] = plain if said else unit
        return self._measures[unit.text]

    def score(self, url: str) -> float:
        """How well what a page says of its subject covers the criteria: the mean, and half the least."""
        each = [self._covers(criterion, url) for criterion in self.sought]
        return sum(each) / len(each) + 0.5 * min(each)

    def _covers(self, criterion: SoughtCriterion, url: str) -> float:
        """How well a page covers a criterion: in one clause, and without meanings in any of its clauses too."""
        stated = self._states(criterion, url) if any(unit.value for unit in criterion.units) else None
        if stated is not None and self._informed:
            return stated
        got = total = 0.0
        runs = self._runs(criterion)
        looked_up = {word for run in runs for word in run.split()}
        for unit in criterion.units:
            if unit.text not in looked_up:
                weight = self.worth(unit)
                total += weight
                got += weight * _said_often(self.count(unit, url))
        for run in runs:
            worth = {
                form: min(self.worth(unit), _CAP) * share
                for form, share in self.learned[run].items()
                if sum(1 for url in self.read if self.count(unit := SoughtTerm(form, {form: form}), url)) > 1
            }
            total += max(worth.values(), default=0.0)
            got += max(
                (value * _said_often(self.count(SoughtTerm(form, {form: form}), url)) for form, value in worth.items()),
                default=0.0,
            )
        apart = got / max(total, _LEAST)
        covered = (apart + self._together(criterion, url)) / 2
        return covered if stated is None else (covered + stated) / 2

    def _states(self, criterion: SoughtCriterion, url: str) -> float:
        """How well one clause about the subject states a criterion: its values, in words that say what ties them."""
        values = [(unit, 0.5 if unit.named else 1.0) for unit in criterion.units if unit.value]
        total = sum(weight for _, weight in values)
        ties = self._tied(criterion)
        found = [0.0, 0.0]
        for reading in self.readings(url):
            for clause in reading.clauses:
                if clause.own:
                    has = sum(weight for unit, weight in values if clause.has(self._measured(unit))) / total
                    if has:
                        tied = min(1.0, sum(ties.get(form, 0.0) for form in set(clause.text.split()))) if ties else 1.0
                        found.append(has * (_APART + (1 - _APART) * tied))
        best = sorted(found)[-2:]
        return 0.9 * best[1] + 0.1 * best[0]

    @cached_property
    def _clauses(self) -> tuple[list[tuple[str, ...]], list[list[int]], dict[str, list[int]]]:
        """Clauses of the pages that were read: their stems, those that say the same, and by stem those that have it."""
        forms = [own for url in self.read for own in statements(self.read[url], self._about(url))]
        linked = alike(forms)
        having: dict[str, list[int]] = {}
        for number, own in enumerate(forms):
            for form in own:
                having.setdefault(form, []).append(number)
        return forms, linked, having

    def _tied(self, criterion: SoughtCriterion) -> dict[str, float]:
        """Stems that say what ties the values of a criterion, and how much each does.

        They are its own, and those of clauses that say the same as a clause that has them.
        """
        if criterion.text not in self._ties:
            forms, linked, having = self._clauses
            own = [unit.forms for unit in criterion.units if not unit.value]
            said = {form for unit in criterion.units if unit.value for text in unit.forms for form in text.split()}
            direct: dict[int, float] = {}
            most = 0.0
            for each in own:
                places = {n for text in each for form in text.split()[:1] for n in having.get(form, ())}
                if places:
                    weight = math.log((len(forms) + 1) / len(places))
                    most += weight
                    for n in places:
                        direct[n] = direct.get(n, 0.0) + weight
            ties: dict[str, float] = {}
            least = max(_SEED * max(direct.values(), default=0.0), most / 4)
            strong = {n for n, weight in direct.items() if weight >= least}
            for _ in range(_ROUNDS):
                same = strong | {other for n in strong for other in linked[n]}
                counts = Counter(form for n in same for form in forms[n] if form not in said)
                ties = {
                    form: share for form, count in counts.items() if (share := count / (len(having[form]) + 1)) > _RARE
                }
                scores: dict[int, float] = {}
                for form, share in ties.items():
                    for n in having[form]:
                        scores[n] = scores.get(n, 0.0) + share
                strong = strong | {n for n, score in scores.items() if score >= 1}
            self._ties[criterion.text] = ties if own else {}
        return self._ties[criterion.text]

    def _together(self, criterion: SoughtCriterion, url: str) -> float:
        """The most of a criterion that one clause about the subject has."""
        weights = [(unit, self.worth(unit)) for unit in criterion.units]
        total = sum(weight for _, weight in weights)
        most = 0.0
        for reading in self.readings(url):
            for clause in reading.clauses:
                if clause.own:
                    most = max(most, sum(weight for unit, weight in weights if clause.has(self._measured(unit))))
        return most / max(total, _LEAST)

    def promising(self) -> list[str]:
        """Pages that were found and not read, best first; of pages with one title the others last."""
        titles = {self.titles[url] for url in self.read}
        left = [url for url in self.rank if url not in self.read]
        ranked = sorted(left, key=lambda url: -self._promise(url))
        first = []
        for url in ranked:
            if self.titles[url] not in titles:
                titles.add(self.titles[url])
                first.append(url)
        return [*first, *(url for url in ranked if url not in first)]

    def _promise(self, url: str) -> float:
        """How much speaks for a page not read: the quoted words that it has, its ranks, and its snippets."""
        quoted = {text for texts in self.has.values() for text in texts}
        had = len(self.has[url]) / len(quoted) if quoted else 0.0
        return _HAD * had + self.rank[url] + self.score(url) + _FITS * self._fits(url)

    def _fits(self, url: str) -> bool:
        """Whether title or snippets name the kind that is sought."""
        return bool(self.kind & stems(" ".join([self.titles[url], *self.seen[url]])))

    def best(self) -> str:
        """The page that covers the criteria best; of pages not read, by their snippets."""
        scores = {url: self.score(url) for url in self.read} or {url: self.score(url) for url in self.rank}
        return max(scores, key=lambda url: (scores[url], self.rank.get(url, 0.0)), default="No source found.")


def _common(sentence: str, text: str, wanted: frozenset[str]) -> int:
    """How many words the longest run has that two texts share and that has a wanted word."""
    ours, theirs = ([stem(word) for word in tokens(one)] for one in (text, sentence))
    most = 0
    for start in range(len(ours)):
        for other in range(len(theirs)):
            size = 0
            while ours[start + size : start + size + 1] == theirs[other + size : other + size + 1] != []:
                size += 1
            if size > most and not wanted.isdisjoint(ours[start : start + size]):
                most = size
    return most


def _others(criterion: SoughtCriterion) -> list[str]:
    """What else pages may say for a criterion's words."""
    return [text for unit in criterion.units for text in unit.forms.values() if text != unit.text]


def _quoting(texts: Sequence[str]) -> str:
    return " ".join(f'"{text}"' for text in dict.fromkeys(texts))


def _said_often(times: int) -> float:
    return (0.0, 0.75)[times] if times < 2 else 1.0
