"""Question files of LiveNewsBench: the official forms, splits, and what is wrong with a record."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import webenv
from tests.webs import DictWeb
from webenv.envs.building.live_news_bench.release import NewsRecord, to_lines
from webenv.envs.live_news_bench import load_tasks
from webenv.envs.live_news_bench.tasks import ARCHIVES
from webenv.errors import TaskFileError, UnknownTask
from webenv.observations import Page

GOOD = {"question": "Who won?", "answer": "Ada Quill", "link": "https://www.paper.example/news/1"}


def write(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_record(tmp_path: Path) -> None:
    """A record becomes a task that blocks its source's site and the archives."""
    record = {**GOOD, "event_date": "2025-08-03", "id": 7, "stability": "unlikely", "category": "Sports"}
    task = load_tasks(write(tmp_path / "test.jsonl", record))[0]
    assert task.id == "test/7"
    assert task.question == "Answer this question about the news with a short phrase:\nWho won?"
    assert task.gold.answers == ("Ada Quill",)
    assert task.scope.blocked == ("paper.example", *ARCHIVES)
    assert task.tags == {
        "split": "test",
        "stability": "unlikely",
        "category": "Sports",
        "month": "2025-08",
        "source": "paper.example",
    }


def test_the_nested_form(tmp_path: Path) -> None:
    """The quick start's file nests the fields and names a domain in place of an address."""
    nested = {
        "input_metadata": {
            "dataset_info": {"second_level_domain": "paper.example", "question": "Who won?", "answer": "Ada"},
            "row_id": "row_3",
        }
    }
    task = load_tasks(write(tmp_path / "human_verified_test_transformed.jsonl", nested))[0]
    assert (task.id, task.gold.answers) == ("human_verified_test_transformed/row_3", ("Ada",))
    assert task.scope.blocked[0] == "paper.example"
    assert task.tags == {"source": "paper.example"}


def test_separators_within_a_text(tmp_path: Path) -> None:
    """What is built is what is loaded, whatever stands in its texts: only a line feed ends a line."""
    others = {"category": "", "stability": "", "event": {}, "explanation": "", "event_date": "2025-08-03"}
    record = NewsRecord.of(GOOD["link"], "Who won?", answer="Ada", article={"title": "a\u2028b\x85c\x0bd"}, **others)
    (tmp_path / "test.jsonl").write_text(to_lines([record._asdict()]), encoding="utf-8")
    assert [task.gold.answers for task in load_tasks(tmp_path)] == [("Ada",)]


def test_answers_and_sources(tmp_path: Path) -> None:
    """There may be several answers, each as good, and several sources; numbers are texts."""
    record = {"question": "How many?", "answers": [14, "fourteen", " 14 "], "url": ["https://a.example/x", "b.example"]}
    task = load_tasks(write(tmp_path / "q.jsonl", record))[0]
    assert task.gold.answers == ("14", "fourteen")
    assert task.scope.blocked[:2] == ("a.example", "b.example")


@pytest.mark.parametrize(
    ("fields", "sites"),
    [
        ({"link": "https://edition.cnn.com/x"}, ("cnn.com",)),
        ({"link": "https://m.dw.com/a", "second_level_domain": "bbc.co.uk"}, ("dw.com", "bbc.co.uk")),
        ({"link": "https://amp.theguardian.com/x", "source": "The Guardian"}, ("theguardian.com",)),
        ({"link": "https://web.archive.org/web/2025/https://www.bbc.com/news"}, ("bbc.com",)),
        ({"link": "https://web.archive.org/web/2025/news.bbc.co.uk/1"}, ("bbc.co.uk",)),
        ({"link": "https://www-bbc-co-uk.translate.goog/news"}, ("bbc.co.uk",)),
        ({"link": "https://12ft.io/proxy?q=https%3A%2F%2Fwww.nytimes.com%2Fx"}, ("nytimes.com",)),
        ({"link": "https://webcache.googleusercontent.com/search?q=cache:apnews.com/x"}, ("apnews.com",)),
    ],
)
def test_the_whole_site(tmp_path: Path, fields: dict[str, str], sites: tuple[str, ...]) -> None:
    """What is blocked is the registered domain of every source, whichever host of it, or archive, is named."""
    (task,) = load_tasks(write(tmp_path / "q.jsonl", {"question": "Who?", "answer": "Ada", **fields}))
    assert task.scope.blocked == (*sites, *ARCHIVES)
    assert task.tags["source"] == sites[0]


def test_no_network_for_suffixes() -> None:
    """Which domains can be registered is read from the disk."""
    program = (
        "import socket\n"
        "def refuse(*_): raise OSError\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from webenv.envs.live_news_bench.tasks import blocked_by\n"
        "print(blocked_by(['https://a.b.abc.net.au/x'])[0])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "abc.net.au\n"


def test_splits_by_date(tmp_path: Path) -> None:
    """Without splits, the newest two months of all files are test, the third validation, older ones training."""
    days = ["2025-08-31", "2025-07-01", "2025-06-30", "2025-05-31", "2024-12-01"]
    first = write(tmp_path / "a.jsonl", *({**GOOD, "event_date": day} for day in days[:2]))
    second = write(tmp_path / "b.jsonl", *({**GOOD, "event_date": day} for day in days[2:]))
    tasks = load_tasks(first, second)
    assert [task.tags["split"] for task in tasks] == ["test", "test", "validation", "train", "train"]
    assert [task.tags["split"] for task in load_tasks(second)] == ["test", "test", "train"]
    own = write(tmp_path / "c.jsonl", {**GOOD, "event_date": days[0], "split": "train"})
    assert load_tasks(own)[0].tags["split"] == "train"


def test_longitudinal(tmp_path: Path) -> None:
    """A record may name the day as of which it is asked."""
    task = load_tasks(write(tmp_path / "longitudinal_test.jsonl", {**GOOD, "as_of": "2025-03-01"}))[0]
    assert task.scope.as_of == "2025-03-01"


def test_folders(tmp_path: Path) -> None:
    """Of a folder the three splits are taken, or else the other official files, or whatever is JSON lines."""
    write(tmp_path / "human_verified_test.jsonl", {**GOOD, "id": "v"})
    write(tmp_path / "rejected.jsonl", {"reason": "no question"})
    (tmp_path / "release.json").write_text("{}")
    assert [task.id for task in load_tasks(tmp_path)] == ["human_verified_test/v"]
    for name in ("train", "val", "test"):
        write(tmp_path / f"{name}.jsonl", {**GOOD, "id": "x"})
    assert [(task.id, task.tags["split"]) for task in load_tasks(tmp_path)] == [
        ("train/x", "train"),
        ("val/x", "validation"),
        ("test/x", "test"),
    ]
    other = tmp_path / "other"
    other.mkdir()
    write(other / "mine.jsonl", GOOD)
    assert [task.id for task in load_tasks(other)] == ["mine/1"]


def test_a_list(tmp_path: Path) -> None:
    """A file may be one JSON list."""
    file = tmp_path / "q.json"
    file.write_text(json.dumps([GOOD, {**GOOD, "question": "Who lost?"}]))
    assert [task.id for task in load_tasks(file)] == ["q/1", "q/2"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"question": "Who?", "url": "https://a.example/x"}, "no gold answer"),
        ({**GOOD, "answer": ""}, "no gold answer"),
        ({**GOOD, "answer": "   "}, "no gold answer"),
        ({"question": "Who?", "answer": "Ada"}, "no source whose site can be blocked"),
        (
            {"question": "Who?", "answer": "Ada", "source": "Reuters", "second_level_domain": "cnn"},
            "no source whose site can be blocked",
        ),
        ({**GOOD, "link": "https://archive.ph/x1y2z"}, "no source whose site can be blocked"),
        ({**GOOD, "link": "not a host at all"}, "no source whose site can be blocked"),
    ],
)
def test_records_left_out(tmp_path: Path, record: dict[str, Any], reason: str) -> None:
    """Records without gold or without a source are left out, with the reason."""
    tasks = load_tasks(write(tmp_path / "q.jsonl", GOOD, record))
    assert (len(tasks), [one.reason for one in tasks.excluded]) == (1, [reason])
    with pytest.raises(UnknownTask, match=f"was left out: {reason}"):
        tasks.find("q/2")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2 is no JSON"),
        ("[" * 100_000, "line 2 is no JSON"),
        ("3", "line 2: a JSON int; expected an object with question and answer"),
        ('{"answer": "a"}', "line 2: question is None; expected a text"),
        ('{"question": " ?! "}', r"line 2: question is ' \?! '; expected a text"),
        (json.dumps({**GOOD, "question": "w" * 5_000}), "expected a text of at most 4,000 characters"),
        (json.dumps({**GOOD, "answer": {"text": "a"}}), "line 2: answer holds"),
        (json.dumps({**GOOD, "event_date": "last May"}), "line 2: event_date is 'last May'; expected an ISO date"),
        (json.dumps({**GOOD, "split": "dev"}), "line 2: split is 'dev'; expected one of train, validation, test"),
        (json.dumps({**GOOD, "id": [1]}), r"line 2: id is \[1\]; expected a text"),
        ('{"input_metadata": 3}', "line 2: input_metadata or dataset_info is no object"),
        (json.dumps({**GOOD, "id": 1}), "line 2: the id 'q/1' is that of .* line 1 too; ids must differ"),
    ],
)
def test_malformed_records(tmp_path: Path, line: str, message: str) -> None:
    """What cannot be read is named by its line, in one line."""
    file = tmp_path / "q.jsonl"
    file.write_text(json.dumps(GOOD) + "\n" + line + "\n")
    with pytest.raises(TaskFileError, match=message) as caught:
        load_tasks(file)
    assert "\n" not in str(caught.value)


def test_no_files(tmp_path: Path) -> None:
    """A path without question files is refused."""
    with pytest.raises(TaskFileError, match="no such file or folder"):
        load_tasks(tmp_path / "none")
    with pytest.raises(TaskFileError, match=r"holds no \.jsonl file"):
        load_tasks(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(TaskFileError, match="is not UTF-8"):
        load_tasks(tmp_path / "latin.jsonl")


def test_an_environment_of_files(tmp_path: Path) -> None:
    """Files, and one split of them, are played on any web."""
    file = write(tmp_path / "test.jsonl", GOOD, {**GOOD, "question": "Who lost?", "split": "train"})
    web = DictWeb([Page("https://a.example/x", "News", "Ada Quill won.", "2025-08-01", "k")])
    env: Any = gym.make("LiveNewsBench-v0", web=web, tasks=str(file), split="test")
    assert isinstance(env.unwrapped, webenv.SearchEnv)
    assert [task.id for task in env.unwrapped.benchmark.tasks] == ["test/1"]
    env.reset()
    assert env.step(webenv.answer("ada quill"))[1] == 1.0
