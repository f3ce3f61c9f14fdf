"""Prices: what chat models cost, by a user's table, and exact amounts of money."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Context, Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import DataError, InvalidArgument, did_you_mean
from webenv.runtime.files import read_text

EXACT = Context(prec=200)
"""Sums and products of money are exact in it, whatever precision a caller has set."""

_MILLION = 6  # digits; prices are per million tokens
_LARGEST = 30  # digits of an amount before its point, or zeros after it
_DIGITS = 100  # of an amount


class Price(NamedTuple):
    """US dollars for a million tokens: read, read from the endpoint's cache, and written."""

    input: Decimal
    output: Decimal
    cached_input: Decimal

    def of(self, prompt: int, cached: int, completion: int) -> Decimal:
        """What this many tokens cost, in US dollars, exactly; ``cached`` are a part of ``prompt``."""
        parts = ((prompt - cached, self.input), (cached, self.cached_input), (completion, self.output))
        total = Decimal(0)
        for tokens, price in parts:
            total = EXACT.add(total, EXACT.multiply(Decimal(tokens), price))
        return EXACT.scaleb(total, -_MILLION)


class Prices:
    """What models cost, by a table of the user's.

    Args:
        table: model → ``input`` and ``output``, US dollars for a million tokens, and ``cached_input``, which is
            ``input`` where it is not given.
        name: what messages call the table.

    Raises:
        InvalidArgument: for an empty table, a price that is no number from 0, or one that is missing.
    """

    def __init__(
        self, table: Mapping[str, Mapping[str, Decimal | int | float | str]], name: str = "the prices"
    ) -> None:
        if not isinstance(table, Mapping) or not table:
            raise InvalidArgument(f'{name}: expected {{"<model>": {{"input": 0.4, "output": 1.6}}, …}}, in US dollars.')
        self.name = name
        self._prices = {model: _price(name, model, given) for model, given in table.items()}

    @classmethod
    def read(cls, path: str | Path) -> Prices:
        """The prices of a JSON file: ``{"<model>": {"input": 0.4, "output": 1.6, "cached_input": 0.1}, …}``.

        Raises:
            DataError: if the file cannot be read, or is no such table.
        """
        name = f"price table {str(path)!r}"
        text = read_text(path, "price table")
        try:
            table = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_once)
            return cls(table, name)
        except InvalidArgument as error:
            raise DataError(f"{error}" if str(error).startswith(name) else f"{name}: {error}") from error
        except (ValueError, RecursionError) as error:
            raise DataError(f"{name} is no JSON: {error}.") from error

    def price(self, model: str) -> Price:
        """What a model costs.

        Raises:
            InvalidArgument: if the table lacks it.
        """
        if model not in self._prices:
            raise InvalidArgument(f"{self.name} has no price for model {model!r}. {did_you_mean(model, self._prices)}")
        return self._prices[model]


def dollars(amount: Decimal | None) -> str:
    """An amount for a person to read, with two to four digits after the point; a dash where there is none.

    >>> dollars(Decimal("1234.5")), dollars(Decimal("0.12345")), dollars(Decimal("0.00001")), dollars(None)
    ('$1,234.50', '$0.1234', 'under $0.0001', '–')
    """
    if amount is None:
        return "–"
    if 0 < amount < Decimal("0.0001"):
        return "under $0.0001"
    whole, _, rest = plain_amount(EXACT.quantize(amount, Decimal("0.0001"))).partition(".")
    return f"${int(whole):,}.{rest.ljust(2, '0')}"


def plain_amount(amount: Decimal) -> str:
    """All digits of an amount, without an exponent and without zeros at the end.

    >>> plain_amount(Decimal("1E+1")), plain_amount(Decimal("0.250"))
    ('10', '0.25')
    """
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def read_amount(given: object) -> Decimal:
    """An amount of money from 0.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(given, bool) or not isinstance(given, Decimal | int | float | str):
        raise ValueError(f"{given!r:.60} is no amount")
    try:
        amount = Decimal(repr(given) if isinstance(given, float) else given)
    except InvalidOperation as error:
        raise ValueError(f"{given!r:.60} is no amount") from error
    if not amount.is_finite() or amount < 0 or not -_LARGEST <= amount.adjusted() <= _LARGEST:
        raise ValueError(f"{given!r:.60} is no amount from 0")
    if len(amount.as_tuple().digits) > _DIGITS:
        raise ValueError(f"{given!r:.60} has more than {_DIGITS} digits")
    return amount.copy_abs()


def _price(name: str, model: str, given: Any) -> Price:
    if not isinstance(given, Mapping):
        raise InvalidArgument(f'{name}: {model!r} is {given!r:.60}; expected {{"input": 0.4, "output": 1.6}}.')
    for field in given:
        if field not in Price._fields:
            raise InvalidArgument(f"{name}: {model!r} has a price {field!r:.60}. {did_you_mean(field, Price._fields)}")
    for field in ("input", "output"):
        if field not in given:
            raise InvalidArgument(f"{name}: {model!r} lacks {field!r}, US dollars for a million tokens.")
    amounts = {}
    for field, one in given.items():
        try:
            amounts[field] = read_amount(one)
        except ValueError as error:
            raise InvalidArgument(
                f"{name}: {field} of {model!r} is {one!r:.60}; expected US dollars for a million tokens, from 0."
            ) from error
    return Price(amounts["input"], amounts["output"], amounts.get("cached_input", amounts["input"]))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise InvalidArgument(f"{name!r:.60} stands in it twice; give it once.")
        found[name] = value
    return found
