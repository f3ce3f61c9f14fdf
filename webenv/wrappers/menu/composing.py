"""What pages come to as an answer, without a model: a short phrase, or a report with citations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from webenv.query_terms import content_words, query_of, words_of
from webenv.urls import host_of
from webenv.wrappers.menu.gap import (
    GAP,
    QuestionPart,
    between,
    fill,
    kind_between,
    names_in,
    passages_of,
    read_part,
)
from webenv.wrappers.menu.reading import best_phrase
from webenv.wrappers.menu.words import stem

_TEXT = 10_000  # characters of a document that are read
_SENTENCES = 4  # of each document in a report
_REPORTED = 48  # sentences of a report
_TOPICS = 8  # that a report's question names, each looked for by itself
_BETWEEN_NAMES = re.compile(r"[,:;?]| and ")
_FIRST_PART = re.compile(r"(.+?[.!?]) (?=And )")
_SENTENCE_END = re.compile(r"[.!?](?= )")

_stem = lru_cache(maxsize=65_536)(stem)


def topics_of(question: str) -> list[str]:
    """What a question names, each once.

    >>> topics_of("What is known about Ann Lee, and about those tied to it: Bo Ek and the Old Mill of Lund?")
    ['Ann Lee', 'Bo Ek', 'Old Mill of Lund']
    """
    parts = _BETWEEN_NAMES.split(question)
    return list(dict.fromkeys(name for part in parts for name in names_in(part)))[:_TOPICS]


def two_parts(question: str) -> tuple[QuestionPart, QuestionPart] | None:
    """The parts of a question that asks of somebody what it does not name; ``None`` for any other question.

    >>> first, second = two_parts("Ann A. Lee sat to a certain man. And that same man fears ___. What fills the gap?")
    >>> first.text, first.kind, second.text
    ('Ann A. Lee sat to a certain man.', 'man', 'And that same man fears ___.')
    """
    held = _FIRST_PART.match(question)
    second = _second_part(question[held.end() :]) if held is not None else ""
    kind = kind_between(held[1], second) if held is not None and second else ""
    return (read_part(held[1], kind), read_part(second, kind)) if held is not None and kind else None


def _second_part(rest: str) -> str:
    """The sentence with which a text begins, if nothing or one question follows it; empty otherwise.

    >>> _second_part("And that same man fears ___. What fills the gap?")
    'And that same man fears ___.'
    """
    rest = rest.removesuffix("\n")
    least = len("And x")
    if len(rest) <= least or rest[-1] not in ".!?":
        return ""
    end = _SENTENCE_END.search(rest, max(least, rest.rfind("?", 0, -1))) if rest[-1] == "?" else None
    part = rest[: end.end()] if end is not None else rest
    return "" if "\n" in part else part


def asked_of(part: QuestionPart, named: str = "") -> str:
    """A part of a question as a query, with a name for what it leaves unnamed."""
    text = part.text.removeprefix("And ").replace(GAP, " ")
    for unnamed in (f"a certain {part.kind}", f"A certain {part.kind}", f"that same {part.kind}"):
        text = text.replace(unnamed, f" {named} ")
    return query_of(text)


def answer_in(question: str, documents: Sequence[tuple[str, str]]) -> str:
    """What fills the gap of a question, or the likeliest phrase; empty where nothing does.

    Args:
        question: the question.
        documents: titles and texts of what was found.
    """
    parts = two_parts(question)
    if parts is not None:
        named = between(parts[0], documents) or {"": 0.0}
        filled = {fill(parts[1], name, documents): score for name, score in named.items()}
        best, _ = max(filled, key=lambda one: one[1] + filled[one] if one[0] else 0.0)
        if best:
            return best
    return best_phrase(question, [(title, text[:_TEXT]) for title, text in documents])


def report(question: str, documents: Sequence[tuple[str, str, str]]) -> str:
    """A report of the best sentences of documents, each with the number of its site, and the list of the sites.

    Args:
        question: the question.
        documents: addresses, titles and texts, best first.
    """
    wanted = frozenset(map(_stem, content_words(question)))
    names = topics_of(question)
    numbers: dict[str, int] = {}
    lines: list[str] = []
    for url, title, text in documents:
        ranked: list[tuple[int, int, int, str]] = []
        for passage in passages_of(title, text[:_TEXT]):
            named = sum(name in passage.whole for name in names)
            shared = len(wanted.intersection(map(_stem, words_of(passage.whole))))
            if named or shared > 1:
                ranked.append((-named, -shared, len(ranked), " ".join(passage.whole.split())))
        if not ranked:
            continue
        site = host_of(url)
        for _, _, _, sentence in sorted(sorted(ranked)[:_SENTENCES], key=lambda each: each[2]):
            number = numbers.setdefault(site, len(numbers) + 1)
            lines.append(f"{sentence} [{number}]")
        if len(lines) >= _REPORTED:
            break
    if not lines:
        return "Nothing was found on this question."
    references = "\n".join(f"[{number}] {site}" for site, number in numbers.items())
    return "\n".join(dict.fromkeys(lines)) + f"\n\nReferences\n{references}"
