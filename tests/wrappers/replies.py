"""Replies of a language model that knows the format, and some of one that does not."""

from __future__ import annotations

import numpy as np

from tests.hostile import good_action, pick
from webenv.chat import Format, TagFormat

NOISE = ("", "I give up.", "<think>for ever", "<search></search>", "<visit>99</visit>", "<ask>x</ask>", "<answer>")


def any_reply(rng: np.random.Generator, format: Format | None = None) -> str:
    """A thought or none, and an action or something that is none."""
    thought = pick(rng, ("", "I look. ", "<think>Is it <answer>A</answer>?</think>\n"))
    draw = int(rng.integers(8))
    if draw == 0:
        return thought + pick(rng, NOISE)
    if draw == 1:
        return f"{thought}<visit>{int(rng.integers(1, 9))}</visit>"
    return thought + (format or TagFormat()).write(good_action(rng))
