"""Languages: their rules, words and names."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.html import render_html
from webenv.corpora.procedural.language import english
from webenv.corpora.procedural.language.chinese import CHINESE, romanised
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.lexicon import Lexicon
from webenv.corpora.procedural.language.phrasing import kinds, relations, side_phrasings, synonyms
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import Value, levels, listed, masked_words, numeric, vague
from webenv.corpora.procedural.world.sites import SITE_TYPES, voices
from webenv.corpora.procedural.world.world import LANGUAGES

GRAMMARS = sorted({kind.grammar for kind in kinds()} | {"base_person", "base_place", "base_org"})
_LATIN = re.compile(r"[A-Za-z]{2,}")


@pytest.fixture(scope="module")
def web() -> ProceduralWeb:
    return ProceduralWeb(WebConfig(pages=400, kinds=4, seed=7, language="zh"))


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
def test_every_language_says_everything(language: english.English) -> None:
    """Each language has the uses of texts and voices, the types and kinds of relations that English has."""
    assert set(ENGLISH.texts) <= set(language.texts)
    assert set(voices(language)) == set(voices(ENGLISH))
    for uses in voices(language).values():
        assert {use for use in voices(ENGLISH)["plain"] if not use.startswith(("asides", "epithets"))} <= set(uses)
    assert set(language.rows("sites")) == set(SITE_TYPES)
    assert set(language.rows("masks")) == set(ENGLISH.rows("masks"))
    assert [(kind.grammar, kind.pronoun, kind.sites) for kind in kinds(language)] == [
        (kind.grammar, kind.pronoun, kind.sites) for kind in kinds(ENGLISH)
    ]
    for grammar in GRAMMARS:
        assert [(r.name, r.tier, r.object, r.qualifier) for r in relations(grammar, language)] == [
            (r.name, r.tier, r.object, r.qualifier) for r in relations(grammar, ENGLISH)
        ]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_each_relation_can_be_said_in_six_ways_in_chinese(grammar: str) -> None:
    """Six ways or more, a third held, each with subject, object and qualifier, and no page's word among far ones."""
    for relation in relations(grammar, CHINESE):
        assert len(relation.phrasings) >= 6
        assert sum(way.held_out for way in relation.phrasings) * 3 >= len(relation.phrasings)
        assert sum(way.held_out for way in relation.plain) >= 2
        assert sum(not way.held_out for way in relation.plain) >= 2
        for way in relation.phrasings:
            for near, far in way.choices:
                assert not set(near) & set(far), way.id
            for form in way.near:
                assert all(form.count(place) == 1 for place in ("{0}", "{2}", "{3}")), form
                assert not re.search(r"[\[\]~|,.!?:;()]", form), form


def test_chinese_sides_and_masks_cover_every_type() -> None:
    """Each type of object has asides of which a third is held, and no thing in them is of a kind."""
    things, by_type = side_phrasings(CHINESE)
    assert set(by_type) == set(side_phrasings(ENGLISH)[1])
    assert len(set(things)) == 50
    for ways in by_type.values():
        assert sum(way.held_out for way in ways) * 3 >= len(ways) >= 5
    for kind in kinds(CHINESE):
        assert not any(kind.name in thing for thing in things)
        assert set(kind.limits.without) <= set(listed(CHINESE)["material"])


def test_chinese_values_have_one_wording_each() -> None:
    """No text is listed twice in a type, no far wording or wider name is a value's text, and levels can be drawn."""
    assert set(listed(CHINESE)) == set(listed(ENGLISH))
    for kind, groups in listed(CHINESE).items():
        values = [value for group in groups.values() for value in group]
        texts = [value.text for value in values]
        assert len(set(texts)) == len(texts), kind
        assert not ({value.far for value in values if value.far} | set(groups)) & set(texts), kind
        assert len(levels(kind, 3, Rng(kind), set(), language=CHINESE)) == 3
        assert masked_words(kind, Rng(kind), CHINESE)


def test_numbers_in_chinese() -> None:
    """Measures, spans, years, ranges and decades in Chinese."""
    assert [numeric(kind, 1234, CHINESE).text for kind in ("count", "money", "weight")] == [
        "1234",
        "1234克朗",
        "1234公斤",
    ]
    assert numeric("span", 12, CHINESE).text == "一连12周"
    assert vague(numeric("span", 12, CHINESE), Rng(0), CHINESE)[0] == "一连11到13周"
    assert vague(numeric("year", 1884, CHINESE), Rng(0), CHINESE)[0] == "19世纪80年代"
    assert vague(Value("person", "沈若川"), Rng(0), CHINESE)[0] == "沈若川"


def test_sentences_end_as_chinese_sentences_do() -> None:
    """A full stop where there is no mark; a quoted question keeps its own."""
    assert CHINESE.sentence("灯亮了") == "灯亮了。"
    assert CHINESE.sentence("她说：“灯亮了。”") == "她说：“灯亮了。”"
    assert CHINESE.quoted("她说：“{x}。”", "灯亮了吗？") == "她说：“灯亮了吗？”"
    assert CHINESE.either(("甲", "乙")) == "“甲”或“乙”"


def test_addresses_are_in_pinyin(web: ProceduralWeb) -> None:
    """Every character of a name is known, so that addresses name their pages in ASCII letters."""
    names = web.world.names
    rng = Rng("pinyin")
    for _ in range(500):
        for name in (names.word(rng), names.person(rng), names.place(rng), names.body(rng)):
            assert romanised(name).isalpha()
            assert all(romanised(character) for character in name), name
    for number in range(len(web)):
        assert re.fullmatch(r"https://[a-z]+\.example/[a-z/]+[a-z0-9-]*-\d+", web.plan(number).url), web.plan(
            number
        ).url


def test_a_chinese_web_is_chinese_throughout(web: ProceduralWeb) -> None:
    """No page has two Latin letters in a row, a space, an English stop, or a blank of the grammar."""
    for number in range(len(web)):
        plan = web.plan(number)
        text = web.text(plan).text
        assert not _LATIN.search(plan.title + text), text
        lines = [line for line in text.splitlines() if " | " not in line and not re.match(r"- |\d |表1 ", line)]
        assert not re.search(r"[ ,;!?{}\[\]~]|。。|，，|。，", "".join(lines)), text
    document = render_html(web, web.plan(3))
    assert document.startswith('<!DOCTYPE html>\n<html lang="zh">')
    assert ">评论<" in document or ">相关<" in document


def test_every_fact_is_said_in_chinese(web: ProceduralWeb) -> None:
    """Each fact of a plan has a sentence, which stands on the page and holds object and qualifier."""
    for number in range(len(web)):
        plan = web.plan(number)
        text = web.text(plan)
        assert {statement.fact for statement in text.statements} == set(plan.facts)
        for statement in text.statements:
            fact, sentence = statement.fact, statement.sentence
            assert sentence in text.text
            assert fact.object.text in sentence
            assert fact.qualifier.type == "stage" or fact.qualifier.text in sentence
        for fact in plan.sides:
            assert fact.object.text in text.text
            assert fact.qualifier.text in text.text


def test_the_reference_site_teaches_every_chinese_far_word(web: ProceduralWeb) -> None:
    """Each word that criteria use and pages do not stands on a leaf beside a page's word."""
    start = web.planner.number("entry", 0)
    leaves = range(start, start + web.planner.counts["entry"])
    lines = [line for number in leaves for line in web.text(web.plan(number)).text.splitlines()]
    for far, near in Rng(1).sample(list(synonyms(CHINESE).items()), 120):
        assert any(f"“{far}”" in line and f"“{near[0]}”" in line for line in lines), far


def test_worlds_share_hardly_a_chinese_name() -> None:
    """Of a thousand people each, two worlds share less than one in fifty."""
    drawn = []
    for world in (1, 2):
        names, rng = CHINESE.names("test", world), Rng("names", world)
        drawn.append({names.person(rng) for _ in range(1_000)})
    assert len(drawn[0] & drawn[1]) < 20


def test_chinese_sentences_and_words_are_enough() -> None:
    """8,000 sentences and over 250 words with meanings, for nouns, verbs and others."""
    assert len(set(CHINESE.sentences())) == 8_000
    assert len({word for word, _, _ in CHINESE.definitions()}) == len(CHINESE.definitions()) > 250
    assert {use for _, _, use in CHINESE.definitions()} == {"nouns", "verbs", "others"}
    assert not any("{" in text for text in CHINESE.sentences())


def test_another_process_gives_the_same_chinese_bytes() -> None:
    """Nothing of a Chinese web depends on the process or its hashes."""
    code = (
        "from webenv.corpora.procedural import ProceduralWeb, WebConfig\n"
        "print(ProceduralWeb(WebConfig(pages=120, sites=16, language='zh')).digest())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "4242"}, capture_output=True, text=True, check=False
    )
    assert ran.stdout.strip() == ProceduralWeb(WebConfig(pages=120, sites=16, language="zh")).digest(), ran.stderr


def _drawn(world: int, count: int) -> set[str]:
    names, rng = ENGLISH.names("test", world), Rng("names", world)
    return {names.word(rng) for _ in range(count)}


def test_names_are_no_words() -> None:
    """No name is a word of the lexicon, and every name has a capital and five letters or more."""
    lexicon = Lexicon.load()
    for name in _drawn(1, 2_000):
        assert name.isalpha()
        assert len(name) >= 5
        assert name == name.capitalize()
        assert not any(lexicon.has(name.lower(), part) for part in ("noun", "verb", "adjective", "adverb"))


def test_worlds_share_hardly_a_name() -> None:
    """Of a thousand names each, two worlds share less than one in a hundred."""
    assert len(_drawn(1, 1_000) & _drawn(2, 1_000)) < 10
