"""The tasks of LiveNewsBench, from question files: the split of each by the date of its event, and what it blocks."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from webenv.envs.webs import task_files, task_set
from webenv.errors import InvalidArgument, TaskFileError
from webenv.runtime.files import read_json_records
from webenv.task import Gold, Task, TaskSet
from webenv.urls import host_of, parents
from webenv.web import Scope

FILES = {"train": "train.jsonl", "validation": "val.jsonl", "test": "test.jsonl"}
"""The file of each split."""

VERIFIED, LONGITUDINAL = "human_verified_test.jsonl", "longitudinal_test.jsonl"

LAST_DAY = date(2025, 9, 30)
"""The day on which the news of generated webs end."""

TASK_LINE = "Answer this question about the news with a short phrase:"
"""The first line of every question; the second is the question itself."""


def render_question(question: str) -> str:
    """What an agent reads: what to do, then the question, on a line of its own."""
    return f"{TASK_LINE}\n{' '.join(question.split())}"


class Window(NamedTuple):
    """The days of a split, as ordinals, both included."""

    first: int
    last: int

    def holds(self, day: int) -> bool:
        """Whether a day is one of them."""
        return self.first <= day <= self.last


def windows(last: date = LAST_DAY) -> dict[str, Window]:
    """The window of each split, where the news end on a day: whole months, the last of them the day's own.

    Source: LiveNewsBench, section 2.3.

    >>> [date.fromordinal(windows()[split].first).isoformat() for split in ("validation", "test")]
    ['2025-07-01', '2025-08-01']
    """
    test, validation = _month_before(last, 1), _month_before(last, 2)
    return {
        "train": Window(1, validation.toordinal() - 1),
        "validation": Window(validation.toordinal(), test.toordinal() - 1),
        "test": Window(test.toordinal(), last.toordinal()),
    }


def split_of(day: date, last: date = LAST_DAY) -> str:
    """The split of an event of a day.

    Raises:
        InvalidArgument: for a day after the last.
    """
    for split, window in windows(last).items():
        if window.holds(day.toordinal()):
            return split
    raise InvalidArgument(f"an event of {day} is later than {last}, the last day of the news.")


def _month_before(day: date, count: int) -> date:
    """The first day of the month ``count`` months before."""
    months = day.year * 12 + day.month - 1 - count
    return date(months // 12, months % 12 + 1, 1)


SPLITS = ("train", "validation", "test")

# Names of fields, the first that a record has counts, but of sources all; the official files put most of them into
# dataset_info.
_ID = ("id", "row_id")
_ANSWER = ("answers", "answer")
_SOURCE = (
    "link",
    "source_url",
    "article_url",
    "url",
    "source",
    "source_domain",
    "second_level_domain",
    "domain",
    "site",
)
_DATE = ("event_date", "date")
_STABILITY = ("stability", "temporal_stability")
_SPLIT_OF = {"train": "train", "val": "validation", "test": "test", VERIFIED.removesuffix(".jsonl"): "test"}
_LONGEST = 4_000  # characters of a question
_WORDS = re.compile(r"\w")


def load_tasks(*paths: str | Path) -> TaskSet:
    """Loads question files: JSON lines, or one JSON list.

    A record is an object with ``question``, ``answer`` (a text) or ``answers`` (several, each as
    good), the source's address or domain (``link``, ``url``, ``second_level_domain``, …), and where
    known ``event_date`` (ISO), ``stability`` (how soon the answer may change), ``category``, ``split``, ``as_of``
    (ISO: the web as it was on that day) and ``id``; the files of the release's quick start nest them in
    ``input_metadata`` and ``dataset_info``, which is read alike. The task blocks the sites of all sources that the
    record names, whole domains (:func:`webenv.envs.live_news_bench.tasks.sites_of`), and web archives. Its tags are
    ``source`` (the site), ``split``, ``month``, ``stability`` and ``category``, as far as they are known. The split is
    the record's own, else its file's (``train``, ``val``, ``test``, ``human_verified_test``), else by date: the newest
    two months of all files that were given are test, the third validation, older ones training.

    Of a folder with ``train.jsonl``, ``val.jsonl`` and ``test.jsonl`` these are taken alone: the verified set is a part
    of the test set. Of others, whatever ends in ``.jsonl``.

    Records without an answer cannot be scored, and those without a source that names a site (``Reuters`` names
    none) would not block it: they are left out, and the task set's ``excluded`` says why.

    Source: the released files of LiveNewsBench; section 2.3 for the splits.

    Args:
        paths: files, or folders of them.

    Raises:
        TaskFileError: for a path without such files, or a record that cannot be read, named by its line.
    """
    records = [record for file in _files(paths) for record in _records(file)]
    days = [record.day for record in records if record.day is not None]
    newest = max(days, default=None)
    last = None if newest is None else newest.replace(day=monthrange(newest.year, newest.month)[1])
    return task_set(((record.place, *record.task(last)) for record in records), "LiveNewsBench")


class _Record(NamedTuple):
    """A record, checked.

    Attributes:
        place: file and line, for messages.
        id: of the task.
        question: as it stands.
        answers: the gold; may be empty.
        sources: addresses or domains; may be empty.
        day: of the event.
        tags: what the record says itself.
        as_of: ISO date; may be empty.
    """

    place: str
    id: str
    question: str
    answers: tuple[str, ...]
    sources: tuple[str, ...]
    day: date | None
    tags: Mapping[str, str]
    as_of: str

    def task(self, last: date | None) -> tuple[Task, str]:
        """The task, and why it is to be left out (empty as a rule)."""
        tags = dict(self.tags)
        if self.day is not None:
            tags["month"] = self.day.isoformat()[:7]
            if "split" not in tags and last is not None:
                tags["split"] = split_of(self.day, last)
        sites = sites_of(self.sources)
        if sites:
            tags["source"] = sites[0]
        task = Task(
            id=self.id,
            question=render_question(self.question),
            gold=Gold(answers=self.answers),
            tags=tags,
            scope=Scope(blocked=blocked_by(sites), as_of=self.as_of),
        )
        if not self.answers:
            return task, "no gold answer"
        return task, "" if sites else "no source whose site can be blocked"


def _files(paths: Iterable[str | Path]) -> Iterator[Path]:
    for path in map(Path, paths):
        there = {file.name: file for file in task_files([path], (".jsonl",), "files of questions, such as test.jsonl")}
        parts = (FILES.values(), (VERIFIED, LONGITUDINAL), there)
        yield from next(filter(None, ([there[name] for name in names if name in there] for names in parts)))


def _records(file: Path) -> Iterator[_Record]:
    for place, number, _, value in read_json_records(file, "tasks", TaskFileError):
        yield _read(value, place, file, number)


def _read(item: Any, place: str, file: Path, number: int) -> _Record:
    if not isinstance(item, dict):
        raise TaskFileError(f"{place}: a JSON {type(item).__name__}; expected an object with question and answer.")
    outer = item.get("input_metadata", item)
    inner = outer.get("dataset_info", outer) if isinstance(outer, dict) else None
    if not isinstance(outer, dict) or not isinstance(inner, dict):
        raise TaskFileError(f"{place}: input_metadata or dataset_info is no object; expected objects.")
    fields = {**item, **outer, **inner}
    question = fields.get("question")
    if not isinstance(question, str) or not _WORDS.search(question) or len(question) > _LONGEST:
        raise TaskFileError(
            f"{place}: question is {question!r:.60}; expected a text of at most {_LONGEST:,} characters."
        )
    split = _text(fields, ("split",), place) or _SPLIT_OF.get(file.stem, "")
    if split and split not in SPLITS:
        raise TaskFileError(f"{place}: split is {split!r:.60}; expected one of {', '.join(SPLITS)}.")
    name = _text(fields, _ID, place) or str(number)
    tags = {"split": split}
    tags |= {"stability": _text(fields, _STABILITY, place), "category": _text(fields, ("category",), place)}
    day, as_of = _day(fields, _DATE, place), _day(fields, ("as_of",), place)
    return _Record(
        place=place,
        id=f"{file.stem}/{name}",
        question=question,
        answers=_texts(fields, _ANSWER, place),
        sources=tuple(text for name in _SOURCE for text in _texts(fields, (name,), place)),
        day=day,
        tags={tag: text for tag, text in tags.items() if text},
        as_of="" if as_of is None else as_of.isoformat(),
    )


def _value(fields: Mapping[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    """The first field that is there and says something, with its name; empty where there is none."""
    for name in names:
        if fields.get(name) not in (None, "", []):
            return name, fields[name]
    return "", None


def _text(fields: Mapping[str, Any], names: Iterable[str], place: str) -> str:
    name, value = _value(fields, names)
    if isinstance(value, bool) or not isinstance(value, str | int | None):
        raise TaskFileError(f"{place}: {name} is {value!r:.60}; expected a text.")
    return "" if value is None else " ".join(str(value).split())


def _texts(fields: Mapping[str, Any], names: Iterable[str], place: str) -> tuple[str, ...]:
    name, value = _value(fields, names)
    items = value if isinstance(value, list) else [] if value is None else [value]
    for item in items:
        if isinstance(item, bool) or not isinstance(item, str | int | float):
            raise TaskFileError(f"{place}: {name} holds {item!r:.60}; expected texts.")
    cleaned = (" ".join(str(item).split()) for item in items)
    return tuple(dict.fromkeys(text for text in cleaned if text))


def _day(fields: Mapping[str, Any], names: Iterable[str], place: str) -> date | None:
    name, value = _value(fields, names)
    if value is None:
        return None
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise TaskFileError(f"{place}: {name} is {value!r:.60}; expected an ISO date, as in 2025-08-31.") from error


ARCHIVES = (
    "archive.today", "archive.is", "archive.ph", "archive.li", "archive.md", "archive.fo", "archive.vn", "archive.st",
    "web.archive.org", "wayback.archive.org", "ghostarchive.org", "arquivo.pt", "webcache.googleusercontent.com",
    "translate.goog", "r.jina.ai", "12ft.io",
)  # fmt: skip
"""Web archives (archive.today with its mirrors), and sites that fetch a page for whoever names it."""

_SCHEME = re.compile(r"\s*[a-z]+://", re.IGNORECASE)
_URL = re.compile(r"https?:/{1,2}([^\s/?#]+)", re.IGNORECASE)
_NAMED = re.compile(r"[^\s/?#&=:@]+")
_TOP = re.compile(r"[^\W\d_]{2,}|xn--[a-z0-9-]+")
_ADDRESS = re.compile(r"\[.*\]|\d+(?:\.\d+){3}")
_TRANSLATED = ".translate.goog"


def blocked_by(sources: Iterable[str]) -> tuple[str, ...]:
    """The hosts that a task blocks, each with its subdomains: the sites of its sources, then the archives.

    Source: LiveNewsBench, section 3.1. Differs from the release, which forgets archive.today itself; and of
    archives, and of caches, translators and readers that serve any page, more are listed than in the paper.

    Args:
        sources: addresses or hosts; what names no site is left out (:func:`sites_of`).

    >>> blocked_by(["https://edition.cnn.com:8443/a"])[:2]
    ('cnn.com', 'archive.today')
    """
    return tuple(dict.fromkeys((*sites_of(sources), *ARCHIVES)))


def sites_of(sources: Iterable[str]) -> tuple[str, ...]:
    """The sites of addresses or hosts, each once, without the archives: of each the domain that was registered.

    That is the part of a host that stands below a public suffix (publicsuffix.org, as the package tld keeps it; it is
    read from the disk). Under a suffix that is not known it is the last two labels. What has no dot, or is a public
    suffix itself, names no site. Of an archive's address the site is that of the page that the address contains.

    >>> sites_of(["https://m.dw.com/en", "news.bbc.co.uk", "Reuters", "www.paper.example"])
    ('dw.com', 'bbc.co.uk', 'paper.example')
    >>> sites_of(["https://web.archive.org/web/2025/https://www.bbc.com/news", "https://archive.ph/x1y2z"])
    ('bbc.com',)
    """
    return tuple(dict.fromkeys(site for source in sources for site in _sites(source)))


def _sites(source: str) -> Iterable[str]:
    source = source if _SCHEME.match(source) else f"https://{source.lstrip('/')}"
    host = host_of(source)
    if not any(parent in ARCHIVES for parent in parents(host)):
        return filter(None, [_registered(host)])
    return sites_of(_contained(source, host))


def _contained(source: str, host: str) -> list[str]:
    """The hosts of the pages that an archive's address contains."""
    if host.endswith(_TRANSLATED):
        label = host.removesuffix(_TRANSLATED).rpartition(".")[2]  # one dash for each dot, two for a dash
        return [label.replace("--", "\0").replace("-", ".").replace("\0", "-")]
    rest = unquote(unquote(source.partition("://")[2].partition("/")[2]))
    return _URL.findall(rest) or [part for part in _NAMED.findall(rest) if "." in part[1:-1] and _suffix(part)]


@lru_cache(maxsize=4_096)
def _registered(host: str) -> str:
    """The registered domain of a host; empty where it has none."""
    if _ADDRESS.fullmatch(host):
        return host
    labels = host.split(".")
    if len(labels) < 2 or not _TOP.fullmatch(labels[-1]):
        return ""
    known = _suffix(host).split(".") if _suffix(host) else labels[-1:]
    return ".".join(labels[-len(known) - 1 :]) if len(labels) > len(known) else ""


@lru_cache(maxsize=4_096)
def _suffix(host: str) -> str:
    """The public suffix that a host ends in; empty where none is known."""
    from tld import get_tld

    found = get_tld(host.lower(), fix_protocol=True, fail_silently=True, as_object=True)
    return "" if found is None or isinstance(found, str) else found.tld
