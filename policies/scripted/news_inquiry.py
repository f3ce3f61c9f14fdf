"""Inquiry: what an episode has found out of a question about the news, and what it should do next."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from webenv.actions import Action, Kind, answer, search, visit
from webenv.policies.scripted.news_evidence import (
    AnswerCandidate,
    Cue,
    Event,
    NewsSource,
    NewsSources,
    cue_of,
    said,
    weigh,
)
from webenv.policies.scripted.news_questions import Told, read_question
from webenv.policies.scripted.news_text import kin, nouns_of, words_of
from webenv.policies.scripted.reading import stems, tokens
from webenv.policy import Decision, History
from webenv.web import Failure

_SURE = 1.2  # from what score on an answer needs no more pages
_FAIR = 0.55  # from what score on somebody is taken for the one who is meant
_SOME = 0.3  # from what score on somebody may be the one
_MARGIN = 1.5  # by what factor the best must be ahead
_READS = 2  # pages read at most to find out who or which event is meant, while others are needed later
_NAMED = re.compile(r"\b(?:kilometres|centimetres|metres|miles|hours|years|minutes)\b")
_CLUE = 0.5  # the share of the words of a clue that a sentence about it has
_HELD = 0.3  # how much it counts that a report of an event names who had a part in it
_ROLE = 0.15  # how far that must speak of the part that the question tells
_LONGEST = 1_000  # characters of a query
_UNKNOWN = "I don't know."


class NewsInvestigatorPolicy:
    """A patient reader of questions about the news, without a language model.

    It finds the event that is told, reads who had the part in it, searches for that name, and reads what is asked
    (:class:`Inquiry`).
    """

    @property
    def identity(self) -> Mapping[str, str]:
        return {"name": "investigator", "version": "4"}

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        return [Inquiry(history).decide() for history in histories]


class Inquiry:
    """An episode, read: a question, what pages say to it, and the plan.

    The plan follows the question: find the event that it tells by place and day, or by a clue; read
    who had the part in it; search for that name among reports of the second event, or for the page
    about it; read what is asked. Each step is searched once, read as far as its share of the visits
    goes, and searched again in other words while searches are left and nothing was found.

    Args:
        history: the episode so far.
    """

    def __init__(self, history: History) -> None:
        self.question = read_question(history.observations[0]["question"])
        self.sources = NewsSources(history)
        searches, visits, _, turns = (int(left) for left in history.observations[-1]["budget"])
        self.searches, self.visits, self.turns = searches, visits, turns
        self._steps = [decision.memory for decision in history.decisions]

    def decide(self) -> Decision:
        if self.turns > 1:
            for action, step in self._plan():
                if action.kind == Kind.SEARCH and self.searches and step not in self._steps:
                    return Decision(search(action.arguments[0][:_LONGEST]), thought=step, memory=step)
                if action.kind == Kind.VISIT and self.visits:
                    return Decision(action, thought=step, memory=step)
        return Decision(answer(self.answer()), thought="answer")

    # ── the plan ──────────────────────────────────────────────────────────────

    def _plan(self) -> Iterator[tuple[Action, str]]:
        """What would help, most urgent first; what the budget lacks is passed over."""
        question = self.question
        if question.bridge is not None:
            yield from self._find_bridge()
            if question.event is None:
                yield from self._read_profile()
            else:
                yield from self._find_event()
        else:
            yield from self._find_event()

    def _find_bridge(self) -> Iterator[tuple[Action, str]]:
        bridge = self.question.bridge
        assert bridge is not None
        told = bridge.event
        yield search(_query(bridge.text, nouns_of(told.kinds))), "search bridge"
        later = 1 if self.question.event is None else 2
        bridges = self.bridges
        if not _clear(bridges, _FAIR):
            unread = [one for one, sure in self._on(told) if not one.read and sure >= 0.5]
            found = bool(bridges) and bridges[0].score >= _SOME
            if self._used("read bridge") < self._share() if found else self.visits > later:
                for source in unread[:1]:
                    yield visit(source.url), "read bridge"
        if not _clear(bridges, _FAIR) and self.searches > later:
            yield (
                search(" ".join((*nouns_of(told.kinds), told.place, told.day, _near(bridge.text)))),
                "search bridge again",
            )

    def _read_profile(self) -> Iterator[tuple[Action, str]]:
        ask = self.question.ask
        for name in self._names():
            yield search(f'"{name}" {_query(ask.text, ())}'), f"search {name}"
            pages = [one for one in self.sources.unread if _same(one.title, name)]
            for source in pages[:1]:
                yield visit(source.url), "read profile"
            if self.answers:
                return
            yield search(name), f"search {name} again"
            others = [one for one in self.sources.unread if one.naming(name)]
            for source in others[:1]:
                yield visit(source.url), "read profile"

    def _find_event(self) -> Iterator[tuple[Action, str]]:
        """Finds the event that is asked about, and reads on it."""
        told = self.question.event
        assert told is not None
        if not told.day:
            for name in self._names() or [next((m.text for m in told.names if m.sort != "place"), "")]:
                for number, query in enumerate(self._clued(told, name)):
                    yield search(query), f"search event {number} {name}".strip()
                    if not self._verified and self._used("read event") < self._share():
                        for source in self._promising(told, name)[:1]:
                            yield visit(source.url), "read event"
                    if self._verified or (self.events and self.searches < 2):
                        break
                if self.events:
                    break
        for event in self.events[:1]:
            yield from self._read_reports(event)

    def _read_reports(self, event: Event) -> Iterator[tuple[Action, str]]:
        told, ask = self.question.event, self.question.ask
        assert told is not None
        named = " ".join((*nouns_of(told.kinds), *event))
        yield search(f"{named} {_query(ask.text, ())}"), f"search reports {named}"
        if _clear(self.answers, _SURE):
            return
        on = [one for one in self.sources.unread if one.about(event) >= 0.5]
        for source in sorted(on, key=lambda one: (-one.about(event), one.stale, -one.score))[:1]:
            yield visit(source.url), "read report"
        yield search(f"{named} {_near(ask.text)}"), f"search reports {named} again"

    def _clued(self, told: Told, name: str) -> list[str]:
        """Queries for an event told by a clue, or by somebody who had a part in it."""
        bridge = self.question.bridge
        around = bridge.event.day.rpartition(" ")[2] if bridge else ""
        near = [str(int(around) + step) for step in (-1, 0, 1)] if around else []
        years = " ".join([told.year] if told.year else sorted({*near, *self.sources.years}))
        words, clue = " ".join(words_of(told.kinds)), _query(told.text, ())
        if not name:
            return [f"{clue} {words} {years}", clue, f"{_near(told.text)} {words}"]
        return [f'"{name}" {words} {years}', f'"{name}" {clue} {words} {years}', f"{name} {words} {years}"]

    def _promising(self, told: Told, name: str) -> list[NewsSource]:
        """Unread pages that may tell of the event, those first that hold the name or the words of the clue."""
        clue = cue_of("", told.text).stems

        def likely(source: NewsSource) -> float:
            shared = len(clue & stems(" ".join((source.title, *source.sentences)))) / (len(clue) or 1)
            return shared + 0.5 * bool(told.kinds & source.kinds)

        likeliest = [one for one in self.sources.unread if one.tells(told) and (not name or one.has(name))]
        return sorted(likeliest, key=lambda one: (-likely(one), -one.score))

    def _share(self) -> int:
        """How many pages may be read before those on what is asked."""
        return _READS if self.visits > 1 else 0

    def _used(self, step: str) -> int:
        return sum(1 for done in self._steps if done == step)

    # ── what was found ────────────────────────────────────────────────────────

    @cached_property
    def bridges(self) -> list[AnswerCandidate]:
        """Who may be the one that the question tells by a part in an event, best first."""
        bridge = self.question.bridge
        if bridge is None:
            return []
        told = bridge.event
        return weigh(cue_of(bridge.sort, bridge.text), self._on(told), self._known())

    def _names(self) -> list[str]:
        """The names to go on with: the likeliest, and where it led nowhere the next."""
        return [one.text for one in self.bridges[:2]]

    @property
    def events(self) -> list[Event]:
        """The events that the asked one may be, best first."""
        return [event for _, event in self._events]

    @property
    def _verified(self) -> bool:
        """Whether a report of the best event was seen to speak of the part that the question tells."""
        return bool(self._events) and self._events[0][0] >= _HELD + _ROLE

    @cached_property
    def _events(self) -> list[tuple[float, Event]]:
        """The events that the asked one may be, each with how well it fits, best first."""
        told, bridge = self.question.event, self.question.bridge
        if told is None:
            return []
        if told.day:
            return [(1.0, (told.place, told.day))]
        names = self._names()
        if bridge is not None and not names:
            return []
        cue = cue_of("", told.text)
        first = (bridge.event.place, bridge.event.day) if bridge else ("", "")
        found: dict[Event, float] = {}
        for source in self.sources:
            event = source.event()
            if event is None or not event[0] or event == first or not source.tells(told):
                continue
            for rank, name in enumerate(names or [m.text for m in told.names] or [""]):
                held = source.naming(name) if name else source.sentences
                fits = max(((said if name else _overlap)(cue, sentence) for sentence in held), default=0.0)
                value = 0.0
                if held and (name or fits >= _CLUE):
                    value = (_HELD + fits) / (1 + rank)
                elif name and source.has(name) and not source.read:
                    value = _HELD / 2 / (1 + rank)
                if value:
                    found[event] = max(found.get(event, 0.0), value)
        return [(found[event], event) for event in sorted(found, key=lambda event: -found[event])]

    @cached_property
    def answers(self) -> list[AnswerCandidate]:
        """The answers that pages offer, best first."""
        question, ask = self.question, self.question.ask
        if question.event is None:
            for name in self._names():
                pages = [(one, 1.0) for one in self.sources]
                found = weigh(cue_of(ask.sort, ask.text, ask.unit, ask.year, keep=True), pages, [name], holding=name)
                if found:
                    return found
            return []
        cue = cue_of(ask.sort, ask.text, ask.unit)
        for event in self.events[:2]:
            pages = [(one, one.about(event)) for one in self.sources]
            found = weigh(cue, [(one, sure) for one, sure in pages if sure], [*self._known(), *self._names(), *event])
            if found:
                return found
        return []

    def answer(self) -> str:
        """The best answer there is; where nothing fits, the best of its sort on any page."""
        ask = self.question.ask
        found = self.answers
        if not found:
            pages = [(one, 1.0) for one in self.sources]
            found = weigh(cue_of(ask.sort, ask.text, ask.unit), pages, [*self._known(), *self._names()])
        return found[0].text if found else _UNKNOWN

    def _known(self) -> list[str]:
        """Names and days that the question names."""
        question = self.question
        known = [m.text for m in question.event.names] if question.event else []
        if question.bridge:
            known += [question.bridge.event.place, question.bridge.event.day]
        return [text for text in known if text]

    def _on(self, told: Told) -> list[tuple[NewsSource, float]]:
        """The pages about an event that is told by its place and day, surest and best found first."""
        event = (told.place, told.day)
        found = [(one, one.about(event)) for one in self.sources]
        return sorted(
            ((one, sure) for one, sure in found if sure), key=lambda pair: (-pair[1], pair[0].stale, -pair[0].score)
        )


def _query(text: str, more: Iterable[str]) -> str:
    """The words of a text that say something, without signs."""
    words = [word for word in re.findall(r"[\w&'’-]+", text) if word[0].isupper() or stems(word) or word.isdecimal()]
    return " ".join(dict.fromkeys((*words, *more)))


def _near(text: str) -> str:
    """Words that reports may use for those of a question."""
    return " ".join(dict.fromkeys(word for form in sorted(cue_of("", text).stems) for word in kin(form)))


def _overlap(cue: Cue, sentence: str) -> float:
    """The share of a cue's words that a sentence has."""
    return len(cue.stems & stems(sentence)) / (len(cue.stems) or 1)


def _clear(candidates: list[AnswerCandidate], least: float) -> bool:
    """Whether the best candidate is good enough, and ahead."""
    if not candidates or candidates[0].score < least:
        return False
    return len(candidates) < 2 or candidates[0].score >= _MARGIN * candidates[1].score


def _same(one: str, other: str) -> bool:
    return tokens(one.lower().removeprefix("the ")) == tokens(other.lower().removeprefix("the "))
