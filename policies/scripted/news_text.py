"""What a sentence of the news holds: words of like sense, names, days and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from webenv.policies.scripted.reading import stem, tokens

_LINES = [
    line.partition(":")
    for line in Path(__file__).with_name("senses.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_EVENTS = {head[2:]: [tokens(part) for part in rest.split("|")] for head, _, rest in _LINES if head.startswith("& ")}
_SENSES = {head: tokens(rest) for head, _, rest in _LINES if not head.startswith("& ")}
_MOST_KIN = 12


def _by_stem(groups: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The names of the groups that have a word of a stem."""
    found: dict[str, set[str]] = {}
    for name, words in groups.items():
        for word in words:
            found.setdefault(stem(word), set()).add(name)
    return {form: frozenset(names) for form, names in found.items()}


NOUNS = frozenset(stem(word) for parts in _EVENTS.values() for word in parts[0])
"""Stems of the nouns that name an event by themselves, as in "the fire"."""

_KINDS = {
    stem(form): kinds
    for form, kinds in _by_stem({kind: parts[0] + parts[1] for kind, parts in _EVENTS.items()}).items()
}  # stemmed twice, as "openings" needs it
_MEANT = _by_stem(_SENSES)


def event_kinds(text: str) -> frozenset[str]:
    """The kinds of event that a text names.

    >>> sorted(event_kinds("a blaze in the harbour"))
    ['fire']
    """
    return frozenset(kind for word in tokens(text) for kind in _KINDS.get(stem(stem(word)), ()))


def nouns_of(kinds: Iterable[str]) -> tuple[str, ...]:
    """The nouns that name events of some kinds."""
    return tuple(noun for kind in sorted(kinds) for noun in _EVENTS[kind][0])


def words_of(kinds: Iterable[str]) -> tuple[str, ...]:
    """The words by which reports of events of some kinds are known, nouns first."""
    return tuple(dict.fromkeys(word for kind in sorted(kinds) for part in _EVENTS[kind] for word in part))


def kin(form: str) -> tuple[str, ...]:
    """Words that share the narrowest senses of a stem, at most twelve."""
    meant = sorted(senses(form), key=lambda sense: (len(_SENSES[sense]), sense))
    return tuple(dict.fromkeys(word for sense in meant[:2] for word in _SENSES[sense]))[:_MOST_KIN]


@lru_cache(maxsize=65_536)
def senses(form: str) -> frozenset[str]:
    """The senses that a stem may have."""
    return _MEANT.get(form, frozenset())


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
CURRENCIES = frozenset(
    tokens("crown crowns dollar dollars euro euros pound pounds franc francs yen yuan rupee rupees krona kronor")
)
_MONTH = "|".join(MONTHS)
_DAY = re.compile(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b|\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b")
_NUMBER = re.compile(r"([$€£¥]\s?)?(?<![\w.,])(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?: (million|billion))?(?: ([^\W\d_]+))?")
_CAPITAL = r"[A-ZÀ-ÖØ-Þ][^\W\d_]*(?:['’-][^\W\d_]+)*(?<!['’]s)"
_NAME = re.compile(rf"(?:\b[Tt]he )?\b{_CAPITAL}(?:(?: of| &| de| van| von)? {_CAPITAL})*")
_BODIES = frozenset(
    re.findall(
        r"[\w-]+",
        "Academy Agency Association Authority Bank Board Brothers Bureau Chamber Church Club College "
        "Commission Committee Company Corporation Council Court Department Federation Foundation Fund Group "
        "Guild House Inc Institute League Limited Line Lines Ltd Ministry Movement Museum Office Orchestra "
        "Organisation Organization Party Press School Service Society Sons Theatre Trust Union University",
    )
)
# Words with which sentences begin, in capitals there, that are parts of no name.
_OPENERS = frozenset(
    re.findall(
        r"[\w-]+",
        "A About According After All Also Although An And Any As Asked At Because Before Both But By Each "
        "Earlier Even Every Few For From Had Has He Her Here His How However If In It Its Just Last Later "
        "Many Meanwhile Mr Mrs Ms My No Not Now Of On Once One Only Or Other Our Out Over Since So Some "
        "Somebody Someone Still Such That The Their Then There These They This Those Though Thus To Today "
        "Under Until Up Was We What When Where Whether Which While Who With Without Yesterday Yet You",
    )
)


class Mention(NamedTuple):
    """Something that a text names.

    Attributes:
        sort: ``person``, ``body`` (an organisation), ``place``, ``day``, ``money``, ``number`` or ``year``.
        text: as the text has it; a name without "the".
        start: its place in the text.
        end: the place behind it.
        unit: of a number or sum, the word behind it, in lower case; of a body "named", where its name says that it is
            one; else empty.
        first: whether it is a single word that begins the sentence, and so may be no name.
    """

    sort: str
    text: str
    start: int
    end: int
    unit: str = ""
    first: bool = False


@lru_cache(maxsize=65_536)
def mentions(sentence: str) -> tuple[Mention, ...]:
    """What a sentence names, in order of sort, then place."""
    found: list[Mention] = []
    taken: list[tuple[int, int]] = []
    for match in _DAY.finditer(sentence):
        day, month, year = match.groups()[:3] if match[1] else (match[5], match[4], match[6])
        found.append(Mention("day", f"{int(day)} {month} {year}", *match.span()))
        taken.append(match.span())
    for match in _NUMBER.finditer(sentence):
        if not any(start <= match.start() < end for start, end in taken):
            found.append(_figure(match))
    for match in _NAME.finditer(sentence):
        if not any(start <= match.start() < end or match.start() <= start < match.end() for start, end in taken):
            found.extend(_names(match, sentence))
    return tuple(found)


def _figure(match: re.Match[str]) -> Mention:
    sign, whole, decimals, scale, unit = match.groups()
    unit = (unit or "").lower()
    text = (sign or "").strip() + whole + (decimals or "") + (f" {scale}" if scale else "")
    end = match.end(4) if scale else match.end(3) if decimals else match.end(2)
    if sign or unit in CURRENCIES:
        return Mention("money", text if sign else f"{text} {match[5]}", match.start(), match.end(), unit)
    bare = "," not in whole and not decimals and not scale
    if bare and len(whole) == 4 and "1000" <= whole <= "2100":
        return Mention("year", whole, match.start(), end, unit)
    return Mention("number", text, match.start(), end, unit)


def _names(match: re.Match[str], sentence: str) -> list[Mention]:
    """The name of a run of capitals: a body, a person (two or more words), or else a place."""
    text, start = match[0], match.start()
    article = text[:4].lower() == "the "
    words = text[4:].split() if article else text.split()
    offset = start + 4 * article
    while words and words[0] in _OPENERS and not (len(words) > 1 and words[1] in ("of", "&")):
        offset += len(words[0]) + 1
        words = words[1:]
    if not words:
        return []
    name = " ".join(words)
    end = offset + len(name)
    if words[0] in MONTHS and len(words) == 1:
        return []
    if _BODIES.intersection(words) and len(words) > 1:
        return [Mention("body", name, offset, end, "named")]
    if len(words) == 1:
        before = sentence[:offset].rstrip()
        return [Mention("place", name, offset, end, first=not before or before[-1] in '.!?“":')]
    if article:
        return [Mention("body", name, offset, end)]
    return [Mention("person", name, offset, end)]
