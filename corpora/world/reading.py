"""Files of kinds, pools, names and lines read into a schema; the version of worlds that are made of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import TypeVar

from webenv.corpora.world.schema import (
    CASUAL,
    CLAIMED,
    FIGURES,
    GROUPS,
    MARKS,
    USES,
    VALUE_KINDS,
    FactSpec,
    KindSpec,
    Moment,
    PoolValue,
    Schema,
    ValueType,
)
from webenv.corpora.world.templates import Wording, variants, wording
from webenv.errors import DataError

_MOMENT = re.compile(r"(?:(?P<anchor>[a-z_]+)?(?P<sign>[+-])?)?(?P<number>\d+)?$")
_NUMBER = r"-?\d+(?:\.\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_MODIFIERS = {
    "share": re.compile(r"\s\?\s*(\d+(?:\.\d+)?|\.\d+)"),
    "at": re.compile(r"\s@\s*(\S+)"),
    "tenure": re.compile(r"\sseq\s+(\d+-\d+)"),
    "times": re.compile(r"\stimes\s+(\d+-\d+)"),
    "since": re.compile(r"\ssince\s+(\d{4})\b"),
    "alone": re.compile(r"\s(alone)\b"),
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


_CONDITION = re.compile(r"\b(since|until|not|only) ((?:(?! (?:since|until|not|only) ).)+)")


def _pool_value(text: str, held: bool) -> PoolValue:
    text, _, fits = text.partition(" @ ")
    given = {key: value.strip() for key, value in _CONDITION.findall(fits)}
    said, *rest = (part.strip() for part in text.split(">"))
    wider = [part.strip() for one in rest for part in one.split("|") if part.strip()]
    return PoolValue(
        tuple(part.strip() for part in said.split("~") if part.strip()),
        tuple(one for one in wider if one[0] != "("),
        held,
        _alternatives(_CONDITION.sub("", fits)),
        (int(given.get("since", 0)), int(given.get("until", 9_999))),
        _alternatives(given.get("not", "")),
        _alternatives(given.get("only", "")),
        tuple(one.strip("()") for one in wider if one[0] == "("),
    )


def _use(key: str) -> str:
    """The use that a line begins with, without its mark."""
    return key[:-1] if key[-1:] in MARKS else key


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
        if self._list and key not in ("kind", "section", "aside", "fact"):
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
        elif self._fact is not None and (_use(key) in USES or key in ("label", "mask")):
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
        elif key == "aside":
            kind.asides.add(len(kind.sections))
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
            raise DataError(
                f"{rest!r:.120}: expected 'fact NAME TYPE [?p] [@TIME] [seq A-B] [times A-B] [since YEAR] [alone] "
                "[with …]'."
            )
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
            since=int(given.get("since", 0)),
            alone="alone" in given,
        )

    def _worded(self, key: str, rest: str, held: bool) -> None:
        assert self._fact is not None
        if key == "label":
            self._fact.labels += _alternatives(rest)
        elif key == "mask":
            if self._fact.object.kind in FIGURES:
                raise DataError(
                    f"mask {rest!r:.80}: a {self._fact.object.kind} is told round, never masked; remove the line."
                )
            self._fact.masks += _alternatives(rest)
        else:
            use, known = _use(key), self._fact.wordings
            asserts = MARKS.get(key[len(use) :], use not in CASUAL)
            ways = variants(rest, held, asserts) if use in CLAIMED else (wording(rest, held, asserts),)
            known[use] = (*known.get(use, ()), *ways)


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


_CODE = "58"  # whoever changes what pages say by code, not by data, gives it another value


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
