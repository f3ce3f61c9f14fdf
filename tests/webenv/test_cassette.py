"""The cassette: one file of recorded answers, and all that can become of a file."""

from __future__ import annotations

import copy
import json
import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import zstandard

from webenv.cassette import Cassette, Imported, RecordedAnswer
from webenv.cassette.file import TapeFile
from webenv.cassette.keys import KeyedRequest
from webenv.cassette.keys import keyed as asked
from webenv.errors import CassetteMiss, DataError, InvalidArgument, ServiceError

WHO = {"name": "someone"}

WRITER = """
import sys
from webenv.cassette import Cassette
from webenv.cassette.keys import keyed

path, prefix, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
cassette = Cassette(path, "record")
for number in range(count):
    rows = [(keyed("search", {"query": f"{prefix} {number} {n}"}), [prefix]) for n in range(4)]
    shared = (keyed("search", {"query": f"shared {number}"}), [prefix])
    kept = cassette.add([*rows, shared], {"name": "someone"})
    print(number, kept[shared[0].key][0], flush=True)
"""


def look(number: int) -> KeyedRequest:
    return asked("search", {"query": f"query {number}"})


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A cassette with the answers to ten searches."""
    path = tmp_path / "tape.db"
    with Cassette(path, "record") as cassette:
        cassette.add([(look(number), [number]) for number in range(10)], WHO)
    return path


def test_answers_are_given_again(tape: Path) -> None:
    """What was recorded is found by its request, in one file, and what was not is not."""
    with Cassette(tape) as cassette:
        assert cassette.find([look(7), look(3), look(99), look(7)]) == {look(7).key: [7], look(3).key: [3]}
        assert cassette.find([]) == {}
    assert [file.name for file in tape.parent.iterdir()] == ["tape.db"]


def test_more_answers_than_one_query_takes(tmp_path: Path) -> None:
    """A batch may be of any size."""
    every = [look(number) for number in range(2_000)]
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        cassette.add([(one, number) for number, one in enumerate(every)], WHO)
        assert cassette.find(every) == {one.key: number for number, one in enumerate(every)}


def test_samples_are_answers_of_their_own(tmp_path: Path) -> None:
    """One request has as many answers as it has samples."""
    votes = [asked("model", {"text": "a vote"}, sample) for sample in range(3)]
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        cassette.add([(vote, f"vote {vote.sample}") for vote in votes], WHO)
        found = cassette.find(votes)
        assert [found[vote.key] for vote in votes] == ["vote 0", "vote 1", "vote 2"]


def test_the_first_answer_counts(tape: Path) -> None:
    """Who records an answer that is there already is given that one."""
    with Cassette(tape, "record") as cassette:
        assert cassette.add([(look(1), ["other"]), (look(10), ["new"])], WHO) == {
            look(1).key: [1],
            look(10).key: ["new"],
        }
        assert cassette.find([look(1)]) == {look(1).key: [1]}


@pytest.mark.parametrize("data", ["a\ud800b", "\x00\x1b", "灯台 ñ 😀", "x" * 100_000, 0.1 + 0.2, {"b": [], "a": None}])
def test_any_data_survives(tmp_path: Path, data: Any) -> None:
    """What JSON has a form for comes back as it was, long or short, with lone surrogates too."""
    one = asked("search", {"query": data})
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        cassette.add([(one, data)], WHO)
    assert Cassette(tmp_path / "tape.db").find([one]) == {one.key: data}
    (row,) = Cassette(tmp_path / "tape.db").rows()
    assert (row.request, row.response) == ({"query": data}, data)


def test_live_touches_no_file(tmp_path: Path) -> None:
    """In mode live there is no file, and none is made."""
    assert not Cassette(tmp_path / "tape.db", "live").replays
    assert list(tmp_path.iterdir()) == []


def test_unknown_mode(tmp_path: Path) -> None:
    """An unknown mode is refused with the nearest known one."""
    with pytest.raises(InvalidArgument, match=r"cassette mode 'replya'\. Did you mean 'replay'\?"):
        Cassette(tmp_path / "tape.db", "replya")


def test_copies(tape: Path) -> None:
    """A cassette that is pickled opens the file anew; a deep copy is the cassette itself."""
    cassette = Cassette(tape)
    assert copy.deepcopy(cassette) is cassette
    assert pickle.loads(pickle.dumps(cassette)).find([look(2)]) == {look(2).key: [2]}


def test_used_after_closing(tape: Path) -> None:
    """A closed cassette opens again when it is used."""
    with Cassette(tape) as cassette:
        cassette.close()
        assert cassette.find([look(2)]) == {look(2).key: [2]}


# ── the digest ────────────────────────────────────────────────────────────────


def test_digest_is_of_the_content(tmp_path: Path) -> None:
    """The digest depends on requests, answers and who answered: not on order, time or batch."""

    def made(name: str, answers: list[tuple[int, Any]], who: dict[str, str], batch: int) -> str:
        with Cassette(tmp_path / name, "record") as cassette:
            for start in range(0, len(answers), batch):
                cassette.add([(look(n), a) for n, a in answers[start : start + batch]], who)
            return cassette.digest

    first = made("a", [(1, "x"), (2, "y"), (3, "z")], WHO, 3)
    assert first == "19a6adaba3205279421fe335a6d10102f2180d3c57e6e5d1e17ebe265c5a289d"
    assert made("b", [(3, "z"), (1, "x"), (2, "y")], WHO, 1) == first
    with Cassette(tmp_path / "a") as one, Cassette(tmp_path / "later", "record") as later:
        later.take(row._replace(recorded="2031-01-01T00:00:00Z") for row in one.rows())
        assert later.digest == first
    others = [made("c", [(1, "x"), (2, "y")], WHO, 3), made("d", [(1, "x"), (2, "y"), (3, "Z")], WHO, 3)]
    others.append(made("e", [(1, "x"), (2, "y"), (3, "z")], {"name": "another"}, 3))
    assert len({first, *others}) == 4


def test_contents(tape: Path) -> None:
    """A cassette tells how many answers it holds, of which kinds and of whom."""
    with Cassette(tape, "record") as cassette:
        cassette.register("judge", {"name": "strict", "version": "2"})
        contents = cassette.contents()
    assert contents.answers == {"search": 10}
    assert contents.answerers == (("web", WHO, 10), ("judge", {"name": "strict", "version": "2"}, 0))
    assert contents.first[:4] == contents.last[:4] == time.strftime("%Y", time.gmtime())


def test_who_answered_last_comes_last(tape: Path) -> None:
    """Of several who answered, the last to have done so comes last."""
    with Cassette(tape, "record") as cassette:
        cassette.register("web", {"name": "idle"})
        cassette.add([(look(11), [11])], {"name": "second"})
        cassette.add([(look(12), [12])], WHO)
        assert cassette.answerers("web") == [{"name": "idle"}, {"name": "second"}, WHO]


# ── a miss ────────────────────────────────────────────────────────────────────


def fill(path: Path, queries: list[str]) -> Cassette:
    with Cassette(path, "record") as cassette:
        cassette.add([(asked("search", {"query": query}), []) for query in queries], WHO)
    return Cassette(path)


def test_miss_shows_the_nearest(tmp_path: Path) -> None:
    """A miss shows what was asked, the nearest that is recorded, and what to do, in two lines."""
    cassette = fill(tmp_path / "tape.db", ["old mills", "keeper of the lighthouse 1912", "lighthouses"])
    miss = cassette.miss([asked("search", {"query": "the lighthouse keeper of 1912"}), look(1), look(2)])
    assert str(miss) == (
        f"cassette '{tmp_path}/tape.db' holds no answer to search "
        '{"query":"the lighthouse keeper of 1912"} (nor to 2 more of its batch).\n'
        'The nearest search it holds is {"query":"keeper of the lighthouse 1912"}; '
        "to have it asked and recorded, use mode 'record' (--cassette-mode record)."
    )
    assert isinstance(miss, CassetteMiss)
    assert not isinstance(miss, ServiceError | OSError)


def test_miss_of_a_kind_that_is_not_there(tape: Path) -> None:
    """Where nothing of the kind is recorded, the message says so."""
    assert "It holds no visit at all;" in str(Cassette(tape).miss([asked("visit", {"url": "https://a.example/"})]))


def test_miss_of_a_sample(tmp_path: Path) -> None:
    """Where only the sample is missing, the message says which ones there are."""
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        cassette.add([(asked("model", {"text": "hi"}, sample), "x") for sample in (0, 1, 4)], WHO)
        message = str(cassette.miss([asked("model", {"text": "hi"}, 2)]))
    assert 'no answer to model {"text":"hi"}, sample 2.\nIt has sample 0, 1, 4 of it;' in message


def test_miss_of_a_long_request(tmp_path: Path) -> None:
    """Long requests are shown from a little before they first differ."""
    talk = "".join(f" word{number}" for number in range(5_000))
    cassette = fill(tmp_path / "tape.db", [talk, "something else"])
    first, second = str(
        cassette.miss([asked("search", {"query": talk.replace("word2500 ", "WORD2500 ")})])
    ).splitlines()
    assert "WORD2500 word2501" in first
    assert "word2500 word2501" in second
    assert max(len(first), len(second)) < 450


@pytest.mark.slow
def test_miss_among_many_is_quick(tmp_path: Path) -> None:
    """Among 20,000 requests the nearest is found in a moment."""
    cassette = fill(
        tmp_path / "tape.db", [f"where is the number {n} of the street {n * 7 % 1_000}" for n in range(20_000)]
    )
    started = time.process_time()
    message = str(cassette.miss([asked("search", {"query": "where is number 777 of street 439 please"})]))
    assert time.process_time() - started < 6.0
    assert "where is the number 777 of the street 439" in message


# ── several at once ───────────────────────────────────────────────────────────


def writer(path: Path, prefix: str, count: int) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", WRITER, str(path), prefix, str(count)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_two_processes_record_at_once(tmp_path: Path) -> None:
    """Two processes that begin at the same time on no file lose nothing, and agree on what both asked."""
    path = tmp_path / "tape.db"
    processes = [writer(path, prefix, 60) for prefix in "ab"]
    outputs = [process.communicate(timeout=120) for process in processes]
    assert [error for _, error in outputs] == ["", ""]
    given = [output.splitlines() for output, _ in outputs]
    assert len(given[0]) == 60
    assert given[0] == given[1]  # of each shared query, the one answer that counts
    assert Cassette(path).contents().answers == {"search": 2 * 60 * 4 + 60}
    assert [file.name for file in tmp_path.iterdir()] == ["tape.db"]


CLOSER = """
import sys
from webenv.cassette import Cassette
from webenv.cassette.keys import keyed

for number in range(int(sys.argv[3])):
    cassette = Cassette(f"{sys.argv[1]}/{number}.db", "record")
    cassette.add([(keyed("search", {"query": sys.argv[2]}), [1])], {"name": "someone"})
    print("open", flush=True)
    sys.stdin.readline()
    cassette.close()
    print("closed", flush=True)
"""


def test_processes_close_at_once(tmp_path: Path) -> None:
    """Where four processes close at the same instant the last one folds the log in, so that one file holds it all."""
    closers = [
        subprocess.Popen(
            [sys.executable, "-c", CLOSER, str(tmp_path), name, "20"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "abcd"
    ]

    def all_say(word: str) -> None:
        for one in closers:
            assert one.stdout is not None
            assert one.stdout.readline() == f"{word}\n"

    for number in range(20):
        all_say("open")
        for one in closers:
            assert one.stdin is not None
            one.stdin.write("\n")
            one.stdin.flush()
        all_say("closed")
        assert [file.name for file in tmp_path.glob(f"{number}.db*")] == [f"{number}.db"]
        with Cassette(tmp_path / f"{number}.db") as cassette:
            assert cassette.contents().answers == {"search": 4}
    for one in closers:
        one.communicate(timeout=120)


@pytest.mark.parametrize("moment", [0, 1, 13, 40])
def test_killed_while_recording(tmp_path: Path, moment: int) -> None:
    """What was recorded when the process was killed is there; the file opens, and recording goes on."""
    path = tmp_path / "tape.db"
    process = writer(path, "a", 100_000)
    assert process.stdout is not None
    said = [process.stdout.readline() for _ in range(moment + 1)]
    time.sleep(moment / 10_000)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert said[-1].startswith(f"{moment} ")
    wanted = [asked("search", {"query": f"a {n} {m}"}) for n in range(moment + 1) for m in range(4)]
    with Cassette(path) as cassette:
        assert len(cassette.find(wanted)) == len(wanted)
        assert len(list(cassette.rows())) % 5 == 0  # batches are whole
    with Cassette(path, "record") as cassette:
        cassette.add([(look(1), [1])], WHO)
    assert [file.name for file in tmp_path.iterdir()] == ["tape.db"]


def test_read_while_it_is_recorded(tmp_path: Path) -> None:
    """A replay sees what another has recorded meanwhile."""
    path = tmp_path / "tape.db"
    with Cassette(path, "record") as recording:
        recording.add([(look(1), [1])], WHO)
        with Cassette(path) as replaying:
            assert len(replaying.find([look(1), look(2)])) == 1
            recording.add([(look(2), [2])], WHO)
            assert len(replaying.find([look(1), look(2)])) == 2


def test_threads(tmp_path: Path) -> None:
    """Threads share a cassette."""
    with Cassette(tmp_path / "tape.db", "record") as cassette:

        def work(first: int) -> None:
            for number in range(first, first + 100):
                cassette.add([(look(number), [number])], WHO)
                assert cassette.find([look(number)]) == {look(number).key: [number]}

        threads = [threading.Thread(target=work, args=(first,)) for first in (0, 50, 100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cassette.contents().answers == {"search": 200}


def test_fork(tmp_path: Path) -> None:
    """After a fork both sides record on, each with a connection of its own."""
    cassette = Cassette(tmp_path / "tape.db", "record")
    cassette.add([(look(0), [0])], WHO)
    child = os.fork()
    if child == 0:
        try:
            cassette.add([(look(1), [1])], WHO)
            cassette.close()
            os._exit(0 if len(cassette.find([look(0), look(1)])) == 2 else 1)
        except BaseException:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    cassette.add([(look(2), [2])], WHO)
    assert len(cassette.find([look(0), look(1), look(2)])) == 3
    cassette.close()


# ── files that are not what they should be ────────────────────────────────────


def test_no_file(tmp_path: Path) -> None:
    """A replay without a file is refused, and makes none."""
    with pytest.raises(DataError, match=r"there is no cassette at '.*tape.db'; record one"):
        Cassette(tmp_path / "tape.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("mode", ["replay", "record"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"cassette":1}\n' * 100, "is no cassette: it is not an SQLite file"),
        (b"SQLite format 3\0" + b"\xff" * 4_000, "is no cassette|is damaged"),
        ("folder", "is a folder; expected a file"),
        ("foreign", "is an SQLite file, but no cassette"),
        ("newer", "is of format 3; this webenv reads format 2"),
        ("short", r"is damaged or cut short \(database disk image is malformed\)"),
    ],
)
def test_files_that_are_no_cassette(tape: Path, content: bytes | str, message: str, mode: str) -> None:
    """A file that is none, of another kind or version, or cut short, is one clear line, and stays as it is."""
    if isinstance(content, bytes):
        tape.write_bytes(content)
    elif content == "folder":
        tape.unlink()
        tape.mkdir()
    elif content == "short":
        tape.write_bytes(tape.read_bytes()[:9_000])
    else:
        if content == "foreign":
            tape.unlink()
        with sqlite3.connect(tape) as connection:
            connection.execute("CREATE TABLE mine (a)" if content == "foreign" else "PRAGMA user_version = 3")
        connection.close()
    before = b"" if tape.is_dir() else tape.read_bytes()
    with pytest.raises(DataError, match=message) as caught:
        Cassette(tape, mode).find([look(1)])
    assert "\n" not in str(caught.value)
    assert before == (b"" if tape.is_dir() else tape.read_bytes())


def test_empty_file(tmp_path: Path) -> None:
    """An empty file can be recorded on, but not replayed."""
    path = tmp_path / "tape.db"
    path.touch()
    with pytest.raises(DataError, match="is empty: nothing was ever recorded on it"):
        Cassette(path)
    with Cassette(path, "record") as cassette:
        cassette.add([(look(1), [1])], WHO)
    assert len(Cassette(path).find([look(1)])) == 1


def test_damaged_answer(tape: Path) -> None:
    """An answer that is not what was recorded is never given."""
    with sqlite3.connect(tape) as connection:
        connection.execute("UPDATE answers SET response = '[8]' WHERE response = '[7]'")
    connection.close()
    with Cassette(tape) as cassette:
        assert cassette.find([look(6)]) == {look(6).key: [6]}
        with pytest.raises(DataError, match=r"is damaged or cut short \(an answer is not what was recorded"):
            cassette.find([look(7)])


@pytest.fixture
def locked() -> Iterator[Path]:
    """A read-only folder with a cassette in it, and who runs the tests is not let to write there."""
    folder = Path(tempfile.mkdtemp(prefix="webenv-locked-"))
    with Cassette(folder / "tape.db", "record") as cassette:
        cassette.add([(look(number), [number]) for number in range(10)], WHO)
    (folder / "tape.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.parametrize("log", [False, True])
def test_read_only_folder(locked: Path, log: bool) -> None:
    """A cassette in a folder that cannot be written is replayed, whatever its journal, and recording is refused."""
    if log:  # as it is left where the log could not be folded in
        locked.chmod(0o755)
        (locked / "tape.db").chmod(0o644)
        connection = sqlite3.connect(locked / "tape.db")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.close()
        (locked / "tape.db").chmod(0o444)
        locked.chmod(0o555)
    program = (
        "import os, sys\n"
        "from webenv.cassette import Cassette\n"
        "from webenv.errors import DataError\n"
        "if os.getuid() == 0:\n    os.setgid(65534); os.setuid(65534)\n"
        "print(Cassette(sys.argv[1]).contents().answers)\n"
        "try:\n    Cassette(sys.argv[1], 'record').register('web', {'name': 'x'})\n"
        "except DataError as error:\n    print(error)\n"
    )
    words = [sys.executable, "-c", program, str(locked / "tape.db")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    contents, refusal = done.stdout.splitlines()
    assert contents == "{'search': 10}"
    assert refusal.endswith("or its folder, does not let this user; change that, or copy it elsewhere.")
    assert [file.name for file in locked.iterdir()] == ["tape.db"]


def test_full_disk(tape: Path) -> None:
    """Where there is no more room, one clear error says so; what was recorded before is kept."""
    program = (
        "import resource, signal, sys\n"
        "from webenv.cassette import Cassette\n"
        "from webenv.errors import DataError\n"
        "from webenv.cassette.keys import keyed\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "cassette = Cassette(sys.argv[1], 'record')\n"
        "try:\n"
        "    for n in range(1000):\n"
        "        cassette.add([(keyed('search', {'query': f'{n}'}), 'x' * 3_000)], {'name': 'someone'})\n"
        "except DataError as error:\n    print(n); print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tape)], capture_output=True, text=True, timeout=300)
    assert done.stderr == ""
    count, message = done.stdout.splitlines()
    assert 5 < int(count) < 120
    assert message.startswith(f"cassette '{tape}' cannot be written: ")
    assert message.endswith("what was recorded before is kept.")
    kept = Cassette(tape).find([asked("search", {"query": f"{n}"}) for n in range(int(count))])
    assert len(kept) == int(count)


def test_no_room(tape: Path) -> None:
    """SQLite's own word for a full disk becomes a line that says what to do."""
    file = TapeFile(tape, writing=True)
    file.read(lambda connection: connection.execute("PRAGMA max_page_count = 20"))
    with pytest.raises(DataError, match="cannot be written: the disk is full; make room and go on, what was recorded"):
        file.write(lambda connection: connection.execute("CREATE TABLE big AS SELECT zeroblob(1000000)"))
    file.close()
    assert len(Cassette(tape).find([look(n) for n in range(10)])) == 10


# ── what never gets on it ─────────────────────────────────────────────────────


def test_secrets_are_masked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The values of variables that are named like secrets stand nowhere in the file, whoever echoed them."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "aws-very-secret-2")
    monkeypatch.setenv("DB_PASSWD", "db-very-secret-3")
    monkeypatch.setenv("PASSWORD", "my-very-secret-4")
    monkeypatch.setenv("SOME_TOKEN", "short")
    path = tmp_path / "tape.db"
    with Cassette(path, "record") as cassette:
        one = asked("search", {"query": "my key is sk-very-secret-1"})
        other = asked("search", {"query": "db-very-secret-3"})
        kept = cassette.add([(one, ["key aws-very-secret-2 is short", "x"])], {"name": "sk-very-secret-1"})
        failed = cassette.add_failures([(other, "my-very-secret-4 is wrong")], WHO)
        assert (kept, failed) == ({one.key: ["key *** is short", "x"]}, ({}, {other.key: "*** is wrong"}))
        assert "very-secret" not in str(cassette.miss([asked("search", {"query": "sk-very-secret-1?"})]))
        assert b"very-secret" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"very-secret" not in path.read_bytes()


def test_secrets_are_masked_however_they_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes, backslashes, line ends and letters beyond ASCII hide no secret, nor does a text that is JSON or a URL."""
    value = 'pa"ss\\wörd\n1'
    monkeypatch.setenv("DB_PASSWORD", value)
    written = (
        value,
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        "https://a.example/?p=pa%22ss%5Cw%C3%B6rd%0A1",
    )
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        rows = [(asked("search", {"query": f"{text} {number}"}), text) for number, text in enumerate(written)]
        assert list(cassette.add(rows, WHO).values()) == ["***", '"***"', '"***"', "https://a.example/?p=***"]
        queries = [row.request["query"] for row in cassette.rows()]
    assert queries == ["*** 0", '"***" 1', '"***" 2', "https://a.example/?p=*** 3"]


def test_no_key_depends_on_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked where a word was a secret is found where it is none, and in a copy that was made of an export."""
    monkeypatch.setenv("CI_PASSWORD", "lighthouse")
    one = asked("search", {"query": "lighthouse rain"})
    with Cassette(tmp_path / "tape.db", "record") as cassette:
        cassette.add([(one, ["x"])], WHO)
    monkeypatch.delenv("CI_PASSWORD")
    assert Cassette(tmp_path / "tape.db").find([one]) == {one.key: ["x"]}
    with Cassette(tmp_path / "copy.db", "record") as copied:
        assert copied.take(Cassette(tmp_path / "tape.db").rows()) == Imported(1, 0, 0)
        assert copied.find([asked("search", {"query": "lighthouse rain"})]) == {one.key: ["x"]}
        assert [row.request for row in copied.rows()] == [{"query": "*** rain"}]


# ── what failed ───────────────────────────────────────────────────────────────


def test_failures_stand_apart(tape: Path) -> None:
    """A replay finds failures, a recording does not; an answer takes a failure's place, and never the other way."""
    with Cassette(tape, "record") as cassette:
        whole = cassette.digest
        assert cassette.add_failures([(look(3), "down"), (look(20), "down")], WHO) == (
            {look(3).key: [3]},
            {look(20).key: "down"},
        )
        assert cassette.failures([look(3), look(20)]) == {}
        assert (cassette.contents().answers, cassette.contents().failures) == ({"search": 10}, {"search": 1})
        assert Cassette(tape).failures([look(3), look(20)]) == {look(20).key: "down"}
        assert Cassette(tape).find([look(20)]) == {}
        assert cassette.digest != whole
        cassette.add([(look(20), [20])], WHO)
        assert cassette.contents().failures == {}
    assert Cassette(tape).failures([look(20)]) == {}


def test_failures_are_merged(tape: Path, tmp_path: Path) -> None:
    """Failures are carried along; here an answer counts more, whichever came first."""
    with Cassette(tmp_path / "other.db", "record") as other:
        other.add_failures([(look(n), "down") for n in (1, 20, 21)], WHO)
        with Cassette(tape, "record") as cassette:
            cassette.add_failures([(look(20), "down")], WHO)
            assert cassette.take(other.rows()) == Imported(added=1, same=1, other=1)
            assert cassette.contents().failures == {"search": 2}
            cassette.take([row for row in Cassette(tape).rows() if row.request == {"query": "query 1"}])
            other.add([(look(21), [21])], WHO)
            assert cassette.take(other.rows()) == Imported(added=1, same=1, other=1)
            assert cassette.failures([look(21)]) == {}
            assert cassette.find([look(21)]) == {look(21).key: [21]}


# ── taken from elsewhere ──────────────────────────────────────────────────────


def test_merged(tape: Path, tmp_path: Path) -> None:
    """The answers of another cassette are added; what both have stays as it is here."""
    with Cassette(tmp_path / "other.db", "record") as other:
        other.add([(look(9), [9]), (look(1), ["other"]), (look(10), [10])], {"name": "another"})
        rows = list(other.rows())
    assert rows[0][:5] == ("search", {"query": "query 9"}, 0, [9], {"name": "another"})
    assert isinstance(rows[0], RecordedAnswer)
    with Cassette(tape, "record") as cassette:
        assert cassette.take(rows) == Imported(added=1, same=1, other=1)
        assert cassette.find([look(1), look(10)]) == {look(1).key: [1], look(10).key: [10]}
        assert cassette.answerers("web") == [WHO, {"name": "another"}]


# ── a file from a stranger ────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON answerers BEGIN DELETE FROM answers; END",
        "CREATE TABLE more (x)",
        "DROP TABLE failures; CREATE VIEW failures AS SELECT * FROM answers",
    ],
)
@pytest.mark.parametrize("mode", ["replay", "record"])
def test_a_strangers_schema_is_refused(tape: Path, statement: str, mode: str) -> None:
    """Views and triggers, which would be run, and tables that no cassette has are refused when it is opened."""
    with sqlite3.connect(tape) as connection:
        connection.executescript(statement)
    connection.close()
    with pytest.raises(DataError, match="has other tables, views or triggers than a cassette has"):
        Cassette(tape, mode)


def altered(tape: Path, column: str, value: object) -> Cassette:
    """The cassette with another value in a column of all its rows."""
    with sqlite3.connect(tape) as connection:
        connection.execute(f"UPDATE answers SET {column} = ?", (value,))
        if column == "response" and isinstance(value, str):
            connection.execute("UPDATE answers SET digest = ?", (sha256(value.encode()).digest(),))
    connection.close()
    return Cassette(tape)


def test_a_frame_that_stands_for_more_than_there_may_be_is_refused(tape: Path) -> None:
    """Three kilobytes that are 100 MB unpacked are not unpacked."""
    bomb = zstandard.ZstdCompressor().compress(b" " * 100_000_000)
    cassette = altered(tape, "request", bomb)
    with pytest.raises(DataError, match="a text of 100,000,000 bytes; at most 32,000,000 are unpacked"):
        list(cassette.rows())
    endless = zstandard.ZstdCompressor(write_content_size=False).compress(b" " * 100_000_000)
    with pytest.raises(DataError, match="is damaged"):
        list(altered(tape, "request", endless).rows())


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("response", "[" * 100_000),
        ("response", "9" * 5_000),
        ("response", "no JSON"),
        ("response", 5),
        ("request", b"\xff"),
        ("sample", "many"),
        ("kind", b"\xff"),
        ("answerer", 99),
    ],
)
def test_rows_that_nobody_recorded_are_damage(tape: Path, column: str, value: object) -> None:
    """Whatever stands in a row, reading it is answered, or refused in one clear line."""
    cassette = altered(tape, column, value)
    for read in (lambda: cassette.find([look(0)]), lambda: list(cassette.rows()), cassette.contents):
        with suppress(DataError):
            read()
    with suppress(DataError):
        assert len(cassette.digest) == 64


def test_no_link_is_followed(tape: Path, tmp_path: Path) -> None:
    """Links beside a cassette are refused, and one in its place where it would be written through."""
    other = tmp_path / "precious"
    other.write_text("precious")
    for ending in ("-wal", "-shm", "-journal"):
        planted = tape.with_name(tape.name + ending)
        planted.symlink_to(other)
        for mode in ("replay", "record"):
            with pytest.raises(DataError, match="is a symbolic link, which is not followed"):
                Cassette(tape, mode)
        planted.unlink()
    link = tmp_path / "link.db"
    link.symlink_to(tape)
    assert Cassette(link).contents().answers == {"search": 10}
    with pytest.raises(DataError, match="is a symbolic link"):
        Cassette(link, "record")
    assert other.read_text() == "precious"
