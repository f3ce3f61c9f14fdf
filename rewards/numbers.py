"""Numbers in short answers: their value, their precision and their unit."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal, NamedTuple

from webenv.query_terms import TENS, UNITS
from webenv.rewards.normal_form import normalise

_MAGNITUDES = {
    "k": 3, "thousand": 3, "m": 6, "mn": 6, "million": 6, "b": 9, "bn": 9, "billion": 9, "tn": 12, "trillion": 12,
    "百": 2, "千": 3, "万": 4, "十万": 5, "百万": 6, "千万": 7, "亿": 8, "十亿": 9, "百亿": 10, "千亿": 11, "万亿": 12,
}  # fmt: skip
_OF_MONEY = ("m", "b")  # beside a currency alone: 5m may be metres
_WORD = "|".join(sorted((word for word in _MAGNITUDES if word.isascii()), key=len, reverse=True))
_SIGN = "|".join(sorted((word for word in _MAGNITUDES if not word.isascii()), key=len, reverse=True))
_NUMBER = re.compile(
    rf"([$€£¥₹]?)\s*+(-?)\s*+([$€£¥₹]?)\s*+(\d+(?:\.\d+)?)(?:\s*(?:({_WORD})(?![^\W\d_])|({_SIGN})))?(?![\d.])(\s*)(.*)",
    re.DOTALL,
)

_TENS = {word: 10 * n for n, word in enumerate(TENS, start=2)}
_WORDS = {word: n for n, word in enumerate(UNITS)} | _TENS
_CHINESE = {"〇": 0, "零": 0, "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9}
_CHINESE_NUMBER = re.compile("[〇零一二两三四五六七八九十百千万亿]+")

_WRITTEN = {  # the form that is compared, and others of the same
    "$": "dollar dollars usd us$", "€": "euro euros eur", "£": "gbp", "₹": "inr", "¥": "jpy yen",
    "元": "cny rmb yuan 人民币", "crown": "crowns", "%": "percent pct",
    "km": "kilometre kilometres kilometer kilometers kms", "m": "metre metres meter meters",
    "cm": "centimetre centimetres centimeter centimeters", "mm": "millimetre millimetres millimeter millimeters",
    "mile": "miles mi", "foot": "feet ft", "inch": "inches", "yard": "yards yd",
    "kg": "kilogram kilograms kilogramme kilogrammes kilos kgs", "g": "gram grams gramme grammes",
    "mg": "milligram milligrams", "tonne": "tonnes", "ton": "tons", "pound": "pounds lb lbs",
    "litre": "litres liter liters", "ml": "millilitre millilitres milliliter milliliters",
    "hectare": "hectares ha", "acre": "acres", "kmh": "kph", "mph": "",
    "kw": "", "mw": "", "gw": "", "kwh": "", "mwh": "",
    "hour": "hours hr hrs", "minute": "minutes min mins", "second": "seconds sec secs", "day": "days",
    "week": "weeks", "month": "months", "year": "years yr yrs", "decade": "decades",
    "°c": "celsius", "°f": "fahrenheit", "degree": "degrees",
    "people": "persons", "vote": "votes", "seat": "seats", "job": "jobs", "post": "posts",
    "worker": "workers", "employee": "employees", "student": "students", "resident": "residents", "member": "members",
    "visitor": "visitors", "passenger": "passengers", "soldier": "soldiers", "victim": "victims", "death": "deaths",
    "injury": "injuries", "case": "cases", "country": "countries", "state": "states", "city": "cities",
    "home": "homes", "house": "houses", "unit": "units", "point": "points", "goal": "goals", "run": "runs",
    "game": "games", "match": "matches", "medal": "medals", "win": "wins", "episode": "episodes",
    "season": "seasons", "page": "pages", "share": "shares", "copy": "copies", "view": "views",
    "download": "downloads", "user": "users", "time": "times",
    "人": "", "名": "", "个": "", "岁": "", "公里": "", "米": "", "公斤": "", "吨": "", "小时": "", "分钟": "",
    "天": "", "次": "",
}  # fmt: skip
_UNITS = {form: unit for unit, forms in _WRITTEN.items() for form in (unit, *forms.split())}
_LONG_UNITS = {"per cent": "%", "pounds sterling": "£", "us dollars": "$", "us dollar": "$", "degrees celsius": "°c",
               "degrees fahrenheit": "°f", "square kilometres": "square km", "square kilometers": "square km",
               "square metres": "square m", "square meters": "square m"}  # fmt: skip
_CURRENCIES = "$€£¥₹元"
_MONEY = re.compile(
    "aud|cad|nzd|hkd|sgd|twd|chf|sek|nok|dkk|krw|brl|mxn|zar|rub|try|pln|czk|huf|thb|aed|sar|ils"
    r"|(?:a|au|c|ca|nz|hk|s|nt|r) \$"
)
"""Currencies without a sign of their own, as they stand before a number."""


class Number(NamedTuple):
    """A number with its unit.

    Attributes:
        value: the number, its magnitude word counted in (``120k`` is 120,000).
        last: the power of ten of its last significant figure; zeros that end a whole number are not significant.
        unit: what stands beside it, normalised, a known unit in one form for all ways to write it; but for a
            currency, "…" follows what stands before it; empty: nothing.
        whole: whether it is written out as a whole number, without a magnitude word.
        bare: whether it is the same number without its unit: nothing but a currency stands before it, nothing
            but one of a closed list of units and nouns of measure after it.
    """

    value: Decimal
    last: int
    unit: str
    whole: bool
    bare: bool = True


def read_number(text: str) -> Number | None:
    """The number that a text is, with a unit or without; ``None``: it is none, or holds two.

    It may begin with a number in words (to ninety-nine, or Chinese).

    >>> read_number("120k"), read_number("3.10 kilometres")
    (Number(value=Decimal('1.20E+5'), last=4, unit='', whole=False, bare=True), Number(value=Decimal('3.10'), last=-2, \
unit='km', whole=False, bare=True))
    >>> read_number("100 to 120"), read_number("about 100"), read_number("five million dollars").unit
    (None, Number(value=Decimal('100'), last=2, unit='about …', whole=True, bare=False), '$')
    """
    said = _in_figures(normalise(text))
    first = re.search(r"(?<![-$€£¥₹])[-$€£¥₹]*+\d", said)
    found = None if first is None else _NUMBER.fullmatch(said[first.start() :])
    if first is None or found is None or re.search(r"\d", found[8]):
        return None
    try:
        value = Decimal(found[2] + found[4])
    except InvalidOperation:
        return None
    before, after = said[: first.start()].strip(), found[8].strip()
    sign, word = found[1] or found[3], found[5] or found[6] or ""
    power = _MAGNITUDES.get(word, 0)
    unit = _unit(after, power)
    if word in _OF_MONEY and not (sign or (unit and unit in _CURRENCIES)):
        after, power = f"{word} {after}".strip(), 0
        unit = _unit(after, power)
    money = " ".join(part for part in (before, sign) if part)
    known = _UNITS.get(money.replace(" ", ""), "")
    known = known if known and known in _CURRENCIES else f"{money} …" if money else ""
    fraction = len(found[4].partition(".")[2])
    zeros = 0 if fraction or not value else len(found[4]) - len(found[4].rstrip("0"))
    attached = len(after) == 1 and after.isascii() and not found[7] and after != "%"
    return Number(
        value.scaleb(power),
        power - fraction + zeros,
        " ".join(dict.fromkeys(part for part in (known, unit) if part)),
        not fraction and not power,
        (not money or known in _CURRENCIES or _MONEY.fullmatch(money) is not None)
        and (not after or (not attached and unit in _WRITTEN) or after in _LONG_UNITS),
    )


def number_match(answer: str, gold: str, *, whole: Literal["rounded", "exact"] = "rounded") -> bool:
    """Whether an answer is the gold's number, right to the gold's last significant figure.

    The answer is rounded at that figure, halves away from zero (SimpleQA; Wei et al., 2024), at two figures
    of the gold at least. Units must agree in any of their known forms, or be missing in the answer where
    the gold is no other thing without (:attr:`Number.bare`); whatever else stands beside the number (about,
    more than, or a second number) is no match.

    *Differs from* SimpleQA: there 1.4 million is 1 million; here a gold of one figure counts as of two, and
    what is off by more than 5% of the gold is no match.

    Args:
        answer: the answer.
        gold: what it is held against.
        whole: of a gold that is a whole number written out (1900, 2,000), ``rounded``: the zeros at its
            end are not significant; ``exact``: the numbers must be equal, as it may be a year or a count.

    >>> [number_match(said, "120k") for said in ("120k", "124k", "115,000", "113k", "about 120k")]
    [True, True, True, False, False]
    >>> number_match("500,000", "1 million"), number_match("19", "COVID-19"), number_match("19", "19 people")
    (False, False, True)
    >>> number_match("1950", "2000"), number_match("1950", "2000", whole="exact")
    (True, False)
    """
    said, meant = read_number(answer), read_number(gold)
    if said is None or meant is None or not _same_unit(said, meant):
        return False
    if meant.whole and whole == "exact":
        return said.value == meant.value
    last = min(meant.last, meant.value.adjusted() - 1)
    try:
        rounded = said.value.quantize(Decimal(1).scaleb(last), ROUND_HALF_UP)
    except InvalidOperation:  # more figures than a Decimal holds
        return said.value == meant.value
    return rounded == meant.value and abs(said.value - meant.value) * 20 <= abs(meant.value)


def _same_unit(said: Number, meant: Number) -> bool:
    if said.unit == meant.unit or (not said.unit and meant.bare):
        return True
    return said.unit == "元" and not meant.unit  # what Chinese sums are in, said or not


def _unit(after: str, power: int) -> str:
    """A unit in the form that is compared."""
    if after == "pounds" and power >= 6:  # millions of pounds are money
        return "£"
    return _LONG_UNITS.get(after) or _UNITS.get(after, after)


def _in_figures(said: str) -> str:
    """A normal form that begins with a number in words, with it in figures."""
    chinese = _CHINESE_NUMBER.match(said)
    if chinese is not None:
        value = _chinese(chinese[0])
        return said if value is None else f"{value}{said[chinese.end() :]}"
    words = said.split(" ")
    if words[0] not in _WORDS:
        return said
    value, used = _WORDS[words[0]], 1
    if words[0] in _TENS and len(words) > 1 and 0 < _WORDS.get(words[1], 0) < 10:
        value, used = value + _WORDS[words[1]], 2
    return " ".join([str(value), *words[used:]])


def _chinese(signs: str) -> int | None:
    """The number that Chinese numerals are; ``None``: they are none, such as two digits without a place."""
    total = section = digit = 0
    open_digit, last = False, 10**13
    for sign in signs:
        if sign in _CHINESE:
            if open_digit and digit:
                return None
            digit, open_digit = _CHINESE[sign], True
            continue
        place = {"十": 10, "百": 100, "千": 1_000, "万": 10**4, "亿": 10**8}[sign]
        if place < 10**4:
            if not open_digit and sign != "十":
                return None
            section += (digit if open_digit and digit else 1) * place
        else:
            section += digit
            if not section or place >= last:
                return None
            total, section, last = (total + section) * place, 0, place
        digit, open_digit = 0, False
    return total + section + digit
