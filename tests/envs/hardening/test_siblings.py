"""Near copies of gold pages in which single claims no longer hold."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from tests.envs.hardening.lighthouse import STATEMENTS, URL, pages, task
from webenv.envs.hardening import make_siblings
from webenv.envs.hardening.statements import akin
from webenv.errors import InvalidArgument
from webenv.task import Gold

EASY, HARD = task(0, 1, 4), task(5, 7, 9, name="coast_hard/0")


def test_one_version_alone_keeps_all_claims_of_a_task() -> None:
    """Of ten versions of the page, the gold one has every claim's sentence as it was, and no other has them all."""
    made = make_siblings(pages(), [EASY, HARD], versions=10)
    versions = {page.url: page.text for page in made.pages if page.url.startswith(URL)}
    assert len(versions) == 10
    assert [one.id for one in made.tasks] == ["coast_easy/0", "coast_hard/0"]
    for one, places in zip(made.tasks, ((0, 1, 4), (5, 7, 9)), strict=True):
        whole = [url for url, text in versions.items() if all(STATEMENTS[place] in text for place in places)]
        assert whole == [*one.gold.urls]


def test_versions_hold_the_same_words() -> None:
    """Names, numbers and nouns change places within the page, so that counting words tells no version apart."""
    made = make_siblings(pages(), [EASY, HARD])
    versions = [page.text for page in made.pages if page.url.startswith(URL)]
    words = {tuple(sorted(Counter(re.findall(r"\w+", text.lower())).items())) for text in versions}
    assert len(set(versions)) == 10
    assert len(words) == 1


def test_every_version_keeps_as_many_statements() -> None:
    """The gold version is not the one that was changed least: each version has the same number of odd statements."""
    made = make_siblings(pages(), [EASY], versions=6)
    versions = [page.text for page in made.pages if page.url.startswith(URL)]
    assert len({sum(one in text for one in STATEMENTS) for text in versions}) == 1


def test_addresses_are_of_one_form() -> None:
    """No version stands at the page's own address; each has five letters after it."""
    made = make_siblings(pages(), [EASY])
    urls = [page.url for page in made.pages if page.url.startswith(URL)]
    assert [url for url in urls if not re.fullmatch(re.escape(URL) + "-[a-z]{5}", url)] == []
    assert len(set(urls)) == 10


def test_other_pages_stay_as_they_are() -> None:
    """What is no gold page is given back unchanged."""
    made = make_siblings(pages(), [EASY])
    assert [page for page in made.pages if not page.url.startswith(URL)] == pages()[1:]


def test_the_seed_says_what_is_made() -> None:
    """The same seed gives the same pages; another gives others."""
    first, again = make_siblings(pages(), [EASY], seed=1), make_siblings(pages(), [EASY], seed=1)
    assert (first.pages, first.tasks) == (again.pages, again.tasks)
    assert make_siblings(pages(), [EASY], seed=2).pages != first.pages


def test_what_cannot_be_made_is_left_out_with_its_reason() -> None:
    """A claim that no statement says, a gold page that is not there and claims in one statement are told apart."""
    unsaid = replace(EASY, id="a", gold=Gold((URL,), claims=("Quartz resonators tick in orbiting satellites.",)))
    elsewhere = replace(EASY, id="b", gold=Gold(("https://other.example/",), claims=EASY.gold.claims))
    twice = (STATEMENTS[10], STATEMENTS[10])
    single = replace(EASY, id="c", criteria=twice, gold=Gold((URL,), claims=twice))
    made = make_siblings(pages(), [HARD, unsaid, elsewhere, single])
    assert {one.task.id: one.reason for one in made.excluded} == {
        "a": "no statement of its page says what a claim says",
        "b": "its gold page is not in the corpus",
        "c": "its claims stand in one statement",
    }
    assert made.report.tasks == 1


def test_nothing_that_can_be_made_is_an_error() -> None:
    """Tasks of which none can be made, or too few versions, are refused in one line."""
    with pytest.raises(InvalidArgument, match="none of the 1 tasks could be made, for one: its gold page is not"):
        make_siblings(pages()[1:], [EASY])
    with pytest.raises(InvalidArgument, match="versions=2: expected at least 3"):
        make_siblings(pages(), [EASY], versions=2)


def test_a_statement_of_two_claims_breaks_both() -> None:
    """What a shared sentence gives away stands in the criteria of all claims that it says, so that none still holds."""
    shared = task(0, 6, name="coast_hard/1")
    made = make_siblings(pages(), [EASY, shared])
    versions = {page.url: page.text for page in made.pages if page.url.startswith(URL)}
    for one, places in zip(made.tasks, ((0, 1, 4), (0, 6)), strict=True):
        assert [url for url, text in versions.items() if all(STATEMENTS[place] in text for place in places)] == [
            *one.gold.urls
        ]


def test_what_means_nearly_the_same_is_not_exchanged() -> None:
    """A company for an organization would leave a claim true: synonyms and wider nouns never change places."""
    assert akin("companies", "organization")
    assert akin("towers", "tower")
    assert not akin("tower", "storm")
