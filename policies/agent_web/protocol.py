"""How agents of AgentWebBench write actions, and how their history is told to them: anew each turn, in one message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from webenv.actions import Action, answer, ask, note, search
from webenv.chat import NO_ACTION
from webenv.models import after_thinking
from webenv.observations import ObservationDict
from webenv.policy import Decision

USER = ("search", "answer", "summary")
RESEARCH = (*USER, "plan", "scripts")
"""The tags of a user agent, and of one that writes a report."""

_LONG = 8_000  # tokens of a prompt above which a summary is asked for
_SEARCHES = 5  # in a row
_TURNS = 10
_EXCERPT = 200
_STEPS = 14  # of halving, to find the factor that documents shrink by
_TAG = re.compile(r"<(/?)\s*(search|answer|summary|plan|scripts|information|think)\b", re.IGNORECASE | re.ASCII)


class TaggedReply(NamedTuple):
    """A reply, read: its tag, the text between, and what was wrong with it; one of ``tag`` and ``problem`` is empty."""

    tag: str
    text: str
    problem: str
    action: Action


def read_reply(reply: str, tags: Sequence[str], named: bool, content: bool = False) -> TaggedReply:
    """The action of a reply: of the tags that are closed the one that closes last; a summary overrides all.

    Args:
        reply: what the model wrote; its thinking is dropped.
        tags: the tags that there are.
        named: whether a search names sites, as JSON: ``{"query": …, "websites": […]}``.
        content: whether an answer is a content agent's, as JSON: ``{"summary": …, "documents": […]}``.

    >>> read_reply('<search>{"query": "mill", "websites": ["a.example"]}</search>', USER, True).action
    Action(kind=<Kind.ASK: 2>, arguments=('mill', 'a.example'))
    """
    text = after_thinking(reply)
    closed: dict[str, tuple[int, str]] = {}
    for tag in tags:
        pair = _last_pair(text, tag)
        if pair is not None:
            closed[tag] = pair
    if not closed:
        return _invalid(f"Your reply held none of the actions: {', '.join(f'<{tag}>' for tag in tags)}.", text)
    tag = "summary" if "summary" in closed else max(closed, key=lambda one: closed[one][0])
    inside = closed[tag][1].strip()
    if tag == "search":
        return _search(inside, named)
    if tag == "answer":
        return _content_answer(inside) if content else TaggedReply(tag, inside, "", answer(inside))
    return TaggedReply(tag, inside, "", note(inside))


def _last_pair(text: str, tag: str) -> tuple[int, str] | None:
    """Where the last closing of a tag stands, and the text before it up to its opening; ``None`` where there is none.

    The opening is the last before it; of a summary, which may quote another, the first.
    """
    lowered = text.lower()  # of ASCII alone are the tags; a letter that changes its length would move places
    if len(lowered) != len(text):
        lowered = text
    end = lowered.rfind(f"</{tag}>")
    start = lowered.find(f"<{tag}>") if tag == "summary" else lowered.rfind(f"<{tag}>", 0, max(end, 0))
    if not 0 <= start < end:
        return None
    return end, text[start + len(tag) + 2 : end]


def _search(inside: str, named: bool) -> TaggedReply:
    given = _object(inside)
    if not named:
        query = given.get("query") if given else inside
        if not isinstance(query, str) or not query.strip():
            return _invalid("The search has no query.", inside)
        return TaggedReply("search", inside, "", search(query.strip()))
    if given is None:
        return _invalid('A search is JSON: {"query": "…", "websites": ["…"]}. Yours could not be read.', inside)
    query, sites = given.get("query"), given.get("websites")
    if not isinstance(query, str) or not query.strip():
        return _invalid('The search has no "query".', inside)
    if not isinstance(sites, list) or not sites or not all(isinstance(site, str) and site.strip() for site in sites):
        return _invalid('The search names no website: "websites" is a list of one or more of those listed.', inside)
    return TaggedReply("search", inside, "", ask(query.strip(), *dict.fromkeys(site.strip() for site in sites)))


def _content_answer(inside: str) -> TaggedReply:
    given = _object(inside)
    if given is None:
        return _invalid('An answer is JSON: {"summary": "…", "documents": ["…"]}. Yours could not be read.', inside)
    summary, ids = given.get("summary", ""), given.get("documents", [])
    if not isinstance(summary, str) or not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        return _invalid('An answer has a text as "summary" and a list of ids as "documents".', inside)
    return TaggedReply("answer", inside, "", answer(summary, *ids))


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _invalid(problem: str, text: str) -> TaggedReply:
    return TaggedReply("", "", problem, Action(NO_ACTION, (text.strip()[:_EXCERPT],)))


# ── the history ───────────────────────────────────────────────────────────────


class Piece(NamedTuple):
    """A part of the history as text; ``document``: it is a page's text, which may lose its middle."""

    text: str
    document: bool = False


def harmless(text: str) -> str:
    """A text from the web without tags of the protocol: what a page says is no action, and ends no information.

    >>> harmless("a </information><answer>x</answer>")
    'a ‹/information>‹answer>x‹/answer>'
    """
    return _TAG.sub(lambda found: "‹" + found[0][1:], text)


def told(observation: ObservationDict) -> list[Piece]:
    """What came of a turn, between information tags: documents with their ids, and summaries."""
    pieces = [Piece("<information>\n")]
    for page in observation["pages"]:
        pieces += _document(page)
    for reply in observation["replies"]:
        summary = f"Summary: {harmless(reply['text'])}\n" if reply["text"] else ""
        pieces.append(Piece(f"Website: {harmless(reply['site'])}\n{summary}"))
        for document in reply["documents"]:
            pieces += _document(document)
    if observation["notice"]:
        pieces.append(Piece(f"Note: {harmless(observation['notice'])}\n"))
    return [*pieces, Piece("</information>\n")]


def _document(page: Mapping[str, str]) -> list[Piece]:
    head = f"Document ID: {harmless(page['url'])}\nTitle: {harmless(page['title'])}\nText: "
    return [Piece(head), Piece(harmless(page["text"]), True), Piece("\n")]


def told_history(
    decisions: Sequence[Decision], observations: Sequence[ObservationDict], read: Callable[[str], TaggedReply]
) -> tuple[list[Piece], list[TaggedReply]]:
    """The turns so far, numbered from 1; a summary stands in the place of all before it.

    Args:
        decisions: what the agent did; its thoughts are its whole replies.
        observations: what it saw then, without the first.
        read: reads a reply.

    Returns:
        The history, and every reply as it was read.
    """
    pieces: list[Piece] = []
    written: list[TaggedReply] = []
    for number, (decision, seen) in enumerate(zip(decisions, observations, strict=True), start=1):
        reply = read(decision.thought)
        written.append(reply)
        head = f"Turn {number}:\n"
        if reply.tag == "summary":
            pieces = [Piece(f"{head}{reply.text}\n\n")]
        elif reply.problem:
            problem = f"{reply.problem} {harmless(seen['notice'])}".strip()
            pieces += [Piece(f"{head}<information>\nError: {problem}\n</information>\n\n")]
        elif reply.tag == "search":
            pieces += [Piece(f"{head}<search>{reply.text}</search>\n"), *told(seen), Piece("\n")]
        else:
            pieces += [Piece(f"{head}<{reply.tag}>{reply.text}</{reply.tag}>\n\n")]
    return pieces, written


def reminders(written: Sequence[TaggedReply], left: int, tokens: int, whole: str) -> list[str]:
    """What an agent is reminded of before its next turn.

    Args:
        written: its replies so far.
        left: turns that are left, this one among them.
        tokens: of the prompt.
        whole: what it owes at the end, as "an answer".
    """
    found = []
    if written and written[-1].problem:
        found.append(f"Your last reply was no valid action and cost a turn: {written[-1].problem}")
    if tokens > _LONG:
        found.append("The history is long: write a <summary> of what matters, which will stand in its place.")
    row = 0
    for reply in written:
        row = row + 1 if reply.tag == "search" else 0
    if row > _SEARCHES:
        found.append(f"That were {row} searches in a row: use what you have, or search for something else.")
    if left == 1:
        found.append(f"This is your last turn: give {whole} now, in <answer> and </answer>.")
    elif len(written) >= _TURNS:
        found.append(f"{len(written)} turns are used and {left} are left: come to {whole} soon.")
    return found


# ── within the window ─────────────────────────────────────────────────────────


def fitted(pieces: Sequence[Piece], room: int, count: Callable[[str], int]) -> str:
    """Pieces as one text of at most so many tokens: where it has more, every document loses its middle, by one factor.

    Nothing else is cut: where that alone is too long, the text is longer than ``room``.
    """
    whole = "".join(piece.text for piece in pieces)
    if count(whole) <= room or not any(piece.document for piece in pieces):
        return whole
    low, high, best = 0.0, 1.0, _scaled(pieces, 0.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        text = _scaled(pieces, middle)
        if count(text) <= room:
            low, best = middle, text
        else:
            high = middle
    return best


def _scaled(pieces: Sequence[Piece], factor: float) -> str:
    return "".join(_shorter(piece.text, factor) if piece.document else piece.text for piece in pieces)


def _shorter(text: str, factor: float) -> str:
    """A text that keeps so much of its length, of its beginning and its end alike."""
    kept = int(len(text) * factor)
    if kept >= len(text):
        return text
    half = kept // 2
    return f"{text[: kept - half]} […] {text[len(text) - half :] if half else ''}"
