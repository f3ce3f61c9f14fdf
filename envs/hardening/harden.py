"""Needles in other words: official or own tasks whose criteria are reworded, so that few words of the page are left."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from webenv.corpora.procedural import Lexicon
from webenv.envs.hardening.reword import Attested, reword
from webenv.envs.hardening.statements import SiteStatistics, TextPage, put_for, stems_of
from webenv.envs.needle_in_web.tasks import DIFFICULTIES, render_question
from webenv.errors import InvalidArgument
from webenv.runtime.files import write_atomic
from webenv.task import Task

_SUBJECT = "the subject of the page"
_TELLING = 4  # stems at least this rare that must be left over in a task for a name or number to be dropped
_RARE = 0.5  # of the greatest weight that a stem can have
_PARENTHESES = re.compile(r"\([^()]*\)")
_DIVIDER = re.compile(r"\s[-–—|]\s|: ")
_YEAR = re.compile(r"\b(?:in|In) (?:1[5-9]|20)\d\d\b(?!-|–)")


@dataclass(frozen=True)
class HardenReport:
    """What was changed.

    Attributes:
        tasks: how many tasks.
        criteria: how many criteria they have.
        changed: criteria that say anything otherwise than before.
        words: words and phrases replaced.
        names: tasks in which the name of the page was dropped; ``years``: criteria in which a year was.
    """

    tasks: int
    criteria: int
    changed: int
    words: int
    names: int
    years: int


def harden(
    tasks: Sequence[Task],
    pages: Sequence[TextPage],
    *,
    names: bool = True,
    most: int = 4,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[list[Task], HardenReport]:
    """Rewords the criteria of tasks; their gold stays as it is.

    The name of a gold page becomes "the subject of the page", and "in 1911" "in a certain year", where the task's
    criteria keep at least four rare words: what is left must still tell the page apart.

    Args:
        tasks: tasks with criteria.
        pages: the corpus that they are put on, or a fair share of it: what words stand together there.
        names: whether names and years are dropped.
        most: the most words and phrases of a criterion that are replaced.
        seed: of what is drawn.
        progress: told how many tasks of how many are done.

    Raises:
        InvalidArgument: for tasks without criteria, or a corpus without prose.
    """
    if not any(page.sentences for page in pages):
        raise InvalidArgument("harden: the corpus has no prose; its sentences say which words stand together.")
    lexicon, attested, site = Lexicon.load(), Attested(pages), SiteStatistics(pages)
    titles = {page.url: page.title for page in pages}
    made: list[Task] = []
    words = changed = dropped = years = 0
    for number, task in enumerate(tasks):
        if not task.criteria:
            raise InvalidArgument(f"harden: task {task.id!r} has no criteria; expected tasks of Needle in the Web.")
        rng = random.Random(f"{seed} {task.id}")
        criteria = []
        for criterion in task.criteria:
            done = reword(criterion, attested, lexicon, rng, most)
            words += len(done.changes)
            criteria.append(done.text)
        if names:
            title = titles.get(task.gold.urls[0], "") if task.gold.urls else ""
            without = [_without_name(one, title) for one in criteria]
            if without != criteria and _is_telling(without, site):
                criteria, dropped = without, dropped + 1
            for place, one in enumerate(criteria):
                vague = _YEAR.sub(lambda match: f"{match[0][:2]} a certain year", one)
                if vague != one and _is_telling([*criteria[:place], vague, *criteria[place + 1 :]], site):
                    criteria[place], years = vague, years + 1
        changed += sum(new != old for new, old in zip(criteria, task.criteria, strict=True))
        made.append(replace(task, criteria=tuple(criteria), question=render_question(criteria)))
        if progress is not None:
            progress(number + 1, len(tasks))
    return made, HardenReport(len(made), sum(len(task.criteria) for task in made), changed, words, dropped, years)


def _without_name(criterion: str, title: str) -> str:
    """A criterion that does not name its page: the whole title, or what stands before a bracket, dash or colon."""
    whole = _PARENTHESES.sub("", title).strip()
    for name in dict.fromkeys((whole, _DIVIDER.split(whole)[0].strip())):
        if len(name) < 4:
            continue
        text = criterion
        for marked in (f"**{name}**", f"*{name}*", f"_{name}_", f'"{name}"', f"“{name}”", f"‘{name}’", name):
            for written in (f"The {marked}", f"the {marked}", marked):
                text = put_for(text, written, _SUBJECT)
        if text != criterion:
            return text[:1].upper() + text[1:]
    return criterion


def _is_telling(criteria: Sequence[str], site: SiteStatistics) -> bool:
    """Whether criteria keep enough rare words to tell a page apart."""
    greatest = site.weight("")  # of a stem that no page has
    stems = frozenset[str]().union(*map(stems_of, criteria))
    return sum(_RARE * greatest <= site.weight(stem) < greatest for stem in stems) >= _TELLING


def write_official(tasks: Sequence[Task], titles: dict[str, str], folder: Path) -> dict[str, int]:
    """Writes tasks as files ``<site>_<difficulty>.json`` in the official format, without page texts.

    Args:
        tasks: the tasks, each with the tags ``site`` and ``difficulty``.
        titles: of the gold pages, by URL.
        folder: where; made if it is not there.

    Returns:
        How many records each file has.

    Raises:
        InvalidArgument: for a task that lacks a tag.
        DataError: where the folder cannot be written.
    """
    files: dict[str, list[dict[str, object]]] = {}
    for task in tasks:
        site, difficulty = task.tags.get("site", ""), task.tags.get("difficulty", "")
        if not site or difficulty not in DIFFICULTIES:
            raise InvalidArgument(f"task {task.id!r} has no site or difficulty among its tags {dict(task.tags)}.")
        url = task.gold.urls[0]
        record: dict[str, object] = {
            "context": {"title": titles.get(url, ""), "url": url, "content": ""},
            "raw_questions": list(task.criteria),
            "ground_truth": list(task.gold.claims),
            "question": None,
            "id": task.id.rpartition("/")[2],
        }
        files.setdefault(f"{site}_{difficulty}.json", []).append(record)
    folder.mkdir(parents=True, exist_ok=True)
    for name, records in files.items():
        write_atomic(folder / name, json.dumps(records, ensure_ascii=False, indent=1) + "\n")
    return {name: len(records) for name, records in sorted(files.items())}
