"""ChatConfig: how an episode is put into words for a language model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from webenv.chat.formats import BlockFormat, Format, SourceFormat, TagFormat, ToolFormat
from webenv.errors import DataError, InvalidArgument, check_whole, did_you_mean
from webenv.runtime.files import read_text
from webenv.runtime.text import unknown_placeholder
from webenv.spaces import LIMITS

LIMIT_NAMES = ("max_searches", "max_visits", "max_clicks", "max_asks", "max_turns")
"""Placeholders of a prompt that say how much an episode may spend; a click is a visit."""

FORMATS = ("tags", "blocks", "source", "tools")
"""The ways to write actions, by name."""


def quarter(text: str) -> int:
    """A fourth of the characters, rounded up: about the tokens of an English text.

    >>> quarter("abcde")
    2
    """
    return -(-len(text) // 4)


class ChatSettings(TypedDict, total=False):
    """The settings beside format and prompt, as :class:`webenv.wrappers.TextWrapper` documents them."""

    page_characters: int | None
    token_budget: int | None
    count_tokens: Callable[[str], int] | None
    references: bool
    results: int | None
    keep_thinking: bool


@dataclass(frozen=True)
class ChatConfig:
    """The settings of a conversation, of :class:`webenv.wrappers.TextWrapper` and :class:`webenv.policies.ReactPolicy`.

    Attributes:
        format: how actions are written.
        prompt: the system message, in which the limits of the episode may stand (:data:`LIMIT_NAMES`); empty: the
            format's rules.
        page_characters: the most characters of one page's or reply's text; ``None``: all that the environment shows.
        token_budget: the most tokens of a conversation; ``None``: any number.
        count_tokens: the tokens of a text.
        references: whether results have numbers through the episode that may stand for their URLs.
        results: the most results of one query that are shown; ``None``: all.
        keep_thinking: whether the model is shown its earlier thinking.
        url_answers: whether the benchmark's answers are URLs.
    """

    format: Format
    prompt: str = ""
    page_characters: int | None = None
    token_budget: int | None = None
    count_tokens: Callable[[str], int] = field(default=quarter, compare=False)
    references: bool = False
    results: int | None = None
    keep_thinking: bool = False
    url_answers: bool = False

    def __deepcopy__(self, memo: Any) -> ChatConfig:
        """Itself: nothing in it changes, and a tokenizer in it is not copied."""
        return self

    @classmethod
    def of(
        cls,
        format: str = "tags",
        prompt: str | Path | None = None,
        page_characters: int | None = None,
        token_budget: int | None = None,
        count_tokens: Callable[[str], int] | None = None,
        references: bool = False,
        results: int | None = None,
        keep_thinking: bool = False,
        url_answers: bool = False,
    ) -> ChatConfig:
        """The settings from arguments as users give them.

        Raises:
            InvalidArgument: for a value out of range, or an unknown format.
            DataError: if the prompt file cannot be read, or is empty.
        """
        if format not in FORMATS:
            raise InvalidArgument(f"format={format!r}. {did_you_mean(str(format), FORMATS)}")
        for name, value, least in (
            ("page_characters", page_characters, 100),
            ("token_budget", token_budget, 1),
            ("results", results, 1),
        ):
            check_whole(name, value, least, missing=True)
        if count_tokens is not None and not callable(count_tokens):
            raise InvalidArgument(f"count_tokens={count_tokens!r:.80}: expected a function of a text to a number.")
        return cls(
            _format(format, references, url_answers),
            _read(prompt),
            page_characters,
            token_budget,
            quarter if count_tokens is None else count_tokens,
            bool(references),
            results,
            bool(keep_thinking),
            url_answers,
        )


def _format(name: str, references: bool, url_answers: bool) -> Format:
    if name == "tools":
        return ToolFormat(LIMITS, references)
    if name == "tags":
        return TagFormat(url_answers)
    return BlockFormat() if name == "blocks" else SourceFormat()


def _read(prompt: str | Path | None) -> str:
    if prompt is None:
        return ""
    if isinstance(prompt, Path):
        return read_prompt(prompt)
    if not isinstance(prompt, str) or not prompt.strip():
        raise InvalidArgument(f"prompt={prompt!r:.80}: expected the text of the system message, or a Path to it.")
    if not any(map(str.isspace, prompt)) and Path(prompt).is_file():
        raise InvalidArgument(f"prompt={prompt!r:.200} is the name of a file: pass Path({prompt!r:.200}) for its text.")
    if problem := unknown_placeholder(prompt, LIMIT_NAMES):
        raise InvalidArgument(f"prompt: {problem}")
    return prompt


def read_prompt(path: Path, known: Iterable[str] = LIMIT_NAMES) -> str:
    """The text of a prompt file, to the letter.

    Args:
        path: the file.
        known: the placeholders that are filled in.

    Raises:
        DataError: if it cannot be read, is empty, or has another placeholder.
    """
    prompt = read_text(path, "policy prompt")
    if not prompt.strip():
        raise DataError(f"policy prompt {str(path)!r} is empty; expected the rules that the model is to follow.")
    if problem := unknown_placeholder(prompt, known):
        raise DataError(f"policy prompt {str(path)!r}: {problem}")
    return prompt


def limit_values(budget: Sequence[int]) -> dict[str, str]:
    """The values of :data:`LIMIT_NAMES`.

    Args:
        budget: searches, visits, asks and turns of the episode.
    """
    searches, visits, asks, turns = map(str, budget)
    return dict(zip(LIMIT_NAMES, (searches, visits, visits, asks, turns), strict=True))
