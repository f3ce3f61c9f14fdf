"""Rankings come from words alone: no filter, segment or order of insertion shows in them."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest
import tantivy

from webenv.corpora import lexical
from webenv.corpora.analysis import ANALYZER, analyzer
from webenv.corpora.document import IndexedPage
from webenv.corpora.lexical import LexicalIndex
from webenv.corpora.query import ParsedQuery, parse_query
from webenv.web import Scope


def make_pages(count: int) -> list[IndexedPage]:
    """Pages of few words, so that many scores tie."""
    rng = random.Random(7)
    words = [f"word{n}" for n in range(40)]
    return [
        IndexedPage(
            key, "", " ".join(rng.choice(words) for _ in range(rng.choice((5, 9, 30)))), f"s{key % 5}.example", ""
        )
        for key in sorted(rng.sample(range(2**60), count))
    ]


def keys(index: LexicalIndex, query: ParsedQuery, limit: int, scope: Scope = Scope()) -> list[int]:
    return [hit.key for hit in index.search(query, limit, scope)]


def in_parts(pages: list[IndexedPage], parts: int) -> LexicalIndex:
    """The same pages in another order, committed part after part."""
    index = tantivy.Index(lexical._schema())
    index.register_tokenizer(ANALYZER, analyzer())
    for part in range(parts):
        writer = index.writer(15_000_000, 1)
        for document in lexical._documents(pages[::-1][part::parts]):
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
    return LexicalIndex(index)


def test_parts_of_an_index_do_not_show() -> None:
    """An index of many parts ranks as one of a single part does, ties at the cut included."""
    pages = make_pages(3_000)
    one, many = LexicalIndex.build(pages), in_parts(pages, 7)
    assert (one._searcher.num_segments, many._searcher.num_segments) == (1, 7)
    rng = random.Random(1)
    for _ in range(200):
        words = " ".join(f"word{rng.randrange(40)}" for _ in range(rng.choice((1, 1, 2, 4))))
        query = parse_query(words + rng.choice(("", " site:s1.example", " -site:s2.example")))
        limit = rng.choice((1, 3, 10, 50))
        assert many.search(query, limit) == one.search(query, limit), query
    site = parse_query("site:s3.example")
    assert keys(many, site, 20) == keys(one, site, 20) == [page.key for page in pages if page.site == "s3.example"][:20]


def test_ties_are_broken_by_key() -> None:
    """Among pages that score alike the lower key comes first, wherever the cut is."""
    pages = [IndexedPage(key, "", "the same words", "a.example", "") for key in range(1_000, 0, -1)]
    for index in (LexicalIndex.build(sorted(pages)), in_parts(pages, 5)):
        for limit in (1, 7, 300):
            assert keys(index, parse_query("words"), limit) == list(range(1, limit + 1))


def test_scores_are_bm25() -> None:
    """The order is that of BM25 (k1 1.2, b 0.75), computed here from its formula."""
    pages = make_pages(400)
    index = LexicalIndex.build(pages)
    texts = {page.key: Counter(page.text.split()) for page in pages}
    lengths = {key: sum(words.values()) for key, words in texts.items()}
    average = sum(lengths.values()) / len(lengths)

    def score(key: int, words: list[str]) -> float:
        total = 0.0
        for word in words:
            having = sum(word in text for text in texts.values())
            weight = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            count = texts[key][word]
            total += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * lengths[key] / average))
        return total

    for words in (["word1"], ["word2", "word3"], ["word4", "word5", "word6", "word7"]):
        found = keys(index, parse_query(" ".join(words)), 30)
        expected = sorted(texts, key=lambda key: (-round(score(key, words), 4), key))[:30]
        assert found == expected


def test_dates_are_days() -> None:
    """A day counts as a whole, and a page without a date is of none."""
    dates = ["2024-02-28", "2024-02-29", "2024-03-01", ""]
    index = LexicalIndex.build(IndexedPage(key, "", "word", "a.example", date) for key, date in enumerate(dates))
    query = parse_query("word")
    assert keys(index, query, 10, Scope(as_of="2024-02-29T10:00")) == [0, 1]
    assert keys(index, query, 10, Scope(as_of="1990-01-01")) == []
    assert keys(index, query, 10) == [0, 1, 2, 3]


def test_phrases_count_the_places_of_stop_words() -> None:
    """A phrase matches where its words stand at its distance, stop words included."""
    texts = ["king of France", "king France", "king in the France", "France king"]
    index = LexicalIndex.build(IndexedPage(key, "", text, "a.example", "") for key, text in enumerate(texts))
    assert keys(index, parse_query('"king of France"'), 10) == [0]
    assert keys(index, parse_query('"king France"'), 10) == [1]


def test_titles_are_searched() -> None:
    """A word that only the title has finds its page."""
    index = LexicalIndex.build([IndexedPage(5, "Lighthouse", "nothing of it here", "a.example", "")])
    assert keys(index, parse_query("lighthouses"), 10) == [5]


def test_chinese_pages_are_found_by_their_characters() -> None:
    """A page without spaces is found by some of its words, and by a phrase only in the phrase's order."""
    texts = ("灯塔由沈若川设计。", "塔楼上没有灯。", "石桥用花岗岩造成。")
    index = LexicalIndex.build(IndexedPage(key, "", text, "a.example", "") for key, text in enumerate(texts))
    assert keys(index, parse_query("设计灯塔的人"), 10)[0] == 0
    assert keys(index, parse_query('"灯塔"'), 10) == [0]
    assert keys(index, parse_query("花岗岩"), 10) == [2]


def test_a_folder_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="the index"):
        LexicalIndex.build([], str(tmp_path / "missing"))
