"""Tasks and sets of them."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from webenv.errors import InvalidArgument, TaskFileError, UnknownTask
from webenv.task import Excluded, Gold, Task, TaskSet
from webenv.web import Scope

EASY = Task("w/1", "Which?", ("one",), Gold(urls=("https://a.example/",)), {"difficulty": "easy", "site": "w"})
HARD = Task("w/2", "Where?", (), Gold(answers=("here",)), {"difficulty": "hard", "site": "w"})
OTHER = Task("v/1", "When?", (), Gold(), {"difficulty": "easy", "site": "v"})
TASKS = TaskSet(
    [EASY, HARD, OTHER],
    [Excluded(Task("w/3", "q", tags={"site": "w", "difficulty": "hard"}), "41 criteria for 3 claims")],
    name="three",
)


def refusal(call: Callable[[], Any], kind: type[Exception] = InvalidArgument) -> str:
    with pytest.raises(kind) as error:
        call()
    return str(error.value)


def test_a_set_is_a_sequence() -> None:
    """A task set has a length, an order and slices."""
    assert len(TASKS) == 3
    assert [task.id for task in TASKS] == ["w/1", "w/2", "v/1"]
    assert TASKS[-1] is OTHER
    assert TASKS[:2] == (EASY, HARD)


def test_find() -> None:
    """A task is found by its id."""
    assert TASKS.find("w/2") is HARD


@pytest.mark.parametrize(
    ("task_id", "message"),
    [
        ("w/22", "three has no task 'w/22'. Did you mean 'w/2'?"),
        ("zzz", "three has no task 'zzz'. Expected one of: v/1, w/1, w/2."),
        ("w/3", "three: task 'w/3' was left out: 41 criteria for 3 claims."),
        (7, "three has no task 7. Expected one of: v/1, w/1, w/2."),
        (["w/1"], "three has no task ['w/1']. Did you mean 'w/1'?"),
    ],
)
def test_find_refuses(task_id: Any, message: str) -> None:
    """An unknown id is answered by the nearest one, or by why the task was left out."""
    assert refusal(lambda: TASKS.find(task_id), UnknownTask) == message


def test_filter() -> None:
    """Filters narrow by tags; None lets all pass, several values are each let pass."""
    assert [task.id for task in TASKS.filter(difficulty="easy")] == ["w/1", "v/1"]
    assert [task.id for task in TASKS.filter(difficulty=("easy", "hard"), site="w")] == ["w/1", "w/2"]
    assert [task.id for task in TASKS.filter(difficulty=None)] == ["w/1", "w/2", "v/1"]


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({"difficulty": "esay"}, "three: no task has difficulty='esay'. Did you mean 'easy'?"),
        ({"difficulty": 3}, "three: no task has difficulty=3. Expected one of: easy, hard."),
        ({"difficulty": ["easy", 3]}, "three: no task has difficulty=3. Expected one of: easy, hard."),
        ({"split": "train"}, "three: no task has split='train'. No task of it has the tag 'split'."),
    ],
)
def test_filter_refuses(tags: dict[str, Any], message: str) -> None:
    """A tag or value that no task has is refused."""
    assert refusal(lambda: TASKS.filter(**tags)) == message


def test_filter_to_nothing() -> None:
    """Values that no task has together are refused by name; from an empty set nothing is drawn."""
    named = refusal(lambda: TASKS.filter(difficulty="hard", site="v"))
    assert named == "three: no task has difficulty='hard', site='v' together; leave one of them out."
    assert refusal(lambda: TaskSet([]).draw(np.random.default_rng(0))) == "tasks holds no task to draw."


def test_draw_is_uniform() -> None:
    """Over 3,000 draws each of three tasks comes up between 900 and 1,100 times."""
    rng = np.random.default_rng(1)
    drawn = [TASKS.draw(rng).id for _ in range(3_000)]
    assert all(900 < drawn.count(task.id) < 1_100 for task in TASKS)


def test_ids_differ() -> None:
    """Two tasks of one id are refused by name."""
    message = refusal(lambda: TaskSet([EASY, HARD, replace(OTHER, id="w/1")], name="three"), TaskFileError)
    assert message == "three: two tasks have the id 'w/1'; ids must differ."


@pytest.mark.parametrize(
    ("task_id", "question", "message"),
    [
        ("", "Which?", "a task's id is a text that is not empty, got ''."),
        (7, "Which?", "a task's id is a text that is not empty, got 7."),
        ("x", " \n", "task 'x': its question is empty; expected a text."),
        ("x", None, "task 'x': its question is empty; expected a text."),
    ],
)
def test_a_task_has_id_and_question(task_id: Any, question: Any, message: str) -> None:
    """A task without an id or a question is refused."""
    assert refusal(lambda: Task(task_id, question)) == message


def test_digest_is_pinned() -> None:
    """The digest is the same on every machine and in every process."""
    assert TASKS.digest == "640ddd94a3dbe4115ec01a463407001f51f084ee2e9b289eab5a3d2d0ebd41ad"


def test_digest_sees_the_order() -> None:
    """Tasks are drawn by number, so the same tasks in another order are another set; the name is none of it."""
    assert TaskSet([OTHER, EASY, HARD]).digest != TASKS.digest
    assert TaskSet([EASY, HARD, OTHER], name="other").digest == TASKS.digest


def test_filter_leaves_out_excluded_records_too() -> None:
    """Of the records that were left out, those remain that have the tags."""
    assert [one.task.id for one in TASKS.filter(difficulty="hard").excluded] == ["w/3"]
    assert TASKS.filter(difficulty="easy").excluded == ()


@pytest.mark.parametrize(
    "changed",
    [
        replace(EASY, id="w/9"),
        replace(EASY, question="Which one?"),
        replace(EASY, criteria=("two",)),
        replace(EASY, gold=Gold(urls=("https://b.example/",))),
        replace(EASY, gold=Gold(urls=EASY.gold.urls, answers=("a",))),
        replace(EASY, gold=Gold(urls=EASY.gold.urls, claims=("a",))),
        replace(EASY, tags={"difficulty": "hard", "site": "w"}),
        replace(EASY, scope=Scope(as_of="2020-01-01")),
        replace(EASY, scope=Scope(blocked=("a.example",))),
    ],
)
def test_digest_sees_every_field(changed: Task) -> None:
    """A change of any field of a task changes the digest."""
    assert TaskSet([changed, HARD, OTHER]).digest != TASKS.digest


def test_gold_is_not_printed() -> None:
    """A task's text form does not hold its gold."""
    assert "a.example" not in repr(EASY)
    assert "'here'" not in repr(TASKS[:])


# ── gold data ─────────────────────────────────────────────────────────────────

POINTS = {"key_points": ["Mills burn.", "Wheels turn."], "table": {"tolerance": 0.05, "strict": True, "note": None}}


def test_gold_data_is_a_copy_that_cannot_be_changed() -> None:
    """What is given as data is copied to the bottom: neither the original nor the gold can change it."""
    given = {"key_points": ["Mills burn."], "table": {"rows": 2}}
    gold = Gold(data=given)
    given["key_points"].append("x")  # type: ignore[attr-defined]
    assert gold.to_dict()["data"] == {"key_points": ["Mills burn."], "table": {"rows": 2}}
    for part in (gold.data, gold.data["table"]):
        with pytest.raises(TypeError, match="does not support item assignment"):
            part["rows"] = 3  # type: ignore[index,call-overload]


@pytest.mark.parametrize("copied", [lambda gold: pickle.loads(pickle.dumps(gold)), copy.deepcopy])
def test_gold_data_travels(copied: Callable[[Gold], Gold]) -> None:
    """A gold with data is pickled and copied as one without."""
    gold = Gold(("https://a.example/",), data=POINTS)
    assert copied(gold) == gold
    assert copied(gold).to_dict()["data"] == POINTS


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"points": [1, math.nan]}, r"Gold\(data\['points'\]\[1\]=nan\): expected JSON"),
        ({"rows": {1: "x"}}, r"Gold\(data\['rows'\]=\{1: 'x'\}\): expected JSON"),
        (["x"], r"Gold\(data=\['x'\]\): expected a mapping"),
    ],
)
def test_gold_data_is_json(data: Any, message: str) -> None:
    """What is no JSON is refused, with its place."""
    with pytest.raises(InvalidArgument, match=message):
        Gold(data=data)


def test_digest_sees_gold_data_but_not_the_order_of_its_names() -> None:
    """Gold data belongs to the digest, whatever the order of its names; without data a digest is what it was."""
    with_data = [
        TaskSet([replace(EASY, gold=Gold(data=data))]).digest for data in (POINTS, dict(reversed(POINTS.items())))
    ]
    assert with_data[0] == with_data[1] != TaskSet([replace(EASY, gold=Gold())]).digest
    assert "data" not in Gold(("https://a.example/",)).to_dict()


def test_positions() -> None:
    """A task's position is its place among the ids; an unknown id has none."""
    assert [TASKS.position(task) for task in TASKS.ids()] == list(range(len(TASKS)))
    with pytest.raises(UnknownTask):
        TASKS.position("nowhere")
