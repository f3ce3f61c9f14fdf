"""Environments for language models, one and many at once: messages come out of them, whole replies go in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack, cast

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import Space
from gymnasium.utils import RecordConstructorArgs
from gymnasium.vector import AutoresetMode, VectorEnv, VectorWrapper
from gymnasium.vector.utils import batch_space

from webenv.actions import Action
from webenv.chat import ChatConfig, ChatSession, ChatSettings, ParsedReply, RawReply, Transcript
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument, SnapshotError
from webenv.observations import ObservationDict
from webenv.spaces import Unicode
from webenv.vector import SearchVectorEnv

ANY_LENGTH = 2**31 - 1

_Inner = gymnasium.Env[ObservationDict, Action]


class TextWrapper(gymnasium.Wrapper[str, RawReply, ObservationDict, Action], RecordConstructorArgs):
    """An environment in words: an observation is the next message to a language model, an action its whole reply.

    The conversation is that of :class:`webenv.policies.ReactPolicy`: the rules, then in turn what came, with the
    web's part fenced as data, and what was replied, without its thinking. A reply without an action, or with one of
    an unknown kind, is a bad action: the benchmark's rules decide what follows, and the next message says what it
    lacked. No reply raises.

    Observation Space: :class:`webenv.Unicode`; ``reset`` gives the question, without the rules (see ``messages``).
    Action Space: :class:`webenv.Unicode`. In every format a message as an endpoint returns it, a dict, is
    taken as well; in the format ``"tools"`` it brings the calls.
    Information: the environment's; at the end also ``transcript``.

    Args:
        env: a :class:`webenv.SearchEnv`, wrapped or not, with its own observations and actions.
        format: how actions are written: ``"tags"``, as in ``<search>…</search>``; ``"blocks"``, as in
            LiveNewsBench; ``"source"``: tags, with the answer in a ``<source>`` block, as in Needle in the Web;
            ``"tools"``: tool calls, see :class:`webenv.chat.ToolFormat`, to be sent with ``tools``.
        prompt: the system message in place of the format's rules: its text, or a Path to it.
        page_characters: the most characters of one page's or reply's text, from 100; a longer one loses its
            middle. ``None``: all that the environment shows.
        token_budget: the most tokens of the conversation (the next reply not counted). Where it has more, what
            the web brought is left out from the oldest turn on, then whole turns, then the middle of what came
            last; never the rules, the question or the last status. ``None``: any number.
        count_tokens: the tokens of a text; a fourth of its characters, by default. Eight more are counted for
            each message.
        references: results are numbered through the episode, and a number may stand for the URL of the result,
            in a visit, and in an answer where answers are URLs. One that names nothing is a bad action.
        results: the most results of one query that are shown; ``None``: all that came.
        keep_thinking: whether later messages, and the transcript, hold earlier thinking.

    Raises:
        InvalidArgument: for a value out of range, an unknown format, or an environment of another kind.
        DataError: if the prompt file cannot be read, or is empty.
    """

    def __init__(
        self,
        env: gymnasium.Env[ObservationDict, Action],
        format: str = "tags",
        prompt: str | Path | None = None,
        **settings: Unpack[ChatSettings],
    ) -> None:
        gymnasium.Wrapper.__init__(self, cast("Any", env))  # typed as one with the wrapper's own observations
        base = env.unwrapped
        if not isinstance(base, SearchEnv) or env.observation_space != base.observation_space:
            raise InvalidArgument(
                f"TextWrapper was given {env!r:.200}: expected an environment of webenv with its own observations."
            )
        config = ChatConfig.of(format, prompt, url_answers=base.benchmark.rules.fetch_answer, **settings)
        # the prompt's text, not where it lies: the spec of an environment is JSON
        RecordConstructorArgs.__init__(self, format=format, prompt=config.prompt or None, **settings)
        self._session = ChatSession(config)
        self.observation_space = cast("Space[str]", Unicode(ANY_LENGTH))
        self.action_space = cast("Space[RawReply]", Unicode(ANY_LENGTH))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begins an episode; see :meth:`webenv.SearchEnv.reset`.

        Returns:
            The first message after the rules, and the info.
        """
        observation, info = cast("_Inner", self.env).reset(seed=seed, options=options)
        return self._session.begin(observation), info

    def step(self, action: RawReply) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Plays one turn with a model's reply.

        Raises:
            ResetNeeded: where no episode is running.
            InvalidArgument: for what is neither a text nor a message.
        """
        read = self._session.read(action)
        observation, reward, terminated, truncated, info = cast("_Inner", self.env).step(read.action)
        text = self._session.receive(read, observation, terminated or truncated)
        if terminated or truncated:
            info = {**info, "transcript": self.transcript}
        return text, float(reward), terminated, truncated, info

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, rules first, as an endpoint takes it; after the end it ends with the last reply."""
        return self._session.messages

    @property
    def transcript(self) -> Transcript:
        return self._session.transcript

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the episode, as an endpoint takes them; none but in the format ``"tools"``."""
        return self._session.tools

    def snapshot_state(self) -> dict[str, Any]:
        """The conversation, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return self._session.save()

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        self._session.load(saved)


_NAMES = ("question", "results", "pages", "replies", "notice", "budget")


class VectorTextWrapper(
    VectorWrapper[tuple[str, ...], Sequence[RawReply], dict[str, Any], Sequence[Action], npt.NDArray[Any]]
):
    """:class:`webenv.wrappers.TextWrapper` over many slots, with the same texts.

    Observations are tuples of the slots' next messages, actions sequences of their replies; the reply to an episode
    that has ended is not looked at in mode ``"next_step"``. At an end ``infos`` holds ``transcript``, an array of
    :class:`webenv.wrappers.Transcript` objects; in mode ``"same_step"`` it stands in ``infos["final_info"]``, and
    ``infos["final_obs"]`` holds the last messages.

    Args:
        env: a :class:`webenv.SearchVectorEnv`, wrapped or not, with its own observations and actions.
        format: this and all that follow as for :class:`webenv.wrappers.TextWrapper`.

    Raises:
        InvalidArgument: for a value out of range, an unknown format, or an environment of another kind.
        DataError: if the prompt file cannot be read, or is empty.
    """

    def __init__(
        self,
        env: VectorEnv[dict[str, Any], Sequence[Action], npt.NDArray[Any]],
        format: str = "tags",
        prompt: str | Path | None = None,
        **settings: Unpack[ChatSettings],
    ) -> None:
        super().__init__(env)
        base = env.unwrapped
        if not isinstance(base, SearchVectorEnv) or env.single_observation_space != base.single_observation_space:
            raise InvalidArgument(
                f"VectorTextWrapper was given {env!r:.200}: expected a vector environment of webenv, as from "
                "gymnasium.make_vec, with its own observations."
            )
        config = ChatConfig.of(format, prompt, url_answers=base.benchmark.rules.fetch_answer, **settings)
        self._sessions = [ChatSession(config) for _ in range(base.num_envs)]
        self._ended = np.zeros(base.num_envs, dtype=np.bool_)
        self._said = [""] * base.num_envs
        self._mode = base.autoreset_mode
        self.single_observation_space = cast("Space[Any]", Unicode(ANY_LENGTH))
        self.single_action_space = cast("Space[Any]", Unicode(ANY_LENGTH))
        self.observation_space = batch_space(self.single_observation_space, base.num_envs)
        self.action_space = batch_space(self.single_action_space, base.num_envs)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[str, ...], dict[str, Any]]:
        """Begins episodes; see :meth:`webenv.SearchVectorEnv.reset`.

        Returns:
            The first message of each slot after the rules (of a slot that is not reset its last one), and the infos.
        """
        observations, infos = self.env.reset(seed=cast("int | None", seed), options=options)
        mask = (options or {}).get("reset_mask")
        for slot in np.flatnonzero(np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask):
            self._begin(int(slot), observations)
        return tuple(self._said), infos

    def step(
        self, actions: Sequence[RawReply]
    ) -> tuple[tuple[str, ...], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays one turn in every slot with a model's replies.

        Raises:
            ResetNeeded: where no episode is running.
            InvalidArgument: for another number of replies than slots, or one that is neither text nor message.
        """
        given = actions.tolist() if isinstance(actions, np.ndarray) else actions
        listed = hasattr(given, "__getitem__") and not isinstance(given, str | bytes | Mapping)
        if not listed or len(given) != self.num_envs:
            came = f"{len(given)} replies" if listed else repr(actions)[:80]
            raise InvalidArgument(f"step was given {came}: expected {self.num_envs} replies, one for each slot.")
        idle = self._ended if self._mode is AutoresetMode.NEXT_STEP else np.zeros_like(self._ended)
        read: list[ParsedReply | None] = [
            None if resting else session.read(reply)
            for session, reply, resting in zip(self._sessions, given, idle, strict=True)
        ]
        taken = [Action(-1, ()) if one is None else one.action for one in read]
        observations, rewards, terminated, truncated, infos = self.env.step(taken)
        ended = np.logical_or(terminated, truncated)
        same_step = self._mode is AutoresetMode.SAME_STEP
        last: list[str | None] = [None] * self.num_envs
        transcripts: list[Transcript | None] = [None] * self.num_envs
        for slot, (session, one) in enumerate(zip(self._sessions, read, strict=True)):
            if one is None:
                self._begin(slot, observations)
                continue
            over = bool(ended[slot])
            seen = infos["final_obs"][slot] if over and same_step else _slot(observations, slot)
            text = session.receive(one, seen, over)
            if over:
                last[slot], transcripts[slot] = text, session.transcript
            if over and same_step:
                self._begin(slot, observations)
            else:
                self._said[slot] = text
        if ended.any():
            infos = _with_transcripts(infos, transcripts, last if same_step else None, ended)
        self._ended = np.zeros_like(ended) if same_step else ended.copy()
        return tuple(self._said), rewards, terminated, truncated, infos

    def _begin(self, slot: int, observations: Mapping[str, Any]) -> None:
        self._said[slot] = self._sessions[slot].begin(_slot(observations, slot))
        self._ended[slot] = False

    @property
    def messages(self) -> tuple[list[dict[str, Any]], ...]:
        """The conversation of each slot so far, rules first, as an endpoint takes it."""
        return tuple(session.messages for session in self._sessions)

    @property
    def transcripts(self) -> tuple[Transcript, ...]:
        """The conversation of each slot so far, with what of it the agent wrote."""
        return tuple(session.transcript for session in self._sessions)

    @property
    def tools(self) -> tuple[list[dict[str, Any]], ...]:
        """The tools of each slot, as an endpoint takes them; none but in the format ``"tools"``."""
        return tuple(session.tools for session in self._sessions)

    def snapshot_state(self) -> dict[str, Any]:
        """The conversations, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return {
            "sessions": [session.save() for session in self._sessions],
            "ended": self._ended.tolist(),
            "said": list(self._said),
        }

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        parts = (saved["sessions"], saved["ended"], saved["said"])
        if any(len(part) != self.num_envs for part in parts):
            raise SnapshotError(f"the state has not {self.num_envs} conversations; expected one for each slot.")
        for session, one in zip(self._sessions, saved["sessions"], strict=True):
            session.load(one)
        self._ended = np.array(saved["ended"], dtype=np.bool_)
        self._said = [str(text) for text in saved["said"]]


def _slot(observations: Mapping[str, Any], slot: int) -> ObservationDict:
    return cast("ObservationDict", {name: observations[name][slot] for name in _NAMES})


def _with_transcripts(
    infos: dict[str, Any],
    transcripts: Sequence[Transcript | None],
    last: Sequence[str | None] | None,
    ended: npt.NDArray[np.bool_],
) -> dict[str, Any]:
    """Infos with the transcripts of ended episodes; in ``final_info``, beside their last messages, where those are."""
    held = {"transcript": _objects(transcripts), "_transcript": ended.copy()}
    if last is None:
        return {**infos, **held}
    return {**infos, "final_obs": _objects(last), "final_info": {**infos["final_info"], **held}}


def _objects(values: Sequence[object]) -> npt.NDArray[Any]:
    array = np.full(len(values), None, dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array
