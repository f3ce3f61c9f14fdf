"""The lexicon: what it holds, in what order, and how it is read."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from importlib import resources

import pytest

from webenv.corpora.procedural.lexicon import Form, Lexicon, PartOfSpeech
from webenv.errors import DataError, InvalidArgument

DATA = resources.files("webenv.corpora.procedural") / "data"
LEXICON = Lexicon.load()
PARTS: tuple[PartOfSpeech, ...] = ("noun", "verb", "adjective", "adverb")
WITH_HYPERNYMS = PARTS[:3]


def test_the_file_is_frozen() -> None:
    """The packed file is the one that was reviewed: a change of any byte is a change of every generated web."""
    packed = (DATA / "lexicon.bin").read_bytes()
    assert hashlib.sha256(packed).hexdigest() == "a046f565b484f37d69b30f81dd29c497dc12a3aa3823323774f6a7e40fb32973"
    assert len(packed) < 4_000_000


def test_the_licence_stands_beside_it() -> None:
    """Source, version, changes and WordNet's licence ship with the data."""
    text = (DATA / "LICENSE-wordnet.txt").read_text("utf-8")
    for phrase in ("WordNet 3.0 Copyright 2006 by Princeton University", "What was changed", "lemminflect 0.2.3"):
        assert phrase in text


def test_load_gives_one_lexicon_a_process() -> None:
    """Loading twice reads the file once."""
    assert Lexicon.load() is LEXICON


def test_loading_is_fast() -> None:
    """Words and sentences are there within 1.6 s of processor time, import included."""
    program = (
        "import time, webenv; start = time.process_time()\n"
        "from webenv.corpora.procedural.lexicon import Lexicon\n"
        "lexicon = Lexicon.load(); lexicon.words('noun'), lexicon.sentences()\n"
        "print(time.process_time() - start)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    assert min(times) < 1.6


@pytest.mark.parametrize(
    ("part", "number", "first"),
    [
        ("noun", 41_987, ("person", "group", "man", "location")),
        ("verb", 8_570, ("be", "have", "say", "make")),
        ("adjective", 19_705, ("one", "other", "two", "such")),
        ("adverb", 3_700, ("not", "then", "now", "only")),
    ],
)
def test_words_come_by_falling_frequency(part: PartOfSpeech, number: int, first: tuple[str, ...]) -> None:
    """Each part of speech has its words once, the most frequent first."""
    words = LEXICON.words(part)
    assert len(words) == len(set(words)) == number
    assert words[: len(first)] == first
    counts = [LEXICON.frequency(word, part) for word in words]
    assert counts == sorted(counts, reverse=True)


def test_words_are_plain_lower_case() -> None:
    """No capital, figure, blank or full stop in any word."""
    for part in PARTS:
        assert all(re.fullmatch("[a-z]+(-[a-z]+)*", word) for word in LEXICON.words(part))


@pytest.mark.parametrize("word", ["paris", "monday", "3d", "nigger", "fuck", "penis", "whore", "xii", "kg"])
def test_names_figures_and_offence_are_left_out(word: str) -> None:
    """Names, abbreviations, numerals and offensive words are no words of the lexicon."""
    assert not any(LEXICON.has(word, part) for part in PARTS)


@pytest.mark.parametrize(
    ("word", "part", "synonyms"),
    [
        ("lawyer", "noun", ("attorney",)),
        ("attorney", "noun", ("lawyer",)),
        ("couch", "noun", ("sofa",)),
        ("postpone", "verb", ("defer", "shelve")),
        ("strict", "adjective", ("rigorous",)),
        ("rarely", "adverb", ("seldom",)),
        ("zzz", "noun", ()),
    ],
)
def test_synonyms_share_the_first_meaning(word: str, part: PartOfSpeech, synonyms: tuple[str, ...]) -> None:
    """Synonyms are common words whose usual meaning is the same."""
    assert LEXICON.synonyms(word, part) == synonyms


def test_synonyms_are_mutual_where_they_lead() -> None:
    """Two words that share a meaning lead to the same other words: synonyms never lead out of it."""
    for part in PARTS:
        for word in LEXICON.words(part):
            offered = LEXICON.synonyms(word, part)
            for other in offered:
                back = LEXICON.synonyms(other, part)
                assert set(back) - {word} == set(offered) - {other}


@pytest.mark.parametrize(
    ("word", "part", "hypernyms"),
    [
        ("violin", "noun", ("stringed instrument", "musical instrument", "device")),
        ("coffee", "noun", ("beverage", "food")),
        ("giggle", "verb", ("laugh",)),
        ("damp", "adjective", ("wet",)),
        ("quickly", "adverb", ()),
    ],
)
def test_hypernyms_say_something(word: str, part: PartOfSpeech, hypernyms: tuple[str, ...]) -> None:
    """Going up gives more general words that a reader would use, and stops before empty ones."""
    assert LEXICON.hypernyms(word, part) == hypernyms


def test_hyponyms_are_the_inverse_of_hypernym() -> None:
    """Every word is among the hyponyms of its hypernym, and of no other word."""
    for part in WITH_HYPERNYMS:
        below: dict[str, list[str]] = {}
        for word in LEXICON.words(part):
            if general := LEXICON.hypernym(word, part):
                below.setdefault(general, []).append(word)
        for general, words in below.items():
            assert LEXICON.has(general, part)
            assert [word for word in LEXICON.hyponyms(general, part) if " " not in word] == words


def test_hypernyms_end() -> None:
    """No chain of hypernyms comes back to its start."""
    for part in WITH_HYPERNYMS:
        for word in LEXICON.words(part):
            chain = LEXICON.hypernyms(word, part)
            assert word not in chain
            assert len(chain) < 12


@pytest.mark.parametrize(
    ("word", "part", "opposite"),
    [("joy", "noun", ("sorrow",)), ("ascend", "verb", ("descend",)), ("wet", "adjective", ("dry",))],
)
def test_antonyms(word: str, part: PartOfSpeech, opposite: tuple[str, ...]) -> None:
    """Opposites of the first meaning."""
    assert LEXICON.antonyms(word, part) == opposite


@pytest.mark.parametrize(
    ("word", "part", "form", "expected"),
    [
        ("child", "noun", "plural", "children"),
        ("ox", "noun", "plural", "oxen"),
        ("city", "noun", "plural", "cities"),
        ("musical instrument", "noun", "plural", "musical instruments"),
        ("go", "verb", "third", "goes"),
        ("go", "verb", "past", "went"),
        ("write", "verb", "participle", "written"),
        ("travel", "verb", "gerund", "traveling"),
        ("get", "verb", "participle", "got"),
        ("happy", "adjective", "comparative", "happier"),
        ("good", "adjective", "superlative", "best"),
        ("beautiful", "adjective", "comparative", "more beautiful"),
        ("soon", "adverb", "comparative", "sooner"),
        ("slowly", "adverb", "superlative", "most slowly"),
    ],
)
def test_inflect(word: str, part: PartOfSpeech, form: Form, expected: str) -> None:
    """Forms are frozen in the file; comparatives without one of their own take "more" and "most"."""
    assert LEXICON.inflect(word, part, form) == expected


def test_bad_arguments_are_named() -> None:
    """An unknown part of speech, form or word is an InvalidArgument that says what there is."""
    with pytest.raises(InvalidArgument, match="no part of speech 'adj': noun, verb, adjective, adverb"):
        LEXICON.words("adj")  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="a noun has no form 'past': it has plural"):
        LEXICON.inflect("dog", "noun", "past")
    with pytest.raises(InvalidArgument, match="'qwrt' is no verb of the lexicon"):
        LEXICON.inflect("qwrt", "verb", "past")


@pytest.mark.parametrize(
    ("article", "words"),
    [
        (
            "an",
            "apple hour heir honest umbrella urgent uninteresting unimportant unidentified onion 8 11 18 unanswered",
        ),
        ("a", "banana unit university European one-way once use usual utensil uranium unanimous eulogy ewe 110 house"),
    ],
)
def test_article_goes_by_sound(article: str, words: str) -> None:
    """The article is chosen by the sound, not by the letter."""
    for word in words.split():
        assert (word, Lexicon.article(word)) == (word, article)


def test_countable() -> None:
    """Mass nouns have no natural plural."""
    assert [LEXICON.countable(noun) for noun in ("violin", "dog", "furniture", "happiness")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.slow
def test_examples() -> None:
    """An example is a clause that shows the word."""
    assert LEXICON.examples("dog", "noun") == ("the dog barked all night",)


def test_sentences_are_fit_to_print() -> None:
    """Every clause has five words or more, no figures, brackets, quotes or names, and stands once."""
    sentences = LEXICON.sentences()
    assert len(sentences) == len({sentence.text.lower() for sentence in sentences}) == 17_394
    for text, _, part in sentences:
        assert len(text.split()) >= 5
        assert part in PARTS
        assert re.fullmatch("[A-Za-z ,;:'?!-]+", text), text
        assert not re.search("[A-Z]", re.sub(r"\bI\b", "", text)), text


def test_phrases_are_fit_to_print() -> None:
    """Phrases have neither capitals nor figures nor brackets."""
    assert len(LEXICON.phrases()) == 10_588
    for text, _, _ in LEXICON.phrases():
        assert re.fullmatch("[a-z ,:;'.?!-]+", re.sub(r"\bI\b", "i", text)), text


def test_category_is_of_the_first_meaning() -> None:
    """Categories are WordNet's lexicographer files."""
    assert LEXICON.category("horse", "noun") == "noun.animal"


def test_a_damaged_file_is_an_error() -> None:
    """A file with a broken header or a broken part is a DataError that says what to do."""
    packed = (DATA / "lexicon.bin").read_bytes()
    with pytest.raises(DataError, match="reinstall webenv"):
        Lexicon(b"{}\n")
    start = packed.index(b"\n") + 1
    broken = Lexicon(packed[: start + 100] + bytes(50) + packed[start + 150 :])
    with pytest.raises(DataError, match="damaged in its part 'noun'"):
        broken.words("noun")


def test_the_header_names_the_source() -> None:
    """The file itself says what it was made from."""
    header = json.loads((DATA / "lexicon.bin").read_bytes().split(b"\n", 1)[0])
    assert header["source"] == "WordNet 3.0 (Princeton University); forms by lemminflect 0.2.3"
