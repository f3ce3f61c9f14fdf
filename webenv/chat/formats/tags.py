"""Formats in which an action stands in a reply as a tag such as ``<search>``, or as a block that names its type."""

from __future__ import annotations

import re
from collections.abc import Mapping

from webenv.actions import Action, Kind, answer, ask, note, search, visit
from webenv.chat.formats.format import (
    CLOSED_BOOK,
    DATA_RULE,
    UNKNOWN_TYPE,
    Tags,
    first_closed,
    has_asks,
    is_closed_book,
    rules_by_asks,
    what_is_left,
)
from webenv.models import after_thinking
from webenv.observations import ObservationDict

_PROMPT = """\
You find things out on the web. You work in turns: think as much as you need, then act once, with one of these tags.

<search>
one query a line
</search>
<visit>
one URL a line
</visit>
{ask}<note>what you want to remember: a plan, a draft, what is ruled out</note>
<source>the URL</source> ends the work where a page is asked for; if there is none, write No source found. in its place
<answer>the answer</answer> ends the work where anything else is asked for, as briefly as the question allows

Only the first action of a reply is carried out. {charged} is charged to a budget, \
and every reply costs a turn; you are told what is left. Answer before the turns run out: without an answer the work \
counts for nothing.
"""

_REMINDER = (
    "Your last reply held no action. Each reply needs one of these tags: <search>query</search>, "
    "<visit>URL</visit>, {ask}<note>text</note>, <answer>text</answer>, <source>URL</source>."
)

_TAGS = Tags("search", "visit", "answer", "source", "note", "ask")
_NAMES = {Kind.SEARCH: "search", Kind.VISIT: "visit", Kind.ANSWER: "answer", Kind.NOTE: "note"}


class TagFormat:
    """One tag an action: search, visit, ask, note, answer, source.

    Args:
        url_answers: whether answers are URLs; then they are written as a ``<source>``, as the rules ask for.
            Either is read as an answer.

    >>> TagFormat().parse("<think><answer>no</answer></think>I look. <search>\\nmill\\nriver\\n</search>")
    Action(kind=<Kind.SEARCH: 0>, arguments=('mill', 'river'))
    """

    name = "tags"
    _rules, _reminder, _tags = rules_by_asks(_PROMPT), _REMINDER, _TAGS
    _closed = CLOSED_BOOK.format(answer="<answer>the answer</answer>")
    prompt = _rules[True] + _rules[False] + _closed

    def __init__(self, url_answers: bool = False) -> None:
        self._names = {**_NAMES, Kind.ANSWER: "source"} if url_answers else _NAMES

    def rules(self, first: ObservationDict) -> str:
        return self._closed if is_closed_book(first) else self._rules[has_asks(first)]

    def reminder(self, first: ObservationDict) -> str:
        if is_closed_book(first):
            return "Your last reply held no answer. " + self._closed.splitlines()[2]
        return self._reminder.format(ask='<ask site="host">question</ask>, ' if has_asks(first) else "")

    def parse(self, reply: str) -> Action | None:
        return read_tag(after_thinking(reply), self._tags)

    def write(self, action: Action) -> str:
        return write_tag(action, self._names)

    def status(self, observation: ObservationDict, first: ObservationDict) -> str:
        return what_is_left(observation, first)


_SOURCE_PROMPT = """\
You look for one page on the web. You work in turns: think as much as you need, then act once, with one of these tags.

<search>
one query a line
</search>
<visit>
one URL a line
</visit>
{ask}<note>what you want to remember: a plan, what is ruled out</note>
<source>the URL of the page</source>

The source ends the work. If there is no such page, end it with <source>No source found.</source>

Only the first tag of a reply is carried out. {charged} is charged to a budget, and every reply costs a turn; you are \
told what is left. Name a source before the turns run out: without one the work counts for nothing.
"""

_SOURCE_REMINDER = (
    "Your last reply held no action. Each reply needs one of these tags: <search>query</search>, "
    "<visit>URL</visit>, {ask}<note>text</note>, <source>URL</source>."
)

_SOURCE_TAGS = Tags("search", "visit", "source", "note", "ask")


class SourceFormat(TagFormat):
    """One tag an action: search, visit, ask, note; a ``<source>`` block is the answer (Needle in the Web, its prompts).

    The source is the text between the first open and the first close tag; a markdown link in it is
    read by the benchmark, as is ``No source found.``

    >>> SourceFormat().parse("<answer>a</answer> <source>https://a.example/b</source>")
    Action(kind=<Kind.ANSWER: 3>, arguments=('https://a.example/b',))
    """

    name = "source"
    _rules, _reminder, _tags = rules_by_asks(_SOURCE_PROMPT), _SOURCE_REMINDER, _SOURCE_TAGS
    _closed = CLOSED_BOOK.format(answer="<source>the URL of the page</source>")
    prompt = _rules[True] + _rules[False] + _closed

    def __init__(self) -> None:
        super().__init__(url_answers=True)


def read_tag(text: str, tags: Tags) -> Action | None:
    """The action of the first tag in a text that is closed; ``None`` where there is none."""
    found = tags.first(text)
    if found is None:
        return None
    name, text = found.name, found.text.strip()
    if name == "ask":
        return ask(text, *[site.strip() for site in found.site.split(",") if site.strip()])
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if name == "search":
        return search(*lines)
    if name == "visit":
        return visit(*lines)
    return note(text) if name == "note" else answer(text)


def write_tag(action: Action, names: Mapping[Kind, str]) -> str:
    """An action as its tag, by the tags' names; empty where it has none."""
    kind, texts = action
    if kind == Kind.ASK and len(texts) > 1:
        return f'<ask site="{", ".join(texts[1:])}">{texts[0]}</ask>'
    name = next((name for of, name in names.items() if of == kind), "")
    return f"<{name}>\n" + "\n".join(texts) + f"\n</{name}>" if name else ""


_BLOCK_PROMPT = """\
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

_BLOCK_REMINDER = (
    "Your last reply held no action that there is. Each reply needs one block, from <action> to </action>, whose "
    "first line is type: Search, type: Click or type: Finish."
)

_CLOSED_REMINDER = (
    "Your last reply held no answer. It needs one block, from <action> to </action>, whose first line is type: Finish."
)

_OPENING = re.compile(r"(?P<tag><action\s*>)|(?P<fence>```action[ \t]*\n)", re.IGNORECASE | re.ASCII)
_CLOSINGS = {"tag": re.compile(r"</action\s*>", re.IGNORECASE | re.ASCII), "fence": re.compile("```")}
_TYPE = re.compile(r"\s*type\s*:\s*(.*)", re.IGNORECASE)
_BLOCK_NAMES = {Kind.SEARCH: "Search", Kind.VISIT: "Click", Kind.ANSWER: "Finish"}


class BlockFormat:
    """One block an action, with its type in its first line: Search, Click or Finish (LiveNewsBench, figure 7).

    A block is closed by its tag, ``<action>`` to ``</action>``, or fenced with three backticks and
    the word action. Types are read in any case. Lines of a search are queries, lines of a click
    URLs, the first line of a finish the answer.

    >>> BlockFormat().parse("I look.\\n<action>\\ntype: Search\\nmill fire\\nmill owner\\n</action>")
    Action(kind=<Kind.SEARCH: 0>, arguments=('mill fire', 'mill owner'))
    """

    name = "blocks"
    _rules = _BLOCK_PROMPT + DATA_RULE
    _closed = CLOSED_BOOK.format(answer="<action>\ntype: Finish\nyour answer\n</action>")
    prompt = _rules + _closed

    def rules(self, first: ObservationDict) -> str:
        return self._closed if is_closed_book(first) else self._rules

    def reminder(self, first: ObservationDict) -> str:
        return _CLOSED_REMINDER if is_closed_book(first) else _BLOCK_REMINDER

    def parse(self, reply: str) -> Action | None:
        found = first_closed(after_thinking(reply), _OPENING, _CLOSINGS)
        if found is None:
            return None
        lines = [line.strip() for line in found[1].splitlines() if line.strip()]
        head = _TYPE.fullmatch(lines[0]) if lines else None
        name = head[1].strip() if head else ""
        texts = lines[1:] if head else lines
        kind = next((kind for kind, known in _BLOCK_NAMES.items() if known.lower() == name.lower()), None)
        if kind is None:
            return Action(UNKNOWN_TYPE, (name, "\n".join(texts)))
        if kind is Kind.ANSWER:
            return answer(*texts[:1])
        return search(*texts) if kind is Kind.SEARCH else visit(*texts)

    def write(self, action: Action) -> str:
        name = next((name for kind, name in _BLOCK_NAMES.items() if kind == action.kind), "")
        return "\n".join(("<action>", f"type: {name}", *action.arguments, "</action>")) if name else ""

    def status(self, observation: ObservationDict, first: ObservationDict) -> str:
        searches, clicks, _, turns = (int(left) for left in observation["budget"])
        most = [int(limit) for limit in first["budget"]]
        return (
            f"Used: {most[0] - searches} of {most[0]} searches, {most[1] - clicks} of {most[1]} clicks. "
            f"Turns left: {turns}."
        )
