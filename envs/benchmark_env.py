"""What the environments of all benchmarks share: their keywords are those of the benchmark's function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from typing import Any, ClassVar, NamedTuple

from gymnasium.vector import AutoresetMode

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, did_you_mean
from webenv.vector import SearchVectorEnv


class About(NamedTuple):
    """What lists and help texts say of a benchmark, without making it; each text is one line.

    Attributes:
        task: what an agent is asked for.
        budget: the limits of an episode where none are given.
        judges: who can judge, by the name that ``judge=`` and ``--judge`` take, the default first.
        tasks: tasks that need no files, by the name that ``tasks=`` and ``--tasks`` take.
        tags: what tasks can be chosen by.
        prompt: the fields of the prompt of a judge that asks a model.
        builder: what builds its task files: the command after ``webenv tasks build``, and what that makes.
    """

    task: str
    budget: Budget
    judges: Mapping[str, str]
    tasks: Mapping[str, str]
    tags: tuple[str, ...]
    prompt: str
    builder: tuple[str, str]


class BenchmarkEnv(SearchEnv):
    """A benchmark as an environment; each derives a class of its own, whose docstring explains the keywords::

        class NewEnv(BenchmarkEnv):
            \"\"\"``New-v0``: …\"\"\"

            id = "New-v0"
            benchmark_of = staticmethod(new)

    Args:
        render_mode: ``"ansi"`` or ``None``.
        settings: the keywords of ``benchmark_of``.

    Attributes:
        id: what the benchmark is registered as.
        benchmark_of: makes the benchmark, from keywords alone.
        about: what there is to choose from; ``None``: nobody has said.

    Raises:
        InvalidArgument: for a keyword that ``benchmark_of`` does not take.
    """

    id: ClassVar[str]
    benchmark_of: ClassVar[Callable[..., Benchmark]]
    about: ClassVar[About | None] = None

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        _refuse_unknown(type(self), settings, "render_mode")
        super().__init__(self.benchmark_of(**settings), render_mode=render_mode)


class BenchmarkVectorEnv(SearchVectorEnv):
    """A benchmark for ``gymnasium.make_vec``: many episodes in one process.

    Args:
        num_envs, group_size, autoreset_mode, render_mode, max_episode_steps: as for :class:`webenv.SearchVectorEnv`.
        settings: as for ``single``.

    Attributes:
        single: the environment of one episode.

    Raises:
        InvalidArgument: for an unknown keyword.
    """

    single: ClassVar[type[BenchmarkEnv]]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        group_size: int = 1,
        autoreset_mode: str | AutoresetMode = "next_step",
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
        **settings: Any,
    ) -> None:
        more = ("num_envs", "group_size", "autoreset_mode", "render_mode", "max_episode_steps")
        _refuse_unknown(self.single, settings, *more)
        super().__init__(
            self.single.benchmark_of(**settings),
            num_envs,
            group_size=group_size,
            autoreset_mode=autoreset_mode,
            render_mode=render_mode,
            max_episode_steps=max_episode_steps,
        )


def _refuse_unknown(env: type[BenchmarkEnv], settings: Iterable[str], *more: str) -> None:
    known = [*signature(env.benchmark_of).parameters, *more]
    for name in settings:
        if name not in known:
            raise InvalidArgument(f"{env.id} takes no keyword {name!r}. {did_you_mean(name, known)}")
