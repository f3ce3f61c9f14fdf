"""Needle in the Web from a procedural web: tasks without number.

The recipe is the paper's (section 3) without a model: of one page, three facts of one tier of
centrality; one element of each masked by a generic expression, the rest said in part in other
words; kept only if one page alone, of the whole web, entails all three. With the dial ``hops``
at 2 or 3, somebody or something that a criterion would name is told by facts of another page
(:mod:`webenv.envs.needle_in_web.hops`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webenv.corpora.procedural import (
    NAMED,
    TIERS,
    DistractorSet,
    Fact,
    Kind,
    Pattern,
    ProceduralWeb,
    Rng,
    Value,
    of_mode,
)
from webenv.envs.needle_in_web.hops import Description, Descriptions, Hop, leaks
from webenv.envs.needle_in_web.tasks import render_question
from webenv.envs.needle_in_web.wording import say, worded
from webenv.envs.task_ids import task_id
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task, TaskSet
from webenv.web import Scope

_MOST_DRAWS = 400
_FUZZ = (0.08, 0.36, 0.5)
_CRITERIA = 3
_MASKS = ((0.28, 0.62), (0.4, 0.7), (0.4, 0.7))  # by tier: object, object or qualifier; the rest masks the relation
_NUMBERS = ("count", "money", "length", "size", "weight")


class Criterion(NamedTuple):
    """One demand of a task: as text, as a pattern over facts, and the fact that it was made from.

    ``masked`` is "object", "qualifier" or "relation"; ``claim`` the same without mask; ``hops`` are
    the entities that it describes instead of naming them, each by a fact that leads to the next.
    """

    text: str
    pattern: Pattern
    fact: Fact
    masked: str
    claim: str
    hops: tuple[Hop, ...] = ()


class Needle(NamedTuple):
    """A task with what its judge knows of it: the gold page's number and the criteria."""

    task: Task
    gold: int
    criteria: tuple[Criterion, ...]


class NeedleGenerator:
    """Draws tasks from a procedural web; the same number gives the same task.

    Args:
        web: the web.
        world: what its tasks call the web, where they are put on one of several worlds.
    """

    def __init__(self, web: ProceduralWeb, world: str = "") -> None:
        self.web = web
        self._language = web.world.language
        self._scope = Scope(world=world)
        fuzziness = web.config.fuzziness
        self._keep = tuple(1 - fuzziness * share for share in _FUZZ)
        self._descriptions = Descriptions(web) if web.config.hops > 1 else None

    def tasks(self, count: int, difficulty: Iterable[str] = TIERS, first: int = 0) -> TaskSet:
        """A task set: of each difficulty the tasks number ``first`` to ``first + count − 1``."""
        chosen = [difficulty] if isinstance(difficulty, str) else list(difficulty)
        needles = (self.draw(tier, number) for tier in chosen for number in range(first, first + count))
        return TaskSet([needle.task for needle in needles], name=str(self.web.config))

    def draw(self, difficulty: str, number: int) -> Needle:
        """Task ``number`` of a difficulty.

        Raises:
            InvalidArgument: for an unknown difficulty, or a web in which no task is unique.
        """
        if difficulty not in TIERS:
            raise InvalidArgument(f"difficulty={difficulty!r}. {did_you_mean(str(difficulty), TIERS)}")
        tier = TIERS.index(difficulty)
        rng = Rng(*self.web.world.seed, "needle", difficulty, number)
        for _ in range(_MOST_DRAWS):
            distractors = self.web.world.distractor_set(rng.below(self.web.world.distractor_sets))
            member = rng.below(len(distractors.names))
            slots = rng.sample(distractors.tier(tier), _CRITERIA)
            if self._descriptions is not None:
                slots = _leading(distractors, slots, tier, rng)
            criteria = tuple(self._criterion(distractors, member, slot, self._keep[tier], rng) for slot in slots)
            gold = self.web.planner.article(distractors.number, member)
            if max(1 + len(criterion.hops) for criterion in criteria) < self.web.config.hops:
                continue
            if not self._shown(criteria) and self.satisfying([c.pattern for c in criteria]) == {gold}:
                return Needle(self._task(difficulty, number, distractors, gold, criteria), gold, criteria)
        hops = f" and leads over {self.web.config.hops} pages; lower hops, or" if self.web.config.hops > 1 else ";"
        raise InvalidArgument(
            f"{self.web.config}: no {difficulty} task in {_MOST_DRAWS} is met by one page alone{hops} raise family."
        )

    def satisfying(self, patterns: Sequence[Pattern]) -> frozenset[int]:
        """The pages that entail all patterns, of all pages of the web; a page stands for its copies."""
        found = self.web.holders(patterns[0])
        for pattern in patterns[1:]:
            found &= self.web.holders(pattern)
        return found

    def _task(
        self, difficulty: str, number: int, distractors: DistractorSet, gold: int, criteria: Sequence[Criterion]
    ) -> Task:
        plan = self.web.plan(gold)
        texts = tuple(criterion.text for criterion in criteria)
        return Task(
            id=task_id(self.web.config, difficulty, number),
            question=render_question(texts),
            criteria=texts,
            gold=Gold(urls=(plan.url,), claims=tuple(criterion.claim for criterion in criteria)),
            tags={
                "difficulty": difficulty,
                "split": self.web.config.split,
                "site": plan.site.type,
                "kind": distractors.kind.name,
            },
            scope=self._scope,
        )

    def _criterion(self, distractors: DistractorSet, member: int, slot: int, keep: float, rng: Rng) -> Criterion:
        fact = distractors.fact(member, slot)
        relation = distractors.slots[slot].relation
        roll = rng.random()
        object_, qualifier_ = _MASKS[relation.tier]
        masked = "object" if roll < object_ else "qualifier" if roll < qualifier_ else "relation"
        value, asked = worded(fact.object, masked == "object", keep, rng, self._language)
        qualifier, when = worded(fact.qualifier, masked == "qualifier", keep, rng, self._language)
        told = None if masked == "object" else self._described(fact.object, keep, rng)
        value = value if told is None else told.mention
        subject = self._subject(distractors.kind, rng)
        if masked == "relation":
            kind = "number" if relation.object in _NUMBERS else relation.object
            texts = self._language.texts
            form = rng.pick(texts.get(f"ties {kind}", texts["ties"]))
            text = form.replace("{s's}", self._language.possessive(subject)).replace("{s}", subject)
            text = text.replace("{o}", value).replace("{q}", qualifier)
        else:
            ways = of_mode(relation.plain, self.web.config.phrasings)
            own = fact.object.type if value == fact.object.text else ""
            text = say(rng.pick(ways).criterion(rng, keep), subject, value, own, qualifier, self._language)
        if told is not None:
            text = self._language.semicolon.join((text, *told.clauses))
        pattern = Pattern(distractors.kind.name, "" if masked == "relation" else relation.name, asked, when)
        name, known = distractors.names[member], fact.object
        plain = relation.plain[0].near[0]
        claim = say(plain, name, known.text, known.type, fact.qualifier.text, self._language)
        finish = self._language.criterion
        hops = () if told is None else told.hops
        return Criterion(finish(text), pattern, fact, masked, finish(claim), hops)

    def _described(self, value: Value, keep: float, rng: Rng) -> Description | None:
        """An entity told by facts, over as many pages as it takes or as can be; ``None`` where it is to be named."""
        if self._descriptions is None or value.type not in NAMED:
            return None
        for hops in range(self.web.config.hops - 1, 0, -1):
            found = self._descriptions.describe(value, hops, keep, rng)
            if found is not None:
                return found
        return None

    def _subject(self, kind: Kind, rng: Rng) -> str:
        """How a criterion names its subject."""
        first = self._language.with_article(kind.name, kind.measure)
        return rng.pick(self._language.texts["subjects"]).format(k=kind.name, m=kind.measure, a=first)

    def _shown(self, criteria: Sequence[Criterion]) -> bool:
        """Whether the masked element of one criterion stands in another, or a name that one hides in any."""
        if leaks([hop for criterion in criteria for hop in criterion.hops], [each.text for each in criteria]):
            return True
        for place, criterion in enumerate(criteria):
            if criterion.masked == "relation":
                continue
            value = criterion.fact.object if criterion.masked == "object" else criterion.fact.qualifier
            core = self._language.core(value.text)
            if any(core in other.text for number, other in enumerate(criteria) if number != place):
                return True
        return False


def _leading(distractors: DistractorSet, slots: list[int], tier: int, rng: Rng) -> list[int]:
    """Slots of which one at least has people, places or bodies as values.

    Where none has, the last makes way for one of its tier that has, or else of the nearest easier tier.
    """
    named = [number for number, slot in enumerate(distractors.slots) if slot.relation.object in NAMED]
    if set(slots).isdisjoint(named):
        for easier in range(tier, -1, -1):
            others = [number for number in distractors.tier(easier) if number in named]
            if others:
                return [*slots[:-1], rng.pick(others)]
    return slots
