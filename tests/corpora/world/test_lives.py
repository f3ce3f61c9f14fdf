"""Lives and reports: what pages tell of persons and of news, in which order."""

from __future__ import annotations

from functools import cache

from webenv.corpora.procedural.config import WebConfig
from webenv.corpora.world import lives
from webenv.corpora.world.joins import undated
from webenv.corpora.world.model import WorldEntity, WorldFact, WorldValue
from webenv.corpora.world.reading import schema
from webenv.corpora.world.templates import Placeholder, wording
from webenv.corpora.world.web import WorldWeb

_PAGES = 240


@cache
def _web() -> WorldWeb:
    return WorldWeb(WebConfig(pages=_PAGES, seed=11))


def _fact(relation: str, year: int, serial: int, subject: int = 7, kind: str = "person") -> WorldFact:
    return WorldFact(subject, kind, relation, WorldValue("pool", relation), year, 0, (), serial)


def test_a_life_goes_from_birth_to_death() -> None:
    """Children come after the wedding, a post that another's fact tells of among the work, a bequest after death."""
    person = WorldEntity(7, "person", "Anna Bell", 1900, 1970, profession="pilot", sex="f")
    facts = [
        _fact("bequest", 1970, 9),
        _fact("captain", 1935, 3, subject=40, kind="airship"),
        _fact("children", 0, 5),
        _fact("marriage", 1930, 4),
        _fact("death", 1970, 8),
        _fact("award", 1950, 3),
        _fact("father", 0, 1),
        _fact("birthplace", 1900, 0),
        _fact("house", 1940, 6),
    ]
    told = lives.chapters(person, schema("").kinds["person"], facts)
    assert [[fact.relation for fact in known] for _, known in told] == [
        ["birthplace", "father"],
        ["captain", "award"],
        ["marriage", "children", "house"],
        ["death", "bequest"],
    ]


def test_pages_tell_the_years_of_a_life_in_order() -> None:
    """In no paragraph about a person does a later year come before an earlier one."""
    web, told = _web(), 0
    for number in range(_PAGES):
        plan = web.plan(number).plan
        person = web.entity(plan.head.about[0]) if plan.head.about else None
        if person is None or person.kind != "person" or plan.head.form == "news":
            continue
        for block in plan.blocks:
            if block.form == "prose":
                years = [claim.fact.year for claim in block.claims if claim.fact.year]
                assert years == sorted(years), plan.head.url
                told += len(years)
    assert told > 60


def test_nobody_is_married_to_two() -> None:
    """A wedding is a fact of one of the two, once in each life."""
    wed: list[int] = []
    for entity in _web().world.region(0).entities:
        wed += [one for f in entity.facts if f.relation == "marriage" for one in (entity.number, f.object.entity)]
    assert len(wed) == len(set(wed)) > 20


def test_holders_of_a_post_did_not_do_the_same() -> None:
    """Of one who follows another in a post something else is told."""
    pairs = [
        (before.extras, after.extras)
        for entity in _web().world.region(0).entities
        for before, after in zip(entity.facts, entity.facts[1:], strict=False)
        if before.relation == after.relation and before.until and before.extras
    ]
    assert len(pairs) > 50
    assert not [pair for pair in pairs if pair[0] == pair[1]]


def test_the_background_of_a_report_is_older_than_its_news() -> None:
    """Beside what it reports a story about a thing tells what was known of it before that year."""
    web, told = _web(), 0
    for number in range(_PAGES):
        plan = web.plan(number).plan
        lead = plan.head.lead
        if plan.head.form != "news" or lead is None or lead.kind == "person":
            continue
        story = [claim.fact for block in plan.blocks if block.form == "prose" for claim in block.claims]
        assert all(fact.year < lead.year for fact in story), plan.head.url
        told += len(story)
    assert told > 30


def test_a_line_of_a_chronicle_does_not_repeat_its_year() -> None:
    """After "1922:" comes what happened, unless a month belongs to the year."""
    assert undated("In 1922 8,610 spectators came.", 1922) == "8,610 spectators came."
    assert undated("In 1922 [the light](https://a.example) burned.", 1922) == "[The light](https://a.example) burned."
    assert undated("In May 1922 it burned.", 1922) == "In May it burned."
    assert undated("In May 1922 it burned.", 1922, day=True) == "It burned."
    assert undated("She owed it, in 1922, to a lamp.", 1922) == "She owed it to a lamp."


def test_whom_a_clause_is_about_stands_in_the_nominative() -> None:
    """ "Anna Bell and she waited", but "between Anna Bell and her"."""

    def place(text: str) -> str:
        return [part.name for part in wording(text).parts if isinstance(part, Placeholder)][-1]

    assert place("{O} and {S} waited.") == "S"
    assert place("Money ran out, and {s} was closed.") == "S"
    assert place("a quarrel between {O} and {s}.") == "n"
