"""Numbers of results that stand for their URLs."""

from __future__ import annotations

import re
from collections.abc import Sequence

from webenv.actions import Action, Kind
from webenv.observations import ObservationDict

RULE = "Results are numbered through the whole work: the number of a result may stand for its URL in a visit."
RULE_OF_ANSWERS = RULE.removesuffix(".") + ", and in the answer."

_NUMBER = re.compile(r"[\[(]?#?(-?\d+)[\])]?\.?")
_BETWEEN = re.compile(r"[\s,;，、；]+|(?<=\])(?=\[)|\bresults?(?=[\s\[(#]*\d)", re.IGNORECASE)
_DIGITS = 9  # of a number that may name something
_FOUND = re.compile(r"(Query \d+ found )results (\d+) to (\d+)\.")


def select(observation: ObservationDict, most: int | None, number: int) -> ObservationDict:
    """An observation with at most so many results of each query, whose notice numbers them from ``number``."""
    if most is None and number == 1:
        return observation
    results, notice = observation["results"], observation["notice"]
    if not results:
        return observation
    groups = [(int(found[2]) - 1, int(found[3])) for found in _FOUND.finditer(notice)]
    told = sum(end - start for start, end in groups) == len(results)  # not so for one query, or a notice that was cut
    groups = groups if told else [(0, len(results))]
    kept: list[dict[str, str]] = []
    spans: list[str] = []
    for start, end in groups:
        shown = results[start : end if most is None else min(end, start + most)]
        spans.append(f"results {number + len(kept)} to {number + len(kept) + len(shown) - 1}.")
        kept += shown
    said = iter(spans)
    notice = _FOUND.sub(lambda found: found[1] + next(said), notice) if told else notice
    return {**observation, "results": tuple(kept), "notice": notice}


def resolve(action: Action, urls: Sequence[str], answers: bool) -> tuple[Action, str]:
    """An action with the URLs of the results that it names by number.

    Args:
        action: what was read of a reply.
        urls: the URLs of the results so far, in order; the first has the number 1.
        answers: whether a number in an answer is one of a result.

    Returns:
        The action, and an empty text; or where a number names nothing, the action without its texts, which no
        environment takes, and a line that says so.
    """
    if action.kind != Kind.VISIT and not (action.kind == Kind.ANSWER and answers):
        return action, ""
    named: list[str] = []
    for text in action.arguments:
        numbers = _numbers(text)
        if not numbers or (action.kind == Kind.ANSWER and len(numbers) > 1):
            named.append(text)
            continue
        for written in numbers:
            number = int(written) if len(written) <= _DIGITS else 0
            if not 1 <= number <= len(urls):
                so_far = f"so far there are 1 to {len(urls)}" if urls else "so far there are none"
                return Action(action.kind, ()), f"No result has the number {_short(written)}: {so_far}."
            named.append(urls[number - 1])
    return Action(action.kind, tuple(named)), ""


def _numbers(text: str) -> list[str]:
    """The numbers that a text consists of, as in ``3``, ``[3]``, ``Result 3.`` and ``#3, #4``; none for any other."""
    parts = [_NUMBER.fullmatch(part) for part in _BETWEEN.split(text) if part]
    found = [part[1] for part in parts if part is not None]
    return found if len(found) == len(parts) else []


def _short(number: str) -> str:
    return number if len(number) <= _DIGITS else f"{number[:_DIGITS]}…"
