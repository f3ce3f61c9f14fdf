"""200,000 steps of one vector environment and 50,000 requests to each server: memory and open files stay flat."""

from __future__ import annotations

import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium as gym
import numpy as np
from common import Finding, Running
from servers import port_of

from webenv.wrappers import VectorMenuWrapper

STEPS, SLOTS, REQUESTS, CLIENTS = 200_000, 64, 50_000, 4
GROWTH = 0.1  # of the memory after half of the work, which caches have filled by then
SLACK = 8.0  # MB that any process may gain
FILES = 4  # descriptors that may be open at one moment and not at the other
WORDS = ("lighthouse", "bridge", "harbour", "volcano", "mill", "choir", "museum", "storm", "orchard", "railway")


def used(process: int) -> tuple[float, int]:
    """Resident megabytes and open descriptors of a process and of those it started."""
    megabytes = int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    files = len(os.listdir(f"/proc/{process}/fd"))
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        more, others = used(int(child))
        megabytes, files = megabytes + more, files + others
    return megabytes, files


def flat(name: str, process: int, work: Callable[[int, int], int], count: int) -> Finding:
    """Does the work in two halves and compares; ``work`` does a range of it and returns how many failed."""
    began = time.monotonic()
    failed = work(0, count // 2)
    half = used(process)
    failed += work(count // 2, count)
    whole = used(process)
    grown = whole[0] > half[0] * (1 + GROWTH) + SLACK or whole[1] > half[1] + FILES
    note = (
        f"{half[0]:,.0f} MB and {half[1]} descriptors after half of it, {whole[0]:,.0f} and {whole[1]} at the end; "
        f"{count / (time.monotonic() - began):,.0f} a second; {failed} failed"
    )
    return Finding(f"soak, {name}", count, failed + grown, note)


def stepping(count: int) -> Finding:
    """Steps drawn at random from the menus of one vector environment."""
    env = VectorMenuWrapper(gym.make_vec("NeedleInWeb-v0", num_envs=SLOTS))
    rng = np.random.default_rng(11)
    _, info = env.reset(seed=0)
    mask = info["action_mask"]

    def work(first: int, last: int) -> int:
        nonlocal mask
        for _ in range(first, last, SLOTS):
            chances = rng.random(mask.shape) * mask
            info = env.step(chances.argmax(axis=1))[4]
            mask = info["action_mask"]
        return 0

    found = flat("steps of 64 slots", os.getpid(), work, count)
    env.close()
    return found


def serving(kind: str, count: int) -> Finding:
    """Good requests of several clients at once."""
    server = Running("serve", kind, "sample", "--port", "0", "--json")
    port = port_of(server)

    def ask(numbers: range, failed: list[int]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for number in numbers:
            query = f"{WORDS[number % 10]} {WORDS[number // 10 % 10]} {number}"  # no cache has the answer
            for last in (False, True):
                try:
                    if kind == "retrieve":
                        body = json.dumps({"queries": [query], "topk": 3})
                        connection.request("POST", "/retrieve", body, {"Content-Type": "application/json"})
                    else:
                        connection.request("GET", "/" if number % 2 else "/search?q=" + query.replace(" ", "+"))
                    reply = connection.getresponse()
                    reply.read()
                    if reply.status != 200:
                        failed.append(number)
                    break
                except (OSError, http.client.HTTPException) as error:
                    connection.close()
                    # A connection that rests for seconds is closed, as a busy machine may let it: browsers ask anew.
                    if last or not isinstance(error, ConnectionError):
                        failed.append(number)
                        break
        connection.close()

    def work(first: int, last: int) -> int:
        failed: list[int] = []
        clients = [
            threading.Thread(target=ask, args=(range(first + one, last, CLIENTS), failed)) for one in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        return len(failed)

    try:
        return flat(f"serve {kind}", server.process.pid, work, count)
    finally:
        server.kill(15)
        server.end(30.0)


def attack(scale: float) -> Iterator[Finding]:
    """Runs it."""
    yield stepping(max(2 * SLOTS, int(STEPS * scale)))
    for kind in ("retrieve", "web"):
        yield serving(kind, max(100, int(REQUESTS * scale)))
