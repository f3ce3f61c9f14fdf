"""Rules: what a benchmark decides about its episodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from webenv.errors import check_whole
from webenv.judge import Verdict
from webenv.spaces import LIMITS


def _stripped(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.strip() for text in texts if text.strip())


@dataclass(frozen=True, slots=True)
class Rules:
    """What a benchmark decides about its episodes.

    A *bad* action is one that the rules do not allow: no action at all, an empty or over-long
    text, an unseen URL where only seen ones may be visited, more than the budget has left. It
    never raises. ``"notice"``: nothing of it is done, the turn is spent, and the next
    observation's notice says what was wrong. ``"fail"``: the episode ends without an answer.

    Attributes:
        results: the most results (documents) for one query.
        page_characters: the longest page text shown; a longer one loses its end.
        whole_results: whether a search brings the pages that it found with it, whole: a web of such a benchmark gives
            a page's text as the result's snippet (:class:`webenv.corpora.sites.WholeTexts`).
        keep_pages: whether the judge gets the pages that came before the agent with their texts: citations are held
            against them.
        invalid: what a bad action does, other than the two that follow.
        overrun: what an action does that wants more than the budget has left; it is refused whole.
        unseen: what a visit does to a URL that never came before the agent: ``"allow"`` fetches it,
            ``"notice"`` charges it and says that it is not available.
        fetch_answer: whether the texts of an answer are URLs, whose pages are fetched for the judge.
        read_answer: what of the texts of an answer action is judged; nothing: no answer is meant. By default all
            that are not blank, stripped.
        answers: the most texts an answer may have; with more than one the answer is a ranking, best first. What
            ranks too many is a bad action; unknown and repeated texts are the judge's to see (metrics drop repeats).
        unanswered: the outcome of an episode that ends without an answer; empty: its ending.
        endings: the benchmark's own words for endings, shown in ``info["ending"]`` alone: ``answered``,
            ``no_action``, ``unknown_action`` (a kind that there is not), ``invalid_action`` (the two before as well,
            where they are not named), ``search_overrun``, ``visit_overrun``, ``ask_overrun``, ``out_of_turns``,
            ``out_of_seconds``, ``out_of_dollars``, ``web_failed``, ``out_of_time`` (by a clock), ``policy_failed``,
            ``cut_off`` (from outside). Records hold these words
            of the house, so that a run can be judged by the rules of another benchmark without renaming anything.

    Raises:
        InvalidArgument: for a number that is no whole number from 1.
    """

    results: int = 10
    page_characters: int = LIMITS["text"]
    whole_results: bool = False
    keep_pages: bool = False
    invalid: Literal["notice", "fail"] = "notice"
    overrun: Literal["notice", "fail"] = "notice"
    unseen: Literal["allow", "notice"] = "allow"
    fetch_answer: bool = False
    read_answer: Callable[[tuple[str, ...]], tuple[str, ...]] = _stripped
    answers: int = 1
    unanswered: str = ""
    endings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("results", "page_characters", "answers"):
            check_whole(f"Rules {name}", getattr(self, name))

    def ending(self, word: str) -> str:
        """What the benchmark calls an ending.

        >>> Rules(endings={"answered": "proper_finish"}).ending("answered"), Rules().ending("no_action")
        ('proper_finish', 'no_action')
        """
        general = "invalid_action" if word in ("no_action", "unknown_action") else word
        return self.endings.get(word) or self.endings.get(general, word)

    def without_answer(self, ending: str) -> Verdict:
        """The verdict on an episode that ended without an answer, unless its judge cannot score the task at all.

        Args:
            ending: the house's word.
        """
        outcome = self.unanswered or ending
        return Verdict(outcome, 0.0, f"ended without an answer: {ending.replace('_', ' ')}", "rules")
