"""An endpoint of which 20% and 75% of the replies are faulty: no verdict is wrong, and each question is asked within
its retries."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator

from common import Finding

from tests.openai_server import Body, Cut, Fault, Reply, serve
from webenv.models import ChatModel, ModelReply, Request

FAULTS = (Fault(429), Fault(500), Fault(503), Cut(), Cut(within_body=True), Body(b"<html>"), Body(b"{"), Body(b""))


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    yield from (faulty(share, max(20, int(400 * scale))) for share in (0.2, 0.75))


def faulty(share: float, count: int) -> Finding:
    """So many questions to an endpoint of which this share of the replies is faulty."""
    asked: Counter[str] = Counter()
    lock = threading.Lock()

    def script(messages: list[dict[str, str]]) -> Reply:
        (number,) = re.findall(r"\d+", messages[-1]["content"])
        with lock:
            asked[number] += 1
            rng = random.Random(f"{number} {asked[number]} {share}")
        return f"the answer to {number}" if rng.random() >= share else rng.choice(FAULTS)

    began = time.monotonic()
    with (
        serve(script) as server,
        ChatModel("tiny", base_url=server.base_url, api_key="none", retries=4, backoff=0.01, timeout=30.0) as model,
    ):
        replies = model.complete([Request.of(f"question {number}") for number in range(count)])
    wrong = sum(
        isinstance(one, ModelReply) and one.text != f"the answer to {number}" for number, one in enumerate(replies)
    )
    over = sum(times > 5 for times in asked.values())
    good = sum(isinstance(one, ModelReply) for one in replies)
    note = f"{good / count:.1%} came ({1 - share**5:.1%} within 4 retries), {sum(asked.values())} requests"
    note += f", {time.monotonic() - began:.1f} s"
    return Finding(f"an endpoint with {share:.0%} faults", count, wrong + over, note)
