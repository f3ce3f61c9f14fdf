"""Short answers compared by rules: normalised text, token F1, numbers, aliases. No model is asked.

All of it is strict on purpose: whatever an answer says beside the gold makes it another answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from webenv.rewards.normal_form import normalise
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
    r"""The harmonic mean of token precision and recall against the nearest gold, both normalised.

    .. math:: F_1 = \max_g \frac{2\,|A \cap G_g|}{|A| + |G_g|}

    with bags of tokens (SQuAD; Rajpurkar et al., 2016). Every Chinese, Japanese or Korean character is
    a token. Where answer or gold has no token: 0.

    Returns:
        0 to 1.

    Two of three tokens, of two in the gold: 2 · 2 / (3 + 2).

    >>> token_f1("the old stone mill", ["stone mill", "water wheel"])
    0.8
    """
    said = Counter(_TOKEN.findall(normalise(answer)))
    best = 0.0
    for gold in golds:
        meant = Counter(_TOKEN.findall(normalise(gold)))
        if said and meant:
            best = max(best, 2 * (said & meant).total() / (said.total() + meant.total()))
    return best


def alias_match(answer: str, golds: Iterable[str]) -> bool:
    """Whether an answer is any of the golds: the same text after normalisation, or the same number.

    A gold that is a whole number written out must be met exactly.

    >>> alias_match("$1.5 million", ["1.5 million dollars", "$1,500,000"]), alias_match("NYC, LA", ["NYC"])
    (True, False)
    """
    every = list(golds)
    return exact_match(answer, every) or any(number_match(answer, gold, whole="exact") for gold in every)
