"""Generated tasks about the news as a task set."""

from __future__ import annotations

from functools import lru_cache

from webenv.corpora.procedural import Worlds
from webenv.envs.live_news_bench.generate import GROUPS, News, NewsGenerator, has_enough, refuse_language
from webenv.envs.numbered import Numbered, NumberedTasks


class GeneratedNews(NumberedTasks[News]):
    """Generated tasks about the news; each is made when it is asked for.

    Tags: ``group`` ("news" or "longitudinal"), ``split``, ``month`` (of the latest event asked about),
    ``kind`` (of join), ``event`` (its kind) and ``answer`` (person, org, place, day, count, money or number).
    """


@lru_cache(maxsize=4)
def numbered_news(worlds: Worlds) -> Numbered[News]:
    """What draws the tasks of worlds, by group; the same for the same worlds, so that no task is drawn twice.

    Raises:
        InvalidArgument: for worlds in another language than English.
    """
    refuse_language(worlds.first)
    return Numbered(worlds, GROUPS, NewsGenerator, has_enough)
