"""Kinds of things as data: what facts they have, when, and how pages, questions and criteria word them.

A kind is a text file in ``kinds/``; the engine knows of no kind by name but ``person`` and ``town``. The format is
told in ``kinds/README.md``. What is marked "+" is *held out*: it turns up in worlds of the test split alone.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import blake2b
from importlib import resources
from typing import NamedTuple, TypeVar

from webenv.errors import DataError

USES = ("e", "p", "i", "n", "t", "w", "f", "q", "x", "a", "c", "c~")
"""Uses of a wording: neutral; while a role is held; with the object as subject; news; headline; "we"; forum;
quotation; said of a wrong object; question; claim; claim in far words."""

GROUPS = (
    "structure", "place", "firm", "public", "club", "press", "product", "work", "science", "event", "person",
)  # fmt: skip


# ── wordings ──────────────────────────────────────────────────────────────────


class Placeholder(NamedTuple):
    """A place to be filled: ``S`` the subject, ``n`` the same after a preposition, ``O`` the object, ``Y`` a year, …"""

    name: str


class Alternatives(NamedTuple):
    """Alternatives, of which one is chosen; they do not nest."""

    ways: tuple[tuple[str | Placeholder, ...], ...]


Part = str | Placeholder | Alternatives

_AFTER = re.compile(
    r"\b(?:of|at|in|to|from|for|by|with|near|into|on|onto|between|and|about|under|behind|over|than|up|out|off|round|"
    r"through|against|beside|past|around|across|along|inside|outside) $",
    re.IGNORECASE,
)
"""What "it" reads badly after: the name, or "the bridge", stands there."""
_CLAUSE = re.compile(r"\b(?:when|while|that|because|if|until|where|which) $")
"""What a subject comes after: "she", never "her"."""
_VERB = re.compile(r"\b(?:set|led|taken|made|headed|coached|trained|joined|beat|left|tested|gave|hit|took|drove) $")
"""What an object comes after: "her", never "she"."""
_PIECES = re.compile(r"\[([^\[\]]*)\]|\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """A sentence with places to fill; ``held`` where only worlds of the test split have it."""

    parts: tuple[Part, ...]
    slots: frozenset[str]
    held: bool = False
    text: str = ""
    tells: frozenset[str] = field(init=False, compare=False)
    """What it tells of a fact by any alternative: "O" its object, "Y" its year, further values by name."""

    def __post_init__(self) -> None:
        sure = frozenset(part.name for part in self.parts if isinstance(part, Placeholder))
        object.__setattr__(self, "tells", _told(sure))


def telling(slot: str) -> str:
    """What a place tells of a fact: a day or a month its year."""
    name = slot.removesuffix("'s")
    return "Y" if name in ("D", "M") else name


@cache
def _told(slots: frozenset[str]) -> frozenset[str]:
    return frozenset(map(telling, slots))


@cache
def _shared(slots: frozenset[str]) -> frozenset[str]:
    """An equal set, of which there is one: thousands of wordings have the same few places."""
    return slots


_place = cache(Placeholder)


def wording(text: str, held: bool = False) -> Wording:
    """Compiles a wording.

    >>> wording("{S} was [built|put up] in {Y}.").slots == {"S", "Y"}
    True

    Raises:
        DataError: for brackets or braces that do not match.
    """
    parts = _parts(text, text)
    return Wording(parts, _shared(frozenset(_slots(parts))), held, text)


def _parts(text: str, whole: str) -> tuple[Part, ...]:
    found: list[Part] = []
    start = 0
    for match in _PIECES.finditer(text):
        found.append(_plain(text[start : match.start()], whole))
        start = match.end()
        if match[1] is None:
            found.append(_place(match[2].strip()))
        else:
            ways = (_parts(way, whole) for way in match[1].split("|"))
            found.append(Alternatives(tuple(tuple(p for p in way if not isinstance(p, Alternatives)) for way in ways)))
    found.append(_plain(text[start:], whole))
    parts = [part for part in found if part != ""]
    for place in range(1, len(parts)):
        before, part = parts[place - 1], parts[place]
        if not isinstance(before, str) or not isinstance(part, Placeholder) or part.name not in ("S", "s"):
            continue
        if _AFTER.search(before):
            parts[place] = _place("n")
        elif _CLAUSE.search(before):
            parts[place] = _place("S")
        elif _VERB.search(before):
            parts[place] = _place("s")
    return tuple(parts)


def _plain(text: str, whole: str) -> str:
    if any(mark in text for mark in "[]{}"):
        raise DataError(f"{whole!r:.200}: brackets or braces do not match (and do not nest).")
    return text


def _slots(parts: tuple[Part, ...]) -> Iterator[str]:
    for part in parts:
        if isinstance(part, Placeholder):
            yield part.name
        elif isinstance(part, Alternatives):
            for way in part.ways:
                yield from _slots(way)


# ── facts of a kind ───────────────────────────────────────────────────────────


class Moment(NamedTuple):
    """A span of years, relative to an anchor: ``begin``, ``now``, the name of another fact, or "" for years as such."""

    low_anchor: str
    low: int
    high_anchor: str
    high: int


class ValueType(NamedTuple):
    """What the object of a fact is.

    Attributes:
        kind: one of :data:`VALUE_KINDS`.
        of: a profession, group, kind, unit, pool, noun or form; may be empty.
        low, high: ages of a person, or the range of a number.
    """

    kind: str
    of: str = ""
    low: float = 0
    high: float = 0


_TIMED = frozenset("YMD")
VALUE_KINDS = ("person", "org", "thing", "place", "number", "money", "year", "pool", "noun", "name")
ENTITY_KINDS = ("person", "org", "thing", "place")


@dataclass(slots=True)
class FactSpec:
    """A relation that things of a kind may have.

    Attributes:
        name: unique within its kind.
        kind: of which kind.
        section: number of the section of an article that tells it.
        object: type of its object.
        share: probability that a thing has it.
        at: when; ``None`` where it is timeless.
        tenure: years that a role is held, where one holds it after the other.
        times: how many of it.
        extras: further values.
        labels: how infoboxes and tables name it.
        masks: generic expressions for its object.
        wordings: by use.
    """

    name: str
    kind: str
    section: int
    object: ValueType
    share: float = 1.0
    at: Moment | None = None
    tenure: tuple[int, int] | None = None
    times: tuple[int, int] = (1, 1)
    extras: dict[str, ValueType] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    masks: tuple[str, ...] = ()
    wordings: dict[str, tuple[Wording, ...]] = field(default_factory=dict)
    _fitting: dict[tuple[str, bool, bool, bool], tuple[Wording, ...]] = field(default_factory=dict)
    chosen: dict[Hashable, tuple[str, tuple[Wording, ...]]] = field(default_factory=dict)
    """The use and the wordings of sentences, as far as they have been looked up (:class:`.wording.Telling`)."""

    def ways(self, use: str, test: bool) -> tuple[Wording, ...]:
        """The wordings of a use: those of a test world, or those that are not held out."""
        found = self.wordings.get(use, ())
        return found if test else tuple(one for one in found if not one.held) or found

    def fitting(self, use: str, test: bool, timed: bool, ended: bool) -> tuple[Wording, ...]:
        """The wordings of a use that fit a fact with or without a time and an end.

        In test worlds claims held out stand there thrice, so that what is asked is asked mostly in words that no
        training world has.
        """
        found = self._fitting.get((use, test, timed, ended))
        if found is None:
            found = tuple(
                way
                for way in self.ways(use, test)
                if (timed or not way.slots & _TIMED) and (ended or "Z" not in way.slots)
            )
            if test and use in ("c", "c~"):
                found += 2 * tuple(way for way in found if way.held)
            self._fitting[use, test, timed, ended] = found
        return found


class PoolValue(NamedTuple):
    """A value of a pool: its wordings (the first names it) and its wider names."""

    wordings: tuple[str, ...]
    wider: tuple[str, ...]
    held: bool


@dataclass(slots=True)
class KindSpec:
    """A kind of thing.

    Attributes:
        name, plural: as nouns.
        noun, measure: what texts call it, in a language in which that is not its name, and the measure word.
        group: of :data:`GROUPS`.
        wider: wider names, near to far.
        words: what a text may call it after its name.
        names: forms of proper names.
        begin: years in which one comes to be; ``end`` with which probability and when one ends.
        many: how frequent it is.
        held: whether only test worlds have it.
        sections: headings, with alternatives.
        facts: by name.
        pools: its own.
    """

    name: str
    group: str
    plural: str = ""
    noun: str = ""
    measure: str = ""
    wider: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    pronoun: str = "it"
    names: tuple[Wording, ...] = ()
    begin: Moment = field(default_factory=lambda: Moment("", 1800, "now", -2))
    end: tuple[float, Moment] | None = None
    many: int = 3
    held: bool = False
    sections: list[tuple[str, ...]] = field(default_factory=list)
    facts: dict[str, FactSpec] = field(default_factory=dict)
    pools: dict[str, tuple[PoolValue, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.noun = self.noun or self.name


@dataclass(eq=False)
class Schema:
    """All kinds, the pools and names that they share."""

    kinds: dict[str, KindSpec]
    pools: dict[str, tuple[PoolValue, ...]]
    names: dict[str, tuple[tuple[str, ...], tuple[str, ...]]]
    """By what is named: names of all worlds, and those held out."""
    lines: dict[str, tuple[Wording, ...]] = field(default_factory=dict)
    """What pages say beside facts: titles, headings, introductions; by use."""

    @cached_property
    def _phrases(self) -> dict[str, dict[str, PoolValue]]:
        """The values of all pools, by pool and first wording; those of kinds too, for a value knows no kind."""
        found: dict[str, dict[str, PoolValue]] = {}
        for pools in (self.pools, *(kind.pools for kind in self.kinds.values())):
            for name, values in pools.items():
                known = found.setdefault(name, {})
                for value in values:
                    known.setdefault(value.wordings[0], value)
        return found

    def phrase(self, pool: str, text: str) -> PoolValue:
        """The value of a pool that has this first wording; one without other wordings where there is none."""
        known = self._phrases.get(pool)
        return (known and known.get(text)) or PoolValue((text,), (), False)

    def under(self, pool: str, wider: str) -> frozenset[str]:
        """The first wordings of the values of a pool that a wider name covers, in whichever kind."""
        return self._covered.get((pool, wider), frozenset())

    @cached_property
    def _covered(self) -> dict[tuple[str, str], frozenset[str]]:
        found: dict[tuple[str, str], set[str]] = {}
        for pools in (self.pools, *(kind.pools for kind in self.kinds.values())):
            for name, values in pools.items():
                for value in values:
                    for wider in value.wider:
                        found.setdefault((name, wider), set()).add(value.wordings[0])
        return {key: frozenset(texts) for key, texts in found.items()}

    def pool(self, kind: str, name: str) -> tuple[PoolValue, ...]:
        """A pool of a kind, or one that all share; empty where there is none."""
        own = self.kinds.get(kind)
        return (own.pools.get(name) if own else None) or self.pools.get(name, ())


# ── reading ───────────────────────────────────────────────────────────────────

_MOMENT = re.compile(r"(?:(?P<anchor>[a-z_]+)?(?P<sign>[+-])?)?(?P<number>\d+)?$")
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_MODIFIERS = {
    "share": re.compile(r"\s\?\s*(\d+(?:\.\d+)?|\.\d+)"),
    "at": re.compile(r"\s@\s*(\S+)"),
    "tenure": re.compile(r"\sseq\s+(\d+-\d+)"),
    "times": re.compile(r"\stimes\s+(\d+-\d+)"),
}


def _moment(text: str) -> Moment:
    ends = []
    for part in text.split(".."):
        match = _MOMENT.fullmatch(part.strip())
        if match is None or not part.strip():
            raise DataError(f"{text!r:.80}: expected a time such as 1790..1975 or begin+2..now-1.")
        number = int(match["number"] or 0)
        ends.append((match["anchor"] or "", -number if match["sign"] == "-" else number))
    low, high = ends[0], ends[-1]
    return Moment(*low, *high)


def _value_type(text: str) -> ValueType:
    head, _, rest = text.strip().partition(" ")
    kind, _, of = head.partition(":")
    if kind not in VALUE_KINDS:
        raise DataError(f"{text!r:.80}: expected a type of {', '.join(VALUE_KINDS)}.")
    rest = rest.strip()
    if kind == "person":
        low, _, high = (rest or "20-70").partition("-")
        return ValueType(kind, of, int(low), int(high or low))
    if kind in ("number", "money"):
        match = _RANGE.match(rest)
        if match is None:
            raise DataError(f"{text!r:.80}: expected a range such as 9..64.")
        return ValueType(kind, rest[match.end() :].strip(), float(match[1]), float(match[2]))
    if kind in ("org", "thing"):  # a kind of two words is written with a hyphen
        of = of.replace("-", " ")
    return ValueType(kind, of)


def _pair(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    return int(low), int(high)


def _alternatives(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("|") if part.strip())


def _pool_value(text: str, held: bool) -> PoolValue:
    said, *rest = (part.strip() for part in text.split(">"))
    wider = [part.strip() for one in rest for part in one.split("|")]
    return PoolValue(
        tuple(part.strip() for part in said.split("~") if part.strip()),
        tuple(part.strip() for some in wider for part in some.split("|") if part.strip()),
        held,
    )


class _Reader:
    """Reads one file: kinds, pools and names."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.kinds: dict[str, KindSpec] = {}
        self.pools: dict[str, list[PoolValue]] = {}
        self.names: dict[str, tuple[list[str], list[str]]] = {}
        self.lines: dict[str, tuple[Wording, ...]] = {}
        self._kind: KindSpec | None = None
        self._fact: FactSpec | None = None
        self._list = ""  # "pool …" or "names …" while lines belong to one
        self._own: dict[str, list[PoolValue]] = {}

    def read(self, text: str) -> None:
        """Reads all lines.

        Raises:
            DataError: naming the file, the line, and what is wrong with it.
        """
        for number, raw in enumerate(text.splitlines(), 1):
            line = raw.strip()
            if not line or line.startswith("#"):
                continue
            try:
                self._line(line)
            except (DataError, ValueError, KeyError) as error:
                raise DataError(f"{self.file}, line {number}: {error}") from None
        self._finish()

    def _finish(self) -> None:
        if self._kind is not None:
            self._kind.pools = {name: tuple(values) for name, values in self._own.items()}
            self._own = {}

    def _line(self, line: str) -> None:
        held = line.startswith("+")
        line = line[1:].strip() if held else line
        key, _, rest = line.partition(" ")
        rest = rest.strip()
        if key in ("pool", "names", "lines") and rest and " " not in rest:
            self._list = f"{key} {rest}"
            self._fact = None
            return
        starts = key in ("kind", "section", "fact", "wider", "words", "name", "begin", "end", "many", "held", "pronoun")
        if self._list and not (starts and (key in ("kind", "section", "fact") or self._list == "")):
            self._listed(line, held)
            return
        self._list = ""
        if key == "kind":
            self._finish()
            *noun, group = rest.split()
            if group not in GROUPS or not noun:
                raise DataError(f"{rest!r:.80}: expected a noun and a group of {', '.join(GROUPS)}.")
            self._kind = self.kinds[" ".join(noun)] = KindSpec(" ".join(noun), group)
            self._fact = None
        elif self._kind is None:
            raise DataError(f"{line!r:.80}: expected a line 'kind NAME GROUP' first.")
        elif key == "fact":
            self._new_fact(rest)
        elif self._fact is not None and (key in USES or key in ("label", "mask")):
            self._worded(key, rest, held)
        else:
            self._about(self._kind, key, rest)

    def _listed(self, line: str, held: bool) -> None:
        what, name = self._list.split()
        if what == "pool":
            pools = self.pools if self._kind is None else self._own
            pools.setdefault(name, []).append(_pool_value(line, held))
        elif what == "lines":
            self.lines[name] = (*self.lines.get(name, ()), wording(line, held))
        else:
            self.names.setdefault(name, ([], []))[held].extend(_alternatives(line))

    def _about(self, kind: KindSpec, key: str, rest: str) -> None:
        if key == "section":
            kind.sections.append(_alternatives(rest))
        elif key in ("wider", "words"):
            setattr(kind, key, _alternatives(rest))
        elif key == "name":
            kind.names += tuple(wording(form) for form in _alternatives(rest))
        elif key in ("pronoun", "plural", "noun", "measure"):
            setattr(kind, key, rest)
        elif key == "begin":
            kind.begin = _moment(rest)
        elif key == "end":
            share, _, when = rest.partition(" ")
            kind.end = (float(share), _moment(when))
        elif key == "many":
            kind.many = int(rest)
        elif key == "held":
            kind.held = True
        else:
            raise DataError(f"{key!r:.40} is no key here.")

    def _new_fact(self, rest: str) -> None:
        assert self._kind is not None
        name, _, body = rest.partition(" ")
        body, _, tail = f" {body.strip()} ".partition(" with ")
        given = {}
        for modifier, pattern in _MODIFIERS.items():
            for match in list(pattern.finditer(body)) + list(pattern.finditer(f" {tail}")):
                given[modifier] = match[1]
            body, tail = pattern.sub(" ", body), pattern.sub(" ", f" {tail}").strip()
        if not name or not body.strip():
            raise DataError(f"{rest!r:.120}: expected 'fact NAME TYPE [?p] [@TIME] [seq A-B] [times A-B] [with …]'.")
        extras = {}
        for part in tail.split(","):
            if part.strip():
                extra, _, kind = part.partition("=")
                extras[extra.strip()] = _value_type(kind)
        at = given.get("at")
        self._fact = self._kind.facts[name] = FactSpec(
            name,
            self._kind.name,
            len(self._kind.sections) - 1,
            _value_type(body),
            float(given.get("share", 1)),
            None if at is None else _moment(at),
            _pair(given["tenure"]) if "tenure" in given else None,
            _pair(given["times"]) if "times" in given else (1, 1),
            extras,
        )

    def _worded(self, key: str, rest: str, held: bool) -> None:
        assert self._fact is not None
        if key == "label":
            self._fact.labels += _alternatives(rest)
        elif key == "mask":
            self._fact.masks += _alternatives(rest)
        else:
            known = self._fact.wordings
            known[key] = (*known.get(key, ()), wording(rest, held))


HeldT = TypeVar("HeldT", Wording, PoolValue)


def _held_out(items: tuple[HeldT, ...]) -> tuple[HeldT, ...]:
    """The same with two fifths held out: what the file marks, and as many of the last as it takes."""
    wanted = len(items) * 2 // 5 - sum(one.held for one in items)
    found: list[HeldT] = []
    for one in reversed(items):
        if wanted > 0 and not one.held:
            wanted -= 1
            one = replace(one, held=True) if isinstance(one, Wording) else one._replace(held=True)
        found.append(one)
    return tuple(reversed(found))


def read_schema(texts: Mapping[str, str]) -> Schema:
    """Reads files of kinds, pools and names, given by their names.

    Raises:
        DataError: naming file and line.
    """
    kinds: dict[str, KindSpec] = {}
    pools: dict[str, list[PoolValue]] = {}
    names: dict[str, tuple[list[str], list[str]]] = {}
    lines: dict[str, tuple[Wording, ...]] = {}
    for file in sorted(texts):
        reader = _Reader(file)
        reader.read(texts[file])
        kinds |= reader.kinds
        for kind in reader.kinds.values():
            for fact in kind.facts.values():
                fact.wordings = {use: _held_out(ways) for use, ways in fact.wordings.items()}
            kind.pools = {name: _held_out(values) for name, values in kind.pools.items()}
        for use, ways in reader.lines.items():
            lines[use] = (*lines.get(use, ()), *ways)
        for name, values in reader.pools.items():
            pools.setdefault(name, []).extend(values)
        for name, (plain, held) in reader.names.items():
            known = names.setdefault(name, ([], []))
            known[0].extend(plain)
            known[1].extend(held)
    return Schema(
        dict(sorted(kinds.items())),
        {name: _held_out(tuple(values)) for name, values in pools.items()},
        {name: (tuple(dict.fromkeys(plain)), tuple(dict.fromkeys(held))) for name, (plain, held) in names.items()},
        lines,
    )


_CODE = "18"  # whoever changes what pages say by code, not by data, gives it another value


@cache
def _texts(folder_: str) -> dict[str, str]:
    folder = resources.files("webenv.corpora.world") / "kinds" / folder_
    files = {file.name: file for file in folder.iterdir() if file.name.endswith(".txt")}
    return {name: files[name].read_text("utf-8") for name in sorted(files)}


@cache
def schema(folder: str = "") -> Schema:
    """The kinds that come with the package: those of a language in its folder, the English ones above it."""
    return read_schema(_texts(folder))


@cache
def world_version(folder: str = "") -> str:
    """What webs of simulated worlds depend on beside their settings: caches, corpora and tasks carry it."""
    digest = blake2b(_CODE.encode(), digest_size=8)
    for name, text in _texts(folder).items():
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()
