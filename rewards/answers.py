"""Short answers judged by rules: normalised text, token F1, numbers, aliases. No model is asked.

All of it is strict on purpose: whatever an answer says beside the gold makes it another answer.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from webenv.judge import RuleJudge, Submission, Verdict
from webenv.rewards.normal_form import LONGEST, normalise, unwrapped
from webenv.rewards.numbers import number_match

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_TOKEN = re.compile(rf"\d{{4}}-\d\d(?:-\d\d)?|-?\d+(?:\.\d+)?|[{_CJK}]|[^\s{_CJK}]+")


def exact_match(answer: str, golds: Iterable[str]) -> bool:
    """Whether an answer is one of the golds, both normalised; what normalises to nothing matches nothing.

    >>> exact_match("the Beatles!", ["Beatles", "The Fab Four"]), exact_match("Beatles or Stones", ["Beatles"])
    (True, False)
    """
    said = normalise(answer)
    return bool(said) and any(said == normalise(gold) for gold in golds)


def token_f1(answer: str, golds: Iterable[str]) -> float:
    r"""SQuAD's F1: the harmonic mean of token precision and recall against the nearest gold.

    .. math:: F_1 = \max_g \frac{2\,|A \cap G_g|}{|A| + |G_g|}

    with bags of words, split at spaces, of texts in lower case without ASCII punctuation and articles (SQuAD 1.1's
    ``evaluate-v1.1.py``; Rajpurkar et al., 2016). Where answer or gold has no token: 0.

    Returns:
        0 to 1.

    >>> token_f1("The Cat's pyjamas", ["cats pyjamas", "a dog"]), token_f1("in 1,234.5 km", ["12345 km"])
    (1.0, 0.8)
    """
    return _f1(_squad_tokens(answer), map(_squad_tokens, golds))


def strict_token_f1(answer: str, golds: Iterable[str]) -> float:
    r"""As :func:`token_f1`, over the tokens of the normal form (:func:`webenv.rewards.normal_form.normalise`).

    Dates and numbers are one token each however they are written, signs and decimals count, an article counts but at
    the beginning, and every Chinese, Japanese or Korean character is a token, where SQuAD has one for a whole sentence.

    Returns:
        0 to 1.

    Two of three tokens, of two in the gold: 2 · 2 / (3 + 2).

    >>> strict_token_f1("the old stone mill", ["stone mill", "water wheel"])
    0.8
    """
    return _f1(_TOKEN.findall(normalise(answer)), (_TOKEN.findall(normalise(gold)) for gold in golds))


def answer_scores(answer: str, golds: Sequence[str]) -> dict[str, float]:
    """What the verdict on a short answer holds beside its value: ``f1`` and ``strict_f1``."""
    return {"f1": token_f1(answer, golds), "strict_f1": strict_token_f1(answer, golds)}


def _f1(answer: Iterable[str], golds: Iterable[Iterable[str]]) -> float:
    said, best = Counter(answer), 0.0
    for gold in golds:
        meant = Counter(gold)
        if said and meant:
            best = max(best, 2 * (said & meant).total() / (said.total() + meant.total()))
    return best


def _squad_tokens(text: str) -> list[str]:
    return _SQUAD_ARTICLE.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def alias_match(answer: str, golds: Iterable[str]) -> bool:
    """Whether an answer is any of the golds: the same text after normalisation, or the same number.

    A gold that is a whole number written out must be met exactly.

    >>> alias_match("$1.5 million", ["1.5 million dollars", "$1,500,000"]), alias_match("NYC, LA", ["NYC"])
    (True, False)
    """
    every = list(golds)
    return exact_match(answer, every) or any(number_match(answer, gold, whole="exact") for gold in every)


NO_SCORES: Mapping[str, float] = {"f1": 0.0, "strict_f1": 0.0}
"""The scores where nothing was answered."""

OUTCOMES: Mapping[str, float] = {"correct": 1.0, "incorrect": 0.0, "not_attempted": 0.0}
"""The value of each outcome (SimpleQA's three grades)."""

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SQUAD_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_FRAME = re.compile(
    r"[\W_]*(?:(?:the\s+)?(?:(?:final|correct)[\W_]+)?answer(?:[\W_]+(?:is|was))?(?![^\W_])"
    r"|it[\W_]+(?:is|was)(?![^\W_])|it['’]s\s|(?:最终|正确)?答案(?:是|为|[:：]))[\s:：*_`]*",
    re.IGNORECASE,
)
"""What may stand before an answer."""

_DECLINED = frozenset(
    normalise(text)
    for text in (
        "I don't know", "I do not know", "Don't know", "Unknown", "Not known", "Unanswerable", "No answer", "N/A",
        "I cannot answer", "I can't answer", "I cannot answer this question", "Not found", "No answer found",
        "I could not find the answer", "I couldn't find the answer", "Unable to answer", "Unable to determine",
        "Cannot be determined", "Not sure", "I am not sure", "I'm not sure", "不知道",
    )
)  # fmt: skip


class AnswerJudge(RuleJudge):
    """Whether an answer is the gold or an alias of it, by rules.

    ``correct``: the whole answer is one of ``task.gold.answers`` after normalisation, or the same number
    (:func:`webenv.rewards.answers.alias_match`). ``not_attempted``: nothing was answered, or a plain
    statement that the answer is not known. ``incorrect``: all else. A task without gold answers is unscored.

    It is strict on what surrounds the gold: an answer that lists several candidates, hedges, explains, or
    holds the gold among other words is incorrect, so nothing is won by saying more. The one exception is a
    frame of a closed list before the answer ("The answer is …", "It was …", "Answer: …", "答案是…"): what follows it
    must be the gold to the last word, so it can hide no second candidate and no hedge.

    Scores: ``f1``, SQuAD's (:func:`token_f1`), and ``strict_f1`` (:func:`strict_token_f1`).

    *Differs from* SimpleQA's rule, which a model applies: there a gold within a longer answer counts, and
    typos in names are forgiven.
    """

    name, version = "answer", "2"

    def _score(self, submission: Submission) -> Verdict:
        verdict = without_answer(submission, self.name, LONGEST, scores=NO_SCORES)
        if verdict is not None:
            return verdict
        outcome, reason = _outcome(submission.text, gold_answers(submission))
        scores = answer_scores(submission.text, gold_answers(submission))
        return Verdict(outcome, OUTCOMES[outcome], reason, self.name, scores)


def gold_answers(submission: Submission) -> tuple[str, ...]:
    """The gold answers of a submission's task that hold anything, each once."""
    return tuple(dict.fromkeys(gold for gold in submission.task.gold.answers if gold.strip()))


def without_answer(
    submission: Submission,
    judge: str,
    longest: int,
    empty: str = "not_attempted",
    scores: Mapping[str, float] | None = None,
) -> Verdict | None:
    """The verdict where there is nothing to hold an answer against, or no answer to judge; ``None`` where there is.

    Args:
        submission: a finished episode.
        judge: who asks.
        longest: the most characters of an answer; one that is longer is ``incorrect``.
        empty: the outcome where nothing was answered, of value 0.
        scores: what such a verdict holds beside its value, so that silence raises no mean.
    """
    if not gold_answers(submission):
        return Verdict.unscored(f"task {submission.task.id!r} has no gold answer to judge by", judge)
    if not submission.text.strip():
        return Verdict(empty, 0.0, "nothing was answered", judge, scores or {})
    if (length := len(submission.text)) > longest:
        reason = f"the answer has {length} characters; this judge takes {longest} at most"
        return Verdict("incorrect", 0.0, reason, judge, scores or {})
    return None


def _outcome(answer: str, golds: Sequence[str]) -> tuple[str, str]:
    said, bare = normalise(answer), unwrapped(answer)
    frame = _FRAME.match(bare)
    if any(alias_match(each, golds) for each in (answer, *([bare[frame.end() :]] if frame else []))):
        return "correct", "the answer is the gold, or an alias of it"
    if not said or said in _DECLINED:
        return "not_attempted", "the answer says that it is not known" if said else "the answer holds no word"
    return "incorrect", _difference(said, list(map(normalise, golds)))


_NEAR, _LONG = 0.75, 200  # how alike spellings are, 0 to 1; characters of an answer that are compared
_APPROXIMATE = re.compile(
    r"\b(?:about|around|approximately|roughly|nearly|almost|over|under|(?:more|less|fewer) than|at (?:least|most))\b"
)


def _difference(said: str, golds: Sequence[str]) -> str:
    """Why an answer in normal form is none of the golds, as far as its words tell: a model that judges by SimpleQA's
    rule would take some of these for right, and an approximate number for no attempt."""
    words = set(said.split())
    if any(words == set(gold.split()) for gold in golds):
        why = "the answer has the gold's words in another order"
    elif any(f" {gold} " in f" {said} " for gold in golds if gold):
        why = "the gold stands in the answer among other words, which this judge does not read"
    elif any(f" {said} " in f" {gold} " for gold in golds):
        why = "the answer is a part of the gold; an alias would make it right"
    elif _APPROXIMATE.search(said) and any(any(map(str.isdigit, gold)) for gold in golds):
        why = "the answer is an approximate number or a bound"
    elif any(words >= set(gold.split()) for gold in golds if gold):
        why = "the gold's words stand apart from each other in the answer, among others"
    elif all(any(map(str.isdigit, text)) for text in (said, *golds)):
        why = "the answer is another number"
    elif any(SequenceMatcher(None, said, gold).ratio() >= _NEAR for gold in golds if len(said) < _LONG):
        why = "the answer differs from the gold by some letters, and this judge forgives none"
    else:
        return "the answer, as a whole, is not the gold"
    return f"{why}: as a whole it is not the gold"
