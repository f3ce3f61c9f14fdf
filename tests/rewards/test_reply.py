"""How the fields of a reply are read."""

from __future__ import annotations

import pytest

from webenv.rewards.prompt import echoes, read_choice, read_fields, read_object, schema_of

T = "0123456789abcdef"


@pytest.mark.parametrize(
    ("reply", "fields"),
    [
        (f'Thus <verdict id="{T}">yes</verdict>', {"verdict": "yes"}),
        (f"<Verdict ID='{T}'>yes</VERDICT id={T}> and more", {"verdict": "yes"}),
        (f"< verdict id = {T} > yes < / verdict >", {"verdict": "yes"}),
        (f'<verdict id="{T}">\n**yes**\n</verdict>', {"verdict": "**yes**"}),
        (f'<reason id="{T}">so</reason><verdict id="{T}">yes</verdict>', {"verdict": "yes", "reason": "so"}),
        (f'<verdict id="0">no</verdict> <verdict>no</verdict> <verdict id="{T}">yes</verdict>', {"verdict": "yes"}),
        (f'<think><verdict id="{T}">no</verdict></think><verdict id="{T}">yes</verdict>', {"verdict": "yes"}),
        (f'<verdict id="{T}">yes</verdict>. Final: <verdict id="{T}">**Yes**</verdict>', {"verdict": "yes"}),
        (f'{{"id": "{T}", "verdict": "yes"}}', {"verdict": "yes"}),
        (f'<think>{{}}</think>\n{{"id": "{T}", "verdict": 7, "more": []}}', {"verdict": "7"}),
        (
            f'```json\n{{"id": "{T}", "verdict": "yes", "reason": "</think>"}}\n```',
            {"verdict": "yes", "reason": "</think>"},
        ),
    ],
)
def test_fields(reply: str, fields: dict[str, str]) -> None:
    """One tag for each field, or one JSON object, that bears the token, is read whatever stands beside it."""
    assert read_fields(reply, T, ["verdict"], ["reason"]) == fields


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "yes",
        "<verdict>yes</verdict>",
        '<verdict id="fedcba9876543210">yes</verdict>',
        f'<verdict id="{T}0">yes</verdict>',
        f'<verdict id="{T.upper()}">yes</verdict>',
        f'<verdict id="{T}">yes',
        f'<verdict id="{T}">yes</verdict><verdict id="{T}">no</verdict>',
        f'<verdict id="{T}">yes<verdict id="{T}">yes</verdict>',
        f'<verdict id="{T}">yes</verdict><reason id="{T}">a</reason><reason id="{T}">b</reason>',
        f'<think><verdict id="{T}">yes</verdict>',
        f'<verdict id="{T}">yes</verdict></think>',
        '{"verdict": "yes"}',
        '{"id": "fedcba9876543210", "verdict": "yes"}',
        f'{{"id": "{T}"}}',
        f'{{"id": "{T}", "verdict": null}}',
        f'{{"id": "{T}", "verdict": true}}',
        f'{{"id": "{T}", "verdict": ["yes"]}}',
        f'{{"id": "{T}", "verdict": "no", "verdict": "yes"}}',
        f'I say {{"id": "{T}", "verdict": "yes"}}',
        f'[{{"id": "{T}", "verdict": "yes"}}]',
        f'{{"verdict": "<verdict id=\\"{T}\\">yes</verdict>"}}',
        '{"id": ' + "[" * 100_000,
        '{"id": ' + "9" * 100_000 + "}",
    ],
)
def test_no_fields(reply: str) -> None:
    """Without the token, twice, unclosed, within the thinking, or not as text: it is no verdict."""
    assert read_fields(reply, T, ["verdict"], ["reason"]) is None


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("correct", "correct"),
        (" **Correct.** ", "correct"),
        ("NOT ATTEMPTED", "not_attempted"),
        ("not-attempted", "not_attempted"),
        ("`incorrect`", "incorrect"),
        ("correct or incorrect", None),
        ("incorrect, correct", None),
        ("", None),
        ("c", None),
        ("соrrect", None),
    ],
)
def test_choices(text: str, choice: str | None) -> None:
    """A choice is the whole text, whatever its case, markup and spaces."""
    assert read_choice(text, ("correct", "incorrect", "not_attempted")) == choice


def test_objects() -> None:
    """A JSON object alone, or alone in a code fence, is read; within other words, or an array, it is not."""
    assert read_object(' {"a": 1}\n') == {"a": 1}
    assert read_object('```\n{"a": 1}\n```') == {"a": 1}
    assert [read_object(text) for text in ('x {"a": 1}', "[1]", "{", "", "```json\n{}\n```\n```json\n{}\n```")] == [
        None
    ] * 5


def test_echoes() -> None:
    """A reply is an echo of a text that it repeats whole, but for spaces and what either calls its thinking."""
    assert echoes(" A  b ", "x", "A\nb")
    assert echoes("</think>A", "<think>x</think> A")
    assert not echoes("A b c", "A b")


def test_schema() -> None:
    """A schema asks for the token as id beside its fields, and for nothing else."""
    assert schema_of({"verdict": {"type": "string"}}) == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "verdict": {"type": "string"}},
        "required": ["id", "verdict"],
        "additionalProperties": False,
    }
