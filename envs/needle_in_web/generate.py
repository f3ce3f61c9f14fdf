"""Needle in the Web from a procedural web: tasks without number.

The recipe is the paper's (section 3) without a model: of one page, three facts of one tier of
centrality; one element of each masked by a generic expression, the rest said in part in other
words; kept only if one page alone, of the whole web, entails all three. With the dial ``hops``
at 2 or 3, somebody or something that a criterion would name is told by facts of another page
(:mod:`webenv.envs.needle_in_web.generate`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from webenv.corpora.procedural import (
    ANY,
    NAMED,
    TIERS,
    Constraint,
    DistractorSet,
    Fact,
    Language,
    Pattern,
    Phrasing,
    ProceduralWeb,
    Relation,
    Rng,
    ThingKind,
    Value,
    Worlds,
    masked_words,
    of_mode,
    relations,
    vague,
)
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, render_question
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task, TaskSet
from webenv.web import Scope


def worded(value: Value, masked: bool, keep: float, rng: Rng, language: Language) -> tuple[str, Constraint]:
    """How a criterion words a value, and what it asks of it.

    Args:
        value: the value.
        masked: whether a generic expression stands in its place, of which nothing is asked.
        keep: the probability that it has the pages' wording.
        dice: chance.
        language: of the web.
    """
    if masked:
        return masked_words(value.type, rng, language), ANY
    if rng.chance(keep):
        return value.text, Constraint(value.type, value.text)
    return vague(value, rng, language)


def say(form: str, subject: str, value: str, value_type: str, qualifier: str, language: Language) -> str:
    """A form of a relation with its places filled; ``value_type`` is empty where the value's text is not its own."""
    bare, indefinite = language.forms(value, value_type)
    return form.format(subject, language.possessive(subject), value, qualifier, bare, indefinite)


_Known = dict[str, dict[Value, list[tuple[Value, int]]]]  # relation → object → (qualifier, whose fact it is)


class Hop(NamedTuple):
    """An entity that is not named, the number of the page about it, and what is said of it, as a pattern."""

    entity: Value
    page: int
    said: Pattern


class Description(NamedTuple):
    """What a criterion says of an entity in place of its name.

    Attributes:
        mention: what stands where the name would: "someone".
        clauses: what is said of it ("that person was born at a certain place in 1843"), then what is
            said of the entity in that, and so on.
        hops: the entities that are not named, in that order.
    """

    mention: str
    clauses: tuple[str, ...]
    hops: tuple[Hop, ...]


class Descriptions:
    """Describes entities by facts that the pages about them state.

    What is said of an entity is true, at its time, of no other entity of the world.

    Args:
        web: the web.

    Raises:
        InvalidArgument: where the web's language has no words for it.
    """

    def __init__(self, web: ProceduralWeb) -> None:
        self._web = web
        self._language = web.world.language
        if "hops" not in self._language.texts:
            raise InvalidArgument(f"{web.config}: descriptions have no words in this language; expected hops=1.")
        self._references = self._language.rows("hops")

    def describe(self, entity: Value, hops: int, keep: float, rng: Rng) -> Description | None:
        """A description that leads to an entity over ``hops`` pages; ``None`` where there is none.

        Args:
            entity: whom or what it is about.
            hops: 1: the describing fact names what it names; more: that, too, is described.
            keep: the probability of the pages' wording, for each value.
            dice: chance.
        """
        page = self._web.profile(entity)
        if page is None:
            return None
        for fact in rng.shuffle(self._web.plan(page).facts):
            if hops > 1 and fact.object.type not in NAMED:
                continue
            inner = self.describe(fact.object, hops - 1, keep, rng) if hops > 1 else None
            if hops > 1 and (inner is None or any(entity == hop.entity for hop in inner.hops)):
                continue
            said = self._said(fact, inner, keep, rng)
            if said is not None:
                mention = masked_words(entity.type, rng, self._language)
                clause, pattern = said
                clauses, further = ((), ()) if inner is None else (inner.clauses, inner.hops)
                return Description(mention, (clause, *clauses), (Hop(entity, page, pattern), *further))
        return None

    def _said(self, fact: Fact, inner: Description | None, keep: float, rng: Rng) -> tuple[str, Pattern] | None:
        """A fact that no other entity has, as a clause; ``None`` where others have it, even in its very words."""
        relation = self._relations[fact.relation]
        for share in (keep, 1.0):
            value, asked = worded(fact.object, False, 1.0 if inner else share, rng, self._language)
            qualifier, when = worded(fact.qualifier, False, share, rng, self._language)
            pattern = Pattern(fact.kind, fact.relation, asked, when)
            if self._owners(pattern) == {fact.subject}:
                form = rng.pick(of_mode(relation.plain, self._web.config.phrasings)).criterion(rng, share)
                (reference,) = self._references[fact.kind]
                value, own = (value, fact.object.type) if inner is None else (inner.mention, "")
                own = own if value == fact.object.text else ""
                return say(form, reference, value, own, qualifier, self._language), pattern
        return None

    def _owners(self, pattern: Pattern) -> set[int]:
        """The entities of the world of which a fact is true that is as asked."""
        return {
            owner
            for value, held in self._known[pattern.relation].items()
            if pattern.object.admits(value)
            for qualifier, owner in held
            if pattern.qualifier.admits(qualifier)
        }

    @cached_property
    def _relations(self) -> dict[str, Relation]:
        grammars = ("base_person", "base_place", "base_org")
        return {one.name: one for grammar in grammars for one in relations(grammar, self._language)}

    @cached_property
    def _known(self) -> _Known:
        """What is true of all entities, whether or not a page is about them."""
        found: _Known = {name: {} for name in self._relations}
        for entities in self._web.world.entities.values():
            for entity in entities:
                for fact in self._web.world.profile(entity):
                    found[fact.relation].setdefault(fact.object, []).append((fact.qualifier, entity.number))
        return found


def leaks(hops: Sequence[Hop], texts: Sequence[str]) -> bool:
    """Whether the name of an entity that is described stands in one of the texts."""
    return any(hop.entity.text in text for hop in hops for text in texts)


_MOST_DRAWS = 400
_FUZZ = (0.08, 0.36, 0.5)
_CRITERIA = 3
_MASKS = ((0.28, 0.62), (0.4, 0.7), (0.4, 0.7))  # by tier: object, object or qualifier; the rest masks the relation
_NUMBERS = ("count", "money", "length", "size", "weight")


class GeneratedCriterion(NamedTuple):
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
    criteria: tuple[GeneratedCriterion, ...]


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
        self._ways: dict[str, tuple[Phrasing, ...]] = {}

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
                return Needle(self._task(difficulty, number, distractors, member, criteria), gold, criteria)
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
        self,
        difficulty: str,
        number: int,
        distractors: DistractorSet,
        member: int,
        criteria: Sequence[GeneratedCriterion],
    ) -> Task:
        site, url = self.web.planner.article_place(distractors, member)
        texts = tuple(criterion.text for criterion in criteria)
        return Task(
            id=task_id(self.web.config, difficulty, number),
            question=render_question(texts),
            criteria=texts,
            gold=Gold(urls=(url,), claims=tuple(criterion.claim for criterion in criteria)),
            tags={
                "difficulty": difficulty,
                "split": self.web.config.split,
                "site": site.type,
                "kind": distractors.kind.name,
            },
            scope=self._scope,
        )

    def _criterion(
        self, distractors: DistractorSet, member: int, slot: int, keep: float, rng: Rng
    ) -> GeneratedCriterion:
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
            ways = self._ways.get(relation.name)
            if ways is None:
                ways = self._ways[relation.name] = of_mode(relation.plain, self.web.config.phrasings)
            own = fact.object.type if value == fact.object.text else ""
            text = say(rng.pick(ways).criterion(rng, keep), subject, value, own, qualifier, self._language)
        if told is not None:
            text = self._language.semicolon.join((text, *told.clauses))
        pattern = Pattern(distractors.kind.name, "" if masked == "relation" else relation.name, asked, when)
        name, known = distractors.names[member], fact.object
        plain = next(way for way in relation.phrasings if not way.rich).near[0]
        claim = say(plain, name, known.text, known.type, fact.qualifier.text, self._language)
        finish = self._language.criterion
        hops = () if told is None else told.hops
        return GeneratedCriterion(finish(text), pattern, fact, masked, finish(claim), hops)

    def _described(self, value: Value, keep: float, rng: Rng) -> Description | None:
        """An entity told by facts, over as many pages as it takes or as can be; ``None`` where it is to be named."""
        if self._descriptions is None or value.type not in NAMED:
            return None
        for hops in range(self.web.config.hops - 1, 0, -1):
            found = self._descriptions.describe(value, hops, keep, rng)
            if found is not None:
                return found
        return None

    def _subject(self, kind: ThingKind, rng: Rng) -> str:
        """How a criterion names its subject."""
        first = self._language.with_article(kind.name, kind.measure)
        return rng.pick(self._language.texts["subjects"]).format(k=kind.name, m=kind.measure, a=first)

    def _shown(self, criteria: Sequence[GeneratedCriterion]) -> bool:
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


class GeneratedNeedles(GeneratedTasks[Needle]):
    """Generated needle tasks; each is made when it is asked for.

    Tags: ``difficulty``, ``split``, ``site`` (the type of site that the page sought stands on) and
    ``kind`` (what the page is about).
    """

    tag = "difficulty"


@lru_cache(maxsize=4)
def needle_source(worlds: Worlds) -> TaskSource[Needle]:
    """What draws the tasks of worlds, by difficulty; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, DIFFICULTIES, NeedleGenerator)
