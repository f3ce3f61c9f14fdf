"""The normal form of a short answer: what two ways to write the same have in common."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

LONGEST = 1_000
"""Characters; a longer text is no short answer, and matches nothing."""

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join((*_MONTHS, *(name[:3] for name in _MONTHS), "sept"))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = r"(?:(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tues?|weds?|thur?s?|fri|sat|sun)\.?),?\s+)?"
_DATES = (  # pattern, and which groups are year, month and day
    (rf"\b{_WEEKDAY}({_MONTH})\.?\s+(?:the\s+)?{_DAY}(?:\s*,\s*|\s+)(\d{{4}})\b", (3, 1, 2)),
    (rf"\b{_WEEKDAY}(?:the\s+)?{_DAY}\s+(?:of\s+)?({_MONTH})\.?(?:\s*,\s*|\s+)(\d{{4}})\b", (3, 2, 1)),
    (rf"(?<![\w.-])(\d{{1,2}})([-/])({_MONTH})\2(\d{{4}})(?![\w-])", (4, 3, 1)),
    (r"(?<![\w.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?![\w-]|\.\d)", (1, 3, 4)),
    (r"(\d{4})\s*年\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]", (1, 2, 3)),
    (r"(\d{4})\s*年\s*(\d{1,2})\s*月", (1, 2, 0)),
    (rf"\b({_MONTH})\.?(?:\s*,\s*|\s+(?:of\s+)?)(\d{{4}})\b", (2, 1, 0)),
    (rf"\b{_WEEKDAY}({_MONTH})\.?\s+(?:the\s+)?{_DAY}\b(?!\s*,?\s*\d)", (0, 1, 2)),
    (rf"\b{_WEEKDAY}(?:the\s+)?{_DAY}\s+(?:of\s+)?({_MONTH})\b", (0, 2, 1)),
)
_DATE_PATTERNS = tuple((re.compile(pattern), groups) for pattern, groups in _DATES)
_CHINESE_DATE = re.compile("[〇零一二三四五六七八九十]{1,4}(?=\\s*[年月日号])")
_CHINESE_DIGITS = {sign: str(value) for value, sign in enumerate("〇一二三四五六七八九")} | {"零": "0"}
_WHEN = re.compile(r"(?:on|by|in) (\d{4}(?:-\d\d(?:-\d\d)?)?|--\d\d-\d\d)")

_SUPERSCRIPT = re.compile("[⁰¹²³⁴-⁹₀-₉]+")
_FRACTION = re.compile("(?<=\\d)(?=[¼½¾⅐-⅞])")
_THOUSANDS = re.compile(
    r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])"
    r"|(?<![\d.,])\d{1,3}(?:[\u00a0\u2009\u202f'’]\d{3})+(?!\d)"
    r"|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![.,]?\d)"
)
_SPACED = re.compile(r"[-$€£¥₹\s]*(\d{1,3}(?: \d{3})+)(?:\.\d+)?(?:\s\D*|%)?")  # a whole text: 1 234 km

_MILLI = re.compile(r"(?<=\d)(\s*)m(?=(?:W|Wh|Hz|J|Pa|V|A)\b)")
_MEGA = re.compile(r"(?<=\d)(\s*)M(?=[gml]\b)")
_BITS = re.compile(r"(?<=\d)(\s*[kKMGT])b(?=\b|ps\b)")
_SPACED_INITIALS = re.compile(r"\b([A-Z]) ([A-Z])(?= [A-Z]\w)")
_INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\. ?)+[^\W\d_](?!\w)\.?")
_ARTICLE = re.compile(r"[\W_]*(?:the|an?)(?=['’\"”*_]*\s)")
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])['’ʼ](?=\w)|(?<=\w)['’ʼ](?=[^\W\d_])")
_HALF_OF_DAY = re.compile(r"(?<=\d)\s*(am|pm)\b")

_WRAPS = tuple((one[0], one[1]) for one in ("**", "__", "``", '""', "''", "“”", "‘’", "«»", "「」", "『』", "《》"))
_ENDS = " \t\r\n.,;:!?…。，；：！？"
_DASHES = "-‐‑‒–−"
_BEFORE_SIGN = "\\s(*_`\"'“‘:：$€£¥₹"
_KEPT = {"\ue000": "-", "\ue001": ".", "\ue002": "/", "\ue003": "*", "\ue004": "'", "\ue005": '"'}
"""Punctuation that says something, as it is held while the rest goes; such characters are dropped from what comes."""
_HELD = {kept: held for held, kept in _KEPT.items()} | dict.fromkeys(_DASHES, "\ue000") | {"’": "\ue004"}
_HELD["”"] = "\ue005"
_INVISIBLE = ("Cf", "Cc", "Co", "Cs", "Cn")


def normalise(text: str) -> str:
    """A short answer as it is compared.

    Unicode compatibility forms are folded (NFKC) and case with them, but for that which tells one unit from
    another (mW and MW, mg and Mg, Mb and MB); accents on Latin letters go, letters of another script that
    look like Latin ones stay. Invisible characters and punctuation go, and an article before all else.
    Thousands lose their separators; decimals (.5 is 0.5), a minus before a number in whatever dash, a slash
    between numbers, and at the very end a sign that tells (A-, A*, 5', 5") stay. Initials are written
    together (U.S., J. K.). A date in words or figures becomes ISO's, a month with its year ``2024-03``, a day
    without one ``--03-05``; a text that is a date loses the word before it (on, by, in). Dates whose order
    depends on the country (3/5/2024) stay as they are. A text longer than :data:`LONGEST` gives nothing.

    >>> normalise("The “Eiffel Tower”."), normalise("1,234.50"), normalise("on March 5th, 2024")
    ('eiffel tower', '1234.50', '2024-03-05')
    >>> normalise("-5") == normalise("5"), normalise("C++") == normalise("C"), normalise("Vitamin A")
    (False, False, 'vitamin a')
    """
    if len(text) > LONGEST:
        return ""
    folded = _dated(_numbered(_folded(unwrapped(text))))
    folded = re.sub(r"(?<!\w)#(?=[^\W\d_])", "", _INITIALS.sub(_together, folded))
    folded = _with_signs(_HALF_OF_DAY.sub(r" \1", _APOSTROPHE.sub("", folded)))
    article = _ARTICLE.match(folded)
    folded = "".join(" " if unicodedata.category(one)[0] == "P" and one not in "%#" else one for one in folded)
    for held, kept in _KEPT.items():
        folded = folded.replace(held, kept)
    words = folded.replace("`", " ").split()
    if article and len(words) > 1 and (words[0] == "the" or not words[1][0].isdigit()):
        del words[0]
    said = " ".join(words)
    when = _WHEN.fullmatch(said)
    return when[1] if when else said


def unwrapped(text: str) -> str:
    """A text without the quotation marks or markup that stand around all of it, and without its full stop.

    >>> unwrapped('**"Paris"**.')
    'Paris'
    """
    bare = text.strip()
    while True:
        inner = bare.rstrip(_ENDS)
        wrap = next((one for one in _WRAPS if len(inner) > 2 and inner[0] == one[0] and inner[-1] == one[1]), None)
        if wrap is None:
            return bare
        body = inner.strip(wrap[0]) if wrap[0] in "*_`" else inner[1:-1]
        if wrap[0] in body or wrap[1] in body:
            return bare
        bare = body.strip()


def _folded(text: str) -> str:
    """Compatibility forms, case, accents and invisible characters."""
    text = _FRACTION.sub(" ", text).replace("″", '"').replace("′", "'")
    text = _SUPERSCRIPT.sub(lambda found: f"^{found[0]}", text)
    text = _THOUSANDS.sub(_digits, text)
    text = unicodedata.normalize("NFKC", text).replace("\u2044", "/")
    text = _MILLI.sub(r"\1milli", _MEGA.sub(r"\1mega", _BITS.sub(r"\1bit", text)))
    text = unicodedata.normalize("NFKC", _SPACED_INITIALS.sub(r"\1\2", text).casefold()).replace("i\u0307", "i")
    visible = (one for one in text if one.isspace() or unicodedata.category(one) not in _INVISIBLE)
    return "".join(map(_plain, visible))


def _plain(letter: str) -> str:
    """An accented Latin letter without its accents."""
    base = unicodedata.normalize("NFD", letter)[0]
    return base if base.isascii() and base.isalpha() else letter


def _numbered(text: str) -> str:
    """One form for numbers: no separators of thousands, a figure before the point."""
    text = _THOUSANDS.sub(_digits, text).replace("&", " and ")
    spaced = _SPACED.fullmatch(text)
    if spaced:
        text = text.replace(spaced[1], spaced[1].replace(" ", ""), 1)
    return re.sub(r"(?<![\w.])\.(?=\d)", "0.", text)


def _dated(text: str) -> str:
    """One form for dates."""
    text = _CHINESE_DATE.sub(_chinese_number, text)
    for pattern, groups in _DATE_PATTERNS:
        text = pattern.sub(lambda found, groups=groups: _iso(found, groups), text)  # type: ignore[misc]
    return text


def _with_signs(text: str) -> str:
    """What of punctuation says something is held apart."""
    text = re.sub(r"(?<=\d)\.(?=\d)", "\ue001", text)
    text = re.sub(r"(?<=\d)/(?=\d)", "\ue002", text)
    text = re.sub(rf"^\s*[{_DASHES}]\s*(?=[$€£¥₹]?\d)", "\ue000", text)
    text = re.sub(rf"(?<=[{_BEFORE_SIGN}])[{_DASHES}](?=[$€£¥₹]?\d)", "\ue000", text)
    text = re.sub(r"(?<=\d)['’]\s*(?=\d)", "\ue004 ", text)
    text = re.sub(rf"(?<=\w)[{_DASHES}*](?=[\s.,;:!?…]*$)", _hold, text)
    if not re.search(r"(?:^|\s)['\"“‘]", text):
        text = re.sub(r"(?<=\d)['\"’”](?=[\s.,;:!?…]*$)", _hold, text)
    return text


def _hold(found: re.Match[str]) -> str:
    return _HELD[found[0]]


def _digits(found: re.Match[str]) -> str:
    return re.sub(r"\D", "", found[0])


def _together(found: re.Match[str]) -> str:
    return re.sub(r"[. ]", "", found[0])


def _chinese_number(found: re.Match[str]) -> str:
    """A year by its digits, or a number to 99, in figures."""
    signs = found[0]
    if "十" not in signs:
        return "".join(_CHINESE_DIGITS[sign] for sign in signs)
    tens, _, ones = signs.partition("十")
    if len(tens) > 1 or len(ones) > 1 or "十" in ones:
        return signs
    return f"{_CHINESE_DIGITS[tens] if tens else '1'}{_CHINESE_DIGITS[ones] if ones else '0'}"


def _iso(found: re.Match[str], groups: tuple[int, int, int]) -> str:
    year, month, day = (found[group] if group else "" for group in groups)
    number = int(month) if month.isdigit() else 1 + [name[:3] for name in _MONTHS].index(month[:3])
    try:
        date(int(year or 2000), number, int(day or 1))
    except ValueError:
        return found[0]
    dash = "\ue000"
    if not year:
        return f"{dash}{dash}{number:02}{dash}{int(day):02}"
    return f"{int(year):04}{dash}{number:02}" + (f"{dash}{int(day):02}" if day else "")
