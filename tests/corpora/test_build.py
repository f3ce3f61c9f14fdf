"""A build is repeatable, complete, and all or nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from webenv.corpora import Corpus, SourcePage, build
from webenv.errors import CorpusError
from webenv.web import SearchRequest, VisitRequest

TEXTS = ("harbour tide", '"page"', "violin glacier meadow", "lantern site:site.example")
QUERIES = [SearchRequest(text, 20) for text in TEXTS]
FORMER = [SourcePage("https://a.example", "Former", "the former text")]


def test_number_of_workers_does_not_matter(site: Path, folder: Path, tmp_path: Path) -> None:
    """Two workers and one give the same digest, rankings and pages."""
    manifest = build(tmp_path / "two", [f"html:{site}@https://site.example"], workers=2)
    with Corpus.open(folder) as one, Corpus.open(tmp_path / "two") as two:
        assert (manifest.pages, manifest.digest) == (60, one.digest)
        assert two.search(QUERIES) == one.search(QUERIES)
        assert list(two.pages()) == list(one.pages())


def test_disk_and_memory_agree(pages: list[SourcePage], tmp_path: Path) -> None:
    """The same pages on disk and in memory have one digest and one ranking."""
    build(tmp_path / "c", [pages[:30], pages[30:]], workers=1)
    memory = Corpus.of(pages)
    with Corpus.open(tmp_path / "c") as disk:
        assert disk.digest == memory.digest
        assert disk.search(QUERIES) == memory.search(QUERIES)
        assert dict(disk.sites) == dict(memory.sites)


def test_a_manifest_tells_what_is_there(folder: Path, site: Path) -> None:
    """Counts, sites, sources and tools stand in the manifest."""
    record = json.loads((folder / "manifest.json").read_text())
    assert record["pages"] == 60
    assert record["sites"] == {"site.example": 60}
    assert record["sources"] == [f"html:{site}@https://site.example"]
    assert record["extractor"].startswith("trafilatura 2.")
    assert record["skipped"] == {}
    assert set(record["files"]) >= {"pages.sqlite", "index/meta.json"}


def test_bad_documents_are_counted_by_reason(
    tmp_path: Path, prose: Callable[..., str], html: Callable[..., str]
) -> None:
    """Whatever a document holds, the build goes on, and says what it left out and why."""
    folder = tmp_path / "html"
    folder.mkdir()
    (folder / "good.html").write_text(html("Good", prose(1)))
    (folder / "empty.html").write_text("")
    (folder / "no_text.html").write_text("<html><body><script>x()</script></body></html>")
    (folder / "binary.html").write_bytes(bytes(range(256)) * 40)
    (folder / "large.html").write_bytes(b"<p>" + b"x" * 50_000_000)
    (folder / "gone.html").symlink_to(folder / "nowhere.html")
    (folder / "away.html").write_text('<meta http-equiv="refresh" content="0; url=lost.html">')
    lines = tmp_path / "pages.jsonl"
    records = [
        '{"url": "https://a.example/1", "text": "one text"}',
        "",
        "{broken",
        "[1, 2]",
        '{"text": "no url"}',
        '{"url": 3, "text": "x"}',
        '{"url": "https://a.example/2"}',
        '{"url": "mailto:x@y", "text": "x"}',
        '{"url": "https://a.example/3", "text": "\\u0000 \\ud800"}',
        '{"url": "http://www.a.example/1/", "text": "one text"}',
        '{"url": "http://www.a.example/1/", "text": "another text"}',
        '{"url": "https://a.example/4", "text": "a\\u0000b \\ud800", "title": 7, "date": "soon", '
        '"aliases": [1, "://", "https://b.example"]}',
    ]
    lines.write_text("\n".join(records))
    manifest = build(tmp_path / "c", [f"html:{folder}@https://h.example", f"jsonl:{lines}"], workers=2)
    assert manifest.skipped == {
        "URL already taken by a page with another text": 1,
        "bad JSON line": 1,
        "bad URL": 1,
        "empty text": 3,
        "record is no JSON object": 1,
        "record without text or html": 1,
        "record without url or id": 2,
        "redirect to a page that is not here": 1,
        "too large": 1,
        "unreadable file": 1,
    }
    assert manifest.examples["bad JSON line"] == [f"jsonl:{lines}:3"]
    with Corpus.open(tmp_path / "c") as corpus:
        assert sorted(corpus.urls()) == [
            "https://a.example/1",
            "https://a.example/3",
            "https://a.example/4",
            "https://h.example/good.html",
        ]
        (page,) = corpus.visit([VisitRequest("https://b.example/")])
        assert page.text == "ab \ufffd"


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        ([], "at least one source"),
        (["htm:x"], "unknown source 'htm:x'.*Did you mean 'html'"),
        (["html:/nowhere@https://a.example"], "there is no /nowhere"),
        (["jsonl:/nowhere"], "cannot be read: No such file"),
        (["needle:/nowhere"], "expected a folder with the benchmark's .json files"),
        ([[]], "there is no page to store in .*: the sources are empty"),
        ([[{"url": "x", "text": "y"}]], "2 skipped|1 skipped: 1 bad URL"),
        ([[{"text": "y"}]], "page 0 is {'text': 'y'}: expected a mapping with url"),
        ([3], "source 3: expected text as in html:"),
    ],
)
def test_sources_that_cannot_be_used(sources: list[object], message: str, tmp_path: Path) -> None:
    """A malformed or empty source is an error that says what to do."""
    with pytest.raises(CorpusError, match=message):
        build(tmp_path / "c", sources, workers=1)
    with pytest.raises(CorpusError):
        Corpus.open(tmp_path / "c")


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    """A file in the way, a folder of other things, and a folder that cannot be made are refused."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious")
    (tmp_path / "file").write_text("precious")
    for path, message in [
        (tmp_path / "mine", "is no corpus folder, it holds 'thesis.txt'"),
        (tmp_path / "file", "cannot be written to: File exists"),
        (tmp_path / "file" / "below", "cannot be written to: Not a directory"),
        (Path("/proc/nowhere/c"), "cannot be written to"),
    ]:
        with pytest.raises(CorpusError, match=message):
            build(path, [[SourcePage("https://a.example", "", "text")]], workers=1)
    assert os.listdir(tmp_path / "mine") == ["thesis.txt"]
    assert (tmp_path / "file").read_text() == "precious"


BUILDER = """
import os, signal, sys
from webenv.corpora import SourcePage, build

folder, when = sys.argv[1:]
pages = [SourcePage(f"https://a.example/{n}", f"Page {n}", f"new text number {n} " * 30) for n in range(150)]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def progress(stage, done, total):
    if when == f"{stage} {done}":
        die()

def audit(event, arguments):
    if event == "os.rename":
        where, name = os.path.split(arguments[1])
        stamp = os.path.basename(where) == "verified"  # in the user's cache
        if when == f"rename to {'verif' if stamp else name[:5]}":
            die()
    if event == "shutil.rmtree" and when == "removal" and "data-" in str(arguments[0]):
        die()

sys.addaudithook(audit)
print(build(folder, [pages], workers=1, progress=progress).digest)
"""
MOMENTS = ["reading 1", "reading 150", "indexing 1", "indexing 150"]
MOMENTS += [f"rename to {name}" for name in ("meta.", "data-", "manif", "verif")] + ["removal"]


@pytest.mark.slow
def test_a_killed_build_leaves_the_former_corpus(tmp_path: Path) -> None:
    """Killed at any moment a build leaves a whole corpus, and the next build is as if nothing had been."""
    folder = tmp_path / "c"
    former = build(folder, [FORMER], workers=1).digest
    expected = build(tmp_path / "d", [_new_pages()], workers=1).digest
    for moment in MOMENTS:
        run = subprocess.run([sys.executable, "-c", BUILDER, str(folder), moment], capture_output=True, text=True)
        assert run.returncode == -signal.SIGKILL, (moment, run.stderr)
        with Corpus.open(folder) as corpus:
            digest, found = corpus.digest, corpus.search([SearchRequest("text")])[0]
        # What follows when the new manifest is in place is tidying up.
        assert digest == (former if moment not in ("rename to verif", "removal") else expected), moment
        assert found, moment
        if digest == expected:
            assert build(folder, [FORMER], workers=1).digest == former
    build(folder, [_new_pages()], workers=1)
    with Corpus.open(folder) as corpus:
        assert corpus.digest == expected
    assert sorted(path.name for path in folder.iterdir())[0] == ".lock"
    assert len(list(folder.iterdir())) == 3


def _new_pages() -> list[SourcePage]:
    return [SourcePage(f"https://a.example/{n}", f"Page {n}", f"new text number {n} " * 30) for n in range(150)]


ORPHANS = """
import os, signal, sys
from pathlib import Path
from webenv.corpora import SourcePage, build

def progress(stage, done, total):
    threads = Path("/proc/self/task").glob("*/children")
    Path(sys.argv[2]).write_text(" ".join(child for thread in threads for child in thread.read_text().split()))
    os.kill(os.getpid(), signal.SIGKILL)

pages = [SourcePage(f"https://a.example/{n}", "", "text") for n in range(150)]
build(sys.argv[1], [pages], workers=2, progress=progress)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs Linux to list child processes")
def test_workers_do_not_outlive_a_killed_build(tmp_path: Path) -> None:
    """A few seconds after a build was killed its workers are gone too."""
    command = [sys.executable, "-c", ORPHANS, str(tmp_path / "c"), str(tmp_path / "children")]
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    children = [Path(f"/proc/{child}") for child in (tmp_path / "children").read_text().split()]
    assert len(children) >= 2
    deadline = time.monotonic() + 120
    while any(child.is_dir() for child in children):
        assert time.monotonic() < deadline, f"still there: {children}"
        time.sleep(0.1)


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    """The second builder of a folder is told to wait; the first goes on."""
    folder = tmp_path / "c"
    refused: list[str] = []

    def progress(stage: str, done: int, total: int | None) -> None:
        if stage == "reading" and done == 1:
            with pytest.raises(CorpusError) as caught:
                build(folder, [_new_pages()], workers=1)
            refused.append(str(caught.value))

    build(folder, [_new_pages()], workers=1, progress=progress)
    assert refused == [f"{folder} is being built by another process: wait for it to end."]
    with Corpus.open(folder) as corpus:
        assert len(corpus) == 150


def test_a_reader_goes_on_while_its_corpus_is_replaced(tmp_path: Path) -> None:
    """An open corpus keeps its pages, new connections included, while others build and open the next one."""
    folder = tmp_path / "c"
    build(folder, [FORMER], workers=1)
    reader = Corpus.open(folder)
    build(folder, [_new_pages()], workers=1)
    with ThreadPoolExecutor(1) as other_thread:  # which opens the files anew
        ((hit,),) = other_thread.submit(reader.search, [SearchRequest("former")]).result()
    assert hit.title == "Former"
    with Corpus.open(folder) as fresh:
        assert len(fresh) == 150
    assert len(list(folder.glob("data-*"))) == 2
    reader.close()
    build(folder, [_new_pages()], workers=1)
    assert len(list(folder.glob("data-*"))) == 1


FULL = """
import random, resource, sys
from webenv.corpora import SourcePage, build
rng = random.Random(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
pages = [SourcePage(f"https://a.example/{n}", "", " ".join(str(rng.random()) for _ in range(100))) for n in range(300)]
build(sys.argv[1], [pages], workers=1)
"""


@pytest.mark.parametrize("size", [50_000, 450_000])
def test_a_full_disk_is_reported(size: int, tmp_path: Path) -> None:
    """When the store or the index cannot be written the error says so, and the former corpus stays."""
    folder = tmp_path / "c"
    former = build(folder, [FORMER], workers=1).digest
    run = subprocess.run([sys.executable, "-c", FULL, str(folder), str(size)], capture_output=True, text=True)
    assert run.returncode == 1
    assert f"CorpusError: the build of {folder} stopped (" in run.stderr
    assert "full" in run.stderr
    assert "make room and do it again); what was there is as it was." in run.stderr
    with Corpus.open(folder) as corpus:
        assert corpus.digest == former
    assert not list(folder.glob("building-*"))


LIMITED = """
import resource, sys
from webenv.corpora import Corpus, build
from webenv.errors import CorpusError
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
try:
    if len(sys.argv) > 3:
        build(sys.argv[2], sys.argv[3:], workers=1)
    Corpus.open(sys.argv[2])
except CorpusError as error:
    print(type(error).__name__, error)
"""


def limited(size: int, *words: str) -> str:
    run = subprocess.run([sys.executable, "-c", LIMITED, str(size), *words], capture_output=True, text=True)
    assert run.stderr == ""
    return run.stdout


def test_a_build_goes_on_when_there_is_room_again(site: Path, folder: Path, tmp_path: Path) -> None:
    """A build from files that met a full disk says that it is kept, and comes to the same once there is room."""
    new, source = tmp_path / "c", f"html:{site}@https://site.example"
    told = limited(40_000, str(new), source)
    assert told.startswith(f"CorpusError the build of {new} stopped (")
    assert "make room and do it again); what was there is as it was, and the same build goes on from" in told
    with Corpus.open(folder) as former:
        assert build(new, [source], workers=1).digest == former.digest


@pytest.mark.parametrize(
    ("size", "why"),
    [(64, "is full, or may not grow ([Errno 27] File too large)"), (0, "is not to be had ([Errno 2] No usable")],
)
def test_a_corpus_is_not_to_blame_for_a_full_disk(size: int, why: str, folder: Path) -> None:
    """Where nothing may be written a corpus that is whole is not called damaged, and nobody is told to build it."""
    told = limited(size, str(folder))
    assert told.startswith(f"CorpusError {folder} cannot be opened: the temporary folder {why}")
    assert told.endswith("make room, or name another by TMPDIR. The corpus is as it was.\n")
    assert "build" not in told.replace(str(folder), "")
    assert limited(1_000_000, str(folder)) == ""


def test_an_interrupted_build_cleans_up(tmp_path: Path) -> None:
    """Ctrl-C leaves no half-made folder and no workers."""

    def progress(stage: str, done: int, total: int | None) -> None:
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "c", [_new_pages()], workers=2, progress=progress)
    assert os.listdir(tmp_path / "c") == [".lock"]


@pytest.mark.slow
def test_a_document_that_kills_its_worker_is_left_out(tmp_path: Path, prose: Callable[..., str]) -> None:
    """The document at fault is found and named; all others are stored."""
    from webenv.corpora.document import Skipped
    from webenv.corpora.prepare import prepare_pages

    given = [SourcePage(f"https://a.example/{n}", "", prose(n)) for n in range(4)]
    given[2] = SourcePage("https://a.example/2", html=_Deadly())
    results = list(prepare_pages(given, 2))
    assert results[2] == Skipped("kills the extractor", "https://a.example/2")
    assert [page.url for page in results if not isinstance(page, Skipped)] == [
        page.url for page in given if page is not given[2]
    ]


class _Deadly(str):
    """A document that kills whoever unpickles it."""

    __slots__ = ()

    def __reduce__(self) -> tuple[object, ...]:
        return (_die, ())


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_scripts_need_no_main_guard(tmp_path: Path, site: Path) -> None:
    """A script that builds with workers at its top level runs once."""
    script = tmp_path / "script.py"
    script.write_text(
        "from webenv.corpora import build\n"
        f"print('pages', build({str(tmp_path / 'c')!r}, ['html:{site}@https://site.example'], workers=2).pages)\n"
    )
    run = subprocess.run([sys.executable, "-W", "error", str(script)], capture_output=True, text=True)
    assert (run.stdout, run.stderr) == ("pages 60\n", "")


@pytest.mark.parametrize("name", ["data-science/x.txt", "building-site/plan.txt", "data-mine", "manifest.json.bak"])
def test_what_is_not_ours_is_never_removed(tmp_path: Path, name: str) -> None:
    """A folder with other things in it is refused, however they are called, and they stay."""
    file = tmp_path / "web" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("mine")
    with pytest.raises(CorpusError, match="is no corpus folder, it holds"):
        build(tmp_path / "web", [[SourcePage("https://a.example/", "a", "some text")]])
    assert file.read_text() == "mine"


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """A named pipe among the files is skipped as unreadable."""
    (tmp_path / "html").mkdir()
    os.mkfifo(tmp_path / "html" / "a.html")
    (tmp_path / "html" / "b.html").write_text("<title>B</title><p>" + "Some words that are a text. " * 20)
    manifest = build(tmp_path / "web", [f"html:{tmp_path / 'html'}@https://b.example"], workers=1)
    assert (manifest.pages, manifest.skipped) == (1, {"unreadable file": 1})


def test_time_left_is_told_of_files_that_are_not_counted(tmp_path: Path, prose: Callable[..., str]) -> None:
    """Of lines whose number nobody knows a build tells about how many there are, from the bytes that it has read."""
    for name, count in (("a", 900), ("b", 1_100)):
        lines = (json.dumps({"url": f"https://{name}.example/{n}", "text": prose(n, 60)}) for n in range(count))
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines))
    told: list[tuple[int, int | None]] = []
    build(
        tmp_path / "c",
        [f"jsonl:{tmp_path}/a.jsonl", f"jsonl:{tmp_path}/b.jsonl"],
        workers=1,
        progress=lambda stage, done, total: told.append((done, total)) if stage == "reading" else None,
    )
    estimates = [total for done, total in told if done >= 400]
    assert all(total is not None and 1_800 < total < 2_300 for total in estimates), estimates
