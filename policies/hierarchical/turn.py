"""One decision of a hierarchy: what came back is taken in, and its layers think until something is to be sent."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from webenv.actions import Action, answer, search, visit
from webenv.latency import LatencyModel
from webenv.policies.hierarchical.again import unheard
from webenv.policies.hierarchical.calls import Calls, Stages
from webenv.policies.hierarchical.chain_ledger import ChainLedger
from webenv.policies.hierarchical.clauses import read_chain
from webenv.policies.hierarchical.layers import Layers
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import (
    SUMMARY,
    CitedSource,
    CitedStatement,
    Finding,
    HostView,
    ManagerSummary,
    ManagerView,
    Order,
    ReadPage,
    Said,
    Subtask,
    Thinking,
    in_words,
    tokens,
)
from webenv.policies.hierarchical.scripts import ScriptHost
from webenv.policies.hierarchical.state import (
    HierarchyState,
    Job,
    OpenDirective,
    TurnState,
    hits_of,
    pages_of,
    seconds_left,
)
from webenv.policies.hierarchical.tables import Wanted, read_question
from webenv.policy import Decision, History

UNREAD = (
    "The scripts cannot read this question, and answer N/A: they read questions in English that ask for a table with "
    "named columns, or for a name by clauses in which letters stand for names. Others need a model: hierarchical:MODEL."
)
"""What the thought of a turn says, and the log once, where no layer can read the question."""

_SPARE = 1.5  # turns like the last one that are kept in hand where seconds are limited
_FULL = 0.9  # of its context, when a flat agent answers with what it has
_READS = 8  # pages that one search leads to
_TELLING = 8  # pages after which workers are told what these brought; whole waves
_OTHERS = 300  # entities that a worker is told beside those asked for


class HostTurn:
    """One decision: takes in what the last action brought, lets the layers think until something is to be sent.

    Args:
        layers: who thinks, and how.
        latency: how long calls take; ``None``: no time.
        history: the episode so far.
        known: what an earlier turn of the episode left (:meth:`left`), which saves folding it from the decisions anew.
    """

    def __init__(
        self, layers: Layers, latency: LatencyModel | None, history: History, known: TurnState | None = None
    ) -> None:
        self._layers, self._latency, self._history = layers, latency, history
        self._question = history.observations[0]["question"]
        ledger = self._ledger()
        if known is not None and known.memories == [one.memory for one in history.decisions]:
            self.state = known.state
        else:
            apart = isinstance(ledger, Ledger) and not (layers.flat or layers.shared)
            told = self._ledger() if apart else None
            self.state = HierarchyState(ledger, told if isinstance(told, Ledger) else None)
            self.state.fold(history.decisions)
        self._kept: dict[str, list[Any]] = {
            name: [] for name in ("statements", "asked", "evidence", "steps", "findings")
        }
        self._calls = Calls(layers.models, latency, history, flat=layers.flat, shared=self._shared)

    def _ledger(self) -> Ledger | ChainLedger:
        wanted, chain = read_question(self._question), read_chain(self._question)
        self.unread = wanted is None and chain is None and isinstance(self._layers.host, ScriptHost)
        if wanted is None and chain is not None:
            return ChainLedger(chain)
        return Ledger(wanted or Wanted("", "", (), ("Name", "What")), reconciles=self._layers.aggregation)

    # ── the decision ──────────────────────────────────────────────────────────

    def decide(self) -> Stages[Decision]:
        yield from self._absorb()
        final: str | None = None
        if self._sendable() and self._splits_early():
            yield from self._split()
        while final is None and not self._sendable():
            if self.state.open and not self._over():
                yield from self._manage()
            elif self._over():
                final = ""
            else:
                final = yield from self._plan()
        if final is None and self._late():
            final = ""
        if final == "" and not (self._closing() or self._late()):
            yield from self._read_again()
            step = (self.state.steps[-1].step if self.state.steps else 0) + 1
            self._calls.writing(f"{step}.answer", tokens(self._table()))
        if final is not None:
            return self._decision(answer(final or self._table()))
        return self._decision(self._send())

    def left(self, decision: Decision) -> TurnState | None:
        """What the turn leaves for the next one; ``None`` where contexts are shared: there a turn forgets, and the next
        one begins with all again."""
        if self._layers.flat or self._layers.shared:
            return None
        return TurnState([*(one.memory for one in self._history.decisions), decision.memory], self.state)

    def _decision(self, action: Action) -> Decision:
        state = self.state
        if self._layers.flat:
            read = min(tokens(self._question) + sum(size for size, _ in state.evidence), self._layers.context)
            self._calls.of_one_agent(read, "; ".join(job.what for job in state.wave) or "answer")
        memory = {
            **({"nodes": self._calls.nodes} if self._calls.nodes else {}),
            **{name: kept for name, kept in self._kept.items() if kept},
            "waiting": [job.plain() for job in state.waiting],
            "wave": [job.plain() for job in state.wave],
            "open": [one.plain() for one in state.open],
            "told": [state.known, state.pages, state.read],
        }
        said = (*((UNREAD,) if self.unread else ()), *(node[3] for node in self._calls.nodes if node[3]))
        thought = "; ".join(said)[:2_000]
        return Decision(
            action, thought, json.dumps(memory, ensure_ascii=False, separators=(",", ":")), self._calls.effort
        )

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
        return left[1] - self._calls.effort.seconds < _SPARE * (left[0] - left[1])

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
        """The next wave, as many as there are workers: all searches of a round, then its pages; where workers are told
        what is known by now, whichever wait in greater number."""
        state, (searches, visits, _) = self.state, self._left()
        queries = [job for job in state.waiting if job.is_search]
        pages = [job for job in state.waiting if not job.is_search]
        chosen = queries[: min(self._layers.workers, searches)]
        many = state.told is None and len(pages) >= min(len(queries), self._layers.workers)
        if not queries or many:
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
        said = yield from self._calls.think("worker", [(f"{job.id}", job.what) for job in jobs], thoughts)
        for job, one, size in zip(jobs, said, sizes, strict=True):
            if job.is_search:
                self._found(job, one, size)
            else:
                self._read(job, one, size)
        for number in sorted(missing):
            self._failed(wave[number], f"no page at {wave[number].what}")
        read = 0 if wave[0].is_search else len(wave)
        state.pages, state.read = state.pages + read, state.read + read
        if state.pages >= self._wave:
            state.tell(len(state.statements))

    def _read_again(self) -> Stages[None]:
        """At the end pages that were read before their rows were known are read again, as the worker is to
        (``rereads``), wave by wave, as long as there is time; it takes no visit."""
        state, layers, ledger = self.state, self._layers, self.state.ledger
        if layers.flat or layers.shared or not (layers.worker.rereads and isinstance(ledger, Ledger)):
            return
        seen = (
            ReadPage(one["url"], one["title"], one["text"]) for o in self._history.observations for one in o["pages"]
        )
        waiting = unheard(ledger, state.statements, seen)
        read: dict[str, Sequence[CitedStatement]] = {}
        for start in range(0, len(waiting), layers.workers):
            if self._late():
                break
            wave = waiting[start : start + layers.workers]
            jobs = [
                Job(
                    f"again.{n // layers.batch + 1}.{n % layers.batch + 1}",
                    Order("", page.url, rows if ledger.wanted.keys == 1 else (), ledger.asked),
                )
                for n, (page, rows) in enumerate(wave, start=start)
            ]
            tasks = [
                layers.worker.read(self._subtask(job, ledger), page) for job, (page, _) in zip(jobs, wave, strict=True)
            ]
            said = yield from self._calls.think("worker", [(job.id, job.what) for job in jobs], tasks)
            for job, one in zip(jobs, said, strict=True):
                if isinstance(one.value, Finding):  # else what the first reading found stands
                    read[job.what] = one.value.bounded().statements
        again = [one for statements in read.values() for one in statements]
        self._kept["statements"] += [list(one) for one in again]
        self._kept["again"] = [list(read), len(again)] if read else []
        state.read_again(read, again)

    def _subtask(self, job: Job, known_now: Ledger | None = None) -> Subtask:
        ledger, order = known_now or self.state.told or self.state.ledger, job.order
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
        about = next(iter(job.order.entities), job.what)
        leads = tuple(CitedSource(url, about) for url in urls[_READS:])
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
        ran = yield from self._split()
        if state.waiting or ran:  # managers look at what programs printed before they sum up
            return
        done = state.open
        summing = [layers.manager.sum_up(self._view(one)) for one in done] if layers.aggregation else []
        whom = [(f"{one.id}.y", one.directive.goal) for one in done[: len(summing)]]
        told = yield from self._calls.think("manager", whom, summing)
        for number, one in enumerate(done):
            text = str(told[number].value) if told else "\n".join(in_words(finding) for finding in one.findings)
            summary = self._summary(one, text)
            state.steps.append(summary)
            self._kept["steps"].append([summary[0], summary[1], [list(s) for s in summary.sources], *summary[3:]])
        state.open = []

    def _split(self) -> Stages[int]:
        """Managers give orders for what is left; how many programs ran."""
        state, layers = self.state, self._layers
        self._forget()
        state.tell(len(state.statements))
        state.read = 0
        going = [one for one in state.open if one.round < layers.rounds]
        thoughts = [layers.manager.split(self._view(one)) for one in going]
        said = yield from self._calls.think("manager", [(one.id, one.directive.goal) for one in going], thoughts)
        ran = 0
        for one, orders in zip(going, said, strict=True):
            ran += self._dispatch(one, orders.value if isinstance(orders.value, tuple) else ())
            one.round += 1
        return ran

    def _splits_early(self) -> bool:
        """Whether managers split again before the last pages of their round are read: those would leave some
        of the workers idle, so that they go out with what comes next. Counted in pages: the same for fewer workers."""
        state = self.state
        queries = any(job.is_search for job in state.waiting)
        going = any(one.round < self._layers.rounds for one in state.open)
        full = len(state.waiting) >= self._wave
        return state.told is not None and going and not queries and not full and state.pages == 0 < state.read

    @property
    def _wave(self) -> int:
        """Pages after which workers are told what these brought: whole waves."""
        return self._layers.workers * max(1, _TELLING // self._layers.workers)

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
        part, parts = one.directive.share
        gaps = ledger.gaps()[part - 1 :: parts]
        return ManagerView(
            self._question, one.directive, one.round, len(ledger.entities), gaps, asked, tuple(findings),
            tuple(ledger.within), ledger.doubts[part - 1 :: parts],
        )  # fmt: skip

    def _summary(self, one: OpenDirective, text: str) -> ManagerSummary:
        gaps = sum(len(gap.columns) for gap in self.state.ledger.gaps())
        step = int(one.id.partition(".")[0])
        if not self._layers.aggregation:
            return ManagerSummary(one.directive.goal, text, (), gaps, one.new, step)
        leads = [lead for finding in one.findings for lead in finding.leads if lead.url not in self.state.asked]
        sources = tuple(dict.fromkeys(leads))
        return ManagerSummary(one.directive.goal, text[:SUMMARY], sources, gaps, one.new, step).bounded()

    # ── host ──────────────────────────────────────────────────────────────────

    def _plan(self) -> Stages[str | None]:
        """The host's next step; an answer ends the episode."""
        state = self.state
        self._forget()
        step = (state.steps[-1].step if state.steps else 0) + 1
        view = HostView(self._question, tuple(state.steps), self._layers.steps + 1 - step)
        [said] = yield from self._calls.think("host", [(str(step), f"step {step}")], [self._layers.host.plan(view)])
        if not isinstance(said.value, tuple) or not said.value or view.steps_left <= 0:
            return said.value if isinstance(said.value, str) else ""
        for number, directive in enumerate(said.value, start=1):
            state.open.append(OpenDirective(f"{step}.{number}", directive))
        return None

    def _table(self) -> str:
        self._forget()
        return self.state.ledger.answer()

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

    def _shared(self) -> int:
        """Tokens of a shared context, which every call reads."""
        if not self._layers.shared:
            return 0
        return min(sum(size for size, _ in self.state.evidence), self._layers.context)


def _plain(finding: Finding) -> list[Any]:
    parts = (finding.statements, finding.sources, finding.leads)
    return [finding.subtask, *([list(one) for one in part] for part in parts), finding.failure]
