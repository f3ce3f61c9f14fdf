"""Reading a question with a gap without a model: whom its first part leads to, and what fills the second."""

from __future__ import annotations

import pytest

from webenv.wrappers.menu.gap import between, fill, read_part


@pytest.mark.parametrize(
    ("asked", "kind", "text", "named"),
    [
        (
            "Ann Lee was born in a certain town.",
            "town",
            "Ann Lee kept bees. A birth certificate names her at Lund. She was ill in Ystad.",
            "Lund",
        ),
        (
            "Bo Ek married a certain person.",
            "person",
            "Bo Ek met Ida Moe in Malmo.\n\nIn 1950 Ek and Eva Dahl were wed.",
            "Eva Dahl",
        ),
        (
            "Bo Ek died in a certain town.",
            "town",
            "Bo Ek did not die in Malmo, as is said. Bo Ek died in Lund.",
            "Lund",
        ),
    ],
    ids=["paragraph", "last names and near synonyms", "denial"],
)  # fmt: skip
def test_the_first_part_leads_to_a_name(asked: str, kind: str, text: str, named: str) -> None:
    """A name counts where its paragraph speaks of whom the part names, in words of the same sense; not if denied."""
    assert next(iter(between(read_part(asked, kind), [("Notes", text)]))) == named


def test_two_names_at_most_are_followed() -> None:
    """The likeliest names come best first, with their scores."""
    found = between(
        read_part("Bo Ek lived in a certain town.", "town"), [("Notes", "Bo Ek lived in Lund, Ystad and Malmo.")]
    )
    assert len(found) == 2
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize(
    ("asked", "text", "value"),
    [
        ("And that same person moved to ___ because of a marriage.", "Bo Ek wed. In 1950 Ek went to Lund.", "Lund"),
        ("And that same person has ___ children.", "Bo Ek, born in 1920, had 14 children.", "14"),
        ("And that same person made ___.", "Nobody of that name is known.", ""),
    ],
)
def test_the_gap_is_filled(asked: str, text: str, value: str) -> None:
    """A place after its preposition, a number before its noun, and nothing where a page does not know the subject."""
    assert fill(read_part(asked, "person"), "Bo Ek", [("Notes", text)])[0] == value
