"""Generated needle tasks, and the judge that knows the facts."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence

import pytest

from webenv.budget import Budget, Spending
from webenv.corpora import Corpus
from webenv.corpora.procedural import Fact, ProceduralWeb, WebConfig, Worlds, relations
from webenv.envs.needle_in_web.generate import GeneratedCriterion, Needle, NeedleGenerator, needle_source
from webenv.envs.needle_in_web.judge import ExactJudge
from webenv.errors import InvalidArgument, UnknownTask
from webenv.judge import Judge, Submission, Verdict
from webenv.task import Task
from webenv.web import Failure, Missing, VisitRequest

TIERS = ("easy", "medium", "hard")


@pytest.fixture(scope="module")
def web() -> ProceduralWeb:
    return ProceduralWeb(WebConfig(seed=3, split="validation"))


@pytest.fixture(scope="module")
def generator(web: ProceduralWeb) -> NeedleGenerator:
    return NeedleGenerator(web)


@pytest.fixture(scope="module")
def needles(generator: NeedleGenerator) -> list[Needle]:
    return [generator.draw(tier, number) for tier in TIERS for number in range(100)]


@pytest.fixture(scope="module")
def judge(web: ProceduralWeb) -> ExactJudge:
    return ExactJudge(needle_source(Worlds(web.config)))


@pytest.fixture(scope="module")
def corpus(web: ProceduralWeb) -> Corpus:
    return Corpus.of(web.pages())


def _meets(criteria: Sequence[GeneratedCriterion], facts: Sequence[Fact]) -> bool:
    """Brute force, by hand: each criterion has a fact of its kind and relation whose values are as asked."""
    for criterion in criteria:
        pattern = criterion.pattern
        for fact in facts:
            if fact.kind != pattern.kind or pattern.relation not in ("", fact.relation):
                continue
            fits = True
            for asked, value in ((pattern.object, fact.object), (pattern.qualifier, fact.qualifier)):
                if asked.type and (
                    value.type != asked.type
                    or (asked.text and value.text != asked.text)
                    or (asked.group and value.group != asked.group)
                    or (asked.high and not asked.low <= value.number <= asked.high)
                ):
                    fits = False
            if fits:
                break
        else:
            return False
    return True


def test_one_page_alone_meets_each_task(web: ProceduralWeb, needles: list[Needle]) -> None:
    """Going through every page of the web, copies counted as one, finds the gold page and no other."""
    stated = [(web.original(number), web.facts(number)) for number in range(len(web))]
    by_kind: dict[str, list[tuple[int, tuple[Fact, ...]]]] = {}
    for number, facts in stated:
        for kind in {fact.kind for fact in facts}:
            by_kind.setdefault(kind, []).append((number, facts))
    for needle in needles:
        kind = needle.criteria[0].pattern.kind
        assert {n for n, facts in by_kind[kind] if _meets(needle.criteria, facts)} == {needle.gold}


def test_single_criteria_are_shared(web: ProceduralWeb, needles: list[Needle]) -> None:
    """A single criterion is met by at least 8 pages at the median, in each tier, and two still by more than one."""
    for tier in TIERS:
        of_tier = [needle for needle in needles if needle.task.tags["difficulty"] == tier]
        singles = [len(web.holders(c.pattern)) for needle in of_tier for c in needle.criteria]
        assert statistics.median(singles) >= 8
        pairs = [len(web.holders(n.criteria[0].pattern) & web.holders(n.criteria[1].pattern)) for n in of_tier]
        assert statistics.median(pairs) >= 3


def test_masks_come_in_their_shares(needles: list[Needle]) -> None:
    """Of the masked elements about .4 are objects, .3 qualifiers, .3 relations."""
    counts = Counter(c.masked for needle in needles for c in needle.criteria)
    total = sum(counts.values())
    assert 0.33 < counts["object"] / total < 0.47
    assert 0.23 < counts["qualifier"] / total < 0.37
    assert 0.23 < counts["relation"] / total < 0.37


def test_what_is_masked_is_not_told(needles: list[Needle], web: ProceduralWeb) -> None:
    """The masked value stands in no criterion, and neither does the name of the gold page's subject."""
    for needle in needles:
        texts = " ".join(criterion.text for criterion in needle.criteria)
        name = web.world.distractor_set(web.plan(needle.gold).distractor_set).names[web.plan(needle.gold).member]
        assert name.removeprefix("the ") not in texts
        for criterion in needle.criteria:
            if criterion.masked == "object":
                assert criterion.fact.object.text not in criterion.text
            if criterion.masked == "qualifier":
                assert criterion.fact.qualifier.text not in criterion.text


def test_criteria_read_as_sentences(needles: list[Needle]) -> None:
    """A criterion is a sentence: a capital, a full stop, no blank of the grammar, no doubled article."""
    for needle in needles:
        for criterion in needle.criteria:
            text = criterion.text
            assert text[0].isupper() or text[0].isdigit()
            assert text.endswith(".")
            assert not set(text) & set("{}[]~|")
            assert not any(
                wrong in text.lower() for wrong in (" a a ", " a an ", " the a ", " the some ", "  ", " a some ")
            )


def test_wording_grows_vaguer_by_tier(generator: NeedleGenerator, web: ProceduralWeb) -> None:
    """Fewer of a criterion's visible values keep the pages' wording in harder tiers."""
    shares = []
    for tier in TIERS:
        kept = []
        for number in range(100, 180):
            for criterion in generator.draw(tier, number).criteria:
                for part, value in (("object", criterion.fact.object), ("qualifier", criterion.fact.qualifier)):
                    if criterion.masked != part and value.type not in ("person", "place", "org"):
                        kept.append(value.text.removeprefix("a ").lower() in criterion.text.lower())
        shares.append(sum(kept) / len(kept))
    assert shares[0] > shares[1] > shares[2] > 0.6


def test_without_fuzziness_every_word_is_kept() -> None:
    """At fuzziness 0 a criterion's visible values are as pages write them; at 1 about half of the hard ones are not."""
    for fuzziness, low, high in ((0.0, 1.0, 1.0), (1.0, 0.2, 0.6)):
        generator = NeedleGenerator(ProceduralWeb(WebConfig(seed=3, fuzziness=fuzziness)))
        kept = []
        for number in range(60):
            for criterion in generator.draw("hard", number).criteria:
                if criterion.masked != "qualifier":
                    kept.append(criterion.fact.qualifier.text.lower() in criterion.text.lower())
        assert low <= sum(kept) / len(kept) <= high


def test_tasks_are_reproduced_by_id(generator: NeedleGenerator, needles: list[Needle]) -> None:
    """A task's id leads back to it, in a generator made anew; another web's id leads nowhere."""
    again = needle_source(Worlds(generator.web.config))
    for needle in needles[::37]:
        assert again.find(needle.task.id) == needle
    for wrong in ("default/easy/0", "", "seed=3,split=validation/easy/x", "seed=3,split=validation/harder/1"):
        with pytest.raises(UnknownTask):
            again.find(wrong)


def test_a_task_set_has_its_tags(generator: NeedleGenerator) -> None:
    """A task set is filtered by difficulty, split and site; ids differ; every task has three criteria."""
    tasks = generator.tasks(5)
    assert len(tasks) == 15
    assert len(tasks.filter(difficulty="hard", split="validation")) == 5
    assert all(len(task.criteria) == 3 == len(task.gold.claims) for task in tasks)
    assert generator.tasks(5).digest == tasks.digest
    with pytest.raises(InvalidArgument, match="difficulty='esay'"):
        generator.tasks(1, "esay")


def _submit(task: Task, url: str, corpus: Corpus) -> Submission:
    pages = tuple(corpus.visit([VisitRequest(url)])) if url else ()
    gold = tuple(corpus.visit([VisitRequest(url) for url in task.gold.urls]))
    return Submission(task, "answered", (url,) if url else (), pages, gold, (), Budget(), Spending())


def test_outcomes(judge: ExactJudge, needles: list[Needle], web: ProceduralWeb, corpus: Corpus) -> None:
    """The judge tells no source, unreachable, wrong page and ground truth apart, and leaves a failure unscored."""
    assert isinstance(judge, Judge)
    task = needles[0].task
    sibling = web.plan(needles[0].gold)
    other = web.plan(web.planner.article(sibling.distractor_set, (sibling.member + 1) % 27)).url
    urls = (task.gold.urls[0], "", "https://nowhere.example/x-1", other)
    verdicts = judge.score([_submit(task, url, corpus) for url in urls])
    assert [verdict.outcome for verdict in verdicts] == ["ground_truth_match", "no_source", "unreachable", "wrong_page"]
    assert [verdict.value for verdict in verdicts] == [1.0, 0.0, 0.0, 0.0]
    failed = Submission(task, "answered", (other,), (Failure("no line"),), (Missing("gone"),), (), Budget(), Spending())
    strange = Task("other/easy/1", "Which?")
    assert [v.scored for v in judge.score([failed, _submit(strange, other, corpus)])] == [False, False]


def test_a_copy_is_as_good(judge: ExactJudge, generator: NeedleGenerator, web: ProceduralWeb, corpus: Corpus) -> None:
    """A copy of the gold page on another site is right, and so is an old address of it."""
    start = web.planner.number("copy", 0)
    copies = {web.original(number): web.plan(number).url for number in range(start, len(web))}
    copied = aliased = 0
    for number in range(400):
        needle = generator.draw("medium", number)
        urls = [copies[needle.gold]] if needle.gold in copies else []
        copied += len(urls)
        urls += web.plan(needle.gold).aliases
        aliased += len(web.plan(needle.gold).aliases)
        for url in urls:
            verdict: Verdict = judge.score([_submit(needle.task, url, corpus)])[0]
            assert verdict.outcome == "ground_truth_match"
    assert copied > 5
    assert aliased > 5


def test_the_judge_agrees_with_the_key(
    judge: ExactJudge, web: ProceduralWeb, needles: list[Needle], corpus: Corpus
) -> None:
    """Of the first hits for each task the judge accepts the gold page and its copies alone."""
    from webenv.web import SearchRequest

    for needle in needles[::10]:
        hits = corpus.search([SearchRequest(" ".join(needle.task.criteria))])[0]
        assert not isinstance(hits, Failure)
        for hit in hits:
            number = web.find(hit.url)
            assert number is not None
            right = judge.score([_submit(needle.task, hit.url, corpus)])[0].value == 1.0
            assert right == (web.original(number) == needle.gold)


def test_relations_alone_never_collide(needles: list[Needle]) -> None:
    """The three criteria of a task are about three relations of one tier."""
    for needle in needles:
        assert len({criterion.fact.relation for criterion in needle.criteria}) == 3


def test_a_web_too_small_says_so() -> None:
    """Where no task is unique the error names what to change."""
    web = ProceduralWeb(WebConfig(pages=3_000, kinds=1, family=27))
    generator = NeedleGenerator(web)
    for number in range(20):
        needle = generator.draw("hard", number)
        assert generator.satisfying([c.pattern for c in needle.criteria]) == {needle.gold}


def test_criteria_keep_to_the_webs_phrasings() -> None:
    """Criteria of a web of held phrasings are made from those alone, those of a web without them from the others."""
    for mode in ("shown", "held"):
        generator = NeedleGenerator(ProceduralWeb(WebConfig(pages=200, kinds=1, fuzziness=0.0, phrasings=mode)))
        for number in range(20):
            for criterion in generator.draw("medium", number).criteria:
                if criterion.masked != "relation":
                    name = criterion.fact.relation
                    ways = next(r for r in relations(name.split(".")[0]) if r.name == name).plain
                    marks = {way.held_out for way in ways if any(_said(form, criterion.text) for form in way.near)}
                    assert (mode == "held") in marks, criterion.text


def _said(form: str, text: str) -> bool:
    pattern = "".join(".+" if place % 2 else re.escape(part) for place, part in enumerate(re.split(r"(\{\d\})", form)))
    return re.fullmatch(pattern + r"\.", text, re.IGNORECASE) is not None
