"""WebConfig, what a generated web is made by, and Worlds, several webs that differ in their seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from webenv.errors import InvalidArgument, did_you_mean
from webenv.runtime.spec import split_settings

SPLITS = ("train", "validation", "test")
_RANGES: dict[str, tuple[float, float]] = {
    "pages": (60, 10_000_000),
    "seed": (0, 2**63 - 1),
    "sites": (16, 100),
    "news": (0.0, 0.8),
    "conflicts": (0.0, 1.0),
}
_CHOICES = {
    "split": SPLITS,
    "language": ("en", "zh"),
}
_LONGEST = 40  # characters of a number
_WHOLE = ("pages", "seed", "sites")


@dataclass(frozen=True, slots=True)
class WebConfig:
    """The settings of a generated web; equal settings give the same web, byte for byte.

    Attributes:
        pages: how many pages, 60 to 10,000,000.
        seed: which world of the split, a whole number from 0.
        split: "train", "validation" or "test": no world of one is a world of another, and a third of the kinds,
            values, wordings and wider names exist in test worlds alone.
        sites: how many websites, 16 to 100.
        news: share of the pages that are news, 0 to 0.8. At 0, the default, they have the share that they have on a
            web of all sorts, some 14%.
        language: "en" or "zh": of names, pages, criteria and claims.
        conflicts: of the things that an older and a newer page are about, the share of which the older one may tell a
            fact otherwise, 0 to 1; 0 by default. Tasks with ``conflict`` are made of these.
    """

    pages: int = 3_000
    seed: int = 0
    split: str = "train"
    sites: int = 20
    news: float = 0.0
    language: str = "en"
    conflicts: float = 0.0

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

    @classmethod
    def parse(cls, spec: str, **given: Any) -> WebConfig:
        """The settings from a text such as ``"procedural"`` or ``"procedural:pages=100000,seed=3"``.

        Args:
            spec: the text.
            given: dials that the text's own override.

        Raises:
            InvalidArgument: for a text of another form, an unknown dial, or a value out of range.
        """
        return cls.of(read_spec(spec), **given)

    @classmethod
    def of(cls, texts: Mapping[str, str], **given: Any) -> WebConfig:
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
        plain = WebConfig()
        parts = [
            f"{f.name}={getattr(self, f.name)}" for f in fields(self) if getattr(self, f.name) != getattr(plain, f.name)
        ]
        return "procedural" + (":" + ",".join(parts) if parts else "")

    def with_seed(self, seed: int) -> WebConfig:
        """The same dials for another world."""
        return replace(self, seed=seed)


def read_spec(spec: str) -> dict[str, str]:
    """The dials that a text such as ``"procedural:pages=100000,seed=3"`` names, each with its text, which may be empty.

    Raises:
        InvalidArgument: for a text of another form, or a dial that is given twice.
    """
    name, _, rest = spec.partition(":")
    if name.strip() != "procedural":
        raise InvalidArgument(f"{spec!r:.100}: expected 'procedural' or 'procedural:pages=100000,seed=3'.")
    texts: dict[str, str] = {}
    for dial, text, _ in split_settings(rest, "procedural web"):
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


_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Worlds:
    """The worlds of one split with the seeds ``first.seed``, ``first.seed + 1``, … and otherwise equal dials.

    Attributes:
        first: the dials of the first world.
        count: how many worlds, 1 to 1,000,000.
    """

    first: WebConfig
    count: int = 1

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or not 1 <= self.count <= _MOST:
            raise InvalidArgument(f"worlds={self.count!r}; expected a whole number from 1 to {_MOST:,}.")
        self.first.with_seed(self.first.seed + self.count - 1)  # the last must be a seed too

    @classmethod
    def parse(cls, spec: str, **given: Any) -> Self:
        """Worlds from a text such as ``"procedural:worlds=8,seed=3"``: the dials of the first, and ``worlds``.

        Args:
            spec: the text.
            given: dials that the text's own override.

        Raises:
            InvalidArgument: for a text of another form, an unknown dial, or a value out of range.
        """
        texts = read_spec(spec)
        count = texts.pop("worlds", "1")
        if not count.isascii() or not count.isdigit() or len(count) > len(str(_MOST)):
            raise InvalidArgument(f"worlds={count!r:.40}; expected a whole number from 1 to {_MOST:,}.")
        return cls(WebConfig.of(texts, **given), int(count))

    def __str__(self) -> str:
        """The text that :meth:`parse` reads back."""
        if self.count == 1:
            return str(self.first)
        name, _, config = str(self.first).partition(":")
        return f"{name}:worlds={self.count}" + (f",{config}" if config else "")

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, place: int) -> WebConfig:
        if not 0 <= place < self.count:
            raise IndexError(place)
        return self.first.with_seed(self.first.seed + place)

    def place(self, world: str) -> int | None:
        """Where the world whose dials have this text stands, from 0; ``None`` where it is none of these."""
        try:
            config = WebConfig.parse(world)
        except InvalidArgument:
            return None
        place = config.seed - self.first.seed
        found = 0 <= place < self.count and config == self[place] and str(config) == world
        return place if found else None
