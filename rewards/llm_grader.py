"""LLMGrader: a rubric, which says what is asked of an item and how replies are read, put to a model in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar

from webenv.errors import CassetteMiss, check_whole
from webenv.judge import Submission, Verdict
from webenv.models import Message, Model, ModelFailure, ModelReply, Request, Schema, prefixed

ItemT = TypeVar("ItemT", bound=Hashable)
"""What is graded: plain data that compares by its value."""

GradeT = TypeVar("GradeT")
"""What a reply says of an item."""


class Rubric(Protocol[ItemT, GradeT]):
    """One question that is put to a model about items of one kind; it holds no state and calls nobody.

    A :class:`webenv.rewards.llm_grader.LLMGrader` puts it to a model. ``attempt`` counts from 1; each has a token
    of its own (:func:`webenv.models.data_token`), so what one attempt is told decides nothing at the next.
    """

    @property
    def name(self) -> str:
        """What is graded, in a word, for the record of a run."""
        ...

    @property
    def version(self) -> str:
        """Raised with every change that may change a grade, but for prompt and parser."""
        ...

    @property
    def sought(self) -> str:
        """What a reply has to hold, as the end of "the reply holds no …"."""
        ...

    @property
    def parser(self) -> str:
        """The version of how replies are read."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt before anything is filled in."""
        ...

    def ask(self, item: ItemT, attempt: int) -> list[Message]:
        """The conversation that puts the question; the same for the same arguments, in every run."""
        ...

    def schema(self, item: ItemT, attempt: int) -> Schema | None:
        """The JSON schema of a reply, for an endpoint that can hold a model to one; ``None``: plain text.

        It is the same for every item, as endpoints compile each new schema once.
        """
        ...

    def read(self, reply: str, item: ItemT, attempt: int) -> GradeT | None:
        """What a reply to :meth:`ask` with the same arguments says; ``None``: it is no verdict."""
        ...

    def vote(self, grade: GradeT) -> Hashable:
        """What of a grade votes are counted by: its verdict, without the words of its reasons."""
        ...

    def rank(self, grade: GradeT) -> float:
        """How good a grade is for the agent; where no majority can come, the lowest one counts."""
        ...

    def neutral(self, item: ItemT) -> ItemT | None:
        """The item with harmless text in place of what the agent brought; ``None``: it brought nothing."""
        ...


UNJUDGEABLE = "unjudgeable"
"""The outcome, of value 0, of an answer that keeps the judge from a verdict."""

QUOTED = ": …"
"""What in a reason stands before the end of a reply that is quoted."""


class Graded(NamedTuple, Generic[GradeT]):
    """What came of grading an item.

    Attributes:
        grade: the grade of the majority, or the lowest where no majority can come, in the words of its first voter;
            ``None``: there is none.
        reason: why there is none, or that it is no majority's, in one line; else empty.
        votes: the grade of each vote, ``None`` where one came to none.
        attempt: the attempt that settled it, from 1.
        answered: whether the model replied at all, as far as one vote tells.
        blamed: whether it is what the agent brought that keeps the model from a grade: with harmless text in its
            place the model gives one.
    """

    grade: GradeT | None
    reason: str
    votes: tuple[GradeT | None, ...]
    attempt: int = 1
    answered: bool = True
    blamed: bool = False

    def explained(self, why: str) -> str:
        """What was said for the grade, and that no majority stands behind it, if none does."""
        return "; ".join(part for part in (why, self.reason) if part)


class _Vote(NamedTuple, Generic[GradeT]):
    grade: GradeT | None
    reason: str
    final: bool
    """Whether it is not asked for again."""
    told: bool = False
    """Of one without a grade: whether that may lie in the item, not in the endpoint."""


class LLMGrader(Generic[ItemT, GradeT]):
    """A model that grades items by a rubric.

    All items of a batch, with all their votes, go out together, and so do second attempts; items that
    are equal are asked once. Vote ``n`` is sample ``n`` of the same conversation. A reply that was cut
    at the model's longest, or holds no verdict, is asked for again with another token; a model that
    could not be asked is not, as it has retried by itself. The grade is that of more than half of the
    votes; where no grade can have so many, as in a tie, it is the lowest that was given; too few verdicts are none.
    Votes that can no longer change that are not asked for again.

    No agent leaves the mean at will: an item that came to no grade is asked once more with harmless text in place of
    what the agent brought. If that gets none either, it is the judge that failed; if it gets one, the item is *blamed*,
    and its judge gives the agent 0. Overflow, a refusal and a reply that cannot be read are blamed at once. What
    may be chance (an error of the server, a timeout, a lost connection) is asked for again first, ``attempts`` times,
    and a grade that comes then counts; if none comes, and the harmless text gets one once more, the item is blamed. A
    rate limit (429) never is. Of items that failed the same way one is asked about first, and the others only
    if that one gets a grade: an endpoint that is down costs one request more, not twice as many.

    Args:
        model: who grades.
        rubric: what is asked, and how replies are read.
        votes: how many replies are asked for to each item, from 1. They differ only where the model's
            temperature is above 0.
        attempts: how often one vote is asked for at most, from 1.

    Raises:
        InvalidArgument: for votes or attempts below 1.
    """

    def __init__(self, model: Model, rubric: Rubric[ItemT, GradeT], votes: int = 1, attempts: int = 3) -> None:
        for name, number in (("votes", votes), ("attempts", attempts)):
            check_whole(f"judge {rubric.name!r}: {name}", number)
        self._model, self.rubric, self.votes, self.attempts = model, rubric, votes, attempts

    @property
    def identity(self) -> Mapping[str, str]:
        """All that a grade depends on: ``name``, ``version``, ``prompt`` (SHA-256), ``parser``, ``votes``,
        ``attempts``, ``model``, and the rest of the model's identity as ``model_…``."""
        return {
            "name": self.rubric.name,
            "version": self.rubric.version,
            "prompt": self.rubric.digest,
            "parser": self.rubric.parser,
            "votes": str(self.votes),
            "attempts": str(self.attempts),
            **prefixed(self._model.identity),
        }

    def grade(
        self,
        items: Sequence[ItemT],
        still: Callable[[Mapping[ItemT, Graded[GradeT]]], Collection[ItemT]] | None = None,
    ) -> list[Graded[GradeT]]:
        """What came of each item, in order.

        Args:
            items: what is graded.
            still: told after each attempt what has come of every item; gives those that matter still.
                Others without a grade are not asked again. By default all matter.
        """
        votes: dict[ItemT, list[_Vote[GradeT]]] = {}
        found: dict[ItemT, Graded[GradeT]] = {}
        matter: Collection[ItemT] = ()
        waiting = [(item, sample) for item in dict.fromkeys(items) for sample in range(self.votes)]
        for attempt in range(1, self.attempts + 1):
            if not waiting:
                break
            for (item, sample), vote in zip(waiting, self._ask(waiting, attempt), strict=True):
                votes.setdefault(item, [])[sample : sample + 1] = [vote]
            for item in dict.fromkeys(item for item, _ in waiting):
                found[item] = self._count(votes[item], attempt)
            matter = set(found if still is None else still(found))
            waiting = [
                (item, sample)
                for item, each in votes.items()
                if item in matter and not self._settled(each)
                for sample, vote in enumerate(each)
                if not vote.final
            ]
        doubted = {
            item: neutral
            for item, graded in found.items()
            if graded.grade is None and item in matter
            if (neutral := self.rubric.neutral(item)) is not None and neutral != item
        }
        told = {item: neutral for item, neutral in doubted.items() if self._could_settle(votes[item])}
        readable = self._readable(told.values())
        self._blame([item for item, neutral in told.items() if neutral in readable], found)
        with suppress(CassetteMiss):  # a recording from before this was asked: what failed stays without a grade
            self._recheck({item: doubted[item] for item in doubted if item not in told}, found, votes)
        return [found[item] for item in items]

    def _recheck(
        self,
        doubted: Mapping[ItemT, ItemT],
        found: dict[ItemT, Graded[GradeT]],
        votes: dict[ItemT, list[_Vote[GradeT]]],
    ) -> None:
        """Asks again for items that failed by what may be chance, if harmless text in their place gets a grade."""
        alike: dict[str, list[ItemT]] = {}
        for item in doubted:
            kind = _kind(next(vote.reason for vote in votes[item] if vote.grade is None))
            if _BUSY not in kind:  # a rate limit says nothing of the text, and more requests would not help it
                alike.setdefault(kind, []).append(item)
        first = self._readable(doubted[each[0]] for each in alike.values())
        up = [item for each in alike.values() if doubted[each[0]] in first for item in each]
        readable = first | self._readable(doubted[item] for item in up if doubted[item] not in first)
        suspects = [item for item in up if doubted[item] in readable]
        for attempt in range(self.attempts + 1, 2 * self.attempts + 1):
            waiting = [
                (item, sample)
                for item in suspects
                if found[item].grade is None
                for sample, vote in enumerate(votes[item])
                if vote.grade is None
            ]
            if not waiting:
                break
            for (item, sample), vote in zip(waiting, self._ask(waiting, attempt), strict=True):
                votes[item][sample] = vote
            for item in dict.fromkeys(item for item, _ in waiting):
                found[item] = self._count(votes[item], attempt)
        failed = [item for item in suspects if found[item].grade is None]
        up_still = self._readable((doubted[item] for item in failed), 2)  # it may have gone down in between
        self._blame([item for item in failed if doubted[item] in up_still], found)

    def _blame(self, items: Iterable[ItemT], found: dict[ItemT, Graded[GradeT]]) -> None:
        for item in items:
            found[item] = found[item]._replace(blamed=True)

    def _readable(self, items: Iterable[ItemT], attempt: int = 1) -> set[ItemT]:
        """Those that get a grade when asked once."""
        asked = [(item, 0) for item in dict.fromkeys(items)]
        votes = self._ask(asked, attempt) if asked else []
        return {item for (item, _), vote in zip(asked, votes, strict=True) if vote.grade is not None}

    def _ask(self, waiting: Sequence[tuple[ItemT, int]], attempt: int) -> list[_Vote[GradeT]]:
        replies = self._model.complete(
            [
                Request(self.rubric.ask(item, attempt), sample, self.rubric.schema(item, attempt))
                for item, sample in waiting
            ]
        )
        return [self._read(reply, item, attempt) for (item, _), reply in zip(waiting, replies, strict=True)]

    def _read(self, reply: ModelReply | ModelFailure, item: ItemT, attempt: int) -> _Vote[GradeT]:
        if isinstance(reply, ModelFailure):
            return _Vote(None, reply.reason, not reply.answered, bool(reply.cause))
        if reply.finish == "length":
            return _Vote(None, f"attempt {attempt}: the reply was cut at its longest; raise max_tokens", False, True)
        grade = self.rubric.read(reply.text, item, attempt)
        if grade is None:
            shown = " ".join(reply.text.split())[-200:]
            return _Vote(
                None, f"attempt {attempt}: the reply holds no {self.rubric.sought}{QUOTED}{shown}", False, True
            )
        return _Vote(grade, "", True)

    def _settled(self, votes: Sequence[_Vote[GradeT]]) -> bool:
        """Whether votes that are still open can change nothing: there is a majority, or none can come."""
        most = self._counts(votes).most_common(1)
        leading = most[0][1] if most else 0
        still = sum(vote.grade is None and not vote.final for vote in votes)
        return leading * 2 > self.votes or (leading + still) * 2 <= self.votes

    def _could_settle(self, votes: Sequence[_Vote[GradeT]]) -> bool:
        """Whether there might be a majority but for votes that failed by what the item says."""
        told = sum(vote.told for vote in votes)
        return told > 0 and (max(self._counts(votes).values(), default=0) + told) * 2 > self.votes

    def _count(self, votes: Sequence[_Vote[GradeT]], attempt: int) -> Graded[GradeT]:
        grades = tuple(vote.grade for vote in votes)
        counts = self._counts(votes)
        for grade in grades:
            if grade is not None and counts[self.rubric.vote(grade)] * 2 > self.votes:
                return Graded(grade, "", grades, attempt)
        given = "; ".join(sorted(f"{grade!s:.80}: {count}" for grade, count in counts.items())) or "none"
        missing = grades.count(None)
        if (max(counts.values(), default=0) + missing) * 2 <= self.votes:
            lowest = min((grade for grade in grades if grade is not None), key=self.rubric.rank)
            return Graded(
                lowest, f"no majority among {self.votes} votes ({given}), so the lowest counts", grades, attempt
            )
        if self.votes == 1:
            return Graded(None, votes[0].reason, grades, attempt, not votes[0].final)
        failed = next((f"; {vote.reason}" for vote in votes if vote.reason), "")
        return Graded(None, f"no majority among {self.votes} votes ({given}){failed}", grades, attempt)

    def _counts(self, votes: Sequence[_Vote[GradeT]]) -> Counter[Hashable]:
        return Counter(self.rubric.vote(vote.grade) for vote in votes if vote.grade is not None)


_BUSY = "(429)"


def _kind(reason: str) -> str:
    """What a failure is, without what an endpoint says of one request, as "model 'm' at host: timeout: …" is told."""
    return ": ".join(reason.split(": ")[:2])


class ModelJudge(Generic[ItemT, GradeT]):
    """What judges share that put their questions to a chat model by one rubric.

    Attributes:
        name: its name.
        rubric_of: makes the rubric from a prompt file, or from ``None``.

    Args:
        model: who judges.
        prompt: a file in place of our prompt, as its rubric reads one.
        votes: how many replies are asked for to each question; more than half decide, else the lowest counts.
        attempts: how often one vote is asked for at most.

    Raises:
        InvalidArgument: for votes or attempts below 1.
        DataError: for a prompt file that cannot be used.
    """

    name: ClassVar[str]
    rubric_of: ClassVar[Callable[[str | Path | None], Rubric[Any, Any]]]
    concurrent = True

    def __init__(self, model: Model, prompt: str | Path | None = None, votes: int = 1, attempts: int = 3) -> None:
        rubric: Rubric[ItemT, GradeT] = type(self).rubric_of(prompt)
        self._grader = LLMGrader(model, rubric, votes, attempts)

    @property
    def identity(self) -> Mapping[str, str]:
        """As :attr:`LLMGrader.identity`."""
        return self._grader.identity


def no_verdict(graded: Graded[GradeT], judge: str) -> Verdict:
    """The verdict where there is no grade: 0 where that is the agent's doing, else unscored."""
    if not graded.blamed:
        return Verdict.unscored(graded.reason, judge)
    reason = f"what was answered keeps the judge from a verdict, another answer does not: {graded.reason}"
    return Verdict(UNJUDGEABLE, 0.0, reason, judge)


def score_by(
    submissions: Sequence[Submission],
    ruled: Iterable[Verdict | None],
    rest: Callable[[list[Submission]], Iterable[Verdict]],
) -> list[Verdict]:
    """One verdict for each submission, in order: what is ruled already, and what one more batch brings.

    Args:
        submissions: what is judged.
        ruled: of each, its verdict, or ``None`` where it is open still.
        rest: gives the verdicts of those that are open, in order.
    """
    verdicts = list(ruled)
    left = iter(rest([one for one, verdict in zip(submissions, verdicts, strict=True) if verdict is None]))
    return [next(left) if verdict is None else verdict for verdict in verdicts]
