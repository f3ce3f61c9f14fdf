"""Chat models by name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.openai_server import Slow, serve
from webenv.cassette import Cassette
from webenv.errors import InvalidArgument
from webenv.models import (
    ChatModel,
    CostTracker,
    ModelFailure,
    ModelReply,
    Request,
    make_model,
    models_counted_by,
    models_made_by,
)
from webenv.recorded import recorded_models

REQUESTS = [Request.of("a"), Request.of("b")]


class Echoing:
    """A model that says what it is asked."""

    identity = {"name": "echoing", "model": "echoing"}  # noqa: RUF012

    def complete(self, requests: Sequence[Request]) -> list[ModelReply | ModelFailure]:
        return [ModelReply(request.messages[-1].content) for request in requests]


def test_models_are_counted_and_run_as_the_context_says() -> None:
    """Within the block models share the tracker, and run as many conversations at once as it says; else 16."""
    costs = CostTracker()
    with serve(lambda _: Slow(0.5, "ok")) as server:
        with models_counted_by(costs, concurrency=3):
            inside = make_model("tiny", base_url=server.base_url)
        outside = make_model("tiny", base_url=server.base_url)
        assert isinstance(inside, ChatModel)
        assert isinstance(outside, ChatModel)
        inside.complete(REQUESTS * 6)
        assert server.most_at_once == 3
        outside.complete(REQUESTS * 12)
        assert server.most_at_once == 16
        inside.close()
        outside.close()
    assert costs.usage["tiny"].requests == 12
    assert outside.costs.usage["tiny"].requests == 24


def test_more_than_a_thousand_at_once() -> None:
    """Whoever plays more than a thousand episodes at once gets models that run a thousand conversations."""
    with models_counted_by(CostTracker(), concurrency=5_000):
        assert isinstance(make_model("tiny", base_url="http://a.example"), ChatModel)


def test_makers_come_before_endpoints() -> None:
    """Within the block a maker decides, and need not open the live model at all."""
    with models_made_by(lambda name, settings, live: Echoing()):
        assert isinstance(make_model("tiny"), Echoing)


def test_settings_of_a_name_reach_the_endpoint() -> None:
    """What follows a model's name is sent; ``default`` leaves a setting to the endpoint."""
    with serve(lambda messages: "a") as server:
        model = make_model("tiny,temperature=0.7,max_tokens=default", base_url=server.base_url)
        model.complete(REQUESTS[:1])
        assert isinstance(model, ChatModel)
        model.close()
    (request,) = server.requests
    assert (request["model"], request["temperature"], "max_tokens" in request) == ("tiny", 0.7, False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("tiny,temperature=hot", "temperature is 'hot'; expected a number from 0"),
        (
            "tiny,heat=1",
            "'heat=1' is no setting; a model takes temperature, max_tokens, top_p, effort, thinking, extra, api",
        ),
    ],
)
def test_settings_that_are_none(name: str, message: str) -> None:
    """A setting that cannot be read is named, with what was expected."""
    with pytest.raises(InvalidArgument, match=message):
        make_model(name, base_url="http://a.example")


def test_a_tape_of_two_temperatures(tmp_path: Path) -> None:
    """Settings in the name say which of two recorded models is meant; unsaid ones leave it open, and that is said."""
    with (
        serve(lambda messages: "hot" if len(server.requests) > 1 else "cold") as server,
        Cassette(tmp_path / "tape.db", "record") as tape,
        recorded_models(tape),
    ):
        for name in ("tiny,temperature=0", "tiny,temperature=1"):
            make_model(name, base_url=server.base_url).complete(REQUESTS[:1])
    with Cassette(tmp_path / "tape.db") as tape, recorded_models(tape):
        assert [reply.text for reply in make_model("tiny,temperature=1").complete(REQUESTS[:1])] == ["hot"]
        assert [reply.text for reply in make_model("tiny,temperature=0").complete(REQUESTS[:1])] == ["cold"]
        with pytest.raises(InvalidArgument, match=r"several models: tiny,temperature=0,"):
            make_model("tiny")


def test_a_tape_without_the_usual_settings(tmp_path: Path) -> None:
    """Where the tape holds none with the settings by default, the error names what to write, and that is taken."""
    names = ("tiny,temperature=0.5", "tiny,temperature=1,max_tokens=default")
    with serve(lambda _: "ok") as server, Cassette(tmp_path / "tape.db", "record") as tape, recorded_models(tape):
        for name in names:
            make_model(name, base_url=server.base_url).complete(REQUESTS[:1])
    with Cassette(tmp_path / "tape.db") as tape, recorded_models(tape):
        with pytest.raises(InvalidArgument, match=r"several models: .*Write one of them, as in 'tiny,") as raised:
            make_model("tiny")
        for written in ("tiny,temperature=0.5,max_tokens=4096", "tiny,temperature=1,max_tokens=default"):
            assert written in str(raised.value)
            assert [reply.text for reply in make_model(written).complete(REQUESTS[:1])] == ["ok"]
