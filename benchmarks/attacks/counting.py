"""Statistics that win without reading: what counts of words, places, addresses and dates give away of a generated web.

    python benchmarks/attacks/counting.py [--train 4] [--worlds 6] [--tasks 34] [--pages 2880]

Each statistic scores the hits of four BM25 searches (the question, and each criterion) and answers the best; none knows
what a sentence says. What has to be learned is learned on worlds of the split ``train``; the figures are of other
worlds. A statistic more than 5 points above the keyword policy reads a regularity of the generator: find and remove it.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # idle threads of the trees spin, and hold up what is busy
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # the other benchmarks
from calibration import wilson
from readers import World, play

from webenv.envs.needle_in_web.simulated import SimulatedNeedle
from webenv.policies.baselines import KeywordPolicy
from webenv.query_terms import STOP_WORDS, query_of
from webenv.web import SearchRequest

_HITS, _EACH = 50, 20  # of the question, and of each criterion
_WORD = re.compile(r"[a-z0-9]+(?:,[0-9]{3})*")
_SENTENCE = re.compile(r"(?<=[.?!])\s+|\n+")
_LINK = re.compile(r"\]\(([^)]*)\)")
_NOT = frozenset(
    _WORD.findall("not never denied no wrong mistaken planned dropped only papers claimed false nothing rejected")
)
_GENERIC = frozenset(
    _WORD.findall("someone something certain person thing place number sum year one organisation somebody")
)
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_SECTIONS = _WORD.findall(
    "wiki entry article news local stories wire world thread t topic company profile about product p post blog notes "
    "essays features register site notices minutes papers doi places go clubs teams tables facts q"
)


def stem(word: str) -> str:
    """A word by its first letters; near enough to a stem."""
    return word.replace(",", "")[:6]


def stems(text: str) -> list[str]:
    """The stems of a text's words, stop words left out."""
    return [stem(word) for word in _WORD.findall(text.lower()) if word not in STOP_WORDS]


class Seen(NamedTuple):
    """A page as counts: of it all, its sentences, paragraphs, sections and other parts."""

    url: str
    date: str
    counts: Counter[str]
    title: frozenset[str]
    sentences: tuple[frozenset[str], ...]
    paragraphs: tuple[frozenset[str], ...]
    sections: tuple[frozenset[str], ...]
    table: frozenset[str]
    first: frozenset[str]
    heads: frozenset[str]
    shape: tuple[float, ...]


def seen(url: str, title: str, date: str, text: str) -> Seen:
    """A page, counted."""
    links = len(_LINK.findall(text))
    plain = _LINK.sub("]", text)
    paragraphs = [part for part in plain.split("\n\n") if part.strip()]
    sentences = [part for part in _SENTENCE.split(plain) if part.strip()]
    sections = re.split(r"\n## ", plain)
    table = " ".join(part for part in paragraphs if part.startswith("|"))
    heads = " ".join(part for part in paragraphs if part.startswith("#"))
    prose = [part for part in paragraphs if part[:1] not in "|#-"]
    words = stems(plain)
    numbers = len(re.findall(r"\d+", plain))
    year = int(date[:4]) if date[:4].isdigit() else 0
    token = url.rpartition("-")[2]
    value = sum(_DIGITS.find(letter) * 32**place for place, letter in enumerate(reversed(token))) / 2**25
    section = url.split("/")[3] if url.count("/") > 3 else ""
    shape = (
        math.log(len(words) + 1), math.log(links + 1), len(sections) / 5, len(paragraphs) / 20, table.count("\n") / 10,
        numbers / 50, float(bool(date)), (year - 2000) / 20 if year else 0.0, value, (value * 16) % 1,
        len(url) / 80, len(title) / 50, float("?" in title), *(float(section == one) for one in _SECTIONS),
    )  # fmt: skip
    return Seen(
        url, date, Counter(words), frozenset(stems(title)), tuple(frozenset(stems(one)) for one in sentences),
        tuple(frozenset(stems(one)) for one in paragraphs), tuple(frozenset(stems(one)) for one in sections),
        frozenset(stems(table)), frozenset(stems(prose[0] if prose else "")), frozenset(stems(heads)), shape,
    )  # fmt: skip


class Asked(NamedTuple):
    """A question as words, with its candidates and what searching said of them."""

    difficulty: str
    criteria: tuple[tuple[str, ...], ...]
    masks: tuple[float, ...]
    pages: tuple[Seen, ...]
    ranks: np.ndarray  # candidates × searches; 200 where a search did not bring it
    weight: dict[str, float]
    gold: int  # −1 where no search brought it


class CountedWorld:
    """A world's pages, counted, and its tasks as a statistician gets them."""

    def __init__(self, world: World) -> None:
        self.world = world
        pages = list(world.web.pages())
        self._seen = {page.url: seen(page.url, page.title, page.date, page.text) for page in pages}
        frequency: Counter[str] = Counter()
        for one in self._seen.values():
            frequency.update(one.counts.keys())
        self._weight = {word: math.log(len(pages) / count) for word, count in frequency.items()}
        self._rarest = math.log(len(pages))

    def asked(self, needle: SimulatedNeedle) -> Asked:
        """A task with the hits of four searches."""
        texts = needle.task.criteria
        requests = [SearchRequest(query_of(" ".join(texts)), _HITS)]
        requests += [SearchRequest(query_of(text), _EACH) for text in texts]
        found = self.world.corpus.search(requests)
        urls = list(dict.fromkeys(hit.url for hits in found for hit in hits))
        ranks = np.full((len(urls), len(requests)), 200.0)
        for column, hits in enumerate(found):
            for rank, hit in enumerate(hits):
                ranks[urls.index(hit.url), column] = rank
        criteria = tuple(tuple(dict.fromkeys(w for w in stems(text) if w not in _GENERIC)) for text in texts)
        words = {word for criterion in criteria for word in criterion}
        joined = " ".join(texts).lower()
        masks = tuple(float(joined.count(one)) for one in ("someone", "something", "place", "year", "that person"))
        (gold,) = needle.task.gold.urls
        return Asked(
            needle.task.tags["difficulty"], criteria, masks, tuple(self._seen[url] for url in urls), ranks,
            {word: self._weight.get(word, self._rarest) for word in words}, urls.index(gold) if gold in urls else -1,
        )  # fmt: skip


# ── statistics ────────────────────────────────────────────────────────────────

NAMES = (
    "rank of the question", "rank of criterion 1", "rank of criterion 2", "rank of criterion 3", "sum of ranks",
    "presence", "presence, least criterion", "presence, numbers", "counted once", "counted twice", "counted 3+",
    "log counts", "within a sentence", "within a sentence, least", "within a paragraph", "within a section",
    "criteria in one section", "sentence with the title", "first section", "infobox and tables", "first paragraph",
    "headings", "title", "address", "pages of one title", "first among one title", "near a denial", "neighbours",
    "rarest word", "share of page",
)  # fmt: skip
_PLAIN = len(NAMES)


def features(asked: Asked) -> np.ndarray:
    """All statistics of all candidates, candidates × statistics, those of :data:`NAMES` first, then shape and masks."""
    weight = asked.weight
    words = tuple(weight)
    total = sum(weight.values()) or 1.0
    rare = max(words, key=lambda word: weight[word], default="")
    parts = [sum(weight[word] for word in criterion) or 1.0 for criterion in asked.criteria]

    def mass(found: Sequence[str] | frozenset[str], of: Sequence[str]) -> float:
        return sum(weight[word] for word in of if word in found)

    rows = []
    for number, page in enumerate(asked.pages):
        covered = [mass(page.counts, one) / part for one, part in zip(asked.criteria, parts, strict=True)]  # type: ignore[arg-type]
        counts = [page.counts.get(word, 0) for word in words]
        best = [
            max((mass(bag, one) for bag in page.sentences), default=0.0) / part
            for one, part in zip(asked.criteria, parts, strict=True)
        ]
        paragraph = [max((mass(bag, one) for bag in page.paragraphs), default=0.0) for one in asked.criteria]
        sections = [[mass(bag, one) / p for one, p in zip(asked.criteria, parts, strict=True)] for bag in page.sections]
        titled = [bag for bag in page.sentences if page.title & bag]
        denied = [bag for bag in page.sentences if _NOT & bag]
        alike = [
            other
            for other, one in enumerate(asked.pages)
            if len(one.title & page.title) >= 2 or one.title == page.title
        ]
        inverse = 1 / (asked.ranks[number] + 10)
        neighbours = sum(
            mass(a | b, words) > 0.5 * total for a, b in zip(page.sentences, page.sentences[1:], strict=False)
        )
        rows.append([
            *(10 * inverse), 10 * float(inverse.sum()),
            mass(page.counts, words) / total, min(covered), float(sum(w.isdigit() and w in page.counts for w in words)),  # type: ignore[arg-type]
            *(sum(weight[w] for w, c in zip(words, counts, strict=True) if low <= c <= high) / total
              for low, high in ((1, 1), (2, 2), (3, 999))),
            sum(weight[w] * math.log(1 + c) for w, c in zip(words, counts, strict=True)) / total,
            sum(best), min(best), sum(paragraph) / total,
            sum(max(row[i] for row in sections) for i in range(len(parts))),
            max(sum(row) for row in sections),
            sum(max((mass(bag, one) for bag in titled), default=0.0) for one in asked.criteria) / total,
            mass(page.sections[0], words) / total, mass(page.table, words) / total, mass(page.first, words) / total,
            mass(page.heads, words) / total, mass(page.title, words) / total,
            mass(frozenset(stems(page.url.replace("-", " "))), words) / total, len(alike) / 5,
            float(number == max(alike, key=lambda other: mass(asked.pages[other].counts, words), default=-1)),  # type: ignore[arg-type]
            sum(max((mass(bag, one) for bag in denied), default=0.0) for one in asked.criteria) / total,
            float(neighbours), float(rare in page.counts), mass(page.counts, words) / (5 + len(page.counts)),  # type: ignore[arg-type]
            *page.shape, *(mask * kind for mask in asked.masks for kind in page.shape[:3]),
        ])  # fmt: skip
    return np.array(rows)


class Bayes:
    """Naive Bayes over whether, or how often (0, 1, 2, 3+), a page has the question's words, by how rare they are."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._odds = np.zeros((4, most + 1))

    def _cells(self, asked: Asked, page: Seen) -> list[tuple[int, int]]:
        return [
            (min(3, int(weight / 2)), min(self._most, page.counts.get(word, 0)))
            for word, weight in asked.weight.items()
        ]

    def fit(self, known: Sequence[Asked]) -> None:
        counts = np.ones((2, 4, self._most + 1))
        for asked in known:
            for number, page in enumerate(asked.pages):
                for cell in self._cells(asked, page):
                    counts[(int(number == asked.gold), *cell)] += 1
        shares = counts / counts.sum(axis=2, keepdims=True)
        self._odds = np.log(shares[1] / shares[0])

    def __call__(self, asked: Asked) -> np.ndarray:
        return np.array([sum(self._odds[cell] for cell in self._cells(asked, page)) for page in asked.pages])


class Codebook:
    """Which words of pages go with which words of questions, counted: stands in for knowing what words mean."""

    def __init__(self) -> None:
        self._odds: dict[tuple[str, str], float] = {}

    def _pairs(self, asked: Asked, page: Seen) -> set[tuple[str, str]]:
        near = page.title | page.first
        return {(one, other) for one in asked.weight for other in near if one != other}

    def fit(self, known: Sequence[Asked]) -> None:
        gold: Counter[tuple[str, str]] = Counter()
        rest: Counter[tuple[str, str]] = Counter()
        for asked in known:
            for number, page in enumerate(asked.pages):
                (gold if number == asked.gold else rest).update(self._pairs(asked, page))
        least, most = 1.0, max(1.0, sum(rest.values()) / max(1, sum(gold.values())))
        self._odds = {
            pair: math.log((count + least) / (rest[pair] / most + least)) for pair, count in gold.items() if count > 1
        }

    def __call__(self, asked: Asked) -> np.ndarray:
        return np.array([
            sum(self._odds.get(pair, 0.0) for pair in self._pairs(asked, page)) / 10 for page in asked.pages
        ])  # fmt: skip


class Logit:
    """Conditional logistic regression: which of a question's candidates, by a weighted sum of all statistics."""

    def __init__(self, learned: Sequence[Callable[[Asked], np.ndarray]], penalty: float = 1e-3) -> None:
        self._learned = learned
        self._penalty = penalty
        self.mean = self.spread = self.weights = np.zeros(1)

    def rows(self, asked: Asked) -> np.ndarray:
        """All statistics, learned ones too; and each as it stands among the question's other candidates."""
        raw = np.column_stack([features(asked), *(one(asked) for one in self._learned)])
        wanted = [*range(_PLAIN), *range(raw.shape[1] - len(self._learned), raw.shape[1])]
        return np.column_stack([raw, raw[:, wanted] - raw[:, wanted].max(axis=0)])

    def fit(self, known: Sequence[tuple[np.ndarray, int]]) -> None:
        every = np.vstack([rows for rows, _ in known])
        self.mean, self.spread = every.mean(axis=0), every.std(axis=0) + 1e-6
        given = [((rows - self.mean) / self.spread, gold) for rows, gold in known if gold >= 0]
        weights = np.zeros(every.shape[1])
        first = second = np.zeros_like(weights)
        for step in range(1, 201):  # Adam over all tasks at once
            slope = self._penalty * weights
            for rows, gold in given:
                scores = rows @ weights
                shares = np.exp(scores - scores.max())
                slope = slope + (shares / shares.sum() @ rows - rows[gold]) / len(given)
            first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
            weights = weights - 0.03 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
        self.weights = weights

    def score(self, rows: np.ndarray) -> np.ndarray:
        """How likely each candidate is, as log odds."""
        return ((rows - self.mean) / self.spread) @ self.weights


def _trees(known: Sequence[tuple[np.ndarray, int]]) -> Callable[[np.ndarray], np.ndarray] | None:
    """Boosted trees over the same statistics, where scikit-learn is there."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError:
        return None
    rows = np.vstack([one for one, gold in known if gold >= 0])
    marks = np.concatenate([np.arange(len(one)) == gold for one, gold in known if gold >= 0])
    model = HistGradientBoostingClassifier(max_iter=60, learning_rate=0.12, l2_regularization=1.0, random_state=0)
    model.fit(rows, marks)
    return lambda one: model.predict_proba(one)[:, 1]


def main() -> None:
    """Learns, plays and prints; exits with 1 where a statistic is more than 5 points above keyword."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--train", type=int, default=4, help="worlds to learn on")
    parser.add_argument("--worlds", type=int, default=6, help="worlds to be tested on")
    parser.add_argument("--tasks", type=int, default=34, help="of each difficulty in each world")
    parser.add_argument("--learn", type=int, default=80, help="the same, of worlds to learn on")
    parser.add_argument("--pages", type=int, default=2_880)
    parser.add_argument("--seed", type=int, default=700)
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    began = time.perf_counter()
    known = []
    for seed in range(options.seed, options.seed + options.train):
        world = World(options.pages, seed, "train")
        counted = CountedWorld(world)
        known += [counted.asked(needle) for needle in world.needles(options.learn)]
        print(f"learned from world {seed} after {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    learned: dict[str, Any] = {
        "naive Bayes, presence": Bayes(1), "naive Bayes, counts": Bayes(3), "codebook": Codebook(),
    }  # fmt: skip
    half = len(known) // 2  # what the regression weighs has been learned on other tasks
    for one in learned.values():
        one.fit(known[:half])
    logit = Logit(tuple(learned.values()))
    made = [(logit.rows(asked), asked.gold) for asked in known[half:]]
    logit.fit(made)
    trees = _trees(made)
    for one in learned.values():
        one.fit(known)
    marks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    try:
        for seed in range(options.seed + 100, options.seed + 100 + options.worlds):
            _play(World(options.pages, seed, options.split), options.tasks, learned, logit, trees, marks)
            print(f"played world {seed} after {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("interrupted: of the worlds played so far", file=sys.stderr)
    sys.exit(_report(marks, logit))


def _play(
    world: World, tasks: int, learned: dict[str, Any], logit: Logit, trees: Any, marks: dict[str, dict[str, list[int]]]
) -> None:
    counted = CountedWorld(world)
    given: list[tuple[str, str, int]] = []
    for needle in world.needles(tasks):
        asked = counted.asked(needle)
        rows = logit.rows(asked)
        scores = {name: rows[:, place] for place, name in enumerate(NAMES)}
        scores |= {name: one(asked) for name, one in learned.items()}
        scores["logistic regression, all"] = logit.score(rows)
        if trees is not None:
            scores["boosted trees, all"] = trees(rows)
        # argmax takes the first of equals: ties are as the search has them
        given += [(name, asked.difficulty, int(int(np.argmax(one)) == asked.gold)) for name, one in scores.items()]
        given.append(("(gold among candidates)", asked.difficulty, int(asked.gold >= 0)))
    for difficulty, won in play(world, KeywordPolicy(), tasks).items():
        marks["KEYWORD (policy)"][difficulty] += won
    for name, difficulty, won_one in given:
        marks[name][difficulty].append(won_one)


def _report(marks: dict[str, dict[str, list[int]]], logit: Logit) -> bool:
    keyword = marks["KEYWORD (policy)"]
    order = sorted(marks, key=lambda name: -sum(sum(won) for won in marks[name].values()))
    above = False
    for name in order:
        cells = []
        for difficulty, won in marks[name].items():
            share, base = 100 * sum(won) / len(won), 100 * sum(keyword[difficulty]) / len(keyword[difficulty])
            low, high = wilson(won)
            mark = " !" if share > base + 5 and not name.startswith("(") else "  "
            above |= mark == " !"
            cells.append(f"{difficulty} {share:5.1f} ({low:.0f}–{high:.0f}){mark}")
        print(f"{name:28} " + "  ".join(cells))
    names = [*NAMES, *(f"shape {n}" for n in range(len(_SECTIONS) + 13)), *(f"mask {n}" for n in range(15))]
    names += ["naive Bayes, presence", "naive Bayes, counts", "codebook"]
    names += [f"{name} −max" for name in (*NAMES, *names[-3:])]
    heavy = sorted(zip(logit.weights, names, strict=True), key=lambda one: -abs(one[0]))[:14]
    print("heaviest: " + ", ".join(f"{name} {weight:+.2f}" for weight, name in heavy))
    return above


if __name__ == "__main__":
    main()
