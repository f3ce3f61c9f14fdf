"""The tasks of AgentWebBench: their four kinds, how a question is worded, and how answers are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

from webenv.corpora.ingest.jsonl import CLUEWEB_SITE
from webenv.corpora.ingest.record import id_address
from webenv.envs.agent_web_bench.official import load_official
from webenv.task import TaskSet

KINDS = ("search", "recommendation", "qa", "research")
"""Web search, web recommendation, question answering and deep research, as the paper has them."""

RANKED = ("search", "recommendation")
"""The kinds whose answer is a ranking of pages."""

LONGEST = 100
"""The most pages of a ranking that are judged."""

_TOLD = {
    "search": "Find the pages that answer this query, and answer with their addresses, best first:",
    "recommendation": "Somebody has visited these pages, in this order. Find what they would visit next, and answer "
    "with addresses of pages, best first:",
    "qa": "Answer this question, as briefly as it allows:",
    "research": "Write a report on this question. Behind each statement put the number of the site that it comes "
    "from, as in [1], and end with a list of References: each number with its site:",
}


_CLUEWEB = re.compile(r"clueweb22-[a-z]{2}\d{4}-\d\d-\d{5}")


def worded(kind: str, text: str) -> str:
    """A question as an agent reads it: its first line says what to do, the others are the user's own text."""
    return f"{_TOLD[kind]}\n{text}"


def said(question: str) -> str:
    """The user's own text: a question without its first line.

    >>> said(worded("search", "old mill"))
    'old mill'
    """
    first, line, rest = question.partition("\n")
    return rest if line else first


def read_ranking(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The ranking of an answer: its texts; of a single one the items of a JSON list, or its lines. 100 at most.

    >>> read_ranking(('["https://a.example/1", "https://b.example/2"]',))
    ('https://a.example/1', 'https://b.example/2')
    """
    ids: list[str] = list(texts)
    if len(texts) == 1:
        try:
            given = json.loads(texts[0])
        except (ValueError, RecursionError):
            given = texts[0].splitlines()
        ids = [one for one in given if isinstance(one, str)] if isinstance(given, list) else list(texts)
    return tuple(_address(one.strip()) for one in ids if one.strip())[:LONGEST]


def _address(name: str) -> str:
    """A page as it is answered: its address, or of ClueWeb22 its id alone, as the released prompts ask for."""
    return id_address(CLUEWEB_SITE, name) if _CLUEWEB.fullmatch(name) else name


def load_tasks(kind: str, *paths: str | Path) -> TaskSet:
    """Loads released files (:func:`webenv.envs.agent_web_bench.official.load_official`).

    Raises:
        TaskFileError: for a path that has none.
    """
    return load_official(kind, paths, worded)
