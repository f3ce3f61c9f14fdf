"""Any text is a query."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.analysis import WORD, analyzer, indexed_analyzer, indexed_text, stem
from webenv.corpora.query import ParsedQuery, parse_query


def test_words_are_stemmed_and_taken_once() -> None:
    """Plain words lose case, endings, and Lucene's stop words; each counts once."""
    assert parse_query("The Tides and the tide's 3.5 metres").words == ("tide", "3.5", "metr")


def test_phrases_keep_the_places_of_stop_words() -> None:
    """A phrase asks for its words at their distance."""
    assert parse_query("“king of France”").phrases == (((0, "king"), (2, "franc")),)


@pytest.mark.parametrize(
    ("query", "sites", "excluded"),
    [
        ("tide site:example.org", ("example.org",), ()),
        ("SITE:WWW.Example.org tide", ("example.org",), ()),
        ("tide site:https://example.org:8080/path", ("example.org",), ()),
        ("tide (site:a.example OR site:b.example)", ("a.example", "b.example"), ()),
        ("tide -site:example.org", (), ("example.org",)),
        ("tide site:*.example.org", ("example.org",), ()),
        ("tide site:.org", ("org",), ()),
        ("tide site:bücher.example", ("xn--bcher-kva.example",), ()),
        ("tide site:???", ("-",), ()),
        ("tide site:", (), ()),
        ("website:example.org", (), ()),
    ],
)
def test_site_filters(query: str, sites: tuple[str, ...], excluded: tuple[str, ...]) -> None:
    """site: and -site: take a host in any form; one that is none matches no site."""
    parsed = parse_query(query)
    assert (parsed.sites, parsed.excluded) == (sites, excluded)


@pytest.mark.parametrize("query", ["", " ", '""', '"', "the of and", "site:", "- ( )", "\0", "\ud800", '"the"'])
def test_queries_that_say_nothing(query: str) -> None:
    """Signs, stop words and operators without a value leave nothing to search for."""
    assert parse_query(query) == ParsedQuery()


def test_an_unbalanced_quote_is_no_phrase() -> None:
    """A quote without its partner leaves plain words."""
    assert parse_query('high "low tide') == ParsedQuery(words=("high", "low", "tide"))


def test_a_huge_query_is_cut() -> None:
    """Of a query of a megabyte at most 256 words are searched for."""
    query = " ".join(f"w{number}" for number in range(200_000))
    assert len(parse_query(query).words) == 256
    assert len(parse_query(f'"{query}"').stems) <= 256


@given(st.text(alphabet=st.characters(), max_size=80))
def test_any_text_is_a_query(text: str) -> None:
    """No text makes the parser fail."""
    assert len(parse_query(text).stems) <= 80


def test_single_words_have_the_stem_that_texts_have() -> None:
    """The stem of a word alone is what the analysis of a text makes of it."""
    words = ["studies", "running", "the", "don't", "3.5", "naïve", "organization"]
    assert [stem(word) for word in words] == ["studi", "run", "", "don't", "3.5", "naïv", "organiz"]
    assert analyzer().analyze(" ".join(words)) == [stem(word) for word in words if stem(word)]


def test_each_chinese_or_japanese_character_is_a_word() -> None:
    """Han, Hiragana and Katakana characters stand alone, beside words of other scripts; phrases keep their order."""
    assert parse_query("灯塔Tower重3.5吨").words == ("灯", "塔", "tower", "重", "3.5", "吨")
    assert parse_query("カメラーを買う").words == ("カ", "メ", "ラ", "ー", "を", "買", "う")
    assert parse_query("“灯塔”").phrases == (((0, "灯"), (1, "塔")),)
    assert parse_query("한국어 word").words == ("한국어", "word")


def test_python_and_tantivy_read_the_same_words() -> None:
    """The pattern of a word finds the same words in either."""
    text = "The tide's 3.5 metres 中文abc数字1,200克。カメラ U.S.A naïve 한국어 word_x 𠀀𠀁 ﾊﾝ 々〇"
    tokens = [token.text for token in analyzer().pre_tokenize(text).tokens]
    assert tokens == [word for word in map(stem, re.findall(WORD, text)) if word]


_PIECES = st.sampled_from(
    [
        "The ",
        "ons",
        "TIDES' ",
        "3.5.",
        "..",
        "a'b.c",
        "_x",
        "é",
        "İ",
        "潮",
        "。",
        "ﬁ",
        "½",
        "e\u0301",
        "\n",
        "\u00a0",
        "x" * 300,
    ]
)


@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
def test_what_is_indexed_is_what_the_analyzer_reads(text: str) -> None:
    """The forms that an index is given are those of the analyzer, at the same places."""
    text = text.encode("utf-8", "replace").decode()
    given_forms = [(token.position, token.text) for token in indexed_analyzer().pre_tokenize(indexed_text(text)).tokens]
    assert given_forms == [(token.position, token.text) for token in analyzer().pre_tokenize(text).tokens]
