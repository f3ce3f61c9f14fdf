"""Chains of clauses without a model: how questions are taken apart, pages read, and names followed to the last one."""

from __future__ import annotations

import pytest

from tests.webs import DictWeb, GoldJudge
from webenv.benchmark import Benchmark
from webenv.budget import Budget
from webenv.observations import Page
from webenv.policies.hierarchical import HierarchicalPolicy, Layers
from webenv.policies.hierarchical.chain_ledger import ChainLedger
from webenv.policies.hierarchical.clauses import agreement, read_chain
from webenv.policies.hierarchical.links import DESCRIBES, KIND, kindness, links_on
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage
from webenv.rollout.play import EpisodeSpec, play_episodes
from webenv.task import Gold, Task, TaskSet

QUESTION = (
    "Mill A burnt down in 1871. Person B was the owner of mill A. Person C taught person B. Person C moved to town D. "
    "What is the name of town D?\n\nLetters stand for names."
)
PAGES = [
    Page("https://a.example/1", "Hay Mill", "Hay Mill is a mill near Ansby. It burnt down in 1871, and was rebuilt."),
    Page("https://a.example/2", "Oat Mill", "Oat Mill is a mill near Brill. It burnt down in 1902. Carl Pym owned it."),
    Page("https://b.example/1", "Ann Lee", "Ann Lee bought Hay Mill in 1850. She kept bees. She lived in Corby."),
    Page("https://b.example/2", "Ivo Kerr", "Ivo Kerr was a teacher. He instructed Ann Lee from 1830. He hated bees."),
    Page("https://c.example/1", "Bees of Dunmere", "The teacher Ivo Kerr moved to Dunmere in 1860, with his hives."),
    Page("https://c.example/2", "Bees of Corby", "Carl Pym moved to Corby in 1903, and was never taught."),
]


def test_clauses_lead_from_letter_to_letter() -> None:
    """A clause that names a letter first leads to it; one that names none is about the last one."""
    chain = read_chain(QUESTION)
    assert chain is not None
    assert chain.kinds == ("mill", "person", "person", "town")
    assert [(one.source, one.target) for one in chain.clauses] == [(0, 0), (0, 1), (1, 2), (2, 3)]
    assert chain.query(chain.clauses[2], "Ann Lee") == "Ann Lee taught"


def test_a_letter_that_is_never_told_is_led_to_by_the_clause_before() -> None:
    """Organ C is first named beside D: the sentence before led to it."""
    chain = read_chain(
        "Organ A has a bearded head. Person B sat at the console from 1991. Person B sat at the console from 1955. "
        "Person D voiced organ C in 1740. What is the name of person D?"
    )
    assert chain is not None
    assert [(one.source, one.target) for one in chain.clauses] == [(0, 0), (0, 1), (1, 2), (2, 3)]


def test_the_last_clause_leads_to_what_is_asked() -> None:
    """Where no clause names the letter that is asked for."""
    chain = read_chain(
        "Person A kept bonsai. Person B taught person A. Person B designed it. What is the name of mill C?"
    )
    assert chain is not None
    assert [(one.source, one.target) for one in chain.clauses] == [(0, 0), (0, 1), (1, 2)]


def test_questions_without_letters_are_no_chains() -> None:
    """Nothing is read into a question that names what it means."""
    assert read_chain("Which play did the author of Station Road write in 1932?") is None


def test_numbers_and_families_of_words_agree() -> None:
    """A number must be the same; a word of one family counts for three quarters of the word itself."""
    assert agreement("Mill A cost $5,300.", "It came to $5,300.") > agreement("Mill A cost $5,300.", "It cost $5,400.")
    assert agreement("Person C taught person B.", "He wrote to her.") == 0.0
    assert agreement("Person C taught person B.", "She was his pupil.") == 0.75


def test_names_fit_kinds_by_form_and_by_what_is_said() -> None:
    """A hotel is no museum; a name that a page calls a painting is one."""
    assert kindness("Hotel St Ursula", "hotel") == 1.0
    assert kindness("Hotel St Ursula", "museum") < kindness("Pilkington House", "museum")
    assert kindness("Two Hares", "painting", "Two Hares is a painting in oil.") == 1.0


def test_a_sentence_links_the_names_it_puts_together() -> None:
    """The subject of a page stands for its pronouns; what is denied links nothing."""
    chain = read_chain(QUESTION)
    assert chain is not None
    page = ReadPage(
        "u", "Hay Mill", "Hay Mill is a mill. It burnt down in 1871. Ann Lee was its owner, and not Carl Pym."
    )
    assert ("Hay Mill", "0", DESCRIBES) in [one[:3] for one in links_on(chain, page, ())]
    plain = page._replace(text="Hay Mill is a mill. Ann Lee was its owner. Its owner was never Carl Pym.")
    named = {name for one in links_on(chain, plain, ()) if one.column == "1" for name in (one.entity, one.value)}
    assert named == {"Hay Mill", "Ann Lee"}


def test_names_with_small_letters_are_known_as_the_page_writes_them() -> None:
    """A link, or the head of a row, tells that words with small letters among them are one name."""
    chain = read_chain("Person A produced album B. Album B has 9 songs. What is the name of album B?")
    assert chain is not None
    text = (
        "Ann Lee (born 1950) is a producer.\n\nAnn Lee grew up in Corby. In 1978 Lee moved to Hay Boats. In the same "
        "year she produced the album [The Zither at Holiday](https://a.example/z)."
    )
    found = links_on(chain, ReadPage("u", "Ann Lee", text), ())
    assert ("Ann Lee", "0", "The Zither at Holiday") in [one[:3] for one in found]


def test_a_number_in_words_is_the_number() -> None:
    """And it is not said by another one."""
    assert agreement("Person A lived there for 7 months.", "She stayed for seven months.") > 0.6
    assert agreement("Person A lived there for 7 months.", "She stayed for nine months.") <= 0.5


def test_what_a_page_calls_a_thing_is_no_person() -> None:
    """Westerhus Walk, which is a station, taught nobody."""
    chain = read_chain("Person A taught person B. What is the name of person B?")
    assert chain is not None
    ledger = ChainLedger(chain)
    ledger.add([
        CitedStatement("Ann Lee", "0", "Westerhus Walk", "https://a.example/", quote="Ann Lee taught Westerhus Walk."),
        CitedStatement("Ann Lee", "0", "Ivo Kerr", "https://a.example/", quote="Ivo Kerr learned from Ann Lee."),
        CitedStatement("Westerhus Walk", KIND, "station", "https://b.example/"),
    ])  # fmt: skip
    assert "Westerhus Walk" not in [name for _, name, _ in ledger.rows()]


def test_a_question_that_no_script_reads_is_said_to_be_one(caplog: pytest.LogCaptureFixture) -> None:
    """In the thought of the answer, and once in the log, however many there are."""
    tasks = [Task(str(number), "Who wrote Station Road?", gold=Gold(answers=("Ann",))) for number in range(2)]
    benchmark = Benchmark(
        tasks=TaskSet(tasks), web=DictWeb(PAGES), judge=GoldJudge(), budget=Budget(searches=3, visits=3, turns=7)
    )
    specs = [EpisodeSpec(task.id, 0, 0) for task in tasks]
    records = [one for ended in play_episodes(benchmark, HierarchicalPolicy(Layers()), specs) for one in ended]
    assert all("cannot read this question" in record.turns[-1].thought for record in records)
    assert len([one for one in caplog.messages if "cannot read this question" in one]) == 1


def test_the_chain_that_holds_best_is_the_answer() -> None:
    """A whole chain stands before one with a better end whose link nothing states."""
    chain = read_chain(
        "Mill A burnt down. Person B owned mill A. Person B moved to town C. What is the name of town C?"
    )
    assert chain is not None
    ledger = ChainLedger(chain)
    ledger.add([
        CitedStatement("Hay Mill", "0", DESCRIBES, "https://a.example/", quote="Hay Mill burnt down."),
        CitedStatement("Hay Mill", "1", "Ann Lee", "https://a.example/", quote="Ann Lee owned Hay Mill."),
        CitedStatement("Ann Lee", "2", "Corby", "https://a.example/", quote="Lee came to Corby."),
        CitedStatement("Carl Pym", "2", "Brill", "https://b.example/", quote="Carl Pym moved to Brill."),
    ])  # fmt: skip
    assert [name for _, name, _ in ledger.rows()] == ["Hay Mill", "Ann Lee", "Corby"]
    assert "\nExact Answer: Corby\n" in ledger.answer()


def test_what_is_missing_is_asked_by_the_last_name_that_is_known() -> None:
    """The beginning that pages state goes on from its end."""
    chain = read_chain(QUESTION)
    assert chain is not None
    ledger = ChainLedger(chain)
    ledger.add([
        CitedStatement("Hay Mill", "0", DESCRIBES, "https://a.example/", quote="Hay Mill burnt down in 1871."),
        CitedStatement("Hay Mill", "1", "Ann Lee", "https://b.example/", quote="Ann Lee was the owner of Hay Mill."),
    ])  # fmt: skip
    assert ledger.gaps()[0] == ("Ann Lee", ("2",))


def test_an_episode_follows_a_chain_to_its_end() -> None:
    """Over four pages of three sites, past a near miss at each step."""
    task = Task("chain", QUESTION, gold=Gold(answers=("Dunmere",)))
    benchmark = Benchmark(
        tasks=TaskSet([task]), web=DictWeb(PAGES), judge=GoldJudge(), budget=Budget(searches=30, visits=30, turns=61)
    )
    [record] = next(play_episodes(benchmark, HierarchicalPolicy(Layers()), [EpisodeSpec("chain", 0, 0)]))
    assert "Exact Answer: Dunmere" in record.turns[-1].texts[0]
    assert "C is Ivo Kerr (https://b.example/2)" in record.turns[-1].texts[0]


CHINESE = (
    "桥甲的桥头立着一只铁羊。人物乙1931年修建了桥甲。人物乙是人物丙的徒弟。人物丙搬到城镇丁。"
    "城镇丁叫什么名字？\n\n字母代号代表名字。"
)
CHINESE_PAGES = [
    Page("https://a.example/1", "青石桥", "青石桥是一座桥。桥头有一只铁羊。\n\n- **建造**：荀耀华（1931年）"),
    Page("https://a.example/2", "白塔桥", "白塔桥是一座桥。桥头有一只石狮。它由郝明山1902年建成。"),
    Page("https://b.example/1", "怀念荀耀华", "荀耀华是一名石匠，老师是司徒青原。他爱喝茶。"),
    Page("https://b.example/2", "司徒青原", "司徒青原是一名石匠。1920年，他迁居云门镇，租了两间房。"),
    Page("https://c.example/1", "云门镇一日游", "云门镇有三家茶馆。"),
]


def test_chinese_clauses_lead_from_letter_to_letter() -> None:
    """What a letter stands for is what is before it most often, whatever begins the sentence."""
    chain = read_chain(CHINESE)
    assert chain is not None
    assert chain.kinds == ("桥", "person", "person", "城镇")
    assert [(one.source, one.target) for one in chain.clauses] == [(0, 0), (0, 1), (1, 2), (2, 3)]
    assert chain.query(chain.clauses[3], "司徒青原") == "司徒青原 搬到 城镇"


def test_chinese_pages_link_the_names_they_put_together() -> None:
    """Without spaces or capitals: a person by the surname, a town by how it ends, whom a page is about by its title."""
    chain = read_chain(CHINESE)
    assert chain is not None
    found = [
        one[:3] for page in CHINESE_PAGES for one in links_on(chain, ReadPage(page.url, page.title, page.text), ())
    ]
    assert ("青石桥", "0", DESCRIBES) in found
    assert ("青石桥", "1", "荀耀华") in found
    assert ("荀耀华", "2", "司徒青原") in found
    assert ("司徒青原", "3", "云门镇") in found


def test_who_speaks_in_a_thread_and_what_is_counted_are_no_names() -> None:
    """A thread's "**慢_豆腐26**" and "一家医院" name nothing."""
    chain = read_chain("医院甲由人物乙创办。人物乙叫什么名字？")
    assert chain is not None
    text = "**慢_豆腐26**\n同德医院由山启安创办，是一家医院。\n\n**种豆新手** · 2020年3月2日\n多谢。"
    named = {
        name
        for one in links_on(chain, ReadPage("u", "同德医院由谁创办？", text), ())
        for name in (one.entity, one.value)
    }
    assert {"同德医院", "山启安"} <= named
    assert not [one for one in named if "豆" in one or one == "家医院"]


def test_a_region_behind_a_town_is_no_town() -> None:
    """And the year in brackets behind "born" says nothing of where."""
    chain = read_chain("Person A kept bees. Person A was born in town B. What is the name of town B?")
    assert chain is not None
    text = "Ann Lee (born 1950) is a beekeeper from Ansby, Barset.\n\nLee was born in Corby."
    found = [one for one in links_on(chain, ReadPage("u", "Ann Lee", text), ()) if one.column == "1"]
    assert "Barset" not in [one.value for one in found]
    assert max(found, key=lambda one: agreement(chain.clauses[1].text, one.quote)).value == "Corby"
