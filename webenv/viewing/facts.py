"""Why an episode's reward is what it is: how near it came to the gold pages, and facts in a few sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from webenv.envs.agent_web_bench.tasks import read_ranking
from webenv.rollout.record import Record
from webenv.task import GoldDict
from webenv.urls import address, host_of
from webenv.viewing.trajectory import Trajectory

STAGES = ("no gold", "never seen", "seen, not read", "read, not answered", "answered")
"""How far an episode came: its task has no gold page; none came up; one came up and none was read; one was read, and
the answer was found wrong, or was none; one was answered, or the answer was found right."""


class Place(NamedTuple):
    """Where a gold page first came up: the turn, from 0 for the first observation, and its rank, 0 outside results."""

    turn: int
    rank: int


class GoldNames:
    """The gold pages of a task, under every address and content key that its episodes show.

    A key comes with an address, so a copy of a gold page is known as one where any episode of the task was shown
    the gold page itself.
    """

    def __init__(self, urls: Sequence[str]) -> None:
        self.count = len({address(url) for url in urls})
        self._names: dict[str, str] = {address(url): address(url) for url in urls}
        self._keys: dict[str, str] = {}

    def learn(self, seen: Sequence[tuple[str, str]]) -> None:
        """Takes the keys of gold pages from the pages that an episode was shown."""
        for url, key in seen:
            own = self._names.get(address(url))
            if own is not None and key:
                self._keys.setdefault(key, own)

    def find(self, url: str, keys: Mapping[str, str]) -> str | None:
        """Which gold page a URL leads to, by its name; ``None`` if to none.

        Args:
            url: the URL.
            keys: content keys by address, of the episode.
        """
        place = address(url)
        return self._names.get(place) or self._keys.get(keys.get(place, ""))


class Trail(NamedTuple):
    """How near an episode came.

    Attributes:
        stage: one of :data:`STAGES`.
        total: how many gold pages the task has.
        seen: where each gold page that came up did so first, in the order of turns.
        read: where each gold page that was read was read first, its rank 0.
        urls: numbers of the URLs of gold pages, as far as the episode names them, copies' among them.
        copies: of these, the ones that the task does not name.
        answered: whether a gold page was the answer.
    """

    stage: str
    total: int
    seen: tuple[Place, ...]
    read: tuple[Place, ...]
    urls: tuple[int, ...]
    copies: tuple[int, ...]
    answered: bool


def follow(
    trajectory: Trajectory, texts: Sequence[str], gold: GoldDict, names: GoldNames, value: float | None
) -> Trail:
    """Follows an episode through its turns."""
    keys = {address(url): key for url, key in trajectory.seen if key}
    known: dict[int, str | None] = {}

    def find(url: int) -> str | None:
        if url not in known:
            known[url] = names.find(texts[url], keys)
        return known[url]

    seen: dict[str, Place] = {}
    read: dict[str, Place] = {}
    for number, turn in enumerate(trajectory.turns):
        for rank, result in enumerate(turn.results, start=1):
            page = find(result.url)
            if page is not None:
                seen.setdefault(page, Place(number, rank))
        for shown in turn.read():
            page = find(shown.url)
            if page is not None:
                seen.setdefault(page, Place(number, 0))
                read.setdefault(page, Place(number, 0))
    last, answered = trajectory.turns[-1], False
    if last.kind == "answer":  # a model may answer a ranking in one text
        ranking = read_ranking(tuple(texts[text] for text in last.texts))
        found = [*map(find, last.texts), *(names.find(url, keys) for url in ranking)]
        answered = any(page is not None for page in found)
    stage = _stage(gold, set(seen), set(read), answered, value)
    urls = tuple(url for url, page in known.items() if page is not None)
    named = {address(url) for url in gold["urls"]}
    copies = tuple(url for url in urls if address(texts[url]) not in named)
    return Trail(stage, names.count, tuple(seen.values()), tuple(read.values()), urls, copies, answered)


def _stage(gold: GoldDict, seen: Set[str], read: Set[str], answered: bool, value: float | None) -> str:
    if answered or (value is not None and value >= 1.0):
        return "answered"
    if not gold["urls"]:
        return "no gold"
    if read:
        return "read, not answered"
    return "seen, not read" if seen else "never seen"


_UNITS = ("searches", "visits", "asks", "turns")


class Remark(NamedTuple):
    """One sentence, and the turn where it can be seen; ``None``: of the whole episode."""

    text: str
    turn: int | None = None


def facts_of(record: Record, trajectory: Trajectory, texts: Sequence[str], trail: Trail) -> list[Remark]:
    """What explains an episode's reward, the most telling first."""
    return [
        *_ending(record),
        *_gold(record, trajectory, trail),
        *_short_answers(record, trajectory, texts),
        *_lost_turns(trajectory),
        *_used_up(record, trajectory),
    ]


def _ending(record: Record) -> Iterator[Remark]:
    if not record.scored:
        yield Remark(f"Unscored, and in no mean: it ended as {_words(record.ending)}.", len(record.turns))
    elif not record.turns or record.turns[-1].kind != "answer":
        yield Remark(f"It ended without an answer: {_words(record.ending)}.", len(record.turns))


def _gold(record: Record, trajectory: Trajectory, trail: Trail) -> Iterator[Remark]:
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
        yield Remark(f"{the} was answered, and the judge {found}{of}.", len(record.turns))
    elif not trail.seen:
        yield from _never(record, the)
    elif not trail.read and not trail.answered:
        place = trail.seen[0]
        yield Remark(f"{the} came up at {_where(place)}, and was never read{of}.", place.turn)
    elif not right and not trail.answered:
        place = trail.read[0]
        what = "the answer was found wrong" if record.gold["answers"] else "something else was answered"
        came = f"; {what}" if record.turns and record.turns[-1].kind == "answer" else ""
        yield Remark(f"{the} was read at {_where(place)}{came}{of}.", place.turn)
    else:
        place = trail.seen[0]
        yield Remark(f"{the} came up at {_where(place)}{of}.", place.turn)
        if trail.read:
            yield Remark(f"It was read at {_where(trail.read[0])}.", trail.read[0].turn)
        else:
            yield Remark("It was never read.")


def _never(record: Record, the: str) -> Iterator[Remark]:
    last = record.turns[-1].reward_terms if record.turns else {}
    if last.get("recall", 0.0) > 0:
        yield Remark(
            f"{the} came up as a copy: recall is {last['recall']:.2f}, under a URL that the record does not name."
        )
    else:
        spent, asks = record.spent["searches"], record.spent["asks"]
        if "searches" in record.spent.get("unknown", ()):
            yield Remark(f"{the} never came up in what is recorded; the searches are not known.")
            return
        units = [f"{spent} {'search' if spent == 1 else 'searches'}"] if spent or not asks else []
        told = f"{the} never came up, in {' and '.join([*units, *([_many(asks, 'ask')] if asks else [])])}"
        if asks:
            hosts = {host_of(url) for url in record.gold["urls"]}
            asked = {host_of(site) for turn in record.turns if turn.kind == "ask" for site in turn.texts[1:]}
            told += ", though a site that has it was asked" if hosts & asked else ": no site that has it was asked"
        yield Remark(f"{told}.")


def _short_answers(record: Record, trajectory: Trajectory, texts: Sequence[str]) -> Iterator[Remark]:
    """Where the words of a gold answer first stand in what was shown, if the episode is not right."""
    value = record.verdict["value"]
    wanted = [answer.casefold() for answer in record.gold["answers"] if len(answer.strip()) > 2]
    if not wanted or (value is not None and value >= 1.0):
        return
    for number, turn in enumerate(trajectory.turns):
        shown = [page.text for page in turn.read()] + [reply.text for reply in turn.replies]
        shown += [result.snippet for result in turn.results]
        if any(answer in texts[text].casefold() for text in shown for answer in wanted):
            yield Remark(f"The words of a gold answer stand in what came at {_turn(number)}.", number)
            return
    yield Remark("The words of no gold answer came up.")


def _lost_turns(trajectory: Trajectory) -> Iterator[Remark]:
    lost = [number for number, turn in enumerate(trajectory.turns) if turn.kind == "invalid"]
    if lost:
        yield Remark(f"{_many(len(lost), 'turn')} held no action that could be read.", lost[0])


def _used_up(record: Record, trajectory: Trajectory) -> Iterator[Remark]:
    limits = trajectory.turns[0].budget
    for position, unit in enumerate(_UNITS[: len(limits)]):
        ends = [number for number, turn in enumerate(trajectory.turns) if turn.budget[position : position + 1] == (0,)]
        if limits[position] and ends and ends[0] < len(trajectory.turns) - 1:
            yield Remark(f"All {limits[position]} {unit} were spent by {_turn(ends[0])}.", ends[0])


def _where(place: Place) -> str:
    return f"{_turn(place.turn)}, as result {place.rank}" if place.rank else _turn(place.turn)


def _turn(number: int) -> str:
    return f"turn {number}" if number else "the beginning"


def _words(ending: str) -> str:
    return ending.replace("_", " ")


def _many(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
