"""Small histories, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from webenv.actions import Action
from webenv.observations import Observation, ObservationDict, Page, Reply, Result
from webenv.policy import Decision, History

QUESTION = "Find a page that mentions all of these.\n- It names a river in Wales.\n- Somebody rebuilt the mill."


def hit(url: str, snippet: str = "", title: str = "", site: str = "a.example") -> Result:
    return Result(title, url, snippet, site)


def observe(
    budget: tuple[int, int, int, int] = (10, 10, 0, 20),
    results: Sequence[Result] = (),
    pages: Sequence[Page] = (),
    replies: Sequence[Reply] = (),
    notice: str = "",
    question: str = QUESTION,
) -> ObservationDict:
    return Observation(question, tuple(results), tuple(pages), tuple(replies), notice, budget).to_dict()


def history(
    first: ObservationDict,
    *turns: tuple[Action | Decision, ObservationDict],
    task_id: str = "t1",
    seed: int = 0,
) -> History:
    """A history from its first observation and each turn's action (or decision) and observation."""
    decisions = [Decision(made) if isinstance(made, Action) else made for made, _ in turns]
    return History(task_id, seed, [first, *(observation for _, observation in turns)], decisions)
