"""Reference readers that know every fact of the pages they visit, beside one search's first hit and scripted policies.

    python benchmarks/readers.py [--worlds 6] [--tasks 34] [--pages 2880] [--policies keyword investigator]

*Naive* searches the question once and visits what came, in order. *Strategic* words each criterion as pages would,
looks up whom a criterion describes, reads on beyond the tenth hit, keeps account of what it has read of whom, rules
out who is known to be otherwise, and searches on for those of whom most is true. Both know a language perfectly and
nothing of the gold page: what lies between them is what there is to learn.
Policies play the environment's own episodes. Shares are in percent, with 95% intervals (Wilson).
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import calibration
from calibration import RULES, wilson

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds
from webenv.corpora.world.criteria import Criterion
from webenv.corpora.world.model import WorldFact
from webenv.corpora.world.web import WorldWeb
from webenv.corpora.world.wording import synonyms
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.envs.needle_in_web.simulated import SimulatedNeedle, simulated_source
from webenv.policies.baselines import KeywordPolicy
from webenv.policy import Policy
from webenv.task import TaskSet
from webenv.web import SearchRequest

DIFFICULTIES = ("easy", "medium", "hard")
_LINK = re.compile(r"\[([^\]]*)\]\(([^)]*)\)")
_NUMBER = re.compile(r"\d+(?:,\d{3})*")
_LISTED = 40  # values of a class that a query names
_NUMBERS = 14  # of a range of figures, the same
_SEARCHES, _VISITS, _HITS = 10, 10, 10


class World:
    """A world with its corpus in memory, and its tasks.

    Args:
        pages, seed, split, language: of the world.
    """

    def __init__(self, pages: int, seed: int, split: str, language: str = "en") -> None:
        config = WebConfig(pages=pages, seed=seed, split=split, language=language)
        self.source = simulated_source(Worlds(config))
        web = self.source.generator(0).web
        assert isinstance(web, WorldWeb)
        self.web = web
        self.corpus = Corpus.of(web.pages())

    def needles(self, tasks: int) -> Iterator[SimulatedNeedle]:
        """The first tasks of each difficulty."""
        for difficulty in DIFFICULTIES:
            for number in range(tasks):
                yield self.source.draw(difficulty, number)


def play(world: World, policy: Policy, tasks: int) -> dict[str, list[int]]:
    """One episode a task: whether each was won, by difficulty."""
    chosen = TaskSet(needle.task for needle in world.needles(tasks))
    judge, budget = ExactJudge(world.source), Budget(_SEARCHES, _VISITS, 0, 20)
    return calibration.play(Benchmark(chosen, world.corpus, judge, RULES, budget), policy)


class Reader:
    """Searches and visits under a budget; a visited page's facts are known exactly."""

    def __init__(self, world: World, needle: SimulatedNeedle) -> None:
        self.web = world.web
        self._corpus = world.corpus
        self.needle = needle
        self.searches = self.visits = 0
        self.read: dict[str, tuple[WorldFact, ...]] = {}
        self.titles: dict[str, str] = {}
        """Of every hit, its title and snippet."""
        self.met: dict[int, set[int]] = defaultdict(set)
        """Of everything read of: which criteria it is known to meet."""

    def search(self, query: str) -> list[str]:
        """The addresses that a query brings; none once the budget is spent."""
        if self.searches >= _SEARCHES or not query.strip():
            return []
        self.searches += 1
        (found,) = self._corpus.search([SearchRequest(query, _HITS)])
        self.titles |= {hit.url: f"{hit.title} {hit.snippet}" for hit in found}
        return [hit.url for hit in found]

    def links(self, url: str, title: str) -> list[str]:
        """Where a visited page's links lead to that bear a title."""
        number = self.web.find(url)
        text = "" if number is None else self.web.text(self.web.plan(number)).text
        found = [match[2] for match in _LINK.finditer(text) if title in match[1]]
        for one in found:
            self.titles.setdefault(one, title)
        return found

    def visit(self, url: str) -> bool:
        """Reads a page; whether it meets all criteria of one thing."""
        if url in self.read or self.visits >= _VISITS:
            return False
        self.visits += 1
        number = self.web.find(url)
        self.read[url] = () if number is None else self.web.facts(number)
        here: dict[int, set[int]] = defaultdict(set)
        for fact in self.read[url]:
            for place, pattern in enumerate(self.needle.patterns):
                if pattern.fits(fact):
                    here[fact.subject].add(place)
        for subject, places in here.items():
            self.met[subject] |= places
        return any(len(places) == len(self.needle.criteria) for places in here.values())


def naive(reader: Reader) -> str:
    """One search with the whole question, visits in the order of the hits."""
    return next((url for url in reader.search(" ".join(reader.needle.task.criteria)) if reader.visit(url)), "")


def _described(criterion: Criterion) -> bool:
    """Whether a criterion tells of whom it speaks by another fact, in place of a name."""
    return bool(criterion.described)


def _values(web: WorldWeb, criterion: Criterion) -> list[str]:
    """The values that a page may give to what a criterion asks, as far as they can be listed."""
    setting, pattern = web.world.setting, criterion.pattern
    known: list[str] = []
    for text in sorted(pattern.object.texts) if len(pattern.object.texts) <= _LISTED else ():
        value = criterion.fact.object._replace(text=text)
        known += synonyms(setting, value) if value.type == "pool" else [text]
    low, high = pattern.object.low, pattern.object.high
    if low and high - low <= _NUMBERS:
        known += [web.language.digits(number) for number in range(int(low), int(high) + 1)]
    if pattern.low:
        known += [str(year) for year in range(pattern.low, pattern.high + 1)][:10]
    for _, asked in pattern.extras:
        known += sorted(asked.texts)[:_LISTED]
    return known


def _words(web: WorldWeb, criterion: Criterion) -> str:
    """The words by which pages tell a relation."""
    setting = web.world.setting
    spec = setting.kinds[criterion.pattern.kind].facts[criterion.pattern.relation]
    words = [part for way in spec.ways("e", setting.test)[:2] for part in way.parts if isinstance(part, str)]
    return " ".join(dict.fromkeys(" ".join(words).split()))


def _looked_up(reader: Reader, criterion: Criterion) -> bool:
    """Whether a search for what a criterion tells of somebody brings a page that tells who that is."""
    for url in reader.search(criterion.described)[:5]:
        number = reader.web.find(url)
        facts = () if number is None else reader.web.facts(number)
        if any({fact.object.entity, fact.subject} & {criterion.fact.object.entity} for fact in facts):
            return True
    return False


class Strategy:
    """Reformulates, reads on beyond the first ten hits site by site, compares what snippets show, rules out what is
    known to be otherwise, and follows what was read to other pages about the same thing.

    Args:
        reader: who searches and visits.
    """

    def __init__(self, reader: Reader) -> None:
        self._reader, self._web = reader, reader.web
        self._scores: dict[str, float] = defaultdict(float)
        self._ruled_out: set[str] = set()
        criteria = reader.needle.criteria
        known = [not _described(one) or _looked_up(reader, one) for one in criteria]
        self._values = [_values(self._web, one) if has else [] for one, has in zip(criteria, known, strict=True)]
        self._asked = [
            " ".join((_words(self._web, one), *values)) for one, values in zip(criteria, self._values, strict=True)
        ]
        kind = criteria[0].pattern.kind
        self._kind = "" if kind == "person" else self._web.world.setting.kinds[kind].noun

    def _shown(self, url: str) -> float:
        """Of how many criteria a value stands in what the search showed; a number may be of something else."""
        shown = self._reader.titles[url]
        numbers = [int(number.replace(",", "")) for number in _NUMBER.findall(shown)]
        found = 0.0
        for criterion, values in zip(self._reader.needle.criteria, self._values, strict=True):
            asked = criterion.pattern.object
            if asked.low:
                found += 0.5 * any(asked.low <= number <= asked.high for number in numbers)
            else:
                found += any(value in shown for value in values)
        return found

    def _take(self, urls: Iterable[str], weight: float) -> None:
        for rank, url in enumerate(urls):
            self._scores[url] += weight * (1 + 4 * self._shown(url)) / (rank + 3)

    def _search_all(self) -> None:
        """The question, then all that pages may say, and of that the hits beyond the tenth, site by site."""
        search = self._reader.search
        self._take(search(" ".join(self._reader.needle.task.criteria)), 1.5)
        query = " ".join((self._kind, *self._asked))
        first = search(query)
        self._take(first, 2.0)
        sites = [site for site, _ in Counter(urlsplit(url).hostname for url in first).most_common(2)]
        for site in sites:
            self._take(search(f"{query} site:{site}"), 2.0)
        self._take(search(" ".join((query, *(f"-site:{site}" for site in sites)))), 2.0)

    def _note(self, url: str) -> None:
        """Keeps who is known to be otherwise than asked."""
        for fact in self._reader.read[url]:
            for place, pattern in enumerate(self._reader.needle.patterns):
                same = (fact.kind, fact.relation) == (pattern.kind, pattern.relation)
                if same and place not in self._reader.met[fact.subject]:
                    entity = self._web.entity(fact.subject)
                    if entity is not None:
                        self._ruled_out.add(entity.title)

    def _hope(self, url: str) -> float:
        titled = self._reader.titles[url][:60]
        return self._scores[url] * (0.1 if any(title in titled for title in self._ruled_out) else 1)

    def run(self) -> str:
        """The address of the page that meets all criteria; empty where none was found."""
        reader, scores = self._reader, self._scores
        self._search_all()
        followed: set[int] = set()
        single = iter([f"{self._kind} {asked}" for asked in self._asked])
        while reader.visits < _VISITS:
            left = [url for url in scores if url not in reader.read]
            if not left:
                break
            url = max(left, key=lambda one: (self._hope(one), one))
            if reader.visit(url):
                return url
            self._note(url)
            hopeful = [one for one, places in reader.met.items() if one not in followed and len(places) > 1]
            if not hopeful and reader.visits in (4, 6, 8):
                self._take(reader.search(next(single, "")), 1.0)
            for subject in sorted(hopeful, key=lambda one: -len(reader.met[one]))[:1]:
                followed.add(subject)
                entity = self._web.entity(subject)
                if entity is None:
                    continue
                gain = 2.0 * len(reader.met[subject])
                lacking = [asked for place, asked in enumerate(self._asked) if place not in reader.met[subject]]
                found = reader.search(" ".join((entity.name, *(lacking or self._asked))))
                self._take(found, gain)
                for one in found:
                    scores[one] += gain / 2 * (entity.title in reader.titles[one])
                for one in reader.links(url, entity.title):
                    scores[one] += gain / 2
        return ""


def strategic(reader: Reader) -> str:
    """The page that :class:`Strategy` finds."""
    return Strategy(reader).run()


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=6)
    parser.add_argument("--tasks", type=int, default=34, help="of each difficulty in each world")
    parser.add_argument("--pages", type=int, default=2_880)
    parser.add_argument("--seed", type=int, default=100)
    parser.add_argument("--split", default="test")
    parser.add_argument("--language", default="en", choices=("en", "zh"))
    parser.add_argument("--policies", nargs="*", default=["keyword"], choices=("keyword", "investigator"))
    parser.add_argument("--failures", action="store_true", help="prints what the strategic reader failed at")
    options = parser.parse_args()
    policies: dict[str, Policy] = {"keyword": KeywordPolicy()} if "keyword" in options.policies else {}
    if "investigator" in options.policies:
        from webenv.policies.scripted.investigator import InvestigatorPolicy

        policies["investigator"] = InvestigatorPolicy()
    marks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    why: Counter[tuple[str, str]] = Counter()
    began = time.perf_counter()
    for seed in range(options.seed, options.seed + options.worlds):
        world = World(options.pages, seed, options.split, options.language)
        for needle in world.needles(options.tasks):
            (gold,) = needle.task.gold.urls
            difficulty = needle.task.tags["difficulty"]
            first = Reader(world, needle).search(" ".join(needle.task.criteria))
            marks["first hit"][difficulty].append(int(first[:1] == [gold]))
            marks["naive"][difficulty].append(int(naive(Reader(world, needle)) == gold))
            reader = Reader(world, needle)
            won = strategic(reader) == gold
            marks["strategic"][difficulty].append(int(won))
            if not won:
                seen = "seen" if gold in reader.titles else "not seen"
                known = max((len(places) for places in reader.met.values()), default=0)
                why[difficulty, f"gold {seen}, {known} criteria known of somebody"] += 1
                if options.failures:
                    print(difficulty, seen, known, needle.task.criteria, gold, reader.searches)
        for name, policy in policies.items():
            for difficulty, wins in play(world, policy, options.tasks).items():
                marks[name][difficulty] += wins
        print(f"world {seed} after {time.perf_counter() - began:.0f} s", flush=True)
    print(f"{options.worlds} worlds of split {options.split}, {options.worlds * options.tasks} tasks a difficulty")
    for name, row in marks.items():
        cells = []
        for difficulty in DIFFICULTIES:
            low, high = wilson(row[difficulty])
            share = 100 * sum(row[difficulty]) / len(row[difficulty])
            cells.append(f"{difficulty} {share:5.1f} ({low:.0f}–{high:.0f})")
        print(f"{name:14} " + "  ".join(cells))
    for (difficulty, reason), count in sorted(why.items()):
        print(f"strategic failed, {difficulty}: {reason}: {count}")


if __name__ == "__main__":
    main()
