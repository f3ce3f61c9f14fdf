"""InteractiveEpisode: one episode that a person plays, command by command."""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium

from webenv.actions import Action, answer, ask, note, search, visit
from webenv.benchmark import Benchmark
from webenv.env import SearchEnv
from webenv.episode import Episode
from webenv.errors import InvalidArgument
from webenv.observations import ObservationDict
from webenv.snapshots import restore, snapshot
from webenv.task import Gold
from webenv.web import Scope

COMMANDS = {
    "s QUERY": "search; site:host, -site:host and “quoted phrases” work",
    "v NUMBER|URL …": "visit one or more pages",
    "a QUESTION @ SITE …": "ask the content agents of one or more sites",
    "answer NUMBER|URL|TEXT": "answer, which ends the episode",
    "n TEXT": "write yourself a note (costs a turn)",
    "more": "show more of the pages; an empty line does too",
    "u": "undo the last turn",
    "h": "this help",
    "q": "quit; so does Ctrl-D",
}
"""What a person can type, and what it does."""

_FULL = {"search": "s", "visit": "v", "ask": "a", "note": "n"}  # whole words are taken too


class _Before(NamedTuple):
    """What ``undo`` goes back to."""

    state: str
    observation: ObservationDict
    reward: float


class Commands:
    """What a person types, read as actions; and the numbers by which URLs can be named.

    Attributes:
        benchmark: what is played.
        numbers: URL → the number by which it can be named, from 1, in the order of first sight.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        self.benchmark = benchmark
        self.numbers: dict[str, int] = {}

    def see(self, seen: ObservationDict) -> None:
        """Gives numbers to the URLs of an observation that have none yet."""
        documents = [document for reply in seen["replies"] for document in reply["documents"]]
        for url in [item["url"] for part in (seen["results"], seen["pages"], documents) for item in part]:
            self.numbers.setdefault(url, len(self.numbers) + 1)

    def read(self, word: str, rest: str) -> Action:
        """The action that a command means.

        Args:
            word: the command: ``s``, ``v``, ``a``, ``answer`` or ``n``.
            rest: what was typed after it.

        Raises:
            InvalidArgument: if there is no such command, or it lacks something.
        """
        word = _FULL.get(word, word)
        usage = next((usage for usage in COMMANDS if usage.split()[0] == word), None)
        if usage is None or word in ("more", "u", "h", "q"):
            raise InvalidArgument(f"there is no command {word!r}; type h for help.")
        if not rest:
            raise InvalidArgument(f"{word} needs something after it: {usage}")
        if word == "s":
            return search(rest)
        if word == "v":
            return visit(*(self._url(name) for name in rest.split()))
        if word == "n":
            return note(rest)
        if word == "answer":
            return answer(self._url(rest) if self.benchmark.rules.fetch_answer else rest)
        question, at, sites = rest.rpartition("@")
        if not at or not question.strip() or not sites.split():
            raise InvalidArgument(f"a needs a question, @, and a site: {usage}")
        return ask(question.strip(), *sites.split())

    def _url(self, name: str) -> str:
        """The URL of a number; other texts are themselves."""
        if not name.isdecimal():
            return name
        url = next((url for url, number in self.numbers.items() if number == int(name)), None)
        if url is None:
            raise InvalidArgument(f"nothing has the number {name}; there are {len(self.numbers)} so far.")
        return url


class InteractiveEpisode(Commands):
    """One episode that a person plays.

    Attributes:
        observation: what the last turn brought.
        info: the ``info`` of the last turn.
        reward: the sum of rewards so far.
        over: whether the episode has ended.

    Args:
        env: an environment made by ``gymnasium.make`` whose ``unwrapped`` is a SearchEnv.
        task: the id of the task; ``None``: drawn.
        seed: seeds the choice of the task.

    Raises:
        UnknownTask: for a task id that is not among the tasks.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], task: str | None = None, seed: int | None = None) -> None:
        core = env.unwrapped
        if not isinstance(core, SearchEnv):
            raise InvalidArgument(f"{env} is no environment of webenv: expected a SearchEnv.")
        super().__init__(core.benchmark)
        self._env, self._core = env, core
        self._undo: list[_Before] = []
        self.reward, self.over = 0.0, False
        self.observation: ObservationDict
        self.observation, self.info = env.reset(seed=seed, options=None if task is None else {"task": task})

    @property
    def gold(self) -> Gold:
        """What a right answer was; empty until the episode has ended."""
        return Gold() if self._ended is None else self._ended.task.gold

    @property
    def scope(self) -> Scope:
        """The part of the web that could be reached; everything until the episode has ended."""
        return Scope() if self._ended is None else self._ended.task.scope

    @property
    def _ended(self) -> Episode | None:
        return self._core.episode if self.over else None

    def step(self, action: Action) -> None:
        before = _Before(snapshot(self._env), self.observation, self.reward)
        self.observation, reward, terminated, truncated, self.info = self._env.step(action)
        self._undo.append(before)
        self.reward += float(reward)
        self.over = bool(terminated or truncated)
        self.see(self.observation)

    def undo(self) -> None:
        """Goes back to before the last turn; numbers stay.

        Raises:
            InvalidArgument: if there is no turn to undo.
        """
        if not self._undo:
            raise InvalidArgument("there is nothing to undo.")
        before = self._undo.pop()
        restore(self._env, before.state)
        self.observation, self.reward, self.over = before.observation, before.reward, False
