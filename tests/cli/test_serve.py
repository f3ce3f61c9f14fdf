"""``webenv serve`` on the command line."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import WEBENV
from webenv.cli.app import run


@contextmanager
def _served(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server in a process of its own, and the first line that it printed."""
    with subprocess.Popen(
        [*WEBENV, "serve", *words, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout.readline()
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("kind", "number", "code", "said"),
    [("web", signal.SIGINT, 130, "webenv: interrupted.\n"), ("retrieve", signal.SIGTERM, 0, "")],
)
def test_a_server_says_where_and_ends_cleanly(kind: str, number: signal.Signals, code: int, said: str) -> None:
    """The first line is one JSON object with its address; a signal ends it at once, with a client still connected."""
    with _served(kind, "sample", "--json") as (process, line):
        record = json.loads(line)
        assert (record["serves"], record["pages"], record["sites"], record["web"]["name"]) == (
            "sample",
            65,
            6,
            "corpus",
        )
        with httpx.Client(base_url=record["url"]) as client:
            assert client.get("/health").json()["digest"] == record["web"]["digest"]
            process.send_signal(number)
            out, err = process.communicate(timeout=40)
    assert (process.returncode, out, err) == (code, "", said)


def test_other_machines_are_warned_of() -> None:
    """Where others can come it says so on stderr; the line for people has the address first."""
    with _served("retrieve", "sample", "--host", "0.0.0.0", "--topk", "2", "--characters", "20") as (process, line):
        address, _, rest = line.partition(" ")
        assert rest == "serves sample: 65 pages on 6 sites; Ctrl-C ends it.\n"
        (hits,) = httpx.post(f"{address}/retrieve", json={"query": "lighthouse"}).json()["result"]
        assert [len(hit["contents"]) for hit in hits] == [20, 20]
        process.terminate()
        _, err = process.communicate(timeout=40)
    assert err == "webenv: warning: 0.0.0.0 can be reached from other machines; nobody is asked who they are.\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["web", "{nowhere}"], "there is no corpus at"),
        (["web", "sample", "--port", "{taken}"], "port {taken} of 127.0.0.1 is in use: choose another one"),
        (["retrieve", "sample", "--host", "192.0.2.1"], "host '192.0.2.1', port 8000: cannot be listened on"),
        (["retrieve", "procedural:worlds=3"], "has 3 worlds: serve one of them"),
        (["retrieve", "sample", "--topk", "1001"], "--topk 1001: expected a whole number from 1 to 1,000"),
        (["retrieve", "sample", "--characters", "0"], "--characters"),
        (["web", "sample", "--port", "65536"], "--port"),
        (["sites", "sample"], "No such command 'sites'"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What cannot be served is said in one line on stderr, with exit code 1."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        names = {"nowhere": tmp_path / "nowhere", "taken": listener.getsockname()[1]}
        words = [word.format(**names) for word in arguments]
        if "--port" not in words and "--host" not in words:
            words += ["--port", "0"]
        assert run(["serve", *words]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert message.format(**names) in shown.err


def test_half_sent_requests_keep_nobody_out() -> None:
    """With 256 descriptors and 260 requests that were begun and not ended, the next one is answered at once."""
    limited = ["bash", "-c", 'ulimit -n 256; exec "$@"', "bash", *WEBENV]
    words = ["serve", "retrieve", "sample", "--port", "0", "--json", "--workers", "1"]
    with subprocess.Popen([*limited, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        begun = [socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=5) for _ in range(260)]
        try:
            for one in begun:
                with suppress(OSError):  # it was closed already
                    one.sendall(b"POST /retrieve HTTP/1.1\r\n")
            assert len(httpx.post(f"{url}/retrieve", json={"query": "mill"}, timeout=5).json()["result"][0]) == 3
        finally:
            for one in begun:
                one.close()
            process.terminate()
            assert process.communicate(timeout=10)[1] == ""


def test_several_processes_share_a_port() -> None:
    """Each answers alike, and all end with the first."""
    with _served("retrieve", "sample", "--json", "--workers", "3") as (process, line):
        url = json.loads(line)["url"]
        replies = {httpx.post(f"{url}/retrieve", json={"query": "mill"}).text for _ in range(12)}
        assert len(replies) == 1
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, "", "webenv: interrupted.\n")


def test_when_the_first_process_is_killed_the_others_end() -> None:
    """No server is left behind that nobody can end."""
    with _served("retrieve", "sample", "--json", "--workers", "2") as (process, line):
        process.kill()
        process.communicate(timeout=10)  # all that hold its pipes have ended
        with pytest.raises(httpx.ConnectError):
            httpx.get(json.loads(line)["url"])
