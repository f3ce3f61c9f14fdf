"""Sentences written in place of others: which pass, and why others do not."""

from __future__ import annotations

import pytest

from webenv.corpora.procedural import WebConfig, generated_web
from webenv.envs.building.writing.check import CheckedSentence, SentenceCheck, WorldTerm
from webenv.envs.building.writing.parsing import cut_page

WEB = "procedural:pages=60,split=test"
SENTENCE = CheckedSentence(
    "In 1992 two bridges and 34 km of road were lost when Ada J. Brook, then the mayor, opened the dam.",
    (WorldTerm("disaster", ("opened the dam", "let the water out")),),
    ("Ada J. Brook",),
    (),
    ("the Ostrel", "Ostrel"),
)


@pytest.fixture(scope="module")
def check() -> SentenceCheck:
    return SentenceCheck(generated_web(WebConfig.parse(WEB)))


@pytest.mark.parametrize(
    "written",
    [
        "2 bridges and 34 km of road went in 1992, when Ada J. Brook, the mayor of the day, opened the dam.",
        "The mayor Ada J. Brook let the water out in 1992. Lost were two bridges, and 34 km of road.",
        "Ostrel lost two bridges and 34 km of road in 1992 as mayor Ada J. Brook opened the dam.",
    ],
    ids=["figures", "another wording", "whom the page is about"],
)
def test_the_same_in_other_words(check: SentenceCheck, written: str) -> None:
    """What keeps names, numbers and values passes."""
    assert check.fault(SENTENCE, written) is None


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("", "no sentence came"),
        ("In 1992 two bridges and 34 km of road were lost when Ada Brook, the mayor, opened the dam.",
         "a name is missing: Ada J. Brook"),
        ("In 1992 two bridges and 34 km of road were lost under Ada J. Brook, the mayor.",
         "a value is missing: opened the dam"),
        ("In 1993 two bridges and 34 km of road were lost when mayor Ada J. Brook opened the dam.",
         "a number is missing: 1992"),
        ("In 1992 two bridges and 34 miles of road were lost when mayor Ada J. Brook opened the dam.",
         "a number is missing: 34 km"),
        ("In 1992 two bridges and 34 km of road were lost when mayor Ada J. Brook, aged 51, opened the dam.",
         "a number is added: 51"),
        ("In 1992 no two bridges and 34 km of road were lost when mayor Ada J. Brook opened the dam.",
         "denied, or no longer denied"),
        ("In 1992 two bridges and 34 km of road were lost when Ada J. Brook, mayor of Tolling, opened the dam.",
         "a name is added: Tolling"),
        ("Zorvik says: in 1992 two bridges and 34 km of road were lost when Ada J. Brook opened the dam.",
         "a name is added: Zorvik"),
        ("In 1992 two bridges and 34 km of road were lost when [Ada J. Brook](x) opened the dam.",
         "no plain text: ["),
        ("In 1992 two bridges and 34 km of road were lost when Ada J. Brook opened the dam", "no whole sentence: "
         "Brook opened the dam"),
    ],
)  # fmt: skip
def test_what_is_wrong(check: SentenceCheck, written: str, fault: str) -> None:
    """What is missing, added or turned round is named."""
    assert str(check.fault(SENTENCE, written)) == fault


def test_years_keep_their_order(check: SentenceCheck) -> None:
    """Who held a post from 1935 to 1961 did not from 1961 to 1935."""
    post = CheckedSentence("From 1935 to 1961 Ada Brook was the master.", (), ("Ada Brook",), (), ())
    assert check.fault(post, "Ada Brook was its master between 1935 and 1961.") is None
    assert str(check.fault(post, "From 1961 to 1935 the master was Ada Brook.")) == "years in another order: 1961"


def test_a_denial_is_not_denied(check: SentenceCheck) -> None:
    """A sentence that denies gets no second denial, and keeps the one that it has."""
    unheard = CheckedSentence("I had never heard of the Radan.", (), ("Radan",), (), ())
    assert check.fault(unheard, "The Radan was a name that I had never heard.") is None
    for written in ("That I never heard of the Radan is untrue.", "I had heard of the Radan."):
        assert str(check.fault(unheard, written)) == "denied, or no longer denied"


def test_one_is_a_number_before_what_it_counts(check: SentenceCheck) -> None:
    """One part is one, not some part."""
    play = CheckedSentence("The play has one part.", (), (), (), ())
    assert check.fault(play, "There is one part in the play.") is None
    assert str(check.fault(play, "There is a part in the play.")) == "a number is missing: 1 part"


def test_a_value_of_the_world_is_no_filler(check: SentenceCheck) -> None:
    """What is true of something else of the world is not added to a sentence."""
    pool = check._schema.kinds["museum"].pools
    phrase = next(way for values in pool.values() for value in values for way in value.wordings if way.count(" ") == 3)
    written = f"In 1992 two bridges and 34 km of road were lost when Ada J. Brook opened the dam: {phrase}."
    fault = check.fault(SENTENCE, written)
    assert fault is not None
    assert fault.reason == "a value is added"


def test_cut_and_joined(check: SentenceCheck) -> None:
    """A page's pieces joined are the page; a new sentence has the links of the one before."""
    text = "## Use\n\nIt was built by [J. B. Lee](https://a.example/lee) in 1902. Its roof is green.\n\n| a | b |"
    cut = cut_page(text)
    assert "".join(cut.pieces) == text
    assert cut.with_sentences({cut.numbers[0]: "In 1902 J. B. Lee built it."}) == (
        "## Use\n\nIn 1902 [J. B. Lee](https://a.example/lee) built it. Its roof is green.\n\n| a | b |"
    )


def test_a_link_loses_its_article() -> None:
    """What is linked with its article at the beginning of a sentence is linked without it within one."""
    cut = cut_page("[The Fell Line](https://a.example/fell) was opened by Ada.")
    written = cut.with_sentences({cut.numbers[0]: "Ada opened the Fell Line."})
    assert written == "Ada opened the [Fell Line](https://a.example/fell)."


def test_pages_pass_as_they_are(check: SentenceCheck) -> None:
    """Every sentence of a generated page says what it says, and most of what a page tells is in sentences."""
    pages = [check.page(number) for number in range(60)]
    faults = [check.fault(one, one.text) for page in pages for one in page.sentences.values()]
    assert set(faults) == {None}
    words = sum(len(one.text.split()) for page in pages for one in page.sentences.values())
    every = sum(len("".join(page.cut.pieces).split()) for page in pages)
    assert words > 0.6 * every


def test_what_is_denied_stays(check: SentenceCheck) -> None:
    """A sentence that denies a wrong object is none of those that are written anew."""
    web = generated_web(WebConfig.parse(WEB))
    denied = [
        (number, claim.fact.object.text)
        for number in range(60)
        for claim in web.plan(number).plan.claims
        if not claim.asserted and claim.fact.object.text
    ]
    assert denied
    for number, wrong in denied:
        assert all(wrong not in one.text for one in check.page(number).sentences.values())
