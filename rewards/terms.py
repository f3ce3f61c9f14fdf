"""The standard reward: its terms, and their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.gold import GoldPages, address
from webenv.rewards.ranking import ndcg, recall
from webenv.web import Missing

__all__ = ["TERMS", "StandardReward"]

TERMS = ("answer", "recall", "ndcg", "citation", "cost")
"""The terms that a reward may weigh."""

_MOST = 1e100


class StandardReward:
    """A weighted sum of what an episode achieved.

    ========  ======  =================================================================
    answer    0 to 1  the value of the verdict
    recall    0 to 1  share of the gold pages that came before the agent
    ndcg      0 to 1  NDCG of the pages that came before the agent, in that order
    citation  0 or 1  1 if the page that it answered had come before it, as a result, a
                      page or a document; 0 if not, or if it answered none
    cost      −1 to 0 minus the share of searches, visits and asks that a step spent;
                      the environment computes it, step by step
    ========  ======  =================================================================

    A page is the same page under each of its URLs, and so are its copies (pages of one content
    key). A page that the web turned out to lack is never cited. Tasks without gold pages have no
    ``recall`` and no ``ndcg``: nothing was to be found, which is not the same as finding nothing.

    Args:
        weights: the weight of each term, any finite number. A term that is not named keeps its
            own: 1 for ``answer``, 0 for the others, which are computed all the same.

    Raises:
        InvalidArgument: for an unknown term, or a weight that is no finite number.
    """

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        if weights is not None and not isinstance(weights, Mapping):
            raise InvalidArgument(f"weights={weights!r:.80}: expected a mapping, as in {{'recall': 0.2, 'cost': 0.1}}.")
        given = {"answer": 1.0, **(weights or {})}
        for term, weight in given.items():
            if term not in TERMS:
                raise InvalidArgument(f"the reward has no term {term!r}. {did_you_mean(str(term), TERMS)}")
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not -_MOST < weight < _MOST:
                raise InvalidArgument(f"weight of {term!r} is {weight!r}: expected a finite number.")
        self._weights = {term: float(weight) for term, weight in given.items()}

    @property
    def weights(self) -> Mapping[str, float]:
        """The weight of each term that has one."""
        return MappingProxyType(self._weights)

    def terms(self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]) -> list[dict[str, float]]:
        """The terms of each finished episode, all but ``cost``.

        Args:
            submissions: the finished episodes.
            verdicts: their verdicts, all scored.

        Raises:
            InvalidArgument: for a verdict without a value.
        """
        return [self._terms(one, verdict) for one, verdict in zip(submissions, verdicts, strict=True)]

    def _terms(self, submission: Submission, verdict: Verdict) -> dict[str, float]:
        if verdict.value is None:
            raise InvalidArgument(
                f"task {submission.task.id!r} is unscored ({verdict.explanation}); "
                "reward terms are of scored episodes alone."
            )
        terms = {"answer": verdict.value}
        gold = GoldPages(submission)
        if gold.ids:
            ranking = [gold.identify(page.url, page.key) for page in submission.seen]
            terms["recall"] = recall(ranking, gold.ids)
            terms["ndcg"] = ndcg(ranking, gold.ids)
        terms["citation"] = float(_cited(submission))
        return terms


def _cited(submission: Submission) -> bool:
    """Whether the answered page had come before the agent."""
    if not submission.answer or isinstance(submission.page, Missing):
        return False
    urls, key = {address(submission.answer)}, ""
    if isinstance(submission.page, Page):
        urls.add(address(submission.page.url))
        key = submission.page.key
    return any(address(seen.url) in urls or (key and seen.key == key) for seen in submission.seen)
