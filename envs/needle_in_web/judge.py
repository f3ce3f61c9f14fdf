"""ExactJudge: knows what every page of a procedural web states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from webenv.envs.generated_tasks import GeneratedTask, TaskSource
from webenv.errors import UnknownTask
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.needle import OUTCOMES, without_page


class KnownNeedle(GeneratedTask, Protocol):
    """A task whose judge knows the facts."""

    def lacking(self, facts: Any, /) -> str:
        """The first criterion that facts of a page do not meet; empty where they meet all."""
        ...

    def stated(self, facts: Any, /) -> bool:
        """Whether facts of a page are the claims that the criteria were made of."""
        ...


def _why(submission: Submission, url: str, lacking: str) -> str:
    """Why a page is wrong: whether it is the false one that its task has, and what it does not say."""
    known = submission.task.gold.data
    honeypot, conflict = known.get("honeypot"), known.get("conflict")
    if isinstance(conflict, Mapping) and conflict.get("older") == url:
        return f"{conflict.get('newer')} is newer and says otherwise: {lacking}"
    if isinstance(honeypot, Mapping) and honeypot.get("url") == url:
        return f"the page, the honeypot at rank {honeypot.get('rank')} of the first search, does not say: {lacking}"
    return f"the page does not say: {lacking}"


class ExactJudge:
    """Knows, of every page of procedural webs, which criteria it meets; asks no model.

    A page that the web lacks is ``unreachable``. A copy meets what its original meets.

    Args:
        needles: what draws the tasks that it judges.
    """

    name = "exact"
    asks = False

    def __init__(self, needles: TaskSource[Any]) -> None:
        self._needles = needles

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, the webs whose facts it knows, and that it holds the key."""
        return {"name": self.name, "version": "1", "web": str(self._needles.worlds), "holds": "key"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return [self._score(submission) for submission in submissions]

    def _score(self, submission: Submission) -> Verdict:
        try:
            needle: KnownNeedle = self._needles.find(submission.task.id)
            web = self._needles.generator(self._needles.place(submission.task.id).world).web
        except UnknownTask as error:
            return Verdict.unscored(str(error), self.name)
        verdict = without_page(submission, self.name)
        if verdict is not None:
            return verdict
        page = submission.page
        number = web.find(page.url if isinstance(page, Page) else submission.first)
        if number is None:
            reason = f"{submission.first[:300]} is no page of {web.config}; judge it on the web that the task is of"
            return Verdict.unscored(reason, self.name)
        facts = web.facts(number)
        lacking = needle.lacking(facts)
        if lacking:
            return self._verdict("wrong_page", _why(submission, web.planner.head(number).url, lacking))
        if needle.stated(facts):
            return self._verdict("ground_truth_match", "the page states every claim")
        return self._verdict("criteria_match", "the page meets every criterion, but states other facts")

    def _verdict(self, outcome: str, reason: str) -> Verdict:
        return Verdict(outcome, OUTCOMES[outcome], reason, self.name)
