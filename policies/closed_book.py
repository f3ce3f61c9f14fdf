"""ClosedBookPolicy: answers without searching what was oftenest right in training."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from webenv.actions import answer
from webenv.errors import InvalidArgument
from webenv.policies.news.question import Ask, read_question
from webenv.policies.reading import stems
from webenv.policy import Decision, History
from webenv.task import TaskSet
from webenv.web import Failure

_Key = tuple[str, ...]


class ClosedBookPolicy:
    """What can be answered without the web: the answer that is most frequent in training for such a question.

    Training questions count that ask in the same words (names and years aside); where there is none,
    those that ask for the same sort of thing (a person, an organisation, a place, a day, a sum, a
    number of the same things); else all. Ties go to the answer that comes first in the alphabet. It
    measures how far a benchmark can be guessed.

    Args:
        training: tasks with gold, of the split ``train``; each is looked at once in a process.

    Raises:
        InvalidArgument: if no task of them has a gold answer.
    """

    def __init__(self, training: TaskSet) -> None:
        self._count, self._best = _learn(training)

    @property
    def identity(self) -> Mapping[str, str]:
        """``name``, ``version``, the number of training tasks, and SHA-256 of what was learnt."""
        learnt = json.dumps(sorted(self._best.items()), separators=(",", ":"))
        return {
            "name": "closed-book",
            "version": "1",
            "tasks": str(self._count),
            "answers": hashlib.sha256(learnt.encode()).hexdigest(),
        }

    def act(self, histories: Sequence[History]) -> list[Decision | Failure]:
        """One answer for each history, in order."""
        return [Decision(answer(self._answer(history.observations[0]["question"]))) for history in histories]

    def _answer(self, question: str) -> str:
        return next(self._best[key] for key in _keys(read_question(question).ask) if key in self._best)


@lru_cache(maxsize=8)
def _learn(training: TaskSet) -> tuple[int, dict[_Key, str]]:
    """How many tasks have gold, and the most frequent answer by what is asked."""
    counts: dict[_Key, Counter[str]] = {}
    count = 0
    for task in training:
        gold = (task.gold.answers or task.gold.urls)[:1]
        count += len(gold)
        for key in _keys(read_question(task.question).ask) if gold else ():
            counts.setdefault(key, Counter())[gold[0]] += 1
    if not count:
        raise InvalidArgument(f"{training.name}: no task has a gold answer; policy 'closed-book' learns from some.")
    return count, {key: min(found, key=lambda text: (-found[text], text)) for key, found in counts.items()}


def _keys(ask: Ask) -> Iterator[_Key]:
    """What is asked, from its words to nothing at all."""
    words = sorted(word for word in stems(ask.text) if not any(character.isdecimal() for character in word))
    yield ("words", ask.sort, *words)
    yield ("sort", ask.sort, ask.unit)
    yield ("sort", ask.sort)
    yield ()
