"""Why a table is not complete, told from an episode's record."""

from __future__ import annotations

from dataclasses import replace

from tests.policies.hierarchical.ferries import ferries
from tests.webs import DictWeb
from webenv.evaluation.table_failures import CASCADE, cascades, table_failure
from webenv.observations import Page
from webenv.policies.hierarchical import HierarchicalPolicy, Layers
from webenv.rollout.play import EpisodeSpec, play_episodes
from webenv.rollout.record import Record
from webenv.task import Gold, Task, TaskSet

QUESTION = (
    "List all mills of Yiskos in one table, a row for each, with exactly these columns: Name | Owner | Owner: spouse"
)
GOLD = "Name,Owner,Owner: spouse\nHay Mill,Ann Lee,Max Orr\nOat Mill,Ida Pym,Leo Fay\n"


def listed(host: str, owner: str) -> Page:
    """A list of mills on a site, by which Hay Mill belongs to somebody."""
    rows = f"| Name | Owner |\n| --- | --- |\n| Hay Mill | {owner} |\n| Oat Mill | Ida Pym |"
    return Page(f"https://{host}/mills", "Mills of Yiskos", f"A list of mills of Yiskos.\n\n{rows}", key=host)


def about(name: str, spouse: str) -> Page:
    slug = name.lower().replace(" ", "-")
    return Page(f"https://d.example/{slug}", name, f"| {name} | |\n| --- | --- |\n| Spouse | {spouse} |", key=name)


PEOPLE = [about("Ann Lee", "Max Orr"), about("Ida Pym", "Leo Fay"), about("Bob Gray", "Eva Holt")]


def played(*owners: str) -> Record:
    """The episode on a web on whose sites Hay Mill belongs to these."""
    lists = [listed(f"{number}.example", owner) for number, owner in enumerate(owners)]
    task = Task("mills", QUESTION, gold=Gold(answers=("-",), data={"table": GOLD}))
    benchmark = replace(ferries(web=DictWeb([*lists, *PEOPLE])), tasks=TaskSet([task]))
    [record] = next(play_episodes(benchmark, HierarchicalPolicy(Layers()), [EpisodeSpec("mills", 0, 0)]))
    return record


def test_an_error_of_contradicting_pages_is_inherited() -> None:
    """Two sites of three say that Bob Gray owns the mill: his wife stands in the table instead of hers."""
    record = played("Bob Gray", "Bob Gray", "Ann Lee")
    assert "| Hay Mill | Bob Gray | Eva Holt |" in record.turns[-1].texts[0]
    assert table_failure(record) == CASCADE


def test_an_error_that_no_page_contradicts_is_none_of_them() -> None:
    """All sites say the same: the table is as wrong, but nobody could have known."""
    record = played("Bob Gray", "Bob Gray")
    assert "| Hay Mill | Bob Gray | Eva Holt |" in record.turns[-1].texts[0]
    assert table_failure(record) == "cells wrong"


def test_cells_that_inherit_are_named() -> None:
    """By row and column; the cell where the error began is not among them."""
    rows = [["Name", "Owner", "Owner: spouse"], ["Hay Mill", "Bob Gray", "Eva Holt"]]
    gold = [["Name", "Owner", "Owner: spouse"], ["Hay Mill", "Ann Lee", "Max Orr"]]
    assert cascades(played("Bob Gray", "Bob Gray", "Ann Lee"), rows, gold) == [("Hay Mill", "owner: spouse")]


def test_a_table_of_other_things() -> None:
    """Ferries where mills were asked for."""
    record = played("Ann Lee")
    table = "| Name | Owner | Owner: spouse |\n|---|---|---|\n| Ansel | Ann Lee | Max Orr |"
    turn = replace(record.turns[-1], texts=(table,))
    assert table_failure(replace(record, turns=(*record.turns[:-1], turn))) == "rows of something else"
