"""Recorded episodes as conversations, for fine-tuning chat models elsewhere: one JSON object a line.

A line is what trainers take as it is: ``messages`` with ``role`` and ``content`` (TRL's conversational language
modelling, "Dataset formats and types"; OpenAI's fine-tuning input, ``FineTuneChatRequestInput``), in the format
``tools`` with ``tool_calls`` and the top-level ``tools`` too, which the library ``datasets`` reads as they are from
4.8 on. What else a line says of its episode stands beside them.
"""

from __future__ import annotations

import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from webenv.actions import Action
from webenv.chat import NO_ACTION, BlockFormat, ChatConfig, ChatSession, Format, SourceFormat, TagFormat, ToolFormat
from webenv.errors import InvalidArgument, did_you_mean
from webenv.evaluation.replay import run_of_policy
from webenv.evaluation.rescored import Rescored, named_rescored
from webenv.evaluation.run_dir import check_output, read_numbered, read_played
from webenv.evaluation.summary import most_frequent
from webenv.judge import VerdictDict
from webenv.models import after_thinking
from webenv.rollout.record import PlayedTurn, Record, json_line, played_action

FORMATS: Mapping[str, Format] = {one.name: one for one in (TagFormat(), BlockFormat(), SourceFormat(), ToolFormat())}
"""The ways to write actions, by name."""

ARGUMENTS = ("text", "object")
"""How the arguments of tool calls are written: as JSON text, or as an object."""


class Conversation(NamedTuple):
    """The messages of an episode, the agent's last reply at the end, and the tools that it could call."""

    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ChatWriter:
    """Writes episodes as conversations.

    Attributes:
        config: how the text wrapper is to put them.
        own: how the model that played wrote its actions; ``None`` where what was before them is left out.
        keeps_replies: whether the thoughts of the run are a model's whole replies.
        objects: whether arguments of tool calls are objects, not JSON text.
    """

    config: ChatConfig
    own: Format | None
    keeps_replies: bool
    objects: bool = False

    def write(self, record: Record) -> Conversation | str:
        """The conversation of an episode; or why there is none."""
        session = ChatSession(self.config)
        session.begin(record.observation(0))
        for number, turn in enumerate(record.turns, start=1):
            reply = self._reply(turn, session)
            if reply is None:
                return f"an action that the format {self.config.format.name} cannot write"
            last = turn is record.turns[-1]
            session.receive(session.read(reply), record.observation(number), last)
        transcript = session.transcript
        messages = transcript.messages
        for call in (one for message in messages for one in message.get("tool_calls", ()) if self.objects):
            call["function"] = {**call["function"], "arguments": json.loads(call["function"]["arguments"])}
        return Conversation(messages, [dict(tool) for tool in transcript.tools])

    def _reply(self, turn: PlayedTurn, session: ChatSession) -> str | None:
        """The agent's reply of a turn; ``None`` where the format cannot write its action."""
        if turn.kind == "invalid":
            return turn.thought if self.keeps_replies else ""
        action = played_action(turn)
        own, format = self.own, self.config.format
        if (
            isinstance(own, ToolFormat)
            and isinstance(format, ToolFormat)
            and session.read(turn.thought).action == action
        ):
            return turn.thought  # a message with its calls and their ids, as the run sent it
        written = format.write(action)
        for before in (self._before(turn.thought, action, session), ""):
            reply = f"{before}\n\n{written}" if before else written
            if written and session.read(reply).action == action:
                return reply
        return None

    def _before(self, thought: str, action: Action, session: ChatSession) -> str:
        """What a model wrote before its action."""
        own = self.own
        if own is None:
            return ""

        def read(text: str) -> Action | None:
            if own.name != self.config.format.name:
                return own.parse(text)
            found = session.read(text).action  # with the numbers of results for what they name
            return None if found.kind == NO_ACTION else found

        if read(thought) != action:
            return ""
        content = _content_beside_calls(thought) if isinstance(own, ToolFormat) else None
        whole = thought if content is None else content
        text = after_thinking(whole)
        thinking = whole[: len(whole) - len(text)] if self.config.keep_thinking else ""
        if content is not None:
            return (thinking + text).strip()
        end = _first(len(text), lambda size: read(text[:size]) is not None)
        start = _first(end, lambda gone: read(text[gone:end]) != action) - 1
        return (thinking + text[: max(start, 0)]).strip()


def _content_beside_calls(thought: str) -> str | None:
    """The content of a message with tool calls, which a thought holds as JSON; ``None`` for any other."""
    try:
        message = json.loads(thought)
    except (ValueError, RecursionError):
        return None
    return str(message.get("content") or "") if isinstance(message, dict) and message.get("tool_calls") else None


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """The least number from 0 to ``size`` that something holds of, where it holds of all above that; else ``size``."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


_REACT = "react"  # policies of this name keep the whole reply of their model as the thought


class Chat(TypedDict):
    """One episode as a conversation.

    Attributes:
        messages: in turn what the agent was shown (``system``, ``user``) and what it said (``assistant``, the last).
        tools: what it could call, in the format ``tools`` alone.
        task, attempt: which episode of the run.
        env, policy: what was played, and by whom.
        format: how actions are written.
        scored, value, outcome: what was judged; the value is 0 to 1, or ``None``.
        reward: the sum of the turns' rewards.
    """

    messages: list[dict[str, Any]]
    tools: NotRequired[list[dict[str, Any]]]
    task: str
    attempt: int
    env: str
    policy: str
    format: str
    scored: bool
    value: float | None
    outcome: str
    reward: float


class LeftOut(NamedTuple):
    """An episode that makes no conversation, and why."""

    task: str
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class Exported:
    """What came of an export.

    Attributes:
        path: the file.
        format: how actions are written in it.
        written: conversations.
        turns: replies of the agent in them.
        left_out: episodes that are not in it, by reason.
    """

    path: str
    format: str
    written: int
    turns: int
    left_out: Mapping[str, int]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def chats(run: str | Path, format: str = "tags", minimum: float = 1.0, **options: Any) -> Iterator[Chat]:
    """The conversations of a run, one an episode; takes what :func:`read_chats` takes.

    ::

        for chat in chats("runs/first", format="tags", minimum=1.0):
            print(chat["task"], len(chat["messages"]))
    """
    return (one for one in read_chats(run, format, minimum, **options) if not isinstance(one, LeftOut))


def read_chats(
    run: str | Path,
    format: str = "tags",
    minimum: float = 1.0,
    *,
    policy: str | None = None,
    judge: str | None = None,
    every: bool = False,
    thoughts: bool = True,
    thinking: bool = False,
    page_characters: int | None = None,
    prompt: str | Path | None = None,
    arguments: str = "text",
) -> Iterator[Chat | LeftOut]:
    """The episodes of a run as conversations, in the order in which they ended, and those that make none.

    Messages are those that the text wrapper shows for these observations, in this format; nothing of a judge or of
    the gold is in them. The agent's part is its action in the format, after what a model wrote before it. Each reply
    is read again: its first action is the recorded one, or the episode is left out.

    Args:
        run: the run folder.
        format: how actions are written: one of ``FORMATS``.
        minimum: the least value of the verdict, 0 to 1.
        policy: which policy's run, where the folder holds a folder for each.
        judge: the name of an earlier rescoring of the run, whose verdicts and rewards count; ``None``: the run's own.
        every: keeps what would be left out as unscored, below the minimum, or for a turn without an action, whose
            reply is then the model's, to the letter.
        thoughts: keeps what a model (``react``) wrote before its action; what other policies keep as their thoughts
            is no reasoning, and always left out.
        thinking: keeps with it what stands between think tags, which the text wrapper shows a model only where it
            keeps earlier thinking.
        page_characters: the most characters of one page's or reply's text, from 100; a longer one loses its middle;
            ``None``: all that was shown. Settings of a ``react`` run (this, ``references``, ``results``) are those
            of its conversations where the format is the run's own.
        prompt: a file whose text replaces the system message.
        arguments: of tool calls: ``"text"`` (JSON text, as OpenAI's are), or ``"object"`` (as TRL's examples have
            them, and most chat templates).

    Raises:
        InvalidArgument: for an unknown format, or a number out of range.
        DataError: if the prompt file cannot be read, or is empty.
        RunError: if the run, or the rescoring, cannot be read.
    """
    if arguments not in ARGUMENTS:
        raise InvalidArgument(f"arguments={arguments!r}. {did_you_mean(str(arguments), ARGUMENTS)}")
    if isinstance(minimum, bool) or not isinstance(minimum, int | float) or not 0 <= minimum <= 1:
        raise InvalidArgument(f"minimum={minimum!r}: expected a verdict's value, 0 to 1.")
    path = run_of_policy(run, policy)
    about = read_played(path)
    rules = about["benchmark"].get("rules")
    urls = isinstance(rules, Mapping) and rules.get("fetch_answer") is True
    played = about["policy"]
    name = str(played["name"])
    own = name.removeprefix(_REACT).removeprefix("-") or "tags" if name.partition("-")[0] == _REACT else ""
    shown = played if own == format else {}  # in the format that the model wrote, it is shown what it was shown
    config = ChatConfig.of(
        format,
        None if prompt is None else Path(prompt),
        page_characters or _whole(shown.get("page_characters")),
        references=shown.get("references") == "true",
        results=_whole(shown.get("results")),
        keep_thinking=thoughts and thinking,
        url_answers=urls,
    )
    writer = ChatWriter(config, FORMATS.get(own) if thoughts else None, bool(own), arguments == "object")
    judged = None if judge is None else named_rescored(path, judge)[1]
    return _read(path, writer, judged, -1.0 if every else minimum, str(about["env"]["id"]), name)


def export_chats(
    run: str | Path,
    out: str | Path,
    format: str = "tags",
    minimum: float = 1.0,
    *,
    bare: bool = False,
    watch: Callable[[int, int], None] | None = None,
    prompt: str | Path | None = None,
    **options: Any,
) -> Exported:
    """Writes the conversations of a run into a file, whole or not at all; a file that was there is replaced.

    Args:
        run: the run folder.
        out: the file, one JSON object a line, UTF-8.
        format: how actions are written.
        minimum: the least value of the verdict, 0 to 1.
        bare: writes ``messages`` (and ``tools``) alone, as some services take no other keys.
        watch: called with how many conversations were written, and episodes left out, after each.
        prompt: a file whose text replaces the system message.
        options: what else :func:`read_chats` takes.

    Raises:
        InvalidArgument: if the file cannot be written, or a run is kept in it; and what :func:`read_chats` raises.
    """
    found = read_chats(run, format, minimum, prompt=prompt, **options)
    left_out: Counter[str] = Counter()
    turns = written = 0
    path = check_output(out, *() if prompt is None else (prompt,))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}.new")  # of no other that writes the same file
    try:
        with open(draft, "wb") as file:
            for one in found:
                if isinstance(one, LeftOut):
                    left_out[one.reason] += 1
                else:
                    file.write(_line(one, bare))
                    written += 1
                    turns += sum(message["role"] == "assistant" for message in one["messages"])
                if watch:
                    watch(written, left_out.total())
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise InvalidArgument(f"out={str(out)!r} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    return Exported(str(out), format, written, turns, most_frequent(left_out))


def _whole(setting: Any) -> int | None:
    return int(setting) if isinstance(setting, str) and setting.isdecimal() else None


def _line(chat: Chat, bare: bool) -> bytes:
    return json_line({name: value for name, value in chat.items() if not bare or name in ("messages", "tools")})


def _read(
    path: Path,
    writer: ChatWriter,
    judged: Mapping[tuple[str, int], Rescored] | None,
    minimum: float,
    env: str,
    policy: str,
) -> Iterator[Chat | LeftOut]:
    last = {line.record.key: line.number for line in read_numbered(path)}  # of what was played again, the later counts
    for line in read_numbered(path):
        record = line.record
        if last[record.key] != line.number:
            continue
        found = record if judged is None else judged.get(record.key)
        if found is None or (isinstance(found, Rescored) and not found.is_of(line.content)):
            yield LeftOut(*record.key, "not judged in this rescoring")
            continue
        verdict = found.verdict
        if why := _unwanted(record, verdict, minimum):
            yield LeftOut(*record.key, why)
            continue
        made_of = writer.write(record)
        if isinstance(made_of, str):
            yield LeftOut(*record.key, made_of)
            continue
        chat = Chat(
            messages=made_of.messages,
            task=record.task,
            attempt=record.attempt,
            env=env,
            policy=policy,
            format=writer.config.format.name,
            scored=verdict["value"] is not None,
            value=verdict["value"],
            outcome=verdict["outcome"],
            reward=found.reward,
        )
        if made_of.tools:
            chat["tools"] = made_of.tools
        yield chat


def _unwanted(record: Record, verdict: VerdictDict, minimum: float) -> str:
    """Why an episode is left out, whatever it says; empty if it is not. Below 0 the minimum lets everything in."""
    if not record.turns:
        return "no turn was played"
    if minimum < 0:
        return ""
    value = verdict["value"]
    if value is None:
        return "unscored"
    if value < minimum:
        return f"value below {minimum:g}"
    return "a turn without an action" if any(turn.kind == "invalid" for turn in record.turns) else ""
