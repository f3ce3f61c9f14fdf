"""InvestigatorPolicy: what to search, read and look up next, until the visits are spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from webenv.actions import answer, search, visit
from webenv.policies.scripted.page_evidence import PageEvidence
from webenv.policies.scripted.reading import tokens
from webenv.policy import Decision, History
from webenv.web import Failure

_FIRST = (4, 3)  # pages read before words are looked up; by one who was given meanings
_ROUND = (2, 1)  # pages read between later searches


class InvestigatorPolicy:
    """A patient reader without a language model.

    It searches all criteria together and one by one; reads the best pages clause by clause, and
    counts a clause only for what it says of the page's own subject (its title, its kind, a
    pronoun), not of its neighbours; looks up the words that no page had by searching the web for
    them, and takes what stands beside them for near in meaning; learns from clauses that say the
    same how else a criterion may be said; searches for pages that have all the words that tell
    pages apart, and reads on; and answers the page whose clauses cover the criteria best. Of words
    it knows what any reader does: stop words, plurals and other endings, decades and ranges of
    numbers, and turns such as "had something to do with" that leave open what is meant.

    Args:
        meanings: words and phrases, each with what else may stand for them; none by default.
    """

    def __init__(self, meanings: Mapping[str, Sequence[str]] | None = None) -> None:
        self._informed = meanings is not None
        self._meanings = {" ".join(tokens(text)): tuple(near) for text, near in (meanings or {}).items()}

    @property
    def identity(self) -> Mapping[str, str]:
        """``name`` ("informed investigator" where meanings were given) and ``version``."""
        return {"name": "informed investigator" if self._informed else "investigator", "version": "4"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [self._decide(history) for history in histories]

    def _decide(self, history: History) -> Decision:
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        evidence = PageEvidence(history, self._meanings)
        done = [decision.memory for decision in history.decisions]
        if turns > 1 and (visits or not evidence.rank):
            for step in evidence.next(done[-1] if done else ""):
                texts: list[str] = []
                if step == "search":
                    texts = evidence.queries()[:searches]
                elif step == "look up":
                    texts = evidence.unknown()[: max(0, searches - len(evidence.sought) - 1)]
                elif step == "search again":
                    texts = evidence.sharpened()[: min(searches, 1)]
                else:
                    texts = evidence.promising()[: min(visits, (_FIRST if step == "read" else _ROUND)[self._informed])]
                if texts:
                    act = visit if step in ("read", "read on") else search
                    return Decision(act(*dict.fromkeys(texts)), thought=step, memory=step)
        return Decision(answer(evidence.best()), thought="answer")
