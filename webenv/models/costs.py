"""Costs: what chat models were asked for, what that costs by a user's prices, and where it ends."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, NamedTuple

from webenv.errors import CostLimitReached, DataError, InvalidArgument, did_you_mean
from webenv.models.settings import ListedModel
from webenv.runtime.files import read_text

_EVERY = 1.0  # seconds between two reports of what was used
_LARGEST = 30  # digits of an amount before its point, or zeros after it
_ZERO = Decimal(0)


# ── prices ────────────────────────────────────────────────────────────────────


class Price(NamedTuple):
    """US dollars for a million tokens: read, read from the endpoint's cache, and written."""

    input: Decimal
    output: Decimal
    cached_input: Decimal

    def of(self, prompt: int, cached: int, completion: int) -> Decimal:
        """What this many tokens cost, in US dollars; ``cached`` are a part of ``prompt``."""
        total = (prompt - cached) * self.input + cached * self.cached_input + completion * self.output
        return total.scaleb(-6)


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
    def read(cls, path: str | Path, others: Mapping[str, Any] | None = None) -> Prices:
        """The prices of a JSON file: ``{"<model>": {"input": 0.4, "output": 1.6, "cached_input": 0.1}, …}``.

        Args:
            path: the file.
            others: what models cost that it does not name.

        Raises:
            DataError: if the file cannot be read, or is no such table.
        """
        name = f"price table {str(path)!r}"
        text = read_text(path, "price table")
        try:
            table = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_once)
            return cls({**(others or {}), **table} if isinstance(table, dict) else table, name)
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
    whole, _, rest = plain_amount(Decimal(f"{amount:.4f}")).partition(".")
    return f"${int(whole):,}.{rest.ljust(2, '0')}"


def plain_amount(amount: Decimal) -> str:
    """All digits of an amount, without an exponent and without zeros at the end.

    >>> plain_amount(Decimal("1E+1")), plain_amount(Decimal("0.250"))
    ('10', '0.25')
    """
    text = format(amount, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _amount(given: object) -> Decimal:
    """An amount of money from 0.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(given, bool) or not isinstance(given, Decimal | int | float | str):
        raise ValueError(f"{given!r:.60} is no amount")
    try:
        amount = Decimal(str(given))
    except InvalidOperation as error:
        raise ValueError(f"{given!r:.60} is no amount") from error
    if not amount.is_finite() or amount < 0 or not -_LARGEST <= amount.adjusted() <= _LARGEST:
        raise ValueError(f"{given!r:.60} is no amount from 0")
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
            amounts[field] = _amount(one)
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


# ── what was used ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Usage:
    """What a model was asked for.

    An attempt is of unknown cost from the moment it is sent until the endpoint has told what it counted:
    what was cut, came too late or holds no count stays so. An answer that is an error (as 429 or 500) costs nothing.

    Attributes:
        requests: attempts that were sent.
        retries: of these, those that followed another one of the same conversation.
        prompt_tokens: tokens that were read.
        cached_tokens: of these, those that the endpoint still had.
        completion_tokens: tokens that were written.
        unknown: attempts whose cost is not known; they are in no sum of tokens or dollars.
        cost: US dollars; ``None`` where there are no prices.
        estimate: US dollars that the attempts of unknown cost may have cost, 0 where there are no prices; it
            counts towards a limit, and is in no sum.
    """

    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    unknown: int = 0
    cost: Decimal | None = None
    estimate: Decimal = _ZERO

    def __add__(self, other: Usage) -> Usage:
        """Both together; the cost is of what has one."""
        priced = self.cost is not None or other.cost is not None
        cost = (self.cost or _ZERO) + (other.cost or _ZERO) if priced else None
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Usage(**counts, cost=cost, estimate=self.estimate + other.estimate)

    def since(self, before: Usage) -> Usage:
        """What was used after ``before``, an earlier reading of the same."""
        cost = self.cost if self.cost is None or before.cost is None else self.cost - before.cost
        counts = {name: getattr(self, name) - getattr(before, name) for name in _COUNTS}
        return Usage(**counts, cost=cost, estimate=max(self.estimate - before.estimate, _ZERO))

    def to_dict(self) -> dict[str, Any]:
        """As plain data; cost and estimate as text with all their digits."""
        counts = {name: getattr(self, name) for name in _COUNTS}
        cost = None if self.cost is None else plain_amount(self.cost)
        return {**counts, "cost": cost, "estimate": plain_amount(self.estimate)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Usage:
        """What :meth:`to_dict` made into data.

        Raises:
            DataError: if it is not of that form.
        """
        try:
            counts = {name: data[name] for name in _COUNTS}
            if any(type(count) is not int or count < 0 for count in counts.values()):
                raise ValueError("a count is no whole number from 0")
            cost = None if data["cost"] is None else _amount(data["cost"])
            return cls(**counts, cost=cost, estimate=_amount(data.get("estimate", 0)))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"usage {data!r:.80} cannot be read: {error}.") from error


_COUNTS = tuple(field.name for field in fields(Usage) if field.name not in ("cost", "estimate"))


class Reservation:
    """An attempt that was sent, and what it may cost until that is known.

    Attributes:
        model: to which model.
        prompt: tokens that it may have read, by an estimate.
        charge: US dollars that it may cost.
    """

    __slots__ = ("charge", "model", "prompt")

    def __init__(self, model: str, prompt: int, charge: Decimal) -> None:
        self.model, self.prompt, self.charge = model, prompt, charge


class CostTracker:
    """Counts what all models of a run use, and says when it is enough.

    The limit is checked before each attempt: at it, or over it, nothing more is sent. Attempts of unknown cost count
    towards it by an estimate, though they are in no sum. While some are in flight, another one is sent only where
    all of them fit by their estimates; one alone is always sent below the limit. So the limit is passed by no more
    than the last attempts cost beyond their estimates. Safe to use from several threads.

    Args:
        prices: what models cost; ``None``: tokens alone are counted.
        limit: US dollars, more than 0; ``None``: none.
        models: models by the names that users give them (:func:`webenv.models.read_models`).

    Raises:
        InvalidArgument: for a limit that is no such number, or one without prices.
    """

    def __init__(
        self,
        prices: Prices | None = None,
        limit: Decimal | int | float | str | None = None,
        models: Mapping[str, ListedModel] | None = None,
    ) -> None:
        self.prices = prices
        self.models: Mapping[str, ListedModel] = models or {}
        self.limit = None if limit is None else _limit(limit)
        if limit is not None and prices is None:
            raise InvalidArgument(f"a cost limit of {limit} needs prices (--prices FILE): US dollars a million tokens.")
        self._lock = threading.Lock()
        self._used: dict[str, Usage] = {}
        self._in_flight: set[Reservation] = set()
        self._reserved = _ZERO
        self._previous = Usage(cost=_ZERO)
        self._report: Callable[[], None] | None = None
        self._reported = 0.0
        self._notes: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What models were found to do beside what was asked of them, one line each."""
        with self._lock:
            return tuple(f"{what}: {example}" for what, example in self._notes.items())

    def note(self, what: str, example: str) -> None:
        """Keeps a note; of those that say the same, the first example."""
        with self._lock:
            self._notes.setdefault(what, example)

    def check(self, model: str) -> None:
        """Refuses a model that the prices lack.

        Raises:
            InvalidArgument: naming it.
        """
        if self.prices is not None:
            self.prices.price(model)

    def reserve(self, model: str, prompt: int = 0, completion: int = 0, *, retry: bool = False) -> Reservation | None:
        """An attempt is about to be sent; its cost is unknown until :meth:`settle`.

        Args:
            model: which.
            prompt: tokens that it may read, by an estimate, from 0.
            completion: tokens that it may write at most, from 0.
            retry: whether it follows another one of the same request.

        Returns:
            The attempt; ``None`` where it has to wait for others in flight, as the limit may not hold them all.

        Raises:
            CostLimitReached: if it may not be sent.
        """
        with self._lock:
            attempt = Reservation(model, prompt, self._cost(model, prompt, 0, completion) or _ZERO)
            if self.limit is not None:
                if self._over():
                    raise self._error()
                if self._in_flight and self._charged() + attempt.charge > self.limit:
                    return None
            self._in_flight.add(attempt)
            self._reserved += attempt.charge
            self._add(model, Usage(requests=1, retries=int(retry), unknown=1, estimate=attempt.charge))
            return attempt

    def settle(self, attempt: Reservation, prompt: int = 0, cached: int = 0, completion: int = 0) -> None:
        """The cost of an attempt in flight has become known; without tokens, it is none.

        Args:
            attempt: which.
            prompt: tokens that were read, from 0.
            cached: of these, those that the endpoint still had; what exceeds them is not counted.
            completion: tokens that were written, from 0.
        """
        cached = min(cached, prompt)
        with self._lock:
            self._end(attempt)
            cost = self._cost(attempt.model, prompt, cached, completion)
            self._add(attempt.model, Usage(0, 0, prompt, cached, completion, -1, cost, -attempt.charge))

    def release(self, attempt: Reservation, completion: int | None = None) -> None:
        """An attempt is over and its cost stays unknown; nothing, if that was settled.

        Args:
            attempt: which.
            completion: tokens that it may have written, by a better estimate than when it was sent.
        """
        with self._lock:
            if self._end(attempt) and completion is not None:
                better = self._cost(attempt.model, attempt.prompt, 0, completion) or _ZERO
                self._add(attempt.model, Usage(estimate=better - attempt.charge))

    def error(self) -> CostLimitReached:
        """The error for a limit that is reached, with what is spent now."""
        with self._lock:
            return self._error()

    @property
    def reached(self) -> bool:
        """Whether nothing more may be sent."""
        with self._lock:
            return self._over()

    @property
    def spent(self) -> Decimal:
        """US dollars that are known to be spent, what was carried over included."""
        with self._lock:
            return self._total().cost or _ZERO

    @property
    def charged(self) -> Decimal:
        """US dollars that count towards the limit: what is spent, and the estimate of what may be."""
        with self._lock:
            return self._charged()

    @property
    def usage(self) -> dict[str, Usage]:
        """What each model was asked for so far, models in the order of the alphabet; nothing of what was before.

        Attempts that are in flight count as of unknown cost."""
        with self._lock:
            return dict(sorted(self._used.items()))

    def add_previous(self, previous: Mapping[str, Usage]) -> None:
        """Counts what was spent before, when the same run was played in part, towards the limit."""
        with self._lock:
            for used in previous.values():
                self._previous += Usage(cost=used.cost, estimate=used.estimate, unknown=used.unknown)

    @contextmanager
    def reporting(self, report: Callable[[], None]) -> Iterator[None]:
        """While the block runs, ``report`` is called in seconds in which replies come, by whoever asked for them."""
        before, self._report = self._report, report
        try:
            yield
        finally:
            self._report = before

    def tick(self) -> None:
        """Replies have come: whoever called for them may report."""
        now = time.monotonic()
        if self._report is not None and now - self._reported >= _EVERY:
            self._reported = now
            self._report()

    def _cost(self, model: str, prompt: int, cached: int, completion: int) -> Decimal | None:
        return None if self.prices is None else self.prices.price(model).of(prompt, cached, completion)

    def _end(self, attempt: Reservation) -> bool:
        """Takes an attempt out of those in flight; whether it was one."""
        if attempt not in self._in_flight:
            return False
        self._in_flight.remove(attempt)
        self._reserved -= attempt.charge
        return True

    def _add(self, model: str, more: Usage) -> None:
        before = self._used.get(model, Usage(cost=None if self.prices is None else _ZERO))
        self._used[model] = before + more

    def _total(self) -> Usage:
        return sum(self._used.values(), self._previous)

    def _charged(self) -> Decimal:
        total = self._total()
        return (total.cost or _ZERO) + total.estimate

    def _over(self) -> bool:
        """Whether the limit is reached by what is over; what is in flight may yet cost less than its estimate."""
        return self.limit is not None and self._charged() - self._reserved >= self.limit

    def _error(self) -> CostLimitReached:
        total = self._total()
        more = ""
        if total.unknown:
            attempts = "1 attempt" if total.unknown == 1 else f"{total.unknown:,} attempts"
            more = f", and {attempts} of unknown cost, by an estimate {dollars(total.estimate)}"
        limit, spent = plain_amount(self.limit or _ZERO), dollars(total.cost)
        return CostLimitReached(
            f"the cost limit of ${limit} is reached: {spent} spent{more}; go on with a higher limit."
        )


def _limit(given: Decimal | int | float | str) -> Decimal:
    try:
        limit = _amount(given)
        if limit > 0:
            return limit
    except ValueError:
        pass
    raise InvalidArgument(f"cost limit {given!r:.60}: expected US dollars, more than 0.")
