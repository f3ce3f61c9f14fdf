"""Host, managers and workers as one policy: what goes out, what each layer sees, what is kept, and what fails."""

from __future__ import annotations

import json
import shutil
import typing
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from tests.openai_server import Cut, Fault, Hang, Messages, Reply, serve
from tests.policies.hierarchical.ferries import NAMES, QUESTION, ferries, gold, pages
from tests.webs import DictWeb
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.errors import InvalidArgument
from webenv.evaluation import at_step, evaluate
from webenv.evaluation.run_dir import read_records
from webenv.latency import LatencyModel
from webenv.models import ChatModel
from webenv.observations import Page, Result
from webenv.policies import make_policy
from webenv.policies.hierarchical import (
    HierarchicalPolicy,
    Layers,
    ModelHost,
    ModelManager,
    ModelWorker,
    Sandbox,
    ScriptHost,
    ScriptManager,
    ScriptWorker,
    nodes_of,
    use_by_layer,
)
from webenv.policies.hierarchical.messages import (
    CELL,
    CitedStatement,
    Finding,
    HostView,
    ManagerSummary,
    ManagerView,
    ReadPage,
    ResultLine,
    Said,
    Subtask,
)
from webenv.policy import Decision, History
from webenv.rollout.play import EpisodeSpec, play_episodes
from webenv.rollout.record import Record
from webenv.web import Failure, Missing, VisitRequest, VisitResponse

LATENCY = LatencyModel(search=1.0, visit=1.0, spread=0.0, sites=0.0, first=1.0, read=1e9, write=1e9, calls=64)


def play(layers: Layers | None = None, made_of: Benchmark | None = None, name: str = "hierarchical") -> Record:
    policy = HierarchicalPolicy(layers or Layers(), LATENCY, name)
    [record] = next(play_episodes(made_of or ferries(), policy, [EpisodeSpec("ferries", 0, 0)]))
    return record


def table(record: Record) -> list[tuple[str, ...]]:
    """The rows of the answered table, in the order of the names."""
    lines = [line for line in record.turns[-1].texts[0].splitlines() if line.startswith("| ")]
    return sorted(tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[1:])


# ── what it does ──────────────────────────────────────────────────────────────


def test_lists_first_then_what_they_lack() -> None:
    """The table is complete: lists give what they hold, the entities' own pages what lists lack."""
    record = play()
    assert table(record) == gold()
    assert record.turns[0].texts == ("ferries of Yiskos", "Yiskos ferries Fare Launched Hull")


@pytest.mark.parametrize("workers", [1, 3, 8])
def test_a_pool_of_workers_bounds_what_goes_out_together(workers: int) -> None:
    """No action has more queries or addresses than there are workers, and none goes out twice."""
    record = play(Layers(workers=workers))
    sent = [text for turn in record.turns[:-1] for text in turn.texts]
    assert max(len(turn.texts) for turn in record.turns[:-1]) <= workers
    assert len(sent) == len(set(sent))
    assert table(record) == gold()


def test_more_workers_take_less_time() -> None:
    """Eight workers need less than half of one worker's seconds for the same table, and the same requests."""
    one, eight = play(Layers(workers=1)), play(Layers(workers=8))
    assert one.spent["searches"] == eight.spent["searches"]
    assert eight.spent["seconds"] < one.spent["seconds"] / 2


def test_batches_are_bounded() -> None:
    """Workers of one batch share the batch's place in the tree, as many as a batch may have."""
    nodes = [node for turn in play(Layers(batch=2)).turns for node in nodes_of(turn.memory) if node.layer == "worker"]
    batches: dict[str, set[str]] = {}
    for node in nodes:
        batch, _, place = node.id.rpartition(".")
        batches.setdefault(batch, set()).add(place)
    assert max(map(len, batches.values())) == 2


def test_a_cell_that_no_page_states_is_not_invented() -> None:
    """A column that nothing states is N/A in every row, whatever was tried."""
    record = play(made_of=ferries(f"{QUESTION} | Bell"))
    assert [row[4] for row in table(record)] == ["N/A"] * len(NAMES)
    assert [row[:4] for row in table(record)] == gold()


def test_an_old_version_does_not_count_against_today() -> None:
    """A value of an old version stands only where no page of today has one."""
    first = next(row for row in table(play()) if row[0] == "the Ansel")
    assert first[1] == "10 pence"


def test_a_question_without_columns_is_answered_with_nothing_invented() -> None:
    """Scripts answer N/A to what they cannot read as a table."""
    assert play(made_of=ferries("Who keeps the light?")).turns[-1].texts == ("N/A",)


def test_the_last_turn_is_an_answer() -> None:
    """Where turns run out, what is known is answered."""
    record = play(made_of=ferries(budget=Budget(searches=100, visits=100, turns=3)))
    assert (record.ending, len(record.turns)) == ("answered", 3)


@pytest.mark.parametrize("seconds", [14.0, 20.0, 40.0])
def test_it_answers_before_the_seconds_are_over(seconds: float) -> None:
    """Where seconds are limited it answers in time, with what it has by then."""
    record = play(made_of=ferries(budget=Budget(searches=100, visits=100, turns=100, seconds=seconds)))
    assert (record.ending, record.spent["seconds"] <= seconds) == ("answered", True)
    assert len(table(record)) == len(NAMES)


def test_other_limits_are_kept_too() -> None:
    """Where searches and visits run out, no action overruns them, and what is known is answered."""
    record = play(made_of=ferries(budget=Budget(searches=3, visits=2, turns=50)))
    assert (record.ending, record.spent["searches"], record.spent["visits"]) == ("answered", 3, 2)


# ── what a layer may see ──────────────────────────────────────────────────────


def _reached(kind: Any, seen: set[Any]) -> set[Any]:
    """All types that a value of a type can hold."""
    if kind in seen:
        return seen
    seen.add(kind)
    for part in get_args(kind):
        _reached(part, seen)
    if isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields"):
        for part in get_type_hints(kind).values():
            _reached(part, seen)
    return seen


@pytest.mark.parametrize("view", [HostView, ManagerView])
def test_no_type_above_the_worker_holds_a_page(view: type) -> None:
    """Neither what a host sees nor what a manager sees can hold a page, a hit, or what the environment shows."""
    assert not _reached(view, set()) & {ReadPage, Page, Result, ResultLine, dict, Mapping, typing.Any}


def test_the_host_sees_no_findings() -> None:
    """A host sees summaries alone."""
    assert not _reached(HostView, set()) & {Finding, CitedStatement, Subtask}
    assert ManagerSummary in _reached(HostView, set())


class Copyist(ScriptWorker):
    """A worker that returns the whole page, cell by cell."""

    def read(self, task: Subtask, page: ReadPage) -> Said[Finding]:
        cells = tuple(CitedStatement(f"the {NAMES[0]}", "Fare", page.text, page.url) for _ in range(50))
        return Said(Finding(task.id, cells, (), (), page.text), 10, 10)


class Listener(ScriptHost):
    """A host that notes all that it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[HostView] = []

    def plan(self, view: HostView) -> Any:
        self.seen.append(view)
        return super().plan(view)


def test_no_page_reaches_the_host() -> None:
    """Even where workers copy pages into their findings, no sentence of a page reaches the host."""
    host = Listener()
    play(Layers(host=host, worker=Copyist()))
    shown = repr(host.seen)
    assert len(host.seen) > 1
    assert not any(sentence in shown for page in pages() for sentence in page.text.split(". ") if len(sentence) > 20)


def test_a_finding_is_bounded() -> None:
    """Texts of a finding are one line of 300 characters at most."""
    long = "a page\n" * 1_000
    [stated] = Finding("1", (CitedStatement(long, "Fare", long, long),)).bounded().statements
    assert [len(one) for one in stated] == [CELL, 4, CELL, CELL, 0, 0, 0]


def test_the_context_of_the_host_stays_within_a_bound() -> None:
    """The host's longest context does not grow with the pages that are read."""
    few = DictWeb(pages(NAMES[:2]))
    small, large = (use_by_layer(_nodes(play(made_of=ferries(web=web)))) for web in (few, None))
    assert small["worker"].prompt_tokens * 1.3 < large["worker"].prompt_tokens
    assert large["host"].longest < 1.3 * small["host"].longest


def test_a_flat_agent_answers_when_its_context_is_full() -> None:
    """With a context of 400 tokens the flat agent's table is cut; that of the layers is not."""
    flat = Layers(flat=True, workers=1, context=400)
    assert len(table(play(flat))) < len(NAMES) or any("N/A" in row for row in table(play(flat)))
    assert table(play(Layers(context=400))) == gold()


def test_a_shared_context_costs_every_layer() -> None:
    """With one context for all, the host's calls read what the workers read."""
    apart, shared = (use_by_layer(_nodes(play(Layers(shared=one)))) for one in (False, True))
    assert shared["host"].longest > 3 * apart["host"].longest


def _nodes(record: Record) -> list[Any]:
    return [node for turn in record.turns for node in nodes_of(turn.memory)]


# ── what is kept ──────────────────────────────────────────────────────────────


def test_any_turn_can_be_taken_up_again() -> None:
    """From the record of an episode, the same policy decides at each turn what it decided then."""
    record, policy = play(), HierarchicalPolicy(Layers(), LATENCY)
    for step, turn in enumerate(record.turns):
        [decision] = policy.act([record.history(step)])
        assert (decision.action.arguments, decision.memory) == (turn.texts, turn.memory)


class Forgetful(HierarchicalPolicy):
    """A policy made anew for each turn, which folds its state from the decisions."""

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return HierarchicalPolicy(self.layers, self._latency).act(histories)


@pytest.mark.parametrize(
    "settings", [{}, {"workers": 2}, {"aggregation": False}, {"shared": True, "context": 900}, {"flat": True}]
)
def test_what_a_turn_leaves_is_what_its_decisions_say(settings: dict[str, Any]) -> None:
    """A state carried on from turn to turn, and one folded from the decisions anew, lead to the same episode."""
    web = DictWeb([page for page in pages() if page.key != "Corvo"])  # a dead link, and a row with gaps
    layers, benchmark = Layers(**settings), ferries(f"{QUESTION} | Bell", web)
    [carried], [folded] = (
        next(play_episodes(benchmark, policy(layers, LATENCY), [EpisodeSpec("ferries", 0, 0)]))
        for policy in (HierarchicalPolicy, Forgetful)
    )
    assert carried == folded
    assert len(carried.turns) > 3


def test_a_replay_takes_the_same_seconds(tmp_path: Path) -> None:
    """Played again from its run folder, an episode stands at each step where it stood, seconds left included."""
    made_of = ferries(budget=Budget(searches=100, visits=100, turns=100, seconds=60.0))
    evaluate(made_of, HierarchicalPolicy(Layers(), LATENCY), out=tmp_path / "run")
    record = next(iter(read_records(tmp_path / "run")))
    for step in range(len(record.turns)):
        env, observation = at_step(tmp_path / "run", "ferries", step=step, env=made_of)
        assert "of 60 seconds left." in observation["notice"]
        env.close()


def test_a_record_survives_its_line() -> None:
    """The tree of an episode is part of its record."""
    record = play()
    again = Record.from_line(record.to_line())
    assert _nodes(again) == _nodes(record)
    assert {node.layer for node in _nodes(again)} == {"host", "manager", "worker"}


def test_efforts_are_those_of_the_tree() -> None:
    """Calls and tokens of the episode's turns are those of its nodes; seconds know what ran at the same time."""
    record = play()
    nodes = _nodes(record)
    assert sum(turn.effort.calls for turn in record.turns) == len(nodes)
    assert sum(turn.effort.prompt_tokens for turn in record.turns) == sum(node.prompt_tokens for node in nodes)
    assert sum(turn.effort.seconds for turn in record.turns) < sum(node.seconds for node in nodes)


def test_episodes_do_not_know_each_other() -> None:
    """What is played side by side is what each is alone."""
    policy = HierarchicalPolicy(Layers(), LATENCY)
    specs = [EpisodeSpec("ferries", attempt, 0) for attempt in range(3)]
    records = [record for ended in play_episodes(ferries(), policy, specs) for record in ended]
    assert [replace(record, attempt=0).to_line() for record in records[:1]] == [play().to_line()]
    assert {record.turns[-1].texts for record in records} == {play().turns[-1].texts}


def test_memory_of_another_policy_is_left_aside() -> None:
    """A fork of another policy's episode begins anew from where it stands."""
    assert nodes_of("not JSON") == nodes_of('{"nodes": [[1]]}') == nodes_of("[]") == ()


# ── what fails ────────────────────────────────────────────────────────────────


class Flaky(DictWeb):
    """A web in which pages fail at the first time, or always."""

    def __init__(self, always: str = "") -> None:
        super().__init__(pages())
        self.always, self.seen = always, set[str]()

    def visit(self, requests: Sequence[VisitRequest]) -> list[VisitResponse]:
        found = super().visit(requests)
        for number, request in enumerate(requests):
            if request.url not in self.seen or request.url == self.always:
                self.seen.add(request.url)
                found[number] = Missing("timeout")
        return found


def test_a_page_that_fails_is_tried_again() -> None:
    """Every page fails once, and is read at the second try."""
    assert table(play(made_of=ferries(web=Flaky()))) == gold()


def test_what_is_gone_is_left_open() -> None:
    """A list that is never there costs a second try, and its cells alone: no value is made up for them."""
    record = play(made_of=ferries(web=Flaky("https://b.example/years")))
    assert table(record) == [(name, fare, "N/A", hull) for name, fare, _, hull in gold()]
    assert sum(turn.texts.count("https://b.example/years") for turn in record.turns) == 2


def scripted_models(script: Any, timeout: float = 5.0, **layers: Any) -> Record:
    with serve(script) as server, ChatModel("tiny", base_url=server.base_url, retries=0, timeout=timeout) as model:
        every = {name: model for name in ("host", "manager", "worker") if name in layers}
        return play(Layers(models=every, **layers))


def test_models_in_all_layers() -> None:
    """A model plans, splits, chooses, reads and sums up; its answer TABLE is the ledger's table."""

    def script(messages: Messages) -> Reply:
        system, user = messages[0]["content"], messages[1]["content"]
        if "You lead" in system:
            told = "Step 1" in user
            goal = {"execute_parallel": [{"manager": "search", "goal": "fares of the ferries", "urls": []}]}
            return json.dumps({"answer": "TABLE"} if told else goal)
        if "Split the directive" in system:
            asked = [] if "fares yiskos" in user else [{"query": "ferries fares yiskos"}]
            return json.dumps({"execute_subtasks": asked})
        if "Sum up" in system:
            return "Fares of eight ferries."
        if "search the web for one order" in system:
            return '{"read": [1]}'
        return json.dumps({"statements": [{"entity": "the Ansel", "column": "Fare", "value": "10 pence"}]})

    record = scripted_models(script, host=ModelHost(), manager=ModelManager(), worker=ModelWorker())
    assert table(record) == [("the Ansel", "10 pence", "N/A", "N/A")]
    assert [node.layer for node in _nodes(record)] == [
        *("host", "manager", "worker", "worker", "manager", "manager", "host"),
        "host",  # which writes the table down
    ]
    assert sum(turn.effort.prompt_tokens for turn in record.turns) == 7 * 7


@pytest.mark.parametrize("sandboxed", [False, True])
def test_a_code_manager_computes_in_the_sandbox(sandboxed: bool) -> None:
    """Its program's output comes back as a finding; without a sandbox the order is one that failed."""

    def script(messages: Messages) -> Reply:
        system, user = messages[0]["content"], messages[1]["content"]
        if "You lead" in system:
            goal = {"execute_parallel": [{"manager": "code", "goal": "count", "urls": []}]}
            return json.dumps({"answer": user} if "Step 1" in user else goal)
        if "You write short Python" in system:
            asked = [] if "print" in user else [{"code": "print(len(open('table.csv').readlines()))"}]
            return json.dumps({"execute_subtasks": asked})
        return user[user.index("Findings:") :]

    sandbox = Sandbox() if sandboxed and shutil.which("bwrap") else None
    host = ModelHost(managers=("search", "code"))
    record = scripted_models(script, host=host, manager=ModelManager(), sandbox=sandbox)
    told = "- sandbox - 1" if sandbox else "failed: there is no sandbox for code: none was given"
    assert told in record.turns[-1].texts[0]


@pytest.mark.parametrize("reply", ["", "I would rather not.", '{"execute_parallel": []}', '{"execute_parallel": 1}'])
def test_a_host_that_plans_nothing_answers(reply: str) -> None:
    """A host whose plan cannot be read answers with what there is."""
    record = scripted_models(lambda _: reply, host=ModelHost())
    assert (record.ending, record.turns[-1].texts) == ("answered", ("N/A",))


def test_a_host_that_plans_for_ever_is_stopped() -> None:
    """After its steps the host answers with what there is, whatever it plans."""
    goal = json.dumps({"execute_parallel": [{"manager": "search", "goal": "more", "urls": []}]})
    record = scripted_models(lambda _: goal, host=ModelHost(), steps=3)
    assert record.ending == "answered"
    assert sum(node.layer == "host" for node in _nodes(record)) == 5  # four plans, and the table written down


def test_workers_that_fail_leave_what_others_found() -> None:
    """A worker's endpoint that is down is a finding that failed; the episode goes on and is answered."""
    record = scripted_models(lambda _: Fault(400), worker=ModelWorker())
    assert (record.ending, record.scored) == ("answered", True)
    assert all("refused" in node.said for node in _nodes(record) if node.layer == "worker")


@pytest.mark.parametrize("never", [Cut(), Hang()])
def test_a_manager_that_never_returns_leaves_an_answer(never: Hang | Cut) -> None:
    """Its calls run out of time, or break off: the host goes on without it, and the episode is answered and scored."""
    record = scripted_models(lambda _: never, timeout=0.05, manager=ModelManager(), rounds=1, steps=1)
    assert (record.ending, record.scored, record.turns[-1].texts) == ("answered", True, ("N/A",))


def test_a_layer_without_its_model_is_named() -> None:
    """A layer that asks a model, and has none, is told in one line."""
    with pytest.raises(InvalidArgument, match="layer 'host' asks a model, and has none"):
        play(Layers(host=ModelHost()))


# ── names ─────────────────────────────────────────────────────────────────────


def test_names_set_what_they_say() -> None:
    """Settings behind the name become layers; the latency is the benchmark's."""
    policy = make_policy("hierarchical:workers=3,reflection=off,shared=on", ferries())
    told = policy.identity
    assert (told["name"], told["workers"], told["reflection"], told["shared"]) == ("hierarchical", "3", "False", "True")
    assert make_policy("flat", ferries()).identity["workers"] == "1"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("hierarchical:workers=0", "workers is '0'; expected a whole number from 1."),
        ("hierarchical:pool=3", "'pool=3' is no setting; hierarchical takes workers, batch,"),
        ("flat:host=x", "flat is a script, with workers, rounds, steps, context and reflection."),
    ],
)
def test_names_refuse(name: str, message: str) -> None:
    """What is no setting is refused in one line."""
    with pytest.raises(InvalidArgument, match=message):
        make_policy(name, ferries())


def test_reflection_asks_again() -> None:
    """A manager that does not reflect asks for each gap in one way; one that does also in other words."""
    hasty, whole = (
        [text for turn in play(layers).turns[:-1] for text in turn.texts if "http" not in text]
        for layers in (Layers(manager=ScriptManager(reflects=False), worker=Copyist()), Layers(worker=Copyist()))
    )
    assert sum(" history" in text for text in hasty) == 0
    assert sum(" history" in text for text in whole) > 0
