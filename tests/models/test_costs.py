"""What models used, what it cost, and where that ends; over HTTP where models are asked."""

from __future__ import annotations

import json
import threading
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import Body, Cut, Fault, Hang, OpenAIServer, Reply, Slow, Text, serve
from webenv.errors import CostLimitReached, DataError, InvalidArgument, ServiceError
from webenv.models import ChatModel, CostTracker, ModelReply, Prices, Request, Usage, make_model, models_counted_by

TABLE = {"tiny": {"input": "2", "output": "8", "cached_input": "0.5"}}


def said(*texts: str) -> list[Request]:
    return [Request.of(text) for text in texts]


def model_at(server: OpenAIServer, costs: CostTracker, **settings: Any) -> ChatModel:
    usual: dict[str, Any] = {"base_url": server.base_url, "retries": 0, "timeout": 5.0, "backoff": 0.01}
    return ChatModel("tiny", costs=costs, **{**usual, **settings})


def tracker(limit: str | None = None) -> CostTracker:
    return CostTracker(Prices(TABLE), limit)


# ── prices ────────────────────────────────────────────────────────────────────


def test_price_table(tmp_path: Path) -> None:
    """A table of numbers is read to the last digit; cached input costs what input costs where it is not given."""
    path = tmp_path / "prices.json"
    path.write_text('{"a": {"input": 0.15, "output": 0.6, "cached_input": 0.075}, "b/c": {"input": 1, "output": 3e0}}')
    table = Prices.read(path)
    assert table.price("a") == (Decimal("0.15"), Decimal("0.6"), Decimal("0.075"))
    assert table.price("b/c") == (Decimal(1), Decimal(3), Decimal(1))


def test_exact_cost() -> None:
    """The cost of tokens has all its digits."""
    price = Prices({"m": {"input": "0.15", "output": "0.6", "cached_input": "0.075"}}).price("m")
    assert price.of(1_234_567, 234_567, 89) == Decimal("0.167645925")
    assert price.of(0, 0, 0) == 0


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("", "is no JSON"),
        ("[]", "expected {"),
        ("{}", "expected {"),
        ('{"a": 3}', "'a' is '3'; expected {"),
        ('{"a": {"input": 1}}', "'a' lacks 'output', US dollars for a million tokens"),
        ('{"a": {"input": 1, "ouput": 1}}', "'a' has a price 'ouput'. Did you mean 'output'?"),
        ('{"a": {"input": -1, "output": 1}}', "input of 'a' is '-1'; expected US dollars"),
        ('{"a": {"input": NaN, "output": 1}}', "input of 'a' is 'NaN'; expected US dollars"),
        ('{"a": {"input": true, "output": 1}}', "input of 'a' is True; expected US dollars"),
        ('{"a": {"input": "free", "output": 1}}', "input of 'a' is 'free'; expected US dollars"),
        ('{"a": {"input": 1e999, "output": 1}}', "input of 'a' is '1e999'; expected US dollars"),
        ('{"a": {"input": 1, "output": 1}, "a": {"input": 2, "output": 2}}', "'a' stands in it twice"),
    ],
)
def test_wrong_price_tables(table: str, message: str, tmp_path: Path) -> None:
    """A file that is no price table is refused with what is wrong in it, and its name."""
    path = tmp_path / "prices.json"
    path.write_text(table)
    with pytest.raises(DataError) as raised:
        Prices.read(path)
    assert message in str(raised.value)
    assert "prices.json" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_price_tables_that_cannot_be_read(tmp_path: Path) -> None:
    """A file that is not there, or not UTF-8, is refused by its name."""
    with pytest.raises(DataError, match=r"none.json' cannot be read: No such file"):
        Prices.read(tmp_path / "none.json")
    (tmp_path / "bytes.json").write_bytes(b"\xff{}")
    with pytest.raises(DataError, match=r"bytes.json' is not UTF-8 \(byte 0\)"):
        Prices.read(tmp_path / "bytes.json")


def test_model_without_a_price() -> None:
    """A model that the table lacks is refused when it is made, not when it has been paid for."""
    with pytest.raises(InvalidArgument, match=r"no price for model 'tinny'. Did you mean 'tiny'\?"):
        ChatModel("tinny", base_url="http://a.example", costs=tracker())
    with models_counted_by(tracker()), pytest.raises(InvalidArgument, match="no price for model 'gpt-9'"):
        make_model("gpt-9", base_url="http://a.example")


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "much", "1e99", True])
def test_wrong_limits(limit: Any) -> None:
    """A limit is an amount above 0, and needs prices."""
    with pytest.raises(InvalidArgument, match="expected US dollars, more than 0"):
        CostTracker(Prices(TABLE), limit)
    with pytest.raises(InvalidArgument, match="a cost limit of 5 needs prices"):
        CostTracker(limit=5)


# ── what is counted ───────────────────────────────────────────────────────────


def test_tokens_and_cost() -> None:
    """Tokens are counted as the endpoint counts them, and cost what the table says, to the last digit."""
    costs = tracker()
    with serve(lambda _: Text("ok", usage=(1_001, 7), cached=1_000)) as server, model_at(server, costs) as model:
        assert model.complete(said("a"))[0] == ModelReply("ok", "stop", 1_001, 7, 1_000)
        model.complete(said("b", "c"))
    assert costs.usage == {"tiny": Usage(3, 0, 3_003, 3_000, 21, 0, Decimal("0.001674"))}
    assert costs.spent == Decimal("0.001674")


@pytest.mark.parametrize(
    ("scripted", "unknown", "cost"),
    [
        (Text("ok", usage=(10, 1)), 0, "0.000028"),
        (Text("cut short", "length", usage=(10, 1)), 0, "0.000028"),
        (Text(None, usage=(10, 1)), 0, "0.000028"),
        (Text("ok", usage=(10, 1), cached=99), 0, "0.000013"),
        (Text("ok", usage=None), 1, "0"),
        (Text("ok", usage=(-1, 1)), 1, "0"),
        (Text("ok", usage=(10**12 + 1, 1)), 1, "0"),
        (Text("ok", usage=(1, 10**210)), 1, "0"),
        (Text("ok", usage=(10, 1), cached=10**190), 0, "0.000028"),
        (Body(b'{"choices": [{"mess'), 1, "0"),
        (Body(b'{"usage": {"prompt_tokens": 10, "completion_tokens": 1}}'), 0, "0.000028"),
        (Body(b'{"usage": {"prompt_tokens": "10", "completion_tokens": 1}}'), 1, "0"),
        (Cut(), 1, "0"),
        (Cut(within_body=True), 1, "0"),
        (Hang(), 1, "0"),
        (Hang(drip=True), 1, "0"),
        (Fault(429), 0, "0"),
        (Fault(500), 0, "0"),
        (Fault(401), 0, "0"),
    ],
)
def test_what_is_known(scripted: Reply, unknown: int, cost: str) -> None:
    """What was counted is known, an error costs nothing, and what was cut or came too late is of unknown cost."""
    costs = tracker()
    with serve(lambda _: scripted) as server, model_at(server, costs, timeout=1.0) as model:
        model.complete(said("hi"))
    used = costs.usage["tiny"]
    assert (used.requests, used.retries, used.unknown, used.cost) == (1, 0, unknown, Decimal(cost))


def test_nobody_listens_costs_nothing() -> None:
    """An attempt that reached nobody is no attempt of unknown cost."""
    costs = CostTracker()
    with ChatModel("tiny", base_url="http://127.0.0.1:1/v1", retries=2, backoff=0, costs=costs) as model:
        model.complete(said("hi"))
    assert costs.usage == {"tiny": Usage(requests=3, retries=2)}


def test_retries_are_counted() -> None:
    """Attempts that failed before a reply came count as requests, and as retries but the first."""
    script: list[Reply] = [Fault(500), Cut(), Body(b"{"), Text("ok", usage=(10, 1))]
    costs = tracker()
    with serve(lambda _: script.pop(0)) as server, model_at(server, costs, retries=3) as model:
        model.complete(said("hi"))
    used = costs.usage["tiny"]
    assert (used.requests, used.retries, used.unknown, used.cost) == (4, 3, 2, Decimal("0.000028"))


def test_in_flight_is_unknown() -> None:
    """An attempt that has been sent and not answered counts as of unknown cost."""
    costs, begun, go_on = tracker(), threading.Event(), threading.Event()

    def script(_: object) -> Reply:
        begun.set()
        go_on.wait(5)
        return Text("ok", usage=(10, 1))

    with serve(script) as server, model_at(server, costs) as model:
        asking = threading.Thread(target=model.complete, args=(said("hi"),))
        asking.start()
        begun.wait(5)
        during = costs.usage["tiny"]
        go_on.set()
        asking.join()
    assert (during.unknown, during.cost) == (1, 0)
    assert costs.usage["tiny"].unknown == 0


def test_tokens_without_prices() -> None:
    """Without prices tokens are counted, and there is no cost."""
    costs = CostTracker()
    with serve(lambda _: Text("ok", usage=(10, 1))) as server, model_at(server, costs) as model:
        model.complete(said("hi"))
    assert costs.usage == {"tiny": Usage(1, 0, 10, 0, 1, 0, None)}


def test_models_share_a_tracker() -> None:
    """Models that are made from names within a run are counted together, each under its name."""
    table = {"a": {"input": 1, "output": 1}, "b": {"input": 10, "output": 10}}
    costs = CostTracker(Prices(table))
    with serve(lambda _: Text("ok", usage=(6, 4))) as server:
        with models_counted_by(costs):
            models = [make_model(name, base_url=server.base_url) for name in ("b", "a")]
        for model in models:
            model.complete(said("hi", "ho"))
            model.close()  # type: ignore[attr-defined]
    assert list(costs.usage.items()) == [
        ("a", Usage(2, 0, 12, 0, 8, 0, Decimal("0.00002"))),
        ("b", Usage(2, 0, 12, 0, 8, 0, Decimal("0.0002"))),
    ]


# ── the limit ─────────────────────────────────────────────────────────────────


def test_nothing_is_sent_beyond_the_limit() -> None:
    """Once the limit is reached no further request reaches the endpoint, in this batch and in later ones."""
    costs = tracker("0.0001")  # a reply costs 0.000028
    with serve(lambda _: Text("ok", usage=(10, 1))) as server, model_at(server, costs, concurrency=1) as model:
        for _ in range(2):
            with pytest.raises(CostLimitReached, match=r"limit of \$0.0001 is reached: \$0.0001 spent"):
                model.complete(said(*"abcdefgh"))
        assert len(server.requests) == 4
    assert costs.spent == Decimal("0.000112")


@pytest.mark.parametrize(
    ("scripted", "most", "estimate"),
    [
        (Text("ok" * 600, usage=None), 2, "0.002"),  # a body of over 1,200 bytes: over 400 tokens written
        (Text("ok", usage=(10**13, 1)), 20, "0.0005"),
        (Hang(), 1, "0.008"),  # 1,000 tokens may have been written
        (Cut(within_body=True), 1, "0.008"),
        (Body(b"{"), 1, "0.008"),
    ],
)
def test_the_limit_holds_where_nothing_is_counted(scripted: Reply, most: int, estimate: str) -> None:
    """Attempts of unknown cost count towards the limit by an estimate, and are in no sum."""
    costs = tracker("0.005")
    with serve(lambda _: scripted) as server, model_at(server, costs, timeout=1.0, max_tokens=1_000) as model:
        with pytest.raises(CostLimitReached, match=r"\$0.00 spent, and \d+ attempts? of unknown cost, by an estimate"):
            model.complete(said(*["hi"] * 30))
        assert len(server.requests) <= most
    used = costs.usage["tiny"]
    assert (costs.spent, used.unknown) == (0, len(server.requests))
    assert used.estimate >= max(Decimal("0.005"), Decimal(estimate))
    assert Usage.of(used.to_dict()) == used


def test_estimates_are_carried_over() -> None:
    """What attempts of unknown cost may have cost before counts towards the limit of the run that goes on."""
    costs = tracker("1")
    costs.add_previous({"tiny": Usage(unknown=3, cost=Decimal("0.6"), estimate=Decimal("0.4"))})
    with serve(lambda _: "ok") as server, model_at(server, costs) as model, pytest.raises(CostLimitReached):
        model.complete(said("hi"))
    assert (server.requests, costs.spent, costs.charged) == ([], Decimal("0.6"), 1)


def test_what_is_in_flight_is_reserved() -> None:
    """Near the limit as many are in flight as fit it by their estimates: it is passed by one reply at most."""
    costs = tracker("0.05")  # a reply costs up to 0.008: six of them fit, one more begins
    with serve(lambda _: Slow(0.02, "ok", (10, 1_000))) as server:
        model = model_at(server, costs, concurrency=40, max_tokens=1_000)
        with model, pytest.raises(CostLimitReached):
            model.complete(said(*map(str, range(100))))
        assert 1 < server.most_at_once <= 6
        assert len(server.requests) == 7
    assert costs.charged == costs.spent == 7 * Decimal("0.00802")


def test_in_flight_is_awaited_and_kept() -> None:
    """What is in flight when the limit is reached is awaited and handed over before the error comes."""
    costs, came = tracker("0.2"), dict[int, object]()  # an update that raises keeps what came before

    def script(messages: list[dict[str, str]]) -> Reply:
        return Slow(0.3, "late") if messages[0]["content"] == "0" else Text("ok", usage=(10, 10_000))

    with serve(script) as server, model_at(server, costs, concurrency=4) as model:
        coming = model.arrivals(said(*map(str, range(100))))
        with pytest.raises(CostLimitReached):
            came.update(chain.from_iterable(coming))
        assert len(came) == len(server.requests) < 20
        assert came[0] == ModelReply("late", "stop", 7, 3)
    assert costs.usage["tiny"].unknown == 0


def test_a_wait_does_not_outlast_the_limit() -> None:
    """Whoever waits for another attempt is not waited for once nothing more may be sent."""

    def script(messages: list[dict[str, str]]) -> Reply:
        if messages[0]["content"] == "wait":
            return Fault(503, retry_after="60")
        return Slow(0.2, "ok")

    costs = tracker("0.00001")
    with serve(script) as server, model_at(server, costs, retries=3) as model:
        with pytest.raises(CostLimitReached):
            model.complete(said("wait", "pay"))
        assert len(server.requests) == 2


def test_the_limit_is_no_failure_of_a_service() -> None:
    """Nothing that takes failures of services for unscored episodes can swallow the limit."""
    assert not issubclass(CostLimitReached, ServiceError | OSError)


def test_carried_over() -> None:
    """What was spent before counts towards the limit, and not as used now."""
    costs = tracker("1")
    costs.add_previous({"tiny": Usage(cost=Decimal("0.6")), "old": Usage(cost=Decimal("0.4")), "free": Usage()})
    assert costs.spent == 1
    assert costs.usage == {}
    with serve(lambda _: "ok") as server, model_at(server, costs) as model, pytest.raises(CostLimitReached):
        model.complete(said("hi"))
    assert server.requests == []


# ── usage as data ─────────────────────────────────────────────────────────────


def test_usage_as_data() -> None:
    """Usage goes into JSON and back, the cost with all its digits."""
    used = Usage(4, 1, 10, 5, 3, 2, Decimal("0.10000000000000000000000000000000001"))
    data = json.loads(json.dumps(used.to_dict()))
    assert data["cost"] == "0.10000000000000000000000000000000001"
    assert Usage.of(data) == used
    assert Usage.of(Usage().to_dict()) == Usage()


@pytest.mark.parametrize("data", [{}, {"requests": -1}, {"requests": 1.5}, {"cost": "free"}, {"unknown": None}])
def test_usage_that_is_damaged(data: dict[str, Any]) -> None:
    """What is no usage is refused."""
    with pytest.raises(DataError, match="cannot be read"):
        Usage.of({**Usage().to_dict(), **data} if data else data)


def test_usage_adds_up() -> None:
    """Parts of a run add up; what was used since a reading is the difference."""
    one, two = Usage(2, 1, 10, 4, 3, 1, Decimal("0.1")), Usage(1, 0, 5, 0, 2, 0, Decimal("0.2"))
    assert one + two == Usage(3, 1, 15, 4, 5, 1, Decimal("0.3"))
    assert (one + two).since(one) == two
    assert one + Usage() == one
    assert Usage() + Usage() == Usage()
