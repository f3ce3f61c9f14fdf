"""Needle in the Web from a simulated world: tasks without number.

The recipe is the paper's (section 3) without a model: of one page, three facts about one thing; one element of each
masked by a generic expression, the rest said in part in other or wider words. A task is kept only if no other thing
of the world fits all three criteria, and no other page asserts all three; in a world of more than 64 regions, of the
eight regions around it. All criteria speak of the same thing, so which words belong together decides, not which words
stand on a page.

*Differs from* the paper: difficulty is not the centrality of a claim, but how much of it is told: by wordings that
pages use or do not, by what is masked, by whom is described in place of a name, and by how common the facts are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.corpora.procedural import Rng, Worlds
from webenv.corpora.world import (
    Asker,
    Criterion,
    FactPattern,
    Subject,
    ValueConstraint,
    Wish,
    WorldEntity,
    WorldFact,
    WorldWeb,
    met,
)
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.envs.needle_in_web.wording import NEEDLE_WORDS
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task
from webenv.web import Scope

_MOST_DRAWS = 600
_OF_A_PART = 256  # tasks in a row that are of one part of a large world
_STEP = 7_919  # a prime, so that the next part is elsewhere
_DRAWS_A_REGION = 40
_REWORDED = 4  # wordings of the same facts that are tried, until one stands as far from the page as it should
_CRITERIA = 3
_WISHES = {"easy": Wish(0.3, 0.6, 0.4, 0.9), "medium": Wish(0.6, 0.65, 0.5, 0.9), "hard": Wish(0.9, 0.85, 0.5, 0.95)}
_PLAIN_WISHES = {
    "easy": Wish(0.0, 0.05, 0.3, 0.85),
    "medium": Wish(0.1, 0.1, 0.4, 0.85),
    "hard": Wish(0.3, 0.3, 0.5, 0.9),
}
_NAMED = {"easy": 0.75, "medium": 0.4, "hard": 0.1}  # of persons, firms, places: kept by name
_DESCRIBED = {"easy": 0.0, "medium": 0.4, "hard": 0.7}  # of those not named: described; the rest is masked
_IN_PASSING = 0.2  # of the draws that come upon what a page is not about, those that go on
_PERSONS = 0.12  # of the draws that come upon a person, those that go on
_TELLING = 4  # facts about somebody that are tried, to tell of whom a criterion speaks
_TRIPLES = 6  # draws of three facts, of which the commonest is taken for hard tasks


class SimulatedNeedle(NamedTuple):
    """A task with what its judge knows of it: the gold page's number, its subject and the criteria."""

    task: Task
    gold: int
    subject: int
    criteria: tuple[Criterion, ...]

    @property
    def patterns(self) -> tuple[FactPattern, ...]:
        """What the criteria ask."""
        return tuple(criterion.pattern for criterion in self.criteria)

    def lacking(self, facts: Sequence[WorldFact]) -> str:
        """The first criterion that a page does not meet of the thing that it says most of; empty where it meets all."""
        count, subject = met(self.patterns, facts)
        if count == len(self.criteria):
            return ""
        own = [fact for fact in facts if fact.subject == subject]
        return next(one.text for one in self.criteria if not any(one.pattern.fits(fact) for fact in own))

    def stated(self, facts: Sequence[WorldFact]) -> bool:
        """Whether a page states every claim as it is."""
        known = {(fact.relation, fact.object.text, fact.object.number, fact.year) for fact in facts}
        asked = [criterion.fact for criterion in self.criteria]
        return all((fact.relation, fact.object.text, fact.object.number, fact.year) in known for fact in asked)


class SimulatedNeedles:
    """Draws tasks from a simulated world; the same number gives the same task.

    Args:
        web: the web.
        world: what its tasks call the web, where they are put on one of several worlds.
    """

    def __init__(self, web: WorldWeb, world: str = "") -> None:
        self.web = web
        self._scope = Scope(world=world)
        self._asker = Asker(web.world.setting)
        self._words = NEEDLE_WORDS[web.config.language]
        self._able = lru_cache(maxsize=64)(self._ables)

    def draw(self, difficulty: str, number: int) -> SimulatedNeedle:
        """Task ``number`` of a difficulty.

        Raises:
            InvalidArgument: for an unknown difficulty, or a web in which no task is unique.
        """
        if difficulty not in DIFFICULTIES:
            raise InvalidArgument(f"difficulty={difficulty!r}. {did_you_mean(str(difficulty), DIFFICULTIES)}")
        rng = Rng("needle", *self.web.world.setting.seed, difficulty, number)
        plain = rng.chance(self._words.plain[difficulty])
        for draw in range(_MOST_DRAWS):
            if draw % _DRAWS_A_REGION == 0:  # a region's facts and pages are made at once: draws stay in one
                region = self._region(number, rng)
            found = self._drawn(difficulty, number, region, plain, rng)
            if found is not None:
                return found
        raise InvalidArgument(
            f"{self.web.config}: no {difficulty} task in {_MOST_DRAWS} draws is met by one page alone; raise pages."
        )

    def _region(self, number: int, rng: Rng) -> int:
        """A region; in a world of several parts one of the part that tasks of about this number are of."""
        parts = self.web.parts
        if len(parts) == 1:
            return self.web.planner.region_of(rng.below(len(self.web)))
        return rng.pick(parts[number // _OF_A_PART * _STEP % len(parts)])

    def _drawn(self, difficulty: str, number: int, region: int, plain: bool, rng: Rng) -> SimulatedNeedle | None:
        able = self._able(region)
        if not able:
            return None
        gold, subjects = rng.pick(able)
        if difficulty == "easy":  # easy pages are about what is sought; others may tell of it in passing
            about = self.web.planner.head(gold).about
            subjects = tuple(one for one in subjects if one[0].number in about)
            if not subjects:
                return None
        subject, facts = rng.pick(subjects)
        # pages name so many people that most tasks would be about one
        if subject.kind == "person" and not rng.chance(_PERSONS):
            return None
        # one half remembers what a page was about, seldom whom it named in passing
        if subject.number not in self.web.planner.head(gold).about and not rng.chance(_IN_PASSING):
            return None
        chosen = self._chosen(facts, difficulty, gold, region, rng)
        if not chosen:
            return None
        words = self._words
        low, high = (words.plain_overlap[difficulty], 999) if plain else words.overlap[difficulty]
        wish = (_PLAIN_WISHES if plain else _WISHES)[difficulty]
        for _ in range(_REWORDED):
            criteria = self._criteria(subject, chosen, difficulty, wish, rng)
            if criteria and low <= self.web.overlap(" ".join(one.text for one in criteria), gold) <= high:
                if not self._unique(criteria, subject.number, gold, region) or not self._told(criteria, gold):
                    return None
                task = self._task(difficulty, number, gold, subject, criteria)
                return SimulatedNeedle(task, gold, subject.number, criteria)
        return None

    def _told(self, criteria: Sequence[Criterion], gold: int) -> bool:
        """Whether the gold page's text tells all that is asked: a sentence may leave its year out, or how many."""
        told = self.web.text(self.web.plan(gold)).told
        return all(one.pattern.asks() <= set(told.get(one.fact.key, ())) for one in criteria)

    def _criteria(
        self, subject: WorldEntity, chosen: Sequence[WorldFact], difficulty: str, wish: Wish, rng: Rng
    ) -> tuple[Criterion, ...] | None:
        """The facts as criteria; ``None`` where one cannot be told, or tells the name of what is sought."""
        found: list[Criterion] = []
        kind = self.web.world.setting.kinds[subject.kind]
        noun = self._words.noun(kind, difficulty, rng)
        first = next((fact for fact in chosen if self._asker.names(fact)), None)
        if first is None:
            return None
        for place, fact in enumerate([first, *(fact for fact in chosen if fact != first)]):
            called = self._words.sought(noun, kind, subject.sex, place)
            criterion = self._criterion(fact, called, wish, difficulty, place == 0, rng)
            if criterion is None or subject.name in criterion.text:
                return None
            found.append(criterion)
        return tuple(found)

    def _criterion(
        self, fact: WorldFact, reference: Subject, wish: Wish, difficulty: str, first: bool, rng: Rng
    ) -> Criterion | None:
        """A fact as a criterion; where its object has a name, that is kept, described or masked."""
        if fact.object.entity < 0 or rng.chance(_NAMED[difficulty]):
            return self._asker.criterion(fact, reference, wish, rng, first=first)
        if rng.chance(_DESCRIBED[difficulty]):
            described = self._described(fact, reference, wish, first, rng)
            if described is not None:
                return described
        return self._asker.criterion(fact, reference, wish._replace(mask=1), rng, first=first)

    def _ables(self, region: int) -> tuple[tuple[int, tuple[tuple[WorldEntity, tuple[WorldFact, ...]], ...]], ...]:
        """Pages of a region, with whom they state three facts of that can be asked for, and all such facts."""
        pages: list[tuple[int, tuple[tuple[WorldEntity, tuple[WorldFact, ...]], ...]]] = []
        for number in self.web.numbers(region):
            by_subject: dict[int, dict[tuple[int, int], WorldFact]] = {}
            for fact in self.web.facts(number):
                if self._asker.lines(fact, False):
                    by_subject.setdefault(fact.subject, {})[fact.key] = fact
            found: list[tuple[WorldEntity, tuple[WorldFact, ...]]] = []
            for subject, facts in by_subject.items():
                entity = self.web.entity(subject)
                if entity is not None and len({fact.relation for fact in facts.values()}) >= _CRITERIA:
                    found.append((entity, tuple(facts.values())))
            if found:
                pages.append((number, tuple(found)))
        return tuple(pages)

    def _chosen(self, facts: Sequence[WorldFact], difficulty: str, gold: int, region: int, rng: Rng) -> list[WorldFact]:
        """Three facts of different relations that no other page states together.

        Common ones for hard tasks, rare ones for easy ones.
        """
        telling = self.web.telling(region)
        triples: list[list[WorldFact]] = []
        for _ in range(_TRIPLES):
            triple: dict[str, WorldFact] = {}
            for fact in rng.shuffle(facts):
                triple.setdefault(fact.relation, fact)
                if len(triple) == _CRITERIA:
                    break
            if frozenset.intersection(*(telling[fact.key] for fact in triple.values())) == {gold}:
                triples.append(list(triple.values()))
                if difficulty == "medium":
                    break
        triples.sort(key=lambda triple: sum(self.web.common(fact) for fact in triple))
        return [] if not triples else triples[-1] if difficulty == "hard" else triples[0]

    def _described(self, fact: WorldFact, reference: Subject, wish: Wish, first: bool, rng: Rng) -> Criterion | None:
        """A fact as a criterion, its object told by a fact about it, which stands on other pages, not by its name."""
        other = self.web.entity(fact.object.entity)
        if other is None:
            return None
        noun = self._words.mention(self.web.world.setting.kinds[other.kind], rng)
        for said in rng.sample(other.facts, _TELLING):
            told = self._asker.relative(said, noun, Wish(wish.far, wish.vague / 2, 0.0, wish.blur), rng)
            if told is None or not told.pattern.object.texts or other.name in told.text:
                continue
            fitting = self.web.fitting((told.pattern,), self.web.world.region_of(fact.subject))
            names = {entity.name for number in fitting if (entity := self.web.entity(number)) is not None}
            if other.name not in names or len(names) > 3:  # it may be of another part of a large world
                continue
            criterion = self._asker.criterion(fact, reference, wish, rng, told.text, first)
            if criterion is None or other.name in criterion.text:
                return None
            pattern = criterion.pattern._replace(object=ValueConstraint(frozenset(names)))
            return criterion._replace(pattern=pattern)
        return None

    def _unique(self, criteria: Sequence[Criterion], subject: int, gold: int, region: int) -> bool:
        """Whether nothing else of the world fits, and no other page says all of it."""
        patterns = [criterion.pattern for criterion in criteria]
        telling = self.web.telling(region)
        known = self.web.world.known(region, subject)
        pages: set[int] | None = None
        for pattern in patterns:
            stating: set[int] = set()
            for fact in known.facts if known is not None else ():
                if pattern.fits(fact):
                    stating |= telling.get(fact.key, frozenset())
            pages = stating if pages is None else pages & stating
        return pages == {gold} and self.web.fitting(patterns, region) == {subject}

    def _task(
        self, difficulty: str, number: int, gold: int, subject: WorldEntity, criteria: Sequence[Criterion]
    ) -> Task:
        page = self.web.plan(gold)
        texts = tuple(criterion.text for criterion in criteria)
        return Task(
            id=task_id(self.web.config, difficulty, number),
            question=self._words.question(texts),
            criteria=texts,
            gold=Gold(
                urls=(page.url,),
                claims=tuple(self._asker.claim(criterion.fact, subject.name) for criterion in criteria),
            ),
            tags={
                "difficulty": difficulty,
                "split": self.web.config.split,
                "site": page.site.type,
                "kind": subject.kind,
            },
            scope=self._scope,
        )


class GeneratedSimulatedNeedles(GeneratedTasks[SimulatedNeedle]):
    """The first tasks of each difficulty of simulated worlds.

    Tags: ``difficulty``, ``split``, ``site`` (the type of site that the page sought stands on) and
    ``kind`` (what the page is asked about).
    """

    tag = "difficulty"


@lru_cache(maxsize=4)
def simulated_source(worlds: Worlds) -> TaskSource[SimulatedNeedle]:
    """What draws the tasks of simulated worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, DIFFICULTIES, SimulatedNeedles)
