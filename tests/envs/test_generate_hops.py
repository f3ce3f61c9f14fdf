"""Tasks that lead over several pages."""

from __future__ import annotations

from dataclasses import replace

import gymnasium as gym
import pytest

import webenv
from webenv.corpora.procedural import ProceduralWeb, Value, WebConfig, Worlds, cached_corpus
from webenv.envs.needle_in_web.generate import Descriptions, Needle, NeedleGenerator, needle_source
from webenv.errors import InvalidArgument
from webenv.web import Failure, SearchRequest

TIERS = ("easy", "medium", "hard")
DIALS = WebConfig(pages=1_000, seed=3, split="validation")
COUNT = 40


@pytest.fixture(scope="module", params=[2, 3])
def generator(request: pytest.FixtureRequest) -> NeedleGenerator:
    return NeedleGenerator(ProceduralWeb(replace(DIALS, hops=request.param)))


@pytest.fixture(scope="module")
def needles(generator: NeedleGenerator) -> list[Needle]:
    return [generator.draw(tier, number) for tier in TIERS for number in range(COUNT)]


def test_every_task_leads_over_as_many_pages(generator: NeedleGenerator, needles: list[Needle]) -> None:
    """In each task a criterion describes an entity by as many further pages as the dial says, and none by more."""
    hops = generator.web.config.hops
    assert {max(len(criterion.hops) for criterion in needle.criteria) for needle in needles} == {hops - 1}
    plain = NeedleGenerator(ProceduralWeb(DIALS))
    assert not any(c.hops for tier in TIERS for n in range(20) for c in plain.draw(tier, n).criteria)


def test_a_description_fits_one_entity(generator: NeedleGenerator, needles: list[Needle]) -> None:
    """Of all entities of the world, what is said of one that is not named is true of it alone; its page says so."""
    web = generator.web
    entities = [entity for known in web.world.entities.values() for entity in known]
    profiles = [(entity.value, web.world.profile(entity)) for entity in entities]
    for needle in needles:
        for criterion in needle.criteria:
            for hop in criterion.hops:
                assert [value for value, facts in profiles if hop.said.met(facts)] == [hop.entity]
                assert web.plan(hop.page).title == web.world.language.title(hop.entity.text)
                assert hop.said.met(web.facts(hop.page))


def test_each_fact_leads_to_the_next(needles: list[Needle]) -> None:
    """The first hop is what the criterion asks for; each further one is what the fact before it names."""
    for needle in needles:
        for criterion in needle.criteria:
            asked = criterion.pattern.object.text
            for hop in criterion.hops:
                assert hop.entity.text == asked
                asked = hop.said.object.text


def test_one_page_alone_meets_each_task(generator: NeedleGenerator, needles: list[Needle]) -> None:
    """Over all pages of the web, with described entities as who they are, the gold page alone meets all criteria."""
    web = generator.web
    stated = [(web.original(number), web.facts(number)) for number in range(len(web))]
    by_kind: dict[str, list[int]] = {}
    for place, (_, facts) in enumerate(stated):
        for kind in {fact.kind for fact in facts}:
            by_kind.setdefault(kind, []).append(place)
    for needle in needles[::3]:
        patterns = [criterion.pattern for criterion in needle.criteria]
        places = by_kind[patterns[0].kind]
        met = {stated[place][0] for place in places if all(pattern.met(stated[place][1]) for pattern in patterns)}
        assert met == {needle.gold}


def test_who_is_described_is_not_named(needles: list[Needle]) -> None:
    """The name of a described entity stands nowhere in the question, and the description does."""
    for needle in needles:
        hops = [hop for criterion in needle.criteria for hop in criterion.hops]
        assert not any(hop.entity.text in needle.task.question for hop in hops)
        for criterion in needle.criteria:
            assert criterion.text.count("; ") >= len(criterion.hops)
            assert criterion.text.endswith(".")
            assert not set(criterion.text) & set("{}[]~|")


def test_a_search_for_a_description_finds_the_page(needles: list[Needle]) -> None:
    """Nearly all pages about described entities are among ten hits for what is said of them."""
    corpus = cached_corpus(DIALS, workers=1)
    hops = [(c.text.split("; ")[-1], c.hops[-1]) for needle in needles for c in needle.criteria if c.hops]
    answers = corpus.search([SearchRequest(text) for text, _ in hops])
    found = 0
    for (_, hop), hits in zip(hops, answers, strict=True):
        assert not isinstance(hits, Failure)
        found += hop.entity.text.removeprefix("the ") in {hit.title.removeprefix("The ") for hit in hits}
    assert found > 0.85 * len(hops)


def test_pages_do_not_depend_on_hops() -> None:
    """Webs that differ in hops alone are one corpus."""
    config = WebConfig(pages=200, kinds=2, seed=6)
    corpora = [cached_corpus(replace(config, hops=hops)) for hops in (1, 2, 3)]
    assert corpora[0] is corpora[1] is corpora[2]


@pytest.mark.parametrize("hops", [2, 3])
def test_the_oracle_is_always_right(hops: int) -> None:
    """In the environment, gold pages are right and are the only ones named in the gold."""
    web = f"procedural:pages=600,kinds=4,seed=4,hops={hops}"
    envs = gym.make_vec("NeedleInWeb-v0", num_envs=12, web=web, tasks="generated:count=4")
    tasks = envs.unwrapped.benchmark.tasks  # type: ignore[attr-defined]
    envs.reset(seed=0, options={"tasks": list(tasks.ids())})
    _, rewards, *_ = envs.step([webenv.answer(*task.gold.urls) for task in tasks])
    assert rewards.tolist() == [1.0] * 12
    envs.close()


def test_tasks_are_reproduced_by_id(generator: NeedleGenerator, needles: list[Needle]) -> None:
    """A task's id, which tells the hops, leads back to it in a generator made anew."""
    again = needle_source(Worlds(generator.web.config))
    assert f"hops={generator.web.config.hops}" in needles[0].task.id
    for needle in needles[::23]:
        assert again.find(needle.task.id) == needle


def test_who_has_no_page_is_not_described(generator: NeedleGenerator) -> None:
    """Only an entity that a page is about can be described."""
    web, descriptions = generator.web, Descriptions(generator.web)
    from webenv.corpora.procedural import Rng

    last = web.world.entities["person"][-1].value
    first = web.world.entities["person"][0].value
    assert web.profile(last) is None
    assert descriptions.describe(last, 1, 1.0, Rng("x")) is None
    assert descriptions.describe(Value("person", "Nobody"), 1, 1.0, Rng("x")) is None
    told = descriptions.describe(first, 1, 1.0, Rng("x"))
    assert told is not None
    assert (len(told.clauses), told.hops[0].entity) == (1, first)


def test_the_dial_has_a_range() -> None:
    """Hops are 1, 2 or 3."""
    for wrong in (0, 4, 1.0, True):
        with pytest.raises(InvalidArgument, match="expected a whole number from 1 to 3"):
            WebConfig(hops=wrong)  # type: ignore[arg-type]
    assert str(WebConfig.parse("procedural:hops=2")) == "procedural:hops=2"


def test_a_web_that_is_too_small_says_so() -> None:
    """Where no entity with a page of its own comes up, the error names the dial."""
    web = ProceduralWeb(WebConfig(pages=60, kinds=1, family=27, hops=3))
    with pytest.raises(InvalidArgument, match=r"hops=3: no hard task in 400 .* leads over 3 pages; lower hops"):
        NeedleGenerator(web).draw("hard", 0)
