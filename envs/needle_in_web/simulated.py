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

from collections.abc import Collection, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from webenv.corpora.procedural import Rng, Worlds, cached_corpus
from webenv.corpora.world import (
    FIGURES,
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
from webenv.envs.generated_tasks import COUNT, GeneratedTasks, TaskSource, task_id
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.envs.needle_in_web.traps import (
    GROUPS,
    NeedleGroup,
    Trap,
    conflict_trap,
    contested,
    find_honeypot,
)
from webenv.envs.needle_in_web.wording import NEEDLE_WORDS
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task
from webenv.web import Scope

_MOST_DRAWS = 6_000
_OF_A_PART = 256  # tasks in a row that are of one part of a large world
_STEP = 7_919  # a prime, so that the next part is elsewhere
_DRAWS_A_REGION = 40
_REWORDED = 6  # wordings of the same facts that are tried, until one stands as far from the page as it should
_CRITERIA = 3
_RARER = 4  # times as many draws for tasks with a false page
_BAITED = 12  # the same for tasks with a honeypot: until one stands at its rank
_WISHES = {"easy": Wish(0.3, 0.4, 0.3, 0.9), "medium": Wish(0.75, 0.8, 0.5, 0.9), "hard": Wish(0.9, 0.9, 0.5, 0.95)}
_PLAIN_WISHES = {
    "easy": Wish(0.0, 0.05, 0.3, 0.85),
    "medium": Wish(0.1, 0.1, 0.4, 0.85),
    "hard": Wish(0.15, 0.15, 0.5, 0.9),
}
_NAMED = {"easy": 0.75, "medium": 0.4, "hard": 0.1}  # of persons, firms, places: kept by name
_DESCRIBED = {"easy": 0.0, "medium": 0.4, "hard": 0.7}  # of those not named: described; the rest is masked
_IN_PASSING = 0.2  # of the draws that come upon what a page is not about, those that go on
_PERSONS = 0.12  # of the draws that come upon a person, those that go on
_TELLING = 4  # facts about somebody that are tried, to tell of whom a criterion speaks
_MADE = frozenset(("work", "product", "vessel", "structure"))  # what people are known for, unlike whom they taught
_OTHERS = frozenset(("org", "thing"))  # objects that "it" could be
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
        """The first criterion that a page does not meet of the thing that it says most of; empty where it meets all.

        What a newer page corrects does not count.
        """
        facts = [fact for fact in facts if not fact.outdated]
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
        self._contests = lru_cache(maxsize=64)(partial(contested, web))

    def draw(self, group: str, number: int) -> SimulatedNeedle:
        """Task ``number`` of a group: a difficulty, or one with a honeypot at a rank (:class:`NeedleGroup`).

        Raises:
            InvalidArgument: for an unknown group, or a web in which no task is unique, or none has such a honeypot.
        """
        if group not in GROUPS:
            raise InvalidArgument(f"difficulty={group!r}. {did_you_mean(str(group), DIFFICULTIES)}")
        wanted = NeedleGroup.read(group)
        rng = Rng("needle", *self.web.world.setting.seed, group, number)
        plain = rng.chance(self._words.plain[wanted.difficulty])
        rare = wanted != NeedleGroup(wanted.difficulty)
        if wanted.conflict and not self.web.config.conflicts:
            raise InvalidArgument(f"{self.web.config}: no two pages disagree here; set conflicts, as in conflicts=0.5.")
        draws = _MOST_DRAWS * (_RARER if rare else 1)
        for draw in range(draws):
            if draw % _DRAWS_A_REGION == 0:  # a region's facts and pages are made at once: draws stay in one
                region = self._region(number, rng)
            made = self._contested if wanted.conflict else self._drawn
            found = made(wanted, number, region, plain, rng)
            if found is not None:
                return found
        raise InvalidArgument(
            f"{self.web.config}: no {group} task in {draws:,} draws is met by one page alone; raise pages."
        )

    def _region(self, number: int, rng: Rng) -> int:
        """A region; in a world of several parts one of the part that tasks of about this number are of."""
        parts = self.web.parts
        if len(parts) == 1:
            return self.web.planner.region_of(rng.below(len(self.web)))
        return rng.pick(parts[number // _OF_A_PART * _STEP % len(parts)])

    def _drawn(self, group: NeedleGroup, number: int, region: int, plain: bool, rng: Rng) -> SimulatedNeedle | None:
        difficulty = group.difficulty
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
        chosen = self._chosen(facts, group, gold, region, rng)
        if not chosen:
            return None
        low, high = self._overlap(difficulty, plain)
        wish = (_PLAIN_WISHES if plain else _WISHES)[difficulty]
        for _ in range(_BAITED if group.honeypot else _REWORDED):
            criteria = self._criteria(subject, chosen, difficulty, wish, gold, high, rng)
            if criteria and low <= self.web.overlap(" ".join(one.text for one in criteria), gold):
                if not self._unique(criteria, subject.number, gold, region) or not self._told(criteria, gold):
                    return None
                bait = self._bait(criteria, subject.number, group.honeypot)
                if bait is None and group.honeypot:
                    continue
                task = self._task(group, number, gold, subject, criteria, bait)
                return SimulatedNeedle(task, gold, subject.number, criteria)
        return None

    def _overlap(self, difficulty: str, plain: bool) -> tuple[int, int]:
        """Least and most bits of a question's wording that are to stand on the gold page."""
        words = self._words
        return (words.plain_overlap[difficulty], 999) if plain else words.overlap[difficulty]

    def _contested(self, group: NeedleGroup, number: int, region: int, plain: bool, rng: Rng) -> SimulatedNeedle | None:
        """A task of which an older page about something else says all that is asked, and a newer one corrects it."""
        contests = self._contests(region, group.conflict)
        if not contests:
            return None
        contest = rng.pick(contests)
        gold = rng.pick(contest.gold)
        known = next((subjects for page, subjects in self._able(region) if page == gold), ())
        subject, facts = next((one for one in known if one[0].number == contest.conflict.twin), (None, ()))
        told = {fact.relation for fact, _ in contest.told}
        mistaken = {fact.relation for fact, _ in contest.told if fact.outdated}
        able = {fact.relation: fact for fact in rng.shuffle(facts) if fact.relation in told}
        if subject is None or mistaken.isdisjoint(able) or len(able) < _CRITERIA:
            return None
        low, high = self._overlap(group.difficulty, plain)
        wish = (_PLAIN_WISHES if plain else _WISHES)[group.difficulty]
        for _ in range(_BAITED):
            chosen = rng.sample(tuple(able.values()), _CRITERIA)
            if mistaken.isdisjoint(fact.relation for fact in chosen):
                continue
            criteria = self._criteria(subject, chosen, group.difficulty, wish, gold, high, rng)
            if criteria is None or not contest.misleads([one.pattern for one in criteria]):
                continue
            if self.web.overlap(" ".join(one.text for one in criteria), gold) < low:
                continue
            own = contest.conflict.subject
            if self._unique(criteria, subject.number, gold, region, {own}) and self._told(criteria, gold):
                trap = conflict_trap(self.web, group.conflict, contest.conflict, criteria)
                task = self._task(group, number, gold, subject, criteria, trap)
                return SimulatedNeedle(task, gold, subject.number, criteria)
        return None

    def _bait(self, criteria: Sequence[Criterion], subject: int, rank: int) -> Trap | None:
        """The honeypot at a rank of the first search; ``None`` where there is none, or none is asked for."""
        return find_honeypot(self.web, cached_corpus(self.web.config), criteria, subject, rank) if rank else None

    def _told(self, criteria: Sequence[Criterion], gold: int) -> bool:
        """Whether the gold page's text tells all that is asked: a sentence may leave its year out, or how many."""
        told = self.web.text(self.web.plan(gold)).told
        return all(one.pattern.asks() <= set(told.get(one.fact.key, ())) for one in criteria)

    def _criteria(
        self,
        subject: WorldEntity,
        chosen: Sequence[WorldFact],
        difficulty: str,
        wish: Wish,
        gold: int,
        high: int,
        rng: Rng,
    ) -> tuple[Criterion, ...] | None:
        """The facts as criteria, at most one of them with a class or a generic expression for a value; ``None`` where
        one cannot be told, or tells the name of what is sought, or more than ``high`` bits stand on the gold page."""
        found: list[Criterion] = []
        kind = self.web.world.setting.kinds[subject.kind]
        noun = self._words.noun(kind, difficulty, rng)
        first = next((fact for fact in chosen if self._asker.names(fact)), None)
        if first is None:
            return None
        clear = True
        for place, fact in enumerate([first, *(fact for fact in chosen if fact != first)]):
            called = self._words.sought(noun, kind, subject.sex, place, clear)
            criterion = self._criterion(fact, called, wish, difficulty, place == 0, rng)
            if criterion is None or subject.name in criterion.text:
                return None
            found.append(criterion)
            if self.web.overlap(" ".join(one.text for one in found), gold) > high:  # another word only adds to it
                return None
            wish = wish.narrow if criterion.vague else wish
            # after "Ann Lee, observer on a volcano, measured the snow", "it" would be the snow
            clear = criterion.text.lower().startswith(called.subject) and fact.object.type not in _OTHERS
        return tuple(found)

    def _criterion(
        self, fact: WorldFact, reference: Subject, wish: Wish, difficulty: str, first: bool, rng: Rng
    ) -> Criterion | None:
        """A fact as a criterion; where its object has a name, that is kept, described or masked."""
        if fact.object.entity < 0:
            return self._asker.criterion(fact, reference, wish, rng, first=first)
        named = rng.chance(_NAMED[difficulty])
        if not named and rng.chance(_DESCRIBED[difficulty]):
            described = self._described(fact, reference, wish, first, rng)
            if described is not None:
                return described
        if named or not wish.wide:
            return self._asker.criterion(fact, reference, wish._replace(mask=0), rng, first=first)
        found = self._asker.criterion(fact, reference, wish._replace(mask=1), rng, first=first)
        return None if found is None or fact.object.text in found.text else found

    def _ables(self, region: int) -> tuple[tuple[int, tuple[tuple[WorldEntity, tuple[WorldFact, ...]], ...]], ...]:
        """Pages of a region, with whom they state three facts of that can be asked for, and all such facts."""
        pages: list[tuple[int, tuple[tuple[WorldEntity, tuple[WorldFact, ...]], ...]]] = []
        for number in self.web.numbers(region):
            by_subject: dict[int, dict[tuple[int, int], WorldFact]] = {}
            for fact in self.web.facts(number):
                if not fact.outdated and self._asker.lines(fact, False):
                    by_subject.setdefault(fact.subject, {})[fact.key] = fact
            found: list[tuple[WorldEntity, tuple[WorldFact, ...]]] = []
            for subject, facts in by_subject.items():
                entity = self.web.entity(subject)
                if entity is not None and len({fact.relation for fact in facts.values()}) >= _CRITERIA:
                    found.append((entity, tuple(facts.values())))
            if found:
                pages.append((number, tuple(found)))
        return tuple(pages)

    def _chosen(
        self, facts: Sequence[WorldFact], group: NeedleGroup, gold: int, region: int, rng: Rng
    ) -> list[WorldFact]:
        """Three facts of different relations that no other page states together, at most one a figure: nobody half
        remembers three.

        Common ones for hard tasks, rare ones for easy ones; where another page is to meet two of them, common ones.
        """
        common = group.difficulty == "hard" or bool(group.honeypot)
        telling = self.web.telling(region)
        triples: list[list[WorldFact]] = []
        for _ in range(_TRIPLES):
            triple: dict[str, WorldFact] = {}
            for fact in rng.shuffle(facts):
                if fact.object.type not in FIGURES or all(one.object.type not in FIGURES for one in triple.values()):
                    triple.setdefault(fact.relation, fact)
                if len(triple) == _CRITERIA:
                    break
            if len(triple) == _CRITERIA and frozenset.intersection(
                *(telling[fact.key] for fact in triple.values())
            ) == {gold}:
                triples.append(list(triple.values()))
                if group.difficulty == "medium" and not common:
                    break
        triples.sort(key=lambda triple: sum(self.web.common(fact) for fact in triple))
        return [] if not triples else triples[-1] if common else triples[0]

    def _described(self, fact: WorldFact, reference: Subject, wish: Wish, first: bool, rng: Rng) -> Criterion | None:
        """A fact as a criterion, its object told by a fact that other pages state, not by its name.

        Persons alone, by what they made or did: nobody calls a town "the one that got a road to Calder in 1870".
        """
        other = self.web.entity(fact.object.entity)
        if other is None or other.kind != "person":
            return None
        region = self.web.world.region_of(fact.subject)
        telling = self.web.telling(region)
        noun = self._words.mention(self.web.world.setting.kinds[other.kind], other.profession, rng)
        known = [one for one in (*other.facts, *other.told) if one.subject != fact.subject and one.key in telling]
        known = [one for one in known if one.subject != other.number or one.object.type == "name"]  # what they wrote
        for said in rng.sample(known, _TELLING):
            owner = self.web.entity(said.subject) if said.subject != other.number else None
            if owner is not None and self.web.world.setting.kinds[owner.kind].group not in _MADE:
                continue
            plain = Wish(wish.far / 3, 0.0, 0.0, wish.blur)
            told = self._asker.relative(said, noun, plain, rng, owner.name if owner else "")
            if told is None or other.name in told.text:
                continue
            if owner is not None:
                names = {one.object.text for one in owner.facts if told.pattern.fits(one)}
            elif told.pattern.object.texts:
                fitting = self.web.fitting((told.pattern,), region)
                names = {entity.name for number in fitting if (entity := self.web.entity(number)) is not None}
            else:
                continue
            if other.name not in names or len(names) > 3:  # it may be of another part of a large world
                continue
            criterion = self._asker.criterion(fact, reference, wish, rng, told.text, first)
            if criterion is None or other.name in criterion.text:
                return None
            pattern = criterion.pattern._replace(object=ValueConstraint(frozenset(names)))
            return criterion._replace(pattern=pattern)
        return None

    def _unique(
        self,
        criteria: Sequence[Criterion],
        subject: int,
        gold: int,
        region: int,
        misled: Collection[int] = frozenset(),
    ) -> bool:
        """Whether nothing else of the world fits, no other page says it all, and older ones err of ``misled`` alone."""
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
        if pages != {gold} or self.web.fitting(patterns, region) != {subject}:
            return False
        return self.web.misled(patterns, region) == set(misled)

    def _task(
        self,
        group: NeedleGroup,
        number: int,
        gold: int,
        subject: WorldEntity,
        criteria: Sequence[Criterion],
        trap: Trap | None,
    ) -> Task:
        page = self.web.plan(gold)
        texts = tuple(criterion.text for criterion in criteria)
        return Task(
            id=task_id(self.web.config, str(group), number),
            question=("" if trap is None else trap.rule) + self._words.question(texts),
            criteria=texts,
            gold=Gold(
                urls=(page.url,),
                claims=tuple(self._asker.claim(criterion.fact, subject.name) for criterion in criteria),
                data={} if trap is None else {trap.name: trap.data},
            ),
            tags={
                "difficulty": group.difficulty,
                "split": self.web.config.split,
                "site": page.site.type,
                "kind": subject.kind,
            }
            | ({} if trap is None else {trap.name: trap.value}),
            scope=self._scope,
        )


class GeneratedSimulatedNeedles(GeneratedTasks[SimulatedNeedle]):
    """The first tasks of each difficulty of simulated worlds.

    Tags: ``difficulty``, ``split``, ``site`` (the type of site that the page sought stands on), ``kind`` (what the page
    is asked about) and, where there is one, ``honeypot`` (its rank) or ``conflict`` (which page counts); the pages and
    what is false there are in ``gold.data`` under the same name.

    Args:
        source: the tasks to draw from.
        count: how many of each group, of all worlds together.
        groups: which; the difficulties, without honeypots, by default.
    """

    tag = "difficulty"

    def __init__(
        self, source: TaskSource[SimulatedNeedle], count: int = COUNT, groups: tuple[str, ...] | None = None
    ) -> None:
        super().__init__(source, count, DIFFICULTIES if groups is None else groups)

    def value(self, group: str) -> str:
        """The difficulty of a group."""
        return NeedleGroup.read(group).difficulty


@lru_cache(maxsize=4)
def simulated_source(worlds: Worlds) -> TaskSource[SimulatedNeedle]:
    """What draws the tasks of simulated worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, GROUPS, SimulatedNeedles)
