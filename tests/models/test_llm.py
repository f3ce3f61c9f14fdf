"""Chat models, over HTTP against a server on loopback."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from tests.openai_server import Body, Cut, Fault, Flood, Hang, OpenAIServer, Reply, Slow, Text, serve
from webenv.errors import InvalidArgument, MissingExtra, ModelError
from webenv.models import (
    ChatModel,
    Message,
    Model,
    ModelFailure,
    ModelReply,
    Request,
    after_thinking,
    data_token,
    fence,
    llm,
)

KEY = "sk-a-very-secret-key"


def said(*texts: str) -> list[Request]:
    """Requests of one message each."""
    return [Request.of(text) for text in texts]


def model_at(server: OpenAIServer, **settings: Any) -> ChatModel:
    usual = {"base_url": server.base_url, "api_key": KEY, "retries": 1, "timeout": 5.0, "backoff": 0.01}
    return ChatModel("tiny", **{**usual, **settings})


def reply_to(scripted: Reply, **settings: Any) -> tuple[ModelReply | ModelFailure, int]:
    """What came of one conversation, and how many requests it took."""
    with serve(lambda _: scripted) as server, model_at(server, **settings) as model:
        return model.complete(said("hi"))[0], len(server.requests)


def test_reply_and_request() -> None:
    """A conversation goes out to the letter with the settings, and text, finish and usage come back."""
    talk = [
        Message("system", "Be brief."),
        Message("user", "Grüße {x}?"),
        Message("assistant", "a"),
        Message("user", "b"),
    ]
    with serve(lambda _: Text("Ja.", "length", (11, 2))) as server, model_at(server, max_tokens=9) as model:
        assert model.complete([Request(talk)]) == [ModelReply("Ja.", "length", 11, 2)]
        assert server.requests == [
            {
                "model": "tiny",
                "messages": [
                    {"role": "system", "content": "Be brief."},
                    {"role": "user", "content": "Grüße {x}?"},
                    {"role": "assistant", "content": "a"},
                    {"role": "user", "content": "b"},
                ],
                "max_tokens": 9,
            }
        ]
        assert server.keys == [f"Bearer {KEY}"]


def test_a_reply_says_how_long_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds of a reply are measured from the first attempt to the last, waits between them included."""
    monkeypatch.setattr(llm, "_clock", time.monotonic)
    script = iter([Fault(429, "slow down"), Slow(0.1, "ok")])
    with serve(lambda _: next(script)) as server, model_at(server, backoff=0.2) as model:
        reply = model.complete(said("hi"))[0]
    assert isinstance(reply, ModelReply)
    assert 0.1 <= reply.seconds < 5.0


def test_settings_left_to_the_endpoint() -> None:
    """Temperature and longest reply are not sent where they are None."""
    with serve(lambda _: "ok") as server, model_at(server, temperature=None, max_tokens=None) as model:
        model.complete(said("hi"))
        assert set(server.requests[0]) == {"model", "messages"}


def test_order_of_a_batch() -> None:
    """Replies stand in the order of the conversations, though later ones are answered first."""

    def script(messages: list[dict[str, str]]) -> Reply:
        number = int(messages[0]["content"])
        return Slow(0.02 * (9 - number), str(number)) if number % 3 else Fault(400, f"no {number}")

    with serve(script) as server, model_at(server) as model:
        came = model.complete(said(*map(str, range(10))))
    assert [reply.text if isinstance(reply, ModelReply) else "-" for reply in came] == list("-12-45-78-")
    assert model.complete([]) == []


def test_concurrency() -> None:
    """A batch runs at the same time, up to the limit and no further."""
    with serve(lambda _: Slow(0.1, "ok")) as server, model_at(server, concurrency=4) as model:
        assert len(model.complete(said(*["hi"] * 12))) == 12
        assert server.most_at_once == 4


@pytest.mark.parametrize(
    ("scripted", "expected", "answered"),
    [
        (Fault(401, f"Incorrect API key provided: {KEY}"), "the key was refused (401); check OPENAI_API_KEY", False),
        (Fault(404, "no tiny"), "no such model or address (404); check the model's name", False),
        (Fault(429), "rate limit or quota exceeded (429) after 2 attempts", False),
        (Fault(500), "the endpoint failed (500) after 2 attempts", False),
        (Fault(529, "overloaded"), "the endpoint failed (529) after 2 attempts", False),
        (Fault(400, "too many tokens"), "refused (400); it says: too many tokens", False),
        (Body(b"no tiny here\n", "text/plain", status=404), "OPENAI_BASE_URL; it says: no tiny here", False),
        (Body(b"<html>\n<h1>Bad gateway</h1></html>", "text/html"), "no JSON but: <html> <h1>Bad gateway", True),
        (Body(b'{"choices": [{"mess'), 'no JSON but: {"choices": [{"mess', True),
        (Body(b""), "the answer is no JSON but:", True),
        (Body(b"\xff\xfe\x00"), "the answer is no JSON but:", True),
        (Body(b"[" * 100_000), "the answer is no JSON but: [[[", True),
        (Body(b"null"), "the answer has no choices: null", True),
        (Body(b'{"choices": []}'), 'the answer has no choices: {"choices": []}', True),
        (Body(b'{"error": {"message": "overloaded"}}'), "overloaded", True),
        (Body(b'{"choices": [{"message": {"content": 5}}]}'), "holds no text (finish reason: not given)", True),
        (Text(None, "content_filter"), "the reply holds no text (finish reason: content_filter)", True),
    ],
)  # fmt: skip
def test_faults_are_recorded(scripted: Reply, expected: str, answered: bool) -> None:
    """Whatever an endpoint answers, a failure of one line says it, with the model and host but no key."""
    failure, _ = reply_to(scripted)
    assert isinstance(failure, ModelFailure)
    assert expected in failure.reason
    assert failure.reason.startswith("model 'tiny' at 127.0.0.1:")
    assert failure.answered is answered
    assert KEY not in failure.reason
    assert "\n" not in failure.reason
    assert len(failure.reason) < 500


@pytest.mark.parametrize(
    ("scripted", "requests"),
    [
        (Fault(401), 1),
        (Fault(404), 1),
        (Fault(400), 1),
        (Fault(429, code="insufficient_quota"), 1),
        (Text(None, "content_filter"), 1),
        (Fault(408), 4),
        (Fault(409), 4),
        (Fault(429), 4),
        (Fault(500), 4),
        (Fault(503), 4),
        (Cut(), 4),
        (Cut(within_body=True), 4),
        (Body(b'{"choices": [{"mess'), 4),
        (Body(b"<html>busy</html>", "text/html"), 4),
        (Body(b'{"error": {"message": "overloaded"}}'), 4),
    ],
)
def test_what_is_tried_again(scripted: Reply, requests: int) -> None:
    """Rate limits, server errors, dropped connections and answers that are cut or no completion are tried again as
    often as set; refusals, a quota that is used up and replies without a text are not."""
    assert reply_to(scripted, retries=3)[1] == requests


@pytest.mark.parametrize(
    ("scripted", "cause"),
    [
        (Text(None, "stop"), "no_text"),
        (Text(None, "length"), "no_text"),
        (Text(None, "tool_calls"), "no_text"),
        (Text(None, "content_filter"), "no_text"),
        (Text(None, "error"), ""),  # the endpoint's own
        (Body(b'{"choices": [{"message": {"content": 5}}]}'), ""),
        (Body(b"<html>busy</html>", "text/html"), ""),
        (Fault(400, "This model's maximum context length is 2048 tokens."), "too_long"),
        (Fault(400, "prompt is too long: 210000 tokens > 200000 maximum"), "too_long"),
        (Fault(400, "no", code="context_length_exceeded"), "too_long"),
        (Fault(400, "'max_tokens' is too large: 9. It supports at most 8 completion tokens"), "refused"),
        (Fault(400, "bad"), "refused"),
        (Fault(400, "it took too long"), "refused"),
        (Fault(500, "maximum context"), ""),
        (Fault(429, "the queue is too long"), ""),
    ],
)
def test_what_an_agent_did_itself(scripted: Reply, cause: str) -> None:
    """A reply without a text, a conversation that is too long, and one that is refused, are told from failures of the
    endpoint."""
    failure, _ = reply_to(scripted, retries=0)
    assert isinstance(failure, ModelFailure)
    assert failure.cause == cause


@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_without_end(status: int) -> None:
    """An answer of more than 20 MB, an error too, is a failure, and what follows is not read."""
    with serve(lambda _: Flood(status)) as server, model_at(server, retries=2, timeout=30.0) as model:
        (failure,) = model.complete(said("hi"))
        assert len(server.requests) == 1
        until = time.monotonic() + 120
        while not server.flooded and time.monotonic() < until:
            time.sleep(0.01)
    assert isinstance(failure, ModelFailure)
    assert "the answer is longer than 20 MB, and was not read on" in failure.reason
    assert 20_000_000 < server.flooded < 60_000_000


def test_compressed_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compressed answer is read like any other; what it grows to counts."""
    whole = b'{"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}'
    for body, expected in ((whole, ModelReply("ok")), (b" " * 21_000_000 + whole, None)):
        came, _ = reply_to(Body(gzip.compress(body), encoding="gzip"), retries=0)
        assert came == expected or (expected is None and "longer than 20 MB" in str(came))


def test_recovers() -> None:
    """A reply after a rate limit, a server error, a reset connection and garbage is a reply like any other."""
    script: list[Reply] = [Fault(429), Fault(500), Cut(), Body(b"{"), "at last"]
    with serve(lambda _: script.pop(0)) as server, model_at(server, retries=4) as model:
        assert model.complete(said("hi")) == [ModelReply("at last", "stop", 7, 3)]
        assert len(server.requests) == 5


def test_retry_after() -> None:
    """The second attempt waits as long as Retry-After says."""
    script: list[Reply] = [Fault(429, retry_after="1"), "ok"]
    with serve(lambda _: script.pop(0)) as server, model_at(server) as model:
        started = time.monotonic()
        assert isinstance(model.complete(said("hi"))[0], ModelReply)
        assert 0.95 < time.monotonic() - started < 15.0


@pytest.mark.parametrize("scripted", [Cut(), Cut(within_body=True)])
def test_cut_connection(scripted: Reply) -> None:
    """A connection that is cut, before or within the answer, is a failure that names the endpoint."""
    failure, requests = reply_to(scripted, retries=0)
    assert isinstance(failure, ModelFailure)
    assert "the connection failed at the first attempt" in failure.reason
    assert requests == 1


def test_nobody_listens() -> None:
    """An endpoint that is not there is a failure that asks whether it is up."""
    with ChatModel("tiny", base_url="http://127.0.0.1:1/v1", retries=0) as model:
        assert "is 127.0.0.1:1 up?" in str(model.complete(said("hi"))[0])


@pytest.mark.parametrize("scripted", [Hang(), Hang(drip=True)])
def test_never_answers(scripted: Reply) -> None:
    """Silence, and an answer that never ends, are failures after the timeout; others of the batch reply."""

    def script(messages: list[dict[str, str]]) -> Reply:
        return scripted if messages[0]["content"] == "hang" else "ok"

    with serve(script) as server, model_at(server, retries=0, timeout=1.5) as model:
        started = time.monotonic()
        before, hung, after = model.complete(said("a", "hang", "b"))
        assert time.monotonic() - started < 15.0
    assert isinstance(before, ModelReply)
    assert isinstance(after, ModelReply)
    assert isinstance(hung, ModelFailure)
    assert "no answer within 1.5 seconds" in hung.reason


def test_inside_a_running_loop() -> None:
    """It can be called where an event loop runs already, as in a notebook, and leaves that loop alone."""

    async def cell(model: ChatModel) -> tuple[list[ModelReply | ModelFailure], bool]:
        before = asyncio.get_running_loop()
        return model.complete(said("a", "b")), asyncio.get_running_loop() is before

    with serve(lambda _: "ok") as server, model_at(server) as model:
        came, same = asyncio.run(cell(model))
    assert came == [ModelReply("ok", "stop", 7, 3)] * 2
    assert same


def test_one_thread_reused_and_closed() -> None:
    """All batches share one thread, which ends with close; a batch after that begins a new one."""

    def threads() -> list[threading.Thread]:
        return [thread for thread in threading.enumerate() if thread.name == "webenv-chat-model"]

    with serve(lambda _: "ok") as server:
        model = model_at(server)
        assert threads() == []
        model.complete(said("a"))
        first = threads()
        model.complete(said("b"))
        assert threads() == first
        assert len(first) == 1
        model.close()
        model.close()
        assert threads() == []
        assert isinstance(model.complete(said("c"))[0], ModelReply)
        del model
        assert threads() == []


def test_from_many_threads() -> None:
    """Batches from several threads at once each get their own replies."""
    came: dict[int, list[ModelReply | ModelFailure]] = {}
    with serve(lambda messages: messages[0]["content"].upper()) as server, model_at(server) as model:

        def work(number: int) -> None:
            came[number] = model.complete(said(f"a{number}", f"b{number}"))

        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert {n: [r.text for r in replies if isinstance(r, ModelReply)] for n, replies in came.items()} == {
        n: [f"A{n}", f"B{n}"] for n in range(8)
    }


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork() -> None:
    """A process forked after the first batch can go on with batches of its own."""
    with serve(lambda _: "ok") as server, model_at(server) as model:
        model.complete(said("a"))
        child = os.fork()
        if child == 0:
            os._exit(0 if isinstance(model.complete(said("b"))[0], ModelReply) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_key_is_never_shown(caplog: pytest.LogCaptureFixture) -> None:
    """Neither repr, identity, failures nor logs at any level hold the key."""
    with serve(lambda _: Fault(401, KEY)) as server, caplog.at_level(logging.DEBUG), model_at(server) as model:
        shown = [repr(model), str(dict(model.identity)), str(model.complete(said("hi"))), caplog.text]
    assert not any(KEY in text for text in shown)
    assert "openai" in caplog.text


def test_key_echoed_at_the_cut_is_hidden_whole() -> None:
    """A key that would stand across the end of a cut reason does not show in part."""
    for padding in range(330, 410, 7):
        failure, _ = reply_to(Body(b"x" * padding + KEY.encode()))
        assert "sk-a" not in str(failure)


def test_identity() -> None:
    """The identity is model, host, temperature and longest reply; it is a Model."""
    model = ChatModel("tiny", base_url="https://Models.example:8443/v1", temperature=None, max_tokens=5)
    assert isinstance(model, Model)
    assert model.identity == {
        "name": "chat",
        "model": "tiny",
        "host": "models.example:8443",
        "temperature": "default",
        "max_tokens": "5",
    }


def test_endpoint_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """OPENAI_BASE_URL and OPENAI_API_KEY are read; arguments win; a local endpoint needs no key."""
    with serve(lambda _: "ok") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment\n")
        for key in (None, KEY):
            with ChatModel("tiny", api_key=key) as model:
                model.complete(said("hi"))
        monkeypatch.delenv("OPENAI_API_KEY")
        with ChatModel("tiny") as model:
            model.complete(said("hi"))
        assert server.keys == ["Bearer sk-of-the-environment", f"Bearer {KEY}", "Bearer no-key-needed"]


def test_no_endpoint_and_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without key and endpoint the error says what to set; with a key alone it is OpenAI's own endpoint."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "")
    with pytest.raises(ModelError, match="Set OPENAI_API_KEY, or OPENAI_BASE_URL"):
        ChatModel("tiny")
    assert ChatModel("tiny", api_key=KEY).identity["host"] == "api.openai.com"


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://a.example", "http://", "http://[", "http://a:b/v1"])
def test_wrong_base_url(url: str) -> None:
    """A base URL that is no http address is refused at once."""
    with pytest.raises(ModelError, match="the base URL is no http address"):
        ChatModel("tiny", base_url=url)


@pytest.mark.parametrize("url", ["http://me:pass-word@a.example/v1", "http://a.example/v1?key=pass-word"])
def test_secret_in_the_base_url(url: str) -> None:
    """A base URL with a password or a query, which logs would show, is refused without showing it."""
    with pytest.raises(ModelError, match="holds a user, a query or a fragment") as raised:
        ChatModel("tiny", base_url=url)
    assert "pass-word" not in str(raised.value)


@pytest.mark.parametrize("key", ["with space", "schlüssel", "a\nb"])
def test_wrong_key(key: str) -> None:
    """A key that no header can carry is refused at once, without showing it."""
    with pytest.raises(ModelError, match="the key is no key") as raised:
        ChatModel("tiny", base_url="http://a.example", api_key=key)
    assert key not in str(raised.value)


@pytest.mark.parametrize(
    "settings",
    [
        {"temperature": -1},
        {"temperature": float("nan")},
        {"timeout": 0},
        {"timeout": "5"},
        {"max_tokens": 0},
        {"retries": -1},
        {"concurrency": 0},
        {"concurrency": True},
        {"concurrency": 1001},
        {"backoff": -0.1},
    ],
)
def test_wrong_settings(settings: dict[str, Any]) -> None:
    """A number out of range is refused by its name."""
    with pytest.raises(InvalidArgument, match=f"chat model {next(iter(settings))}="):
        ChatModel("tiny", base_url="http://a.example", **settings)
    with pytest.raises(InvalidArgument, match="expected a model's name"):
        ChatModel(" ", base_url="http://a.example")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where openai is not installed, the error holds the pip line."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"pip install '\.\[llm\]'"):
        ChatModel("tiny", base_url="http://a.example")


def test_lone_surrogates_can_be_sent() -> None:
    """Text that has no UTF-8 form is sent with replacement characters."""
    with serve(lambda messages: messages[0]["content"]) as server, model_at(server) as model:
        assert model.complete(said("a\ud800b")) == [ModelReply("a\ufffdb", "stop", 7, 3)]


SCHEMA = {
    "type": "object",
    "properties": {"grade": {"type": "string"}},
    "required": ["grade"],
    "additionalProperties": False,
}


def test_what_is_no_request() -> None:
    """A conversation, or one request alone, is refused with how it is written."""
    model = ChatModel("tiny", base_url="http://a.example")
    for given in ([[Message("user", "hi")]], [Message("user", "hi")], Request.of("hi"), "hi"):
        with pytest.raises(InvalidArgument, match=r"a model was given .*as in \[Request.of\('Which river\?'\)\]"):
            model.complete(given)  # type: ignore[arg-type]


def test_schema_is_sent() -> None:
    """A schema goes out as a strict response format, for the conversations that have one alone."""
    with serve(lambda _: "{}") as server, model_at(server, concurrency=1) as model:
        model.complete([Request.of("a")._replace(schema=SCHEMA), Request.of("b")])
    formats = [request.get("response_format") for request in server.requests]
    assert formats == [
        {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA}},
        None,
    ]


@pytest.mark.parametrize(
    "refusal",
    [
        Fault(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."),
        Fault(422, "extra inputs are not permitted: response_format"),
        Fault(404, "No endpoints found that support structured outputs"),
    ],
)
def test_schema_that_is_refused(refusal: Fault) -> None:
    """An endpoint that takes no schema is asked without one, at once, and is not given one again."""
    with serve(lambda _: refusal if "response_format" in server.requests[-1] else "plain") as server:
        with model_at(server, retries=0) as model:
            for _ in range(2):
                came = model.complete([Request.of("a")._replace(schema=SCHEMA)])
                assert came == [ModelReply("plain", "stop", 7, 3)]
        assert ["response_format" in request for request in server.requests] == [True, False, False]


def test_one_schema_that_is_refused() -> None:
    """A schema that is refused for itself does not keep others from being sent."""
    refusal = Fault(400, "Invalid schema for response_format 'reply': 'required' is missing")

    def script(_: object) -> Reply:
        held = server.requests[-1].get("response_format")
        return refusal if held and not held["json_schema"]["schema"] else "ok"

    with serve(script) as server, model_at(server, retries=0, concurrency=1) as model:
        came = model.complete([Request.of("a")._replace(schema=schema) for schema in ({}, SCHEMA)])
        assert all(isinstance(one, ModelReply) for one in came)
    assert ["response_format" in request for request in server.requests] == [True, False, True]


def test_a_refusal_that_is_about_something_else() -> None:
    """An error whose text names a parameter changes nothing for later requests, unless leaving it out helped."""
    faults = {
        "echo": Fault(400, "not allowed near: the json schema of things"),
        "long": Fault(
            400, "maximum context length is 9; lower max_tokens or max_completion_tokens, or response_format"
        ),
        "large": Fault(400, "'max_tokens' or 'max_completion_tokens' is too large: 4096."),
    }
    with serve(lambda talk: faults.get(talk[0]["content"], "ok")) as server, model_at(server, retries=0) as model:
        for text in (*faults, "last"):
            came = model.complete([Request.of(text)._replace(schema=SCHEMA)])
    assert came == [ModelReply("ok", "stop", 7, 3)]
    asked = [request["messages"][0]["content"] for request in server.requests]
    assert asked == ["echo", "echo", "long", "large", "last"]
    assert {"max_tokens", "response_format"} <= set(server.requests[-1])


def test_schema_refused_to_many_at_once() -> None:
    """Where the refusals come while others are in flight, every conversation gets its reply."""

    def script(_: object) -> Reply:
        return Fault(400, "unknown field response_format") if "response_format" in server.requests[-1] else "ok"

    with serve(script) as server, model_at(server, retries=0, concurrency=16) as model:
        came = model.complete([Request.of("a")._replace(schema=SCHEMA)] * 64)
    assert came == [ModelReply("ok", "stop", 7, 3)] * 64


def test_max_completion_tokens() -> None:
    """An endpoint that wants max_completion_tokens in place of max_tokens is given that, then and afterwards."""
    refusal = Fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    with serve(lambda _: refusal if "max_tokens" in server.requests[-1] else "ok") as server:
        with model_at(server, retries=0, max_tokens=9) as model:
            model.complete(said("a"))
            assert model.complete(said("b")) == [ModelReply("ok", "stop", 7, 3)]
        assert [request.get("max_completion_tokens") for request in server.requests] == [None, 9, 9]


def test_extra_fields() -> None:
    """Extra fields stand in the request of their conversation, and take the place of none of ours."""
    extra = {"search_domain_filter": ["-a.example"], "model": "other", "temperature": 2}
    with serve(lambda _: "ok") as server, model_at(server, concurrency=1, temperature=0.0) as model:
        model.complete([Request.of("a")._replace(extra=extra), Request.of("b")])
    first, second = server.requests
    assert first["search_domain_filter"] == ["-a.example"]
    assert (first["model"], first["temperature"]) == ("tiny", 0.0)
    assert set(second) == {"model", "messages", "temperature", "max_tokens"}


def test_arrivals() -> None:
    """Outcomes are handed over as they come, not at the end of the batch."""

    def script(messages: list[dict[str, str]]) -> Reply:
        return Slow(1.5, "late") if messages[0]["content"] == "late" else "soon"

    with serve(script) as server, model_at(server) as model:
        came = {}
        for some in model.arrivals(said("late", "a", "b")):
            came.update({place: time.monotonic() for place, _ in some})
    assert came[0] - max(came[1], came[2]) > 0.3


def test_arrivals_that_nobody_waits_for() -> None:
    """Who stops listening stops the batch: what was not sent yet is not sent."""
    with serve(lambda _: Slow(0.05, "ok")) as server, model_at(server, concurrency=2) as model:
        for _ in model.arrivals(said(*"abcdefghijkl")):
            break
        time.sleep(0.3)
        assert len(server.requests) <= 6


@pytest.mark.slow
def test_hundreds_at_once() -> None:
    """Hundreds of conversations are in flight at once, though some of them wait for another attempt."""
    seen: dict[str, int] = {}

    def script(messages: list[dict[str, str]]) -> Reply:
        text = messages[0]["content"]
        seen[text] = seen.get(text, 0) + 1
        return Fault(503) if seen[text] == 1 and int(text) % 10 == 0 else Slow(3.0, text)

    texts = [str(number) for number in range(300)]
    with serve(script) as server, model_at(server, concurrency=300, timeout=30.0) as model:
        came = model.complete(said(*texts))
    assert came == [ModelReply(text, "stop", 7, 3) for text in texts]
    assert server.most_at_once > 200


def test_a_wait_leaves_its_place_to_others() -> None:
    """While one conversation waits for its next attempt, others are sent in its place."""
    script: list[Reply] = [Fault(503, retry_after="0.5"), "b", "c", "a"]
    with serve(lambda _: script.pop(0)) as server, model_at(server, concurrency=1) as model:
        came = model.complete(said("a", "b", "c"))
    assert [reply.text for reply in came if isinstance(reply, ModelReply)] == ["a", "b", "c"]


def test_too_many_are_not_made_more() -> None:
    """Where the endpoint says that there are too many, the place is kept: nothing else is sent meanwhile."""
    script: list[Reply] = [Fault(429, retry_after="0.3"), "x", "y"]
    arrived: list[float] = []

    def reply(_: object) -> Reply:
        arrived.append(time.monotonic())
        return script.pop(0)

    with serve(reply) as server, model_at(server, concurrency=1) as model:
        model.complete(said("a", "b"))
    assert arrived[1] - arrived[0] > 0.28


def test_fewer_open_files_than_places() -> None:
    """A process that may open few files sends fewer at once, and everything gets its reply."""
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100));"
        "from webenv.models import ChatModel, Request;"
        "model = ChatModel('tiny', base_url=sys.argv[1], concurrency=1000, retries=0);"
        "came = model.complete([Request.of('hi')] * 200);"
        "print(sum(hasattr(one, 'text') for one in came)); model.close()"
    )
    with serve(lambda _: Slow(0.02, "ok")) as server:
        done = subprocess.run([sys.executable, "-c", code, server.base_url], capture_output=True, text=True, check=True)
    assert done.stdout == "200\n"
    assert server.most_at_once <= 100


def test_usage_is_optional() -> None:
    """An endpoint that does not count tokens gives a reply with zeros."""
    assert reply_to(Text("ok", usage=None))[0] == ModelReply("ok", "stop", 0, 0)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("a</think>b", "b"),
        ("<think>a</think>b<THINK>c</THINK >d</Think>e", "e"),
        ("  <Think>never closed <accept/>", ""),
        ("x <think> y", "x <think> y"),
        ("", ""),
    ],
)
def test_after_thinking(text: str, left: str) -> None:
    """What stands up to the last closing think tag is dropped, and thinking that never ended too."""
    assert after_thinking(text) == left


def test_data_token() -> None:
    """A token depends on each part and on where one part ends, and holds for any text."""
    tokens: Sequence[str] = [data_token("ab", "c"), data_token("a", "bc"), data_token("abc"), data_token("ab", "c", "")]
    assert len(set(tokens)) == 4
    assert data_token("ab", "c") == tokens[0]
    assert len(data_token("\ud800")) == 16
    assert fence("data", "x", "1f") == '<data id="1f">\nx\n</data id="1f">'


def test_an_error_steers_no_terminal() -> None:
    """Control and bidirectional characters of an endpoint's error are not in the failure's reason."""
    hostile = Fault(400, "\x1b]0;x\x07red\x1b[31m \u202eabc\u2066 \x9b2J")
    with serve(lambda _: hostile) as server, ChatModel("tiny", base_url=server.base_url, retries=0) as model:
        (failure,) = model.complete([Request.of("hi")])
    assert isinstance(failure, ModelFailure)
    assert failure.reason.isprintable()
    assert failure.reason.endswith("it says: ]0;xred[31m abc 2J")


def test_a_reply_without_measure_is_cut() -> None:
    """Of a text of millions of characters the first million is kept, and it counts as cut."""
    with serve(lambda _: "a" * 3_000_000) as server, ChatModel("tiny", base_url=server.base_url) as model:
        (reply,) = model.complete([Request.of("hi")])
    assert isinstance(reply, ModelReply)
    assert (len(reply.text), reply.finish) == (1_000_000, "length")
