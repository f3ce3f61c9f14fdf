"""ExactJudge: knows what every page of a procedural web states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.envs.generated_tasks import TaskSource
from webenv.envs.needle_in_web.generate import Needle
from webenv.errors import UnknownTask
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.needle import OUTCOMES, without_page


class ExactJudge:
    """Knows, of every page of procedural webs, which criteria it meets; asks no model.

    A page that the web lacks is ``unreachable``. A copy meets what its original meets.

    Args:
        needles: what draws the tasks that it judges.
    """

    name = "exact"
    asks = False

    def __init__(self, needles: TaskSource[Needle]) -> None:
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
            needle = self._needles.find(submission.task.id)
            web = self._needles.web(self._needles.place(submission.task.id).world)
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
        lacking = [criterion.text for criterion in needle.criteria if not criterion.pattern.met(facts)]
        if lacking:
            return self._verdict("wrong_page", f"the page does not say: {lacking[0]}")
        stated = {fact[1:5] for fact in facts}
        if all(criterion.fact[1:5] in stated for criterion in needle.criteria):
            return self._verdict("ground_truth_match", "the page states every claim")
        return self._verdict("criteria_match", "the page meets every criterion, but states other facts")

    def _verdict(self, outcome: str, reason: str) -> Verdict:
        return Verdict(outcome, OUTCOMES[outcome], reason, self.name)
