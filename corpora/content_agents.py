"""Content agents: each site of a web answers for itself, by an agent that has an episode of its own on that site."""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from sys import getsizeof
from typing import NamedTuple

from webenv.actions import Action, answer, search
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.analysis import WORD, stem
from webenv.corpora.caches import LRUCache
from webenv.corpora.query import parse_query
from webenv.corpora.sites import SiteViews, inside, site_and_scope
from webenv.corpora.whole_texts import WholeTexts
from webenv.judge import Submission, Verdict
from webenv.latency import LatencyModel
from webenv.observations import Document, Reply, Trace, TraceTurn
from webenv.policy import Decision, History, Policy
from webenv.rollout import EpisodeSpec, PlayedTurn, Record, episode_seed, play_episodes
from webenv.rules import Rules
from webenv.task import Task, TaskSet
from webenv.urls import host_of, parents
from webenv.web import (
    AskRequest,
    AskResponse,
    Failure,
    ListedSites,
    Missing,
    Scope,
    SearchRequest,
    SiteListing,
    TimedBatch,
    Web,
)

DOCUMENTS = 3
"""The most pages that a content agent finds by one search, and, where nothing else is said, hands over."""

NOTHING = "This site's agent found nothing on that."
"""The reply of an agent that gave none: it failed, kept silent, or did what is no action."""

BUDGET = Budget(searches=15, visits=0, asks=0, turns=15)
_KEPT = 48_000_000  # bytes of replies that are kept of agents that answer alike each time
_SUMMARY = 32_768  # characters: the 8,192 tokens that a model may write, at four characters a token
_THOUGHT = 20_000  # characters of a thought in a trace
_NO_SITE = Missing("no such site")
_EVERYTHING = Scope()


def read_answer(texts: tuple[str, ...]) -> tuple[str, ...]:
    """A summary, which may be empty, and the addresses of the pages to hand over; nothing where all are blank."""
    stripped = tuple(text.strip() for text in texts)
    return stripped if any(stripped) else ()


RULES = Rules(
    results=DOCUMENTS, whole_results=True, invalid="fail", overrun="fail", answers=100, read_answer=read_answer
)
"""What content agents may do: search their site, which brings whole pages, write notes, and answer with a summary
and the addresses of pages that they were shown. What is no action ends the episode."""


class ContentAgents:
    """Answers for sites: each question to a site is an episode that a policy plays on that site alone.

    All questions of a batch move in lock-step: one batch of searches for each of their turns. An agent sees its
    question, and nothing of who asks, of other questions or of other sites. Its answer is a summary and pages
    that it was shown, best first, of which the first ``documents`` pass; whatever else it names is dropped. An
    agent that fails, keeps silent or does what is no action replies :data:`NOTHING`; a web that failed is a Failure.

    It is :class:`webenv.web.Asking`. A reply depends on its request alone, so equal requests of a batch are played
    once; of a policy that says of itself that it is ``deterministic`` the latest replies are kept (48 MB), so that many
    attempts at one task cost little more than one.

    Args:
        web: what has the sites.
        policy: who answers for them; ``None``: :class:`ExtractivePolicy`. Its answers are ``answer(summary, url, …)``.
        listing: tells each agent what its site is said to be; ``None``: nothing.
        budget: the limits of an agent.
        rules: what it may do.
        documents: the most pages that it hands over; a search shows it three however many these are.

    Source: AgentWebBench, sections 3.1 and 3.2.3.
    """

    def __init__(
        self,
        web: Web,
        policy: Policy | None = None,
        listing: SiteListing | None = None,
        budget: Budget = BUDGET,
        rules: Rules = RULES,
        documents: int = DOCUMENTS,
    ) -> None:
        self.web = web
        self.documents = documents
        self.policy: Policy = ExtractivePolicy() if policy is None else policy
        listed = web.sites if isinstance(web, ListedSites) else None
        self._hosts = None if listed is None else frozenset(host for site in listed for host in parents(site))
        own = None if listing is None else _OwnSite(listing)
        pages = WholeTexts(SiteViews(web))
        self._benchmark = Benchmark(_NONE, pages, _NoJudge(), rules, budget, name="content agent", listing=own)
        self._replies = LRUCache[AskRequest, Reply](_KEPT if getattr(self.policy, "deterministic", False) else 0)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, the agent's policy, and its limits; what it reads is the web's to tell."""
        budget = self._benchmark.budget
        limits = {"searches": budget.searches, "turns": budget.turns, "documents": self.documents}
        return {
            "name": "content agents",
            **{f"agent_{name}": value for name, value in self.policy.identity.items()},
            **{name: str(value) for name, value in limits.items()},
        }

    def timed(self, latency: LatencyModel) -> ContentAgents:
        """These agents, whose own searches and models take time by a latency model: replies say how long they took."""
        agents = copy(self)
        agents._benchmark = replace(self._benchmark, latency=latency)
        agents._replies = LRUCache(0)  # each takes its own time
        return agents

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        """One reply for each request, in order; a site that has no page is :class:`webenv.web.Missing`."""
        kept = [self._replies.get(one) for one in requests]
        begun = self.begin([one for one, reply in zip(requests, kept, strict=True) if reply is None])
        tasks = {task.id: task for task in begun if isinstance(task, Task)}
        replies = dict(zip(tasks, self._played(list(tasks.values())), strict=True))
        fresh = iter([replies[one.id] if isinstance(one, Task) else one for one in begun])
        came = [next(fresh) if reply is None else reply for reply in kept]
        for request, reply, before in zip(requests, came, kept, strict=True):
            if before is None and isinstance(reply, Reply):
                self._replies.put(request, reply, 4 * sum(len(one.text) for one in reply.documents) + 2_000)
        seconds = [one.trace["seconds"] if isinstance(one, Reply) and one.trace else 0.0 for one in came]
        return TimedBatch(came, seconds) if any(seconds) else came

    def forget(self) -> None:
        """Lets go of the replies that are kept, and of what is kept of texts."""
        self._replies.clear()
        _READ.clear()

    def begin(self, requests: Sequence[AskRequest]) -> list[Task | AskResponse]:
        """What each request comes to: the task of an agent's episode, the same for equal ones, or why there is none."""
        sites = [host_of(request.site) for request in requests]
        known = self._known(requests, sites)
        return [
            known[one] or (_task(one, site) if one.question.strip() else Reply(site, NOTHING))
            for one, site in zip(requests, sites, strict=True)
        ]

    def benchmark_of(self, tasks: Sequence[Task]) -> Benchmark:
        """What episodes of agents are played in."""
        return replace(self._benchmark, tasks=TaskSet(tasks, name="asks"))

    def _known(
        self, requests: Sequence[AskRequest], sites: Sequence[str]
    ) -> dict[AskRequest, Missing | Failure | None]:
        """Of each request why it cannot be put: a site is known by its pages, so a search for it alone finds any.

        Where the web lists its sites and all of it is open, the list tells: such a search costs as much as a question.
        """
        known: dict[AskRequest, Missing | Failure | None] = {}
        looked_up: dict[AskRequest, SearchRequest] = {}
        for request, site in zip(requests, sites, strict=True):
            if self._hosts is not None and request.scope == _EVERYTHING:
                known[request] = None if site in self._hosts else _NO_SITE
            else:
                looked_up[request] = SearchRequest(f"site:{site or '-'}", 1, request.scope)
        responses = self.web.search(list(looked_up.values())) if looked_up else []
        for request, found in zip(looked_up, responses, strict=True):
            known[request] = found if isinstance(found, Failure) else None if found else _NO_SITE
        return known

    def _played(self, tasks: Sequence[Task]) -> list[Reply | Failure]:
        if not tasks:
            return []
        benchmark = self.benchmark_of(tasks)
        specs = [EpisodeSpec(task.id, 0, episode_seed(0, task.id, 0)) for task in tasks]
        played: dict[str, Record] = {}
        for ended in play_episodes(benchmark, self.policy, specs, len(specs)):
            played.update((record.task, record) for record in ended)
        name = str(self.policy.identity["name"])
        return [reply_of(played[task.id], name, self.documents) for task in tasks]


def _task(request: AskRequest, site: str) -> Task:
    key = json.dumps([request.question, *request.scope])
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return Task(f"{site}/{digest}", request.question, tags={"site": site}, scope=inside(site, request.scope))


def reply_of(record: Record, policy: str, documents: int) -> Reply | Failure:
    """What an agent's episode comes to for who asked.

    Args:
        record: the episode.
        policy: the name of who played it.
        documents: the most pages that it hands over.
    """
    site = record.tags["site"]
    if record.ending in ("web_failed", "out_of_time"):
        return Failure(record.verdict["explanation"])
    trace = _trace(record, policy)
    if record.ending != "answered":
        return Reply(site, NOTHING, (), trace)
    pages = {page["url"]: page for turn in record.turns for page in turn.observation["pages"]}
    keys = dict(record.seen)
    summary, *named = read_answer(record.turns[-1].texts) or ("",)
    handed = tuple(
        Document(url, pages[url]["title"], pages[url]["text"], keys.get(url, ""))
        for url in dict.fromkeys(named)
        if url in pages
    )[:documents]
    return Reply(site, summary[:_SUMMARY] or NOTHING, handed, trace)


def _trace(record: Record, policy: str) -> Trace:
    searches = [turn for turn in record.turns if turn.kind == "search"]
    return {
        "policy": policy,
        "ending": record.ending,
        "turns": [_trace_turn(turn) for turn in record.turns],
        "requests": sum(len(turn.texts) for turn in searches),
        "valid": sum(_found(turn) for turn in searches),
        "tokens": sum(turn.effort.tokens for turn in record.turns),
        "seconds": record.spent.get("seconds", 0.0),
    }


def _trace_turn(turn: PlayedTurn) -> TraceTurn:
    texts = [text[:_THOUGHT] for text in turn.texts]
    results = [[hit["title"], hit["url"]] for hit in turn.observation["results"]]
    return {
        "action": [turn.kind, texts],
        "thought": turn.thought[:_THOUGHT],
        "results": results,
        "notice": turn.observation["notice"],
    }


def _found(turn: PlayedTurn) -> int:
    """How many searches of a turn found something: the notice names those of several that found nothing."""
    if len(turn.texts) == 1:
        return int(bool(turn.observation["results"]))
    return len(turn.texts) - turn.observation["notice"].count("found nothing.")


class _OwnSite:
    """Tells an agent of its own site alone."""

    def __init__(self, listing: SiteListing) -> None:
        self._listing = listing

    @property
    def identity(self) -> Mapping[str, str]:
        return self._listing.identity

    def listed(self, scope: Scope) -> tuple[Reply, ...]:
        site, whole = site_and_scope(scope)
        return tuple(one for one in self._listing.listed(whole) if one.site == site)


class _NoJudge:
    """Judges nothing: who asked makes of a reply what they will."""

    identity: Mapping[str, str] = {"name": "none"}
    asks = False

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        return [Verdict("replied", 1.0, "", "none")] * len(submissions)


_NONE = TaskSet([Task("none", "Nothing was asked.")])


# ── without a model ───────────────────────────────────────────────────────────

_BREAK = re.compile(r"[.!?]\s+|[。！？]\s*|\n+")
_WORD = re.compile(WORD)
_SCANNED = 100_000  # characters of a page
_SENTENCE = 1_000
_OPERATORS = re.compile(r'["“”„]|\bsite:', re.IGNORECASE)
_SILENT = "This site says nothing about that."


class ExtractivePolicy:
    """A content agent without a model: it searches its question, and answers with the sentences that share most words.

    It hands over the pages that it found which have such a sentence; its summary is the best ones of each.

    Args:
        sentences: the most sentences of one page.
    """

    def __init__(self, sentences: int = 3) -> None:
        self._sentences = sentences

    deterministic = True

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "extractive", "sentences": str(self._sentences)}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Decision(self._decide(history)) for history in histories]

    def _decide(self, history: History) -> Action:
        question = _OPERATORS.sub(" ", history.observations[0]["question"])
        if not history.decisions:
            return search(question[:2_000]) if question.strip() else answer(_SILENT)
        wanted = frozenset(parse_query(question).stems)
        summary, urls = [], []
        for page in history.observations[-1]["pages"]:
            best = best_sentences(page["text"][:_SCANNED], wanted, self._sentences)
            if best:
                summary += [sentence for _, _, sentence in sorted(best, key=lambda one: one[1])]
                urls.append(page["url"])
        return answer(" ".join(dict.fromkeys(summary)), *urls) if urls else answer(_SILENT)


class _ReadText(NamedTuple):
    """What every question to a page asks of its text, small enough to keep.

    Attributes:
        words: in small letters, each once, a space between them.
        starts: where each sentence begins.
        ends: where each sentence ends, with its full stop; the last one ends with the text.
    """

    words: str
    starts: array[int]
    ends: array[int]


_READ = LRUCache[str, _ReadText](24_000_000)
"""Page texts whose words and sentences an LRU cache keeps: finding them is most of the cost of an ask."""


def _read(text: str, lowered: str) -> _ReadText:
    kept = _READ.get(text)
    if kept is None:
        breaks = [match.span() for match in _BREAK.finditer(text)]
        starts = array("L", [0, *(end for _, end in breaks)])
        ends = array("L", [start + (text[start] != "\n") for start, _ in breaks])
        kept = _ReadText(" ".join(set(_WORD.findall(lowered))), starts, ends)
        _READ.put(text, kept, sum(map(getsizeof, (text, *kept))))
    return kept


def best_sentences(text: str, wanted: frozenset[str], most: int) -> list[tuple[int, int, str]]:
    """The sentences of a text that have most words of these stems: how many stems, where it begins, and the sentence.

    Each word that begins like a wanted stem is stemmed once, and only those that are wanted are looked for in the text
    again: to read pages is most of what a content agent without a model does.

    Args:
        text: of a page.
        wanted: stems.
        most: how many sentences, best first; of equal ones the first in the text.

    >>> best_sentences("Mills burn. It rained. A mill is lost.", frozenset(("mill", "lost")), 2)
    [(2, 23, 'A mill is lost.'), (1, 0, 'Mills burn.')]
    """
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capitals have longer small letters
        text = lowered
    words, starts, ends = _read(text, lowered)
    firsts = {form[:1] for form in wanted}  # stemming changes no first letter
    forms = {word: form for word in words.split() if word[0] in firsts and (form := stem(word)) in wanted}
    having: dict[int, set[str]] = {}
    for word, form in forms.items():
        alone = len(word) == 1 and not word.isascii()  # a character that is a word, wherever it stands
        place = lowered.find(word)
        while place >= 0:
            end = place + len(word)
            inside = not alone and (lowered[place - 1 : place].isalnum() or lowered[end : end + 1].isalnum())
            if not inside:
                having.setdefault(bisect_right(ends, place), set()).add(form)
            place = lowered.find(word, end)
    best = sorted(having, key=lambda number: (-len(having[number]), number))[:most]
    return [
        (len(having[number]), starts[number], " ".join(text[starts[number] : end].split())[:_SENTENCE])
        for number in best
        for end in (ends[number] if number < len(ends) else len(text),)
    ]
