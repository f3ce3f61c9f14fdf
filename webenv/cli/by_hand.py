"""``webenv play --record``: a person plays tasks one after another, by name and against the clock, into a run."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from webenv.actions import answer
from webenv.benchmark import Benchmark
from webenv.budget import Effort
from webenv.cli.play import Screen
from webenv.cli.tables import print_summary, wide_console
from webenv.cli.terminal import SafeConsole, read_line
from webenv.errors import InvalidArgument
from webenv.evaluation.interactive import Commands
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import evaluate
from webenv.evaluation.run_dir import RUN, count_records
from webenv.observations import ObservationDict
from webenv.policy import Decision, History
from webenv.runtime.spec import shown
from webenv.task import TaskSet
from webenv.web import Failure

_clock = time.monotonic


class Quit(Exception):
    """The person has had enough for now."""


class PersonScreen(Commands):
    """What a screen shows of an episode that a run plays."""

    def __init__(self, benchmark: Benchmark, observation: ObservationDict) -> None:
        super().__init__(benchmark)
        self.observation, self.over, self.reward = observation, False, 0.0
        self.info: dict[str, Any] = {}


class PersonPolicy:
    """A person at the terminal as a policy: what is typed is the decision, and nothing can be taken back.

    The seconds that each decision took are its effort. Whoever is not done within the time limit gave no answer, and
    neither did whoever quits after the first turn of a task.

    Args:
        benchmark: what is played.
        name: the person, as tables are to call them.
        time_limit: seconds for a task; ``None``: any number.
        console: where it is shown.
    """

    def __init__(self, benchmark: Benchmark, name: str, time_limit: float | None, console: SafeConsole) -> None:
        self._benchmark, self._name, self._limit, self._console = benchmark, name, time_limit, console
        self._now: tuple[str, int] = ("", -1)
        self._used = 0.0
        self._quits = False

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, that a person plays, and the time limit."""
        return {"name": self._name, "version": "1", "person": "true", "time_limit": shown(self._limit)}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """What the person decides, one episode after another."""
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision:
        if self._quits:
            raise Quit
        observation = history.observations[-1]
        if self._now != (history.task_id, history.attempt):
            self._now, self._used = (history.task_id, history.attempt), 0.0
            self._game = PersonScreen(self._benchmark, observation)
            self._screen = Screen(self._game, self._console)
            self._screen.begin()
            if self._limit is not None:
                self._screen.say(f"You have {self._limit / 60:g} minutes. Type h for help.")
        self._game.observation = observation
        self._game.see(observation)
        if history.decisions:
            self._screen.turn()
        begun = _clock()
        while True:
            line = read_line(self._console)
            took = _clock() - begun
            if line is None or line == "q":
                if not history.decisions:
                    raise Quit
                self._quits = True  # no task is begun anew, with a new budget and clock, by whoever has seen its pages
                self._screen.say("You quit in the middle of a task: it counts as not answered.")
                return Decision(answer(""), "quit", effort=Effort(took))
            if self._limit is not None and self._used + took > self._limit:
                self._screen.say("The time is up: the task counts as not answered.")
                left, self._used = max(0.0, self._limit - self._used), self._limit
                return Decision(answer(""), "out of time", effort=Effort(left))
            action = self._read(line)
            if action is not None:
                self._used += took
                return Decision(action, effort=Effort(took))

    def _read(self, line: str) -> Any:
        word, _, rest = line.partition(" ")
        try:
            if line in ("", "more"):
                self._screen.more()
            elif line == "h":
                self._screen.help()
            elif line == "u":
                self._screen.say("Nothing can be taken back where it is recorded.")
            else:
                return self._game.read(word, rest.strip())
        except InvalidArgument as error:
            self._screen.say(str(error))
        return None


def chosen_tasks(tasks: TaskSet, each: int, seed: int) -> Collection[str]:
    """So many tasks of each website and difficulty, or of each group of tasks of equal tags where there are none.

    Args:
        tasks: to choose from.
        each: how many of each, from 1; of fewer all.
        seed: decides which.
    """
    groups: dict[tuple[str, ...], list[str]] = {}
    for task in tasks:
        groups.setdefault(tuple(task.tags.get(name, "") for name in ("site", "difficulty")), []).append(task.id)
    found: set[str] = set()
    for ids in groups.values():
        ids.sort(key=lambda one: hashlib.sha256(f"{seed} {one}".encode()).digest())
        found.update(ids[:each])
    return found


def play_recorded(
    env: str, settings: Mapping[str, Any], out: Path, name: str, time_limit: float | None, each: int | None, seed: int
) -> None:
    """Has a person play the tasks of a run that are not played yet, until all are, or the person quits."""
    console = SafeConsole()
    with opened_env(env, settings) as made:
        benchmark = made.benchmark
        only = None if each is None else chosen_tasks(benchmark.tasks, each, seed)
        episodes = len(benchmark.tasks)  # in an order that the seed draws
        policy = PersonPolicy(benchmark, name, time_limit, console)
        try:
            summary = evaluate(
                made,
                policy,
                episodes=episodes,
                seed=seed,
                parallel=1,
                out=out,
                resume=(out / RUN).is_file(),
                only=only,
            )
        except Quit:
            left = (episodes if only is None else len(only)) - count_records(out)
            print(f"{count_records(out):,} tasks are kept in {out}, {left:,} are left; the same command goes on.")
            return
    print_summary(summary, wide_console())
    print(f"Run folder: {out}")
