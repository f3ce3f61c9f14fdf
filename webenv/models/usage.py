"""Usage: what chat models were asked for, what it cost by a user's prices, and where that ends."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, NamedTuple

from webenv.errors import CostLimitReached, DataError, InvalidArgument
from webenv.models.prices import EXACT, Prices, dollars, plain_amount, read_amount

_EVERY = 1.0  # seconds between two reports of what was used


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
        cost: US dollars, exactly; ``None`` where there are no prices.
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
    estimate: Decimal = Decimal(0)

    def __add__(self, other: Usage) -> Usage:
        """Both together; the cost is of what has one."""
        priced = self.cost is not None or other.cost is not None
        cost = EXACT.add(self.cost or Decimal(0), other.cost or Decimal(0)) if priced else None
        estimate = EXACT.add(self.estimate, other.estimate)
        counts = {name: getattr(self, name) + getattr(other, name) for name in _COUNTS}
        return Usage(**counts, cost=cost, estimate=estimate)

    def since(self, before: Usage) -> Usage:
        """What was used after ``before``, an earlier reading of the same."""
        cost = self.cost if self.cost is None or before.cost is None else EXACT.subtract(self.cost, before.cost)
        estimate = max(EXACT.subtract(self.estimate, before.estimate), Decimal(0))
        counts = {name: getattr(self, name) - getattr(before, name) for name in _COUNTS}
        return Usage(**counts, cost=cost, estimate=estimate)

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
            cost = None if data["cost"] is None else read_amount(data["cost"])
            return cls(**counts, cost=cost, estimate=read_amount(data.get("estimate", 0)))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"usage {data!r:.80} cannot be read: {error}.") from error


_COUNTS = tuple(field.name for field in fields(Usage) if field.name not in ("cost", "estimate"))


class Sent(NamedTuple):
    """An attempt that was sent.

    Attributes:
        number: which.
        model: to which model.
        prompt: tokens that it may have read, by an estimate.
        completion: tokens that it may have written at most.
    """

    number: int
    model: str
    prompt: int
    completion: int


class CostTracker:
    """Counts what all models of a run use, and says when it is enough.

    The limit is checked before each attempt: at it, or over it, nothing more is sent. Attempts of unknown cost count
    towards it by an estimate, though they are in no sum. While some are in flight, another one is sent only where
    all of them fit by their estimates; one alone is always sent below the limit. So the limit is passed by no more
    than the last attempts cost beyond their estimates. Safe to use from several threads.

    Args:
        prices: what models cost; ``None``: tokens alone are counted.
        limit: US dollars, more than 0; ``None``: none.

    Raises:
        InvalidArgument: for a limit that is no such number, or one without prices.
    """

    def __init__(self, prices: Prices | None = None, limit: Decimal | int | float | str | None = None) -> None:
        self.prices = prices
        self.limit = None if limit is None else _limit(limit)
        if limit is not None and prices is None:
            raise InvalidArgument(f"a cost limit of {limit} needs prices (--prices FILE): US dollars a million tokens.")
        self._lock = threading.Lock()
        self._used: dict[str, Usage] = {}
        self._in_flight: dict[int, Decimal] = {}
        self._reserved = Decimal(0)
        self._numbers = itertools.count()
        self._earlier = Usage(cost=Decimal(0))
        self._report: Callable[[], None] | None = None
        self._reported = 0.0

    def check(self, model: str) -> None:
        """Refuses a model that the prices lack.

        Raises:
            InvalidArgument: naming it.
        """
        if self.prices is not None:
            self.prices.price(model)

    def send(self, model: str, prompt: int = 0, completion: int = 0, *, retry: bool = False) -> Sent | None:
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
            charge = self._price(model, prompt, 0, completion) or Decimal(0)
            if self.limit is not None:
                if self._over():
                    raise self._stop()
                if self._in_flight and EXACT.add(self._charged(), charge) > self.limit:
                    return None
            sent = Sent(next(self._numbers), model, prompt, completion)
            self._in_flight[sent.number] = charge
            self._reserved = EXACT.add(self._reserved, charge)
            self._add(model, Usage(requests=1, retries=int(retry), unknown=1, estimate=charge))
            return sent

    def settle(self, sent: Sent, prompt: int = 0, cached: int = 0, completion: int = 0) -> None:
        """The cost of an attempt has become known; without tokens, it is none.

        Args:
            sent: the attempt, in flight.
            prompt: tokens that were read, from 0.
            cached: of these, those that the endpoint still had; what exceeds them is not counted.
            completion: tokens that were written, from 0.
        """
        cached = min(cached, prompt)
        with self._lock:
            charge = self._land(sent) or Decimal(0)
            cost = self._price(sent.model, prompt, cached, completion)
            self._add(sent.model, Usage(0, 0, prompt, cached, completion, -1, cost, charge.copy_negate()))

    def lose(self, sent: Sent, completion: int | None = None) -> None:
        """An attempt is over and its cost stays unknown; nothing, if that was settled.

        Args:
            sent: the attempt.
            completion: tokens that it may have written, by a better estimate than when it was sent.
        """
        with self._lock:
            charge = self._land(sent)
            if charge is not None and completion is not None:
                better = self._price(sent.model, sent.prompt, 0, completion) or Decimal(0)
                self._add(sent.model, Usage(estimate=EXACT.subtract(better, charge)))

    def stop(self) -> CostLimitReached:
        """The error for a limit that is reached, with what is spent now."""
        with self._lock:
            return self._stop()

    @property
    def reached(self) -> bool:
        """Whether nothing more may be sent."""
        with self._lock:
            return self.limit is not None and self._over()

    @property
    def spent(self) -> Decimal:
        """US dollars that are known to be spent, what was carried over included."""
        with self._lock:
            return self._total().cost or Decimal(0)

    @property
    def charged(self) -> Decimal:
        """US dollars that count towards the limit: what is spent, and the estimate of what may be."""
        with self._lock:
            return self._charged()

    @property
    def usage(self) -> dict[str, Usage]:
        """What each model was asked for so far, models in the order of the alphabet; nothing of what was carried over.

        Attempts that are in flight count as of unknown cost."""
        with self._lock:
            return dict(sorted(self._used.items()))

    def carry(self, earlier: Mapping[str, Usage]) -> None:
        """Counts what was spent before, when the same run was played in part, towards the limit."""
        with self._lock:
            for used in earlier.values():
                self._earlier += Usage(cost=used.cost, estimate=used.estimate, unknown=used.unknown)

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

    def _price(self, model: str, prompt: int, cached: int, completion: int) -> Decimal | None:
        return None if self.prices is None else self.prices.price(model).of(prompt, cached, completion)

    def _land(self, sent: Sent) -> Decimal | None:
        """What was reserved for an attempt in flight; ``None`` if it is not."""
        charge = self._in_flight.pop(sent.number, None)
        if charge is not None:
            self._reserved = EXACT.subtract(self._reserved, charge)
        return charge

    def _add(self, model: str, more: Usage) -> None:
        before = self._used.get(model, Usage(cost=None if self.prices is None else Decimal(0)))
        self._used[model] = before + more

    def _total(self) -> Usage:
        return sum(self._used.values(), self._earlier)

    def _charged(self) -> Decimal:
        total = self._total()
        return EXACT.add(total.cost or Decimal(0), total.estimate)

    def _over(self) -> bool:
        """Whether the limit is reached by what is over; what is in flight may yet cost less than its estimate."""
        return self.limit is not None and EXACT.subtract(self._charged(), self._reserved) >= self.limit

    def _stop(self) -> CostLimitReached:
        total = self._total()
        more = f", and {_unknown(total)}" if total.unknown else ""
        limit = plain_amount(self.limit or Decimal(0))
        spent = dollars(total.cost)
        return CostLimitReached(
            f"the cost limit of ${limit} is reached: {spent} spent{more}; go on with a higher limit."
        )


def _unknown(used: Usage) -> str:
    attempts = "1 attempt" if used.unknown == 1 else f"{used.unknown:,} attempts"
    return f"{attempts} of unknown cost, by an estimate {dollars(used.estimate)}"


def _limit(given: Decimal | int | float | str) -> Decimal:
    try:
        limit = read_amount(given)
        if limit > 0:
            return limit
    except ValueError:
        pass
    raise InvalidArgument(f"cost limit {given!r:.60}: expected US dollars, more than 0.")
