"""Dials: what a procedural web is made by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from webenv.errors import InvalidArgument, did_you_mean

SPLITS = ("train", "validation", "test")
_RANGES: dict[str, tuple[float, float]] = {
    "pages": (60, 10_000_000),
    "seed": (0, 2**63 - 1),
    "sites": (16, 100),
    "kinds": (1, 25),
    "family": (3, 27),
    "fuzziness": (0.0, 1.0),
    "decoys": (0.0, 1.0),
    "copies": (0.0, 0.3),
    "contradictions": (0.0, 0.2),
    "hops": (1, 3),
    "news": (0.0, 0.8),
}
_CHOICES = {"split": SPLITS, "language": ("en", "zh"), "phrasings": ("all", "shown", "held")}
_LONGEST = 40  # characters of a number
_WHOLE = ("pages", "seed", "sites", "kinds", "family", "hops")


@dataclass(frozen=True, slots=True)
class Dials:
    """The settings of a procedural web; equal dials give the same web, byte for byte.

    Attributes:
        pages: how many pages, 60 to 10,000,000.
        seed: which world of the split, a whole number from 0.
        split: "train", "validation" or "test": no world of one is a world of another.
        sites: how many websites, 16 to 100.
        kinds: how many kinds of thing have families of pages, 1 to 25.
        family: pages of one family: siblings that share values, 3 to 27. At 27, each single fact
            of a sibling is shared by 9, each pair of facts of a tier by 3, and no triple.
        fuzziness: how far a criterion's words stand from a page's, 0 to 1: each word or number
            keeps a page's wording with probability 1 − fuzziness × (.08, .36, .5) by tier.
        decoys: 0 to 1: a value that a page does not hold stands on it all the same, within another
            true fact, with probability decoys × (.02, .32, .7) by tier.
        copies: share of pages that are copies of others on other sites, 0 to 0.3.
        contradictions: share of pages that state wrong values, 0 to 0.2.
        hops: pages that a task leads over, 1 to 3. At 2 a person, place or body that a criterion would
            name is told by a fact of the page about it instead, at 3 what that fact names is told so
            too. Pages do not depend on it.
        news: share of the pages that are news: reports of events and pages that sum them up, 0 to 0.8. At 0, the
            default, families leave them some 6%.
        phrasings: "all"; "shown" leaves a third of the ways to say a fact out, of pages and criteria alike;
            "held" has only those.
        language: "en" or "zh": of names, pages, criteria and claims. Chinese has the same kinds, relations and
            guarantees, in simplified characters, with fewer words: its digressions are put together from a
            short list of parts and of some 250 words with meanings, where the English ones come from
            WordNet's 20,000 clauses and 70,000 definitions. Addresses are in pinyin.
    """

    pages: int = 3_000
    seed: int = 0
    split: str = "train"
    sites: int = 20
    kinds: int = 25
    family: int = 27
    fuzziness: float = 0.5
    decoys: float = 1.0
    copies: float = 0.07
    contradictions: float = 0.03
    hops: int = 1
    news: float = 0.0
    phrasings: str = "all"
    language: str = "en"

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value: Any = getattr(self, name)
            whole = name in _WHOLE
            if (
                isinstance(value, bool)
                or not isinstance(value, int if whole else int | float)
                or not low <= value <= high
            ):
                raise InvalidArgument(f"procedural web: {name}={value!r:.60}; expected {_range(name)}.")
            if not whole:
                object.__setattr__(self, name, float(value) + 0.0)  # 1 is 1.0, and −0.0 is 0.0
        for name, choices in _CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                raise InvalidArgument(f"procedural web: {name}={value!r}. {did_you_mean(str(value), choices)}")
        if self.sites * 3 > self.pages:
            raise InvalidArgument(
                f"procedural web: sites={self.sites} with pages={self.pages}; expected 3 pages a site or more."
            )
        if self.family * 2 > self.pages:
            raise InvalidArgument(
                f"procedural web: family={self.family} with pages={self.pages}; expected twice as many pages."
            )

    @classmethod
    def parse(cls, spec: str, **given: Any) -> Dials:
        """Dials from a text such as ``"procedural"`` or ``"procedural:pages=100000,seed=3"``.

        Args:
            spec: the text.
            given: dials that the text's own override.

        Raises:
            InvalidArgument: for a text of another form, an unknown dial, or a value out of range.
        """
        return cls.of(read_spec(spec), **given)

    @classmethod
    def of(cls, texts: Mapping[str, str], **given: Any) -> Dials:
        """Dials from the text of each, as :func:`read_spec` gives them; others as ``given``, or by default.

        Raises:
            InvalidArgument: for an unknown dial, or a value out of range.
        """
        known = [field.name for field in fields(cls)]
        for dial, text in texts.items():
            if dial == "worlds":
                raise InvalidArgument(
                    f"procedural web: worlds={text:.40}: expected the dials of one web; leave worlds out."
                )
            if dial not in known:
                hint = did_you_mean(dial, (*known, "worlds"))
                raise InvalidArgument(f"procedural web: no dial {dial!r:.60}. {hint}")
            if not text:
                raise InvalidArgument(f"procedural web: {dial!r}; expected a dial and its value, as in pages=100000.")
        return cls(**{**given, **{dial: _read(dial, text) for dial, text in texts.items()}})

    def __str__(self) -> str:
        """The text that :meth:`parse` reads back: the dials that differ from the defaults."""
        plain = Dials()
        parts = [
            f"{f.name}={getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name) != getattr(plain, f.name)
        ]
        return "procedural" + (":" + ",".join(parts) if parts else "")

    def with_seed(self, seed: int) -> Dials:
        """The same dials for another world."""
        return replace(self, seed=seed)

    def of_pages(self) -> Dials:
        """The dials that pages depend on; the others as they are by default."""
        return replace(self, hops=1)


def read_spec(spec: str) -> dict[str, str]:
    """The dials that a text such as ``"procedural:pages=100000,seed=3"`` names, each with its text, which may be empty.

    Raises:
        InvalidArgument: for a text of another form, or a dial that is given twice.
    """
    name, _, rest = spec.partition(":")
    if name.strip() != "procedural":
        raise InvalidArgument(f"{spec!r:.100}: expected 'procedural' or 'procedural:pages=100000,seed=3'.")
    texts: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in rest.split(","))):
        dial, _, text = (piece.strip() for piece in part.partition("="))
        if dial in texts:
            raise InvalidArgument(f"procedural web: {dial:.60} is given twice; give each dial once.")
        texts[dial] = text
    return texts


def _read(dial: str, text: str) -> int | float | str:
    if dial in _CHOICES:
        return text
    try:
        if not text.isascii() or len(text) > _LONGEST:
            raise ValueError(text)
        return int(text) if dial in _WHOLE else float(text)
    except ValueError:
        raise InvalidArgument(f"procedural web: {dial}={text!r:.60}; expected {_range(dial)}.") from None


def _range(dial: str) -> str:
    low, high = _RANGES[dial]
    if dial in _WHOLE:
        return f"a whole number from {low:,} to {high:,}"
    return f"a number from {low:g} to {high:g}"
