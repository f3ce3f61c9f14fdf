"""News joins: what their pages state and do not state, checked against every page of the web."""

from __future__ import annotations

from datetime import date

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.world.facts import Fact
from webenv.envs.live_news_bench.multi_hop import KINDS, ChangingQuestions, MultiHopQuestion, MultiHopQuestions

DIALS = WebConfig(pages=1_000, news=0.5, split="validation", seed=3)


@pytest.fixture(scope="module")
def web() -> ProceduralWeb:
    return ProceduralWeb(DIALS)


@pytest.fixture(scope="module")
def joins(web: ProceduralWeb) -> MultiHopQuestions:
    return MultiHopQuestions(Provenance(web))


@pytest.fixture(scope="module")
def every(joins: MultiHopQuestions) -> list[MultiHopQuestion]:
    return [join for event in range(len(joins)) for join in joins.of(event)]


@pytest.fixture(scope="module")
def series(joins: MultiHopQuestions) -> list[tuple[MultiHopQuestion, ...]]:
    changes = ChangingQuestions(joins)
    return [one for event in range(len(joins)) for one in changes.of(event)]


@pytest.fixture(scope="module")
def stated(web: ProceduralWeb) -> dict[Fact, set[int]]:
    """Which pages state each fact, copies among them: all pages read, without the index that joins use."""
    found: dict[Fact, set[int]] = {}
    for number in range(len(web)):
        for fact in web.facts(number):
            found.setdefault(fact, set()).add(number)
    return found


def test_there_are_joins_of_each_kind(every: list[MultiHopQuestion]) -> None:
    """A web has hundreds of joins, of every kind, and gives them in the same order again."""
    assert {join.kind for join in every} == set(KINDS)
    assert len(every) > 400
    again = MultiHopQuestions(Provenance(ProceduralWeb(DIALS)))
    assert again.of(5) == tuple(join for join in every if join in again.of(5))


def test_no_page_states_both(web: ProceduralWeb, every: list[MultiHopQuestion], stated: dict[Fact, set[int]]) -> None:
    """Outside the source's site no page of the whole web states both facts."""
    for join in every:
        host = web.plan(join.source).site.host
        both = stated[join.first.fact] & stated[join.second.fact]
        assert {web.plan(page).site.host for page in both} <= {host}


def test_both_facts_can_be_reached(
    web: ProceduralWeb, every: list[MultiHopQuestion], stated: dict[Fact, set[int]]
) -> None:
    """Outside the source's site each fact stands on the pages that the join names, and on no other."""
    for join in every:
        host = web.plan(join.source).site.host
        for side in (join.first, join.second):
            open_ = {page for page in stated[side.fact] if web.plan(page).site.host != host}
            assert open_ == set(side.pages) != set()


def test_the_source_states_what_the_question_starts_from(web: ProceduralWeb, every: list[MultiHopQuestion]) -> None:
    """The source is a report that states the first fact; of two details of one event it states both."""
    for join in every:
        facts = web.facts(join.source)
        assert web.plan(join.source).role == "report"
        assert join.first.fact in facts
        assert join.kind != "detail" or join.second.fact in facts


def test_the_answer_is_what_most_pages_say(web: ProceduralWeb, every: list[MultiHopQuestion]) -> None:
    """Of the pages that can be reached fewer state something else than state the answer, and some do state else."""
    contested = 0
    for join in every:
        second = join.second.fact
        host = web.plan(join.source).site.host
        others = {
            number
            for number in range(web.planner.number("report", 0), web.planner.number("about", 0))
            for fact in web.facts(number)
            if (fact.subject, fact.relation) == (second.subject, second.relation)
            and fact.object != second.object
            and fact.qualifier == second.qualifier
            and web.plan(number).site.host != host
        } if join.second.wrong else set()  # fmt: skip
        assert others == set(join.second.wrong)
        assert len(others) < len(join.second.pages)
        contested += bool(others)
    assert contested > 3


def test_what_tells_an_event_tells_one(joins: MultiHopQuestions, every: list[MultiHopQuestion]) -> None:
    """A clue, and a part in a second event, is that of one event of the world, or of one of its year."""
    for join in every:
        told = join.clue or join.role
        if told is None:
            continue
        having = [
            event
            for event in joins.events
            for detail in event.details
            if detail.attribute.name == told.relation and told.object in [state.value for state in detail.states]
        ]
        own = join.about
        if joins.singled_out(told, own) == "year":
            years = [date.fromordinal(event.day).year for event in having]
            assert years.count(date.fromordinal(own.day).year) == 1
        else:
            assert having == [own]


def test_the_latest_event_dates_a_join(joins: MultiHopQuestions, every: list[MultiHopQuestion]) -> None:
    """A join's day is that of the later of its events, under whose number it comes."""
    for number in range(len(joins)):
        for join in joins.of(number):
            assert join.day == joins.events[number].day == max(join.event.day, join.about.day)


def test_answers_cannot_be_guessed_from_their_range(every: list[MultiHopQuestion]) -> None:
    """No list of eight words and no count of a dozen is ever asked for."""
    asked = {join.second.fact.relation for join in every}
    assert asked.isdisjoint({"fire.cause", "fire.saved", "fire.engines", "fire.hurt", "award.jury", "record.mark"})
    assert {"fire.damage", "fire.brigade", "flood.level"} <= asked


# ── changing news ─────────────────────────────────────────────────────────────


def test_series_change_their_answers(series: list[tuple[MultiHopQuestion, ...]]) -> None:
    """A series is one question, as of ever later days, each time with another answer."""
    assert len(series) > 60
    for joins in series:
        assert len(joins) > 1
        assert len({join.answer for join in joins}) == len(joins)
        assert sorted({join.as_of for join in joins}) == [join.as_of for join in joins]
        assert len({(join.kind, join.event, join.clue, join.other, join.role, join.source) for join in joins}) == 1


def test_the_newest_page_is_right(web: ProceduralWeb, series: list[tuple[MultiHopQuestion, ...]]) -> None:
    """Of the pages of a day that can be reached and state the detail, the newest one states the answer, not the first
    fact."""
    for joins in series:
        for join in joins:
            second = join.second.fact
            host = web.plan(join.source).site.host
            as_of = date.fromordinal(join.as_of).isoformat()
            told = [
                (web.plan(page).date, fact.object, page)
                for page in range(web.planner.number("report", 0), web.planner.number("about", 0))
                for fact in web.facts(page)
                if (fact.subject, fact.relation, fact.qualifier) == (second.subject, second.relation, second.qualifier)
                and web.plan(page).site.host != host
                and web.plan(page).date <= as_of
            ] if join.event.number < 12 else []  # fmt: skip
            for day, value, page in told:
                assert value == second.object or day < max(told)[0]
                assert value != second.object or join.first.fact not in web.facts(page)
