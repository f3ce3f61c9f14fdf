"""Generated needle tasks as a task set."""

from __future__ import annotations

from functools import lru_cache

from webenv.corpora.procedural import Worlds
from webenv.envs.needle_in_web.generate import Needle, NeedleGenerator
from webenv.envs.needle_in_web.tasks import DIFFICULTIES
from webenv.envs.numbered import Numbered, NumberedTasks


class GeneratedNeedles(NumberedTasks[Needle]):
    """Generated needle tasks; each is made when it is asked for.

    Tags: ``difficulty``, ``split``, ``site`` (the type of site that the page sought stands on) and
    ``kind`` (what the page is about).
    """

    tag = "difficulty"


@lru_cache(maxsize=4)
def numbered_needles(worlds: Worlds) -> Numbered[Needle]:
    """What draws the tasks of worlds, by difficulty; the same for the same worlds, so that no task is drawn twice."""
    return Numbered(worlds, DIFFICULTIES, NeedleGenerator)
