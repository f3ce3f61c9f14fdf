"""LiveNewsBench from a simulated world: questions about its news, made without a model.

A question joins two facts of two pages: news tells what somebody or something did or came to, and leaves the name out;
another page tells what is asked of whoever that is. The site of the report is blocked, as the paper blocks the
source article's; what it reports stands on another site too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from webenv.corpora.procedural import Rng, Worlds
from webenv.corpora.world import (
    Asker,
    FactPattern,
    KindSpec,
    ValueConstraint,
    WorldEntity,
    WorldFact,
    WorldWeb,
    synonyms,
)
from webenv.envs.generated_tasks import GeneratedTasks, TaskSource, task_id
from webenv.envs.live_news_bench.tasks import blocked_by, render_question, windows
from webenv.errors import InvalidArgument, did_you_mean
from webenv.task import Gold, Task
from webenv.web import Scope


class NewsWords:
    """English."""

    def hidden(self, kind: KindSpec) -> str:
        """What stands in place of a name."""
        return "someone" if kind.name == "person" else f"a certain {kind.noun}"

    def that(self, kind: KindSpec) -> str:
        """What the question calls it."""
        return f"that {'person' if kind.name == 'person' else kind.noun}"

    def dated(self, month: str, clue: str) -> str:
        """A clue with when the news told it."""
        return f"In {month}: {clue}"

    def question(self, text: str) -> str:
        """What an agent reads."""
        return render_question(text)


class ChineseNewsWords(NewsWords):
    """Chinese."""

    def hidden(self, kind: KindSpec) -> str:
        return "某人" if kind.name == "person" else f"某{kind.measure or '个'}{kind.noun}"

    def that(self, kind: KindSpec) -> str:
        return "此人" if kind.name == "person" else f"这{kind.measure or '个'}{kind.noun}"

    def dated(self, month: str, clue: str) -> str:
        return f"据{month}的新闻，{clue}"

    def question(self, text: str) -> str:
        return f"用一个简短的词语回答下面关于新闻的问题：\n{text}"


NEWS_WORDS = {"en": NewsWords(), "zh": ChineseNewsWords()}


GROUPS = ("news",)
_ENOUGH = 60  # pages of news of a world that surely has tasks
_STEP = 7_919  # a prime, so that the next part is elsewhere
_OF_A_PART = 256  # tasks in a row that are of one part of a large world
_PARTS = 16  # of which the questions are kept
_TYPES = {"person": "person", "org": "org", "thing": "org", "place": "place", "number": "number", "money": "money"}


class SimulatedNews(NamedTuple):
    """A task with the facts behind it: what the news tell, and what is asked of whom they tell it."""

    task: Task
    event: WorldFact
    asked: WorldFact


class SimulatedNewsGenerator:
    """Draws tasks from a simulated world; the same number gives the same task.

    News of the split's days are asked about (:mod:`webenv.envs.live_news_bench.tasks`); once all that these give has
    been asked, older ones too. No question comes twice before all have been asked.

    Args:
        web: the web.
        world: what its tasks call the web, where they are put on one of several worlds.
    """

    def __init__(self, web: WorldWeb, world: str = "") -> None:
        self.web = web
        self._world = world
        self._asker = Asker(web.world.setting)
        self._found = lru_cache(maxsize=_PARTS)(self._questions)
        self._words = NEWS_WORDS[web.config.language]
        self._language = web.language

    def draw(self, group: str, number: int) -> SimulatedNews:
        """Task ``number`` of a group.

        Raises:
            InvalidArgument: for an unknown group, or a web whose news give no task.
        """
        if group not in GROUPS:
            raise InvalidArgument(f"group={group!r}. {did_you_mean(str(group), GROUPS)}")
        parts = len(self.web.parts)
        part = number // _OF_A_PART * _STEP % parts if parts > 1 else 0  # the first of small worlds is the only one
        place = number // (_OF_A_PART * parts) * _OF_A_PART + number % _OF_A_PART if parts > 1 else number
        known, more = self._found(part)
        while place >= len(known) and (found := next(more, None)) is not None:
            known.append(found)
        if not known:
            raise InvalidArgument(f"{self.web.config}: hardly any of its news give a task; raise news or pages.")
        found = known[place % len(known)]  # all have been asked: from the beginning
        return found._replace(task=replace(found.task, id=task_id(self.web.config, group, number)))

    def _questions(self, part: int) -> tuple[list[SimulatedNews], Iterator[SimulatedNews]]:
        """The questions of a part found so far, and those still to be found: no question comes twice."""
        return [], self._asked(part)

    def _asked(self, part: int) -> Iterator[SimulatedNews]:
        """One question of each report, then another of each, until there is none left."""
        texts: set[str] = set()
        for reports in self._reported(part):
            left = [self._drawn(report) for report in reports]
            while left:
                some, left = left, []
                for asked in some:
                    found = next((one for one in asked if one.task.question not in texts), None)
                    if found is not None:
                        texts.add(found.task.question)
                        left.append(asked)
                        yield found

    def _reported(self, part: int) -> tuple[tuple[tuple[int, WorldFact, int], ...], ...]:
        """The news of a part: page, what it reports, day; those of the split's days, then those before."""
        window = windows()[self.web.config.split]
        found = []
        for number in chain.from_iterable(self.web.numbers(region) for region in self.web.parts[part]):
            head = self.web.planner.head(number)
            if head.lead is not None and head.form == "news":
                day = date.fromisoformat(head.date).toordinal()
                if day <= window.last:
                    found.append((number, head.lead, day))
        found = Rng("news order", *self.web.world.setting.seed).shuffle(found)
        within = tuple(report for report in found if window.holds(report[2]))
        return within, tuple(report for report in found if not window.holds(report[2]))

    def _drawn(self, report: tuple[int, WorldFact, int]) -> Iterator[SimulatedNews]:
        """All that can be asked about a report; first what another page tells than the one that tells the report."""
        page, event, day = report
        web = self.web
        rng = Rng("news", *web.world.setting.seed, page)
        region = web.planner.region_of(page)
        host = web.planner.head(page).site.host
        subject, other = web.world.known(region, event.subject), web.world.known(region, event.object.entity)
        told = next(self._stating(region, event, host), None) if subject is not None else None
        if subject is None or told is None:
            return
        known = []
        for about in (one for one in (subject, other) if one is not None and one.facts):
            clue = self._clue(event, subject, about)
            for asked in about.facts if clue is not None else ():
                pages = [] if asked.key == event.key else self._elsewhere(region, asked, host)
                if pages:
                    known.append((clue or "", about, asked, pages))
        for clue, about, asked, _ in sorted(rng.shuffle(known), key=lambda one: one[3] == [told]):
            question = self._question(asked, about, rng)
            answer = self._language.plain_words(asked.object)
            if not question or answer.lower() in clue.lower() or about.name in question:
                continue
            where = next(self._stating(region, asked, host, told), None)
            if where is not None:
                text = f"{clue}{self._language.space}{question}"
                urls = [web.planner.head(page).url for page in (told, where)]
                yield SimulatedNews(self._task(text, asked, urls, host, day), event, asked)

    def _clue(self, event: WorldFact, subject: WorldEntity, about: WorldEntity) -> str | None:
        """What the news tell of somebody or something, its name left out; ``None`` where others fit it, too."""
        ways = [way for way in self._asker.lines(event, False) if {"O", "O's"} & way.slots and not way.slots & {"Y"}]
        if not ways:
            return None
        hidden = self._words.hidden(self.web.world.setting.kinds[about.kind])
        if about is subject:
            if len(self.web.parts) > 1 and event.object.entity < 0:  # elsewhere in a large world it may well be so too
                return None
            text = self._asker.filled(ways[0], hidden, self._language.plain_words(event.object), event)
            pattern = FactPattern(
                event.kind, event.relation, ValueConstraint(frozenset({event.object.text})), event.year, event.year
            )
            if event.object.type in ("number", "money"):
                pattern = pattern._replace(object=ValueConstraint(low=event.object.number, high=event.object.number))
            if self.web.fitting((pattern,), self.web.world.region_of(about.number)) != {about.number}:
                return None
        else:
            text = self._asker.filled(ways[0], subject.name, hidden, event)
            same = [fact for fact in subject.facts if fact.relation == event.relation and fact.year == event.year]
            if len(same) != 1:
                return None
        if about.name in text or hidden not in text.lower():
            return None
        month = date.fromordinal(self._day(event)).month
        return self._words.dated(self._language.month(event.year, month), text)

    def _day(self, event: WorldFact) -> int:
        month, day = self.web.day(event)
        return date(event.year, month, day).toordinal()

    def _question(self, asked: WorldFact, about: WorldEntity, rng: Rng) -> str:
        """What is asked of whoever it is; empty where the answer is not the only one."""
        if sum(fact.relation == asked.relation for fact in about.facts) != 1 or asked.object.type == "year":
            return ""
        ways = self._asker.spec(asked).fitting("a", self.web.world.setting.test, bool(asked.year), bool(asked.until))
        ways = tuple(way for way in ways if {"S", "S's", "s", "n"} & way.slots and not {"O", "O's", "W"} & way.slots)
        if not ways:
            return ""
        that = self._words.that(self.web.world.setting.kinds[about.kind])
        return self._asker.filled(rng.pick(ways), that, "", asked)

    def _elsewhere(self, region: int, fact: WorldFact, host: str) -> list[int]:
        """The pages that bring up a fact, and are not of the report's site."""
        pages = sorted(self.web.telling(region).get(fact.key, ()))
        return [page for page in pages if self.web.planner.head(page).site.host != host]

    def _stating(self, region: int, fact: WorldFact, host: str, last: int = -1) -> Iterator[int]:
        """Those of them that state it whole: that tell its object (a line may touch on it alone), and name both.

        Args:
            region, fact, host: as above.
            last: a page that comes after all others.
        """
        subject = self.web.world.known(region, fact.subject)
        words = [] if subject is None else [(subject.name,), self._answers(fact)]
        for page in sorted(self._elsewhere(region, fact, host), key=lambda page: page == last):
            plan = self.web.plan(page)
            written = self.web.text(plan)
            text = f"{plan.title}\n{written.text}".lower()
            shown = all(any(self._bare(way) in text for way in ways) for ways in words)
            if shown and "O" in written.told.get(fact.key, ()):
                yield page

    @staticmethod
    def _bare(name: str) -> str:
        return name.lower().removeprefix("the ")

    def _answers(self, fact: WorldFact) -> tuple[str, ...]:
        """The ways to say what a fact's object is."""
        others = synonyms(self.web.world.setting, fact.object)
        return self._language.answers(fact.object, [word for word in others if word])

    def _task(
        self,
        text: str,
        asked: WorldFact,
        urls: Sequence[str],
        host: str,
        day: int,
    ) -> Task:
        """A task, but for its number."""
        return Task(
            id=GROUPS[0],
            question=self._words.question(text),
            gold=Gold(
                urls=tuple(dict.fromkeys(urls)),
                answers=self._answers(asked),
            ),
            tags={
                "group": GROUPS[0],
                "split": self.web.config.split,
                "month": date.fromordinal(day).isoformat()[:7],
                "kind": asked.kind,
                "answer": _TYPES.get(asked.object.type, "phrase"),
            },
            scope=Scope(blocked=blocked_by([host]), world=self._world),
        )


def _has_enough(web: WorldWeb) -> bool:
    """Whether a world is so large that it surely has tasks, whatever its seed."""
    return web.config.news * len(web) >= _ENOUGH


class GeneratedSimulatedNews(GeneratedTasks[SimulatedNews]):
    """Generated tasks about the news; each is made when it is asked for.

    Tags: ``group`` ("news"), ``split``, ``month`` (of what the news tell), ``kind`` (of the
    thing that is asked about) and ``answer`` (person, org, place, number, money or phrase).
    """


@lru_cache(maxsize=4)
def simulated_news_source(worlds: Worlds) -> TaskSource[SimulatedNews]:
    """What draws the tasks of simulated worlds; the same for the same worlds, so that no task is drawn twice."""
    return TaskSource(worlds, GROUPS, SimulatedNewsGenerator, _has_enough, SimulatedNews)
