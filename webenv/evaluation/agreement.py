"""How far two judges agree on one run, and the episodes on which they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import RunError
from webenv.evaluation.rescored import find_rescored, line_digest, read_rescored
from webenv.evaluation.rescoring import Rescoring
from webenv.evaluation.run_dir import read_numbered, read_played, read_records
from webenv.evaluation.summary import wilson
from webenv.judge import VerdictDict
from webenv.task import GoldDict


def cohen_kappa(counts: Mapping[tuple[str, str], int]) -> float | None:
    """Cohen's kappa of two judges who put the same things into categories.

    ``(p_o − p_e) / (1 − p_e)``: p_o is the share of things put into the same category, p_e the share that
    chance would give two judges who use each category as often as these: the sum over the categories of the
    product of both judges' shares. 1: they always agree; 0: as often as by chance; below 0: less often.

    Source: Cohen 1960, Educational and Psychological Measurement 20 (1).

    Args:
        counts: how often the first judge chose one category and the second one another: from 0.

    Returns:
        −1 to 1; ``None`` where nothing was judged, and where both put everything into one and the same
        category, so that nothing is left to chance.

    >>> cohen_kappa({("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15})
    0.4
    """
    total = sum(counts.values())
    categories = {category: None for pair in counts for category in pair}
    first = {one: sum(count for (a, _), count in counts.items() if a == one) for one in categories}
    second = {one: sum(count for (_, b), count in counts.items() if b == one) for one in categories}
    chance = sum(first[one] * second[one] for one in categories)
    if chance == total * total:
        return None
    agreed = total * sum(count for (a, b), count in counts.items() if a == b)
    return (agreed - chance) / (total * total - chance)


Key = tuple[str, int]


class Pair(NamedTuple):
    """What two judges found of one episode, ``key`` as in :class:`~webenv.evaluation.Record`."""

    key: Key
    first: VerdictDict
    second: VerdictDict

    @property
    def scored(self) -> bool:
        return self.first["value"] is not None and self.second["value"] is not None

    @property
    def turned(self) -> bool:
        """Whether one found right what the other found wrong."""
        return self.scored and _right(self.first) != _right(self.second)


@dataclass(frozen=True, slots=True)
class Table:
    """A confusion matrix.

    Attributes:
        rows: what the first judge found, in the order of the table.
        columns: what the second one found.
        counts: of each row, the episodes in each column.
        kappa: Cohen's kappa (:func:`cohen_kappa`); ``None`` where it has none, and where the
            judges share no word.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Audit:
    """A judge against one that holds the key; what is *positive* is a verdict ``right``.

    Attributes:
        truth: who holds the key.
        judge: who is audited.
        precision: of what the judge found right, the share that is; ``None`` where it found nothing right.
        recall: of what is right, the share that the judge found; ``None`` where nothing is.
        f1: 2 · precision · recall / (precision + recall); ``None`` without both, and 0 where both are 0.
    """

    truth: str
    judge: str
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two judges agree on a run.

    Attributes:
        first: the first judge's name; ``second`` the second's.
        episodes: how many both were asked about.
        scored: of these, how many both scored: all that follows is of them.
        agreed: how many both found right, or both wrong.
        share: ``agreed`` / ``scored``, 0 to 1.
        interval: the 95% interval of ``share`` (Wilson).
        values: right and wrong, confused.
        outcomes: outcomes, confused.
        unscored: episodes that the ``first`` alone, the ``second`` alone, or ``both`` left unscored.
        alone: episodes that only one of the two was asked about; they are in no count.
        audit: where one of the two alone holds the key, the other against it.
    """

    first: str
    second: str
    episodes: int
    scored: int
    agreed: int
    share: float | None
    interval: tuple[float, float] | None
    values: Table
    outcomes: Table
    unscored: Mapping[str, int]
    alone: int
    audit: Audit | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Judged(NamedTuple):
    """A judge's verdicts on a run.

    Attributes:
        label: what the judge was asked for as.
        identity: who it is (:attr:`webenv.judge.Judge.identity`).
        verdicts: by episode.
    """

    label: str
    identity: Mapping[str, str]
    verdicts: Mapping[Key, VerdictDict]

    @property
    def holds_key(self) -> bool:
        """Whether others are audited by it."""
        return self.identity.get("holds") == "key"


def pairs_of(first: Judged, second: Judged) -> list[Pair]:
    """What both found of each episode that both were asked about, in the first one's order."""
    found = second.verdicts
    return [Pair(key, verdict, found[key]) for key, verdict in first.verdicts.items() if key in found]


def compare(first: Judged, second: Judged) -> Agreement:
    """How far two judges agree.

    Args:
        first: one judge's verdicts.
        second: the other's.
    """
    pairs = pairs_of(first, second)
    scored = [pair for pair in pairs if pair.scored]
    agreed = sum(not pair.turned for pair in scored)
    silent = Counter((pair.first["value"] is None, pair.second["value"] is None) for pair in pairs)
    return Agreement(
        first=first.label,
        second=second.label,
        episodes=len(pairs),
        scored=len(scored),
        agreed=agreed,
        share=agreed / len(scored) if scored else None,
        interval=wilson(agreed, len(scored)) if scored else None,
        values=confusion([(_word(pair.first), _word(pair.second)) for pair in scored], ("right", "wrong")),
        outcomes=confusion([(pair.first["outcome"], pair.second["outcome"]) for pair in scored]),
        unscored={"first": silent[True, False], "second": silent[False, True], "both": silent[True, True]},
        alone=len(first.verdicts) + len(second.verdicts) - 2 * len(pairs),
        audit=_audit(first, second, scored),
    )


def disagreements_of(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs that differ: those that turned between right and wrong, then those whose outcome differs in a word
    that both judges use."""
    pairs = [pair for pair in pairs if pair.scored]
    shared = {pair.first["outcome"] for pair in pairs} & {pair.second["outcome"] for pair in pairs}
    yield from (pair for pair in pairs if pair.turned)
    for pair in pairs:
        first, second = pair.first["outcome"], pair.second["outcome"]
        if not pair.turned and first != second and (first in shared or second in shared):
            yield pair


def _right(verdict: VerdictDict) -> bool:
    return verdict["value"] is not None and verdict["value"] >= 1.0


def _word(verdict: VerdictDict) -> str:
    return "right" if _right(verdict) else "wrong"


def confusion(found: Sequence[tuple[str, str]], words: Sequence[str] = ()) -> Table:
    """A confusion matrix of pairs of words: of these words, or of those that came: first those that both share, each
    part from the most frequent to the least."""
    counts = Counter(found)
    often = Counter(word for pair in found for word in pair)
    rows, columns = dict.fromkeys(a for a, _ in found), dict.fromkeys(b for _, b in found)
    shared = [word for word in rows if word in columns]

    def order(present: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(present, key=lambda word: (word not in shared, -often[word], word)))

    along, across = (tuple(words), tuple(words)) if words else (order(rows), order(columns))
    return Table(
        rows=along,
        columns=across,
        counts=tuple(tuple(counts[a, b] for b in across) for a in along),
        kappa=cohen_kappa(counts) if shared or words else None,
    )


def _audit(first: Judged, second: Judged, scored: Sequence[Pair]) -> Audit | None:
    if first.holds_key == second.holds_key:
        return None
    if first.holds_key:
        truth, judge, found = first, second, [(_right(pair.first), _right(pair.second)) for pair in scored]
    else:
        truth, judge, found = second, first, [(_right(pair.second), _right(pair.first)) for pair in scored]
    both = sum(is_right and said_so for is_right, said_so in found)
    said, right = sum(said_so for _, said_so in found), sum(is_right for is_right, _ in found)
    precision, recall = both / said if said else None, both / right if right else None
    f1 = None if precision is None or recall is None else 2 * both / (said + right)
    return Audit(truth.label, judge.label, precision, recall, f1)


OWN = "run"
"""What the verdicts that a run was played with are called."""


def judged_by(run: Path, name: str, rescore: Callable[[str], Rescoring]) -> Judged:
    """The verdicts of a judge on a run.

    Args:
        run: the run folder.
        name: ``run``: those that the run was played with; the name of an earlier rescoring's folder; or that of a
            judge, which scores the run now, but for what it has scored already.
        rescore: has a judge of this name score the run.

    Raises:
        RunError: if there are none to read.
    """
    if name == OWN:
        judge = read_played(run)["benchmark"]["judge"]
        found = {record.key: record.verdict for record in read_records(run)}
        return Judged(f"{OWN} ({judge['name']})", judge, found)
    folder = find_rescored(run, name) or Path(rescore(name).folder)
    about, rescored = read_rescored(folder)
    latest = {line.record.key: line_digest(line.content) for line in read_numbered(run)}
    # what was played again since it was judged is another episode
    return Judged(name, about["judge"], {key: v.verdict for key, v in rescored.items() if v.record == latest.get(key)})


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An episode that two judges see differently.

    Attributes:
        task: the task's id.
        attempt: which time the run played it.
        question: the question.
        answer: what the agent answered, to the letter; empty where it did not.
        gold: what a right answer is.
        first: what one judge found.
        second: what the other one found.
    """

    task: str
    attempt: int
    question: str
    answer: str
    gold: GoldDict
    first: VerdictDict
    second: VerdictDict

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_disagreements(run: Path, pairs: Iterable[Pair]) -> Iterator[Disagreement]:
    """The episodes of these pairs with their texts, in the pairs' order.

    Raises:
        RunError: if the run cannot be read, or has an episode no more.
    """
    wanted = {pair.key: pair for pair in pairs}
    texts: dict[tuple[str, int], tuple[str, str, GoldDict]] = {}
    for record in read_records(run) if wanted else ():
        if record.key in wanted:
            texts[record.key] = (record.question, record.answer, record.gold)
    for (task, attempt), pair in wanted.items():
        if pair.key not in texts:
            raise RunError(f"{run} holds no record of task {task!r}, attempt {attempt}, which was rescored.")
        yield Disagreement(task, attempt, *texts[pair.key], pair.first, pair.second)
