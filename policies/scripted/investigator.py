"""InvestigatorPolicy: searches every criterion, reads sentence by sentence, and follows whoever fits best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.actions import Kind, answer, search, visit
from webenv.policies.scripted.page_evidence import PageEvidence
from webenv.policy import Decision, History
from webenv.query_terms import query_of
from webenv.web import Failure

_FIRST = 4  # pages read after the first searches
_ROUND = 2  # pages read after each later one
_PROMISE = 0.5  # how much of the criteria somebody's sentences must cover to be searched for by name


class InvestigatorPolicy:
    """A patient reader of plain-English criteria, on any web, without a language model.

    It searches all criteria together and one by one; reads the pages whose snippets promise most; counts of each
    sentence only what it says of one name (the sentence has it, or goes on about it with a pronoun), weighing words by
    how rare they are on what was seen; searches for the name that fits best with the words it lacks, reads on, and
    answers the page on which one name meets most of all criteria. Of words it knows what any reader does: stop words,
    endings, number words, decades and round figures.
    """

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "investigator", "version": "5"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision:
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        evidence = PageEvidence(history)
        last = history.decisions[-1].action.kind if history.decisions else None
        if turns > 1 and (visits or not evidence.seen):
            if last is None and searches:
                queries = [query_of(text) for text in (" ".join(evidence.criteria), *evidence.criteria)]
                keep = 2 if visits else 0  # for names that come up
                return Decision(search(*dict.fromkeys(queries[: max(1, searches - keep)])), thought="search")
            if last == Kind.VISIT and searches and turns > 2:
                query = evidence.follow_up(_PROMISE)
                if query:
                    return Decision(search(query), thought="search whoever fits best")
            pages = evidence.promising()[: min(visits, _FIRST if last == Kind.SEARCH and not evidence.read else _ROUND)]
            if pages:
                return Decision(visit(*pages), thought="read")
        return Decision(answer(evidence.best()), thought="answer")
