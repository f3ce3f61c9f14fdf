"""What the environments of all benchmarks share: their keywords are those of the benchmark's function."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, Signature, signature
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypedDict

import gymnasium
from gymnasium.vector import AutoresetMode

from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.corpora.content_agents import ContentAgents
from webenv.env import SearchEnv
from webenv.envs.webs import WebAndTasks, open_asker, open_web
from webenv.errors import InvalidArgument, did_you_mean
from webenv.judge import Judge, Reward
from webenv.latency import LatencyModel
from webenv.policy import Policy
from webenv.rewards.registry import JudgeMaker, make_judge, make_reward
from webenv.rules import Rules
from webenv.task import TaskSet
from webenv.vector import SearchVectorEnv
from webenv.web import Web

_ID = re.compile(r"(?:\w[\w-]*/)?\w[\w.-]*-v\d{1,6}")
LatencyArgument = str | Mapping[str, float] | LatencyModel | None

_VECTOR = " (vector)"
_SAMPLED = 1_000  # tasks whose tags become settings


class About(NamedTuple):
    """What lists and help texts say of a benchmark, without making it; each text is one line.

    Attributes:
        task: what an agent is asked for.
        budget: the limits of an episode where none are given.
        judges: who can judge, by the name that ``judge=`` and ``--judge`` take, the default first.
        tasks: tasks that need no files, by the name that ``tasks=`` and ``--tasks`` take.
        tags: what tasks can be chosen by.
        prompt: the fields of the prompt of a judge that asks a model.
        builder: what builds its task files: the command after ``webenv tasks build``, and what that makes;
            empty: nothing does.
    """

    task: str
    budget: Budget
    judges: Mapping[str, str]
    tasks: Mapping[str, str]
    tags: tuple[str, ...]
    prompt: str
    builder: tuple[str, str] = ("", "")


class CommonKeywords(TypedDict, total=False):
    """The keywords that every benchmark takes beside its own; :class:`webenv.envs.browse_comp.BrowseCompEnv`, for one,
    explains them."""

    judge: str | Judge | None
    judge_prompt: str | Path | None
    judge_votes: int
    budget: Budget | Mapping[str, object] | None
    reward: Mapping[str, float] | Reward | None


def assembled(
    found: WebAndTasks,
    chosen: TaskSet,
    name: str,
    budget: Budget,
    rules: Rules,
    judges: Mapping[str, JudgeMaker],
    given: CommonKeywords,
    policies: Mapping[str, str | Callable[..., Policy]] | None = None,
) -> Benchmark:
    """A benchmark on a web and its tasks, as its keywords ask for it; who is asked is whom the web has.

    Args:
        found: the web and all tasks.
        chosen: those of the tasks that are played.
        name: the benchmark's id.
        budget: the limits where none are given.
        rules: its rules.
        judges: its own judges by name, the default first.
        given: the keywords.
        policies: the scripted policies that go with it.

    Raises:
        InvalidArgument, DataError, ModelError, MissingExtra: as :func:`webenv.rewards.registry.make_judge`.
    """
    asked = given.get("judge")
    limits = Budget.of(given.get("budget"), budget)
    judge = make_judge(
        next(iter(judges)) if asked is None else asked,
        judges,
        given.get("judge_prompt"),
        given.get("judge_votes", 1),
        chosen,
    )
    reward = make_reward(given.get("reward"))
    web = found.finished(chosen)  # last: a generated one may have to be written
    asker = open_asker(web) if limits.asks else None
    return Benchmark(chosen, web, judge, rules, limits, reward, name, policies or {}, asker)


class BenchmarkEnv(SearchEnv):
    """A benchmark as an environment; each derives a class of its own, whose docstring explains the keywords::

        class NewEnv(BenchmarkEnv):
            \"\"\"``New-v0``: …\"\"\"

            id = "New-v0"
            benchmark_of = staticmethod(new)

    Args:
        render_mode: ``"ansi"`` or ``None``.
        latency: how long searches, pages, asks and models take where nobody measured it, as data: ``"default"``,
            settings as in ``"calls=4,visit=2.5"``, or a :class:`webenv.latency.LatencyModel`; ``None``: no time passes.
        settings: the keywords of ``benchmark_of``.

    Attributes:
        id: what the benchmark is registered as.
        benchmark_of: makes the benchmark, from keywords alone.
        about: what there is to choose from; ``None``: nobody has said.
        module: what registered it with :func:`register`, for the record of a run; empty for webenv's own.
        source: the file of that module, or its name: it may be imported by two names (``__main__``).

    Raises:
        InvalidArgument: for a keyword that ``benchmark_of`` does not take.
    """

    id: ClassVar[str]
    benchmark_of: ClassVar[Callable[..., Benchmark]]
    about: ClassVar[About | None] = None
    module: ClassVar[str] = ""
    source: ClassVar[str] = ""

    def __init__(self, *, render_mode: str | None = None, latency: LatencyArgument = None, **settings: Any) -> None:
        _refuse_unknown(type(self), settings, "render_mode", "latency")
        super().__init__(_timed(self.benchmark_of(**settings), latency), render_mode=render_mode)


class BenchmarkVectorEnv(SearchVectorEnv):
    """A benchmark for ``gymnasium.make_vec``: many episodes in one process.

    Args:
        num_envs, group_size, autoreset_mode, render_mode, max_episode_steps: as for :class:`webenv.SearchVectorEnv`.
        latency: as for ``single``.
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
        latency: LatencyArgument = None,
        **settings: Any,
    ) -> None:
        more = ("num_envs", "group_size", "autoreset_mode", "render_mode", "max_episode_steps", "latency")
        _refuse_unknown(self.single, settings, *more)
        super().__init__(
            _timed(self.single.benchmark_of(**settings), latency),
            num_envs,
            group_size=group_size,
            autoreset_mode=autoreset_mode,
            render_mode=render_mode,
            max_episode_steps=max_episode_steps,
        )


def vector_env(single: type[BenchmarkEnv]) -> type[BenchmarkVectorEnv]:
    """The environment of many episodes that belongs to that of one: ``NewVectorEnv = vector_env(NewEnv)``."""
    name = f"{single.__name__.removesuffix('Env')}VectorEnv"
    text = f"""``{single.id}`` for ``gymnasium.make_vec``: many episodes in one process.

    Arguments: ``num_envs``, ``group_size``, ``autoreset_mode`` and ``render_mode`` as in
    :class:`webenv.SearchVectorEnv`; all others as in :class:`{single.__name__}`.
    """
    return type(name, (BenchmarkVectorEnv,), {"single": single, "__doc__": text, "__module__": single.__module__})


REGISTERED: dict[str, type[BenchmarkEnv]] = {}
"""What :func:`register` has registered, by id."""


def register(benchmark: Benchmark) -> None:
    """Registers a benchmark of one's own with gymnasium, under its name (``MyBench-v0``).

    It then takes what ours take: ``web`` (a name or a Web), ``tasks`` (a TaskSet), ``judge`` (``"own"`` or its name:
    the benchmark's; or another by name), ``judge_prompt``, ``judge_votes``, ``budget`` (limits that differ),
    ``reward``, and each tag of its tasks, to choose among them. A module that does it again replaces it.

    Args:
        benchmark: what it is where nothing else is asked for.

    Raises:
        InvalidArgument: for a name that is no id of gymnasium's, or is one that something else has registered.
    """
    name = benchmark.name
    if not _ID.fullmatch(name):
        raise InvalidArgument(f"Benchmark(name={name!r:.80}): expected the id to register it as, like 'MyBench-v0'.")
    caller = sys._getframe(1).f_globals
    module = caller.get("__name__", "")
    source = str(caller.get("__file__") or module)
    before = REGISTERED.get(name)
    if name in gymnasium.registry and (before is None or before.source != source):
        by = before.source if before else gymnasium.registry[name].entry_point
        raise InvalidArgument(f"Benchmark(name={name!r:.80}): {by!s:.200} has registered this id; choose another one.")
    parts: dict[str, Any] = {
        "id": name,
        "benchmark_of": staticmethod(_settings_of(benchmark)),
        "module": "" if module == "__main__" else module,
        "source": source,
        "__doc__": f"``{name}``, registered by {module}; for its arguments see :func:`webenv.envs.register`.",
    }
    REGISTERED[name] = type("RegisteredEnv", (BenchmarkEnv,), parts)
    gymnasium.registry.pop(name, None)  # gymnasium warns of an id that is registered again
    # as texts, which __getattr__ resolves: specs go through pickle and JSON
    gymnasium.register(name, entry_point=f"{__name__}:{name}", vector_entry_point=f"{__name__}:{name}{_VECTOR}")


def __getattr__(name: str) -> type[BenchmarkEnv | BenchmarkVectorEnv]:
    single = REGISTERED.get(name.removesuffix(_VECTOR))
    if single is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if not name.endswith(_VECTOR):
        return single
    return vector_env(single)


def _settings_of(benchmark: Benchmark) -> Callable[..., Benchmark]:
    """Makes a benchmark anew with the settings of :func:`register`."""
    own = str(benchmark.judge.identity["name"])
    tags = {tag for task in islice(benchmark.tasks, _SAMPLED) for tag in task.tags if tag.isidentifier()}

    def made(
        *,
        web: str | Path | Web | None = None,
        tasks: TaskSet | None = None,
        judge: str | Judge | None = None,
        judge_prompt: str | Path | None = None,
        judge_votes: int = 1,
        budget: Budget | Mapping[str, object] | None = None,
        reward: Mapping[str, float] | Reward | None = None,
        **wanted: Any,
    ) -> Benchmark:
        if tasks is not None and not isinstance(tasks, TaskSet):
            raise InvalidArgument(f"tasks={tasks!r:.100}: expected a TaskSet; {benchmark.name} reads no files.")
        chosen = (benchmark.tasks if tasks is None else tasks).filter(**wanted)
        judges: dict[str, JudgeMaker] = {"own": lambda: benchmark.judge, own: lambda: benchmark.judge}
        given = "own" if judge is None and judge_prompt is None and judge_votes == 1 else judge or own
        made_judge = make_judge(given, judges, judge_prompt, judge_votes, chosen)
        made_reward = benchmark.reward if reward is None else make_reward(reward)
        limits = Budget.of(budget, benchmark.budget)
        opened = benchmark.web if web is None else open_web(web)
        asker = benchmark.asker or (open_asker(opened) if limits.asks else None)
        changed = replace(benchmark, tasks=chosen, web=opened, judge=made_judge, budget=limits, asker=asker)
        return replace(changed, reward=made_reward)

    named = [one for one in signature(made).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    known = {one.name for one in named}
    filters = [Parameter(tag, Parameter.KEYWORD_ONLY, default=None) for tag in sorted(tags - known)]
    made.__signature__ = Signature([*named, *filters])  # type: ignore[attr-defined]
    return made


def _timed(benchmark: Benchmark, latency: LatencyArgument) -> Benchmark:
    model = LatencyModel.of(latency)
    if model is None:
        return benchmark
    asker = benchmark.asker.timed(model) if isinstance(benchmark.asker, ContentAgents) else benchmark.asker
    return replace(benchmark, latency=model, asker=asker)


def _refuse_unknown(env: type[BenchmarkEnv], settings: Iterable[str], *more: str) -> None:
    taken = signature(env.benchmark_of).parameters.values()
    common = [*CommonKeywords.__annotations__] if any(one.kind is Parameter.VAR_KEYWORD for one in taken) else []
    known = [*(one.name for one in taken if one.kind is not Parameter.VAR_KEYWORD), *common, *more]
    for name in settings:
        if name not in known:
            raise InvalidArgument(f"{env.id} takes no keyword {name!r}. {did_you_mean(name, known)}")
