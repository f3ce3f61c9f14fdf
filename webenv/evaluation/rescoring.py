"""rescore: another judge's verdicts on a run that was played, kept beside it; no episode is run again."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from webenv.benchmark import Benchmark
from webenv.budget import Spending
from webenv.cassette import Cassette
from webenv.episode import read_reply
from webenv.errors import InvalidArgument, RunError
from webenv.evaluation.recording import cassette_entries, cassettes_of, one_run, opened_env
from webenv.evaluation.rescored import Rescored, RescoredFolder, line_digest
from webenv.evaluation.run import RunProgress, folder_name, kept_usage, read_usage
from webenv.evaluation.run_dir import (
    FOLDER,
    NumberedLine,
    plain,
    read_numbered,
    read_played,
    versions,
)
from webenv.evaluation.summary import Row, Summary, most_frequent, summarize
from webenv.evaluation.trust import recorded_id, recorded_settings
from webenv.judge import Judge, Seen, Submission, identity_digest
from webenv.models import CostTracker, Usage
from webenv.observations import Page, Reply
from webenv.rollout.record import Record
from webenv.rules import Rules
from webenv.runtime.files import inside
from webenv.runtime.folders import first_difference, quoted
from webenv.scoring import call_batch, last_reward, score_batch
from webenv.web import Scope, VisitRequest

_OUTSIDE = ("web_failed", "out_of_time", "policy_failed")  # what lies outside the task: there is nothing to judge


def answer_of(record: Record, rules: Rules) -> tuple[str, ...]:
    """What the agent answered, as the rules read it; nothing where it gave no answer."""
    if record.ending != "answered" or not record.turns or record.turns[-1].kind != "answer":
        return ()
    return rules.read_answer(record.turns[-1].texts)


def submissions_of(benchmark: Benchmark, records: Sequence[Record]) -> list[Submission]:
    """What a judge is given of finished episodes; answered and gold pages are fetched in one batch.

    Args:
        benchmark: whose tasks, web, rules and budget.
        records: episodes that ended within the task.

    Raises:
        UnknownTask: if a task is not the benchmark's.
    """
    tasks = [benchmark.tasks.find(record.task) for record in records]
    answers = [answer_of(record, benchmark.rules) for record in records]
    wanted: list[VisitRequest] = []
    for task, answer in zip(tasks, answers, strict=True):
        if benchmark.rules.fetch_answer:
            wanted += [VisitRequest(url, task.scope) for url in answer]
        wanted += [VisitRequest(url, Scope(world=task.scope.world)) for url in task.gold.urls]
    came = iter(call_batch("Web.visit", partial(benchmark.web.visit, wanted), len(wanted)))
    submissions = []
    for record, task, answer in zip(records, tasks, answers, strict=True):
        pages = tuple(next(came) for _ in answer) if benchmark.rules.fetch_answer else ()
        spent = record.spent
        submissions.append(
            Submission(
                task=task,
                ending=record.ending,
                answer=answer,
                pages=pages,
                gold=tuple(next(came) for _ in task.gold.urls),
                seen=tuple(Seen(url, key) for url, key in record.seen),
                budget=benchmark.budget,
                spending=Spending(
                    searches=spent["searches"],
                    visits=spent["visits"],
                    asks=spent["asks"],
                    turns=spent["turns"],
                    seconds=spent.get("seconds", 0.0),
                    dollars=spent.get("dollars", 0.0),
                ),
                replies=_replies(record),
                ranked=benchmark.rules.answers > 1,
                shown=_pages(record) if benchmark.rules.keep_pages else (),
            )
        )
    return submissions


def _pages(record: Record) -> tuple[Page, ...]:
    """The pages that came before the agent, as it saw them; dates and keys are not in the record of a turn."""
    keys = dict(record.seen)
    return tuple(
        Page(page["url"], page["title"], page["text"], key=keys.get(page["url"], ""))
        for turn in record.turns
        for page in turn.observation["pages"]
    )


def _replies(record: Record) -> tuple[Reply, ...]:
    """What the content agents replied, with the keys of their documents, which turns are recorded without."""
    keys = dict(record.seen)
    return tuple(
        reply._replace(documents=tuple(one._replace(key=keys.get(one.url, "")) for one in reply.documents))
        for turn in record.turns
        for reply in map(read_reply, turn.observation["replies"])
    )


_GIVEN = ("judge", "judge_prompt", "judge_votes")  # settings that another judge does not take over


@dataclass(frozen=True, slots=True)
class Rescoring:
    """What another judge made of a run.

    Attributes:
        folder: where its verdicts are.
        judge: the judge's name, as it was asked for.
        digest: of its identity.
        before: the run by its own verdicts.
        after: the run by these; ``before`` and ``after`` are of the same episodes.
        changed: how often a verdict's value became another one, by what it was and is: ``right → wrong``.
        outside: episodes that failed outside the task, and so are unscored before and after.
        judged: verdicts that were found now; the others were there.
        usage: what each of the judge's models was asked for over all the times that the rescoring was taken up.
        notes: what the owner of the run may want to know.
    """

    folder: str
    judge: str
    digest: str
    before: Summary
    after: Summary
    changed: Mapping[str, int]
    outside: int
    judged: int
    usage: Mapping[str, Usage]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        summaries = {"before": self.before.to_dict(), "after": self.after.to_dict()}
        return {**asdict(self), **summaries, "usage": {name: one.to_dict() for name, one in self.usage.items()}}


def rescore(
    run: str | Path,
    judge: str | Judge | None = None,
    *,
    env: str | Benchmark | None = None,
    settings: Mapping[str, Any] | None = None,
    parallel: int = 64,
    retry_unscored: bool = False,
    cassette: Cassette | None = None,
    costs: CostTracker | None = None,
    watch: Callable[[RunProgress], None] | None = None,
) -> Rescoring:
    """Has another judge score the episodes of a run.

    The environment is made as ``run.json`` says, with another judge. Each record becomes again what a
    judge is given: its task, its answer, the pages it saw; the answered page and the gold pages are
    fetched as the episode had them fetched. Reward terms are computed anew.

    The verdicts stand in ``<run>/rescored/<judge>-<digest of its identity>/``, one line each, written as they
    are found: a rescoring that was stopped goes on where it was, and nothing is judged twice. ``episodes.jsonl`` stays
    as it is; an episode that was played again since is judged again.

    ::

        rescoring = rescore("runs/first", "llm:my-judge", settings={"judge_prompt": "official.txt"})
        rescoring.after.total.success_rate, rescoring.changed

    Args:
        run: the run folder.
        judge: its name, as the environment takes it, or a Judge; ``None``: the one that the run had.
        env: the environment's id where ``run.json`` does not say enough (``module:Id-v0``), or the benchmark.
        settings: keyword arguments of the environment that differ from the run's, such as ``judge_prompt``, or a
            ``web`` that has moved.
        parallel: episodes that are judged at a time, at least 1.
        retry_unscored: judges again what this judge left unscored before; the later verdict counts.
        cassette: the tape that web, judge and models stand behind.
        costs: what the judge's models are counted by (:func:`webenv.models.models_counted_by`).
        watch: called at the beginning and after each batch.

    Raises:
        CostLimitReached: if no more may be asked; the verdicts that were found are kept.
        InvalidArgument: for a judge or setting that the environment does not take.
        RunError: if the run cannot be read, is of other tasks, was made of parts that ``run.json`` cannot
            hold, or is being rescored by another process.
    """
    if parallel < 1:
        raise InvalidArgument(f"parallel={parallel}: expected at least 1.")
    path, how = Path(run), _How(parallel, retry_unscored, costs, watch)
    before = read_played(path)
    _check_cassette(before, path, cassette, settings or {})
    if isinstance(env, Benchmark):
        if isinstance(judge, str) or settings or cassette is not None:
            raise InvalidArgument("a benchmark takes a Judge alone: neither its name, nor settings, nor a cassette.")
        name = (judge or env.judge).identity["name"]
        judged = replace(env, judge=judge or env.judge)
        return _rescore(path, before, judged, name, (), how)
    others = dict(settings or {}) | ({} if judge is None else {"judge": judge})
    name = env or recorded_id(before, path)
    dropped = () if judge is None else _GIVEN
    given = recorded_settings(before, path, others, without=dropped, cassette=cassette)
    with opened_env(name, given, cassette) as made:
        benchmark = made.benchmark
        asked = judge if isinstance(judge, str) else benchmark.judge.identity["name"]
        tapes = cassettes_of(benchmark, () if cassette is None else (cassette,))
        return _rescore(path, before, benchmark, asked, tapes, how)


class _How(NamedTuple):
    """How a rescoring goes about it, as :func:`rescore` says."""

    parallel: int
    retry_unscored: bool
    costs: CostTracker | None
    watch: Callable[[RunProgress], None] | None

    def report(self, found: Collection[Rescored], total: int) -> None:
        """Tells where the rescoring stands."""
        if self.watch:
            values = [one.verdict["value"] for one in found]
            right = sum(value is not None and value >= 1.0 for value in values)
            self.watch(RunProgress(len(values), total, right, sum(value is None for value in values)))


def _check_cassette(run: Mapping[str, Any], path: Path, cassette: Cassette | None, settings: Mapping[str, Any]) -> None:
    old = [entry for entry in run.get("cassettes") or () if isinstance(entry, dict)]
    if old and cassette is None and "web" not in settings:
        raise RunError(
            f"{path} holds a run on the cassette {old[0].get('file')!r}, and its pages would be fetched anew; add "
            "--cassette FILE (with --cassette-mode record for a judge that is not on it), or --web cassette:FILE."
        )


def _rescore(
    path: Path,
    before: Mapping[str, Any],
    benchmark: Benchmark,
    name: str,
    tapes: Sequence[Cassette],
    how: _How,
) -> Rescoring:
    notes = _compare(before, benchmark, path)
    identity = plain(benchmark.judge.identity)
    digest = identity_digest(benchmark.judge.identity)
    rows = {line.record.key: (line.number, Row.of(line.record)) for line in read_numbered(path)}
    last = {number for number, _ in rows.values()}
    target = inside(path, FOLDER, f"{folder_name(name)}-{digest}")
    with RescoredFolder(target, resume=True) as folder:
        about = {"name": name, "judge": identity, "web": plain(benchmark.web.identity), "versions": versions()}
        folder.check_run(about)
        earlier = folder.read_run() or {}
        about |= {"cassettes": cassette_entries(tapes, ended=False)} if tapes else {}
        folder.write_run(about | ({"usage": earlier["usage"]} if "usage" in earlier else {}))
        folder.open_lines()
        found = {key: one for key, one in folder.read().items() if key in rows}
        counted = (line for line in read_numbered(path) if line.number in last)
        todo = (line for line in counted if _open(found, line, how.retry_unscored))
        judged = 0
        how.report(found.values(), len(rows))
        with (
            kept_usage(read_usage(earlier.get("usage", {})), how.costs, folder.keep_usage) as usage,
            one_run(benchmark, tapes),
        ):
            while batch := list(islice(todo, how.parallel)):
                new = _judge(benchmark, batch)
                folder.append(new)
                found |= {one.key: one for one in new}
                judged += len(new)
                how.report(found.values(), len(rows))
        if any(tape.mode == "record" for tape in tapes):
            folder.change_run({"cassettes": cassette_entries(tapes, ended=True)})
    keys = sorted(rows, key=lambda key: (benchmark.tasks.position(key[0]), key[1]))
    was, now = [rows[key][1] for key in keys], [found[key].row(rows[key][1]) for key in keys]
    outside = sum(found[key].outside for key in keys)
    of = {"env": before["env"]["id"], "policy": before["policy"]["name"], "seed": before["seed"], "folder": str(path)}
    own = f"run: {before['benchmark']['judge']['name']}"
    return Rescoring(
        folder=str(target),
        judge=name,
        digest=digest,
        before=summarize(was, label=own, **of),
        after=summarize(now, label=name, **of),
        changed=changes(was, now),
        outside=outside,
        judged=judged,
        usage=usage,
        notes=(
            *notes,
            *((benchmark.notice,) if benchmark.notice else ()),
            *(how.costs.notes if how.costs is not None else ()),
        ),
    )


def _open(found: Mapping[tuple[str, int], Rescored], line: NumberedLine, retry_unscored: bool) -> bool:
    """Whether an episode is still to be judged."""
    known = found.get(line.record.key)
    if known is None or not known.is_of(line.content):
        return True
    return retry_unscored and known.verdict["value"] is None and not known.outside


def _compare(run: Mapping[str, Any], benchmark: Benchmark, path: Path) -> list[str]:
    """Refuses other tasks than the run's; gives notes on what else is not what it was, but for the judge."""
    then, now = run["benchmark"], plain(benchmark.identity)
    had, has = then["tasks"], now["tasks"]
    if had["digest"] != has["digest"]:
        raise RunError(
            f"{path} was played on {had['count']} tasks of {had['name']} (digest {had['digest'][:12]}), the "
            f"environment now has {has['count']} of {has['name']} (digest {has['digest'][:12]}); "
            "name the tasks of the run, as they were."
        )
    notes = []
    for part in ("web", "rules", "budget", "reward"):
        found = first_difference(then.get(part), now[part], part)
        if found is not None:
            notes.append(f"The run had {found[0]} = {quoted(found[1])}; it is judged with {quoted(found[2])}.")
    return notes


def _judge(benchmark: Benchmark, lines: Sequence[NumberedLine]) -> list[Rescored]:
    """The verdicts on a batch, in its order."""
    open_ = [n for n, line in enumerate(lines) if line.record.scored or line.record.ending not in _OUTSIDE]
    records = [lines[n].record for n in open_]
    submissions = submissions_of(benchmark, records)
    endings = [record.ending for record in records]
    ruled = [None if ending == "answered" else benchmark.rules.without_answer(ending) for ending in endings]
    scores = score_batch(benchmark, submissions, ruled)
    scored = dict(zip(open_, scores, strict=True))
    weights = benchmark.reward.weights
    rescored = []
    for n, (_, content, record) in enumerate(lines):
        last = record.turns[-1] if record.turns else None
        cost = last.reward_terms.get("cost", 0.0) if last else 0.0
        score = scored.get(n)
        if score is None:
            verdict, terms, reward = record.verdict, dict(last.reward_terms) if last else {}, record.reward
        else:
            verdict, terms = score.verdict.to_dict(score.identity), {**score.terms, "cost": cost}
            reward = sum((turn.reward for turn in record.turns[:-1]), 0.0) + last_reward(weights, score, cost)
        rescored.append(
            Rescored(
                task=record.task,
                attempt=record.attempt,
                record=line_digest(content),
                ending=record.ending,
                outside=score is None,
                verdict=verdict,
                reward_terms=terms,
                reward=reward,
            )
        )
    return rescored


def changes(before: Sequence[Row], after: Sequence[Row]) -> dict[str, int]:
    """How often a value became another one, most frequent first: ``right → wrong`` and the like."""
    return most_frequent(
        f"{_state(was)} → {_state(now)}" for was, now in zip(before, after, strict=True) if was.value != now.value
    )


def _state(row: Row) -> str:
    return "unscored" if not row.scored else "right" if row.success else "wrong"
