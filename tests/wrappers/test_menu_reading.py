"""Reading without a model: who is described, and the phrase that lines of pages give for what is asked of them."""

from __future__ import annotations

import pytest

from webenv.wrappers.menu.lines import lines_of
from webenv.wrappers.menu.reading import PhraseReader, best_phrase, inquiry_of

ELK = """# Elk House

Elk House is a theatre in Tarn. In 1986 it burned to the ground.

- **Founder**: Ada M. Grey (1901)
- **Seats**: 430 seats

## Building

It is built of granite. The house is famous for a curtain of silk. Audiences call it “the Oven”.

### Who reopened the theatre?

**Bo_77**

Carl Moss did, in 1990.

## See also

- [Who reopened Oak House?](https://a.example/oak)
- **Oak House**: The founder was Ivo Lund.
"""


@pytest.mark.parametrize(
    ("asked", "phrase"),
    [
        ("Who founded that theatre?", "Ada M. Grey"),
        ("How many seats does that theatre have?", "430 seats"),
        ("Of what stone is that theatre built?", "granite"),
        ("What is that theatre known for?", "curtain of silk"),
        ("What is that theatre nicknamed?", "Oven"),
        ("Who reopened that theatre?", "Carl Moss"),
    ],
)
def test_answers_about_whom_a_page_is_titled_by(asked: str, phrase: str) -> None:
    """Lists, sentences that go on about the title, and replies to a question answer; items about others do not."""
    assert best_phrase(f"A certain theatre burned in 1986. {asked}", [("Elk House", ELK)]) == phrase


def test_the_name_of_whoever_is_described() -> None:
    """It is the title's where the line goes on about it, and the line's where that names another."""
    pages = {
        "elk": ("Elk House", ["We burned down in 1986, and were rebuilt."]),
        "tarn": ("Tarn in dates", ["In 1970 the Oak House burned. In 1990 the mayor Bo Ek died."]),
    }
    reading = PhraseReader("A certain theatre burned in 1986. Who founded that theatre?", pages)
    assert reading.bridge() == "Elk House"
    assert PhraseReader("A certain theatre burned in 1970. Who founded it?", pages).bridge() == "Oak House"


def test_an_initial_ends_no_sentence() -> None:
    """A name keeps its initial; the sentence goes on behind it."""
    found = [line.text for line in lines_of("It was Gordon M. Tomiani. He left.")]
    assert found == ["It was Gordon M. Tomiani.", "He left."]


def test_heads() -> None:
    """What stands below a heading, or in a list behind a name, knows of it; a common word says nothing."""
    text = "## Elk House\n\nIt burned.\n\n## History\n\nIt burned.\n\n- **Oak House**: It was sold to a baker."
    lines = lines_of(text)
    assert [line.head for line in lines] == [("Elk House",), (), ("Oak House",)]


@pytest.mark.parametrize(
    ("question", "behind"),
    [("In what wood does it build?", "in"), ("What dish is it known for?", "for"), ("Who founded it?", "")],
)
def test_what_the_answer_stands_behind(question: str, behind: str) -> None:
    """The word before "what", or the last of the question."""
    assert inquiry_of(question).behind == behind
