"""Rankings: recall and NDCG with binary relevance, their judge, and gold pages by every URL and key they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log2

from webenv.errors import InvalidArgument
from webenv.judge import RuleJudge, Submission, Verdict
from webenv.observations import Page
from webenv.urls import address
from webenv.web import Failure


def recall(ranking: Sequence[str], gold: Iterable[str], k: int | None = None) -> float:
    r"""The share of the gold documents that stand among the first ``k`` of a ranking.

    .. math:: R@k = |\{d_1, \dots, d_k\} \cap G| \,/\, |G|

    A document that a ranking repeats counts where it stands first; the repeat is dropped and
    takes no rank. No gold: 0. An empty ranking: 0.

    Args:
        ranking: document ids, best first.
        gold: the relevant ids, in any order; repeats are one.
        k: how many ranks count, at least 1; ``None``: all.

    Returns:
        0 to 1.

    Raises:
        InvalidArgument: if ``k`` is not a whole number from 1.

    >>> recall(["a", "x", "a", "b"], ["a", "b", "c"], k=3)
    0.6666666666666666
    """
    relevant = set(gold)
    found = relevant.intersection(_first(ranking, k))
    return len(found) / len(relevant) if relevant else 0.0


def ndcg(ranking: Sequence[str], gold: Iterable[str], k: int | None = None) -> float:
    r"""Normalised discounted cumulative gain, with binary relevance.

    .. math::
        DCG@k = \sum_{r=1}^{k} \frac{[d_r \in G]}{\log_2(r + 1)}, \qquad
        NDCG@k = DCG@k \Big/ \sum_{r=1}^{\min(|G|, k)} \frac{1}{\log_2(r + 1)}

    (Järvelin and Kekäläinen, 2002.) A document that a ranking repeats counts where it stands
    first; the repeat is dropped and takes no rank. No gold: 0. An empty ranking: 0.

    Args:
        ranking: document ids, best first.
        gold: the relevant ids, in any order; repeats are one.
        k: how many ranks count, at least 1; ``None``: all.

    Returns:
        0 to 1.

    Raises:
        InvalidArgument: if ``k`` is not a whole number from 1.

    One of two gold documents, at rank 2: (1 / log2 3) / (1 + 1 / log2 3).

    >>> round(ndcg(["x", "a"], ["a", "b"], k=3), 4)
    0.3869
    """
    relevant = set(gold)
    gains = sum(1 / log2(rank + 1) for rank, name in enumerate(_first(ranking, k), start=1) if name in relevant)
    most = len(relevant) if k is None else min(len(relevant), k)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, most + 1))
    return gains / ideal if relevant else 0.0


def _first(ranking: Sequence[str], k: int | None) -> list[str]:
    """The first ``k`` ids of a ranking, without repeats."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise InvalidArgument(f"k={k!r}: expected a whole number from 1, or None for the whole ranking.")
    return list(dict.fromkeys(ranking))[:k]


class GoldPages:
    """The gold pages of a submission.

    Each is known by its URL in the task, by the URL and the key of the page that came of fetching
    it (a redirect or an alias leads to another URL; copies share a key). Gold URLs that turn out
    to be one page are one. Where fetching failed (:attr:`failure`) it is known by its URL alone.

    Args:
        submission: whose gold.
    """

    def __init__(self, submission: Submission) -> None:
        self.failure = next((one.reason for one in submission.gold if isinstance(one, Failure)), None)
        """Why a gold page could not be fetched; ``None`` where none failed."""
        self._names: dict[str, str] = {}  # address or key → the gold page's own name
        for number, url in enumerate(submission.task.gold.urls):
            fetched = submission.gold[number] if number < len(submission.gold) else None
            names = [f"url {address(url)}"]
            if isinstance(fetched, Page):
                names += _names(fetched.url, fetched.key)
            known = [self._names[name] for name in names if name in self._names]
            own = known[0] if known else f"gold {number}"
            self._names.update((name, own) for name, old in list(self._names.items()) if old in known)
            self._names.update((name, own) for name in names)

    @property
    def ids(self) -> tuple[str, ...]:
        """One id for each gold page, in the order of the task."""
        return tuple(dict.fromkeys(self._names.values()))

    def identify(self, url: str, key: str = "") -> str:
        """An id for any page: a gold page's own, wherever it stands; else one that copies share.

        Args:
            url: the page's URL.
            key: its content key; empty: not known.
        """
        return self.identify_each([(address(url), key)])[0]

    def identify_each(self, pages: Iterable[tuple[str, str]]) -> list[str]:
        """As :meth:`identify`, of pages by their addresses (:func:`webenv.urls.address`) and keys."""
        ids = []
        for place, key in pages:
            name = "url " + place
            own = self._names.get(name)
            if own is None and key:
                name = "key " + key
                own = self._names.get(name)
            ids.append(own or name)
        return ids


class Ranked:
    """What an episode ranked, and the gold it is held against.

    Args:
        submission: the episode.

    Attributes:
        gold: the gold pages.
        gold_ids: one id for each gold page.
        addresses: of the pages that came before the agent.
        ranking: ids of the pages that are ranked, as :meth:`GoldPages.identify` gives them: those of the answer, where
            the answer is a ranking (and none where none was given); else those that came before the agent, in the order
            of first sight.
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.gold = GoldPages(submission)
        self.gold_ids = self.gold.ids
        self.addresses = [address(page.url) for page in submission.seen]
        seen = list(zip(self.addresses, [page.key for page in submission.seen], strict=True))
        self.ranking = self._answered(dict(seen)) if submission.ranked else self.gold.identify_each(seen)

    def _answered(self, keys: Mapping[str, str]) -> list[str]:
        one, gold, ids = self.submission, self.gold, []
        for place, text in enumerate(one.answer):
            page = one.pages[place] if one.pages else None
            name = gold.identify(text, keys.get(address(text), ""))
            if isinstance(page, Page) and name not in self.gold_ids:
                name = gold.identify(page.url, page.key)
            ids.append(name)
        return ids

    @property
    def unknown(self) -> str:
        """Why a page that was not fetched might be in the ranking under another name; empty where all is known."""
        if self.gold.failure is not None:
            return f"a gold page was not fetched: {self.gold.failure}"
        failed = next((page for page in self.submission.pages if isinstance(page, Failure)), None)
        return f"an answered page was not fetched: {failed.reason}" if failed and self.submission.ranked else ""


CUTOFFS = (1, 3, 5)
"""The ranks at which AgentWebBench's release measures; its paper prints 3 and 5."""


class RankingJudge(RuleJudge):
    """Scores a ranking of pages by NDCG and recall at 1, 3 and 5; asks no model.

    Gold: ``urls``. The value of a verdict is NDCG@5; the outcome is ``found`` where that is 1, ``missed`` where no gold
    page is among the first 5, else ``partial``; the scores are ``ndcg@1`` to ``recall@5``. A ranking that is empty, or
    was never given, has 0 everywhere; unknown ids take their ranks, repeats are dropped. A task without gold pages is
    unscored, and so is one whose gold page could not be fetched, unless the ranking is perfect by what is known.

    Source: AgentWebBench, sections 3.3.1 and 3.3.2.

    *Differs from* the release, which counts a repeated id each time, so that both measures can pass 1, and leaves a
    query whose result file is missing out of the mean.
    """

    name = "ranking"

    def _score(self, submission: Submission) -> Verdict:
        task, ranked = submission.task, Ranked(submission)
        if not ranked.gold_ids:
            return Verdict.unscored(f"task {task.id!r} has no gold page to rank", self.name)
        measures = {"ndcg": ndcg, "recall": recall}
        scores = {
            f"{name}@{k}": of(ranked.ranking, ranked.gold_ids, k) for name, of in measures.items() for k in CUTOFFS
        }
        value = min(1.0, scores["ndcg@5"])
        if value < 1.0 and ranked.unknown:
            return Verdict.unscored(ranked.unknown, self.name)
        shown = list(dict.fromkeys(ranked.ranking))
        found = [rank for rank, name in enumerate(shown, start=1) if name in ranked.gold_ids]
        outcome = "found" if value == 1.0 else "partial" if value else "missed"
        reason = f"{len(found)} of {len(ranked.gold_ids)} gold pages in a ranking of {len(shown)}"
        if found:
            reason += f", at rank{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
        return Verdict(outcome, value, reason, self.name, scores)


def _names(url: str, key: str) -> list[str]:
    return [f"url {address(url)}", f"key {key}"] if key else [f"url {address(url)}"]
