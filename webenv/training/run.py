"""Trains a policy, with checkpoints, until a limit or a signal."""

from __future__ import annotations

import importlib.metadata
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from webenv.benchmark import Benchmark
from webenv.corpora.document import Progress, silent
from webenv.errors import DataError, InvalidArgument, RunError, WebenvError
from webenv.evaluation.recording import opened_env
from webenv.evaluation.run import default_folder
from webenv.evaluation.run_dir import plain, versions
from webenv.runtime.processes import infrequent_gc
from webenv.training.comparison import make_worlds
from webenv.training.folder import EventLog, ProgressRow, TrainingFolder
from webenv.training.plan import Limits, Plan, check_plan, check_settings, make_learner, reads_final
from webenv.training.throughput import Throughput, TimedMenus, TimedVectorEnv, measure_throughput


class Stop:
    """While it is entered, the first SIGINT or SIGTERM asks to stop, and the second interrupts as always.

    An update that is broken off leaves a learner that must not be saved; so whoever trains looks
    at :attr:`asked` between two. In another thread than the main one nothing is changed.

    Args:
        told: takes a line for whoever runs the training.

    Attributes:
        asked: whether it was asked to stop.
    """

    def __init__(self, told: Callable[[str], None]) -> None:
        self.asked = False
        self._told = told
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)
        self._before.clear()

    def _ask(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        self._told("stopping after this update; once more to stop at once, with what was saved before.")


if TYPE_CHECKING:
    from webenv.policies.learned import Learner, Update
    from webenv.policies.learned.policy import LearnedPolicy

_PACKAGES = ("torch", "stable_baselines3", "sb3_contrib")
PLAYED = "steps played"
_HOPELESS, _EARLY = 50, 3  # episodes without a score, and updates, after which something is wrong


class TrainStanding(NamedTuple):
    """Where a run stands.

    Attributes:
        rows: its updates so far.
        began: how many of them are of earlier processes.
        limits: how long it is to go on.
    """

    rows: Sequence[ProgressRow]
    began: int
    limits: Limits


class Trained(NamedTuple):
    """What a run came to.

    Attributes:
        folder: where it is.
        rows: its updates.
        policy: what was learned.
        untrained: what it began with.
        throughput: how fast it was; ``None`` where there was no update, or lines of updates were lost.
        stopped: whether somebody asked it to stop, be it in the last update.
    """

    folder: Path
    rows: Sequence[ProgressRow]
    policy: LearnedPolicy
    untrained: LearnedPolicy
    throughput: Throughput | None
    stopped: bool


def train(
    plan: Plan,
    limits: Limits,
    *,
    out: str | Path | None = None,
    resume: bool = False,
    watch: Callable[[TrainStanding], None] | None = None,
    told: Callable[[str], None] = lambda line: None,
    progress: Progress = silent,
) -> Trained:
    """Trains a policy, and keeps checkpoints, a line for each update, and TensorBoard's event files.

    What an update comes to depends on the plan and on the updates before it, not on being stopped
    and resumed; so a run that is limited by steps comes to the same weights however often it was.

    Where the disk is full, training goes on, and what could not be written is tried again with the next
    checkpoint; the last one that was whole stays. Only where the last of all cannot be written is
    that an error.

    Args:
        plan: what is trained.
        limits: how long.
        out: the folder, which holds no run yet; ``runs/<env>-<algorithm>-<UTC time>`` by default.
        resume: takes up the run in ``out`` where its last checkpoint was written; it must be of the same plan.
        watch: called after every update.
        told: takes lines for whoever runs the training: what is wrong, and goes on.
        progress: told how many worlds are made, before training begins; then, as :data:`PLAYED`, how many steps were
            played, which is more often than after every update.

    Raises:
        InvalidArgument: for an unknown environment, algorithm or setting, or numbers that do not fit each other.
        MissingExtra: if torch or what else the algorithm needs is not installed.
        RunError: if the folder holds another run, is in use, or cannot be written; if no episode is scored; if
            the weights are no numbers any more; or if memory is used up.
        DataError: if the checkpoint is damaged.
    """
    settings = check_settings(plan.algorithm, plan.learner)
    check_plan(plan, limits)
    if resume and out is None:
        raise InvalidArgument("resume needs the folder of the run: name it with out (--out DIR).")
    path = Path(out) if out is not None else default_folder(plan.env.rpartition(":")[2], plan.algorithm)
    with opened_env(plan.env, plan.settings) as made, TrainingFolder(path, resume=resume) as folder:
        spec = made.spec
        run = _identity(plan, settings, made.benchmark, plan.settings if spec is None else spec.kwargs)
        begun = resume and folder.read_run() is not None
        if begun:
            folder.check_run(run)
        make_worlds(made.benchmark, progress)
        envs = TimedVectorEnv(made.benchmark, plan.num_envs, group_size=plan.group_size, autoreset_mode="same_step")
        final = reads_final(plan.algorithm)
        with (
            _enough_memory(path),
            infrequent_gc(),
            closing(TimedMenus(envs, final=final, played=lambda steps: progress(PLAYED, steps, None))) as menus,
        ):
            learner = make_learner(plan.algorithm, menus, settings, plan.seed)
            untrained = learner.policy()
            _begin(folder, begun, run, told)
            rows = _take_up(folder, learner, told)
            events = EventLog(path / "tensorboard", told, after=learner.steps)
            try:
                stopped = _Training(folder, learner, menus, events, rows, limits, watch, told).run()
            finally:
                events.close()
        whole = not (folder.read_run() or {}).get("lines_lost", False)
        throughput = measure_throughput(rows) if whole else None
        if throughput is not None:
            folder.change_run({"throughput": throughput.to_dict()})
        return Trained(path, rows, learner.policy(), untrained, throughput, stopped)


class _Training:
    """The loop: an update, its figures, and from time to time a checkpoint."""

    def __init__(
        self,
        folder: TrainingFolder,
        learner: Learner,
        menus: TimedMenus,
        events: EventLog,
        rows: list[ProgressRow],
        limits: Limits,
        watch: Callable[[TrainStanding], None] | None,
        told: Callable[[str], None],
    ) -> None:
        self._folder, self._learner, self._menus, self._events = folder, learner, menus, events
        self._rows, self._limits, self._watch, self._told = rows, limits, watch, told
        self._kept = learner.steps if folder.checkpoint.exists() else None  # steps of the checkpoint
        self._saved = _steps_of(folder.policy) == learner.steps  # whether the last update is in both files
        self._scored = any(row.episodes for row in rows)
        self._failing: set[str] = set()
        self._cpu = 0.0

    def run(self) -> bool:
        """Trains until a limit is reached, or somebody asks to stop; gives whether somebody did."""
        began, before = time.perf_counter(), self._rows[-1].seconds if self._rows else 0.0
        self._cpu = (self._rows[-1].cpu_seconds or 0.0 if self._rows else 0.0) - time.process_time()
        earlier, kept = len(self._rows), began
        self._show(earlier)
        with Stop(self._told) as stop:
            while self._limits.share(self._rows[-1] if self._rows else None) < 1.0 and not stop.asked:
                earlier_env, earlier_menu = self._menus.env_seconds, self._menus.menu_seconds
                update = self._learner.update()
                spent = self._menus.env_seconds - earlier_env, self._menus.menu_seconds - earlier_menu
                self._add(update, before + time.perf_counter() - began, *spent)
                self._show(earlier)
                if time.perf_counter() - kept >= 60 * self._limits.checkpoint:
                    self._attempt("checkpoint", self._save)
                    kept = time.perf_counter()
            if not self._saved:
                self._end()
            return stop.asked

    def _add(self, update: Update, seconds: float, env_seconds: float, menu_seconds: float) -> None:
        difficulty = self._menus.difficulty
        row = ProgressRow(
            update=self._rows[-1].update + 1 if self._rows else 1,
            steps=self._learner.steps,
            seconds=seconds,
            episodes=update.episodes,
            unscored=update.unscored,
            success=_finite(update.success),
            reward=_finite(update.reward),
            terms=dict(update.terms),
            play_seconds=update.play_seconds,
            env_seconds=env_seconds,
            learn_seconds=update.learn_seconds,
            figures={**update.figures, **({} if difficulty is None else {"difficulty": difficulty})},
            menu_seconds=menu_seconds,
            cpu_seconds=self._cpu + time.process_time(),
        )
        saved = self._learner.policy().saved
        if saved.diverged:
            kept = "no checkpoint is" if self._kept is None else f"the checkpoint of {self._kept:,} steps is"
            raise RunError(
                f"update {row.update}: a weight is {saved.largest:.3g}, so training has diverged and ends; {kept} "
                f"kept in {self._folder.path}. A smaller learning rate may help."
            )
        self._rows.append(row)
        self._saved = False
        self._scored = self._scored or row.episodes > 0
        unscored = 0 if self._scored else sum(one.unscored for one in self._rows)
        if unscored >= _HOPELESS and len(self._rows) >= _EARLY:
            raise RunError(
                f"none of the first {unscored:,} episodes was scored, so nothing can be learned; webenv eval with the "
                "same options and --policy random says why."
            )
        self._attempt("progress", lambda: self._folder.add(row))
        self._events.write(row)

    def _show(self, earlier: int) -> None:
        if self._watch is not None:
            self._watch(TrainStanding(self._rows, earlier, self._limits))

    def _save(self) -> None:
        self._folder.flush()  # the lines first: a checkpoint stands behind the last line of its own
        self._learner.save(self._folder.checkpoint)
        self._kept = self._learner.steps
        self._learner.policy().save(self._folder.policy)
        self._saved = True

    def _attempt(self, what: str, write: Callable[[], None]) -> None:
        """Writes; where that fails it is said, once until it works again, and training goes on."""
        try:
            write()
            self._failing.discard(what)
        except RunError as error:
            if what not in self._failing:
                self._told(f"{error} Training goes on, and tries again.")
            self._failing.add(what)

    def _end(self) -> None:
        """The last checkpoint of all.

        Raises:
            RunError: if it cannot be written.
        """
        try:
            self._save()
        except RunError as error:
            steps, kept, policy = self._learner.steps, self._kept, self._folder.policy
            with suppress(RunError):  # smaller than a checkpoint
                self._learner.policy().save(policy)
            where = ", which begins anew, as there is none before" if kept is None else f" at that of {kept:,} steps"
            learned = _steps_of(policy)
            raise RunError(
                f"{error} That was the checkpoint after {steps:,} steps, at the end of training: make room, and take "
                f"the run up again (--resume){where}. "
                + ("No policy is kept." if learned is None else f"{policy} is of {learned:,} steps.")
            ) from error


def _identity(
    plan: Plan, settings: Mapping[str, Any], benchmark: Benchmark, given: Mapping[str, Any]
) -> dict[str, Any]:
    packages = {name: importlib.metadata.version(name) for name in _PACKAGES if _installed(name)}
    return {
        "env": {"id": plan.env.rpartition(":")[2], "settings": plain(given)},
        "benchmark": plain(benchmark.identity),
        "algorithm": {"name": plan.algorithm, "settings": plain(settings)},
        "num_envs": plan.num_envs,
        "group_size": plan.group_size,
        "seed": plan.seed,
        "versions": versions() | packages,
    }


def _installed(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _begin(folder: TrainingFolder, begun: bool, run: Mapping[str, Any], told: Callable[[str], None]) -> None:
    """Writes what is trained, or notes with what it is taken up."""
    if not begun:
        folder.write_run({**run, "resumed_with": []})
        return
    before = folder.read_run() or {}
    known = [before.get("versions"), *before.get("resumed_with", [])]
    if run["versions"] not in known:
        folder.change_run({"resumed_with": [*known[1:], run["versions"]]})
        told("the run began with other versions; run.json names both.")


def _take_up(folder: TrainingFolder, learner: Learner, told: Callable[[str], None]) -> list[ProgressRow]:
    """Loads the checkpoint, if there is one, and gives the rows up to it; a policy of later steps is set aside."""
    if folder.checkpoint.exists():
        _load(folder.checkpoint, learner)
    elif folder.begun:
        told("there is no checkpoint yet: training begins anew.")
    rows = folder.rewind(learner.steps)
    learned = _steps_of(folder.policy)
    if folder.policy.exists() and (learned is None or learned > learner.steps):
        what = "cannot be read" if learned is None else f"is of {learned:,} steps"
        aside = folder.set_aside("unread" if learned is None else str(learned))
        told(f"policy.pt {what}, training goes on from {learner.steps:,}: it is kept as {aside}.")
    known = rows[-1].steps if rows else 0
    if known != learner.steps:
        folder.change_run({"lines_lost": True, "throughput": None})
        told(
            f"progress.jsonl ends at {known:,} steps, the checkpoint is of {learner.steps:,}: updates and seconds are "
            "counted on from that line, without what is lost between, and throughput is not measured."
        )
    return rows


def _load(checkpoint: Path, learner: Learner) -> None:
    """Takes up a checkpoint.

    Raises:
        DataError: if it is damaged.
    """
    try:
        learner.load(checkpoint)
    except (WebenvError, ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        said = str(error) if isinstance(error, WebenvError) else f"{str(checkpoint)!r} is damaged ({error!r:.100})."
        raise DataError(
            f"{said} Put a whole copy in its place, or delete it: --resume then begins anew, and sets policy.pt aside."
        ) from error


def _steps_of(policy: Path) -> int | None:
    """How many steps a policy file was trained for; ``None`` if there is none that can be read."""
    from webenv.policies.learned.checkpoint import load_policy

    try:
        return load_policy(policy).steps
    except DataError:
        return None


@contextmanager
def _enough_memory(path: Path) -> Iterator[None]:
    """Says in one line that memory is used up."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "can't allocate memory" not in str(error):  # torch's
            raise
        raise RunError(
            f"memory is used up; what {path} holds is kept. Choose fewer num_envs, or a smaller update (groups, "
            "n_steps) or width."
        ) from error


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
