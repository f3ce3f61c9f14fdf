"""ToolFormat: an action is a tool call, as endpoints of the OpenAI kind return them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from webenv.actions import Action, Kind
from webenv.chat.formats.format import CLOSED_BOOK, UNKNOWN_TYPE, has_asks, is_closed_book, rules_by_asks, what_is_left
from webenv.errors import InvalidArgument
from webenv.models import ToolCall, after_thinking
from webenv.observations import ObservationDict

_PROMPT = """\
You find things out on the web, with the tools that you are given. You work in turns: think as much as you need, then \
call one tool. Several searches, or several visits, may go out in one turn; of other calls the first counts.

{charged} is charged to a budget, and every turn counts; you are told what is left. The tool answer ends the work. \
Where a page is asked for, the answer is its URL, or No source found. if there is none; else it is as brief as the \
question allows. Answer before the turns run out: without an answer the work counts for nothing.
"""

_REMINDER = "Your last reply held no tool call that there is. Each reply needs a call of {tools}."

# As chat templates have models write them. The end of the text closes too, lest each of many openings look for an end.
_TEXTUAL = re.compile(r"<tool_call\s*>(.*?)(?:</tool_call\s*>|\Z)", re.DOTALL)
_TEXTUAL_END = re.compile(r"</tool_call\s*>")
_EXCERPT = 200
_MOST = 100  # texts of one action


class ToolFormat:
    """One tool call an action: search, visit, ask, answer, note.

    A reply is a message as an endpoint returns it, with ``tool_calls``; that message as JSON text; or
    a text with calls between ``<tool_call>`` tags, each ``{"name": …, "arguments": {…}}``. Calls that
    are all searches, or all visits, are one action with the texts of them all; otherwise the first
    counts alone. Whatever is not JSON, or lacks an argument, is an action without texts, and a tool
    that there is not is of an unknown kind: the environment's rules decide about both.

    Args:
        limits: the most characters of a ``query``, ``url``, ``question``, ``site``, ``answer`` and ``note``,
            as in :data:`webenv.spaces.LIMITS`.
        references: whether results have numbers that may stand for their URLs.

    >>> ToolFormat().parse({"tool_calls": [{"function": {"name": "search", "arguments": '{"queries": ["mill"]}'}}]})
    Action(kind=<Kind.SEARCH: 0>, arguments=('mill',))
    """

    name = "tools"
    _rules = rules_by_asks(_PROMPT)
    _closed = CLOSED_BOOK.format(answer="a call of the tool answer")
    prompt = _rules[True] + _rules[False] + _closed

    def __init__(self, limits: Mapping[str, int] | None = None, references: bool = False) -> None:
        self._limits, self._references = dict(limits or {}), references

    def rules(self, first: ObservationDict) -> str:
        return self._closed if is_closed_book(first) else self._rules[has_asks(first)]

    def reminder(self, first: ObservationDict) -> str:
        names = [tool["function"]["name"] for tool in self.tools(first)]
        return _REMINDER.format(tools=f"{', '.join(names[:-1])} or {names[-1]}")

    def tools(self, first: ObservationDict) -> list[dict[str, Any]]:
        """The tools of an episode with this first observation, as an endpoint takes them: names, descriptions and
        JSON schemas; a tool that the budget has none of is left out."""
        searches, visits, asks, _ = (int(most) for most in first["budget"])
        url = "URLs, or numbers of results" if self._references else "URLs"
        tools = []
        if searches:
            about = 'Searches the web. site:host, -site:host and "quoted phrases" work.'
            queries = self._texts("query", "Queries; each is charged one search.", searches)
            tools.append(_tool("search", about, {"queries": queries}))
        if visits:
            urls = self._texts("url", f"{url}; each is charged one visit.", visits)
            tools.append(_tool("visit", "Opens pages and gives their text.", {"urls": urls}))
        if asks:
            sites = self._texts("site", "Hosts; each is charged one ask.", asks)
            question = self._text("question", "What to ask.")
            tools.append(
                _tool("ask", "Asks the content agents of sites a question.", {"question": question, "sites": sites})
            )
        tools.append(_tool("answer", "Ends the work with an answer.", {"answer": self._text("answer", "The answer.")}))
        about = "Keeps a text in the conversation: a plan, a draft, what is ruled out."
        tools.append(_tool("note", about, {"text": self._text("note", "The text.")}))
        return tools

    def parse(self, reply: str | Mapping[str, Any]) -> Action | None:
        """The action of a reply's calls; ``None`` where it has none.

        Raises:
            InvalidArgument: for a message of another API.
        """
        if not isinstance(reply, str):
            check_message(reply)
        calls = self.calls(reply)
        return self.action(calls) if calls else None

    def calls(self, reply: str | Mapping[str, Any]) -> tuple[ToolCall, ...]:
        """The calls of a reply, whatever they hold."""
        # a message whose content has thinking, or a message behind some
        message = reply if isinstance(reply, Mapping) else _object(reply) or _object(after_thinking(reply)) or {}
        given = message.get("tool_calls")
        if isinstance(given, list | tuple) and given:
            return tuple(map(ToolCall.read, given))
        text = reply if isinstance(reply, str) else message.get("content")
        return _textual_calls(after_thinking(text)) if isinstance(text, str) else ()

    def action(self, calls: Sequence[ToolCall]) -> Action:
        """The action of one call or more."""
        if together(calls):
            return Action(_action(calls[0]).kind, tuple(text for call in calls for text in _action(call).arguments))
        return _action(calls[0])

    def remarks(self, calls: Sequence[ToolCall]) -> tuple[str, ...]:
        """What the calls after the first are told."""
        told = (
            "Done together with the first call of the reply, whose result holds this one's."
            if together(calls)
            else "Not done: of several calls that are not all searches, or all visits, the first alone counts."
        )
        return (told,) * (len(calls) - 1)

    def problem(self, calls: Sequence[ToolCall]) -> str:
        """What is wrong with the call that counts; empty if nothing is."""
        if not calls or together(calls) or _action(calls[0]).arguments:
            return ""
        call = calls[0]
        if _object(call.arguments) is None:
            return f"The arguments of {call.name} are no JSON object."
        return f"The arguments of {call.name} are not those that it takes."

    def write(self, action: Action) -> str:
        kind, texts = action
        if kind == Kind.ASK and len(texts) > 1:
            arguments: dict[str, Any] = {"question": texts[0], "sites": list(texts[1:])}
        elif kind in (Kind.SEARCH, Kind.VISIT):
            arguments = {("queries", "urls")[kind]: list(texts)}
        elif kind in (Kind.ANSWER, Kind.NOTE):
            arguments = {"answer" if kind == Kind.ANSWER else "text": "\n".join(texts)}
        else:
            return ""
        return written_call(ToolCall("", Kind(kind).name.lower(), json.dumps(arguments, ensure_ascii=False)))

    def status(self, observation: ObservationDict, first: ObservationDict) -> str:
        return what_is_left(observation, first)

    def _text(self, sort: str, about: str) -> dict[str, Any]:
        limit = {"maxLength": self._limits[sort]} if sort in self._limits else {}
        return {"type": "string", "description": about, **limit}

    def _texts(self, sort: str, about: str, most: int) -> dict[str, Any]:
        item = {key: value for key, value in self._text(sort, "").items() if key != "description"}
        return {"type": "array", "description": about, "items": item, "minItems": 1, "maxItems": min(most, _MOST)}


def together(calls: Sequence[ToolCall]) -> bool:
    """Whether several calls are one action: all searches, or all visits, each with its texts."""
    actions = [_action(call) for call in calls]
    kinds = {int(action.kind) for action in actions}
    return len(calls) > 1 and kinds in ({int(Kind.SEARCH)}, {int(Kind.VISIT)}) and all(one.arguments for one in actions)


def written_call(call: ToolCall) -> str:
    """A call as text between ``<tool_call>`` tags."""
    return f'<tool_call>\n{{"name": {json.dumps(call.name)}, "arguments": {call.arguments}}}\n</tool_call>'


def sendable_call(call: ToolCall) -> ToolCall:
    """A call with arguments that are a JSON object whatever the model wrote: endpoints and chat templates take no
    others."""
    if _object(call.arguments) is not None:
        return call
    return call._replace(arguments=json.dumps({"unreadable": call.arguments[:_EXCERPT]}))


_OTHER_PARTS = {
    "tool_use": "an Anthropic message",
    "output_text": "an item of the Responses API",
    "function_call": "an item of the Responses API",
    "functionCall": "a Gemini message",
    "toolUse": "a Bedrock message",
}
_EXPECTED = (
    "a model's text, or the message that an endpoint of the chat-completions API returned, as a dict: "
    '{"role": "assistant", "content": "…", "tool_calls": [{"id": "…", "type": "function", '
    '"function": {"name": "search", "arguments": "{…}"}}]}'
)


def check_message(reply: object) -> None:
    """Refuses a message of another API, whose text and calls would be overlooked, and what is no message at all.

    Raises:
        InvalidArgument: that names the form it has and the one that is expected.

    >>> check_message({"role": "assistant", "content": "I look.", "tool_calls": None})
    """
    form = _form_of(reply)
    if form:
        raise InvalidArgument(f"a reply was {form} ({reply!r:.80}): expected {_EXPECTED}.")


def _form_of(reply: object) -> str:
    """What form a reply has that is none of the chat-completions API's; empty for one that is."""
    if isinstance(reply, list | tuple):
        return next((form for form in map(_part_form, reply) if form), "a list")
    if not isinstance(reply, Mapping):
        return "neither text nor message"
    if "choices" in reply:
        return "a whole completion, whose message is choices[0].message"
    if isinstance(reply.get("output"), list):
        return "a response of the Responses API"
    if form := _part_form(reply):
        return form
    for name in ("content", "parts"):
        parts = reply.get(name)
        if isinstance(parts, Mapping):  # Gemini's content, itself a message
            parts = parts.get("parts")
        if isinstance(parts, list | tuple) and (form := next((form for form in map(_part_form, parts) if form), "")):
            return form
    if isinstance(reply.get("parts"), list):
        return "a Gemini message"
    if isinstance(reply.get("function_call"), Mapping):
        return "a message with the function_call that tool_calls took the place of"
    calls = reply.get("tool_calls")
    calls = [one for one in calls if isinstance(one, Mapping)] if isinstance(calls, list | tuple) else []
    flat = any("function" not in one and isinstance(one.get("name"), str) for one in calls)
    return "a message with flat tool_calls, as LangChain has them" if flat else ""


def _part_form(part: object) -> str:
    if not isinstance(part, Mapping):
        return ""
    names = [part.get("type"), *(name for name in ("functionCall", "toolUse") if name in part)]
    return next((_OTHER_PARTS[name] for name in names if isinstance(name, str) and name in _OTHER_PARTS), "")


def _tool(name: str, about: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": about, "parameters": parameters}}


def _action(call: ToolCall) -> Action:
    kind = next((kind for kind in Kind if kind.name.lower() == call.name), None)
    if kind is None:
        return Action(UNKNOWN_TYPE, (call.name[:_EXCERPT], call.arguments[:_EXCERPT]))
    given = _object(call.arguments) or {}
    if kind is Kind.SEARCH:
        return Action(kind, _several(given, "queries", "query"))
    if kind is Kind.VISIT:
        return Action(kind, _several(given, "urls", "url"))
    if kind is Kind.ASK:
        question, sites = _several(given, "question"), _several(given, "sites", "site")
        return Action(kind, (*question, *sites) if len(question) == 1 and sites else ())
    return Action(kind, _several(given, "answer" if kind is Kind.ANSWER else "text")[:1])


def _several(given: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """The texts of the first of these arguments that is there; numbers are texts too; none where one is not."""
    value: Any = next((given[name] for name in names if name in given), [])
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int) and not isinstance(one, bool) for one in values):
        return ()
    return tuple(one if isinstance(one, str) else str(one) for one in values)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _textual_calls(text: str) -> tuple[ToolCall, ...]:
    ends = [closed.end() for closed in _TEXTUAL_END.finditer(text)]  # behind the last there is none to be looked for
    return tuple(_textual(one[1]) for one in _TEXTUAL.finditer(text, 0, ends[-1] if ends else 0))


def _textual(text: str) -> ToolCall:
    given = _object(text) or {}
    return ToolCall.read({"function": given}) if given else ToolCall("", "", text.strip())
