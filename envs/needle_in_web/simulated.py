"""Needle in the Web from a simulated world: tasks without number.

The recipe is the paper's (section 3) without a model: of one page, three facts about one thing; one element of each
masked by a generic expression, the rest said in part in other or wider words. A task is kept only if no other thing
of the world fits all three criteria, and no other page asserts all three; in a world of more than 64 regions, of the
eight regions around it. All criteria speak of the same thing, so which words belong together decides, not which words
stand on a page.

*Differs from* the paper: difficulty is not the centrality of a claim, but how much of it is told: by wordings that
pages use or do not, by what is masked, by whom is described in place of a name, by how common the facts are, and by how
many of its kind there are: hard tasks seek what its region has at least eight of, by classes and figures. Kinds of
things come up about as often as each other, whatever a world has most of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache, partial
from itertools import islice
from typing import NamedTuple

from webenv.corpora.procedural import Rng, Worlds, cached_corpus
from webenv.corpora.world import (
    FIGURES,
    Criterion,
    FactPattern,
    WorldEntity,
    WorldFact,
    WorldWeb,
    met,
)
from webenv.envs.generated_tasks import COUNT, GeneratedTasks, TaskSource, task_id
from webenv.envs.needle_in_web.phrasing import Level, Phraser
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.envs.needle_in_web.traps import (
    GROUPS,
    NeedleGroup,
    Trap,
    conflict_trap,
    contested,
    find_honeypot,
)
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task
from webenv.web import Scope

_MOST_DRAWS = 6_000
_OF_A_PART = 256  # tasks in a row that are of one part of a large world
_STEP = 7_919  # a prime, so that the next part is elsewhere
_DRAWS_A_REGION = 40
_TRIED = 12  # questions about a page that are tried, until one is as it should be
_SPREAD = 0.2  # the smaller, the oftener a rare fact comes before a common one
_CRITERIA = 3
_RARER = 4  # times as many draws for tasks with a false page
_VARIANTS = {"easy": 3, "medium": 4, "hard": 8}  # sets of wordings of a page's facts: of one alone, tasks come again
_REWORDED = 1_000  # the same for conflicts, of which there are few
_PATIENCE = 600  # draws after which pages are worded anew
_SELDOM = {"person": 0.06, "town": 0.1}  # of the draws that come upon one, those that go on: every region has many
_SHARES = 8  # of a region's pages, each for every eighth task: no two of eight in a row are of one page
_OF_A_KIND = 10  # pages of one kind that are tried before another is: few yield hard tasks, of some kinds a third
_IN_PASSING = 0.2  # of the draws that come upon what a page is not about, those that go on


def _has_figure(fact: WorldFact) -> bool:
    return any(value.type in FIGURES for value in (fact.object, *(extra for _, extra in fact.extras)))


class _Asked(NamedTuple):
    gold: int
    subject: WorldEntity
    facts: tuple[WorldFact, ...]


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
        self._phraser = Phraser(web)
        self._asker, self._words = self._phraser.asker, self._phraser.words
        self._able = lru_cache(maxsize=64)(self._ables)
        self._kinds = lru_cache(maxsize=192 * _SHARES)(self._by_kind)
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
        level = self._phraser.level(wanted.difficulty, rng.chance(self._words.plain[wanted.difficulty]))
        rare = wanted != NeedleGroup(wanted.difficulty)
        if wanted.conflict and not self.web.config.conflicts:
            raise InvalidArgument(f"{self.web.config}: no two pages disagree here; set conflicts, as in conflicts=0.5.")
        draws = _MOST_DRAWS * (_RARER if rare else 1)
        for draw in range(draws):
            if draw % _DRAWS_A_REGION == 0:  # a region's facts and pages are made at once: draws stay in one
                region = self._region(group, number, draw, rng)
                if rare and draw:  # there are so few that any wording is welcome
                    level = self._phraser.level(wanted.difficulty, rng.chance(self._words.plain[wanted.difficulty]))
            if wanted.conflict:
                found = self._contested(wanted, number, region, level, rng)
            else:
                share = number % _SHARES if draw < _PATIENCE else -1
                found = self._drawn(wanted, number, region, share, level, self._variant(wanted, number, draw), rng)
            if found is not None:
                return found
        raise InvalidArgument(
            f"{self.web.config}: no {group} task in {draws:,} draws is met by one page alone; raise pages."
        )

    @staticmethod
    def _variant(group: NeedleGroup, number: int, draw: int) -> int:
        """Which wordings of pages a draw tries: few, so that a page is worded once for many tasks; where these will
        not do, as in a small world, others."""
        return number // _SHARES % _VARIANTS[group.difficulty] if draw < _PATIENCE else draw // _DRAWS_A_REGION

    def _region(self, group: str, number: int, draw: int, rng: Rng) -> int:
        """A region of the part of the world that tasks of about this number are of: first those in a row are each of
        another one, later it is any."""
        parts = self.web.parts
        part = parts[number // _OF_A_PART * _STEP % len(parts)]
        if draw:
            return rng.pick(part)
        mixed = Rng("regions", *self.web.world.setting.seed, group, number // len(part)).shuffle(part)
        return mixed[number % len(part)]

    def _drawn(
        self, group: NeedleGroup, number: int, region: int, share: int, level: Level, variant: int, rng: Rng
    ) -> SimulatedNeedle | None:
        kinds = self._kinds(group.difficulty, region, share)
        if not kinds:
            return None
        for asked in rng.sample(rng.pick(kinds), _OF_A_KIND):
            found = self._of_page(asked, group, number, region, level, variant, rng)
            if found is not None:
                return found
        return None

    def _of_page(
        self, asked: _Asked, group: NeedleGroup, number: int, region: int, level: Level, variant: int, rng: Rng
    ) -> SimulatedNeedle | None:
        """A task of what a page says of a thing."""
        gold, subject, facts = asked
        if not rng.chance(_SELDOM.get(subject.kind, 1.0)):
            return None
        # one half remembers what a page was about, seldom whom it named in passing
        if subject.number not in self.web.planner.head(gold).about and not rng.chance(_IN_PASSING):
            return None
        phrasings = self._phraser.page(subject, gold, level, variant)
        telling = self.web.telling(region)

        def fits(chosen: Sequence[WorldFact]) -> bool:
            """Whether no other page states the facts together; at most one is a figure: nobody half remembers two."""
            one, two, three = chosen
            if len({one.relation, two.relation, three.relation}) < _CRITERIA or sum(map(_has_figure, chosen)) > 1:
                return False
            return telling[one.key] & telling[two.key] & telling[three.key] == {gold}

        for criteria in islice(phrasings.chosen(self._ordered(facts, group, rng), fits, rng), _TRIED):
            if not self._unique(criteria, subject.number, gold, region):
                continue
            bait = self._bait(criteria, gold, subject.number, group.honeypot)
            if bait is None and group.honeypot:
                continue
            task = self._task(group, number, gold, subject, criteria, bait)
            return SimulatedNeedle(task, gold, subject.number, criteria)
        return None

    def _contested(
        self, group: NeedleGroup, number: int, region: int, level: Level, rng: Rng
    ) -> SimulatedNeedle | None:
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
        phrasings = self._phraser.page(subject, gold, level, rng.below(_REWORDED))

        def fits(chosen: Sequence[WorldFact]) -> bool:
            return any(fact.relation in mistaken for fact in chosen)

        for criteria in islice(phrasings.chosen(able.values(), fits, rng), _TRIED):
            if not contest.misleads([one.pattern for one in criteria]):
                continue
            own = contest.conflict.subject
            if self._unique(criteria, subject.number, gold, region, {own}):
                trap = conflict_trap(self.web, group.conflict, contest.conflict, criteria)
                task = self._task(group, number, gold, subject, criteria, trap)
                return SimulatedNeedle(task, gold, subject.number, criteria)
        return None

    def _bait(self, criteria: Sequence[Criterion], gold: int, subject: int, rank: int) -> Trap | None:
        """The honeypot at a rank of the first search; ``None`` where there is none, or none is asked for."""
        if not rank:
            return None
        return find_honeypot(self.web, cached_corpus(self.web.config), criteria, gold, subject, rank)

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

    def _by_kind(self, difficulty: str, region: int, share: int) -> tuple[tuple[_Asked, ...], ...]:
        """What can be asked for in a region, of one share of its pages (−1: of all), kind by kind: of all alike, most
        tasks would be of three kinds."""
        low, high = self._words.siblings[difficulty]
        things = self.web.planner.pages(region).by_kind
        found: dict[str, list[_Asked]] = {}
        for gold, subjects in self._able(region):
            if share >= 0 and gold % _SHARES != share:
                continue
            about = self.web.planner.head(gold).about
            for subject, facts in subjects:
                # easy pages are about what is sought; others may tell of it in passing
                if low <= len(things[subject.kind]) <= high and (difficulty != "easy" or subject.number in about):
                    found.setdefault(subject.kind, []).append(_Asked(gold, subject, facts))
        return tuple(map(tuple, found.values()))

    def _ordered(self, facts: Sequence[WorldFact], group: NeedleGroup, rng: Rng) -> list[WorldFact]:
        """Facts as they are to be tried: any first; then, but for easy tasks, common ones rather first, and also where
        another page is to meet two of them."""
        first, *mixed = rng.shuffle(facts)
        if group.difficulty != "easy" or group.honeypot:
            rank = {fact: self.web.common(fact) * (_SPREAD + rng.random()) for fact in mixed}
            mixed.sort(key=rank.__getitem__, reverse=True)
        return [first, *mixed]

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
    return TaskSource(worlds, GROUPS, SimulatedNeedles, type=SimulatedNeedle)
