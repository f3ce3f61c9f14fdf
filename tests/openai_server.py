"""A server on loopback that speaks OpenAI's chat-completions and Responses APIs, with scripted replies and faults."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Body", "Cut", "Fault", "Flood", "Hang", "Messages", "OpenAIServer", "Slow", "Text", "serve"]

Messages = list[dict[str, str]]


@dataclass(frozen=True)
class Text:
    """A reply as it should be; ``cached`` of the tokens that were read came from the endpoint's cache."""

    text: str | None
    finish: str = "stop"
    usage: tuple[int, int] | None = (7, 3)
    cached: int | None = None
    tool_calls: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class Fault:
    """An error status, with a message as OpenAI words them."""

    status: int
    message: str = "it went wrong"
    retry_after: str = ""
    retry_after_ms: str = "1"
    code: str | None = None
    param: str | None = None


@dataclass(frozen=True)
class Body:
    """A body to the letter."""

    body: bytes
    kind: str = "application/json"
    encoding: str = ""
    status: int = 200


@dataclass(frozen=True)
class Flood:
    """An answer of 300 MB, as long as anyone reads it."""

    status: int = 200


@dataclass(frozen=True)
class Cut:
    """The connection is reset: at once, or in the middle of the body."""

    within_body: bool = False


@dataclass(frozen=True)
class Slow:
    """A reply after some seconds."""

    seconds: float
    text: str
    usage: tuple[int, int] | None = (7, 3)


@dataclass(frozen=True)
class Hang:
    """No answer at all; or, with ``drip``, a byte now and then that never ends."""

    drip: bool = False


Reply = str | Text | Fault | Body | Cut | Flood | Slow | Hang
Script = Callable[[Messages], Reply]


@dataclass
class OpenAIServer:
    """What the script was asked, and how to reach the server.

    Attributes:
        script: from the messages of a request to a reply or a fault; called under a lock.
        base_url: as ``ChatModel`` takes it.
        requests: the JSON bodies that came, in order of arrival.
        keys: the Authorization header of each.
        most_at_once: the most requests that were open at one time.
        flooded: how many bytes of a flood went out before nobody read it, or all.
    """

    script: Script
    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    most_at_once: int = 0
    at_once: int = 0
    flooded: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def conversations(self) -> list[Messages]:
        """The messages of each request."""
        return [request["messages"] if "messages" in request else request["input"] for request in self.requests]


@contextmanager
def serve(script: Script) -> Iterator[OpenAIServer]:
    """Serves ``script`` on a free port of 127.0.0.1 while the block runs."""
    state = OpenAIServer(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            self.open = True
            with state.lock:
                state.at_once += 1
                state.most_at_once = max(state.most_at_once, state.at_once)
            try:
                self._answer()
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                self._answers()

        def _answers(self) -> None:
            """The request is no longer open; before the answer goes out, since the next may come upon it."""
            if self.open:
                self.open = False
                with state.lock:
                    state.at_once -= 1

        def _answer(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path not in ("/v1/chat/completions", "/v1/responses"):
                self._send(404, {"error": {"message": f"no address {self.path}"}})
                return
            with state.lock:
                state.requests.append(request)
                state.keys.append(self.headers.get("Authorization", ""))
                reply = state.script(request["messages"] if "messages" in request else request["input"])
            if isinstance(reply, Slow):
                state.over.wait(reply.seconds)
                reply = Text(reply.text, usage=reply.usage)
            if isinstance(reply, str):
                reply = Text(reply)
            if isinstance(reply, Text):
                form = _response if self.path == "/v1/responses" else _completion
                self._send(200, form(reply, request["model"]))
            elif isinstance(reply, Fault):
                headers = {"Retry-After": reply.retry_after} if reply.retry_after else {}
                headers = headers or {"retry-after-ms": reply.retry_after_ms}
                self._send(reply.status, _error(reply), headers)
            elif isinstance(reply, Body):
                encoding = {"Content-Encoding": reply.encoding} if reply.encoding else {}
                self._write(reply.status, reply.body, {"Content-Type": reply.kind, "retry-after-ms": "1", **encoding})
            elif isinstance(reply, Flood):
                self._flood(reply)
            elif isinstance(reply, Cut):
                self._cut(reply)
            else:
                self._hang(reply)

        def _send(self, status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> None:
            self._write(status, json.dumps(data).encode(), {"Content-Type": "application/json", **(headers or {})})

        def _write(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self._answers()
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _cut(self, reply: Cut) -> None:
            if reply.within_body:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", "1000")
                self.end_headers()
                self.wfile.write(b'{"choices": [{"mess')
                self.wfile.flush()
                time.sleep(0.02)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            self.close_connection = True

        def _flood(self, reply: Flood) -> None:
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "300000000")
            self.end_headers()
            sent = 0
            try:
                while sent < 300_000_000:
                    self.wfile.write(b" " * 1_000_000)
                    sent += 1_000_000
            finally:
                state.flooded = sent

        def _hang(self, reply: Hang) -> None:
            if reply.drip:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                while not state.over.wait(0.02):
                    self.wfile.write(b" ")
                    self.wfile.flush()
            else:
                state.over.wait()
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Keeps the test's output clean."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

        def handle_error(self, *_: object) -> None:
            """A client that went away is no error of the server's."""

    server = Server(("127.0.0.1", 0), Handler)
    state.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _completion(reply: Text, model: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": reply.finish}
        ],
    }
    if reply.tool_calls:
        data["choices"][0]["message"]["tool_calls"] = list(reply.tool_calls)
    if reply.usage is not None:
        read, written = reply.usage
        data["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        if reply.cached is not None:
            data["usage"]["prompt_tokens_details"] = {"cached_tokens": reply.cached}
    return data


def _response(reply: Text, model: str) -> dict[str, Any]:
    """A reply as the Responses API has it."""
    content = [] if reply.text is None else [{"type": "output_text", "text": reply.text, "annotations": []}]
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in reply.tool_calls
        if call.get("type") == "function"
    ]
    others = [call for call in reply.tool_calls if call.get("type") != "function"]
    message = [{"type": "message", "role": "assistant", "content": content}] if content else []
    data: dict[str, Any] = {"id": "resp_1", "object": "response", "model": model, "output": [*others, *message, *calls]}
    data["status"] = "incomplete" if reply.finish == "length" else "completed"
    if reply.finish == "length":
        data["incomplete_details"] = {"reason": "max_output_tokens"}
    if reply.usage is not None:
        read, written = reply.usage
        data["usage"] = {"input_tokens": read, "output_tokens": written, "total_tokens": read + written}
        if reply.cached is not None:
            data["usage"]["input_tokens_details"] = {"cached_tokens": reply.cached}
    return data


def _error(fault: Fault) -> dict[str, Any]:
    return {"error": {"message": fault.message, "type": "fault", "code": fault.code, "param": fault.param}}
