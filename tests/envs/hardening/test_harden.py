"""Criteria in other words."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.envs.hardening.lighthouse import TITLE, URL, pages, task
from webenv.corpora.procedural import Lexicon
from webenv.envs.hardening import TextPage, harden, write_official
from webenv.envs.hardening.harden import Attested, reword
from webenv.envs.needle_in_web.tasks import load_tasks
from webenv.errors import InvalidArgument


def test_phrases_are_said_otherwise() -> None:
    """A predicate of the table is replaced by one that means the same, in the same form."""
    said = {
        reword("The novel was published by someone.", Attested([]), Lexicon.load(), random.Random(seed)).text
        for seed in range(20)
    }
    assert said == {"The novel came out by someone.", "The novel appeared in print by someone."}


def test_a_synonym_is_taken_only_where_the_corpus_has_it_there() -> None:
    """ "begin" is "start" where the corpus has "start" near a neighbour; in a corpus without it nothing changes."""
    criterion = "Someone will begin the journey soon."
    attesting = TextPage("https://a.example/", "A", "Someone had to start the journey before the rain came down.")
    lexicon = Lexicon.load()
    assert reword(criterion, Attested([]), lexicon, random.Random(0)).text == criterion
    done = reword(criterion, Attested([attesting]), lexicon, random.Random(0))
    assert (done.text, done.changes) == ("Someone will start the journey soon.", (("begin", "start"),))


def test_generic_expressions_and_names_stay() -> None:
    """The masks of a criterion, and what is written with a capital, are never replaced."""
    criterion = "Someone in Norway had a certain kind of thing at a certain time."
    assert reword(criterion, Attested(pages()), Lexicon.load(), random.Random(0)).text == criterion


def test_rewording_is_the_same_in_every_process() -> None:
    """What is replaced hangs on the seed alone, not on the hash seed of the process."""
    program = (
        "from tests.envs.hardening.lighthouse import pages, task\n"
        "from webenv.envs.hardening import harden\n"
        "print(harden([task(0, 1, 4), task(5, 7, 9, name='coast_hard/0')], pages())[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
        env={"PYTHONHASHSEED": "1", "PATH": ""},
    )
    assert done.stdout == f"{harden([task(0, 1, 4), task(5, 7, 9, name='coast_hard/0')], pages())[0]}\n"


def test_the_page_is_not_named_where_enough_is_left() -> None:
    """The title becomes "the subject of the page" in a task with four other rare words, and stays in one without."""
    rich = task(0, 2, 9)
    made, report = harden([rich], pages())
    assert TITLE not in " ".join(made[0].criteria)
    assert made[0].criteria[0].startswith("The subject of the page")
    assert (report.tasks, report.names) == (1, 1)
    poor = replace(rich, criteria=("Arden Light is a certain thing.",))
    assert harden([poor], pages())[0][0].criteria == poor.criteria


def test_gold_stays() -> None:
    """Claims, page and tags are those of before."""
    one = task(0, 1, 4)
    (made,), _ = harden([one], pages())
    assert (made.id, made.gold, made.tags) == (one.id, one.gold, one.tags)


def test_tasks_without_criteria_are_refused() -> None:
    """Questions on news are no needles: one line says so; so it is with a corpus without prose."""
    with pytest.raises(InvalidArgument, match="has no criteria; expected tasks of Needle in the Web"):
        harden([replace(task(0), criteria=())], pages())
    with pytest.raises(InvalidArgument, match="the corpus has no prose"):
        harden([task(0)], [TextPage("https://a.example/", "A", "no prose")])


def test_files_are_in_the_official_format(tmp_path: Path) -> None:
    """What is written is read back as the same tasks, and named by site and difficulty."""
    tasks = [task(0, 1, 4), task(5, 7, 9, name="coast_hard/0")]
    assert write_official(tasks, {URL: TITLE}, tmp_path) == {"coast_easy.json": 1, "coast_hard.json": 1}
    loaded = load_tasks(tmp_path)
    assert [(one.id, one.criteria, one.gold) for one in loaded] == [(one.id, one.criteria, one.gold) for one in tasks]
    assert json.loads((tmp_path / "coast_easy.json").read_text())[0]["context"]["title"] == TITLE
