"""What falls in a build of questions on news without a model being asked: outlets and rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from webenv.envs.building.folder import Kept, Open, Outcome, Rejected
from webenv.envs.building.live_news_bench.events import SeedEvent
from webenv.envs.building.live_news_bench.prompts import Article, Checked, Draft, DraftedArticle, EventArticle, Ruled
from webenv.envs.building.live_news_bench.release import LATER, NewsRecord, Release, placed
from webenv.envs.live_news_bench.tasks import FILES, LONGITUDINAL
from webenv.errors import DataError
from webenv.observations import Page
from webenv.rewards.normal_form import normalise
from webenv.runtime.files import read_text
from webenv.urls import canonical_url, host_of, parents


class Outlets:
    """An allowlist of hosts, each with its subdomains, or of parts of a host, as in ``lemonde.fr/en``.

    Args:
        entries: hosts, with a path where only a part is meant; ``None``: every site is allowed.

    Raises:
        DataError: for an entry that names no host, or an empty list.
    """

    def __init__(self, entries: Iterable[str] | None) -> None:
        self._paths: dict[str, list[str]] = {}
        self._any = entries is None
        for entry in entries or ():
            host, _, path = entry.strip().removeprefix("https://").removeprefix("http://").partition("/")
            known = host_of(host)
            if not known or "." not in known:
                raise DataError(f"outlet {entry!r:.80} names no host; expected one as in apnews.com or lemonde.fr/en.")
            self._paths.setdefault(known, []).append(f"/{path.strip('/*')}/" if path.strip("/*") else "/")
        if not self._any and not self._paths:
            raise DataError("the list of outlets is empty; expected one host a line, or 'any'.")

    @classmethod
    def default(cls) -> Outlets:
        """The 95 outlets of the paper (Figure 4), misspelt names put right."""
        return cls(_lines(files(__package__).joinpath("outlets.txt").read_text(encoding="utf-8")))

    @classmethod
    def read(cls, name: str | Path | None) -> Outlets:
        """The outlets of a file, one host a line, ``#`` before a comment.

        Args:
            name: the file; ``None``: :meth:`default`; ``any``: every site.

        Raises:
            DataError: if the file cannot be read, or holds none.
        """
        if name is None:
            return cls.default()
        if str(name) == "any":
            return cls(None)
        return cls(_lines(read_text(name, "outlets")))

    @property
    def entries(self) -> tuple[str, ...]:
        """Hosts with their paths, in alphabetical order; none where every site is allowed."""
        return tuple(sorted(f"{host}{path.rstrip('/')}" for host, paths in self._paths.items() for path in paths))

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts, in alphabetical order; none where every site is allowed."""
        return tuple(sorted(self._paths))

    def allows(self, url: str) -> bool:
        """Whether an address is of one of them."""
        if self._any:
            return True
        canonical = canonical_url(url)
        if canonical is None:
            return False
        path = urlsplit(canonical).path.rstrip("/") + "/"
        return any(
            path.startswith(prefix) for host in parents(host_of(canonical)) for prefix in self._paths.get(host, ())
        )


def _lines(text: str) -> list[str]:
    lines = (line.partition("#")[0].strip() for line in text.split("\n"))
    return [line for line in lines if line]


_SHORTEST, _LONGEST = 300, 200_000  # characters of an article
_MOST_WORDS = 20  # of an answer


def sort_records(
    passed: Sequence[tuple[SeedEvent, Article, Draft, Checked]], release: Release
) -> dict[str, list[dict[str, Any]]]:
    """The records of each file, in order of event dates."""
    files: dict[str, list[dict[str, Any]]] = {name: [] for name in (*FILES.values(), LONGITUDINAL)}
    for event, article, draft, checked in passed:
        record = NewsRecord.of(
            article.url,
            draft.question,
            event_date=event.date,
            answer=draft.answer,
            category=event.category,
            stability=draft.stability,
            event={"id": event.id, "summary": event.summary},
            article={"title": article.title, "date": article.date},
            explanation=draft.explanation,
        )._asdict()
        split = release.split(event.date)
        if draft.stability != "unlikely" or checked.verdict == "changes":
            files[LONGITUDINAL].append(record)
        else:
            files.setdefault(FILES.get(split, LATER), []).append(placed(record, split))
    return files


def read_page(page: Page) -> Kept[Article] | Rejected:
    """The article that a page is."""
    if len(page.text) < _SHORTEST:
        return Rejected(f"shorter than {_SHORTEST} characters", f"{len(page.text)} characters")
    return Kept(Article(page.url, page.title, page.text[:_LONGEST], page.date[:10], page.key))


def first_of_each(
    articles: Mapping[str, EventArticle], relevance: Mapping[str, Outcome[Ruled]]
) -> dict[str, Outcome[EventArticle]]:
    """Of the copies of an article, and of the events it is about, the first that is relevant.

    Nothing of an article is settled as long as an earlier one is open.
    """
    first: dict[str, Outcome[Ruled]] = {}
    taken: dict[str, str] = {}
    outcomes: dict[str, Outcome[EventArticle]] = {}
    for key, found in relevance.items():
        article = articles[key].article
        name = article.key or article.url
        before = first.get(name)
        if isinstance(found, Rejected):
            continue
        if before is None:
            first[name], taken[name] = found, article.url
            if isinstance(found, Kept):
                outcomes[key] = Kept(articles[key])
        elif isinstance(found, Kept):
            late = Open("an earlier copy of it is open")
            outcomes[key] = Rejected("drafted from already", taken[name]) if isinstance(before, Kept) else late
    return outcomes


def sound(drafts: Mapping[str, DraftedArticle]) -> dict[str, Outcome[DraftedArticle]]:
    """What the form of a draft alone tells against it."""
    seen: set[str] = set()
    outcomes: dict[str, Outcome[DraftedArticle]] = {}
    for key, item in drafts.items():
        question, answer = normalise(item.draft.question), normalise(item.draft.answer)
        if not question or not answer:
            outcomes[key] = Rejected("question or answer without a word")
        elif len(item.draft.answer.split()) > _MOST_WORDS:
            outcomes[key] = Rejected(f"answer of more than {_MOST_WORDS} words")
        elif f" {answer} " in f" {question} ":
            outcomes[key] = Rejected("the answer stands in the question")
        elif question in seen:
            outcomes[key] = Rejected("the same question was drafted before")
        else:
            seen.add(question)
            outcomes[key] = Kept(item)
    return outcomes
