"""New needles by rule."""

from __future__ import annotations

import pytest

from tests.envs.hardening.lighthouse import URL, pages
from webenv.envs.hardening import TextPage, draft_needles
from webenv.envs.hardening.needles import _masks
from webenv.errors import InvalidArgument


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("The tower was built in 1873 by hand.", "The tower was built in a certain year by hand."),
        ("In March 1911 the storm broke the gallery.", "At a certain time the storm broke the gallery."),
        ("The ferry carried two dogs to the isle.", "The ferry carried a certain number of dogs to the isle."),
        ("The keeper saved the lamp by covering the glass.", "The keeper saved the lamp in a certain way."),
        ("The bell was moved because of the war.", "The bell was moved for a certain reason."),
        ("The essay was written by Edith Calder in French.", "The essay was written by someone in French."),
    ],
)
def test_one_element_is_masked(text: str, masked: str) -> None:
    """Years, counts, manners, reasons and persons become generic expressions that leave the sentence whole."""
    assert masked in [criterion for criterion, _ in _masks(text)]


def test_three_levels_of_three_criteria() -> None:
    """A page with enough sentences of its own gives an easy, a medium and a hard task; no criterion stands twice."""
    tasks, report = draft_needles(pages())
    assert [one.id for one in tasks] == ["coast.example_easy/0", "coast.example_medium/0", "coast.example_hard/0"]
    assert {one.gold.urls for one in tasks} == {(URL,)}
    criteria = [criterion for one in tasks for criterion in one.criteria]
    assert len(set(criteria)) == 9
    assert report.left_out == {"fewer than 9 sentences that stand alone": 3}


def test_sentences_that_point_elsewhere_are_no_claims() -> None:
    """What begins with a pronoun, asks, or speaks of "this" or "above" does not stand for itself."""
    said = [f"It was finished in 18{n} by the engineer Thomas Brand." for n in range(10, 30)]
    tasks, _ = draft_needles([TextPage("https://a.example/", "A", " ".join(said)), *pages()[1:]])
    assert tasks == []


def test_what_another_page_says_too_is_no_needle() -> None:
    """A page whose copy stands at another address gives no task: its claims tell no page apart."""
    gold = pages()[0]
    tasks, _ = draft_needles([gold, TextPage("https://copy.example/x", gold.title, gold.text), *pages()[1:]])
    assert tasks == []


def test_a_corpus_without_prose_is_refused() -> None:
    """Tables alone have no sentences to ask about: one line says so."""
    with pytest.raises(InvalidArgument, match="the corpus has no prose; claims are sentences"):
        draft_needles([TextPage("https://a.example/", "A", "one two")])
