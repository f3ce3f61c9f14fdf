"""How actions are read from what a model writes, hostile replies too."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.actions import Action, answer, ask, note, read_action, search, visit
from webenv.chat import BlockFormat, Format, SourceFormat, TagFormat, ToolFormat

FORMATS: tuple[Format, ...] = (TagFormat(), SourceFormat(), BlockFormat(), ToolFormat())


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<search>mill</search>", search("mill")),
        ("I look.\n<Search >\n mill \n\nriver\n</SEARCH>", search("mill", "river")),
        (
            "<visit>\nhttps://a.example/\nhttps://b.example/\n</visit>",
            visit("https://a.example/", "https://b.example/"),
        ),
        ('<ask site="a.example">What of the mill?</ask>', ask("What of the mill?", "a.example")),
        ("<ask site='a.example, b.example'>x</ask>", ask("x", "a.example", "b.example")),
        ("<ask site=a.example>x</ask>", ask("x", "a.example")),
        ("<source> https://a.example/ </source>", answer("https://a.example/")),
        ("<source>No source found.</source>", answer("No source found.")),
        ("<answer>1912\nor so</answer>", answer("1912\nor so")),
        ("<note>a\nb</note>", note("a\nb")),
        ("<note>try <search>x</search></note><search>y</search>", note("try <search>x</search>")),
        ("<search>a</search><answer>b</answer>", search("a")),
        ("<answer>unclosed <search>a</search>", search("a")),
        ("<think><answer>no</answer></think><search>a</search>", search("a")),
        ("<search></search>", search()),
        ("<ask>x</ask>", None),
        ("<think><answer>cut", None),
        ("<think><answer>cut</answer>", None),
        ("I give up.", None),
        ("", None),
        ("<search>a</visit>", None),
        # the first opening whose closing stands behind it counts, whatever is between or before
        ("<search>a<note>b</note></search>", search("a<note>b</note>")),
        ("<note><search>a</search>", search("a")),
        ("</search><search>a</search>", search("a")),
        ("<search>a</search", None),
        ('<ask site="a", "b">q</ask>', None),
    ],
)
def test_actions(reply: str, action: Action | None) -> None:
    """The first action tag that is closed counts, in any case, outside of the thinking."""
    assert TagFormat().parse(reply) == action


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<action>\ntype: Search\nmill fire\n\n  mill owner \n</action>", search("mill fire", "mill owner")),
        (
            "Let me look.\n<Action>\nTYPE: click\nhttps://a.example/\nhttps://b.example/\n</ACTION> done",
            visit("https://a.example/", "https://b.example/"),
        ),
        ("<action>type: Finish\n42 crowns\nas the paper says\n</action>", answer("42 crowns")),
        ("```action\ntype: Finish\nGlailad\n```", answer("Glailad")),
        (
            "<action>\ntype: Search\nfirst\n</action>\n<action>\ntype: Finish\nsecond\n</action>",
            search("first"),
        ),
        ("<think><action>type: Finish\nno\n</action></think><action>type: Search\nx\n</action>", search("x")),
        ("<action>type: Finish\ncut <action>\ntype: Search\nx\n</action>", answer("cut <action>")),
        ("<action>\ntype: Search\n</action>", search()),
        ("<action>\ntype: Finish\n</action>", answer()),
        ("<action>\ntype: Browse\nhttps://a.example/\n</action>", Action(-2, ("Browse", "https://a.example/"))),
        ("<action>\nmill fire\n</action>", Action(-2, ("", "mill fire"))),
        ("<action></action>", Action(-2, ("", ""))),
        ("type: Search\nmill fire", None),
        ("<action>\ntype: Finish\ncut", None),
        ("<think><action>type: Finish\ncut</action>", None),
        ("", None),
    ],
)
def test_blocks(reply: str, action: Action | None) -> None:
    """The first closed block counts, outside of the thinking; an unknown type is told apart from no block."""
    assert BlockFormat().parse(reply) == action


@given(st.text(max_size=300))
def test_any_reply_is_read(reply: str) -> None:
    """Any reply is no action, an unknown type, or one that the environment can read."""
    for text in (reply, f"<search>{reply}</search>", f'<ask site="{reply}">{reply}</ask>'):
        action = TagFormat().parse(text)
        assert action is None or read_action(action) == action
    for text in (reply, f"<action>{reply}</action>", f"<action>\ntype: Finish\n{reply}</action>"):
        action = BlockFormat().parse(text)
        assert action is None or action.kind == -2 or read_action(action) == action


@pytest.mark.parametrize(
    ("reply", "action"),
    [
        ("<search>mill</search>", search("mill")),
        ("It is this. <source> https://a.example/ </source>", answer("https://a.example/")),
        ("<source>[The mill](https://a.example/)</source>", answer("[The mill](https://a.example/)")),
        ("<source>No source found.</source>", answer("No source found.")),
        ("<Source>a</source> <source>b</source>", answer("a")),
        ("<source>a <source>b</source></source>", answer("a <source>b")),
        ("<source></source>", answer("")),
        ("<answer>a</answer>", None),
        ("<answer><search>a</search></answer>", search("a")),
        ("<think><source>no</source></think><visit>https://b.example/</visit>", visit("https://b.example/")),
        ('<ask site="a.example">x</ask>', ask("x", "a.example")),
        ("<source>cut", None),
    ],
)
def test_sources(reply: str, action: Action | None) -> None:
    """The text from the first open to the first close source tag is the answer; an answer tag is none."""
    assert SourceFormat().parse(reply) == action


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_written_is_read(format: Format) -> None:
    """Each format reads the actions that it writes, and writes nothing for one that it has not."""
    every = [search("a", "b"), visit("https://a.example/"), ask("q", "a.example", "b.example"), answer("x"), note("y")]
    has = every if format.name != "blocks" else [every[0], every[1], every[3]]
    assert [format.parse(format.write(action)) for action in has] == has
    assert [format.write(action) for action in every if action not in has] == [""] * (5 - len(has))
    assert format.write(Action(-1, ("x",))) == ""


def test_url_answers_are_sources() -> None:
    """Where answers are URLs the tag is the one that the rules name for them, and is read as an answer."""
    action = answer("https://a.example/")
    assert TagFormat(url_answers=True).write(action) == "<source>\nhttps://a.example/\n</source>"
    assert TagFormat().write(action) == "<answer>\nhttps://a.example/\n</answer>"
    assert TagFormat().parse(TagFormat(url_answers=True).write(action)) == action


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
