"""What a report on a topic has to say, with the pages that support and contradict each point: for AgentWebResearch."""

from __future__ import annotations

from dataclasses import dataclass

from webenv.corpora.procedural.questions.provenance import Provenance
from webenv.corpora.procedural.world.facts import Fact
from webenv.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class ReportPoint:
    """One fact of a topic.

    Attributes:
        fact: what is true today.
        label: the relation in words.
        support: the pages that state it, copies left out.
        contradict: the pages that state something else in its place.
        mistaken: those of them that were always wrong; the others are out of date.
    """

    fact: Fact
    label: str
    support: tuple[int, ...]
    contradict: tuple[int, ...]
    mistaken: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReportTopic:
    """A topic for a report: its title, and its key points."""

    title: str
    points: tuple[ReportPoint, ...]


class ReportTopics:
    """The topics of a web: first its events, then the members of its distractor sets.

    Args:
        support: which pages state what.
    """

    def __init__(self, support: Provenance) -> None:
        self._support = support
        self._web = support.web
        self._events = self._web.planner.counts["overview"]

    def __len__(self) -> int:
        return self._events + self._web.planner.counts["article"]

    def brief(self, number: int) -> ReportTopic:
        """The key points of a topic.

        Raises:
            InvalidArgument: where there is none of that number.
        """
        if not 0 <= number < len(self):
            raise InvalidArgument(f"topic {number!r}: expected a number from 0 to {len(self) - 1}.")
        return self._event(number) if number < self._events else self._member(number - self._events)

    def _event(self, number: int) -> ReportTopic:
        event = self._web.planner.pages.newsroom.event(number)
        facts = [event.fact(detail.attribute.name, detail.states[-1].value) for detail in event.details]
        labels = [detail.attribute.label for detail in event.details]
        where, when = event.frame
        form = self._web.world.language.texts["event title"][0]
        title = form.replace("{event}", event.names[0]).replace("{place}", where.object.text)
        title = title.replace("{day}", when.object.text)
        return ReportTopic(title, tuple(map(self._point, facts, labels)))

    def _member(self, number: int) -> ReportTopic:
        set_number, member = divmod(number, self._web.config.family)
        distractors = self._web.world.distractor_set(set_number)
        facts = [distractors.fact(member, slot) for slot in range(len(distractors.slots))]
        labels = [slot.relation.label for slot in distractors.slots]
        return ReportTopic(distractors.names[member], tuple(map(self._point, facts, labels)))

    def _point(self, fact: Fact, label: str) -> ReportPoint:
        support = self._support
        return ReportPoint(fact, label, support.stating(fact), support.contradicting(fact), support.mistaken(fact))
