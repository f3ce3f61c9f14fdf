"""Reference readers that know every fact of the pages they visit, beside one search's first hit and scripted policies.

    python benchmarks/readers.py [--worlds 6] [--tasks 34] [--pages 2880] [--policies keyword investigator]

*Naive* searches the question once and visits what came, in order. *Strategic* words each criterion as pages would,
looks up whom a criterion describes, keeps account of what it has read of whom, and searches on for those of whom
most is true. Both know a language perfectly and nothing of the gold page: what lies between them is what there is to
learn.
Policies play the environment's own episodes. Shares are in percent, with 95% intervals (Wilson).
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import calibration
from calibration import RULES, wilson

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora import Corpus
from webenv.corpora.procedural import WebConfig, Worlds
from webenv.corpora.world.criteria import Criterion
from webenv.corpora.world.model import WorldFact
from webenv.corpora.world.patterns import FactPattern
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


def _named(criterion: Criterion) -> str:
    """A name that a criterion gives: what one searches for first."""
    value = criterion.fact.object
    return value.text if value.entity >= 0 and value.text in criterion.text else ""


def naive(reader: Reader) -> str:
    """One search with the whole question, visits in the order of the hits."""
    return next((url for url in reader.search(" ".join(reader.needle.task.criteria)) if reader.visit(url)), "")


def _described(criterion: Criterion) -> bool:
    """Whether a criterion tells of whom it speaks by another fact, in place of a name."""
    return bool(criterion.described)


def _values(web: WorldWeb, criterion: Criterion, names: bool) -> list[str]:
    """The values that a page may give to what a criterion asks, as far as they are few."""
    setting = web.world.setting
    pattern: FactPattern = criterion.pattern
    known: list[str] = []
    if 0 < len(pattern.object.texts) <= 12 and names:
        for text in sorted(pattern.object.texts):
            value = criterion.fact.object._replace(text=text)
            known += synonyms(setting, value) if value.type == "pool" else [text]
    if pattern.object.low and pattern.object.low == pattern.object.high:
        known.append(web.language.digits(pattern.object.low))
    if pattern.low:
        known += [str(year) for year in range(pattern.low, pattern.high + 1)][:10]
    for _, asked in pattern.extras:
        known += sorted(asked.texts)[:4]
    return known


def _near(web: WorldWeb, criterion: Criterion, names: bool) -> str:
    """What a page that states the criterion may say: the kind's own words, and the values that are known."""
    setting = web.world.setting
    spec = setting.kinds[criterion.pattern.kind].facts[criterion.pattern.relation]
    words = [part for way in spec.ways("e", setting.test)[:2] for part in way.parts if isinstance(part, str)]
    words += [part for way in spec.ways("c", setting.test)[:1] for part in way.parts if isinstance(part, str)]
    known = _values(web, criterion, names)
    pattern = criterion.pattern
    kind = "" if pattern.kind == "person" else setting.kinds[pattern.kind].noun
    return " ".join((kind, *dict.fromkeys(" ".join(words).split()), *known))


def _looked_up(reader: Reader, criterion: Criterion) -> bool:
    """Whether a search for what a criterion tells of somebody brings a page that tells who that is."""
    for url in reader.search(criterion.described)[:5]:
        number = reader.web.find(url)
        facts = () if number is None else reader.web.facts(number)
        if any({fact.object.entity, fact.subject} & {criterion.fact.object.entity} for fact in facts):
            return True
    return False


def strategic(reader: Reader) -> str:
    """Reformulates, compares, and follows what was read to other pages about the same thing."""
    scores: dict[str, float] = defaultdict(float)
    values = [_values(reader.web, one, True) for one in reader.needle.criteria]

    def shown(url: str) -> int:
        """Of how many criteria a value stands in what the search showed."""
        return sum(any(value in reader.titles[url] for value in known) for known in values)

    def take(urls: Iterable[str], weight: float = 1.0) -> None:
        for rank, url in enumerate(urls):
            scores[url] += weight * (1 + shown(url)) / (rank + 2)

    criteria = reader.needle.criteria
    resolved = [not _described(one) or _looked_up(reader, one) for one in criteria]
    near = [_near(reader.web, one, names) for one, names in zip(criteria, resolved, strict=True)]
    exact = [" ".join(_values(reader.web, one, names)) for one, names in zip(criteria, resolved, strict=True)]
    take(reader.search(" ".join(reader.needle.task.criteria)), 1.5)
    take(reader.search(" ".join(near)), 2.0)
    named = [_named(one) for one in criteria if _named(one)]
    if named:
        take(reader.search(" ".join(named)), 1.5)
    for query in near if len(named) < 2 else near[:1]:
        take(reader.search(query))
    asked: set[int] = set()
    while reader.visits < _VISITS:
        left = [url for url in scores if url not in reader.read]
        if not left:
            break
        url = max(left, key=lambda one: (scores[one], one))
        if reader.visit(url):
            return url
        known = {one: places for one, places in reader.met.items() if one not in asked}
        hopeful = [one for one, places in known.items() if len(places) >= (2 if reader.visits < 4 else 1)]
        for subject in sorted(hopeful, key=lambda one: -len(reader.met[one]))[:1]:
            asked.add(subject)
            entity = reader.web.entity(subject)
            if entity is None:
                continue
            gain = 2.0 * len(reader.met[subject])
            lacking = [near[place] for place in range(len(near)) if place not in reader.met[subject]]
            found = reader.search(" ".join((entity.name, *exact, *(lacking or near))))
            found += reader.search(entity.name) if len(reader.met[subject]) > 1 else []
            take(found, gain)
            for one in found:
                scores[one] += gain / 2 * (entity.title in reader.titles[one])
            for one in reader.links(url, entity.title):
                scores[one] += gain / 2
    return ""


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
