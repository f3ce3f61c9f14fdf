"""The page as a file: whole in itself, closed to whatever its texts say."""

from __future__ import annotations

import base64
import hashlib
import html
import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.viewing.episodes import GOLD, episode, pages, turn
from tests.viewing.hostile_run import ATTACKS, URLS, hostile_run, write_run
from tests.viewing.parts import Parts
from webenv.errors import RunError
from webenv.viewing import write_view


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run whose every text is an attack."""
    return write_view(hostile_run(tmp_path_factory.mktemp("hostile") / "run")).path


def digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_policy(page: Path) -> None:
    """The page forbids itself everything but its own script and style, which it names by their digests."""
    parts = Parts(page)
    (policy,) = [one["content"] for one in parts.named("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest(parts.own('script'))}'; "
        f"style-src 'sha256-{digest(parts.own('style'))}'; base-uri 'none'; form-action 'none'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )


def test_nothing_from_elsewhere(page: Path) -> None:
    """No element of the page names another file, and none has a handler or a style of its own."""
    every = [(tag, name) for tag, attributes in Parts(page).tags for name in attributes]
    assert {name for _, name in every} <= {
        *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "aria-label", "aria-live"),
        *("role", "tabindex", "type"),
    }
    assert [one["href"] for one in Parts(page).named("a")] == ["#main"]


def test_hostile_texts_stand_in_no_markup(page: Path) -> None:
    """What came from outside is held as Base64; what of it stands in the title is escaped."""
    parts = Parts(page)
    assert [tag for tag, _ in parts.tags if not tag.startswith("/")].count("script") == 1 + len(
        [one for one in parts.named("script") if one.get("type") == "application/x-webenv"]
    )
    text = page.read_text(encoding="utf-8")
    assert "<script>window.ran" not in text
    assert (
        text.count(html.escape("<script>window.ran")) == 16
    )  # four in the names of environment and policy, in title and heading
    assert {tag for tag, _ in parts.tags} & {"img", "svg", "iframe", "base", "link", "object", "embed"} == set()


def test_hostile_texts_are_kept_to_the_letter(page: Path) -> None:
    """No text is lost or changed on its way into the page."""
    parts = Parts(page)
    rows = parts.data("overview")["episodes"]
    assert {row["outcome"] for row in rows} == set(ATTACKS)
    assert {row["tags"]["__proto__"] for row in rows} == {"x"}
    turns = [parts.episode(row)["turns"] for row in rows]
    assert {parts.text(one[1]["notice"]) for one in turns} == set(ATTACKS)
    assert [parts.text(url) for _, url, _ in turns[0][1]["results"]] == list(URLS)


def test_texts_are_held_once(tmp_path: Path) -> None:
    """A page that a hundred episodes read adds its text once."""
    text = "".join(hashlib.sha256(str(number).encode()).hexdigest() for number in range(500))  # 32,000 characters
    records = [
        episode(turn("visit", GOLD, pages=pages(GOLD, text=text)), turn("answer", GOLD), task=f"t/{number}")
        for number in range(100)
    ]
    with_one = write_view(write_run(tmp_path / "one", records[:1])).size
    with_all = write_view(write_run(tmp_path / "all", records)).size
    assert with_all - with_one < 10_000 < 32_000 < with_one


def test_same_bytes(tmp_path: Path) -> None:
    """The page depends on the run alone."""
    run = hostile_run(tmp_path / "run")
    first = write_view(run).path.read_bytes()
    assert write_view(run).path.read_bytes() == first


@pytest.fixture
def small_files() -> Iterator[None]:
    """Files cannot grow beyond 20,000 bytes, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, ignored)


def test_full_disk(tmp_path: Path, small_files: None) -> None:
    """On a full disk the page that was there stays, and nothing else is left."""
    run = write_run(tmp_path / "run", [episode(turn("answer", GOLD))])
    (run / "view.html").write_text("the page of before")
    with pytest.raises(RunError, match=r"view.html cannot be written: File too large"):
        write_view(run)
    assert (run / "view.html").read_text() == "the page of before"
    assert sorted(file.name for file in run.iterdir()) == ["episodes.jsonl", "run.json", "view.html"]


def a_run(folder: Path) -> Path:
    return write_run(folder, [episode(turn("answer", GOLD), value=1.0)])


def test_a_planted_link_is_not_written_through(tmp_path: Path) -> None:
    """Where the page and its draft lie as links to a file of the reader's, that file stays as it was."""
    run, own = a_run(tmp_path / "run"), tmp_path / "own"
    own.write_text("mine")
    for name in ("view.html", ".view.html.new"):
        (run / name).symlink_to(own)
    assert not write_view(run).path.is_symlink()
    assert own.read_text() == "mine"


@pytest.mark.parametrize("name", ["run.json", "episodes.jsonl", "rescored"])
def test_what_is_read_of_a_run_lies_in_it(tmp_path: Path, name: str) -> None:
    """A link in the place of a part of a run is refused, so that no page shows what lies elsewhere."""
    run, elsewhere = a_run(tmp_path / "run"), a_run(tmp_path / "elsewhere")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(elsewhere / name if name != "rescored" else elsewhere)
    with pytest.raises(RunError, match="is a symbolic link, "):
        write_view(run)


def test_runs_below_a_folder_lie_in_it(tmp_path: Path) -> None:
    """A run that a folder only links to is none of its runs."""
    a_run(tmp_path / "elsewhere")
    a_run(tmp_path / "runs" / "one")
    (tmp_path / "runs" / "two").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="two is a symbolic link, and is not followed"):
        write_view(tmp_path / "runs")


def test_a_pipe_in_a_run_is_not_waited_for(tmp_path: Path) -> None:
    """What is no regular file is refused."""
    run = a_run(tmp_path / "run")
    (run / "episodes.jsonl").unlink()
    os.mkfifo(run / "episodes.jsonl")
    with pytest.raises(RunError, match="it is no regular file"):
        write_view(run)
