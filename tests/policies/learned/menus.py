"""Menus over the small web that a learner gets better at within seconds."""

from __future__ import annotations

from collections.abc import Sequence

from tests.webs import PLACES, DictWeb, Place, benchmark, pages_of, url_of
from webenv.task import Gold, Task, TaskSet
from webenv.vector import SearchVectorEnv
from webenv.wrappers.menu import MenuSize, VectorMenuWrapper

SIZE = MenuSize(criteria=2, candidates=4, sites=2)
DOUBTED = Place(
    "mills.example", "doubt", "The doubt of the miller: a wheel, a flood, a ledger, a lens, a lamp, a comet."
)


def told_tasks() -> TaskSet:
    """A task for each page, whose question says what stands on it."""
    return TaskSet(
        [
            Task(f"t/{place.name}", f"Find the page.\n- {place.text}", gold=Gold(urls=(url_of(place),)))
            for place in PLACES
        ],
        name="told",
    )


def menus(
    num_envs: int = 16, group_size: int = 4, *, places: Sequence[Place] = PLACES, mode: str = "same_step"
) -> VectorMenuWrapper:
    made = benchmark(web=DictWeb(pages_of(places), name="dict"), tasks=told_tasks())
    return VectorMenuWrapper(SearchVectorEnv(made, num_envs, group_size=group_size, autoreset_mode=mode), SIZE)


def doubtful_menus(num_envs: int = 16, group_size: int = 4) -> VectorMenuWrapper:
    """Menus on which one page, once answered, leaves the episode unscored."""
    return menus(num_envs, group_size, places=(*PLACES, DOUBTED))
