"""ViewedRun: a run folder, read into what its page needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import InvalidArgument, RunError
from webenv.evaluation.rescored import Rescored, RescoredFolder, line_digest, read_rescored, rescored_names
from webenv.evaluation.run_dir import FOLDER, RUN, RunFolder, read_run
from webenv.evaluation.summary import Row
from webenv.rollout.record import Record
from webenv.runtime.files import inside, read_lines
from webenv.viewing.trajectory import TextPool, Trajectory

_DIFFICULTIES = ("easy", "medium", "hard")


class Other(NamedTuple):
    """What another judge found of an episode.

    Attributes:
        name: the judge's: of a rescoring's folder, or ``run`` for the verdict that the run was played with.
        found: what it found.
        stale: whether the episode was played again since.
    """

    name: str
    found: Rescored
    stale: bool


@dataclass(frozen=True, slots=True)
class ViewedEpisode:
    """An episode: its record without the turns, the turns by their texts' numbers, and what other judges found."""

    record: Record
    row: Row
    trajectory: Trajectory
    terms: Mapping[str, float]
    others: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class ViewedRun:
    """A run.

    Attributes:
        label: what the page calls it.
        path: what was read: its folder, that of a rescoring, or its file of episodes; as it was named.
        folder: where its ``run.json`` is.
        about: what ``run.json`` says; empty where there is none.
        judge: who judged, by name.
        episodes: the finished ones, in the order of their tasks' ids.
        notes: what a reader of the page should know.
    """

    label: str
    path: str
    folder: str
    about: Mapping[str, Any]
    judge: str
    episodes: tuple[ViewedEpisode, ...]
    notes: tuple[str, ...]

    @property
    def policy(self) -> str:
        """The policy's name, with its model where there is one."""
        identity = self.part("policy")
        name, model = str(identity.get("name", "")), identity.get("model")
        return f"{name}:{model}" if model else name

    def part(self, *names: str) -> Mapping[str, Any]:
        """A part of ``run.json``, by its names; empty where there is none."""
        return _part(self.about, *names)


def read_runs(path: str | Path, pool: TextPool) -> list[ViewedRun]:
    """The runs of a folder.

    Args:
        path: a run folder; a folder of several, one or two levels down, such as ``webenv eval`` writes for several
            policies; the folder of a rescoring, whose verdicts then stand in place of the run's; or a file of episodes.
        pool: where their texts go.

    Raises:
        RunError: if there is none, a part of one is damaged, or no episode has ended in any.
    """
    place = Path(path)
    if place.name in ("", ".."):  # what means nothing elsewhere
        place = place.resolve()
    if place.is_file():
        place = place.resolve()  # a link that was named is followed, unlike one that lies in a run
        return _with_episodes([_read(place.parent, place, pool)], place)
    if _is_rescoring(place):
        return _with_episodes(
            [_read(place.parent.parent, place.parent.parent / RunFolder.LINES, pool, place.name)], place
        )
    if (place / RUN).exists() or not place.is_dir():
        read_run(place, RunFolder.FORMAT)
        return _with_episodes([_read(place, place / RunFolder.LINES, pool)], place)
    if (place / RunFolder.LINES).exists():
        return _with_episodes([_read(place, place / RunFolder.LINES, pool)], place)
    found = sorted({*place.glob(f"*/{RUN}"), *place.glob(f"*/*/{RUN}")}, key=lambda one: natural(str(one)))
    parts = [one.parent.relative_to(place).parts for one in found]
    folders = [inside(place, *names) for names in parts if FOLDER not in names]
    if not folders:
        raise RunError(f"{place} holds no {RUN} and no {RunFolder.LINES}: name the folder of a run, or of several.")
    runs = [_read(folder, folder / RunFolder.LINES, pool) for folder in folders]
    return _with_episodes(runs, place)


def labelled(groups: Sequence[Sequence[ViewedRun]]) -> list[ViewedRun]:
    """All runs, each under a label that no other has: its policy, its judge, or as much of its path's end as it takes.

    Raises:
        InvalidArgument: if a run is there twice.
    """
    runs = [run for group in groups for run in group]
    paths = [(str(Path(run.path).resolve()), run.judge) for run in runs]
    twice = next((run for run, path in zip(runs, paths, strict=True) if paths.count(path) > 1), None)
    if twice is not None:
        raise InvalidArgument(f"{twice.path} is given twice; name another run to compare with, or one alone.")
    parts = [Path(run.path).parts for run in runs]
    tries = (
        [run.policy or Path(run.path).name for run in runs],
        [run.judge for run in runs],
        *([str(Path(*path[-count:])) for path in parts] for count in range(1, 1 + max(map(len, parts)))),
        [f"{run.path}, {run.judge}" for run in runs],
    )
    labels = next(names for names in tries if len(set(names)) == len(runs) and all(names))
    return [replace(run, label=label) for run, label in zip(runs, labels, strict=True)]


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """A key that sorts numbers within texts by their size, and difficulties from easy to hard.

    >>> sorted(["t/10", "t/9", "hard", "easy"], key=natural)
    ['easy', 'hard', 't/9', 't/10']
    """
    parts: list[tuple[int, int, str]] = []
    for part in re.split(r"(\d{1,18})", text):
        for word in re.split(r"(/)", part):
            rank = _DIFFICULTIES.index(word) if word in _DIFFICULTIES else len(_DIFFICULTIES)
            digits = word.isascii() and word.isdigit()
            if word:
                parts.append((1, int(word), "") if digits else (0, rank, word))
    return tuple(parts)


def _part(about: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    value: Any = about
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _is_rescoring(place: Path) -> bool:
    return place.parent.name == FOLDER and (place / RUN).exists() and (place / RescoredFolder.LINES).exists()


def _with_episodes(runs: list[ViewedRun], place: Path) -> list[ViewedRun]:
    if not any(run.episodes for run in runs):
        raise RunError(f"{place} holds no finished episode yet; there is nothing to show until one has ended.")
    return [run for run in runs if run.episodes]


def _read(folder: Path, file: Path, pool: TextPool, by: str = "") -> ViewedRun:
    """Reads a run.

    Args:
        folder: where its ``run.json`` and rescorings may be.
        file: its episodes.
        pool: where texts go.
        by: the name of the rescoring whose verdicts count; empty: the run's own.
    """
    about = read_run(folder, RunFolder.FORMAT) if (folder / RUN).exists() else {}
    rescored = {name: read_rescored(folder / FOLDER / name) for name in _judged(folder)}
    episodes: dict[tuple[str, int], ViewedEpisode] = {}
    for number, line in enumerate(read_lines(file) if file.exists() else (), start=1):
        try:
            record = Record.from_line(line)
            trajectory = Trajectory.of(record, pool)
        except ValueError as error:
            if number == 1 and not about:
                raise RunError(f"{file} holds no episodes of a run ({error}): name the folder of a run.") from error
            raise RunError(
                f"{file}, line {number} is damaged ({error}); delete that line to see the others."
            ) from error
        digest = line_digest(line)
        found = [(name, verdicts[record.key]) for name, (_, verdicts) in rescored.items() if record.key in verdicts]
        others = [Other(name, verdict, verdict.record != digest) for name, verdict in found]
        if not by or any(one.name == by and not one.stale for one in others):
            episodes[record.key] = _viewed(record, trajectory, others, by)
    name = str(_part(about, "benchmark", "judge").get("name", ""))
    ordered = sorted(episodes.values(), key=lambda one: (natural(one.record.task), one.record.attempt))
    path = folder / FOLDER / by if by else folder if file.parent == folder else file
    return ViewedRun(
        "", str(path), str(folder), about, by or name, tuple(ordered), tuple(_notes(about, ordered, folder))
    )


def _judged(folder: Path) -> list[str]:
    """The rescorings of a run that have begun."""
    return [name for name in rescored_names(folder) if (folder / FOLDER / name / RescoredFolder.LINES).exists()]


def _viewed(record: Record, trajectory: Trajectory, others: Sequence[Other], by: str) -> ViewedEpisode:
    terms = {**(record.turns[-1].reward_terms if record.turns else {})}
    if record.turns:
        terms["cost"] = sum(turn.reward_terms.get("cost", 0.0) for turn in record.turns)
    mine = next((one for one in others if by and one.name == by and not one.stale), None)
    own = replace(record, turns=tuple(replace(turn, observation=_NOTHING) for turn in record.turns), first=_NOTHING)
    row = Row.of(record)
    if mine is None:
        return ViewedEpisode(own, row, trajectory, terms, tuple(others))
    before = Rescored(
        record.task, record.attempt, mine.found.record, record.ending, False, record.verdict, terms, record.reward
    )
    rest = (Other("run", before, False), *(one for one in others if one is not mine))
    verdict = mine.found.verdict
    judged = replace(own, verdict=verdict, scored=verdict["value"] is not None, reward=mine.found.reward)
    cost = {"cost": terms["cost"]} if "cost" in terms else {}
    return ViewedEpisode(judged, mine.found.row(row), trajectory, {**mine.found.reward_terms, **cost}, rest)


_NOTHING: Any = {"results": [], "pages": [], "replies": [], "notice": "", "budget": []}


def _notes(about: Mapping[str, Any], episodes: Sequence[ViewedEpisode], folder: Path) -> Iterable[str]:
    if not about:
        yield f"There is no {RUN} beside these episodes: what was run is not known."
        return
    planned, attempts = about.get("episodes"), about.get("attempts")
    if planned is None:
        tasks = _part(about, "benchmark", "tasks").get("count")
        planned = tasks * attempts if isinstance(tasks, int) and isinstance(attempts, int) else 0
    if isinstance(planned, int) and len(episodes) < planned:
        yield f"{len(episodes):,} of {planned:,} episodes have ended: the run in {folder} is not finished."
