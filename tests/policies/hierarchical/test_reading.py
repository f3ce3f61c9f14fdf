"""What the scripts read of a page: names, whom sentences are about, cells, terms of posts, and how a table is told."""

from __future__ import annotations

import gymnasium as gym
import pytest

from webenv.latency import LatencyModel
from webenv.policies.hierarchical import HierarchicalPolicy, Layers, ScriptWorker
from webenv.policies.hierarchical.births import births
from webenv.policies.hierarchical.facts import post_cues, terms
from webenv.policies.hierarchical.kinds import KIND, SEEN, WITHIN, noun_of, says
from webenv.policies.hierarchical.ledger import Ledger
from webenv.policies.hierarchical.messages import CitedStatement, ReadPage, Subtask
from webenv.policies.hierarchical.names import names_in, persons_in
from webenv.policies.hierarchical.pages import AboutSentence, cells_of, passages
from webenv.policies.hierarchical.tables import read_question
from webenv.policies.hierarchical.tree import statements_of
from webenv.policies.hierarchical.values import clean, number_in
from webenv.rollout.play import EpisodeSpec, play_episodes

POSTS = (
    "List all former keepers of lighthouses in the counties of Ayshire and Beeland in one table, a row for each, with "
    "exactly these columns: Lighthouse | Keeper | From (year) | Until (year) | Keeper: birthplace."
)
THINGS = (
    "List all mills in the county of Ayshire in one table, a row for each, with exactly these columns: "
    "Mill | Owner | Height (metres) | Owner: spouse."
)


def test_a_question_for_posts_is_understood() -> None:
    """The kind, the places, two columns of the key, which columns are years, and which a join gives."""
    wanted = read_question(POSTS)
    assert wanted is not None
    assert (wanted.kind, wanted.keys, wanted.places) == ("lighthouse", 2, ("Ayshire", "Beeland"))
    assert [wanted.year(column) for column in wanted.columns] == ["", "", "since", "until", ""]
    assert wanted.joins == (("Keeper", "birthplace"),)


@pytest.mark.parametrize(("one", "several"), [("Volcano", "volcanoes"), ("Circus", "circuses"), ("Canoe", "canoes")])
def test_plurals_of_a_kind(one: str, several: str) -> None:
    """Whatever its plural, the kind is the one that the first column names, and posts are known as such."""
    wanted = read_question(POSTS.replace("lighthouses", several).replace("Lighthouse", one))
    assert wanted is not None
    assert (wanted.kind, wanted.keys) == (one.lower(), 2)


def test_names_and_persons() -> None:
    """Names end at dates and small words; persons have two to four words, none of which a body or a place has."""
    text = "In May 1954 the Hive Bank of Leddermoor chose Jeremy F. Molina, whom Ann O’Neill of Kirk Welwold liked."
    assert names_in(text) == ("Hive Bank of Leddermoor", "Jeremy F. Molina", "Ann O’Neill of Kirk Welwold")
    assert names_in("Later Aeronef 31 and 40 others flew.") == ("Aeronef 31",)
    assert names_in("She moved to Over Hadding.") == ("Over Hadding",)
    assert names_in("June B. Dale moved in June.") == ("June B. Dale",)
    assert persons_in("Then Molina left Hive Bank.", ["Jeremy F. Molina"]) == ["Jeremy F. Molina"]


def test_whom_sentences_are_about() -> None:
    """The page's subject, until a sentence names another one of the kind, or a heading takes the section away."""
    text = "It has two wings.\n\nHay Mill is older. It was sold.\n\n## Ann Lee\n\nShe kept bees."
    found = [(one.text, one.about) for one in passages("Rye Mill", text, ("Rye Mill",))]
    assert found == [
        ("It has two wings.", "Rye Mill"),
        ("Hay Mill is older.", ""),
        ("It was sold.", ""),
        ("She kept bees.", ""),
    ]


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("Between 1950 and 1954 the keeper was the fisherman Ann Lee.", ("Ann Lee", "1950", "1954")),
        ("Ann Lee moved in in 1961 and trimmed wicks till 1981.", ("Ann Lee", "1961", "1981")),
        ("Ann Lee has kept it since 2007.", ("Ann Lee", "2007", "")),
        ("Until 1941 it was managed by Ann Lee.", ("Ann Lee", "", "1941")),
        ("It got a new keeper in 1975, Ann Lee, who caught eels and stayed until 1983.", ("Ann Lee", "1975", "1983")),
        ("2000 was the last year of Ann Lee, keeper since 1981.", ("Ann Lee", "1981", "2000")),
        ("In 1979 Ann Lee took charge of the lamp.", ("Ann Lee", "1979", "")),
        ("Ann Lee stepped down in 1990.", ("Ann Lee", "", "1990")),
        ("Since 1999 it has been kept by Ann Lee, who never looked down.", ("Ann Lee", "1999", "")),
        ("Bo Ray says: Keeper Ann Lee (1984–1989) rang the bell.", ("Ann Lee", "1984", "1989")),
    ],
)
def test_terms_of_a_post(sentence: str, term: tuple[str, str, str]) -> None:
    """Who was there, since when, until when, in whatever words."""
    assert terms(AboutSentence(sentence, "Koch Light", False), (), (), {"Keeper"}) == [term]


def test_years_and_persons_are_those_of_the_sentences_before() -> None:
    """Whoever is not named is the one named before, or whom the page is about; a dated item's year is its first."""
    text = (
        "Ann Lee took over in 1971. The new keeper stayed until 1980. The following year Bo Ray became keeper.\n\n"
        "- **1990**: The owners chose Al Poe."
    )
    told = passages("Koch Light", text, ("Koch Light",), ("Ann Lee", "Bo Ray", "Al Poe"))
    assert [term for one in told for term in terms(one, (), ("Koch Light",))] == [
        ("Ann Lee", "1971", ""),
        ("Ann Lee", "", "1980"),
        ("Bo Ray", "1981", ""),
        ("Al Poe", "1990", ""),
    ]


def test_years_elsewhere_are_none_of_the_post() -> None:
    """Somebody's years at another house, and of a life, are not those of the post."""
    for sentence in (
        "Bo Ray worked at Slater Main from 1950 to 1954.",
        "(1924–1985), sailor: Bo Ray lived in the light.",
        "Bo Ray (born 1955) kept bees.",
    ):
        assert terms(AboutSentence(sentence, "Koch Light", False), (), (), (), post_cues("Keeper")) == []


def test_what_is_denied_is_not_taken() -> None:
    """A sentence with a denial states nothing."""
    assert terms(AboutSentence("Ann Lee was not its keeper from 1950 to 1954.", "Koch Light", False), (), ()) == []


def test_tables_boxes_and_lists_have_cells() -> None:
    """A list of several things, a box, key facts, and holders of a post by years."""
    text = (
        "| | Owner |\n| --- | --- |\n| [Rye Mill](https://a.example/r) | The miller Ann Lee (1901) |\n\n"
        "- **Height**: 12 metres (1930)\n\n## Keeper\n\n- 1901–1912: Bo Ray\n- Al Poe (1912–1920)"
    )
    found = [tuple(one) for one in cells_of(text, "Mill", "Hay Mill") if one.label]
    assert found == [
        ("Rye Mill", "Owner", "The miller Ann Lee (1901)"),
        ("Hay Mill", "Height", "12 metres (1930)"),
        ("Hay Mill", "Keeper", "Bo Ray (1901–1912)"),
        ("Hay Mill", "Keeper", "Al Poe (1912–1920)"),
    ]
    assert clean(found[0][2]) == "Ann Lee"


def test_numbers_have_the_unit_of_the_column() -> None:
    """Feet are metres where the column says metres; another count is not taken."""
    assert [number_in(text, "metres") for text in ("40 feet tall", "It is 7 metres.", "It has 7 rooms.")] == [
        "12.2",
        "7",
        "",
    ]


def test_of_terms_that_overlap_the_better_supported_stay() -> None:
    """Two keepers follow each other; whom one page names for years between them, without a word of the post, is out."""
    wanted = read_question(POSTS)
    assert wanted is not None
    ledger = Ledger(wanted)

    def say(person: str, since: str, until: str, site: str, quote: str) -> None:
        pair, url = f"Koch Light | {person}", f"https://{site}.example/p"
        ledger.add(
            [
                CitedStatement("Koch Light", "Lighthouse", "Koch Light", url),
                CitedStatement(pair, "Keeper", person, url, "", quote),
                CitedStatement(pair, "From (year)", since, url, "", quote),
                CitedStatement(pair, "Until (year)", until, url, "", quote),
            ]
        )

    say("Ann Lee", "1950", "1960", "a", "Ann Lee was keeper from 1950 to 1960.")
    say("Bo Ray", "1960", "1970", "b", "Bo Ray lit the lamp from 1960 to 1970.")
    say("Al Poe", "1955", "1965", "c", "Al Poe ran the shop from 1955 to 1965.")
    assert ledger.rows() == [
        ("Koch Light", "Ann Lee", "1950", "1960", "N/A"),
        ("Koch Light", "Bo Ray", "1960", "1970", "N/A"),
    ]
    assert ledger.sources()["Koch Light | Bo Ray", "Until (year)"] == "https://b.example/p"


def test_words_of_a_post_are_learned() -> None:
    """What pages say of those who are known to be keepers is a word of the post: "trimmed the wicks", of one who is
    called so nowhere, at a light where nobody else is known."""
    wanted = read_question(POSTS)
    assert wanted is not None

    def rows_of(sentence: str) -> list[str]:
        names = ("Lee", "Ray", "Poe", "Fox", "Orr")
        ledger = Ledger(wanted)
        told = [(f"Light {n}", f"Ann {name}", "was keeper") for n, name in enumerate(names)]
        told += [(light, person, "trimmed the wicks") for light, person, _ in told]
        told += [(f"Light {n}", f"Sue {name}", "sold ropes") for n, name in enumerate(names)]
        for light, person, what in (*told, ("Light 9", "Bo Day", sentence)):
            url, quote = f"https://{what[:3]}.example/", f"From 1950 to 1960 {person} {what}."
            ledger.add([CitedStatement(light, "Lighthouse", light, url)])
            years = (("From (year)", "1950"), ("Until (year)", "1960"))
            ledger.add([CitedStatement(f"{light} | {person}", column, year, url, "", quote) for column, year in years])
        return [row[1] for row in ledger.rows() if row[0] == "Light 9"]

    assert rows_of("trimmed the wicks") == ["Bo Day"]
    assert rows_of("sold ropes") == []


def test_a_join_leads_over_the_value_of_a_column() -> None:
    """The owner's spouse is missing as soon as the owner is known, and stands in the mill's row once it is found."""
    wanted = read_question(THINGS)
    assert wanted is not None
    ledger = Ledger(wanted)
    ledger.add(
        [CitedStatement("Rye Mill", "Mill", "Rye Mill", "u"), CitedStatement("Rye Mill", "Owner", "Ann Lee", "u")]
    )
    assert ("Ann Lee", ("spouse",)) in ledger.gaps()
    ledger.add([CitedStatement("Ann Lee", "spouse", "Bo Ray", "u")])
    assert ledger.rows() == [("Rye Mill", "Ann Lee", "N/A", "Bo Ray")]


def test_pages_tell_what_and_where_they_are() -> None:
    """A mill that no list has is a row where its own page says that it is one, in the county that is asked for."""
    wanted = read_question(THINGS)
    assert wanted is not None
    ledger = Ledger(wanted)
    worker = ScriptWorker()
    for title, place in (("Rye Mill", "Oldtown, Ayshire"), ("Hay Mill", "Newby, Beeland")):
        page = ReadPage(f"https://a.example/{title[:3]}", title, f"{title} is a mill in {place}.")
        said = worker.read(Subtask("1", THINGS), page)
        ledger.add(said.value.statements)
    assert ledger.entities == ("Rye Mill",)


def test_a_page_with_a_name_like_a_person_may_be_about_a_thing() -> None:
    """An article before it, and no surname alone: "The Ann Lee is a mill"; what a list's items name are rows."""
    wanted = read_question(THINGS)
    assert wanted is not None
    ledger = Ledger(wanted)
    for title, text in (
        ("The story of Ann Lee", "The Ann Lee is a mill in Oldtown, Ayshire."),
        ("Bo Ray", "Bo Ray built a mill in Oldtown, Ayshire. Ray was tall."),
        (
            "All mills, Ayshire",
            "- **[Hay Mill](https://a.example/h)** (Newby): Bo Ray drew the plans.\n- **1901**: Rain.",
        ),
    ):
        read = ScriptWorker().read(Subtask("1", THINGS), ReadPage(f"https://a.example/{title}", title, text))
        ledger.add(read.value.statements)
    assert sorted(ledger.entities) == ["Ann Lee", "Hay Mill"]


@pytest.mark.parametrize(
    ("name", "lead", "is_one"),
    [
        ("Hotel Gold", "Hotel Gold is a hotel in Redmarch.", True),
        ("Hotel Gold", "Hotel Gold, a small hotel, has 12 rooms.", True),
        ("Gold’s", "Today I slept at the hotel Gold’s.", True),
        ("Redmarch", "A boatman opens a hotel in Redmarch.", False),
        ("Ann Lee", "Plans by Ann Lee for a hotel are shown.", False),
    ],
)
def test_what_is_in_a_sentence_with_a_kind_is_not_of_it(name: str, lead: str, is_one: bool) -> None:
    """A page says that something is of a kind where it calls it so; places and people of such a thing are none."""
    assert says(name, "hotel", lead) is is_one


def test_a_town_is_no_row() -> None:
    """Whatever pages about what stands there are titled by, a town of the places asked is not one of the kind, unless a
    page calls it so: things may be called like towns."""
    wanted = read_question("List all hotels in the counties of Ay and Bee in one table. Columns: Hotel | Owner")
    assert wanted is not None
    ledger = Ledger(wanted)
    lead = "The hotels of Redmarch, Ay, are old."
    named = CitedStatement("Redmarch", SEEN, KIND, "https://a.example/", "", lead)
    ledger.add([named])
    assert ledger.entities == ("Redmarch",)
    ledger.add([CitedStatement("Redmarch", WITHIN, "Ay", "https://b.example/")])
    assert ledger.entities == ()
    ledger.add([named._replace(url="https://c.example/", quote="Redmarch is a hotel in Redmarch, Ay.")])
    assert ledger.entities == ("Redmarch",)


@pytest.mark.slow
def test_scripts_read_tables_of_a_world() -> None:
    """On a generated table the layers find most rows' names, none of them twice, and fill cells: well above nothing."""
    env = gym.make("WideSearch-v0", size="small", budget={"searches": 2_000, "visits": 2_000, "turns": 400})
    benchmark = env.unwrapped.benchmark  # type: ignore[attr-defined]
    specs = [EpisodeSpec(task, 0, 0) for task in benchmark.tasks.ids()[:3]]
    played = play_episodes(benchmark, HierarchicalPolicy(Layers(steps=12), LatencyModel()), specs)
    scores = [record.verdict["scores"].get("item_f1", 0.0) for some in played for record in some]
    assert len(scores) == 3
    assert sum(scores) / 3 > 0.25


@pytest.mark.slow
def test_one_worker_comes_to_the_same_table() -> None:
    """Requests, and what pages state, are the same in the same order whether one worker reads or eight."""
    env = gym.make("WideSearch-v0", size="small", budget={"searches": 2_000, "visits": 2_000, "turns": 2_000})
    benchmark = env.unwrapped.benchmark  # type: ignore[attr-defined]
    for task in benchmark.tasks.ids()[:2]:
        told = []
        for workers in (1, 8):
            policy = HierarchicalPolicy(Layers(steps=12, workers=workers))
            [record] = next(play_episodes(benchmark, policy, [EpisodeSpec(task, 0, 0)]))
            sent = [text for turn in record.turns for text in turn.texts]
            told.append((sent, [one for turn in record.turns for one in statements_of(turn.memory)]))
        assert told[0] == told[1]


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        ("For years after 1974 people spoke of Ann Lee, keeper since 1971.", ("1971", "1974")),
        ("Ann Lee mended the lamp and in 1963 left, after taking charge in 1956.", ("1956", "1963")),
        ("Rye Light got a new chief in 2008; Ann Lee painted it and left in 2013.", ("2008", "2013")),
        ("Ann Lee will not be forgotten as keeper, from 1927 to 1930.", ("1927", "1930")),
    ],
)
def test_years_told_from_their_end(sentence: str, term: tuple[str, str]) -> None:
    """Who left before it is told since when has these years; that somebody is not forgotten denies no post."""
    passage = AboutSentence(sentence, "Rye Light", True)
    assert [one[1:] for one in terms(passage, ["Ann Lee"], ["Rye Light"], cues=post_cues("Keeper"))] == [term]


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann Lee was offered the direction in 1950 and left the country instead.",
        "Ann Lee was made youth coach of Rye Club in 1937.",
        "Ann Lee had been a porter at Rye Club from 1937 to 1940.",
    ],
)
def test_other_years_are_no_term(sentence: str) -> None:
    """Who declined, held a lesser post or worked there has no years in the post."""
    assert terms(AboutSentence(sentence, "Rye Club", True), ["Ann Lee"], ["Rye Club"]) == []


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("Her family, a large one, was at home in Hay, where she was born.", "Hay"),
        ("Great Hay was the town in which Lee was born.", "Great Hay"),
        ("She was born (at night) to musical parents from Over Hay.", "Over Hay"),
        ("She was born in 1950, and worked in Rye.", ""),
        ("Lee (born 4 May 1950) is a baker from Rye.", ""),
    ],
)
def test_births_in_other_words(sentence: str, place: str) -> None:
    """The place of a birth stands in the clause that tells of it; where somebody lives or works is none."""
    assert [one[1] for one in births("Ann Lee", sentence, ["Ann Lee"])] == ([place] if place else [])


def test_what_is_called_by_another_noun_is_no_row() -> None:
    """A town hall is no town; what no page calls by the kind's nouns is left out where those are known."""
    assert says("Hay", "town", "Hay is a town in Ay.")
    assert not says("Hay Hall", "town", "Hay Hall is a town hall in Ay.")
    assert noun_of("Rye Hall", "You have reached Rye Hall, a covered market, in Ay.") == "covered market"
    assert noun_of("Rye", "Hotel Rye was a hotel in Rye.") == ""  # a longer name
    assert noun_of("Rye", "Ann Lee came from Rye, a cook of note.") == ""
    assert noun_of("Rye", "Rye Rye is a town in Ay.") == "town"  # behind its title
    wanted = read_question("List all ferries in the counties of Ay and Bee in one table. Columns: Ferry | Owner")
    assert wanted is not None
    ledger = Ledger(wanted)
    for name in ("Alpha One", "Beta One", "Gamma One", "Delta One", "Eta One"):
        lead = f"{name} is a ferry in Ay."
        ledger.add([CitedStatement(name, SEEN, KIND, "https://a.example/", "", lead)])
    other = CitedStatement("Zeta One", SEEN, KIND, "https://a.example/", "", "Zeta One is a museum in Ay.")
    ledger.add([other])
    assert "Eta One" in ledger.entities
    assert "Zeta One" not in ledger.entities
