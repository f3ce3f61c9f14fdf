"""What pages tell of persons, and of what is news, in an order that a reader can follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from webenv.corpora.procedural.rng import Rng
from webenv.corpora.world.model import WorldEntity, WorldFact
from webenv.corpora.world.schema import KindSpec
from webenv.corpora.world.wording import day_of_fact

WORK = 1
"""The section of a person's article that tells of work: to it belongs what others' facts tell of somebody."""
ASIDES = 2
"""Hobbies, habits, pets, … that one page tells."""
_DEEDS = 8  # facts of others in which somebody turns up that one page tells
_ALIKE = (1, 4)  # of them, of one relation of persons, such as portraits; and where nothing else is known
END = ("death", "died")
_FAMILY = ("marriage", "children")
_SMALL = ("person", "town")  # whose facts say little of those in them: a portrait, a guest of three weeks
_GROWN = 22  # years
_KNOWN = ("town", "county")  # readers of a local paper know how these began, and what they are like


def chosen(facts: Iterable[WorldFact], kind: KindSpec, rng: Rng, asides: int = ASIDES) -> list[WorldFact]:
    """A person's facts without most of what is told in passing: a life is no list of habits."""
    known = list(facts)
    aside = [fact for fact in known if kind.facts[fact.relation].section in kind.asides]
    kept = {fact.key for fact in rng.sample(aside, asides)}
    return [fact for fact in known if fact.key in kept or kind.facts[fact.relation].section not in kind.asides]


def akin(one: WorldFact, other: WorldFact, kind: KindSpec) -> bool:
    """Whether a sentence may tell both facts of one subject: of a person what was at home, or the family's."""
    if one.kind != other.kind:
        return False
    first, second = kind.facts[one.relation].section, kind.facts[other.relation].section
    if first != second or first in kind.asides:
        return False
    return kind.name != "person" or first == 0 or (one.relation in _FAMILY and other.relation in _FAMILY)


def grown(person: WorldEntity, fact: WorldFact) -> bool:
    """Whether somebody was of an age at which work is of interest to others."""
    return fact.year >= person.begin + _GROWN


def deeds(facts: Sequence[WorldFact], rng: Rng, alone: bool = False) -> list[WorldFact]:
    """What others' facts tell of somebody: posts and works first, of portraits and pupils a few."""
    counts: dict[str, int] = {}
    found: list[WorldFact] = []
    for fact in sorted(rng.shuffle(list(facts)), key=lambda one: one.kind in _SMALL):
        counts[fact.relation] = counts.get(fact.relation, 0) + 1
        if fact.kind != "person" or counts[fact.relation] <= _ALIKE[alone]:
            found.append(fact)
    return found[:_DEEDS]


def chapters(person: WorldEntity, kind: KindSpec, facts: Iterable[WorldFact]) -> list[tuple[int, list[WorldFact]]]:
    """A life, chapter by chapter, each in the order of time.

    What has no date comes after what stands before it in the kind's file: children after the wedding.

    Args:
        person: whose life it is.
        kind: of persons.
        facts: own ones and those of others.

    Returns:
        Numbers of sections with their facts.
    """
    found_at: list[tuple[int, tuple[int, int, int], WorldFact]] = []
    section, anchor = -1, (0, 0, 0)
    for fact in sorted(facts, key=lambda one: (one.subject != person.number, one.serial)):
        own = fact.subject == person.number
        spec = kind.facts.get(fact.relation) if fact.kind == kind.name else None
        where = WORK if spec is None or not (own or spec.section > WORK) else spec.section
        if where != section or not own:
            section, anchor = where, (person.begin if where == 0 else 0, 0, 0)
        if fact.year:
            # what follows a death comes after it, whatever the day that is drawn for it
            anchor = (fact.year, *((0, 0) if fact.year == person.end else day_of_fact(fact)))
        found_at.append((where, anchor, fact))
    found: dict[int, list[WorldFact]] = {}
    for where, _, fact in sorted(found_at, key=lambda one: (one[0], one[1])):
        found.setdefault(where, []).append(fact)
    return sorted(found.items())


def birth_and_death(person: WorldEntity, facts: Iterable[WorldFact]) -> tuple[WorldFact | None, WorldFact | None]:
    """Of a person's facts those whose days are the first and the last of that life."""
    birth = death = None
    for fact in facts:
        if fact.subject == person.number:
            if fact.relation in END:
                death = fact
            elif fact.serial == 0 and fact.year == person.begin:
                birth = fact
    return birth, death


def age(person: WorldEntity, year: int, month: int = 12, day: int = 31) -> int:
    """How old somebody was on a day: whoever reads both dates can count."""
    born = next((day_of_fact(fact) for fact in person.facts[:1] if fact.year == person.begin), (1, 1))
    return max(1, year - person.begin - ((month, day) < born))


def death_of(person: WorldEntity) -> WorldFact | None:
    """The fact that tells of a person's death."""
    return birth_and_death(person, person.facts)[1]


def background(lead: WorldFact, facts: Sequence[WorldFact], kind: KindSpec, rng: Rng) -> list[WorldFact]:
    """What a report tells beside its news: what was before it of the same, and what belongs with it.

    Args:
        lead: what is news.
        facts: what is known of the same subject by then.
        kind: of the subject.
        rng: chance.
    """
    spec = kind.facts[lead.relation]
    # of its own year nothing: of two disasters in one year a reader would ask which is meant
    earlier = sorted((fact for fact in facts if fact.year < lead.year), key=lambda one: one.year)
    known = [fact for fact in earlier if fact.relation != lead.relation]
    before = [fact for fact in earlier if fact.relation == lead.relation][-rng.between(1, 2) :]
    same = [fact for fact in known if kind.facts[fact.relation].section == spec.section]
    near = sorted((fact for fact in same if fact.year), key=lambda one: abs(lead.year - one.year))[: rng.between(1, 2)]
    others = [fact for fact in known if fact not in near]
    if kind.name in _KNOWN:
        return [*before, *near]
    first = [fact for fact in others if kind.facts[fact.relation].section == 0 and fact.year]
    found = [*before, *near, *first[:1]]
    # what has no date is told only where little else is known
    return found if len(found) > 2 else [*found, *rng.sample([one for one in others if one not in found], 1)]


def career(
    person: WorldEntity,
    lead: WorldFact,
    facts: Sequence[WorldFact],
    told: Sequence[WorldFact],
    kind: KindSpec,
    rng: Rng,
) -> list[WorldFact]:
    """What a report tells of a person beside its news: posts and works; of whoever has died the family too."""
    work = [fact for fact in facts if kind.facts[fact.relation].section == WORK and grown(person, fact)]
    # a post taken up the year before is what one was in the news for then
    before = [fact for fact in told if fact.kind != "person" and (fact.until or fact.year < lead.year - 1)]
    posts = deeds(before, rng)
    found = [
        fact for fact in (*posts[: rng.between(2, 4)], *rng.sample(work, rng.between(2, 3))) if fact.key != lead.key
    ]
    if lead.year == person.end:
        found += [fact for fact in facts if fact.relation in _FAMILY]
    return found
