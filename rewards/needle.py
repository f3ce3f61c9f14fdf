"""Needle in the Web: what an answer comes to, and its two judges.

The outcomes (Needle in the Web, section 3):

====================  =====  =========================================================
no_source             0      the agent answered that there is none, or nothing
unreachable           0      the answered page cannot be had
wrong_page            0      the page lacks a criterion
criteria_match        1      it meets every criterion, but not every unmasked claim
ground_truth_match    1      it meets every criterion and every unmasked claim
====================  =====  =========================================================

*Differs from* the released code, which judges an unreachable page as an empty one, takes a reply
that both accepts and rejects for an accept and an exhausted quota for a reject, and holds the
claims against the original page in place of the answered one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from webenv.judge import Submission, Verdict
from webenv.models import Model, is_too_long
from webenv.observations import Page
from webenv.rewards.criterion import Criterion, CriterionRubric, Ruling
from webenv.rewards.gold import GoldPages
from webenv.rewards.panel import QUOTED, Graded, Panel, score_by
from webenv.web import Failure, Missing

LONG_PAGE = 20_000
"""Characters; what every model that judges should be able to read, with its prompt."""

OUTCOMES: Mapping[str, float] = {
    "no_source": 0.0,
    "unreachable": 0.0,
    "wrong_page": 0.0,
    "criteria_match": 1.0,
    "ground_truth_match": 1.0,
}
"""The value of each outcome."""


def without_page(submission: Submission, judge: str) -> Verdict | None:
    """The verdict where there is no page to judge; ``None`` where there is one.

    No answer is ``no_source``, a page that the web lacks ``unreachable``; a page that could not
    be fetched, or was not, leaves the submission unscored.

    Args:
        submission: a finished episode.
        judge: who asks.
    """
    if not submission.first.strip():
        return Verdict("no_source", OUTCOMES["no_source"], "no page was answered", judge)
    page = submission.page
    if isinstance(page, Missing):
        reason = f"no page at {submission.first[:300]}: {page.reason}"
        return Verdict("unreachable", OUTCOMES["unreachable"], reason, judge)
    if isinstance(page, Failure):
        return Verdict.unscored(f"{submission.first[:300]} could not be fetched: {page.reason}", judge)
    if page is None:
        return Verdict.unscored(f"{submission.first[:300]} was not fetched; this judge needs the answered page", judge)
    return None


class PageJudge:
    """Whether the answered page is the gold page, or a copy of it; asks no model.

    Two pages are the same if they share a content key or a URL (compared as
    :func:`webenv.rewards.gold.address` does). It cannot see that another page meets the criteria
    too: that page is ``wrong_page`` here, and ``criteria_match`` never comes.

    A task whose every gold page is missing from the web cannot be solved there, whatever the
    agent answers: unscored, as the fault is the corpus's. A gold page that could not be fetched
    is known by its URL in the task alone: an answer that is no match stays unscored.
    """

    name = "page"
    asks = False

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` and ``version``."""
        return {"name": self.name, "version": "1"}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return [self._score(submission) for submission in submissions]

    def _score(self, submission: Submission) -> Verdict:
        task = submission.task
        if not task.gold.urls:
            return Verdict.unscored(f"task {task.id!r} has no gold page to compare with", self.name)
        fetched = dict(zip(task.gold.urls, submission.gold, strict=False))
        lacking = [url for url, came in fetched.items() if isinstance(came, Missing)]
        if len(lacking) == len(set(task.gold.urls)):
            return Verdict.unscored(f"the web lacks the gold page {lacking[0][:300]}; add it to the corpus", self.name)
        verdict = without_page(submission, self.name)
        if verdict is not None:
            return verdict
        if self._is_gold(submission):
            reason = "the answered page is the gold page or a copy of it"
            return Verdict("ground_truth_match", OUTCOMES["ground_truth_match"], reason, self.name)
        unknown = [url for url in task.gold.urls if not isinstance(fetched.get(url), Page)]
        if unknown:
            reason = f"the gold page {unknown[0][:300]} could not be had to compare the answer with"
            return Verdict.unscored(reason, self.name)
        reason = "the answered page is not the gold page; whether it meets the criteria too, this judge cannot see"
        return Verdict("wrong_page", OUTCOMES["wrong_page"], reason, self.name)

    @staticmethod
    def _is_gold(submission: Submission) -> bool:
        gold, page = GoldPages(submission), submission.page
        names = [gold.identify(submission.first)]
        if isinstance(page, Page):
            names.append(gold.identify(page.url, page.key))
        return any(name in gold.ids for name in names)


_Finding = Graded[Ruling]


class EntailmentJudge:
    """A chat model judges, criterion by criterion, whether the answered page meets them.

    One call for each criterion with the page's title and whole text; if all are met, one for each
    of the task's unmasked claims. All calls of a batch of submissions go out together, and so do
    the second attempts; a question that several submissions raise is put once. A reply that is no
    verdict (see :class:`webenv.rewards.criterion.CriterionRubric`), or that was cut at the
    model's longest reply, is asked for again. A model that could not be asked is not: it has
    retried by itself.

    One criterion that is clearly rejected makes a ``wrong_page``, whatever became of the other
    calls. Without a reject, a criterion or claim without a verdict leaves the submission
    unscored. Pages are never cut. One of more than :data:`LONG_PAGE` characters that the model refuses as
    longer than it can read is judged as :class:`PageJudge` does, by whether it is the gold page: no agent
    leaves the mean by answering with a page as long as can be. A shorter one is unscored, as the model is too
    small for the task. A task without claims can be no more than a ``criteria_match``, one without criteria is
    unscored.

    Source: Needle in the Web, section 3; its definition is *entailed*, its prompt asks *mentioned*.

    *Differs from* the paper, whose judge reads every page whole, for pages that the model refuses as too long.

    Args:
        model: who judges.
        variant: ``entailed`` or ``mentioned``.
        prompt: a file whose text replaces the variant's, such as the official prompt.
        attempts: how often one question is put at most, from 1.
        votes: how many replies are asked for to each question; more than half must agree.

    Raises:
        InvalidArgument: for an unknown variant, or attempts or votes below 1.
        DataError: for a prompt file that cannot be used.
    """

    name = "entailment"
    concurrent = True

    def __init__(
        self,
        model: Model,
        variant: str = "entailed",
        prompt: str | Path | None = None,
        attempts: int = 3,
        votes: int = 1,
    ) -> None:
        rubric = CriterionRubric(variant, prompt)
        self._panel, self._variant = Panel(model, rubric, votes, attempts), rubric.variant

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, variant, attempts, SHA-256 of the prompt, version of the parser, and the model's;
        ``votes`` where there are several."""
        panel = {name: value for name, value in self._panel.identity.items() if (name, value) != ("votes", "1")}
        return {**panel, "variant": self._variant}

    def score(self, submissions: Sequence[Submission]) -> list[Verdict]:
        """One verdict for each submission, in order."""
        return score_by(submissions, map(self._without_model, submissions), self._by_criteria)

    def _by_criteria(self, submissions: Sequence[Submission]) -> list[Verdict]:
        found = self._ask([_questions(one, one.task.criteria) for one in submissions])
        return score_by(submissions, map(self._on_criteria, submissions, found), self._by_claims)

    def _by_claims(self, submissions: Sequence[Submission]) -> list[Verdict]:
        found = self._ask([_questions(one, one.task.gold.claims) for one in submissions])
        return list(map(self._on_claims, submissions, found))

    def _without_model(self, submission: Submission) -> Verdict | None:
        verdict = without_page(submission, self.name)
        if verdict is None and not submission.task.criteria:
            return Verdict.unscored(f"task {submission.task.id!r} has no criteria to judge by", self.name)
        return verdict

    def _on_criteria(self, submission: Submission, findings: Sequence[_Finding]) -> Verdict | None:
        rejected = _first_reject(findings)
        if rejected is not None:
            reason = f"criterion {rejected + 1} is not met: {_why(findings[rejected])}"
            return Verdict("wrong_page", OUTCOMES["wrong_page"], reason, self.name)
        return self._open(submission, findings, "criterion")

    def _on_claims(self, submission: Submission, findings: Sequence[_Finding]) -> Verdict:
        rejected = _first_reject(findings)
        if rejected is not None:
            reason = f"all criteria are met; claim {rejected + 1} is not: {_why(findings[rejected])}"
            return Verdict("criteria_match", OUTCOMES["criteria_match"], reason, self.name)
        still = self._open(submission, findings, "claim")
        if still is not None:
            return still
        if not findings:
            reason = "all criteria are met; the task holds no claims to check"
            return Verdict("criteria_match", OUTCOMES["criteria_match"], reason, self.name)
        reason = "all criteria and all claims are met"
        return Verdict("ground_truth_match", OUTCOMES["ground_truth_match"], reason, self.name)

    def _open(self, submission: Submission, findings: Sequence[_Finding], what: str) -> Verdict | None:
        for number, finding in enumerate(findings, start=1):
            if finding.grade is None and _overflowed(submission, finding):
                (verdict,) = PageJudge().score([submission])
                reason = f"the page is too long for the model; {verdict.explanation}"
                return Verdict(verdict.outcome, verdict.value, reason, self.name)
            if finding.grade is None:
                return Verdict.unscored(f"no verdict on {what} {number}: {finding.reason}", self.name)
        return None

    def _ask(self, wanted: Sequence[Sequence[Criterion]]) -> list[list[_Finding]]:
        """The findings on each submission's questions; what a reject has settled is not asked again."""

        def still(found: Mapping[Criterion, _Finding]) -> list[Criterion]:
            undecided = (each for each in wanted if _first_reject([found[one] for one in each]) is None)
            return [question for each in undecided for question in each]

        findings = iter(self._panel.grade([question for each in wanted for question in each], still))
        return [[next(findings) for _ in each] for each in wanted]


def _questions(submission: Submission, criteria: Sequence[str]) -> list[Criterion]:
    page = submission.page
    if not isinstance(page, Page):
        return []
    text = page.text if page.text.startswith(page.title) else f"{page.title}\n\n{page.text}"
    return [Criterion(text, criterion) for criterion in criteria]


def _overflowed(submission: Submission, finding: _Finding) -> bool:
    """Whether the model refused a long page as longer than it can read."""
    page = submission.page
    said = finding.reason.partition(QUOTED)[0].lower()
    return isinstance(page, Page) and len(page.text) > LONG_PAGE and is_too_long(said)


def _why(finding: _Finding) -> str:
    return (finding.grade.reason[:500] if finding.grade else "") or "no reason given"


def _first_reject(findings: Sequence[_Finding]) -> int | None:
    """The place of the earliest reject: by attempt, then by order."""
    rejects = [
        (finding.attempt, place)
        for place, finding in enumerate(findings)
        if finding.grade is not None and not finding.grade.met
    ]
    return min(rejects)[1] if rejects else None
