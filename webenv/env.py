"""SearchEnv: one episode at a time, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, cast

import gymnasium
import numpy as np
from gymnasium import Space

from webenv.actions import Action
from webenv.benchmark import Benchmark
from webenv.curriculum import CurriculumState
from webenv.episode import Episode
from webenv.errors import InvalidArgument, ResetNeeded, SnapshotError, UnsupportedRenderMode, did_you_mean
from webenv.observations import Document, Observation, ObservationDict, Page, Reply, Result
from webenv.runtime.text import printable
from webenv.spaces import action_space, observation_space
from webenv.task import Task
from webenv.turn import Step, finish_episodes, play_turn

_space = cache(observation_space)


class SearchEnv(gymnasium.Env[ObservationDict, Action]):
    """Puts a question; the agent searches, visits, asks, and answers, under a budget.

    Description: each episode is one task of ``benchmark.tasks``, played on ``benchmark.web``.
    Action Space: :func:`webenv.spaces.action_space`; write actions with :mod:`webenv.actions`.
    Observation Space: :func:`webenv.spaces.observation_space`.
    Rewards: 0 until the end (but for a ``cost`` term with a weight), then the weighted sum of the
    reward terms. Unscored episodes give 0 and are truncated.
    Episode End: ``terminated`` by an answer or with the last turn; ``truncated`` only by what lies
    outside the task: a web or a judge that failed, or the budget's seconds.
    Information: ``task``, ``reward_terms``; at the end ``ending``, ``scored``, ``verdict``, ``spent``; with a
    curriculum ``difficulty``, which the task was drawn from.

    Args:
        benchmark: the tasks, the web, the judge, the rules and the budget.
        render_mode: ``"ansi"``: ``render`` returns the last observation as text.

    Raises:
        UnsupportedRenderMode: for an unknown render mode.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]

    def __init__(self, benchmark: Benchmark, *, render_mode: str | None = None) -> None:
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise UnsupportedRenderMode(f"render_mode={render_mode!r}: expected 'ansi' or None.")
        self.benchmark = benchmark
        self.render_mode = render_mode
        self.action_space = cast("Space[Action]", action_space())
        self.observation_space = cast("Space[ObservationDict]", observation_space())
        self.episode: Episode | None = None
        self._last: Observation | None = None
        self._curriculum = None if benchmark.curriculum is None else CurriculumState(benchmark.curriculum)
        self._difficulty = ""  # that the running episode's task was drawn from; empty: from all, or it was chosen

    @property
    def difficulty(self) -> float | None:
        """Where it stands on its curriculum, from 0.0, the first difficulty; ``None``: it has none."""
        return None if self._curriculum is None else self._curriculum.position

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[ObservationDict, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: seeds the choice of tasks, from here on.
            options: ``{"task": id}`` chooses a task; otherwise one is drawn uniformly.

        Raises:
            UnknownTask: for a task id that is not among the tasks.
            InvalidArgument: for an unknown option.
        """
        name = read_options(options, ("task",)).get("task")
        chosen = None if name is None else self.benchmark.tasks.find(name)
        super().reset(seed=seed)  # after what may be refused: a refused reset changes nothing
        self._difficulty, task = draw_task(self.benchmark, self._curriculum, self.np_random, chosen)
        self.episode = Episode(task, self.benchmark.rules, self.benchmark.budget)
        self._last = self.episode.begin(self.benchmark.listed(task))
        return self._last.to_dict(), told_difficulty({"task": task.id}, self._difficulty)

    def step(self, action: Action) -> tuple[ObservationDict, float, bool, bool, dict[str, Any]]:
        """Plays one turn. No action raises: a bad one becomes a notice or the end, as the rules say.

        Raises:
            ResetNeeded: where no episode is running.
        """
        if self.episode is None:
            raise ResetNeeded("step was called before reset: call env.reset() first.")
        step = play_turn(self.benchmark, [self.episode], [action])[0]
        self._last = step.observation
        follow(self._curriculum, self._difficulty, step)
        return step.observation.to_dict(), step.reward, step.terminated, step.truncated, step.info

    def finish(self) -> tuple[ObservationDict, float, bool, bool, dict[str, Any]]:
        """Ends the running episode from outside, as a trainer does that cuts its agent off; returns what a step does.

        The ending is ``cut_off``: ``info`` has the verdict and the reward terms of what came before the agent, such as
        its recall, and ``truncated`` is true. Reach it through wrappers by ``env.unwrapped.finish()``.

        Raises:
            ResetNeeded: where no episode is running.
        """
        if self.episode is None:
            raise ResetNeeded("finish was called before reset: there is no episode to be ended.")
        step = finish_episodes(self.benchmark, [self.episode])[0]
        self._last = step.observation
        told_difficulty(step.info, self._difficulty)
        return step.observation.to_dict(), step.reward, step.terminated, step.truncated, step.info

    def render(self) -> str | None:
        """The last observation as text, in render mode ``"ansi"``; otherwise ``None``."""
        if self.render_mode is None or self._last is None:
            return None
        return observation_text(self._last)

    def snapshot_state(self) -> dict[str, Any]:
        """The state of the environment, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {
            "benchmark": self.benchmark.identity,
            "episode": self.episode.save() if self.episode is not None else None,
            "shown": self._last,
        } | ({} if self._curriculum is None else {"curriculum": self._curriculum.save([self._difficulty])})

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        """Takes up a state that :meth:`snapshot_state` gave."""
        check_benchmark(self.benchmark, saved.get("benchmark"))
        episode, shown = saved["episode"], saved["shown"]
        episode = None if episode is None else load_episode(self.benchmark, episode)
        shown = None if shown is None else load_observation(shown)
        if self.benchmark.curriculum is not None:
            self._curriculum, (self._difficulty,) = CurriculumState.load(
                self.benchmark.curriculum, 1, saved.get("curriculum")
            )
        self._last, self.episode = shown, episode


def draw_task(
    benchmark: Benchmark, curriculum: CurriculumState | None, rng: np.random.Generator, chosen: Task | None
) -> tuple[str, Task]:
    """The task of an episode, and the difficulty that a curriculum drew it from: empty where it was chosen."""
    if chosen is not None or curriculum is None:
        return "", chosen or benchmark.tasks.draw(rng)
    return curriculum.draw(rng)


def told_difficulty(info: dict[str, Any], difficulty: str) -> dict[str, Any]:
    """An info that says of which difficulty a curriculum drew the task."""
    if difficulty:
        info["difficulty"] = difficulty
    return info


def follow(curriculum: CurriculumState | None, difficulty: str, step: Step) -> None:
    """After a step: its info tells the difficulty, and a scored end of a drawn task moves the curriculum."""
    told_difficulty(step.info, difficulty)
    if curriculum is not None and difficulty and step.terminated:
        curriculum.record(step.info["verdict"]["value"])


def load_episode(benchmark: Benchmark, saved: Any) -> Episode:
    """An episode from its saved form, with its task looked up in the benchmark."""
    if not isinstance(saved, Mapping) or not isinstance(saved.get("task"), str):
        raise SnapshotError(f"not a saved episode: {saved!r:.80}; expected what webenv.snapshot gave.")
    return Episode.load(saved, benchmark.tasks.find(saved["task"]), benchmark.rules, benchmark.budget)


def load_observation(saved: Any) -> Observation:
    """An observation from its saved form: the nested lists that JSON makes of it."""
    question, results, pages, replies, notice, budget = saved
    observation = Observation(
        question=question,
        results=tuple(Result(*result) for result in results),
        pages=tuple(Page(*page) for page in pages),
        replies=tuple(
            Reply(site, text, tuple(Document(*d) for d in documents), *hidden)
            for site, text, documents, *hidden in replies
        ),
        notice=notice,
        budget=tuple(budget),
    )
    if not _space().contains(observation.to_dict()):
        raise SnapshotError(f"not a saved observation: {saved!r:.80}; expected what webenv.snapshot gave.")
    return observation


def check_benchmark(benchmark: Benchmark, saved: Any) -> None:
    """Refuses a state that was saved in an environment made of other parts.

    Raises:
        SnapshotError: naming the first part that differs.
    """
    if not isinstance(saved, Mapping):
        raise SnapshotError("the state names no benchmark; expected what webenv.snapshot gave.")
    for part, value in benchmark.identity.items():
        if saved.get(part) != value:
            raise SnapshotError(
                f"the state was saved with other {part}: {saved.get(part)!r:.200}; this environment has {value!r:.200}."
            )


def read_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> Mapping[str, Any]:
    """The options of a reset, checked: a mapping of known names, or nothing."""
    if options is not None and not isinstance(options, Mapping):
        raise InvalidArgument(f"reset options={options!r:.80}: expected a dict, as in {{'{known[0]}': …}}.")
    for name in options or {}:
        if name not in known:
            raise InvalidArgument(f"reset has no option {name!r}. {did_you_mean(str(name), known)}")
    return options or {}


def observation_text(observation: Observation) -> str:
    """An observation as text for a person, a page's beginning alone; nothing in it steers a terminal."""
    searches, visits, asks, turns = observation.budget
    lines = [observation.question, ""]
    for number, hit in enumerate(observation.results, start=1):
        lines += [f"{number:2}. {hit.title}", f"    {hit.url}", f"    {hit.snippet}"]
    for page in observation.pages:
        lines += [f"── {page.title}", f"   {page.url}", page.text[:2000] + ("…" if len(page.text) > 2000 else "")]
    for reply in observation.replies:
        lines += [f"── {reply.site} replies: {reply.text}"]
        lines += [f"   {document.title} {document.url}" for document in reply.documents]
    if observation.notice:
        lines.append(f"Notice: {observation.notice}")
    lines.append(f"Left: {searches} searches, {visits} visits, {asks} asks, {turns} turns")
    return printable("\n".join(lines))
