"""Judges by name, as environments and the command line take them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Judge
from webenv.models import make_model
from webenv.rewards.criterion import VARIANTS
from webenv.rewards.needle import EntailmentJudge, PageJudge

__all__ = ["JUDGES", "make_judge"]

JUDGES = ("page", "llm")
"""The names that :func:`make_judge` knows."""


def make_judge(name: str, *, prompt: str | Path | None = None, others: Sequence[str] = ()) -> Judge:
    """A judge of Needle in the Web by its name.

    Args:
        name: ``page``: the gold page or a copy of it, without a model. ``llm:<model>``: a chat
            model, criterion by criterion, at the endpoint that OPENAI_BASE_URL and OPENAI_API_KEY set.
        prompt: for ``llm``: ``entailed`` (by default) or ``mentioned``, which are ours, or a file
            with another prompt.
        others: names that whoever asks takes beside these, for the hint at an unknown one.

    Raises:
        InvalidArgument: for an unknown name, or a prompt for a judge without a model.
        DataError: for a prompt file that cannot be used.
        ModelError: where ``llm:<model>`` has no endpoint.
        MissingExtra: where ``llm:<model>`` lacks its library.
    """
    kind, _, model = name.partition(":")
    if kind not in JUDGES:
        raise InvalidArgument(f"no judge is called {name!r}. {did_you_mean(kind, (*JUDGES, *others))}")
    if kind == "page":
        if model or prompt is not None:
            raise InvalidArgument(f"judge {name!r}: 'page' asks no model, so it takes no model name and no prompt.")
        return PageJudge()
    if not model:
        raise InvalidArgument("judge 'llm' needs a model: write llm:<model>, as in llm:gpt-4.1-mini.")
    if prompt in VARIANTS:
        return EntailmentJudge(make_model(model), variant=str(prompt))
    return EntailmentJudge(make_model(model), prompt=prompt)
