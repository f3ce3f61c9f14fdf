"""HierarchicalPolicy: a host, managers and workers that gather wide evidence in parallel, as one policy."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from webenv.actions import Action, answer, search, visit
from webenv.budget import NO_EFFORT, Effort
from webenv.errors import InvalidArgument
from webenv.latency import LatencyModel, ModelCall
from webenv.models import Model, ModelFailure, Request
from webenv.policies.hierarchical.chain_ledger import ChainLedger
from webenv.policies.hierarchical.clauses import read_chain
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import (
    SUMMARY,
    CitedSource,
    CitedStatement,
    Finding,
    Host,
    HostView,
    Manager,
    ManagerSummary,
    ManagerView,
    Order,
    Outcome,
    Said,
    Subtask,
    Thinking,
    Worker,
    in_words,
    tokens,
)
from webenv.policies.hierarchical.sandbox import Sandbox
from webenv.policies.hierarchical.scripts import ScriptHost, ScriptManager, ScriptWorker
from webenv.policies.hierarchical.state import HierarchyState, Job, OpenDirective, hits_of, pages_of, seconds_left
from webenv.policies.hierarchical.tables import Wanted, read_question
from webenv.policies.hierarchical.tree import Node
from webenv.policy import Decision, History
from webenv.web import Failure

ValueT = TypeVar("ValueT")

Stages = Generator[list[tuple[Model, Request]], list[Outcome], ValueT]
"""Work that asks models: yields what goes out together, and is sent the responses."""

_SPARE = 1.5  # turns like the last one that are kept in hand where seconds are limited
_FULL = 0.9  # of its context, when a flat agent answers with what it has
_READS = 5  # pages that one search leads to
_OTHERS = 300  # entities that a worker is told beside those asked for


@dataclass(frozen=True, slots=True)
class Layers:
    """Who thinks, and how.

    Attributes:
        host: plans and answers.
        manager: splits and sums up.
        worker: calls tools.
        models: of each layer, the model that its calls go to; none for scripts.
        workers: how many workers there are: so many queries or pages go out together at most.
        batch: the most orders of one manager at a time.
        rounds: how often a manager splits one directive at most.
        steps: how many steps the host may plan; then it answers with what there is.
        retries: how often a page that is not there is tried again.
        sandbox: where the programs of code and filesystem managers run, on the ledger as ``table.csv``; ``None``:
            nowhere, and such an order is a finding that failed.
        manager_context: tokens of findings that a manager is shown, the newest; older ones stand in the ledger.
        aggregation: whether managers sum up, weigh conflicts and hand sources off; else the host gets raw findings.
        shared: whether all layers share one context, of ``context`` tokens: what no longer fits is forgotten.
        context: tokens of a shared context.
        flat: whether there is one agent alone, which reads all by itself, in one context, and answers when it is full.
    """

    host: Host = field(default_factory=ScriptHost)
    manager: Manager = field(default_factory=ScriptManager)
    worker: Worker = field(default_factory=ScriptWorker)
    models: Mapping[str, Model] = field(default_factory=dict)
    workers: int = 8
    batch: int = 5
    rounds: int = 4
    steps: int = 8
    retries: int = 1
    sandbox: Sandbox | None = None
    manager_context: int = 16_000
    aggregation: bool = True
    shared: bool = False
    context: int = 32_000
    flat: bool = False

    def __post_init__(self) -> None:
        for name in ("workers", "batch", "rounds", "steps", "context"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InvalidArgument(f"hierarchical {name}={value!r:.40}: expected a whole number from 1.")


class HierarchicalPolicy:
    """A host that plans, managers that split and sum up, workers that search and read (InfoSeeker).

    In step t the host gives directives q_t by what managers have told it, and nothing else; a manager splits one into
    self-contained subtasks q_t^k, which workers do in parallel, each in a fresh context; it checks what they return,
    asks again for what is missing, and sums up y_t; the host goes on or answers. Whatever workers want in one turn goes
    out as one action with several queries, or several addresses: so parallelism is the environment's, and its time.

    The state stands in the decisions' ``memory``, turn by turn: the ledger's statements with their sources, summaries,
    and the calls of all layers (:func:`webenv.policies.hierarchical.tree.nodes_of`), so that an episode can be forked
    at any turn.

    Args:
        layers: who thinks, and how; without a model by default.
        latency: how long calls take where nobody measured it; ``None``: no time.
        name: what the policy is called.

    Source: InfoSeeker (arXiv 2604.02971), section 3 and prompts. *Differs from* the paper: image tools are left out;
    orders go out wave by wave, as all of one turn come back together; the host's table is the managers' ledger, which
    it names and does not copy.
    """

    def __init__(
        self, layers: Layers | None = None, latency: LatencyModel | None = None, name: str = "hierarchical"
    ) -> None:
        self.layers = Layers() if layers is None else layers
        self._latency, self._name = latency, name

    @property
    def identity(self) -> Mapping[str, str]:
        layers = self.layers
        told = {part: type(getattr(layers, part)).__name__ for part in ("host", "manager", "worker")}
        numbers = ("workers", "batch", "rounds", "steps", "retries", "aggregation", "shared", "context", "flat")
        reflects = {"reflection": str(getattr(layers.manager, "_reflects", True))}
        models = {
            f"{layer}_{name}": value for layer, one in layers.models.items() for name, value in one.identity.items()
        }
        return {
            "name": self._name,
            "version": "1",
            **told,
            **{name: str(getattr(layers, name)) for name in numbers},
            **reflects,
            **({} if layers.sandbox is None else layers.sandbox.identity),
            **models,
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history; calls of models that are due at the same time go out in one batch each."""
        works = [_Turn(self.layers, self._latency, history).decide() for history in histories]
        decided: list[Decision | Failure | None] = [None] * len(works)
        wanted: dict[int, list[tuple[Model, Request]]] = {}
        for place, work in enumerate(works):
            _advance(work, None, place, wanted, decided)
        while wanted:
            replies = _complete(wanted)
            asked, wanted = wanted, {}
            for place in asked:
                _advance(works[place], replies[place], place, wanted, decided)
        return [one if one is not None else Failure("no decision") for one in decided]


def _advance(
    work: Stages[Decision],
    sent: list[Outcome] | None,
    place: int,
    wanted: dict[int, list[tuple[Model, Request]]],
    decided: list[Decision | Failure | None],
) -> None:
    try:
        wanted[place] = next(work) if sent is None else work.send(sent)
    except StopIteration as done:
        decided[place] = done.value


def _complete(wanted: Mapping[int, Sequence[tuple[Model, Request]]]) -> dict[int, list[Outcome]]:
    """What came of each request: one batch for each model."""
    by_model: dict[int, tuple[Model, list[tuple[int, int]], list[Request]]] = {}
    nothing = ModelFailure("not asked")
    replies: dict[int, list[Outcome]] = {place: [nothing] * len(some) for place, some in wanted.items()}
    for place, some in wanted.items():
        for number, (model, request) in enumerate(some):
            _, places, requests = by_model.setdefault(id(model), (model, [], []))
            places.append((place, number))
            requests.append(request)
    for model, places, requests in by_model.values():
        for (place, number), came in zip(places, model.complete(requests), strict=True):
            replies[place][number] = came
    return replies


class _Turn:
    """One decision: takes in what the last action brought, lets the layers think until something is to be sent."""

    def __init__(self, layers: Layers, latency: LatencyModel | None, history: History) -> None:
        self._layers, self._latency, self._history = layers, latency, history
        self._question = history.observations[0]["question"]
        self.state = HierarchyState(self._ledger())
        self.state.fold(history.decisions)
        self._kept: dict[str, list[Any]] = {
            name: [] for name in ("nodes", "statements", "asked", "evidence", "steps", "findings")
        }
        self._effort = NO_EFFORT
        self._written = 0

    def _ledger(self) -> Ledger | ChainLedger:
        wanted, chain = read_question(self._question), read_chain(self._question)
        if wanted is None and chain is not None:
            return ChainLedger(chain)
        return Ledger(wanted or Wanted("", "", (), ("Name", "What")), reconciles=self._layers.aggregation)

    # ── the decision ──────────────────────────────────────────────────────────

    def decide(self) -> Stages[Decision]:
        yield from self._absorb()
        final: str | None = None
        while final is None and not self._sendable():
            if self.state.open and not self._over():
                yield from self._manage()
            elif self._over():
                final = ""
            else:
                final = yield from self._plan()
        if final is None and self._late():
            final = ""
        if final is not None:
            return self._decision(answer(final or self._table()))
        return self._decision(self._send())

    def _decision(self, action: Action) -> Decision:
        state = self.state
        if self._layers.flat:
            self._one_call()
        memory = {
            **{name: kept for name, kept in self._kept.items() if kept},
            "waiting": [job.plain() for job in state.waiting],
            "wave": [job.plain() for job in state.wave],
            "open": [one.plain() for one in state.open],
        }
        thought = "; ".join(node[3] for node in self._kept["nodes"] if node[3])[:2_000]
        return Decision(action, thought, json.dumps(memory, ensure_ascii=False, separators=(",", ":")), self._effort)

    def _left(self) -> tuple[int, int, int]:
        searches, visits, _, turns = (int(one) for one in self._history.observations[-1]["budget"])
        return searches, visits, turns

    def _over(self) -> bool:
        """Whether this is the last turn in which an answer can be given."""
        searches, visits, turns = self._left()
        return turns <= 1 or (searches <= 0 and visits <= 0) or self._closing()

    def _closing(self) -> bool:
        """Whether it is time to answer with what there is.

        A flat agent does as its context is nearly full, as what it read first would be forgotten next; any does as
        another turn like the last one and the writing of the table would take more seconds than there are left.
        """
        layers = self._layers
        if layers.flat and sum(size for size, _ in self.state.evidence) > _FULL * layers.context:
            return True
        left = [seconds_left(one) for one in self._history.observations[-2:]]
        if len(left) < 2 or left[0] is None or left[1] is None:
            return False
        writing = tokens(self._table()) / (self._latency.write if self._latency is not None else LatencyModel().write)
        return left[1] < _SPARE * (left[0] - left[1]) + 2 * writing

    def _late(self) -> bool:
        """Whether what was thought in this turn left no time for another one like the last."""
        left = [seconds_left(one) for one in self._history.observations[-2:]]
        if len(left) < 2 or left[0] is None or left[1] is None:
            return False
        return left[1] - self._effort.seconds < _SPARE * (left[0] - left[1])

    # ── workers ───────────────────────────────────────────────────────────────

    def _sendable(self) -> bool:
        searches, visits, turns = self._left()
        state = self.state
        if turns <= 1 or self._closing():
            return False
        if searches <= 0:
            state.waiting = [job for job in state.waiting if not job.is_search]
        if visits <= 0:
            state.waiting = [job for job in state.waiting if job.is_search]
        return bool(state.waiting)

    def _send(self) -> Action:
        """The next wave: searches or pages, whichever wait in greater number, as many as there are workers."""
        state, (searches, visits, _) = self.state, self._left()
        queries = [job for job in state.waiting if job.is_search]
        pages = [job for job in state.waiting if not job.is_search]
        chosen = queries[: min(self._layers.workers, searches)]
        if not queries or len(pages) >= min(len(queries), self._layers.workers):
            chosen = pages[: min(self._layers.workers, visits)]
        state.wave = chosen
        sent = {id(job) for job in chosen}
        state.waiting = [job for job in state.waiting if id(job) not in sent]
        texts = [job.what for job in chosen]
        return search(*texts) if chosen[0].is_search else visit(*texts)

    def _absorb(self) -> Stages[None]:
        """Workers look at what came back, all at the same time."""
        state, wave = self.state, self.state.wave
        if not wave:
            return
        observation = self._history.observations[-1]
        asked = [self._subtask(job) for job in wave]
        thoughts: list[Thinking[Any]] = []
        sizes: list[int] = []
        missing = set()
        if wave[0].is_search:
            for task, hits in zip(asked, hits_of(observation, len(wave)), strict=True):
                thoughts.append(self._layers.worker.choose(task, hits))
                sizes.append(sum(tokens(f"{hit.title} {hit.url} {hit.snippet}") for hit in hits))
        else:
            pages = pages_of(observation, [job.what for job in wave])
            for number, (task, page) in enumerate(zip(asked, pages, strict=True)):
                if page is None:
                    missing.add(number)
                    continue
                thoughts.append(self._layers.worker.read(task, page))
                sizes.append(tokens(page.text))
        state.wave = []
        jobs = [job for number, job in enumerate(wave) if number not in missing]
        said = yield from self._think("worker", [(f"{job.id}", job.what) for job in jobs], thoughts)
        for job, one, size in zip(jobs, said, sizes, strict=True):
            if job.is_search:
                self._found(job, one, size)
            else:
                self._read(job, one, size)
        for number in sorted(missing):
            self._failed(wave[number], f"no page at {wave[number].what}")

    def _subtask(self, job: Job) -> Subtask:
        ledger, order = self.state.ledger, job.order
        columns = tuple(dict.fromkeys((*order.columns, *ledger.asked)))
        examples = tuple((column, ledger.examples(column)) for column in columns)
        known = tuple(value for entity in order.entities for value in ledger.known(entity))
        cues = tuple((column, ledger.cues(column)) for column in columns)
        others = tuple(one for one in ledger.entities if one not in order.entities)[:_OTHERS]
        return Subtask(
            job.id, self._question, order.query, order.url, order.entities, order.columns,
            examples, known, others, cues, tuple(ledger.within.items()), job.tries,
        )  # fmt: skip

    def _found(self, job: Job, said: Said[tuple[str, ...]], size: int) -> None:
        """Hits become pages to be read, the best first; what is left over are leads."""
        self._context(size, ())
        urls = [url for url in dict.fromkeys(said.value if said.value else ()) if url not in self.state.asked]
        for url in urls[:_READS]:
            self._enqueue(Job(job.id, job.order._replace(query="", url=url)))
        leads = tuple(CitedSource(url, job.what) for url in urls[_READS:])
        failure = "" if urls else f"nothing new was found for {job.what}"
        self._finding(job, Finding(job.id, (), (), leads, failure))

    def _read(self, job: Job, said: Said[Finding], size: int) -> None:
        finding = said.value.bounded() if isinstance(said.value, Finding) else Finding(job.id, failure="no finding")
        self._context(size, finding.statements)
        self._finding(job, finding)

    def _failed(self, job: Job, reason: str) -> None:
        """What failed is run again; then its entity is searched for in other words, by its manager's next round."""
        if job.tries < self._layers.retries:
            self.state.waiting.append(Job(job.id, job.order, job.tries + 1))
        self._finding(job, Finding(job.id, failure=reason))

    def _finding(self, job: Job, finding: Finding) -> None:
        known = self.state.take(finding.statements)
        self._kept["statements"] += [list(one) for one in finding.statements]
        for one in self.state.open:
            if job.id.startswith(f"{one.id}."):
                one.findings.append(finding)
                one.new += known
                self._kept["findings"].append([one.id, _plain(finding)])

    def _context(self, size: int, statements: Sequence[CitedStatement]) -> None:
        """Counts what a shared context holds; what no longer fits is forgotten with all that it stated."""
        if not (self._layers.flat or self._layers.shared):
            return
        state = self.state
        state.evidence.append((size, len(statements)))
        self._kept["evidence"].append([size, len(statements)])

    def _enqueue(self, job: Job) -> bool:
        if job.what in self.state.asked:
            return False
        self.state.asked[job.what] = None
        self._kept["asked"].append(job.what)
        self.state.waiting.append(job)
        return True

    # ── managers ──────────────────────────────────────────────────────────────

    def _manage(self) -> Stages[None]:
        """Managers split what is left of their directives; those that have nothing left sum up."""
        state, layers = self.state, self._layers
        self._forget()
        going = [one for one in state.open if one.round < layers.rounds]
        thoughts = [layers.manager.split(self._view(one)) for one in going]
        said = yield from self._think("manager", [(one.id, one.directive.goal) for one in going], thoughts)
        ran = 0
        for one, orders in zip(going, said, strict=True):
            ran += self._dispatch(one, orders.value if isinstance(orders.value, tuple) else ())
            one.round += 1
        if state.waiting or ran:  # managers look at what programs printed before they sum up
            return
        done = state.open
        summing = [layers.manager.sum_up(self._view(one)) for one in done] if layers.aggregation else []
        whom = [(f"{one.id}.y", one.directive.goal) for one in done[: len(summing)]]
        told = yield from self._think("manager", whom, summing)
        for number, one in enumerate(done):
            text = str(told[number].value) if told else "\n".join(in_words(finding) for finding in one.findings)
            summary = self._summary(one, text)
            state.steps.append(summary)
            self._kept["steps"].append([summary[0], summary[1], [list(s) for s in summary.sources], *summary[3:]])
        state.open = []

    def _dispatch(self, one: OpenDirective, orders: Sequence[Order]) -> int:
        """Puts orders into the queue, batch by batch; what was sent before never goes out again. Programs run at once.

        Returns:
            How many programs ran.
        """
        asked = self.state.asked
        fresh = [order for order in dict.fromkeys(orders) if (order.code or order.url or order.query) not in asked]
        for number, order in enumerate(fresh):
            batch, place = divmod(number, self._layers.batch)
            job = Job(f"{one.id}.{one.round + 1}{chr(97 + batch % 26)}.{place + 1}", order)
            if order.code:
                self._run(job)
            else:
                self._enqueue(job)
        return sum(bool(order.code) for order in fresh)

    def _run(self, job: Job) -> None:
        code, sandbox = job.order.code, self._layers.sandbox
        self.state.asked[code] = None
        self._kept["asked"].append(code)
        if sandbox is None:
            self._finding(job, Finding(job.id, failure="there is no sandbox for code: none was given"))
            return
        text = io.StringIO()
        csv.writer(text).writerows([self.state.ledger.columns, *self.state.ledger.rows()])
        ran = sandbox.run(code, {"table.csv": text.getvalue()})
        failure = ran.stopped or ("" if ran.status == 0 else f"status {ran.status}")
        printed = (CitedSource("sandbox", ran.output),) if ran.output else ()
        self._finding(job, Finding(job.id, sources=printed, failure=failure).bounded())

    def _view(self, one: OpenDirective) -> ManagerView:
        state = self.state
        asked = tuple(state.asked)[-200:]
        ledger = state.ledger
        findings: list[Finding] = []
        room = self._layers.manager_context
        for finding in reversed(one.findings):
            room -= tokens(in_words(finding))
            if room < 0 and findings:
                break
            findings.insert(0, finding)
        return ManagerView(
            self._question, one.directive, one.round, len(ledger.entities), ledger.gaps(), asked, tuple(findings),
            tuple(ledger.within),
        )  # fmt: skip

    def _summary(self, one: OpenDirective, text: str) -> ManagerSummary:
        gaps = sum(len(gap.columns) for gap in self.state.ledger.gaps())
        if not self._layers.aggregation:
            return ManagerSummary(one.directive.goal, text, (), gaps, one.new)
        leads = [lead for finding in one.findings for lead in finding.leads if lead.url not in self.state.asked]
        sources = tuple(dict.fromkeys(leads))
        return ManagerSummary(one.directive.goal, text[:SUMMARY], sources, gaps, one.new).bounded()

    # ── host ──────────────────────────────────────────────────────────────────

    def _plan(self) -> Stages[str | None]:
        """The host's next step; an answer ends the episode."""
        state = self.state
        self._forget()
        view = HostView(self._question, tuple(state.steps), self._layers.steps - len(state.steps))
        step = len(state.steps) + 1
        [said] = yield from self._think("host", [(str(step), f"step {step}")], [self._layers.host.plan(view)])
        if not isinstance(said.value, tuple) or not said.value or view.steps_left <= 0:
            final = said.value if isinstance(said.value, str) else ""
            if not final:
                self._write(f"{step}.answer")
            return final
        for number, directive in enumerate(said.value, start=1):
            state.open.append(OpenDirective(f"{step}.{number}", directive))
        return None

    def _table(self) -> str:
        self._forget()
        return self.state.ledger.answer()

    def _write(self, id_: str) -> None:
        """The table takes its tokens, whoever writes it down."""
        wrote = tokens(self._table())
        if self._layers.flat:
            self._written += wrote
            return
        self._node(Node(id_, "host", "answer", "", 0, wrote), [ModelCall(self._key(id_), 0, wrote)])

    def _forget(self) -> None:
        """In a shared context the ledger is what is still in it."""
        state, layers = self.state, self._layers
        if not (layers.flat or layers.shared):
            return
        kept, total = 0, 0
        for size, count in reversed(state.evidence):
            total += size
            if total > layers.context:
                break
            kept += count
        state.ledger = self._ledger()
        state.ledger.add(state.statements[len(state.statements) - kept :])

    # ── calls ─────────────────────────────────────────────────────────────────

    def _think(
        self, layer: str, whom: Sequence[tuple[str, str]], thoughts: Sequence[Thinking[ValueT]]
    ) -> Stages[list[Said[ValueT]]]:
        """Calls of one layer that run at the same time: they take as long as the last one waits in the queue."""
        model = self._layers.models.get(layer)
        said: dict[int, Said[ValueT]] = {}
        running: dict[int, Generator[Request, Outcome, Said[ValueT]]] = {}
        for n, thought in enumerate(thoughts):
            if isinstance(thought, Said):
                said[n] = thought
            else:
                running[n] = thought
        sent: dict[int, Outcome] = {}
        while running:
            requests: dict[int, Request] = {}
            for n, work in list(running.items()):
                try:
                    requests[n] = work.send(sent[n]) if n in sent else next(work)
                except StopIteration as done:
                    said[n] = done.value
                    del running[n]
            if requests:
                if model is None:
                    raise InvalidArgument(f"layer {layer!r} asks a model, and has none: give models={{{layer!r}: …}}.")
                attempt = self._history.attempt  # replies to several attempts are kept apart
                came = yield [(model, request._replace(sample=attempt)) for request in requests.values()]
                sent = dict(zip(requests, came, strict=True))
        every = [said[n] for n in sorted(said)]
        if self._layers.flat:
            self._written += sum(one.completion_tokens for one in every if layer != "worker")
        else:
            self._count(layer, whom, every)
        return every

    def _count(self, layer: str, whom: Sequence[tuple[str, str]], every: Sequence[Said[Any]]) -> None:
        calls = []
        for (id_, asked), one in zip(whom, every, strict=True):
            read = max(one.prompt_tokens, self._shared())
            calls.append(ModelCall(self._key(id_), read, one.completion_tokens, one.seconds))
            self._keep(Node(id_, layer, asked, one.text, read, one.completion_tokens, one.seconds))
        self._take(calls)

    def _shared(self) -> int:
        """Tokens of a shared context, which every call reads."""
        if not self._layers.shared:
            return 0
        return min(sum(size for size, _ in self.state.evidence), self._layers.context)

    def _one_call(self) -> None:
        """A flat agent thinks once a turn, with all in its context."""
        state = self.state
        read = min(tokens(self._question) + sum(size for size, _ in state.evidence), self._layers.context)
        turn = len(self._history.decisions) + 1
        what = "; ".join(job.what for job in state.wave) or "answer"
        self._node(
            Node(str(turn), "agent", "", what, read, 30 + self._written),
            [ModelCall(self._key(str(turn)), read, 30 + self._written)],
        )

    def _node(self, node: Node, calls: Sequence[ModelCall]) -> None:
        self._keep(node)
        self._take(calls)

    def _keep(self, node: Node) -> None:
        seconds = node.seconds
        if self._latency is not None:
            call = ModelCall(self._key(node.id), node.prompt_tokens, node.completion_tokens, node.seconds)
            seconds = self._latency.call_seconds(call)
        self._kept["nodes"].append(list(node._replace(seconds=round(seconds, 3)).shortened()))

    def _take(self, calls: Sequence[ModelCall]) -> None:
        if not calls:
            return
        if self._latency is not None:
            effort = self._latency.effort(calls)
        else:
            read, wrote = sum(one.prompt_tokens for one in calls), sum(one.completion_tokens for one in calls)
            effort = Effort(max(one.seconds for one in calls), 0.0, read, wrote, len(calls))
        self._effort = self._effort.plus(effort)

    def _key(self, id_: str) -> str:
        history = self._history
        return f"{history.task_id}/{history.attempt}/{len(history.decisions)}/{id_}"


def _plain(finding: Finding) -> list[Any]:
    parts = (finding.statements, finding.sources, finding.leads)
    return [finding.subtask, *([list(one) for one in part] for part in parts), finding.failure]
