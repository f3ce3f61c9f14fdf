"""The web of a simulated world: the same for the same seed, possible in its times, exact in what it asserts."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from functools import cache

from webenv.corpora.procedural import WebConfig
from webenv.corpora.world import WorldEntity, WorldFact, WorldWeb, world_version
from webenv.corpora.world.sites import read_token, token

_PAGES = 480
_LINK = re.compile(r"\]\((https?://[^)]*)\)")


@cache
def _web(split: str = "train") -> WorldWeb:
    return WorldWeb(WebConfig(pages=_PAGES, seed=7, split=split))


def _entities() -> list[WorldEntity]:
    return [entity for region in range(2) for entity in _web().world.region(region).entities]


def _facts() -> list[WorldFact]:
    return [fact for entity in _entities() for fact in entity.facts]


def test_pages_do_not_depend_on_the_process() -> None:
    """Another process with other hashes makes the same pages."""
    program = (
        "from webenv.corpora.procedural import WebConfig; from webenv.corpora.world import WorldWeb;"
        f"print(WorldWeb(WebConfig(pages={_PAGES}, seed=7)).digest(60))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env={"PYTHONHASHSEED": "99"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == _web().digest(60)


def test_pages_can_be_made_in_any_order() -> None:
    """A page is the same whether it is made first or after all others."""
    alone = WorldWeb(_web().config)
    page = alone.plan(313)
    assert alone.text(page).text == _web().text(_web().plan(313)).text


def test_other_seeds_make_other_worlds() -> None:
    """No page of one world is a page of another."""
    other = WorldWeb(WebConfig(pages=_PAGES, seed=8))
    assert not {other.plan(n).url for n in range(60)} & {_web().plan(n).url for n in range(_PAGES)}


def test_nobody_acts_before_birth_or_after_death() -> None:
    """Whoever is named in a dated fact was born, and had not died, by that year."""
    known = {entity.number: entity for entity in _entities()}
    wrong = [
        fact
        for fact in _facts()
        if fact.year and (person := known.get(fact.object.entity)) is not None and person.kind == "person"
        if fact.year < person.begin or (person.end and fact.year > person.end)
    ]
    assert wrong == []


def test_nothing_happens_outside_a_life() -> None:
    """What is dated lies between the beginning and the end of its subject, but for what led to it."""
    known = {entity.number: entity for entity in _entities()}
    late = [fact for fact in _facts() if fact.year and known[fact.subject].end and fact.year > known[fact.subject].end]
    assert late == []
    assert all(fact.year <= 2025 for fact in _facts())


def test_values_fit_the_time_and_each_other() -> None:
    """What is bound to years or to what else is known is had by nothing else: no opera of 1780 has a typewriter."""
    bound = 0
    for seed in range(8):
        world = WorldWeb(WebConfig(pages=60, seed=seed, split="test")).world
        for entity in world.region(0).entities:
            for place, fact in enumerate(entity.facts):
                if fact.object.type == "pool" and entity.kind != "person":
                    value = world.setting.schema.phrase(fact.object.unit, fact.object.text)
                    known = world.setting.schema.told(entity.facts[:place])
                    bound += value.bound
                    assert value.suits(fact.year or entity.begin, known)
    assert bound > 20


def test_firms_lead_to_the_profession() -> None:
    """Nobody comes to climb by way of a circus: firms that persons worked for are of the kinds of their profession."""
    people = {one.number: one for one in _entities() if one.kind == "person"}
    kinds = {one.number: one.kind for one in _entities()}
    careers = {one.wordings[0]: one.fits for one in _web().world.setting.schema.pool("person", "career")}
    jobs = [fact for one in people.values() for fact in one.facts if fact.relation == "job"]
    assert len(jobs) > 10
    for job in jobs:
        kind = kinds.get(job.object.entity)
        assert kind is None or people[job.subject].profession in careers[kind]


def test_roles_follow_one_another() -> None:
    """Of one role at one place nobody begins before the holder before has ended, and nobody follows himself."""
    kinds = _web().world.setting.kinds
    for entity in _entities():
        if entity.kind == "person":
            continue
        by_role: dict[str, list[WorldFact]] = {}
        for fact in entity.facts:
            if kinds[fact.kind].facts[fact.relation].tenure is not None:
                by_role.setdefault(fact.relation, []).append(fact)
        for role in by_role.values():
            for before, after in itertools.pairwise(role):
                assert before.until <= after.year
                assert before.object.text != after.object.text


def test_every_link_leads_on() -> None:
    """No link of a page's text is dead."""
    web = _web()
    for number in range(0, _PAGES, 7):
        for url in _LINK.findall(web.text(web.plan(number)).text):
            assert web.find(url) is not None, url


def test_addresses_lead_to_their_pages_alone() -> None:
    """Each page is found by its address, and a wrong end of it leads nowhere."""
    web = _web()
    for number in range(0, _PAGES, 11):
        url = web.plan(number).url
        assert web.find(url) == number
        assert web.find(url + "x") is None
        assert web.find(url.replace("https://", "https://www.other-")) is None


def test_neighbouring_numbers_have_unlike_tokens() -> None:
    """A token gives its number back, and its letters tell nothing of neighbours."""
    tokens = [token(number, 99) for number in range(2_000)]
    assert [read_token(one, 99) for one in tokens] == list(range(2_000))
    assert len({one[-1] for one in tokens[:64]}) > 20


def test_what_is_denied_is_not_asserted() -> None:
    """A page's facts are true in the world; statements with a wrong object are no facts of it."""
    web = _web()
    true = {(fact.subject, fact.relation, fact.object.text, fact.object.number, fact.year) for fact in _facts()}
    denied = 0
    for number in range(_PAGES):
        for fact in web.facts(number):
            assert (fact.subject, fact.relation, fact.object.text, fact.object.number, fact.year) in true
        denied += sum(not claim.asserted for claim in web.plan(number).plan.claims)
    assert denied > 100


def test_a_page_says_nothing_of_its_future() -> None:
    """No page states what happened after the year in which it was written."""
    web = _web()
    for number in range(_PAGES):
        year = web.plan(number).plan.head.year
        assert all(fact.year <= year for fact in web.facts(number))


def test_test_worlds_alone_have_what_is_held_out() -> None:
    """A training world has no kind that is held out; a test world has some."""
    held = {name for name, kind in _web().world.setting.schema.kinds.items() if kind.held}
    assert not held & {entity.kind for entity in _entities()}
    test = _web("test")
    assert held & {entity.kind for region in range(2) for entity in test.world.region(region).entities}


def test_a_page_names_whom_it_tells_of() -> None:
    """Of whatever a page asserts three facts, its title or its text has the name: readers can know of whom."""
    web = _web()
    for number in range(0, _PAGES, 5):
        page = web.plan(number)
        text = f"{page.title}\n{web.text(page).text}"
        counts: dict[int, int] = {}
        for fact in web.facts(number):
            counts[fact.subject] = counts.get(fact.subject, 0) + 1
        for subject, count in counts.items():
            entity = web.entity(subject)
            assert entity is not None
            surname = entity.name.rpartition(" ")[2] if entity.kind == "person" else entity.title
            assert count < 3 or surname in text or entity.name in text, (page.url, entity.name)


def test_pages_change_with_the_version() -> None:
    """Where pages of the same data change, so does the version that caches carry (``_CODE`` in reading.py)."""
    assert (world_version(), _web().digest(120)) == ("fa8137049c20d8f2", "b187b2c95104e5872bcb8d394bf9102b")
