"""LiveNewsBench from a procedural web: questions about its news, made without a model.

A question joins two facts of two pages (:mod:`webenv.envs.live_news_bench.multi_hop`); the
site of the report that it is made from is blocked, as the paper blocks the source article's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import zip_longest
from typing import NamedTuple

from webenv.corpora.procedural import ProceduralWeb, Provenance, Rng, Value, WebConfig, Worlds
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.live_news_bench.blocking import blocked_by
from webenv.envs.live_news_bench.multi_hop import ChangingQuestions, MultiHopQuestion, MultiHopQuestions
from webenv.envs.live_news_bench.tasks import Window, windows
from webenv.envs.live_news_bench.wording import latest, nouns, render_question, worded
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task
from webenv.web import Scope

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip


def aliases(value: Value, nouns: Sequence[str] = ()) -> tuple[str, ...]:
    """The answer as pages write it, then other ways to write it.

    Args:
        value: the answer.
        nouns: what may stand beside it where it is a number (:func:`webenv.envs.live_news_bench.wording.nouns`).

    >>> aliases(Value("count", "6,075", "", 6075), ["votes"])
    ('6,075', '6075', '6,075 votes')
    >>> aliases(Value("money", "3,200 crowns", "", 3200))
    ('3,200 crowns', '3,200', '3200 crowns', '3200')
    >>> aliases(Value("org", "the Bank of Gushim"))
    ('the Bank of Gushim', 'Bank of Gushim')
    """
    found = [value.text]
    if value.type == "day":
        day = date.fromordinal(value.number)
        month = _MONTHS[day.month - 1]
        found += [f"{month} {day.day}, {day.year}", f"{day.day} {month[:3]} {day.year}", day.isoformat()]
    elif value.number:
        grouped, plain = f"{value.number:,}", str(value.number)
        found += [grouped, value.text.replace(grouped, plain), plain]
        found += [f"{grouped} {noun}" for noun in nouns]
    elif value.text.startswith("the "):
        found.append(value.text[4:])
    return tuple(dict.fromkeys(found))


GROUPS = ("news", "longitudinal")
"""Groups of generated tasks."""

_ENOUGH = 12  # events
_MONTH = 30  # days
_FEW = 40  # events
_DRAWS = 400
_FRONT = 12  # questions of an event that are drawn from
_TYPES = ("person", "org", "place", "day", "count", "money")


def refuse_language(config: WebConfig) -> None:
    """Refuses a web in another language than that of the questions.

    Raises:
        InvalidArgument: for any but English.
    """
    if config.language != "en":
        raise InvalidArgument(
            f"{config}: questions about the news are worded in English alone; leave language out, or give tasks."
        )


def has_enough(web: ProceduralWeb) -> bool:
    """Whether a web has so many events (12) that it surely gives tasks of each group: 2,145 of 2,145 worlds did.

    That is about 90 pages of news, as with ``pages=300,news=0.3``; more where ``copies`` take many of them. Of 100
    worlds with 4 events 1 lacks tasks of the news, and 10 longitudinal ones.
    """
    return web.planner.counts["overview"] >= _ENOUGH


class News(NamedTuple):
    """A task with the join behind it."""

    task: Task
    join: MultiHopQuestion


class NewsGenerator:
    """Draws tasks from a procedural web; the same number gives the same task.

    Only events of the split's days are asked about (:mod:`webenv.envs.live_news_bench.tasks`): the
    latest event of a question decides. In a world that has no news on these days, the window
    reaches back, 30 days at a time. Where it holds few events, no question comes twice until each has
    come once; then they come again, in other words. Longitudinal tasks come in twos: one question as of two days.

    Args:
        web: the web.
        world: what its tasks call the web, where they are put on one of several worlds.

    Raises:
        InvalidArgument: for a web in another language than English.
    """

    def __init__(self, web: ProceduralWeb, world: str = "") -> None:
        refuse_language(web.config)
        self.web = web
        self._world = world
        self._joins = MultiHopQuestions(Provenance(web))
        self._changes = ChangingQuestions(self._joins)
        self._window = cache(self._window_of)
        self._rounds = cache(self._rounds_of)

    def draw(self, group: str, number: int) -> News:
        """Task ``number`` of a group.

        Raises:
            InvalidArgument: for an unknown group, or a web whose news give no task.
        """
        if group not in GROUPS:
            raise InvalidArgument(f"group={group!r}. {did_you_mean(str(group), GROUPS)}")
        turn, join = self._chosen(group, number)
        rng = Rng(*self.web.world.seed, group, *turn)
        told = join.clue if join.kind == "detail" else join.role
        year = told is not None and self._joins.singled_out(told, join.about) == "year"
        question = worded(join, year, rng)
        first, second = (self.web.plan(side.pages[0]).url for side in (join.first, join.second))
        source = self.web.plan(join.source)
        task = Task(
            id=task_id(self.web.config, group, number),
            question=render_question(question if group == "news" else latest(question)),
            gold=Gold(
                urls=tuple(dict.fromkeys((first, second))), answers=aliases(join.answer, nouns(join.second.fact))
            ),
            tags={
                "group": group,
                "split": self.web.config.split,
                "month": date.fromordinal(join.day).isoformat()[:7],
                "kind": join.kind,
                "event": join.about.template.kind,
                "answer": join.answer.type if join.answer.type in _TYPES else "number",
            },
            scope=Scope(
                blocked=blocked_by([source.site.host]),
                as_of=date.fromordinal(join.as_of).isoformat() if join.as_of else "",
                world=self._world,
            ),
        )
        return News(task, join)

    def _chosen(self, group: str, number: int) -> tuple[tuple[int, ...], MultiHopQuestion]:
        """The join of a task, and what its wording is drawn from: the same for all tasks of a series.

        Where the window has few events, joins come in rounds, one of each event, so that none comes twice while
        there are others; where it has many, each is drawn.
        """
        place, within = divmod(number, 2) if group == "longitudinal" else (number, 0)
        events = self._window(group)
        if len(events) > _FEW:
            rng = Rng(*self.web.world.seed, "news task", group, place)
            series: tuple[MultiHopQuestion, ...] = ()
            for _ in range(_DRAWS):
                known = self._series(group, rng.pick(events))
                if known:
                    series = rng.pick(known[:_FRONT])  # where kinds are mixed best
                    break
            turn: tuple[int, ...] = (place,)
        else:
            rounds = self._rounds(group)
            again, found = divmod(place, len(rounds))
            series, turn = rounds[found], (found, again)
        if not series:
            raise InvalidArgument(f"{self.web.config}: hardly any of its news give a task; raise news or pages.")
        return turn, series[-within]

    def _series(self, group: str, event: int) -> Sequence[tuple[MultiHopQuestion, ...]]:
        """The questions of which an event is the latest: each once, or as of several days in the longitudinal group."""
        return self._changes.of(event) if group == "longitudinal" else [(join,) for join in self._joins.of(event)]

    def _rounds_of(self, group: str) -> list[tuple[MultiHopQuestion, ...]]:
        order = Rng(*self.web.world.seed, "news order", group).shuffle(self._window(group))
        rounds = zip_longest(*(self._series(group, event) for event in order))
        return [series for each in rounds for series in each if series is not None]

    def _window_of(self, group: str) -> tuple[int, ...]:
        """The events of the split's days; the window reaches back while none of them gives a task."""
        for window in self._windows():
            events = tuple(event.number for event in self._joins.events if window.holds(event.day))
            if any(self._series(group, event) for event in events):
                return events
        raise InvalidArgument(
            f"{self.web.config}: its news give no {group} task; raise pages or news, or take another seed."
        )

    def _windows(self) -> Iterator[Window]:
        """The window of the split, then, for a world without news in it, the same with ever more months before it."""
        window = windows()[self.web.config.split]
        yield window
        while window.first > self._joins.first_day:
            window = window._replace(first=window.first - _MONTH)
            yield window


class GeneratedNews(GeneratedTasks[News]):
    """Generated tasks about the news; each is made when it is asked for.

    Tags: ``group`` ("news" or "longitudinal"), ``split``, ``month`` (of the latest event asked about),
    ``kind`` (of join), ``event`` (its kind) and ``answer`` (person, org, place, day, count, money or number).
    """


@lru_cache(maxsize=4)
def news_source(worlds: Worlds) -> TaskSource[News]:
    """What draws the tasks of worlds, by group; the same for the same worlds, so that no task is drawn twice.

    Raises:
        InvalidArgument: for worlds in another language than English.
    """
    refuse_language(worlds.first)
    return TaskSource(worlds, GROUPS, NewsGenerator, has_enough)
