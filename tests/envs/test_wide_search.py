"""WideSearch-v0: official files, generated tables, and their scores."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from pathlib import Path

import gymnasium as gym
import pytest

from tests.webs import DictWeb
from webenv import answer
from webenv.corpora.procedural import Rng, WebConfig, generated_web
from webenv.corpora.world import WorldEntity, WorldWeb
from webenv.envs.fact_graph import SIZES
from webenv.envs.wide_search import load_tasks
from webenv.envs.world_graph import WorldGraph
from webenv.errors import TaskFileError
from webenv.rewards.tables.cells import TableSpec
from webenv.rewards.tables.grader import TableAnswer, TableJudge
from webenv.rewards.tables.markdown import read_csv
from webenv.web import VisitRequest

WORLD = "procedural"
EVALUATION = {
    "required": ["city", "height"],
    "unique_columns": ["city"],
    "eval_pipeline": {
        "city": {"preprocess": ["norm_str"], "metric": ["exact_match"]},
        "height": {"preprocess": ["extract_number"], "metric": ["number_near"], "criterion": 0.1},
    },
}


def release(folder: Path, records: list[dict[str, object]], tables: dict[str, str]) -> Path:
    """Files as the release has them."""
    (folder / "widesearch_gold").mkdir(parents=True)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "widesearch.jsonl").write_text(lines, encoding="utf-8")
    for name, text in tables.items():
        (folder / "widesearch_gold" / f"{name}.csv").write_text(text, encoding="utf-8")
    return folder


def record(name: str, language: str = "en", **more: object) -> dict[str, object]:
    return {
        "instance_id": name,
        "query": f"Which cities? {name}",
        "language": language,
        "evaluation": EVALUATION,
    } | more


def test_official_files_play(tmp_path: Path) -> None:
    """Questions in JSON lines with gold tables beside them are loaded, put and scored."""
    gold = "City,Height\nRome,21\nOslo,23\n"
    records = [record("ws_en_001"), record("ws_zh_001", "zh", evaluation=json.dumps(EVALUATION))]
    folder = release(tmp_path / "a", records, {"ws_en_001": gold, "ws_zh_001": gold})
    env = gym.make("WideSearch-v0", web=DictWeb([]), tasks=folder, language="zh")
    observation, info = env.reset(seed=0)
    assert (info["task"], observation["question"]) == ("ws_zh_001", "Which cities? ws_zh_001")
    *_, info = env.step(answer("```markdown\n| City | Height |\n|---|---|\n| rome | 22 m |\n| Paris | 35 |\n```"))
    assert (info["verdict"]["outcome"], info["verdict"]["value"]) == ("partial", 0.5)
    assert info["verdict"]["scores"] == {
        "success": 0.0,
        "row_precision": 0.5,
        "row_recall": 0.5,
        "row_f1": 0.5,
        "item_precision": 0.5,
        "item_recall": 0.5,
        "item_f1": 0.5,
    }


def test_a_gold_table_that_no_answer_could_be_as_long_as(tmp_path: Path) -> None:
    """It is left out before anything takes it apart: 100 MB would take minutes."""
    tables = {"a": "City,Height\nRome,21\n", "b": "City,Height\n" + "Rome,21\n" * 300_000}
    tasks = load_tasks(release(tmp_path / "a", [record("a"), record("b")], tables))
    assert [one.reason for one in tasks.excluded] == [
        "the gold table has 2,400,012 characters; expected 2,000,000 at most"
    ]


def test_records_that_cannot_be_scored(tmp_path: Path) -> None:
    """A gold table that is missing, empty, or lacks or repeats a column leaves its record out, with the reason."""
    tables = {"a": "City,Height\nRome,21\n", "c": "City\nRome\n", "d": "City,City\nRome,1\n", "e": "City,Height\n"}
    tasks = load_tasks(release(tmp_path / "a", [record(name) for name in "abcde"], tables))
    assert [task.id for task in tasks] == ["a"]
    assert {one.task.id: one.reason for one in tasks.excluded} == {
        "b": "there is no gold table widesearch_gold/b.csv",
        "c": "the gold table lacks the column 'height'",
        "d": "a gold table has a column twice: city, city.",
        "e": "the gold table has no row",
    }


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([record("a"), record("a")], "the id 'a' is that of tasks"),
        ([{"instance_id": "a"}], "line 1: query is None; expected a text"),
        ([record("a", evaluation="{")], "line 1: evaluation is no JSON"),
        ([record("a", evaluation=[1])], "line 1: evaluation is [1]; expected an object"),
        ([record("../a")], "instance_id '../a' names no file"),
    ],
)
def test_records_that_are_none(tmp_path: Path, records: list[dict[str, object]], message: str) -> None:
    """A damaged record is named by its line, in one line."""
    with pytest.raises(TaskFileError) as error:
        load_tasks(release(tmp_path / "a", records, {"a": "City,Height\nRome,21\n"}))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("web", ["procedural", "procedural:language=zh", "procedural:pages=1200"])
def test_generated_tables_are_on_the_web(web: str) -> None:
    """Every cell of a generated table stands on a page that the web shows; N/A, and nothing else, stands on none."""
    benchmark = gym.make("WideSearch-v0", web=web).unwrapped.benchmark  # type: ignore[attr-defined]
    seen: list[bool] = []
    for number in range(0, 40, 7):
        drawn = benchmark.tasks.source.draw("small", number)
        table = read_csv(str(drawn.task.gold.data["table"]))
        assert 5 <= len(table.rows) <= 20
        assert int(drawn.task.tags["sites"]) > 1
        for row, pages in zip(table.rows, drawn.pages, strict=True):
            for cell, stating in zip(row, pages, strict=True):
                assert bool(cell) == bool(stating)
                for url in stating[:1]:
                    page = benchmark.web.visit([VisitRequest(url)])[0]
                    text = f"{page.title} {page.text}".replace(",", "").lower()
                    great = f"{int(cell) / 10_000:g}万" if cell.isdecimal() else cell  # as Chinese pages write them
                    seen.append(cell.lower() in text or great in text)
    assert len(seen) > 100
    assert sum(seen) > 0.9 * len(seen)


def test_tables_of_a_world() -> None:
    """A simulated world gives tables of 5 to 500 rows, complete: of each thing of the kind there that a page places,
    a row; with columns that joins give, and with N/A."""
    source = gym.make("WideSearch-v0", web=WORLD, size="medium").unwrapped.benchmark.tasks.source  # type: ignore[attr-defined]
    rows, joined, not_stated = [], 0, 0
    for size in ("small", "medium", "large"):
        for number in range(24):
            drawn = source.draw(size, number)
            table = read_csv(str(drawn.task.gold.data["table"]))
            low, high = SIZES[size]
            assert low <= len(table.rows) <= high
            rows.append(len(table.rows))
            joined += any(":" in name for name in table.columns)
            not_stated += any(not cell for row in table.rows for cell in row)
    assert min(rows) < 10 < 100 < max(rows)
    assert joined > 36
    assert not_stated > 36


@pytest.mark.slow
def test_rows_are_complete() -> None:
    """A table of posts has all of whom a page says, by both names, until when they held it, or since when, while some
    page says since when a later one did; and no others."""
    web = generated_web(WebConfig.parse(WORLD))
    graph = WorldGraph(web)
    table = next(
        found
        for number in range(100, 200)
        if (found := graph.table("medium", Rng("t", number))) is not None
        and found.asked.startswith("former head gardeners of parks")
    )
    counties = {one.strip() for part in table.asked.split("counties of ")[1].split(" and ") for one in part.split(",")}
    told: dict[str, set[tuple[int, int]]] = {"Y": set(), "Z": set()}
    for page in range(len(web)):
        text = ""
        for fact in web.facts(page):
            if (fact.kind, fact.relation) == ("park", "keeper"):
                text = text or f"{web.plan(page).title} {web.text(web.plan(page)).text}".lower()
                subject, said = web.entity(fact.subject), web.text(web.plan(page)).told.get(fact.key, ())
                if subject is not None and subject.name.lower() in text and fact.object.text.lower() in text:
                    for which in {"Y", "Z"} & set(said):
                        told[which].add(fact.key)
    there = [web.world.region(region) for region in range(web.world.setting.regions)]
    expected = {
        (one.name, fact.object.text)
        for region in there
        for one in region.entities
        for fact in one.facts
        if region.cast.county in counties and (one.kind, fact.relation) == ("park", "keeper")
        if fact.until and (fact.key in told["Z"] or (fact.key in told["Y"] and fact.year < _latest(one, told["Y"])))
    }
    assert {(row[0].text, row[1].text) for row in table.rows} == expected


def test_no_table_asks_for_a_post_that_a_town_and_its_hall_share() -> None:
    """Whoever reads that somebody is a town hall's mayor takes it for the town's."""
    graph = WorldGraph(generated_web(WebConfig.parse(WORLD)))
    shared = [graph._is_shared(*post) for post in (("town", "mayor"), ("town hall", "mayor"), ("park", "keeper"))]
    assert shared == [True, True, False]


def _latest(park: WorldEntity, told: Collection[tuple[int, int]]) -> int:
    """Since when the last head gardener of whom pages say so held the post."""
    return max((fact.year for fact in park.facts if fact.relation == "keeper" and fact.key in told), default=0)


@pytest.mark.slow
def test_counties_of_one_name_are_meant_together() -> None:
    """Where two counties of a world have one name, a table that names it has the things of both."""
    web = WorldWeb(WebConfig.parse(f"{WORLD}:pages=4800,split=validation"))
    graph = WorldGraph(web)
    regions = [web.world.region(region) for region in range(web.world.setting.regions)]
    counties = [one.cast.county for one in regions]
    twice = next(one for one in counties if counties.count(one) > 1)
    table = next(
        found
        for number in range(100)
        if (found := graph.table("medium", Rng("t", number))) is not None
        and twice in found.asked
        and "former" not in found.asked
    )
    named = {county for county in counties if re.search(rf"\b{county}\b", table.asked)}
    kind = table.columns[0].label.lower()
    there = {
        one.title for region in regions if region.cast.county in named for one in region.entities if one.kind == kind
    }
    placed = {row[0].text for row in table.rows}
    assert placed <= there
    each = [
        {one.title for one in region.entities if one.kind == kind} & placed
        for region in regions
        if region.cast.county == twice
    ]
    assert sum(bool(one) for one in each) == counties.count(twice)


def test_answers_that_are_too_much(tmp_path: Path) -> None:
    """A huge answer is told so and may be given again; columns twice, and a key that lacks, score 0 and say why."""
    folder = release(tmp_path / "a", [record("a")], {"a": "City,Height\nRome,21\n"})
    env = gym.make("WideSearch-v0", web=DictWeb([]), tasks=folder)
    env.reset(seed=0)
    observation, _, terminated, *_ = env.step(answer("| City | Height |\n|---|---|\n" + "| Rome | 21 |\n" * 20_000))
    assert not terminated
    assert observation["notice"] == "An answer has 280028 characters; at most 200000 are taken."
    for head, why in (("City | Height | Height", "city, height, height"), ("Height | Age", "height, age")):
        env.reset(seed=0)
        *_, info = env.step(answer(f"| {head} |\n|---|---|---|\n| Rome | 21 | 21 |"))
        assert info["verdict"]["value"] == 0.0
        assert why in info["verdict"]["explanation"]


def test_a_table_of_a_hundred_megabytes() -> None:
    """Given to the judge from elsewhere, it is wrong, and not read."""
    text = "| City | Height |\n|---|---|\n" + "| Rome | 21 |\n" * 8_000_000
    spec = TableSpec.of(EVALUATION)
    found = TableJudge().grade([TableAnswer(text, read_csv("City,Height\nRome,21\n"), spec)])[0]
    assert found.reason == "the answer has 112,000,028 characters; expected 2,000,000 at most"
    assert found.numbers is not None
    assert found.numbers.item_f1 == 0.0
