"""Needle in the Web from a procedural web: tasks without number, and verdicts that are exact.

The recipe is the paper's (section 3) without a model: of one page, three facts of one tier of
centrality; one element of each masked by a generic expression, the rest said in part in other
words; kept only if one page alone, of the whole web, entails all three.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from webenv.corpora.procedural import ProceduralWeb
from webenv.corpora.procedural.dice import Dice
from webenv.corpora.procedural.facts import ANY, Constraint, Fact, Pattern, Value
from webenv.corpora.procedural.family import Family
from webenv.corpora.procedural.phrasing import TIERS, Phrasing, Relation, with_article
from webenv.corpora.procedural.values import masked_words, vague
from webenv.envs.needle_in_web.tasks import render_question
from webenv.errors import InvalidArgument, UnknownTask, did_you_mean
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.needle import OUTCOMES, without_page
from webenv.task import Gold, Task, TaskSet

__all__ = ["Criterion", "ExactJudge", "Needle", "NeedleGenerator"]

_MOST_DRAWS = 400
_NUMBER = re.compile("0|[1-9][0-9]{0,11}")
_KEPT = 4_096  # needles, of the last drawn
_FUZZ = (0.08, 0.36, 0.5)
_CRITERIA = 3
_MASK_OBJECT, _MASK_QUALIFIER = 0.4, 0.7  # cumulated; the rest masks the relation
_SUBJECTS = ("{a}", "a certain {k}", "some {k}", "one {k}")
_TIES = {
    "person": (
        "{o} had a part in the story of {s} {q}",
        "{o} did something for, or to, {s} {q}",
        "{s} had to do with {o} {q}",
    ),
    "place": ("{s} has to do with {o} in some way {q}", "there is some tie between {s} and {o} {q}"),
    "org": ("{o} had a part in the story of {s} {q}", "there is some tie between {s} and {o} {q}"),
    "": (
        "{s} had something to do with {o} {q}",
        "{o} came into the story of {s} {q}",
        "{o} played a part in {s's} story {q}",
    ),
    "number": ("the figure {o} comes up in the story of {s} {q}", "{s} had something to do with the figure {o} {q}"),
}
_NUMBERS = ("count", "money", "length", "size", "weight")


class Criterion(NamedTuple):
    """One demand of a task: as text, as a pattern over facts, and the fact that it was made from.

    ``masked`` is "object", "qualifier" or "relation"; ``claim`` the same without mask.
    """

    text: str
    pattern: Pattern
    fact: Fact
    masked: str
    claim: str


class Needle(NamedTuple):
    """A task with what its judge knows of it: the gold page's number and the criteria."""

    task: Task
    gold: int
    criteria: tuple[Criterion, ...]


class NeedleGenerator:
    """Draws tasks from a procedural web; the same number gives the same task.

    Args:
        web: the web.
    """

    def __init__(self, web: ProceduralWeb) -> None:
        self.web = web
        self._name = str(web.dials).removeprefix("procedural").lstrip(":") or "default"
        fuzziness = web.dials.fuzziness
        self._keep = tuple(1 - fuzziness * share for share in _FUZZ)
        self._drawn = lru_cache(maxsize=_KEPT)(self._draw)

    def tasks(self, count: int, difficulty: Iterable[str] = TIERS, first: int = 0) -> TaskSet:
        """A task set: of each difficulty the tasks number ``first`` to ``first + count − 1``."""
        chosen = [difficulty] if isinstance(difficulty, str) else list(difficulty)
        needles = (self.draw(tier, number) for tier in chosen for number in range(first, first + count))
        return TaskSet([needle.task for needle in needles], name=str(self.web.dials))

    def find(self, task_id: str) -> Needle:
        """The task of an id of this web's.

        Raises:
            UnknownTask: for an id of another web's, or of none.
        """
        name, _, rest = task_id.partition("/")
        tier, _, number = rest.partition("/")
        if name != self._name or tier not in TIERS or not _NUMBER.fullmatch(number):
            raise UnknownTask(
                f"{self.web.dials}: no task {task_id!r:.100}; expected an id such as {self._name}/easy/0."
            )
        return self.draw(tier, int(number))

    def draw(self, difficulty: str, number: int) -> Needle:
        """Task ``number`` of a difficulty.

        Raises:
            InvalidArgument: for an unknown difficulty, or a web in which no task is unique.
        """
        if difficulty not in TIERS:
            raise InvalidArgument(f"difficulty={difficulty!r}. {did_you_mean(str(difficulty), TIERS)}")
        return self._drawn(difficulty, number)

    def _draw(self, difficulty: str, number: int) -> Needle:
        tier = TIERS.index(difficulty)
        dice = Dice(*self.web.world.seed, "needle", difficulty, number)
        for _ in range(_MOST_DRAWS):
            family = self.web.world.family(dice.below(self.web.world.families))
            member = dice.below(len(family.names))
            slots = dice.sample(family.tier(tier), _CRITERIA)
            criteria = tuple(self._criterion(family, member, slot, self._keep[tier], dice) for slot in slots)
            gold = self.web.planner.article(family.number, member)
            if not _shown(criteria) and self.satisfying([c.pattern for c in criteria]) == {gold}:
                return Needle(self._task(difficulty, number, family, gold, criteria), gold, criteria)
        raise InvalidArgument(
            f"{self.web.dials}: no {difficulty} task in {_MOST_DRAWS} is met by one page alone; raise family."
        )

    def satisfying(self, patterns: Sequence[Pattern]) -> frozenset[int]:
        """The pages that entail all patterns, of all pages of the web; a page stands for its copies."""
        found = self.web.holders(patterns[0])
        for pattern in patterns[1:]:
            found &= self.web.holders(pattern)
        return found

    def _task(self, difficulty: str, number: int, family: Family, gold: int, criteria: Sequence[Criterion]) -> Task:
        plan = self.web.plan(gold)
        texts = tuple(criterion.text for criterion in criteria)
        return Task(
            id=f"{self._name}/{difficulty}/{number}",
            question=render_question(texts),
            criteria=texts,
            gold=Gold(urls=(plan.url,), claims=tuple(criterion.claim for criterion in criteria)),
            tags={
                "difficulty": difficulty,
                "split": self.web.dials.split,
                "site": plan.site.type,
                "kind": family.kind.name,
            },
        )

    def _criterion(self, family: Family, member: int, slot: int, keep: float, dice: Dice) -> Criterion:
        fact = family.fact(member, slot)
        relation = family.slots[slot].relation
        roll = dice.random()
        masked = "object" if roll < _MASK_OBJECT else "qualifier" if roll < _MASK_QUALIFIER else "relation"
        value, asked = _worded(fact.object, masked == "object", keep, dice)
        qualifier, when = _worded(fact.qualifier, masked == "qualifier", keep, dice)
        subject = dice.pick(_SUBJECTS).format(k=family.kind.name, a=with_article(family.kind.name))
        if masked == "relation":
            kind = "number" if relation.object in _NUMBERS else relation.object
            form = dice.pick(_TIES.get(kind, _TIES[""]))
            text = form.replace("{s's}", subject + "'s").replace("{s}", subject)
            text = text.replace("{o}", value).replace("{q}", qualifier)
        else:
            text = _say(dice.pick(relation.plain), subject, value, qualifier, fact.object, keep, dice)
        pattern = Pattern(family.kind.name, "" if masked == "relation" else relation.name, asked, when)
        name = family.names[member]
        claim = _claim(relation, name, fact)
        return Criterion(_finish(text), pattern, fact, masked, claim)


def _worded(value: Value, masked: bool, keep: float, dice: Dice) -> tuple[str, Constraint]:
    """How a criterion words a value, and what it asks of it."""
    if masked:
        return masked_words(value.type, dice), ANY
    if dice.chance(keep):
        return value.text, Constraint(value.type, value.text)
    return vague(value, dice)


def _say(phrasing: Phrasing, subject: str, value: str, qualifier: str, object: Value, keep: float, dice: Dice) -> str:
    bare = value.partition(" ")[2] if value == object.text and object.type == "vehicle" else value
    return phrasing.criterion(dice, keep).format(subject, subject + "'s", value, qualifier, bare, with_article(value))


def _claim(relation: Relation, name: str, fact: Fact) -> str:
    value = fact.object.text
    bare = value.partition(" ")[2] if fact.object.type == "vehicle" else value
    own = name + ("'" if name.endswith("s") else "'s")
    return _finish(relation.plain[0].near[0].format(name, own, value, fact.qualifier.text, bare, with_article(value)))


def _finish(text: str) -> str:
    for wrong, right in (
        (" a a ", " a "), (" the a ", " a "), (" the certain ", " certain "), (" the some", " some"),
        (" a certain animals", " certain animals"),
    ):  # fmt: skip
        text = text.replace(wrong, right)
    return text[0].upper() + text[1:] + "."


def _shown(criteria: Sequence[Criterion]) -> bool:
    """Whether the masked element of one criterion stands in another."""
    for place, criterion in enumerate(criteria):
        if criterion.masked == "relation":
            continue
        value = criterion.fact.object if criterion.masked == "object" else criterion.fact.qualifier
        bare = value.text.removeprefix("in ").removeprefix("for ")
        if any(bare in other.text for number, other in enumerate(criteria) if number != place):
            return True
    return False


class ExactJudge:
    """Knows, of every page of a procedural web, which criteria it meets; asks no model.

    A page that the web lacks is ``unreachable``. A copy meets what its original meets.

    Args:
        generator: of whose tasks it judges.
    """

    name = "exact"

    def __init__(self, generator: NeedleGenerator) -> None:
        self._generator = generator

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, and the web whose facts it knows."""
        return {"name": self.name, "version": "1", "web": str(self._generator.web.dials)}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return [self._score(submission) for submission in submissions]

    def _score(self, submission: Submission) -> Verdict:
        try:
            needle = self._generator.find(submission.task.id)
        except UnknownTask as error:
            return Verdict.unscored(str(error), self.name)
        verdict = without_page(submission, self.name)
        if verdict is not None:
            return verdict
        page = submission.page
        web = self._generator.web
        number = web.find(page.url if isinstance(page, Page) else submission.answer)
        if number is None:
            reason = f"{submission.answer[:300]} is no page of {web.dials}; judge it on the web that the task is of"
            return Verdict.unscored(reason, self.name)
        facts = web.facts(number)
        lacking = [criterion.text for criterion in needle.criteria if not criterion.pattern.met(facts)]
        if lacking:
            return self._verdict("wrong_page", f"the page does not say: {lacking[0]}")
        stated = {fact[1:5] for fact in facts}
        if all(criterion.fact[1:5] in stated for criterion in needle.criteria):
            return self._verdict("ground_truth_match", "the page states every claim")
        return self._verdict("criteria_match", "the page meets every criterion, but states other facts")

    def _verdict(self, outcome: str, reason: str) -> Verdict:
        return Verdict(outcome, OUTCOMES[outcome], reason, self.name)
