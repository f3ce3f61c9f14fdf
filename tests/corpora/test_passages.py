"""Pages that are kept ready show the same snippets as texts that are read anew."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.analysis import stem
from webenv.corpora.caches import LRUCache
from webenv.corpora.maxscore import machine_code, show_records
from webenv.corpora.snippets import CachedPage, SnippetCache, SnippetQuery, record, snippet, sought
from webenv.corpora.store import MemoryStore, StoredPage

PLAIN = ["tide", "tides", "TIDE", "tide's", "o'clock", "clock", "skies", "sky", "happy", "happi", "happily", "hoping"]
MIXED = ["u.s.a", "a.b", "_tide", "tide_x", "tidel", "ab", "ab.ab", "ab'ab", "3.5", "café", "naïve", "²a", "µm", "Ÿ"]
WORDS = [*PLAIN, *MIXED, "灯", "塔", "İ", "\u212a"]
SIGNS = (" ", ". ", ".", "'", ", ", "“", "” ", "–", "\n", "_", "-", "...")
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SIGNS)), max_size=60).map(
    lambda parts: "".join(word + sign for word, sign in parts)
)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    machine_code()  # where numba is there


def page(text: str) -> StoredPage:
    return StoredPage("https://a.example/1", "A page", text, "", 7, "a.example")


def shown(text: str, weights: dict[str, float]) -> str:
    """A page's snippet, which machine code, where there is any, cuts alike."""
    ready = CachedPage(page(text), record(page(text)))
    assert ready.page() == page(text)
    words = sought(weights)
    result = ready.result(words, weights)
    queries = [SnippetQuery([1, 0], words, weights), SnippetQuery([], words, weights), SnippetQuery([1], [], {})]
    cut = show_records([b"", ready.record], queries)
    told = result if ready.record and "\0" not in result.snippet else None
    start = told and ready.result([], {})
    assert cut in (None, [[told, None], [], [start]])
    return result.snippet


@given(texts, st.lists(st.sampled_from(WORDS), min_size=1, max_size=4))
def test_any_text_shows_the_same_snippet(text: str, words: list[str]) -> None:
    """Whatever words, signs and scripts a text mixes."""
    weights = {form: float(number) for number, word in enumerate(words, 1) if (form := stem(word.lower()))}
    assert shown(text, weights) == snippet(text, weights)


def test_long_texts_and_common_words_show_the_same_snippet() -> None:
    """Also where a word has more places than are looked at, or the text more characters."""
    for text in (
        "tide " * 30 + "a tide of neap. ",
        "x " * 600 + "x neap",
        "word " * 19_990 + "neap and neap tide " * 30,
    ):
        for weights in ({"tide": 1.0, "neap": 2.0}, {"x": 1.0, "neap": 1.0}):
            assert shown(text, weights) == snippet(text, weights)


def test_a_result_names_its_page() -> None:
    """Title, address, site and the key of the page that it copies stand beside the snippet."""
    passages = SnippetCache(MemoryStore({3: page("Neap tides.")}, {}), LRUCache(10_000), 0, show_records)
    assert passages.results([([3], {"tide": 1.0}), ([], {})]) == [
        (("A page", "https://a.example/1", "Neap tides.", "a.example", "0000000000000007"),),
        (),
    ]
