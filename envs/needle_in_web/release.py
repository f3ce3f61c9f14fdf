"""The answers and verdicts that were released with Needle in the Web: six systems, 663 tasks each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from webenv.envs.needle_in_web.tasks import DIFFICULTIES, read_answer
from webenv.errors import DataError
from webenv.judge import Submission, Verdict
from webenv.rewards.needle import OUTCOMES
from webenv.runtime.files import files_in, read_json_records, read_text
from webenv.spaces import LIMITS
from webenv.task import TaskSet

SYSTEMS = {
    "openai": "GPT-4o",
    "gemini": "Gemini 2.5-flash",
    "perplexity": "Perplexity Sonar",
    "searchr1": "Search-R1",
    "deepresearcher": "DeepResearcher",
    "cognitivekernel-pro": "CognitiveKernel-Pro",
}
"""The folders of the systems under ``experiments``, and what the paper's tables call them."""

RELEASED = "released:"
"""What the name of a judge begins with that gives released verdicts; a system's folder follows."""

_REASONS = {
    "No source provided": "no_source",
    "The source is incorrect": "wrong_page",
    "Found another correct webpage": "criteria_match",
    "Found original webpage": "ground_truth_match",
}
"""What the release says of an answer, and the outcome that it is; it has none for a page that cannot be reached."""

_LEVEL = re.compile("|".join(DIFFICULTIES))
_STAMP = re.compile(r"\d{8}_\d{6}")
_OTHER_TASKS = re.compile(r"9\d\d_")  # experiments over tasks that the release does not hold: CNN of earlier years


class ReleasedAnswer(NamedTuple):
    """What a system answered a task, to the letter, and the outcome that the release's judge found."""

    text: str
    outcome: str


def is_release(folder: str | Path) -> bool:
    """Whether a folder is one system's of the release: experiments with ``test_results``."""
    return any(Path(folder).glob("*/test_results"))


def read_release(folder: str | Path, tasks: TaskSet) -> dict[str, ReleasedAnswer]:
    """One system's released answers and verdicts, by task.

    The website of a file is found by the ids in it, as the folders of Pitchfork and PetaPixel are swapped for three
    systems; an answer belongs to its verdict by its id, or where the system counted anew, by its place. Of answers
    that were given twice those count that the verdicts were made of. Experiments over tasks that the release does not
    hold (CNN of earlier years) are passed over.

    Args:
        folder: such as ``Needle_in_the_Web/experiments/gemini``.
        tasks: all official tasks, flagged ones too (left out or not), as the files are told by their ids.

    Raises:
        DataError: for a folder without results, a file that is none of the release's, or ids of no task file.
    """
    path = Path(folder)
    if not is_release(path):
        raise DataError(
            f"{path} holds no released answers; expected a folder of one system, as experiments/gemini of the release, "
            "with test_results and test_raw_responses in it."
        )
    known: dict[str, dict[str, str]] = {}
    for task in (*tasks.ids(), *(one.task.id for one in tasks.excluded)):
        stem, _, number = task.rpartition("/")
        known.setdefault(stem, {})[number] = task
    found: dict[str, ReleasedAnswer] = {}
    for experiment in sorted(path.iterdir()):
        results = experiment / "test_results"
        if _OTHER_TASKS.match(experiment.name) or not results.is_dir():
            continue
        for file in files_in(results, (".json",)):
            details = _details(file)
            level = _level(file)
            stem = _stem(known, level, list(details), file)
            answers = _answers(experiment / "test_raw_responses", level, file, list(details))
            for number, outcome in details.items():
                task = known[stem][number]
                if task in found:
                    raise DataError(f"{file}: task {task!r} has a verdict already; keep one file of each queryset.")
                found[task] = ReleasedAnswer(answers[number][: LIMITS["answer"]], outcome)
    return found


def _level(file: Path) -> str:
    level = _LEVEL.search(file.stem)
    if level is None:
        raise DataError(f"{file}: the name says no difficulty; expected easy, medium or hard in it.")
    return level[0]


def _details(file: Path) -> dict[str, str]:
    """The outcome of each id, in the file's order."""
    try:
        whole = json.loads(read_text(file, "results"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{file} is no JSON: {error!s:.100}.") from error
    details = whole.get("detail") if isinstance(whole, dict) else None
    found: dict[str, str] = {}
    for one in details if isinstance(details, list) else ():
        outcome = _REASONS.get(str(one.get("reason"))) if isinstance(one, dict) else None
        if outcome is None or (OUTCOMES[outcome] == 1.0) != one.get("correct"):
            raise DataError(
                f"{file}: {one!r:.100} is no verdict of the release; expected one of {', '.join(_REASONS)}."
            )
        found[str(one.get("id"))] = outcome
    if not found:
        raise DataError(f"{file} holds no verdict; expected an object with the list detail.")
    return found


def _stem(known: Mapping[str, Mapping[str, str]], level: str, ids: Sequence[str], file: Path) -> str:
    """The task file that a result file is of: the one with these ids, and of several the one that its name names."""
    stems = [stem for stem, numbers in known.items() if stem.endswith(f"_{level}") and set(numbers) == set(ids)]
    named = [stem for stem in stems if stem in file.stem]
    if len(named or stems) != 1:
        what = "no task file" if not stems else f"{' and '.join(stems)} alike"
        raise DataError(
            f"{file}: its {len(ids)} ids are those of {what}; give all official task files (--tasks querysets)."
        )
    return (named or stems)[0]


def _answers(folder: Path, level: str, results: Path, ids: Sequence[str]) -> dict[str, str]:
    """The answers that a file of verdicts is of, by id."""
    files = [file for file in files_in(folder, (".json",)) if _level(file) == level] if folder.is_dir() else []
    stamp = _STAMP.search(results.stem)
    if len(files) > 1 and stamp is not None:  # answered twice: verdicts name the query set's time first
        files = [file for file in files if stamp[0] in file.stem]
    if len(files) != 1:
        raise DataError(f"{folder}: {len(files)} files of {level} answers for {results.name}; expected one.")
    records: list[Any] = [given.value for given in read_json_records(files[0], "answers", DataError)]
    own = [_id(record) for record in records]
    if set(own) != set(ids):
        own = list(ids)
    if len(records) != len(ids):
        raise DataError(f"{files[0]} has {len(records)} answers for {len(ids)} verdicts of {results.name}.")
    found: dict[str, str] = {}
    for number, record in zip(own, records, strict=True):
        text = record.get("source") if isinstance(record, dict) else None
        if not isinstance(text, str):
            raise DataError(f"{files[0]}: {record!r:.60} has no source; expected the answer as a text.")
        found[number] = text
    return found


def _id(record: Any) -> str:
    """The id of a record: CognitiveKernel-Pro keeps the task as ``_orig``, DeepResearcher counts as ``idx``."""
    holder = record if isinstance(record, dict) else {}
    original = holder.get("_orig")
    return str((original if isinstance(original, dict) else holder).get("id", holder.get("idx")))


class ReleasedJudge:
    """Gives each answer the verdict that was released with it; asks no model.

    It knows the answers of one system alone: another answer is unscored.

    Args:
        answers: the released answers and verdicts, by task.
        system: whose they are.
    """

    name = "released"
    asks = False

    def __init__(self, answers: Mapping[str, ReleasedAnswer], system: str) -> None:
        self._answers, self._system = answers, system

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, the ``system``, and SHA-256 of its answers and verdicts."""
        whole = repr(sorted((task, *one) for task, one in self._answers.items()))
        digest = sha256(whole.encode(errors="surrogatepass")).hexdigest()
        return {"name": self.name, "version": "1", "system": self._system, "verdicts": digest}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return [self._score(submission) for submission in submissions]

    def _score(self, submission: Submission) -> Verdict:
        released = self._answers.get(submission.task.id)
        if released is None:
            return Verdict.unscored(f"{self._system} has no released answer to {submission.task.id!r}", self.name)
        if submission.answer != read_answer((released.text,)):
            return Verdict.unscored(
                f"another answer than {self._system}'s; the release has no verdict on it", self.name
            )
        reason = f"as the release has it: {released.outcome.replace('_', ' ')}"
        return Verdict(released.outcome, OUTCOMES[released.outcome], reason, self.name)


def system_name(folder: str | Path) -> str:
    """What a system's folder is called in tables."""
    return SYSTEMS.get(Path(folder).name, Path(folder).name)


def release_folders(folder: str | Path) -> list[Path]:
    """The folders of systems in a folder, in the order of the paper's tables, or the folder itself if it is one.

    Raises:
        DataError: if there is none.
    """
    path = Path(folder)
    if is_release(path):
        return [path]
    found: Iterable[Path] = (one for one in path.iterdir() if is_release(one)) if path.is_dir() else ()
    order = list(SYSTEMS)
    folders = sorted(found, key=lambda one: (order.index(one.name) if one.name in order else len(order), one.name))
    if not folders:
        raise DataError(
            f"{path} holds no released answers; expected the release's experiments, or one system's folder."
        )
    return folders
