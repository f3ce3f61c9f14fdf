"""Questions with exact answer keys from the facts of a web."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import ProceduralWeb, Provenance, WebConfig
from webenv.corpora.procedural.questions.multi_hop import Chains
from webenv.corpora.procedural.questions.report_topics import ReportTopics
from webenv.corpora.procedural.questions.table_keys import TableKeys
from webenv.corpora.procedural.questions.topic_queries import BrowsingHistories, TopicQueries
from webenv.corpora.procedural.questions.two_site import TwoSiteQuestions
from webenv.corpora.procedural.world.facts import ANY, Constraint, Fact, Pattern, Value
from webenv.corpora.procedural.world.tables import BLOCK
from webenv.errors import InvalidArgument


class Known:
    """All questions of a web."""

    def __init__(self, web: ProceduralWeb) -> None:
        self.web = web
        self.provenance = Provenance(web)
        self.events = web.planner.counts["overview"]
        self.tables = TableKeys(self.provenance)
        self.chains = Chains(self.provenance)
        self.queries = TopicQueries(self.provenance)
        self.histories = BrowsingHistories(self.queries)
        self.two_site = TwoSiteQuestions(self.provenance)
        self.key_points = ReportTopics(self.provenance)


@pytest.fixture(scope="module")
def known(default: ProceduralWeb) -> Known:
    return Known(default)


@pytest.fixture(scope="module")
def stated(default: ProceduralWeb) -> dict[Fact, set[int]]:
    """Every fact of the web with all the pages that state it, by going through all of them; copies left out."""
    found: dict[Fact, set[int]] = {}
    for number in range(len(default)):
        plan = default.plan(number)
        if plan.copy_of < 0:
            for fact in plan.facts:
                found.setdefault(fact, set()).add(number)
    return found


def test_support_is_exact(known: Known, stated: dict[Fact, set[int]]) -> None:
    """For facts of every sort, the pages found by the subject are those found by going through the web."""
    facts = sorted(stated, key=repr)[::97]
    assert len({fact.relation.partition(".")[0] for fact in facts}) > 20
    for fact in facts:
        assert set(known.provenance.stating(fact)) == stated[fact]


def test_holders_are_exact_for_all_kinds(known: Known, stated: dict[Fact, set[int]]) -> None:
    """Patterns over events, tables and entities have just the holders that going through the web finds."""
    for fact in [fact for fact in sorted(stated, key=repr) if not fact.relation.startswith("made")][::601]:
        pattern = Pattern(fact.kind, fact.relation, Constraint(fact.object.type, fact.object.text), ANY)
        plain = {n for other, pages in stated.items() if pattern.admits(other) for n in pages}
        assert known.web.holders(pattern) == plain


def test_each_state_of_each_detail_has_pages(known: Known, stated: dict[Fact, set[int]]) -> None:
    """For each value that a detail of an event ever had, all the pages that state it are found, at least one."""
    for event in map(known.web.planner.pages.newsroom.event, range(known.events)):
        for detail in event.details:
            for state in detail.states:
                fact = event.fact(detail.attribute.name, state.value)
                assert set(known.provenance.stating(fact)) == stated[fact] != set()


def test_every_cell_of_a_table_has_pages(known: Known, stated: dict[Fact, set[int]]) -> None:
    """Tables are complete over the web: each cell as it is today stands on a page that is there."""
    assert len(known.tables) >= 4
    for number in range(len(known.tables)):
        key = known.tables.key(number)
        assert len(key.header) == len(key.table.columns) + 1
        for row, (texts, pages) in enumerate(zip(key.rows, key.pages, strict=True)):
            assert len(texts) == len(pages) == len(key.header)
            assert all(pages)
            for column in range(len(key.table.columns)):
                fact = key.table.current(row, column)
                assert texts[column + 1] == fact.object.text
                assert set(pages[column + 1]) == stated[fact]


@pytest.mark.parametrize("hops", [3, 4, 5])
def test_a_chain_has_one_answer(known: Known, stated: dict[Fact, set[int]], hops: int) -> None:
    """Joining all facts that any page states, a chain without its names leads to its answer alone."""
    by_relation: dict[str, list[Fact]] = {}
    for fact in stated:
        by_relation.setdefault(fact.relation, []).append(fact)
    numbers = {e.value: e.number for every in known.web.world.entities.values() for e in every}
    for number in range(25):
        chain = known.chains.chain(number, hops)
        assert len(chain.hops) == hops
        at: set[int] | None = None
        for place in range(hops + 1):
            if place:
                hop = chain.hops[place - 1]
                pairs = [(f.subject, numbers[f.object]) for f in by_relation[hop.fact.relation]]
                at = {b if hop.forward else a for a, b in pairs if (a if hop.forward else b) in (at or set())}
            for where, own in chain.own:
                if where == place:
                    fit = {f.subject for f in by_relation[own.relation] if f.object == own.object}
                    at = fit if at is None else at & fit
        assert at == {chain.answer.number}


def test_a_chain_is_spread_over_pages(known: Known, stated: dict[Fact, set[int]]) -> None:
    """Each fact of a chain stands on the pages given, and no page has them all."""
    for number in range(40):
        chain = known.chains.chain(number, 3 + number % 3)
        assert [set(pages) for pages in chain.pages] == [stated[fact] for fact in chain.facts]
        assert not set.intersection(*map(set, chain.pages))
        assert chain == known.chains.chain(number, 3 + number % 3)
    assert len({known.chains.chain(number).answer for number in range(60)}) > 30


def test_queries_have_all_their_pages(known: Known) -> None:
    """A query's pages are just those whose facts, or their original's, meet its pattern."""
    for number in range(0, 40, 8):
        query = known.queries.query(number)
        plain = {n for n in range(len(known.web)) if query.pattern.met(known.web.facts(n))}
        assert query.pages == plain
        assert 2 <= len(query.pages) <= 40
        assert query.sites == {known.web.plan(n).site.host for n in query.pages}
        assert query.topic
    assert len({known.queries.query(number).topic for number in range(60)}) >= 8


def test_histories_follow_an_intent(known: Known) -> None:
    """Four to eight visits, most of which fulfil the intent; what is left to find does, and was not read."""
    strays = 0
    for number in range(300):
        history = known.histories.history(number)
        assert 4 <= len(history.visits) <= 8
        assert len(set(history.visits)) == len(history.visits)
        for page, follows in zip(history.visits, history.follows, strict=True):
            assert history.intent.pattern.met(known.web.facts(page)) == follows
            strays += not follows
        assert history.follows[-1]
        assert sum(history.follows) * 2 > len(history.visits)
        assert history.targets
        assert all(history.intent.pattern.met(known.web.facts(page)) for page in history.targets)
        read = {known.web.original(page) for page in history.visits}
        assert not read & {known.web.original(page) for page in history.targets}
    assert strays > 200


def test_a_join_needs_two_sites(known: Known, stated: dict[Fact, set[int]]) -> None:
    """What is given is of one thing; both facts are stated and share the entity; no site has both, nor their copies."""
    subjects: dict[tuple[Value, ...], set[int]] = {}
    planner = known.web.planner
    for number in range(planner.counts["overview"]):
        event = planner.pages.newsroom.event(number)
        where, when = event.frame
        subjects.setdefault((where.object, when.object), set()).add(where.subject)
    for number in range(planner.counts["table"] // BLOCK):
        table = planner.pages.register.table(number)
        for row, entry in enumerate(table.rows):
            subjects.setdefault((Value("name", entry.name),), set()).add(table.current(row, 0).subject)
    for number in range(60):
        join = known.two_site.join(number)
        assert join.first.object == join.entity.value
        assert subjects[join.given] == {join.first.subject}
        assert join.second.subject == join.entity.number
        assert set(join.first_pages) == stated[join.first]
        assert set(join.second_pages) == stated[join.second]
        sites = [
            known.provenance.sites(known.provenance.with_copies(side)) for side in (join.first_pages, join.second_pages)
        ]
        assert not sites[0] & sites[1]
        others = {f.object for f in stated if (f.subject, f.relation) == (join.second.subject, join.second.relation)}
        assert others == {join.answer}


def test_key_points_of_an_event(known: Known) -> None:
    """Eight points, each supported; some are contradicted, by outdated or mistaken pages."""
    outdated = mistaken = 0
    for number in range(known.events):
        brief = known.key_points.brief(number)
        assert len(brief.points) == 8
        for point in brief.points:
            assert point.support
            assert set(point.mistaken) <= set(point.contradict)
            mistaken += len(point.mistaken)
            outdated += len(point.contradict) - len(point.mistaken)
    assert outdated > 30
    assert mistaken > 3


def test_key_points_of_a_member(known: Known) -> None:
    """Twelve points, each supported by its article; rumours contradict some."""
    first = known.events
    contradicted = 0
    for number in range(0, 400):
        points = known.key_points.brief(first + number).points
        assert all(number in point.support for point in points)
        for point in points:
            contradicted += len(point.mistaken)
            assert all(known.web.plan(page).role == "rumour" for page in point.mistaken)
    assert contradicted > 10


def test_what_is_not_there_is_refused(known: Known) -> None:
    """Numbers out of range, other lengths and webs that are too small are named in one line."""
    with pytest.raises(InvalidArgument, match="table 4: expected a number from 0 to 3"):
        known.tables.key(4)
    with pytest.raises(InvalidArgument, match="hops=6; expected a whole number from 3 to 5"):
        known.chains.chain(0, hops=6)
    small = Known(ProceduralWeb(WebConfig(pages=101, kinds=2)))
    with pytest.raises(InvalidArgument, match="has no chains; raise pages"):
        small.chains.chain(0)
    with pytest.raises(InvalidArgument, match="no join in"):
        small.two_site.join(0)
