"""Whether a corpus has the pages that tasks are about."""

from __future__ import annotations

import sys
from functools import cache

from webenv.corpora.corpus import Corpus
from webenv.errors import InvalidArgument
from webenv.task import TaskSet
from webenv.web import Missing, VisitRequest

_LOOKED_AT = 20


def check_gold(tasks: TaskSet, corpus: Corpus, name: str) -> None:
    """Looks for the gold pages of at most 20 tasks, spread evenly; tells on stderr, in one line, of some that lack.

    A task without gold pages lacks none.

    Args:
        tasks: the tasks.
        corpus: the web that they are put on.
        name: what messages call it.

    Raises:
        InvalidArgument: if the gold pages of all these tasks lack.
    """
    count = min(len(tasks), _LOOKED_AT)
    looked_at = [tasks[number * len(tasks) // count] for number in range(count)]
    visits = [[VisitRequest(url) for url in task.gold.urls] for task in looked_at]
    pages = iter(corpus.visit([visit for each in visits for visit in each]))
    lacking = []
    with_gold = 0
    for task, each in zip(looked_at, visits, strict=True):
        found = [next(pages) for _ in each]
        with_gold += bool(each)
        if each and all(isinstance(page, Missing) for page in found):
            lacking.append(task)
    if not lacking:
        return
    first = f"{lacking[0].gold.urls[0][:200]} of task {lacking[0].id!r:.100}"
    if len(lacking) == with_gold:
        raise InvalidArgument(
            f"{name} has the gold page of none of {with_gold} tasks of {tasks.name!r} looked at, such as {first}: "
            "give the web that the tasks are about, or a corpus with its pages."
        )
    _tell(
        f"webenv: note: {name} lacks the gold pages of {len(lacking)} of {with_gold} tasks of {tasks.name!r} looked "
        f"at, such as {first}; such tasks stay unscored."
    )


@cache
def _tell(line: str) -> None:
    """Tells it once, however often a web is opened."""
    print(line, file=sys.stderr)
