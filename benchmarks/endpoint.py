"""An endpoint that speaks OpenAI's chat-completions API, fast enough to measure clients by.

    python benchmarks/endpoint.py [--milliseconds 50] [--faults 0.2] [--slow 8]

Prints its port, and serves until it is killed. Each request gets the verdict that its prompt asks for, after
so many milliseconds. With ``--faults`` that share of the requests, drawn from the question and how often it
was asked, gets 429, 500, a cut body, garbage, or an answer after ``--slow`` seconds. ``GET /ledger`` tells of
each question what its requests got, and the tokens that were counted in whole answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import defaultdict
from hashlib import sha256

FAULTS = ("429", "500", "cut", "garbage", "slow")
_LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
_TOKEN = re.compile(rb'verdict id=\\"([0-9a-f]+)\\"')
_NUMBER = re.compile(rb"question number (\d+)")


class ResumableFolder:
    """What each question got, and what was counted."""

    def __init__(self, faults: float) -> None:
        self.faults = faults
        self.outcomes: dict[int, list[str]] = defaultdict(list)
        self.prompt = self.completion = 0

    def decide(self, number: int) -> str:
        """What this request gets; the same in every run."""
        asked = len(self.outcomes[number])
        dice = sha256(f"{number} {asked}".encode()).digest()
        faulty = int.from_bytes(dice[:4], "big") / 2**32 < self.faults
        outcome = FAULTS[dice[4] % len(FAULTS)] if faulty else "ok"
        self.outcomes[number].append(outcome)
        return outcome

    def to_json(self) -> bytes:
        return json.dumps({"outcomes": self.outcomes, "prompt": self.prompt, "completion": self.completion}).encode()


class Connection(asyncio.Protocol):
    """One connection; requests on it come one after the other."""

    def __init__(self, ledger: ResumableFolder, seconds: float, slow: float) -> None:
        self.ledger, self.seconds, self.slow = ledger, seconds, slow
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        head = self.buffer[:end]
        if head.startswith(b"GET"):
            self.write(200, self.ledger.to_json())
            self.buffer = b""
            return
        found = _LENGTH.search(head)
        whole = end + 4 + int(found[1] if found else 0)
        if len(self.buffer) >= whole:
            body, self.buffer = self.buffer[end + 4 : whole], self.buffer[whole:]
            self.answer(body)

    def answer(self, body: bytes) -> None:
        number, token = _NUMBER.search(body), _TOKEN.search(body)
        outcome = self.ledger.decide(int(number[1]) if number else -1)
        verdict = f'It does. <verdict id="{token[1].decode() if token else ""}">correct</verdict>'
        data = reply(verdict, prompt=len(body) // 4, completion=20)
        wait = self.slow if outcome == "slow" else self.seconds
        asyncio.get_running_loop().call_later(wait, self.send, outcome, data, len(body) // 4)

    def send(self, outcome: str, data: bytes, prompt: int) -> None:
        if self.transport.is_closing():
            return
        if outcome == "ok":
            self.ledger.prompt += prompt
            self.ledger.completion += 20
            self.write(200, data)
        elif outcome == "slow":
            self.transport.abort()
        elif outcome == "cut":
            self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data[: len(data) // 2])
            self.transport.close()
        elif outcome == "garbage":
            self.write(200, b"<html>upstream is away</html>")
        else:
            self.write(int(outcome), b'{"error": {"message": "a fault", "type": "fault"}}', b"retry-after: 0.1\r\n")

    def write(self, status: int, data: bytes, headers: bytes = b"") -> None:
        head = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
        self.transport.write(head % (status, headers, len(data)) + data)


def reply(text: str, prompt: int, completion: int) -> bytes:
    """A whole answer."""
    return json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "judge",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "total_tokens": prompt + completion,
            },
        }
    ).encode()


async def serve(milliseconds: float, faults: float, slow: float) -> None:
    loop, ledger = asyncio.get_running_loop(), ResumableFolder(faults)
    server = await loop.create_server(
        lambda: Connection(ledger, milliseconds / 1e3, slow), "127.0.0.1", 0, backlog=2048
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--milliseconds", type=float, default=50.0)
    parser.add_argument("--faults", type=float, default=0.0)
    parser.add_argument("--slow", type=float, default=8.0)
    options = parser.parse_args()
    asyncio.run(serve(options.milliseconds, options.faults, options.slow))
