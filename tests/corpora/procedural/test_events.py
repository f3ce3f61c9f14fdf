"""Events, and who reports which part of them."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.world.events import AT_FIRST, BLOCK, NewsEvent, Newsroom
from webenv.corpora.procedural.world.world import World


@pytest.fixture(scope="module")
def events() -> list[NewsEvent]:
    newsroom = Newsroom(World(WebConfig()))
    return [newsroom.event(number) for number in range(120)]


def test_a_default_web_has_thirty_events(default: ProceduralWeb) -> None:
    """3,000 pages hold 30 events of all kinds with 165 reports."""
    counts = default.planner.counts
    assert (counts["overview"], counts["report"]) == (30, 165)
    assert len({default.planner.pages.newsroom.event(n).template.kind for n in range(30)}) == 12


def test_each_event_is_made_alone(events: list[NewsEvent]) -> None:
    """An event is the same whatever was made before it."""
    assert Newsroom(World(WebConfig())).event(77) == events[77]


def test_three_to_six_outlets_report_at_first(events: list[NewsEvent]) -> None:
    """At first three to six outlets report, each once and within three days; follow-ups come later, on days of
    their own."""
    for event in events:
        first = [report for report in event.reports if not report.later]
        later = [report for report in event.reports if report.later]
        assert 3 <= len({report.site.host for report in first}) == len(first) <= 6
        assert all(0 <= report.day - event.day <= 2 for report in first)
        assert later
        days = [report.day for report in later]
        assert len(set(days)) == len(days)
        assert min(days) >= event.day + 3
    assert len({report.site.voice for event in events for report in event.reports}) == 3


def test_no_report_has_all_details(events: list[NewsEvent]) -> None:
    """A report states two to six of the eight details, and one that is rare stands in one or two."""
    for event in events:
        assert all(2 <= len(report.details) <= 6 for report in event.reports)
        for number, detail in enumerate(event.details):
            if detail.attribute.spread == "rare" and len(detail.states) == 1:
                assert 1 <= sum(number in report.details for report in event.reports) <= 2


def test_each_value_is_reported_while_it_holds(events: list[NewsEvent]) -> None:
    """Each value of each detail stands in a report of its time, and what is new in the report of that day."""
    for event in events:
        for number, detail in enumerate(event.details):
            for state in detail.states:
                told = [r for r in event.reports if number in r.details and r.wrong != number]
                assert any(detail.at(report.day) == state.value for report in told)
            for state in detail.states[1:]:
                assert any(r.day == state.since and number in r.details for r in event.reports)


def test_some_detail_of_each_event_changes(events: list[NewsEvent]) -> None:
    """One to three details get other values later: counts rise or fall, days are put off, people are replaced."""
    for event in events:
        changed = [detail for detail in event.details if len(detail.states) > 1]
        assert 1 <= len(changed) <= 3
        for detail in changed:
            numbers = [state.value.number for state in detail.states]
            if detail.attribute.change in ("rises", "moved"):
                assert numbers == sorted(set(numbers))
            elif detail.attribute.change == "falls":
                assert numbers == sorted(numbers, reverse=True)
            else:
                assert len({state.value.text for state in detail.states}) == len(numbers)


def test_a_value_before_it_is_known_is_none(events: list[NewsEvent]) -> None:
    """What comes out later is not known on the day of the event, and known on the day it comes out."""
    late = [(event, d) for event in events for d in event.details if d.attribute.change == "late"]
    assert len(late) > 50
    for event, detail in late:
        assert detail.at(event.day) is None
        assert detail.at(detail.states[0].since) == detail.states[0].value


def test_mistakes_are_marked(events: list[NewsEvent]) -> None:
    """A few reports state a number that never was true, with less confidence; another report of that time is right."""
    wrong = [(event, report) for event in events for report in event.reports if report.wrong >= 0]
    assert 10 < len(wrong) < 60
    for event, report in wrong:
        detail = event.details[report.wrong]
        (fact,) = [fact for fact in event.stated(report) if fact.confidence < 1]
        assert fact.object == report.mistake
        assert fact.object not in {state.value for state in detail.states}


def test_follow_ups_recall_what_was_believed(events: list[NewsEvent]) -> None:
    """Some follow-ups also tell the first value of what has changed, as that of the beginning."""
    recalled = 0
    for event in events:
        for report in event.reports:
            for fact in event.stated(report):
                if fact.qualifier == AT_FIRST:
                    detail = next(d for d in event.details if d.attribute.name == fact.relation)
                    assert fact.object == detail.states[0].value != detail.at(report.day)
                    assert report.later
                    recalled += 1
    assert recalled > 40


def test_reports_are_numbered_in_blocks() -> None:
    """Two events share eleven places; each place leads back to its event and report."""
    newsroom = Newsroom(World(WebConfig()))
    for place in range(20 * BLOCK):
        event, number = newsroom.at(place)
        assert newsroom.start(event.number) + number == place
        assert number < newsroom.reports(event.number) == len(event.reports)
