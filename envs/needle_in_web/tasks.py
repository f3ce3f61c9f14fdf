"""The tasks of Needle in the Web, from files in the official format, and how their answers are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from webenv.errors import TaskFileError
from webenv.runtime.files import files_in, read_json_records
from webenv.task import Excluded, Gold, Task, TaskSet

DIFFICULTIES = ("easy", "medium", "hard")

SITES = frozenset(
    ("arxiv", "cnn2025", "lonelyplanet", "openlibraryofhumanities", "petapixel", "pitchfork", "wikipedia")
)
"""The websites of the official files, as their names have them."""

_FILE_NAME = re.compile(rf"(?P<site>.+)_(?P<difficulty>{'|'.join(DIFFICULTIES)})")
_NUMBERING = re.compile(r"^\s*\d{1,2}[.)]\s+")
_LONGEST = 20_000  # characters of all criteria
_MARKUP = re.compile(r"`+|\*\*")


def load_tasks(*paths: str | Path, flagged: bool = False) -> TaskSet:
    """Loads official files ``<site>_<difficulty>.json``.

    A record's task is called ``<site>_<difficulty>/<id>``; its criteria are its ``raw_questions``
    without numbering and markup, its gold the page ``context.url`` and the claims
    ``ground_truth``, its tags the site and the difficulty. Some official records have criteria
    and claims that do not match one to one; they are flagged and, by default, left out: the
    task set's ``excluded`` names them.

    Source: the released files of Needle in the Web (Wang et al.), section 3.

    Args:
        paths: files, or folders of such files.
        flagged: keeps the flagged records as tasks, with the tag ``flagged``.

    Raises:
        TaskFileError: for a path without such files, a file that is no JSON list of records, a
            record without a field it needs, or an id that comes twice in a file.
    """
    tasks: list[Task] = []
    excluded: list[Excluded] = []
    for file in _files(paths):
        for task, problem in _read_file(file):
            if problem and not flagged:
                excluded.append(Excluded(task, problem))
            else:
                tasks.append(task)
    return TaskSet(tasks, excluded, name="Needle in the Web")


def render_question(criteria: Iterable[str]) -> str:
    """The question that an agent reads: what is sought, then one criterion a line."""
    lines = "\n".join(f"- {criterion}" for criterion in criteria)
    return (
        "Find the one web page that mentions all of the following, and answer with its URL "
        f"(or with 'No source found.'):\n{lines}"
    )


def _files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        if not path.exists():
            raise TaskFileError(f"{path}: no such file or folder; expected files such as wikipedia_easy.json.")
        found = files_in(path, (".json",), TaskFileError) if path.is_dir() else [path]
        if not found:
            raise TaskFileError(f"{path} holds no .json file; expected files such as wikipedia_easy.json.")
        yield from sorted(found, key=_site_and_difficulty)


def _site_and_difficulty(file: Path) -> tuple[str, int]:
    """What the name of a file says, in an order that puts easy before hard."""
    match = _FILE_NAME.fullmatch(file.stem)
    if not match:
        raise TaskFileError(
            f"{file}: the name says neither site nor difficulty; expected <site>_easy.json, _medium or _hard."
        )
    return match["site"], DIFFICULTIES.index(match["difficulty"])


def _read_file(file: Path) -> Iterator[tuple[Task, str]]:
    """The tasks of a file, each with what is wrong with its record (empty as a rule)."""
    seen: set[str] = set()
    records = read_json_records(file, "tasks", TaskFileError)
    if not records:
        raise TaskFileError(f"{file} holds no record; expected a list of records.")
    for number, given in enumerate(records):
        if given.line:  # one value a line is no official file
            raise TaskFileError(f"{file} holds a JSON {type(given.value).__name__}; expected a list of records.")
        task, problem = _read_record(given.value, file, number)
        if task.id in seen:
            raise TaskFileError(f"{file}: the id {task.id.rpartition('/')[2]} comes twice; ids must differ in a file.")
        seen.add(task.id)
        yield task, problem


def _read_record(record: Any, file: Path, number: int) -> tuple[Task, str]:
    def field(holder: Any, name: str, kind: type | tuple[type, ...], what: str) -> Any:
        value = holder.get(name) if isinstance(holder, dict) else None
        if not isinstance(value, kind) or isinstance(value, bool) or (isinstance(value, str) and not value.strip()):
            raise TaskFileError(f"{file}, record {number}: {name} is {value!r:.60}; expected {what}.")
        return value

    name = field(record, "id", (int, str), "a number or a text")
    context = field(record, "context", dict, "an object with title, url and content")
    url = field(context, "url", str, "the URL of the page").strip()
    criteria = _texts(field(record, "raw_questions", list, "a list of criteria"), "raw_questions", file, number)
    claims = _texts(field(record, "ground_truth", list, "a list of claims"), "ground_truth", file, number)
    problem = ""
    if len(criteria) != len(claims):
        problem = f"{len(criteria)} criteria for {len(claims)} claims"
    elif not criteria:
        problem = "no criteria"
    if sum(map(len, criteria)) > _LONGEST:  # every observation holds them
        raise TaskFileError(f"{file}, record {number}: raw_questions are longer than {_LONGEST:,} characters together.")
    site, level = _site_and_difficulty(file)
    tags = {"site": site, "difficulty": DIFFICULTIES[level]}
    task = Task(
        id=f"{file.stem}/{name}",
        question=render_question(criteria),
        criteria=criteria,
        gold=Gold(urls=(url,), claims=claims),
        tags=tags | ({"flagged": problem} if problem else {}),
    )
    return task, problem


def _texts(items: list[Any], name: str, file: Path, number: int) -> tuple[str, ...]:
    for item in items:
        if not isinstance(item, str):
            raise TaskFileError(f"{file}, record {number}: {name} holds {item!r:.60}; expected texts only.")
    cleaned = (" ".join(_MARKUP.sub("", _NUMBERING.sub("", item)).split()) for item in items)
    return tuple(item for item in cleaned if item)


_OPEN = re.compile(r"<source>", re.IGNORECASE)
_CLOSE = re.compile(r"</source>", re.IGNORECASE)
# The target of a markdown link. Possessive throughout: an answer may have 200,000 characters,
# and whatever they are, they are read in linear time.
_LINK = re.compile(r"\]\(\s*+(?P<url><[^<>]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)")
_NO_SOURCE = re.compile(r"\W*no source (?:was |were )?found\W*", re.IGNORECASE)


_AROUND = {"`": "`", '"': '"', "'": "'", "*": "*", "(": ")", "[": "]", "<": ">", "“": "”", "‘": "’", "«": "»"}
# Some addresses end with a full stop of their own, as …/Washington,_D.C. and …/Robert_Downey_Jr. do.
_ABBREVIATED = re.compile(r"(?:[A-Z]|[_.-](?:Jr|Sr|Inc|Co|Ltd|Corp|St|Dr|vs|etc))\.\Z")


def read_answer(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Reads the URL that an answer names.

    Takes a bare URL, also in quotes, backticks or brackets or with a full stop behind it, a markdown link (its
    target), or either within ``<source>…</source>`` (the
    first open to the first close tag). ``No source found.``, as the whole answer, names none, and neither do several
    words without ``://`` among them.

    Differs from the release, which drops a URL's last character where no parenthesis follows,
    and finds "no source found" anywhere in an answer.

    Args:
        texts: the texts of the answer action; the first is read.

    Returns:
        The URL, or nothing where the answer names none.

    >>> read_answer(("<source>https://a.example/b</source>",))
    ('https://a.example/b',)
    >>> read_answer(("[A page (2nd)](https://a.example/b_(c))",))
    ('https://a.example/b_(c)',)
    >>> read_answer(("No source found.",))
    ()
    """
    text = texts[0] if texts else ""
    opened = _OPEN.search(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    text = (text[opened.end() : closed.start()] if opened and closed else text).strip()
    if _NO_SOURCE.fullmatch(text):
        return ()
    link = _LINK.search(text) if "[" in text else None
    url = (link["url"] if link else _undecorated(text)).strip().strip("<>").strip()
    if "://" not in url and len(url.split()) > 1 and not link:
        return ()
    return (url,) if url else ()


def _undecorated(text: str) -> str:
    """A URL without what prose puts around it: quotes, backticks, asterisks, brackets, and a mark behind it."""
    start, end = 0, len(text)
    while start < end:
        first, last = text[start], text[end - 1]
        if first.isspace():
            start += 1
        elif (
            last.isspace() or last in ",;" or (last == "." and not _ABBREVIATED.search(text[max(start, end - 6) : end]))
        ):
            end -= 1
        elif end - start > 1 and _AROUND.get(first) == last:
            start, end = start + 1, end - 1
        else:
            break
    return text[start:end]
