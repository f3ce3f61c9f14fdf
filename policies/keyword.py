"""KeywordPolicy: searches the criteria, reads what recurs, and answers what covers them best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.actions import Action, Kind, answer, search, visit
from webenv.errors import InvalidArgument
from webenv.policies.news import keyword as news
from webenv.policies.news.question import is_news
from webenv.policy import Decision, History
from webenv.query_terms import content_words, criteria_of, query_of, words_of
from webenv.web import Failure


class KeywordPolicy:
    """A search engine's user without a language model.

    It searches all criteria of the question together, then one by one, each in a turn of its own;
    visits in one turn the results that recur over the searches and rank best; and answers the
    page whose known text covers most of the criteria's content words. It keeps to the budget that
    it is shown, leaves a turn to visit and a turn to answer, and answers by the last turn:
    "No source found." where nothing was found.

    A question about the news it plays by :mod:`webenv.policies.news.keyword`: it takes the name, day
    or figure of the asked sort that stands oftenest among the words of the question.

    Criteria are the lines that begin with ``- ``; in a question without any, each line, or each
    sentence of a single line.

    Args:
        visits: the most pages that it reads, at least 0.

    Raises:
        InvalidArgument: if ``visits`` is not a whole number from 0.
    """

    def __init__(self, visits: int = 5) -> None:
        if isinstance(visits, bool) or not isinstance(visits, int) or visits < 0:
            raise InvalidArgument(f"KeywordPolicy(visits={visits!r}): expected a whole number from 0.")
        self._visits = visits

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version`` and ``visits``."""
        return {"name": "keyword", "version": "2", "visits": str(self._visits)}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One decision for each history, in order."""
        return [Decision(self._decide(history)) for history in histories]

    def _decide(self, history: History) -> Action:
        question = history.observations[0]["question"]
        if is_news(question):
            return news.decide(history, self._visits)
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        criteria = criteria_of(question)
        read = any(decision.action.kind == Kind.VISIT for decision in history.decisions)
        if not read and turns > 1:
            query = _next_query(criteria, history) if searches > 0 else ""
            may_read = min(visits, self._visits)
            if query and (turns > 1 + bool(may_read) or not _ranked(history)):
                return search(query)
            promising = _ranked(history)[:may_read]
            if promising:
                return visit(*promising)
        return answer(_best(criteria, history))


def _next_query(criteria: Sequence[str], history: History) -> str:
    """The first query of the plan that was not searched; empty when all were."""
    plan = [query_of(text) for text in dict.fromkeys((" ".join(criteria), *criteria))]
    done = {text for decision in history.decisions for text in decision.action.arguments}
    return next((query for query in plan if query and query not in done), "")


def _ranked(history: History) -> list[str]:
    """The URLs that were found, best first: the sum over searches of 1 / (10 + rank), ties by first sight."""
    scores: dict[str, float] = {}
    for observation in history.observations:
        for rank, result in enumerate(observation["results"], start=1):
            scores[result["url"]] = scores.get(result["url"], 0.0) + 1 / (10 + rank)
    return sorted(scores, key=lambda url: -scores[url])


def _best(criteria: Sequence[str], history: History) -> str:
    """The URL whose known text covers most: the mean over criteria of the share of content words."""
    wanted = [words for words in map(content_words, criteria) if words]
    texts: dict[str, list[str]] = {url: [] for url in _ranked(history)}
    for observation in history.observations:
        for result in observation["results"]:
            texts[result["url"]] += [result["title"], result["snippet"]]
        for page in observation["pages"]:
            texts.setdefault(page["url"], []).extend((page["title"], page["text"]))
    best, most = "No source found.", -1.0
    for url, parts in texts.items():
        words = set(words_of(" ".join(parts)))
        covered = sum(len(words & of) / len(of) for of in wanted)
        if covered > most:
            best, most = url, covered
    return best
