"""TextWrapper: an environment for language models. Messages come out of it, whole replies go in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import gymnasium
from gymnasium import Space

from webenv.actions import Action
from webenv.chat import ChatConfig, ChatSession, RawReply, Transcript
from webenv.env import SearchEnv
from webenv.errors import InvalidArgument
from webenv.observations import ObservationDict
from webenv.spaces import Unicode

ANY_LENGTH = 2**31 - 1

_Inner = gymnasium.Env[ObservationDict, Action]


class TextWrapper(gymnasium.Wrapper[str, RawReply, ObservationDict, Action]):
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
        page_characters: int | None = None,
        token_budget: int | None = None,
        count_tokens: Callable[[str], int] | None = None,
        references: bool = False,
        results: int | None = None,
        keep_thinking: bool = False,
    ) -> None:
        super().__init__(cast("Any", env))  # gymnasium types it as one with the wrapper's own observations
        base = env.unwrapped
        if not isinstance(base, SearchEnv) or env.observation_space != base.observation_space:
            raise InvalidArgument(
                f"TextWrapper was given {env!r:.200}: expected an environment of webenv with its own observations."
            )
        urls = base.benchmark.rules.fetch_answer
        config = ChatConfig.of(
            format, prompt, page_characters, token_budget, count_tokens, references, results, keep_thinking, urls
        )
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
        """The conversation so far, with what of it the agent wrote."""
        return self._session.transcript

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools of the episode, as an endpoint takes them; none but in the format ``"tools"``."""
        return self._session.tools

    def snapshot_state(self) -> dict[str, Any]:
        """The conversation, as JSON-ready data (see :func:`webenv.snapshot`)."""
        return self._session.save()

    def restore_state(self, saved: Mapping[str, Any]) -> None:
        """Takes up a state that :meth:`snapshot_state` gave."""
        self._session.load(saved)
