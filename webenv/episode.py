"""The rules of one episode, as a pure state machine: it never calls out.

One turn, from hand to hand::

    requests = episode.request(action)                # what to ask of the web, as data
    turn = episode.receive(responses)                 # what came back
    turn.submission                                   # on the last turn: what there is to judge

Whoever drives an episode does the I/O between the two calls (:mod:`webenv.turn` does it for
hundreds at once).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import le
from typing import Any, NamedTuple
from urllib.parse import quote

from webenv.actions import Action, Kind, read_action
from webenv.budget import Budget, Spending
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError
from webenv.judge import Seen, Submission, Verdict
from webenv.observations import Document, Observation, Page, Reply, Result, check_trace
from webenv.rules import Rules
from webenv.runtime.rows import named
from webenv.spaces import LIMITS, SORTS, clean, encodable
from webenv.task import Task
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
)

CUT_OFF = "cut_off"
"""The ending of an episode that was finished from outside (:meth:`Episode.finish`)."""

_SEARCH, _VISIT, _ASK, _ANSWER, _NOTE = Kind  # each access to a member of an enumeration calls a function
_MOST_ARGUMENTS = 100
_NAMES = tuple(SORTS[kind].replace("url", "URL") for kind in Kind)
_NAMED = 200  # characters of a URL or a site in a notice
_NO_TAGS = str.maketrans("<>", "‹›")
_LONGEST = [LIMITS[sort] for sort in ("title", "url", "snippet", "site")]
_USAGE = "An action is one of search, visit, ask, answer and note, with its texts."


class Requests(NamedTuple):
    """What a turn asks of the web."""

    searches: tuple[SearchRequest, ...] = ()
    visits: tuple[VisitRequest, ...] = ()
    asks: tuple[AskRequest, ...] = ()


class Responses(NamedTuple):
    """What came of each request, in the order of :class:`Requests`."""

    searches: Sequence[SearchResponse] = ()
    visits: Sequence[VisitResponse] = ()
    asks: Sequence[AskResponse] = ()


class Turn(NamedTuple):
    """What a turn came to.

    Attributes:
        observation: what the agent sees.
        cost: minus the share of all searches, visits and asks that the turn spent, −1 to 0.
        ending: empty while the episode goes on; else why it ended.
        submission: what there is to judge; ``None`` while the episode goes on, and where the web failed.
        verdict: the verdict where no judge is needed: no answer was given, or the web failed.
    """

    observation: Observation
    cost: float
    ending: str
    submission: Submission | None
    verdict: Verdict | None


class _PlannedTurn(NamedTuple):
    """A turn between ``request`` and ``receive``."""

    action: Action | None
    requests: Requests
    spent: Spending
    notice: str
    ending: str
    answer: tuple[str, ...]
    own_visits: int  # how many of requests.visits show the agent a page; the rest are for the judge


class Mark(NamedTuple):
    """Where an episode stood before a turn."""

    spent: Spending
    ending: str
    seen: int
    replies: int
    pages: int
    clocked: bool


class Episode:
    """One episode: a task, its rules and budget, and what has happened so far.

    Args:
        task: the task to be solved.
        rules: the benchmark's rules.
        budget: the limits.

    Attributes:
        clocked: whether seconds and dollars were charged that are data (:meth:`charge`); those of a wall clock are not.
    """

    def __init__(self, task: Task, rules: Rules, budget: Budget) -> None:
        self.task = task
        self.rules = rules
        self.budget = budget
        self.spent = Spending()
        self.ending = ""
        self.clocked = False
        self._question = clean(task.question, "question")
        self._seen: dict[str, str] = {}  # URL → key, in the order of first sight
        self._replies: list[Reply] = []
        self._pages: list[Page] = []  # where the rules keep them
        self._plan: _PlannedTurn | None = None

    # ── the turn ──────────────────────────────────────────────────────────────

    def begin(self, sites: tuple[Reply, ...] = ()) -> Observation:
        """The first observation: the question and the whole budget.

        Args:
            sites: where the agent is told which sites there are: each with its description, as its agent's first word.
        """
        limited = self.budget.seconds is not None or self.budget.dollars is not None
        return self._observe(self._left() if limited else (), replies=tuple(map(_clean_reply, sites)))

    def request(self, raw: object) -> Requests:
        """Checks an action and says what to ask of the web; charges nothing yet.

        Args:
            raw: whatever the agent sent.

        Raises:
            ResetNeeded: if the episode has ended.
        """
        if self.ending:
            raise ResetNeeded(f"the episode has ended ({self.ending}): call reset before the next step.")
        action = read_action(raw)
        if self.clocked and (ended := self.budget.overrun(self.spent)):
            return self._planned(
                self._refuse("The action came too late: nothing of it was done.", "")._replace(ending=ended)
            )
        problem, rule = self._problem(action)
        plan = self._accept(action) if action and not problem else self._refuse(problem, _ending(raw, action, rule))
        if not plan.ending and plan.spent.turns >= self.budget.turns:
            plan = plan._replace(ending="out_of_turns")
        return self._planned(plan)

    def charge(self, seconds: float, dollars: float = 0.0) -> tuple[VisitRequest, ...]:
        """Charges seconds and dollars that are data.

        Between two turns: what the agent took to decide; where that is over the budget, the next action comes too late.
        Between :meth:`request` and :meth:`receive`: what the turn's requests took; where that is over the budget, the
        turn is the last.

        Returns:
            Pages that the judge needs, of a turn that this made the last; :meth:`receive` takes them after the others.
        """
        self.clocked = True
        plan = self._plan
        before = self.spent if plan is None else plan.spent
        spent = before._replace(seconds=before.seconds + seconds, dollars=before.dollars + dollars)
        if plan is None:
            self.spent = spent
            return ()
        ended = plan.ending or self.budget.overrun(spent)
        self._plan = plan = plan._replace(spent=spent)
        if ended == plan.ending:
            return ()
        return self._planned(plan._replace(ending=ended)).visits[len(plan.requests.visits) :]

    def finish(self) -> Requests:
        """Ends the episode from outside: nothing is charged, and what came before the agent is judged.

        The ending is ``cut_off``; the turn that :meth:`receive` then gives is the last.

        Raises:
            ResetNeeded: if the episode has ended.
        """
        if self.ending:
            raise ResetNeeded(f"the episode has ended ({self.ending}): it cannot be finished.")
        return self._planned(_PlannedTurn(None, Requests(), self.spent, "The episode was cut off.", CUT_OFF, (), 0))

    def _planned(self, plan: _PlannedTurn) -> Requests:
        if plan.ending:
            world = Scope(world=self.task.scope.world)
            gold = tuple(VisitRequest(url, world) for url in self.task.gold.urls)
            plan = plan._replace(requests=plan.requests._replace(visits=plan.requests.visits + gold))
        self._plan = plan
        return plan.requests

    @property
    def on_last_turn(self) -> bool:
        """Whether the turn that was requested is the last, whatever comes of it."""
        return self._plan is not None and bool(self._plan.ending)

    @property
    def own_visits(self) -> int:
        """How many of the visits that were requested show the agent a page; the rest are for the judge."""
        return 0 if self._plan is None else self._plan.own_visits

    def mark(self) -> Mark:
        """Where the episode stands, for :meth:`back_to`."""
        pages = len(self._pages)
        return Mark(self.spent, self.ending, len(self._seen), len(self._replies), pages, self.clocked)

    def back_to(self, mark: Mark) -> None:
        """Undoes what was requested and received since a mark."""
        self._plan, self.spent, self.ending, self.clocked = None, mark.spent, mark.ending, mark.clocked
        while len(self._seen) > mark.seen:
            self._seen.popitem()
        del self._replies[mark.replies :]
        del self._pages[mark.pages :]

    def receive(self, responses: Responses, seconds: float = 0.0) -> Turn:
        """Takes what came back, charges the budget, and says what the turn came to.

        Args:
            responses: one response for each request of the last ``request``.
            seconds: how long the answers took by a clock, where that is not data (:meth:`charge`).
        """
        plan = self._plan
        if plan is None:
            raise ResetNeeded("receive was called without a request before it.")
        self._plan = None
        before, self.spent = self.spent, plan.spent
        if seconds:
            self.spent = plan.spent._replace(seconds=plan.spent.seconds + seconds)
        cost = 0.0 - self.budget.share(before, self.spent)
        shown = responses.visits[: plan.own_visits]
        failure: Failure | None = None
        for response in (*responses.searches, *shown, *responses.asks):
            if isinstance(response, Failure):
                failure = response
                break
        late = not self.clocked and self.budget.seconds is not None and self.spent.seconds > self.budget.seconds
        if failure is not None or late:
            self.ending = "web_failed" if failure is not None else "out_of_time"
            reason = failure.reason if failure is not None else f"the web took over {self.budget.seconds} seconds"
            verdict = Verdict.unscored(reason, "rules")
            return Turn(self._observe((_told(reason),)), cost, self.ending, None, verdict)
        observation = self._show(plan, responses)
        self.ending = plan.ending
        if not plan.ending:
            return Turn(observation, cost, "", None, None)
        judged = list(responses.visits[plan.own_visits :])
        fetched = len(plan.answer) if self.rules.fetch_answer else 0
        submission = Submission(
            task=self.task,
            ending=plan.ending,
            answer=plan.answer,
            pages=tuple(judged[:fetched]),
            gold=tuple(judged[fetched:]),
            seen=tuple(named(Seen, self._seen.items())),
            budget=self.budget,
            spending=self.spent,
            replies=tuple(self._replies),
            ranked=self.rules.answers > 1,
            shown=tuple(self._pages),
        )
        ruled = None
        if plan.ending != "answered":
            ruled = self.rules.without_answer(plan.ending)
        return Turn(observation, cost, plan.ending, submission, ruled)

    # ── checking an action ────────────────────────────────────────────────────

    def _problem(self, action: Action | None) -> tuple[str, str]:
        """What is wrong with an action, and which rule says what follows; empty if nothing is."""
        if action is None:
            return f"That is no action. {_USAGE}", "invalid"
        kind, texts = action
        sort = SORTS[kind]  # type: ignore[index]  # members of Kind are numbers
        name, limit = _NAMES[kind], LIMITS[sort]
        if not texts:
            return f"The action names no {name}. {_USAGE}", "invalid"
        most = self.rules.answers if kind == _ANSWER else _MOST_ARGUMENTS + int(kind == _ASK)
        if len(texts) > most:
            return f"The action has {len(texts)} texts; at most {most} are taken.", "invalid"
        if kind == _ASK and len(texts) == 1:
            return "The question names no site: ask takes a question, then one or more sites.", "invalid"
        for place, text in enumerate(texts):
            if kind == _ASK and place > 0:
                name, limit = "site", LIMITS["site"]
            if len(text) > limit:
                article = "An" if name == "answer" else "A"
                return f"{article} {name} has {len(text)} characters; at most {limit} are taken.", "invalid"
            if kind not in (_NOTE, _ANSWER) and not text.strip():
                return f"A {name} is empty.", "invalid"
        left = self.budget.left(self.spent)
        wanted = len(texts) - int(kind == _ASK)
        if kind <= _ASK and wanted > left[kind]:
            units = ("searches", "visits", "asks")[kind]
            if not getattr(self.budget, units):
                name = Kind(kind).name.lower()
                return f"There is no {name} here: the budget has no {units}. Nothing of it was done.", "overrun"
            return (
                f"Over budget: {left[kind]} {units} left, the action wants {wanted}. Nothing of it was done.",
                "overrun",
            )
        return "", ""

    def _refuse(self, problem: str, ending: str) -> _PlannedTurn:
        spent = self.spent._replace(turns=self.spent.turns + 1)
        fails = (self.rules.overrun if ending.endswith("_overrun") else self.rules.invalid) == "fail"
        return _PlannedTurn(None, Requests(), spent, problem, ending if fails else "", (), 0)

    def _accept(self, action: Action) -> _PlannedTurn:
        kind, texts = action.kind, action.arguments
        scope, (searched, visited, asked, turns, seconds, dollars) = self.task.scope, self.spent
        turns += 1
        if kind == _SEARCH:
            limit = self.rules.results
            searches = tuple([SearchRequest(text, limit, scope) for text in texts])
            spent = Spending(searched + len(texts), visited, asked, turns, seconds, dollars)
            return _PlannedTurn(action, Requests(searches), spent, "", "", (), 0)
        if kind == _VISIT:
            visits = tuple([VisitRequest(url, scope) for url in self._visitable(texts)])
            spent = Spending(searched, visited + len(texts), asked, turns, seconds, dollars)
            return _PlannedTurn(action, Requests(visits=visits), spent, "", "", (), len(visits))
        if kind == _ASK:
            question, *sites = texts
            asks = tuple([AskRequest(question, site, scope) for site in sites])
            spent = Spending(searched, visited, asked + len(sites), turns, seconds, dollars)
            return _PlannedTurn(action, Requests(asks=asks), spent, "", "", (), 0)
        spent = Spending(searched, visited, asked, turns, seconds, dollars)
        if kind == _ANSWER:
            answer = self.rules.read_answer(texts)
            if isinstance(answer, str):
                raise InvalidArgument(f"Rules.read_answer gave {answer!r:.80}: expected a tuple of texts.")
            fetched = tuple(VisitRequest(url, scope) for url in answer) if self.rules.fetch_answer else ()
            return _PlannedTurn(action, Requests(visits=fetched), spent, "", "answered", answer, 0)
        return _PlannedTurn(action, Requests(), spent, "", "", (), 0)

    def _visitable(self, urls: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(url.strip() for url in urls if self.rules.unseen == "allow" or url.strip() in self._seen)

    # ── showing what came back ────────────────────────────────────────────────

    def _show(self, plan: _PlannedTurn, responses: Responses) -> Observation:
        notices = [plan.notice] if plan.notice else []
        results: list[Result] = []
        for number, hits in enumerate(responses.searches, start=1):
            assert not isinstance(hits, Failure)  # a failure ended the turn before
            if len(responses.searches) > 1:
                first = len(results) + 1
                where = f"results {first} to {len(results) + len(hits)}" if hits else "nothing"
                notices.append(f"Query {number} found {where}.")
            results += _clean_results(hits)
        pages: list[Page] = []
        if self.rules.whole_results:
            pages = [self._clip(page, page.url, notices) for page in whole_pages(responses.searches)]
            results = [hit._replace(snippet="") for hit in results]
        if plan.action is not None and plan.action.kind == _VISIT and self.rules.unseen != "allow":
            unseen = [url for url in plan.action.arguments if url.strip() not in self._seen]
            notices += [f"Not available, never shown: {_named(url.strip())}." for url in unseen]
        for request, response in zip(plan.requests.visits, responses.visits[: plan.own_visits], strict=False):
            if isinstance(response, Page):
                pages.append(self._clip(response, request.url, notices))
                self._seen.setdefault(request.url, response.key)
            elif isinstance(response, Missing):
                notices.append(f"No page at {_named(request.url)}: {_told(response.reason)}.")
        replies: list[Reply] = []
        for ask_request, reply in zip(plan.requests.asks, responses.asks, strict=True):
            if isinstance(reply, Reply):
                replies.append(_clean_reply(reply))
            elif isinstance(reply, Missing):
                notices.append(f"No content agent at {_named(ask_request.site)}: {_told(reply.reason)}.")
        self._replies += replies
        if self.rules.keep_pages:
            self._pages += pages
        seen = self._seen
        if results:
            _, urls, _, _, keys = zip(*results, strict=True)
            deque(map(seen.setdefault, urls, keys), maxlen=0)
        for page in pages:
            seen.setdefault(page.url, page.key)
        for document in [document for reply in replies for document in reply.documents]:
            seen.setdefault(document.url, document.key)
        if len(responses.searches) == 1 and not results:
            notices.append("Nothing was found.")
        if self.clocked:
            notices += self._left()
        return self._observe(notices, tuple(results), tuple(pages), tuple(replies))

    def _left(self) -> list[str]:
        """Seconds and dollars that are left, where they are limited."""
        budget, spent, left = self.budget, self.spent, []
        if budget.seconds is not None:
            left.append(f"{max(budget.seconds - spent.seconds, 0.0):.1f} of {budget.seconds:g} seconds left.")
        if budget.dollars is not None:
            left.append(f"${max(budget.dollars - spent.dollars, 0.0):.4f} of ${budget.dollars:g} left.")
        return left

    def _clip(self, page: Page, asked: str, notices: list[str]) -> Page:
        """What of a page is shown; a notice names it as it was asked for, not as the web calls it."""
        limit = min(self.rules.page_characters, LIMITS["text"])
        if len(page.text) > limit:
            notices.append(f"Only the first {limit} of {len(page.text)} characters of {_named(asked)} are shown.")
        text = clean(page.text[:limit], "text")
        return Page(clean(page.url, "url"), clean(page.title, "title"), text, page.date, page.key)

    def _observe(
        self,
        notices: Sequence[str],
        results: tuple[Result, ...] = (),
        pages: tuple[Page, ...] = (),
        replies: tuple[Reply, ...] = (),
    ) -> Observation:
        notice = clean(" ".join(notices), "notice") if notices else ""
        return Observation(self._question, results, pages, replies, notice, self.budget.left(self.spent))

    # ── as plain data ─────────────────────────────────────────────────────────

    def save(self) -> dict[str, Any]:
        """The episode between two turns as JSON-ready data: the task by its id, nothing of its gold."""
        return {
            "task": self.task.id,
            "spent": list(self.spent if self.spent.dollars else self.spent[:5]),
            "ending": self.ending,
            "seen": [[url, key] for url, key in self._seen.items()],
            **({"replies": [_plain_reply(reply) for reply in self._replies]} if self._replies else {}),
            **({"pages": [list(page) for page in self._pages]} if self._pages else {}),
            **({"clocked": True} if self.clocked else {}),
        }

    @classmethod
    def load(cls, saved: Mapping[str, Any], task: Task, rules: Rules, budget: Budget) -> Episode:
        """The episode that :meth:`save` saved.

        Raises:
            SnapshotError: if the data are not of that form.
        """
        episode = cls(task, rules, budget)
        try:
            searches, visits, asks, turns, *amounts = saved["spent"]
            seconds, dollars = (*map(float, amounts), 0.0)[:2]
            episode.spent = Spending(int(searches), int(visits), int(asks), int(turns), seconds, dollars)
            episode.clocked = saved.get("clocked", False) is True
            if min(episode.spent) < 0 or min(budget.left(episode.spent)) < 0:
                raise ValueError(f"spent {saved['spent']} does not fit the budget")
            episode.ending = saved["ending"]
            episode._seen = dict(saved["seen"])
            episode._replies = [read_reply(reply) for reply in saved.get("replies", ())]
            episode._pages = [Page(*page) for page in saved.get("pages", ())]
            named = (*episode._seen.items(), *episode._pages)
            if not all(isinstance(text, str) for each in named for text in (episode.ending, *each)):
                raise TypeError("its ending and what was seen are no texts")
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise SnapshotError(f"not a saved episode: {error!r}; expected what Episode.save gave.") from error
        return episode


def _ending(raw: object, action: Action | None, rule: str) -> str:
    """What an action that is refused ends an episode as, where it does; kind −1 stands for none at all."""
    if action is not None:
        return f"{Kind(action.kind).name.lower()}_overrun" if rule == "overrun" else "invalid_action"
    kind = raw[0] if isinstance(raw, tuple | list) and len(raw) == 2 else None
    known = isinstance(kind, int) and not isinstance(kind, bool) and kind != -1
    return "unknown_action" if known else "no_action"


def _named(text: str) -> str:
    """A URL or a site as one token of a notice: spaces, tags and what is not printable are percent-encoded."""
    shown = clean(text[:_NAMED], "url")
    return "".join(one if one.isprintable() and one not in " <>" else quote(one) for one in shown)[:_NAMED]


def _told(reason: str) -> str:
    """A reason of the web's as a part of a notice: on one line, printable, without tags."""
    return "".join(one if one.isprintable() else " " for one in clean(reason, "notice")).translate(_NO_TAGS)


def _clean_results(hits: Sequence[Result]) -> Sequence[Result]:
    longest = [max(map(len, texts)) for texts in zip(*hits, strict=True)]
    if all(map(le, longest, _LONGEST)) and encodable("".join(chain.from_iterable(hits))):
        return hits  # as nearly all are: nothing to clean
    return [
        Result(clean(title, "title"), clean(url, "url"), clean(text, "snippet"), clean(site, "site"), key)
        for title, url, text, site, key in hits
    ]


def whole_pages(searches: Sequence[SearchResponse]) -> list[Page]:
    """The pages that searches brought whole, each once, in the order of the results; their snippets are their texts."""
    found = {hit.url: hit for hits in searches if not isinstance(hits, Failure) for hit in hits}
    return [Page(hit.url, hit.title, hit.snippet, key=hit.key) for hit in found.values()]


def _plain_reply(reply: Reply) -> dict[str, Any]:
    record = {"site": reply.site, "text": reply.text, "documents": [one._asdict() for one in reply.documents]}
    return record if reply.trace is None else {**record, "trace": reply.trace}


def read_reply(data: Mapping[str, Any]) -> Reply:
    """A reply from plain data, as a snapshot or the record of a turn has it.

    Raises:
        KeyError: if a part is missing.
        TypeError: if one is no text.
    """
    documents = [Document(**{"key": "", **document}) for document in data["documents"]]
    texts = [data["site"], data["text"], *(text for document in documents for text in document)]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a reply holds what is no text")
    trace = data.get("trace")
    check_trace(trace)
    return Reply(data["site"], data["text"], tuple(documents), trace)


def _clean_reply(reply: Reply) -> Reply:
    documents = tuple(
        Document(clean(d.url, "url"), clean(d.title, "title"), clean(d.text, "text"), d.key) for d in reply.documents
    )
    return Reply(clean(reply.site, "site"), clean(reply.text, "text"), documents, reply.trace)
