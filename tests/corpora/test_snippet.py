"""Snippets show where a text fits a query."""

import tantivy
from hypothesis import given
from hypothesis import strategies as st

from webenv.corpora.analysis import ANALYZER, analyzer
from webenv.corpora.snippets import SNIPPET, snippet

FILLER = "Nothing of note happens in this sentence about other things. " * 20


def test_the_passage_with_most_of_the_words_wins() -> None:
    """A passage with both words is worth more than one with either, and starts at its sentence."""
    text = f"Tides are known. {FILLER}The neap tides come at half moon. {FILLER}Neap is a word."
    assert snippet(text, {"neap": 2.0, "tide": 1.0}).startswith("The neap tides come at half moon.")


def test_without_a_match_it_is_the_beginning() -> None:
    """Where no word occurs (a match in the title alone), the text's beginning is shown."""
    text = "First words\n\nof a page. " + FILLER
    assert snippet(text, {"zebra": 1.0}).startswith("First words of a page. Nothing of note")
    assert snippet(text, {}) == snippet(text, {"zebra": 1.0})


def test_words_match_by_their_stem_and_whole() -> None:
    """A word is found in its other forms, and not inside other words."""
    text = f"Overstudied matters. {FILLER}She studied tides. {FILLER}"
    assert "She studied tides." in snippet(text, {"studi": 1.0})


def test_a_letter_that_grows_in_lower_case_moves_nothing() -> None:
    """İ has two characters in lower case; places after it stay right."""
    text = "İ" * 300 + " " + FILLER + "A zebra ran."
    assert snippet(text, {"zebra": 1.0}).endswith("A zebra ran.")


@given(st.text(max_size=600), st.text(max_size=12))
def test_snippets_are_short_and_from_the_text(text: str, word: str) -> None:
    """At most 160 characters, in the words of the text."""
    passage = snippet(text, {"tide": 1.0, word or "x": 2.0})
    assert len(passage) <= SNIPPET
    assert passage in " ".join(text.split())


def test_finds_the_word_where_tantivy_finds_it() -> None:
    """For a word that occurs once, tantivy's own snippet shows the same place."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=True, tokenizer_name=ANALYZER)
    schema = builder.build()
    index = tantivy.Index(schema)
    index.register_tokenizer(ANALYZER, analyzer())
    text = FILLER + "A single zebra grazed by the old mill. " + FILLER
    writer = index.writer(15_000_000, 1)
    writer.add_document(tantivy.Document(text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    query = tantivy.Query.term_query(schema, "text", "zebra")
    searcher = index.searcher()
    generator = tantivy.SnippetGenerator.create(searcher, query, schema, "text")
    theirs = generator.snippet_from_doc(searcher.doc(searcher.search(query, 1).hits[0][1])).fragment()
    assert "zebra grazed" in theirs
    assert "zebra grazed" in snippet(text, {"zebra": 1.0})


def test_a_chinese_passage_is_found_and_begins_at_its_sentence() -> None:
    """Characters are found anywhere in a run of them, and so are words of other scripts between them."""
    filler = "这里说的是别的事情，没有什么要紧。" * 20
    text = f"{filler}青岚镇的灯塔由Ada设计。{filler}"
    assert snippet(text, {"灯": 2.0, "塔": 2.0}).startswith("青岚镇的灯塔由Ada设计。")
    assert "Ada" in snippet(text, {"ada": 1.0})
