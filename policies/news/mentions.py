"""Mentions: the people, bodies, places, days, sums and numbers that a text names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
CURRENCIES = frozenset(
    re.findall(
        r"[\w-]+",
        "crown crowns dollar dollars euro euros pound pounds franc francs yen yuan rupee rupees krona kronor",
    )
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


def same_name(one: str, other: str) -> bool:
    """Whether two names are of the same, whatever their case and article.

    >>> same_name("the Crerev Academy", "The Crerev Academy")
    True
    """
    return _plain(one) == _plain(other)


def _plain(name: str) -> str:
    return " ".join(name.lower().removeprefix("the ").split())


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
