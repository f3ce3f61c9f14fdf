"""The spaces of actions and observations, and the text space that they are made of."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.spaces.utils import flatten, flatten_space, is_space_dtype_shape_equiv, unflatten
from gymnasium.vector.utils import batch_differing_spaces
from gymnasium.wrappers.utils import create_zero_array

from webenv.actions import Kind
from webenv.errors import InvalidArgument

LIMITS = {
    "query": 2_000,
    "url": 4_096,
    "site": 255,
    "question": 20_000,
    "answer": 200_000,
    "note": 200_000,
    "title": 1_000,
    "snippet": 2_000,
    "text": 200_000,
    "notice": 4_000,
}
"""The longest text of each sort, in characters: actions above it are refused, observations cut to it."""

SORTS = {
    Kind.SEARCH: "query",
    Kind.VISIT: "url",
    Kind.ASK: "question",
    Kind.ANSWER: "answer",
    Kind.NOTE: "note",
}
"""The sort of text that each kind of action takes."""

# What sample() draws from: letters, digits, signs, spaces, and characters of two, three and four
# UTF-8 bytes.
_SAMPLED = tuple(
    "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789 .,:;!?'\"()-_/&%#@\n\täßçéøñжя中文の한😀"
)


class Unicode(spaces.Space[str]):
    """Texts of up to ``max_length`` characters: any Unicode, but no lone surrogates.

    gymnasium's own ``Text`` takes a fixed alphabet and checks each character against it; this
    takes every text that has a UTF-8 form, in constant time for ASCII.

    Args:
        max_length: the most characters, at least 1.
        seed: seeds ``sample``.

    Raises:
        InvalidArgument: if ``max_length`` is not a whole number from 1.
    """

    def __init__(self, max_length: int, seed: int | np.random.Generator | None = None) -> None:
        if isinstance(max_length, bool) or not isinstance(max_length, int | np.integer) or max_length < 1:
            raise InvalidArgument(f"Unicode(max_length={max_length!r}): expected a whole number from 1.")
        self.max_length = int(max_length)
        super().__init__(dtype=str, seed=seed)

    @property
    def shape(self) -> None:
        """None: a text has no shape.

        Raises:
            InvalidArgument: where stable-baselines3 asks, which would end in ``'NoneType' object is not iterable``.
        """
        if str(sys._getframe(1).f_globals.get("__name__")).startswith("stable_baselines3."):
            raise InvalidArgument(
                "stable-baselines3 takes no texts: give it numbers, by webenv.wrappers.MenuWrapper(env) or, for many "
                "environments at once, webenv.wrappers.make_sb3(id)."
            )

    @property
    def is_np_flattenable(self) -> bool:
        """A text has no fixed shape."""
        return False

    def sample(
        self,
        mask: int | npt.NDArray[np.integer[Any]] | None = None,
        probability: npt.NDArray[np.float64] | None = None,
    ) -> str:
        """A random text.

        Args:
            mask: the lengths to choose from, each from 0 to ``max_length`` characters: one
                number, or an array of which one is drawn uniformly. ``None``: 1 to 32 characters.
            probability: float array whose entry n is the probability of length n; sums to 1.

        Raises:
            InvalidArgument: if both are given, or a length is out of range.
        """
        if mask is not None and probability is not None:
            raise InvalidArgument("Unicode.sample takes a mask or a probability, not both.")
        if probability is not None:
            weights = np.asarray(probability, dtype=np.float64)
            if weights.ndim != 1 or not 1 <= len(weights) <= self.max_length + 1:
                raise InvalidArgument(
                    f"Unicode.sample(probability of shape {weights.shape}): expected at most {self.max_length + 1} "
                    "numbers, one for each length from 0."
                )
            length = int(self.np_random.choice(len(weights), p=weights))
        elif mask is not None:
            lengths = np.atleast_1d(np.asarray(mask))
            if not np.issubdtype(lengths.dtype, np.integer) or lengths.size == 0:
                raise InvalidArgument(f"Unicode.sample(mask={mask!r:.80}): expected whole numbers.")
            if lengths.min() < 0 or lengths.max() > self.max_length:
                raise InvalidArgument(
                    f"Unicode.sample(mask={mask!r:.80}): expected lengths from 0 to {self.max_length}."
                )
            length = int(self.np_random.choice(lengths))
        else:
            length = int(self.np_random.integers(1, min(self.max_length, 32) + 1))
        return "".join(_SAMPLED[i] for i in self.np_random.integers(len(_SAMPLED), size=length))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a ``str`` of at most ``max_length`` characters, none a lone surrogate."""
        return isinstance(x, str) and len(x) <= self.max_length and (x.isascii() or encodable(x))

    def to_jsonable(self, sample_n: Iterable[str]) -> list[str]:
        """Texts are JSON already."""
        return list(sample_n)

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[str]:
        """Texts are JSON already."""
        return [str(text) for text in sample_n]

    def __repr__(self) -> str:
        return f"Unicode({self.max_length})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode) and self.max_length == other.max_length


@create_zero_array.register(Unicode)
def _(space: Unicode) -> str:  # type: ignore[misc]  # generic over all spaces, dispatched on one
    return ""  # what wrappers pad with, such as FrameStackObservation


@batch_differing_spaces.register(Unicode)
def _(spaces_: Sequence[Unicode]) -> spaces.Tuple[Any]:  # type: ignore[misc]
    return spaces.Tuple(spaces_)  # as gymnasium batches its own Text


@is_space_dtype_shape_equiv.register(Unicode)
def _(space_1: Unicode, space_2: Unicode) -> bool:
    return isinstance(space_2, Unicode)


@flatten_space.register(Unicode)
@flatten.register(Unicode)
@unflatten.register(Unicode)
def _(space: Unicode, x: object = None) -> NoReturn:  # type: ignore[misc]
    raise InvalidArgument(
        f"{space} cannot be flattened: a text has no fixed size. For numbers use webenv.wrappers.MenuWrapper(env), "
        "whose features can be; for a language model webenv.wrappers.TextWrapper(env)."
    )


def action_space() -> spaces.OneOf[Any]:
    """``OneOf(Sequence(Unicode) × 5)``: search, visit, ask, answer, note, as in :class:`webenv.actions.Kind`."""
    return spaces.OneOf([spaces.Sequence(Unicode(LIMITS[SORTS[kind]])) for kind in Kind])


def observation_space() -> spaces.Dict[Any]:
    """The space of observations.

    ========  ==========================================================================
    question  text
    results   sequence of {title, url, snippet, site}: hits of this turn's searches
    pages     sequence of {url, title, text}: what this turn's visits brought
    replies   sequence of {site, text, documents: sequence of {url, title, text}}
    notice    text, empty as a rule
    budget    int32, shape (4,), 0 to 2³¹ − 1: searches, visits, asks, turns left
    ========  ==========================================================================
    """

    def texts(*names: str) -> spaces.Dict[Any]:
        return spaces.Dict({name: Unicode(LIMITS[name]) for name in names})

    page = texts("url", "title", "text")
    return spaces.Dict(
        {
            "question": Unicode(LIMITS["question"]),
            "results": spaces.Sequence(texts("title", "url", "snippet", "site")),
            "pages": spaces.Sequence(page),
            "replies": spaces.Sequence(
                spaces.Dict(
                    {
                        "site": Unicode(LIMITS["site"]),
                        "text": Unicode(LIMITS["text"]),
                        "documents": spaces.Sequence(page),
                    }
                )
            ),
            "notice": Unicode(LIMITS["notice"]),
            "budget": spaces.Box(0, 2**31 - 1, shape=(4,), dtype=np.int32),
        }
    )


def clean(text: str, sort: str) -> str:
    """A text from outside, made fit for an observation: cut to its limit, without lone surrogates.

    >>> clean("a\\ud800b", "title")
    'a\\ufffdb'
    """
    limit = LIMITS[sort]
    if len(text) > limit:
        text = text[:limit]
    if not text.isascii() and not encodable(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def encodable(text: str) -> bool:
    """Whether a text has a UTF-8 form: no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
