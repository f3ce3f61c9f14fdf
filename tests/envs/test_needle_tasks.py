"""The official tasks of Needle in the Web, and how answers are read."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.envs.needle_in_web.tasks import load_tasks, read_answer, render_question
from webenv.errors import TaskFileError, UnknownTask
from webenv.task import Gold


def record(number: Any = 1, **changes: Any) -> dict[str, Any]:
    """A record in the official format, with numbering and backticks as they occur there."""
    return {
        "context": {"title": "A", "url": f"https://a.example/{number}", "content": "# A\n\nabout a"},
        "raw_questions": ["1. `Someone` built it.", "2. It stands **somewhere**.", " It burned  down.\n"],
        "ground_truth": ["1. Ann built it.", "It stands in Bath.", "It burned down in 1900."],
        "question": None,
        "id": number,
    } | changes


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def _write(content: Any, name: str = "site_easy.json") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return _write


def test_a_record_becomes_a_task(write: Callable[..., Path]) -> None:
    """Site and difficulty come from the file's name; numbering and markup are dropped from criteria and claims."""
    task = load_tasks(write([record(7)], "open_library_hard.json"))[0]
    assert task.id == "open_library_hard/7"
    assert task.criteria == ("Someone built it.", "It stands somewhere.", "It burned down.")
    assert task.gold == Gold(
        urls=("https://a.example/7",), claims=("Ann built it.", "It stands in Bath.", "It burned down in 1900.")
    )
    assert task.tags == {"site": "open_library", "difficulty": "hard"}
    assert task.question == (
        "Find the one web page that mentions all of the following, and answer with its URL "
        "(or with 'No source found.'):\n- Someone built it.\n- It stands somewhere.\n- It burned down."
    )


def test_years_are_not_numbering(write: Callable[..., Path]) -> None:
    """Only one or two digits with a point or bracket at the beginning are numbering."""
    questions = ["1900. was a year.", "3.5 metres high.", "12) Twelve."]
    assert load_tasks(write([record(raw_questions=questions)]))[0].criteria == (
        "1900. was a year.",
        "3.5 metres high.",
        "Twelve.",
    )


def test_folders_and_files(write: Callable[..., Path], tmp_path: Path) -> None:
    """A folder gives its files sorted by name; several paths are loaded in their order."""
    easy, hard = write([record(2), record(1)], "b_easy.json"), write([record()], "a_hard.json")
    assert [task.id for task in load_tasks(tmp_path)] == ["a_hard/1", "b_easy/2", "b_easy/1"]
    assert [task.id for task in load_tasks(easy, str(hard))] == ["b_easy/2", "b_easy/1", "a_hard/1"]


def test_flagged_records_are_left_out(write: Callable[..., Path]) -> None:
    """Records whose criteria and claims do not match are left out, counted, and named with the reason."""
    records = [
        record(1),
        record(2, raw_questions=["a", "b"]),
        record(3, ground_truth=[]),
        record(4, raw_questions=[], ground_truth=[]),
        record(5, raw_questions=["a", "", " ", "b", "c"]),
    ]
    tasks = load_tasks(write(records))
    assert [task.id for task in tasks] == ["site_easy/1", "site_easy/5"]
    assert [(one.task.id, one.reason) for one in tasks.excluded] == [
        ("site_easy/2", "2 criteria for 3 claims"),
        ("site_easy/3", "3 criteria for 0 claims"),
        ("site_easy/4", "no criteria"),
    ]
    with pytest.raises(UnknownTask, match=r"task 'site_easy/2' was left out: 2 criteria for 3 claims\."):
        tasks.find("site_easy/2")


def test_flagged_records_can_be_kept(write: Callable[..., Path]) -> None:
    """Flagged records are kept on demand, with the reason as a tag."""
    tasks = load_tasks(write([record(1), record(2, raw_questions=["a", "b"])]), flagged=True)
    assert [task.tags.get("flagged") for task in tasks] == [None, "2 criteria for 3 claims"]
    assert tasks.excluded == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", " holds no record; expected a list of records."),
        ('[{"id": 1', "is no JSON: Expecting ',' delimiter: line 1 column 10 (char 9)."),
        ("[" * 100_000, "is no JSON: "),
        ({"id": 1}, "holds a JSON dict; expected a list of records."),
        ("null", "holds a JSON NoneType; expected a list of records."),
        ([record(1), record(1)], ": the id 1 comes twice; ids must differ in a file."),
        ([record(1), record("1")], ": the id 1 comes twice; ids must differ in a file."),
        ([record(1), 5], ", record 1: id is None; expected a number or a text."),
        ([record(None)], ", record 0: id is None; expected a number or a text."),
        ([record(True)], ", record 0: id is True; expected a number or a text."),
        ([record(1, id=" ")], ", record 0: id is ' '; expected a number or a text."),
        ([record(context=None)], ", record 0: context is None; expected an object with title, url and content."),
        ([record(context={})], ", record 0: url is None; expected the URL of the page."),
        ([record(context={"url": "  "})], ", record 0: url is '  '; expected the URL of the page."),
        ([record(context={"url": 5})], ", record 0: url is 5; expected the URL of the page."),
        ([record(raw_questions="a")], ", record 0: raw_questions is 'a'; expected a list of criteria."),
        (
            [record(raw_questions=["a" * 20_001])],
            ", record 0: raw_questions are longer than 20,000 characters together.",
        ),
        ([record(raw_questions=[None])], ", record 0: raw_questions holds None; expected texts only."),
        ([record(ground_truth={})], ", record 0: ground_truth is {}; expected a list of claims."),
        ([record(ground_truth=["a", 5])], ", record 0: ground_truth holds 5; expected texts only."),
    ],
)
def test_broken_files(write: Callable[..., Path], content: Any, message: str) -> None:
    """What is wrong with a file is said in one line that begins with its path and names the record."""
    path = write(content)
    with pytest.raises(TaskFileError) as error:
        load_tasks(path)
    text = str(error.value)
    before, _, after = text.partition(str(path))
    assert before in ("", "tasks '")
    assert "\n" not in text
    assert message in after


def test_not_utf8(tmp_path: Path) -> None:
    """A file in another encoding is refused by name."""
    path = tmp_path / "site_easy.json"
    path.write_bytes('["ñ"]'.encode("latin-1"))
    with pytest.raises(TaskFileError, match=r"site_easy\.json' is not UTF-8 \(byte 2\)"):
        load_tasks(path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "nowhere: no such file or folder; expected files such as wikipedia_easy.json."),
        ("nowhere_easy.json", "nowhere_easy.json: no such file or folder; expected files such as"),
        ("empty", "empty holds no .json file; expected files such as wikipedia_easy.json."),
        ("odd.json", "odd.json: the name says neither site nor difficulty; expected <site>_easy.json, _medium or"),
        ("_easy.json", "_easy.json: the name says neither site nor difficulty"),
    ],
)
def test_paths_without_tasks(tmp_path: Path, name: str, message: str) -> None:
    """A path that leads to no task file is refused, and what was expected is said."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd.json").write_text("[]")
    (tmp_path / "_easy.json").write_text("[]")
    with pytest.raises(TaskFileError) as error:
        load_tasks(tmp_path / name)
    assert message in str(error.value)


def test_the_same_file_twice(write: Callable[..., Path]) -> None:
    """A file that is named twice is refused by the id that would come twice."""
    path = write([record(1)])
    with pytest.raises(TaskFileError, match="two tasks have the id 'site_easy/1'"):
        load_tasks(path, path.parent)


def test_render_question() -> None:
    """The first line says what to do; each further line is a criterion."""
    assert render_question(["a", "b"]).splitlines()[1:] == ["- a", "- b"]


URL = "https://a.example/b"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (URL, URL),
        (f"  {URL}\n", URL),
        (f"<{URL}>", URL),
        (f"<source>{URL}</source>", URL),
        (f"It is this.\n<source>\n{URL}\n</source> I am sure.", URL),
        (f"<SOURCE>{URL}</Source>", URL),
        (f"<source>{URL}</source><source>https://other.example/</source>", URL),
        (f"</source><source>{URL}</source>", URL),
        (f"<source><source>{URL}</source>", f"source>{URL}"),
        (f"[A page]({URL})", URL),
        (f"[A page]({URL}_(second))", f"{URL}_(second)"),
        (f"[A (2nd) page]({URL}_(c)_d)", f"{URL}_(c)_d"),
        (f'[A page]({URL} "its title")', URL),
        (f"[A page](<{URL}>)", URL),
        (f"[A page](<{URL} c>)", f"{URL} c"),
        (f"[A page]( {URL} )", URL),
        (f"[]({URL})", URL),
        (f"[A [nested] page]({URL})", URL),
        (f"<source>[A page]({URL})</source>", URL),
        (f"<source>[A page]({URL}</source>", URL),
        (f"see [one]({URL}) and [two](https://other.example/)", URL),
        ("", ""),
        ("   ", ""),
        ("<source></source>", ""),
        ("[A page]()", ""),
        ("No source found.", ""),
        ("no source found", ""),
        ("No Source Found!", ""),
        ("“No source was found.”", ""),
        ("<source>No source found.</source>", ""),
        ("No source found. Perhaps https://a.example/b", "No source found. Perhaps https://a.example/b"),
        ("https://a.example/no source found", "https://a.example/no source found"),
        ("https://a.example/last", "https://a.example/last"),
        ("https://a.example/a](b)", "https://a.example/a](b)"),
        *(
            (text, URL)
            for text in (f"`{URL}`", f'"{URL}"', f"'{URL}'", f"“{URL}”", f"[{URL}]", f"({URL})", f"**{URL}**")
        ),
        *((text, URL) for text in (f"{URL}.", f"`{URL}`.", f"<{URL}>.", f'"`{URL}`."', f"<source>`{URL}`.</source>")),
        ("https://a.example/wiki/Apple_Inc.", "https://a.example/wiki/Apple_Inc."),
        ("https://a.example/wiki/U.S.", "https://a.example/wiki/U.S."),
        ("https://a.example/wiki/Mill_(river)", "https://a.example/wiki/Mill_(river)"),
        ("https://a.example/wiki/Yahoo!", "https://a.example/wiki/Yahoo!"),
    ],
)
def test_read_answer(text: str, url: str) -> None:
    """A URL is read bare, as a link's target, or from between the first open and the first close tag."""
    assert read_answer((text,)) == ((url,) if url else ())


def test_no_text() -> None:
    """Without a text there is no answer; of several the first is read."""
    assert read_answer(()) == ()
    assert read_answer((URL, "https://other.example/")) == (URL,)


@pytest.mark.parametrize(
    "piece", ["[", "](", "](<", "](x ", "[a](", "<source>", "</source>", "(", "](a(", ".", " ", "<"]
)
def test_time_is_linear(piece: str) -> None:
    """The longest answer that is allowed is read within two seconds of processor time, whatever it repeats."""
    started = time.process_time()
    read_answer(((piece * 200_000)[:200_000],))
    read_answer((f"[a]({piece * 200_000}"[:200_000],))
    assert time.process_time() - started < 2.0


@given(st.lists(st.sampled_from(["[", "]", "(", ")", "<", ">", "<source>", "</source>", "a", " ", URL]), max_size=30))
def test_never_raises(pieces: list[str]) -> None:
    """Whatever an answer is made of, a text without outer blanks is read from it."""
    read = read_answer(("".join(pieces),))
    assert all(text and text == text.strip() for text in read)


@pytest.mark.parametrize(
    "written",
    ["`{}`", '"{}"', "'{}'", "“{}”", "**{}**", "({})", "[{}]", "<{}>", "{}.", "{},", "**`{}`**.", "```\n{}\n```"],
)
def test_urls_in_prose(written: str) -> None:
    """Quotes, backticks, asterisks, brackets and a mark behind a URL are no part of it."""
    for url in ("https://a.example/b", "https://a.example/b_(c)", "https://a.example/Washington,_D.C."):
        assert read_answer((written.format(url),)) == (url,)


@pytest.mark.parametrize(
    "url", ["https://a.example/U.S.", "https://a.example/Robert_Downey_Jr.", "https://a.example/b)"]
)
def test_urls_that_end_with_marks(url: str) -> None:
    """A full stop of an abbreviation, and a bracket that nothing opens, are the URL's own."""
    assert read_answer((url,)) == (url,)
