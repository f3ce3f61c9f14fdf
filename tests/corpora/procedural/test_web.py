"""The generated web as a whole, and as a corpus."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from webenv.corpora import Corpus, build, procedural
from webenv.corpora.procedural import GENERATOR_VERSION, ProceduralWeb, WebConfig
from webenv.corpora.procedural.pages.plan import ROLES
from webenv.corpora.procedural.write import write_corpus
from webenv.errors import InvalidArgument
from webenv.web import SearchRequest, VisitRequest

DIALS = WebConfig(pages=800, kinds=3, seed=7)
DIGEST = "05eefa99ae19a6646da33ac55cd25680"


def test_the_digest_is_pinned() -> None:
    """The same dials give the same bytes; whoever changes the generator changes this text."""
    assert ProceduralWeb(DIALS).digest() == DIGEST


@pytest.mark.parametrize(
    ("spec", "digest"),
    [
        ("procedural", "98ab6df8882fa8d94d4135e7483ceb52"),
        ("procedural:pages=600,language=zh,sites=16", "3be5f473a9628afa9bf1d5445e23d3c6"),
        (
            "procedural:pages=900,seed=5,split=test,news=0.4,copies=0.2,contradictions=0.1",
            "fdf93da7de64c45886f2c76ce79933dd",
        ),
        ("procedural:pages=700,phrasings=shown,family=9,kinds=6", "dc1231ba881f7213cb9c845829d8a135"),
    ],
)
def test_a_version_of_the_generator_stands_for_its_pages(spec: str, digest: str) -> None:
    """Where pages change, so does GENERATOR_VERSION: caches would go on with the pages of before."""
    assert GENERATOR_VERSION == "81e873f70575b748"
    assert ProceduralWeb(WebConfig.parse(spec)).digest() == digest


def test_a_version_of_the_generator_stands_for_its_words() -> None:
    """Where a word of the grammar or the lexicon changes, so does GENERATOR_VERSION, though few pages may have it."""
    assert GENERATOR_VERSION == "81e873f70575b748"
    digest = hashlib.sha256()
    for file in sorted(Path(procedural.__file__).parent.rglob("*")):
        if file.suffix in (".txt", ".bin") and not file.name.startswith("LICENSE"):
            digest.update(file.read_bytes())
    assert digest.hexdigest() == "6d1be1db9050a66a9261bc1cf51d7454320969b16029fb7c8eace8a4831731c3"


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_another_process_gives_the_same_bytes(hash_seed: str) -> None:
    """Nothing depends on the order of hashes."""
    code = (
        "from webenv.corpora.procedural import ProceduralWeb, WebConfig;"
        "print(ProceduralWeb(WebConfig.parse('procedural:pages=800,kinds=3,seed=7')).digest())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": hash_seed}, capture_output=True, text=True
    )
    assert ran.stdout.strip() == DIGEST, ran.stderr


def test_order_does_not_matter() -> None:
    """Pages made backwards are the pages made forwards."""
    one, two = ProceduralWeb(DIALS), ProceduralWeb(DIALS)
    numbers = range(0, 800, 3)
    forwards = [one.text(one.plan(number)).text for number in numbers]
    assert [two.text(two.plan(number)).text for number in reversed(numbers)][::-1] == forwards
    assert {one.plan(number).role for number in numbers} == set(ROLES)


def test_a_corpus_takes_every_page() -> None:
    """All pages go into a corpus, where address, alias and search find them and copies share a key."""
    web = ProceduralWeb(WebConfig(pages=200, kinds=3, seed=7, copies=0.2))
    corpus = Corpus.of(web.pages())
    assert len(corpus) == 200
    start = web.planner.number("copy", 0)
    for number in range(start, 200):
        pages = corpus.visit([VisitRequest(web.plan(n).url) for n in (number, web.original(number))])
        assert len({page.key for page in pages}) == 1  # type: ignore[union-attr]
    aliased = next(plan for plan in map(web.plan, range(200)) if plan.aliases)
    page = corpus.visit([VisitRequest(aliased.aliases[0])])[0]
    assert web.find(page.url) == aliased.number  # type: ignore[union-attr]
    hits = corpus.search([SearchRequest(web.plan(3).title)])[0]
    assert web.plan(3).title in {hit.title for hit in hits}  # type: ignore[union-attr]


def test_links_lead_to_pages(small: ProceduralWeb) -> None:
    """Nearly all links lead to pages of the web, a few are dead, and none leads to its own page."""
    dead = links = 0
    for number in range(len(small)):
        plan = small.plan(number)
        for url in small.links(plan):
            links += 1
            dead += small.find(url) is None
            assert url != plan.url
    assert links > 4 * len(small)
    assert 0 < dead < len(small) * 0.15


def test_a_number_out_of_range_is_refused(small: ProceduralWeb) -> None:
    """A page that does not exist cannot be planned."""
    for number in (-1, 400):
        with pytest.raises(InvalidArgument, match="from 0 to 399"):
            small.plan(number)


def test_holders_are_all_pages_that_state_it(small: ProceduralWeb) -> None:
    """The index of facts finds just the pages that going through every page finds."""
    from webenv.corpora.procedural.world.facts import ANY, Constraint, Pattern

    for set_number in range(small.world.distractor_sets):
        distractors = small.world.distractor_set(set_number)
        for slot in (0, 5, 11):
            fact = distractors.fact(0, slot)
            for pattern in (
                Pattern(fact.kind, fact.relation, Constraint(fact.object.type, fact.object.text), ANY),
                Pattern(fact.kind, "", ANY, Constraint(fact.qualifier.type, fact.qualifier.text)),
            ):
                plain = {small.original(n) for n in range(len(small)) if pattern.met(small.facts(n))}
                assert small.holders(pattern) == plain


WRITTEN = WebConfig(pages=300, kinds=3, copies=0.2, seed=11)


def test_the_same_as_a_general_build(tmp_path: Path) -> None:
    """Contents, copies, aliases and rankings are those of webenv.corpora.build, which finds copies by itself."""
    web = ProceduralWeb(WRITTEN)
    lean = write_corpus(web, tmp_path / "lean")
    full = build(tmp_path / "full", [web.pages()], workers=1)
    assert (lean.digest, lean.pages, lean.aliases, lean.sites) == (full.digest, full.pages, full.aliases, full.sites)
    assert lean.copies == full.copies == 60
    ours, theirs = Corpus.open(tmp_path / "lean"), Corpus.open(tmp_path / "full")
    assert list(ours.pages()) == list(theirs.pages())
    plan = web.plan(5)
    queries = [SearchRequest(plan.title), SearchRequest("granite in the year"), SearchRequest(f"site:{plan.site.host}")]
    assert ours.search(queries) == theirs.search(queries)
    aliased = next(web.plan(number) for number in range(300) if web.plan(number).aliases)
    assert ours.visit([VisitRequest(aliased.aliases[0])]) == ours.visit([VisitRequest(aliased.url)])


def test_what_it_was_made_from(tmp_path: Path) -> None:
    """The manifest names the dials and the generator; whole, the database is sound."""
    manifest = write_corpus(ProceduralWeb(WRITTEN), tmp_path / "web")
    assert manifest.sources == ["procedural:pages=300,seed=11,kinds=3,copies=0.2"]
    assert manifest.extractor == f"procedural {GENERATOR_VERSION}"
    database = sqlite3.connect(tmp_path / "web" / manifest.data / "pages.sqlite")
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
