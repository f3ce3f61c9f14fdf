"""evaluate: plays a policy in an environment, keeps a record, and sums it up."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium

from webenv.benchmark import Benchmark
from webenv.cassette import Cassette
from webenv.env import SearchEnv
from webenv.envs.benchmark_env import BenchmarkEnv
from webenv.errors import DataError, InvalidArgument, RunError
from webenv.evaluation.environments import make_env
from webenv.evaluation.recording import cassette_entries, cassettes_of, check_cassettes, check_clock, one_run
from webenv.evaluation.run_dir import RunFolder, read_records, run_identity, versions
from webenv.evaluation.summary import Row, Summary, summarize
from webenv.models import CostTracker, Usage
from webenv.policy import Policy
from webenv.rollout.play import EpisodeSpec, plan_episodes, play_episodes
from webenv.rollout.record import Record


@contextmanager
def kept_usage(
    earlier: Mapping[str, Usage], costs: CostTracker | None, keep: Callable[[Mapping[str, Usage]], None]
) -> Iterator[dict[str, Usage]]:
    """While the block runs, what each model has used is kept, earlier parts of the run included.

    It is kept about once a second in which replies come, and at the end, whatever ends the block: a
    process that is killed loses a second of it. Attempts that were in flight then count as of unknown cost.

    Args:
        earlier: what the run used before it was taken up; it counts towards the limit.
        costs: what the run's models are counted by.
        keep: writes it, model by model; never called by two threads at a time.

    Yields:
        What is kept; complete when the block has ended.

    Raises:
        RunError: if it cannot be written.
    """
    used = dict(earlier)
    if costs is None:
        yield used
        return
    costs.add_previous(earlier)
    began = costs.usage
    lock = threading.Lock()

    def write() -> None:
        with lock:
            now = {name: one.since(began.get(name, Usage())) for name, one in costs.usage.items()}
            fresh = {name: one for name, one in now.items() if one.requests}
            if fresh:
                used.update(sum_usage([earlier, fresh]))
                keep(used)

    with costs.reporting(write):
        try:
            yield used
        finally:
            write()


def read_usage(given: object, where: str = "run.json") -> dict[str, Usage]:
    """What a file says of each model's usage.

    Args:
        given: the part of it that says so.
        where: what messages call the file.

    Raises:
        RunError: if it says something else.
    """
    try:
        if not isinstance(given, dict) or not all(isinstance(one, dict) for one in given.values()):
            raise DataError(f"usage is {given!r:.60}")
        return {name: Usage.of(one) for name, one in given.items()}
    except DataError as error:
        raise RunError(f"{where} is damaged: {error}") from error


def sum_usage(parts: Sequence[Mapping[str, Usage]]) -> dict[str, Usage]:
    """Usage of several runs together, models in the order of the alphabet."""
    names = sorted({name for part in parts for name in part})
    return {name: sum((part[name] for part in parts if name in part), Usage()) for name in names}


_KINDS = {"episodes": int | None, "attempts": int, "versions": dict, "resumed_with": list}
_FIRST = 20  # if none of the first episodes is scored, something is wrong

_MOST_RECORDED = 1_000_000  # episodes that run.json alone may ask for: each takes memory before it is played

Rows = dict[tuple[str, int], Row]


class RunProgress(NamedTuple):
    """Where a run stands, in episodes: done of total; of the done ones, right and unscored."""

    done: int
    total: int
    successes: int
    unscored: int


def evaluate(
    env: str | gymnasium.Env[Any, Any] | Benchmark,
    policy: Policy,
    *,
    episodes: int | None = None,
    attempts: int | None = None,
    seed: int = 0,
    parallel: int = 64,
    out: str | Path | None = None,
    resume: bool = False,
    retry_unscored: bool = False,
    settings: Mapping[str, Any] | None = None,
    cassettes: Sequence[Cassette] = (),
    costs: CostTracker | None = None,
    watch: Callable[[RunProgress], None] | None = None,
    only: Collection[str] | None = None,
    adjust: Callable[[Record], Record] | None = None,
) -> Summary:
    """Plays a policy, keeps every trajectory on disk, and sums it up.

    What is played does not depend on ``parallel``, nor on being interrupted and resumed: an
    episode depends on its task, its attempt and ``seed`` alone, if web, judge and policy do.

    ::

        summary = evaluate("NeedleInWeb-v0", KeywordPolicy(), settings={"difficulty": "hard"})
        summary.total.success_rate, summary.total.interval

    The run folder holds ``run.json`` (what is run, and with which versions) and
    ``episodes.jsonl`` (one :class:`~webenv.evaluation.Record` a line, in the order in which
    episodes end; read it with :func:`~webenv.evaluation.read_records`). A process that is killed
    loses only the episodes that were being played.

    Args:
        env: an id, an environment (what is around it, such as wrappers, is not played), or a benchmark.
        policy: what decides.
        episodes: how many episodes, at least 1: the tasks in an order drawn from the seed, round
            and round. ``None``: every task, ``attempts`` times; when resuming, as many as before.
        attempts: how many episodes of a task in a row, at least 1. ``None``: 1; when resuming, as
            many as before.
        seed: decides the order of tasks, and with task and attempt the policy's chance.
        parallel: the most episodes at a time, at least 1; their requests go out in batches.
        out: the run folder, which holds no episode yet; by default ``runs/<env>-<policy>-<UTC time>``.
        resume: takes up the run in ``out``: plays what is not finished. It must be the same run
            (environment, settings, tasks, web, judge, budget, reward, policy, seed); a greater
            number of episodes continues it. Where ``out`` holds nothing yet, it begins.
        retry_unscored: with ``resume``, plays unscored episodes again; the later record counts.
        settings: keyword arguments of the environment, where ``env`` is an id.
        cassettes: tapes that the policy's or the judge's models are recorded on; ``run.json`` holds their
            digests at the end of the run, and those of the web's and the judge's own, which need not be named.
        costs: what the models of the policy and the judge are counted by (:func:`webenv.models.models_counted_by`);
            ``run.json`` holds what they used, added up over all the times that the run was taken up, and so does
            its limit.
        watch: called at the beginning and after each step in which episodes ended.
        only: ids of the tasks that are played; ``None``: all.
        adjust: changes a record before it is kept: what a system reports of an episode that was played elsewhere.

    Returns:
        The summary: rates from 0 to 1, means an episode over scored episodes.

    Raises:
        InvalidArgument: for an argument out of range, or a budget of seconds together with a cassette.
        RunError: if the folder holds episodes or other things, is in use, of another run, or cannot be written.
    """
    if not isinstance(policy, Policy):
        raise InvalidArgument(
            f"policy={policy!r:.80}: expected a Policy, with identity and act(histories); "
            "webenv.policies.make_policy makes one from a name."
        )
    name, benchmark, given, module = _benchmark(env, settings)
    if benchmark.curriculum is not None:
        raise InvalidArgument(
            "difficulty='auto' follows an agent's results, and an evaluation plays the same tasks whoever plays: name "
            "difficulties, or leave difficulty out for all."
        )
    plan = plan_episodes(benchmark.tasks, episodes=episodes, attempts=1 if attempts is None else attempts, seed=seed)
    plan = plan if only is None else [job for job in plan if job.task in only]
    if parallel < 1:
        raise InvalidArgument(f"parallel={parallel}: expected at least 1.")
    if resume and out is None:
        raise InvalidArgument("resume needs the folder of the run: name it with out (--out DIR).")
    if retry_unscored and not resume:
        raise InvalidArgument("retry_unscored goes with resume: it plays unscored episodes of an earlier run again.")
    path = Path(out) if out is not None else default_folder(name, policy.identity["name"])
    run = run_identity(name, given, benchmark, policy, seed)
    notes = [note for note in (benchmark.left_out, benchmark.notice) if note]
    tapes = cassettes_of(benchmark, cassettes)
    check_clock(benchmark, tapes)
    with RunFolder(path, resume=resume) as folder:
        before = _before(folder, run) if resume else None
        if before is not None:
            _check_size(before, path, len(benchmark.tasks), episodes, attempts)
            episodes = before["episodes"] if episodes is None else episodes
            attempts = before["attempts"] if attempts is None else attempts
            plan = plan_episodes(benchmark.tasks, episodes=episodes, attempts=attempts, seed=seed)
            plan = plan if only is None else [job for job in plan if job.task in only]
            notes += _other_versions(before, versions())
            notes += check_cassettes(before, tapes, str(path)) if folder.begun else []
        run |= {"module": module} if module else {}
        run |= {"episodes": episodes, "attempts": 1 if attempts is None else attempts, "versions": versions()}
        if tapes:
            run["cassettes"] = cassette_entries(tapes, ended=False)
        rows = _begin(folder, before, run, plan)
        if folder.dropped:
            notes.append("The last record was cut short when the run was stopped; its episode was played again.")
        todo = [job for job in plan if job.key not in rows or (retry_unscored and not rows[job.key].scored)]
        with (
            kept_usage(read_usage((before or {}).get("usage", {})), costs, folder.keep_usage) as usage,
            one_run(benchmark, cassettes),
        ):
            first = _play(benchmark, policy, todo, parallel, folder, rows, len(plan), watch, adjust)
        if any(tape.mode == "record" for tape in tapes):
            folder.change_run({"cassettes": cassette_entries(tapes, ended=True)})
    return summarize(
        sorted((rows[job.key] for job in plan), key=lambda row: (benchmark.tasks.position(row.task), row.attempt)),
        env=name,
        policy=policy.identity["name"],
        seed=seed,
        folder=str(path),
        notes=[*notes, *(costs.notes if costs is not None else ())],
        warning=_warning(first),
        usage=usage,
    )


def note_cassettes(
    folders: Sequence[str | Path], env: gymnasium.Env[Any, Any] | Benchmark, cassettes: Sequence[Cassette] = ()
) -> None:
    """Writes into the ``run.json`` of runs what their tapes are now: for runs that recorded on the same ones in turn.

    Args:
        folders: the run folders.
        env: what was played.
        cassettes: the tapes that :func:`evaluate` was given.

    Raises:
        RunError: if a folder is in use, or cannot be written.
    """
    benchmark = _benchmark(env, None)[1]
    entries = cassette_entries(cassettes_of(benchmark, cassettes), ended=True)
    for path in folders:
        with RunFolder(path, resume=True) as folder:
            folder.change_run({"cassettes": entries})


def _before(folder: RunFolder, run: Mapping[str, Any]) -> dict[str, Any] | None:
    """The run that is to be taken up; ``None`` where there is none, and where another one came to no episode."""
    before = folder.read_run()
    if before is None or (not folder.begun and folder.difference(run) is not None):
        return None
    _check_types(before, folder.path)
    folder.check_run(run)
    return before


def _check_types(run: Mapping[str, Any], path: Path) -> None:
    """Refuses a ``run.json`` that someone has damaged."""
    for part, kinds in _KINDS.items():
        if part not in run or not isinstance(run[part], kinds):
            raise RunError(f"{path} is damaged: {part} in run.json is {run.get(part)!r:.60}; name another --out.")


def _check_size(before: Mapping[str, Any], path: Path, tasks: int, episodes: int | None, attempts: int | None) -> None:
    """Refuses to plan more episodes than a run from elsewhere may ask for by itself."""
    planned = before["episodes"] or tasks * before["attempts"]
    if episodes is None and attempts is None and planned > _MOST_RECORDED:
        raise RunError(f"{path} names {planned:,} episodes; if they are meant, say so: --episodes {planned}.")


def _benchmark(
    env: str | gymnasium.Env[Any, Any] | Benchmark, settings: Mapping[str, Any] | None
) -> tuple[str, Benchmark, Mapping[str, Any], str]:
    """The environment's id, its benchmark, the settings that it was made with, and the module that registers it."""
    if settings and not isinstance(env, str):
        raise InvalidArgument("settings go with the id of an environment; this one is made already.")
    if isinstance(env, Benchmark):
        return env.name, env, {}, ""
    made = (make_env(env, settings or {}) if isinstance(env, str) else env).unwrapped
    if not isinstance(made, SearchEnv):
        raise InvalidArgument(f"{env} is no environment of webenv: expected a SearchEnv.")
    spec = made.spec
    if spec is None:
        return made.benchmark.name, made.benchmark, {}, ""
    return spec.id, made.benchmark, spec.kwargs, made.module if isinstance(made, BenchmarkEnv) else ""


def _begin(
    folder: RunFolder, before: Mapping[str, Any] | None, run: Mapping[str, Any], plan: list[EpisodeSpec]
) -> Rows:
    """Writes what is run, if it is not there yet, and reads the finished episodes."""
    if before is None:
        folder.write_run({**run, "resumed_with": []})
        folder.open_lines()
        return {}
    folder.open_lines()
    rows = {row.key: row for row in map(Row.of, read_records(folder.path))}
    planned = {job.key for job in plan}
    beyond = next((key for key in rows if key not in planned), None)
    if beyond is not None:
        raise RunError(
            f"{folder.path} holds more than this run has: task {beyond[0]!r}, attempt {beyond[1]}, for one; "
            "give the number of episodes and attempts that it began with, or more."
        )
    now = {**before, "episodes": run["episodes"], "attempts": run["attempts"]}
    if run["versions"] not in (before["versions"], *before["resumed_with"]):
        now["resumed_with"] = [*before["resumed_with"], run["versions"]]
    if "cassettes" in run:
        now["cassettes"] = run["cassettes"]
    if now != before:
        folder.change_run(now)
    return rows


def _play(
    benchmark: Benchmark,
    policy: Policy,
    todo: list[EpisodeSpec],
    parallel: int,
    folder: RunFolder,
    rows: Rows,
    total: int,
    watch: Callable[[RunProgress], None] | None,
    adjust: Callable[[Record], Record] | None,
) -> list[Row]:
    """Plays what is to be played into ``rows``; returns the first rows, in the order in which they ended."""
    again = {job.key for job in todo}
    kept = [row for key, row in rows.items() if key not in again]
    done, successes = len(kept), sum(row.success for row in kept)
    unscored = sum(not row.scored for row in kept)
    first: list[Row] = []
    if watch:
        watch(RunProgress(done, total, successes, unscored))
    for ended in play_episodes(benchmark, policy, todo, parallel):
        records = ended if adjust is None else list(map(adjust, ended))
        folder.append(records)
        for row in map(Row.of, records):
            rows[row.key] = row
            done, successes, unscored = done + 1, successes + row.success, unscored + (not row.scored)
            if len(first) < _FIRST:
                first.append(row)
        if watch:
            watch(RunProgress(done, total, successes, unscored))
    return first


def _warning(first: list[Row]) -> str:
    invalid, turns = sum(row.invalid for row in first), sum(row.turns for row in first)
    if turns and invalid > turns / 2:
        return (
            f"{invalid} of the first {turns} turns held no action that could be read: "
            "see the thoughts in episodes.jsonl, and the policy's format."
        )
    if not first or any(row.scored for row in first):
        return ""
    reason, _ = Counter(row.reason for row in first).most_common(1)[0]
    which = "the only episode" if len(first) == 1 else f"none of the first {len(first)} episodes"
    verb = "was not scored" if len(first) == 1 else "was scored"
    return f"{which} {verb}: {' '.join(reason.split())}"


def _other_versions(before: Mapping[str, Any], now: Mapping[str, str]) -> list[str]:
    changed = [f"{name} {old} → {now.get(name)}" for name, old in before["versions"].items() if now.get(name) != old]
    return [f"The run began with other versions: {', '.join(changed)}."] if changed else []


def default_folder(env: str, policy: str = "") -> Path:
    """A folder that is not there yet: ``runs/<env>-<policy>-<UTC time>``."""
    parts = [folder_name(part) for part in (env, policy) if part]
    stem = "-".join([*parts, time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())])
    path, number = Path("runs") / stem, 1
    while path.exists():
        number += 1
        path = Path("runs") / f"{stem}-{number}"
    return path


def folder_name(name: str) -> str:
    """A name as the name of a folder: letters, digits, dot, dash and underscore.

    >>> folder_name("react:some-lab/model-7b")
    'react-some-lab-model-7b'
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"
