"""AgentWebBench's released forms: files, sites, pages by id."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from webenv.corpora import Corpus, build
from webenv.corpora.sites import official_sites
from webenv.envs.agent_web_bench.official import load_official
from webenv.envs.agent_web_bench.tasks import read_ranking
from webenv.errors import TaskFileError
from webenv.observations import Page
from webenv.task import Task, TaskSet
from webenv.web import VisitRequest

ID = "clueweb22-en0021-74-10364"
HISTORY = [{"doc_id": "clueweb22-en0000-77-12286", "timestamp": "29094867.0", "title": "Elephants\nindoors"}]


def write(folder: Path, name: str, records: list[dict[str, Any]]) -> Path:
    path = folder / name
    lines = "\n".join(map(json.dumps, records)) if name.endswith("l") else json.dumps(records)
    path.write_text(lines)
    return path


def load(kind: str, *paths: Path) -> TaskSet:
    return load_official(kind, paths, lambda kind, text: f"{kind}:\n{text}")


def first(kind: str, *paths: Path) -> Task:
    return load(kind, *paths)[0]


def text_of(task: Task) -> str:
    return task.question.partition("\n")[2]


def test_queries(tmp_path: Path) -> None:
    """A query keeps its words, ``site:`` and all; gold pages stand at their ids, hosting sites in the gold's data."""
    record = {"id": 0, "question": "usb drivers site:a.example", "source": ["www.a.example"], "doc_ids": [ID, ID]}
    task = first("search", write(tmp_path, "test_1.json", [record]))
    assert (task.id, text_of(task), task.tags["sites"]) == ("test_1/0", "usb drivers site:a.example", "1")
    assert task.gold.urls == (f"https://clueweb22.example/{ID}",)
    assert task.gold.data["sites"] == ("a.example",)


def test_histories(tmp_path: Path) -> None:
    """A history has one visit a line, with titles from the file beside it; without that file, ids and times alone."""
    record = {"id": 3, "history_doc_ids": ["clueweb22-en0000-77-12286"], "history_timestamps": ["29094867.0"],
              "source": ["a.example"], "doc_ids": [ID]}  # fmt: skip
    path = write(tmp_path, "test_9.json", [record])
    bare = "- (29094867.0) https://clueweb22.example/clueweb22-en0000-77-12286"
    assert text_of(first("recommendation", path)) == bare
    write(tmp_path, "test_9.user_history.jsonl", [{"id": 3, "user_history": HISTORY}])
    assert text_of(first("recommendation", tmp_path)) == bare.replace("- ", "- Elephants indoors ")


def test_questions(tmp_path: Path) -> None:
    """Answers are texts or lists of them; source, type and difficulty become tags; what runs saw is no evidence."""
    record = {"id": 1, "question": "How many?", "answer": "6", "source": "gaia", "difficulty": 2, "seen_doc_ids": [ID]}
    task = first("qa", write(tmp_path, "qa.jsonl", [record]))
    assert (task.gold.answers, task.gold.urls) == (("6",), ())
    assert task.tags == {"group": "qa", "source": "gaia", "difficulty": "2"}


def test_topics_and_key_points(tmp_path: Path) -> None:
    """Key points come by id from a folder of files, or from records, which alone are topics too; some may be empty."""
    questions = write(tmp_path, "test_2.json", [{"id": "7", "question": "why?"}, {"id": "8", "question": "how?"}])
    points = tmp_path / "key_point"
    points.mkdir()
    (points / "7_aggregated.json").write_text(json.dumps({"key_points": [{"point_content": "Mills burn."}]}))
    (points / "8_aggregated.json").write_text("")
    (points / "9_aggregated.json").write_text("{}")
    tasks = load("research", questions, points)
    assert [task.gold.data["key_points"] for task in tasks] == [("Mills burn.",), ()]
    alone = write(tmp_path, "points.jsonl", [{"id": "7", "question": "why?", "key_points": ["Mills burn."]}])
    assert first("research", alone).gold.data["key_points"] == ("Mills burn.",)
    assert first("research", questions, alone).id == "test_2/7"


@pytest.mark.parametrize(
    ("kind", "record", "message"),
    [
        ("search", {"id": 0, "question": "x", "source": [], "doc_ids": []}, "its doc_ids are empty"),
        ("search", {"id": 0, "question": " ", "source": [], "doc_ids": [ID]}, "question is ' '; expected a text"),
        ("search", {"question": "x"}, "expected an object with an id of its own"),
        ("recommendation", {"id": 0, "user_history": [], "source": [], "doc_ids": [ID]}, "expected at least one visit"),
        (
            "recommendation",
            {"id": 0, "history_doc_ids": [ID], "history_timestamps": ["1", "2"]},
            "1 history_doc_ids and history_timestamps .'1', '2'.; expected one each",
        ),
        (
            "recommendation",
            {"id": 0, "history_doc_ids": [ID], "history_timestamps": 5},
            "history_timestamps 5; expected",
        ),
        ("search", {"id": 0, "question": "x", "source": [], "doc_ids": [ID, " "]}, "none of them blank"),
        ("qa", {"id": 0, "question": "x"}, "answer is None"),
        ("qa", {"id": 0, "question": "x", "answer": []}, r"answer is \[\]; expected at least one text"),
        ("qa", {"id": 0, "question": "x", "answer": "6", "seen_doc_ids": 5}, "seen_doc_ids is 5"),
        ("research", {"id": 0, "question": "x", "key_points": [3]}, "expected a list of texts"),
    ],
)
def test_broken_records(tmp_path: Path, kind: str, record: dict[str, Any], message: str) -> None:
    """A record that lacks a part is refused, with its place."""
    with pytest.raises(TaskFileError, match=message):
        load(kind, write(tmp_path, "test_1.json", [record]))


def test_broken_files(tmp_path: Path) -> None:
    """An id that comes twice, no such path and an empty folder are refused."""
    record = {"id": 0, "question": "x", "answer": "y"}
    with pytest.raises(TaskFileError, match="id 0; expected an object with an id of its own"):
        load("qa", write(tmp_path, "test_1.json", [record, record]))
    with pytest.raises(TaskFileError, match="no such file"):
        load("qa", tmp_path / "none.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(TaskFileError, match=r"holds no \.json"):
        load("qa", tmp_path / "empty")


def test_the_hundred_sites() -> None:
    """100 sites, 18,427,770 pages, a description each."""
    sites = official_sites()
    assert (len(sites), sum(site.documents for site in sites)) == (100, 18_427_770)
    assert all(site.description for site in sites)


def test_gold_pages_of_a_clueweb_corpus(tmp_path: Path) -> None:
    """A corpus of ClueWeb22's texts knows the gold page of a released query."""
    record = {"URL": "https://a.example/x", "ClueWeb22-ID": ID, "Clean-Text": "Drivers\nfor usb"}
    (tmp_path / "en.json").write_text(json.dumps(record))
    build(tmp_path / "corpus", [f"clueweb:{tmp_path / 'en.json'}"], workers=1)
    query = {"id": 0, "question": "usb", "source": ["a.example"], "doc_ids": [ID]}
    task = first("search", write(tmp_path, "test_1.json", [query]))
    with Corpus.open(tmp_path / "corpus") as corpus:
        (page,) = corpus.visit([VisitRequest(task.gold.urls[0])])
    assert isinstance(page, Page)
    assert page.url == "https://a.example/x"


def test_answers_by_id() -> None:
    """A ranking of bare ClueWeb22 ids, as the released prompts ask for, names the pages at those ids."""
    assert read_ranking((f'["{ID}", "https://a.example/x"]',)) == (
        f"https://clueweb22.example/{ID}",
        "https://a.example/x",
    )
