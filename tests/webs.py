"""A small web in memory, and what tests of the environments put around it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gymnasium.utils.env_checker import data_equivalence

from webenv.actions import search
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import JudgeError, WebError
from webenv.judge import Submission, Verdict
from webenv.observations import Document, Page, Reply, Result
from webenv.rules import Rules
from webenv.snapshots import fork, restore, snapshot
from webenv.task import Gold, Task, TaskSet
from webenv.vector import SearchVectorEnv
from webenv.web import (
    AskRequest,
    AskResponse,
    Failure,
    Missing,
    Scope,
    SearchRequest,
    SearchResponse,
    VisitRequest,
    VisitResponse,
    Web,
)

_WORD = re.compile(r"\w+")


def cache_without_tasks(folder: Path) -> str:
    """A cache folder with the run's webs, and no task that was drawn already, for another process to draw anew."""
    webs = Path(os.environ["WEBENV_CACHE"], "procedural")
    webs.mkdir(exist_ok=True)
    (folder / webs.name).symlink_to(webs)
    return str(folder)


def host_of(url: str) -> str:
    """The host of a URL, without ``www.``; empty where it has none."""
    return url.partition("://")[2].partition("/")[0].removeprefix("www.")


def benchmark_of(env: Any) -> Benchmark:
    """What an environment, of one episode or of many, is made of."""
    assert isinstance(env.unwrapped, SearchEnv | SearchVectorEnv)
    return env.unwrapped.benchmark


def check_snapshots(make: Callable[[], Any]) -> Any:
    """Holds that an environment, its fork and another that is restored go on alike; gives the snapshot."""
    env = make()
    env.reset(seed=3)
    env.step(search("some stone"))
    saved = json.loads(json.dumps(snapshot(env)))
    twin, third = fork(env), make()
    third.reset(seed=0)
    restore(third, saved)
    steps = [one.step(search("in the story of")) for one in (env, twin, third)]
    assert data_equivalence(steps[0], steps[1], exact=True)
    assert data_equivalence(steps[0], steps[2], exact=True)
    return saved


class DictWeb:
    """A web whose pages stand in a dict: a page matches a query by the number of words they share.

    Args:
        pages: the pages.
        aliases: URL → the URL of the page that it leads to.
    """

    def __init__(self, pages: Sequence[Page], aliases: Mapping[str, str] | None = None, name: str = "dict") -> None:
        self.pages = {page.url: page for page in pages}
        self.aliases = dict(aliases or {})
        self.name = name
        self._words = {page.url: set(_words(f"{page.title} {page.text}")) for page in pages}

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": self.name, "digest": str(len(self.pages))}

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        return [self._search(request.query, request.limit, request.scope) for request in requests]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        return [self._visit(request.url, request.scope) for request in requests]

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        return [self._ask(request) for request in requests]

    def _search(self, query: str, limit: int, scope: Scope, site: str = "") -> tuple[Result, ...]:
        wanted = set(_words(query))
        found = []
        for page in self.pages.values():
            shared = len(wanted & self._words[page.url])
            if shared and _reachable(page, scope) and site in ("", host_of(page.url)):
                found.append((-shared, page.url, page))
        return tuple(
            Result(page.title, url, page.text[:200], host_of(url), page.key) for _, url, page in sorted(found)[:limit]
        )

    def _visit(self, url: str, scope: Scope) -> VisitResponse:
        page = self.pages.get(self.aliases.get(url, url))
        return page if page is not None and _reachable(page, scope) else Missing("no such page")

    def _ask(self, request: AskRequest) -> AskResponse:
        hosts = {host_of(url) for url, page in self.pages.items() if _reachable(page, request.scope)}
        if request.site not in hosts:
            return Missing("no such site")
        hits = self._search(request.question, 3, request.scope, request.site)
        documents = tuple(Document(hit.url, hit.title, hit.snippet, hit.key) for hit in hits)
        return Reply(request.site, f"{len(documents)} documents", documents)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _reachable(page: Page, scope: Scope) -> bool:
    host = host_of(page.url)
    hidden = any(host == blocked or host.endswith(f".{blocked}") for blocked in scope.blocked)
    return not hidden and (not scope.as_of or "" < page.date <= scope.as_of)


class CountingWeb:
    """Passes everything on, and notes the size of each batch by its kind."""

    def __init__(self, web: Web) -> None:
        self.web = web
        self.batches: dict[str, list[int]] = {"search": [], "visit": [], "ask": []}
        self.visited: list[str] = []

    @property
    def identity(self) -> Mapping[str, str]:
        return self.web.identity

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        self.batches["search"].append(len(requests))
        return self.web.search(requests)

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        self.batches["visit"].append(len(requests))
        self.visited += [request.url for request in requests]
        return self.web.visit(requests)

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        self.batches["ask"].append(len(requests))
        return self.web.ask(requests)


class BrokenWeb(DictWeb):
    """A web in which some things cannot be asked.

    A query, URL or site that contains ``broken`` is a failure; one that contains ``collapse``
    fails the whole batch.
    """

    def search(self, requests: Sequence[SearchRequest]) -> list[SearchResponse]:
        done = super().search(requests)
        return [_broken(r.query) or got for r, got in zip(requests, done, strict=True)]

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        done = super().visit(requests)
        return [_broken(r.url) or got for r, got in zip(requests, done, strict=True)]

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        done = super().ask(requests)
        return [_broken(r.site) or got for r, got in zip(requests, done, strict=True)]


def _broken(text: str) -> Failure | None:
    if "collapse" in text:
        raise WebError("the line is cut")
    return Failure("the server is down") if "broken" in text else None


class GoldJudge:
    """Right is an answer whose page is a gold page, or that is a gold answer.

    An answer that contains ``doubt`` is unscored; one that contains ``strike`` makes it raise.
    """

    def __init__(self, name: str = "gold") -> None:
        self.name = name
        self.batches: list[int] = []
        self.submissions: list[Submission] = []

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": self.name, "version": "1"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        self.batches.append(len(submissions))
        self.submissions += submissions
        return [self._score(submission) for submission in submissions]

    def _score(self, submission: Submission) -> Verdict:
        if "strike" in submission.text:
            raise JudgeError("the judge is on strike")
        if "doubt" in submission.text:
            return Verdict.unscored("cannot tell", self.name)
        if isinstance(submission.page, Failure):
            return Verdict.unscored(submission.page.reason, self.name)
        if not submission.text:
            return Verdict("no_answer", 0.0, "nothing was answered", self.name)
        keys = {page.key for page in submission.gold if isinstance(page, Page)}
        by_page = isinstance(submission.page, Page) and submission.page.key in keys
        if by_page or submission.text in submission.task.gold.answers:
            return Verdict("right", 1.0, "a gold page or answer", self.name)
        return Verdict("wrong", 0.0, "neither a gold page nor a gold answer", self.name)


class CostlyReward:
    """The verdict's value as ``answer``, and a tenth of the ``cost``."""

    weights: Mapping[str, float] = {"answer": 1.0, "cost": 0.1}

    def terms(self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]) -> list[dict[str, float]]:
        return [{"answer": verdict.value or 0.0} for verdict in verdicts]


class Place(NamedTuple):
    """A page of the small web, in short."""

    site: str
    name: str
    text: str


PLACES = (
    Place("harbour.example", "lamp", "The lamp of the old lighthouse was lit by whale oil until 1862."),
    Place("harbour.example", "keeper", "A keeper wrote each storm into a ledger beside the lighthouse stairs."),
    Place("harbour.example", "bell", "The fog bell rang once a minute. ñandú 灯台 😀"),
    Place("mills.example", "wheel", "The wheel of the mill was rebuilt in oak after the flood."),
    Place("mills.example", "flood", "The flood of the river carried off the bridge and the mill wheel."),
    Place("mills.example", "miller", "A miller kept a ledger of grain, and lit the mill by candle."),
    Place("www.stars.example", "comet", "The comet was seen by a keeper of the observatory in winter."),
    Place("www.stars.example", "lens", "The lens of the observatory was ground by hand for a year."),
    Place("www.stars.example", "ledger", "A ledger of the stars lists each comet and each lens."),
)


def url_of(place: Place) -> str:
    return f"https://{place.site}/{place.name}"


def pages_of(places: Sequence[Place] = PLACES) -> list[Page]:
    return [
        Page(url_of(p), f"The {p.name}", p.text, f"2020-01-{n:02}", f"key-{p.name}") for n, p in enumerate(places, 1)
    ]


def small_web(name: str = "dict") -> DictWeb:
    """Nine pages of three sites; ``https://mirror.example/<name>`` leads to each of them."""
    return DictWeb(pages_of(), {f"https://mirror.example/{p.name}": url_of(p) for p in PLACES}, name)


def small_tasks(count: int = len(PLACES), name: str = "small") -> TaskSet:
    """A task for each page of the small web: ``t/<name>``, tagged by its site."""
    return TaskSet(
        [
            Task(
                id=f"t/{place.name}",
                question=f"Find the page of number {number}.",
                gold=Gold(urls=(url_of(place),), answers=(place.name,)),
                tags={"site": place.site, "split": "train" if number % 2 else "test"},
            )
            for number, place in enumerate(PLACES[:count])
        ],
        name=name,
    )


def benchmark(
    web: Web | None = None,
    tasks: TaskSet | None = None,
    judge: GoldJudge | None = None,
    rules: Rules | None = None,
    budget: Budget | None = None,
) -> Benchmark:
    """A benchmark on the small web in which everything can happen: a cost, asks, a fetched answer."""
    return Benchmark(
        tasks=tasks or small_tasks(),
        web=web or small_web(),
        judge=judge or GoldJudge(),
        rules=rules or Rules(results=3, fetch_answer=True),
        budget=budget or Budget(searches=4, visits=4, asks=2, turns=8),
        reward=CostlyReward(),
    )
