"""Embeddings from an endpoint, over HTTP; long texts by their passages."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from webenv.envs.building.needle_in_web.embedding import EndpointEncoder, encode_whole, passages
from webenv.errors import ModelError


@contextmanager
def embeddings(*faults: int) -> Iterator[tuple[str, list[Any]]]:
    """An endpoint whose vector of a text counts its a and b, the last text first; it fails at first with these."""
    asked: list[Any] = []
    left = list(faults)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, body))
            status = left.pop(0) if left else 200
            rows = [
                {"index": n, "embedding": [text.count("a"), text.count("b")]} for n, text in enumerate(body["input"])
            ]
            answer = {"data": rows[::-1]} if status == 200 else {"error": {"message": "not now"}}
            data = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Keeps the output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_vectors_of_an_endpoint() -> None:
    """Texts go out in one request, and come back in their order, each of length 1; a failure is tried again."""
    with embeddings(503) as (url, asked):
        encoder = EndpointEncoder("text-embedding-3-large", base_url=url)
        vectors = encoder.encode_pages(["aaaabbb", "b"])
    assert vectors[0] == pytest.approx([0.8, 0.6])
    assert vectors[1].tolist() == [0.0, 1.0]
    assert asked[1] == ("/v1/embeddings", {"model": "text-embedding-3-large", "input": ["aaaabbb", "b"]})
    assert encoder.identity == {"name": "endpoint", "model": "text-embedding-3-large", "tokens": "8191"}


def test_a_refusal_is_one_line() -> None:
    """A key that is refused is not tried again."""
    with embeddings(401) as (url, asked), pytest.raises(ModelError, match=r"embedder .m.: 401; .*not now"):
        EndpointEncoder("m", base_url=url).encode_pages(["a"])
    assert len(asked) == 1


def test_long_texts_are_pooled() -> None:
    """A text longer than the encoder reads is the mean of its passages, by their lengths."""
    with embeddings() as (url, asked):
        encoder = EndpointEncoder("m", base_url=url, tokens=1)  # four characters
        (vector,) = encode_whole(encoder, ["aaaa aaaa bbbb"])
    assert asked[0][1]["input"] == ["aaaa", "aaaa", "bbbb"]
    assert vector == pytest.approx(np.array([2.0, 1.0]) / np.sqrt(5.0))


def test_passages_lose_nothing_but_spaces() -> None:
    """Cut at spaces, else where it must be."""
    text = "one two three " + "x" * 30
    parts = passages(text, 10)
    assert all(len(part) <= 10 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
