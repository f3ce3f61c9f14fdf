"""Tags and blocks that are found in hostile replies."""

from __future__ import annotations

import time

import pytest

from webenv.actions import Action, search
from webenv.chat import BlockFormat, Format, SourceFormat, TagFormat, ToolFormat

FORMATS: tuple[Format, ...] = (TagFormat(), SourceFormat(), BlockFormat(), ToolFormat())


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "reply",
    [
        "<search>" * 16_000,
        "<search>a</answer>" * 16_000,
        '<ask site="a">' * 16_000,
        "<ask site=" + " " * 100_000,
        "<ask" + " " * 100_000,
        '<ask site="' * 10_000,
        "<search " * 12_000,
        "<search>" + "</search " * 12_000,
        "<action>" + "</action " * 12_000,
        "<action>\ntype" + " " * 100_000,
        "<tool_call " * 10_000,
        "<tool_call>" + "</tool_call " * 9_000,
        "{" * 100_000,
        '{"tool_calls": [' * 6_000,
        "<think>" * 15_000,
        "<" * 100_000,
        "<action>" * 16_000,
        "<tool_call>" * 16_000,
    ],
)
def test_time_grows_with_the_reply(format: Format, reply: str) -> None:
    """A long reply that opens much and closes nothing is read at once."""
    began = time.process_time()
    assert format.parse(reply) is None
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "reply", ["<\u017fearch>a</\u017fearch>", "<vi\u017fit>a</vi\u017fit>", "<v\u0130sit>a</v\u0130sit>"]
)
def test_lookalikes(reply: str) -> None:
    """A tag with a letter that only looks like its own is no tag."""
    assert TagFormat().parse(reply) is None
    assert BlockFormat().parse("<act\u0131on>\ntype: Finish\na\n</act\u0131on>") is None


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<search>a<note>b</note></search>", search("a<note>b</note>")),
        ("<note><search>a</search>", search("a")),
        ("</search><search>a</search>", search("a")),
        ("<search>a</search", None),
        ('<ask site="a", "b">q</ask>', None),
    ],
)
def test_tags_in_tags(reply: str, action: Action | None) -> None:
    """The first opening whose closing stands behind it counts, whatever is between or before."""
    assert TagFormat().parse(reply) == action
