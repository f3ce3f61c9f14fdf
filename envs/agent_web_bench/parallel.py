"""AgentWebBench as a PettingZoo environment: the user agent and the content agents that it asks are players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from gymnasium import Space

from webenv.actions import Action, note
from webenv.benchmark import Benchmark
from webenv.corpora import ContentAgents
from webenv.corpora.content_agents import reply_of
from webenv.envs.agent_web_bench.env import agent_web_bench
from webenv.episode import Episode
from webenv.errors import InvalidArgument, MissingExtra, ResetNeeded, did_you_mean
from webenv.observations import Observation, ObservationDict
from webenv.policy import Decision
from webenv.rollout import EpisodeSpec, PlayedEpisode, episode_seed
from webenv.spaces import action_space, observation_space
from webenv.task import Task
from webenv.turn import Step, play_turn
from webenv.web import AskRequest, AskResponse, Scope

try:
    from pettingzoo import ParallelEnv
except ImportError:
    raise MissingExtra("pettingzoo", "agents", "environments with several players") from None

USER = "user"
_IDLE = Observation("", (), (), (), "", (0, 0, 0, 0)).to_dict()


class AgentWebParallelEnv(ParallelEnv[str, ObservationDict, Action]):  # type: ignore[misc, unused-ignore]
    """A user agent and content agents as players of one team.

    All players live as long as the user agent's episode. Where it asks sites, it waits while their agents play, each an
    episode of its own on its site, all in lock-step; then it goes on with their replies. Whose action counts next is
    said by ``infos[player]["playing"]``; what others send is not looked at, and they are shown nothing. At the
    end every player gets the user agent's reward.

    Args:
        kind: of the tasks, ``"search"``, ``"recommendation"``, ``"qa"`` or ``"research"``.
        players: the sites whose agents are players; ``None``: all. Other sites are answered for by ``agents``.
        settings: as for :class:`webenv.envs.agent_web_bench.env.AgentWebSearchEnv`.

    Raises:
        InvalidArgument: for a player that is no site, or a web of several worlds, whose sites differ.
        MissingExtra: without pettingzoo.
    """

    metadata = {"name": "agent_web_v0", "render_modes": []}  # noqa: RUF012  # as PettingZoo declares it

    def __init__(self, kind: str = "search", players: Sequence[str] | None = None, **settings: Any) -> None:
        self.benchmark = agent_web_bench(kind, strategy="multi_agent", **settings)
        asked, listing = self.benchmark.asked, self.benchmark.listing
        assert isinstance(asked, ContentAgents)
        assert listing is not None
        if self.benchmark.tasks[0].scope.world:
            raise InvalidArgument("a web of several worlds has other sites in each: expected a web of one world.")
        self._agents: ContentAgents = asked
        sites = [reply.site for reply in listing.listed(Scope())]
        for player in players or ():
            if player not in sites:
                raise InvalidArgument(f"players: there is no site {player!r:.100}. {did_you_mean(str(player), sites)}")
        self.possible_agents = [USER, *(sites if players is None else players)]
        self.agents: list[str] = []
        spaces = {player: (action_space(), observation_space()) for player in self.possible_agents}
        self._spaces = {
            player: (cast("Space[Any]", act), cast("Space[Any]", see)) for player, (act, see) in spaces.items()
        }
        self._rng = np.random.default_rng()
        self._episode: Episode | None = None

    def action_space(self, agent: str) -> Space[Any]:
        return self._spaces[agent][0]

    def observation_space(self, agent: str) -> Space[Any]:
        return self._spaces[agent][1]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, ObservationDict], dict[str, dict[str, Any]]]:
        """Begins an episode; ``options={"task": id}`` chooses its task."""
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        name = (options or {}).get("task")
        task = self.benchmark.tasks.draw(self._rng) if name is None else self.benchmark.tasks.find(name)
        self._episode = Episode(task, self.benchmark.rules, self.benchmark.budget)
        self._shown = self._episode.begin(self.benchmark.listed(task)).to_dict()
        self._asked: Action | None = None
        self._inner: dict[str, PlayedEpisode] = {}
        self._came: dict[AskRequest, Task | AskResponse] = {}
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos(task.id)

    def step(
        self, actions: Mapping[str, Action]
    ) -> tuple[
        dict[str, ObservationDict],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Plays one turn of the user agent, or of the content agents that it waits for."""
        if self._episode is None or not self.agents:
            raise ResetNeeded("step was called where no episode is running: call env.reset() first.")
        if not self._inner:
            self._ask(actions.get(USER, note("")))
        else:
            self._play(actions)
        step = None if self._inner else self._finish()
        players = list(self.agents)
        reward = 0.0 if step is None else step.reward
        ended = (step is not None and step.terminated, step is not None and step.truncated)
        infos = self._infos(self._episode.task.id)
        if step is not None:
            infos[USER] = {**step.info, "playing": not any(ended)}
        result = (
            self._observations(),
            dict.fromkeys(players, reward),
            dict.fromkeys(players, ended[0]),
            dict.fromkeys(players, ended[1]),
            infos,
        )
        if any(ended):
            self.agents = []
        return result

    # ── the two sides ─────────────────────────────────────────────────────────

    def _ask(self, action: Action) -> None:
        """Takes the user agent's action; the agents that it asks begin."""
        assert self._episode is not None
        mark = self._episode.mark()
        asks = list(dict.fromkeys(self._episode.request(action).asks))
        self._episode.back_to(mark)
        self._asked = action
        self._came = dict(zip(asks, self._agents.begin(asks) if asks else [], strict=True))
        tasks = {one.id: one for one in self._came.values() if isinstance(one, Task)}
        own = [one for one in tasks.values() if one.tags["site"] in self.possible_agents]
        inner = self._agents.benchmark_of(own) if own else None
        for task in own if inner is not None else ():
            spec = EpisodeSpec(task.id, 0, episode_seed(0, task.id, 0))
            self._inner[task.tags["site"]] = PlayedEpisode(cast("Benchmark", inner), spec)
        others = [ask for ask, one in self._came.items() if isinstance(one, Task) and one not in own]
        self._came.update(zip(others, self._agents.ask(others) if others else [], strict=True))

    def _play(self, actions: Mapping[str, Action]) -> None:
        """One turn of each content agent that is playing."""
        playing = {site: one for site, one in self._inner.items() if one.record is None}
        decided = {site: actions.get(site, note("")) for site in playing}
        inner = self._agents.benchmark_of([one.episode.task for one in playing.values()])
        steps = play_turn(inner, [one.episode for one in playing.values()], list(decided.values()))
        for (site, one), step in zip(playing.items(), steps, strict=True):
            one.add(Decision(decided[site]), step)
        if all(one.record is not None for one in self._inner.values()):
            records = {one.record.task: one.record for one in self._inner.values() if one.record is not None}
            for ask, came in list(self._came.items()):
                if isinstance(came, Task):
                    self._came[ask] = reply_of(records[came.id], "player", self._agents.documents)
            self._inner = {}

    def _finish(self) -> Step | None:
        """What the user agent's turn comes to, once everybody has replied."""
        assert self._episode is not None
        replies = {ask: came for ask, came in self._came.items() if not isinstance(came, Task)}
        benchmark = replace(self.benchmark, asker=_Given(replies))
        step = play_turn(benchmark, [self._episode], [self._asked])[0]
        self._shown = step.observation.to_dict()
        self._came = {}
        return step

    def _observations(self) -> dict[str, ObservationDict]:
        shown = dict.fromkeys(self.agents, _IDLE)
        if self._inner:
            shown.update(
                (site, one.history.observations[-1]) for site, one in self._inner.items() if one.record is None
            )
        else:
            shown[USER] = self._shown
        return shown

    def _infos(self, task: str) -> dict[str, dict[str, Any]]:
        waiting = {site for site, one in self._inner.items() if one.record is None} or {USER}
        return {player: {"task": task, "playing": player in waiting} for player in self.agents}


class _Given:
    """Replies that were given before."""

    identity: Mapping[str, str] = {"name": "players"}

    def __init__(self, replies: Mapping[AskRequest, AskResponse]) -> None:
        self._replies = replies

    def ask(self, requests: Sequence[AskRequest]) -> list[AskResponse]:
        return [self._replies[request] for request in requests]
