"""BlockFormat: an action is a block with a type, as in LiveNewsBench."""

from __future__ import annotations

import re

from webenv.actions import Action, Kind, answer, search, visit
from webenv.chat.formats.format import CLOSED_BOOK, DATA_RULE, UNKNOWN_TYPE, first_closed, is_closed_book
from webenv.models import after_thinking
from webenv.observations import ObservationDict

_PROMPT = """\
You answer questions about recent events with what you find on the web. You work in turns. In each turn, think first, \
and write down your reasoning; then act once, with one block of this form:

<action>
type: Search
one query a line
</action>

There are three types of action:
- Search: looks its lines up in a web search, each as a query of its own. You get titles, URLs and snippets.
- Click: opens pages, one URL a line. Only URLs that a search has shown you can be opened. You get the text.
- Finish: ends the work. Its first line is your answer: a few words, nothing else.

Only the first block of a reply counts. Each query is one search, each URL one click, and both are limited: you are \
told in each turn how many you have used. An action that would use more than is left ends the work at once, and it \
counts as failed; so does a reply without a block, or one of another type. When nothing is left, finish. Search and \
click no more than you need.
"""

_REMINDER = (
    "Your last reply held no action that there is. Each reply needs one block, from <action> to </action>, whose "
    "first line is type: Search, type: Click or type: Finish."
)

_CLOSED_REMINDER = (
    "Your last reply held no answer. It needs one block, from <action> to </action>, whose first line is type: Finish."
)

_OPENING = re.compile(r"(?P<tag><action\s*>)|(?P<fence>```action[ \t]*\n)", re.IGNORECASE | re.ASCII)
_CLOSINGS = {"tag": re.compile(r"</action\s*>", re.IGNORECASE | re.ASCII), "fence": re.compile("```")}
_TYPE = re.compile(r"\s*type\s*:\s*(.*)", re.IGNORECASE)
_NAMES = {Kind.SEARCH: "Search", Kind.VISIT: "Click", Kind.ANSWER: "Finish"}


class BlockFormat:
    """One block an action, with its type in its first line: Search, Click or Finish (LiveNewsBench, figure 7).

    A block is closed by its tag, ``<action>`` to ``</action>``, or fenced with three backticks and
    the word action. Types are read in any case. Lines of a search are queries, lines of a click
    URLs, the first line of a finish the answer.

    >>> BlockFormat().parse("I look.\\n<action>\\ntype: Search\\nmill fire\\nmill owner\\n</action>")
    Action(kind=<Kind.SEARCH: 0>, arguments=('mill fire', 'mill owner'))
    """

    name = "blocks"
    _rules = _PROMPT + DATA_RULE
    _closed = CLOSED_BOOK.format(answer="<action>\ntype: Finish\nyour answer\n</action>")
    prompt = _rules + _closed

    def rules(self, first: ObservationDict) -> str:
        return self._closed if is_closed_book(first) else self._rules

    def reminder(self, first: ObservationDict) -> str:
        return _CLOSED_REMINDER if is_closed_book(first) else _REMINDER

    def parse(self, reply: str) -> Action | None:
        found = first_closed(after_thinking(reply), _OPENING, _CLOSINGS)
        if found is None:
            return None
        lines = [line.strip() for line in found[1].splitlines() if line.strip()]
        head = _TYPE.fullmatch(lines[0]) if lines else None
        name = head[1].strip() if head else ""
        texts = lines[1:] if head else lines
        kind = next((kind for kind, known in _NAMES.items() if known.lower() == name.lower()), None)
        if kind is None:
            return Action(UNKNOWN_TYPE, (name, "\n".join(texts)))
        if kind is Kind.ANSWER:
            return answer(*texts[:1])
        return search(*texts) if kind is Kind.SEARCH else visit(*texts)

    def write(self, action: Action) -> str:
        name = next((name for kind, name in _NAMES.items() if kind == action.kind), "")
        return "\n".join(("<action>", f"type: {name}", *action.arguments, "</action>")) if name else ""

    def status(self, observation: ObservationDict, first: ObservationDict) -> str:
        searches, clicks, _, turns = (int(left) for left in observation["budget"])
        most = [int(limit) for limit in first["budget"]]
        return (
            f"Used: {most[0] - searches} of {most[0]} searches, {most[1] - clicks} of {most[1]} clicks. "
            f"Turns left: {turns}."
        )
