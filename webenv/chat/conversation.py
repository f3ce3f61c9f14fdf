"""An episode as a conversation with a chat model: observations as the user's messages, replies as the model's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from webenv.actions import Action, Kind
from webenv.chat.formats import NO_ACTION, UNKNOWN_TYPE, Format
from webenv.errors import DataError
from webenv.models import Message, after_thinking, data_token, fence
from webenv.observations import ObservationDict
from webenv.policy import Decision
from webenv.runtime.files import read_text

_EXCERPT = 200  # characters of a reply without an action
_SILENT = "(no action)"
_KINDS = frozenset(Kind)


class Shown(NamedTuple):
    """An observation as a message, in its parts.

    Attributes:
        before: what a reply lacked, the question at first, the notice; may be empty.
        data: what came from the web, without its fence; may be empty.
        token: of the fence.
        after: what is left, or was used, of the budget.
    """

    before: str
    data: str
    token: str
    after: str

    @property
    def text(self) -> str:
        """The message, the web's part fenced as data."""
        return self.with_data(fence("data", self.data, self.token) if self.data else "")

    def with_data(self, data: str) -> str:
        """The message with something else in the place of the fenced data."""
        return "\n\n".join((*(part for part in (self.before, data) if part), self.after))


def conversation(
    format: Format,
    prompt: str,
    page_characters: int,
    observations: Sequence[ObservationDict],
    decisions: Sequence[Decision],
) -> list[Message]:
    """What a model is sent: the rules, then observation and reply in turn.

    Args:
        format: how actions are written.
        prompt: the system message; empty: the format's rules.
        page_characters: the most characters of one page's or reply's text.
        observations: what the agent saw; one more than the decisions.
        decisions: what the agent did.
    """
    first = observations[0]
    messages = [Message("system", prompt or format.rules(first))]
    for turn, observation in enumerate(observations):
        last = decisions[turn - 1] if turn > 0 else None
        if last is not None:
            messages.append(Message("assistant", said(last.thought, format.write(last.action))))
        reminder = format.reminder(first) if last is not None and not is_known(last.action) else ""
        status = format.status(observation, first)
        messages.append(Message("user", show(observation, turn, page_characters, status, reminder).text))
    return messages


def render(observation: ObservationDict, turn: int, page_characters: int, status: str) -> str:
    """An observation as a message: the question at first, what came, fenced, and the status.

    Args:
        observation: what the agent saw.
        turn: its number; 0 for the first.
        page_characters: the most characters of one page's or reply's text.
        status: what is left, or was used, of the budget.
    """
    return show(observation, turn, page_characters, status).text


def show(
    observation: ObservationDict, turn: int, page_characters: int, status: str, reminder: str = "", number: int = 1
) -> Shown:
    """An observation as a message in its parts; see :func:`render`.

    Args:
        reminder: what the last reply lacked; empty as a rule.
        number: of the first result.
    """
    before = [reminder] if reminder else []
    if turn == 0:
        before.append(observation["question"])
    if observation["notice"]:
        before.append(f"Notice: {observation['notice']}")
    if observation["budget"][3] == 1:
        status = f"{status}\n\nThis is the last turn: answer now."
    came = _web_text(observation, page_characters, number)
    return Shown("\n\n".join(before), came, data_token(came, str(turn)) if came else "", status)


def said(reply: str, written: str = "") -> str:
    """What a conversation holds of a reply: the text after its thinking.

    Args:
        reply: the whole reply; empty for a decision that no model made.
        written: such a decision in the format.
    """
    return (after_thinking(reply).strip() if reply else written) or _SILENT


def read_reply(format: Format, reply: str) -> Action:
    """The action of a reply. One without an action is ``Action(-1, (excerpt,))``, one of a type that there is not
    ``Action(-2, (type, text))``: neither is valid, so that the environment's rules decide what follows."""
    return valid_or_excerpt(format.parse(reply), reply)


def valid_or_excerpt(action: Action | None, reply: str) -> Action:
    """An action that was parsed, its texts cut where no environment takes it; see :func:`read_reply`."""
    if action is None:
        return Action(NO_ACTION, (after_thinking(reply).strip()[:_EXCERPT],))
    if action.kind == UNKNOWN_TYPE:
        return Action(UNKNOWN_TYPE, tuple(text[:_EXCERPT] for text in action.arguments))
    return action


def silent(reason: str) -> Action:
    """The action of a model that said nothing, with the reason's beginning."""
    return Action(NO_ACTION, (reason[:_EXCERPT],))


def is_known(action: Action) -> bool:
    """Whether an action is of a kind that there is."""
    return action.kind in _KINDS


def _web_text(observation: ObservationDict, page_characters: int, number: int) -> str:
    parts = [
        f"Result {place}: {result['title']}\n{result['url']}\n{result['snippet']}"
        for place, result in enumerate(observation["results"], start=number)
    ]
    parts += [
        f"Page: {page['title']}\n{page['url']}\n{clip(page['text'], page_characters)}" for page in observation["pages"]
    ]
    for reply in observation["replies"]:
        parts.append(f"Reply of {reply['site']}:\n{clip(reply['text'], page_characters)}")
        parts += [
            f"Document: {document['title']}\n{document['url']}\n{clip(document['text'], page_characters)}"
            for document in reply["documents"]
        ]
    return "\n\n".join(parts)


def clip(text: str, limit: int) -> str:
    """A text of at most ``limit`` characters of its own; a longer one loses its middle, and says so."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[len(text) - half :]}"


def read_prompt(path: Path) -> str:
    """The text of a prompt file, to the letter.

    Raises:
        DataError: if it cannot be read, or is empty.
    """
    prompt = read_text(path, "policy prompt")
    if not prompt.strip():
        raise DataError(f"policy prompt {str(path)!r} is empty; expected the rules that the model is to follow.")
    return prompt
