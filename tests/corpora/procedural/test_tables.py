"""Tables whose cells lie scattered over pages, and circles of the long tail."""

from __future__ import annotations

from collections import Counter

import pytest

from webenv.corpora.procedural import WebConfig
from webenv.corpora.procedural.world.clusters import BLOCK as MEMBERS
from webenv.corpora.procedural.world.clusters import EntityCluster, EntityClusters
from webenv.corpora.procedural.world.tables import BLOCK, FactTable, Register
from webenv.corpora.procedural.world.world import World


@pytest.fixture(scope="module")
def tables() -> list[FactTable]:
    register = Register(World(WebConfig()))
    return [register.table(number) for number in range(40)]


@pytest.fixture(scope="module")
def clusters() -> list[EntityCluster]:
    world = World(WebConfig())
    known = EntityClusters(world, EntityClusters.most(world))
    return [known.cluster(number) for number in range(known.count)]


def test_each_cell_stands_somewhere(tables: list[FactTable]) -> None:
    """Ten to thirteen rows, four to seven columns, sixteen pages; every cell is on at least one."""
    for table in tables:
        assert 10 <= len(table.rows) <= 13
        assert 4 <= len(table.columns) <= 7
        assert len(table.sheets) == BLOCK
        shown = {cell for sheet in table.sheets for cell in sheet.cells}
        assert shown == {(row, column) for row in range(len(table.rows)) for column in range(len(table.columns))}


def test_no_page_has_the_whole_table(tables: list[FactTable]) -> None:
    """No page shows more than two thirds of the cells, and the pages stand on several sites."""
    for table in tables:
        cells = len(table.rows) * len(table.columns)
        assert all(len(sheet.cells) <= cells * 2 / 3 for sheet in table.sheets)
        assert len({sheet.site.host for sheet in table.sheets}) >= 3


def test_rows_have_names_of_their_own(tables: list[FactTable]) -> None:
    """Names are the key, and no two tables of a kind are about one place."""
    for table in tables:
        assert len({row.name for row in table.rows}) == len(table.rows)
    subjects = [row.subject for table in tables for row in table.rows]
    assert len(set(subjects)) == len(subjects)
    assert max(Counter((table.template.kind, table.place.text) for table in tables).values()) == 1


def test_former_values_come_before_the_change(tables: list[FactTable]) -> None:
    """In the column that changes a row has its former value until the day of its change, today's from then on."""
    for table in tables:
        for day, row, before in table.changes:
            assert table.value(row, table.moving, day - 1) == before
            assert table.value(row, table.moving, day) == table.cells[row][table.moving]
            assert all(sheet.day > day for sheet in table.sheets)


def test_an_entity_is_in_one_circle_at_most(clusters: list[EntityCluster]) -> None:
    """Circles have ten members of the rarer half each, and share none."""
    members = [member.number for cluster in clusters for member in cluster.members]
    assert len(set(members)) == len(members) == MEMBERS * len(clusters)
    counts = {kind: len(known) for kind, known in World(WebConfig()).entities.items()}
    for cluster in clusters:
        assert all(member.rank >= counts[member.value.type] // 2 for member in cluster.members)


def test_each_tie_stands_on_a_page(clusters: list[EntityCluster]) -> None:
    """Each fact of a circle is on one or two of its pages: its subject's, or the page of whom it leads to."""
    elsewhere = 0
    for cluster in clusters:
        for relation in cluster.relations:
            assert 1 <= len(relation.pages) <= 2
            ends = {cluster.members[relation.subject], relation.target}
            assert {cluster.members[page] for page in relation.pages} <= ends
            elsewhere += relation.subject not in relation.pages
    assert elsewhere > 50


def test_every_member_has_something_of_its_own(clusters: list[EntityCluster]) -> None:
    """Each page states two facts at least that describe its subject alone, and one that changes over time."""
    for cluster in clusters:
        for member in range(MEMBERS):
            own = [relation for relation in cluster.relations if relation.subject == member and relation.target is None]
            assert sum(len(relation.values) == 1 for relation in own) == 2
            assert sum(len(relation.values) == 3 for relation in own) == 1
