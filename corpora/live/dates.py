"""Dates as search engines write them."""

from __future__ import annotations

import datetime
import re
from email.utils import parsedate

_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)")
_AGO = re.compile(r"(\d{1,4}|an?) (second|minute|min|hour|day|week|month|year)s? ago", re.IGNORECASE)
_DAYS = {"second": 0, "minute": 0, "min": 0, "hour": 0, "day": 1, "week": 7, "month": 28, "year": 365}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_FIRST = re.compile(r"(\d{1,2})\.? ([a-z]{3,9})\.?,? (\d{4})", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? (\d{1,2}),? (\d{4})", re.IGNORECASE)


def latest_day(text: str, today: datetime.date) -> str:
    """The latest day, as an ISO date, that a date may mean; empty where it means none.

    Takes ISO dates, those of e-mail, ``Jan 5, 2024``, ``5 January 2024`` and ``3 weeks ago``.

    >>> latest_day("3 weeks ago", datetime.date(2024, 1, 31)), latest_day("Jan 5, 2024", datetime.date(2024, 1, 31))
    ('2024-01-10', '2024-01-05')
    """
    text = text.strip()[:100]
    try:
        iso = _ISO.match(text)
        if iso:
            return datetime.date(int(iso[1]), int(iso[2]), int(iso[3])).isoformat()
        ago = _AGO.fullmatch(text)
        if ago:
            count = int(ago[1]) if ago[1].isdigit() else 1
            return (today - datetime.timedelta(days=count * _DAYS[ago[2].lower()])).isoformat()
        named = _DAY_FIRST.fullmatch(text)
        if named:
            return _named(named[3], named[2], named[1])
        named = _MONTH_FIRST.fullmatch(text)
        if named:
            return _named(named[3], named[1], named[2])
        mail = parsedate(text)
        return datetime.date(*mail[:3]).isoformat() if mail is not None else ""
    except (ValueError, OverflowError, TypeError, IndexError):
        return ""


def _named(year: str, month: str, day: str) -> str:
    return datetime.date(int(year), _MONTHS.index(month[:3].lower()) + 1, int(day)).isoformat()
