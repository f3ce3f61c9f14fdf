"""Files that outlive a killed process, and what reads them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from webenv.errors import DataError, RunError, TaskFileError
from webenv.runtime.files import (
    AppendOnlyFile,
    files_in,
    read_json_records,
    read_lines,
    read_text,
    whole_bytes,
    write_atomic,
)
from webenv.runtime.folders import FolderLock


def test_text_is_read_to_the_letter(tmp_path: Path) -> None:
    """A byte order mark goes, line ends of any kind stay."""
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path / "a.txt", "notes") == "a\r\nb\rc\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "notes 'x' cannot be read: No such file or directory."), (b"ab\xff", "notes 'x' is not UTF-8 (byte 2); ")],
)
def test_text_that_cannot_be_read(
    content: bytes | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is no text is refused in one line, with the error that was asked for."""
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("x").write_bytes(content)
    for error in (DataError, TaskFileError):
        with pytest.raises(error) as caught:
            read_text("x", "notes", error)
        assert str(caught.value).startswith(message)
        assert type(caught.value) is error


def test_records_of_lines_and_of_lists(tmp_path: Path) -> None:
    """A separator within a text ends no line; places name the line, or the record of a list."""
    title = {"title": "a\u2028b\x85c"}
    lines = f"\n{json.dumps(title, ensure_ascii=False)}\r\n\n2\n"
    (tmp_path / "lines").write_text(lines, encoding="utf-8", newline="")
    found = read_json_records(tmp_path / "lines", "tasks")
    assert [(one.number, one.value) for one in found] == [(2, title), (4, 2)]
    assert found[1].place == f"tasks '{tmp_path / 'lines'}', line 4"
    assert found[0].line.rstrip("\r") == json.dumps(title, ensure_ascii=False)
    (tmp_path / "list").write_text(" [7,\n8]")
    listed = read_json_records(tmp_path / "list", "tasks")
    assert [(one.number, one.line, one.value) for one in listed] == [(1, "", 7), (2, "", 8)]
    assert listed[1].place.endswith("list', record 2")


def test_what_is_read_whole_has_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too long, or of too many values for its length, is refused before it is parsed; so is a device."""
    (tmp_path / "many").write_text("[" + "[]," * 5_000_000 + "[]]")
    with pytest.raises(DataError, match="many' has more than 10,000,000 braces, brackets, commas and lines; split it"):
        read_json_records(tmp_path / "many", "tasks")
    monkeypatch.setattr("webenv.runtime.files.MOST_BYTES", 1 << 20)
    for path in (tmp_path / "many", Path("/dev/zero")):
        with pytest.raises(DataError, match="has more than 1 MiB; split it"):
            read_text(path, "tasks")


def test_files_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regular files by their endings; a link among them is refused, whatever it leads to, and so are too many files."""
    for name in ("b.JSON", "a.json", "c.txt"):
        (tmp_path / name).write_text("[]")
    (tmp_path / "folder.json").mkdir()
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    assert [file.name for file in files_in(tmp_path, (".json",))] == ["a.json", "b.JSON"]
    with pytest.raises(TaskFileError, match=r"link\.txt is a symbolic link, and is not followed"):
        files_in(tmp_path, (".txt",), TaskFileError)
    with pytest.raises(DataError, match="nowhere cannot be read: No such file or directory"):
        files_in(tmp_path / "nowhere", (".txt",))
    monkeypatch.setattr("webenv.runtime.files.MOST_FILES", 1)
    with pytest.raises(DataError, match="holds 2 files; expected 1 at most"):
        files_in(tmp_path, (".json",))


@pytest.mark.parametrize(
    ("text", "message"), [("1\n{\n", "lines', line 2 is no JSON: "), ("[1", "lines' is no JSON: ")]
)
def test_what_is_no_json(text: str, message: str, tmp_path: Path) -> None:
    """A line that is no JSON is named."""
    (tmp_path / "lines").write_text(text)
    with pytest.raises(DataError, match=message):
        read_json_records(tmp_path / "lines", "tasks")


@pytest.mark.parametrize("tail", [b"", b"c", b"c" * 200_000])
def test_an_unfinished_line_is_dropped(tail: bytes, tmp_path: Path) -> None:
    """What a killed process left unfinished is neither read nor followed by another line, however long it is."""
    path = tmp_path / "lines"
    path.write_bytes(b"a\nb\n" + tail)
    assert list(read_lines(path)) == [b"a\n", b"b\n"]
    lines = AppendOnlyFile(path)
    assert lines.dropped == len(tail)
    lines.append([b"d\n", b"e\n"])
    lines.close()
    lines.close()
    assert path.read_bytes() == b"a\nb\nd\ne\n"
    with open(path, "rb") as file:
        assert whole_bytes(file.fileno()) == 8


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    """What is there is replaced at once, nothing else is left, and lone surrogates do no harm."""
    path = tmp_path / "file"
    path.write_text("before")
    write_atomic(path, "a\n\ud800")
    assert path.read_bytes() == b"a\n?"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """A file that cannot be written is one line."""
    (tmp_path / "file").write_text("")
    for write in (lambda path: write_atomic(path, ""), AppendOnlyFile, lambda path: FolderLock(path, path, "wait")):
        with pytest.raises(RunError, match=r"below cannot be written: Not a directory; "):
            write(tmp_path / "file" / "below")


WINDOWS = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "pread"):
    delattr(os, name)
import gymnasium as gym, webenv
env = gym.make("NeedleInWeb-v0", web="procedural:pages=300")
env.reset(seed=0)
print(len(env.step(webenv.search("old"))[0]["results"]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="stands in for Windows")
def test_an_environment_is_made_where_there_are_no_locks(tmp_path: Path) -> None:
    """A web is generated, kept and searched without what Windows lacks: locks, resource limits, guarded opening."""
    command = [sys.executable, "-c", WINDOWS]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "WEBENV_CACHE": str(tmp_path)})
    assert (done.stdout, done.stderr) == ("10\n", "")
