"""Pages as they read."""

from __future__ import annotations

import re
import statistics

import pytest

from webenv.corpora.deduplication import similarity
from webenv.corpora.procedural import ProceduralWeb, WebConfig
from webenv.corpora.procedural.language.english import ENGLISH
from webenv.corpora.procedural.language.phrasing import side_phrasings, synonyms
from webenv.corpora.procedural.rng import Rng
from webenv.corpora.procedural.world.facts import listed
from webenv.corpora.procedural.world.sites import voices

_WORD = re.compile(r"[^\W\d_]+")


@pytest.fixture(scope="module")
def texts(small: ProceduralWeb) -> dict[int, str]:
    return {number: small.text(small.plan(number)).text for number in range(len(small))}


def test_every_fact_is_said_where_it_is_said_to_be(small: ProceduralWeb) -> None:
    """Each fact of a plan has a sentence, which stands on the page and holds object and qualifier."""
    for number in range(len(small)):
        plan = small.plan(number)
        text = small.text(plan)
        assert {statement.fact for statement in text.statements} == set(plan.facts)
        for statement in text.statements:
            assert statement.sentence in text.text
            lowered = statement.sentence.lower()
            bare = statement.fact.object.text.removeprefix("a ").removeprefix("an ").lower()
            assert bare in lowered
            assert statement.fact.qualifier.text.lower() in lowered


def test_side_values_stand_on_the_page(small: ProceduralWeb) -> None:
    """The values of facts about other things are on the page too."""
    for number in range(0, len(small), 3):
        plan = small.plan(number)
        text = small.text(plan).text.lower()
        for fact in plan.sides:
            assert fact.object.text.lower() in text
            assert fact.qualifier.text.lower() in text


def test_no_blank_is_left(texts: dict[int, str]) -> None:
    """No brace, doubled article, doubled space or doubled stop is left of the grammar."""
    for text in texts.values():
        assert not re.search(r"[{}\[\]~]|\b(?:a a|a an|an a|the the|the a|the an)\b|  |\.\.| ,", text, re.IGNORECASE), (
            text
        )


def test_sentences_begin_with_capitals(texts: dict[int, str], small: ProceduralWeb) -> None:
    """Every paragraph of an article begins with a capital, a figure, a dash of a list or a quotation."""
    for number in range(small.planner.counts["article"]):
        for paragraph in texts[number].split("\n\n"):
            first = paragraph[0]
            assert first.isupper() or first.isdigit() or first in "“-", paragraph


def test_lengths(texts: dict[int, str], small: ProceduralWeb) -> None:
    """Articles have 400 to 2,000 words, no page fewer than 100."""
    words = [len(text.split()) for text in texts.values()]
    articles = words[: small.planner.counts["article"]]
    assert min(words) >= 100
    assert max(words) <= 2_200
    assert 500 < statistics.median(articles) < 1_200


def test_phrasings_are_fresh(small: ProceduralWeb) -> None:
    """A fact that a page states twice is said in two ways."""
    repeated = said = 0
    for number in range(small.planner.counts["article"]):
        sentences: dict[object, list[str]] = {}
        for statement in small.text(small.plan(number)).statements:
            sentences.setdefault(statement.fact, []).append(statement.sentence)
        for ways in sentences.values():
            said += 1
            repeated += len(set(ways)) < len(ways)
    assert repeated / said < 0.02


def test_copies_are_near_identical(small: ProceduralWeb, texts: dict[int, str]) -> None:
    """A copy shares at least nine tenths of its shingles with its original."""
    start = small.planner.number("copy", 0)
    for number in range(start, start + small.planner.counts["copy"]):
        assert similarity(texts[number], texts[small.original(number)]) > 0.9


def test_worlds_leave_no_trace_in_each_other(texts: dict[int, str]) -> None:
    """No small-letter word of one world's pages is a name of another."""
    other = ProceduralWeb(WebConfig(pages=3_000, seed=8, split="test"))
    names = {
        word.lower()
        for entities in other.world.entities.values()
        for entity in entities
        for word in _WORD.findall(entity.value.text)
        if word[0].isupper()
    }
    names -= {
        "bank",
        "house",
        "institute",
        "society",
        "sons",
        "trust",
        "line",
        "brothers",
        "academy",
        "guild",
        "league",
    }
    names -= {"foundation", "press", "chamber", "union", "museum"}
    for text in texts.values():
        assert not names & {word for word in _WORD.findall(text) if word.islower()}


def test_held_phrasings_never_stand_in_shown_webs() -> None:
    """A web of the shown phrasings, and one of those held out, say their facts in different ways."""
    shown = ProceduralWeb(WebConfig(pages=200, kinds=1, phrasings="shown"))
    held = ProceduralWeb(WebConfig(pages=200, kinds=1, phrasings="held"))
    assert [shown.plan(n).facts for n in range(100)] == [held.plan(n).facts for n in range(100)]
    marks = {way.id: way.held_out for ways in side_phrasings()[1].values() for way in ways}
    for web, mark in ((shown, False), (held, True)):
        assert {marks[fact.relation] for n in range(100) for fact in web.plan(n).sides} == {mark}
    for number in range(20):
        ours, theirs = (
            {s.sentence for s in web.text(web.plan(number)).statements if ": " not in s.sentence}
            for web in (shown, held)
        )
        assert ours
        assert not ours & theirs


def test_choices_in_voices_are_lines_of_their_own() -> None:
    """A line of a voice with choices stands for each way to choose; those that need a list or halves have them."""
    plain = voices()["plain"]
    assert {"a retired schoolmaster", "a former schoolmaster"} <= set(plain["who"])
    assert "as few remember" in plain["asides"]
    for uses in voices().values():
        assert not any(set("[|]") & set(line) for lines in uses.values() for line in lines)
    assert all("{g}" in line for line in plain["lists"])
    assert all("{x}" in line and "{y}" in line for line in plain["halves"])


def test_digressions_name_no_value() -> None:
    """A list of things in a digression holds no word that a fact may turn on."""
    values = {
        word for groups in listed().values() for group in groups.values() for v in group for word in v.text.split()
    }
    for number in range(300):
        assert not (values - {"a", "an", "of", "and", "two"}) & set(ENGLISH.things(Rng(number)).split())


def test_long_quotations_are_cut_at_a_small_word() -> None:
    """The halves of a sentence make the sentence again; short sentences are left whole."""
    assert ENGLISH.halves("She came home") is None
    assert ENGLISH.halves("He never goes out to the shop when it is raining") == (
        "He never goes out to the shop",
        "when it is raining",
    )


def test_a_page_keeps_to_a_few_epithets(small: ProceduralWeb, texts: dict[int, str]) -> None:
    """A page speaks of its subject with four epithets at most, and most pages use some."""
    epithets = {
        word for uses in voices().values() for use, lines in uses.items() if "epithets" in use for word in lines
    }
    found = []
    for number in range(small.planner.counts["article"]):
        kind = small.world.distractor_set(small.plan(number).distractor_set).kind.name
        found.append(len(set(re.findall(rf"\bthe (\w+) {kind}\b", texts[number], re.IGNORECASE)) & epithets))
    assert max(found) <= 4
    assert statistics.mean(count > 0 for count in found) > 0.9


def test_the_reference_site_teaches_every_far_word(small: ProceduralWeb, texts: dict[int, str]) -> None:
    """Each word that criteria use and pages do not stands on a leaf beside a page's word."""
    start = small.planner.number("entry", 0)
    lines = [
        line.lower() for n in range(start, start + small.planner.counts["entry"]) for line in texts[n].splitlines()
    ]
    for far, near in Rng(1).sample(list(synonyms().items()), 120):
        assert any(f"“{far.lower()}”" in line and f"“{near[0].lower()}”" in line for line in lines), far
