"""How an answer to Needle in the Web is read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.envs.needle_in_web.tasks import read_answer

URL = "https://a.example/b"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        (URL, URL),
        (f"  {URL}\n", URL),
        (f"<{URL}>", URL),
        (f"<source>{URL}</source>", URL),
        (f"It is this.\n<source>\n{URL}\n</source> I am sure.", URL),
        (f"<SOURCE>{URL}</Source>", URL),
        (f"<source>{URL}</source><source>https://other.example/</source>", URL),
        (f"</source><source>{URL}</source>", URL),
        (f"<source><source>{URL}</source>", f"source>{URL}"),
        (f"[A page]({URL})", URL),
        (f"[A page]({URL}_(second))", f"{URL}_(second)"),
        (f"[A (2nd) page]({URL}_(c)_d)", f"{URL}_(c)_d"),
        (f'[A page]({URL} "its title")', URL),
        (f"[A page](<{URL}>)", URL),
        (f"[A page](<{URL} c>)", f"{URL} c"),
        (f"[A page]( {URL} )", URL),
        (f"[]({URL})", URL),
        (f"[A [nested] page]({URL})", URL),
        (f"<source>[A page]({URL})</source>", URL),
        (f"<source>[A page]({URL}</source>", URL),
        (f"see [one]({URL}) and [two](https://other.example/)", URL),
        ("", ""),
        ("   ", ""),
        ("<source></source>", ""),
        ("[A page]()", ""),
        ("No source found.", ""),
        ("no source found", ""),
        ("No Source Found!", ""),
        ("“No source was found.”", ""),
        ("<source>No source found.</source>", ""),
        ("No source found. Perhaps https://a.example/b", "No source found. Perhaps https://a.example/b"),
        ("https://a.example/no source found", "https://a.example/no source found"),
        ("https://a.example/last", "https://a.example/last"),
        ("https://a.example/a](b)", "https://a.example/a](b)"),
    ],
)
def test_read_answer(text: str, url: str) -> None:
    """A URL is read bare, as a link's target, or from between the first open and the first close tag."""
    assert read_answer((text,)) == ((url,) if url else ())


def test_no_text() -> None:
    """Without a text there is no answer; of several the first is read."""
    assert read_answer(()) == ()
    assert read_answer((URL, "https://other.example/")) == (URL,)


@pytest.mark.parametrize(
    "piece", ["[", "](", "](<", "](x ", "[a](", "<source>", "</source>", "(", "](a(", ".", " ", "<"]
)
def test_time_is_linear(piece: str) -> None:
    """The longest answer that is allowed is read within two seconds of processor time, whatever it repeats."""
    started = time.process_time()
    read_answer(((piece * 200_000)[:200_000],))
    read_answer((f"[a]({piece * 200_000}"[:200_000],))
    assert time.process_time() - started < 2.0


@given(st.lists(st.sampled_from(["[", "]", "(", ")", "<", ">", "<source>", "</source>", "a", " ", URL]), max_size=30))
def test_never_raises(pieces: list[str]) -> None:
    """Whatever an answer is made of, a text without outer blanks is read from it."""
    read = read_answer(("".join(pieces),))
    assert all(text and text == text.strip() for text in read)
