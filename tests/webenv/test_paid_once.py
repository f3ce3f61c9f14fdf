"""What a cassette saves: replies that were paid for, each recorded as it comes, though the process be killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Fault, Hang, Messages, OpenAIServer, Reply, Slow, Text, serve
from tests.webs import small_web
from webenv.cassette import Cassette
from webenv.errors import CassetteMiss, CostLimitReached
from webenv.models import ChatModel, CostTracker, ModelFailure, ModelReply, Prices, Request
from webenv.recorded import RecordedModel, RecordedWeb
from webenv.web import SearchRequest

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}

RECORD = """
import sys
from webenv.cassette import Cassette
from webenv.models import ChatModel
from webenv.models import Request
from webenv.recorded import RecordedModel

url, path, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
requests = [Request.of(f"question {number}") for number in range(count)]
with Cassette(path, "record") as tape, ChatModel("tiny", base_url=url, concurrency=40) as model:
    print(sum(hasattr(one, "text") for one in RecordedModel(tape, model).complete(requests)))
"""


def said(*texts: str) -> list[Request]:
    return [Request.of(text) for text in texts]


def model_at(server: OpenAIServer, **settings: Any) -> ChatModel:
    return ChatModel("tiny", **{"base_url": server.base_url, "retries": 0, "timeout": 5.0, "backoff": 0.01, **settings})


def recorded(path: Path) -> set[str]:
    """The questions whose answers are on a tape."""
    with Cassette(path) as tape:
        return {row.request["messages"][0]["content"] for row in tape.rows() if not row.failed}


def test_killed_in_the_middle_of_a_batch(tmp_path: Path) -> None:
    """After kill -9 in the middle of one batch, no call whose answer was recorded is paid for again."""
    path, count = tmp_path / "tape.db", 400

    def script(messages: Messages) -> Reply:
        return Slow(0.02, f"answer to {messages[0]['content']}")

    with serve(script) as server:
        command = [sys.executable, "-c", RECORD, server.base_url, str(path), str(count)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        until = time.monotonic() + 120
        while len(server.requests) < count // 3 and time.monotonic() < until:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        kept = recorded(path)
        before = [talk[0]["content"] for talk in server.conversations()]
        assert 0 < len(kept) < count
        assert kept <= set(before)
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        after = [talk[0]["content"] for talk in server.conversations()][len(before) :]
    assert done.stdout == f"{count}\n"
    assert kept.isdisjoint(after)
    assert max(Counter(after).values()) == 1
    assert kept | set(after) == {f"question {number}" for number in range(count)}


def test_recorded_as_it_comes(tmp_path: Path) -> None:
    """A reply is on the tape, to be read by another process, while others of its batch are still awaited."""
    path, begun = tmp_path / "tape.db", threading.Event()

    def script(messages: Messages) -> Reply:
        if messages[0]["content"] == "never":
            begun.set()
            return Hang()
        return "soon"

    with serve(script) as server, Cassette(path, "record") as tape, model_at(server, timeout=4.0) as model:
        asking = threading.Thread(target=RecordedModel(tape, model).complete, args=(said("never", "a", "b"),))
        asking.start()
        begun.wait(60)
        until = time.monotonic() + 3.6
        while recorded(path) != {"a", "b"} and time.monotonic() < until:
            time.sleep(0.01)
        assert recorded(path) == {"a", "b"}
        assert asking.is_alive()
        asking.join()
        assert recorded(path) == {"a", "b"}


def test_replies_are_flushed_to_the_disk(tmp_path: Path) -> None:
    """What a model replied is flushed to the disk by SQLite (synchronous = FULL, 2); what a web found is not (1)."""

    def level(tape: Cassette) -> int:
        return int(tape._file.read(lambda link: link.execute("PRAGMA synchronous").fetchone()[0]))

    with Cassette(tmp_path / "tape.db", "record") as tape:
        with serve(lambda _: "ok") as server, model_at(server) as model:
            RecordedModel(tape, model).complete(said("a"))
        assert level(tape) == 2
        RecordedWeb(tape, small_web()).search([SearchRequest("mill")])
        assert level(tape) == 1


def test_replay_makes_no_connection(tmp_path: Path) -> None:
    """With the server gone, a replay gives the same replies and failures, and asks nobody."""
    path, requests = tmp_path / "tape.db", said("a", "b", "fail", "a")
    requests[1:] = [requests[1]._replace(schema=SCHEMA), requests[2], requests[3]._replace(sample=1)]

    def script(messages: Messages) -> Reply:
        return Fault(400, "no") if messages[0]["content"] == "fail" else Text(f"{len(server.requests)}", usage=(5, 1))

    with serve(script) as server, Cassette(path, "record") as tape, model_at(server) as model:
        first = RecordedModel(tape, model).complete(requests)
    with Cassette(path) as tape:
        assert RecordedModel(tape).complete(requests) == first
    code = (
        "import socket, sys; from webenv.cassette import Cassette; from webenv.models import Request;"
        "from webenv.recorded import RecordedModel\n"
        "def refuse(*_): raise SystemExit('a connection')\n"
        "socket.socket.connect = socket.socket.connect_ex = refuse\n"
        "first, second, third, fourth = [Request.of(text) for text in ('a', 'b', 'fail', 'a')]\n"
        f"requests = [first, second._replace(schema={SCHEMA}), third, fourth._replace(sample=1)]\n"
        "print(RecordedModel(Cassette(sys.argv[1])).complete(requests))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{first}\n"


def test_the_schema_is_a_part_of_the_request(tmp_path: Path) -> None:
    """A reply under a schema is another one than without; without one, the request is what it always was."""
    path = tmp_path / "tape.db"
    with serve(lambda _: "ok") as server, Cassette(path, "record") as tape, model_at(server) as model:
        RecordedModel(tape, model).complete([Request.of("a"), *[Request.of("a")._replace(schema=SCHEMA)] * 2])
        assert len(server.requests) == 2
    with Cassette(path) as tape:
        requests = sorted((row.request for row in tape.rows()), key=len)
        talk = [{"content": "a", "role": "user"}]
        plain = {"max_tokens": "4096", "messages": talk, "model": "tiny"}
        assert requests == [plain, {**plain, "schema": SCHEMA}]
        with pytest.raises(CassetteMiss):
            RecordedModel(tape).complete([Request.of("a")._replace(schema={"type": "object"})])


def test_extra_fields_are_a_part_of_the_request(tmp_path: Path) -> None:
    """Extra fields reach the endpoint through a tape, and tell requests apart on it."""
    path, extras = tmp_path / "tape.db", ({"blocked": ["a.example"]}, {"blocked": []}, None)
    requests = [Request.of("a")._replace(extra=extra) for extra in extras]
    with serve(lambda _: "ok") as server, Cassette(path, "record") as tape, model_at(server) as model:
        RecordedModel(tape, model).complete(requests)
        assert sorted(str(request.get("blocked")) for request in server.requests) == ["None", "['a.example']", "[]"]
    with Cassette(path) as tape:
        assert sorted(len(row.request) for row in tape.rows()) == [3, 4, 4]
        assert RecordedModel(tape).complete(requests[:1]) == [ModelReply("ok", "stop", 7, 3)]


def test_the_limit_keeps_what_came(tmp_path: Path) -> None:
    """When the cost limit ends a batch, what was paid for is on the tape, and is not paid for again."""
    path, prices = tmp_path / "tape.db", Prices({"tiny": {"input": 1, "output": 1}})
    with serve(lambda _: Text("ok", usage=(8, 2))) as server, Cassette(path, "record") as tape:
        limited = CostTracker(prices, "0.00005")
        with model_at(server, concurrency=2, costs=limited) as model, pytest.raises(CostLimitReached):
            RecordedModel(tape, model).complete(said(*"abcdefghijkl"))
        paid = len(server.requests)
        assert len(recorded(path)) == paid < 8
        costs = CostTracker(prices, "1")
        with model_at(server, costs=costs) as model:
            assert len(RecordedModel(tape, model).complete(said(*"abcdefghijkl"))) == 12
        assert len(server.requests) == 12
        assert costs.spent == Decimal("0.00001") * (12 - paid)


def test_failures_do_not_hide_what_came_before(tmp_path: Path) -> None:
    """A model that fails as a whole leaves what came before on the tape, and the rest as failures."""

    class Broken:
        identity: Mapping[str, str] = {"name": "broken", "model": "broken"}

        def complete(self, requests: Any) -> Any:
            raise AssertionError("arrivals are taken where there are some")

        def arrivals(self, requests: Any) -> Any:
            yield [(1, ModelReply("one"))]
            raise OSError("the line is dead")

    path = tmp_path / "tape.db"
    with Cassette(path, "record") as tape:
        came = RecordedModel(tape, Broken()).complete(said("a", "b", "c"))
    assert came == [ModelFailure("the line is dead"), ModelReply("one"), ModelFailure("the line is dead")]
    assert recorded(path) == {"b"}
