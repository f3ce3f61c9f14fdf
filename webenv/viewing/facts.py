"""Facts: why an episode's reward is what it is, in a few sentences, each with the turn where it can be seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from webenv.rollout.record import Record
from webenv.viewing.gold import Place, Trail
from webenv.viewing.trajectory import Trajectory

_UNITS = ("searches", "visits", "asks", "turns")


class Fact(NamedTuple):
    """One sentence, and the turn where it can be seen; ``None``: of the whole episode."""

    text: str
    turn: int | None = None


def facts_of(record: Record, trajectory: Trajectory, texts: Sequence[str], trail: Trail) -> list[Fact]:
    """What explains an episode's reward, the most telling first.

    Args:
        record: the episode.
        trajectory: its turns.
        texts: the texts of its pool.
        trail: how near it came to the gold pages.
    """
    return [
        *_ending(record),
        *_gold(record, trajectory, trail),
        *_short_answers(record, trajectory, texts),
        *_lost_turns(trajectory),
        *_used_up(record, trajectory),
    ]


def _ending(record: Record) -> Iterator[Fact]:
    if not record.scored:
        yield Fact(f"Unscored, and in no mean: it ended as {_words(record.ending)}.", len(record.turns))
    elif not record.turns or record.turns[-1].kind != "answer":
        yield Fact(f"It ended without an answer: {_words(record.ending)}.", len(record.turns))


def _gold(record: Record, trajectory: Trajectory, trail: Trail) -> Iterator[Fact]:
    if not trail.total:
        return
    right = record.verdict["value"] is not None and record.verdict["value"] >= 1.0
    the = "The gold page" if trail.total == 1 else "A gold page"
    of = (
        ""
        if trail.total == 1
        else f" (of {trail.total}, {len(trail.seen)} came up, and {len(trail.read)} of these read)"
    )
    if trail.answered and not right and record.scored:
        found = f"gave it {record.verdict['value']:.2f}" if record.verdict["value"] else "found it wrong"
        yield Fact(f"{the} was answered, and the judge {found}{of}.", len(record.turns))
    elif not trail.seen:
        yield from _never(record, the)
    elif not trail.read and not trail.answered:
        place = trail.seen[0]
        yield Fact(f"{the} came up at {_where(place)}, and was never read{of}.", place.turn)
    elif not right and not trail.answered:
        place = trail.read[0]
        what = "the answer was found wrong" if record.gold["answers"] else "something else was answered"
        came = f"; {what}" if record.turns and record.turns[-1].kind == "answer" else ""
        yield Fact(f"{the} was read at {_where(place)}{came}{of}.", place.turn)
    else:
        place = trail.seen[0]
        yield Fact(f"{the} came up at {_where(place)}{of}.", place.turn)
        if trail.read:
            yield Fact(f"It was read at {_where(trail.read[0])}.", trail.read[0].turn)
        else:
            yield Fact("It was never read.")


def _never(record: Record, the: str) -> Iterator[Fact]:
    last = record.turns[-1].reward_terms if record.turns else {}
    if last.get("recall", 0.0) > 0:
        yield Fact(
            f"{the} came up as a copy: recall is {last['recall']:.2f}, under a URL that the record does not name."
        )
    else:
        spent = record.spent["searches"]
        yield Fact(f"{the} never came up, in {spent} {'search' if spent == 1 else 'searches'}.")


def _short_answers(record: Record, trajectory: Trajectory, texts: Sequence[str]) -> Iterator[Fact]:
    """Where the words of a gold answer first stand in what was shown, if the episode is not right."""
    value = record.verdict["value"]
    wanted = [answer.casefold() for answer in record.gold["answers"] if len(answer.strip()) > 2]
    if not wanted or (value is not None and value >= 1.0):
        return
    for number, turn in enumerate(trajectory.turns):
        shown = [page.text for page in turn.read()] + [reply.text for reply in turn.replies]
        shown += [result.snippet for result in turn.results]
        if any(answer in texts[text].casefold() for text in shown for answer in wanted):
            yield Fact(f"The words of a gold answer stand in what came at {_turn(number)}.", number)
            return
    yield Fact("The words of no gold answer came up.")


def _lost_turns(trajectory: Trajectory) -> Iterator[Fact]:
    lost = [number for number, turn in enumerate(trajectory.turns) if turn.kind == "invalid"]
    if lost:
        yield Fact(f"{_many(len(lost), 'turn')} held no action that could be read.", lost[0])


def _used_up(record: Record, trajectory: Trajectory) -> Iterator[Fact]:
    limits = trajectory.turns[0].budget
    for position, unit in enumerate(_UNITS[: len(limits)]):
        ends = [number for number, turn in enumerate(trajectory.turns) if turn.budget[position : position + 1] == (0,)]
        if limits[position] and ends and ends[0] < len(trajectory.turns) - 1:
            yield Fact(f"All {limits[position]} {unit} were spent by {_turn(ends[0])}.", ends[0])


def _where(place: Place) -> str:
    return f"{_turn(place.turn)}, as result {place.rank}" if place.rank else _turn(place.turn)


def _turn(number: int) -> str:
    return f"turn {number}" if number else "the beginning"


def _words(ending: str) -> str:
    return ending.replace("_", " ")


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
