"""The standard reward: its terms, and their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Submission, Verdict
from webenv.observations import Page
from webenv.rewards.ranking import GoldPages, address, ndcg, recall
from webenv.web import Failure, Missing

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

    A page whose fetching failed is known by its URL alone, so a term that another URL of it might change is
    left out: ``recall``, ``ndcg`` and ``citation``, unless they are 1 by the URLs that are known. Where such
    a term has a weight that is not 0 the episode is unscored: rescored when the web is back it gets its due.

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

    def terms(self, submissions: Sequence[Submission], verdicts: Sequence[Verdict]) -> list[dict[str, float] | Failure]:
        """The terms of each finished episode, all but ``cost``.

        Args:
            submissions: the finished episodes.
            verdicts: their verdicts, all scored.

        Returns:
            For each its terms, or why one that has a weight cannot be told.

        Raises:
            InvalidArgument: for a verdict without a value.
        """
        return [self._terms(one, verdict) for one, verdict in zip(submissions, verdicts, strict=True)]

    def _terms(self, submission: Submission, verdict: Verdict) -> dict[str, float] | Failure:
        if verdict.value is None:
            raise InvalidArgument(
                f"task {submission.task.id!r} is unscored ({verdict.explanation}); "
                "reward terms are of scored episodes alone."
            )
        gold = GoldPages(submission)
        terms = {"answer": verdict.value, **_found(submission, gold)}
        if gold.failure is not None:
            missing = [term for term in ("recall", "ndcg") if term not in terms and self._weights.get(term)]
            if missing:
                return Failure(f"{' and '.join(missing)} cannot be told, a gold page was not fetched: {gold.failure}")
        cited = _cited(submission)
        if not cited and isinstance(submission.page, Failure):
            if self._weights.get("citation"):
                return Failure(f"citation cannot be told, the answered page was not fetched: {submission.page.reason}")
            return terms
        return {**terms, "citation": float(cited)}


def _found(submission: Submission, gold: GoldPages) -> dict[str, float]:
    """Recall and NDCG, as far as they can be told."""
    if not gold.ids:
        return {}
    ranking = [gold.identify(page.url, page.key) for page in submission.seen]
    found = {"recall": recall(ranking, gold.ids), "ndcg": ndcg(ranking, gold.ids)}
    if gold.failure is None:
        return found
    return {term: value for term, value in found.items() if value == 1.0}


def _cited(submission: Submission) -> bool:
    """Whether the answered page had come before the agent."""
    if not submission.first or isinstance(submission.page, Missing):
        return False
    urls, key = {address(submission.first)}, ""
    if isinstance(submission.page, Page):
        urls.add(address(submission.page.url))
        key = submission.page.key
    return any(address(seen.url) in urls or (key and seen.key == key) for seen in submission.seen)
