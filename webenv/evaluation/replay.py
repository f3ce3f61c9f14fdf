"""at_step: an environment that stands where a recorded episode stood, to go on from there in another way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from webenv.benchmark import Benchmark
from webenv.cassette import Cassette
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, RunError, did_you_mean
from webenv.evaluation.environments import make_env
from webenv.evaluation.recording import recorded_env
from webenv.evaluation.run import folder_name
from webenv.evaluation.run_dir import RUN, plain, read_played, read_records
from webenv.evaluation.trust import recorded_id, recorded_settings
from webenv.observations import ObservationDict
from webenv.rollout.record import ObservationRecord, Record, plain_observation, played_action
from webenv.runtime.folders import first_difference, quoted
from webenv.runtime.text import one_line

_LIVE = "live"  # what the identity of a live web is called


def at_step(
    run: str | Path,
    task: str,
    attempt: int = 0,
    step: int = 0,
    *,
    policy: str | None = None,
    env: str | Benchmark | None = None,
    settings: Mapping[str, Any] | None = None,
    cassette: str | Path | Cassette | None = None,
) -> tuple[SearchEnv, ObservationDict]:
    """Opens the environment of a run, and plays an episode of it again up to a step.

    The environment is made as ``run.json`` says, and gets the recorded actions in order; every observation is compared
    with the recorded one. It stands where the agent stood, and takes any action from there::

        env, observation = at_step("runs/first", "default/easy/3", step=2)
        twin = webenv.fork(env)
        env.step(search("another query"))

    An action that was none stands in the record by its ``repr``, cut after 1,000 characters. It is sent again as
    :func:`played_action` reads it, which brings the same notice; the object itself is not had back.

    Args:
        run: the run folder.
        task: the id of the episode's task.
        attempt: which time the run played it.
        step: how many of the episode's turns are played, from 0 (just reset) to those before its last one. An
            episode whose policy failed may be taken up after all its turns.
        policy: which policy's run, where the folder holds a folder for each.
        env: the environment's id where ``run.json`` does not say enough (``module:Id-v0``), or the benchmark.
        settings: keyword arguments of the environment that differ from the run's, such as a ``web`` that has moved,
            or a ``judge`` for what is answered now.
        cassette: what the run was recorded on: a file, replayed, in which other actions than the recorded ones find
            nothing; or a Cassette of another mode.

    Returns:
        The environment and the last observation.

    Raises:
        InvalidArgument: for a step out of range, or a setting that the environment does not take.
        RunError: if the run cannot be read or lacks the episode, was played on a live web and there is no cassette,
            or an observation is not the recorded one: at which step, and what differs.
    """
    path = run_of_policy(run, policy)
    about = read_played(path)
    record = find_episode(path, task, attempt)
    _check_step(record, step, str(about["policy"]["name"]))
    made = _open(path, about, env, settings or {}, cassette)
    try:
        observation, _ = made.reset(options={"task": task})
        _check(path, record, 0, observation, about, made.benchmark)
        for number, turn in enumerate(record.turns[:step], start=1):
            assert made.episode is not None
            if any(turn.effort):
                made.episode.charge(turn.effort.seconds, turn.effort.dollars)
            observation, _, terminated, truncated, info = made.step(played_action(turn))
            _check(path, record, number, observation, about, made.benchmark)
            if terminated or truncated:
                raise RunError(
                    f"{_where(path, record, number)}: the episode ends here now ({info['ending']}: "
                    f"{one_line(info['verdict']['explanation'], 200)}), and went on when it was played."
                )
    except BaseException:
        made.close()
        raise
    return made, observation


def run_of_policy(run: str | Path, policy: str | None) -> Path:
    """The run folder of a policy, in a folder that holds one for each of several.

    Args:
        run: a run folder, or a folder of some.
        policy: the policy's name, as it was played; ``None``: the folder is the run's own.

    Raises:
        RunError: if there is none of that name; it names what there is.
    """
    path = Path(run)
    if policy is None:
        return path
    name = folder_name(policy)
    if (path / RUN).exists():
        played = read_played(path)["policy"]
        own = f"{played['name']}:{played['model']}" if "model" in played else str(played["name"])
        if name in (folder_name(own), folder_name(str(played["name"]))):
            return path
        raise RunError(f"{path} holds a run of {own!r}, none of {policy!r}; leave the policy out, or name its folder.")
    if (path / name / RUN).exists():
        return path / name
    known = [file.parent.name for file in path.glob(f"*/{RUN}")]
    if not known:
        read_played(path)  # says what is wrong with the folder
    raise RunError(f"{path} holds no run of the policy {policy!r}. {did_you_mean(name, known)}")


def find_episode(path: Path, task: str, attempt: int) -> Record:
    """An episode of a run; of one that was played again, the later record.

    Raises:
        RunError: if there is none; it names what there is.
    """
    found: Record | None = None
    tasks: dict[str, list[int]] = {}
    for record in read_records(path):
        tasks.setdefault(record.task, []).append(record.attempt)
        if record.key == (task, attempt):
            found = record
    if found is not None:
        return found
    if task in tasks:
        attempts = ", ".join(str(number) for number in sorted(set(tasks[task])))
        raise RunError(f"{path} holds no attempt {attempt!r} at task {task!r}; there are: {attempts}.")
    raise RunError(f"{path} holds no episode of task {task!r:.100}. {did_you_mean(str(task), tasks)}")


def _check_step(record: Record, step: int, policy: str) -> None:
    """Refuses a step at which the agent had nothing to decide."""
    turns = len(record.turns)
    undecided = (
        not record.scored and record.verdict["judge"] == policy
    )  # the policy failed, and the episode was going on
    last = turns if undecided else max(turns - 1, 0)
    if isinstance(step, bool) or not isinstance(step, int) or not 0 <= step <= last:
        raise InvalidArgument(
            f"step={step!r}: task {record.task!r}, attempt {record.attempt}, has {turns} turns and ended as "
            f"{record.ending}; expected a whole number from 0 to {last}: the turns before the agent's next one."
        )


def _open(
    path: Path,
    about: Mapping[str, Any],
    env: str | Benchmark | None,
    others: Mapping[str, Any],
    cassette: str | Path | Cassette | None,
) -> SearchEnv:
    if isinstance(env, Benchmark):
        if others or cassette is not None:
            raise InvalidArgument("a benchmark is made already: it takes neither settings nor a cassette.")
        return SearchEnv(env)
    recorded = about["env"]["settings"]
    web = str({**recorded, **others}.get("web", ""))
    played_on = about["benchmark"].get("web")
    was_live = isinstance(played_on, dict) and played_on.get("name") == _LIVE and "web" not in others
    if cassette is None and (web.startswith(f"{_LIVE}:") or (was_live and not web.startswith("cassette:"))):
        tapes = [entry.get("file") for entry in about.get("cassettes") or () if isinstance(entry, dict)]
        advice = (
            f"give cassette=FILE, the one called {tapes[0]!r}" if tapes else "record such runs with --cassette FILE"
        )
        raise RunError(f"{path} was played on a live web, which cannot be played again; {advice}.")
    tape = cassette if cassette is None or isinstance(cassette, Cassette) else Cassette(cassette)
    name = recorded_id(about, path) if env is None else env
    settings = recorded_settings(about, path, others, cassette=tape)
    made = make_env(name, settings).unwrapped if tape is None else recorded_env(name, settings, tape)
    assert isinstance(made, SearchEnv)  # make_env refuses others
    return made


def _check(
    path: Path, record: Record, step: int, observation: ObservationDict, about: Mapping[str, Any], now: Benchmark
) -> None:
    """Refuses an observation that is not the recorded one."""
    then: ObservationRecord = record.turns[step - 1].observation if step else record.first
    has = {"question": observation["question"], **json.loads(json.dumps(plain_observation(observation)))}
    found = first_difference({"question": record.question, **then}, has)
    if found is None:
        return
    name, was, is_now = found
    part = next(
        (
            f"; {changed[0]} was {quoted(changed[1])} and is {quoted(changed[2])}"
            for part in ("web", "tasks", "rules", "budget")
            if (changed := first_difference(about["benchmark"].get(part), plain(now.identity[part]), part)) is not None
        ),
        "",
    )
    raise RunError(
        f"{_where(path, record, step)}: {name} was {quoted(was)} when the run was played, and is {quoted(is_now)} "
        f"now{part}."
    )


def _where(path: Path, record: Record, step: int) -> str:
    sent = played_action(record.turns[step - 1]) if step else None
    action = "reset" if sent is None else f"{record.turns[step - 1].kind} {one_line(' | '.join(sent.arguments), 80)}"
    return f"{path}, task {record.task!r}, attempt {record.attempt}, step {step} ({action})"
