"""An event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from webenv.runtime.event_loop import BackgroundLoop, LoopStalled


class Tenant:
    def __init__(self) -> None:
        self.closed = False
        self.cancelled = 0

    async def aclose(self) -> None:
        self.closed = True

    async def wait(self, seconds: float) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return threading.current_thread().name

    async def fail(self) -> None:
        raise ValueError("told")


def test_work_runs_in_a_thread_of_its_own_at_the_same_time() -> None:
    line = BackgroundLoop(Tenant, "webenv-test")
    started = time.monotonic()
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(line.run(lambda tenant: tenant.wait(0.5)))) for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    line.close()
    assert found == ["webenv-test"] * 20
    assert time.monotonic() - started < 9.0


def test_an_error_comes_to_the_caller() -> None:
    line = BackgroundLoop(Tenant, "webenv-test")
    with pytest.raises(ValueError, match="told"):
        line.run(lambda tenant: tenant.fail())
    line.close()


def test_closing_ends_what_is_under_way_and_closes_the_tenant() -> None:
    tenant = Tenant()
    line = BackgroundLoop(lambda: tenant, "webenv-test")
    caught: list[BaseException] = []

    def call() -> None:
        try:
            line.run(lambda tenant: tenant.wait(60.0))
        except BaseException as error:
            caught.append(error)

    caller = threading.Thread(target=call)
    caller.start()
    time.sleep(0.1)
    line.close()
    caller.join(timeout=120)
    assert not caller.is_alive()
    assert len(caught) == 1
    assert (tenant.closed, tenant.cancelled) == (True, 1)


def test_a_line_that_is_let_go_of_ends_its_thread() -> None:
    line = BackgroundLoop(Tenant, "webenv-let-go")
    line.run(lambda tenant: tenant.wait(0.0))
    del line
    assert "webenv-let-go" not in {thread.name for thread in threading.enumerate()}


def test_a_step_that_blocks_fails_the_request_and_not_the_process() -> None:
    """A loop that takes no further step is given up: its caller is told, and the next call has a loop of its own."""
    free = threading.Event()

    async def block(_: Tenant) -> None:
        free.wait(30)

    async def answer(_: Tenant) -> int:
        await asyncio.sleep(1.5)  # longer than a look at the loop
        return 7

    line = BackgroundLoop(Tenant, "blocked", patience=1.0)
    with pytest.raises(LoopStalled, match="takes longer than 1 seconds"):
        line.run(block)
    assert line.run(answer) == 7
    line.close()
    free.set()
